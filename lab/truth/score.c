#include "lab/truth/score.h"

#include "program/check/brute.h"

#include <stdlib.h>
#include <string.h>

truthScore truthScore_Pairs(const truthFile* wanted, const truthFile* found, uint64_t first, uint64_t count)
{
	truthScore score = { .asked = count };
	for (uint64_t i = first; i < first + count; ++i)
	{
		bool is = truthFile_GetBit(wanted, i), said = truthFile_GetBit(found, i);
		score.wanted += is;
		score.missed += is && !said;
		score.invented += !is && said;
	}
	return score;
}

/// Pairs in order, each once.
typedef struct sortedPairs
{
	snugPair* pairs;
	uint64_t count;
} sortedPairs;

static bool Sort(sortedPairs* sorted, const uint8_t* bytes, uint64_t count)
{
	sorted->pairs = malloc((size_t)count * sizeof(snugPair) + 1);
	sorted->count = 0;
	if (sorted->pairs == NULL)
	{
		return false;
	}
	memcpy(sorted->pairs, bytes, (size_t)count * sizeof(snugPair));
	qsort(sorted->pairs, (size_t)count, sizeof(snugPair), bruteComparePairs);
	for (uint64_t i = 0; i < count; ++i)
	{
		if (i == 0 || bruteComparePairs(&sorted->pairs[i - 1], &sorted->pairs[i]) != 0)
		{
			sorted->pairs[sorted->count++] = sorted->pairs[i];
		}
	}
	return true;
}

static void AddFrame(truthScore* score, const sortedPairs* wanted, const sortedPairs* found)
{
	uint64_t i = 0, j = 0;
	score->wanted += wanted->count;
	while (i < wanted->count || j < found->count)
	{
		int order = i == wanted->count  ? 1
		            : j == found->count ? -1
		                                : bruteComparePairs(wanted->pairs + i, found->pairs + j);
		score->missed += order < 0;
		score->invented += order > 0;
		i += order <= 0;
		j += order >= 0;
	}
}

bool truthScore_Frames(truthScore* score, uint64_t* worst, const truthFile* wanted, const truthFile* found)
{
	const uint8_t *atWanted = NULL, *atFound = NULL, *bytes[2];
	uint64_t counts[2], most = 0;
	bool good = true;
	*score = (truthScore){ .asked = wanted->count };
	*worst = 0;
	for (uint64_t f = 0; f < wanted->count && good; ++f)
	{
		sortedPairs is = { NULL, 0 }, said = { NULL, 0 };
		atWanted = truthFile_NextFrame(wanted, atWanted, &bytes[0], &counts[0]);
		atFound = truthFile_NextFrame(found, atFound, &bytes[1], &counts[1]);
		uint64_t before = score->missed + score->invented;
		good = Sort(&is, bytes[0], counts[0]) && Sort(&said, bytes[1], counts[1]);
		if (good)
		{
			AddFrame(score, &is, &said);
		}
		uint64_t differences = score->missed + score->invented - before;
		*worst = differences > most ? f : *worst;
		most = differences > most ? differences : most;
		free(is.pairs);
		free(said.pairs);
	}
	return good;
}
