#include "program/versus.h"

#include "bench/embree_peer.h"
#include "bench/timer.h"
#include "program/terminal.h"

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

// ---- Embree ----------------------------------------------------------------------------------------------------

/// Bodies as Embree wants them: positions.
typedef struct posedBodies
{
	cliStage stage;
	float* positions[EMBREE_MAX_BODIES];
	bruteMesh meshes[EMBREE_MAX_BODIES];
	embreePeer* peer;
	cliPair* pairs; ///< of a frame
	snugPair* some; ///< of two bodies
	uint64_t count, capacity, candidates;
} posedBodies;

static bool CreateBodies(posedBodies* b, const cliScene* scene)
{
	*b = (posedBodies){ .positions = { NULL } };
	bool made = cliStage_Create(&b->stage, scene) && cliStage_SetTime(&b->stage, 0.0);
	for (int i = 0; made && i < scene->partCount; ++i)
	{
		const cliPart* part = scene->parts + i;
		b->positions[i] = calloc((size_t)part->vertexCount + 1, 3 * sizeof(float));
		b->meshes[i] = (bruteMesh){ b->positions[i], part->triangles, part->triangleCount };
		made = b->positions[i] != NULL && cliStage_GetVertices(&b->stage, i, b->positions[i]);
	}
	b->peer = made ? embreePeer_Create(b->meshes, scene->partCount, embree_refit) : NULL;
	return b->peer != NULL;
}

static void FreeBodies(posedBodies* b)
{
	embreePeer_Destroy(b->peer);
	for (int i = 0; i < EMBREE_MAX_BODIES; ++i)
	{
		free(b->positions[i]);
	}
	free(b->pairs);
	free(b->some);
	cliStage_Free(&b->stage);
}

static bool IsAsked(const race* r, int a, int b)
{
	return r->options->within || r->scene->parts[a].file != r->scene->parts[b].file;
}

// Deforming all vertices counts, as it does for the others. Returns the milliseconds.
static double TimeEmbree(const race* r, posedBodies* bodies, bool* good)
{
	double start = benchNow();
	bodies->count = 0;
	for (int k = 0; *good && k < r->scene->partCount; ++k)
	{
		*good = cliStage_GetVertices(&bodies->stage, k, bodies->positions[k]);
	}
	embreePeer_Update(bodies->peer);
	for (int a = 0; a < r->scene->partCount; ++a)
	{
		for (int b = a + 1; b < r->scene->partCount; ++b)
		{
			bodies->count += IsAsked(r, a, b) ? embreePeer_Collide(bodies->peer, a, b, NULL, 0) : 0;
		}
	}
	return benchNow() - start;
}

static bool Reserve(posedBodies* b)
{
	if (b->count > b->capacity)
	{
		free(b->pairs);
		free(b->some);
		b->capacity = 2 * b->count;
		b->pairs = malloc((size_t)b->capacity * sizeof(cliPair));
		b->some = malloc((size_t)b->capacity * sizeof(snugPair));
	}
	return b->capacity == 0 || (b->pairs != NULL && b->some != NULL);
}

// The pairs that were counted, sorted, and how many pairs of boxes Embree itself reported.
static bool GatherEmbree(const race* r, posedBodies* bodies)
{
	uint64_t used = 0;
	if (!Reserve(bodies))
	{
		return false;
	}
	bodies->candidates = 0;
	for (int a = 0; a < r->scene->partCount; ++a)
	{
		for (int b = a + 1; b < r->scene->partCount; ++b)
		{
			uint64_t count =
			    IsAsked(r, a, b) ? embreePeer_Collide(bodies->peer, a, b, bodies->some, bodies->capacity) : 0;
			for (uint64_t i = 0; i < count; ++i)
			{
				bodies->pairs[used++] = (cliPair){ { a, b }, bodies->some[i] };
			}
			bodies->candidates += IsAsked(r, a, b) ? embreePeer_CountCandidates(bodies->peer, a, b) : 0;
		}
	}
	qsort(bodies->pairs, (size_t)used, sizeof(cliPair), ComparePairs);
	return used == bodies->count;
}

// Rows: with our test of triangles behind it, and its own answer. What it reports holds what the test leaves of it, so
// that nothing else is missed.
static bool RunEmbreeFrames(race* r, posedBodies* bodies, versusRow* tested, versusRow* plain)
{
	stopwatch watch;
	bool good = true;
	for (int i = 0; good && i < PASSES * r->frames; ++i)
	{
		int frame = i % r->frames;
		good = cliStage_SetTime(&bodies->stage, r->tally->frames[frame].time);
		Note(&watch, i / r->frames, frame, TimeEmbree(r, bodies, &good));
		if (good && i >= (PASSES - 1) * r->frames)
		{
			good = GatherEmbree(r, bodies) && Judge(r, frame, bodies->pairs, bodies->count, tested);
			plain->pairs += bodies->candidates;
		}
	}
	tested->milliseconds = good ? GetMean(&watch, r->frames) : 0.0;
	tested->vertices = plain->vertices = (double)CountVertices(r->scene);
	plain->missed = tested->missed;
	plain->invented = plain->pairs - (tested->pairs - tested->invented);
	return good;
}

static bool RunEmbree(race* r, versusRow* tested, versusRow* plain)
{
	posedBodies bodies;
	snprintf(tested->name, sizeof(tested->name), "everything deformed, Embree %s, our triangle test",
	    embreePeer_GetVersion());
	snprintf(plain->name, sizeof(plain->name), "Embree %s alone: pairs of boxes", embreePeer_GetVersion());
	bool good = CreateBodies(&bodies, r->scene) && RunEmbreeFrames(r, &bodies, tested, plain);
	if (!good)
	{
		cliError("%s", bodies.stage.error.text[0] != '\0' ? bodies.stage.error.text : "Embree: cannot be used here");
	}
	FreeBodies(&bodies);
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
	if (good && embreePeer_IsAvailable() && scene->partCount <= EMBREE_MAX_BODIES && !options->first)
	{
		v->count = 4;
		good = RunEmbree(&r, v->rows + 2, v->rows + 3);
	}
	cliStage_Free(&r.judge);
	cliContacts_Free(&r.truth);
	cliProgress("");
	return good;
}
