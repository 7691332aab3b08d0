// src/query/find_distance.c: the distance of two bodies: a walk over two trees, the nearest pairs of nodes first.
//
// Whatever may be as near as the nearest so far is looked at, all rounding included. So the answer, with the smallest
// numbers among equal ones, does not depend on the order, nor on how tight bounds are.
#include "base/fpenv.h"
#include "geometry/contact.h"
#include "query/near.h"
#include "query/pairs.h"
#include "query/triangles.h"
#include "snug/snug_queries.h"

#include <math.h>

/// Pairs of lanes that are still to be descended into.
typedef struct DistanceLevel
{
	uint32_t groupA, groupB;
	sgGaps gaps;
} DistanceLevel;

typedef struct DistanceSearch
{
	sgNearPair near;
	snugDistanceResult* result;
	double best; ///< distance so far, or how far to look
	float limit;
	DistanceLevel stack[SG_MAX_DEPTH + 2];
} DistanceSearch;

// The pair of lanes with the least bound, taken out; SG_LANE_PAIRS if none is within the limit.
static uint32_t TakeNearest(sgGaps* gaps, float limit)
{
	uint32_t best = SG_LANE_PAIRS;
	for (uint64_t rest = gaps->pairs; rest != 0; rest &= rest - 1)
	{
		uint32_t pair = sgLowestBit(rest);
		float square = gaps->squares[pair];
		best = square <= limit && (best == SG_LANE_PAIRS || square < gaps->squares[best]) ? pair : best;
	}
	gaps->pairs &= best == SG_LANE_PAIRS ? 0 : ~((uint64_t)1 << best);
	return best;
}

static void Improve(DistanceSearch* search, const sgNearest* nearest, snugPair pair)
{
	snugDistanceResult* result = search->result;
	double distance = sqrt(sgPositive(nearest->distance2));
	bool isSmaller = pair.a != result->a ? pair.a < result->a : pair.b < result->b;
	if (distance > search->best || (distance == search->best && result->isWithin && !isSmaller))
	{
		return;
	}
	search->best = distance;
	search->limit = sgNearLimit(distance, search->near.slack);
	result->isWithin = true;
	result->a = pair.a;
	result->b = pair.b;
	for (int k = 0; k < 3; ++k)
	{
		result->pointA[k] = (float)nearest->a[k];
		result->pointB[k] = (float)nearest->b[k];
	}
}

static void LookAtTriangles(DistanceSearch* search, sgKeptLeaf a, uint32_t i, sgKeptLeaf b, uint32_t j)
{
	sgNearPair* near = &search->near;
	float one[3][3], other[3][3];
	sgNearest nearest;
	sgView_GetTriangle(&near->a, a, i, one);
	sgView_GetTriangle(&near->b, b, j, other);
	++near->counters.triangleTests;
	sgTriangles_Nearest((const float(*)[3])one, (const float(*)[3])other, &nearest);
	Improve(
	    search, &nearest, (snugPair){ sgView_TriangleNumber(&near->a, a, i), sgView_TriangleNumber(&near->b, b, j) });
}

// The pair with the nearest boxes comes first, since it lowers the limit; the others in the order of their numbers,
// since sorting would take longer than testing them.
static void LookAtLeaves(
    DistanceSearch* search, const sgOpened* openedA, uint32_t laneA, const sgOpened* openedB, uint32_t laneB)
{
	sgNearPair* near = &search->near;
	const sgKeptLeaf a = sgView_Triangles(&near->a, openedA, laneA, &near->counters);
	const sgKeptLeaf b = sgView_Triangles(&near->b, openedB, laneB, &near->counters);
	sgGaps gaps;
	sgNearPair_LookAtLeaves(near, a, b, search->limit, &gaps);
	const uint32_t first = TakeNearest(&gaps, search->limit);
	for (uint32_t turn = 0; turn <= SG_LANES && first < SG_LANE_PAIRS; ++turn)
	{
		const uint32_t i = turn == 0 ? first / SG_LANES : turn - 1;
		uint32_t partners = turn == 0 ? 1u << first % SG_LANES : (uint32_t)(gaps.pairs >> (SG_LANES * i)) & 0xff;
		partners &= partners == 0 ? 0
		                          : near->kernels->probes->nearTriangles(
		                                sgView_Lanes(&near->a, a), i, sgView_Lanes(&near->b, b), search->limit);
		for (; partners != 0; partners &= partners - 1)
		{
			const uint32_t j = sgLowestBit(partners);
			if (gaps.squares[SG_LANES * i + j] <= search->limit)
			{
				LookAtTriangles(search, a, i, b, j);
			}
		}
	}
}

// Look at what is below two nodes: pairs of leaves at once, the nearest first; the rest stays in the level.
static void Step(DistanceSearch* search, uint32_t slotA, uint32_t slotB, DistanceLevel* level)
{
	const sgOpened a = sgOpen(search->near.a.tree, slotA), b = sgOpen(search->near.b.tree, slotB);
	sgNearPair_Look(&search->near, &a, &b, search->limit, &level->gaps);
	level->groupA = a.set.group;
	level->groupB = b.set.group;
	uint64_t ends = level->gaps.pairs & sgMaskProduct(a.set.leafMask, b.set.leafMask), rest = level->gaps.pairs & ~ends;
	level->gaps.pairs = ends;
	for (uint32_t pair; (pair = TakeNearest(&level->gaps, search->limit)) < SG_LANE_PAIRS;)
	{
		LookAtLeaves(search, &a, pair / SG_LANES, &b, pair % SG_LANES);
	}
	level->gaps.pairs = rest;
}

