// bench/peers_hard.h: part of `peers`: what other libraries say of hard pairs of triangles (truth/hard.h).
#ifndef BENCH_PEERS_HARD_H
#define BENCH_PEERS_HARD_H

#include "bench/bench.h"

/// Table: pairs of each family that each peer misses and invents.
void benchPeersHard(const benchOptions* options, benchReport* report);

#endif
