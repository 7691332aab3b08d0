// src/deform/blend_check.c: checking blend data that come from a file. See deform.h.
#include "deform/blend_corners.h"
#include "deform/deform.h"
#include "deform/skin_build.h"

#include <math.h>
#include <string.h>

static const char* CheckFamilies(const sgBlend* blend, uint32_t transformCount, bool isSkin)
{
	const sgBlendHeader* header = blend->header;
	uint64_t entry = 0, value = 0;
	for (uint32_t i = 0; i < header->familyCount; ++i)
	{
		const sgBlendFamily* family = blend->families + i;
		bool isProgram = family->kind <= sgBlend_local;
		bool isAcross = family->isAcross == (isSkin ? sgAcross_eights : sgAcross_blocks) && isProgram &&
		                header->volume == snug_volumeBox;
		bool isKnown = family->kind < SG_BLEND_KINDS && (!isSkin || family->kind >= sgBlend_local);
		if (!isKnown || family->firstEntry != entry || family->values != value ||
		    family->rest > (family->kind <= sgBlend_program ? snug_restDop14 : snug_restBox) ||
		    (family->isAcross != 0 && !(isAcross && family->rest == snug_restBox)) || family->reserved != 0)
		{
			return "a family's bound is out of place";
		}
		if (sgBlendFamily_Numbers(family) > header->entryCount - entry ||
		    sgBlendFamily_Values(family) > header->valueCount - value)
		{
			return "a family's bound is too large";
		}
		// Of some nodes alone, numbers are those of blocks of eight.
		uint32_t blocks = sgBlend_BlockCount(transformCount);
		if (family->isAcross == sgAcross_blocks && family->entryCount > 0 &&
		    sgGreatest16(blend->entryTransforms + entry, family->entryCount) >= blocks)
		{
			return "a joint of a bound does not exist";
		}
		entry += sgBlendFamily_Numbers(family);
		value += sgBlendFamily_Values(family);
	}
	if (entry != header->entryCount || value != header->valueCount)
	{
		return "the families' bounds are too small";
	}
	return NULL;
}

// Records of the lanes of a family, from `number` on: one for all, or one each. Zero if they are not there.
static uint32_t CountRecords(const sgBlend* blend, sgLaneSet family, uint32_t number)
{
	const sgBlendHeader* header = blend->header;
	if (number >= header->familyCount)
	{
		return 0;
	}
	uint32_t lanes = (uint32_t)__builtin_popcount(sgBlend_BoundedLanes(header, family));
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

static const char* CheckFamilyNumbers(const sgBlend* blend, const sgTree* tree)
{
	const sgBlendHeader* header = blend->header;
	uint32_t number = 0;
	if (sgBlend_HasFamily(header, sgTree_Family(tree, 0)))
	{
		number = CountRecords(blend, sgTree_Family(tree, 0), 0);
		if (number == 0)
		{
			return "the root has no bound";
		}
	}
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		bool hasFamily = tree->nodes[slot].childCount > 0 && sgBlend_HasFamily(header, sgTree_Children(tree, slot));
		uint32_t count = hasFamily ? CountRecords(blend, sgTree_Children(tree, slot), number) : 0;
		if (blend->familyOfParent[slot] != (hasFamily ? number : SG_NONE) || (hasFamily && count == 0))
		{
			return "a node's family is wrong";
		}
		number += count;
	}
	return number == header->familyCount ? NULL : "the number of families is wrong";
}

// All transforms, each once.
static const char* CheckAcross(const sgBlend* blend)
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
static const char* CheckReach(const snugModel* model, const sgBlendHeader* header)
{
	float reach[3];
	sgModel_FindReach(model, reach);
	for (int axis = 0; axis < 3; ++axis)
	{
		if (!(header->reach[axis] >= reach[axis]) || !isfinite(header->reach[axis]) ||
		    (!sgSkin_Is(model->deformer) && !sgBlend_IsWithinReach(header)))
		{
			return "its reach is wrong";
		}
	}
	return NULL;
}

// Bounds and volumes that a definition may ask for, and what goes with corners only.
static bool IsBoundKnown(const sgBlendHeader* header, bool isSkin)
{
	bool isCorners = header->bound == snug_boundCorners, isBall = header->volume == snug_volumeBall;
	bool hasSets = header->jointSetCount != 0 || header->setTransformCount != 0 || header->setWeightCount != 0;
	return header->bound <= snug_boundCorners && header->volume <= snug_volumeBall &&
	       header->restVolume <= snug_restDop14 && header->boundLeaves <= 1 &&
	       (isSkin ? isCorners || !isBall : isCorners == isBall) &&
	       (isCorners ? header->restVolume == snug_restBox : !hasSets);
}

