// A table of `snug bench crowd`: which of many boxes overlap, when all of them change in every frame: the tree of
// scenes against FCL's and Bullet's, on the same boxes in the same run.
#include "scene/broad.h"
#include "lab/bench/bench.h"
#include "lab/bench/peer.h"
#include "lab/bench/timer.h"
#include "lab/scenes/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum Setting
{
	setting_volume,
	setting_huge, // a volume, and one box around it
	setting_floor,
	SETTINGS
} Setting;

#define BROAD_PEERS 2
static const benchBroadPeer* const broadPeers[BROAD_PEERS] = { &benchBroadFcl, &benchBroadBullet };
static const char* const settingNames[SETTINGS] = { "in a volume", "one huge", "on a floor" };

// Boxes that drift and breathe.
typedef struct Boxes
{
	Setting setting;
	uint32_t count;
	double side;
	float* middles;    // (3 count)
	float* velocities; // (3 count)
	float* boxes;      // (6 count): lower, upper
} Boxes;

// Our tree, alone.
typedef struct Ours
{
	sgBroad broad;
	uint8_t* isActive;
	uint64_t found;
} Ours;

static bool MakeBoxes(Boxes* boxes, Setting setting, uint32_t count)
{
	sceneRandom random = { 1 };
	*boxes = (Boxes){ .setting = setting, .count = count };
	boxes->middles = malloc(3 * sizeof(float) * count);
	boxes->velocities = malloc(3 * sizeof(float) * count);
	boxes->boxes = malloc(6 * sizeof(float) * count);
	// On a floor boxes of a character's size stand 1.2 apart; in a volume some three overlap each.
	boxes->side = setting == setting_floor ? 1.2 * sqrt((double)count) : 1.6 * cbrt((double)count);
	for (uint32_t i = 0; boxes->boxes != NULL && boxes->middles != NULL && boxes->velocities != NULL && i < 3 * count;
	     ++i)
	{
		bool isUp = setting == setting_floor && i % 3 == 1;
		boxes->middles[i] = (float)((isUp ? 0.1 : boxes->side) * sceneRandom_Unit(&random));
		boxes->velocities[i] = (float)((isUp ? 0.0 : 0.05) * sceneRandom_Range(&random, -0.5, 0.5));
	}
	return boxes->boxes != NULL && boxes->middles != NULL && boxes->velocities != NULL;
}

static void FreeBoxes(Boxes* boxes)
{
	free(boxes->middles);
	free(boxes->velocities);
	free(boxes->boxes);
}

static void MoveBoxes(Boxes* boxes, int frame)
{
	for (uint32_t i = 0; i < boxes->count; ++i)
	{
		double half = (0.4 + 0.0002 * (i * 7919 % 1000)) * (1.0 + 0.1 * sin(0.3 * frame + i));
		half = boxes->setting == setting_huge && i == 0 ? boxes->side : half;
		for (uint32_t k = 0; k < 3; ++k)
		{
			float* middle = boxes->middles + 3 * (size_t)i + k;
			*middle += boxes->velocities[3 * (size_t)i + k];
			boxes->boxes[6 * (size_t)i + k] = (float)((double)*middle - half);
			boxes->boxes[6 * (size_t)i + 3 + k] = (float)((double)*middle + half);
		}
	}
}

static bool MakeOurs(Ours* ours, uint32_t count)
{
	uint32_t groups = sgBroad_GroupCount(count);
	*ours = (Ours){ .broad = { .capacity = count } };
	ours->broad.order = malloc(count * sizeof(uint32_t));
	ours->broad.places = malloc(count * sizeof(uint32_t));
	ours->broad.groups = aligned_alloc(64, groups * sizeof(sgBoxLanes));
	ours->broad.active = malloc(groups);
	ours->broad.keys = malloc(2 * sizeof(uint64_t) * count);
	ours->isActive = malloc(count);
	bool isMade = ours->broad.order != NULL && ours->broad.places != NULL && ours->broad.groups != NULL &&
	              ours->broad.active != NULL && ours->broad.keys != NULL && ours->isActive != NULL;
	for (uint32_t i = 0; isMade && i < count; ++i)
	{
		ours->isActive[i] = 1;
		sgBroad_Add(&ours->broad, i);
	}
	return isMade;
}

static void FreeOurs(Ours* ours)
{
	free(ours->broad.order);
	free(ours->broad.places);
	free(ours->broad.groups);
	free(ours->broad.active);
	free(ours->broad.keys);
	free(ours->isActive);
}

