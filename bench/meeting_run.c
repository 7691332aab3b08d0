// The methods of a meeting, frame by frame.
#include "baselines/world.h"
#include "bench/meeting.h"
#include "share/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Frames after which a brief method is warm: those that look at everything have touched all their memory.
#define BRIEF_WARM_UP 4

/// Passes of methods that are timed by the wall: others on the machine can only add, so the least of many counts.
#define WALL_PASSES 15

/// Passes of which phases are the least.
#define PHASED_PASSES 2

/// One method at work.
typedef struct runner
{
	benchMeeting* meeting;
	benchMethod method;
	benchStage* stage;
	benchMeetingTimes* times;
	benchMeetingTimes* ignored; ///< times of frames that do not count
	benchTally* tallies;        ///< (frames): null unless clocks are around the kernels
	benchReport* report;
} runner;

/// When the parts of a frame were done. What a method is given for free lies before `start` or is no part of it.
typedef struct frameClock
{
	double start, posed, evaluated, refitted, done;
} frameClock;

static double Now(const runner* r)
{
	return r->stage->method->isOnWall ? clockNow() : benchNow();
}

static void AddTimes(const runner* r, int frame, const frameClock* clock)
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

// Keep what was counted in the quickest pass through a frame.
static void AddTally(const runner* r, int frame, const frameClock* clock, benchTally* tally)
{
	benchTally* kept = r->tallies + frame;
	tally->ms[bench_palette] = clock->posed - clock->start;
	tally->elapsed = clock->done - clock->start;
	*kept = kept->elapsed == 0.0 || tally->elapsed < kept->elapsed ? *tally : *kept;
}

static void Require(const runner* r, int frame, bool good)
{
	if (!good)
	{
		benchReport_Fail(r->report, "frame %d: %s fails", frame, r->stage->method->name);
	}
}

// ---- snug ------------------------------------------------------------------------------------------------------

// What bottom-up methods do before a query.
static snugStatus RefitAll(benchStage* stage)
{
	snugStatus status = snug_success;
	bool isFree = stage->method->kind == bench_byFreeBody;
	for (int i = 0; i < stage->count && status == snug_success; ++i)
	{
		status = snugBody_Refit(isFree ? stage->oracles[i].body : stage->bodies[i].body);
	}
	return status;
}

static snugStatus Update(const runner* r, frameClock* clock)
{
	benchStage* stage = r->stage;
	clock->evaluated = clock->refitted = clock->posed;
	if (stage->method->kind == bench_byFreeBody)
	{
		for (int i = 0; i < stage->count; ++i)
		{
			oracleBody_Evaluate(&stage->oracles[i], stage->bodies[i].body);
		}
		clock->evaluated = clock->refitted = Now(r);
	}
	else if (stage->method->how.strategy != snug_strategyBottomUp)
	{
		return snug_success;
	}
	snugStatus status = RefitAll(stage);
	clock->refitted = Now(r);
	return status;
}

static uint64_t RunSnugFrame(const runner* r, int frame)
{
	benchMeeting* meeting = r->meeting;
	frameClock clock = { .start = Now(r) };
	benchClocks_Reset();
	snugStatus status = benchStage_Pose(r->stage, meeting->actors, frame, meeting->places[frame]);
	clock.posed = Now(r);
	status = status == snug_success ? Update(r, &clock) : status;
	Require(r, frame, status == snug_success);
	if (r->method == bench_oracle)
	{
		clock.start = clock.posed = clock.evaluated = clock.refitted = Now(r);
		benchClocks_Reset();
	}
	snugResult result;
	benchMeeting_Collide(meeting, r->stage, frame, &result, r->report);
	clock.done = Now(r);
	if (r->tallies != NULL)
	{
		benchTally tally = benchClocks_Read();
		AddTally(r, frame, &clock, &tally);
	}
	AddTimes(r, frame, &clock);
	r->times->nodesRefitted += (double)result.counters.nodesRefitted;
	r->times->volumeTests += (double)result.counters.volumeTests;
	r->times->verticesEvaluated += (double)result.counters.verticesEvaluated;
	r->times->triangleTests += (double)result.counters.triangleTests;
	return result.count;
}

