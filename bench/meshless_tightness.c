// `snug bench meshless-tightness`: Fig. 5 of the 2008 paper: how large bounds are, by level, over strong poses.
//
// The radius of a box is half its diagonal. Every column is divided by the same thing: the radius of the node's optimal
// box, the one around its evaluated vertices. For accumulated spheres that is their radius over the optimal box'
// radius, which favours them a little, since the smallest ball around the vertices is smaller than the one around their
// box. Levels count from the root = 0.
#include "baselines/accumulated_spheres.h"
#include "baselines/oracle.h"
#include "bench/blend_bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POSES 8
#define METHODS (BENCH_BOUNDS + 1) // the bounds, then accumulated spheres
#define SPHERES BENCH_BOUNDS
#define MAX_LEVELS (SG_MAX_DEPTH + 1)

static const char* const methodKeys[METHODS + 1] = { "limited", "program", "local", "zeroOrder", "firstOrder",
	"default", "spheres", NULL };

/// What was measured of one body with one tree.
typedef struct tightness
{
	uint32_t nodeCount;
	uint32_t vertexCount;
	const char* tree;
	uint32_t levels;
	uint64_t count[MAX_LEVELS]; ///< nodes
	double sum[METHODS][MAX_LEVELS];
	double most[METHODS][MAX_LEVELS];
} tightness;

/// While it is measured.
typedef struct measurement
{
	const sceneMeshless* meshless;
	snugTreeDef treeDef;
	snugNode* nodes;
	float* matrices;
	sgBox* optimal; ///< POSES times slots
	tightness* out;
	benchReport* report;
} measurement;

// From half to full strength; the pull, the twist and the bend together, each at its own pace.
static void GetPose(measurement* m, int pose)
{
	double t = 0.5 + 0.5 * (double)pose / (double)(POSES - 1);
	const sceneBending bending = { t, 0.25 + 0.75 * t, t * t };
	sceneMeshless_PoseNodes(m->meshless, &bending, m->nodes);
	sceneMakeMatrices(m->nodes, m->meshless->weights.transformCount, m->matrices);
}

static double GetRadius(const sgBox* box)
{
	double sum = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double side = (double)box->upper[k] - (double)box->lower[k];
		sum += side * side;
	}
	return 0.5 * sqrt(sum);
}

static bool Contains(const sgBox* outer, const sgBox* inner)
{
	bool good = true;
	for (int k = 0; k < 3; ++k)
	{
		good = good && outer->lower[k] <= inner->lower[k] && outer->upper[k] >= inner->upper[k];
	}
	return good;
}

static void AddRatio(tightness* out, int method, uint32_t level, double radius, double optimal)
{
	double ratio = optimal > 0.0 ? radius / optimal : 1.0; // a node that is a point
	out->sum[method][level] += ratio;
	out->most[method][level] = fmax(out->most[method][level], ratio);
}

// The boxes of all nodes of a body in its pose, to `boxes` by slot.
static void ListBoxes(snugBody* body, sgBox* boxes)
{
	const sgTree* tree = &body->model->tree;
	snugCounters counters = { 0 };
	sgBody_Prepare(body, &counters);
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		if (tree->nodes[slot].first != SG_NONE)
		{
			sgBoundsScratch scratch;
			sgBounds bounds = sgBody_Refresh(body, sgTree_Family(tree, slot), false, &scratch, &counters);
			boxes[slot] = sgBoxLanes_Get(bounds.boxes, slot % SG_LANES);
		}
	}
}

// Optimal boxes of every pose, from a free body that is handed the vertices.
static bool FindOptimal(measurement* m, const benchBlendBody* body)
{
	oracleBody oracle;
	const sgTree* tree = &body->model->tree;
	size_t slots = (size_t)tree->groupCount * SG_LANES;
	m->optimal = malloc(POSES * slots * sizeof(sgBox));
	if (m->optimal == NULL || oracleBody_Create(&oracle, &body->def, body->model) != snug_success)
	{
		benchReport_Fail(m->report, "cannot make the oracle");
		return false;
	}
	for (int pose = 0; pose < POSES; ++pose)
	{
		GetPose(m, pose);
		snugBody_SetNodes(body->body, m->nodes, m->meshless->weights.transformCount);
		oracleBody_Evaluate(&oracle, body->body);
		ListBoxes(oracle.body, m->optimal + (size_t)pose * slots);
	}
	oracleBody_Destroy(&oracle);
	m->out->levels = tree->depth + 1;
	for (size_t slot = 0; slot < slots; ++slot)
	{
		m->out->count[tree->nodes[slot].level] += tree->nodes[slot].first != SG_NONE;
	}
	return true;
}

