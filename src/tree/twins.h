// src/tree/twins.h: twins: vertices that are at the same point in every pose.
//
// Meshes repeat vertices, at seams of texture coordinates and at hard edges. Whoever walks over a surface, across its
// edges, has to know which vertices are one point. Twins have the same rest position and the same rows: influences of
// joints, displacements. Numbers are compared as numbers: 0 and -0 are the same, as they are in every sum and product
// that follows.
//
// Every vertex has a twin: the first one, in tree order, that it is the same as; often itself.
#ifndef SG_TWINS_H
#define SG_TWINS_H

#include "tree/rows.h"

#define SG_ROW_KINDS 2

/// What decides which vertices are twins.
typedef struct sgTwinsInput
{
	const float* positions; ///< (3 vertexCount)
	uint32_t vertexCount;
	sgRows rows[SG_ROW_KINDS];
} sgTwinsInput;

/// Find the twins of all vertices: n log n comparisons at most, whatever the mesh; the same on every machine.
/// @param twins receives (vertexCount) numbers, allocated; or null if every vertex is its own
snugStatus sgTwins_Build(
    const sgTwinsInput* input, const snugAllocator* allocator, const sgTeam* team, uint32_t** twins);

/// Check twins that come from a file: each is the first of its kind and the same as those that name it. That none is
/// missing is not checked.
/// @return null if all is well, or what is wrong
const char* sgTwins_Check(const sgTwinsInput* input, const uint32_t* twins);

static inline size_t sgTwins_Bytes(uint32_t vertexCount)
{
	return (size_t)vertexCount * sizeof(uint32_t);
}

#endif
