// src/model/contents.h: what a model's deformer does to each vertex, in tree order.
#ifndef SG_CONTENTS_H
#define SG_CONTENTS_H

#include "model/deformer.h"
#include "tree/twins.h"

#include <math.h>
#include <string.h>

/// What a deformer does to the vertices of a model.
typedef struct sgContents
{
	uint32_t jointCount;
	uint32_t maxInfluences;
	uint32_t fieldCount;
	uint32_t influenceCount;     ///< of all vertices together
	uint32_t displacementCount;  ///< likewise
	sgRows influences;           ///< joints; values are weights. No places: the model is no skin
	sgRows displacements;        ///< fields, morph targets too; values are x, y, z. No places: there are none
	const float* jointPositions; ///< (3 jointCount) at rest; null if the model does not keep them
} sgContents;

sgContents sgModel_Describe(const snugModel* model);

/// What the rows of a model describe. Tree, clusters and positions are ready.
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
	sgContents contents = sgModel_Describe(model);
	return (sgTwinsInput){
		.positions = model->positions,
		.vertexCount = model->tree.vertexCount,
		.rows = { contents.influences, contents.displacements },
	};
}

#endif
