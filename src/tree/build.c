// src/tree/build.c: construction of the tree, top down.
//
// First all cuts are made, which is most of the work and can be shared by threads: a part is cut without looking at any
// other. Then nodes, leaves and vertices are numbered in the order of a depth-first walk.
#include "base/team.h"
#include "tree/split.h"
#include "tree/tree.h"

#include <math.h>
#include <string.h>

// A node that still has to be laid out: the items [first, first + count) go into its slot.
typedef struct Part
{
	uint32_t first;
	uint32_t count;
} Part;

typedef struct Pieces Pieces;

typedef struct TreeBuilder
{
	const sgMeshView* mesh;
	uint32_t leafTriangles;
	const sgTeam* team;
	sgBuildItem* items;
	size_t itemBytes;
	uint8_t* cuts; ///< (triangleCount): 1 + the level of the family whose parts were cut before this item, or zero
	size_t cutBytes;
	Pieces* pieces;
	uint32_t* newVertex; ///< caller's vertex to tree order, SG_NONE while unused
	sgTreeArrays* out;
	uint32_t slotCount;
} TreeBuilder;

// Slots for a family: a group, which it has to itself, so that threads can work on neighbouring families.
static uint32_t TakeSlots(TreeBuilder* builder)
{
	uint32_t first = builder->slotCount;
	builder->slotCount += SG_LANES;
	for (uint32_t slot = first; slot < builder->slotCount; ++slot)
	{
		builder->out->nodes[slot] = (sgNode){ .first = SG_NONE, .parent = SG_NONE };
	}
	return first;
}

// ---- Cutting ------------------------------------------------------------------------------------------------------

/// A part that must be cut: of a family of one level, into pieces of `unit` or less.
typedef struct Piece
{
	Part part;
	uint32_t unit;
	uint32_t level;
} Piece;

// How many triangles a full subtree holds if it is one level lower than a tree of `count` triangles has to be.
static uint32_t FullSubtree(uint32_t count, uint32_t leafTriangles)
{
	uint64_t unit = leafTriangles;
	while (unit * SG_LANES < count)
	{
		unit *= SG_LANES;
	}
	return (uint32_t)unit;
}

// What is left to do with a piece of a family that is not cut any more: it is a family of its own, unless it is a leaf.
static bool BeginFamily(const TreeBuilder* builder, Part part, uint32_t level, Piece* piece)
{
	*piece = (Piece){ part, FullSubtree(part.count, builder->leafTriangles), level };
	return part.count > builder->leafTriangles;
}

// Cut a part in two, and note where.
static uint32_t Cut(TreeBuilder* builder, const Piece* piece)
{
	uint32_t cut = sgSplit(builder->items + piece->part.first, piece->part.count, piece->unit);
	builder->cuts[piece->part.first + cut] = (uint8_t)(piece->level + 1);
	return cut;
}

// One step of cutting: what is left to cut comes back. Families are cut into full subtrees and one that need not be
// full, so leaves and families come out full, no lanes are wasted and no tree is deeper than it must be; a family of
// full subtrees and a rest has no more than eight of them, in whatever order they are cut off.
static uint32_t CutPiece(TreeBuilder* builder, const Piece* piece, Piece out[2])
{
	uint32_t cut = Cut(builder, piece), left = 0;
	const Part parts[2] = { { piece->part.first, cut }, { piece->part.first + cut, piece->part.count - cut } };
	for (uint32_t i = 0; i < 2; ++i)
	{
		bool isPiece = parts[i].count > piece->unit;
		out[left] = (Piece){ parts[i], piece->unit, piece->level };
		left += isPiece || BeginFamily(builder, parts[i], piece->level + 1, out + left);
	}
	return left;
}

// Everything below a piece.
static void CutBelow(TreeBuilder* builder, const Piece* piece)
{
	Piece pieces[2];
	uint32_t count = CutPiece(builder, piece, pieces);
	for (uint32_t i = 0; i < count; ++i)
	{
		CutBelow(builder, pieces + i);
	}
}

