// test/papers/test_baselines.c: what snug is compared with must itself be right, or the comparison is worth nothing.
#include "fields_support.h"

#include "lab/scenes/meshless.h"
#include "lab/scenes/motion.h"
#include "papers/bdtree.h"
#include "papers/common/oracle.h"
#include "papers/common/plain_skin.h"
#include "papers/common/plain_tree.h"
#include "papers/common/world.h"
#include "papers/meshless.h"
#include "program/check/brute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 20 // of transforms; of random limits 12

/// Limits of weights as real vertices give them, and a value per transform.
typedef struct Limits
{
	uint32_t count;
	double low[MOST], high[MOST], b[MOST];
} Limits;

// Some transforms are missing at some vertices, so that their low is zero.
static Limits RandomLimits(sceneRandom* random)
{
	Limits limits = { .count = 1 + sceneRandom_Index(random, 12) };
	uint32_t vertices = 1 + sceneRandom_Index(random, 6);
	for (uint32_t v = 0; v < vertices; ++v)
	{
		double weights[MOST], sum = 0.0;
		for (uint32_t j = 0; j < limits.count; ++j)
		{
			weights[j] = sceneRandom_Index(random, 4) == 0 ? 0.0 : sceneRandom_Unit(random);
			sum += weights[j];
		}
		for (uint32_t j = 0; j < limits.count; ++j)
		{
			double w = sum > 0.0 ? weights[j] / sum : 1.0 / limits.count;
			limits.low[j] = v == 0 ? w : fmin(limits.low[j], w);
			limits.high[j] = v == 0 ? w : fmax(limits.high[j], w);
		}
	}
	for (uint32_t j = 0; j < limits.count; ++j)
	{
		limits.b[j] = sceneRandom_Range(random, -1.0, 1.0);
	}
	return limits;
}

// The linear program as a fractional knapsack: what is left to 1 goes to the largest b first.
static double Knapsack(const Limits* limits)
{
	double value = 0.0, rest = 1.0;
	bool used[MOST] = { false };
	for (uint32_t j = 0; j < limits->count; ++j)
	{
		value += limits->low[j] * limits->b[j];
		rest -= limits->low[j];
	}
	for (uint32_t k = 0; k < limits->count; ++k)
	{
		uint32_t best = limits->count;
		for (uint32_t j = 0; j < limits->count; ++j)
		{
			best = !used[j] && (best == limits->count || limits->b[j] > limits->b[best]) ? j : best;
		}
		used[best] = true;
		double taken = fmin(rest, limits->high[best] - limits->low[best]);
		value += taken * limits->b[best];
		rest -= taken;
	}
	return value;
}

// Eq. (12) of the 2008 paper.
static double ClosedForm(const Limits* limits)
{
	if (limits->count == 1)
	{
		return limits->b[0];
	}
	uint32_t first = 0, second = 1;
	for (uint32_t j = 1; j < limits->count; ++j)
	{
		first = limits->b[j] > limits->b[first] ? j : first;
	}
	second = first == 0 ? 1 : 0;
	for (uint32_t j = 0; j < limits->count; ++j)
	{
		second = j != first && limits->b[j] > limits->b[second] ? j : second;
	}
	double value = limits->high[first] * limits->b[first], rest = 1.0 - limits->high[first];
	for (uint32_t j = 0; j < limits->count; ++j)
	{
		if (j != first && j != second)
		{
			value += limits->low[j] * limits->b[j];
			rest -= limits->low[j];
		}
	}
	return value + rest * limits->b[second];
}

// Names the bug it would catch: a corner left out makes the true maximum too small, one too many makes it too large.
static void true_corners_are_the_linear_program(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	int paperIsLooser = 0;
	for (int i = 0; i < TestCount(3000); ++i, ++seed)
	{
		sceneRandom random = { seed };
		Limits limits = RandomLimits(&random);
		double exact = cornersMaximum(corners_true, limits.low, limits.high, limits.b, limits.count);
		double paper = cornersMaximum(corners_paper, limits.low, limits.high, limits.b, limits.count);
		double program = Knapsack(&limits), closed = ClosedForm(&limits);
		if (fabs(exact - program) > 1e-5 || exact > closed + 1e-5 || closed > paper + 1e-9)
		{
			fail_msg("SNUG_SEED=%llu: true corners %.9g, program %.9g, Eq. (12) %.9g, paper's corners %.9g",
			    (unsigned long long)seed, exact, program, closed, paper);
		}
		paperIsLooser += paper > closed + 1e-6;
	}
	assert_true(paperIsLooser > 0); // else the two sets of corners are not told apart
}

