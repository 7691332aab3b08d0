#include "bench/field_tightness.h"

#include "body/body.h"
#include "deform/fields/fields.h"
#include "geometry/ball.h"
#include "papers/bdtree/layered_spheres.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const snugBound benchFieldBounds[BENCH_FIELD_BOUNDS] = { snug_boundMeanBall, snug_boundBall, snug_boundZeroOrder,
	snug_boundOriented, snug_boundInterval, snug_boundFirstOrder, snug_boundDefault };

static const char* const keys[] = { "bdSpheres", "bestSpheres", "bdBoxes", "bdOriented", "intervals", "firstOrder",
	"default", NULL };

/// While it is measured.
typedef struct measurement
{
	const benchFieldPoses* poses;
	const benchOptions* options;
	benchFieldTightness* out;
	benchReport* report;
	int poseCount;
	uint32_t slots;
	double* optimalBoxes; ///< (poseCount * slots)
	double* optimalBalls;
	double* restRadii; ///< (slots) of the wrapped spheres, undeformed
	float* positions;  ///< of a pose, tree order
} measurement;

static void Fail(measurement* m)
{
	benchReport_Fail(m->report, "%s: out of memory, or a model cannot be made", m->poses->name);
}

static bool IsBall(snugBound bound)
{
	return bound == snug_boundBall || bound == snug_boundMeanBall;
}

static snugModel* MakeModel(measurement* m, snugBound bound)
{
	const benchBounding how = {
		.bound = bound,
		.boundLeaves = true,
		.tree = { .split = snug_splitMedian,
		    .leafTriangles = m->poses->leafTriangles > 0 ? m->poses->leafTriangles : 1,
		    .branching = 2 },
	};
	snugModel* model = NULL;
	return benchActor_MakeModel(&m->poses->actor, &how, &model) == snug_success ? model : NULL;
}

static bool Pose(measurement* m, snugBody* body, int pose)
{
	const benchActor* actor = &m->poses->actor;
	const float* amplitudes = actor->amplitudes + (size_t)(pose * m->poses->step) * actor->fieldCount;
	bool good = snugBody_SetAmplitudes(body, amplitudes, actor->fieldCount) == snug_success;
	if (!good)
	{
		Fail(m);
	}
	return good;
}

static void Evaluate(measurement* m, snugBody* body)
{
	uint32_t count = body->model->tree.vertexCount;
	for (uint32_t v = 0; v < count; ++v)
	{
		body->deform->evaluate(sgBody_Derive(body), &v, 1, m->positions + 3 * (size_t)v);
	}
}

/// Vertices below a node, some more than once.
typedef struct nodePoints
{
	const float* positions;
	const uint32_t* vertices;
} nodePoints;

static void GetPoint(const void* points, uint32_t i, double point[3])
{
	const nodePoints* node = points;
	for (int k = 0; k < 3; ++k)
	{
		point[k] = (double)node->positions[3 * (size_t)node->vertices[i] + (size_t)k];
	}
}

static void FindOptimal(measurement* m, const sgTree* tree, int pose)
{
	for (uint32_t slot = 0; slot < m->slots; ++slot)
	{
		if (tree->nodes[slot].first == SG_NONE)
		{
			continue;
		}
		sgLeafRange range = sgTree_LeavesBelow(tree, slot);
		uint32_t first = tree->leaves[range.first].firstVertex;
		uint32_t count = tree->leaves[range.last].firstVertex + tree->leaves[range.last].vertexCount - first;
		const nodePoints points = { m->positions, tree->leafVertices + first };
		double center[3], diagonal2 = 0.0;
		sgBox box = sgBox_Empty();
		for (uint32_t i = 0; i < count; ++i)
		{
			sgBox_AddPoint(&box, m->positions + 3 * (size_t)points.vertices[i]);
		}
		for (int k = 0; k < 3; ++k)
		{
			double side = (double)box.upper[k] - (double)box.lower[k];
			diagonal2 += side * side;
		}
		size_t at = (size_t)pose * m->slots + slot;
		m->optimalBoxes[at] = 0.5 * sqrt(diagonal2);
		m->optimalBalls[at] = sgSmallestBall(GetPoint, &points, count, center);
	}
}

// Radii of all nodes in the body's pose, straight from it.
static void ListRadii(measurement* m, snugBody* body, double* radii)
{
	const sgTree* tree = &body->model->tree;
	for (uint32_t group = 0; group < tree->groupCount; ++group)
	{
		sgBoundsScratch bounds;
		sgLaneSet set = { .group = group, .mask = sgFields_BoundedLanes(tree, group, true) };
		if (set.mask != 0)
		{
			body->deform->bound(sgBody_Derive(body), set, (sgBoundsOut){ &bounds.boxes, bounds.extra });
		}
		for (uint32_t rest = set.mask; rest != 0; rest &= rest - 1)
		{
			uint32_t lane = sgLowestBit(rest);
			const sgBallLanes* balls = (const sgBallLanes*)(const void*)bounds.extra;
			double sum = 0.0;
			for (int k = 0; k < 3; ++k)
			{
				double side = (double)bounds.boxes.upper[k][lane] - (double)bounds.boxes.lower[k][lane];
				sum += side * side;
			}
			radii[group * SG_LANES + lane] =
			    body->volume == snug_volumeBall ? (double)balls->radius[lane] : 0.5 * sqrt(sum);
		}
	}
	(void)m;
}

