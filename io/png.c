// PNG (ISO/IEC 15948) with a palette, so that a pixel is a byte. Indices mean nothing as numbers, so rows are not
// filtered. zlib compresses and makes the sums.
#include "io/png.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

// What a chunk has beside its content: length, name, sum.
#define CHUNK_SIZE 12

static uint8_t* PutWord(uint8_t* to, uint32_t value)
{
	for (int k = 0; k < 4; ++k)
	{
		to[k] = (uint8_t)(value >> (24 - 8 * k));
	}
	return to + 4;
}

// Around a content of `count` bytes that lies 8 bytes after `to` already.
static uint8_t* CloseChunk(uint8_t* to, const char name[5], size_t count)
{
	uint8_t* start = PutWord(to, (uint32_t)count);
	memcpy(start, name, 4);
	return PutWord(start + 4 + count, (uint32_t)crc32(0, start, (uInt)count + 4));
}

static uint8_t* PutHeader(uint8_t* to, uint32_t width, uint32_t height)
{
	static const uint8_t signature[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
	memcpy(to, signature, sizeof(signature));
	to += sizeof(signature);
	uint8_t* end = PutWord(to + 8, width);
	end = PutWord(end, height);
	end = PutWord(end, 0x08030000u); // 8 bits, palette, deflate, the usual filters
	*end = 0;                        // not interlaced
	return CloseChunk(to, "IHDR", 13);
}

static uint8_t* PutPalette(uint8_t* to, const uint8_t (*palette)[4], int count)
{
	for (int i = 0; i < count; ++i)
	{
		memcpy(to + 8 + 3 * i, palette[i], 3);
	}
	to = CloseChunk(to, "PLTE", 3 * (size_t)count);
	for (int i = 0; i < count; ++i)
	{
		to[8 + i] = palette[i][3];
	}
	return CloseChunk(to, "tRNS", (size_t)count);
}

// Each row behind a byte that says that there is no filter. Null if there is no memory.
static uint8_t* PutPixels(uint8_t* to, const uint8_t* indices, size_t width, size_t height, size_t room)
{
	uint8_t* rows = malloc((width + 1) * height + 1);
	for (size_t y = 0; rows != NULL && y < height; ++y)
	{
		rows[(width + 1) * y] = 0;
		memcpy(rows + (width + 1) * y + 1, indices + width * y, width);
	}
	uLongf size = (uLongf)room;
	bool made = rows != NULL && compress2(to + 8, &size, rows, (uLong)((width + 1) * height), 9) == Z_OK;
	free(rows);
	return made ? CloseChunk(to, "IDAT", size) : NULL;
}

uint8_t* ioEncodePng(
    const uint8_t* indices, uint32_t width, uint32_t height, const uint8_t (*palette)[4], int colorCount, size_t* count)
{
	size_t room = compressBound((uLong)(((size_t)width + 1) * height));
	uint8_t* bytes = malloc(8 + 5 * CHUNK_SIZE + 13 + 4 * IO_PNG_COLORS + room);
	*count = 0;
	if (bytes == NULL)
	{
		return NULL;
	}
	uint8_t* end = PutPalette(PutHeader(bytes, width, height), palette, colorCount);
	end = PutPixels(end, indices, width, height, room);
	if (end == NULL)
	{
		free(bytes);
		return NULL;
	}
	end = CloseChunk(end, "IEND", 0);
	*count = (size_t)(end - bytes);
	return bytes;
}
