#include "papers/bdtree/scene_heap.h"

#include "lab/bench/machine.h"
#include "lab/bench/plot.h"
#include "lab/bench/threads.h"
#include "lab/bench/timer.h"
#include "papers/bdtree/bridge.h"
#include "papers/bdtree/chairs.h"
#include "papers/bdtree/heap_pictures.h"
#include "program/pictures/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_THREADS 64
#define DEFAULT_FRAMES 60
#define PICTURES 12 // large ones, evenly in time

/// What came of a frame; counts are per step.
typedef struct heapFrame
{
	double time, kinetic, modal, ms;
	simCounts counts;
	heapImage image;
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
	int frameCount, frameCapacity, firstStep;
	heapImage details[3]; ///< spheres by growth, and which were updated; the last of the stage
	bool hasDetails;
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
	heapView view;
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

static const heapKind kinds[] = {
	{ "chairs", "chairs on a heap",
	    "Plastic chairs fall on a heap and vibrate in ten modes each. Contact spheres are "
	    "<span style=\"color:#d42a1f;font-weight:600\">red</span>.",
	    64, SIM_CHAIRS_STEPS, CreateChairs, StepChairs, ReleaseChairs,
	    { { 4.5f, 4.0f, 7.5f }, { 0.0f, 0.9f, 0.0f }, { 0.0f, 1.0f, 0.0f }, 0.0f, 0.025f, 6 } },
	{ "bridge", "a bridge showered with fish",
	    "A bridge sways in the wind, and fish fall on it, two per step. Contact spheres are "
	    "<span style=\"color:#d42a1f;font-weight:600\">red</span>.",
	    200, SIM_SHOWER_STEPS, CreateBridge, StepBridge, ReleaseBridge,
	    { { 22.0f, 14.0f, 26.0f }, { 0.0f, 2.0f, 0.0f }, { 0.0f, 1.0f, 0.0f }, -12.0f, 0.12f, 6 } },
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
	if (!good || !kind->create(h, def, count, error))
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
	for (int i = 0; i < h->frameCount; ++i)
	{
		free(h->frames[i].image.png);
	}
	for (int i = 0; i < 3; ++i)
	{
		free(h->details[i].png);
	}
	h->kind->release(h);
	benchThreads_Destroy(h->threads);
	free(h->frames);
	free(h);
}

// ---- Frames ----------------------------------------------------------------------------------------------------

static void AddCounts(simCounts* sum, const simCounts* counts, uint64_t steps)
{
	sum->candidates += counts->candidates / steps;
	sum->pairs += counts->pairs / steps;
	sum->contacts += counts->contacts / steps;
	sum->groundContacts += counts->groundContacts / steps;
	sum->sphereTests += counts->sphereTests / steps;
	sum->spheresUpdated += counts->spheresUpdated / steps;
	sum->limited += counts->limited;
	sum->deepest = fmax(sum->deepest, counts->deepest);
}

static heapScene GetScene(heap* h)
{
	bool isBridge = h->world == &h->shower.world;
	heapScene scene = { .world = h->world, .view = &h->kind->view };
	const sceneMesh* mesh = isBridge ? &h->shower.fishMesh : &h->chair.mesh;
	scene.triangles = mesh->triangles;
	scene.triangleCount = mesh->triangleCount;
	scene.vertexCount = mesh->vertexCount;
	if (isBridge)
	{
		scene.stage = h->shower.stage.spheres;
		scene.stageBody = h->shower.bridge;
		scene.stageMesh = &h->shower.bridgeMesh;
	}
	return scene;
}

static bool TakePictures(heap* h, heapFrame* f, simError* error)
{
	int every = h->frameCapacity / PICTURES > 0 ? h->frameCapacity / PICTURES : 1;
	bool isLast = h->frameCount == h->frameCapacity - 1;
	heapScene scene = GetScene(h);
	bool good = true;
	if (isLast)
	{
		good = heapDrawDetails(&scene, h->details);
		h->hasDetails = good;
	}
	if (good && (h->frameCount % every == every - 1 || isLast))
	{
		good = heapDraw(&scene, &f->image);
	}
	return good || simError_SetMemory(error);
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
		f->ms += (benchNow() - start) / steps;
		AddCounts(&f->counts, &h->world->counts, (uint64_t)steps);
	}
	simWorldEnergy energy = simWorld_GetEnergy(h->world);
	f->kinetic = energy.kinetic;
	f->modal = energy.modal;
	f->time = (double)h->world->stepCount * h->world->def.step;
	bool good = TakePictures(h, f, error);
	++h->frameCount;
	return good;
}

