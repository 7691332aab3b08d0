// src/scene/scene_near.c: candidates by the boxes below their roots. See scene.h.
#include "scene/scene.h"

#include <string.h>

/// What a thread does in one go.
enum
{
	BODIES_PER_TASK = 8,
	CANDIDATES_PER_TASK = 64
};

// Pairs of boxes that overlap, counted like those of a query.
static uint64_t Overlap(
    const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, uint32_t maskB, snugCounters* counters)
{
	counters->volumeTests += (uint64_t)(sgCountBits(maskA) * sgCountBits(maskB));
	return sgGetKernels()->boxes->overlapBoxes(a, maskA, b, maskB);
}

// ---- Below the roots ------------------------------------------------------------------------------------------------

void sgScene_SetOpened(snugScene* scene, uint32_t id, const sgBoxLanes* boxes)
{
	sgSceneBody* entry = scene->bodies + id;
	scene->opened[id] = *boxes;
	entry->opened = entry->boxed;
	entry->isShared = sgBody_CanBoundTogether(entry->body);
	entry->hidesLeaves = sgBody_EvaluatesLeaves(entry->body);
}

static void OpenBody(snugScene* scene, uint32_t id, snugCounters* counters)
{
	sgSceneBody* entry = scene->bodies + id;
	sgLaneSet set = sgTree_Open(&entry->body->model->tree, 0);
	sgBoxLanes boxes;
	entry->isTooFar = !sgBody_BoundPlaced(entry->body, scene->origin, set, &boxes, counters);
	if (!entry->isTooFar)
	{
		sgScene_SetOpened(scene, id, &boxes);
	}
}

static void OpenTask(void* context, uint32_t index)
{
	snugScene* scene = context;
	snugCounters counters = { 0 };
	uint32_t first = index * BODIES_PER_TASK;
	for (uint32_t i = first; i < first + BODIES_PER_TASK && i < scene->listCount; ++i)
	{
		OpenBody(scene, scene->list[i], &counters);
	}
	sgScene_Count(scene, &counters);
}

static sgLaneSet OpenRoot(const snugScene* scene, uint32_t id)
{
	return sgTree_Open(&scene->bodies[id].body->model->tree, 0);
}

static sgLaneSet OpenChild(const snugScene* scene, uint32_t id, uint32_t lane)
{
	return sgTree_Open(&scene->bodies[id].body->model->tree, OpenRoot(scene, id).group * SG_LANES + lane);
}

// Boxes below a child of a root. Leaves whose vertices are not known yet are in the child's box.
static bool BoundChild(const snugScene* scene, uint32_t id, uint32_t lane, sgBoxLanes* boxes, snugCounters* counters)
{
	const sgSceneBody* entry = scene->bodies + id;
	sgLaneSet set = OpenChild(scene, id, lane);
	uint32_t leaves = entry->hidesLeaves ? set.leafMask : 0;
	const sgBox box = sgBoxLanes_Get(scene->opened + id, lane), empty = sgBox_Empty();
	set.mask &= ~leaves;
	if (set.mask != 0 && !sgBody_BoundPlaced(entry->body, scene->origin, set, boxes, counters))
	{
		return false;
	}
	for (uint32_t i = 0; i < SG_LANES && (leaves != 0 || set.mask == 0); ++i)
	{
		bool isLeaf = (leaves >> i & 1) != 0;
		if (isLeaf || set.mask == 0)
		{
			sgBoxLanes_Set(boxes, i, isLeaf ? &box : &empty);
		}
	}
	return true;
}

// A place for boxes that are to be kept; null if there is none.
static sgBoxLanes* TakeDeeper(snugScene* scene)
{
	uint32_t number = atomic_fetch_add_explicit(&scene->deeperCount, 1, memory_order_relaxed);
	return number < sgScene_DeeperCount(&scene->room) ? scene->deeper + number : NULL;
}

// What is below a child of a root: kept, unless another thread is at it or there is no place.
static const sgBoxLanes* FindDeeper(
    snugScene* scene, uint32_t id, uint32_t lane, sgBoxLanes* room, snugCounters* counters)
{
	_Atomic uint32_t* where = scene->below[id].children + lane;
	uint32_t found = atomic_load_explicit(where, memory_order_acquire);
	if (found != 0 && found != SG_BUSY)
	{
		return scene->deeper + (found - 1);
	}
	bool isOurs = found == 0 && atomic_compare_exchange_strong_explicit(
	                                where, &found, SG_BUSY, memory_order_acquire, memory_order_relaxed);
	sgBoxLanes* place = isOurs ? TakeDeeper(scene) : NULL;
	sgBoxLanes* boxes = place != NULL ? place : room;
	bool isNear = BoundChild(scene, id, lane, boxes, counters);
	if (place != NULL && isNear)
	{
		atomic_store_explicit(where, (uint32_t)(place - scene->deeper) + 1, memory_order_release);
	}
	return isNear ? boxes : NULL;
}

