#include "papers/meshless/response.h"

#include "base/vec.h"

#include <math.h>
#include <string.h>

#define STIFFNESS 0.1 // times E h
#define DEEPEST 0.05  // of the body's length

/// What pushes a vertex.
typedef struct vertexPush
{
	double depth; ///< below the triangle's plane; negative while nothing pushes
	double normal[3];
	double shares[3]; ///< of the triangle's corners in pushing
	uint32_t triangle;
} vertexPush;

static void GetCorner(const simSurface* surface, uint32_t vertex, double corner[3])
{
	for (uint32_t k = 0; k < 3; ++k)
	{
		corner[k] = (double)surface->positions[3 * (size_t)vertex + k];
	}
}

// ---- Surfaces --------------------------------------------------------------------------------------------------

static double MeasureSize(const sceneMesh* mesh)
{
	double lower[3] = { INFINITY, INFINITY, INFINITY }, upper[3] = { -INFINITY, -INFINITY, -INFINITY }, size = 0.0;
	for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; ++i)
	{
		double x = (double)mesh->positions[i];
		lower[i % 3] = x < lower[i % 3] ? x : lower[i % 3];
		upper[i % 3] = x > upper[i % 3] ? x : upper[i % 3];
	}
	for (int k = 0; k < 3; ++k)
	{
		size = upper[k] - lower[k] > size ? upper[k] - lower[k] : size;
	}
	return 0.5 * size;
}

bool simSurface_Create(
    simSurface* surface, simMeshless* body, const sceneMesh* mesh, const sceneWeights* weights, simError* error)
{
	*surface = (simSurface){
		.body = body,
		.mesh = mesh,
		.weights = weights,
		.positions = mesh->positions,
	};
	surface->loads = simHoard_Take(&surface->hoard, body->nodeCount, sizeof(double));
	surface->pushes = simHoard_Take(&surface->hoard, mesh->vertexCount, sizeof(vertexPush));
	surface->pushed = simHoard_Take(&surface->hoard, mesh->vertexCount, sizeof(uint32_t));
	if (surface->hoard.isShort)
	{
		simSurface_Free(surface);
		return simError_SetMemory(error);
	}
	if (weights->transformCount != body->nodeCount)
	{
		uint32_t wrong = weights->transformCount;
		simSurface_Free(surface);
		return simError_Set(error, "the surface is carried by %u nodes, but the body has %u", wrong, body->nodeCount);
	}
	surface->size = MeasureSize(mesh);
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		surface->pushes[v].depth = -1.0;
	}
	return true;
}

void simSurface_Free(simSurface* surface)
{
	simHoard_Free(&surface->hoard);
	*surface = (simSurface){ .body = NULL };
}

// ---- Finding pushes --------------------------------------------------------------------------------------------

/// A triangle as it lies.
typedef struct plate
{
	double corners[3][3];
	double normal[3]; ///< of unit length
	bool isFlat;      ///< has no area, so no normal
} plate;

static plate MakePlate(const simSurface* surface, uint32_t triangle)
{
	plate made;
	double sides[2][3];
	for (int i = 0; i < 3; ++i)
	{
		GetCorner(surface, surface->mesh->triangles[3 * (size_t)triangle + (size_t)i], made.corners[i]);
	}
	sgSubtract(made.corners[1], made.corners[0], sides[0]);
	sgSubtract(made.corners[2], made.corners[0], sides[1]);
	sgCross(sides[0], sides[1], made.normal);
	double length = sqrt(sgDot(made.normal, made.normal));
	made.isFlat = !(length > 0.0);
	for (int k = 0; k < 3; ++k)
	{
		made.normal[k] = made.isFlat ? 0.0 : made.normal[k] / length;
	}
	return made;
}

// Barycentric coordinates of the point below p; where it is beside the triangle, negative ones become zero.
static void FindShares(const plate* t, const double p[3], double shares[3])
{
	double sum = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		double side[3], to[3], area[3];
		sgSubtract(t->corners[(i + 2) % 3], t->corners[(i + 1) % 3], side);
		sgSubtract(p, t->corners[(i + 1) % 3], to);
		sgCross(side, to, area);
		double share = sgDot(area, t->normal);
		shares[i] = share > 0.0 ? share : 0.0;
		sum += shares[i];
	}
	for (int i = 0; i < 3; ++i)
	{
		shares[i] /= sum; // at least one is positive, since they sum up to twice the area before
	}
}

// Vertices of a triangle against the plane of another.
static void FindPushes(simSurface* surface, uint32_t triangle, const simSurface* other, uint32_t otherTriangle)
{
	plate plane = MakePlate(other, otherTriangle);
	for (size_t i = 0; i < 3 && !plane.isFlat; ++i)
	{
		uint32_t vertex = surface->mesh->triangles[3 * (size_t)triangle + i];
		vertexPush* push = surface->pushes + vertex;
		double p[3], from[3];
		GetCorner(surface, vertex, p);
		sgSubtract(p, plane.corners[0], from);
		double depth = -sgDot(from, plane.normal);
		bool isPushed = depth > 0.0 && depth <= DEEPEST * 2.0 * surface->size;
		if (!isPushed || (push->depth >= 0.0 && push->depth <= depth))
		{
			continue;
		}
		if (push->depth < 0.0)
		{
			surface->pushed[surface->pushedCount++] = vertex;
		}
		push->depth = depth;
		push->triangle = otherTriangle;
		memcpy(push->normal, plane.normal, sizeof(push->normal));
		FindShares(&plane, p, push->shares);
	}
}

