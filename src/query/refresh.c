// src/query/refresh.c: bringing bounds up to date, on demand or from the leaves up. See body.h.
#include "body.h"

#include "kernels/isa.h"

// The cached group, or null if it has no page. With `borrow`, tries to get one.
static sgCacheGroup* FindGroup(snugBody* body, uint32_t group, bool borrow)
{
	uint32_t* page = body->pageTable + group / SG_PAGE_GROUPS;
	if (*page == SG_NONE && borrow)
	{
		*page = sgPool_Borrow(body->pool);
	}
	return *page == SG_NONE ? NULL : body->pool->pages[*page].groups + group % SG_PAGE_GROUPS;
}

// Every lane counts: a leaf may have been refreshed alone, since a page turned up after its family was computed
// without.
static bool IsCurrent(const sgCacheGroup* cached, uint32_t mask, uint32_t version)
{
	uint32_t stale = 0;
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		stale |= (uint32_t)(cached->version[lane] != version) << lane;
	}
	return (stale & mask) == 0;
}

static void SetVersion(sgCacheGroup* cached, uint32_t mask, uint32_t version)
{
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		cached->version[lane] = (mask >> lane & 1) != 0 ? version : cached->version[lane];
	}
}

const sgBoxLanes* sgBody_Refresh(snugBody* body, sgLaneSet family, sgBoxLanes* scratch, uint64_t* refitted)
{
	const snugModel* model = body->model;
	if (body->isAtRest || body->deform->bound == NULL)
	{
		return model->restBounds + family.group;
	}
	sgCacheGroup* cached = FindGroup(body, family.group, true);
	if (cached != NULL && IsCurrent(cached, family.mask, body->version))
	{
		return &cached->bounds;
	}
	sgBoxLanes* out = cached != NULL ? &cached->bounds : scratch;
	body->deform->bound(model, body->pose, &family, 1, &out);
	*refitted += (uint32_t)__builtin_popcount(family.mask);
	if (cached != NULL)
	{
		SetVersion(cached, family.mask, body->version);
	}
	return out;
}

// Boxes of a family from the boxes below. Leaves are bounded directly, and so are nodes whose children found no place
// in the cache: a page may have turned up since, with nothing in it, so their version decides and not their place.
static void RefitFamily(snugBody* body, sgLaneSet family, sgBoxLanes* out)
{
	const sgTree* tree = &body->model->tree;
	const sgKernels* kernels = sgGetKernels();
	uint32_t direct = family.leafMask;
	for (uint32_t rest = family.mask & ~family.leafMask; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		sgLaneSet children = sgTree_Open(tree, family.group * SG_LANES + lane);
		const sgCacheGroup* below = FindGroup(body, children.group, false);
		if (below == NULL || !IsCurrent(below, children.mask, body->version))
		{
			direct |= 1u << lane;
			continue;
		}
		sgBox box = kernels->mergeBoxes(&below->bounds, children.mask);
		sgBoxLanes_Set(out, lane, &box);
	}
	if (direct != 0)
	{
		sgLaneSet lanes = { family.group, direct, family.leafMask };
		body->deform->bound(body->model, body->pose, &lanes, 1, &out);
	}
}

static void RefitFamilyOnce(snugBody* body, sgLaneSet family, uint64_t* refitted)
{
	sgCacheGroup* cached = FindGroup(body, family.group, true);
	if (cached != NULL && !IsCurrent(cached, family.mask, body->version))
	{
		RefitFamily(body, family, &cached->bounds);
		SetVersion(cached, family.mask, body->version);
		*refitted += (uint32_t)__builtin_popcount(family.mask);
	}
}

// Families that are not up to date have none above them that is, so it is enough to go down where they are. Recursion
// is bounded by SG_MAX_DEPTH.
static void RefitBelow(snugBody* body, uint32_t slot, uint64_t* refitted)
{
	const sgTree* tree = &body->model->tree;
	sgLaneSet family = sgTree_Open(tree, slot);
	const sgCacheGroup* cached = FindGroup(body, family.group, true);
	if (cached != NULL && IsCurrent(cached, family.mask, body->version))
	{
		return;
	}
	for (uint32_t rest = family.mask & ~family.leafMask; rest != 0; rest &= rest - 1)
	{
		RefitBelow(body, family.group * SG_LANES + sgLowestBit(rest), refitted);
	}
	RefitFamilyOnce(body, family, refitted);
}

void sgBody_RefitBottomUp(snugBody* body, uint64_t* refitted)
{
	const sgTree* tree = &body->model->tree;
	if (!body->deform->refitsBottomUp || body->isRefitted || body->isAtRest)
	{
		return;
	}
	if (!sgTree_IsLeaf(tree, 0))
	{
		RefitBelow(body, 0, refitted);
	}
	RefitFamilyOnce(body, sgTree_Family(tree, 0), refitted);
	body->isRefitted = true;
}

sgBox sgBody_RootBox(snugBody* body, uint64_t* refitted)
{
	sgBody_RefitBottomUp(body, refitted);
	sgBoxLanes scratch;
	sgLaneSet root = sgTree_Family(&body->model->tree, 0);
	return sgBoxLanes_Get(sgBody_Refresh(body, root, &scratch, refitted), 0);
}

void sgBody_ReturnPages(snugBody* body)
{
	for (uint32_t i = 0; i < body->pageCount; ++i)
	{
		if (body->pageTable[i] != SG_NONE)
		{
			sgPool_Return(body->pool, body->pageTable[i]);
			body->pageTable[i] = SG_NONE;
		}
	}
}

// After 2^32 - 1 poses the versions start again, and pages must not remember the first time round.
void sgBody_Invalidate(snugBody* body)
{
	++body->version;
	if (!body->ownsPool || body->version == 0)
	{
		sgBody_ReturnPages(body);
	}
	if (body->version == 0)
	{
		body->version = 1;
	}
	body->isRefitted = false;
}

void sgBody_InvalidateLeaf(snugBody* body, uint32_t leaf)
{
	const sgTree* tree = &body->model->tree;
	uint32_t slot = tree->leaves[leaf].slot;
	body->isRefitted = false;
	while (slot != SG_NONE)
	{
		sgLaneSet family = sgTree_Family(tree, slot);
		sgCacheGroup* cached = FindGroup(body, family.group, false);
		// No early end at a version of zero: a page borrowed late has zeros below boxes that are up to date.
		if (cached != NULL)
		{
			SetVersion(cached, family.mask, 0);
		}
		slot = tree->nodes[slot].parent;
	}
}
