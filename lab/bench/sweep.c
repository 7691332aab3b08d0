// `snug bench sweep`: two characters on their way from one frame to the next: is it free, and when do they first meet?
//
// Every clip of every real character, all pairs of consecutive frames at 30 Hz, beside a second one that is later in
// the clip, at four distances. Bodies are used as in an animation: the end of a step is the start of the next, and the
// pose that is new is set outside of what is timed. Beside each step, of bodies of their own that are posed anew:
// snugFindDistance at its start, snugCollide at its end.
#include "lab/bench/peer.h"
#include "lab/bench/skins.h"
#include "lab/bench/timer.h"
#include "lab/scenes/random.h"
#include "snug/snug_queries.h"

#include <math.h>
#include <stdlib.h>

#define RATE 30.0
#define MAX_STEPS 4096 // that quantiles are taken of
#define FLIGHTS 200

static const char steps[] = "Consecutive frames of all clips at 30 Hz, two of a character";
static const char flights[] = "Rigid characters that fly past each other, by FCL's continuousCollide";

enum
{
	start,
	end,
	beside, // for what is measured beside the sweep
	ROLES
};

/// Two of a character.
typedef struct Couple
{
	const benchCharacter* character;
	snugModel* model;
	snugBody* bodies[2][ROLES];
	float* matrices[2];
} Couple;

/// A step, and what was asked beside it.
typedef struct Step
{
	double sweepUs, otherUs, nodes;
} Step;

/// Steps of one kind, evenly sampled: every `stride`-th of all.
typedef struct Sample
{
	Step steps[MAX_STEPS];
	int count;
	uint64_t seen, stride;
} Sample;

typedef struct Tally
{
	uint64_t steps, together, free, meets, unsure;
	Sample all, freeSteps, meetSteps; // the last two beside collide at the end and the distance at the start
} Tally;

static bool Make(Couple* couple, const benchCharacter* character)
{
	*couple = (Couple){ .character = character };
	const snugModelDef def = sceneMakeBlendDef(&character->mesh, &character->weights, (snugTreeDef){ 0 });
	bool isGood = snugModel_Create(&def, &couple->model) == snug_success;
	for (int i = 0; i < 2 * ROLES && isGood; ++i)
	{
		isGood =
		    snugBody_Create(&(snugBodyDef){ .model = couple->model }, &couple->bodies[i % 2][i / 2]) == snug_success;
	}
	return isGood;
}

static void Free(Couple* couple)
{
	for (int i = 0; i < 2 * ROLES; ++i)
	{
		snugBody_Destroy(couple->bodies[i % 2][i / 2]);
	}
	snugModel_Destroy(couple->model);
}

static void Pose(const Couple* couple, int role, int frame)
{
	const uint32_t joints = couple->character->weights.transformCount;
	for (int i = 0; i < 2; ++i)
	{
		snugBody_SetJoints(couple->bodies[i][role], couple->matrices[i] + (size_t)frame * joints * 12, 0, joints);
	}
}

// The second is turned, and so far away along x that boxes at the first frame have a gap: a part of the first one's
// width; if it is negative, they overlap.
static void Place(const Couple* couple, double gap)
{
	snugBounds a, b;
	Pose(couple, start, 0);
	const snugFrame turned = { { 0 }, { 0, 1, 0, 0 } };
	snugBody_SetFrame(couple->bodies[1][start], &turned);
	snugBody_GetBounds(couple->bodies[0][start], NULL, &a);
	snugBody_GetBounds(couple->bodies[1][start], NULL, &b);
	const double width = (double)a.upper[0] - (double)a.lower[0];
	const snugFrame frame = { { gap * width + (double)a.upper[0] - (double)b.lower[0], 0.01, 0.02 }, { 0, 1, 0, 0 } };
	for (int role = 0; role < ROLES; ++role)
	{
		snugBody_SetFrame(couple->bodies[1][role], &frame);
	}
}

// Where the array is full, every other step goes.
static void AddStep(Sample* sample, Step step)
{
	sample->stride = sample->stride > 0 ? sample->stride : 1;
	if (sample->count == MAX_STEPS)
	{
		sample->count /= 2;
		sample->stride *= 2;
		for (int i = 0; i < sample->count; ++i)
		{
			sample->steps[i] = sample->steps[2 * i];
		}
	}
	if (sample->seen++ % sample->stride == 0)
	{
		sample->steps[sample->count++] = step;
	}
}

