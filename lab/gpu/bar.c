// lab/gpu/bar.c: a crowd of one character on a device, beside a scene of the same: hashes that must agree, and times.
//
//     snug-gpu-bar BACKEND FILE COUNT SPACING [THREADS]
//
// BACKEND: cuda or reference; or scene, for how that scales with threads. COUNT bodies of the file's first mesh stand
// SPACING metres apart, in poses of all its clips. THREADS: of the scene; 0: none is made. Times are of warm updates
// with poses on the device, least and median of several; then each kernel's, waited for one by one. With
// SNUG_GPU_TRACE=1 every kernel is waited for and named, with what it was given: errors of a GPU are told late, and the
// last one named is whose they are.
#define _POSIX_C_SOURCE 200809L
#include "gpu/crowd.h"

#include "body/body.h"
#include "deform/skin/linear.h"
#include "lab/bench/threads.h"
#include "lab/scenes/pair_hash.h"
#include "lab/scenes/random.h"
#include "program/files/clock.h"
#include "snug/snug_io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
	PER_CLIP = 16,
	WARM = 10,
	REPEATS = 30,
	COMPARED = 200, // bodies whose positions are hashed
};

typedef struct Cast
{
	const snugModel* model;
	snugActor* actor;
	uint32_t joints, poseCount;
	float* poses;
} Cast;

typedef struct Crowd
{
	uint32_t count;
	float* joints;
	snugFrame* frames;
} Crowd;

static void Die(const char* what)
{
	fprintf(stderr, "snug-gpu-bar: %s\n", what);
	exit(1);
}

static void Tell(void* user, snugSeverity severity, const char* text)
{
	(void)user;
	(void)severity;
	fprintf(stderr, "snug-gpu-bar: %s\n", text);
}

// ---- The crowd ------------------------------------------------------------------------------------------------------

// What a posed body has, in the order of joints.
static void ReadJoints(const snugBody* body, float* out)
{
	const sgLinearArrays* arrays = body->model->arrays;
	const float* across = sgLinearPose_Across(body->posed.pose);
	for (uint32_t i = 0; i < arrays->blend.header->transformCount; ++i)
	{
		float* matrix = out + 12 * (size_t)arrays->blend.across[i];
		for (uint32_t k = 0; k < 12; ++k)
		{
			matrix[k] = across[(size_t)(i / SG_LANES) * SG_ACROSS_FLOATS + k * SG_LANES + i % SG_LANES];
		}
	}
}

static void MakeCast(Cast* cast, const char* path)
{
	snugAsset* asset;
	const snugAssetDef assetDef = { .messenger = { Tell, NULL } };
	const uint32_t first = 0;
	const snugActorDef def = { .instances = &first, .instanceCount = 1, .messenger = { Tell, NULL } };
	if (snugAsset_LoadFile(path, &assetDef, &asset) != snug_success ||
	    snugActor_Create(asset, &def, &cast->actor) != snug_success)
	{
		Die("no character");
	}
	uint32_t count;
	snugBody* body = snugActor_GetBodies(cast->actor, &count)[0];
	cast->model = snugBody_GetModel(body);
	if (cast->model->info.deformer != snug_skin || cast->model->info.blending != snug_blendLinear)
	{
		Die("not a linear skin");
	}
	cast->joints = cast->model->info.jointCount;
	const uint32_t clips = snugAsset_GetInfo(asset).clipCount;
	cast->poseCount = clips * PER_CLIP;
	cast->poses = malloc((size_t)12 * cast->joints * cast->poseCount * sizeof(float));
	for (uint32_t i = 0; i < cast->poseCount; ++i)
	{
		snugClip clip;
		snugAsset_GetClip(asset, i / PER_CLIP, &clip);
		const double time = clip.start + (clip.end - clip.start) * (i % PER_CLIP) / PER_CLIP;
		if (snugActor_SetTime(cast->actor, i / PER_CLIP, time, NULL) != snug_success)
		{
			Die("a clip cannot be posed");
		}
		ReadJoints(body, cast->poses + (size_t)12 * cast->joints * i);
	}
}

