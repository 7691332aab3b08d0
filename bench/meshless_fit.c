// `snug bench meshless-fit`: Table 1 of the 2008 paper: time to fit one box to a whole body, against evaluating it.
#include "baselines/oracle.h"
#include "bench/blend_bodies.h"
#include "bench/timer.h"
#include "deform/blend.h"

#include <math.h>
#include <stdlib.h>

#define SIZES 3

/// The paper's Table 1, in microseconds: rows by vertices, columns by nodes.
static const double paperFit[SIZES][SIZES] = { { 15, 35, 90 }, { 18, 48, 100 }, { 18, 46, 100 } };
static const double paperOptimal[SIZES] = { 2.0e3, 17.2e3, 82.5e3 };

static const uint32_t frequencies[SIZES] = { 19, 55, 120 }; // 3,612; 30,252; 144,002 vertices
static const uint32_t nodeCounts[SIZES] = { 65, 225, 509 };

/// A buffer that is larger than caches, walked through to make what is measured next cold.
typedef struct coldBuffer
{
	unsigned char* bytes;
	size_t count;
} coldBuffer;

static void FlushCaches(coldBuffer* buffer)
{
	for (size_t i = 0; buffer->bytes != NULL && i < buffer->count; i += 64)
	{
		++buffer->bytes[i];
	}
}

// The root's family, bounded as a query does it.
static sgBox FitRoot(snugBody* body)
{
	sgLaneSet root = sgTree_Family(&body->model->tree, 0);
	sgBoundsScratch scratch;
	body->deform->bound(sgBody_Derive(body), root, (sgBoundsOut){ &scratch.boxes, scratch.extra });
	return sgBoxLanes_Get(&scratch.boxes, 0);
}

/// Every way to fit a box has this form.
typedef sgBox fitFcn(snugBody* body);

// Median over batches of about a millisecond, in microseconds: everything in the cache that fits.
static double TimeWarm(snugBody* body, fitFcn* fit, int batches)
{
	benchSamples samples = { .count = 0 };
	int calls = 1;
	double elapsed = 0.0;
	volatile float sink = 0.0f; // so that no call is optimised away
	for (int batch = -1; batch < batches; ++batch)
	{
		double start = benchNow();
		for (int i = 0; i < calls; ++i)
		{
			sgBox box = fit(body);
			sink = sink + box.lower[0];
		}
		elapsed = benchNow() - start;
		if (batch < 0 && elapsed < 1.0 && calls < (1 << 20))
		{
			calls *= 2;
			--batch; // still finding out how many calls make a batch
		}
		else if (batch >= 0)
		{
			benchSamples_Add(&samples, 1e3 * elapsed / (double)calls);
		}
	}
	return benchSamples_Median(&samples);
}

static double TimeCold(snugBody* body, fitFcn* fit, coldBuffer* buffer)
{
	benchSamples samples = { .count = 0 };
	volatile float sink = 0.0f;
	for (int i = 0; i < 7; ++i)
	{
		FlushCaches(buffer);
		double start = benchNow();
		sgBox box = fit(body);
		double elapsed = benchNow() - start;
		sink = sink + box.lower[0];
		benchSamples_Add(&samples, 1e3 * elapsed);
	}
	return benchSamples_Median(&samples);
}

/// One cell of the table.
typedef struct fitCell
{
	int size, nodes; ///< indices
	const sceneMeshless* meshless;
	double optimal; ///< microseconds, warm
	double cold;
} fitCell;

static void AddRow(
    benchReport* report, const fitCell* cell, const char* bound, uint32_t transforms, double warm, double cold)
{
	double paper = paperOptimal[cell->size] / paperFit[cell->size][cell->nodes];
	benchRow* row = benchReport_AddRow(report, "One box around a whole body, microseconds");
	benchRow_Count(row, "vertices", cell->meshless->mesh.vertexCount);
	benchRow_Count(row, "nodes", cell->meshless->weights.transformCount);
	benchRow_Text(row, "bound", bound);
	benchRow_Count(row, "rootTransforms", transforms);
	benchRow_Number(row, "fitWarmMicroseconds", warm, 3);
	benchRow_Number(row, "fitColdMicroseconds", cold, 2);
	benchRow_Number(row, "optimalWarmMicroseconds", cell->optimal, 1);
	benchRow_Number(row, "ratio", cell->optimal / warm, 0);
	benchRow_Number(row, "paperFitMicroseconds", paperFit[cell->size][cell->nodes], 0);
	benchRow_Number(row, "paperOptimalMicroseconds", paperOptimal[cell->size], 0);
	benchRow_Number(row, "paperRatio", paper, 0);
	benchRow_Number(row, "ratioOverPaperRatio", cell->optimal / warm / paper, 2);
}

