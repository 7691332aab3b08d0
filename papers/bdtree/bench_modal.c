// `snug bench modal`: a chair and a bridge that vibrate in ten modes of a finite-element model.
//
// Amplitudes are chosen so that the paper's own bound is as loose as published: on the bridge, BD spheres of level 6
// are 1.25 times as large as at rest. The chair gets the same.
#include "papers/bdtree/bd_levels.h"
#include "papers/bdtree/modal_body.h"
#include "papers/common/tightness.h"

#include <math.h>
#include <stdlib.h>

/// What the paper reports for level 6 of its bridge: the mean radius of BD spheres over that of the undeformed wrapped
/// ones.
#define PAPER_LEVEL 6
#define PAPER_GROWTH 1.25

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
	snugFrame places[BENCH_MODAL_FRAMES];
	PlaceSecond(&chair, places);
	benchModalContacts(report, &chair, places);
	benchShrinking(report);
	if (hasBridge)
	{
		RunTightness(&bridge, options, report);
		RunContact(&bridge, options, report);
	}
	benchModalBody_Free(&chair);
	benchModalBody_Free(&bridge);
}
