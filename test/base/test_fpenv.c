// test/base/test_fpenv.c: hosts with odd floating-point environments get the same answers, and keep their environment.
//
// Audio and game engines set flush-to-zero; interval libraries set rounding modes; debuggers of numerics unmask traps.
#define _GNU_SOURCE // feenableexcept
#include "support.h"

#include "lab/scenes/pair_hash.h"
#include "snug/snug_queries.h"
#include "snug/snug_scene.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#define HAVE_MXCSR 1
#else
#define HAVE_MXCSR 0
#endif

// --- Environments --------------------------------------------------------------------------------------------------

typedef struct Environment
{
	const char* name;
	int rounding;
	bool flushes;     // results and operands that are subnormal count as zero
	bool traps;       // invalid, division by zero, overflow, underflow and inexact raise a signal
	bool raisedFlags; // every exception flag is up already
} Environment;

static const Environment environments[] = {
	{ "default", FE_TONEAREST, false, false, false },
	{ "upward", FE_UPWARD, false, false, false },
	{ "downward", FE_DOWNWARD, false, false, false },
	{ "toward zero", FE_TOWARDZERO, false, false, false },
	{ "flush to zero", FE_TONEAREST, true, false, false },
	{ "flush to zero, upward", FE_UPWARD, true, false, true },
	{ "traps", FE_TONEAREST, false, true, false },
	{ "traps, downward, flush", FE_DOWNWARD, true, true, false },
	{ "flags raised", FE_TONEAREST, false, false, true },
};

static fenv_t savedEnvironment;

static void Enter(const Environment* environment)
{
	fegetenv(&savedEnvironment);
	feclearexcept(FE_ALL_EXCEPT);
	assert_int_equal(fesetround(environment->rounding), 0);
	if (environment->raisedFlags)
	{
		feraiseexcept(FE_ALL_EXCEPT);
	}
#if HAVE_MXCSR
	if (environment->flushes)
	{
		_mm_setcsr(_mm_getcsr() | 0x8040);
	}
#endif
#if defined(__GLIBC__) && defined(__x86_64__)
	if (environment->traps)
	{
		feenableexcept(FE_ALL_EXCEPT);
	}
#endif
}

static void Leave(void)
{
	fesetenv(&savedEnvironment);
}

// All that can be read of the environment: mode, flush, masks and flags.
typedef struct Fingerprint
{
	unsigned control;
	int rounding;
	int flags;
} Fingerprint;

static Fingerprint Read(void)
{
	Fingerprint print = { 0, fegetround(), fetestexcept(FE_ALL_EXCEPT) };
#if HAVE_MXCSR
	print.control = _mm_getcsr();
#endif
	return print;
}

static bool SameFingerprint(Fingerprint a, Fingerprint b)
{
	return a.control == b.control && a.rounding == b.rounding && a.flags == b.flags;
}

// --- The same work everywhere --------------------------------------------------------------------------------------

// Made once, in the default environment.
static sceneMesh meshes[2];
static float fields[2 * 3 * 4096];
static float tinyMesh[9 * 8];
static uint32_t tinyTriangles[3 * 8];

// Where things are in one step.
typedef struct Station
{
	double origin[3];
	snugFrame frame;
} Station;

static Station stations[2][3]; // [tiny or not][step]

// What the work came to.
typedef struct Outcome
{
	uint64_t hash;
	int changes; // calls after which the environment was another one
	int callbacks;
	int wrongCallbacks; // callbacks that saw another environment than the caller's
} Outcome;

typedef struct Caller
{
	Outcome* outcome;
	Fingerprint expected;
} Caller;

static bool Callback(void* user, snugPair pair)
{
	Caller* caller = user;
	(void)pair;
	++caller->outcome->callbacks;
	caller->outcome->wrongCallbacks += !SameFingerprint(Read(), caller->expected);
	return true;
}

// Calls a function of the library and notes whether it left the environment alone.
#define CALL(outcome, call)                                      \
	do                                                           \
	{                                                            \
		Fingerprint before_ = Read();                            \
		call;                                                    \
		Fingerprint after_ = Read();                             \
		(outcome)->changes += !SameFingerprint(before_, after_); \
	} while (0)

