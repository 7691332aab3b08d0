// src/query/shapes.c: a body against a sphere, a capsule or a plane: a walk over one tree.
#include "base/fpenv.h"
#include "geometry/margins.h"
#include "geometry/shape.h"
#include "query/probe.h"
#include "query/view.h"

#include <math.h>

typedef struct ShapeSearch
{
	sgTreeWalk walk;
	const sgKernels* kernels;
	const snugShape* shape;
	const snugShapeQuery* query;
	sgPlaceFcn* visit; ///< told of each; null: those with room are kept
	void* user;
	double reach;     ///< of a sphere or capsule: radius and slack
	float center[3];  ///< of a sphere, in body space
	float slack;      ///< of a sphere: what that and placed triangles are off by
	float limit;      ///< of a sphere: no squared distance that counts is greater
	sgProbe probe;    ///< of a capsule: its axis, with a slack that contains the reach
	double normal[3]; ///< of a plane, in body space
	double offset;    ///< of a plane, in body space
	double height;    ///< of a plane: what placed triangles are off by
	uint64_t count;
	snugCounters counters;
	sgView side;
} ShapeSearch;

static ShapeSearch* SearchOf(sgTreeWalk* walk)
{
	return (ShapeSearch*)(void*)walk;
}

// ---- What is found -------------------------------------------------------------------------------------------------

#define SORT_ITEM snugShapeContact
#define SORT_IS_BEFORE(x, y) ((x).triangle < (y).triangle)
#include "base/sort.h"

static void Keep(ShapeSearch* search, sgKeptLeaf kept, uint32_t lane, const snugShapeContact* contact)
{
	if (search->visit != NULL)
	{
		const sgLeaf* leaf = sgView_Lanes(&search->side, kept)->leaf;
		search->visit(search->user, (uint32_t)(leaf - search->side.tree->leaves) * SG_LANES + lane);
	}
	else
	{
		KeepFirst(search->query->contacts, search->query->capacity, search->count, *contact);
	}
	++search->count;
	search->walk.isStopped = search->query->any;
}

// ---- The walk ------------------------------------------------------------------------------------------------------

static sgOpened Open(sgTreeWalk* walk, uint32_t slot)
{
	return sgOpen(SearchOf(walk)->side.tree, slot);
}

static uint32_t LookAtBall(sgTreeWalk* walk, const sgOpened* opened, float keys[SG_LANES])
{
	(void)keys;
	ShapeSearch* search = SearchOf(walk);
	float SG_ALIGN(32) gaps[SG_LANES];
	const sgBoxLanes* bounds = sgView_Bounds(&search->side, opened, &search->counters);
	search->counters.volumeTests += sgCountBits(opened->set.mask);
	return search->kernels->probes->gapPoint(bounds, search->center, search->slack, search->limit, gaps) &
	       opened->set.mask;
}

static uint32_t LookRound(sgTreeWalk* walk, const sgOpened* opened, float keys[SG_LANES])
{
	(void)keys;
	ShapeSearch* search = SearchOf(walk);
	float SG_ALIGN(32) entries[SG_LANES];
	const sgBoxLanes* bounds = sgView_Bounds(&search->side, opened, &search->counters);
	search->counters.volumeTests += sgCountBits(opened->set.mask);
	return search->kernels->probes->clipBoxes(bounds, &search->probe, 1.0f, entries) & opened->set.mask;
}

// The least, and for a plane the greatest, of normal . x + offset over a box.
static uint32_t LookFlat(sgTreeWalk* walk, const sgOpened* opened, float keys[SG_LANES])
{
	(void)keys;
	ShapeSearch* search = SearchOf(walk);
	const sgBoxLanes* bounds = sgView_Bounds(&search->side, opened, &search->counters);
	search->counters.volumeTests += sgCountBits(opened->set.mask);
	uint32_t met = 0;
	for (uint32_t rest = opened->set.mask; rest != 0; rest &= rest - 1)
	{
		const uint32_t lane = sgLowestBit(rest);
		double least = search->offset, most = search->offset;
		for (int k = 0; k < 3; ++k)
		{
			const double n = search->normal[k];
			least += n * (n > 0.0 ? bounds->lower[k][lane] : bounds->upper[k][lane]);
			most += n * (n > 0.0 ? bounds->upper[k][lane] : bounds->lower[k][lane]);
		}
		const bool isBehind = search->shape->kind == snug_shapePlane && most < -search->height;
		met |= (uint32_t)(!(least > search->height) && !isBehind) << lane;
	}
	return met;
}