static void MeasureStep(Couple* couple, int frame, Tally* tally)
{
	snugBody* const(*bodies)[ROLES] = (snugBody* const(*)[ROLES])couple->bodies;
	Pose(couple, end, frame + 1);
	double begin = benchNow();
	const snugSweepResult sweep = snugSweep(bodies[0][start], bodies[0][end], bodies[1][start], bodies[1][end], NULL);
	const double sweepUs = 1e3 * (benchNow() - begin);
	Pose(couple, beside, frame);
	begin = benchNow();
	const snugDistanceResult distance = snugFindDistance(bodies[0][beside], bodies[1][beside], NULL);
	const double distanceUs = 1e3 * (benchNow() - begin);
	Pose(couple, beside, frame + 1);
	begin = benchNow();
	const snugResult collide = snugCollide(bodies[0][beside], bodies[1][beside], NULL);
	const double collideUs = 1e3 * (benchNow() - begin);
	++tally->steps;
	const bool isTogether = distance.distance == 0.0;
	tally->together += isTogether;
	tally->free += sweep.answer == snug_sweepFree;
	tally->meets += sweep.answer == snug_sweepMeets && !isTogether;
	tally->unsure += sweep.answer == snug_sweepUnsure;
	AddStep(&tally->all, (Step){ .sweepUs = sweepUs });
	if (!isTogether && sweep.answer == snug_sweepFree)
	{
		const double nodes = (double)sweep.counters.volumeTests / fmax(1.0, (double)collide.counters.volumeTests);
		AddStep(&tally->freeSteps, (Step){ sweepUs, collideUs, nodes });
	}
	else if (!isTogether)
	{
		AddStep(&tally->meetSteps, (Step){ sweepUs, distanceUs, 0.0 });
	}
	for (int i = 0; i < 2; ++i) // the end of this step is the start of the next
	{
		snugBody* swapped = couple->bodies[i][start];
		couple->bodies[i][start] = couple->bodies[i][end];
		couple->bodies[i][end] = swapped;
	}
}

static bool RunClip(Couple* couple, uint32_t clip, const benchOptions* options, Tally* tally)
{
	static const double gaps[] = { -0.5, -0.3, -0.1, 0.1 };
	const double duration = couple->character->asset.clips[clip].duration;
	const int frames = (int)fmin(fmax(duration * RATE, 2.0), options->quick ? 20.0 : 2000.0);
	bool isGood = true;
	for (int i = 0; i < 2 && isGood; ++i)
	{
		couple->matrices[i] = benchCharacter_AllocateMatrices(couple->character, frames);
		isGood = couple->matrices[i] != NULL;
		if (isGood)
		{
			benchCharacter_PoseClip(couple->character, clip, frames, 0.25 * i, couple->matrices[i]);
		}
	}
	for (size_t gap = 0; isGood && gap < sizeof(gaps) / sizeof(gaps[0]); ++gap)
	{
		Place(couple, gaps[gap]);
		for (int frame = 0; frame + 1 < frames; ++frame)
		{
			MeasureStep(couple, frame, tally);
		}
	}
	free(couple->matrices[0]);
	free(couple->matrices[1]);
	return isGood;
}

static double TimeOf(const Step* step)
{
	return step->sweepUs;
}

static double RatioOf(const Step* step)
{
	return step->sweepUs / step->otherUs;
}

static double NodesOf(const Step* step)
{
	return step->nodes;
}

// @param part 0.5: the median
static double Quantile(const Sample* sample, double (*get)(const Step*), double part)
{
	static double values[MAX_STEPS];
	for (int i = 0; i < sample->count; ++i)
	{
		values[i] = get(sample->steps + i);
	}
	qsort(values, (size_t)sample->count, sizeof(double), benchCompareDoubles);
	return sample->count > 0 ? values[(int)(part * (sample->count - 1))] : (double)NAN;
}

static void Report(const char* name, uint32_t vertices, Tally* tally, benchReport* report)
{
	const double unsure = 100.0 * (double)tally->unsure / fmax(1.0, (double)tally->steps);
	const double free = Quantile(&tally->freeSteps, RatioOf, 0.5), meets = Quantile(&tally->meetSteps, RatioOf, 0.5);
	const double nodes = Quantile(&tally->freeSteps, NodesOf, 0.5);
	benchRow* row = benchReport_AddRow(report, steps);
	benchRow_Text(row, "character", name);
	benchRow_Count(row, "vertices", vertices);
	benchRow_Count(row, "steps", tally->steps);
	benchRow_Count(row, "togetherAtStart", tally->together);
	benchRow_Count(row, "free", tally->free);
	benchRow_Count(row, "meet", tally->meets);
	benchRow_Count(row, "unsure", tally->unsure);
	benchRow_Number(row, "p50Us", Quantile(&tally->all, TimeOf, 0.5), 1);
	benchRow_Number(row, "p99Us", Quantile(&tally->all, TimeOf, 0.99), 1);
	benchRow_Number(row, "freePerCollide", free, 2);
	benchRow_Number(row, "nodesPerCollide", nodes, 2);
	benchRow_Number(row, "meetsPerDistance", meets, 2);
	benchReport_AddAim(report, unsure, 1.0, "%s: percent of steps that are unsure", name);
	benchReport_AddAim(report, free, 3.0, "%s: a free step / snugCollide at its end, median", name);
	benchReport_AddAim(report, nodes, 2.0, "%s: node tests of a free step / of snugCollide at its end, median", name);
	benchReport_AddAim(report, meets, 1.0, "%s: a first contact / snugFindDistance at the start, median", name);
}

