// `snug bench chairs`: Fig. 1 of the BD-tree paper: chairs that fall on a heap (papers/bdtree/chairs.h), deformable,
// rigid, and rigid with redundant updates of all spheres.
#include "lab/bench/bench.h"
#include "lab/bench/threads.h"
#include "lab/bench/timer.h"
#include "papers/bdtree/chairs.h"
#include "program/files/clock.h"

#include <math.h>
#include <stdlib.h>

#define BRIEF_COUNT 125
#define BRIEF_FRAMES 180
#define QUICK_COUNT 27
#define QUICK_FRAMES 40
#define FULL_FRAMES 480 // the last of 3,601 chairs comes down in frame 380
#define SAMPLES 4       // steps at which contacts are compared with exact ones

static const char* const kindNames[] = { "deformable", "rigid", "rigid, redundant updates" };

/// What a run came to. Per step: means of the last fifth, when all lies on the heap.
typedef struct chairsRun
{
	double candidates, pairs, events, ground, tests, updates;
	double ms;               ///< of work, on one thread
	double oneWall, twoWall; ///< the least, by the wall, on one thread and on two
	double deepest;          ///< of all steps
	double kinetic, modal;   ///< at the end
	uint64_t limited, touching, uncovered;
	double megabytes;
} chairsRun;

/// A thread beside the calling one, if it is wanted.
typedef struct chairsThreads
{
	benchThreads* other; ///< null: cannot be started
	bool isWanted;
} chairsThreads;

static void RunTasks(void* user, uint32_t count, snugTaskFcn* task, void* context)
{
	const chairsThreads* threads = user;
	if (threads->isWanted && threads->other != NULL)
	{
		benchThreads_Run(threads->other, count, task, context);
		return;
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		task(context, i);
	}
}

static double CountMegabytes(const simWorld* world, const simChair* chair)
{
	size_t bytes = snugScene_GetMemory(world->scene) + contactScene_GetMemory(world->spheres) +
	               contactTree_GetMemory(chair->shape.tree);
	for (uint32_t i = 0; i < world->count; ++i)
	{
		bytes += contactSpheres_GetMemory(world->bodies[i].spheres) + snugBody_GetMemory(world->bodies[i].body) +
		         2 * sizeof(simBody);
	}
	bytes += world->gripCapacity * 2 * sizeof(simGrip);
	return (double)bytes / 1048576.0;
}

// ---- Coverage --------------------------------------------------------------------------------------------------

/// The contact sphere that each triangle is in.
static uint32_t* FindOwners(const simChair* chair, const contactSpheres* spheres, uint32_t level)
{
	uint32_t count = chair->mesh.triangleCount, found = 0;
	uint32_t *owners = malloc(count * sizeof(uint32_t)), *list = malloc(count * sizeof(uint32_t));
	contactSphere* all = malloc(count * sizeof(contactSphere));
	if (owners == NULL || list == NULL || all == NULL ||
	    contactSpheres_GetLevel((contactSpheres*)(uintptr_t)spheres, NULL, level, all, NULL, count, &found) !=
	        snug_success)
	{
		free(owners);
		owners = NULL;
	}
	for (uint32_t i = 0; i < found && owners != NULL; ++i)
	{
		uint32_t own = contactTree_GetTriangles(chair->shape.tree, all[i].treeNode, list, count);
		for (uint32_t t = 0; t < own; ++t)
		{
			owners[list[t]] = all[i].treeNode;
		}
	}
	free(list);
	free(all);
	return owners;
}

static bool IsCovered(const sphereContact* contacts, uint64_t count, uint32_t nodeA, uint32_t nodeB)
{
	bool isThere = false;
	for (uint64_t i = 0; i < count && !isThere; ++i)
	{
		isThere = contacts[i].a.treeNode == nodeA && contacts[i].b.treeNode == nodeB;
	}
	return isThere;
}

