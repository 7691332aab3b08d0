// src/query/within.c: all pairs of triangles of two bodies, or of one, that are no farther apart than a margin.
#include "base/fpenv.h"
#include "geometry/triangle.h"
#include "query/near.h"
#include "query/neighbours.h"
#include "query/sink.h"
#include "query/triangles.h"
#include "snug/snug_queries.h"

#include <math.h>

typedef struct WithinSearch
{
	sgPairWalk walk;
	sgSink* sink;
	double margin;
	double restDistance; ///< of one body: pairs are farther apart than this at rest. Negative: of two
	float limit;
	sgNearPair near;
} WithinSearch;

static WithinSearch* SearchOf(sgPairWalk* walk)
{
	return (WithinSearch*)(void*)walk;
}

static sgOpened OpenA(sgPairWalk* walk, uint32_t slot)
{
	return sgOpen(SearchOf(walk)->near.a.tree, slot);
}

static sgOpened OpenB(sgPairWalk* walk, uint32_t slot)
{
	return sgOpen(SearchOf(walk)->near.b.tree, slot);
}

static uint64_t Compare(sgPairWalk* walk, const sgOpened* a, const sgOpened* b)
{
	WithinSearch* search = SearchOf(walk);
	sgGaps gaps;
	sgNearPair_Look(&search->near, a, b, search->limit, &gaps);
	return search->restDistance >= 0.0 && a->slot == b->slot ? gaps.pairs & SG_UPPER_HALF : gaps.pairs;
}

static bool ShareCorner(const snugModel* model, const sgLeaf* leafA, uint32_t i, const sgLeaf* leafB, uint32_t j)
{
	const uint32_t *verticesA = model->tree.leafVertices + leafA->firstVertex,
	               *verticesB = model->tree.leafVertices + leafB->firstVertex;
	bool doShare = false;
	for (int k = 0; k < 9 && !doShare; ++k)
	{
		doShare = sgTwinOf(model, verticesA[leafA->corners[k / 3][i]]) ==
		          sgTwinOf(model, verticesB[leafB->corners[k % 3][j]]);
	}
	return doShare;
}

// Neighbours, most of what is near, have a corner in common.
static bool AreFarAtRest(const WithinSearch* search, const sgLeaf* leafA, uint32_t i, const sgLeaf* leafB, uint32_t j)
{
	const snugModel* model = search->near.a.body->model;
	float a[3][3], b[3][3];
	sgNearest nearest;
	if (ShareCorner(model, leafA, i, leafB, j))
	{
		return false;
	}
	sgRestTriangle(model, leafA, i, 0, a);
	sgRestTriangle(model, leafB, j, 0, b);
	if (sgTriangles_Intersect((const float(*)[3])a, (const float(*)[3])b))
	{
		return false;
	}
	sgTriangles_Nearest((const float(*)[3])a, (const float(*)[3])b, &nearest);
	return sqrt(sgPositive(nearest.distance2)) > search->restDistance;
}

// Those that intersect, exactly; and those that are near, unless there is no margin.
static bool AreWithin(const WithinSearch* search, const float a[3][3], const float b[3][3], bool mayIntersect)
{
	sgNearest nearest;
	if (mayIntersect && sgTriangles_Intersect(a, b))
	{
		return true;
	}
	if (search->margin == 0.0)
	{
		return false;
	}
	sgTriangles_Nearest(a, b, &nearest);
	return sqrt(sgPositive(nearest.distance2)) <= search->margin;
}