static void Count(void* context, uint32_t a, uint32_t b)
{
	(void)a;
	(void)b;
	++*(uint64_t*)context;
}

static uint64_t UpdateOurs(Ours* ours, const Boxes* boxes)
{
	uint64_t count = 0;
	const sgBroadBoxes all = { (const sgBox*)(const void*)boxes->boxes, ours->isActive };
	sgBroad_Refit(&ours->broad, &all, sgBroad_LevelCount(&ours->broad));
	const sgBroadSearch search = { &ours->broad, &ours->broad, sgGetKernels(), Count, &count, 0.0f };
	sgBroadSearch_Descend(&search, ours->broad.levels - 1, (sgBroadPair){ 0, 0 });
	return count;
}

// Milliseconds of each method, NaN if it is not there; false if two disagree.
static bool Measure(Boxes* boxes, int frames, double ms[1 + BROAD_PEERS], uint64_t* pairs)
{
	Ours ours;
	void* peers[BROAD_PEERS] = { NULL };
	benchSamples samples[1 + BROAD_PEERS];
	memset(samples, 0, sizeof(samples));
	bool agree = MakeOurs(&ours, boxes->count);
	for (int p = 0; p < BROAD_PEERS; ++p)
	{
		peers[p] = broadPeers[p]->create != NULL ? broadPeers[p]->create(boxes->count) : NULL;
	}
	for (int frame = 0; agree && frame <= frames; ++frame)
	{
		MoveBoxes(boxes, frame);
		for (int p = -1; p < BROAD_PEERS; ++p)
		{
			if (p >= 0 && peers[p] == NULL)
			{
				continue;
			}
			double start = benchNow();
			uint64_t found = p < 0 ? UpdateOurs(&ours, boxes) : broadPeers[p]->update(peers[p], boxes->boxes);
			double end = benchNow();
			*pairs = p < 0 ? found : *pairs;
			agree = agree && found == *pairs;
			if (frame > 0) // the first one builds
			{
				benchSamples_Add(samples + 1 + p, end - start);
			}
		}
	}
	for (int p = 0; p <= BROAD_PEERS; ++p)
	{
		ms[p] = benchSamples_Median(samples + p);
		if (p < BROAD_PEERS && peers[p] != NULL)
		{
			broadPeers[p]->destroy(peers[p]);
		}
	}
	FreeOurs(&ours);
	return agree;
}

static void RunSetting(const benchOptions* options, benchReport* report, Setting setting, uint32_t count)
{
	Boxes boxes;
	double ms[1 + BROAD_PEERS];
	uint64_t pairs = 0;
	if (!MakeBoxes(&boxes, setting, count))
	{
		benchReport_Fail(report, "no memory for %u boxes", count);
	}
	else if (!Measure(&boxes, options->repeats, ms, &pairs))
	{
		benchReport_Fail(report, "%u boxes %s: two methods find different pairs", count, settingNames[setting]);
	}
	FreeBoxes(&boxes);
	if (report->failure[0] != '\0')
	{
		return;
	}
	benchRow* row = benchReport_AddRow(report, "Boxes that overlap, per frame");
	benchRow_Text(row, "boxes", settingNames[setting]);
	benchRow_Count(row, "count", count);
	benchRow_Count(row, "pairs", pairs);
	benchRow_Number(row, "oursMs", ms[0], 3);
	for (int p = 0; p < BROAD_PEERS; ++p)
	{
		benchRow_Number(row, p == 0 ? "fclMs" : "bulletMs", ms[1 + p], 3);
		if (count == 10000)
		{
			benchReport_AddAim(report, ms[0] / ms[1 + p], 1.0, "10,000 boxes %s: ours / %s", settingNames[setting],
			    broadPeers[p]->name);
		}
	}
	if (count == 10000 && setting == setting_floor)
	{
		benchReport_AddAim(report, ms[0], 2.0, "10,000 boxes on a floor, 1.2 apart: ms a frame");
	}
}

void benchBroad(const benchOptions* options, benchReport* report)
{
	static const uint32_t counts[] = { 1000, 10000, 100000 };
	for (int i = 0; i < (options->quick ? 2 : 3); ++i)
	{
		for (int setting = 0; setting < SETTINGS && report->failure[0] == '\0'; ++setting)
		{
			benchProgress(options, "crowd: boxes …");
			RunSetting(options, report, (Setting)setting, counts[i]);
		}
	}
}
