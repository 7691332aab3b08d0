// test/query/test_query.c: what queries promise beside the set of pairs: order, capacity, callbacks, budgets, counters;
// and bounds and the validator.
#include "support.h"

#include "body/cache.h"
#include "query/sink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Thing MakeLeft(uint64_t seed, snugTreeDef tree)
{
	return Thing_Make(sceneMakeBlob(8, seed), snug_rigid, tree, NULL);
}

static Thing MakeRight(uint64_t seed, snugTreeDef tree)
{
	Thing thing = Thing_Make(sceneMakeBlob(7, seed + 1), snug_free, tree, NULL);
	snugFrame frame = { .position = { 0.4, 0.3, 0.2 }, .rotation = { 0.6, 0.0, 0.0, 0.8 } };
	assert_int_equal(snugBody_SetFrame(thing.body, &frame), snug_success);
	return thing;
}

// --- Capacity ------------------------------------------------------------------------------------------------------

// A buffer of any size gets the smallest pairs, sorted, and nothing is written behind it. Would catch a heap that loses
// a pair when it becomes one, or keeps the first found instead of the smallest.
static void small_buffers_get_the_smallest_pairs(void** state)
{
	(void)state;
	Thing a = MakeLeft(1, (snugTreeDef){ 0 }), b = MakeRight(1, (snugTreeDef){ 0 });
	PairList all = BruteAll(&a, &b, NULL);
	assert_true(all.count > 100);
	snugPair* pairs = malloc((all.count + 8) * sizeof(snugPair));
	assert_non_null(pairs);
	for (uint64_t capacity = 0; capacity <= all.count + 4; ++capacity)
	{
		memset(pairs, 0xee, (all.count + 8) * sizeof(snugPair));
		snugResult result = snugCollide(a.body, b.body, &(snugQuery){ .pairs = pairs, .capacity = capacity });
		assert_int_equal(result.status, snug_success);
		assert_true(result.complete);
		assert_int_equal(result.count, all.count);
		uint64_t kept = capacity < all.count ? capacity : all.count;
		assert_memory_equal(pairs, all.pairs, kept * sizeof(snugPair));
		for (uint64_t i = kept; i < all.count + 8; ++i)
		{
			assert_int_equal(pairs[i].a, 0xeeeeeeeeu);
			assert_int_equal(pairs[i].b, 0xeeeeeeeeu);
		}
	}
	free(pairs);
	PairList_Free(&all);
	Thing_Free(&a);
	Thing_Free(&b);
}

// Thousands of pairs, so that the sort recurses: all pairs of two big soups, found in tree order.
static void many_pairs_are_sorted(void** state)
{
	(void)state;
	Thing a = Thing_Make(sceneMakeSoup(400, 2.0, 5), snug_rigid, (snugTreeDef){ 0 }, NULL);
	Thing b = Thing_Make(sceneMakeSoup(300, 2.0, 6), snug_rigid, (snugTreeDef){ .leafTriangles = 3 }, NULL);
	assert_true(CheckPairs("big soups", 5, &a, &b, NULL) > 10000);
	snugPair pairs[1000];
	PairList all = BruteAll(&a, &b, NULL);
	snugResult result = snugCollide(a.body, b.body, &(snugQuery){ .pairs = pairs, .capacity = 1000 });
	assert_int_equal(result.count, all.count);
	assert_memory_equal(pairs, all.pairs, sizeof(pairs));
	PairList_Free(&all);
	Thing_Free(&a);
	Thing_Free(&b);
}

// --- Callbacks -----------------------------------------------------------------------------------------------------

typedef struct Collected
{
	snugPair pairs[8192];
	uint64_t count;
	uint64_t stopAfter; // return false at this pair; 0: never
} Collected;

static bool Collect(void* user, snugPair pair)
{
	Collected* collected = user;
	assert_true(collected->count < LENGTH_OF(collected->pairs));
	collected->pairs[collected->count++] = pair;
	return collected->count != collected->stopAfter;
}

