#include "program/prove/outcome.h"

#include "program/files/sha256.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of a step: a part of it is counted by double precision exactly.
#define MAX_HALVINGS 30

// ---- Heads -----------------------------------------------------------------------------------------------------

size_t proveOutcome_PrintHead(size_t step, const char* digest, const char* claims, size_t length, char head[256])
{
	char own[65];
	cliSha256(claims, length, own);
	return (size_t)snprintf(head, 256, "snug step %zu of %s %s\n", step, digest, own);
}

size_t proveOutcome_FindClaims(const char* file, size_t length, size_t step, const char* digest)
{
	char head[256];
	const char* end = length > 0 ? memchr(file, '\n', length) : NULL;
	const size_t start = end != NULL ? (size_t)(end - file) + 1 : 0;
	const bool isWhole = end != NULL &&
	                     proveOutcome_PrintHead(step, digest, file + start, length - start, head) == start &&
	                     memcmp(head, file, start) == 0;
	return isWhole ? start : 0;
}

// ---- Claims ----------------------------------------------------------------------------------------------------

typedef struct reader
{
	const char *at, *end;
	const proveBlock* block;
	proveOutcome* outcome;
} reader;

// From part / 2^halvings of a step on.
typedef struct interval
{
	uint64_t part;
	int halvings;
} interval;

// A time in a step, as the checker's fractions have it, in double precision: products and their sum are added up with
// what rounding leaves of each.
static double FindTime(const proveBlock* block, uint64_t part, int halvings)
{
	const double whole = ldexp(1.0, halvings), after = (double)part, before = whole - after;
	const double a = block->start * before, b = block->end * after, sum = a + b, rest = sum - a;
	const double lost = fma(block->start, before, -a) + fma(block->end, after, -b);
	return ldexp(sum + (((a - (sum - rest)) + (b - rest)) + lost), -halvings);
}

static bool AddPart(reader* r, interval t, proveVerdict verdict)
{
	proveOutcome* outcome = r->outcome;
	if (outcome == NULL || outcome->failed)
	{
		return outcome == NULL;
	}
	if (outcome->count == outcome->capacity)
	{
		const size_t wanted = 2 * outcome->capacity + 64;
		provePart* grown = realloc(outcome->parts, wanted * sizeof(provePart));
		outcome->failed = grown == NULL;
		if (grown == NULL)
		{
			return false;
		}
		outcome->parts = grown;
		outcome->capacity = wanted;
	}
	const double start = FindTime(r->block, t.part, t.halvings), end = FindTime(r->block, t.part + 1, t.halvings);
	outcome->parts[outcome->count++] = (provePart){ start, end, verdict };
	return true;
}

/// @return its length; 0 at the end of the line
static size_t TakeWord(reader* r, const char** word)
{
	*word = r->at;
	while (r->at < r->end && *r->at != ' ' && *r->at != '\n')
	{
		++r->at;
	}
	const size_t length = (size_t)(r->at - *word);
	r->at += r->at < r->end && *r->at == ' ';
	return length;
}

static bool TakeNumbers(reader* r, int count)
{
	for (int i = 0; i < count; ++i)
	{
		const char* word;
		const size_t length = TakeWord(r, &word), sign = length > 0 && *word == '-';
		for (size_t k = sign; k < length; ++k)
		{
			if (word[k] < '0' || word[k] > '9')
			{
				return false;
			}
		}
		if (length == sign)
		{
			return false;
		}
	}
	return true;
}

static bool ReadNode(reader* r, uint32_t a, uint32_t b, interval t);
static bool ReadOwn(reader* r, uint32_t a, interval t);

// What halves the time, or says something about it.
static bool ReadTime(reader* r, char claim, uint32_t a, uint32_t b, interval t, bool isOwn)
{
	if (claim != 'h')
	{
		return claim == '?' ? AddPart(r, t, prove_unknown)
		                    : claim == 'm' && TakeNumbers(r, 3) && AddPart(r, t, prove_meets);
	}
	bool good = t.halvings < MAX_HALVINGS;
	for (uint64_t half = 0; good && half < 2; ++half)
	{
		const interval part = { 2 * t.part + half, t.halvings + 1 };
		good = isOwn ? ReadOwn(r, a, part) : ReadNode(r, a, b, part);
	}
	return good;
}

