// Numbers of single nodes and of models: what it costs to refit one, to build one, to keep one.
#include "bench/blend_bodies.h"
#include "bench/timer.h"
#include "body/body.h"
#include "deform/skin/blend.h"

#include <math.h>
#include <stdlib.h>

#define FAMILIES 16 // few enough to stay in a cache close by

/// Families right above those of leaves, from the middle of a tree, where queries spend their refits.
typedef struct leafFamilies
{
	sgLaneSet families[FAMILIES];
	uint32_t count;
	uint32_t nodes;
	double transforms; ///< mean per family
} leafFamilies;

static bool AreAboveLeaves(const sgTree* tree, sgLaneSet family)
{
	for (uint32_t rest = family.mask; rest != 0; rest &= rest - 1)
	{
		uint32_t slot = family.group * SG_LANES + sgLowestBit(rest);
		if (sgTree_IsLeaf(tree, slot) || sgTree_Children(tree, slot).mask != sgTree_Children(tree, slot).leafMask)
		{
			return false;
		}
	}
	return true;
}

static leafFamilies FindFamilies(const snugModel* model)
{
	const sgTree* tree = &model->tree;
	sgBlend blend = sgBlend_Get(model);
	leafFamilies found = { .count = 0 };
	uint32_t slots = tree->groupCount * SG_LANES;
	for (uint32_t i = 0; i < slots && found.count < FAMILIES; ++i)
	{
		uint32_t slot = (i + slots / 2) % slots;
		if (tree->nodes[slot].childCount == 0 || blend.familyOfParent[slot] == SG_NONE)
		{
			continue;
		}
		sgLaneSet family = sgTree_Children(tree, slot);
		if (AreAboveLeaves(tree, family))
		{
			found.families[found.count++] = family;
			found.nodes += (uint32_t)__builtin_popcount(family.mask);
			found.transforms += (double)blend.families[blend.familyOfParent[slot]].entryCount;
		}
	}
	found.transforms /= found.count > 0 ? (double)found.count : 1.0;
	return found;
}

// Nanoseconds per node, warm: the same families again and again.
static double TimeFamilies(snugBody* body, const leafFamilies* families)
{
	benchSamples samples = { .count = 0 };
	sgBoundsScratch bounds[FAMILIES];
	for (int batch = -3; batch < 25; ++batch)
	{
		const int calls = 200;
		double start = benchNow();
		for (int i = 0; i < calls; ++i)
		{
			for (uint32_t f = 0; f < families->count; ++f)
			{
				sgBoundsOut out = { &bounds[f].boxes, bounds[f].extra };
				body->deform->bound(sgBody_Derive(body), families->families[f], out);
			}
		}
		double elapsed = benchNow() - start;
		if (batch >= 0 && families->nodes > 0)
		{
			benchSamples_Add(&samples, 1e6 * elapsed / (double)calls / (double)families->nodes);
		}
	}
	return benchSamples_Median(&samples);
}

double benchTimeRefits(snugBody* body)
{
	leafFamilies families = FindFamilies(body->model);
	return TimeFamilies(body, &families);
}

double benchBlendRefits(
    benchReport* report, const char* what, const sceneMesh* mesh, const sceneWeights* weights, const float* matrices)
{
	double ours = NAN;
	for (int i = 0; i < BENCH_BOUNDS && report->failure[0] == '\0'; ++i)
	{
		benchBody body;
		if (!benchBody_CreateSkin(&body, mesh, weights, NULL, &(benchBounding){ .bound = benchBounds[i] }, report))
		{
			return NAN;
		}
		snugBody_SetJoints(body.body, matrices, 0, weights->transformCount);
		leafFamilies families = FindFamilies(body.model);
		double time = TimeFamilies(body.body, &families);
		benchRow* row = benchReport_AddRow(report, "Refitting one node, warm, eight at a time");
		benchRow_Text(row, "body", what);
		benchRow_Text(row, "bound", benchGetBoundName(benchBounds[i]));
		benchRow_Number(
		    row, "influencesPerVertex", (double)weights->starts[mesh->vertexCount] / (double)mesh->vertexCount, 1);
		benchRow_Number(row, "transformsPerFamily", families.transforms, 1);
		benchRow_Number(row, "nodesPerFamily", (double)families.nodes / (double)families.count, 1);
		benchRow_Number(row, "nsPerNode", time, 1);
		ours = benchBounds[i] == snug_boundDefault ? time : ours;
		benchBody_Destroy(&body);
	}
	return ours;
}

