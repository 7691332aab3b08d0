// src/deform/free.c: vertices that the caller sets. The pose is the positions themselves, in tree order.
//
// There is no cheaper way to bound a node than to look at its vertices, so bodies refit from the leaves up (van den
// Bergen 1997). The direct bound here serves nodes whose children found no place in an exhausted pool.
#include "base/arrays.h"
#include "deform/deform.h"
#include "geometry/box_kernels.h"
#include "tree/leaf_kernels.h"

#include <math.h>
#include <string.h>

// What a model stores for it.
typedef struct FreeData
{
	const uint32_t* vertexPlace;    ///< (vertexCount): caller's number to tree order
	const uint32_t (*leafReach)[2]; ///< (leafCount): least and greatest caller's number of a leaf's vertices
} FreeData;

enum
{
	ARRAY_COUNT = 2
};

static void ListArrays(const sgTree* tree, sgArray list[ARRAY_COUNT])
{
	const sgArray arrays[ARRAY_COUNT] = {
		{ SG_ARRAY(FreeData, vertexPlace, tree->vertexCount) },
		{ SG_ARRAY(FreeData, leafReach, tree->leafCount) },
	};
	memcpy(list, arrays, sizeof(arrays));
}

static void Bind(const snugModel* model, void* arrays)
{
	sgArray list[ARRAY_COUNT];
	ListArrays(&model->tree, list);
	sgArrays_Bind(0, list, ARRAY_COUNT, model->deformData, arrays);
}

static size_t DataBytes(const sgTree* tree)
{
	sgArray list[ARRAY_COUNT];
	ListArrays(tree, list);
	return sgArrays_Bytes(0, list, ARRAY_COUNT);
}

// (SG_NONE, 0) for a leaf without vertices: it reaches nothing.
static void LeafReach(const sgTree* tree, uint32_t leafNumber, uint32_t reach[2])
{
	const sgLeaf* leaf = tree->leaves + leafNumber;
	reach[0] = SG_NONE;
	reach[1] = 0;
	for (uint32_t i = 0; i < leaf->vertexCount; ++i)
	{
		uint32_t vertex = tree->vertexMap[tree->leafVertices[leaf->firstVertex + i]];
		reach[0] = vertex < reach[0] ? vertex : reach[0];
		reach[1] = vertex > reach[1] ? vertex : reach[1];
	}
}

static snugStatus Build(const snugModel* model, const snugModelDef* def, void** data, size_t* bytes)
{
	(void)def;
	const sgTree* tree = &model->tree;
	*bytes = DataBytes(tree);
	*data = sgAllocate(&model->allocator, *bytes);
	if (*data == NULL)
	{
		return snug_outOfMemory;
	}
	memset(*data, 0, *bytes);
	sgArray list[ARRAY_COUNT];
	FreeData made;
	ListArrays(tree, list);
	sgArrays_Bind(0, list, ARRAY_COUNT, *data, &made);
	for (uint32_t i = 0; i < tree->vertexCount; ++i)
	{
		((uint32_t*)(uintptr_t)made.vertexPlace)[tree->vertexMap[i]] = i;
	}
	for (uint32_t i = 0; i < tree->leafCount; ++i)
	{
		LeafReach(tree, i, (uint32_t*)(uintptr_t)made.leafReach[i]);
	}
	return snug_success;
}

static bool Fits(const snugModel* model)
{
	return model->deformBytes == DataBytes(&model->tree);
}

static const char* Check(const snugModel* model, void* scratch)
{
	(void)scratch;
	const sgTree* tree = &model->tree;
	FreeData data;
	Bind(model, &data);
	for (uint32_t i = 0; i < tree->vertexCount; ++i)
	{
		if (data.vertexPlace[tree->vertexMap[i]] != i)
		{
			return "its maps of vertex numbers disagree";
		}
	}
	for (uint32_t i = 0; i < tree->leafCount; ++i)
	{
		uint32_t reach[2];
		LeafReach(tree, i, reach);
		if (data.leafReach[i][0] != reach[0] || data.leafReach[i][1] != reach[1])
		{
			return "a leaf's range of vertex numbers is wrong";
		}
	}
	return NULL;
}

