// src/base/arrays.c: see arrays.h. Loops here are plain, so that compilers turn them into vectors.
#include "base/arrays.h"

#include <math.h>
#include <string.h>

static uint64_t Align(uint64_t end)
{
	return (end + SG_ALIGNMENT - 1) & ~(uint64_t)(SG_ALIGNMENT - 1);
}

static uint64_t BytesOf(const sgArray* array)
{
	return array->count * array->size;
}

// Where an array begins, given where the one before ends; that becomes its own end.
static uint64_t TakePlace(const sgArray* array, uint64_t* end)
{
	uint64_t start = Align(*end);
	*end = start + BytesOf(array);
	return start;
}

size_t sgArrays_Bytes(size_t header, const sgArray* list, int count)
{
	uint64_t end = header;
	for (int i = 0; i < count; ++i)
	{
		TakePlace(list + i, &end);
	}
	end = Align(end);
	return end < SG_MAX_SIZE ? (size_t)end : SG_MAX_SIZE;
}

void sgArrays_Place(size_t header, const sgArray* list, int count, uint64_t* offsets)
{
	uint64_t end = header;
	for (int i = 0; i < count; ++i)
	{
		offsets[i] = TakePlace(list + i, &end);
	}
}

void sgArrays_Bind(size_t header, const sgArray* list, int count, const void* data, void* pointers)
{
	uint64_t end = header;
	for (int i = 0; i < count; ++i)
	{
		const void* start = (const char*)data + TakePlace(list + i, &end);
		memcpy((char*)pointers + list[i].place, &start, sizeof(start));
	}
}

static const void* PointerOf(const sgArray* array, const void* pointers)
{
	const void* pointer;
	memcpy(&pointer, (const char*)pointers + array->place, sizeof(pointer));
	return pointer;
}

void sgArrays_Write(size_t header, const sgArray* list, int count, const void* pointers, void* data)
{
	uint64_t end = header;
	for (int i = 0; i < count; ++i)
	{
		const void* from = PointerOf(list + i, pointers);
		char* to = (char*)data + TakePlace(list + i, &end);
		if (from != NULL && BytesOf(list + i) > 0)
		{
			memcpy(to, from, (size_t)BytesOf(list + i));
		}
	}
}

uint32_t sgGreatest16(const uint16_t* values, size_t count)
{
	uint16_t most = 0;
	for (size_t i = 0; i < count; ++i)
	{
		most = values[i] > most ? values[i] : most;
	}
	return most;
}

uint32_t sgGreatest32(const uint32_t* values, size_t count)
{
	uint32_t most = 0;
	for (size_t i = 0; i < count; ++i)
	{
		most = values[i] > most ? values[i] : most;
	}
	return most;
}

// No early exit, so that compilers can turn the loop into vectors. Bits of magnitudes are ordered as the magnitudes
// are, with NaN above all of them.
bool sgAreWithin(const float* values, size_t count, float limit)
{
	int32_t most = 0, bits, limitBits;
	memcpy(&limitBits, &limit, sizeof(limitBits));
	for (size_t i = 0; i < count; ++i)
	{
		memcpy(&bits, values + i, sizeof(bits));
		bits &= INT32_MAX;
		most = bits > most ? bits : most;
	}
	return most <= limitBits;
}

static bool IsGood(const sgArray* array, const void* pointer)
{
	size_t count = (size_t)array->count;
	switch (array->elements)
	{
		case sgElements_floats:
			return sgAreWithin(pointer, count * (array->size / sizeof(float)), (float)array->limit);
		case sgElements_index:
			return count == 0 || (array->size == sizeof(uint16_t) ? sgGreatest16(pointer, count)
			                                                      : sgGreatest32(pointer, count)) < array->limit;
		default:
			return true;
	}
}

const char* sgArrays_Check(const sgArray* list, int count, const void* pointers)
{
	for (int i = 0; i < count; ++i)
	{
		if (!IsGood(list + i, PointerOf(list + i, pointers)))
		{
			return list[i].fault;
		}
	}
	return NULL;
}
