// src/tree/rows.c: rows in blocks: counting, filling, and the room they take. See rows.h.
#include "tree/rows.h"

#include <string.h>

/// Clusters that are done at a time when several threads share the work.
#define CHUNK 64

// Vertices of a cluster, or those of no triangle, which are the last ones.
static uint32_t CountVertices(const sgRowsOf* of, uint32_t cluster)
{
	const sgClusters* clusters = of->clusters;
	return cluster < clusters->header->count ? clusters->clusters[cluster].vertexCount
	                                         : of->tree->vertexCount - clusters->header->usedCount;
}

uint32_t sgRows_CountBlocks(const sgRowsOf* of, uint32_t cluster)
{
	return (CountVertices(of, cluster) + SG_LANES - 1) / SG_LANES;
}

uint32_t sgRows_BlockVertices(const sgRowsOf* of, uint32_t cluster, uint32_t index, uint32_t vertices[SG_LANES])
{
	const sgClusters* clusters = of->clusters;
	uint32_t first = index * SG_LANES, left = CountVertices(of, cluster) - first;
	uint32_t count = left < SG_LANES ? left : SG_LANES;
	bool isLoose = cluster == clusters->header->count;
	for (uint32_t i = 0; i < count; ++i)
	{
		vertices[i] = isLoose ? clusters->header->usedCount + first + i
		                      : clusters->vertices[clusters->clusters[cluster].firstVertex + first + i];
	}
	return count;
}

// The vertices of a cluster ascend, and most are numbered cluster by cluster: so those of clusters before come first.
uint32_t sgRows_CountLent(const sgRows* rows, const sgRowsOf* of, uint32_t cluster)
{
	const sgCluster* own = of->clusters->clusters + cluster;
	const uint32_t* vertices = of->clusters->vertices + own->firstVertex;
	const uint32_t firstPlace = rows->firstBlocks[cluster] * SG_LANES;
	uint32_t lent = 0;
	while (lent < own->vertexCount && rows->places[vertices[lent]] < firstPlace)
	{
		++lent;
	}
	return lent / SG_LANES;
}

uint32_t sgRows_CountEntries(const sgRows* rows, uint32_t vertex)
{
	sgRow row = sgRows_Get(rows, vertex);
	uint32_t count = 0;
	for (uint32_t j = 0; j < row.count; ++j)
	{
		count += sgRow_Has(&row, rows->width, j);
	}
	return count;
}

void sgRows_List(
    sgArray* list, size_t place, const sgRowsOf* of, const sgRowCounts* counts, uint32_t width, double limit)
{
	const sgArray arrays[SG_ROWS_ARRAYS] = {
		{ SG_ARRAY(sgRows, places, of->tree->vertexCount), sgElements_index, (double)counts->blocks * SG_LANES,
		    "a vertex is in no block" },
		{ SG_ARRAY(sgRows, firstBlocks, (uint64_t)of->clusters->header->count + 1) },
		{ SG_ARRAY(sgRows, blocks, counts->blocks) },
		{ SG_ARRAY(sgRows, numbers, counts->numbers), sgElements_index, limit, "a joint or field does not exist" },
		{ SG_ARRAY(sgRows, values, 3 * (uint64_t)counts->blocks + width * (uint64_t)counts->numbers) },
	};
	for (int i = 0; i < SG_ROWS_ARRAYS; ++i)
	{
		list[i] = arrays[i];
		list[i].place += place;
	}
}

// --- Making -------------------------------------------------------------------------------------------------------

static uint32_t CountChunks(const sgRowsOf* of)
{
	return of->clusters->header->count / CHUNK + 1;
}

/// The clusters of a chunk; the vertices of no triangle are one more, in the last.
static uint32_t ChunkEnd(const sgRowsOf* of, uint32_t chunk)
{
	uint32_t end = (chunk + 1) * CHUNK, count = of->clusters->header->count + 1;
	return end < count ? end : count;
}

static void CountNumbers(void* context, uint32_t worker, uint32_t chunk)
{
	const sgRowsDraft* draft = context;
	(void)worker;
	for (uint32_t c = chunk * CHUNK; c < ChunkEnd(draft->of, chunk); ++c)
	{
		uint32_t vertices[SG_LANES], blocks = sgRows_CountBlocks(draft->of, c);
		for (uint32_t i = 0; i < blocks; ++i)
		{
			uint32_t count = sgRows_BlockVertices(draft->of, c, i, vertices);
			draft->blocks[draft->firstBlocks[c] + i].count =
			    sgMergeLists(draft->lists->starts, draft->lists->numbers, vertices, count, NULL);
		}
	}
}

// Blocks lie one behind the other.
static bool PlaceBlocks(sgRowsDraft* draft)
{
	uint64_t values = 0, numbers = 0;
	for (uint32_t b = 0; b < draft->counts.blocks; ++b)
	{
		sgBlock* block = draft->blocks + b;
		block->values = (uint32_t)values;
		block->numbers = (uint32_t)numbers;
		values += 3 + (uint64_t)draft->lists->width * block->count;
		numbers += block->count;
	}
	draft->counts.numbers = (uint32_t)numbers;
	return values <= UINT32_MAX && draft->counts.blocks <= UINT32_MAX / SG_LANES;
}