static void HashBytes(uint64_t* hash, const void* bytes, size_t count)
{
	for (size_t i = 0; i + 4 <= count; i += 4)
	{
		uint32_t word;
		memcpy(&word, (const char*)bytes + i, sizeof(word));
		*hash = sceneHash_Word(*hash, word);
	}
}

static snugModel* BuildIn(Outcome* outcome, const float* positions, uint32_t vertexCount, const uint32_t* triangles,
    uint32_t triangleCount, snugTreeDef tree)
{
	snugModelDef def = { .positions = positions,
		.vertexCount = vertexCount,
		.triangles = triangles,
		.triangleCount = triangleCount,
		.deformer = snug_free,
		.tree = tree };
	snugModel* model = NULL;
	snugStatus status = snug_badArgument;
	CALL(outcome, status = snugModel_Create(&def, &model));
	size_t bytes = 0;
	const void* block = NULL;
	CALL(outcome, block = snugModel_GetBlock(model, &bytes));
	HashBytes(&outcome->hash, block, bytes);
	outcome->changes += status != snug_success;
	snugModel* loaded = NULL;
	CALL(outcome, status = snugModel_LoadMemory(block, bytes, NULL, &loaded));
	outcome->changes += status != snug_success;
	snugModel_Destroy(model);
	return loaded;
}

static void Ask(
    Outcome* outcome, snugBody* a, snugBody* b, const double origin[3], float* vertices, uint32_t vertexCount)
{
	snugPair pairs[4000];
	Caller caller = { outcome, Read() };
	snugQuery query = { .pairs = pairs, .capacity = 4000, .callback = Callback, .user = &caller };
	memcpy(query.origin, origin, sizeof(query.origin));
	snugResult result = { .status = snug_badArgument };
	CALL(outcome, result = snugCollide(a, b, &query));
	uint64_t kept = result.count < 4000 ? result.count : 4000;
	outcome->hash = sceneHash_Pairs(outcome->hash, pairs, kept);
	outcome->hash = sceneHash_Word(outcome->hash, (uint32_t)result.status);
	CALL(outcome, result = snugTouches(b, a, &query));
	outcome->hash = sceneHash_Word(outcome->hash, (uint32_t)result.count);
	snugStatus status = snug_badArgument;
	CALL(outcome, status = snugBody_GetVertices(a, origin, vertices, 0));
	outcome->hash = sceneHash_Word(outcome->hash, (uint32_t)status);
	HashBytes(&outcome->hash, vertices, 3 * sizeof(float) * vertexCount);
	snugBounds bounds;
	CALL(outcome, status = snugBody_GetBounds(a, origin, &bounds));
	HashBytes(&outcome->hash, &bounds, sizeof(bounds));
	CALL(outcome, status = snugBody_Validate(a, NULL));
	outcome->hash = sceneHash_Word(outcome->hash, (uint32_t)status);
}

// Builds, poses, places and asks.
static void WorkWith(Outcome* outcome, const snugModel* modelA, const snugModel* modelB, const float* positions,
    uint32_t vertexCount, const Station steps[3], float* vertices)
{
	snugBody *a = NULL, *b = NULL;
	CALL(outcome, snugBody_Create(&(snugBodyDef){ .model = modelA }, &a));
	CALL(outcome, snugBody_Create(&(snugBodyDef){ .model = modelB }, &b));
	for (int i = 0; i < 3; ++i)
	{
		snugStatus status = snug_badArgument;
		CALL(outcome, status = snugBody_SetFrame(b, &steps[i].frame));
		outcome->changes += status != snug_success;
		if (i > 0)
		{
			CALL(outcome, status = snugBody_SetVertices(a, positions, 0, 0, i == 1 ? vertexCount : 3));
			outcome->changes += status != snug_success;
			CALL(outcome, snugBody_Refit(a));
		}
		Ask(outcome, a, b, steps[i].origin, vertices, vertexCount);
	}
	// Errors leave the environment alone, too.
	snugFrame far = { .position = { 1e300, 0, 0 } };
	CALL(outcome, snugBody_SetFrame(b, &far));
	CALL(outcome, snugCollide(a, b, NULL));
	CALL(outcome, snugBody_SetFrame(b, &(snugFrame){ .rotation = { 1e-200, 0, 0, 3 } }));
	CALL(outcome, snugBody_Destroy(a));
	CALL(outcome, snugBody_Destroy(b));
}

