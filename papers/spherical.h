// papers/spherical.h: Kavan, O'Sullivan, Zara, "Efficient collision detection for spherical blend skinning" (2006), as
// printed but for what is wrong in print. docs/papers.md has what they measured and we do.
//
//     section 3    sphereTree        the smallest balls at rest, pruned
//     section 4    sphereBody_Refit  Algorithm 1; its forerunner for linear blending, a counterpart for dual
//     quaternions section 5    sphereCollide     all pairs, or the first; sphereBody_RefitBottomUp is what gains are
//     over
#ifndef PAPERS_SPHERICAL_H
#define PAPERS_SPHERICAL_H

#include "papers/spherical/sphere_tree.h"

#endif
