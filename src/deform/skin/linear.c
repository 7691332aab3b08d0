// src/deform/skin/linear.c: evaluation and poses of linear skins. See linear.h.
#include "deform/skin/linear.h"

#include "deform/deform.h"
#include "deform/skin/linear_kernels.h"
#include "deform/skin/skins.h"
#include "geometry/frame.h"
#include "geometry/margins.h"

#include <math.h>
#include <string.h>

// Evaluation of a vertex with n influences rounds n + 6 times at most, and its weights sum to 1 within n + 1 roundings.
double sgLinear_Roundings(uint32_t maxInfluences)
{
	return SG_MARGIN_INFLUENCE * maxInfluences + SG_MARGIN_EVALUATION;
}

// Without the amplitudes of morph targets.
static size_t JointBytes(const sgLinearHeader* header)
{
	return sizeof(sgLinearPose) +
	       SG_ACROSS_FLOATS * sizeof(float) * (size_t)sgLinear_BlockCount(header->transformCount);
}

static size_t DerivedBytes(const snugModel* model)
{
	const sgLinearHeader* header = model->deformData;
	return 16 * (size_t)header->transformCount * sizeof(float);
}

static size_t PoseBytes(const snugModel* model)
{
	return JointBytes(model->deformData) + sgMorph_PoseBytes(model, sgLinear_Bytes(model, model->deformData));
}

static void Describe(const snugModel* model, sgContents* contents)
{
	sgSkin_Describe(model, sgLinear_Bytes(model, model->deformData), contents);
}

static void Bind(const snugModel* model, void* arrays)
{
	*(sgLinearArrays*)arrays = (sgLinearArrays){
		.blend = sgLinear_Get(model),
		.morph = sgMorph_Bind(model, sgLinear_Bytes(model, model->deformData), JointBytes(model->deformData)),
	};
}

// What rounding adds to a bound is a multiple of the reach. It is a sum of four products in float32, each off by a few
// 2^-24. The last term covers the absolute errors of subnormal products: see docs/bounds/rounding.md.
static void SetReach(sgLinearPose* pose, const float rest[3], const float reach[3])
{
	double sum = 1.0 + (double)rest[0] + (double)rest[1] + (double)rest[2];
	for (int axis = 0; axis < 3; ++axis)
	{
		pose->reach[axis] = sgRoundUp((double)reach[axis] * (1.0 + SG_MARGIN_REACH) + SG_MARGIN_UNDERFLOW * sum * sum);
	}
}

// No vertex moves farther along any axis than one of its transforms carries it, since their weights sum to 1, within
// rounding; `change` is the most that any carries any of what it moves, itself off by a few roundings of terms below
// the reach; and both positions are off by their own rounding, which is (2 n + 8) 2^-24 of the reach at most.
static double BoundMotion(
    const sgLinearHeader* header, const sgLinearPose* before, const sgLinearPose* after, float change)
{
	double reach = 0.0;
	for (int axis = 0; axis < 3; ++axis)
	{
		reach = fmax(reach, (double)before->reach[axis] + (double)after->reach[axis]);
	}
	double weights = 1.0 + (header->rows.most + 1.0) * 0x1p-24;
	double roundings = sgLinear_Roundings(header->rows.most) + SG_MARGIN_MOTION;
	return (double)change * weights + SG_MARGIN_SQUARES * roundings * 0x1p-24 * reach;
}

static void Evaluate(const sgPosed* posed, const uint32_t* vertices, uint32_t count, float* out)
{
	const sgLinearArrays* arrays = posed->model->arrays;
	const float *columns = sgLinear_Columns(posed->derived), *positions = posed->model->positions;
	const sgFieldsPose* amplitudes = sgMorph_Active(&arrays->morph, posed->pose);
	if (amplitudes == NULL)
	{
		sgLinear_GetKernels()->evaluate(&arrays->blend, columns, positions, vertices, count, out);
		return;
	}
	for (uint32_t done = 0; done < count; done += SG_LANES)
	{
		float moved[3 * SG_LANES + 1], placed[3 * SG_LANES + 1];
		uint32_t left = count - done, these = left < SG_LANES ? left : SG_LANES;
		sgFields_Evaluate(&arrays->morph.fields, amplitudes, positions, vertices + done, these, moved);
		sgLinear_GetKernels()->evaluateMoved(&arrays->blend, columns, moved, vertices + done, these, placed);
		memcpy(out + 3 * (size_t)done, placed, 3 * (size_t)these * sizeof(float));
	}
}