// The same with displacement fields: the mesh itself, and subnormal ones.
static snugModel* BuildFieldsIn(Outcome* outcome, const sceneMesh* mesh)
{
	size_t floats = 3 * (size_t)mesh->vertexCount;
	snugModelDef def = { .positions = mesh->positions,
		.vertexCount = mesh->vertexCount,
		.triangles = mesh->triangles,
		.triangleCount = mesh->triangleCount,
		.deformer = snug_fields };
	def.fields = (snugFieldsDef){ .fieldCount = 2, .displacements = fields };
	snugModel *model = NULL, *loaded = NULL;
	snugStatus status = snug_badArgument;
	memcpy(fields, mesh->positions, floats * sizeof(float));
	for (size_t i = 0; i < floats; ++i)
	{
		uint32_t bits = (uint32_t)(i * 7919 % 40000); // a subnormal number
		memcpy(fields + floats + i, &bits, sizeof(bits));
	}
	CALL(outcome, status = snugModel_Create(&def, &model));
	outcome->changes += status != snug_success;
	size_t bytes = 0;
	const void* block = snugModel_GetBlock(model, &bytes);
	HashBytes(&outcome->hash, block, bytes);
	CALL(outcome, status = snugModel_LoadMemory(block, bytes, NULL, &loaded));
	outcome->changes += status != snug_success;
	snugModel_Destroy(model);
	return loaded;
}

static void WorkWithFields(Outcome* outcome, float* vertices)
{
	snugModel* models[2];
	snugBody* bodies[2] = { NULL, NULL };
	for (int k = 0; k < 2; ++k)
	{
		models[k] = BuildFieldsIn(outcome, &meshes[k]);
		CALL(outcome, snugBody_Create(&(snugBodyDef){ .model = models[k] }, &bodies[k]));
	}
	for (int i = 0; i < 3; ++i)
	{
		static const float amplitudes[3][2] = { { 0.0f, 3.0f }, { 0.1f, 3.0f }, { -0.2f, 3.0f } };
		snugStatus status = snug_badArgument;
		CALL(outcome, status = snugBody_SetAmplitudes(bodies[0], amplitudes[i], 2));
		outcome->changes += status != snug_success;
		CALL(outcome, snugBody_SetFrame(bodies[1], &stations[0][i].frame));
		Ask(outcome, bodies[0], bodies[1], stations[0][i].origin, vertices, meshes[0].vertexCount);
		const snugPlane plane = { .normal = { 0.3, -0.7, 0.1 }, .offset = 0.9 };
		bool isOutside = false;
		CALL(outcome, status = snugBody_IsOutside(bodies[0], NULL, &plane, 1, &isOutside));
		outcome->hash = sceneHash_Word(outcome->hash, isOutside);
	}
	const float bad[2] = { 1e38f, 1e38f };
	CALL(outcome, snugBody_SetAmplitudes(bodies[0], bad, 2));
	for (int k = 0; k < 2; ++k)
	{
		CALL(outcome, snugBody_Destroy(bodies[k]));
		CALL(outcome, snugModel_Destroy(models[k]));
	}
}

#define HASH(outcome, things) HashBytes(&(outcome)->hash, (things), sizeof(things))

