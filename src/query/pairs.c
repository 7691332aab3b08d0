// src/query/pairs.c: see pairs.h.
#include "query/pairs.h"

#include "geometry/box_kernels.h"
#include "geometry/distance.h"
#include "geometry/triangle.h"
#include "query/neighbours.h"
#include "tree/probe_kernels.h"

#include <math.h>
#include <string.h>

static sgPairSearch* SearchOf(sgPairWalk* walk)
{
	return (sgPairSearch*)(void*)walk;
}

// ---- Triangles that are left to be decided --------------------------------------------------------------------------

static void Report(sgPairSearch* search, snugPair pair)
{
	if (search->team != NULL)
	{
		search->found[search->foundCount++] = pair;
		if (search->foundCount == SG_TEAM_PAIRS)
		{
			sgPairSearch_HandOver(search);
		}
		return;
	}
	bool goOn = sgSink_Add(search->sink, pair);
	search->bound2 = 0.0f;
	search->isCut = search->isCut || !goOn;
	search->walk.isStopped = !goOn || search->options->firstOnly;
}

// One pair, exactly.
static bool Intersect(const sgPairSearch* search, uint32_t lane)
{
	float a[3][3], b[3][3];
	for (int i = 0; i < 9; ++i)
	{
		a[i / 3][i % 3] = search->queue.a[i / 3][i % 3][lane];
		b[i / 3][i % 3] = search->queue.b[i / 3][i % 3][lane];
	}
	const uint32_t shared = search->queued[lane].shared;
	return shared != 0 ? sgTriangles_IntersectBeyond((const float(*)[3])a, (const float(*)[3])b, shared)
	                   : search->kernels->leaves->intersectTriangles((const float(*)[3])a, (const float(*)[3])b);
}

static uint32_t LeafOf(const sgView* side, const sgLeaf* leaf)
{
	return (uint32_t)(leaf - side->tree->leaves);
}

// A queued pair intersects.
static void Found(sgPairSearch* search, const sgQueuedPair* queued)
{
	const sgLeaf *leafA = queued->leafA, *leafB = queued->leafB;
	const uint32_t i = queued->laneA, j = queued->laneB;
	if (search->options->witness != NULL)
	{
		const uint32_t a = LeafOf(&search->a, leafA), b = LeafOf(&search->b, leafB);
		*search->options->witness = (snugWitness){ { a + 1, i, b, j } };
	}
	snugPair pair;
	if (search->options->asPlaces)
	{
		pair.a = LeafOf(&search->a, leafA) * SG_LANES + i;
		pair.b = LeafOf(&search->b, leafB) * SG_LANES + j;
	}
	else
	{
		pair.a = search->a.tree->triangleMap[leafA->firstTriangle + i];
		pair.b = search->b.tree->triangleMap[leafB->firstTriangle + j];
	}
	const bool isTurned = search->neighbours != NULL && pair.b < pair.a;
	Report(search, isTurned ? (snugPair){ pair.b, pair.a } : pair);
}

// Decide what is queued. Lanes after the last hold what was there before, or zeros.
static void Flush(sgPairSearch* search)
{
	uint32_t mask = (1u << search->queuedCount) - 1u, unsure;
	if (mask == 0)
	{
		return;
	}
	uint32_t meet = search->kernels->leaves->decidePairs(&search->queue, search->queuedAtCorner, &unsure);
	search->queuedCount = search->queuedAtCorner = 0;
	for (uint32_t rest = (meet | unsure) & mask; rest != 0 && !search->walk.isStopped; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		bool isUnsure = (unsure >> lane & 1) != 0;
		search->counters.exactTests += isUnsure;
		if ((!isUnsure || Intersect(search, lane)) && !sgNeighbours_MeetAtRest(search, search->queued + lane))
		{
			Found(search, search->queued + lane);
		}
	}
}