static void EvaluateCluster(const sgPosed* posed, uint32_t cluster, float* out)
{
	const sgLinearArrays* arrays = posed->model->arrays;
	const sgLinear* blend = &arrays->blend;
	uint32_t count = posed->model->clusters.clusters[cluster].vertexCount;
	const float* columns = sgLinear_Columns(posed->derived);
	const sgFieldsPose* amplitudes = sgMorph_Active(&arrays->morph, posed->pose);
	if (amplitudes == NULL)
	{
		sgLinear_GetKernels()->evaluateBlocks(blend, blend->rows.firstBlocks[cluster], count, columns, out);
		return;
	}
	const sgFields* fields = &arrays->morph.fields;
	const sgDisplacing moved = sgFields_Displacing(fields, amplitudes, posed->displaced, cluster);
	sgLinear_GetKernels()->evaluateMovedBlocks(blend, blend->rows.firstBlocks[cluster], count, columns, &moved, out);
}

static size_t DisplacedBytes(const snugModel* model)
{
	const sgLinearArrays* arrays = model->arrays;
	return sgMorph_DisplacedBytes(&arrays->morph, model);
}

static void Displace(const snugModel* model, const void* const poses[SG_TOGETHER], sgLaneFloats* const out[SG_TOGETHER])
{
	const sgLinearArrays* arrays = model->arrays;
	sgMorph_Displace(&arrays->morph, model, poses, out);
}

// Inner nodes of a set from any pose: that of the body, or one that is turned.
static void BoundFrom(const sgPosed* posed, const sgLinearView* pose, sgLaneSet set, sgBoxLanes* out)
{
	const sgTree* tree = &posed->model->tree;
	const sgLinearArrays* arrays = posed->model->arrays;
	const sgLinear* blend = &arrays->blend;
	sgMorphLanes room;
	const sgMorphLanes* morph = NULL;
	const sgFieldsPose* amplitudes = sgMorph_Active(&arrays->morph, posed->pose);
	if (amplitudes != NULL)
	{
		morph = sgMorph_Bound(&arrays->morph.fields, amplitudes, set.group, &room) ? &room : NULL;
	}
	const sgLinearFamily* family = sgSkin_FamilyOf(blend, set);
	if (!family->isAcross)
	{
		sgLinear_GetKernels()->bound(blend, family, pose, morph, set.mask, out);
		return;
	}
	for (uint32_t rest = set.mask; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		const sgLinearFamily* own = sgSkin_RecordOf(tree, family, set, lane);
		sgLinear_GetKernels()->boundAlone(blend, own, pose, morph, lane, out);
	}
}

static void Bound(const sgPosed* posed, sgLaneSet set, sgBoxLanes* out)
{
	const sgLinearPose* pose = posed->pose;
	const sgLinearView view = { pose->reach, sgLinearPose_Across(pose), sgLinear_Columns(posed->derived) };
	BoundFrom(posed, &view, set, out);
}

static void StoreColumns(const sgLinear* blend, const float* across, float* columns)
{
	uint32_t count = blend->header->transformCount;
	for (uint32_t first = 0; first < count; first += SG_LANES, across += SG_ACROSS_FLOATS)
	{
		uint32_t left = count - first;
		sgLinear_GetKernels()->storeColumns(across, blend->across + first, left < SG_LANES ? left : SG_LANES, columns);
	}
}

