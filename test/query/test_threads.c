// test/query/test_threads.c: threads that share models and a pool, each with bodies of its own, find what one thread
// finds. Under the thread sanitizer this also shows that sharing needs no locks.
#define _POSIX_C_SOURCE 200809L
#include "fields_support.h"
#include "linear_support.h"
#include "workers.h"

#include "body/body.h"
#include "lab/scenes/pair_hash.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
	THREADS = 4,
	STEPS = 12,
	CAPACITY = 20000,
};

typedef struct Shared
{
	sceneMesh meshes[2];
	snugModel* models[2]; // free, rigid
	snugPool* pool;       // nullable
	pthread_barrier_t* start;
} Shared;

typedef struct Worker
{
	const Shared* shared;
	uint64_t seed;
	uint64_t hashes[STEPS];
	int faults;
} Worker;

static void Check(Worker* worker, bool condition)
{
	worker->faults += !condition;
}

// One frame: change the pose, fully or partly, place, ask. No cmocka in here: it does not know threads.
static uint64_t RunStep(
    Worker* worker, sceneRandom* random, int step, snugBody* moving, snugBody* still, float* positions, snugPair* pairs)
{
	const sceneMesh* mesh = &worker->shared->meshes[0];
	double height = sceneRandom_Range(random, 0.9, 1.1);
	for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; ++i)
	{
		positions[i] = (float)((double)mesh->positions[i] * (i % 3 == 0 ? height : 1.0));
	}
	bool isPartial = step % 3 == 2;
	uint32_t first = isPartial ? sceneRandom_Index(random, mesh->vertexCount - 8) : 0;
	uint32_t count = isPartial ? 8 : mesh->vertexCount;
	Check(worker, snugBody_SetVertices(moving, positions + 3 * first, 0, first, count) == snug_success);
	snugFrame frame = { .position = { sceneRandom_Range(random, 0.5, 1.5), 0.1, 0.2 } };
	frame.rotation[0] = 0.6;
	frame.rotation[3] = 0.8;
	Check(worker, snugBody_SetFrame(still, &frame) == snug_success);
	snugResult result = snugCollide(moving, still, &(snugQuery){ .pairs = pairs, .capacity = CAPACITY });
	Check(worker, result.status == snug_success && result.complete && result.count <= CAPACITY);
	snugResult touches = snugTouches(still, moving, NULL);
	Check(worker, touches.status == snug_success && touches.count == (result.count > 0));
	snugBounds bounds;
	Check(worker, snugBody_GetBounds(moving, NULL, &bounds) == snug_success);
	if (step % 4 == 0)
	{
		Check(worker, snugBody_Validate(moving, NULL) == snug_success);
	}
	return sceneHash_Pairs(SCENE_HASH_START, pairs, result.count);
}

static void* Work(void* argument)
{
	Worker* worker = argument;
	const Shared* shared = worker->shared;
	sceneRandom random = { worker->seed };
	float* positions = malloc(3 * sizeof(float) * shared->meshes[0].vertexCount);
	snugPair* pairs = malloc(CAPACITY * sizeof(snugPair));
	snugBody *moving = NULL, *still = NULL;
	snugBodyDef movingDef = { .model = shared->models[0], .pool = shared->pool };
	snugBodyDef stillDef = { .model = shared->models[1], .pool = shared->pool };
	if (shared->start != NULL)
	{
		pthread_barrier_wait(shared->start);
	}
	Check(worker, snugBody_Create(&movingDef, &moving) == snug_success);
	Check(worker, snugBody_Create(&stillDef, &still) == snug_success);
	for (int step = 0; step < STEPS && worker->faults == 0; ++step)
	{
		worker->hashes[step] = RunStep(worker, &random, step, moving, still, positions, pairs);
	}
	snugBody_Destroy(moving);
	snugBody_Destroy(still);
	free(positions);
	free(pairs);
	return NULL;
}

static Shared MakeShared(void)
{
	Shared shared = { .meshes = { sceneMakeBlob(14, 1), sceneMakeBlob(9, 2) } };
	shared.models[0] = MakeModel(&shared.meshes[0], snug_free, (snugTreeDef){ .leafTriangles = 4 });
	shared.models[1] = MakeModel(&shared.meshes[1], snug_rigid, (snugTreeDef){ 0 });
	return shared;
}

