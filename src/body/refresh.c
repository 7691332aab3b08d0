// src/body/refresh.c: bringing bounds up to date. See body.h and cache.h.
#include "body/cache.h"
#include "geometry/box_kernels.h"
#include "tree/leaf_kernels.h"

#include <math.h>
#include <string.h>

/// Boxes may be grown by what their body moved, instead of being refitted, while that adds up to no more than this part
/// of their extent.
#define MAX_GROWTH 0.1f

// Leaves among the lanes of a family, by looking at their vertices.
static void BoundLeaves(snugBody* body, sgLaneSet family, uint32_t lanes, sgBoxLanes* out, snugCounters* counters)
{
	const sgTree* tree = &body->model->tree;
	float scratch[SG_CLUSTER_FLOATS(SG_MAX_CLUSTER_VERTICES)];
	const sgLeaf* any = tree->leaves + tree->nodes[family.group * SG_LANES + sgLowestBit(lanes)].first;
	sgLeafSource source = sgBody_FindLeaves(body, any, counters);
	if (source.positions == NULL)
	{
		sgCache_EvaluateCluster(body, any, scratch, counters);
		source.positions = scratch;
	}
	for (uint32_t rest = lanes; rest != 0;)
	{
		uint32_t lane = sgLowestBit(rest), run = sgLowestBit(~(rest >> lane));
		// Leaves in neighbouring lanes are numbered one after the other, and are bounded together.
		const sgLeaf* first = tree->leaves + tree->nodes[family.group * SG_LANES + lane].first;
		sgGetKernels()->leaves->boundLeaves(source.positions, source.indices, first, run, out, lane);
		rest &= ~(((1u << run) - 1u) << lane);
	}
}

// Lanes of a family straight from the pose.
void sgRefitDirect(snugBody* body, sgLaneSet family, uint32_t lanes, sgBoxLanes* out, snugCounters* counters)
{
	uint32_t leaves = lanes & family.leafMask;
	sgLaneSet others = family;
	others.mask = lanes & ~leaves;
	if (others.mask != 0)
	{
		body->deform->bound(&body->posed, others, out);
	}
	if (leaves != 0)
	{
		BoundLeaves(body, family, leaves, out, counters);
	}
}

void sgRefitMerged(sgCacheGroup* cached, uint32_t lane, const sgCacheGroup* below, uint32_t mask)
{
	sgBox box = sgGetKernels()->boxes->mergeBoxes(&below->boxes, mask);
	sgBoxLanes_Set(&cached->boxes, lane, &box);
}

/// How much boxes have grown since they were refitted: the upper half of a float32, rounded up.
static uint16_t PackGrowth(float growth)
{
	uint32_t bits;
	memcpy(&bits, &growth, sizeof(bits));
	return (uint16_t)((bits + 0xffff) >> 16);
}

static float UnpackGrowth(uint16_t packed)
{
	uint32_t bits = (uint32_t)packed << 16;
	float growth;
	memcpy(&growth, &bits, sizeof(growth));
	return growth;
}

// How far vertices below each lane moved since the family held; returns what none exceeds. Infinite or NaN after a pose
// beyond all bounds.
static float FindDistances(
    const snugBody* body, const sgCacheGroup* cached, sgLaneSet family, uint32_t lanes, float distances[SG_LANES])
{
	double travel = (body->travel - cached->travel) * (1.0 + 0x1p-50);
	if (body->deform->growth != NULL)
	{
		sgLaneSet set = family;
		set.mask = lanes;
		return body->deform->growth(&body->posed, set, travel, distances);
	}
	const float even = sgRoundUp(travel);
	for (int lane = 0; lane < SG_LANES; ++lane)
	{
		distances[lane] = even;
	}
	return even;
}

// Grow boxes by what the body moved since they held, if they stay tight enough: for nodes that are large and far from
// any contact, which are the costliest to bound. Grown boxes contain all positions, since none moved farther.
static bool GrowBoxes(sgCacheGroup* cached, uint32_t lanes, const float distances[SG_LANES], float most)
{
	float growth = UnpackGrowth(cached->grown) + most;
	// Written so that NaN does not grow.
	if (!(growth <= MAX_GROWTH * sgGetKernels()->boxes->leastExtent(&cached->boxes, lanes)))
	{
		return false;
	}
	cached->grown = PackGrowth(growth);
	sgGetKernels()->boxes->growBoxes(&cached->boxes, lanes, distances);
	return true;
}

