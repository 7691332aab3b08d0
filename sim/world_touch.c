// Contacts and their forces. See world.h.
#include "sim/world_touch.h"

#include "sim/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// What all contacts of a body together may have of the stiffness and the damping that a step bears: w^2 dt^2 = 1/4 and
/// c dt / m = 1/2, where 4 and 2 would be too much.
#define STIFFEST 0.25
#define MOST_DAMPED 0.5

bool simGrow(void** array, uint64_t* capacity, uint64_t needed, size_t size, simError* error)
{
	if (needed <= *capacity)
	{
		return true;
	}
	uint64_t larger = needed + needed / 2 + 256;
	void* made = realloc(*array, (size_t)larger * size);
	if (made == NULL)
	{
		return simError_SetMemory(error);
	}
	*array = made;
	*capacity = larger;
	return true;
}

// ---- Finding ---------------------------------------------------------------------------------------------------

static snugSphereResult AskOther(simWorld* world, simBody* body, uint32_t other)
{
	snugSpheresQuery query = { .contacts = world->list, .capacity = world->listCapacity, .level = world->def.level };
	return other == SIM_GROUND ? snugSpheres_CollidePlane(body->spheres, &world->def.ground, &query)
	                           : snugSpheres_CollideTriangles(body->spheres, world->def.stage->spheres, &query);
}

// Contacts of a body with the ground or the stage, once more if there was too little room.
static bool FindTouches(simWorld* world, uint32_t number, uint32_t other, simError* error)
{
	simBody* body = world->bodies + number;
	snugSphereResult found = AskOther(world, body, other);
	if (found.status == snug_success && found.count > world->listCapacity)
	{
		if (!simGrow((void**)&world->list, &world->listCapacity, found.count, sizeof(*world->list), error))
		{
			return false;
		}
		found.spheresUpdated += AskOther(world, body, other).spheresUpdated;
	}
	if (found.status != snug_success)
	{
		return simError_Set(error, "body %u: %s", number, snugGetStatusText(found.status));
	}
	uint64_t count = world->touchCount + found.count;
	if (!simGrow((void**)&world->touches, &world->touchCapacity, count, sizeof(simTouch), error))
	{
		return false;
	}
	for (uint64_t i = 0; i < found.count; ++i)
	{
		world->touches[world->touchCount++] = (simTouch){ number, other, world->list[i] };
	}
	body->contactCount += (uint32_t)found.count;
	world->counts.sphereTests += found.sphereTests;
	world->counts.spheresUpdated += found.spheresUpdated;
	return true;
}

static bool FindAll(simWorld* world, simError* error)
{
	snugSphereSceneResult result = snugSphereScene_Update(world->spheres, world->def.level);
	world->counts.candidates = result.candidates;
	world->counts.pairs = result.pairs;
	world->counts.contacts = result.contacts;
	world->counts.sphereTests = result.sphereTests;
	world->counts.spheresUpdated = result.spheresUpdated;
	if (result.status != snug_success)
	{
		return simError_Set(error, "%llu candidates, %llu contacts: %s", (unsigned long long)result.candidates,
		    (unsigned long long)result.contacts, snugGetStatusText(result.status));
	}
	world->touchCount = 0;
	bool good = true;
	for (uint32_t i = 0; i < world->count; ++i)
	{
		world->bodies[i].contactCount = 0;
	}
	for (uint32_t i = 0; i < world->count && good; ++i)
	{
		good = (!world->def.hasGround || FindTouches(world, i, SIM_GROUND, error)) &&
		       (world->def.stage == NULL || FindTouches(world, i, SIM_STAGE, error));
	}
	uint64_t pairCount;
	const snugSpherePair* pairs = snugSphereScene_GetPairs(world->spheres, &pairCount);
	for (uint64_t i = 0; i < pairCount; ++i)
	{
		world->bodies[pairs[i].a].contactCount += (uint32_t)pairs[i].count;
		world->bodies[pairs[i].b].contactCount += (uint32_t)pairs[i].count;
	}
	world->counts.groundContacts = world->touchCount;
	return good;
}

// ---- One contact -----------------------------------------------------------------------------------------------

/// A body at a contact.
typedef struct simEnd
{
	simBody* body;                    ///< null: nothing pushes this end
	double fields[3 * SIM_MAX_MODES]; ///< displacements of the sphere's centre, body space
	double arm[3];                    ///< from the centre of mass
	double normal[3];                 ///< in body space
	double yield;                     ///< 1 / mass that it feels along the normal
	uint32_t modeCount;
} simEnd;

