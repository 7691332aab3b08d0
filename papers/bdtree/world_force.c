// Contacts and their forces, run by run. See world.h.
#include "papers/bdtree/world_touch.h"

#include <math.h>
#include <string.h>

/// What a stride bears of stiffness and damping. Let |j|^2 be 1 / mass that a contact feels, both bodies together. The
/// springs of two bodies with each other have no eigenvalue above their load, the sum of k |j|^2; all springs together
/// none above the greatest sum, over bodies, of the loads of the pairs that each is in. So each pair gets its part by
/// how many pairs its bodies are in, however many contacts it has; ground and stage are apart, so that no crowd softens
/// the ground. With damping c, behind by half a stride, k dt^2 + 2 c dt must stay below 4. It is at most 2.5 here for
/// each of the two, by bounds that take it that all contacts of a body act on one motion of it; with twice the
/// stiffness heaps begin to boil.
#define STIFFEST 1.5
#define MOST_DAMPED 0.5
/// A contact feels the modes of a body at most as so many times what it feels of the body as a whole. Modes are light,
/// and a contact that a step bears would else be far too soft to stop the body.
#define MOST_YIELDING 0.1

// ---- One contact -----------------------------------------------------------------------------------------------

/// Two modes side by side. Vectors of the compiler: each lane is rounded on its own, so they are the same bits on every
/// machine.
typedef double simTwo __attribute__((vector_size(16), may_alias));

static uint32_t CountTwos(const simWorld* world, const simBody* body)
{
	return world->def.isRigid ? 0 : body->shape->evenCount / 2;
}

// Of a node's centre: along x for all modes, then along y and z.
static const simTwo* GetMoves(const simBody* body, uint32_t node)
{
	return (const simTwo*)(const void*)(body->shape->moves + 3 * (size_t)node * body->shape->evenCount);
}

// How much the modes yield along the normal; where that would be too much, displacements count for less, as if modes
// were heavier: in forces and velocities alike, so that no energy comes of it.
static double YieldModes(const simBody* body, uint32_t count, const double normal[3], double yield, simEnd* end)
{
	const simTwo *moves = GetMoves(body, end->node), *yields = (const simTwo*)(const void*)body->shape->yields;
	simTwo sums = { 0.0, 0.0 };
	double own[3], most = MOST_YIELDING * yield;
	simApplyBack((const double(*)[3])body->matrix, normal, own);
	for (uint32_t m = 0; m < count; ++m)
	{
		simTwo along = moves[m] * own[0] + moves[count + m] * own[1] + moves[2 * count + m] * own[2];
		sums += along * along * yields[m];
	}
	double added = sums[0] + sums[1];
	end->fieldScale = added > most ? sqrt(most / added) : 1.0;
	return yield + fmin(added, most);
}

// @return 1 / mass that the contact feels along the normal
static double MakeEnd(
    const simWorld* world, const simBody* body, const double place[3], const double normal[3], simEnd* end)
{
	double across[3], turned[3], back[3];
	sgSubtract(place, body->position, end->arm);
	sgCross(end->arm, normal, across);
	simApply((const double(*)[3])body->inverse, across, turned);
	sgCross(turned, end->arm, back);
	double yield = 1.0 / body->shape->mass.mass + sgDot(back, normal);
	uint32_t count = CountTwos(world, body);
	return count > 0 ? YieldModes(body, count, normal, yield, end) : yield;
}

// From the other's centre, or the point of a triangle, to ours. Two centres in one place push upwards.
static void FindNormal(const simWorld* world, const sphereContact* contact, uint32_t other, double normal[3])
{
	double length2 = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		normal[k] = other == SIM_GROUND ? world->def.ground.normal[k]
		                                : (double)contact->a.center[k] - (double)contact->b.center[k];
		length2 += normal[k] * normal[k];
	}
	double length = sqrt(length2);
	for (int k = 0; k < 3; ++k)
	{
		normal[k] = length > 0.0 ? normal[k] / length : k == 1 ? 1.0 : 0.0;
	}
}

// The mean of a triangle's corners. A corner's velocity is a sum over fields in single precision, so that it does not
// matter who computes it.
static void GetStageVelocity(const simStage* stage, uint32_t triangle, double velocity[3])
{
	const uint32_t* corners = stage->triangles + 3 * (size_t)triangle;
	size_t size = 3 * (size_t)stage->vertexCount;
	for (size_t k = 0; k < 3; ++k)
	{
		velocity[k] = 0.0;
		for (int c = 0; c < 3; ++c)
		{
			float sum = 0.0f;
			for (uint32_t f = 0; f < stage->fieldCount; ++f)
			{
				sum += stage->speeds[f] * stage->fields[size * f + 3 * (size_t)corners[c] + k];
			}
			velocity[k] += (double)sum / 3.0;
		}
	}
}

