// src/deform/blend.c: evaluation and poses of blend models. See blend.h.
#include "deform/blend.h"

#include "base/fpenv.h"
#include "body.h"
#include "deform/blend_corners.h"
#include "deform/blend_kernels.h"
#include "kernels/isa.h"

#include <math.h>
#include <string.h>

uint32_t sgBlendKind_EntryValues(sgBlendKind kind)
{
	static const uint32_t sizes[SG_BLEND_KINDS] = {
		[sgBlend_limited] = sizeof(sgRangeEntry) / sizeof(sgLaneFloats),
		[sgBlend_program] = sizeof(sgRangeEntry) / sizeof(sgLaneFloats),
		[sgBlend_local] = sizeof(sgLocalEntry) / sizeof(sgLaneFloats),
		[sgBlend_zeroOrder] = sizeof(sgZeroEntry) / sizeof(sgLaneFloats),
		[sgBlend_firstOrder] = sizeof(sgFirstEntry) / sizeof(sgLaneFloats),
		[sgBlend_mixed] = sizeof(sgFirstEntry) / sizeof(sgLaneFloats),
	};
	return sizes[kind];
}

uint32_t sgBlendFamily_HeadValues(const sgBlendFamily* family)
{
	size_t bytes = sizeof(sgBlendCommon);
	switch ((sgBlendKind)family->kind)
	{
		case sgBlend_zeroOrder:
		case sgBlend_firstOrder:
		case sgBlend_mixed:
			bytes += sizeof(sgBlendVolume);
			break;
		default:
			bytes += family->rest == snug_restOrientedBox ? sizeof(sgBlendOrientedBox) : 0;
			bytes += family->rest == snug_restDop14 ? sizeof(sgBlendDop) : 0;
			break;
	}
	return (uint32_t)(bytes / sizeof(sgLaneFloats));
}

uint64_t sgBlendFamily_Values(const sgBlendFamily* family)
{
	uint32_t each = sgBlendKind_EntryValues((sgBlendKind)family->kind);
	each += family->kind == sgBlend_mixed ? sgBlendKind_EntryValues(sgBlend_local) : 0;
	return sgBlendFamily_HeadValues(family) + (uint64_t)family->entryCount * each;
}

size_t sgBlend_Layout(const snugModel* model, const sgBlendHeader* header, size_t offsets[SG_BLEND_ARRAYS])
{
	const sgTree* tree = &model->tree;
	size_t slots = (size_t)tree->groupCount * SG_LANES;
	const size_t sizes[SG_BLEND_ARRAYS] = {
		((size_t)tree->vertexCount + 1) * sizeof(uint32_t),
		header->influenceCount * sizeof(float),
		header->influenceCount * sizeof(uint16_t),
		slots * sizeof(uint32_t),
		header->familyCount * sizeof(sgBlendFamily),
		header->entryCount * sizeof(uint16_t),
		header->valueCount * sizeof(sgLaneFloats),
		((size_t)model->clusters.header->count + 1) * sizeof(uint32_t),
		header->blockCount * sizeof(sgBlendBlock),
		header->blockTransformCount * sizeof(uint16_t),
		header->blockValueCount * sizeof(sgLaneFloats),
		header->bound == snug_boundCorners ? (slots + 1) * sizeof(uint32_t) : 0,
		header->jointSetCount * sizeof(sgJointSet),
		header->setTransformCount * sizeof(uint16_t),
		header->setWeightCount * sizeof(uint32_t),
	};
	size_t end = sizeof(sgBlendHeader);
	for (int i = 0; i < SG_BLEND_ARRAYS; ++i)
	{
		offsets[i] = sgAlignUp(end, SG_ALIGNMENT);
		end = offsets[i] + sizes[i];
	}
	return sgAlignUp(end, SG_ALIGNMENT);
}

