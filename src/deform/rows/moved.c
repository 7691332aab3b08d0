// src/deform/rows/moved.c: see moved.h.
#include "deform/rows/moved.h"

#include "geometry/frame.h"

/// Vertices that are looked at at a time when several threads share the work.
#define CHUNK 2048

typedef struct Scan
{
	const snugModel* model;
	const sgWeights* weights;
	const sgTransformOrder* order;
} Scan;

static void ResetEffects(sgEffect* effects, uint32_t count)
{
	for (uint32_t j = 0; j < count; ++j)
	{
		effects[j] = (sgEffect){ .vertex = UINT32_MAX, .box = sgBox_Empty() };
	}
}

// Of two vertices that are moved equally far the first in tree order counts, so it does not matter which thread looks.
static bool IsStronger(float weight, uint32_t vertex, const sgEffect* than)
{
	return weight > than->weight || (weight == than->weight && vertex < than->vertex);
}

// Zero is added to positions: 0 and -0 are the same, but not the same bits.
static void ScanVertices(void* context, uint32_t worker, uint32_t chunk)
{
	const Scan* scan = context;
	const sgWeights* weights = scan->weights;
	sgEffect* effects = scan->order->effects + (size_t)worker * scan->order->count;
	uint32_t first = chunk * CHUNK, left = scan->model->tree.vertexCount - first;
	for (uint32_t v = first; v < first + (left < CHUNK ? left : CHUNK); ++v)
	{
		const float* given = scan->model->positions + 3 * (size_t)v;
		const float p[3] = { given[0] + 0.0f, given[1] + 0.0f, given[2] + 0.0f };
		for (uint32_t k = weights->starts[v]; k < weights->starts[v + 1]; ++k)
		{
			sgEffect* effect = effects + weights->transforms[k];
			if (IsStronger(weights->weights[k], v, effect))
			{
				effect->weight = weights->weights[k];
				effect->vertex = v;
			}
			sgBox_AddPoint(&effect->box, p);
		}
	}
}

static void FindEffects(const snugModel* model, const sgWeights* weights, const sgTransformOrder* order)
{
	uint32_t workers = sgTeam_Workers(model->team), count = order->count;
	Scan scan = { model, weights, order };
	ResetEffects(order->effects, workers * count);
	sgTeam_Run(model->team, (model->tree.vertexCount + CHUNK - 1) / CHUNK, ScanVertices, &scan);
	for (uint32_t i = count; i < workers * count; ++i)
	{
		const sgEffect* other = order->effects + i;
		sgEffect* effect = order->effects + i % count;
		if (IsStronger(other->weight, other->vertex, effect))
		{
			effect->weight = other->weight;
			effect->vertex = other->vertex;
		}
		sgBox_AddBox(&effect->box, &other->box);
	}
}

// Centre and half extents of boxes, rounded outwards.
void sgLinear_FillMoved(const sgTransformOrder* order, sgLinearMoved* moved)
{
	for (uint32_t j = 0; j < order->count; ++j)
	{
		const sgBox* box = &order->effects[j].box;
		sgLinearMoved* block = moved + order->rank[j] / SG_LANES;
		uint32_t lane = order->rank[j] % SG_LANES;
		for (int axis = 0; axis < 3 && !sgBox_IsEmpty(box); ++axis)
		{
			double lower = (double)box->lower[axis], upper = (double)box->upper[axis];
			double center = (double)sgRoundNearest(0.5 * (lower + upper));
			double above = upper - center, below = center - lower;
			block->center[axis].lane[lane] = (float)center;
			block->half[axis].lane[lane] = sgRoundUp(above > below ? above : below);
		}
	}
}

static bool IsBehind(const sgEffect* effects, uint16_t a, uint16_t b)
{
	uint32_t vertexA = effects[a].vertex, vertexB = effects[b].vertex;
	return vertexA > vertexB || (vertexA == vertexB && a > b);
}

void sgLinear_OrderTransforms(const snugModel* model, const sgWeights* weights, const sgTransformOrder* order)
{
	FindEffects(model, weights, order);
	for (uint32_t j = 0; j < order->count; ++j)
	{
		order->across[j] = (uint16_t)j;
	}
	// Shell's method; transforms whose strongest vertex is the same keep their order by number.
	for (uint32_t gap = order->count / 2; gap > 0; gap /= 2)
	{
		for (uint32_t i = gap; i < order->count; ++i)
		{
			uint16_t moved = order->across[i];
			uint32_t j = i;
			for (; j >= gap && IsBehind(order->effects, order->across[j - gap], moved); j -= gap)
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
