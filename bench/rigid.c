// `snug bench rigid`: what a query costs once deformation is free. Every other deformer is measured against it.
#include "bench/bodies.h"
#include "bench/sizes.h"

#include <math.h>

typedef struct variant
{
	snugTreeDef tree;
	bool quick; ///< run in quick runs too
} variant;

// The default first; then one thing changed at a time; then the rest.
static const variant variants[] = {
	{ { .split = snug_splitDefault, .leafTriangles = 0, .branching = 0 }, true },
	{ { .split = snug_splitMedian, .leafTriangles = 8, .branching = 8 }, true },
	{ { .split = snug_splitSurfaceArea, .leafTriangles = 4, .branching = 8 }, true },
	{ { .split = snug_splitSurfaceArea, .leafTriangles = 1, .branching = 8 }, false },
	{ { .split = snug_splitSurfaceArea, .leafTriangles = 8, .branching = 4 }, true },
	{ { .split = snug_splitSurfaceArea, .leafTriangles = 4, .branching = 4 }, false },
	{ { .split = snug_splitSurfaceArea, .leafTriangles = 1, .branching = 4 }, false },
	{ { .split = snug_splitSurfaceArea, .leafTriangles = 8, .branching = 2 }, false },
	{ { .split = snug_splitSurfaceArea, .leafTriangles = 4, .branching = 2 }, false },
	{ { .split = snug_splitSurfaceArea, .leafTriangles = 1, .branching = 2 }, true },
	{ { .split = snug_splitMedian, .leafTriangles = 4, .branching = 8 }, false },
	{ { .split = snug_splitMedian, .leafTriangles = 8, .branching = 4 }, false },
	{ { .split = snug_splitMedian, .leafTriangles = 1, .branching = 2 }, false },
};

#define VARIANTS (int)(sizeof(variants) / sizeof(variants[0]))

static void AddTreeCells(benchRow* row, const snugTreeDef* tree)
{
	bool isDefault = tree->split == snug_splitDefault;
	benchRow_Text(row, "method", isDefault ? "ours" : "ours, other tree");
	benchRow_Text(row, "split", isDefault ? "default" : tree->split == snug_splitMedian ? "median" : "surface area");
	benchRow_Count(row, "branching", tree->branching > 0 ? (uint64_t)tree->branching : 8);
	benchRow_Count(row, "leafTriangles", tree->leafTriangles > 0 ? (uint64_t)tree->leafTriangles : 8);
}

static void AddTimeCells(benchRow* row, const benchScene* scene, const benchTimes* times)
{
	benchRow_Number(row, "queryMs", benchSamples_Median(&times->query), 3);
	benchRow_Number(row, "queryMsMin", benchSamples_Min(&times->query), 3);
	benchRow_Number(row, "pairs", benchAnswers_GetMean(&scene->answers), 0);
	benchRow_Number(row, "microsecondsPerPair", benchSamples_Median(&times->perPair), 3);
}

static void AddOurRow(benchReport* report, const benchScene* scene, const snugTreeDef* tree, const benchTimes* times)
{
	benchRow* row = benchReport_AddRow(report, "Query, per frame");
	benchRow_Text(row, "contact", scene->answers.name);
	benchRow_Count(row, "vertices", scene->encounter.blobs[0].sphere.vertexCount);
	AddTreeCells(row, tree);
	benchRow_Number(row, "buildMs", times->buildMs, 1);
	AddTimeCells(row, scene, times);
	benchRow_Number(row, "volumeTests", times->volumeTests, 0);
	benchRow_Number(row, "verticesEvaluated", times->verticesEvaluated, 0);
	benchRow_Number(row, "triangleTests", times->triangleTests, 0);
	benchRow_Number(row, "exactTests", times->exactTests, 0);
	benchRow_Hash(row, "pairsHash", benchAnswers_GetHash(&scene->answers));
}

static void AddEmbreeRow(benchReport* report, const benchScene* scene, const char* method, const benchTimes* times)
{
	benchRow* row = benchReport_AddRow(report, "Query, per frame");
	benchRow_Text(row, "contact", scene->answers.name);
	benchRow_Count(row, "vertices", scene->encounter.blobs[0].sphere.vertexCount);
	benchRow_Text(row, "method", times->measured ? method : "Embree: not installed");
	if (times->measured)
	{
		benchRow_Number(row, "buildMs", benchSamples_Median(&times->refit), 1);
		AddTimeCells(row, scene, times);
		benchRow_Number(row, "triangleTests", times->triangleTests, 0);
		benchRow_Number(row, "boxesOnlyMs", benchSamples_Median(&times->boxes), 3);
		benchRow_Hash(row, "pairsHash", benchAnswers_GetHash(&scene->answers));
	}
}

// All methods on one scene; only the first size has variants of the tree, and aims.
static void RunScene(const benchOptions* options, benchReport* report, uint32_t frequency, sceneContact contact)
{
	benchScene scene;
	int frames = !options->full ? 12 : 24, passes = !options->full ? 3 : 5;
	if (!benchScene_Create(&scene, snug_rigid, frequency, contact, frames, report))
	{
		return;
	}
	bool main = frequency == 67;
	double ours = NAN, perPair = NAN, embree = NAN;
	for (int i = 0; i < (main ? VARIANTS : 1) && report->failure[0] == '\0'; ++i)
	{
		if (variants[i].quick || options->full)
		{
			benchTimes times = benchRunSnug(&scene, &variants[i].tree, passes, report);
			AddOurRow(report, &scene, &variants[i].tree, &times);
			ours = i == 0 ? benchSamples_Median(&times.query) : ours;
			perPair = i == 0 ? benchSamples_Median(&times.perPair) : perPair;
		}
	}
	benchTimes rebuilt = benchRunEmbree(&scene, embree_rebuild, 1, report);
	AddEmbreeRow(report, &scene, "Embree, rebuilt", &rebuilt);
	embree = benchSamples_Median(&rebuilt.query);
	benchVerify(&scene, !options->full ? frames / 2 : frames / 4, report);
	if (main)
	{
		benchReport_AddAim(report, perPair, 1.0, "rigid, %s contact at 45K vertices: query, microseconds per pair",
		    scene.answers.name);
		benchReport_AddAim(report, ours / embree, 1.0,
		    "rigid, %s contact: query, ours / Embree's boxes and the same triangle test", scene.answers.name);
	}
	benchScene_Free(&scene);
}

void benchRigid(const benchOptions* options, benchReport* report)
{
	static const uint32_t frequencies[2] = { 67, 71 }; // 89,780 and 100,820 triangles
	for (int i = 0; i < 2; ++i)
	{
		benchProgress(options, i == 0 ? "rigid: 45K vertices …" : "rigid: 100K triangles …");
		RunScene(options, report, frequencies[i], scene_light);
		RunScene(options, report, frequencies[i], scene_heavy);
	}
	benchProgress(options, "rigid: building large models …");
	benchBuilds(options, report);
	benchBodySizes(report, snug_rigid);
}
