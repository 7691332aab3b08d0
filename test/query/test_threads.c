// test/query/test_threads.c: threads that share models and a pool, each with bodies of its own, or one query, find what
// one thread finds. Under the thread sanitizer this also shows that sharing needs no locks.
#define _POSIX_C_SOURCE 200809L
#include "skin_support.h"
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

// ---- Building, and one query
// -----------------------------------------------------------------------------------------------------

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
	KINDS = 24
};

/// What a body of some kind is made from and posed by: of every deformer, with morph targets and without, and of skins
/// that turn with pairs of joints and with too many of them.
typedef struct Source
{
	SkinnedMesh skinned;
	FieldSet fields;
	snugModelDef def;
} Source;

static Source Source_Make(int kind, uint64_t seed, uint32_t fineness)
{
	static const Mover deformers[] = { snug_rigid, snug_free, snug_skin, snug_fields, mover_spherical,
		mover_dualQuaternion };
	const Mover deformer = deformers[kind % 6];
	sceneRandom random = { seed };
	Source source = { .skinned = ScatteredSkin(&random, sceneMakeBlob(fineness, seed), kind < 12 ? 5 : 20) };
	source.fields = RandomFields(&random, &source.skinned.mesh, 1.0);
	const bool isMorphed = kind / 6 % 2 != 0;
	source.def = MeshDef(&source.skinned.mesh, deformer, (snugTreeDef){ .leafTriangles = isMorphed ? 3 : 8 });
	source.def.skin = Skin_Def(&source.skinned.skin);
	source.def.skin.blending = Mover_Blending(deformer);
	if (deformer == snug_fields || (Mover_IsSkin(deformer) && isMorphed))
	{
		source.def.fields = FieldSet_Def(&source.fields);
		source.def.certificates = true; // of those that have any
	}
	return source;
}

static void Source_Free(Source* source)
{
	SkinnedMesh_Free(&source->skinned);
	FieldSet_Free(&source->fields);
}

/// Pose a body as the source is, if it can be.
static void Source_Pose(const Source* source, snugBody* body)
{
	const Skin* skin = &source->skinned.skin;
	const sceneMesh* mesh = &source->skinned.mesh;
	if (source->def.deformer == snug_skin)
	{
		snugBody_SetJoints(body, skin->matrices, 0, skin->transformCount);
	}
	if (source->def.fields.fieldCount > 0)
	{
		snugBody_SetAmplitudes(body, source->fields.amplitudes, source->fields.fieldCount);
	}
	if (source->def.deformer == snug_free)
	{
		snugBody_SetVertices(body, mesh->positions, 0, 0, mesh->vertexCount);
	}
}

// The same bytes for any number of threads, from an allocator that is not made for threads and fills its memory with
// rubbish, and once more when they are loaded.
static void any_number_of_threads_builds_the_same_model(void** state)
{
	(void)state;
	static const int threads[] = { 1, 2, 3, 8 };
	for (int i = 0; i < TestCount(2 * KINDS); ++i)
	{
		Source source = Source_Make(i % KINDS, TestSeed() + (uint64_t)i, 15);
		snugModel* models[3];
		const void* blocks[3];
		size_t bytes[3];
		TestAllocator allocator = { 0 };
		Team team = { .threads = threads[i / 2 % 4] };
		for (int k = 0; k < 3; ++k)
		{
			const snugStatus status = k < 2 ? snugModel_Create(&source.def, &models[k])
			                                : snugModel_LoadMemory(blocks[1], bytes[1], NULL, &models[k]);
			assert_int_equal(status, snug_success);
			blocks[k] = snugModel_GetBlock(models[k], &bytes[k]);
			if (bytes[k] != bytes[0] || memcmp(blocks[0], blocks[k], bytes[0]) != 0)
			{
				fail_msg("kind %d, %d threads, SNUG_SEED=%llu: other bytes", i % KINDS, team.threads,
				    (unsigned long long)TestSeed() + (unsigned)i);
			}
			source.def.workers = (snugWorkers){ RunTeam, &team };
			source.def.allocator = TestAllocator_Get(&allocator);
		}
		assert_true(team.calls > 3);
		for (int k = 0; k < 3; ++k)
		{
			snugModel_Destroy(models[k]);
		}
		assert_int_equal(allocator.live, 0);
		assert_int_equal(allocator.faults, 0);
		Source_Free(&source);
	}
}

