// src/base/format.c: see format.h.
#include "base/format.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/// A message while it grows; always ended by a zero.
typedef struct Text
{
	char* start;
	size_t size;
	size_t length;
} Text;

static void AddChar(Text* text, char c)
{
	if (text->length + 1 < text->size)
	{
		text->start[text->length++] = c;
		text->start[text->length] = 0;
	}
}

static void AddString(Text* text, const char* string)
{
	for (; *string != 0; ++string)
	{
		AddChar(text, *string);
	}
}

static void AddUnsigned(Text* text, uint64_t value)
{
	char digits[21]; // 2^64 has 20
	char* first = digits + sizeof(digits) - 1;
	*first = 0;
	do
	{
		*--first = (char)('0' + value % 10);
		value /= 10;
	} while (value != 0);
	AddString(text, first);
}

static void AddSigned(Text* text, int64_t value)
{
	if (value < 0)
	{
		AddChar(text, '-');
	}
	AddUnsigned(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static bool StartsWith(const char* text, const char* start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

void sgFormat(char* out, size_t size, const char* format, va_list arguments)
{
	Text text = { out, size, 0 };
	out[0] = 0;
	while (*format != 0)
	{
		size_t taken = 2;
		if (StartsWith(format, "%d"))
		{
			AddSigned(&text, va_arg(arguments, int));
		}
		else if (StartsWith(format, "%u"))
		{
			AddUnsigned(&text, va_arg(arguments, unsigned));
		}
		else if (StartsWith(format, "%s"))
		{
			AddString(&text, va_arg(arguments, const char*));
		}
		else if (StartsWith(format, "%c"))
		{
			AddChar(&text, (char)va_arg(arguments, int));
		}
		else if (StartsWith(format, "%zu"))
		{
			AddUnsigned(&text, va_arg(arguments, size_t));
			taken = 3;
		}
		else if (StartsWith(format, "%llu"))
		{
			AddUnsigned(&text, va_arg(arguments, unsigned long long));
			taken = 4;
		}
		else
		{
			AddChar(&text, *format);
			taken = StartsWith(format, "%%") ? 2 : 1;
		}
		format += taken;
	}
}
