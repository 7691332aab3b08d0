// src/deform/bounds/linear_bounds.c: where the stored arrays are. See linear_bounds.h.
#include "deform/bounds/linear_bounds.h"

#include <float.h>
#include <string.h>

uint32_t sgLinearKind_EntryValues(sgLinearKind kind)
{
	size_t bytes = kind == sgLinear_firstOrder ? sizeof(sgFirstEntry) : sizeof(sgLocalEntry);
	return (uint32_t)(bytes / sizeof(sgLaneFloats));
}

uint32_t sgLinearFamily_HeadValues(const sgLinearFamily* family)
{
	size_t bytes = sizeof(sgLinearCommon) + (family->kind == sgLinear_firstOrder ? sizeof(sgLinearVolume) : 0);
	return (uint32_t)(bytes / sizeof(sgLaneFloats));
}

uint64_t sgLinearFamily_Values(const sgLinearFamily* family)
{
	uint32_t each = sgLinearKind_EntryValues((sgLinearKind)family->kind);
	return sgLinearFamily_HeadValues(family) + (uint64_t)family->entryCount * each;
}

void sgLinear_ListArrays(
    const snugModel* model, const sgLinearHeader* header, uint32_t boundedCount, sgArray list[SG_BLEND_ARRAYS])
{
	const sgTree* tree = &model->tree;
	const sgRowsOf of = sgModel_RowsOf(model);
	uint64_t transforms = header->transformCount;
	static const char noJoint[] = "a joint of a bound does not exist",
	                  notFinite[] = "a number of a bound is not finite";
	sgRows_List(list, offsetof(sgLinear, rows), &of, &header->rows, 1, (double)transforms);
	const sgArray others[] = {
		{ SG_ARRAY(sgLinear, firstFamilies, tree->groupCount) },
		{ SG_ARRAY(sgLinear, families, header->familyCount) },
		{ SG_ARRAY(sgLinear, entryTransforms, header->entryCount), sgElements_index, boundedCount, noJoint },
		{ SG_ARRAY(sgLinear, values, header->valueCount), sgElements_floats, FLT_MAX, notFinite },
		{ SG_ARRAY(sgLinear, moved, sgLinear_BlockCount(header->transformCount)), sgElements_floats, FLT_MAX,
		    notFinite },
		{ SG_ARRAY(sgLinear, across, transforms), sgElements_index, (double)transforms, noJoint },
	};
	_Static_assert(SG_ROWS_ARRAYS + sizeof(others) / sizeof(others[0]) == SG_BLEND_ARRAYS, "all of them");
	memcpy(list + SG_ROWS_ARRAYS, others, sizeof(others));
}

size_t sgLinear_Bytes(const snugModel* model, const sgLinearHeader* header)
{
	sgArray list[SG_BLEND_ARRAYS];
	sgLinear_ListArrays(model, header, 0, list);
	return sgArrays_Bytes(sizeof(*header), list, SG_BLEND_ARRAYS);
}

sgLinear sgLinear_Bind(const snugModel* model, const void* data)
{
	sgLinear blend = { .header = data, .rows.width = 1 };
	sgArray list[SG_BLEND_ARRAYS];
	sgLinear_ListArrays(model, blend.header, 0, list);
	sgArrays_Bind(sizeof(sgLinearHeader), list, SG_BLEND_ARRAYS, data, &blend);
	return blend;
}

sgLinear sgLinear_Get(const snugModel* model)
{
	return sgLinear_Bind(model, model->deformData);
}
