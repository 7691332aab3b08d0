// test/papers/test_papers.c: the papers' own methods, as they are compared with: they find the pairs that brute force
// finds, in every form, over poses that follow one another; their volumes hold their vertices; each option does what
// its name says.
#include "deform/skin/linear.h"
#include "lab/scenes/meshless.h"
#include "papers/bdtree.h"
#include "papers/meshless.h"
#include "program/check/brute.h"
#include "solvers/sine.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 5
#define STEPS 6
#define CAPACITY 200000

/// Two bodies of snug, and where their vertices are.
typedef struct couple
{
	sceneMesh meshes[2];
	snugModel* models[2];
	snugBody* bodies[2];
	float* world[2];
} couple;

static void CompareWithBrute(couple* c, const char* what, uint64_t seed, snugPair* pairs, uint64_t count)
{
	bruteMesh meshes[2];
	for (int i = 0; i < 2; ++i)
	{
		assert_int_equal(snugBody_GetVertices(c->bodies[i], NULL, c->world[i], 0), snug_success);
		meshes[i] = (bruteMesh){ c->world[i], c->meshes[i].triangles, c->meshes[i].triangleCount };
	}
	assert_true(count <= CAPACITY);
	qsort(pairs, (size_t)count, sizeof(snugPair), ComparePairs);
	bruteResult expected = bruteCollide(&meshes[0], &meshes[1]);
	PairList found = { pairs, count }, wanted = { expected.pairs, expected.count };
	AssertSamePairs(what, seed, &wanted, &found);
	bruteResult_Free(&expected);
}

static void FreeCouple(couple* c)
{
	for (int i = 0; i < 2; ++i)
	{
		snugBody_Destroy(c->bodies[i]);
		snugModel_Destroy(c->models[i]);
		sceneMesh_Free(&c->meshes[i]);
		free(c->world[i]);
	}
}

static void PlaceCouple(couple* c, sceneRandom* random, int step)
{
	for (int i = 0; i < 2; ++i)
	{
		snugFrame frame = { .position = { i * (1.9 - 0.05 * step), 0.1 * i, 0.0 } };
		RandomRotation(random, frame.rotation);
		assert_int_equal(snugBody_SetFrame(c->bodies[i], &frame), snug_success);
	}
}

// ---- BD-trees --------------------------------------------------------------------------------------------------

// Smooth fields over a blob, and a rigid blob.
static couple MakeFielded(sceneRandom* random, float* fields[1])
{
	couple c;
	for (int i = 0; i < 2; ++i)
	{
		c.meshes[i] = sceneMakeBlob(6 + sceneRandom_Index(random, 6), sceneRandom_Next(random));
		c.world[i] = malloc(3 * sizeof(float) * c.meshes[i].vertexCount);
		snugModelDef def = MeshDef(&c.meshes[i], i == 0 ? snug_fields : snug_rigid, (snugTreeDef){ 0 });
		if (i == 0)
		{
			size_t count = 3 * (size_t)c.meshes[0].vertexCount;
			fields[0] = malloc(FIELDS * count * sizeof(float));
			for (size_t k = 0; k < FIELDS * count; ++k)
			{
				size_t vertex = k % count / 3;
				double x = (double)c.meshes[0].positions[3 * vertex + (k + k / count) % 3];
				fields[0][k] = (float)sceneSine((1.0 + (double)(k / count)) * x + (double)(k % 3));
			}
			def.fields.fieldCount = FIELDS;
			def.fields.displacements = fields[0];
		}
		assert_int_equal(snugModel_Create(&def, &c.models[i]), snug_success);
		c.bodies[i] = MakeBody(c.models[i], NULL);
	}
	return c;
}