// All pairs of triangles that touch, exactly, against the contact spheres of the step that posed them.
static bool CheckCovered(simWorld* world, const uint32_t* owners, chairsRun* run)
{
	const snugSceneQuery query = { .trianglePairs = true };
	snugSceneResult result = snugScene_Update(world->scene, &query);
	while (result.status == snug_outOfRange && result.body == UINT32_MAX &&
	       snugScene_Reserve(world->scene, &result.needed) == snug_success)
	{
		result = snugScene_Update(world->scene, &query);
	}
	uint64_t exactCount, triangleCount, pairCount, contactCount, at = 0;
	const snugScenePair* exact = snugScene_GetPairs(world->scene, &exactCount);
	const snugPair* triangles = snugScene_GetTrianglePairs(world->scene, &triangleCount);
	const contactPair* pairs = contactScene_GetPairs(world->spheres, &pairCount);
	const sphereContact* contacts = contactScene_GetContacts(world->spheres, &contactCount);
	for (uint64_t i = 0; i < exactCount && result.status == snug_success; ++i)
	{
		while (at < pairCount && (pairs[at].a < exact[i].a || (pairs[at].a == exact[i].a && pairs[at].b < exact[i].b)))
		{
			++at;
		}
		bool isPair = at < pairCount && pairs[at].a == exact[i].a && pairs[at].b == exact[i].b;
		for (uint64_t k = 0; k < exact[i].count; ++k)
		{
			snugPair pair = triangles[exact[i].first + k];
			run->uncovered +=
			    !isPair || !IsCovered(contacts + pairs[at].first, pairs[at].count, owners[pair.a], owners[pair.b]);
		}
		run->touching += exact[i].count;
	}
	return result.status == snug_success;
}

// ---- Runs ------------------------------------------------------------------------------------------------------

static void AddCounts(chairsRun* run, const simCounts* counts, int steps)
{
	run->candidates += (double)counts->candidates / steps;
	run->pairs += (double)counts->pairs / steps;
	run->events += (double)(counts->contacts + counts->groundContacts) / steps;
	run->ground += (double)counts->groundContacts / steps;
	run->tests += (double)counts->sphereTests / steps;
	run->updates += (double)counts->spheresUpdated / steps;
}

// Chairs fall with two threads. Those steps that count take turns, on one thread and on two.
static bool Step(simWorld* world, chairsThreads* threads, int late, int lateSteps, chairsRun* run, simError* error)
{
	threads->isWanted = late < 0 || late % 2 == 1;
	double wall = clockNow(), start = benchNow();
	bool good = simWorld_Step(world, error);
	double ms = benchNow() - start;
	wall = clockNow() - wall;
	run->deepest = fmax(run->deepest, world->counts.deepest);
	run->limited += world->counts.limited;
	if (late >= 0)
	{
		double* least = threads->isWanted ? &run->twoWall : &run->oneWall;
		*least = fmin(*least, wall);
		run->ms += threads->isWanted ? 0.0 : ms / ((lateSteps + 1) / 2);
		AddCounts(run, &world->counts, lateSteps);
	}
	return good;
}

static bool Run(const benchOptions* options, const simChair* chair, uint32_t count, int frames, simChairsKind kind,
    chairsRun* run, simError* error)
{
	simWorld world;
	chairsThreads threads = { .other = benchThreads_Create(1) };
	*run = (chairsRun){ .oneWall = INFINITY, .twoWall = INFINITY };
	const simChairsDef def = {
		.chair = chair, .count = count, .kind = kind, .seed = 1, .workers = { RunTasks, &threads }
	};
	if (!simChairs_Create(&world, &def, error))
	{
		benchThreads_Destroy(threads.other);
		return false;
	}
	int steps = frames * SIM_CHAIRS_STEPS, lateSteps = steps / 5;
	uint32_t* owners = FindOwners(chair, world.bodies[0].spheres, SIM_CHAIRS_LEVEL);
	bool good = owners != NULL || simError_SetMemory(error);
	for (int i = 0; i < steps && good; ++i)
	{
		if (i % 50 == 0)
		{
			char text[96];
			snprintf(text, sizeof(text), "chairs: %s, step %d of %d …", kindNames[kind], i, steps);
			benchProgress(options, text);
		}
		good = Step(&world, &threads, i - (steps - lateSteps), lateSteps, run, error);
		if (good && kind == simChairs_deformable && i % (steps / SAMPLES) == steps / SAMPLES - 1)
		{
			// The step has moved bodies on, but what snug knows of them is where contacts were found.
			good = CheckCovered(&world, owners, run) || simError_Set(error, "what touches exactly cannot be found");
		}
	}
	simWorldEnergy energy = simWorld_GetEnergy(&world);
	run->kinetic = energy.kinetic;
	run->modal = energy.modal;
	run->megabytes = CountMegabytes(&world, chair);
	run->twoWall = threads.other != NULL ? run->twoWall : (double)NAN;
	free(owners);
	simWorld_Free(&world);
	benchThreads_Destroy(threads.other);
	return good;
}

