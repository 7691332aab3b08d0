// src/tree/validate.c: everything that following the indices of a tree relies on, for trees that come from a file.
//
// The proof that a validated tree is safe: slots are visited once each in increasing order, each inner node's children
// lie after it, within the arrays and within one group, and no slot is the child of two nodes; leaves are numbered in
// the order of a depth-first walk, and their triangles and vertices follow each other without gaps. So every walk from
// the root ends, and every index it meets is in range.
#include "base/arrays.h"
#include "tree/tree.h"

#include <string.h>

static const char* ValidateNode(const sgTree* tree, uint32_t slot)
{
	const sgNode* node = tree->nodes + slot;
	uint32_t slotCount = tree->groupCount * SG_LANES;
	if (node->reserved != 0)
	{
		return "a node has unknown bits";
	}
	if (node->childCount == 0)
	{
		bool isLeaf = node->first != SG_NONE;
		return isLeaf && (node->first >= tree->leafCount || tree->leaves[node->first].slot != slot)
		           ? "a node and its leaf disagree"
		           : NULL;
	}
	if (node->childCount < 2 || node->childCount > SG_LANES)
	{
		return "a node has a wrong number of children";
	}
	if (node->first <= slot || node->first >= slotCount || node->first % SG_LANES != 0)
	{
		return "a node's children are out of place";
	}
	if (node->leafMask >> node->childCount != 0)
	{
		return "a node's leaf mask is wrong";
	}
	for (uint32_t i = 0; i < node->childCount; ++i)
	{
		const sgNode* child = tree->nodes + node->first + i;
		bool isLeaf = child->childCount == 0 && child->first != SG_NONE;
		if (child->parent != slot || child->level != node->level + 1 || isLeaf != ((node->leafMask >> i) & 1) ||
		    (child->childCount == 0 && !isLeaf))
		{
			return "a child does not fit its parent";
		}
	}
	return NULL;
}

// Slots that claim a parent must be among its children, and only the root may have none.
static const char* ValidateParents(const sgTree* tree)
{
	uint32_t taken = 0;
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		const sgNode* node = tree->nodes + slot;
		bool isEmpty = node->childCount == 0 && node->first == SG_NONE;
		if (isEmpty || slot == 0)
		{
			bool isFirst = slot % SG_LANES == 0; // no group is empty
			if (node->parent != SG_NONE || (isFirst && isEmpty) || (slot == 0 && node->level != 0))
			{
				return "the root or an empty slot is wrong";
			}
			taken += !isEmpty;
			continue;
		}
		if (node->parent >= slot || node->level > SG_MAX_DEPTH || node->level > tree->depth)
		{
			return "a node's parent or level is wrong";
		}
		const sgNode* parent = tree->nodes + node->parent;
		if (slot < parent->first || slot - parent->first >= parent->childCount)
		{
			return "a node is not among its parent's children";
		}
		++taken;
	}
	return taken == tree->nodeCount ? NULL : "the number of nodes is wrong";
}

// Eight corners at a time: the top bit of each byte is set first, and stays if what is subtracted is not greater.
static bool AreCornersBelow(const sgLeaf* leaf, uint32_t limit)
{
	const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
	uint64_t bad = 0;
	for (int c = 0; c < 3; ++c)
	{
		uint64_t corners;
		_Static_assert(sizeof(leaf->corners[0]) == sizeof(corners), "a corner of all triangles is a word");
		memcpy(&corners, leaf->corners[c], sizeof(corners));
		bad |= (corners & tops) | (((corners | tops) - limit * ones) & tops);
	}
	return bad == 0;
}

static const char* ValidateLeaf(const sgTree* tree, uint32_t leafTriangles, uint32_t index)
{
	const sgLeaf* leaf = tree->leaves + index;
	bool mayBeEmpty = tree->triangleCount == 0;
	if (leaf->slot >= tree->groupCount * SG_LANES || tree->nodes[leaf->slot].childCount != 0 ||
	    tree->nodes[leaf->slot].first != index || leaf->reserved != 0)
	{
		return "a leaf and its node disagree";
	}
	if (leaf->triangleCount > leafTriangles || (leaf->triangleCount == 0 && !mayBeEmpty) ||
	    leaf->vertexCount > 3 * leaf->triangleCount || (leaf->vertexCount == 0 && !mayBeEmpty))
	{
		return "a leaf has a wrong number of triangles or vertices";
	}
	return AreCornersBelow(leaf, leaf->vertexCount > 0 ? leaf->vertexCount : 1) ? NULL
	                                                                            : "a triangle's corner is out of range";
}

