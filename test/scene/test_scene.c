// test/scene/test_scene.c: scenes of many bodies against all pairs. Random scenes of a few bodies of every kind, with
// shapes, masks, filters and events, are the driver's (test/driver/scenes.c).
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "examples/thread_pool.h"
#include "lab/scenes/character.h"
#include "linear_support.h"
#include "snug/snug_queries.h"
#include "snug/snug_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bodies of one rigid model, in a scene.
typedef struct Heap
{
	sceneMesh mesh;
	snugModel* model;
	snugBody** bodies;
	snugBounds* bounds;
	uint32_t count;
	snugScene* scene;
} Heap;

static Heap MakeHeap(sceneMesh mesh, uint32_t count, const snugSceneDef* def)
{
	Heap heap = { .mesh = mesh, .count = count };
	heap.model = MakeModel(&heap.mesh, snug_rigid, (snugTreeDef){ 0 });
	heap.bodies = calloc(count, sizeof(snugBody*));
	heap.bounds = calloc(count, sizeof(snugBounds));
	assert_int_equal(snugScene_Create(def, &heap.scene), snug_success);
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t id;
		heap.bodies[i] = MakeBody(heap.model, NULL);
		assert_int_equal(snugScene_Add(heap.scene, &(snugSceneBodyDef){ .body = heap.bodies[i] }, &id), snug_success);
		assert_int_equal(id, i);
	}
	return heap;
}

static void FreeHeap(Heap* heap)
{
	snugScene_Destroy(heap->scene);
	for (uint32_t i = 0; i < heap->count; ++i)
	{
		snugBody_Destroy(heap->bodies[i]);
	}
	snugModel_Destroy(heap->model);
	sceneMesh_Free(&heap->mesh);
	free(heap->bodies);
	free(heap->bounds);
}

static int CompareLower(const void* a, const void* b)
{
	const snugBounds *x = *(const snugBounds*const*)a, *y = *(const snugBounds*const*)b;
	return x->lower[0] < y->lower[0] ? -1 : x->lower[0] > y->lower[0];
}

// Touching pairs by a sweep of our own along x. Returns their number and a sum over them that no order changes.
static uint64_t SweepHeap(const Heap* heap, uint64_t* sum)
{
	const snugBounds** sorted = malloc(heap->count * sizeof(*sorted));
	uint64_t count = 0;
	for (uint32_t i = 0; i < heap->count; ++i)
	{
		assert_int_equal(snugBody_GetBounds(heap->bodies[i], NULL, heap->bounds + i), snug_success);
		sorted[i] = heap->bounds + i;
	}
	qsort(sorted, heap->count, sizeof(*sorted), CompareLower);
	*sum = 0;
	for (uint32_t i = 0; i < heap->count; ++i)
	{
		for (uint32_t j = i + 1; j < heap->count && sorted[j]->lower[0] <= sorted[i]->upper[0]; ++j)
		{
			const snugBounds *x = sorted[i], *y = sorted[j];
			bool isNear = x->lower[1] <= y->upper[1] && y->lower[1] <= x->upper[1] && x->lower[2] <= y->upper[2] &&
			              y->lower[2] <= x->upper[2];
			uint64_t a = (uint64_t)(x - heap->bounds), b = (uint64_t)(y - heap->bounds);
			if (isNear && snugTouches(heap->bodies[a], heap->bodies[b], NULL).count > 0)
			{
				++count;
				*sum += a < b ? a * 1000003u + b : b * 1000003u + a;
			}
		}
	}
	free(sorted);
	return count;
}

static void CheckHeap(const Heap* heap)
{
	uint64_t sum, found = 0, count, expected = SweepHeap(heap, &sum);
	const snugScenePair* pairs = snugScene_GetPairs(heap->scene, &count);
	for (uint64_t i = 0; i < count; ++i)
	{
		found += (uint64_t)pairs[i].a * 1000003u + pairs[i].b;
	}
	assert_int_equal(count, expected);
	assert_int_equal(found, sum);
	assert_true(count > 0);
}

