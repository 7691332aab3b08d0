#include "bench/blend_bodies.h"

#include "bench/timer.h"
#include "io/asset.h"

#include <string.h>

const snugBound benchBounds[BENCH_BOUNDS] = { snug_boundLimited, snug_boundProgram, snug_boundLocal,
	snug_boundZeroOrder, snug_boundFirstOrder, snug_boundDefault };

const char* benchGetBoundName(snugBound bound)
{
	static const char* names[BENCH_BOUNDS] = {
		[snug_boundDefault] = "default",
		[snug_boundLimited] = "limited",
		[snug_boundProgram] = "program",
		[snug_boundLocal] = "local",
		[snug_boundZeroOrder] = "zeroOrder",
		[snug_boundFirstOrder] = "firstOrder",
	};
	return names[bound];
}

// A body of a model, if that was made.
static bool MakeBody(benchBlendBody* body, snugStrategy strategy, snugStatus status, benchReport* report)
{
	if (status == snug_success)
	{
		snugBodyDef bodyDef = { .model = body->model, .strategy = strategy };
		status = snugBody_Create(&bodyDef, &body->body);
	}
	if (status != snug_success)
	{
		benchReport_Fail(report, "cannot make a blend body: %s", snugGetStatusText(status));
		benchBlendBody_Destroy(body);
	}
	return status == snug_success;
}

bool benchBlendBody_Create(benchBlendBody* body, const sceneMesh* mesh, const sceneWeights* weights,
    const benchBounding* how, benchReport* report)
{
	return benchBlendBody_CreateSkin(body, mesh, weights, NULL, how, report);
}

bool benchBlendBody_CreateSkin(benchBlendBody* body, const sceneMesh* mesh, const sceneWeights* weights,
    const benchSkinning* skin, const benchBounding* how, benchReport* report)
{
	*body = (benchBlendBody){ .def = sceneMakeBlendDef(mesh, weights, how->tree) };
	if (skin != NULL)
	{
		body->def.deformer = skin->deformer;
		body->def.skin.jointPositions = skin->jointPositions;
		body->def.fields = skin->targets != NULL ? sceneTargets_Get(skin->targets) : (snugFieldsDef){ 0 };
	}
	const snugBoundsDef bounds = {
		.bound = how->bound,
		.volume = how->volume,
		.restVolume = how->restVolume,
		.boundLeaves = how->boundLeaves,
	};
	body->def.bounds = &bounds;
	double start = benchNow();
	snugStatus status = snugModel_Create(&body->def, &body->model);
	body->buildMs = benchNow() - start;
	body->def.bounds = NULL;
	return MakeBody(body, how->strategy, status, report);
}

bool benchBlendBody_CreateLike(
    benchBlendBody* body, const benchBlendBody* other, snugStrategy strategy, benchReport* report)
{
	*body = (benchBlendBody){ other->def, other->model, NULL, true, other->buildMs };
	return MakeBody(body, strategy, snug_success, report);
}

void benchBlendBody_Destroy(benchBlendBody* body)
{
	snugBody_Destroy(body->body);
	snugModel_Destroy(body->borrowsModel ? NULL : body->model);
	body->body = NULL;
	body->model = NULL;
}

const float* benchActor_GetMatrices(const benchActor* actor, int frame)
{
	return actor->matrices + 12 * (size_t)frame * actor->weights->transformCount;
}

snugStatus benchActor_Pose(const benchActor* actor, snugBody* body, int frame)
{
	const benchSkinning* skin = actor->skin;
	snugStatus status =
	    snugBody_SetJoints(body, benchActor_GetMatrices(actor, frame), 0, actor->weights->transformCount);
	if (status == snug_success && skin != NULL && skin->targets != NULL)
	{
		uint32_t count = skin->targets->count;
		status = snugBody_SetAmplitudes(body, skin->amplitudes + (size_t)frame * count, count);
	}
	return status;
}

// The first mesh of a file, as its nodes leave it at rest.
static sceneMesh LoadMesh(const char* path, benchReport* report)
{
	ioAsset asset;
	ioError error;
	sceneMesh mesh = { NULL, 0, NULL, 0 };
	if (!ioLoad(path, NULL, &asset, &error))
	{
		benchReport_Fail(report, "%s", error.text);
		return mesh;
	}
	if (asset.meshCount > 0)
	{
		const ioMesh* from = &asset.meshes[0].mesh;
		mesh = sceneMesh_Allocate(from->vertexCount, from->triangleCount);
		if (sceneMesh_IsValid(&mesh))
		{
			memcpy(mesh.positions, from->positions, 3 * (size_t)from->vertexCount * sizeof(float));
			memcpy(mesh.triangles, from->triangles, 3 * (size_t)from->triangleCount * sizeof(uint32_t));
		}
	}
	ioAsset_Free(&asset);
	return mesh;
}

bool benchMakeMeshless(
    sceneMeshless* meshless, const benchOptions* options, uint32_t frequency, uint32_t nodeCount, benchReport* report)
{
	sceneMesh mesh = options->model != NULL ? LoadMesh(options->model, report) : sceneMakeBrain(frequency, 1);
	bool made = sceneMeshless_Create(meshless, mesh, nodeCount, BENCH_INFLUENCES);
	if (!made)
	{
		benchReport_Fail(report, "cannot make a meshless body: no memory or no mesh");
	}
	return made;
}
