// src/scene/scene_sweep.c: the first contact of all bodies on their way: candidates of the broad phase whose boxes, at
// both ends together, overlap, each asked by snugSweep. See scene.h.
#include "query/stray.h"
#include "query/sweep.h"
#include "scene/scene.h"

#include <math.h>

/// Candidates that threads share. What one of them finds spares those of later rounds work; so the answer is the same
/// for any number of threads, even of a search that is cut.
enum
{
	CANDIDATES_PER_ROUND = 64
};

typedef struct Round
{
	snugScene* scene;
	snugBody* const* ends;
	uint32_t endCount;
	const snugSweepQuery* query;
	double limit;   ///< a contact is proved up to then
	double time;    ///< nothing meets before
	double near;    ///< when what is named comes so near
	uint64_t first; ///< of its candidates
	snugSweepResult found[CANDIDATES_PER_ROUND];
	double nears[CANDIDATES_PER_ROUND];
} Round;

// Null: the body rests, or it is a shape, which is not asked about.
static snugBody* EndOf(const Round* round, uint32_t id)
{
	const bool isThere = id < round->endCount && sgScene_IsBody(round->scene, id);
	return isThere && round->ends[id] != round->scene->bodies[id].body ? round->ends[id] : NULL;
}

// ---- Boxes around both ends ----------------------------------------------------------------------------------------

static double StrayOf(const Round* round, uint32_t id, snugBody* end, snugCounters* counters)
{
	sgView views[2];
	sgBox roots[2];
	double stray = 0.0;
	if (sgView_Start(views, round->scene->bodies[id].body, round->scene->origin, roots, counters) == snug_success &&
	    sgView_Start(views + 1, end, round->scene->origin, roots + 1, counters) == snug_success)
	{
		stray = sgFindStray(views, views + 1, roots, counters).most;
		sgView_Finish(views);
		sgView_Finish(views + 1);
	}
	return stray;
}

// @return false if the end is too far
static bool GrowBox(const Round* round, uint32_t id, snugCounters* counters)
{
	snugBody* end = EndOf(round, id);
	sgPlacedRoot root;
	if (end == NULL)
	{
		return true;
	}
	if (!sgBody_BoundPlacedRoot(end, round->scene->origin, &root, counters))
	{
		return false;
	}
	sgBox* box = round->scene->boxes + id;
	sgBox_AddBox(box, &root.box);
	const double stray = round->query->path == snug_pathTurning ? StrayOf(round, id, end, counters) : 0.0;
	for (int k = 0; k < 3 && stray > 0.0; ++k)
	{
		box->lower[k] = sgRoundDown((double)box->lower[k] - stray);
		box->upper[k] = sgRoundUp((double)box->upper[k] + stray);
	}
	return true;
}

static uint32_t GrowBoxes(const Round* round)
{
	snugCounters counters = { 0 };
	uint32_t tooFar = SG_NONE;
	for (uint32_t id = 0; id < round->scene->bodyCount && tooFar == SG_NONE; ++id)
	{
		tooFar = GrowBox(round, id, &counters) ? SG_NONE : id;
	}
	sgScene_Count(round->scene, &counters);
	return tooFar;
}

// Boxes as they were, for whoever asks next.
static void RestoreBoxes(const Round* round)
{
	snugCounters counters = { 0 };
	for (uint32_t id = 0; id < round->scene->bodyCount; ++id)
	{
		if (EndOf(round, id) != NULL)
		{
			sgScene_BoundBody(round->scene, id, &counters);
		}
	}
	sgScene_RefitTrees(round->scene);
	sgScene_Count(round->scene, &counters);
}

// What boxes may be apart along an axis, if bodies come so near that a sweep may say so: the margin, the tolerance, and
// what ReachOfBoxes in query/sweep.c has beside.
static float BroadMargin(const Round* round)
{
	const double extent = 2.0 * sgScene_FindReach(round->scene, false), given = round->query->tolerance;
	const double most = round->query->margin + (given > 0.0 ? given : 0x1p-20 * extent) + 0x1p-30 * extent;
	return sgRoundUp(most);
}

// ---- Candidates ----------------------------------------------------------------------------------------------------

