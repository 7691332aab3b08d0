// src/deform/skin/blend.c: evaluation and poses of blend models. See blend.h.
#include "deform/skin/blend.h"

#include "deform/deform.h"
#include "deform/skin/blend_kernels.h"
#include "deform/skin/skins.h"
#include "geometry/frame.h"
#include "geometry/margins.h"

#include <math.h>
#include <string.h>

// Evaluation of a vertex with n influences rounds n + 6 times at most, its weights sum to 1 within n + 1 roundings,
// and rows along the directions of a k-DOP are rounded once.
double sgBlend_Roundings(uint32_t maxInfluences)
{
	return SG_MARGIN_INFLUENCE * maxInfluences + SG_MARGIN_EVALUATION;
}

// Without the amplitudes of morph targets.
static size_t JointBytes(const sgBlendHeader* header)
{
	size_t floats = 16 * (size_t)header->transformCount * (1 + sgBlend_DopBlocks((snugVolume)header->volume));
	floats += 12 * SG_LANES * (size_t)sgBlend_BlockCount(header->transformCount);
	size_t stretches = header->bound == snug_boundCorners ? header->transformCount : 0;
	return sgAlignUp(sizeof(sgBlendPose) + floats * sizeof(float) + stretches * sizeof(double), SG_ALIGNMENT);
}

static size_t PoseBytes(const snugModel* model)
{
	return JointBytes(model->deformData) + sgMorph_PoseBytes(model, sgBlend_Bytes(model, model->deformData));
}

static void Describe(const snugModel* model, sgContents* contents)
{
	sgSkins_Describe(model, sgBlend_Bytes(model, model->deformData), contents);
}

static void Bind(const snugModel* model, void* arrays)
{
	*(sgBlendArrays*)arrays = (sgBlendArrays){
		.blend = sgBlend_Get(model),
		.morph = sgMorph_Bind(model, sgBlend_Bytes(model, model->deformData), JointBytes(model->deformData)),
	};
}

// What rounding adds to a bound is a multiple of the reach. It is a sum of four products in float32, each off by a few
// 2^-24. The last term covers the absolute errors of subnormal products: see docs/bounds.md. Along a direction of a
// k-DOP the errors of the axes add up.
static void SetReach(sgBlendPose* pose, const sgBlendHeader* header, const float rest[3], const float reach[3])
{
	double sum = 1.0 + (double)rest[0] + (double)rest[1] + (double)rest[2];
	double raised[3];
	for (int axis = 0; axis < 3; ++axis)
	{
		raised[axis] = (double)reach[axis] * (1.0 + SG_MARGIN_REACH) + SG_MARGIN_UNDERFLOW * sum * sum;
		pose->reach[axis] = sgRoundUp(raised[axis]);
	}
	snugVolume volume = (snugVolume)header->volume;
	for (uint32_t i = 0; sgVolume_IsDop(volume) && i < sgVolume_ExtraSlabs(volume); ++i)
	{
		const float* direction = sgVolume_Directions(volume)[i];
		double along = 0.0;
		for (int axis = 0; axis < 3; ++axis)
		{
			along += fabs((double)direction[axis]) * raised[axis];
		}
		pose->reach[3 + i] = sgRoundUp(along * (1.0 + SG_MARGIN_DOP_REACH));
	}
}

// No vertex moves farther along any axis than one of its transforms carries it, since their weights sum to 1, within
// rounding; `change` is the most that any carries any of what it moves, itself off by a few roundings of terms below
// the reach; and both positions are off by their own rounding, which is (2 n + 9) 2^-24 of the reach at most.
static double BoundMotion(
    const sgBlendHeader* header, const sgBlendPose* before, const sgBlendPose* after, float change)
{
	double reach = 0.0;
	for (int axis = 0; axis < 3; ++axis)
	{
		reach = fmax(reach, (double)before->reach[axis] + (double)after->reach[axis]);
	}
	double weights = 1.0 + (header->rows.most + 1.0) * 0x1p-24;
	double roundings = sgBlend_Roundings(header->rows.most) + SG_MARGIN_MOTION;
	return (double)change * weights + SG_MARGIN_SQUARES * roundings * 0x1p-24 * reach;
}

