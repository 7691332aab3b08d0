// bench/sizes.h: parts of the benchmarks that measure building and memory.
#ifndef BENCH_SIZES_H
#define BENCH_SIZES_H

#include "bench/bench.h"
#include "snug/snug.h"

/// Time and memory of models of 100,000, a million and, with --full, ten million triangles.
void benchBuilds(const benchOptions* options, benchReport* report);

/// Memory of bodies: alone and used everywhere, and untouched with a shared pool.
void benchBodySizes(benchReport* report, snugDeformer deformer);

#endif
