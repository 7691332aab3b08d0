// test/query/test_pairings.c: bodies of every two deformers in one query, by every strategy: the pairs of brute force.
#include "support.h"

#include "lab/scenes/character.h"

#include <stdio.h>
#include <stdlib.h>

/// A way for a character to move.
typedef struct Kind
{
	const char* name;
	Mover deformer;
	bool isMorphed;
} Kind;

static const Kind kinds[] = {
	{ "rigid", snug_rigid, false },
	{ "free", snug_free, false },
	{ "linear", snug_fields, true },
	{ "linear", snug_skin, false },
	{ "spherical", mover_spherical, false },
	{ "dual quaternion", mover_dualQuaternion, false },
	{ "linear, morphed", snug_skin, true },
	{ "spherical, morphed", mover_spherical, true },
	{ "dual quaternion, morphed", mover_dualQuaternion, true },
};

static bool IsSkin(Mover deformer)
{
	return Mover_IsSkin(deformer);
}

static Thing MakeThing(const sceneCharacter* c, const Kind* kind, snugStrategy strategy, snugTreeDef tree)
{
	Thing thing = { .mesh = sceneMesh_Copy(&c->mesh) };
	snugModelDef def = sceneCharacter_MakeDef(c, Mover_Blending(kind->deformer));
	def.deformer = Mover_Deformer(kind->deformer);
	def.tree = tree;
	def.skin = IsSkin(kind->deformer) ? def.skin : (snugSkinDef){ 0 };
	def.fields = kind->isMorphed ? sceneTargets_Get(&c->targets) : (snugFieldsDef){ 0 };
	assert_int_equal(snugModel_Create(&def, &thing.model), snug_success);
	assert_int_equal(
	    snugBody_Create(&(snugBodyDef){ .model = thing.model, .strategy = strategy }, &thing.body), snug_success);
	return thing;
}

// Everything that the kind can do, at a time.
static void PoseThing(const Thing* thing, const sceneCharacter* c, const Kind* kind, double time)
{
	float matrices[12 * SCENE_MAX_JOINTS], amplitudes[16];
	sceneCharacter_Walk(c, time, matrices);
	sceneCharacter_Breathe(c, time, amplitudes);
	if (IsSkin(kind->deformer))
	{
		assert_int_equal(snugBody_SetJoints(thing->body, matrices, 0, c->weights.transformCount), snug_success);
	}
	if (kind->isMorphed)
	{
		assert_int_equal(snugBody_SetAmplitudes(thing->body, amplitudes, c->targets.count), snug_success);
	}
	if (kind->deformer == snug_free)
	{
		// Bent by a parabola, so that all vertices move.
		float* positions = malloc(3 * (size_t)c->mesh.vertexCount * sizeof(float));
		for (size_t v = 0; v < c->mesh.vertexCount; ++v)
		{
			const float* p = c->mesh.positions + 3 * v;
			positions[3 * v] = p[0] + 0.1f * (float)time * p[1] * p[1];
			positions[3 * v + 1] = p[1];
			positions[3 * v + 2] = p[2] + 0.05f * p[1] * p[1];
		}
		assert_int_equal(snugBody_SetVertices(thing->body, positions, 0, 0, c->mesh.vertexCount), snug_success);
		free(positions);
	}
}

static void every_pairing_finds_what_brute_force_finds(void** state)
{
	(void)state;
	sceneCharacter c;
	assert_true(sceneCharacter_Create(&c, scene_man));
	uint64_t number = TestSeed();
	for (size_t i = 0; i < LENGTH_OF(kinds) * LENGTH_OF(kinds); ++i, ++number)
	{
		const Kind *first = kinds + i / LENGTH_OF(kinds), *second = kinds + i % LENGTH_OF(kinds);
		sceneRandom random = { number };
		Thing a = MakeThing(&c, first, (snugStrategy)(number % 4), RandomTreeDef(&random));
		Thing b = MakeThing(&c, second, (snugStrategy)(number / 4 % 4), (snugTreeDef){ 0 });
		char what[64];
		snprintf(what, sizeof(what), "%s and %s", first->name, second->name);
		for (int step = 0; step < 2; ++step)
		{
			snugFrame place = { .position = { 0.3, 0.05 * step, 0.1 } };
			RandomRotation(&random, place.rotation);
			place = step == 0 ? (snugFrame){ .position = { 0.25, 0.02, 0.05 } } : place;
			PoseThing(&a, &c, first, 0.1 + 0.2 * step);
			PoseThing(&b, &c, second, 0.6 + 0.1 * step);
			assert_int_equal(snugBody_SetFrame(b.body, &place), snug_success);
			uint64_t count = CheckPairs(what, number, &a, &b, NULL);
			assert_true(step == 1 || count > 0);
			assert_int_equal(snugTouches(a.body, b.body, NULL).count, count > 0 ? 1 : 0);
		}
		Thing_Free(&a);
		Thing_Free(&b);
	}
	sceneCharacter_Free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pairing_finds_what_brute_force_finds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
