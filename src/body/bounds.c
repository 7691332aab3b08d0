// src/body/bounds.c: bounds of whole bodies, for culling, and refitting ahead of time.
#include "base/fpenv.h"
#include "body/body.h"
#include "geometry/margins.h"
#include "geometry/shape.h"

#include <math.h>
#include <string.h>

static const double zeroOrigin[3] = { 0.0, 0.0, 0.0 };

// Every family once, whatever the strategy; a family without a place in the cache is not kept.
static SG_NOINLINE void RefitAll(snugBody* body)
{
	snugCounters counters = { 0 };
	sgBody_Prepare(body, &counters);
	if (body->isAtRest || body->deform->bound == NULL || body->strategy == snug_strategyBottomUp)
	{
		return;
	}
	const sgTree* tree = &body->model->tree;
	sgBoxLanes scratch;
	sgBody_Refresh(body, sgTree_Family(tree, 0), &scratch, &counters);
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		if (tree->nodes[slot].childCount > 0)
		{
			sgBody_Refresh(body, sgTree_Open(tree, slot), &scratch, &counters);
		}
	}
}

snugStatus snugBody_Refit(snugBody* body)
{
	SG_REQUIRE(body != NULL, snug_badArgument);
	sgFpEnv environment = sgFpEnv_Enter();
	RefitAll(body);
	sgFpEnv_Leave(environment);
	return snug_success;
}

// ---- A box and a ball ---------------------------------------------------------------------------------------------

/// A ball in doubles.
typedef struct Ball
{
	double center[3];
	double radius;
} Ball;

// Around a box.
static Ball AroundBox(const sgBox* box)
{
	Ball ball;
	double radius2 = 0.0;
	for (int axis = 0; axis < 3; ++axis)
	{
		double lower = box->lower[axis], upper = box->upper[axis];
		ball.center[axis] = 0.5 * lower + 0.5 * upper;
		radius2 += (0.5 * upper - 0.5 * lower) * (0.5 * upper - 0.5 * lower);
	}
	ball.radius = sqrt(radius2) * (1.0 + SG_MARGIN_BALL);
	return ball;
}

// Turning changes no radius. Placed vertices are off by the placement's error along each axis; the centre's sums by a
// few 2^-53 of their terms.
static Ball PlaceBall(const Ball* ball, const sgPlacement* placement)
{
	Ball placed = { .radius = ball->radius * (1.0 + SG_MARGIN_BALL) + SG_MARGIN_DISTANCE * placement->error };
	for (int i = 0; i < 3; ++i)
	{
		placed.center[i] = placement->translation[i];
		double terms = fabs(placement->translation[i]);
		for (int k = 0; k < 3; ++k)
		{
			placed.center[i] += placement->rotation[i][k] * ball->center[k];
			terms += fabs(ball->center[k]);
		}
		placed.radius += 0x1p-48 * terms;
	}
	return placed;
}

// Rounding moves the centre, and the radius grows by that much.
static void SetBall(snugBounds* bounds, const Ball* ball)
{
	double shift2 = 0.0;
	for (int axis = 0; axis < 3; ++axis)
	{
		bounds->center[axis] = sgRoundNearest(ball->center[axis]);
		double shift = (double)bounds->center[axis] - ball->center[axis];
		shift2 += shift * shift;
	}
	bounds->radius = sgRoundUp((ball->radius + sqrt(shift2)) * (1.0 + SG_MARGIN_BALL));
}

// What two boxes around the same thing have in common.
static sgBox Intersect(const sgBox* a, const sgBox* b)
{
	sgBox both;
	for (int axis = 0; axis < 3; ++axis)
	{
		both.lower[axis] = a->lower[axis] > b->lower[axis] ? a->lower[axis] : b->lower[axis];
		both.upper[axis] = a->upper[axis] < b->upper[axis] ? a->upper[axis] : b->upper[axis];
	}
	return both;
}

// The box: the root's as it is turned, and one along these axes. The ball: the smaller of those around that box and
// around the body before it is turned.
static SG_NOINLINE snugStatus GetBounds(snugBody* body, const double* origin, snugBounds* bounds)
{
	snugCounters counters = { 0 };
	sgBox root;
	sgPlacedRoot along;
	sgPlacement placement;
	snugStatus status = sgBody_MakePlacement(body, origin, &root, &placement, &counters);
	if (status != snug_success)
	{
		return status;
	}
	sgBox box = sgPlacement_BoundBox(&placement, &root);
	if (!placement.isIdentity && !sgBox_IsEmpty(&box) && sgBody_BoundPlacedRoot(body, origin, &along, &counters))
	{
		box = Intersect(&box, &along.box);
	}
	memcpy(bounds->lower, box.lower, sizeof(bounds->lower));
	memcpy(bounds->upper, box.upper, sizeof(bounds->upper));
	bounds->radius = -1.0f;
	if (!sgBox_IsEmpty(&box))
	{
		Ball around = AroundBox(&box), turned = AroundBox(&root);
		turned = PlaceBall(&turned, &placement);
		SetBall(bounds, turned.radius < around.radius ? &turned : &around);
	}
	return snug_success;
}

