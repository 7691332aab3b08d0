// Two characters in contact, in the clips on which the papers' bound is loosest.
//
// They face one another, the second a quarter of its clip later, so that they are never in the same pose. What a
// skeleton costs is the caller's: times begin with the joints' matrices.
#include "bench/meeting.h"
#include "bench/skin.h"

#include <math.h>
#include <stdlib.h>

/// Which characters, by number.
typedef struct skinPair
{
	int first, second;
} skinPair;

static const skinPair pairs[] = { { 0, 0 }, { 1, 1 }, { 0, 1 }, { 2, 2 }, { 3, 3 } };

#define PAIRS ((int)(sizeof(pairs) / sizeof(pairs[0])))

/// What is said of a pair in a table of its own, at the end.
typedef struct pairNote
{
	const skinCharacter* characters[2];
	benchMeetingNote meeting;
} pairNote;

// ---- Placement -------------------------------------------------------------------------------------------------

// The vertex that reaches farthest to the front.
static const float* FindFront(const float* positions, uint32_t count)
{
	const float* found = positions;
	for (uint32_t i = 1; i < count; ++i)
	{
		const float* p = positions + 3 * (size_t)i;
		found = p[2] > found[2] ? p : found;
	}
	return found;
}

static void FindCenter(const float* positions, uint32_t count, double center[3])
{
	for (int k = 0; k < 3; ++k)
	{
		float low = positions[k], high = positions[k];
		for (uint32_t i = 1; i < count; ++i)
		{
			float x = positions[3 * (size_t)i + (size_t)k];
			low = x < low ? x : low;
			high = x > high ? x : high;
		}
		center[k] = 0.5 * ((double)low + (double)high);
	}
}

// The second body is turned half about the vertical axis, so that a point (x, y, z) of it comes to (-x, y, -z).
// Light: the foremost points of both, a hand, a foot or a nose, pushed past one another by a little. Heavy: one walks
// through the other.
static snugFrame PlaceFrame(const benchMeeting* meeting, int frame)
{
	double u = 2.0 * (double)frame / (double)(meeting->answers.frameCount - 1) - 1.0, nearness = 1.0 - u * u;
	double anchors[2][3];
	for (int i = 0; i < 2; ++i)
	{
		uint32_t count = meeting->actors[i].mesh->vertexCount;
		const float* front = FindFront(meeting->world[i], count);
		FindCenter(meeting->world[i], count, anchors[i]);
		for (int k = 0; k < 3 && meeting->contact == scene_light; ++k)
		{
			anchors[i][k] = (double)front[k];
		}
	}
	snugFrame place = { .rotation = { 0.0, 1.0, 0.0, 0.0 } };
	place.position[0] = anchors[0][0] + anchors[1][0];
	place.position[1] = anchors[0][1] - anchors[1][1];
	place.position[2] = anchors[0][2] + anchors[1][2];
	if (meeting->contact == scene_light)
	{
		place.position[2] -= BENCH_HEIGHT * (0.02 + 0.05 * nearness);
	}
	else
	{
		place.position[0] += 0.02 * BENCH_HEIGHT;
		place.position[1] += 0.01 * BENCH_HEIGHT;
		place.position[2] += BENCH_HEIGHT * (0.11 - 0.08 * nearness);
	}
	return place;
}

// ---- Runs ------------------------------------------------------------------------------------------------------

static void AddNames(benchRow* row, const skinCharacter* first, const skinCharacter* second)
{
	char text[48];
	snprintf(text, sizeof(text), "%s, %s", first->body.name, second->body.name);
	benchRow_Text(row, "bodies", text);
}

