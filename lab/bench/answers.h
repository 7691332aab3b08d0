// lab/bench/answers.h: the pairs of every frame of a scene: the same for every method, or the report fails.
//
// The first method sets the answers, the others are compared with them, and so is brute force in some frames.
#ifndef BENCH_ANSWERS_H
#define BENCH_ANSWERS_H

#include "lab/bench/report.h"
#include "program/check/brute.h"

#define BENCH_MAX_FRAMES 128

typedef struct benchAnswers
{
	char name[64]; ///< of the scene, for messages
	int frameCount;
	bool isSet; ///< by a method that has run through all frames
	uint64_t counts[BENCH_MAX_FRAMES];
	uint64_t hashes[BENCH_MAX_FRAMES];
	snugPair* pairs; ///< room for the pairs of one frame
	uint64_t capacity;
} benchAnswers;

/// @return false, with the report failed, if there is no memory
bool benchAnswers_Create(benchAnswers* answers, const char* name, int frameCount, benchReport* report);
void benchAnswers_Free(benchAnswers* answers);

/// Take, or compare, what a method found in a frame: `count` pairs, sorted, in `pairs`.
void benchAnswers_Check(benchAnswers* answers, int frame, uint64_t count, const char* method, benchReport* report);

/// Sort pairs `first` to before `end`.
void benchAnswers_Sort(benchAnswers* answers, uint64_t first, uint64_t end);

/// @return mean number of pairs per frame
double benchAnswers_GetMean(const benchAnswers* answers);

/// @return the frame with the most pairs, the first of them
int benchAnswers_GetPeak(const benchAnswers* answers);

/// @return the hash of the pairs of all frames
uint64_t benchAnswers_GetHash(const benchAnswers* answers);

#endif