void sgPairSearch_Queued(sgPairSearch* search)
{
	if (++search->queuedCount == SG_LANES)
	{
		Flush(search);
	}
}

// Most of what is queued does not intersect, so whatever only an intersection needs is left for later. A candidate is
// as filterLeaves gives it.
static void Queue(sgPairSearch* search, sgKeptLeaf a, sgKeptLeaf b, uint32_t candidate)
{
	const uint32_t leafA = candidate >> 9, leafB = candidate >> 6 & 7, i = candidate >> 3 & 7, j = candidate & 7;
	const uint32_t lane = search->queuedCount;
	for (int c = 0; c < 3; ++c)
	{
		for (int axis = 0; axis < 3; ++axis)
		{
			search->queue.a[c][axis][lane] = sgView_Lanes(&search->a, a)[leafA].corner[c][axis][i];
			search->queue.b[c][axis][lane] = sgView_Lanes(&search->b, b)[leafB].corner[c][axis][j];
		}
	}
	search->queued[lane] = (sgQueuedPair){ .leafA = sgView_Lanes(&search->a, a)[leafA].leaf,
		.leafB = sgView_Lanes(&search->b, b)[leafB].leaf,
		.laneA = i,
		.laneB = j };
	sgPairSearch_Queued(search);
}

// ---- Nodes -------------------------------------------------------------------------------------------------------

static sgOpened OpenA(sgPairWalk* walk, uint32_t slot)
{
	return sgOpen(SearchOf(walk)->a.tree, slot);
}

static sgOpened OpenB(sgPairWalk* walk, uint32_t slot)
{
	return sgOpen(SearchOf(walk)->b.tree, slot);
}

static void Approach(sgPairSearch* search, float gap2)
{
	search->bound2 = gap2 < search->bound2 ? gap2 : search->bound2;
}

// The least squared distance of some pairs of boxes.
static float LeastGap(const sgPairSearch* search, const sgBoxLanes* a, const sgBoxLanes* b, uint64_t pairs)
{
	float SG_ALIGN(32) gaps[SG_LANES * SG_LANES];
	float least = INFINITY;
	search->kernels->probes->gapBoxes(a, 0xff, b, gaps);
	for (; pairs != 0; pairs &= pairs - 1)
	{
		const float gap = gaps[sgLowestBit(pairs)];
		least = gap < least ? gap : least;
	}
	return least > 0.0f ? least : 0.0f;
}

static uint64_t OverlapInOneSpace(
    sgPairSearch* search, const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, uint32_t maskB)
{
	return search->bound2 > 0.0f ? search->kernels->probes->overlapOrGap(a, maskA, b, maskB, &search->gap2)
	                             : search->kernels->boxes->overlapBoxes(a, maskA, b, maskB);
}

// Bit i: there are pairs with lane i of A.
static uint32_t RowsOf(uint64_t pairs)
{
	uint64_t any = pairs | pairs >> 4;
	any |= any >> 2;
	any = (any | any >> 1) & 0x0101010101010101u;
	return (uint32_t)(any * 0x0102040810204080u >> 56);
}

// Bit j: there are pairs with lane j of B.
static uint32_t ColumnsOf(uint64_t pairs)
{
	pairs |= pairs >> 32;
	pairs |= pairs >> 16;
	return (uint32_t)(pairs | pairs >> 8) & 0xff;
}

// Pairs of lanes that overlap after both have been moved into one space. What is ruled out is at least a gap apart.
static uint64_t OverlapMoved(
    sgPairSearch* search, const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, uint32_t maskB)
{
	const sgKernels* kernels = search->kernels;
	sgBoxLanes moved;
	kernels->boxes->moveBoxes(b, &search->motionBA, &moved);
	uint64_t pairs = OverlapInOneSpace(search, a, maskA, &moved, maskB);
	// A turned box is a loose box. Looking from the other body as well separates along its axes too.
	if (pairs != 0 && search->motionAB.kind == sgMotion_general)
	{
		kernels->boxes->moveBoxes(a, &search->motionAB, &moved);
		const uint64_t both = pairs & kernels->boxes->overlapBoxes(&moved, RowsOf(pairs), b, maskB);
		if (search->bound2 > 0.0f && both != pairs)
		{
			const float gap2 = LeastGap(search, &moved, b, pairs & ~both);
			search->gap2 = gap2 < search->gap2 ? gap2 : search->gap2;
		}
		pairs = both;
	}
	return pairs;
}

