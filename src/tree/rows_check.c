// src/tree/rows_check.c: rows that come from a file. See rows.h.
//
// Time is linear in the size of the file, and what is most of it, the values, is looked at eight vertices at a time.
#include "tree/rows.h"

#include <math.h>
#include <string.h>

/// Eight numbers side by side; the compiler's operators work on them.
typedef float Floats __attribute__((vector_size(SG_LANES * sizeof(float))));
typedef int32_t Words __attribute__((vector_size(SG_LANES * sizeof(int32_t))));
typedef double Doubles __attribute__((vector_size(SG_LANES * sizeof(double))));

/// What a block's lanes come to.
typedef struct Totals
{
	int32_t counts[SG_LANES]; ///< numbers that each vertex has
	double sums[SG_LANES];    ///< of weights
} Totals;

static const char outOfPlace[] = "a block of vertices is out of place";

// A number that no vertex of its block has would be none of the block's.
static bool HasAny(const sgLaneFloats* values, uint32_t width)
{
	uint64_t words[3 * SG_LANES / 2], any = 0;
	memcpy(words, values, width * sizeof(sgLaneFloats));
	for (uint32_t i = 0; i < width * SG_LANES / 2; ++i)
	{
		any |= words[i] & 0x7fffffff7fffffffu;
	}
	return any != 0;
}

static bool AreAscending(const uint16_t* numbers, uint32_t count)
{
	bool isGood = true;
	for (uint32_t j = 1; j < count; ++j)
	{
		isGood &= numbers[j - 1] < numbers[j];
	}
	return isGood;
}

// Weights: no sign bit is set, so what is not zero is positive or NaN, and then the sum is neither 1 nor 0.
static bool AddWeights(const sgLaneFloats* values, uint32_t count, Totals* totals)
{
	Words bits = { 0 }, counts = { 0 };
	Doubles sums = { 0.0 };
	bool isUsed = true;
	for (uint32_t j = 0; j < count; ++j)
	{
		Floats weights;
		Words words;
		memcpy(&weights, values + j, sizeof(weights));
		memcpy(&words, values + j, sizeof(words));
		bits |= words;
		counts -= weights != 0.0f;
		sums += __builtin_convertvector(weights, Doubles);
		isUsed &= HasAny(values + j, 1);
	}
	memcpy(totals->counts, &counts, sizeof(counts));
	memcpy(totals->sums, &sums, sizeof(sums));
	bool isPositive = true;
	for (int lane = 0; lane < SG_LANES; ++lane)
	{
		isPositive &= bits[lane] >= 0;
	}
	return isUsed && isPositive;
}

static void CountDisplacements(const sgLaneFloats* values, uint32_t count, Totals* totals)
{
	Words counts = { 0 };
	for (uint32_t j = 0; j < count; ++j, values += 3)
	{
		Floats x, y, z;
		memcpy(&x, values, sizeof(x));
		memcpy(&y, values + 1, sizeof(y));
		memcpy(&z, values + 2, sizeof(z));
		counts -= (x != 0.0f) | (y != 0.0f) | (z != 0.0f);
	}
	memcpy(totals->counts, &counts, sizeof(counts));
}

static bool AddDisplacements(const sgLaneFloats* values, uint32_t count, Totals* totals)
{
	bool isUsed = true;
	for (uint32_t j = 0; j < count; ++j)
	{
		isUsed &= HasAny(values + 3 * (size_t)j, 3);
	}
	CountDisplacements(values, count, totals);
	return isUsed && sgAreWithin(values->lane, 3 * (size_t)count * SG_LANES, SNUG_MAX_COORDINATE);
}

static uint32_t BitsOf(const float* value)
{
	uint32_t bits;
	memcpy(&bits, value, sizeof(bits));
	return bits;
}

// Steps through both lists at once: a number that only one has must be zero there, one that both have the same. Without
// branches that depend on the values.
static bool AreSame(sgRow a, sgRow b, uint32_t width)
{
	uint32_t i = 0, j = 0, difference = 0;
	size_t stride = (size_t)width * SG_LANES;
	while (i < a.count || j < b.count)
	{
		uint32_t numberA = i < a.count ? a.numbers[i] : UINT32_MAX, numberB = j < b.count ? b.numbers[j] : UINT32_MAX;
		uint32_t takesA = numberA <= numberB, takesB = numberB <= numberA;
		for (size_t k = 0; k < stride; k += SG_LANES)
		{
			uint32_t bitsA = takesA != 0 ? BitsOf(a.values + i * stride + k) : 0;
			uint32_t bitsB = takesB != 0 ? BitsOf(b.values + j * stride + k) : 0;
			difference |= bitsA ^ bitsB;
		}
		i += takesA;
		j += takesB;
	}
	return difference == 0;
}

/// All that is summed up while blocks are looked at.
typedef struct Check
{
	const sgRows* rows;
	const sgRowsOf* of;
	const sgRowCounts* counts;
	uint64_t values, numbers; ///< where the next block has its own
	uint64_t entries;         ///< of vertices where they are first
	uint32_t firstCount;      ///< vertices that are where they are first
	uint32_t most;
} Check;

static const char* CheckVertex(Check* check, const sgBlock* block, uint32_t place, uint32_t vertex, const Totals* totals)
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
	sgRow own = { rows->numbers + block->numbers, values[3].lane + lane, block->count };
	return first < place && AreSame(own, sgRows_Get(rows, vertex), rows->width)
	           ? NULL
	           : "a vertex is not the same in all of its blocks";
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
	Totals totals = { .counts = { 0 } };
	bool isGood = AreAscending(rows->numbers + block->numbers, block->count) &&
	              (rows->width == 1 ? AddWeights : AddDisplacements)(values + 3, block->count, &totals);
	const char* fault = isGood ? NULL : "a weight or displacement is wrong";
	for (uint32_t lane = 0; lane < SG_LANES && fault == NULL; ++lane)
	{
		bool isThere = lane < vertexCount;
		fault = isThere ? CheckVertex(check, block, number * SG_LANES + lane, vertices[lane], &totals)
		                : (totals.counts[lane] != 0 ? "a block has values for no vertex" : NULL);
	}
	return fault;
}

const char* sgRows_Check(const sgRows* rows, const sgRowsOf* of, const sgRowCounts* counts, uint32_t limit)
{
	Check check = { .rows = rows, .of = of, .counts = counts };
	sgArray list[SG_ROWS_ARRAYS];
	sgRows_List(list, 0, of, counts, rows->width, limit);
	const char* fault = sgArrays_Check(list, SG_ROWS_ARRAYS, rows);
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
