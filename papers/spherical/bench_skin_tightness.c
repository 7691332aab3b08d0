// `snug bench skin-tightness`: Table 1 of spherical-blend-2006, and what the choices of its sphere tree do.
//
// A pose counts only if the paper's own bound is about as loose on it as published: at the creature's root, for linear
// blending, 2.1 times the optimum. The first table says so.
#include "lab/bench/skins.h"
#include "lab/bench/stage.h"
#include "lab/bench/timer.h"
#include "papers/common/tightness.h"
#include "papers/spherical/sphere_tree.h"

#include <math.h>
#include <stdlib.h>

#define MAX_POSES 16

/// Tables that several characters fill, one after the other in the report.
typedef struct skinTables
{
	benchReport characters, levels, choices;
} skinTables;
#define WALK_FRAMES 15

// ---- Radii by level --------------------------------------------------------------------------------------------

static void AddRange(
    benchRow* row, const benchTightness* t, benchVolume volume, uint32_t level, const char* const keys[3])
{
	const benchRadii* r = &t->radii[volume][level];
	double hidden = r->count == 0 ? (double)NAN : 0.0;
	benchRow_Number(row, keys[0], r->least + hidden, 4);
	benchRow_Number(row, keys[1], r->radii / (double)r->count, 4);
	benchRow_Number(row, keys[2], r->most + hidden, 4);
}

// Table 1 of spherical-blend-2006, by level from the root = 0: mean radius of refitted balls over that of the smallest
// ones, for spherical blending. NaN below its last level.
#define PAPER_LEVELS 9
static double GetPaperRatio(uint32_t level)
{
	static const double refitted[PAPER_LEVELS] = { 79.55, 33.95, 8.89, 4.12, 1.83, 0.98, 0.66, 0.43, 0.30 };
	static const double optimal[PAPER_LEVELS] = { 34.41, 22.05, 7.39, 3.69, 1.70, 0.92, 0.61, 0.42, 0.30 };
	return level < PAPER_LEVELS ? refitted[level] / optimal[level] : (double)NAN;
}

static void AddPlot(benchReport* report, int firstRow, const char* name, snugBlending blending)
{
	static const char* const ratios[] = { "paperOverOptimal", "printedSpherical", NULL };
	benchPlot plot = { .firstRow = firstRow,
		.endRow = firstRow + PAPER_LEVELS < report->rowCount ? firstRow + PAPER_LEVELS : report->rowCount,
		.unit = "radius / optimal",
		.across = "level",
		.limit = 4.0,
		.keys = ratios };
	snprintf(plot.title, sizeof(plot.title), "%.40s, %s", name, benchGetSkinName(blending));
	benchReport_AddPlot(report, &plot);
}

static void AddLevelRows(benchReport* report, const char* name, snugBlending blending, const benchTightness* t)
{
	int firstRow = report->rowCount;
	static const char* const keys[3][3] = { { "referenceMin", "referenceMean", "referenceMax" },
		{ "paperMin", "paperMean", "paperMax" }, { "optimalMin", "optimalMean", "optimalMax" } };
	for (uint32_t level = 0; level < t->levels; ++level)
	{
		benchRow* row = benchReport_AddRow(report, "Radii of balls by level, the root's being 1");
		benchRow_Text(row, "character", name);
		benchRow_Text(row, "skin", benchGetSkinName(blending));
		benchRow_Count(row, "level", level + 1);
		benchRow_Count(row, "nodes", t->nodes[level]);
		for (int i = 0; i < 3; ++i)
		{
			AddRange(row, t, (benchVolume)(bench_atRest + i), level, keys[i]);
		}
		benchRow_Number(row, "paperOverOptimal", benchTightness_GetRatioOfMeans(t, bench_algorithm1, level), 2);
		benchRow_Number(row, "printedSpherical", GetPaperRatio(level), 2);
	}
	AddPlot(report, firstRow, name, blending);
}

