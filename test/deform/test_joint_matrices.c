// test/deform/test_joint_matrices.c: posing, whatever the deformer: matrices by rows and by columns, setters in any
// order, poses that are refused, poses that are moved in memory. Oracle: a body that was posed once, by rows.
#include "support.h"

#include "body/body.h"
#include "lab/scenes/character.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const Mover skins[] = { snug_skin, mover_spherical, mover_dualQuaternion };

// A man with morph targets, a model of him, and poses.
typedef struct Man
{
	sceneCharacter character;
	snugModel* model;
	uint32_t joints, targets;
	float matrices[12 * SCENE_MAX_JOINTS];
	float amplitudes[16];
} Man;

static Man* MakeMan(Mover deformer)
{
	Man* man = calloc(1, sizeof(Man));
	assert_non_null(man);
	assert_true(sceneCharacter_Create(&man->character, scene_man));
	snugModelDef def = sceneCharacter_MakeDef(&man->character, Mover_Blending(deformer));
	def.fields = sceneTargets_Get(&man->character.targets);
	assert_int_equal(snugModel_Create(&def, &man->model), snug_success);
	man->joints = man->character.weights.transformCount;
	man->targets = man->character.targets.count;
	assert_in_range(man->targets, 1, 16);
	return man;
}

static void FreeMan(Man* man)
{
	snugModel_Destroy(man->model);
	sceneCharacter_Free(&man->character);
	free(man);
}

static void NextPose(Man* man, int frame)
{
	snugFrame place;
	sceneCharacter_Meet(&man->character, 0, frame, 30, man->matrices, &place);
	sceneCharacter_Breathe(&man->character, 0.1 * frame, man->amplitudes);
}

// 3 x 4 rows to 4 x 4 columns, `floats` apart.
static void ToColumns(const Man* man, size_t floats, float* columns)
{
	for (uint32_t j = 0; j < man->joints; ++j)
	{
		float* m = columns + j * floats;
		for (int i = 0; i < 16; ++i)
		{
			m[i] = i % 4 < 3 ? man->matrices[12 * j + 4 * (uint32_t)(i % 4) + (uint32_t)(i / 4)] : (float)(i == 15);
		}
	}
}

static float* GetPositions(snugBody* body)
{
	float* positions = malloc(12 * (size_t)snugModel_GetInfo(snugBody_GetModel(body)).vertexCount);
	assert_non_null(positions);
	assert_int_equal(snugBody_GetVertices(body, NULL, positions, 0), snug_success);
	return positions;
}

// What a body that is posed once comes to.
static float* Expect(const Man* man)
{
	snugBody* body = MakeBody(man->model, NULL);
	assert_int_equal(snugBody_SetJoints(body, man->matrices, 0, man->joints), snug_success);
	float* positions = GetPositions(body);
	snugBody_Destroy(body);
	return positions;
}

static void AssertPositions(const Man* man, snugBody* body, float* expected)
{
	float* found = GetPositions(body);
	assert_memory_equal(found, expected, 12 * (size_t)man->character.mesh.vertexCount);
	free(found);
	free(expected);
}

static void columns_are_rows_transposed(void** state)
{
	(void)state;
	for (size_t k = 0; k < LENGTH_OF(skins); ++k)
	{
		Man* man = MakeMan(skins[k]);
		snugBody* body = MakeBody(man->model, NULL);
		float columns[20 * SCENE_MAX_JOINTS];
		for (int frame = 0; frame < 4; ++frame)
		{
			NextPose(man, 8 * frame);
			size_t floats = frame % 2 == 0 ? 16 : 20;
			ToColumns(man, floats, columns);
			size_t stride = floats == 16 ? 0 : floats * sizeof(float);
			assert_int_equal(snugBody_SetJoints4x4(body, columns, stride, man->joints), snug_success);
			AssertPositions(man, body, Expect(man));
		}
		snugBody_Destroy(body);
		FreeMan(man);
	}
}

// A matrix by rows taken for one by columns has its translation in the last row.
static void last_rows_are_checked(void** state)
{
	(void)state;
	Man* man = MakeMan(snug_skin);
	TestMessages messages = { 0 };
	snugBody* body = NULL;
	snugBodyDef def = { .model = man->model, .messenger = TestMessages_Get(&messages) };
	assert_int_equal(snugBody_Create(&def, &body), snug_success);
	float columns[16 * SCENE_MAX_JOINTS];
	NextPose(man, 10);
	ToColumns(man, 16, columns);
	assert_int_equal(snugBody_SetJoints4x4(body, columns, 0, man->joints), snug_success);
	static const float wrong[] = { 1e-20f, 1e-40f, -1.0f, NAN, INFINITY, 2.0f };
	for (size_t i = 0; i < 4 * LENGTH_OF(wrong); ++i)
	{
		float* entry = columns + 16 * 5 + 4 * (i % 4) + 3;
		float right = *entry;
		*entry = wrong[i / 4];
		assert_int_equal(snugBody_SetJoints4x4(body, columns, 0, man->joints), snug_badInput);
		assert_non_null(strstr(messages.last, "joint 5"));
		*entry = right;
	}
	AssertPositions(man, body, Expect(man));
	assert_int_equal(snugBody_SetJoints4x4(body, columns, 60, man->joints), snug_badArgument);
	assert_int_equal(snugBody_SetJoints4x4(body, columns, 0, man->joints - 1), snug_badInput);
	snugBody_Destroy(body);
	FreeMan(man);
}

// A pose has no pointers: a copy elsewhere, what it leads to derived anew, gives the same positions.
static void poses_can_be_moved(void** state)
{
	(void)state;
	for (size_t k = 0; k < LENGTH_OF(skins); ++k)
	{
		Man* man = MakeMan(skins[k]);
		snugBody* body = MakeBody(man->model, NULL);
		NextPose(man, 9);
		assert_int_equal(snugBody_SetJoints(body, man->matrices, 0, man->joints), snug_success);
		assert_int_equal(snugBody_SetAmplitudes(body, man->amplitudes, man->targets), snug_success);
		const sgDeform* deform = body->deform;
		void* pose = aligned_alloc(SG_ALIGNMENT, sgAlignUp(body->poseBytes, SG_ALIGNMENT));
		void* derived = aligned_alloc(SG_ALIGNMENT, sgAlignUp(body->derivedBytes + 1, SG_ALIGNMENT));
		assert_true(pose != NULL && derived != NULL);
		memset(derived, 0, sgAlignUp(body->derivedBytes + 1, SG_ALIGNMENT));
		memcpy(pose, body->posed.pose, body->poseBytes);
		sgPosed moved = { .model = body->model, .pose = pose };
		if (deform->derive != NULL)
		{
			deform->derive(body->model, pose, NULL, derived);
			moved.derived = derived;
		}
		const sgPosed* posed = sgBody_Derive(body);
		for (uint32_t v = 0; v < man->character.mesh.vertexCount; ++v)
		{
			float expected[4], found[4];
			deform->evaluate(posed, &v, 1, expected);
			deform->evaluate(&moved, &v, 1, found);
			assert_memory_equal(found, expected, 3 * sizeof(float));
		}
		free(pose);
		free(derived);
		snugBody_Destroy(body);
		FreeMan(man);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_rows_transposed),
		cmocka_unit_test(last_rows_are_checked),
		cmocka_unit_test(poses_can_be_moved),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
