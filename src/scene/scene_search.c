// src/scene/scene_search.c: from candidates that are left to the triangles that touch. See scene.h.
#include "query/pairs.h"
#include "scene/scene.h"

#include <string.h>

/// What a thread does in one go.
enum
{
	BODIES_PER_TASK = 8,
	SEARCHES_PER_TASK = 4,
	SEARCHES_TOGETHER = 32, ///< by one thread that has no others
	FEW_SEARCHES = 12,      ///< fewer than this are answered one after the other, each by all threads
};

// ---- What is looked at ----------------------------------------------------------------------------------------------

// Searches of what is left of the candidates, with what is remembered of pairs that touched last time.
static void ListSearches(snugScene* scene)
{
	const sgSceneFrame* last = scene->frame;
	uint64_t next = 0;
	scene->searchCount = 0;
	for (uint64_t i = 0; i < scene->candidateCount; ++i)
	{
		uint64_t pair = scene->candidates[i];
		uint32_t a = (uint32_t)(pair >> 32), b = (uint32_t)pair;
		if (pair == SG_NO_CANDIDATE)
		{
			continue;
		}
		while (next < last->count && ((uint64_t)last->pairs[next].a << 32 | last->pairs[next].b) < pair)
		{
			++next;
		}
		bool isKnown = next < last->count && last->pairs[next].a == a && last->pairs[next].b == b;
		sgSceneSearch* search = scene->searches + scene->searchCount++;
		*search = scene->searches[i];
		search->witness = isKnown ? last->witnesses[next] : (snugWitness){ { 0 } };
		search->firstBlock = search->lastBlock = SG_NONE;
		search->isOver = search->isCut = false;
	}
}

static void ListBody(snugScene* scene, uint32_t id)
{
	if (!scene->bodies[id].isShape)
	{
		sgScene_List(scene, id);
	}
}

/// Searches that come next to each other.
typedef struct Stretch
{
	snugScene* scene;
	sgSceneSearch* searches;
	uint64_t count;
	bool trianglePairs;
} Stretch;

// Leave out searches that are over; list the bodies of the others.
static void ListSearched(Stretch* stretch)
{
	snugScene* scene = stretch->scene;
	uint64_t count = 0;
	sgScene_BeginList(scene);
	for (uint64_t i = 0; i < stretch->count; ++i)
	{
		if (!stretch->searches[i].isOver)
		{
			sgSceneSearch* search = stretch->searches + count++;
			*search = stretch->searches[i];
			ListBody(scene, search->a);
			ListBody(scene, search->b);
		}
	}
	stretch->count = count;
}

// Ask memory for what deriving the listed bodies after this one reads and writes.
// @param end bodies from this one on are another task's
SG_INLINE void ExpectListed(const snugScene* scene, uint32_t index, uint32_t end)
{
	if (index + 2 < end)
	{
		sgPrefetch(scene->bodies[scene->list[index + 2]].body, 64);
	}
	if (index + 1 < end)
	{
		const snugBody* body = scene->bodies[scene->list[index + 1]].body;
		sgPrefetch(body->posed.pose, body->poseBytes);
		sgPrefetch(body->derived, body->derivedBytes);
	}
}

static void DeriveTask(void* context, uint32_t index)
{
	const snugScene* scene = context;
	uint32_t first = index * BODIES_PER_TASK, end = first + BODIES_PER_TASK;
	end = end < scene->listCount ? end : scene->listCount;
	for (uint32_t i = first; i < end; ++i)
	{
		ExpectListed(scene, i, end);
		sgBody_Derive(scene->bodies[scene->list[i]].body);
	}
}

