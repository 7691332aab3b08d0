// program/prove/text.h: text that grows, and floats in it as the digits of their bits, which every reader has exactly.
#ifndef CLI_PROVE_TEXT_H
#define CLI_PROVE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/// Zero-initialise; free with proveText_Free.
typedef struct proveText
{
	char* bytes; ///< no zero at the end
	size_t length, capacity;
	bool failed; ///< there was no memory: what is there is not whole
} proveText;

void proveText_Free(proveText* text);
void proveText_Add(proveText* text, const char* format, ...);
void proveText_AddBytes(proveText* text, const char* bytes, size_t count);
/// Each with a space before it.
void proveText_AddFloats(proveText* text, const float* numbers, size_t count);
void proveText_AddDoubles(proveText* text, const double* numbers, size_t count);

/// Write it to a file, whole or not at all. Prints what is wrong.
bool proveText_Write(const proveText* text, const char* path);

#endif