// Rows of a matrix along the directions of a k-DOP, rounded once.
static void SetSlabs(float* slabs, const float matrix[12], snugVolume volume)
{
	memset(slabs, 0, 16 * sgBlend_DopBlocks(volume) * sizeof(float));
	for (uint32_t i = 0; i < sgVolume_ExtraSlabs(volume); ++i)
	{
		const float* direction = sgVolume_Directions(volume)[i];
		for (int k = 0; k < 4; ++k)
		{
			double sum = 0.0;
			for (int axis = 0; axis < 3; ++axis)
			{
				sum += (double)direction[axis] * (double)matrix[4 * axis + k];
			}
			slabs[16 * (i / 4) + 4 * (uint32_t)k + i % 4] = (float)sum;
		}
	}
}

static void Evaluate(const sgPosed* posed, const uint32_t* vertices, uint32_t count, float* out)
{
	const sgBlendArrays* arrays = posed->model->arrays;
	const float *columns = sgBlendPose_Columns(posed->pose), *positions = posed->model->positions;
	const sgFieldsPose* amplitudes = sgMorph_Active(&arrays->morph, posed->pose);
	if (amplitudes == NULL)
	{
		sgBlend_GetKernels()->evaluate(&arrays->blend, columns, positions, vertices, count, out);
		return;
	}
	for (uint32_t done = 0; done < count; done += SG_LANES)
	{
		float moved[3 * SG_LANES + 1], placed[3 * SG_LANES + 1];
		uint32_t left = count - done, these = left < SG_LANES ? left : SG_LANES;
		sgFields_Evaluate(&arrays->morph.fields, amplitudes, positions, vertices + done, these, moved);
		sgBlend_GetKernels()->evaluateMoved(&arrays->blend, columns, moved, vertices + done, these, placed);
		memcpy(out + 3 * (size_t)done, placed, 3 * (size_t)these * sizeof(float));
	}
}

static void EvaluateCluster(const sgPosed* posed, uint32_t cluster, float* out)
{
	const sgBlendArrays* arrays = posed->model->arrays;
	const sgBlend* blend = &arrays->blend;
	uint32_t count = posed->model->clusters.clusters[cluster].vertexCount;
	const float* columns = sgBlendPose_Columns(posed->pose);
	const sgFieldsPose* amplitudes = sgMorph_Active(&arrays->morph, posed->pose);
	if (amplitudes == NULL)
	{
		sgBlend_GetKernels()->evaluateBlocks(blend, blend->rows.firstBlocks[cluster], count, columns, out);
		return;
	}
	const sgFields* fields = &arrays->morph.fields;
	sgBlend_GetKernels()->evaluateMovedBlocks(blend, blend->rows.firstBlocks[cluster], count, columns, fields,
	    fields->rows.blocks + fields->rows.firstBlocks[cluster], sgFieldsPose_Amplitudes(amplitudes), out);
}

// Inner nodes of a set from any pose: that of the body, or one that is turned.
static void BoundFrom(const sgPosed* posed, const sgBlendPose* pose, sgLaneSet set, sgBoundsOut out)
{
	const sgTree* tree = &posed->model->tree;
	const sgBlendArrays* arrays = posed->model->arrays;
	const sgBlend* blend = &arrays->blend;
	sgMorphLanes room;
	const sgMorphLanes* morph = NULL;
	const sgFieldsPose* amplitudes = sgMorph_Active(&arrays->morph, posed->pose);
	if (amplitudes != NULL)
	{
		morph = sgMorph_Bound(&arrays->morph.fields, amplitudes, set.group, &room) ? &room : NULL;
	}
	if (blend->header->bound == snug_boundCorners)
	{
		sgCorners_Bound(blend, pose, morph, set, out);
		return;
	}
	const sgBlendFamily* family = sgSkins_FamilyOf(blend, tree, set);
	if (!family->isAcross)
	{
		sgBlend_GetKernels()->bound(blend, family, pose, morph, set.mask, out);
		return;
	}
	for (uint32_t rest = set.mask; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		const sgBlendFamily* own = sgSkins_RecordOf(blend, tree, family, set, lane);
		sgBlend_GetKernels()->boundAlone(blend, own, pose, morph, lane, out);
	}
}

static void Bound(const sgPosed* posed, sgLaneSet set, sgBoundsOut out)
{
	BoundFrom(posed, posed->pose, set, out);
}

