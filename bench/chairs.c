// `snug bench chairs`: Fig. 1 of the BD-tree paper: chairs that fall on a heap (sim/chairs.h), deformable, rigid, and
// rigid with redundant updates of all spheres.
#include "sim/chairs.h"
#include "bench/bench.h"
#include "bench/timer.h"

#include <math.h>
#include <stdlib.h>

#define BRIEF_COUNT 125
#define BRIEF_FRAMES 180
#define QUICK_COUNT 27
#define QUICK_FRAMES 40
#define FULL_FRAMES 300
#define SAMPLES 4            // steps at which contacts are compared with exact ones
#define PAPER_EVENTS 64000.0 // per step
#define PAPER_STEPS 25000.0  // of the whole animation

static const char* const kindNames[] = { "deformable", "rigid", "rigid, redundant updates" };

/// What a run came to, per step, and at most.
typedef struct chairsRun
{
	double ms, candidates, pairs, events, ground, tests, updates, deepest;
	double lateMs, lateEvents; ///< of the last fifth
	double kinetic, modal;     ///< at the end
	uint64_t limited, touching, uncovered;
	double megabytes;
} chairsRun;

static double CountMegabytes(const simWorld* world, const simChair* chair)
{
	size_t bytes = snugScene_GetMemory(world->scene) + snugSphereScene_GetMemory(world->spheres) +
	               snugSphereTree_GetMemory(chair->shape.tree);
	for (uint32_t i = 0; i < world->count; ++i)
	{
		bytes += snugSpheres_GetMemory(world->bodies[i].spheres) + snugBody_GetMemory(world->bodies[i].body) +
		         sizeof(simBody);
	}
	bytes += world->gripCapacity * 2 * sizeof(simGrip);
	return (double)bytes / 1048576.0;
}

// ---- Coverage --------------------------------------------------------------------------------------------------

/// The contact sphere that each triangle is in.
static uint32_t* FindOwners(const simChair* chair, const snugSpheres* spheres, uint32_t level)
{
	uint32_t count = chair->mesh.triangleCount, found = 0;
	uint32_t *owners = malloc(count * sizeof(uint32_t)), *list = malloc(count * sizeof(uint32_t));
	snugSphere* all = malloc(count * sizeof(snugSphere));
	if (owners == NULL || list == NULL || all == NULL ||
	    snugSpheres_GetLevel((snugSpheres*)(uintptr_t)spheres, NULL, level, all, NULL, count, &found) != snug_success)
	{
		free(owners);
		owners = NULL;
	}
	for (uint32_t i = 0; i < found && owners != NULL; ++i)
	{
		uint32_t own = snugSphereTree_GetTriangles(chair->shape.tree, all[i].treeNode, list, count);
		for (uint32_t t = 0; t < own; ++t)
		{
			owners[list[t]] = all[i].treeNode;
		}
	}
	free(list);
	free(all);
	return owners;
}

static bool IsCovered(const snugSphereContact* contacts, uint64_t count, uint32_t nodeA, uint32_t nodeB)
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
	const snugSpherePair* pairs = snugSphereScene_GetPairs(world->spheres, &pairCount);
	const snugSphereContact* contacts = snugSphereScene_GetContacts(world->spheres, &contactCount);
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

static void AddStep(chairsRun* run, const simWorld* world, double ms, int steps, bool isLate)
{
	const simCounts* counts = &world->counts;
	double events = (double)(counts->contacts + counts->groundContacts);
	run->ms += ms / steps;
	run->candidates += (double)counts->candidates / steps;
	run->pairs += (double)counts->pairs / steps;
	run->events += events / steps;
	run->ground += (double)counts->groundContacts / steps;
	run->tests += (double)counts->sphereTests / steps;
	run->updates += (double)counts->spheresUpdated / steps;
	run->deepest = fmax(run->deepest, counts->deepest);
	run->limited += counts->limited;
	run->lateMs += isLate ? 5.0 * ms / steps : 0.0;
	run->lateEvents += isLate ? 5.0 * events / steps : 0.0;
}

