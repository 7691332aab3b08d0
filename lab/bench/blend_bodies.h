// lab/bench/blend_bodies.h: meshless bodies, of a file or generated, for the benchmarks.
#ifndef BENCH_BLEND_BODIES_H
#define BENCH_BLEND_BODIES_H

#include "lab/bench/actor.h"
#include "lab/bench/bench.h"

/// Influences per vertex that the papers' models have, about.
#define BENCH_INFLUENCES 20.0

/// A meshless body with `nodeCount` nodes: the model of the options if there is one, else a generated brain.
/// @return false, with the report failed, if something goes wrong
bool benchMakeMeshless(
    sceneMeshless* meshless, const benchOptions* options, uint32_t frequency, uint32_t nodeCount, benchReport* report);

#endif
