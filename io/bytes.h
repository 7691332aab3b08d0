// io/bytes.h: bytes that grow, and compressed as zlib streams.
#ifndef IO_BYTES_H
#define IO_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Zero-initialise; free `data`.
typedef struct ioBytes
{
	uint8_t* data;
	size_t count, capacity;
	bool failed; ///< there was no memory
} ioBytes;

void ioPutByte(ioBytes* b, uint32_t value);

/// Append the stream that decompresses to `data`.
void ioDeflate(ioBytes* out, const uint8_t* data, size_t count);

#endif
