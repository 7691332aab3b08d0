// src/body/pose.c: posing bodies. One way for all deformers: what the caller gave is described by an sgPoseInput and
// checked here, the deformer makes a pose of it, beside the current one unless it checks everything first, and the body
// takes it, or tells what is wrong and stays as it was.
#include "base/fpenv.h"
#include "body/body.h"

#include <string.h>

// How far vertices went is asked for only where boxes may grow by it.
const sgPosed* sgBody_Derive(snugBody* body)
{
	if (body->derived != NULL && body->posed.derived == NULL)
	{
		bool canGrow = body->ownsPool && body->frontMemory > 0 && !body->refitsAll;
		const void* before = canGrow ? body->derivedFrom : NULL;
		double motion = body->deform->derive(body->model, body->posed.pose, before, body->derived);
		body->posed.derived = body->derived;
		body->derivedFrom = body->posed.pose;
		if (body->isMotionPending)
		{
			sgBody_Travel(body, motion);
		}
		body->isMotionPending = false;
	}
	return &body->posed;
}

// Only leaves that hold some of the vertices which moved, and what is above them.
static void InvalidateTouched(snugBody* body, const sgPoseInput* input)
{
	for (uint32_t leaf = 0; leaf < body->model->tree.leafCount; ++leaf)
	{
		if (body->deform->touches(body->model, input, leaf))
		{
			sgBody_InvalidateLeaf(body, leaf);
		}
	}
}

static void Take(snugBody* body, const sgPoseInput* input, const sgPoseChange* change, const void* pose)
{
	body->posed.pose = pose;
	body->posed.derived = NULL;
	// Joints leave displacements as they are.
	bool areDisplaced = input->kind != sgPose_amplitudes && input->kind != sgPose_rest;
	body->posed.displaced = areDisplaced ? body->posed.displaced : NULL;
	++body->changes;
	if (change->isPartial && !body->isAtRest)
	{
		InvalidateTouched(body, input);
	}
	else
	{
		sgBody_Invalidate(body);
		body->isMotionPending = change->isPending;
		if (!change->isPending)
		{
			sgBody_Travel(body, change->motion);
		}
	}
	body->isAtRest = change->isRest;
}

static const char* NameOf(sgPoseKind kind)
{
	switch (kind)
	{
		case sgPose_vertices:
			return "vertex";
		case sgPose_nodes:
			return "node";
		case sgPose_amplitudes:
			return "amplitude";
		default:
			return "joint";
	}
}

static snugStatus Refuse(const snugBody* body, const sgPoseInput* input, const sgPoseChange* change)
{
	const snugMessenger* messenger = &body->messenger;
	const char* name = NameOf(input->kind);
	switch (change->fault)
	{
		case sgPoseFault_notFinite:
			return sgFail(messenger, snug_badInput, "%s %u is not finite%s", name, change->culprit,
			    input->kind == sgPose_vertices ? ", or too large" : "");
		case sgPoseFault_notRigid:
			return sgFail(messenger, snug_badInput,
			    "joint %u: its matrix mirrors or flattens space, which %s skinning cannot", change->culprit,
			    body->deform->name);
		default:
			break;
	}
	return change->culprit == SG_NONE
	           ? sgFail(messenger, snug_outOfRange, "the %s lead beyond what float32 can hold",
	                 input->kind == sgPose_amplitudes ? "amplitudes" : "joints")
	           : sgFail(messenger, snug_outOfRange, "%s %u leads beyond what float32 can hold", name, change->culprit);
}

static SG_NOINLINE snugStatus MakePose(snugBody* body, const sgPoseInput* input)
{
	sgPoseChange change = { .isApart = !body->ownsPool }; // pages of a shared pool go back with each pose
	unsigned char *first = body->poses, *second = body->poses + (body->poseCount - 1) * body->poseBytes;
	unsigned char* next = body->posed.pose == first ? second : first;
	body->derivedFrom = body->derivedFrom == next ? NULL : body->derivedFrom;
	body->deform->setPose(body->model, input, body->posed.pose, next, &change);
	if (change.fault != sgPoseFault_none)
	{
		return Refuse(body, input, &change);
	}
	// The same amplitudes again change nothing.
	if (change.motion != 0.0)
	{
		Take(body, input, &change, next);
	}
	return snug_success;
}

static snugStatus SetPose(snugBody* body, const sgPoseInput* input)
{
	sgFpEnv environment = sgFpEnv_Enter();
	snugStatus status = MakePose(body, input);
	sgFpEnv_Leave(environment);
	return status;
}

static bool CanBePosedBy(const snugBody* body, sgPoseKind kind)
{
	return (body->deform->inputs >> kind & 1) != 0;
}

