// src/query/edges.c: see edges.h; and whether a surface is closed.
#include "query/edges.h"

#include "snug/snug_queries.h"

#include <string.h>

#define SORT_ITEM sgEdgeSide
#define SORT_IS_BEFORE(a, b) ((a) < (b))
#include "base/sort.h"

// Count the sides below each vertex, or, where `ends` are where those of each begin, note them there. No edge goes from
// a vertex to itself.
SG_INLINE void AddLeaf(sgEdges* edges, const sgTree* tree, const sgLeaf* leaf, bool isCounted)
{
	const uint32_t* vertices = tree->leafVertices + leaf->firstVertex;
	for (uint32_t t = 0; t < leaf->triangleCount; ++t)
	{
		for (uint32_t c = 0; c < 3; ++c)
		{
			const uint32_t v = edges->twins[vertices[leaf->corners[c][t]]],
			               w = edges->twins[vertices[leaf->corners[(c + 1) % 3][t]]];
			if (v == w)
			{
				continue;
			}
			uint32_t* end = edges->ends + (v < w ? v : w);
			if (isCounted)
			{
				const uint64_t high = v < w ? w : v;
				edges->sides[*end] = high << 32 | (8 * (leaf->firstTriangle + t) + 2 * c + (v < w));
			}
			++*end;
		}
	}
}

static void AddLeaves(sgEdges* edges, const sgTree* tree, bool isCounted)
{
	for (uint32_t i = 0; i < tree->leafCount; ++i)
	{
		AddLeaf(edges, tree, tree->leaves + i, isCounted);
	}
}

bool sgEdges_Make(sgEdges* edges, const snugModel* model, const snugBody* body)
{
	const sgTree* tree = &model->tree;
	const uint64_t sideBytes = 3 * sizeof(sgEdgeSide) * (uint64_t)tree->triangleCount,
	               bytes = sideBytes + 2 * sizeof(uint32_t) * (uint64_t)tree->vertexCount;
	*edges = (sgEdges){ .vertexCount = tree->vertexCount,
		.bytes = bytes < SG_MAX_SIZE ? (size_t)bytes : SG_MAX_SIZE,
		.allocator = body != NULL ? body->allocator : model->allocator };
	edges->sides = sgAllocate(&edges->allocator, edges->bytes);
	if (edges->sides == NULL)
	{
		return false;
	}
	edges->twins = (uint32_t*)(void*)((unsigned char*)edges->sides + (size_t)sideBytes);
	edges->ends = edges->twins + tree->vertexCount;
	memset(edges->ends, 0, tree->vertexCount * sizeof(uint32_t));
	for (uint32_t v = 0; v < tree->vertexCount; ++v)
	{
		edges->twins[v] = body != NULL ? sgBody_FindTwin(body, v) : sgTwinOf(model, v);
	}
	AddLeaves(edges, tree, false);
	for (uint32_t v = 0, sum = 0; v < tree->vertexCount; ++v)
	{
		const uint32_t count = edges->ends[v];
		edges->ends[v] = sum;
		sum += count;
	}
	AddLeaves(edges, tree, true);
	for (uint32_t v = 0, first = 0; v < tree->vertexCount; first = edges->ends[v++])
	{
		Sort(edges->sides + first, edges->ends[v] - first);
	}
	return true;
}

void sgEdges_Free(sgEdges* edges)
{
	sgRelease(&edges->allocator, edges->sides, edges->bytes);
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
	for (sgEdge edge = { .sides = NULL }; sgEdges_Next(&edges, &edge);)
	{
		*count += edge.count % 2;
	}
	sgEdges_Free(&edges);
	return snug_success;
}
