// papers/meshless/spatial_hash.h: intersecting triangles of two bodies by hashing cells of a grid (Teschner et al.
// 2003).
//
// Loading enters every triangle of the first body into the cells that its box touches; querying looks up the cells that
// each triangle of the second body touches. As in the paper: an infinite grid hashed to a table, stamps instead of
// clearing, so that only touched cells cost anything. Beyond the paper, to be fair to it: triangles outside the part
// that both bodies' boxes share are left out, the triangles of a cell lie side by side, cells that share a table's
// entry are told apart, and a pair is tested in one cell only, the first that both boxes touch.
//
// A coordinate's cell is a monotone function of it, so boxes that overlap share a cell, whatever rounding does: no pair
// is missed. The triangle test is the exact one, so pairs are those of snugCollide at the same positions.
#ifndef PAPERS_SPATIAL_HASH_H
#define PAPERS_SPATIAL_HASH_H

#include "program/check/brute.h"

typedef struct spatialHash spatialHash;

/// What a query cost.
typedef struct spatialHashCounters
{
	uint64_t entries; ///< triangles of the first body, times cells that they touch
	uint64_t lookups; ///< the same of the second
	uint64_t boxTests;
	uint64_t triangleTests;
} spatialHashCounters;

/// @return null if there is no memory
spatialHash* spatialHash_Create(void);
void spatialHash_Destroy(spatialHash* hash);

/// @return the mean length of the triangles' edges: about the best size of cells, to be tuned by a factor
double spatialHash_GetMeanEdge(const bruteMesh* mesh);

/// Load the first body. Both meshes are borrowed until after the query.
/// @param cellSize positive; enlarged if the shared part would have more than 1,023 cells along an axis
/// @return false if there is no memory
bool spatialHash_Load(spatialHash* hash, const bruteMesh* a, const bruteMesh* b, double cellSize);

/// Find all pairs.
/// @param pairs receives the first `capacity` pairs found, sorted by (a, b) if there is room for all
/// @return number of pairs, possibly above capacity
uint64_t spatialHash_Query(spatialHash* hash, snugPair* pairs, uint64_t capacity, spatialHashCounters* counters);

#endif
