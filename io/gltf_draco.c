// KHR_draco_mesh_compression: primitives whose indices and attributes are in one compressed block. All blocks of a file
// are decoded at once, by a program of its own (io/import.h), before anything else is read.
//
// How many vertices and indices there are, the block says: accessors should say the same, and in many files do not.
// Blocks belong to primitives, not to accessors: several primitives may have one accessor, each with a block of its
// own.
#include "io/gltf.h"

#include <stdlib.h>
#include <string.h>

#if SNUG_IO_DRACO

#include "io/grow.h"
#include "io/import.h"

#define MAX_ATTRIBUTES 64 // that are wanted of one primitive; for each, those before it are gone through

// The request as it grows.
typedef struct request
{
	uint8_t* bytes;
	size_t count, capacity;
} request;

static bool Add(request* q, const void* bytes, size_t count)
{
	if (!ioGrow(&q->bytes, &q->capacity, q->count + count, 1))
	{
		return false;
	}
	memcpy(q->bytes + q->count, bytes, count);
	q->count += count;
	return true;
}

static bool AddNumber(request* q, uint64_t number)
{
	uint32_t narrow = (uint32_t)number;
	return Add(q, &narrow, sizeof(narrow));
}

static gltfValue FindPacked(const gltfValue* primitive, gltfValue* extensions)
{
	*extensions = gltfMember(primitive, "extensions");
	return gltfMember(extensions, "KHR_draco_mesh_compression");
}

// An attribute that is compressed and that the reader wants.
static bool IsWanted(const gltfValue* attributes, const char* name)
{
	bool known = strcmp(name, "POSITION") == 0 || strncmp(name, "JOINTS_", 7) == 0 || strncmp(name, "WEIGHTS_", 8) == 0;
	return known && gltfMember(attributes, name).json != NULL;
}

// ---- The request -----------------------------------------------------------------------------------------------

static bool AddAttributes(gltfReader* g, const gltfValue* attributes, const gltfValue* ids, request* q, uint32_t* size)
{
	const char* name;
	json_t* json;
	uint32_t count = 0;
	*size = 0;
	json_object_foreach((json_t*)ids->json, name, json)
	{
		count += IsWanted(attributes, name);
	}
	if (count > MAX_ATTRIBUTES)
	{
		return gltfFail(g, ids, "more than %d attributes", MAX_ATTRIBUTES);
	}
	if (!AddNumber(q, count))
	{
		return ioFailMemory(g->loader);
	}
	json_object_foreach((json_t*)ids->json, name, json)
	{
		gltfAccessor a;
		uint32_t number;
		uint64_t id;
		if (!IsWanted(attributes, name))
		{
			continue;
		}
		if (!gltfReadIndex(g, attributes, name, &g->accessors, true, &number) ||
		    !gltfReadCount(g, ids, name, 0, UINT32_MAX, UINT64_MAX, &id) || !gltfDescribeAccessor(g, number, &a))
		{
			return false;
		}
		if (!AddNumber(q, id) || !AddNumber(q, a.type) || !AddNumber(q, (uint64_t)a.components))
		{
			return ioFailMemory(g->loader);
		}
		*size += (uint32_t)(a.componentSize * (size_t)a.components);
	}
	return true;
}

static bool AddPrimitive(gltfReader* g, const gltfValue* primitive, const gltfValue* packed, request* q)
{
	gltfValue attributes = gltfMember(primitive, "attributes"), ids = gltfMember(packed, "attributes");
	uint32_t view;
	const uint8_t* bytes;
	uint64_t count, stride;
	if (!gltfExpectObject(g, packed) || !gltfExpectObject(g, &attributes) || !gltfExpectObject(g, &ids) ||
	    !gltfReadIndex(g, packed, "bufferView", &g->bufferViews, true, &view) ||
	    !gltfGetView(g, view, &bytes, &count, &stride))
	{
		return false;
	}
	if (count > UINT32_MAX)
	{
		return gltfFail(g, packed, "more than 4 GiB");
	}
	if ((g->unpackedCount & (g->unpackedCount - 1)) == 0) // room for the next power of two
	{
		size_t capacity = g->unpackedCount > 0 ? 2 * (size_t)g->unpackedCount : 1;
		gltfUnpacked* grown = realloc(g->unpacked, capacity * sizeof(gltfUnpacked));
		if (grown == NULL)
		{
			return ioFailMemory(g->loader);
		}
		g->unpacked = grown;
	}
	gltfUnpacked* unpacked = g->unpacked + g->unpackedCount++;
	return (AddNumber(q, count) && Add(q, bytes, (size_t)count) ? true : ioFailMemory(g->loader)) &&
	       AddAttributes(g, &attributes, &ids, q, &unpacked->vertexSize);
}

