// test/scene/test_scene_calls.c: scenes called wrongly, without memory, with bodies that are too far; ids; poses of
// many.
#include "support.h"

#include "snug/snug_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int misuses;

static void Handle(void* user, const char* condition, const char* function)
{
	(void)user;
	(void)condition;
	assert_memory_equal(function, "snug", 4);
	++misuses;
}

#define ASSERT_MISUSE(expression)               \
	do                                          \
	{                                           \
		int before_ = misuses;                  \
		assert_true(expression);                \
		assert_int_equal(misuses, before_ + 1); \
	} while (0)

#define ASSERT_BAD_ARGUMENT(call) ASSERT_MISUSE((call) == snug_badArgument)

// Three tetrahedra, and a skin with two joints.
static sceneMesh mesh;
static snugModel *rigid, *skin;
static snugBody *bodies[3], *skinned[2];

static int SetUp(void** state)
{
	(void)state;
	mesh = sceneMakeTetrahedron();
	rigid = MakeModel(&mesh, snug_rigid, (snugTreeDef){ 0 });
	static const uint16_t joints[] = { 0, 0, 1, 1 };
	static const float weights[] = { 1, 1, 1, 1 };
	snugModelDef def = MeshDef(&mesh, snug_skin, (snugTreeDef){ 0 });
	def.skin = (snugSkinDef){ .jointCount = 2, .influencesPerVertex = 1, .joints = joints, .weights = weights };
	assert_int_equal(snugModel_Create(&def, &skin), snug_success);
	for (int i = 0; i < 3; ++i)
	{
		bodies[i] = MakeBody(rigid, NULL);
	}
	for (int i = 0; i < 2; ++i)
	{
		skinned[i] = MakeBody(skin, NULL);
	}
	snugSetAssertHandler(Handle, NULL);
	return 0;
}

static int TearDown(void** state)
{
	(void)state;
	snugSetAssertHandler(NULL, NULL);
	for (int i = 0; i < 3; ++i)
	{
		snugBody_Destroy(bodies[i]);
	}
	for (int i = 0; i < 2; ++i)
	{
		snugBody_Destroy(skinned[i]);
	}
	snugModel_Destroy(rigid);
	snugModel_Destroy(skin);
	sceneMesh_Free(&mesh);
	return 0;
}

static snugScene* MakeScene(const snugSceneDef* def)
{
	snugScene* scene = NULL;
	assert_int_equal(snugScene_Create(def, &scene), snug_success);
	return scene;
}

static uint32_t Add(snugScene* scene, snugBody* body)
{
	uint32_t id = UINT32_MAX;
	assert_int_equal(snugScene_Add(scene, &(snugSceneBodyDef){ .body = body }, &id), snug_success);
	return id;
}

static uint64_t CountPairs(const snugScene* scene)
{
	uint64_t count;
	snugScene_GetPairs(scene, &count);
	return count;
}

// --- Misuse ---------------------------------------------------------------------------------------------------------

static void NoContacts(void* user, uint32_t a, uint32_t b, const snugContactResult* contacts)
{
	fail_msg("%p is told of %u and %u: %p", user, a, b, (const void*)contacts);
}

