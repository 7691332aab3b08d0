// test/papers/test_sphere_tree.c: the papers' sphere tree finds what brute force finds, and pruning takes
// nodes away.
#include "support.h"

#include "lab/scenes/character.h"
#include "papers/spherical.h"
#include "program/check/brute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const Mover deformers[] = { snug_skin, mover_spherical, mover_dualQuaternion };

static const double prunes[] = { 0.0, 0.8, 0.6 };

// A character as the papers' trees have it.
static snugModel* MakePaperModel(const sceneCharacter* c, Mover deformer)
{
	snugModelDef def = sceneCharacter_MakeDef(c, Mover_Blending(deformer));
	snugModel* model;
	assert_int_equal(snugModel_Create(&def, &model), snug_success);
	return model;
}

// Every joint turned about its own position at random, whatever its neighbours do: caps beyond right angles, signs that
// do not agree.
static void TurnJoints(sceneRandom* random, const sceneCharacter* c, float* matrices)
{
	for (uint32_t j = 0; j < c->weights.transformCount; ++j)
	{
		double q[4], *p = (double[3]){ c->joints[j].position[0], c->joints[j].position[1], c->joints[j].position[2] };
		RandomRotation(random, q);
		double m[3][3] = {
			{ 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]), 2.0 * (q[0] * q[1] - q[2] * q[3]),
			    2.0 * (q[0] * q[2] + q[1] * q[3]) },
			{ 2.0 * (q[0] * q[1] + q[2] * q[3]), 1.0 - 2.0 * (q[0] * q[0] + q[2] * q[2]),
			    2.0 * (q[1] * q[2] - q[0] * q[3]) },
			{ 2.0 * (q[0] * q[2] - q[1] * q[3]), 2.0 * (q[1] * q[2] + q[0] * q[3]),
			    1.0 - 2.0 * (q[0] * q[0] + q[1] * q[1]) },
		};
		for (int i = 0; i < 3; ++i)
		{
			float* row = matrices + 12 * (size_t)j + 4 * (size_t)i;
			row[3] = (float)(p[i] - m[i][0] * p[0] - m[i][1] * p[1] - m[i][2] * p[2]);
			for (int k = 0; k < 3; ++k)
			{
				row[k] = (float)m[i][k];
			}
		}
	}
}

// One kind of pose after the other, at random.
static void PoseRandomly(sceneRandom* random, int kind, const sceneCharacter* c, snugBody* body)
{
	float matrices[12 * SCENE_MAX_JOINTS];
	double amount = sceneRandom_Range(random, -1.5, 1.5);
	if (kind % 4 == 0)
	{
		sceneCharacter_Walk(c, sceneRandom_Unit(random), matrices);
	}
	else if (kind % 4 != 2)
	{
		TurnJoints(random, c, matrices);
	}
	else
	{
		sceneCharacter_Contort(c, amount, matrices);
	}
	assert_int_equal(snugBody_SetJoints(body, matrices, 0, c->weights.transformCount), snug_success);
}

static bruteMesh Evaluate(const sceneCharacter* c, snugBody* body, float* positions)
{
	assert_int_equal(snugBody_GetVertices(body, NULL, positions, 0), snug_success);
	return (bruteMesh){ positions, c->mesh.triangles, c->mesh.triangleCount };
}

// A query from scratch evaluates no vertex twice; refitting everything evaluates each once.
static void CheckQuery(
    sphereBody* bodies[2], const bruteResult* expected, bool isBottomUp, const sceneCharacter* character)
{
	snugPair* pairs = malloc((size_t)(expected->count + 1) * sizeof(snugPair));
	snugPair one = { 0, 0 };
	for (int i = 0; i < 2; ++i)
	{
		assert_int_equal(sphereBody_Update(bodies[i]), snug_success);
		if (isBottomUp)
		{
			sphereBody_RefitBottomUp(bodies[i]);
		}
	}
	assert_int_equal(sphereCollide(bodies[0], bodies[1], false, pairs, expected->count), expected->count);
	for (int i = 0; i < 2; ++i)
	{
		const uint64_t evaluated = sphereBody_GetCounters(bodies[i]).verticesEvaluated;
		assert_true(isBottomUp ? evaluated == character->mesh.vertexCount : evaluated <= character->mesh.vertexCount);
	}
	assert_true(
	    expected->count == 0 || memcmp(pairs, expected->pairs, (size_t)expected->count * sizeof(snugPair)) == 0);
	assert_int_equal(sphereCollide(bodies[0], bodies[1], true, &one, 1), expected->count > 0 ? 1 : 0);
	free(pairs);
}

