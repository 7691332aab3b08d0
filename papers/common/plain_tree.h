// papers/common/plain_tree.h: what a good programmer writes in a day: one box tree per mesh, refitted from all vertices
// every frame, both trees descended together, triangles compared in double. No library is needed for it, so a library
// should be much faster.
//
// Built once by medians, binary, up to four triangles a leaf; boxes are vectors of four; triangles lie in the order of
// the tree, with their corners' numbers beside them. The triangle test is in double and rounds: nearly all pairs are
// right, those that touch, lie in one plane or have no area need not be. It stays as it is, so that times can be
// compared over versions.
#ifndef PAPERS_PLAIN_TREE_H
#define PAPERS_PLAIN_TREE_H

#include "snug/snug.h"

typedef struct plainTree plainTree;

/// @param positions x, y, z of each vertex at rest, for the splits
/// @return null if there is no memory
plainTree* plainTree_Create(const float* positions, const uint32_t* triangles, uint32_t triangleCount);

/// @param tree nullable
void plainTree_Destroy(plainTree* tree);

/// Bring all boxes up to date.
/// @param positions x, y, z of each vertex; kept until the next call, and readable for one float more
void plainTree_Refit(plainTree* tree, const float* positions);

/// All pairs of triangles that intersect, or only the first one that is met.
/// @param pairs nullable; receives the first `capacity` of them, in no particular order
/// @return how many there are
uint64_t plainTree_Collide(const plainTree* a, const plainTree* b, bool firstOnly, snugPair* pairs, uint64_t capacity);

/// Whether two triangles intersect, as plainTree_Collide decides it once their boxes overlap.
bool plainTriangles_Intersect(const float a[3][3], const float b[3][3]);

#endif
