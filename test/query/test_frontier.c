// test/query/test_frontier.c: searches that stop and go on. Oracle: all pairs by brute force. At every cut each of them
// has been reported once or is below a pair of the frontier; in the end all have been reported.
#include "posed.h"

#include "snug/snug_queries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Scene
{
	Posed a, b;
	PairList truth; // sorted
} Scene;

static Scene Scene_Make(sceneRandom* random, int n, snugPool* pool)
{
	Scene scene;
	sceneMesh meshA = RandomMesh(random, (MeshKind)(n % MESH_KINDS));
	sceneMesh meshB = RandomMesh(random, (MeshKind)sceneRandom_Index(random, MESH_KINDS));
	scene.a = Posed_Make(random, meshA, (Mover)(n / MESH_KINDS % POSED_DEFORMERS), pool);
	scene.b = Posed_Make(random, meshB, (Mover)sceneRandom_Index(random, POSED_DEFORMERS), pool);
	Posed_Change(random, &scene.a);
	scene.truth = BruteAll(&scene.a.thing, &scene.b.thing, scene.a.origin);
	return scene;
}

static void Scene_Free(Scene* scene)
{
	PairList_Free(&scene->truth);
	Posed_Free(&scene->a);
	Posed_Free(&scene->b);
}

// A search under way, and what it has found so far.
typedef struct Search
{
	const Scene* scene;
	snugFrontier frontier;
	bool* isFound; // (truth.count)
	uint64_t foundCount;
	uint64_t calls;
	snugPair* pairs; // (page + 1)
	uint64_t page;   // 64 at least, which is the least that there may be
	uint64_t seed;
} Search;

#define PAGE 100

static Search Search_Make(const Scene* scene, uint32_t capacity, uint64_t seed)
{
	Search search = { .scene = scene, .page = seed == 0 ? PAGE : 64 + seed % 100, .seed = seed };
	search.frontier.pairs =
	    malloc(capacity * sizeof(snugNodePair)); // no more: sanitizers see what is written behind it
	search.frontier.capacity = capacity;
	memcpy(search.frontier.origin, scene->a.origin, sizeof(search.frontier.origin));
	search.isFound = calloc(scene->truth.count + 1, sizeof(bool));
	search.pairs = malloc((search.page + 1) * sizeof(snugPair));
	assert_non_null(search.frontier.pairs);
	assert_non_null(search.isFound);
	return search;
}

static void Search_Free(Search* search)
{
	free(search->frontier.pairs);
	free(search->isFound);
	free(search->pairs);
}

static uint64_t Key(snugPair pair)
{
	return (uint64_t)pair.a << 32 | pair.b;
}

static void Find(Search* search, snugPair pair)
{
	const PairList* truth = &search->scene->truth;
	uint64_t low = 0, high = truth->count;
	while (low < high)
	{
		uint64_t middle = (low + high) / 2;
		bool isBefore = Key(truth->pairs[middle]) < Key(pair);
		low = isBefore ? middle + 1 : low;
		high = isBefore ? high : middle;
	}
	bool isTrue = low < truth->count && Key(truth->pairs[low]) == Key(pair);
	if (!isTrue || search->isFound[low])
	{
		fail_msg("seed %llu: (%u, %u) is reported %s", (unsigned long long)search->seed, pair.a, pair.b,
		    isTrue ? "twice" : "but not true");
	}
	search->isFound[low] = true;
	++search->foundCount;
}

// One call. Returns whether the search is done.
static bool Search_Call(Search* search, snugTimedQuery query)
{
	const snugPair behind = { 0xa5a5a5a5, 0x5a5a5a5a };
	query.pairs = search->pairs;
	query.capacity = search->page;
	search->pairs[search->page] = behind;
	snugFrontier* frontier = &search->frontier;
	snugResult result = snugCollideInTime(search->scene->a.thing.body, search->scene->b.thing.body, frontier, &query);
	assert_int_equal(result.status, snug_success);
	assert_true(++search->calls < 100000); // it ends
	assert_true(frontier->count <= frontier->capacity);
	assert_int_equal(result.complete, frontier->count == 0);
	assert_true(result.count <= search->page);
	assert_memory_equal(search->pairs + search->page, &behind, sizeof(behind));
	for (uint64_t i = 0; i < result.count; ++i)
	{
		assert_true(i == 0 || Key(search->pairs[i - 1]) < Key(search->pairs[i]));
		Find(search, search->pairs[i]);
	}
	return result.complete;
}