// Nodes of a family by what joints make of boxes where that is possible, and else as without a turn.
// @param room for columns
static void BoundFamilyTurned(
    const sgPosed* posed, const sgLinearView* turned, sgLaneSet set, void* room, sgBoxLanes* boxes)
{
	const sgLinearArrays* arrays = posed->model->arrays;
	const sgLinear* blend = &arrays->blend;
	const sgLinearFamily* family = sgSkin_FamilyOf(blend, set);
	if (family->kind == sgLinear_local && sgMorph_Active(&arrays->morph, posed->pose) == NULL)
	{
		uint16_t* places = room;
		for (uint32_t i = 0; i < blend->header->transformCount; ++i)
		{
			places[blend->across[i]] = (uint16_t)i;
		}
		sgLinear_GetKernels()->hullFamily(blend, family, turned, places, set.mask, boxes);
		return;
	}
	sgLinearView view = *turned;
	StoreColumns(blend, turned->across, room);
	view.columns = room;
	BoundFrom(posed, &view, set, boxes);
}

// The same for nodes that are bounded one by one.
static void BoundAloneTurned(const sgPosed* posed, const sgLinearView* turned, sgLaneSet set, sgBoxLanes* boxes)
{
	const sgLinearArrays* arrays = posed->model->arrays;
	const sgLinear* blend = &arrays->blend;
	const sgTree* tree = &posed->model->tree;
	if (sgMorph_Active(&arrays->morph, posed->pose) != NULL)
	{
		BoundFrom(posed, turned, set, boxes);
		return;
	}
	const sgLinearFamily* family = sgSkin_FamilyOf(blend, set);
	for (uint32_t rest = set.mask; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		const sgLinearFamily* own = sgSkin_RecordOf(tree, family, set, lane);
		sgLinear_GetKernels()->hullAlone(blend, own, turned, lane, boxes);
	}
}

// A pose T' = R T in float32. Let u = 2^-24, n the most influences, q = roundings(n), and S_i the sum of |R_im|
// reach_m. An entry of T' is off by 5 u of the sum of |R| |T|: factors of R are rounded, three products and two sums.
// So S, raised by far more than that, is a reach of T', and exact blends of T' and of R T differ by 5 u S_i. Bounds
// from T' contain positions evaluated from T', which are within q u S_i of exact blends of T'. Those evaluated from T
// are within q u reach_m of exact blends of T per axis, hence turned within q u S_i of exact blends of R T. Together (2
// q + 5) u S_i. What products below the normal range lose is in the reach already.
static void TurnPose(const sgLinearHeader* header, const sgLinearPose* pose, const double rotation[3][3],
    sgLinearPose* turned, double slack[3])
{
	float factors[3][3];
	double roundings = 2.0 * sgLinear_Roundings(header->rows.most) + SG_MARGIN_TURNED_ENTRIES;
	for (int i = 0; i < 3; ++i)
	{
		double reach = 0.0;
		for (int m = 0; m < 3; ++m)
		{
			reach += fabs(rotation[i][m]) * (double)pose->reach[m];
			factors[i][m] = (float)rotation[i][m];
		}
		turned->reach[i] = sgRoundUp(reach * (1.0 + SG_MARGIN_REACH));
		slack[i] = SG_MARGIN_SQUARES * 0x1p-24 * roundings * (double)turned->reach[i];
	}
	sgLinear_GetKernels()->turnAcross(sgLinearPose_Across(pose), sgLinear_BlockCount(header->transformCount),
	    (const float(*)[3])factors, sgLinearPose_Across(turned));
}

static bool BoundTurned(
    const sgPosed* posed, const double rotation[3][3], sgLaneSet set, void* room, sgBoxLanes* boxes, double slack[3])
{
	const sgLinearArrays* arrays = posed->model->arrays;
	const sgLinear* blend = &arrays->blend;
	const sgLinearHeader* header = blend->header;
	if (room == NULL)
	{
		return false;
	}
	sgLinearPose* turned = room;
	TurnPose(header, posed->pose, rotation, turned, slack);
	const sgLinearView view = { .reach = turned->reach, .across = sgLinearPose_Across(turned) };
	if (sgSkin_FamilyOf(blend, set)->isAcross)
	{
		BoundAloneTurned(posed, &view, set, boxes);
	}
	else
	{
		size_t floats = SG_ACROSS_FLOATS * (size_t)sgLinear_BlockCount(header->transformCount);
		BoundFamilyTurned(posed, &view, set, sgLinearPose_Across(turned) + floats, boxes);
	}
	return true;
}

