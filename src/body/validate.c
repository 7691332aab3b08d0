// src/body/validate.c: checking every bound of a body against the vertices below it.
#include "base/fpenv.h"
#include "body/body.h"

#include <math.h>

// How far a value is below the lower and above the upper end of an interval; neither, if it is inside.
static void CheckInside(double below, double above, snugValidation* validation)
{
	validation->checks += 2;
	// Written so that a NaN in the bound is a violation.
	if (!(below <= 0.0) || !(above <= 0.0))
	{
		double outside = fmax(below, above);
		++validation->violations;
		validation->worst = outside > validation->worst || isnan(outside) ? outside : validation->worst;
	}
}

// a + b without rounding, as its float64 value and what that leaves over. Knuth.
static double SumExactly(double a, double b, double* rest)
{
	double sum = a + b, part = sum - a;
	*rest = (a - (sum - part)) + (b - part);
	return sum;
}

// One vertex against what a node's volume adds to its box. Slabs are judged without a tolerance: entries of directions
// are 0, 1 and -1, so a position along one is a sum of three floats.
static void CheckExtra(
    const snugBody* body, const double point[3], const sgSlabLanes* extra, uint32_t lane, snugValidation* validation)
{
	for (uint32_t i = 0; sgVolume_IsDop(body->volume) && i < body->extraSlabs; ++i)
	{
		const float* direction = sgVolume_Directions(body->volume)[i];
		double rest[3], along = SumExactly((double)direction[0] * point[0], (double)direction[1] * point[1], rest);
		along = SumExactly(along, (double)direction[2] * point[2], rest + 1);
		along = SumExactly(along, rest[0] + rest[1], rest + 2);
		CheckInside(((double)extra[i].lower[lane] - along) - rest[2], (along - (double)extra[i].upper[lane]) + rest[2],
		    validation);
	}
	if (sgVolume_IsBall(body->volume))
	{
		const sgBallLanes* balls = (const sgBallLanes*)(const void*)extra;
		double sum = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			double difference = point[k] - (double)balls->center[k][lane];
			sum += difference * difference;
		}
		double distance = sqrt(sum) * (1.0 - 0x1p-50);
		CheckInside(-distance, distance - (double)balls->radius[lane], validation);
	}
}

// One leaf's vertices, evaluated anew, against the bounds of one node above it.
static void CheckLeaf(snugBody* body, const sgLeaf* leaf, sgBounds bounds, uint32_t lane, snugValidation* validation)
{
	sgLeafScratch scratch;
	const uint32_t* vertices = body->model->tree.leafVertices + leaf->firstVertex;
	sgLeafVertices found = sgBody_Evaluate(body, vertices, leaf->vertexCount, &scratch);
	for (uint32_t i = 0; i < leaf->vertexCount; ++i)
	{
		const float* p = found.positions + 3 * (size_t)found.indices[i];
		const double point[3] = { (double)p[0], (double)p[1], (double)p[2] };
		for (int axis = 0; axis < 3; ++axis)
		{
			double lower = (double)bounds.boxes->lower[axis][lane], upper = (double)bounds.boxes->upper[axis][lane];
			CheckInside(lower - point[axis], point[axis] - upper, validation);
		}
		if (bounds.extra != NULL)
		{
			CheckExtra(body, point, bounds.extra, lane, validation);
		}
	}
}

static SG_NOINLINE void Validate(snugBody* body, snugValidation* validation)
{
	const sgTree* tree = &body->model->tree;
	snugCounters counters = { 0 };
	sgBody_Prepare(body, &counters);
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		if (tree->nodes[slot].first == SG_NONE)
		{
			continue;
		}
		sgBoundsScratch scratch;
		sgBounds bounds = sgBody_Refresh(body, sgTree_Family(tree, slot), &scratch, &counters);
		sgLeafRange range = sgTree_LeavesBelow(tree, slot);
		for (uint32_t leaf = range.first; leaf <= range.last; ++leaf)
		{
			CheckLeaf(body, tree->leaves + leaf, bounds, slot % SG_LANES, validation);
		}
		++validation->nodesChecked;
	}
}

snugStatus snugBody_Validate(snugBody* body, snugValidation* validation)
{
	snugValidation own = { 0 };
	validation = validation != NULL ? validation : &own;
	*validation = own;
	SG_REQUIRE(body != NULL, snug_badArgument);
	sgFpEnv environment = sgFpEnv_Enter();
	Validate(body, validation);
	sgFpEnv_Leave(environment);
	return validation->violations == 0
	           ? snug_success
	           : sgFail(&body->messenger, snug_invalidBounds, "%llu of %llu checks of bounds failed",
	                 (unsigned long long)validation->violations, (unsigned long long)validation->checks);
}
