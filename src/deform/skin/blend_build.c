// src/deform/skin/blend_build.c: making and checking what linear skins and meshless bodies store. See blend.h.
#include "deform/skin/blend.h"
#include "deform/skin/skins.h"

static snugStatus MakeAll(sgBlendDraft* draft, void** data, size_t* bytes)
{
	const snugModelDef* def = draft->def;
	const sgBounded bounded = {
		.weights = &draft->weights,
		.count = draft->header.transformCount,
		.rank = draft->order.rank,
		.evaluation = sgBlend_Roundings(draft->header.rows.most),
		.stepsOfEight = 1.0,
	};
	snugStatus status = sgBlendDraft_AddBounds(draft, &bounded);
	if (status == snug_success && !sgBlend_IsWithinReach(&draft->header))
	{
		return sgFail(&def->messenger, snug_outOfRange, "the mesh, or a volume around some of it, reaches too far");
	}
	return status == snug_success ? sgSkins_Write(draft, 0, data, bytes) : status;
}

snugStatus sgBlend_Build(const snugModel* model, const snugModelDef* def, void** data, size_t* bytes)
{
	sgBlendDraft draft;
	snugStatus status = sgBlendDraft_Begin(&draft, model, def);
	status = status == snug_success ? MakeAll(&draft, data, bytes) : status;
	sgBlendDraft_Release(&draft);
	return status;
}

bool sgBlend_Fits(const snugModel* model)
{
	const sgBlendHeader* header = model->deformData;
	return sgBlend_FitsHeader(model) && sgSkins_FitsMorph(model, sgBlend_Bytes(model, header));
}

const char* sgBlend_Check(const snugModel* model, void* scratch)
{
	const sgBlend blend = sgBlend_Get(model);
	const sgFamilyRules rules = { blend.header->transformCount, sgAcross_blocks, sgBlend_firstOrder };
	const char* fault = sgBlend_CheckData(model, &blend, &rules, scratch);
	if (fault == NULL && !sgBlend_IsWithinReach(blend.header))
	{
		return "its reach is wrong";
	}
	return fault == NULL ? sgSkins_CheckMorph(model, sgBlend_Bytes(model, blend.header), scratch) : fault;
}
