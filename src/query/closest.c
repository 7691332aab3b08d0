// src/query/closest.c: where a body is nearest to a point: a walk over one tree, the nearest nodes first.
#include "base/fpenv.h"
#include "geometry/margins.h"
#include "geometry/segment.h"
#include "query/near.h"
#include "query/probe.h"
#include "query/triangles.h"
#include "snug/snug_queries.h"

#include <math.h>
#include <string.h>

typedef struct ClosestSearch
{
	sgTreeWalk walk;
	const sgKernels* kernels;
	float point[3];      ///< placed
	float bodyPoint[3];  ///< in body space
	float boxSlack;      ///< what that and placed triangles are off by
	double slack;        ///< what computed distances may be off by
	double best;         ///< distance so far, or how far to look
	float corners[3][3]; ///< of the nearest triangle so far
	snugClosest* closest;
	sgBox root; ///< around all placed triangles
	snugCounters counters;
	sgView side;
} ClosestSearch;

static ClosestSearch* SearchOf(sgTreeWalk* walk)
{
	return (ClosestSearch*)(void*)walk;
}

static sgOpened Open(sgTreeWalk* walk, uint32_t slot)
{
	return sgOpen(SearchOf(walk)->side.tree, slot);
}

static uint32_t Look(sgTreeWalk* walk, const sgOpened* opened, float keys[SG_LANES])
{
	ClosestSearch* search = SearchOf(walk);
	float SG_ALIGN(32) gaps[SG_LANES];
	const sgBoxLanes* bounds = sgView_Bounds(&search->side, opened, &search->counters);
	const uint32_t near =
	    search->kernels->probes->gapPoint(bounds, search->bodyPoint, search->boxSlack, walk->limit, gaps);
	search->counters.volumeTests += sgCountBits(opened->set.mask);
	memcpy(keys, gaps, sizeof(gaps));
	return near & opened->set.mask;
}

// Zero if and only if the point is in the triangle, which its box usually tells.
static double Distance(const ClosestSearch* search, const float triangle[3][3], bool isInBox, sgNearest* nearest)
{
	sgSegmentHit hit;
	sgPoint_ToTriangle(search->point, triangle, nearest);
	if (isInBox && sgSegment_Hit(search->point, search->point, triangle, &hit))
	{
		for (int k = 0; k < 3; ++k)
		{
			nearest->b[k] = search->point[k];
		}
		return 0.0;
	}
	return sqrt(sgPositive(nearest->distance2));
}

static void Improve(
    ClosestSearch* search, const float triangle[3][3], const sgNearest* nearest, double distance, uint32_t number)
{
	snugClosest* closest = search->closest;
	bool isSmaller = number < closest->triangle; // SNUG_NONE is the greatest
	if (distance > search->best || (distance == search->best && !isSmaller))
	{
		return;
	}
	search->best = distance;
	search->walk.limit = sgNearLimit(distance, search->slack);
	memcpy(search->corners, triangle, sizeof(search->corners));
	closest->triangle = number;
	for (int k = 0; k < 3; ++k)
	{
		closest->position[k] = (float)nearest->b[k];
	}
}

static void Settle(sgTreeWalk* walk, const sgOpened* opened, uint32_t lane)
{
	ClosestSearch* search = SearchOf(walk);
	const sgKeptLeaf kept = sgView_Triangles(&search->side, opened, lane, &search->counters);
	float SG_ALIGN(32) gaps[SG_LANES];
	uint32_t rest = search->kernels->probes->gapPoint(
	    &sgView_Lanes(&search->side, kept)->boxes, search->point, 0.0f, walk->limit, gaps);
	for (rest &= sgView_Lanes(&search->side, kept)->mask; rest != 0; rest &= rest - 1)
	{
		uint32_t i = sgLowestBit(rest);
		if (gaps[i] <= walk->limit)
		{
			float triangle[3][3];
			sgNearest nearest;
			sgView_GetTriangle(&search->side, kept, i, triangle);
			++search->counters.triangleTests;
			search->counters.exactTests += gaps[i] <= 0.0f;
			double distance = Distance(search, (const float(*)[3])triangle, gaps[i] <= 0.0f, &nearest);
			uint32_t number = sgView_TriangleNumber(&search->side, kept, i);
			Improve(search, (const float(*)[3])triangle, &nearest, distance, number);
		}
	}
}

