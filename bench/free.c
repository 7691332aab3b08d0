// `snug bench free`: every vertex moves in every frame and is given by the caller, as from a simulation.
#include "bench/encounter.h"
#include "bench/sizes.h"

#include <math.h>
#include <stdlib.h>

/// What reading the vertices of both bodies and refitting them takes, median, milliseconds per body.
static double GetRefit(const benchMeetingTimes* times)
{
	return 0.5 * (benchSamples_Median(&times->pose) + benchSamples_Median(&times->refit));
}

static void AddRow(benchReport* report, const benchMeeting* meeting, const benchMeetingTimes* times, benchMethod method)
{
	const benchMethodDef* def = benchGetMethod(method);
	const sceneMesh* mesh = meeting->actors[0].mesh;
	bool isPeer = def->kind == bench_byPeer;
	benchRow* row = benchReport_AddRow(report, "Refit and query, per frame");
	benchRow_Text(row, "contact", sceneContact_GetName(meeting->contact));
	benchRow_Count(row, "vertices", mesh->vertexCount);
	benchRow_Text(row, "method", times->isMeasured ? def->name : "Embree: not installed");
	if (!times->isMeasured)
	{
		return;
	}
	double set = isPeer ? 0.0 : 0.5 * benchSamples_Median(&times->pose),
	       refit = 0.5 * benchSamples_Median(&times->refit);
	double query = benchSamples_Median(&times->query);
	if (!isPeer)
	{
		benchRow_Number(row, "setMsPerBody", set, 3);
	}
	benchRow_Number(row, "refitMsPerBody", refit, 3);
	benchRow_Number(row, "nsPerVertex", 1e6 * (set + refit) / mesh->vertexCount, 2);
	benchRow_Number(row, "nsPerTriangle", 1e6 * (set + refit) / mesh->triangleCount, 2);
	benchRow_Number(row, "queryMs", query, 3);
	benchRow_Number(row, "queryMsMin", benchSamples_Min(&times->query), 3);
	benchRow_Number(row, "totalMs", 2.0 * (set + refit) + query, 3);
	benchRow_Number(row, "pairs", benchAnswers_GetMean(&meeting->answers), 0);
	benchRow_Number(row, "microsecondsPerPair", 1e3 * query / benchAnswers_GetMean(&meeting->answers), 3);
	if (isPeer)
	{
		benchRow_Number(row, "boxesOnlyMs", times->phases.ms[bench_tests], 3);
		benchRow_Count(row, "missing", times->differences[0]);
		benchRow_Count(row, "extra", times->differences[1]);
		return;
	}
	benchRow_Number(row, "triangleTests", times->triangleTests, 0);
	benchRow_Number(row, "volumeTests", times->volumeTests, 0);
	benchRow_Hash(row, "pairsHash", benchAnswers_GetHash(&meeting->answers));
}

static void AddAims(benchReport* report, const benchMeeting* meeting, const benchMeetingTimes* all)
{
	const char* contact = sceneContact_GetName(meeting->contact);
	double query = benchSamples_Median(&all[bench_ours].query);
	// Against the better of Embree's trees.
	double embree =
	    fmin(benchSamples_Median(&all[bench_embree].query), benchSamples_Median(&all[bench_embreeRebuilt].query));
	benchReport_AddAim(report, 1e3 * query / benchAnswers_GetMean(&meeting->answers), 1.0,
	    "free, %s contact at 45K vertices: query, microseconds per pair", contact);
	benchReport_AddAim(report, query / embree, 1.0,
	    "free, %s contact: query, ours / Embree's boxes and the plain triangle test", contact);
}

