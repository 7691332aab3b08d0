// Contacts and their forces. See world.h.
#include "sim/world_touch.h"

#include "sim/vector.h"

#include <math.h>
#include <stdlib.h>
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
	world->counts.sphereTests += found.sphereTests;
	world->counts.spheresUpdated += found.spheresUpdated;
	return true;
}

// More room for candidates or contacts than a step asked for.
static bool GrowScene(simWorld* world, const snugSphereSceneResult* result, simError* error)
{
	simWorldDef* def = &world->def;
	def->candidates = result->candidates > def->candidates ? 2 * result->candidates : def->candidates;
	def->contacts = result->contacts > def->contacts ? 2 * result->contacts : def->contacts;
	snugSceneRoom room = { .candidates = def->candidates };
	snugSphereSceneDef sceneDef = { .scene = world->scene, .contacts = def->contacts };
	snugStatus status = snugScene_Reserve(world->scene, &room);
	snugSphereScene_Destroy(world->spheres);
	world->spheres = NULL;
	status = status == snug_success ? snugSphereScene_Create(&sceneDef, &world->spheres) : status;
	for (uint32_t i = 0; i < world->count && status == snug_success; ++i)
	{
		status = snugSphereScene_Set(world->spheres, i, world->bodies[i].spheres);
	}
	return status == snug_success ||
	       simError_Set(error, "no room for %llu contacts", (unsigned long long)def->contacts);
}

static bool FindAll(simWorld* world, simError* error)
{
	snugSphereSceneResult result = snugSphereScene_Update(world->spheres, world->def.level);
	while (result.status == snug_outOfRange && result.body == UINT32_MAX)
	{
		if (!GrowScene(world, &result, error))
		{
			return false;
		}
		result = snugSphereScene_Update(world->spheres, world->def.level);
	}
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
		world->bodies[i].pairCount = 0;
	}
	for (uint32_t i = 0; i < world->count && good; ++i)
	{
		good = (!world->def.hasGround || FindTouches(world, i, SIM_GROUND, error)) &&
		       (world->def.stage == NULL || FindTouches(world, i, SIM_STAGE, error));
	}
	world->counts.groundContacts = world->touchCount;
	return good;
}

// ---- One contact -----------------------------------------------------------------------------------------------

/// A body at a contact.
typedef struct simEnd
{
	simBody* body;     ///< null: what nobody can push
	uint32_t node;     ///< of the sphere
	double arm[3];     ///< from the centre of mass
	double yield;      ///< 1 / mass that it feels along the normal
	double fieldScale; ///< displacements of modes count for so much
} simEnd;

/// How hard a contact is.
typedef struct simGrade
{
	double stiffness, damping;
} simGrade;

/// A contact, and what follows from where it is.
typedef struct simMeeting
{
	uint32_t a, b;
	double reach; ///< of both spheres together
	double depth;
	double normal[3]; ///< towards a
	simEnd ends[2];
	uint32_t nodeB;     ///< or the triangle
	double carrying[3]; ///< how fast the stage moves there
	simGrade grade;
} simMeeting;

static uint32_t CountModes(const simWorld* world, const simBody* body)
{
	return world->def.isRigid ? 0 : body->shape->modeCount;
}

static const float* GetMoves(const simEnd* end)
{
	const simShape* shape = end->body->shape;
	return shape->moves + 3 * (size_t)end->node * shape->modeCount;
}

// How much the modes yield along the normal; where that would be too much, displacements count for less, as if modes
// were heavier: in forces and velocities alike, so that no energy comes of it.
static void YieldModes(simEnd* end, uint32_t modeCount, const double normal[3])
{
	const float* moves = GetMoves(end);
	double own[3], yield = 0.0, most = MOST_YIELDING * end->yield;
	simApplyBack((const double(*)[3])end->body->matrix, normal, own);
	for (uint32_t m = 0; m < modeCount; ++m)
	{
		const float* field = moves + 3 * m;
		double along = (double)field[0] * own[0] + (double)field[1] * own[1] + (double)field[2] * own[2];
		yield += along * along * end->body->shape->yields[m];
	}
	end->fieldScale = yield > most ? sqrt(most / yield) : 1.0;
	end->yield += fmin(yield, most);
}

