// The distance of two real characters that kick beside each other: on demand after posing, and once more, when all that
// it needs is up to date already, which is as fast as any way of bounding could make it.
#include "bench/character.h"
#include "bench/near.h"
#include "bench/skins.h"
#include "bench/timer.h"
#include "snug/snug_queries.h"

#include <math.h>
#include <stdlib.h>

enum
{
	FRAMES = 37,
	PASSES = 5, // of which the least counts
};

static const char table[] = "Distance of two real characters, mean of all frames in which they are apart";

typedef struct Pair
{
	const benchCharacter* character;
	float* matrices[2]; // (FRAMES), the second later than the first
	snugModel* model;
	snugBody* bodies[2];
	double onDemand[FRAMES], ready[FRAMES], distances[FRAMES]; // milliseconds; metres
	uint64_t tests[FRAMES];                                    // of pairs of triangles
} Pair;

static bool MakePair(Pair* pair, const benchCharacter* character)
{
	*pair = (Pair){ .character = character };
	uint32_t clip = ioAsset_FindClip(&character->asset, "kick");
	clip = clip < character->asset.clipCount ? clip : 0;
	const snugModelDef def = sceneMakeBlendDef(&character->mesh, &character->weights, (snugTreeDef){ 0 });
	bool isGood = snugModel_Create(&def, &pair->model) == snug_success;
	for (int i = 0; i < 2 && isGood; ++i)
	{
		pair->matrices[i] = benchCharacter_AllocateMatrices(character, FRAMES);
		isGood = pair->matrices[i] != NULL &&
		         snugBody_Create(&(snugBodyDef){ .model = pair->model }, pair->bodies + i) == snug_success;
		if (isGood)
		{
			benchCharacter_PoseClip(character, clip, FRAMES, 0.25 * i, pair->matrices[i]);
		}
	}
	if (isGood)
	{
		snugBody_SetFrame(pair->bodies[1], &(snugFrame){ .position = { 0.85, 0.01, 0.32 } });
	}
	return isGood;
}

static void FreePair(Pair* pair)
{
	for (int i = 0; i < 2; ++i)
	{
		snugBody_Destroy(pair->bodies[i]);
		free(pair->matrices[i]);
	}
	snugModel_Destroy(pair->model);
}

static void MeasureFrame(Pair* pair, int frame)
{
	const uint32_t joints = pair->character->weights.transformCount;
	for (int i = 0; i < 2; ++i)
	{
		snugBody_SetJoints(pair->bodies[i], pair->matrices[i] + (size_t)frame * joints * 12, 0, joints);
	}
	const double start = benchNow();
	const snugDistanceResult result = snugFindDistance(pair->bodies[0], pair->bodies[1], NULL);
	const double middle = benchNow();
	snugFindDistance(pair->bodies[0], pair->bodies[1], NULL);
	pair->distances[frame] = result.distance;
	pair->tests[frame] = result.counters.triangleTests;
	pair->onDemand[frame] = fmin(pair->onDemand[frame], middle - start);
	pair->ready[frame] = fmin(pair->ready[frame], benchNow() - middle);
}

static void Report(const Pair* pair, benchReport* report)
{
	double onDemand = 0.0, ready = 0.0, tests = 0.0;
	uint64_t apart = 0;
	for (int f = 0; f < FRAMES; ++f)
	{
		const bool isApart = pair->distances[f] > 0.0;
		onDemand += isApart ? 1e3 * pair->onDemand[f] : 0.0;
		ready += isApart ? 1e3 * pair->ready[f] : 0.0;
		tests += isApart ? (double)pair->tests[f] : 0.0;
		apart += isApart;
	}
	onDemand /= (double)apart;
	ready /= (double)apart;
	tests /= (double)apart;
	benchRow* row = benchReport_AddRow(report, table);
	benchRow_Text(row, "character", pair->character->name);
	benchRow_Count(row, "vertices", pair->character->mesh.vertexCount);
	benchRow_Count(row, "framesApart", apart);
	benchRow_Number(row, "triangleTests", tests, 0);
	benchRow_Number(row, "distanceUs", onDemand, 1);
	benchRow_Number(row, "allUpToDateUs", ready, 1);
	benchReport_AddAim(report, onDemand, 250.0, "two of %s: us of the distance", pair->character->name);
	benchReport_AddAim(report, onDemand - ready, 60.0,
	    "two of %s: us of the distance, less what it takes with all up to date", pair->character->name);
}

void nearRunReal(const benchOptions* options, benchReport* report)
{
	const char *directory, *name;
	benchCharacter character = { .name = NULL };
	if (!benchFindCharacter(options, 0, &directory, &name) || !benchCharacter_Load(&character, directory, name, report))
	{
		return;
	}
	Pair pair = { .character = NULL };
	if (!character.isPresent)
	{
		benchRow* row = benchReport_AddRow(report, table);
		benchRow_Text(row, "character", name);
		benchRow_Text(row, "from", "absent: skipped");
	}
	else if (MakePair(&pair, &character))
	{
		for (int f = 0; f < FRAMES; ++f)
		{
			pair.onDemand[f] = pair.ready[f] = INFINITY;
		}
		for (int pass = 0; pass < (options->quick ? 1 : PASSES); ++pass)
		{
			for (int f = 0; f < FRAMES; ++f)
			{
				MeasureFrame(&pair, f);
			}
		}
		Report(&pair, report);
	}
	else
	{
		benchReport_Fail(report, "no memory for two of %s", name);
	}
	FreePair(&pair);
	benchCharacter_Free(&character);
}
