// `snug-lab bench gpu`: men close together as a crowd on the first GPU, or on the reference device where there is none,
// beside a scene of the same on one thread. Their pairs must be the same.
#include "lab/bench/bench.h"
#include "lab/bench/timer.h"
#include "lab/scenes/character.h"
#include "lab/scenes/pair_hash.h"
#include "lab/scenes/random.h"
#include "program/files/clock.h"
#include "snug/snug_gpu.h"

#include <math.h>
#include <stdlib.h>

/// Men a metre apart.
typedef struct Men
{
	snugModel* model;
	uint32_t count, joints;
	float* matrices;
	snugFrame* frames;
} Men;

typedef struct Answer
{
	uint64_t pairs, trianglePairs, hash;
	double ms; ///< least, by the wall: a GPU works elsewhere
} Answer;

static void Men_Free(Men* men)
{
	snugModel_Destroy(men->model);
	free(men->matrices);
	free(men->frames);
}

static bool Men_Make(Men* men, uint32_t count)
{
	sceneCharacter man;
	*men = (Men){ .count = count };
	if (!sceneCharacter_Create(&man, scene_man))
	{
		return false;
	}
	const snugModelDef def = sceneCharacter_MakeDef(&man, snug_blendLinear);
	men->joints = man.weights.transformCount;
	men->matrices = malloc((size_t)12 * men->joints * count * sizeof(float));
	men->frames = calloc(count, sizeof(snugFrame));
	bool isGood = men->matrices != NULL && men->frames != NULL && snugModel_Create(&def, &men->model) == snug_success;
	const uint32_t side = (uint32_t)ceil(sqrt((double)count));
	sceneRandom random = { 1 };
	for (uint32_t i = 0; i < count && isGood; ++i)
	{
		const double angle = sceneRandom_Range(&random, -3.0, 3.0);
		sceneCharacter_Walk(&man, sceneRandom_Unit(&random), men->matrices + (size_t)12 * men->joints * i);
		men->frames[i] = (snugFrame){
			.position = { (i % side) + sceneRandom_Range(&random, -0.25, 0.25), 0.0,
			    (i / side) + sceneRandom_Range(&random, -0.25, 0.25) },
			.rotation = { 0.0, sin(angle / 2.0), 0.0, cos(angle / 2.0) },
		};
	}
	sceneCharacter_Free(&man);
	return isGood;
}

static snugSceneRoom MakeRoom(const Men* men)
{
	return (snugSceneRoom){ .bodies = men->count,
		.candidates = 64ull * men->count,
		.pairs = 32ull * men->count,
		.trianglePairs = 1000ull * men->count };
}

static bool AskCrowd(const Men* men, snugDevice* device, int repeats, Answer* answer)
{
	const snugCrowdModel model = { .model = men->model, .bodyCount = men->count };
	const snugCrowdDef def = { .device = device, .models = &model, .modelCount = 1, .room = MakeRoom(men) };
	const snugCrowdPoses poses = { .joints = men->matrices, .frames = men->frames };
	const snugCrowdQuery query = { .trianglePairs = true };
	snugCrowd* crowd;
	bool isGood =
	    snugCrowd_Create(&def, &crowd) == snug_success && snugCrowd_SetPoses(crowd, 0, &poses) == snug_success;
	answer->ms = INFINITY;
	for (int i = 0; i <= repeats && isGood; ++i)
	{
		const double start = clockNow();
		isGood = snugCrowd_Update(crowd, &query) == snug_success && snugCrowd_Wait(crowd).status == snug_success;
		answer->ms = i > 0 ? fmin(answer->ms, clockNow() - start) : answer->ms; // the first one warms up
	}
	const snugScenePair* pairs = isGood ? snugCrowd_GetPairs(crowd, false, &answer->pairs) : NULL;
	const snugPair* triangles = isGood ? snugCrowd_GetTrianglePairs(crowd, false, &answer->trianglePairs) : NULL;
	isGood = pairs != NULL && triangles != NULL;
	answer->hash = isGood ? sceneHash_Scene(pairs, answer->pairs, triangles) : 0;
	snugCrowd_Destroy(crowd);
	return isGood;
}

