// src/deform/bounds/linear_bounds_check.c: checking the data of rows and their bounds that come from a file. See
// linear_bounds_build.h.
#include "deform/bounds/linear_bounds_build.h"

#include <math.h>

static const char* CheckFamilies(const sgLinear* blend, const sgFamilyRules* rules)
{
	const sgLinearHeader* header = blend->header;
	uint64_t entry = 0, value = 0;
	for (uint32_t i = 0; i < header->familyCount; ++i)
	{
		const sgLinearFamily* family = blend->families + i;
		bool isAcross = family->isAcross == rules->across && family->kind == sgLinear_local;
		if (family->kind > rules->greatest || family->firstEntry != entry || family->values != value ||
		    (family->isAcross != 0 && !isAcross) || family->reserved != 0)
		{
			return "a family's bound is out of place";
		}
		if (sgLinearFamily_Numbers(family) > header->entryCount - entry ||
		    sgLinearFamily_Values(family) > header->valueCount - value)
		{
			return "a family's bound is too large";
		}
		// Some nodes that are bounded alone list blocks of eight transforms instead of transforms.
		uint32_t blocks = sgLinear_BlockCount(rules->boundedCount);
		if (family->isAcross == sgAcross_blocks && family->entryCount > 0 &&
		    sgGreatest16(blend->entryTransforms + entry, family->entryCount) >= blocks)
		{
			return "a joint of a bound does not exist";
		}
		entry += sgLinearFamily_Numbers(family);
		value += sgLinearFamily_Values(family);
	}
	if (entry != header->entryCount || value != header->valueCount)
	{
		return "the families' bounds are too small";
	}
	return NULL;
}

// Records of the lanes of a family, from `number` on: one for all, or one each. Zero if they are not there.
static uint32_t CountRecords(const sgLinear* blend, sgLaneSet family, uint32_t number)
{
	const sgLinearHeader* header = blend->header;
	if (number >= header->familyCount)
	{
		return 0;
	}
	uint32_t lanes = (uint32_t)__builtin_popcount(sgLinear_BoundedLanes(family));
	uint32_t count = blend->families[number].isAcross ? lanes : 1;
	for (uint32_t i = 0; i < count; ++i)
	{
		if (number + i >= header->familyCount ||
		    blend->families[number + i].isAcross != blend->families[number].isAcross)
		{
			return 0;
		}
	}
	return count;
}

static const char* CheckFamilyNumbers(const sgLinear* blend, const sgTree* tree, bool hasFamilies)
{
	const sgLinearHeader* header = blend->header;
	uint32_t number = 0;
	for (uint32_t group = 0; group < tree->groupCount; ++group)
	{
		sgLaneSet family = sgTree_Family(tree, group * SG_LANES);
		bool hasFamily = hasFamilies && sgLinear_BoundedLanes(family) != 0;
		uint32_t count = hasFamily ? CountRecords(blend, family, number) : 0;
		if (blend->firstFamilies[group] != (hasFamily ? number : SG_NONE) || (hasFamily && count == 0))
		{
			return "a node's family is wrong";
		}
		number += count;
	}
	return number == header->familyCount ? NULL : "the number of families is wrong";
}

// All transforms, each once.
static const char* CheckAcross(const sgLinear* blend)
{
	uint64_t seen[(UINT16_MAX + 1) / 64] = { 0 };
	for (uint32_t i = 0; i < blend->header->transformCount; ++i)
	{
		uint16_t transform = blend->across[i];
		if ((seen[transform / 64] >> transform % 64 & 1) != 0)
		{
			return "the order of its joints repeats one";
		}
		seen[transform / 64] |= (uint64_t)1 << transform % 64;
	}
	return NULL;
}

// Bounds are widened by a multiple of the reach, for the sake of rounding: it must be neither too small nor infinite.
static const char* CheckReach(const snugModel* model, const sgLinearHeader* header)
{
	float reach[3];
	sgModel_FindReach(model, reach);
	for (int axis = 0; axis < 3; ++axis)
	{
		if (!(header->reach[axis] >= reach[axis]) || !isfinite(header->reach[axis]))
		{
			return "its reach is wrong";
		}
	}
	return NULL;
}

bool sgLinear_FitsHeader(const snugModel* model)
{
	const sgLinearHeader* header = model->deformData;
	return model->deformBytes >= sizeof(*header) && header->transformCount >= 1 &&
	       header->transformCount <= UINT16_MAX && header->rows.entries <= UINT32_MAX / 2;
}

const char* sgLinear_CheckData(const snugModel* model, const sgLinear* blend, const sgFamilyRules* rules, void* scratch)
{
	const sgRowsOf of = sgModel_RowsOf(model);
	sgArray list[SG_BLEND_ARRAYS];
	sgLinear_ListArrays(model, blend->header, rules->boundedCount, list);
	const char* fault = sgArrays_Check(list, SG_BLEND_ARRAYS, blend);
	fault = fault != NULL ? fault : sgRows_Check(&blend->rows, &of, &blend->header->rows, NULL, scratch);
	fault = fault == NULL ? CheckAcross(blend) : fault;
	fault = fault == NULL ? CheckFamilies(blend, rules) : fault;
	fault = fault == NULL ? CheckFamilyNumbers(blend, &model->tree, rules->boundedCount > 0) : fault;
	return fault == NULL ? CheckReach(model, blend->header) : fault;
}
