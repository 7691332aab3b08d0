// src/deform/skin.c: spherical and dual quaternion skins as deformers. See skin.h.
#include "deform/skin.h"

#include "deform/blend_build.h"
#include "deform/deform.h"
#include "deform/skin_build.h"
#include "deform/skin_kernels.h"
#include "geometry/frame.h"
#include "geometry/margins.h"

#include <math.h>
#include <string.h>

size_t sgSkin_Layout(const snugModel* model, const sgBlendHeader* blend, sgSkinHeader* header)
{
	const uint64_t sizes[SG_SKIN_ARRAYS] = {
		3 * (uint64_t)blend->transformCount * sizeof(float),
		(uint64_t)model->tree.vertexCount * sizeof(uint32_t),
		(uint64_t)header->setCount * sizeof(sgSkinSet),
		(uint64_t)header->memberCount * sizeof(uint16_t),
		(uint64_t)header->pairCount * sizeof(sgSkinPair),
		(uint64_t)header->setPairCount * sizeof(uint16_t),
		(uint64_t)header->edgeCount * sizeof(sgSkinPair),
		(uint64_t)blend->blockCount * SG_LANES * sizeof(uint32_t),
		(uint64_t)blend->jointSetCount * sizeof(uint32_t),
	};
	return sgPlaceArrays(sizeof(sgSkinHeader), sizes, SG_SKIN_ARRAYS, header->offsets);
}

sgSkin sgSkin_Get(const snugModel* model)
{
	sgBlend blend = sgBlend_Get(model);
	const char* start = (const char*)model->deformData + (size_t)blend.header->skinPlace * SG_ALIGNMENT;
	const sgSkinHeader* header = (const void*)start;
	const uint64_t* offsets = header->offsets;
	return (sgSkin){
		.blend = blend,
		.header = header,
		.jointPositions = (const void*)(start + offsets[0]),
		.setOf = (const void*)(start + offsets[1]),
		.sets = (const void*)(start + offsets[2]),
		.members = (const void*)(start + offsets[3]),
		.pairs = (const void*)(start + offsets[4]),
		.setPairs = (const void*)(start + offsets[5]),
		.edges = (const void*)(start + offsets[6]),
		.blockSets = (const void*)(start + offsets[7]),
		.nodeSets = (const void*)(start + offsets[8]),
	};
}

double sgSkin_Roundings(uint32_t maxInfluences)
{
	return SG_MARGIN_TURNS(maxInfluences);
}

static void Describe(const snugModel* model, snugModelInfo* info)
{
	const sgBlendHeader* header = model->deformData;
	info->jointCount = header->transformCount;
	info->maxInfluences = header->maxInfluences;
	uint64_t morph = sgMorph_FindData(model);
	const sgFieldsHeader* fields = (const void*)((const char*)model->deformData + morph);
	info->fieldCount = morph != 0 ? fields->fieldCount : 0;
}

static void Bind(const snugModel* model, void* arrays)
{
	*(sgSkinArrays*)arrays = (sgSkinArrays){
		.skin = sgSkin_Get(model),
		.morph = sgMorph_Bind(model, sgSkin_JointBytes(model)),
	};
}

static size_t PoseBytes(const snugModel* model)
{
	return sgSkin_JointBytes(model) + sgMorph_PoseBytes(model);
}

static void Evaluate(const sgPosed* posed, const uint32_t* vertices, uint32_t count, float* out)
{
	sgSkin_GetKernels()->evaluate(posed->derived, vertices, count, out);
}

static void EvaluateFirst(const sgPosed* posed, uint32_t cluster, uint32_t count, float* out)
{
	const sgSkinView* view = posed->derived;
	const sgClusters* clusters = &posed->model->clusters;
	if (view->pose->isAligned)
	{
		const sgFields* fields = &view->fields;
		const sgFieldsBlock* moved = view->morph != NULL ? fields->blocks + fields->firstBlocks[cluster] : NULL;
		uint32_t first = view->skin.blend.firstBlocks[cluster];
		sgSkin_GetKernels()->evaluateBlocks(view, first, moved, count, out);
		return;
	}
	sgSkin_GetKernels()->evaluate(view, clusters->vertices + clusters->clusters[cluster].firstVertex, count, out);
}

static void EvaluateCluster(const sgPosed* posed, uint32_t cluster, float* out)
{
	EvaluateFirst(posed, cluster, posed->model->clusters.clusters[cluster].vertexCount, out);
}

static void EvaluateOwn(const sgPosed* posed, uint32_t cluster, float* out)
{
	EvaluateFirst(posed, cluster, posed->model->clusters.clusters[cluster].ownCount, out);
}

// ---- Bounds ----------------------------------------------------------------------------------------------------

