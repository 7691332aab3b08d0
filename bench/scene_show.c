#include "bench/scene_show.h"

#include "bench/machine.h"
#include "bench/plot.h"
#include "program/picture.h"
#include "share/brute.h"
#include "share/html.h"
#include "sim/brain.h"
#include "sim/fish.h"
#include "sim/ring.h"
#include "sim/state.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY 262144
#define FPS 30
#define VERIFY_EVERY 10
#define SHOTS 3 // large pictures, evenly in time
#define MAX_ACTORS SIM_FISH_COUNT

typedef struct showKind showKind;

/// What came of a frame.
typedef struct showFrame
{
	double time, energy;
	uint64_t pairs, volumeTests, verticesEvaluated, triangleTests;
	bool isVerified, differs;
	uint8_t* png;
	size_t bytes;
} showFrame;

struct show
{
	const showKind* kind;
	union
	{
		simBrain brain;
		simRing ring;
		simSchool school;
	};
	simActor* actors;
	uint8_t* marks[MAX_ACTORS]; ///< per actor and triangle: it intersects another's
	int actorCount;
	snugPair* pairs;
	showFrame* frames;
	int frameCount, frameCapacity;
	double start; ///< of the first frame, in seconds
	picture* picture;
};

/// A scene: how it is made and moved, and how it is shown.
struct showKind
{
	const char *name, *title, *what;
	uint32_t vertexCount, nodeCount; ///< by default
	bool (*create)(show*, const showDef*, uint32_t vertexCount, uint32_t nodeCount, simError*);
	bool (*advance)(show*, simError*); ///< by a frame
	void (*release)(show*);
	float eye[3], target[3], ground; ///< z is up
};

// ---- Scenes ----------------------------------------------------------------------------------------------------

static bool CreateBrain(show* s, const showDef* def, uint32_t vertexCount, uint32_t nodeCount, simError* error)
{
	int pull = def->pull > 0 ? def->pull : 2;
	if (pull > SIM_BRAIN_PULLS)
	{
		return simError_Set(error, "--pull must be 1, 2 or 3");
	}
	s->actors = &s->brain.actor;
	s->actorCount = 1;
	return simBrain_Create(&s->brain, vertexCount, nodeCount, simBrainPulls[pull - 1], error);
}

// Its steps are not a whole part of a frame, so that each goes to where the frame should be.
static bool AdvanceBrain(show* s, simError* error)
{
	double goal = s->start + (double)(s->frameCount + 1) / FPS;
	return simBrain_Advance(&s->brain, goal - s->brain.actor.body.time, error);
}

static void ReleaseBrain(show* s)
{
	simBrain_Free(&s->brain);
}

static bool CreateRing(show* s, const showDef* def, uint32_t vertexCount, uint32_t nodeCount, simError* error)
{
	s->actors = s->ring.figures;
	s->actorCount = SIM_RING_FIGURES;
	return simRing_Create(&s->ring, &(simRingDef){ vertexCount, nodeCount, def->hasMany }, error);
}

static bool AdvanceRing(show* s, simError* error)
{
	return simRing_Advance(&s->ring, error);
}

static void ReleaseRing(show* s)
{
	simRing_Free(&s->ring);
}

static bool CreateFish(show* s, const showDef* def, uint32_t vertexCount, uint32_t nodeCount, simError* error)
{
	(void)def;
	s->actors = s->school.fish;
	s->actorCount = SIM_FISH_COUNT;
	return simSchool_Create(&s->school, vertexCount, nodeCount, error);
}

static bool AdvanceFish(show* s, simError* error)
{
	return simSchool_Advance(&s->school, error);
}

static void ReleaseFish(show* s)
{
	simSchool_Free(&s->school);
}

#define RED                                                                                                        \
	" Triangles that intersect one of another body are <span style=\"color:#d42a1f;font-weight:600\">red</span>; " \
	"where something hides them they shine through."

