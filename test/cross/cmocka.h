// test/cross/cmocka.h: the few functions of cmocka that tests for other machines need. Debian has no cmocka for those.
//
// A test that fails ends the program: no long jumps, which WebAssembly does not have.
#ifndef CROSS_CMOCKA_H
#define CROSS_CMOCKA_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest
{
	const char* name;
	void (*function)(void** state);
};

#define cmocka_unit_test(function) \
	{                              \
#function, function        \
	}

#define print_message(...) printf(__VA_ARGS__)
#define print_error(...) fprintf(stderr, __VA_ARGS__)

#define fail_msg(...)                                   \
	do                                                  \
	{                                                   \
		fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
		fprintf(stderr, __VA_ARGS__);                   \
		fprintf(stderr, "\n");                          \
		exit(1);                                        \
	} while (0)
#define fail() fail_msg("failed")
// In a test itself, which returns nothing.
#define skip()               \
	do                       \
	{                        \
		printf("skipped\n"); \
		return;              \
	} while (0)

#define assert_true(condition)                        \
	do                                                \
	{                                                 \
		if (!(condition))                             \
		{                                             \
			fail_msg("%s does not hold", #condition); \
		}                                             \
	} while (0)
#define assert_false(condition) assert_true(!(condition))
#define assert_non_null(pointer) assert_true((pointer) != NULL)
#define assert_null(pointer) assert_true((pointer) == NULL)
#define assert_ptr_equal(a, b) assert_true((const void*)(a) == (const void*)(b))
#define assert_ptr_not_equal(a, b) assert_false((const void*)(a) == (const void*)(b))
#define assert_int_equal(a, b) assert_true((uintmax_t)(a) == (uintmax_t)(b))
#define assert_int_not_equal(a, b) assert_false((uintmax_t)(a) == (uintmax_t)(b))
#define assert_in_range(a, least, most) assert_true((uintmax_t)(a) >= (least) && (uintmax_t)(a) <= (most))
#define assert_float_equal(a, b, distance) assert_true((a) - (b) <= (distance) && (b) - (a) <= (distance))
#define assert_string_equal(a, b) assert_true(strcmp(a, b) == 0)
#define assert_string_not_equal(a, b) assert_true(strcmp(a, b) != 0)
#define assert_memory_equal(a, b, size) assert_true(memcmp(a, b, size) == 0)
#define assert_memory_not_equal(a, b, size) assert_true(memcmp(a, b, size) != 0)

// There all cases are run.
static inline void cmocka_set_test_filter(const char* pattern)
{
	(void)pattern;
}

#define cmocka_run_group_tests(tests, setup, teardown) CrossRunTests(tests, sizeof(tests) / sizeof((tests)[0]))

static inline int CrossRunTests(const struct CMUnitTest* tests, size_t count)
{
	for (size_t i = 0; i < count; ++i)
	{
		void* state = NULL;
		printf("%s\n", tests[i].name);
		fflush(stdout);
		tests[i].function(&state);
	}
	printf("%u tests passed\n", (unsigned)count);
	return 0;
}

#endif
