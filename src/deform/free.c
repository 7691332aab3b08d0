// src/deform/free.c: vertices that the caller sets. The pose is the positions themselves, in tree order.
//
// There is no cheaper way to bound a node than to look at its vertices, so bodies refit from the leaves up (van den
// Bergen 1997). The direct bound here serves leaves, and any node that found no place in an exhausted pool.
#include "base/isa.h"
#include "deform/deform.h"

#include <string.h>

// One float more than the positions: kernels load four at a time.
static size_t PoseBytes(const snugModel* model)
{
	return (3 * (size_t)model->tree.vertexCount + 1) * sizeof(float);
}

static void SetRest(const snugModel* model, void* pose)
{
	memcpy(pose, model->positions, PoseBytes(model));
}

static void Evaluate(
    const snugModel* model, const void* pose, const uint32_t* vertices, uint32_t count, sgVertexBlock* out)
{
	(void)model;
	sgGetKernels()->gatherVertices(pose, vertices, count, out);
}

static sgBox BoundSubtree(const snugModel* model, const float* positions, uint32_t slot)
{
	const sgTree* tree = &model->tree;
	const sgKernels* kernels = sgGetKernels();
	sgLeafRange range = sgTree_LeavesBelow(tree, slot);
	sgBox box = sgBox_Empty();
	for (uint32_t first = range.first; first <= range.last; first += SG_LANES)
	{
		uint32_t left = range.last - first + 1;
		uint32_t count = left < SG_LANES ? left : SG_LANES;
		sgBoxLanes lanes;
		kernels->boundLeaves(positions, tree->leafVertices, tree->leaves + first, count, &lanes, 0);
		sgBox part = kernels->mergeBoxes(&lanes, (1u << count) - 1u);
		sgBox_AddBox(&box, &part);
	}
	return box;
}

static void Bound(
    const snugModel* model, const void* pose, const sgLaneSet* families, uint32_t count, sgBoxLanes* const* out)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		for (uint32_t rest = families[i].mask; rest != 0;)
		{
			uint32_t lane = (uint32_t)__builtin_ctz(rest);
			uint32_t slot = families[i].group * SG_LANES + lane;
			uint32_t leaves = (rest & families[i].leafMask) >> lane;
			// Leaves in neighbouring lanes are numbered one after the other, and are bounded together.
			uint32_t run = (uint32_t)__builtin_ctz(~leaves);
			if (run > 0)
			{
				const sgLeaf* first = model->tree.leaves + model->tree.nodes[slot].first;
				sgGetKernels()->boundLeaves(pose, model->tree.leafVertices, first, run, out[i], lane);
				rest &= ~(((1u << run) - 1u) << lane);
				continue;
			}
			sgBox box = BoundSubtree(model, pose, slot);
			sgBoxLanes_Set(out[i], lane, &box);
			rest &= rest - 1;
		}
	}
}

const sgDeform sgDeform_free = {
	.name = "free",
	.poseBytes = PoseBytes,
	.setRest = SetRest,
	.evaluate = Evaluate,
	.bound = Bound,
	.refitsBottomUp = true,
};
