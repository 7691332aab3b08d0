// What is said of a meeting.
#include "lab/bench/meeting.h"

// Median total of a method over that of another, NaN if one was not measured.
static double GetRatio(const benchMeeting* meeting, benchMethod method, benchMethod other)
{
	return benchSamples_Median(&meeting->times[method].total) / benchSamples_Median(&meeting->times[other].total);
}

double benchMeeting_GetBest(const benchMeeting* meeting, benchMethod method)
{
	double sum = 0.0;
	for (int f = 0; f < meeting->answers.frameCount; ++f)
	{
		sum += meeting->times[method].best[f];
	}
	return sum / (double)meeting->answers.frameCount;
}

double benchMeeting_GetBestOverOracle(const benchMeeting* meeting, benchMethod method)
{
	return benchMeeting_GetBest(meeting, method) / benchMeeting_GetBest(meeting, bench_oracle);
}

double benchMeeting_GetGain(const benchMeeting* meeting, benchMethod method)
{
	bool isScalar = benchGetMethod(method)->kind == bench_byLimited;
	return benchMeeting_GetBest(meeting, isScalar ? bench_paperUp : bench_bottomUp) /
	       benchMeeting_GetBest(meeting, method);
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

void benchMeeting_AddCells(benchRow* row, const benchMeeting* meeting, benchMethod method)
{
	const benchMeetingTimes *times = meeting->times + method, *oracle = meeting->times + bench_oracle;
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
	benchRow_Number(row, "bestMs", benchMeeting_GetBest(meeting, method), 3);
	benchRow_Number(row, "totalOverOracle", GetRatio(meeting, method, bench_oracle), 2);
	benchRow_Number(row, "bestOverOracle", benchMeeting_GetBestOverOracle(meeting, method), 2);
	benchRow_Number(row, "bottomUpOverTotal", GetRatio(meeting, bench_bottomUp, method), 2);
	if (meeting->times[bench_paperUp].isMeasured)
	{
		benchRow_Number(row, "gain", benchMeeting_GetGain(meeting, method), 2);
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