// Which triangles are below a node.
static void MarkBelow(const Posed* posed, uint32_t node, bool* marks)
{
	uint32_t count = posed->thing.mesh.triangleCount, *triangles = malloc((count + 1) * sizeof(uint32_t));
	uint32_t below = 0;
	assert_int_equal(snugModel_GetNodeTriangles(posed->thing.model, node, triangles, count, &below), snug_success);
	assert_in_range(below, 1, count);
	for (uint32_t i = 0; i < count; ++i)
	{
		marks[i] = false;
	}
	for (uint32_t i = 0; i < below; ++i)
	{
		marks[triangles[i]] = true;
	}
	free(triangles);
}

// Everything that was not reported is below a pair of the frontier.
static void CheckFrontier(const Search* search)
{
	const Scene* scene = search->scene;
	const PairList* truth = &scene->truth;
	bool* isBelowA = malloc(scene->a.thing.mesh.triangleCount + 1);
	bool* isBelowB = malloc(scene->b.thing.mesh.triangleCount + 1);
	bool* isCovered = malloc(truth->count + 1);
	memcpy(isCovered, search->isFound, truth->count);
	for (uint32_t i = 0; i < search->frontier.count; ++i)
	{
		MarkBelow(&scene->a, search->frontier.pairs[i].a, isBelowA);
		MarkBelow(&scene->b, search->frontier.pairs[i].b, isBelowB);
		for (uint64_t k = 0; k < truth->count; ++k)
		{
			isCovered[k] = isCovered[k] || (isBelowA[truth->pairs[k].a] && isBelowB[truth->pairs[k].b]);
		}
	}
	for (uint64_t k = 0; k < truth->count; ++k)
	{
		if (!isCovered[k])
		{
			fail_msg("seed %llu: (%u, %u) is neither reported nor below the frontier", (unsigned long long)search->seed,
			    truth->pairs[k].a, truth->pairs[k].b);
		}
	}
	free(isBelowA);
	free(isBelowB);
	free(isCovered);
}

static void CheckDone(const Search* search)
{
	if (search->foundCount != search->scene->truth.count)
	{
		fail_msg("seed %llu: %llu of %llu pairs were found", (unsigned long long)search->seed,
		    (unsigned long long)search->foundCount, (unsigned long long)search->scene->truth.count);
	}
}

static bool CountDown(void* user)
{
	int* left = user;
	return (*left)-- <= 0;
}

static snugTimedQuery RandomQuery(sceneRandom* random, int* questions)
{
	snugTimedQuery query = { .widestFirst = sceneRandom_Index(random, 2) == 0 };
	uint32_t kind = sceneRandom_Index(random, 8);
	query.maxSteps = kind < 5 ? 1 + sceneRandom_Index(random, 40) : 0;
	query.maxLevel = kind == 5 ? 1 + sceneRandom_Index(random, 4) : 0;
	*questions = 1 + (int)sceneRandom_Index(random, 4);
	query.shouldStop = kind >= 6 ? CountDown : NULL;
	query.user = questions;
	return query;
}

static const uint32_t capacities[] = { 1, 2, 3, 7, 40, 1000 };

static void searches_cut_at_random_find_everything_once(void** state)
{
	(void)state;
	uint64_t cuts = 0;
	for (int n = 0; n < TestCount(300); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugPool* pool = n % 5 == 0 ? MakePool(4096 * 3) : NULL; // so that bounds come and go
		Scene scene = Scene_Make(&random, n, pool);
		Search search = Search_Make(&scene, capacities[sceneRandom_Index(&random, LENGTH_OF(capacities))], seed);
		int questions;
		for (int calls = 0; !Search_Call(&search, RandomQuery(&random, &questions)); ++calls)
		{
			if (calls < 6 || calls % 16 == 0)
			{
				CheckFrontier(&search);
			}
			++cuts;
		}
		CheckDone(&search);
		Search_Free(&search);
		Scene_Free(&scene);
		snugPool_Destroy(pool);
	}
	assert_true(cuts > 100 || TestScale() < 1.0);
}

