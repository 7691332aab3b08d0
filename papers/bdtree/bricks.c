#include "papers/bdtree/bricks.h"

#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Making ----------------------------------------------------------------------------------------------------

/// What is known while a body is made.
typedef struct maker
{
	simVoxels voxels;
	simBrick* brick;
	uint32_t* nodeOfCorner;
	uint64_t* fills; // of kinds
} maker;

static size_t CornerOf(const simVoxels* v, const uint32_t cell[3], uint32_t bits)
{
	return cell[0] + (bits & 1) +
	       ((size_t)v->size[0] + 1) * (cell[1] + (bits >> 1 & 1) + ((size_t)v->size[1] + 1) * (cell[2] + (bits >> 2)));
}

// Numbers of the nodes that some cell has, as corners come in the grid.
static bool NumberNodes(simBricks* b, maker* m)
{
	const simVoxels* v = &m->voxels;
	size_t corners = ((size_t)v->size[0] + 1) * ((size_t)v->size[1] + 1) * ((size_t)v->size[2] + 1);
	m->nodeOfCorner = calloc(corners, sizeof(uint32_t));
	if (m->nodeOfCorner == NULL)
	{
		return false;
	}
	for (size_t i = 0; i < (size_t)v->size[0] * v->size[1] * v->size[2]; ++i)
	{
		uint32_t cell[3] = { (uint32_t)(i % v->size[0]), (uint32_t)(i / v->size[0] % v->size[1]),
			(uint32_t)(i / v->size[0] / v->size[1]) };
		for (uint32_t n = 0; n < 8 && v->exists[i]; ++n)
		{
			m->nodeOfCorner[CornerOf(v, cell, n)] = 1;
		}
	}
	for (size_t i = 0; i < corners; ++i)
	{
		m->nodeOfCorner[i] = m->nodeOfCorner[i] != 0 ? b->nodeCount++ : UINT32_MAX;
	}
	return true;
}

static bool Allocate(simBricks* b, const maker* m, uint32_t vertexCount)
{
	simHoard* hoard = &b->hoard;
	size_t nodes = b->nodeCount, cells = m->voxels.cellCount;
	b->rest = simHoard_Take(hoard, nodes, sizeof(*b->rest));
	b->displacement = simHoard_Take(hoard, nodes, sizeof(*b->displacement));
	b->velocity = simHoard_Take(hoard, nodes, sizeof(*b->velocity));
	b->external = simHoard_Take(hoard, nodes, sizeof(*b->external));
	b->force = simHoard_Take(hoard, nodes, sizeof(*b->force));
	b->mass = simHoard_Take(hoard, nodes, sizeof(*b->mass));
	b->isHeld = simHoard_Take(hoard, nodes, sizeof(*b->isHeld));
	b->bricks = simHoard_Take(hoard, cells, sizeof(*b->bricks));
	b->kinds = simHoard_Take(hoard, cells, sizeof(*b->kinds));
	b->vertices = simHoard_Take(hoard, vertexCount, sizeof(*b->vertices));
	b->vertexCount = vertexCount;
	return !hoard->isShort;
}

// The kind of bricks that are filled so.
static uint32_t FindKind(simBricks* b, maker* m, const simBricksDef* def, uint64_t fill)
{
	uint32_t kind = 0;
	while (kind < b->kindCount && m->fills[kind] != fill)
	{
		++kind;
	}
	if (kind == b->kindCount)
	{
		double mass[8][8];
		simBrick_Evaluate(m->brick, fill, b->kinds[kind], mass);
		for (size_t i = 0; i < SIM_BRICK_DOFS * SIM_BRICK_DOFS; ++i)
		{
			b->kinds[kind][i / SIM_BRICK_DOFS][i % SIM_BRICK_DOFS] *= def->young;
		}
		m->fills[b->kindCount++] = fill;
	}
	return kind;
}

// A brick's mass goes to its nodes by the rows of its matrix.
static void AddMass(simBricks* b, const maker* m, const simBricksDef* def, const simBrickPart* part, uint64_t fill)
{
	double stiffness[SIM_BRICK_DOFS][SIM_BRICK_DOFS], mass[8][8];
	simBrick_Evaluate(m->brick, fill, stiffness, mass);
	for (int i = 0; i < 64; ++i)
	{
		b->mass[part->nodes[i / 8]] += def->density * mass[i / 8][i % 8];
	}
}

static void MakeParts(simBricks* b, maker* m, const simBricksDef* def)
{
	const simVoxels* v = &m->voxels;
	for (size_t i = 0; i < (size_t)v->size[0] * v->size[1] * v->size[2]; ++i)
	{
		if (!v->exists[i])
		{
			continue;
		}
		uint32_t cell[3] = { (uint32_t)(i % v->size[0]), (uint32_t)(i / v->size[0] % v->size[1]),
			(uint32_t)(i / v->size[0] / v->size[1]) };
		simBrickPart* part = b->bricks + b->brickCount++;
		for (uint32_t n = 0; n < 8; ++n)
		{
			part->nodes[n] = m->nodeOfCorner[CornerOf(v, cell, n)];
			for (uint32_t k = 0; k < 3; ++k)
			{
				b->rest[part->nodes[n]][k] = v->origin[k] + v->cell[k] * (cell[k] + (n >> k & 1));
			}
		}
		part->kind = FindKind(b, m, def, v->fill[i]);
		AddMass(b, m, def, part, v->fill[i]);
	}
}