// All other questions about one body.
static void AskOne(Outcome* outcome, snugBody* body)
{
	static const float points[4][3] = { { 0.1f, 0.2f, 0.3f }, { 2.0f, 0.1f, 0.0f }, { 0.9f, 0.0f, -0.3f },
		{ 1e-40f, 0, 0 } };
	static const snugRay rays[3] = { { { -3.0f, 0.1f, 0.2f }, { 3.0f, 0.3f, -0.1f } },
		{ { 0.1f, 0.2f, 0.3f }, { 0.1f, 9.0f, 0.3f } }, { { 5.0f, 5.0f, 5.0f }, { 6.0f, 5.0f, 5.0f } } };
	static const uint32_t numbers[3] = { 5, 0, 17 };
	snugRayHit hits[3] = { { .t = 0.0 } }, all[8] = { { .t = 0.0 } };
	snugClosest closest[4] = { { .distance = 0.0 } };
	snugPointSide places[4] = { { .winding = 0 } };
	float positions[3][3], corners[3][9];
	snugNodeBox boxes[64] = { { .node = 0 } }, box = { .node = 0 };
	uint64_t count = 0, visited = 0;
	CALL(outcome, snugCastRays(body, rays, 3, hits, NULL));
	HASH(outcome, hits);
	CALL(outcome, snugFindHits(body, rays, all, 8, NULL));
	HASH(outcome, all);
	CALL(outcome, snugFindClosest(body, points[0], 0, 4, closest, NULL));
	HASH(outcome, closest);
	CALL(outcome, snugFindInside(body, points[0], 0, 4, places, NULL));
	snugPointSide* sides = calloc(snugModel_GetInfo(snugBody_GetModel(body)).vertexCount + 1, sizeof(snugPointSide));
	CALL(outcome, snugFindSelfInside(body, sides, NULL));
	free(sides);
	HASH(outcome, places);
	for (int kind = 0; kind < 4; ++kind)
	{
		static const snugShapeKind kinds[] = { snug_shapeSphere, snug_shapeCapsule, snug_shapePlane,
			snug_shapeHalfSpace };
		snugShapeContact met[500];
		memset(met, 0, sizeof(met));
		const snugShape shape = { .kind = kinds[kind],
			.from = { 0.8f, 0.1f, 0.0f },
			.to = { 0.9f, 0.8f, 0.3f },
			.radius = 0.5f,
			.plane = { { -0.3, -0.5, 0.7 }, -0.1 } };
		const snugShapeQuery query = { .contacts = met, .capacity = 500 };
		snugResult result = { .status = snug_badArgument };
		CALL(outcome, result = snugCollideShape(body, &shape, &query));
		outcome->changes += result.status != snug_success || result.count == 0;
		HASH(outcome, met);
	}
	snugPair pairs[500] = { { 0, 0 } };
	const snugQuery self = { .pairs = pairs, .capacity = 500 };
	CALL(outcome, snugCollideSelf(body, &self));
	HASH(outcome, pairs);
	CALL(outcome, snugBody_GatherVertices(body, NULL, numbers, 3, positions[0], 0));
	HASH(outcome, positions);
	CALL(outcome, snugBody_GetCorners(body, NULL, numbers, 3, corners[0], 0));
	HASH(outcome, corners);
	CALL(outcome, snugBody_GetNodeBox(body, 0, &box));
	CALL(outcome, snugBody_GetBoxes(body, 2, boxes, 64, &count));
	CALL(outcome, snugBody_GetBoxes(body, SNUG_NONE, NULL, 0, &visited));
	outcome->hash = sceneHash_Word(outcome->hash, (uint32_t)(count + visited + box.level));
}

