// test/query/test_misuse.c: every public function called wrongly. It says so, tells the handler, and nothing happens.
#include "support.h"

#include "simd/kernels.h"
#include "snug/snug_queries.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Handler
{
	int calls;
	char condition[128];
	char function[64];
} Handler;

static Handler handler;

static void Handle(void* user, const char* condition, const char* function)
{
	Handler* h = user;
	++h->calls;
	assert_non_null(condition);
	assert_true(strlen(condition) > 0);
	snprintf(h->condition, sizeof(h->condition), "%s", condition);
	snprintf(h->function, sizeof(h->function), "%s", function);
	assert_memory_equal(function, "snug", 4); // the public function that was called
}

// A call that must be told to the handler, once.
#define ASSERT_MISUSE(expression)                     \
	do                                                \
	{                                                 \
		int before_ = handler.calls;                  \
		assert_true(expression);                      \
		assert_int_equal(handler.calls, before_ + 1); \
	} while (0)

#define ASSERT_BAD_ARGUMENT(call) ASSERT_MISUSE((call) == snug_badArgument)

static sceneMesh mesh;
static snugModel *rigidModel, *freeModel;
static snugBody *rigidBody, *freeBody;

static int SetUp(void** state)
{
	(void)state;
	mesh = sceneMakeTetrahedron();
	rigidModel = MakeModel(&mesh, snug_rigid, (snugTreeDef){ 0 });
	freeModel = MakeModel(&mesh, snug_free, (snugTreeDef){ 0 });
	rigidBody = MakeBody(rigidModel, NULL);
	freeBody = MakeBody(freeModel, NULL);
	snugSetAssertHandler(Handle, &handler);
	return 0;
}

static int TearDown(void** state)
{
	(void)state;
	snugSetAssertHandler(NULL, NULL);
	snugBody_Destroy(rigidBody);
	snugBody_Destroy(freeBody);
	snugModel_Destroy(rigidModel);
	snugModel_Destroy(freeModel);
	sceneMesh_Free(&mesh);
	return 0;
}

static void* SomeAllocate(void* user, size_t size, size_t alignment)
{
	(void)user;
	(void)size;
	(void)alignment;
	return NULL;
}

static void SomeRelease(void* user, void* memory, size_t size)
{
	(void)user;
	(void)memory;
	(void)size;
}

static const snugAllocator halfAllocators[2] = { { .allocate = SomeAllocate }, { .release = SomeRelease } };

