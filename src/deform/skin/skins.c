// src/deform/skin/skins.c: see skins.h.
#include "deform/skin/skins.h"

#include <string.h>

snugStatus sgSkin_Write(const sgLinearDraft* draft, size_t ownBytes, void** data, size_t* bytes)
{
	const snugAllocator* allocator = &draft->model->allocator;
	void* morph;
	size_t morphBytes;
	snugStatus status = sgMorph_Build(draft->model, draft->def, &morph, &morphBytes);
	if (status != snug_success)
	{
		return status;
	}
	char* out = sgLinearDraft_Write(draft, ownBytes + morphBytes);
	size_t end = sgLinear_Bytes(draft->model, &draft->header) + ownBytes;
	if (out != NULL && morph != NULL)
	{
		memcpy(out + end, morph, morphBytes);
	}
	sgRelease(allocator, morph, morphBytes);
	*data = out;
	*bytes = end + morphBytes;
	return out != NULL ? snug_success : snug_outOfMemory;
}

bool sgSkin_FitsMorph(const snugModel* model, size_t end)
{
	const sgFieldsHeader* header = (const void*)((const char*)model->deformData + end);
	if (end >= model->deformBytes)
	{
		return end == model->deformBytes;
	}
	size_t bytes = model->deformBytes - end;
	return bytes >= sizeof(*header) && header->hasIntervals == 1 && sgFields_Fits(model, header, bytes);
}

const char* sgSkin_CheckMorph(const snugModel* model, size_t end, void* scratch)
{
	return end < model->deformBytes ? sgFields_Check(model, (const char*)model->deformData + end, scratch) : NULL;
}

void sgSkin_Describe(const snugModel* model, size_t end, sgContents* contents)
{
	const sgLinearHeader* header = model->deformData;
	contents->jointCount = header->transformCount;
	contents->maxInfluences = header->rows.most;
	contents->influenceCount = header->rows.entries;
	contents->influences = sgLinear_Get(model).rows;
	if (end < model->deformBytes)
	{
		sgFields_Describe(model, (const char*)model->deformData + end, contents);
	}
}

const sgLinearFamily* sgSkin_FamilyOf(const sgLinear* blend, sgLaneSet set)
{
	return blend->families + blend->firstFamilies[set.group];
}

const sgLinearFamily* sgSkin_RecordOf(const sgTree* tree, const sgLinearFamily* first, sgLaneSet set, uint32_t lane)
{
	uint32_t bounded = sgLinear_BoundedLanes(sgTree_Family(tree, set.group * SG_LANES));
	return first + __builtin_popcount(bounded & ((1u << lane) - 1u));
}