static void MakeCrowdOf(const Cast* cast, uint32_t count, double spacing, Crowd* crowd)
{
	const uint32_t side = (uint32_t)ceil(sqrt((double)count));
	const size_t floats = (size_t)12 * cast->joints;
	sceneRandom random = { 1 };
	*crowd = (Crowd){ count, malloc(floats * count * sizeof(float)), calloc(count, sizeof(snugFrame)) };
	for (uint32_t i = 0; i < count; ++i)
	{
		const uint32_t pose = sceneRandom_Index(&random, cast->poseCount);
		memcpy(crowd->joints + floats * i, cast->poses + floats * pose, floats * sizeof(float));
		const double t = sceneRandom_Range(&random, -1.0, 1.0), d = 1.0 + t * t;
		crowd->frames[i] = (snugFrame){
			.position = { ((i % side) - 0.5 * side + sceneRandom_Range(&random, -0.25, 0.25)) * spacing, 0.0,
			    ((i / side) - 0.5 * side + sceneRandom_Range(&random, -0.25, 0.25)) * spacing },
			.rotation = { 0.0, 2.0 * t / d, 0.0, (1.0 - t * t) / d },
		};
	}
}

// ---- The scene ------------------------------------------------------------------------------------------------------

typedef struct Answer
{
	uint64_t pairs, trianglePairs, hash, positions;
	double ms;
} Answer;

typedef struct Stage
{
	snugScene* scene;
	snugPool* pool;
	snugBody** bodies;
	uint32_t count;
	snugScenePoses poses;
	double posing, updating; // ms, least
} Stage;

// Bodies from `first` on.
static void Stage_Make(
    Stage* stage, const Cast* cast, const Crowd* crowd, uint32_t first, uint32_t count, benchThreads* workers)
{
	snugSceneDef def = { .room = { .bodies = count,
		                     .candidates = 128ull * count,
		                     .pairs = 64ull * count,
		                     .trianglePairs = 65536 + 400ull * count } };
	def.workers = (snugWorkers){ workers != NULL ? benchThreads_Run : NULL, workers };
	const snugPoolDef poolDef = { .bytes = (size_t)count * 131072 };
	*stage = (Stage){ .bodies = calloc(count, sizeof(snugBody*)),
		.count = count,
		.poses = { .count = count,
		    .joints = crowd->joints + (size_t)12 * cast->joints * first,
		    .frames = crowd->frames + first },
		.posing = INFINITY,
		.updating = INFINITY };
	if (snugScene_Create(&def, &stage->scene) != snug_success ||
	    snugPool_Create(&poolDef, &stage->pool) != snug_success)
	{
		Die("no memory for a scene");
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		const snugBodyDef body = { .model = cast->model, .pool = stage->pool };
		uint32_t id;
		if (snugBody_Create(&body, stage->bodies + i) != snug_success ||
		    snugScene_Add(stage->scene, &(snugSceneBodyDef){ .body = stage->bodies[i] }, &id) != snug_success)
		{
			Die("no memory for bodies");
		}
	}
}

static void Stage_Free(Stage* stage)
{
	snugScene_Destroy(stage->scene);
	for (uint32_t i = 0; i < stage->count; ++i)
	{
		snugBody_Destroy(stage->bodies[i]);
	}
	free(stage->bodies);
	snugPool_Destroy(stage->pool);
}

static void Stage_Step(Stage* stage)
{
	const snugSceneQuery query = { .trianglePairs = true };
	const double origin[3] = { 0.0, 0.0, 0.0 };
	snugScene_SetOrigin(stage->scene, origin); // set again, it makes everything new
	const double start = clockNow();
	const snugStatus posed = snugScene_SetPoses(stage->scene, &stage->poses);
	const double middle = clockNow();
	if (posed != snug_success || snugScene_Update(stage->scene, &query).status != snug_success)
	{
		Die("the scene does not update");
	}
	stage->posing = fmin(stage->posing, middle - start);
	stage->updating = fmin(stage->updating, clockNow() - middle);
}

