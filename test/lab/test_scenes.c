// test/lab/test_scenes.c: the generated bodies are what their headers say, and the same bits everywhere.
#include "support.h"

#include "lab/scenes/meshless.h"
#include "lab/scenes/pair_hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t nodeCounts[] = { 1, 2, 12, 65, 225 };

static void CheckWeights(const sceneMesh* mesh, const sceneWeights* weights, uint32_t least, uint32_t most)
{
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		uint32_t first = weights->starts[v], end = weights->starts[v + 1];
		double sum = 0.0;
		assert_in_range(end - first, least, most);
		for (uint32_t k = first; k < end; ++k)
		{
			assert_true(weights->weights[k] > 0.0f);
			assert_true(weights->transforms[k] < weights->transformCount);
			assert_true(k == first || weights->transforms[k] > weights->transforms[k - 1]);
			sum += (double)weights->weights[k];
		}
		assert_true(fabs(sum - 1.0) < 1e-5);
	}
}

// The library repairs weights that are off, with a warning: a scene that needed it would measure something else.
static snugModel* MakeSilently(const sceneMesh* mesh, const sceneWeights* weights)
{
	TestMessages messages = { 0 };
	snugModelDef def = sceneMakeBlendDef(mesh, weights, (snugTreeDef){ 0 });
	snugModel* model;
	def.messenger = TestMessages_Get(&messages);
	assert_int_equal(snugModel_Create(&def, &model), snug_success);
	assert_int_equal(messages.count, 0);
	return model;
}

static void weights_are_convex_and_local(void** state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(nodeCounts); ++i)
	{
		sceneMeshless body;
		uint32_t n = nodeCounts[i];
		assert_true(sceneMeshless_Create(&body, sceneMakeBrain(14, 3), n, 20.0));
		CheckWeights(&body.mesh, &body.weights, n < 2 ? n : 2, n);
		double mean = (double)body.weights.starts[body.mesh.vertexCount] / (double)body.mesh.vertexCount;
		assert_true(n < 40 || (mean > 17.0 && mean < 23.0));
		snugModel_Destroy(MakeSilently(&body.mesh, &body.weights));
		sceneMeshless_Free(&body);
	}
}

// Nodes lie inside: from the middle of a star-shaped body, none is farther out than the nearest vertex in its
// direction.
static void nodes_are_spread_inside(void** state)
{
	(void)state;
	sceneMeshless body;
	assert_true(sceneMeshless_Create(&body, sceneMakeBrain(24, 1), 100, 20.0));
	double nearest = INFINITY;
	for (uint32_t j = 0; j < 100; ++j)
	{
		const float* p = body.nodes + 3 * (size_t)j;
		double length = hypot(hypot((double)p[0], (double)p[1]), (double)p[2]), best = -1.0, reach = 0.0;
		for (uint32_t v = 0; v < body.mesh.vertexCount; ++v)
		{
			const float* q = body.mesh.positions + 3 * (size_t)v;
			double r = hypot(hypot((double)q[0], (double)q[1]), (double)q[2]);
			double along =
			    ((double)p[0] * (double)q[0] + (double)p[1] * (double)q[1] + (double)p[2] * (double)q[2]) / r;
			reach = along > best ? r : reach;
			best = fmax(along, best);
		}
		assert_true(length <= 1.05 * reach);
		for (uint32_t k = 0; k < j; ++k)
		{
			const float* q = body.nodes + 3 * (size_t)k;
			nearest = fmin(nearest,
			    hypot(hypot((double)p[0] - (double)q[0], (double)p[1] - (double)q[1]), (double)p[2] - (double)q[2]));
		}
	}
	assert_true(nearest > 0.2); // a hundred in a volume of about 4.5
	sceneMeshless_Free(&body);
}

