// src/deform/fields.c: where the data of displacement fields are, and poses. See fields.h.
#include "deform/fields.h"

#include "geometry/frame.h"
#include "geometry/margins.h"

#include <math.h>
#include <string.h>

static const double roundoff = 0x1p-24;

uint64_t sgFieldsGroup_ValuesBefore(const sgFieldsGroup* group, uint32_t part)
{
	static const struct
	{
		uint32_t once, each;
	} sizes[] = {
		{ 0, sizeof(sgFieldInterval) },
		{ 0, sizeof(sgFieldFit) },
		{ 0, sizeof(sgFieldDeviation) },
		{ sizeof(sgFieldBall), sizeof(sgFieldBall) },
		{ sizeof(sgFieldBall), sizeof(sgFieldBall) },
		{ sizeof(sgFieldAxes) + sizeof(sgFieldInterval), sizeof(sgFieldInterval) },
	};
	uint64_t bytes = sizeof(sgFieldsHead);
	for (uint32_t i = 0; 1u << i < part; ++i)
	{
		bool isThere = (group->parts >> i & 1) != 0;
		bytes += isThere ? sizes[i].once + (uint64_t)group->fieldCount * sizes[i].each : 0;
	}
	return bytes / sizeof(sgLaneFloats);
}

size_t sgFields_Layout(const snugModel* model, sgFieldsHeader* header)
{
	const sgTree* tree = &model->tree;
	const size_t sizes[SG_FIELDS_ARRAYS] = {
		((size_t)tree->vertexCount + 1) * sizeof(uint32_t),
		header->displacementCount * sizeof(uint16_t),
		3 * (size_t)header->displacementCount * sizeof(float),
		3 * (size_t)header->fieldCount * sizeof(float),
		((size_t)model->clusters.header->count + 1) * sizeof(uint32_t),
		header->blockCount * sizeof(sgFieldsBlock),
		header->blockFieldCount * sizeof(uint16_t),
		header->blockValueCount * sizeof(sgLaneFloats),
		tree->groupCount * sizeof(sgFieldsGroup),
		header->groupFieldCount * sizeof(uint16_t),
		header->groupValueCount * sizeof(sgLaneFloats),
	};
	size_t end = sizeof(sgFieldsHeader);
	for (int i = 0; i < SG_FIELDS_ARRAYS; ++i)
	{
		header->offsets[i] = sgAlignUp(end, SG_ALIGNMENT);
		end = (size_t)header->offsets[i] + sizes[i];
	}
	return sgAlignUp(end, SG_ALIGNMENT);
}

sgFields sgFields_Bind(const void* data)
{
	const char* bytes = data;
	const sgFieldsHeader* header = data;
	const uint64_t* offsets = header->offsets;
	return (sgFields){
		.header = header,
		.starts = (const void*)(bytes + offsets[0]),
		.fields = (const void*)(bytes + offsets[1]),
		.displacements = (const void*)(bytes + offsets[2]),
		.most = (const void*)(bytes + offsets[3]),
		.firstBlocks = (const void*)(bytes + offsets[4]),
		.blocks = (const void*)(bytes + offsets[5]),
		.blockFields = (const void*)(bytes + offsets[6]),
		.blockValues = (const void*)(bytes + offsets[7]),
		.groups = (const void*)(bytes + offsets[8]),
		.groupFields = (const void*)(bytes + offsets[9]),
		.groupValues = (const void*)(bytes + offsets[10]),
	};
}

// Products round once each and sums once per field; adding zeros rounds nothing.
double sgFields_EvaluationError(const sgFieldsHeader* header)
{
	return SG_MARGIN_SQUARES * SG_MARGIN_FIELDS(header->maxFields) * roundoff;
}

void sgFields_Evaluate(const sgFields* fields, const sgFieldsPose* pose, const float* positions,
    const uint32_t* vertices, uint32_t count, float* out)
{
	const float* amplitudes = sgFieldsPose_Amplitudes(pose);
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t v = vertices[i];
		float* sum = out + 3 * (size_t)i;
		for (size_t axis = 0; axis < 3; ++axis)
		{
			sum[axis] = positions[3 * (size_t)v + axis] + 0.0f;
		}
		for (uint32_t k = fields->starts[v]; k < fields->starts[v + 1]; ++k)
		{
			float amplitude = amplitudes[fields->fields[k]];
			for (size_t axis = 0; axis < 3; ++axis)
			{
				sum[axis] += amplitude * fields->displacements[3 * (size_t)k + axis];
			}
		}
	}
}

// The last term covers the absolute errors of subnormal products: see docs/bounds.md.
static void SetReach(const sgFieldsHeader* header, const double sums[3], sgFieldsPose* pose)
{
	double size = 1.0 + (double)header->reach[0] + (double)header->reach[1] + (double)header->reach[2];
	for (int axis = 0; axis < 3; ++axis)
	{
		double reach = (double)header->reach[axis] + sums[axis];
		pose->reach[axis] = sgRoundUp(reach * (1.0 + SG_MARGIN_REACH) + SG_MARGIN_UNDERFLOW * size * size);
	}
}

void sgFieldsPose_SetRest(const sgFields* fields, sgFieldsPose* pose)
{
	const double none[3] = { 0.0, 0.0, 0.0 };
	memset(pose, 0, sgFieldsPose_Bytes(fields->header));
	SetReach(fields->header, none, pose);
}

void sgFieldsPose_Set(const sgFields* fields, sgFieldsPose* pose, const float* amplitudes, sgPoseChange* change)
{
	const sgFieldsHeader* header = fields->header;
	float* current = (float*)(void*)(pose + 1);
	double sums[3] = { 0.0, 0.0, 0.0 }, change2 = 0.0;
	for (uint32_t f = 0; f < header->fieldCount; ++f)
	{
		if (!isfinite(amplitudes[f]))
		{
			*change = (sgPoseChange){ .fault = sgPoseFault_notFinite, .culprit = f };
			return;
		}
		for (size_t axis = 0; axis < 3; ++axis)
		{
			sums[axis] += fabs((double)amplitudes[f]) * (double)fields->most[3 * (size_t)f + axis];
		}
		double difference = (double)amplitudes[f] - (double)current[f];
		change2 += difference * difference;
	}
	for (int axis = 0; axis < 3; ++axis)
	{
		double most = (double)header->restReach[axis] + sums[axis];
		if (sums[axis] > 0.0 && !(most <= 0.99 * (double)SNUG_MAX_COORDINATE))
		{
			*change = (sgPoseChange){ .fault = sgPoseFault_tooFar, .culprit = SG_NONE };
			return;
		}
	}
	pose->activeCount = 0;
	for (uint32_t f = 0; f < header->fieldCount; ++f)
	{
		current[f] = amplitudes[f];
		pose->activeCount += amplitudes[f] != 0.0f;
	}
	SetReach(header, sums, pose);
	change->motion = sqrt(change2) * (1.0 + 0x1p-30);
}