// ---- The others ------------------------------------------------------------------------------------------------

// Pose, then evaluate and place all vertices.
static void EvaluateFrame(const runner* r, int frame, frameClock* clock)
{
	benchMeeting* meeting = r->meeting;
	clock->start = benchNow();
	snugStatus status = benchStage_Pose(r->stage, meeting->actors, frame, meeting->places[frame]);
	clock->posed = benchNow();
	for (int i = 0; i < meeting->actorCount && status == snug_success; ++i)
	{
		status = worldEvaluate(r->stage->bodies[i].body, meeting->world[i]);
	}
	clock->evaluated = clock->refitted = benchNow();
	Require(r, frame, status == snug_success);
}

// Loading belongs to a pair of bodies, so it is counted as refit, pair by pair.
static uint64_t RunHashFrame(const runner* r, int frame)
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
static void TuneCells(const runner* r)
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
		runner trial = *r;
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
	meeting->cellFactor = chosen;
	meeting->cellSize = chosen * edge;
}

// What rtcCollide takes without triangles, so that boxes and triangles can be told apart.
static double TimeEmbreeBoxes(const runner* r)
{
	const benchMeeting* meeting = r->meeting;
	double start = benchNow();
	for (int i = 0; i < meeting->pairCount; ++i)
	{
		embreePeer_CountCandidates(r->stage->embree, meeting->pairs[i][0], meeting->pairs[i][1]);
	}
	return benchNow() - start;
}

static void AddEmbreeTally(const runner* r, int frame, const frameClock* clock)
{
	double boxes = TimeEmbreeBoxes(r);
	benchTally tally = { .ms = { [bench_evaluation] = clock->evaluated - clock->posed,
		                     [bench_refit] = clock->refitted - clock->evaluated,
		                     [bench_tests] = boxes,
		                     [bench_triangles] = fmax(clock->done - clock->refitted - boxes, 0.0) } };
	AddTally(r, frame, clock, &tally);
}

// Its trees are built once there are vertices, those of the first frame. Sorting is left out of its time: it is not
// part of what rtcCollide is for. Ours is in.
static uint64_t RunEmbreeFrame(const runner* r, int frame)
{
	benchMeeting* meeting = r->meeting;
	benchStage* stage = r->stage;
	frameClock clock;
	uint64_t count = 0, ends[BENCH_MAX_PAIRS] = { 0 };
	EvaluateFrame(r, frame, &clock);
	if (stage->embree == NULL)
	{
		bruteMesh meshes[BENCH_MAX_ACTORS];
		for (int i = 0; i < meeting->actorCount; ++i)
		{
			meshes[i] = benchMeeting_GetWorldMesh(meeting, i);
		}
		stage->embree = embreePeer_Create(meshes, meeting->actorCount, embree_refit);
		Require(r, frame, stage->embree != NULL);
		if (stage->embree == NULL)
		{
			return 0;
		}
	}
	clock.refitted = clock.evaluated = benchNow();
	embreePeer_Update(stage->embree);
	clock.refitted = benchNow();
	for (int i = 0; i < meeting->pairCount && count <= meeting->answers.capacity; ++i)
	{
		count += embreePeer_Collide(stage->embree, meeting->pairs[i][0], meeting->pairs[i][1],
		    meeting->answers.pairs + count, meeting->answers.capacity - count);
		ends[i] = count;
	}
	clock.done = benchNow();
	for (int i = 0; i < meeting->pairCount; ++i)
	{
		benchAnswers_Sort(&meeting->answers, i > 0 ? ends[i - 1] : 0, ends[i]);
	}
	if (r->tallies != NULL)
	{
		AddEmbreeTally(r, frame, &clock);
	}
	AddTimes(r, frame, &clock);
	return count;
}

