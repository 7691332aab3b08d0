#include "solvers/elastic.h"

#include "solvers/brick.h"

#include <math.h>
#include <string.h>

// A node and those after it that it may share a cell with: (0, 0, 0), (1, 0, 0), (-1, 1, 0) … (1, 1, 1), in the order
// of their numbers.
#define LATER 14

typedef struct assembly
{
	simElastic* elastic;
	const simVoxels* voxels;
	simHoard hoard;                // what is needed meanwhile
	uint32_t corners[3];           // of the grid, along each axis
	double (*stiffness)[LATER][9]; // (nodeCount)
	double (*mass)[LATER];         // (nodeCount) positive where nodes share a cell
} assembly;

static size_t GetCorner(const uint32_t corners[3], uint32_t x, uint32_t y, uint32_t z)
{
	return x + (size_t)corners[0] * (y + (size_t)corners[1] * z);
}

// ---- Nodes -----------------------------------------------------------------------------------------------------

static void MarkNodes(assembly* a)
{
	const simVoxels* voxels = a->voxels;
	for (uint32_t z = 0; z < voxels->size[2]; ++z)
	{
		for (uint32_t y = 0; y < voxels->size[1]; ++y)
		{
			for (uint32_t x = 0; x < voxels->size[0]; ++x)
			{
				for (uint32_t i = 0; i < 8 && voxels->exists[simVoxels_Index(voxels, x, y, z)]; ++i)
				{
					a->elastic->nodeOfCorner[GetCorner(a->corners, x + (i & 1), y + (i >> 1 & 1), z + (i >> 2))] = 0;
				}
			}
		}
	}
}

static bool NumberNodes(assembly* a)
{
	simElastic* elastic = a->elastic;
	size_t count = (size_t)a->corners[0] * a->corners[1] * a->corners[2];
	elastic->nodeOfCorner = simHoard_Take(&elastic->hoard, count, sizeof(uint32_t));
	if (elastic->nodeOfCorner == NULL)
	{
		return false;
	}
	memset(elastic->nodeOfCorner, 0xff, count * sizeof(uint32_t));
	MarkNodes(a);
	for (size_t i = 0; i < count; ++i)
	{
		if (elastic->nodeOfCorner[i] == 0)
		{
			elastic->nodeOfCorner[i] = elastic->nodeCount++;
		}
	}
	elastic->nodes = simHoard_Take(&elastic->hoard, elastic->nodeCount, 3 * sizeof(double));
	for (size_t i = 0; elastic->nodes != NULL && i < count; ++i)
	{
		size_t place[3] = { i % a->corners[0], i / a->corners[0] % a->corners[1],
			i / ((size_t)a->corners[0] * a->corners[1]) };
		for (int k = 0; k < 3 && elastic->nodeOfCorner[i] != UINT32_MAX; ++k)
		{
			double position = a->voxels->origin[k] + a->voxels->cell[k] * (double)place[k];
			elastic->nodes[3 * (size_t)elastic->nodeOfCorner[i] + (size_t)k] =
			    (position - elastic->centre[k]) / elastic->length;
		}
	}
	return elastic->nodes != NULL;
}

// ---- Assembly --------------------------------------------------------------------------------------------------

// Where the neighbour at an offset of -1, 0 or 1 along each axis lies in the list, if it is not before the node.
static int GetLater(int dx, int dy, int dz)
{
	return dx + 3 * dy + 9 * dz;
}

static void AddBrick(
    assembly* a, const uint32_t nodes[8], double stiffness[SIM_BRICK_DOFS][SIM_BRICK_DOFS], double mass[8][8])
{
	for (int i = 0; i < 8; ++i)
	{
		for (int j = 0; j < 8; ++j)
		{
			int later = GetLater((j & 1) - (i & 1), (j >> 1 & 1) - (i >> 1 & 1), (j >> 2) - (i >> 2));
			if (later < 0)
			{
				continue;
			}
			double* block = a->stiffness[nodes[i]][later];
			for (int r = 0; r < 3; ++r)
			{
				for (int c = 0; c < 3; ++c)
				{
					block[3 * r + c] += stiffness[3 * j + r][3 * i + c];
				}
			}
			a->mass[nodes[i]][later] += mass[j][i];
		}
	}
}

static void AddBricks(assembly* a, const simBrick* brick)
{
	const simVoxels* voxels = a->voxels;
	double stiffness[SIM_BRICK_DOFS][SIM_BRICK_DOFS], mass[8][8];
	for (uint32_t z = 0; z < voxels->size[2]; ++z)
	{
		for (uint32_t y = 0; y < voxels->size[1]; ++y)
		{
			for (uint32_t x = 0; x < voxels->size[0]; ++x)
			{
				size_t cell = simVoxels_Index(voxels, x, y, z);
				if (!voxels->exists[cell])
				{
					continue;
				}
				uint32_t nodes[8];
				for (uint32_t i = 0; i < 8; ++i)
				{
					nodes[i] =
					    a->elastic->nodeOfCorner[GetCorner(a->corners, x + (i & 1), y + (i >> 1 & 1), z + (i >> 2))];
				}
				simBrick_Evaluate(brick, voxels->fill[cell], stiffness, mass);
				AddBrick(a, nodes, stiffness, mass);
			}
		}
	}
}

// ---- Compression -----------------------------------------------------------------------------------------------

