// test/deform/test_fields.c: surfaces moved by displacement fields, against brute force and against plain arithmetic.
#include "fields_support.h"
#include "linear_support.h"
#include "workers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What a body of fields meets: another one, or any other kind.
static Thing MakePartner(sceneRandom* random, double size, int kind, Skin* skin, FieldSet* set, snugStrategy strategy)
{
	sceneMesh mesh = RandomMesh(random, (MeshKind)sceneRandom_Index(random, MESH_KINDS));
	ScaleMesh(&mesh, (float)size);
	switch (kind)
	{
		case 0:
			return Thing_Make(mesh, snug_rigid, RandomTreeDef(random), NULL);
		case 1:
			return Thing_Make(mesh, snug_free, RandomTreeDef(random), NULL);
		case 2:
		{
			*skin = RandomSkin(random, &mesh);
			Thing thing = MakeLinear(mesh, skin, RandomTreeDef(random), strategy);
			RandomMatrices(random, skin, size, 0.0);
			Pose(&thing, skin);
			return thing;
		}
		default:
			*set = RandomFields(random, &mesh, size);
			return MakeFields(mesh, set, RandomTreeDef(random), strategy);
	}
}

// Amplitudes may carry a body so far that no frame can turn it. It is refused then, and rightly so.
static bool IsTooFar(const Thing* thing, const snugFrame* frame)
{
	snugBounds bounds, unturned;
	const bool isTooFar = snugBody_GetBounds(thing->body, NULL, &bounds) == snug_outOfRange;
	if (isTooFar)
	{
		assert_int_equal(snugBody_SetFrame(thing->body, &(snugFrame){ 0 }), snug_success);
		assert_int_equal(snugBody_GetBounds(thing->body, NULL, &unturned), snug_success);
		assert_true(unturned.radius > 0.25f * SNUG_MAX_COORDINATE);
		assert_int_equal(snugBody_SetFrame(thing->body, frame), snug_success);
	}
	return isTooFar;
}

// Oracle: all pairs by brute force at the evaluated vertices. A bound may only skip work, so a difference means that
// one failed to contain its vertices; the validator says which.
static void pairs_match_brute_force(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), checks = 0, pairs = 0;
	for (int i = 0; i < TestCount(400); ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		snugStrategy strategyA = (snugStrategy)(number % 4), strategyB = (snugStrategy)sceneRandom_Index(&random, 4);
		double size = sceneRandom_Index(&random, 4) == 0 ? ldexp(1.0, (int)sceneRandom_Index(&random, 120) - 60) : 1.0;
		sceneMesh mesh = RandomMesh(&random, (MeshKind)sceneRandom_Index(&random, MESH_KINDS));
		ScaleMesh(&mesh, (float)size);
		FieldSet setA = RandomFields(&random, &mesh, size), setB = { 0 };
		Skin skin = { 0 };
		Thing a = MakeFields(mesh, &setA, RandomTreeDef(&random), strategyA);
		Thing b = MakePartner(&random, size, i / 4 % 4, &skin, &setB, strategyB);
		for (int pose = 0; pose < 4; ++pose)
		{
			if (pose > 0)
			{
				pose == 2 ? NudgeAmplitudes(&random, &setA) : RandomAmplitudes(&random, &setA);
				PoseFields(&a, &setA);
			}
			if (pose > 0 && setB.fieldCount > 0)
			{
				pose == 2 ? NudgeAmplitudes(&random, &setB) : RandomAmplitudes(&random, &setB);
				PoseFields(&b, &setB);
			}
			snugFrame frame = { 0 };
			if (pose > 1)
			{
				RandomRotation(&random, frame.rotation);
				frame.position[pose % 3] = size * sceneRandom_Range(&random, -0.5, 0.5);
			}
			assert_int_equal(snugBody_SetFrame(b.body, &frame), snug_success);
			checks += Thing_Validate("fields", number, &a);
			pairs += IsTooFar(&b, &frame) ? 0 : CheckPairs("fields", number, &a, &b, NULL);
		}
		Thing_Free(&a);
		Thing_Free(&b);
		FieldSet_Free(&setA);
		FieldSet_Free(&setB);
		Skin_Free(&skin);
	}
	print_message("%llu component checks, %llu pairs\n", (unsigned long long)checks, (unsigned long long)pairs);
	assert_true(pairs > 0);
}

