// src/tree/cluster.h: the leaves of a family as one cluster, for models whose vertices must be evaluated.
//
// Evaluating the few dozen vertices of a family of leaves costs about as much as bounding its leaves would, and gives
// exact boxes; so a cluster is evaluated as a whole when a query first looks at its leaves, each vertex once, and what
// comes out serves the leaves' boxes and their triangles. A body keeps it in pages of its pool: `place` says where.
#ifndef SG_CLUSTER_H
#define SG_CLUSTER_H

#include "tree/tree.h"

#define SG_MAX_CLUSTER_VERTICES (SG_LANES * SG_MAX_LEAF_VERTICES)

/// Floats of a page, and those of an evaluated cluster in it: a version, positions, and one float of padding, since
/// positions are read and written four floats at a time.
#define SG_PAGE_FLOATS 1024
#define SG_CLUSTER_FLOATS(vertexCount) (3 * (vertexCount) + 2)

typedef struct sgCluster
{
	uint32_t firstVertex; ///< in sgClusters.vertices
	uint32_t vertexCount;
	uint32_t place; ///< in floats, page after page; a cluster lies in one page
} sgCluster;
SG_STORED(sgCluster, 12);

/// One piece of memory: this, then the arrays.
typedef struct sgClusterHeader
{
	uint32_t count;
	uint32_t vertexCount; ///< of all clusters together
	uint32_t pageCount;
	uint32_t usedCount; ///< vertices of the model that belong to triangles: the first ones, in tree order
} sgClusterHeader;
SG_STORED(sgClusterHeader, 16);

typedef struct sgClusters
{
	const sgClusterHeader* header; ///< null if the model has none
	const sgCluster* clusters;     ///< (count)
	const uint32_t* ofLeaf;        ///< (leafCount): cluster of a leaf
	const uint32_t* vertices;      ///< (vertexCount), tree order
	const uint32_t*
	    places; ///< (leafVertexCount + SG_LANES): for every entry of leafVertices, its number in its cluster
} sgClusters;

/// Make the clusters of a tree. The result follows from the tree alone.
/// @param team nullable
snugStatus sgClusters_Build(
    const sgTree* tree, const snugAllocator* allocator, const struct sgTeam* team, void** data, size_t* bytes);

/// The numbers that up to eight vertices have in their lists, ascending and each once: a block of a cluster is
/// evaluated over these. The list of vertex v, ascending, is numbers[starts[v]] to numbers[starts[v + 1] - 1].
/// @param out nullable
/// @return how many
uint32_t sgMergeLists(
    const uint32_t* starts, const uint16_t* numbers, const uint32_t* vertices, uint32_t count, uint16_t* out);

/// Bytes of clusters with these counts, header included.
size_t sgClusters_Bytes(const sgTree* tree, const sgClusterHeader* header);

sgClusters sgClusters_Bind(const sgTree* tree, const void* data);

/// Check clusters that come from a file and have the right size. The tree has been checked, and gives the only right
/// answer.
/// @return null if all is well, or what is wrong
const char* sgClusters_Check(const sgTree* tree, const sgClusters* clusters);

#endif
