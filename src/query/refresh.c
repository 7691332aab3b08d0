// src/query/refresh.c: bringing bounds and clusters up to date, on demand or before a query. See body.h.
#include "body.h"

#include "geometry/frame.h"
#include "kernels/isa.h"

#include <math.h>
#include <string.h>

/// Boxes may be grown by what their body moved, instead of being refitted, while that adds up to no more than this part
/// of their extent.
#define MAX_GROWTH 0.1f

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

sgLeafSource sgBody_FindLeaves(snugBody* body, const sgLeaf* leaf, snugCounters* counters)
{
	const sgTree* tree = &body->model->tree;
	const sgClusters* clusters = &body->model->clusters;
	const float* atHand = PositionsAtHand(body);
	if (atHand != NULL)
	{
		return (sgLeafSource){ .positions = atHand, .indices = tree->leafVertices };
	}
	const sgCluster* cluster = clusters->clusters + clusters->ofLeaf[leaf - tree->leaves];
	return (sgLeafSource){ .positions = CachedCluster(body, cluster, counters), .indices = clusters->places };
}

sgLeafVertices sgBody_LeafVertices(const snugBody* body, const sgLeafSource* source, const sgLeaf* leaf,
    sgLeafScratch* scratch, snugCounters* counters)
{
	if (source->positions != NULL)
	{
		counters->verticesEvaluated += body->deform->positions != NULL ? leaf->vertexCount : 0;
		return (sgLeafVertices){ source->positions, source->indices + leaf->firstVertex };
	}
	counters->verticesEvaluated += leaf->vertexCount;
	return sgBody_Evaluate(body, body->model->tree.leafVertices + leaf->firstVertex, leaf->vertexCount, scratch);
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
		middle[k] = (double)(float)(0.5 * ((double)box->lower[k] + (double)box->upper[k]));
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

static void Publish(const snugBody* body, sgCacheGroup* cached, sgLaneSet family)
{
	cached->travel[family.first / 2] = body->travel;
	atomic_store_explicit(cached->version + family.first / 2, body->version, memory_order_release);
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

// Grow boxes by what the body moved since they held, if they stay tight enough: temporal coherence for those nodes that
// are large and far from any contact, which are the costliest to bound. Boxes contain all positions then, since none
// moved farther. All lanes or none.
static bool GrowBoxes(const snugBody* body, sgCacheGroup* cached, sgLaneSet family, uint32_t lanes)
{
	uint16_t* grown = cached->grown + family.first / 2;
	float motion = sgRoundUp(body->travel - cached->travel[family.first / 2]);
	float growth = UnpackGrowth(*grown) + motion;
	if (body->frontMemory == 0 || body->volume != snug_volumeBox ||
	    !(growth <= MAX_GROWTH * sgGetKernels()->leastExtent(&cached->boxes, lanes)))
	{
		return false;
	}
	*grown = PackGrowth(growth);
	sgGetKernels()->growBoxes(&cached->boxes, lanes, motion);
	return true;
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
		_Atomic uint32_t* version = cached->version + set.first / 2;
		if (isVisit)
		{
			NoteVisit(body, cached, set.first / 2);
		}
		uint32_t found = atomic_load_explicit(version, memory_order_acquire);
		if (found == body->version)
		{
			return View(BoundsOf(cached));
		}
		if (Claim(version, found))
		{
			sgLaneSet family = sgTree_Family(&model->tree, set.group * SG_LANES + set.first);
			if (found == 0 || !GrowBoxes(body, cached, family, family.mask))
			{
				RefitDirect(body, family, family.mask, BoundsOf(cached), counters);
				cached->grown[family.first / 2] = 0;
				counters->nodesBelowFront += (uint32_t)__builtin_popcount(family.mask);
			}
			Publish(body, cached, family);
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
static bool IsRecent(const snugBody* body, const sgCacheGroup* cached, sgLaneSet family)
{
	return cached != NULL && (uint16_t)(body->step - cached->lastVisit[family.first / 2]) <= body->frontMemory;
}

// Refit a family: nodes whose children are wanted (all, or the recent ones) by merging those, which are refitted first;
// the others, and those whose children have no place, straight from the pose. Recursion is bounded by SG_MAX_DEPTH.
static void RefitTree(snugBody* body, sgLaneSet family, sgCacheGroup* cached, bool all, snugCounters* counters)
{
	const sgTree* tree = &body->model->tree;
	// Where only some vertices moved, families that are up to date have nothing below them that is not. Before a query
	// the same holds for all models, but for the root, whose box may have been asked for.
	bool isRoot = tree->nodes[family.group * SG_LANES + family.first].parent == SG_NONE;
	if ((body->deform->refitsBottomUp || !isRoot) && cached->version[family.first / 2] == body->version)
	{
		return;
	}
	sgBoundsOut out = BoundsOf(cached);
	uint32_t direct = family.leafMask, merged = 0;
	for (uint32_t rest = family.mask & ~family.leafMask; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		sgLaneSet children = sgTree_Children(tree, family.group * SG_LANES + lane);
		sgCacheGroup* cachedChildren = FindGroup(body, children.group, all);
		if (cachedChildren == NULL || !(all || IsRecent(body, cachedChildren, children)))
		{
			direct |= 1u << lane;
			continue;
		}
		RefitTree(body, children, cachedChildren, all, counters);
		sgBounds below = View(BoundsOf(cachedChildren));
		sgBox box = sgGetKernels()->mergeBoxes(below.boxes, children.mask);
		sgBoxLanes_Set(out.boxes, lane, &box);
		MergeExtra(body, below, children.mask, out, lane);
		++merged;
	}
	bool isKnown = cached->version[family.first / 2] != 0;
	if (direct != 0 && !(isKnown && GrowBoxes(body, cached, family, direct)))
	{
		RefitDirect(body, family, direct, out, counters);
		cached->grown[family.first / 2] = 0;
		counters->nodesAtFront += (uint32_t)__builtin_popcount(direct);
	}
	counters->nodesAboveFront += merged;
	atomic_fetch_add_explicit(&body->prepared, 1, memory_order_relaxed);
	Publish(body, cached, family);
}

static bool NeedsPreparing(const snugBody* body)
{
	return !body->isPrepared && !body->isAtRest && body->deform->bound != NULL;
}

// How long the automatic strategy remembers in this step: less if much of what was refitted before the last queries was
// not looked at, more if nearly all was. Without a front, families looked at in two steps in a row tell how it would
// be.
static uint16_t AdaptMemory(uint16_t memory, double wellTaken, double coherence)
{
	if (memory == 0)
	{
		return coherence > 0.6;
	}
	if (wellTaken < 0.5)
	{
		return memory / 2;
	}
	bool isGood = wellTaken > 0.7 && memory < SG_FRONT_MEMORY;
	return isGood ? (uint16_t)(memory * 2) : memory;
}

static double Ratio(uint32_t part, uint32_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 1.0;
}

static void BeginStep(snugBody* body)
{
	if (body->isBegun)
	{
		return;
	}
	body->isBegun = true;
	++body->step;
	uint32_t visits = atomic_exchange_explicit(&body->visits, 0, memory_order_relaxed);
	double coherence = Ratio(atomic_exchange_explicit(&body->repeats, 0, memory_order_relaxed), body->lastVisits);
	uint32_t prepared = atomic_exchange_explicit(&body->prepared, 0, memory_order_relaxed);
	double wellTaken = Ratio(atomic_exchange_explicit(&body->wellTaken, 0, memory_order_relaxed), prepared);
	body->lastVisits = visits;
	if (body->strategy == snug_strategyAuto && visits > 0)
	{
		body->frontMemory = AdaptMemory(body->frontMemory, wellTaken, coherence);
	}
}

static bool RefitsBefore(const snugBody* body)
{
	return body->frontMemory > 0 || body->strategy == snug_strategyBottomUp;
}

// A family whose children are to be refitted, in the cache; null otherwise.
static sgCacheGroup* FindWanted(snugBody* body, sgLaneSet family)
{
	bool all = body->strategy == snug_strategyBottomUp;
	sgCacheGroup* cached = FindGroup(body, family.group, all);
	return cached != NULL && (all || IsRecent(body, cached, family)) ? cached : NULL;
}

uint32_t sgBody_BeginPrepare(snugBody* body, uint32_t slots[SG_MAX_SUBTREES])
{
	const sgTree* tree = &body->model->tree;
	uint32_t count = 0;
	if (!NeedsPreparing(body) || sgTree_IsLeaf(tree, 0))
	{
		return 0;
	}
	BeginStep(body);
	if (!RefitsBefore(body))
	{
		return 0;
	}
	sgLaneSet top = sgTree_Children(tree, 0);
	for (uint32_t rest = top.mask & ~top.leafMask; rest != 0; rest &= rest - 1)
	{
		sgLaneSet below = sgTree_Children(tree, top.group * SG_LANES + sgLowestBit(rest));
		for (uint32_t others = below.mask & ~below.leafMask; others != 0; others &= others - 1)
		{
			uint32_t slot = below.group * SG_LANES + sgLowestBit(others);
			if (FindWanted(body, sgTree_Children(tree, slot)) != NULL)
			{
				slots[count++] = slot;
			}
		}
	}
	return count;
}

void sgBody_PrepareSubtree(snugBody* body, uint32_t slot, snugCounters* counters)
{
	sgLaneSet family = sgTree_Children(&body->model->tree, slot);
	sgCacheGroup* cached = FindWanted(body, family);
	if (cached != NULL)
	{
		RefitTree(body, family, cached, body->strategy == snug_strategyBottomUp, counters);
	}
}

void sgBody_Prepare(snugBody* body, snugCounters* counters)
{
	if (!NeedsPreparing(body))
	{
		return;
	}
	BeginStep(body);
	body->isPrepared = true;
	body->isBegun = false;
	sgLaneSet root = sgTree_Family(&body->model->tree, 0);
	sgCacheGroup* cached = RefitsBefore(body) ? FindGroup(body, root.group, true) : NULL;
	if (cached != NULL)
	{
		RefitTree(body, root, cached, body->strategy == snug_strategyBottomUp, counters);
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
void sgBody_Invalidate(snugBody* body, double motion)
{
	++body->version;
	body->travel += motion;
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
			atomic_store_explicit(cached->version + family.first / 2, 0, memory_order_relaxed);
		}
		slot = tree->nodes[slot].parent;
	}
}