// Vertices of all nodes are inside their volumes, in body space; the body is unplaced then.
static void CheckVolumes(const couple* c, bdBody* bd, const bdTree* tree, bool isSphere)
{
	const sgTree* from = &c->models[0]->tree;
	float* local = malloc(3 * sizeof(float) * from->vertexCount);
	const snugFrame identity = { .position = { 0.0 } };
	assert_int_equal(snugBody_SetFrame(c->bodies[0], &identity), snug_success);
	assert_int_equal(snugBody_GetVertices(c->bodies[0], NULL, local, 0), snug_success);
	binaryTree nodes;
	assert_true(binaryTree_Create(&nodes, c->models[0]));
	for (uint32_t i = 0; i < bdTree_GetNodeCount(tree); ++i)
	{
		const binaryNode* node = nodes.nodes + i;
		double center[3], extents[3], axes[3][3];
		bdBody_Bound(bd, i, center, extents);
		bdTree_GetAxes(tree, i, axes);
		for (uint32_t corner = 3 * node->firstLeaf; corner < 3 * (node->firstLeaf + node->leafCount); ++corner)
		{
			const float* p = local + 3 * (size_t)from->vertexMap[nodes.corners[corner / 3][corner % 3]];
			double d[3] = { (double)p[0] - center[0], (double)p[1] - center[1], (double)p[2] - center[2] };
			for (int k = 0; k < 3; ++k)
			{
				double along = axes[k][0] * d[0] + axes[k][1] * d[1] + axes[k][2] * d[2];
				assert_true(isSphere || fabs(along) <= extents[k] + 1e-5);
			}
			assert_true(!isSphere || sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) <= extents[0] + 1e-5);
		}
	}
	binaryTree_Free(&nodes);
	free(local);
}

// Triangles in a ball, one by one.
static void CheckBall(couple* c, bdBody* bd, layeredSpheres* layers, const binaryBall* ball)
{
	uint32_t found[2][5000];
	uint64_t counts[2];
	layeredCounters counters;
	const sgTree* tree = &c->models[0]->tree;
	float* ordered = malloc(3 * sizeof(float) * tree->vertexCount);
	assert_int_equal(snugBody_GetVertices(c->bodies[0], NULL, c->world[0], 0), snug_success);
	for (uint32_t v = 0; v < tree->vertexCount; ++v)
	{
		memcpy(ordered + 3 * (size_t)v, c->world[0] + 3 * (size_t)tree->vertexMap[v], 3 * sizeof(float));
	}
	layeredSpheres_Update(layers, ordered);
	counts[0] = bdCollideBall(bd, ball, found[0], LENGTH_OF(found[0]));
	counts[1] = layeredSpheres_CollideBall(layers, ball, found[1], LENGTH_OF(found[1]), &counters);
	for (int i = 0; i < 2; ++i)
	{
		uint8_t* isFound = calloc(c->meshes[0].triangleCount, 1);
		uint64_t expected = 0;
		for (uint64_t k = 0; k < counts[i]; ++k)
		{
			assert_false(isFound[found[i][k]]);
			isFound[found[i][k]] = 1;
		}
		for (uint32_t t = 0; t < c->meshes[0].triangleCount; ++t)
		{
			float corners[3][3];
			bruteMesh_GetCorners(&(bruteMesh){ c->world[0], c->meshes[0].triangles, 0 }, t, corners);
			bool isIn = binaryDistance2((const float(*)[3])corners, ball->center) <= ball->radius * ball->radius;
			assert_int_equal(isIn, isFound[t]);
			expected += isIn;
		}
		assert_int_equal(counts[i], expected);
		free(isFound);
	}
	free(ordered);
}