/// Two bodies of which boxes below children are compared: those of one first, and of the other only what they overlap.
typedef struct Comparison
{
	snugScene* scene;
	sgSceneSearch* search;
	snugCounters* counters;
	bool isBFirst;
	uint64_t children;             ///< pairs below which boxes overlap
	sgBoxLanes roomOne, roomOther; ///< for boxes that are not kept
} Comparison;

// A search begins where boxes overlap, or, if that is at too many places, one level above.
static void AddLevel(Comparison* c, uint32_t laneA, uint32_t laneB, uint64_t pairs)
{
	sgSceneSearch* search = c->search;
	if (search->levelCount < SG_SCENE_LEVELS)
	{
		search->levels[search->levelCount] = (sgPairLevel){
			.groupA = OpenChild(c->scene, search->a, laneA).group,
			.groupB = OpenChild(c->scene, search->b, laneB).group,
			.pairs = pairs,
		};
		search->lanes[search->levelCount] = (uint8_t)laneB;
	}
	c->children |= (uint64_t)1 << (SG_LANES * laneA + laneB);
	++search->levelCount;
}

static void GoUp(const Comparison* c)
{
	sgSceneSearch* search = c->search;
	search->canBeFiner = search->levelCount <= SG_SCENE_LEVELS;
	if (!search->canBeFiner)
	{
		search->levelCount = 1;
		search->levels[0] = (sgPairLevel){
			.groupA = OpenRoot(c->scene, search->a).group,
			.groupB = OpenRoot(c->scene, search->b).group,
			.pairs = c->children,
		};
	}
}

// Boxes below one child of the first body and those of the other that it overlaps. Those of the other are made only
// where the first's overlap the box that they are in. False if boxes cannot be made: then they may be anywhere.
static bool CompareBelow(Comparison* c, uint32_t lane, uint32_t partners)
{
	const uint32_t a = c->search->a, b = c->search->b, one = c->isBFirst ? b : a, other = c->isBFirst ? a : b;
	const sgBoxLanes* below = FindDeeper(c->scene, one, lane, &c->roomOne, c->counters);
	const uint32_t children = OpenChild(c->scene, one, lane).mask;
	uint64_t met = below != NULL ? Overlap(c->scene->opened + other, partners, below, children, c->counters) : 0;
	bool isKnown = below != NULL;
	for (uint32_t with = 0; isKnown && met != 0; ++with, met >>= SG_LANES)
	{
		const uint32_t lanes = (uint32_t)met & 0xff;
		const sgBoxLanes* others = lanes != 0 ? FindDeeper(c->scene, other, with, &c->roomOther, c->counters) : NULL;
		const uint32_t all = OpenChild(c->scene, other, with).mask;
		uint64_t pairs = 0;
		if (others != NULL)
		{
			pairs = c->isBFirst ? Overlap(others, all, below, lanes, c->counters)
			                    : Overlap(below, lanes, others, all, c->counters);
		}
		isKnown = lanes == 0 || others != NULL;
		if (pairs != 0)
		{
			AddLevel(c, c->isBFirst ? with : lane, c->isBFirst ? lane : with, pairs);
		}
	}
	return isKnown;
}

// Lanes of the second body that have partners.
static uint32_t ColumnsOf(uint64_t pairs)
{
	pairs |= pairs >> 32;
	pairs |= pairs >> 16;
	return (uint32_t)(pairs | pairs >> 8) & 0xff;
}

static uint64_t OverlapOpened(const snugScene* scene, uint32_t one, uint32_t other, snugCounters* counters)
{
	return Overlap(
	    scene->opened + one, OpenRoot(scene, one).mask, scene->opened + other, OpenRoot(scene, other).mask, counters);
}

