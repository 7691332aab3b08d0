// src/deform/blend.c: evaluation and poses of blend models. See blend.h.
#include "deform/blend.h"

#include "base/fpenv.h"
#include "body.h"
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
	};
	return sizes[kind];
}

uint32_t sgBlendKind_HeadValues(sgBlendKind kind)
{
	bool hasVolume = kind == sgBlend_zeroOrder || kind == sgBlend_firstOrder;
	return (uint32_t)((sizeof(sgBlendCommon) + (hasVolume ? sizeof(sgBlendVolume) : 0)) / sizeof(sgLaneFloats));
}

size_t sgBlend_Layout(const sgBlendHeader* header, const sgTree* tree, size_t offsets[7])
{
	const size_t sizes[7] = {
		((size_t)tree->vertexCount + 1) * sizeof(uint32_t),
		header->influenceCount * sizeof(float),
		header->influenceCount * sizeof(uint16_t),
		(size_t)tree->groupCount * SG_LANES * sizeof(uint32_t),
		header->familyCount * sizeof(sgBlendFamily),
		header->entryCount * sizeof(uint16_t),
		header->valueCount * sizeof(sgLaneFloats),
	};
	size_t end = sizeof(sgBlendHeader);
	for (int i = 0; i < 7; ++i)
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
	size_t offsets[7];
	sgBlend_Layout(header, &model->tree, offsets);
	return (sgBlend){
		.header = header,
		.starts = (const void*)(data + offsets[0]),
		.weights = (const void*)(data + offsets[1]),
		.transforms = (const void*)(data + offsets[2]),
		.familyOfParent = (const void*)(data + offsets[3]),
		.families = (const void*)(data + offsets[4]),
		.entryTransforms = (const void*)(data + offsets[5]),
		.values = (const void*)(data + offsets[6]),
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
	return sizeof(sgBlendPose) + (16 + 12) * sizeof(float) * (size_t)header->transformCount;
}

// Per axis the most of |A| |v| + |t| over transforms and rest positions: it bounds every intermediate result of a
// vertex.
static void AddReach(const float matrix[12], const sgBlendHeader* header, double reach[3])
{
	for (int axis = 0; axis < 3; ++axis)
	{
		double sum = fabs((double)matrix[4 * axis + 3]);
		for (int k = 0; k < 3; ++k)
		{
			sum += fabs((double)matrix[4 * axis + k]) * (double)header->reach[k];
		}
		reach[axis] = sum > reach[axis] ? sum : reach[axis];
	}
}

// The last term covers the absolute errors of subnormal products: see docs/bounds.md.
static void SetReach(sgBlendPose* pose, const sgBlendHeader* header, const double reach[3])
{
	double sum = 1.0 + (double)header->reach[0] + (double)header->reach[1] + (double)header->reach[2];
	for (int axis = 0; axis < 3; ++axis)
	{
		pose->reach[axis] = sgRoundUp(reach[axis] * (1.0 + 0x1p-40) + 0x1p-120 * sum);
	}
}

static void SetMatrix(sgBlendPose* pose, uint32_t transformCount, uint32_t j, const float matrix[12])
{
	float* column = sgBlendPose_Columns(pose) + 16 * (size_t)j;
	memcpy(sgBlendPose_Rows(pose, transformCount) + 12 * (size_t)j, matrix, 12 * sizeof(float));
	for (int k = 0; k < 4; ++k)
	{
		for (int i = 0; i < 3; ++i)
		{
			column[4 * k + i] = matrix[4 * i + k];
		}
		column[4 * k + 3] = 0.0f;
	}
}

static void SetRest(const snugModel* model, void* pose)
{
	static const float identity[12] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 };
	const sgBlendHeader* header = model->deformData;
	double reach[3] = { 0.0, 0.0, 0.0 };
	AddReach(identity, header, reach);
	for (uint32_t j = 0; j < header->transformCount; ++j)
	{
		SetMatrix(pose, header->transformCount, j, identity);
	}
	SetReach(pose, header, reach);
}

static void Evaluate(
    const snugModel* model, const void* pose, const uint32_t* vertices, uint32_t count, sgVertexBlock* out)
{
	sgBlend blend = sgBlend_Get(model);
	GetBlendKernels()->evaluate(&blend, sgBlendPose_Columns(pose), model->positions, vertices, count, out);
}

static void Bound(
    const snugModel* model, const void* pose, const sgLaneSet* families, uint32_t count, sgBoxLanes* const* out)
{
	sgBlend blend = sgBlend_Get(model);
	const sgBlendPose* blendPose = pose;
	const float* rows = sgBlendPose_Rows(blendPose, blend.header->transformCount);
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t slot = families[i].group * SG_LANES + sgLowestBit(families[i].mask);
		uint32_t parent = model->tree.nodes[slot].parent;
		const sgBlendFamily* family = blend.families + (parent == SG_NONE ? 0 : blend.familyOfParent[parent]);
		GetBlendKernels()->bound(&blend, family, rows, blendPose->reach, families[i].mask, out[i]);
	}
}

const sgDeform sgDeform_blend = {
	.name = "blend",
	.build = sgBlend_Build,
	.check = sgBlend_Check,
	.describe = Describe,
	.poseBytes = PoseBytes,
	.setRest = SetRest,
	.evaluate = Evaluate,
	.bound = Bound,
};

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

// Fills in a matrix for transform j; false if it is not finite.
typedef bool MakeMatrix(const void* source, uint32_t j, float matrix[12]);

typedef struct JointSource
{
	const char* matrices;
	size_t stride;
} JointSource;

static bool MatrixOfJoint(const void* source, uint32_t j, float matrix[12])
{
	const JointSource* joints = source;
	memcpy(matrix, joints->matrices + j * joints->stride, 12 * sizeof(float));
	return AllFinite(matrix, 12);
}

// Eq. (3): A = gradient^T + I, t = displacement - gradient^T position; in double, rounded once.
static bool MatrixOfNode(const void* source, uint32_t j, float matrix[12])
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
	return AllFinite(matrix, 12);
}

// All matrices are checked before any is taken, so a bad pose leaves the body as it was.
static SG_NOINLINE snugStatus SetTransforms(snugBody* body, MakeMatrix* make, const void* source)
{
	const sgBlendHeader* header = body->model->deformData;
	double reach[3] = { 0.0, 0.0, 0.0 };
	float matrix[12];
	for (uint32_t j = 0; j < header->transformCount; ++j)
	{
		if (!make(source, j, matrix))
		{
			return sgFail(&body->messenger, snug_badInput, "transform %u is not finite", j);
		}
		AddReach(matrix, header, reach);
	}
	const double most = 0.99 * (double)SNUG_MAX_COORDINATE;
	if (!(reach[0] <= most && reach[1] <= most && reach[2] <= most))
	{
		return sgFail(&body->messenger, snug_outOfRange, "the transforms lead beyond what float32 can hold");
	}
	for (uint32_t j = 0; j < header->transformCount; ++j)
	{
		make(source, j, matrix);
		SetMatrix(body->pose, header->transformCount, j, matrix);
	}
	SetReach(body->pose, header, reach);
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