/// Pieces that are enough to keep threads busy, and room for more.
enum
{
	WANTED_PIECES = 64,
	MAX_PIECES = 1024
};

struct Pieces
{
	TreeBuilder* builder;
	Piece list[MAX_PIECES];
	uint32_t count;
	Piece cut[WANTED_PIECES][2]; ///< what the first pieces of the list are cut into
	uint32_t cutCount[WANTED_PIECES];
};

static void CutChunk(void* context, uint32_t worker, uint32_t chunk)
{
	Pieces* pieces = context;
	(void)worker;
	pieces->cutCount[chunk] = CutPiece(pieces->builder, pieces->list + chunk, pieces->cut[chunk]);
}

static void CutBelowChunk(void* context, uint32_t worker, uint32_t chunk)
{
	Pieces* pieces = context;
	(void)worker;
	CutBelow(pieces->builder, pieces->list + chunk);
}

// Large pieces first, so that threads do not wait for the last one: those above a size to the front.
static uint32_t PutLargeFirst(Pieces* pieces, uint32_t size)
{
	uint32_t large = 0;
	for (uint32_t i = 0; i < pieces->count; ++i)
	{
		if (pieces->list[i].part.count > size)
		{
			Piece piece = pieces->list[i];
			pieces->list[i] = pieces->list[large];
			pieces->list[large++] = piece;
		}
	}
	return large;
}

// Cut the largest pieces at the same time, step by step, until there are enough that are not large.
static void CutAll(TreeBuilder* builder, Pieces* pieces, uint32_t triangleCount)
{
	pieces->builder = builder;
	pieces->count = BeginFamily(builder, (Part){ 0, triangleCount }, 0, pieces->list);
	for (uint32_t size = triangleCount / 2;; size = size / 2)
	{
		uint32_t large = PutLargeFirst(pieces, size);
		if (size < triangleCount / WANTED_PIECES || size < 256 || pieces->count > MAX_PIECES / 2)
		{
			break;
		}
		while (large > 0 && large <= WANTED_PIECES && pieces->count <= MAX_PIECES / 2)
		{
			sgTeam_Run(builder->team, large, CutChunk, pieces);
			uint32_t kept = pieces->count - large;
			memmove(pieces->list, pieces->list + large, kept * sizeof(Piece));
			pieces->count = kept;
			for (uint32_t i = 0; i < large; ++i)
			{
				memcpy(pieces->list + pieces->count, pieces->cut[i], pieces->cutCount[i] * sizeof(Piece));
				pieces->count += pieces->cutCount[i];
			}
			large = PutLargeFirst(pieces, size);
		}
	}
	sgTeam_Run(builder->team, pieces->count, CutBelowChunk, pieces);
}

// The parts of a family, in order, so that the leaves below any node are consecutive.
static uint32_t FindParts(const TreeBuilder* builder, Part whole, uint32_t level, Part parts[SG_LANES])
{
	uint32_t count = 0, first = whole.first, end = whole.first + whole.count;
	for (;;)
	{
		const uint8_t* cut = memchr(builder->cuts + first + 1, (int)(level + 1), end - first - 1);
		uint32_t next = cut != NULL ? (uint32_t)(cut - builder->cuts) : end;
		parts[count++] = (Part){ first, next - first };
		if (cut == NULL)
		{
			return count;
		}
		first = next;
	}
}

// ---- Numbering ----------------------------------------------------------------------------------------------------

// Number a vertex by its first use, and find or add it in the leaf's own list.
static uint8_t AddLeafVertex(TreeBuilder* builder, sgLeaf* leaf, uint32_t callersVertex)
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

