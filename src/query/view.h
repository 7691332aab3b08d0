// src/query/view.h: one body as a query sees it: placed relative to the query's origin, its bounds made when they are
// first looked at, its leaves as placed triangles.
//
// A view keeps the placed triangles of a few leaves, and overwrites them when it is asked for others. So what it
// returns is valid until it is asked again: sgKeptLeaf says which view and which answer it came from, and triangles are
// read through sgView_Lanes, which checks both. No other code holds a pointer to them: a test reads the sources.
#ifndef SG_VIEW_H
#define SG_VIEW_H

#include "body/body.h"
#include "query/walk.h"
#include "tree/leaf_kernels.h"

// Neighbouring steps meet the same leaves again, so the last few groups of them are kept.
#define SG_LEAF_GROUPS 8

typedef struct sgLeafGroup
{
	sgTriangleLanes triangles[SG_LANES];
	sgLeafSource source; ///< where the vertices of its leaves are
	uint32_t group;
	uint32_t ready; ///< lanes that are evaluated
} sgLeafGroup;

typedef struct sgView
{
	snugBody* body;
	const sgTree* tree;
	sgPlacement placement;
	sgVisits visits;
	uint32_t generation;                    ///< counts leaves that it was asked for, where SG_CHECKED
	sgBoxLanes scratch;                     ///< bounds that found no place in the cache
	sgLeafGroup leafGroups[SG_LEAF_GROUPS]; ///< a group's place is its number modulo SG_LEAF_GROUPS
} sgView;

/// Placed triangles of a leaf, or of several: what a view has returned, valid until it is asked for others.
typedef struct sgKeptLeaf
{
	const sgView* owner;
	const sgTriangleLanes* lanes; ///< for sgView_Lanes alone
	uint32_t generation;          ///< of the owner, then
} sgKeptLeaf;

/// Place a body.
/// @param root receives the box of the root, in body space
/// @return snug_outOfRange, with a message, if it is too far from the origin
snugStatus sgView_Place(sgView* side, snugBody* body, const double origin[3], sgBox* root, snugCounters* counters);

/// The same by sgBody_MakeLoosePlacement.
/// @param around receives a box around the body, in body space
snugStatus sgView_PlaceLoosely(
    sgView* side, snugBody* body, const double origin[3], sgBox* around, snugCounters* counters);

/// Do what the body's strategy does before a query, and place it.
/// @param root receives the box of the root, in body space
/// @return snug_outOfRange, with a message, if it is too far from the origin
snugStatus sgView_Start(sgView* side, snugBody* body, const double origin[3], sgBox* root, snugCounters* counters);

/// The same where the place of the body does not matter: positions stay in body space.
void sgView_StartAlone(sgView* side, snugBody* body, snugCounters* counters);

/// The same body for another thread, with nothing kept yet.
void sgView_Share(sgView* side, const sgView* like);

/// Tell the body what was visited.
void sgView_Finish(sgView* side);

/// Bounds of opened nodes, made now unless they are there; the body remembers that a query needed them.
const sgBoxLanes* sgView_Bounds(sgView* side, const sgOpened* opened, snugCounters* counters);

/// Evaluate and place the triangles of a leaf.
const sgTriangleLanes* sgView_PlaceLeaf(sgView* side, const sgOpened* opened, uint32_t lane, snugCounters* counters);

/// The placed triangles of a leaf. What the view returned before is no longer valid.
static inline sgKeptLeaf sgView_Triangles(sgView* side, const sgOpened* opened, uint32_t lane, snugCounters* counters)
{
	const sgLeafGroup* kept = side->leafGroups + opened->set.group % SG_LEAF_GROUPS;
	bool isReady = kept->group == opened->set.group && (kept->ready >> lane & 1) != 0;
	side->generation += SG_CHECKED;
	const sgTriangleLanes* lanes = isReady ? kept->triangles + lane : sgView_PlaceLeaf(side, opened, lane, counters);
	return (sgKeptLeaf){ side, lanes, side->generation };
}

/// Placed triangles of some leaves that were opened together: sgView_Lanes(...)[lane] are those of one of `lanes`.
sgKeptLeaf sgView_Leaves(sgView* side, const sgOpened* opened, uint32_t lanes, snugCounters* counters);

/// The triangles themselves: look at them now, keep no pointer.
static inline const sgTriangleLanes* sgView_Lanes(const sgView* side, sgKeptLeaf kept)
{
	SG_CHECK(kept.owner == side && kept.generation == side->generation);
	return kept.lanes;
}

/// One triangle of a leaf.
static inline void sgView_GetTriangle(const sgView* side, sgKeptLeaf kept, uint32_t lane, float triangle[3][3])
{
	for (int i = 0; i < 9; ++i)
	{
		triangle[i / 3][i % 3] = sgView_Lanes(side, kept)->corner[i / 3][i % 3][lane];
	}
}

/// Its number, the caller's.
static inline uint32_t sgView_TriangleNumber(const sgView* side, sgKeptLeaf kept, uint32_t lane)
{
	return side->tree->triangleMap[sgView_Lanes(side, kept)->leaf->firstTriangle + lane];
}

#endif
