// src/deform/fields/morph.c: see morph.h.
#include "deform/fields/morph.h"

#include "deform/fields/fields_kernels.h"

#include <string.h>

snugStatus sgMorph_Build(const snugModel* model, const snugModelDef* def, void** data, size_t* bytes)
{
	*data = NULL;
	*bytes = 0;
	return def->fields.fieldCount == 0 ? snug_success : sgFields_Build(model, def, true, data, bytes);
}

size_t sgMorph_PoseBytes(const snugModel* model, size_t end)
{
	const void* data = (const char*)model->deformData + end;
	return end < model->deformBytes ? sgFieldsPose_Bytes(data) : 0;
}

sgMorph sgMorph_Bind(const snugModel* model, size_t end, size_t place)
{
	sgMorph morph = { .place = place };
	if (end < model->deformBytes)
	{
		morph.fields = sgFields_Bind(model, (const char*)model->deformData + end);
	}
	return morph;
}

void sgMorph_SetPose(
    const sgMorph* morph, const sgPoseInput* input, const void* before, void* pose, sgPoseChange* change)
{
	if (morph->fields.header == NULL)
	{
		return;
	}
	sgFieldsPose* amplitudes = (sgFieldsPose*)(void*)((char*)pose + morph->place);
	if (input->kind == sgPose_rest)
	{
		sgFieldsPose_SetRest(&morph->fields, amplitudes);
		return;
	}
	memcpy(amplitudes, (const char*)before + morph->place, sgFieldsPose_Bytes(morph->fields.header));
	if (input->kind == sgPose_amplitudes)
	{
		sgFieldsPose_Set(&morph->fields, amplitudes, input->data, change);
	}
}

size_t sgMorph_DisplacedBytes(const sgMorph* morph, const snugModel* model)
{
	return morph->fields.header != NULL ? sgFields_CountDisplaced(model, &morph->fields) * sizeof(sgLaneFloats) : 0;
}

void sgMorph_Displace(const sgMorph* morph, const snugModel* model, const void* const poses[SG_TOGETHER],
    sgLaneFloats* const out[SG_TOGETHER])
{
	const sgFieldsPose* amplitudes[SG_TOGETHER];
	for (int k = 0; k < SG_TOGETHER; ++k)
	{
		amplitudes[k] = (const void*)((const char*)poses[k] + morph->place);
	}
	sgFields_Displace(model, &morph->fields, amplitudes, out);
}

/// Fits must make displaced nodes smaller by at least this part of their extent at rest, or they do not pay.
#define LEAST_GAIN 0.05f

// How much smaller fits make nodes than intervals do, over all of them and all axes.
static bool IsFitGood(const sgMorphLanes* lanes)
{
	float gain = 0.0f, extent = 0.0f;
	for (int axis = 0; axis < 3; ++axis)
	{
		for (int i = 0; i < SG_LANES; ++i)
		{
			float more = lanes->half[axis][i] - lanes->residual[axis][i];
			gain += more > 0.0f ? more : 0.0f;
			extent += lanes->extent[axis][i];
		}
	}
	return gain > LEAST_GAIN * extent;
}

bool sgMorph_Bound(const sgFields* fields, const sgFieldsPose* pose, uint32_t number, sgMorphLanes* out)
{
	const sgFieldsGroup* group = fields->groups + number;
	const float* amplitudes = sgFieldsPose_Amplitudes(pose);
	bool isActive = false;
	for (uint32_t f = 0; f < group->fieldCount; ++f)
	{
		isActive = isActive || amplitudes[fields->groupFields[group->fields + f]] != 0.0f;
	}
	if (!isActive)
	{
		return false;
	}
	sgFields_GetKernels()->displace(fields, group, pose, out);
	out->hasFit = out->hasFit && IsFitGood(out);
	return true;
}
