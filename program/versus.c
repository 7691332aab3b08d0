#include "program/versus.h"

#include "program/terminal.h"
#include "share/clock.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_FRAMES 240

// Frames are measured in order, as an animation has them.
typedef struct race
{
	const cliScene* scene;
	const cliContactOptions* options;
	const cliTally* tally;
	int frames;
	cliStage judge; ///< tells what is right, outside of all times
	cliContacts truth;
} race;

static uint64_t CountVertices(const cliScene* scene)
{
	uint64_t count = 0;
	for (int i = 0; i < scene->partCount; ++i)
	{
		count += scene->parts[i].vertexCount;
	}
	return count;
}

// Frames are measured so often; the least time of each counts, and their mean is the method's. Others on the machine
// can only make it slower.
#define PASSES 3

typedef struct stopwatch
{
	double least[MAX_FRAMES]; ///< milliseconds
} stopwatch;

static void Note(stopwatch* w, int pass, int frame, double milliseconds)
{
	w->least[frame] = pass == 0 || milliseconds < w->least[frame] ? milliseconds : w->least[frame];
}

static double GetMean(const stopwatch* w, int frames)
{
	double sum = 0.0;
	for (int i = 0; i < frames; ++i)
	{
		sum += w->least[i];
	}
	return sum / frames;
}

// ---- Right and wrong -------------------------------------------------------------------------------------------

static int ComparePairs(const void* left, const void* right)
{
	const cliPair *a = left, *b = right;
	const uint32_t x[4] = { (uint32_t)a->bodies[0], (uint32_t)a->bodies[1], a->pair.a, a->pair.b };
	const uint32_t y[4] = { (uint32_t)b->bodies[0], (uint32_t)b->bodies[1], b->pair.a, b->pair.b };
	for (int i = 0; i < 4; ++i)
	{
		if (x[i] != y[i])
		{
			return x[i] < y[i] ? -1 : 1;
		}
	}
	return 0;
}

// Add up what is wrong with the pairs of a frame, which are sorted.
static bool Judge(race* r, int frame, const cliPair* found, uint64_t count, versusRow* row)
{
	const cliContacts* truth = &r->truth;
	uint64_t i = 0, k = 0, common = 0;
	if (!cliContacts_Find(&r->truth, &r->judge, r->tally->frames[frame].time, r->options))
	{
		cliError("%s", r->judge.error.text);
		return false;
	}
	while (i < count && k < truth->count)
	{
		int order = ComparePairs(found + i, truth->pairs + k);
		common += order == 0;
		i += order <= 0;
		k += order >= 0;
	}
	row->pairs += count;
	row->missed += truth->count - common;
	row->invented += count - common;
	return true;
}

// ---- Ours ------------------------------------------------------------------------------------------------------

static bool RunFrames(race* r, cliStage* stage, const cliContactOptions* options, versusRow* row)
{
	cliContacts contacts = { .count = 0 };
	stopwatch watch;
	bool good = true;
	for (int i = 0; good && i < PASSES * r->frames; ++i)
	{
		int frame = i % r->frames;
		good = cliContacts_Find(&contacts, stage, r->tally->frames[frame].time, options);
		Note(&watch, i / r->frames, frame, 1e-3 * contacts.microseconds);
		if (good && i >= (PASSES - 1) * r->frames)
		{
			row->vertices += (double)contacts.counters.verticesEvaluated / (double)r->frames;
			good = Judge(r, frame, contacts.pairs, contacts.count, row);
		}
	}
	row->milliseconds = good ? GetMean(&watch, r->frames) : 0.0;
	cliContacts_Free(&contacts);
	return good;
}

// @param deformAll everything is deformed in every frame, whatever touches
static bool RunOurs(race* r, bool deformAll, versusRow* row)
{
	cliSceneOptions options = *r->scene->options;
	cliContactOptions contactOptions = *r->options;
	cliScene scene = *r->scene; // borrows all it has
	cliStage stage;
	options.strategy = deformAll ? snug_strategyBottomUp : options.strategy;
	contactOptions.refit = deformAll;
	contactOptions.curves = false;
	contactOptions.distances = false;
	scene.options = &options;
	bool good = cliStage_Create(&stage, &scene) && RunFrames(r, &stage, &contactOptions, row);
	row->vertices = deformAll ? (double)CountVertices(r->scene) : row->vertices;
	if (stage.error.text[0] != '\0')
	{
		cliError("%s", stage.error.text);
	}
	cliStage_Free(&stage);
	return good;
}

// ---- Another library -------------------------------------------------------------------------------------------

static const versusPeer* otherLibrary;

void versus_SetPeer(const versusPeer* peer)
{
	otherLibrary = peer;
}

// What it is given, and what it finds.
typedef struct guest
{
	race* race;
	cliStage* stage;
	bruteMesh* meshes; ///< per part, with positions of their own
	void* peer;
	snugPair* pairs; ///< of two bodies
	uint64_t capacity;
	cliPair* all;
	uint64_t allCount, allCapacity;
} guest;

