// test/fuzz/fuzz_gltf.c: the glTF reader.
//
// Bytes changed at random seldom stay JSON, and a GLB file whose length is not the one in its header goes no further
// than that. So half of the mutations change a number of the JSON into another, and lengths are made right again.
#include "test/fuzz/fuzz_reader.h"

#include <stdio.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t maxSize);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t maxSize, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static bool IsGlb(const uint8_t* data, size_t size)
{
	return size >= 20 && memcmp(data, "glTF", 4) == 0;
}

static void Store32(uint8_t* data, size_t value)
{
	for (int i = 0; i < 4; ++i)
	{
		data[i] = (uint8_t)(value >> 8 * i);
	}
}

static bool IsNumeric(uint8_t c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '.';
}

// Replace the first number behind a random place by an odd one. Returns the new size, or the old one if there is none.
static size_t ChangeNumber(uint8_t* data, size_t size, size_t maxSize, unsigned seed)
{
	static const char* const odd[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "12", "16", "-1", "0.5", "100",
		"255", "256", "65535", "65536", "5120", "5121", "5122", "5123", "5125", "5126", "4294967295", "4294967296",
		"999999", "9007199254740993", "1e30", "-0", "[]", "{}", "null", "true", "\"a\"", "1,2" };
	const char* replacement = odd[seed / 7919 % (sizeof(odd) / sizeof(odd[0]))];
	size_t length = strlen(replacement), start = (IsGlb(data, size) ? 20 : 0) + seed % (size > 20 ? size - 20 : 1);
	while (start < size && !(IsNumeric(data[start]) && start > 0 && strchr(":,[", data[start - 1]) != NULL))
	{
		++start;
	}
	size_t end = start;
	while (end < size && IsNumeric(data[end]))
	{
		++end;
	}
	if (start == end || size - (end - start) + length > maxSize)
	{
		return size;
	}
	memmove(data + start + length, data + end, size - end);
	memcpy(data + start, replacement, length);
	return size - (end - start) + length;
}

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t maxSize, unsigned seed)
{
	if (size < 24 || seed % 2 == 0)
	{
		return LLVMFuzzerMutate(data, size, maxSize);
	}
	size_t changed = ChangeNumber(data, size, maxSize, seed / 2);
	if (IsGlb(data, changed))
	{
		// The number was in the JSON, most likely: its chunk has grown by as much.
		size_t json = data[12] | (size_t)data[13] << 8 | (size_t)data[14] << 16 | (size_t)data[15] << 24;
		Store32(data + 12, json + changed - size);
	}
	return changed;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	uint8_t* copy = malloc(size > 0 ? size : 1);
	FuzzCheck(copy != NULL);
	memcpy(copy, data, size);
	if (IsGlb(copy, size))
	{
		Store32(copy + 8, size);
	}
	int result = FuzzReader(copy, size, io_gltf);
	free(copy);
	return result;
}
