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
#include "query/search.h"

#include "simd/kernels.h"

static const sgTriangleLanes* Triangles(sgSearch* search, sgSide* side, sgLaneSet set, uint32_t lane)
{
	sgLeafGroup* kept = side->leafGroups + set.group % SG_LEAF_GROUPS;
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
		search->kernels->leaves->gatherVertices(vertices.positions, vertices.indices, leaf->vertexCount, &block);
		search->kernels->leaves->placeVertices(&block, leaf->vertexCount, &side->placement);
		search->kernels->leaves->assembleTriangles(&block, leaf, triangles);
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

static void Report(sgSearch* search, snugPair pair)
{
	if (search->team != NULL)
	{
		search->found[search->foundCount++] = pair;
		if (search->foundCount == SG_TEAM_PAIRS)
		{
			sgSearch_HandOver(search);
		}
		return;
	}
	bool goOn = sgSink_Add(search->sink, pair);
	search->isCut = search->isCut || !goOn;
	search->isStopped = !goOn || search->options->firstOnly;
}

// All pairs of triangles of two leaves.
static void CollideLeaves(sgSearch* search, sgLaneSet setA, uint32_t laneA, sgLaneSet setB, uint32_t laneB)
{
	const sgTree* treeA = search->a.tree;
	const sgTree* treeB = search->b.tree;
	const sgTriangleLanes* a = Triangles(search, &search->a, setA, laneA);
	const sgTriangleLanes* b = Triangles(search, &search->b, setB, laneB);
	uint64_t tests = 0;
	uint64_t pairs = search->kernels->leaves->filterTriangles(a, b, &tests);
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
		if (search->kernels->leaves->intersectTriangles((const float(*)[3])p, (const float(*)[3])q))
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

// Pairs of lanes that overlap. None if that would take more tests than allowed.
static uint64_t Overlap(sgSearch* search, sgBounds a, uint32_t maskA, sgBounds b, uint32_t maskB)
{
	uint64_t tests = (uint64_t)(__builtin_popcount(maskA) * __builtin_popcount(maskB));
	if (tests > search->options->maxVolumeTests - search->counters.volumeTests)
	{
		search->isCut = search->isStopped = true;
		return 0;
	}
	search->counters.volumeTests += tests;
	const sgKernels* kernels = search->kernels;
	uint64_t pairs;
	if (search->motionBA.kind == sgMotion_none)
	{
		pairs = kernels->boxes->overlapBoxes(a.boxes, maskA, b.boxes, maskB);
	}
	else
	{
		sgBoxLanes moved;
		kernels->boxes->moveBoxes(b.boxes, &search->motionBA, &moved);
		pairs = kernels->boxes->overlapBoxes(a.boxes, maskA, &moved, maskB);
		// A turned box is a loose box. Looking from the other body as well separates along its axes too.
		if (pairs != 0 && search->motionAB.kind == sgMotion_general)
		{
			kernels->boxes->moveBoxes(a.boxes, &search->motionAB, &moved);
			pairs &= kernels->boxes->overlapBoxes(&moved, maskA, b.boxes, maskB);
		}
	}
	return pairs != 0 && search->testsExtra ? sgOverlapExtra(a.extra, b.extra, &search->extra, pairs) : pairs;
}

// The bounds that a node itself is in, if they are still there.
static sgBounds FindNode(const sgSide* side, uint32_t slot)
{
	return sgBody_Look(side->body, sgTree_Family(side->tree, slot)).bounds;
}

// What two nodes have below them is compared. Bounds that are not up to date are not made before those of the other
// side have been compared with the node itself: half of the time that settles it.
static uint64_t OverlapSets(sgSearch* search, uint32_t slotA, sgLaneSet setA, uint32_t slotB, sgLaneSet setB)
{
	sgSide *sideA = &search->a, *sideB = &search->b;
	snugCounters* counters = &search->counters;
	const sgLook lookA = sgBody_Look(sideA->body, setA), lookB = sgBody_Look(sideB->body, setB);
	sgBounds a = lookA.bounds, b = lookB.bounds;
	if (a.boxes == NULL && b.boxes != NULL)
	{
		sgBounds node = FindNode(sideA, slotA);
		if (node.boxes != NULL && Overlap(search, node, 1u << slotA % SG_LANES, b, setB.mask) == 0)
		{
			sgBody_NoteVisit(sideB->body, lookB, setB, &sideB->visits);
			return 0;
		}
	}
	if (a.boxes == NULL)
	{
		a = sgBody_Refresh(sideA->body, setA, &sideA->scratch, counters);
	}
	sgBody_NoteVisit(sideA->body, lookA, setA, &sideA->visits);
	if (b.boxes == NULL)
	{
		sgBounds node = FindNode(sideB, slotB);
		if (node.boxes != NULL && Overlap(search, a, setA.mask, node, 1u << slotB % SG_LANES) == 0)
		{
			return 0;
		}
		b = sgBody_Refresh(sideB->body, setB, &sideB->scratch, counters);
	}
	uint64_t pairs = Overlap(search, a, setA.mask, b, setB.mask);
	// Exact leaves that overlap nothing were not needed: the node above them is as good, straight from the pose.
	bool isNeeded = pairs != 0 || lookB.bounds.boxes == NULL || setB.leafMask != setB.mask;
	if (isNeeded)
	{
		sgBody_NoteVisit(sideB->body, lookB, setB, &sideB->visits);
	}
	return pairs;
}

// Look at what is below two nodes; settle leaf pairs, and return the level of what remains.
sgLevel sgSearch_Step(sgSearch* search, uint32_t slotA, uint32_t slotB)
{
	sgLaneSet setA = sgTree_Open(search->a.tree, slotA);
	sgLaneSet setB = sgTree_Open(search->b.tree, slotB);
	uint64_t pairs = OverlapSets(search, slotA, setA, slotB, setB);
	uint64_t leafPairs =
	    setA.leafMask != 0 && setB.leafMask != 0 ? pairs & MaskProduct(setA.leafMask, setB.leafMask) : 0;
	for (uint64_t rest = leafPairs; rest != 0 && !search->isStopped; rest &= rest - 1)
	{
		CollideLeaves(search, setA, sgLowestBit(rest) / SG_LANES, setB, sgLowestBit(rest) % SG_LANES);
	}
	return (sgLevel){ setA.group, setB.group, pairs & ~leafPairs };
}

// Everything below two nodes. Each level descends into at least one of them, and into both while both are inner nodes;
// so there are at most as many levels as the deeper tree has, and the root's.
void sgSearch_Descend(sgSearch* search, uint32_t rootA, uint32_t rootB)
{
	int top = 0;
	search->stack[0] = sgSearch_Step(search, rootA, rootB);
	while (top >= 0 && !search->isStopped)
	{
		sgLevel* level = search->stack + top;
		if (level->pairs == 0)
		{
			--top;
			continue;
		}
		uint32_t pair = sgLowestBit(level->pairs);
		level->pairs &= level->pairs - 1;
		uint32_t slotA = level->groupA * SG_LANES + pair / SG_LANES;
		uint32_t slotB = level->groupB * SG_LANES + pair % SG_LANES;
		sgLevel next = sgSearch_Step(search, slotA, slotB);
		if (next.pairs != 0)
		{
			search->stack[++top] = next;
		}
	}
}

void sgSide_ForgetLeaves(sgSide* side)
{
	for (int i = 0; i < SG_LEAF_GROUPS; ++i)
	{
		side->leafGroups[i].group = SG_NONE;
	}
}

static snugStatus PrepareSide(sgSearch* search, sgSide* side, snugBody* body, sgBox* root)
{
	side->body = body;
	side->tree = &body->model->tree;
	side->visits = (sgVisits){ 0 };
	sgSide_ForgetLeaves(side);
	sgBody_Prepare(body, &search->counters);
	return sgBody_MakePlacement(body, search->options->origin, root, &side->placement, &search->counters);
}

void sgTraverse(snugBody* a, snugBody* b, const sgTraversal* options, sgSink* sink, snugResult* result)
{
	sgSearch search; // not zeroed: most of it is scratch
	search.kernels = sgGetKernels();
	search.options = options;
	search.sink = sink;
	search.team = NULL;
	search.counters = (snugCounters){ 0 };
	search.isStopped = search.isCut = false;
	bool isParallel = options->parallel != NULL && sgCanBeParallel(a, b);
	if (isParallel)
	{
		sgSearch_PrepareTogether(&search, a, b);
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
			sgSearch_DescendTogether(&search);
		}
		else
		{
			sgSearch_Descend(&search, 0, 0);
		}
		result->complete = !search.isCut;
		sgBody_AddVisits(a, &search.a.visits);
		sgBody_AddVisits(b, &search.b.visits);
	}
	snugCounters* counters = &search.counters;
	counters->nodesRefitted = counters->nodesAtFront + counters->nodesAboveFront + counters->nodesBelowFront;
	result->counters = search.counters;
}
