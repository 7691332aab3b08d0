#include "bench/tightness.h"

#include "papers/common/oracle.h"
#include "papers/meshless/accumulated_spheres.h"

#include <math.h>
#include <stdlib.h>

static const char* const keys[] = { "limited", "program", "local", "zeroOrder", "firstOrder", "default", NULL };
static const char* const keysWithSpheres[] = { "limited", "program", "local", "zeroOrder", "firstOrder", "default",
	"spheres", "spheresTermByTerm", NULL };

/// While it is measured.
typedef struct measurement
{
	const benchActor* actor;
	sgBox* optimal; ///< frames times slots
	benchTightness* out;
	benchReport* report;
} measurement;

double benchGetRadius(const sgBox* box)
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

static void AddRatio(benchTightness* out, int volume, uint32_t level, double radius, double optimal)
{
	double ratio = optimal > 0.0 ? radius / optimal : 1.0; // a node that is a point
	out->sum[volume][level] += ratio;
	out->most[volume][level] = fmax(out->most[volume][level], ratio);
	out->radius[volume][level] += radius;
}

static bool Pose(const measurement* m, snugBody* body, int pose)
{
	const float* matrices = benchActor_GetMatrices(m->actor, pose);
	snugStatus status = snugBody_SetJoints(body, matrices, 0, m->actor->weights->transformCount);
	if (status != snug_success)
	{
		benchReport_Fail(m->report, "cannot pose a body: %s", snugGetStatusText(status));
	}
	return status == snug_success;
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
			sgBounds bounds = sgBody_Refresh(body, sgTree_Family(tree, slot), &scratch, &counters);
			boxes[slot] = sgBoxLanes_Get(bounds.boxes, slot % SG_LANES);
		}
	}
}

// Optimal boxes of every pose, from a free body that is handed the vertices.
static bool FindOptimal(measurement* m, const benchBody* body)
{
	oracleBody oracle;
	const sgTree* tree = &body->model->tree;
	size_t slots = (size_t)tree->groupCount * SG_LANES;
	m->optimal = malloc((size_t)m->actor->frameCount * slots * sizeof(sgBox));
	if (m->optimal == NULL || oracleBody_Create(&oracle, &body->def, body->model) != snug_success)
	{
		benchReport_Fail(m->report, "cannot make the oracle");
		return false;
	}
	for (int pose = 0; pose < m->actor->frameCount && Pose(m, body->body, pose); ++pose)
	{
		oracleBody_Evaluate(&oracle, body->body);
		ListBoxes(oracle.body, m->optimal + (size_t)pose * slots);
	}
	oracleBody_Destroy(&oracle);
	return m->report->failure[0] == '\0';
}

static void CountNodes(measurement* m, const sgTree* tree)
{
	size_t slots = (size_t)tree->groupCount * SG_LANES;
	m->out->levels = tree->depth + 1;
	for (size_t slot = 0; slot < slots; ++slot)
	{
		bool isNode = tree->nodes[slot].first != SG_NONE;
		uint32_t level = tree->nodes[slot].level;
		m->out->count[level] += isNode;
		for (int pose = 0; isNode && pose < m->actor->frameCount; ++pose)
		{
			m->out->optimal[level] += benchGetRadius(m->optimal + (size_t)pose * slots + slot);
		}
	}
}

static void MeasureBoxes(measurement* m, int bound, const benchBody* body)
{
	const sgTree* tree = &body->model->tree;
	size_t slots = (size_t)tree->groupCount * SG_LANES;
	sgBox* boxes = malloc(slots * sizeof(sgBox));
	if (boxes == NULL)
	{
		benchReport_Fail(m->report, "out of memory");
		return;
	}
	for (int pose = 0; pose < m->actor->frameCount && Pose(m, body->body, pose); ++pose)
	{
		const sgBox* optimal = m->optimal + (size_t)pose * slots;
		ListBoxes(body->body, boxes);
		for (size_t slot = 0; slot < slots; ++slot)
		{
			if (tree->nodes[slot].first == SG_NONE)
			{
				continue;
			}
			if (!Contains(boxes + slot, optimal + slot))
			{
				benchReport_Fail(m->report, "bound %s does not contain its vertices", keys[bound]);
			}
			AddRatio(
			    m->out, bound, tree->nodes[slot].level, benchGetRadius(boxes + slot), benchGetRadius(optimal + slot));
		}
	}
	free(boxes);
}