// @return 1 / mass that it feels, of both bodies together
static double Meet(const simWorld* world, const simRun* run, const sphereContact* contact, simMeeting* m)
{
	double place[3], yield;
	*m = (simMeeting){ .depth = (double)contact->depth,
		.reach = (double)contact->a.radius + (double)contact->b.radius,
		.ends = {
		    { .node = contact->a.treeNode, .fieldScale = 1.0 }, { .node = contact->b.treeNode, .fieldScale = 1.0 } } };
	FindNormal(world, contact, run->b, m->normal);
	for (int k = 0; k < 3; ++k)
	{
		place[k] = (double)contact->a.center[k] - ((double)contact->a.radius - 0.5 * m->depth) * m->normal[k];
	}
	yield = MakeEnd(world, world->bodies + run->a, place, m->normal, &m->ends[0]);
	if (run->b < SIM_GROUND)
	{
		yield += MakeEnd(world, world->bodies + run->b, place, m->normal, &m->ends[1]);
	}
	else if (run->b == SIM_STAGE)
	{
		GetStageVelocity(world->def.stage, m->ends[1].node, m->ends[1].arm);
	}
	return yield;
}

static void GetVelocity(const simWorld* world, const simBody* body, const simEnd* end, double velocity[3])
{
	const uint32_t count = CountTwos(world, body);
	const simTwo *moves = GetMoves(body, end->node), *speeds = (const simTwo*)(const void*)body->dq;
	simTwo x = { 0.0, 0.0 }, y = x, z = x;
	for (uint32_t m = 0; m < count; ++m)
	{
		simTwo speed = speeds[m] * end->fieldScale;
		x += moves[m] * speed;
		y += moves[count + m] * speed;
		z += moves[2 * count + m] * speed;
	}
	const double own[3] = { x[0] + x[1], y[0] + y[1], z[0] + z[1] };
	double moved[3], vibration[3];
	sgCross(body->spin, end->arm, moved);
	simApply((const double(*)[3])body->matrix, own, vibration);
	for (int k = 0; k < 3; ++k)
	{
		velocity[k] = body->velocity[k] + moved[k] + vibration[k];
	}
}

static void AddPush(const simWorld* world, const simBody* body, const simEnd* end, const double force[3], simPush* push)
{
	const uint32_t count = CountTwos(world, body);
	const simTwo* moves = GetMoves(body, end->node);
	simTwo* modal = (simTwo*)(void*)push->modal;
	double own[3];
	simAddForce(push->force, push->torque, end->arm, force);
	simApplyBack((const double(*)[3])body->matrix, force, own);
	for (uint32_t m = 0; m < count; ++m)
	{
		simTwo along = moves[m] * own[0] + moves[count + m] * own[1] + moves[2 * count + m] * own[2];
		modal[m] += along * end->fieldScale;
	}
}

static simGrade FindGrade(const simWorld* world, double load)
{
	double stride = world->stride;
	return (simGrade){
		.stiffness = fmin(world->def.law.stiffness, STIFFEST / (load * stride * stride)),
		.damping = fmin(world->def.law.damping, MOST_DAMPED / (load * stride)),
	};
}

// Normal force, and friction by a spring that slides where it would pull harder.
static void FindForce(const simWorld* world, simGrade grade, double depth, const double normal[3],
    const double velocity[3], double slide[3], double force[3])
{
	double approach = -sgDot(velocity, normal), stride = world->stride;
	double pressure = fmax(0.0, grade.stiffness * depth + grade.damping * approach), along = 0.0, pull2 = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		slide[k] += stride * (velocity[k] + approach * normal[k]);
		along += slide[k] * normal[k];
	}
	double pull[3];
	for (int k = 0; k < 3; ++k)
	{
		slide[k] -= along * normal[k];
		pull[k] = -grade.stiffness * slide[k] - grade.damping * (velocity[k] + approach * normal[k]);
		pull2 += pull[k] * pull[k];
	}
	double most = world->def.law.friction * pressure, length = sqrt(pull2);
	double scale = length > most ? most / length : 1.0;
	for (int k = 0; k < 3; ++k)
	{
		slide[k] *= scale;
		force[k] = pressure * normal[k] + scale * pull[k];
	}
}

