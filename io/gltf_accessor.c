// Accessors: typed arrays in buffer views, dense, sparse or both; without a view they are zeros.
#include "io/gltf.h"

#include <string.h>

static bool ReadType(const gltfReader* g, const gltfValue* place, int* components)
{
	static const struct
	{
		const char* name;
		int components;
	} types[] = { { "SCALAR", 1 }, { "VEC2", 2 }, { "VEC3", 3 }, { "VEC4", 4 }, { "MAT2", 5 }, { "MAT3", 6 },
		{ "MAT4", 16 } };
	gltfValue typePlace = gltfMember(place, "type");
	const char* name;
	if (!gltfReadString(g, place, "type", &name))
	{
		return false;
	}
	for (size_t i = 0; name != NULL && i < sizeof(types) / sizeof(types[0]); ++i)
	{
		if (strcmp(name, types[i].name) == 0)
		{
			*components = types[i].components;
			return true;
		}
	}
	return gltfFail(g, &typePlace, name != NULL ? "unknown" : "missing");
}

static size_t ComponentSize(uint64_t type)
{
	switch (type)
	{
		case gltf_int8:
		case gltf_uint8:
			return 1;
		case gltf_int16:
		case gltf_uint16:
			return 2;
		case gltf_uint32:
		case gltf_float32:
			return 4;
		default:
			return 0;
	}
}

static bool ReadComponentType(
    const gltfReader* g, const gltfValue* place, bool isIndex, gltfComponent* type, size_t* size)
{
	gltfValue typePlace = gltfMember(place, "componentType");
	uint64_t number;
	if (!gltfReadCount(g, place, "componentType", 0, UINT64_MAX, UINT64_MAX, &number))
	{
		return false;
	}
	*size = ComponentSize(number);
	if (*size == 0 || (isIndex && number != gltf_uint8 && number != gltf_uint16 && number != gltf_uint32))
	{
		return gltfFail(g, &typePlace, "%llu is not a type that fits", (unsigned long long)number);
	}
	*type = (gltfComponent)number;
	return true;
}

// `count` elements of `size` bytes, `stride` apart (0: packed), from an offset into a view: all there?
static bool OpenBytes(
    gltfReader* g, const gltfValue* place, uint64_t count, uint64_t size, const uint8_t** bytes, uint64_t* stride)
{
	uint32_t view;
	uint64_t offset, length, viewStride;
	*bytes = NULL;
	if (!gltfReadIndex(g, place, "bufferView", &g->bufferViews, false, &view) ||
	    !gltfReadCount(g, place, "byteOffset", 0, UINT64_MAX, 0, &offset))
	{
		return false;
	}
	*stride = size;
	if (view == IO_NONE)
	{
		return true;
	}
	if (!gltfGetView(g, view, bytes, &length, &viewStride))
	{
		return false;
	}
	if (viewStride != 0 && viewStride < size)
	{
		return gltfFail(g, place, "elements of %llu bytes, but a stride of %llu in bufferViews[%u]",
		    (unsigned long long)size, (unsigned long long)viewStride, view);
	}
	*stride = viewStride != 0 ? viewStride : size;
	// count < 2^32 and stride < 256: no overflow.
	uint64_t needed = *stride * (count - 1) + size;
	if (offset > length || needed > length - offset)
	{
		return gltfFail(g, place, "needs %llu bytes from %llu on, but bufferViews[%u] has %llu",
		    (unsigned long long)needed, (unsigned long long)offset, view, (unsigned long long)length);
	}
	*bytes += offset;
	return true;
}

static bool OpenSparse(gltfReader* g, const gltfValue* place, gltfAccessor* a)
{
	gltfValue sparse = gltfMember(place, "sparse");
	gltfValue indices = gltfMember(&sparse, "indices"), values = gltfMember(&sparse, "values");
	uint64_t count, stride;
	size_t size;
	if (sparse.json == NULL)
	{
		return true;
	}
	if (!gltfExpectObject(g, &sparse) || !gltfReadCount(g, &sparse, "count", 1, a->count, UINT64_MAX, &count) ||
	    !gltfExpectObject(g, &indices) || !gltfExpectObject(g, &values) ||
	    !ReadComponentType(g, &indices, true, &a->sparseType, &size) ||
	    !OpenBytes(g, &indices, count, size, &a->sparseIndices, &stride))
	{
		return false;
	}
	size_t elementSize = a->componentSize * (size_t)a->components;
	if (a->sparseIndices == NULL || stride != size)
	{
		return gltfFail(g, &indices, "needs a bufferView without stride");
	}
	if (!OpenBytes(g, &values, count, elementSize, &a->sparseValues, &stride))
	{
		return false;
	}
	if (a->sparseValues == NULL || stride != elementSize)
	{
		return gltfFail(g, &values, "needs a bufferView without stride");
	}
	a->sparseCount = (uint32_t)count;
	return true;
}

