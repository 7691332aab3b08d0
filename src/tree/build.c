// src/tree/build.c: construction of the tree, top down.
#include "tree/split.h"
#include "tree/tree.h"

#include <string.h>

// A node that still has to be laid out: the items [first, first + count) go into its slot.
typedef struct Part
{
	uint32_t first;
	uint32_t count;
} Part;

typedef struct Builder
{
	const sgMeshView* mesh;
	snugTreeDef def;
	sgBuildItem* items;
	size_t itemBytes;
	uint32_t* newVertex; ///< caller's vertex to tree order, SG_NONE while unused
	sgTreeArrays* out;
	uint32_t slotCount;
} Builder;

// Slots for a family: as many as it might have, aligned, so that it stays within one group, and in an 8-wide tree has
// it to itself, which lets threads work on neighbouring families.
static uint32_t TakeSlots(Builder* builder)
{
	uint32_t first = builder->slotCount;
	builder->slotCount += (uint32_t)builder->def.branching;
	return first;
}

// What a full subtree holds that is one level lower than one of `count` triangles needs to be.
static uint32_t FullSubtree(uint32_t count, uint32_t leafTriangles, uint32_t branching)
{
	uint64_t unit = leafTriangles;
	while (unit * branching < count)
	{
		unit *= branching;
	}
	return (uint32_t)unit;
}

// Cut the largest part again and again. By surface area: into full subtrees and one that need not be full, so leaves
// and families come out full, no lanes are wasted and no tree is deeper than it must be. By median: in the middle, as
// in the papers, but for filling leaves. Parts stay in order, so the leaves below any node are consecutive.
static uint32_t CutFamily(Builder* builder, Part whole, Part parts[SG_LANES])
{
	uint32_t leafTriangles = (uint32_t)builder->def.leafTriangles, branching = (uint32_t)builder->def.branching;
	bool isMedian = builder->def.split == snug_splitMedian;
	uint32_t unit = isMedian ? leafTriangles : FullSubtree(whole.count, leafTriangles, branching);
	parts[0] = whole;
	uint32_t count = 1;
	for (;;)
	{
		uint32_t largest = 0;
		for (uint32_t i = 1; i < count; ++i)
		{
			largest = parts[i].count > parts[largest].count ? i : largest;
		}
		Part part = parts[largest];
		if (part.count <= unit || count == branching)
		{
			return count;
		}
		uint32_t cut = sgSplit(builder->items + part.first, part.count, builder->def.split, unit);
		memmove(parts + largest + 2, parts + largest + 1, (count - largest - 1) * sizeof(Part));
		parts[largest] = (Part){ part.first, cut };
		parts[largest + 1] = (Part){ part.first + cut, part.count - cut };
		++count;
	}
}

// Number a vertex by its first use, and find or add it in the leaf's own list.
static uint8_t AddLeafVertex(Builder* builder, sgLeaf* leaf, uint32_t callersVertex)
{
	sgTreeArrays* out = builder->out;
	uint32_t vertex = builder->newVertex[callersVertex];
	if (vertex == SG_NONE)
	{
		vertex = out->tree.vertexCount++;
		builder->newVertex[callersVertex] = vertex;
		out->vertexMap[vertex] = callersVertex;
	}
	uint32_t* list = out->leafVertices + leaf->firstVertex;
	for (uint8_t i = 0; i < leaf->vertexCount; ++i)
	{
		if (list[i] == vertex)
		{
			return i;
		}
	}
	list[leaf->vertexCount] = vertex;
	return leaf->vertexCount++;
}