static void FreeShared(Shared* shared)
{
	for (int i = 0; i < 2; ++i)
	{
		snugModel_Destroy(shared->models[i]);
		sceneMesh_Free(&shared->meshes[i]);
	}
}

static void RunThreads(Shared* shared, Worker workers[THREADS])
{
	pthread_barrier_t barrier;
	pthread_t threads[THREADS];
	assert_int_equal(pthread_barrier_init(&barrier, NULL, THREADS), 0);
	shared->start = &barrier;
	for (int i = 0; i < THREADS; ++i)
	{
		workers[i] = (Worker){ .shared = shared, .seed = workers[i].seed };
		assert_int_equal(pthread_create(&threads[i], NULL, Work, &workers[i]), 0);
	}
	for (int i = 0; i < THREADS; ++i)
	{
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	}
	shared->start = NULL;
	pthread_barrier_destroy(&barrier);
}

// With pools from far too small to plenty: pages move between threads all the time, and answers stay the same.
static void threads_find_what_one_thread_finds(void** state)
{
	(void)state;
	static const size_t pages[] = { 0, 1, 3, 7, 12, 200 };
	Shared shared = MakeShared();
	uint64_t seed = TestSeed();
	for (int round = 0; round < TestCount(4); ++round)
	{
		Worker alone[THREADS], together[THREADS];
		for (int i = 0; i < THREADS; ++i)
		{
			uint64_t own = seed + (uint64_t)round * THREADS + (uint64_t)i;
			alone[i] = (Worker){ .shared = &shared, .seed = own };
			together[i] = alone[i];
			Work(&alone[i]);
			assert_int_equal(alone[i].faults, 0);
		}
		for (size_t p = 0; p <= LENGTH_OF(pages); p += TestScale() < 1.0 ? 3 : 1)
		{
			shared.pool = p < LENGTH_OF(pages) ? MakePool(pages[p] * sizeof(sgPage) + 1) : NULL;
			RunThreads(&shared, together);
			for (int i = 0; i < THREADS; ++i)
			{
				bool isSame = memcmp(alone[i].hashes, together[i].hashes, sizeof(alone[i].hashes)) == 0;
				if (together[i].faults != 0 || !isSame)
				{
					print_error("SNUG_SEED=%llu: with %zu pages a thread found something else\n",
					    (unsigned long long)seed, p < LENGTH_OF(pages) ? pages[p] : SIZE_MAX);
					fail();
				}
			}
			snugPool_Destroy(shared.pool);
			shared.pool = NULL;
		}
	}
	FreeShared(&shared);
}

// Models can be built, saved to memory, loaded and destroyed by many threads at once.
static void* BuildModels(void* argument)
{
	Worker* worker = argument;
	const sceneMesh* mesh = &worker->shared->meshes[1];
	snugModelDef def = MeshDef(mesh, snug_free, (snugTreeDef){ 0 });
	size_t sharedBytes, ownBytes;
	for (int i = 0; i < 5; ++i)
	{
		snugModel *model = NULL, *loaded = NULL;
		Check(worker, snugModel_Create(&def, &model) == snug_success);
		const void* block = snugModel_GetBlock(model, &ownBytes);
		Check(worker, snugModel_LoadMemory(block, ownBytes, NULL, &loaded) == snug_success);
		snugModel_Destroy(model);
		snugModel_Destroy(loaded);
		Check(worker, snugModel_GetBlock(worker->shared->models[0], &sharedBytes) != NULL);
		Check(worker, snugModel_LoadMemory(snugModel_GetBlock(worker->shared->models[0], &sharedBytes), sharedBytes,
		                  NULL, &loaded) == snug_success);
		snugModel_Destroy(loaded);
	}
	return NULL;
}

