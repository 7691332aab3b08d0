// papers/bdtree/fielded.h: two bodies moved by displacement fields, one of which may be rigid, that meet (meeting.h):
// which methods they are compared by, and their rows.
#ifndef PAPERS_FIELDED_H
#define PAPERS_FIELDED_H

#include "lab/bench/bench.h"
#include "lab/bench/methods.h"

typedef struct benchFieldedScene
{
	const char* name;
	benchActor actors[2]; ///< with the places that they have
	bool isScaled;        ///< amplitudes were scaled to have spheres grow as the paper's do
} benchFieldedScene;

/// What came of one method, per frame. NaN if it was not run.
typedef struct benchFieldedResult
{
	double bestMicroseconds; ///< mean over the frames of each one's least time
	double volumeTests;
} benchFieldedResult;

/// Run the methods, with a row for each, and compare the frame with the most pairs with brute force.
/// @param results (BENCH_METHODS) receives what came of each
void benchFielded_Run(const benchFieldedScene* scene, const benchOptions* options, int passes,
    benchFieldedResult* results, benchReport* report);

#endif