// A pose T' = R T in float32, as far as one family needs it. Let u = 2^-24, n the most influences, q = roundings(n),
// and S_i the sum of |R_im| reach_m. An entry of T' is off by 5 u of the sum of |R| |T|: factors of R are rounded,
// three products and two sums. So S, raised by far more than that, is a reach of T', and exact blends of T' and of R T
// differ by 5 u S_i. Bounds from T' contain positions evaluated from T', which are within q u S_i of exact blends of
// T'. Those evaluated from T are within q u reach_m of exact blends of T per axis, hence turned within q u S_i of exact
// blends of R T. Together (2 q + 5) u S_i. What products below the normal range lose is in the reach already.
static bool BoundTurned(
    const sgPosed* posed, const double rotation[3][3], sgLaneSet set, void* room, sgBoxLanes* boxes, double slack[3])
{
	const sgBlendArrays* arrays = posed->model->arrays;
	const sgBlend* blend = &arrays->blend;
	const sgBlendHeader* header = blend->header;
	const sgBlendPose* pose = posed->pose;
	sgBlendPose* turned = room;
	if (header->volume != snug_volumeBox || header->bound == snug_boundCorners)
	{
		return false;
	}
	float factors[3][3];
	double units = SG_MARGIN_SQUARES * 0x1p-24;
	for (int i = 0; i < 3; ++i)
	{
		double reach = 0.0;
		for (int m = 0; m < 3; ++m)
		{
			reach += fabs(rotation[i][m]) * (double)pose->reach[m];
			factors[i][m] = (float)rotation[i][m];
		}
		turned->reach[i] = sgRoundUp(reach * (1.0 + SG_MARGIN_REACH));
		double roundings = 2.0 * sgBlend_Roundings(header->rows.most) + SG_MARGIN_TURNED_ENTRIES;
		slack[i] = units * roundings * (double)turned->reach[i];
	}
	uint32_t count = header->transformCount;
	const sgBlendFamily* family = sgSkins_FamilyOf(blend, &posed->model->tree, set);
	if (family->isAcross)
	{
		sgBlend_GetKernels()->turnAcross(sgBlendPose_Across(pose, count), sgBlend_BlockCount(count),
		    (const float(*)[3])factors, sgBlendPose_Across(turned, count));
	}
	else
	{
		sgBlend_GetKernels()->turnColumns(sgBlendPose_Columns(pose), blend->entryTransforms + family->firstEntry,
		    family->entryCount, (const float(*)[3])factors, sgBlendPose_Columns(turned));
	}
	BoundFrom(posed, turned, set, (sgBoundsOut){ boxes, NULL });
	return true;
}

// ---- Poses -----------------------------------------------------------------------------------------------------

// Everything about a pose that is stored transform by transform, in their own order: matrices are read as they come.
static void StoreMatrices(const sgBlendHeader* header, const sgPoseInput* input, sgBlendPose* pose)
{
	snugVolume volume = (snugVolume)header->volume;
	uint32_t blocks = sgBlend_DopBlocks(volume);
	float* slabs = sgBlendPose_Slabs(pose, header->transformCount);
	double* stretches = sgBlendPose_Stretches(pose, header->transformCount);
	for (uint32_t first = 0; first < header->transformCount; first += SG_LANES)
	{
		float room[SG_LANES][12];
		const float* matrices[SG_LANES];
		uint32_t left = header->transformCount - first, count = left < SG_LANES ? left : SG_LANES;
		for (uint32_t i = 0; i < count; ++i)
		{
			matrices[i] = sgPoseInput_Matrix(input, first + i, room[i]);
			if (blocks > 0)
			{
				SetSlabs(slabs + 16 * (size_t)blocks * (first + i), matrices[i], volume);
			}
			if (header->bound == snug_boundCorners)
			{
				stretches[first + i] = sgCorners_Stretch(matrices[i]);
			}
		}
		sgBlend_GetKernels()->storeColumns(matrices, count, sgBlendPose_Columns(pose) + 16 * (size_t)first);
	}
}