// Numbers of all kinds: few or many, one for all, at both ends of the range, sorted already. Oracle: qsort. Would catch
// a bucket that overflows, or is left out.
static void pairs_of_any_numbers_are_sorted(void** state)
{
	(void)state;
	static snugPair pairs[5000], expected[5000];
	sceneRandom random = { TestSeed() };
	for (int i = 0; i < TestCount(400); ++i)
	{
		const uint64_t count = sceneRandom_Next(&random) % (i % 2 == 0 ? 5000 : 200);
		const uint32_t span = (uint32_t)((uint64_t)UINT32_MAX >> sceneRandom_Next(&random) % 33);
		const uint32_t first = (uint32_t)(sceneRandom_Next(&random) % (UINT64_C(1) + UINT32_MAX - span));
		sgSink sink = { .pairs = pairs, .capacity = LENGTH_OF(pairs) };
		for (uint64_t k = 0; k < count; ++k)
		{
			const uint64_t bits = sceneRandom_Next(&random);
			const uint32_t number = i % 5 == 0 ? (bits % 2 == 0 ? 0 : span) : (uint32_t)(bits >> 32) & span;
			expected[k] = (snugPair){ first + number, (uint32_t)bits };
			sgSink_Add(&sink, expected[k]);
		}
		qsort(expected, count, sizeof(snugPair), ComparePairs);
		sgSink_Finish(&sink);
		assert_memory_equal(pairs, expected, count * sizeof(snugPair));
		sgSink_Finish(&sink);
		assert_memory_equal(pairs, expected, count * sizeof(snugPair));
	}
}

// Unsorted: all pairs, in the order in which a callback sees them; a small buffer gets the first of these. Would catch
// a heap that takes over when the buffer is full.
static void unsorted_pairs_come_as_they_are_found(void** state)
{
	(void)state;
	Thing a = MakeLeft(1, (snugTreeDef){ 0 }), b = MakeRight(1, (snugTreeDef){ 0 });
	PairList all = BruteAll(&a, &b, NULL);
	snugPair* pairs = malloc((all.count + 1) * sizeof(snugPair));
	assert_non_null(pairs);
	Collected seen = { .count = 0 };
	assert_int_equal(snugCollide(a.body, b.body, &(snugQuery){ .callback = Collect, .user = &seen }).count, all.count);
	assert_memory_not_equal(seen.pairs, all.pairs, all.count * sizeof(snugPair)); // or the test shows nothing
	for (uint64_t capacity = 1; capacity <= all.count + 1; capacity += capacity < 20 ? 1 : 37)
	{
		snugQuery query = { .pairs = pairs, .capacity = capacity, .unsorted = true };
		uint64_t kept = capacity < all.count ? capacity : all.count;
		memset(pairs, 0xee, (all.count + 1) * sizeof(snugPair));
		assert_int_equal(snugCollide(a.body, b.body, &query).count, all.count);
		assert_memory_equal(pairs, seen.pairs, kept * sizeof(snugPair));
		assert_int_equal(pairs[kept].a, 0xeeeeeeeeu);
	}
	snugQuery shared = { .pairs = pairs, .capacity = all.count, .unsorted = true, .workers.run = RunInOrder };
	assert_int_equal(snugCollide(a.body, b.body, &shared).count, all.count);
	qsort(pairs, all.count, sizeof(snugPair), ComparePairs);
	assert_memory_equal(pairs, all.pairs, all.count * sizeof(snugPair));
	free(pairs);
	PairList_Free(&all);
	Thing_Free(&a);
	Thing_Free(&b);
}