// Whether boxes two levels below the roots overlap, given the pairs of those one level below that do. Those of the body
// with fewer lanes come first, which settles most.
static bool OverlapDeeper(snugScene* scene, sgSceneSearch* search, uint64_t pairs, snugCounters* counters)
{
	const uint64_t turned = OverlapOpened(scene, search->b, search->a, counters);
	Comparison comparison;
	comparison.scene = scene;
	comparison.search = search;
	comparison.counters = counters;
	comparison.isBFirst = sgCountBits(ColumnsOf(pairs)) < sgCountBits(ColumnsOf(turned));
	comparison.children = 0;
	uint64_t rest = comparison.isBFirst ? turned : pairs;
	for (uint32_t lane = 0; rest != 0; ++lane, rest >>= SG_LANES)
	{
		const uint32_t partners = (uint32_t)rest & 0xff;
		if (partners != 0 && !CompareBelow(&comparison, lane, partners))
		{
			search->levelCount = 0;
			return true;
		}
	}
	GoUp(&comparison);
	return search->levelCount > 0;
}

// Bodies with pools of their own remember boxes from the roots on, so searches had better begin there.
static bool BeginsAtRoots(const snugScene* scene, const sgSceneSearch* search)
{
	return scene->bodies[search->a].body->ownsPool || scene->bodies[search->b].body->ownsPool;
}

// Whether two bodies may touch, as far as boxes one and two levels below the roots tell.
static bool MayTouch(snugScene* scene, sgSceneSearch* search, snugCounters* counters)
{
	uint32_t a = search->a, b = search->b;
	const uint64_t pairs = OverlapOpened(scene, a, b, counters);
	bool canShare = scene->bodies[a].isShared && scene->bodies[b].isShared;
	if (pairs == 0 || (canShare && !OverlapDeeper(scene, search, pairs, counters)))
	{
		return false;
	}
	search->levelCount = BeginsAtRoots(scene, search) ? 0 : search->levelCount;
	return true;
}

SG_INLINE void ExpectBody(const snugScene* scene, uint32_t id)
{
	sgPrefetch(scene->bodies[id].body, 2 * 64);
	sgPrefetch(scene->opened + id, sizeof(sgBoxLanes));
	sgPrefetch((const void*)(scene->below + id), sizeof(sgSceneBelow));
}

// Ask memory for what comparing the candidates after this one reads first: of a crowd little is in the caches.
// @param end candidates from this one on are another task's
SG_INLINE void ExpectCandidates(const snugScene* scene, uint64_t index, uint64_t end)
{
	if (index + 4 < end)
	{
		const uint64_t pair = scene->candidates[index + 4];
		sgPrefetch(scene->bodies + (pair >> 32), sizeof(sgSceneBody));
		sgPrefetch(scene->bodies + (uint32_t)pair, sizeof(sgSceneBody));
	}
	if (index + 2 < end)
	{
		const uint64_t pair = scene->candidates[index + 2];
		ExpectBody(scene, (uint32_t)(pair >> 32));
		ExpectBody(scene, (uint32_t)pair);
	}
}

// Candidates that cannot touch are struck out.
static void CompareTask(void* context, uint32_t index)
{
	snugScene* scene = context;
	snugCounters counters = { 0 };
	uint64_t first = (uint64_t)index * CANDIDATES_PER_TASK, end = first + CANDIDATES_PER_TASK;
	end = end < scene->candidateCount ? end : scene->candidateCount;
	for (uint64_t i = first; i < end; ++i)
	{
		ExpectCandidates(scene, i, end);
		uint64_t pair = scene->candidates[i];
		sgSceneSearch* search = scene->searches + i;
		search->a = (uint32_t)(pair >> 32);
		search->b = (uint32_t)pair;
		search->levelCount = 0;
		search->canBeFiner = false;
		// A body's own parts always overlap, and a shape has none.
		const bool isOne = search->a == search->b || sgScene_HasShape(scene, search);
		scene->candidates[i] = isOne || MayTouch(scene, search, &counters) ? pair : SG_NO_CANDIDATE;
	}
	sgScene_Count(scene, &counters);
}

static void ListOpened(snugScene* scene, uint32_t id)
{
	const sgSceneBody* entry = scene->bodies + id;
	if (entry->opened != entry->boxed && !entry->isShape)
	{
		sgScene_List(scene, id);
	}
}

uint32_t sgScene_CompareChildren(snugScene* scene)
{
	sgScene_BeginList(scene);
	for (uint64_t i = 0; i < scene->candidateCount; ++i)
	{
		ListOpened(scene, (uint32_t)(scene->candidates[i] >> 32));
		ListOpened(scene, (uint32_t)scene->candidates[i]);
	}
	sgScene_Run(scene, sgTasksFor(scene->listCount, BODIES_PER_TASK), OpenTask, scene);
	uint32_t tooFar = sgScene_FindTooFar(scene);
	atomic_store_explicit(&scene->deeperCount, 0, memory_order_relaxed);
	memset((void*)scene->below, 0, scene->bodyCount * sizeof(sgSceneBelow));
	if (tooFar == SG_NONE)
	{
		sgScene_Run(scene, sgTasksFor(scene->candidateCount, CANDIDATES_PER_TASK), CompareTask, scene);
	}
	return tooFar;
}