bool gltfDescribeAccessor(gltfReader* g, uint32_t number, gltfAccessor* a)
{
	gltfValue place = gltfElement(&g->accessors, number), normalized = gltfMember(&place, "normalized");
	uint64_t count;
	*a = (gltfAccessor){ .number = number };
	if (!gltfExpectObject(g, &place) || !ReadType(g, &place, &a->components) ||
	    !ReadComponentType(g, &place, false, &a->type, &a->componentSize) ||
	    !gltfReadCount(g, &place, "count", 1, UINT32_MAX - 1, UINT64_MAX, &count))
	{
		return false;
	}
	if (normalized.json != NULL && !json_is_boolean(normalized.json))
	{
		return gltfFail(g, &normalized, "true or false expected");
	}
	a->normalized = json_is_true(normalized.json);
	if (a->normalized && (a->type == gltf_float32 || a->type == gltf_uint32))
	{
		return gltfFail(g, &normalized, "floats and 32-bit integers are never normalized");
	}
	if (a->components == 5 || a->components == 6)
	{
		return gltfFail(g, &place, "a matrix of this size has no use here");
	}
	a->count = (uint32_t)count;
	return true;
}

bool gltfOpenAccessor(gltfReader* g, uint32_t number, gltfAccessor* a)
{
	gltfValue place = gltfElement(&g->accessors, number);
	return gltfDescribeAccessor(g, number, a) &&
	       OpenBytes(g, &place, a->count, a->componentSize * (size_t)a->components, &a->bytes, &a->stride) &&
	       OpenSparse(g, &place, a);
}

// ---- Values ----------------------------------------------------------------------------------------------------

static uint32_t LoadBits(const uint8_t* p, size_t size)
{
	return size == 4   ? (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24
	       : size == 2 ? (uint32_t)p[0] | (uint32_t)p[1] << 8
	                   : p[0];
}

static float LoadFloat(const uint8_t* p, gltfComponent type, bool normalized)
{
	uint32_t bits = LoadBits(p, ComponentSize(type));
	float value;
	switch (type)
	{
		case gltf_int8:
			value = (float)(int8_t)bits / (normalized ? 127.0f : 1.0f);
			return normalized && value < -1.0f ? -1.0f : value;
		case gltf_int16:
			value = (float)(int16_t)bits / (normalized ? 32767.0f : 1.0f);
			return normalized && value < -1.0f ? -1.0f : value;
		case gltf_uint8:
			return (float)bits / (normalized ? 255.0f : 1.0f);
		case gltf_uint16:
			return (float)bits / (normalized ? 65535.0f : 1.0f);
		case gltf_float32:
			memcpy(&value, &bits, sizeof(value));
			return value;
		default:
			return (float)bits;
	}
}

static void LoadElementFloats(const gltfAccessor* a, const uint8_t* p, float* values)
{
	for (int k = 0; k < a->components; ++k)
	{
		values[k] = LoadFloat(p + (size_t)k * a->componentSize, a->type, a->normalized);
	}
}

static void LoadElementIntegers(const gltfAccessor* a, const uint8_t* p, uint32_t* values)
{
	for (int k = 0; k < a->components; ++k)
	{
		values[k] = LoadBits(p + (size_t)k * a->componentSize, a->componentSize);
	}
}

// The element that the next sparse value replaces: they must ascend.
static bool NextSparse(gltfReader* g, const gltfAccessor* a, uint32_t i, uint32_t* element)
{
	size_t size = ComponentSize(a->sparseType);
	uint32_t index = LoadBits(a->sparseIndices + i * size, size);
	if (index < a->count && (i == 0 || index > *element))
	{
		*element = index;
		return true;
	}
	gltfValue place = gltfElement(&g->accessors, a->number), sparse = gltfMember(&place, "sparse");
	gltfValue indices = gltfMember(&sparse, "indices");
	return gltfFail(g, &indices, "index %u at place %u is %s", index, i,
	    index < a->count ? "not above the one before" : "out of range");
}

bool gltfReadFloats(gltfReader* g, const gltfAccessor* a, float* values)
{
	size_t components = (size_t)a->components;
	uint32_t element = 0;
	if (a->bytes == NULL)
	{
		memset(values, 0, a->count * components * sizeof(float));
	}
	for (size_t i = 0; a->bytes != NULL && i < a->count; ++i)
	{
		LoadElementFloats(a, a->bytes + i * a->stride, values + i * components);
	}
	for (uint32_t i = 0; i < a->sparseCount; ++i)
	{
		if (!NextSparse(g, a, i, &element))
		{
			return false;
		}
		LoadElementFloats(a, a->sparseValues + i * components * a->componentSize, values + element * components);
	}
	return true;
}

bool gltfReadIntegers(gltfReader* g, const gltfAccessor* a, uint32_t* values)
{
	size_t components = (size_t)a->components;
	uint32_t element = 0;
	if (a->bytes == NULL)
	{
		memset(values, 0, a->count * components * sizeof(uint32_t));
	}
	for (size_t i = 0; a->bytes != NULL && i < a->count; ++i)
	{
		LoadElementIntegers(a, a->bytes + i * a->stride, values + i * components);
	}
	for (uint32_t i = 0; i < a->sparseCount; ++i)
	{
		if (!NextSparse(g, a, i, &element))
		{
			return false;
		}
		LoadElementIntegers(a, a->sparseValues + i * components * a->componentSize, values + element * components);
	}
	return true;
}