static void callbacks_get_every_pair_once(void** state)
{
	(void)state;
	Thing a = MakeLeft(2, (snugTreeDef){ 0 }), b = MakeRight(2, (snugTreeDef){ .leafTriangles = 1 });
	PairList all = BruteAll(&a, &b, NULL);
	Collected* collected = calloc(1, sizeof(Collected));
	assert_non_null(collected);
	snugPair buffer[10];
	snugQuery query = { .pairs = buffer, .capacity = 10, .callback = Collect, .user = collected };
	snugResult result = snugCollide(a.body, b.body, &query);
	assert_true(result.complete);
	assert_int_equal(result.count, all.count);
	PairList found = { collected->pairs, collected->count };
	qsort(found.pairs, found.count, sizeof(snugPair), ComparePairs);
	AssertSamePairs("callback", 2, &all, &found);
	assert_memory_equal(buffer, all.pairs, sizeof(buffer)); // a buffer as well
	free(collected);
	PairList_Free(&all);
	Thing_Free(&a);
	Thing_Free(&b);
}

static void callbacks_stop_queries(void** state)
{
	(void)state;
	Thing a = MakeLeft(2, (snugTreeDef){ 0 }), b = MakeRight(2, (snugTreeDef){ 0 });
	uint64_t total = snugCollide(a.body, b.body, NULL).count;
	Collected* collected = calloc(1, sizeof(Collected));
	assert_non_null(collected);
	for (uint64_t stop = 1; stop <= total; ++stop)
	{
		collected->count = 0;
		collected->stopAfter = stop;
		snugPair* buffer = malloc(total * sizeof(snugPair));
		assert_non_null(buffer);
		snugQuery query = { .pairs = buffer, .capacity = total, .callback = Collect, .user = collected };
		snugResult result = snugCollide(a.body, b.body, &query);
		assert_int_equal(result.status, snug_success);
		assert_int_equal(result.count, stop);
		assert_int_equal(collected->count, stop); // not called again
		assert_false(result.complete);
		qsort(collected->pairs, stop, sizeof(snugPair), ComparePairs);
		assert_memory_equal(buffer, collected->pairs, stop * sizeof(snugPair));
		free(buffer);
	}
	free(collected);
	Thing_Free(&a);
	Thing_Free(&b);
}

// --- snugTouches ---------------------------------------------------------------------------------------------------

// It agrees with snugCollide, names a pair that is one, and always the same one.
static void touches_agrees_with_collide(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	int touching = 0;
	for (int i = 0; i < TestCount(300); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		snugTreeDef treeA = RandomTreeDef(&random), treeB = RandomTreeDef(&random);
		uint64_t meshSeed = sceneRandom_Next(&random);
		Thing a = Thing_Make(sceneMakeSoup(60, 0.3, meshSeed), snug_free, treeA, NULL);
		Thing b = Thing_Make(sceneMakeSoup(60, 0.3, meshSeed + 1), snug_rigid, treeB, NULL);
		Thing c = Thing_Make(sceneMakeSoup(60, 0.3, meshSeed), snug_rigid, treeA, NULL); // as `a`, another deformer
		snugFrame frame = { .position = { sceneRandom_Range(&random, 0, 3), 0.1, 0.2 } };
		RandomRotation(&random, frame.rotation);
		assert_int_equal(snugBody_SetFrame(b.body, &frame), snug_success);
		PairList all = BruteAll(&a, &b, NULL);
		snugPair witness[2] = { { 7, 7 }, { 7, 7 } }, again = { 0, 0 };
		snugResult result = snugTouches(a.body, b.body, &(snugQuery){ .pairs = witness, .capacity = 2 });
		assert_int_equal(result.status, snug_success);
		assert_int_equal(result.count, all.count > 0);
		assert_true(result.complete);
		assert_true(witness[1].a == 7 && witness[1].b == 7);
		if (all.count > 0)
		{
			++touching;
			assert_non_null(bsearch(witness, all.pairs, all.count, sizeof(snugPair), ComparePairs));
			// Posed to its rest pose, bounds are computed by other code; rigid, by yet other.
			assert_int_equal(snugBody_SetVertices(a.body, a.mesh.positions, 0, 0, a.mesh.vertexCount), snug_success);
			assert_int_equal(snugTouches(a.body, b.body, &(snugQuery){ .pairs = &again, .capacity = 1 }).count, 1);
			assert_memory_equal(&again, witness, sizeof(snugPair));
			assert_int_equal(snugTouches(c.body, b.body, &(snugQuery){ .pairs = &again, .capacity = 1 }).count, 1);
			assert_memory_equal(&again, witness, sizeof(snugPair));
		}
		PairList_Free(&all);
		Thing_Free(&a);
		Thing_Free(&b);
		Thing_Free(&c);
	}
	assert_true(touching > 0);
}

