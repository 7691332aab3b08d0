// src/tree/rows_check.c: rows that come from a file. See rows.h.
//
// Time is linear in the size of the file, and what is most of it, the values, is looked at eight vertices at a time.
#include "tree/row_kernels.h"

#include <math.h>
#include <string.h>

static const char outOfPlace[] = "a block of vertices is out of place";

static bool AreAscending(const uint16_t* numbers, uint32_t count)
{
	bool isGood = true;
	for (uint32_t j = 1; j < count; ++j)
	{
		isGood &= numbers[j - 1] < numbers[j];
	}
	return isGood;
}

static uint32_t BitsOf(const float* value)
{
	uint32_t bits;
	memcpy(&bits, value, sizeof(bits));
	return bits;
}

// Note the places of a block's numbers, counted from 1, in a list that has zeros; and forget them again.
static void Enter(const uint16_t* numbers, uint32_t count, uint16_t* entries)
{
	for (uint32_t j = 0; j < count; ++j)
	{
		entries[numbers[j]] = (uint16_t)(j + 1);
	}
}

static void Leave(const uint16_t* numbers, uint32_t count, uint16_t* entries)
{
	for (uint32_t j = 0; j < count; ++j)
	{
		entries[numbers[j]] = 0;
	}
}

// Whether a row of a block, whose numbers were entered, is the same as another one: as many numbers, each with the same
// values. No step waits for the one before, so this is fast.
SG_INLINE bool AreSame(const float* values, uint32_t count, const uint16_t* entries, sgRow other, uint32_t width)
{
	uint32_t difference = 0, otherCount = 0;
	size_t stride = (size_t)width * SG_LANES;
	for (uint32_t j = 0; j < other.count; ++j)
	{
		uint32_t entry = entries[other.numbers[j]], isEntered = entry != 0, any = 0;
		const float* own = values + (entry - isEntered) * stride;
		for (size_t k = 0; k < stride; k += SG_LANES)
		{
			uint32_t bits = BitsOf(other.values + j * stride + k);
			difference |= bits ^ (BitsOf(own + k) & -isEntered);
			any |= bits << 1;
		}
		otherCount += any != 0;
	}
	return difference == 0 && otherCount == count;
}

/// All that is summed up while blocks are looked at.
typedef struct Check
{
	const sgRows* rows;
	const sgRowsOf* of;
	const sgRowCounts* counts;
	const float* limits; ///< of displacements
	const sgRowKernels* kernels;
	uint16_t* entryOf;        ///< by number: 1 + its place in the block that is looked at, or zero
	uint64_t values, numbers; ///< where the next block has its own
	uint64_t entries;         ///< of vertices where they are first
	uint32_t firstCount;      ///< vertices that are where they are first
	uint32_t most;
} Check;

static const char* CheckVertex(
    Check* check, const sgBlock* block, uint32_t place, uint32_t vertex, const sgRowTotals* totals)
{
	const sgRows* rows = check->rows;
	uint32_t lane = place % SG_LANES, count = (uint32_t)totals->counts[lane], first = rows->places[vertex];
	const sgLaneFloats* values = rows->values + block->values;
	const float* position = check->of->positions + 3 * (size_t)vertex;
	for (int axis = 0; axis < 3; ++axis)
	{
		float expected = rows->width == 3 ? position[axis] + 0.0f : position[axis];
		if (BitsOf(values[axis].lane + lane) != BitsOf(&expected))
		{
			return "a block of vertices has a wrong position";
		}
	}
	if (rows->width == 1 && (count == 0 || !(fabs(totals->sums[lane] - 1.0) <= (count + 1.0) * 0x1p-24)))
	{
		return "the weights of a vertex do not sum to 1";
	}
	if (first == place)
	{
		check->entries += count;
		check->most = count > check->most ? count : check->most;
		++check->firstCount;
		return NULL;
	}
	static const char fault[] = "a vertex is not the same in all of its blocks";
	if (first > place)
	{
		return fault;
	}
	sgRow other = sgRows_Get(rows, vertex);
	const float* own = values[3].lane + lane;
	bool isSame = rows->width == 1 ? AreSame(own, count, check->entryOf, other, 1)
	                               : AreSame(own, count, check->entryOf, other, 3);
	return isSame ? NULL : fault;
}

static const char* CheckBlock(Check* check, uint32_t number, const uint32_t* vertices, uint32_t vertexCount)
{
	const sgRows* rows = check->rows;
	const sgBlock* block = rows->blocks + number;
	if (number >= check->counts->blocks || block->values != check->values || block->numbers != check->numbers ||
	    block->count > check->counts->numbers - check->numbers)
	{
		return outOfPlace;
	}
	check->values += 3 + (uint64_t)rows->width * block->count;
	check->numbers += block->count;
	const sgLaneFloats* values = rows->values + block->values;
	const uint16_t* numbers = rows->numbers + block->numbers;
	sgRowTotals totals;
	bool isGood = rows->width == 1
	                  ? check->kernels->addWeights(values + 3, block->count, &totals)
	                  : check->kernels->addDisplacements(values + 3, numbers, block->count, check->limits, &totals);
	isGood = isGood && AreAscending(numbers, block->count);
	const char* fault = isGood ? NULL : "a weight or displacement is wrong";
	Enter(numbers, block->count, check->entryOf);
	for (uint32_t lane = 0; lane < SG_LANES && fault == NULL; ++lane)
	{
		bool isThere = lane < vertexCount;
		fault = isThere ? CheckVertex(check, block, number * SG_LANES + lane, vertices[lane], &totals)
		                : (totals.counts[lane] != 0.0f ? "a block has values for no vertex" : NULL);
	}
	Leave(numbers, block->count, check->entryOf);
	return fault;
}

const char* sgRows_Check(
    const sgRows* rows, const sgRowsOf* of, const sgRowCounts* counts, const float* limits, uint16_t* scratch)
{
	Check check = {
		.rows = rows,
		.of = of,
		.counts = counts,
		.limits = limits,
		.kernels = sgGetKernels()->rows,
		.entryOf = scratch,
	};
	memset(scratch, 0, SG_ROWS_SCRATCH);
	const char* fault = counts->blocks <= UINT32_MAX / SG_LANES ? NULL : outOfPlace; // places are 32-bit
	uint32_t number = 0;
	for (uint32_t c = 0; c <= of->clusters->header->count && fault == NULL; ++c)
	{
		uint32_t blocks = sgRows_CountBlocks(of, c);
		fault = rows->firstBlocks[c] == number ? NULL : outOfPlace;
		for (uint32_t i = 0; i < blocks && fault == NULL; ++i, ++number)
		{
			uint32_t vertices[SG_LANES], vertexCount = sgRows_BlockVertices(of, c, i, vertices);
			fault = CheckBlock(&check, number, vertices, vertexCount);
		}
	}
	if (fault != NULL)
	{
		return fault;
	}
	bool isAll = number == counts->blocks && check.numbers == counts->numbers &&
	             check.firstCount == of->tree->vertexCount && check.entries == counts->entries &&
	             check.most == counts->most;
	return isAll ? NULL : "the numbers of its weights or displacements are wrong";
}
