// test/base/test_allocator.c: who allocates, when, and what happens when there is nothing left.
#include "fields_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const path = "test_allocator.snug";

// One way to make something through an allocator. On success the object must be destroyed by Destroy.
typedef struct Maker
{
	const char* name;
	snugStatus (*make)(snugAllocator allocator, snugMessenger messenger, void** object);
	void (*destroy)(void* object);
} Maker;

static sceneMesh mesh;
static snugModel* freeModel;
static snugModel* rigidModel;
static snugModel* fieldsModel;
static FieldSet fields;

static snugStatus MakeRigidModel(snugAllocator allocator, snugMessenger messenger, void** object)
{
	snugModelDef def = MeshDef(&mesh, snug_rigid, (snugTreeDef){ 0 });
	def.allocator = allocator;
	def.messenger = messenger;
	snugModel* model = (snugModel*)&def;
	snugStatus status = snugModel_Create(&def, &model);
	*object = model;
	return status;
}

static snugStatus MakeFreeModel(snugAllocator allocator, snugMessenger messenger, void** object)
{
	snugModelDef def = MeshDef(&mesh, snug_free, (snugTreeDef){ .leafTriangles = 1 });
	def.allocator = allocator;
	def.messenger = messenger;
	snugModel* model = (snugModel*)&def;
	snugStatus status = snugModel_Create(&def, &model);
	*object = model;
	return status;
}

static snugStatus MakeFieldsModel(snugAllocator allocator, snugMessenger messenger, void** object)
{
	snugModelDef def = FieldsDef(&mesh, &fields, (snugTreeDef){ 0 });
	def.allocator = allocator;
	def.messenger = messenger;
	snugModel* model = (snugModel*)&def;
	snugStatus status = snugModel_Create(&def, &model);
	*object = model;
	return status;
}

static snugStatus MakeEmptyModel(snugAllocator allocator, snugMessenger messenger, void** object)
{
	snugModelDef def = { .deformer = snug_free, .allocator = allocator, .messenger = messenger };
	snugModel* model = (snugModel*)&def;
	snugStatus status = snugModel_Create(&def, &model);
	*object = model;
	return status;
}

static snugStatus LoadModel(snugAllocator allocator, snugMessenger messenger, void** object)
{
	size_t bytes;
	const void* block = snugModel_GetBlock(freeModel, &bytes);
	snugLoadDef def = { .allocator = allocator, .messenger = messenger };
	snugModel* model = (snugModel*)&def;
	snugStatus status = snugModel_LoadMemory(block, bytes, &def, &model);
	*object = model;
	return status;
}

static snugStatus LoadModelFile(snugAllocator allocator, snugMessenger messenger, void** object)
{
	snugLoadDef def = { .allocator = allocator, .messenger = messenger };
	snugModel* model = (snugModel*)&def;
	snugStatus status = snugModel_LoadFile(path, &def, &model);
	*object = model;
	return status;
}

static void DestroyModel(void* object)
{
	snugModel_Destroy(object);
}

static snugStatus MakePoolObject(snugAllocator allocator, snugMessenger messenger, void** object)
{
	snugPoolDef def = { .bytes = 100000, .allocator = allocator, .messenger = messenger };
	snugPool* pool = (snugPool*)&def;
	snugStatus status = snugPool_Create(&def, &pool);
	*object = pool;
	return status;
}

static void DestroyPool(void* object)
{
	snugPool_Destroy(object);
}

static snugStatus MakeBodyOf(
    const snugModel* model, snugPool* pool, snugAllocator allocator, snugMessenger messenger, void** object)
{
	snugBodyDef def = { .model = model, .pool = pool, .allocator = allocator, .messenger = messenger };
	snugBody* body = (snugBody*)&def;
	snugStatus status = snugBody_Create(&def, &body);
	*object = body;
	return status;
}

static snugStatus MakeRigidBody(snugAllocator allocator, snugMessenger messenger, void** object)
{
	return MakeBodyOf(rigidModel, NULL, allocator, messenger, object);
}

static snugStatus MakeFreeBody(snugAllocator allocator, snugMessenger messenger, void** object)
{
	return MakeBodyOf(freeModel, NULL, allocator, messenger, object);
}

static snugStatus MakeFieldsBody(snugAllocator allocator, snugMessenger messenger, void** object)
{
	return MakeBodyOf(fieldsModel, NULL, allocator, messenger, object);
}

static snugPool* sharedPool;

static snugStatus MakePooledBody(snugAllocator allocator, snugMessenger messenger, void** object)
{
	return MakeBodyOf(freeModel, sharedPool, allocator, messenger, object);
}

static void DestroyBody(void* object)
{
	snugBody_Destroy(object);
}

static const Maker makers[] = {
	{ "rigid model", MakeRigidModel, DestroyModel },
	{ "free model", MakeFreeModel, DestroyModel },
	{ "linear model", MakeFieldsModel, DestroyModel },
	{ "empty model", MakeEmptyModel, DestroyModel },
	{ "loaded model", LoadModel, DestroyModel },
	{ "model from a file", LoadModelFile, DestroyModel },
	{ "pool", MakePoolObject, DestroyPool },
	{ "rigid body", MakeRigidBody, DestroyBody },
	{ "free body", MakeFreeBody, DestroyBody },
	{ "linear body", MakeFieldsBody, DestroyBody },
	{ "body with a pool", MakePooledBody, DestroyBody },
};

