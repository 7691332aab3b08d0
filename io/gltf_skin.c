// Skins, and the influences that bind vertices to them.
#include "io/gltf.h"
#include "io/weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Influences ------------------------------------------------------------------------------------------------

// All JOINTS_n and WEIGHTS_n of a primitive, set after set, four per vertex.
typedef struct sets
{
	uint32_t* joints;
	float* weights;
	uint32_t setCount, vertexCount;
} sets;

// Influences being written one vertex after the other. `slots` finds the place of a joint in the present vertex.
typedef struct writer
{
	uint32_t* start;
	uint16_t* joints;
	float* weights;
	uint32_t vertex, count, maxJoint;
	uint32_t* slots; // per joint: the place of its influence plus 1, if that is not below the vertex's first
	ioWeightRepairs repairs;
} writer;

static bool OpenSet(gltfReader* g, const gltfPrimitive* p, const char* key, gltfAccessor* a)
{
	gltfValue place = gltfMember(&p->attributes, key);
	uint32_t number;
	if (!gltfReadIndex(g, &p->attributes, key, &g->accessors, true, &number) ||
	    !gltfOpenAttribute(g, p, key, number, a))
	{
		return false;
	}
	bool small = a->type == gltf_uint8 || a->type == gltf_uint16;
	bool isJoints = key[0] == 'J';
	bool typed = isJoints ? small && !a->normalized : a->type == gltf_float32 || (small && a->normalized);
	if (a->components != 4 || !typed)
	{
		return gltfFail(g, &place, "accessors[%u] is not a VEC4 of %s", number,
		    isJoints ? "8-bit or 16-bit unsigned integers" : "floats or normalized unsigned integers");
	}
	return a->count == p->positions.count ||
	       gltfFail(g, &place, "accessors[%u] has %u elements for %u vertices", number, a->count, p->positions.count);
}

static bool ReadSets(gltfReader* g, const gltfPrimitive* p, sets* s)
{
	size_t values = 4 * (size_t)p->positions.count;
	s->setCount = p->setCount;
	s->vertexCount = p->positions.count;
	if (!gltfSpend(g, &p->attributes, values * p->setCount, 8))
	{
		return false;
	}
	s->joints = malloc(values * p->setCount * sizeof(uint32_t));
	s->weights = malloc(values * p->setCount * sizeof(float));
	if (s->joints == NULL || s->weights == NULL)
	{
		return ioFailMemory(g->loader);
	}
	for (uint32_t i = 0; i < p->setCount; ++i)
	{
		char key[32];
		gltfAccessor a;
		snprintf(key, sizeof(key), "JOINTS_%u", i);
		if (!OpenSet(g, p, key, &a) || !gltfReadIntegers(g, &a, s->joints + i * values))
		{
			return false;
		}
		snprintf(key, sizeof(key), "WEIGHTS_%u", i);
		if (!OpenSet(g, p, key, &a) || !gltfReadFloats(g, &a, s->weights + i * values))
		{
			return false;
		}
	}
	return true;
}

static void AddInfluence(writer* w, uint32_t joint, float weight)
{
	uint32_t* slot = w->slots + joint;
	if (*slot > w->start[w->vertex])
	{
		w->weights[*slot - 1] += weight; // the same joint twice
		return;
	}
	w->joints[w->count] = (uint16_t)joint;
	w->weights[w->count] = weight;
	*slot = ++w->count;
	w->maxJoint = joint > w->maxJoint ? joint : w->maxJoint;
}

