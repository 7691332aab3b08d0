// src/deform/fields/fields_check.c: displacement fields that come from a file. See fields.h.
#include "deform/fields/fields.h"

#include <math.h>

bool sgFields_Fits(const snugModel* model, const void* data, size_t bytes)
{
	const sgFieldsHeader* header = data;
	return bytes >= sizeof(*header) && header->fieldCount >= 1 && header->fieldCount <= UINT16_MAX &&
	       header->rows.entries <= UINT32_MAX / 2 && header->hasIntervals <= 1 &&
	       sgFields_Bytes(model, header) == bytes;
}

// Groups lie one behind the other, and each has what it should have.
static const char* CheckGroups(const snugModel* model, const sgFields* fields)
{
	static const char fault[] = "the bound of a group is out of place";
	const sgFieldsHeader* header = fields->header;
	uint64_t values = 0, numbers = 0;
	for (uint32_t g = 0; g < model->tree.groupCount; ++g)
	{
		const sgFieldsGroup* group = fields->groups + g;
		bool isBounded = sgFields_BoundedLanes(&model->tree, g) != 0;
		bool isGood = isBounded ? group->hasIntervals <= 1 && group->hasIntervals >= header->hasIntervals
		                        : group->hasIntervals == 0 && group->fieldCount == 0;
		if (!isGood || group->values != values || group->fields != numbers ||
		    group->fieldCount > header->groupFieldCount - numbers)
		{
			return fault;
		}
		values += isBounded ? sgFieldsGroup_Values(group) : 0;
		numbers += group->fieldCount;
		if (values > header->groupValueCount)
		{
			return fault;
		}
		const uint16_t* own = fields->groupFields + group->fields;
		for (uint32_t i = 1; i < group->fieldCount; ++i)
		{
			if (own[i - 1] >= own[i])
			{
				return fault;
			}
		}
	}
	return values == header->groupValueCount && numbers == header->groupFieldCount ? NULL : fault;
}

// Numbers of the model as a whole: rounding is a multiple of them, so they must be neither too small nor infinite.
static const char* CheckReach(const snugModel* model, const sgFields* fields)
{
	const sgFieldsHeader* header = fields->header;
	float reach[3];
	sgModel_FindReach(model, reach);
	bool isGood =
	    isfinite(header->span) && isfinite(header->stretch) && header->span >= 0.0f && header->stretch >= 0.0f;
	for (int axis = 0; axis < 3; ++axis)
	{
		isGood = isGood && header->restReach[axis] == reach[axis] && header->reach[axis] >= reach[axis] &&
		         isfinite(header->reach[axis]);
	}
	return isGood ? NULL : "the reach of its displacements is wrong";
}

const char* sgFields_Check(const snugModel* model, const void* data, void* scratch)
{
	sgFields fields = sgFields_Bind(model, data);
	const sgRowsOf of = sgModel_RowsOf(model);
	sgArray list[SG_FIELDS_ARRAYS];
	sgFields_ListArrays(model, fields.header, list);
	const char* fault = sgArrays_Check(list, SG_FIELDS_ARRAYS, &fields);
	fault = fault == NULL ? sgRows_Check(&fields.rows, &of, &fields.header->rows, fields.most, scratch) : fault;
	fault = fault == NULL ? CheckGroups(model, &fields) : fault;
	return fault == NULL ? CheckReach(model, &fields) : fault;
}
