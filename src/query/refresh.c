// src/query/refresh.c: bringing bounds up to date. See body.h and cache.h.
#include "geometry/frame.h"
#include "kernels/isa.h"
#include "query/cache.h"

#include <string.h>

/// Boxes may be grown by what their body moved, instead of being refitted, while that adds up to no more than this part
/// of their extent.
#define MAX_GROWTH 0.1f

// Leaves among the lanes of a family, by looking at their vertices.
static void BoundLeaves(snugBody* body, sgLaneSet family, uint32_t lanes, sgBoundsOut out, snugCounters* counters)
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
		sgGetKernels()->boundLeaves(source.positions, source.indices, first, run, out.boxes, lane);
		for (uint32_t i = 0; body->extraSlabs > 0 && i < run; ++i)
		{
			sgVolume_BoundPoints(body->volume, source.positions, source.indices + first[i].firstVertex,
			    first[i].vertexCount, out, lane + i);
		}
		rest &= ~(((1u << run) - 1u) << lane);
	}
}

// Lanes of a family straight from the pose.
void sgRefitDirect(snugBody* body, sgLaneSet family, uint32_t lanes, sgBoundsOut out, snugCounters* counters)
{
	bool boundsLeaves = body->deform->boundsLeaves != NULL && body->deform->boundsLeaves(body->model);
	uint32_t leaves = boundsLeaves ? 0 : lanes & family.leafMask;
	sgLaneSet others = family;
	others.mask = lanes & ~leaves;
	if (others.mask != 0)
	{
		body->deform->bound(body->model, body->pose, others, out);
	}
	if (leaves != 0)
	{
		BoundLeaves(body, family, leaves, out, counters);
	}
}

// A query looks at a family. The first look in a step also tells how good the front was.
static void NoteVisit(snugBody* body, sgCacheGroup* cached, uint32_t family)
{
	_Atomic uint16_t* lastVisit = cached->lastVisit + family;
	uint16_t last = atomic_load_explicit(lastVisit, memory_order_relaxed);
	if (last != body->step)
	{
		bool isRepeated = last == (uint16_t)(body->step - 1);
		bool isPrepared = atomic_load_explicit(cached->version + family, memory_order_relaxed) == body->version;
		atomic_fetch_add_explicit(&body->visits, 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&body->repeats, isRepeated, memory_order_relaxed);
		atomic_fetch_add_explicit(&body->wellTaken, isPrepared, memory_order_relaxed);
		atomic_store_explicit(lastVisit, body->step, memory_order_relaxed);
	}
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

// How far vertices below each lane moved; returns the most.
static float FindDistances(
    const snugBody* body, sgLaneSet family, uint32_t lanes, double travel, float distances[SG_LANES])
{
	for (int lane = 0; lane < SG_LANES; ++lane)
	{
		distances[lane] = 0.0f;
	}
	sgLaneSet set = family;
	set.mask = lanes;
	if (body->deform->growth != NULL)
	{
		body->deform->growth(body->model, body->pose, set, travel, distances);
	}
	float most = 0.0f;
	for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		distances[lane] = body->deform->growth != NULL ? distances[lane] : sgRoundUp(travel);
		most = distances[lane] <= most ? most : distances[lane]; // NaN stays
	}
	return most;
}

static void GrowBalls(sgBallLanes* balls, uint32_t lanes, const float distances[SG_LANES])
{
	for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		balls->radius[lane] = sgRoundUp((double)balls->radius[lane] + (double)distances[lane]);
	}
}

// Grown boxes contain all positions, since none moved farther.
bool sgGrowBoxes(const snugBody* body, sgCacheGroup* cached, sgLaneSet family, uint32_t lanes)
{
	uint16_t* grown = cached->grown + family.first / 2;
	// Infinite or NaN, as after a pose beyond all bounds: no growth is small enough then.
	double travel = (body->travel - cached->travel[family.first / 2]) * (1.0 + 0x1p-50);
	// Without a growth of its own, travel is along axes, and balls would need it in all directions.
	bool canGrow = body->volume == snug_volumeBox || (body->volume == snug_volumeBall && body->deform->growth != NULL);
	if (body->frontMemory == 0 || !canGrow)
	{
		return false;
	}
	float distances[SG_LANES] SG_ALIGN(32);
	float growth = UnpackGrowth(*grown) + FindDistances(body, family, lanes, travel, distances);
	if (!(growth <= MAX_GROWTH * sgGetKernels()->leastExtent(&cached->boxes, lanes)))
	{
		return false;
	}
	*grown = PackGrowth(growth);
	sgGetKernels()->growBoxes(&cached->boxes, lanes, distances);
	if (body->volume == snug_volumeBall)
	{
		GrowBalls((sgBallLanes*)(void*)(cached + 1), lanes, distances);
	}
	return true;
}

sgBounds sgBody_Refresh(snugBody* body, sgLaneSet set, bool isVisit, sgBoundsScratch* scratch, snugCounters* counters)
{
	const snugModel* model = body->model;
	if (body->isAtRest || body->deform->bound == NULL)
	{
		return (sgBounds){ model->restBounds + set.group, NULL };
	}
	sgCacheGroup* cached = sgCache_FindGroup(body, set.group, true);
	if (cached != NULL)
	{
		_Atomic uint32_t* version = cached->version + set.first / 2;
		if (isVisit)
		{
			NoteVisit(body, cached, set.first / 2);
		}
		uint32_t found = atomic_load_explicit(version, memory_order_acquire);
		if (found == body->version)
		{
			return sgBounds_View(sgCacheGroup_Bounds(cached));
		}
		if (sgCache_Claim(version, found))
		{
			sgLaneSet family = sgTree_Family(&model->tree, set.group * SG_LANES + set.first);
			if (found == 0 || !sgGrowBoxes(body, cached, family, family.mask))
			{
				sgRefitDirect(body, family, family.mask, sgCacheGroup_Bounds(cached), counters);
				cached->grown[family.first / 2] = 0;
				counters->nodesBelowFront += (uint32_t)__builtin_popcount(family.mask);
			}
			sgCache_Publish(body, cached, family);
			return sgBounds_View(sgCacheGroup_Bounds(cached));
		}
	}
	sgBoundsOut out = { &scratch->boxes, scratch->extra };
	sgRefitDirect(body, set, set.mask, out, counters);
	counters->nodesBelowFront += (uint32_t)__builtin_popcount(set.mask);
	return sgBounds_View(out);
}
