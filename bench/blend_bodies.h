// bench/blend_bodies.h: meshless bodies for the benchmarks, refits of single nodes, and the bounds by name.
#ifndef BENCH_BLEND_BODIES_H
#define BENCH_BLEND_BODIES_H

#include "bench/actor.h"
#include "bench/bench.h"

/// Influences per vertex that the papers' models have, about.
#define BENCH_INFLUENCES 20.0

#define BENCH_BOUNDS 6

/// All bounds, the default last.
extern const snugBound benchBounds[BENCH_BOUNDS];
const char* benchGetBoundName(snugBound bound);

/// A meshless body with `nodeCount` nodes: the model of the options if there is one, else a generated brain.
/// @return false, with the report failed, if something goes wrong
bool benchMakeMeshless(
    sceneMeshless* meshless, const benchOptions* options, uint32_t frequency, uint32_t nodeCount, benchReport* report);

/// @return nanoseconds to refit one node of a posed body straight from its joints, warm, eight at a time
double benchTimeRefits(snugBody* body);

/// Time refits of single nodes of a body in a pose: a row per bound.
/// @param what names the body
/// @return nanoseconds per node of the default bound, or NaN with the report failed
double benchBlendRefits(
    benchReport* report, const char* what, const sceneMesh* mesh, const sceneWeights* weights, const float* matrices);

/// Table of a few numbers of blend models: building, size, refitting of single nodes, with the aims for them.
void benchBlendMicro(const benchOptions* options, benchReport* report);

#endif
