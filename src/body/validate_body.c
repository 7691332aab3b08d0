// src/body/validate_body.c: checking every bound of a body against the vertices below it.
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

// One leaf's vertices, evaluated anew, against the bounds of one node above it.
static void CheckLeaf(
    snugBody* body, const sgLeaf* leaf, const sgBoxLanes* bounds, uint32_t lane, snugValidation* validation)
{
	sgLeafScratch scratch;
	const uint32_t* vertices = body->model->tree.leafVertices + leaf->firstVertex;
	sgLeafVertices found = sgBody_Evaluate(body, vertices, leaf->vertexCount, &scratch);
	for (uint32_t i = 0; i < leaf->vertexCount; ++i)
	{
		const float* p = found.positions + 3 * (size_t)found.indices[i];
		for (int axis = 0; axis < 3; ++axis)
		{
			double lower = (double)bounds->lower[axis][lane], upper = (double)bounds->upper[axis][lane];
			CheckInside(lower - (double)p[axis], (double)p[axis] - upper, validation);
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
		sgBoxLanes scratch;
		const sgBoxLanes* bounds = sgBody_Refresh(body, sgTree_Family(tree, slot), &scratch, &counters);
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
