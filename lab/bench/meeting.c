#include "lab/bench/meeting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Making ----------------------------------------------------------------------------------------------------

static void SetPairs(benchMeeting* meeting)
{
	meeting->pairCount = meeting->actorCount > 2 ? meeting->actorCount : 1;
	for (int i = 0; i < meeting->pairCount; ++i)
	{
		meeting->pairs[i][0] = i;
		meeting->pairs[i][1] = (i + 1) % meeting->actorCount;
	}
}

void benchMeeting_AskAll(benchMeeting* meeting)
{
	meeting->pairCount = 0;
	for (int a = 0; a < meeting->actorCount; ++a)
	{
		for (int b = a + 1; b < meeting->actorCount; ++b)
		{
			meeting->pairs[meeting->pairCount][0] = a;
			meeting->pairs[meeting->pairCount++][1] = b;
		}
	}
}

static bool Allocate(benchMeeting* meeting)
{
	bool good = true;
	for (int i = 0; i < meeting->actorCount; ++i)
	{
		uint32_t vertexCount = meeting->actors[i].mesh->vertexCount;
		meeting->world[i] = calloc(3 * (size_t)vertexCount + 1, sizeof(float));
		meeting->vertices += vertexCount;
		good = good && meeting->world[i] != NULL;
	}
	meeting->times = malloc(BENCH_METHODS * sizeof(benchMeetingTimes));
	return good && meeting->times != NULL;
}

bool benchMeeting_Create(
    benchMeeting* meeting, const char* name, const benchActor* actors, int actorCount, benchReport* report)
{
	*meeting = (benchMeeting){ .actorCount = actorCount };
	memcpy(meeting->actors, actors, (size_t)actorCount * sizeof(benchActor));
	SetPairs(meeting);
	if (!benchAnswers_Create(&meeting->answers, name, actors[0].frameCount, report))
	{
		return false;
	}
	if (!Allocate(meeting))
	{
		benchReport_Fail(report, "out of memory");
	}
	else
	{
		benchStage_Create(&meeting->base, benchGetMethod(bench_oracle), actors, actorCount, NULL, report);
	}
	if (report->failure[0] != '\0')
	{
		benchMeeting_Free(meeting);
		return false;
	}
	return true;
}

void benchMeeting_Free(benchMeeting* meeting)
{
	benchAnswers_Free(&meeting->answers);
	benchStage_Destroy(&meeting->base);
	for (int i = 0; i < meeting->actorCount; ++i)
	{
		free(meeting->world[i]);
	}
	free(meeting->reference);
	free(meeting->times);
	memset(meeting, 0, sizeof(*meeting));
}

// ---- Placing ---------------------------------------------------------------------------------------------------

// Vertices of posed bodies, to `world`.
static snugStatus EvaluateWorld(benchMeeting* meeting)
{
	snugStatus status = snug_success;
	for (int i = 0; i < meeting->actorCount && status == snug_success; ++i)
	{
		status = snugBody_GetVertices(meeting->base.bodies[i].body, NULL, meeting->world[i], 0);
	}
	return status;
}

void benchMeeting_Forget(benchMeeting* meeting, sceneContact contact)
{
	meeting->contact = contact;
	meeting->answers.isSet = false;
}

bool benchMeeting_Place(
    benchMeeting* meeting, sceneContact contact, benchPlaceFcn* place, const void* user, benchReport* report)
{
	static const snugFrame zero[BENCH_MAX_ACTORS];
	snugStatus status = snug_success;
	benchMeeting_Forget(meeting, contact);
	memset(meeting->places, 0, sizeof(meeting->places));
	for (int f = 0; f < meeting->answers.frameCount && status == snug_success; ++f)
	{
		status = benchStage_Pose(&meeting->base, meeting->actors, f, zero);
		status = status == snug_success ? EvaluateWorld(meeting) : status;
		if (status == snug_success)
		{
			place(meeting, user, f, meeting->places[f]);
		}
	}
	if (status != snug_success)
	{
		benchReport_Fail(report, "cannot place the bodies: %s", snugGetStatusText(status));
	}
	return status == snug_success;
}

void benchPlaceAsGiven(const benchMeeting* meeting, const void* user, int frame, snugFrame* places)
{
	(void)user;
	for (int i = 0; i < meeting->actorCount; ++i)
	{
		const snugFrame* given = meeting->actors[i].places;
		places[i] = given != NULL ? given[frame] : places[i];
	}
}

// ---- Asking ----------------------------------------------------------------------------------------------------

static void AddResult(snugResult* sum, const snugResult* more)
{
	sum->status = sum->status == snug_success ? more->status : sum->status;
	sum->count += more->count;
	sum->counters.nodesRefitted += more->counters.nodesRefitted;
	sum->counters.volumeTests += more->counters.volumeTests;
	sum->counters.verticesEvaluated += more->counters.verticesEvaluated;
	sum->counters.triangleTests += more->counters.triangleTests;
}

void benchMeeting_HidePair(benchMeeting* meeting, uint64_t first, uint64_t count)
{
	if (meeting->isYesNo && count > 0)
	{
		meeting->answers.pairs[first] = (snugPair){ 0, 0 };
	}
}

