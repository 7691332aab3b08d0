// lab/bench/blend_bodies.h: meshes from files, and meshless bodies, for the benchmarks.
#ifndef BENCH_BLEND_BODIES_H
#define BENCH_BLEND_BODIES_H

#include "lab/bench/actor.h"
#include "lab/bench/bench.h"

/// Influences per vertex that the papers' models have, about.
#define BENCH_INFLUENCES 20.0

/// All meshes of a file as one, each where the file places it.
/// @param report nullable; fails if the file cannot be read
/// @return a mesh without arrays if there is none
sceneMesh benchLoadMesh(const char* path, benchReport* report);

/// A meshless body with `nodeCount` nodes: the model of the options if there is one, else a generated brain.
/// @return false, with the report failed, if something goes wrong
bool benchMakeMeshless(
    sceneMeshless* meshless, const benchOptions* options, uint32_t frequency, uint32_t nodeCount, benchReport* report);

#endif
