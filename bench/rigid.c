// `snug bench rigid`: what a query costs once deformation is free. Every other deformer is measured against it.
#include "bench/encounter.h"
#include "bench/sizes.h"

#include <math.h>
#include <stdlib.h>

/// Trees that are tried without --full.
#define USUAL_TREES 5

static benchMethodSet GetTrees(int count)
{
	benchMethodSet set = 0;
	for (int i = 0; i < count; ++i)
	{
		set |= BENCH_BIT(bench_firstTree + i);
	}
	return set;
}

static void AddRow(benchReport* report, const benchMeeting* meeting, const benchMeetingTimes* times, benchMethod method)
{
	const benchMethodDef* def = benchGetMethod(method);
	double query = benchSamples_Median(&times->query);
	benchRow* row = benchReport_AddRow(report, "Query, per frame");
	benchRow_Text(row, "contact", sceneContact_GetName(meeting->contact));
	benchRow_Count(row, "vertices", meeting->actors[0].mesh->vertexCount);
	if (!times->isMeasured)
	{
		benchRow_Text(row, "method", "Embree: not installed");
		return;
	}
	benchRow_Text(row, "method", def->name);
	if (def->kind == bench_byPeer)
	{
		benchRow_Number(row, "buildMs", 0.5 * benchSamples_Median(&times->refit), 1);
	}
	benchRow_Number(row, "queryMs", query, 3);
	benchRow_Number(row, "queryMsMin", benchSamples_Min(&times->query), 3);
	benchRow_Number(row, "pairs", benchAnswers_GetMean(&meeting->answers), 0);
	benchRow_Number(row, "microsecondsPerPair", 1e3 * query / benchAnswers_GetMean(&meeting->answers), 3);
	if (def->kind == bench_byPeer)
	{
		benchRow_Number(row, "boxesOnlyMs", times->phases.ms[bench_tests], 3);
		benchRow_Count(row, "missing", times->differences[0]);
		benchRow_Count(row, "extra", times->differences[1]);
		return;
	}
	benchRow_Number(row, "volumeTests", times->volumeTests, 0);
	benchRow_Number(row, "verticesEvaluated", times->verticesEvaluated, 0);
	benchRow_Number(row, "triangleTests", times->triangleTests, 0);
	benchRow_Hash(row, "pairsHash", benchAnswers_GetHash(&meeting->answers));
}

static void AddAims(benchReport* report, const benchMeeting* meeting, const benchMeetingTimes* all)
{
	const char* contact = sceneContact_GetName(meeting->contact);
	double ours = benchMeeting_GetBest(meeting, all + bench_ours);
	benchReport_AddAim(report, 1e3 * ours / benchAnswers_GetMean(&meeting->answers), 1.0,
	    "rigid, %s contact at 45K vertices: query, microseconds per pair", contact);
	benchReport_AddAim(report,
	    benchSamples_Median(&all[bench_ours].query) / benchSamples_Median(&all[bench_embreeRebuilt].query), 1.0,
	    "rigid, %s contact: query, ours / Embree's boxes and the plain triangle test", contact);
}

// All methods on one scene; only the first size has variants of the tree, and aims.
static void RunMeeting(const benchOptions* options, benchMeeting* meeting, bool isMain, benchReport* report)
{
	benchMethodSet trees = isMain ? GetTrees(options->full ? BENCH_TREES : USUAL_TREES) : 0;
	const benchMeetingPlan plan = {
		.methods = BENCH_BIT(bench_ours) | trees | BENCH_BIT(bench_embreeRebuilt),
		.phased = BENCH_BIT(bench_embreeRebuilt),
		.passes = options->full ? 5 : 3,
		.briefPasses = 1,
	};
	benchMeetingTimes* all = malloc(BENCH_METHODS * sizeof(benchMeetingTimes));
	if (all == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	else if (benchMeeting_Run(meeting, &plan, all, report))
	{
		benchMeeting_Verify(meeting, report);
		for (int m = 0; m < BENCH_METHODS; ++m)
		{
			if ((plan.methods & BENCH_BIT(m)) != 0)
			{
				AddRow(report, meeting, all + m, (benchMethod)m);
			}
		}
		if (isMain)
		{
			AddAims(report, meeting, all);
		}
	}
	free(all);
}

static void RunScene(const benchOptions* options, benchReport* report, uint32_t frequency, sceneContact contact)
{
	benchEncounter encounter;
	benchMeeting meeting;
	if (!benchEncounter_Create(&encounter, snug_rigid, frequency, contact, options->full ? 24 : 12, report))
	{
		return;
	}
	if (benchMeeting_Create(&meeting, sceneContact_GetName(contact), encounter.actors, 2, report))
	{
		if (benchMeeting_Place(&meeting, contact, benchPlaceAsGiven, NULL, report))
		{
			RunMeeting(options, &meeting, frequency == 67, report);
		}
		benchMeeting_Free(&meeting);
	}
	benchEncounter_Free(&encounter);
}

void benchRigid(const benchOptions* options, benchReport* report)
{
	static const uint32_t frequencies[2] = { 67, 71 }; // 89,780 and 100,820 triangles
	for (int i = 0; i < (options->quick ? 1 : 2); ++i)
	{
		benchProgress(options, i == 0 ? "rigid: 45K vertices …" : "rigid: 100K triangles …");
		RunScene(options, report, frequencies[i], scene_light);
		RunScene(options, report, frequencies[i], scene_heavy);
	}
	benchProgress(options, "rigid: building large models …");
	benchBuilds(options, report);
	benchBodySizes(report, snug_rigid);
}
