// test/io/test_io_deflate.c: what io/deflate.c compresses, zlib decompresses to the same bytes, and is not much
// smaller.
#include "io/deflate.h"
#include "lab/scenes/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

// Noise of few values, repetitions, and runs with something in between.
static uint8_t MakeByte(sceneRandom* random, int kind, uint32_t values, const uint8_t* data, size_t i)
{
	uint32_t any = sceneRandom_Index(random, values);
	if (kind == 1 && i > 100 && sceneRandom_Index(random, 4) > 0)
	{
		return data[i - 1 - sceneRandom_Index(random, 100)];
	}
	return (uint8_t)(kind == 2 && sceneRandom_Index(random, 50) > 0 ? 0 : any);
}

static void zlib_gives_back_what_was_compressed(void** state)
{
	(void)state;
	sceneRandom random = { 1 };
	for (size_t n = 0; n < 120; ++n)
	{
		size_t count = n < 20 ? n : sceneRandom_Index(&random, 150000);
		uint32_t values = 1 + sceneRandom_Index(&random, 256);
		int kind = (int)sceneRandom_Index(&random, 3);
		uint8_t *data = malloc(count + 1), *back = malloc(count + 1);
		assert_true(data != NULL && back != NULL);
		for (size_t i = 0; i < count; ++i)
		{
			data[i] = MakeByte(&random, kind, values, data, i);
		}
		ioBytes out = { 0 };
		ioDeflate(&out, data, count);
		assert_false(out.failed);
		uLongf size = (uLongf)count + 1, zlibSize = compressBound((uLong)count);
		assert_int_equal(uncompress(back, &size, out.data, (uLong)out.count), Z_OK);
		assert_int_equal(size, count);
		assert_memory_equal(back, data, count);
		uint8_t* zlibs = malloc(zlibSize);
		assert_non_null(zlibs);
		assert_int_equal(compress2(zlibs, &zlibSize, data, (uLong)count, 9), Z_OK);
		assert_true((double)out.count <= 1.35 * (double)zlibSize + 300.0);
		free(zlibs);
		free(data);
		free(back);
		free(out.data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(zlib_gives_back_what_was_compressed) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
