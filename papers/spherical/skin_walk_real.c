// Real characters in contact, by every skin and in every clip, and what posing them costs.
#include "papers/spherical/skin_walk.h"

#include <math.h>
#include <stdlib.h>

#define FRAMES 15

/// Two characters, each in one of its clips, by one skin.
typedef struct realScene
{
	const benchCharacter* characters[2];
	uint32_t clips[2];
	snugBlending blending;
	sceneContact contact;
	benchSkinning skins[2];
	benchActor actors[2];
	float* matrices[2];
	float* amplitudes[2];
} realScene;

static const char tableName[] = "Every clip: posing and query of two characters, per frame";

// Whether a character can take poses with a skin; otherwise a row says why not.
static bool CanPose(benchReport* clips, const char* name, const benchActor* actor, snugBlending blending)
{
	snugModelDef def = sceneMakeBlendDef(actor->mesh, actor->weights, (snugTreeDef){ 0 });
	def.skin.blending = blending;
	def.skin.jointPositions = actor->skin->jointPositions;
	snugModel* model = NULL;
	snugBody* body = NULL;
	snugStatus status = snugModel_Create(&def, &model);
	status = status == snug_success ? snugBody_Create(&(snugBodyDef){ .model = model }, &body) : status;
	for (int f = 0; f < actor->frameCount && status == snug_success; ++f)
	{
		status = snugBody_SetJoints(body, benchActor_GetMatrices(actor, f), 0, actor->weights->transformCount);
	}
	if (status != snug_success)
	{
		char text[48];
		benchRow* row = benchReport_AddRow(clips, tableName);
		benchRow_Text(row, "bodies", name);
		benchRow_Text(row, "skin", benchGetSkinName(blending));
		snprintf(text, sizeof(text), "skipped: %s", snugGetStatusText(status));
		benchRow_Text(row, "clip", text);
	}
	snugBody_Destroy(body);
	snugModel_Destroy(model);
	return status == snug_success;
}

static bool CreateScene(realScene* scene)
{
	for (int i = 0; i < 2; ++i)
	{
		const benchCharacter* c = scene->characters[i];
		scene->matrices[i] = benchCharacter_AllocateMatrices(c, FRAMES);
		scene->amplitudes[i] = malloc(((size_t)c->targets.count * FRAMES + 1) * sizeof(float));
		if (scene->matrices[i] == NULL || scene->amplitudes[i] == NULL)
		{
			return false;
		}
		benchCharacter_PoseClip(c, scene->clips[i], FRAMES, 0.25 * i, scene->matrices[i]);
		benchCharacter_MorphClip(c, scene->clips[i], FRAMES, 0.25 * i, scene->amplitudes[i]);
		scene->skins[i] = (benchSkinning){ scene->blending, c->jointPositions,
			c->targets.count > 0 ? &c->targets : NULL, scene->amplitudes[i] };
		scene->actors[i] = benchActor_Skinned(&c->mesh, &c->weights, scene->matrices[i], FRAMES, scene->skins + i);
	}
	return true;
}

static void FreeScene(realScene* scene)
{
	for (int i = 0; i < 2; ++i)
	{
		free(scene->matrices[i]);
		free(scene->amplitudes[i]);
	}
}

static void AddClipRow(benchReport* report, const realScene* scene, const benchMeeting* meeting)
{
	const benchCharacter *first = scene->characters[0], *second = scene->characters[1];
	const benchMeetingTimes* all = meeting->times;
	double ours = benchSamples_Median(&all[bench_ours].total), oracle = benchSamples_Median(&all[bench_oracle].total);
	double bottomUp = benchSamples_Median(&all[bench_bottomUp].total);
	char text[48];
	benchRow* row = benchReport_AddRow(report, tableName);
	snprintf(text, sizeof(text), "%s, %s", first->name, second->name);
	benchRow_Text(row, "bodies", text);
	benchRow_Text(row, "skin", benchGetSkinName(scene->blending));
	benchRow_Text(row, "clip", first->asset.clips[scene->clips[0]].name);
	benchRow_Text(row, "contact", sceneContact_GetName(scene->contact));
	benchRow_Number(row, "oursPoseMs", benchSamples_Median(&all[bench_ours].pose), 3);
	benchRow_Number(row, "oursQueryMs", benchSamples_Median(&all[bench_ours].query), 3);
	benchRow_Number(row, "oursTotalMs", ours, 3);
	benchRow_Number(row, "bottomUpTotalMs", bottomUp, 3);
	benchRow_Number(row, "oracleTotalMs", oracle, 3);
	benchRow_Number(row, "oursOverOracle", ours / oracle, 2);
	benchRow_Number(row, "bestOverOracle", benchMeeting_GetBestOverOracle(meeting, bench_ours), 2);
	benchRow_Number(row, "bottomUpOverOurs", bottomUp / ours, 2);
	benchRow_Number(row, "volumeTestsOverOracle", all[bench_ours].volumeTests / all[bench_oracle].volumeTests, 2);
	double pairs = benchAnswers_GetMean(&meeting->answers);
	benchRow_Number(row, "pairs", pairs, 0);
	benchRow_Number(row, "oursQueryMicrosecondsPerPair", 1e3 * benchSamples_Median(&all[bench_ours].query) / pairs, 2);
	benchRow_Hash(row, "pairsHash", benchAnswers_GetHash(&meeting->answers));
}

