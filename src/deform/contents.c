// src/deform/contents.c: what a model holds, for those who have it from a file and not from a definition.
#include "deform/skin.h"

snugBoundsDef snugModel_GetBoundsDef(const snugModel* model)
{
	snugBoundsDef def = { .bound = snug_boundDefault };
	SG_REQUIRE(model != NULL, def);
	if (model->deformer == snug_fields)
	{
		const sgFieldsHeader* fields = model->deformData;
		def.bound = (snugBound)fields->bound;
		def.volume = (snugVolume)fields->volume;
		def.boundLeaves = fields->boundLeaves != 0;
		def.contactLevel = fields->contactLevel;
	}
	else if (model->deformer == snug_skin || sgSkin_Is(model->deformer))
	{
		const sgBlendHeader* skin = model->deformData;
		def.bound = (snugBound)skin->bound;
		def.volume = (snugVolume)skin->volume;
		def.restVolume = (snugRestVolume)skin->restVolume;
		def.boundLeaves = skin->boundLeaves != 0;
		if (sgSkin_Is(model->deformer) && sgSkin_Get(model).header->isCornerFree != 0)
		{
			def.bound = snug_boundProgram;
		}
		uint64_t morph = sgMorph_FindData(model);
		def.fieldsBound = morph == 0 ? snug_boundDefault
		                             : (snugBound)sgFields_Bind((const char*)model->deformData + morph).header->bound;
	}
	return def;
}
