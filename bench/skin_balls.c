#include "bench/skin_balls.h"

#include "bench/stage.h"
#include "geometry/ball.h"
#include "geometry/volume.h"
#include "papers/common/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// While it is measured.
typedef struct measurement
{
	benchBody boxes, balls; ///< the same tree, bounded by default and by balls
	sphereTree* tree;
	sphereBody* spheres;
	float* positions; ///< posed, the caller's numbering
	skinBalls* out;
} measurement;

/// The vertices of consecutive leaves.
typedef struct leafPoints
{
	const sgTree* tree;
	const float* positions;
	uint32_t first;
} leafPoints;

static void GetPoint(const void* points, uint32_t i, double point[3])
{
	const leafPoints* p = points;
	const float* from = p->positions + 3 * (size_t)p->tree->vertexMap[p->tree->leafVertices[p->first + i]];
	for (int k = 0; k < 3; ++k)
	{
		point[k] = (double)from[k];
	}
}

static void Add(skinBalls* out, ballKind kind, uint32_t level, double radius)
{
	ballRange* range = &out->ranges[kind][level];
	range->least = out->count[level] == 0 || radius < range->least ? radius : range->least;
	range->most = radius > range->most ? radius : range->most;
	range->sum += radius;
}

// What queries see of a node.
static sgBox GetBounds(snugBody* body, uint32_t slot, double center[3], double* radius)
{
	snugCounters counters = { 0 };
	sgBoundsScratch scratch;
	sgBody_Derive(body);
	sgBounds bounds = sgBody_Refresh(body, sgTree_Family(&body->model->tree, slot), &scratch, &counters);
	if (body->volume == snug_volumeBall)
	{
		const sgBallLanes* balls = (const sgBallLanes*)(const void*)bounds.extra;
		for (int k = 0; k < 3; ++k)
		{
			center[k] = (double)balls->center[k][slot % SG_LANES];
		}
		*radius = (double)balls->radius[slot % SG_LANES];
	}
	return sgBoxLanes_Get(bounds.boxes, slot % SG_LANES);
}

// All kinds of one node in the present pose.
static void MeasureNode(measurement* m, uint32_t node, benchReport* report)
{
	const sgTree* tree = &m->boxes.model->tree;
	sgLeafRange range = sphereTree_GetLeaves(m->tree, node);
	const sgLeaf* last = tree->leaves + range.last;
	leafPoints points = { tree, m->positions, tree->leaves[range.first].firstVertex };
	uint32_t count = last->firstVertex + last->vertexCount - points.first, level = sphereTree_GetLevel(m->tree, node);
	uint32_t slot = sphereTree_GetSlot(m->tree, node);
	double optimal[3], ours[3] = { 0.0, 0.0, 0.0 }, radius = 0.0, ignored[3], none = 0.0;
	double smallest = sgSmallestBall(GetPoint, &points, count, optimal);
	sphereBall paper = { .radius = INFINITY };
	if (m->out->hasPaper)
	{
		paper = sphereBody_Refit(m->spheres, node);
	}
	GetBounds(m->balls.body, slot, ours, &radius);
	sgBox box = GetBounds(m->boxes.body, slot, ignored, &none), tight = sgBox_Empty();
	bool isInside = true;
	for (uint32_t i = 0; i < count; ++i)
	{
		double p[3], squares[2] = { 0.0, 0.0 };
		float corner[3];
		GetPoint(&points, i, p);
		for (int k = 0; k < 3; ++k)
		{
			corner[k] = (float)p[k];
			squares[0] += (p[k] - paper.center[k]) * (p[k] - paper.center[k]);
			squares[1] += (p[k] - ours[k]) * (p[k] - ours[k]);
			isInside = isInside && corner[k] >= box.lower[k] && corner[k] <= box.upper[k];
		}
		isInside = isInside && sqrt(squares[0]) <= paper.radius && sqrt(squares[1]) <= radius;
		sgBox_AddPoint(&tight, corner);
	}
	if (!isInside)
	{
		benchReport_Fail(report, "a bound does not contain its vertices");
	}
	Add(m->out, ball_reference, level, sphereTree_GetRestBall(m->tree, node).radius);
	Add(m->out, ball_paper, level, paper.radius);
	Add(m->out, ball_ours, level, radius);
	Add(m->out, ball_optimal, level, smallest);
	Add(m->out, ball_box, level, benchGetRadius(&box));
	Add(m->out, ball_user, level, benchGetRadius(range.last - range.first < BENCH_USER_LEAF ? &tight : &box));
	Add(m->out, ball_optimalBox, level, benchGetRadius(&tight));
	++m->out->count[level];
}

