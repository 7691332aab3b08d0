// papers/common/tightness.h: how large the papers' bounds are, by level of their binary trees, over some poses.
//
// The radius of a box is half its diagonal. Boxes are divided by the optimal box, the one around the node's evaluated
// vertices; balls by the smallest ball around these. Accumulated spheres are divided by the optimal box' radius, as
// Eq. (12) is, which favours them a little. Levels count from the root = 0. Every bound is checked to contain its
// vertices.
#ifndef PAPERS_TIGHTNESS_H
#define PAPERS_TIGHTNESS_H

#include "lab/bench/actor.h"
#include "papers/meshless/accumulated_spheres.h"
#include "papers/spherical/sphere_tree.h"

#define BENCH_MAX_LEVELS (SG_MAX_DEPTH + 1)

typedef enum benchVolume
{
	// M08, Fig. 5: / the optimal box.
	bench_eq12 = 0,
	bench_accumulated, ///< by both readings: accumulated_spheres.h
	bench_termByTerm,
	bench_oursAtRoot, ///< the root's box as users get it

	// BD04: / the smallest ball, or the optimal box.
	bench_bdSphere,
	bench_bdBox,
	bench_bdOrientedBox,

	// BD04, Figs. 4 and 6: / the undeformed wrapped sphere.
	bench_bdGrown,
	bench_layeredAtRest,
	bench_layeredGrown,
	bench_bdIncrements, ///< length of all dR

	// S06, Table 1: / the smallest ball.
	bench_atRest,     ///< the smallest ball at rest
	bench_algorithm1, ///< refitted
	bench_optimal,    ///< the smallest ball in the pose
	BENCH_VOLUMES
} benchVolume;

/// Over the nodes of a level and the poses.
typedef struct benchRadii
{
	uint64_t count;
	double ratios, mostRatio;       ///< sum and greatest of radius / by
	double radii, least, most, bys; ///< sum, least and greatest of radii; sum of what they are divided by
} benchRadii;

typedef struct benchTightness
{
	uint32_t levels;
	uint64_t nodes[BENCH_MAX_LEVELS];
	benchRadii radii[BENCH_VOLUMES][BENCH_MAX_LEVELS];
} benchTightness;

/// @return half the diagonal
double benchGetRadius(const sgBox* box);

/// Eq. (12) and accumulated spheres, of a meshless actor.
/// @return false, here and below, with the report failed, if something goes wrong
bool benchTightness_OfMeshless(benchTightness* out, const benchActor* actor, benchReport* report);

/// BD spheres, boxes and layered spheres, in every `step`th frame of an actor with displacement fields.
/// @param onlySpheres nothing but how much spheres grow
bool benchTightness_OfFields(
    benchTightness* out, const benchActor* actor, int step, bool onlySpheres, benchReport* report);

/// Algorithm 1 on a pruned sphere tree, of an actor with a skin. Without columns of the algorithm if joints scale.
bool benchTightness_OfSkin(benchTightness* out, const benchActor* actor, double prune, benchReport* report);

/// @return the mean of radius / by; NaN if there is none
double benchTightness_GetMean(const benchTightness* t, benchVolume volume, uint32_t level);
double benchTightness_GetMost(const benchTightness* t, benchVolume volume, uint32_t level);

/// @return mean radius / mean of what it is divided by: what a table of mean radii gives
double benchTightness_GetRatioOfMeans(const benchTightness* t, benchVolume volume, uint32_t level);

/// Rows and a plot of what benchTightness_OfMeshless found, level by level. @param title names the body
void benchTightness_AddMeshlessRows(benchReport* report, const char* title, const benchTightness* t);

/// Rows of what benchTightness_OfFields found, level by level.
void benchTightness_AddFieldRows(benchReport* report, const char* name, const benchTightness* t);

/// @return the mean of radius / by over all nodes of all levels
double benchTightness_GetMeanOfAll(const benchTightness* t, benchVolume volume);

#endif
