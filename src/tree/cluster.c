// src/tree/cluster.c: see cluster.h.
#include "tree/cluster.h"

#include "base/arrays.h"

#include <string.h>

enum
{
	ARRAY_COUNT = 4
};

/// Places are 32-bit.
#define MAX_PAGES (UINT32_MAX / SG_PAGE_FLOATS - 1)

static void ListArrays(const sgTree* tree, const sgClusterHeader* header, sgArray list[ARRAY_COUNT])
{
	const sgArray arrays[ARRAY_COUNT] = {
		{ SG_ARRAY(sgClusters, clusters, header->count) },
		{ SG_ARRAY(sgClusters, ofLeaf, tree->leafCount) },
		{ SG_ARRAY(sgClusters, vertices, header->vertexCount) },
		{ SG_ARRAY(sgClusters, places, (uint64_t)tree->leafVertexCount + SG_LANES) },
	};
	memcpy(list, arrays, sizeof(arrays));
}

size_t sgClusters_Bytes(const sgTree* tree, const sgClusterHeader* header)
{
	sgArray list[ARRAY_COUNT];
	ListArrays(tree, header, list);
	return sgArrays_Bytes(sizeof(*header), list, ARRAY_COUNT);
}

sgClusters sgClusters_Bind(const sgTree* tree, const void* data)
{
	sgClusters clusters = { .header = data };
	sgArray list[ARRAY_COUNT];
	ListArrays(tree, clusters.header, list);
	sgArrays_Bind(sizeof(sgClusterHeader), list, ARRAY_COUNT, data, &clusters);
	return clusters;
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

// Where a cluster goes: behind the one before, in its page if there is room.
static uint32_t TakePlace(uint32_t* pageCount, uint32_t* pageEnd, uint32_t vertexCount)
{
	uint32_t floats = SG_CLUSTER_FLOATS(vertexCount);
	if (*pageCount == 0 || *pageEnd + floats > SG_PAGE_FLOATS)
	{
		++*pageCount;
		*pageEnd = 0;
	}
	uint32_t place = (*pageCount - 1) * SG_PAGE_FLOATS + *pageEnd;
	*pageEnd += floats;
	return place;
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
	uint32_t place = TakePlace(&b->header.pageCount, &b->pageEnd, members.count);
	if (b->clusters != NULL)
	{
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
	if (builder.header.pageCount > MAX_PAGES)
	{
		return snug_outOfRange;
	}
	size_t total = sgClusters_Bytes(tree, &builder.header);
	char* memory = sgAllocate(allocator, total);
	if (memory == NULL)
	{
		return snug_outOfMemory;
	}
	memset(memory, 0, total);
	memcpy(memory, &builder.header, sizeof(builder.header));
	sgClusters made = sgClusters_Bind(tree, memory);
	builder.clusters = (sgCluster*)(uintptr_t)made.clusters;
	builder.ofLeaf = (uint32_t*)(uintptr_t)made.ofLeaf;
	builder.vertices = (uint32_t*)(uintptr_t)made.vertices;
	builder.places = (uint32_t*)(uintptr_t)made.places;
	AddClusters(&builder);
	*data = memory;
	*bytes = total;
	return snug_success;
}

// ---- Files ----------------------------------------------------------------------------------------------------------

/// Members of a cluster that some leaf has, a bit each.
typedef struct Used
{
	uint64_t bits[SG_MAX_CLUSTER_VERTICES / 64];
} Used;

// The vertices of one leaf are where its cluster says.
static bool CheckLeaf(const sgTree* tree, const sgClusters* clusters, uint32_t number, const sgLeaf* leaf, Used* used)
{
	const sgCluster* cluster = clusters->clusters + number;
	const uint32_t* members = clusters->vertices + cluster->firstVertex;
	bool isGood = clusters->ofLeaf[leaf - tree->leaves] == number;
	for (uint32_t i = leaf->firstVertex; i < leaf->firstVertex + leaf->vertexCount; ++i)
	{
		uint32_t place = clusters->places[i];
		if (place >= cluster->vertexCount)
		{
			return false;
		}
		isGood &= members[place] == tree->leafVertices[i];
		used->bits[place / 64] |= (uint64_t)1 << place % 64;
	}
	return isGood;
}

// Members ascend, and every one is some leaf's: so they are the vertices of the leaves, each once.
static bool CheckMembers(const uint32_t* members, uint32_t count, const Used* used)
{
	bool isGood = true;
	for (uint32_t i = 1; i < count; ++i)
	{
		isGood &= members[i - 1] < members[i];
	}
	uint32_t usedCount = 0;
	for (size_t i = 0; i < sizeof(used->bits) / sizeof(used->bits[0]); ++i)
	{
		usedCount += (uint32_t)__builtin_popcountll(used->bits[i]);
	}
	return isGood && usedCount == count;
}

// Clusters follow from the tree. So this goes through them as AddClusters does, and compares.
const char* sgClusters_Check(const sgTree* tree, const sgClusters* clusters)
{
	static const char fault[] = "its clusters are wrong";
	const sgClusterHeader* header = clusters->header;
	sgClusterHeader found = { 0 };
	uint32_t pageEnd = 0;
	if (header->pageCount > MAX_PAGES)
	{
		return fault;
	}
	for (uint32_t i = 0; i < tree->leafCount; ++i)
	{
		uint32_t slot = tree->leaves[i].slot;
		sgLaneSet family = sgTree_Family(tree, slot);
		if (slot % SG_LANES != sgLowestBit(family.leafMask))
		{
			continue;
		}
		const sgCluster* cluster = clusters->clusters + found.count;
		if (found.count >= header->count || cluster->firstVertex != found.vertexCount ||
		    cluster->vertexCount > SG_MAX_CLUSTER_VERTICES ||
		    cluster->vertexCount > header->vertexCount - found.vertexCount)
		{
			return fault;
		}
		uint32_t place = TakePlace(&found.pageCount, &pageEnd, cluster->vertexCount);
		Used used = { { 0 } };
		bool isGood = cluster->place == place;
		for (uint32_t rest = family.leafMask; rest != 0 && isGood; rest &= rest - 1)
		{
			isGood = CheckLeaf(tree, clusters, found.count, LeafOfLane(tree, family, sgLowestBit(rest)), &used);
		}
		const uint32_t* members = clusters->vertices + cluster->firstVertex;
		if (!isGood || !CheckMembers(members, cluster->vertexCount, &used))
		{
			return fault;
		}
		uint32_t end = cluster->vertexCount > 0 ? members[cluster->vertexCount - 1] + 1 : 0;
		found.usedCount = end > found.usedCount ? end : found.usedCount;
		found.vertexCount += cluster->vertexCount;
		++found.count;
	}
	bool isPadded = sgIsZero(clusters->places + tree->leafVertexCount, SG_LANES * sizeof(uint32_t));
	return memcmp(&found, header, sizeof(found)) == 0 && isPadded ? NULL : fault;
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
