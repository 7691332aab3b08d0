#include "solvers/parts.h"

#include <math.h>
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

// ---- Edges -----------------------------------------------------------------------------------------------------

typedef struct edge
{
	uint32_t low, high, triangle;
	bool counts;    // its triangle has three corners; others have no area, and no say in what is closed
	bool isForward; // from low to high
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

// Sorted, so that equal ones are neighbours.
static size_t ListEdges(const simMesh* mesh, const uint32_t* welded, edge* edges)
{
	size_t count = 0;
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		const uint32_t* corners = mesh->triangles + 3 * (size_t)t;
		uint32_t w[3] = { welded[corners[0]], welded[corners[1]], welded[corners[2]] };
		bool counts = w[0] != w[1] && w[1] != w[2] && w[2] != w[0];
		for (int k = 0; k < 3; ++k)
		{
			uint32_t a = w[k], b = w[(k + 1) % 3];
			edges[count++] = (edge){ a < b ? a : b, a < b ? b : a, t, counts, a < b };
		}
	}
	qsort(edges, count, sizeof(edge), CompareEdges);
	return count;
}

static size_t FindEnd(const edge* edges, size_t count, size_t first)
{
	size_t end = first + 1;
	while (end < count && CompareEdges(edges + first, edges + end) == 0)
	{
		++end;
	}
	return end;
}

// ---- Parts -----------------------------------------------------------------------------------------------------

static uint32_t FindRoot(uint32_t* parents, uint32_t t)
{
	while (parents[t] != t)
	{
		parents[t] = parents[parents[t]];
		t = parents[t];
	}
	return t;
}

// Lower numbers are roots, so that the result does not depend on the order of joins.
static void Join(uint32_t* parents, uint32_t a, uint32_t b)
{
	a = FindRoot(parents, a);
	b = FindRoot(parents, b);
	parents[a > b ? a : b] = a < b ? a : b;
}

// @param parents (triangleCount) work space
static void NumberParts(simParts* parts, uint32_t triangleCount, const edge* edges, size_t count, uint32_t* parents)
{
	for (uint32_t t = 0; t < triangleCount; ++t)
	{
		parents[t] = t;
	}
	for (size_t i = 0, end; i < count; i = end)
	{
		end = FindEnd(edges, count, i);
		for (size_t j = i + 1; j < end; ++j)
		{
			Join(parents, edges[i].triangle, edges[j].triangle);
		}
	}
	for (uint32_t t = 0; t < triangleCount; ++t)
	{
		uint32_t root = FindRoot(parents, t); // comes first, or is t
		parts->ofTriangle[t] = root == t ? parts->count++ : parts->ofTriangle[root];
	}
}

// Closed surfaces that enclose less than this, next to the power 3/2 of their area, enclose nothing.
#define LEAST_VOLUME 1e-8

static void FindClosed(simParts* parts, const edge* edges, size_t count)
{
	for (uint32_t p = 0; p < parts->count; ++p)
	{
		parts->solid[p] = parts->oriented[p] = true;
	}
	for (size_t i = 0, end; i < count; i = end)
	{
		int triangles = 0, balance = 0;
		uint32_t part = parts->ofTriangle[edges[i].triangle];
		end = FindEnd(edges, count, i);
		for (size_t j = i; j < end; ++j)
		{
			triangles += edges[j].counts;
			balance += !edges[j].counts ? 0 : edges[j].isForward ? 1 : -1;
		}
		parts->solid[part] = parts->solid[part] && triangles % 2 == 0;
		parts->oriented[part] = parts->oriented[part] && balance == 0;
	}
}

// Sums of areas and of signed volumes, the latter six times and seen from a vertex of the mesh.
static void Measure(const simParts* parts, const simMesh* mesh, double* areas, double* volumes)
{
	const float* origin = mesh->positions + 3 * (size_t)mesh->triangles[0];
	for (size_t t = 0; t < mesh->triangleCount; ++t)
	{
		double p[3][3], n[3], area2 = 0.0;
		for (size_t i = 0; i < 9; ++i)
		{
			size_t corner = mesh->triangles[3 * t + i / 3];
			p[i / 3][i % 3] = (double)mesh->positions[3 * corner + i % 3] - (double)origin[i % 3];
		}
		for (int k = 0; k < 3; ++k)
		{
			int a = (k + 1) % 3, b = (k + 2) % 3;
			n[k] = (p[1][a] - p[0][a]) * (p[2][b] - p[0][b]) - (p[1][b] - p[0][b]) * (p[2][a] - p[0][a]);
			area2 += n[k] * n[k];
			volumes[parts->ofTriangle[t]] += p[0][k] * n[k];
		}
		areas[parts->ofTriangle[t]] += 0.5 * sqrt(area2);
	}
}

static bool FindSolids(simParts* parts, const simMesh* mesh, const edge* edges, size_t count)
{
	double *areas = calloc(parts->count, sizeof(double)), *volumes = calloc(parts->count, sizeof(double));
	bool good = areas != NULL && volumes != NULL;
	FindClosed(parts, edges, count);
	if (good)
	{
		Measure(parts, mesh, areas, volumes);
	}
	for (uint32_t p = 0; good && p < parts->count; ++p)
	{
		bool empty = fabs(volumes[p]) / 6.0 < LEAST_VOLUME * areas[p] * sqrt(areas[p]);
		parts->solid[p] = parts->solid[p] && !(parts->oriented[p] && empty);
		parts->solidCount += parts->solid[p];
	}
	free(areas);
	free(volumes);
	return good;
}

bool simParts_Find(simParts* parts, const simMesh* mesh, simError* error)
{
	*parts = (simParts){ .ofTriangle = malloc((size_t)mesh->triangleCount * sizeof(uint32_t)) };
	uint32_t* welded = malloc((size_t)mesh->vertexCount * sizeof(uint32_t));
	uint32_t* parents = malloc((size_t)mesh->triangleCount * sizeof(uint32_t));
	edge* edges = malloc(3 * (size_t)mesh->triangleCount * sizeof(edge));
	bool good = parts->ofTriangle != NULL && welded != NULL && parents != NULL && edges != NULL && Weld(mesh, welded);
	size_t count = good ? ListEdges(mesh, welded, edges) : 0;
	if (good)
	{
		NumberParts(parts, mesh->triangleCount, edges, count, parents);
		parts->solid = malloc(parts->count * sizeof(bool));
		parts->oriented = malloc(parts->count * sizeof(bool));
		good = parts->solid != NULL && parts->oriented != NULL && FindSolids(parts, mesh, edges, count);
	}
	free(welded);
	free(parents);
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
	free(parts->oriented);
	*parts = (simParts){ 0 };
}