snugStatus sgRowsDraft_Make(
    sgRowsDraft* draft, const sgRowsOf* of, const sgRowLists* lists, const snugAllocator* allocator, const sgTeam* team)
{
	*draft = (sgRowsDraft){ .of = of, .lists = lists };
	uint32_t clusterCount = of->clusters->header->count, vertexCount = of->tree->vertexCount;
	for (uint32_t c = 0; c <= clusterCount; ++c)
	{
		draft->counts.blocks += sgRows_CountBlocks(of, c);
	}
	for (uint32_t v = 0; v < vertexCount; ++v)
	{
		uint32_t count = lists->starts[v + 1] - lists->starts[v];
		draft->counts.most = count > draft->counts.most ? count : draft->counts.most;
	}
	draft->counts.entries = lists->starts[vertexCount];
	size_t blockBytes = sgAlignUp(draft->counts.blocks * sizeof(sgBlock), SG_ALIGNMENT);
	draft->bytes = blockBytes + ((size_t)clusterCount + 1) * sizeof(uint32_t);
	draft->blocks = sgAllocate(allocator, draft->bytes);
	if (draft->blocks == NULL)
	{
		return snug_outOfMemory;
	}
	draft->firstBlocks = (uint32_t*)(void*)((char*)draft->blocks + blockBytes);
	for (uint32_t c = 0, first = 0; c <= clusterCount; ++c)
	{
		draft->firstBlocks[c] = first;
		first += sgRows_CountBlocks(of, c);
	}
	sgTeam_Run(team, CountChunks(of), CountNumbers, draft);
	return PlaceBlocks(draft) ? snug_success : snug_outOfRange;
}

void sgRowsDraft_Release(sgRowsDraft* draft, const snugAllocator* allocator)
{
	sgRelease(allocator, draft->blocks, draft->bytes);
	draft->blocks = NULL;
}

typedef struct Filling
{
	const sgRowsDraft* draft;
	const sgRows* rows;
} Filling;

// The rest position as blocks have it.
static float Coordinate(const sgRowsOf* of, uint32_t vertex, size_t axis, uint32_t width)
{
	float value = of->positions[3 * (size_t)vertex + axis];
	return width == 3 ? value + 0.0f : value;
}

static void FillLane(const sgRowLists* lists, uint32_t vertex, const uint16_t* numbers, float* values)
{
	size_t width = lists->width;
	for (uint32_t k = lists->starts[vertex], j = 0; k < lists->starts[vertex + 1]; ++k, ++j)
	{
		while (numbers[j] != lists->numbers[k])
		{
			++j;
		}
		for (size_t i = 0; i < width; ++i)
		{
			values[(j * width + i) * SG_LANES] = lists->values[k * width + i];
		}
	}
}

// Where a vertex is first is asked of everybody and decided by the caller, since neighbouring clusters share vertices.
static void FillClusters(void* context, uint32_t worker, uint32_t chunk)
{
	const Filling* filling = context;
	const sgRowsDraft* draft = filling->draft;
	(void)worker;
	for (uint32_t c = chunk * CHUNK; c < ChunkEnd(draft->of, chunk); ++c)
	{
		uint32_t blocks = sgRows_CountBlocks(draft->of, c);
		for (uint32_t i = 0; i < blocks; ++i)
		{
			const sgBlock* block = draft->blocks + draft->firstBlocks[c] + i;
			uint16_t* numbers = (uint16_t*)(uintptr_t)filling->rows->numbers + block->numbers;
			sgLaneFloats* values = (sgLaneFloats*)(uintptr_t)filling->rows->values + block->values;
			uint32_t vertices[SG_LANES], count = sgRows_BlockVertices(draft->of, c, i, vertices);
			sgMergeLists(draft->lists->starts, draft->lists->numbers, vertices, count, numbers);
			for (uint32_t lane = 0; lane < count; ++lane)
			{
				for (size_t axis = 0; axis < 3; ++axis)
				{
					values[axis].lane[lane] = Coordinate(draft->of, vertices[lane], axis, draft->lists->width);
				}
				FillLane(draft->lists, vertices[lane], numbers, values[3].lane + lane);
			}
		}
	}
}

// From the last to the first, so that the first place stays.
static void FillPlaces(const sgRowsDraft* draft, uint32_t* places)
{
	for (uint32_t c = draft->of->clusters->header->count + 1; c-- > 0;)
	{
		for (uint32_t i = sgRows_CountBlocks(draft->of, c); i-- > 0;)
		{
			uint32_t vertices[SG_LANES], count = sgRows_BlockVertices(draft->of, c, i, vertices);
			for (uint32_t lane = 0; lane < count; ++lane)
			{
				places[vertices[lane]] = (draft->firstBlocks[c] + i) * SG_LANES + lane;
			}
		}
	}
}

void sgRowsDraft_Write(const sgRowsDraft* draft, const sgRows* rows, const sgTeam* team)
{
	uint32_t clusterCount = draft->of->clusters->header->count;
	memcpy((uint32_t*)(uintptr_t)rows->firstBlocks, draft->firstBlocks, ((size_t)clusterCount + 1) * sizeof(uint32_t));
	if (draft->counts.blocks > 0)
	{
		memcpy((sgBlock*)(uintptr_t)rows->blocks, draft->blocks, draft->counts.blocks * sizeof(sgBlock));
	}
	FillPlaces(draft, (uint32_t*)(uintptr_t)rows->places);
	Filling filling = { draft, rows };
	sgTeam_Run(team, CountChunks(draft->of), FillClusters, &filling);
}
