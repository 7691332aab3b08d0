#include "program/check/kept.h"

#include <stdlib.h>

bool cliKept_Begin(cliKept* kept, uint64_t total, uint64_t limit)
{
	*kept = (cliKept){ .total = total, .limit = limit < total ? limit : total };
	kept->frames = calloc((size_t)kept->limit + 1, sizeof(cliKeptFrame));
	return kept->frames != NULL;
}

void cliKept_Free(cliKept* kept)
{
	for (size_t i = 0; i < kept->count; ++i)
	{
		free(kept->frames[i].touching);
	}
	free(kept->frames);
	free(kept->extra.touching);
	*kept = (cliKept){ .frames = NULL };
}

int cliCompareKeys(const void* first, const void* second)
{
	uint64_t x = *(const uint64_t*)first, y = *(const uint64_t*)second;
	return (x > y) - (x < y);
}

static bool Take(cliKeptFrame* to, uint64_t frame, double time, double depth, const cliContacts* contacts)
{
	uint64_t* keys = malloc(2 * (size_t)contacts->count * sizeof(uint64_t) + 1);
	size_t count = 0;
	if (keys == NULL)
	{
		return false;
	}
	for (size_t i = 0; i < contacts->count; ++i)
	{
		const cliPair* pair = contacts->pairs + i;
		keys[2 * i] = (uint64_t)pair->bodies[0] << 32 | pair->pair.a;
		keys[2 * i + 1] = (uint64_t)pair->bodies[1] << 32 | pair->pair.b;
	}
	qsort(keys, 2 * (size_t)contacts->count, sizeof(uint64_t), cliCompareKeys);
	for (size_t i = 0; i < 2 * (size_t)contacts->count; ++i)
	{
		if (count == 0 || keys[i] != keys[count - 1])
		{
			keys[count++] = keys[i];
		}
	}
	free(to->touching);
	uint64_t* less = realloc(keys, count * sizeof(uint64_t) + 1);
	*to = (cliKeptFrame){ frame, time, contacts->count, depth, less != NULL ? less : keys, count };
	return true;
}

// Of the run's frames the first in each of `limit` equal parts.
static bool IsWanted(const cliKept* kept, uint64_t frame)
{
	return frame == 0 || frame * kept->limit / kept->total != (frame - 1) * kept->limit / kept->total;
}

// Among frames without depth pairs count.
static bool IsWorse(double depth, uint64_t pairs, double thanDepth, uint64_t thanPairs)
{
	return depth > thanDepth || (depth == 0.0 && thanDepth == 0.0 && pairs > thanPairs);
}

bool cliKept_Add(cliKept* kept, uint64_t frame, double time, const cliContacts* contacts)
{
	const double depth = kept->byDepth ? cliNear_GetDepth(&contacts->near) : 0.0;
	const bool isWorst = IsWorse(depth, contacts->count, kept->mostDepth, kept->mostPairs);
	kept->mostPairs = isWorst ? contacts->count : kept->mostPairs;
	kept->mostDepth = isWorst ? depth : kept->mostDepth;
	if (IsWanted(kept, frame) && kept->count < kept->limit)
	{
		if (isWorst)
		{
			free(kept->extra.touching);
			kept->extra = (cliKeptFrame){ .touching = NULL };
		}
		return Take(&kept->frames[kept->count++], frame, time, depth, contacts);
	}
	return !isWorst || Take(&kept->extra, frame, time, depth, contacts);
}

void cliKept_Finish(cliKept* kept)
{
	if (kept->extra.touching != NULL)
	{
		size_t at = kept->count++;
		for (; at > 0 && kept->frames[at - 1].frame > kept->extra.frame; --at)
		{
			kept->frames[at] = kept->frames[at - 1];
		}
		kept->frames[at] = kept->extra;
		kept->extra = (cliKeptFrame){ .touching = NULL };
	}
	for (size_t i = 1; i < kept->count; ++i)
	{
		const cliKeptFrame *frame = kept->frames + i, *worst = kept->frames + kept->worst;
		kept->worst = IsWorse(frame->depth, frame->pairs, worst->depth, worst->pairs) ? i : kept->worst;
	}
}