static int SetUp(void** state)
{
	(void)state;
	mesh = sceneMakeBlob(6, 1);
	freeModel = MakeModel(&mesh, snug_free, (snugTreeDef){ 0 });
	rigidModel = MakeModel(&mesh, snug_rigid, (snugTreeDef){ 0 });
	sceneRandom random = { 1 };
	fields = RandomFields(&random, &mesh, 1.0);
	snugModelDef def = FieldsDef(&mesh, &fields, (snugTreeDef){ 0 });
	assert_int_equal(snugModel_Create(&def, &fieldsModel), snug_success);
	sharedPool = MakePool(50000);
	return snugModel_SaveFile(freeModel, path) == snug_success ? 0 : -1;
}

static int TearDown(void** state)
{
	(void)state;
	remove(path);
	snugPool_Destroy(sharedPool);
	snugModel_Destroy(freeModel);
	snugModel_Destroy(rigidModel);
	snugModel_Destroy(fieldsModel);
	FieldSet_Free(&fields);
	sceneMesh_Free(&mesh);
	return 0;
}

// Everything that is allocated is released, with the size that was asked for; memory comes full of rubbish.
static void nothing_leaks(void** state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(makers); ++i)
	{
		TestAllocator allocator = { 0 };
		TestMessages messages = { 0 };
		void* object;
		assert_int_equal(
		    makers[i].make(TestAllocator_Get(&allocator), TestMessages_Get(&messages), &object), snug_success);
		assert_non_null(object);
		assert_int_equal(messages.count, 0);
		assert_true(allocator.live > 0);
		makers[i].destroy(object);
		assert_int_equal(allocator.live, 0);
		assert_int_equal(allocator.liveBytes, 0);
		assert_int_equal(allocator.faults, 0);
	}
}

// Each allocation fails once: an error, a message, a null, and nothing kept. Would catch a step that forgets what the
// steps before it had taken.
static void every_failure_is_survived(void** state)
{
	(void)state;
	uint64_t total = 0;
	for (size_t i = 0; i < LENGTH_OF(makers); ++i)
	{
		for (uint64_t k = 1;; ++k)
		{
			assert_true(k < 1000);
			TestAllocator allocator = { .failAt = k };
			TestMessages messages = { 0 };
			void* object;
			snugStatus status = makers[i].make(TestAllocator_Get(&allocator), TestMessages_Get(&messages), &object);
			if (status == snug_success)
			{
				assert_true(allocator.calls < k); // went through without reaching it
				makers[i].destroy(object);
				assert_int_equal(allocator.live, 0);
				assert_true(k > 1);
				break;
			}
			++total;
			if (status != snug_outOfMemory || object != NULL || allocator.live != 0 || allocator.faults != 0 ||
			    messages.count == 0)
			{
				print_error("%s, allocation %llu: status %d, object %p, %llu blocks left, %llu faults, %d messages\n",
				    makers[i].name, (unsigned long long)k, (int)status, object, (unsigned long long)allocator.live,
				    (unsigned long long)allocator.faults, messages.count);
				fail();
			}
			assert_int_equal(messages.severity, snug_error);
		}
	}
	print_message("%llu failures\n", (unsigned long long)total);
}

// SaveFile needs room for a path; it says so too.
static void saving_survives_failure(void** state)
{
	(void)state;
	TestAllocator allocator = { 0 };
	TestMessages messages = { 0 };
	void* object;
	assert_int_equal(MakeFreeModel(TestAllocator_Get(&allocator), TestMessages_Get(&messages), &object), snug_success);
	uint64_t live = allocator.live;
	allocator.failAt = allocator.calls + 1;
	snugStatus status = snugModel_SaveFile(object, "test_allocator_not_written.snug");
	if (allocator.calls >= allocator.failAt)
	{
		assert_int_equal(status, snug_outOfMemory);
		assert_null(fopen("test_allocator_not_written.snug", "rb"));
	}
	assert_int_equal(allocator.live, live);
	remove("test_allocator_not_written.snug");
	snugModel_Destroy(object);
	assert_int_equal(allocator.live, 0);
}

static bool Accept(void* user, snugPair pair)
{
	(void)user;
	(void)pair;
	return true;
}

