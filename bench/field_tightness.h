// bench/field_tightness.h: how large bounds of displacement fields are, by level of the tree, over some poses.
//
// The radius of a box is half its diagonal, and is divided by that of the optimal box, around the node's evaluated
// vertices; the radius of a ball by that of their smallest ball. Bounds come straight from the pose, down to single
// triangles or small leaves, in a binary tree split at medians, as in the paper. Levels count from the root = 0.
#ifndef BENCH_FIELD_TIGHTNESS_H
#define BENCH_FIELD_TIGHTNESS_H

#include "bench/fielded.h"
#include "tree/tree.h"

#define BENCH_FIELD_BOUNDS 7
#define BENCH_FIELD_LEVELS (SG_MAX_DEPTH + 1)

extern const snugBound benchFieldBounds[BENCH_FIELD_BOUNDS];

/// A body and the poses to look at.
typedef struct benchFieldPoses
{
	const char* name;
	benchActor actor;
	int frameCount;
	int step;          ///< every how many frames
	int leafTriangles; ///< default 1
	bool onlySpheres;  ///< measure nothing but how much BD spheres grow
} benchFieldPoses;

/// Means and greatest values over nodes and poses, per level.
typedef struct benchFieldTightness
{
	uint32_t levels;
	uint64_t count[BENCH_FIELD_LEVELS]; ///< nodes
	double mean[BENCH_FIELD_BOUNDS][BENCH_FIELD_LEVELS];
	double most[BENCH_FIELD_BOUNDS][BENCH_FIELD_LEVELS];

	// Radii over those of the undeformed wrapped spheres about mean centres: Figures 4 and 6 of the paper.
	double spheres[BENCH_FIELD_LEVELS], mostSpheres[BENCH_FIELD_LEVELS]; ///< BD spheres, deformed
	double layersAtRest[BENCH_FIELD_LEVELS];                             ///< layered spheres, undeformed
	double layers[BENCH_FIELD_LEVELS], mostLayers[BENCH_FIELD_LEVELS];   ///< deformed
	double best[BENCH_FIELD_LEVELS];                                     ///< first order's box, deformed
	double increments[BENCH_FIELD_LEVELS];                               ///< length of all delta R over R
	double growth;                                                       ///< BD spheres, all nodes
} benchFieldTightness;

/// @return false, with the report failed, if something goes wrong
bool benchFieldTightness_Measure(
    benchFieldTightness* out, const benchFieldPoses* poses, const benchOptions* options, benchReport* report);

void benchFieldTightness_AddRows(benchReport* report, const benchFieldPoses* poses, const benchFieldTightness* t);

/// @return the mean over the nodes of the deeper third of the levels
double benchFieldTightness_GetDeep(const benchFieldTightness* t, snugBound bound);

#endif
