// src/deform/blend_check.c: checking blend data that come from a file. See deform.h.
#include "deform/blend_corners.h"
#include "deform/deform.h"
#include "deform/skin_build.h"

#include <math.h>
#include <string.h>

static const char* CheckWeights(const sgBlend* blend, const sgTree* tree)
{
	if (blend->starts[0] != 0 || blend->starts[tree->vertexCount] != blend->header->influenceCount)
	{
		return "its influences are out of place";
	}
	uint32_t most = 0;
	for (uint32_t v = 0; v < tree->vertexCount; ++v)
	{
		uint32_t first = blend->starts[v], end = blend->starts[v + 1];
		if (end <= first || end > blend->header->influenceCount || end - first > blend->header->maxInfluences)
		{
			return "a vertex has a wrong number of influences";
		}
		most = end - first > most ? end - first : most;
		double sum = 0.0;
		for (uint32_t k = first; k < end; ++k)
		{
			bool isOrdered = k == first || blend->transforms[k - 1] < blend->transforms[k];
			if (!isOrdered || blend->transforms[k] >= blend->header->transformCount || !(blend->weights[k] > 0.0f))
			{
				return "an influence is wrong";
			}
			sum += (double)blend->weights[k];
		}
		if (!(fabs(sum - 1.0) <= (end - first + 1.0) * 0x1p-24))
		{
			return "the weights of a vertex do not sum to 1";
		}
	}
	return most == blend->header->maxInfluences ? NULL : "its most influences are those of no vertex";
}