// Only nodes that share a cell have mass in common, since shapes are positive inside.
static void Compress(assembly* a)
{
	simElastic* elastic = a->elastic;
	size_t corners = (size_t)a->corners[0] * a->corners[1] * a->corners[2];
	uint32_t count = 0;
	for (size_t corner = 0; corner < corners; ++corner)
	{
		uint32_t node = elastic->nodeOfCorner[corner];
		if (node == UINT32_MAX)
		{
			continue;
		}
		elastic->starts[node] = count;
		for (int later = 0; later < LATER; ++later)
		{
			if (!(a->mass[node][later] > 0.0))
			{
				continue;
			}
			// The inverse of GetLater: offsets in -1, 0, 1.
			int dz = (later + 4) / 9, dy = (later - 9 * dz + 10) / 3 - 3, dx = later - 9 * dz - 3 * dy;
			int64_t other = (int64_t)corner + dx + (int64_t)a->corners[0] * (dy + (int64_t)a->corners[1] * dz);
			elastic->rows[count] = elastic->nodeOfCorner[other];
			memcpy(elastic->stiffness + 9 * (size_t)count, a->stiffness[node][later], 9 * sizeof(double));
			elastic->mass[count++] = a->mass[node][later];
		}
	}
	elastic->starts[elastic->nodeCount] = count;
}

static size_t CountNeighbours(const assembly* a)
{
	size_t count = 0;
	for (size_t n = 0; n < a->elastic->nodeCount; ++n)
	{
		for (int later = 0; later < LATER; ++later)
		{
			count += a->mass[n][later] > 0.0;
		}
	}
	return count;
}

static bool Assemble(assembly* a, const simBrick* brick)
{
	simElastic* elastic = a->elastic;
	if (!NumberNodes(a))
	{
		return false;
	}
	a->stiffness = simHoard_Take(&a->hoard, elastic->nodeCount, sizeof(a->stiffness[0]));
	a->mass = simHoard_Take(&a->hoard, elastic->nodeCount, sizeof(a->mass[0]));
	if (a->hoard.isShort)
	{
		return false;
	}
	AddBricks(a, brick);
	size_t count = CountNeighbours(a);
	elastic->starts = simHoard_Take(&elastic->hoard, (size_t)elastic->nodeCount + 1, sizeof(uint32_t));
	elastic->rows = simHoard_Take(&elastic->hoard, count, sizeof(uint32_t));
	elastic->stiffness = simHoard_Take(&elastic->hoard, count, 9 * sizeof(double));
	elastic->mass = simHoard_Take(&elastic->hoard, count, sizeof(double));
	if (!elastic->hoard.isShort)
	{
		Compress(a);
	}
	return !elastic->hoard.isShort;
}

bool simElastic_Create(simElastic* elastic, const simVoxels* voxels, double poisson, simError* error)
{
	*elastic = (simElastic){ 0 };
	assembly a = { .elastic = elastic, .voxels = voxels };
	double edges[3];
	for (int k = 0; k < 3; ++k)
	{
		double extent = voxels->cell[k] * (double)voxels->size[k];
		a.corners[k] = voxels->size[k] + 1;
		elastic->centre[k] = voxels->origin[k] + 0.5 * extent;
		elastic->length = fmax(elastic->length, extent);
	}
	for (int k = 0; k < 3; ++k)
	{
		edges[k] = voxels->cell[k] / elastic->length;
	}
	simBrick* brick = simHoard_Take(&a.hoard, 1, sizeof(simBrick));
	bool good = brick != NULL;
	if (good)
	{
		simBrick_Init(brick, edges, poisson);
		good = Assemble(&a, brick);
	}
	simHoard_Free(&a.hoard);
	if (!good)
	{
		simElastic_Free(elastic);
	}
	return good || simError_SetMemory(error);
}

void simElastic_Free(simElastic* elastic)
{
	simHoard_Free(&elastic->hoard);
	*elastic = (simElastic){ 0 };
}

// ---- Products --------------------------------------------------------------------------------------------------

void simElastic_MultiplyMass(const simElastic* elastic, const double* x, double* y)
{
	memset(y, 0, 3 * (size_t)elastic->nodeCount * sizeof(double));
	for (size_t n = 0; n < elastic->nodeCount; ++n)
	{
		for (uint32_t i = elastic->starts[n]; i < elastic->starts[n + 1]; ++i)
		{
			size_t row = elastic->rows[i];
			for (size_t k = 0; k < 3; ++k)
			{
				y[3 * row + k] += elastic->mass[i] * x[3 * n + k];
				y[3 * n + k] += row != n ? elastic->mass[i] * x[3 * row + k] : 0.0;
			}
		}
	}
}

void simElastic_MultiplyStiffness(const simElastic* elastic, const double* x, double* y)
{
	memset(y, 0, 3 * (size_t)elastic->nodeCount * sizeof(double));
	for (size_t n = 0; n < elastic->nodeCount; ++n)
	{
		for (uint32_t i = elastic->starts[n]; i < elastic->starts[n + 1]; ++i)
		{
			size_t row = elastic->rows[i];
			const double* block = elastic->stiffness + 9 * (size_t)i;
			for (size_t r = 0; r < 3; ++r)
			{
				for (size_t c = 0; c < 3; ++c)
				{
					y[3 * row + r] += block[3 * r + c] * x[3 * n + c];
					y[3 * n + c] += row != n ? block[3 * r + c] * x[3 * row + r] : 0.0;
				}
			}
		}
	}
}