// So many triangles and so many others.
static bool ReadNode(reader* r, uint32_t a, uint32_t b, interval t)
{
	const char* claim;
	if (TakeWord(r, &claim) != 1)
	{
		return false;
	}
	switch (*claim)
	{
		case 'a':
			return a > 1 && ReadNode(r, a / 2, b, t) && ReadNode(r, a - a / 2, b, t);
		case 'b':
			return b > 1 && ReadNode(r, a, b / 2, t) && ReadNode(r, a, b - b / 2, t);
		case 'd':
			return TakeNumbers(r, 3);
		case 'e':
		case 'n':
		case 'v':
			return r->block->isSelf && TakeNumbers(r, 3);
		case 'x':
			return a == 1 && b == 1;
		default:
			return ReadTime(r, *claim, a, b, t, false);
	}
}

// Triangles of one body among themselves.
static bool ReadOwn(reader* r, uint32_t a, interval t)
{
	const char* claim;
	if (a < 2)
	{
		return true;
	}
	if (TakeWord(r, &claim) != 1)
	{
		return false;
	}
	return *claim == 'n'   ? TakeNumbers(r, 3)
	       : *claim == 'a' ? ReadOwn(r, a / 2, t) && ReadOwn(r, a - a / 2, t) && ReadNode(r, a / 2, a - a / 2, t)
	                       : ReadTime(r, *claim, a, 0, t, true);
}

size_t proveOutcome_Read(proveOutcome* outcome, const char* text, size_t length, const proveBlock* block)
{
	char head[64];
	const size_t start = (size_t)snprintf(head, sizeof(head), "step %zu %zu\n", block->step, block->pair);
	if (length < start || memcmp(text, head, start) != 0)
	{
		return 0;
	}
	reader r = { text + start, text + length, block, outcome };
	const interval all = { 0, 0 };
	const bool good = block->a == 0   ? true
	                  : block->isSelf ? ReadOwn(&r, block->a, all)
	                  : block->b == 0 ? true
	                                  : ReadNode(&r, block->a, block->b, all);
	const bool isWhole = good && r.at < r.end && *r.at == '\n';
	return isWhole ? (size_t)(r.at - text) + 1 : 0;
}

// ---- Times -----------------------------------------------------------------------------------------------------

// Where a part begins or ends.
typedef struct border
{
	double time;
	int change;
	proveVerdict verdict;
} border;

static int CompareBorders(const void* first, const void* second)
{
	const border *x = first, *y = second;
	return (x->time > y->time) - (x->time < y->time);
}

bool proveOutcome_Finish(proveOutcome* outcome, double start, double end)
{
	const size_t count = 2 * outcome->count;
	border* borders = malloc(count * sizeof(border) + 1);
	provePart* parts = malloc((count + 1) * sizeof(provePart));
	const bool good = borders != NULL && parts != NULL && !outcome->failed;
	size_t made = 0;
	int open[3] = { 0 };
	double from = start;
	for (size_t i = 0; good && i < count; ++i)
	{
		const provePart* part = outcome->parts + i / 2;
		borders[i] = (border){ i % 2 == 0 ? part->start : part->end, i % 2 == 0 ? 1 : -1, part->verdict };
	}
	if (good && count > 0)
	{
		qsort(borders, count, sizeof(border), CompareBorders);
	}
	for (size_t i = 0; good && i <= count; ++i)
	{
		const double to = i < count ? borders[i].time : end;
		if (to > from)
		{
			const proveVerdict verdict = open[prove_meets] > 0     ? prove_meets
			                             : open[prove_unknown] > 0 ? prove_unknown
			                                                       : prove_free;
			made += made == 0 || parts[made - 1].verdict != verdict;
			parts[made - 1] = (provePart){ made > 1 ? parts[made - 2].end : start, to, verdict };
			from = to;
		}
		if (i < count)
		{
			open[borders[i].verdict] += borders[i].change;
		}
	}
	free(borders);
	free(good ? outcome->parts : parts);
	outcome->parts = good ? parts : outcome->parts;
	outcome->count = good ? made : 0;
	outcome->failed = !good;
	return good;
}
