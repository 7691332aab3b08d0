// src/deform/fields/fields_deform.c: the deformer of displacement fields alone: vibration modes, morph targets,
// principal components. All that it knows is in fields.h; a pose is a set of amplitudes.
#include "deform/deform.h"
#include "deform/fields/certificates.h"
#include "deform/fields/fields_kernels.h"
#include "geometry/margins.h"

#include <math.h>
#include <string.h>

static snugStatus Build(const snugModel* model, const snugModelDef* def, void** data, size_t* bytes)
{
	return sgFields_Build(model, def, false, data, bytes);
}

static bool Fits(const snugModel* model)
{
	const sgFieldsHeader* header = model->deformData;
	return sgFields_Fits(model, header, model->deformBytes) && header->hasIntervals == 0;
}

static const char* Check(const snugModel* model, void* scratch)
{
	return sgFields_Check(model, model->deformData, scratch);
}

static void Describe(const snugModel* model, sgContents* contents)
{
	sgFields_Describe(model, model->deformData, contents);
}

/// snugModel.arrays
typedef struct Arrays
{
	sgFields fields;
	sgCertificates certificates;
} Arrays;

static const sgFields* GetFields(const snugModel* model)
{
	return &((const Arrays*)model->arrays)->fields;
}

static void Bind(const snugModel* model, void* arrays)
{
	const Arrays found = { sgFields_Bind(model, model->deformData),
		sgCertificates_Bind(model, model->certificateData) };
	memcpy(arrays, &found, sizeof(found));
}

// A page downloads its code: it takes certificates from packed models, and makes none.
#if !SNUG_FOR_SIZE
static snugStatus BuildCertificates(const snugModel* model, void** data, size_t* bytes)
{
	const sgFields fields = sgFields_Bind(model, model->deformData);
	return sgCertificates_Build(model, &fields, data, bytes);
}
#endif

static const char* CheckCertificates(const snugModel* model)
{
	const sgFields fields = sgFields_Bind(model, model->deformData);
	return sgCertificates_Check(model, &fields, model->certificateData, model->certificateBytes);
}

static size_t PoseBytes(const snugModel* model)
{
	return sgFieldsPose_Bytes(model->deformData);
}

static void SetPose(
    const snugModel* model, const sgPoseInput* input, const void* before, void* pose, sgPoseChange* change)
{
	const sgFields* fields = GetFields(model);
	sgFieldsPose* amplitudes = pose;
	(void)before; // in place
	if (input->kind == sgPose_rest)
	{
		sgFieldsPose_SetRest(fields, amplitudes);
		return;
	}
	sgFieldsPose_Set(fields, amplitudes, input->data, change);
	change->isRest = amplitudes->activeCount == 0;
}

static void Evaluate(const sgPosed* posed, const uint32_t* vertices, uint32_t count, float* out)
{
	const snugModel* model = posed->model;
	sgFields_Evaluate(GetFields(model), posed->pose, model->positions, vertices, count, out);
}

static void EvaluateCluster(const sgPosed* posed, uint32_t cluster, float* out)
{
	const sgFields* fields = GetFields(posed->model);
	uint32_t count = posed->model->clusters.clusters[cluster].vertexCount;
	const sgDisplacing blocks = sgFields_Displacing(fields, posed->pose, posed->displaced, cluster);
	sgFields_GetKernels()->evaluateBlocks(&blocks, count, out);
}

static size_t DisplacedBytes(const snugModel* model)
{
	return sgFields_CountDisplaced(model, GetFields(model)) * sizeof(sgLaneFloats);
}

static void Displace(const snugModel* model, const void* const poses[SG_TOGETHER], sgLaneFloats* const out[SG_TOGETHER])
{
	const sgFieldsPose* own[SG_TOGETHER];
	for (int k = 0; k < SG_TOGETHER; ++k)
	{
		own[k] = poses[k];
	}
	sgFields_Displace(model, GetFields(model), own, out);
}

static void Bound(const sgPosed* posed, sgLaneSet set, sgBoxLanes* out)
{
	const sgFields* fields = GetFields(posed->model);
	sgFields_GetKernels()->bound(fields, fields->groups + set.group, posed->pose, set.mask, out);
}