static void MakeLeaf(Builder* builder, uint32_t slot, Part part)
{
	sgTree* tree = &builder->out->tree;
	sgLeaf* leaf = builder->out->leaves + tree->leafCount;
	*leaf = (sgLeaf){
		.slot = slot,
		.firstTriangle = part.first,
		.firstVertex = tree->leafVertexCount,
		.triangleCount = (uint8_t)part.count,
	};
	for (uint32_t t = 0; t < SG_MAX_LEAF_TRIANGLES && part.count > 0; ++t)
	{
		if (t >= part.count)
		{
			for (int c = 0; c < 3; ++c)
			{
				leaf->corners[c][t] = leaf->corners[c][0];
			}
			continue;
		}
		uint32_t triangle = builder->items[part.first + t].triangle;
		builder->out->triangleMap[part.first + t] = triangle;
		for (int c = 0; c < 3; ++c)
		{
			leaf->corners[c][t] = AddLeafVertex(builder, leaf, sgMeshView_Triangle(builder->mesh, triangle)[c]);
		}
	}
	tree->leafVertexCount += leaf->vertexCount;
	builder->out->nodes[slot].first = tree->leafCount++;
}

// Lay out the subtree of `slot`. Recursion is bounded by SG_MAX_DEPTH.
static void LayOut(Builder* builder, uint32_t slot, uint32_t parent, uint32_t level, Part whole)
{
	sgTreeArrays* out = builder->out;
	sgNode* node = out->nodes + slot;
	*node = (sgNode){ .first = SG_NONE, .parent = parent, .level = (uint8_t)level };
	++out->tree.nodeCount;
	out->tree.depth = level > out->tree.depth ? level : out->tree.depth;
	uint32_t leafTriangles = (uint32_t)builder->def.leafTriangles;
	if (whole.count <= leafTriangles)
	{
		MakeLeaf(builder, slot, whole);
		return;
	}
	Part parts[SG_LANES];
	uint32_t count = CutFamily(builder, whole, parts);
	node->first = TakeSlots(builder);
	node->childCount = (uint8_t)count;
	for (uint32_t i = 0; i < count; ++i)
	{
		node->leafMask |= (uint8_t)((parts[i].count <= leafTriangles) << i);
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		LayOut(builder, node->first + i, slot, level + 1, parts[i]);
	}
}

static void MakeItems(Builder* builder)
{
	for (uint32_t t = 0; t < builder->mesh->triangleCount; ++t)
	{
		const uint32_t* corner = sgMeshView_Triangle(builder->mesh, t);
		sgBox box = sgBox_Empty();
		for (int c = 0; c < 3; ++c)
		{
			sgBox_AddPoint(&box, sgMeshView_Position(builder->mesh, corner[c]));
		}
		sgBuildItem* item = builder->items + t;
		memcpy(item->lower, box.lower, sizeof(item->lower));
		memcpy(item->upper, box.upper, sizeof(item->upper));
		item->key = 0.0f;
		item->triangle = t;
	}
}

// Cuts leave a multiple of the leaf size on one side, so all leaves but one are full. The root of no triangle is a
// leaf.
static uint32_t CountLeaves(uint32_t triangleCount, uint32_t leafTriangles)
{
	return triangleCount == 0 ? 1 : (triangleCount - 1) / leafTriangles + 1;
}

// Null for more than memory can hold, also where size_t has 32 bits.
static void* AllocateArray(const snugAllocator* allocator, uint64_t count, size_t size, size_t* bytes)
{
	uint64_t wanted = count * size; // at most 2^33 of a few bytes
	*bytes = (size_t)wanted;
	return wanted <= SIZE_MAX / 2 ? sgAllocate(allocator, *bytes) : NULL;
}

