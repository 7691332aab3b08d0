// `snug bench meshless-tightness`: Fig. 5 of the 2008 paper: how large bounds are, by level, over strong poses.
#include "bench/tightness.h"

#include <stdlib.h>

#define POSES 8

/// One body with one tree.
typedef struct meshlessCase
{
	uint32_t nodeCount;
	uint32_t vertexCount;
	const char* tree;
	benchTightness tightness;
} meshlessCase;

// From half to full strength; the pull, the twist and the bend together, each at its own pace.
// Returns the matrices of all poses, to be freed, or null.
static float* MakePoses(const sceneMeshless* meshless)
{
	uint32_t nodeCount = meshless->weights.transformCount;
	snugMeshlessNode* nodes = malloc(nodeCount * sizeof(snugMeshlessNode));
	float* matrices = malloc(POSES * 12 * (size_t)nodeCount * sizeof(float));
	for (int pose = 0; nodes != NULL && matrices != NULL && pose < POSES; ++pose)
	{
		double t = 0.5 + 0.5 * (double)pose / (double)(POSES - 1);
		const sceneBending bending = { t, 0.25 + 0.75 * t, t * t };
		sceneMeshless_PoseNodes(meshless, &bending, nodes);
		sceneMakeMatrices(nodes, nodeCount, matrices + 12 * (size_t)pose * nodeCount);
	}
	if (nodes == NULL)
	{
		free(matrices);
		matrices = NULL;
	}
	free(nodes);
	return matrices;
}

static void Measure(const sceneMeshless* meshless, meshlessCase cases[2], benchReport* report)
{
	static const snugTreeDef trees[2] = { { .split = snug_splitMedian, .leafTriangles = 1, .branching = 2 },
		{ .split = snug_splitDefault, .leafTriangles = 0, .branching = 0 } };
	static const char* const names[2] = { "2 children, leaves of 1", "default" };
	float* matrices = MakePoses(meshless);
	if (matrices == NULL)
	{
		benchReport_Fail(report, "out of memory");
		return;
	}
	for (int i = 0; i < 2; ++i)
	{
		benchActor actor = benchActor_Skinned(&meshless->mesh, &meshless->weights, matrices, POSES, NULL);
		cases[i].nodeCount = meshless->weights.transformCount;
		cases[i].vertexCount = meshless->mesh.vertexCount;
		cases[i].tree = names[i];
		benchTightness_Measure(&cases[i].tightness, &actor, &trees[i], true, report);
	}
	free(matrices);
}

static void AddCase(benchRow* row, const meshlessCase* c)
{
	benchRow_Count(row, "vertices", c->vertexCount);
	benchRow_Count(row, "transforms", c->nodeCount);
	benchRow_Text(row, "tree", c->tree);
}

static void AddRootRows(benchReport* report, const meshlessCase* cases, int count)
{
	for (int i = 0; i < count; ++i)
	{
		const benchTightness* t = &cases[i].tightness;
		benchRow* row = benchReport_AddRow(
		    report, "How loose Eq. (12) is at the root: poses were made for about the paper's greatest");
		AddCase(row, cases + i);
		benchRow_Number(row, "limitedGreatest", t->most[0][0], 2);
		benchRow_Number(row, "paperGreatest", 2.5, 1);
		benchRow_Number(row, "limitedMean", benchTightness_GetMean(t, 0, 0), 2);
		benchRow_Number(row, "paperMean", 1.5, 1);
		benchRow_Number(row, "spheresOverLimitedGreatest", t->most[BENCH_SPHERES][0] / t->most[0][0], 1);
		benchRow_Number(row, "termByTermOverLimitedGreatest",
		    t->most[BENCH_SPHERES + accumulated_termByTerm][0] / t->most[0][0], 1);
		if (cases[i].nodeCount == 509)
		{
			benchRow_Number(row, "paperSpheresOverLimited", 68.0, 0);
		}
	}
}

// One table of all cases, and a plot for each of them.
static void AddLevelRows(benchReport* report, const meshlessCase* cases, int count, bool isMean)
{
	for (int i = 0; i < count; ++i)
	{
		const meshlessCase* c = cases + i;
		char title[64];
		int firstRow = report->rowCount;
		for (uint32_t level = 0; level < c->tightness.levels; ++level)
		{
			benchRow* row = benchReport_AddRow(report,
			    isMean ? "Radius / optimal radius, mean over poses and nodes" : "Radius / optimal radius, greatest");
			AddCase(row, c);
			benchTightness_AddCells(row, &c->tightness, level, isMean);
		}
		snprintf(title, sizeof(title), "%u transforms, %s", c->nodeCount, c->tree);
		benchTightness_AddPlot(report, &c->tightness, firstRow, isMean, title);
	}
}

static void AddAims(benchReport* report, const benchTightness* few, const benchTightness* many)
{
	const int ours = BENCH_BOUNDS - 1;
	benchReport_AddAim(
	    report, benchTightness_GetMean(few, ours, 0), 1.7, "default, 65 nodes, paper's tree: mean ratio at the root");
	benchReport_AddAim(report, benchTightness_GetWorstMean(few, ours, 5, 8), 1.6,
	    "default, 65 nodes, paper's tree: worst mean ratio of levels 5 to 8");
	benchReport_AddAim(report, benchTightness_GetWorstMean(few, ours, few->levels - 2, few->levels - 1), 1.1,
	    "default, 65 nodes, paper's tree: worst mean ratio of the two deepest levels");
	benchReport_AddAim(
	    report, benchTightness_GetMean(many, ours, 0), 1.3, "default, 509 nodes, paper's tree: mean ratio at the root");
	benchReport_AddAim(report, many->most[0][0] / many->most[BENCH_SPHERES][0], 1.0,
	    "509 nodes: Eq. (12)'s root / that of accumulated spheres (the paper's is 1/68)");
}

void benchMeshlessTightness(const benchOptions* options, benchReport* report)
{
	static const uint32_t nodeCounts[2] = { 65, 509 };
	meshlessCase* cases = calloc(4, sizeof(meshlessCase));
	for (int i = 0; i < 2 && cases != NULL && report->failure[0] == '\0'; ++i)
	{
		sceneMeshless meshless;
		benchProgress(options, i == 0 ? "meshless-tightness: 65 nodes …" : "meshless-tightness: 509 nodes …");
		if (benchMakeMeshless(&meshless, options, !options->full ? 32 : 55, nodeCounts[i], report))
		{
			Measure(&meshless, cases + 2 * i, report);
			sceneMeshless_Free(&meshless);
		}
	}
	if (cases == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	else if (report->failure[0] == '\0')
	{
		AddRootRows(report, cases, 4);
		AddLevelRows(report, cases, 4, true);
		AddLevelRows(report, cases, 4, false);
		AddAims(report, &cases[0].tightness, &cases[2].tightness);
	}
	free(cases);
}