sgBlend sgBlend_Get(const snugModel* model)
{
	const char* data = model->deformData;
	const sgBlendHeader* header = model->deformData;
	size_t offsets[SG_BLEND_ARRAYS];
	sgBlend_Layout(model, header, offsets);
	return (sgBlend){
		.header = header,
		.starts = (const void*)(data + offsets[0]),
		.weights = (const void*)(data + offsets[1]),
		.transforms = (const void*)(data + offsets[2]),
		.familyOfParent = (const void*)(data + offsets[3]),
		.families = (const void*)(data + offsets[4]),
		.entryTransforms = (const void*)(data + offsets[5]),
		.values = (const void*)(data + offsets[6]),
		.firstBlocks = (const void*)(data + offsets[7]),
		.blocks = (const void*)(data + offsets[8]),
		.blockTransforms = (const void*)(data + offsets[9]),
		.blockValues = (const void*)(data + offsets[10]),
		.jointSetStarts = (const void*)(data + offsets[11]),
		.jointSets = (const void*)(data + offsets[12]),
		.setTransforms = (const void*)(data + offsets[13]),
		.setWeights = (const void*)(data + offsets[14]),
	};
}

static const sgBlendKernels* GetBlendKernels(void)
{
	static const sgBlendKernels* const tables[SG_ISA_COUNT] = {
		[sgIsa_scalar] = &sgBlendKernels_scalar,
#if SNUG_HAVE_X86_KERNELS
		[sgIsa_sse2] = &sgBlendKernels_sse2,
		[sgIsa_avx2] = &sgBlendKernels_avx2,
		[sgIsa_avx512] = &sgBlendKernels_avx512,
#endif
	};
	return tables[sgGetIsa()];
}

static void Describe(const snugModel* model, snugModelInfo* info)
{
	const sgBlendHeader* header = model->deformData;
	info->transformCount = header->transformCount;
	info->maxInfluences = header->maxInfluences;
}

static size_t PoseBytes(const snugModel* model)
{
	const sgBlendHeader* header = model->deformData;
	size_t transforms = header->transformCount;
	size_t floats = 16 * transforms * (1 + sgBlend_DopBlocks((snugVolume)header->volume)) +
	                12 * SG_LANES * (size_t)sgBlend_BlockCount(header->transformCount);
	size_t stretches = header->bound == snug_boundCorners ? transforms : 0;
	return sizeof(sgBlendPose) + floats * sizeof(float) + stretches * sizeof(double);
}

// What rounding adds to a bound is a multiple of the reach. It is a sum of four products in float32, each off by a few
// 2^-24. The last term covers the absolute errors of subnormal products: see docs/bounds.md. Along a direction of a
// k-DOP the errors of the axes add up.
static void SetReach(sgBlendPose* pose, const sgBlendHeader* header, const float reach[3])
{
	double sum = 1.0 + (double)header->reach[0] + (double)header->reach[1] + (double)header->reach[2];
	double raised[3];
	for (int axis = 0; axis < 3; ++axis)
	{
		raised[axis] = (double)reach[axis] * (1.0 + 0x1p-20) + 0x1p-120 * sum;
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
		pose->reach[3 + i] = sgRoundUp(along * (1.0 + 0x1p-40));
	}
}

