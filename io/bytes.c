#include "io/bytes.h"

#include <stdlib.h>

#include <zlib.h>

static bool Reserve(ioBytes* b, size_t more)
{
	if (b->capacity - b->count < more)
	{
		size_t capacity = 2 * b->capacity + more + 4096;
		uint8_t* data = realloc(b->data, capacity);
		b->failed = b->failed || data == NULL;
		b->data = data != NULL ? data : b->data;
		b->capacity = data != NULL ? capacity : b->capacity;
	}
	return !b->failed;
}

void ioPutByte(ioBytes* b, uint32_t value)
{
	if (Reserve(b, 1))
	{
		b->data[b->count++] = (uint8_t)value;
	}
}

void ioDeflate(ioBytes* out, const uint8_t* data, size_t count)
{
	static const uint8_t none = 0;
	uLongf size = compressBound((uLong)count);
	if (Reserve(out, size) &&
	    compress2(out->data + out->count, &size, count > 0 ? data : &none, (uLong)count, 9) == Z_OK)
	{
		out->count += size;
	}
	else
	{
		out->failed = true;
	}
}
