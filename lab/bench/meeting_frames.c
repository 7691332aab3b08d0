#include "lab/bench/meeting_frames.h"

#include "papers/common/world.h"
#include "program/files/clock.h"

#include <math.h>
#include <string.h>

/// When the parts of a frame were done. What a method is given for free lies before `start` or is no part of it.
typedef struct frameClock
{
	double start, posed, evaluated, refitted, done;
} frameClock;

static double Now(const benchRunner* r)
{
	return r->stage->method->isOnWall ? clockNow() : benchNow();
}

static void AddTimes(const benchRunner* r, int frame, const frameClock* clock)
{
	benchMeetingTimes* times = r->times;
	double total = clock->done - clock->start, *best = times->best + frame;
	benchSamples_Add(&times->pose, clock->posed - clock->start);
	benchSamples_Add(&times->evaluate, clock->evaluated - clock->posed);
	benchSamples_Add(&times->refit, clock->refitted - clock->evaluated);
	benchSamples_Add(&times->query, clock->done - clock->refitted);
	benchSamples_Add(&times->total, total);
	*best = *best > 0.0 ? fmin(*best, total) : total;
	++times->frames;
	times->isMeasured = true;
}

static void Require(const benchRunner* r, int frame, bool good)
{
	if (!good)
	{
		benchReport_Fail(r->report, "frame %d: %s fails", frame, r->stage->method->name);
	}
}

// ---- snug ------------------------------------------------------------------------------------------------------

// Bodies that are brought up to date before a query: of bottom-up methods, free bodies and oracles.
static snugStatus RefitAll(benchStage* stage, const benchActor* actors)
{
	bool refitsAll = stage->method->kind == bench_byFreeBody || stage->method->strategy == snug_strategyBottomUp;
	snugStatus status = snug_success;
	for (int i = 0; i < stage->count && status == snug_success; ++i)
	{
		if (refitsAll || actors[i].deformer == snug_free)
		{
			status = snugBody_Refit(benchStage_GetBody(stage, i));
		}
	}
	return status;
}

static snugStatus Update(const benchRunner* r, frameClock* clock)
{
	benchStage* stage = r->stage;
	clock->evaluated = clock->refitted = clock->posed;
	if (stage->method->kind == bench_byFreeBody)
	{
		for (int i = 0; i < stage->count; ++i)
		{
			if (stage->oracles[i].body != NULL)
			{
				oracleBody_Evaluate(&stage->oracles[i], stage->bodies[i].body);
			}
		}
		clock->evaluated = clock->refitted = Now(r);
	}
	else if (stage->method->strategy != snug_strategyBottomUp && r->meeting->actors[0].deformer != snug_free)
	{
		return snug_success;
	}
	snugStatus status = RefitAll(stage, r->meeting->actors);
	clock->refitted = Now(r);
	return status;
}

static uint64_t RunSnugFrame(const benchRunner* r, int frame)
{
	benchMeeting* meeting = r->meeting;
	frameClock clock = { .start = Now(r) };
	snugStatus status = benchStage_Pose(r->stage, meeting->actors, frame, meeting->places[frame]);
	clock.posed = Now(r);
	status = status == snug_success ? Update(r, &clock) : status;
	Require(r, frame, status == snug_success);
	if (r->method == bench_oracle)
	{
		clock.start = clock.posed = clock.evaluated = clock.refitted = Now(r);
	}
	snugResult result;
	benchMeeting_Collide(meeting, r->stage, frame, &result, r->report);
	clock.done = Now(r);
	AddTimes(r, frame, &clock);
	r->times->nodesRefitted += (double)result.counters.nodesRefitted;
	r->times->volumeTests += (double)result.counters.volumeTests;
	r->times->verticesEvaluated += (double)result.counters.verticesEvaluated;
	r->times->triangleTests += (double)result.counters.triangleTests;
	return result.count;
}

// ---- The others ------------------------------------------------------------------------------------------------

// Clusters are evaluated the fastest way that we have; rigid and free bodies have none.
static snugStatus EvaluateBody(snugBody* body, float* positions)
{
	return body->model->clusters.header != NULL ? worldEvaluate(body, positions)
	                                            : snugBody_GetVertices(body, NULL, positions, 0);
}

