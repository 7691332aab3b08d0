// src/query/refresh.c: bringing bounds and clusters up to date, on demand or before a query. See body.h.
#include "body.h"

#include "geometry/frame.h"
#include "kernels/isa.h"

#include <math.h>

/// Steps for which a family stays part of the front after a query last looked at it. Contacts move back and forth: a
/// few steps' memory keeps their surroundings tight at a small price.
#define FRONT_MEMORY 2

static sgPage* FindPage(snugBody* body, uint32_t index, bool borrow)
{
	_Atomic uint32_t* entry = body->pageTable + index;
	uint32_t page = atomic_load_explicit(entry, memory_order_acquire);
	if (page == SG_NONE && borrow)
	{
		uint32_t borrowed = sgPool_Borrow(body->pool);
		if (borrowed == SG_NONE)
		{
			return NULL;
		}
		// Another thread may have been faster; then `page` is its page.
		bool isOurs =
		    atomic_compare_exchange_strong_explicit(entry, &page, borrowed, memory_order_acq_rel, memory_order_acquire);
		if (isOurs)
		{
			page = borrowed;
		}
		else
		{
			sgPool_Return(body->pool, borrowed);
		}
	}
	return page == SG_NONE ? NULL : body->pool->pages + page;
}

// The cached group, or null if it has no page. With `borrow`, tries to get one.
static sgCacheGroup* FindGroup(snugBody* body, uint32_t group, bool borrow)
{
	sgPage* page = FindPage(body, group >> body->groupShift, borrow);
	if (page == NULL)
	{
		return NULL;
	}
	uint32_t number = group & ((1u << body->groupShift) - 1u);
	return (sgCacheGroup*)(void*)(page->bytes + number * (size_t)body->groupStride);
}

static sgBoundsOut BoundsOf(sgCacheGroup* cached)
{
	return (sgBoundsOut){ &cached->boxes, (sgSlabLanes*)(void*)(cached + 1) };
}

static sgBounds View(sgBoundsOut bounds)
{
	return (sgBounds){ bounds.boxes, bounds.extra };
}

// Take the right to compute something that is not up to date.
static bool Claim(_Atomic uint32_t* version, uint32_t found)
{
	return found != SG_BUSY && atomic_compare_exchange_strong_explicit(
	                               version, &found, SG_BUSY, memory_order_acquire, memory_order_relaxed);
}

// ---- Vertices --------------------------------------------------------------------------------------------------

static void EvaluateCluster(const snugBody* body, const sgCluster* cluster, float* out, snugCounters* counters)
{
	uint32_t number = (uint32_t)(cluster - body->model->clusters.clusters);
	body->deform->evaluateCluster(body->model, body->pose, number, out);
	counters->verticesEvaluated += cluster->vertexCount;
}

// Positions of a cluster, in the cache. Null if there is no place for them, or another thread is at it.
static const float* CachedCluster(snugBody* body, const sgCluster* cluster, snugCounters* counters)
{
	sgPage* page = FindPage(body, body->groupPages + cluster->place / SG_PAGE_FLOATS, true);
	if (page == NULL)
	{
		return NULL;
	}
	uint8_t* block = page->bytes + (cluster->place % SG_PAGE_FLOATS) * sizeof(float);
	_Atomic uint32_t* version = (_Atomic uint32_t*)(void*)block;
	float* positions = (float*)(void*)(block + sizeof(uint32_t));
	uint32_t found = atomic_load_explicit(version, memory_order_acquire);
	if (found == body->version)
	{
		return positions;
	}
	if (!Claim(version, found))
	{
		return NULL;
	}
	EvaluateCluster(body, cluster, positions, counters);
	atomic_store_explicit(version, body->version, memory_order_release);
	return positions;
}

// Clusters belong to models that evaluate; the others have their positions at hand.
static const float* PositionsAtHand(const snugBody* body)
{
	return body->deform->positions != NULL ? body->deform->positions(body->model, body->pose) : NULL;
}

sgLeafVertices sgBody_Evaluate(const snugBody* body, const uint32_t* vertices, uint32_t count, sgLeafScratch* scratch)
{
	static const uint32_t upwards[SG_MAX_LEAF_VERTICES + SG_LANES] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
		15, 16, 17, 18, 19, 20, 21, 22, 23 };
	const float* atHand = PositionsAtHand(body);
	if (atHand != NULL)
	{
		return (sgLeafVertices){ atHand, vertices };
	}
	body->deform->evaluate(body->model, body->pose, vertices, count, scratch->positions);
	return (sgLeafVertices){ scratch->positions, upwards };
}