static const showKind kinds[] = {
	// The brain stands along z, and is pulled along x: seen from the side.
	{ "brain", "a brain that is pulled",
	    "A brain is held at one end and pulled at the other for two seconds, then let go.", SIM_BRAIN_VERTICES, 65,
	    CreateBrain, AdvanceBrain, ReleaseBrain, { 0.6f, -4.4f, 0.7f }, { 0.45f, 0.2f, 0.15f }, -1.6f },
	{ "ring", "six figures on a ring", "Six figures hang by their hats from a ring that is turned to and fro." RED,
	    2857, 115, CreateRing, AdvanceRing, ReleaseRing, { 0.8f, -6.6f, 2.6f }, { 0.0f, 0.0f, -0.1f }, -1.6f },
	{ "fish", "two dozen fish", "Twenty-four elastic fish swim in circles of their own and bump into each other." RED,
	    SIM_FISH_VERTICES, SIM_FISH_NODES, CreateFish, AdvanceFish, ReleaseFish, { 1.0f, -8.6f, 3.4f },
	    { 0.0f, 0.0f, -0.2f }, -3.2f },
};

static const showKind* FindKind(const char* name)
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

// ---- Making ----------------------------------------------------------------------------------------------------

static bool MakeBodies(show* s, const showDef* def, simError* error)
{
	uint32_t vertices = def->vertexCount > 0 ? (uint32_t)def->vertexCount : s->kind->vertexCount;
	uint32_t nodes = def->nodeCount > 0 ? (uint32_t)def->nodeCount : s->kind->nodeCount;
	if (nodes < 4 || nodes > 5000)
	{
		return simError_Set(error, "--nodes must be from 4 to 5000");
	}
	if (vertices < 42 || vertices > 1000000)
	{
		return simError_Set(error, "--vertices must be from 42 to 1000000");
	}
	return s->kind->create(s, def, vertices, nodes, error);
}

static bool Build(show* s, const showDef* def, int frames, simError* error)
{
	if (!MakeBodies(s, def, error))
	{
		return false;
	}
	bool good = true;
	for (int i = 0; i < s->actorCount; ++i)
	{
		s->marks[i] = calloc(s->actors[i].scene.mesh.triangleCount, 1);
		good = good && s->marks[i] != NULL;
	}
	s->pairs = malloc(CAPACITY * sizeof(snugPair));
	s->frames = calloc((size_t)frames, sizeof(showFrame));
	s->frameCapacity = frames;
	s->picture = picture_Create(480, 360);
	return (good && s->pairs != NULL && s->frames != NULL && s->picture != NULL) || simError_SetMemory(error);
}

show* show_Create(const showDef* def, int frames, simError* error)
{
	const showKind* kind = FindKind(def->name);
	if (kind == NULL)
	{
		simError_Set(error, "there is no scene '%s'; see snug scene --help", def->name);
		return NULL;
	}
	show* s = calloc(1, sizeof(show));
	if (s == NULL)
	{
		simError_SetMemory(error);
		return NULL;
	}
	s->kind = kind;
	if (!Build(s, def, frames, error))
	{
		show_Destroy(s);
		return NULL;
	}
	return s;
}

void show_Destroy(show* s)
{
	for (int i = 0; i < s->frameCount; ++i)
	{
		free(s->frames[i].png);
	}
	for (int i = 0; i < MAX_ACTORS; ++i)
	{
		free(s->marks[i]);
	}
	s->kind->release(s);
	picture_Destroy(s->picture);
	free(s->frames);
	free(s->pairs);
	free(s);
}

const char* show_GetName(const show* s)
{
	return s->kind->name;
}

// ---- Frames ----------------------------------------------------------------------------------------------------

static bool Verify(const show* s, const simActor* a, const simActor* b, uint64_t count)
{
	const sceneMesh *meshA = &a->scene.mesh, *meshB = &b->scene.mesh;
	const bruteMesh first = { a->positions, meshA->triangles, meshA->triangleCount };
	const bruteMesh second = { b->positions, meshB->triangles, meshB->triangleCount };
	bruteResult expected = bruteCollide(&first, &second);
	bool same = !expected.outOfMemory && expected.count == count &&
	            (count == 0 || memcmp(expected.pairs, s->pairs, (size_t)count * sizeof(snugPair)) == 0);
	bruteResult_Free(&expected);
	return same;
}

