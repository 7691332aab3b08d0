// bench/skin_balls.h: how large balls are, by level of the skinning paper's tree.
//
// The tree is the paper's: binary over single triangles, then pruned so that it has about as many levels as theirs.
// Measured are, of the same nodes: the smallest balls at rest (reference); what the paper's algorithm makes of them in
// a pose; our balls, from joint sets with rest balls of their own; the smallest balls around the posed vertices
// (optimal); and our default boxes, by half their diagonals over those of the optimal boxes.
#ifndef BENCH_SKIN_BALLS_H
#define BENCH_SKIN_BALLS_H

#include "bench/skins.h"
#include "bench/tightness.h"

/// Triangles per leaf by default.
#define BENCH_USER_LEAF 8

typedef enum ballKind
{
	ball_reference = 0,
	ball_paper,
	ball_ours,
	ball_optimal,
	ball_box,  ///< half diagonals of our default boxes, down to single triangles
	ball_user, ///< the same as users get them: up to BENCH_USER_LEAF triangles are not bounded but looked at
	ball_optimalBox,
	BALL_KINDS
} ballKind;

/// Over nodes and poses.
typedef struct ballRange
{
	double least, sum, most;
} ballRange;

typedef struct skinBalls
{
	bool hasPaper; ///< joints only turn and move: the paper excludes all else
	uint32_t levels;
	uint64_t nodes[BENCH_MAX_LEVELS];
	uint64_t count[BENCH_MAX_LEVELS]; ///< nodes times poses
	ballRange ranges[BALL_KINDS][BENCH_MAX_LEVELS];
} skinBalls;

/// @param matrices of `poseCount` poses
/// @return false, with the report failed, if something goes wrong
bool skinBalls_Measure(skinBalls* out, const benchSubject* subject, snugDeformer deformer, const float* matrices,
    int poseCount, benchReport* report);

/// @return sum of radii over the sum of the optimal ones; NaN if there is no such column
double skinBalls_GetRatio(const skinBalls* balls, ballKind kind, uint32_t level);

/// @return the greatest of those ratios over those of the paper's algorithm in the same pose, over all levels; NaN if
/// it has none
double skinBalls_GetWorst(const skinBalls* balls, ballKind kind);

#endif
