#include "papers/common/world.h"

#include "body/body.h"
#include "tree/leaf_kernels.h"

#include <string.h>

// Numbers from 0 on, readable past the end, to gather vertices that lie one after the other.
static const uint32_t upwards[SG_MAX_LEAF_VERTICES + SG_LANES] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23 };

// Vertices that are where their body is: nothing to place.
static void Scatter(const sgTree* tree, const uint32_t* vertices, uint32_t count, const float* from, float* positions)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		memcpy(positions + 3 * (size_t)tree->vertexMap[vertices[i]], from + 3 * (size_t)i, 3 * sizeof(float));
	}
}

static void PlaceAndScatter(const sgTree* tree, const uint32_t* vertices, uint32_t count, const float* from,
    const sgPlacement* placement, float* positions)
{
	const sgKernels* kernels = sgGetKernels();
	for (uint32_t first = 0; first < count; first += SG_MAX_LEAF_VERTICES)
	{
		uint32_t run = count - first < SG_MAX_LEAF_VERTICES ? count - first : SG_MAX_LEAF_VERTICES;
		sgVertexBlock block;
		kernels->leaves->gatherVertices(from + 3 * (size_t)first, upwards, run, &block);
		kernels->leaves->placeVertices(&block, run, placement);
		for (uint32_t i = 0; i < run; ++i)
		{
			float* out = positions + 3 * (size_t)tree->vertexMap[vertices[first + i]];
			out[0] = block.coordinate[0][i];
			out[1] = block.coordinate[1][i];
			out[2] = block.coordinate[2][i];
		}
	}
}

snugStatus worldEvaluate(snugBody* body, float* positions)
{
	static const double origin[3] = { 0.0, 0.0, 0.0 };
	const snugModel* model = body->model;
	const sgClusters* clusters = &model->clusters;
	float evaluated[SG_CLUSTER_FLOATS(SG_MAX_CLUSTER_VERTICES)] = { 0.0f };
	snugCounters counters = { 0 };
	sgBox root;
	sgPlacement placement;
	snugStatus status = sgBody_MakePlacement(body, origin, &root, &placement, &counters);
	for (uint32_t c = 0; status == snug_success && c < clusters->header->count; ++c)
	{
		const sgCluster* cluster = clusters->clusters + c;
		const uint32_t* vertices = clusters->vertices + cluster->firstVertex;
		body->deform->evaluateCluster(sgBody_Derive(body), c, evaluated);
		if (placement.isIdentity)
		{
			Scatter(&model->tree, vertices, cluster->vertexCount, evaluated, positions);
		}
		else
		{
			PlaceAndScatter(&model->tree, vertices, cluster->vertexCount, evaluated, &placement, positions);
		}
	}
	return status;
}
