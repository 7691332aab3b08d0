// test/body/test_together.c: bodies whose vertices are displaced together answer as those that are asked alone,
// whatever happens to them between. Oracle: a body of the same model in the same pose that nobody displaces ahead.
#include "posed.h"

#include "body/body.h"
#include "simd/kernels.h"

#include <stdio.h>
#include <string.h>

#define MOST_BODIES 9

// Models with fields of every sort, and bodies of each: the ones that are displaced, and others.
typedef struct Group
{
	Mover deformer;
	SkinnedMesh skinned;
	FieldSet fields;
	Thing thing; // its body is nobody's twin
	uint32_t count;
	snugBody *together[MOST_BODIES], *alone[MOST_BODIES];
} Group;

static Group Group_Make(sceneRandom* random, uint64_t seed)
{
	static const Mover movers[] = { snug_fields, snug_skin, mover_spherical, mover_dualQuaternion };
	Group group = { .deformer = movers[seed % LENGTH_OF(movers)], .skinned = HardSkin(random) };
	const sceneMesh* mesh = &group.skinned.mesh;
	group.fields = RandomFields(random, mesh, MeshSize(mesh));
	snugTreeDef tree = RandomTreeDef(random);
	snugStrategy strategy = (snugStrategy)sceneRandom_Index(random, 4);
	group.thing = group.deformer == snug_fields
	                  ? MakeFields(sceneMesh_Copy(mesh), &group.fields, tree, strategy)
	                  : MakeMorphThing(&group.skinned, &group.fields, group.deformer, tree, strategy);
	group.count = sceneRandom_Index(random, MOST_BODIES + 1);
	for (uint32_t i = 0; i < group.count; ++i)
	{
		const snugBodyDef def = { .model = group.thing.model, .strategy = strategy };
		assert_int_equal(snugBody_Create(&def, &group.together[i]), snug_success);
		assert_int_equal(snugBody_Create(&def, &group.alone[i]), snug_success);
	}
	return group;
}

static void Group_Free(Group* group)
{
	for (uint32_t i = 0; i < group->count; ++i)
	{
		snugBody_Destroy(group->together[i]);
		snugBody_Destroy(group->alone[i]);
	}
	Thing_Free(&group->thing);
	FieldSet_Free(&group->fields);
	SkinnedMesh_Free(&group->skinned);
}

// Joints or amplitudes, which a body may refuse: then its twin does too.
static void ChangeBoth(sceneRandom* random, Group* group, uint32_t i, bool isJoints)
{
	if (isJoints && group->deformer != snug_fields)
	{
		uint32_t joints = group->skinned.skin.transformCount;
		TurnJoints(random, &group->skinned);
		snugStatus status = snugBody_SetJoints(group->together[i], group->skinned.skin.matrices, 0, joints);
		assert_int_equal(snugBody_SetJoints(group->alone[i], group->skinned.skin.matrices, 0, joints), status);
		return;
	}
	RandomAmplitudes(random, &group->fields);
	const float* amplitudes = group->fields.amplitudes;
	snugStatus status = snugBody_SetAmplitudes(group->together[i], amplitudes, group->fields.fieldCount);
	assert_int_equal(snugBody_SetAmplitudes(group->alone[i], amplitudes, group->fields.fieldCount), status);
}

