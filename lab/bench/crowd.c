// `snug bench crowd`: what a frame of many characters costs in a scene: posing all, and all that touch.
//
// Characters of one model or of several stand on a grid, turn and sway a little and play one clip, each from another
// frame on. How far they stand apart goes by how far they reach, so that as many touch whoever they are. All is
// measured in one run and from pose to events, so that ratios mean something on a busy
// machine.
#include "lab/bench/bench.h"
#include "lab/bench/cast.h"
#include "lab/bench/threads.h"
#include "lab/bench/timer.h"
#include "lab/scenes/random.h"
#include "program/files/clock.h"
#include "snug/snug_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Crowd
{
	const benchCast* cast;
	uint32_t models; // of the cast, how many there are
	uint32_t count;
	double apart;
	size_t stride; // floats of a palette
	snugPool* pool;
	snugBody** bodies;
	snugScene* scene;
	snugFrame* frames;
	float* palettes;
	double (*now)(void); // a clock: of the thread, or of the wall if there are several
} Crowd;

// How far they stand apart.
typedef enum Spacing
{
	spacing_far,   // nobody is near another
	spacing_few,   // one to three pairs touch per hundred
	spacing_light, // some fifty do
	spacing_dense,
	spacing_deep, // each in several others
	SPACINGS
} Spacing;

static const double reachesApart[SPACINGS] = { 12.0, 1.85, 1.25, 1.1, 0.7 };
static const char* const spacingNames[SPACINGS] = { "far apart", "of which few touch", "in light contact", "dense",
	"deep in each other" };

// What a case asks for.
typedef struct Case
{
	uint32_t count;
	Spacing spacing;
	bool trianglePairs;
	bool mixed; // several models, in turn
	bool quick; // run in quick runs too
} Case;

static const Case cases[] = {
	{ 1, spacing_few, false, false, true },
	{ 1000, spacing_few, false, false, true },
	{ 1000, spacing_few, false, true, true },
	{ 1000, spacing_light, true, false, true },
	{ 10000, spacing_few, false, false, true },
	{ 10000, spacing_far, false, false, true },
	{ 10000, spacing_few, false, true, false },
	{ 10000, spacing_light, true, false, false },
	{ 1000, spacing_dense, true, false, false },
	{ 100000, spacing_far, false, false, false },
};

// Medians of a case, in milliseconds a frame.
typedef struct Measured
{
	double pose, update, total, collide;
	uint64_t candidates, queries, pairs, trianglePairs;
	double candidatesPerExact;                  // candidates / pairs of exact boxes that overlap; NaN: not measured
	size_t bodyBytes, sceneBytes, paletteBytes; // of each body, on average
	double apart;                               // metres
} Measured;

// ---- The crowd ------------------------------------------------------------------------------------------------------

static void FreeCrowd(Crowd* crowd)
{
	snugScene_Destroy(crowd->scene);
	for (uint32_t i = 0; crowd->bodies != NULL && i < crowd->count; ++i)
	{
		snugBody_Destroy(crowd->bodies[i]);
	}
	snugPool_Destroy(crowd->pool);
	free(crowd->bodies);
	free(crowd->frames);
	free(crowd->palettes);
}

static const benchRole* RoleOf(const Crowd* crowd, uint32_t body)
{
	return crowd->cast->roles + body % crowd->models;
}

// Room as someone would make it who knows the crowd: an update that needs more says so.
static snugSceneRoom RoomFor(const Case* how)
{
	uint32_t each = how->spacing >= spacing_light ? 8 : 2;
	return (snugSceneRoom){ .bodies = how->count,
		.candidates = (uint64_t)each * how->count,
		.pairs = how->count,
		.trianglePairs = how->trianglePairs ? 64 * (uint64_t)how->count : 1 };
}