static void SetColumns(float* column, const float matrix[12])
{
	for (int k = 0; k < 4; ++k)
	{
		for (int i = 0; i < 3; ++i)
		{
			column[4 * k + i] = matrix[4 * i + k];
		}
		column[4 * k + 3] = 0.0f;
	}
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

static void SetMatrix(sgBlendPose* pose, const sgBlendHeader* header, uint32_t j, const float matrix[12])
{
	uint32_t blocks = sgBlend_DopBlocks((snugVolume)header->volume);
	SetColumns(sgBlendPose_Columns(pose) + 16 * (size_t)j, matrix);
	if (blocks > 0)
	{
		float* slabs = sgBlendPose_Slabs(pose, header->transformCount) + 16 * (size_t)blocks * j;
		SetSlabs(slabs, matrix, (snugVolume)header->volume);
	}
	if (header->bound == snug_boundCorners)
	{
		sgBlendPose_Stretches(pose, header->transformCount)[j] = sgCorners_Stretch(matrix);
	}
}

static void Evaluate(const snugModel* model, const void* pose, const uint32_t* vertices, uint32_t count, float* out)
{
	sgBlend blend = sgBlend_Get(model);
	GetBlendKernels()->evaluate(&blend, sgBlendPose_Columns(pose), model->positions, vertices, count, out);
}

static void EvaluateCluster(const snugModel* model, const void* pose, uint32_t cluster, float* out)
{
	sgBlend blend = sgBlend_Get(model);
	uint32_t count = model->clusters.clusters[cluster].vertexCount;
	GetBlendKernels()->evaluateBlocks(&blend, blend.firstBlocks[cluster], count, sgBlendPose_Columns(pose), out);
}

static void Bound(const snugModel* model, const void* pose, sgLaneSet set, sgBoundsOut out)
{
	sgBlend blend = sgBlend_Get(model);
	if (blend.header->bound == snug_boundCorners)
	{
		sgCorners_Bound(&blend, pose, set, out);
		return;
	}
	uint32_t parent = model->tree.nodes[set.group * SG_LANES + set.first].parent;
	const sgBlendFamily* family = blend.families + (parent == SG_NONE ? 0 : blend.familyOfParent[parent]);
	GetBlendKernels()->bound(&blend, family, pose, set.mask, out);
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

static bool AllFinite(const float* values, int count)
{
	for (int i = 0; i < count; ++i)
	{
		if (!isfinite(values[i]))
		{
			return false;
		}
	}
	return true;
}

/// Where matrices come from: fills in that of transform j, three rows of four.
typedef void MakeMatrix(const void* source, uint32_t j, float matrix[12]);

typedef struct JointSource
{
	const char* matrices;
	size_t stride;
} JointSource;

static void MatrixOfJoint(const void* source, uint32_t j, float matrix[12])
{
	const JointSource* joints = source;
	memcpy(matrix, joints->matrices + j * joints->stride, 12 * sizeof(float));
}

// Eq. (3): A = gradient^T + I, t = displacement - gradient^T position; in double, rounded once.
static void MatrixOfNode(const void* source, uint32_t j, float matrix[12])
{
	const snugNode* node = (const snugNode*)source + j;
	for (int i = 0; i < 3; ++i)
	{
		double t = node->displacement[i];
		for (int k = 0; k < 3; ++k)
		{
			double gradient = node->gradient[k][i];
			t -= gradient * (double)node->position[k];
			matrix[4 * i + k] = (float)(gradient + (i == k ? 1.0 : 0.0));
		}
		matrix[4 * i + 3] = (float)t;
	}
}

static void MatrixAtRest(const void* source, uint32_t j, float matrix[12])
{
	static const float identity[12] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 };
	(void)source;
	(void)j;
	memcpy(matrix, identity, sizeof(identity));
}

/// The matrices of eight consecutive transforms; zeros after the last.
typedef struct Block
{
	float matrices[SG_LANES][12];
	float across[12 * SG_LANES] SG_ALIGN(32);
} Block;

static void MakeBlock(Block* block, MakeMatrix* make, const void* source, uint32_t first, uint32_t transformCount)
{
	const float* matrices[SG_LANES];
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		matrices[lane] = block->matrices[lane];
		if (first + lane < transformCount)
		{
			make(source, first + lane, block->matrices[lane]);
		}
		else
		{
			memset(block->matrices[lane], 0, sizeof(block->matrices[lane]));
		}
	}
	GetBlendKernels()->transpose(matrices, block->across);
}

// The reach of all transforms. SG_NONE if all is well, or the first transform that is not finite or reaches too far.
static uint32_t FindReach(const sgBlendHeader* header, MakeMatrix* make, const void* source, float reach[3])
{
	for (uint32_t first = 0; first < header->transformCount; first += SG_LANES)
	{
		Block block;
		MakeBlock(&block, make, source, first, header->transformCount);
		const float most = 0.99f * SNUG_MAX_COORDINATE;
		uint32_t bad = GetBlendKernels()->addReach(block.across, header->reach, most, reach);
		if (bad != 0)
		{
			return first + sgLowestBit(bad);
		}
	}
	return SG_NONE;
}

