// lab/scenes/random.h: a small generator of random numbers whose sequence is the same everywhere.
//
// splitmix64 (Steele, Lea, Flood 2014): a counter run through a mixing function. Any seed is a good one, and two
// generators with different seeds are independent enough for scenes.
#ifndef SCENES_RANDOM_H
#define SCENES_RANDOM_H

#include <stdint.h>

typedef struct sceneRandom
{
	uint64_t state; ///< the seed, at first
} sceneRandom;

static inline uint64_t sceneRandom_Next(sceneRandom* random)
{
	random->state += 0x9e3779b97f4a7c15u;
	uint64_t z = random->state;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/// @return a number in [0, 1) with 53 random bits, exactly representable
static inline double sceneRandom_Unit(sceneRandom* random)
{
	return (double)(sceneRandom_Next(random) >> 11) * (1.0 / 9007199254740992.0);
}

static inline double sceneRandom_Range(sceneRandom* random, double lower, double upper)
{
	return lower + (upper - lower) * sceneRandom_Unit(random);
}

/// @return a number in [0, count), count > 0. The bias, below count / 2^64, does not matter here.
static inline uint32_t sceneRandom_Index(sceneRandom* random, uint32_t count)
{
	return (uint32_t)(sceneRandom_Next(random) % count);
}

/// @return a number in [low, high]
static inline int sceneRandom_Int(sceneRandom* random, int low, int high)
{
	return low + (int)sceneRandom_Index(random, (uint32_t)(high - low + 1));
}

#endif