static void nulls_are_told(void** state)
{
	(void)state;
	snugModelDef def = MeshDef(&mesh, snug_rigid, (snugTreeDef){ 0 });
	snugModel* model = rigidModel;
	snugPool* pool = (snugPool*)&def;
	snugBody* body = rigidBody;
	size_t bytes = 0;
	const void* block = snugModel_GetBlock(rigidModel, &bytes);
	float positions[12];
	snugBounds bounds;
	snugValidation validation = { .violations = 7 };

	ASSERT_BAD_ARGUMENT(snugModel_Create(&def, NULL));
	ASSERT_BAD_ARGUMENT(snugModel_Create(NULL, &model));
	assert_null(model);
	ASSERT_MISUSE(snugModel_GetInfo(NULL).nodeCount == 0);
	uint32_t corners[3];
	ASSERT_MISUSE(snugModel_GetTriangles(NULL, corners, 0) == snug_badArgument);
	ASSERT_MISUSE(snugModel_GetTriangles(rigidModel, NULL, 0) == snug_badArgument);
	ASSERT_MISUSE(snugModel_GetTriangles(rigidModel, corners, 8) == snug_badArgument);
	ASSERT_BAD_ARGUMENT(snugModel_GetPositions(NULL, positions, 0));
	ASSERT_BAD_ARGUMENT(snugModel_GetPositions(rigidModel, NULL, 0));
	ASSERT_BAD_ARGUMENT(snugModel_GetPositions(rigidModel, positions, 10));
	uint32_t starts[5];
	ASSERT_BAD_ARGUMENT(snugModel_GetWeights(NULL, starts, NULL, NULL));
	ASSERT_BAD_ARGUMENT(snugModel_GetWeights(rigidModel, NULL, NULL, NULL));
	ASSERT_BAD_ARGUMENT(snugModel_GetFields(NULL, starts, NULL, NULL));
	ASSERT_BAD_ARGUMENT(snugModel_GetFields(rigidModel, NULL, NULL, NULL));
	ASSERT_BAD_ARGUMENT(snugModel_GetJointPositions(NULL, positions, 1, starts));
	ASSERT_BAD_ARGUMENT(snugModel_GetFrequencies(rigidModel, positions, 1, NULL));
	ASSERT_BAD_ARGUMENT(snugModel_GetTwins(NULL, starts));
	ASSERT_BAD_ARGUMENT(snugModel_GetTwins(rigidModel, NULL));
	ASSERT_BAD_ARGUMENT(snugModel_GetNodeTriangles(NULL, 0, starts, 5, starts));
	ASSERT_BAD_ARGUMENT(snugModel_GetNodeTriangles(rigidModel, 0, NULL, 5, starts));
	ASSERT_MISUSE(snugModel_GetBlock(NULL, &bytes) == NULL);
	ASSERT_MISUSE(snugModel_GetBlock(rigidModel, NULL) == NULL);
	ASSERT_BAD_ARGUMENT(snugModel_LoadMemory(block, bytes, NULL, NULL));
	model = rigidModel;
	ASSERT_BAD_ARGUMENT(snugModel_LoadMemory(NULL, 10, NULL, &model));
	assert_null(model);
	ASSERT_BAD_ARGUMENT(snugModel_SaveFile(NULL, "x"));
	ASSERT_BAD_ARGUMENT(snugModel_SaveFile(rigidModel, NULL));
	ASSERT_BAD_ARGUMENT(snugModel_LoadFile("x", NULL, NULL));
	model = rigidModel;
	ASSERT_BAD_ARGUMENT(snugModel_LoadFile(NULL, NULL, &model));
	assert_null(model);

	ASSERT_BAD_ARGUMENT(snugPool_Create(NULL, &pool));
	assert_null(pool);
	ASSERT_BAD_ARGUMENT(snugPool_Create(&(snugPoolDef){ .bytes = 1000 }, NULL));
	pool = (snugPool*)&def;
	ASSERT_BAD_ARGUMENT(snugPool_Create(&(snugPoolDef){ .bytes = 0 }, &pool));
	assert_null(pool);

	ASSERT_BAD_ARGUMENT(snugBody_Create(NULL, &body));
	assert_null(body);
	ASSERT_BAD_ARGUMENT(snugBody_Create(&(snugBodyDef){ .model = rigidModel }, NULL));
	body = rigidBody;
	ASSERT_BAD_ARGUMENT(snugBody_Create(&(snugBodyDef){ .model = NULL }, &body));
	assert_null(body);
	ASSERT_MISUSE(snugBody_GetModel(NULL) == NULL);
	ASSERT_MISUSE(snugBody_GetMemory(NULL) == 0);
	ASSERT_BAD_ARGUMENT(snugBody_SetFrame(NULL, &(snugFrame){ 0 }));
	ASSERT_BAD_ARGUMENT(snugBody_SetFrame(rigidBody, NULL));
	ASSERT_BAD_ARGUMENT(snugBody_SetVertices(NULL, positions, 0, 0, 1));
	ASSERT_BAD_ARGUMENT(snugBody_SetVertices(freeBody, NULL, 0, 0, 1));
	ASSERT_BAD_ARGUMENT(snugBody_Refit(NULL));
	ASSERT_BAD_ARGUMENT(snugBody_DisplaceTogether(NULL, 1));
	ASSERT_BAD_ARGUMENT(snugBody_DisplaceTogether((snugBody*[]){ rigidBody, NULL }, 2));
	ASSERT_BAD_ARGUMENT(snugBody_DisplaceTogether((snugBody*[]){ rigidBody, freeBody }, 2));
	ASSERT_BAD_ARGUMENT(snugBody_GetVertices(NULL, NULL, positions, 0));
	ASSERT_BAD_ARGUMENT(snugBody_GetVertices(rigidBody, NULL, NULL, 0));
	ASSERT_BAD_ARGUMENT(snugBody_GetBounds(NULL, NULL, &bounds));
	assert_true(bounds.radius < 0.0f);
	ASSERT_BAD_ARGUMENT(snugBody_GetBounds(rigidBody, NULL, NULL));
	ASSERT_BAD_ARGUMENT(snugBody_Validate(NULL, &validation));
	assert_int_equal(validation.violations, 0);
	ASSERT_BAD_ARGUMENT(snugBody_Validate(NULL, NULL));

	ASSERT_BAD_ARGUMENT(snugCollide(NULL, rigidBody, NULL).status);
	ASSERT_BAD_ARGUMENT(snugCollide(rigidBody, NULL, NULL).status);
	ASSERT_BAD_ARGUMENT(snugTouches(NULL, NULL, NULL).status);
	snugResult result = snugCollide(NULL, NULL, NULL);
	assert_int_equal(result.count, 0);
	assert_false(result.complete);

	// These take null.
	int before = handler.calls;
	snugModel_Destroy(NULL);
	snugBody_Destroy(NULL);
	snugPool_Destroy(NULL);
	assert_int_equal(handler.calls, before);
}