// Whether the box of a triangle is near the axis, along each axis of the world.
static bool MayMeet(const ShapeSearch* search, const float triangle[3][3])
{
	const float *p = search->shape->from, *q = sgShape_End(search->shape);
	bool mayMeet = true;
	for (int k = 0; k < 3; ++k)
	{
		const double low = (p[k] < q[k] ? p[k] : q[k]) - search->reach;
		const double high = (p[k] < q[k] ? q[k] : p[k]) + search->reach;
		const float x = triangle[0][k], y = triangle[1][k], z = triangle[2][k];
		mayMeet = mayMeet && (x <= high || y <= high || z <= high) && (x >= low || y >= low || z >= low);
	}
	return mayMeet;
}

static void Settle(sgTreeWalk* walk, const sgOpened* opened, uint32_t lane)
{
	ShapeSearch* search = SearchOf(walk);
	const sgKeptLeaf kept = sgView_Triangles(&search->side, opened, lane, &search->counters);
	const uint32_t count = sgView_Lanes(&search->side, kept)->leaf->triangleCount;
	for (uint32_t i = 0; i < count && !walk->isStopped; ++i)
	{
		float triangle[3][3];
		snugShapeContact contact = { .triangle = sgView_TriangleNumber(&search->side, kept, i) };
		sgView_GetTriangle(&search->side, kept, i, triangle);
		if (search->reach >= 0.0 && !MayMeet(search, (const float(*)[3])triangle))
		{
			continue;
		}
		++search->counters.triangleTests;
		if (sgShape_Meets(search->shape, (const float(*)[3])triangle, &contact))
		{
			Keep(search, kept, i, &contact);
		}
	}
}

// Eight triangles at once. Those of which float64 is not sure one by one, in between, so that the order is kept.
static void SettleBall(sgTreeWalk* walk, const sgOpened* opened, uint32_t lane)
{
	ShapeSearch* search = SearchOf(walk);
	const snugShape* shape = search->shape;
	const sgProbeKernels* kernels = search->kernels->probes;
	const sgKeptLeaf kept = sgView_Triangles(&search->side, opened, lane, &search->counters);
	float SG_ALIGN(32) gaps[SG_LANES];
	const uint32_t near =
	    kernels->gapPoint(&sgView_Lanes(&search->side, kept)->boxes, shape->from, 0.0f, search->limit, gaps) &
	    sgView_Lanes(&search->side, kept)->mask;
	if (near == 0)
	{
		return;
	}
	search->counters.triangleTests += sgCountBits(near);
	sgPointLanes nearest;
	uint32_t unsure;
	const uint32_t met =
	    kernels->meetBall(sgView_Lanes(&search->side, kept), shape->from, shape->radius, &nearest, &unsure);
	for (uint32_t rest = near & (met | unsure); rest != 0 && !walk->isStopped; rest &= rest - 1)
	{
		const uint32_t i = sgLowestBit(rest);
		float triangle[3][3];
		snugShapeContact contact = {
			.distance = nearest.distance[i],
			.position = { nearest.position[0][i], nearest.position[1][i], nearest.position[2][i] },
			.triangle = sgView_TriangleNumber(&search->side, kept, i),
		};
		bool isMet = true;
		if ((unsure >> i & 1) != 0)
		{
			sgView_GetTriangle(&search->side, kept, i, triangle);
			isMet = sgShape_Meets(shape, (const float(*)[3])triangle, &contact);
		}
		if (isMet)
		{
			Keep(search, kept, i, &contact);
		}
	}
}