// Every cluster on every instruction set, against its vertices one by one: the sign of zero too.
static void CheckClusters(uint64_t seed, snugBody* together, snugBody* alone)
{
	const sgClusters* clusters = &together->model->clusters;
	const sgKernels* own = sgGetKernels();
	for (uint32_t c = 0; clusters->header != NULL && c < clusters->header->count; ++c)
	{
		float expected[SG_CLUSTER_FLOATS(SG_MAX_CLUSTER_VERTICES)], found[SG_CLUSTER_FLOATS(SG_MAX_CLUSTER_VERTICES)];
		const sgCluster* cluster = clusters->clusters + c;
		const uint32_t* vertices = clusters->vertices + cluster->firstVertex;
		alone->deform->evaluate(sgBody_Derive(alone), vertices, cluster->vertexCount, expected);
		for (int k = 0; sgFindKernels(k) != NULL; ++k)
		{
			sgSetKernels(sgFindKernels(k));
			together->deform->evaluateCluster(sgBody_Derive(together), c, found);
			if (memcmp(expected, found, 3 * cluster->vertexCount * sizeof(float)) != 0)
			{
				fail_msg("SNUG_SEED=%llu: cluster %u of kernel %d differs", (unsigned long long)seed, c, k);
			}
		}
		sgSetKernels(own);
	}
}

static uint64_t CheckPairsOfItself(uint64_t seed, snugBody* together, snugBody* alone)
{
	enum
	{
		CAPACITY = 1000
	};
	static snugPair pairs[2][CAPACITY];
	const snugQuery query = { .pairs = pairs[0], .capacity = CAPACITY, .keepRest = true };
	const snugQuery other = { .pairs = pairs[1], .capacity = CAPACITY, .keepRest = true };
	snugResult found = snugCollideSelf(together, &query), expected = snugCollideSelf(alone, &other);
	size_t kept = expected.count < CAPACITY ? (size_t)expected.count : CAPACITY;
	if (found.status != expected.status || found.count != expected.count ||
	    memcmp(pairs[0], pairs[1], kept * sizeof(snugPair)) != 0)
	{
		fail_msg("SNUG_SEED=%llu: %llu pairs instead of %llu", (unsigned long long)seed,
		    (unsigned long long)found.count, (unsigned long long)expected.count);
	}
	return found.count;
}

static uint64_t Check(uint64_t seed, const Group* group)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < group->count; ++i)
	{
		CheckClusters(seed, group->together[i], group->alone[i]);
		count += CheckPairsOfItself(seed, group->together[i], group->alone[i]);
	}
	return count;
}

// Displaced, then asked; joints moved, asked; some amplitudes changed, asked; displaced again.
static void answers_are_those_of_bodies_alone(void** state)
{
	(void)state;
	uint64_t pairs = 0;
	for (int n = 0; n < TestCount(100); ++n)
	{
		const uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		Group group = Group_Make(&random, seed);
		for (int round = 0; round < 3; ++round)
		{
			for (uint32_t i = 0; i < group.count; ++i)
			{
				ChangeBoth(&random, &group, i, true);
				ChangeBoth(&random, &group, i, false);
			}
			assert_int_equal(snugBody_DisplaceTogether(group.together, group.count), snug_success);
			pairs += Check(seed, &group);
			for (uint32_t i = 0; i < group.count; ++i)
			{
				ChangeBoth(&random, &group, i, sceneRandom_Index(&random, 2) == 0);
			}
			pairs += Check(seed, &group);
		}
		Group_Free(&group);
	}
	printf("%llu pairs\n", (unsigned long long)pairs);
	assert_true(pairs > 0);
}

// A model of two clusters at least, with vertices on their border, whose fields have any displacements.
static Thing MakeGrid(float displacements[], uint32_t fieldCount)
{
	sceneMesh mesh = sceneMakeCloth(1.0, 1.0, 20, 20);
	for (uint32_t i = 0; i < 3 * fieldCount * mesh.vertexCount; ++i)
	{
		displacements[i] = 0.001f * (float)(i % 97);
	}
	snugModelDef def = MeshDef(&mesh, snug_fields, (snugTreeDef){ 0 });
	def.fields = (snugFieldsDef){ .fieldCount = fieldCount, .displacements = displacements };
	return Thing_Build(mesh, &def, snug_strategyAuto, NULL);
}

