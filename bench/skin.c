// `snug bench skin`: real characters through their clips: how loose bounds are, what refits cost, and two in contact.
//
// A pose counts only if Eq. (12), the papers' own bound, is about as loose at the root as published; how loose it is
// comes first, gentle clips before the others. Files that are not there are said to be absent, and their aims are
// skipped.
#include "bench/skin.h"

#include "bench/tightness.h"
#include "papers/common/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool skinCounts(double limited)
{
	return limited >= 0.9 * SKIN_PAPER_ROOT;
}

// ---- How loose roots are ---------------------------------------------------------------------------------------

// Root radius / optimal in every pose.
static bool MeasureRoots(const skinCharacter* c, snugBound bound, double* ratios, benchReport* report)
{
	const benchBounding how = { .bound = bound, .strategy = snug_strategyOnDemand }; // a front would grow the last root
	uint32_t transformCount = c->body.weights.transformCount;
	benchActor actor = benchActor_Skinned(&c->body.mesh, &c->body.weights, c->matrices, c->poseCount, NULL);
	benchBody body;
	if (!benchBody_CreateSkin(&body, actor.mesh, actor.weights, NULL, &how, report))
	{
		return false;
	}
	for (int i = 0; i < c->poseCount; ++i)
	{
		snugCounters counters = { 0 };
		snugStatus status = snugBody_SetJoints(body.body, benchActor_GetMatrices(&actor, i), 0, transformCount);
		if (status != snug_success)
		{
			benchReport_Fail(report, "%s: cannot pose it: %s", c->body.name, snugGetStatusText(status));
			break;
		}
		sgBox root = sgBody_RootBox(body.body, &counters), optimal = oracleOptimalBox(body.body);
		ratios[i] = benchGetRadius(&root) / benchGetRadius(&optimal);
	}
	benchBody_Destroy(&body);
	return report->failure[0] == '\0';
}

/// Over the frames of one clip.
typedef struct clipLooseness
{
	double mean, greatest;
	int counting; ///< poses
} clipLooseness;

static clipLooseness GetLooseness(const skinCharacter* c, const double* ratios, uint32_t clip)
{
	clipLooseness found = { 0.0, 0.0, 0 };
	for (int f = 0; f < c->framesPerClip; ++f)
	{
		int pose = (int)clip * c->framesPerClip + f;
		found.mean += ratios[pose] / (double)c->framesPerClip;
		found.greatest = fmax(found.greatest, ratios[pose]);
		found.counting += skinCounts(c->limited[pose]);
	}
	return found;
}

static bool PoseAll(skinCharacter* c, int framesPerClip, benchReport* report)
{
	uint32_t clipCount = c->body.asset.clipCount;
	c->framesPerClip = framesPerClip;
	c->poseCount = (int)clipCount * framesPerClip;
	c->matrices = benchCharacter_AllocateMatrices(&c->body, c->poseCount);
	c->limited = calloc((size_t)c->poseCount, sizeof(double));
	c->ours = calloc((size_t)c->poseCount, sizeof(double));
	if (c->matrices == NULL || c->limited == NULL || c->ours == NULL)
	{
		benchReport_Fail(report, "out of memory");
		return false;
	}
	for (uint32_t clip = 0; clip < clipCount; ++clip)
	{
		size_t first = (size_t)clip * (size_t)framesPerClip;
		float* matrices = c->matrices + 12 * first * c->body.weights.transformCount;
		benchCharacter_PoseClip(&c->body, clip, framesPerClip, 0.0, matrices);
	}
	if (!MeasureRoots(c, snug_boundLimited, c->limited, report) || !MeasureRoots(c, snug_boundDefault, c->ours, report))
	{
		return false;
	}
	for (uint32_t clip = 1; clip < clipCount; ++clip)
	{
		bool isLooser = GetLooseness(c, c->limited, clip).mean > GetLooseness(c, c->limited, c->loosest).mean;
		c->loosest = isLooser ? clip : c->loosest;
	}
	return true;
}

float* skinChoosePoses(const skinCharacter* character, int most, int* count)
{
	size_t floats = 12 * (size_t)character->body.weights.transformCount;
	int counting = 0, seen = 0;
	for (int i = 0; i < character->poseCount; ++i)
	{
		counting += skinCounts(character->limited[i]);
	}
	int available = counting > 0 ? counting : character->poseCount, wanted = available < most ? available : most;
	float* matrices = benchCharacter_AllocateMatrices(&character->body, wanted);
	*count = 0;
	for (int i = 0; i < character->poseCount && matrices != NULL; ++i)
	{
		if (counting > 0 && !skinCounts(character->limited[i]))
		{
			continue;
		}
		// Of those available the n-th is taken whenever n * wanted / available reaches another whole number.
		if (seen * wanted / available == *count)
		{
			size_t to = (size_t)(*count)++;
			memcpy(matrices + to * floats, character->matrices + (size_t)i * floats, floats * sizeof(float));
		}
		++seen;
	}
	return matrices;
}

