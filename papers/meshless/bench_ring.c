// `snug bench ring`: Tables 2 to 4 of the 2008 paper: six simulated figures on a ring that is turned to and fro
// (papers/meshless/ring.h), asked about all 15 pairs, by bottom-up, spatial hashing, the paper's volumes, ours, the
// oracle, Embree.
#include "papers/meshless/ring.h"
#include "papers/meshless/troupe.h"

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

static bool Advance(void* ring, simError* error)
{
	return simRing_Advance(ring, error);
}

// The simulation, before anything is timed.
static bool Simulate(benchTroupe* troupe, const simRingDef* def, benchReport* report)
{
	simRing ring;
	simError error = { "" };
	bool good = simRing_Create(&ring, def, &error);
	if (good)
	{
		good = benchTroupe_Record(troupe, ring.figures, SIM_RING_FIGURES, FRAMES, Advance, &ring, &error);
		simRing_Free(&ring);
	}
	if (!good)
	{
		benchReport_Fail(report, "ring of %u vertices, %u nodes: %s", def->vertexCount, def->nodeCount, error.text);
	}
	return good;
}

static void AddPaper(benchRow* row, const double times[2], const ringScene* scene)
{
	double bottomUp = scene->bottomUp[0] + scene->bottomUp[1];
	benchRow_Number(row, "paperRefitMs", times[0], 2);
	benchRow_Number(row, "paperQueryMs", times[1], 2);
	benchRow_Number(row, "paperGain", bottomUp / (times[0] + times[1]), 1);
}

static void AddRows(benchReport* report, int number, const benchMeeting* meeting, benchMethodSet methods)
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
		benchMeeting_AddCells(row, meeting, (benchMethod)method);
		const double* paper = method == bench_paperUp       ? scene->bottomUp
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

static void AddAims(benchReport* report, int number, const benchMeeting* meeting)
{
	const ringScene* scene = scenes + number;
	double ratio = benchSamples_Median(&meeting->times[bench_bottomUp].query) /
	               benchSamples_Median(&meeting->times[bench_bottomUp].refit);
	double paper = scene->bottomUp[1] / scene->bottomUp[0], off = ratio > paper ? ratio / paper : paper / ratio;
	benchReport_AddAim(report, off, 2.0, "scene %d: bottom-up's query/refit (%.3f) is off the paper's (%.3f) by",
	    number + 1, ratio, paper);
	benchReport_AddAim(report, benchMeeting_GetBestOverOracle(meeting, bench_ours),
	    scene->def.vertexCount > 10000 ? 1.5 : 2.0, "scene %d: ours / oracle", number + 1);
}

static void RunMeeting(const benchOptions* options, benchReport* report, int number, const benchTroupe* troupe)
{
	static benchMeeting meeting;
	char name[32];
	snprintf(name, sizeof(name), "ring, scene %d", number + 1);
	benchMeetingPlan plan = benchTroupe_GetPlan(options);
	plan.methods |= BENCH_OTHER_VOLUMES; // of which section 6 says which pay
	sceneContact contact = scenes[number].def.hasMany ? scene_heavy : scene_light;
	if (!benchTroupe_Place(troupe, &meeting, name, contact, report))
	{
		return;
	}
	if (benchMeeting_Run(&meeting, &plan, report))
	{
		AddRows(report, number, &meeting, plan.methods);
		AddAims(report, number, &meeting);
		benchMeeting_Verify(&meeting, report);
	}
	benchMeeting_Free(&meeting);
}

void benchRing(const benchOptions* options, benchReport* report)
{
	for (int i = 0; i < SCENES && report->failure[0] == '\0'; ++i)
	{
		char text[64];
		benchTroupe troupe;
		if (!options->full && i % 4 != 0)
		{
			continue; // the small figures with few nodes only
		}
		snprintf(text, sizeof(text), "ring: simulating scene %d of %d …", i + 1, SCENES);
		benchProgress(options, text);
		if (Simulate(&troupe, &scenes[i].def, report))
		{
			snprintf(text, sizeof(text), "ring: queries of scene %d …", i + 1);
			benchProgress(options, text);
			RunMeeting(options, report, i, &troupe);
			benchTroupe_Free(&troupe);
		}
	}
}