static void bd_trees_match_brute_force(void** state)
{
	(void)state;
	static snugPair pairs[CAPACITY];
	static const bdTreeDef defs[] = { { bd_spheres, 0.0 }, { bd_boxes, 0.0 }, { bd_oriented, 0.0 }, { bd_spheres, 0.2 },
		{ bd_boxes, 0.2 }, { bd_oriented, 0.2 } };
	uint64_t seed = TestSeed(), total = 0, temporal[LENGTH_OF(defs)] = { 0 }, tests[3] = { 0 };
	for (int i = 0; i < TestCount(6); ++i, ++seed)
	{
		sceneRandom random = { seed };
		float* fields = NULL;
		couple c = MakeFielded(&random, &fields);
		layeredSpheres* layers = layeredSpheres_Create(c.models[0]);
		for (size_t d = 0; d < LENGTH_OF(defs); ++d)
		{
			bdTree* trees[2] = { bdTree_Create(c.models[0], defs + d), bdTree_Create(c.models[1], defs + d) };
			bdBody* bodies[2] = { bdBody_Create(trees[0]), bdBody_Create(trees[1]) };
			for (int step = 0; step < STEPS; ++step)
			{
				float q[FIELDS];
				for (int f = 0; f < FIELDS; ++f)
				{
					q[f] = (float)(0.03 + 0.002 * step * (f - 2));
				}
				assert_int_equal(snugBody_SetAmplitudes(c.bodies[0], q, FIELDS), snug_success);
				PlaceCouple(&c, &random, step);
				assert_int_equal(bdBody_Follow(bodies[0], c.bodies[0]), snug_success);
				assert_int_equal(bdBody_Follow(bodies[1], c.bodies[1]), snug_success);
				uint64_t count = bdCollide(bodies[0], bodies[1], pairs, CAPACITY);
				total += count;
				temporal[d] += bdBody_GetTemporalUpdates(bodies[0]);
				tests[d % 3] += bdBody_GetCounters(bodies[0]).volumeTests;
				CompareWithBrute(&c, "BD-tree", seed, pairs, count);
				binaryBall ball = { { sceneRandom_Range(&random, -1.0, 1.0), 0.9, 0.1 }, 0.3 };
				CheckBall(&c, bodies[0], layers, &ball);
				CheckVolumes(&c, bodies[0], trees[0], defs[d].kind == bd_spheres);
			}
			for (int k = 0; k < 2; ++k)
			{
				bdBody_Destroy(bodies[k]);
				bdTree_Destroy(trees[k]);
			}
		}
		layeredSpheres_Destroy(layers);
		FreeCouple(&c);
		free(fields);
	}
	assert_true(total > 1000);
	for (size_t d = 0; d < LENGTH_OF(defs); ++d)
	{
		assert_true(defs[d].temporal > 0.0 ? temporal[d] > 100 : temporal[d] == 0);
	}
	// Boxes along principal axes are the tightest of the three.
	assert_true(tests[bd_oriented] < tests[bd_spheres] && tests[bd_oriented] < tests[bd_boxes]);
}

// ---- Limited trees ---------------------------------------------------------------------------------------------

static couple MakeMeshless(sceneRandom* random, sceneMeshless scenes[2])
{
	couple c;
	for (int i = 0; i < 2; ++i)
	{
		sceneMesh mesh = sceneMakeBrain(5 + sceneRandom_Index(random, 5), sceneRandom_Next(random));
		assert_true(sceneMeshless_Create(&scenes[i], mesh, 8 + sceneRandom_Index(random, 60), 8.0));
		c.meshes[i] = sceneMesh_Copy(&scenes[i].mesh);
		c.world[i] = malloc(3 * sizeof(float) * mesh.vertexCount);
		snugModelDef def = sceneMakeBlendDef(&scenes[i].mesh, &scenes[i].weights, (snugTreeDef){ 0 });
		assert_int_equal(snugModel_Create(&def, &c.models[i]), snug_success);
		c.bodies[i] = MakeBody(c.models[i], NULL);
	}
	return c;
}

static void PoseMeshless(couple* c, const sceneMeshless scenes[2], double amount)
{
	for (int i = 0; i < 2; ++i)
	{
		snugMeshlessNode nodes[128];
		const sceneBending bending = { amount, 0.5 * amount, -amount };
		sceneMeshless_PoseNodes(&scenes[i], &bending, nodes);
		assert_int_equal(
		    snugBody_SetMeshlessNodes(c->bodies[i], nodes, scenes[i].weights.transformCount), snug_success);
	}
}

/// Everything that a tree can be.
static limitedTreeDef MakeLimitedDef(int number)
{
	return (limitedTreeDef){
		.rest = (limitedRest)(number % 3),
		.volume = (limitedVolume)(number / 3 % 4),
		.boundLeaves = number / 12 % 2 == 1,
		.onDemand = number / 24 % 2 == 1,
		.bottomUp = number >= 48,
	};
}

// It evaluates vertices by itself, and they are the body's, bit for bit.
static void CheckEvaluated(couple* c, int body, const limitedBody* limited)
{
	const uint32_t* map = c->models[body]->tree.vertexMap;
	assert_int_equal(snugBody_GetVertices(c->bodies[body], NULL, c->world[body], 0), snug_success);
	for (uint32_t v = 0; v < c->meshes[body].vertexCount; ++v)
	{
		assert_memory_equal(
		    limitedBody_GetLeaves(limited)->positions[v], c->world[body] + 3 * (size_t)map[v], 3 * sizeof(float));
	}
}

