// src/tree/twins.c: see twins.h. Vertices are sorted by a hash of all that twins have in common, and only where hashes
// are equal by that itself; so what is the same comes to lie side by side.
#include "tree/twins.h"

#include "base/sort.h"

#include <string.h>

/// A hash, and below it the number of a vertex.
typedef uint64_t Key;

static uint32_t VertexOf(Key key)
{
	return (uint32_t)key;
}

// The bits of a number, with those of 0 for -0.
static uint32_t Bits(float value)
{
	uint32_t bits;
	value += 0.0f;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static uint64_t Mix(uint64_t hash, uint32_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static uint64_t MixFloats(uint64_t hash, const float* values, size_t count)
{
	for (size_t i = 0; i < count; ++i)
	{
		hash = Mix(hash, Bits(values[i]));
	}
	return hash;
}

static uint64_t MixRow(uint64_t hash, const sgRows* rows, uint32_t vertex)
{
	sgRow row = sgRows_Get(rows, vertex);
	size_t stride = (size_t)rows->width * SG_LANES;
	for (uint32_t j = 0; j < row.count; ++j)
	{
		if (sgRow_Has(&row, rows->width, j))
		{
			hash = Mix(hash, row.numbers[j]);
			for (size_t i = 0; i < stride; i += SG_LANES)
			{
				hash = Mix(hash, Bits(row.values[j * stride + i]));
			}
		}
	}
	return hash;
}

static Key MakeKey(const sgTwinsInput* input, uint32_t vertex)
{
	uint64_t hash = MixFloats(1, input->positions + 3 * (size_t)vertex, 3);
	for (int kind = 0; kind < SG_ROW_KINDS; ++kind)
	{
		hash = input->rows[kind].places != NULL ? MixRow(hash, input->rows + kind, vertex) : hash;
	}
	return (hash >> 32 ^ hash) << 32 | vertex;
}

static int CompareFloats(const float* a, const float* b, size_t count)
{
	for (size_t i = 0; i < count; ++i)
	{
		uint32_t x = Bits(a[i]), y = Bits(b[i]);
		if (x != y)
		{
			return x < y ? -1 : 1;
		}
	}
	return 0;
}

// The next number that is there, from j on; the count if there is none.
static uint32_t Skip(const sgRow* row, uint32_t width, uint32_t j)
{
	while (j < row->count && !sgRow_Has(row, width, j))
	{
		++j;
	}
	return j;
}

// By the first number or value in which rows differ; one that is the beginning of another comes first.
static int CompareRows(const sgRows* rows, uint32_t v, uint32_t w)
{
	if (rows->places == NULL)
	{
		return 0;
	}
	sgRow a = sgRows_Get(rows, v), b = sgRows_Get(rows, w);
	size_t stride = (size_t)rows->width * SG_LANES;
	uint32_t i = 0, j = 0;
	for (;; ++i, ++j)
	{
		i = Skip(&a, rows->width, i);
		j = Skip(&b, rows->width, j);
		if (i == a.count || j == b.count)
		{
			return (i < a.count) - (j < b.count);
		}
		int order = (a.numbers[i] > b.numbers[j]) - (a.numbers[i] < b.numbers[j]);
		for (size_t k = 0; k < stride && order == 0; k += SG_LANES)
		{
			order = CompareFloats(a.values + i * stride + k, b.values + j * stride + k, 1);
		}
		if (order != 0)
		{
			return order;
		}
	}
}

// An order of keys in which those of twins are equal, and only those.
static int Compare(const sgTwinsInput* input, Key a, Key b)
{
	if (a >> 32 != b >> 32)
	{
		return a >> 32 < b >> 32 ? -1 : 1;
	}
	uint32_t v = VertexOf(a), w = VertexOf(b);
	int order = CompareFloats(input->positions + 3 * (size_t)v, input->positions + 3 * (size_t)w, 3);
	for (int kind = 0; kind < SG_ROW_KINDS && order == 0; ++kind)
	{
		order = CompareRows(input->rows + kind, v, w);
	}
	return order;
}

// Merge keys[first..middle) and keys[middle..end), each in order, into out. Equal ones keep their order.
static void Merge(const sgTwinsInput* input, const Key* keys, size_t first, size_t middle, size_t end, Key* out)
{
	size_t a = first, b = middle;
	for (size_t i = first; i < end; ++i)
	{
		bool takesA = a < middle && (b >= end || Compare(input, keys[a], keys[b]) <= 0);
		out[i] = takesA ? keys[a++] : keys[b++];
	}
}

// Sort by all that there is; equal ones keep their order.
static void SortRun(const sgTwinsInput* input, Key* keys, size_t count, Key* scratch)
{
	Key *from = keys, *to = scratch;
	for (size_t width = 1; width < count; width *= 2)
	{
		for (size_t first = 0; first < count; first += 2 * width)
		{
			size_t middle = first + width < count ? first + width : count;
			size_t end = middle + width < count ? middle + width : count;
			Merge(input, from, first, middle, end, to);
		}
		Key* sorted = to;
		to = from;
		from = sorted;
	}
	if (from != keys)
	{
		memcpy(keys, from, count * sizeof(Key));
	}
}

// By hashes first, byte by byte, since few vertices that are not twins have equal ones.
static void Sort(const sgTwinsInput* input, Key* keys, Key* scratch)
{
	size_t count = input->vertexCount;
	for (int shift = 32; shift < 64; shift += 16)
	{
		sgSortByBits(keys, count, (uint32_t)shift, 8, scratch);
		sgSortByBits(scratch, count, (uint32_t)shift + 8, 8, keys);
	}
	for (size_t first = 0, end; first < count; first = end)
	{
		for (end = first + 1; end < count && keys[end] >> 32 == keys[first] >> 32;)
		{
			++end;
		}
		SortRun(input, keys + first, end - first, scratch);
	}
}

// Vertices were in order before they were sorted, so the first of equal ones has the smallest number.
// @return how many vertices are not their own twins
static uint32_t Assign(const sgTwinsInput* input, const Key* keys, uint32_t* twins)
{
	uint32_t others = 0;
	for (size_t i = 0; i < input->vertexCount; ++i)
	{
		bool isSame = i > 0 && Compare(input, keys[i - 1], keys[i]) == 0;
		twins[VertexOf(keys[i])] = isSame ? twins[VertexOf(keys[i - 1])] : VertexOf(keys[i]);
		others += isSame;
	}
	return others;
}

/// Vertices of which keys are made at a time.
#define CHUNK 2048

typedef struct KeyWork
{
	const sgTwinsInput* input;
	Key* keys;
} KeyWork;

static void MakeKeys(void* context, uint32_t worker, uint32_t chunk)
{
	const KeyWork* work = context;
	uint32_t first = chunk * CHUNK, left = work->input->vertexCount - first;
	(void)worker;
	for (uint32_t v = first; v < first + (left < CHUNK ? left : CHUNK); ++v)
	{
		work->keys[v] = MakeKey(work->input, v);
	}
}

snugStatus sgTwins_Build(
    const sgTwinsInput* input, const snugAllocator* allocator, const sgTeam* team, uint32_t** twins)
{
	size_t keyBytes = 2 * (size_t)input->vertexCount * sizeof(Key);
	Key* keys = sgAllocate(allocator, keyBytes);
	uint32_t* found = sgAllocate(allocator, sgTwins_Bytes(input->vertexCount));
	*twins = NULL;
	bool good = keys != NULL && found != NULL;
	if (good)
	{
		KeyWork work = { input, keys };
		sgTeam_Run(team, (input->vertexCount + CHUNK - 1) / CHUNK, MakeKeys, &work);
		Sort(input, keys, keys + input->vertexCount);
	}
	if (good && Assign(input, keys, found) > 0)
	{
		*twins = found;
		found = NULL;
	}
	sgRelease(allocator, found, sgTwins_Bytes(input->vertexCount));
	sgRelease(allocator, keys, keyBytes);
	return good ? snug_success : snug_outOfMemory;
}

const char* sgTwins_Check(const sgTwinsInput* input, const uint32_t* twins)
{
	uint32_t others = 0;
	for (uint32_t v = 0; v < input->vertexCount; ++v)
	{
		uint32_t twin = twins[v];
		if (twin > v || twins[twin] != twin)
		{
			return "its twins are out of order";
		}
		if (twin != v && Compare(input, twin, v) != 0)
		{
			return "two of its twins are not the same";
		}
		others += twin != v;
	}
	return others > 0 ? NULL : "it has twins that nothing needs";
}
