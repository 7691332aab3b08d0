// src/deform/fields/fields.c: where the data of displacement fields are, and poses. See fields.h.
#include "deform/fields/fields.h"

#include "deform/fields/fields_kernels.h"
#include "geometry/frame.h"
#include "geometry/margins.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double roundoff = 0x1p-24;

uint64_t sgFieldsGroup_Values(const sgFieldsGroup* group)
{
	uint64_t each = sizeof(sgFieldFit) + (group->hasIntervals != 0 ? sizeof(sgFieldInterval) : 0);
	return (sizeof(sgFieldsHead) + group->fieldCount * each) / sizeof(sgLaneFloats);
}

void sgFields_ListArrays(const snugModel* model, const sgFieldsHeader* header, sgArray list[SG_FIELDS_ARRAYS])
{
	const sgRowsOf of = sgModel_RowsOf(model);
	sgRows_List(list, offsetof(sgFields, rows), &of, &header->rows, 3, header->fieldCount);
	const sgArray others[] = {
		{ SG_ARRAY(sgFields, most, 3 * (uint64_t)header->fieldCount), sgElements_floats, (double)SNUG_MAX_COORDINATE,
		    "a displacement is not finite or too large" },
		{ SG_ARRAY(sgFields, groups, model->tree.groupCount) },
		{ SG_ARRAY(sgFields, groupFields, header->groupFieldCount), sgElements_index, header->fieldCount,
		    "a field of a bound does not exist" },
		{ SG_ARRAY(sgFields, groupValues, header->groupValueCount), sgElements_floats, FLT_MAX,
		    "a number of a bound is not finite" },
	};
	_Static_assert(SG_ROWS_ARRAYS + sizeof(others) / sizeof(others[0]) == SG_FIELDS_ARRAYS, "all of them");
	memcpy(list + SG_ROWS_ARRAYS, others, sizeof(others));
}

size_t sgFields_Bytes(const snugModel* model, const sgFieldsHeader* header)
{
	sgArray list[SG_FIELDS_ARRAYS];
	sgFields_ListArrays(model, header, list);
	return sgArrays_Bytes(sizeof(*header), list, SG_FIELDS_ARRAYS);
}

sgFields sgFields_Bind(const snugModel* model, const void* data)
{
	sgFields fields = { .header = data, .rows.width = 3 };
	sgArray list[SG_FIELDS_ARRAYS];
	sgFields_ListArrays(model, fields.header, list);
	sgArrays_Bind(sizeof(sgFieldsHeader), list, SG_FIELDS_ARRAYS, data, &fields);
	return fields;
}

// Products round once each and sums once per field; adding zeros rounds nothing.
double sgFields_EvaluationError(const sgFieldsHeader* header)
{
	return SG_MARGIN_SQUARES * SG_MARGIN_FIELDS(header->rows.most) * roundoff;
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
		sgRow row = sgRows_Get(&fields->rows, v);
		for (uint32_t j = 0; j < row.count; ++j)
		{
			float amplitude = amplitudes[row.numbers[j]];
			for (size_t axis = 0; axis < 3; ++axis)
			{
				sum[axis] += amplitude * row.values[(3 * j + axis) * SG_LANES];
			}
		}
	}
}

size_t sgFields_CountDisplaced(const snugModel* model, const sgFields* fields)
{
	const sgClusterHeader* clusters = model->clusters.header;
	return clusters != NULL ? 3 * (size_t)fields->rows.firstBlocks[clusters->count] : 0;
}

// Vertices on the border of a cluster are in blocks of its neighbours too, with the same rows.
static void CopyBlock(const sgRows* rows, const uint32_t* vertices, uint32_t block, sgLaneFloats* out)
{
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		const uint32_t place = rows->places[vertices[lane]];
		for (uint32_t axis = 0; axis < 3; ++axis)
		{
			out[3 * (size_t)block + axis].lane[lane] =
			    out[3 * (size_t)(place / SG_LANES) + axis].lane[place % SG_LANES];
		}
	}
}

void sgFields_Displace(const snugModel* model, const sgFields* fields, const sgFieldsPose* const poses[SG_TOGETHER],
    sgLaneFloats* const out[SG_TOGETHER])
{
	const sgRowsOf of = sgModel_RowsOf(model);
	const sgRows* rows = &fields->rows;
	for (uint32_t c = 0; c < of.clusters->header->count; ++c)
	{
		const uint32_t* vertices = of.clusters->vertices + of.clusters->clusters[c].firstVertex;
		const uint32_t first = rows->firstBlocks[c], lent = sgRows_CountLent(rows, &of, c);
		for (uint32_t i = 0; i < lent; ++i)
		{
			for (int k = 0; k < SG_TOGETHER; ++k)
			{
				CopyBlock(rows, vertices + i * SG_LANES, first + i, out[k]);
			}
		}
		sgFields_GetKernels()->displaceBlocks(fields, first + lent, rows->firstBlocks[c + 1], poses, out);
	}
}

// The last term covers the absolute errors of subnormal products: see docs/bounds/rounding.md.
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

void sgFields_Describe(const snugModel* model, const void* data, sgContents* contents)
{
	const sgFieldsHeader* header = data;
	contents->fieldCount = header->fieldCount;
	contents->displacementCount = header->rows.entries;
	contents->displacements = sgFields_Bind(model, data).rows;
}
