// lab/truth/hard.h: pairs of triangles that are hard to decide, by family: degenerate, touching, coplanar, nearly so,
// with shared corners, far from the origin, tiny, huge. All coordinates are finite floats, the same bits everywhere.
#ifndef TRUTH_HARD_H
#define TRUTH_HARD_H

#include <stdint.h>

typedef struct hardPair
{
	float a[3][3];
	float b[3][3];
} hardPair;

#define HARD_FAMILIES 16

const char* hardGetFamilyName(int family);

/// The pair of a family with a number: another for every seed and number.
hardPair hardMakePair(int family, uint64_t seed, uint64_t number);

#endif
