// io/deflate.h: compress bytes as zlib streams (RFC 1950, 1951) do.
#ifndef IO_DEFLATE_H
#define IO_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes that grow. Zero-initialise; free `data`.
typedef struct ioBytes
{
	uint8_t* data;
	size_t count, capacity;
	uint64_t bits; ///< not yet written, lowest first
	int bitCount;
	bool failed; ///< there was no memory
} ioBytes;

void ioPutByte(ioBytes* b, uint32_t value);
/// Highest byte first.
void ioPutWord(ioBytes* b, uint32_t value);

/// Append the stream that decompresses to `data`.
void ioDeflate(ioBytes* out, const uint8_t* data, size_t count);

#endif
