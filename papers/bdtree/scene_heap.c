#include "papers/bdtree/scene_heap.h"

#include "lab/bench/machine.h"
#include "lab/bench/plot.h"
#include "lab/bench/threads.h"
#include "lab/bench/timer.h"
#include "papers/bdtree/bridge.h"
#include "papers/bdtree/chairs.h"
#include "papers/bdtree/heap_recording.h"
#include "program/pictures/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_THREADS 64
#define DEFAULT_FRAMES 90 // in which chairs come to lie
#define LEVEL 6           // of spheres that are shown by growth

/// What came of a frame; from pairs on, means of its steps.
typedef struct heapFrame
{
	double time, kinetic, modal;
	double pairs, contacts, ground, tests, updates, ms;
} heapFrame;

typedef struct heapKind heapKind;

struct heap
{
	const heapKind* kind;
	simChair chair;
	simShower shower;
	simWorld* world;
	simWorld chairs;
	benchThreads* threads; ///< null: one is enough
	heapFrame* frames;
	int frameCount, frameCapacity;
	heapRecorder* recorder;
};

/// A scene: how it is made and moved, and how it is shown.
struct heapKind
{
	const char *name, *title, *what;
	uint32_t bodyCount;
	int stepsPerFrame;
	bool (*create)(heap*, const heapDef*, uint32_t bodyCount, simError*);
	bool (*step)(heap*, simError*);
	void (*release)(heap*);
	recordedView (*look)(const heap*);
};

// ---- Scenes ----------------------------------------------------------------------------------------------------

static snugWorkers ThreadsOf(const heap* h)
{
	return (snugWorkers){ h->threads != NULL ? benchThreads_Run : NULL, h->threads };
}

static bool CreateChairs(heap* h, const heapDef* def, uint32_t bodyCount, simError* error)
{
	h->world = &h->chairs;
	const simChairsDef chairsDef = { .chair = &h->chair,
		.count = bodyCount,
		.kind = (simChairsKind)def->kind,
		.seed = (uint64_t)def->seed + 1,
		.workers = ThreadsOf(h) };
	return simChair_Create(&h->chair, error) && simChairs_Create(&h->chairs, &chairsDef, error);
}

static bool StepChairs(heap* h, simError* error)
{
	return simWorld_Step(&h->chairs, error);
}

static void ReleaseChairs(heap* h)
{
	simWorld_Free(&h->chairs);
	simChair_Free(&h->chair);
}

static bool CreateBridge(heap* h, const heapDef* def, uint32_t bodyCount, simError* error)
{
	const simShowerDef showerDef = { .fishCount = bodyCount, .seed = (uint64_t)def->seed + 1, .workers = ThreadsOf(h) };
	h->world = &h->shower.world;
	return simShower_Create(&h->shower, &showerDef, error);
}

static bool StepBridge(heap* h, simError* error)
{
	return simShower_Step(&h->shower, error);
}

static void ReleaseBridge(heap* h)
{
	simShower_Free(&h->shower);
}

// The ground, the heap, which is wider than what falls, and all of the fall, or much of it where that is very high.
static recordedView LookAtChairs(const heap* h)
{
	uint32_t count = h->chairs.def.bodies;
	float wide = (float)simChairs_GetWidth(count), tall = fminf((float)simChairs_GetHeight(count), 1.5f * wide + 1.0f);
	float size = fmaxf(tall, 1.6f * wide);
	return (recordedView){ { 0.66f * size, 0.75f * size, 1.18f * size }, { 0.0f, 0.28f * tall, 0.0f },
		{ 0.0f, 1.0f, 0.0f }, 42.0f, 16.0f / 10.0f, 0.0f, size };
}

// All of it, along it, so that its sway is seen, and fish at the near end.
static recordedView LookAtBridge(const heap* h)
{
	(void)h;
	return (recordedView){ { 41.5f, 12.5f, 17.5f }, { 8.0f, -1.3f, -4.5f }, { 0.0f, 1.0f, 0.0f }, 42.0f, 16.0f / 10.0f,
		-12.0f, 50.0f };
}