static void limited_trees_match_brute_force(void** state)
{
	(void)state;
	static snugPair pairs[CAPACITY];
	uint64_t seed = TestSeed(), total = 0;
	for (int i = 0; i < TestCount(3); ++i, ++seed)
	{
		sceneRandom random = { seed };
		sceneMeshless scenes[2];
		couple c = MakeMeshless(&random, scenes);
		for (int number = 0; number < 60; ++number)
		{
			limitedTreeDef def = MakeLimitedDef(number);
			limitedTree* trees[2] = { limitedTree_Create(c.models[0], &def), limitedTree_Create(c.models[1], &def) };
			limitedBody* bodies[2] = { limitedBody_Create(trees[0], c.bodies[0]),
				limitedBody_Create(trees[1], c.bodies[1]) };
			for (int step = 0; step < 3; ++step)
			{
				PoseMeshless(&c, scenes, 0.3 + 0.1 * step);
				PlaceCouple(&c, &random, step);
				for (int k = 0; k < 2; ++k)
				{
					assert_int_equal(limitedBody_Begin(bodies[k]), snug_success);
					limitedBody_Prepare(bodies[k]);
					if (def.bottomUp)
					{
						CheckEvaluated(&c, k, bodies[k]);
					}
				}
				uint64_t count = limitedCollide(bodies[0], bodies[1], pairs, CAPACITY);
				total += count;
				CompareWithBrute(&c, "limited tree", seed, pairs, count);
			}
			for (int k = 0; k < 2; ++k)
			{
				limitedBody_Destroy(bodies[k]);
				limitedTree_Destroy(trees[k]);
			}
		}
		FreeCouple(&c);
		sceneMeshless_Free(&scenes[0]);
		sceneMeshless_Free(&scenes[1]);
	}
	assert_true(total > 1000);
}

// A node's tighter rest volume has a tighter image: 14-DOPs are within boxes; oriented boxes are other ones.
// test_baselines has what boxes must be.
static void rest_volumes_do_what_they_say(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	sceneMeshless scenes[2];
	couple c = MakeMeshless(&random, scenes);
	const snugFrame identity = { .position = { 0.0 } };
	double lower[3][LIMITED_MAX_SLABS], upper[3][LIMITED_MAX_SLABS], radius[3] = { 0.0 };
	limitedTree* trees[3];
	limitedBody* bodies[3];
	PoseMeshless(&c, scenes, 0.6);
	assert_int_equal(snugBody_SetFrame(c.bodies[0], &identity), snug_success);
	for (int rest = 0; rest < 3; ++rest)
	{
		limitedTreeDef def = { .rest = (limitedRest)rest, .boundLeaves = true, .onDemand = true };
		trees[rest] = limitedTree_Create(c.models[0], &def);
		bodies[rest] = limitedBody_Create(trees[rest], c.bodies[0]);
		assert_int_equal(limitedBody_Begin(bodies[rest]), snug_success);
	}
	for (uint32_t i = 0; i < 2 * c.meshes[0].triangleCount - 1; ++i)
	{
		for (int rest = 0; rest < 3; ++rest)
		{
			limitedBody_Bound(bodies[rest], i, lower[rest], upper[rest]);
			for (int k = 0; k < 3; ++k)
			{
				radius[rest] += upper[rest][k] - lower[rest][k];
			}
		}
		for (int k = 0; k < 3; ++k)
		{
			assert_true(lower[limited_restDop14][k] > lower[limited_restBox][k] - 1e-4);
			assert_true(upper[limited_restDop14][k] < upper[limited_restBox][k] + 1e-4);
		}
	}
	for (int rest = 0; rest < 3; ++rest)
	{
		limitedBody_Destroy(bodies[rest]);
		limitedTree_Destroy(trees[rest]);
	}
	assert_true(radius[limited_restDop14] < 0.999 * radius[limited_restBox]);
	assert_true(fabs(radius[limited_restOriented] / radius[limited_restBox] - 1.0) > 1e-3);
	FreeCouple(&c);
	sceneMeshless_Free(&scenes[0]);
	sceneMeshless_Free(&scenes[1]);
}