static void CountNodes(measurement* m)
{
	for (uint32_t i = 0; i < sphereTree_GetNodeCount(m->tree); ++i)
	{
		uint32_t level = sphereTree_GetLevel(m->tree, i);
		++m->out->nodes[level];
		m->out->levels = level + 1 > m->out->levels ? level + 1 : m->out->levels;
	}
}

static bool Create(measurement* m, const benchSubject* subject, snugDeformer deformer, benchReport* report)
{
	static const snugTreeDef paperTree = { .split = snug_splitMedian, .leafTriangles = 1, .branching = 2 };
	const benchSkinning skin = { .deformer = deformer, .jointPositions = subject->jointPositions };
	const benchBounding boxes = { .boundLeaves = true, .tree = paperTree, .strategy = snug_strategyOnDemand };
	benchBounding balls = boxes;
	balls.bound = snug_boundCorners;
	balls.volume = snug_volumeBall;
	if (!benchBody_CreateSkin(&m->boxes, subject->mesh, subject->weights, &skin, &boxes, report) ||
	    !benchBody_CreateSkin(&m->balls, subject->mesh, subject->weights, &skin, &balls, report))
	{
		return false;
	}
	m->tree = sphereTree_Create(m->boxes.model, &(sphereTreeDef){ .prune = BENCH_PRUNE });
	m->spheres = m->tree != NULL ? sphereBody_Create(m->tree, m->boxes.body) : NULL;
	m->positions = malloc(3 * (size_t)subject->mesh->vertexCount * sizeof(float));
	if (m->spheres == NULL || m->positions == NULL)
	{
		benchReport_Fail(report, "out of memory");
		return false;
	}
	CountNodes(m);
	return true;
}

static snugStatus Pose(measurement* m, const float* matrices, uint32_t jointCount)
{
	snugStatus status = snugBody_SetJoints(m->boxes.body, matrices, 0, jointCount);
	status = status == snug_success ? snugBody_SetJoints(m->balls.body, matrices, 0, jointCount) : status;
	status = status == snug_success ? snugBody_GetVertices(m->boxes.body, NULL, m->positions, 0) : status;
	m->out->hasPaper = m->out->hasPaper && status == snug_success && sphereBody_Update(m->spheres) == snug_success;
	return status;
}

bool skinBalls_Measure(skinBalls* out, const benchSubject* subject, snugDeformer deformer, const float* matrices,
    int poseCount, benchReport* report)
{
	measurement m = { .out = out };
	uint32_t jointCount = subject->weights->transformCount;
	memset(out, 0, sizeof(*out));
	out->hasPaper = true;
	bool good = Create(&m, subject, deformer, report);
	for (int pose = 0; good && pose < poseCount; ++pose)
	{
		snugStatus status = Pose(&m, matrices + 12 * (size_t)pose * jointCount, jointCount);
		for (uint32_t i = 0; status == snug_success && i < sphereTree_GetNodeCount(m.tree); ++i)
		{
			MeasureNode(&m, i, report);
		}
		good = status == snug_success && report->failure[0] == '\0';
		if (status != snug_success)
		{
			benchReport_Fail(report, "%s: cannot pose it: %s", subject->name, snugGetStatusText(status));
		}
	}
	sphereBody_Destroy(m.spheres);
	sphereTree_Destroy(m.tree);
	benchBody_Destroy(&m.boxes);
	benchBody_Destroy(&m.balls);
	free(m.positions);
	return good;
}

double skinBalls_GetRatio(const skinBalls* balls, ballKind kind, uint32_t level)
{
	ballKind optimal = kind == ball_box || kind == ball_user ? ball_optimalBox : ball_optimal;
	return kind == ball_paper && !balls->hasPaper ? (double)NAN
	                                              : balls->ranges[kind][level].sum / balls->ranges[optimal][level].sum;
}

double skinBalls_GetWorst(const skinBalls* balls, ballKind kind)
{
	double worst = NAN;
	for (uint32_t level = 0; level < balls->levels; ++level)
	{
		double paper = skinBalls_GetRatio(balls, ball_paper, level);
		worst = fmax(worst, skinBalls_GetRatio(balls, kind, level) / paper); // fmax skips NaN
	}
	return worst;
}