static void wrong_arguments_are_told(void** state)
{
	(void)state;
	float positions[12] = { 0 };
	snugBounds bounds;
	const double badOrigin[3] = { 0.0, NAN, 0.0 }, infiniteOrigin[3] = { INFINITY, 0.0, 0.0 };
	// A body against itself is a question that is not answered.
	ASSERT_BAD_ARGUMENT(snugCollide(rigidBody, rigidBody, NULL).status);
	ASSERT_BAD_ARGUMENT(snugTouches(freeBody, freeBody, NULL).status);
	ASSERT_BAD_ARGUMENT(snugCollide(rigidBody, freeBody, &(snugQuery){ .capacity = 1 }).status);
	ASSERT_BAD_ARGUMENT(snugCollide(rigidBody, freeBody, &(snugQuery){ .origin = { NAN, 0, 0 } }).status);
	ASSERT_BAD_ARGUMENT(snugTouches(rigidBody, freeBody, &(snugQuery){ .origin = { 0, 0, -INFINITY } }).status);
	ASSERT_BAD_ARGUMENT(snugBody_GetVertices(rigidBody, badOrigin, positions, 0));
	ASSERT_BAD_ARGUMENT(snugBody_GetBounds(rigidBody, infiniteOrigin, &bounds));
	// A rigid body has nothing to set, a free one vertices alone.
	const snugMeshlessNode node = { .displacement = { 0 } };
	ASSERT_BAD_ARGUMENT(snugBody_SetVertices(rigidBody, positions, 0, 0, 1));
	for (int i = 0; i < 2; ++i)
	{
		snugBody* body = i == 0 ? rigidBody : freeBody;
		ASSERT_BAD_ARGUMENT(snugBody_SetMeshlessNodes(body, &node, 1));
		ASSERT_BAD_ARGUMENT(snugBody_SetJoints(body, positions, 0, 1));
		ASSERT_BAD_ARGUMENT(snugBody_SetJoints4x4(body, positions, 0, 1));
		ASSERT_BAD_ARGUMENT(snugBody_SetAmplitudes(body, positions, 1));
	}
	for (size_t stride = 1; stride < 20; ++stride)
	{
		if (stride != 12 && stride != 16)
		{
			ASSERT_BAD_ARGUMENT(snugBody_SetVertices(freeBody, positions, stride, 0, 1));
			ASSERT_BAD_ARGUMENT(snugBody_GetVertices(freeBody, NULL, positions, stride));
		}
	}
	for (int i = 0; i < 2; ++i)
	{
		snugModelDef def = MeshDef(&mesh, snug_rigid, (snugTreeDef){ 0 });
		def.allocator = halfAllocators[i];
		snugModel* model = rigidModel;
		ASSERT_BAD_ARGUMENT(snugModel_Create(&def, &model));
		assert_null(model);
		size_t bytes;
		const void* block = snugModel_GetBlock(rigidModel, &bytes);
		snugLoadDef load = { .allocator = halfAllocators[i] };
		ASSERT_BAD_ARGUMENT(snugModel_LoadMemory(block, bytes, &load, &model));
		ASSERT_BAD_ARGUMENT(snugModel_LoadFile("x", &load, &model));
		snugPool* pool = NULL;
		ASSERT_BAD_ARGUMENT(snugPool_Create(&(snugPoolDef){ .bytes = 1, .allocator = halfAllocators[i] }, &pool));
		snugBody* body = NULL;
		ASSERT_BAD_ARGUMENT(
		    snugBody_Create(&(snugBodyDef){ .model = rigidModel, .allocator = halfAllocators[i] }, &body));
	}
}