// Pose, then evaluate and place all vertices.
static void EvaluateFrame(const benchRunner* r, int frame, frameClock* clock)
{
	benchMeeting* meeting = r->meeting;
	clock->start = benchNow();
	snugStatus status = benchStage_Pose(r->stage, meeting->actors, frame, meeting->places[frame]);
	clock->posed = benchNow();
	for (int i = 0; i < meeting->actorCount && status == snug_success; ++i)
	{
		status = EvaluateBody(r->stage->bodies[i].body, meeting->world[i]);
	}
	clock->evaluated = clock->refitted = benchNow();
	Require(r, frame, status == snug_success);
}

// Loading belongs to a pair of bodies, so it is counted as refit, pair by pair.
static uint64_t RunHashFrame(const benchRunner* r, int frame)
{
	benchMeeting* meeting = r->meeting;
	frameClock clock;
	double load = 0.0;
	uint64_t count = 0;
	EvaluateFrame(r, frame, &clock);
	for (int i = 0; i < meeting->pairCount && count <= meeting->answers.capacity; ++i)
	{
		bruteMesh a = benchMeeting_GetWorldMesh(meeting, meeting->pairs[i][0]),
		          b = benchMeeting_GetWorldMesh(meeting, meeting->pairs[i][1]);
		spatialHashCounters counters = { 0 };
		double start = benchNow();
		Require(r, frame, spatialHash_Load(r->stage->hash, &a, &b, meeting->cellSize));
		load += benchNow() - start;
		count += spatialHash_Query(
		    r->stage->hash, meeting->answers.pairs + count, meeting->answers.capacity - count, &counters);
		r->times->volumeTests += (double)counters.boxTests;
		r->times->triangleTests += (double)counters.triangleTests;
	}
	clock.done = benchNow();
	clock.refitted += load;
	AddTimes(r, frame, &clock);
	return count;
}

// The best of some sizes of cells on the frame with the most contact, in time for loading and querying.
void benchRunner_TuneCells(const benchRunner* r)
{
	static const double factors[] = { 0.7, 1.0, 1.4, 2.0, 2.8, 4.0 };
	benchMeeting* meeting = r->meeting;
	double best = INFINITY, chosen = 0.0, edge = 0.0;
	for (int i = 0; i < meeting->actorCount; ++i)
	{
		const sceneMesh* mesh = meeting->actors[i].mesh;
		bruteMesh rest = { mesh->positions, mesh->triangles, mesh->triangleCount };
		edge += spatialHash_GetMeanEdge(&rest) / meeting->actorCount;
	}
	for (size_t k = 0; k < sizeof(factors) / sizeof(factors[0]); ++k)
	{
		benchMeetingTimes times = { .isMeasured = false };
		benchRunner trial = *r;
		trial.times = &times;
		meeting->cellSize = factors[k] * edge;
		for (int i = 0; i < 4; ++i)
		{
			RunHashFrame(&trial, benchAnswers_GetPeak(&meeting->answers));
		}
		double time = benchSamples_Min(&times.refit) + benchSamples_Min(&times.query);
		chosen = time < best ? factors[k] : chosen;
		best = time < best ? time : best;
	}
	meeting->cellSize = chosen * edge;
}

// Its trees are built once there are vertices, those of the first frame.
static bool BuildPeer(const benchRunner* r, int frame)
{
	benchMeeting* meeting = r->meeting;
	benchStage* stage = r->stage;
	bruteMesh meshes[BENCH_MAX_ACTORS];
	for (int i = 0; i < meeting->actorCount; ++i)
	{
		meshes[i] = benchMeeting_GetWorldMesh(meeting, i);
	}
	stage->peer = stage->peer != NULL ? stage->peer : stage->method->peer->create(meshes, meeting->actorCount);
	Require(r, frame, stage->peer != NULL);
	return stage->peer != NULL;
}

