// KHR_draco_mesh_compression: primitives whose indices and attributes are in one compressed block. All blocks of a file
// are decoded at once, by a program of its own (io/import.h), before anything else is read; what comes back stands in
// for the bytes of accessors.
#include "io/gltf.h"

#include <stdlib.h>
#include <string.h>

#if SNUG_IO_DRACO

#include "io/import.h"

// The request as it grows, and how long the answer will be.
typedef struct request
{
	uint8_t* bytes;
	size_t count, capacity;
	uint64_t answer;
	uint32_t meshes;
} request;

static bool Add(request* q, const void* bytes, size_t count)
{
	if (q->capacity - q->count < count)
	{
		size_t capacity = q->capacity + q->capacity / 2 + count + 1024;
		uint8_t* grown = realloc(q->bytes, capacity);
		if (grown == NULL)
		{
			return false;
		}
		q->bytes = grown;
		q->capacity = capacity;
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

// An attribute that is compressed and that the reader wants.
static bool IsWanted(const char* name)
{
	return strcmp(name, "POSITION") == 0 || strncmp(name, "JOINTS_", 7) == 0 || strncmp(name, "WEIGHTS_", 8) == 0;
}

// Call `visit` for the indices and each wanted attribute of a compressed primitive, in the order of the answer.
typedef bool visitFcn(gltfReader* g, void* user, const gltfAccessor* accessor, bool indices, uint64_t id);

static bool VisitAttributes(
    gltfReader* g, const gltfValue* primitive, const gltfValue* packed, visitFcn* visit, void* user)
{
	gltfValue attributes = gltfMember(primitive, "attributes"), ids = gltfMember(packed, "attributes");
	const char* name;
	json_t* json;
	if (!gltfExpectObject(g, &attributes) || !gltfExpectObject(g, &ids))
	{
		return false;
	}
	json_object_foreach((json_t*)ids.json, name, json)
	{
		gltfAccessor a;
		uint32_t number;
		uint64_t id;
		if (IsWanted(name) && gltfMember(&attributes, name).json != NULL &&
		    (!gltfReadIndex(g, &attributes, name, &g->accessors, true, &number) ||
		        !gltfReadCount(g, &ids, name, 0, UINT32_MAX, UINT64_MAX, &id) || !gltfOpenAccessor(g, number, &a) ||
		        !visit(g, user, &a, false, id)))
		{
			return false;
		}
	}
	return true;
}

// ---- The request -----------------------------------------------------------------------------------------------

// Numbers of an attribute list, first counted, then written.
typedef struct attributeList
{
	request* q; // null: count
	uint32_t count, vertices;
	bool same;
} attributeList;

static bool VisitForRequest(gltfReader* g, void* user, const gltfAccessor* a, bool indices, uint64_t id)
{
	attributeList* list = user;
	(void)indices;
	if (list->q == NULL)
	{
		list->same = list->same && (list->count == 0 || list->vertices == a->count);
		list->vertices = a->count;
		list->count++;
		return true;
	}
	list->q->answer += (uint64_t)a->count * a->componentSize * (uint64_t)a->components;
	return (AddNumber(list->q, id) && AddNumber(list->q, a->type) && AddNumber(list->q, (uint64_t)a->components)) ||
	       ioFailMemory(g->loader);
}

static bool AddPrimitive(gltfReader* g, const gltfValue* primitive, const gltfValue* packed, request* q)
{
	uint32_t view, number;
	const uint8_t* bytes;
	uint64_t count, stride;
	gltfAccessor indices;
	attributeList list = { .same = true };
	if (!gltfExpectObject(g, packed) || !gltfReadIndex(g, packed, "bufferView", &g->bufferViews, true, &view) ||
	    !gltfGetView(g, view, &bytes, &count, &stride) ||
	    !gltfReadIndex(g, primitive, "indices", &g->accessors, true, &number) ||
	    !gltfOpenAccessor(g, number, &indices) || !VisitAttributes(g, primitive, packed, VisitForRequest, &list))
	{
		return false;
	}
	if (!list.same || list.count == 0 || count > UINT32_MAX)
	{
		return gltfFail(g, packed, "no POSITION, or accessors of different counts");
	}
	bool added = AddNumber(q, count) && Add(q, bytes, (size_t)count) && AddNumber(q, indices.count) &&
	             AddNumber(q, list.vertices) && AddNumber(q, list.count);
	list.q = q;
	q->answer += 4 * (uint64_t)indices.count;
	q->meshes++;
	return (added || ioFailMemory(g->loader)) && VisitAttributes(g, primitive, packed, VisitForRequest, &list);
}

// ---- The answer ------------------------------------------------------------------------------------------------

typedef struct answerReader
{
	const uint8_t* next;
} answerReader;

static bool VisitForAnswer(gltfReader* g, void* user, const gltfAccessor* a, bool indices, uint64_t id)
{
	answerReader* answer = user;
	(void)id;
	g->replaced[a->number] =
	    (gltfReplaced){ .bytes = answer->next, .componentSize = indices ? 4 : a->componentSize, .isIndex = indices };
	answer->next += (uint64_t)a->count * (indices ? 4 : a->componentSize * (size_t)a->components);
	return true;
}

static bool ReplacePrimitive(gltfReader* g, const gltfValue* primitive, const gltfValue* packed, answerReader* answer)
{
	uint32_t number;
	gltfAccessor indices;
	return gltfReadIndex(g, primitive, "indices", &g->accessors, true, &number) &&
	       gltfOpenAccessor(g, number, &indices) && VisitForAnswer(g, answer, &indices, true, 0) &&
	       VisitAttributes(g, primitive, packed, VisitForAnswer, answer);
}

// ---- All of a file ---------------------------------------------------------------------------------------------

// Walk over the compressed primitives: for the request, or, with an answer, to take it apart.
static bool VisitAll(gltfReader* g, request* q, answerReader* answer)
{
	for (size_t m = 0; m < gltfLength(&g->meshes); ++m)
	{
		gltfValue mesh = gltfElement(&g->meshes, m), primitives = gltfMember(&mesh, "primitives");
		for (size_t i = 0; i < gltfLength(&primitives); ++i)
		{
			gltfValue primitive = gltfElement(&primitives, i), extensions = gltfMember(&primitive, "extensions");
			gltfValue packed = gltfMember(&extensions, "KHR_draco_mesh_compression");
			if (packed.json != NULL && !(answer != NULL ? ReplacePrimitive(g, &primitive, &packed, answer)
			                                            : AddPrimitive(g, &primitive, &packed, q)))
			{
				return false;
			}
		}
	}
	return true;
}

static bool Decode(gltfReader* g, request* q)
{
	char reason[160];
	memcpy(q->bytes + 4, &q->meshes, 4);
	if (!gltfSpend(g, &g->meshes, q->answer, 1))
	{
		return false;
	}
	uint8_t* answer = ioAsset_Allocate(g->loader->asset, (size_t)q->answer + 1, 1);
	g->replaced = calloc(gltfLength(&g->accessors) + 1, sizeof(gltfReplaced));
	if (answer == NULL || g->replaced == NULL)
	{
		return ioFailMemory(g->loader);
	}
	if (!ioImport(q->bytes, q->count, answer, (size_t)q->answer, reason))
	{
		return gltfFail(g, &g->meshes, "KHR_draco_mesh_compression: %s", reason);
	}
	answerReader reader = { .next = answer };
	return VisitAll(g, NULL, &reader);
}

bool gltfDecodeDraco(gltfReader* g)
{
	request q = { .count = 0 };
	bool read = AddNumber(&q, IMPORT_MAGIC) && AddNumber(&q, 0) ? VisitAll(g, &q, NULL) : ioFailMemory(g->loader);
	read = read && (q.meshes == 0 || Decode(g, &q));
	free(q.bytes);
	return read;
}

#else

// Files may have the same uncompressed beside it: then the extension is used and not required.
bool gltfDecodeDraco(gltfReader* g)
{
	(void)g;
	return true;
}

#endif
