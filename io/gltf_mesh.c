// Meshes: primitives made one, triangles from lists, strips and fans, morph targets made sparse.
#include "io/gltf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
	mode_triangles = 4,
	mode_strip = 5,
	mode_fan = 6,
};

// ---- What a primitive has --------------------------------------------------------------------------------------

// Positions are floats; KHR_mesh_quantization allows small integers as well. Those of morph targets, which are never
// compressed, have no primitive.
static bool OpenPositions(gltfReader* g, const gltfPrimitive* p, const gltfValue* attributes, uint32_t vertexCount,
    bool required, gltfAccessor* a)
{
	gltfValue place = gltfMember(attributes, "POSITION");
	uint32_t number;
	if (!gltfReadIndex(g, attributes, "POSITION", &g->accessors, required, &number))
	{
		return false;
	}
	a->count = 0;
	if (number == IO_NONE)
	{
		return true;
	}
	if (p != NULL ? !gltfOpenAttribute(g, p, "POSITION", number, a) : !gltfOpenAccessor(g, number, a))
	{
		return false;
	}
	bool typed = a->type == gltf_float32 || (g->quantized && a->type != gltf_uint32);
	if (a->components != 3 || !typed)
	{
		return gltfFail(g, &place, "accessors[%u] is not a VEC3 of floats%s", number,
		    g->quantized || a->type == gltf_float32 ? "" : " (and KHR_mesh_quantization is not used)");
	}
	return vertexCount == 0 || a->count == vertexCount ||
	       gltfFail(g, &place, "accessors[%u] has %u elements for %u vertices", number, a->count, vertexCount);
}

// Strips are unpacked to lists, too. The accessor, if there is one, only says how many there should be.
static bool UnpackIndices(gltfReader* g, gltfPrimitive* p, const gltfValue* place, uint32_t number)
{
	gltfAccessor said = { .count = p->unpacked->indexCount };
	if (p->mode == mode_fan)
	{
		return gltfFail(g, &p->place, "a fan of triangles cannot be compressed");
	}
	if (number != IO_NONE && p->mode == mode_triangles && !gltfDescribeAccessor(g, number, &said))
	{
		return false;
	}
	gltfCorrectCount(g, place, &said, p->unpacked->indexCount);
	p->mode = mode_triangles;
	p->indices = (gltfAccessor){ .count = p->unpacked->indexCount,
		.components = 1,
		.type = gltf_uint32,
		.componentSize = 4,
		.bytes = p->unpacked->bytes,
		.stride = 4 };
	return true;
}

static bool OpenIndices(gltfReader* g, gltfPrimitive* p)
{
	gltfValue place = gltfMember(&p->place, "indices");
	uint32_t number;
	if (!gltfReadIndex(g, &p->place, "indices", &g->accessors, false, &number))
	{
		return false;
	}
	p->indexed = number != IO_NONE || p->unpacked != NULL;
	if (!p->indexed)
	{
		return true;
	}
	if (p->unpacked != NULL)
	{
		return UnpackIndices(g, p, &place, number);
	}
	if (!gltfOpenAccessor(g, number, &p->indices))
	{
		return false;
	}
	gltfComponent type = p->indices.type;
	bool integers = type == gltf_uint8 || type == gltf_uint16 || type == gltf_uint32;
	return (p->indices.components == 1 && integers && !p->indices.normalized) ||
	       gltfFail(g, &place, "accessors[%u] is not a SCALAR of unsigned integers", number);
}

static bool CountTriangles(gltfReader* g, gltfPrimitive* p)
{
	uint32_t corners = p->indexed ? p->indices.count : p->positions.count;
	if (corners < 3 || (p->mode == mode_triangles && corners % 3 != 0))
	{
		return gltfFail(g, &p->place, "%u corners do not make triangles", corners);
	}
	p->triangleCount = p->mode == mode_triangles ? corners / 3 : corners - 2;
	return true;
}

