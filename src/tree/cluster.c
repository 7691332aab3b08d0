// src/tree/cluster.c: see cluster.h.
#include "tree/cluster.h"

#include <string.h>

#define ARRAY_COUNT 6

static size_t Layout(const sgTree* tree, const sgClusterHeader* header, uint64_t offsets[ARRAY_COUNT])
{
	const uint64_t sizes[ARRAY_COUNT] = {
		(uint64_t)header->count * sizeof(sgCluster),
		(uint64_t)tree->leafCount * sizeof(uint32_t),
		(uint64_t)header->vertexCount * sizeof(uint32_t),
		(uint64_t)header->lenderCount * sizeof(sgLender),
		(uint64_t)header->vertexCount,
		((uint64_t)tree->leafVertexCount + SG_LANES) * sizeof(uint32_t),
	};
	return sgPlaceArrays(sizeof(sgClusterHeader), sizes, ARRAY_COUNT, offsets);
}

sgClusters sgClusters_Bind(const sgTree* tree, const void* data)
{
	const sgClusterHeader* header = data;
	const char* bytes = data;
	uint64_t offsets[ARRAY_COUNT];
	Layout(tree, header, offsets);
	return (sgClusters){
		.header = header,
		.clusters = (const void*)(bytes + offsets[0]),
		.ofLeaf = (const void*)(bytes + offsets[1]),
		.vertices = (const void*)(bytes + offsets[2]),
		.lenders = (const void*)(bytes + offsets[3]),
		.borrowed = (const void*)(bytes + offsets[4]),
		.places = (const void*)(bytes + offsets[5]),
	};
}

/// Whose a vertex is.
typedef struct Owner
{
	uint32_t cluster; ///< SG_NONE: nobody's yet
	uint32_t number;  ///< among the cluster's vertices
} Owner;

/// Clusters while they are made; the arrays may be null, to count only.
typedef struct Builder
{
	const sgTree* tree;
	sgClusterHeader header;
	uint32_t pageEnd; ///< floats taken of the last page
	Owner* owners;    ///< (vertexCount of the tree)
	sgCluster* clusters;
	uint32_t* ofLeaf;
	uint32_t* vertices;
	sgLender* lenders;
	uint8_t* borrowed;
	uint32_t* places;
} Builder;

/// The vertices of one cluster, each once.
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

// Its own first, then lender by lender; ascending, which reads weights and positions forwards when it is evaluated.
static bool IsBehind(const Builder* b, uint32_t vertex, uint32_t other)
{
	// Nobody's yet will be its own: UINT32_MAX + 1 is 0.
	uint32_t lender = b->owners[vertex].cluster + 1u, otherLender = b->owners[other].cluster + 1u;
	return lender > otherLender || (lender == otherLender && vertex > other);
}

static void Members_Sort(Members* members, const Builder* b)
{
	for (uint32_t i = 1; i < members->count; ++i)
	{
		uint32_t vertex = members->vertices[i], j = i;
		for (; j > 0 && IsBehind(b, members->vertices[j - 1], vertex); --j)
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

// Take what is nobody's yet, and list whom the rest is borrowed from.
static void ShareOut(Builder* b, const Members* members, sgCluster* cluster)
{
	uint32_t lender = SG_NONE;
	for (uint32_t i = 0; i < members->count; ++i)
	{
		Owner* owner = b->owners + members->vertices[i];
		if (owner->cluster == SG_NONE)
		{
			*owner = (Owner){ b->header.count, i };
			++cluster->ownCount;
			uint32_t end = members->vertices[i] + 1;
			b->header.usedCount = end > b->header.usedCount ? end : b->header.usedCount;
			continue;
		}
		bool isNew = owner->cluster != lender;
		lender = owner->cluster;
		cluster->lenderCount += isNew;
		b->header.lenderCount += isNew;
		if (b->clusters != NULL)
		{
			sgLender* last = b->lenders + b->header.lenderCount - 1;
			*last = (sgLender){ lender, isNew ? 1 : last->count + 1 };
			b->borrowed[cluster->firstVertex + i] = (uint8_t)owner->number;
		}
	}
}

static void Store(Builder* b, sgLaneSet family, Members* members, const sgCluster* cluster)
{
	const sgTree* tree = b->tree;
	b->clusters[b->header.count] = *cluster;
	memcpy(b->vertices + cluster->firstVertex, members->vertices, members->count * sizeof(uint32_t));
	for (uint32_t rest = family.leafMask; rest != 0; rest &= rest - 1)
	{
		const sgLeaf* leaf = LeafOfLane(tree, family, sgLowestBit(rest));
		b->ofLeaf[leaf - tree->leaves] = b->header.count;
		for (uint32_t i = leaf->firstVertex; i < leaf->firstVertex + leaf->vertexCount; ++i)
		{
			b->places[i] = Members_Place(members, tree->leafVertices[i]);
		}
	}
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
	Members_Sort(&members, b);
	uint32_t floats = SG_CLUSTER_FLOATS(members.count);
	if (b->header.pageCount == 0 || b->pageEnd + floats > SG_PAGE_FLOATS)
	{
		++b->header.pageCount;
		b->pageEnd = 0;
	}
	sgCluster cluster = {
		.firstVertex = b->header.vertexCount,
		.place = (b->header.pageCount - 1) * SG_PAGE_FLOATS + b->pageEnd,
		.firstLender = b->header.lenderCount,
		.vertexCount = (uint8_t)members.count,
	};
	ShareOut(b, &members, &cluster);
	if (b->clusters != NULL)
	{
		Store(b, family, &members, &cluster);
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
	for (uint32_t v = 0; v < tree->vertexCount; ++v)
	{
		b->owners[v].cluster = SG_NONE;
	}
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

static snugStatus Build(Builder* b, const snugAllocator* allocator, void** data, size_t* bytes)
{
	AddClusters(b);
	// Places are 32-bit.
	if (b->header.pageCount > UINT32_MAX / SG_PAGE_FLOATS - 1)
	{
		return snug_outOfRange;
	}
	uint64_t offsets[ARRAY_COUNT];
	size_t total = Layout(b->tree, &b->header, offsets);
	char* memory = sgAllocate(allocator, total);
	if (memory == NULL)
	{
		return snug_outOfMemory;
	}
	memset(memory, 0, total);
	b->clusters = (void*)(memory + offsets[0]);
	b->ofLeaf = (void*)(memory + offsets[1]);
	b->vertices = (void*)(memory + offsets[2]);
	b->lenders = (void*)(memory + offsets[3]);
	b->borrowed = (void*)(memory + offsets[4]);
	b->places = (void*)(memory + offsets[5]);
	AddClusters(b);
	memcpy(memory, &b->header, sizeof(b->header));
	*data = memory;
	*bytes = total;
	return snug_success;
}

snugStatus sgClusters_Build(const sgTree* tree, const snugAllocator* allocator, void** data, size_t* bytes)
{
	size_t ownerBytes = tree->vertexCount * sizeof(Owner);
	Builder builder = { .tree = tree, .owners = sgAllocate(allocator, ownerBytes) };
	snugStatus status = builder.owners != NULL ? Build(&builder, allocator, data, bytes) : snug_outOfMemory;
	sgRelease(allocator, builder.owners, ownerBytes);
	return status;
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