static void MakeLeaf(TreeBuilder* builder, uint32_t slot, Part part)
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
static void LayOut(TreeBuilder* builder, uint32_t slot, uint32_t parent, uint32_t level, Part whole)
{
	sgTreeArrays* out = builder->out;
	sgNode* node = out->nodes + slot;
	*node = (sgNode){ .first = SG_NONE, .parent = parent, .level = (uint8_t)level };
	++out->tree.nodeCount;
	out->tree.depth = level > out->tree.depth ? level : out->tree.depth;
	uint32_t leafTriangles = builder->leafTriangles;
	if (whole.count <= leafTriangles)
	{
		MakeLeaf(builder, slot, whole);
		return;
	}
	Part parts[SG_LANES];
	uint32_t count = FindParts(builder, whole, level, parts);
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

/// Triangles that are done at a time when several threads share the work.
#define CHUNK 2048

static void MakeItems(void* context, uint32_t worker, uint32_t chunk)
{
	TreeBuilder* builder = context;
	uint32_t first = chunk * CHUNK, left = builder->mesh->triangleCount - first;
	(void)worker;
	for (uint32_t t = first; t < first + (left < CHUNK ? left : CHUNK); ++t)
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
		builder->cuts[t] = 0;
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

static bool AllocateArrays(TreeBuilder* builder, const snugAllocator* allocator)
{
	const sgMeshView* mesh = builder->mesh;
	sgTreeArrays* out = builder->out;
	// Every inner node has two children or more, so there are fewer of them than leaves; each takes up to 8 slots.
	uint64_t leafCount = CountLeaves(mesh->triangleCount, builder->leafTriangles);
	uint64_t maxSlots = 8 * leafCount + SG_LANES;
	uint64_t corners = 3 * (uint64_t)mesh->triangleCount + SG_LANES;
	out->nodes = AllocateArray(allocator, maxSlots, sizeof(sgNode), &out->nodeBytes);
	out->leaves = AllocateArray(allocator, leafCount, sizeof(sgLeaf), &out->leafBytes);
	out->leafVertices = AllocateArray(allocator, corners, sizeof(uint32_t), &out->leafVertexBytes);
	out->triangleMap = AllocateArray(allocator, mesh->triangleCount, sizeof(uint32_t), &out->triangleMapBytes);
	out->vertexMap = AllocateArray(allocator, mesh->vertexCount, sizeof(uint32_t), &out->vertexMapBytes);
	builder->items = AllocateArray(allocator, mesh->triangleCount, sizeof(sgBuildItem), &builder->itemBytes);
	builder->cuts = AllocateArray(allocator, mesh->triangleCount, sizeof(uint8_t), &builder->cutBytes);
	builder->pieces = sgAllocate(allocator, sizeof(Pieces));
	builder->newVertex = AllocateArray(allocator, mesh->vertexCount, sizeof(uint32_t), &out->vertexMapBytes);
	return out->nodes && out->leaves && out->leafVertices && out->triangleMap && out->vertexMap && builder->items &&
	       builder->cuts && builder->pieces && builder->newVertex;
}

static void Run(TreeBuilder* builder)
{
	const sgMeshView* mesh = builder->mesh;
	sgTreeArrays* out = builder->out;
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		builder->newVertex[v] = SG_NONE;
	}
	sgTeam_Run(builder->team, (mesh->triangleCount + CHUNK - 1) / CHUNK, MakeItems, builder);
	CutAll(builder, builder->pieces, mesh->triangleCount);
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
	out->tree.groupCount = builder->slotCount / SG_LANES;
	out->tree.nodes = out->nodes;
	out->tree.leaves = out->leaves;
	out->tree.leafVertices = out->leafVertices;
	out->tree.triangleMap = out->triangleMap;
	out->tree.vertexMap = out->vertexMap;
}

snugStatus sgTree_Build(const sgMeshView* mesh, uint32_t leafTriangles, const snugAllocator* allocator,
    const sgTeam* team, sgTreeArrays* arrays)
{
	*arrays = (sgTreeArrays){ 0 };
	TreeBuilder builder = { .mesh = mesh, .leafTriangles = leafTriangles, .team = team, .out = arrays };
	bool enough = AllocateArrays(&builder, allocator);
	if (enough)
	{
		Run(&builder);
	}
	sgRelease(allocator, builder.items, builder.itemBytes);
	sgRelease(allocator, builder.cuts, builder.cutBytes);
	sgRelease(allocator, builder.pieces, sizeof(Pieces));
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
