// test/query/test_pairings.c: bodies of every two deformers in one query, by every strategy, in pools of any size: the
// pairs of brute force.
#include "skin_support.h"

#include <stdio.h>

/// Ways for a body to move, all of which meet all others.
typedef struct Kind
{
	const char* name;
	Mover deformer;
	bool isMorphed;
} Kind;

static const Kind kinds[] = {
	{ "rigid", snug_rigid, false },
	{ "free", snug_free, false },
	{ "fields", snug_fields, true },
	{ "linear", snug_skin, false },
	{ "spherical", mover_spherical, false },
	{ "dual quaternion", mover_dualQuaternion, false },
	{ "linear, morphed", snug_skin, true },
	{ "spherical, morphed", mover_spherical, true },
	{ "dual quaternion, morphed", mover_dualQuaternion, true },
};

typedef struct Moving
{
	const Kind* kind;
	SkinnedMesh skinned;
	FieldSet fields;
	Thing thing;
} Moving;

static Moving Moving_Make(sceneRandom* random, const Kind* kind, snugPool* pool)
{
	Moving moving = { .kind = kind };
	sceneMesh mesh = RandomMesh(random, (MeshKind)sceneRandom_Index(random, MESH_KINDS));
	moving.skinned = ScatteredSkin(random, mesh, 1 + sceneRandom_Index(random, 12));
	moving.fields = RandomFields(random, &moving.skinned.mesh, 0.2);
	mesh = sceneMesh_Copy(&moving.skinned.mesh);
	snugModelDef def = MeshDef(&mesh, kind->deformer, RandomTreeDef(random));
	if (Mover_IsSkin(kind->deformer))
	{
		def.skin = Skin_Def(&moving.skinned.skin);
		def.skin.blending = Mover_Blending(kind->deformer);
	}
	def.fields = kind->isMorphed ? FieldSet_Def(&moving.fields) : (snugFieldsDef){ 0 };
	moving.thing = Thing_Build(mesh, &def, (snugStrategy)sceneRandom_Index(random, 4), pool);
	return moving;
}

static void Moving_Free(Moving* moving)
{
	Thing_Free(&moving->thing);
	FieldSet_Free(&moving->fields);
	SkinnedMesh_Free(&moving->skinned);
}

// A pose that leads too far is refused, and the one before stays.
static void Moving_Pose(sceneRandom* random, Moving* moving)
{
	snugBody* body = moving->thing.body;
	sceneMesh* mesh = &moving->skinned.mesh;
	if (Mover_IsSkin(moving->kind->deformer))
	{
		TurnJoints(random, &moving->skinned);
		snugBody_SetJoints(body, moving->skinned.skin.matrices, 0, moving->skinned.skin.transformCount);
	}
	if (moving->kind->isMorphed)
	{
		RandomAmplitudes(random, &moving->fields);
		snugBody_SetAmplitudes(body, moving->fields.amplitudes, moving->fields.fieldCount);
	}
	if (moving->kind->deformer == snug_free)
	{
		ScaleMesh(mesh, RandomFloat(random, 0.8f, 1.2f));
		assert_int_equal(snugBody_SetVertices(body, mesh->positions, 0, 0, mesh->vertexCount), snug_success);
	}
}

// Each is posed and asked several times, so that what was remembered must be forgotten: nothing stale, nothing lost.
static void every_pairing_finds_what_brute_force_finds(void** state)
{
	(void)state;
	const uint32_t pairings = LENGTH_OF(kinds) * LENGTH_OF(kinds);
	uint64_t total = 0;
	for (uint32_t i = 0; i < (uint32_t)TestCount(2 * (int)pairings); ++i)
	{
		const uint64_t number = TestSeed() + i;
		sceneRandom random = { number };
		const Kind *first = kinds + i % pairings / LENGTH_OF(kinds), *second = kinds + i % LENGTH_OF(kinds);
		snugPool* pool = i % 3 == 0 ? MakePool(1 + sceneRandom_Index(&random, 4) * 4000) : NULL;
		Moving a = Moving_Make(&random, first, pool), b = Moving_Make(&random, second, pool);
		char what[80];
		snprintf(what, sizeof(what), "%s and %s", first->name, second->name);
		for (int step = 0; step < 3; ++step)
		{
			snugFrame frame = { .position = { 0.3 * step, 0.05, 0.1 } };
			RandomRotation(&random, frame.rotation);
			assert_int_equal(snugBody_SetFrame(b.thing.body, &frame), snug_success);
			Moving_Pose(&random, step % 2 == 0 ? &a : &b);
			const uint64_t count = CheckPairs(what, number, &a.thing, &b.thing, NULL);
			assert_int_equal(snugTouches(a.thing.body, b.thing.body, NULL).count, count > 0);
			total += count;
		}
		Moving_Free(&a);
		Moving_Free(&b);
		snugPool_Destroy(pool);
	}
	print_message("%llu pairs\n", (unsigned long long)total);
	assert_true(total > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pairing_finds_what_brute_force_finds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
