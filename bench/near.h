// bench/near.h: the parts of `snug bench near`.
#ifndef BENCH_NEAR_H
#define BENCH_NEAR_H

#include "bench/bench.h"

/// The distance of two real characters, where their model is at hand.
void nearRunReal(const benchOptions* options, benchReport* report);

#endif
