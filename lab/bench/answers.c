#include "lab/bench/answers.h"

#include "lab/scenes/pair_hash.h"

#include <stdlib.h>

bool benchAnswers_Create(benchAnswers* answers, const char* name, int frameCount, benchReport* report)
{
	*answers = (benchAnswers){ .frameCount = frameCount, .capacity = 1 << 18 };
	snprintf(answers->name, sizeof(answers->name), "%s", name);
	answers->pairs = malloc((size_t)answers->capacity * sizeof(snugPair));
	if (answers->pairs == NULL || frameCount > BENCH_MAX_FRAMES)
	{
		benchReport_Fail(report, "%s: out of memory, or too many frames", name);
		benchAnswers_Free(answers);
		return false;
	}
	return true;
}

void benchAnswers_Free(benchAnswers* answers)
{
	free(answers->pairs);
	*answers = (benchAnswers){ .pairs = NULL };
}

void benchAnswers_Check(benchAnswers* answers, int frame, uint64_t count, const char* method, benchReport* report)
{
	if (count > answers->capacity)
	{
		benchReport_Fail(report, "%s: more pairs than there is room for", answers->name);
		return;
	}
	uint64_t hash = sceneHash_Pairs(SCENE_HASH_START, answers->pairs, count);
	if (!answers->isSet)
	{
		answers->hashes[frame] = hash;
		answers->counts[frame] = count;
	}
	else if (answers->hashes[frame] != hash || answers->counts[frame] != count)
	{
		benchReport_Fail(report, "%s, frame %d: %s finds %llu pairs and another method %llu, or other ones",
		    answers->name, frame, method, (unsigned long long)count, (unsigned long long)answers->counts[frame]);
	}
}

void benchAnswers_Sort(benchAnswers* answers, uint64_t first, uint64_t end)
{
	end = end < answers->capacity ? end : answers->capacity;
	if (first < end)
	{
		qsort(answers->pairs + first, (size_t)(end - first), sizeof(snugPair), bruteComparePairs);
	}
}

double benchAnswers_GetMean(const benchAnswers* answers)
{
	double sum = 0.0;
	for (int f = 0; f < answers->frameCount; ++f)
	{
		sum += (double)answers->counts[f];
	}
	return sum / (double)answers->frameCount;
}

int benchAnswers_GetPeak(const benchAnswers* answers)
{
	int peak = 0;
	for (int f = 1; f < answers->frameCount; ++f)
	{
		peak = answers->counts[f] > answers->counts[peak] ? f : peak;
	}
	return peak;
}

uint64_t benchAnswers_GetHash(const benchAnswers* answers)
{
	uint64_t hash = SCENE_HASH_START;
	for (int f = 0; f < answers->frameCount; ++f)
	{
		hash = sceneHash_Word(hash, (uint32_t)answers->hashes[f]);
		hash = sceneHash_Word(hash, (uint32_t)(answers->hashes[f] >> 32));
	}
	return hash;
}