static Answer AskScene(const Cast* cast, const Crowd* crowd, int threads)
{
	Answer answer = { .ms = INFINITY };
	const double origin[3] = { 0.0, 0.0, 0.0 };
	benchThreads* workers = threads > 1 ? benchThreads_Create(threads - 1) : NULL;
	Stage stage;
	Stage_Make(&stage, cast, crowd, 0, crowd->count, workers);
	for (int i = 0; i < 3; ++i)
	{
		const double start = clockNow();
		Stage_Step(&stage);
		answer.ms = fmin(answer.ms, clockNow() - start);
	}
	const snugScenePair* pairs = snugScene_GetPairs(stage.scene, &answer.pairs);
	const snugPair* triangles = snugScene_GetTrianglePairs(stage.scene, &answer.trianglePairs);
	answer.hash = sceneHash_Scene(pairs, answer.pairs, triangles);
	float* positions = malloc((size_t)3 * cast->model->tree.vertexCount * sizeof(float));
	answer.positions = SCENE_HASH_START;
	for (uint32_t i = 0; i < COMPARED && i < crowd->count; ++i)
	{
		snugBody_GetVertices(stage.bodies[i], origin, positions, 0);
		answer.positions = sceneHash_Floats(answer.positions, positions, (size_t)3 * cast->model->tree.vertexCount);
	}
	free(positions);
	Stage_Free(&stage);
	benchThreads_Destroy(workers);
	return answer;
}

// ---- How scenes scale -----------------------------------------------------------------------------------------------

static void StepAlone(void* context, uint32_t index)
{
	Stage_Step((Stage*)context + index);
}

// The scene on one thread and on many, and as many scenes of a part each at once, which share nothing: what cores
// reach.
static void PrintScaling(const Cast* cast, const Crowd* crowd, int threads)
{
	const int counts[] = { 1, threads };
	for (int k = 0; k < 2; ++k)
	{
		benchThreads* workers = counts[k] > 1 ? benchThreads_Create(counts[k] - 1) : NULL;
		Stage stage;
		Stage_Make(&stage, cast, crowd, 0, crowd->count, workers);
		for (int i = 0; i < REPEATS / 3; ++i)
		{
			Stage_Step(&stage);
		}
		uint64_t pairs;
		(void)snugScene_GetTrianglePairs(stage.scene, &pairs);
		printf("  %2d threads: SetPoses %.2f ms, Update %.2f, %llu triangle pairs\n", counts[k], stage.posing,
		    stage.updating, (unsigned long long)pairs);
		Stage_Free(&stage);
		benchThreads_Destroy(workers);
	}
	benchThreads* workers = benchThreads_Create(threads - 1);
	Stage* parts = calloc((size_t)threads, sizeof(Stage));
	const uint32_t size = crowd->count / (uint32_t)threads;
	for (int i = 0; i < threads; ++i)
	{
		Stage_Make(parts + i, cast, crowd, (uint32_t)i * size, size, NULL);
	}
	double least = INFINITY;
	for (int i = 0; i < REPEATS / 3; ++i)
	{
		const double start = clockNow();
		benchThreads_Run(workers, (uint32_t)threads, StepAlone, parts);
		least = fmin(least, clockNow() - start);
	}
	uint64_t total = 0, pairs;
	for (int i = 0; i < threads; ++i)
	{
		(void)snugScene_GetTrianglePairs(parts[i].scene, &pairs);
		total += pairs;
		Stage_Free(parts + i);
	}
	printf(
	    "  %2d scenes at once, each a part: %.2f ms, %llu triangle pairs\n", threads, least, (unsigned long long)total);
	free(parts);
	benchThreads_Destroy(workers);
}

// ---- The device -----------------------------------------------------------------------------------------------------

static const char* const kernelNames[] = {
#define BAR_NAME(name) #name,
	SG_GPU_KERNELS(BAR_NAME)
#undef BAR_NAME
};
static const sgDeviceMethods* plain;
static double kernelMs[SG_GPU_KERNEL_COUNT];
static uint32_t kernelRuns[SG_GPU_KERNEL_COUNT];
static bool isTraced;

static void LaunchTimed(snugDevice* device, sgKernel kernel, const sgWorld* world, const sgStep* step, uint64_t tasks)
{
	const double start = clockNow();
	plain->launch(device, kernel, world, step, tasks);
	plain->wait(device);
	kernelMs[kernel] += clockNow() - start;
	++kernelRuns[kernel];
	if (isTraced)
	{
		fprintf(stderr, "  %s, level %u, %llu tasks: %s\n", kernelNames[kernel], step->level, (unsigned long long)tasks,
		    device->hasFailed ? "FAILED" : "done");
	}
}