// The example of docs/bounds/skins.md: the program 0.6, Eq. (12) 0.7; one of the paper's corners gives 0.8.
static void the_papers_corners_differ_from_eq_12(void** state)
{
	(void)state;
	const Limits limits = { .count = 3, .low = { 0, 0, 0 }, .high = { 0.4, 0.4, 0.4 }, .b = { 1.0, 0.5, 0.0 } };
	assert_float_equal(cornersMaximum(corners_true, limits.low, limits.high, limits.b, 3), 0.6, 1e-6);
	assert_float_equal(ClosedForm(&limits), 0.7, 1e-6);
	assert_float_equal(cornersMaximum(corners_paper, limits.low, limits.high, limits.b, 3), 0.8, 1e-6);
}

/// A small meshless body, strongly posed.
typedef struct Posed
{
	sceneMeshless meshless;
	snugModelDef def;
	snugModel* model;
	snugBody* body;
	float* matrices;
	float* positions; // body space, caller's order
} Posed;

static Posed MakePosed(sceneRandom* random, uint32_t nodeCount, double influences)
{
	Posed p;
	uint32_t frequency = 4 + sceneRandom_Index(random, 5);
	uint64_t shape = sceneRandom_Next(random);
	assert_true(sceneMeshless_Create(&p.meshless, sceneMakeBrain(frequency, shape), nodeCount, influences));
	p.def = sceneMakeBlendDef(&p.meshless.mesh, &p.meshless.weights, (snugTreeDef){ 0 });
	assert_int_equal(snugModel_Create(&p.def, &p.model), snug_success);
	p.body = MakeBody(p.model, NULL);
	snugMeshlessNode* nodes = malloc(nodeCount * sizeof(snugMeshlessNode));
	p.matrices = malloc(12 * (size_t)nodeCount * sizeof(float));
	p.positions = malloc(3 * (size_t)p.meshless.mesh.vertexCount * sizeof(float));
	const sceneBending bending = { sceneRandom_Range(random, 0.0, 1.5), sceneRandom_Range(random, -1.5, 1.5),
		sceneRandom_Range(random, -1.5, 1.5) };
	sceneMeshless_PoseNodes(&p.meshless, &bending, nodes);
	sceneMakeMatrices(nodes, nodeCount, p.matrices);
	assert_int_equal(snugBody_SetJoints(p.body, p.matrices, 0, nodeCount), snug_success);
	assert_int_equal(snugBody_GetVertices(p.body, NULL, p.positions, 0), snug_success);
	free(nodes);
	return p;
}

static void FreePosed(Posed* p)
{
	free(p->matrices);
	free(p->positions);
	snugBody_Destroy(p->body);
	snugModel_Destroy(p->model);
	sceneMeshless_Free(&p->meshless);
}

static const float* PosedVertex(const Posed* p, uint32_t treeVertex)
{
	return p->positions + 3 * (size_t)p->model->tree.vertexMap[treeVertex];
}

// The greatest place along an axis to which a transform carries a corner of the rest box, or minus the least.
static double Farthest(const nodeWeights* weights, const float* matrix, int axis, double sign)
{
	double most = -INFINITY;
	for (int corner = 0; corner < 8; ++corner)
	{
		const float* row = matrix + 4 * axis;
		double x = (double)row[3];
		for (int k = 0; k < 3; ++k)
		{
			x += (double)row[k] * ((corner >> k & 1) != 0 ? weights->upper[k] : weights->lower[k]);
		}
		most = fmax(most, sign * x);
	}
	return most;
}