static void misuse_is_told(void** state)
{
	(void)state;
	snugSceneDef def = { .origin = { 0 } };
	snugScene* scene = (snugScene*)&def;
	ASSERT_BAD_ARGUMENT(snugScene_Create(&def, NULL));
	ASSERT_BAD_ARGUMENT(snugScene_Create(NULL, &scene));
	assert_null(scene);
	def.reserved[7] = 1;
	ASSERT_BAD_ARGUMENT(snugScene_Create(&def, &scene));
	def = (snugSceneDef){ .room = { .reserved = { 1 } } };
	ASSERT_BAD_ARGUMENT(snugScene_Create(&def, &scene));
	def = (snugSceneDef){ .origin = { 0, NAN, 0 } };
	ASSERT_BAD_ARGUMENT(snugScene_Create(&def, &scene));
	scene = MakeScene(&(snugSceneDef){ .room = { .bodies = 4 } });
	uint32_t id;
	snugSceneBodyDef body = { .body = bodies[0] };
	ASSERT_BAD_ARGUMENT(snugScene_Add(scene, &body, NULL));
	ASSERT_BAD_ARGUMENT(snugScene_Add(NULL, &body, &id));
	ASSERT_BAD_ARGUMENT(snugScene_Add(scene, NULL, &id));
	ASSERT_BAD_ARGUMENT(snugScene_Add(scene, &(snugSceneBodyDef){ .body = NULL }, &id));
	ASSERT_BAD_ARGUMENT(snugScene_Add(scene, &(snugSceneBodyDef){ .body = bodies[0], .reserved = { 0, 1 } }, &id));
	assert_int_equal(id, UINT32_MAX);
	assert_int_equal(snugScene_Add(scene, &body, &id), snug_success);
	uint32_t other;
	ASSERT_BAD_ARGUMENT(snugScene_Add(scene, &body, &other)); // twice
	snugScene* second = MakeScene(&(snugSceneDef){ .room = { .bodies = 4 } });
	ASSERT_BAD_ARGUMENT(snugScene_Add(second, &body, &other)); // in two
	snugScene_Destroy(second);
	ASSERT_MISUSE((snugBody_Destroy(bodies[0]), true)); // while it is in a scene: it stays
	ASSERT_BAD_ARGUMENT(snugScene_Remove(scene, 1));
	ASSERT_BAD_ARGUMENT(snugScene_Remove(NULL, 0));
	ASSERT_BAD_ARGUMENT(snugScene_SetGroups(scene, 1, 0, 0));
	ASSERT_BAD_ARGUMENT(snugScene_SetGroups(NULL, 0, 0, 0));
	ASSERT_BAD_ARGUMENT(snugScene_SetOrigin(scene, NULL));
	ASSERT_BAD_ARGUMENT(snugScene_SetOrigin(scene, (const double[3]){ INFINITY, 0, 0 }));
	ASSERT_BAD_ARGUMENT(snugScene_SetOrigin(NULL, (const double[3]){ 0 }));
	ASSERT_BAD_ARGUMENT(snugScene_Reserve(scene, NULL));
	ASSERT_BAD_ARGUMENT(snugScene_Reserve(NULL, &def.room));
	ASSERT_BAD_ARGUMENT(snugScene_Reserve(scene, &(snugSceneRoom){ .reserved = { 0, 0, 1 } }));
	ASSERT_BAD_ARGUMENT(snugScene_Update(NULL, NULL).status);
	ASSERT_BAD_ARGUMENT(snugScene_Update(scene, &(snugSceneQuery){ .reserved = { 1 } }).status);
	uint64_t count = 7;
	ASSERT_MISUSE(snugScene_GetPairs(NULL, &count) == NULL);
	assert_int_equal(count, 0);
	ASSERT_MISUSE(snugScene_GetPairs(scene, NULL) == NULL);
	ASSERT_MISUSE(snugScene_GetTrianglePairs(NULL, &count) == NULL);
	ASSERT_MISUSE(snugScene_GetTrianglePairs(scene, NULL) == NULL);
	ASSERT_MISUSE(snugScene_GetEvents(NULL).begun == NULL);
	ASSERT_MISUSE(snugScene_GetBody(NULL, 0) == NULL);
	ASSERT_MISUSE(snugScene_GetUser(NULL, 0) == NULL);
	ASSERT_MISUSE(snugScene_GetMemory(NULL) == 0);
	ASSERT_MISUSE(snugScene_GetRoom(NULL).bodies == 0);
	assert_null(snugScene_GetBody(scene, 99));
	assert_null(snugScene_GetUser(scene, 99));
	ASSERT_BAD_ARGUMENT(snugScene_Update(scene, &(snugSceneQuery){ .contacts = NoContacts }).status);
	ASSERT_BAD_ARGUMENT(snugScene_Add(scene, &(snugSceneBodyDef){ .body = bodies[2], .replaces = skinned[1] }, &other));
	snugScene_Destroy(scene);
	snugScene_Destroy(NULL);
}

static void shapes_called_wrongly(void** state)
{
	(void)state;
	TestMessages messages = { .count = 0 };
	snugScene* scene = MakeScene(&(snugSceneDef){ .messenger = TestMessages_Get(&messages) });
	snugShape ball = { .radius = 1.0f }, bad = { .radius = -1.0f }, odd = { .reserved = { 0, 1 } };
	const snugShape nowhere = { .kind = snug_shapeHalfSpace };
	uint32_t id, body = Add(scene, bodies[0]);
	ASSERT_BAD_ARGUMENT(snugScene_Add(scene, &(snugSceneBodyDef){ .body = bodies[1], .shape = &ball }, &id));
	ASSERT_BAD_ARGUMENT(snugScene_Add(scene, &(snugSceneBodyDef){ .shape = &ball, .meetsItself = true }, &id));
	ASSERT_BAD_ARGUMENT(snugScene_Add(scene, &(snugSceneBodyDef){ .shape = &ball, .replaces = bodies[0] }, &id));
	ASSERT_BAD_ARGUMENT(snugScene_Add(scene, &(snugSceneBodyDef){ .shape = &odd }, &id));
	assert_int_equal(snugScene_Add(scene, &(snugSceneBodyDef){ .shape = &bad }, &id), snug_badInput);
	assert_string_equal(messages.last, "the shape has a radius that is negative or too large");
	assert_int_equal(id, UINT32_MAX);
	assert_int_equal(snugScene_Add(scene, &(snugSceneBodyDef){ .shape = &ball }, &id), snug_success);
	ASSERT_BAD_ARGUMENT(snugScene_SetShape(NULL, id, &ball));
	ASSERT_BAD_ARGUMENT(snugScene_SetShape(scene, id, NULL));
	ASSERT_BAD_ARGUMENT(snugScene_SetShape(scene, body, &ball));
	ASSERT_BAD_ARGUMENT(snugScene_SetShape(scene, id + 1, &ball));
	ASSERT_BAD_ARGUMENT(snugScene_SetShape(scene, id, &odd));
	assert_int_equal(snugScene_SetShape(scene, id, &nowhere), snug_badInput);
	assert_string_equal(messages.last, "the shape is not finite or has no normal");
	const snugFrame frame = { .position = { 0 } };
	ASSERT_BAD_ARGUMENT(snugScene_SetPoses(scene, &(snugScenePoses){ .ids = &id, .count = 1, .frames = &frame }));
	assert_null(snugScene_GetBody(scene, id));
	assert_int_equal(snugScene_Update(scene, NULL).count, 1); // the ball is what it was
	assert_int_equal(snugScene_Remove(scene, id), snug_success);
	ASSERT_BAD_ARGUMENT(snugScene_SetShape(scene, id, &ball));
	snugScene_Destroy(scene);
}