// An update in which every kernel is waited for.
static snugCrowdResult UpdateTimed(snugDevice* device, snugCrowd* crowd, const snugCrowdQuery* query)
{
	sgDeviceMethods timed = *device->methods;
	plain = device->methods;
	timed.launch = LaunchTimed;
	device->methods = &timed;
	snugCrowd_Update(crowd, query);
	const snugCrowdResult result = snugCrowd_Wait(crowd);
	device->methods = plain;
	return result;
}

static void PrintKernels(snugDevice* device, snugCrowd* crowd, const snugCrowdQuery* query)
{
	memset(kernelMs, 0, sizeof(kernelMs));
	memset(kernelRuns, 0, sizeof(kernelRuns));
	(void)UpdateTimed(device, crowd, query);
	printf("  kernels, ms, each waited for:");
	for (int i = 0; i < SG_GPU_KERNEL_COUNT; ++i)
	{
		if (kernelRuns[i] > 0)
		{
			printf(" %s %.3f (%u)", kernelNames[i], kernelMs[i], kernelRuns[i]);
		}
	}
	printf("\n");
}

static int CompareDoubles(const void* a, const void* b)
{
	const double x = *(const double*)a, y = *(const double*)b;
	return (x > y) - (x < y);
}

static void TimeUpdates(snugCrowd* crowd, const char* what, const snugCrowdQuery* query, int repeats)
{
	double times[REPEATS];
	for (int i = -WARM; i < repeats; ++i)
	{
		const double start = clockNow();
		snugCrowd_Update(crowd, query);
		const snugCrowdResult result = snugCrowd_Wait(crowd);
		if (result.status != snug_success)
		{
			Die("the crowd does not update");
		}
		times[i < 0 ? 0 : i] = clockNow() - start;
	}
	qsort(times, (size_t)repeats, sizeof(double), CompareDoubles);
	printf("  %s: %.4f ms least, %.4f median, %.4f most of %d\n", what, times[0], times[repeats / 2],
	    times[repeats - 1], repeats);
}

