// test/test_contents.c: what a model says that it holds, against what went into its definition.
#include "blend_support.h"
#include "linear_support.h"
#include "support.h"

// --- Bounds ---------------------------------------------------------------------------------------------------------

// What a definition asks for and what it implies: balls where the bound has them, leaves below contact spheres.
static snugBoundsDef Implied(snugDeformer deformer, snugBoundsDef def)
{
	bool isTurning = deformer == snug_sphericalSkin || deformer == snug_dualQuaternionSkin;
	bool isBall = def.bound == snug_boundBall || def.bound == snug_boundMeanBall || def.bound == snug_boundCorners ||
	              (isTurning && def.bound == snug_boundProgram);
	def.volume = isBall ? snug_volumeBall : def.volume;
	def.boundLeaves = def.boundLeaves || def.contactLevel > 0;
	return deformer == snug_rigid || deformer == snug_free ? (snugBoundsDef){ .bound = snug_boundDefault } : def;
}

static void AssertBounds(const snugModel* model, snugBoundsDef expected)
{
	snugBoundsDef found = snugModel_GetBoundsDef(model);
	assert_int_equal(found.bound, expected.bound);
	assert_int_equal(found.fieldsBound, expected.fieldsBound);
	assert_int_equal(found.volume, expected.volume);
	assert_int_equal(found.restVolume, expected.restVolume);
	assert_int_equal(found.boundLeaves, expected.boundLeaves);
	assert_int_equal(found.contactLevel, expected.contactLevel);
}

// Every member of every deformer, before and after saving.
static void models_know_their_bounds(void** state)
{
	(void)state;
	static const struct
	{
		snugDeformer deformer;
		snugBoundsDef bounds;
	} cases[] = {
		{ snug_rigid, { .bound = snug_boundLocal } },
		{ snug_free, { .volume = snug_volumeBall } },
		{ snug_skin, { .bound = snug_boundDefault } },
		{ snug_skin, { .bound = snug_boundLimited, .volume = snug_volumeDop14, .restVolume = snug_restDop14 } },
		{ snug_skin, { .bound = snug_boundProgram, .restVolume = snug_restOrientedBox, .boundLeaves = true } },
		{ snug_skin, { .bound = snug_boundCorners, .fieldsBound = snug_boundInterval } },
		{ snug_skin, { .bound = snug_boundFirstOrder, .fieldsBound = snug_boundFirstOrder } },
		{ snug_sphericalSkin, { .bound = snug_boundProgram } },
		{ snug_sphericalSkin, { .bound = snug_boundCorners, .volume = snug_volumeBall, .boundLeaves = true } },
		{ snug_sphericalSkin, { .bound = snug_boundLocal, .volume = snug_volumeDop26 } },
		{ snug_dualQuaternionSkin, { .bound = snug_boundProgram, .fieldsBound = snug_boundInterval } },
		{ snug_dualQuaternionSkin, { .bound = snug_boundZeroOrder, .volume = snug_volumeDop18 } },
		{ snug_fields, { .bound = snug_boundDefault, .volume = snug_volumeDop14 } },
		{ snug_fields, { .bound = snug_boundOriented, .boundLeaves = true } },
		{ snug_fields, { .bound = snug_boundBall, .contactLevel = 2 } },
		{ snug_fields, { .bound = snug_boundMeanBall, .volume = snug_volumeBall } },
	};
	sceneRandom random = { TestSeed() };
	sceneMesh mesh = sceneMakeBlob(4, 3);
	Skin skin = RandomSkin(&random, &mesh);
	FieldSet set = RandomFields(&random, &mesh, 1.0);
	for (size_t i = 0; i < LENGTH_OF(cases); ++i)
	{
		snugModelDef def = LinearDef(&mesh, &set, (snugTreeDef){ 0 });
		def.deformer = cases[i].deformer;
		def.skin = (snugSkinDef){
			.jointCount = skin.transformCount, .starts = skin.starts, .joints = skin.transforms, .weights = skin.weights
		};
		def.bounds = &cases[i].bounds;
		snugModel *model, *loaded;
		assert_int_equal(snugModel_Create(&def, &model), snug_success);
		AssertBounds(model, Implied(cases[i].deformer, cases[i].bounds));
		size_t bytes;
		const void* block = snugModel_GetBlock(model, &bytes);
		assert_int_equal(snugModel_Load(block, bytes, NULL, &loaded), snug_success);
		AssertBounds(loaded, Implied(cases[i].deformer, cases[i].bounds));
		snugModel_Destroy(model);
		snugModel_Destroy(loaded);
	}
	Skin_Free(&skin);
	FieldSet_Free(&set);
	sceneMesh_Free(&mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(models_know_their_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
