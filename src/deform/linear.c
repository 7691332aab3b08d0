// src/deform/linear.c: the deformer of displacement fields alone: vibration modes, morph targets, principal components.
// All that it knows is in fields.h; a pose is a set of amplitudes.
#include "base/fpenv.h"
#include "body/body.h"
#include "deform/linear_kernels.h"
#include "geometry/margins.h"
#include "geometry/volume.h"
#include "simd/isa.h"

#include <math.h>

const sgLinearKernels* sgLinear_GetKernels(void)
{
	static const sgLinearKernels* const tables[SG_ISA_COUNT] = {
		[sgIsa_scalar] = &sgLinearKernels_scalar,
#if SNUG_HAVE_X86_KERNELS
		[sgIsa_sse2] = &sgLinearKernels_sse2,
		[sgIsa_avx2] = &sgLinearKernels_avx2,
		[sgIsa_avx512] = &sgLinearKernels_avx512,
#endif
	};
	return tables[sgGetIsa()];
}

/// What groups must know for a bound, and the volume that goes with it.
typedef struct BoundKind
{
	snugBound bound;
	uint32_t parts; ///< sgFieldsPlan
	bool isBall;
	bool hasSlabs; ///< k-DOPs are possible
} BoundKind;

static const BoundKind kinds[] = {
	{ snug_boundDefault, 0, false, true },
	{ snug_boundInterval, sgFields_intervals, false, false },
	{ snug_boundZeroOrder, sgFields_deviations, false, false },
	{ snug_boundFirstOrder, sgFields_fits, false, true },
	{ snug_boundOriented, sgFields_oriented, false, false },
	{ snug_boundBall, sgFields_balls, true, false },
	{ snug_boundMeanBall, sgFields_meanBalls, true, false },
};

static const BoundKind* FindKind(snugBound bound)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i)
	{
		if (kinds[i].bound == bound)
		{
			return kinds + i;
		}
	}
	return NULL;
}

static bool GoTogether(const BoundKind* kind, snugVolume volume)
{
	return kind->isBall ? volume == snug_volumeBall
	                    : volume == snug_volumeBox || (kind->hasSlabs && sgVolume_IsDop(volume));
}

static snugStatus Build(const snugModel* model, const snugModelDef* def, void** data, size_t* bytes)
{
	const BoundKind* kind = FindKind(def->fields.bound);
	snugVolume volume = def->fields.volume;
	if (kind == NULL)
	{
		return sgFail(&def->messenger, snug_badArgument, "a bound that displacement fields do not have: %d",
		    (int)def->fields.bound);
	}
	volume = kind->isBall && volume == snug_volumeBox ? snug_volumeBall : volume;
	if (!GoTogether(kind, volume))
	{
		return sgFail(&def->messenger, snug_badArgument,
		    "bound %d and volume %d do not go together: balls have bounds of their own, and k-DOPs need first order",
		    (int)def->fields.bound, (int)def->fields.volume);
	}
	if (def->fields.contactLevel > 0 && !kind->isBall)
	{
		return sgFail(&def->messenger, snug_badArgument, "contact spheres go with the bounds by balls");
	}
	const sgFieldsPlan plan = {
		.parts = kind->parts,
		.boundLeaves = def->fields.boundLeaves || def->fields.contactLevel > 0,
		.contactLevel = def->fields.contactLevel,
		.bound = kind->bound,
		.volume = volume,
	};
	return sgFields_Build(model, def, &plan, data, bytes);
}

static const char* Check(const snugModel* model)
{
	const sgFieldsHeader* header = model->deformData;
	const BoundKind* kind = model->deformBytes >= sizeof(*header) ? FindKind((snugBound)header->bound) : NULL;
	bool hasContacts = kind != NULL && header->contactLevel > 0;
	if (kind == NULL || (hasContacts && (!kind->isBall || header->boundLeaves == 0)) || header->parts != kind->parts ||
	    !GoTogether(kind, (snugVolume)header->volume))
	{
		return "its bound is unknown";
	}
	return sgFields_Check(model, model->deformData, model->deformBytes);
}

static void Describe(const snugModel* model, snugModelInfo* info)
{
	const sgFieldsHeader* header = model->deformData;
	info->fieldCount = header->fieldCount;
}

static size_t PoseBytes(const snugModel* model)
{
	return sgFieldsPose_Bytes(model->deformData);
}

