// src/query/edges.c: see edges.h; and whether a surface is closed.
#include "query/edges.h"

#include "snug/snug_queries.h"

#include <string.h>

static uint32_t WayOf(uint32_t triangle)
{
	return triangle % 2 != 0 ? 1 : UINT32_MAX;
}

static void Note(sgEdge* edge, uint32_t triangle)
{
	const bool isMany = (edge->key & SG_EDGE_MANY) != 0;
	if (edge->key == 0 || (!isMany && (edge->key & SG_EDGE_ODD) != 0))
	{
		edge->triangles[edge->key != 0] = triangle;
		return;
	}
	edge->triangles[1] =
	    isMany ? edge->triangles[1] : SG_EDGE_EVEN + WayOf(edge->triangles[0]) + WayOf(edge->triangles[1]);
	edge->triangles[1] += WayOf(triangle);
	edge->key |= SG_EDGE_MANY;
}

static void Add(sgEdges* edges, uint32_t v, uint32_t w, uint32_t from)
{
	const uint64_t low = v < w ? v : w, high = v < w ? w : v;
	const uint64_t key = (high << 31 | low) + 1; // numbers are below 2^29, and the last two bits are free
	for (uint64_t slot = (key ^ key >> 29) * 0x9e3779b97f4a7c15u >> 20;; ++slot)
	{
		sgEdge* edge = edges->edges + (slot & (edges->size - 1));
		if (edge->key != 0 && (edge->key & ~(SG_EDGE_ODD | SG_EDGE_MANY)) != key)
		{
			continue;
		}
		const bool wasOdd = (edge->key & SG_EDGE_ODD) != 0;
		Note(edge, from + (v < w));
		edge->key = key | (edge->key & SG_EDGE_MANY) | (wasOdd ? 0 : SG_EDGE_ODD);
		edges->oddCount += wasOdd ? UINT64_MAX : 1;
		return;
	}
}

static void AddTriangles(sgEdges* edges, const snugModel* model, const snugBody* body, const sgLeaf* leaf)
{
	const uint32_t* vertices = model->tree.leafVertices + leaf->firstVertex;
	for (uint32_t t = 0; t < leaf->triangleCount; ++t)
	{
		uint32_t corners[3];
		for (int c = 0; c < 3; ++c)
		{
			const uint32_t vertex = vertices[leaf->corners[c][t]];
			corners[c] = body != NULL ? sgBody_FindTwin(body, vertex) : sgTwinOf(model, vertex);
		}
		for (int c = 0; c < 3; ++c)
		{
			if (corners[c] != corners[(c + 1) % 3])
			{
				Add(edges, corners[c], corners[(c + 1) % 3], 8 * (leaf->firstTriangle + t) + 2 * (uint32_t)c);
			}
		}
	}
}

bool sgEdges_Make(sgEdges* edges, const snugModel* model, const snugBody* body)
{
	*edges = (sgEdges){ .size = 4, .allocator = body != NULL ? body->allocator : model->allocator };
	while (edges->size <= 3 * (uint64_t)model->tree.triangleCount)
	{
		edges->size *= 2;
	}
	const size_t bytes = edges->size <= SG_MAX_SIZE / sizeof(sgEdge) ? (size_t)edges->size * sizeof(sgEdge) : 0;
	edges->edges = bytes > 0 ? sgAllocate(&edges->allocator, bytes) : NULL;
	if (edges->edges == NULL)
	{
		return false;
	}
	memset(edges->edges, 0, bytes);
	for (uint32_t i = 0; i < model->tree.leafCount; ++i)
	{
		AddTriangles(edges, model, body, model->tree.leaves + i);
	}
	return true;
}

void sgEdges_Free(sgEdges* edges)
{
	sgRelease(&edges->allocator, edges->edges, (size_t)edges->size * sizeof(sgEdge));
}

snugStatus snugModel_CountOpenEdges(const snugModel* model, uint64_t* count)
{
	SG_REQUIRE(count != NULL, snug_badArgument);
	*count = 0;
	SG_REQUIRE(model != NULL, snug_badArgument);
	sgEdges edges;
	if (!sgEdges_Make(&edges, model, NULL))
	{
		return snug_outOfMemory;
	}
	*count = edges.oddCount;
	sgEdges_Free(&edges);
	return snug_success;
}
