// src/deform/bounds/blend.c: where everything is in what is stored. See blend.h.
#include "deform/bounds/blend.h"

#include <float.h>
#include <string.h>

uint32_t sgBlendKind_EntryValues(sgBlendKind kind)
{
	size_t bytes = kind == sgBlend_firstOrder ? sizeof(sgFirstEntry) : sizeof(sgLocalEntry);
	return (uint32_t)(bytes / sizeof(sgLaneFloats));
}

uint32_t sgBlendFamily_HeadValues(const sgBlendFamily* family)
{
	size_t bytes = sizeof(sgBlendCommon) + (family->kind == sgBlend_firstOrder ? sizeof(sgBlendVolume) : 0);
	return (uint32_t)(bytes / sizeof(sgLaneFloats));
}

uint64_t sgBlendFamily_Values(const sgBlendFamily* family)
{
	uint32_t each = sgBlendKind_EntryValues((sgBlendKind)family->kind);
	return sgBlendFamily_HeadValues(family) + (uint64_t)family->entryCount * each;
}

void sgBlend_ListArrays(
    const snugModel* model, const sgBlendHeader* header, uint32_t boundedCount, sgArray list[SG_BLEND_ARRAYS])
{
	const sgTree* tree = &model->tree;
	const sgRowsOf of = sgModel_RowsOf(model);
	uint64_t transforms = header->transformCount;
	static const char noJoint[] = "a joint of a bound does not exist",
	                  notFinite[] = "a number of a bound is not finite";
	sgRows_List(list, offsetof(sgBlend, rows), &of, &header->rows, 1, (double)transforms);
	const sgArray others[] = {
		{ SG_ARRAY(sgBlend, firstFamilies, tree->groupCount) },
		{ SG_ARRAY(sgBlend, families, header->familyCount) },
		{ SG_ARRAY(sgBlend, entryTransforms, header->entryCount), sgElements_index, boundedCount, noJoint },
		{ SG_ARRAY(sgBlend, values, header->valueCount), sgElements_floats, FLT_MAX, notFinite },
		{ SG_ARRAY(sgBlend, moved, sgBlend_BlockCount(header->transformCount)), sgElements_floats, FLT_MAX, notFinite },
		{ SG_ARRAY(sgBlend, across, transforms), sgElements_index, (double)transforms, noJoint },
	};
	_Static_assert(SG_ROWS_ARRAYS + sizeof(others) / sizeof(others[0]) == SG_BLEND_ARRAYS, "all of them");
	memcpy(list + SG_ROWS_ARRAYS, others, sizeof(others));
}

size_t sgBlend_Bytes(const snugModel* model, const sgBlendHeader* header)
{
	sgArray list[SG_BLEND_ARRAYS];
	sgBlend_ListArrays(model, header, 0, list);
	return sgArrays_Bytes(sizeof(*header), list, SG_BLEND_ARRAYS);
}

sgBlend sgBlend_Bind(const snugModel* model, const void* data)
{
	sgBlend blend = { .header = data, .rows.width = 1 };
	sgArray list[SG_BLEND_ARRAYS];
	sgBlend_ListArrays(model, blend.header, 0, list);
	sgArrays_Bind(sizeof(sgBlendHeader), list, SG_BLEND_ARRAYS, data, &blend);
	return blend;
}

sgBlend sgBlend_Get(const snugModel* model)
{
	return sgBlend_Bind(model, model->deformData);
}