// Bounds decide only what is skipped. Would catch a first pair that depends on how tight they are: here they are blown
// up, as another instruction set's or bound family's might be.
static void the_first_pair_does_not_depend_on_bounds(void** state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= (uint64_t)TestCount(50); ++seed)
	{
		Thing a = Thing_Make(sceneMakeSoup(80, 0.2, seed), snug_rigid, (snugTreeDef){ .leafTriangles = 2 }, NULL);
		Thing b =
		    Thing_Make(sceneMakeSoup(80, 0.2, seed + 1000), snug_rigid, (snugTreeDef){ .leafTriangles = 3 }, NULL);
		snugPair tight = { 0, 0 }, loose = { 0, 0 };
		snugResult first = snugTouches(a.body, b.body, &(snugQuery){ .pairs = &tight, .capacity = 1 });
		sgBoxLanes* bounds = (sgBoxLanes*)(uintptr_t)a.model->restBounds;
		sceneRandom random = { seed };
		for (uint32_t g = 0; g < a.model->tree.groupCount; ++g)
		{
			for (int k = 0; k < 3 * SG_LANES; ++k)
			{
				bounds[g].lower[k / SG_LANES][k % SG_LANES] -= (float)sceneRandom_Range(&random, 0.0, 0.5);
				bounds[g].upper[k / SG_LANES][k % SG_LANES] += (float)sceneRandom_Range(&random, 0.0, 0.5);
			}
		}
		snugResult second = snugTouches(a.body, b.body, &(snugQuery){ .pairs = &loose, .capacity = 1 });
		assert_int_equal(first.count, second.count);
		assert_memory_equal(&tight, &loose, sizeof(tight));
		Thing_Free(&a);
		Thing_Free(&b);
	}
}

static void callbacks_of_touches_may_stop(void** state)
{
	(void)state;
	Thing a = MakeLeft(4, (snugTreeDef){ 0 }), b = MakeRight(4, (snugTreeDef){ 0 });
	// A callback that stops at the pair takes nothing from the answer.
	Collected* collected = calloc(1, sizeof(Collected));
	assert_non_null(collected);
	collected->stopAfter = 1;
	snugResult stopped = snugTouches(a.body, b.body, &(snugQuery){ .callback = Collect, .user = collected });
	assert_int_equal(stopped.count, 1);
	assert_int_equal(collected->count, 1);
	assert_true(stopped.complete);
	free(collected);
	Place(b.body, 10.0, 0.0, 0.0);
	snugResult apart = snugTouches(a.body, b.body, NULL);
	assert_int_equal(apart.count, 0);
	assert_true(apart.complete);
	Thing_Free(&a);
	Thing_Free(&b);
}

// --- Counters ------------------------------------------------------------------------------------------------------

static void counters_are_consistent(void** state)
{
	(void)state;
	Thing a = MakeLeft(5, (snugTreeDef){ 0 }), b = MakeRight(5, (snugTreeDef){ 0 });
	snugResult result = snugCollide(a.body, b.body, NULL);
	snugCounters first = result.counters;
	assert_true(first.triangleTests >= result.count);
	assert_true(first.triangleTests >= first.exactTests);
	assert_true(first.verticesEvaluated > 0 && first.volumeTests > 0);
	// The same question costs the same.
	snugResult again = snugCollide(a.body, b.body, NULL);
	assert_memory_equal(&again.counters, &first, sizeof(first));
	// Clear of each other by far: one look at the top is enough.
	Place(b.body, 100.0, 0.0, 0.0);
	snugCounters apart = snugCollide(a.body, b.body, NULL).counters;
	assert_int_equal(apart.triangleTests, 0);
	assert_int_equal(apart.verticesEvaluated, 0);
	assert_true(apart.volumeTests <= 64);
	Thing_Free(&a);
	Thing_Free(&b);
}