static const char* ValidateLeaves(const sgTree* tree, uint32_t leafTriangles)
{
	uint64_t triangles = 0, vertices = 0;
	uint32_t limit = tree->vertexCount > 0 ? tree->vertexCount : 1; // padding is zero, in a model without vertices too
	if (sgGreatest32(tree->leafVertices, (size_t)tree->leafVertexCount + SG_LANES) >= limit)
	{
		return "a leaf's vertex is out of range";
	}
	for (uint32_t i = 0; i < tree->leafCount; ++i)
	{
		const sgLeaf* leaf = tree->leaves + i;
		if (leaf->firstTriangle != triangles || leaf->firstVertex != vertices)
		{
			return "a leaf's triangles or vertices are out of place";
		}
		triangles += leaf->triangleCount;
		vertices += leaf->vertexCount;
		if (triangles > tree->triangleCount || vertices > tree->leafVertexCount)
		{
			return "the leaves have too many triangles or vertices";
		}
		const char* fault = ValidateLeaf(tree, leafTriangles, i);
		if (fault != NULL)
		{
			return fault;
		}
	}
	if (triangles != tree->triangleCount || vertices != tree->leafVertexCount)
	{
		return "the leaves have too few triangles or vertices";
	}
	// In the order of first use, so that those of no triangle come last.
	uint32_t next = 0;
	for (uint32_t i = 0; i < tree->leafVertexCount; ++i)
	{
		if (tree->leafVertices[i] > next)
		{
			return "the vertices are out of order";
		}
		next += tree->leafVertices[i] == next;
	}
	return NULL;
}

// Leaves in the order of a depth-first walk are consecutive below any node.
static const char* ValidateLeafOrder(const sgTree* tree)
{
	uint32_t next = 0, slot = 0;
	while (slot != SG_NONE)
	{
		const sgNode* node = tree->nodes + slot;
		if (node->childCount > 0)
		{
			slot = node->first;
			continue;
		}
		if (node->first != next++)
		{
			return "the leaves are out of order";
		}
		// Up until there is a sibling to the right.
		uint32_t parent = node->parent;
		while (parent != SG_NONE && slot + 1 == tree->nodes[parent].first + tree->nodes[parent].childCount)
		{
			slot = parent;
			parent = tree->nodes[slot].parent;
		}
		slot = parent == SG_NONE ? SG_NONE : slot + 1;
	}
	return next == tree->leafCount ? NULL : "some leaves are not in the tree";
}

// As many numbers as there are, each below that, and none is missing.
static bool IsPermutation(const uint32_t* map, uint32_t count, uint8_t* seen)
{
	if (count > 0 && sgGreatest32(map, count) >= count)
	{
		return false;
	}
	memset(seen, 0, count);
	for (uint32_t i = 0; i < count; ++i)
	{
		seen[map[i]] = 1;
	}
	return count == 0 || memchr(seen, 0, count) == NULL;
}

size_t sgTree_ValidateBytes(const sgTree* tree)
{
	return tree->triangleCount > tree->vertexCount ? tree->triangleCount : tree->vertexCount;
}

const char* sgTree_Validate(const sgTree* tree, uint32_t leafTriangles, void* scratch)
{
	const char* fault = NULL;
	if (tree->groupCount == 0 || tree->leafCount == 0 || tree->depth > SG_MAX_DEPTH)
	{
		return "the tree's size or depth is wrong";
	}
	for (uint32_t slot = 0; fault == NULL && slot < tree->groupCount * SG_LANES; ++slot)
	{
		fault = ValidateNode(tree, slot);
	}
	fault = fault == NULL ? ValidateParents(tree) : fault;
	fault = fault == NULL ? ValidateLeaves(tree, leafTriangles) : fault;
	fault = fault == NULL ? ValidateLeafOrder(tree) : fault;
	if (fault == NULL && (!IsPermutation(tree->triangleMap, tree->triangleCount, scratch) ||
	                         !IsPermutation(tree->vertexMap, tree->vertexCount, scratch)))
	{
		fault = "a map of triangle or vertex numbers is not one to one";
	}
	return fault;
}