static bool Run(const benchOptions* options, const simChair* chair, uint32_t count, int frames, simChairsKind kind,
    chairsRun* run, simError* error)
{
	simWorld world;
	*run = (chairsRun){ 0 };
	const simChairsDef def = { .chair = chair, .count = count, .kind = kind, .seed = 1 };
	if (!simChairs_Create(&world, &def, error))
	{
		return false;
	}
	int steps = frames * SIM_CHAIRS_STEPS;
	bool good = true;
	uint32_t* owners = FindOwners(chair, world.bodies[0].spheres, SIM_CHAIRS_LEVEL);
	good = owners != NULL || simError_SetMemory(error);
	for (int i = 0; i < steps && good; ++i)
	{
		if (i % 50 == 0)
		{
			char text[96];
			snprintf(text, sizeof(text), "chairs: %s, step %d of %d …", kindNames[kind], i, steps);
			benchProgress(options, text);
		}
		double start = benchNow();
		good = simWorld_Step(&world, error);
		AddStep(run, &world, benchNow() - start, steps, i >= steps - steps / 5);
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
	free(owners);
	simWorld_Free(&world);
	return good;
}

static void AddRow(benchReport* report, const chairsRun* run, simChairsKind kind, uint32_t count)
{
	static const double paperMs[] = { 2100.0, 1100.0, 1570.0 };
	benchRow* row = benchReport_AddRow(report, "Chairs that fall on a heap, per step");
	benchRow_Text(row, "kind", kindNames[kind]);
	benchRow_Count(row, "chairs", count);
	benchRow_Number(row, "candidates", run->candidates, 0);
	benchRow_Number(row, "pairs", run->pairs, 0);
	benchRow_Number(row, "events", run->events, 0);
	benchRow_Number(row, "withGround", run->ground, 0);
	benchRow_Number(row, "sphereTests", run->tests, 0);
	benchRow_Number(row, "updates", run->updates, 0);
	benchRow_Number(row, "milliseconds", run->ms, 2);
	benchRow_Number(row, "lateEvents", run->lateEvents, 0);
	benchRow_Number(row, "lateMilliseconds", run->lateMs, 2);
	benchRow_Number(row, "deepestMetres", run->deepest, 3);
	benchRow_Count(row, "strainsLimited", run->limited);
	benchRow_Number(row, "kineticJoules", run->kinetic, 1);
	benchRow_Number(row, "modalJoules", run->modal, 2);
	benchRow_Number(row, "mebibytes", run->megabytes, 1);
	benchRow_Number(row, "paperMilliseconds", paperMs[kind], 0);
}

static void AddRates(benchReport* report, const chairsRun* runs)
{
	static const double paperHours[] = { 14.7, 7.5, 10.9 };
	for (int kind = 0; kind < 3; ++kind)
	{
		benchRow* row =
		    benchReport_AddRow(report, "At the paper's rate of 64,000 events per step, by the last fifth of the steps");
		double ms = runs[kind].lateMs * PAPER_EVENTS / fmax(runs[kind].lateEvents, 1.0);
		benchRow_Text(row, "kind", kindNames[kind]);
		benchRow_Number(row, "microsecondsPerEvent", 1e3 * runs[kind].lateMs / fmax(runs[kind].lateEvents, 1.0), 3);
		benchRow_Number(row, "millisecondsPerStep", ms, 1);
		benchRow_Number(row, "hoursFor5000Frames", ms * PAPER_STEPS / 3.6e6, 2);
		benchRow_Number(row, "paperHours", paperHours[kind], 1);
	}
}

static void AddAims(benchReport* report, const chairsRun* runs)
{
	const chairsRun* first = &runs[simChairs_deformable];
	double seconds = 1e-3 * first->lateMs * PAPER_EVENTS / fmax(first->lateEvents, 1.0);
	benchReport_AimAtMost(report, seconds, 0.1, 0.06, "seconds per step at 64,000 events");
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
		AddRates(report, runs);
		AddAims(report, runs);
	}
	else
	{
		benchReport_Fail(report, "chairs: %s", error.text);
	}
	simChair_Free(&chair);
}