static bool BoundTurned(
    const sgPosed* posed, const double rotation[3][3], sgLaneSet set, void* room, sgBoxLanes* boxes, double slack[3])
{
	const sgFields* fields = GetFields(posed->model);
	(void)room;
	float factors[3][3];
	for (int i = 0; i < 9; ++i)
	{
		factors[i / 3][i % 3] = (float)rotation[i / 3][i % 3];
		slack[i / 3] = 0.0; // it is in the boxes
	}
	sgFields_GetKernels()->boundTurned(
	    fields, fields->groups + set.group, posed->pose, (const float(*)[3])factors, set.mask, boxes);
	return true;
}

// Along a way of length `travel` in the space of amplitudes no exact position moves farther than stretch * travel.
// Evaluated positions are off by `error` of the reach then and now, per axis, and the reach then was at most the reach
// now and span * travel. No node moves farther than the one above it does, which is all that is known of leaves.
static float Growth(const sgPosed* posed, sgLaneSet set, double travel, float distances[SG_LANES])
{
	const sgNode* nodes = posed->model->tree.nodes;
	const sgFields* fields = GetFields(posed->model);
	const sgFieldsPose* now = posed->pose;
	double reach = (double)fmaxf(now->reach[0], fmaxf(now->reach[1], now->reach[2]));
	double error = sqrt(3.0) * sgFields_EvaluationError(fields->header);
	double shared = error * ((double)fields->header->span * travel + SG_MARGIN_GROWTH * reach);
	// In float32, each off by a few 2^-24 of itself, which the factor covers; an infinite travel gives infinity.
	float way = (float)travel * (1.0f + 0x1p-20f) + 0x1p-140f, rest = (float)shared * (1.0f + 0x1p-20f) + 0x1p-140f;
	uint32_t parent = nodes[set.group * SG_LANES].parent;
	float above = fields->header->stretch;
	if (parent != SG_NONE)
	{
		const sgFieldsGroup* group = fields->groups + parent / SG_LANES;
		above = sgFieldsGroup_Head(fields, group)->stretch.lane[parent % SG_LANES];
	}
	const float most = (above * way + rest) * (1.0f + 0x1p-20f);
	const uint32_t known = set.mask & ~set.leafMask;
	const sgFieldsHead* head = sgFieldsGroup_Head(fields, fields->groups + set.group);
	for (uint32_t lane = 0; lane < SG_LANES && known != 0; ++lane)
	{
		distances[lane] = (head->stretch.lane[lane] * way + rest) * (1.0f + 0x1p-20f);
	}
	for (uint32_t left = set.mask & ~known; left != 0; left &= left - 1)
	{
		distances[sgLowestBit(left)] = most;
	}
	return most;
}

static void Reach(const sgPosed* posed, float reach[3])
{
	const sgFieldsPose* pose = posed->pose;
	memcpy(reach, pose->reach, sizeof(pose->reach));
}

// Evaluated positions are off by a part of the reach, per axis.
static uint64_t Certify(const sgPosed* posed, uint32_t slotA, uint32_t slotB, bool keepRest)
{
	const Arrays* arrays = posed->model->arrays;
	const sgFieldsPose* pose = posed->pose;
	double reach2 = 0.0;
	for (int axis = 0; axis < 3; ++axis)
	{
		reach2 += (double)pose->reach[axis] * (double)pose->reach[axis];
	}
	const double error = sgFields_EvaluationError(arrays->fields.header) * sqrt(reach2);
	return sgCertificates_Certify(
	    &arrays->certificates, &arrays->fields, sgFieldsPose_Amplitudes(pose), error, slotA, slotB, keepRest);
}

const sgDeform sgDeform_fields = {
	.name = "fields",
	.deformer = snug_fields,
	.build = Build,
	.fits = Fits,
	.check = Check,
	.describe = Describe,
	.bind = Bind,
	.arrayBytes = sizeof(Arrays),
#if !SNUG_FOR_SIZE
	.buildCertificates = BuildCertificates,
#endif
	.checkCertificates = CheckCertificates,
	.certify = Certify,
	.inputs = 1u << sgPose_amplitudes,
	.poseBytes = PoseBytes,
	.setPose = SetPose,
	.posesInPlace = true,
	.evaluate = Evaluate,
	.evaluateCluster = EvaluateCluster,
	.displacedBytes = DisplacedBytes,
	.displace = Displace,
	.bound = Bound,
	.reach = Reach,
	.boundTurned = BoundTurned,
	.growth = Growth,
	.restIsExact = true,
};