// Eq. (12) of a node is the closed form over images of corners of its rest box; true corners are within it, the paper's
// corners around it, and vertices within all: a transform or a vertex forgotten on either side shows.
static void CheckCorners(const Posed* p, const nodeWeights* weights, const double (*eq12)[3], uint64_t seed)
{
	double scratch[CORNERS_MAX_TRUE], exact[2][3], paper[2][3];
	assert_true(cornersBox(corners_true, weights, p->matrices, scratch, exact[0], exact[1]));
	assert_true(cornersBox(corners_paper, weights, p->matrices, scratch, paper[0], paper[1]));
	for (int i = 0; i < 6; ++i)
	{
		int side = i / 3, k = i % 3;
		double sign = side == 0 ? -1.0 : 1.0;
		Limits limits = { .count = weights->count };
		for (uint32_t j = 0; j < weights->count; ++j)
		{
			limits.low[j] = weights->low[j];
			limits.high[j] = weights->high[j];
			limits.b[j] = Farthest(weights, p->matrices + 12 * (size_t)weights->transforms[j], k, sign);
		}
		double closed = ClosedForm(&limits), found = sign * eq12[side][k], least = sign * exact[side][k];
		if (found < closed - 1e-6 || found > closed + 1e-4 || least > closed + 1e-5 ||
		    closed > sign * paper[side][k] + 1e-5 || fabs(least - Knapsack(&limits)) > 1e-5)
		{
			fail_msg("SNUG_SEED=%llu: true corners %g, Eq. (12) %g, closed form %g, paper's corners %g",
			    (unsigned long long)seed, least, found, closed, sign * paper[side][k]);
		}
		for (uint32_t v = 0; v < weights->below.count; ++v)
		{
			assert_true(sign * (double)PosedVertex(p, weights->below.vertices[v])[k] <= least + 1e-5);
		}
	}
}

static void corner_boxes_hold_vertices_and_match_eq_12(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	int checked = 0;
	for (int i = 0; i < TestCount(6); ++i, ++seed)
	{
		sceneRandom random = { seed };
		Posed p = MakePosed(&random, 5 + sceneRandom_Index(&random, 12), 5.0);
		binaryTree tree;
		nodeWeights weights;
		assert_true(binaryTree_Create(&tree, p.model) && nodeWeights_Create(&weights, &tree));
		limitedTree* limited = limitedTree_Create(p.model, &(limitedTreeDef){ .boundLeaves = true });
		limitedBody* body = limitedBody_Create(limited, p.body);
		assert_int_equal(limitedBody_Begin(body), snug_success);
		for (uint32_t node = 0; node < tree.nodeCount; ++node)
		{
			nodeWeights_Gather(&weights, &tree, node);
			// Large sets of weights take long, and the upper nodes of one tree are enough of them.
			if (weights.count <= (node < 24 ? 17u : 12u))
			{
				double eq12[2][LIMITED_MAX_SLABS], box[2][3];
				limitedBody_Bound(body, node, eq12[0], eq12[1]);
				for (int k = 0; k < 6; ++k)
				{
					box[k / 3][k % 3] = eq12[k / 3][k % 3];
				}
				CheckCorners(&p, &weights, (const double(*)[3])box, seed);
				++checked;
			}
		}
		limitedBody_Destroy(body);
		limitedTree_Destroy(limited);
		nodeWeights_Free(&weights);
		binaryTree_Free(&tree);
		FreePosed(&p);
	}
	assert_true(checked > 100);
}

static void spheres_hold_vertices(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(6); ++i, ++seed)
	{
		sceneRandom random = { seed };
		Posed p = MakePosed(&random, 5 + sceneRandom_Index(&random, 80), 8.0);
		binaryTree tree;
		nodeVertices below;
		assert_true(binaryTree_Create(&tree, p.model) && nodeVertices_Create(&below, &tree));
		accumulatedSpheres* spheres = accumulatedSpheres_Create(&tree);
		assert_non_null(spheres);
		for (uint32_t node = 0; node < tree.nodeCount; ++node)
		{
			accumulatedReading reading = node % 2 == 0 ? accumulated_meanSubtracted : accumulated_termByTerm;
			double center[3], radius = accumulatedSpheres_Bound(spheres, reading, node, p.matrices, center);
			nodeVertices_Gather(&below, &tree, node);
			for (uint32_t v = 0; v < below.count; ++v)
			{
				const float* x = PosedVertex(&p, below.vertices[v]);
				double distance =
				    hypot(hypot((double)x[0] - center[0], (double)x[1] - center[1]), (double)x[2] - center[2]);
				if (!(distance <= radius + 1e-5))
				{
					fail_msg("SNUG_SEED=%llu, node %u: a vertex at %g of radius %g", (unsigned long long)seed, node,
					    distance, radius);
				}
			}
		}
		nodeVertices_Free(&below);
		accumulatedSpheres_Destroy(spheres);
		binaryTree_Free(&tree);
		FreePosed(&p);
	}
}

