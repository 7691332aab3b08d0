// src/deform/blend_blocks.c: the vertices of clusters in blocks of eight, ready to be evaluated side by side.
#include "deform/blend_build.h"
#include "geometry/frame.h"

#include <math.h>
#include <string.h>

static void FillValues(const snugModel* model, const sgWeights* weights, const uint32_t* vertices, uint32_t count,
    const uint16_t* transforms, uint32_t transformCount, sgLaneFloats* values)
{
	memset(values, 0, (3 + (size_t)transformCount) * sizeof(sgLaneFloats));
	for (uint32_t lane = 0; lane < count; ++lane)
	{
		uint32_t vertex = vertices[lane], k = weights->starts[vertex];
		for (int axis = 0; axis < 3; ++axis)
		{
			values[axis].lane[lane] = model->positions[3 * (size_t)vertex + (size_t)axis];
		}
		for (uint32_t j = 0; j < transformCount && k < weights->starts[vertex + 1]; ++j)
		{
			if (weights->transforms[k] == transforms[j])
			{
				values[3 + j].lane[lane] = weights->weights[k++];
			}
		}
	}
}

bool sgBlend_CountBlocks(const snugModel* model, const sgWeights* weights, sgBlendHeader* header)
{
	const sgClusters* clusters = &model->clusters;
	uint64_t blocks = 0, transforms = 0;
	for (uint32_t c = 0; c < clusters->header->count; ++c)
	{
		const sgCluster* cluster = clusters->clusters + c;
		const uint32_t* vertices = clusters->vertices + cluster->firstVertex;
		for (uint32_t i = 0; i < cluster->vertexCount; i += SG_LANES, ++blocks)
		{
			uint32_t left = cluster->vertexCount - i;
			transforms += sgMergeLists(
			    weights->starts, weights->transforms, vertices + i, left < SG_LANES ? left : SG_LANES, NULL);
		}
	}
	header->blockCount = (uint32_t)blocks;
	header->blockTransformCount = (uint32_t)transforms;
	header->blockValueCount = (uint32_t)(3 * blocks + transforms);
	return 3 * blocks + transforms <= UINT32_MAX;
}

static void AddToRange(float* lower, float* upper, float value)
{
	*lower = value < *lower ? value : *lower;
	*upper = value > *upper ? value : *upper;
}

// Boxes of the vertices that each transform moves: least and greatest coordinates first, then centre and half extents,
// rounded outwards.
static void FillMoved(
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

/// What blocks take so far.
typedef struct BlockCount
{
	uint32_t transforms, values;
} BlockCount;

// Blocks of all clusters that hold vertices of their own, or the others.
static void FillSome(
    const snugModel* model, const sgWeights* weights, bool isOwn, const sgBlockArrays* out, BlockCount* count)
{
	const sgClusters* clusters = &model->clusters;
	for (uint32_t c = 0; c < clusters->header->count; ++c)
	{
		const sgCluster* cluster = clusters->clusters + c;
		const uint32_t* vertices = clusters->vertices + cluster->firstVertex;
		for (uint32_t i = 0; i < cluster->vertexCount; i += SG_LANES)
		{
			uint32_t left = cluster->vertexCount - i, lanes = left < SG_LANES ? left : SG_LANES;
			if ((i < cluster->ownCount) == isOwn)
			{
				uint16_t* transforms = out->transforms + count->transforms;
				uint32_t own = sgMergeLists(weights->starts, weights->transforms, vertices + i, lanes, transforms);
				out->blocks[out->firstBlocks[c] + i / SG_LANES] =
				    (sgBlendBlock){ count->values, count->transforms, own };
				FillValues(model, weights, vertices + i, lanes, transforms, own, out->values + count->values);
				count->transforms += own;
				count->values += 3 + own;
			}
		}
	}
}

void sgBlend_FillBlocks(
    const snugModel* model, const sgWeights* weights, const sgTransformOrder* order, const sgBlockArrays* out)
{
	const sgClusters* clusters = &model->clusters;
	uint32_t block = 0;
	for (uint32_t c = 0; c < clusters->header->count; ++c)
	{
		out->firstBlocks[c] = block;
		block += (clusters->clusters[c].vertexCount + SG_LANES - 1u) / SG_LANES;
	}
	out->firstBlocks[clusters->header->count] = block;
	// Where all clusters are evaluated, only their own vertices are: these lie together, so that weights are read
	// without gaps.
	BlockCount count = { 0, 0 };
	FillSome(model, weights, true, out, &count);
	FillSome(model, weights, false, out, &count);
	FillMoved(model, weights, order, out->moved);
	memmove(out->across, order->across, order->count * sizeof(uint16_t));
}
