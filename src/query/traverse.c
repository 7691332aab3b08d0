// src/query/traverse.c: the pair traversal.
//
// A step looks at two sets of up to eight sibling nodes, one per body, and finds all overlapping pairs of boxes at
// once, as a mask of 64 bits. Pairs of leaves are settled on the spot, the others stay in the mask and are descended
// into one after the other. The stack holds one mask per level, so it needs no more entries than the deeper tree has
// levels.
//
// Order: a step settles its leaf pairs first, then descends in the order of bits. Bounds decide only what is skipped,
// and what is skipped holds no pair; so pairs are met in the same order however tight the bounds are, and the first
// pair found is the same on every machine.
#include "query/traverse.h"

#include "base/fpenv.h"

#include "kernels/isa.h"
#include "query/extra.h"

#include <stdatomic.h>
#include <string.h>

// Neighbouring steps meet the same leaves again, so the last few groups of them are kept.
enum
{
	LEAF_GROUPS = 4
};

typedef struct LeafGroup
{
	sgTriangleLanes triangles[SG_LANES];
	sgLeafSource source; ///< where the vertices of the leaf looked at last are, and those of its siblings
	uint32_t group;
	uint32_t ready; ///< lanes that are evaluated
} LeafGroup;

typedef struct Side
{
	snugBody* body;
	const sgTree* tree;
	sgPlacement placement;
	sgBoundsScratch scratch;           ///< bounds that found no place in the cache
	LeafGroup leafGroups[LEAF_GROUPS]; ///< a group's place is its number modulo LEAF_GROUPS
} Side;

/// A pair of lane sets with the overlapping pairs of nodes still to be descended into: bit 8 i + j.
typedef struct Level
{
	uint32_t groupA;
	uint32_t groupB;
	uint64_t pairs;
} Level;

/// What threads that answer one query together share.
typedef struct Team
{
	atomic_flag lock;
	sgSink* sink;
	snugCounters counters;
	atomic_bool isStopped;
} Team;

/// Pairs that a thread collects before it takes the lock.
enum
{
	TEAM_PAIRS = 64
};

typedef struct Search
{
	const sgKernels* kernels;
	const sgTraversal* options;
	sgSink* sink;
	Team* team; ///< null: alone
	snugPair found[TEAM_PAIRS];
	uint32_t foundCount;
	snugCounters counters;
	bool isStopped;
	bool isCut;           ///< by the callback or a budget, so there may be more
	sgBoxMotion motionBA; ///< from the space of b to that of a
	sgBoxMotion motionAB;
	bool testsExtra; ///< both bodies have the same volume, and it adds to boxes
	sgExtraTest extra;
	Side a, b;
	Level stack[SG_MAX_DEPTH + 1];
} Search;

static const sgTriangleLanes* Triangles(Search* search, Side* side, sgLaneSet set, uint32_t lane)
{
	LeafGroup* kept = side->leafGroups + set.group % LEAF_GROUPS;
	if (kept->group != set.group)
	{
		kept->group = set.group;
		kept->ready = 0;
		kept->source.first = SG_NONE;
	}
	sgTriangleLanes* triangles = kept->triangles + lane;
	if ((kept->ready >> lane & 1) == 0)
	{
		const sgLeaf* leaf = side->tree->leaves + side->tree->nodes[set.group * SG_LANES + lane].first;
		if (kept->source.first != set.first)
		{
			kept->source = sgBody_FindLeaves(side->body, leaf, &search->counters);
			kept->source.first = set.first;
		}
		sgLeafScratch scratch;
		sgLeafVertices vertices = sgBody_LeafVertices(side->body, &kept->source, leaf, &scratch, &search->counters);
		sgVertexBlock block;
		search->kernels->gatherVertices(vertices.positions, vertices.indices, leaf->vertexCount, &block);
		search->kernels->placeVertices(&block, leaf->vertexCount, &side->placement);
		search->kernels->assembleTriangles(&block, leaf, triangles);
		kept->ready |= 1u << lane;
	}
	return triangles;
}

static void GetTriangle(const sgTriangleLanes* lanes, uint32_t t, float out[3][3])
{
	for (int c = 0; c < 3; ++c)
	{
		for (int axis = 0; axis < 3; ++axis)
		{
			out[c][axis] = lanes->corner[c][axis][t];
		}
	}
}

static void Team_Lock(Team* team)
{
	while (atomic_flag_test_and_set_explicit(&team->lock, memory_order_acquire))
	{
	}
}

static void Team_Unlock(Team* team)
{
	atomic_flag_clear_explicit(&team->lock, memory_order_release);
}