sgLeafVertices sgBody_LeafVertices(snugBody* body, const sgLeaf* leaf, sgLeafScratch* scratch, snugCounters* counters)
{
	const sgTree* tree = &body->model->tree;
	const sgClusters* clusters = &body->model->clusters;
	if (body->deform->positions == NULL)
	{
		const sgCluster* cluster = clusters->clusters + clusters->ofLeaf[leaf - tree->leaves];
		const float* positions = CachedCluster(body, cluster, counters);
		if (positions != NULL)
		{
			return (sgLeafVertices){ positions, clusters->places + leaf->firstVertex };
		}
	}
	counters->verticesEvaluated += leaf->vertexCount;
	return sgBody_Evaluate(body, tree->leafVertices + leaf->firstVertex, leaf->vertexCount, scratch);
}

// ---- Bounds ----------------------------------------------------------------------------------------------------

// A slab of a k-DOP around a leaf's vertices. Products with the directions' entries are exact in double, and their sums
// nearly: far below the float that they are rounded to, outwards.
static void BoundSlab(
    const sgLeafVertices* vertices, uint32_t count, const float direction[3], sgSlabLanes* slab, uint32_t lane)
{
	double lower = INFINITY, upper = -INFINITY;
	for (uint32_t i = 0; i < count; ++i)
	{
		const float* p = vertices->positions + 3 * (size_t)vertices->indices[i];
		double along = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			along += (double)direction[k] * (double)p[k];
		}
		lower = along < lower ? along : lower;
		upper = along > upper ? along : upper;
	}
	slab->lower[lane] = sgRoundDown(lower - 0x1p-50 * fabs(lower));
	slab->upper[lane] = sgRoundUp(upper + 0x1p-50 * fabs(upper));
}

static void SetBall(sgSlabLanes* extra, uint32_t lane, const double center[3], double radius)
{
	sgBallLanes* balls = (sgBallLanes*)(void*)extra;
	for (int k = 0; k < 3; ++k)
	{
		balls->center[k][lane] = (float)center[k];
	}
	balls->radius[lane] = sgRoundUp(radius * (1.0 + 0x1p-40));
}

static void MiddleOfBox(const sgBox* box, double middle[3])
{
	for (int k = 0; k < 3; ++k)
	{
		middle[k] = (double)sgRoundNearest(0.5 * ((double)box->lower[k] + (double)box->upper[k]));
	}
}

static double Distance(const double a[3], const double b[3])
{
	double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
	return sqrt(x * x + y * y + z * z);
}

// What the model's volume adds to the box of a leaf.
static void BoundLeafExtra(
    const snugBody* body, const sgLeafVertices* vertices, uint32_t count, sgBoundsOut out, uint32_t lane)
{
	snugVolume volume = body->volume;
	for (uint32_t i = 0; sgVolume_IsDop(volume) && i < body->extraSlabs; ++i)
	{
		BoundSlab(vertices, count, sgVolume_Directions(volume)[i], out.extra + i, lane);
	}
	if (volume == snug_volumeBall)
	{
		sgBox box = sgBoxLanes_Get(out.boxes, lane);
		double center[3], radius = 0.0;
		MiddleOfBox(&box, center);
		for (uint32_t i = 0; i < count; ++i)
		{
			const float* p = vertices->positions + 3 * (size_t)vertices->indices[i];
			const double point[3] = { (double)p[0], (double)p[1], (double)p[2] };
			radius = fmax(radius, Distance(center, point));
		}
		SetBall(out.extra, lane, center, radius);
	}
}