// ---- Poses -----------------------------------------------------------------------------------------------------

/// Blocks that are made aside before a pose is written over; more are made twice.
#define ROOM_BLOCKS 32

/// A pose while it is made.
typedef struct Making
{
	const sgLinear* blend;
	const sgPoseInput* input;
	const sgLinearPose* before; ///< null for the rest pose
	float rest[3];              ///< how far vertices reach before the transforms
	bool isApart;               ///< how far anything moves is not needed
	float reach[3];             ///< so far
	float most;                 ///< how far anything is carried, so far
} Making;

// Most come as rows already: those need no call.
static inline const float* MatrixOf(const sgPoseInput* input, uint32_t j, float room[12])
{
	return input->kind == sgPose_joints ? (const float*)(const void*)((const char*)input->data + j * input->stride)
	                                    : sgPoseInput_Matrix(input, j, room);
}

// The matrices of a block as they are given. New amplitudes leave them as they were.
static void PutBlock(const Making* making, uint32_t block, float* across)
{
	static const float zero[12] = { 0.0f };
	const sgLinear* blend = making->blend;
	uint32_t first = block * SG_LANES;
	if (making->input->kind == sgPose_amplitudes)
	{
		const float* old = sgLinearPose_Across(making->before) + SG_ACROSS_FLOATS * (size_t)block;
		memcpy(across, old, SG_ACROSS_FLOATS * sizeof(float));
		return;
	}
	float room[SG_LANES][12];
	const float* matrices[SG_LANES];
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		bool isThere = first + lane < blend->header->transformCount;
		matrices[lane] = isThere ? MatrixOf(making->input, blend->across[first + lane], room[lane]) : zero;
	}
	sgLinear_GetKernels()->putAcross(matrices, across);
}

// All blocks, one `step` floats after the other. SG_NONE if all is well, or some transform that is not finite or
// reaches too far.
static uint32_t CheckBlocks(Making* making, float* across, size_t step)
{
	const sgLinear* blend = making->blend;
	const sgLinearKernels* kernels = sgLinear_GetKernels();
	for (uint32_t block = 0; block < sgLinear_BlockCount(blend->header->transformCount); ++block, across += step)
	{
		PutBlock(making, block, across);
		uint32_t bad = kernels->checkAcross(across, making->rest, SG_BLEND_LIMIT, making->reach);
		if (bad != 0)
		{
			return blend->across[block * SG_LANES + sgLowestBit(bad)];
		}
		if (making->before != NULL && !making->isApart)
		{
			const float* old = sgLinearPose_Across(making->before) + SG_ACROSS_FLOATS * (size_t)block;
			making->most = fmaxf(making->most, kernels->findMotion(old, across, blend->moved + block));
		}
	}
	return SG_NONE;
}

// Fill in a pose, which may be the one before, and by how much any vertex may have moved. Nothing is written unless all
// is well: see CheckBlocks.
static uint32_t MakePose(Making* making, sgLinearPose* pose, double* motion)
{
	const sgLinearHeader* header = making->blend->header;
	float room[ROOM_BLOCKS * SG_ACROSS_FLOATS] SG_ALIGN(64); // not zeroed
	uint32_t blocks = sgLinear_BlockCount(header->transformCount);
	bool fits = blocks <= ROOM_BLOCKS;
	uint32_t bad = CheckBlocks(making, room, fits ? SG_ACROSS_FLOATS : 0);
	if (bad != SG_NONE)
	{
		return bad;
	}
	sgLinearPose made = { .reach = { 0.0f } };
	SetReach(&made, making->rest, making->reach);
	bool isKnown = making->before != NULL && !making->isApart;
	*motion = isKnown ? BoundMotion(header, making->before, &made, making->most) : INFINITY;
	for (uint32_t block = 0; !fits && block < blocks; ++block)
	{
		PutBlock(making, block, sgLinearPose_Across(pose) + SG_ACROSS_FLOATS * (size_t)block);
	}
	if (fits)
	{
		memcpy(sgLinearPose_Across(pose), room, SG_ACROSS_FLOATS * sizeof(float) * blocks);
	}
	*pose = made;
	return SG_NONE;
}