static const sgTreeWalker walker = { Open, Look, Settle, true };

// The point in body space is rounded once, and boxes contain unplaced triangles: see sgProbe_Make.
static void Aim(ClosestSearch* search, const float point[3], double most, snugClosest* closest)
{
	const sgPlacement* placement = &search->side.placement;
	double reach = 0.0, extent = 0.0, at[3];
	sgPlacement_Undo(placement, point, at);
	for (int k = 0; k < 3; ++k)
	{
		search->point[k] = point[k];
		search->bodyPoint[k] = (float)at[k];
		reach = fabs(at[k]) > reach ? fabs(at[k]) : reach;
		double low = point[k] < search->root.lower[k] ? point[k] : search->root.lower[k];
		double high = point[k] > search->root.upper[k] ? point[k] : search->root.upper[k];
		extent = high - low > extent ? high - low : extent;
	}
	double slack = SG_MARGIN_DISTANCE * placement->error + SG_MARGIN_PROBE * 0x1p-24 * reach;
	search->boxSlack = placement->isIdentity ? 0.0f : sgRoundUp(slack + 8.0 * SG_MARGIN_SUBNORMAL);
	search->slack = SG_MARGIN_NEAREST * extent;
	search->best = most;
	search->walk.isStopped = false;
	search->walk.limit = sgNearLimit(most, search->slack);
	search->closest = closest;
	*closest = (snugClosest){ .distance = INFINITY, .triangle = SNUG_NONE };
}

static snugStatus Start(ClosestSearch* search, snugBody* body, const double origin[3])
{
	sgBox root;
	search->kernels = sgGetKernels();
	search->counters = (snugCounters){ 0 };
	snugStatus status = sgView_Start(&search->side, body, origin, &root, &search->counters);
	if (status == snug_success)
	{
		search->root = sgPlacement_BoundBox(&search->side.placement, &root);
	}
	return status;
}

static SG_NOINLINE snugResult FindClosest(snugBody* body, const char* points, size_t stride, uint64_t count,
    snugClosest* closest, const snugDistanceQuery* query)
{
	ClosestSearch search; // not zeroed: most of it is scratch
	snugResult result = { .status = Start(&search, body, query->origin) };
	double most = query->maxDistance > 0.0 ? query->maxDistance : INFINITY;
	for (uint64_t i = 0; result.status == snug_success && i < count; ++i)
	{
		Aim(&search, (const float*)(const void*)(points + i * stride), most, closest + i);
		if (search.side.tree->triangleCount > 0)
		{
			sgTreeWalk_Descend(&search.walk, &walker, 0);
		}
		if (closest[i].triangle != SNUG_NONE)
		{
			closest[i].distance = search.best;
			sgUnitNormal((const float(*)[3])search.corners, closest[i].normal);
			++result.count;
		}
	}
	if (result.status == snug_success)
	{
		sgView_Finish(&search.side);
		result.complete = true;
		result.counters = search.counters;
	}
	return result;
}

snugResult snugFindClosest(snugBody* body, const float* points, size_t stride, uint64_t count, snugClosest* closest,
    const snugDistanceQuery* query)
{
	static const snugDistanceQuery defaults = { .maxDistance = 0.0 };
	const snugResult misuse = { .status = snug_badArgument };
	query = query != NULL ? query : &defaults;
	SG_REQUIRE(body != NULL && ((points != NULL && closest != NULL) || count == 0), misuse);
	SG_REQUIRE_RESERVED(query, misuse);
	stride = sgStride(stride, 3 * sizeof(float));
	SG_REQUIRE(stride != 0 && sgIsFinitePoint(query->origin) && query->maxDistance >= 0.0, misuse);
	snugStatus status = sgCheckPoints(body, points, stride, count);
	if (status != snug_success)
	{
		return (snugResult){ .status = status };
	}
	sgFpEnv environment = sgFpEnv_Enter();
	snugResult result = FindClosest(body, (const char*)points, stride, count, closest, query);
	sgFpEnv_Leave(environment);
	return result;
}
