// src/query/inside.c: whether points and bodies are inside a body: walks along half-lines that count crossings.
#include "query/inside.h"

#include "base/fpenv.h"
#include "geometry/box_kernels.h"
#include "geometry/crossing.h"
#include "geometry/segment.h"
#include "query/pairs.h"
#include "snug/snug_queries.h"

#include <math.h>
#include <string.h>

// ---- Points --------------------------------------------------------------------------------------------------------

static sgInside* SearchOf(sgTreeWalk* walk)
{
	return (sgInside*)(void*)walk;
}

static sgOpened Open(sgTreeWalk* walk, uint32_t slot)
{
	return sgOpen(SearchOf(walk)->side.tree, slot);
}

static uint32_t Look(sgTreeWalk* walk, const sgOpened* opened, float keys[SG_LANES])
{
	(void)keys;
	sgInside* search = SearchOf(walk);
	const sgBoxLanes* bounds = sgView_Bounds(&search->side, opened, &search->counters);
	float SG_ALIGN(32) entries[SG_LANES];
	search->counters.volumeTests += sgCountBits(opened->set.mask);
	return search->kernels->probes->clipBoxes(bounds, &search->probe, 1.0f, entries) & opened->set.mask;
}

static bool IsOn(const float point[3], const float triangle[3][3])
{
	sgSegmentHit hit;
	bool isInBox = true;
	for (int k = 0; k < 3; ++k)
	{
		const float x = triangle[0][k], y = triangle[1][k], z = triangle[2][k], p = point[k];
		isInBox = isInBox && (x <= p || y <= p || z <= p) && (x >= p || y >= p || z >= p);
	}
	return isInBox && sgSegment_Hit(point, point, triangle, &hit);
}

// A triangle that crosses the moved half-line, or contains the point, shares a point with the half-line itself, and so
// does its box: comparisons of given numbers, of which none rounds.
static void Settle(sgTreeWalk* walk, const sgOpened* opened, uint32_t lane)
{
	sgInside* search = SearchOf(walk);
	const sgKeptLeaf kept = sgView_Triangles(&search->side, opened, lane, &search->counters);
	uint32_t passed = (uint32_t)search->kernels->boxes->overlapBoxes(
	    &search->line, 1, &sgView_Lanes(&search->side, kept)->boxes, sgView_Lanes(&search->side, kept)->mask);
	search->counters.triangleTests += sgView_Lanes(&search->side, kept)->leaf->triangleCount;
	search->counters.exactTests += sgCountBits(passed);
	for (; passed != 0; passed &= passed - 1)
	{
		const uint32_t i = sgLowestBit(passed);
		float triangle[3][3];
		sgView_GetTriangle(&search->side, kept, i, triangle);
		if (search->front == NULL && IsOn(search->point, (const float(*)[3])triangle))
		{
			const uint32_t number = sgView_TriangleNumber(&search->side, kept, i);
			search->triangle = number < search->triangle ? number : search->triangle;
		}
		const int cross = sgHalfLine_Cross(search->point, search->front, (const float(*)[3])triangle);
		search->winding += cross;
		search->isOdd = search->isOdd != (cross != 0);
	}
}

static const sgTreeWalker walker = { Open, Look, Settle, false };

static snugStatus StartSearch(sgInside* search, snugBody* body, const double origin[3], const snugCounters* before)
{
	sgBox root;
	search->kernels = sgGetKernels();
	search->front = NULL;
	search->counters = *before;
	snugStatus status = sgView_Start(&search->side, body, origin, &root, &search->counters);
	if (status == snug_success)
	{
		search->root = sgPlacement_BoundBox(&search->side.placement, &root);
	}
	return status;
}

snugSide sgInside_Ask(sgInside* search, const float point[3])
{
	const sgBox* root = &search->root;
	memcpy(search->point, point, sizeof(search->point));
	search->walk.isStopped = false;
	search->walk.limit = 1.0f;
	search->triangle = SNUG_NONE;
	search->winding = 0;
	search->isOdd = false;
	// Written so that NaN, of an empty box, crosses nothing.
	bool mayCross = search->side.tree->triangleCount > 0 && point[0] <= root->upper[0];
	for (int k = 1; k < 3; ++k)
	{
		mayCross = mayCross && root->lower[k] <= point[k] && point[k] <= root->upper[k];
	}
	if (mayCross)
	{
		const sgBox line = { { point[0], point[1], point[2] }, { INFINITY, point[1], point[2] } };
		const float beyond[3] = { root->upper[0], point[1], point[2] };
		search->probe = sgProbe_Make(&search->side.placement, point, beyond);
		sgBoxLanes_Set(&search->line, 0, &line);
		sgTreeWalk_Descend(&search->walk, &walker, 0);
	}
	return search->triangle != SNUG_NONE ? snug_onSurface : search->isOdd ? snug_inside : snug_outside;
}

