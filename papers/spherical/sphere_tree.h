// papers/spherical/sphere_tree.h: the sphere tree of the skinning papers (Kavan, Zara 2005; Kavan, O'Sullivan, Zara
// 2006), corrected.
//
// A binary tree of balls over single triangles, of the smallest ones around the rest positions. Nodes that are hardly
// smaller than what is above them are pruned, which leaves nodes with more than two children. In a pose a node is
// refitted when a query first looks at it, from its rest ball, its joint sets and the corners of their weights:
// Algorithm 1 of the 2006 paper with the corrections of docs/bounds/joint-sets.md, its forerunner for linear blending,
// and a counterpart for dual quaternions. Plain scalar code in double, as theirs was: a baseline for what src/deform
// does.
//
// Where a joint set has more than CORNER_JOINTS joints, their own weights 1 take the place of corners: valid,
// and loose. Displacement fields and joints that scale are beyond the papers: sphereBody_Update refuses them.
#ifndef PAPERS_SPHERE_TREE_H
#define PAPERS_SPHERE_TREE_H

#include "papers/common/binary_tree.h"

typedef struct sphereTree sphereTree;
typedef struct sphereBody sphereBody;

typedef struct sphereBall
{
	double center[3];
	double radius;
} sphereBall;

typedef struct sphereCounters
{
	uint64_t nodesRefitted, volumeTests, triangleTests, verticesEvaluated;
} sphereCounters;

/// @param model a skin; borrowed
/// @return null if there is no memory
sphereTree* sphereTree_Create(const snugModel* model, double prune);
void sphereTree_Destroy(sphereTree* tree);

/// Nodes are numbered from the root, 0, level by level.
uint32_t sphereTree_GetNodeCount(const sphereTree* tree);
uint32_t sphereTree_GetLevel(const sphereTree* tree, uint32_t node); ///< the root's is 0

/// The node's number before pruning, in the binary tree over the model.
uint32_t sphereTree_GetWhole(const sphereTree* tree, uint32_t node);
sphereBall sphereTree_GetRestBall(const sphereTree* tree, uint32_t node);

/// @param body of the tree's model: its pose and place are read; borrowed
/// @return null if there is no memory
sphereBody* sphereBody_Create(const sphereTree* tree, snugBody* body);
void sphereBody_Destroy(sphereBody* spheres);

/// The body was posed or placed: what is known of it is stale.
/// @return snug_badInput if its pose is beyond the papers
snugStatus sphereBody_Update(sphereBody* spheres);

/// Refit everything from the leaves up (Brown et al. 2001): evaluate all vertices, then enclose children.
void sphereBody_RefitBottomUp(sphereBody* spheres);

/// A node's ball in body space, refitted if it is stale.
sphereBall sphereBody_Refit(sphereBody* spheres, uint32_t node);

/// Whether a node was refitted since the last update.
bool sphereBody_IsFresh(const sphereBody* spheres, uint32_t node);
sphereCounters sphereBody_GetCounters(const sphereBody* spheres); ///< since the last update

/// Find pairs of intersecting triangles, or just one.
/// @param pairs receives them, sorted
/// @return how many there are, possibly more than `capacity`
uint64_t sphereCollide(sphereBody* a, sphereBody* b, bool stopsAtFirst, snugPair* pairs, uint64_t capacity);

#endif
