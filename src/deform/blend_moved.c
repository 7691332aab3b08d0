// src/deform/blend_moved.c: what transforms move, and an order in which neighbours in space are close to each other.
#include "deform/blend_build.h"
#include "geometry/frame.h"

#include <math.h>
#include <string.h>

static void AddToRange(float* lower, float* upper, float value)
{
	*lower = value < *lower ? value : *lower;
	*upper = value > *upper ? value : *upper;
}

// Boxes of the vertices that each transform moves: least and greatest coordinates first, then centre and half extents,
// rounded outwards.
void sgBlend_FillMoved(
    const snugModel* model, const sgWeights* weights, const sgTransformOrder* order, sgBlendMoved* moved)
{
	uint32_t blockCount = sgBlend_BlockCount(order->count);
	for (uint32_t i = 0; i < 3 * SG_LANES * blockCount; ++i)
	{
		moved[i / (3 * SG_LANES)].center[i / SG_LANES % 3].lane[i % SG_LANES] = INFINITY;
		moved[i / (3 * SG_LANES)].half[i / SG_LANES % 3].lane[i % SG_LANES] = -INFINITY;
	}
	for (uint32_t v = 0; v < model->tree.vertexCount; ++v)
	{
		const float* p = model->positions + 3 * (size_t)v;
		for (uint32_t k = weights->starts[v]; k < weights->starts[v + 1]; ++k)
		{
			uint16_t place = order->rank[weights->transforms[k]];
			sgBlendMoved* block = moved + place / SG_LANES;
			uint32_t lane = place % SG_LANES;
			for (int axis = 0; axis < 3; ++axis)
			{
				AddToRange(block->center[axis].lane + lane, block->half[axis].lane + lane, p[axis]);
			}
		}
	}
	for (uint32_t i = 0; i < 3 * SG_LANES * blockCount; ++i)
	{
		float* center = moved[i / (3 * SG_LANES)].center[i / SG_LANES % 3].lane + i % SG_LANES;
		float* half = moved[i / (3 * SG_LANES)].half[i / SG_LANES % 3].lane + i % SG_LANES;
		double lower = *center, upper = *half;
		bool isUsed = lower <= upper;
		*center = isUsed ? sgRoundNearest(0.5 * (lower + upper)) : 0.0f;
		double above = upper - (double)*center, below = (double)*center - lower;
		*half = isUsed ? sgRoundUp(above > below ? above : below) : 0.0f;
	}
}

static bool IsBehind(const sgStrongest* strongest, uint16_t a, uint16_t b)
{
	uint32_t vertexA = strongest[a].vertex, vertexB = strongest[b].vertex;
	return vertexA > vertexB || (vertexA == vertexB && a > b);
}

void sgBlend_OrderTransforms(const sgWeights* weights, uint32_t vertexCount, const sgTransformOrder* order)
{
	for (uint32_t j = 0; j < order->count; ++j)
	{
		order->across[j] = (uint16_t)j;
		order->strongest[j] = (sgStrongest){ 0.0f, UINT32_MAX };
	}
	for (uint32_t v = 0; v < vertexCount; ++v)
	{
		for (uint32_t k = weights->starts[v]; k < weights->starts[v + 1]; ++k)
		{
			sgStrongest* strongest = order->strongest + weights->transforms[k];
			*strongest = weights->weights[k] > strongest->weight ? (sgStrongest){ weights->weights[k], v } : *strongest;
		}
	}
	// Shell's method; transforms whose strongest vertex is the same keep their order by number.
	for (uint32_t gap = order->count / 2; gap > 0; gap /= 2)
	{
		for (uint32_t i = gap; i < order->count; ++i)
		{
			uint16_t moved = order->across[i];
			uint32_t j = i;
			for (; j >= gap && IsBehind(order->strongest, order->across[j - gap], moved); j -= gap)
			{
				order->across[j] = order->across[j - gap];
			}
			order->across[j] = moved;
		}
	}
	for (uint32_t i = 0; i < order->count; ++i)
	{
		order->rank[order->across[i]] = (uint16_t)i;
	}
}
