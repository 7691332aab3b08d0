// `snug bench meshless-fit`: Table 1 of the 2008 paper: time to fit one box to a whole body, against evaluating it.
#include "lab/bench/blend_bodies.h"
#include "lab/bench/timer.h"
#include "papers/common/oracle.h"
#include "papers/meshless/corners.h"
#include "papers/meshless/limited_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/// Something that a box is fitted to, by one of the ways below.
typedef struct fitSubject
{
	snugBody* body;
	limitedBody* limited; ///< of the papers' volumes
	nodeWeights* weights; ///< of corners
	const float* matrices;
	double* scratch;
} fitSubject;

/// Every way to fit a box has this form.
typedef sgBox fitFcn(const fitSubject* subject);

// The root's family, bounded as a query does it.
static sgBox FitRoot(const fitSubject* subject)
{
	snugBody* body = subject->body;
	sgLaneSet root = sgTree_Family(&body->model->tree, 0);
	sgBoxLanes boxes;
	body->deform->bound(sgBody_Derive(body), root, &boxes);
	return sgBoxLanes_Get(&boxes, 0);
}

static sgBox FitOptimal(const fitSubject* subject)
{
	return oracleOptimalBox(subject->body);
}

// Rounded outwards by a little more than float32 loses.
static sgBox MakeBox(const double lower[3], const double upper[3])
{
	sgBox box;
	for (int k = 0; k < 3; ++k)
	{
		double slack = 1e-6 * (fabs(lower[k]) + fabs(upper[k]));
		box.lower[k] = (float)(lower[k] - slack);
		box.upper[k] = (float)(upper[k] + slack);
	}
	return box;
}

// The same in the code of the papers' volumes: each vertex by itself.
static sgBox FitVertices(const fitSubject* subject)
{
	double lower[3], upper[3];
	limitedBody_BoundVertices(subject->limited, lower, upper);
	return MakeBox(lower, upper);
}

// Eq. (12), one transform and direction after the other.
static sgBox FitLimited(const fitSubject* subject)
{
	double lower[LIMITED_MAX_SLABS], upper[LIMITED_MAX_SLABS];
	limitedBody_Bound(subject->limited, 0, lower, upper);
	return MakeBox(lower, upper);
}

// All n (n - 1) corners, each in constant time: what Eq. (12) is there to save.
static sgBox FitCorners(const fitSubject* subject)
{
	double lower[3], upper[3];
	cornersBox(corners_paper, subject->weights, subject->matrices, subject->scratch, lower, upper);
	return MakeBox(lower, upper);
}

// Median over batches of about a millisecond, in microseconds: everything in the cache that fits.
static double TimeWarm(const fitSubject* subject, fitFcn* fit, int batches)
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
			sgBox box = fit(subject);
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

static double TimeOnce(const fitSubject* subject, fitFcn* fit)
{
	volatile float sink = 0.0f;
	double start = benchNow();
	sgBox box = fit(subject);
	double elapsed = benchNow() - start;
	sink = sink + box.lower[0];
	return 1e3 * elapsed;
}

static double TimeCold(const fitSubject* subject, fitFcn* fit, coldBuffer* buffer)
{
	benchSamples samples = { .count = 0 };
	for (int i = 0; i < 7; ++i)
	{
		FlushCaches(buffer);
		benchSamples_Add(&samples, TimeOnce(subject, fit));
	}
	return benchSamples_Median(&samples);
}

// What a step of a simulation does between two fits: all vertices are evaluated, to be drawn, and the nodes move on.
static double TimeInFrame(const fitSubject* subject, fitFcn* fit, const snugMeshlessNode* nodes, uint32_t nodeCount)
{
	benchSamples samples = { .count = 0 };
	for (int i = 0; i < 7; ++i)
	{
		oracleOptimalBox(subject->body);
		snugBody_SetMeshlessNodes(subject->body, nodes, nodeCount);
		if (subject->limited != NULL)
		{
			limitedBody_Begin(subject->limited);
		}
		benchSamples_Add(&samples, TimeOnce(subject, fit));
	}
	return benchSamples_Median(&samples);
}