static bool AllocateArrays(Builder* builder, const snugAllocator* allocator)
{
	const sgMeshView* mesh = builder->mesh;
	sgTreeArrays* out = builder->out;
	// Every inner node has two children or more, so there are fewer of them than leaves; each takes up to 8 slots.
	uint64_t leafCount = CountLeaves(mesh->triangleCount, (uint32_t)builder->def.leafTriangles);
	uint64_t maxSlots = 8 * leafCount + SG_LANES;
	uint64_t corners = 3 * (uint64_t)mesh->triangleCount + SG_LANES;
	out->nodes = AllocateArray(allocator, maxSlots, sizeof(sgNode), &out->nodeBytes);
	out->leaves = AllocateArray(allocator, leafCount, sizeof(sgLeaf), &out->leafBytes);
	out->leafVertices = AllocateArray(allocator, corners, sizeof(uint32_t), &out->leafVertexBytes);
	out->triangleMap = AllocateArray(allocator, mesh->triangleCount, sizeof(uint32_t), &out->triangleMapBytes);
	out->vertexMap = AllocateArray(allocator, mesh->vertexCount, sizeof(uint32_t), &out->vertexMapBytes);
	builder->items = AllocateArray(allocator, mesh->triangleCount, sizeof(sgBuildItem), &builder->itemBytes);
	builder->newVertex = AllocateArray(allocator, mesh->vertexCount, sizeof(uint32_t), &out->vertexMapBytes);
	return out->nodes && out->leaves && out->leafVertices && out->triangleMap && out->vertexMap && builder->items &&
	       builder->newVertex;
}

static void Run(Builder* builder)
{
	const sgMeshView* mesh = builder->mesh;
	sgTreeArrays* out = builder->out;
	for (size_t i = 0; i < out->nodeBytes / sizeof(sgNode); ++i)
	{
		out->nodes[i] = (sgNode){ .first = SG_NONE, .parent = SG_NONE };
	}
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		builder->newVertex[v] = SG_NONE;
	}
	MakeItems(builder);
	TakeSlots(builder); // the root is a family of its own, in slot 0
	LayOut(builder, 0, SG_NONE, 0, (Part){ 0, mesh->triangleCount });
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		if (builder->newVertex[v] == SG_NONE)
		{
			out->vertexMap[out->tree.vertexCount++] = v;
		}
	}
	memset(out->leafVertices + out->tree.leafVertexCount, 0, SG_LANES * sizeof(uint32_t));
	out->tree.triangleCount = mesh->triangleCount;
	out->tree.groupCount = (builder->slotCount + SG_LANES - 1) / SG_LANES;
	out->tree.nodes = out->nodes;
	out->tree.leaves = out->leaves;
	out->tree.leafVertices = out->leafVertices;
	out->tree.triangleMap = out->triangleMap;
	out->tree.vertexMap = out->vertexMap;
}

snugStatus sgTree_Build(
    const sgMeshView* mesh, const snugTreeDef* def, const snugAllocator* allocator, sgTreeArrays* arrays)
{
	*arrays = (sgTreeArrays){ 0 };
	Builder builder = { .mesh = mesh, .def = *def, .out = arrays };
	bool enough = AllocateArrays(&builder, allocator);
	if (enough)
	{
		Run(&builder);
	}
	sgRelease(allocator, builder.items, builder.itemBytes);
	sgRelease(allocator, builder.newVertex, arrays->vertexMapBytes);
	if (!enough || arrays->tree.depth > SG_MAX_DEPTH)
	{
		sgTreeArrays_Release(arrays, allocator);
		return enough ? snug_outOfRange : snug_outOfMemory;
	}
	return snug_success;
}

void sgTreeArrays_Release(sgTreeArrays* arrays, const snugAllocator* allocator)
{
	sgRelease(allocator, arrays->nodes, arrays->nodeBytes);
	sgRelease(allocator, arrays->leaves, arrays->leafBytes);
	sgRelease(allocator, arrays->leafVertices, arrays->leafVertexBytes);
	sgRelease(allocator, arrays->triangleMap, arrays->triangleMapBytes);
	sgRelease(allocator, arrays->vertexMap, arrays->vertexMapBytes);
	*arrays = (sgTreeArrays){ 0 };
}

sgLeafRange sgTree_LeavesBelow(const sgTree* tree, uint32_t slot)
{
	uint32_t first = slot, last = slot;
	while (!sgTree_IsLeaf(tree, first))
	{
		first = tree->nodes[first].first;
	}
	while (!sgTree_IsLeaf(tree, last))
	{
		last = tree->nodes[last].first + tree->nodes[last].childCount - 1u;
	}
	return (sgLeafRange){ tree->nodes[first].first, tree->nodes[last].first };
}
