#include "bench/meeting.h"

#include "baselines/oracle.h"
#include "baselines/spatial_hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char* benchGetMethodName(int method)
{
	static const char* others[BENCH_METHODS - BENCH_BOUNDS] = { "bottom-up", "oracle", "spatial hash" };
	static char name[32];
	if (method >= BENCH_BOUNDS)
	{
		return others[method - BENCH_BOUNDS];
	}
	if (method == bench_ours)
	{
		return "ours";
	}
	snprintf(name, sizeof(name), "ours, %s", benchGetBoundName(benchBounds[method]));
	return name;
}

/// The bodies that one method needs. Two of one character have a model each, and so do their oracles: the same for all.
typedef struct meetingBodies
{
	benchBlendBody bodies[2];
	oracleBody oracles[2];
	bool hasOracles;
} meetingBodies;

// ---- Bodies ----------------------------------------------------------------------------------------------------

static void DestroyBodies(meetingBodies* b)
{
	for (int i = 0; i < 2; ++i)
	{
		benchBlendBody_Destroy(&b->bodies[i]);
		oracleBody_Destroy(&b->oracles[i]);
	}
}

static bool CreateBodies(
    const benchMeeting* meeting, meetingBodies* b, snugBound bound, bool hasOracles, benchReport* report)
{
	const benchBounding how = { .bound = bound };
	*b = (meetingBodies){ .hasOracles = hasOracles };
	for (int i = 0; i < 2; ++i)
	{
		const benchActor* actor = meeting->actors + i;
		benchBlendBody* body = b->bodies + i;
		bool good = benchBlendBody_Create(body, actor->mesh, actor->weights, &how, report);
		if (good && hasOracles && oracleBody_Create(&b->oracles[i], &body->def, body->model) != snug_success)
		{
			benchReport_Fail(report, "cannot make the oracle");
			good = false;
		}
		if (!good)
		{
			DestroyBodies(b);
			return false;
		}
	}
	return true;
}

static snugStatus PoseBodies(const benchMeeting* meeting, const meetingBodies* b, int frame)
{
	snugStatus status = snug_success;
	for (int i = 0; i < 2 && status == snug_success; ++i)
	{
		const benchActor* actor = meeting->actors + i;
		const float* matrices = benchActor_GetMatrices(actor, frame);
		status = snugBody_SetJoints(b->bodies[i].body, matrices, 0, actor->weights->transformCount);
	}
	return status == snug_success ? snugBody_SetFrame(b->bodies[1].body, &meeting->places[frame]) : status;
}

// Placed vertices of posed bodies, to `world`.
static snugStatus EvaluateBodies(benchMeeting* meeting, const meetingBodies* b)
{
	snugStatus status = snug_success;
	for (int i = 0; i < 2 && status == snug_success; ++i)
	{
		status = snugBody_GetVertices(b->bodies[i].body, NULL, meeting->world[i], 0);
	}
	return status;
}

static bruteMesh GetWorldMesh(const benchMeeting* meeting, int i)
{
	const sceneMesh* mesh = meeting->actors[i].mesh;
	bruteMesh world = { meeting->world[i], mesh->triangles, mesh->triangleCount };
	return world;
}

// ---- Meetings --------------------------------------------------------------------------------------------------

bool benchMeeting_Create(benchMeeting* meeting, const char* name, const benchActor actors[2], benchReport* report)
{
	*meeting = (benchMeeting){ .actors = { actors[0], actors[1] } };
	if (!benchAnswers_Create(&meeting->answers, name, actors[0].frameCount, report))
	{
		return false;
	}
	for (int i = 0; i < 2; ++i)
	{
		meeting->world[i] = malloc(3 * (size_t)actors[i].mesh->vertexCount * sizeof(float));
	}
	if (meeting->world[0] == NULL || meeting->world[1] == NULL)
	{
		benchReport_Fail(report, "out of memory");
		benchMeeting_Free(meeting);
		return false;
	}
	return true;
}

void benchMeeting_Free(benchMeeting* meeting)
{
	benchAnswers_Free(&meeting->answers);
	free(meeting->world[0]);
	free(meeting->world[1]);
	memset(meeting, 0, sizeof(*meeting));
}

bool benchMeeting_Place(benchMeeting* meeting, sceneContact contact, benchPlaceFcn* place, benchReport* report)
{
	meetingBodies b;
	snugStatus status = snug_success;
	meeting->contact = contact;
	meeting->answers.isSet = false;
	memset(meeting->places, 0, sizeof(meeting->places));
	if (!CreateBodies(meeting, &b, snug_boundDefault, false, report))
	{
		return false;
	}
	for (int f = 0; f < meeting->answers.frameCount && status == snug_success; ++f)
	{
		status = PoseBodies(meeting, &b, f);
		status = status == snug_success ? EvaluateBodies(meeting, &b) : status;
		if (status == snug_success)
		{
			meeting->places[f] = place(meeting, f);
		}
	}
	meeting->treeNodes = 0;
	for (int i = 0; i < 2; ++i)
	{
		meeting->treeNodes += snugModel_GetInfo(b.bodies[i].model).nodeCount;
	}
	if (status != snug_success)
	{
		benchReport_Fail(report, "cannot place the bodies: %s", snugGetStatusText(status));
	}
	DestroyBodies(&b);
	return status == snug_success;
}

