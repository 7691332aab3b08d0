// src/query/triangles.c: see triangles.h.
#include "query/triangles.h"

#include "geometry/predicates.h"
#include "geometry/segment.h"
#include "tree/leaf_kernels.h"

#include <math.h>

void sgUnitNormal(const float triangle[3][3], float normal[3])
{
	double n[3];
	sgTriangle_Normal(triangle, n);
	double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
	for (int k = 0; k < 3; ++k)
	{
		normal[k] = length > 0.0 ? (float)(n[k] / length) : 0.0f;
	}
}

snugStatus sgTriangleSource_Start(
    sgTriangleSource* source, snugBody* body, const double origin[3], snugCounters* counters)
{
	sgBox root;
	source->body = body;
	source->triangle.place = SG_NONE;
	for (int i = 0; i < SG_KEPT_TRIANGLES; ++i)
	{
		source->kept[i].place = SG_NONE;
	}
	if (origin == NULL)
	{
		source->placement = (sgPlacement){ .isIdentity = true };
		return snug_success;
	}
	return sgBody_MakePlacement(body, origin, &root, &source->placement, counters);
}

// Twins of a free body are where its caller puts them, which may be apart: then they are not twins.
uint32_t sgBody_FindTwin(const snugBody* body, uint32_t vertex)
{
	uint32_t twin = sgTwinOf(body->model, vertex);
	if (twin == vertex || body->deform->deformer != snug_free)
	{
		return twin;
	}
	const float* positions = body->deform->positions(&body->posed);
	return sgComparePoints(positions + 3 * (size_t)twin, positions + 3 * (size_t)vertex) == 0 ? twin : vertex;
}

// From the cluster that a query has evaluated, or evaluated now if it found no place.
static void Place(const sgTriangleSource* source, uint32_t place, sgPlacedTriangle* triangle, snugCounters* counters)
{
	const snugModel* model = source->body->model;
	const sgTree* tree = &model->tree;
	const uint32_t lane = place % SG_LANES;
	const sgLeaf* leaf = tree->leaves + place / SG_LANES;
	sgLeafSource found = sgBody_FindLeaves(source->body, leaf, counters);
	uint32_t vertices[3 + SG_LANES] = { 0 }, indices[3 + SG_LANES] = { 0 };
	for (int c = 0; c < 3; ++c)
	{
		vertices[c] = tree->leafVertices[leaf->firstVertex + leaf->corners[c][lane]];
		indices[c] = found.indices[leaf->firstVertex + leaf->corners[c][lane]];
		triangle->vertices[c] = sgBody_FindTwin(source->body, vertices[c]);
	}
	sgLeafScratch scratch;
	sgVertexBlock block;
	counters->verticesEvaluated += found.positions != NULL ? 0 : 3;
	sgLeafVertices three = found.positions != NULL ? (sgLeafVertices){ found.positions, indices }
	                                               : sgBody_Evaluate(source->body, vertices, 3, &scratch);
	sgGetKernels()->leaves->gatherVertices(three.positions, three.indices, 3, &block);
	sgGetKernels()->leaves->placeVertices(&block, 3, &source->placement);
	for (int i = 0; i < 9; ++i)
	{
		triangle->corners[i / 3][i % 3] = block.coordinate[i % 3][i / 3];
	}
	triangle->place = place;
	triangle->number = tree->triangleMap[leaf->firstTriangle + lane];
	sgUnitNormal((const float(*)[3])triangle->corners, triangle->normal);
}

void sgTriangleSource_Fetch(sgTriangleSource* source, uint32_t place, snugCounters* counters)
{
	if (source->triangle.place == place)
	{
		return;
	}
	sgPlacedTriangle* kept = source->kept + place % SG_KEPT_TRIANGLES;
	if (kept->place != place)
	{
		Place(source, place, kept, counters);
	}
	source->triangle = *kept;
}

void sgTriangleSource_Vertex(const sgTriangleSource* source, uint32_t vertex, float position[3], snugCounters* counters)
{
	const uint32_t vertices[1 + SG_LANES] = { vertex };
	sgLeafScratch scratch;
	sgVertexBlock block;
	const sgLeafVertices one = sgBody_Evaluate(source->body, vertices, 1, &scratch);
	sgGetKernels()->leaves->gatherVertices(one.positions, one.indices, 1, &block);
	sgGetKernels()->leaves->placeVertices(&block, 1, &source->placement);
	++counters->verticesEvaluated;
	for (int k = 0; k < 3; ++k)
	{
		position[k] = block.coordinate[k][0];
	}
}
