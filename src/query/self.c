// src/query/self.c: pairs of triangles of one body: a walk over its tree and itself.
//
// A step from a node to itself looks at the pairs of its children, each once, and at each child with itself; a step
// from a node to another one is as between two bodies. So every pair of leaves is met once.
//
// Neighbouring leaves always overlap, and neighbouring triangles always touch: nearly all candidates share a corner or
// an edge. The filter in float32 leaves those corners out (leaf_kernels.c), which settles most of them.
#include "base/fpenv.h"
#include "geometry/box_kernels.h"
#include "geometry/triangle.h"
#include "query/sink.h"
#include "query/triangles.h"
#include "query/view.h"
#include "snug/snug_queries.h"

#include <string.h>

/// A side, with the vertex numbers of leaves that it keeps: each in the place that its triangles have there.
typedef struct Party
{
	sgView side;
	const sgLeaf* leaves[SG_LEAF_GROUPS][SG_LANES]; ///< whose corners are here; null: nobody's
	sgCornerLanes corners[SG_LEAF_GROUPS][SG_LANES];
} Party;

typedef struct Search
{
	sgPairWalk walk;
	const sgKernels* kernels;
	sgSink* sink;
	bool keepRest;
	snugCounters counters;
	Party a, b; ///< of one body, so that leaves of one do not take the place of the other's
} Search;

static Search* SearchOf(sgPairWalk* walk)
{
	return (Search*)(void*)walk;
}

static sgOpened Open(sgPairWalk* walk, uint32_t slot)
{
	return sgOpen(SearchOf(walk)->a.side.tree, slot);
}

// Bits 8 i + j with j >= i.
static const uint64_t upperHalf = 0x80c0e0f0f8fcfeff;
static const uint64_t diagonal = 0x8040201008040201;

static uint64_t Compare(sgPairWalk* walk, const sgOpened* a, const sgOpened* b)
{
	Search* search = SearchOf(walk);
	const sgBoxLanes* boxesA = sgView_Bounds(&search->a.side, a, &search->counters);
	const sgBoxLanes* boxesB = sgView_Bounds(&search->b.side, b, &search->counters);
	uint64_t pairs = search->kernels->boxes->overlapBoxes(boxesA, a->set.mask, boxesB, b->set.mask);
	uint64_t all = sgMaskProduct(a->set.mask, b->set.mask);
	if (a->slot == b->slot)
	{
		pairs = (pairs & upperHalf) | (all & diagonal);
		all &= upperHalf & ~diagonal;
	}
	search->counters.volumeTests += (uint32_t)__builtin_popcountll(all);
	return pairs;
}

static void FindCorners(const snugBody* body, const sgLeaf* leaf, sgCornerLanes* corners)
{
	const uint32_t* vertices = body->model->tree.leafVertices + leaf->firstVertex;
	uint32_t twins[SG_MAX_LEAF_VERTICES];
	for (uint32_t v = 0; v < leaf->vertexCount; ++v)
	{
		twins[v] = sgBody_FindTwin(body, vertices[v]);
	}
	for (int c = 0; c < 3; ++c)
	{
		for (int t = 0; t < SG_LANES; ++t)
		{
			corners->vertex[c][t] = twins[leaf->corners[c][t]];
		}
	}
}

// The vertices at the corners of a leaf's triangles; good as long as those are.
static const sgCornerLanes* CornersOf(Party* party, sgKeptLeaf kept)
{
	const sgLeaf* leaf = sgView_Lanes(&party->side, kept)->leaf;
	const uint32_t place = leaf->slot / SG_LANES % SG_LEAF_GROUPS, lane = leaf->slot % SG_LANES;
	if (party->leaves[place][lane] != leaf)
	{
		FindCorners(party->side.body, leaf, party->corners[place] + lane);
		party->leaves[place][lane] = leaf;
	}
	return party->corners[place] + lane;
}

// Bit 3 * i + j: corner i of one and corner j of the other are one vertex.
static uint32_t SharedCorners(const sgCornerLanes* a, uint32_t i, const sgCornerLanes* b, uint32_t j)
{
	uint32_t shared = 0;
	for (uint32_t k = 0; k < 9; ++k)
	{
		shared |= (uint32_t)(a->vertex[k / 3][i] == b->vertex[k % 3][j]) << k;
	}
	return shared;
}

static void RestTriangle(const snugModel* model, const sgLeaf* leaf, uint32_t lane, float triangle[3][3])
{
	for (int c = 0; c < 3; ++c)
	{
		uint32_t vertex = model->tree.leafVertices[leaf->firstVertex + leaf->corners[c][lane]];
		memcpy(triangle[c], model->positions + 3 * (size_t)vertex, sizeof(triangle[c]));
	}
}