// Each JOINTS_n must have its WEIGHTS_n, without gaps.
static bool CountInfluenceSets(gltfReader* g, gltfPrimitive* p)
{
	uint32_t joints = 0, weights = 0;
	const char* key;
	json_t* value;
	json_object_foreach((json_t*)p->attributes.json, key, value)
	{
		joints += strncmp(key, "JOINTS_", 7) == 0;
		weights += strncmp(key, "WEIGHTS_", 8) == 0;
	}
	for (uint32_t i = 0; i < joints; ++i)
	{
		char jointKey[32], weightKey[32];
		snprintf(jointKey, sizeof(jointKey), "JOINTS_%u", i);
		snprintf(weightKey, sizeof(weightKey), "WEIGHTS_%u", i);
		if (gltfMember(&p->attributes, jointKey).json == NULL || gltfMember(&p->attributes, weightKey).json == NULL)
		{
			return gltfFail(g, &p->attributes, "JOINTS_n and WEIGHTS_n do not pair up: number %u is missing", i);
		}
	}
	p->setCount = joints;
	return joints == weights || gltfFail(g, &p->attributes, "%u JOINTS_n, but %u WEIGHTS_n", joints, weights);
}

// Points and lines are left out, and what has no positions. `used` says whether it is one with triangles.
static bool OpenPrimitive(gltfReader* g, const gltfValue* array, size_t index, gltfPrimitive* p, bool* used)
{
	*used = false;
	p->place = gltfElement(array, index);
	p->attributes = gltfMember(&p->place, "attributes");
	if (!gltfExpectObject(g, &p->place) || !gltfExpectObject(g, &p->attributes) ||
	    !gltfReadCount(g, &p->place, "mode", 0, mode_fan, mode_triangles, &p->mode))
	{
		return false;
	}
	p->unpacked = gltfNextUnpacked(g, &p->place);
	if (p->mode < mode_triangles || gltfMember(&p->attributes, "POSITION").json == NULL)
	{
		gltfWarn(g, &p->place, p->mode < mode_triangles ? "points or lines, left out" : "no POSITION, left out");
		return true;
	}
	*used = true;
	return OpenPositions(g, p, &p->attributes, 0, true, &p->positions) && OpenIndices(g, p) && CountTriangles(g, p) &&
	       CountInfluenceSets(g, p);
}

// ---- Positions and triangles -----------------------------------------------------------------------------------

static bool CheckFinite(gltfReader* g, const gltfValue* place, const float* values, uint32_t count)
{
	for (size_t i = 0; i < 3 * (size_t)count; ++i)
	{
		if (!isfinite(values[i]))
		{
			return gltfFail(g, place, "vertex %zu is not finite", i / 3);
		}
	}
	return true;
}

static bool ReadPositions(gltfReader* g, const gltfPrimitive* p, ioAssetMesh* mesh)
{
	gltfValue place = gltfMember(&p->attributes, "POSITION");
	float* positions = mesh->mesh.positions + 3 * (size_t)p->firstVertex;
	return gltfReadFloats(g, &p->positions, positions) && CheckFinite(g, &place, positions, p->positions.count);
}

// Corner k of triangle i, as the specification numbers them.
static uint32_t CornerOf(uint64_t mode, uint32_t i, uint32_t k)
{
	switch (mode)
	{
		case mode_strip: // every other triangle has two corners swapped, so that all face one way
			return k == 0 ? i : i + (k == 1 ? 1 + i % 2 : 2 - i % 2);
		case mode_fan:
			return k == 2 ? 0 : i + k + 1;
		default:
			return 3 * i + k;
	}
}

static bool ReadTriangles(gltfReader* g, const gltfPrimitive* p, uint32_t* triangles)
{
	gltfValue place = gltfMember(&p->place, "indices");
	uint32_t* indices = NULL;
	if (p->indexed)
	{
		indices = malloc(p->indices.count * sizeof(uint32_t));
		if (indices == NULL || !gltfReadIntegers(g, &p->indices, indices))
		{
			bool outOfMemory = indices == NULL;
			free(indices);
			return outOfMemory ? ioFailMemory(g->loader) : false;
		}
		for (uint32_t i = 0; i < p->indices.count; ++i)
		{
			if (indices[i] >= p->positions.count)
			{
				gltfFail(
				    g, &place, "index %u at place %u is out of range: %u vertices", indices[i], i, p->positions.count);
				free(indices);
				return false;
			}
		}
	}
	for (uint32_t i = 0; i < p->triangleCount; ++i)
	{
		for (uint32_t k = 0; k < 3; ++k)
		{
			uint32_t corner = CornerOf(p->mode, i, k);
			*triangles++ = p->firstVertex + (indices != NULL ? indices[corner] : corner);
		}
	}
	free(indices);
	return true;
}

// ---- Morph targets ---------------------------------------------------------------------------------------------