static bool FitsMorph(const snugModel* model, size_t place, bool boundLeaves)
{
	const sgFieldsHeader* header = (const void*)((const char*)model->deformData + place);
	size_t bytes = model->deformBytes - place;
	return bytes >= sizeof(*header) && (header->parts & ~(uint32_t)(sgFields_intervals | sgFields_fits)) == 0 &&
	       header->parts != 0 && (header->boundLeaves != 0) == boundLeaves && header->contactLevel == 0 &&
	       sgFields_Fits(model, header, bytes);
}

bool sgBlend_Fits(const snugModel* model)
{
	const sgBlendHeader* header = model->deformData;
	bool isSkin = sgSkin_Is(model->deformer);
	size_t bytes = sizeof(*header);
	if (model->deformBytes < bytes || header->transformCount < 1 || header->transformCount > UINT16_MAX ||
	    header->rows.entries > UINT32_MAX / 2 || !IsBoundKnown(header, isSkin))
	{
		return false;
	}
	bytes = sgBlend_Bytes(model, header);
	if (isSkin)
	{
		if (model->deformBytes < bytes || model->deformBytes - bytes < sizeof(sgSkinHeader))
		{
			return false;
		}
		bytes += sgSkin_Bytes(model, header, (const void*)((const char*)model->deformData + bytes));
	}
	return bytes == model->deformBytes ||
	       (bytes < model->deformBytes && FitsMorph(model, bytes, header->boundLeaves != 0));
}

// The joint sets of a node are those of the model, all joints of them.
static const char* CheckNodeSets(const sgSkin* skin)
{
	const sgBlend* blend = &skin->blend;
	for (uint32_t i = 0; i < blend->header->jointSetCount; ++i)
	{
		const sgJointSet* own = blend->jointSets + i;
		const sgSkinSet* set = skin->sets + skin->nodeSets[i];
		if (own->transformCount != set->memberCount ||
		    memcmp(blend->setTransforms + own->firstTransform, skin->members + set->firstMember,
		        set->memberCount * sizeof(uint16_t)) != 0)
		{
			return "its joint sets are misnumbered";
		}
	}
	return NULL;
}

// What linear blending has.
static const char* CheckBlend(const snugModel* model, const sgBlend* blend, uint32_t bounded, void* scratch)
{
	const sgRowsOf of = sgModel_RowsOf(model);
	sgArray list[SG_BLEND_ARRAYS];
	sgBlend_ListArrays(model, blend->header, bounded, list);
	const char* fault = sgArrays_Check(list, SG_BLEND_ARRAYS, blend);
	fault = fault != NULL ? fault : sgRows_Check(&blend->rows, &of, &blend->header->rows, NULL, scratch);
	fault = fault == NULL ? CheckAcross(blend) : fault;
	fault = fault == NULL ? CheckFamilies(blend, bounded, sgSkin_Is(model->deformer)) : fault;
	fault = fault == NULL ? CheckFamilyNumbers(blend, &model->tree) : fault;
	return fault == NULL ? CheckReach(model, blend->header) : fault;
}

static const char* CheckSkin(const snugModel* model, void* scratch)
{
	sgSkin skin = sgSkin_Get(model);
	const char* fault = CheckBlend(model, &skin.blend, skin.header->pairCount, scratch);
	fault = fault == NULL ? sgSkin_CheckSets(model, &skin, scratch) : fault;
	if (fault != NULL || skin.blend.header->bound != snug_boundCorners)
	{
		return fault;
	}
	const sgCornerRules rules = { skin.setOf, skin.header->isCornerFree != 0 };
	fault = sgCorners_Check(model, &skin.blend, &rules);
	return fault == NULL ? CheckNodeSets(&skin) : fault;
}

static const char* CheckLinear(const snugModel* model, void* scratch)
{
	sgBlend blend = sgBlend_Get(model);
	const char* fault = CheckBlend(model, &blend, blend.header->transformCount, scratch);
	bool hasSets = blend.header->bound == snug_boundCorners;
	return fault == NULL && hasSets ? sgCorners_Check(model, &blend, NULL) : fault;
}

const char* sgBlend_Check(const snugModel* model, void* scratch)
{
	const char* fault = sgSkin_Is(model->deformer) ? CheckSkin(model, scratch) : CheckLinear(model, scratch);
	uint64_t morph = fault == NULL ? sgMorph_FindData(model) : 0;
	return morph != 0 ? sgFields_Check(model, (const char*)model->deformData + morph, scratch) : fault;
}