static const heapKind kinds[] = {
	{ "chairs", "chairs on a heap", "Plastic chairs fall on a heap and vibrate in ten modes each.", 64,
	    SIM_CHAIRS_STEPS, CreateChairs, StepChairs, ReleaseChairs, LookAtChairs },
	{ "bridge", "a bridge showered with fish",
	    "A bridge sways in the wind, and fish fall on it, up to two per step, where there is room for them.", 200,
	    SIM_SHOWER_STEPS, CreateBridge, StepBridge, ReleaseBridge, LookAtBridge },
};

static const heapKind* FindKind(const char* name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i)
	{
		if (strcmp(kinds[i].name, name) == 0)
		{
			return &kinds[i];
		}
	}
	return NULL;
}

bool heap_Has(const char* name)
{
	return FindKind(name) != NULL;
}

// What is seen of it: fewer triangles the more bodies there are.
static heapScene GetScene(heap* h)
{
	uint32_t bodies = h->world->def.bodies, coarser = bodies <= 100 ? 4 : bodies <= 400 ? 6 : 16;
	if (h->world == &h->chairs)
	{
		const heapMesh chair = { &h->chair.mesh, sceneMakeChair(coarser), h->chair.shape.positions, SIM_CHAIRS_MODES,
			h->chair.fields };
		return (heapScene){ .world = h->world, .body = chair };
	}
	const simShower* s = &h->shower;
	const heapMesh fish = { &s->fishMesh, simMakeFinnedFish(coarser, NULL), s->fish.positions, SIM_SHOWER_MODES,
		s->fishFields };
	const heapMesh bridge = { &s->bridgeMesh, sceneMakeBridge(4), s->sway.rest, s->sway.fieldCount, s->sway.fields };
	return (heapScene){ h->world, fish, bridge, s->amplitudes };
}

heap* heap_Create(const heapDef* def, simError* error)
{
	int frames = def->frames > 0 ? def->frames : DEFAULT_FRAMES;
	heap* h = calloc(1, sizeof(heap));
	const heapKind* kind = FindKind(def->name);
	if (h == NULL || kind == NULL)
	{
		free(h);
		simError_SetMemory(error);
		return NULL;
	}
	h->kind = kind;
	h->frameCapacity = frames;
	h->frames = calloc((size_t)frames, sizeof(heapFrame));
	uint32_t count = def->bodyCount > 0 ? (uint32_t)def->bodyCount : kind->bodyCount;
	bool good = h->frames != NULL || simError_SetMemory(error);
	good = good && (count <= 20000 || simError_Set(error, "--bodies must be at most 20000"));
	good = good && (def->threads <= MAX_THREADS || simError_Set(error, "--threads must be at most %d", MAX_THREADS));
	h->threads = good && def->threads > 1 ? benchThreads_Create(def->threads - 1) : NULL;
	good = good && (def->threads <= 1 || h->threads != NULL || simError_Set(error, "threads cannot be started"));
	good = good && kind->create(h, def, count, error);
	if (good)
	{
		heapScene scene = GetScene(h);
		h->recorder = heapRecorder_Create(&scene);
		good = h->recorder != NULL || simError_SetMemory(error);
	}
	if (!good)
	{
		heap_Destroy(h);
		return NULL;
	}
	return h;
}

int heap_GetGoal(const heap* h)
{
	return h->frameCapacity;
}

void heap_Destroy(heap* h)
{
	heapRecorder_Destroy(h->recorder);
	h->kind->release(h);
	benchThreads_Destroy(h->threads);
	free(h->frames);
	free(h);
}

// ---- Frames ----------------------------------------------------------------------------------------------------