static bool MakeCrowd(Crowd* crowd, const benchCast* cast, const Case* how, benchThreads* threads)
{
	*crowd = (Crowd){ .cast = cast, .count = how->count, .models = how->mixed ? cast->count : 1 };
	crowd->now = threads != NULL ? clockNow : benchNow;
	for (uint32_t i = 0; i < crowd->models; ++i)
	{
		size_t floats = 12 * (size_t)cast->roles[i].jointCount;
		crowd->stride = floats > crowd->stride ? floats : crowd->stride;
		crowd->apart = fmax(crowd->apart, reachesApart[how->spacing] * cast->roles[i].reach);
	}
	crowd->bodies = calloc(how->count, sizeof(snugBody*));
	crowd->frames = calloc(how->count, sizeof(snugFrame));
	crowd->palettes = malloc(how->count * crowd->stride * sizeof(float));
	snugSceneDef def = {
		.room = RoomFor(how), .workers.run = threads != NULL ? benchThreads_Run : NULL, .workers.user = threads
	};
	size_t poolBytes = how->spacing >= spacing_light ? (size_t)1 << 29 : (size_t)1 << 27;
	if (crowd->bodies == NULL || crowd->frames == NULL || crowd->palettes == NULL ||
	    snugPool_Create(&(snugPoolDef){ .bytes = poolBytes }, &crowd->pool) != snug_success ||
	    snugScene_Create(&def, &crowd->scene) != snug_success)
	{
		return false;
	}
	bool isMade = true;
	for (uint32_t i = 0; isMade && i < how->count; ++i)
	{
		uint32_t id;
		snugBodyDef body = { .model = RoleOf(crowd, i)->model, .pool = crowd->pool };
		isMade = snugBody_Create(&body, crowd->bodies + i) == snug_success &&
		         snugScene_Add(crowd->scene, &(snugSceneBodyDef){ .body = crowd->bodies[i] }, &id) == snug_success;
	}
	return isMade;
}

// What an animation system would have done: not measured.
static void Animate(Crowd* crowd, int frame)
{
	uint32_t side = (uint32_t)ceil(sqrt((double)crowd->count));
	for (uint32_t i = 0; i < crowd->count; ++i)
	{
		const benchRole* role = RoleOf(crowd, i);
		uint32_t clipFrame = (i * 7 + (uint32_t)frame + BENCH_CLIP_FRAMES) % BENCH_CLIP_FRAMES;
		size_t floats = 12 * (size_t)role->jointCount;
		memcpy(crowd->palettes + i * crowd->stride, role->matrices + clipFrame * floats, floats * sizeof(float));
		double angle = 0.5 * i + 0.05 * frame;
		crowd->frames[i] = (snugFrame){
			.position = { i % side * crowd->apart + 0.1 * sin(i + 0.1 * frame), 0.0,
			    i / side * crowd->apart + 0.1 * cos(1.7 * i + 0.1 * frame) },
			.rotation = { 0.0, sin(angle), 0.0, cos(angle) },
		};
	}
}

static snugStatus SetPoses(const Crowd* crowd)
{
	const snugScenePoses all = { .count = crowd->count,
		.joints = crowd->palettes,
		.bodyStride = crowd->stride * sizeof(float),
		.frames = crowd->frames };
	return snugScene_SetPoses(crowd->scene, &all);
}

static snugSceneResult Ask(Crowd* crowd, snugSceneQuery query)
{
	snugSceneResult result = snugScene_Update(crowd->scene, &query);
	for (int i = 0; i < 3 && result.status == snug_outOfRange; ++i)
	{
		snugSceneRoom room = result.needed;
		room.candidates += room.candidates / 2;
		room.pairs += room.pairs / 2;
		room.trianglePairs += room.trianglePairs / 2;
		if (snugScene_Reserve(crowd->scene, &room) != snug_success)
		{
			break;
		}
		result = snugScene_Update(crowd->scene, &query);
	}
	return result;
}

static snugSceneResult Update(Crowd* crowd, const Case* how)
{
	return Ask(crowd, (snugSceneQuery){ .trianglePairs = how->trianglePairs });
}