// Corners that are shared in a pose are twins, so they are one at rest too.
static bool MeetAtRest(
    const snugModel* model, const sgLeaf* leafA, uint32_t i, const sgLeaf* leafB, uint32_t j, uint32_t shared)
{
	float a[3][3], b[3][3];
	RestTriangle(model, leafA, i, a);
	RestTriangle(model, leafB, j, b);
	return sgTriangles_IntersectBeyond((const float(*)[3])a, (const float(*)[3])b, shared);
}

static void Decide(Search* search, sgKeptLeaf a, uint32_t i, sgKeptLeaf b, uint32_t j)
{
	const sgView *sideA = &search->a.side, *sideB = &search->b.side;
	const sgLeaf *leafA = sgView_Lanes(sideA, a)->leaf, *leafB = sgView_Lanes(sideB, b)->leaf;
	const uint32_t shared = SharedCorners(CornersOf(&search->a, a), i, CornersOf(&search->b, b), j);
	float one[3][3], other[3][3];
	sgView_GetTriangle(sideA, a, i, one);
	sgView_GetTriangle(sideB, b, j, other);
	++search->counters.exactTests;
	if (!sgTriangles_IntersectBeyond((const float(*)[3])one, (const float(*)[3])other, shared) ||
	    (!search->keepRest && MeetAtRest(sideA->body->model, leafA, i, leafB, j, shared)))
	{
		return;
	}
	const uint32_t x = sgView_TriangleNumber(sideA, a, i), y = sgView_TriangleNumber(sideB, b, j);
	search->walk.isStopped = !sgSink_Add(search->sink, x < y ? (snugPair){ x, y } : (snugPair){ y, x });
}

static void Settle(sgPairWalk* walk, const sgOpened* openedA, uint32_t laneA, const sgOpened* openedB, uint32_t laneB)
{
	Search* search = SearchOf(walk);
	const sgView *sideA = &search->a.side, *sideB = &search->b.side;
	const sgKeptLeaf a = sgView_Triangles(&search->a.side, openedA, laneA, &search->counters);
	const sgKeptLeaf b = sgView_Triangles(&search->b.side, openedB, laneB, &search->counters);
	uint64_t tests = 0;
	uint64_t pairs = search->kernels->leaves->filterNeighbours(
	    sgView_Lanes(sideA, a), CornersOf(&search->a, a), sgView_Lanes(sideB, b), CornersOf(&search->b, b), &tests);
	const sgLeaf* leaf = sgView_Lanes(sideA, a)->leaf;
	const bool isOneLeaf = leaf == sgView_Lanes(sideB, b)->leaf;
	pairs &= isOneLeaf ? upperHalf & ~diagonal : ~(uint64_t)0;
	// Of one leaf every box overlaps itself, and every other pair is there twice.
	search->counters.triangleTests += isOneLeaf ? (tests - leaf->triangleCount) / 2 : tests;
	for (; pairs != 0 && !walk->isStopped; pairs &= pairs - 1)
	{
		Decide(search, a, sgLowestBit(pairs) / SG_LANES, b, sgLowestBit(pairs) % SG_LANES);
	}
}

static const sgPairWalker walker = { Open, Open, Compare, Settle, NULL };

static SG_NOINLINE snugResult Run(snugBody* body, const snugQuery* query, sgFpEnv callersEnvironment)
{
	sgSink sink = {
		.pairs = query->pairs,
		.capacity = query->capacity,
		.isUnsorted = query->unsorted,
		.callback = query->callback,
		.user = query->user,
		.callersEnvironment = callersEnvironment,
	};
	Search search; // not zeroed: most of it is scratch
	search.walk.isStopped = false;
	search.kernels = sgGetKernels();
	search.sink = &sink;
	search.keepRest = query->keepRest;
	search.counters = (snugCounters){ 0 };
	memset(search.a.leaves, 0, sizeof(search.a.leaves));
	memset(search.b.leaves, 0, sizeof(search.b.leaves));
	sgView_StartAlone(&search.a.side, body, &search.counters);
	sgView_Share(&search.b.side, &search.a.side);
	if (body->model->tree.triangleCount > 0)
	{
		sgPairWalk_Descend(&search.walk, &walker, 0, 0);
	}
	sgView_Finish(&search.a.side);
	sgView_Finish(&search.b.side);
	sgSink_Finish(&sink);
	return (snugResult){
		.status = snug_success, .complete = !search.walk.isStopped, .count = sink.count, .counters = search.counters
	};
}

snugResult snugCollideSelf(snugBody* body, const snugQuery* query)
{
	static const snugQuery defaults = { .pairs = NULL };
	const snugResult misuse = { .status = snug_badArgument };
	query = query != NULL ? query : &defaults;
	SG_REQUIRE(body != NULL, misuse);
	SG_REQUIRE_RESERVED(query, misuse);
	SG_REQUIRE(query->pairs != NULL || query->capacity == 0, misuse);
	sgFpEnv environment = sgFpEnv_Enter();
	snugResult result = Run(body, query, environment);
	sgFpEnv_Leave(environment);
	return result;
}