// The velocity of a with respect to the other.
static void GetApproach(const simWorld* world, const simRun* run, const simMeeting* m, double velocity[3])
{
	double other[3] = { 0.0, 0.0, 0.0 };
	GetVelocity(world, world->bodies + run->a, &m->ends[0], velocity);
	if (run->b < SIM_GROUND)
	{
		GetVelocity(world, world->bodies + run->b, &m->ends[1], other);
	}
	sgSubtract(velocity, run->b == SIM_STAGE ? m->ends[1].arm : other, velocity);
}

// A contact a stride later: it moves on with a, and is as much deeper as both have come closer.
static void Follow(const simWorld* world, const simRun* run, simMeeting* m, double velocity[3])
{
	for (int k = 0; k < 3 && run->b < SIM_GROUND; ++k)
	{
		m->ends[1].arm[k] = world->bodies[run->a].position[k] + m->ends[0].arm[k] - world->bodies[run->b].position[k];
	}
	GetApproach(world, run, m, velocity);
	m->depth -= world->stride * sgDot(velocity, m->normal);
}

// What a contact was found with would be thrown out with a force that nobody has worked for. So it comes to count
// little by little, and what a contact has come out of at once.
static double Ease(const simWorld* world, const simMeeting* m, simGrip* grip)
{
	double depth = m->depth - fmin(grip->ease, m->depth);
	grip->ease = world->def.law.easing > world->stride
	                 ? (m->depth - depth) * (1.0 - world->stride / world->def.law.easing)
	                 : 0.0;
	return depth;
}

// ---- Springs ---------------------------------------------------------------------------------------------------

/// The springs that two bodies had, found by a table: open addressing, zero or 1 + the number after the first.
typedef struct simReader
{
	const simGrip* grips;
	uint64_t count;
	uint32_t* table; ///< (size), a power of two, at least twice and less than four times the count
	uint64_t size;   ///< zero if there are none
} simReader;

static uint64_t PlaceOf(const simReader* reader, uint32_t nodeA, uint32_t nodeB)
{
	return (nodeA * 0x9e3779b97f4a7c15u + nodeB * 0xc2b2ae3d27d4eb4fu) >> 20 & (reader->size - 1);
}

// Each run has a part of the world's table, so that threads do not meet there.
static simReader ReadGrips(const simWorld* world, const simRun* run)
{
	simReader reader = { world->grips + run->gripFirst, run->gripEnd - run->gripFirst,
		world->table + 4 * run->gripFirst, 0 };
	if (reader.count == 0)
	{
		return reader;
	}
	for (reader.size = 4; reader.size < 2 * reader.count; reader.size *= 2)
	{
	}
	memset(reader.table, 0, reader.size * sizeof(uint32_t));
	for (uint64_t i = 0; i < reader.count; ++i)
	{
		uint64_t at = PlaceOf(&reader, reader.grips[i].nodeA, reader.grips[i].nodeB);
		while (reader.table[at] != 0)
		{
			at = (at + 1) & (reader.size - 1);
		}
		reader.table[at] = (uint32_t)(i + 1);
	}
	return reader;
}

// The spring that two spheres had; a new one if they did not touch.
static simGrip FindGrip(const simReader* reader, const simMeeting* m, double easing)
{
	simGrip made = { .nodeA = m->ends[0].node, .nodeB = m->ends[1].node, .ease = easing > 0.0 ? m->depth : 0.0 };
	if (reader->size == 0)
	{
		return made;
	}
	uint64_t at = PlaceOf(reader, made.nodeA, made.nodeB);
	for (; reader->table[at] != 0; at = (at + 1) & (reader->size - 1))
	{
		const simGrip* grip = reader->grips + reader->table[at] - 1;
		if (grip->nodeA == made.nodeA && grip->nodeB == made.nodeB)
		{
			return *grip;
		}
	}
	return made;
}

// Thin parts go through one another in a step, and spheres whose centres have passed would draw them on. So two bodies
// remember which way they came together: the mean of their first contacts, followed as it turns.
// @param before what they remember; null: nothing yet
static void FindAxis(const simMeeting* first, const simMeeting* end, const double before[3], double axis[3])
{
	double sum[3] = { 0.0, 0.0, 0.0 }, length2 = 0.0;
	for (int k = 0; k < 3 && before != NULL; ++k)
	{
		sum[k] = 9.0 * before[k];
	}
	double weight = 0.0, mean[3] = { 0.0, 0.0, 0.0 };
	for (const simMeeting* m = first; m < end; ++m)
	{
		bool counts = before == NULL || sgDot(m->normal, before) > 0.0;
		for (int k = 0; k < 3 && counts; ++k)
		{
			mean[k] += m->depth * m->normal[k];
		}
		weight += counts ? m->depth : 0.0;
	}
	for (int k = 0; k < 3; ++k)
	{
		sum[k] += weight > 0.0 ? mean[k] / weight : first->normal[k];
		length2 += sum[k] * sum[k];
	}
	double length = sqrt(length2);
	for (int k = 0; k < 3; ++k)
	{
		axis[k] = length > 0.0 ? sum[k] / length : first->normal[k];
	}
}