// All skins of one character in the poses of one of them.
static void RunSubject(
    const benchOptions* options, skinTables* tables, benchReport* report, const char* name, const benchActor* subject)
{
	static benchTightness found;
	for (int i = 0; i < BENCH_SKINS && report->failure[0] == '\0'; ++i)
	{
		const benchSkinning skin = { .blending = benchSkins[i], .jointPositions = subject->skin->jointPositions };
		benchActor actor =
		    benchActor_Skinned(subject->mesh, subject->weights, subject->matrices, subject->frameCount, &skin);
		char text[96];
		snprintf(text, sizeof(text), "skin-tightness: %s, %s …", name, benchGetSkinName(benchSkins[i]));
		benchProgress(options, text);
		if (benchTightness_OfSkin(&found, &actor, BENCH_PRUNE, report))
		{
			AddLevelRows(&tables->levels, name, benchSkins[i], &found);
		}
	}
}

static void RunGenerated(
    const benchOptions* options, skinTables* tables, benchReport* report, const sceneCharacter* character)
{
	float matrices[12 * SCENE_MAX_JOINTS];
	const benchSkinning skin = { .jointPositions = character->jointPositions, .targets = &character->targets };
	const benchActor subject = benchActor_Skinned(&character->mesh, &character->weights, matrices, 1, &skin);
	benchAddCharacterRow(
	    &tables->characters, character->name, &subject, "generated; root 2.1 by construction, as theirs");
	sceneCharacter_Contort(character, 1.0, matrices);
	RunSubject(options, tables, report, character->name, &subject);
}