// Pairs of lanes that overlap.
static uint64_t Overlap(sgPairSearch* search, const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, uint32_t maskB)
{
	uint64_t tests = (uint64_t)(sgCountBits(maskA) * sgCountBits(maskB));
	search->counters.volumeTests += tests;
	return search->motionBA.kind != sgMotion_none ? OverlapMoved(search, a, maskA, b, maskB)
	                                              : OverlapInOneSpace(search, a, maskA, b, maskB);
}

/// One side of a comparison.
typedef struct Party
{
	sgView* side;
	const sgOpened* opened;
	sgLook look;              ///< from before anything was made
	const sgBoxLanes* bounds; ///< null: not made yet
} Party;

static Party LookAt(sgView* side, const sgOpened* opened)
{
	sgLook look = sgBody_Look(side->body, opened->set);
	return (Party){ side, opened, look, look.bounds };
}

static void MakeBounds(sgPairSearch* search, Party* party)
{
	if (party->bounds == NULL)
	{
		sgView* side = party->side;
		party->bounds = sgBody_Refresh(side->body, party->opened->set, &side->scratch, &search->counters);
	}
}

// Whether one party's nodes overlap the node that the other's are below, if the bounds of that are still there.
static bool MayMeet(sgPairSearch* search, const Party* one, const Party* other)
{
	uint32_t slot = other->opened->slot, mask = one->opened->set.mask, lane = 1u << slot % SG_LANES;
	const sgBoxLanes* node = sgBody_Look(other->side->body, sgTree_Family(other->side->tree, slot)).bounds;
	if (node == NULL)
	{
		return true;
	}
	return one->side == &search->a ? Overlap(search, one->bounds, mask, node, lane) != 0
	                               : Overlap(search, node, lane, one->bounds, mask) != 0;
}

static void Note(const Party* party)
{
	sgBody_NoteVisit(party->side->body, party->look, &party->side->visits);
}

// Exact leaves that were up to date and overlap nothing were not needed: the node above them would have done.
static void NoteUse(const Party* party, uint64_t pairs)
{
	const sgLaneSet* set = &party->opened->set;
	if (pairs != 0 || party->look.bounds == NULL || set->leafMask != set->mask)
	{
		Note(party);
	}
}

// Bounds that are not up to date are not made before those of the other side have been compared with the node above
// them: half of the time that settles it. If neither are, those of A are made first.
static uint64_t Compare(sgPairWalk* walk, const sgOpened* openedA, const sgOpened* openedB)
{
	sgPairSearch* search = SearchOf(walk);
	if (search->neighbours != NULL)
	{
		return sgNeighbours_Compare(search, openedA, openedB);
	}
	Party a = LookAt(&search->a, openedA), b = LookAt(&search->b, openedB);
	bool isBFirst = a.bounds == NULL && b.bounds != NULL;
	Party *first = isBFirst ? &b : &a, *second = isBFirst ? &a : &b;
	MakeBounds(search, first);
	if (second->bounds == NULL && !MayMeet(search, first, second))
	{
		Approach(search, search->gap2);
		Note(first);
		return 0;
	}
	MakeBounds(search, second);
	uint64_t pairs = Overlap(search, a.bounds, openedA->set.mask, b.bounds, openedB->set.mask);
	Approach(search, search->gap2);
	NoteUse(&a, pairs);
	NoteUse(&b, pairs);
	return pairs;
}