// And about two.
static void AskTwo(Outcome* outcome, snugBody* a, snugBody* b)
{
	snugPair pairs[2000] = { { 0, 0 } };
	snugDistanceResult distance = { .status = snug_badArgument };
	CALL(outcome, distance = snugFindDistance(a, b, NULL));
	HashBytes(&outcome->hash, &distance.distance, sizeof(distance.distance));
	const snugQuery within = { .pairs = pairs, .capacity = 2000 };
	CALL(outcome, snugCollideWithin(a, b, 0.1, &within));
	HASH(outcome, pairs);
	snugSide side = snug_onSurface;
	CALL(outcome, snugFindBodyInside(a, b, NULL, &side));
	outcome->hash = sceneHash_Word(outcome->hash, (uint32_t)side);
	snugNodePair entries[40];
	snugFrontier frontier = { .pairs = entries, .capacity = 40 };
	const snugTimedQuery timed = { .pairs = pairs, .capacity = 2000, .maxSteps = 30 };
	CALL(outcome, snugCollideInTime(a, b, &frontier, &timed));
	CALL(outcome, snugCollideInTime(a, b, &frontier, &timed));
	HASH(outcome, pairs);
	snugContactBuffer* buffer = NULL;
	CALL(outcome, snugContactBuffer_Create(&(snugContactBufferDef){ .capacity = 2000 }, &buffer));
	const snugContactQuery contacts = { .depths = true };
	snugContactResult found = { .status = snug_badArgument };
	CALL(outcome, snugFindSelfContacts(a, buffer, &contacts));
	CALL(outcome, found = snugFindContacts(a, b, buffer, &contacts));
	outcome->changes += !found.complete;
	HashBytes(&outcome->hash, found.points, found.pointCount * sizeof(snugContactPoint));
	HashBytes(&outcome->hash, found.depths, found.curveCount * sizeof(double));
	for (uint32_t i = 0; i < found.curveCount; ++i)
	{
		HashBytes(&outcome->hash, &found.curves[i].length, sizeof(double));
		HashBytes(&outcome->hash, found.curves[i].centroid, sizeof(found.curves[i].centroid));
	}
	CALL(outcome, snugContactBuffer_Destroy(buffer));
}

static void AskScene(Outcome* outcome, snugBody* bodies[2], const float* matrices, const Station* station)
{
	const snugSceneDef def = { .room = { .bodies = 2, .candidates = 4, .pairs = 4, .trianglePairs = 5000 } };
	snugScene* scene = NULL;
	uint32_t id;
	CALL(outcome, snugScene_Create(&def, &scene));
	for (int k = 0; k < 2; ++k)
	{
		CALL(outcome, snugScene_Add(scene, &(snugSceneBodyDef){ .body = bodies[k] }, &id));
	}
	const snugScenePoses poses = { .count = 1, .joints = matrices, .frames = &station->frame };
	CALL(outcome, snugScene_SetPoses(scene, &poses));
	CALL(outcome, snugScene_Update(scene, &(snugSceneQuery){ .trianglePairs = true }));
	uint64_t count = 0;
	const snugPair* pairs = snugScene_GetTrianglePairs(scene, &count);
	outcome->hash = sceneHash_Pairs(outcome->hash, pairs, count);
	outcome->changes += count == 0;
	static const snugRay ray = { { -3.0f, 0.1f, 0.2f }, { 3.0f, 0.3f, -0.1f } };
	snugRayHit hits[9] = { { .body = 0 } };
	CALL(outcome, snugScene_CastRays(scene, &ray, 1, hits, NULL));
	CALL(outcome, snugScene_FindHits(scene, &ray, hits + 1, 8, NULL));
	HASH(outcome, hits);
	CALL(outcome, snugScene_FindNear(scene, &(snugSceneNearQuery){ .margin = 0.3 }));
	snugSceneSweep first;
	CALL(outcome, snugScene_Sweep(scene, NULL, 0, NULL, &first));
	HashBytes(&outcome->hash, &first.sweep.time, sizeof(double));
	CALL(outcome, snugScene_SetOrigin(scene, station->origin));
	CALL(outcome, snugScene_Update(scene, NULL));
	CALL(outcome, snugScene_Destroy(scene));
}

