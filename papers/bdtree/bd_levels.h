// papers/bdtree/bd_levels.h: how much BD spheres can grow, by level of the tree (section 3.3 of James and Pai 2004).
#ifndef PAPERS_BD_LEVELS_H
#define PAPERS_BD_LEVELS_H

#include "papers/bdtree/fielded.h"

#define BENCH_BD_LEVELS 19

/// Mean over the spheres of a level of the length of (dR_1, ..., dR_M), over the root's. NaN where it cannot be read.
typedef struct benchBdPrinted
{
	double levels[BENCH_BD_LEVELS];
} benchBdPrinted;

/// What the paper prints for its chair.
extern const benchBdPrinted benchBdChair;

/// A table of an actor's levels. @param printed nullable
void benchBdLevels(benchReport* report, const char* name, const benchActor* actor, const benchBdPrinted* printed);

#endif