bool sgRefitCached(
    snugBody* body, sgCacheGroup* cached, sgLaneSet family, uint32_t lanes, bool hasHeld, snugCounters* counters)
{
	float distances[SG_LANES] SG_ALIGN(32);
	bool isCoherent = hasHeld && body->frontMemory > 0 && !body->refitsAll;
	float most = isCoherent ? FindDistances(body, cached, family, lanes, distances) : INFINITY;
	if (isCoherent && GrowBoxes(cached, lanes, distances, most))
	{
		return false;
	}
	const uint32_t cut = most < INFINITY ? lanes & ~family.leafMask : 0;
	sgBoxLanes before; // not zeroed
	if (cut != 0)
	{
		before = cached->boxes;
	}
	sgRefitDirect(body, family, lanes, &cached->boxes, counters);
	cached->grown = 0;
	if (cut != 0)
	{
		sgGetKernels()->boxes->cutBoxes(&cached->boxes, cut, &before, distances);
	}
	return true;
}

sgLook sgBody_Look(snugBody* body, sgLaneSet family)
{
	if (body->isAtRest || body->deform->bound == NULL)
	{
		return (sgLook){ .bounds = body->model->restBounds + family.group };
	}
	sgLook look = { .cached = sgCache_FindGroup(body, family.group, true) };
	if (look.cached != NULL)
	{
		uint32_t version = atomic_load_explicit(&look.cached->version, memory_order_acquire);
		look.bounds = version == body->version ? &look.cached->boxes : look.bounds;
	}
	return look;
}

// The first visit in a step also tells how good the front was.
void sgBody_NoteVisit(const snugBody* body, sgLook look, sgVisits* visits)
{
	if (look.cached == NULL)
	{
		return;
	}
	_Atomic uint16_t* lastVisit = &look.cached->lastVisit;
	uint16_t last = atomic_load_explicit(lastVisit, memory_order_relaxed);
	if (last != body->step)
	{
		++visits->count;
		visits->repeats += last == (uint16_t)(body->step - 1);
		visits->wellTaken += look.bounds != NULL;
		atomic_store_explicit(lastVisit, body->step, memory_order_relaxed);
	}
}

void sgBody_AddVisits(snugBody* body, const sgVisits* visits)
{
	atomic_fetch_add_explicit(&body->visits, visits->count, memory_order_relaxed);
	atomic_fetch_add_explicit(&body->repeats, visits->repeats, memory_order_relaxed);
	atomic_fetch_add_explicit(&body->wellTaken, visits->wellTaken, memory_order_relaxed);
}

const sgBoxLanes* sgBody_Update(
    snugBody* body, sgCacheGroup* cached, sgLaneSet set, sgBoxLanes* scratch, snugCounters* counters)
{
	if (cached != NULL)
	{
		uint32_t found = atomic_load_explicit(&cached->version, memory_order_acquire);
		if (found == body->version)
		{
			return &cached->boxes;
		}
		if (sgCache_Claim(&cached->version, found))
		{
			sgLaneSet family = sgTree_Family(&body->model->tree, set.group * SG_LANES);
			if (sgRefitCached(body, cached, family, family.mask, found != 0, counters))
			{
				sgCountRefits(counters, &counters->nodesBelowFront, sgCountBits(family.mask));
			}
			sgCache_Publish(body, cached);
			return &cached->boxes;
		}
	}
	sgRefitDirect(body, set, set.mask, scratch, counters);
	sgCountRefits(counters, &counters->nodesBelowFront, sgCountBits(set.mask));
	return scratch;
}

const sgBoxLanes* sgBody_Refresh(snugBody* body, sgLaneSet set, sgBoxLanes* scratch, snugCounters* counters)
{
	const sgLook look = sgBody_Look(body, set);
	return look.bounds != NULL ? look.bounds : sgBody_Update(body, look.cached, set, scratch, counters);
}
