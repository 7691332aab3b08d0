// src/model/contents.h: what a model's deformer does to each vertex, in tree order.
#ifndef SG_CONTENTS_H
#define SG_CONTENTS_H

#include "model/model.h"
#include "tree/twins.h"

#include <math.h>
#include <string.h>

/// Rows of joints, none where the model is not a skin; their values are weights.
sgRows sgModel_Influences(const snugModel* model);

/// Rows of displacements, of snug_fields or of morph targets; none where there are no fields. Their values are x, y, z.
sgRows sgModel_Displacements(const snugModel* model);

/// How many there are, of all vertices together.
uint32_t sgModel_InfluenceCount(const snugModel* model);
uint32_t sgModel_DisplacementCount(const snugModel* model);

/// Whom rows of a model belong to. Tree, clusters and positions are ready.
static inline sgRowsOf sgModel_RowsOf(const snugModel* model)
{
	return (sgRowsOf){ &model->tree, &model->clusters, model->positions };
}

/// Greatest magnitude of a rest position per axis.
static inline void sgModel_FindReach(const snugModel* model, float reach[3])
{
	float most[3] = { 0.0f, 0.0f, 0.0f };
	for (size_t v = 0; v < model->tree.vertexCount; ++v)
	{
		for (int axis = 0; axis < 3; ++axis)
		{
			float magnitude = fabsf(model->positions[3 * v + (size_t)axis]);
			most[axis] = magnitude > most[axis] ? magnitude : most[axis];
		}
	}
	memcpy(reach, most, sizeof(most));
}

static inline sgTwinsInput sgModel_TwinsInput(const snugModel* model)
{
	return (sgTwinsInput){
		.positions = model->positions,
		.vertexCount = model->tree.vertexCount,
		.rows = { sgModel_Influences(model), sgModel_Displacements(model) },
	};
}

#endif