static void AddRow(benchReport* report, const chairsRun* run, simChairsKind kind, uint32_t count)
{
	static const double paperMs[] = { 2100.0, 1100.0, 1570.0 }, paperEvents[] = { 64000.0, 44000.0, 44000.0 };
	benchRow* row = benchReport_AddRow(report, "Chairs on a heap, per step when all have fallen");
	benchRow_Text(row, "kind", kindNames[kind]);
	benchRow_Count(row, "chairs", count);
	benchRow_Number(row, "candidates", run->candidates, 0);
	benchRow_Number(row, "pairs", run->pairs, 0);
	benchRow_Number(row, "events", run->events, 0);
	benchRow_Number(row, "withGround", run->ground, 0);
	benchRow_Number(row, "sphereTests", run->tests, 0);
	benchRow_Number(row, "updates", run->updates, 0);
	benchRow_Number(row, "milliseconds", run->ms, 2);
	benchRow_Number(row, "microsecondsPerEvent", 1e3 * run->ms / fmax(run->events, 1.0), 2);
	benchRow_Number(row, "oneThreadOverTwo", run->oneWall / run->twoWall, 2);
	benchRow_Number(row, "deepestMetres", run->deepest, 3);
	benchRow_Count(row, "strainsLimited", run->limited);
	benchRow_Number(row, "kineticJoules", run->kinetic, 1);
	benchRow_Number(row, "modalJoules", run->modal, 2);
	benchRow_Number(row, "mebibytes", run->megabytes, 1);
	benchRow_Number(row, "paperMilliseconds", paperMs[kind], 0);
	benchRow_Number(row, "paperEvents", paperEvents[kind], 0);
}

// Of the paper's own number of chairs, or not at all: fewer press less on each other, and looking costs the same.
static void AddAims(benchReport* report, const chairsRun* runs, bool isFull)
{
	const chairsRun* first = &runs[simChairs_deformable];
	benchReport_AddAim(report, isFull ? 1e-3 * first->ms : (double)NAN, 0.2,
	    "3,601 chairs that have fallen: seconds per step, one thread");
	benchReport_AimAtLeast(report, isFull ? first->oneWall / first->twoWall : (double)NAN, 1.7, (double)NAN,
	    "3,601 chairs that have fallen: one thread / two, by the wall");
	benchReport_AddAim(report, first->ms / runs[simChairs_rigid].ms, 1.5, "deformable / rigid (paper: 1.9)");
	benchReport_AddAim(report, runs[simChairs_redundant].ms / runs[simChairs_rigid].ms, 1.25,
	    "rigid with redundant updates / rigid (paper: 1.45)");
	benchReport_AddAim(report, first->updates / first->tests, 0.4, "sphere updates / sphere tests");
	benchReport_AddAim(report, (double)first->uncovered, 0.0,
	    "of %llu pairs of triangles that touch, those that no contact spheres cover",
	    (unsigned long long)first->touching);
	benchReport_AddAim(report, first->megabytes / 1024.0, 2.0, "GiB");
}

void benchChairs(const benchOptions* options, benchReport* report)
{
	static simChair chair;
	uint32_t count = options->full ? SIM_CHAIRS_COUNT : options->quick ? QUICK_COUNT : BRIEF_COUNT;
	int frames = options->full ? FULL_FRAMES : options->quick ? QUICK_FRAMES : BRIEF_FRAMES;
	chairsRun runs[3];
	simError error = { "" };
	benchProgress(options, "chairs: modes …");
	if (!simChair_Create(&chair, &error))
	{
		benchReport_Fail(report, "chairs: %s", error.text);
		return;
	}
	bool good = true;
	for (int kind = 0; kind < 3 && good; ++kind)
	{
		good = Run(options, &chair, count, frames, (simChairsKind)kind, &runs[kind], &error);
		if (good)
		{
			AddRow(report, &runs[kind], (simChairsKind)kind, count);
		}
	}
	if (good)
	{
		AddAims(report, runs, options->full);
	}
	else
	{
		benchReport_Fail(report, "chairs: %s", error.text);
	}
	simChair_Free(&chair);
}