static const sgTreeWalker ballWalker = { Open, LookAtBall, SettleBall, false };
static const sgTreeWalker roundWalker = { Open, LookRound, Settle, false };
static const sgTreeWalker flatWalker = { Open, LookFlat, Settle, false };

// ---- Aiming --------------------------------------------------------------------------------------------------------

static double LargestCoordinate(const sgBox* box)
{
	double most = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		most = fmax(most, fmax(fabs((double)box->lower[k]), fabs((double)box->upper[k])));
	}
	return most;
}

// A triangle that is reported has a point within the radius, and 2^-37 of the extent, of a point of the axis. So its
// box, grown by that along each axis, meets the axis itself: as in sgProbe_Make, with more slack. Extents are below
// twice the largest coordinate of all, here `size`: turning makes none larger than all three together.
// Of a sphere, the box is as near to the centre, with what closest.c adds for boxes in body space.
static void AimRound(ShapeSearch* search, const sgBox* around)
{
	const snugShape* shape = search->shape;
	const float *p = shape->from, *q = sgShape_End(shape);
	const sgPlacement* placement = &search->side.placement;
	double at[3], far = 0.0, sum = 0.0, reach = 0.0;
	sgPlacement_Undo(placement, p, at);
	for (int k = 0; k < 3; ++k)
	{
		far = fmax(far, fmax(fabs(placement->translation[k]), fmax(fabs((double)p[k]), fabs((double)q[k]))));
		sum += fmax(fabs((double)around->lower[k]), fabs((double)around->upper[k]));
		search->center[k] = (float)at[k];
		reach = fmax(reach, fabs(at[k]));
	}
	search->reach = shape->radius + 4.0 * SG_SHAPE_SLACK * (1.001 * sum + far);
	search->limit = sgRoundUp(search->reach * search->reach);
	const double slack = SG_MARGIN_DISTANCE * placement->error + SG_MARGIN_PROBE * 0x1p-24 * reach;
	search->slack = placement->isIdentity ? 0.0f : sgRoundUp(slack + 8.0 * SG_MARGIN_SUBNORMAL);
	if (shape->kind == snug_shapeCapsule)
	{
		search->probe = sgProbe_Make(placement, p, q);
		sgProbe_Widen(&search->probe, search->reach);
	}
}

// normal . (R x + t) + offset = (R^T normal) . x + normal . t + offset; placed positions are off by the placement's
// error along each axis, and sums in double by far less than 2^-45 of the terms.
static void AimFlat(ShapeSearch* search, const sgBox* around)
{
	const snugPlane* plane = &search->shape->plane;
	const sgPlacement* placement = &search->side.placement;
	const sgBox placed = sgPlacement_BoundBox(placement, around);
	double sum = 0.0, terms = fabs(plane->offset);
	search->offset = plane->offset;
	search->reach = -1.0;
	for (int k = 0; k < 3; ++k)
	{
		search->normal[k] = placement->isIdentity ? plane->normal[k] : 0.0;
		for (int i = 0; i < 3 && !placement->isIdentity; ++i)
		{
			search->normal[k] += placement->rotation[i][k] * plane->normal[i];
		}
		search->offset += placement->isIdentity ? 0.0 : plane->normal[k] * placement->translation[k];
		sum += fabs(plane->normal[k]);
		terms += fabs(plane->normal[k] * placement->translation[k]);
	}
	terms += 3.0 * sum * fmax(LargestCoordinate(around), LargestCoordinate(&placed));
	search->height = SG_MARGIN_SHAPE_PLACED * sum * placement->error + SG_MARGIN_SHAPE_SUMS * terms;
}