static void threads_build_and_load(void** state)
{
	(void)state;
	Shared shared = MakeShared();
	pthread_t threads[THREADS];
	Worker workers[THREADS];
	for (int i = 0; i < THREADS; ++i)
	{
		workers[i] = (Worker){ .shared = &shared };
		assert_int_equal(pthread_create(&threads[i], NULL, BuildModels, &workers[i]), 0);
	}
	for (int i = 0; i < THREADS; ++i)
	{
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(workers[i].faults, 0);
	}
	FreeShared(&shared);
}

static void* AskInstructionSet(void* argument)
{
	*(const char**)argument = snugGetInstructionSet();
	return NULL;
}

// The first use of the library may happen on many threads at once. Must be the first test.
static void threads_choose_one_instruction_set(void** state)
{
	(void)state;
	pthread_t threads[THREADS];
	const char* names[THREADS];
	for (int i = 0; i < THREADS; ++i)
	{
		assert_int_equal(pthread_create(&threads[i], NULL, AskInstructionSet, &names[i]), 0);
	}
	for (int i = 0; i < THREADS; ++i)
	{
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_string_equal(names[i], names[0]);
	}
}

// ---- Building -----------------------------------------------------------------------------------------------------

typedef struct Team
{
	int threads;
	uint64_t calls;
} Team;

// New threads for every call: what one call leaves must be seen by those of the next.
static void RunTeam(void* user, uint32_t count, snugTaskFcn* task, void* context)
{
	Team* team = user;
	++team->calls;
	RunOnThreads(&team->threads, count, task, context);
}

enum
{
	BUILD_KINDS = 12
};

// A definition of every deformer, with morph targets and without.
static snugModelDef MakeDef(int kind, const sceneMesh* mesh, const Skin* skin, const FieldSet* fields)
{
	static const Mover deformers[] = { snug_rigid, snug_free, snug_skin, snug_fields, mover_spherical,
		mover_dualQuaternion };
	Mover deformer = deformers[kind % 6];
	snugModelDef def = MeshDef(mesh, deformer, (snugTreeDef){ .leafTriangles = kind < 6 ? 8 : 3 });
	def.skin = Skin_Def(skin);
	def.skin.blending = Mover_Blending(deformer);
	bool isSkin = Mover_IsSkin(deformer);
	if (deformer == snug_fields || (isSkin && kind >= 6))
	{
		def.fields = FieldSet_Def(fields);
	}
	return def;
}

// The same bytes for any number of threads, and from an allocator that is not made for threads.
static void any_number_of_threads_builds_the_same_model(void** state)
{
	(void)state;
	static const int threads[] = { 1, 2, 3, 8 };
	sceneRandom random = { TestSeed() };
	sceneMesh mesh = sceneMakeBlob(18, 5);
	Skin skin = RandomSkin(&random, &mesh);
	FieldSet fields = RandomFields(&random, &mesh, 1.0);
	for (int kind = 0; kind < BUILD_KINDS; ++kind)
	{
		snugModelDef def = MakeDef(kind, &mesh, &skin, &fields);
		snugModel *alone = NULL, *shared = NULL;
		assert_int_equal(snugModel_Create(&def, &alone), snug_success);
		size_t bytes, sharedBytes;
		const void* block = snugModel_GetBlock(alone, &bytes);
		for (size_t i = TestScale() < 1.0 ? LENGTH_OF(threads) - 1 : 0; i < LENGTH_OF(threads); ++i)
		{
			Team team = { .threads = threads[i] };
			TestAllocator allocator = { 0 };
			def.workers.run = RunTeam;
			def.workers.user = &team;
			def.allocator = TestAllocator_Get(&allocator);
			assert_int_equal(snugModel_Create(&def, &shared), snug_success);
			const void* sharedBlock = snugModel_GetBlock(shared, &sharedBytes);
			assert_int_equal(bytes, sharedBytes);
			if (memcmp(block, sharedBlock, bytes) != 0)
			{
				fail_msg("kind %d, %d threads, SNUG_SEED=%llu: other bytes", kind, threads[i],
				    (unsigned long long)TestSeed());
			}
			assert_true(team.calls > 3);
			snugModel_Destroy(shared);
			assert_int_equal(allocator.live, 0);
			assert_int_equal(allocator.faults, 0);
		}
		snugModel_Destroy(alone);
	}
	Skin_Free(&skin);
	FieldSet_Free(&fields);
	sceneMesh_Free(&mesh);
}