// A filter that changes the scene is refused everything.
static bool Meddle(void* user, uint32_t a, uint32_t b)
{
	snugScene* scene = *(snugScene**)user;
	uint32_t id;
	ASSERT_BAD_ARGUMENT(snugScene_Remove(scene, a));
	ASSERT_BAD_ARGUMENT(snugScene_Add(scene, &(snugSceneBodyDef){ .body = bodies[2] }, &id));
	ASSERT_BAD_ARGUMENT(snugScene_SetGroups(scene, b, 1, 1));
	ASSERT_BAD_ARGUMENT(snugScene_Update(scene, NULL).status);
	ASSERT_BAD_ARGUMENT(snugScene_FindNear(scene, &(snugSceneNearQuery){ .margin = 1.0 }).status);
	snugSceneSweep first;
	ASSERT_BAD_ARGUMENT(snugScene_Sweep(scene, NULL, 0, NULL, &first).status);
	ASSERT_BAD_ARGUMENT(snugScene_Reserve(scene, &(snugSceneRoom){ .bodies = 100 }));
	ASSERT_BAD_ARGUMENT(snugScene_SetOrigin(scene, (const double[3]){ 0 }));
	ASSERT_BAD_ARGUMENT(snugScene_SetPoses(scene, &(snugScenePoses){ .count = 0 }));
	ASSERT_MISUSE((snugScene_Destroy(scene), true));
	return true;
}

static void a_filter_does_not_change_the_scene(void** state)
{
	(void)state;
	snugScene* scene = NULL;
	snugSceneDef def = { .filter = Meddle, .filterUser = &scene };
	scene = MakeScene(&def);
	Add(scene, bodies[0]);
	Add(scene, bodies[1]);
	assert_int_equal(snugScene_Update(scene, NULL).status, snug_success);
	assert_int_equal(CountPairs(scene), 1);
	assert_int_equal(snugScene_FindNear(scene, &(snugSceneNearQuery){ .margin = 1.0 }).count, 1);
	snugScene_Destroy(scene);
}

// --- Ids and the life of pairs --------------------------------------------------------------------------------------

static void removing_ends_pairs(void** state)
{
	(void)state;
	int marks[3];
	snugScene* scene = MakeScene(&(snugSceneDef){ .room = { .bodies = 3 } });
	uint32_t ids[3];
	for (int i = 0; i < 3; ++i)
	{
		snugSceneBodyDef def = { .body = bodies[i], .user = marks + i };
		Place(bodies[i], 0, 0, 0);
		assert_int_equal(snugScene_Add(scene, &def, ids + i), snug_success);
	}
	uint32_t none;
	assert_int_equal(snugScene_Add(scene, &(snugSceneBodyDef){ .body = skinned[0] }, &none), snug_outOfRange);
	assert_int_equal(snugScene_Update(scene, NULL).status, snug_success);
	assert_int_equal(snugScene_GetEvents(scene).begunCount, 3);
	assert_int_equal(snugScene_Remove(scene, ids[1]), snug_success);
	assert_int_equal(snugScene_Add(scene, &(snugSceneBodyDef){ .body = skinned[0] }, &none), snug_outOfRange);
	snugSceneResult result = snugScene_Update(scene, NULL);
	assert_int_equal(result.status, snug_success);
	assert_int_equal(result.kept, 1); // of the two that stayed
	assert_int_equal(result.queries, 0);
	snugSceneEvents events = snugScene_GetEvents(scene);
	assert_int_equal(events.endedCount, 2);
	assert_int_equal(events.persistingCount, 1);
	assert_ptr_equal(snugScene_GetUser(scene, ids[1]), marks + 1); // so that the events can be read
	assert_null(snugScene_GetBody(scene, ids[1]));
	assert_int_equal(snugScene_Update(scene, NULL).status, snug_success);
	assert_int_equal(snugScene_GetEvents(scene).endedCount, 0);
	assert_null(snugScene_GetUser(scene, ids[1]));
	assert_int_equal(snugScene_Add(scene, &(snugSceneBodyDef){ .body = bodies[1] }, &none), snug_success);
	assert_int_equal(none, ids[1]);
	assert_int_equal(snugScene_Update(scene, NULL).status, snug_success);
	assert_int_equal(snugScene_GetEvents(scene).begunCount, 2);
	snugScene_Destroy(scene);
}