static void RefineTask(void* context, uint32_t index)
{
	const Stretch* stretch = context;
	snugCounters counters = { 0 };
	uint64_t first = (uint64_t)index * SEARCHES_PER_TASK, end = first + SEARCHES_PER_TASK;
	end = end < stretch->count ? end : stretch->count;
	for (uint64_t i = first; i < end; ++i)
	{
		sgSceneSearch* search = stretch->searches + i;
		if (search->levelCount > 0 && search->canBeFiner && search->witness.memory[0] == 0)
		{
			sgScene_RefineSearch(stretch->scene, search, &counters);
		}
	}
	sgScene_Count(stretch->scene, &counters);
}

// Leaves this far down are bounded by their vertices, by any thread.
static void RefineSearches(Stretch* stretch)
{
	snugScene* scene = stretch->scene;
	ListSearched(stretch);
	sgScene_Run(scene, sgTasksFor(scene->listCount, BODIES_PER_TASK), DeriveTask, scene);
	sgScene_Run(scene, sgTasksFor(stretch->count, SEARCHES_PER_TASK), RefineTask, stretch);
	ListSearched(stretch);
}

// One step of a body's front, and whether its vertices can be placed. After this, threads may share it.
static void PrepareTask(void* context, uint32_t index)
{
	snugScene* scene = context;
	snugCounters counters = { 0 };
	uint32_t first = index * BODIES_PER_TASK;
	for (uint32_t i = first; i < first + BODIES_PER_TASK && i < scene->listCount; ++i)
	{
		sgSceneBody* entry = scene->bodies + scene->list[i];
		sgPlacement placement;
		sgBody_Prepare(entry->body, &counters);
		sgBox root = sgBody_RootBox(entry->body, &counters);
		entry->isTooFar = !sgPlacement_Make(&entry->body->frame, scene->origin, &root, &placement);
	}
	sgScene_Count(scene, &counters);
}

uint32_t sgScene_PrepareListed(snugScene* scene)
{
	sgScene_Run(scene, sgTasksFor(scene->listCount, BODIES_PER_TASK), PrepareTask, scene);
	return sgScene_FindTooFar(scene);
}

// ---- Searches -------------------------------------------------------------------------------------------------------

/// Where the pairs of triangles of a search go.
typedef struct Store
{
	snugScene* scene;
	sgSceneSearch* search;
} Store;

static sgSceneBlock* TakeBlock(snugScene* scene, sgSceneSearch* search)
{
	uint32_t number = atomic_fetch_add_explicit(&scene->blockCount, 1, memory_order_relaxed);
	if (number >= sgScene_BlockCount(&scene->room))
	{
		atomic_store_explicit(&scene->blockCount, number, memory_order_relaxed); // so that it never wraps
		return NULL;
	}
	sgSceneBlock* block = scene->blocks + number;
	block->next = SG_NONE;
	block->count = 0;
	if (search->lastBlock != SG_NONE)
	{
		scene->blocks[search->lastBlock].next = number;
	}
	search->firstBlock = search->firstBlock == SG_NONE ? number : search->firstBlock;
	search->lastBlock = number;
	return block;
}

// Pairs for which there is no room are counted.
static bool StorePair(void* user, snugPair pair)
{
	const Store* store = user;
	sgSceneSearch* search = store->search;
	sgSceneBlock* block = search->lastBlock != SG_NONE ? store->scene->blocks + search->lastBlock : NULL;
	if (block != NULL && block->count == SG_BLOCK_PAIRS && block->next != SG_NONE) // it has been searched before
	{
		search->lastBlock = block->next;
		block = store->scene->blocks + block->next;
	}
	if (block == NULL || block->count == SG_BLOCK_PAIRS)
	{
		block = TakeBlock(store->scene, search);
	}
	search->isCut = search->isCut || block == NULL;
	if (block != NULL)
	{
		block->pairs[block->count++] = pair;
	}
	return true;
}

