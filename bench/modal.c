// `snug bench modal`: chairs, bridges and a fish that vibrate in ten modes of a finite-element model.
//
// Amplitudes are chosen so that the paper's own bound is as loose as published: on the bridge, BD spheres of level 6
// are 1.25 times as large as at rest. The chair gets the same.
#include "bench/field_tightness.h"
#include "bench/modal_body.h"
#include "bench/timer.h"

#include <math.h>
#include <stdlib.h>

/// What the paper reports for level 6 of its bridge: mean and greatest radius of BD spheres and of layered ones, over
/// those of the undeformed wrapped spheres.
#define PAPER_LEVEL 6
#define PAPER_GROWTH 1.25
#define PAPER_LAYERED 1.31

static benchFieldPoses PosesOf(const benchModalBody* body, const benchOptions* options)
{
	return (benchFieldPoses){
		.name = body->name,
		.actor = benchModalBody_GetActor(body),
		.frameCount = BENCH_MODAL_FRAMES,
		.step = options->quick ? 20 : 12,
		.leafTriangles = body->mesh.triangleCount > 50000 ? 8 : 1,
	};
}

// Growth is linear in the amplitudes, since it is a sum over |q|.
static void SetAmplitudes(benchModalBody* body, const benchOptions* options, benchReport* report)
{
	benchModalBody_Vibrate(body, 0.05);
	benchFieldPoses poses = PosesOf(body, options);
	poses.onlySpheres = true;
	poses.leafTriangles = 8;
	benchFieldTightness found;
	if (benchFieldTightness_Measure(&found, &poses, options, report))
	{
		benchModalBody_Vibrate(body, 0.05 * (PAPER_GROWTH - 1.0) / (found.spheres[PAPER_LEVEL] - 1.0));
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
	benchFieldPoses poses = PosesOf(body, options);
	benchFieldTightness found;
	char text[96];
	snprintf(text, sizeof(text), "modal: tightness of the %s …", body->name);
	benchProgress(options, text);
	if (!benchFieldTightness_Measure(&found, &poses, options, report))
	{
		return;
	}
	benchFieldTightness_AddRows(report, &poses, &found);
	benchReport_AddAim(report, benchFieldTightness_GetDeep(&found, snug_boundDefault), 1.1,
	    "%s: deep levels, mean radius / optimal, default bound", body->name);
	// A first-order box over the box that is optimal, beside a BD sphere over its sphere at rest.
	benchReport_AddAim(report, found.mean[BENCH_FIELD_BOUNDS - 1][PAPER_LEVEL], PAPER_GROWTH,
	    "%s: level 6, mean radius / optimal, default bound; BD spheres over those at rest: 1.25", body->name);
}

// --- Contact --------------------------------------------------------------------------------------------------------

// Two of the same body approach, touch and part, while they vibrate and one of them turns.
static void RunContact(const benchModalBody* body, const benchOptions* options, benchReport* report)
{
	snugFrame places[BENCH_MODAL_FRAMES];
	char name[64];
	for (int f = 0; f < BENCH_MODAL_FRAMES; ++f)
	{
		double t = (double)f / (BENCH_MODAL_FRAMES - 1), away = 0.35 + 1.2 * (t - 0.5) * (t - 0.5);
		const double position[3] = { away * body->length, 0.1 * body->length, 0.15 * body->length };
		const double axis[3] = { 0.2, 1.0, 0.3 };
		places[f] = sceneMakeFrame(position, axis, 1.0 + 0.5 * t);
	}
	snprintf(name, sizeof(name), "two %ss", body->name);
	benchProgress(options, "modal: contact …");
	benchFieldedScene scene = {
		.name = name,
		.actors = { benchModalBody_GetActor(body), benchModalBody_GetActor(body) },
		.frameCount = BENCH_MODAL_FRAMES,
	};
	scene.actors[1].places = places;
	benchFieldedResult results[BENCH_FIELDED_METHODS];
	benchFielded_Run(&scene, options, options->quick ? 3 : 5, results, report);
	const benchFieldedResult* ours = results + benchFielded_Find("ours");
	const benchFieldedResult* oracle = results + benchFielded_Find("oracle");
	benchReport_AddAim(report, ours->bestMicroseconds / oracle->bestMicroseconds, 1.5, "%s: ours / oracle", name);
}

// --- Rigid motion
// -----------------------------------------------------------------------------------------------------

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

// Milliseconds for all pairs of chairs: the least of some passes.
static double TimePairs(const benchModalBody* body, redundancy kind, int passes, uint64_t* pairs, benchReport* report)
{
	benchFielded actor = benchModalBody_GetActor(body);
	const benchFieldedMethod method = { .strategy = snug_strategyAuto };
	actor.fieldCount = kind == redundant_none ? 0 : BENCH_MODES;
	snugModel* model = NULL;
	snugBody* bodies[2] = { NULL, NULL };
	float amplitudes[BENCH_MODES];
	for (int j = 0; j < BENCH_MODES; ++j)
	{
		amplitudes[j] = kind == redundant_tiny ? 1e-7f * (float)body->length : 0.0f;
	}
	snugStatus status = benchFielded_MakeModel(&actor, &method, &model);
	for (int i = 0; i < 2 && status == snug_success; ++i)
	{
		snugBodyDef def = { .model = model };
		status = snugBody_Create(&def, &bodies[i]);
	}
	double least = INFINITY;
	for (int pass = 0; pass < passes && status == snug_success; ++pass)
	{
		uint64_t state = 7;
		double start = benchNow();
		*pairs = 0;
		for (int n = 0; n < CLOSE_PAIRS; ++n)
		{
			snugFrame place = ClosePlace(&state, body->length);
			snugBody_SetFrame(bodies[1], &place);
			for (int i = 0; kind != redundant_none && i < 2; ++i)
			{
				amplitudes[0] = -amplitudes[0];
				snugBody_SetAmplitudes(bodies[i], amplitudes, BENCH_MODES);
				amplitudes[1] = i == 0 ? amplitudes[1] : -amplitudes[1];
			}
			*pairs += snugCollide(bodies[0], bodies[1], NULL).count;
		}
		least = fmin(least, benchNow() - start);
	}
	if (status != snug_success)
	{
		benchReport_Fail(report, "%s: %s", body->name, snugGetStatusText(status));
	}
	for (int i = 0; i < 2; ++i)
	{
		snugBody_Destroy(bodies[i]);
	}
	snugModel_Destroy(model);
	return least;
}

static void RunRigid(const benchModalBody* body, const benchOptions* options, benchReport* report)
{
	static const char* const names[REDUNDANCIES] = { "rigid", "fields at rest, set before every query",
		"fields, other tiny amplitudes before every query" };
	double times[REDUNDANCIES];
	uint64_t pairs[REDUNDANCIES] = { 0 };
	benchProgress(options, "modal: rigid motion …");
	for (int k = 0; k < REDUNDANCIES; ++k)
	{
		times[k] = TimePairs(body, (redundancy)k, options->quick ? 3 : 7, &pairs[k], report);
		benchRow* row = benchReport_AddRow(report, "1,000 pairs of chairs in random poses, close to each other");
		benchRow_Text(row, "method", names[k]);
		benchRow_Number(row, "microsecondsPerPair", 1e3 * times[k] / CLOSE_PAIRS, 2);
		benchRow_Number(row, "overRigid", times[k] / times[0], 2);
		benchRow_Count(row, "pairs", pairs[k]);
	}
	if (pairs[redundant_zero] != pairs[redundant_none])
	{
		benchReport_Fail(report, "chairs at rest find other pairs than rigid ones");
	}
	benchReport_AddAim(report, times[redundant_zero] / times[redundant_none], 1.25,
	    "1,000 pairs of chairs, rigid motion with redundant updates / rigid");
	benchReport_AddAim(report, times[redundant_tiny] / times[redundant_none], 1.25,
	    "1,000 pairs of chairs, all that is looked at computed anew / rigid");
}

// Other meshes, where they are at hand.
static void RunReal(const benchOptions* options, benchReport* report)
{
	static const char* const files[] = { "sheen_chair.glb", "bridge.obj", "fish.obj" };
	static const char* const names[] = { "real chair", "real bridge", "real fish" };
	for (int i = 0; i < 3 && report->failure[0] == '\0'; ++i)
	{
		sceneMesh mesh = benchLoadMesh(options, files[i]);
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
	if (!MakeBody(&chair, "chair", sceneMakeChair(), options, report))
	{
		return;
	}
	bool hasBridge = !options->quick && MakeBody(&bridge, "bridge", sceneMakeBridge(), options, report);
	benchProgress(options, "modal: updates …");
	benchModalUpdates(report, &chair, hasBridge ? &bridge : NULL);
	RunTightness(&chair, options, report);
	RunContact(&chair, options, report);
	RunRigid(&chair, options, report);
	if (hasBridge)
	{
		RunTightness(&bridge, options, report);
		RunContact(&bridge, options, report);
		RunReal(options, report);
	}
	benchModalBody_Free(&chair);
	benchModalBody_Free(&bridge);
}
