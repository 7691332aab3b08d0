#include "papers/meshless/node_weights.h"

#include "deform/skin/linear.h"

#include <math.h>
#include <string.h>

bool nodeWeights_Create(nodeWeights* weights, const binaryTree* tree)
{
	size_t transforms = sgLinear_Get(tree->model).header->transformCount;
	*weights = (nodeWeights){ .count = 0 };
	weights->transforms = simHoard_Take(&weights->hoard, transforms, sizeof(uint32_t));
	weights->low = simHoard_Take(&weights->hoard, transforms, sizeof(double));
	weights->high = simHoard_Take(&weights->hoard, transforms, sizeof(double));
	weights->mean = simHoard_Take(&weights->hoard, transforms, sizeof(double));
	weights->entryOf = simHoard_Take(&weights->hoard, transforms, sizeof(uint32_t));
	weights->listed = simHoard_Take(&weights->hoard, transforms, sizeof(uint32_t));
	if (weights->hoard.isShort || !nodeVertices_Create(&weights->below, tree))
	{
		nodeWeights_Free(weights);
		return false;
	}
	memset(weights->entryOf, 0xff, transforms * sizeof(uint32_t)); // SG_NONE everywhere, between gatherings
	return true;
}

void nodeWeights_Free(nodeWeights* weights)
{
	nodeVertices_Free(&weights->below);
	simHoard_Free(&weights->hoard);
	*weights = (nodeWeights){ .count = 0 };
}

static void FindBox(nodeWeights* weights, const snugModel* model)
{
	for (size_t k = 0; k < 3; ++k)
	{
		weights->lower[k] = INFINITY;
		weights->upper[k] = -INFINITY;
		for (uint32_t i = 0; i < weights->below.count; ++i)
		{
			double x = (double)model->positions[3 * (size_t)weights->below.vertices[i] + k];
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

void nodeWeights_Gather(nodeWeights* weights, const binaryTree* tree, uint32_t node)
{
	sgLinear blend = sgLinear_Get(tree->model);
	nodeVertices_Gather(&weights->below, tree, node);
	FindBox(weights, tree->model);
	weights->count = 0;
	for (uint32_t i = 0; i < weights->below.count; ++i)
	{
		uint32_t vertex = weights->below.vertices[i];
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
		weights->low[j] = weights->listed[j] == weights->below.count ? weights->low[j] : 0.0;
		weights->mean[j] /= (double)weights->below.count;
		weights->entryOf[weights->transforms[j]] = SG_NONE;
	}
}