static void RunMeeting(const benchOptions* options, benchMeeting* meeting, benchReport* report, double* fullRefit)
{
	// Two other trees: 4 children and leaves of 4, 2 children and leaves of 1.
	const benchMeetingPlan plan = {
		.methods = BENCH_BIT(bench_ours) | BENCH_BIT(bench_firstTree + 3) | BENCH_BIT(bench_firstTree + 4) |
		           BENCH_BIT(bench_plain) | BENCH_BIT(bench_embree) |
		           (options->quick ? 0 : BENCH_BIT(bench_embreeRebuilt)),
		.phased = BENCH_BIT(bench_embree) | BENCH_BIT(bench_embreeRebuilt),
		.passes = options->full ? 5 : 3,
		.briefPasses = options->full ? 3 : 1,
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
		AddAims(report, meeting, all);
		*fullRefit = GetRefit(all + bench_ours);
	}
	free(all);
}

static void RunScene(const benchOptions* options, benchReport* report, sceneContact contact, double* fullRefit)
{
	benchEncounter encounter;
	benchMeeting meeting;
	if (!benchEncounter_Create(&encounter, snug_free, 67, contact,
	        options->full    ? 24
	        : options->quick ? 4
	                         : 12,
	        report))
	{
		return;
	}
	if (benchMeeting_Create(&meeting, sceneContact_GetName(contact), encounter.actors, 2, report))
	{
		if (benchMeeting_Place(&meeting, contact, benchPlaceAsGiven, NULL, report))
		{
			RunMeeting(options, &meeting, report, fullRefit);
		}
		benchMeeting_Free(&meeting);
	}
	benchEncounter_Free(&encounter);
}

// Set a range of the vertices and refit, alternating between two frames so that something always changes.
static double TimeRange(const benchActor* actor, snugBody* body, uint32_t first, uint32_t count)
{
	benchSamples samples = { .count = 0 };
	for (int i = 0; i < 60; ++i)
	{
		const float* shape = actor->vertices + 3 * (size_t)(i & 1) * actor->mesh->vertexCount;
		double start = benchNow();
		snugStatus status = snugBody_SetVertices(body, shape + 3 * (size_t)first, 0, first, count);
		status = status == snug_success ? snugBody_Refit(body) : status;
		double elapsed = benchNow() - start;
		if (status != snug_success)
		{
			return NAN;
		}
		if (i >= 10)
		{
			benchSamples_Add(&samples, elapsed);
		}
	}
	return benchSamples_Median(&samples);
}

static void RunPartial(benchReport* report)
{
	static const double fractions[] = { 0.001, 0.01, 0.1, 1.0 };
	benchEncounter encounter;
	benchBody body;
	if (!benchEncounter_Create(&encounter, snug_free, 67, scene_light, 2, report))
	{
		return;
	}
	const benchActor* actor = &encounter.actors[0];
	uint32_t vertexCount = actor->mesh->vertexCount;
	if (benchBody_Create(&body, actor, &(benchBounding){ .strategy = 0 }, report))
	{
		for (int i = 0; i < 4; ++i)
		{
			uint32_t count = (uint32_t)(fractions[i] * vertexCount), first = (vertexCount - count) / 2;
			double ms = TimeRange(actor, body.body, first, count);
			benchRow* row = benchReport_AddRow(report, "Setting and refitting a range of one body's vertices");
			benchRow_Count(row, "verticesSet", count);
			benchRow_Count(row, "vertices", vertexCount);
			benchRow_Number(row, "setAndRefitMs", ms, 4);
			benchRow_Number(row, "nsPerVertexSet", 1e6 * ms / count, 1);
		}
		benchBody_Destroy(&body);
	}
	benchEncounter_Free(&encounter);
}

void benchFree(const benchOptions* options, benchReport* report)
{
	double refits[2] = { NAN, NAN };
	benchProgress(options, "free: light contact …");
	RunScene(options, report, scene_light, &refits[0]);
	benchProgress(options, "free: heavy contact …");
	RunScene(options, report, scene_heavy, &refits[1]);
	benchReport_AddAim(report, fmax(refits[0], refits[1]), 0.4,
	    "free body of 90K triangles: reading its vertices and refitting bottom-up, milliseconds");
	RunPartial(report);
	benchBodySizes(report, snug_free);
}