static void UpdateHeap(Heap* heap)
{
	snugSceneResult result = snugScene_Update(heap->scene, NULL);
	for (int i = 0; i < 3 && result.status == snug_outOfRange; ++i)
	{
		assert_int_equal(snugScene_Reserve(heap->scene, &result.needed), snug_success);
		result = snugScene_Update(heap->scene, NULL);
	}
	assert_int_equal(result.status, snug_success);
}

// A sheet through everything, and ten thousand small things of which some touch it and each other.
static void threads_find_one_huge_and_many_tiny(void** state)
{
	(void)state;
	ThreadPool pool;
	assert_int_equal(ThreadPool_Start(&pool, 3), 0);
	snugSceneDef def = { .room = { .bodies = 10001 }, .workers = { ThreadPool_Run, &pool } };
	Heap heap = MakeHeap(sceneMakeTetrahedron(), 10000, &def);
	sceneMesh sheet = sceneMakeCloth(60.0, 60.0, 40, 40);
	Thing huge = Thing_Make(sheet, snug_rigid, (snugTreeDef){ 0 }, NULL);
	uint32_t id;
	assert_int_equal(snugScene_Add(heap.scene, &(snugSceneBodyDef){ .body = huge.body }, &id), snug_success);
	sceneRandom random = { 5 };
	for (int frame = 0; frame < 3; ++frame)
	{
		uint64_t touching = 0, count;
		for (uint32_t i = 0; i < heap.count; ++i)
		{
			snugFrame at;
			RandomRotation(&random, at.rotation);
			for (int axis = 0; axis < 3; ++axis)
			{
				at.position[axis] = sceneRandom_Range(&random, -20.0, 20.0);
			}
			bool moves = frame == 0 || i % 10 == 0;
			assert_int_equal(moves ? snugBody_SetFrame(heap.bodies[i], &at) : snug_success, snug_success);
			touching += snugTouches(heap.bodies[i], huge.body, NULL).count;
		}
		UpdateHeap(&heap);
		const snugScenePair* pairs = snugScene_GetPairs(heap.scene, &count);
		uint64_t withHuge = 0;
		for (uint64_t i = 0; i < count; ++i)
		{
			withHuge += pairs[i].b == id;
		}
		assert_int_equal(withHuge, touching);
		assert_true(touching > 100);
		uint64_t sum, others = SweepHeap(&heap, &sum);
		assert_int_equal(count - withHuge, others);
	}
	assert_int_equal(snugScene_Remove(heap.scene, id), snug_success);
	UpdateHeap(&heap);
	CheckHeap(&heap);
	FreeHeap(&heap);
	Thing_Free(&huge);
	ThreadPool_Stop(&pool);
}

// All in one place: every pair is a candidate. So many that there is no room: they are counted, and nothing else is
// done.
static void all_in_one_place(void** state)
{
	(void)state;
	snugSceneDef def = { .room = { .bodies = 6000 } };
	Heap heap = MakeHeap(sceneMakeTriangle(), 6000, &def);
	snugSceneResult result = snugScene_Update(heap.scene, NULL);
	assert_int_equal(result.status, snug_outOfRange);
	assert_int_equal(result.needed.candidates, 6000u * 5999u / 2u);
	uint64_t count;
	snugScene_GetPairs(heap.scene, &count);
	assert_int_equal(count, 0);
	for (uint32_t i = 300; i < heap.count; ++i)
	{
		assert_int_equal(snugScene_Remove(heap.scene, i), snug_success);
	}
	UpdateHeap(&heap);
	snugScene_GetPairs(heap.scene, &count);
	assert_int_equal(count, 300u * 299u / 2u);
	FreeHeap(&heap);
}

