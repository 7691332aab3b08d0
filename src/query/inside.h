// src/query/inside.h: how often a surface is wound around a point: a walk along a half-line.
#ifndef SG_INSIDE_H
#define SG_INSIDE_H

#include "query/probe.h"
#include "query/view.h"

/// A half-line from a point along the first axis.
typedef struct sgInside
{
	sgTreeWalk walk;
	const sgKernels* kernels;
	float point[3];
	const float (*front)[3]; ///< nullable: a triangle, in front of which it begins, next to its first corner
	sgProbe probe;
	sgBoxLanes line;       ///< from the point on, in lane 0
	sgBox root;            ///< around all placed triangles
	uint32_t triangle;     ///< the smallest one that the point is on, or SNUG_NONE
	int32_t winding;       ///< crossings through fronts less those through backs
	bool isOdd;            ///< the number of all crossings
	const sgBoxLanes* box; ///< of bodies: what the surface may be near to
	snugCounters counters;
	sgView side;
} sgInside;

/// Ask about a point: fills in triangle, winding and isOdd.
snugSide sgInside_Ask(sgInside* search, const float point[3]);

#endif