static void SetEnd(const simWorld* world, simEnd* end, simBody* body, uint32_t treeNode, const double place[3],
    const double normal[3], double velocity[3])
{
	snugSphereNode node;
	float fields[3 * SIM_MAX_MODES];
	double across[3], turned[3], back[3], moved[3], own[3] = { 0.0, 0.0, 0.0 };
	end->body = body;
	end->modeCount = world->def.isRigid ? 0 : body->shape->modeCount;
	simSubtract(place, body->position, end->arm);
	simCross(end->arm, normal, across);
	simApply((const double(*)[3])body->inverse, across, turned);
	simCross(turned, end->arm, back);
	end->yield = 1.0 / body->shape->mass.mass + simDot(back, normal);
	simCross(body->spin, end->arm, moved);
	if (end->modeCount > 0)
	{
		snugSphereTree_GetNode(body->shape->tree, treeNode, &node, fields);
		simApplyBack((const double(*)[3])body->matrix, normal, end->normal);
	}
	for (uint32_t m = 0; m < end->modeCount; ++m)
	{
		double* field = end->fields + 3 * m;
		for (int k = 0; k < 3; ++k)
		{
			field[k] = (double)fields[3 * m + (uint32_t)k];
			own[k] += field[k] * body->dq[m];
		}
		double along = simDot(field, end->normal);
		end->yield += along * along * body->shape->yields[m];
	}
	double vibration[3];
	simApply((const double(*)[3])body->matrix, own, vibration);
	for (int k = 0; k < 3; ++k)
	{
		velocity[k] = body->velocity[k] + moved[k] + vibration[k];
	}
}

static void PushEnd(const simEnd* end, const double place[3], const double force[3])
{
	double own[3];
	simBody_AddForce(end->body, place, force);
	simApplyBack((const double(*)[3])end->body->matrix, force, own);
	for (uint32_t m = 0; m < end->modeCount; ++m)
	{
		end->body->modal[m] += simDot(end->fields + 3 * m, own);
	}
}

// From the other's centre, or the point of a triangle, to ours. Two centres in one place push upwards.
static void FindNormal(const simWorld* world, const snugSphereContact* contact, uint32_t other, double normal[3])
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

static void GetStageVelocity(const simStage* stage, uint32_t triangle, double velocity[3])
{
	for (int k = 0; k < 3; ++k)
	{
		velocity[k] = 0.0;
		for (int c = 0; c < 3 && stage->velocities != NULL; ++c)
		{
			velocity[k] +=
			    (double)stage->velocities[3 * (size_t)stage->triangles[3 * (size_t)triangle + (size_t)c] + (size_t)k] /
			    3.0;
		}
	}
}

/// How hard a contact is.
typedef struct simGrade
{
	double stiffness, damping;
} simGrade;

static simGrade FindGrade(const simWorld* world, double yield, uint32_t contacts)
{
	double step = world->def.step, share = 1.0 / (yield * (double)contacts);
	return (simGrade){
		.stiffness = fmin(world->def.law.stiffness, STIFFEST * share / (step * step)),
		.damping = fmin(world->def.law.damping, MOST_DAMPED * share / step),
	};
}

