// src/tree/cluster.c: see cluster.h.
#include "tree/cluster.h"

#include "base/arrays.h"
#include "base/team.h"

#include <string.h>

enum
{
	ARRAY_COUNT = 4
};

/// Places are 32-bit numbers.
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

/// Clusters that are done at a time when several threads share the work.
#define CHUNK 64

/// Clusters while they are made.
typedef struct ClusterBuilder
{
	const sgTree* tree;
	sgClusterHeader header;
	uint32_t* firstLeaves; ///< (count): first leaf of each
	sgCluster* found;      ///< (count)
	sgClusters out;
} ClusterBuilder;

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

static sgLaneSet FamilyOf(const ClusterBuilder* b, uint32_t cluster)
{
	return sgTree_Family(b->tree, b->tree->leaves[b->firstLeaves[cluster]].slot);
}

static void FindMembers(const sgTree* tree, sgLaneSet family, Members* members)
{
	members->count = 0;
	for (uint32_t rest = family.leafMask; rest != 0; rest &= rest - 1)
	{
		const sgLeaf* leaf = LeafOfLane(tree, family, sgLowestBit(rest));
		for (uint32_t i = 0; i < leaf->vertexCount; ++i)
		{
			Members_Place(members, tree->leafVertices[leaf->firstVertex + i]);
		}
	}
	Members_Sort(members);
}

static uint32_t ChunkEnd(const ClusterBuilder* b, uint32_t chunk)
{
	uint32_t end = (chunk + 1) * CHUNK;
	return end < b->header.count ? end : b->header.count;
}

// How many vertices each cluster has; where they begin comes later, and until then is one more than the last of them.
static void CountVertices(void* context, uint32_t worker, uint32_t chunk)
{
	const ClusterBuilder* b = context;
	(void)worker;
	for (uint32_t c = chunk * CHUNK; c < ChunkEnd(b, chunk); ++c)
	{
		Members members;
		FindMembers(b->tree, FamilyOf(b, c), &members);
		uint32_t end = members.count > 0 ? members.vertices[members.count - 1] + 1 : 0;
		b->found[c] = (sgCluster){ .firstVertex = end, .vertexCount = members.count };
	}
}

static void PlaceClusters(ClusterBuilder* b)
{
	uint32_t pageEnd = 0;
	for (uint32_t c = 0; c < b->header.count; ++c)
	{
		sgCluster* cluster = b->found + c;
		b->header.usedCount = cluster->firstVertex > b->header.usedCount ? cluster->firstVertex : b->header.usedCount;
		cluster->firstVertex = b->header.vertexCount;
		cluster->place = TakePlace(&b->header.pageCount, &pageEnd, cluster->vertexCount);
		b->header.vertexCount += cluster->vertexCount;
	}
}

static void FillClusters(void* context, uint32_t worker, uint32_t chunk)
{
	const ClusterBuilder* b = context;
	uint32_t *ofLeaf = (uint32_t*)(uintptr_t)b->out.ofLeaf, *places = (uint32_t*)(uintptr_t)b->out.places;
	(void)worker;
	for (uint32_t c = chunk * CHUNK; c < ChunkEnd(b, chunk); ++c)
	{
		Members members;
		sgLaneSet family = FamilyOf(b, c);
		FindMembers(b->tree, family, &members);
		uint32_t* vertices = (uint32_t*)(uintptr_t)b->out.vertices + b->found[c].firstVertex;
		memcpy(vertices, members.vertices, members.count * sizeof(uint32_t));
		for (uint32_t rest = family.leafMask; rest != 0; rest &= rest - 1)
		{
			const sgLeaf* leaf = LeafOfLane(b->tree, family, sgLowestBit(rest));
			ofLeaf[leaf - b->tree->leaves] = c;
			for (uint32_t i = leaf->firstVertex; i < leaf->firstVertex + leaf->vertexCount; ++i)
			{
				places[i] = Members_Place(&members, b->tree->leafVertices[i]);
			}
		}
	}
}

static bool IsFirstOfCluster(const sgTree* tree, uint32_t leaf)
{
	uint32_t slot = tree->leaves[leaf].slot;
	return slot % SG_LANES == sgLowestBit(sgTree_Family(tree, slot).leafMask);
}

static void ListClusters(ClusterBuilder* b)
{
	for (uint32_t i = 0; i < b->tree->leafCount; ++i)
	{
		if (IsFirstOfCluster(b->tree, i))
		{
			b->firstLeaves[b->header.count++] = i;
		}
	}
}

static snugStatus Make(
    ClusterBuilder* b, const snugAllocator* allocator, const sgTeam* team, void** data, size_t* bytes)
{
	ListClusters(b);
	uint32_t chunks = (b->header.count + CHUNK - 1) / CHUNK;
	sgTeam_Run(team, chunks, CountVertices, b);
	PlaceClusters(b);
	if (b->header.pageCount > MAX_PAGES)
	{
		return snug_outOfRange;
	}
	size_t total = sgClusters_Bytes(b->tree, &b->header);
	char* memory = sgAllocate(allocator, total);
	if (memory == NULL)
	{
		return snug_outOfMemory;
	}
	memset(memory, 0, total);
	memcpy(memory, &b->header, sizeof(b->header));
	b->out = sgClusters_Bind(b->tree, memory);
	memcpy((sgCluster*)(uintptr_t)b->out.clusters, b->found, b->header.count * sizeof(sgCluster));
	sgTeam_Run(team, chunks, FillClusters, b);
	*data = memory;
	*bytes = total;
	return snug_success;
}

snugStatus sgClusters_Build(
    const sgTree* tree, const snugAllocator* allocator, const sgTeam* team, void** data, size_t* bytes)
{
	ClusterBuilder builder = { .tree = tree };
	size_t leafBytes = tree->leafCount * sizeof(uint32_t), foundBytes = tree->leafCount * sizeof(sgCluster);
	builder.firstLeaves = sgAllocate(allocator, leafBytes);
	builder.found = sgAllocate(allocator, foundBytes);
	bool isThere = builder.firstLeaves != NULL && builder.found != NULL;
	snugStatus status = isThere ? Make(&builder, allocator, team, data, bytes) : snug_outOfMemory;
	sgRelease(allocator, builder.firstLeaves, leafBytes);
	sgRelease(allocator, builder.found, foundBytes);
	return status;
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

// Clusters follow from the tree. So this goes through them as they are made, and compares.
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
		if (!IsFirstOfCluster(tree, i))
		{
			continue;
		}
		sgLaneSet family = sgTree_Family(tree, tree->leaves[i].slot);
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
