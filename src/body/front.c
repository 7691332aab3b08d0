// src/body/front.c: what is refitted before a query: the front, or everything. See body.h.
//
// The front (Steinemann, Otaduy, Gross 2008, section 4): families that recent queries looked at are refitted before the
// next query, the deepest of them straight from the pose, those above by merging, which is cheaper and tighter; what
// queries look at below is refitted on demand (refresh.c). A stamp per family says when a query last looked at it, so
// any number of partners share one front, and nothing is allocated.
#include "body/cache.h"

/// As parts of all families: the automatic strategy begins to refit all when queries looked at more than MANY in two
/// steps in a row, and stops when they looked at fewer than FEW in one.
#define MANY_FAMILIES 0.5
#define FEW_FAMILIES 0.4

// Whether recent queries looked at a family. A page that was borrowed just now says 0, which is recent once in 65,536
// steps: that costs a refit and nothing else.
static bool IsRecent(const snugBody* body, const sgCacheGroup* cached)
{
	return cached != NULL && (uint16_t)(body->step - cached->lastVisit) <= body->frontMemory;
}

// Refit a family: nodes whose children are wanted (all, or the recent ones) by merging those, which are refitted first;
// the others, and those whose children have no place, straight from the pose. Recursion is bounded by SG_MAX_DEPTH.
// Returns how many families were refitted.
static uint32_t RefitTree(snugBody* body, sgLaneSet family, sgCacheGroup* cached, bool all, snugCounters* counters)
{
	const sgTree* tree = &body->model->tree;
	// Where only some vertices moved, families that are up to date have nothing below them that is not. Before a query
	// the same holds for all models, but for the root, whose box may have been asked for.
	if ((body->deform->refitsBottomUp || family.group != 0) && cached->version == body->version)
	{
		return 0;
	}
	uint32_t direct = family.leafMask, merged = 0, refitted = 1;
	for (uint32_t rest = family.mask & ~family.leafMask; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		sgLaneSet children = sgTree_Children(tree, family.group * SG_LANES + lane);
		sgCacheGroup* cachedChildren = sgCache_FindGroup(body, children.group, all);
		if (cachedChildren == NULL || !(all || IsRecent(body, cachedChildren)))
		{
			direct |= 1u << lane;
			continue;
		}
		refitted += RefitTree(body, children, cachedChildren, all, counters);
		sgRefitMerged(cached, lane, cachedChildren, children.mask);
		++merged;
	}
	bool hasHeld = cached->version != 0;
	if (direct != 0 && sgRefitCached(body, cached, family, direct, hasHeld, counters))
	{
		sgCountRefits(counters, &counters->nodesAtFront, sgCountBits(direct));
	}
	sgCountRefits(counters, &counters->nodesAboveFront, merged);
	sgCache_Publish(body, cached);
	return refitted;
}

static bool NeedsPreparing(const snugBody* body)
{
	return !body->isPrepared && !body->isAtRest && body->deform->bound != NULL;
}

// How long the automatic strategy remembers in this step: less if much of what was refitted before the last queries was
// not looked at, more if nearly all was. Without a front, the families looked at in two steps in a row predict how one
// would do.
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

// Whether the automatic strategy refits everything in this step. Where queries look at most of a body, what is left out
// does not make up for bounding nodes straight from the pose.
static bool PaysToRefitAll(const snugBody* body, uint32_t visits, uint32_t repeats)
{
	double families = (double)(body->model->tree.nodeCount - body->model->tree.leafCount);
	return body->refitsAll ? (double)visits >= FEW_FAMILIES * families : (double)repeats > MANY_FAMILIES * families;
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
	uint32_t repeats = atomic_exchange_explicit(&body->repeats, 0, memory_order_relaxed);
	double coherence = Ratio(repeats, body->lastVisits);
	uint32_t prepared = atomic_exchange_explicit(&body->prepared, 0, memory_order_relaxed);
	double wellTaken = Ratio(atomic_exchange_explicit(&body->wellTaken, 0, memory_order_relaxed), prepared);
	body->lastVisits = visits;
	if (body->strategy == snug_strategyAuto && (visits > 0 || body->refitsAll))
	{
		body->frontMemory = body->refitsAll ? body->frontMemory : AdaptMemory(body->frontMemory, wellTaken, coherence);
		body->refitsAll = PaysToRefitAll(body, visits, repeats);
	}
}

// The automatic strategy has a front for queries that report what they visited (sgBody_AddVisits). Queries that look at
// little of a body report nothing, and need none.
static bool RefitsBefore(const snugBody* body)
{
	bool hasFront = body->strategy != snug_strategyAuto || body->lastVisits > 0;
	return (body->frontMemory > 0 && hasFront) || body->refitsAll;
}

// A family whose children are to be refitted, in the cache; null otherwise.
static sgCacheGroup* FindWanted(snugBody* body, sgLaneSet family)
{
	bool all = body->refitsAll;
	sgCacheGroup* cached = sgCache_FindGroup(body, family.group, all);
	return cached != NULL && (all || IsRecent(body, cached)) ? cached : NULL;
}

uint32_t sgBody_BeginPrepare(snugBody* body, uint32_t slots[SG_MAX_SUBTREES])
{
	const sgTree* tree = &body->model->tree;
	uint32_t count = 0;
	sgBody_Derive(body);
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
		uint32_t refitted = RefitTree(body, family, cached, body->refitsAll, counters);
		atomic_fetch_add_explicit(&body->prepared, refitted, memory_order_relaxed);
	}
}

void sgBody_Prepare(snugBody* body, snugCounters* counters)
{
	sgBody_Derive(body);
	if (!NeedsPreparing(body))
	{
		return;
	}
	BeginStep(body);
	body->isPrepared = true;
	body->isBegun = false;
	sgLaneSet root = sgTree_Family(&body->model->tree, 0);
	sgCacheGroup* cached = RefitsBefore(body) ? sgCache_FindGroup(body, root.group, true) : NULL;
	if (cached != NULL)
	{
		uint32_t refitted = RefitTree(body, root, cached, body->refitsAll, counters);
		atomic_fetch_add_explicit(&body->prepared, refitted, memory_order_relaxed);
	}
}

sgBox sgBody_RootBox(snugBody* body, snugCounters* counters)
{
	sgBody_Derive(body);
	// A root that is refitted bottom-up needs everything; others are bounded straight from the pose.
	if (body->deform->refitsBottomUp)
	{
		sgBody_Prepare(body, counters);
	}
	if (body->model->tree.triangleCount == 0)
	{
		return sgBox_Empty();
	}
	sgBoxLanes scratch;
	sgLaneSet root = sgTree_Family(&body->model->tree, 0);
	return sgBoxLanes_Get(sgBody_Refresh(body, root, &scratch, counters), 0);
}