// ---- Leaves -------------------------------------------------------------------------------------------------------

// A lower bound of the squared distance of two triangles that do not intersect: computed distances are off by less than
// 2^-38 of the extent (geometry/distance.h).
static float TrianglesGap(const float a[3][3], const float b[3][3])
{
	sgNearest nearest;
	double extent = 0.0;
	sgTriangles_Nearest(a, b, &nearest);
	sgBox box = sgBox_Empty();
	for (int i = 0; i < 3; ++i)
	{
		sgBox_AddPoint(&box, a[i]);
		sgBox_AddPoint(&box, b[i]);
	}
	for (int k = 0; k < 3; ++k)
	{
		extent = fmax(extent, (double)box.upper[k] - box.lower[k]);
	}
	const double distance = sqrt(nearest.distance2) - 0x1p-37 * extent;
	return distance > 0.0 ? sgRoundDown(distance * distance * (1.0 - 0x1p-40)) : 0.0f;
}

// The placed triangles of a leaf.
static sgKeptLeaf FindLeaf(sgPairSearch* search, sgView* side, uint32_t leaf)
{
	const uint32_t slot = side->tree->leaves[leaf].slot;
	const sgOpened opened = sgOpen(side->tree, slot);
	return sgView_Triangles(side, &opened, slot % SG_LANES, &search->counters);
}

// The distances that wait.
static SG_NOINLINE void ApproachWaiting(sgPairSearch* search)
{
	for (uint32_t i = 0; i < search->waitingCount && search->bound2 > 0.0f; ++i)
	{
		const uint32_t* where = search->waiting[i].memory;
		float a[3][3], b[3][3];
		sgView_GetTriangle(&search->a, FindLeaf(search, &search->a, where[0]), where[1], a);
		sgView_GetTriangle(&search->b, FindLeaf(search, &search->b, where[2]), where[3], b);
		if (!sgTriangles_AreFar((const float(*)[3])a, (const float(*)[3])b, search->bound2))
		{
			Approach(search, TrianglesGap((const float(*)[3])a, (const float(*)[3])b));
		}
	}
	search->waitingCount = 0;
}

// The triangles of two leaves: their boxes tell most often. Distances of the others are computed in the end, if no two
// triangles intersect.
static SG_NOINLINE void ApproachTriangles(sgPairSearch* search, sgKeptLeaf a, sgKeptLeaf b)
{
	const sgView *sideA = &search->a, *sideB = &search->b;
	float gap2;
	uint64_t pairs = search->kernels->probes->overlapOrGap(&sgView_Lanes(sideA, a)->boxes, sgView_Lanes(sideA, a)->mask,
	    &sgView_Lanes(sideB, b)->boxes, sgView_Lanes(sideB, b)->mask, &gap2);
	const uint32_t leafA = LeafOf(sideA, sgView_Lanes(sideA, a)->leaf);
	const uint32_t leafB = LeafOf(sideB, sgView_Lanes(sideB, b)->leaf);
	Approach(search, gap2);
	for (; pairs != 0; pairs &= pairs - 1)
	{
		const uint32_t pair = sgLowestBit(pairs);
		if (search->waitingCount == SG_WAITING_PAIRS)
		{
			ApproachWaiting(search);
		}
		search->waiting[search->waitingCount++] = (snugWitness){ { leafA, pair / SG_LANES, leafB, pair % SG_LANES } };
	}
}

