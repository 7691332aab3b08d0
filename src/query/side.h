// src/query/side.h: one body as a query sees it: placed relative to the query's origin, its bounds made when they are
// first looked at, its leaves as placed triangles.
#ifndef SG_SIDE_H
#define SG_SIDE_H

#include "body/body.h"
#include "query/walk.h"
#include "tree/leaf_kernels.h"

// Neighbouring steps meet the same leaves again, so the last few groups of them are kept.
#define SG_LEAF_GROUPS 4

typedef struct sgLeafGroup
{
	sgTriangleLanes triangles[SG_LANES];
	sgLeafSource source; ///< where the vertices of the leaf looked at last are, and those of its siblings
	uint32_t group;
	uint32_t ready; ///< lanes that are evaluated
} sgLeafGroup;

typedef struct sgSide
{
	snugBody* body;
	const sgTree* tree;
	sgPlacement placement;
	sgVisits visits;
	sgBoundsScratch scratch;                ///< bounds that found no place in the cache
	sgLeafGroup leafGroups[SG_LEAF_GROUPS]; ///< a group's place is its number modulo SG_LEAF_GROUPS
} sgSide;

/// Place a body.
/// @param root receives the box of the root, in body space
/// @return snug_outOfRange, with a message, if it is too far from the origin
snugStatus sgSide_Place(sgSide* side, snugBody* body, const double origin[3], sgBox* root, snugCounters* counters);

/// The same by sgBody_MakeLoosePlacement.
/// @param around receives a box around the body, in body space
snugStatus sgSide_PlaceLoosely(
    sgSide* side, snugBody* body, const double origin[3], sgBox* around, snugCounters* counters);

/// Do what the body's strategy does before a query, and place it.
/// @param root receives the box of the root, in body space
/// @return snug_outOfRange, with a message, if it is too far from the origin
snugStatus sgSide_Start(sgSide* side, snugBody* body, const double origin[3], sgBox* root, snugCounters* counters);

/// The same where it is of no account where the body is: positions stay in body space.
void sgSide_StartAlone(sgSide* side, snugBody* body, snugCounters* counters);

/// The same body for another thread, with nothing kept yet.
void sgSide_Share(sgSide* side, const sgSide* like);

/// Tell the body what was visited.
void sgSide_Finish(sgSide* side);

/// Bounds of opened nodes, made now unless they are there; the body remembers that a query needed them.
sgBounds sgSide_Bounds(sgSide* side, const sgOpened* opened, snugCounters* counters);

/// Evaluate and place the triangles of a leaf.
const sgTriangleLanes* sgSide_PlaceLeaf(sgSide* side, const sgOpened* opened, uint32_t lane, snugCounters* counters);

/// The placed triangles of a leaf.
static inline const sgTriangleLanes* sgSide_Triangles(
    sgSide* side, const sgOpened* opened, uint32_t lane, snugCounters* counters)
{
	const sgLeafGroup* kept = side->leafGroups + opened->set.group % SG_LEAF_GROUPS;
	bool isReady = kept->group == opened->set.group && (kept->ready >> lane & 1) != 0;
	return isReady ? kept->triangles + lane : sgSide_PlaceLeaf(side, opened, lane, counters);
}

/// One triangle of a leaf.
static inline void sgTriangleLanes_Get(const sgTriangleLanes* lanes, uint32_t lane, float triangle[3][3])
{
	for (int i = 0; i < 9; ++i)
	{
		triangle[i / 3][i % 3] = lanes->corner[i / 3][i % 3][lane];
	}
}

/// The vertex at a corner of a placed triangle, in tree order.
static inline uint32_t sgSide_Vertex(const sgSide* side, const sgTriangleLanes* lanes, int corner, uint32_t triangle)
{
	const sgLeaf* leaf = lanes->leaf;
	return side->tree->leafVertices[leaf->firstVertex + leaf->corners[corner][triangle]];
}

#endif