/// What a definition costs in the second of two steps that are alike.
static binaryCounters Count(couple* c, const sceneMeshless scenes[2], const limitedTreeDef* def, uint64_t* before)
{
	static snugPair pairs[CAPACITY];
	limitedTree* trees[2] = { limitedTree_Create(c->models[0], def), limitedTree_Create(c->models[1], def) };
	limitedBody* bodies[2] = { limitedBody_Create(trees[0], c->bodies[0]), limitedBody_Create(trees[1], c->bodies[1]) };
	binaryCounters counters = { 0 };
	for (int step = 0; step < 2; ++step)
	{
		PoseMeshless(c, scenes, 0.5 + 0.01 * step);
		for (int k = 0; k < 2; ++k)
		{
			assert_int_equal(limitedBody_Begin(bodies[k]), snug_success);
			limitedBody_Prepare(bodies[k]);
		}
		*before = limitedBody_GetCounters(bodies[0]).nodesRefitted;
		limitedCollide(bodies[0], bodies[1], pairs, CAPACITY);
		counters = limitedBody_GetCounters(bodies[0]);
	}
	for (int k = 0; k < 2; ++k)
	{
		limitedBody_Destroy(bodies[k]);
		limitedTree_Destroy(trees[k]);
	}
	return counters;
}

// A front refits before the query, and merged boxes are tighter than Eq. (12); bottom-up refits all nodes and evaluates
// each vertex once; exact leaves save tests; 14-DOPs save more than boxes; 26-DOPs save more than 14.
static void options_do_what_they_say(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	sceneMeshless scenes[2];
	couple c = MakeMeshless(&random, scenes);
	const snugFrame places[2] = { { .position = { 0.0 } }, { .position = { 1.7, 0.1, 0.0 } } };
	for (int i = 0; i < 2; ++i)
	{
		assert_int_equal(snugBody_SetFrame(c.bodies[i], &places[i]), snug_success);
	}
	uint64_t before;
	binaryCounters front = Count(&c, scenes, &(limitedTreeDef){ .volume = limited_box }, &before);
	assert_true(before > 50);
	binaryCounters demand = Count(&c, scenes, &(limitedTreeDef){ .onDemand = true }, &before);
	assert_int_equal(before, 0);
	assert_true(front.volumeTests < demand.volumeTests);
	binaryCounters up = Count(&c, scenes, &(limitedTreeDef){ .bottomUp = true }, &before);
	assert_int_equal(before, 2 * c.meshes[0].triangleCount - 1);
	assert_int_equal(up.nodesRefitted, before);
	assert_int_equal(up.verticesEvaluated, c.models[0]->tree.vertexCount);
	assert_true(up.volumeTests < front.volumeTests && front.verticesEvaluated < up.verticesEvaluated);
	binaryCounters bounded = Count(&c, scenes, &(limitedTreeDef){ .onDemand = true, .boundLeaves = true }, &before);
	assert_true(demand.triangleTests < bounded.triangleTests);
	uint64_t tests[4];
	for (int volume = 0; volume < 4; ++volume)
	{
		const limitedTreeDef def = { .volume = (limitedVolume)volume, .onDemand = true };
		tests[volume] = Count(&c, scenes, &def, &before).volumeTests;
	}
	assert_true(tests[limited_dop14] < tests[limited_box]);
	assert_true(tests[limited_dop18] < tests[limited_box]);
	assert_true(tests[limited_dop26] < tests[limited_dop14] && tests[limited_dop26] < tests[limited_dop18]);
	FreeCouple(&c);
	sceneMeshless_Free(&scenes[0]);
	sceneMeshless_Free(&scenes[1]);
}

// ---- Nodes that only displace ----------------------------------------------------------------------------------

// Random displacements and no gradients; one node has one if told.
static void Displace(couple* c, const sceneMeshless scenes[2], sceneRandom* random, bool turns)
{
	for (int i = 0; i < 2; ++i)
	{
		snugMeshlessNode nodes[128];
		uint32_t count = scenes[i].weights.transformCount;
		const sceneBending bending = { 0.0, 0.0, 0.0 };
		sceneMeshless_PoseNodes(&scenes[i], &bending, nodes);
		for (uint32_t j = 0; j < count; ++j)
		{
			memset(nodes[j].gradient, 0, sizeof(nodes[j].gradient));
			for (int k = 0; k < 3; ++k)
			{
				nodes[j].displacement[k] = (float)sceneRandom_Range(random, -0.3, 0.3);
			}
		}
		nodes[count - 1].gradient[1][0] = turns ? 0.1f : 0.0f;
		assert_int_equal(snugBody_SetMeshlessNodes(c->bodies[i], nodes, count), snug_success);
	}
}

