// src/query/neighbours.h: what a search for pairs (pairs.h) does where both bodies are one: a walk over a tree and
// itself.
//
// A step from a node to itself looks at the pairs of its children, each once, and at each child with itself; a step
// from a node to another one is as between two bodies. So every pair of leaves is met once.
//
// Neighbouring leaves always overlap, and neighbouring triangles always touch: nearly all candidates share a corner or
// an edge. The filter in float32 leaves those corners out (leaf_kernels.c), which settles most of them.
#ifndef SG_NEIGHBOURS_H
#define SG_NEIGHBOURS_H

#include "query/pairs.h"

/// Bits 8 i + j with j >= i, and with j = i.
#define SG_UPPER_HALF ((uint64_t)0x80c0e0f0f8fcfeff)
#define SG_DIAGONAL ((uint64_t)0x8040201008040201)

/// The vertex numbers of leaves that a side keeps: each in the place that its triangles have there.
typedef struct sgKeptCorners
{
	const sgLeaf* leaves[SG_LEAF_GROUPS][SG_LANES]; ///< whose corners are here; null: nobody's
	sgCornerLanes corners[SG_LEAF_GROUPS][SG_LANES];
} sgKeptCorners;

struct sgNeighbours
{
	sgKeptCorners ofA, ofB;
};

/// Nothing is kept yet.
/// @return what it was given
sgNeighbours* sgNeighbours_Begin(sgNeighbours* neighbours);

/// Whether it is known that there are no pairs, from the pose and constants of the model alone.
bool sgNeighbours_AreCertified(sgPairSearch* search, snugBody* body);

/// Pairs of lanes that overlap; of a node and itself each once, and every lane with itself.
uint64_t sgNeighbours_Compare(sgPairSearch* search, const sgOpened* a, const sgOpened* b);

/// Queue the pairs of triangles of pairs of leaves, as a step has them, that may meet beyond the corners they share.
void sgNeighbours_Settle(sgPairSearch* search, const sgOpened* openedA, uint32_t lanesA, const sgOpened* openedB,
    uint32_t lanesB, uint64_t ends);

/// A triangle of a leaf in the rest positions of the model, from corner `turn` on.
void sgRestTriangle(const snugModel* model, const sgLeaf* leaf, uint32_t lane, uint32_t turn, float triangle[3][3]);

/// Whether a pair of one body is to be left out, since it meets in the rest positions of the model.
bool sgNeighbours_MeetAtRest(const sgPairSearch* search, const sgQueuedPair* pair);

#endif