// Write the influences of one vertex of a primitive.
static bool AddVertex(gltfReader* g, const gltfPrimitive* p, const sets* s, uint32_t vertex, writer* w)
{
	double sum = 0.0;
	w->start[w->vertex] = w->count;
	for (uint32_t i = 0; i < s->setCount; ++i)
	{
		size_t first = 4 * ((size_t)i * s->vertexCount + vertex);
		for (size_t k = first; k < first + 4; ++k)
		{
			double weight = (double)s->weights[k];
			if (!ioReadWeight(&w->repairs, w->vertex, &weight))
			{
				return gltfFail(g, &p->attributes, "vertex %u: weight %g of WEIGHTS_%u is %s", vertex, weight, i,
				    weight < 0.0 ? "negative" : "out of range");
			}
			sum += weight;
			if (weight > 0.0)
			{
				AddInfluence(w, s->joints[k], (float)weight);
			}
		}
	}
	uint32_t first = w->start[w->vertex];
	if (w->count == first)
	{
		ioNoteUnbound(&w->repairs, w->vertex);
		AddInfluence(w, s->joints[4 * (size_t)vertex], 1.0f);
		sum = 1.0;
	}
	ioScaleWeights(&w->repairs, w->vertex, w->weights + first, w->count - first, sum);
	w->vertex++;
	return true;
}

static bool FillInfluences(gltfReader* g, gltfPrimitive* primitives, size_t primitiveCount, writer* w)
{
	for (size_t i = 0; i < primitiveCount; ++i)
	{
		sets s = { NULL, NULL, 0, 0 };
		bool read = ReadSets(g, primitives + i, &s);
		for (uint32_t v = 0; read && v < s.vertexCount; ++v)
		{
			read = AddVertex(g, primitives + i, &s, v, w);
		}
		free(s.joints);
		free(s.weights);
		if (!read)
		{
			return false;
		}
	}
	w->start[w->vertex] = w->count;
	return true;
}

// Give the memory back that zero weights would have taken.
static void* Shrink(void* block, size_t size)
{
	void* smaller = realloc(block, size > 0 ? size : 1);
	return smaller != NULL ? smaller : block;
}

bool gltfReadInfluences(
    gltfReader* g, const gltfValue* place, gltfPrimitive* primitives, size_t primitiveCount, ioAssetMesh* mesh)
{
	uint64_t most = 0;
	for (size_t i = 0; i < primitiveCount; ++i)
	{
		most += 4 * (uint64_t)primitives[i].setCount * primitives[i].positions.count;
		if (most > UINT32_MAX - 1)
		{
			return gltfFail(g, place, "too many influences");
		}
	}
	if (!gltfSpend(g, place, most, 6) || !gltfSpend(g, place, mesh->mesh.vertexCount, 4))
	{
		return false;
	}
	ioAsset* asset = g->loader->asset;
	writer w = { .start = ioAsset_Allocate(asset, (size_t)mesh->mesh.vertexCount + 1, sizeof(uint32_t)),
		.joints = malloc((size_t)most * sizeof(uint16_t)),
		.weights = malloc((size_t)most * sizeof(float)),
		.slots = calloc(65536, sizeof(uint32_t)) };
	bool ready = w.start != NULL && w.joints != NULL && w.weights != NULL && w.slots != NULL;
	bool read = ready ? FillInfluences(g, primitives, primitiveCount, &w) : ioFailMemory(g->loader);
	free(w.slots);
	if (!read)
	{
		free(w.joints);
		free(w.weights);
		return false;
	}
	w.joints = Shrink(w.joints, w.count * sizeof(uint16_t));
	w.weights = Shrink(w.weights, w.count * sizeof(float));
	mesh->influenceStart = w.start;
	mesh->joints = w.joints;
	mesh->weights = w.weights;
	mesh->maxJoint = w.maxJoint;
	bool owned = ioAsset_Adopt(asset, w.joints);
	owned = ioAsset_Adopt(asset, w.weights) && owned;
	char where[160];
	ioWarnOfWeights(g->loader, gltfPlace(place, where), &w.repairs);
	return owned || ioFailMemory(g->loader);
}

// ---- Skins -----------------------------------------------------------------------------------------------------

// Rows of a matrix that the file has by columns. Its last row must be 0, 0, 0, 1, but for rounding.
static bool TransposeMatrix(const float* columns, double rows[12])
{
	for (int row = 0; row < 3; ++row)
	{
		for (int column = 0; column < 4; ++column)
		{
			rows[4 * row + column] = (double)columns[4 * column + row];
		}
	}
	bool valid = fabsf(columns[15] - 1.0f) <= 1e-4f;
	for (int i = 0; i < 16; ++i)
	{
		valid = valid && isfinite(columns[i]) && (i % 4 != 3 || i == 15 || fabsf(columns[i]) <= 1e-4f);
	}
	return valid;
}