static bool AskPair(show* s, int a, int b, showFrame* f, simError* error)
{
	simActor *first = &s->actors[a], *second = &s->actors[b];
	snugResult result =
	    snugCollide(first->posed, second->posed, &(snugQuery){ .pairs = s->pairs, .capacity = CAPACITY });
	if (result.status != snug_success || result.count > CAPACITY)
	{
		return simError_Set(error, "%s", result.count > CAPACITY ? "too many pairs" : snugGetStatusText(result.status));
	}
	f->pairs += result.count;
	f->volumeTests += result.counters.volumeTests;
	f->verticesEvaluated += result.counters.verticesEvaluated;
	f->triangleTests += result.counters.triangleTests;
	for (uint64_t i = 0; i < result.count; ++i)
	{
		s->marks[a][s->pairs[i].a] = 1;
		s->marks[b][s->pairs[i].b] = 1;
	}
	f->differs = f->differs || (f->isVerified && !Verify(s, first, second, result.count));
	return true;
}

static bool TakePicture(show* s, showFrame* f)
{
	static const float colors[][3] = { { 0.36f, 0.58f, 0.84f }, { 0.95f, 0.80f, 0.50f }, { 0.55f, 0.75f, 0.50f },
		{ 0.80f, 0.62f, 0.82f }, { 0.60f, 0.78f, 0.80f }, { 0.90f, 0.68f, 0.58f } };
	static const float vertical[3] = { 0.0f, 0.0f, 1.0f };
	pictureMesh meshes[MAX_ACTORS];
	for (int i = 0; i < s->actorCount; ++i)
	{
		const sceneMesh* mesh = &s->actors[i].scene.mesh;
		const float* color = colors[(size_t)i % (sizeof(colors) / sizeof(colors[0]))];
		meshes[i] = (pictureMesh){ s->actors[i].positions, mesh->vertexCount, mesh->triangles, mesh->triangleCount,
			s->marks[i], { color[0], color[1], color[2] } };
	}
	camera c = cameraMake(s->kind->eye, s->kind->target, vertical, 42.0f, picture_GetSampleWidth(s->picture),
	    picture_GetSampleHeight(s->picture));
	bool drawn = picture_Draw(s->picture, &c, s->kind->ground, meshes, s->actorCount);
	f->png = drawn ? picture_Encode(s->picture, &f->bytes) : NULL;
	return f->png != NULL;
}

static bool PoseAll(show* s, showFrame* f, simError* error)
{
	for (int i = 0; i < s->actorCount; ++i)
	{
		simActor* actor = &s->actors[i];
		simEnergy energy = simMeshless_GetEnergy(&actor->body);
		f->energy += energy.kinetic + energy.elastic;
		f->time = actor->body.time;
		memset(s->marks[i], 0, actor->scene.mesh.triangleCount);
		if (!simActor_Pose(actor, true, error))
		{
			return false;
		}
	}
	return true;
}

bool show_RunFrame(show* s, simError* error)
{
	if (s->frameCount == s->frameCapacity)
	{
		return simError_Set(error, "more frames than were asked for");
	}
	showFrame* f = s->frames + s->frameCount;
	bool good = s->kind->advance(s, error);
	f->isVerified = s->actorCount > 1 && s->frameCount % VERIFY_EVERY == 0;
	good = good && PoseAll(s, f, error);
	for (int a = 0; a < s->actorCount; ++a)
	{
		for (int b = a + 1; b < s->actorCount && good; ++b)
		{
			good = AskPair(s, a, b, f, error);
		}
	}
	good = good && (TakePicture(s, f) || simError_SetMemory(error));
	s->frameCount += good;
	return good;
}

int show_CountDifferent(const show* s)
{
	int count = 0;
	for (int i = 0; i < s->frameCount; ++i)
	{
		count += s->frames[i].differs;
	}
	return count;
}

// ---- Table -----------------------------------------------------------------------------------------------------