// The motion is known from posing.
static double Derive(const snugModel* model, const void* pose, const void* before, void* derived)
{
	(void)before;
	const sgLinearArrays* arrays = model->arrays;
	StoreColumns(&arrays->blend, sgLinearPose_Across(pose), derived);
	return INFINITY;
}

/// How far vertices reach before the transforms: those of the model and of its rest volumes, and with displacements.
static void FindRest(const sgLinearHeader* header, const sgFieldsPose* amplitudes, float rest[3])
{
	for (int axis = 0; axis < 3; ++axis)
	{
		rest[axis] = header->reach[axis] + (amplitudes != NULL ? amplitudes->reach[axis] : 0.0f);
	}
}

// The rest pose is never refused: sgLinear_IsWithinReach.
static void SetPose(
    const snugModel* model, const sgPoseInput* input, const void* before, void* pose, sgPoseChange* change)
{
	const sgLinearArrays* arrays = model->arrays;
	const sgLinear* blend = &arrays->blend;
	sgMorph_SetPose(&arrays->morph, input, before, pose, change);
	bool isSame = input->kind == sgPose_amplitudes && change->motion == 0.0;
	if (change->fault != sgPoseFault_none || isSame)
	{
		return;
	}
	double motion = INFINITY;
	const sgFieldsPose* amplitudes = sgMorph_Active(&arrays->morph, pose);
	Making making = { .blend = blend, .input = input, .before = before, .isApart = change->isApart };
	FindRest(blend->header, amplitudes, making.rest);
	// With new amplitudes the transforms are taken again, since they may lead farther now.
	uint32_t bad = MakePose(&making, pose, &motion);
	if (bad != SG_NONE)
	{
		bool isFinite = input->kind == sgPose_amplitudes || sgPoseInput_IsFinite(input, bad);
		change->fault = isFinite ? sgPoseFault_tooFar : sgPoseFault_notFinite;
		change->culprit = input->kind == sgPose_amplitudes ? SG_NONE : bad;
	}
	// The motion is that of rest positions; displaced ones may move farther.
	change->motion = amplitudes == NULL && input->kind != sgPose_amplitudes ? motion : INFINITY;
}

// Rounding adds (2 n + 8) 2^-24 of the reach to a position at most: less than a hundredth.
static void Reach(const sgPosed* posed, float reach[3])
{
	const sgLinearPose* pose = posed->pose;
	for (int axis = 0; axis < 3; ++axis)
	{
		reach[axis] = 1.0625f * pose->reach[axis];
	}
}

const sgDeform sgDeform_linear = {
	.name = "linear",
	.deformer = snug_skin,
	.blending = snug_blendLinear,
	.build = sgLinear_Build,
	.fits = sgLinear_Fits,
	.check = sgLinear_Check,
	.bind = Bind,
	.arrayBytes = sizeof(sgLinearArrays),
	.describe = Describe,
	.inputs = 1u << sgPose_joints | 1u << sgPose_jointColumns | 1u << sgPose_nodes | 1u << sgPose_amplitudes,
	.poseBytes = PoseBytes,
	.setPose = SetPose,
	.posesInPlace = true,
	.derivedBytes = DerivedBytes,
	.derive = Derive,
	.evaluate = Evaluate,
	.evaluateCluster = EvaluateCluster,
	.displacedBytes = DisplacedBytes,
	.displace = Displace,
	.bound = Bound,
	.reach = Reach,
	.boundTurned = BoundTurned,
	.turnsManyAtOnce = true,
};