// Skins of every kind against a rigid body: posed, and asked everything else that there is to ask.
static void WorkWithQueries(Outcome* outcome, Mover deformer)
{
	enum
	{
		MOST = 1024
	};
	static uint16_t joints[MOST];
	static float weights[MOST];
	snugModelDef def = MeshDef(&meshes[0], deformer, (snugTreeDef){ 0 });
	def.skin = (snugSkinDef){ .jointCount = 2, .influencesPerVertex = 1, .joints = joints, .weights = weights };
	def.skin.blending = Mover_Blending(deformer);
	for (uint32_t v = 0; v < meshes[0].vertexCount; ++v)
	{
		joints[v] = v % 2;
		weights[v] = 1.0f;
	}
	snugModel *skin = NULL, *rigid = NULL;
	CALL(outcome, snugModel_Create(&def, &skin));
	def = MeshDef(&meshes[1], snug_rigid, (snugTreeDef){ 0 });
	CALL(outcome, snugModel_Create(&def, &rigid));
	snugBody* bodies[2] = { NULL, NULL };
	CALL(outcome, snugBody_Create(&(snugBodyDef){ .model = skin }, &bodies[0]));
	CALL(outcome, snugBody_Create(&(snugBodyDef){ .model = rigid }, &bodies[1]));
	static const float matrices[24] = { 1, 0, 0, 0.1f, 0, 0.8f, -0.6f, 0, 0, 0.6f, 0.8f, 0.2f, 1, 0, 0, 1e-40f, 0, 1, 0,
		0, 0, 0, 1, 0.3f };
	static const float columns[32] = { 1, 0, 0, 0, 0, 0.8f, 0.6f, 0, 0, -0.6f, 0.8f, 0, 0.2f, 0, 0.1f, 1, 1, 0, 0, 0, 0,
		1, 0, 0, 0, 0, 1, 0, 0.1f, 0, 0.3f, 1 };
	snugStatus status = snug_badArgument;
	uint64_t open = 0;
	CALL(outcome, snugModel_CountOpenEdges(skin, &open));
	CALL(outcome, status = snugBody_SetJoints(bodies[0], matrices, 0, 2));
	outcome->changes += status != snug_success;
	AskOne(outcome, bodies[0]);
	AskTwo(outcome, bodies[0], bodies[1]);
	CALL(outcome, status = snugBody_SetJoints4x4(bodies[0], columns, 0, 2));
	outcome->changes += status != snug_success;
	AskOne(outcome, bodies[0]);
	AskTwo(outcome, bodies[1], bodies[0]);
	AskScene(outcome, bodies, matrices, &stations[0][1]);
	for (int k = 0; k < 2; ++k)
	{
		CALL(outcome, snugBody_Destroy(bodies[k]));
	}
	CALL(outcome, snugModel_Destroy(skin));
	CALL(outcome, snugModel_Destroy(rigid));
}

static Outcome Work(const Environment* environment, float* vertices)
{
	Outcome outcome = { .hash = SCENE_HASH_START };
	Enter(environment);
	snugModel* a = BuildIn(&outcome, meshes[0].positions, meshes[0].vertexCount, meshes[0].triangles,
	    meshes[0].triangleCount, (snugTreeDef){ 0 });
	snugModel* b = BuildIn(&outcome, meshes[1].positions, meshes[1].vertexCount, meshes[1].triangles,
	    meshes[1].triangleCount, (snugTreeDef){ .leafTriangles = 2 });
	WorkWith(&outcome, a, b, meshes[0].positions, meshes[0].vertexCount, stations[0], vertices);
	snugModel* tiny = BuildIn(&outcome, tinyMesh, 24, tinyTriangles, 8, (snugTreeDef){ .leafTriangles = 1 });
	snugModel* tinyToo = BuildIn(&outcome, tinyMesh, 24, tinyTriangles, 8, (snugTreeDef){ .leafTriangles = 3 });
	WorkWith(&outcome, tiny, tinyToo, tinyMesh, 24, stations[1], vertices);
	WorkWithFields(&outcome, vertices);
	WorkWithQueries(&outcome, snug_skin);
	WorkWithQueries(&outcome, mover_spherical);
	WorkWithQueries(&outcome, mover_dualQuaternion);
	CALL(&outcome, snugModel_Destroy(a));
	CALL(&outcome, snugModel_Destroy(b));
	CALL(&outcome, snugModel_Destroy(tiny));
	CALL(&outcome, snugModel_Destroy(tinyToo));
	Leave();
	return outcome;
}