// Balls and a floor beside tetrahedra from the origin to 1 along each axis: which meet is plain. What is still is not
// looked at; rays, distances and contacts are about bodies.
static void shapes_meet_bodies_and_not_each_other(void** state)
{
	(void)state;
	snugScene* scene = MakeScene(&(snugSceneDef){ .room = { .bodies = 6 } });
	snugShape balls[2] = { { .from = { 0.0f, 0.0f, -0.5f }, .radius = 0.75f },
		{ .from = { 0.0f, 0.0f, -0.5f }, .radius = 0.25f } };
	const snugShape floor = { .kind = snug_shapeHalfSpace, .plane = { .normal = { 0.0, 0.0, 1.0 }, .offset = 0.5 } };
	uint32_t ids[5];
	for (int i = 0; i < 2; ++i)
	{
		Place(bodies[i], 10.0 * i, 0, 0);
		ids[i] = Add(scene, bodies[i]);
		snugSceneBodyDef def = { .shape = balls + i };
		assert_int_equal(snugScene_Add(scene, &def, ids + 2 + i), snug_success);
	}
	const snugSceneBodyDef ground = { .shape = &floor, .isStatic = true };
	assert_int_equal(snugScene_Add(scene, &ground, ids + 4), snug_success);
	snugContactBuffer* buffer;
	assert_int_equal(snugContactBuffer_Create(&(snugContactBufferDef){ .capacity = 9 }, &buffer), snug_success);
	const snugSceneQuery query = { .contacts = NoContacts, .contactBuffer = buffer };
	snugSceneResult result = snugScene_Update(scene, &query);
	assert_int_equal(result.status, snug_success);
	uint64_t count;
	const snugScenePair* pairs = snugScene_GetPairs(scene, &count);
	assert_int_equal(count, 1);
	assert_int_equal(pairs->a, ids[0]);
	assert_int_equal(pairs->b, ids[2]);
	assert_int_equal(pairs->count, 3); // those at the origin
	const snugPair* triangles = snugScene_GetTrianglePairs(scene, &count);
	assert_int_equal(count, 3);
	assert_int_equal(triangles[2].b, SNUG_NONE);
	result = snugScene_Update(scene, &query);
	assert_int_equal(result.kept, 1);
	assert_int_equal(result.candidates + result.moved, 0);
	Place(bodies[1], 10, 0, -1); // on the floor
	balls[1].from[0] = 10.5f;
	assert_int_equal(snugScene_SetShape(scene, ids[3], balls + 1), snug_success);
	result = snugScene_Update(scene, NULL);
	assert_int_equal(result.moved, 2);
	assert_int_equal(snugScene_GetEvents(scene).begunCount, 2);
	assert_int_equal(snugScene_GetEvents(scene).begun[1].b, ids[4]);
	snugRayHit hit;
	const snugRay ray = { { 0.1f, 0.1f, 5.0f }, { 0.1f, 0.1f, -5.0f } };
	snugScene_CastRays(scene, &ray, 1, &hit, NULL);
	assert_int_equal(hit.body, ids[0]);
	assert_int_equal(snugScene_FindNear(scene, &(snugSceneNearQuery){ .margin = 3.0 }).count, 0);
	assert_int_equal(snugScene_Remove(scene, ids[4]), snug_success);
	assert_int_equal(snugScene_Update(scene, NULL).count, 2);
	assert_int_equal(snugScene_GetEvents(scene).endedCount, 1);
	snugContactBuffer_Destroy(buffer);
	snugScene_Destroy(scene);
}

static void still_bodies_are_not_looked_at(void** state)
{
	(void)state;
	snugScene* scene = MakeScene(&(snugSceneDef){ .room = { .bodies = 3 } });
	for (int i = 0; i < 3; ++i)
	{
		Place(bodies[i], 0.1 * i, 0, 0);
		Add(scene, bodies[i]);
	}
	assert_int_equal(snugScene_Update(scene, NULL).queries, 3);
	for (int frame = 0; frame < 3; ++frame)
	{
		for (int i = 0; i < 3; ++i)
		{
			Place(bodies[i], 0.1 * i, 0, 0); // where it was
		}
		snugSceneResult result = snugScene_Update(scene, NULL);
		assert_int_equal(result.moved, 0);
		assert_int_equal(result.candidates, 0);
		assert_int_equal(result.kept, 3);
		assert_int_equal(CountPairs(scene), 3);
		assert_int_equal(snugScene_GetEvents(scene).persistingCount, 3);
	}
	Place(bodies[2], 0.3, 0, 0);
	snugSceneResult result = snugScene_Update(scene, NULL);
	assert_int_equal(result.moved, 1);
	assert_int_equal(result.kept, 1);
	assert_int_equal(result.queries, 2);
	snugScene_Destroy(scene);
}