// @return microseconds of our query, the median, per pair of triangles that touch
static double RunMeeting(const benchOptions* options, benchReport* clips, benchReport* report, const realScene* scene)
{
	const benchMeetingPlan plan = { .methods = BENCH_BIT(bench_ours) | BENCH_BIT(bench_bottomUp) |
		                                       BENCH_BIT(bench_freeBottomUp) | BENCH_BIT(bench_oracle),
		.passes = !options->full ? 2 : 6,
		.briefPasses = !options->full ? 1 : 2 };
	benchMeeting meeting;
	double query = NAN;
	char name[64];
	snprintf(name, sizeof(name), "%s and %s", scene->characters[0]->name, scene->characters[1]->name);
	if (benchMeeting_Create(&meeting, name, scene->actors, 2, report))
	{
		if (benchMeeting_Place(&meeting, scene->contact, skinPlaceFrame, NULL, report) &&
		    benchMeeting_Run(&meeting, &plan, report))
		{
			benchMeeting_Verify(&meeting, report);
			AddClipRow(clips, scene, &meeting);
			query =
			    1e3 * benchSamples_Median(&meeting.times[bench_ours].query) / benchAnswers_GetMean(&meeting.answers);
		}
		benchMeeting_Free(&meeting);
	}
	return query;
}

/// Queries of two of one kind in light contact, per touching pair, a sample per clip.
typedef struct clipTimes
{
	benchSamples queries[BENCH_SKINS];
} clipTimes;

static double RunScene(const benchOptions* options, benchReport* clips, benchReport* report, realScene* scene)
{
	double query = NAN;
	char text[96];
	snprintf(text, sizeof(text), "skin-walk: %s, %s, %s …", scene->characters[0]->name,
	    scene->characters[0]->asset.clips[scene->clips[0]].name, benchGetSkinName(scene->blending));
	benchProgress(options, text);
	if (!CreateScene(scene))
	{
		benchReport_Fail(report, "out of memory");
	}
	else if (CanPose(clips, scene->characters[0]->name, scene->actors, scene->blending) &&
	         CanPose(clips, scene->characters[1]->name, scene->actors + 1, scene->blending))
	{
		query = RunMeeting(options, clips, report, scene);
	}
	FreeScene(scene);
	return query;
}

static void RunClips(
    const benchOptions* options, benchReport* table, benchReport* report, const benchCharacter* c, clipTimes* times)
{
	uint32_t clips = !options->full ? 1 : c->asset.clipCount;
	uint32_t contacts = !options->full ? 1 : 2;
	for (uint32_t i = 0; i < BENCH_SKINS * clips * contacts && report->failure[0] == '\0'; ++i)
	{
		uint32_t skin = i / (clips * contacts), clip = i / contacts % clips;
		realScene scene = { .characters = { c, c },
			.clips = { clip, clip },
			.blending = benchSkins[skin],
			.contact = i % contacts == 0 ? scene_light : scene_heavy };
		double query = RunScene(options, table, report, &scene);
		if (scene.contact == scene_light && !isnan(query))
		{
			benchSamples_Add(times->queries + skin, query);
		}
	}
}

// ---- Posing ----------------------------------------------------------------------------------------------------