// Over all nodes: what one pose adds to means and greatest values.
static void AddRatios(
    const measurement* m, const sgTree* tree, const double* radii, const double* by, double* mean, double* most)
{
	for (uint32_t slot = 0; slot < m->slots; ++slot)
	{
		const sgNode* node = tree->nodes + slot;
		if (node->first != SG_NONE)
		{
			double ratio = by[slot] > 0.0 ? radii[slot] / by[slot] : 1.0;
			mean[node->level] += ratio / ((double)m->poseCount * (double)m->out->count[node->level]);
			most[node->level] = fmax(most[node->level], ratio);
		}
	}
}

static void MeasureBound(measurement* m, int number)
{
	snugBound bound = benchFieldBounds[number];
	snugModel* model = MakeModel(m, bound);
	snugBodyDef def = { .model = model };
	snugBody* body = NULL;
	double* radii = calloc(m->slots, sizeof(double));
	if (model == NULL || radii == NULL || snugBody_Create(&def, &body) != snug_success)
	{
		Fail(m);
	}
	for (int pose = 0; pose < m->poseCount && m->report->failure[0] == '\0' && Pose(m, body, pose); ++pose)
	{
		const double* optimal = (IsBall(bound) ? m->optimalBalls : m->optimalBoxes) + (size_t)pose * m->slots;
		ListRadii(m, body, radii);
		AddRatios(m, &model->tree, radii, optimal, m->out->mean[number], m->out->most[number]);
		if (bound == snug_boundMeanBall)
		{
			AddRatios(m, &model->tree, radii, m->restRadii, m->out->spheres, m->out->mostSpheres);
		}
		if (bound == snug_boundFirstOrder)
		{
			double ignored[BENCH_FIELD_LEVELS] = { 0.0 };
			AddRatios(m, &model->tree, radii, m->restRadii, m->out->best, ignored);
		}
	}
	free(radii);
	snugBody_Destroy(body);
	snugModel_Destroy(model);
}

// Lengths of the vectors of radius increments, relative to the radius at rest.
static void MeasureIncrements(measurement* m, const snugModel* model)
{
	sgFields fields = sgFields_Bind(model, model->deformData);
	for (uint32_t slot = 0; slot < m->slots; ++slot)
	{
		const sgNode* node = model->tree.nodes + slot;
		const sgFieldsGroup* group = fields.groups + slot / SG_LANES;
		double sum = 0.0;
		if (node->first == SG_NONE)
		{
			continue;
		}
		const sgFieldBall* balls = sgFieldsGroup_Part(&fields, group, sgFields_meanBalls);
		for (uint32_t j = 0; j < group->fieldCount; ++j)
		{
			double increment = (double)balls[j + 1].radius.lane[slot % SG_LANES];
			sum += increment * increment;
		}
		double ratio = m->restRadii[slot] > 0.0 ? sqrt(sum) / m->restRadii[slot] : 0.0;
		m->out->increments[node->level] += ratio / (double)m->out->count[node->level];
	}
}

static void ListLayers(const measurement* m, const layeredSpheres* layers, const sgTree* tree, double* radii)
{
	for (uint32_t slot = 0; slot < m->slots; ++slot)
	{
		radii[slot] = tree->nodes[slot].first != SG_NONE ? layeredSpheres_GetRadius(layers, slot) : 0.0;
	}
}

// Optimal volumes of every pose, the spheres at rest, and layered spheres beside them.
static void MeasureBaselines(measurement* m, const snugModel* model, snugBody* body)
{
	const sgTree* tree = &model->tree;
	bool isSingle = model->treeDef.leafTriangles == 1;
	layeredSpheres* layers = isSingle ? layeredSpheres_Create(model) : NULL;
	double* radii = calloc(m->slots, sizeof(double));
	if (radii == NULL || (isSingle && layers == NULL))
	{
		Fail(m);
	}
	else
	{
		ListRadii(m, body, m->restRadii); // at rest
		MeasureIncrements(m, model);
		Evaluate(m, body);
		double ignored[BENCH_FIELD_LEVELS] = { 0.0 };
		if (isSingle)
		{
			layeredSpheres_Update(layers, m->positions);
			ListLayers(m, layers, tree, radii);
			AddRatios(m, tree, radii, m->restRadii, m->out->layersAtRest, ignored);
		}
		for (int pose = 0; pose < m->poseCount && Pose(m, body, pose); ++pose)
		{
			Evaluate(m, body);
			if (!m->poses->onlySpheres)
			{
				FindOptimal(m, tree, pose);
			}
			if (isSingle)
			{
				layeredSpheres_Update(layers, m->positions);
				ListLayers(m, layers, tree, radii);
				AddRatios(m, tree, radii, m->restRadii, m->out->layers, m->out->mostLayers);
			}
		}
		for (uint32_t level = 0; level < m->out->levels; ++level)
		{
			m->out->layersAtRest[level] *= m->poseCount; // there is one
		}
	}
	free(radii);
	layeredSpheres_Destroy(layers);
}