// What is made ahead is taken, until amplitudes change.
static void what_is_made_holds_until_amplitudes_change(void** state)
{
	(void)state;
	static float displacements[3 * 2 * 441];
	Thing thing = MakeGrid(displacements, 2);
	snugBody* body = thing.body;
	const float some[2] = { 0.5f, -1.0f }, others[2] = { 0.5f, 2.0f }, bad[2] = { 0.0f / 0.0f, 0.0f };
	size_t memory = snugBody_GetMemory(body);
	assert_int_equal(snugBody_SetAmplitudes(body, some, 2), snug_success);
	assert_null(body->posed.displaced);
	assert_int_equal(snugBody_DisplaceTogether(&body, 1), snug_success);
	assert_non_null(body->posed.displaced);
	assert_true(snugBody_GetMemory(body) >= memory + 12 * (size_t)thing.mesh.vertexCount);
	// The first vertex of the first cluster, to see that what is there is what is used.
	float out[SG_CLUSTER_FLOATS(SG_MAX_CLUSTER_VERTICES)];
	body->displaced[0].lane[0] += 1.0f;
	body->deform->evaluateCluster(sgBody_Derive(body), 0, out);
	assert_true(out[0] == body->displaced[0].lane[0]);
	// The same amplitudes, and such as are refused, change nothing.
	assert_int_equal(snugBody_SetAmplitudes(body, some, 2), snug_success);
	assert_int_equal(snugBody_SetAmplitudes(body, bad, 2), snug_badInput);
	assert_non_null(body->posed.displaced);
	assert_int_equal(snugBody_SetAmplitudes(body, others, 2), snug_success);
	assert_null(body->posed.displaced);
	Thing_Free(&thing);
}

static void misuse_and_lack_of_memory_are_told(void** state)
{
	(void)state;
	static float displacements[3 * 2 * 441];
	Thing thing = MakeGrid(displacements, 2),
	      plain = Thing_Make(sceneMakeTetrahedron(), snug_free, (snugTreeDef){ 0 }, NULL);
	snugBody* mixed[2] = { thing.body, plain.body };
	snugBody* none[2] = { thing.body, NULL };
	assert_int_equal(snugBody_DisplaceTogether(NULL, 1), snug_badArgument);
	assert_int_equal(snugBody_DisplaceTogether(NULL, 0), snug_success);
	assert_int_equal(snugBody_DisplaceTogether(mixed, 2), snug_badArgument);
	assert_int_equal(snugBody_DisplaceTogether(none, 2), snug_badArgument);
	assert_int_equal(snugBody_DisplaceTogether(&plain.body, 1), snug_success);
	assert_null(plain.body->displaced);
	TestAllocator allocator = { 0 };
	TestMessages messages = { 0 };
	const snugBodyDef def = {
		.model = thing.model, .allocator = TestAllocator_Get(&allocator), .messenger = TestMessages_Get(&messages)
	};
	snugBody* body;
	assert_int_equal(snugBody_Create(&def, &body), snug_success);
	allocator.failAt = allocator.calls + 1;
	assert_int_equal(snugBody_DisplaceTogether(&body, 1), snug_outOfMemory);
	assert_int_equal(messages.count, 1);
	assert_null(body->posed.displaced);
	allocator.failAt = 0;
	assert_int_equal(snugBody_DisplaceTogether(&body, 1), snug_success);
	uint64_t calls = allocator.calls;
	const float amplitudes[2] = { 1.0f, 1.0f };
	assert_int_equal(snugBody_SetAmplitudes(body, amplitudes, 2), snug_success);
	assert_int_equal(snugBody_DisplaceTogether(&body, 1), snug_success);
	assert_int_equal(allocator.calls, calls);
	snugBody_Destroy(body);
	assert_int_equal(allocator.live, 0);
	assert_int_equal(allocator.faults, 0);
	Thing_Free(&thing);
	Thing_Free(&plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_those_of_bodies_alone),
		cmocka_unit_test(what_is_made_holds_until_amplitudes_change),
		cmocka_unit_test(misuse_and_lack_of_memory_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