static void RunVariant(const sceneCharacter* c, const snugModel* model, double prune, int kind, sceneRandom* random)
{
	sphereTree* tree = sphereTree_Create(model, prune);
	snugBody* bodies[2] = { MakeBody(model, NULL), MakeBody(model, NULL) };
	sphereBody* spheres[2] = { sphereBody_Create(tree, bodies[0]), sphereBody_Create(tree, bodies[1]) };
	float* positions[2];
	for (int i = 0; i < 2; ++i)
	{
		snugFrame place = { .position = {
			                    sceneRandom_Range(random, -0.6, 0.6), 0.0, sceneRandom_Range(random, -0.6, 0.6) } };
		RandomRotation(random, place.rotation);
		positions[i] = malloc(3 * (size_t)c->mesh.vertexCount * sizeof(float));
		PoseRandomly(random, kind + i, c, bodies[i]);
		assert_int_equal(snugBody_SetFrame(bodies[i], &place), snug_success);
	}
	bruteMesh a = Evaluate(c, bodies[0], positions[0]), b = Evaluate(c, bodies[1], positions[1]);
	bruteResult expected = bruteCollide(&a, &b);
	assert_false(expected.outOfMemory);
	CheckQuery(spheres, &expected, false, c);
	CheckQuery(spheres, &expected, true, c);
	bruteResult_Free(&expected);
	for (int i = 0; i < 2; ++i)
	{
		sphereBody_Destroy(spheres[i]);
		snugBody_Destroy(bodies[i]);
		free(positions[i]);
	}
	sphereTree_Destroy(tree);
}

static void pairs_are_brute_forces(void** state)
{
	(void)state;
	for (int kind = 0; kind < SCENE_CHARACTERS; ++kind)
	{
		sceneCharacter c;
		assert_true(sceneCharacter_Create(&c, (sceneCharacterKind)kind));
		for (size_t d = 0; d < LENGTH_OF(deformers); ++d)
		{
			snugModel* model = MakePaperModel(&c, deformers[d]);
			for (int i = 0; i < TestCount(6); ++i)
			{
				uint64_t seed = TestSeed() + (uint64_t)i;
				sceneRandom random = { seed };
				print_message("%s, deformer %d, seed %llu\n", c.name, (int)deformers[d], (unsigned long long)seed);
				RunVariant(&c, model, prunes[(size_t)i % LENGTH_OF(prunes)], i, &random);
			}
			snugModel_Destroy(model);
		}
		sceneCharacter_Free(&c);
	}
}

// Every node's ball, refitted from the joints alone, has all vertices below it.
static void CheckBalls(const sceneCharacter* c, const sphereTree* tree, snugBody* body, sphereBody* spheres)
{
	float* positions = malloc(3 * (size_t)c->mesh.vertexCount * sizeof(float));
	const sgTree* from = &snugBody_GetModel(body)->tree;
	binaryTree whole;
	assert_true(binaryTree_Create(&whole, snugBody_GetModel(body)));
	Evaluate(c, body, positions);
	assert_int_equal(sphereBody_Update(spheres), snug_success);
	for (uint32_t i = 0; i < sphereTree_GetNodeCount(tree); ++i)
	{
		sphereBall ball = sphereBody_Refit(spheres, i);
		const binaryNode* node = whole.nodes + sphereTree_GetWhole(tree, i);
		for (uint32_t k = 3 * node->firstLeaf; k < 3 * (node->firstLeaf + node->leafCount); ++k)
		{
			const float* p = positions + 3 * (size_t)from->vertexMap[whole.corners[k / 3][k % 3]];
			double x = (double)p[0] - ball.center[0], y = (double)p[1] - ball.center[1],
			       z = (double)p[2] - ball.center[2];
			assert_true(sqrt(x * x + y * y + z * z) <= ball.radius);
		}
	}
	binaryTree_Free(&whole);
	free(positions);
}

static void balls_contain_their_vertices(void** state)
{
	(void)state;
	sceneCharacter c;
	assert_true(sceneCharacter_Create(&c, scene_man));
	for (size_t d = 0; d < LENGTH_OF(deformers); ++d)
	{
		snugModel* model = MakePaperModel(&c, deformers[d]);
		snugBody* body = MakeBody(model, NULL);
		for (size_t v = 0; v < LENGTH_OF(prunes); ++v)
		{
			sphereTree* tree = sphereTree_Create(model, prunes[v]);
			sphereBody* spheres = sphereBody_Create(tree, body);
			for (int i = 0; i < TestCount(4); ++i)
			{
				uint64_t seed = TestSeed() + (uint64_t)i;
				sceneRandom random = { seed };
				print_message("deformer %d, seed %llu\n", (int)deformers[d], (unsigned long long)seed);
				PoseRandomly(&random, i, &c, body);
				CheckBalls(&c, tree, body, spheres);
			}
			sphereBody_Destroy(spheres);
			sphereTree_Destroy(tree);
		}
		snugBody_Destroy(body);
		snugModel_Destroy(model);
	}
	sceneCharacter_Free(&c);
}

// The more is pruned, the fewer nodes there are.
static void pruning_takes_nodes_away(void** state)
{
	(void)state;
	sceneCharacter c;
	assert_true(sceneCharacter_Create(&c, scene_creature));
	snugModel* model = MakePaperModel(&c, snug_skin);
	// A binary tree over single triangles has one node less than two per triangle.
	uint32_t last = 2 * c.mesh.triangleCount;
	for (size_t v = 0; v < LENGTH_OF(prunes); ++v)
	{
		sphereTree* tree = sphereTree_Create(model, prunes[v]);
		uint32_t count = sphereTree_GetNodeCount(tree);
		assert_true(v == 0 ? count == last - 1 : count < last);
		last = count;
		sphereTree_Destroy(tree);
	}
	snugModel_Destroy(model);
	sceneCharacter_Free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_brute_forces),
		cmocka_unit_test(balls_contain_their_vertices),
		cmocka_unit_test(pruning_takes_nodes_away),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
