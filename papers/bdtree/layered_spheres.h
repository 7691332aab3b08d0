// papers/bdtree/layered_spheres.h: a layered sphere hierarchy, updated as a whole (Brown et al. 2001): what the BD-tree
// paper compares with.
//
// Leaves have the smallest sphere around a triangle, inner nodes the smallest around their children's spheres. After
// every deformation all vertices are evaluated and all spheres computed anew, from the leaves up. A binary tree with a
// triangle per leaf; queries open the larger sphere.
#ifndef PAPERS_LAYERED_SPHERES_H
#define PAPERS_LAYERED_SPHERES_H

#include "papers/common/binary_tree.h"

typedef struct layeredSpheres layeredSpheres;

/// @param model borrowed
/// @return null if there is no memory
layeredSpheres* layeredSpheres_Create(const snugModel* model);
void layeredSpheres_Destroy(layeredSpheres* spheres);

/// Compute all spheres.
/// @param positions of all vertices, x y z each, in the model's order; borrowed until the next call
void layeredSpheres_Update(layeredSpheres* spheres, const float* positions);

/// The radius of a node.
double layeredSpheres_GetRadius(const layeredSpheres* spheres, uint32_t node);

/// What a query cost.
typedef struct layeredCounters
{
	uint64_t sphereTests;
	uint64_t triangleTests;
} layeredCounters;

/// All pairs of intersecting triangles, by the exact test, not sorted.
/// @param pairs receives the first `capacity` of them
/// @return how many there are
uint64_t layeredSpheres_Collide(
    const layeredSpheres* a, const layeredSpheres* b, snugPair* pairs, uint64_t capacity, layeredCounters* counters);

/// All triangles that reach into a ball, not sorted.
/// @param triangles receives the first `capacity` of them, the caller's numbers
/// @return how many there are
uint64_t layeredSpheres_CollideBall(const layeredSpheres* spheres, const binaryBall* ball, uint32_t* triangles,
    uint64_t capacity, layeredCounters* counters);

#endif