static void MeasureBoxes(measurement* m, int method, const benchBlendBody* body)
{
	const sgTree* tree = &body->model->tree;
	size_t slots = (size_t)tree->groupCount * SG_LANES;
	sgBox* boxes = malloc(slots * sizeof(sgBox));
	if (boxes == NULL)
	{
		benchReport_Fail(m->report, "out of memory");
		return;
	}
	for (int pose = 0; pose < POSES; ++pose)
	{
		const sgBox* optimal = m->optimal + (size_t)pose * slots;
		GetPose(m, pose);
		snugBody_SetNodes(body->body, m->nodes, m->meshless->weights.transformCount);
		ListBoxes(body->body, boxes);
		for (size_t slot = 0; slot < slots; ++slot)
		{
			if (tree->nodes[slot].first == SG_NONE)
			{
				continue;
			}
			if (!Contains(boxes + slot, optimal + slot))
			{
				benchReport_Fail(m->report, "bound %s does not contain its vertices", methodKeys[method]);
			}
			AddRatio(m->out, method, tree->nodes[slot].level, GetRadius(boxes + slot), GetRadius(optimal + slot));
		}
	}
	free(boxes);
}

static void MeasureSpheres(measurement* m, const benchBlendBody* body)
{
	const sgTree* tree = &body->model->tree;
	size_t slots = (size_t)tree->groupCount * SG_LANES;
	accumulatedSpheres* spheres = accumulatedSpheres_Create(body->model);
	if (spheres == NULL)
	{
		benchReport_Fail(m->report, "out of memory");
		return;
	}
	for (int pose = 0; pose < POSES; ++pose)
	{
		GetPose(m, pose);
		for (uint32_t slot = 0; slot < slots; ++slot)
		{
			if (tree->nodes[slot].first != SG_NONE)
			{
				double center[3], radius = accumulatedSpheres_Bound(spheres, slot, m->matrices, center);
				double optimal = GetRadius(m->optimal + (size_t)pose * slots + slot);
				AddRatio(m->out, SPHERES, tree->nodes[slot].level, radius, optimal);
			}
		}
	}
	accumulatedSpheres_Destroy(spheres);
}

static void MeasureAll(measurement* m)
{
	const sceneMeshless* meshless = m->meshless;
	for (int i = 0; i < BENCH_BOUNDS && m->report->failure[0] == '\0'; ++i)
	{
		benchBlendBody body;
		// Bounds down to single triangles, as in the paper.
		const benchBounding how = { .bound = benchBounds[i], .boundLeaves = true, .tree = m->treeDef };
		if (!benchBlendBody_Create(&body, &meshless->mesh, &meshless->weights, &how, m->report))
		{
			return;
		}
		if (i == 0 && FindOptimal(m, &body))
		{
			MeasureSpheres(m, &body);
		}
		if (m->report->failure[0] == '\0')
		{
			MeasureBoxes(m, i, &body);
		}
		benchBlendBody_Destroy(&body);
	}
}