// Call with every byte of a struct's reserve set in turn. The sentence says what to do.
#define ASSERT_RESERVED(reserve, call)                                       \
	for (size_t byte_ = 0; byte_ < sizeof(reserve); ++byte_)                 \
	{                                                                        \
		((unsigned char*)(reserve))[byte_] = 1;                              \
		ASSERT_BAD_ARGUMENT(call);                                           \
		assert_non_null(strstr(handler.condition, "initialise all of the")); \
		((unsigned char*)(reserve))[byte_] = 0;                              \
	}

static void reserved_members_must_be_zero(void** state)
{
	(void)state;
	snugModelDef def = MeshDef(&mesh, snug_rigid, (snugTreeDef){ 0 });
	snugModel* model = NULL;
	ASSERT_RESERVED(def.reserved, snugModel_Create(&def, &model));
	ASSERT_RESERVED(def.tree.reserved, snugModel_Create(&def, &model));
	ASSERT_RESERVED(def.skin.reserved, snugModel_Create(&def, &model));
	ASSERT_RESERVED(def.fields.reserved, snugModel_Create(&def, &model));
	size_t bytes;
	const void* block = snugModel_GetBlock(rigidModel, &bytes);
	snugLoadDef load = { .allocator = { 0 } };
	ASSERT_RESERVED(load.reserved, snugModel_LoadMemory(block, bytes, &load, &model));
	ASSERT_RESERVED(load.reserved, snugModel_LoadFile("x", &load, &model));
	snugPoolDef poolDef = { .bytes = 5000 };
	snugPool* pool;
	ASSERT_RESERVED(poolDef.reserved, snugPool_Create(&poolDef, &pool));
	snugBodyDef bodyDef = { .model = rigidModel };
	snugBody* body;
	ASSERT_RESERVED(bodyDef.reserved, snugBody_Create(&bodyDef, &body));
	snugQuery query = { .capacity = 0 };
	ASSERT_RESERVED(query.reserved, snugCollide(rigidBody, freeBody, &query).status);
	ASSERT_RESERVED(query.reserved, snugTouches(rigidBody, freeBody, &query).status);
	assert_int_equal(snugModel_Create(&def, &model), snug_success);
	snugModel_Destroy(model);
}

// --- Definitions ---------------------------------------------------------------------------------------------------

static TestMessages messages;

static snugStatus TryModel(snugModelDef def)
{
	messages = (TestMessages){ 0 };
	def.messenger = TestMessages_Get(&messages);
	snugModel* model = rigidModel;
	snugStatus status = snugModel_Create(&def, &model);
	assert_true((status == snug_success) == (model != NULL));
	assert_int_equal(messages.count, status != snug_success);
	assert_int_equal(messages.severity, snug_error);
	assert_null(strchr(messages.last, '\n'));
	// Without a messenger it fails all the same.
	def.messenger = (snugMessenger){ 0 };
	snugModel* again = NULL;
	assert_int_equal(snugModel_Create(&def, &again), status);
	snugModel_Destroy(model);
	snugModel_Destroy(again);
	return status;
}

static void bad_meshes_are_named(void** state)
{
	(void)state;
	sceneMesh bad = sceneMakeBlob(2, 1);
	snugModelDef def = MeshDef(&bad, snug_free, (snugTreeDef){ 0 });
	static const float values[] = { NAN, INFINITY, -INFINITY, 1.01e36f, -1e38f };
	for (size_t i = 0; i < LENGTH_OF(values); ++i)
	{
		float kept = bad.positions[3 * 17 + 1];
		bad.positions[3 * 17 + 1] = values[i];
		assert_int_equal(TryModel(def), snug_badInput);
		assert_non_null(strstr(messages.last, "17"));
		assert_non_null(strchr(messages.last, 'y'));
		bad.positions[3 * 17 + 1] = kept;
	}
	bad.positions[3] = SNUG_MAX_COORDINATE;
	assert_int_equal(TryModel(def), snug_success);
	static const uint32_t indices[] = { UINT32_MAX, 1u << 31, 0 };
	for (size_t i = 0; i < LENGTH_OF(indices); ++i)
	{
		uint32_t kept = bad.triangles[3 * 23 + 2];
		bad.triangles[3 * 23 + 2] = indices[i] != 0 ? indices[i] : bad.vertexCount;
		assert_int_equal(TryModel(def), snug_badInput);
		assert_non_null(strstr(messages.last, "23"));
		bad.triangles[3 * 23 + 2] = kept;
	}
	def.vertexCount = 0;
	assert_int_equal(TryModel(def), snug_badInput); // triangles of no vertices
	sceneMesh_Free(&bad);
}