// The pairs that the scene found, one after the other without it, with the same results: sorted pairs of triangles.
static double CollideTouching(const Crowd* crowd, bool trianglePairs)
{
	uint64_t count, triangleCount, found = 0;
	const snugScenePair* pairs = snugScene_GetPairs(crowd->scene, &count);
	snugScene_GetTrianglePairs(crowd->scene, &triangleCount);
	snugPair* triangles = malloc((triangleCount + 1) * sizeof(snugPair));
	double start = crowd->now();
	for (uint64_t i = 0; triangles != NULL && i < count; ++i)
	{
		snugBody *a = crowd->bodies[pairs[i].a], *b = crowd->bodies[pairs[i].b];
		const snugQuery query = { .pairs = triangles + pairs[i].first, .capacity = pairs[i].count };
		found += trianglePairs ? snugCollide(a, b, &query).count : snugTouches(a, b, NULL).count;
	}
	double ms = crowd->now() - start;
	free(triangles);
	return found >= count && (!trianglePairs || found == triangleCount) ? ms : NAN;
}

static bool BoxesMeet(const float* a, const float* b)
{
	bool meet = true;
	for (int axis = 0; axis < 3; ++axis)
	{
		meet = meet && a[axis] <= b[3 + axis] && b[axis] <= a[3 + axis];
	}
	return meet;
}

// Pairs of bodies whose exact boxes overlap, each with each: for small crowds.
static double CountExact(const Crowd* crowd)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < crowd->models; ++i)
	{
		most = crowd->cast->roles[i].vertexCount > most ? crowd->cast->roles[i].vertexCount : most;
	}
	float *boxes = malloc(6 * sizeof(float) * crowd->count), *positions = malloc(3 * sizeof(float) * most);
	bool isGood = boxes != NULL && positions != NULL;
	double count = 0.0;
	for (uint32_t i = 0; isGood && i < crowd->count; ++i)
	{
		isGood = benchFindExactBox(crowd->bodies[i], positions, RoleOf(crowd, i)->vertexCount, boxes + 6 * (size_t)i);
		for (uint32_t k = 0; isGood && k < i; ++k)
		{
			count += BoxesMeet(boxes + 6 * (size_t)i, boxes + 6 * (size_t)k);
		}
	}
	free(boxes);
	free(positions);
	return isGood ? count : NAN;
}

// Bodies are posed anew, so that they hold no pages: what all have, near a contact or not.
static void AddMemory(const Crowd* crowd, Measured* measured)
{
	SetPoses(crowd);
	for (uint32_t i = 0; i < crowd->count; ++i)
	{
		measured->bodyBytes += snugBody_GetMemory(crowd->bodies[i]);
		measured->paletteBytes += 12 * sizeof(float) * RoleOf(crowd, i)->jointCount;
	}
	measured->bodyBytes /= crowd->count;
	measured->paletteBytes /= crowd->count;
}

// Frames in turn: in a scene, and posed anew, pair by pair without one.
static bool Measure(Crowd* crowd, const Case* how, int frames, Measured* measured)
{
	benchSamples poses = { 0 }, updates = { 0 }, totals = { 0 }, collides = { 0 };
	*measured = (Measured){ .apart = crowd->apart };
	for (int frame = -1; frame < frames; ++frame)
	{
		Animate(crowd, frame);
		double start = crowd->now();
		snugStatus status = SetPoses(crowd);
		double posed = crowd->now();
		snugSceneResult result = Update(crowd, how);
		double end = crowd->now();
		if (status != snug_success || result.status != snug_success)
		{
			return false;
		}
		if (frame == 0)
		{
			measured->candidatesPerExact = crowd->count <= 1000 ? (double)result.candidates / CountExact(crowd) : NAN;
		}
		if (frame >= 0)
		{
			benchSamples_Add(&poses, posed - start);
			benchSamples_Add(&updates, end - posed);
			benchSamples_Add(&totals, end - start);
			measured->candidates += result.candidates;
			measured->queries += result.queries;
			uint64_t count;
			snugScene_GetPairs(crowd->scene, &count);
			measured->pairs += count;
			snugScene_GetTrianglePairs(crowd->scene, &count);
			measured->trianglePairs += count;
			SetPoses(crowd);
			benchSamples_Add(&collides, CollideTouching(crowd, how->trianglePairs));
		}
	}
	measured->pose = benchSamples_Median(&poses);
	measured->update = benchSamples_Median(&updates);
	measured->total = benchSamples_Median(&totals);
	measured->collide = benchSamples_Median(&collides);
	measured->candidates /= (uint64_t)frames;
	measured->queries /= (uint64_t)frames;
	measured->pairs /= (uint64_t)frames;
	measured->trianglePairs /= (uint64_t)frames;
	AddMemory(crowd, measured);
	measured->sceneBytes = snugScene_GetMemory(crowd->scene) / crowd->count;
	return true;
}