// Evaluated vertices against the definition in double: within the rounding that docs/bounds/rounding.md allows for.
static void vertices_follow_the_definition(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(80); ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		sceneMesh mesh = RandomMesh(&random, (MeshKind)sceneRandom_Index(&random, MESH_KINDS));
		FieldSet set = RandomFields(&random, &mesh, 1.0);
		snugStrategy strategy = (snugStrategy)(number % 4);
		Thing thing = MakeFields(mesh, &set, RandomTreeDef(&random), strategy);
		RandomAmplitudes(&random, &set);
		PoseFields(&thing, &set);
		float* found = malloc(3 * sizeof(float) * (size_t)mesh.vertexCount + 1);
		assert_non_null(found);
		assert_int_equal(snugBody_GetVertices(thing.body, NULL, found, 0), snug_success);
		for (uint32_t v = 0; v < mesh.vertexCount; ++v)
		{
			for (uint32_t axis = 0; axis < 3; ++axis)
			{
				double expected = (double)mesh.positions[3 * v + axis], reach = fabs(expected);
				uint32_t end = set.starts != NULL ? set.starts[v + 1] : set.fieldCount, terms = 0;
				for (uint32_t k = set.starts != NULL ? set.starts[v] : 0; k < end; ++k, ++terms)
				{
					uint32_t field = set.starts != NULL ? set.fields[k] : k;
					size_t at = set.starts != NULL ? k : (size_t)k * mesh.vertexCount + v;
					double term = (double)set.amplitudes[field] * (double)set.displacements[3 * at + axis];
					expected += term;
					reach += fabs(term);
				}
				double error = fabs((double)found[3 * v + axis] - expected);
				double allowed = 1.001 * (terms + 1.0) * 0x1p-24 * reach + (terms + 1.0) * 0x1p-149;
				if (!(error <= allowed))
				{
					fail_msg("SNUG_SEED=%llu: vertex %u is off by %g", (unsigned long long)number, v, error);
				}
			}
		}
		free(found);
		Thing_Free(&thing);
		FieldSet_Free(&set);
	}
}

// A shared pool of any size, and poses that change between queries: nothing stale, nothing lost.
static void small_pools_cost_only_time(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(30); ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		snugPool* pool = MakePool(1 + sceneRandom_Index(&random, 4) * 4000);
		snugStrategy strategy = (snugStrategy)(number % 4);
		FieldSet sets[2];
		Thing things[2];
		for (int k = 0; k < 2; ++k)
		{
			sceneMesh mesh = sceneMakeBlob(8 - (uint32_t)k, number);
			sets[k] = RandomFields(&random, &mesh, 1.0);
			things[k] = MakeFields(mesh, &sets[k], (snugTreeDef){ 0 }, strategy);
			snugBody_Destroy(things[k].body);
			things[k].body = MakeBody(things[k].model, pool);
		}
		for (int pose = 0; pose < 4; ++pose)
		{
			RandomAmplitudes(&random, &sets[pose % 2]);
			PoseFields(&things[pose % 2], &sets[pose % 2]);
			CheckPairs("small pool", number, &things[0], &things[1], NULL);
		}
		for (int k = 0; k < 2; ++k)
		{
			Thing_Free(&things[k]);
			FieldSet_Free(&sets[k]);
		}
		snugPool_Destroy(pool);
	}
}