static bool AskScene(const Men* men, int repeats, Answer* answer)
{
	const snugSceneDef def = { .room = MakeRoom(men) };
	const snugPoolDef poolDef = { .bytes = (size_t)men->count * 131072 };
	const snugScenePoses poses = { .count = men->count, .joints = men->matrices, .frames = men->frames };
	const snugSceneQuery query = { .trianglePairs = true };
	snugScene* scene = NULL;
	snugPool* pool = NULL;
	snugBody** bodies = calloc(men->count, sizeof(snugBody*));
	bool isGood = bodies != NULL && snugScene_Create(&def, &scene) == snug_success &&
	              snugPool_Create(&poolDef, &pool) == snug_success;
	for (uint32_t i = 0; i < men->count && isGood; ++i)
	{
		uint32_t id;
		isGood = snugBody_Create(&(snugBodyDef){ .model = men->model, .pool = pool }, bodies + i) == snug_success &&
		         snugScene_Add(scene, &(snugSceneBodyDef){ .body = bodies[i] }, &id) == snug_success;
	}
	answer->ms = INFINITY;
	for (int i = 0; i < repeats && isGood; ++i)
	{
		const double start = clockNow();
		isGood =
		    snugScene_SetPoses(scene, &poses) == snug_success && snugScene_Update(scene, &query).status == snug_success;
		answer->ms = fmin(answer->ms, clockNow() - start);
	}
	if (isGood)
	{
		const snugScenePair* pairs = snugScene_GetPairs(scene, &answer->pairs);
		answer->hash = sceneHash_Scene(pairs, answer->pairs, snugScene_GetTrianglePairs(scene, &answer->trianglePairs));
	}
	snugScene_Destroy(scene);
	for (uint32_t i = 0; i < men->count && bodies != NULL; ++i)
	{
		snugBody_Destroy(bodies[i]);
	}
	free(bodies);
	snugPool_Destroy(pool);
	return isGood;
}

static void AddRow(benchReport* report, const char* device, const Men* men, const Answer* crowd, const Answer* scene)
{
	benchRow* row = benchReport_AddRow(report, "Men a metre apart: a crowd on a device, and a scene on one thread");
	benchRow_Text(row, "device", device);
	benchRow_Count(row, "bodies", men->count);
	benchRow_Count(row, "pairs", crowd->pairs);
	benchRow_Count(row, "trianglePairs", crowd->trianglePairs);
	benchRow_Number(row, "crowdMs", crowd->ms, 3);
	benchRow_Number(row, "sceneMs", scene->ms, 3);
	benchRow_Number(row, "sceneOverCrowd", scene->ms / crowd->ms, 2);
}

void benchGpu(const benchOptions* options, benchReport* report)
{
	snugDevice* device = NULL;
	const bool isGpu = snugDevice_Create(&(snugDeviceDef){ .backend = snug_cuda }, &device) == snug_success;
	if (!isGpu && snugDevice_Create(&(snugDeviceDef){ .backend = snug_reference }, &device) != snug_success)
	{
		benchReport_Fail(report, "no memory for a device");
		return;
	}
	const uint32_t counts[] = { isGpu ? 1000 : 20, isGpu ? 10000 : 60 };
	for (int i = 0; i < (options->quick ? 1 : 2) && report->failure[0] == '\0'; ++i)
	{
		Men men;
		Answer crowd = { 0 }, scene = { 0 };
		if (!Men_Make(&men, counts[i]) || !AskCrowd(&men, device, options->repeats, &crowd) ||
		    !AskScene(&men, options->repeats, &scene))
		{
			benchReport_Fail(report, "no memory for %u men", counts[i]);
		}
		else if (crowd.hash != scene.hash || crowd.trianglePairs != scene.trianglePairs)
		{
			benchReport_Fail(report, "the crowd and the scene differ");
		}
		else
		{
			AddRow(report, isGpu ? "GPU" : "reference", &men, &crowd, &scene);
		}
		Men_Free(&men);
	}
	snugDevice_Destroy(device);
}
