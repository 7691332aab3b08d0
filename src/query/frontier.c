// src/query/frontier.c: a search for pairs that stops when it is told to, and goes on from its frontier.
//
// An entry of the frontier is a pair of nodes and where to go on below them, `next`. What is below two nodes is visited
// in one order: depth first, lanes of the first tree before lanes of the second. So `next`, the pair of nodes that is
// to be looked at next, says what has been done: everything before it in that order. Bounds decide only what is
// skipped, and what is skipped holds no pair; so it does not matter that they may be others when the search goes on.
//
// Invariant: entries are disjoint, and every pair of intersecting triangles has been reported or is below an entry, not
// before its `next`. A frontier that does not fit is no problem: a walk that stops leaves one entry behind for all
// levels of its stack that there is no room to spell out, and nodes are replaced by those below them only if these fit.
//
// Pairs of nodes: from (0, 0) each level goes down on both sides, but for leaves; so the pair above another one follows
// from their levels.
#include "base/fpenv.h"
#include "geometry/box_kernels.h"
#include "query/pairs.h"
#include "snug/snug_queries.h"

#include <string.h>

#define STEPS_PER_QUESTION 16
#define PAIRS_PER_STEP (SG_LANES * SG_LANES)

/// Pairs of lanes that are still to be visited: bit 8 i + j.
typedef struct FrontierLevel
{
	sgOpened a, b;
	uint64_t pairs;
} FrontierLevel;

typedef struct Walk
{
	sgPairSearch search;
	snugFrontier* frontier;
	const snugTimedQuery* query;
	uint64_t steps;
	bool isStopped;
	int depth; ///< of the stack; -1: it is empty
	FrontierLevel stack[SG_MAX_DEPTH + 2];
} Walk;

// ---- Pairs of nodes ------------------------------------------------------------------------------------------------

static bool IsSame(snugPair a, snugPair b)
{
	return a.a == b.a && a.b == b.b;
}

static snugPair NodesOf(const snugNodePair* entry)
{
	return (snugPair){ entry->a, entry->b };
}

static snugPair NextOf(const snugNodePair* entry)
{
	return (snugPair){ entry->memory[0], entry->memory[1] };
}

static bool IsFresh(const snugNodePair* entry)
{
	return IsSame(NodesOf(entry), NextOf(entry));
}

static snugPair PairOfLanes(const FrontierLevel* level, uint32_t pair)
{
	return (snugPair){ sgOpened_Slot(&level->a, pair / SG_LANES), sgOpened_Slot(&level->b, pair % SG_LANES) };
}

static bool AreLeaves(const Walk* walk, snugPair nodes)
{
	return sgTree_IsLeaf(walk->search.a.tree, nodes.a) && sgTree_IsLeaf(walk->search.b.tree, nodes.b);
}

static uint32_t LevelOf(const sgTree* a, const sgTree* b, snugPair nodes)
{
	const uint32_t levelA = a->nodes[nodes.a].level, levelB = b->nodes[nodes.b].level;
	return levelA > levelB ? levelA : levelB;
}

// The pair from which the walk came; not of the root.
static snugPair Above(const sgTree* a, const sgTree* b, snugPair nodes)
{
	const sgNode *nodeA = a->nodes + nodes.a, *nodeB = b->nodes + nodes.b;
	const bool isDeepA = nodeA->level >= nodeB->level, isDeepB = nodeB->level >= nodeA->level;
	return (snugPair){ isDeepA ? nodeA->parent : nodes.a, isDeepB ? nodeB->parent : nodes.b };
}

static snugNodePair MakeEntry(snugPair nodes, snugPair next, float overlap)
{
	snugNodePair entry = { nodes.a, nodes.b, { next.a, next.b } };
	memcpy(entry.memory + 2, &overlap, sizeof(overlap));
	return entry;
}

// ---- Entries -------------------------------------------------------------------------------------------------------

static uint32_t RoomLeft(const snugFrontier* frontier)
{
	return frontier->capacity - frontier->count;
}

static void Append(snugFrontier* frontier, snugNodePair entry)
{
	frontier->pairs[frontier->count++] = entry;
}