static void PlaceVertices(simBricks* b, const maker* m, const simMesh* mesh)
{
	const simVoxels* v = &m->voxels;
	for (uint32_t i = 0; i < mesh->vertexCount; ++i)
	{
		const float* p = mesh->positions + 3 * (size_t)i;
		uint32_t cell[3];
		double s[3];
		simVoxels_FindCell(v, p, cell);
		for (int k = 0; k < 3; ++k)
		{
			s[k] = ((double)p[k] - v->origin[k]) / v->cell[k] - (double)cell[k];
		}
		for (uint32_t n = 0; n < 8; ++n)
		{
			uint32_t node = m->nodeOfCorner[CornerOf(v, cell, n)];
			double weight = (n & 1 ? s[0] : 1.0 - s[0]) * (n & 2 ? s[1] : 1.0 - s[1]) * (n & 4 ? s[2] : 1.0 - s[2]);
			b->vertices[i].nodes[n] = node != UINT32_MAX ? node : 0; // of vertices without triangles
			b->vertices[i].weights[n] = (float)weight;
		}
	}
}

static void Hold(simBricks* b, const simBricksDef* def)
{
	for (uint32_t n = 0; n < b->nodeCount; ++n)
	{
		for (uint32_t i = 0; i < def->fixCount; ++i)
		{
			const simFix* fix = def->fixes + i;
			double x = b->rest[n][fix->axis];
			b->isHeld[n] = b->isHeld[n] || (fix->isAbove ? x > fix->value : x < fix->value);
		}
	}
}

// The fastest vibration about rest, by the power method.
static void FindLargestStep(simBricks* b)
{
	simError ignored;
	double greatest = 0.0;
	for (uint32_t n = 0; n < b->nodeCount; ++n)
	{
		for (uint32_t k = 0; k < 3; ++k)
		{
			b->displacement[n][k] = 1e-9 * ((n * 7 + k * 3) % 11 - 5.0);
		}
	}
	for (int round = 0; round < 60; ++round)
	{
		double length2 = 0.0, before2 = 0.0;
		simBricks_ComputeForces(b, &ignored);
		for (uint32_t n = 0; n < b->nodeCount; ++n)
		{
			for (int k = 0; k < 3; ++k)
			{
				double next = b->isHeld[n] ? 0.0 : -b->force[n][k] / b->mass[n];
				before2 += b->displacement[n][k] * b->displacement[n][k];
				length2 += next * next;
				b->force[n][k] = next;
			}
		}
		greatest = sqrt(length2 / before2);
		for (uint32_t n = 0; n < b->nodeCount; ++n)
		{
			for (int k = 0; k < 3; ++k)
			{
				b->displacement[n][k] = 1e-9 * b->force[n][k] / sqrt(length2) * sqrt((double)b->nodeCount);
			}
		}
	}
	memset(b->displacement, 0, b->nodeCount * sizeof(*b->displacement));
	memset(b->force, 0, b->nodeCount * sizeof(*b->force));
	b->largestStep = 0.9 * 2.0 / sqrt(greatest);
}

static bool Build(simBricks* b, maker* m, const simBricksDef* def, simError* error)
{
	simParts parts = { 0 };
	bool good = simMesh_Check(&def->mesh, error) && simParts_Find(&parts, &def->mesh, error) &&
	            simVoxels_Fit(&m->voxels, &def->mesh, &parts, def->cellCount, 0.0, error);
	simParts_Free(&parts);
	m->brick = good ? malloc(sizeof(simBrick)) : NULL;
	m->fills = good ? malloc(((size_t)m->voxels.cellCount + 1) * sizeof(uint64_t)) : NULL;
	if (!good)
	{
		return false;
	}
	if (m->brick == NULL || m->fills == NULL || !NumberNodes(b, m) || !Allocate(b, m, def->mesh.vertexCount))
	{
		return simError_SetMemory(error);
	}
	memcpy(b->edges, m->voxels.cell, sizeof(b->edges));
	simBrick_Init(m->brick, m->voxels.cell, def->poisson);
	MakeParts(b, m, def);
	PlaceVertices(b, m, &def->mesh);
	Hold(b, def);
	FindLargestStep(b);
	return true;
}

bool simBricks_Create(simBricks* bricks, const simBricksDef* def, simError* error)
{
	*bricks = (simBricks){ .damping = def->damping };
	maker m = { .brick = NULL };
	bool good = Build(bricks, &m, def, error);
	simVoxels_Free(&m.voxels);
	free(m.brick);
	free(m.nodeOfCorner);
	free(m.fills);
	if (!good)
	{
		simBricks_Free(bricks);
	}
	return good;
}

void simBricks_Free(simBricks* b)
{
	simHoard_Free(&b->hoard);
	*b = (simBricks){ .nodeCount = 0 };
}