// ---- Beside FCL --------------------------------------------------------------------------------------------------

static void RunFlights(const benchCharacter* character, int count, benchReport* report)
{
	benchRow* row = benchReport_AddRow(report, flights);
	benchRow_Text(row, "character", character->name);
	benchRow_Text(row, "fcl", benchSweepFcl.version != NULL ? benchSweepFcl.version : "not installed");
	if (benchSweepFcl.version == NULL)
	{
		return;
	}
	const sceneMesh* mesh = &character->mesh;
	const bruteMesh both[2] = { { mesh->positions, mesh->triangles, mesh->triangleCount },
		{ mesh->positions, mesh->triangles, mesh->triangleCount } };
	const snugModelDef def = sceneMesh_MakeDef(mesh, snug_rigid);
	snugModel* model = NULL;
	snugBody* bodies[3] = { NULL };
	void* peer = benchSweepFcl.create(both);
	bool isGood = peer != NULL && snugModel_Create(&def, &model) == snug_success;
	for (int i = 0; i < 3 && isGood; ++i)
	{
		isGood = snugBody_Create(&(snugBodyDef){ .model = model }, bodies + i) == snug_success;
	}
	uint64_t meeting = 0, missed = 0, invented = 0, late = 0;
	double ours = 0.0, theirs = 0.0;
	sceneRandom random = { 1 };
	for (int n = 0; n < count && isGood; ++n)
	{
		snugFrame frames[2] = { { { 0 }, { 0 } }, { { 0 }, { 0 } } };
		for (int k = 0; k < 3; ++k)
		{
			frames[0].position[k] = sceneRandom_Range(&random, -3.0, 3.0);
			frames[1].position[k] = sceneRandom_Range(&random, -3.0, 3.0);
		}
		snugBody_SetFrame(bodies[0], frames);
		snugBody_SetFrame(bodies[1], frames + 1);
		double begin = benchNow();
		const snugSweepResult result = snugSweep(bodies[0], bodies[1], bodies[2], NULL, NULL);
		ours += benchNow() - begin;
		begin = benchNow();
		const double time = benchSweepFcl.sweep(peer, frames[0].position, frames[1].position);
		theirs += benchNow() - begin;
		meeting += result.answer == snug_sweepMeets;
		missed += result.answer == snug_sweepMeets && time > 1.0;
		late += result.answer == snug_sweepMeets && time <= 1.0 && time > result.latest + 1e-6;
		invented += result.answer == snug_sweepFree && time <= 1.0;
	}
	benchRow_Count(row, "flights", (uint64_t)count);
	benchRow_Count(row, "meet", meeting);
	benchRow_Count(row, "fclMissed", missed);
	benchRow_Count(row, "fclLate", late);
	benchRow_Count(row, "fclInvented", invented);
	benchRow_Number(row, "fclUs", 1e3 * theirs / count, 1);
	benchRow_Number(row, "oursUs", 1e3 * ours / count, 1);
	if (peer != NULL)
	{
		benchSweepFcl.destroy(peer);
	}
	for (int i = 0; i < 3; ++i)
	{
		snugBody_Destroy(bodies[i]);
	}
	snugModel_Destroy(model);
}

static void RunCharacter(const benchOptions* options, const benchCharacter* character, benchReport* report)
{
	static Tally tally;
	Couple couple;
	tally = (Tally){ 0 };
	bool isGood = Make(&couple, character);
	for (uint32_t clip = 0; isGood && clip < character->asset.clipCount; ++clip)
	{
		benchProgress(options, character->asset.clips[clip].name);
		isGood = RunClip(&couple, clip, options, &tally);
	}
	benchProgress(options, "");
	Free(&couple);
	if (isGood)
	{
		Report(character->name, character->mesh.vertexCount, &tally, report);
		RunFlights(character, options->quick ? 20 : FLIGHTS, report);
	}
	else
	{
		benchReport_Fail(report, "no memory for two of %s", character->name);
	}
}

void benchSweep(const benchOptions* options, benchReport* report)
{
	const char *directory, *name;
	for (int i = 0; benchFindCharacter(options, i, &directory, &name); ++i)
	{
		benchCharacter character = { .name = NULL };
		if (!benchCharacter_Load(&character, directory, name, report))
		{
			return;
		}
		if (character.isPresent)
		{
			RunCharacter(options, &character, report);
		}
		else
		{
			benchRow* row = benchReport_AddRow(report, steps);
			benchRow_Text(row, "character", name);
			benchRow_Text(row, "from", "absent: skipped");
		}
		benchCharacter_Free(&character);
	}
}