static void bad_amplitudes_change_nothing(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	sceneMesh mesh = sceneMakeBlob(4, 1);
	FieldSet set = { .fieldCount = 3 };
	set.displacements = calloc(9 * (size_t)mesh.vertexCount, sizeof(float));
	set.amplitudes = calloc(3, sizeof(float));
	assert_true(set.displacements != NULL && set.amplitudes != NULL);
	for (size_t i = 0; i < 9 * (size_t)mesh.vertexCount; ++i)
	{
		set.displacements[i] = (float)sceneRandom_Range(&random, -0.2, 0.2);
	}
	Thing thing = MakeFields(mesh, &set, (snugTreeDef){ 0 }, snug_strategyAuto);
	set.amplitudes[0] = 0.5f;
	set.amplitudes[2] = -1.0f;
	PoseFields(&thing, &set);
	size_t bytes = 12 * (size_t)mesh.vertexCount;
	float *before = malloc(bytes), *after = malloc(bytes);
	assert_true(before != NULL && after != NULL);
	assert_int_equal(snugBody_GetVertices(thing.body, NULL, before, 0), snug_success);
	const struct
	{
		float value;
		snugStatus status;
	} bad[] = { { NAN, snug_badInput }, { INFINITY, snug_badInput }, { -INFINITY, snug_badInput },
		{ 3e38f, snug_outOfRange } };
	for (size_t i = 0; i < LENGTH_OF(bad); ++i)
	{
		set.amplitudes[1] = bad[i].value;
		assert_int_equal(snugBody_SetAmplitudes(thing.body, set.amplitudes, 3), bad[i].status);
		assert_int_equal(snugBody_GetVertices(thing.body, NULL, after, 0), snug_success);
		assert_memory_equal(before, after, bytes);
	}
	set.amplitudes[1] = 0.0f;
	assert_int_equal(snugBody_SetAmplitudes(thing.body, set.amplitudes, 2), snug_badInput);
	assert_int_equal(snugBody_SetAmplitudes(thing.body, set.amplitudes, 4), snug_badInput);
	assert_int_equal(snugBody_SetAmplitudes(thing.body, NULL, 3), snug_badArgument);
	assert_int_equal(snugBody_SetVertices(thing.body, before, 0, 0, 1), snug_badArgument);
	assert_int_equal(snugBody_SetJoints(thing.body, before, 0, 1), snug_badArgument);
	assert_int_equal(snugBody_SetAmplitudes(thing.body, set.amplitudes, 3), snug_success);
	snugModelInfo info = snugModel_GetInfo(thing.model);
	assert_int_equal(info.fieldCount, 3);
	assert_int_equal(info.deformer, snug_fields);
	Thing rigid = Thing_Make(sceneMakeTetrahedron(), snug_rigid, (snugTreeDef){ 0 }, NULL);
	assert_int_equal(snugBody_SetAmplitudes(rigid.body, set.amplitudes, 3), snug_badArgument);
	Thing_Free(&rigid);
	free(before);
	free(after);
	Thing_Free(&thing);
	FieldSet_Free(&set);
}

// What is wrong with a definition is refused, with a sentence that names it.
static void bad_fields_are_refused(void** state)
{
	(void)state;
	sceneMesh mesh = sceneMakeTetrahedron();
	const uint32_t starts[] = { 0, 1, 2, 4, 4 }, backwards[] = { 0, 2, 1, 4, 4 }, many[] = { 0, 0, 0, 4, 4 };
	const uint16_t fields[] = { 0, 1, 1, 0 }, unknown[] = { 0, 1, 2, 0 }, twice[] = { 0, 1, 1, 1 };
	float good[24] = { 0.0f }, bad[24] = { 0.0f };
	good[6] = 1.0f;
	bad[7] = NAN;
	float huge[24] = { 0.0f };
	huge[8] = 2e36f;
	const struct
	{
		snugFieldsDef fields;
		snugStatus status;
		const char* text;
	} cases[] = {
		{ { .fieldCount = 2, .displacements = good }, snug_success, "" },
		{ { .fieldCount = 2, .starts = starts, .fields = fields, .displacements = good }, snug_success, "" },
		{ { .fieldCount = 0, .displacements = good }, snug_badInput, "0 displacement fields" },
		{ { .fieldCount = 65536, .displacements = good }, snug_badInput, "65536 displacement fields" },
		{ { .fieldCount = 2 }, snug_badArgument, "without displacements" },
		{ { .fieldCount = 2, .starts = starts, .displacements = good }, snug_badArgument, "without displacements" },
		{ { .fieldCount = 2, .displacements = bad }, snug_badInput, "field 0: the displacement of vertex 2" },
		{ { .fieldCount = 2, .displacements = huge }, snug_badInput, "too large" },
		{ { .fieldCount = 2, .starts = starts, .fields = fields, .displacements = bad }, snug_badInput, "vertex 2" },
		{ { .fieldCount = 2, .starts = backwards, .fields = fields, .displacements = good }, snug_badInput,
		    "vertex 1" },
		{ { .fieldCount = 2, .starts = many, .fields = fields, .displacements = good }, snug_badInput, "vertex 2" },
		{ { .fieldCount = 2, .starts = starts, .fields = unknown, .displacements = good }, snug_badInput,
		    "field 2 of 2" },
		{ { .fieldCount = 2, .starts = starts, .fields = twice, .displacements = good }, snug_badInput, "twice" },
	};
	for (size_t i = 0; i < LENGTH_OF(cases); ++i)
	{
		TestMessages messages = { 0 };
		snugModelDef def = MeshDef(&mesh, snug_fields, (snugTreeDef){ 0 });
		def.messenger = TestMessages_Get(&messages);
		def.fields = cases[i].fields;
		snugModel* model;
		assert_int_equal(snugModel_Create(&def, &model), cases[i].status);
		assert_int_equal(messages.count, cases[i].status != snug_success);
		assert_non_null(strstr(messages.last, cases[i].text));
		snugModel_Destroy(model);
	}
	sceneMesh_Free(&mesh);
}