// All pairs of triangles of pairs of leaves.
static void SettleTogether(sgPairSearch* search, const sgOpened* openedA, const sgOpened* openedB, uint64_t ends)
{
	if (search->neighbours != NULL)
	{
		sgNeighbours_Settle(search, openedA, RowsOf(ends), openedB, ColumnsOf(ends), ends);
		return;
	}
	const sgKeptLeaf a = sgView_Leaves(&search->a, openedA, RowsOf(ends), &search->counters);
	const sgKeptLeaf b = sgView_Leaves(&search->b, openedB, ColumnsOf(ends), &search->counters);
	uint16_t candidates[SG_MAX_CANDIDATES];
	const uint32_t count = search->kernels->leaves->filterLeaves(
	    sgView_Lanes(&search->a, a), sgView_Lanes(&search->b, b), ends, &search->counters.triangleTests, candidates);
	for (uint32_t k = 0; k < count && !search->walk.isStopped; ++k)
	{
		Queue(search, a, b, candidates[k]);
	}
}

// One pair of leaves after the other: the first pair of triangles is enough, or distances count as well.
static SG_NOINLINE void SettleEach(
    sgPairSearch* search, const sgOpened* openedA, const sgOpened* openedB, uint64_t ends)
{
	for (; ends != 0 && !search->walk.isStopped; ends &= ends - 1)
	{
		const uint32_t pair = sgLowestBit(ends);
		SettleTogether(search, openedA, openedB, (uint64_t)1 << pair);
		if (search->bound2 > 0.0f)
		{
			ApproachTriangles(search, sgView_Triangles(&search->a, openedA, pair / SG_LANES, &search->counters),
			    sgView_Triangles(&search->b, openedB, pair % SG_LANES, &search->counters));
		}
		if (search->options->firstOnly)
		{
			Flush(search); // the next leaves may not be needed
		}
	}
}

static void SettleAll(sgPairWalk* walk, const sgOpened* openedA, const sgOpened* openedB, uint64_t ends)
{
	sgPairSearch* search = SearchOf(walk);
	if (search->options->firstOnly || search->bound2 > 0.0f)
	{
		SettleEach(search, openedA, openedB, ends);
	}
	else
	{
		SettleTogether(search, openedA, openedB, ends);
	}
}

// ---- The search --------------------------------------------------------------------------------------------------

// Between two pairs of nodes is also when one of several threads learns that all are to stop.
static void Expect(sgPairWalk* walk, uint32_t slotA, uint32_t slotB)
{
	sgPairSearch* search = SearchOf(walk);
	if (search->team != NULL)
	{
		walk->isStopped = walk->isStopped || atomic_load_explicit(&search->team->isStopped, memory_order_relaxed);
	}
	sgBody_Expect(search->a.body, slotA);
	sgBody_Expect(search->b.body, slotB);
}

static const sgPairWalker walker = { OpenA, OpenB, Compare, NULL, Expect, SettleAll };

sgPairLevel sgPairSearch_Step(sgPairSearch* search, uint32_t slotA, uint32_t slotB)
{
	sgPairLevel level = sgPairWalk_Step(&search->walk, &walker, slotA, slotB);
	Flush(search);
	return level;
}

void sgPairSearch_Descend(sgPairSearch* search, uint32_t slotA, uint32_t slotB)
{
	sgPairWalk_Descend(&search->walk, &walker, slotA, slotB);
	Flush(search);
}

static void DescendFromStarts(sgPairSearch* search)
{
	const sgPairOptions* options = search->options;
	for (uint32_t i = 0; i < options->startCount && !search->walk.isStopped; ++i)
	{
		sgPairWalk_DescendFrom(&search->walk, &walker, options->starts[i]);
	}
	Flush(search);
}

uint64_t sgPairSearch_Compare(sgPairSearch* search, const sgOpened* a, const sgOpened* b)
{
	return Compare(&search->walk, a, b);
}

void sgPairSearch_Settle(sgPairSearch* search, uint32_t leafSlotA, uint32_t leafSlotB)
{
	const sgOpened a = sgOpen(search->a.tree, leafSlotA), b = sgOpen(search->b.tree, leafSlotB);
	SettleAll(&search->walk, &a, &b, (uint64_t)1 << (leafSlotA % SG_LANES * SG_LANES + leafSlotB % SG_LANES));
}

void sgPairSearch_Flush(sgPairSearch* search)
{
	Flush(search);
}

