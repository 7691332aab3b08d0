// src/body/cache.c: see cache.h; clusters and vertices of leaves, body.h.
#include "body/cache.h"

#include <math.h>

static sgPage* PageOf(const snugBody* body, uint32_t page)
{
	return page == SG_NONE ? NULL : body->pool->pages + page;
}

static sgPage* FindPage(const snugBody* body, uint32_t index)
{
	return PageOf(body, atomic_load_explicit(body->pageTable + index, memory_order_acquire));
}

// Give a body a page on which nothing is up to date.
static sgPage* KeepPage(snugBody* body, uint32_t index, uint32_t borrowed)
{
	uint32_t page = SG_NONE;
	// Another thread may have been faster; then `page` is its page.
	if (atomic_compare_exchange_strong_explicit(
	        body->pageTable + index, &page, borrowed, memory_order_acq_rel, memory_order_acquire))
	{
		atomic_fetch_add_explicit(&body->heldCount, 1, memory_order_relaxed);
		return PageOf(body, borrowed);
	}
	sgPool_ReturnChain(body->pool, borrowed, borrowed);
	return PageOf(body, page);
}

// Only what says that nothing holds is written. The rest, most of a page, is written before it is read.
static sgPage* BorrowGroups(snugBody* body, uint32_t index)
{
	const uint32_t borrowed = sgPool_Borrow(body->pool);
	sgPage* page = PageOf(body, borrowed);
	for (uint32_t i = 0; page != NULL && i < 1u << SG_GROUPS_SHIFT; ++i)
	{
		sgCacheGroup* group = (sgCacheGroup*)(void*)page->bytes + i;
		atomic_init(&group->version, 0);
		atomic_init(&group->lastVisit, 0);
		group->grown = 0;
		group->travel = 0.0;
	}
	return page != NULL ? KeepPage(body, index, borrowed) : NULL;
}

sgCacheGroup* sgCache_FindGroup(snugBody* body, uint32_t group, bool borrow)
{
	const uint32_t index = group >> SG_GROUPS_SHIFT;
	sgPage* page = FindPage(body, index);
	page = page == NULL && borrow ? BorrowGroups(body, index) : page;
	if (page == NULL)
	{
		return NULL;
	}
	return (sgCacheGroup*)(void*)page->bytes + (group & ((1u << SG_GROUPS_SHIFT) - 1u));
}

// ---- Vertices --------------------------------------------------------------------------------------------------

static void EvaluateCluster(const snugBody* body, uint32_t number, float* out, snugCounters* counters)
{
	body->deform->evaluateCluster(&body->posed, number, out);
	counters->verticesEvaluated += body->model->clusters.clusters[number].vertexCount;
}

static uint32_t ClusterOf(const snugBody* body, const sgLeaf* leaf)
{
	return body->model->clusters.ofLeaf[leaf - body->model->tree.leaves];
}

void sgCache_EvaluateCluster(const snugBody* body, const sgLeaf* leaf, float* out, snugCounters* counters)
{
	EvaluateCluster(body, ClusterOf(body, leaf), out, counters);
}

static uint32_t ClusterPage(const snugBody* body, uint32_t number)
{
	return body->groupPages + body->model->clusters.clusters[number].place / SG_PAGE_FLOATS;
}

// Where a cluster's version is on its page; its positions follow.
static _Atomic uint32_t* ClusterVersion(const snugBody* body, uint32_t number, sgPage* page)
{
	const size_t place = body->model->clusters.clusters[number].place % SG_PAGE_FLOATS;
	return (_Atomic uint32_t*)(void*)(page->bytes + place * sizeof(float));
}

// The page of a cluster; clusters lie in pages in the order of their numbers.
static sgPage* BorrowClusters(snugBody* body, uint32_t number)
{
	const uint32_t index = ClusterPage(body, number), count = body->model->clusters.header->count;
	const uint32_t borrowed = sgPool_Borrow(body->pool);
	sgPage* page = PageOf(body, borrowed);
	if (page == NULL)
	{
		return NULL;
	}
	while (number > 0 && ClusterPage(body, number - 1) == index)
	{
		--number;
	}
	for (; number < count && ClusterPage(body, number) == index; ++number)
	{
		atomic_init(ClusterVersion(body, number, page), 0);
	}
	return KeepPage(body, index, borrowed);
}

// Positions of a cluster, in the cache. Null if there is no place for them, or another thread is computing them.
static const float* CachedCluster(snugBody* body, uint32_t number, snugCounters* counters)
{
	sgPage* page = FindPage(body, ClusterPage(body, number));
	page = page == NULL ? BorrowClusters(body, number) : page;
	if (page == NULL)
	{
		return NULL;
	}
	_Atomic uint32_t* version = ClusterVersion(body, number, page);
	float* positions = (float*)(void*)(version + 1);
	uint32_t found = atomic_load_explicit(version, memory_order_acquire);
	if (found == body->version)
	{
		return positions;
	}
	if (!sgCache_Claim(version, found))
	{
		return NULL;
	}
	EvaluateCluster(body, number, positions, counters);
	atomic_store_explicit(version, body->version, memory_order_release);
	return positions;
}

