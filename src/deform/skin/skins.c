// src/deform/skin/skins.c: see skins.h.
#include "deform/skin/skins.h"

#include <string.h>

snugStatus sgSkins_Write(const sgBlendDraft* draft, size_t ownBytes, void** data, size_t* bytes)
{
	const snugAllocator* allocator = &draft->model->allocator;
	void* morph;
	size_t morphBytes;
	snugStatus status = sgMorph_Build(draft->model, draft->def, &morph, &morphBytes);
	if (status != snug_success)
	{
		return status;
	}
	char* out = sgBlendDraft_Write(draft, ownBytes + morphBytes);
	size_t end = sgBlend_Bytes(draft->model, &draft->header) + ownBytes;
	if (out != NULL && morph != NULL)
	{
		memcpy(out + end, morph, morphBytes);
	}
	sgRelease(allocator, morph, morphBytes);
	*data = out;
	*bytes = end + morphBytes;
	return out != NULL ? snug_success : snug_outOfMemory;
}

bool sgSkins_FitsMorph(const snugModel* model, size_t end)
{
	const sgFieldsHeader* header = (const void*)((const char*)model->deformData + end);
	if (end >= model->deformBytes)
	{
		return end == model->deformBytes;
	}
	size_t bytes = model->deformBytes - end;
	return bytes >= sizeof(*header) && header->hasIntervals == 1 && sgFields_Fits(model, header, bytes);
}

const char* sgSkins_CheckMorph(const snugModel* model, size_t end, void* scratch)
{
	return end < model->deformBytes ? sgFields_Check(model, (const char*)model->deformData + end, scratch) : NULL;
}

void sgSkins_Describe(const snugModel* model, size_t end, sgContents* contents)
{
	const sgBlendHeader* header = model->deformData;
	contents->jointCount = header->transformCount;
	contents->maxInfluences = header->rows.most;
	contents->influenceCount = header->rows.entries;
	contents->influences = sgBlend_Get(model).rows;
	if (end < model->deformBytes)
	{
		sgFields_Describe(model, (const char*)model->deformData + end, contents);
	}
}

const sgBlendFamily* sgSkins_FamilyOf(const sgBlend* blend, sgLaneSet set)
{
	return blend->families + blend->firstFamilies[set.group];
}

const sgBlendFamily* sgSkins_RecordOf(const sgTree* tree, const sgBlendFamily* first, sgLaneSet set, uint32_t lane)
{
	uint32_t bounded = sgBlend_BoundedLanes(sgTree_Family(tree, set.group * SG_LANES));
	return first + __builtin_popcount(bounded & ((1u << lane) - 1u));
}