// Sorting is left out of its time: it is not part of what peers are for. Ours is in.
static void RunPeerFrame(const benchRunner* r, int frame)
{
	benchMeeting* meeting = r->meeting;
	benchStage* stage = r->stage;
	const benchPeer* peer = stage->method->peer;
	frameClock clock;
	uint64_t count = 0, ends[BENCH_MAX_PAIRS] = { 0 };
	EvaluateFrame(r, frame, &clock);
	if (!BuildPeer(r, frame))
	{
		return;
	}
	clock.refitted = clock.evaluated = benchNow();
	peer->update(stage->peer);
	clock.refitted = benchNow();
	for (int i = 0; i < meeting->pairCount && count <= meeting->answers.capacity; ++i)
	{
		count += peer->collide(stage->peer, meeting->pairs[i][0], meeting->pairs[i][1], meeting->isYesNo,
		    meeting->answers.pairs + count, meeting->answers.capacity - count);
		ends[i] = count;
	}
	clock.done = benchNow();
	AddTimes(r, frame, &clock);
	if (!r->isCompared)
	{
		return;
	}
	for (int i = 0; i < meeting->pairCount; ++i)
	{
		benchAnswers_Sort(&meeting->answers, i > 0 ? ends[i - 1] : 0, ends[i]);
	}
	benchMeeting_Compare(meeting, frame, ends, r->differences, r->report);
}

// ---- The papers' hierarchies -----------------------------------------------------------------------------------

// Read a body's pose; a front, or everything, is refitted before the query, as the papers time it.
static snugStatus FollowBody(benchStage* stage, int i)
{
	snugStatus status = snug_success;
	switch (stage->method->kind)
	{
		case bench_bySpheres:
			status = sphereBody_Update(stage->spheres[i]);
			if (status == snug_success && stage->method->strategy == snug_strategyBottomUp)
			{
				sphereBody_RefitBottomUp(stage->spheres[i]);
			}
			return status;
		case bench_byLimited:
			status = limitedBody_Begin(stage->limited[i]);
			limitedBody_Prepare(stage->limited[i]);
			return status;
		default:
			return bdBody_Follow(stage->bd[i], stage->bodies[i].body);
	}
}

static uint64_t CollideBodies(const benchStage* stage, int a, int b, bool isYesNo, snugPair* pairs, uint64_t capacity)
{
	switch (stage->method->kind)
	{
		case bench_bySpheres:
			return sphereCollide(stage->spheres[a], stage->spheres[b], isYesNo, pairs, capacity);
		case bench_byLimited:
			return limitedCollide(stage->limited[a], stage->limited[b], pairs, capacity);
		default:
			return bdCollide(stage->bd[a], stage->bd[b], pairs, capacity);
	}
}

static void AddCounters(const benchStage* stage, int i, benchMeetingTimes* times)
{
	binaryCounters counters = { 0 };
	if (stage->method->kind == bench_bySpheres)
	{
		sphereCounters found = sphereBody_GetCounters(stage->spheres[i]);
		counters = (binaryCounters){ .nodesRefitted = found.nodesRefitted,
			.volumeTests = found.volumeTests,
			.verticesEvaluated = found.verticesEvaluated,
			.triangleTests = found.triangleTests };
	}
	else if (stage->method->kind == bench_byLimited)
	{
		counters = limitedBody_GetCounters(stage->limited[i]);
	}
	else
	{
		counters = bdBody_GetCounters(stage->bd[i]);
		times->temporalUpdates += (double)bdBody_GetTemporalUpdates(stage->bd[i]);
	}
	times->nodesRefitted += (double)counters.nodesRefitted;
	times->volumeTests += (double)counters.volumeTests;
	times->verticesEvaluated += (double)counters.verticesEvaluated;
	times->triangleTests += (double)counters.triangleTests;
	times->transformsBounded += (double)counters.transformsBounded;
}

static uint64_t RunPaperFrame(const benchRunner* r, int frame)
{
	benchMeeting* meeting = r->meeting;
	benchStage* stage = r->stage;
	benchAnswers* answers = &meeting->answers;
	frameClock clock = { .start = benchNow() };
	snugStatus status = benchStage_Pose(stage, meeting->actors, frame, meeting->places[frame]);
	clock.posed = clock.evaluated = benchNow();
	for (int i = 0; i < stage->count && status == snug_success; ++i)
	{
		status = FollowBody(stage, i);
	}
	clock.refitted = benchNow();
	Require(r, frame, status == snug_success);
	uint64_t count = 0;
	for (int i = 0; i < meeting->pairCount && status == snug_success && count <= answers->capacity; ++i)
	{
		uint64_t found = CollideBodies(stage, meeting->pairs[i][0], meeting->pairs[i][1], meeting->isYesNo,
		    answers->pairs + count, answers->capacity - count);
		benchAnswers_Sort(answers, count, count + found);
		benchMeeting_HidePair(meeting, count, found);
		count += found;
	}
	clock.done = benchNow();
	AddTimes(r, frame, &clock);
	for (int i = 0; i < stage->count; ++i)
	{
		AddCounters(stage, i, r->times);
	}
	return count;
}

