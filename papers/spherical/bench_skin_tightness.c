// `snug bench skin-tightness`: Table 1 of spherical-blend-2006.
//
// A pose counts only if the paper's own bound is about as loose on it as published: at the creature's root, for linear
// blending, 2.1 times the optimum. The first table says so.
#include "lab/bench/skins.h"
#include "papers/common/tightness.h"
#include "papers/spherical/sphere_tree.h"

#include <math.h>
#include <stdlib.h>

#define MAX_POSES 16

/// Tables that several characters fill, one after the other in the report.
typedef struct skinTables
{
	benchReport characters, levels;
} skinTables;

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
		sceneCharacter_Free(&character);
	}
	const char *directory, *name;
	for (int i = 0; report->failure[0] == '\0' && benchFindCharacter(options, i, &directory, &name); ++i)
	{
		RunReal(options, &tables, report, directory, name);
	}
	benchReport_TakeRows(report, &tables.characters);
	benchReport_TakeRows(report, &tables.levels);
}