// ---- Forces ----------------------------------------------------------------------------------------------------

// Of a vertex, as forces on it see it: its nodes' by its weights.
static void GetVelocity(const simSurface* surface, uint32_t vertex, double velocity[3])
{
	const sceneWeights* weights = surface->weights;
	memset(velocity, 0, 3 * sizeof(double));
	for (uint32_t k = weights->starts[vertex]; k < weights->starts[vertex + 1]; ++k)
	{
		for (int c = 0; c < 3; ++c)
		{
			velocity[c] += (double)weights->weights[k] * surface->body->velocity[weights->transforms[k]][c];
		}
	}
}

// The weights of a vertex sum to 1 but for rounding to float: dividing by their sum loses no force.
static void AddForce(simSurface* surface, uint32_t vertex, const double normal[3], double force)
{
	const sceneWeights* weights = surface->weights;
	double sum = 0.0;
	for (uint32_t k = weights->starts[vertex]; k < weights->starts[vertex + 1]; ++k)
	{
		sum += (double)weights->weights[k];
	}
	for (uint32_t k = weights->starts[vertex]; k < weights->starts[vertex + 1]; ++k)
	{
		for (int c = 0; c < 3; ++c)
		{
			surface->body->external[weights->transforms[k]][c] += force * (double)weights->weights[k] / sum * normal[c];
		}
	}
}

// @param share of the stiffness that each vertex may have
static void Push(simSurface* surface, uint32_t vertex, simSurface* other, double share)
{
	const vertexPush* push = surface->pushes + vertex;
	const uint32_t* corners = other->mesh->triangles + 3 * (size_t)push->triangle;
	const simMeshless* body = surface->body;
	double velocity[3], closing;
	GetVelocity(surface, vertex, velocity);
	closing = -sgDot(velocity, push->normal);
	for (int i = 0; i < 3; ++i)
	{
		GetVelocity(other, corners[i], velocity);
		closing += push->shares[i] * sgDot(velocity, push->normal);
	}
	double stiffness = STIFFNESS * body->young * body->support;
	double force = share * (stiffness * push->depth + 2.0 * sqrt(stiffness * body->mass) * closing);
	force = force > 0.0 ? force : 0.0;
	AddForce(surface, vertex, push->normal, force);
	for (int i = 0; i < 3; ++i)
	{
		AddForce(other, corners[i], push->normal, -force * push->shares[i]);
	}
}

static void AddLoad(simSurface* surface, uint32_t vertex, double load)
{
	const sceneWeights* weights = surface->weights;
	for (uint32_t k = weights->starts[vertex]; k < weights->starts[vertex + 1]; ++k)
	{
		surface->loads[weights->transforms[k]] += load * (double)weights->weights[k];
	}
}

// The greatest load of any node. All loads are zero then.
static double TakeLoads(simSurface* surface)
{
	double most = 0.0;
	for (uint32_t i = 0; i < surface->body->nodeCount; ++i)
	{
		most = surface->loads[i] > most ? surface->loads[i] : most;
		surface->loads[i] = 0.0;
	}
	return most;
}

static double FindShare(simSurface* surface, simSurface* other)
{
	for (uint32_t i = 0; i < surface->pushedCount; ++i)
	{
		const vertexPush* push = surface->pushes + surface->pushed[i];
		AddLoad(surface, surface->pushed[i], 1.0);
		for (size_t c = 0; c < 3; ++c)
		{
			AddLoad(other, other->mesh->triangles[3 * (size_t)push->triangle + c], push->shares[c]);
		}
	}
	double own = TakeLoads(surface), others = TakeLoads(other), most = own > others ? own : others;
	return most > 1.0 ? 1.0 / most : 1.0;
}

static uint32_t PushAll(simSurface* surface, simSurface* other)
{
	uint32_t count = surface->pushedCount;
	double share = FindShare(surface, other);
	for (uint32_t i = 0; i < count; ++i)
	{
		Push(surface, surface->pushed[i], other, share);
		surface->pushes[surface->pushed[i]].depth = -1.0;
	}
	surface->pushedCount = 0;
	return count;
}

uint32_t simRespond(simSurface* a, simSurface* b, const snugPair* pairs, uint64_t count)
{
	for (uint64_t i = 0; i < count; ++i)
	{
		FindPushes(a, pairs[i].a, b, pairs[i].b);
		FindPushes(b, pairs[i].b, a, pairs[i].a);
	}
	return PushAll(a, b) + PushAll(b, a);
}
