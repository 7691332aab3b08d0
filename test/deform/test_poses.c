// test/deform/test_poses.c: a body is in the pose that it was told last, whatever it was told and asked before.
//
// Poses are set in pieces: joints, amplitudes, frame. Bodies keep more than one copy of a pose, so that a bad one
// leaves them as they were, and remember bounds and vertices. So one body is told and asked this and that in any order,
// and after every step compared with two new bodies, one of which is told joints then amplitudes, the other the
// reverse. Would catch amplitudes that reach one of two copies, a frame that is lost, whatever is remembered too long.
#include "support.h"

#include "lab/scenes/character.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TARGETS 16

static const struct Kind
{
	const char* name;
	Mover deformer;
	bool hasJoints;
} kinds[] = {
	{ "skin", snug_skin, true },
	{ "spherical skin", mover_spherical, true },
	{ "dual quaternion skin", mover_dualQuaternion, true },
	{ "fields", snug_fields, false },
};

// All that a body has been told.
typedef struct Told
{
	float matrices[12 * SCENE_MAX_JOINTS];
	float amplitudes[MAX_TARGETS];
	snugFrame frame;
} Told;

typedef struct Actor
{
	const struct Kind* kind;
	sceneCharacter character;
	uint32_t jointCount, targetCount;
	snugModel* model;
} Actor;

static Actor Actor_Make(const struct Kind* kind)
{
	Actor actor = { .kind = kind };
	assert_true(sceneCharacter_Create(&actor.character, scene_man));
	snugModelDef def = sceneCharacter_MakeDef(&actor.character, Mover_Blending(kind->deformer));
	def.deformer = Mover_Deformer(kind->deformer);
	def.fields = sceneTargets_Get(&actor.character.targets);
	actor.jointCount = actor.character.weights.transformCount;
	actor.targetCount = actor.character.targets.count;
	assert_true(actor.targetCount > 0 && actor.targetCount <= MAX_TARGETS);
	assert_int_equal(snugModel_Create(&def, &actor.model), snug_success);
	return actor;
}

static void Actor_Free(Actor* actor)
{
	snugModel_Destroy(actor->model);
	sceneCharacter_Free(&actor->character);
}

static void TellJoints(const Actor* actor, snugBody* body, const Told* told)
{
	if (actor->kind->hasJoints)
	{
		assert_int_equal(snugBody_SetJoints(body, told->matrices, 0, actor->jointCount), snug_success);
	}
}

static void TellAmplitudes(const Actor* actor, snugBody* body, const Told* told)
{
	assert_int_equal(snugBody_SetAmplitudes(body, told->amplitudes, actor->targetCount), snug_success);
}

// What a body must refuse, and be as it was.
static void TellNonsense(const Actor* actor, sceneRandom* random, snugBody* body, const Told* told)
{
	static const float none[] = { NAN, INFINITY, -INFINITY };
	Told bad = *told;
	bool isTurning = actor->kind->deformer == mover_spherical || actor->kind->deformer == mover_dualQuaternion;
	switch (sceneRandom_Index(random, 6))
	{
		case 0:
			bad.amplitudes[actor->targetCount - 1] = none[sceneRandom_Index(random, 3)];
			assert_int_equal(snugBody_SetAmplitudes(body, bad.amplitudes, actor->targetCount), snug_badInput);
			break;
		case 1:
			bad.amplitudes[0] = 3e38f;
			assert_int_equal(snugBody_SetAmplitudes(body, bad.amplitudes, actor->targetCount), snug_outOfRange);
			break;
		case 2:
			assert_int_equal(snugBody_SetAmplitudes(body, bad.amplitudes, actor->targetCount - 1), snug_badInput);
			assert_int_equal(snugBody_SetAmplitudes(body, bad.amplitudes, actor->targetCount + 1), snug_badInput);
			assert_int_equal(snugBody_SetAmplitudes(body, NULL, actor->targetCount), snug_badArgument);
			assert_int_equal(snugBody_SetJoints(body, bad.matrices, 0, actor->jointCount + 1),
			    actor->kind->hasJoints ? snug_badInput : snug_badArgument);
			assert_int_equal(snugBody_SetVertices(body, bad.matrices, 0, 0, 1), snug_badArgument);
			break;
		case 3:
			bad.matrices[12 * (actor->jointCount - 1) + 7] = none[sceneRandom_Index(random, 3)];
			assert_int_equal(snugBody_SetJoints(body, bad.matrices, 0, actor->jointCount),
			    actor->kind->hasJoints ? snug_badInput : snug_badArgument);
			break;
		case 4:
			bad.matrices[12 * 3 + 3] = 3e38f;
			assert_int_equal(snugBody_SetJoints(body, bad.matrices, 0, actor->jointCount),
			    actor->kind->hasJoints ? snug_outOfRange : snug_badArgument);
			break;
		default:
			for (int k = 0; isTurning && k < 12; ++k)
			{
				bad.matrices[12 * 5 + k] = 0.0f;
			}
			assert_int_equal(snugBody_SetJoints(body, bad.matrices, 0, actor->jointCount), isTurning ? snug_badInput
			                                                                               : actor->kind->hasJoints
			                                                                                   ? snug_success
			                                                                                   : snug_badArgument);
			break;
	}
}