static int SetUp(void** state)
{
	(void)state;
	meshes[0] = sceneMakeBlob(4, 1);
	meshes[1] = sceneMakeBlob(3, 2);
	// Subnormal triangles, the size of a few steps of float32's smallest numbers.
	sceneRandom random = { 3 };
	for (size_t i = 0; i < LENGTH_OF(tinyMesh); ++i)
	{
		tinyMesh[i] = (float)((double)sceneRandom_Index(&random, 40000) - 20000.0) * 0x1p-149f;
	}
	for (uint32_t i = 0; i < LENGTH_OF(tinyTriangles); ++i)
	{
		tinyTriangles[i] = i;
	}
	for (int tiny = 0; tiny < 2; ++tiny)
	{
		double scale = tiny != 0 ? 1e-41 : 1.0;
		Station* steps = stations[tiny];
		for (int i = 0; i < 3; ++i)
		{
			steps[i].frame = (snugFrame){ .position = { 0.3 * scale, 0.1 * scale, 0.05 * i * scale } };
		}
		steps[1].frame.rotation[1] = steps[2].frame.rotation[1] = 0.28;
		steps[1].frame.rotation[3] = steps[2].frame.rotation[3] = 0.96;
		memcpy(steps[1].origin, (double[3]){ 0.1 * scale, -0.2 * scale, 0.3 * scale }, sizeof(steps[1].origin));
		steps[2].origin[0] = 1e-310; // subnormal
	}
	return 0;
}

static int TearDown(void** state)
{
	(void)state;
	sceneMesh_Free(&meshes[0]);
	sceneMesh_Free(&meshes[1]);
	return 0;
}

// Vertices, bounds, blocks and pairs do not depend on the caller's environment, nor does it change. Would catch an
// entry point that forgets to enter or leave, or arithmetic that the compiler moved across.
static void answers_do_not_depend_on_the_environment(void** state)
{
	(void)state;
	float* vertices = malloc(3 * sizeof(float) * 4096);
	assert_non_null(vertices);
	Outcome expected = Work(&environments[0], vertices);
	assert_true(expected.callbacks > 100);
	int failures = 0;
	for (size_t i = 0; i < LENGTH_OF(environments); ++i)
	{
		Outcome outcome = Work(&environments[i], vertices);
		if (outcome.hash != expected.hash || outcome.changes != 0 || outcome.wrongCallbacks != 0 ||
		    outcome.callbacks != expected.callbacks)
		{
			print_error("%s: hash %s, %d calls changed the environment, %d of %d callbacks saw another one\n",
			    environments[i].name, outcome.hash == expected.hash ? "as expected" : "wrong", outcome.changes,
			    outcome.wrongCallbacks, outcome.callbacks);
			++failures;
		}
	}
	free(vertices);
	assert_int_equal(failures, 0);
}

// What a callback does to the environment is the caller's business: the query goes on undisturbed.
static bool DisturbingCallback(void* user, snugPair pair)
{
	(void)pair;
	int* calls = user;
	fesetround(*calls % 2 != 0 ? FE_UPWARD : FE_DOWNWARD);
#if HAVE_MXCSR
	_mm_setcsr(_mm_getcsr() | 0x8040);
#endif
	++*calls;
	return true;
}

static void DisturbingMessage(void* user, snugSeverity severity, const char* text)
{
	(void)severity;
	(void)text;
	DisturbingCallback(user, (snugPair){ 0, 0 });
}

