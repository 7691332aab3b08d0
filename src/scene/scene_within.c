// src/scene/scene_within.c: pairs of bodies that are no farther apart than a margin: candidates of the broad phase
// whose boxes are, each asked for its distance. See scene.h.
#include "geometry/margins.h"
#include "query/near.h"
#include "query/pairs.h"
#include "scene/scene.h"

#include <math.h>

/// Candidates that threads share before what they found is handed on, in order.
enum
{
	CANDIDATES_PER_ROUND = 256
};

/// Enough for bodies that are as far apart as they may be, and far from what overflows.
#define MOST_MARGIN 0x1p124f

/// What boxes may be apart along an axis, if bodies are within the margin as distances are computed: those are off by
/// SG_MARGIN_NEAREST of the extent of both, which is at most twice the largest coordinate.
static float BroadMargin(const snugScene* scene, double margin)
{
	const double most = margin + SG_MARGIN_NEAREST * 2.0 * sgScene_FindReach(scene, false);
	return most < (double)MOST_MARGIN ? sgRoundUp(most) : MOST_MARGIN;
}

typedef struct WithinRound
{
	snugScene* scene;
	double margin;
	uint64_t first; ///< of its candidates
	snugSceneNear found[CANDIDATES_PER_ROUND];
} WithinRound;

static void AskTask(void* context, uint32_t index)
{
	WithinRound* round = context;
	snugScene* scene = round->scene;
	const uint64_t pair = scene->candidates[round->first + index];
	const uint32_t a = (uint32_t)(pair >> 32), b = (uint32_t)pair;
	const snugDistanceResult result =
	    sgFindDistance(scene->bodies[a].body, scene->bodies[b].body, scene->origin, round->margin);
	round->found[index] = (snugSceneNear){ a, b, result.distance, result.a, result.b,
		{ result.pointA[0], result.pointA[1], result.pointA[2] },
		{ result.pointB[0], result.pointB[1], result.pointB[2] } };
	sgScene_Count(scene, &result.counters);
}

static void AskRound(WithinRound* round, uint32_t count, const snugSceneNearQuery* query, snugSceneResult* result)
{
	sgScene_Run(round->scene, count, AskTask, round);
	for (uint32_t i = 0; i < count; ++i)
	{
		if (round->found[i].distance < INFINITY)
		{
			if (result->count < query->capacity)
			{
				query->pairs[result->count] = round->found[i];
			}
			++result->count;
		}
	}
}

static uint32_t PrepareCandidates(snugScene* scene)
{
	sgScene_BeginList(scene);
	for (uint64_t i = 0; i < scene->candidateCount; ++i)
	{
		sgScene_List(scene, (uint32_t)(scene->candidates[i] >> 32));
		sgScene_List(scene, (uint32_t)scene->candidates[i]);
	}
	return sgScene_PrepareListed(scene);
}

static SG_NOINLINE snugStatus FindWithin(snugScene* scene, const snugSceneNearQuery* query, snugSceneResult* result)
{
	uint32_t moved, tooFar = sgScene_Refit(scene, true, &moved);
	if (tooFar != SG_NONE)
	{
		return sgScene_TooFar(scene, tooFar, result);
	}
	const float margin = BroadMargin(scene, query->margin);
	if (!sgScene_FindCandidates(scene, &scene->moving, &scene->fixed, false, margin, &result->candidates))
	{
		result->needed.candidates = result->candidates;
		return sgFail(&scene->messenger, snug_outOfRange, "the scene lacks room for %llu candidates",
		    (unsigned long long)result->candidates);
	}
	tooFar = PrepareCandidates(scene);
	if (tooFar != SG_NONE)
	{
		return sgScene_TooFar(scene, tooFar, result);
	}
	WithinRound round; // not zeroed: what threads find is written first
	round.scene = scene;
	round.margin = query->margin;
	for (round.first = 0; round.first < scene->candidateCount; round.first += CANDIDATES_PER_ROUND)
	{
		const uint64_t left = scene->candidateCount - round.first;
		AskRound(&round, left < CANDIDATES_PER_ROUND ? (uint32_t)left : CANDIDATES_PER_ROUND, query, result);
	}
	return snug_success;
}

snugSceneResult snugScene_FindNear(snugScene* scene, const snugSceneNearQuery* query)
{
	snugSceneResult result = { .status = snug_badArgument, .body = SNUG_NONE };
	SG_REQUIRE(scene != NULL && !scene->isUpdating && query != NULL, result);
	SG_REQUIRE_RESERVED(query, result);
	SG_REQUIRE(query->pairs != NULL || query->capacity == 0, result);
	SG_REQUIRE(query->margin >= 0.0, result);
	scene->isUpdating = true;
	scene->halt.isHalted = false; // candidates are others
	scene->callersEnvironment = sgFpEnv_Enter();
	result.status = FindWithin(scene, query, &result);
	sgFpEnv_Leave(scene->callersEnvironment);
	scene->isUpdating = false;
	result.counters = sgScene_TakeCounters(scene);
	return result;
}
