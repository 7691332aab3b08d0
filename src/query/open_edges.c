// src/query/open_edges.c: whether a surface is closed.
#include "query/triangles.h"
#include "snug/snug_queries.h"

#include <string.h>

/// Edges by their vertices, in a table with open addressing: 1 + the two, and whether so far an odd number of triangles
/// has it. Zero: empty.
typedef struct EdgeTable
{
	uint64_t* entries;
	uint64_t size; ///< a power of two, more than there are edges
	uint64_t odd;
} EdgeTable;

#define ODD ((uint64_t)1 << 63)

static void Toggle(EdgeTable* table, uint32_t v, uint32_t w)
{
	const uint64_t low = v < w ? v : w, high = v < w ? w : v;
	const uint64_t key = (high << 31 | low) + 1; // numbers are below 2^29, and the last bit is free
	for (uint64_t slot = (key ^ key >> 29) * 0x9e3779b97f4a7c15u >> 20;; ++slot)
	{
		uint64_t* entry = table->entries + (slot & (table->size - 1));
		if (*entry == 0 || (*entry & ~ODD) == key)
		{
			*entry = key | (~*entry & ODD);
			table->odd += (*entry & ODD) != 0 ? 1 : UINT64_MAX;
			return;
		}
	}
}

static void ToggleEdges(const snugModel* model, EdgeTable* table)
{
	const sgTree* tree = &model->tree;
	for (uint32_t i = 0; i < tree->leafCount; ++i)
	{
		const sgLeaf* leaf = tree->leaves + i;
		for (uint32_t t = 0; t < leaf->triangleCount; ++t)
		{
			uint32_t corners[3];
			for (int c = 0; c < 3; ++c)
			{
				corners[c] = sgTwinOf(model, tree->leafVertices[leaf->firstVertex + leaf->corners[c][t]]);
			}
			for (int c = 0; c < 3; ++c)
			{
				if (corners[c] != corners[(c + 1) % 3])
				{
					Toggle(table, corners[c], corners[(c + 1) % 3]);
				}
			}
		}
	}
}

snugStatus snugModel_CountOpenEdges(const snugModel* model, uint64_t* count)
{
	SG_REQUIRE(count != NULL, snug_badArgument);
	*count = 0;
	SG_REQUIRE(model != NULL, snug_badArgument);
	EdgeTable table = { .size = 4 };
	while (table.size <= 3 * (uint64_t)model->tree.triangleCount)
	{
		table.size *= 2;
	}
	const size_t bytes = table.size <= SG_MAX_SIZE / sizeof(uint64_t) ? (size_t)table.size * sizeof(uint64_t) : 0;
	table.entries = bytes > 0 ? sgAllocate(&model->allocator, bytes) : NULL;
	if (table.entries == NULL)
	{
		return snug_outOfMemory;
	}
	memset(table.entries, 0, bytes);
	ToggleEdges(model, &table);
	sgRelease(&model->allocator, table.entries, bytes);
	*count = table.odd;
	return snug_success;
}
