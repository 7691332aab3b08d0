// papers/bdtree/bd_tree.h: the bounded deformation tree (James, Pai 2004), as printed: spheres or boxes about mean
// centres.
//
// With mean rest position c and mean displacements U_k of a node's vertices, a sphere goes to
//
//     c' = c + sum_k U_k q_k,     R' = R + sum_k dR_k |q_k|,     dR_k = max_i |U_ik - U_k|,
//
// boxes likewise, one axis at a time, along the coordinate axes or the principal axes of a node (section 3.5). Volumes
// are computed when a query first looks at them in a step; a binary tree down to single triangles, traversed by opening
// the larger volume. With the temporal update of section 3.5 a volume that was computed in an earlier step is enlarged
// by max_i |U_i| times how far q went since, as long as that is little, instead of computed anew.
//
// Written for speed, in float32: centre and radius are four numbers, so that a field costs one product and one sum of
// four; the two children of a node are computed together; a vertex is evaluated once in a step, from a table of its
// own, and is the very bits that the library has.
//
// Where the paper says "one flop" for the temporal update there are two: the product and the sum.
#ifndef PAPERS_BD_TREE_H
#define PAPERS_BD_TREE_H

#include "papers/common/binary_tree.h"

typedef enum bdKind
{
	bd_spheres = 0,
	bd_boxes,
	bd_oriented ///< boxes along the principal axes of what is below a node at rest
} bdKind;

typedef struct bdTreeDef
{
	bdKind kind;
	double temporal; ///< enlarge volumes by up to this part of their size before computing them anew; zero: never
} bdTreeDef;

typedef struct bdTree bdTree;
typedef struct bdBody bdBody;

/// @param model snug_fields or snug_rigid; borrowed
/// @return null if there is no memory
bdTree* bdTree_Create(const snugModel* model, const bdTreeDef* def);
void bdTree_Destroy(bdTree* tree);

/// @return the number of nodes, numbered from the root, 0, parents first
uint32_t bdTree_GetNodeCount(const bdTree* tree);
uint32_t bdTree_GetLevel(const bdTree* tree, uint32_t node); ///< the root's is 0

/// The length of (dR_1, ..., dR_M): how much a sphere can grow for amplitudes of unit length.
double bdTree_GetGrowth(const bdTree* tree, uint32_t node);

/// The axes of a node's box: unit vectors, in body space.
void bdTree_GetAxes(const bdTree* tree, uint32_t node, double axes[3][3]);

/// @return null if there is no memory
bdBody* bdBody_Create(const bdTree* tree);
void bdBody_Destroy(bdBody* bd);

/// A new step: amplitudes, as many as the model has fields, of a body that is where its model is.
void bdBody_SetAmplitudes(bdBody* bd, const float* amplitudes);

/// A new step: amplitudes and place of a body of the tree's model.
snugStatus bdBody_Follow(bdBody* bd, snugBody* body);

/// Compute a node's volume, body space. @param extents radius, or half sides along its axes
void bdBody_Bound(const bdBody* bd, uint32_t node, double center[3], double extents[3]);

/// What queries cost in this step; temporal updates are not among the refits.
binaryCounters bdBody_GetCounters(const bdBody* bd);
uint64_t bdBody_GetTemporalUpdates(const bdBody* bd);

/// All pairs of intersecting triangles, by the exact test, not sorted. Both trees of the same kind.
/// @param pairs receives the first `capacity` of them
/// @return how many there are
uint64_t bdCollide(bdBody* a, bdBody* b, snugPair* pairs, uint64_t capacity);

/// All triangles that reach into a ball, not sorted.
uint64_t bdCollideBall(bdBody* bd, const binaryBall* ball, uint32_t* triangles, uint64_t capacity);

#endif