// Hand over what was collected; stops all if the callback wants no more.
static void HandOver(Search* search)
{
	Team* team = search->team;
	Team_Lock(team);
	bool goOn = !atomic_load_explicit(&team->isStopped, memory_order_relaxed);
	for (uint32_t i = 0; goOn && i < search->foundCount; ++i)
	{
		goOn = sgSink_Add(team->sink, search->found[i]);
	}
	atomic_store_explicit(&team->isStopped, !goOn, memory_order_relaxed);
	Team_Unlock(team);
	search->foundCount = 0;
	search->isStopped = !goOn;
}

static void Report(Search* search, snugPair pair)
{
	if (search->team != NULL)
	{
		search->found[search->foundCount++] = pair;
		if (search->foundCount == TEAM_PAIRS)
		{
			HandOver(search);
		}
		return;
	}
	bool goOn = sgSink_Add(search->sink, pair);
	search->isCut = search->isCut || !goOn;
	search->isStopped = !goOn || search->options->firstOnly;
}

// All pairs of triangles of two leaves.
static void CollideLeaves(Search* search, sgLaneSet setA, uint32_t laneA, sgLaneSet setB, uint32_t laneB)
{
	const sgTree* treeA = search->a.tree;
	const sgTree* treeB = search->b.tree;
	const sgTriangleLanes* a = Triangles(search, &search->a, setA, laneA);
	const sgTriangleLanes* b = Triangles(search, &search->b, setB, laneB);
	uint64_t tests = 0;
	uint64_t pairs = search->kernels->filterTriangles(a, b, &tests);
	if (tests > search->options->maxTriangleTests - search->counters.triangleTests)
	{
		search->isCut = search->isStopped = true;
		return;
	}
	search->counters.triangleTests += tests;
	if (pairs == 0)
	{
		return;
	}
	uint32_t firstA = treeA->leaves[treeA->nodes[setA.group * SG_LANES + laneA].first].firstTriangle;
	uint32_t firstB = treeB->leaves[treeB->nodes[setB.group * SG_LANES + laneB].first].firstTriangle;
	for (; pairs != 0 && !search->isStopped; pairs &= pairs - 1)
	{
		uint32_t i = sgLowestBit(pairs) / SG_LANES, j = sgLowestBit(pairs) % SG_LANES;
		float p[3][3], q[3][3];
		GetTriangle(a, i, p);
		GetTriangle(b, j, q);
		++search->counters.exactTests;
		if (search->kernels->intersectTriangles((const float(*)[3])p, (const float(*)[3])q))
		{
			Report(search, (snugPair){ treeA->triangleMap[firstA + i], treeB->triangleMap[firstB + j] });
		}
	}
}

// Bits 8 i + j with i in `rows` and j in `columns`.
static uint64_t MaskProduct(uint32_t rows, uint32_t columns)
{
	uint64_t product = 0;
	for (uint32_t rest = rows; rest != 0; rest &= rest - 1)
	{
		product |= (uint64_t)columns << (8 * sgLowestBit(rest));
	}
	return product;
}

static uint64_t OverlapSets(Search* search, sgLaneSet setA, sgLaneSet setB)
{
	snugCounters* counters = &search->counters;
	uint64_t tests = (uint64_t)(__builtin_popcount(setA.mask) * __builtin_popcount(setB.mask));
	if (tests > search->options->maxVolumeTests - counters->volumeTests)
	{
		search->isCut = search->isStopped = true;
		return 0;
	}
	counters->volumeTests += tests;
	sgBounds a = sgBody_Refresh(search->a.body, setA, true, &search->a.scratch, counters);
	sgBounds b = sgBody_Refresh(search->b.body, setB, true, &search->b.scratch, counters);
	const sgKernels* kernels = search->kernels;
	uint64_t pairs;
	if (search->motionBA.kind == sgMotion_none)
	{
		pairs = kernels->overlapBoxes(a.boxes, setA.mask, b.boxes, setB.mask);
	}
	else
	{
		sgBoxLanes moved;
		kernels->moveBoxes(b.boxes, &search->motionBA, &moved);
		pairs = kernels->overlapBoxes(a.boxes, setA.mask, &moved, setB.mask);
		// A turned box is a loose box. Looking from the other body as well separates along its axes too.
		if (pairs != 0 && search->motionAB.kind == sgMotion_general)
		{
			kernels->moveBoxes(a.boxes, &search->motionAB, &moved);
			pairs &= kernels->overlapBoxes(&moved, setA.mask, b.boxes, setB.mask);
		}
	}
	return pairs != 0 && search->testsExtra ? sgOverlapExtra(a.extra, b.extra, &search->extra, pairs) : pairs;
}