// Normal force, and friction by a spring that slides where it would pull harder.
static void FindForce(const simWorld* world, simGrade grade, double depth, const double normal[3],
    const double velocity[3], double slide[3], double force[3])
{
	double approach = -simDot(velocity, normal), step = world->def.step;
	double pressure = fmax(0.0, grade.stiffness * depth + grade.damping * approach), along = 0.0, pull2 = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		slide[k] += step * (velocity[k] + approach * normal[k]);
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

static void Respond(simWorld* world, uint32_t a, uint32_t b, const snugSphereContact* contact, double slide[3])
{
	double normal[3], place[3], velocity[3], other[3] = { 0.0, 0.0, 0.0 }, force[3], back[3];
	simEnd ends[2];
	simBody* first = world->bodies + a;
	double depth = (double)contact->depth;
	uint32_t contacts = first->contactCount;
	FindNormal(world, contact, b, normal);
	for (int k = 0; k < 3; ++k)
	{
		place[k] = (double)contact->a.center[k] - ((double)contact->a.radius - 0.5 * depth) * normal[k];
	}
	SetEnd(world, &ends[0], first, contact->a.treeNode, place, normal, velocity);
	double yield = ends[0].yield;
	bool isBody = b < SIM_GROUND;
	if (isBody)
	{
		simBody* second = world->bodies + b;
		SetEnd(world, &ends[1], second, contact->b.treeNode, place, normal, other);
		yield += ends[1].yield;
		contacts = second->contactCount > contacts ? second->contactCount : contacts;
	}
	else if (b == SIM_STAGE)
	{
		GetStageVelocity(world->def.stage, contact->b.treeNode, other);
	}
	simSubtract(velocity, other, velocity);
	FindForce(world, FindGrade(world, yield, contacts), depth, normal, velocity, slide, force);
	PushEnd(&ends[0], place, force);
	for (int k = 0; k < 3; ++k)
	{
		back[k] = -force[k];
	}
	if (isBody)
	{
		PushEnd(&ends[1], place, back);
	}
	world->counts.deepest = fmax(world->counts.deepest, depth);
}

// ---- All contacts ----------------------------------------------------------------------------------------------

static int CompareBodies(const simGrip* grip, uint32_t a, uint32_t b)
{
	int order = (grip->a > a) - (grip->a < a);
	return order != 0 ? order : (grip->b > b) - (grip->b < b);
}

/// The springs of last time, from which those of a pair of bodies are taken in order.
typedef struct simReader
{
	const simGrip* grips;
	uint64_t count;
	uint64_t first, end; ///< those of the pair of bodies looked at last
	uint64_t next;       ///< of those, the one after the last that was found: contacts come in much the same order
} simReader;

static void FindGripsOf(simReader* reader, uint32_t a, uint32_t b)
{
	while (reader->end < reader->count && CompareBodies(reader->grips + reader->end, a, b) < 0)
	{
		++reader->end;
	}
	reader->first = reader->next = reader->end;
	while (reader->end < reader->count && CompareBodies(reader->grips + reader->end, a, b) == 0)
	{
		++reader->end;
	}
}

// The spring that two spheres had; a new one if they did not touch.
static simGrip FindGrip(simReader* reader, uint32_t a, uint32_t b, const snugSphereContact* contact)
{
	simGrip made = { a, b, contact->a.treeNode, contact->b.treeNode, { 0.0, 0.0, 0.0 } };
	if (reader->first == reader->end || CompareBodies(reader->grips + reader->first, a, b) != 0)
	{
		FindGripsOf(reader, a, b);
	}
	uint64_t count = reader->end - reader->first;
	for (uint64_t i = 0; i < count; ++i)
	{
		uint64_t at = reader->first + (reader->next - reader->first + i) % count;
		if (reader->grips[at].nodeA == made.nodeA && reader->grips[at].nodeB == made.nodeB)
		{
			reader->next = at + 1;
			return reader->grips[at];
		}
	}
	return made;
}

static void RespondWith(simWorld* world, simReader* reader, uint32_t a, uint32_t b, const snugSphereContact* contact)
{
	simGrip grip = FindGrip(reader, a, b, contact);
	Respond(world, a, b, contact, grip.slide);
	world->nextGrips[world->nextGripCount++] = grip;
}

static bool MakeRoom(simWorld* world, simError* error)
{
	uint64_t needed = world->counts.contacts + world->touchCount, other = world->gripCapacity;
	return simGrow((void**)&world->nextGrips, &other, needed, sizeof(simGrip), error) &&
	       simGrow((void**)&world->grips, &world->gripCapacity, needed, sizeof(simGrip), error);
}

// Bodies with bodies, then each with ground and stage: springs are sorted as contacts are, in two runs.
bool simWorld_Respond(simWorld* world, simError* error)
{
	if (!FindAll(world, error) || !MakeRoom(world, error))
	{
		return false;
	}
	uint64_t pairCount, contactCount, split = 0;
	const snugSpherePair* pairs = snugSphereScene_GetPairs(world->spheres, &pairCount);
	const snugSphereContact* contacts = snugSphereScene_GetContacts(world->spheres, &contactCount);
	while (split < world->gripCount && world->grips[split].b < SIM_GROUND)
	{
		++split;
	}
	simReader between = { world->grips, split, 0, 0, 0 };
	simReader below = { world->grips + split, world->gripCount - split, 0, 0, 0 };
	world->nextGripCount = 0;
	for (uint64_t p = 0; p < pairCount; ++p)
	{
		for (uint64_t i = 0; i < pairs[p].count; ++i)
		{
			RespondWith(world, &between, pairs[p].a, pairs[p].b, contacts + pairs[p].first + i);
		}
	}
	for (uint64_t i = 0; i < world->touchCount; ++i)
	{
		const simTouch* touch = world->touches + i;
		RespondWith(world, &below, touch->a, touch->b, &touch->contact);
	}
	simGrip* kept = world->grips;
	world->grips = world->nextGrips;
	world->nextGrips = kept;
	world->gripCount = world->nextGripCount;
	return true;
}
