// src/deform/skin/turning.c: spherical and dual quaternion skins as deformers. See turning.h.
#include "deform/skin/turning.h"

#include "deform/deform.h"
#include "deform/skin/skins.h"
#include "deform/skin/turning_kernels.h"

#include <string.h>

void sgTurning_ListArrays(
    const snugModel* model, const sgLinearHeader* blend, const sgTurningHeader* header, sgArray list[SG_SKIN_ARRAYS])
{
	uint64_t joints = blend->transformCount;
	static const char noJoint[] = "a joint of a joint set does not exist", noSet[] = "a joint set does not exist";
	const sgArray arrays[SG_SKIN_ARRAYS] = {
		{ SG_ARRAY(sgTurning, jointPositions, 3 * joints), sgElements_floats, (double)SNUG_MAX_COORDINATE,
		    "a joint's position is wrong" },
		{ SG_ARRAY(sgTurning, setOf, model->tree.vertexCount), sgElements_index, header->setCount, noSet },
		{ SG_ARRAY(sgTurning, sets, header->setCount) },
		{ SG_ARRAY(sgTurning, members, header->memberCount), sgElements_index, (double)joints, noJoint },
		{ SG_ARRAY(sgTurning, pairs, header->pairCount) },
		{ SG_ARRAY(sgTurning, setPairs, header->setPairCount), sgElements_index, header->pairCount,
		    "a pair of joints does not exist" },
		{ SG_ARRAY(sgTurning, edges, header->edgeCount) },
		{ SG_ARRAY(sgTurning, blockSets, (uint64_t)blend->rows.blocks * SG_LANES), sgElements_index, header->setCount,
		    noSet },
	};
	memcpy(list, arrays, sizeof(arrays));
}

size_t sgTurning_Bytes(const snugModel* model, const sgLinearHeader* blend, const sgTurningHeader* header)
{
	sgArray list[SG_SKIN_ARRAYS];
	sgTurning_ListArrays(model, blend, header, list);
	return sgArrays_Bytes(sizeof(*header), list, SG_SKIN_ARRAYS);
}

sgTurning sgTurning_Bind(const snugModel* model, const void* data)
{
	sgTurning skin = { .blend = sgLinear_Bind(model, data) };
	const char* start = (const char*)data + sgLinear_Bytes(model, skin.blend.header);
	skin.header = (const void*)start;
	sgArray list[SG_SKIN_ARRAYS];
	sgTurning_ListArrays(model, skin.blend.header, skin.header, list);
	sgArrays_Bind(sizeof(sgTurningHeader), list, SG_SKIN_ARRAYS, start, &skin);
	return skin;
}

sgTurning sgTurning_Get(const snugModel* model)
{
	return sgTurning_Bind(model, model->deformData);
}

size_t sgTurning_End(const snugModel* model)
{
	const sgLinearHeader* blend = model->deformData;
	size_t end = sgLinear_Bytes(model, blend);
	return end + sgTurning_Bytes(model, blend, (const void*)((const char*)model->deformData + end));
}

static void Describe(const snugModel* model, sgContents* contents)
{
	sgSkin_Describe(model, sgTurning_End(model), contents);
	contents->jointPositions = sgTurning_Get(model).jointPositions;
}

static void Bind(const snugModel* model, void* arrays)
{
	*(sgTurningArrays*)arrays = (sgTurningArrays){
		.skin = sgTurning_Get(model),
		.morph = sgMorph_Bind(model, sgTurning_End(model), sgTurning_JointBytes(model)),
	};
}

static size_t PoseBytes(const snugModel* model)
{
	return sgTurning_JointBytes(model) + sgMorph_PoseBytes(model, sgTurning_End(model));
}

static void Evaluate(const sgPosed* posed, const uint32_t* vertices, uint32_t count, float* out)
{
	sgTurning_GetKernels()->evaluate(posed->derived, vertices, count, out);
}

static void EvaluateCluster(const sgPosed* posed, uint32_t cluster, float* out)
{
	const sgTurningView* view = posed->derived;
	const sgClusters* clusters = &posed->model->clusters;
	const sgCluster* own = clusters->clusters + cluster;
	if (view->pose->isAligned)
	{
		sgDisplacing moved;
		if (view->morph != NULL)
		{
			moved = sgFields_Displacing(view->fields, view->morph, posed->displaced, cluster);
		}
		uint32_t first = view->skin->blend.rows.firstBlocks[cluster];
		sgTurning_GetKernels()->evaluateBlocks(view, first, view->morph != NULL ? &moved : NULL, own->vertexCount, out);
		return;
	}
	sgTurning_GetKernels()->evaluate(view, clusters->vertices + own->firstVertex, own->vertexCount, out);
}