static void MeasureSpheres(measurement* m, const benchBody* body)
{
	const sgTree* tree = &body->model->tree;
	size_t slots = (size_t)tree->groupCount * SG_LANES;
	accumulatedSpheres* spheres = accumulatedSpheres_Create(body->model);
	if (spheres == NULL)
	{
		benchReport_Fail(m->report, "out of memory");
		return;
	}
	for (int pose = 0; pose < m->actor->frameCount; ++pose)
	{
		const float* matrices = benchActor_GetMatrices(m->actor, pose);
		for (uint32_t slot = 0; slot < slots; ++slot)
		{
			for (int i = 0; i < ACCUMULATED_READINGS && tree->nodes[slot].first != SG_NONE; ++i)
			{
				double center[3];
				double radius = accumulatedSpheres_Bound(spheres, (accumulatedReading)i, slot, matrices, center);
				double optimal = benchGetRadius(m->optimal + (size_t)pose * slots + slot);
				AddRatio(m->out, BENCH_SPHERES + i, tree->nodes[slot].level, radius, optimal);
			}
		}
	}
	accumulatedSpheres_Destroy(spheres);
}

bool benchTightness_Measure(
    benchTightness* out, const benchActor* actor, const snugTreeDef* tree, bool hasSpheres, benchReport* report)
{
	measurement m = { .actor = actor, .out = out, .report = report };
	*out = (benchTightness){ .hasSpheres = hasSpheres, .poseCount = actor->frameCount };
	for (int i = 0; i < BENCH_BOUNDS && report->failure[0] == '\0'; ++i)
	{
		benchBody body;
		// Bounds down to single triangles, as in the papers; on demand, since a front would grow boxes of the last
		// pose.
		const benchBounding how = {
			.bound = benchBounds[i], .boundLeaves = true, .tree = *tree, .strategy = snug_strategyOnDemand
		};
		if (!benchBody_CreateSkin(&body, actor->mesh, actor->weights, NULL, &how, report))
		{
			break;
		}
		if (i == 0 && FindOptimal(&m, &body))
		{
			CountNodes(&m, &body.model->tree);
			if (hasSpheres)
			{
				MeasureSpheres(&m, &body);
			}
		}
		if (report->failure[0] == '\0')
		{
			MeasureBoxes(&m, i, &body);
		}
		benchBody_Destroy(&body);
	}
	free(m.optimal);
	return report->failure[0] == '\0';
}

// ---- Report ----------------------------------------------------------------------------------------------------

double benchTightness_GetMean(const benchTightness* t, int volume, uint32_t level)
{
	return t->sum[volume][level] / ((double)t->poseCount * (double)t->count[level]);
}

double benchTightness_GetWorstMean(const benchTightness* t, int volume, uint32_t first, uint32_t last)
{
	double worst = 0.0;
	for (uint32_t level = first; level <= last && level < t->levels; ++level)
	{
		worst = fmax(worst, benchTightness_GetMean(t, volume, level));
	}
	return worst > 0.0 ? worst : (double)NAN;
}

double benchTightness_GetRatioOfMeans(const benchTightness* t, int volume, uint32_t level)
{
	return t->radius[volume][level] / t->optimal[level];
}

void benchTightness_AddCells(benchRow* row, const benchTightness* t, uint32_t level, bool isMean)
{
	benchRow_Count(row, "level", level);
	benchRow_Count(row, "nodes", t->count[level]);
	for (int volume = 0; volume < (t->hasSpheres ? BENCH_VOLUMES : BENCH_BOUNDS); ++volume)
	{
		double value = isMean ? benchTightness_GetMean(t, volume, level) : t->most[volume][level];
		benchRow_Number(row, keysWithSpheres[volume], value, 2);
	}
}

void benchTightness_AddPlot(benchReport* report, const benchTightness* t, int firstRow, bool isMean, const char* title)
{
	benchPlot plot = { .firstRow = firstRow,
		.endRow = report->rowCount,
		.unit = "radius / optimal",
		.across = "level",
		.limit = isMean ? 4.0 : 8.0,
		.keys = t->hasSpheres ? keysWithSpheres : keys };
	snprintf(plot.title, sizeof(plot.title), "%s, %s", isMean ? "Mean" : "Greatest", title);
	benchReport_AddPlot(report, &plot);
}
