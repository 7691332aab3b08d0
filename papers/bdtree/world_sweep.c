// Flights that end where something is in the way. See world.h.
#include "papers/bdtree/world_touch.h"
#include "snug/snug_queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A body goes on by this part of the thickness of both after it has met something: spheres overlap then, and nothing
/// hangs in the air that only just touches.
#define FARTHER 0.125

void simWorld_Start(simWorld* world)
{
	memcpy(world->starts, world->bodies, world->count * sizeof(simBody));
}

// ---- Ways ------------------------------------------------------------------------------------------------------

// By how much the farthest vertex of the mesh is off, for the amplitudes or the difference of two.
static double Sway(const simBody* body, const double amplitudes[SIM_MAX_MODES], const double before[SIM_MAX_MODES])
{
	double most = 0.0;
	for (uint32_t m = 0; m < body->shape->modeCount; ++m)
	{
		most += body->shape->sways[m] * fabs(amplitudes[m] - (before != NULL ? before[m] : 0.0));
	}
	return most;
}

// A turn by an angle moves what is at a distance of 1 by 2 sin(angle / 2), and the quaternion by 2 sin(angle / 4),
// which is no less than half of that.
static snugStatus FindWay(const simWorld* world, simWay* way)
{
	const simBody *from = world->starts + way->body, *to = world->bodies + way->body;
	snugBounds bounds;
	snugStatus status = snugBody_GetBounds(from->body, NULL, &bounds);
	double turn2 = 0.0;
	for (int k = 0; k < 4; ++k)
	{
		turn2 += (to->rotation[k] - from->rotation[k]) * (to->rotation[k] - from->rotation[k]);
	}
	way->turned = 2.0 * sqrt(turn2) * (to->shape->reach + Sway(from, from->q, NULL)) + Sway(to, to->q, from->q);
	for (int k = 0; k < 3 && status == snug_success; ++k)
	{
		double moved = to->position[k] - from->position[k];
		way->lower[k] = (double)bounds.lower[k] + fmin(moved, 0.0) - way->turned;
		way->upper[k] = (double)bounds.upper[k] + fmax(moved, 0.0) + way->turned;
	}
	return status;
}

// The one along which bodies are farthest apart.
static int FindAxis(const simWorld* world)
{
	double spread[3];
	int axis = 0;
	for (int k = 0; k < 3; ++k)
	{
		double low = INFINITY, high = -INFINITY;
		for (uint32_t i = 0; i < world->count; ++i)
		{
			low = fmin(low, world->bodies[i].position[k]);
			high = fmax(high, world->bodies[i].position[k]);
		}
		spread[k] = high - low;
		axis = spread[k] > spread[axis] ? k : axis;
	}
	return axis;
}

// From step to step their order hardly changes.
static void SortWays(simWorld* world, int axis)
{
	for (uint32_t i = 1; i < world->count; ++i)
	{
		simWay way = world->ways[i];
		uint32_t at = i;
		for (; at > 0 && world->ways[at - 1].lower[axis] > way.lower[axis]; --at)
		{
			world->ways[at] = world->ways[at - 1];
		}
		world->ways[at] = way;
	}
}

// ---- Flights ---------------------------------------------------------------------------------------------------

static bool Flies(const simBody* body)
{
	return body->runCount == 0 && body->shape->thinnest > 0.0;
}

// @param way how far one goes, as the other sees it. If that is no farther than both are thick, they overlap at an end
static bool AddFlight(simWorld* world, uint32_t a, uint32_t b, double way, double thickness, simError* error)
{
	if (way <= thickness)
	{
		return true;
	}
	if (!simGrow(&world->flights, &world->flightCapacity, world->counts.swept + 1, sizeof(simFlight)))
	{
		return simError_SetMemory(error);
	}
	world->flights[world->counts.swept++] = (simFlight){
		.a = a < b ? a : b,
		.b = a < b ? b : a,
		.time = 1.0,
		.more = FARTHER * thickness / way,
	};
	return true;
}