static size_t DisplacedBytes(const snugModel* model)
{
	const sgTurningArrays* arrays = model->arrays;
	return sgMorph_DisplacedBytes(&arrays->morph, model);
}

static void Displace(const snugModel* model, const void* const poses[SG_TOGETHER], sgLaneFloats* const out[SG_TOGETHER])
{
	const sgTurningArrays* arrays = model->arrays;
	sgMorph_Displace(&arrays->morph, model, poses, out);
}

// ---- Bounds ----------------------------------------------------------------------------------------------------

// A node that no formula bounds, by looking at all vertices below it: where quaternions cancel, and in models that have
// too many pairs of joints. Slow, but always possible.
static void BoundByVertices(
    const snugModel* model, const sgTurningView* view, uint32_t slot, sgBoxLanes* out, uint32_t lane)
{
	const sgTree* tree = &model->tree;
	sgBox box = sgBox_Empty();
	float positions[3 * SG_MAX_LEAF_VERTICES + 1];
	sgLeafRange range = sgTree_LeavesBelow(tree, slot);
	for (uint32_t l = range.first; l <= range.last; ++l)
	{
		const sgLeaf* leaf = tree->leaves + l;
		sgTurning_GetKernels()->evaluate(view, tree->leafVertices + leaf->firstVertex, leaf->vertexCount, positions);
		for (uint32_t i = 0; i < leaf->vertexCount; ++i)
		{
			sgBox_AddPoint(&box, positions + 3 * (size_t)i);
		}
	}
	sgBoxLanes_Set(out, lane, &box);
}

// Returns lanes that have no bound.
static uint32_t BoundByPairs(const sgPosed* posed, const sgMorphLanes* morph, sgLaneSet set, sgBoxLanes* out)
{
	const sgTurningView* view = posed->derived;
	const sgLinear* blend = &view->skin->blend;
	const sgTree* tree = &posed->model->tree;
	const sgLinearFamily* family = sgSkin_FamilyOf(blend, set);
	uint32_t left = 0;
	if (!family->isAcross)
	{
		return sgTurning_GetKernels()->bound(view, family, morph, set.mask, out);
	}
	for (uint32_t rest = set.mask; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		const sgLinearFamily* own = sgSkin_RecordOf(tree, family, set, lane);
		bool isFound = sgTurning_GetKernels()->boundAlone(view, own, morph, lane, out);
		left |= (uint32_t)!isFound << lane;
	}
	return left;
}

static void Bound(const sgPosed* posed, sgLaneSet set, sgBoxLanes* out)
{
	const sgTurningView* view = posed->derived;
	uint32_t left = set.mask;
	sgMorphLanes room;
	const sgMorphLanes* morph = NULL;
	if (view->morph != NULL)
	{
		morph = sgMorph_Bound(view->fields, view->morph, set.group, &room) ? &room : NULL;
	}
	if (view->skin->header->pairCount > 0)
	{
		left = BoundByPairs(posed, morph, set, out);
	}
	for (; left != 0; left &= left - 1)
	{
		uint32_t lane = sgLowestBit(left);
		BoundByVertices(posed->model, view, set.group * SG_LANES + lane, out, lane);
	}
}

static void Reach(const sgPosed* posed, float reach[3])
{
	const sgTurningPose* pose = posed->pose;
	reach[0] = reach[1] = reach[2] = pose->reach;
}

// ---- Deformers -------------------------------------------------------------------------------------------------

// The same for both: what is different about them, poses ask the model.
#define TURNING_SKIN(text, how)                                                                                      \
	{                                                                                                                \
		.name = (text), .deformer = snug_skin, .blending = (how), .build = sgTurning_Build, .fits = sgTurning_Fits,  \
		.check = sgTurning_Check, .bind = Bind, .arrayBytes = sizeof(sgTurningArrays), .describe = Describe,         \
		.inputs = 1u << sgPose_joints | 1u << sgPose_jointColumns | 1u << sgPose_amplitudes, .poseBytes = PoseBytes, \
		.setPose = sgTurning_SetPose, .derivedBytes = sgTurning_DerivedBytes, .derive = sgTurning_Derive,            \
		.evaluate = Evaluate, .evaluateCluster = EvaluateCluster, .displacedBytes = DisplacedBytes,                  \
		.displace = Displace, .bound = Bound, .reach = Reach,                                                        \
	}

const sgDeform sgDeform_spherical = TURNING_SKIN("spherical", snug_blendSpherical);
const sgDeform sgDeform_dualQuaternion = TURNING_SKIN("dual quaternion", snug_blendDualQuaternion);
