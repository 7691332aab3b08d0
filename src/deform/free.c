// src/deform/free.c: vertices that the caller sets. The pose is the positions themselves, in tree order.
//
// There is no cheaper way to bound a node than to look at its vertices, so bodies refit from the leaves up (van den
// Bergen 1997). The direct bound here serves nodes whose children found no place in an exhausted pool.
#include "base/fpenv.h"
#include "body/body.h"

#include <math.h>
#include <string.h>

// What a model stores for it, one array after the other.
typedef struct FreeData
{
	const uint32_t* vertexPlace;    ///< (vertexCount): caller's number to tree order
	const uint32_t (*leafReach)[2]; ///< (leafCount): least and greatest caller's number of a leaf's vertices
} FreeData;

static FreeData GetData(const snugModel* model)
{
	const uint32_t* place = model->deformData;
	return (FreeData){ place, (const void*)(place + model->tree.vertexCount) };
}

static size_t DataBytes(const sgTree* tree)
{
	return ((size_t)tree->vertexCount + 2 * (size_t)tree->leafCount) * sizeof(uint32_t);
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
	uint32_t* place = sgAllocate(&model->allocator, DataBytes(tree));
	if (place == NULL)
	{
		return snug_outOfMemory;
	}
	for (uint32_t i = 0; i < tree->vertexCount; ++i)
	{
		place[tree->vertexMap[i]] = i;
	}
	for (uint32_t i = 0; i < tree->leafCount; ++i)
	{
		LeafReach(tree, i, place + tree->vertexCount + 2 * (size_t)i);
	}
	*data = place;
	*bytes = DataBytes(tree);
	return snug_success;
}

static const char* Check(const snugModel* model)
{
	const sgTree* tree = &model->tree;
	if (model->deformBytes != DataBytes(tree))
	{
		return "its data for free vertices have a wrong size";
	}
	FreeData data = GetData(model);
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

static void SetRest(const snugModel* model, void* pose)
{
	memcpy(pose, model->positions, PoseBytes(model));
}

static const float* Positions(const snugModel* model, const void* pose)
{
	(void)model;
	return pose;
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

static void Bound(const snugModel* model, const void* pose, sgLaneSet set, sgBoundsOut out)
{
	for (uint32_t rest = set.mask; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		sgBox box = BoundSubtree(model, pose, set.group * SG_LANES + lane);
		sgBoxLanes_Set(out.boxes, lane, &box);
	}
}

const sgDeform sgDeform_free = {
	.name = "free",
	.build = Build,
	.check = Check,
	.poseBytes = PoseBytes,
	.setRest = SetRest,
	.positions = Positions,
	.bound = Bound,
	.refitsBottomUp = true,
	.restIsExact = true,
};

static bool AllFinite(const char* positions, size_t stride, uint32_t count)
{
	const sgKernels* kernels = sgGetKernels();
	if (stride == 3 * sizeof(float))
	{
		return kernels->boxes->allWithin((const float*)(const void*)positions, 3 * (size_t)count, SNUG_MAX_COORDINATE);
	}
	bool good = true;
	for (uint32_t i = 0; good && i < count; ++i)
	{
		good = kernels->boxes->allWithin((const float*)(const void*)(positions + i * stride), 3, SNUG_MAX_COORDINATE);
	}
	return good;
}

static bool HasVertexBetween(const sgTree* tree, const sgLeaf* leaf, uint32_t first, uint32_t last)
{
	for (uint32_t i = 0; i < leaf->vertexCount; ++i)
	{
		uint32_t vertex = tree->vertexMap[tree->leafVertices[leaf->firstVertex + i]];
		if (vertex >= first && vertex <= last)
		{
			return true;
		}
	}
	return false;
}

static void InvalidateVertices(snugBody* body, uint32_t first, uint32_t count)
{
	const sgTree* tree = &body->model->tree;
	FreeData data = GetData(body->model);
	uint32_t last = first + count - 1;
	// Past a quarter of the vertices, marking leaf by leaf costs more than it can save.
	if (body->isAtRest || count > tree->vertexCount / 4)
	{
		sgBody_Invalidate(body, INFINITY);
		body->isAtRest = false;
		return;
	}
	for (uint32_t leaf = 0; leaf < tree->leafCount; ++leaf)
	{
		// The range of a leaf's numbers rules most leaves out at a glance.
		bool isCandidate = data.leafReach[leaf][0] <= last && data.leafReach[leaf][1] >= first;
		if (isCandidate && HasVertexBetween(tree, tree->leaves + leaf, first, last))
		{
			sgBody_InvalidateLeaf(body, leaf);
		}
	}
}

static SG_NOINLINE snugStatus SetVertices(
    snugBody* body, const char* positions, size_t stride, uint32_t first, uint32_t count)
{
	if (!AllFinite(positions, stride, count))
	{
		return sgFail(&body->messenger, snug_badInput, "a vertex among %u to %u is not finite or too large", first,
		    first + count - 1);
	}
	const uint32_t* place = GetData(body->model).vertexPlace + first;
	float* pose = body->pose;
	for (uint32_t i = 0; i < count; ++i)
	{
		memcpy(pose + 3 * (size_t)place[i], positions + i * stride, 3 * sizeof(float));
	}
	InvalidateVertices(body, first, count);
	return snug_success;
}

snugStatus snugBody_SetVertices(snugBody* body, const float* positions, size_t stride, uint32_t first, uint32_t count)
{
	SG_REQUIRE(body != NULL && (positions != NULL || count == 0), snug_badArgument);
	SG_REQUIRE(body->model->deformer == snug_free, snug_badArgument);
	stride = sgStride(stride, 3 * sizeof(float));
	SG_REQUIRE(stride != 0, snug_badArgument);
	uint32_t vertexCount = body->model->tree.vertexCount;
	if (first > vertexCount || count > vertexCount - first)
	{
		return sgFail(&body->messenger, snug_badInput, "vertices %u and %u more are set, but there are only %u", first,
		    count, vertexCount);
	}
	if (count == 0)
	{
		return snug_success;
	}
	sgFpEnv environment = sgFpEnv_Enter();
	snugStatus status = SetVertices(body, (const char*)positions, stride, first, count);
	sgFpEnv_Leave(environment);
	return status;
}