static simEnd MakeEnd(
    const simWorld* world, simBody* body, uint32_t node, const double place[3], const double normal[3])
{
	simEnd end = { .body = body, .node = node, .fieldScale = 1.0 };
	double across[3], turned[3], back[3];
	simSubtract(place, body->position, end.arm);
	simCross(end.arm, normal, across);
	simApply((const double(*)[3])body->inverse, across, turned);
	simCross(turned, end.arm, back);
	end.yield = 1.0 / body->shape->mass.mass + simDot(back, normal);
	uint32_t modeCount = CountModes(world, body);
	if (modeCount > 0)
	{
		YieldModes(&end, modeCount, normal);
	}
	return end;
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

static simMeeting Meet(simWorld* world, uint32_t a, uint32_t b, const snugSphereContact* contact)
{
	simMeeting m = { .a = a, .b = b, .depth = (double)contact->depth, .nodeB = contact->b.treeNode };
	double place[3];
	m.reach = (double)contact->a.radius + (double)contact->b.radius;
	FindNormal(world, contact, b, m.normal);
	for (int k = 0; k < 3; ++k)
	{
		place[k] = (double)contact->a.center[k] - ((double)contact->a.radius - 0.5 * m.depth) * m.normal[k];
	}
	m.ends[0] = MakeEnd(world, world->bodies + a, contact->a.treeNode, place, m.normal);
	if (b < SIM_GROUND)
	{
		m.ends[1] = MakeEnd(world, world->bodies + b, contact->b.treeNode, place, m.normal);
	}
	else if (b == SIM_STAGE)
	{
		GetStageVelocity(world->def.stage, m.nodeB, m.carrying);
	}
	world->counts.deepest = fmax(world->counts.deepest, m.depth);
	return m;
}

static void GetVelocity(const simWorld* world, const simEnd* end, double velocity[3])
{
	const simBody* body = end->body;
	uint32_t modeCount = CountModes(world, body);
	const float* moves = GetMoves(end);
	double moved[3], own[3] = { 0.0, 0.0, 0.0 }, vibration[3];
	simCross(body->spin, end->arm, moved);
	for (uint32_t m = 0; m < modeCount; ++m)
	{
		double speed = end->fieldScale * body->dq[m];
		own[0] += (double)moves[3 * m] * speed;
		own[1] += (double)moves[3 * m + 1] * speed;
		own[2] += (double)moves[3 * m + 2] * speed;
	}
	simApply((const double(*)[3])body->matrix, own, vibration);
	for (int k = 0; k < 3; ++k)
	{
		velocity[k] = body->velocity[k] + moved[k] + vibration[k];
	}
}

static void PushEnd(const simWorld* world, const simEnd* end, const double force[3])
{
	uint32_t modeCount = CountModes(world, end->body);
	const float* moves = GetMoves(end);
	double own[3];
	simBody_AddForce(end->body, end->arm, force);
	simApplyBack((const double(*)[3])end->body->matrix, force, own);
	for (uint32_t m = 0; m < modeCount; ++m)
	{
		const float* move = moves + 3 * m;
		double along = (double)move[0] * own[0] + (double)move[1] * own[1] + (double)move[2] * own[2];
		end->body->modal[m] += end->fieldScale * along;
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
	double approach = -simDot(velocity, normal), stride = world->stride;
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
static void GetApproach(const simWorld* world, const simMeeting* m, double velocity[3])
{
	double other[3];
	GetVelocity(world, &m->ends[0], velocity);
	if (m->ends[1].body != NULL)
	{
		GetVelocity(world, &m->ends[1], other);
	}
	simSubtract(velocity, m->ends[1].body != NULL ? other : m->carrying, velocity);
}

// A contact a stride later: it moves on with a, and is as much deeper as both have come closer.
static void Follow(const simWorld* world, simMeeting* m, double velocity[3])
{
	const simBody *a = m->ends[0].body, *b = m->ends[1].body;
	for (int k = 0; k < 3 && b != NULL; ++k)
	{
		m->ends[1].arm[k] = a->position[k] + m->ends[0].arm[k] - b->position[k];
	}
	GetApproach(world, m, velocity);
	m->depth -= world->stride * simDot(velocity, m->normal);
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

static void Respond(simWorld* world, const simMeeting* m, const double velocity[3], simGrip* grip)
{
	double force[3], back[3], depth = Ease(world, m, grip);
	FindForce(world, m->grade, depth, m->normal, velocity, grip->slide, force);
	PushEnd(world, &m->ends[0], force);
	if (m->ends[1].body != NULL)
	{
		for (int k = 0; k < 3; ++k)
		{
			back[k] = -force[k];
		}
		PushEnd(world, &m->ends[1], back);
	}
}

// ---- All contacts ----------------------------------------------------------------------------------------------

static int CompareBodies(const simGrip* grip, uint32_t a, uint32_t b)
{
	int order = (grip->a > a) - (grip->a < a);
	return order != 0 ? order : (grip->b > b) - (grip->b < b);
}

/// The springs of last time, from which those of a pair of bodies are taken in order. They are found by a table: open
/// addressing, zero or 1 + the number after `first`.
typedef struct simReader
{
	const simGrip* grips;
	uint64_t count;
	uint64_t first, end; ///< those of the pair of bodies looked at last
	uint32_t* table;     ///< (tableSize), a power of two, at least twice as many as springs of a pair
	uint64_t tableSize;  ///< for those of the last pair
} simReader;

static uint64_t PlaceOf(const simReader* reader, uint32_t nodeA, uint32_t nodeB)
{
	return (nodeA * 0x9e3779b97f4a7c15u + nodeB * 0xc2b2ae3d27d4eb4fu) >> 20 & (reader->tableSize - 1);
}

static void FillTable(simReader* reader)
{
	uint64_t count = reader->end - reader->first;
	for (reader->tableSize = 4; reader->tableSize < 2 * count; reader->tableSize *= 2)
	{
	}
	memset(reader->table, 0, reader->tableSize * sizeof(uint32_t));
	for (uint64_t i = 0; i < count; ++i)
	{
		const simGrip* grip = reader->grips + reader->first + i;
		uint64_t at = PlaceOf(reader, grip->nodeA, grip->nodeB);
		while (reader->table[at] != 0)
		{
			at = (at + 1) & (reader->tableSize - 1);
		}
		reader->table[at] = (uint32_t)(i + 1);
	}
}

static void FindGripsOf(simReader* reader, uint32_t a, uint32_t b)
{
	while (reader->end < reader->count && CompareBodies(reader->grips + reader->end, a, b) < 0)
	{
		++reader->end;
	}
	reader->first = reader->end;
	while (reader->end < reader->count && CompareBodies(reader->grips + reader->end, a, b) == 0)
	{
		++reader->end;
	}
	FillTable(reader);
}

// The spring that two spheres had; a new one if they did not touch.
static simGrip FindGrip(const simReader* reader, const simMeeting* m, double easing)
{
	simGrip made = {
		.a = m->a, .b = m->b, .nodeA = m->ends[0].node, .nodeB = m->nodeB, .ease = easing > 0.0 ? m->depth : 0.0
	};
	uint64_t at = PlaceOf(reader, made.nodeA, made.nodeB);
	for (; reader->table[at] != 0; at = (at + 1) & (reader->tableSize - 1))
	{
		const simGrip* grip = reader->grips + reader->first + reader->table[at] - 1;
		if (grip->nodeA == made.nodeA && grip->nodeB == made.nodeB)
		{
			return *grip;
		}
	}
	return made;
}

static bool MakeRoom(simWorld* world, simError* error)
{
	uint64_t needed = world->counts.contacts + world->touchCount, other = world->gripCapacity;
	uint64_t places = 4 * (needed > world->gripCount ? needed : world->gripCount) + 4;
	return simGrow((void**)&world->table, &world->tableCapacity, places, sizeof(uint32_t), error) &&
	       simGrow((void**)&world->nextGrips, &other, needed, sizeof(simGrip), error) &&
	       simGrow((void**)&world->grips, &world->gripCapacity, needed, sizeof(simGrip), error) &&
	       simGrow((void**)&world->meetings, &world->meetingCapacity, needed, sizeof(simMeeting), error);
}

// Bodies with bodies, then each with ground and stage. All of them first, so that it is known what each body bears.
static uint64_t MeetAll(simWorld* world)
{
	uint64_t pairCount, contactCount, count = 0;
	const snugSpherePair* pairs = snugSphereScene_GetPairs(world->spheres, &pairCount);
	const snugSphereContact* contacts = snugSphereScene_GetContacts(world->spheres, &contactCount);
	for (uint64_t p = 0; p < pairCount; ++p)
	{
		++world->bodies[pairs[p].a].pairCount;
		++world->bodies[pairs[p].b].pairCount;
		for (uint64_t i = 0; i < pairs[p].count; ++i)
		{
			world->meetings[count++] = Meet(world, pairs[p].a, pairs[p].b, contacts + pairs[p].first + i);
		}
	}
	for (uint64_t i = 0; i < world->touchCount; ++i)
	{
		const simTouch* touch = world->touches + i;
		world->meetings[count++] = Meet(world, touch->a, touch->b, &touch->contact);
	}
	return count;
}

// Thin parts go through one another in a step, and spheres whose centres have passed would draw them on. So two bodies
// remember which way they came together: the mean of their first contacts, followed as it turns.
static void FindAxis(const simMeeting* first, const simMeeting* end, const simGrip* before, double axis[3])
{
	double sum[3] = { 0.0, 0.0, 0.0 }, length2 = 0.0;
	for (int k = 0; k < 3 && before != NULL; ++k)
	{
		sum[k] = 9.0 * before->axis[k];
	}
	double weight = 0.0, mean[3] = { 0.0, 0.0, 0.0 };
	for (const simMeeting* m = first; m < end; ++m)
	{
		bool counts = before == NULL || simDot(m->normal, before->axis) > 0.0;
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
		double along = simDot(m->normal, axis);
		if (along < 0.0)
		{
			m->depth = m->reach - (m->reach - m->depth) * along;
			memcpy(m->normal, axis, sizeof(m->normal));
		}
	}
}

// Where the contacts of a body with the other of this one end, and how hard each may be.
static uint64_t GradeRun(simWorld* world, uint64_t first, uint64_t count)
{
	const simMeeting* m = world->meetings + first;
	double load = 0.0;
	uint64_t end = first;
	while (end < count && world->meetings[end].a == m->a && world->meetings[end].b == m->b)
	{
		load += world->meetings[end].ends[0].yield + world->meetings[end].ends[1].yield;
		++end;
	}
	uint32_t pairs = 1;
	if (m->b < SIM_GROUND)
	{
		uint32_t a = world->bodies[m->a].pairCount, b = world->bodies[m->b].pairCount;
		pairs = a > b ? a : b;
	}
	simGrade grade = FindGrade(world, (double)pairs * load);
	for (uint64_t i = first; i < end; ++i)
	{
		world->meetings[i].grade = grade;
	}
	return end;
}

// Springs of all contacts of a body with another, or with ground or stage.
static void GripRun(simWorld* world, simReader* reader, simMeeting* first, const simMeeting* end)
{
	double axis[3] = { 0.0, 0.0, 0.0 };
	FindGripsOf(reader, first->a, first->b);
	if (first->b < SIM_GROUND)
	{
		bool touched = reader->first < reader->end;
		FindAxis(first, end, touched ? reader->grips + reader->first : NULL, axis);
		TurnRound(first, end, axis);
	}
	for (simMeeting* m = first; m < end; ++m)
	{
		simGrip* grip = world->nextGrips + (m - world->meetings);
		*grip = FindGrip(reader, m, world->def.law.easing);
		memcpy(grip->axis, axis, sizeof(axis));
	}
}

// Springs are sorted as contacts are, in two runs.
bool simWorld_FindContacts(simWorld* world, simError* error)
{
	if (!FindAll(world, error) || !MakeRoom(world, error))
	{
		return false;
	}
	uint64_t count = MeetAll(world), split = 0;
	while (split < world->gripCount && world->grips[split].b < SIM_GROUND)
	{
		++split;
	}
	simReader between = { world->grips, split, 0, 0, world->table, 4 };
	simReader below = { world->grips + split, world->gripCount - split, 0, 0, world->table, 4 };
	for (uint64_t i = 0, end; i < count; i = end)
	{
		simMeeting* first = world->meetings + i;
		end = GradeRun(world, i, count);
		GripRun(world, first->b < SIM_GROUND ? &between : &below, first, world->meetings + end);
	}
	simGrip* kept = world->grips;
	world->grips = world->nextGrips;
	world->nextGrips = kept;
	world->gripCount = count;
	return true;
}

void simWorld_PushContacts(simWorld* world, bool isFirst)
{
	for (uint64_t i = 0; i < world->gripCount; ++i)
	{
		simMeeting* m = world->meetings + i;
		double velocity[3];
		if (isFirst)
		{
			GetApproach(world, m, velocity);
		}
		else
		{
			Follow(world, m, velocity);
		}
		if (m->depth >= 0.0)
		{
			Respond(world, m, velocity, world->grips + i);
		}
	}
}

uint64_t simWorld_CountTouches(const simWorld* world)
{
	return world->touchCount;
}

const snugSphereContact* simWorld_GetTouch(const simWorld* world, uint64_t number)
{
	return &world->touches[number].contact;
}