// Every volume of every node, placed anywhere, is that of Eq. (12), which knows nothing of what is special here; and
// pairs are those of brute force. Nodes that do more are refused.
static void displacements_alone_are_bounded_alike(void** state)
{
	(void)state;
	static snugPair pairs[CAPACITY];
	sceneRandom random = { TestSeed() };
	sceneMeshless scenes[2];
	couple c = MakeMeshless(&random, scenes);
	uint64_t total = 0;
	for (int number = 0; number < 12; ++number)
	{
		limitedTree* trees[4];
		limitedBody* bodies[4];
		Displace(&c, scenes, &random, false);
		PlaceCouple(&c, &random, 4);
		for (int k = 0; k < 4; ++k)
		{
			limitedTreeDef def = MakeLimitedDef(number + 12);
			def.displaces = k < 2;
			trees[k] = limitedTree_Create(c.models[k % 2], &def);
			bodies[k] = limitedBody_Create(trees[k], c.bodies[k % 2]);
			assert_int_equal(limitedBody_Begin(bodies[k]), snug_success);
		}
		for (uint32_t i = 0; i < 2 * c.meshes[0].triangleCount - 1; ++i)
		{
			double lower[2][LIMITED_MAX_SLABS], upper[2][LIMITED_MAX_SLABS];
			const int(*directions)[3];
			limitedBody_Bound(bodies[0], i, lower[0], upper[0]);
			limitedBody_Bound(bodies[2], i, lower[1], upper[1]);
			for (uint32_t s = 0; s < limitedGetDirections((limitedVolume)(number / 3), &directions); ++s)
			{
				assert_true(fabs(lower[0][s] - lower[1][s]) < 1e-6 && fabs(upper[0][s] - upper[1][s]) < 1e-6);
			}
		}
		uint64_t count = limitedCollide(bodies[0], bodies[1], pairs, CAPACITY);
		total += count;
		CompareWithBrute(&c, "displacements alone", TestSeed(), pairs, count);
		Displace(&c, scenes, &random, true);
		for (int k = 0; k < 4; ++k)
		{
			assert_int_equal(limitedBody_Begin(bodies[k]), k < 2 ? snug_badInput : snug_success);
			limitedBody_Destroy(bodies[k]);
			limitedTree_Destroy(trees[k]);
		}
	}
	assert_true(total > 100);
	FreeCouple(&c);
	sceneMeshless_Free(&scenes[0]);
	sceneMeshless_Free(&scenes[1]);
}

// ---- Trees -----------------------------------------------------------------------------------------------------

// Halves all the way down, every triangle once, children behind their parents.
static void binary_trees_are_cut_at_medians(void** state)
{
	(void)state;
	sceneMesh mesh = sceneMakeBlob(9, TestSeed());
	snugModel* model = MakeModel(&mesh, snug_rigid, (snugTreeDef){ 0 });
	uint8_t* seen = calloc(mesh.triangleCount, 1);
	binaryTree tree;
	assert_true(binaryTree_Create(&tree, model));
	assert_int_equal(tree.nodeCount, 2 * mesh.triangleCount - 1);
	for (uint32_t i = 0; i < tree.nodeCount; ++i)
	{
		const binaryNode* node = tree.nodes + i;
		assert_true(node->level <= tree.depth && node->leafCount > 0);
		if (node->childCount == 0)
		{
			assert_int_equal(node->first, node->firstLeaf);
			assert_int_equal(node->leafCount, 1);
			continue;
		}
		const binaryNode* children = tree.nodes + node->first;
		assert_true(node->first > i && node->childCount == 2);
		assert_int_equal(children[0].firstLeaf, node->firstLeaf);
		assert_int_equal(children[1].firstLeaf, node->firstLeaf + node->leafCount / 2);
		assert_int_equal(children[0].leafCount, node->leafCount / 2);
		assert_int_equal(children[0].leafCount + children[1].leafCount, node->leafCount);
		assert_true(children[0].level == node->level + 1 && children[1].level == node->level + 1);
	}
	for (uint32_t i = 0; i < tree.leafCount; ++i)
	{
		assert_false(seen[tree.triangles[i]]);
		seen[tree.triangles[i]] = 1;
		for (int c = 0; c < 3; ++c)
		{
			assert_int_equal(
			    model->tree.vertexMap[tree.corners[i][c]], mesh.triangles[3 * (size_t)tree.triangles[i] + (size_t)c]);
		}
	}
	free(seen);
	binaryTree_Free(&tree);
	snugModel_Destroy(model);
	sceneMesh_Free(&mesh);
}

