// Two characters in contact, in the clips on which the papers' bound is loosest.
//
// They face one another, the second a quarter of its clip later, so that they are never in the same pose. What a
// skeleton costs is the caller's: times begin with the joints' matrices.
#include "bench/explain.h"
#include "bench/skin.h"

#include <math.h>
#include <stdlib.h>

#define PAIRS 5

/// Tables that are added if it is to be explained where the time goes.
typedef struct skinExplained
{
	benchReport phases;
	benchExplained nodes;
} skinExplained;

/// Two characters, each in one of its clips, and what came of it.
typedef struct skinScene
{
	const skinCharacter* characters[2];
	uint32_t clips[2];
	sceneContact contact;
	benchMeetingNote note;
	double overOracle;        ///< total time, ours / oracle; NaN if a file is absent
	skinExplained* explained; ///< nullable
} skinScene;

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

// Turned half about the vertical axis, a point (x, y, z) comes to (-x, y, -z).
void skinPlaceFrame(const benchMeeting* meeting, const void* user, int frame, snugFrame* places)
{
	double u = 2.0 * (double)frame / (double)(meeting->answers.frameCount - 1) - 1.0, nearness = 1.0 - u * u;
	static const skinDepth usual = { 0.02, 0.07 };
	const skinDepth* depth = user != NULL ? user : &usual;
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
		place.position[2] -= BENCH_HEIGHT * (depth->least + (depth->most - depth->least) * nearness);
	}
	else
	{
		place.position[0] += 0.02 * BENCH_HEIGHT;
		place.position[1] += 0.01 * BENCH_HEIGHT;
		place.position[2] += BENCH_HEIGHT * (0.11 - 0.08 * nearness);
	}
	places[1] = place;
}

// ---- Runs ------------------------------------------------------------------------------------------------------

static bool IsPresent(const skinScene* scene)
{
	return scene->characters[0]->body.isPresent && scene->characters[1]->body.isPresent;
}

static void AddNames(benchRow* row, const skinScene* scene)
{
	char text[48];
	snprintf(text, sizeof(text), "%s, %s", scene->characters[0]->body.name, scene->characters[1]->body.name);
	benchRow_Text(row, "bodies", text);
}

// A row per method.
static void AddMethodRows(
    benchReport* report, const skinScene* scene, const benchMeeting* meeting, const benchMeetingTimes* all)
{
	for (int method = 0; method < BENCH_METHODS; ++method)
	{
		if (!all[method].isMeasured)
		{
			continue;
		}
		benchRow* row = benchReport_AddRow(report, "Posing and query of two characters, per frame");
		AddNames(row, scene);
		benchMeeting_AddCells(row, meeting, all, (benchMethod)method);
	}
}

static void AddExplainedNames(benchRow* row, const void* user)
{
	const skinScene* scene = user;
	AddNames(row, scene);
	benchRow_Text(row, "contact", sceneContact_GetName(scene->contact));
}

static void Explain(const skinScene* scene, benchMeeting* meeting, const benchMeetingTimes* all, benchMethodSet phased)
{
	for (int method = 0; method < BENCH_METHODS; ++method)
	{
		if ((phased & BENCH_BIT(method)) != 0)
		{
			benchRow* row = benchReport_AddRow(&scene->explained->phases, "Where the time of a frame went");
			AddNames(row, scene);
			benchMeeting_AddPhaseCells(row, meeting, all, (benchMethod)method);
		}
	}
	benchExplained_Add(&scene->explained->nodes, meeting, AddExplainedNames, scene);
}