static double RunMeshlessRefits(benchReport* report, const sceneMeshless* meshless)
{
	uint32_t count = meshless->weights.transformCount;
	snugMeshlessNode* nodes = malloc(count * sizeof(snugMeshlessNode));
	float* matrices = malloc(12 * (size_t)count * sizeof(float));
	double ours = NAN;
	if (nodes != NULL && matrices != NULL)
	{
		const sceneBending bending = { 0.8, 0.8, 0.8 };
		sceneMeshless_PoseNodes(meshless, &bending, nodes);
		sceneMakeMatrices(nodes, count, matrices);
		ours = benchBlendRefits(report, "meshless", &meshless->mesh, &meshless->weights, matrices);
	}
	free(nodes);
	free(matrices);
	return ours;
}

static double RunSkinRefits(benchReport* report)
{
	sceneTube tube;
	float matrices[12 * 32];
	if (!sceneTube_Create(&tube, 96, 480, 32, 0.06))
	{
		benchReport_Fail(report, "out of memory");
		return NAN;
	}
	sceneTube_Pose(&tube, 1.2, 1.0, matrices);
	double ours = benchBlendRefits(report, "skinned tube", &tube.mesh, &tube.weights, matrices);
	sceneTube_Free(&tube);
	return ours;
}

// What blend adds to building a model and to its size, against the same mesh without.
static void RunBuild(benchReport* report, const sceneMeshless* meshless, double* seconds, double* bytes)
{
	const sceneMesh* mesh = &meshless->mesh;
	benchBody body;
	if (!benchBody_CreateSkin(&body, mesh, &meshless->weights, NULL, &(benchBounding){ .strategy = 0 }, report))
	{
		return;
	}
	snugModelDef rigid = body.def;
	snugModel* plain = NULL;
	rigid.deformer = snug_rigid;
	double start = benchNow();
	snugStatus status = snugModel_Create(&rigid, &plain);
	double plainMs = benchNow() - start, million = 1e-6 * (double)mesh->vertexCount;
	uint32_t influences = meshless->weights.starts[mesh->vertexCount];
	*seconds = status == snug_success ? 1e-3 * (body.buildMs - plainMs) / million : (double)NAN;
	*bytes = (double)body.model->deformBytes / (double)mesh->triangleCount;
	benchRow* row = benchReport_AddRow(report, "Building a blend model, and its size");
	benchRow_Count(row, "vertices", mesh->vertexCount);
	benchRow_Count(row, "transforms", meshless->weights.transformCount);
	benchRow_Number(row, "influencesPerVertex", (double)influences / (double)mesh->vertexCount, 1);
	benchRow_Number(row, "buildSeconds", 1e-3 * body.buildMs, 3);
	benchRow_Number(row, "withoutBlendSeconds", 1e-3 * plainMs, 3);
	benchRow_Number(row, "blendSecondsPerMillionVertices", *seconds, 2);
	benchRow_Number(row, "blendBytesPerTriangle", *bytes, 1);
	const sgBlendHeader* header = body.model->deformData;
	double weightBytes = (double)header->rows.numbers * (sizeof(sgLaneFloats) + sizeof(uint16_t)) +
	                     (double)header->rows.blocks * (3 * sizeof(sgLaneFloats) + sizeof(sgBlock)) +
	                     sizeof(uint32_t) * (double)mesh->vertexCount;
	benchRow_Number(row, "ofWhichWeights", weightBytes / (double)mesh->triangleCount, 1);
	snugModel_Destroy(plain);
	benchBody_Destroy(&body);
}

void benchBlendMicro(const benchOptions* options, benchReport* report)
{
	sceneMeshless meshless;
	double meshlessNs = NAN, seconds = NAN, bytes = NAN;
	benchOptions generated = *options;
	generated.model = NULL; // aims are about sizes
	if (benchMakeMeshless(&meshless, &generated, 67, 115, report))
	{
		meshlessNs = RunMeshlessRefits(report, &meshless);
		sceneMeshless_Free(&meshless);
	}
	double skinNs = RunSkinRefits(report);
	static const uint32_t nodeCounts[2] = { 65, 550 };
	double worstSeconds = NAN, worstBytes = NAN;
	for (int i = 0; i < 2; ++i)
	{
		if (benchMakeMeshless(&meshless, &generated, !options->full ? 67 : 120, nodeCounts[i], report))
		{
			RunBuild(report, &meshless, &seconds, &bytes);
			worstSeconds = fmax(seconds, worstSeconds);
			worstBytes = fmax(bytes, worstBytes);
			sceneMeshless_Free(&meshless);
		}
	}
	benchReport_AddAim(
	    report, meshlessNs, 80.0, "refit of one node, about 20 influences, default bound, warm: nanoseconds");
	benchReport_AddAim(report, skinNs, 30.0, "refit of one node, up to 4 influences, default bound, warm: nanoseconds");
	benchReport_AddAim(report, worstSeconds, 5.0, "building bounds: seconds per million vertices");
	benchReport_AddAim(report, worstBytes, 200.0, "blend data, weights included: bytes per triangle");
}
