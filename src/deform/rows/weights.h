// src/deform/rows/weights.h: the weights of a definition, read and repaired: a sparse row per vertex.
#ifndef SG_WEIGHTS_H
#define SG_WEIGHTS_H

#include "base/team.h"
#include "model/contents.h"
#include "model/deformer.h"
#include "tree/rows.h"

/// One influence while weights are read.
typedef struct sgInfluence
{
	double weight;
	uint16_t transform;
} sgInfluence;

/// Repaired weights of all vertices, tree order.
typedef struct sgWeights
{
	uint32_t* starts;
	float* weights;
	uint16_t* transforms;
} sgWeights;

/// Check the weights of a definition, in the caller's order.
snugStatus sgWeights_CheckDef(const snugModelDef* def, uint32_t* maxInfluences, uint64_t* influenceCount);

/// Read and repair weights of a definition that was checked.
/// @param scratch room for the most influences of a vertex, as given, and one more, for each worker of the model's team
/// @param counts (vertexCount): scratch
/// @param out has room for all influences, as given
void sgWeights_Read(const snugModel* model, const snugModelDef* def, uint32_t mostGiven, sgInfluence* scratch,
    uint32_t* counts, sgWeights* out);

#endif
