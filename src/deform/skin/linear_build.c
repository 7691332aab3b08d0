// src/deform/skin/linear_build.c: making and checking what linear skins and meshless bodies store. See linear.h.
#include "deform/skin/linear.h"
#include "deform/skin/skins.h"

static snugStatus MakeAll(sgLinearDraft* draft, void** data, size_t* bytes)
{
	const snugModelDef* def = draft->def;
	const sgBounded bounded = {
		.weights = &draft->weights,
		.count = draft->header.transformCount,
		.rank = draft->order.rank,
		.evaluation = sgLinear_Roundings(draft->header.rows.most),
		.stepsOfEight = 1.0,
	};
	snugStatus status = sgLinearDraft_AddBounds(draft, &bounded);
	if (status == snug_success && !sgLinear_IsWithinReach(&draft->header))
	{
		return sgFail(&def->messenger, snug_outOfRange, "the mesh, or a volume around some of it, reaches too far");
	}
	return status == snug_success ? sgSkin_Write(draft, 0, data, bytes) : status;
}

snugStatus sgLinear_Build(const snugModel* model, const snugModelDef* def, void** data, size_t* bytes)
{
	sgLinearDraft draft;
	snugStatus status = sgLinearDraft_Begin(&draft, model, def);
	status = status == snug_success ? MakeAll(&draft, data, bytes) : status;
	sgLinearDraft_Release(&draft);
	return status;
}

bool sgLinear_Fits(const snugModel* model)
{
	const sgLinearHeader* header = model->deformData;
	return sgLinear_FitsHeader(model) && sgSkin_FitsMorph(model, sgLinear_Bytes(model, header));
}

const char* sgLinear_Check(const snugModel* model, void* scratch)
{
	const sgLinear blend = sgLinear_Get(model);
	const sgFamilyRules rules = { blend.header->transformCount, sgAcross_blocks, sgLinear_firstOrder };
	const char* fault = sgLinear_CheckData(model, &blend, &rules, scratch);
	if (fault == NULL && !sgLinear_IsWithinReach(blend.header))
	{
		return "its reach is wrong";
	}
	return fault == NULL ? sgSkin_CheckMorph(model, sgLinear_Bytes(model, blend.header), scratch) : fault;
}
