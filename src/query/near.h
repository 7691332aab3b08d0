// src/query/near.h: two bodies as queries about distances see them: how far apart what is below two nodes must be.
#ifndef SG_NEAR_H
#define SG_NEAR_H

#include "geometry/distance.h"
#include "query/view.h"
#include "snug/snug_queries.h"
#include "tree/probe_kernels.h"

#define SG_LANE_PAIRS (SG_LANES * SG_LANES)

typedef struct sgNearPair
{
	const sgKernels* kernels;
	sgBoxMotion motionBA; ///< from the space of b to that of a
	double slack;         ///< what computed distances may be off by
	snugCounters counters;
	sgView a, b;
} sgNearPair;

/// Lower bounds of squared distances, bit and place 8 i + j for lane i of one and lane j of another.
typedef struct sgGaps
{
	uint64_t pairs; ///< those that are not above the limit
	float SG_ALIGN(32) squares[SG_LANE_PAIRS];
} sgGaps;

/// Place both bodies.
/// @return snug_outOfRange, with a message, if one is too far from the origin
snugStatus sgNearPair_Start(sgNearPair* near, snugBody* a, snugBody* b, const double origin[3]);
void sgNearPair_Finish(sgNearPair* near);

/// Of nodes.
void sgNearPair_Look(sgNearPair* near, const sgOpened* a, const sgOpened* b, float limit, sgGaps* gaps);

/// Of the triangles of two leaves.
void sgNearPair_LookAtLeaves(const sgNearPair* near, sgKeptLeaf a, sgKeptLeaf b, float limit, sgGaps* gaps);

/// A limit for squared distances: whatever has a computed distance no greater than this is below it.
float sgNearLimit(double distance, double slack);

/// What snugFindDistance finds, in the library's floating-point environment. Threads may ask about one body at a time,
/// if sgBody_Prepare has been called for it.
/// @param most how far to look; zero: whether they touch
snugDistanceResult sgFindDistance(snugBody* a, snugBody* b, const double origin[3], double most);

/// A squared distance of things that share no point: never zero.
static inline double sgPositive(double distance2)
{
	return distance2 > 0x1p-1000 ? distance2 : 0x1p-1000;
}

#endif