void show_PrintHead(const show* s, FILE* stream)
{
	const simActor* actor = &s->actors[0];
	fprintf(stream, "%d bod%s of %u vertices, %u triangles, %u nodes\n\n", s->actorCount,
	    s->actorCount == 1 ? "y" : "ies", actor->scene.mesh.vertexCount, actor->scene.mesh.triangleCount,
	    actor->body.nodeCount);
	if (s->actorCount > 1)
	{
		fprintf(stream, "%5s %7s %10s %7s %9s %10s %9s\n", "frame", "time", "energy", "pairs", "volume", "vertices",
		    "triangle");
		fprintf(stream, "%5s %7s %10s %7s %9s %10s %9s\n", "", "s", "J", "", "tests", "evaluated", "tests");
	}
	else // it touches nothing
	{
		fprintf(stream, "%5s %7s %10s\n%5s %7s %10s\n", "frame", "time", "energy", "", "s", "J");
	}
}

void show_PrintRow(const show* s, FILE* stream)
{
	const showFrame* f = s->frames + s->frameCount - 1;
	fprintf(stream, "%5d %7.3f %10.4g", s->frameCount - 1, f->time, f->energy);
	if (s->actorCount > 1)
	{
		fprintf(stream, " %7llu %9llu %10llu %9llu", (unsigned long long)f->pairs, (unsigned long long)f->volumeTests,
		    (unsigned long long)f->verticesEvaluated, (unsigned long long)f->triangleTests);
	}
	fputc('\n', stream);
	fflush(stream);
}

static int CountVerified(const show* s)
{
	int count = 0;
	for (int i = 0; i < s->frameCount; ++i)
	{
		count += s->frames[i].isVerified;
	}
	return count;
}

void show_PrintSummary(const show* s, FILE* stream)
{
	if (s->actorCount > 1)
	{
		int different = show_CountDifferent(s);
		fprintf(stream, "\n%d frames compared with brute force, %d difference%s\n", CountVerified(s), different,
		    different == 1 ? "" : "s");
	}
	fputc('\n', stream);
}

// ---- Page ------------------------------------------------------------------------------------------------------

static void PrintImage(FILE* stream, const showFrame* f, int number)
{
	fprintf(stream, "<img alt=\"frame %d\" src=\"data:image/png;base64,", number);
	htmlBase64(stream, f->png, f->bytes);
	fputs("\">", stream);
}

// All frames on top of each other, each visible for its share of the time: no script is needed.
static void PrintAnimation(const show* s, FILE* stream)
{
	double seconds = (double)s->frameCount / FPS * 2.0, share = 100.0 / (double)s->frameCount;
	fprintf(stream,
	    "<h2>In motion</h2>\n<style>.film{position:relative;width:480px;height:360px}.film img{position:absolute;top:0;"
	    "left:0;opacity:0;animation:film %.3fs step-end infinite}@keyframes film{0%%{opacity:1}%.4f%%{opacity:0}}"
	    "@media(prefers-reduced-motion:reduce){.film img{animation:none}.film img:last-child{opacity:1}}</style>\n"
	    "<p>Half as fast as simulated.</p>\n<div class=\"film\">\n",
	    seconds, share);
	for (int i = 0; i < s->frameCount; ++i)
	{
		fprintf(stream, "<img alt=\"\" style=\"animation-delay:%.3fs\" src=\"data:image/png;base64,",
		    seconds * (double)i / (double)s->frameCount);
		htmlBase64(stream, s->frames[i].png, s->frames[i].bytes);
		fputs("\">\n", stream);
	}
	fputs("</div>\n", stream);
}

static void PrintShots(const show* s, FILE* stream)
{
	fputs("<h2>What happens</h2>\n", stream);
	fprintf(stream, "<p>%s</p>\n", s->kind->what);
	fputs("<div class=\"shots\">\n", stream);
	for (int i = 0; i < SHOTS; ++i)
	{
		int frame = (s->frameCount - 1) * (i + 1) / SHOTS;
		const showFrame* f = s->frames + frame;
		fputs("<figure>", stream);
		PrintImage(stream, f, frame);
		fprintf(stream, "<figcaption><b>%.2f s</b>", f->time);
		if (s->actorCount > 1)
		{
			fprintf(stream, " · %llu pairs", (unsigned long long)f->pairs);
		}
		fputs("</figcaption></figure>\n", stream);
	}
	fputs("</div>\n", stream);
}