static bool MakeGuest(guest* g)
{
	const cliScene* scene = g->race->scene;
	g->meshes = calloc((size_t)scene->partCount, sizeof(bruteMesh));
	bool made = g->meshes != NULL && cliStage_SetTime(g->stage, g->race->tally->frames[0].time);
	for (int i = 0; made && i < scene->partCount; ++i)
	{
		const cliPart* part = scene->parts + i;
		float* positions = malloc((3 * (size_t)part->vertexCount + 1) * sizeof(float)); // one more: see bench/peer.h
		g->meshes[i] = (bruteMesh){ positions, part->triangles, part->triangleCount };
		made = positions != NULL && cliStage_GetVertices(g->stage, i, positions);
	}
	g->peer = made ? otherLibrary->create(g->meshes, scene->partCount) : NULL;
	return g->peer != NULL;
}

static void FreeGuest(guest* g)
{
	if (g->peer != NULL)
	{
		otherLibrary->destroy(g->peer);
	}
	for (int i = 0; g->meshes != NULL && i < g->race->scene->partCount; ++i)
	{
		free((void*)(uintptr_t)g->meshes[i].positions);
	}
	free(g->meshes);
	free(g->pairs);
	free(g->all);
}

static bool Grow(void** array, uint64_t* capacity, uint64_t needed, size_t size)
{
	void* grown = needed > *capacity ? realloc(*array, (size_t)needed * 2 * size) : *array;
	if (grown == NULL && needed > 0)
	{
		return false;
	}
	*capacity = needed > *capacity ? 2 * needed : *capacity;
	*array = grown;
	return true;
}

static bool AskGuest(guest* g, int a, int b)
{
	uint64_t count = otherLibrary->collide(g->peer, a, b, false, g->pairs, g->capacity);
	void *pairs = g->pairs, *all = g->all;
	bool again = count > g->capacity;
	bool grown = Grow(&pairs, &g->capacity, count, sizeof(snugPair)) &&
	             Grow(&all, &g->allCapacity, g->allCount + count, sizeof(cliPair));
	g->pairs = pairs;
	g->all = all;
	if (!grown)
	{
		return false;
	}
	if (again)
	{
		otherLibrary->collide(g->peer, a, b, false, g->pairs, g->capacity);
	}
	for (uint64_t i = 0; i < count; ++i)
	{
		g->all[g->allCount++] = (cliPair){ { a, b }, g->pairs[i] };
	}
	return true;
}

// All vertices, its trees, all pairs of bodies that are asked about.
static bool RunGuestFrame(guest* g)
{
	const cliScene* scene = g->race->scene;
	bool good = true;
	g->allCount = 0;
	for (int i = 0; good && i < scene->partCount; ++i)
	{
		good = cliStage_GetVertices(g->stage, i, (float*)(uintptr_t)g->meshes[i].positions);
	}
	otherLibrary->update(g->peer);
	for (int b = 1; good && b < scene->partCount; ++b)
	{
		for (int a = 0; good && a < b; ++a)
		{
			bool asked = g->race->options->within || scene->parts[a].file != scene->parts[b].file;
			good = !asked || AskGuest(g, a, b);
		}
	}
	return good;
}

static bool RunPeer(race* r, versusRow* row)
{
	cliStage stage;
	guest g = { .race = r, .stage = &stage };
	stopwatch watch;
	bool good = cliStage_Create(&stage, r->scene) && MakeGuest(&g);
	for (int i = 0; good && i < PASSES * r->frames; ++i)
	{
		int frame = i % r->frames;
		good = cliStage_SetTime(&stage, r->tally->frames[frame].time);
		double start = clockNow();
		good = good && RunGuestFrame(&g);
		Note(&watch, i / r->frames, frame, clockNow() - start + stage.milliseconds);
		if (good && i >= (PASSES - 1) * r->frames)
		{
			if (g.allCount > 0)
			{
				qsort(g.all, (size_t)g.allCount, sizeof(cliPair), ComparePairs);
			}
			good = Judge(r, frame, g.all, g.allCount, row);
		}
	}
	row->milliseconds = good ? GetMean(&watch, r->frames) : 0.0;
	row->vertices = (double)CountVertices(r->scene);
	if (!good)
	{
		cliError("%s: %s", otherLibrary->name, stage.error.text[0] != '\0' ? stage.error.text : "out of memory");
	}
	FreeGuest(&g);
	cliStage_Free(&stage);
	return good;
}

bool versus_Run(versus* v, const cliScene* scene, const cliContactOptions* options, const cliTally* tally)
{
	race r = { scene, options, tally, tally->frameCount < MAX_FRAMES ? (int)tally->frameCount : MAX_FRAMES,
		.truth = { .count = 0 } };
	*v = (versus){ .frames = r.frames, .count = 2, .vertices = CountVertices(scene) };
	snprintf(v->rows[0].name, sizeof(v->rows[0].name), "snug: what touches is deformed");
	snprintf(v->rows[1].name, sizeof(v->rows[1].name), "everything deformed, all bounds refitted");
	cliProgress("measuring ...");
	bool good = cliStage_Create(&r.judge, scene) && RunOurs(&r, false, v->rows) && RunOurs(&r, true, v->rows + 1);
	if (good && otherLibrary != NULL)
	{
		snprintf(v->rows[2].name, sizeof(v->rows[2].name), "%s", otherLibrary->name);
		v->count = 3;
		good = RunPeer(&r, v->rows + 2);
	}
	cliStage_Free(&r.judge);
	cliContacts_Free(&r.truth);
	cliProgress("");
	return good;
}
