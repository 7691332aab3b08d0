#include "sim/parts.h"

#include <stdlib.h>
#include <string.h>

// ---- Welding ---------------------------------------------------------------------------------------------------

static uint32_t HashPosition(const float position[3])
{
	uint32_t bits[3];
	float p[3] = { position[0] + 0.0f, position[1] + 0.0f, position[2] + 0.0f }; // -0 becomes 0
	memcpy(bits, p, sizeof(bits));
	uint64_t h = 0;
	for (int k = 0; k < 3; ++k)
	{
		h = (h ^ bits[k]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return (uint32_t)h;
}

// Give every vertex the lowest number of those at its position.
static bool Weld(const simMesh* mesh, uint32_t* welded)
{
	size_t capacity = 16;
	while (capacity < 2 * (size_t)mesh->vertexCount)
	{
		capacity *= 2;
	}
	uint32_t* table = malloc(capacity * sizeof(uint32_t));
	if (table == NULL)
	{
		return false;
	}
	memset(table, 0xff, capacity * sizeof(uint32_t));
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		const float* p = mesh->positions + 3 * (size_t)v;
		size_t slot = HashPosition(p) & (capacity - 1);
		while (table[slot] != UINT32_MAX)
		{
			const float* q = mesh->positions + 3 * (size_t)table[slot];
			if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2])
			{
				break;
			}
			slot = (slot + 1) & (capacity - 1);
		}
		if (table[slot] == UINT32_MAX)
		{
			table[slot] = v;
		}
		welded[v] = table[slot];
	}
	free(table);
	return true;
}

// ---- Parts -----------------------------------------------------------------------------------------------------

static uint32_t FindRoot(uint32_t* parents, uint32_t v)
{
	while (parents[v] != v)
	{
		parents[v] = parents[parents[v]];
		v = parents[v];
	}
	return v;
}

// Lower numbers are roots, so that the result does not depend on the order of joins.
static void Join(uint32_t* parents, uint32_t a, uint32_t b)
{
	a = FindRoot(parents, a);
	b = FindRoot(parents, b);
	parents[a > b ? a : b] = a < b ? a : b;
}

static void NumberParts(
    simParts* parts, const simMesh* mesh, const uint32_t* welded, uint32_t* parents, uint32_t* numbers)
{
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		parents[v] = v;
		numbers[v] = UINT32_MAX;
	}
	for (size_t t = 0; t < mesh->triangleCount; ++t)
	{
		const uint32_t* corners = mesh->triangles + 3 * t;
		Join(parents, welded[corners[0]], welded[corners[1]]);
		Join(parents, welded[corners[0]], welded[corners[2]]);
	}
	for (size_t t = 0; t < mesh->triangleCount; ++t)
	{
		uint32_t root = FindRoot(parents, welded[mesh->triangles[3 * t]]);
		if (numbers[root] == UINT32_MAX)
		{
			numbers[root] = parts->count++;
		}
		parts->ofTriangle[t] = numbers[root];
	}
}

// ---- Solids ----------------------------------------------------------------------------------------------------

typedef struct edge
{
	uint32_t low, high, part;
} edge;

static int CompareEdges(const void* a, const void* b)
{
	const edge *x = a, *y = b;
	if (x->low != y->low)
	{
		return x->low < y->low ? -1 : 1;
	}
	return x->high < y->high ? -1 : x->high > y->high;
}

// Triangles with equal corners have no area and no say.
static size_t ListEdges(const simParts* parts, const simMesh* mesh, const uint32_t* welded, edge* edges)
{
	size_t count = 0;
	for (size_t t = 0; t < mesh->triangleCount; ++t)
	{
		const uint32_t* corners = mesh->triangles + 3 * t;
		uint32_t w[3] = { welded[corners[0]], welded[corners[1]], welded[corners[2]] };
		if (w[0] == w[1] || w[1] == w[2] || w[2] == w[0])
		{
			continue;
		}
		for (int k = 0; k < 3; ++k)
		{
			uint32_t a = w[k], b = w[(k + 1) % 3];
			edges[count++] = (edge){ a < b ? a : b, a < b ? b : a, parts->ofTriangle[t] };
		}
	}
	return count;
}

static void FindSolids(simParts* parts, edge* edges, size_t count)
{
	memset(parts->solid, 0, parts->count * sizeof(bool));
	for (size_t i = 0; i < count; ++i)
	{
		parts->solid[edges[i].part] = true;
	}
	qsort(edges, count, sizeof(edge), CompareEdges);
	for (size_t i = 0, end; i < count; i = end)
	{
		for (end = i + 1; end < count && CompareEdges(edges + i, edges + end) == 0;)
		{
			++end;
		}
		if ((end - i) % 2 == 1)
		{
			parts->solid[edges[i].part] = false;
		}
	}
	for (uint32_t p = 0; p < parts->count; ++p)
	{
		parts->solidCount += parts->solid[p];
	}
}

bool simParts_Find(simParts* parts, const simMesh* mesh, simError* error)
{
	*parts = (simParts){ .ofTriangle = malloc((size_t)mesh->triangleCount * sizeof(uint32_t)) };
	uint32_t* welded = malloc(3 * (size_t)mesh->vertexCount * sizeof(uint32_t));
	edge* edges = malloc(3 * (size_t)mesh->triangleCount * sizeof(edge));
	bool good = parts->ofTriangle != NULL && welded != NULL && edges != NULL && Weld(mesh, welded);
	if (good)
	{
		uint32_t *parents = welded + mesh->vertexCount, *numbers = parents + mesh->vertexCount;
		NumberParts(parts, mesh, welded, parents, numbers);
		parts->solid = malloc(parts->count * sizeof(bool));
		good = parts->solid != NULL;
	}
	if (good)
	{
		FindSolids(parts, edges, ListEdges(parts, mesh, welded, edges));
	}
	free(welded);
	free(edges);
	if (!good)
	{
		simParts_Free(parts);
	}
	return good || simError_SetMemory(error);
}

void simParts_Free(simParts* parts)
{
	free(parts->ofTriangle);
	free(parts->solid);
	*parts = (simParts){ 0 };
}
