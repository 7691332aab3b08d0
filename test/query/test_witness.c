// test/query/test_witness.c: yes/no with a memory. Oracle: the same question to other bodies without one, and the exact
// test of the pair that is named.
#include "support.h"

#include "body/body.h"
#include "geometry/triangle.h"
#include "lab/scenes/character.h"
#include "lab/scenes/random.h"

#include <stdlib.h>
#include <string.h>

typedef struct Meeting
{
	sceneCharacter man;
	snugModel* model;
	snugBody* bodies[2];
	snugBody* others[2]; // in the same poses
	float* positions[2];
} Meeting;

static void Make(Meeting* meeting, Mover deformer)
{
	assert_true(sceneCharacter_Create(&meeting->man, scene_man));
	snugModelDef def = sceneCharacter_MakeDef(&meeting->man, Mover_Blending(deformer));
	assert_int_equal(snugModel_Create(&def, &meeting->model), snug_success);
	for (int k = 0; k < 2; ++k)
	{
		meeting->bodies[k] = MakeBody(meeting->model, NULL);
		meeting->others[k] = MakeBody(meeting->model, NULL);
		meeting->positions[k] = malloc(12 * (size_t)meeting->man.mesh.vertexCount);
		assert_non_null(meeting->positions[k]);
	}
}

static void Free(Meeting* meeting)
{
	for (int k = 0; k < 2; ++k)
	{
		snugBody_Destroy(meeting->bodies[k]);
		snugBody_Destroy(meeting->others[k]);
		free(meeting->positions[k]);
	}
	snugModel_Destroy(meeting->model);
	sceneCharacter_Free(&meeting->man);
}

static void Pose(Meeting* meeting, int frame)
{
	for (int k = 0; k < 2; ++k)
	{
		float matrices[12 * SCENE_MAX_JOINTS];
		snugFrame place;
		sceneCharacter_Meet(&meeting->man, k, frame, 40, matrices, &place);
		snugBody* both[2] = { meeting->bodies[k], meeting->others[k] };
		for (int i = 0; i < 2; ++i)
		{
			assert_int_equal(
			    snugBody_SetJoints(both[i], matrices, 0, meeting->man.weights.transformCount), snug_success);
			assert_int_equal(snugBody_SetFrame(both[i], &place), snug_success);
		}
		assert_int_equal(snugBody_GetVertices(meeting->others[k], NULL, meeting->positions[k], 0), snug_success);
	}
}

static void GetTriangle(const Meeting* meeting, int k, uint32_t number, float out[3][3])
{
	for (size_t c = 0; c < 3; ++c)
	{
		uint32_t vertex = meeting->man.mesh.triangles[3 * (size_t)number + c];
		memcpy(out[c], meeting->positions[k] + 3 * (size_t)vertex, sizeof(out[c]));
	}
}

// Ask with a witness; returns how many vertices that took.
static uint64_t Ask(Meeting* meeting, snugWitness* witness)
{
	snugPair pair = { UINT32_MAX, UINT32_MAX };
	snugQuery query = { .pairs = &pair, .capacity = 1, .witness = witness };
	snugResult found = snugTouches(meeting->bodies[0], meeting->bodies[1], &query);
	snugResult expected = snugTouches(meeting->others[0], meeting->others[1], NULL);
	assert_int_equal(found.status, snug_success);
	assert_true(found.complete);
	assert_int_equal(found.count, expected.count);
	assert_true(found.counters.exactTests <= found.counters.triangleTests);
	assert_true(found.counters.triangleTests >= found.count);
	if (found.count > 0)
	{
		float a[3][3], b[3][3];
		GetTriangle(meeting, 0, pair.a, a);
		GetTriangle(meeting, 1, pair.b, b);
		assert_true(sgTriangles_Intersect((const float(*)[3])a, (const float(*)[3])b));
	}
	return found.counters.verticesEvaluated;
}

static const Mover skins[] = { snug_skin, mover_spherical, mover_dualQuaternion };

static void answers_are_right_and_cheap(void** state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(skins); ++i)
	{
		Meeting meeting;
		Make(&meeting, skins[i]);
		snugWitness witness = { { 0 } };
		uint64_t again = 0, asked = 0;
		for (int frame = 0; frame < 40; ++frame)
		{
			Pose(&meeting, frame);
			Ask(&meeting, &witness);
			// The same question: two clusters at most, which are there already.
			again += Ask(&meeting, &witness);
			asked += witness.memory[0] != 0;
		}
		assert_true(asked > 5);
		assert_int_equal(again, 0);
		Free(&meeting);
	}
}

