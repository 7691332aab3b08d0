// program/check/brute.h: all intersecting pairs of two triangle soups, without any tree.
//
// The reference for everything else: no bounds to get wrong, no body, no cache. A sweep along x leaves out pairs whose
// boxes are apart (comparisons of given floats, so nothing is rounded); every other pair goes to the exact test.
// Takes about a second for two bodies of 100,000 triangles, and far longer for a million.
#ifndef SHARE_BRUTE_H
#define SHARE_BRUTE_H

#include "snug/snug.h"

#include <string.h>

/// One side of a query: posed positions and the triangles over them. Borrowed.
typedef struct bruteMesh
{
	const float* positions; ///< x, y, z of each vertex
	const uint32_t* triangles;
	uint32_t triangleCount;
} bruteMesh;

static inline void bruteMesh_GetCorners(const bruteMesh* mesh, uint32_t triangle, float corners[3][3])
{
	for (size_t i = 0; i < 3; ++i)
	{
		memcpy(corners[i], mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)triangle + i], 3 * sizeof(float));
	}
}

/// What was found. Free with bruteResult_Free.
typedef struct bruteResult
{
	bool outOfMemory; ///< then the rest is zero
	snugPair* pairs;  ///< sorted by (a, b)
	uint64_t count;
	uint64_t boxTests;
	uint64_t triangleTests;
} bruteResult;

/// Find all pairs of triangles that share a point; touching counts.
bruteResult bruteCollide(const bruteMesh* a, const bruteMesh* b);

/// A test of two triangles.
typedef bool bruteTestFcn(const float a[3][3], const float b[3][3]);

/// The same by another test.
bruteResult bruteCollideBy(const bruteMesh* a, const bruteMesh* b, bruteTestFcn* test);

void bruteResult_Free(bruteResult* result);

/// The order of pairs, by a and then b, for qsort.
int bruteComparePairs(const void* first, const void* second);

#endif