static SG_NOINLINE snugResult FindInside(
    snugBody* body, const char* points, size_t stride, uint64_t count, snugPointSide* sides, const double origin[3])
{
	sgInside search; // not zeroed: most of it is scratch
	snugResult result = { .count = 0 };
	result.status = StartSearch(&search, body, origin, &result.counters);
	for (uint64_t i = 0; result.status == snug_success && i < count; ++i)
	{
		const snugSide place = sgInside_Ask(&search, (const float*)(const void*)(points + i * stride));
		sides[i] = (snugPointSide){
			.side = place, .triangle = search.triangle, .winding = place == snug_onSurface ? 0 : search.winding
		};
		result.count += place != snug_outside;
	}
	if (result.status == snug_success)
	{
		sgView_Finish(&search.side);
		result.counters = search.counters;
	}
	return result;
}

// ---- Bodies --------------------------------------------------------------------------------------------------------

/// A body and one that it may be in. They share no point.
typedef struct Pair
{
	sgTreeWalk walk; ///< of the inner body
	sgInside inside; ///< of the outer body
	sgView inner;
	sgBoxMotion motion; ///< from the space of the inner body to that of the outer one
	bool isAny[3];      ///< by snugSide: whether some of the inner body is there
} Pair;

static Pair* PairOf(sgTreeWalk* walk)
{
	return (Pair*)(void*)walk;
}

static uint32_t LookAround(sgTreeWalk* walk, const sgOpened* opened, float keys[SG_LANES])
{
	(void)keys;
	sgInside* search = SearchOf(walk);
	const sgBoxLanes* bounds = sgView_Bounds(&search->side, opened, &search->counters);
	search->counters.volumeTests += sgCountBits(opened->set.mask);
	return (uint32_t)search->kernels->boxes->overlapBoxes(search->box, 1, bounds, opened->set.mask);
}

static void StopThere(sgTreeWalk* walk, const sgOpened* opened, uint32_t lane)
{
	(void)opened, (void)lane;
	walk->isStopped = true;
}

static const sgTreeWalker nearWalker = { Open, LookAround, StopThere, false };

// Whether a box, in lane 0, overlaps any leaf of the outer body.
static bool IsNearSurface(sgInside* outer, const sgBoxLanes* box)
{
	outer->walk.isStopped = false;
	outer->box = box;
	sgTreeWalk_Descend(&outer->walk, &nearWalker, 0);
	return outer->walk.isStopped;
}

// Triangles of a leaf, each of which is on one side of the outer body as a whole.
static void AskTriangles(Pair* pair, uint32_t leafSlot, uint32_t most)
{
	const sgOpened opened = sgOpen(pair->inner.tree, leafSlot);
	const sgKeptLeaf kept = sgView_Triangles(&pair->inner, &opened, leafSlot % SG_LANES, &pair->inside.counters);
	const uint32_t count = sgView_Lanes(&pair->inner, kept)->leaf->triangleCount;
	for (uint32_t i = 0; i < count && i < most; ++i)
	{
		float triangle[3][3];
		sgView_GetTriangle(&pair->inner, kept, i, triangle);
		pair->isAny[sgInside_Ask(&pair->inside, triangle[0])] = true;
	}
	pair->walk.isStopped = pair->isAny[snug_outside] && pair->isAny[snug_inside];
}

static sgOpened OpenInner(sgTreeWalk* walk, uint32_t slot)
{
	return sgOpen(PairOf(walk)->inner.tree, slot);
}

// A node whose box, placed, does not meet the outer surface is on one side of it as a whole, and one point tells;
// others are descended into, and in the end their triangles are asked about one by one.
static uint32_t LookAtInner(sgTreeWalk* walk, const sgOpened* opened, float keys[SG_LANES])
{
	(void)keys;
	Pair* pair = PairOf(walk);
	const sgTree* tree = pair->inner.tree;
	sgBoxLanes boxes = *sgView_Bounds(&pair->inner, opened, &pair->inside.counters), moved = boxes;
	uint32_t near = 0;
	if (pair->motion.kind != sgMotion_none)
	{
		pair->inside.kernels->boxes->moveBoxes(&boxes, &pair->motion, &moved);
	}
	for (uint32_t rest = opened->set.mask; rest != 0 && !walk->isStopped; rest &= rest - 1)
	{
		const uint32_t lane = sgLowestBit(rest);
		const sgBox box = sgBoxLanes_Get(&moved, lane);
		sgBoxLanes_Set(&boxes, 0, &box);
		if (IsNearSurface(&pair->inside, &boxes))
		{
			near |= 1u << lane;
			continue;
		}
		AskTriangles(pair, tree->leaves[sgTree_LeavesBelow(tree, sgOpened_Slot(opened, lane)).first].slot, 1);
	}
	return near;
}