// Weights that are repaired are told of once, whoever found them: how many, and the first of all vertices.
static void threads_tell_together_what_they_repaired(void** state)
{
	(void)state;
	sceneMesh mesh = sceneMakeBlob(24, 5);
	uint16_t* joints = calloc(mesh.vertexCount, sizeof(uint16_t));
	float* weights = malloc(mesh.vertexCount * sizeof(float));
	assert_true(joints != NULL && weights != NULL);
	for (int n = 0; n < TestCount(40); ++n)
	{
		sceneRandom random = { TestSeed() + (uint64_t)n };
		const uint32_t some = 1 + sceneRandom_Index(&random, 2000),
		               before = sceneRandom_Index(&random, mesh.vertexCount);
		uint32_t count = 0, first = 0;
		for (uint32_t v = 0; v < mesh.vertexCount; ++v)
		{
			const bool isWrong = v >= before && (v == before || sceneRandom_Index(&random, some) == 0);
			weights[v] = !isWrong ? 1.0f : n % 2 == 0 ? 0.0f : 3.0f;
			first = isWrong && count == 0 ? v : first;
			count += isWrong;
		}
		Team team = { .threads = 4 };
		TestMessages messages = { 0 };
		snugModelDef def = MeshDef(&mesh, snug_skin, (snugTreeDef){ 0 });
		def.skin = (snugSkinDef){ .jointCount = 1, .influencesPerVertex = 1, .joints = joints, .weights = weights };
		def.messenger = TestMessages_Get(&messages);
		def.workers.run = n % 4 < 2 ? NULL : RunTeam;
		def.workers.user = &team;
		snugModel* model;
		char expected[200];
		snprintf(expected, sizeof(expected),
		    n % 2 == 0 ? "%u vertices without weight follow their first joint, first vertex %u"
		               : "weights of %u vertices did not sum to 1 and were scaled, first those of vertex %u",
		    count, first);
		assert_int_equal(snugModel_Create(&def, &model), snug_success);
		assert_int_equal(messages.count, 1);
		assert_string_equal(messages.last, expected);
		snugModel_Destroy(model);
	}
	free(joints);
	free(weights);
	sceneMesh_Free(&mesh);
}

// Every allocation fails once while threads share the work: an error, and nothing is left behind.
static void lack_of_memory_is_reported(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	sceneMesh mesh = sceneMakeBlob(4, 5);
	Skin skin = RandomSkin(&random, &mesh);
	FieldSet fields = RandomFields(&random, &mesh, 1.0);
	for (int kind = 0; kind < BUILD_KINDS; ++kind)
	{
		snugModelDef def = MakeDef(kind, &mesh, &skin, &fields);
		snugStatus status = snug_outOfMemory;
		for (uint64_t failAt = 1; status != snug_success; ++failAt)
		{
			Team team = { .threads = 2 };
			TestAllocator allocator = { .failAt = failAt };
			snugModel* model = NULL;
			def.workers.run = failAt % 4 == 0 ? RunTeam : NULL; // threads for some: they take their time to start
			def.workers.user = &team;
			def.allocator = TestAllocator_Get(&allocator);
			status = snugModel_Create(&def, &model);
			assert_true(status == snug_outOfMemory || (status == snug_success && allocator.calls < failAt));
			assert_int_equal(model != NULL, status == snug_success);
			snugModel_Destroy(model);
			assert_int_equal(allocator.live, 0);
			assert_int_equal(allocator.faults, 0);
		}
	}
	Skin_Free(&skin);
	FieldSet_Free(&fields);
	sceneMesh_Free(&mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_choose_one_instruction_set),
		cmocka_unit_test(threads_find_what_one_thread_finds),
		cmocka_unit_test(threads_build_and_load),
		cmocka_unit_test(any_number_of_threads_builds_the_same_model),
		cmocka_unit_test(threads_tell_together_what_they_repaired),
		cmocka_unit_test(lack_of_memory_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