// Positions are rounded relative to the origin: what is apart near zero touches far from it.
static void a_moved_origin_asks_anew(void** state)
{
	(void)state;
	snugScene* scene = MakeScene(&(snugSceneDef){ .room = { .bodies = 3 } });
	Place(bodies[0], 0, 0, 0);
	Place(bodies[1], 1.0 + 1e-6, 0, 0);
	Add(scene, bodies[0]);
	Add(scene, bodies[1]);
	const double origins[][3] = { { 0, 0, 0 }, { 1e5, 0, 0 }, { 0, 0, 0 }, { 1e5, 0, 0 } };
	for (size_t i = 0; i < LENGTH_OF(origins); ++i)
	{
		assert_int_equal(snugScene_SetOrigin(scene, origins[i]), snug_success);
		assert_int_equal(snugScene_Update(scene, NULL).status, snug_success);
		snugQuery query = { .origin = { origins[i][0], 0, 0 } };
		assert_int_equal(CountPairs(scene), snugTouches(bodies[0], bodies[1], &query).count);
		assert_int_equal(CountPairs(scene), i % 2);
	}
	snugScene_Destroy(scene);
}

static void bodies_too_far_are_named(void** state)
{
	(void)state;
	TestMessages messages = { 0 };
	snugScene* scene = MakeScene(&(snugSceneDef){ .messenger = TestMessages_Get(&messages) });
	for (int i = 0; i < 3; ++i)
	{
		Place(bodies[i], 0, 0, 0);
		Add(scene, bodies[i]);
	}
	assert_int_equal(snugScene_Update(scene, NULL).status, snug_success);
	Place(bodies[2], 1e300, 0, 0);
	snugSceneResult result = snugScene_Update(scene, NULL);
	assert_int_equal(result.status, snug_outOfRange);
	assert_int_equal(result.body, 2);
	assert_int_equal(messages.count, 1);
	assert_non_null(strstr(messages.last, "body 2"));
	assert_int_equal(CountPairs(scene), 3); // as it was
	assert_int_equal(snugScene_GetEvents(scene).begunCount, 3);
	Place(bodies[2], 0, 0, 5);
	assert_int_equal(snugScene_Update(scene, NULL).status, snug_success);
	assert_int_equal(CountPairs(scene), 1);
	assert_int_equal(snugScene_GetEvents(scene).endedCount, 2);
	snugScene_Destroy(scene);
}

// --- Poses ----------------------------------------------------------------------------------------------------------

static void poses_of_many(void** state)
{
	(void)state;
	// Two joints for each of two bodies, eight floats apart from one another more than they must be.
	float matrices[4][20] = { { 0 } };
	for (int i = 0; i < 4; ++i)
	{
		matrices[i][0] = matrices[i][5] = matrices[i][10] = 1.0f;
		matrices[i][3] = (float)i;
	}
	snugFrame frames[2] = { { .position = { 0, 10, 0 } }, { .position = { 0, 20, 0 } } };
	snugScene* scene = MakeScene(&(snugSceneDef){ .room = { .bodies = 3 } });
	uint32_t ids[2] = { Add(scene, skinned[0]), Add(scene, skinned[1]) };
	uint32_t stone = Add(scene, bodies[0]);
	snugScenePoses poses = { .ids = ids, .count = 2, .joints = matrices[0], .jointStride = 80, .frames = frames };
	assert_int_equal(snugScene_SetPoses(scene, &poses), snug_success);
	float vertices[12];
	for (int i = 0; i < 2; ++i)
	{
		assert_int_equal(snugBody_GetVertices(skinned[i], NULL, vertices, 0), snug_success);
		assert_true(vertices[0] == (float)(2 * i) && vertices[9] == (float)(2 * i + 1));
		assert_true(vertices[1] == (float)(10 * (i + 1)));
	}
	poses.ids = (const uint32_t[2]){ ids[1], ids[0] }; // in any order: what is given first is for the first id
	assert_int_equal(snugScene_SetPoses(scene, &poses), snug_success);
	for (int i = 0; i < 2; ++i)
	{
		assert_int_equal(snugBody_GetVertices(skinned[1 - i], NULL, vertices, 0), snug_success);
		assert_true(vertices[0] == (float)(2 * i) && vertices[9] == (float)(2 * i + 1));
		assert_true(vertices[1] == (float)(10 * (i + 1)));
	}
	poses.ids = (const uint32_t[2]){ ids[0], ids[0] }; // twice
	ASSERT_BAD_ARGUMENT(snugScene_SetPoses(scene, &poses));
	poses.ids = (const uint32_t[2]){ ids[0], stone }; // not a skin
	ASSERT_BAD_ARGUMENT(snugScene_SetPoses(scene, &poses));
	poses.ids = (const uint32_t[2]){ ids[0], 77 };
	ASSERT_BAD_ARGUMENT(snugScene_SetPoses(scene, &poses));
	poses.ids = ids;
	poses.jointStride = 44;
	ASSERT_BAD_ARGUMENT(snugScene_SetPoses(scene, &poses));
	poses.jointStride = 80;
	matrices[1][2] = NAN;
	frames[1].position[1] = 30.0;
	assert_int_equal(snugScene_SetPoses(scene, &poses), snug_badInput); // the first; the second is posed all the same
	assert_int_equal(snugBody_GetVertices(skinned[1], NULL, vertices, 0), snug_success);
	assert_true(vertices[1] == 30.0f);
	ASSERT_BAD_ARGUMENT(snugScene_SetPoses(NULL, &poses));
	ASSERT_BAD_ARGUMENT(snugScene_SetPoses(scene, NULL));
	snugScene_Destroy(scene);
}