static const char* CheckFamilies(const sgBlend* blend, uint32_t transformCount, bool isSkin)
{
	const sgBlendHeader* header = blend->header;
	uint64_t entry = 0, value = 0;
	for (uint32_t i = 0; i < header->familyCount; ++i)
	{
		const sgBlendFamily* family = blend->families + i;
		bool isProgram = family->kind <= sgBlend_local;
		bool isAcross = family->isAcross == 1 && isProgram && (!isSkin || i == 0) && header->volume == snug_volumeBox;
		bool isKnown = family->kind < SG_BLEND_KINDS && (!isSkin || family->kind >= sgBlend_local);
		if (!isKnown || family->firstEntry != entry || family->values != value ||
		    family->rest > (family->kind <= sgBlend_program ? snug_restDop14 : snug_restBox) ||
		    (family->isAcross != 0 && !(isAcross && family->rest == snug_restBox)) || family->reserved != 0)
		{
			return "a family's bound is out of place";
		}
		for (uint64_t k = entry; k < entry + family->entryCount && k < header->entryCount; ++k)
		{
			uint32_t most = family->isAcross ? sgBlend_BlockCount(transformCount) : transformCount;
			if (blend->entryTransforms[k] >= most)
			{
				return "a joint of a bound does not exist";
			}
		}
		entry += family->entryCount;
		value += sgBlendFamily_Values(family);
		if (entry > header->entryCount || value > header->valueCount)
		{
			return "a family's bound is too large";
		}
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

// Numbers that make sense, so that arithmetic on them does. Whether a bound contains its vertices in every pose is not
// checked here: that would mean building it again. snugBody_Validate checks it for a pose.
static const char* CheckValues(const sgBlend* blend)
{
	for (uint32_t i = 0; i < blend->header->valueCount; ++i)
	{
		for (int lane = 0; lane < SG_LANES; ++lane)
		{
			if (!isfinite(blend->values[i].lane[lane]))
			{
				return "a number of a bound is not finite";
			}
		}
	}
	return NULL;
}

// Blocks follow from clusters and weights, so there is only one right answer. The weights have been checked.
static const char* CheckBlocks(const snugModel* model, const sgBlend* blend)
{
	const sgWeights weights = {
		.starts = (uint32_t*)(uintptr_t)blend->starts,
		.weights = (float*)(uintptr_t)blend->weights,
		.transforms = (uint16_t*)(uintptr_t)blend->transforms,
	};
	const char* fault = "its blocks of vertices are wrong";
	sgBlendHeader header = *blend->header;
	if (!sgBlend_CountBlocks(model, &weights, &header) || memcmp(&header, blend->header, sizeof(header)) != 0)
	{
		return fault;
	}
	// The arrays lie one after the other, from firstBlocks to jointSetStarts.
	size_t bytes = (size_t)((const char*)blend->jointSetStarts - (const char*)blend->firstBlocks);
	size_t ranks = sgAlignUp(header.transformCount * sizeof(uint16_t), sizeof(sgStrongest));
	size_t scratch = ranks + header.transformCount * sizeof(sgStrongest);
	char* made = sgAllocate(&model->allocator, bytes + scratch);
	if (made == NULL)
	{
		return sgNoMemory;
	}
	memset(made, 0, bytes);
	const char* start = (const char*)blend->firstBlocks;
	const sgBlockArrays arrays = {
		.firstBlocks = (void*)made,
		.blocks = (void*)(made + ((const char*)blend->blocks - start)),
		.transforms = (void*)(made + ((const char*)blend->blockTransforms - start)),
		.values = (void*)(made + ((const char*)blend->blockValues - start)),
		.moved = (void*)(made + ((const char*)blend->moved - start)),
		.across = (void*)(made + ((const char*)blend->across - start)),
	};
	const sgTransformOrder order = {
		.count = header.transformCount,
		.across = arrays.across,
		.rank = (void*)(made + bytes),
		.strongest = (void*)(made + bytes + ranks),
	};
	sgBlend_OrderTransforms(&weights, model->tree.vertexCount, &order);
	sgBlend_FillBlocks(model, &weights, &order, &arrays);
	fault = memcmp(made, start, bytes) == 0 ? NULL : fault;
	sgRelease(&model->allocator, made, bytes + scratch);
	return fault;
}

// Bounds are widened by a multiple of the reach, for the sake of rounding: it must be neither too small nor infinite.
static const char* CheckReach(const snugModel* model, const sgBlendHeader* header)
{
	for (int axis = 0; axis < 3; ++axis)
	{
		float most = 0.0f;
		for (uint32_t v = 0; v < model->tree.vertexCount; ++v)
		{
			most = fmaxf(most, fabsf(model->positions[3 * (size_t)v + (size_t)axis]));
		}
		if (!(header->reach[axis] >= most) || !isfinite(header->reach[axis]) ||
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

static bool HasRightLayout(const snugModel* model, const sgBlendHeader* header)
{
	sgBlendHeader right = *header;
	size_t bytes = sgBlend_Layout(model, &right);
	bool isSkin = sgSkin_Is(model->deformer);
	if (header->skinPlace != (isSkin ? bytes / SG_ALIGNMENT : 0))
	{
		return false;
	}
	if (isSkin)
	{
		if (model->deformBytes < bytes + sizeof(sgSkinHeader))
		{
			return false;
		}
		const sgSkinHeader* skin = (const void*)((const char*)model->deformData + bytes);
		sgSkinHeader rightSkin = *skin;
		bytes += sgSkin_Layout(model, header, &rightSkin);
		if (memcmp(&rightSkin, skin, sizeof(rightSkin)) != 0)
		{
			return false;
		}
	}
	return bytes <= model->deformBytes && memcmp(right.offsets, header->offsets, sizeof(right.offsets)) == 0;
}

static const char* CheckMorph(const snugModel* model, uint64_t place, bool boundLeaves)
{
	const char* data = (const char*)model->deformData + place;
	const sgFieldsHeader* header = (const void*)data;
	size_t bytes = model->deformBytes - (size_t)place;
	if (bytes < sizeof(*header) || (header->parts & ~(uint32_t)(sgFields_intervals | sgFields_fits)) != 0 ||
	    header->parts == 0 || (header->boundLeaves != 0) != boundLeaves || header->contactLevel != 0)
	{
		return "its morph targets are wrong";
	}
	return sgFields_Check(model, data, bytes);
}

const char* sgBlend_Check(const snugModel* model)
{
	const sgTree* tree = &model->tree;
	const sgBlendHeader* header = model->deformData;
	bool isSkin = sgSkin_Is(model->deformer);
	if (model->deformBytes < sizeof(*header) || header->transformCount < 1 || header->transformCount > UINT16_MAX ||
	    !IsBoundKnown(header, isSkin) || !HasRightLayout(model, header))
	{
		return "its data for blending have a wrong size";
	}
	sgBlend blend = sgBlend_Get(model);
	const char* fault = CheckWeights(&blend, tree);
	fault = fault == NULL ? CheckBlocks(model, &blend) : fault;
	fault = fault == NULL && isSkin ? sgSkin_CheckSets(model, &blend) : fault;
	uint32_t bounded = isSkin ? sgSkin_Get(model).header->pairCount : header->transformCount;
	fault = fault == NULL ? CheckFamilies(&blend, bounded, isSkin) : fault;
	fault = fault == NULL ? CheckFamilyNumbers(&blend, tree) : fault;
	fault = fault == NULL ? CheckValues(&blend) : fault;
	fault = fault == NULL ? CheckReach(model, header) : fault;
	uint64_t morph = fault == NULL ? sgMorph_FindData(model) : 0;
	if (morph != 0)
	{
		fault = CheckMorph(model, morph, header->boundLeaves != 0);
	}
	if (fault != NULL || header->bound != snug_boundCorners)
	{
		return fault;
	}
	if (!isSkin)
	{
		return sgCorners_Check(model, &blend, NULL, NULL);
	}
	sgSkin skin = sgSkin_Get(model);
	const sgCornerRules rules = { skin.setOf, skin.header->isCornerFree != 0 };
	return sgCorners_Check(model, &blend, &rules, skin.nodeSets);
}
