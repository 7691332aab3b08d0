// src/query/stray.h: how far the way of a body may be from the straight one.
#ifndef SG_STRAY_H
#define SG_STRAY_H

#include "query/view.h"
#include "snug/snug_queries.h"

/// Of snug_pathTurning: how far any vertex may be from the straight way between two placed poses.
typedef struct sgStray
{
	double most; ///< at any time, all rounding included
	double bow;  ///< at t it is less, by bow (1 - 4 t (1 - t))
} sgStray;

/// Zero if the frame does not turn. docs/bounds/sweeps.md has the proof.
/// @param roots boxes of both, in body space
sgStray sgFindStray(sgView* start, sgView* end, const sgBox roots[2], snugCounters* counters);

#endif
