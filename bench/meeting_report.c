// What is reported of a meeting.
#include "bench/meeting.h"

double benchMeeting_GetBestOverOracle(
    const benchMeeting* meeting, const benchMeetingTimes all[BENCH_METHODS], int method)
{
	double sum = 0.0, oracle = 0.0;
	for (int f = 0; f < meeting->answers.frameCount; ++f)
	{
		sum += all[method].best[f];
		oracle += all[bench_oracle].best[f];
	}
	return sum / oracle;
}

void benchMeeting_AddCells(
    benchRow* row, const benchMeeting* meeting, const benchMeetingTimes all[BENCH_METHODS], int method)
{
	const benchMeetingTimes *times = all + method, *oracle = all + bench_oracle, *bottomUp = all + bench_bottomUp;
	bool isHash = method == bench_spatialHash;
	double total = benchSamples_Median(&times->total);
	benchRow_Text(row, "contact", sceneContact_GetName(meeting->contact));
	benchRow_Text(row, "method", benchGetMethodName(method));
	benchRow_Number(row, "poseMs", benchSamples_Median(&times->pose), 3);
	benchRow_Number(row, "evaluateMs", benchSamples_Median(&times->evaluate), 3);
	benchRow_Number(row, isHash ? "loadMs" : "refitMs", benchSamples_Median(&times->refit), 3);
	benchRow_Number(row, "queryMs", benchSamples_Median(&times->query), 3);
	benchRow_Number(row, "totalMs", total, 3);
	benchRow_Number(row, "totalMsMin", benchSamples_Min(&times->total), 3);
	benchRow_Number(row, "totalOverOracle", total / benchSamples_Median(&oracle->total), 2);
	benchRow_Number(row, "bestOverOracle", benchMeeting_GetBestOverOracle(meeting, all, method), 2);
	benchRow_Number(row, "bottomUpOverTotal", benchSamples_Median(&bottomUp->total) / total, 2);
	if (!isHash)
	{
		benchRow_Number(row, "nodesRefitted", times->nodesRefitted, 0);
		benchRow_Number(row, "verticesEvaluated", times->verticesEvaluated, 0);
	}
	benchRow_Number(row, "volumeTests", times->volumeTests, 0);
	if (!isHash)
	{
		benchRow_Number(row, "volumeTestsOverOracle", times->volumeTests / oracle->volumeTests, 2);
	}
	benchRow_Number(row, "triangleTests", times->triangleTests, 0);
	benchRow_Number(row, "pairs", benchAnswers_GetMean(&meeting->answers), 0);
	benchRow_Hash(row, "pairsHash", benchAnswers_GetHash(&meeting->answers));
}

benchMeetingNote benchMeeting_MakeNote(const benchMeeting* meeting, const benchMeetingTimes* bottomUp)
{
	const benchActor* actors = meeting->actors;
	double evaluate = benchSamples_Median(&bottomUp->evaluate), refit = benchSamples_Median(&bottomUp->refit);
	double vertices = (double)actors[0].mesh->vertexCount + (double)actors[1].mesh->vertexCount;
	return (benchMeetingNote){
		.contact = meeting->contact,
		.evaluateNs = 1e6 * evaluate / vertices,
		.refitNs = 1e6 * refit / (double)meeting->treeNodes,
		.queryOverUpdate = benchSamples_Median(&bottomUp->query) / (evaluate + refit),
		.pairs = benchAnswers_GetMean(&meeting->answers),
		.peak = meeting->answers.counts[benchAnswers_GetPeak(&meeting->answers)],
		.touching = meeting->touchingAtPeak,
		.cellFactor = meeting->cellFactor,
	};
}

void benchMeetingNote_AddCells(benchRow* row, const benchMeetingNote* note)
{
	benchRow_Text(row, "contact", sceneContact_GetName(note->contact));
	benchRow_Number(row, "bottomUpEvaluateNsPerVertex", note->evaluateNs, 1);
	benchRow_Number(row, "bottomUpRefitNsPerNode", note->refitNs, 1);
	benchRow_Number(row, "bottomUpQueryOverUpdate", note->queryOverUpdate, 3);
	if (note->cellFactor > 0.0)
	{
		benchRow_Number(row, "hashCellsOverMeanEdge", note->cellFactor, 1);
	}
	benchRow_Number(row, "pairsMean", note->pairs, 0);
	benchRow_Count(row, "pairsAtPeak", note->peak);
	benchRow_Count(row, "trianglesInContactAtPeak", note->touching);
}