static void SetRest(const snugModel* model, void* pose)
{
	sgFields fields = sgFields_Bind(model->deformData);
	sgFieldsPose_SetRest(&fields, pose);
}

static void Evaluate(const snugModel* model, const void* pose, const uint32_t* vertices, uint32_t count, float* out)
{
	sgFields fields = sgFields_Bind(model->deformData);
	sgFields_Evaluate(&fields, pose, model->positions, vertices, count, out);
}

static void EvaluateCluster(const snugModel* model, const void* pose, uint32_t cluster, float* out)
{
	sgFields fields = sgFields_Bind(model->deformData);
	uint32_t count = model->clusters.clusters[cluster].vertexCount;
	sgLinear_GetKernels()->evaluateBlocks(
	    &fields, fields.firstBlocks[cluster], count, sgFieldsPose_Amplitudes(pose), out);
}

static void Bound(const snugModel* model, const void* pose, sgLaneSet set, sgBoundsOut out)
{
	sgFields fields = sgFields_Bind(model->deformData);
	sgLinear_GetKernels()->bound(&fields, fields.groups + set.group, pose, set.mask, out);
}

static bool BoundsLeaves(const snugModel* model)
{
	const sgFieldsHeader* header = model->deformData;
	return header->boundLeaves != 0;
}

static snugVolume Volume(const snugModel* model)
{
	const sgFieldsHeader* header = model->deformData;
	return (snugVolume)header->volume;
}

// Along a way of length `travel` in the space of amplitudes no exact position moves farther than stretch * travel.
// Evaluated positions are off by `error` of the reach then and now, per axis, and the reach then was at most the reach
// now and span * travel. Leaves that nothing is known of move no farther than the node above them does.
static void Growth(const snugModel* model, const void* pose, sgLaneSet set, double travel, float distances[SG_LANES])
{
	const sgNode* nodes = model->tree.nodes;
	sgFields fields = sgFields_Bind(model->deformData);
	const sgFieldsPose* now = pose;
	double reach = (double)fmaxf(now->reach[0], fmaxf(now->reach[1], now->reach[2]));
	double error = sqrt(3.0) * sgFields_EvaluationError(fields.header);
	double shared = error * ((double)fields.header->span * travel + SG_MARGIN_GROWTH * reach);
	// In float32, each off by a few 2^-24 of itself, which the factor covers; an infinite travel gives infinity.
	float way = (float)travel * (1.0f + 0x1p-20f) + 0x1p-140f, rest = (float)shared * (1.0f + 0x1p-20f) + 0x1p-140f;
	uint32_t parent = nodes[set.group * SG_LANES + set.first].parent;
	float above = fields.header->stretch;
	if (parent != SG_NONE)
	{
		const sgFieldsGroup* group = fields.groups + parent / SG_LANES;
		above = sgFieldsGroup_Head(&fields, group)->stretch.lane[parent % SG_LANES];
	}
	uint32_t known = fields.header->boundLeaves != 0 ? set.mask : set.mask & ~set.leafMask;
	const sgFieldsHead* head = sgFieldsGroup_Head(&fields, fields.groups + set.group);
	for (uint32_t left = set.mask; left != 0; left &= left - 1)
	{
		uint32_t lane = sgLowestBit(left);
		float stretch = (known >> lane & 1) != 0 ? head->stretch.lane[lane] : above;
		distances[lane] = (stretch * way + rest) * (1.0f + 0x1p-20f);
	}
}

static snugStatus SetAmplitudes(snugBody* body, const float* amplitudes, uint32_t count)
{
	sgFields fields = sgFields_Bind(body->model->deformData);
	sgFieldsPose* pose = body->pose;
	double change;
	snugStatus status = sgFieldsPose_Set(&fields, pose, amplitudes, count, &body->messenger, &change);
	// The same amplitudes again change nothing.
	if (status == snug_success && change > 0.0)
	{
		body->isAtRest = pose->activeCount == 0 && body->volume == snug_volumeBox;
		sgBody_Invalidate(body, change);
	}
	return status;
}

const sgDeform sgDeform_linear = {
	.name = "linear",
	.build = Build,
	.check = Check,
	.describe = Describe,
	.poseBytes = PoseBytes,
	.setRest = SetRest,
	.setAmplitudes = SetAmplitudes,
	.evaluate = Evaluate,
	.evaluateCluster = EvaluateCluster,
	.bound = Bound,
	.boundsLeaves = BoundsLeaves,
	.volume = Volume,
	.growth = Growth,
	.restIsExact = true,
};