void sgPairSearch_Make(sgPairSearch* search, const sgPairOptions* options, sgSink* sink)
{
	search->kernels = sgGetKernels();
	search->options = options;
	search->sink = sink;
	search->team = NULL;
	search->neighbours = NULL;
	sgPairSearch_Reset(search);
}

void sgPairSearch_Reset(sgPairSearch* search)
{
	memset(&search->queue, 0, sizeof(search->queue));
	search->queuedCount = search->foundCount = search->waitingCount = 0;
	search->queuedAtCorner = 0;
	search->counters = (snugCounters){ 0 };
	search->walk.isStopped = search->isCut = false;
	search->bound2 = search->gap2 = search->options->distanceBound ? INFINITY : 0.0f;
}

// Whether there is a triangle that a witness names.
static bool IsTriangle(const sgTree* tree, uint32_t leaf, uint32_t triangle)
{
	return leaf < tree->leafCount && triangle < tree->leaves[leaf].triangleCount;
}

// How one body moves against the other, once both are placed.
static void FindMotions(sgPairSearch* search, const sgBox* aroundA, const sgBox* aroundB)
{
	const snugBody *a = search->a.body, *b = search->b.body;
	const sgPlacement *placementA = &search->a.placement, *placementB = &search->b.placement;
	search->motionBA = sgRelativeMotion(&a->frame, placementA, &b->frame, placementB, aroundB);
	search->motionAB = sgRelativeMotion(&b->frame, placementB, &a->frame, placementA, aroundA);
}

// Place both bodies, without refitting anything: boxes may be larger than need be.
static snugStatus PlaceLoosely(sgPairSearch* search, snugBody* a, snugBody* b)
{
	sgBox aroundA, aroundB;
	const double* origin = search->options->origin;
	snugStatus status = sgView_PlaceLoosely(&search->a, a, origin, &aroundA, &search->counters);
	status = status == snug_success ? sgView_PlaceLoosely(&search->b, b, origin, &aroundB, &search->counters) : status;
	if (status == snug_success)
	{
		FindMotions(search, &aroundA, &aroundB);
	}
	return status;
}

static uint32_t Above(const sgTree* tree, uint32_t slot)
{
	return tree->nodes[slot].parent == SG_NONE ? slot : tree->nodes[slot].parent;
}

// The lanes of what Above opens that a node is: all if it is the root.
static uint32_t LanesOf(const sgTree* tree, uint32_t slot)
{
	return tree->nodes[slot].parent == SG_NONE ? 0xff : 1u << slot % SG_LANES;
}

// Look at everything below the parents of two nodes, except below both of the nodes themselves, where everything has
// been looked at. Leaves are settled by the step itself, so none of their pairs is left out.
static void LookAround(sgPairSearch* search, uint32_t* slotA, uint32_t* slotB)
{
	const sgTree *treeA = search->a.tree, *treeB = search->b.tree;
	const uint64_t done = sgMaskProduct(LanesOf(treeA, *slotA), LanesOf(treeB, *slotB));
	*slotA = Above(treeA, *slotA);
	*slotB = Above(treeB, *slotB);
	sgPairLevel level = sgPairWalk_Step(&search->walk, &walker, *slotA, *slotB);
	level.pairs &= ~done;
	sgPairWalk_DescendFrom(&search->walk, &walker, level);
	Flush(search);
}