static bool AddGround(simWorld* world, const simWay* way, simError* error)
{
	const snugPlane* ground = &world->def.ground;
	const simBody* to = world->bodies + way->body;
	double moved[3], height = ground->offset;
	sgSubtract(to->position, world->starts[way->body].position, moved);
	for (int k = 0; k < 3; ++k)
	{
		height += ground->normal[k] * (ground->normal[k] > 0.0 ? way->lower[k] : way->upper[k]);
	}
	return height > 0.0 ||
	       AddFlight(world, way->body, SIM_GROUND, sqrt(sgDot(moved, moved)) + way->turned, to->shape->thinnest, error);
}

static bool AddPair(simWorld* world, const simWay* a, const simWay* b, simError* error)
{
	const simBody *bodyA = world->bodies + a->body, *bodyB = world->bodies + b->body;
	double from[3], moved[3];
	bool isApart = false;
	sgSubtract(world->starts[a->body].position, world->starts[b->body].position, from);
	sgSubtract(bodyA->position, bodyB->position, moved);
	for (int k = 0; k < 3; ++k)
	{
		moved[k] -= from[k];
		isApart = isApart || a->lower[k] > b->upper[k] || b->lower[k] > a->upper[k];
	}
	return isApart || AddFlight(world, a->body, b->body, sqrt(sgDot(moved, moved)) + a->turned + b->turned,
	                      bodyA->shape->thinnest + bodyB->shape->thinnest, error);
}

static bool AddFlights(simWorld* world, simError* error)
{
	const int axis = FindAxis(world);
	bool good = true;
	SortWays(world, axis);
	for (const simWay *way = world->ways, *end = way + world->count; way < end && good; ++way)
	{
		bool flies = Flies(world->bodies + way->body);
		good = !flies || !world->def.hasGround || AddGround(world, way, error);
		for (const simWay* other = way + 1; other < end && other->lower[axis] <= way->upper[axis] && good; ++other)
		{
			good = (!flies && !Flies(world->bodies + other->body)) || AddPair(world, way, other, error);
		}
	}
	return good;
}

// ---- Sweeps ----------------------------------------------------------------------------------------------------

// Bodies of a flight's own: another thread may have the same body on another flight.
static snugStatus MakePosed(const simWorld* world, const simBody* body, snugBody** posed)
{
	snugStatus status = snugBody_Create(&(snugBodyDef){ .model = body->shape->model, .pool = world->pool }, posed);
	return status == snug_success ? simBody_Pose(body, *posed) : status;
}

static snugStatus SweepTwo(const simWorld* world, simFlight* flight)
{
	const simBody* states[4] = { world->starts + flight->a, world->bodies + flight->a, world->starts + flight->b,
		world->bodies + flight->b };
	snugBody* posed[4] = { NULL };
	snugStatus status = snug_success;
	for (int i = 0; i < 4 && status == snug_success; ++i)
	{
		status = MakePosed(world, states[i], posed + i);
	}
	if (status == snug_success)
	{
		snugSweepQuery query = { .tolerance = 0.0 };
		memcpy(query.origin, states[0]->position, sizeof(query.origin));
		const snugSweepResult result = snugSweep(posed[0], posed[1], posed[2], posed[3], &query);
		status = result.status;
		flight->time = result.time;
	}
	for (int i = 0; i < 4; ++i)
	{
		snugBody_Destroy(posed[i]);
	}
	return status;
}

// Vertices go straight, so the first of them is in the ground when its height is zero.
static double FindGround(const snugPlane* ground, double height, const float* starts, const float* ends, size_t count)
{
	double first = 1.0;
	for (size_t v = 0; v < 3 * count; v += 3)
	{
		const double from[3] = { (double)starts[v], (double)starts[v + 1], (double)starts[v + 2] };
		const double to[3] = { (double)ends[v], (double)ends[v + 1], (double)ends[v + 2] };
		double before = height + sgDot(ground->normal, from), after = height + sgDot(ground->normal, to);
		double time = after >= 0.0 ? 1.0 : before <= 0.0 ? 0.0 : before / (before - after);
		first = fmin(first, time);
	}
	return first;
}

