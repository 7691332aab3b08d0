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

// @param deformAll everything is deformed in every frame, whatever touches
static bool RunOurs(const race* r, bool deformAll, versusRow* row)
{
	cliSceneOptions options = *r->scene->options;
	cliContactOptions contactOptions = *r->options;
	cliScene scene = *r->scene; // borrows all it has
	cliContacts contacts = { .count = 0 };
	cliStage stage;
	stopwatch watch;
	options.strategy = deformAll ? snug_strategyBottomUp : options.strategy;
	contactOptions.refit = deformAll;
	scene.options = &options;
	bool good = cliStage_Create(&stage, &scene);
	for (int i = 0; good && i < PASSES * r->frames; ++i)
	{
		const cliTallyFrame* frame = r->tally->frames + i % r->frames;
		good = cliContacts_Find(&contacts, &stage, frame->time, &contactOptions);
		Note(&watch, i / r->frames, i % r->frames, 1e-3 * contacts.microseconds);
		if (good && i >= (PASSES - 1) * r->frames)
		{
			row->vertices += (double)contacts.counters.verticesEvaluated / (double)r->frames;
			row->different += contacts.count != frame->pairs;
		}
	}
	if (good)
	{
		row->milliseconds = GetMean(&watch, r->frames);
		row->vertices = deformAll ? (double)CountVertices(r->scene) : row->vertices;
	}
	else
	{
		cliError("%s", stage.error.text);
	}
	cliContacts_Free(&contacts);
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
	return made;
}

static void FreeBodies(posedBodies* b)
{
	for (int i = 0; i < EMBREE_MAX_BODIES; ++i)
	{
		free(b->positions[i]);
	}
	cliStage_Free(&b->stage);
}

static uint64_t CollideAll(const race* r, embreePeer* peer)
{
	uint64_t pairs = 0;
	for (int a = 0; a < r->scene->partCount; ++a)
	{
		for (int b = a + 1; b < r->scene->partCount; ++b)
		{
			bool asked = r->options->within || r->scene->parts[a].file != r->scene->parts[b].file;
			pairs += asked ? embreePeer_Collide(peer, a, b, NULL, 0) : 0;
		}
	}
	return pairs;
}

// Deforming all vertices counts, as it does for the others.
static bool RunEmbreeFrames(const race* r, posedBodies* bodies, embreePeer* peer, versusRow* row)
{
	stopwatch watch;
	bool good = true;
	for (int i = 0; good && i < PASSES * r->frames; ++i)
	{
		const cliTallyFrame* frame = r->tally->frames + i % r->frames;
		good = cliStage_SetTime(&bodies->stage, frame->time);
		double start = benchNow();
		for (int k = 0; good && k < r->scene->partCount; ++k)
		{
			good = cliStage_GetVertices(&bodies->stage, k, bodies->positions[k]);
		}
		embreePeer_Update(peer);
		uint64_t pairs = CollideAll(r, peer);
		Note(&watch, i / r->frames, i % r->frames, benchNow() - start);
		row->different += i < r->frames && pairs != frame->pairs;
	}
	row->milliseconds = good ? GetMean(&watch, r->frames) : 0.0;
	row->vertices = (double)CountVertices(r->scene);
	return good;
}

static bool RunEmbree(const race* r, versusRow* row)
{
	posedBodies bodies;
	embreePeer* peer = NULL;
	bool good = CreateBodies(&bodies, r->scene);
	if (good)
	{
		peer = embreePeer_Create(bodies.meshes, r->scene->partCount, embree_refit);
		good = peer != NULL && RunEmbreeFrames(r, &bodies, peer, row);
	}
	embreePeer_Destroy(peer);
	if (!good)
	{
		cliError("%s", bodies.stage.error.text[0] != '\0' ? bodies.stage.error.text : "Embree: cannot be used here");
	}
	FreeBodies(&bodies);
	return good;
}

bool versus_Run(versus* v, const cliScene* scene, const cliContactOptions* options, const cliTally* tally)
{
	race r = { scene, options, tally, tally->frameCount < MAX_FRAMES ? (int)tally->frameCount : MAX_FRAMES };
	*v = (versus){ .frames = r.frames, .count = 2, .vertices = CountVertices(scene) };
	snprintf(v->rows[0].name, sizeof(v->rows[0].name), "snug: what touches is deformed");
	snprintf(v->rows[1].name, sizeof(v->rows[1].name), "everything deformed, all bounds refitted");
	cliProgress("measuring ...");
	bool good = RunOurs(&r, false, v->rows) && RunOurs(&r, true, v->rows + 1);
	if (good && embreePeer_IsAvailable() && scene->partCount <= EMBREE_MAX_BODIES && !options->first)
	{
		versusRow* row = v->rows + v->count++;
		snprintf(row->name, sizeof(row->name), "everything deformed, then Embree %s", embreePeer_GetVersion());
		good = RunEmbree(&r, row);
	}
	cliProgress("");
	return good;
}
