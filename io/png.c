// PNG (ISO/IEC 15948) with the "up" filter, so that smooth shading leaves small numbers and flat areas zeros, and
// deflate (RFC 1951) with its fixed code and matches found through a hash of three bytes. Half as tight as zlib, and
// no dependency.
#include "io/png.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct bytes
{
	uint8_t* data;
	size_t count, capacity;
	uint32_t bits; // not yet written, lowest first
	int bitCount;
	bool failed;
} bytes;

static void PutByte(bytes* b, uint32_t value)
{
	if (b->count == b->capacity)
	{
		size_t capacity = 2 * b->capacity + 4096;
		uint8_t* data = realloc(b->data, capacity);
		if (data == NULL)
		{
			b->failed = true;
			return;
		}
		b->data = data;
		b->capacity = capacity;
	}
	b->data[b->count++] = (uint8_t)value;
}

static void PutWord(bytes* b, uint32_t value)
{
	for (int shift = 24; shift >= 0; shift -= 8)
	{
		PutByte(b, (value >> shift) & 0xffu);
	}
}

static void PutBits(bytes* b, uint32_t value, int count)
{
	b->bits |= value << b->bitCount;
	b->bitCount += count;
	for (; b->bitCount >= 8; b->bitCount -= 8, b->bits >>= 8)
	{
		PutByte(b, b->bits & 0xffu);
	}
}

// Huffman codes go out highest bit first, unlike all else.
static void PutCode(bytes* b, uint32_t code, int count)
{
	for (int i = count - 1; i >= 0; --i)
	{
		PutBits(b, (code >> i) & 1u, 1);
	}
}

// A symbol of the fixed code: literals 0 to 255, the end 256, lengths 257 to 285.
static void PutSymbol(bytes* b, uint32_t symbol)
{
	if (symbol < 144)
	{
		PutCode(b, 0x30 + symbol, 8);
	}
	else if (symbol < 256)
	{
		PutCode(b, 0x190 + symbol - 144, 9);
	}
	else if (symbol < 280)
	{
		PutCode(b, symbol - 256, 7);
	}
	else
	{
		PutCode(b, 0xc0 + symbol - 280, 8);
	}
}

// Lengths 3 to 258 and distances 1 to 32768 are a class and some extra bits; classes come in groups of equal width.
static void PutMatch(bytes* b, uint32_t length, uint32_t distance)
{
	uint32_t l = length - 3, extra = 0, d = distance - 1;
	if (length == 258)
	{
		PutSymbol(b, 285);
	}
	else
	{
		while (l >> extra >= 8)
		{
			++extra;
		}
		PutSymbol(b, 257 + 4 * extra + (l >> extra));
		PutBits(b, l & ((1u << extra) - 1), (int)extra);
	}
	for (extra = 0; d >> extra >= 4;)
	{
		++extra;
	}
	PutCode(b, 2 * extra + (d >> extra), 5);
	PutBits(b, d & ((1u << extra) - 1), (int)extra);
}

#define HASH_BITS 15

static uint32_t Hash(const uint8_t* p)
{
	uint32_t word = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
	return word * 0x9e3779b1u >> (32 - HASH_BITS);
}

static size_t MatchLength(const uint8_t* a, const uint8_t* b, const uint8_t* end)
{
	size_t length = 0;
	while (length < 258 && b + length < end && a[length] == b[length])
	{
		++length;
	}
	return length;
}

static void Deflate(bytes* out, const uint8_t* data, size_t count)
{
	size_t* table = calloc((size_t)1 << HASH_BITS, sizeof(size_t)); // last position + 1 of each hash
	out->failed = out->failed || table == NULL;
	PutBits(out, 3, 3); // last block, fixed code
	for (size_t i = 0; i < count && !out->failed;)
	{
		size_t length = 0, distance = 0;
		if (i + 3 <= count)
		{
			size_t* slot = table + Hash(data + i);
			distance = *slot > 0 ? i - (*slot - 1) : 0;
			length = distance > 0 && distance <= 32768 ? MatchLength(data + i - distance, data + i, data + count) : 0;
			*slot = i + 1;
		}
		if (length >= 4)
		{
			PutMatch(out, (uint32_t)length, (uint32_t)distance);
			i += length;
		}
		else
		{
			PutSymbol(out, data[i++]);
		}
	}
	PutSymbol(out, 256);
	PutBits(out, 0, 7); // to the next byte
	free(table);
}

static uint32_t Adler(const uint8_t* data, size_t count)
{
	uint32_t a = 1, b = 0;
	for (size_t i = 0; i < count; ++i)
	{
		a = (a + data[i]) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

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

static void PutChunk(bytes* out, const char type[5], const bytes* content)
{
	PutWord(out, (uint32_t)content->count);
	size_t start = out->count;
	for (int i = 0; i < 4; ++i)
	{
		PutByte(out, (uint8_t)type[i]);
	}
	for (size_t i = 0; i < content->count; ++i)
	{
		PutByte(out, content->data[i]);
	}
	out->failed = out->failed || content->failed;
	PutWord(out, out->failed ? 0 : Crc(out->data + start, out->count - start));
}

// Each row, less the one above it, behind a byte that names the filter.
static uint8_t* Filter(const uint8_t* pixels, size_t row, size_t height)
{
	uint8_t* filtered = malloc((row + 1) * height + 1);
	for (size_t y = 0; filtered != NULL && y < height; ++y)
	{
		uint8_t* to = filtered + (row + 1) * y;
		const uint8_t *from = pixels + row * y, *above = y > 0 ? from - row : from;
		*to++ = 2;
		for (size_t x = 0; x < row; ++x)
		{
			to[x] = (uint8_t)(from[x] - (y > 0 ? above[x] : 0));
		}
	}
	return filtered;
}

static void PutHeader(bytes* out, uint32_t width, uint32_t height)
{
	static const uint8_t signature[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
	bytes header = { 0 };
	for (int i = 0; i < 8; ++i)
	{
		PutByte(out, signature[i]);
	}
	PutWord(&header, width);
	PutWord(&header, height);
	PutWord(&header, 0x08020000u); // 8 bits, colour, deflate, the usual filters
	PutByte(&header, 0);           // not interlaced
	PutChunk(out, "IHDR", &header);
	free(header.data);
}

uint8_t* ioEncodePng(const uint8_t* pixels, uint32_t width, uint32_t height, size_t* count)
{
	bytes out = { 0 }, data = { 0 }, nothing = { 0 };
	size_t row = (size_t)width * 3, size = (row + 1) * height;
	uint8_t* filtered = Filter(pixels, row, height);
	*count = 0;
	if (filtered == NULL)
	{
		return NULL;
	}
	PutHeader(&out, width, height);
	PutByte(&data, 0x78);
	PutByte(&data, 0x01);
	Deflate(&data, filtered, size);
	PutWord(&data, Adler(filtered, size));
	PutChunk(&out, "IDAT", &data);
	PutChunk(&out, "IEND", &nothing);
	free(filtered);
	free(data.data);
	if (out.failed)
	{
		free(out.data);
		return NULL;
	}
	*count = out.count;
	return out.data;
}