static void PrepareTask(void* context, uint32_t index)
{
	const Round* round = context;
	snugBody* end = EndOf(round, round->scene->list[index]);
	snugCounters counters = { 0 };
	if (end != NULL)
	{
		sgBody_Prepare(end, &counters);
		sgBody_RootBox(end, &counters);
	}
	sgScene_Count(round->scene, &counters);
}

static uint32_t PrepareCandidates(Round* round)
{
	snugScene* scene = round->scene;
	sgScene_BeginList(scene);
	for (uint64_t i = 0; i < scene->candidateCount; ++i)
	{
		sgScene_List(scene, (uint32_t)(scene->candidates[i] >> 32));
		sgScene_List(scene, (uint32_t)scene->candidates[i]);
	}
	const uint32_t tooFar = sgScene_PrepareListed(scene);
	sgScene_Run(scene, scene->listCount, PrepareTask, round);
	return tooFar;
}

static void AskTask(void* context, uint32_t index)
{
	Round* round = context;
	snugScene* scene = round->scene;
	const uint64_t pair = scene->candidates[round->first + index];
	const uint32_t a = (uint32_t)(pair >> 32), b = (uint32_t)pair;
	snugBody* const bodies[4] = { scene->bodies[a].body, EndOf(round, a), scene->bodies[b].body, EndOf(round, b) };
	round->found[index] = (snugSweepResult){ .answer = snug_sweepFree };
	round->nears[index] = INFINITY;
	if (bodies[1] != NULL || bodies[3] != NULL || !round->query->newOnly) // what rests meets nothing anew
	{
		round->found[index] = sgSweep(bodies, round->query, scene->origin, round->limit, NULL, round->nears + index);
		sgScene_Count(scene, &round->found[index].counters);
	}
}

// As of features: what is named comes so near first. Of those of which that is not known, the earliest is.
static bool IsBefore(const Round* round, uint32_t i, double time)
{
	return round->nears[i] != round->near ? round->nears[i] < round->near : round->found[i].time < time;
}

// Candidates are in the order of ids: of contacts at one time the first counts.
static snugStatus AskRound(Round* round, uint32_t count, snugSceneSweep* first, snugSceneResult* result)
{
	sgScene_Run(round->scene, count, AskTask, round);
	for (uint32_t i = 0; i < count; ++i)
	{
		const snugSweepResult* found = round->found + i;
		if (found->status != snug_success)
		{
			return found->status;
		}
		const bool isProved = found->answer == snug_sweepMeets;
		round->limit = isProved && found->latest < round->limit ? found->latest : round->limit;
		round->time = found->answer != snug_sweepFree && found->time < round->time ? found->time : round->time;
		if (found->answer != snug_sweepFree && (result->count == 0 || IsBefore(round, i, first->sweep.time)))
		{
			round->near = round->nears[i];
			const uint64_t pair = round->scene->candidates[round->first + i];
			*first = (snugSceneSweep){ (uint32_t)(pair >> 32), (uint32_t)pair, *found };
			result->count = 1;
		}
	}
	result->queries += count;
	return snug_success;
}

static snugStatus AskCandidates(Round* round, snugSceneSweep* first, snugSceneResult* result)
{
	const uint64_t count = round->scene->candidateCount;
	snugStatus status = snug_success;
	round->limit = round->time = round->near = INFINITY;
	for (round->first = 0; round->first < count && status == snug_success; round->first += CANDIDATES_PER_ROUND)
	{
		const uint64_t left = count - round->first;
		status = AskRound(round, left < CANDIDATES_PER_ROUND ? (uint32_t)left : CANDIDATES_PER_ROUND, first, result);
	}
	if (result->count > 0)
	{
		first->sweep.time = round->time;
	}
	if (round->limit < INFINITY) // it need not be proved by those that come first
	{
		first->sweep.answer = snug_sweepMeets;
		first->sweep.latest = round->limit;
	}
	return status;
}

// ---- The whole -----------------------------------------------------------------------------------------------------

static snugStatus SweepGrown(Round* round, snugSceneSweep* first, snugSceneResult* result)
{
	snugScene* scene = round->scene;
	uint32_t tooFar = GrowBoxes(round);
	if (tooFar != SG_NONE)
	{
		return sgScene_TooFar(scene, tooFar, result);
	}
	sgScene_RefitTrees(scene);
	const float margin = BroadMargin(round);
	if (!sgScene_FindCandidates(scene, &scene->moving, &scene->fixed, false, margin, &result->candidates))
	{
		result->needed.candidates = result->candidates;
		return sgFail(&scene->messenger, snug_outOfRange, "the scene lacks room for %llu candidates",
		    (unsigned long long)result->candidates);
	}
	tooFar = PrepareCandidates(round);
	return tooFar != SG_NONE ? sgScene_TooFar(scene, tooFar, result) : AskCandidates(round, first, result);
}