// One step of a body's life: told something new, or nothing, or nonsense; `told` follows.
static void TellSomething(const Actor* actor, sceneRandom* random, snugBody* body, Told* told)
{
	const sceneCharacter* character = &actor->character;
	const double place[3] = { sceneRandom_Range(random, -0.3, 0.3), 0.1, sceneRandom_Range(random, -0.3, 0.3) };
	const double axis[3] = { 0.1, 1.0, -0.2 };
	switch (sceneRandom_Index(random, 8))
	{
		case 0:
		case 1:
			sceneCharacter_Walk(character, sceneRandom_Unit(random), told->matrices);
			TellJoints(actor, body, told);
			break;
		case 2:
			sceneCharacter_Contort(character, sceneRandom_Unit(random), told->matrices);
			TellJoints(actor, body, told);
			break;
		case 3:
		case 4:
			sceneCharacter_Breathe(character, sceneRandom_Unit(random), told->amplitudes);
			TellAmplitudes(actor, body, told);
			break;
		case 5:
			memset(told->amplitudes, 0, sizeof(told->amplitudes));
			TellAmplitudes(actor, body, told);
			break;
		case 6:
			told->frame = sceneMakeFrame(place, axis, sceneRandom_Range(random, -3.0, 3.0));
			assert_int_equal(snugBody_SetFrame(body, &told->frame), snug_success);
			break;
		default:
			TellNonsense(actor, random, body, told);
			TellJoints(actor, body, told); // a matrix of zeros is no nonsense to every skin
			break;
	}
}

static void AskSomething(snugBody* body, snugBody* probe, float* positions, sceneRandom* random)
{
	snugBounds bounds;
	switch (sceneRandom_Index(random, 5))
	{
		case 0:
			assert_int_equal(snugBody_GetVertices(body, NULL, positions, 0), snug_success);
			break;
		case 1:
			assert_int_equal(snugBody_GetBounds(body, NULL, &bounds), snug_success);
			break;
		case 2:
			assert_int_equal(snugBody_Refit(body), snug_success);
			break;
		case 3:
			assert_int_equal(snugTouches(body, probe, NULL).status, snug_success);
			break;
		default:
			break;
	}
}

// Vertices and pairs of a body that has lived, and of a new one that is told the same at once.
static uint64_t Compare(const Actor* actor, uint64_t seed, int step, snugBody* body, snugBody* probe, const Told* told,
    bool amplitudesFirst, float* positions[2])
{
	snugBody* fresh = MakeBody(actor->model, NULL);
	size_t floats = 3 * (size_t)actor->character.mesh.vertexCount, wrong = 0;
	amplitudesFirst ? TellAmplitudes(actor, fresh, told) : TellJoints(actor, fresh, told);
	assert_int_equal(snugBody_SetFrame(fresh, &told->frame), snug_success);
	amplitudesFirst ? TellJoints(actor, fresh, told) : TellAmplitudes(actor, fresh, told);
	PairList expected = CollideAll(fresh, probe, NULL), found = CollideAll(body, probe, NULL);
	AssertSamePairs(actor->kind->name, seed, &expected, &found);
	uint64_t pairs = expected.count;
	PairList_Free(&expected);
	PairList_Free(&found);
	assert_int_equal(snugBody_GetVertices(fresh, NULL, positions[0], 0), snug_success);
	assert_int_equal(snugBody_GetVertices(body, NULL, positions[1], 0), snug_success);
	for (size_t i = 0; i < floats; ++i)
	{
		wrong += memcmp(positions[0] + i, positions[1] + i, sizeof(float)) != 0;
	}
	if (wrong > 0)
	{
		fail_msg(
		    "%s, SNUG_SEED=%llu, step %d: %zu of %zu coordinates differ from those of a body that is told %s first",
		    actor->kind->name, (unsigned long long)seed, step, wrong, floats,
		    amplitudesFirst ? "amplitudes" : "joints");
	}
	snugBody_Destroy(fresh);
	return pairs;
}