// One query on several threads finds what one thread finds: of every two kinds, by every strategy, in every sort of
// pose.
static void threads_answer_a_query_together(void** state)
{
	(void)state;
	static snugPair found[CAPACITY];
	uint64_t total = 0;
	for (int i = 0; i < TestCount(KINDS); ++i)
	{
		const uint64_t seed = TestSeed() + (uint64_t)i;
		sceneRandom random = { seed };
		snugBody* bodies[2];
		Source sources[2];
		snugModel* models[2];
		for (int k = 0; k < 2; ++k)
		{
			sources[k] = Source_Make(k == 0 ? i % KINDS : (5 * i + 3) % KINDS, seed + (uint64_t)k, 12);
			sources[k].def.certificates = false; // of no use to two bodies
			assert_int_equal(snugModel_Create(&sources[k].def, &models[k]), snug_success);
			const snugBodyDef def = { .model = models[k], .strategy = (snugStrategy)(i % 4) };
			assert_int_equal(snugBody_Create(&def, &bodies[k]), snug_success);
		}
		Place(bodies[1], 1.4, 0.2, 0.1);
		for (int pose = 0; pose < 2; ++pose)
		{
			for (int k = 0; k < 2; ++k)
			{
				(pose % 2 == 0 ? TurnJoints : NudgeJoints)(&random, &sources[k].skinned);
				for (uint32_t f = 0; f < sources[k].fields.fieldCount; ++f)
				{
					sources[k].fields.amplitudes[f] = (float)sceneRandom_Range(&random, -0.02, 0.02);
				}
				Source_Pose(&sources[k], bodies[k]);
			}
			const snugQuery query = { .pairs = found, .capacity = CAPACITY, .workers.run = RunOnThreads };
			const snugResult together = snugCollide(bodies[0], bodies[1], &query);
			for (int k = 0; k < 2; ++k)
			{
				Source_Pose(&sources[k], bodies[k]); // anew: nothing that threads left is there
			}
			PairList alone = CollideAll(bodies[0], bodies[1], NULL);
			assert_int_equal(together.status, snug_success);
			assert_int_equal(together.count, alone.count);
			assert_memory_equal(
			    found, alone.pairs, (alone.count < CAPACITY ? alone.count : CAPACITY) * sizeof(snugPair));
			total += alone.count;
			PairList_Free(&alone);
		}
		for (int k = 0; k < 2; ++k)
		{
			snugBody_Destroy(bodies[k]);
			snugModel_Destroy(models[k]);
			Source_Free(&sources[k]);
		}
	}
	print_message("%llu pairs\n", (unsigned long long)total);
	assert_true(total > 0);
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

/// What is made through an allocator: a model from its definition, from its bytes, and a body that is posed and asked.
static snugStatus MakeAll(const Source* source, TestAllocator* counting)
{
	snugModel *made = NULL, *loaded = NULL;
	snugBody* body = NULL;
	const snugAllocator allocator = TestAllocator_Get(counting);
	snugModelDef def = source->def;
	def.allocator = allocator;
	snugStatus status = snugModel_Create(&def, &made);
	assert_int_equal(made != NULL, status == snug_success);
	if (status == snug_success)
	{
		size_t bytes;
		const void* block = snugModel_GetBlock(made, &bytes);
		status = snugModel_LoadMemory(block, bytes, &(snugLoadDef){ .allocator = allocator }, &loaded);
	}
	if (status == snug_success)
	{
		status = snugBody_Create(&(snugBodyDef){ .model = loaded, .allocator = allocator }, &body);
	}
	if (status == snug_success)
	{
		const uint64_t calls = counting->calls;
		snugBounds bounds;
		Source_Pose(source, body);
		assert_int_equal(snugBody_GetBounds(body, NULL, &bounds), snug_success);
		assert_int_equal(counting->calls, calls); // neither posing nor what is derived allocates
	}
	snugBody_Destroy(body);
	snugModel_Destroy(loaded);
	snugModel_Destroy(made);
	return status;
}

// Every allocation fails once, also while threads share the work: an error, and nothing is left behind.
static void lack_of_memory_is_reported(void** state)
{
	(void)state;
	for (int kind = 0; kind < KINDS; ++kind)
	{
		Source source = Source_Make(kind, TestSeed() + (uint64_t)kind, 3);
		snugStatus status = snug_outOfMemory;
		for (uint64_t failAt = 1; status != snug_success; ++failAt)
		{
			Team team = { .threads = 2 };
			TestAllocator allocator = { .failAt = failAt };
			source.def.workers.run =
			    failAt % 4 == 0 ? RunTeam : NULL; // threads for some: they take their time to start
			source.def.workers.user = &team;
			status = MakeAll(&source, &allocator);
			assert_true(status == snug_outOfMemory || (status == snug_success && allocator.calls < failAt));
			assert_int_equal(allocator.live, 0);
			assert_int_equal(allocator.faults, 0);
		}
		Source_Free(&source);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_choose_one_instruction_set),
		cmocka_unit_test(threads_find_what_one_thread_finds),
		cmocka_unit_test(threads_build_and_load),
		cmocka_unit_test(any_number_of_threads_builds_the_same_model),
		cmocka_unit_test(threads_answer_a_query_together),
		cmocka_unit_test(threads_tell_together_what_they_repaired),
		cmocka_unit_test(lack_of_memory_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
