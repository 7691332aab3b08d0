#include "papers/common/oracle.h"

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
	freeDef.skin = (snugSkinDef){ 0 };
	freeDef.fields = (snugFieldsDef){ 0 };
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

// Cluster by cluster, the fastest way there is, though vertices on their borders are evaluated more than once.
void oracleEvaluate(snugBody* posed, float* positions)
{
	const sgClusters* clusters = &posed->model->clusters;
	float run[SG_CLUSTER_FLOATS(SG_MAX_CLUSTER_VERTICES)];
	for (uint32_t c = 0; c < clusters->header->count; ++c)
	{
		const sgCluster* cluster = clusters->clusters + c;
		const uint32_t* vertices = clusters->vertices + cluster->firstVertex;
		posed->deform->evaluateCluster(sgBody_Derive(posed), c, run);
		for (uint32_t i = 0; i < cluster->vertexCount; ++i)
		{
			memcpy(positions + 3 * (size_t)vertices[i], run + 3 * (size_t)i, 3 * sizeof(float));
		}
	}
	for (uint32_t v = clusters->header->usedCount; v < posed->model->tree.vertexCount; ++v)
	{
		posed->deform->evaluate(sgBody_Derive(posed), &v, 1, run);
		memcpy(positions + 3 * (size_t)v, run, 3 * sizeof(float));
	}
}

void oracleBody_Evaluate(oracleBody* oracle, snugBody* posed)
{
	oracleEvaluate(posed, (float*)(void*)oracle->body->poses); // which are in tree order
	oracle->body->frame = posed->frame;
	oracle->body->isAtRest = false;
	sgBody_Invalidate(oracle->body);
	sgBody_Travel(oracle->body, INFINITY);
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

sgBox oracleOptimalBox(snugBody* posed)
{
	float lower[24], upper[24], run[SG_CLUSTER_FLOATS(SG_MAX_CLUSTER_VERTICES)];
	for (int lane = 0; lane < 24; ++lane)
	{
		lower[lane] = INFINITY;
		upper[lane] = -INFINITY;
	}
	const sgClusters* clusters = &posed->model->clusters;
	for (uint32_t c = 0; c < clusters->header->count; ++c)
	{
		posed->deform->evaluateCluster(sgBody_Derive(posed), c, run);
		AddRun(run, clusters->clusters[c].vertexCount, lower, upper);
	}
	sgBox box = sgBox_Empty();
	for (int lane = 0; lane < 24; lane += 3)
	{
		// Lanes that no cluster was large enough for hold nothing.
		if (lower[lane] <= upper[lane])
		{
			sgBox_AddPoint(&box, lower + lane);
			sgBox_AddPoint(&box, upper + lane);
		}
	}
	return box;
}
