#include "program/check/ignored.h"

#include "program/commands/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME 512

// Without blanks at both ends, in place.
static char* Trim(char* text)
{
	text += strspn(text, " \t\r\n");
	size_t length = strlen(text);
	while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
	{
		--length;
	}
	text[length] = '\0';
	return text;
}

static bool IsCalled(const cliRegions* regions, uint32_t region, const char* name)
{
	char own[NAME], shortened[NAME];
	cliRegions_GetName(regions, region, own, sizeof(own));
	cliRegions_GetShortName(regions, region, shortened, sizeof(shortened));
	return strcmp(name, "*") == 0 || strcasecmp(name, own) == 0 || strcasecmp(name, shortened) == 0;
}

// @return whether there is such a region
static bool Mark(const cliRegions* regions, uint32_t count, const char* name, uint8_t bit, uint8_t* sides)
{
	bool found = false;
	for (uint32_t i = 0; i < count; ++i)
	{
		const bool isIt = IsCalled(regions, i, name);
		sides[i] |= isIt ? bit : 0;
		found = found || isIt;
	}
	return found;
}

static bool AddLine(cliIgnored* ignored, const cliRegions* regions, const char* path, unsigned number, char* text)
{
	char* comma = strchr(text, ',');
	if (comma == NULL || strchr(comma + 1, ',') != NULL)
	{
		cliError("%s:%u: two names with a comma between them are expected", path, number);
		return false;
	}
	*comma = '\0';
	const char* names[2] = { Trim(text), Trim(comma + 1) };
	const size_t count = ignored->regionCount;
	uint8_t* grown = realloc(ignored->sides, (ignored->lineCount + 1) * count + 1);
	if (grown == NULL)
	{
		cliError("%s: out of memory", path);
		return false;
	}
	ignored->sides = grown;
	uint8_t* sides = grown + ignored->lineCount++ * count;
	memset(sides, 0, count);
	for (int i = 0; i < 2; ++i)
	{
		if (!Mark(regions, ignored->regionCount, names[i], (uint8_t)(1 << i), sides))
		{
			cliError("%s:%u: no joint is called '%s'; snug info lists them", path, number, names[i]);
			return false;
		}
	}
	return true;
}

bool cliIgnored_Load(cliIgnored* ignored, const cliRegions* regions, const char* path)
{
	ignored->regionCount = cliRegions_Count(regions);
	FILE* file = fopen(path, "r");
	if (file == NULL)
	{
		cliError("%s: %s", path, strerror(errno));
		return false;
	}
	char line[2 * NAME];
	bool read = true;
	for (unsigned number = 1; read && fgets(line, sizeof(line), file) != NULL; ++number)
	{
		line[strcspn(line, "#")] = '\0';
		char* text = Trim(line);
		read = text[0] == '\0' || AddLine(ignored, regions, path, number, text);
	}
	if (read && ferror(file))
	{
		cliError("%s: cannot be read", path);
		read = false;
	}
	fclose(file);
	return read;
}

void cliIgnored_Free(cliIgnored* ignored)
{
	free(ignored->sides);
	free(ignored->first);
	free(ignored->depths);
	*ignored = (cliIgnored){ .sides = NULL };
}

static bool IsIgnored(const cliIgnored* ignored, uint32_t a, uint32_t b)
{
	bool isIgnored = false;
	for (uint32_t i = 0; i < ignored->lineCount && !isIgnored; ++i)
	{
		const uint8_t* sides = ignored->sides + (size_t)i * ignored->regionCount;
		const bool isInOrder = (sides[a] & 1) != 0 && (sides[b] & 2) != 0;
		isIgnored = isInOrder || ((sides[b] & 1) != 0 && (sides[a] & 2) != 0);
	}
	return isIgnored;
}

static bool IsBefore(const cliPair* pair, const cliPair* other)
{
	return cliPair_Compare(pair, other) < 0;
}