static SG_NOINLINE snugResult Run(
    snugBody* body, const snugShape* shape, const snugShapeQuery* query, sgPlaceFcn* visit, void* user)
{
	ShapeSearch search; // not zeroed: most of it is scratch
	sgBox around;
	search.walk.isStopped = false;
	search.walk.limit = 1.0f;
	search.kernels = sgGetKernels();
	search.shape = shape;
	search.query = query;
	search.visit = visit;
	search.user = user;
	search.count = 0;
	search.counters = (snugCounters){ 0 };
	sgBody_Prepare(body, &search.counters);
	snugResult result = {
		.status = sgView_PlaceLoosely(&search.side, body, query->origin, &around, &search.counters),
	};
	result.complete = result.status == snug_success;
	if (!result.complete || body->model->tree.triangleCount == 0)
	{
		return result;
	}
	if (shape->kind == snug_shapeSphere)
	{
		AimRound(&search, &around);
		sgTreeWalk_Descend(&search.walk, &ballWalker, 0);
	}
	else if (shape->kind == snug_shapeCapsule)
	{
		AimRound(&search, &around);
		sgTreeWalk_Descend(&search.walk, &roundWalker, 0);
	}
	else
	{
		AimFlat(&search, &around);
		sgTreeWalk_Descend(&search.walk, &flatWalker, 0);
	}
	// No sgView_Finish: a front would be refitted for more than a shape looks at.
	Sort(query->contacts, search.count < query->capacity ? search.count : query->capacity);
	result.count = search.count;
	result.complete = !search.walk.isStopped;
	result.counters = search.counters;
	return result;
}

snugResult sgBody_VisitShape(
    snugBody* body, const snugShape* shape, const double origin[3], sgPlaceFcn* visit, void* user)
{
	const snugShapeQuery query = { .origin = { origin[0], origin[1], origin[2] }, .any = visit == NULL };
	return Run(body, shape, &query, visit, user);
}

// ---- The public function -------------------------------------------------------------------------------------------

static bool IsGoodPoint(const float p[3])
{
	// Written so that NaN is refused.
	return fabsf(p[0]) <= SNUG_MAX_COORDINATE && fabsf(p[1]) <= SNUG_MAX_COORDINATE &&
	       fabsf(p[2]) <= SNUG_MAX_COORDINATE;
}

static const char* FindFault(const snugShape* shape)
{
	switch (shape->kind)
	{
		case snug_shapeSphere:
		case snug_shapeCapsule:
			return !IsGoodPoint(shape->from) || !IsGoodPoint(sgShape_End(shape)) ? "is not finite or too far out"
			       : !(shape->radius >= 0.0f && shape->radius <= SNUG_MAX_COORDINATE)
			           ? "has a radius that is negative or too large"
			           : NULL;
		case snug_shapePlane:
		case snug_shapeHalfSpace:
			return sgPlane_IsGood(&shape->plane) ? NULL : "is not finite or has no normal";
		default:
			return "is of no kind that there is";
	}
}

snugStatus sgCheckShape(const snugMessenger* messenger, const snugShape* shape)
{
	const char* fault = FindFault(shape);
	return fault == NULL ? snug_success : sgFail(messenger, snug_badInput, "the shape %s", fault);
}

snugResult snugCollideShape(snugBody* body, const snugShape* shape, const snugShapeQuery* query)
{
	static const snugShapeQuery defaults = { .any = false };
	const snugResult misuse = { .status = snug_badArgument };
	query = query != NULL ? query : &defaults;
	SG_REQUIRE(body != NULL && shape != NULL, misuse);
	SG_REQUIRE_RESERVED(query, misuse);
	SG_REQUIRE_RESERVED(shape, misuse);
	SG_REQUIRE(query->contacts != NULL || query->capacity == 0, misuse);
	SG_REQUIRE(sgIsFinitePoint(query->origin), misuse);
	const snugStatus status = sgCheckShape(&body->messenger, shape);
	if (status != snug_success)
	{
		return (snugResult){ .status = status };
	}
	sgFpEnv environment = sgFpEnv_Enter();
	const snugShape exact = sgShape_Round(shape);
	snugResult result = Run(body, &exact, query, NULL, NULL);
	sgFpEnv_Leave(environment);
	return result;
}
