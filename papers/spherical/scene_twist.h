// papers/spherical/scene_twist.h: a limb that is twisted, skinned in three ways: Figs. 1 and 5 of the spherical
// blending paper.
#ifndef PAPERS_SCENE_TWIST_H
#define PAPERS_SCENE_TWIST_H

#include "solvers/sim.h"

#include <stdio.h>

typedef struct twist twist;

/// Pose a tube of two joints, the second turned about the tube by up to 170 degrees, by linear, spherical and dual
/// quaternion skinning; find what of each intersects a ball that is pressed into its middle, compare that with brute
/// force, and record what is to be seen: the surface, and the balls of levels 4 and 6 of its tree, as the paper's
/// refitting has them.
/// @return null, with the error set, if it cannot be made
twist* twist_Create(simError* error);
void twist_Destroy(twist* t);

/// For how many skins brute force finds other pairs.
int twist_CountDifferent(const twist* t);

/// The least radius of the posed tube near its middle over that at rest: how much of a candy wrapper it is.
void twist_PrintTable(const twist* t, FILE* stream);
void twist_PrintPage(const twist* t, FILE* stream);

#endif
