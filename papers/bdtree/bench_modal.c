// `snug bench modal`: chairs, bridges and a fish that vibrate in ten modes of a finite-element model.
//
// Amplitudes are chosen so that the paper's own bound is as loose as published: on the bridge, BD spheres of level 6
// are 1.25 times as large as at rest. The chair gets the same.
#include "lab/bench/skins.h"
#include "lab/bench/timer.h"
#include "papers/bdtree/bd_levels.h"
#include "papers/bdtree/modal_body.h"
#include "papers/common/tightness.h"

#include <math.h>
#include <stdlib.h>

/// What the paper reports for level 6 of its bridge: mean and greatest radius of BD spheres and of layered ones, over
/// those of the undeformed wrapped spheres.
#define PAPER_LEVEL 6
#define PAPER_GROWTH 1.25
#define PAPER_LAYERED 1.31

static int GetStep(const benchOptions* options)
{
	return options->full ? 12 : 20;
}

// Growth is linear in the amplitudes, since it is a sum over |q|.
static void SetAmplitudes(benchModalBody* body, const benchOptions* options, benchReport* report)
{
	static benchTightness found;
	benchModalBody_Vibrate(body, 0.05);
	const benchActor actor = benchModalBody_GetActor(body);
	if (benchTightness_OfFields(&found, &actor, GetStep(options), true, report))
	{
		double growth = benchTightness_GetMean(&found, bench_bdGrown, PAPER_LEVEL);
		benchModalBody_Vibrate(body, 0.05 * (PAPER_GROWTH - 1.0) / (growth - 1.0));
	}
}

static void AddBodyRow(benchReport* report, const benchModalBody* body)
{
	benchRow* row = benchReport_AddRow(report, "The bodies");
	benchRow_Text(row, "body", body->name);
	benchRow_Count(row, "vertices", body->mesh.vertexCount);
	benchRow_Count(row, "triangles", body->mesh.triangleCount);
	benchRow_Count(row, "modes", BENCH_MODES);
	benchRow_Number(row, "lowestHertz", body->frequencies[0], 2);
	benchRow_Number(row, "highestHertz", body->frequencies[BENCH_MODES - 1], 2);
	benchRow_Number(row, "largestDisplacement", benchModalBody_FindReach(body), 4);
	benchRow_Number(row, "bdGrowthAtLevel6", PAPER_GROWTH, 2);
	benchRow_Text(row, "how", "set by construction: the paper's 1.25");
}

static bool MakeBody(
    benchModalBody* body, const char* name, sceneMesh mesh, const benchOptions* options, benchReport* report)
{
	char text[96];
	snprintf(text, sizeof(text), "modal: modes of the %s …", name);
	benchProgress(options, text);
	if (!benchModalBody_Create(body, name, mesh, report))
	{
		return false;
	}
	SetAmplitudes(body, options, report);
	AddBodyRow(report, body);
	return report->failure[0] == '\0';
}

static void RunTightness(const benchModalBody* body, const benchOptions* options, benchReport* report)
{
	static benchTightness found;
	const benchActor actor = benchModalBody_GetActor(body);
	char text[96];
	snprintf(text, sizeof(text), "modal: tightness of the %s …", body->name);
	benchProgress(options, text);
	if (benchTightness_OfFields(&found, &actor, GetStep(options), false, report))
	{
		benchTightness_AddFieldRows(report, body->name, &found);
	}
}

// --- Contact --------------------------------------------------------------------------------------------------------

// Two of the same body, one of them turned, approach along the shortest side of their box, touch and part, while they
// vibrate.
static void PlaceSecond(const benchModalBody* body, snugFrame places[BENCH_MODAL_FRAMES])
{
	int shortest = body->sides[0] <= body->sides[1] ? 0 : 1;
	shortest = body->sides[2] < body->sides[shortest] ? 2 : shortest;
	for (int f = 0; f < BENCH_MODAL_FRAMES; ++f)
	{
		double t = (double)f / (BENCH_MODAL_FRAMES - 1), axis[3] = { 0.2, 0.2, 0.2 }, position[3];
		for (int k = 0; k < 3; ++k)
		{
			double away = k == shortest ? 0.75 + 1.6 * (t - 0.5) * (t - 0.5) : 0.1;
			position[k] = away * body->sides[k];
		}
		axis[shortest] = 1.0;
		places[f] = sceneMakeFrame(position, axis, 0.4 + 0.3 * t);
	}
}