// Displacements of all vertices by one target.
static bool ReadDeltas(
    gltfReader* g, const gltfPrimitive* primitives, size_t primitiveCount, size_t target, float* deltas)
{
	for (size_t i = 0; i < primitiveCount; ++i)
	{
		const gltfPrimitive* p = primitives + i;
		gltfValue targets = gltfMember(&p->place, "targets"), place = gltfElement(&targets, target);
		gltfValue positions = gltfMember(&place, "POSITION");
		float* values = deltas + 3 * (size_t)p->firstVertex;
		gltfAccessor a;
		if (!gltfExpectObject(g, &place) || !OpenPositions(g, NULL, &place, p->positions.count, false, &a))
		{
			return false;
		}
		if (a.count == 0)
		{
			memset(values, 0, 3 * (size_t)p->positions.count * sizeof(float));
		}
		else if (!gltfReadFloats(g, &a, values) || !CheckFinite(g, &positions, values, a.count))
		{
			return false;
		}
	}
	return true;
}

static bool IsZero(const float* delta)
{
	return delta[0] == 0.0f && delta[1] == 0.0f && delta[2] == 0.0f;
}

// Keep the displacements that are some.
static bool CompressDeltas(gltfReader* g, const float* deltas, uint32_t vertexCount, ioMorphTarget* target)
{
	uint32_t count = 0;
	for (size_t i = 0; i < vertexCount; ++i)
	{
		count += !IsZero(deltas + 3 * i);
	}
	uint32_t* vertices = ioAsset_Allocate(g->loader->asset, count, sizeof(uint32_t));
	float* kept = ioAsset_Allocate(g->loader->asset, count, 3 * sizeof(float));
	if (vertices == NULL || kept == NULL)
	{
		return ioFailMemory(g->loader);
	}
	target->vertices = vertices;
	target->deltas = kept;
	target->count = count;
	for (uint32_t i = 0; i < vertexCount; ++i)
	{
		const float* delta = deltas + 3 * (size_t)i;
		if (!IsZero(delta))
		{
			*vertices++ = i;
			memcpy(kept, delta, 3 * sizeof(float));
			kept += 3;
		}
	}
	return true;
}

static bool ReadTargetNames(gltfReader* g, const gltfValue* place, ioMorphTarget* targets, uint32_t count)
{
	// By a custom that all follow; whatever else is there is not an error.
	gltfValue extras = gltfMember(place, "extras"), names = gltfMember(&extras, "targetNames");
	for (uint32_t i = 0; i < count; ++i)
	{
		const char* name = json_string_value(gltfElement(&names, i).json);
		targets[i].name = name != NULL ? ioAsset_CopyName(g->loader->asset, name) : "";
		if (targets[i].name == NULL)
		{
			return ioFailMemory(g->loader);
		}
	}
	return true;
}

const float* gltfReadWeights(gltfReader* g, const gltfValue* place, uint32_t count)
{
	double* numbers = calloc((size_t)count + 1, sizeof(double));
	float* weights = ioAsset_Allocate(g->loader->asset, count, sizeof(float));
	bool present, read = false;
	if (numbers == NULL || weights == NULL)
	{
		ioFailMemory(g->loader);
	}
	else
	{
		read = gltfReadNumbers(g, place, "weights", count, numbers, &present);
	}
	for (uint32_t i = 0; read && i < count; ++i)
	{
		weights[i] = (float)numbers[i];
	}
	free(numbers);
	return read ? weights : NULL;
}

static bool CountTargets(gltfReader* g, const gltfPrimitive* primitives, size_t primitiveCount, uint32_t* count)
{
	*count = 0;
	for (size_t i = 0; i < primitiveCount; ++i)
	{
		gltfValue targets;
		if (!gltfReadArray(g, &primitives[i].place, "targets", &targets))
		{
			return false;
		}
		uint32_t length = (uint32_t)gltfLength(&targets);
		if (i > 0 && length != *count)
		{
			return gltfFail(
			    g, &primitives[i].place, "%u morph targets, but the primitives before it have %u", length, *count);
		}
		*count = length;
	}
	return true;
}

