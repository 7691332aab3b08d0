// src/query/edges.h: the edges of a surface, each with its triangles, in a table for a moment.
#ifndef SG_EDGES_H
#define SG_EDGES_H

#include "query/triangles.h"

/// An edge of one triangle or more. Zero: none.
typedef struct sgEdge
{
	uint64_t key;          ///< its vertices, by twins, and the two flags below
	uint32_t triangles[2]; ///< the first two: 8 * number in tree order, 2 * the corner from which they go along it, and
	                       ///< 1 if that is the smaller vertex. Of more, the second is SG_EDGE_EVEN and how many more
	                       ///< go up than down
} sgEdge;

#define SG_EDGE_ODD ((uint64_t)1 << 63)  ///< an odd number of triangles has it
#define SG_EDGE_MANY ((uint64_t)1 << 62) ///< more than two
#define SG_EDGE_EVEN ((uint32_t)1 << 31)

typedef struct sgEdges
{
	sgEdge* edges; ///< (size) open addressing
	uint64_t size; ///< a power of two, more than there are edges
	uint64_t oddCount;
	snugAllocator allocator;
} sgEdges;

/// The edges of a model, or of a body in its pose: twins that its caller put apart are none.
/// @param body nullable
/// @return false if there is no memory; sgEdges_Free otherwise
bool sgEdges_Make(sgEdges* edges, const snugModel* model, const snugBody* body);
void sgEdges_Free(sgEdges* edges);

/// One of its vertices, the smaller first.
static inline uint32_t sgEdge_Vertex(const sgEdge* edge, int which)
{
	const uint64_t key = (edge->key & ~(SG_EDGE_ODD | SG_EDGE_MANY)) - 1;
	return (uint32_t)(which == 0 ? key & (((uint64_t)1 << 31) - 1) : key >> 31);
}

/// Whether as many triangles pass an edge one way as the other.
static inline bool sgEdge_IsBalanced(const sgEdge* edge)
{
	return edge->key == 0 || ((edge->key & SG_EDGE_MANY) != 0 ? edge->triangles[1] == SG_EDGE_EVEN
	                                                          : (edge->key & SG_EDGE_ODD) == 0 &&
	                                                                (edge->triangles[0] + edge->triangles[1]) % 2 != 0);
}

#endif