// What a search around a witness takes for the extent of a body, in place of a bound of its root.
static void reaches_hold_all_vertices(void** state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(skins); ++i)
	{
		Meeting meeting;
		Make(&meeting, skins[i]);
		for (int frame = 0; frame < 40; ++frame)
		{
			Pose(&meeting, frame);
			snugBody* body = meeting.others[frame % 2];
			float reach[3], *positions = meeting.positions[0];
			body->deform->reach(&body->posed, reach);
			assert_int_equal(snugBody_SetFrame(body, &(snugFrame){ .rotation = { 0.0, 0.0, 0.0, 1.0 } }), snug_success);
			assert_int_equal(snugBody_GetVertices(body, NULL, positions, 0), snug_success);
			for (size_t k = 0; k < 3 * (size_t)meeting.man.mesh.vertexCount; ++k)
			{
				assert_true(positions[k] <= reach[k % 3] && -positions[k] <= reach[k % 3]);
			}
		}
		Free(&meeting);
	}
}

// Whatever a witness holds, answers are right.
static void witnesses_may_hold_anything(void** state)
{
	(void)state;
	Meeting meeting;
	Make(&meeting, snug_skin);
	sceneRandom random = { TestSeed() };
	for (int frame = 0; frame < 40; ++frame)
	{
		Pose(&meeting, frame);
		for (int i = 0; i < 20; ++i)
		{
			snugWitness witness;
			for (int k = 0; k < 4; ++k)
			{
				uint64_t bits = sceneRandom_Next(&random);
				witness.memory[k] = (uint32_t)(i % 4 == 0 ? bits : bits % (k % 2 == 0 ? 200 : 9));
			}
			Ask(&meeting, &witness);
		}
	}
	Free(&meeting);
}

// The same for bodies of any two trees, down to one leaf, that touch in few places or none; the search goes up from
// wherever the witness says. Oracle: all pairs.
static void any_two_trees(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	uint64_t touching = 0, count = (uint64_t)TestCount(300);
	for (uint64_t i = 0; i < count; ++i)
	{
		Thing things[2];
		for (int k = 0; k < 2; ++k)
		{
			MeshKind kind = (MeshKind)(sceneRandom_Next(&random) % MESH_KINDS);
			things[k] = Thing_Make(RandomMesh(&random, kind), snug_rigid, RandomTreeDef(&random), NULL);
		}
		Place(things[1].body, 1.5, 0.3, 0.2);
		PairList all = CollideAll(things[0].body, things[1].body, NULL);
		for (int j = 0; j < 8; ++j)
		{
			snugWitness witness;
			for (int k = 0; k < 4; ++k)
			{
				witness.memory[k] = (uint32_t)(sceneRandom_Next(&random) % (k % 2 == 0 ? 30 : 4)) + (k == 0);
			}
			snugQuery query = { .witness = &witness };
			snugResult found = snugTouches(things[0].body, things[1].body, &query);
			assert_true(found.status == snug_success && found.complete);
			assert_int_equal(found.count, all.count > 0);
			assert_int_equal(witness.memory[0] != 0, all.count > 0);
		}
		touching += all.count > 0;
		PairList_Free(&all);
		Thing_Free(things);
		Thing_Free(things + 1);
	}
	assert_true(touching > count / 8 && touching < count - count / 8);
}

// The callback hears of the witness' pair as of any other; snugCollide does not look at it.
static void collide_ignores_it(void** state)
{
	(void)state;
	Meeting meeting;
	Make(&meeting, snug_skin);
	snugWitness witness = { { 1, 0, 0, 0 } };
	Pose(&meeting, 20);
	snugQuery query = { .witness = &witness };
	uint64_t count = snugCollide(meeting.bodies[0], meeting.bodies[1], &query).count;
	assert_int_equal(count, snugCollide(meeting.others[0], meeting.others[1], NULL).count);
	assert_int_equal(witness.memory[0], 1);
	Free(&meeting);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_right_and_cheap),
		cmocka_unit_test(reaches_hold_all_vertices),
		cmocka_unit_test(witnesses_may_hold_anything),
		cmocka_unit_test(any_two_trees),
		cmocka_unit_test(collide_ignores_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
