// Finding contacts, and who works on which. See world.h.
#include "papers/bdtree/world_touch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
	RUNS_PER_TASK = 16
};

// ---- Finding ---------------------------------------------------------------------------------------------------

static contactResult AskOther(simWorld* world, simBody* body, uint32_t other)
{
	contactQuery query = { .contacts = world->list, .capacity = world->listCapacity, .level = world->def.level };
	return other == SIM_GROUND ? contactSpheres_CollidePlane(body->spheres, &world->def.ground, &query)
	                           : contactSpheres_CollideTriangles(body->spheres, world->def.stage->spheres, &query);
}

// Contacts of a body with the ground or the stage, once more if there was too little room.
static bool FindTouches(simWorld* world, uint32_t number, uint32_t other, simError* error)
{
	simBody* body = world->bodies + number;
	contactResult found = AskOther(world, body, other);
	if (found.status == snug_success && found.count > world->listCapacity)
	{
		if (!simGrow(&world->list, &world->listCapacity, found.count, sizeof(*world->list)))
		{
			return simError_SetMemory(error);
		}
		found.spheresUpdated += AskOther(world, body, other).spheresUpdated;
	}
	if (found.status != snug_success)
	{
		return simError_Set(error, "body %u: %s", number, snugGetStatusText(found.status));
	}
	uint64_t count = world->touchCount + found.count;
	if (!simGrow(&world->touches, &world->touchCapacity, count, sizeof(simTouch)))
	{
		return simError_SetMemory(error);
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
static bool GrowScene(simWorld* world, const contactSceneResult* result, simError* error)
{
	simWorldDef* def = &world->def;
	def->candidates = result->candidates > def->candidates ? 2 * result->candidates : def->candidates;
	def->contacts = result->contacts > def->contacts ? 2 * result->contacts : def->contacts;
	snugSceneRoom room = { .candidates = def->candidates };
	contactSceneDef sceneDef = { .scene = world->scene, .contacts = def->contacts };
	snugStatus status = snugScene_Reserve(world->scene, &room);
	contactScene_Destroy(world->spheres);
	world->spheres = NULL;
	status = status == snug_success ? contactScene_Create(&sceneDef, &world->spheres) : status;
	for (uint32_t i = 0; i < world->count && status == snug_success; ++i)
	{
		status = contactScene_Set(world->spheres, i, world->bodies[i].spheres);
	}
	return status == snug_success ||
	       simError_Set(error, "no room for %llu contacts", (unsigned long long)def->contacts);
}

static bool FindAll(simWorld* world, simError* error)
{
	contactSceneResult result = contactScene_Update(world->spheres, world->def.level);
	while (result.status == snug_outOfRange && result.body == UINT32_MAX)
	{
		if (!GrowScene(world, &result, error))
		{
			return false;
		}
		result = contactScene_Update(world->spheres, world->def.level);
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
	for (uint32_t i = 0; i < world->count && good; ++i)
	{
		good = (!world->def.hasGround || FindTouches(world, i, SIM_GROUND, error)) &&
		       (world->def.stage == NULL || FindTouches(world, i, SIM_STAGE, error));
	}
	world->counts.groundContacts = world->touchCount;
	return good;
}

// ---- Runs ------------------------------------------------------------------------------------------------------

void simWorld_Run(const simWorld* world, uint32_t count, snugTaskFcn* task, void* context)
{
	if (world->def.workers.run != NULL)
	{
		world->def.workers.run(world->def.workers.user, count, task, context);
		return;
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		task(context, i);
	}
}

// Bodies with bodies, then each with ground and stage.
static int CompareRuns(const simRun* first, const simRun* second)
{
	bool isBelow = first->b >= SIM_GROUND, isOtherBelow = second->b >= SIM_GROUND;
	int order = isBelow - isOtherBelow;
	order = order != 0 ? order : (first->a > second->a) - (first->a < second->a);
	return order != 0 ? order : (first->b > second->b) - (first->b < second->b);
}

bool simWorld_MakeRoom(simWorld* world, uint64_t contacts, uint64_t runs, simError* error)
{
	size_t grips = world->gripCapacity, last = world->runCapacity;
	return (simGrow(&world->table, &world->tableCapacity, 4 * world->gripCount, sizeof(uint32_t)) &&
	           simGrow(&world->nextGrips, &grips, contacts, sizeof(simGrip)) &&
	           simGrow(&world->grips, &world->gripCapacity, contacts, sizeof(simGrip)) &&
	           simGrow(&world->nextRuns, &last, runs, sizeof(simRun)) &&
	           simGrow(&world->runs, &world->runCapacity, runs, sizeof(simRun)) &&
	           simGrow(&world->runsOfBodies, &world->ofBodiesCapacity, 2 * runs, sizeof(uint32_t)) &&
	           simGrow(&world->meetings, &world->meetingCapacity, contacts, sizeof(simMeeting))) ||
	       simError_SetMemory(error);
}

// The runs of a step, and of each the springs that its bodies had.
static uint32_t ListRuns(simWorld* world)
{
	uint64_t pairCount, at = world->counts.contacts;
	uint32_t count = 0, last = 0;
	const contactPair* pairs = contactScene_GetPairs(world->spheres, &pairCount);
	for (; count < pairCount; ++count)
	{
		const contactPair* pair = pairs + count;
		world->nextRuns[count] =
		    (simRun){ .a = pair->a, .b = pair->b, .first = pair->first, .end = pair->first + pair->count };
	}
	for (uint64_t i = 0; i < world->touchCount; ++i, ++at)
	{
		const simTouch* touch = world->touches + i;
		bool isNew = i == 0 || touch->a != touch[-1].a || touch->b != touch[-1].b;
		if (isNew)
		{
			world->nextRuns[count++] = (simRun){ .a = touch->a, .b = touch->b, .first = at };
		}
		world->nextRuns[count - 1].end = at + 1;
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		simRun* run = world->nextRuns + i;
		while (last < world->runCount && CompareRuns(world->runs + last, run) < 0)
		{
			++last;
		}
		if (last < world->runCount && CompareRuns(world->runs + last, run) == 0)
		{
			run->gripFirst = world->runs[last].first;
			run->gripEnd = world->runs[last].end;
			memcpy(run->axis, world->runs[last].axis, sizeof(run->axis));
		}
	}
	return count;
}

// Of each body the runs that it is in, in their order.
static void ListRunsOfBodies(simWorld* world, uint32_t runCount)
{
	uint32_t first = 0;
	for (uint32_t i = 0; i < world->count; ++i)
	{
		world->bodies[i].pairCount = world->bodies[i].runCount = 0;
	}
	for (int pass = 0; pass < 2; ++pass)
	{
		for (uint32_t r = 0; r < runCount; ++r)
		{
			const simRun* run = world->nextRuns + r;
			for (int side = 0; side < 2 && (side == 0 || run->b < SIM_GROUND); ++side)
			{
				simBody* body = world->bodies + (side == 0 ? run->a : run->b);
				if (pass == 1)
				{
					world->runsOfBodies[body->firstRun + body->runCount] = r;
				}
				body->pairCount += pass == 1 && run->b < SIM_GROUND;
				++body->runCount;
			}
		}
		for (uint32_t i = 0; i < world->count && pass == 0; ++i)
		{
			world->bodies[i].firstRun = first;
			first += world->bodies[i].runCount;
			world->bodies[i].runCount = 0;
		}
	}
}

/// Runs that are worked on together.
typedef struct simRunTask
{
	simWorld* world;
	simRun* runs;
	uint32_t count;
} simRunTask;

static void MeetTask(void* context, uint32_t index)
{
	const simRunTask* task = context;
	for (uint32_t r = index * RUNS_PER_TASK; r < task->count && r < (index + 1) * RUNS_PER_TASK; ++r)
	{
		simRun_Meet(task->world, task->runs + r);
	}
}

static void FollowTask(void* context, uint32_t index)
{
	const simRunTask* task = context;
	for (uint32_t r = index * RUNS_PER_TASK; r < task->count && r < (index + 1) * RUNS_PER_TASK; ++r)
	{
		simRun_Follow(task->world, task->runs + r);
	}
}

static void RunTasks(const simRunTask* task, snugTaskFcn* work)
{
	simWorld_Run(task->world, (task->count + RUNS_PER_TASK - 1) / RUNS_PER_TASK, work, (void*)(uintptr_t)task);
}

void simWorld_FindForces(simWorld* world)
{
	RunTasks(&(simRunTask){ world, world->runs, world->runCount }, FollowTask);
}

bool simWorld_FindContacts(simWorld* world, simError* error)
{
	if (!FindAll(world, error))
	{
		return false;
	}
	uint64_t contacts = world->counts.contacts + world->touchCount;
	if (!simWorld_MakeRoom(world, contacts, world->counts.pairs + world->touchCount, error))
	{
		return false;
	}
	uint32_t count = ListRuns(world);
	ListRunsOfBodies(world, count);
	RunTasks(&(simRunTask){ world, world->nextRuns, count }, MeetTask);
	for (uint32_t i = 0; i < count; ++i)
	{
		world->counts.deepest = fmax(world->counts.deepest, world->nextRuns[i].deepest);
	}
	simGrip* grips = world->grips;
	simRun* runs = world->runs;
	world->grips = world->nextGrips;
	world->nextGrips = grips;
	world->gripCount = contacts;
	world->runs = world->nextRuns;
	world->nextRuns = runs;
	world->runCount = count;
	return true;
}