// One body in a thousand pairs, posed anew for each update, on eight threads; triangle by triangle as without a scene.
static void threads_share_a_hub(void** state)
{
	(void)state;
	enum
	{
		SPOKES = 1000
	};
	ThreadPool pool;
	assert_int_equal(ThreadPool_Start(&pool, 7), 0);
	sceneRandom random = { 3 };
	sceneMesh ball = sceneMakeBlob(8, 1);
	Skin skin = RandomSkin(&random, &ball);
	Thing hub = MakeLinear(ball, &skin, (snugTreeDef){ 0 }, snug_strategyAuto);
	snugSceneDef def = { .room = { .bodies = SPOKES + 1 }, .workers = { ThreadPool_Run, &pool } };
	Heap spokes = MakeHeap(sceneMakeTetrahedron(), SPOKES, &def);
	uint32_t id;
	assert_int_equal(snugScene_Add(spokes.scene, &(snugSceneBodyDef){ .body = hub.body }, &id), snug_success);
	for (uint32_t i = 0; i < SPOKES; ++i)
	{
		snugFrame at = { .position = { sceneRandom_Range(&random, -1.0, 1.0), sceneRandom_Range(&random, -1.0, 1.0),
			                 sceneRandom_Range(&random, -1.0, 1.0) } };
		assert_int_equal(snugScene_SetGroups(spokes.scene, i, 2, 1), snug_success); // they meet the hub alone
		assert_int_equal(snugBody_SetFrame(spokes.bodies[i], &at), snug_success);
	}
	for (int frame = 0; frame < 3; ++frame)
	{
		RandomMatrices(&random, &skin, 1.0, 0.0);
		Pose(&hub, &skin);
		snugSceneQuery query = { .trianglePairs = true };
		snugSceneResult result = snugScene_Update(spokes.scene, &query);
		for (int i = 0; i < 3 && result.status == snug_outOfRange; ++i)
		{
			assert_int_equal(snugScene_Reserve(spokes.scene, &result.needed), snug_success);
			result = snugScene_Update(spokes.scene, &query);
		}
		assert_int_equal(result.status, snug_success);
		uint64_t count, triangleCount, next = 0;
		const snugScenePair* pairs = snugScene_GetPairs(spokes.scene, &count);
		const snugPair* triangles = snugScene_GetTrianglePairs(spokes.scene, &triangleCount);
		for (uint32_t i = 0; i < SPOKES; ++i)
		{
			PairList expected = CollideAll(spokes.bodies[i], hub.body, (const double[3]){ 0 });
			bool isNext = next < count && pairs[next].a == i;
			assert_int_equal(isNext, expected.count > 0);
			if (isNext)
			{
				PairList found = { (snugPair*)(uintptr_t)(triangles + pairs[next].first), pairs[next].count };
				AssertSamePairs("hub", (uint64_t)frame, &expected, &found);
				++next;
			}
			PairList_Free(&expected);
		}
		assert_int_equal(next, count);
		assert_true(count > 100);
	}
	FreeHeap(&spokes);
	Thing_Free(&hub);
	Skin_Free(&skin);
	ThreadPool_Stop(&pool);
}

// What a body of a crowd is posed by.
typedef void MakePoseFcn(const void* user, sceneRandom* random, float* matrices);