// ---- Frames ----------------------------------------------------------------------------------------------------

static void AddTimes(benchMeetingTimes* times, int frame, double pose, double evaluate, double refit, double query)
{
	double total = pose + evaluate + refit + query, *best = times->best + frame;
	benchSamples_Add(&times->pose, pose);
	benchSamples_Add(&times->evaluate, evaluate);
	benchSamples_Add(&times->refit, refit);
	benchSamples_Add(&times->query, query);
	benchSamples_Add(&times->total, total);
	*best = *best > 0.0 ? fmin(*best, total) : total;
}

// On demand, bottom-up and oracle. What the oracle is given for free is left out of its times.
static uint64_t RunFrame(
    benchMeeting* meeting, meetingBodies* b, int method, int frame, benchMeetingTimes* times, benchReport* report)
{
	double start = benchNow();
	snugStatus status = PoseBodies(meeting, b, frame);
	double posed = benchNow(), evaluated = posed, refitted = posed;
	snugBody* bodies[2] = { b->bodies[0].body, b->bodies[1].body };
	if (b->hasOracles)
	{
		oracleBody_Evaluate(&b->oracles[0], bodies[0]);
		oracleBody_Evaluate(&b->oracles[1], bodies[1]);
		evaluated = benchNow();
		for (int i = 0; i < 2 && status == snug_success; ++i)
		{
			status = oracleBody_Refit(&b->oracles[i]);
			bodies[i] = b->oracles[i].body;
		}
		refitted = benchNow();
	}
	snugQuery query = { .pairs = meeting->answers.pairs, .capacity = meeting->answers.capacity };
	double begun = benchNow();
	snugResult result = snugCollide(bodies[0], bodies[1], &query);
	double elapsed = benchNow() - begun;
	if (status != snug_success || result.status != snug_success)
	{
		benchReport_Fail(report, "frame %d: a query fails", frame);
	}
	bool isFree = method == bench_oracle;
	AddTimes(times, frame, isFree ? 0.0 : posed - start, isFree ? 0.0 : evaluated - posed,
	    isFree ? 0.0 : refitted - evaluated, elapsed);
	times->nodesRefitted += (double)result.counters.nodesRefitted;
	times->volumeTests += (double)result.counters.volumeTests;
	times->verticesEvaluated += (double)result.counters.verticesEvaluated;
	times->triangleTests += (double)result.counters.triangleTests;
	return result.count;
}

// All vertices evaluated and placed, then hashed.
static uint64_t RunHashFrame(benchMeeting* meeting, meetingBodies* b, spatialHash* hash, int frame,
    benchMeetingTimes* times, benchReport* report)
{
	bruteMesh meshes[2] = { GetWorldMesh(meeting, 0), GetWorldMesh(meeting, 1) };
	spatialHashCounters counters = { 0 };
	double start = benchNow();
	snugStatus status = PoseBodies(meeting, b, frame);
	double posed = benchNow();
	status = status == snug_success ? EvaluateBodies(meeting, b) : status;
	double evaluated = benchNow();
	bool loaded = status == snug_success && spatialHash_Load(hash, &meshes[0], &meshes[1], meeting->cellSize);
	double load = benchNow();
	uint64_t count = spatialHash_Query(hash, meeting->answers.pairs, meeting->answers.capacity, &counters);
	double elapsed = benchNow() - load;
	if (!loaded)
	{
		benchReport_Fail(report, "frame %d: spatial hashing fails", frame);
	}
	AddTimes(times, frame, posed - start, evaluated - posed, load - evaluated, elapsed);
	times->volumeTests += (double)counters.boxTests;
	times->triangleTests += (double)counters.triangleTests;
	return count;
}

// The best of some sizes of cells on the frame with the most contact, in time for loading and querying.
static void TuneCells(benchMeeting* meeting, meetingBodies* b, spatialHash* hash, benchReport* report)
{
	static const double factors[] = { 0.7, 1.0, 1.4, 2.0, 2.8, 4.0 };
	double best = INFINITY, chosen = 0.0, edge = 0.0;
	for (int i = 0; i < 2; ++i)
	{
		const sceneMesh* mesh = meeting->actors[i].mesh;
		bruteMesh rest = { mesh->positions, mesh->triangles, mesh->triangleCount };
		edge += 0.5 * spatialHash_GetMeanEdge(&rest);
	}
	for (size_t k = 0; k < sizeof(factors) / sizeof(factors[0]); ++k)
	{
		benchMeetingTimes times = { .volumeTests = 0.0 };
		meeting->cellSize = factors[k] * edge;
		for (int i = 0; i < 4; ++i)
		{
			RunHashFrame(meeting, b, hash, benchAnswers_GetPeak(&meeting->answers), &times, report);
		}
		double time = benchSamples_Min(&times.refit) + benchSamples_Min(&times.query);
		chosen = time < best ? factors[k] : chosen;
		best = time < best ? time : best;
	}
	meeting->cellFactor = chosen;
	meeting->cellSize = chosen * edge;
}

