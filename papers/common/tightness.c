#include "papers/common/tightness.h"

#include "papers/bdtree/bd_tree.h"
#include "papers/bdtree/layered_spheres.h"
#include "papers/common/ball.h"
#include "papers/meshless/limited_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// While it is measured: a body, its vertices in a pose, and those of the node at hand.
typedef struct measurement
{
	benchTightness* out;
	const benchActor* actor;
	benchReport* report;
	benchBody body;
	binaryTree tree;
	nodeVertices below;
	float* given;     ///< the caller's order
	float* positions; ///< the model's order
	double box, ball; ///< optimal radii of the node at hand
	double slack;     ///< what float32 may put vertices off: of the root
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

static void Add(measurement* m, benchVolume volume, uint32_t level, double radius, double by)
{
	benchRadii* r = &m->out->radii[volume][level];
	double ratio = by > 0.0 ? radius / by : 1.0; // a node that is a point
	r->least = r->count == 0 ? radius : fmin(r->least, radius);
	r->most = fmax(r->most, radius);
	r->mostRatio = fmax(r->mostRatio, ratio);
	r->ratios += ratio;
	r->radii += radius;
	r->bys += by;
	++r->count;
}

static bool Fail(measurement* m, const char* what)
{
	benchReport_Fail(m->report, "tightness: %s", what);
	return false;
}

static bool IsGood(const measurement* m)
{
	return m->report->failure[0] == '\0';
}

static bool Begin(measurement* m, benchTightness* out, const benchActor* actor, benchReport* report)
{
	size_t floats = 3 * (size_t)actor->mesh->vertexCount + 1;
	*m = (measurement){ .out = out, .actor = actor, .report = report };
	*out = (benchTightness){ .levels = 0 };
	// On demand, since a front would grow boxes of the last pose.
	if (!benchBody_Create(&m->body, actor, snug_strategyOnDemand, report))
	{
		return false;
	}
	m->given = malloc(floats * sizeof(float));
	m->positions = malloc(floats * sizeof(float));
	if (m->given == NULL || m->positions == NULL || !binaryTree_Create(&m->tree, m->body.model) ||
	    !nodeVertices_Create(&m->below, &m->tree))
	{
		return Fail(m, "out of memory");
	}
	return true;
}

static bool End(measurement* m)
{
	nodeVertices_Free(&m->below);
	binaryTree_Free(&m->tree);
	free(m->given);
	free(m->positions);
	benchBody_Destroy(&m->body);
	return IsGood(m);
}

static void CountNode(measurement* m, uint32_t level)
{
	++m->out->nodes[level];
	m->out->levels = level + 1 > m->out->levels ? level + 1 : m->out->levels;
}

static bool Pose(measurement* m, int frame)
{
	const sgTree* tree = &m->body.model->tree;
	if (m->actor->pose(m->actor, m->body.body, frame) != snug_success ||
	    snugBody_GetVertices(m->body.body, NULL, m->given, 0) != snug_success)
	{
		return Fail(m, "cannot pose a body");
	}
	for (uint32_t v = 0; v < tree->vertexCount; ++v)
	{
		memcpy(m->positions + 3 * (size_t)v, m->given + 3 * (size_t)tree->vertexMap[v], 3 * sizeof(float));
	}
	return true;
}

static const float* PositionOf(const measurement* m, uint32_t i)
{
	return m->positions + 3 * (size_t)m->below.vertices[i];
}

static void GetPoint(const void* user, uint32_t i, double point[3])
{
	const float* p = PositionOf(user, i);
	for (int k = 0; k < 3; ++k)
	{
		point[k] = (double)p[k];
	}
}

static void Look(measurement* m, uint32_t node, bool wantsBall)
{
	double center[3];
	sgBox box = sgBox_Empty();
	nodeVertices_Gather(&m->below, &m->tree, node);
	for (uint32_t i = 0; i < m->below.count; ++i)
	{
		sgBox_AddPoint(&box, PositionOf(m, i));
	}
	m->box = benchGetRadius(&box);
	m->slack = node == 0 ? 2e-6 * m->box : m->slack;
	m->ball = wantsBall ? sgSmallestBall(GetPoint, m, m->below.count, center) : 0.0;
}

// Along three axes, or the coordinate axes.
static void CheckBox(measurement* m, const double (*axes)[3], const double lower[3], const double upper[3])
{
	for (uint32_t i = 0; i < 3 * m->below.count; ++i)
	{
		const float* p = PositionOf(m, i / 3);
		const double* d = axes != NULL ? axes[i % 3] : NULL;
		double x = d == NULL ? (double)p[i % 3] : d[0] * (double)p[0] + d[1] * (double)p[1] + d[2] * (double)p[2];
		if (!(lower[i % 3] - m->slack <= x && x <= upper[i % 3] + m->slack))
		{
			Fail(m, "a box does not contain its vertices");
			return;
		}
	}
}

static void CheckBall(measurement* m, const double center[3], double radius)
{
	for (uint32_t i = 0; i < m->below.count; ++i)
	{
		const float* p = PositionOf(m, i);
		double x = (double)p[0] - center[0], y = (double)p[1] - center[1], z = (double)p[2] - center[2];
		if (!(sqrt(x * x + y * y + z * z) <= radius + m->slack))
		{
			Fail(m, "a ball does not contain its vertices");
			return;
		}
	}
}

// ---- Meshless --------------------------------------------------------------------------------------------------

static void MeasureLimited(measurement* m, limitedBody* limited, uint32_t node)
{
	double lower[LIMITED_MAX_SLABS], upper[LIMITED_MAX_SLABS], sum = 0.0;
	limitedBody_Bound(limited, node, lower, upper);
	CheckBox(m, NULL, lower, upper);
	for (int k = 0; k < 3; ++k)
	{
		sum += (upper[k] - lower[k]) * (upper[k] - lower[k]);
	}
	Add(m, bench_eq12, m->tree.nodes[node].level, 0.5 * sqrt(sum), m->box);
}

static void MeasureMeshlessPose(measurement* m, limitedBody* limited, const accumulatedSpheres* spheres, int frame)
{
	const float* matrices = benchActor_GetMatrices(m->actor, frame);
	if (limitedBody_Begin(limited) != snug_success)
	{
		Fail(m, "cannot pose a body");
		return;
	}
	for (uint32_t i = 0; i < m->tree.nodeCount && IsGood(m); ++i)
	{
		Look(m, i, false);
		MeasureLimited(m, limited, i);
		for (int reading = 0; reading < ACCUMULATED_READINGS; ++reading)
		{
			double center[3],
			    radius = accumulatedSpheres_Bound(spheres, (accumulatedReading)reading, i, matrices, center);
			CheckBall(m, center, radius);
			Add(m, (benchVolume)(bench_accumulated + reading), m->tree.nodes[i].level, radius, m->box);
		}
		if (i == 0)
		{
			snugCounters ignored = { 0 };
			sgBox root = sgBody_RootBox(m->body.body, &ignored);
			Add(m, bench_oursAtRoot, 0, benchGetRadius(&root), m->box);
		}
	}
}

bool benchTightness_OfMeshless(benchTightness* out, const benchActor* actor, benchReport* report)
{
	measurement m;
	limitedTree* tree = NULL;
	limitedBody* limited = NULL;
	accumulatedSpheres* spheres = NULL;
	if (Begin(&m, out, actor, report))
	{
		tree = limitedTree_Create(m.body.model, &(limitedTreeDef){ .boundLeaves = true });
		limited = tree != NULL ? limitedBody_Create(tree, m.body.body) : NULL;
		spheres = accumulatedSpheres_Create(&m.tree);
		for (uint32_t i = 0; i < m.tree.nodeCount; ++i)
		{
			CountNode(&m, m.tree.nodes[i].level);
		}
		if (limited == NULL || spheres == NULL)
		{
			Fail(&m, "out of memory");
		}
		for (int frame = 0; frame < actor->frameCount && IsGood(&m) && Pose(&m, frame); ++frame)
		{
			MeasureMeshlessPose(&m, limited, spheres, frame);
		}
	}
	accumulatedSpheres_Destroy(spheres);
	limitedBody_Destroy(limited);
	limitedTree_Destroy(tree);
	return End(&m);
}

// ---- Fields ----------------------------------------------------------------------------------------------------

#define BD_KINDS 3

/// The papers' trees over displacement fields.
typedef struct fieldTrees
{
	bdTree* trees[BD_KINDS]; ///< by bdKind
	bdBody* bodies[BD_KINDS];
	layeredSpheres* layers;
	double* rest; ///< (nodes): radii of the spheres, undeformed
} fieldTrees;

static bool MakeFieldTrees(measurement* m, fieldTrees* f, int kinds)
{
	bool good = true;
	f->layers = layeredSpheres_Create(m->body.model);
	f->rest = malloc(((size_t)m->tree.nodeCount + 1) * sizeof(double));
	for (int kind = 0; kind < kinds && good; ++kind)
	{
		f->trees[kind] = bdTree_Create(m->body.model, &(bdTreeDef){ .kind = (bdKind)kind });
		f->bodies[kind] = f->trees[kind] != NULL ? bdBody_Create(f->trees[kind]) : NULL;
		good = f->bodies[kind] != NULL;
	}
	return (good && f->layers != NULL && f->rest != NULL) || Fail(m, "out of memory");
}

static void FreeFieldTrees(fieldTrees* f)
{
	for (int kind = 0; kind < BD_KINDS; ++kind)
	{
		bdBody_Destroy(f->bodies[kind]);
		bdTree_Destroy(f->trees[kind]);
	}
	layeredSpheres_Destroy(f->layers);
	free(f->rest);
}

static double BoundSphere(const fieldTrees* f, uint32_t node, double center[3])
{
	double extents[3];
	bdBody_Bound(f->bodies[bd_spheres], node, center, extents);
	return extents[0];
}

// Undeformed: amplitudes are zero.
static void MeasureAtRest(measurement* m, fieldTrees* f)
{
	float* zeros = calloc((size_t)m->actor->fieldCount + 1, sizeof(float));
	if (zeros == NULL || snugBody_SetAmplitudes(m->body.body, zeros, m->actor->fieldCount) != snug_success)
	{
		free(zeros);
		Fail(m, "cannot pose a body");
		return;
	}
	bdBody_SetAmplitudes(f->bodies[bd_spheres], zeros);
	layeredSpheres_Update(f->layers, m->body.model->positions);
	for (uint32_t i = 0; i < m->tree.nodeCount; ++i)
	{
		uint32_t level = m->tree.nodes[i].level;
		double center[3];
		CountNode(m, level);
		f->rest[i] = BoundSphere(f, i, center);
		Add(m, bench_layeredAtRest, level, layeredSpheres_GetRadius(f->layers, i), f->rest[i]);
		Add(m, bench_bdIncrements, level, bdTree_GetGrowth(f->trees[bd_spheres], i), f->rest[i]);
	}
	free(zeros);
}

static void MeasureBdBox(measurement* m, const fieldTrees* f, bdKind kind, uint32_t node)
{
	double center[3], half[3], lower[3], upper[3], axes[3][3], sum = 0.0;
	bdBody_Bound(f->bodies[kind], node, center, half);
	bdTree_GetAxes(f->trees[kind], node, axes);
	for (int k = 0; k < 3; ++k)
	{
		double middle = axes[k][0] * center[0] + axes[k][1] * center[1] + axes[k][2] * center[2];
		lower[k] = middle - half[k];
		upper[k] = middle + half[k];
		sum += half[k] * half[k];
	}
	CheckBox(m, (const double(*)[3])axes, lower, upper);
	Add(m, kind == bd_boxes ? bench_bdBox : bench_bdOrientedBox, m->tree.nodes[node].level, sqrt(sum), m->box);
}

static void MeasureFieldsPose(measurement* m, const fieldTrees* f, const float* amplitudes, bool onlySpheres)
{
	layeredSpheres_Update(f->layers, m->positions);
	for (int kind = 0; kind < (onlySpheres ? 1 : BD_KINDS); ++kind)
	{
		bdBody_SetAmplitudes(f->bodies[kind], amplitudes);
	}
	for (uint32_t i = 0; i < m->tree.nodeCount && IsGood(m); ++i)
	{
		uint32_t level = m->tree.nodes[i].level;
		double center[3], radius = BoundSphere(f, i, center);
		Add(m, bench_bdGrown, level, radius, f->rest[i]);
		Add(m, bench_layeredGrown, level, layeredSpheres_GetRadius(f->layers, i), f->rest[i]);
		if (!onlySpheres)
		{
			Look(m, i, true);
			CheckBall(m, center, radius);
			Add(m, bench_bdSphere, level, radius, m->ball);
			MeasureBdBox(m, f, bd_boxes, i);
			MeasureBdBox(m, f, bd_oriented, i);
		}
	}
}

bool benchTightness_OfFields(
    benchTightness* out, const benchActor* actor, int step, bool onlySpheres, benchReport* report)
{
	measurement m;
	fieldTrees f = { .layers = NULL };
	if (Begin(&m, out, actor, report) && MakeFieldTrees(&m, &f, onlySpheres ? 1 : BD_KINDS))
	{
		MeasureAtRest(&m, &f);
		for (int frame = 0; frame < actor->frameCount && IsGood(&m) && Pose(&m, frame); frame += step)
		{
			MeasureFieldsPose(&m, &f, actor->amplitudes + (size_t)frame * actor->fieldCount, onlySpheres);
		}
	}
	FreeFieldTrees(&f);
	return End(&m);
}

// ---- Skins -----------------------------------------------------------------------------------------------------

static void MeasureSkinPose(measurement* m, const sphereTree* tree, sphereBody* spheres)
{
	bool hasPaper = sphereBody_Update(spheres) == snug_success;
	for (uint32_t i = 0; i < sphereTree_GetNodeCount(tree) && IsGood(m); ++i)
	{
		uint32_t level = sphereTree_GetLevel(tree, i);
		Look(m, sphereTree_GetWhole(tree, i), true);
		Add(m, bench_atRest, level, sphereTree_GetRestBall(tree, i).radius, m->ball);
		Add(m, bench_optimal, level, m->ball, m->ball);
		if (hasPaper)
		{
			sphereBall ball = sphereBody_Refit(spheres, i);
			CheckBall(m, ball.center, ball.radius);
			Add(m, bench_algorithm1, level, ball.radius, m->ball);
		}
	}
}

bool benchTightness_OfSkin(benchTightness* out, const benchActor* actor, double prune, benchReport* report)
{
	measurement m;
	sphereTree* tree = NULL;
	sphereBody* spheres = NULL;
	if (Begin(&m, out, actor, report))
	{
		tree = sphereTree_Create(m.body.model, prune);
		spheres = tree != NULL ? sphereBody_Create(tree, m.body.body) : NULL;
		if (spheres == NULL)
		{
			Fail(&m, "out of memory");
		}
		for (uint32_t i = 0; spheres != NULL && i < sphereTree_GetNodeCount(tree); ++i)
		{
			CountNode(&m, sphereTree_GetLevel(tree, i));
		}
		for (int frame = 0; frame < actor->frameCount && IsGood(&m) && Pose(&m, frame); ++frame)
		{
			MeasureSkinPose(&m, tree, spheres);
		}
	}
	sphereBody_Destroy(spheres);
	sphereTree_Destroy(tree);
	return End(&m);
}

// ---- Numbers ---------------------------------------------------------------------------------------------------

double benchTightness_GetMean(const benchTightness* t, benchVolume volume, uint32_t level)
{
	const benchRadii* r = &t->radii[volume][level];
	return r->count > 0 ? r->ratios / (double)r->count : (double)NAN;
}

double benchTightness_GetMost(const benchTightness* t, benchVolume volume, uint32_t level)
{
	return t->radii[volume][level].mostRatio;
}

double benchTightness_GetRatioOfMeans(const benchTightness* t, benchVolume volume, uint32_t level)
{
	const benchRadii* r = &t->radii[volume][level];
	return r->count > 0 ? r->radii / r->bys : (double)NAN;
}

double benchTightness_GetMeanOfAll(const benchTightness* t, benchVolume volume)
{
	double sum = 0.0, count = 0.0;
	for (uint32_t level = 0; level < t->levels; ++level)
	{
		sum += t->radii[volume][level].ratios;
		count += (double)t->radii[volume][level].count;
	}
	return sum / count;
}

void benchTightness_AddMeshlessRows(benchReport* report, const char* title, const benchTightness* t)
{
	static const char* const keys[] = { "limited", "spheres", "spheresTermByTerm", NULL };
	benchPlot plot = {
		.firstRow = report->rowCount, .unit = "radius / optimal", .across = "level", .limit = 4.0, .keys = keys
	};
	for (uint32_t level = 0; level < t->levels; ++level)
	{
		benchRow* row = benchReport_AddRow(report, "Radius / optimal radius, mean over poses and nodes");
		benchRow_Text(row, "body", title);
		benchRow_Count(row, "level", level);
		benchRow_Count(row, "nodes", t->nodes[level]);
		for (int i = 0; i < 3; ++i)
		{
			benchRow_Number(row, keys[i], benchTightness_GetMean(t, (benchVolume)i, level), 2);
		}
		benchRow_Number(row, "limitedGreatest", benchTightness_GetMost(t, bench_eq12, level), 2);
	}
	plot.endRow = report->rowCount;
	snprintf(plot.title, sizeof(plot.title), "Mean, %.60s", title);
	benchReport_AddPlot(report, &plot);
}

void benchTightness_AddFieldRows(benchReport* report, const char* name, const benchTightness* t)
{
	for (uint32_t level = 0; level < t->levels; ++level)
	{
		benchRow* row = benchReport_AddRow(report, "Radius / optimal, mean over nodes and poses");
		benchRow_Text(row, "body", name);
		benchRow_Count(row, "level", level);
		benchRow_Count(row, "nodes", t->nodes[level]);
		benchRow_Number(row, "bdSpheres", benchTightness_GetMean(t, bench_bdSphere, level), 2);
		benchRow_Number(row, "bdBoxes", benchTightness_GetMean(t, bench_bdBox, level), 2);
		benchRow_Number(row, "bdOriented", benchTightness_GetMean(t, bench_bdOrientedBox, level), 2);
	}
	for (uint32_t level = 0; level < t->levels; ++level)
	{
		benchRow* row = benchReport_AddRow(report, "Spheres: radius / that of the undeformed wrapped sphere");
		benchRow_Text(row, "body", name);
		benchRow_Count(row, "level", level);
		benchRow_Number(row, "bdMean", benchTightness_GetMean(t, bench_bdGrown, level), 2);
		benchRow_Number(row, "bdGreatest", benchTightness_GetMost(t, bench_bdGrown, level), 2);
		benchRow_Number(row, "layeredAtRest", benchTightness_GetMean(t, bench_layeredAtRest, level), 2);
		benchRow_Number(row, "layeredMean", benchTightness_GetMean(t, bench_layeredGrown, level), 2);
		benchRow_Number(row, "layeredGreatest", benchTightness_GetMost(t, bench_layeredGrown, level), 2);
		benchRow_Number(row, "radiusIncrements", benchTightness_GetMean(t, bench_bdIncrements, level), 3);
	}
}