static void gradients_are_derivatives(void** state)
{
	(void)state;
	sceneMeshless body;
	sceneRandom random = { TestSeed() };
	assert_true(sceneMeshless_Create(&body, sceneMakeBrain(6, 1), 4, 4.0));
	for (int i = 0; i < TestCount(200); ++i)
	{
		double point[3], image[3], gradient[3][3], ignored[3][3];
		const sceneBending bending = { sceneRandom_Unit(&random), sceneRandom_Unit(&random),
			sceneRandom_Unit(&random) };
		for (int k = 0; k < 3; ++k)
		{
			point[k] = sceneRandom_Range(&random, -1.2, 1.2);
		}
		sceneMeshless_Map(&body, &bending, point, image, gradient);
		for (int k = 0; k < 3; ++k)
		{
			double ahead[3], behind[3], step = 1e-5, moved[3] = { point[0], point[1], point[2] };
			moved[k] = point[k] + step;
			sceneMeshless_Map(&body, &bending, moved, ahead, ignored);
			moved[k] = point[k] - step;
			sceneMeshless_Map(&body, &bending, moved, behind, ignored);
			for (int m = 0; m < 3; ++m)
			{
				assert_true(fabs((ahead[m] - behind[m]) / (2.0 * step) - gradient[k][m]) < 1e-6);
			}
		}
	}
	sceneMeshless_Free(&body);
}

static void nodes_and_matrices_pose_alike(void** state)
{
	(void)state;
	sceneMeshless body;
	enum
	{
		count = 65
	};
	snugMeshlessNode nodes[count];
	float matrices[12 * count];
	assert_true(sceneMeshless_Create(&body, sceneMakeBrain(12, 2), count, 20.0));
	snugModel* model = MakeSilently(&body.mesh, &body.weights);
	snugBody* posed = MakeBody(model, NULL);
	size_t bytes = 3 * (size_t)body.mesh.vertexCount * sizeof(float);
	float *first = malloc(bytes), *second = malloc(bytes);
	for (int i = 0; i <= 4; ++i)
	{
		double t = 0.25 * (double)i, most = 0.0;
		const sceneBending bending = { t, t, t };
		sceneMeshless_PoseNodes(&body, &bending, nodes);
		sceneMakeMatrices(nodes, count, matrices);
		assert_int_equal(snugBody_SetMeshlessNodes(posed, nodes, count), snug_success);
		assert_int_equal(snugBody_GetVertices(posed, NULL, first, 0), snug_success);
		assert_int_equal(snugBody_SetJoints(posed, matrices, 0, count), snug_success);
		assert_int_equal(snugBody_GetVertices(posed, NULL, second, 0), snug_success);
		assert_memory_equal(first, second, bytes);
		for (size_t k = 0; k < 3 * (size_t)body.mesh.vertexCount; ++k)
		{
			most = fmax(most, fabs((double)first[k] - (double)body.mesh.positions[k]));
		}
		// Without bending nothing moves but by rounding; with all of it, far.
		assert_true(i == 0 ? most < 1e-5 : most > 0.2 * t);
	}
	free(first);
	free(second);
	snugBody_Destroy(posed);
	snugModel_Destroy(model);
	sceneMeshless_Free(&body);
}

static void tubes_are_closed_skins_of_four(void** state)
{
	(void)state;
	sceneTube tube;
	float matrices[12 * 7];
	assert_true(sceneTube_Create(&tube, 11, 40, 7, 0.1));
	CheckWeights(&tube.mesh, &tube.weights, 1, 4);
	// Closed and consistently oriented: every directed edge once, its reverse once. Sums of hashes of both are equal.
	uint64_t forward = 0, backward = 0;
	for (size_t i = 0; i < 3 * (size_t)tube.mesh.triangleCount; ++i)
	{
		uint32_t a = tube.mesh.triangles[i], b = tube.mesh.triangles[i % 3 == 2 ? i - 2 : i + 1];
		forward += sceneHash_Word(sceneHash_Word(SCENE_HASH_START, a), b);
		backward += sceneHash_Word(sceneHash_Word(SCENE_HASH_START, b), a);
	}
	assert_true(forward == backward);
	snugModel* model = MakeSilently(&tube.mesh, &tube.weights);
	snugBody* body = MakeBody(model, NULL);
	float* positions = malloc(3 * (size_t)tube.mesh.vertexCount * sizeof(float));
	sceneTube_Pose(&tube, 0.0, 0.0, matrices);
	assert_int_equal(snugBody_SetJoints(body, matrices, 0, 7), snug_success);
	assert_int_equal(snugBody_GetVertices(body, NULL, positions, 0), snug_success);
	for (size_t k = 0; k < 3 * (size_t)tube.mesh.vertexCount; ++k)
	{
		assert_true(fabs((double)positions[k] - (double)tube.mesh.positions[k]) < 1e-5);
	}
	// Joints hold together: where one ends, at the start of the next, both put the point in one place.
	sceneTube_Pose(&tube, 1.3, 0.8, matrices);
	for (int j = 1; j < 7; ++j)
	{
		for (int i = 0; i < 3; ++i)
		{
			const float *m = matrices + 12 * (j - 1) + 4 * i, *n = matrices + 12 * j + 4 * i;
			float z = (float)j / 7.0f;
			assert_true(fabsf(m[2] * z + m[3] - n[2] * z - n[3]) < 1e-5f);
		}
	}
	free(positions);
	snugBody_Destroy(body);
	snugModel_Destroy(model);
	sceneTube_Free(&tube);
}