// Contacts that push against that way are turned round, and are as deep as they are along it.
static void TurnRound(simMeeting* first, const simMeeting* end, const double axis[3])
{
	for (simMeeting* m = first; m < end; ++m)
	{
		double along = sgDot(m->normal, axis);
		if (along < 0.0)
		{
			m->depth = m->reach - (m->reach - m->depth) * along;
			memcpy(m->normal, axis, sizeof(m->normal));
		}
	}
}

// ---- Runs ------------------------------------------------------------------------------------------------------

static const sphereContact* GetContact(const simWorld* world, const simRun* run, uint64_t number)
{
	uint64_t count;
	return run->b < SIM_GROUND ? contactScene_GetContacts(world->spheres, &count) + number
	                           : &world->touches[number - world->counts.contacts].contact;
}

static void Grip(const simWorld* world, simRun* run)
{
	simMeeting *first = world->meetings + run->first, *end = world->meetings + run->end;
	simReader reader = ReadGrips(world, run);
	if (run->b < SIM_GROUND)
	{
		double before[3];
		memcpy(before, run->axis, sizeof(before));
		FindAxis(first, end, reader.count > 0 ? before : NULL, run->axis);
		TurnRound(first, end, run->axis);
	}
	for (const simMeeting* m = first; m < end; ++m)
	{
		world->nextGrips[m - world->meetings] = FindGrip(&reader, m, world->def.law.easing);
	}
}

static void Respond(const simWorld* world, simRun* run, const simMeeting* m, const double velocity[3], simGrip* grip)
{
	double force[3], depth = Ease(world, m, grip);
	FindForce(world, run->grade, depth, m->normal, velocity, grip->slide, force);
	AddPush(world, world->bodies + run->a, &m->ends[0], force, &run->pushes[0]);
	if (run->b < SIM_GROUND)
	{
		const double back[3] = { -force[0], -force[1], -force[2] };
		AddPush(world, world->bodies + run->b, &m->ends[1], back, &run->pushes[1]);
	}
}

void simRun_Meet(const simWorld* world, simRun* run)
{
	double load = 0.0, velocity[3];
	uint32_t pairs = 1;
	for (uint64_t i = run->first; i < run->end; ++i)
	{
		simMeeting* m = world->meetings + i;
		load += Meet(world, run, GetContact(world, run, i), m);
		run->deepest = fmax(run->deepest, m->depth);
	}
	if (run->b < SIM_GROUND)
	{
		uint32_t a = world->bodies[run->a].pairCount, b = world->bodies[run->b].pairCount;
		pairs = a > b ? a : b;
	}
	run->grade = FindGrade(world, (double)pairs * load);
	Grip(world, run);
	for (uint64_t i = run->first; i < run->end; ++i)
	{
		const simMeeting* m = world->meetings + i;
		GetApproach(world, run, m, velocity);
		Respond(world, run, m, velocity, world->nextGrips + i);
	}
}

void simRun_Follow(const simWorld* world, simRun* run)
{
	memset(run->pushes, 0, sizeof(run->pushes));
	for (uint64_t i = run->first; i < run->end; ++i)
	{
		simMeeting* m = world->meetings + i;
		double velocity[3];
		Follow(world, run, m, velocity);
		if (m->depth >= 0.0)
		{
			Respond(world, run, m, velocity, world->grips + i);
		}
	}
}

void simBody_TakeForces(const simWorld* world, simBody* body)
{
	for (uint32_t r = 0; r < body->runCount; ++r)
	{
		const simRun* run = world->runs + world->runsOfBodies[body->firstRun + r];
		const simPush* push = &run->pushes[world->bodies + run->a != body];
		for (int k = 0; k < 3; ++k)
		{
			body->force[k] += push->force[k];
			body->torque[k] += push->torque[k];
		}
		for (uint32_t m = 0; m < 2 * CountTwos(world, body); ++m)
		{
			body->modal[m] += push->modal[m];
		}
	}
}