static bool ReadTargets(
    gltfReader* g, const gltfValue* place, const gltfPrimitive* primitives, size_t primitiveCount, ioAssetMesh* mesh)
{
	uint32_t count, vertexCount = mesh->mesh.vertexCount;
	if (!CountTargets(g, primitives, primitiveCount, &count))
	{
		return false;
	}
	if (count == 0)
	{
		return true;
	}
	if (!gltfSpend(g, place, count, sizeof(ioMorphTarget)))
	{
		return false;
	}
	ioMorphTarget* targets = ioAsset_Allocate(g->loader->asset, count, sizeof(ioMorphTarget));
	float* deltas = malloc(3 * (size_t)vertexCount * sizeof(float));
	if (targets == NULL || deltas == NULL)
	{
		free(deltas);
		return ioFailMemory(g->loader);
	}
	mesh->targets = targets;
	mesh->targetCount = count;
	mesh->targetWeights = gltfReadWeights(g, place, count);
	bool read = mesh->targetWeights != NULL && ReadTargetNames(g, place, targets, count);
	for (uint32_t i = 0; read && i < count; ++i)
	{
		read = gltfSpend(g, place, vertexCount, 12) && ReadDeltas(g, primitives, primitiveCount, i, deltas) &&
		       CompressDeltas(g, deltas, vertexCount, targets + i);
	}
	free(deltas);
	return read;
}

// ---- Meshes ----------------------------------------------------------------------------------------------------

// Positions and triangles of all primitives, in arrays of the right size.
static bool ReadGeometry(
    gltfReader* g, const gltfValue* place, gltfPrimitive* primitives, size_t primitiveCount, ioAssetMesh* mesh)
{
	uint64_t vertices = 0, triangles = 0, indices = 0;
	for (size_t i = 0; i < primitiveCount; ++i)
	{
		primitives[i].firstVertex = (uint32_t)vertices;
		vertices += primitives[i].positions.count;
		triangles += primitives[i].triangleCount;
		indices += primitives[i].indices.count;
		if (vertices > IO_MAX_COUNT || triangles > IO_MAX_COUNT)
		{
			return gltfFail(g, place, "more than %u vertices or triangles", IO_MAX_COUNT);
		}
	}
	if (!gltfSpend(g, place, vertices + triangles, 12) || !gltfSpend(g, place, indices, 4))
	{
		return false;
	}
	mesh->mesh.positions = ioAsset_Allocate(g->loader->asset, (size_t)vertices, 3 * sizeof(float));
	mesh->mesh.triangles = ioAsset_Allocate(g->loader->asset, (size_t)triangles, 3 * sizeof(uint32_t));
	if (mesh->mesh.positions == NULL || mesh->mesh.triangles == NULL)
	{
		return ioFailMemory(g->loader);
	}
	mesh->mesh.vertexCount = (uint32_t)vertices;
	for (size_t i = 0; i < primitiveCount; ++i)
	{
		const gltfPrimitive* p = primitives + i;
		if (!ReadPositions(g, p, mesh) ||
		    !ReadTriangles(g, p, mesh->mesh.triangles + 3 * (size_t)mesh->mesh.triangleCount))
		{
			return false;
		}
		mesh->mesh.triangleCount += p->triangleCount;
	}
	return true;
}

static bool ReadPrimitives(
    gltfReader* g, const gltfValue* place, const gltfValue* array, gltfPrimitive* primitives, ioAssetMesh* mesh)
{
	size_t count = 0, skinned = 0;
	for (size_t i = 0; i < gltfLength(array); ++i)
	{
		bool used;
		if (!OpenPrimitive(g, array, i, primitives + count, &used))
		{
			return false;
		}
		skinned += used && primitives[count].setCount > 0;
		count += used;
	}
	if (!ReadGeometry(g, place, primitives, count, mesh) ||
	    (count > 0 && !ReadTargets(g, place, primitives, count, mesh)))
	{
		return false;
	}
	// A mesh of which only parts have influences cannot be skinned; that is an error once a node wants it to be.
	return count == 0 || skinned < count || gltfReadInfluences(g, place, primitives, count, mesh);
}

bool gltfReadMesh(gltfReader* g, const gltfValue* place, ioAssetMesh* mesh)
{
	gltfValue array;
	if (!gltfExpectObject(g, place) || !gltfReadName(g, place, &mesh->name) ||
	    !gltfReadArray(g, place, "primitives", &array))
	{
		return false;
	}
	if (array.json == NULL)
	{
		return gltfFail(g, &array, "missing");
	}
	gltfPrimitive* primitives = calloc(gltfLength(&array) + 1, sizeof(gltfPrimitive));
	if (primitives == NULL)
	{
		return ioFailMemory(g->loader);
	}
	bool read = ReadPrimitives(g, place, &array, primitives, mesh);
	free(primitives);
	return read;
}