// What reads the pose is part of refitting.
static uint64_t RunSphereFrame(const runner* r, int frame)
{
	benchMeeting* meeting = r->meeting;
	benchStage* stage = r->stage;
	frameClock clock = { .start = benchNow() };
	snugStatus status = benchStage_Pose(stage, meeting->actors, frame, meeting->places[frame]);
	clock.posed = clock.evaluated = benchNow();
	for (int i = 0; i < stage->count && status == snug_success; ++i)
	{
		status = sphereBody_Update(stage->spheres[i]);
		if (status == snug_success && stage->method->how.strategy == snug_strategyBottomUp)
		{
			sphereBody_RefitBottomUp(stage->spheres[i]);
		}
	}
	clock.refitted = benchNow();
	Require(r, frame, status == snug_success);
	uint64_t count = 0;
	for (int i = 0; i < meeting->pairCount && status == snug_success && count <= meeting->answers.capacity; ++i)
	{
		uint64_t found = sphereCollide(stage->spheres[meeting->pairs[i][0]], stage->spheres[meeting->pairs[i][1]],
		    meeting->isYesNo, meeting->answers.pairs + count, meeting->answers.capacity - count);
		benchMeeting_HidePair(meeting, count, found);
		count += found;
	}
	clock.done = benchNow();
	AddTimes(r, frame, &clock);
	for (int i = 0; i < stage->count; ++i)
	{
		sphereCounters counters = sphereBody_GetCounters(stage->spheres[i]);
		r->times->nodesRefitted += (double)counters.nodesRefitted;
		r->times->volumeTests += (double)counters.volumeTests;
		r->times->verticesEvaluated += (double)counters.verticesEvaluated;
		r->times->triangleTests += (double)counters.triangleTests;
	}
	return count;
}

// The front is refitted before the query, as the papers time it.
static uint64_t RunLimitedFrame(const runner* r, int frame)
{
	benchMeeting* meeting = r->meeting;
	benchStage* stage = r->stage;
	frameClock clock = { .start = benchNow() };
	snugStatus status = benchStage_Pose(stage, meeting->actors, frame, meeting->places[frame]);
	clock.posed = clock.evaluated = benchNow();
	for (int i = 0; i < stage->count && status == snug_success; ++i)
	{
		status = limitedBody_Begin(stage->limited[i]);
		limitedBody_RefitFront(stage->limited[i]);
	}
	clock.refitted = benchNow();
	Require(r, frame, status == snug_success);
	uint64_t count = 0;
	for (int i = 0; i < meeting->pairCount && status == snug_success && count <= meeting->answers.capacity; ++i)
	{
		uint64_t found = limitedCollide(stage->limited[meeting->pairs[i][0]], stage->limited[meeting->pairs[i][1]],
		    meeting->answers.pairs + count, meeting->answers.capacity - count);
		benchAnswers_Sort(&meeting->answers, count, count + found);
		count += found;
	}
	clock.done = benchNow();
	AddTimes(r, frame, &clock);
	for (int i = 0; i < stage->count; ++i)
	{
		binaryCounters counters = limitedBody_GetCounters(stage->limited[i]);
		r->times->nodesRefitted += (double)counters.nodesRefitted;
		r->times->volumeTests += (double)counters.volumeTests;
		r->times->verticesEvaluated += (double)counters.verticesEvaluated;
		r->times->triangleTests += (double)counters.triangleTests;
	}
	return count;
}

// ---- Methods ---------------------------------------------------------------------------------------------------

static void RunFrame(const runner* r, int f)
{
	benchMethodKind kind = r->stage->method->kind;
	uint64_t count = kind == bench_byHash      ? RunHashFrame(r, f)
	                 : kind == bench_byEmbree  ? RunEmbreeFrame(r, f)
	                 : kind == bench_bySpheres ? RunSphereFrame(r, f)
	                 : kind == bench_byLimited ? RunLimitedFrame(r, f)
	                                           : RunSnugFrame(r, f);
	benchAnswers_Check(&r->meeting->answers, f, count, r->stage->method->name, r->report);
}

static void RunFrames(const runner* r, int frameCount)
{
	for (int f = 0; f < frameCount && r->report->failure[0] == '\0'; ++f)
	{
		RunFrame(r, f);
	}
}

// Methods that are timed by the wall take turns frame by frame.
static void RunOnWall(runner runners[BENCH_METHODS], int count)
{
	int frameCount = count > 0 ? runners[0].meeting->answers.frameCount : 0;
	for (int i = 0; i < WALL_PASSES * frameCount * count && runners[0].report->failure[0] == '\0'; ++i)
	{
		if (runners[i % count].stage->method->isOnWall)
		{
			RunFrame(runners + i % count, i / count % frameCount);
		}
	}
}

