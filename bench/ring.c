// `snug bench ring`: Tables 2 to 4 of the 2008 paper: six simulated figures on a ring that is turned to and fro
// (sim/ring.h), asked about all 15 pairs, by bottom-up, spatial hashing, the paper's volumes, ours, the oracle, Embree.
#include "sim/ring.h"
#include "bench/meeting.h"

#include <stdlib.h>

#define SCENES 8
#define FRAMES 60

/// One of the paper's eight scenes, and its times in milliseconds.
typedef struct ringScene
{
	simRingDef def;
	double bottomUp[2]; ///< refit, query
	double hash[2];     ///< load, query
	double boxes[2];    ///< refit, query: AABB/AABB
	double dops[2];     ///< OBB/14-DOP
} ringScene;

static const ringScene scenes[SCENES] = {
	{ { 2857, 115, false }, { 37.1, 2.12 }, { 28.29, 41.63 }, { 1.83, 5.72 }, { 2.82, 7.82 } },
	{ { 2857, 550, false }, { 37.1, 2.12 }, { 28.29, 41.63 }, { 2.36, 5.60 }, { 4.05, 8.48 } },
	{ { 45682, 115, false }, { 575.7, 5.89 }, { 479.6, 1264.5 }, { 4.54, 16.6 }, { 6.85, 21.89 } },
	{ { 45682, 550, false }, { 575.7, 5.89 }, { 479.6, 1264.5 }, { 5.77, 18.7 }, { 8.48, 25.37 } },
	{ { 2857, 115, true }, { 37.9, 2.48 }, { 28.91, 44.32 }, { 3.38, 10.0 }, { 3.89, 10.27 } },
	{ { 2857, 550, true }, { 37.9, 2.48 }, { 28.91, 44.32 }, { 3.26, 9.28 }, { 5.41, 13.00 } },
	{ { 45682, 115, true }, { 569.7, 8.84 }, { 484.2, 1430.5 }, { 6.87, 24.5 }, { 7.91, 26.98 } },
	{ { 45682, 550, true }, { 569.7, 8.84 }, { 484.2, 1430.5 }, { 8.23, 29.3 }, { 11.39, 38.6 } },
};

/// What the figures do, frame by frame.
typedef struct ringMotion
{
	sceneMeshless body; ///< that all share
	float* matrices[SIM_RING_FIGURES];
} ringMotion;

static void FreeMotion(ringMotion* motion)
{
	sceneMeshless_Free(&motion->body);
	for (int i = 0; i < SIM_RING_FIGURES; ++i)
	{
		free(motion->matrices[i]);
	}
}

static bool Record(ringMotion* motion, simRing* ring, uint32_t nodeCount, simError* error)
{
	for (int i = 0; i < SIM_RING_FIGURES; ++i)
	{
		motion->matrices[i] = malloc(FRAMES * 12 * (size_t)nodeCount * sizeof(float));
		if (motion->matrices[i] == NULL)
		{
			return simError_SetMemory(error);
		}
	}
	for (int frame = 0; frame < FRAMES; ++frame)
	{
		if (!simRing_Advance(ring, error))
		{
			return false;
		}
		for (int i = 0; i < SIM_RING_FIGURES; ++i)
		{
			simActor* figure = &ring->figures[i];
			simMeshless_GetNodes(&figure->body, figure->nodes);
			sceneMakeMatrices(figure->nodes, nodeCount, motion->matrices[i] + 12 * (size_t)frame * nodeCount);
		}
	}
	return true;
}

// The simulation, before anything is timed.
static bool Simulate(ringMotion* motion, const simRingDef* def, benchReport* report)
{
	simRing ring;
	simError error = { "" };
	*motion = (ringMotion){ .matrices = { NULL } };
	if (!simRing_Create(&ring, def, &error))
	{
		benchReport_Fail(report, "%s", error.text);
		return false;
	}
	bool good = Record(motion, &ring, def->nodeCount, &error);
	if (good)
	{
		motion->body = ring.figures[0].scene;
		ring.figures[0].scene = (sceneMeshless){ .nodes = NULL };
	}
	else
	{
		benchReport_Fail(report, "ring of %u vertices, %u nodes: %s", def->vertexCount, def->nodeCount, error.text);
		FreeMotion(motion);
	}
	simRing_Free(&ring);
	return good;
}

static void AddPaper(benchRow* row, const double times[2], const ringScene* scene)
{
	double bottomUp = scene->bottomUp[0] + scene->bottomUp[1];
	benchRow_Number(row, "paperRefitMs", times[0], 2);
	benchRow_Number(row, "paperQueryMs", times[1], 2);
	benchRow_Number(row, "paperGain", bottomUp / (times[0] + times[1]), 1);
}

