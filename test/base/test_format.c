// test/base/test_format.c: messages without stdio are those that stdio would make.
#include "support.h"

#include "base/base.h"
#include "base/format.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static void Format(char* text, size_t size, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	sgFormat(text, size, format, arguments);
	va_end(arguments);
}

#define CHECK(...)                                         \
	do                                                     \
	{                                                      \
		char expected[256], found[256];                    \
		snprintf(expected, sizeof(expected), __VA_ARGS__); \
		Format(found, sizeof(found), __VA_ARGS__);         \
		assert_string_equal(found, expected);              \
	} while (0)

static void messages_are_those_of_stdio(void** state)
{
	(void)state;
	CHECK("%s", "");
	CHECK("nothing");
	CHECK("100 %% of %u", 0u);
	CHECK("%d %d %d %d", 0, -1, INT_MAX, INT_MIN);
	CHECK("%u,%u", UINT_MAX, 10u);
	CHECK("%zu %zu %zu", (size_t)0, (size_t)SIZE_MAX, (size_t)1234567890);
	CHECK("%llu%llu", ULLONG_MAX, 9ull);
	CHECK("%c%c: %s and %s", 'x', 'y', "one", "another");
	CHECK("%s%u%s%d", "a", 1u, "b", -2);
}

// Whatever does not fit is cut off, and the end is always there. Would catch one byte too many.
static void long_messages_are_cut_off(void** state)
{
	(void)state;
	for (size_t size = 1; size < 40; ++size)
	{
		char expected[64], found[64];
		memset(found, '#', sizeof(found));
		snprintf(expected, size, "%s is %u of %llu", "this message", 12345u, 67890ull);
		Format(found, size, "%s is %u of %llu", "this message", 12345u, 67890ull);
		assert_string_equal(found, expected);
		assert_int_equal(found[size], '#');
	}
}

static void what_is_unknown_is_copied(void** state)
{
	(void)state;
	char found[64];
	const char* const unknown[] = { "%", "%q", "a %z b", "%ll", "%-5d" };
	for (size_t i = 0; i < LENGTH_OF(unknown); ++i)
	{
		Format(found, sizeof(found), unknown[i]);
		assert_string_equal(found, unknown[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_are_those_of_stdio),
		cmocka_unit_test(long_messages_are_cut_off),
		cmocka_unit_test(what_is_unknown_is_copied),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
