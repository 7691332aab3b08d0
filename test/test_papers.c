// The papers' own methods, as they are compared with: they find the pairs that brute force finds, in every form, over
// poses that follow one another; their volumes hold their vertices; each option does what its name says.
#include "deform/skin/blend.h"
#include "papers/bdtree/bd_tree.h"
#include "papers/bdtree/layered_spheres.h"
#include "papers/meshless/limited_tree.h"
#include "scenes/meshless.h"
#include "scenes/sine.h"
#include "share/brute.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 5
#define STEPS 6
#define CAPACITY 200000

static const snugTreeDef binary = { .split = snug_splitMedian, .leafTriangles = 1, .branching = 2 };

static int ComparePairs(const void* a, const void* b)
{
	const snugPair *p = a, *q = b;
	return p->a != q->a ? (p->a < q->a ? -1 : 1) : p->b < q->b ? -1 : p->b > q->b ? 1 : 0;
}

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
		snugModelDef def = MeshDef(&c.meshes[i], i == 0 ? snug_fields : snug_rigid, binary);
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
static void CheckVolumes(const couple* c, bdBody* bd, const bdTree* tree, bool isBox)
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
		double center[3], extents[3];
		bdBody_Bound(bd, i, center, extents);
		sgLeafRange range = sgTree_LeavesBelow(from, nodes.slots[i]);
		for (uint32_t leaf = range.first; leaf <= range.last; ++leaf)
		{
			for (int corner = 0; corner < 3; ++corner)
			{
				const float* p = local + 3 * (size_t)from->vertexMap[nodes.corners[leaf][corner]];
				double square = 0.0;
				for (int k = 0; k < 3; ++k)
				{
					double d = (double)p[k] - center[k];
					assert_true(!isBox || fabs(d) <= extents[k] + 1e-5);
					square += d * d;
				}
				assert_true(isBox || sqrt(square) <= extents[0] + 1e-5);
			}
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
	static const bdTreeDef defs[] = { { bd_spheres, 0.0 }, { bd_boxes, 0.0 }, { bd_spheres, 0.2 }, { bd_boxes, 0.2 } };
	uint64_t seed = TestSeed(), total = 0, temporal[4] = { 0 };
	for (int i = 0; i < TestCount(6); ++i, ++seed)
	{
		sceneRandom random = { seed };
		float* fields = NULL;
		couple c = MakeFielded(&random, &fields);
		layeredSpheres* layers = layeredSpheres_Create(c.models[0]);
		for (int d = 0; d < 4; ++d)
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
				CompareWithBrute(&c, "BD-tree", seed, pairs, count);
				binaryBall ball = { { sceneRandom_Range(&random, -1.0, 1.0), 0.9, 0.1 }, 0.3 };
				CheckBall(&c, bodies[0], layers, &ball);
				CheckVolumes(&c, bodies[0], trees[0], defs[d].kind == bd_boxes);
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
	assert_true(temporal[0] == 0 && temporal[1] == 0 && temporal[2] > 100 && temporal[3] > 100);
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
		snugModelDef def = sceneMakeBlendDef(&scenes[i].mesh, &scenes[i].weights, binary);
		const snugBoundsDef bounds = { .bound = snug_boundLimited, .boundLeaves = true };
		def.bounds = &bounds;
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
		assert_int_equal(snugBody_SetNodes(c->bodies[i], nodes, scenes[i].weights.transformCount), snug_success);
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

// Boxes from boxes are the library's own bound of that name, which is written quite differently; the others are inside
// or outside of it as they should be.
static void limited_boxes_are_the_librarys(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	sceneMeshless scenes[2];
	couple c = MakeMeshless(&random, scenes);
	const snugFrame identity = { .position = { 0.0 } };
	const sgTree* tree = &c.models[0]->tree;
	binaryTree nodes;
	double radius[3] = { 0.0 };
	PoseMeshless(&c, scenes, 0.6);
	assert_int_equal(snugBody_SetFrame(c.bodies[0], &identity), snug_success);
	assert_true(binaryTree_Create(&nodes, c.models[0]));
	for (int rest = 0; rest < 3; ++rest)
	{
		limitedTreeDef def = { .rest = (limitedRest)rest, .boundLeaves = true, .onDemand = true };
		limitedTree* limited = limitedTree_Create(c.models[0], &def);
		limitedBody* body = limitedBody_Create(limited, c.bodies[0]);
		assert_int_equal(limitedBody_Begin(body), snug_success);
		for (uint32_t i = 0; i < nodes.nodeCount; ++i)
		{
			double lower[LIMITED_MAX_SLABS], upper[LIMITED_MAX_SLABS];
			sgBoundsScratch scratch;
			snugCounters counters = { 0 };
			limitedBody_Bound(body, i, lower, upper);
			sgBounds bounds = sgBody_Refresh(c.bodies[0], sgTree_Family(tree, nodes.slots[i]), &scratch, &counters);
			sgBox box = sgBoxLanes_Get(bounds.boxes, nodes.slots[i] % SG_LANES);
			for (int k = 0; k < 3; ++k)
			{
				bool isClose =
				    fabs(lower[k] - (double)box.lower[k]) < 1e-4 && fabs(upper[k] - (double)box.upper[k]) < 1e-4;
				assert_true(rest != limited_restBox || isClose);
				assert_true(rest != limited_restDop14 ||
				            (lower[k] > (double)box.lower[k] - 1e-4 && upper[k] < (double)box.upper[k] + 1e-4));
				radius[rest] += upper[k] - lower[k];
			}
		}
		limitedBody_Destroy(body);
		limitedTree_Destroy(limited);
	}
	assert_true(radius[limited_restDop14] < 0.999 * radius[limited_restBox]);
	assert_true(fabs(radius[limited_restOriented] / radius[limited_restBox] - 1.0) > 1e-3);
	binaryTree_Free(&nodes);
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
	assert_int_equal(before, c.models[0]->tree.nodeCount);
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
		assert_int_equal(snugBody_SetNodes(c->bodies[i], nodes, count), snug_success);
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
		for (uint32_t i = 0; i < c.models[0]->tree.nodeCount; ++i)
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

// ---- Pruned trees ----------------------------------------------------------------------------------------------

static double GetDiagonal(const snugModel* model, uint32_t slot)
{
	sgBox box = sgBoxLanes_Get(model->restBounds + slot / SG_LANES, slot % SG_LANES);
	double square = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double side = (double)box.upper[k] - (double)box.lower[k];
		square += side * side;
	}
	return sqrt(square);
}

static snugModel* MakePruned(const sceneMeshless* scene, int branching, float prune)
{
	const snugBoundsDef bounds = { .prune = prune };
	snugModelDef def = sceneMakeBlendDef(&scene->mesh, &scene->weights,
	    (snugTreeDef){ .split = snug_splitMedian, .leafTriangles = 1, .branching = branching });
	snugModel* model = NULL;
	def.bounds = &bounds;
	assert_int_equal(snugModel_Create(&def, &model), snug_success);
	return model;
}

// No inner node is larger than its share of the one above, unless there is no room for what is below it; nodes are
// fewer, and of different order.
static void AssertPruned(const snugModel* model, double prune, uint32_t counts[SG_LANES + 1])
{
	const sgTree* tree = &model->tree;
	memset(counts, 0, (SG_LANES + 1) * sizeof(uint32_t));
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		const sgNode* node = tree->nodes + slot;
		if (node->first == SG_NONE || node->childCount == 0)
		{
			continue;
		}
		++counts[node->childCount];
		for (uint32_t i = 0; i < node->childCount && node->childCount < model->treeDef.branching; ++i)
		{
			uint32_t child = node->first + i;
			assert_true(
			    sgTree_IsLeaf(tree, child) || GetDiagonal(model, child) <= 1.00001 * prune * GetDiagonal(model, slot));
		}
	}
}

static void pruned_trees_leave_out_what_is_large(void** state)
{
	(void)state;
	static snugPair pairs[CAPACITY];
	sceneRandom random = { TestSeed() };
	sceneMeshless scenes[2];
	couple c = MakeMeshless(&random, scenes);
	snugModel* plain = MakePruned(&scenes[0], 2, 0.0f);
	for (int i = 0; i < 8; ++i)
	{
		float prune = 0.5f + 0.1f * (float)(i / 2);
		uint32_t counts[SG_LANES + 1], orders = 0;
		snugModel* model = MakePruned(&scenes[0], i % 2 == 0 ? 8 : 4, prune);
		AssertPruned(model, (double)prune, counts);
		for (uint32_t k = 2; k <= SG_LANES; ++k)
		{
			orders += counts[k] > 0;
		}
		assert_true(orders >= 2 && model->tree.nodeCount < plain->tree.nodeCount);
		couple pruned = c;
		pruned.bodies[0] = MakeBody(model, NULL);
		PoseMeshless(&pruned, scenes, 0.5);
		PlaceCouple(&pruned, &random, 4);
		snugResult result =
		    snugCollide(pruned.bodies[0], pruned.bodies[1], &(snugQuery){ .pairs = pairs, .capacity = CAPACITY });
		assert_int_equal(result.status, snug_success);
		CompareWithBrute(&pruned, "pruned tree", TestSeed(), pairs, result.count);
		snugBody_Destroy(pruned.bodies[0]);
		snugModel_Destroy(model);
	}
	// What makes no sense is refused.
	static const snugBoundsDef wrong[] = { { .prune = 1.0f }, { .prune = -0.5f }, { .prune = NAN }, { .prune = 0.7f } };
	for (int i = 0; i < 4; ++i)
	{
		snugModelDef def = sceneMakeBlendDef(&scenes[0].mesh, &scenes[0].weights,
		    (snugTreeDef){ .split = i < 3 ? snug_splitMedian : snug_splitSurfaceArea });
		snugModel* model = NULL;
		def.bounds = wrong + i;
		assert_int_equal(snugModel_Create(&def, &model), snug_badArgument);
	}
	snugModel_Destroy(plain);
	FreeCouple(&c);
	sceneMeshless_Free(&scenes[0]);
	sceneMeshless_Free(&scenes[1]);
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
		cmocka_unit_test(bd_trees_match_brute_force),
		cmocka_unit_test(limited_trees_match_brute_force),
		cmocka_unit_test(limited_boxes_are_the_librarys),
		cmocka_unit_test(options_do_what_they_say),
		cmocka_unit_test(displacements_alone_are_bounded_alike),
		cmocka_unit_test(pruned_trees_leave_out_what_is_large),
		cmocka_unit_test(distances_to_triangles_are_right),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
