// test/io/test_io_png.c: what a plain reader finds in the PNG files that we write is the picture, colour by colour.
#include "failing_memory.h"
#include "io/png.h"
#include "lab/scenes/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

typedef struct Picture
{
	uint32_t width, height;
	int colorCount;
	uint8_t palette[IO_PNG_COLORS][4];
	uint8_t* indices;
} Picture;

static uint32_t ReadWord(const uint8_t* bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// As the standard's annex D defines it, bit by bit.
static uint32_t Crc(const uint8_t* bytes, size_t count)
{
	uint32_t crc = 0xffffffffu;
	for (size_t i = 0; i < 8 * count; ++i)
	{
		crc ^= i % 8 == 0 ? bytes[i / 8] : 0u;
		crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1u)));
	}
	return ~crc;
}

// The content of the next chunk, whose name and sum must be right.
static const uint8_t* TakeChunk(const uint8_t** next, const char* name, size_t* count)
{
	const uint8_t* chunk = *next;
	*count = ReadWord(chunk);
	assert_memory_equal(chunk + 4, name, 4);
	assert_int_equal(ReadWord(chunk + 8 + *count), Crc(chunk + 4, *count + 4));
	*next = chunk + 12 + *count;
	return chunk + 8;
}

static void AssertIsPicture(const Picture* p, const uint8_t* bytes, size_t size)
{
	static const uint8_t rest[5] = { 8, 3, 0, 0, 0 };
	const uint8_t* next = bytes + 8;
	size_t count;
	assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
	const uint8_t* header = TakeChunk(&next, "IHDR", &count);
	assert_true(count == 13 && ReadWord(header) == p->width && ReadWord(header + 4) == p->height);
	assert_memory_equal(header + 8, rest, 5);
	const uint8_t* colors = TakeChunk(&next, "PLTE", &count);
	assert_int_equal(count, 3 * p->colorCount);
	const uint8_t* alphas = TakeChunk(&next, "tRNS", &count);
	assert_int_equal(count, p->colorCount);
	for (int i = 0; i < p->colorCount; ++i)
	{
		assert_memory_equal(colors + 3 * i, p->palette[i], 3);
		assert_int_equal(alphas[i], p->palette[i][3]);
	}
	const uint8_t* data = TakeChunk(&next, "IDAT", &count);
	uLongf inflated = (uLongf)(p->width + 1) * p->height;
	uint8_t* rows = malloc(inflated);
	assert_non_null(rows);
	assert_int_equal(uncompress(rows, &inflated, data, (uLong)count), Z_OK);
	assert_int_equal(inflated, (p->width + 1) * p->height);
	for (uint32_t y = 0; y < p->height; ++y)
	{
		assert_int_equal(rows[(p->width + 1) * y], 0);
		assert_memory_equal(rows + (p->width + 1) * y + 1, p->indices + p->width * y, p->width);
	}
	free(rows);
	TakeChunk(&next, "IEND", &count);
	assert_true(count == 0 && next == bytes + size);
}

// Runs and noise, so that pixels compress well or not at all.
static Picture MakePicture(sceneRandom* random)
{
	Picture p = { 1 + sceneRandom_Index(random, 200), 1 + sceneRandom_Index(random, 200),
		1 + (int)sceneRandom_Index(random, IO_PNG_COLORS), { { 0 } }, NULL };
	uint32_t noise = 1 + sceneRandom_Index(random, 50), total = p.width * p.height;
	p.indices = malloc(total);
	assert_non_null(p.indices);
	for (uint32_t i = 0; i < total; ++i)
	{
		bool isNew = i == 0 || sceneRandom_Index(random, noise) == 0;
		p.indices[i] = isNew ? (uint8_t)sceneRandom_Index(random, (uint32_t)p.colorCount) : p.indices[i - 1];
	}
	for (int i = 0; i < 4 * p.colorCount; ++i)
	{
		p.palette[i / 4][i % 4] = (uint8_t)sceneRandom_Index(random, 256);
	}
	return p;
}

static uint8_t* Encode(const Picture* p, size_t* size)
{
	return ioEncodePng(p->indices, p->width, p->height, (const uint8_t(*)[4])p->palette, p->colorCount, size);
}

static void pictures_read_back(void** state)
{
	(void)state;
	sceneRandom random = { 1 };
	for (int n = 0; n < 100; ++n)
	{
		Picture p = MakePicture(&random);
		size_t size;
		uint8_t* bytes = Encode(&p, &size);
		assert_non_null(bytes);
		AssertIsPicture(&p, bytes, size);
		free(bytes);
		free(p.indices);
	}
}

static void each_allocation_may_fail(void** state)
{
	(void)state;
	sceneRandom random = { 2 };
	Picture p = MakePicture(&random);
	for (int call = 0; call < 2; ++call)
	{
		size_t size = 1;
		callsBeforeFailure = call;
		uint8_t* bytes = Encode(&p, &size);
		assert_int_equal(callsBeforeFailure, -1);
		assert_null(bytes);
		assert_int_equal(size, 0);
	}
	free(p.indices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pictures_read_back),
		cmocka_unit_test(each_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