// Posing and querying never allocate, whatever they meet: a real-time loop can rely on it.
static void posing_and_querying_never_allocate(void** state)
{
	(void)state;
	TestAllocator allocator = { 0 };
	TestMessages messages = { 0 };
	snugAllocator counting = TestAllocator_Get(&allocator);
	void *model, *pool, *things[4], *other;
	assert_int_equal(MakeFreeModel(counting, TestMessages_Get(&messages), &model), snug_success);
	assert_int_equal(MakePoolObject(counting, TestMessages_Get(&messages), &pool), snug_success);
	assert_int_equal(MakeBodyOf(model, NULL, counting, TestMessages_Get(&messages), &things[0]), snug_success);
	assert_int_equal(MakeBodyOf(model, pool, counting, TestMessages_Get(&messages), &things[1]), snug_success);
	assert_int_equal(MakeBodyOf(rigidModel, pool, counting, TestMessages_Get(&messages), &things[2]), snug_success);
	assert_int_equal(MakeBodyOf(fieldsModel, pool, counting, TestMessages_Get(&messages), &things[3]), snug_success);
	assert_int_equal(MakeBodyOf(rigidModel, NULL, counting, TestMessages_Get(&messages), &other), snug_success);
	float* positions = malloc(3 * sizeof(float) * mesh.vertexCount);
	snugPair* pairs = malloc(100000 * sizeof(snugPair));
	assert_true(positions != NULL && pairs != NULL);
	memcpy(positions, mesh.positions, 3 * sizeof(float) * mesh.vertexCount);
	uint64_t calls = allocator.calls, live = allocator.live;
	for (int round = 0; round < 10; ++round)
	{
		for (int i = 0; i < 4; ++i)
		{
			snugBody* body = things[i];
			Place(body, 0.1 * round, 0.05, 0.0);
			if (i < 2)
			{
				positions[0] += 0.01f;
				uint32_t count = round % 2 != 0 ? 5 : mesh.vertexCount;
				assert_int_equal(snugBody_SetVertices(body, positions, 0, 0, count), snug_success);
				float bad[3] = { 1e38f, 0, 0 };
				assert_int_equal(snugBody_SetVertices(body, bad, 0, 0, 1), snug_badInput);
			}
			if (i == 3)
			{
				fields.amplitudes[0] = 0.001f * (float)round;
				assert_int_equal(snugBody_SetAmplitudes(body, fields.amplitudes, fields.fieldCount), snug_success);
				assert_int_equal(snugBody_SetAmplitudes(body, fields.amplitudes, 0), snug_badInput);
				const snugPlane plane = { .normal = { 1.0, 0.0, 0.0 } };
				bool isOutside;
				assert_int_equal(snugBody_IsOutside(body, NULL, &plane, 1, &isOutside), snug_success);
			}
			snugQuery query = { .pairs = pairs, .capacity = round % 2 != 0 ? 10u : 100000u, .callback = Accept };
			snugResult result = snugCollide(body, other, &query);
			assert_int_equal(result.status, snug_success);
			assert_true(result.count > 0);
			assert_int_equal(snugTouches(other, body, NULL).count, 1);
			assert_int_equal(snugBody_Refit(body), snug_success);
			assert_int_equal(snugBody_Validate(body, NULL), snug_success);
			snugBounds bounds;
			assert_int_equal(snugBody_GetBounds(body, NULL, &bounds), snug_success);
			float* vertices = (float*)(void*)pairs;
			assert_int_equal(snugBody_GetVertices(body, NULL, vertices, 0), snug_success);
			Place(body, 1e300, 0, 0);
			assert_int_equal(snugCollide(body, other, NULL).status, snug_outOfRange);
		}
	}
	assert_int_equal(allocator.calls, calls);
	assert_int_equal(allocator.live, live);
	// What a body says that it holds is about what was allocated for it.
	size_t before = allocator.liveBytes;
	size_t memory = snugBody_GetMemory(things[0]);
	snugBody_Destroy(things[0]);
	size_t held = before - allocator.liveBytes;
	assert_true(memory <= held && memory + 1024 >= held);
	snugBody_Destroy(things[1]);
	snugBody_Destroy(things[2]);
	snugBody_Destroy(things[3]);
	snugBody_Destroy(other);
	snugPool_Destroy(pool);
	snugModel_Destroy(model);
	assert_int_equal(allocator.live, 0);
	assert_int_equal(allocator.faults, 0);
	free(positions);
	free(pairs);
}

// A model is destroyed with the allocator that made it, bodies with theirs.
static void allocators_are_not_mixed_up(void** state)
{
	(void)state;
	TestAllocator first = { 0 }, second = { 0 };
	TestMessages messages = { 0 };
	void *model, *body;
	assert_int_equal(MakeFreeModel(TestAllocator_Get(&first), TestMessages_Get(&messages), &model), snug_success);
	uint64_t live = first.live;
	assert_int_equal(
	    MakeBodyOf(model, NULL, TestAllocator_Get(&second), TestMessages_Get(&messages), &body), snug_success);
	assert_int_equal(first.live, live);
	snugBody_Destroy(body);
	assert_int_equal(second.live, 0);
	assert_int_equal(first.live, live);
	snugModel_Destroy(model);
	assert_int_equal(first.live, 0);
	assert_int_equal(first.faults + second.faults, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_leaks),
		cmocka_unit_test(every_failure_is_survived),
		cmocka_unit_test(saving_survives_failure),
		cmocka_unit_test(posing_and_querying_never_allocate),
		cmocka_unit_test(allocators_are_not_mixed_up),
	};
	return cmocka_run_group_tests(tests, SetUp, TearDown);
}