static void AddStep(heapFrame* f, const simCounts* counts, double ms, int steps)
{
	f->pairs += (double)counts->pairs / steps;
	f->contacts += (double)counts->contacts / steps;
	f->ground += (double)counts->groundContacts / steps;
	f->tests += (double)counts->sphereTests / steps;
	f->updates += (double)counts->spheresUpdated / steps;
	f->ms += ms / steps;
}

bool heap_RunFrame(heap* h, simError* error)
{
	if (h->frameCount == h->frameCapacity)
	{
		return simError_Set(error, "more frames than were asked for");
	}
	heapFrame* f = h->frames + h->frameCount;
	int steps = h->kind->stepsPerFrame;
	for (int i = 0; i < steps; ++i)
	{
		double start = benchNow();
		if (!h->kind->step(h, error))
		{
			return false;
		}
		AddStep(f, &h->world->counts, benchNow() - start, steps);
	}
	simWorldEnergy energy = simWorld_GetEnergy(h->world);
	f->kinetic = energy.kinetic;
	f->modal = energy.modal;
	f->time = (double)h->world->stepCount * h->world->def.step;
	const simCounts* last = &h->world->counts;
	bool good = heapRecorder_AddFrame(h->recorder, h->frameCount, f->time, last->contacts + last->groundContacts);
	++h->frameCount;
	return good || simError_SetMemory(error);
}

// ---- Tables ----------------------------------------------------------------------------------------------------

void heap_PrintHead(const heap* h, FILE* stream)
{
	fprintf(stream, "%u bodies, %d steps per frame; numbers are per step\n\n", h->world->def.bodies,
	    h->kind->stepsPerFrame);
	fprintf(stream, "%5s %7s %9s %7s %6s %8s %8s %8s %8s %7s\n", "frame", "time", "kinetic", "modal", "pairs",
	    "contacts", "ground", "tests", "updates", "ms");
}

// Rounded up, so that nothing is nothing.
void heap_PrintRow(const heap* h, FILE* stream)
{
	const heapFrame* f = h->frames + h->frameCount - 1;
	fprintf(stream, "%5d %7.3f %9.4g %7.3g %6.0f %8.0f %8.0f %8.0f %8.0f %7.2f\n", h->frameCount - 1, f->time,
	    f->kinetic, f->modal, ceil(f->pairs), ceil(f->contacts), ceil(f->ground), ceil(f->tests), ceil(f->updates),
	    f->ms);
	fflush(stream);
}

void heap_PrintSummary(const heap* h, FILE* stream)
{
	double ms = 0.0, events = 0.0;
	for (int i = 0; i < h->frameCount; ++i)
	{
		ms += h->frames[i].ms * h->kind->stepsPerFrame;
		events += (h->frames[i].contacts + h->frames[i].ground) * h->kind->stepsPerFrame;
	}
	fprintf(stream, "\n%d steps, %.4g contacts, %.1f s of work; the world is at step %llu\n\n",
	    h->frameCount * h->kind->stepsPerFrame, events, 1e-3 * ms, (unsigned long long)h->world->stepCount);
}

// ---- Page ------------------------------------------------------------------------------------------------------

static void PrintRecording(const heap* h, FILE* stream)
{
	recordedView view = h->kind->look(h);
	const recordingDef def = { .id = h->kind->name, .what = h->kind->title, .view = &view, .unit = "contact" };
	fprintf(stream,
	    "<p>%s Here: %u bodies. What lies in contact spheres that overlap another body's is <span "
	    "class=\"red\">red</span> and outlined. Bodies are simulated with all of their triangles, and drawn with "
	    "fewer%s.</p>\n",
	    h->kind->what, h->world->def.bodies, h->world->def.bodies > 256 ? ", and rigid" : "");
	bool printed = heapRecorder_Print(h->recorder, &def, stream);
	fprintf(stream,
	    "<h2>Spheres</h2>\n<p>Of the body with the most neighbours, in its last pose: <b>contact spheres</b>, which "
	    "are "
	    "<span style=\"color:#c23b22\">red</span> if a query looked at them in the last step, which updates them; and "
	    "spheres of <b>level %d</b> by growth, from <span style=\"color:#3a63c8\">blue</span>, as at rest, to <span "
	    "style=\"color:#c23b22\">red</span>, 1.44 times the radius and above%s.</p>\n",
	    LEVEL, h->world->def.stage != NULL ? ". The same of the <b>bridge</b> on the right" : "");
	printed = heapPrintSpheres(h->world, LEVEL, stream) && printed;
	if (!printed)
	{
		fputs("<p>There was no memory for what was recorded.</p>\n", stream);
	}
}

