// test/papers/test_tightness.c: papers/common/tightness.h measures bounds, and nothing that a strategy makes of them:
// what it says of a root is what the bound gives for that pose alone.
#include "lab/bench/blend_bodies.h"
#include "papers/common/tightness.h"
#include "papers/meshless/limited_tree.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

#define NODES 40
#define POSES 6

// Half the diagonal of the box around all vertices of a body.
static double FindOptimal(snugBody* body, uint32_t vertexCount)
{
	float* positions = malloc(3 * sizeof(float) * vertexCount);
	sgBox box = sgBox_Empty();
	assert_int_equal(snugBody_GetVertices(body, NULL, positions, 0), snug_success);
	for (uint32_t v = 0; v < vertexCount; ++v)
	{
		sgBox_AddPoint(&box, positions + 3 * (size_t)v);
	}
	free(positions);
	return benchGetRadius(&box);
}

// The same of the root by Eq. (12), by the code that has no lanes, no strategy and no memory.
static double FindLimited(const snugModel* model, snugBody* body)
{
	limitedTree* tree = limitedTree_Create(model, &(limitedTreeDef){ .rootOnly = true });
	limitedBody* limited = limitedBody_Create(tree, body);
	double lower[LIMITED_MAX_SLABS], upper[LIMITED_MAX_SLABS], sum = 0.0;
	assert_int_equal(limitedBody_Begin(limited), snug_success);
	limitedBody_Bound(limited, 0, lower, upper);
	for (int k = 0; k < 3; ++k)
	{
		sum += (upper[k] - lower[k]) * (upper[k] - lower[k]);
	}
	limitedBody_Destroy(limited);
	limitedTree_Destroy(tree);
	return 0.5 * sqrt(sum);
}

// Poses follow one another closely, so that a front would move its old boxes outwards instead of bounding anew. A body
// that was never posed before has none.
static void measured_roots_are_the_bounds_alone(void** state)
{
	(void)state;
	sceneMeshless scene;
	snugMeshlessNode nodes[NODES];
	float matrices[POSES][12 * NODES];
	assert_true(sceneMeshless_Create(&scene, sceneMakeBrain(12, 1), NODES, BENCH_INFLUENCES));
	for (int pose = 0; pose < POSES; ++pose)
	{
		double t = 0.7 + 0.01 * pose;
		sceneMeshless_PoseNodes(&scene, &(sceneBending){ t, t, t }, nodes);
		sceneMakeMatrices(nodes, NODES, matrices[pose]);
	}
	benchReport report = { .rows = NULL };
	static benchTightness measured;
	const benchActor actor = benchActor_Skinned(&scene.mesh, &scene.weights, matrices[0], POSES, NULL);
	assert_true(benchTightness_OfMeshless(&measured, &actor, &report));
	double sums[2] = { 0.0, 0.0 }, most[2] = { 0.0, 0.0 };
	for (int pose = 0; pose < POSES; ++pose)
	{
		benchBody alone;
		snugCounters counters = { 0 };
		assert_true(benchBody_Create(&alone, &actor, snug_strategyAuto, &report));
		assert_int_equal(actor.pose(&actor, alone.body, pose), snug_success);
		sgBox root = sgBody_RootBox(alone.body, &counters);
		double optimal = FindOptimal(alone.body, scene.mesh.vertexCount);
		double ratios[2] = { FindLimited(alone.model, alone.body) / optimal, benchGetRadius(&root) / optimal };
		for (int i = 0; i < 2; ++i)
		{
			sums[i] += ratios[i];
			most[i] = fmax(most[i], ratios[i]);
		}
		benchBody_Destroy(&alone);
	}
	assert_true(measured.radii[bench_eq12][0].ratios == sums[0] && measured.radii[bench_eq12][0].mostRatio == most[0]);
	assert_true(measured.radii[bench_oursAtRoot][0].ratios == sums[1]);
	assert_true(measured.radii[bench_oursAtRoot][0].mostRatio == most[1]);
	sceneMeshless_Free(&scene);
	benchReport_Free(&report);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(measured_roots_are_the_bounds_alone) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
