// test/deform/test_skin.c: spherical and dual quaternion skins: positions that are the same bits everywhere, and bounds
// that contain them. Whether they are the right positions is test_skin_oracle.c's question.
#include "skin_support.h"

#include "body/body.h"
#include "deform/skin/turning_kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Mover deformers[] = { mover_spherical, mover_dualQuaternion };

// --- Bounds ---------------------------------------------------------------------------------------------------------

static uint64_t checkCount;

static void Check(const char* what, uint64_t seed, const Thing* thing)
{
	checkCount += Thing_Validate(what, seed, thing);
}

static bool IsSlow(void)
{
	return strcmp(snugGetInstructionSet(), "scalar") == 0 || TestScale() < 1.0;
}

static void bounds_contain_their_vertices(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	int count = TestCount(IsSlow() ? 300 : 1200), pairless = 0, i = 0;
	// One skin in eight has too many pairs of joints: few cases go on until there is one.
	for (; i < count || (pairless == 0 && i < 200); ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		SkinnedMesh skinned = HardSkin(&random);
		Thing thing = MakeSkinThing(&skinned, deformers[number / 3 % 2], RandomTreeDef(&random), StrategyOf(number));
		pairless += sgTurning_Get(thing.model).header->pairCount == 0;
		for (int pose = 0; pose < 4; ++pose)
		{
			TurnJoints(&random, &skinned);
			if (snugBody_SetJoints(thing.body, skinned.skin.matrices, 0, skinned.skin.transformCount) != snug_success)
			{
				continue; // beyond float32, or scaled until flat
			}
			Check("turned", number, &thing);
			NudgeJoints(&random, &skinned);
			if (snugBody_SetJoints(thing.body, skinned.skin.matrices, 0, skinned.skin.transformCount) == snug_success)
			{
				Check("nudged", number, &thing);
			}
		}
		Thing_Free(&thing);
		SkinnedMesh_Free(&skinned);
	}
	printf("%llu checks, %d skins with too many pairs of joints\n", (unsigned long long)checkCount, pairless);
	assert_true(pairless > 0 && pairless < i);
}

// Every skin with fields before it, poses and amplitudes in any order.
static void bounds_contain_morphed_vertices(void** state)
{
	(void)state;
	static const Mover skins[] = { snug_skin, mover_spherical, mover_dualQuaternion };
	uint64_t seed = TestSeed();
	int count = TestCount(IsSlow() ? 300 : 1200), posed = 0;
	for (int i = 0; i < count; ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		SkinnedMesh skinned = HardSkin(&random);
		double size = MeshSize(&skinned.mesh);
		FieldSet set = RandomFields(&random, &skinned.mesh, size);
		Mover deformer = skins[number % 3];
		Thing thing = MakeMorphThing(&skinned, &set, deformer, RandomTreeDef(&random), StrategyOf(number / 3));
		for (int pose = 0; pose < 6; ++pose)
		{
			bool isJoints = sceneRandom_Index(&random, 2) == 0;
			if (isJoints)
			{
				TurnJoints(&random, &skinned);
				snugBody_SetJoints(thing.body, skinned.skin.matrices, 0, skinned.skin.transformCount);
			}
			else
			{
				RandomAmplitudes(&random, &set);
				posed += snugBody_SetAmplitudes(thing.body, set.amplitudes, set.fieldCount) == snug_success;
			}
			Check("morphed", number, &thing);
		}
		Thing_Free(&thing);
		FieldSet_Free(&set);
		SkinnedMesh_Free(&skinned);
	}
	printf("%llu checks in all; %d sets of amplitudes taken\n", (unsigned long long)checkCount, posed);
	assert_true(posed > count);
}

// --- Positions ------------------------------------------------------------------------------------------------------

// Every kernel gives the same bits, and so do blocks and single vertices.
static void positions_are_the_same_bits_everywhere(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	int count = TestCount(200);
	for (int i = 0; i < count; ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		SkinnedMesh skinned = HardSkin(&random);
		FieldSet set = RandomFields(&random, &skinned.mesh, MeshSize(&skinned.mesh));
		Mover deformer = deformers[number % 2];
		Thing thing = MakeMorphThing(
		    &skinned, number % 3 == 0 ? &set : NULL, deformer, RandomTreeDef(&random), snug_strategyAuto);
		TurnJoints(&random, &skinned);
		bool isPosed =
		    snugBody_SetJoints(thing.body, skinned.skin.matrices, 0, skinned.skin.transformCount) == snug_success;
		RandomAmplitudes(&random, &set);
		if (number % 3 == 0)
		{
			snugBody_SetAmplitudes(thing.body, set.amplitudes, set.fieldCount);
		}
		const sgClusters* clusters = &thing.model->clusters;
		for (uint32_t c = 0; isPosed && c < clusters->header->count; ++c)
		{
			float expected[SG_CLUSTER_FLOATS(SG_MAX_CLUSTER_VERTICES)],
			    found[SG_CLUSTER_FLOATS(SG_MAX_CLUSTER_VERTICES)];
			const sgCluster* cluster = clusters->clusters + c;
			const uint32_t* vertices = clusters->vertices + cluster->firstVertex;
			sgSetKernels(sgFindKernels(0));
			thing.body->deform->evaluate(sgBody_Derive(thing.body), vertices, cluster->vertexCount, expected);
			for (int k = 0; sgFindKernels(k) != NULL; ++k)
			{
				sgSetKernels(sgFindKernels(k));
				thing.body->deform->evaluateCluster(sgBody_Derive(thing.body), c, found);
				if (memcmp(expected, found, 3 * cluster->vertexCount * sizeof(float)) != 0)
				{
					fail_msg("SNUG_SEED=%llu: blocks of kernel %d differ", (unsigned long long)number, k);
				}
				thing.body->deform->evaluate(sgBody_Derive(thing.body), vertices, cluster->vertexCount, found);
				if (memcmp(expected, found, 3 * cluster->vertexCount * sizeof(float)) != 0)
				{
					fail_msg("SNUG_SEED=%llu: vertices of kernel %d differ", (unsigned long long)number, k);
				}
			}
		}
		sgSetKernels(NULL);
		Thing_Free(&thing);
		FieldSet_Free(&set);
		SkinnedMesh_Free(&skinned);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(positions_are_the_same_bits_everywhere),
		cmocka_unit_test(bounds_contain_their_vertices),
		cmocka_unit_test(bounds_contain_morphed_vertices),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
