// bench/tightness.h: how large the bounds of a blend body are, by level of the tree, over some poses.
//
// The radius of a box is half its diagonal. Every column is divided by the same thing: the radius of the node's optimal
// box, the one around its evaluated vertices. For accumulated spheres that is their radius over the optimal box'
// radius, which favours them a little, since the smallest ball around the vertices is smaller than the one around their
// box. Levels count from the root = 0.
#ifndef BENCH_TIGHTNESS_H
#define BENCH_TIGHTNESS_H

#include "bench/blend_bodies.h"
#include "papers/meshless/accumulated_spheres.h"
#include "tree/tree.h"

/// The bounds by their numbers in benchBounds, then accumulated spheres by both readings (accumulated_spheres.h).
#define BENCH_SPHERES BENCH_BOUNDS
#define BENCH_VOLUMES (BENCH_BOUNDS + ACCUMULATED_READINGS)
#define BENCH_MAX_LEVELS (SG_MAX_DEPTH + 1)

/// What was measured of one body with one tree. Sums are over the poses and over the nodes of a level.
typedef struct benchTightness
{
	bool hasSpheres;
	int poseCount;
	uint32_t levels;
	uint64_t count[BENCH_MAX_LEVELS];            ///< nodes
	double sum[BENCH_VOLUMES][BENCH_MAX_LEVELS]; ///< of radius / optimal
	double most[BENCH_VOLUMES][BENCH_MAX_LEVELS];
	double radius[BENCH_VOLUMES][BENCH_MAX_LEVELS]; ///< sum of radii
	double optimal[BENCH_MAX_LEVELS];               ///< sum of optimal ones
} benchTightness;

/// @return half the diagonal
double benchGetRadius(const sgBox* box);

/// Measure all bounds in all frames of an actor, and check that they contain their vertices.
/// @param hasSpheres measure accumulated spheres too
/// @return false, with the report failed, if something goes wrong
bool benchTightness_Measure(
    benchTightness* out, const benchActor* actor, const snugTreeDef* tree, bool hasSpheres, benchReport* report);

/// @return mean of radius / optimal
double benchTightness_GetMean(const benchTightness* t, int volume, uint32_t level);

/// @return the worst mean of some levels, NaN if there is none
double benchTightness_GetWorstMean(const benchTightness* t, int volume, uint32_t first, uint32_t last);

/// @return mean radius / mean optimal radius: what a table of mean radii gives
double benchTightness_GetRatioOfMeans(const benchTightness* t, int volume, uint32_t level);

/// A cell per bound: the mean of radius / optimal, or the greatest.
void benchTightness_AddCells(benchRow* row, const benchTightness* t, uint32_t level, bool isMean);

/// A plot of such rows, one per level, from a row to the last one.
void benchTightness_AddPlot(benchReport* report, const benchTightness* t, int firstRow, bool isMean, const char* title);

#endif