// Triangles that all intersect those of the other mesh: what two leaves hold is found as a whole, which is as much as a
// step may need room for.
static sceneMesh MakeBundle(sceneRandom* random, bool isAcross)
{
	sceneMesh mesh = sceneMakeSoup(1 + sceneRandom_Index(random, 60), 0.0, 1);
	for (uint32_t i = 0; i < mesh.triangleCount; ++i)
	{
		float* p = mesh.positions + 9 * (size_t)i;
		const float at = (float)sceneRandom_Range(random, -1.0, 1.0);
		const float along[9] = { -9, at, -9, 9, at, -9, 0, at, 9 }, across[9] = { at, -9, -9, at, 9, -9, at, 0, 9 };
		memcpy(p, isAcross ? across : along, sizeof(along));
	}
	return mesh;
}

static void steps_that_find_as_much_as_they_can(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(300); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		const snugTreeDef tree = { .leafTriangles = 8 };
		Scene scene = { .a.thing = Thing_Make(MakeBundle(&random, false), snug_rigid, tree, NULL),
			.b.thing = Thing_Make(MakeBundle(&random, true), snug_rigid, tree, NULL) };
		scene.truth = BruteAll(&scene.a.thing, &scene.b.thing, NULL);
		assert_int_equal(scene.truth.count, scene.a.thing.mesh.triangleCount * scene.b.thing.mesh.triangleCount);
		Search search = Search_Make(&scene, capacities[n % (int)LENGTH_OF(capacities)], seed);
		while (!Search_Call(&search, (snugTimedQuery){ .widestFirst = n % 2 == 0 }))
		{
		}
		CheckDone(&search);
		Search_Free(&search);
		Scene_Free(&scene);
	}
}

// Small scenes: after any number of steps the rest, whole or one step at a time, is the rest.
static void searches_cut_anywhere_find_everything_once(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(42); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		Scene scene = Scene_Make(&random, n, NULL);
		uint32_t capacity = capacities[n % (int)LENGTH_OF(capacities)];
		bool isDone = false;
		for (uint64_t cut = 1; !isDone && cut < 400; cut += 1 + cut / 16)
		{
			Search search = Search_Make(&scene, capacity, seed);
			isDone = Search_Call(&search, (snugTimedQuery){ .maxSteps = cut, .widestFirst = n % 2 == 0 });
			CheckFrontier(&search);
			while (!Search_Call(&search, (snugTimedQuery){ .maxSteps = cut % 3, .widestFirst = n % 3 == 0 }))
			{
			}
			CheckDone(&search);
			Search_Free(&search);
		}
		Scene_Free(&scene);
	}
}

// With room enough, the frontier at a level has nodes of that level, or leaves above it, and those are the ones whose
// boxes queries would compare.
static void a_level_is_an_answer(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(60); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		Scene scene = Scene_Make(&random, n, NULL);
		uint32_t level = 1 + sceneRandom_Index(&random, 4), last = 0;
		Search search = Search_Make(&scene, n % 3 == 0 ? 4 : 100000, seed);
		bool isDone = Search_Call(&search, (snugTimedQuery){ .maxLevel = level });
		assert_int_equal(search.foundCount, 0);
		CheckFrontier(&search);
		for (uint32_t i = 0; i < search.frontier.count; ++i)
		{
			const snugNodePair* pair = search.frontier.pairs + i;
			snugNodeBox boxA, boxB;
			assert_int_equal(snugBody_GetNodeBox(scene.a.thing.body, pair->a, &boxA), snug_success);
			assert_int_equal(snugBody_GetNodeBox(scene.b.thing.body, pair->b, &boxB), snug_success);
			assert_int_equal(boxA.node, pair->a);
			assert_true(boxA.lower[0] <= boxA.upper[0]);
			last = boxA.level > boxB.level ? boxA.level : boxB.level;
			assert_true(last <= level);
			// Coarser only where there is no room, or where both are leaves.
			uint32_t below[2];
			snugModel_GetNodeTriangles(scene.a.thing.model, pair->a, NULL, 0, below);
			snugModel_GetNodeTriangles(scene.b.thing.model, pair->b, NULL, 0, below + 1);
			bool areLeaves = below[0] <= 8 && below[1] <= 8;
			assert_true(n % 3 == 0 || last == level || areLeaves);
		}
		assert_true(isDone || scene.truth.count == 0 || search.frontier.count > 0);
		while (!Search_Call(&search, (snugTimedQuery){ .widestFirst = n % 2 == 0 }))
		{
		}
		CheckDone(&search);
		Search_Free(&search);
		Scene_Free(&scene);
	}
}