/// One cell of the table.
typedef struct fitCell
{
	int size, nodes; ///< indices
	const sceneMeshless* meshless;
	const snugMeshlessNode* posed;
	double optimal; ///< microseconds, warm, in code as wide as the bound's; NaN: to be timed
	coldBuffer* buffer;
	bool isQuick;
	benchReport* report;
	bool displaces; ///< nodes have no gradients, and are bounded as such
} fitCell;

static double AddRow(
    const fitCell* cell, const char* bound, uint32_t transforms, const fitSubject* subject, fitFcn* fit)
{
	double paper = paperOptimal[cell->size] / paperFit[cell->size][cell->nodes];
	double warm = TimeWarm(subject, fit, cell->isQuick ? 7 : 21);
	benchRow* row = benchReport_AddRow(cell->report, "One box around a whole body, microseconds");
	benchRow_Count(row, "vertices", cell->meshless->mesh.vertexCount);
	benchRow_Count(row, "nodes", cell->meshless->weights.transformCount);
	benchRow_Text(row, "bound", bound);
	benchRow_Count(row, "rootTransforms", transforms);
	benchRow_Number(row, "fitWarmMicroseconds", warm, 3);
	benchRow_Number(row, "fitColdMicroseconds", TimeCold(subject, fit, cell->buffer), 2);
	benchRow_Number(row, "fitInFrameMicroseconds",
	    TimeInFrame(subject, fit, cell->posed, cell->meshless->weights.transformCount), 2);
	benchRow_Number(row, "optimalWarmMicroseconds", cell->optimal, 1);
	benchRow_Number(row, "ratio", cell->optimal / warm, 0);
	benchRow_Number(row, "paperFitMicroseconds", paperFit[cell->size][cell->nodes], 0);
	benchRow_Number(row, "paperOptimalMicroseconds", paperOptimal[cell->size], 0);
	benchRow_Number(row, "paperRatio", paper, 0);
	benchRow_Number(row, "ratioOverPaperRatio", cell->optimal / warm / paper, 2);
	sgBox fitted = fit(subject), optimal = oracleOptimalBox(subject->body);
	for (int k = 0; k < 3; ++k)
	{
		if (!(fitted.lower[k] <= optimal.lower[k] && fitted.upper[k] >= optimal.upper[k]))
		{
			benchReport_Fail(cell->report, "bound %s does not contain the body", bound);
		}
	}
	return warm;
}

static bool MakeBody(const fitCell* cell, benchBody* body)
{
	const sceneMeshless* meshless = cell->meshless;
	if (!benchBody_CreateSkin(body, &meshless->mesh, &meshless->weights, NULL, cell->report))
	{
		return false;
	}
	if (snugBody_SetMeshlessNodes(body->body, cell->posed, meshless->weights.transformCount) != snug_success)
	{
		benchReport_Fail(cell->report, "cannot pose a body");
		benchBody_Destroy(body);
		return false;
	}
	return true;
}

// Ours. The optimal box is timed with it, in code as wide.
static void RunOurs(fitCell* cell, const benchBody* body)
{
	const fitSubject subject = { .body = body->body };
	cell->optimal = TimeWarm(&subject, FitOptimal, cell->isQuick ? 5 : 15);
	double ours = AddRow(cell, "ours", cell->meshless->weights.transformCount, &subject, FitRoot);
	double paper = paperOptimal[cell->size] / paperFit[cell->size][cell->nodes];
	benchReport_AddAim(cell->report, paper * ours / cell->optimal, 1.0,
	    "%.3gK vertices, %u nodes: the paper's ratio of optimal to fitting time (%.0f) / ours",
	    1e-3 * cell->meshless->mesh.vertexCount, nodeCounts[cell->nodes], paper);
}

