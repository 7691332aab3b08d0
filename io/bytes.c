#include "io/bytes.h"

#include "io/grow.h"

#include <zlib.h>

static bool Reserve(ioBytes* b, size_t more)
{
	b->failed = !ioGrow(&b->data, &b->capacity, b->count + more, 1) || b->failed;
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