static void PrintPlots(const heap* h, FILE* stream)
{
	double* values = malloc((size_t)h->frameCount * 5 * sizeof(double));
	if (values == NULL)
	{
		return;
	}
	size_t n = (size_t)h->frameCount;
	for (size_t i = 0; i < n; ++i)
	{
		const heapFrame* f = h->frames + i;
		values[i] = f->contacts + f->ground;
		values[n + i] = f->kinetic;
		values[2 * n + i] = f->ms;
		values[3 * n + i] = f->tests;
		values[4 * n + i] = f->updates;
	}
	plotLines contacts = { .title = "Contacts per step", .unit = "", .count = h->frameCount, .seriesCount = 1 };
	plotLines energy = { .title = "Energy", .unit = "J", .count = h->frameCount, .seriesCount = 1 };
	plotLines work = { .title = "Work per step", .unit = "ms", .count = h->frameCount, .seriesCount = 1 };
	plotLines spheres = { .title = "Spheres per step", .unit = "", .count = h->frameCount, .seriesCount = 2 };
	contacts.series[0] = (plotSeries){ "contacts", "#d42a1f", values };
	energy.series[0] = (plotSeries){ "kinetic", "#2f6fb5", values + n };
	work.series[0] = (plotSeries){ "milliseconds", "#3b7d3f", values + 2 * n };
	spheres.series[0] = (plotSeries){ "tests", "#777", values + 3 * n };
	spheres.series[1] = (plotSeries){ "updates", "#c77d0a", values + 4 * n };
	fputs("<h2>Frame by frame</h2>\n<div class=\"plots\">\n", stream);
	plotLines_Print(&contacts, stream);
	plotLines_Print(&spheres, stream);
	plotLines_Print(&energy, stream);
	plotLines_Print(&work, stream);
	fputs("</div>\n", stream);
	free(values);
}

void heap_PrintPage(const heap* h, FILE* stream)
{
	benchMachine machine = benchGetMachine();
	char title[64];
	snprintf(title, sizeof(title), "snug: %s", h->kind->title);
	htmlBegin(stream, title, "Modal bodies in contact at spheres of their trees.");
	if (h->frameCount > 0)
	{
		PrintRecording(h, stream);
		PrintPlots(h, stream);
	}
	fprintf(stream, "<footer>snug %s, %s kernels. After James, Pai 2004.</footer>\n", machine.version,
	    machine.instructionSet);
	htmlPrintViewer(stream);
	htmlEnd(stream);
}

// ---- States ----------------------------------------------------------------------------------------------------

void heap_WriteState(const heap* h, FILE* stream)
{
	fprintf(stream, "snug scene %s 3\n", h->kind->name);
	simWorld_Write(h->world, stream);
}

bool heap_ReadState(heap* h, FILE* stream, simError* error)
{
	char name[16] = "";
	int version = 0;
	if (fscanf(stream, "snug scene %15s %d", name, &version) != 2 || version != 3)
	{
		return simError_Set(error, "this is no state of a scene, or one of another version of snug");
	}
	if (strcmp(name, h->kind->name) != 0)
	{
		return simError_Set(error, "this is a state of the scene '%s'", name);
	}
	bool isBridge = h->world == &h->shower.world;
	return isBridge ? simShower_Read(&h->shower, stream, error) : simWorld_Read(h->world, stream, error);
}