static bool AddPrimitives(gltfReader* g, request* q)
{
	for (size_t m = 0; m < gltfLength(&g->meshes); ++m)
	{
		gltfValue mesh = gltfElement(&g->meshes, m), primitives = gltfMember(&mesh, "primitives");
		for (size_t i = 0; i < gltfLength(&primitives); ++i)
		{
			gltfValue primitive = gltfElement(&primitives, i), extensions;
			gltfValue packed = FindPacked(&primitive, &extensions);
			if (packed.json != NULL && !AddPrimitive(g, &primitive, &packed, q))
			{
				return false;
			}
		}
	}
	return true;
}

// ---- The answer ------------------------------------------------------------------------------------------------

static bool TakeApart(gltfReader* g, const uint8_t* answer, size_t count)
{
	for (uint32_t i = 0; i < g->unpackedCount; ++i)
	{
		gltfUnpacked* u = g->unpacked + i;
		if (count < 8)
		{
			return false;
		}
		memcpy(&u->vertexCount, answer, 4);
		memcpy(&u->indexCount, answer + 4, 4);
		u->bytes = answer + 8;
		uint64_t size = 4 * (uint64_t)u->indexCount + (uint64_t)u->vertexCount * u->vertexSize; // below 2^45
		if (size > count - 8)
		{
			return false;
		}
		answer += 8 + size;
		count -= 8 + (size_t)size;
	}
	return count == 0;
}

static bool Decode(gltfReader* g, request* q)
{
	char reason[160];
	size_t count, most = g->loader->budget < SIZE_MAX / 2 ? (size_t)g->loader->budget : SIZE_MAX / 2;
	memcpy(q->bytes + 4, &g->unpackedCount, 4);
	uint8_t* answer = ioImport(q->bytes, q->count, most, &count, reason);
	if (answer == NULL)
	{
		return gltfFail(g, &g->meshes, "KHR_draco_mesh_compression: %s", reason);
	}
	if (!ioAsset_Adopt(g->loader->asset, answer))
	{
		return ioFailMemory(g->loader);
	}
	return gltfSpend(g, &g->meshes, count, 1) &&
	       (TakeApart(g, answer, count) ||
	           gltfFail(g, &g->meshes, "KHR_draco_mesh_compression: the decoder's answer is not whole"));
}

bool gltfDecodeDraco(gltfReader* g)
{
	request q = { .count = 0 };
	bool read = AddNumber(&q, IMPORT_MAGIC) && AddNumber(&q, 0) ? AddPrimitives(g, &q) : ioFailMemory(g->loader);
	read = read && (g->unpackedCount == 0 || Decode(g, &q));
	free(q.bytes);
	return read;
}

// ---- Primitives ------------------------------------------------------------------------------------------------

const gltfUnpacked* gltfNextUnpacked(gltfReader* g, const gltfValue* primitive)
{
	gltfValue extensions;
	return FindPacked(primitive, &extensions).json != NULL ? g->unpacked + g->unpackedUsed++ : NULL;
}

bool gltfOpenAttribute(gltfReader* g, const gltfPrimitive* p, const char* name, uint32_t number, gltfAccessor* a)
{
	gltfValue extensions, packed = FindPacked(&p->place, &extensions), ids = gltfMember(&packed, "attributes");
	const char* other;
	json_t* json;
	if (p->unpacked == NULL || gltfMember(&ids, name).json == NULL)
	{
		return gltfOpenAccessor(g, number, a);
	}
	const uint8_t* bytes = p->unpacked->bytes + 4 * (size_t)p->unpacked->indexCount;
	json_object_foreach((json_t*)ids.json, other, json)
	{
		uint32_t otherNumber;
		bool wanted = IsWanted(&p->attributes, other);
		if (wanted && (!gltfReadIndex(g, &p->attributes, other, &g->accessors, true, &otherNumber) ||
		                  !gltfDescribeAccessor(g, otherNumber, a)))
		{
			return false;
		}
		if (wanted)
		{
			a->stride = a->componentSize * (size_t)a->components;
			a->bytes = bytes;
			bytes += p->unpacked->vertexCount * a->stride;
		}
		if (strcmp(other, name) == 0)
		{
			break;
		}
	}
	gltfValue place = gltfMember(&p->attributes, name);
	gltfCorrectCount(g, &place, a, p->unpacked->vertexCount);
	return true;
}

#else

// Files may have the same uncompressed beside it: then the extension is used and not required.
bool gltfDecodeDraco(gltfReader* g)
{
	(void)g;
	return true;
}

const gltfUnpacked* gltfNextUnpacked(gltfReader* g, const gltfValue* primitive)
{
	(void)g;
	(void)primitive;
	return NULL;
}

bool gltfOpenAttribute(gltfReader* g, const gltfPrimitive* p, const char* name, uint32_t number, gltfAccessor* a)
{
	(void)p;
	(void)name;
	return gltfOpenAccessor(g, number, a);
}

#endif

void gltfCorrectCount(gltfReader* g, const gltfValue* place, gltfAccessor* a, uint32_t count)
{
	if (a->count != count)
	{
		gltfWarn(g, place, "accessors[%u] has %u elements; the compressed data have %u, which count", a->number,
		    a->count, count);
		a->count = count;
	}
}
