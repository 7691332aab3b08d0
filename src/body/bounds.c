// src/body/bounds.c: bounds of whole bodies, for culling, and refitting ahead of time.
#include "base/fpenv.h"
#include "body/body.h"
#include "geometry/margins.h"

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
	sgBoundsScratch scratch;
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

static SG_NOINLINE snugStatus GetBounds(snugBody* body, const double* origin, snugBounds* bounds)
{
	snugCounters counters = { 0 };
	sgBox root;
	sgPlacement placement;
	snugStatus status = sgBody_MakePlacement(body, origin, &root, &placement, &counters);
	if (status != snug_success)
	{
		return status;
	}
	sgBox box = sgPlacement_BoundBox(&placement, &root);
	memcpy(bounds->lower, box.lower, sizeof(bounds->lower));
	memcpy(bounds->upper, box.upper, sizeof(bounds->upper));
	bounds->radius = -1.0f;
	if (sgBox_IsEmpty(&box))
	{
		return snug_success;
	}
	// The ball around the box, about a rounded centre: the farthest corner from where the centre really is.
	double radius2 = 0.0;
	for (int axis = 0; axis < 3; ++axis)
	{
		double lower = box.lower[axis], upper = box.upper[axis];
		bounds->center[axis] = sgRoundNearest(0.5 * lower + 0.5 * upper);
		double reach = fmax((double)bounds->center[axis] - lower, upper - (double)bounds->center[axis]);
		radius2 += reach * reach;
	}
	bounds->radius = sgRoundUp(sqrt(radius2) * (1.0 + SG_MARGIN_BALL));
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

static SG_NOINLINE snugStatus IsOutside(
    snugBody* body, const double* origin, const snugPlane* planes, uint32_t count, bool* isOutside)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		const double* normal = planes[i].normal;
		bool isZero = normal[0] == 0.0 && normal[1] == 0.0 && normal[2] == 0.0;
		if (!sgIsFinitePoint(normal) || !isfinite(planes[i].offset) || isZero)
		{
			return sgFail(&body->messenger, snug_badInput, "plane %u is not finite or has no normal", i);
		}
	}
	snugCounters counters = { 0 };
	sgBox root;
	sgPlacement placement;
	snugStatus status = sgBody_MakePlacement(body, origin, &root, &placement, &counters);
	*isOutside = status == snug_success && sgBox_IsEmpty(&root);
	for (uint32_t i = 0; status == snug_success && !*isOutside && i < count; ++i)
	{
		*isOutside = GreatestOver(planes + i, &placement, &root) < 0.0;
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