// ---- Three levels below the roots -----------------------------------------------------------------------------------

/// Where a search could begin one level further down.
typedef struct Finer
{
	snugScene* scene;
	const sgSceneSearch* search;
	snugCounters* counters;
	sgPairLevel levels[SG_SCENE_LEVELS];
	uint32_t count;              ///< possibly more than there is room for
	sgBoxLanes others[SG_LANES]; ///< below nodes of B
	uint32_t made;               ///< lanes of those
} Finer;

static bool BoundBelow(const Finer* finer, uint32_t id, uint32_t slot, sgBoxLanes* boxes)
{
	snugBody* body = finer->scene->bodies[id].body;
	sgLaneSet set = sgTree_Open(&body->model->tree, slot);
	return sgBody_BoundPlaced(body, finer->scene->origin, set, boxes, finer->counters);
}

// Whether boxes below two nodes overlap, given those below A's that overlap B's node.
static bool MeetBelow(Finer* finer, uint32_t groupA, const sgBoxLanes* below, uint32_t lanes, uint32_t slotB)
{
	const sgSceneSearch* search = finer->search;
	sgBoxLanes* others = finer->others + slotB % SG_LANES;
	uint32_t bit = 1u << slotB % SG_LANES;
	if ((finer->made & bit) == 0 && !BoundBelow(finer, search->b, slotB, others))
	{
		finer->count = SG_SCENE_LEVELS + 1;
		return true;
	}
	finer->made |= bit;
	const sgLaneSet openedB = sgTree_Open(&finer->scene->bodies[search->b].body->model->tree, slotB);
	uint64_t pairs = Overlap(below, lanes, others, openedB.mask, finer->counters);
	if (pairs != 0 && finer->count < SG_SCENE_LEVELS)
	{
		finer->levels[finer->count] = (sgPairLevel){ groupA, openedB.group, pairs };
	}
	finer->count += pairs != 0;
	return pairs != 0;
}

// Pairs of a level below which boxes overlap.
static uint64_t RefineLevel(Finer* finer, const sgPairLevel* level, const sgBoxLanes* nodesB)
{
	const sgTree* treeA = &finer->scene->bodies[finer->search->a].body->model->tree;
	uint64_t left = 0;
	finer->made = 0;
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		uint32_t partners = (uint32_t)(level->pairs >> SG_LANES * lane) & 0xff, slotA = level->groupA * SG_LANES + lane;
		sgBoxLanes below;
		if (partners == 0)
		{
			continue;
		}
		if (!BoundBelow(finer, finer->search->a, slotA, &below))
		{
			finer->count = SG_SCENE_LEVELS + 1;
			return level->pairs;
		}
		const sgLaneSet openedA = sgTree_Open(treeA, slotA);
		uint64_t met = Overlap(nodesB, partners, &below, openedA.mask, finer->counters);
		for (uint32_t other = 0; met != 0 && other < SG_LANES; ++other, met >>= SG_LANES)
		{
			uint32_t lanes = (uint32_t)met & 0xff;
			bool meets = lanes != 0 && MeetBelow(finer, openedA.group, &below, lanes, level->groupB * SG_LANES + other);
			left |= (uint64_t)meets << (SG_LANES * lane + other);
		}
	}
	return left;
}

void sgScene_RefineSearch(snugScene* scene, sgSceneSearch* search, snugCounters* counters)
{
	Finer finer; // not zeroed
	finer.scene = scene;
	finer.search = search;
	finer.counters = counters;
	finer.count = 0;
	uint32_t count = 0;
	for (uint32_t i = 0; i < search->levelCount; ++i)
	{
		sgBoxLanes room;
		const sgBoxLanes* nodesB = FindDeeper(scene, search->b, search->lanes[i], &room, counters);
		uint64_t left = nodesB != NULL ? RefineLevel(&finer, search->levels + i, nodesB) : search->levels[i].pairs;
		finer.count += nodesB != NULL ? 0 : SG_SCENE_LEVELS + 1;
		search->levels[count] = search->levels[i];
		search->levels[count].pairs = left;
		count += left != 0;
	}
	search->isOver = count == 0;
	search->levelCount = count;
	if (finer.count <= SG_SCENE_LEVELS)
	{
		search->levelCount = finer.count;
		memcpy(search->levels, finer.levels, finer.count * sizeof(sgPairLevel));
	}
}
