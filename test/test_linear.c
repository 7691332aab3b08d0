// test/test_linear.c: surfaces moved by displacement fields, against brute force and against plain arithmetic.
#include "blend_support.h"
#include "linear_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void Validate(const char* what, uint64_t seed, const Thing* thing, const LinearBounding* how, uint64_t* checks)
{
	snugValidation found;
	if (snugBody_Validate(thing->body, &found) != snug_success)
	{
		fail_msg("%s, SNUG_SEED=%llu: bound %d, volume %d, leaves %d, strategy %d: %llu of %llu checks failed, by %g",
		    what, (unsigned long long)seed, (int)how->bound, (int)how->volume, how->boundLeaves, (int)how->strategy,
		    (unsigned long long)found.violations, (unsigned long long)found.checks, found.worst);
	}
	*checks += found.checks;
}

// What a linear body meets: another one, or any other kind.
static Thing MakePartner(sceneRandom* random, double size, int kind, Skin* skin, FieldSet* set, LinearBounding* how)
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
			Bounding bounding = { .volume = how->volume, .strategy = how->strategy };
			Thing thing = MakeBounded(mesh, skin, RandomTreeDef(random), &bounding);
			RandomMatrices(random, skin, size, 0.0);
			Pose(&thing, skin);
			return thing;
		}
		default:
			*set = RandomFields(random, &mesh, size);
			return MakeLinear(mesh, set, RandomTreeDef(random), how);
	}
}

// Oracle: all pairs by brute force at the evaluated vertices. A bound may only skip work, so a difference means that
// one failed to contain its vertices; the validator says which.
static void every_bound_matches_brute_force(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), checks = 0, pairs = 0;
	for (int i = 0; i < TestCount(1000); ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		LinearBounding howA = LinearBoundingOf(number), howB = howA;
		howB.strategy = (snugStrategy)sceneRandom_Index(&random, 4);
		double size = sceneRandom_Index(&random, 4) == 0 ? ldexp(1.0, (int)sceneRandom_Index(&random, 120) - 60) : 1.0;
		sceneMesh mesh = RandomMesh(&random, (MeshKind)sceneRandom_Index(&random, MESH_KINDS));
		ScaleMesh(&mesh, (float)size);
		FieldSet setA = RandomFields(&random, &mesh, size), setB = { 0 };
		Skin skin = { 0 };
		Thing a = MakeLinear(mesh, &setA, RandomTreeDef(&random), &howA);
		Thing b = MakePartner(&random, size, i / LINEAR_BOUND_COUNT % 4, &skin, &setB, &howB);
		for (int pose = 0; pose < 4; ++pose)
		{
			if (pose > 0)
			{
				pose == 2 ? NudgeAmplitudes(&random, &setA) : RandomAmplitudes(&random, &setA);
				PoseLinear(&a, &setA);
			}
			if (pose > 0 && setB.fieldCount > 0)
			{
				pose == 2 ? NudgeAmplitudes(&random, &setB) : RandomAmplitudes(&random, &setB);
				PoseLinear(&b, &setB);
			}
			snugFrame frame = { 0 };
			if (pose > 1)
			{
				RandomRotation(&random, frame.rotation);
				frame.position[pose % 3] = size * sceneRandom_Range(&random, -0.5, 0.5);
			}
			assert_int_equal(snugBody_SetFrame(b.body, &frame), snug_success);
			Validate("linear", number, &a, &howA, &checks);
			pairs += CheckPairs("linear", number, &a, &b, NULL);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_bound_matches_brute_force),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
