#include "papers/meshless/meshless.h"

#include "base/vec.h"
#include "geometry/eigen.h"
#include "solvers/sine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAREST 10 // nodes whose distance sets the support
#define REACH 2.0  // support over their mean distance: about 29 neighbours inside a body
// A neighbourhood is flat in a direction if it extends less than a thousandth as far as in its widest one.
#define FLAT 1e-6

typedef double matrix3[3][3];

static const matrix3 identity = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } };

double simGetVolume(const simMesh* mesh)
{
	double sum = 0.0;
	for (size_t t = 0; t < mesh->triangleCount; ++t)
	{
		double p[3][3], normal[3];
		for (size_t i = 0; i < 3; ++i)
		{
			for (size_t k = 0; k < 3; ++k)
			{
				p[i][k] = (double)mesh->positions[3 * (size_t)mesh->triangles[3 * t + i] + k];
			}
		}
		sgCross(p[1], p[2], normal);
		sum += sgDot(p[0], normal);
	}
	return sum / 6.0;
}

// ---- Neighbours ------------------------------------------------------------------------------------------------

// The sum of the distances to the nearest others, and how many there are.
static double SumNearest(const simMeshless* body, uint32_t node, uint32_t* count)
{
	double nearest[NEAREST], sum = 0.0;
	*count = 0;
	for (uint32_t j = 0; j < body->nodeCount; ++j)
	{
		double d = sgDistance2(body->rest[node], body->rest[j]);
		bool enters = j != node && (*count < NEAREST || d < nearest[NEAREST - 1]);
		if (!enters)
		{
			continue;
		}
		uint32_t place = *count < NEAREST ? (*count)++ : NEAREST - 1;
		for (; place > 0 && nearest[place - 1] > d; --place)
		{
			nearest[place] = nearest[place - 1];
		}
		nearest[place] = d;
	}
	for (uint32_t i = 0; i < *count; ++i)
	{
		sum += sqrt(nearest[i]);
	}
	return sum;
}

// One support for all, so that who sees is seen.
static double ChooseSupport(const simMeshless* body)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		uint32_t count;
		double distances = SumNearest(body, i, &count);
		sum += distances / (double)count;
	}
	return REACH * sum / (double)body->nodeCount;
}

static double Weigh(double support, double distance2)
{
	double h2 = support * support, h9 = h2 * h2 * h2 * h2 * support, rest = h2 - distance2;
	return 315.0 / (64.0 * SCENE_PI * h9) * rest * rest * rest;
}

// @param out null to count
static uint32_t FindNeighbours(const simMeshless* body, uint32_t node, simNeighbour* out)
{
	uint32_t count = 0;
	for (uint32_t j = 0; j < body->nodeCount; ++j)
	{
		if (j == node || sgDistance2(body->rest[node], body->rest[j]) >= body->support * body->support)
		{
			continue;
		}
		if (out != NULL)
		{
			out[count].node = j;
			sgSubtract(body->rest[j], body->rest[node], out[count].offset);
		}
		++count;
	}
	return count;
}

static bool FindAllNeighbours(simMeshless* body, simError* error)
{
	body->starts[0] = 0;
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		uint32_t count = FindNeighbours(body, i, NULL);
		if (count == 0)
		{
			return simError_Set(error, "node %u sees no other within %g: its neighbourhood is empty", i, body->support);
		}
		if (count > UINT32_MAX - body->starts[i])
		{
			return simError_SetMemory(error);
		}
		body->starts[i + 1] = body->starts[i] + count;
	}
	body->neighbours = simHoard_Take(&body->hoard, body->starts[body->nodeCount], sizeof(simNeighbour));
	if (body->neighbours == NULL)
	{
		return simError_SetMemory(error);
	}
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		FindNeighbours(body, i, body->neighbours + body->starts[i]);
	}
	return true;
}

// Whether every node can be reached from the first by going from neighbour to neighbour.
static bool CheckParts(const simMeshless* body, simError* error)
{
	uint32_t* queue = malloc(body->nodeCount * sizeof(uint32_t));
	uint8_t* isReached = calloc(body->nodeCount, 1);
	if (queue == NULL || isReached == NULL)
	{
		free(queue);
		free(isReached);
		return simError_SetMemory(error);
	}
	uint32_t count = 1, unreached = 0;
	queue[0] = 0;
	isReached[0] = 1;
	for (uint32_t next = 0; next < count; ++next)
	{
		for (uint32_t k = body->starts[queue[next]]; k < body->starts[queue[next] + 1]; ++k)
		{
			uint32_t j = body->neighbours[k].node;
			if (!isReached[j])
			{
				isReached[j] = 1;
				queue[count++] = j;
			}
		}
	}
	while (unreached < body->nodeCount && isReached[unreached])
	{
		++unreached;
	}
	free(queue);
	free(isReached);
	return count == body->nodeCount ||
	       simError_Set(error, "the body falls into parts: node %u and node 0 are not joined by neighbours within %g",
	           unreached, body->support);
}

