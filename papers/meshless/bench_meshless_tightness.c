// `snug bench meshless-tightness`: Fig. 5 of the 2008 paper: how large its bounds are, by level, over strong poses.
#include "lab/bench/blend_bodies.h"
#include "papers/common/tightness.h"

#include <stdlib.h>

#define POSES 8

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

static void AddRows(benchReport* report, const sceneMeshless* meshless, const benchTightness* t)
{
	double greatest = benchTightness_GetMost(t, bench_eq12, 0);
	benchRow* row =
	    benchReport_AddRow(report, "How loose Eq. (12) is at the root: poses were made for about the paper's greatest");
	benchRow_Count(row, "vertices", meshless->mesh.vertexCount);
	benchRow_Count(row, "transforms", meshless->weights.transformCount);
	benchRow_Number(row, "limitedGreatest", greatest, 2);
	benchRow_Number(row, "paperGreatest", 2.5, 1);
	benchRow_Number(row, "limitedMean", benchTightness_GetMean(t, bench_eq12, 0), 2);
	benchRow_Number(row, "paperMean", 1.5, 1);
	benchRow_Number(row, "spheresOverLimitedGreatest", benchTightness_GetMost(t, bench_accumulated, 0) / greatest, 1);
	benchRow_Number(row, "termByTermOverLimitedGreatest", benchTightness_GetMost(t, bench_termByTerm, 0) / greatest, 1);
	benchRow_Number(row, "oursMean", benchTightness_GetMean(t, bench_oursAtRoot, 0), 2);
	benchRow_Number(row, "oursGreatest", benchTightness_GetMost(t, bench_oursAtRoot, 0), 2);
	benchReport_AddAim(report, benchTightness_GetMean(t, bench_oursAtRoot, 0), 1.7,
	    "default, %u nodes: mean ratio at the root", meshless->weights.transformCount);
}

static void Measure(benchReport* report, benchReport* levels, const sceneMeshless* meshless)
{
	static benchTightness found;
	float* matrices = MakePoses(meshless);
	benchActor actor = benchActor_Skinned(&meshless->mesh, &meshless->weights, matrices, POSES, NULL);
	if (matrices == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	else if (benchTightness_OfMeshless(&found, &actor, report))
	{
		char title[32];
		snprintf(title, sizeof(title), "%u transforms", meshless->weights.transformCount);
		AddRows(report, meshless, &found);
		benchTightness_AddMeshlessRows(levels, title, &found);
	}
	free(matrices);
}

void benchMeshlessTightness(const benchOptions* options, benchReport* report)
{
	static const uint32_t nodeCounts[2] = { 65, 509 };
	benchReport levels = { .rowCount = 0 };
	for (int i = 0; i < 2 && report->failure[0] == '\0'; ++i)
	{
		sceneMeshless meshless;
		benchProgress(options, i == 0 ? "meshless-tightness: 65 nodes …" : "meshless-tightness: 509 nodes …");
		if (benchMakeMeshless(&meshless, options, !options->full ? 32 : 55, nodeCounts[i], report))
		{
			Measure(report, &levels, &meshless);
			sceneMeshless_Free(&meshless);
		}
	}
	benchReport_TakeRows(report, &levels);
}
