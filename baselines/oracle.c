#include "baselines/oracle.h"

#include <math.h>
#include <string.h>

static bool IsSameTree(const sgTree* a, const sgTree* b)
{
	return a->vertexCount == b->vertexCount && a->groupCount == b->groupCount && a->leafCount == b->leafCount &&
	       memcmp(a->vertexMap, b->vertexMap, a->vertexCount * sizeof(uint32_t)) == 0;
}

// A body of the oracle's model, if that was made.
static snugStatus MakeBody(oracleBody* oracle, snugStatus status)
{
	if (status == snug_success)
	{
		snugBodyDef bodyDef = { .model = oracle->model };
		status = snugBody_Create(&bodyDef, &oracle->body);
	}
	if (status != snug_success)
	{
		oracleBody_Destroy(oracle);
	}
	return status;
}

snugStatus oracleBody_Create(oracleBody* oracle, const snugModelDef* def, const snugModel* like)
{
	snugModelDef freeDef = *def;
	*oracle = (oracleBody){ .model = NULL };
	freeDef.deformer = snug_free;
	freeDef.blend = (snugBlendDef){ 0 };
	snugStatus status = snugModel_Create(&freeDef, &oracle->model);
	if (status == snug_success && !IsSameTree(&oracle->model->tree, &like->tree))
	{
		status = snug_badInput;
	}
	return MakeBody(oracle, status);
}

snugStatus oracleBody_CreateLike(oracleBody* oracle, const oracleBody* other)
{
	*oracle = (oracleBody){ .model = other->model, .borrowsModel = true };
	return MakeBody(oracle, snug_success);
}

void oracleBody_Destroy(oracleBody* oracle)
{
	snugBody_Destroy(oracle->body);
	snugModel_Destroy(oracle->borrowsModel ? NULL : oracle->model);
	*oracle = (oracleBody){ .model = NULL };
}

// Runs of vertices short enough to stay in a cache close by; evaluates into `out`, returns how many.
static uint32_t EvaluateRun(const snugBody* posed, uint32_t first, float* out)
{
	uint32_t vertices[SG_MAX_CLUSTER_VERTICES];
	uint32_t left = posed->model->tree.vertexCount - first;
	uint32_t count = left < SG_MAX_CLUSTER_VERTICES ? left : SG_MAX_CLUSTER_VERTICES;
	for (uint32_t i = 0; i < count; ++i)
	{
		vertices[i] = first + i;
	}
	posed->deform->evaluate(posed->model, posed->pose, vertices, count, out);
	return count;
}

void oracleBody_Evaluate(oracleBody* oracle, const snugBody* posed)
{
	float* positions = oracle->body->pose; // in tree order, with room for one float more
	uint32_t vertexCount = posed->model->tree.vertexCount;
	for (uint32_t first = 0; first < vertexCount; first += SG_MAX_CLUSTER_VERTICES)
	{
		EvaluateRun(posed, first, positions + 3 * (size_t)first);
	}
	oracle->body->frame = posed->frame;
	oracle->body->isAtRest = false;
	sgBody_Invalidate(oracle->body, INFINITY);
}

snugStatus oracleBody_Refit(oracleBody* oracle)
{
	return snugBody_Refit(oracle->body);
}

// Coordinate i % 3 of every third float: lanes are kept apart until the end, so that the compiler can use vectors.
static void AddRun(const float* positions, uint32_t count, float lower[24], float upper[24])
{
	uint32_t i = 0, floats = 3 * count;
	for (; i + 24 <= floats; i += 24)
	{
		for (uint32_t lane = 0; lane < 24; ++lane)
		{
			float x = positions[i + lane];
			lower[lane] = x < lower[lane] ? x : lower[lane];
			upper[lane] = x > upper[lane] ? x : upper[lane];
		}
	}
	for (uint32_t lane = 0; i < floats; ++i, ++lane)
	{
		lower[lane] = positions[i] < lower[lane] ? positions[i] : lower[lane];
		upper[lane] = positions[i] > upper[lane] ? positions[i] : upper[lane];
	}
}

sgBox oracleOptimalBox(const snugBody* posed)
{
	float lower[24], upper[24], run[SG_CLUSTER_FLOATS(SG_MAX_CLUSTER_VERTICES)];
	for (int lane = 0; lane < 24; ++lane)
	{
		lower[lane] = INFINITY;
		upper[lane] = -INFINITY;
	}
	for (uint32_t first = 0; first < posed->model->tree.vertexCount; first += SG_MAX_CLUSTER_VERTICES)
	{
		uint32_t count = EvaluateRun(posed, first, run);
		AddRun(run, count, lower, upper);
	}
	sgBox box = sgBox_Empty();
	for (int lane = 0; lane < 24; lane += 3)
	{
		sgBox_AddPoint(&box, lower + lane);
		sgBox_AddPoint(&box, upper + lane);
	}
	return box;
}
