// `snug bench free`: every vertex moves in every frame and is given by the caller, as from a simulation.
#include "bench/bodies.h"
#include "bench/sizes.h"

#include <math.h>

static void AddRow(
    benchReport* report, const benchScene* scene, const char* method, const snugTreeDef* tree, const benchTimes* times)
{
	const sceneMesh* mesh = &scene->encounter.blobs[0].sphere;
	benchRow* row = benchReport_AddRow(report, "Refit and query, per frame");
	benchRow_Text(row, "contact", scene->answers.name);
	benchRow_Count(row, "vertices", mesh->vertexCount);
	benchRow_Text(row, "method", times->measured ? method : "Embree: not installed");
	if (!times->measured)
	{
		return;
	}
	double set = tree != NULL ? benchSamples_Median(&times->set) : 0.0, refit = benchSamples_Median(&times->refit);
	double query = benchSamples_Median(&times->query);
	if (tree != NULL)
	{
		benchRow_Number(row, "setMsPerBody", set, 3);
	}
	benchRow_Number(row, "refitMsPerBody", refit, 3);
	benchRow_Number(row, "nsPerVertex", 1e6 * (set + refit) / mesh->vertexCount, 2);
	benchRow_Number(row, "nsPerTriangle", 1e6 * (set + refit) / mesh->triangleCount, 2);
	benchRow_Number(row, "queryMs", query, 3);
	benchRow_Number(row, "queryMsMin", benchSamples_Min(&times->query), 3);
	benchRow_Number(row, "totalMs", 2.0 * (set + refit) + query, 3);
	benchRow_Number(row, "pairs", benchAnswers_GetMean(&scene->answers), 0);
	benchRow_Number(row, "microsecondsPerPair", benchSamples_Median(&times->perPair), 3);
	benchRow_Number(row, "triangleTests", times->triangleTests, 0);
	if (tree != NULL)
	{
		benchRow_Number(row, "volumeTests", times->volumeTests, 0);
		benchRow_Number(row, "exactTests", times->exactTests, 0);
	}
	else
	{
		benchRow_Number(row, "boxesOnlyMs", benchSamples_Median(&times->boxes), 3);
	}
	benchRow_Hash(row, "pairsHash", benchAnswers_GetHash(&scene->answers));
}

static void RunScene(const benchOptions* options, benchReport* report, sceneContact contact, double* fullRefit)
{
	static const snugTreeDef trees[3] = { { .split = snug_splitDefault, .leafTriangles = 0, .branching = 0 },
		{ .split = snug_splitSurfaceArea, .leafTriangles = 4, .branching = 4 },
		{ .split = snug_splitSurfaceArea, .leafTriangles = 1, .branching = 2 } };
	static const char* names[3] = { "ours", "ours, 4 children, leaves of 4", "ours, 2 children, leaves of 1" };
	benchScene scene;
	int frames = !options->full ? 12 : 24, passes = !options->full ? 3 : 5;
	if (!benchScene_Create(&scene, snug_free, 67, contact, frames, report))
	{
		return;
	}
	double ours = NAN, perPair = NAN;
	for (int i = 0; i < 3 && report->failure[0] == '\0'; ++i)
	{
		benchTimes times = benchRunSnug(&scene, &trees[i], passes, report);
		AddRow(report, &scene, names[i], &trees[i], &times);
		if (i == 0)
		{
			ours = benchSamples_Median(&times.query);
			perPair = benchSamples_Median(&times.perPair);
			*fullRefit = benchSamples_Median(&times.set) + benchSamples_Median(&times.refit);
		}
	}
	benchTimes refitted = benchRunEmbree(&scene, embree_refit, !options->full ? 1 : passes, report);
	AddRow(report, &scene, "Embree, refitted", NULL, &refitted);
	benchTimes rebuilt = benchRunEmbree(&scene, embree_rebuild, 1, report);
	AddRow(report, &scene, "Embree, rebuilt", NULL, &rebuilt);
	benchVerify(&scene, !options->full ? frames / 2 : frames / 4, report);
	// Against the better of Embree's trees.
	double embree = fmin(benchSamples_Median(&refitted.query), benchSamples_Median(&rebuilt.query));
	benchReport_AddAim(
	    report, perPair, 1.0, "free, %s contact at 45K vertices: query, microseconds per pair", scene.answers.name);
	benchReport_AddAim(report, ours / embree, 1.0,
	    "free, %s contact: query, ours / Embree's boxes and the same triangle test", scene.answers.name);
	benchScene_Free(&scene);
}

// Set a range of the vertices and refit, alternating between two shapes so that something always changes.
static double TimeRange(
    snugBody* body, const sceneEncounter* encounter, const float* other, uint32_t first, uint32_t count)
{
	benchSamples samples = { .count = 0 };
	for (int i = 0; i < 60; ++i)
	{
		const float* shape = (i & 1) ? other : encounter->positions[0];
		double start = benchNow();
		snugStatus status = snugBody_SetVertices(body, shape + 3 * (size_t)first, 0, first, count);
		status = status == snug_success ? snugBody_Refit(body) : status;
		double elapsed = benchNow() - start;
		if (status != snug_success)
		{
			return NAN;
		}
		if (i >= 10)
		{
			benchSamples_Add(&samples, elapsed);
		}
	}
	return benchSamples_Median(&samples);
}

static void RunPartial(benchReport* report)
{
	static const double fractions[] = { 0.001, 0.01, 0.1, 1.0 };
	benchScene scene;
	benchBodies bodies;
	snugTreeDef tree = { .leafTriangles = 0 };
	if (!benchScene_Create(&scene, snug_free, 67, scene_light, 2, report))
	{
		return;
	}
	sceneEncounter_Deform(&scene.encounter, 1);
	const sceneBlob* blob = &scene.encounter.blobs[0];
	uint32_t vertexCount = blob->sphere.vertexCount;
	sceneBlob_Deform(blob, 20.0, SCENE_WAVE_HEIGHT, 1.0, (double[3]){ 0.0, 0.0, 0.0 }, scene.world[0]);
	if (benchBodies_Create(&bodies, &scene, &tree, report))
	{
		for (int i = 0; i < 4; ++i)
		{
			uint32_t count = (uint32_t)(fractions[i] * vertexCount), first = (vertexCount - count) / 2;
			double ms = TimeRange(bodies.bodies[0], &scene.encounter, scene.world[0], first, count);
			benchRow* row = benchReport_AddRow(report, "Setting and refitting a range of one body's vertices");
			benchRow_Count(row, "verticesSet", count);
			benchRow_Count(row, "vertices", vertexCount);
			benchRow_Number(row, "setAndRefitMs", ms, 4);
			benchRow_Number(row, "nsPerVertexSet", 1e6 * ms / count, 1);
		}
		benchBodies_Destroy(&bodies);
	}
	benchScene_Free(&scene);
}

void benchFree(const benchOptions* options, benchReport* report)
{
	double refits[2] = { NAN, NAN };
	benchProgress(options, "free: light contact …");
	RunScene(options, report, scene_light, &refits[0]);
	benchProgress(options, "free: heavy contact …");
	RunScene(options, report, scene_heavy, &refits[1]);
	benchReport_AddAim(report, fmax(refits[0], refits[1]), 0.4,
	    "free body of 90K triangles: reading its vertices and refitting bottom-up, milliseconds");
	RunPartial(report);
	benchBodySizes(report, snug_free);
}