void benchMeeting_Collide(benchMeeting* meeting, benchStage* stage, int frame, snugResult* result, benchReport* report)
{
	const benchAnswers* answers = &meeting->answers;
	*result = (snugResult){ .status = snug_success };
	for (int i = 0; i < meeting->pairCount && result->count <= answers->capacity; ++i)
	{
		snugQuery query = { .pairs = answers->pairs + result->count,
			.capacity = answers->capacity - result->count,
			.workers.run = stage->threads != NULL ? benchThreads_Run : NULL,
			.workers.user = stage->threads };
		const snugQuery remembering = { .witness = stage->method->hasWitness ? stage->witnesses + i : NULL };
		snugBody *a = benchStage_GetBody(stage, meeting->pairs[i][0]),
		         *b = benchStage_GetBody(stage, meeting->pairs[i][1]);
		snugResult found = meeting->isYesNo ? snugTouches(a, b, &remembering) : snugCollide(a, b, &query);
		benchMeeting_HidePair(meeting, result->count, found.count);
		AddResult(result, &found);
	}
	if (result->status != snug_success)
	{
		benchReport_Fail(report, "frame %d: %s", frame, snugGetStatusText(result->status));
	}
}

// ---- Peers -----------------------------------------------------------------------------------------------------

static bool IsBefore(snugPair a, snugPair b)
{
	return a.a != b.a ? a.a < b.a : a.b < b.b;
}

// Of two sorted lists: pairs of the first that are not in the second, and the other way round. One that is found twice
// is invented once.
static void CountDifferences(
    const snugPair* wanted, uint64_t wantedCount, const snugPair* found, uint64_t foundCount, uint64_t differences[2])
{
	uint64_t i = 0, j = 0;
	while (i < wantedCount || j < foundCount)
	{
		bool isMissed = j == foundCount || (i < wantedCount && IsBefore(wanted[i], found[j]));
		bool isInvented = !isMissed && (i == wantedCount || IsBefore(found[j], wanted[i]));
		differences[0] += isMissed;
		differences[1] += isInvented;
		i += !isInvented;
		j += !isMissed;
	}
}

void benchMeeting_Compare(
    benchMeeting* meeting, int frame, const uint64_t* ends, uint64_t differences[2], benchReport* report)
{
	uint64_t capacity = meeting->answers.capacity, first = 0;
	meeting->reference = meeting->reference != NULL ? meeting->reference : malloc((size_t)capacity * sizeof(snugPair));
	snugStatus status = meeting->reference == NULL
	                        ? snug_outOfMemory
	                        : benchStage_Pose(&meeting->base, meeting->actors, frame, meeting->places[frame]);
	for (int i = 0; i < meeting->pairCount && status == snug_success; ++i)
	{
		const snugQuery query = { .pairs = meeting->reference, .capacity = capacity };
		snugBody* a = meeting->base.bodies[meeting->pairs[i][0]].body;
		snugBody* b = meeting->base.bodies[meeting->pairs[i][1]].body;
		snugResult wanted = snugCollide(a, b, &query);
		uint64_t found = ends[i] - first;
		status = wanted.count > capacity || ends[i] > capacity ? snug_outOfMemory : wanted.status;
		if (status == snug_success && meeting->isYesNo)
		{
			differences[0] += wanted.count > 0 && found == 0;
			differences[1] += wanted.count == 0 && found > 0;
		}
		else if (status == snug_success)
		{
			CountDifferences(meeting->reference, wanted.count, meeting->answers.pairs + first, found, differences);
		}
		first = ends[i];
	}
	if (status != snug_success)
	{
		benchReport_Fail(report, "frame %d: cannot compare a peer: %s", frame, snugGetStatusText(status));
	}
}

// ---- Brute force -----------------------------------------------------------------------------------------------

bruteMesh benchMeeting_GetWorldMesh(const benchMeeting* meeting, int actor)
{
	const sceneMesh* mesh = meeting->actors[actor].mesh;
	return (bruteMesh){ meeting->world[actor], mesh->triangles, mesh->triangleCount };
}

void benchMeeting_Verify(benchMeeting* meeting, benchReport* report)
{
	int frame = benchAnswers_GetPeak(&meeting->answers);
	snugStatus status = benchStage_Pose(&meeting->base, meeting->actors, frame, meeting->places[frame]);
	status = status == snug_success ? EvaluateWorld(meeting) : status;
	if (status != snug_success)
	{
		benchReport_Fail(report, "frame %d: %s", frame, snugGetStatusText(status));
	}
	uint64_t count = 0;
	for (int i = 0; i < meeting->pairCount && report->failure[0] == '\0'; ++i)
	{
		bruteMesh a = benchMeeting_GetWorldMesh(meeting, meeting->pairs[i][0]),
		          b = benchMeeting_GetWorldMesh(meeting, meeting->pairs[i][1]);
		bruteResult result = bruteCollide(&a, &b);
		result.count = meeting->isYesNo && result.count > 1 ? 1 : result.count;
		if (result.outOfMemory || count + result.count > meeting->answers.capacity)
		{
			benchReport_Fail(report, "out of memory");
		}
		else if (result.count > 0)
		{
			memcpy(meeting->answers.pairs + count, result.pairs, (size_t)result.count * sizeof(snugPair));
			benchMeeting_HidePair(meeting, count, result.count);
			count += result.count;
		}
		bruteResult_Free(&result);
	}
	benchAnswers_Check(&meeting->answers, frame, count, "brute force", report);
}