// Once through all frames, or some; the first method to do so says what the answers are.
static void WarmUp(const runner* r)
{
	int frameCount = r->meeting->answers.frameCount;
	runner warm = *r;
	warm.times = r->ignored;
	if (r->method == bench_spatialHash)
	{
		TuneCells(&warm);
	}
	RunFrames(&warm, r->stage->method->isBrief && BRIEF_WARM_UP < frameCount ? BRIEF_WARM_UP : frameCount);
	r->meeting->answers.isSet = true;
}

// Mean per frame of where the time went, each frame at its quickest.
static void RunPhases(const runner* r)
{
	benchTally frames[BENCH_MAX_FRAMES] = { { .elapsed = 0.0 } }, sum = { .elapsed = 0.0 };
	int frameCount = r->meeting->answers.frameCount;
	runner phased = *r;
	phased.times = r->ignored;
	phased.tallies = frames;
	benchClocks_Start();
	for (int pass = 0; pass < (r->stage->method->isBrief ? 1 : PHASED_PASSES); ++pass)
	{
		RunFrames(&phased, frameCount);
	}
	benchClocks_Stop();
	double plain = 0.0;
	for (int f = 0; f < frameCount; ++f)
	{
		benchTally_Add(&sum, frames + f);
		plain += r->times->best[f];
	}
	r->times->phases = benchTally_MakePhases(&sum, plain);
	for (int i = 0; i < BENCH_PHASES; ++i)
	{
		r->times->phases.ms[i] /= frameCount;
	}
}

static void RunAll(const benchMeetingPlan* plan, runner runners[BENCH_METHODS], int count)
{
	for (int i = 0; i < count; ++i)
	{
		WarmUp(runners + i);
	}
	for (int pass = 0; pass < plan->passes || pass < plan->briefPasses; ++pass)
	{
		for (int i = 0; i < count; ++i)
		{
			const benchMethodDef* method = runners[i].stage->method;
			if (!method->isOnWall && pass < (method->isBrief ? plan->briefPasses : plan->passes))
			{
				RunFrames(runners + i, runners[i].meeting->answers.frameCount);
			}
		}
	}
	RunOnWall(runners, count);
	for (int i = 0; i < count; ++i)
	{
		if ((plan->phased & BENCH_BIT(runners[i].method)) != 0)
		{
			RunPhases(runners + i);
		}
	}
}

static void FinishTimes(benchMeetingTimes* times)
{
	double share = times->frames > 0 ? 1.0 / (double)times->frames : 0.0;
	times->nodesRefitted *= share;
	times->volumeTests *= share;
	times->verticesEvaluated *= share;
	times->triangleTests *= share;
}

bool benchMeeting_Run(
    benchMeeting* meeting, const benchMeetingPlan* plan, benchMeetingTimes all[BENCH_METHODS], benchReport* report)
{
	runner runners[BENCH_METHODS];
	int count = 0;
	benchStage* stages = calloc(BENCH_METHODS, sizeof(benchStage));
	benchMeetingTimes* ignored = calloc(1, sizeof(benchMeetingTimes));
	memset(all, 0, BENCH_METHODS * sizeof(all[0]));
	if (stages == NULL || ignored == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	for (int m = 0; m < BENCH_METHODS && report->failure[0] == '\0'; ++m)
	{
		bool isThere = m != bench_embree || embreePeer_IsAvailable();
		if ((plan->methods & BENCH_BIT(m)) != 0 && isThere &&
		    benchStage_Create(stages + m, benchGetMethod((benchMethod)m), meeting->actors, meeting->actorCount,
		        &meeting->base, report))
		{
			runners[count++] = (runner){ meeting, (benchMethod)m, stages + m, all + m, ignored, NULL, report };
		}
	}
	RunAll(plan, runners, report->failure[0] == '\0' ? count : 0);
	for (int i = 0; i < count; ++i)
	{
		FinishTimes(runners[i].times);
		benchStage_Destroy(runners[i].stage);
	}
	free(ignored);
	free(stages);
	return report->failure[0] == '\0';
}