static float RankOf(const snugNodePair* entry)
{
	float rank;
	memcpy(&rank, entry->memory + 2, sizeof(rank));
	return rank;
}

#define SORT_ITEM snugNodePair
#define SORT_IS_BEFORE(x, y) (RankOf(&(x)) < RankOf(&(y)))
#include "base/sort.h"

static snugNodePair TakeFromHeap(snugFrontier* frontier)
{
	const snugNodePair first = frontier->pairs[0];
	frontier->pairs[0] = frontier->pairs[--frontier->count];
	if (frontier->count > 0)
	{
		SiftDown(frontier->pairs, frontier->count, 0);
	}
	return first;
}

// ---- Steps ---------------------------------------------------------------------------------------------------------

static bool AskCaller(const Walk* walk)
{
	const sgFpEnv callersEnvironment = walk->search.sink->callersEnvironment;
	sgFpEnv_Leave(callersEnvironment);
	const bool shouldStop = walk->query->shouldStop(walk->query->user);
	sgFpEnv_Enter();
	return shouldStop;
}

// Whether there may be one more step, which is then counted.
static bool MayStep(Walk* walk)
{
	const snugTimedQuery* query = walk->query;
	const uint64_t found = walk->search.sink->count + walk->search.queuedCount;
	const bool isFull = query->pairs != NULL && found + PAIRS_PER_STEP > query->capacity;
	const bool isLate = query->maxSteps != 0 && walk->steps == query->maxSteps;
	const bool isAsked = query->shouldStop != NULL && walk->steps % STEPS_PER_QUESTION == 0;
	walk->isStopped = walk->isStopped || isFull || isLate || (isAsked && AskCaller(walk));
	walk->steps += !walk->isStopped;
	return !walk->isStopped;
}

static FrontierLevel Open(Walk* walk, snugPair nodes)
{
	return (FrontierLevel){ sgOpen(walk->search.a.tree, nodes.a), sgOpen(walk->search.b.tree, nodes.b), 0 };
}

// Look at two nodes: at their triangles if both are leaves, otherwise at what is below them.
static FrontierLevel Step(Walk* walk, snugPair nodes)
{
	FrontierLevel level = Open(walk, nodes);
	if (AreLeaves(walk, nodes))
	{
		sgPairSearch_Settle(&walk->search, nodes.a, nodes.b);
	}
	else
	{
		level.pairs = sgPairSearch_Compare(&walk->search, &level.a, &level.b);
	}
	return level;
}

// Drop levels that are done. False if all are.
static bool Trim(Walk* walk)
{
	while (walk->depth >= 0 && walk->stack[walk->depth].pairs == 0)
	{
		--walk->depth;
	}
	return walk->depth >= 0;
}

// Turn what is left of the stack into entries: pair by pair from the top, as far as there is room, and one for the
// rest. The last one is to be visited next. There is room for at least one.
static void Spill(Walk* walk)
{
	snugFrontier* frontier = walk->frontier;
	const FrontierLevel* last = walk->stack + walk->depth;
	const snugPair next = PairOfLanes(last, sgLowestBit(last->pairs));
	for (int depth = 0; depth <= walk->depth; ++depth)
	{
		const FrontierLevel* level = walk->stack + depth;
		if (sgCountBits(level->pairs) + (level < last) > RoomLeft(frontier))
		{
			Append(frontier, MakeEntry((snugPair){ level->a.slot, level->b.slot }, next, 0.0f));
			break;
		}
		for (uint64_t rest = level->pairs; rest != 0;)
		{
			const uint32_t pair = 63 - (uint32_t)__builtin_clzll(rest);
			const snugPair nodes = PairOfLanes(level, pair);
			Append(frontier, MakeEntry(nodes, nodes, 0.0f));
			rest &= ~((uint64_t)1 << pair);
		}
	}
}