static Scene MakeHeavyContact(void)
{
	Scene scene = { 0 };
	scene.a.thing = Thing_Make(sceneMakeBlob(24, 1), snug_rigid, (snugTreeDef){ 0 }, NULL);
	scene.b.thing = Thing_Make(sceneMakeBlob(22, 2), snug_rigid, (snugTreeDef){ 0 }, NULL);
	Place(scene.b.thing.body, 0.3, 0.2, 0.1);
	scene.truth = CollideAll(scene.a.thing.body, scene.b.thing.body, NULL);
	return scene;
}

static uint64_t StepsOf(const Scene* scene, bool widestFirst, uint64_t pairs)
{
	Search search = Search_Make(scene, 4096, 0);
	uint64_t steps = 0;
	for (bool isDone = false; !isDone && search.foundCount < pairs; ++steps)
	{
		isDone = Search_Call(&search, (snugTimedQuery){ .maxSteps = 1, .widestFirst = widestFirst });
	}
	Search_Free(&search);
	return steps;
}

// In about as many steps altogether, half of the pairs are found in less than a third.
static void much_is_found_soon(void** state)
{
	(void)state;
	Scene scene = MakeHeavyContact();
	uint64_t count = scene.truth.count;
	assert_true(count > 500);
	uint64_t plain = StepsOf(&scene, false, count / 2), soon = StepsOf(&scene, true, count / 2);
	uint64_t plainAll = StepsOf(&scene, false, UINT64_MAX), soonAll = StepsOf(&scene, true, UINT64_MAX);
	printf("half of %llu pairs: %llu of %llu steps, by overlap %llu of %llu\n", (unsigned long long)count,
	    (unsigned long long)plain, (unsigned long long)plainAll, (unsigned long long)soon, (unsigned long long)soonAll);
	assert_true(3 * soon < plain);
	assert_true(soonAll <= plainAll + plainAll / 10);
	Scene_Free(&scene);
}

static bool Count(void* user)
{
	++*(int*)user;
	return false;
}

static void the_clock_is_asked_now_and_then(void** state)
{
	(void)state;
	Scene scene = MakeHeavyContact();
	int never = 0, asked = 0;
	Search search = Search_Make(&scene, 10, 0);
	assert_false(Search_Call(&search, (snugTimedQuery){ .shouldStop = CountDown, .user = &never }));
	assert_int_equal(search.foundCount, 0);
	assert_int_equal(search.frontier.count, 1); // nothing was done
	assert_false(Search_Call(&search, (snugTimedQuery){ .maxSteps = 64, .shouldStop = Count, .user = &asked }));
	assert_int_equal(asked, 4);
	Search_Free(&search);
	Scene_Free(&scene);
}

