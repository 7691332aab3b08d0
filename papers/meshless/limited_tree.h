// papers/meshless/limited_tree.h: the hierarchy of the meshless papers (Steinemann, Otaduy, Gross 2007 and 2008), as
// printed.
//
// A binary tree down to single triangles. Inner nodes are bounded by Eq. (12) of the 2008 paper: the rest volume is
// transformed by every node's transform and bounded by a k-DOP, and along each direction the greatest weight goes to
// the greatest extreme, the rest to the second. Leaves are bounded by looking at their vertices (section 4.2). What the
// last query visited is refitted before the next one: its front by Eq. (12), what is above it by merging children;
// below it nodes are refitted when a query looks at them. Queries open the larger volume. Plain scalar code. The same
// bottom-up is what the papers' gains are over, in the same code.
//
// Rest volumes: a box along the axes, a box along the principal axes, or a 14-DOP, whose corners are transformed.
// Volumes when posed: boxes, 14-, 18- and 26-DOPs. They are in the world, so frames are part of the transforms.
#ifndef PAPERS_LIMITED_TREE_H
#define PAPERS_LIMITED_TREE_H

#include "papers/common/binary_tree.h"

typedef enum limitedRest
{
	limited_restBox = 0,
	limited_restOriented,
	limited_restDop14
} limitedRest;

typedef enum limitedVolume
{
	limited_box = 0,
	limited_dop14,
	limited_dop18,
	limited_dop26
} limitedVolume;

typedef struct limitedTreeDef
{
	limitedRest rest;
	limitedVolume volume;
	bool boundLeaves; ///< by Eq. (12) too, as in the papers' Fig. 5
	bool onDemand;    ///< no front: refit only what queries look at
	bool bottomUp;    ///< what the papers compare with: all vertices and leaves, then boxes around boxes; no Eq. (12)
	bool rootOnly;    ///< prepare the root alone, for limitedBody_Bound of it
	bool displaces;   ///< nodes only displace (A = I): see limitedBody_Bound
} limitedTreeDef;

#define LIMITED_MAX_SLABS 13

typedef struct limitedTree limitedTree;
typedef struct limitedBody limitedBody;

/// @param model a blend model; borrowed
/// @return null if there is no memory
limitedTree* limitedTree_Create(const snugModel* model, const limitedTreeDef* def);
void limitedTree_Destroy(limitedTree* tree);

/// How many transforms a node's volume is made from.
uint32_t limitedTree_GetTransformCount(const limitedTree* tree, uint32_t node);

/// Directions of a kind of volumes: the first three are the axes. @return their number
uint32_t limitedGetDirections(limitedVolume volume, const int (**directions)[3]);

/// @param body of the tree's model; borrowed
/// @return null if there is no memory
limitedBody* limitedBody_Create(const limitedTree* tree, snugBody* body);
void limitedBody_Destroy(limitedBody* limited);

/// The body was posed or placed: forget everything but what was visited.
/// @return snug_badInput if nodes should only displace, and one does more
snugStatus limitedBody_Begin(limitedBody* limited);

/// What precedes a query: refit the front, and what is above it; bottom-up, everything.
void limitedBody_Prepare(limitedBody* limited);

/// A node's volume by Eq. (12), in the world: from lower to upper along each direction. Of nodes that only displace, v'
/// = v
/// + sum w u: the rest volume, moved by Eq. (12) of the displacements, which is the same for a fraction of the work.
void limitedBody_Bound(
    const limitedBody* limited, uint32_t node, double lower[LIMITED_MAX_SLABS], double upper[LIMITED_MAX_SLABS]);

/// The box around all vertices, by evaluating them: what Eq. (12) saves.
void limitedBody_BoundVertices(limitedBody* limited, double lower[3], double upper[3]);

/// The vertices that it evaluated.
const binaryLeaves* limitedBody_GetLeaves(const limitedBody* limited);

/// What was done since limitedBody_Begin.
binaryCounters limitedBody_GetCounters(const limitedBody* limited);

/// All pairs of intersecting triangles, by the exact test, not sorted. Both trees of the same kind.
/// @return how many there are; the first `capacity` are in `pairs`
uint64_t limitedCollide(limitedBody* a, limitedBody* b, snugPair* pairs, uint64_t capacity);

#endif
