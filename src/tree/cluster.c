// src/tree/cluster.c: see cluster.h.
#include "tree/cluster.h"

#include <string.h>

static size_t Layout(const sgTree* tree, uint32_t count, uint32_t vertexCount, uint64_t offsets[4])
{
	const uint64_t sizes[4] = {
		(uint64_t)count * sizeof(sgCluster),
		(uint64_t)tree->leafCount * sizeof(uint32_t),
		(uint64_t)vertexCount * sizeof(uint32_t),
		((uint64_t)tree->leafVertexCount + SG_LANES) * sizeof(uint32_t),
	};
	return sgPlaceArrays(sizeof(sgClusterHeader), sizes, 4, offsets);
}

sgClusters sgClusters_Bind(const sgTree* tree, const void* data)
{
	const sgClusterHeader* header = data;
	const char* bytes = data;
	uint64_t offsets[4];
	Layout(tree, header->count, header->vertexCount, offsets);
	return (sgClusters){
		.header = header,
		.clusters = (const void*)(bytes + offsets[0]),
		.ofLeaf = (const void*)(bytes + offsets[1]),
		.vertices = (const void*)(bytes + offsets[2]),
		.places = (const void*)(bytes + offsets[3]),
	};
}

/// Clusters while they are made; the arrays may be null, to count only.
typedef struct Builder
{
	const sgTree* tree;
	sgClusterHeader header;
	uint32_t pageEnd; ///< floats taken of the last page
	sgCluster* clusters;
	uint32_t* ofLeaf;
	uint32_t* vertices;
	uint32_t* places;
} Builder;

/// The vertices of one cluster, each once, and where its leaves' entries are among them.
typedef struct Members
{
	uint32_t vertices[SG_MAX_CLUSTER_VERTICES];
	uint32_t count;
} Members;

static uint32_t Members_Place(Members* members, uint32_t vertex)
{
	for (uint32_t i = 0; i < members->count; ++i)
	{
		if (members->vertices[i] == vertex)
		{
			return i;
		}
	}
	members->vertices[members->count] = vertex;
	return members->count++;
}

// Ascending order reads weights and positions forwards when the cluster is evaluated.
static void Members_Sort(Members* members)
{
	for (uint32_t i = 1; i < members->count; ++i)
	{
		uint32_t vertex = members->vertices[i], j = i;
		for (; j > 0 && members->vertices[j - 1] > vertex; --j)
		{
			members->vertices[j] = members->vertices[j - 1];
		}
		members->vertices[j] = vertex;
	}
}

static const sgLeaf* LeafOfLane(const sgTree* tree, sgLaneSet family, uint32_t lane)
{
	return tree->leaves + tree->nodes[family.group * SG_LANES + lane].first;
}

static void AddCluster(Builder* b, sgLaneSet family)
{
	const sgTree* tree = b->tree;
	Members members;
	members.count = 0;
	for (uint32_t rest = family.leafMask; rest != 0; rest &= rest - 1)
	{
		const sgLeaf* leaf = LeafOfLane(tree, family, sgLowestBit(rest));
		for (uint32_t i = 0; i < leaf->vertexCount; ++i)
		{
			Members_Place(&members, tree->leafVertices[leaf->firstVertex + i]);
		}
	}
	Members_Sort(&members);
	uint32_t floats = SG_CLUSTER_FLOATS(members.count);
	if (b->header.pageCount == 0 || b->pageEnd + floats > SG_PAGE_FLOATS)
	{
		++b->header.pageCount;
		b->pageEnd = 0;
	}
	if (b->clusters != NULL)
	{
		uint32_t place = (b->header.pageCount - 1) * SG_PAGE_FLOATS + b->pageEnd;
		b->clusters[b->header.count] = (sgCluster){ b->header.vertexCount, members.count, place };
		memcpy(b->vertices + b->header.vertexCount, members.vertices, members.count * sizeof(uint32_t));
		for (uint32_t rest = family.leafMask; rest != 0; rest &= rest - 1)
		{
			const sgLeaf* leaf = LeafOfLane(tree, family, sgLowestBit(rest));
			b->ofLeaf[leaf - tree->leaves] = b->header.count;
			for (uint32_t i = leaf->firstVertex; i < leaf->firstVertex + leaf->vertexCount; ++i)
			{
				b->places[i] = Members_Place(&members, tree->leafVertices[i]);
			}
		}
	}
	if (members.count > 0)
	{
		uint32_t end = members.vertices[members.count - 1] + 1;
		b->header.usedCount = end > b->header.usedCount ? end : b->header.usedCount;
	}
	b->pageEnd += floats;
	b->header.vertexCount += members.count;
	++b->header.count;
}

static void AddClusters(Builder* b)
{
	const sgTree* tree = b->tree;
	b->header = (sgClusterHeader){ 0 };
	b->pageEnd = 0;
	for (uint32_t i = 0; i < tree->leafCount; ++i)
	{
		uint32_t slot = tree->leaves[i].slot;
		sgLaneSet family = sgTree_Family(tree, slot);
		if (slot % SG_LANES == sgLowestBit(family.leafMask))
		{
			AddCluster(b, family);
		}
	}
}

snugStatus sgClusters_Build(const sgTree* tree, const snugAllocator* allocator, void** data, size_t* bytes)
{
	Builder builder = { .tree = tree };
	AddClusters(&builder);
	// Places are 32-bit.
	if (builder.header.pageCount > UINT32_MAX / SG_PAGE_FLOATS - 1)
	{
		return snug_outOfRange;
	}
	uint64_t offsets[4];
	size_t total = Layout(tree, builder.header.count, builder.header.vertexCount, offsets);
	char* memory = sgAllocate(allocator, total);
	if (memory == NULL)
	{
		return snug_outOfMemory;
	}
	memset(memory, 0, total);
	builder.clusters = (void*)(memory + offsets[0]);
	builder.ofLeaf = (void*)(memory + offsets[1]);
	builder.vertices = (void*)(memory + offsets[2]);
	builder.places = (void*)(memory + offsets[3]);
	AddClusters(&builder);
	memcpy(memory, &builder.header, sizeof(builder.header));
	*data = memory;
	*bytes = total;
	return snug_success;
}

uint32_t sgMergeLists(
    const uint32_t* starts, const uint16_t* numbers, const uint32_t* vertices, uint32_t count, uint16_t* out)
{
	uint32_t next[SG_LANES], merged = 0;
	for (uint32_t lane = 0; lane < count; ++lane)
	{
		next[lane] = starts[vertices[lane]];
	}
	for (;;)
	{
		uint32_t least = UINT32_MAX;
		for (uint32_t lane = 0; lane < count; ++lane)
		{
			bool isLeft = next[lane] < starts[vertices[lane] + 1];
			uint32_t number = isLeft ? numbers[next[lane]] : UINT32_MAX;
			least = number < least ? number : least;
		}
		if (least == UINT32_MAX)
		{
			return merged;
		}
		for (uint32_t lane = 0; lane < count; ++lane)
		{
			bool isLeft = next[lane] < starts[vertices[lane] + 1];
			next[lane] += isLeft && numbers[next[lane]] == least;
		}
		if (out != NULL)
		{
			out[merged] = (uint16_t)least;
		}
		++merged;
	}
}