// In the middle of each clip.
static void RunReal(
    const benchOptions* options, skinTables* tables, benchReport* report, const char* directory, const char* name)
{
	benchCharacter character;
	if (!benchCharacter_Load(&character, directory, name, report))
	{
		return;
	}
	if (!character.isPresent)
	{
		benchAddCharacterRow(&tables->characters, name, NULL, "absent: skipped");
		return;
	}
	int poseCount = character.asset.clipCount < MAX_POSES ? (int)character.asset.clipCount : MAX_POSES;
	poseCount = !options->full && poseCount > 2 ? 2 : poseCount;
	float* matrices = benchCharacter_AllocateMatrices(&character, poseCount);
	const benchSkinning skin = { .jointPositions = character.jointPositions, .targets = &character.targets };
	const benchActor subject = benchActor_Skinned(&character.mesh, &character.weights, matrices, poseCount, &skin);
	benchAddCharacterRow(&tables->characters, character.name, &subject, "file: the middle of each clip");
	for (int i = 0; i < poseCount && matrices != NULL; ++i)
	{
		benchCharacter_PoseClip(
		    &character, (uint32_t)i, 1, 0.0, matrices + 12 * (size_t)i * character.weights.transformCount);
	}
	if (matrices == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	else
	{
		RunSubject(options, tables, report, character.name, &subject);
	}
	free(matrices);
	benchCharacter_Free(&character);
}

// ---- The sphere tree's choices -----------------------------------------------------------------------------------

typedef struct variant
{
	const char* rest;
	const char* refit;
	sphereTreeDef def;
} variant;

static const variant variants[] = {
	{ "smallest", "mean", { .prune = 0.0 } },
	{ "smallest", "mean", { .prune = 0.9 } },
	{ "smallest", "mean", { .prune = 0.8 } },
	{ "smallest", "mean", { .prune = 0.7 } },
	{ "smallest", "mean", { .prune = 0.6 } },
	{ "smallest", "mean", { .prune = 0.5 } },
	{ "smallest", "smallest", { .smallestInRefit = true } },
	{ "smallest", "smallest", { .prune = 0.8, .smallestInRefit = true } },
	{ "mean", "mean", { .averageAtRest = true } },
	{ "mean", "mean", { .prune = 0.8, .averageAtRest = true } },
};

/// Two creatures that walk through each other.
typedef struct walk
{
	const sceneCharacter* character;
	benchBody bodies[2];
	snugPair* pairs;
	uint64_t capacity;
	double refitNs; ///< of all nodes of one, per node
	double ratio;   ///< sum of all radii over that of the first variant
	double firstSum;
	benchSamples full, yesNo;
	sphereCounters counters;
	uint64_t found;
} walk;

static snugStatus PoseWalkers(walk* w, sphereBody* spheres[2], int frame)
{
	snugStatus status = snug_success;
	for (int i = 0; i < 2 && status == snug_success; ++i)
	{
		float matrices[12 * SCENE_MAX_JOINTS];
		snugFrame place;
		sceneCharacter_Meet(w->character, i, frame, WALK_FRAMES, matrices, &place);
		status = snugBody_SetJoints(w->bodies[i].body, matrices, 0, w->character->weights.transformCount);
		status = status == snug_success ? snugBody_SetFrame(w->bodies[i].body, &place) : status;
		status = status == snug_success ? sphereBody_Update(spheres[i]) : status;
	}
	return status;
}

// Refit everything, in the contorted pose: what it costs, and how large it comes out.
static snugStatus RefitAll(walk* w, sphereBody* spheres, uint32_t nodeCount)
{
	float matrices[12 * SCENE_MAX_JOINTS];
	double best = INFINITY, sum = 0.0;
	sceneCharacter_Contort(w->character, 1.0, matrices);
	snugStatus status = snugBody_SetJoints(w->bodies[0].body, matrices, 0, w->character->weights.transformCount);
	for (int pass = 0; pass < 5 && status == snug_success; ++pass)
	{
		double start = benchNow();
		status = sphereBody_Update(spheres);
		sum = 0.0;
		for (uint32_t i = 0; i < nodeCount && status == snug_success; ++i)
		{
			sum += sphereBody_Refit(spheres, i).radius;
		}
		best = fmin(best, benchNow() - start);
	}
	w->refitNs = 1e6 * best / (double)nodeCount;
	w->ratio = sum / (double)nodeCount;
	return status;
}

static snugStatus RunWalk(walk* w, sphereBody* spheres[2], int passes)
{
	snugStatus status = snug_success;
	w->full.count = w->yesNo.count = 0;
	w->counters = (sphereCounters){ 0 };
	w->found = 0;
	for (int i = 0; i < passes * WALK_FRAMES && status == snug_success; ++i)
	{
		status = PoseWalkers(w, spheres, i % WALK_FRAMES);
		double start = benchNow();
		uint64_t count =
		    status == snug_success ? sphereCollide(spheres[0], spheres[1], false, w->pairs, w->capacity) : 0;
		benchSamples_Add(&w->full, benchNow() - start);
		for (int k = 0; k < 2 && i < WALK_FRAMES; ++k)
		{
			sphereCounters counters = sphereBody_GetCounters(spheres[k]);
			w->counters.nodesRefitted += counters.nodesRefitted;
			w->counters.volumeTests += counters.volumeTests;
			w->counters.triangleTests += counters.triangleTests;
		}
		w->found += i < WALK_FRAMES ? count : 0;
		status = status == snug_success ? PoseWalkers(w, spheres, i % WALK_FRAMES) : status;
		start = benchNow();
		if (status == snug_success)
		{
			sphereCollide(spheres[0], spheres[1], true, w->pairs, w->capacity);
		}
		benchSamples_Add(&w->yesNo, benchNow() - start);
	}
	return status;
}

static void AddVariantRow(
    benchReport* report, const walk* w, const variant* v, uint32_t nodes, uint32_t levels, double ms)
{
	benchRow* row = benchReport_AddRow(report,
	    "The sphere tree's choices: two creatures walk through each other, spherical; counts are means per frame");
	benchRow_Text(row, "restBalls", v->rest);
	benchRow_Text(row, "refittedBalls", v->refit);
	benchRow_Number(row, "prunedAbove", v->def.prune > 0.0 ? v->def.prune : (double)NAN, 1);
	benchRow_Count(row, "nodes", nodes);
	benchRow_Count(row, "levels", levels);
	benchRow_Number(row, "buildMs", ms, 0);
	benchRow_Number(row, "meanRadius", w->ratio, 4);
	benchRow_Number(row, "refitNsPerNode", w->refitNs, 0);
	benchRow_Number(row, "nodesRefitted", (double)w->counters.nodesRefitted / WALK_FRAMES, 0);
	benchRow_Number(row, "volumeTests", (double)w->counters.volumeTests / WALK_FRAMES, 0);
	benchRow_Number(row, "triangleTests", (double)w->counters.triangleTests / WALK_FRAMES, 0);
	benchRow_Number(row, "fullMs", benchSamples_Median(&w->full), 3);
	benchRow_Number(row, "yesNoMs", benchSamples_Median(&w->yesNo), 3);
	benchRow_Count(row, "pairs", w->found / WALK_FRAMES);
}

static void RunVariant(
    const benchOptions* options, skinTables* tables, benchReport* report, walk* w, const variant* v, uint64_t* expected)
{
	double start = benchNow();
	sphereTree* tree = sphereTree_Create(w->bodies[0].model, &v->def);
	double ms = benchNow() - start;
	sphereBody* spheres[2] = { NULL, NULL };
	for (int i = 0; i < 2 && tree != NULL; ++i)
	{
		spheres[i] = sphereBody_Create(tree, w->bodies[i].body);
	}
	if (spheres[0] == NULL || spheres[1] == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	else
	{
		uint32_t nodeCount = sphereTree_GetNodeCount(tree);
		snugStatus status = RefitAll(w, spheres[0], nodeCount);
		status = status == snug_success ? RunWalk(w, spheres, !options->full ? 1 : 4) : status;
		AddVariantRow(&tables->choices, w, v, nodeCount, sphereTree_GetLevel(tree, nodeCount - 1) + 1, ms);
		*expected = *expected == 0 ? w->found : *expected;
		if (status != snug_success || w->found != *expected)
		{
			benchReport_Fail(report, "variants of the sphere tree disagree: %s", snugGetStatusText(status));
		}
	}
	sphereBody_Destroy(spheres[0]);
	sphereBody_Destroy(spheres[1]);
	sphereTree_Destroy(tree);
}

static void RunVariants(
    const benchOptions* options, skinTables* tables, benchReport* report, const sceneCharacter* character)
{
	const benchSkinning skin = { .blending = snug_blendSpherical, .jointPositions = character->jointPositions };
	walk* w = calloc(1, sizeof(walk));
	uint64_t expected = 0;
	benchProgress(options, "skin-tightness: the sphere tree's choices …");
	if (w == NULL)
	{
		benchReport_Fail(report, "out of memory");
		return;
	}
	w->character = character;
	w->capacity = 100000;
	w->pairs = malloc(w->capacity * sizeof(snugPair));
	if (w->pairs == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	else if (benchBody_CreateSkin(w->bodies, &character->mesh, &character->weights, &skin, report) &&
	         benchBody_CreateLike(w->bodies + 1, w->bodies, snug_strategyAuto, report))
	{
		for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]) && report->failure[0] == '\0'; ++i)
		{
			RunVariant(options, tables, report, w, variants + i, &expected);
		}
	}
	benchBody_Destroy(w->bodies + 1);
	benchBody_Destroy(w->bodies);
	free(w->pairs);
	free(w);
}

void benchSkinTightness(const benchOptions* options, benchReport* report)
{
	skinTables tables = { .characters = { .rowCount = 0 } };
	for (int i = 0; i < SCENE_CHARACTERS && report->failure[0] == '\0'; ++i)
	{
		sceneCharacter character;
		sceneCharacterKind kind = (sceneCharacterKind)(SCENE_CHARACTERS - 1 - i); // the creature first
		if (!sceneCharacter_Create(&character, kind))
		{
			benchReport_Fail(report, "out of memory");
			break;
		}
		RunGenerated(options, &tables, report, &character);
		if (kind == scene_creature && report->failure[0] == '\0')
		{
			RunVariants(options, &tables, report, &character);
		}
		sceneCharacter_Free(&character);
	}
	const char *directory, *name;
	for (int i = 0; report->failure[0] == '\0' && benchFindCharacter(options, i, &directory, &name); ++i)
	{
		RunReal(options, &tables, report, directory, name);
	}
	benchReport_TakeRows(report, &tables.characters);
	benchReport_TakeRows(report, &tables.levels);
	benchReport_TakeRows(report, &tables.choices);
}
