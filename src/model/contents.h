// src/model/contents.h: what a model's deformer does to each vertex, in tree order.
#ifndef SG_CONTENTS_H
#define SG_CONTENTS_H

#include "model/model.h"
#include "tree/twins.h"

/// Influences of joints, none where the model is not a skin; their values are weights.
sgRows sgModel_Influences(const snugModel* model);

/// Displacements, of snug_fields or of morph targets; none where there are no fields. Their values are x, y, z.
sgRows sgModel_Displacements(const snugModel* model);

static inline sgTwinsInput sgModel_TwinsInput(const snugModel* model)
{
	return (sgTwinsInput){
		.positions = model->positions,
		.vertexCount = model->tree.vertexCount,
		.rows = { sgModel_Influences(model), sgModel_Displacements(model) },
	};
}

static inline uint32_t sgRows_Count(sgRows rows, uint32_t vertexCount)
{
	return rows.starts != NULL ? rows.starts[vertexCount] : 0;
}

#endif
