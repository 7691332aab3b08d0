#include "baselines/oracle.h"

#include <string.h>

static bool IsSameTree(const sgTree* a, const sgTree* b)
{
	return a->vertexCount == b->vertexCount && a->groupCount == b->groupCount && a->leafCount == b->leafCount &&
	       memcmp(a->vertexMap, b->vertexMap, a->vertexCount * sizeof(uint32_t)) == 0;
}

snugStatus oracleBody_Create(oracleBody* oracle, const snugModelDef* def, const snugModel* like)
{
	snugModelDef freeDef = *def;
	*oracle = (oracleBody){ NULL, NULL };
	freeDef.deformer = snug_free;
	freeDef.blend = (snugBlendDef){ 0 };
	snugStatus status = snugModel_Create(&freeDef, &oracle->model);
	if (status == snug_success && !IsSameTree(&oracle->model->tree, &like->tree))
	{
		status = snug_badInput;
	}
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

void oracleBody_Destroy(oracleBody* oracle)
{
	snugBody_Destroy(oracle->body);
	snugModel_Destroy(oracle->model);
	*oracle = (oracleBody){ NULL, NULL };
}

// Runs of as many vertices as a block holds; returns how many.
static uint32_t EvaluateRun(const snugBody* posed, uint32_t first, sgVertexBlock* block)
{
	uint32_t vertices[SG_MAX_LEAF_VERTICES + SG_LANES];
	uint32_t left = posed->model->tree.vertexCount - first;
	uint32_t count = left < SG_MAX_LEAF_VERTICES ? left : SG_MAX_LEAF_VERTICES;
	for (uint32_t i = 0; i < SG_MAX_LEAF_VERTICES + SG_LANES; ++i)
	{
		vertices[i] = first + i;
	}
	posed->deform->evaluate(posed->model, posed->pose, vertices, count, block);
	return count;
}

void oracleBody_Evaluate(oracleBody* oracle, const snugBody* posed)
{
	float* out = oracle->body->pose; // positions in tree order
	uint32_t vertexCount = posed->model->tree.vertexCount;
	for (uint32_t first = 0; first < vertexCount; first += SG_MAX_LEAF_VERTICES)
	{
		sgVertexBlock block;
		uint32_t count = EvaluateRun(posed, first, &block);
		for (uint32_t i = 0; i < count; ++i, out += 3)
		{
			out[0] = block.coordinate[0][i];
			out[1] = block.coordinate[1][i];
			out[2] = block.coordinate[2][i];
		}
	}
	oracle->body->frame = posed->frame;
	oracle->body->isAtRest = false;
	sgBody_Invalidate(oracle->body);
}

snugStatus oracleBody_Refit(oracleBody* oracle)
{
	return snugBody_Refit(oracle->body);
}

// Lanes are kept apart until the end, so that the compiler can use vectors.
static void AddBlock(const sgVertexBlock* block, uint32_t count, sgBoxLanes* lanes)
{
	for (int axis = 0; axis < 3; ++axis)
	{
		const float* x = block->coordinate[axis];
		uint32_t i = 0;
		for (; i + SG_LANES <= count; i += SG_LANES)
		{
			for (uint32_t lane = 0; lane < SG_LANES; ++lane)
			{
				float* low = lanes->lower[axis] + lane;
				float* high = lanes->upper[axis] + lane;
				*low = x[i + lane] < *low ? x[i + lane] : *low;
				*high = x[i + lane] > *high ? x[i + lane] : *high;
			}
		}
		for (; i < count; ++i)
		{
			lanes->lower[axis][0] = x[i] < lanes->lower[axis][0] ? x[i] : lanes->lower[axis][0];
			lanes->upper[axis][0] = x[i] > lanes->upper[axis][0] ? x[i] : lanes->upper[axis][0];
		}
	}
}

sgBox oracleOptimalBox(const snugBody* posed)
{
	sgBox box = sgBox_Empty();
	sgBoxLanes lanes;
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		sgBoxLanes_Set(&lanes, lane, &box);
	}
	for (uint32_t first = 0; first < posed->model->tree.vertexCount; first += SG_MAX_LEAF_VERTICES)
	{
		sgVertexBlock block;
		uint32_t count = EvaluateRun(posed, first, &block);
		AddBlock(&block, count, &lanes);
	}
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		sgBox part = sgBoxLanes_Get(&lanes, lane);
		sgBox_AddBox(&box, &part);
	}
	return box;
}