// In general position, where double decides every pair.
static void plain_tree_matches_brute_force(void** state)
{
	(void)state;
	uint64_t found = 0;
	for (uint32_t seed = 1; seed <= (uint32_t)TestCount(40); ++seed)
	{
		Thing things[2];
		plainTree* trees[2];
		float* positions[2];
		for (uint32_t k = 0; k < 2; ++k)
		{
			things[k] =
			    Thing_Make(sceneMakeBlob(6 + seed % 7 + k, seed + 100 * k), snug_rigid, (snugTreeDef){ 0 }, NULL);
			const sceneMesh* mesh = &things[k].mesh;
			double place[3] = { 0.13 * k * (1 + seed % 11), 0.07 * k, 0.01 * seed }, axis[3] = { 1.0, 0.3 * k, 0.2 };
			snugFrame frame = sceneMakeFrame(place, axis, 0.1 * seed);
			assert_int_equal(snugBody_SetFrame(things[k].body, &frame), snug_success);
			positions[k] = malloc((3 * (size_t)mesh->vertexCount + 1) * sizeof(float));
			trees[k] = plainTree_Create(mesh->positions, mesh->triangles, mesh->triangleCount);
			assert_true(positions[k] != NULL && trees[k] != NULL);
			assert_int_equal(snugBody_GetVertices(things[k].body, NULL, positions[k], 0), snug_success);
			plainTree_Refit(trees[k], positions[k]);
		}
		PairList expected = BruteAll(things, things + 1, NULL);
		PairList list = { .pairs = calloc(expected.count + 1, sizeof(snugPair)) };
		list.count = plainTree_Collide(trees[0], trees[1], false, list.pairs, expected.count + 1);
		assert_int_equal(list.count, expected.count);
		qsort(list.pairs, list.count, sizeof(snugPair), ComparePairs);
		AssertSamePairs("plain tree", seed, &expected, &list);
		assert_int_equal(plainTree_Collide(trees[0], trees[1], true, NULL, 0) > 0, expected.count > 0);
		found += expected.count;
		PairList_Free(&expected);
		PairList_Free(&list);
		for (int k = 0; k < 2; ++k)
		{
			plainTree_Destroy(trees[k]);
			free(positions[k]);
			Thing_Free(things + k);
		}
	}
	assert_true(found > 0);
}

// One table for all scenes, so that what a scene leaves behind would be found by the next. Cells from far too small to
// far too large: the size must only cost time.
static void spatial_hash_matches_brute_force(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), total = 0;
	spatialHash* hash = spatialHash_Create();
	const uint64_t capacity = 1 << 20;
	snugPair* pairs = malloc((size_t)capacity * sizeof(snugPair));
	assert_non_null(hash);
	assert_non_null(pairs);
	for (int i = 0; i < TestCount(300); ++i, ++seed)
	{
		sceneRandom random = { seed };
		sceneMesh meshes[2];
		for (int k = 0; k < 2; ++k)
		{
			meshes[k] = RandomMesh(&random, (MeshKind)sceneRandom_Index(&random, MESH_KINDS));
		}
		double offset = sceneRandom_Index(&random, 3) == 0 ? 1e4 : 0.0;
		sceneMesh_Translate(&meshes[0], offset, offset, offset);
		sceneMesh_Translate(&meshes[1], offset + sceneRandom_Range(&random, -1.0, 1.0), offset, offset);
		bruteMesh a = { meshes[0].positions, meshes[0].triangles, meshes[0].triangleCount };
		bruteMesh b = { meshes[1].positions, meshes[1].triangles, meshes[1].triangleCount };
		static const double factors[] = { 0.3, 1.0, 2.0, 50.0 };
		double edge = spatialHash_GetMeanEdge(&a), factor = factors[sceneRandom_Index(&random, 4)];
		factor = edge == 0.0 ? 1.0 : factor;
		assert_true(spatialHash_Load(hash, &a, &b, edge > 0.0 ? factor * edge : 0.1));
		uint64_t count = spatialHash_Query(hash, pairs, capacity, NULL);
		bruteResult expected = bruteCollide(&a, &b);
		PairList found = { pairs, count }, wanted = { expected.pairs, expected.count };
		assert_true(count <= capacity);
		AssertSamePairs("spatial hash", seed, &wanted, &found);
		total += count;
		bruteResult_Free(&expected);
		sceneMesh_Free(&meshes[0]);
		sceneMesh_Free(&meshes[1]);
	}
	assert_true(total > 0);
	free(pairs);
	spatialHash_Destroy(hash);
}