static void AddRows(
    benchReport* report, int number, const benchMeeting* meeting, benchMethodSet methods, const benchMeetingTimes* all)
{
	const ringScene* scene = scenes + number;
	for (int method = 0; method < BENCH_METHODS; ++method)
	{
		if ((methods & BENCH_BIT(method)) == 0)
		{
			continue;
		}
		benchRow* row = benchReport_AddRow(report, "Posing and query, per frame, all 15 pairs");
		benchRow_Count(row, "scene", (uint64_t)number + 1);
		benchRow_Count(row, "vertices", scene->def.vertexCount);
		benchRow_Count(row, "nodes", scene->def.nodeCount);
		benchMeeting_AddCells(row, meeting, all, (benchMethod)method);
		const double* paper = method == bench_bottomUp      ? scene->bottomUp
		                      : method == bench_spatialHash ? scene->hash
		                      : method == bench_paper       ? scene->boxes
		                      : method == bench_paperDop    ? scene->dops
		                                                    : NULL;
		if (paper != NULL)
		{
			AddPaper(row, paper, scene);
		}
	}
}

static void AddAims(benchReport* report, int number, const benchMeeting* meeting, const benchMeetingTimes* all)
{
	const ringScene* scene = scenes + number;
	double ratio = benchSamples_Median(&all[bench_bottomUp].query) / benchSamples_Median(&all[bench_bottomUp].refit);
	double paper = scene->bottomUp[1] / scene->bottomUp[0], off = ratio > paper ? ratio / paper : paper / ratio;
	benchReport_AddAim(report, off, 2.0, "scene %d: bottom-up's query/refit (%.3f) is off the paper's (%.3f) by",
	    number + 1, ratio, paper);
	benchReport_AddAim(report, benchMeeting_GetBestOverOracle(meeting, all, bench_ours),
	    scene->def.vertexCount > 10000 ? 1.5 : 2.0, "scene %d: ours / oracle", number + 1);
}

static void StayThere(const benchMeeting* meeting, const void* user, int frame, snugFrame* places)
{
	(void)meeting;
	(void)user;
	(void)frame;
	(void)places;
}

static void RunMeeting(const benchOptions* options, benchReport* report, int number, const ringMotion* motion)
{
	static benchMeetingTimes all[BENCH_METHODS];
	static benchMeeting meeting;
	benchActor actors[SIM_RING_FIGURES];
	char name[32];
	for (int i = 0; i < SIM_RING_FIGURES; ++i)
	{
		actors[i] = benchActor_Skinned(&motion->body.mesh, &motion->body.weights, motion->matrices[i], FRAMES, NULL);
	}
	snprintf(name, sizeof(name), "ring, scene %d", number + 1);
	if (!benchMeeting_Create(&meeting, name, actors, SIM_RING_FIGURES, report))
	{
		return;
	}
	benchMethodSet papers =
	    BENCH_BIT(bench_paper) | BENCH_BIT(bench_paperDop) | (!options->full ? 0 : BENCH_OTHER_VOLUMES);
	const benchMeetingPlan plan = {
		.methods = BENCH_BIT(bench_ours) | BENCH_BIT(bench_onDemand) | BENCH_BIT(bench_bottomUp) |
		           BENCH_BIT(bench_oracle) | BENCH_BIT(bench_spatialHash) | BENCH_BIT(bench_embree) |
		           BENCH_BIT(bench_paperWide) | BENCH_BIT(bench_freeBottomUp) | papers,
		.passes = !options->full ? 2 : 3,
		.briefPasses = 1,
	};
	benchMeeting_AskAll(&meeting);
	sceneContact contact = scenes[number].def.hasMany ? scene_heavy : scene_light;
	if (benchMeeting_Place(&meeting, contact, StayThere, NULL, report) &&
	    benchMeeting_Run(&meeting, &plan, all, report))
	{
		AddRows(report, number, &meeting, plan.methods, all);
		AddAims(report, number, &meeting, all);
		benchMeeting_Verify(&meeting, report);
	}
	benchMeeting_Free(&meeting);
}

void benchRing(const benchOptions* options, benchReport* report)
{
	for (int i = 0; i < SCENES && report->failure[0] == '\0'; ++i)
	{
		char text[64];
		ringMotion motion;
		if (!options->full && i % 4 != 0)
		{
			continue; // the small figures with few nodes only
		}
		snprintf(text, sizeof(text), "ring: simulating scene %d of %d …", i + 1, SCENES);
		benchProgress(options, text);
		if (Simulate(&motion, &scenes[i].def, report))
		{
			snprintf(text, sizeof(text), "ring: queries of scene %d …", i + 1);
			benchProgress(options, text);
			RunMeeting(options, report, i, &motion);
			FreeMotion(&motion);
		}
	}
}
