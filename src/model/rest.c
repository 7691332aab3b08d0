// src/model/rest.c: see rest.h. A group of eight slots at a time.
#include "model/rest.h"

#include "base/team.h"
#include "geometry/box_kernels.h"
#include "tree/leaf_kernels.h"

#include <float.h>

/// Groups that are done at a time when several threads share the work.
#define CHUNK 64

// Boxes of the leaves of a group, and empty ones elsewhere: neighbours whose numbers follow each other at once.
static void BoundLeaves(const snugModel* model, uint32_t group, sgBoxLanes* out)
{
	const sgTree* tree = &model->tree;
	const sgNode* nodes = tree->nodes + (size_t)group * SG_LANES;
	const sgBox empty = sgBox_Empty();
	for (uint32_t lane = 0, count; lane < SG_LANES; lane += count)
	{
		bool isLeaf = nodes[lane].childCount == 0 && nodes[lane].first != SG_NONE;
		if (!isLeaf)
		{
			sgBoxLanes_Set(out, lane, &empty);
			count = 1;
			continue;
		}
		for (count = 1; lane + count < SG_LANES; ++count)
		{
			const sgNode* next = nodes + lane + count;
			if (next->childCount != 0 || next->first != nodes[lane].first + count)
			{
				break;
			}
		}
		sgGetKernels()->leaves->boundLeaves(
		    model->positions, tree->leafVertices, tree->leaves + nodes[lane].first, count, out, lane);
	}
}

// Boxes of the inner nodes of a group whose leaves are there, around those of their children, which have greater slots.
static void BoundInner(const snugModel* model, const sgBoxLanes* bounds, uint32_t group, sgBoxLanes* out)
{
	const sgTree* tree = &model->tree;
	for (uint32_t lane = SG_LANES; lane-- > 0;)
	{
		uint32_t slot = group * SG_LANES + lane;
		if (tree->nodes[slot].childCount > 0)
		{
			sgLaneSet children = sgTree_Children(tree, slot);
			const sgBoxLanes* from = children.group == group ? out : bounds + children.group;
			sgBox box = sgGetKernels()->boxes->mergeBoxes(from, children.mask);
			sgBoxLanes_Set(out, lane, &box);
		}
	}
}

typedef struct RestWork
{
	const snugModel* model;
	sgBoxLanes* bounds;
} RestWork;

static void BoundChunk(void* context, uint32_t worker, uint32_t chunk)
{
	const RestWork* work = context;
	uint32_t first = chunk * CHUNK, left = work->model->tree.groupCount - first;
	(void)worker;
	for (uint32_t group = first; group < first + (left < CHUNK ? left : CHUNK); ++group)
	{
		BoundLeaves(work->model, group, work->bounds + group);
	}
}

void sgRest_Bound(const snugModel* model, sgBoxLanes* bounds)
{
	RestWork work = { model, bounds };
	uint32_t groupCount = model->tree.groupCount;
	sgTeam_Run(model->team, (groupCount + CHUNK - 1) / CHUNK, BoundChunk, &work);
	for (uint32_t group = groupCount; group-- > 0;)
	{
		BoundInner(model, bounds, group, bounds + group);
	}
}

// Eight boxes of a file around eight that are tight. Written so that NaN is not contained, nor contains.
static uint32_t FindBad(const sgBoxLanes* stored, const sgBoxLanes* tight)
{
	uint32_t good = (1u << SG_LANES) - 1u;
	for (int axis = 0; axis < 3; ++axis)
	{
		for (uint32_t lane = 0; lane < SG_LANES; ++lane)
		{
			float lower = stored->lower[axis][lane], upper = stored->upper[axis][lane];
			uint32_t isGood = (lower <= tight->lower[axis][lane]) & (upper >= tight->upper[axis][lane]) &
			                  (lower >= -FLT_MAX) & (upper <= FLT_MAX);
			good &= ~((isGood ^ 1u) << lane);
		}
	}
	return ~good & ((1u << SG_LANES) - 1u);
}

const char* sgRest_Check(const snugModel* model)
{
	static const char fault[] = "a bound does not contain what is below it";
	const sgTree* tree = &model->tree;
	for (uint32_t group = 0; group < tree->groupCount; ++group)
	{
		uint32_t used = 0;
		for (uint32_t lane = 0; lane < SG_LANES; ++lane)
		{
			used |= (uint32_t)(tree->nodes[group * SG_LANES + lane].first != SG_NONE) << lane;
		}
		sgBoxLanes tight;
		BoundLeaves(model, group, &tight);
		BoundInner(model, model->restBounds, group, &tight);
		// The only node of a model without triangles contains nothing.
		sgBox root = sgBoxLanes_Get(model->restBounds + group, 0);
		bool isGood =
		    tree->triangleCount > 0 ? (FindBad(model->restBounds + group, &tight) & used) == 0 : sgBox_IsEmpty(&root);
		if (!isGood)
		{
			return fault;
		}
	}
	return NULL;
}
