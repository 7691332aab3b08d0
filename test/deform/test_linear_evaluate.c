// test/deform/test_linear_evaluate.c: evaluation of linear skins gives the very same bits one vertex at a time, in
// blocks of eight, and on every instruction set: those of the definition, written out below.
//
// Would catch a fused multiply-add, another order of sums, a transform that does not move a vertex but changes the sign
// of a zero, and a last block that is not full.
#include "hard_skins.h"

#include "body/body.h"
#include "deform/skin/linear_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const sgKernels* tables[8];
static int tableCount;

// linear_kernels.h says what evaluation is; this is that, and nothing else.
static void EvaluatePlainly(const snugModel* model, const float* columns, uint32_t vertex, float out[3])
{
	sgLinear linear = sgLinear_Get(model);
	sgRow influences = sgRows_Get(&linear.rows, vertex);
	const float* p = model->positions + 3 * (size_t)vertex;
	for (uint32_t axis = 0; axis < 3; ++axis)
	{
		volatile float row[4] = { 0.0f, 0.0f, 0.0f, 0.0f }; // volatile: every step rounds
		for (uint32_t k = 0; k < influences.count; ++k)
		{
			const float* column = columns + 16 * (size_t)influences.numbers[k] + axis;
			bool isThere = sgRow_Has(&influences, 1, k);
			for (int c = 0; c < 4 && isThere; ++c)
			{
				volatile float product = influences.values[k * SG_LANES] * column[4 * c];
				row[c] = row[c] + product;
			}
		}
		volatile float sum = row[0] * p[0], product = row[1] * p[1];
		sum = sum + product;
		product = row[2] * p[2];
		sum = sum + product;
		out[axis] = sum + row[3];
	}
}

static void AssertSameBits(const char* what, const sgKernels* kernels, uint64_t seed, const float* expected,
    const float* found, uint32_t count)
{
	if (memcmp(expected, found, 3 * (size_t)count * sizeof(float)) != 0)
	{
		fail_msg("%s, %s, SNUG_SEED=%llu: other bits in a cluster of %u", kernels->name, what, (unsigned long long)seed,
		    count);
	}
}

// All clusters of a posed body. Returns the size of the largest.
static uint32_t CheckClusters(snugBody* body, uint64_t seed)
{
	const snugModel* model = body->model;
	const sgClusters* clusters = &model->clusters;
	sgLinear linear = sgLinear_Get(model);
	const float* columns = sgLinear_Columns(sgBody_Derive(body)->derived);
	uint32_t largest = 0;
	for (uint32_t c = 0; c < clusters->header->count; ++c)
	{
		const uint32_t* vertices = clusters->vertices + clusters->clusters[c].firstVertex;
		uint32_t count = clusters->clusters[c].vertexCount;
		float expected[3 * SG_MAX_CLUSTER_VERTICES], found[SG_CLUSTER_FLOATS(SG_MAX_CLUSTER_VERTICES)];
		for (uint32_t i = 0; i < count; ++i)
		{
			EvaluatePlainly(model, columns, vertices[i], expected + 3 * i);
		}
		for (int t = 0; t < tableCount; ++t)
		{
			tables[t]->blend->evaluate(&linear, columns, model->positions, vertices, count, found);
			AssertSameBits("one by one", tables[t], seed, expected, found, count);
			tables[t]->blend->evaluateBlocks(&linear, linear.rows.firstBlocks[c], count, columns, found);
			AssertSameBits("in blocks", tables[t], seed, expected, found, count);
		}
		largest = count > largest ? count : largest;
	}
	return largest;
}

static void hard_skins_evaluate_alike(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(300); ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		SkinnedMesh skinned = HardSkin(&random);
		Thing thing = MakeThing(&skinned, RandomTreeDef(&random), snug_strategyAuto);
		for (int pose = 0; pose < 4; ++pose)
		{
			HardPose(&random, &skinned);
			PoseBody(thing.body, &skinned);
			CheckClusters(thing.body, number);
		}
		Thing_Free(&thing);
		SkinnedMesh_Free(&skinned);
	}
}

// Every size of cluster from a vertex to as many as there can be, in soups whose triangles share vertices or not.
static void clusters_of_every_size_evaluate_alike(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	uint32_t largest = 0;
	for (uint32_t size = 1; size <= SG_MAX_CLUSTER_VERTICES; ++size)
	{
		sceneRandom random = { seed + size };
		sceneMesh mesh = sceneMesh_Allocate(size, (size + 2) / 3);
		assert_true(sceneMesh_IsValid(&mesh));
		for (uint32_t i = 0; i < 3 * mesh.triangleCount; ++i)
		{
			mesh.triangles[i] = i % size;
		}
		for (size_t i = 0; i < 3 * (size_t)size; ++i)
		{
			mesh.positions[i] = OddFloat(&random);
		}
		SkinnedMesh skinned = ScatteredSkin(&random, mesh, 1 + sceneRandom_Index(&random, 40));
		Thing thing = MakeThing(&skinned, (snugTreeDef){ 0 }, snug_strategyAuto);
		for (int pose = 0; pose < 3; ++pose)
		{
			for (size_t i = 0; i < 12 * (size_t)skinned.skin.transformCount; ++i)
			{
				skinned.skin.matrices[i] = OddFloat(&random);
			}
			PoseBody(thing.body, &skinned);
			uint32_t found = CheckClusters(thing.body, seed + size);
			largest = found > largest ? found : largest;
		}
		Thing_Free(&thing);
		SkinnedMesh_Free(&skinned);
	}
	assert_int_equal(largest, SG_MAX_CLUSTER_VERTICES);
}

int main(void)
{
	tableCount = FindKernels(tables);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hard_skins_evaluate_alike),
		cmocka_unit_test(clusters_of_every_size_evaluate_alike),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