static void bad_definitions_are_refused(void** state)
{
	(void)state;
	const snugModelDef good = MeshDef(&mesh, snug_rigid, (snugTreeDef){ 0 });
	snugModelDef def = good;
	for (size_t stride = 1; stride < 20; ++stride)
	{
		bool isGood = stride == 12;
		if (stride != 16)
		{
			def = good;
			def.positionStride = stride;
			assert_int_equal(TryModel(def), isGood ? snug_success : snug_badArgument);
			def = good;
			def.triangleStride = stride;
			assert_int_equal(TryModel(def), isGood ? snug_success : snug_badArgument);
		}
	}
	static const int leafTriangles[] = { -1, 9, 1000, -2147483647 };
	for (size_t i = 0; i < LENGTH_OF(leafTriangles); ++i)
	{
		def = good;
		def.tree.leafTriangles = leafTriangles[i];
		assert_int_equal(TryModel(def), snug_badArgument);
	}
	def = good;
	def.deformer = (snugDeformer)1000;
	assert_int_equal(TryModel(def), snug_badArgument);
	def = good;
	def.positions = NULL;
	ASSERT_BAD_ARGUMENT(snugModel_Create(&def, &(snugModel*){ NULL }));
	def = good;
	def.triangles = NULL;
	ASSERT_BAD_ARGUMENT(snugModel_Create(&def, &(snugModel*){ NULL }));
	def = (snugModelDef){ 0 };
	assert_int_equal(TryModel(def), snug_success); // nothing at all is a model that touches nothing
}

// The likeliest slip: everything is given but the deformer.
static void forgotten_deformers_are_told(void** state)
{
	(void)state;
	TestMessages told = { 0 };
	snugModelDef def = MeshDef(&mesh, snug_rigid, (snugTreeDef){ 0 });
	def.messenger = TestMessages_Get(&told);
	def.fields.fieldCount = 2;
	snugModel* model = NULL;
	assert_int_equal(snugModel_Create(&def, &model), snug_success);
	assert_true(told.count == 1 && told.severity == snug_warning && strstr(told.last, "deformer") != NULL);
	snugModel_Destroy(model);
}

static void bad_frames_are_refused(void** state)
{
	(void)state;
	static const snugFrame bad[] = {
		{ .position = { NAN, 0, 0 } },
		{ .position = { 0, INFINITY, 0 } },
		{ .position = { 0, 0, -INFINITY } },
		{ .rotation = { NAN, 0, 0, 1 } },
		{ .rotation = { 0, 0, INFINITY, 1 } },
		{ .rotation = { 0, 0, 0, 2 } },
		{ .rotation = { 0, 0, 0, 1.011 } },
		{ .rotation = { 0, 0, 0, 0.989 } },
		{ .rotation = { 1e-200, 0, 0, 0 } },
		{ .rotation = { 1e200, 0, 0, 0 } },
		{ .rotation = { 1, 1, 0, 0 } },
	};
	TestMessages told = { 0 };
	snugBody* body = NULL;
	snugBodyDef def = { .model = rigidModel, .messenger = TestMessages_Get(&told) };
	assert_int_equal(snugBody_Create(&def, &body), snug_success);
	Place(body, 5.0, 6.0, 7.0);
	float before[12], after[12];
	assert_int_equal(snugBody_GetVertices(body, NULL, before, 0), snug_success);
	for (size_t i = 0; i < LENGTH_OF(bad); ++i)
	{
		assert_int_equal(snugBody_SetFrame(body, &bad[i]), snug_badInput);
		assert_int_equal(told.count, (int)i + 1);
		assert_int_equal(snugBody_GetVertices(body, NULL, after, 0), snug_success);
		assert_memory_equal(before, after, sizeof(before));
	}
	static const double lengths[] = { 0.991, 1.009, -1.0, 0.0 };
	for (size_t i = 0; i < LENGTH_OF(lengths); ++i)
	{
		snugFrame good = { .position = { 5, 6, 7 }, .rotation = { 0, 0, 0, lengths[i] } };
		assert_int_equal(snugBody_SetFrame(body, &good), snug_success);
		assert_int_equal(snugBody_GetVertices(body, NULL, after, 0), snug_success);
		assert_memory_equal(before, after, sizeof(before)); // normalised; zeros are no rotation
	}
	snugBody_Destroy(body);
}