// Golden: benchmarks print hashes of pairs that rest on these bits, whatever compiled them.
static void scenes_are_the_same_bits_everywhere(void** state)
{
	(void)state;
	sceneMeshless body;
	sceneTube tube;
	snugMeshlessNode nodes[65];
	float matrices[12 * 65];
	const sceneBending bending = { 0.9, 0.8, 0.7 };
	assert_true(sceneMeshless_Create(&body, sceneMakeBrain(12, 5), 65, 20.0));
	assert_true(sceneTube_Create(&tube, 12, 30, 9, 0.08));
	sceneMeshless_PoseNodes(&body, &bending, nodes);
	sceneMakeMatrices(nodes, 65, matrices);
	uint64_t hash = sceneHash_Floats(SCENE_HASH_START, body.mesh.positions, 3 * (size_t)body.mesh.vertexCount);
	hash = sceneHash_Floats(hash, body.nodes, 3 * 65);
	hash = sceneHash_Floats(hash, body.weights.weights, body.weights.starts[body.mesh.vertexCount]);
	hash = sceneHash_Floats(hash, matrices, 12 * 65);
	hash = sceneHash_Floats(hash, tube.mesh.positions, 3 * (size_t)tube.mesh.vertexCount);
	hash = sceneHash_Floats(hash, tube.weights.weights, tube.weights.starts[tube.mesh.vertexCount]);
	sceneTube_Pose(&tube, 1.1, 0.6, matrices);
	hash = sceneHash_Floats(hash, matrices, 12 * 9);
	const uint64_t golden = 0x1dfe4a771cffd7f8u;
	if (hash != golden)
	{
		fail_msg("the hash of the scenes is %016llx", (unsigned long long)hash);
	}
	sceneTube_Free(&tube);
	sceneMeshless_Free(&body);
}

// What cannot be made is refused, and nothing leaks.
static void bad_bodies_are_refused(void** state)
{
	(void)state;
	sceneMeshless body;
	sceneMesh empty = { NULL, 0, NULL, 0 };
	assert_false(sceneMeshless_Create(&body, empty, 10, 20.0));
	assert_null(body.nodes);
	assert_false(sceneMeshless_Create(&body, sceneMakeBrain(3, 1), 0, 20.0));
	assert_false(sceneMeshless_Create(&body, sceneMakeBrain(3, 1), 70000, 20.0));
	// Flat things have no inside: their vertices stand in.
	assert_true(sceneMeshless_Create(&body, sceneMakeCloth(2.0, 2.0, 12, 12), 20, 8.0));
	CheckWeights(&body.mesh, &body.weights, 2, 20);
	sceneMeshless_Free(&body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_are_convex_and_local),
		cmocka_unit_test(nodes_are_spread_inside),
		cmocka_unit_test(gradients_are_derivatives),
		cmocka_unit_test(nodes_and_matrices_pose_alike),
		cmocka_unit_test(tubes_are_closed_skins_of_four),
		cmocka_unit_test(scenes_are_the_same_bits_everywhere),
		cmocka_unit_test(bad_bodies_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