// ---- The report -----------------------------------------------------------------------------------------------------

static uint64_t MeanVertices(const benchCast* cast)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < cast->count; ++i)
	{
		sum += cast->roles[i].vertexCount;
	}
	return sum / cast->count;
}

static void AddCaseRow(
    benchReport* report, const benchCast* cast, const Case* how, int threads, const Measured* measured)
{
	benchRow* row = benchReport_AddRow(report, "A crowd, per frame");
	benchRow_Text(row, "model", how->mixed ? "several" : cast->roles[0].name);
	benchRow_Count(row, "vertices", how->mixed ? MeanVertices(cast) : cast->roles[0].vertexCount);
	benchRow_Count(row, "bodies", how->count);
	benchRow_Number(row, "metresApart", measured->apart, 2);
	benchRow_Text(row, "asked", how->trianglePairs ? "triangle pairs" : "touching");
	benchRow_Count(row, "threads", (uint64_t)threads);
	benchRow_Number(row, "poseMs", measured->pose, 3);
	benchRow_Number(row, "updateMs", measured->update, 3);
	benchRow_Number(row, "totalMs", measured->total, 3);
	benchRow_Number(row, "microsecondsPerBody", 1e3 * measured->total / how->count, 2);
	benchRow_Number(row, "microsecondsPerTouching",
	    measured->pairs > 0 ? 1e3 * measured->update / (double)measured->pairs : (double)NAN, 1);
	benchRow_Count(row, "candidates", measured->candidates);
	benchRow_Count(row, "queries", measured->queries);
	benchRow_Count(row, "touching", measured->pairs);
	benchRow_Count(row, "trianglePairs", measured->trianglePairs);
	benchRow_Number(row, "touchingPairsAloneMs", measured->collide, 3);
	benchRow_Count(row, "paletteBytes", measured->paletteBytes);
	benchRow_Count(row, "bodyBytes", measured->bodyBytes);
	benchRow_Count(row, "sceneBytesPerBody", measured->sceneBytes);
}

static void AddAims(benchReport* report, const Case* how, const Measured* one, const Measured* two)
{
	char crowd[64];
	snprintf(crowd, sizeof(crowd), "%u characters %s", how->count, spacingNames[how->spacing]);
	if (how->mixed || how->count == 1)
	{
		return;
	}
	if (how->spacing == spacing_few)
	{
		benchReport_AddAim(report, 1e3 * one->total / how->count, 3.6, "%s: us a frame for each, one thread", crowd);
	}
	if (how->spacing == spacing_few && how->count > 1000)
	{
		benchReport_AddAim(report, 1e3 * two->total / how->count, 2.0, "%s: us a frame for each, two threads", crowd);
	}
	else if (how->spacing == spacing_few)
	{
		benchReport_AddAim(report, one->candidatesPerExact, 1.3, "%s: candidates / exact boxes", crowd);
	}
	if (how->spacing == spacing_far)
	{
		benchReport_AddAim(report, 1e3 * one->total / how->count, 1.2, "%s: us a frame for each", crowd);
		double bytes = (double)(one->bodyBytes + one->sceneBytes) - (double)one->paletteBytes;
		benchReport_AddAim(
		    report, bytes, 6000.0, "%s: bytes of each, with its part of the scene, beyond its palette", crowd);
	}
	if (how->spacing == spacing_light)
	{
		benchReport_AddAim(report, one->update / one->collide, 1.15, "%s: update / the touching pairs alone", crowd);
		benchReport_AimAtLeast(
		    report, one->update / two->update, 1.8, NAN, "%s: one thread's update / two threads'", crowd);
	}
}