// Visit what is on the stack, until it is empty or the search stops.
static void GoOn(Walk* walk)
{
	while (Trim(walk) && MayStep(walk))
	{
		FrontierLevel* level = walk->stack + walk->depth;
		const uint32_t pair = sgLowestBit(level->pairs);
		level->pairs &= level->pairs - 1;
		walk->stack[++walk->depth] = Step(walk, PairOfLanes(level, pair));
	}
	if (walk->depth >= 0)
	{
		Spill(walk);
	}
}

// The stack as it was when an entry was left behind: of each level from its nodes down to `next`, what comes after the
// way there. If bounds that are tighter by now leave out a pair on the way, what is below it holds nothing.
static void Rebuild(Walk* walk, const snugNodePair* entry)
{
	const sgTree *a = walk->search.a.tree, *b = walk->search.b.tree;
	snugPair way[SG_MAX_DEPTH + 2];
	int left = 0;
	for (snugPair nodes = NextOf(entry); !IsSame(nodes, NodesOf(entry)); nodes = Above(a, b, nodes))
	{
		way[left++] = nodes;
	}
	walk->depth = -1;
	for (snugPair nodes = NodesOf(entry); left-- > 0; nodes = way[left])
	{
		FrontierLevel level = Open(walk, nodes);
		const uint32_t pair = way[left].a % SG_LANES * SG_LANES + way[left].b % SG_LANES;
		const uint64_t bit = (uint64_t)1 << pair, all = sgPairSearch_Compare(&walk->search, &level.a, &level.b);
		const bool isOnTheWay = left > 0 && (all & bit) != 0;
		level.pairs = all & ~(bit - 1) & ~(isOnTheWay ? bit : 0);
		walk->stack[++walk->depth] = level;
		if (!isOnTheWay)
		{
			break;
		}
	}
}

/// Everything below an entry, which has been taken out.
static void Descend(Walk* walk, const snugNodePair* entry)
{
	if (!IsFresh(entry))
	{
		Rebuild(walk, entry);
		GoOn(walk);
	}
	else if (MayStep(walk))
	{
		walk->stack[walk->depth = 0] = Step(walk, NodesOf(entry));
		GoOn(walk);
	}
	else
	{
		Append(walk->frontier, *entry);
	}
}

// ---- Orders --------------------------------------------------------------------------------------------------------

static void VisitInOrder(Walk* walk)
{
	snugFrontier* frontier = walk->frontier;
	while (frontier->count > 0 && !walk->isStopped)
	{
		const snugNodePair entry = frontier->pairs[--frontier->count];
		Descend(walk, &entry);
	}
}

/// Boxes of what a level shows, in the space of the first body.
typedef struct LevelBoxes
{
	sgBoxLanes a, b;
} LevelBoxes;

static LevelBoxes BoxesOf(Walk* walk, const FrontierLevel* level)
{
	sgPairSearch* search = &walk->search;
	LevelBoxes boxes;
	boxes.a = *sgView_Bounds(&search->a, &level->a, &search->counters);
	const sgBoxLanes* boxesB = sgView_Bounds(&search->b, &level->b, &search->counters);
	boxes.b = *boxesB;
	if (search->motionBA.kind != sgMotion_none)
	{
		search->kernels->boxes->moveBoxes(boxesB, &search->motionBA, &boxes.b);
	}
	return boxes;
}

// How much of the smaller of two boxes is in the other, below 1. Nothing but the order depends on it.
static float OverlapShare(const LevelBoxes* boxes, uint32_t pair)
{
	const sgBox a = sgBoxLanes_Get(&boxes->a, pair / SG_LANES), b = sgBoxLanes_Get(&boxes->b, pair % SG_LANES);
	double share = 0.99;
	for (int k = 0; k < 3; ++k)
	{
		const double low = a.lower[k] > b.lower[k] ? a.lower[k] : b.lower[k];
		const double high = a.upper[k] < b.upper[k] ? a.upper[k] : b.upper[k];
		const double sizeA = (double)a.upper[k] - a.lower[k], sizeB = (double)b.upper[k] - b.lower[k];
		const double least = sizeA < sizeB ? sizeA : sizeB;
		share *= high <= low ? 0.0 : high - low < least ? (high - low) / least : 1.0;
	}
	return (float)share;
}

