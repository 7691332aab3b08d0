// src/tree/rows.h: what joints or fields do to the vertices of a model: a row for each, in blocks of eight.
//
// A row is a list of numbers, of joints or fields, ascending, each with `width` values that are not all zero: a weight,
// or x, y, z. Rows are stored once, in the form in which they are evaluated: the vertices of a cluster (cluster.h) come
// in blocks of eight, side by side, and a block has all numbers that any of its vertices has, with zeros for those that
// do not. A vertex at the border of a cluster is in a block of each cluster that has it, with the same row; `places`
// says where it is first. Vertices of no triangle have blocks behind those of the last cluster.
#ifndef SG_ROWS_H
#define SG_ROWS_H

#include "base/arrays.h"
#include "base/team.h"
#include "geometry/box.h"
#include "tree/cluster.h"

/// Eight vertices side by side: their rest positions by coordinate, then for every number its values.
typedef struct sgBlock
{
	uint32_t values;  ///< in sgRows.values: 3 + width * count of them
	uint32_t numbers; ///< in sgRows.numbers, ascending
	uint32_t count;
} sgBlock;
SG_STORED(sgBlock, 12);

typedef struct sgRows
{
	const uint32_t* places;      ///< (vertexCount): block * SG_LANES + lane; null if no vertex has a row
	const uint32_t* firstBlocks; ///< (number of clusters + 1): first block of a cluster; then of the other vertices
	const sgBlock* blocks;
	const uint16_t* numbers;
	const sgLaneFloats* values;
	uint32_t width; ///< 1, or 3: those also have zero added to rest positions, which makes -0 positive
} sgRows;

/// How much there is of each. Values are 3 * blocks + width * numbers.
typedef struct sgRowCounts
{
	uint32_t blocks;
	uint32_t numbers; ///< of all blocks together
	uint32_t entries; ///< of all vertices together, what borders repeat not counted
	uint32_t most;    ///< of a vertex
} sgRowCounts;
SG_STORED(sgRowCounts, 16);

/// The row of one vertex. Number j is there if any of its values is not zero.
typedef struct sgRow
{
	const uint16_t* numbers;
	const float* values; ///< values[(j * width + i) * SG_LANES] is value i of number j
	uint32_t count;
} sgRow;

static inline sgRow sgRows_Get(const sgRows* rows, uint32_t vertex)
{
	uint32_t place = rows->places[vertex];
	const sgBlock* block = rows->blocks + place / SG_LANES;
	return (sgRow){
		.numbers = rows->numbers + block->numbers,
		.values = rows->values[block->values + 3].lane + place % SG_LANES,
		.count = block->count,
	};
}

static inline bool sgRow_Has(const sgRow* row, uint32_t width, uint32_t j)
{
	const float* values = row->values + (size_t)j * width * SG_LANES;
	return values[0] != 0.0f || (width == 3 && (values[SG_LANES] != 0.0f || values[2 * SG_LANES] != 0.0f));
}

/// How many numbers a vertex has.
uint32_t sgRows_CountEntries(const sgRows* rows, uint32_t vertex);

/// Rows one after the other, as they are read: those of vertex v are starts[v] to starts[v + 1] - 1.
typedef struct sgRowLists
{
	const uint32_t* starts;
	const uint16_t* numbers;
	const float* values; ///< `width` each
	uint32_t width;
} sgRowLists;

/// What rows describe: the vertices of a model.
typedef struct sgRowsOf
{
	const sgTree* tree;
	const sgClusters* clusters;
	const float* positions; ///< at rest
} sgRowsOf;

/// Entries of a list of arrays (arrays.h).
#define SG_ROWS_ARRAYS 5

/// Append the arrays of rows to a list.
/// @param place of the sgRows in the struct of pointers
/// @param limit all numbers are below
void sgRows_List(
    sgArray* list, size_t place, const sgRowsOf* of, const sgRowCounts* counts, uint32_t width, double limit);

/// Rows while they are made: blocks without their values.
typedef struct sgRowsDraft
{
	const sgRowsOf* of;
	const sgRowLists* lists;
	sgRowCounts counts;
	uint32_t* firstBlocks;
	sgBlock* blocks;
	size_t bytes;
} sgRowsDraft;

/// Find out which numbers blocks have. Release the draft whatever comes back; `of` and `lists` are borrowed.
/// @return snug_success, snug_outOfMemory, or snug_outOfRange if there are too many
snugStatus sgRowsDraft_Make(sgRowsDraft* draft, const sgRowsOf* of, const sgRowLists* lists,
    const snugAllocator* allocator, const sgTeam* team);
void sgRowsDraft_Release(sgRowsDraft* draft, const snugAllocator* allocator);

/// Fill in all arrays of rows, which are zero.
/// @param rows bound to memory that can be written
void sgRowsDraft_Write(const sgRowsDraft* draft, const sgRows* rows, const sgTeam* team);

/// Check rows that come from a file: each block where it belongs, with the vertices it should have; numbers ascending;
/// the row of a vertex the same in all its blocks. Weights are positive and sum to 1 within rounding; displacements are
/// within limits. Clusters have been checked, and what sgRows_List says of the arrays.
/// @param limits of displacements, if that is what rows have: magnitudes by number, per axis
/// @param scratch of SG_ROWS_SCRATCH bytes
/// @return null if all is well, or what is wrong
const char* sgRows_Check(
    const sgRows* rows, const sgRowsOf* of, const sgRowCounts* counts, const float* limits, uint16_t* scratch);

/// A number for every joint or field that there can be.
#define SG_ROWS_SCRATCH ((UINT16_MAX + 1) * sizeof(uint16_t))

/// The vertices of a block, tree order: number `index` of cluster `cluster`; of the vertices of no triangle, where that
/// is the number of clusters.
/// @return how many, 1 to SG_LANES
uint32_t sgRows_BlockVertices(const sgRowsOf* of, uint32_t cluster, uint32_t index, uint32_t vertices[SG_LANES]);

/// Blocks at the start of a cluster of which every vertex is in a block of a cluster before it.
uint32_t sgRows_CountLent(const sgRows* rows, const sgRowsOf* of, uint32_t cluster);

/// Blocks of a cluster, or of the vertices of no triangle.
uint32_t sgRows_CountBlocks(const sgRowsOf* of, uint32_t cluster);

#endif