static SG_NOINLINE snugStatus Sweep(Round* round, snugSceneSweep* first, snugSceneResult* result)
{
	const uint32_t tooFar = sgScene_Refit(round->scene, true, &result->moved);
	if (tooFar != SG_NONE)
	{
		return sgScene_TooFar(round->scene, tooFar, result);
	}
	const snugStatus status = SweepGrown(round, first, result);
	RestoreBoxes(round);
	return status;
}

// The first body with another model at the end, or SG_NONE.
static uint32_t FindOther(const Round* round)
{
	for (uint32_t id = 0; id < round->scene->bodyCount; ++id)
	{
		const snugBody* end = EndOf(round, id);
		if (end != NULL && end->model != round->scene->bodies[id].body->model)
		{
			return id;
		}
	}
	return SG_NONE;
}

// Whether ends are in no scene, and none is there twice: two threads would make it ready at once. Each is this scene's
// while we look.
static bool AreFree(const Round* round)
{
	snugScene* scene = round->scene;
	uint32_t count = 0;
	snugBody* end = NULL;
	for (; count < scene->bodyCount && (end = EndOf(round, count), end == NULL || end->owner == NULL); ++count)
	{
		if (end != NULL)
		{
			end->owner = scene;
		}
	}
	for (uint32_t id = 0; id < count; ++id)
	{
		end = EndOf(round, id);
		if (end != NULL)
		{
			end->owner = NULL;
		}
	}
	return count == scene->bodyCount;
}

snugSceneResult snugScene_Sweep(
    snugScene* scene, snugBody* const* ends, uint32_t endCount, const snugSweepQuery* query, snugSceneSweep* first)
{
	static const snugSweepQuery defaults = { .tolerance = 0.0 };
	snugSceneResult result = { .status = snug_badArgument, .body = SNUG_NONE };
	query = query != NULL ? query : &defaults;
	SG_REQUIRE(scene != NULL && !scene->isUpdating && first != NULL, result);
	SG_REQUIRE(ends != NULL || endCount == 0, result);
	SG_REQUIRE_RESERVED(query, result);
	SG_REQUIRE(query->path == snug_pathStraight || query->path == snug_pathTurning, result);
	SG_REQUIRE(query->origin[0] == 0.0 && query->origin[1] == 0.0 && query->origin[2] == 0.0, result);
	Round round; // not zeroed: what threads find is written first
	round.scene = scene;
	round.ends = ends;
	round.endCount = endCount;
	round.query = query;
	SG_REQUIRE(AreFree(&round), result);
	const double maxTime = query->maxTime > 0.0 ? query->maxTime : 1.0;
	*first = (snugSceneSweep){ SNUG_NONE, SNUG_NONE, { .a = SNUG_NONE, .b = SNUG_NONE } };
	const char* fault = sgSweep_FindFault(query);
	result.body = FindOther(&round);
	if (fault != NULL || result.body != SG_NONE)
	{
		first->sweep.answer = snug_sweepUnsure;
		first->sweep.status = result.status =
		    fault != NULL ? sgFail(&scene->messenger, snug_badInput, "%s", fault)
		                  : sgFail(&scene->messenger, snug_badInput,
		                        "body %u has another model at the end than at the start", result.body);
		return result;
	}
	first->sweep.time = first->sweep.latest = maxTime;
	scene->isUpdating = true;
	scene->halt.isHalted = false; // candidates are others
	scene->callersEnvironment = sgFpEnv_Enter();
	result.status = Sweep(&round, first, &result);
	sgFpEnv_Leave(scene->callersEnvironment);
	scene->isUpdating = false;
	result.counters = sgScene_TakeCounters(scene);
	if (result.status != snug_success)
	{
		*first = (snugSceneSweep){ SNUG_NONE, SNUG_NONE,
			{ .status = result.status, .answer = snug_sweepUnsure, .a = SNUG_NONE, .b = SNUG_NONE } };
	}
	first->sweep.counters = result.counters;
	return result;
}