// Replace two nodes by what overlaps below them, if there is room for it; otherwise visit it now.
static void Expand(Walk* walk, snugPair nodes)
{
	snugFrontier* frontier = walk->frontier;
	const FrontierLevel level = Step(walk, nodes);
	if (sgCountBits(level.pairs) > RoomLeft(frontier))
	{
		walk->stack[walk->depth = 0] = level;
		GoOn(walk);
		return;
	}
	const LevelBoxes boxes = BoxesOf(walk, &level);
	for (uint64_t rest = level.pairs; rest != 0; rest &= rest - 1)
	{
		const uint32_t pair = sgLowestBit(rest);
		const snugPair below = PairOfLanes(&level, pair);
		AddToHeap(frontier->pairs, frontier->count++, MakeEntry(below, below, OverlapShare(&boxes, pair)));
	}
}

// What overlaps most first, whatever its level: half of the pairs of two blobs in a seventh of the steps.
static void VisitByOverlap(Walk* walk)
{
	snugFrontier* frontier = walk->frontier;
	MakeHeap(frontier->pairs, frontier->count);
	while (frontier->count > 0 && !walk->isStopped)
	{
		const snugNodePair entry = TakeFromHeap(frontier);
		if (!IsFresh(&entry) || AreLeaves(walk, NodesOf(&entry)))
		{
			Descend(walk, &entry);
		}
		else if (MayStep(walk))
		{
			Expand(walk, NodesOf(&entry));
		}
		else
		{
			Append(frontier, entry);
		}
	}
}

// Replace an entry by what overlaps below it. Without room for that it stays.
static void Refine(Walk* walk, uint32_t index)
{
	snugFrontier* frontier = walk->frontier;
	const FrontierLevel level = Step(walk, NodesOf(frontier->pairs + index));
	if (sgCountBits(level.pairs) > RoomLeft(frontier) + 1)
	{
		return;
	}
	frontier->pairs[index] = frontier->pairs[--frontier->count];
	for (uint64_t rest = level.pairs; rest != 0; rest &= rest - 1)
	{
		const snugPair below = PairOfLanes(&level, sgLowestBit(rest));
		Append(frontier, MakeEntry(below, below, 0.0f));
	}
}

// Level by level, so that where room runs out no part is much coarser than another. Backwards, since what takes the
// place of an entry then comes from behind it.
static void RefineToLevel(Walk* walk, uint32_t maxLevel)
{
	const snugFrontier* frontier = walk->frontier;
	for (uint32_t level = 0; level < maxLevel; ++level)
	{
		for (uint32_t i = frontier->count; i-- > 0;)
		{
			const snugNodePair* entry = frontier->pairs + i;
			const snugPair nodes = NodesOf(entry);
			if (!IsFresh(entry) || AreLeaves(walk, nodes) ||
			    LevelOf(walk->search.a.tree, walk->search.b.tree, nodes) != level)
			{
				continue;
			}
			if (!MayStep(walk))
			{
				return;
			}
			Refine(walk, i);
		}
	}
}

// ---- The public function -------------------------------------------------------------------------------------------

static bool IsNode(const sgTree* tree, uint32_t slot)
{
	return slot < tree->groupCount * SG_LANES && tree->nodes[slot].first != SG_NONE;
}

// Whether an entry is one that a search of these two trees may have left behind: `next` is below its nodes.
static bool IsEntry(const sgTree* a, const sgTree* b, const snugNodePair* entry)
{
	if (!IsNode(a, entry->a) || !IsNode(b, entry->b) || !IsNode(a, entry->memory[0]) || !IsNode(b, entry->memory[1]))
	{
		return false;
	}
	snugPair nodes = NextOf(entry);
	const snugPair root = { 0, 0 };
	while (!IsSame(nodes, NodesOf(entry)) && !IsSame(nodes, root))
	{
		nodes = Above(a, b, nodes);
		if (nodes.a == SG_NONE || nodes.b == SG_NONE)
		{
			return false;
		}
	}
	return IsSame(nodes, NodesOf(entry));
}

