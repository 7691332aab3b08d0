#include "program/pictures/normals.h"

#include "program/pictures/camera.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Cosine of the angle between normals from which on an edge is sharp: 55 degrees.
#define SHARP 0.57f
// Files may have any number of vertices at one place; so many are enough for a picture.
#define MAX_LOOKS 64

static void AddNormals(const float* positions, const uint32_t* triangles, uint32_t count, float* normals)
{
	for (size_t t = 0; t < count; ++t)
	{
		const uint32_t* corners = triangles + 3 * t;
		const float *a = positions + 3 * (size_t)corners[0], *b = positions + 3 * (size_t)corners[1];
		const float* c = positions + 3 * (size_t)corners[2];
		float u[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] }, v[3] = { c[0] - a[0], c[1] - a[1], c[2] - a[2] };
		float n[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
		for (int i = 0; i < 3; ++i)
		{
			for (size_t k = 0; k < 3; ++k)
			{
				normals[3 * (size_t)corners[i] + k] += n[k];
			}
		}
	}
}

static uint32_t Hash(const float p[3])
{
	uint32_t words[3];
	memcpy(words, p, sizeof(words));
	return (words[0] * 0x9e3779b1u ^ words[1] * 0x85ebca6bu ^ words[2] * 0xc2b2ae35u) * 0x27d4eb2fu;
}

// Sum of the normals of all vertices at a vertex's place that face about the same way.
static void Join(const float* positions, const float* normals, const uint32_t* heads, const uint32_t* links,
    uint32_t mask, uint32_t vertex, float joined[3])
{
	const float *p = positions + 3 * (size_t)vertex, *own = normals + 3 * (size_t)vertex;
	float length = sqrtf(cameraDot(own, own));
	memcpy(joined, own, 3 * sizeof(float));
	int looked = 0;
	for (uint32_t i = heads[Hash(p) & mask]; i != UINT32_MAX && looked < MAX_LOOKS; i = links[i], ++looked)
	{
		const float* n = normals + 3 * (size_t)i;
		bool same = memcmp(positions + 3 * (size_t)i, p, 3 * sizeof(float)) == 0;
		if (same && i != vertex && cameraDot(n, own) > SHARP * length * sqrtf(cameraDot(n, n)))
		{
			for (int k = 0; k < 3; ++k)
			{
				joined[k] += n[k];
			}
		}
	}
}

float* MakeNormals(const float* positions, uint32_t vertexCount, const uint32_t* triangles, uint32_t triangleCount)
{
	uint32_t size = 16;
	while (size < vertexCount)
	{
		size *= 2;
	}
	float* normals = calloc((size_t)vertexCount * 3 + 1, sizeof(float));
	float* joined = malloc(((size_t)vertexCount * 3 + 1) * sizeof(float));
	uint32_t* heads = malloc(size * sizeof(uint32_t));
	uint32_t* links = malloc(((size_t)vertexCount + 1) * sizeof(uint32_t));
	bool made = normals != NULL && joined != NULL && heads != NULL && links != NULL;
	if (made)
	{
		AddNormals(positions, triangles, triangleCount, normals);
		memset(heads, 0xff, size * sizeof(uint32_t));
		for (uint32_t i = 0; i < vertexCount; ++i)
		{
			uint32_t* head = heads + (Hash(positions + 3 * (size_t)i) & (size - 1));
			links[i] = *head;
			*head = i;
		}
		for (uint32_t i = 0; i < vertexCount; ++i)
		{
			Join(positions, normals, heads, links, size - 1, i, joined + 3 * (size_t)i);
		}
	}
	free(normals);
	free(heads);
	free(links);
	if (!made)
	{
		free(joined);
	}
	return made ? joined : NULL;
}
