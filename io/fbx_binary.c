// Binary FBX files: a header of 27 bytes, then records, each of which says where it ends.
//
// A record is its end, the number of its values, their size in bytes (each of 4 bytes, or of 8 since version 7500), the
// length of its name in a byte, the name, the values, its children, and a record of zeros if there are any of these.
#include "io/fbx.h"

#include <string.h>

#define HEADER_SIZE 27

typedef struct cursor
{
	fbxTree* tree;
	const uint8_t* bytes;
	size_t next, end;
} cursor;

static bool FailTruncated(const cursor* c)
{
	return ioFail(c->tree->loader, 0, "damaged or truncated at byte %zu", c->next);
}

// A little-endian number that is known to be there.
static uint64_t TakeBits(cursor* c, size_t size)
{
	uint64_t bits = 0;
	for (size_t k = size; k-- > 0;)
	{
		bits = bits << 8 | c->bytes[c->next + k];
	}
	c->next += size;
	return bits;
}

static bool TakeCount(cursor* c, size_t size, uint64_t* count)
{
	*count = 0;
	if (c->end - c->next < size)
	{
		return FailTruncated(c);
	}
	*count = TakeBits(c, size);
	return true;
}

static bool TakeBytes(cursor* c, uint64_t length, fbxText* text)
{
	*text = (fbxText){ "", 0 };
	if (c->end - c->next < length)
	{
		return FailTruncated(c);
	}
	*text = (fbxText){ (const char*)c->bytes + c->next, (size_t)length };
	c->next += (size_t)length;
	return true;
}

static bool ReadArrayValue(cursor* c, char type, fbxValue* value)
{
	uint64_t count, encoding, length;
	if (!TakeCount(c, 4, &count) || !TakeCount(c, 4, &encoding) || !TakeCount(c, 4, &length) ||
	    !TakeBytes(c, length, &value->text))
	{
		return false;
	}
	uint64_t size = type == 'd' || type == 'l' ? 8 : type == 'b' ? 1 : 4;
	// zlib makes at most 1032 bytes of one.
	bool fits = encoding == 1 ? count * size <= 1032 * length + 1032 : count * size == length;
	if (encoding > 1 || !fits)
	{
		return ioFail(c->tree->loader, 0, "an array at byte %zu has not the size that it says", c->next);
	}
	value->type = fbx_array;
	value->elements = type;
	value->deflated = encoding == 1;
	value->count = (uint32_t)count;
	return true;
}

static bool ReadScalar(cursor* c, size_t size, fbxValue* value)
{
	uint64_t bits;
	if (!TakeCount(c, size, &bits))
	{
		return false;
	}
	// Two's complement of the size.
	uint64_t sign = (uint64_t)1 << (8 * size - 1);
	value->type = fbx_integer;
	value->integer = (int64_t)((bits ^ sign) - sign);
	value->number = (double)value->integer;
	return true;
}

static bool ReadReal(cursor* c, size_t size, fbxValue* value)
{
	uint64_t bits;
	if (!TakeCount(c, size, &bits))
	{
		return false;
	}
	uint32_t half = (uint32_t)bits;
	float single;
	memcpy(&single, &half, sizeof(single));
	memcpy(&value->number, &bits, sizeof(value->number));
	value->type = fbx_number;
	value->number = size == 4 ? (double)single : value->number;
	value->integer = value->number > -9e18 && value->number < 9e18 ? (int64_t)value->number : 0;
	return true;
}

static bool ReadValue(cursor* c, fbxValue* value)
{
	uint64_t type, length;
	*value = (fbxValue){ .type = fbx_integer };
	if (!TakeCount(c, 1, &type))
	{
		return false;
	}
	switch ((char)type)
	{
		case 'C':
		case 'B':
		case 'Z':
			return ReadScalar(c, 1, value);
		case 'Y':
			return ReadScalar(c, 2, value);
		case 'I':
			return ReadScalar(c, 4, value);
		case 'L':
			return ReadScalar(c, 8, value);
		case 'F':
			return ReadReal(c, 4, value);
		case 'D':
			return ReadReal(c, 8, value);
		case 'S':
		case 'R':
			value->type = fbx_string;
			return TakeCount(c, 4, &length) && TakeBytes(c, length, &value->text);
		case 'f':
		case 'd':
		case 'i':
		case 'l':
		case 'b':
		case 'c':
			return ReadArrayValue(c, (char)type == 'c' ? 'b' : (char)type, value);
		default:
			return ioFail(c->tree->loader, 0, "a value of an unknown type at byte %zu", c->next - 1);
	}
}

static bool ReadValues(cursor* c, uint64_t count, uint64_t size)
{
	size_t start = c->next;
	for (uint64_t i = 0; i < count; ++i)
	{
		fbxValue value;
		if (!ReadValue(c, &value) || !fbxAddValue(c->tree, value))
		{
			return false;
		}
	}
	return c->next - start == size || FailTruncated(c);
}

// The head of a record. `end` is 0 for the one that ends a list.
static bool ReadHead(cursor* c, uint64_t* end, uint64_t* valueCount, uint64_t* valueSize, fbxText* name)
{
	size_t width = c->tree->version >= 7500 ? 8 : 4, start = c->next;
	uint64_t length;
	if (!TakeCount(c, width, end) || !TakeCount(c, width, valueCount) || !TakeCount(c, width, valueSize) ||
	    !TakeCount(c, 1, &length) || !TakeBytes(c, length, name))
	{
		return false;
	}
	return *end == 0 || (*end > start && *end >= c->next && *end <= c->end) || FailTruncated(c);
}

bool fbxParseBinary(fbxTree* tree)
{
	cursor c = { .tree = tree, .bytes = tree->loader->bytes, .next = HEADER_SIZE, .end = tree->loader->count };
	// Where the records that are open end, their numbers, and their last children so far.
	uint64_t ends[FBX_MAX_DEPTH] = { c.end };
	uint32_t parents[FBX_MAX_DEPTH] = { 0 }, lasts[FBX_MAX_DEPTH] = { 0 };
	int depth = 0;
	if (c.end < HEADER_SIZE)
	{
		return FailTruncated(&c);
	}
	if (c.bytes[22] == 1)
	{
		return ioFail(tree->loader, 0, "a big-endian FBX file: only little-endian ones are read; export it anew");
	}
	c.next = 23;
	tree->version = (uint32_t)TakeBits(&c, 4);
	if (tree->version < 7000)
	{
		return true; // the caller refuses it
	}
	while (depth >= 0)
	{
		uint64_t end = 0, valueCount = 0, valueSize = 0;
		fbxText name;
		bool ended = c.next >= ends[depth];
		if (ended && depth == 0)
		{
			return FailTruncated(&c); // the outermost list has an end of its own: more may be missing than that
		}
		if (!ended && !ReadHead(&c, &end, &valueCount, &valueSize, &name))
		{
			return false;
		}
		if (ended || end == 0) // of the list
		{
			c.next = depth > 0 ? (size_t)ends[depth] : c.next;
			--depth;
			continue;
		}
		if (end > ends[depth] || depth + 1 >= FBX_MAX_DEPTH)
		{
			return FailTruncated(&c);
		}
		if (!fbxAddRecord(tree, parents[depth], lasts + depth, name) || !ReadValues(&c, valueCount, valueSize))
		{
			return false;
		}
		++depth;
		ends[depth] = end;
		parents[depth] = lasts[depth - 1];
		lasts[depth] = 0;
	}
	return true;
}