// One float more than the positions: kernels load four at a time.
static size_t PoseBytes(const snugModel* model)
{
	return (3 * (size_t)model->tree.vertexCount + 1) * sizeof(float);
}

static const float* Positions(const sgPosed* posed)
{
	return posed->pose;
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
		kernels->leaves->boundLeaves(positions, tree->leafVertices, tree->leaves + first, count, &lanes, 0);
		sgBox part = kernels->boxes->mergeBoxes(&lanes, (1u << count) - 1u);
		sgBox_AddBox(&box, &part);
	}
	return box;
}

static void Bound(const sgPosed* posed, sgLaneSet set, sgBoxLanes* out)
{
	for (uint32_t rest = set.mask; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		sgBox box = BoundSubtree(posed->model, posed->pose, set.group * SG_LANES + lane);
		sgBoxLanes_Set(out, lane, &box);
	}
}

// SG_NONE if all is well, or the first vertex of the input that is not finite or too large.
static uint32_t FindBad(const sgPoseInput* input)
{
	const sgKernels* kernels = sgGetKernels();
	const char* positions = input->data;
	bool isDense = input->stride == 3 * sizeof(float);
	if (isDense && kernels->boxes->allWithin(input->data, 3 * (size_t)input->count, SNUG_MAX_COORDINATE))
	{
		return SG_NONE;
	}
	for (uint32_t i = 0; i < input->count; ++i)
	{
		const float* position = (const float*)(const void*)(positions + i * input->stride);
		if (!kernels->boxes->allWithin(position, 3, SNUG_MAX_COORDINATE))
		{
			return input->first + i;
		}
	}
	return SG_NONE;
}

static void TakeVertices(const uint32_t* place, const char* given, size_t stride, uint32_t count, float* positions)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		memcpy(positions + 3 * (size_t)place[i], given + i * stride, 3 * sizeof(float));
	}
}

static void SetPose(
    const snugModel* model, const sgPoseInput* input, const void* before, void* pose, sgPoseChange* change)
{
	(void)before; // in place
	if (input->kind == sgPose_rest)
	{
		memcpy(pose, model->positions, PoseBytes(model));
		return;
	}
	change->culprit = FindBad(input);
	if (change->culprit != SG_NONE)
	{
		change->fault = sgPoseFault_notFinite;
		return;
	}
	const FreeData* data = model->arrays;
	TakeVertices(data->vertexPlace + input->first, input->data, input->stride, input->count, pose);
	change->motion = INFINITY;
	// Past a quarter of the vertices, marking leaf by leaf costs more than it can save.
	change->isPartial = input->count <= model->tree.vertexCount / 4;
}

// The range of a leaf's numbers rules most leaves out at a glance.
static bool Touches(const snugModel* model, const sgPoseInput* input, uint32_t leafNumber)
{
	const sgTree* tree = &model->tree;
	const FreeData* data = model->arrays;
	const uint32_t* reach = data->leafReach[leafNumber];
	uint32_t first = input->first, last = input->first + input->count - 1;
	const sgLeaf* leaf = tree->leaves + leafNumber;
	for (uint32_t i = 0; reach[0] <= last && reach[1] >= first && i < leaf->vertexCount; ++i)
	{
		uint32_t vertex = tree->vertexMap[tree->leafVertices[leaf->firstVertex + i]];
		if (vertex >= first && vertex <= last)
		{
			return true;
		}
	}
	return false;
}

const sgDeform sgDeform_free = {
	.name = "free",
	.deformer = snug_free,
	.build = Build,
	.fits = Fits,
	.check = Check,
	.bind = Bind,
	.arrayBytes = sizeof(FreeData),
	.inputs = 1u << sgPose_vertices,
	.poseBytes = PoseBytes,
	.setPose = SetPose,
	.posesInPlace = true,
	.touches = Touches,
	.positions = Positions,
	.bound = Bound,
	.refitsBottomUp = true,
	.restIsExact = true,
};