#define CROWD 75

// Matrices of a body: by rows or columns, of which the caller's array may have room between.
static void MakeMatrices(sceneRandom* random, bool isColumns, size_t stride, float* matrices)
{
	for (size_t joint = 0; joint < 2; ++joint)
	{
		float* m = matrices + joint * stride;
		for (size_t k = 0; k < 12; ++k)
		{
			size_t row = k / 4, column = k % 4;
			double entry = column == 3 ? sceneRandom_Range(random, -0.5, 0.5)
			                           : (double)(row == column) + sceneRandom_Range(random, -0.2, 0.2);
			m[isColumns ? 4 * column + row : k] = (float)entry;
		}
		if (isColumns)
		{
			m[3] = m[7] = m[11] = 0.0f;
			m[15] = 1.0f;
		}
	}
}

static void AssertSameVertices(snugBody* one, snugBody* other)
{
	float vertices[2][12];
	assert_int_equal(snugBody_GetVertices(one, NULL, vertices[0], 0), snug_success);
	assert_int_equal(snugBody_GetVertices(other, NULL, vertices[1], 0), snug_success);
	assert_memory_equal(vertices[0], vertices[1], sizeof(vertices[0]));
}

// Some of a crowd, in any order, with room between matrices and between bodies or none, by rows or by columns. Oracle:
// the same bodies, each told alone, and all pairs of them. Would catch a pose or a frame of another index, bodies that
// no task poses, and boxes of the scene that stay where they were.
static void a_crowd_is_posed_as_each_alone(void** state)
{
	(void)state;
	snugScene* scene =
	    MakeScene(&(snugSceneDef){ .room = { .bodies = CROWD, .candidates = CROWD * CROWD, .pairs = CROWD * CROWD } });
	snugBody *crowd[CROWD], *alone[CROWD];
	uint32_t ids[CROWD];
	static float matrices[CROWD * 50];
	snugFrame frames[CROWD];
	for (uint32_t i = 0; i < CROWD; ++i)
	{
		crowd[i] = MakeBody(skin, NULL);
		alone[i] = MakeBody(skin, NULL);
		ids[i] = Add(scene, crowd[i]);
		assert_int_equal(ids[i], i);
	}
	uint64_t touching = 0;
	for (int round = 0; round < TestCount(16); ++round)
	{
		sceneRandom random = { TestSeed() + (uint64_t)round };
		const bool isColumns = round % 2 == 1;
		const size_t between = round % 4 < 2 ? 0
		                       : isColumns   ? 20
		                                     : 15,
		             stride = between != 0 ? between
		                      : isColumns  ? 16
		                                   : 12;
		const size_t apart = round % 3 == 0 ? 2 * stride : 50;
		const uint32_t count = round == 0 ? CROWD : 1 + sceneRandom_Index(&random, CROWD);
		for (uint32_t i = 0; i < CROWD; ++i)
		{
			uint32_t other = sceneRandom_Index(&random, i + 1);
			ids[i] = ids[other];
			ids[other] = i;
		}
		snugScenePoses poses = { .ids = round % 5 == 0 ? NULL : ids,
			.count = count,
			.joints = round % 7 == 6 ? NULL : matrices,
			.jointStride = between * sizeof(float),
			.bodyStride = round % 3 == 0 ? 0 : apart * sizeof(float),
			.isColumns = isColumns,
			.frames = round % 7 == 5 ? NULL : frames };
		for (uint32_t i = 0; i < count; ++i)
		{
			float* own = matrices + i * apart;
			snugBody* body = alone[poses.ids != NULL ? ids[i] : i];
			MakeMatrices(&random, isColumns, stride, own);
			frames[i] = (snugFrame){ .position = { sceneRandom_Range(&random, -3.0, 3.0), 0.1, (double)i / CROWD } };
			RandomRotation(&random, frames[i].rotation);
			snugStatus status = poses.joints == NULL ? snug_success
			                    : isColumns          ? snugBody_SetJoints4x4(body, own, poses.jointStride, 2)
			                                         : snugBody_SetJoints(body, own, poses.jointStride, 2);
			assert_int_equal(status, snug_success);
			assert_int_equal(poses.frames != NULL ? snugBody_SetFrame(body, frames + i) : snug_success, snug_success);
		}
		assert_int_equal(snugScene_SetPoses(scene, &poses), snug_success);
		assert_int_equal(snugScene_Update(scene, NULL).status, snug_success);
		uint64_t pairs = 0;
		for (uint32_t i = 0; i < CROWD; ++i)
		{
			AssertSameVertices(crowd[i], alone[i]);
			for (uint32_t k = 0; k < i; ++k)
			{
				pairs += snugTouches(alone[i], alone[k], NULL).count;
			}
		}
		assert_int_equal(CountPairs(scene), pairs);
		touching += pairs;
	}
	assert_true(touching > 0);
	snugScene_Destroy(scene);
	for (uint32_t i = 0; i < CROWD; ++i)
	{
		snugBody_Destroy(crowd[i]);
		snugBody_Destroy(alone[i]);
	}
}