static void Settle(sgPairWalk* walk, const sgOpened* openedA, uint32_t laneA, const sgOpened* openedB, uint32_t laneB)
{
	WithinSearch* search = SearchOf(walk);
	sgNearPair* near = &search->near;
	const sgKeptLeaf a = sgView_Triangles(&near->a, openedA, laneA, &near->counters);
	const sgKeptLeaf b = sgView_Triangles(&near->b, openedB, laneB, &near->counters);
	const sgLeaf *leafA = sgView_Lanes(&near->a, a)->leaf, *leafB = sgView_Lanes(&near->b, b)->leaf;
	const bool isOwn = search->restDistance >= 0.0;
	sgGaps gaps;
	sgNearPair_LookAtLeaves(near, a, b, search->limit, &gaps);
	gaps.pairs &= isOwn && leafA == leafB ? SG_UPPER_HALF & ~SG_DIAGONAL : ~(uint64_t)0;
	for (uint64_t rest = gaps.pairs; rest != 0 && !walk->isStopped; rest &= rest - 1)
	{
		uint32_t pair = sgLowestBit(rest), i = pair / SG_LANES, j = pair % SG_LANES;
		if (isOwn && !AreFarAtRest(search, leafA, i, leafB, j))
		{
			continue;
		}
		float one[3][3], other[3][3];
		sgView_GetTriangle(&near->a, a, i, one);
		sgView_GetTriangle(&near->b, b, j, other);
		++near->counters.triangleTests;
		near->counters.exactTests += gaps.squares[pair] <= 0.0f;
		if (AreWithin(search, (const float(*)[3])one, (const float(*)[3])other, gaps.squares[pair] <= 0.0f))
		{
			const uint32_t x = sgView_TriangleNumber(&near->a, a, i), y = sgView_TriangleNumber(&near->b, b, j);
			walk->isStopped = !sgSink_Add(search->sink, isOwn && y < x ? (snugPair){ y, x } : (snugPair){ x, y });
		}
	}
}

static const sgPairWalker walker = { OpenA, OpenB, Compare, Settle, NULL, NULL };

static SG_NOINLINE snugResult Run(
    snugBody* a, snugBody* b, double margin, double restDistance, const snugQuery* query, sgFpEnv callersEnvironment)
{
	sgSink sink = sgSink_Make(query, callersEnvironment);
	WithinSearch search; // not zeroed: most of it is scratch
	search.walk.isStopped = false;
	search.sink = &sink;
	search.margin = margin;
	search.restDistance = restDistance;
	search.near.counters = (snugCounters){ 0 };
	snugResult result = { .status = sgNearPair_Start(&search.near, a, b, query->origin) };
	if (result.status != snug_success)
	{
		return result;
	}
	search.limit = sgNearLimit(margin, search.near.slack);
	if (a->model->tree.triangleCount > 0 && b->model->tree.triangleCount > 0)
	{
		sgPairWalk_Descend(&search.walk, &walker, 0, 0);
	}
	sgNearPair_Finish(&search.near);
	sgSink_Finish(&sink);
	result.count = sink.count;
	result.complete = !search.walk.isStopped;
	result.counters = search.near.counters;
	return result;
}

static snugResult Ask(
    snugBody* a, snugBody* b, double margin, double restDistance, const snugQuery* query, const char* function)
{
	static const snugQuery defaults = { .pairs = NULL };
	const snugResult misuse = { .status = snug_badArgument };
	query = query != NULL ? query : &defaults;
	SG_REQUIRE_IN(function, a != NULL && b != NULL && (a == b) == (restDistance >= 0.0), misuse);
	SG_REQUIRE_RESERVED_IN(function, query, misuse);
	SG_REQUIRE_IN(function, query->pairs != NULL || query->capacity == 0, misuse);
	SG_REQUIRE_IN(function, sgIsFinitePoint(query->origin) && margin >= 0.0, misuse);
	sgFpEnv environment = sgFpEnv_Enter();
	snugResult result = Run(a, b, margin, restDistance, query, environment);
	sgFpEnv_Leave(environment);
	return result;
}

snugResult snugCollideWithin(snugBody* a, snugBody* b, double margin, const snugQuery* query)
{
	return Ask(a, b, margin, -1.0, query, __func__);
}

snugResult snugCollideSelfWithin(snugBody* body, double margin, double restDistance, const snugQuery* query)
{
	return Ask(body, body, margin, restDistance, query, __func__);
}