static void RunCase(const benchOptions* options, benchReport* report, const benchCast* cast, const Case* how)
{
	Measured measured[2];
	for (int threads = 1; threads <= 2; ++threads)
	{
		char text[96];
		snprintf(text, sizeof(text), "crowd: %u bodies %s …", how->count, spacingNames[how->spacing]);
		benchProgress(options, text);
		Crowd crowd;
		benchThreads* others = threads > 1 ? benchThreads_Create(threads - 1) : NULL;
		int frames = how->count > 10000 ? 3 : options->repeats;
		if (!MakeCrowd(&crowd, cast, how, others) || !Measure(&crowd, how, frames, measured + threads - 1))
		{
			benchReport_Fail(report, "a crowd of %u bodies cannot be made or updated", how->count);
		}
		FreeCrowd(&crowd);
		benchThreads_Destroy(others);
		if (report->failure[0] != '\0')
		{
			return;
		}
		AddCaseRow(report, cast, how, threads, measured + threads - 1);
	}
	AddAims(report, how, measured, measured + 1);
}

// ---- Contacts and rays ----------------------------------------------------------------------------------------------

enum
{
	COMPANY = 200,
	RAYS = 1000,
	MOST_CONTACTS = 1 << 17, // of two bodies
};

static void CountContacts(void* user, uint32_t a, uint32_t b, const snugContactResult* contacts)
{
	uint64_t* count = user;
	(void)a;
	(void)b;
	*count += contacts->count;
}

static bool MakeCompany(Crowd* crowd, const benchCast* cast, Spacing spacing, benchReport* report)
{
	const bool isMade =
	    MakeCrowd(crowd, cast, &(Case){ .count = COMPANY, .spacing = spacing, .trianglePairs = true }, NULL);
	if (!isMade)
	{
		benchReport_Fail(report, "no memory for a company");
	}
	return isMade;
}

// An update with contacts, beside one with pairs of triangles alone: in the same poses, which are new to both.
static void RunContacts(const benchOptions* options, benchReport* report, const benchCast* cast)
{
	Crowd crowd;
	benchSamples updates[2];
	snugContactBuffer* buffer = NULL;
	uint64_t contacts = 0, pairs = 0, touching = 0;
	const snugContactBufferDef def = { .capacity = MOST_CONTACTS };
	memset(updates, 0, sizeof(updates));
	bool isGood =
	    MakeCompany(&crowd, cast, spacing_deep, report) && snugContactBuffer_Create(&def, &buffer) == snug_success;
	for (int frame = -1; frame < options->repeats && isGood; ++frame)
	{
		Animate(&crowd, frame);
		for (int what = 0; what < 2 && isGood; ++what)
		{
			snugSceneQuery query = { .trianglePairs = true };
			if (what == 1)
			{
				query.contacts = CountContacts;
				query.contactsUser = &contacts;
				query.contactBuffer = buffer;
			}
			contacts = 0;
			isGood = SetPoses(&crowd) == snug_success;
			const double start = crowd.now();
			isGood = Ask(&crowd, query).status == snug_success && isGood;
			if (frame >= 0)
			{
				benchSamples_Add(updates + what, crowd.now() - start);
			}
		}
	}
	if (isGood)
	{
		snugScene_GetTrianglePairs(crowd.scene, &pairs);
		snugScene_GetPairs(crowd.scene, &touching);
		const double alone = benchSamples_Median(updates), with = benchSamples_Median(updates + 1);
		benchRow* row = benchReport_AddRow(report, "Contacts of a crowd, per frame");
		benchRow_Text(row, "model", cast->roles[0].name);
		benchRow_Count(row, "bodies", COMPANY);
		benchRow_Count(row, "touching", touching);
		benchRow_Count(row, "trianglePairs", pairs);
		benchRow_Count(row, "contacts", contacts);
		benchRow_Number(row, "updateMs", alone, 3);
		benchRow_Number(row, "withContactsMs", with, 3);
		benchRow_Number(row, "ratio", with / alone, 2);
		benchReport_AddAim(report, with / alone, 1.5, "%d characters %s: update with contacts / update", COMPANY,
		    spacingNames[spacing_deep]);
	}
	else if (report->failure[0] == '\0')
	{
		benchReport_Fail(report, "contacts of a crowd cannot be found");
	}
	snugContactBuffer_Destroy(buffer);
	FreeCrowd(&crowd);
}