// ---- Methods ---------------------------------------------------------------------------------------------------

// All frames: once to warm up, `passes` times for the clock.
static void RunFrames(
    benchMeeting* meeting, meetingBodies* b, int method, int passes, benchMeetingTimes* times, benchReport* report)
{
	benchMeetingTimes warmUp = { .volumeTests = 0.0 };
	spatialHash* hash = method == bench_spatialHash ? spatialHash_Create() : NULL;
	if (hash != NULL)
	{
		TuneCells(meeting, b, hash, report);
	}
	for (int pass = 0; pass <= passes; ++pass)
	{
		benchMeetingTimes* to = pass == 0 ? &warmUp : times;
		for (int f = 0; f < meeting->answers.frameCount && report->failure[0] == '\0'; ++f)
		{
			uint64_t count = hash != NULL ? RunHashFrame(meeting, b, hash, f, to, report)
			                              : RunFrame(meeting, b, method, f, to, report);
			benchAnswers_Check(&meeting->answers, f, count, benchGetMethodName(method), report);
		}
		meeting->answers.isSet = true;
	}
	spatialHash_Destroy(hash);
}

// How many triangles of one side are in some pair.
static uint64_t CountTouching(const bruteResult* result, bool isSecond, uint32_t triangleCount)
{
	bool* seen = calloc((size_t)triangleCount + 1, sizeof(bool));
	uint64_t count = 0;
	for (uint64_t i = 0; seen != NULL && i < result->count; ++i)
	{
		uint32_t triangle = isSecond ? result->pairs[i].b : result->pairs[i].a;
		count += !seen[triangle];
		seen[triangle] = true;
	}
	free(seen);
	return count;
}

// The frame with the most contact against brute force.
static void Verify(benchMeeting* meeting, benchReport* report)
{
	int frame = benchAnswers_GetPeak(&meeting->answers);
	meetingBodies b;
	if (!CreateBodies(meeting, &b, snug_boundDefault, false, report))
	{
		return;
	}
	snugStatus status = PoseBodies(meeting, &b, frame);
	status = status == snug_success ? EvaluateBodies(meeting, &b) : status;
	if (status != snug_success)
	{
		benchReport_Fail(report, "frame %d: %s", frame, snugGetStatusText(status));
	}
	bruteMesh meshes[2] = { GetWorldMesh(meeting, 0), GetWorldMesh(meeting, 1) };
	bruteResult result = bruteCollide(&meshes[0], &meshes[1]);
	benchAnswers_Verify(&meeting->answers, frame, &result, report);
	meeting->touchingAtPeak =
	    CountTouching(&result, false, meshes[0].triangleCount) + CountTouching(&result, true, meshes[1].triangleCount);
	bruteResult_Free(&result);
	DestroyBodies(&b);
}

static void RunMethod(benchMeeting* meeting, int method, int passes, benchMeetingTimes* times, benchReport* report)
{
	meetingBodies b;
	bool hasOracles = method == bench_bottomUp || method == bench_oracle;
	snugBound bound = method < BENCH_BOUNDS ? benchBounds[method] : snug_boundDefault;
	if (CreateBodies(meeting, &b, bound, hasOracles, report))
	{
		RunFrames(meeting, &b, method, passes, times, report);
		DestroyBodies(&b);
	}
}

bool benchMeeting_Run(
    benchMeeting* meeting, const benchMeetingPlan* plan, benchMeetingTimes all[BENCH_METHODS], benchReport* report)
{
	memset(all, 0, BENCH_METHODS * sizeof(all[0]));
	for (int round = 0; round < plan->rounds; ++round)
	{
		for (int method = plan->first; method < plan->end && report->failure[0] == '\0'; ++method)
		{
			RunMethod(meeting, method, plan->passes, all + method, report);
		}
	}
	double share = 1.0 / (double)(plan->rounds * plan->passes * meeting->answers.frameCount);
	for (int method = plan->first; method < plan->end; ++method)
	{
		all[method].nodesRefitted *= share;
		all[method].volumeTests *= share;
		all[method].verticesEvaluated *= share;
		all[method].triangleTests *= share;
	}
	if (report->failure[0] == '\0')
	{
		Verify(meeting, report);
	}
	return report->failure[0] == '\0';
}

// ---- Report ----------------------------------------------------------------------------------------------------

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
