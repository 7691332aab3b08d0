// src/tree/tree.h: bounding tree over one mesh. Topology only: bounds belong to a model (rest) or a body (posed).
//
// Nodes live in slots; eight consecutive slots, aligned, form a group whose bounds are stored side by side
// (sgBoxLanes). The children of a node, its family, up to eight, have a group to themselves, from its first slot on; so
// has the root. Slots that no node takes are empty. Families are always refitted and tested together.
//
// Leaves are clusters of a few triangles that own a list of the vertices they use. Leaves, triangles and vertices are
// numbered in the order of the tree, so what is close in space is close in memory; maps lead back to the caller's
// numbers.
//
// Invariants, established by sgTree_Build and checked by sgTree_Validate when a model is loaded:
// - the root is slot 0; a child's slot is larger than its parent's, so walking slots backwards goes bottom-up;
// - every leaf, triangle and leaf vertex belongs to exactly one slot, and below any node they are consecutive;
// - no node is deeper than SG_MAX_DEPTH, so a traversal's stack has a fixed size.
#ifndef SG_TREE_H
#define SG_TREE_H

#include "geometry/box.h"

#define SG_MAX_DEPTH 48
#define SG_MAX_LEAF_TRIANGLES SG_LANES
#define SG_MAX_LEAF_VERTICES (3 * SG_MAX_LEAF_TRIANGLES)
#define SG_NONE UINT32_MAX

struct sgTeam;

typedef struct sgNode
{
	uint32_t first;     ///< inner node: slot of the first child; leaf: number of the leaf; empty slot: SG_NONE
	uint32_t parent;    ///< slot; SG_NONE for the root and empty slots
	uint8_t childCount; ///< zero for leaves and empty slots
	uint8_t leafMask;   ///< bit i: child i is a leaf
	uint8_t level;      ///< the root's is 0
	uint8_t reserved;   ///< zero
} sgNode;
SG_STORED(sgNode, 12);

typedef struct sgLeaf
{
	uint32_t slot;
	uint32_t firstTriangle; ///< in tree order
	uint32_t firstVertex;   ///< in leafVertices
	uint8_t triangleCount;
	uint8_t vertexCount;
	uint16_t reserved; ///< zero
	/// corners[c][t]: which of the leaf's vertices is corner c of its triangle t; unused lanes repeat triangle 0.
	uint8_t corners[3][SG_MAX_LEAF_TRIANGLES];
} sgLeaf;
SG_STORED(sgLeaf, 40);

typedef struct sgTree
{
	uint32_t groupCount;
	uint32_t nodeCount;
	uint32_t leafCount;
	uint32_t depth;
	uint32_t triangleCount;
	uint32_t vertexCount;
	uint32_t leafVertexCount;
	const sgNode* nodes;          ///< (groupCount * SG_LANES)
	const sgLeaf* leaves;         ///< (leafCount)
	const uint32_t* leafVertices; ///< (leafVertexCount + SG_LANES): vertices in tree order; the tail is padding
	const uint32_t* triangleMap;  ///< (triangleCount): tree order to caller's number
	const uint32_t* vertexMap;    ///< (vertexCount): tree order to caller's number; vertices of no triangle come last
} sgTree;

/// The lanes of one group that a traversal looks at together: a family, or one leaf alone.
typedef struct sgLaneSet
{
	uint32_t group;
	uint32_t mask;     ///< lanes with a node
	uint32_t leafMask; ///< of those, leaves
} sgLaneSet;

static inline bool sgTree_IsLeaf(const sgTree* tree, uint32_t slot)
{
	return tree->nodes[slot].childCount == 0;
}

/// The children of an inner node.
static inline sgLaneSet sgTree_Children(const sgTree* tree, uint32_t slot)
{
	const sgNode* node = tree->nodes + slot;
	return (sgLaneSet){ node->first / SG_LANES, (1u << node->childCount) - 1u, node->leafMask };
}

/// The lanes of the family that a slot belongs to; the root is a family of its own.
static inline sgLaneSet sgTree_Family(const sgTree* tree, uint32_t slot)
{
	uint32_t parent = tree->nodes[slot].parent;
	if (parent == SG_NONE)
	{
		return (sgLaneSet){ 0, 1, sgTree_IsLeaf(tree, 0) ? 1 : 0 };
	}
	return sgTree_Children(tree, parent);
}

/// What descending into a node shows: its children, or itself if it is a leaf.
static inline sgLaneSet sgTree_Open(const sgTree* tree, uint32_t slot)
{
	if (!sgTree_IsLeaf(tree, slot))
	{
		return sgTree_Children(tree, slot);
	}
	sgLaneSet alone = sgTree_Family(tree, slot);
	alone.mask = alone.leafMask = 1u << (slot % SG_LANES);
	return alone;
}

/// The leaves below a node are `first` to `last`, inclusive.
typedef struct sgLeafRange
{
	uint32_t first;
	uint32_t last;
} sgLeafRange;

sgLeafRange sgTree_LeavesBelow(const sgTree* tree, uint32_t slot);

/// A tree while it is built: the arrays of sgTree, writable and owned.
typedef struct sgTreeArrays
{
	sgTree tree;
	sgNode* nodes;
	sgLeaf* leaves;
	uint32_t* leafVertices;
	uint32_t* triangleMap;
	uint32_t* vertexMap;
	size_t nodeBytes, leafBytes, leafVertexBytes, triangleMapBytes, vertexMapBytes;
} sgTreeArrays;

/// A mesh as given by the caller, already checked.
typedef struct sgMeshView
{
	const char* positions;
	size_t positionStride;
	uint32_t vertexCount;
	const char* triangles;
	size_t triangleStride;
	uint32_t triangleCount;
} sgMeshView;

static inline const float* sgMeshView_Position(const sgMeshView* mesh, uint32_t vertex)
{
	return (const float*)(const void*)(mesh->positions + (size_t)vertex * mesh->positionStride);
}

static inline const uint32_t* sgMeshView_Triangle(const sgMeshView* mesh, uint32_t triangle)
{
	return (const uint32_t*)(const void*)(mesh->triangles + (size_t)triangle * mesh->triangleStride);
}

/// Build a tree whose leaves have so many triangles at most. Deterministic: the same bits for every compiler and
/// machine.
/// @return snug_success, snug_outOfMemory, or snug_outOfRange if it came out deeper than SG_MAX_DEPTH
/// @param team nullable
snugStatus sgTree_Build(const sgMeshView* mesh, uint32_t leafTriangles, const snugAllocator* allocator,
    const struct sgTeam* team, sgTreeArrays* arrays);

void sgTreeArrays_Release(sgTreeArrays* arrays, const snugAllocator* allocator);

/// Check everything that the code relies on when it follows indices, for data that came from a file.
/// @param leafTriangles the most of a leaf
/// @param scratch sgTree_ValidateBytes(tree) bytes
/// @return null if all is well, or what is wrong
const char* sgTree_Validate(const sgTree* tree, uint32_t leafTriangles, void* scratch);
size_t sgTree_ValidateBytes(const sgTree* tree);

#endif
