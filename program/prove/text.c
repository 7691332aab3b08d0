#include "program/prove/text.h"

#include "program/commands/terminal.h"
#include "program/files/output.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void proveText_Free(proveText* text)
{
	free(text->bytes);
	*text = (proveText){ .bytes = NULL };
}

// Room for so many more bytes.
static bool Reserve(proveText* text, size_t count)
{
	if (text->failed || text->capacity - text->length >= count)
	{
		return !text->failed;
	}
	const size_t wanted = 2 * text->capacity + count + 256;
	char* grown = realloc(text->bytes, wanted);
	text->failed = grown == NULL;
	text->bytes = grown != NULL ? grown : text->bytes;
	text->capacity = grown != NULL ? wanted : text->capacity;
	return grown != NULL;
}

void proveText_AddBytes(proveText* text, const char* bytes, size_t count)
{
	if (count > 0 && Reserve(text, count))
	{
		memcpy(text->bytes + text->length, bytes, count);
		text->length += count;
	}
}

void proveText_Add(proveText* text, const char* format, ...)
{
	char line[1024];
	va_list arguments;
	va_start(arguments, format);
	const int length = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	text->failed = text->failed || length < 0 || length >= (int)sizeof(line);
	proveText_AddBytes(text, line, text->failed ? 0 : (size_t)length);
}

static void AddHex(proveText* text, uint64_t bits, int digits)
{
	if (Reserve(text, 17))
	{
		char* to = text->bytes + text->length;
		*to++ = ' ';
		for (int i = digits - 1; i >= 0; --i)
		{
			*to++ = "0123456789abcdef"[bits >> (4 * i) & 15];
		}
		text->length += (size_t)digits + 1;
	}
}

void proveText_AddFloats(proveText* text, const float* numbers, size_t count)
{
	for (size_t i = 0; i < count; ++i)
	{
		uint32_t bits;
		memcpy(&bits, numbers + i, sizeof(bits));
		AddHex(text, bits, 8);
	}
}

void proveText_AddDoubles(proveText* text, const double* numbers, size_t count)
{
	for (size_t i = 0; i < count; ++i)
	{
		uint64_t bits;
		memcpy(&bits, numbers + i, sizeof(bits));
		AddHex(text, bits, 16);
	}
}

bool proveText_Write(const proveText* text, const char* path)
{
	ioOutput output = { NULL, NULL, NULL };
	if (text->failed)
	{
		cliError("%s: out of memory", path);
		return false;
	}
	if (!cliOutput_Open(&output, path))
	{
		return false;
	}
	fwrite(text->bytes, 1, text->length, output.stream);
	return cliOutput_Commit(&output);
}