static void TakeMatrices(
    sgBlendPose* pose, const sgBlendHeader* header, MakeMatrix* make, const void* source, const float reach[3])
{
	float* across = sgBlendPose_Across(pose, header->transformCount);
	for (uint32_t first = 0; first < header->transformCount; first += SG_LANES)
	{
		Block block;
		MakeBlock(&block, make, source, first, header->transformCount);
		memcpy(across + 12 * (size_t)first, block.across, sizeof(block.across));
		for (uint32_t j = first; j < header->transformCount && j < first + SG_LANES; ++j)
		{
			SetMatrix(pose, header, j, block.matrices[j - first]);
		}
	}
	SetReach(pose, header, reach);
}

static void SetRest(const snugModel* model, void* pose)
{
	const sgBlendHeader* header = model->deformData;
	float reach[3] = { 0.0f, 0.0f, 0.0f };
	FindReach(header, MatrixAtRest, NULL, reach);
	TakeMatrices(pose, header, MatrixAtRest, NULL, reach);
}

const sgDeform sgDeform_blend = {
	.name = "blend",
	.build = sgBlend_Build,
	.check = sgBlend_Check,
	.describe = Describe,
	.poseBytes = PoseBytes,
	.setRest = SetRest,
	.evaluate = Evaluate,
	.evaluateCluster = EvaluateCluster,
	.bound = Bound,
	.boundsLeaves = BoundsLeaves,
	.volume = Volume,
};

// All matrices are checked before any is taken, so a bad pose leaves the body as it was.
static SG_NOINLINE snugStatus SetTransforms(snugBody* body, MakeMatrix* make, const void* source)
{
	const sgBlendHeader* header = body->model->deformData;
	float reach[3] = { 0.0f, 0.0f, 0.0f };
	uint32_t bad = FindReach(header, make, source, reach);
	if (bad != SG_NONE)
	{
		float matrix[12];
		make(source, bad, matrix);
		return AllFinite(matrix, 12)
		           ? sgFail(&body->messenger, snug_outOfRange, "transform %u leads beyond what float32 can hold", bad)
		           : sgFail(&body->messenger, snug_badInput, "transform %u is not finite", bad);
	}
	TakeMatrices(body->pose, header, make, source, reach);
	sgBody_Invalidate(body);
	return snug_success;
}

static snugStatus Pose(snugBody* body, MakeMatrix* make, const void* source, uint32_t count)
{
	const sgBlendHeader* header = body->model->deformData;
	if (count != header->transformCount)
	{
		return sgFail(&body->messenger, snug_badInput, "%u transforms are set, but the model has %u", count,
		    header->transformCount);
	}
	sgFpEnv environment = sgFpEnv_Enter();
	snugStatus status = SetTransforms(body, make, source);
	sgFpEnv_Leave(environment);
	return status;
}

snugStatus snugBody_SetJoints(snugBody* body, const float* matrices, size_t stride, uint32_t count)
{
	SG_REQUIRE(body != NULL && matrices != NULL, snug_badArgument);
	SG_REQUIRE(body->model->deformer == snug_blend, snug_badArgument);
	stride = sgStride(stride, 12 * sizeof(float));
	SG_REQUIRE(stride != 0, snug_badArgument);
	const JointSource source = { (const char*)matrices, stride };
	return Pose(body, MatrixOfJoint, &source, count);
}

snugStatus snugBody_SetNodes(snugBody* body, const snugNode* nodes, uint32_t count)
{
	SG_REQUIRE(body != NULL && nodes != NULL, snug_badArgument);
	SG_REQUIRE(body->model->deformer == snug_blend, snug_badArgument);
	return Pose(body, MatrixOfNode, nodes, count);
}