// Layered spheres find what brute force finds, with bodies deformed by fields, so that no sphere is too small.
static void layered_spheres_match_brute_force(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), total = 0;
	for (int i = 0; i < TestCount(300); ++i, ++seed)
	{
		sceneRandom random = { seed };
		layeredSpheres* spheres[2];
		Thing things[2];
		float *positions[2], *world[2];
		bruteMesh brute[2];
		for (int k = 0; k < 2; ++k)
		{
			sceneMesh mesh = RandomMesh(&random, (MeshKind)sceneRandom_Index(&random, MESH_KINDS));
			FieldSet set = RandomFields(&random, &mesh, 0.5);
			things[k] = MakeFields(mesh, &set, (snugTreeDef){ 0 }, snug_strategyAuto);
			for (uint32_t f = 0; f < set.fieldCount; ++f)
			{
				set.amplitudes[f] = (float)sceneRandom_Range(&random, -1.0, 1.0) * 0.1f;
			}
			PoseFields(&things[k], &set);
			FieldSet_Free(&set);
			const sgTree* tree = &things[k].model->tree;
			positions[k] = malloc((3 * (size_t)mesh.vertexCount + 1) * sizeof(float));
			world[k] = malloc((3 * (size_t)mesh.vertexCount + 1) * sizeof(float));
			assert_true(positions[k] != NULL && world[k] != NULL);
			assert_int_equal(snugBody_GetVertices(things[k].body, NULL, world[k], 0), snug_success);
			for (uint32_t v = 0; v < mesh.vertexCount; ++v)
			{
				memcpy(positions[k] + 3 * (size_t)v, world[k] + 3 * (size_t)tree->vertexMap[v], 3 * sizeof(float));
			}
			spheres[k] = layeredSpheres_Create(things[k].model);
			assert_non_null(spheres[k]);
			layeredSpheres_Update(spheres[k], positions[k]);
			brute[k] = (bruteMesh){ world[k], mesh.triangles, mesh.triangleCount };
		}
		bruteResult expected = bruteCollide(&brute[0], &brute[1]);
		snugPair* pairs = malloc((size_t)(expected.count + 1) * sizeof(snugPair));
		assert_non_null(pairs);
		layeredCounters counters;
		uint64_t count = layeredSpheres_Collide(spheres[0], spheres[1], pairs, expected.count, &counters);
		if (count != expected.count)
		{
			fail_msg("SNUG_SEED=%llu: %llu pairs, %llu expected", (unsigned long long)seed, (unsigned long long)count,
			    (unsigned long long)expected.count);
		}
		total += count;
		free(pairs);
		bruteResult_Free(&expected);
		for (int k = 0; k < 2; ++k)
		{
			layeredSpheres_Destroy(spheres[k]);
			Thing_Free(&things[k]);
			free(positions[k]);
			free(world[k]);
		}
	}
	assert_true(total > 0);
}

// The oracle has the same vertices and pairs, and its root is the optimal box.
static void the_oracle_is_the_body(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(8); ++i, ++seed)
	{
		sceneRandom random = { seed };
		Posed p = MakePosed(&random, 5 + sceneRandom_Index(&random, 40), 8.0);
		Posed q = MakePosed(&random, 5 + sceneRandom_Index(&random, 40), 8.0);
		Place(p.body, sceneRandom_Range(&random, -0.5, 0.5), 0.1, 0.2);
		oracleBody oracle, other;
		assert_int_equal(oracleBody_Create(&oracle, &p.def, p.model), snug_success);
		assert_int_equal(oracleBody_Create(&other, &q.def, q.model), snug_success);
		oracleBody_Evaluate(&oracle, p.body);
		oracleBody_Evaluate(&other, q.body);
		assert_int_equal(snugBody_Refit(oracle.body), snug_success);
		float* same = malloc(3 * (size_t)p.meshless.mesh.vertexCount * sizeof(float));
		assert_int_equal(snugBody_GetVertices(p.body, NULL, p.positions, 0), snug_success);
		assert_int_equal(snugBody_GetVertices(oracle.body, NULL, same, 0), snug_success);
		assert_memory_equal(p.positions, same, 3 * (size_t)p.meshless.mesh.vertexCount * sizeof(float));
		PairList wanted = CollideAll(p.body, q.body, NULL), found = CollideAll(oracle.body, other.body, NULL);
		AssertSamePairs("oracle", seed, &wanted, &found);
		snugCounters counters = { 0 };
		sgBox tight = oracleOptimalBox(p.body), root = sgBody_RootBox(oracle.body, &counters);
		assert_memory_equal(&tight, &root, sizeof(tight));
		PairList_Free(&wanted);
		PairList_Free(&found);
		free(same);
		oracleBody_Destroy(&oracle);
		oracleBody_Destroy(&other);
		FreePosed(&p);
		FreePosed(&q);
	}
}