static void Live(const Actor* actor, uint64_t seed, int steps, snugStrategy strategy, snugPool* pool)
{
	sceneRandom random = { seed };
	Told told = { .matrices = { 0.0f } };
	for (uint32_t j = 0; j < actor->jointCount; ++j)
	{
		told.matrices[12 * j] = told.matrices[12 * j + 5] = told.matrices[12 * j + 10] = 1.0f;
	}
	snugBodyDef def = { .model = actor->model, .strategy = strategy, .pool = pool };
	snugBody* body;
	assert_int_equal(snugBody_Create(&def, &body), snug_success);
	Thing probe = Thing_Make(sceneMakeBlob(5, 3), snug_rigid, (snugTreeDef){ 0 }, NULL);
	Place(probe.body, 0.2, 1.0, 0.3);
	float* positions[2];
	for (int k = 0; k < 2; ++k)
	{
		positions[k] = malloc(12 * (size_t)actor->character.mesh.vertexCount);
		assert_non_null(positions[k]);
	}
	uint64_t pairs = 0;
	for (int step = 0; step < steps; ++step)
	{
		// Now and then several times before anybody looks. Would catch bounds that follow a pose which has been
		// overwritten.
		for (uint32_t times = 1 + sceneRandom_Index(&random, 3); times > 0; --times)
		{
			TellSomething(actor, &random, body, &told);
		}
		AskSomething(body, probe.body, positions[0], &random);
		pairs += Compare(actor, seed, step, body, probe.body, &told, step % 2 == 0, positions);
	}
	assert_true(pairs > 0 || steps < 20);
	assert_int_equal(snugBody_Validate(body, NULL), snug_success);
	free(positions[0]);
	free(positions[1]);
	Thing_Free(&probe);
	snugBody_Destroy(body);
}

static void poses_do_not_depend_on_what_was_before(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	snugPool* pool = MakePool(3 * 4096); // too small for everything
	for (size_t k = 0; k < LENGTH_OF(kinds); ++k)
	{
		Actor actor = Actor_Make(kinds + k);
		for (int life = 0; life < 4; ++life)
		{
			Live(&actor, seed + (uint64_t)life, TestCount(40), (snugStrategy)life, life == 1 ? pool : NULL);
		}
		Actor_Free(&actor);
	}
	snugPool_Destroy(pool);
}

// The case that once went unseen, by itself: a turning skin is told amplitudes, then joints.
static void amplitudes_outlive_new_joints(void** state)
{
	(void)state;
	for (size_t k = 0; kinds[k].hasJoints; ++k)
	{
		Actor actor = Actor_Make(kinds + k);
		size_t bytes = 12 * (size_t)actor.character.mesh.vertexCount;
		float *plain = malloc(bytes), *before = malloc(bytes), *after = malloc(bytes);
		assert_true(plain != NULL && before != NULL && after != NULL);
		Told told;
		sceneCharacter_Walk(&actor.character, 0.3, told.matrices);
		sceneCharacter_Breathe(&actor.character, 0.2, told.amplitudes);
		snugBody* body = MakeBody(actor.model, NULL);
		TellJoints(&actor, body, &told);
		assert_int_equal(snugBody_GetVertices(body, NULL, plain, 0), snug_success);
		TellAmplitudes(&actor, body, &told);
		assert_int_equal(snugBody_GetVertices(body, NULL, before, 0), snug_success);
		assert_memory_not_equal(plain, before, bytes);
		for (int times = 0; times < 3; ++times)
		{
			TellJoints(&actor, body, &told);
			assert_int_equal(snugBody_GetVertices(body, NULL, after, 0), snug_success);
			assert_memory_equal(before, after, bytes);
		}
		snugBody_Destroy(body);
		free(plain);
		free(before);
		free(after);
		Actor_Free(&actor);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(poses_do_not_depend_on_what_was_before),
		cmocka_unit_test(amplitudes_outlive_new_joints),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
