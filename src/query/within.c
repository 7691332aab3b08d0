// src/query/within.c: all pairs of triangles of two bodies that are no farther apart than a margin.
#include "base/fpenv.h"
#include "geometry/triangle.h"
#include "query/near.h"
#include "query/sink.h"
#include "snug/snug_queries.h"

#include <math.h>

typedef struct Search
{
	sgPairWalk walk;
	sgSink* sink;
	double margin;
	float limit;
	sgNearPair near;
} Search;

static Search* SearchOf(sgPairWalk* walk)
{
	return (Search*)(void*)walk;
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
	Search* search = SearchOf(walk);
	sgGaps gaps;
	sgNearPair_Look(&search->near, a, b, search->limit, &gaps);
	return gaps.pairs;
}

// Those that intersect, exactly; and those that are near, unless there is no margin.
static bool AreWithin(const Search* search, const float a[3][3], const float b[3][3], bool mayIntersect)
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
	Search* search = SearchOf(walk);
	sgNearPair* near = &search->near;
	const sgKeptLeaf a = sgView_Triangles(&near->a, openedA, laneA, &near->counters);
	const sgKeptLeaf b = sgView_Triangles(&near->b, openedB, laneB, &near->counters);
	sgGaps gaps;
	sgNearPair_LookAtLeaves(near, a, b, search->limit, &gaps);
	for (uint64_t rest = gaps.pairs; rest != 0 && !walk->isStopped; rest &= rest - 1)
	{
		uint32_t pair = sgLowestBit(rest), i = pair / SG_LANES, j = pair % SG_LANES;
		float one[3][3], other[3][3];
		sgView_GetTriangle(&near->a, a, i, one);
		sgView_GetTriangle(&near->b, b, j, other);
		++near->counters.triangleTests;
		near->counters.exactTests += gaps.squares[pair] <= 0.0f;
		if (AreWithin(search, (const float(*)[3])one, (const float(*)[3])other, gaps.squares[pair] <= 0.0f))
		{
			walk->isStopped = !sgSink_Add(search->sink,
			    (snugPair){ sgView_TriangleNumber(&near->a, a, i), sgView_TriangleNumber(&near->b, b, j) });
		}
	}
}

static const sgPairWalker walker = { OpenA, OpenB, Compare, Settle, NULL, NULL };

static SG_NOINLINE snugResult Run(
    snugBody* a, snugBody* b, double margin, const snugQuery* query, sgFpEnv callersEnvironment)
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
	search.sink = &sink;
	search.margin = margin;
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

snugResult snugCollideWithin(snugBody* a, snugBody* b, double margin, const snugQuery* query)
{
	static const snugQuery defaults = { .pairs = NULL };
	const snugResult misuse = { .status = snug_badArgument };
	query = query != NULL ? query : &defaults;
	SG_REQUIRE(a != NULL && b != NULL && a != b, misuse);
	SG_REQUIRE_RESERVED(query, misuse);
	SG_REQUIRE(query->pairs != NULL || query->capacity == 0, misuse);
	SG_REQUIRE(sgIsFinitePoint(query->origin) && margin >= 0.0, misuse);
	sgFpEnv environment = sgFpEnv_Enter();
	snugResult result = Run(a, b, margin, query, environment);
	sgFpEnv_Leave(environment);
	return result;
}