// From beside the crowd to its other side, each past somebody.
static void Aim(const Crowd* crowd, sceneRandom* random, snugRay rays[RAYS])
{
	const double side = crowd->apart * ceil(sqrt((double)crowd->count));
	for (int i = 0; i < RAYS; ++i)
	{
		const double* at = crowd->frames[sceneRandom_Index(random, crowd->count)].position;
		const double angle = sceneRandom_Range(random, 0.0, 6.28), height = sceneRandom_Range(random, 0.2, 1.6);
		const double across = sceneRandom_Range(random, -0.3, 0.3), x = cos(angle), z = sin(angle);
		for (int end = 0; end < 2; ++end)
		{
			const double along = end == 0 ? -side : side;
			float* p = end == 0 ? rays[i].from : rays[i].to;
			p[0] = (float)(at[0] + along * x - across * z);
			p[1] = (float)(height + 0.2 * end);
			p[2] = (float)(at[2] + along * z + across * x);
		}
	}
}

// Right after posing, and again where nothing moved.
static void RunRays(const benchOptions* options, benchReport* report, const benchCast* cast)
{
	Crowd crowd;
	sceneRandom random = { 1 };
	benchSamples times[2];
	uint64_t count = 0;
	snugRay* rays = malloc(RAYS * sizeof(snugRay));
	snugRayHit* hits = malloc(RAYS * sizeof(snugRayHit));
	memset(times, 0, sizeof(times));
	bool isGood = MakeCompany(&crowd, cast, spacing_few, report) && rays != NULL && hits != NULL;
	for (int frame = -1; frame < options->repeats && isGood; ++frame)
	{
		Animate(&crowd, frame);
		Aim(&crowd, &random, rays);
		isGood = SetPoses(&crowd) == snug_success;
		for (int what = 0; what < 2 && isGood; ++what)
		{
			const double start = crowd.now();
			const snugSceneResult result = snugScene_CastRays(crowd.scene, rays, RAYS, hits, NULL);
			if (frame >= 0)
			{
				benchSamples_Add(times + what, crowd.now() - start);
			}
			isGood = result.status == snug_success;
			count = result.count;
		}
	}
	if (isGood)
	{
		const double us = 1e3 * benchSamples_Median(times) / RAYS;
		benchRow* row = benchReport_AddRow(report, "Rays through a crowd");
		benchRow_Text(row, "model", cast->roles[0].name);
		benchRow_Count(row, "bodies", COMPANY);
		benchRow_Count(row, "hitsOfThousand", count);
		benchRow_Number(row, "rayAfterPosingUs", us, 2);
		benchRow_Number(row, "rayUs", 1e3 * benchSamples_Median(times + 1) / RAYS, 2);
		benchReport_AddAim(report, us, 2.5, "%d characters: us per ray after posing", COMPANY);
	}
	else if (report->failure[0] == '\0')
	{
		benchReport_Fail(report, "rays through a crowd cannot be cast");
	}
	free(rays);
	free(hits);
	FreeCrowd(&crowd);
}

void benchCrowd(const benchOptions* options, benchReport* report)
{
	benchCast cast;
	if (!benchCast_Make(&cast, options, report) && report->failure[0] == '\0')
	{
		benchReport_Fail(report, "no memory for a character");
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) && report->failure[0] == '\0'; ++i)
	{
		if (cases[i].quick || !options->quick)
		{
			RunCase(options, report, &cast, cases + i);
		}
	}
	if (report->failure[0] == '\0')
	{
		RunContacts(options, report, &cast);
		RunRays(options, report, &cast);
	}
	benchCast_Free(&cast);
	benchBroad(options, report);
}