static bool Prepare(measurement* m)
{
	snugModel* model = MakeModel(m, snug_boundMeanBall);
	snugBodyDef def = { .model = model };
	snugBody* body = NULL;
	if (model == NULL || snugBody_Create(&def, &body) != snug_success)
	{
		Fail(m);
		snugModel_Destroy(model);
		return false;
	}
	const sgTree* tree = &model->tree;
	m->slots = tree->groupCount * SG_LANES;
	m->out->levels = tree->depth + 1;
	m->optimalBoxes = calloc((size_t)m->poseCount * m->slots, sizeof(double));
	m->optimalBalls = calloc((size_t)m->poseCount * m->slots, sizeof(double));
	m->restRadii = calloc(m->slots, sizeof(double));
	m->positions = calloc(3 * (size_t)tree->vertexCount + 1, sizeof(float));
	for (uint32_t slot = 0; slot < m->slots; ++slot)
	{
		m->out->count[tree->nodes[slot].level] += tree->nodes[slot].first != SG_NONE;
	}
	if (m->optimalBoxes == NULL || m->optimalBalls == NULL || m->restRadii == NULL || m->positions == NULL)
	{
		Fail(m);
	}
	else
	{
		MeasureBaselines(m, model, body);
	}
	snugBody_Destroy(body);
	snugModel_Destroy(model);
	return m->report->failure[0] == '\0';
}

bool benchFieldTightness_Measure(
    benchFieldTightness* out, const benchFieldPoses* poses, const benchOptions* options, benchReport* report)
{
	measurement m = { .poses = poses, .options = options, .out = out, .report = report };
	*out = (benchFieldTightness){ .levels = 0 };
	m.poseCount = (poses->frameCount + poses->step - 1) / poses->step;
	if (Prepare(&m))
	{
		for (int i = 0; i < (poses->onlySpheres ? 1 : BENCH_FIELD_BOUNDS) && report->failure[0] == '\0'; ++i)
		{
			MeasureBound(&m, i);
		}
		double nodes = 0.0;
		for (uint32_t level = 0; level < out->levels; ++level)
		{
			out->growth += out->spheres[level] * (double)out->count[level];
			nodes += (double)out->count[level];
		}
		out->growth /= nodes;
	}
	free(m.optimalBoxes);
	free(m.optimalBalls);
	free(m.restRadii);
	free(m.positions);
	return report->failure[0] == '\0';
}

void benchFieldTightness_AddRows(benchReport* report, const benchFieldPoses* poses, const benchFieldTightness* t)
{
	for (uint32_t level = 0; level < t->levels; ++level)
	{
		benchRow* row = benchReport_AddRow(report, "Radius / optimal, mean over nodes and poses");
		benchRow_Text(row, "body", poses->name);
		benchRow_Count(row, "level", level);
		benchRow_Count(row, "nodes", t->count[level]);
		for (int i = 0; i < BENCH_FIELD_BOUNDS; ++i)
		{
			benchRow_Number(row, keys[i], t->mean[i][level], 2);
		}
		benchRow_Number(row, "defaultGreatest", t->most[BENCH_FIELD_BOUNDS - 1][level], 2);
	}
	for (uint32_t level = 0; level < t->levels; ++level)
	{
		benchRow* row = benchReport_AddRow(report, "Spheres: radius / that of the undeformed wrapped sphere");
		benchRow_Text(row, "body", poses->name);
		benchRow_Count(row, "level", level);
		benchRow_Number(row, "bdMean", t->spheres[level], 2);
		benchRow_Number(row, "bdGreatest", t->mostSpheres[level], 2);
		if (t->layers[level] > 0.0)
		{
			benchRow_Number(row, "layeredAtRest", t->layersAtRest[level], 2);
			benchRow_Number(row, "layeredMean", t->layers[level], 2);
			benchRow_Number(row, "layeredGreatest", t->mostLayers[level], 2);
		}
		benchRow_Number(row, "firstOrderBoxMean", t->best[level], 2);
		benchRow_Number(row, "radiusIncrements", t->increments[level], 3);
	}
}

double benchFieldTightness_GetDeep(const benchFieldTightness* t, snugBound bound)
{
	double sum = 0.0, nodes = 0.0;
	int number = 0;
	while (number + 1 < BENCH_FIELD_BOUNDS && benchFieldBounds[number] != bound)
	{
		++number;
	}
	for (uint32_t level = 2 * t->levels / 3; level < t->levels; ++level)
	{
		sum += t->mean[number][level] * (double)t->count[level];
		nodes += (double)t->count[level];
	}
	return sum / nodes;
}
