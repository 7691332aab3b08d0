// test/deform/test_fields.c: surfaces moved by displacement fields, against brute force and against plain arithmetic.
#include "fields_support.h"
#include "linear_support.h"

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
			Thing_Validate("walk", number, &a);
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
		cmocka_unit_test(bad_fields_are_refused),
		cmocka_unit_test(bounds_hold_on_long_walks),
		cmocka_unit_test(small_steps_grow_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