// A skin whose weights do not sum to 1, which a warning says in the middle of the work: the same bytes whoever hears
// it.
static void messages_may_disturb(void** state)
{
	(void)state;
	sceneMesh mesh = sceneMakeBlob(8, 3);
	uint16_t* joints = calloc(2 * (size_t)mesh.vertexCount, sizeof(uint16_t));
	float* weights = calloc(2 * (size_t)mesh.vertexCount, sizeof(float));
	assert_true(joints != NULL && weights != NULL);
	for (uint32_t v = 0; v < mesh.vertexCount; ++v)
	{
		joints[2 * v + 1] = 1;
		weights[2 * v] = 0.1f + 0.3f * mesh.positions[3 * v] * mesh.positions[3 * v];
		weights[2 * v + 1] = 0.7f;
	}
	snugModelDef def = MeshDef(&mesh, snug_skin, (snugTreeDef){ 0 });
	def.skin = (snugSkinDef){ .jointCount = 2, .influencesPerVertex = 2, .joints = joints, .weights = weights };
	snugModel* models[2] = { NULL, NULL };
	int calls = 0;
	assert_int_equal(snugModel_Create(&def, &models[0]), snug_success);
	def.messenger = (snugMessenger){ .message = DisturbingMessage, .user = &calls };
	fenv_t kept;
	fegetenv(&kept);
	assert_int_equal(snugModel_Create(&def, &models[1]), snug_success);
	fesetenv(&kept);
	assert_true(calls > 0);
	size_t sizes[2];
	const void* blocks[2] = { snugModel_GetBlock(models[0], sizes), snugModel_GetBlock(models[1], sizes + 1) };
	assert_int_equal(sizes[0], sizes[1]);
	assert_memory_equal(blocks[0], blocks[1], sizes[0]);
	snugModel_Destroy(models[0]);
	snugModel_Destroy(models[1]);
	free(joints);
	free(weights);
	sceneMesh_Free(&mesh);
}

static void callbacks_may_disturb(void** state)
{
	(void)state;
	Thing a = Thing_Make(sceneMakeBlob(6, 1), snug_rigid, (snugTreeDef){ 0 }, NULL);
	Thing b = Thing_Make(sceneMakeBlob(6, 2), snug_rigid, (snugTreeDef){ 0 }, NULL);
	snugFrame frame = { .position = { 0.3, 0.2, 0.1 }, .rotation = { 0.6, 0, 0, 0.8 } };
	assert_int_equal(snugBody_SetFrame(b.body, &frame), snug_success);
	PairList expected = CollideAll(a.body, b.body, NULL);
	PairList found = { malloc((expected.count + 1) * sizeof(snugPair)), 0 };
	int calls = 0;
	snugQuery query = {
		.pairs = found.pairs, .capacity = expected.count, .callback = DisturbingCallback, .user = &calls
	};
	fenv_t kept;
	fegetenv(&kept);
	snugResult result = snugCollide(a.body, b.body, &query);
	fesetenv(&kept);
	found.count = result.count;
	AssertSamePairs("disturbing callback", 0, &expected, &found);
	assert_int_equal(calls, (int)expected.count);
	PairList_Free(&expected);
	PairList_Free(&found);
	Thing_Free(&a);
	Thing_Free(&b);
}

// The caller's threads find the caller's environment, whatever the query is at.
static void RunDownwards(void* user, uint32_t count, snugTaskFcn* task, void* context)
{
	*(int*)user += fegetround() == FE_DOWNWARD ? 0 : 1000;
	RunInOrder(user, count, task, context);
}

static void threads_find_the_callers_environment(void** state)
{
	(void)state;
	Thing a = Thing_Make(sceneMakeBlob(16, 1), snug_rigid, (snugTreeDef){ 0 }, NULL);
	Thing b = Thing_Make(sceneMakeBlob(16, 2), snug_rigid, (snugTreeDef){ 0 }, NULL);
	int calls = 0;
	snugQuery query = { .workers = { RunDownwards, &calls } };
	fesetround(FE_DOWNWARD);
	snugResult result = snugCollide(a.body, b.body, &query);
	int after = fegetround();
	fesetround(FE_TONEAREST);
	assert_int_equal(after, FE_DOWNWARD);
	assert_true(result.count > 0 && calls > 0 && calls < 1000);
	Thing_Free(&a);
	Thing_Free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_do_not_depend_on_the_environment),
		cmocka_unit_test(callbacks_may_disturb),
		cmocka_unit_test(messages_may_disturb),
		cmocka_unit_test(threads_find_the_callers_environment),
	};
	return cmocka_run_group_tests(tests, SetUp, TearDown);
}