// Leaves among the lanes of a family, by looking at their vertices.
static void BoundLeaves(snugBody* body, sgLaneSet family, uint32_t lanes, sgBoundsOut out, snugCounters* counters)
{
	const sgTree* tree = &body->model->tree;
	const sgClusters* clusters = &body->model->clusters;
	float scratch[SG_CLUSTER_FLOATS(SG_MAX_CLUSTER_VERTICES)];
	const float* positions = PositionsAtHand(body);
	const uint32_t* indices = tree->leafVertices;
	if (positions == NULL)
	{
		uint32_t leaf = tree->nodes[family.group * SG_LANES + sgLowestBit(lanes)].first;
		const sgCluster* cluster = clusters->clusters + clusters->ofLeaf[leaf];
		indices = clusters->places;
		positions = CachedCluster(body, cluster, counters);
		if (positions == NULL)
		{
			EvaluateCluster(body, cluster, scratch, counters);
			positions = scratch;
		}
	}
	for (uint32_t rest = lanes; rest != 0;)
	{
		uint32_t lane = sgLowestBit(rest), run = sgLowestBit(~(rest >> lane));
		// Leaves in neighbouring lanes are numbered one after the other, and are bounded together.
		const sgLeaf* first = tree->leaves + tree->nodes[family.group * SG_LANES + lane].first;
		sgGetKernels()->boundLeaves(positions, indices, first, run, out.boxes, lane);
		for (uint32_t i = 0; body->extraSlabs > 0 && i < run; ++i)
		{
			sgLeafVertices vertices = { positions, indices + first[i].firstVertex };
			BoundLeafExtra(body, &vertices, first[i].vertexCount, out, lane + i);
		}
		rest &= ~(((1u << run) - 1u) << lane);
	}
}

// Lanes of a family straight from the pose.
static void RefitDirect(snugBody* body, sgLaneSet family, uint32_t lanes, sgBoundsOut out, snugCounters* counters)
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

static void MergeExtra(const snugBody* body, sgBounds below, uint32_t mask, sgBoundsOut out, uint32_t lane)
{
	for (uint32_t i = 0; sgVolume_IsDop(body->volume) && i < body->extraSlabs; ++i)
	{
		float lower = INFINITY, upper = -INFINITY;
		for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
		{
			uint32_t from = sgLowestBit(rest);
			lower = fminf(lower, below.extra[i].lower[from]);
			upper = fmaxf(upper, below.extra[i].upper[from]);
		}
		out.extra[i].lower[lane] = lower;
		out.extra[i].upper[lane] = upper;
	}
	if (body->volume == snug_volumeBall)
	{
		const sgBallLanes* balls = (const sgBallLanes*)(const void*)below.extra;
		sgBox box = sgBoxLanes_Get(out.boxes, lane);
		double middle[3], radius = 0.0;
		MiddleOfBox(&box, middle);
		for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
		{
			uint32_t from = sgLowestBit(rest);
			const double center[3] = { (double)balls->center[0][from], (double)balls->center[1][from],
				(double)balls->center[2][from] };
			radius = fmax(radius, Distance(middle, center) + (double)balls->radius[from]);
		}
		SetBall(out.extra, lane, middle, radius);
	}
}

sgBounds sgBody_Refresh(snugBody* body, sgLaneSet set, bool isVisit, sgBoundsScratch* scratch, snugCounters* counters)
{
	const snugModel* model = body->model;
	if (body->isAtRest || body->deform->bound == NULL)
	{
		return (sgBounds){ model->restBounds + set.group, NULL };
	}
	sgCacheGroup* cached = FindGroup(body, set.group, true);
	if (cached != NULL)
	{
		_Atomic uint32_t* version = cached->version + set.first;
		if (isVisit)
		{
			atomic_store_explicit(cached->lastVisit + set.first, body->step, memory_order_relaxed);
		}
		uint32_t found = atomic_load_explicit(version, memory_order_acquire);
		if (found == body->version)
		{
			return View(BoundsOf(cached));
		}
		if (Claim(version, found))
		{
			sgLaneSet family = sgTree_Family(&model->tree, set.group * SG_LANES + set.first);
			RefitDirect(body, family, family.mask, BoundsOf(cached), counters);
			counters->nodesBelowFront += (uint32_t)__builtin_popcount(family.mask);
			atomic_store_explicit(version, body->version, memory_order_release);
			return View(BoundsOf(cached));
		}
	}
	sgBoundsOut out = { &scratch->boxes, scratch->extra };
	RefitDirect(body, set, set.mask, out, counters);
	counters->nodesBelowFront += (uint32_t)__builtin_popcount(set.mask);
	return View(out);
}

// ---- Before a query --------------------------------------------------------------------------------------------

// Whether recent queries looked at a family. A page that was borrowed just now says 0, which is recent once in 65,536
// steps: that costs a refit and nothing else.
static bool IsRecent(snugBody* body, sgLaneSet family)
{
	const sgCacheGroup* cached = FindGroup(body, family.group, false);
	return cached != NULL && (uint16_t)(body->step - cached->lastVisit[family.first]) <= FRONT_MEMORY;
}