// By regions, the deepest first.
static int CompareDepths(const void* first, const void* second)
{
	const cliRegionDepth *x = first, *y = second;
	return x->key != y->key ? (x->key < y->key ? -1 : 1) : (x->depth < y->depth) - (x->depth > y->depth);
}

static bool KeepFirst(cliIgnored* ignored, const cliRegions* regions, cliContacts* contacts)
{
	const size_t count = (size_t)contacts->count;
	ignored->first = malloc(count * sizeof(cliPair) + 1);
	ignored->depths = malloc(count * sizeof(cliRegionDepth) + 1);
	if (ignored->first == NULL || ignored->depths == NULL)
	{
		return false;
	}
	if (contacts->near.curveCount > 0)
	{
		cliContacts_KeepCurves(contacts);
		for (size_t i = 0; i < count; ++i)
		{
			const cliPair* pair = contacts->pairs + i;
			ignored->depths[i] = (cliRegionDepth){ cliRegions_GetKey(regions, pair), pair->depth };
		}
		ignored->depthCount = count;
		qsort(ignored->depths, count, sizeof(cliRegionDepth), CompareDepths);
	}
	ignored->firstCount = count;
	if (count > 0)
	{
		memcpy(ignored->first, contacts->pairs, count * sizeof(cliPair));
	}
	return true;
}

static double FindDepthBefore(const cliIgnored* ignored, uint64_t key)
{
	uint64_t low = 0, high = ignored->depthCount;
	while (low < high)
	{
		const uint64_t middle = low + (high - low) / 2;
		const bool isBefore = ignored->depths[middle].key < key;
		low = isBefore ? middle + 1 : low;
		high = isBefore ? high : middle;
	}
	return low < ignored->depthCount && ignored->depths[low].key == key ? ignored->depths[low].depth : 0.0;
}

static void TellDepthsBefore(const cliIgnored* ignored, const cliRegions* regions, cliNear* near)
{
	for (size_t i = 0; i < near->curveCount; ++i)
	{
		cliCurve* curve = near->curves + i;
		for (size_t k = 0; k < curve->pairCount; ++k)
		{
			const cliPair pair = { { curve->bodies[0], curve->bodies[1] }, near->pairs[curve->firstPair + k], 0.0 };
			const double before = FindDepthBefore(ignored, cliRegions_GetKey(regions, &pair));
			curve->depthBefore = before > curve->depthBefore ? before : curve->depthBefore;
		}
	}
}

// Of the first frame nothing is new.
static bool LeaveOutFirst(cliIgnored* ignored, const cliRegions* regions, cliContacts* contacts)
{
	uint64_t kept = 0, at = 0;
	if (ignored->first == NULL && !KeepFirst(ignored, regions, contacts))
	{
		return false;
	}
	if (ignored->depthCount > 0)
	{
		TellDepthsBefore(ignored, regions, &contacts->near);
	}
	for (uint64_t i = 0; i < contacts->count; ++i)
	{
		const cliPair pair = contacts->pairs[i];
		for (; at < ignored->firstCount && IsBefore(ignored->first + at, &pair); ++at)
		{
		}
		if (at == ignored->firstCount || IsBefore(&pair, ignored->first + at))
		{
			contacts->pairs[kept++] = pair;
		}
	}
	contacts->count = kept;
	return true;
}

bool cliIgnored_Filter(cliIgnored* ignored, const cliRegions* regions, cliContacts* contacts)
{
	uint64_t kept = 0;
	for (uint64_t i = 0; i < contacts->count && ignored->lineCount > 0; ++i)
	{
		const cliPair* p = contacts->pairs + i;
		const uint32_t a = cliRegions_Get(regions, p->bodies[0], p->pair.a),
		               b = cliRegions_Get(regions, p->bodies[1], p->pair.b);
		if (!IsIgnored(ignored, a, b))
		{
			contacts->pairs[kept++] = *p;
		}
	}
	contacts->count = ignored->lineCount > 0 ? kept : contacts->count;
	return !ignored->newOnly || LeaveOutFirst(ignored, regions, contacts);
}