static snugStatus SweepGround(const simWorld* world, simFlight* flight)
{
	const simBody *from = world->starts + flight->a, *to = world->bodies + flight->a;
	const snugPlane* ground = &world->def.ground;
	const snugPlane above = { { -ground->normal[0], -ground->normal[1], -ground->normal[2] }, -ground->offset };
	const size_t count = snugModel_GetInfo(to->shape->model).vertexCount;
	snugBody *start = NULL, *end = NULL;
	float* vertices = NULL;
	bool isAbove = false;
	snugStatus status = MakePosed(world, to, &end);
	status = status == snug_success ? snugBody_IsOutside(end, NULL, &above, 1, &isAbove) : status;
	if (status == snug_success && !isAbove)
	{
		vertices = malloc(6 * count * sizeof(float));
		status = vertices != NULL ? MakePosed(world, from, &start) : snug_outOfMemory;
		status = status == snug_success ? snugBody_GetVertices(start, from->position, vertices, 0) : status;
		status = status == snug_success ? snugBody_GetVertices(end, from->position, vertices + 3 * count, 0) : status;
	}
	if (status == snug_success && !isAbove)
	{
		double height = ground->offset + sgDot(ground->normal, from->position);
		flight->time = FindGround(ground, height, vertices, vertices + 3 * count, count);
	}
	snugBody_Destroy(start);
	snugBody_Destroy(end);
	free(vertices);
	return status;
}

static void FlightTask(void* context, uint32_t index)
{
	const simWorld* world = context;
	simFlight* flight = world->flights + index;
	flight->status = flight->b == SIM_GROUND ? SweepGround(world, flight) : SweepTwo(world, flight);
}

static void Between(double* to, const double* from, double part, uint32_t count)
{
	for (uint32_t k = 0; k < count; ++k)
	{
		to[k] = from[k] + part * (to[k] - from[k]);
	}
}

static void StopBody(simBody* body, const simBody* from, double part)
{
	Between(body->position, from->position, part, 3);
	Between(body->rotation, from->rotation, part, 4);
	Between(body->velocity, from->velocity, part, 3);
	Between(body->momentum, from->momentum, part, 3);
	Between(body->q, from->q, part, body->shape->modeCount);
	Between(body->dq, from->dq, part, body->shape->modeCount);
	simTurn(body->rotation, (const double[3]){ 0.0, 0.0, 0.0 }); // of unit length
	simBody_Orient(body);
}

static bool SweepFlights(simWorld* world, simError* error)
{
	simWorld_Run(world, (uint32_t)world->counts.swept, FlightTask, world);
	for (uint64_t i = 0; i < world->counts.swept; ++i)
	{
		const simFlight* flight = world->flights + i;
		double part = flight->time < 1.0 ? fmin(flight->time + flight->more, 1.0) : 1.0;
		if (flight->status != snug_success)
		{
			return simError_Set(error, "sweeping body %u: %s", flight->a, snugGetStatusText(flight->status));
		}
		world->bodies[flight->a].part = fmin(world->bodies[flight->a].part, part);
		if (flight->b < SIM_GROUND)
		{
			world->bodies[flight->b].part = fmin(world->bodies[flight->b].part, part);
		}
	}
	return true;
}

bool simWorld_Stop(simWorld* world, simError* error)
{
	bool flies = false;
	for (uint32_t i = 0; i < world->count; ++i)
	{
		world->bodies[i].part = 1.0;
		flies = flies || Flies(world->bodies + i);
	}
	if (!flies)
	{
		return true;
	}
	for (uint32_t i = 0; i < world->count; ++i)
	{
		snugStatus status = FindWay(world, world->ways + i);
		if (status != snug_success)
		{
			return simError_Set(error, "body %u: %s", world->ways[i].body, snugGetStatusText(status));
		}
	}
	if (!AddFlights(world, error) || !SweepFlights(world, error))
	{
		return false;
	}
	for (uint32_t i = 0; i < world->count; ++i)
	{
		simBody* body = world->bodies + i;
		if (Flies(body) && body->part < 1.0)
		{
			StopBody(body, world->starts + i, body->part);
			++world->counts.stopped;
		}
	}
	return true;
}
