// The methods of a meeting, frame by frame.
#include "lab/bench/meeting_frames.h"

#include <stdlib.h>
#include <string.h>

/// Frames after which a brief method is warm: those that look at everything have touched all their memory.
#define BRIEF_WARM_UP 4

/// Passes of methods that are timed by the wall: others on the machine can only add, so the least of many counts.
#define WALL_PASSES 15

// ---- Methods ---------------------------------------------------------------------------------------------------

static void RunFrames(const benchRunner* r, int frameCount)
{
	for (int f = 0; f < frameCount && r->report->failure[0] == '\0'; ++f)
	{
		benchRunner_RunFrame(r, f);
	}
}

// Methods that are timed by the wall take turns frame by frame.
static void RunOnWall(benchRunner runners[BENCH_METHODS], int count)
{
	int frameCount = count > 0 ? runners[0].meeting->answers.frameCount : 0;
	for (int i = 0; i < WALL_PASSES * frameCount * count && runners[0].report->failure[0] == '\0'; ++i)
	{
		if (runners[i % count].stage->method->isOnWall)
		{
			benchRunner_RunFrame(runners + i % count, i / count % frameCount);
		}
	}
}

// Once through all frames, or some; the first method to do so says what the answers are.
static void WarmUp(const benchRunner* r)
{
	int frameCount = r->meeting->answers.frameCount;
	benchRunner warm = *r;
	bool isPeer = r->stage->method->kind == bench_byPeer;
	warm.times = r->stage->method->isOnce ? r->times : r->ignored;
	warm.isCompared = isPeer;
	if (r->method == bench_spatialHash)
	{
		benchRunner_TuneCells(&warm);
	}
	RunFrames(&warm, r->stage->method->isBrief && !isPeer && BRIEF_WARM_UP < frameCount ? BRIEF_WARM_UP : frameCount);
	r->meeting->answers.isSet = true;
}

static void RunAll(const benchMeetingPlan* plan, benchRunner runners[BENCH_METHODS], int count)
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
			if (!method->isOnWall && !method->isOnce && pass < (method->isBrief ? plan->briefPasses : plan->passes))
			{
				RunFrames(runners + i, runners[i].meeting->answers.frameCount);
			}
		}
	}
	RunOnWall(runners, count);
}

static void FinishTimes(benchMeetingTimes* times)
{
	double share = times->frames > 0 ? 1.0 / (double)times->frames : 0.0;
	times->nodesRefitted *= share;
	times->volumeTests *= share;
	times->verticesEvaluated *= share;
	times->triangleTests *= share;
	times->temporalUpdates *= share;
	times->transformsBounded *= share;
}

// Methods of a set.
static void RunSet(benchMeeting* meeting, const benchMeetingPlan* plan, benchMethodSet set, benchReport* report)
{
	benchRunner runners[BENCH_METHODS];
	int count = 0;
	benchStage* stages = calloc(BENCH_METHODS, sizeof(benchStage));
	benchMeetingTimes* ignored = calloc(1, sizeof(benchMeetingTimes));
	if (stages == NULL || ignored == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	for (int m = 0; m < BENCH_METHODS && report->failure[0] == '\0'; ++m)
	{
		if ((set & BENCH_BIT(m)) != 0 && benchMethod_IsThere((benchMethod)m) &&
		    benchStage_Create(stages + m, benchGetMethod((benchMethod)m), meeting->actors, meeting->actorCount,
		        &meeting->base, report))
		{
			runners[count++] = (benchRunner){ .meeting = meeting,
				.method = (benchMethod)m,
				.stage = stages + m,
				.times = meeting->times + m,
				.ignored = ignored,
				.differences = meeting->times[m].differences,
				.report = report };
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
}

bool benchMeeting_Run(benchMeeting* meeting, const benchMeetingPlan* plan, benchReport* report)
{
	memset(meeting->times, 0, BENCH_METHODS * sizeof(benchMeetingTimes));
	if (!plan->isOneByOne)
	{
		RunSet(meeting, plan, plan->methods, report);
	}
	for (int m = 0; m < BENCH_METHODS && plan->isOneByOne; ++m)
	{
		RunSet(meeting, plan, plan->methods & BENCH_BIT(m), report);
	}
	return report->failure[0] == '\0';
}