// ---- Tables ----------------------------------------------------------------------------------------------------

void heap_PrintHead(const heap* h, FILE* stream)
{
	fprintf(stream, "%u bodies, %d steps per frame; numbers are per step\n\n", h->world->def.bodies,
	    h->kind->stepsPerFrame);
	fprintf(stream, "%5s %7s %9s %7s %6s %8s %8s %8s %8s %7s\n", "frame", "time", "kinetic", "modal", "pairs",
	    "contacts", "ground", "tests", "updates", "ms");
}

void heap_PrintRow(const heap* h, FILE* stream)
{
	const heapFrame* f = h->frames + h->frameCount - 1;
	const simCounts* c = &f->counts;
	fprintf(stream, "%5d %7.3f %9.4g %7.3g %6llu %8llu %8llu %8llu %8llu %7.2f\n", h->frameCount - 1, f->time,
	    f->kinetic, f->modal, (unsigned long long)c->pairs, (unsigned long long)c->contacts,
	    (unsigned long long)c->groundContacts, (unsigned long long)c->sphereTests,
	    (unsigned long long)c->spheresUpdated, f->ms);
	fflush(stream);
}

void heap_PrintSummary(const heap* h, FILE* stream)
{
	double ms = 0.0, events = 0.0;
	for (int i = 0; i < h->frameCount; ++i)
	{
		ms += h->frames[i].ms * h->kind->stepsPerFrame;
		events += (double)((h->frames[i].counts.contacts + h->frames[i].counts.groundContacts) *
		                   (uint64_t)h->kind->stepsPerFrame);
	}
	fprintf(stream, "\n%d steps, %.4g contacts, %.1f s of work; the world is at step %llu\n\n",
	    h->frameCount * h->kind->stepsPerFrame, events, 1e-3 * ms, (unsigned long long)h->world->stepCount);
}

// ---- Page ------------------------------------------------------------------------------------------------------

static void PrintImage(FILE* stream, const heapImage* image, const char* caption)
{
	if (image->png == NULL)
	{
		return;
	}
	fputs("<figure><img alt=\"\" src=\"data:image/png;base64,", stream);
	htmlBase64(stream, image->png, image->bytes);
	fprintf(stream, "\"><figcaption>%s</figcaption></figure>\n", caption);
}

static void PrintShots(const heap* h, FILE* stream)
{
	fprintf(stream, "<h2>What happens</h2>\n<p>%s</p>\n<div class=\"shots\">\n", h->kind->what);
	for (int i = 0; i < h->frameCount; ++i)
	{
		const heapFrame* f = h->frames + i;
		char caption[160];
		snprintf(caption, sizeof(caption),
		    "<b>%.2f s</b> · %llu contacts per step · %llu bodies and %llu triangles not drawn", f->time,
		    (unsigned long long)(f->counts.contacts + f->counts.groundContacts),
		    (unsigned long long)f->image.culledBodies, (unsigned long long)f->image.culledTriangles);
		PrintImage(stream, &f->image, caption);
	}
	fputs("</div>\n", stream);
}

static void PrintDetails(const heap* h, FILE* stream)
{
	fputs("<h2>Spheres</h2>\n<p>Spheres of a body in contact, in its last pose. By growth: "
	      "<span style=\"color:#3a63c8\">blue</span> as at rest, <span style=\"color:#c23b22\">red</span> at 1.44 "
	      "times the "
	      "radius and above. Updated: <span style=\"color:#c23b22\">red</span> are contact spheres that a query looked "
	      "at in "
	      "the last step, which updates them; all others are as they were when last looked at.</p>\n<div "
	      "class=\"shots\">\n",
	    stream);
	PrintImage(stream, &h->details[0], "spheres of a level, by growth");
	PrintImage(stream, &h->details[1], "contact spheres: which were updated");
	PrintImage(stream, &h->details[2], "spheres of the bridge, by growth");
	fputs("</div>\n", stream);
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
		values[i] = (double)(f->counts.contacts + f->counts.groundContacts);
		values[n + i] = f->kinetic;
		values[2 * n + i] = f->ms;
		values[3 * n + i] = (double)f->counts.sphereTests;
		values[4 * n + i] = (double)f->counts.spheresUpdated;
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
		PrintShots(h, stream);
		PrintDetails(h, stream);
		PrintPlots(h, stream);
	}
	fprintf(stream, "<footer>snug %s, %s kernels. After James, Pai 2004.</footer>\n", machine.version,
	    machine.instructionSet);
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