// Look at what is below two nodes; settle leaf pairs, and return the level of what remains.
static Level Step(Search* search, uint32_t slotA, uint32_t slotB)
{
	sgLaneSet setA = sgTree_Open(search->a.tree, slotA);
	sgLaneSet setB = sgTree_Open(search->b.tree, slotB);
	uint64_t pairs = OverlapSets(search, setA, setB);
	uint64_t leafPairs =
	    setA.leafMask != 0 && setB.leafMask != 0 ? pairs & MaskProduct(setA.leafMask, setB.leafMask) : 0;
	for (uint64_t rest = leafPairs; rest != 0 && !search->isStopped; rest &= rest - 1)
	{
		CollideLeaves(search, setA, sgLowestBit(rest) / SG_LANES, setB, sgLowestBit(rest) % SG_LANES);
	}
	return (Level){ setA.group, setB.group, pairs & ~leafPairs };
}

// Everything below two nodes. Each level descends into at least one of them, and into both while both are inner nodes;
// so there are at most as many levels as the deeper tree has, and the root's.
static void Descend(Search* search, uint32_t rootA, uint32_t rootB)
{
	int top = 0;
	search->stack[0] = Step(search, rootA, rootB);
	while (top >= 0 && !search->isStopped)
	{
		Level* level = search->stack + top;
		if (level->pairs == 0)
		{
			--top;
			continue;
		}
		uint32_t pair = sgLowestBit(level->pairs);
		level->pairs &= level->pairs - 1;
		uint32_t slotA = level->groupA * SG_LANES + pair / SG_LANES;
		uint32_t slotB = level->groupB * SG_LANES + pair % SG_LANES;
		Level next = Step(search, slotA, slotB);
		if (next.pairs != 0)
		{
			search->stack[++top] = next;
		}
	}
}

static void ForgetLeaves(Side* side)
{
	for (int i = 0; i < LEAF_GROUPS; ++i)
	{
		side->leafGroups[i].group = SG_NONE;
	}
}

static snugStatus PrepareSide(Search* search, Side* side, snugBody* body, sgBox* root)
{
	side->body = body;
	side->tree = &body->model->tree;
	ForgetLeaves(side);
	sgBody_Prepare(body, &search->counters);
	return sgBody_MakePlacement(body, search->options->origin, root, &side->placement, &search->counters);
}

// ---- Several threads --------------------------------------------------------------------------------------------

/// Pairs of nodes that are enough to keep threads busy, and room for what the last step adds to them.
enum
{
	WANTED_TASKS = 96,
	MAX_TASKS = WANTED_TASKS + SG_LANES * SG_LANES
};

typedef struct NodePair
{
	uint32_t a, b;
} NodePair;

typedef struct Tasks
{
	Team team;
	const Search* search; ///< ready to descend
	NodePair pairs[MAX_TASKS];
	uint32_t count;
} Tasks;

static void AddCounters(snugCounters* sum, const snugCounters* more)
{
	sum->nodesAtFront += more->nodesAtFront;
	sum->nodesAboveFront += more->nodesAboveFront;
	sum->nodesBelowFront += more->nodesBelowFront;
	sum->volumeTests += more->volumeTests;
	sum->verticesEvaluated += more->verticesEvaluated;
	sum->triangleTests += more->triangleTests;
	sum->exactTests += more->exactTests;
}

// Step through pairs of nodes breadth first, until there are enough of them.
static void ListTasks(Search* search, Tasks* tasks)
{
	uint32_t next = 0;
	tasks->pairs[0] = (NodePair){ 0, 0 };
	tasks->count = 1;
	while (next < tasks->count && tasks->count - next < WANTED_TASKS && !search->isStopped)
	{
		// What has been stepped through makes room at the front.
		if (tasks->count + SG_LANES * SG_LANES > MAX_TASKS)
		{
			tasks->count -= next;
			memmove(tasks->pairs, tasks->pairs + next, tasks->count * sizeof(NodePair));
			next = 0;
		}
		NodePair pair = tasks->pairs[next++];
		Level level = Step(search, pair.a, pair.b);
		for (; level.pairs != 0; level.pairs &= level.pairs - 1)
		{
			uint32_t bit = sgLowestBit(level.pairs);
			tasks->pairs[tasks->count++] =
			    (NodePair){ level.groupA * SG_LANES + bit / SG_LANES, level.groupB * SG_LANES + bit % SG_LANES };
		}
	}
	tasks->count -= next;
	memmove(tasks->pairs, tasks->pairs + next, tasks->count * sizeof(NodePair));
}