// Refit a family: nodes whose children are wanted (all, or the recent ones) by merging those, which are refitted first;
// the others straight from the pose. Recursion is bounded by SG_MAX_DEPTH. Returns false if there is no place for it.
static bool RefitTree(snugBody* body, sgLaneSet family, bool all, snugCounters* counters)
{
	sgCacheGroup* cached = FindGroup(body, family.group, true);
	if (cached == NULL)
	{
		return false;
	}
	// Where only some vertices moved, families that are up to date have nothing below them that is not.
	if (body->deform->refitsBottomUp && cached->version[family.first] == body->version)
	{
		return true;
	}
	const sgTree* tree = &body->model->tree;
	sgBoundsOut out = BoundsOf(cached);
	uint32_t direct = family.leafMask, merged = 0;
	for (uint32_t rest = family.mask & ~family.leafMask; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		sgLaneSet children = sgTree_Children(tree, family.group * SG_LANES + lane);
		if (!(all || IsRecent(body, children)) || !RefitTree(body, children, all, counters))
		{
			direct |= 1u << lane;
			continue;
		}
		sgBounds below = View(BoundsOf(FindGroup(body, children.group, false)));
		sgBox box = sgGetKernels()->mergeBoxes(below.boxes, children.mask);
		sgBoxLanes_Set(out.boxes, lane, &box);
		MergeExtra(body, below, children.mask, out, lane);
		++merged;
	}
	if (direct != 0)
	{
		RefitDirect(body, family, direct, out, counters);
	}
	counters->nodesAtFront += (uint32_t)__builtin_popcount(direct);
	counters->nodesAboveFront += merged;
	atomic_store_explicit(cached->version + family.first, body->version, memory_order_relaxed);
	return true;
}

void sgBody_Prepare(snugBody* body, snugCounters* counters)
{
	if (body->isPrepared || body->isAtRest || body->deform->bound == NULL)
	{
		return;
	}
	body->isPrepared = true;
	++body->step;
	sgLaneSet root = sgTree_Family(&body->model->tree, 0);
	bool all = body->strategy == snug_strategyBottomUp;
	if (body->strategy != snug_strategyOnDemand)
	{
		RefitTree(body, root, all, counters);
	}
}

sgBox sgBody_RootBox(snugBody* body, snugCounters* counters)
{
	// A root that is refitted bottom-up needs everything; others are bounded straight from the pose.
	if (body->deform->refitsBottomUp)
	{
		sgBody_Prepare(body, counters);
	}
	sgBoundsScratch scratch;
	sgLaneSet root = sgTree_Family(&body->model->tree, 0);
	return sgBoxLanes_Get(sgBody_Refresh(body, root, false, &scratch, counters).boxes, 0);
}

void sgBody_ReturnPages(snugBody* body)
{
	for (uint32_t i = 0; i < body->pageCount; ++i)
	{
		uint32_t page = atomic_load_explicit(body->pageTable + i, memory_order_relaxed);
		if (page != SG_NONE)
		{
			sgPool_Return(body->pool, page);
			atomic_store_explicit(body->pageTable + i, SG_NONE, memory_order_relaxed);
		}
	}
}

// After 2^32 - 2 poses the versions start again, and pages must not remember the first time round.
void sgBody_Invalidate(snugBody* body)
{
	++body->version;
	if (!body->ownsPool || body->version == SG_BUSY)
	{
		sgBody_ReturnPages(body);
	}
	if (body->version == SG_BUSY)
	{
		body->version = 1;
	}
	body->isPrepared = false;
}

void sgBody_InvalidateLeaf(snugBody* body, uint32_t leaf)
{
	const sgTree* tree = &body->model->tree;
	uint32_t slot = tree->leaves[leaf].slot;
	body->isPrepared = false;
	while (slot != SG_NONE)
	{
		sgLaneSet family = sgTree_Family(tree, slot);
		sgCacheGroup* cached = FindGroup(body, family.group, false);
		// No early end at a version of zero: a page borrowed late has zeros below boxes that are up to date.
		if (cached != NULL)
		{
			atomic_store_explicit(cached->version + family.first, 0, memory_order_relaxed);
		}
		slot = tree->nodes[slot].parent;
	}
}