// A^-1, or where the neighbours lie in a plane or on a line, the inverse within it; then `derive` of all neighbours.
static void InvertMoment(simMeshless* body, uint32_t node)
{
	simNeighbour *first = body->neighbours + body->starts[node], *end = body->neighbours + body->starts[node + 1];
	matrix3 moment = { { 0.0 } }, axes, inverse = { { 0.0 } };
	double values[3];
	for (const simNeighbour* n = first; n < end; ++n)
	{
		double w = Weigh(body->support, sgDot(n->offset, n->offset));
		for (int i = 0; i < 3; ++i)
		{
			for (int k = 0; k < 3; ++k)
			{
				moment[i][k] += w * n->offset[i] * n->offset[k];
			}
		}
	}
	sgEigen3(moment, values, axes);
	body->isThin[node] = values[2] <= FLAT * values[0];
	memcpy(body->range[node], body->isThin[node] ? inverse : identity, sizeof(matrix3));
	for (int axis = 0; axis < 3 && values[axis] > FLAT * values[0]; ++axis)
	{
		for (int i = 0; i < 3; ++i)
		{
			for (int k = 0; k < 3; ++k)
			{
				inverse[i][k] += axes[axis][i] * axes[axis][k] / values[axis];
				body->range[node][i][k] += body->isThin[node] ? axes[axis][i] * axes[axis][k] : 0.0;
			}
		}
	}
	for (simNeighbour* n = first; n < end; ++n)
	{
		double w = Weigh(body->support, sgDot(n->offset, n->offset));
		for (int i = 0; i < 3; ++i)
		{
			n->derive[i] = w * sgDot(inverse[i], n->offset);
		}
	}
}

// Mass over density, with density the sum of mass times weight.
static void SetVolumes(simMeshless* body)
{
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		double weights = Weigh(body->support, 0.0);
		for (uint32_t k = body->starts[i]; k < body->starts[i + 1]; ++k)
		{
			weights += Weigh(body->support, sgDot(body->neighbours[k].offset, body->neighbours[k].offset));
		}
		body->volume[i] = 1.0 / weights;
	}
}

// ---- Making ----------------------------------------------------------------------------------------------------

static bool CheckDef(const simMeshlessDef* def, simError* error)
{
	const struct
	{
		const char* name;
		double value;
		bool mayBeZero;
	} numbers[] = { { "volume", def->volume, false }, { "density", def->density, false },
		{ "modulus", def->young, false }, { "Poisson's ratio", def->poisson, true },
		{ "resistance to changes of volume", def->bulk, true }, { "damping", def->damping, true } };
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i)
	{
		bool good = numbers[i].value > 0.0 || (numbers[i].mayBeZero && numbers[i].value == 0.0);
		if (!good || !isfinite(numbers[i].value))
		{
			return simError_Set(error, "the body's %s cannot be %g", numbers[i].name, numbers[i].value);
		}
	}
	if (def->poisson >= 0.5)
	{
		return simError_Set(error, "Poisson's ratio must be below 0.5, not %g", def->poisson);
	}
	if (def->nodeCount < 2)
	{
		return simError_Set(error, "a body needs two nodes at least");
	}
	for (size_t i = 0; i < 3 * (size_t)def->nodeCount; ++i)
	{
		if (!(fabsf(def->nodes[i]) <= 1e30f)) // false for NaN
		{
			return simError_Set(error, "node %zu has a coordinate that is not finite, or above 1e30", i / 3);
		}
	}
	return true;
}

static bool Allocate(simMeshless* body, uint32_t count)
{
	simHoard* hoard = &body->hoard;
	body->nodeCount = count;
	body->rest = simHoard_Take(hoard, count, sizeof(*body->rest));
	body->displacement = simHoard_Take(hoard, count, sizeof(*body->displacement));
	body->velocity = simHoard_Take(hoard, count, sizeof(*body->velocity));
	body->gradient = simHoard_Take(hoard, count, sizeof(*body->gradient));
	body->external = simHoard_Take(hoard, count, sizeof(*body->external));
	body->force = simHoard_Take(hoard, count, sizeof(*body->force));
	body->volume = simHoard_Take(hoard, count, sizeof(*body->volume));
	body->range = simHoard_Take(hoard, count, sizeof(*body->range));
	body->isThin = simHoard_Take(hoard, count, sizeof(*body->isThin));
	body->isHeld = simHoard_Take(hoard, count, sizeof(*body->isHeld));
	body->goal = simHoard_Take(hoard, count, sizeof(*body->goal));
	body->kept = simHoard_Take(hoard, 2 * (size_t)count, sizeof(*body->kept));
	body->starts = simHoard_Take(hoard, (size_t)count + 1, sizeof(*body->starts));
	return !hoard->isShort;
}

void simMeshless_Free(simMeshless* body)
{
	simHoard_Free(&body->hoard);
	*body = (simMeshless){ .nodeCount = 0 };
}

static bool Build(simMeshless* body, const float* nodes, simError* error)
{
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		for (uint32_t k = 0; k < 3; ++k)
		{
			body->rest[i][k] = (double)nodes[3 * (size_t)i + k];
		}
	}
	body->support = ChooseSupport(body);
	if (!FindAllNeighbours(body, error) || !CheckParts(body, error))
	{
		return false;
	}
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		InvertMoment(body, i);
		body->thinCount += body->isThin[i];
	}
	SetVolumes(body);
	return simMeshless_FindLargestStep(body, error);
}

bool simMeshless_Create(simMeshless* body, const simMeshlessDef* def, simError* error)
{
	*body = (simMeshless){ .nodeCount = 0 };
	if (!CheckDef(def, error))
	{
		return false;
	}
	bool good = Allocate(body, def->nodeCount) || simError_SetMemory(error);
	body->mass = def->density * def->volume / (double)def->nodeCount;
	body->lambda = def->young * def->poisson / ((1.0 + def->poisson) * (1.0 - 2.0 * def->poisson));
	body->mu = 0.5 * def->young / (1.0 + def->poisson);
	body->bulk = def->bulk;
	body->young = def->young;
	body->damping = def->damping;
	memcpy(body->gravity, def->gravity, sizeof(body->gravity));
	good = good && Build(body, def->nodes, error);
	if (!good)
	{
		simMeshless_Free(body);
	}
	return good;
}