// Two builds, in memory filled with different rubbish, give the same bytes, and what is saved comes back.
static void building_is_deterministic(void** state)
{
	(void)state;
	for (int i = 0; i < TestCount(30); ++i)
	{
		uint64_t number = TestSeed() + (uint64_t)i;
		sceneRandom random = { number };
		sceneMesh mesh = sceneMakeBlob(12, random.state);
		FieldSet set = RandomFields(&random, &mesh, 1.0);
		snugModel* models[3];
		TestAllocator allocator = { 0 };
		size_t bytes[3];
		const void* blocks[3];
		for (int k = 0; k < 3; ++k)
		{
			snugModelDef def = FieldsDef(&mesh, &set, (snugTreeDef){ 0 });
			// The C library's allocator on one side, ours, which fills, on the other.
			def.allocator = k == 0 ? (snugAllocator){ 0 } : TestAllocator_Get(&allocator);
			snugStatus status = k < 2 ? snugModel_Create(&def, &models[k])
			                          : snugModel_LoadMemory(blocks[1], bytes[1], NULL, &models[k]);
			assert_int_equal(status, snug_success);
			blocks[k] = snugModel_GetBlock(models[k], &bytes[k]);
			assert_int_equal(bytes[0], bytes[k]);
			assert_memory_equal(blocks[0], blocks[k], bytes[0]);
		}
		for (int k = 0; k < 3; ++k)
		{
			snugModel_Destroy(models[k]);
		}
		assert_int_equal(allocator.live, 0);
		sceneMesh_Free(&mesh);
		FieldSet_Free(&set);
	}
}

// --- Threads --------------------------------------------------------------------------------------------------------

// One query on several threads finds what one thread finds, with every bound and strategy.
static void threads_find_the_same(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), total = 0;
	const uint64_t capacity = 1 << 16;
	snugPair* pairs[2];
	for (int k = 0; k < 2; ++k)
	{
		pairs[k] = malloc((size_t)capacity * sizeof(snugPair));
		assert_non_null(pairs[k]);
	}
	for (int i = 0; i < TestCount(28); ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		snugStrategy strategy = (snugStrategy)(number % 4);
		FieldSet sets[2];
		Thing things[2];
		for (uint32_t k = 0; k < 2; ++k)
		{
			sceneMesh mesh = sceneMakeBlob(14 + k, number + k);
			sets[k] = RandomFields(&random, &mesh, 1.0);
			things[k] = MakeFields(mesh, &sets[k], (snugTreeDef){ 0 }, strategy);
		}
		Place(things[1].body, 1.4, 0.2, 0.1);
		for (int pose = 0; pose < 3; ++pose)
		{
			for (int k = 0; k < 2; ++k)
			{
				for (uint32_t f = 0; f < sets[k].fieldCount; ++f)
				{
					sets[k].amplitudes[f] = (float)sceneRandom_Range(&random, -0.02, 0.02);
				}
				PoseFields(&things[k], &sets[k]);
			}
			snugQuery query = { .pairs = pairs[0], .capacity = capacity, .workers.run = RunOnThreads };
			snugResult together = snugCollide(things[0].body, things[1].body, &query);
			query = (snugQuery){ .pairs = pairs[1], .capacity = capacity };
			snugResult alone = snugCollide(things[0].body, things[1].body, &query);
			assert_int_equal(together.status, snug_success);
			assert_int_equal(together.count, alone.count);
			uint64_t kept = alone.count < capacity ? alone.count : capacity;
			assert_memory_equal(pairs[0], pairs[1], (size_t)kept * sizeof(snugPair));
			total += alone.count;
		}
		for (int k = 0; k < 2; ++k)
		{
			Thing_Free(&things[k]);
			FieldSet_Free(&sets[k]);
		}
	}
	free(pairs[0]);
	free(pairs[1]);
	assert_true(total > 0);
}