// Microseconds to give a body joints and amplitudes, the least of many.
static double TimePosing(
    const benchOptions* options, skinWalkTables* tables, benchReport* report, const benchCharacter* c, int skin)
{
	realScene scene = { .characters = { c, c }, .blending = benchSkins[skin] };
	benchBody body = { .model = NULL };
	double best = NAN;
	if (!CreateScene(&scene))
	{
		benchReport_Fail(report, "out of memory");
	}
	else if (CanPose(&tables->clips, c->name, scene.actors, scene.blending) &&
	         benchBody_CreateSkin(&body, &c->mesh, &c->weights, scene.skins, report))
	{
		for (int i = 0; i < (!options->full ? 20 : 200) * FRAMES; ++i)
		{
			// Amplitudes that are not zero, whatever the clip has.
			for (uint32_t t = 0; t < c->targets.count; ++t)
			{
				scene.amplitudes[0][(size_t)(i % FRAMES) * c->targets.count + t] = 0.1f + 0.05f * (float)(t % 7);
			}
			double start = benchNow();
			snugStatus status = scene.actors->pose(scene.actors, body.body, i % FRAMES);
			double elapsed = 1e3 * (benchNow() - start);
			best = status == snug_success ? fmin(best, elapsed) : best;
		}
	}
	benchBody_Destroy(&body);
	FreeScene(&scene);
	benchRow* row = benchReport_AddRow(&tables->posing, "Posing: joints and morph targets, from matrices to a pose");
	benchRow_Text(row, "body", c->name);
	benchRow_Text(row, "skin", benchGetSkinName(benchSkins[skin]));
	benchRow_Count(row, "joints", c->weights.transformCount);
	benchRow_Count(row, "morphTargets", c->targets.count);
	benchRow_Number(row, "microseconds", best, 2);
	return best;
}

static void AddAims(const benchOptions* options, skinWalkTables* tables, benchReport* report, const benchCharacter* c,
    const char* name, const clipTimes* times)
{
	for (int i = 0; i < BENCH_SKINS; ++i)
	{
		benchReport_AddAim(report, benchSamples_Median(times->queries + i), 1.3,
		    "two %s, %s: light contact, query, median of clips, us per touching pair", name,
		    benchGetSkinName(benchSkins[i]));
	}
	for (int i = 0; i < BENCH_SKINS && c == NULL; ++i)
	{
		benchReport_AddAim(report, NAN, 20.0, "%s, %s: posing, microseconds", name, benchGetSkinName(benchSkins[i]));
	}
	for (int i = 0; i < BENCH_SKINS && c != NULL && report->failure[0] == '\0'; ++i)
	{
		benchReport_AddAim(report, TimePosing(options, tables, report, c, i), 20.0, "%s, %s: posing, microseconds",
		    name, benchGetSkinName(benchSkins[i]));
	}
}

static void RunCharacter(
    const benchOptions* options, skinWalkTables* tables, benchReport* report, const benchCharacter* c, const char* name)
{
	clipTimes* times = calloc(1, sizeof(clipTimes));
	if (times == NULL)
	{
		benchReport_Fail(report, "out of memory");
		return;
	}
	if (c->isPresent)
	{
		const benchSkinning skin = { .targets = &c->targets };
		const benchActor subject = benchActor_Skinned(&c->mesh, &c->weights, NULL, 0, &skin);
		benchAddCharacterRow(&tables->characters, c->name, &subject, "file");
		RunClips(options, &tables->clips, report, c, times);
	}
	else
	{
		benchAddCharacterRow(&tables->characters, name, NULL, "absent: skipped");
	}
	// The first two are people, and what the aims are about.
	if (name == benchCharacterNames[0] || name == benchCharacterNames[1])
	{
		AddAims(options, tables, report, c->isPresent ? c : NULL, name, times);
	}
	free(times);
}

void skinWalkRunReal(const benchOptions* options, skinWalkTables* tables, benchReport* report)
{
	benchCharacter characters[BENCH_CHARACTERS] = { { .name = NULL } };
	const char *directory, *name;
	for (int i = 0; report->failure[0] == '\0' && benchFindCharacter(options, i, &directory, &name); ++i)
	{
		if (benchCharacter_Load(characters + i, directory, name, report))
		{
			RunCharacter(options, tables, report, characters + i, name);
		}
	}
	// Different ones, of the two that are people.
	for (int i = 0; i < 2 * BENCH_SKINS && report->failure[0] == '\0'; ++i)
	{
		realScene scene = { .characters = { characters, characters + 1 },
			.blending = benchSkins[i / 2],
			.contact = i % 2 == 0 ? scene_light : scene_heavy };
		if (characters[0].isPresent && characters[1].isPresent)
		{
			RunScene(options, &tables->clips, report, &scene);
		}
	}
	for (int i = 0; i < BENCH_CHARACTERS; ++i)
	{
		benchCharacter_Free(characters + i);
	}
}
