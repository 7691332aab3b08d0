// EXT_meshopt_compression: views of buffers that are compressed. meshoptimizer's decoders are made for untrusted input:
// they stay in the memory that they are given, and so they run here, once everything that they only assert is checked.
#include "io/gltf.h"

#include <stdlib.h>
#include <string.h>

#if SNUG_IO_MESHOPT
#include <meshoptimizer.h>
#endif

// What the extension says of a view.
typedef struct packed
{
	const uint8_t* bytes;
	uint64_t length, stride, count;
	const char *mode, *filter;
} packed;

#if SNUG_IO_MESHOPT

static bool IsMode(const packed* p, const char* mode)
{
	return strcmp(p->mode, mode) == 0;
}

static bool CheckMode(const gltfReader* g, const gltfValue* place, const packed* p)
{
	bool attributes = IsMode(p, "ATTRIBUTES"), triangles = IsMode(p, "TRIANGLES"), indices = IsMode(p, "INDICES");
	bool fits = attributes ? p->stride % 4 == 0 && p->stride <= 256
	                       : (p->stride == 2 || p->stride == 4) && (!triangles || p->count % 3 == 0);
	bool none = strcmp(p->filter, "NONE") == 0, quaternion = strcmp(p->filter, "QUATERNION") == 0;
	bool octahedral = strcmp(p->filter, "OCTAHEDRAL") == 0, exponential = strcmp(p->filter, "EXPONENTIAL") == 0;
	bool filtered = none || (attributes && ((octahedral && (p->stride == 4 || p->stride == 8)) ||
	                                           (quaternion && p->stride == 8) || exponential));
	return ((attributes || triangles || indices) && fits && filtered) ||
	       gltfFail(g, place, "mode, filter, byteStride and count do not fit together");
}

static bool Decode(gltfReader* g, const gltfValue* place, const packed* p, uint8_t* out)
{
	size_t count = (size_t)p->count, stride = (size_t)p->stride, length = (size_t)p->length;
	int failure = IsMode(p, "ATTRIBUTES")  ? meshopt_decodeVertexBuffer(out, count, stride, p->bytes, length)
	              : IsMode(p, "TRIANGLES") ? meshopt_decodeIndexBuffer(out, count, stride, p->bytes, length)
	                                       : meshopt_decodeIndexSequence(out, count, stride, p->bytes, length);
	if (failure != 0)
	{
		return gltfFail(g, place, "damaged data");
	}
	if (strcmp(p->filter, "OCTAHEDRAL") == 0)
	{
		meshopt_decodeFilterOct(out, count, stride);
	}
	else if (strcmp(p->filter, "QUATERNION") == 0)
	{
		meshopt_decodeFilterQuat(out, count, stride);
	}
	else if (strcmp(p->filter, "EXPONENTIAL") == 0)
	{
		meshopt_decodeFilterExp(out, count, stride);
	}
	return true;
}

#else

static bool CheckMode(const gltfReader* g, const gltfValue* place, const packed* p)
{
	(void)p;
	return gltfFail(g, place, "compressed by meshoptimizer, and this program was built without it");
}

static bool Decode(gltfReader* g, const gltfValue* place, const packed* p, uint8_t* out)
{
	(void)out;
	return CheckMode(g, place, p);
}

#endif

static bool ReadPacked(gltfReader* g, const gltfValue* place, packed* p)
{
	uint64_t stride;
	if (!gltfExpectObject(g, place) || !gltfGetBytes(g, place, &p->bytes, &p->length, &stride, 256) ||
	    !gltfReadCount(g, place, "byteStride", 1, 256, UINT64_MAX, &p->stride) ||
	    !gltfReadCount(g, place, "count", 1, IO_MAX_COUNT, UINT64_MAX, &p->count) ||
	    !gltfReadString(g, place, "mode", &p->mode) || !gltfReadString(g, place, "filter", &p->filter))
	{
		return false;
	}
	p->mode = p->mode != NULL ? p->mode : "";
	p->filter = p->filter != NULL ? p->filter : "NONE";
	return CheckMode(g, place, p);
}

bool gltfUnpackView(gltfReader* g, const gltfValue* place, gltfView* view)
{
	packed p;
	if (!ReadPacked(g, place, &p) || !gltfSpend(g, place, p.count, p.stride))
	{
		return false;
	}
	// Filters work on four elements at once.
	uint8_t* bytes = ioAsset_Allocate(g->loader->asset, (size_t)p.count + 4, (size_t)p.stride);
	if (bytes == NULL)
	{
		return ioFailMemory(g->loader);
	}
	view->bytes = bytes;
	view->count = p.count * p.stride;
	return Decode(g, place, &p, bytes);
}
