#include "baselines/node_weights.h"

#include "deform/skin/blend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool nodeWeights_Create(nodeWeights* weights, const snugModel* model)
{
	const sgBlendHeader* header = model->deformData;
	size_t vertices = (size_t)model->tree.vertexCount + 1, transforms = header->transformCount;
	*weights = (nodeWeights){
		.vertices = malloc(vertices * sizeof(uint32_t)),
		.transforms = malloc(transforms * sizeof(uint32_t)),
		.low = malloc(transforms * sizeof(double)),
		.high = malloc(transforms * sizeof(double)),
		.mean = malloc(transforms * sizeof(double)),
		.vertexStamp = calloc(vertices, sizeof(uint32_t)),
		.entryOf = malloc(transforms * sizeof(uint32_t)),
		.listed = malloc(transforms * sizeof(uint32_t)),
	};
	bool good = weights->vertices != NULL && weights->transforms != NULL && weights->low != NULL &&
	            weights->high != NULL && weights->mean != NULL && weights->vertexStamp != NULL &&
	            weights->entryOf != NULL && weights->listed != NULL;
	if (!good)
	{
		nodeWeights_Free(weights);
		return false;
	}
	memset(weights->entryOf, 0xff, transforms * sizeof(uint32_t)); // SG_NONE everywhere, between gatherings
	return true;
}

void nodeWeights_Free(nodeWeights* weights)
{
	free(weights->vertices);
	free(weights->transforms);
	free(weights->low);
	free(weights->high);
	free(weights->mean);
	free(weights->vertexStamp);
	free(weights->entryOf);
	free(weights->listed);
	*weights = (nodeWeights){ .vertices = NULL };
}

static void GatherVertices(nodeWeights* weights, const snugModel* model, uint32_t slot)
{
	const sgTree* tree = &model->tree;
	sgLeafRange range = sgTree_LeavesBelow(tree, slot);
	const sgLeaf* last = tree->leaves + range.last;
	++weights->stamp;
	weights->vertexCount = 0;
	for (int k = 0; k < 3; ++k)
	{
		weights->lower[k] = INFINITY;
		weights->upper[k] = -INFINITY;
	}
	for (uint32_t i = tree->leaves[range.first].firstVertex; i < last->firstVertex + last->vertexCount; ++i)
	{
		uint32_t vertex = tree->leafVertices[i];
		if (weights->vertexStamp[vertex] == weights->stamp)
		{
			continue;
		}
		weights->vertexStamp[vertex] = weights->stamp;
		weights->vertices[weights->vertexCount++] = vertex;
		for (size_t k = 0; k < 3; ++k)
		{
			double x = (double)model->positions[3 * (size_t)vertex + k];
			weights->lower[k] = x < weights->lower[k] ? x : weights->lower[k];
			weights->upper[k] = x > weights->upper[k] ? x : weights->upper[k];
		}
	}
}

static uint32_t FindEntry(nodeWeights* weights, uint16_t transform)
{
	uint32_t* entry = weights->entryOf + transform;
	if (*entry == SG_NONE)
	{
		*entry = weights->count++;
		weights->transforms[*entry] = transform;
		weights->low[*entry] = 1.0;
		weights->high[*entry] = weights->mean[*entry] = 0.0;
		weights->listed[*entry] = 0;
	}
	return *entry;
}

void nodeWeights_Gather(nodeWeights* weights, const snugModel* model, uint32_t slot)
{
	sgBlend blend = sgBlend_Get(model);
	GatherVertices(weights, model, slot);
	weights->count = 0;
	for (uint32_t i = 0; i < weights->vertexCount; ++i)
	{
		uint32_t vertex = weights->vertices[i];
		sgRow row = sgRows_Get(&blend.rows, vertex);
		for (uint32_t k = 0; k < row.count; ++k)
		{
			double weight = (double)row.values[k * SG_LANES];
			if (weight == 0.0)
			{
				continue;
			}
			uint32_t j = FindEntry(weights, row.numbers[k]);
			weights->low[j] = weight < weights->low[j] ? weight : weights->low[j];
			weights->high[j] = weight > weights->high[j] ? weight : weights->high[j];
			weights->mean[j] += weight;
			++weights->listed[j];
		}
	}
	for (uint32_t j = 0; j < weights->count; ++j)
	{
		weights->low[j] = weights->listed[j] == weights->vertexCount ? weights->low[j] : 0.0;
		weights->mean[j] /= (double)weights->vertexCount;
		weights->entryOf[weights->transforms[j]] = SG_NONE;
	}
}