static void RunMeeting(const benchOptions* options, benchReport* report, skinScene* scene, benchMeeting* meeting)
{
	benchMethodSet methods = BENCH_BIT(bench_ours) | BENCH_BIT(bench_bottomUp) | BENCH_BIT(bench_freeBottomUp) |
	                         BENCH_BIT(bench_oracle) | BENCH_OTHER_BOUNDS;
	int passes = !options->full ? 2 : 10;
	const benchMeetingPlan plan = { .methods = methods,
		.phased = scene->explained != NULL ? methods & ~BENCH_OTHER_BOUNDS : 0,
		.passes = passes,
		.briefPasses = passes };
	benchMeetingTimes* all = malloc(BENCH_METHODS * sizeof(benchMeetingTimes));
	if (all == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	else if (benchMeeting_Place(meeting, scene->contact, skinPlaceFrame, NULL, report) &&
	         benchMeeting_Run(meeting, &plan, all, report))
	{
		benchMeeting_Verify(meeting, report);
		AddMethodRows(report, scene, meeting, all);
		if (scene->explained != NULL)
		{
			Explain(scene, meeting, all, plan.phased);
		}
		scene->note = benchMeeting_MakeNote(meeting, all);
		scene->overOracle = benchMeeting_GetRatio(all, bench_ours, bench_oracle);
		if (scene->note.peak == 0)
		{
			benchReport_Fail(report, "%s do not touch", meeting->answers.name);
		}
	}
	free(all);
}

static void RunScene(const benchOptions* options, benchReport* report, skinScene* scene)
{
	int frameCount = !options->full ? 7 : 15;
	float* matrices[2] = { NULL, NULL };
	benchActor actors[2];
	benchMeeting meeting;
	char name[64];
	for (int i = 0; i < 2; ++i)
	{
		const benchCharacter* c = &scene->characters[i]->body;
		matrices[i] = benchCharacter_AllocateMatrices(c, frameCount);
		actors[i] = benchActor_Skinned(&c->mesh, &c->weights, matrices[i], frameCount, NULL);
		if (matrices[i] != NULL)
		{
			benchCharacter_PoseClip(c, scene->clips[i], frameCount, 0.25 * (double)i, matrices[i]);
		}
	}
	snprintf(name, sizeof(name), "%s and %s", scene->characters[0]->body.name, scene->characters[1]->body.name);
	benchProgress(options, name);
	if (matrices[0] == NULL || matrices[1] == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	else if (benchMeeting_Create(&meeting, name, actors, 2, report))
	{
		RunMeeting(options, report, scene, &meeting);
		benchMeeting_Free(&meeting);
	}
	free(matrices[0]);
	free(matrices[1]);
}

static void AddNoteRow(benchReport* report, const skinScene* scene)
{
	benchRow* row = benchReport_AddRow(report, "The scenes, and how good the baselines are");
	AddNames(row, scene);
	for (int i = 0; i < 2; ++i)
	{
		const ioAsset* asset = &scene->characters[i]->body.asset;
		benchRow_Text(row, i == 0 ? "firstClip" : "secondClip", asset->clips[scene->clips[i]].name);
	}
	benchMeetingNote_AddCells(row, &scene->note);
}

void skinRunMeetings(const benchOptions* options, const skinCharacter characters[SKIN_CHARACTERS], benchReport* report)
{
	static const int pairs[PAIRS][2] = { { 0, 0 }, { 1, 1 }, { 0, 1 }, { 2, 2 }, { 3, 3 } };
	skinScene scenes[2 * PAIRS];
	skinExplained explained = { .phases = { .rowCount = 0 } };
	for (int i = 0; i < 2 * PAIRS && report->failure[0] == '\0'; ++i)
	{
		const skinCharacter *first = characters + pairs[i / 2][0], *second = characters + pairs[i / 2][1];
		scenes[i] = (skinScene){ { first, second }, { first->loosest, second->loosest },
			i % 2 == 0 ? scene_light : scene_heavy, { .peak = 0 }, NAN, options->explain ? &explained : NULL };
		if (IsPresent(scenes + i))
		{
			RunScene(options, report, scenes + i);
		}
		benchReport_AddAim(report, scenes[i].overOracle, scenes[i].contact == scene_light ? 2.0 : 1.5,
		    "%s, %s: %s contact, total time, ours / oracle", first->body.name, second->body.name,
		    sceneContact_GetName(scenes[i].contact));
	}
	for (int i = 0; i < 2 * PAIRS && report->failure[0] == '\0'; ++i)
	{
		if (IsPresent(scenes + i))
		{
			AddNoteRow(report, scenes + i);
		}
	}
	benchReport_TakeRows(report, &explained.phases);
	benchExplained_Finish(&explained.nodes, report);
}
