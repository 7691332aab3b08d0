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

// Every frame twice over: the first time around caches and pages are cold.
static bool RunStrategy(const race* r, snugStrategy strategy, versusRow* row)
{
	cliSceneOptions options = *r->scene->options;
	cliScene scene = *r->scene; // borrows all it has
	cliContacts contacts = { .count = 0 };
	cliStage stage;
	benchSamples samples = { .count = 0 };
	options.strategy = strategy;
	scene.options = &options;
	bool good = cliStage_Create(&stage, &scene);
	for (int i = 0; good && i < 2 * r->frames; ++i)
	{
		const cliTallyFrame* frame = r->tally->frames + i % r->frames;
		good = cliContacts_Find(&contacts, &stage, frame->time, r->options);
		if (good && i >= r->frames)
		{
			benchSamples_Add(&samples, 1e-3 * contacts.microseconds);
			row->vertices += (double)contacts.counters.verticesEvaluated / (double)r->frames;
			row->different += contacts.count != frame->pairs;
		}
	}
	row->milliseconds = benchSamples_Median(&samples);
	if (!good)
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
	uint64_t vertices;
} posedBodies;

static bool CreateBodies(posedBodies* b, const cliScene* scene)
{
	*b = (posedBodies){ .vertices = 0 };
	bool made = cliStage_Create(&b->stage, scene) && cliStage_SetTime(&b->stage, 0.0);
	for (int i = 0; made && i < scene->partCount; ++i)
	{
		const cliPart* part = scene->parts + i;
		b->positions[i] = calloc((size_t)part->vertexCount + 1, 3 * sizeof(float));
		b->meshes[i] = (bruteMesh){ b->positions[i], part->triangles, part->triangleCount };
		b->vertices += part->vertexCount;
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
	benchSamples samples = { .count = 0 };
	bool good = true;
	for (int i = 0; good && i < 2 * r->frames; ++i)
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
		if (i >= r->frames)
		{
			benchSamples_Add(&samples, benchNow() - start);
			row->different += pairs != frame->pairs;
		}
	}
	row->milliseconds = benchSamples_Median(&samples);
	row->vertices = (double)bodies->vertices;
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
	*v = (versus){ .frames = r.frames, .count = 2 };
	for (int i = 0; i < scene->partCount; ++i)
	{
		v->vertices += scene->parts[i].vertexCount;
	}
	snprintf(v->rows[0].name, sizeof(v->rows[0].name), "snug: what touches is deformed");
	snprintf(v->rows[1].name, sizeof(v->rows[1].name), "everything deformed, all bounds refitted");
	cliProgress("measuring ...");
	bool good = RunStrategy(&r, (snugStrategy)scene->options->strategy, v->rows) &&
	            RunStrategy(&r, snug_strategyBottomUp, v->rows + 1);
	if (good && embreePeer_IsAvailable() && scene->partCount <= EMBREE_MAX_BODIES && !options->first)
	{
		versusRow* row = v->rows + v->count++;
		snprintf(row->name, sizeof(row->name), "everything deformed, then Embree %s", embreePeer_GetVersion());
		good = RunEmbree(&r, row);
	}
	cliProgress("");
	return good;
}
