// test/support/rational.h: exact oracles for the geometry tests, and the seeded random numbers that their tests draw.
//
// The oracles share no code and no algorithm with src/geometry. Rational ones take any finite floats; the integer one
// is far faster, and takes pairs whose coordinates fit a common grid of 27 bits.

#pragma once

#include <stdbool.h>
#include <stdint.h>

// Signs of det[a - d; b - d; c - d] and det[a - c; b - c].
int RationalOrient3D(const float a[3], const float b[3], const float c[3], const float d[3]);
int RationalOrient2D(const float a[2], const float b[2], const float c[2]);

// Computes the extreme points of the intersection as rational points.
bool RationalIntersect(const float a[3][3], const float b[3][3]);

// Is one of those points outside the hull of the corners of `a` that the mask names (bit 3 * i + j: corner i)?
bool RationalIntersectBeyond(const float a[3][3], const float b[3][3], uint32_t shared);

// Looks for a separating axis in 128-bit integers. Returns false if the coordinates do not fit.
bool IntegerIntersect(const float a[3][3], const float b[3][3], bool* intersect);

// The integer oracle where it applies, otherwise the rational one.
bool ExactIntersect(const float a[3][3], const float b[3][3]);

typedef struct Random
{
	uint64_t state;
} Random;

uint64_t RandomBits(Random* random);
int RandomInt(Random* random, int low, int high);          // low <= result <= high
float RandomFloat(Random* random, float low, float high);  // a multiple of (high - low) / 2^24, rounded
float RandomNudge(Random* random, float value, int steps); // moved by up to so many floats either way

// Of support.c.
uint64_t TestSeed(void);  // SNUG_SEED, default 1
int TestCount(int count); // times SNUG_TEST_SCALE, at least 1