snugStatus snugBody_GetBounds(snugBody* body, const double origin[3], snugBounds* bounds)
{
	SG_REQUIRE(bounds != NULL, snug_badArgument);
	*bounds = (snugBounds){ .radius = -1.0f };
	SG_REQUIRE(body != NULL, snug_badArgument);
	origin = origin != NULL ? origin : zeroOrigin;
	SG_REQUIRE(sgIsFinitePoint(origin), snug_badArgument);
	sgFpEnv environment = sgFpEnv_Enter();
	snugStatus status = GetBounds(body, origin, bounds);
	sgFpEnv_Leave(environment);
	return status;
}

// The greatest value of normal . x + offset over the placed root, with what rounding may add: a few 2^-52 of the terms
// here, and the placement's error of every vertex.
static double GreatestOver(const snugPlane* plane, const sgPlacement* placement, const sgBox* root)
{
	double value = plane->offset, size = fabs(plane->offset), normals = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		value += plane->normal[i] * placement->translation[i];
		size += fabs(plane->normal[i] * placement->translation[i]);
		normals += fabs(plane->normal[i]);
	}
	for (int k = 0; k < 3; ++k)
	{
		double along = 0.0, alongSize = 0.0;
		for (int i = 0; i < 3; ++i)
		{
			along += plane->normal[i] * placement->rotation[i][k];
			alongSize += fabs(plane->normal[i] * placement->rotation[i][k]);
		}
		double far = along > 0.0 ? (double)root->upper[k] : (double)root->lower[k];
		value += along * far;
		size += alongSize * fmax(fabs((double)root->lower[k]), fabs((double)root->upper[k]));
	}
	return value + SG_MARGIN_CULLED * normals * placement->error + SG_MARGIN_PLANE * size;
}

// Whether a ball around all placed vertices is beyond a plane.
static bool IsBeyond(const snugPlane* plane, const snugBounds* bounds)
{
	double value = plane->offset, size = fabs(plane->offset), length2 = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		double along = plane->normal[i] * (double)bounds->center[i];
		value += along;
		size += fabs(along);
		length2 += plane->normal[i] * plane->normal[i];
	}
	double reach = sqrt(length2) * (double)bounds->radius;
	return value + reach + SG_MARGIN_PLANE * (size + reach) < 0.0;
}

static SG_NOINLINE snugStatus IsOutside(
    snugBody* body, const double* origin, const snugPlane* planes, uint32_t count, bool* isOutside)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		if (!sgPlane_IsGood(planes + i))
		{
			return sgFail(&body->messenger, snug_badInput, "plane %u is not finite or has no normal", i);
		}
	}
	snugCounters counters = { 0 };
	sgBox root;
	sgPlacement placement;
	snugStatus status = sgBody_MakePlacement(body, origin, &root, &placement, &counters);
	snugBounds bounds = { .radius = -1.0f };
	status = status == snug_success ? GetBounds(body, origin, &bounds) : status;
	*isOutside = status == snug_success && sgBox_IsEmpty(&root);
	for (uint32_t i = 0; status == snug_success && !*isOutside && i < count; ++i)
	{
		*isOutside = IsBeyond(planes + i, &bounds) || GreatestOver(planes + i, &placement, &root) < 0.0;
	}
	return status;
}

snugStatus snugBody_IsOutside(
    snugBody* body, const double origin[3], const snugPlane* planes, uint32_t count, bool* isOutside)
{
	SG_REQUIRE(isOutside != NULL, snug_badArgument);
	*isOutside = false;
	SG_REQUIRE(body != NULL && (planes != NULL || count == 0), snug_badArgument);
	origin = origin != NULL ? origin : zeroOrigin;
	SG_REQUIRE(sgIsFinitePoint(origin), snug_badArgument);
	sgFpEnv environment = sgFpEnv_Enter();
	snugStatus status = IsOutside(body, origin, planes, count, isOutside);
	sgFpEnv_Leave(environment);
	return status;
}
