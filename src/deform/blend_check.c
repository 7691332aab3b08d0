// src/deform/blend_check.c: checking blend data that come from a file. See deform.h.
#include "deform/blend_build.h"

#include <math.h>
#include <string.h>

static const char* CheckWeights(const sgBlend* blend, const sgTree* tree)
{
	if (blend->starts[0] != 0 || blend->starts[tree->vertexCount] != blend->header->influenceCount)
	{
		return "its influences are out of place";
	}
	for (uint32_t v = 0; v < tree->vertexCount; ++v)
	{
		uint32_t first = blend->starts[v], end = blend->starts[v + 1];
		if (end <= first || end > blend->header->influenceCount || end - first > blend->header->maxInfluences)
		{
			return "a vertex has a wrong number of influences";
		}
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
	return NULL;
}

static const char* CheckFamilies(const sgBlend* blend, const sgTree* tree)
{
	const sgBlendHeader* header = blend->header;
	uint64_t entry = 0, value = 0;
	for (uint32_t i = 0; i < header->familyCount; ++i)
	{
		const sgBlendFamily* family = blend->families + i;
		if (family->kind >= SG_BLEND_KINDS || family->firstEntry != entry || family->values != value)
		{
			return "a family's bound is out of place";
		}
		sgBlendKind kind = (sgBlendKind)family->kind;
		entry += family->entryCount;
		value += sgBlendKind_HeadValues(kind) + (uint64_t)family->entryCount * sgBlendKind_EntryValues(kind);
		if (entry > header->entryCount || value > header->valueCount)
		{
			return "a family's bound is too large";
		}
	}
	if (entry != header->entryCount || value != header->valueCount)
	{
		return "the families' bounds are too small";
	}
	uint32_t number = 1;
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		uint32_t right = tree->nodes[slot].childCount > 0 ? number++ : SG_NONE;
		if (blend->familyOfParent[slot] != right)
		{
			return "a node's family is wrong";
		}
	}
	for (uint32_t i = 0; i < header->entryCount; ++i)
	{
		if (blend->entryTransforms[i] >= header->transformCount)
		{
			return "a transform of a bound does not exist";
		}
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

const char* sgBlend_Check(const snugModel* model)
{
	const sgTree* tree = &model->tree;
	const sgBlendHeader* header = model->deformData;
	size_t offsets[7];
	if (model->deformBytes < sizeof(*header) || header->transformCount < 1 || header->transformCount > UINT16_MAX ||
	    header->bound > snug_boundFirstOrder || sgBlend_Layout(header, tree, offsets) != model->deformBytes)
	{
		return "its data for blending have a wrong size";
	}
	sgBlend blend = sgBlend_Get(model);
	const char* fault = CheckWeights(&blend, tree);
	fault = fault == NULL ? CheckFamilies(&blend, tree) : fault;
	return fault == NULL ? CheckValues(&blend) : fault;
}