// One bound. The optimal box is timed with the first body: evaluation does not depend on the bound.
static double RunBound(
    const benchOptions* options, benchReport* report, fitCell* cell, snugBound bound, coldBuffer* buffer)
{
	const benchBounding how = { .bound = bound };
	const sceneMeshless* meshless = cell->meshless;
	uint32_t nodeCount = meshless->weights.transformCount;
	benchBlendBody body;
	if (!benchBlendBody_Create(&body, &meshless->mesh, &meshless->weights, &how, report))
	{
		return NAN;
	}
	double warm = NAN;
	snugMeshlessNode* nodes = malloc(nodeCount * sizeof(snugMeshlessNode));
	const sceneBending bending = { 0.9, 0.9, 0.9 };
	if (nodes != NULL)
	{
		sceneMeshless_PoseNodes(meshless, &bending, nodes);
	}
	if (nodes == NULL || snugBody_SetNodes(body.body, nodes, nodeCount) != snug_success)
	{
		benchReport_Fail(report, "cannot pose a body");
	}
	else
	{
		if (isnan(cell->optimal))
		{
			cell->optimal = TimeWarm(body.body, oracleOptimalBox, options->quick ? 5 : 15);
		}
		warm = TimeWarm(body.body, FitRoot, options->quick ? 7 : 21);
		double cold = TimeCold(body.body, FitRoot, buffer);
		sgBlend blend = sgBlend_Get(body.model);
		uint32_t transforms = blend.families[0].entryCount * (blend.families[0].isAcross ? SG_LANES : 1);
		AddRow(report, cell, benchGetBoundName(bound), transforms < nodeCount ? transforms : nodeCount, warm, cold);
		sgBox fitted = FitRoot(body.body), optimal = oracleOptimalBox(body.body);
		for (int k = 0; k < 3; ++k)
		{
			if (!(fitted.lower[k] <= optimal.lower[k] && fitted.upper[k] >= optimal.upper[k]))
			{
				benchReport_Fail(report, "bound %s does not contain the body", benchGetBoundName(bound));
			}
		}
	}
	free(nodes);
	benchBlendBody_Destroy(&body);
	return warm;
}

static void RunCell(const benchOptions* options, benchReport* report, int size, int nodes, coldBuffer* buffer)
{
	sceneMeshless meshless;
	benchOptions generated = *options;
	generated.model = NULL; // the table is about sizes
	if (!benchMakeMeshless(&meshless, &generated, frequencies[size], nodeCounts[nodes], report))
	{
		return;
	}
	fitCell cell = { .size = size, .nodes = nodes, .meshless = &meshless, .optimal = NAN };
	double ours = NAN;
	for (int i = 0; i < BENCH_BOUNDS && report->failure[0] == '\0'; ++i)
	{
		snugBound bound = benchBounds[i];
		if (!options->quick || bound == snug_boundDefault || bound == snug_boundLimited)
		{
			double warm = RunBound(options, report, &cell, bound, buffer);
			ours = bound == snug_boundDefault ? warm : ours;
		}
	}
	double paper = paperOptimal[size] / paperFit[size][nodes];
	benchReport_AddAim(report, paper * ours / cell.optimal, 1.0,
	    "%.3gK vertices, %u nodes: the paper's ratio of optimal to fitting time (%.0f) / ours",
	    1e-3 * meshless.mesh.vertexCount, nodeCounts[nodes], paper);
	sceneMeshless_Free(&meshless);
}

void benchMeshlessFit(const benchOptions* options, benchReport* report)
{
	coldBuffer buffer = { .count = (size_t)64 << 20 };
	buffer.bytes = calloc(buffer.count, 1);
	for (int size = 0; size < SIZES; ++size)
	{
		benchProgress(options, size == 0   ? "meshless-fit: 3.5K vertices …"
		                       : size == 1 ? "meshless-fit: 30K vertices …"
		                                   : "meshless-fit: 145K vertices …");
		for (int nodes = 0; nodes < SIZES && report->failure[0] == '\0'; ++nodes)
		{
			RunCell(options, report, size, nodes, &buffer);
		}
	}
	free(buffer.bytes);
}