// One of the papers' volumes, at the root.
static void RunVolume(fitCell* cell, const benchBody* body, limitedRest rest, limitedVolume volume)
{
	static const char* const rests[] = { "AABB", "OBB", "14-DOP" };
	static const char* const volumes[] = { "AABB", "14-DOP", "18-DOP", "26-DOP" };
	const limitedTreeDef def = { .rest = rest, .volume = volume, .rootOnly = true, .displaces = cell->displaces };
	limitedTree* tree = limitedTree_Create(body->model, &def);
	fitSubject subject = { .body = body->body };
	subject.limited = tree != NULL ? limitedBody_Create(tree, body->body) : NULL;
	if (subject.limited != NULL && limitedBody_Begin(subject.limited) == snug_success)
	{
		char name[48];
		if (isnan(cell->optimal))
		{
			cell->optimal = TimeWarm(&subject, FitVertices, cell->isQuick ? 5 : 15);
		}
		snprintf(name, sizeof(name), "%s: %s/%s", cell->displaces ? "displacements alone" : "the paper, scalar",
		    rests[rest], volumes[volume]);
		AddRow(cell, name, limitedTree_GetTransformCount(tree, 0), &subject, FitLimited);
	}
	else
	{
		benchReport_Fail(cell->report, "out of memory");
	}
	limitedBody_Destroy(subject.limited);
	limitedTree_Destroy(tree);
}

// Enumerating corners, as for skins with few joints: the quadratic way.
static void RunCorners(const fitCell* cell, const benchBody* body)
{
	nodeWeights weights = { .count = 0 };
	uint32_t nodeCount = cell->meshless->weights.transformCount;
	float* matrices = malloc(12 * (size_t)nodeCount * sizeof(float));
	double* scratch = malloc(nodeCount * sizeof(double));
	binaryTree tree = { .model = NULL };
	if (matrices != NULL && scratch != NULL && binaryTree_Create(&tree, body->model) &&
	    nodeWeights_Create(&weights, &tree))
	{
		nodeWeights_Gather(&weights, &tree, 0);
		sceneMakeMatrices(cell->posed, nodeCount, matrices);
		const fitSubject subject = {
			.body = body->body, .weights = &weights, .matrices = matrices, .scratch = scratch
		};
		AddRow(cell, "all n (n - 1) corners, scalar", weights.count, &subject, FitCorners);
		nodeWeights_Free(&weights);
	}
	else
	{
		benchReport_Fail(cell->report, "out of memory");
	}
	binaryTree_Free(&tree);
	free(matrices);
	free(scratch);
}

// Shape functions without gradients, A = I: the same nodes and the same weights, and displacements alone.
static void RunDisplaced(const fitCell* cell, benchBody* body)
{
	uint32_t count = cell->meshless->weights.transformCount;
	snugMeshlessNode* nodes = malloc(count * sizeof(snugMeshlessNode));
	fitCell displaced = *cell;
	displaced.posed = nodes;
	displaced.displaces = true;
	for (uint32_t i = 0; nodes != NULL && i < count; ++i)
	{
		nodes[i] = cell->posed[i];
		memset(nodes[i].gradient, 0, sizeof(nodes[i].gradient));
	}
	if (nodes != NULL && snugBody_SetMeshlessNodes(body->body, nodes, count) == snug_success)
	{
		RunVolume(&displaced, body, limited_restBox, limited_box);
		RunVolume(&displaced, body, limited_restOriented, limited_dop14);
	}
	else
	{
		benchReport_Fail(cell->report, "cannot pose a body");
	}
	free(nodes);
}

// All of it scalar, and so is evaluation.
static void RunPapers(fitCell* cell, benchBody* body)
{
	cell->optimal = NAN;
	for (int volume = limited_box; volume <= limited_dop26; ++volume)
	{
		RunVolume(cell, body, volume == limited_box ? limited_restBox : limited_restOriented, (limitedVolume)volume);
	}
	if (!cell->isQuick)
	{
		RunVolume(cell, body, limited_restBox, limited_dop14);
		RunVolume(cell, body, limited_restDop14, limited_dop14);
	}
	RunCorners(cell, body);
	RunDisplaced(cell, body);
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
	const sceneBending bending = { 0.9, 0.9, 0.9 };
	snugMeshlessNode* posed = malloc(meshless.weights.transformCount * sizeof(snugMeshlessNode));
	if (posed != NULL)
	{
		sceneMeshless_PoseNodes(&meshless, &bending, posed);
		fitCell cell = { size, nodes, &meshless, posed, NAN, buffer, !options->full, report, false };
		benchBody body;
		if (MakeBody(&cell, &body))
		{
			RunOurs(&cell, &body);
			RunPapers(&cell, &body);
			benchBody_Destroy(&body);
		}
	}
	else
	{
		benchReport_Fail(report, "out of memory");
	}
	free(posed);
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