static SG_NOINLINE void RunSearch(Tasks* tasks, NodePair pair)
{
	Search search; // not zeroed: most of it is scratch
	const Search* like = tasks->search;
	search.kernels = like->kernels;
	search.options = like->options;
	search.team = &tasks->team;
	search.foundCount = 0;
	search.counters = (snugCounters){ 0 };
	search.isStopped = atomic_load_explicit(&tasks->team.isStopped, memory_order_relaxed);
	search.isCut = false;
	search.motionBA = like->motionBA;
	search.motionAB = like->motionAB;
	search.testsExtra = like->testsExtra;
	search.extra = like->extra;
	const Side* sides[2] = { &like->a, &like->b };
	Side* copies[2] = { &search.a, &search.b };
	for (int i = 0; i < 2; ++i)
	{
		copies[i]->body = sides[i]->body;
		copies[i]->tree = sides[i]->tree;
		copies[i]->placement = sides[i]->placement;
		ForgetLeaves(copies[i]);
	}
	if (!search.isStopped)
	{
		Descend(&search, pair.a, pair.b);
		HandOver(&search);
	}
	Team_Lock(&tasks->team);
	AddCounters(&tasks->team.counters, &search.counters);
	Team_Unlock(&tasks->team);
}

static void RunTask(void* context, uint32_t index)
{
	Tasks* tasks = context;
	sgFpEnv environment = sgFpEnv_Enter();
	RunSearch(tasks, tasks->pairs[index]);
	sgFpEnv_Leave(environment);
}

static void DescendTogether(Search* search)
{
	Tasks tasks = { .team = { .lock = ATOMIC_FLAG_INIT, .sink = search->sink }, .search = search };
	ListTasks(search, &tasks);
	if (search->isStopped || tasks.count == 0)
	{
		return;
	}
	search->options->parallel(search->options->parallelUser, tasks.count, RunTask, &tasks);
	AddCounters(&search->counters, &tasks.team.counters);
	search->isCut = atomic_load_explicit(&tasks.team.isStopped, memory_order_relaxed);
}

/// Subtrees of both bodies to be refitted before the query.
typedef struct Refits
{
	snugBody* bodies[2 * SG_MAX_SUBTREES];
	uint32_t slots[2 * SG_MAX_SUBTREES];
	Team team;
} Refits;

static SG_NOINLINE void RunRefit(Refits* refits, uint32_t index)
{
	snugCounters counters = { 0 };
	sgBody_PrepareSubtree(refits->bodies[index], refits->slots[index], &counters);
	Team_Lock(&refits->team);
	AddCounters(&refits->team.counters, &counters);
	Team_Unlock(&refits->team);
}

static void RefitTask(void* context, uint32_t index)
{
	sgFpEnv environment = sgFpEnv_Enter();
	RunRefit(context, index);
	sgFpEnv_Leave(environment);
}

static void PrepareTogether(Search* search, snugBody* a, snugBody* b)
{
	Refits refits = { .team = { .lock = ATOMIC_FLAG_INIT } };
	snugBody* bodies[2] = { a, b };
	uint32_t count = 0;
	for (int i = 0; i < 2; ++i)
	{
		uint32_t more = sgBody_BeginPrepare(bodies[i], refits.slots + count);
		for (uint32_t k = 0; k < more; ++k)
		{
			refits.bodies[count++] = bodies[i];
		}
	}
	if (count > 0)
	{
		search->options->parallel(search->options->parallelUser, count, RefitTask, &refits);
		AddCounters(&search->counters, &refits.team.counters);
	}
}

// Families of 8-wide trees have a group to themselves; others share groups, which are read as a whole.
static bool CanBeParallel(const snugBody* a, const snugBody* b)
{
	return a->model->treeDef.branching == SG_LANES && b->model->treeDef.branching == SG_LANES;
}

void sgTraverse(snugBody* a, snugBody* b, const sgTraversal* options, sgSink* sink, snugResult* result)
{
	Search search; // not zeroed: most of it is scratch
	search.kernels = sgGetKernels();
	search.options = options;
	search.sink = sink;
	search.team = NULL;
	search.counters = (snugCounters){ 0 };
	search.isStopped = search.isCut = false;
	bool isParallel = options->parallel != NULL && CanBeParallel(a, b);
	if (isParallel)
	{
		PrepareTogether(&search, a, b);
	}
	sgBox rootA, rootB;
	result->status = PrepareSide(&search, &search.a, a, &rootA);
	if (result->status == snug_success)
	{
		result->status = PrepareSide(&search, &search.b, b, &rootB);
	}
	if (result->status == snug_success)
	{
		const sgPlacement *placementA = &search.a.placement, *placementB = &search.b.placement;
		search.motionBA = sgRelativeMotion(&a->frame, placementA, &b->frame, placementB, &rootB);
		search.motionAB = sgRelativeMotion(&b->frame, placementB, &a->frame, placementA, &rootA);
		search.testsExtra = sgExtraTest_Make(&search.extra, a->volume, b->volume, &search.motionBA);
		if (isParallel)
		{
			DescendTogether(&search);
		}
		else
		{
			Descend(&search, 0, 0);
		}
		result->complete = !search.isCut;
	}
	snugCounters* counters = &search.counters;
	counters->nodesRefitted = counters->nodesAtFront + counters->nodesAboveFront + counters->nodesBelowFront;
	result->counters = search.counters;
}