static void RunContact(const benchOptions* options, benchReport* report, benchMeeting* meeting, sceneContact contact,
    pairNote* note, double* overOracle)
{
	benchMeetingTimes* all = calloc(BENCH_METHODS, sizeof(benchMeetingTimes));
	if (all == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	else if (benchMeeting_Place(meeting, contact, PlaceFrame, report) &&
	         benchMeeting_Run(meeting, bench_oracle + 1, options->quick ? 2 : 5, all, report))
	{
		for (int method = 0; method <= bench_oracle; ++method)
		{
			benchRow* row = benchReport_AddRow(report, "Posing and query of two characters, per frame");
			AddNames(row, note->characters[0], note->characters[1]);
			benchMeeting_AddCells(row, meeting, all, method);
		}
		note->meeting = benchMeeting_MakeNote(meeting, all + bench_bottomUp);
		*overOracle = benchSamples_Median(&all[bench_ours].total) / benchSamples_Median(&all[bench_oracle].total);
		if (note->meeting.peak == 0)
		{
			benchReport_Fail(report, "%s do not touch", meeting->answers.name);
		}
	}
	free(all);
}

// An actor whose matrices are to be freed.
static benchActor PoseActor(const skinCharacter* c, int frameCount, double shift)
{
	float* matrices = benchCharacter_AllocateMatrices(&c->body, frameCount);
	if (matrices != NULL)
	{
		benchCharacter_PoseClip(&c->body, c->loosest, frameCount, shift, matrices);
	}
	return (benchActor){ &c->body.mesh, &c->body.weights, matrices, frameCount };
}

static void RunPair(const benchOptions* options, benchReport* report, pairNote notes[2], double overOracle[2])
{
	const skinCharacter* const* c = notes[0].characters;
	int frameCount = options->quick ? 7 : 15;
	benchActor actors[2] = { PoseActor(c[0], frameCount, 0.0), PoseActor(c[1], frameCount, 0.25) };
	benchMeeting meeting;
	char name[64];
	snprintf(name, sizeof(name), "%s and %s", c[0]->body.name, c[1]->body.name);
	if (actors[0].matrices == NULL || actors[1].matrices == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	else if (benchMeeting_Create(&meeting, name, actors, report))
	{
		RunContact(options, report, &meeting, scene_light, &notes[0], &overOracle[0]);
		RunContact(options, report, &meeting, scene_heavy, &notes[1], &overOracle[1]);
		benchMeeting_Free(&meeting);
	}
	for (int i = 0; i < 2; ++i)
	{
		free((float*)(uintptr_t)actors[i].matrices);
	}
}

static void AddNoteRow(benchReport* report, const pairNote* note)
{
	benchRow* row = benchReport_AddRow(report, "The scenes, and how good the baselines are");
	AddNames(row, note->characters[0], note->characters[1]);
	for (int i = 0; i < 2; ++i)
	{
		const skinCharacter* c = note->characters[i];
		benchRow_Text(row, i == 0 ? "firstClip" : "secondClip", c->body.asset.clips[c->loosest].name);
	}
	benchMeetingNote_AddCells(row, &note->meeting);
}

void skinRunMeetings(const benchOptions* options, const skinCharacter characters[SKIN_CHARACTERS], benchReport* report)
{
	pairNote notes[2 * PAIRS];
	int noteCount = 0;
	for (int i = 0; i < PAIRS && report->failure[0] == '\0'; ++i)
	{
		const skinCharacter *first = characters + pairs[i].first, *second = characters + pairs[i].second;
		double overOracle[2] = { NAN, NAN };
		char text[64];
		snprintf(text, sizeof(text), "skin: %s and %s …", first->body.name, second->body.name);
		benchProgress(options, text);
		if (first->body.isPresent && second->body.isPresent)
		{
			notes[noteCount] = notes[noteCount + 1] = (pairNote){ .characters = { first, second } };
			RunPair(options, report, &notes[noteCount], overOracle);
			noteCount += 2;
		}
		benchReport_AddAim(report, overOracle[0], 2.0, "%s, %s: light contact, total time, ours / oracle",
		    first->body.name, second->body.name);
		benchReport_AddAim(report, overOracle[1], 1.5, "%s, %s: heavy contact, total time, ours / oracle",
		    first->body.name, second->body.name);
	}
	for (int i = 0; i < noteCount && report->failure[0] == '\0'; ++i)
	{
		AddNoteRow(report, &notes[i]);
	}
}