static void other_bodies_and_poses_are_refused(void** state)
{
	(void)state;
	Scene scene = MakeHeavyContact();
	snugBody *a = scene.a.thing.body, *b = scene.b.thing.body;
	snugNodePair entries[8];
	snugFrontier fresh = { .pairs = entries, .capacity = 8 }, frontier = fresh;
	const snugTimedQuery one = { .maxSteps = 20 }, dirty = { .reserved = { 1 } }, blind = { .capacity = 100 };
	snugPair few[8];
	const snugTimedQuery small = { .pairs = few, .capacity = 8 };
	assert_int_equal(snugCollideInTime(a, b, &frontier, &one).status, snug_success);
	assert_true(frontier.count > 0 && frontier.isBegun);
	snugFrontier begun = frontier;
	assert_int_equal(snugCollideInTime(b, a, &frontier, &one).status, snug_badArgument);
	assert_int_equal(snugCollideInTime(a, b, &frontier, &dirty).status, snug_badArgument);
	assert_int_equal(snugCollideInTime(a, b, &frontier, &blind).status, snug_badArgument);
	assert_int_equal(snugCollideInTime(a, b, &frontier, &small).status, snug_badArgument);
	assert_int_equal(snugCollideInTime(a, a, &frontier, &one).status, snug_badArgument);
	assert_int_equal(snugCollideInTime(a, b, NULL, &one).status, snug_badArgument);
	frontier.capacity = 0;
	assert_int_equal(snugCollideInTime(a, b, &frontier, &one).status, snug_badArgument);
	assert_memory_equal(frontier.memory, begun.memory, sizeof(begun.memory));
	frontier = begun;
	Place(b, 0.3, 0.2, 0.11);
	assert_int_equal(snugCollideInTime(a, b, &frontier, &one).status, snug_badArgument);
	frontier = fresh;
	assert_int_equal(snugCollideInTime(a, b, &frontier, NULL).status, snug_success);
	assert_int_equal(frontier.count, 0);
	assert_int_equal(snugCollideInTime(a, b, &frontier, NULL).count, 0); // done is done
	frontier = fresh;
	frontier.origin[0] = 1e300;
	assert_int_equal(snugCollideInTime(a, b, &frontier, NULL).status, snug_outOfRange);
	assert_false(frontier.isBegun);
	snugNodeBox box;
	assert_int_equal(snugBody_GetNodeBox(a, 1u << 30, &box), snug_badArgument);
	assert_int_equal(snugBody_GetNodeBox(a, 1, &box), snug_badArgument); // the root is alone in its group
	assert_int_equal(snugBody_GetNodeBox(NULL, 0, &box), snug_badArgument);
	Scene_Free(&scene);
}

// Whatever a frontier holds, the answer is a status or pairs that are true.
static void damaged_frontiers_do_no_harm(void** state)
{
	(void)state;
	Scene scene = MakeHeavyContact();
	snugPair pairs[PAGE];
	for (int n = 0; n < TestCount(2000); ++n)
	{
		sceneRandom random = { TestSeed() + (uint64_t)n };
		snugNodePair entries[8] = { 0 };
		snugFrontier frontier = { .pairs = entries, .capacity = 8 };
		const snugTimedQuery query = { .pairs = pairs,
			.capacity = PAGE,
			.maxSteps = 1 + sceneRandom_Index(&random, 99),
			.widestFirst = n % 2 == 0,
			.maxLevel = n % 7 == 0 ? 2 : 0 };
		snugCollideInTime(scene.a.thing.body, scene.b.thing.body, &frontier, &query);
		uint32_t* words = (uint32_t*)(void*)(entries + sceneRandom_Index(&random, 8));
		words[sceneRandom_Index(&random, 5)] = n % 3 == 0 ? sceneRandom_Index(&random, 4000) : UINT32_MAX;
		frontier.count = n % 11 == 0 ? sceneRandom_Index(&random, 12) : frontier.count;
		for (int i = 0; i < 3; ++i)
		{
			snugResult result = snugCollideInTime(scene.a.thing.body, scene.b.thing.body, &frontier, &query);
			assert_true(result.count <= PAGE);
			assert_true(frontier.count <= 12);
		}
	}
	Scene_Free(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(searches_cut_at_random_find_everything_once),
		cmocka_unit_test(steps_that_find_as_much_as_they_can),
		cmocka_unit_test(searches_cut_anywhere_find_everything_once),
		cmocka_unit_test(a_level_is_an_answer),
		cmocka_unit_test(much_is_found_soon),
		cmocka_unit_test(the_clock_is_asked_now_and_then),
		cmocka_unit_test(other_bodies_and_poses_are_refused),
		cmocka_unit_test(damaged_frontiers_do_no_harm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
