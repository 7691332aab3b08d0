// src/deform/fields/morph.c: see morph.h.
#include "deform/fields/morph.h"

#include "geometry/frame.h"

#include <math.h>
#include <string.h>

snugStatus sgMorph_Build(const snugModel* model, const snugModelDef* def, void** data, size_t* bytes)
{
	*data = NULL;
	*bytes = 0;
	const snugBoundsDef bounds = sgModelDef_Bounds(def);
	if (bounds.fieldsBound != snug_boundDefault && bounds.fieldsBound != snug_boundInterval &&
	    bounds.fieldsBound != snug_boundFirstOrder)
	{
		return sgFail(&def->messenger, snug_badArgument,
		    "morph targets of a skin are bounded by intervals, to first order, or by both, which is the default");
	}
	if (def->fields.fieldCount == 0)
	{
		return snug_success;
	}
	const uint32_t both = sgFields_intervals | sgFields_fits;
	const sgFieldsPlan plan = {
		.parts = bounds.fieldsBound == snug_boundInterval     ? sgFields_intervals
		         : bounds.fieldsBound == snug_boundFirstOrder ? sgFields_fits
		                                                      : both,
		.boundLeaves = bounds.boundLeaves,
		.bound = bounds.fieldsBound,
		.volume = snug_volumeBox,
	};
	return sgFields_Build(model, def, &plan, data, bytes);
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

/// Sums over fields in double, eight nodes side by side.
typedef struct Sums
{
	double lower[3][SG_LANES], upper[3][SG_LANES];
	double mean[3][SG_LANES], gradient[3][3][SG_LANES], residual[3][SG_LANES];
} Sums;

static void AddInterval(Sums* sums, const sgFieldInterval* interval, double amplitude)
{
	const sgLaneFloats* least = amplitude > 0.0 ? interval->lower : interval->upper;
	const sgLaneFloats* most = amplitude > 0.0 ? interval->upper : interval->lower;
	for (int axis = 0; axis < 3; ++axis)
	{
		for (int i = 0; i < SG_LANES; ++i)
		{
			sums->lower[axis][i] += amplitude * (double)least[axis].lane[i];
			sums->upper[axis][i] += amplitude * (double)most[axis].lane[i];
		}
	}
}

static void AddFit(Sums* sums, const sgFieldFit* fit, double amplitude)
{
	for (int axis = 0; axis < 3; ++axis)
	{
		for (int i = 0; i < SG_LANES; ++i)
		{
			sums->mean[axis][i] += amplitude * (double)fit->mean[axis].lane[i];
			sums->gradient[axis][0][i] += amplitude * (double)fit->gradient[axis][0].lane[i];
			sums->gradient[axis][1][i] += amplitude * (double)fit->gradient[axis][1].lane[i];
			sums->gradient[axis][2][i] += amplitude * (double)fit->gradient[axis][2].lane[i];
			sums->residual[axis][i] += fabs(amplitude) * (double)fit->residual[axis].lane[i];
		}
	}
}

// What the coefficients of fits lose when they are rounded to float32 goes to the residual, over the node's extent.
static void StoreFit(const Sums* sums, const sgFieldsHead* head, double error, int axis, int i, sgMorphLanes* out)
{
	float mean = sgRoundNearest(sums->mean[axis][i]);
	double residual = sums->residual[axis][i] * (1.0 + 0x1p-30) + fabs(sums->mean[axis][i] - (double)mean) + error;
	out->mean[axis][i] = mean;
	for (int k = 0; k < 3; ++k)
	{
		double extent = head->half[k].lane[i], gradient = sums->gradient[axis][k][i];
		float rounded = sgRoundNearest(gradient);
		out->gradient[axis][k][i] = rounded;
		residual += fabs(gradient - (double)rounded) * extent * (1.0 + 0x1p-30);
	}
	out->residual[axis][i] = sgRoundUp(residual);
	out->center[axis][i] = head->center[axis].lane[i];
	out->extent[axis][i] = head->half[axis].lane[i];
}

// Where there are fits only, the box that follows from them.
static void IntervalOfFit(const sgFieldsHead* head, int axis, int i, Sums* sums)
{
	double extent = sums->residual[axis][i] * (1.0 + 0x1p-30);
	for (int k = 0; k < 3; ++k)
	{
		extent += fabs(sums->gradient[axis][k][i]) * (double)head->half[k].lane[i] * (1.0 + 0x1p-30);
	}
	sums->lower[axis][i] = sums->mean[axis][i] - extent;
	sums->upper[axis][i] = sums->mean[axis][i] + extent;
}

/// Fits that make displaced nodes less smaller than this, as a part of their extent at rest, are not worth their time.
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

// Evaluation is off by a known part of the reach, sums in double by far less: twice that covers both.
bool sgMorph_Bound(const sgFields* fields, const sgFieldsPose* pose, uint32_t number, sgMorphLanes* out)
{
	const sgFieldsGroup* group = fields->groups + number;
	const float* amplitudes = sgFieldsPose_Amplitudes(pose);
	const uint16_t* numbers = fields->groupFields + group->fields;
	bool hasIntervals = (group->parts & sgFields_intervals) != 0;
	bool isActive = false;
	for (uint32_t f = 0; f < group->fieldCount; ++f)
	{
		isActive = isActive || amplitudes[numbers[f]] != 0.0f;
	}
	if (!isActive)
	{
		return false;
	}
	Sums sums;
	memset(&sums, 0, sizeof(sums));
	out->hasFit = (group->parts & sgFields_fits) != 0;
	for (uint32_t f = 0; f < group->fieldCount; ++f)
	{
		double amplitude = (double)amplitudes[numbers[f]];
		if (amplitude != 0.0 && hasIntervals)
		{
			AddInterval(
			    &sums, (const sgFieldInterval*)sgFieldsGroup_Part(fields, group, sgFields_intervals) + f, amplitude);
		}
		if (amplitude != 0.0 && out->hasFit)
		{
			AddFit(&sums, (const sgFieldFit*)sgFieldsGroup_Part(fields, group, sgFields_fits) + f, amplitude);
		}
	}
	const sgFieldsHead* head = sgFieldsGroup_Head(fields, group);
	for (int axis = 0; axis < 3; ++axis)
	{
		double error = 2.0 * sgFields_EvaluationError(fields->header) * (double)pose->reach[axis];
		for (int i = 0; i < SG_LANES; ++i)
		{
			if (!hasIntervals)
			{
				IntervalOfFit(head, axis, i, &sums);
			}
			double lower = sums.lower[axis][i] - error, upper = sums.upper[axis][i] + error;
			out->middle[axis][i] = sgRoundNearest(0.5 * (lower + upper));
			double above = upper - (double)out->middle[axis][i], below = (double)out->middle[axis][i] - lower;
			out->half[axis][i] = sgRoundUp(above > below ? above : below);
			if (out->hasFit)
			{
				StoreFit(&sums, head, error, axis, i, out);
			}
		}
	}
	out->hasFit = out->hasFit && (!hasIntervals || IsFitGood(out));
	return true;
}