// Evaluated cluster by cluster, placed and unplaced, vertices are the very ones that queries decide upon. Another
// oracle of the same model has its own pose.
static void the_world_is_what_is_queried(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(8); ++i, ++seed)
	{
		sceneRandom random = { seed };
		Posed p = MakePosed(&random, 5 + sceneRandom_Index(&random, 40), 8.0);
		size_t bytes = 3 * (size_t)p.meshless.mesh.vertexCount * sizeof(float);
		float* world = malloc(bytes);
		for (int placed = 0; placed < 2; ++placed)
		{
			assert_int_equal(worldEvaluate(p.body, world), snug_success);
			assert_int_equal(snugBody_GetVertices(p.body, NULL, p.positions, 0), snug_success);
			assert_memory_equal(p.positions, world, bytes);
			Place(p.body, sceneRandom_Range(&random, -0.5, 0.5), 0.1, 0.2);
		}
		oracleBody oracle, twin;
		assert_int_equal(oracleBody_Create(&oracle, &p.def, p.model), snug_success);
		assert_int_equal(oracleBody_CreateLike(&twin, &oracle), snug_success);
		oracleBody_Evaluate(&twin, p.body);
		assert_int_equal(worldEvaluate(p.body, world), snug_success);
		assert_int_equal(snugBody_GetVertices(twin.body, NULL, p.positions, 0), snug_success);
		assert_memory_equal(p.positions, world, bytes);
		oracleBody_Destroy(&twin);
		assert_int_equal(snugBody_GetVertices(oracle.body, NULL, p.positions, 0), snug_success);
		assert_memory_not_equal(p.positions, world, bytes);
		oracleBody_Destroy(&oracle);
		free(world);
		FreePosed(&p);
	}
}

// Another order of summing, so the same up to rounding.
static void plain_skin_is_close_to_the_body(void** state)
{
	(void)state;
	sceneMeshless meshless;
	assert_true(sceneMeshless_Create(&meshless, sceneMakeBrain(9, 1), 30, 12.0));
	const sceneMesh* mesh = &meshless.mesh;
	snugModelDef def = sceneMakeBlendDef(mesh, &meshless.weights, (snugTreeDef){ 0 });
	snugModel* model = NULL;
	snugBody* body = NULL;
	snugMeshlessNode nodes[30];
	float matrices[12 * 30];
	float* expected = malloc((3 * (size_t)mesh->vertexCount + 1) * sizeof(float));
	float* found = malloc((3 * (size_t)mesh->vertexCount + 1) * sizeof(float));
	const snugFrame place = { .position = { 0.5, -2.0, 1.0 }, .rotation = { 0.1, 0.5, -0.3, 0.8 } };
	assert_true(expected != NULL && found != NULL);
	sceneMeshless_PoseNodes(&meshless, &(sceneBending){ 0.8, 0.6, 1.0 }, nodes);
	sceneMakeMatrices(nodes, 30, matrices);
	assert_int_equal(snugModel_Create(&def, &model), snug_success);
	assert_int_equal(snugBody_Create(&(snugBodyDef){ .model = model }, &body), snug_success);
	assert_int_equal(snugBody_SetJoints(body, matrices, 0, 30), snug_success);
	assert_int_equal(snugBody_SetFrame(body, &place), snug_success);
	assert_int_equal(snugBody_GetVertices(body, NULL, expected, 0), snug_success);
	plainSkin_Evaluate(mesh, &meshless.weights, matrices, &place, found);
	for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; ++i)
	{
		assert_true(fabsf(expected[i] - found[i]) < 1e-5f);
	}
	snugBody_Destroy(body);
	snugModel_Destroy(model);
	free(expected);
	free(found);
	sceneMeshless_Free(&meshless);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(true_corners_are_the_linear_program),
		cmocka_unit_test(the_papers_corners_differ_from_eq_12),
		cmocka_unit_test(corner_boxes_hold_vertices_and_match_eq_12),
		cmocka_unit_test(spheres_hold_vertices),
		cmocka_unit_test(plain_tree_matches_brute_force),
		cmocka_unit_test(plain_skin_is_close_to_the_body),
		cmocka_unit_test(spatial_hash_matches_brute_force),
		cmocka_unit_test(layered_spheres_match_brute_force),
		cmocka_unit_test(the_oracle_is_the_body),
		cmocka_unit_test(the_world_is_what_is_queried),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