// A node that no formula bounds, by looking at all vertices below it: what happens where quaternions cancel, and costs
// what it costs.
static void BoundByVertices(
    const snugModel* model, const sgSkinView* view, uint32_t slot, sgBoundsOut out, uint32_t lane)
{
	const sgTree* tree = &model->tree;
	snugVolume volume = (snugVolume)view->skin.blend.header->volume;
	uint32_t slabs = sgVolume_IsDop(volume) ? sgVolume_ExtraSlabs(volume) : 0;
	float positions[3 * SG_MAX_LEAF_VERTICES + 1], lower[SG_MAX_EXTRA_SLABS], upper[SG_MAX_EXTRA_SLABS];
	static const uint32_t upwards[SG_MAX_LEAF_VERTICES] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
		17, 18, 19, 20, 21, 22, 23 };
	for (uint32_t i = 0; i < slabs; ++i)
	{
		lower[i] = INFINITY;
		upper[i] = -INFINITY;
	}
	sgBox box = sgBox_Empty();
	sgLeafRange range = sgTree_LeavesBelow(tree, slot);
	for (uint32_t l = range.first; l <= range.last; ++l)
	{
		const sgLeaf* leaf = tree->leaves + l;
		sgSkin_GetKernels()->evaluate(view, tree->leafVertices + leaf->firstVertex, leaf->vertexCount, positions);
		for (uint32_t v = 0; v < leaf->vertexCount; ++v)
		{
			sgBox_AddPoint(&box, positions + 3 * (size_t)v);
		}
		if (slabs > 0)
		{
			sgVolume_BoundPoints(volume, positions, upwards, leaf->vertexCount, out, lane);
		}
		for (uint32_t i = 0; i < slabs; ++i)
		{
			lower[i] = fminf(lower[i], out.extra[i].lower[lane]);
			upper[i] = fmaxf(upper[i], out.extra[i].upper[lane]);
		}
	}
	for (uint32_t i = 0; i < slabs; ++i)
	{
		out.extra[i].lower[lane] = lower[i];
		out.extra[i].upper[lane] = upper[i];
	}
	sgBoxLanes_Set(out.boxes, lane, &box);
	if (volume == snug_volumeBall)
	{
		sgBallLanes* balls = (sgBallLanes*)(void*)out.extra;
		double sum = 0.0;
		for (int k = 0; k < 3 && !sgBox_IsEmpty(&box); ++k)
		{
			double center = (double)sgRoundNearest(0.5 * ((double)box.lower[k] + (double)box.upper[k]));
			double half = fmax((double)box.upper[k] - center, center - (double)box.lower[k]);
			balls->center[k][lane] = (float)center;
			sum += half * half;
		}
		balls->radius[lane] = sgRoundUp(sqrt(sum) * (1.0 + 0x1p-40));
	}
}

static void Bound(const sgPosed* posed, sgLaneSet set, sgBoundsOut out)
{
	const sgSkinView* view = posed->derived;
	uint32_t left = set.mask;
	sgMorphLanes room;
	const sgMorphLanes* morph = NULL;
	if (view->morph != NULL)
	{
		morph = sgMorph_Bound(&view->fields, view->morph, set.group, &room) ? &room : NULL;
	}
	if (view->skin.header->pairCount > 0)
	{
		uint32_t parent = posed->model->tree.nodes[set.group * SG_LANES + set.first].parent;
		uint32_t family = parent == SG_NONE ? 0 : view->skin.blend.familyOfParent[parent];
		left = sgSkin_GetKernels()->bound(view, view->skin.blend.families + family, morph, set.mask, out);
	}
	for (; left != 0; left &= left - 1)
	{
		uint32_t lane = sgLowestBit(left);
		if (view->skin.header->pairCount == 0 &&
		    sgSkin_BoundBySets(view, morph, set.group * SG_LANES + lane, out, lane))
		{
			continue;
		}
		BoundByVertices(posed->model, view, set.group * SG_LANES + lane, out, lane);
	}
}

static bool BoundsLeaves(const snugModel* model)
{
	const sgBlendHeader* header = model->deformData;
	return header->boundLeaves != 0;
}

static snugVolume Volume(const snugModel* model)
{
	const sgBlendHeader* header = model->deformData;
	return (snugVolume)header->volume;
}

// ---- Deformers -------------------------------------------------------------------------------------------------

const sgDeform sgDeform_spherical = {
	.name = "spherical",
	.build = sgBlend_Build,
	.check = sgBlend_Check,
	.bind = Bind,
	.arrayBytes = sizeof(sgSkinArrays),
	.describe = Describe,
	.inputs = 1u << sgPose_joints | 1u << sgPose_jointColumns | 1u << sgPose_amplitudes,
	.poseBytes = PoseBytes,
	.setPose = sgSkin_SetPose,
	.derivedBytes = sgSkin_DerivedBytes,
	.derive = sgSkin_Derive,
	.evaluate = Evaluate,
	.evaluateCluster = EvaluateCluster,
	.evaluateOwn = EvaluateOwn,
	.bound = Bound,
	.boundsLeaves = BoundsLeaves,
	.volume = Volume,
};

const sgDeform sgDeform_dualQuaternion = {
	.name = "dual quaternion",
	.build = sgBlend_Build,
	.check = sgBlend_Check,
	.bind = Bind,
	.arrayBytes = sizeof(sgSkinArrays),
	.describe = Describe,
	.inputs = 1u << sgPose_joints | 1u << sgPose_jointColumns | 1u << sgPose_amplitudes,
	.poseBytes = PoseBytes,
	.setPose = sgSkin_SetPose,
	.derivedBytes = sgSkin_DerivedBytes,
	.derive = sgSkin_Derive,
	.evaluate = Evaluate,
	.evaluateCluster = EvaluateCluster,
	.evaluateOwn = EvaluateOwn,
	.bound = Bound,
	.boundsLeaves = BoundsLeaves,
	.volume = Volume,
};
