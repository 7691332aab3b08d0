// src/body/vertices.c: posed positions, for the caller.
#include "base/fpenv.h"
#include "body/body.h"
#include "tree/leaf_kernels.h"

static const double zeroOrigin[3] = { 0.0, 0.0, 0.0 };

/// Where placed vertices go.
typedef struct Output
{
	const snugBody* body;
	sgPlacement placement;
	char* positions;
	size_t stride;
} Output;

// Place some vertices, given by number in tree order, whose body-space positions are found[i]. At most
// SG_MAX_LEAF_VERTICES.
static void PutVertices(const Output* output, const uint32_t* vertices, sgLeafVertices found, uint32_t count)
{
	sgVertexBlock block;
	sgGetKernels()->leaves->gatherVertices(found.positions, found.indices, count, &block);
	sgGetKernels()->leaves->placeVertices(&block, count, &output->placement);
	for (uint32_t i = 0; i < count; ++i)
	{
		size_t number = output->body->model->tree.vertexMap[vertices[i]];
		float* out = (float*)(void*)(output->positions + number * output->stride);
		for (int axis = 0; axis < 3; ++axis)
		{
			out[axis] = block.coordinate[axis][i];
		}
	}
}

// Numbers first, first + 1, …: enough for a run of vertices and what kernels read past its end.
static void CountUp(uint32_t first, uint32_t count, uint32_t numbers[SG_MAX_LEAF_VERTICES + SG_LANES])
{
	for (uint32_t i = 0; i < SG_MAX_LEAF_VERTICES + SG_LANES; ++i)
	{
		numbers[i] = i < count ? first + i : first;
	}
}

static uint32_t RunLength(uint32_t left)
{
	return left < SG_MAX_LEAF_VERTICES ? left : SG_MAX_LEAF_VERTICES;
}

// Cluster by cluster, which is fast; vertices that several clusters share are the same in each.
static void PutClusters(const Output* output)
{
	const snugBody* body = output->body;
	const sgClusters* clusters = &body->model->clusters;
	float positions[SG_CLUSTER_FLOATS(SG_MAX_CLUSTER_VERTICES)];
	for (uint32_t c = 0; c < clusters->header->count; ++c)
	{
		const sgCluster* cluster = clusters->clusters + c;
		body->deform->evaluateCluster(&body->posed, c, positions);
		for (uint32_t first = 0; first < cluster->vertexCount; first += SG_MAX_LEAF_VERTICES)
		{
			uint32_t count = RunLength(cluster->vertexCount - first), indices[SG_MAX_LEAF_VERTICES + SG_LANES];
			CountUp(first, count, indices);
			const uint32_t* vertices = clusters->vertices + cluster->firstVertex + first;
			PutVertices(output, vertices, (sgLeafVertices){ positions, indices }, count);
		}
	}
}

static SG_NOINLINE snugStatus GetVertices(snugBody* body, const double* origin, char* positions, size_t stride)
{
	const sgTree* tree = &body->model->tree;
	snugCounters counters = { 0 };
	sgBox root;
	Output output = { .body = body, .positions = positions, .stride = stride };
	snugStatus status = sgBody_MakePlacement(body, origin, &root, &output.placement, &counters);
	if (status != snug_success)
	{
		return status;
	}
	uint32_t first = 0;
	if (body->model->clusters.header != NULL)
	{
		PutClusters(&output);
		first = body->model->clusters.header->usedCount;
	}
	for (; first < tree->vertexCount; first += SG_MAX_LEAF_VERTICES)
	{
		uint32_t vertices[SG_MAX_LEAF_VERTICES + SG_LANES], count = RunLength(tree->vertexCount - first);
		CountUp(first, count, vertices);
		sgLeafScratch scratch;
		PutVertices(&output, vertices, sgBody_Evaluate(body, vertices, count, &scratch), count);
	}
	return snug_success;
}

snugStatus snugBody_GetVertices(snugBody* body, const double origin[3], float* positions, size_t stride)
{
	SG_REQUIRE(body != NULL && (positions != NULL || body->model->tree.vertexCount == 0), snug_badArgument);
	stride = sgStride(stride, 3 * sizeof(float));
	SG_REQUIRE(stride != 0, snug_badArgument);
	origin = origin != NULL ? origin : zeroOrigin;
	SG_REQUIRE(sgIsFinitePoint(origin), snug_badArgument);
	sgFpEnv environment = sgFpEnv_Enter();
	snugStatus status = GetVertices(body, origin, (char*)positions, stride);
	sgFpEnv_Leave(environment);
	return status;
}
