// test/io/test_io_rig.c: where joints are at rest, and morph targets by vertex, of meshes made by hand.
#include "support.h"

#include "io/rig.h"

#include <math.h>
#include <string.h>

enum
{
	vertices = 50,
	joints = 7,
	targets = 5
};

// An inverse bind matrix: any that can be inverted, with turns, scale and shear.
static void RandomMatrix(sceneRandom* random, double m[12])
{
	for (int i = 0; i < 12; ++i)
	{
		m[i] = sceneRandom_Range(random, -2.0, 2.0) + (i % 5 == 0 ? 4.0 : 0.0);
	}
}

static void joints_are_what_their_matrices_carry_to_zero(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	for (int i = 0; i < TestCount(200); ++i)
	{
		double matrices[12 * joints];
		ioAssetMesh mesh = { .name = "" };
		ioSkin skin = { .inverseBind = matrices, .jointCount = joints };
		ioRig rig;
		for (int j = 0; j < joints; ++j)
		{
			RandomMatrix(&random, matrices + 12 * j);
		}
		assert_true(ioRig_Make(&rig, &mesh, &skin, false));
		assert_int_equal(rig.targetCount, 0);
		for (int j = 0; j < joints; ++j)
		{
			const double* m = matrices + 12 * j;
			const float* p = rig.jointPositions + 3 * j;
			for (int k = 0; k < 3; ++k)
			{
				double image =
				    m[4 * k] * (double)p[0] + m[4 * k + 1] * (double)p[1] + m[4 * k + 2] * (double)p[2] + m[4 * k + 3];
				assert_true(fabs(image) < 1e-4);
			}
		}
		ioRig_Free(&rig);
	}
}

// A matrix that flattens space, or is beyond all measure, must not make positions that no model takes.
static void hopeless_matrices_give_finite_positions(void** state)
{
	(void)state;
	double matrices[3][12] = { { 0.0 }, { [0] = 1.0, [3] = 1.0, [5] = 1.0 },
		{ [0] = 1e-300, [3] = 1e300, [5] = 1e-300, [10] = 1e-300 } };
	ioAssetMesh mesh = { .name = "" };
	ioSkin skin = { .inverseBind = matrices[0], .jointCount = 3 };
	ioRig rig;
	assert_true(ioRig_Make(&rig, &mesh, &skin, false));
	for (int i = 0; i < 9; ++i)
	{
		assert_true(isfinite(rig.jointPositions[i]));
	}
	ioRig_Free(&rig);
}

// Sparse targets, one of them empty: each displacement is there once, with its vertex, ascending by target.
static void targets_are_listed_by_vertex(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	const double identity[12] = { [0] = 1.0, [5] = 1.0, [10] = 1.0 };
	for (int i = 0; i < TestCount(50); ++i)
	{
		uint32_t lists[targets][vertices], total = 0;
		float deltas[targets][3 * vertices], dense[targets][vertices] = { { 0.0f } };
		ioMorphTarget all[targets] = { { .name = "" } };
		for (uint32_t t = 0; t < targets; ++t)
		{
			double share = t == 2 ? 0.0 : sceneRandom_Unit(&random);
			all[t].vertices = lists[t];
			all[t].deltas = deltas[t];
			for (uint32_t v = 0; v < vertices; ++v)
			{
				if (sceneRandom_Unit(&random) < share)
				{
					float* delta = deltas[t] + 3 * all[t].count;
					delta[0] = dense[t][v] = (float)sceneRandom_Range(&random, 0.5, 1.0);
					delta[1] = 2.0f * delta[0];
					delta[2] = -delta[0];
					lists[t][all[t].count++] = v;
				}
			}
			total += all[t].count;
		}
		ioAssetMesh mesh = { .mesh = { .vertexCount = vertices }, .targets = all, .targetCount = targets };
		ioSkin skin = { .inverseBind = identity, .jointCount = 1 };
		ioRig rig;
		assert_true(ioRig_Make(&rig, &mesh, &skin, true));
		assert_int_equal(rig.targetCount, targets);
		assert_int_equal(rig.starts[0], 0);
		assert_int_equal(rig.starts[vertices], total);
		for (uint32_t v = 0; v < vertices; ++v)
		{
			for (uint32_t k = rig.starts[v]; k < rig.starts[v + 1]; ++k)
			{
				const float* delta = rig.deltas + 3 * k;
				assert_true(k == rig.starts[v] || rig.targets[k] > rig.targets[k - 1]);
				assert_true(delta[0] == dense[rig.targets[k]][v] && delta[0] > 0.0f);
				assert_true(delta[1] == 2.0f * delta[0] && delta[2] == -delta[0]);
			}
		}
		ioRig_Free(&rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joints_are_what_their_matrices_carry_to_zero),
		cmocka_unit_test(hopeless_matrices_give_finite_positions),
		cmocka_unit_test(targets_are_listed_by_vertex),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