static void RunContact(const benchModalBody* body, const benchOptions* options, benchReport* report)
{
	snugFrame places[BENCH_MODAL_FRAMES];
	char name[64];
	PlaceSecond(body, places);
	snprintf(name, sizeof(name), "%s twice", body->name);
	benchProgress(options, "modal: contact …");
	benchFieldedScene scene = {
		.name = name,
		.actors = { benchModalBody_GetActor(body), benchModalBody_GetActor(body) },
	};
	scene.actors[1].places = places;
	benchFieldedResult results[BENCH_METHODS];
	benchFielded_Run(&scene, options, !options->full ? 3 : 5, results, report);
	const benchFieldedResult* ours = results + bench_ours;
	const benchFieldedResult* oracle = results + bench_oracle;
	benchReport_AddAim(report, ours->bestMicroseconds / oracle->bestMicroseconds, 1.5, "%s: ours / oracle", name);
}

// --- Rigid motion ---------------------------------------------------------------------------------------------------

#define CLOSE_PAIRS 1000

typedef enum redundancy
{
	redundant_none, // rigid models
	redundant_zero, // fields, and zero amplitudes set before every query
	redundant_tiny, // fields, and other tiny amplitudes set before every query: all that is looked at is computed anew
	REDUNDANCIES
} redundancy;

static double NextUnit(uint64_t* state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (double)(*state >> 11) * 0x1p-53;
}

static snugFrame ClosePlace(uint64_t* state, double length)
{
	double direction[3], axis[3], sum = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		direction[k] = NextUnit(state) - 0.5;
		axis[k] = NextUnit(state) - 0.5;
		sum += direction[k] * direction[k];
	}
	double away = (0.45 + 0.5 * NextUnit(state)) * length / sqrt(sum + 1e-9);
	const double position[3] = { away * direction[0], away * direction[1], away * direction[2] };
	return sceneMakeFrame(position, axis, 6.283 * NextUnit(state));
}

/// Two chairs of one kind.
typedef struct closePair
{
	snugModel* model;
	snugBody* bodies[2];
	float amplitudes[BENCH_MODES];
	double* best; ///< (CLOSE_PAIRS) least milliseconds of each
	uint64_t pairs;
} closePair;

static snugStatus MakePair(closePair* pair, const benchModalBody* body, redundancy kind)
{
	const benchActor fielded = benchModalBody_GetActor(body), rigid = benchActor_Rigid(&body->mesh, 0);
	const benchActor* actor = kind == redundant_none ? &rigid : &fielded;
	*pair = (closePair){ .best = malloc(CLOSE_PAIRS * sizeof(double)) };
	for (int n = 0; pair->best != NULL && n < CLOSE_PAIRS; ++n)
	{
		pair->best[n] = INFINITY;
	}
	for (int j = 0; j < BENCH_MODES; ++j)
	{
		pair->amplitudes[j] = kind == redundant_tiny ? 1e-7f * (float)body->length : 0.0f;
	}
	snugStatus status = pair->best != NULL ? benchActor_MakeModel(actor, &pair->model) : snug_outOfMemory;
	for (int i = 0; i < 2 && status == snug_success; ++i)
	{
		snugBodyDef def = { .model = pair->model };
		status = snugBody_Create(&def, &pair->bodies[i]);
	}
	return status;
}

static void TimePair(closePair* pair, redundancy kind, double length)
{
	uint64_t state = 7;
	pair->pairs = 0;
	for (int n = 0; n < CLOSE_PAIRS; ++n)
	{
		snugFrame place = ClosePlace(&state, length);
		double start = benchNow();
		snugBody_SetFrame(pair->bodies[1], &place);
		pair->amplitudes[0] = -pair->amplitudes[0];
		for (int i = 0; kind != redundant_none && i < 2; ++i)
		{
			snugBody_SetAmplitudes(pair->bodies[i], pair->amplitudes, BENCH_MODES);
		}
		pair->pairs += snugCollide(pair->bodies[0], pair->bodies[1], NULL).count;
		pair->best[n] = fmin(pair->best[n], benchNow() - start);
	}
}

static double BestOfAll(const closePair* pair)
{
	double sum = 0.0;
	for (int n = 0; pair->best != NULL && n < CLOSE_PAIRS; ++n)
	{
		sum += pair->best[n];
	}
	return sum;
}