static bool IsSameSearch(const snugFrontier* frontier, const snugBody* a, const snugBody* b)
{
	const uint64_t memory[4] = { a->changes, b->changes, (uintptr_t)a, (uintptr_t)b };
	return memcmp(frontier->memory, memory, sizeof(memory)) == 0;
}

static snugStatus Check(const snugFrontier* frontier, const snugBody* a, const snugBody* b)
{
	if (!IsSameSearch(frontier, a, b))
	{
		return sgFail(&a->messenger, snug_badArgument,
		    "a body has changed since the search began, or is another one: begin anew, with a frontier of zeros");
	}
	bool isGood = frontier->count <= frontier->capacity;
	for (uint32_t i = 0; isGood && i < frontier->count; ++i)
	{
		isGood = IsEntry(&a->model->tree, &b->model->tree, frontier->pairs + i);
	}
	return isGood ? snug_success : sgFail(&a->messenger, snug_badArgument, "the frontier is not as the search left it");
}

static void Begin(snugFrontier* frontier, const snugBody* a, const snugBody* b)
{
	const uint64_t memory[4] = { a->changes, b->changes, (uintptr_t)a, (uintptr_t)b };
	memcpy(frontier->memory, memory, sizeof(memory));
	frontier->isBegun = true;
	frontier->count = 0;
	if (a->model->tree.triangleCount > 0 && b->model->tree.triangleCount > 0)
	{
		Append(frontier, (snugNodePair){ .a = 0 });
	}
}

static void Visit(Walk* walk)
{
	if (walk->query->maxLevel != 0)
	{
		RefineToLevel(walk, walk->query->maxLevel);
	}
	else if (walk->query->widestFirst)
	{
		VisitByOverlap(walk);
	}
	else
	{
		VisitInOrder(walk);
	}
	sgPairSearch_Flush(&walk->search);
}

static SG_NOINLINE snugResult Run(
    snugBody* a, snugBody* b, snugFrontier* frontier, const snugTimedQuery* query, sgFpEnv callersEnvironment)
{
	const sgPairOptions options = {
		.origin = frontier->origin,
	};
	sgSink sink = { .pairs = query->pairs, .capacity = query->capacity, .callersEnvironment = callersEnvironment };
	Walk walk; // not zeroed: most of it is scratch
	walk.frontier = frontier;
	walk.query = query;
	walk.steps = 0;
	walk.isStopped = false;
	sgPairSearch_Make(&walk.search, &options, &sink);
	snugResult result = { .status = sgPairSearch_Start(&walk.search, a, b) };
	if (result.status != snug_success)
	{
		return result;
	}
	if (!frontier->isBegun)
	{
		Begin(frontier, a, b);
	}
	Visit(&walk);
	sgView_Finish(&walk.search.a);
	sgView_Finish(&walk.search.b);
	sgSink_Finish(&sink);
	result.complete = frontier->count == 0;
	result.count = sink.count;
	result.counters = walk.search.counters;
	return result;
}

snugResult snugCollideInTime(snugBody* a, snugBody* b, snugFrontier* frontier, const snugTimedQuery* query)
{
	static const snugTimedQuery defaults = { .pairs = NULL };
	snugResult result = { .status = snug_badArgument };
	query = query != NULL ? query : &defaults;
	SG_REQUIRE(a != NULL && b != NULL && a != b && frontier != NULL, result);
	SG_REQUIRE_RESERVED(query, result);
	SG_REQUIRE_RESERVED(frontier, result);
	SG_REQUIRE(frontier->pairs != NULL && frontier->capacity > 0, result);
	SG_REQUIRE(query->pairs != NULL ? query->capacity >= PAIRS_PER_STEP : query->capacity == 0, result);
	SG_REQUIRE(sgIsFinitePoint(frontier->origin), result);
	result.status = frontier->isBegun ? Check(frontier, a, b) : snug_success;
	if (result.status == snug_success)
	{
		sgFpEnv environment = sgFpEnv_Enter();
		result = Run(a, b, frontier, query, environment);
		sgFpEnv_Leave(environment);
	}
	return result;
}