static bool ReadInverseBind(gltfReader* g, const gltfValue* place, ioSkin* skin, double* matrices)
{
	gltfValue member = gltfMember(place, "inverseBindMatrices");
	uint32_t number;
	gltfAccessor a;
	if (!gltfReadIndex(g, place, "inverseBindMatrices", &g->accessors, false, &number))
	{
		return false;
	}
	if (number == IO_NONE)
	{
		for (uint32_t i = 0; i < skin->jointCount; ++i)
		{
			matrices[12 * (size_t)i] = matrices[12 * (size_t)i + 5] = matrices[12 * (size_t)i + 10] = 1.0;
		}
		return true;
	}
	if (!gltfOpenAccessor(g, number, &a))
	{
		return false;
	}
	if (a.components != 16 || a.type != gltf_float32 || a.count < skin->jointCount)
	{
		return gltfFail(g, &member, "accessors[%u] is not a MAT4 of floats with an element for each of %u joints",
		    number, skin->jointCount);
	}
	if (!gltfSpend(g, &member, a.count, 64)) // more than there are joints are allowed, and unused
	{
		return false;
	}
	float* columns = malloc((size_t)a.count * 16 * sizeof(float));
	if (columns == NULL)
	{
		return ioFailMemory(g->loader);
	}
	bool read = gltfReadFloats(g, &a, columns);
	for (uint32_t i = 0; read && i < skin->jointCount; ++i)
	{
		read = TransposeMatrix(columns + 16 * (size_t)i, matrices + 12 * (size_t)i) ||
		       gltfFail(g, &member, "matrix %u is not finite, or its last row is not 0 0 0 1", i);
	}
	free(columns);
	return read;
}

static bool ReadSkin(gltfReader* g, const gltfValue* place, ioSkin* skin)
{
	gltfValue array;
	if (!gltfExpectObject(g, place) || !gltfReadName(g, place, &skin->name) ||
	    !gltfReadArray(g, place, "joints", &array))
	{
		return false;
	}
	size_t count = gltfLength(&array);
	if (count == 0 || count > 65536)
	{
		return gltfFail(g, &array, count == 0 ? "missing" : "more than 65536 joints");
	}
	if (!gltfSpend(g, place, count, 4 + 96 + 96)) // its matrix in a pose included
	{
		return false;
	}
	uint32_t* joints = ioAsset_Allocate(g->loader->asset, count, sizeof(uint32_t));
	double* matrices = ioAsset_Allocate(g->loader->asset, count, 12 * sizeof(double));
	if (joints == NULL || matrices == NULL)
	{
		return ioFailMemory(g->loader);
	}
	for (size_t i = 0; i < count; ++i)
	{
		gltfValue element = gltfElement(&array, i);
		if (!gltfToIndex(g, &element, &g->nodes, joints + i))
		{
			return false;
		}
	}
	skin->jointCount = (uint32_t)count;
	skin->joints = joints;
	skin->inverseBind = matrices;
	return ReadInverseBind(g, place, skin, matrices);
}

bool gltfReadSkins(gltfReader* g)
{
	ioAsset* asset = g->loader->asset;
	size_t count = gltfLength(&g->skins);
	ioSkin* skins = ioAsset_Allocate(asset, count, sizeof(ioSkin));
	if (skins == NULL)
	{
		return ioFailMemory(g->loader);
	}
	asset->skins = skins;
	asset->skinCount = (uint32_t)count;
	for (size_t i = 0; i < count; ++i)
	{
		gltfValue place = gltfElement(&g->skins, i);
		skins[i].firstJoint = asset->jointCount;
		if (!ReadSkin(g, &place, skins + i))
		{
			return false;
		}
		asset->jointCount += skins[i].jointCount; // below 2^32: each was paid for
	}
	return true;
}
