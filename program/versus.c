#include "program/versus.h"

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

bool versus_Run(versus* v, const cliScene* scene, const cliContactOptions* options, const cliTally* tally)
{
	race r = { scene, options, tally, tally->frameCount < MAX_FRAMES ? (int)tally->frameCount : MAX_FRAMES };
	*v = (versus){ .frames = r.frames, .count = 2, .vertices = CountVertices(scene) };
	snprintf(v->rows[0].name, sizeof(v->rows[0].name), "snug: what touches is deformed");
	snprintf(v->rows[1].name, sizeof(v->rows[1].name), "everything deformed, all bounds refitted");
	cliProgress("measuring ...");
	bool good = RunOurs(&r, false, v->rows) && RunOurs(&r, true, v->rows + 1);
	cliProgress("");
	return good;
}