// ---- Forces ----------------------------------------------------------------------------------------------------

static double Determinant(double m[3][3])
{
	double cross[3];
	sgCross(m[1], m[2], cross);
	return sgDot(m[0], cross);
}

// The rotation of a gradient, by Higham's iteration R <- (R + R^-T) / 2, which doubles its digits in each round.
static bool Polar(double f[3][3], double r[3][3])
{
	memcpy(r, f, 9 * sizeof(double));
	if (!(Determinant(f) > 0.0))
	{
		return false;
	}
	double change = 1.0;
	for (int round = 0; round < 30 && change > 1e-28; ++round)
	{
		double cofactors[3][3], determinant = Determinant(r);
		change = 0.0;
		for (int i = 0; i < 3; ++i)
		{
			sgCross(r[(i + 1) % 3], r[(i + 2) % 3], cofactors[i]);
		}
		for (int i = 0; i < 9; ++i)
		{
			double next = 0.5 * (r[i / 3][i % 3] + cofactors[i / 3][i % 3] / determinant);
			double by = next - r[i / 3][i % 3];
			change += by * by;
			r[i / 3][i % 3] = next;
		}
	}
	return true;
}

// Of the brick's middle: a node is at plus or minus half an edge.
static void FindGradient(const simBricks* b, double x[8][3], double f[3][3])
{
	for (int i = 0; i < 9; ++i)
	{
		double sum = 0.0;
		for (int n = 0; n < 8; ++n)
		{
			sum += (n >> (i % 3) & 1) != 0 ? x[n][i / 3] : -x[n][i / 3];
		}
		f[i / 3][i % 3] = 0.25 * sum / b->edges[i % 3];
	}
}

static bool AddBrick(simBricks* b, const simBrickPart* part)
{
	double x[8][3], middle[3] = { 0.0, 0.0, 0.0 }, f[3][3], r[3][3], local[SIM_BRICK_DOFS];
	for (int i = 0; i < 24; ++i)
	{
		uint32_t node = part->nodes[i / 3];
		x[i / 3][i % 3] = b->rest[node][i % 3] + b->displacement[node][i % 3];
		middle[i % 3] += 0.125 * x[i / 3][i % 3];
	}
	FindGradient(b, x, f);
	if (!Polar(f, r))
	{
		return false;
	}
	for (int n = 0; n < 8; ++n)
	{
		for (int k = 0; k < 3; ++k)
		{
			double side = ((n >> k & 1) != 0 ? 0.5 : -0.5) * b->edges[k], sum = 0.0;
			for (int i = 0; i < 3; ++i)
			{
				sum += r[i][k] * (x[n][i] - middle[i]);
			}
			local[3 * n + k] = sum - side;
		}
	}
	for (int n = 0; n < 8; ++n)
	{
		double own[3] = { 0.0, 0.0, 0.0 };
		for (int k = 0; k < 3; ++k)
		{
			const double* row = b->kinds[part->kind][3 * n + k];
			for (int i = 0; i < SIM_BRICK_DOFS; ++i)
			{
				own[k] += row[i] * local[i];
			}
		}
		for (int i = 0; i < 3; ++i)
		{
			b->force[part->nodes[n]][i] -= r[i][0] * own[0] + r[i][1] * own[1] + r[i][2] * own[2];
		}
	}
	return true;
}

bool simBricks_ComputeForces(simBricks* b, simError* error)
{
	memset(b->force, 0, b->nodeCount * sizeof(*b->force));
	for (uint32_t i = 0; i < b->brickCount; ++i)
	{
		if (!AddBrick(b, b->bricks + i))
		{
			return simError_Set(error, "brick %u is turned inside out", i);
		}
	}
	return true;
}

bool simBricks_Step(simBricks* b, double step, simError* error)
{
	if (!(step <= b->largestStep))
	{
		return simError_Set(error, "a step of %g s is longer than the %g s that bricks allow", step, b->largestStep);
	}
	if (!simBricks_ComputeForces(b, error))
	{
		return false;
	}
	for (uint32_t n = 0; n < b->nodeCount; ++n)
	{
		for (int k = 0; k < 3; ++k)
		{
			double pull = (b->force[n][k] + b->external[n][k]) / b->mass[n];
			b->velocity[n][k] = b->isHeld[n] ? 0.0 : (1.0 - step * b->damping) * b->velocity[n][k] + step * pull;
			b->displacement[n][k] += step * b->velocity[n][k];
			b->external[n][k] = 0.0;
		}
	}
	b->time += step;
	return true;
}

void simBricks_GetVertices(const simBricks* b, float* positions)
{
	for (uint32_t i = 0; i < b->vertexCount; ++i)
	{
		const simBrickVertex* v = b->vertices + i;
		for (int k = 0; k < 3; ++k)
		{
			double sum = 0.0;
			for (int n = 0; n < 8; ++n)
			{
				uint32_t node = v->nodes[n];
				sum += (double)v->weights[n] * (b->rest[node][k] + b->displacement[node][k]);
			}
			positions[3 * (size_t)i + (size_t)k] = (float)sum;
		}
	}
}
