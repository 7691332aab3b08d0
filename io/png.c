// PNG (ISO/IEC 15948) with a palette, so that a pixel is a byte. Indices mean nothing as numbers, so rows are not
// filtered.
#include "io/png.h"

#include "io/deflate.h"

#include <stdlib.h>
#include <string.h>

static uint32_t Crc(const uint8_t* data, size_t count)
{
	uint32_t crc = 0xffffffffu;
	for (size_t i = 0; i < count; ++i)
	{
		crc ^= data[i];
		for (int k = 0; k < 8; ++k)
		{
			crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1u)));
		}
	}
	return ~crc;
}

static void PutChunk(ioBytes* out, const char type[5], const ioBytes* content)
{
	ioPutWord(out, (uint32_t)content->count);
	size_t start = out->count;
	for (int i = 0; i < 4; ++i)
	{
		ioPutByte(out, (uint8_t)type[i]);
	}
	for (size_t i = 0; i < content->count; ++i)
	{
		ioPutByte(out, content->data[i]);
	}
	out->failed = out->failed || content->failed;
	ioPutWord(out, out->failed ? 0 : Crc(out->data + start, out->count - start));
}

static void PutHeader(ioBytes* out, uint32_t width, uint32_t height)
{
	static const uint8_t signature[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
	ioBytes header = { 0 };
	for (int i = 0; i < 8; ++i)
	{
		ioPutByte(out, signature[i]);
	}
	ioPutWord(&header, width);
	ioPutWord(&header, height);
	ioPutWord(&header, 0x08030000u); // 8 bits, palette, deflate, the usual filters
	ioPutByte(&header, 0);           // not interlaced
	PutChunk(out, "IHDR", &header);
	free(header.data);
}

static void PutPalette(ioBytes* out, const uint8_t (*palette)[4], int count)
{
	ioBytes colors = { 0 }, alphas = { 0 };
	for (int i = 0; i < count; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			ioPutByte(&colors, palette[i][k]);
		}
		ioPutByte(&alphas, palette[i][3]);
	}
	PutChunk(out, "PLTE", &colors);
	PutChunk(out, "tRNS", &alphas);
	free(colors.data);
	free(alphas.data);
}

// Each row behind a byte that says that there is no filter.
static uint8_t* MakeRows(const uint8_t* indices, size_t width, size_t height)
{
	uint8_t* rows = malloc((width + 1) * height + 1);
	for (size_t y = 0; rows != NULL && y < height; ++y)
	{
		rows[(width + 1) * y] = 0;
		memcpy(rows + (width + 1) * y + 1, indices + width * y, width);
	}
	return rows;
}

uint8_t* ioEncodePng(
    const uint8_t* indices, uint32_t width, uint32_t height, const uint8_t (*palette)[4], int colorCount, size_t* count)
{
	ioBytes out = { 0 }, data = { 0 }, nothing = { 0 };
	uint8_t* rows = MakeRows(indices, width, height);
	*count = 0;
	if (rows == NULL)
	{
		return NULL;
	}
	PutHeader(&out, width, height);
	PutPalette(&out, palette, colorCount);
	ioDeflate(&data, rows, ((size_t)width + 1) * height);
	PutChunk(&out, "IDAT", &data);
	PutChunk(&out, "IEND", &nothing);
	free(rows);
	free(data.data);
	if (out.failed)
	{
		free(out.data);
		return NULL;
	}
	*count = out.count;
	return out.data;
}
