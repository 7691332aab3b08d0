// src/query/edges.h: the edges of a surface, each with its triangles, in a table for a moment.
#ifndef SG_EDGES_H
#define SG_EDGES_H

#include "query/triangles.h"

/// One triangle's side of an edge: the greater vertex, and in the lower half 8 * the triangle's number in tree order, 2
/// * the corner from which it goes along the edge, and 1 if that is the smaller vertex.
typedef uint64_t sgEdgeSide;

/// By their smaller vertex, and below each in order: so sides of one edge are next to each other, and edges that are
/// near each other in the tree too.
typedef struct sgEdges
{
	uint32_t* twins;   ///< (vertexCount) of each vertex, the one that stands for it
	uint32_t* ends;    ///< (vertexCount) of its sides: they begin where those of the vertex before end
	sgEdgeSide* sides; ///< at most 3 for each triangle
	uint32_t vertexCount;
	size_t bytes;
	snugAllocator allocator;
} sgEdges;

/// An edge of one triangle or more.
typedef struct sgEdge
{
	uint32_t vertices[2]; ///< by twins, the smaller first
	const sgEdgeSide* sides;
	uint32_t count;
	bool isBalanced; ///< as many triangles pass it one way as the other
} sgEdge;

/// The edges of a model, or of a body in its pose: twins that its caller put apart are none.
/// @param body nullable
/// @return false if there is no memory; sgEdges_Free otherwise
bool sgEdges_Make(sgEdges* edges, const snugModel* model, const snugBody* body);
void sgEdges_Free(sgEdges* edges);

/// One edge after the other, from one that is zero on.
/// @return false: there are no more
static inline bool sgEdges_Next(const sgEdges* edges, sgEdge* edge)
{
	uint32_t vertex = edge->vertices[0];
	const sgEdgeSide* first = edge->sides != NULL ? edge->sides + edge->count : edges->sides;
	while (vertex < edges->vertexCount && first == edges->sides + edges->ends[vertex])
	{
		++vertex;
	}
	if (vertex == edges->vertexCount)
	{
		return false;
	}
	const sgEdgeSide *end = edges->sides + edges->ends[vertex], *last = first;
	uint32_t upwards = 0;
	for (; last < end && *last >> 32 == *first >> 32; ++last)
	{
		upwards += *last % 2 != 0;
	}
	const uint32_t count = (uint32_t)(last - first);
	*edge = (sgEdge){ { vertex, (uint32_t)(*first >> 32) }, first, count, 2 * (uint64_t)upwards == count };
	return true;
}

/// The number of a side's triangle in tree order, and the corner from which it goes along the edge.
static inline uint32_t sgEdgeSide_Triangle(sgEdgeSide side)
{
	return (uint32_t)side / 8;
}

static inline uint32_t sgEdgeSide_Corner(sgEdgeSide side)
{
	return (uint32_t)side / 2 % 4;
}

#endif