static void Measure(const sceneMeshless* meshless, const snugTreeDef* treeDef, tightness* out, benchReport* report)
{
	uint32_t nodeCount = meshless->weights.transformCount;
	measurement m = { .meshless = meshless,
		.treeDef = *treeDef,
		.nodes = malloc(nodeCount * sizeof(snugNode)),
		.matrices = malloc(12 * (size_t)nodeCount * sizeof(float)),
		.out = out,
		.report = report };
	out->nodeCount = nodeCount;
	out->vertexCount = meshless->mesh.vertexCount;
	out->tree = treeDef->branching == 2 ? "2 children, leaves of 1" : "default";
	if (m.nodes == NULL || m.matrices == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	else
	{
		MeasureAll(&m);
	}
	free(m.nodes);
	free(m.matrices);
	free(m.optimal);
}

static double GetMean(const tightness* t, int method, uint32_t level)
{
	return t->sum[method][level] / (POSES * (double)t->count[level]);
}

// The worst mean over some levels.
static double WorstMean(const tightness* t, int method, uint32_t first, uint32_t last)
{
	double worst = 0.0;
	for (uint32_t level = first; level <= last && level < t->levels; ++level)
	{
		worst = fmax(worst, GetMean(t, method, level));
	}
	return worst > 0.0 ? worst : (double)NAN;
}

static void AddCase(benchRow* row, const tightness* t)
{
	benchRow_Count(row, "vertices", t->vertexCount);
	benchRow_Count(row, "transforms", t->nodeCount);
	benchRow_Text(row, "tree", t->tree);
}

static void AddRootRows(benchReport* report, const tightness* cases, int count)
{
	for (int i = 0; i < count; ++i)
	{
		const tightness* t = cases + i;
		benchRow* row = benchReport_AddRow(report, "First, how loose Eq. (12) is at the root in these poses");
		AddCase(row, t);
		benchRow_Number(row, "limitedGreatest", t->most[0][0], 2);
		benchRow_Number(row, "paperGreatest", 2.5, 1);
		benchRow_Number(row, "limitedMean", GetMean(t, 0, 0), 2);
		benchRow_Number(row, "paperMean", 1.5, 1);
		benchRow_Number(row, "spheresOverLimitedGreatest", t->most[SPHERES][0] / t->most[0][0], 1);
		if (t->nodeCount == 509)
		{
			benchRow_Number(row, "paperSpheresOverLimited", 68.0, 0);
		}
	}
}

// One table of all cases, and a plot for each of them.
static void AddLevelRows(benchReport* report, const tightness* cases, int count, bool isMean)
{
	for (int i = 0; i < count; ++i)
	{
		const tightness* t = cases + i;
		benchPlot plot = { .firstRow = report->rowCount,
			.unit = "radius / optimal",
			.across = "level",
			.limit = isMean ? 4.0 : 8.0,
			.keys = methodKeys };
		for (uint32_t level = 0; level < t->levels; ++level)
		{
			benchRow* row = benchReport_AddRow(report,
			    isMean ? "Radius / optimal radius, mean over poses and nodes" : "Radius / optimal radius, greatest");
			AddCase(row, t);
			benchRow_Count(row, "level", level);
			benchRow_Count(row, "nodes", t->count[level]);
			for (int method = 0; method < METHODS; ++method)
			{
				double value = isMean ? GetMean(t, method, level) : t->most[method][level];
				benchRow_Number(row, methodKeys[method], value, 2);
			}
		}
		plot.endRow = report->rowCount;
		snprintf(plot.title, sizeof(plot.title), "%s, %u transforms, %s", isMean ? "Mean" : "Greatest", t->nodeCount,
		    t->tree);
		benchReport_AddPlot(report, &plot);
	}
}

static void AddAims(benchReport* report, const tightness* few, const tightness* many)
{
	const int ours = BENCH_BOUNDS - 1;
	benchReport_AddAim(report, GetMean(few, ours, 0), 1.7, "default, 65 nodes, paper's tree: mean ratio at the root");
	benchReport_AddAim(
	    report, WorstMean(few, ours, 5, 8), 1.6, "default, 65 nodes, paper's tree: worst mean ratio of levels 5 to 8");
	benchReport_AddAim(report, WorstMean(few, ours, few->levels - 2, few->levels - 1), 1.1,
	    "default, 65 nodes, paper's tree: worst mean ratio of the two deepest levels");
	benchReport_AddAim(report, GetMean(many, ours, 0), 1.3, "default, 509 nodes, paper's tree: mean ratio at the root");
	benchReport_AddAim(report, many->most[0][0] / many->most[SPHERES][0], 1.0,
	    "509 nodes: Eq. (12)'s root / that of accumulated spheres (the paper's is 1/68)");
}

void benchMeshlessTightness(const benchOptions* options, benchReport* report)
{
	static const uint32_t nodeCounts[2] = { 65, 509 };
	static const snugTreeDef trees[2] = { { snug_splitMedian, 1, 2 }, { snug_splitDefault, 0, 0 } };
	tightness* cases = calloc(4, sizeof(tightness));
	for (int i = 0; i < 2 && cases != NULL && report->failure[0] == '\0'; ++i)
	{
		sceneMeshless meshless;
		benchProgress(options, i == 0 ? "meshless-tightness: 65 nodes …" : "meshless-tightness: 509 nodes …");
		if (benchMakeMeshless(&meshless, options, options->quick ? 32 : 55, nodeCounts[i], report))
		{
			Measure(&meshless, &trees[0], cases + 2 * i, report);
			Measure(&meshless, &trees[1], cases + 2 * i + 1, report);
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
		AddAims(report, &cases[0], &cases[2]);
	}
	free(cases);
}