static void SettleInner(sgTreeWalk* walk, const sgOpened* opened, uint32_t lane)
{
	AskTriangles(PairOf(walk), sgOpened_Slot(opened, lane), SG_LANES);
}

static const sgTreeWalker innerWalker = { OpenInner, LookAtInner, SettleInner, false };

// The root first, which is most often all there is to look at.
static void Descend(Pair* pair)
{
	const sgOpened root = { 0, sgTree_Family(pair->inner.tree, 0) };
	pair->walk.isStopped = false;
	if (LookAtInner(&pair->walk, &root, NULL) != 0)
	{
		sgTreeWalk_Descend(&pair->walk, &innerWalker, 0);
	}
}

// Whether they share a point is asked first.
static snugStatus FindTouch(snugBody* a, snugBody* b, const double origin[3], snugSide* side, snugCounters* counters)
{
	const sgPairOptions options = {
		.origin = origin,
		.firstOnly = true,
	};
	snugPair pair;
	sgSink sink = { .pairs = &pair, .capacity = 1 };
	snugResult touching = { .status = snug_success };
	sgFindPairs(a, b, &options, &sink, &touching);
	*side = sink.count > 0 ? snug_onSurface : snug_outside;
	*counters = touching.counters;
	return touching.status;
}

static SG_NOINLINE snugResult FindBody(snugBody* inner, snugBody* outer, const double origin[3], snugSide* side)
{
	snugResult result = { .count = 0 };
	result.status = FindTouch(inner, outer, origin, side, &result.counters);
	const bool isEmpty = inner->model->tree.triangleCount == 0 || outer->model->tree.triangleCount == 0;
	if (result.status != snug_success || *side == snug_onSurface || isEmpty)
	{
		return result;
	}
	Pair pair; // not zeroed: most of it is scratch
	sgBox root;
	memset(pair.isAny, 0, sizeof(pair.isAny));
	result.status = StartSearch(&pair.inside, outer, origin, &result.counters);
	if (result.status == snug_success)
	{
		result.status = sgView_Start(&pair.inner, inner, origin, &root, &pair.inside.counters);
	}
	if (result.status == snug_success)
	{
		pair.motion =
		    sgRelativeMotion(&outer->frame, &pair.inside.side.placement, &inner->frame, &pair.inner.placement, &root);
		Descend(&pair);
		sgView_Finish(&pair.inside.side);
		sgView_Finish(&pair.inner);
		const bool isPartly = pair.isAny[snug_outside] && pair.isAny[snug_inside];
		*side = isPartly ? snug_partlyInside : pair.isAny[snug_inside] ? snug_inside : snug_outside;
		result.count = *side == snug_inside;
		result.counters = pair.inside.counters;
	}
	return result;
}

// ---- The public functions ------------------------------------------------------------------------------------------

static const double zero[3] = { 0.0, 0.0, 0.0 };

snugResult snugFindInside(
    snugBody* body, const float* points, size_t stride, uint64_t count, snugPointSide* sides, const double origin[3])
{
	const snugResult misuse = { .status = snug_badArgument };
	origin = origin != NULL ? origin : zero;
	SG_REQUIRE(body != NULL && ((points != NULL && sides != NULL) || count == 0), misuse);
	stride = sgStride(stride, 3 * sizeof(float));
	SG_REQUIRE(stride != 0 && sgIsFinitePoint(origin), misuse);
	snugStatus status = sgCheckPoints(body, points, stride, count);
	if (status != snug_success)
	{
		return (snugResult){ .status = status };
	}
	sgFpEnv environment = sgFpEnv_Enter();
	snugResult result = FindInside(body, (const char*)points, stride, count, sides, origin);
	result.complete = result.status == snug_success;
	sgFpEnv_Leave(environment);
	return result;
}

snugResult snugFindBodyInside(snugBody* inner, snugBody* outer, const double origin[3], snugSide* side)
{
	const snugResult misuse = { .status = snug_badArgument };
	snugSide found = snug_outside;
	origin = origin != NULL ? origin : zero;
	side = side != NULL ? side : &found;
	*side = found;
	SG_REQUIRE(inner != NULL && outer != NULL && inner != outer, misuse);
	SG_REQUIRE(sgIsFinitePoint(origin), misuse);
	sgFpEnv environment = sgFpEnv_Enter();
	snugResult result = FindBody(inner, outer, origin, side);
	result.complete = result.status == snug_success;
	sgFpEnv_Leave(environment);
	return result;
}
