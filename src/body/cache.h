// src/body/cache.h: where a body keeps what it remembers: groups of bounds and evaluated clusters, in pages of its
// pool.
#ifndef SG_CACHE_H
#define SG_CACHE_H

#include "body/body.h"

/// The cached group, or null if it has no page. With `borrow`, tries to get one.
sgCacheGroup* sgCache_FindGroup(snugBody* body, uint32_t group, bool borrow);

/// Take the right to compute something that is not up to date, whose version was `found`. It is published by storing
/// the new version.
static inline bool sgCache_Claim(_Atomic uint32_t* version, uint32_t found)
{
	return found != SG_BUSY && atomic_compare_exchange_strong_explicit(
	                               version, &found, SG_BUSY, memory_order_acquire, memory_order_relaxed);
}

/// Count nodes whose bounds were computed: as one of three kinds, and in the sum of these.
/// @param kind a member of `counters`
static inline void sgCountRefits(snugCounters* counters, uint64_t* kind, uint32_t count)
{
	*kind += count;
	counters->nodesRefitted += count;
}

/// A family is up to date: say so.
static inline void sgCache_Publish(const snugBody* body, sgCacheGroup* cached)
{
	cached->travel = body->travel;
	atomic_store_explicit(&cached->version, body->version, memory_order_release);
}

/// The vertices of a leaf's cluster, for those that find no place; `out` has SG_CLUSTER_FLOATS of its size.
void sgCache_EvaluateCluster(const snugBody* body, const sgLeaf* leaf, float* out, snugCounters* counters);

/// Lanes of a family straight from the pose.
void sgRefitDirect(snugBody* body, sgLaneSet family, uint32_t lanes, sgBoxLanes* out, snugCounters* counters);

/// A lane of a group from its children, in the lanes of another group.
void sgRefitMerged(sgCacheGroup* cached, uint32_t lane, const sgCacheGroup* below, uint32_t mask);

/// Lanes of a family in the cache straight from the pose, with the help of what is cached: boxes that held for an
/// earlier pose (`hasHeld`) may grow by how far the body has moved since, if that keeps them tight. If it does not, the
/// grown boxes still clip the new ones.
/// @return false if they have grown
bool sgRefitCached(
    snugBody* body, sgCacheGroup* cached, sgLaneSet family, uint32_t lanes, bool hasHeld, snugCounters* counters);

#endif