static void PrintPlots(const show* s, FILE* stream)
{
	double* values = malloc((size_t)s->frameCount * 2 * sizeof(double));
	if (values == NULL)
	{
		return;
	}
	for (int i = 0; i < s->frameCount; ++i)
	{
		values[i] = (double)s->frames[i].pairs;
		values[s->frameCount + i] = s->frames[i].energy;
	}
	plotLines pairs = { .title = "What is found", .unit = "pairs", .count = s->frameCount, .seriesCount = 1 };
	plotLines energy = { .title = "Energy", .unit = "J", .count = s->frameCount, .seriesCount = 1 };
	pairs.series[0] = (plotSeries){ "intersecting pairs of triangles", "#d42a1f", values };
	energy.series[0] = (plotSeries){ "kinetic and elastic", "#2f6fb5", values + s->frameCount };
	fputs("<h2>Frame by frame</h2>\n<div class=\"plots\">\n", stream);
	if (s->actorCount > 1)
	{
		plotLines_Print(&pairs, stream);
	}
	plotLines_Print(&energy, stream);
	fputs("</div>\n", stream);
	free(values);
}

// What a frame found, of scenes in which something can touch.
static void PrintFound(const showFrame* f, FILE* stream)
{
	fprintf(stream, "<td>%llu</td><td>%llu</td><td>%llu</td><td>%llu</td><td class=\"%s\">%s</td>",
	    (unsigned long long)f->pairs, (unsigned long long)f->volumeTests, (unsigned long long)f->verticesEvaluated,
	    (unsigned long long)f->triangleTests,
	    !f->isVerified ? "na"
	    : f->differs   ? "no"
	                   : "ok",
	    !f->isVerified ? "-"
	    : f->differs   ? "differs"
	                   : "same");
}

static void PrintTable(const show* s, FILE* stream)
{
	fprintf(stream,
	    "<h2>Numbers</h2>\n<div class=\"scroll\"><table><thead><tr><th>frame</th><th>time, s</th><th>energy, "
	    "J</th>%s</tr>"
	    "</thead><tbody>\n",
	    s->actorCount > 1 ? "<th>pairs</th><th>volume tests</th><th>vertices evaluated</th><th>triangle "
	                        "tests</th><th>brute force</th>"
	                      : "");
	for (int i = 0; i < s->frameCount; i += 5)
	{
		const showFrame* f = s->frames + i;
		fprintf(stream, "<tr><td>%d</td><td>%.3f</td><td>%.4g</td>", i, f->time, f->energy);
		if (s->actorCount > 1)
		{
			PrintFound(f, stream);
		}
		fputs("</tr>\n", stream);
	}
	fputs("</tbody></table></div>\n", stream);
}

void show_PrintPage(const show* s, FILE* stream)
{
	benchMachine machine = benchGetMachine();
	char title[64];
	snprintf(title, sizeof(title), "snug: %s", s->kind->title);
	htmlBegin(stream, title, "Elastic bodies by moving least squares; their surfaces follow their nodes.");
	if (s->frameCount > 0)
	{
		PrintShots(s, stream);
		PrintAnimation(s, stream);
		PrintPlots(s, stream);
		PrintTable(s, stream);
	}
	fprintf(stream, "<footer>snug %s, %s kernels. After Steinemann, Otaduy, Gross 2008.</footer>\n", machine.version,
	    machine.instructionSet);
	htmlEnd(stream);
}

// ---- States ----------------------------------------------------------------------------------------------------

void show_WriteState(const show* s, FILE* stream)
{
	fprintf(stream, "snug scene %s 1\n", show_GetName(s));
	for (int i = 0; i < s->actorCount; ++i)
	{
		simState_Write(stream, &s->actors[i].body);
	}
}

bool show_ReadState(show* s, FILE* stream, simError* error)
{
	char name[16] = "";
	int version = 0;
	if (fscanf(stream, "snug scene %15s %d", name, &version) != 2 || version != 1)
	{
		return simError_Set(error, "this is no state of a scene");
	}
	if (strcmp(name, show_GetName(s)) != 0)
	{
		return simError_Set(error, "this is a state of the scene '%s'", name);
	}
	for (int i = 0; i < s->actorCount; ++i)
	{
		simError where = { "" };
		if (!simState_Read(stream, &s->actors[i].body, &where))
		{
			return simError_Set(error, "body %d: %.400s", i, where.text);
		}
	}
	s->start = s->actors[0].body.time;
	return true;
}