snugStatus snugBody_SetVertices(snugBody* body, const float* positions, size_t stride, uint32_t first, uint32_t count)
{
	SG_REQUIRE(body != NULL && (positions != NULL || count == 0), snug_badArgument);
	SG_REQUIRE(CanBePosedBy(body, sgPose_vertices), snug_badArgument);
	stride = sgStride(stride, 3 * sizeof(float));
	SG_REQUIRE(stride != 0, snug_badArgument);
	uint32_t vertexCount = body->model->tree.vertexCount;
	if (first > vertexCount || count > vertexCount - first)
	{
		return sgFail(&body->messenger, snug_badArgument, "vertices %u and %u more are set, but there are only %u",
		    first, count, vertexCount);
	}
	const sgPoseInput input = { sgPose_vertices, first, count, positions, stride };
	return count > 0 ? SetPose(body, &input) : snug_success;
}

static snugStatus SetJoints(snugBody* body, const sgPoseInput* input)
{
	uint32_t count = body->model->info.jointCount;
	return input->count == count ? SetPose(body, input)
	                             : sgFail(&body->messenger, snug_badInput, "%u %ss are set, but the model has %u",
	                                   input->count, NameOf(input->kind), count);
}

snugStatus snugBody_SetJoints(snugBody* body, const float* matrices, size_t stride, uint32_t count)
{
	SG_REQUIRE(body != NULL && matrices != NULL, snug_badArgument);
	SG_REQUIRE(CanBePosedBy(body, sgPose_joints), snug_badArgument);
	stride = sgStride(stride, 12 * sizeof(float));
	SG_REQUIRE(stride != 0, snug_badArgument);
	return SetJoints(body, &(sgPoseInput){ sgPose_joints, 0, count, matrices, stride });
}

// The last row of an affine matrix is 0 0 0 1; anything else would be a projection, or rows taken for columns.
// By bits, since the caller's floating-point environment may take small numbers for zero.
static bool IsAffine(const float m[16])
{
	static const float ends[4] = { 0.0f, 0.0f, 0.0f, 1.0f };
	bool isAffine = true;
	for (int i = 0; i < 4; ++i)
	{
		uint32_t found, wanted;
		memcpy(&found, m + 4 * i + 3, sizeof(found));
		memcpy(&wanted, ends + i, sizeof(wanted));
		bool isNegativeZero = i < 3 && found == 0x80000000u;
		isAffine = isAffine && (found == wanted || isNegativeZero);
	}
	return isAffine;
}

snugStatus snugBody_SetJoints4x4(snugBody* body, const float* matrices, size_t stride, uint32_t count)
{
	SG_REQUIRE(body != NULL && matrices != NULL, snug_badArgument);
	SG_REQUIRE(CanBePosedBy(body, sgPose_jointColumns), snug_badArgument);
	stride = sgStride(stride, 16 * sizeof(float));
	SG_REQUIRE(stride != 0, snug_badArgument);
	for (uint32_t j = 0; j < count && count == body->model->info.jointCount; ++j)
	{
		if (!IsAffine((const float*)(const void*)((const char*)matrices + j * stride)))
		{
			return sgFail(&body->messenger, snug_badInput,
			    "joint %u: m[3], m[7], m[11], m[15] of its matrix are not 0, 0, 0, 1; are its rows taken for columns?",
			    j);
		}
	}
	return SetJoints(body, &(sgPoseInput){ sgPose_jointColumns, 0, count, matrices, stride });
}

snugStatus snugBody_SetMeshlessNodes(snugBody* body, const snugMeshlessNode* nodes, uint32_t count)
{
	SG_REQUIRE(body != NULL && nodes != NULL, snug_badArgument);
	SG_REQUIRE(CanBePosedBy(body, sgPose_nodes), snug_badArgument);
	return SetJoints(body, &(sgPoseInput){ sgPose_nodes, 0, count, nodes, sizeof(*nodes) });
}

snugStatus snugBody_SetAmplitudes(snugBody* body, const float* amplitudes, uint32_t count)
{
	SG_REQUIRE(body != NULL && (amplitudes != NULL || count == 0), snug_badArgument);
	SG_REQUIRE(CanBePosedBy(body, sgPose_amplitudes), snug_badArgument);
	uint32_t fieldCount = body->model->info.fieldCount;
	if (count != fieldCount)
	{
		return sgFail(&body->messenger, snug_badInput,
		    "%u amplitudes are set, but the model has %u displacement fields", count, fieldCount);
	}
	return count > 0 ? SetPose(body, &(sgPoseInput){ sgPose_amplitudes, 0, count, amplitudes, sizeof(float) })
	                 : snug_success;
}
