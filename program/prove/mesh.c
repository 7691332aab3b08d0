#include "program/prove/mesh.h"

#include "program/commands/terminal.h"
#include "program/files/sha256.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// ---- Order -----------------------------------------------------------------------------------------------------

typedef struct place
{
	float center[3]; ///< three times that
	float key;
	uint32_t triangle;
} place;

static int ComparePlaces(const void* first, const void* second)
{
	const place *x = first, *y = second;
	return x->key != y->key ? (x->key < y->key ? -1 : 1) : (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

// Halve them across the axis along which they reach farthest, and each half likewise.
static void Sort(place* places, uint32_t count)
{
	float low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
	if (count < 2)
	{
		return;
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			low[k] = fminf(low[k], places[i].center[k]);
			high[k] = fmaxf(high[k], places[i].center[k]);
		}
	}
	const int xy = high[1] - low[1] > high[0] - low[0] ? 1 : 0, axis = high[2] - low[2] > high[xy] - low[xy] ? 2 : xy;
	for (uint32_t i = 0; i < count; ++i)
	{
		places[i].key = places[i].center[axis];
	}
	qsort(places, count, sizeof(place), ComparePlaces);
	Sort(places, count / 2);
	Sort(places + count / 2, count - count / 2);
}

static bool Order(proveMesh* mesh)
{
	place* places = malloc((size_t)mesh->triangleCount * sizeof(place) + 1);
	uint32_t* corners = malloc((size_t)mesh->triangleCount * 3 * sizeof(uint32_t) + 1);
	if (places != NULL && corners != NULL)
	{
		snugModel_GetTriangles(mesh->model, corners, 0);
		for (uint32_t i = 0; i < mesh->triangleCount; ++i)
		{
			places[i].triangle = i;
			for (size_t k = 0; k < 3; ++k)
			{
				const uint32_t* c = corners + 3 * (size_t)i;
				places[i].center[k] = mesh->positions[3 * (size_t)c[0] + k] / 3.0f +
				                      mesh->positions[3 * (size_t)c[1] + k] / 3.0f +
				                      mesh->positions[3 * (size_t)c[2] + k] / 3.0f;
			}
		}
		Sort(places, mesh->triangleCount);
		for (uint32_t i = 0; i < mesh->triangleCount; ++i)
		{
			mesh->numbers[i] = places[i].triangle;
			for (size_t k = 0; k < 3; ++k)
			{
				mesh->corners[3 * (size_t)i + k] = corners[3 * (size_t)places[i].triangle + k];
			}
		}
	}
	const bool ordered = places != NULL && corners != NULL;
	free(places);
	free(corners);
	return ordered;
}

// ---- Making ----------------------------------------------------------------------------------------------------

static uint32_t FindMost(const uint32_t* starts, uint32_t count)
{
	uint32_t most = 0;
	for (uint32_t v = 0; v < count; ++v)
	{
		most = starts[v + 1] - starts[v] > most ? starts[v + 1] - starts[v] : most;
	}
	return most;
}

static bool TakeWeights(proveMesh* mesh, const snugModelInfo* info)
{
	mesh->starts = malloc(((size_t)info->vertexCount + 1) * sizeof(uint32_t));
	mesh->joints = malloc((size_t)info->influenceCount * sizeof(uint16_t) + 1);
	mesh->weights = malloc((size_t)info->influenceCount * sizeof(float) + 1);
	if (mesh->starts == NULL || mesh->joints == NULL || mesh->weights == NULL)
	{
		return false;
	}
	snugModel_GetWeights(mesh->model, mesh->starts, mesh->joints, mesh->weights);
	mesh->terms += FindMost(mesh->starts, info->vertexCount);
	return true;
}

static bool TakeFields(proveMesh* mesh, const snugModelInfo* info)
{
	mesh->fieldStarts = malloc(((size_t)info->vertexCount + 1) * sizeof(uint32_t));
	mesh->fields = malloc((size_t)info->displacementCount * sizeof(uint16_t) + 1);
	mesh->displacements = malloc((size_t)info->displacementCount * 3 * sizeof(float) + 1);
	if (mesh->fieldStarts == NULL || mesh->fields == NULL || mesh->displacements == NULL)
	{
		return false;
	}
	snugModel_GetFields(mesh->model, mesh->fieldStarts, mesh->fields, mesh->displacements);
	mesh->terms += FindMost(mesh->fieldStarts, info->vertexCount);
	return true;
}

bool proveMesh_Create(proveMesh* mesh, const snugModel* model)
{
	const snugModelInfo info = snugModel_GetInfo(model);
	const size_t vertices = info.vertexCount, triangles = info.triangleCount;
	*mesh = (proveMesh){ .model = model, .vertexCount = info.vertexCount, .triangleCount = info.triangleCount };
	mesh->isListed = info.deformer == snug_free || (info.deformer == snug_skin && info.blending != snug_blendLinear);
	mesh->positions = malloc(vertices * 3 * sizeof(float) + 1);
	mesh->corners = malloc(triangles * 3 * sizeof(uint32_t) + 1);
	mesh->numbers = malloc(triangles * sizeof(uint32_t) + 1);
	mesh->twins = malloc(vertices * sizeof(uint32_t) + 1);
	if (mesh->positions == NULL || mesh->corners == NULL || mesh->numbers == NULL || mesh->twins == NULL)
	{
		return false;
	}
	snugModel_GetPositions(model, mesh->positions, 0);
	snugModel_GetTwins(model, mesh->twins);
	return Order(mesh) && (info.deformer != snug_skin || mesh->isListed || TakeWeights(mesh, &info)) &&
	       (info.fieldCount == 0 || mesh->isListed || TakeFields(mesh, &info));
}

void proveMesh_Free(proveMesh* mesh)
{
	free(mesh->positions);
	free(mesh->corners);
	free(mesh->numbers);
	free(mesh->twins);
	free(mesh->starts);
	free(mesh->joints);
	free(mesh->weights);
	free(mesh->fieldStarts);
	free(mesh->fields);
	free(mesh->displacements);
	*mesh = (proveMesh){ .model = NULL };
}

// ---- Writing ---------------------------------------------------------------------------------------------------

// For each vertex a line of a number and some floats, again and again.
static void PrintRows(proveText* text, const char* name, uint32_t count, const uint32_t* starts,
    const uint16_t* numbers, const float* values, size_t width)
{
	proveText_Add(text, "%s %u\n", name, starts != NULL ? count : 0);
	for (uint32_t v = 0; starts != NULL && v < count; ++v)
	{
		for (uint32_t i = starts[v]; i < starts[v + 1]; ++i)
		{
			proveText_Add(text, i > starts[v] ? " %u" : "%u", numbers[i]);
			proveText_AddFloats(text, values + width * i, width);
		}
		proveText_AddBytes(text, "\n", 1);
	}
}

void proveMesh_Print(proveMesh* mesh, proveText* text)
{
	proveText_Add(text, "snug mesh 1\nvertices %u\n", mesh->vertexCount);
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		proveText_AddBytes(text, "v", 1);
		proveText_AddFloats(text, mesh->positions + 3 * (size_t)v, 3);
		proveText_AddBytes(text, "\n", 1);
	}
	proveText_Add(text, "triangles %u\n", mesh->triangleCount);
	for (uint32_t i = 0; i < mesh->triangleCount; ++i)
	{
		const uint32_t* c = mesh->corners + 3 * (size_t)i;
		proveText_Add(text, "%u %u %u\n", c[0], c[1], c[2]);
	}
	PrintRows(text, "influences", mesh->vertexCount, mesh->starts, mesh->joints, mesh->weights, 1);
	PrintRows(text, "displacements", mesh->vertexCount, mesh->fieldStarts, mesh->fields, mesh->displacements, 3);
	proveText_Add(text, "end\n");
	cliSha256(text->bytes, text->failed ? 0 : text->length, mesh->digest);
}

bool proveMesh_Name(const proveMesh* mesh, const char* folder, char* path, size_t size)
{
	const bool fits = snprintf(path, size, "%s/mesh-%.16s.txt", folder, mesh->digest) < (int)size;
	if (!fits)
	{
		cliError("%s: the path is too long", folder);
	}
	return fits;
}