// Of a row of triangles along an axis, nodes have consecutive ones, from left to right or from right to left.
static void binary_trees_cut_rows_into_runs(void** state)
{
	enum
	{
		COUNT = 137
	};
	(void)state;
	float positions[3 * COUNT][3];
	uint32_t triangles[3 * COUNT];
	for (uint32_t t = 0; t < COUNT; ++t)
	{
		for (uint32_t c = 0; c < 3; ++c)
		{
			// In no order: 61 has no factor in common with 137.
			float x = (float)(t * 61 % COUNT);
			memcpy(
			    positions[3 * t + c], (float[3]){ x + (c == 1), 2.0f * x + (c == 2), 0.5f * x }, sizeof(positions[0]));
			triangles[3 * t + c] = 3 * t + c;
		}
	}
	snugModelDef def = { .positions = positions[0],
		.vertexCount = 3 * COUNT,
		.triangles = triangles,
		.triangleCount = COUNT,
		.deformer = snug_rigid };
	snugModel* model = NULL;
	binaryTree tree;
	assert_int_equal(snugModel_Create(&def, &model), snug_success);
	assert_true(binaryTree_Create(&tree, model));
	for (uint32_t i = 0; i < tree.nodeCount; ++i)
	{
		uint32_t least = COUNT, most = 0;
		for (uint32_t leaf = tree.nodes[i].firstLeaf; leaf < tree.nodes[i].firstLeaf + tree.nodes[i].leafCount; ++leaf)
		{
			uint32_t place = tree.triangles[leaf] * 61 % COUNT;
			least = place < least ? place : least;
			most = place > most ? place : most;
		}
		assert_int_equal(most - least + 1, tree.nodes[i].leafCount);
	}
	binaryTree_Free(&tree);
	snugModel_Destroy(model);
}

// ---- Distances -------------------------------------------------------------------------------------------------

// Against the least distance to many points of the triangle.
static void distances_to_triangles_are_right(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(300); ++i, ++seed)
	{
		sceneRandom random = { seed };
		float t[3][3];
		double p[3], least = INFINITY;
		for (int k = 0; k < 9; ++k)
		{
			t[k / 3][k % 3] = (float)sceneRandom_Range(&random, -1.0, 1.0);
		}
		for (int k = 0; k < 3; ++k)
		{
			t[2][k] = i % 10 == 0 ? t[1][k] : t[2][k]; // without area
			p[k] = sceneRandom_Range(&random, -1.5, 1.5);
		}
		for (int a = 0; a <= 200; ++a)
		{
			for (int b = 0; a + b <= 200; ++b)
			{
				double square = 0.0;
				for (int k = 0; k < 3; ++k)
				{
					double x = (a * (double)t[0][k] + b * (double)t[1][k] + (200 - a - b) * (double)t[2][k]) / 200.0;
					square += (x - p[k]) * (x - p[k]);
				}
				least = fmin(least, square);
			}
		}
		double found = binaryDistance2((const float(*)[3])t, p);
		if (!(sqrt(found) <= sqrt(least) + 1e-9 && sqrt(found) >= sqrt(least) - 0.02))
		{
			fail_msg("SNUG_SEED=%llu: %g instead of %g", (unsigned long long)seed, sqrt(found), sqrt(least));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(binary_trees_are_cut_at_medians),
		cmocka_unit_test(binary_trees_cut_rows_into_runs),
		cmocka_unit_test(bd_trees_match_brute_force),
		cmocka_unit_test(limited_trees_match_brute_force),
		cmocka_unit_test(rest_volumes_do_what_they_say),
		cmocka_unit_test(options_do_what_they_say),
		cmocka_unit_test(displacements_alone_are_bounded_alike),
		cmocka_unit_test(distances_to_triangles_are_right),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