// Fill in a pose from matrices, and by how much any vertex may have moved since `before`, unless that is null.
// SG_NONE if all is well, or some transform that is not finite or reaches too far.
// `rest` is how far vertices reach before the transforms, per axis.
static uint32_t MakePose(const sgBlend* blend, const sgPoseInput* input, const float rest[3], const sgBlendPose* before,
    sgBlendPose* pose, double* motion)
{
	const sgBlendHeader* header = blend->header;
	float reach[3] = { 0.0f, 0.0f, 0.0f }, most = 0.0f;
	static const float zero[16] = { 0.0f };
	StoreMatrices(header, input, pose);
	for (uint32_t first = 0; first < header->transformCount; first += SG_LANES)
	{
		const float* columns[SG_LANES];
		for (uint32_t lane = 0; lane < SG_LANES; ++lane)
		{
			bool isThere = first + lane < header->transformCount;
			columns[lane] = isThere ? sgBlendPose_Columns(pose) + 16 * (size_t)blend->across[first + lane] : zero;
		}
		float* across = sgBlendPose_Across(pose, header->transformCount) + 12 * (size_t)first;
		uint32_t bad = sgBlend_GetKernels()->putAcross(columns, rest, SG_BLEND_LIMIT, across, reach);
		if (bad != 0)
		{
			return blend->across[first + sgLowestBit(bad)];
		}
		if (before != NULL)
		{
			const float* old = sgBlendPose_Across(before, header->transformCount) + 12 * (size_t)first;
			most = fmaxf(most, sgBlend_GetKernels()->findMotion(old, across, blend->moved + first / SG_LANES));
		}
	}
	SetReach(pose, header, rest, reach);
	*motion = before != NULL ? BoundMotion(header, before, pose, most) : INFINITY;
	return SG_NONE;
}

/// How far vertices reach before the transforms: those of the model and of its rest volumes, and with displacements.
static void FindRest(const sgBlendHeader* header, const sgFieldsPose* amplitudes, float rest[3])
{
	for (int axis = 0; axis < 3; ++axis)
	{
		rest[axis] = header->reach[axis] + (amplitudes != NULL ? amplitudes->reach[axis] : 0.0f);
	}
}

// With new amplitudes the transforms are taken again, since they may lead farther now: columns are what they are.
static sgPoseInput FindTransforms(const sgPoseInput* input, const void* before)
{
	if (input->kind != sgPose_amplitudes)
	{
		return *input;
	}
	return (sgPoseInput){
		.kind = sgPose_jointColumns,
		.data = sgBlendPose_Columns(before),
		.stride = 16 * sizeof(float),
	};
}

// The rest pose is never refused: sgBlend_IsWithinReach.
static void SetPose(
    const snugModel* model, const sgPoseInput* input, const void* before, void* pose, sgPoseChange* change)
{
	const sgBlendArrays* arrays = model->arrays;
	const sgBlend* blend = &arrays->blend;
	sgMorph_SetPose(&arrays->morph, input, before, pose, change);
	bool isSame = input->kind == sgPose_amplitudes && change->motion == 0.0;
	if (change->fault != sgPoseFault_none || isSame)
	{
		return;
	}
	float rest[3];
	double motion = INFINITY;
	const sgFieldsPose* amplitudes = sgMorph_Active(&arrays->morph, pose);
	FindRest(blend->header, amplitudes, rest);
	sgPoseInput transforms = FindTransforms(input, before);
	uint32_t bad = MakePose(blend, &transforms, rest, change->isApart ? NULL : before, pose, &motion);
	if (bad != SG_NONE)
	{
		bool isFinite = sgPoseInput_IsFinite(&transforms, bad);
		change->fault = isFinite ? sgPoseFault_tooFar : sgPoseFault_notFinite;
		change->culprit = input->kind == sgPose_amplitudes ? SG_NONE : bad;
	}
	// The motion is that of rest positions; displaced ones may move farther.
	change->motion = amplitudes == NULL && input->kind != sgPose_amplitudes ? motion : INFINITY;
}

const sgDeform sgDeform_blend = {
	.name = "blend",
	.build = sgBlend_Build,
	.fits = sgBlend_Fits,
	.check = sgBlend_Check,
	.bind = Bind,
	.arrayBytes = sizeof(sgBlendArrays),
	.describe = Describe,
	.inputs = 1u << sgPose_joints | 1u << sgPose_jointColumns | 1u << sgPose_nodes | 1u << sgPose_amplitudes,
	.poseBytes = PoseBytes,
	.setPose = SetPose,
	.evaluate = Evaluate,
	.evaluateCluster = EvaluateCluster,
	.bound = Bound,
	.boundTurned = BoundTurned,
	.boundsLeaves = sgSkins_BoundsLeaves,
	.volume = sgSkins_Volume,
};
