// `snug bench brain`: Figs. 1 and 5 of the meshless papers on a simulation: a brain that is held and pulled, at three
// strengths that were fixed by how far its end gets (papers/meshless/brain.h).
#include "lab/bench/bench.h"
#include "papers/common/tightness.h"
#include "papers/meshless/brain.h"

#include <math.h>
#include <stdlib.h>

#define POSES 12
#define SECONDS 3.0       // of pulling and letting go
#define LONG_SECONDS 60.0 // without blowing up

/// One simulation.
typedef struct brainCase
{
	uint32_t nodeCount;
	double pull;
	double reach;
	float* matrices; ///< (POSES * nodeCount * 12)
	benchTightness tightness;
} brainCase;

// The poses of a simulation, evenly in time.
static bool Simulate(brainCase* c, simBrain* brain, benchReport* report)
{
	simError error = { "" };
	c->matrices = malloc(POSES * 12 * (size_t)c->nodeCount * sizeof(float));
	bool good = c->matrices != NULL || simError_SetMemory(&error);
	for (int pose = 0; pose < POSES && good; ++pose)
	{
		good = simBrain_Advance(brain, SECONDS / POSES, &error);
		if (good)
		{
			simMeshless_GetNodes(&brain->actor.body, brain->actor.nodes);
			sceneMakeMatrices(brain->actor.nodes, c->nodeCount, c->matrices + 12 * (size_t)pose * c->nodeCount);
		}
	}
	c->reach = brain->reach;
	if (!good)
	{
		benchReport_Fail(report, "%u nodes, %g N: %s", c->nodeCount, c->pull, error.text);
	}
	return good;
}

static void AddRows(benchReport* report, const brainCase* c, uint32_t vertices)
{
	const benchTightness* t = &c->tightness;
	double greatest = benchTightness_GetMost(t, bench_eq12, 0);
	benchRow* row = benchReport_AddRow(report, "The root, over the simulation");
	benchRow_Count(row, "vertices", vertices);
	benchRow_Count(row, "nodes", c->nodeCount);
	benchRow_Number(row, "pullKilonewtons", 1e-3 * c->pull, 0);
	benchRow_Number(row, "endMovesHalfLengths", c->reach, 2);
	benchRow_Number(row, "eq12Mean", benchTightness_GetMean(t, bench_eq12, 0), 2);
	benchRow_Number(row, "eq12Greatest", greatest, 2);
	benchRow_Number(row, "oursMean", benchTightness_GetMean(t, bench_oursAtRoot, 0), 2);
	benchRow_Number(row, "oursGreatest", benchTightness_GetMost(t, bench_oursAtRoot, 0), 2);
	benchRow_Number(row, "spheresGreatestOverEq12", benchTightness_GetMost(t, bench_accumulated, 0) / greatest, 1);
	benchRow_Number(row, "termByTermGreatestOverEq12", benchTightness_GetMost(t, bench_termByTerm, 0) / greatest, 1);
	benchRow_Number(row, "paperMean", 1.5, 1);
	benchRow_Number(row, "paperGreatest", 2.5, 1);
	benchReport_AddAim(report,
	    benchTightness_GetMean(t, bench_oursAtRoot, 0) / benchTightness_GetMean(t, bench_eq12, 0), 1.0,
	    "%u nodes, %.0f kN: ours / Eq. (12), mean, at the root", c->nodeCount, 1e-3 * c->pull);
}

static void AddLevels(benchReport* report, const brainCase* c)
{
	char title[64];
	snprintf(title, sizeof(title), "%u nodes, %.0f kN", c->nodeCount, 1e-3 * c->pull);
	benchTightness_AddMeshlessRows(report, title, &c->tightness);
}

static void RunCase(const benchOptions* options, benchReport* report, brainCase* c)
{
	simBrain brain;
	simError error = { "" };
	if (!simBrain_Create(&brain, !options->full ? 4002 : SIM_BRAIN_VERTICES, c->nodeCount, c->pull, &error))
	{
		benchReport_Fail(report, "%s", error.text);
		return;
	}
	if (Simulate(c, &brain, report))
	{
		const sceneMeshless* scene = &brain.actor.scene;
		benchActor actor = benchActor_Skinned(&scene->mesh, &scene->weights, c->matrices, POSES, NULL);
		if (benchTightness_OfMeshless(&c->tightness, &actor, report))
		{
			AddRows(report, c, scene->mesh.vertexCount);
		}
	}
	simBrain_Free(&brain);
}

// The strongest pull again and again: what is in the body at the end of a period is what was there in the first.
static void RunLong(const benchOptions* options, benchReport* report)
{
	double seconds = !options->full ? 12.0 : LONG_SECONDS, first = 0.0, last = 0.0;
	simBrain brain;
	simError error = { "" };
	bool good = simBrain_Create(&brain, 1002, 65, simBrainPulls[SIM_BRAIN_PULLS - 1], &error);
	for (double time = 0.0; time < seconds && good; time += 4.0)
	{
		good = simBrain_Advance(&brain, 4.0, &error);
		simEnergy energy = simMeshless_GetEnergy(&brain.actor.body);
		last = energy.kinetic + energy.elastic;
		first = time == 0.0 ? last : first;
	}
	if (!good)
	{
		benchReport_Fail(report, "%s", error.text);
	}
	benchRow* row = benchReport_AddRow(report, "Pulled every four seconds, 65 nodes, the strongest pull");
	benchRow_Number(row, "seconds", seconds, 0);
	benchRow_Number(row, "joulesAfterFirstPeriod", first, 1);
	benchRow_Number(row, "joulesAtTheEnd", last, 1);
	simBrain_Free(&brain);
}

void benchBrain(const benchOptions* options, benchReport* report)
{
	static const uint32_t nodeCounts[2] = { 65, 509 };
	brainCase* cases = calloc(2 * SIM_BRAIN_PULLS, sizeof(brainCase));
	for (int i = 0; i < 2 * SIM_BRAIN_PULLS && cases != NULL && report->failure[0] == '\0'; ++i)
	{
		cases[i].nodeCount = nodeCounts[i / SIM_BRAIN_PULLS];
		cases[i].pull = simBrainPulls[i % SIM_BRAIN_PULLS];
		benchProgress(options, i < SIM_BRAIN_PULLS ? "brain: 65 nodes …" : "brain: 509 nodes …");
		RunCase(options, report, cases + i);
	}
	for (int i = 0; i < 2 * SIM_BRAIN_PULLS && cases != NULL; ++i)
	{
		if (report->failure[0] == '\0')
		{
			AddLevels(report, cases + i);
		}
		free(cases[i].matrices);
	}
	if (cases == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	else if (report->failure[0] == '\0')
	{
		RunLong(options, report);
	}
	free(cases);
}
