// test/deform/test_poses.c: poses that a body must refuse, and amplitudes that must outlive new joints, of a character
// by every deformer. That a body is in the pose which it was told last, whatever it was told and asked before, is the
// driver's question (test/driver/changes.c).
#include "support.h"

#include "lab/scenes/character.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TARGETS 16

static const struct Kind
{
	Mover deformer;
	bool hasJoints;
} kinds[] = {
	{ snug_skin, true },
	{ mover_spherical, true },
	{ mover_dualQuaternion, true },
	{ snug_fields, false },
};

// What a body is told.
typedef struct Told
{
	float matrices[12 * SCENE_MAX_JOINTS];
	float amplitudes[MAX_TARGETS];
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
static void nonsense_changes_nothing(void** state)
{
	(void)state;
	static const float none[] = { NAN, INFINITY, -INFINITY, 3e38f };
	for (size_t k = 0; k < LENGTH_OF(kinds); ++k)
	{
		Actor actor = Actor_Make(kinds + k);
		const bool hasJoints = actor.kind->hasJoints, isTurning = hasJoints && actor.kind->deformer != snug_skin;
		const uint32_t joints = actor.jointCount, targets = actor.targetCount;
		const size_t bytes = 12 * (size_t)actor.character.mesh.vertexCount;
		float *before = malloc(bytes), *after = malloc(bytes);
		assert_true(before != NULL && after != NULL);
		Told told;
		sceneCharacter_Walk(&actor.character, 0.3, told.matrices);
		sceneCharacter_Breathe(&actor.character, 0.2, told.amplitudes);
		snugBody* body = MakeBody(actor.model, NULL);
		TellJoints(&actor, body, &told);
		TellAmplitudes(&actor, body, &told);
		assert_int_equal(snugBody_GetVertices(body, NULL, before, 0), snug_success);
		for (size_t i = 0; i <= LENGTH_OF(none); ++i)
		{
			const bool isNumber = i >= LENGTH_OF(none) - 1;
			const snugStatus status = isNumber ? snug_outOfRange : snug_badInput;
			Told bad = told;
			if (i < LENGTH_OF(none))
			{
				bad.amplitudes[i % targets] = none[i];
				bad.matrices[12 * (joints - 1 - i) + 2 * i + 1] = none[i];
				assert_int_equal(snugBody_SetAmplitudes(body, bad.amplitudes, targets), status);
				assert_int_equal(
				    snugBody_SetJoints(body, bad.matrices, 0, joints), hasJoints ? status : snug_badArgument);
			}
			else if (isTurning)
			{
				memset(bad.matrices + 12 * 5, 0, 12 * sizeof(float));
				assert_int_equal(snugBody_SetJoints(body, bad.matrices, 0, joints), snug_badInput);
			}
			assert_int_equal(snugBody_SetAmplitudes(body, told.amplitudes, targets - 1), snug_badInput);
			assert_int_equal(snugBody_SetAmplitudes(body, told.amplitudes, targets + 1), snug_badInput);
			assert_int_equal(snugBody_SetAmplitudes(body, NULL, targets), snug_badArgument);
			assert_int_equal(snugBody_SetVertices(body, told.matrices, 0, 0, 1), snug_badArgument);
			assert_int_equal(
			    snugBody_SetJoints(body, told.matrices, 0, joints + 1), hasJoints ? snug_badInput : snug_badArgument);
			assert_int_equal(snugBody_GetVertices(body, NULL, after, 0), snug_success);
			assert_memory_equal(before, after, bytes);
		}
		snugBody_Destroy(body);
		free(before);
		free(after);
		Actor_Free(&actor);
	}
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
		cmocka_unit_test(nonsense_changes_nothing),
		cmocka_unit_test(amplitudes_outlive_new_joints),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