// Kinds take turns, so that noise on the machine meets all of them.
static void RunRigid(const benchModalBody* body, const benchOptions* options, benchReport* report)
{
	static const char* const names[REDUNDANCIES] = { "rigid", "fields at rest, set before every query",
		"fields, other tiny amplitudes each time" };
	closePair pairs[REDUNDANCIES] = { { .model = NULL } };
	snugStatus status = snug_success;
	benchProgress(options, "modal: rigid motion …");
	for (int k = 0; k < REDUNDANCIES && status == snug_success; ++k)
	{
		status = MakePair(&pairs[k], body, (redundancy)k);
	}
	for (int pass = 0; pass < (!options->full ? 5 : 15) && status == snug_success; ++pass)
	{
		for (int k = 0; k < REDUNDANCIES; ++k)
		{
			TimePair(&pairs[k], (redundancy)k, body->length);
		}
	}
	if (status != snug_success || pairs[redundant_zero].pairs != pairs[redundant_none].pairs)
	{
		benchReport_Fail(
		    report, "%s: cannot make bodies, or those at rest find other pairs than rigid ones", body->name);
	}
	double rigid = BestOfAll(&pairs[redundant_none]), zero = BestOfAll(&pairs[redundant_zero]);
	double tiny = BestOfAll(&pairs[redundant_tiny]);
	for (int k = 0; k < REDUNDANCIES; ++k)
	{
		benchRow* row = benchReport_AddRow(report, "1,000 pairs of chairs in random poses, close to each other");
		benchRow_Text(row, "method", names[k]);
		benchRow_Number(row, "microsecondsPerPair", 1e3 * BestOfAll(&pairs[k]) / CLOSE_PAIRS, 2);
		benchRow_Number(row, "overRigid", BestOfAll(&pairs[k]) / rigid, 2);
		benchRow_Count(row, "pairs", pairs[k].pairs);
		snugBody_Destroy(pairs[k].bodies[0]);
		snugBody_Destroy(pairs[k].bodies[1]);
		snugModel_Destroy(pairs[k].model);
		free(pairs[k].best);
	}
	benchReport_AddAim(
	    report, zero / rigid, 1.25, "1,000 pairs of chairs, rigid motion with redundant updates / rigid");
	benchReport_AddAim(
	    report, tiny / rigid, 1.25, "1,000 pairs of chairs, all that is looked at computed anew / rigid");
}

// Other meshes, where they are at hand.
static void RunReal(const benchOptions* options, benchReport* report)
{
	static const char* const files[] = { "sheen_chair.glb", "bridge.obj", "fish.obj" };
	static const char* const names[] = { "real chair", "real bridge", "real fish" };
	for (int i = 0; i < 3 && report->failure[0] == '\0'; ++i)
	{
		char path[512];
		snprintf(path, sizeof(path), "%s/%s", benchGetModelDirectory(options), files[i]);
		sceneMesh mesh = benchLoadMesh(path, NULL);
		benchModalBody body;
		if (sceneMesh_IsValid(&mesh) && MakeBody(&body, names[i], mesh, options, report))
		{
			RunTightness(&body, options, report);
			RunContact(&body, options, report);
			benchModalBody_Free(&body);
		}
	}
}

void benchModal(const benchOptions* options, benchReport* report)
{
	benchModalBody chair, bridge = { .fields = NULL };
	if (!MakeBody(&chair, "chair", sceneMakeChair(1), options, report))
	{
		return;
	}
	// What is said of the bridge takes minutes.
	bool hasBridge = options->full && MakeBody(&bridge, "bridge", sceneMakeBridge(1), options, report);
	RunTightness(&chair, options, report);
	benchActor actor = benchModalBody_GetActor(&chair);
	benchBdLevels(report, "chair", &actor, &benchBdChair);
	RunContact(&chair, options, report);
	RunRigid(&chair, options, report);
	snugFrame places[BENCH_MODAL_FRAMES];
	PlaceSecond(&chair, places);
	benchModalContacts(report, &chair, places);
	benchShrinking(report);
	if (hasBridge)
	{
		RunTightness(&bridge, options, report);
		RunContact(&bridge, options, report);
		RunReal(options, report);
	}
	benchModalBody_Free(&chair);
	benchModalBody_Free(&bridge);
}
