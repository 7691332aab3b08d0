// What is said of a meeting.
#include "lab/bench/meeting.h"

#include <math.h>

// Median total of a method over that of another, NaN if one was not measured.
static double GetRatio(const benchMeetingTimes all[BENCH_METHODS], benchMethod method, benchMethod other)
{
	return benchSamples_Median(&all[method].total) / benchSamples_Median(&all[other].total);
}

double benchMeeting_GetBest(const benchMeeting* meeting, const benchMeetingTimes* times)
{
	double sum = 0.0;
	for (int f = 0; f < meeting->answers.frameCount; ++f)
	{
		sum += times->best[f];
	}
	return sum / (double)meeting->answers.frameCount;
}

double benchMeeting_GetBestOverOracle(
    const benchMeeting* meeting, const benchMeetingTimes all[BENCH_METHODS], benchMethod method)
{
	return benchMeeting_GetBest(meeting, all + method) / benchMeeting_GetBest(meeting, all + bench_oracle);
}

double benchMeeting_GetGain(const benchMeeting* meeting, const benchMeetingTimes all[BENCH_METHODS], benchMethod method)
{
	bool isScalar = benchGetMethod(method)->kind == bench_byLimited;
	return benchMeeting_GetBest(meeting, all + (isScalar ? bench_paperUp : bench_bottomUp)) /
	       benchMeeting_GetBest(meeting, all + method);
}

// What snug counts, where it is snug.
static void AddCounterCells(
    benchRow* row, const benchMeetingTimes* times, const benchMeetingTimes* oracle, const benchMethodDef* def)
{
	benchMethodKind kind = def->kind;
	// A refit before the query does not count.
	if ((kind == bench_bySnug && def->strategy != snug_strategyBottomUp) || kind == bench_bySpheres ||
	    kind == bench_byLimited)
	{
		benchRow_Number(row, "nodesRefitted", times->nodesRefitted, 0);
		benchRow_Number(row, "verticesEvaluated", times->verticesEvaluated, 0);
	}
	if (kind == bench_byLimited)
	{
		benchRow_Number(row, "transformsBounded", times->transformsBounded, 0);
	}
	if (kind != bench_byPeer)
	{
		benchRow_Number(row, "volumeTests", times->volumeTests, 0);
	}
	if (kind == bench_bySnug || kind == bench_byFreeBody)
	{
		benchRow_Number(row, "volumeTestsOverOracle", times->volumeTests / oracle->volumeTests, 2);
	}
	if (kind != bench_byPeer)
	{
		benchRow_Number(row, "triangleTests", times->triangleTests, 0);
	}
}

void benchMeeting_AddCells(
    benchRow* row, const benchMeeting* meeting, const benchMeetingTimes all[BENCH_METHODS], benchMethod method)
{
	const benchMeetingTimes *times = all + method, *oracle = all + bench_oracle;
	const benchMethodDef* def = benchGetMethod(method);
	benchRow_Text(row, "contact", sceneContact_GetName(meeting->contact));
	if (!times->isMeasured)
	{
		char text[48];
		snprintf(text, sizeof(text), "%s: not installed", def->name);
		benchRow_Text(row, "method", text);
		benchRow_Text(row, "how", def->peer != NULL ? def->peer->package : "");
		return;
	}
	benchRow_Text(row, "method", def->name);
	benchRow_Number(row, "poseMs", benchSamples_Median(&times->pose), 3);
	benchRow_Number(row, "evaluateMs", benchSamples_Median(&times->evaluate), 3);
	benchRow_Number(row, def->kind == bench_byHash ? "loadMs" : "refitMs", benchSamples_Median(&times->refit), 3);
	benchRow_Number(row, "queryMs", benchSamples_Median(&times->query), 3);
	benchRow_Number(row, "totalMs", benchSamples_Median(&times->total), 3);
	benchRow_Number(row, "bestMs", benchMeeting_GetBest(meeting, times), 3);
	benchRow_Number(row, "totalOverOracle", GetRatio(all, method, bench_oracle), 2);
	benchRow_Number(row, "bestOverOracle", benchMeeting_GetBestOverOracle(meeting, all, method), 2);
	benchRow_Number(row, "bottomUpOverTotal", GetRatio(all, bench_bottomUp, method), 2);
	if (all[bench_paperUp].isMeasured)
	{
		benchRow_Number(row, "gain", benchMeeting_GetGain(meeting, all, method), 2);
	}
	AddCounterCells(row, times, oracle, def);
	benchRow_Number(row, "pairs", benchAnswers_GetMean(&meeting->answers), 0);
	if (def->kind == bench_byPeer)
	{
		benchRow_Count(row, "missing", times->differences[0]);
		benchRow_Count(row, "extra", times->differences[1]);
		return;
	}
	benchRow_Hash(row, "pairsHash", benchAnswers_GetHash(&meeting->answers));
}