static void ranges_of_vertices(void** state)
{
	(void)state;
	float positions[12] = { 0 };
	static const uint32_t bad[][2] = { { 0, 5 }, { 4, 1 }, { 5, 0 }, { 1, UINT32_MAX }, { UINT32_MAX, 1 },
		{ UINT32_MAX, UINT32_MAX }, { 3, 2 } };
	TestMessages told = { 0 };
	snugBody* body = NULL;
	snugBodyDef def = { .model = freeModel, .messenger = TestMessages_Get(&told) };
	assert_int_equal(snugBody_Create(&def, &body), snug_success);
	for (size_t i = 0; i < LENGTH_OF(bad); ++i)
	{
		assert_int_equal(snugBody_SetVertices(body, positions, 0, bad[i][0], bad[i][1]), snug_badArgument);
		assert_int_equal(told.count, (int)i + 1);
	}
	assert_int_equal(snugBody_SetVertices(body, positions, 0, 4, 0), snug_success);
	assert_int_equal(snugBody_SetVertices(body, NULL, 0, 0, 0), snug_success);
	assert_int_equal(snugBody_SetVertices(body, positions, 0, 3, 1), snug_success);
	snugBody_Destroy(body);
}

static void texts_and_names(void** state)
{
	(void)state;
	for (int status = 0; status <= snug_unavailable; ++status)
	{
		const char* text = snugGetStatusText((snugStatus)status);
		assert_non_null(text);
		assert_true(strlen(text) > 0);
		for (int other = 0; other < status; ++other)
		{
			assert_string_not_equal(text, snugGetStatusText((snugStatus)other));
		}
	}
	assert_non_null(snugGetStatusText((snugStatus)99));
	char version[64];
	snprintf(version, sizeof(version), "%d.%d.%d", SNUG_VERSION_MAJOR, SNUG_VERSION_MINOR, SNUG_VERSION_PATCH);
	assert_string_equal(snugGetVersion(), version);
	const char* isa = snugGetInstructionSet();
	bool isKnown = false;
	for (int i = 0; sgFindKernels(i) != NULL; ++i)
	{
		isKnown = isKnown || strcmp(isa, sgFindKernels(i)->name) == 0;
	}
	assert_true(isKnown);
}

// A model that has bodies is not destroyed: they would read what is gone. It is as good as before.
static void models_outlive_their_bodies(void** state)
{
	(void)state;
	Thing one = Thing_Make(sceneMakeTetrahedron(), snug_rigid, (snugTreeDef){ 0 }, NULL);
	snugBody* other;
	assert_int_equal(snugBody_Create(&(snugBodyDef){ .model = one.model }, &other), snug_success);
	ASSERT_MISUSE((snugModel_Destroy(one.model), true));
	snugBody_Destroy(other);
	ASSERT_MISUSE((snugModel_Destroy(one.model), true));
	assert_int_equal(snugModel_GetInfo(one.model).triangleCount, 4);
	Thing_Free(&one);
}

// Without a handler, and with one that was removed, misuse is only a status.
static void no_handler_is_needed(void** state)
{
	(void)state;
	snugSetAssertHandler(NULL, NULL);
	int before = handler.calls;
	assert_int_equal(snugBody_Refit(NULL), snug_badArgument);
	assert_int_equal(snugCollide(NULL, NULL, NULL).status, snug_badArgument);
	assert_int_equal(handler.calls, before);
	snugSetAssertHandler(Handle, &handler);
	assert_int_equal(snugBody_Refit(NULL), snug_badArgument);
	assert_int_equal(handler.calls, before + 1);
	assert_string_equal(handler.function, "snugBody_Refit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nulls_are_told),
		cmocka_unit_test(wrong_arguments_are_told),
		cmocka_unit_test(reserved_members_must_be_zero),
		cmocka_unit_test(bad_meshes_are_named),
		cmocka_unit_test(bad_definitions_are_refused),
		cmocka_unit_test(forgotten_deformers_are_told),
		cmocka_unit_test(bad_frames_are_refused),
		cmocka_unit_test(ranges_of_vertices),
		cmocka_unit_test(texts_and_names),
		cmocka_unit_test(models_outlive_their_bodies),
		cmocka_unit_test(no_handler_is_needed),
	};
	return cmocka_run_group_tests(tests, SetUp, TearDown);
}