// Vertices of a body in the order of its tree, relative to its frame.
static void EvaluateOrdered(snugBody* body, float* ordered)
{
	if (body->model->clusters.header != NULL)
	{
		oracleEvaluate(body, ordered);
	}
	else
	{
		memcpy(ordered, body->model->positions, 3 * (size_t)body->model->tree.vertexCount * sizeof(float));
	}
}

// Where they are, as snug places them.
static void PlaceOrdered(const snugBody* body, float* ordered)
{
	const double(*m)[3] = body->frame.rotation;
	bool isStill = body->frame.isIdentity && body->frame.position[0] == 0.0 && body->frame.position[1] == 0.0 &&
	               body->frame.position[2] == 0.0;
	for (uint32_t v = 0; !isStill && v < body->model->tree.vertexCount; ++v)
	{
		float* p = ordered + 3 * (size_t)v;
		double x = (double)p[0], y = (double)p[1], z = (double)p[2];
		for (int k = 0; k < 3; ++k)
		{
			p[k] = (float)(((m[k][0] * x + m[k][1] * y) + m[k][2] * z) + body->frame.position[k]);
		}
	}
}

// A rigid body's spheres are updated outside the timer, in favour of the method.
static uint64_t RunLayersFrame(const benchRunner* r, int frame)
{
	benchMeeting* meeting = r->meeting;
	benchStage* stage = r->stage;
	benchAnswers* answers = &meeting->answers;
	frameClock clock = { .start = benchNow() };
	Require(r, frame, benchStage_Pose(stage, meeting->actors, frame, meeting->places[frame]) == snug_success);
	clock.posed = clock.evaluated = clock.refitted = benchNow();
	for (int i = 0; i < stage->count; ++i)
	{
		double start = benchNow();
		EvaluateOrdered(stage->bodies[i].body, stage->ordered[i]);
		PlaceOrdered(stage->bodies[i].body, stage->ordered[i]);
		layeredSpheres_Update(stage->layers[i], stage->ordered[i]);
		if (benchActor_Deforms(meeting->actors + i))
		{
			clock.refitted += benchNow() - start;
			r->times->nodesRefitted += (double)stage->bodies[i].model->tree.nodeCount;
			r->times->verticesEvaluated += (double)stage->bodies[i].model->tree.vertexCount;
		}
	}
	layeredCounters counters;
	double start = benchNow();
	uint64_t count =
	    layeredSpheres_Collide(stage->layers[0], stage->layers[1], answers->pairs, answers->capacity, &counters);
	clock.done = clock.refitted + (benchNow() - start);
	AddTimes(r, frame, &clock);
	r->times->volumeTests += (double)counters.sphereTests;
	r->times->triangleTests += (double)counters.triangleTests;
	benchAnswers_Sort(answers, 0, count);
	return count;
}

// ---- All -------------------------------------------------------------------------------------------------------

typedef uint64_t frameFcn(const benchRunner* r, int frame);

void benchRunner_RunFrame(const benchRunner* r, int frame)
{
	static frameFcn* const run[] = {
		[bench_bySnug] = RunSnugFrame,
		[bench_byFreeBody] = RunSnugFrame,
		[bench_byHash] = RunHashFrame,
		[bench_bySpheres] = RunPaperFrame,
		[bench_byLimited] = RunPaperFrame,
		[bench_byBd] = RunPaperFrame,
		[bench_byLayers] = RunLayersFrame,
	};
	const benchMethodDef* method = r->stage->method;
	if (method->kind == bench_byPeer)
	{
		RunPeerFrame(r, frame);
		return;
	}
	uint64_t count = run[method->kind](r, frame);
	benchAnswers_Check(&r->meeting->answers, frame, count, method->name, r->report);
}