// Clusters belong to models that evaluate; the others have their positions at hand.
static const float* PositionsAtHand(const snugBody* body)
{
	return body->deform->positions != NULL ? body->deform->positions(&body->posed) : NULL;
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
	body->deform->evaluate(&body->posed, vertices, count, scratch->positions);
	return (sgLeafVertices){ scratch->positions, upwards };
}

sgLeafSource sgBody_FindLeaves(snugBody* body, const sgLeaf* leaf, snugCounters* counters)
{
	const float* atHand = PositionsAtHand(body);
	if (atHand != NULL)
	{
		return (sgLeafSource){ .positions = atHand, .indices = body->model->tree.leafVertices };
	}
	return (sgLeafSource){
		.positions = CachedCluster(body, ClusterOf(body, leaf), counters),
		.indices = body->model->clusters.places,
	};
}

sgLeafVertices sgBody_LeafVertices(const snugBody* body, const sgLeafSource* source, const sgLeaf* leaf,
    sgLeafScratch* scratch, snugCounters* counters)
{
	if (source->positions != NULL)
	{
		counters->verticesEvaluated += body->deform->positions != NULL ? leaf->vertexCount : 0;
		return (sgLeafVertices){ source->positions, source->indices + leaf->firstVertex };
	}
	EvaluateCluster(body, ClusterOf(body, leaf), scratch->positions, counters);
	return (sgLeafVertices){ scratch->positions, body->model->clusters.places + leaf->firstVertex };
}

// ---- Looking ahead ---------------------------------------------------------------------------------------------

/// Bytes of a cluster that are asked for ahead; most have little more.
#define EXPECTED_CLUSTER_BYTES 512

static void PrefetchPage(const snugBody* body, uint32_t index, size_t offset, size_t bytes)
{
	uint32_t page = atomic_load_explicit(body->pageTable + index, memory_order_relaxed);
	if (page != SG_NONE)
	{
		sgPrefetch(body->pool->pages[page].bytes + offset, bytes);
	}
}

static void ExpectLeaves(const snugBody* body, uint32_t firstLeaf, uint32_t count)
{
	const sgClusters* clusters = &body->model->clusters;
	sgPrefetch(body->model->tree.leaves + firstLeaf, count * sizeof(sgLeaf));
	if (clusters->header != NULL)
	{
		uint32_t place = clusters->clusters[clusters->ofLeaf[firstLeaf]].place;
		PrefetchPage(body, body->groupPages + place / SG_PAGE_FLOATS, (place % SG_PAGE_FLOATS) * sizeof(float),
		    EXPECTED_CLUSTER_BYTES);
	}
}

void sgBody_Expect(const snugBody* body, uint32_t slot)
{
	const sgTree* tree = &body->model->tree;
	const sgNode* node = tree->nodes + slot;
	if (node->childCount == 0)
	{
		return;
	}
	uint32_t group = node->first / SG_LANES;
	if (body->isAtRest || body->deform->bound == NULL)
	{
		sgPrefetch(body->model->restBounds + group, sizeof(sgBoxLanes));
	}
	else
	{
		uint32_t number = group & ((1u << SG_GROUPS_SHIFT) - 1u);
		PrefetchPage(body, group >> SG_GROUPS_SHIFT, number * sizeof(sgCacheGroup), sizeof(sgCacheGroup));
	}
	if ((node->leafMask & 1) != 0)
	{
		ExpectLeaves(body, tree->nodes[node->first].first, node->childCount);
	}
}

// ---- Forgetting ------------------------------------------------------------------------------------------------

void sgBody_ReturnPages(snugBody* body)
{
	bool holdsAny = atomic_exchange_explicit(&body->heldCount, 0, memory_order_relaxed) != 0;
	uint32_t top = SG_NONE, bottom = SG_NONE;
	for (uint32_t i = 0; holdsAny && i < body->pageCount; ++i)
	{
		uint32_t page = atomic_load_explicit(body->pageTable + i, memory_order_relaxed);
		if (page != SG_NONE)
		{
			sgPool_Link(body->pool, page, top);
			bottom = top == SG_NONE ? page : bottom;
			top = page;
			atomic_store_explicit(body->pageTable + i, SG_NONE, memory_order_relaxed);
		}
	}
	if (top != SG_NONE)
	{
		sgPool_ReturnChain(body->pool, top, bottom);
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

// Once a body has travelled so far that this step would vanish in the rounding of the sum, or infinitely far, pages
// must forget where it started.
void sgBody_Travel(snugBody* body, double motion)
{
	bool isLost = !(body->travel <= 0x1p30 * motion);
	if (isLost)
	{
		sgBody_ReturnPages(body);
	}
	// Rounded up, so that the distance between two poses is never less than the sum of its parts.
	body->travel = nextafter((isLost ? 0.0 : body->travel) + motion, INFINITY);
}

void sgBody_InvalidateLeaf(snugBody* body, uint32_t leaf)
{
	const sgTree* tree = &body->model->tree;
	uint32_t slot = tree->leaves[leaf].slot;
	body->isPrepared = false;
	while (slot != SG_NONE)
	{
		sgCacheGroup* cached = sgCache_FindGroup(body, slot / SG_LANES, false);
		// No early exit at a version of zero: a page borrowed late has zeros below boxes that are up to date.
		if (cached != NULL)
		{
			atomic_store_explicit(&cached->version, 0, memory_order_relaxed);
		}
		slot = tree->nodes[slot].parent;
	}
}