// --- Walks ----------------------------------------------------------------------------------------------------------

// Long random walks of the amplitudes with a front, so that bounds grow by the way since they were last computed. Would
// catch a growth that counts from the last step only, the mistake of the paper: boxes stay the same for many steps.
static void bounds_hold_on_long_walks(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), refitted[2] = { 0, 0 };
	for (int i = 0; i < TestCount(21); ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		snugStrategy strategy = i % 2 == 0 ? snug_strategyFront : snug_strategyOnDemand;
		sceneMesh mesh = sceneMakeBlob(8, number);
		FieldSet set = RandomFields(&random, &mesh, 0.3);
		Thing a = MakeFields(mesh, &set, (snugTreeDef){ 0 }, strategy);
		Thing b = Thing_Make(sceneMakeBlob(6, number + 1), snug_rigid, (snugTreeDef){ 0 }, NULL);
		double step = ldexp(1.0, -(int)sceneRandom_Index(&random, 12));
		for (int k = 0; k < 200; ++k)
		{
			for (uint32_t f = 0; f < set.fieldCount; ++f)
			{
				double moved = (double)set.amplitudes[f] + step * sceneRandom_Range(&random, -1.0, 1.0);
				set.amplitudes[f] = (float)fmax(fmin(moved, 2.0), -2.0);
			}
			PoseFields(&a, &set);
			Place(b.body, 1.5, 0.0, 0.0);
			snugResult result = snugCollide(a.body, b.body, NULL);
			refitted[strategy == snug_strategyFront ? 0 : 1] += result.counters.nodesRefitted;
			uint64_t checks = 0;
			checks += Thing_Validate("walk", number, &a);
			if (k % 50 == 0)
			{
				CheckPairs("walk", number, &a, &b, NULL);
			}
		}
		Thing_Free(&a);
		Thing_Free(&b);
		FieldSet_Free(&set);
	}
	print_message("%llu nodes refitted with a front, %llu on demand\n", (unsigned long long)refitted[0],
	    (unsigned long long)refitted[1]);
	assert_true(refitted[0] > 0 && (refitted[1] > 0 || TestCount(21) == 1));
}

// The same step again and again: growth is used at all. Would catch a front that refits all.
static void small_steps_grow_bounds(void** state)
{
	(void)state;
	{
		sceneMesh mesh = sceneMakeBlob(20, 1);
		FieldSet set = { .fieldCount = 1 };
		set.displacements = malloc(12 * (size_t)mesh.vertexCount);
		set.amplitudes = calloc(1, sizeof(float));
		assert_true(set.displacements != NULL && set.amplitudes != NULL);
		memcpy(set.displacements, mesh.positions, 12 * (size_t)mesh.vertexCount);
		uint64_t refitted[2] = { 0, 0 };
		for (int k = 0; k < 2; ++k)
		{
			snugStrategy strategy = k == 0 ? snug_strategyFront : snug_strategyOnDemand;
			Thing a = MakeFields(sceneMesh_Copy(&mesh), &set, (snugTreeDef){ 0 }, strategy);
			Thing b = Thing_Make(sceneMakeBlob(10, 2), snug_rigid, (snugTreeDef){ 0 }, NULL);
			Place(b.body, 1.6, 0.3, 0.2);
			for (int step = 1; step < 40; ++step)
			{
				set.amplitudes[0] = 1e-5f * (float)step;
				PoseFields(&a, &set);
				refitted[k] += snugCollide(a.body, b.body, NULL).counters.nodesRefitted;
			}
			Thing_Free(&a);
			Thing_Free(&b);
		}
		assert_true(refitted[0] < refitted[1] / 2);
		sceneMesh_Free(&mesh);
		FieldSet_Free(&set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_match_brute_force),
		cmocka_unit_test(vertices_follow_the_definition),
		cmocka_unit_test(small_pools_cost_only_time),
		cmocka_unit_test(bad_amplitudes_change_nothing),
		cmocka_unit_test(bad_fields_are_refused),
		cmocka_unit_test(building_is_deterministic),
		cmocka_unit_test(threads_find_the_same),
		cmocka_unit_test(bounds_hold_on_long_walks),
		cmocka_unit_test(small_steps_grow_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