// --- Memory ---------------------------------------------------------------------------------------------------------

static void every_failure_is_survived(void** state)
{
	(void)state;
	TestAllocator allocator = { 0 };
	snugSceneDef def = { .room = { .bodies = 2, .candidates = 1, .pairs = 1 },
		.allocator = TestAllocator_Get(&allocator) };
	snugScene* scene = NULL;
	uint64_t calls = 0;
	for (bool isMade = false; !isMade; isMade = scene != NULL)
	{
		allocator.calls = 0;
		allocator.failAt = ++calls;
		snugStatus status = snugScene_Create(&def, &scene);
		assert_int_equal(status, scene != NULL ? snug_success : snug_outOfMemory);
		assert_true(scene != NULL || allocator.live == 0);
	}
	assert_true(calls > 10);
	Place(bodies[0], 0, 0, 0);
	Place(bodies[1], 0, 0, 0);
	Add(scene, bodies[0]);
	Add(scene, bodies[1]);
	assert_int_equal(snugScene_Update(scene, NULL).status, snug_success);
	assert_int_equal(CountPairs(scene), 1);
	snugSceneRoom more = { .bodies = 50, .candidates = 60, .pairs = 70, .trianglePairs = 800 };
	calls = 0;
	for (snugStatus status = snug_outOfMemory; status != snug_success;)
	{
		allocator.calls = 0;
		allocator.failAt = ++calls;
		uint64_t live = allocator.live;
		status = snugScene_Reserve(scene, &more);
		assert_true(status == snug_success || status == snug_outOfMemory);
		assert_int_equal(allocator.live, live);
		assert_int_equal(CountPairs(scene), 1);
	}
	assert_true(calls > 10);
	assert_int_equal(snugScene_GetRoom(scene).pairs, 70);
	allocator.calls = 0;
	allocator.failAt = 0;
	Add(scene, bodies[2]);
	for (int i = 0; i < 10; ++i)
	{
		Place(bodies[2], 0.05 * i, 0, 0);
		assert_int_equal(snugScene_Update(scene, &(snugSceneQuery){ .trianglePairs = true }).status, snug_success);
		assert_int_equal(CountPairs(scene), 3);
		assert_int_equal(snugScene_FindNear(scene, &(snugSceneNearQuery){ .margin = 1.0 }).count, 3);
		snugSceneSweep first;
		assert_int_equal(snugScene_Sweep(scene, NULL, 0, NULL, &first).count, 1);
	}
	assert_int_equal(allocator.calls, 0); // neither allocates
	snugScene_Destroy(scene);
	assert_int_equal(allocator.live, 0);
	assert_int_equal(allocator.faults, 0);
	def.room = (snugSceneRoom){ .bodies = UINT32_MAX };
	assert_int_equal(snugScene_Create(&def, &scene), snug_outOfRange);
	def.room = (snugSceneRoom){ .bodies = 1, .trianglePairs = UINT64_MAX };
	assert_int_equal(snugScene_Create(&def, &scene), snug_outOfRange);
}

// What was searched stays searched, unless something changes meanwhile. Pairs that found no block are the driver's.
static void an_update_goes_on_where_room_ran_out(void** state)
{
	(void)state;
	const snugSceneQuery query = { .trianglePairs = true };
	const snugSceneDef def = { .room = { .bodies = 3, .candidates = 3, .pairs = 3, .trianglePairs = 1 } };
	for (int change = 0; change < 2; ++change)
	{
		snugScene* scene;
		assert_int_equal(snugScene_Create(&def, &scene), snug_success);
		for (int i = 0; i < 3; ++i)
		{
			Place(bodies[i], 0.05 * i, 0, 0);
			Add(scene, bodies[i]);
		}
		snugSceneResult first = snugScene_Update(scene, &query);
		assert_int_equal(first.status, snug_outOfRange);
		assert_true(first.needed.trianglePairs > 1);
		assert_int_equal(snugScene_Reserve(scene, &first.needed), snug_success);
		if (change == 1)
		{
			Place(bodies[2], 100, 0, 0);
		}
		const snugSceneResult second = snugScene_Update(scene, &query);
		assert_int_equal(second.status, snug_success);
		assert_int_equal(second.count, change == 1 ? 1 : 3);
		assert_int_equal(second.counters.volumeTests > 0, change == 1);
		uint64_t triangles;
		snugScene_GetTrianglePairs(scene, &triangles);
		if (change == 0)
		{
			assert_int_equal(triangles, first.needed.trianglePairs);
			assert_int_equal(second.moved, first.moved);
		}
		snugScene_Destroy(scene);
	}
	// Pairs of bodies alone lack room: nothing is searched again.
	const snugSceneDef few = { .room = { .bodies = 3, .candidates = 3, .pairs = 1 } };
	snugScene* scene;
	assert_int_equal(snugScene_Create(&few, &scene), snug_success);
	for (int i = 0; i < 3; ++i)
	{
		Place(bodies[i], 0.05 * i, 0, 0);
		Add(scene, bodies[i]);
	}
	const snugSceneResult first = snugScene_Update(scene, NULL);
	assert_int_equal(first.status, snug_outOfRange);
	assert_int_equal(first.needed.pairs, 3);
	assert_int_equal(snugScene_Reserve(scene, &first.needed), snug_success);
	const snugSceneResult second = snugScene_Update(scene, NULL);
	assert_int_equal(second.status, snug_success);
	assert_int_equal(second.count, 3);
	assert_int_equal(second.queries, first.queries);
	assert_int_equal(second.counters.triangleTests + second.counters.volumeTests, 0);
	snugScene_Destroy(scene);
}