// Bodies that share a pool, posed and placed anew in each frame: what touches did not before, so that boxes three
// levels below the roots are compared, and searches begin there. Would catch boxes of one node that are taken for those
// of another, and leaves that nobody looks at.
static uint64_t CheckCrowd(const snugModelDef* modelDef, MakePoseFcn* makePose, const void* user, double size)
{
	enum
	{
		BODIES = 24
	};
	snugModel* model;
	assert_int_equal(snugModel_Create(modelDef, &model), snug_success);
	snugPool* pages = MakePool((size_t)4096 * 1000);
	const snugSceneDef def = { .room = { .bodies = BODIES, .candidates = 300, .pairs = 300, .trianglePairs = 200000 } };
	snugScene* scene;
	assert_int_equal(snugScene_Create(&def, &scene), snug_success);
	snugBody *bodies[BODIES], *twins[BODIES]; // the latter are in no scene
	for (uint32_t i = 0; i < BODIES; ++i)
	{
		uint32_t id;
		bodies[i] = MakeBody(model, pages);
		twins[i] = MakeBody(model, NULL);
		assert_int_equal(snugScene_Add(scene, &(snugSceneBodyDef){ .body = bodies[i] }, &id), snug_success);
		assert_int_equal(id, i);
	}
	uint64_t pairs = 0;
	float* matrices = malloc(12 * modelDef->skin.jointCount * sizeof(float));
	for (int frame = 0; frame < TestCount(6); ++frame)
	{
		sceneRandom random = { TestSeed() + (uint64_t)frame };
		for (uint32_t i = 0; i < BODIES; ++i)
		{
			makePose(user, &random, matrices);
			const double place[3] = { sceneRandom_Range(&random, -size, size), 0.0,
				sceneRandom_Range(&random, -size, size) };
			const snugFrame at =
			    sceneMakeFrame(place, (const double[3]){ 0.0, 1.0, 0.0 }, 6.0 * sceneRandom_Unit(&random));
			for (int which = 0; which < 2; ++which)
			{
				snugBody* body = which == 0 ? bodies[i] : twins[i];
				assert_int_equal(snugBody_SetJoints(body, matrices, 0, modelDef->skin.jointCount), snug_success);
				assert_int_equal(snugBody_SetFrame(body, &at), snug_success);
			}
		}
		assert_int_equal(snugScene_Update(scene, &(snugSceneQuery){ .trianglePairs = true }).status, snug_success);
		uint64_t count, next = 0;
		const snugScenePair* found = snugScene_GetPairs(scene, &count);
		const snugPair* triangles = snugScene_GetTrianglePairs(scene, &(uint64_t){ 0 });
		for (uint32_t i = 0; i < BODIES * BODIES; ++i)
		{
			const uint32_t a = i / BODIES, b = i % BODIES;
			PairList expected = a < b ? CollideAll(twins[a], twins[b], NULL) : (PairList){ NULL, 0 };
			if (expected.count > 0)
			{
				assert_true(next < count && found[next].a == a && found[next].b == b);
				PairList list = { (snugPair*)(uintptr_t)(triangles + found[next].first), found[next].count };
				AssertSamePairs("crowd", TestSeed() + (uint64_t)frame, &expected, &list);
				++next;
			}
			PairList_Free(&expected);
		}
		assert_int_equal(next, count);
		pairs += count;
	}
	snugScene_Destroy(scene);
	for (uint32_t i = 0; i < BODIES; ++i)
	{
		snugBody_Destroy(bodies[i]);
		snugBody_Destroy(twins[i]);
	}
	snugPool_Destroy(pages);
	snugModel_Destroy(model);
	free(matrices);
	return pairs;
}

static void Walk(const void* user, sceneRandom* random, float* matrices)
{
	sceneCharacter_Walk(user, sceneRandom_Unit(random), matrices);
}

static void MoveALittle(const void* user, sceneRandom* random, float* matrices)
{
	const Skin* skin = user;
	for (uint32_t i = 0; i < 12 * skin->transformCount; ++i)
	{
		matrices[i] = (float)((i % 12 % 5 == 0) + sceneRandom_Range(random, -0.1, 0.1));
	}
}

// Men, and soups that have leaves beside other nodes two levels below their roots.
static void crowds_match_all_pairs(void** state)
{
	(void)state;
	sceneCharacter man;
	assert_true(sceneCharacter_Create(&man, scene_man));
	const snugModelDef def = sceneCharacter_MakeDef(&man, snug_blendLinear);
	uint64_t men = CheckCrowd(&def, Walk, &man, 1.2), soups = 0;
	sceneCharacter_Free(&man);
	for (uint32_t i = 0; i < 8; ++i)
	{
		sceneRandom random = { TestSeed() + i };
		sceneMesh mesh = sceneMakeSoup(150 + 50 * i, 0.2, i);
		Skin skin = RandomSkin(&random, &mesh);
		snugModelDef soup = MeshDef(&mesh, snug_skin, (snugTreeDef){ .leafTriangles = 4 });
		soup.skin = Skin_Def(&skin);
		soups += CheckCrowd(&soup, MoveALittle, &skin, 6.0);
		Skin_Free(&skin);
		sceneMesh_Free(&mesh);
	}
	print_message("%llu pairs of men, %llu of soups touch\n", (unsigned long long)men, (unsigned long long)soups);
	assert_true(men > 0 && soups > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_find_one_huge_and_many_tiny),
		cmocka_unit_test(all_in_one_place),
		cmocka_unit_test(threads_share_a_hub),
		cmocka_unit_test(crowds_match_all_pairs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