// Look at the pair that answered last, then farther and farther around it: bodies that touch mostly go on touching
// nearby. This looks at little, so nothing is refitted first. When it comes to the roots, everything has been looked
// at; a search with starts stops before them.
// @return whether the question is answered
static bool TryWitness(sgPairSearch* search)
{
	const snugWitness last = *search->options->witness;
	const uint32_t leafA = last.memory[0] - 1, leafB = last.memory[2];
	if (!IsTriangle(search->a.tree, leafA, last.memory[1]) || !IsTriangle(search->b.tree, leafB, last.memory[3]))
	{
		return false;
	}
	*search->options->witness = (snugWitness){ { 0 } };
	++search->counters.triangleTests;
	const sgKeptLeaf a = FindLeaf(search, &search->a, leafA), b = FindLeaf(search, &search->b, leafB);
	Queue(search, a, b, last.memory[1] * SG_LANES + last.memory[3]);
	Flush(search);
	uint32_t slotA = search->a.tree->leaves[leafA].slot, slotB = search->b.tree->leaves[leafB].slot;
	bool isDone = search->walk.isStopped, hasStarts = search->options->startCount > 0;
	while (!isDone && !(hasStarts && (Above(search->a.tree, slotA) == 0 || Above(search->b.tree, slotB) == 0)))
	{
		LookAround(search, &slotA, &slotB);
		isDone = search->walk.isStopped || (slotA == 0 && slotB == 0);
	}
	sgView_Finish(&search->a);
	sgView_Finish(&search->b);
	return isDone;
}

snugStatus sgPairSearch_Start(sgPairSearch* search, snugBody* a, snugBody* b)
{
	sgBox rootA, rootB;
	const double* origin = search->options->origin;
	if (search->neighbours != NULL)
	{
		sgView_StartAlone(&search->a, a, &search->counters);
		sgView_Share(&search->b, &search->a);
		return snug_success;
	}
	snugStatus status = sgView_Start(&search->a, a, origin, &rootA, &search->counters);
	status = status == snug_success ? sgView_Start(&search->b, b, origin, &rootB, &search->counters) : status;
	if (status == snug_success)
	{
		FindMotions(search, &rootA, &rootB);
	}
	return status;
}

static snugStatus Search(sgPairSearch* search, snugBody* a, snugBody* b)
{
	const sgPairOptions* options = search->options;
	bool isParallel = options->workers.run != NULL;
	if (search->neighbours != NULL && sgNeighbours_AreCertified(search, a))
	{
		return snug_success;
	}
	if (options->witness != NULL)
	{
		*options->witness = (snugWitness){ { 0 } };
	}
	if (isParallel)
	{
		sgPairSearch_PrepareTogether(search, a, b);
	}
	snugStatus status = sgPairSearch_Start(search, a, b);
	const bool isEmpty = a->model->tree.triangleCount == 0 || b->model->tree.triangleCount == 0;
	if (status == snug_success && !isEmpty) // an empty box has no distance from another
	{
		if (isParallel)
		{
			sgPairSearch_DescendTogether(search);
		}
		else if (options->startCount > 0)
		{
			DescendFromStarts(search);
		}
		else
		{
			sgPairSearch_Descend(search, 0, 0);
		}
		sgView_Finish(&search->a);
		sgView_Finish(&search->b);
	}
	return status;
}

void sgFindPairs(snugBody* a, snugBody* b, const sgPairOptions* options, sgSink* sink, snugResult* result)
{
	sgPairSearch search;     // not zeroed: most of it is scratch
	sgNeighbours neighbours; // and this all of it, for two bodies
	sgPairSearch_Make(&search, options, sink);
	if (a == b)
	{
		search.neighbours = sgNeighbours_Begin(&neighbours);
	}
	bool isAnswered = false;
	if (options->witness != NULL && options->witness->memory[0] != 0)
	{
		result->status = PlaceLoosely(&search, a, b);
		isAnswered = result->status == snug_success && TryWitness(&search);
	}
	if (result->status == snug_success && !isAnswered)
	{
		result->status = Search(&search, a, b);
	}
	result->complete = result->status == snug_success && !search.isCut;
	if (search.bound2 > 0.0f && result->complete)
	{
		ApproachWaiting(&search);
	}
	result->distanceBound = result->complete ? sqrt((double)search.bound2) * (1.0 - 0x1p-40) : 0.0;
	result->counters = search.counters;
}