// ---- Report ----------------------------------------------------------------------------------------------------

static void AddCharacterRow(benchReport* report, const benchCharacter* c)
{
	benchRow* row = benchReport_AddRow(report, "The characters");
	benchRow_Text(row, "character", c->name);
	benchRow_Text(row, "file", c->isPresent ? "read" : "absent: skipped");
	if (c->isPresent)
	{
		benchRow_Count(row, "vertices", c->mesh.vertexCount);
		benchRow_Count(row, "triangles", c->mesh.triangleCount);
		benchRow_Count(row, "transforms", c->weights.transformCount);
		benchRow_Number(row, "influencesPerVertex", benchCharacter_GetInfluences(c), 2);
		benchRow_Count(row, "clips", c->asset.clipCount);
		benchRow_Count(row, "morphTargetsAtZero", c->targets.count);
	}
}

// The clips that count, or those that do not.
static void AddRootRows(benchReport* report, const skinCharacter* c, bool isGentle)
{
	for (uint32_t clip = 0; clip < c->body.asset.clipCount; ++clip)
	{
		clipLooseness limited = GetLooseness(c, c->limited, clip), ours = GetLooseness(c, c->ours, clip);
		if (skinCounts(limited.greatest) == isGentle)
		{
			continue;
		}
		benchRow* row =
		    benchReport_AddRow(report, "First, how loose Eq. (12) is at the root: radius / optimal, by clip");
		benchRow_Text(row, "character", c->body.name);
		benchRow_Text(row, "clip", c->body.asset.clips[clip].name);
		benchRow_Text(row, "verdict", isGentle ? "gentle" : "counts");
		benchRow_Count(row, "poses", (uint64_t)c->framesPerClip);
		benchRow_Count(row, "posesThatCount", (uint64_t)limited.counting);
		benchRow_Number(row, "limitedMean", limited.mean, 2);
		benchRow_Number(row, "limitedGreatest", limited.greatest, 2);
		benchRow_Number(row, "paperLinearBlending", SKIN_PAPER_ROOT, 1);
		benchRow_Number(row, "defaultMean", ours.mean, 2);
		benchRow_Number(row, "defaultGreatest", ours.greatest, 2);
	}
}

// In the middle of the clip that the papers' bound finds hardest.
static void RunRefits(benchReport* report, const skinCharacter* c)
{
	double ours = NAN;
	if (c->body.isPresent)
	{
		benchActor actor = benchActor_Skinned(&c->body.mesh, &c->body.weights, c->matrices, c->poseCount, NULL);
		int pose = (int)c->loosest * c->framesPerClip + c->framesPerClip / 2;
		ours = benchBlendRefits(report, c->body.name, actor.mesh, actor.weights, benchActor_GetMatrices(&actor, pose));
	}
	benchReport_AddAim(report, ours, 30.0, "%s: refit of one node, default bound, warm: nanoseconds", c->body.name);
}

static void RunAll(const benchOptions* options, const skinCharacter* characters, benchReport* report)
{
	for (int i = 0; i < 2 * SKIN_CHARACTERS; ++i)
	{
		const skinCharacter* c = characters + i % SKIN_CHARACTERS;
		AddRootRows(report, c, i < SKIN_CHARACTERS);
	}
	skinRunTightness(options, characters, report);
	benchProgress(options, "skin: single nodes …");
	for (int i = 0; i < SKIN_CHARACTERS && report->failure[0] == '\0'; ++i)
	{
		RunRefits(report, characters + i);
	}
	skinRunMeetings(options, characters, report);
}

void benchSkin(const benchOptions* options, benchReport* report)
{
	const char* directory = benchGetModelDirectory(options);
	skinCharacter characters[SKIN_CHARACTERS] = { { .matrices = NULL } };
	for (int i = 0; i < SKIN_CHARACTERS && report->failure[0] == '\0'; ++i)
	{
		skinCharacter* c = characters + i;
		benchProgress(options, "skin: reading characters …");
		if (benchCharacter_Load(&c->body, directory, benchCharacterNames[i], report))
		{
			AddCharacterRow(report, &c->body);
		}
		if (c->body.isPresent)
		{
			PoseAll(c, !options->full ? 7 : 15, report);
		}
	}
	if (report->failure[0] == '\0')
	{
		RunAll(options, characters, report);
	}
	for (int i = 0; i < SKIN_CHARACTERS; ++i)
	{
		benchCharacter_Free(&characters[i].body);
		free(characters[i].matrices);
		free(characters[i].limited);
		free(characters[i].ours);
	}
}