// --- Bounds --------------------------------------------------------------------------------------------------------

static void CheckBounds(const Thing* thing, const double origin[3], uint64_t seed)
{
	snugBounds bounds;
	assert_int_equal(snugBody_GetBounds(thing->body, origin, &bounds), snug_success);
	if (thing->mesh.triangleCount == 0)
	{
		assert_true(bounds.lower[0] > bounds.upper[0] && bounds.radius < 0.0f);
		return;
	}
	float* positions = malloc(3 * (size_t)thing->mesh.vertexCount * sizeof(float));
	assert_non_null(positions);
	assert_int_equal(snugBody_GetVertices(thing->body, origin, positions, 0), snug_success);
	for (size_t i = 0; i < 3 * (size_t)thing->mesh.triangleCount; ++i)
	{
		const float* p = positions + 3 * (size_t)thing->mesh.triangles[i];
		long double distance2 = 0.0L;
		bool isInside = true;
		for (int k = 0; k < 3; ++k)
		{
			isInside = isInside && p[k] >= bounds.lower[k] && p[k] <= bounds.upper[k];
			long double d = (long double)p[k] - (long double)bounds.center[k];
			distance2 += d * d;
		}
		isInside = isInside && sqrtl(distance2) <= (long double)bounds.radius * (1.0L + 0x1p-60L);
		if (!isInside)
		{
			print_error("SNUG_SEED=%llu: vertex %u is outside the body's bounds\n", (unsigned long long)seed,
			    thing->mesh.triangles[i]);
			fail();
		}
	}
	free(positions);
}

// Any frame, any origin, any size: culling with these bounds must not lose a contact.
static void bounds_contain_all_vertices(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	static const double scales[] = { 1.0, 1e-3, 1e6, 1e-20, 1e20, 1e-43, 1e29 };
	for (int i = 0; i < TestCount(1500); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		double scale = scales[sceneRandom_Index(&random, LENGTH_OF(scales))];
		sceneMesh mesh = RandomMesh(&random, (MeshKind)sceneRandom_Index(&random, MESH_KINDS));
		ScaleMesh(&mesh, (float)scale);
		Thing thing = Thing_Make(mesh, i % 2 != 0 ? snug_free : snug_rigid, RandomTreeDef(&random), NULL);
		CheckBounds(&thing, NULL, seed + (uint64_t)i);
		for (int turn = 0; turn < 4; ++turn)
		{
			snugFrame frame = { 0 };
			double origin[3];
			double far = turn == 0 ? 1.0 : turn == 1 ? 1e3 : 1e6;
			if (turn != 2)
			{
				RandomRotation(&random, frame.rotation);
			}
			for (int k = 0; k < 3; ++k)
			{
				frame.position[k] = scale * sceneRandom_Range(&random, -far, far);
				origin[k] = turn % 2 != 0 ? frame.position[k] : scale * sceneRandom_Range(&random, -far, far);
			}
			assert_int_equal(snugBody_SetFrame(thing.body, &frame), snug_success);
			CheckBounds(&thing, origin, seed + (uint64_t)i);
			CheckBounds(&thing, NULL, seed + (uint64_t)i);
			if (i % 2 != 0 && mesh.vertexCount > 0)
			{
				float moved[3] = { (float)(2.0 * scale), 0.0f, 0.0f };
				uint32_t vertex = sceneRandom_Index(&random, mesh.vertexCount);
				assert_int_equal(snugBody_SetVertices(thing.body, moved, 0, vertex, 1), snug_success);
				CheckBounds(&thing, NULL, seed + (uint64_t)i);
			}
		}
		Thing_Free(&thing);
	}
}

// --- The validator -------------------------------------------------------------------------------------------------

