// KHR_meshopt_compression and EXT_meshopt_compression, which came before it and is the same but for what it does not
// know: views of buffers that are compressed. meshoptimizer's decoders are made for untrusted input: they stay in the
// memory that they are given, and so they run here, once everything that they only assert is checked.
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

static bool IsMode(const packed* p, const char* mode)
{
	return strcmp(p->mode, mode) == 0;
}

static bool IsFilter(const packed* p, const char* filter)
{
	return strcmp(p->filter, filter) == 0;
}

static bool CheckMode(const gltfReader* g, const gltfValue* place, const packed* p)
{
	bool attributes = IsMode(p, "ATTRIBUTES"), triangles = IsMode(p, "TRIANGLES"), indices = IsMode(p, "INDICES");
	bool fits = attributes ? p->stride % 4 == 0 && p->stride <= 256
	                       : (p->stride == 2 || p->stride == 4) && (!triangles || p->count % 3 == 0);
	bool four = p->stride == 4 || p->stride == 8; // components of 8 or 16 bits
	bool filtered = (four && (IsFilter(p, "OCTAHEDRAL") || IsFilter(p, "COLOR"))) ||
	                (p->stride == 8 && IsFilter(p, "QUATERNION")) || IsFilter(p, "EXPONENTIAL");
	return ((attributes || triangles || indices) && fits && (IsFilter(p, "NONE") || (attributes && filtered))) ||
	       gltfFail(g, place, "mode, filter, byteStride and count do not fit together");
}

#if SNUG_IO_MESHOPT

// Why it cannot be decoded here; null if it can. The filter is for colours, which nobody here reads.
static const char* FindObstacle(const packed* p)
{
	bool isVersion1 = IsMode(p, "ATTRIBUTES") && p->bytes[0] == 0xa1;
	return isVersion1 && MESHOPTIMIZER_VERSION < 230
	           ? "version 1 of ATTRIBUTES, which meshoptimizer decodes since 0.23; this program has an earlier one"
	       : IsFilter(p, "COLOR") ? "the filter COLOR is not supported"
	                              : NULL;
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
	if (IsFilter(p, "OCTAHEDRAL"))
	{
		meshopt_decodeFilterOct(out, count, stride);
	}
	else if (IsFilter(p, "QUATERNION"))
	{
		meshopt_decodeFilterQuat(out, count, stride);
	}
	else if (IsFilter(p, "EXPONENTIAL"))
	{
		meshopt_decodeFilterExp(out, count, stride);
	}
	return true;
}

#else

static const char* FindObstacle(const packed* p)
{
	(void)p;
	return "compressed by meshoptimizer, and this program was built without it (Debian: apt-get install "
	       "libmeshoptimizer-dev, then build it again)";
}

static bool Decode(gltfReader* g, const gltfValue* place, const packed* p, uint8_t* out)
{
	(void)out;
	return gltfFail(g, place, "%s", FindObstacle(p));
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
	if (!ReadPacked(g, place, &p))
	{
		return false;
	}
	if (FindObstacle(&p) != NULL)
	{
		// A file that does not require the extension has the same uncompressed beside it.
		return !g->packedOnly || gltfFail(g, place, "%s", FindObstacle(&p));
	}
	if (!gltfSpend(g, place, p.count, p.stride))
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
