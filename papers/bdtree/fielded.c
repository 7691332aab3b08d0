#include "papers/bdtree/fielded.h"

#include "lab/bench/meeting.h"

#include <math.h>

/// Bodies with more triangles are run by one method after the other: their models in every form would not fit into
/// memory together.
#define LARGE_TRIANGLES 100000

static const benchMethodSet usualMethods =
    BENCH_BIT(bench_ours) | BENCH_BIT(bench_onDemand) | BENCH_BIT(bench_bd) | BENCH_BIT(bench_bdTemporal) |
    BENCH_BIT(bench_bdBoxes) | BENCH_BIT(bench_bottomUp) | BENCH_BIT(bench_layered) | BENCH_BIT(bench_oracle);
static const benchMethodSet otherMethods =
    BENCH_BIT(bench_front) | BENCH_BIT(bench_bdOriented) | BENCH_BIT(bench_freeBottomUp);

static void AddRow(benchReport* report, const benchFieldedScene* scene, const benchMeeting* meeting, benchMethod m)
{
	const benchMethodDef* method = benchGetMethod(m);
	const benchMeetingTimes* times = meeting->times + m;
	benchRow* row = benchReport_AddRow(report, "Posing and query, per frame");
	benchRow_Text(row, "scene", scene->name);
	benchRow_Text(row, "method", method->name);
	benchRow_Number(row, "bestMicroseconds", 1e3 * benchMeeting_GetBest(meeting, m), 2);
	benchRow_Number(row, "volumeTests", times->volumeTests, 0);
	benchRow_Number(row, "nodesRefitted", times->nodesRefitted, 0);
	if (method->bd.temporal > 0.0)
	{
		benchRow_Number(row, "temporalUpdates", times->temporalUpdates, 0);
	}
	benchRow_Number(row, "verticesEvaluated", times->verticesEvaluated, 0);
	benchRow_Number(row, "triangleTests", times->triangleTests, 0);
	benchRow_Number(row, "pairs", benchAnswers_GetMean(&meeting->answers), 1);
	benchRow_Hash(row, "pairsHash", benchAnswers_GetHash(&meeting->answers));
}

static void RunMeeting(const benchFieldedScene* scene, benchMeeting* meeting, const benchMeetingPlan* plan,
    benchFieldedResult* results, benchReport* report)
{
	if (benchMeeting_Run(meeting, plan, report))
	{
		benchMeeting_Verify(meeting, report);
		for (int m = 0; m < BENCH_METHODS; ++m)
		{
			if (meeting->times[m].isMeasured)
			{
				results[m].bestMicroseconds = 1e3 * benchMeeting_GetBest(meeting, (benchMethod)m);
				results[m].volumeTests = meeting->times[m].volumeTests;
				AddRow(report, scene, meeting, (benchMethod)m);
			}
		}
	}
}

void benchFielded_Run(const benchFieldedScene* scene, const benchOptions* options, int passes,
    benchFieldedResult* results, benchReport* report)
{
	const benchMeetingPlan plan = {
		.methods = usualMethods | (options->full ? otherMethods : 0),
		.passes = passes,
		.briefPasses = passes,
		.isOneByOne = scene->actors[0].mesh->triangleCount > LARGE_TRIANGLES,
	};
	benchMeeting meeting;
	for (int m = 0; m < BENCH_METHODS; ++m)
	{
		results[m] = (benchFieldedResult){ (double)NAN, (double)NAN };
	}
	if (benchMeeting_Create(&meeting, scene->name, scene->actors, 2, report))
	{
		if (benchMeeting_Place(&meeting, scene_light, benchPlaceAsGiven, NULL, report))
		{
			RunMeeting(scene, &meeting, &plan, results, report);
		}
		benchMeeting_Free(&meeting);
	}
}