static Answer AskDevice(const Cast* cast, const Crowd* crowd, snugBackend backend)
{
	Answer answer = { 0 };
	snugDevice* device;
	snugCrowd* there;
	const snugDeviceDef deviceDef = { .backend = backend, .messenger = { Tell, NULL } };
	double start = clockNow();
	if (snugDevice_Create(&deviceDef, &device) != snug_success)
	{
		Die("no device");
	}
	printf("  device ready after %.0f ms", clockNow() - start);
	const snugCrowdModel model = { .model = cast->model, .bodyCount = crowd->count };
	snugCrowdDef def = { .device = device,
		.models = &model,
		.modelCount = 1,
		.room = { .candidates = 64ull * crowd->count,
		    .pairs = 32ull * crowd->count,
		    .trianglePairs = 65536 + 400ull * crowd->count },
		.bytes = backend == snug_reference ? 64ull << 20 : 0,
		.messenger = { Tell, NULL } };
	start = clockNow();
	if (snugCrowd_Create(&def, &there) != snug_success)
	{
		Die("no crowd");
	}
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < there->blockCount; ++i)
	{
		bytes += there->blocks[i].bytes;
	}
	printf(", crowd after %.0f ms, %.0f MB on the device, of it %.1f MB the model", clockNow() - start,
	    (double)bytes * 1e-6, (double)there->models[0].bytes * 1e-6);
	start = clockNow();
	const snugCrowdPoses poses = { .joints = crowd->joints, .frames = crowd->frames };
	if (snugCrowd_SetPoses(there, 0, &poses) != snug_success)
	{
		Die("no poses");
	}
	printf(", poses in %.2f ms\n", clockNow() - start);
	const snugCrowdQuery sorted = { .trianglePairs = true }, unsorted = { .trianglePairs = true, .unsorted = true };
	const snugCrowdQuery touches = { 0 };
	isTraced = getenv("SNUG_GPU_TRACE") != NULL;
	snugCrowdResult result = UpdateTimed(device, there, &sorted);
	isTraced = false;
	const snugSceneRoom asItIs = { 0 };
	while (result.portions > 1 && backend == snug_cuda &&
	       snugCrowd_Reserve(there, &asItIs, 2 * there->bytes) == snug_success)
	{
		result = UpdateTimed(device, there, &sorted);
	}
	printf("  %.0f MB for what is between\n", (double)there->bytes * 1e-6);
	printf("  status %d, %llu candidates, %u portions, needed %llu %llu %llu, %llu bytes\n", (int)result.status,
	    (unsigned long long)result.candidates, result.portions, (unsigned long long)result.needed.candidates,
	    (unsigned long long)result.needed.pairs, (unsigned long long)result.needed.trianglePairs,
	    (unsigned long long)result.neededBytes);
	const snugScenePair* pairs = snugCrowd_GetPairs(there, false, &answer.pairs);
	const snugPair* triangles = snugCrowd_GetTrianglePairs(there, false, &answer.trianglePairs);
	if (pairs == NULL || triangles == NULL)
	{
		Die("no answer");
	}
	answer.hash = sceneHash_Scene(pairs, answer.pairs, triangles);
	float* positions = malloc((size_t)3 * cast->model->tree.vertexCount * sizeof(float));
	answer.positions = SCENE_HASH_START;
	for (uint32_t i = 0; i < COMPARED && i < crowd->count; ++i)
	{
		snugCrowd_GetVertices(there, i, positions);
		answer.positions = sceneHash_Floats(answer.positions, positions, (size_t)3 * cast->model->tree.vertexCount);
	}
	free(positions);
	if (backend == snug_cuda)
	{
		TimeUpdates(there, "sorted", &sorted, REPEATS);
		TimeUpdates(there, "unsorted", &unsorted, REPEATS);
		TimeUpdates(there, "which touch", &touches, REPEATS);
		PrintKernels(device, there, &sorted);
	}
	sgCounts counts;
	device->methods->download(device, &counts, there->world.counts, sizeof(counts));
	printf("  groups %u of %u, leaf pairs %u of %u, unsure %u, longest %u\n", counts.groups, there->world.groupCapacity,
	    counts.leafPairs, there->world.leafPairs.capacity, counts.unsure, counts.longest);
	snugCrowd_Destroy(there);
	snugDevice_Destroy(device);
	return answer;
}

int main(int argc, char** argv)
{
	if (argc < 5)
	{
		Die("usage: snug-gpu-bar cuda|reference|scene FILE COUNT SPACING [THREADS]");
	}
	const snugBackend backend = strcmp(argv[1], "cuda") == 0 ? snug_cuda : snug_reference;
	const uint32_t count = (uint32_t)strtoul(argv[3], NULL, 10);
	const int threads = argc > 5 ? atoi(argv[5]) : 1;
	Cast cast;
	Crowd crowd;
	MakeCast(&cast, argv[2]);
	MakeCrowdOf(&cast, count, strtod(argv[4], NULL), &crowd);
	printf("%s, %u triangles, %u joints: %u at %s m\n", argv[2], cast.model->tree.triangleCount, cast.joints, count,
	    argv[4]);
	if (strcmp(argv[1], "scene") == 0)
	{
		PrintScaling(&cast, &crowd, threads);
		return 0;
	}
	const Answer found = AskDevice(&cast, &crowd, backend);
	printf("  %llu pairs of bodies, %llu of triangles, hash %016llx, positions %016llx\n",
	    (unsigned long long)found.pairs, (unsigned long long)found.trianglePairs, (unsigned long long)found.hash,
	    (unsigned long long)found.positions);
	fflush(stdout);
	if (threads > 0)
	{
		const Answer expected = AskScene(&cast, &crowd, threads);
		const bool isSame = expected.hash == found.hash && expected.positions == found.positions;
		printf("  %llu pairs of bodies, %llu of triangles, hash %016llx, positions %016llx: the scene, %d threads, "
		       "%.2f ms least of 3\n  %s\n",
		    (unsigned long long)expected.pairs, (unsigned long long)expected.trianglePairs,
		    (unsigned long long)expected.hash, (unsigned long long)expected.positions, threads, expected.ms,
		    isSame ? "SAME" : "DIFFERENT");
		return isSame ? 0 : 1;
	}
	return 0;
}