// A ray enters the boxes of many bodies before it hits one: the first hit is that of asking each of them.
static void rays_through_many_boxes(void** state)
{
	(void)state;
	enum
	{
		ROW = 60
	};
	snugBody* row[ROW];
	snugScene* scene;
	sceneRandom random = { TestSeed() };
	double x[ROW];
	int late = 0;
	assert_int_equal(snugScene_Create(&(snugSceneDef){ .room = { .bodies = ROW } }, &scene), snug_success);
	for (int i = 0; i < ROW; ++i)
	{
		row[i] = MakeBody(rigid, NULL);
		Add(scene, row[i]);
	}
	for (int n = 0; n < TestCount(300); ++n)
	{
		for (int i = 0; i < ROW; ++i)
		{
			x[i] = sceneRandom_Range(&random, 0.0, 50.0);
			Place(row[i], x[i], sceneRandom_Range(&random, -0.1, 0.1), 0);
		}
		const float y = (float)sceneRandom_Range(&random, -0.2, 1.2), z = (float)sceneRandom_Range(&random, -0.2, 1.2);
		const snugRay ray = { .from = { -5, y, z }, .to = { 60, y, z } };
		snugRayHit found, best = { .t = 2.0, .triangle = SNUG_NONE, .body = SNUG_NONE };
		int before = 0;
		assert_int_equal(snugScene_CastRays(scene, &ray, 1, &found, NULL).status, snug_success);
		for (uint32_t i = 0; i < ROW; ++i)
		{
			snugRayHit hit;
			assert_int_equal(snugCastRays(row[i], &ray, 1, &hit, NULL).status, snug_success);
			best = hit.t < best.t ? hit : best;
		}
		for (uint32_t i = 0; i < ROW; ++i)
		{
			before += x[i] < -5.0 + 65.0 * best.t;
		}
		late += best.t < 2.0 && before > 20;
		assert_true(found.t == best.t && found.triangle == best.triangle);
	}
	assert_true(late > 0 || TestScale() < 1.0);
	for (int i = 0; i < ROW; ++i)
	{
		snugScene_Remove(scene, (uint32_t)i);
		snugBody_Destroy(row[i]);
	}
	snugScene_Destroy(scene);
}

// Room that is short by one grows by half.
static void room_grows_with_slack(void** state)
{
	(void)state;
	const snugSceneDef def = { .room = { .bodies = 10, .candidates = 100, .pairs = 100, .trianglePairs = 100 } };
	snugScene* scene;
	assert_int_equal(snugScene_Create(&def, &scene), snug_success);
	assert_int_equal(snugScene_Reserve(scene, &(snugSceneRoom){ .bodies = 11, .trianglePairs = 1000 }), snug_success);
	const snugSceneRoom room = snugScene_GetRoom(scene);
	assert_int_equal(room.bodies, 15);
	assert_int_equal(room.candidates, 100);
	assert_int_equal(room.trianglePairs, 1000);
	snugScene_Destroy(scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(misuse_is_told),
		cmocka_unit_test(a_filter_does_not_change_the_scene),
		cmocka_unit_test(removing_ends_pairs),
		cmocka_unit_test(shapes_called_wrongly),
		cmocka_unit_test(shapes_meet_bodies_and_not_each_other),
		cmocka_unit_test(still_bodies_are_not_looked_at),
		cmocka_unit_test(a_moved_origin_asks_anew),
		cmocka_unit_test(bodies_too_far_are_named),
		cmocka_unit_test(poses_of_many),
		cmocka_unit_test(a_crowd_is_posed_as_each_alone),
		cmocka_unit_test(every_failure_is_survived),
		cmocka_unit_test(an_update_goes_on_where_room_ran_out),
		cmocka_unit_test(rays_through_many_boxes),
		cmocka_unit_test(room_grows_with_slack),
	};
	return cmocka_run_group_tests(tests, SetUp, TearDown);
}