// A validator that finds nothing is worthless unless it finds what is there. Every lane of every group in use, every
// face of its box: moved inwards by an ulp past its vertices, it must be found.
static void the_validator_finds_every_shrunk_bound(void** state)
{
	(void)state;
	Thing thing = Thing_Make(sceneMakeBlob(4, 9), snug_rigid, (snugTreeDef){ .leafTriangles = 5 }, NULL);
	snugValidation validation;
	assert_int_equal(snugBody_Validate(thing.body, &validation), snug_success);
	snugModelInfo info = snugModel_GetInfo(thing.model);
	assert_int_equal(validation.nodesChecked, info.nodeCount);
	assert_int_equal(validation.violations, 0);
	assert_true(validation.worst == 0.0);
	assert_true(validation.checks >= 6 * (uint64_t)info.leafCount);
	sgBoxLanes* bounds = (sgBoxLanes*)(uintptr_t)thing.model->restBounds;
	for (uint32_t slot = 0; slot < thing.model->tree.groupCount * SG_LANES; ++slot)
	{
		if (thing.model->tree.nodes[slot].first == SG_NONE)
		{
			continue;
		}
		for (int face = 0; face < 6; ++face)
		{
			sgBoxLanes* lanes = bounds + slot / SG_LANES;
			float* value = (face < 3 ? lanes->lower[face] : lanes->upper[face - 3]) + slot % SG_LANES;
			float kept = *value;
			*value = nextafterf(kept, face < 3 ? INFINITY : -INFINITY);
			assert_int_equal(snugBody_Validate(thing.body, &validation), snug_invalidBounds);
			assert_true(validation.violations >= 1 && validation.worst > 0.0);
			*value = NAN;
			assert_int_equal(snugBody_Validate(thing.body, &validation), snug_invalidBounds);
			*value = kept;
		}
	}
	assert_int_equal(snugBody_Validate(thing.body, NULL), snug_success);
	Thing_Free(&thing);
}

// The same in the cache of a posed body.
static void the_validator_sees_the_cache(void** state)
{
	(void)state;
	Thing thing = Thing_Make(sceneMakeBlob(4, 9), snug_free, (snugTreeDef){ 0 }, NULL);
	assert_int_equal(
	    snugBody_SetVertices(thing.body, thing.mesh.positions, 0, 0, thing.mesh.vertexCount), snug_success);
	assert_int_equal(snugBody_Refit(thing.body), snug_success);
	for (uint32_t slot = 0; slot < thing.model->tree.groupCount * SG_LANES; ++slot)
	{
		if (thing.model->tree.nodes[slot].first == SG_NONE)
		{
			continue;
		}
		sgCacheGroup* cached = sgCache_FindGroup(thing.body, slot / SG_LANES, false);
		assert_non_null(cached);
		float* value = cached->boxes.upper[1] + slot % SG_LANES;
		float kept = *value;
		*value = nextafterf(kept, -INFINITY);
		TestMessages messages = { 0 };
		thing.body->messenger = TestMessages_Get(&messages);
		assert_int_equal(snugBody_Validate(thing.body, NULL), snug_invalidBounds);
		assert_int_equal(messages.count, 1);
		*value = kept;
	}
	assert_int_equal(snugBody_Validate(thing.body, NULL), snug_success);
	Thing_Free(&thing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_buffers_get_the_smallest_pairs),
		cmocka_unit_test(many_pairs_are_sorted),
		cmocka_unit_test(pairs_of_any_numbers_are_sorted),
		cmocka_unit_test(unsorted_pairs_come_as_they_are_found),
		cmocka_unit_test(callbacks_get_every_pair_once),
		cmocka_unit_test(callbacks_stop_queries),
		cmocka_unit_test(touches_agrees_with_collide),
		cmocka_unit_test(the_first_pair_does_not_depend_on_bounds),
		cmocka_unit_test(callbacks_of_touches_may_stop),
		cmocka_unit_test(counters_are_consistent),
		cmocka_unit_test(bounds_contain_all_vertices),
		cmocka_unit_test(the_validator_finds_every_shrunk_bound),
		cmocka_unit_test(the_validator_sees_the_cache),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