static void RunSearch(const Stretch* stretch, sgSceneSearch* search, snugParallelFcn* parallel)
{
	snugScene* scene = stretch->scene;
	Store store = { scene, search };
	snugPairFcn* keep = stretch->trianglePairs ? StorePair : NULL;
	if (sgScene_HasShape(scene, search))
	{
		sgScene_SearchShape(scene, search, keep, &store);
		return;
	}
	const sgPairOptions options = {
		.origin = scene->origin,
		.firstOnly = !stretch->trianglePairs,
		.asPlaces = stretch->trianglePairs,
		.witness = stretch->trianglePairs || search->a == search->b ? NULL : &search->witness,
		.starts = search->levels,
		.startCount = search->levelCount,
		.workers.run = stretch->trianglePairs ? parallel : NULL,
		.workers.user = scene->workers.user,
	};
	sgSink sink = {
		.callback = keep,
		.user = &store,
		.callersEnvironment = scene->callersEnvironment,
	};
	snugResult result = { .status = snug_success };
	sgFindPairs(scene->bodies[search->a].body, scene->bodies[search->b].body, &options, &sink, &result);
	search->count = sink.count;
	sgScene_Count(scene, &result.counters);
}

static void SearchTask(void* context, uint32_t index)
{
	const Stretch* stretch = context;
	RunSearch(stretch, stretch->searches + index, NULL);
}

static void RunSearches(Stretch* stretch)
{
	snugScene* scene = stretch->scene;
	bool isFew = stretch->count < FEW_SEARCHES || scene->workers.run == NULL;
	if (!isFew)
	{
		sgScene_Run(scene, (uint32_t)stretch->count, SearchTask, stretch);
	}
	for (uint64_t i = 0; isFew && i < stretch->count; ++i)
	{
		RunSearch(stretch, stretch->searches + i, scene->workers.run);
	}
}

// One thread finishes some before it begins with others, so that what it made of their bodies is still in its caches.
// Several would wait for each other more often.
static uint64_t StretchOf(const snugScene* scene)
{
	return scene->workers.run == NULL ? SEARCHES_TOGETHER : UINT64_MAX;
}

uint32_t sgScene_Search(snugScene* scene, bool trianglePairs)
{
	uint32_t tooFar = sgScene_CompareChildren(scene);
	if (tooFar != SG_NONE)
	{
		return tooFar;
	}
	ListSearches(scene);
	atomic_store_explicit(&scene->blockCount, 0, memory_order_relaxed);
	const uint64_t all = scene->searchCount, most = StretchOf(scene);
	scene->searchCount = 0;
	for (uint64_t first = 0, next; first < all; first = next)
	{
		next = most < all - first ? first + most : all;
		Stretch stretch = { scene, scene->searches + first, next - first, trianglePairs };
		RefineSearches(&stretch);
		const uint32_t found = sgScene_PrepareListed(scene);
		tooFar = found < tooFar ? found : tooFar;
		if (tooFar == SG_NONE) // else the others are looked at for who is the least of those that are too far
		{
			RunSearches(&stretch);
		}
		memmove(scene->searches + scene->searchCount, stretch.searches, (size_t)stretch.count * sizeof(sgSceneSearch));
		scene->searchCount += stretch.count;
	}
	return tooFar;
}

// Into the blocks that it has, and more of them. Those that are missing for want of room were numbered beyond the last.
void sgScene_SearchAgain(snugScene* scene)
{
	const Stretch stretch = { scene, scene->searches, scene->searchCount, true };
	if (scene->blockCount > scene->halt.blocks)
	{
		atomic_store_explicit(&scene->blockCount, scene->halt.blocks, memory_order_relaxed);
	}
	for (uint64_t i = 0; i < scene->searchCount; ++i)
	{
		sgSceneSearch* search = scene->searches + i;
		if (search->isCut)
		{
			for (uint32_t block = search->firstBlock; block != SG_NONE; block = scene->blocks[block].next)
			{
				scene->blocks[block].count = 0;
			}
			search->lastBlock = search->firstBlock;
			search->isCut = false;
			RunSearch(&stretch, search, scene->workers.run);
		}
	}
}
