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

void sgSkin_ListArrays(
    const snugModel* model, const sgBlendHeader* blend, const sgSkinHeader* header, sgArray list[SG_SKIN_ARRAYS])
{
	uint64_t joints = blend->transformCount;
	static const char noJoint[] = "a joint of a joint set does not exist", noSet[] = "a joint set does not exist";
	const sgArray arrays[SG_SKIN_ARRAYS] = {
		{ SG_ARRAY(sgSkin, jointPositions, 3 * joints), sgElements_floats, (double)SNUG_MAX_COORDINATE,
		    "a joint's position is wrong" },
		{ SG_ARRAY(sgSkin, setOf, model->tree.vertexCount), sgElements_index, header->setCount, noSet },
		{ SG_ARRAY(sgSkin, sets, header->setCount) },
		{ SG_ARRAY(sgSkin, members, header->memberCount), sgElements_index, (double)joints, noJoint },
		{ SG_ARRAY(sgSkin, pairs, header->pairCount) },
		{ SG_ARRAY(sgSkin, setPairs, header->setPairCount), sgElements_index, header->pairCount,
		    "a pair of joints does not exist" },
		{ SG_ARRAY(sgSkin, edges, header->edgeCount) },
		{ SG_ARRAY(sgSkin, blockSets, (uint64_t)blend->rows.blocks * SG_LANES), sgElements_index, header->setCount,
		    noSet },
		{ SG_ARRAY(sgSkin, nodeSets, blend->jointSetCount), sgElements_index, header->setCount, noSet },
	};
	memcpy(list, arrays, sizeof(arrays));
}

size_t sgSkin_Bytes(const snugModel* model, const sgBlendHeader* blend, const sgSkinHeader* header)
{
	sgArray list[SG_SKIN_ARRAYS];
	sgSkin_ListArrays(model, blend, header, list);
	return sgArrays_Bytes(sizeof(*header), list, SG_SKIN_ARRAYS);
}

sgSkin sgSkin_Bind(const snugModel* model, const void* data)
{
	sgSkin skin = { .blend = sgBlend_Bind(model, data) };
	const char* start = (const char*)data + sgBlend_Bytes(model, skin.blend.header);
	skin.header = (const void*)start;
	sgArray list[SG_SKIN_ARRAYS];
	sgSkin_ListArrays(model, skin.blend.header, skin.header, list);
	sgArrays_Bind(sizeof(sgSkinHeader), list, SG_SKIN_ARRAYS, start, &skin);
	return skin;
}

sgSkin sgSkin_Get(const snugModel* model)
{
	return sgSkin_Bind(model, model->deformData);
}

double sgSkin_Roundings(uint32_t maxInfluences)
{
	return SG_MARGIN_TURNS(maxInfluences);
}

static void Describe(const snugModel* model, snugModelInfo* info)
{
	const sgBlendHeader* header = model->deformData;
	info->jointCount = header->transformCount;
	info->maxInfluences = header->rows.most;
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

static void EvaluateCluster(const sgPosed* posed, uint32_t cluster, float* out)
{
	const sgSkinView* view = posed->derived;
	const sgClusters* clusters = &posed->model->clusters;
	const sgCluster* own = clusters->clusters + cluster;
	if (view->pose->isAligned)
	{
		const sgFields* fields = view->fields;
		const sgBlock* moved = view->morph != NULL ? fields->rows.blocks + fields->rows.firstBlocks[cluster] : NULL;
		uint32_t first = view->skin->blend.rows.firstBlocks[cluster];
		sgSkin_GetKernels()->evaluateBlocks(view, first, moved, own->vertexCount, out);
		return;
	}
	sgSkin_GetKernels()->evaluate(view, clusters->vertices + own->firstVertex, own->vertexCount, out);
}

// ---- Bounds ----------------------------------------------------------------------------------------------------

// A node that no formula bounds, by looking at all vertices below it: what happens where quaternions cancel, and costs
// what it costs.
static void BoundByVertices(
    const snugModel* model, const sgSkinView* view, uint32_t slot, sgBoundsOut out, uint32_t lane)
{
	const sgTree* tree = &model->tree;
	snugVolume volume = (snugVolume)view->skin->blend.header->volume;
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
		morph = sgMorph_Bound(view->fields, view->morph, set.group, &room) ? &room : NULL;
	}
	if (view->skin->header->pairCount > 0)
	{
		uint32_t parent = posed->model->tree.nodes[set.group * SG_LANES + set.first].parent;
		uint32_t family = parent == SG_NONE ? 0 : view->skin->blend.familyOfParent[parent];
		left = sgSkin_GetKernels()->bound(view, view->skin->blend.families + family, morph, set.mask, out);
	}
	for (; left != 0; left &= left - 1)
	{
		uint32_t lane = sgLowestBit(left);
		if (view->skin->header->pairCount == 0 &&
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
	.fits = sgBlend_Fits,
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
	.bound = Bound,
	.boundsLeaves = BoundsLeaves,
	.volume = Volume,
};

const sgDeform sgDeform_dualQuaternion = {
	.name = "dual quaternion",
	.build = sgBlend_Build,
	.fits = sgBlend_Fits,
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
	.bound = Bound,
	.boundsLeaves = BoundsLeaves,
	.volume = Volume,
};