// As sgPairWalk_Descend, in the order of distances.
static void Descend(DistanceSearch* search)
{
	int depth = 0;
	Step(search, 0, 0, search->stack);
	while (depth >= 0)
	{
		DistanceLevel* level = search->stack + depth;
		uint32_t pair = TakeNearest(&level->gaps, search->limit);
		if (pair == SG_LANE_PAIRS)
		{
			--depth;
			continue;
		}
		Step(search, level->groupA * SG_LANES + pair / SG_LANES, level->groupB * SG_LANES + pair % SG_LANES, level + 1);
		++depth;
	}
}

// ---- Bodies that touch ---------------------------------------------------------------------------------------------

// A point that two intersecting triangles share.
static snugStatus FindCommonPoint(
    snugBody* a, snugBody* b, const double origin[3], snugPair pair, snugDistanceResult* result)
{
	sgTriangleSource sourceA, sourceB;
	snugStatus status = sgTriangleSource_Start(&sourceA, a, origin, &result->counters);
	status = status == snug_success ? sgTriangleSource_Start(&sourceB, b, origin, &result->counters) : status;
	if (status == snug_success)
	{
		sgTriangleSource_Fetch(&sourceA, pair.a, &result->counters);
		sgTriangleSource_Fetch(&sourceB, pair.b, &result->counters);
		double point[3];
		sgTriangles_CommonPoint(
		    (const float(*)[3])sourceA.triangle.corners, (const float(*)[3])sourceB.triangle.corners, point);
		for (int k = 0; k < 3; ++k)
		{
			result->pointA[k] = result->pointB[k] = (float)point[k];
		}
		result->isWithin = true;
		result->distance = 0.0;
		result->a = sourceA.triangle.number;
		result->b = sourceB.triangle.number;
	}
	return status;
}

// Whether the bodies touch is a question of its own, and settles what is zero.
static bool Touch(snugBody* a, snugBody* b, const double origin[3], snugDistanceResult* result)
{
	snugPair pair;
	const sgPairOptions options = {
		.origin = origin,
		.firstOnly = true,
		.asPlaces = true,
	};
	sgSink sink = { .pairs = &pair, .capacity = 1 };
	snugResult touching = { .status = snug_success };
	sgFindPairs(a, b, &options, &sink, &touching);
	result->status = touching.status;
	result->counters = touching.counters;
	result->counters.triangleTests = 0; // no distance was computed
	if (result->status == snug_success && sink.count > 0)
	{
		result->status = FindCommonPoint(a, b, origin, pair, result);
	}
	return sink.count > 0;
}

// Bodies that do not touch.
static void FindNearest(snugBody* a, snugBody* b, const double origin[3], double most, snugDistanceResult* result)
{
	DistanceSearch search; // not zeroed: most of it is scratch
	search.near.counters = (snugCounters){ 0 };
	search.result = result;
	search.best = most;
	result->status = sgNearPair_Start(&search.near, a, b, origin);
	if (result->status == snug_success)
	{
		search.limit = sgNearLimit(most, search.near.slack);
		Descend(&search);
		sgNearPair_Finish(&search.near);
		sgCounters_Add(&result->counters, &search.near.counters);
		result->distance = result->isWithin ? search.best : INFINITY;
	}
}

SG_NOINLINE snugDistanceResult sgFindDistance(snugBody* a, snugBody* b, const double origin[3], double most)
{
	snugDistanceResult result = { .status = snug_success, .distance = INFINITY, .a = SNUG_NONE, .b = SNUG_NONE };
	const bool isEmpty = a->model->tree.triangleCount == 0 || b->model->tree.triangleCount == 0;
	const bool isSettled = Touch(a, b, origin, &result) || result.status != snug_success || isEmpty;
	if (!isSettled && most > 0.0)
	{
		FindNearest(a, b, origin, most, &result);
	}
	return result;
}

snugDistanceResult snugFindDistance(snugBody* a, snugBody* b, const snugDistanceQuery* query)
{
	static const snugDistanceQuery defaults = { .maxDistance = 0.0 };
	const snugDistanceResult misuse = {
		.status = snug_badArgument, .distance = INFINITY, .a = SNUG_NONE, .b = SNUG_NONE
	};
	query = query != NULL ? query : &defaults;
	SG_REQUIRE(a != NULL && b != NULL && a != b, misuse);
	SG_REQUIRE_RESERVED(query, misuse);
	SG_REQUIRE(sgIsFinitePoint(query->origin) && query->maxDistance >= 0.0, misuse);
	sgFpEnv environment = sgFpEnv_Enter();
	snugDistanceResult result =
	    sgFindDistance(a, b, query->origin, query->maxDistance > 0.0 ? query->maxDistance : INFINITY);
	sgFpEnv_Leave(environment);
	return result;
}
