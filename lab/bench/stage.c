#include "lab/bench/stage.h"

#include <stdlib.h>
#include <string.h>

// Whether the models of two actors are the same; how they move is their own.
static bool AreTwins(const benchActor* a, const benchActor* b)
{
	static const benchSkinning linear = { .blending = snug_blendLinear };
	const benchSkinning *skinA = a->skin != NULL ? a->skin : &linear, *skinB = b->skin != NULL ? b->skin : &linear;
	return a->mesh == b->mesh && a->deformer == b->deformer && a->weights == b->weights && a->fields == b->fields &&
	       skinA->blending == skinB->blending && skinA->jointPositions == skinB->jointPositions &&
	       skinA->targets == skinB->targets;
}

bool benchActor_Deforms(const benchActor* actor)
{
	return actor->deformer != snug_rigid && actor->deformer != snug_free;
}

snugBody* benchStage_GetBody(const benchStage* stage, int actor)
{
	return stage->oracles[actor].body != NULL ? stage->oracles[actor].body : stage->bodies[actor].body;
}

// The first actor of the same kind as another one.
static int FindTwin(const benchActor* actors, int i)
{
	int twin = 0;
	while (!AreTwins(actors + twin, actors + i))
	{
		++twin;
	}
	return twin;
}

static bool CreateBody(
    benchStage* stage, const benchActor* actors, int i, const benchStage* lender, benchReport* report)
{
	snugStrategy strategy = stage->method->strategy;
	int twin = FindTwin(actors, i);
	if (lender != NULL)
	{
		return benchBody_CreateLike(stage->bodies + i, lender->bodies + i, strategy, report);
	}
	if (twin < i)
	{
		return benchBody_CreateLike(stage->bodies + i, stage->bodies + twin, strategy, report);
	}
	return benchBody_Create(stage->bodies + i, actors + i, strategy, report);
}

static bool CreateOracle(
    benchStage* stage, const benchActor* actors, int i, const benchStage* lender, benchReport* report)
{
	if (!benchActor_Deforms(actors + i))
	{
		return true;
	}
	const benchBody* body = stage->bodies + i;
	int twin = FindTwin(actors, i);
	snugStatus status = snug_success;
	if (lender != NULL && lender->oracles[i].model != NULL)
	{
		status = oracleBody_CreateLike(stage->oracles + i, lender->oracles + i);
	}
	else if (twin < i)
	{
		status = oracleBody_CreateLike(stage->oracles + i, stage->oracles + twin);
	}
	else
	{
		status = oracleBody_Create(stage->oracles + i, &body->def, body->model);
	}
	if (status != snug_success)
	{
		benchReport_Fail(report, "cannot make the oracle: %s", snugGetStatusText(status));
	}
	return status == snug_success;
}

// What a method has beside a body of our own; the first actor of its kind makes the tree.
static bool CreateHierarchy(benchStage* stage, const benchActor* actors, int i)
{
	const benchMethodDef* method = stage->method;
	const snugModel* model = stage->bodies[i].model;
	snugBody* body = stage->bodies[i].body;
	int twin = FindTwin(actors, i);
	switch (method->kind)
	{
		case bench_bySpheres:
			stage->sphereTrees[i] = twin == i ? sphereTree_Create(model, BENCH_PRUNE) : NULL;
			stage->spheres[i] =
			    stage->sphereTrees[twin] != NULL ? sphereBody_Create(stage->sphereTrees[twin], body) : NULL;
			return stage->spheres[i] != NULL;
		case bench_byLimited:
			stage->limitedTrees[i] = twin == i ? limitedTree_Create(model, &method->limited) : NULL;
			stage->limited[i] =
			    stage->limitedTrees[twin] != NULL ? limitedBody_Create(stage->limitedTrees[twin], body) : NULL;
			return stage->limited[i] != NULL;
		case bench_byBd:
			stage->bdTrees[i] = twin == i ? bdTree_Create(model, &method->bd) : NULL;
			stage->bd[i] = stage->bdTrees[twin] != NULL ? bdBody_Create(stage->bdTrees[twin]) : NULL;
			return stage->bd[i] != NULL;
		case bench_byLayers:
			stage->layers[i] = layeredSpheres_Create(model);
			stage->ordered[i] = malloc((3 * (size_t)actors[i].mesh->vertexCount + 1) * sizeof(float));
			return stage->layers[i] != NULL && stage->ordered[i] != NULL;
		default:
			return true;
	}
}

bool benchStage_Create(benchStage* stage, const benchMethodDef* method, const benchActor* actors, int count,
    const benchStage* lender, benchReport* report)
{
	*stage = (benchStage){ .method = method, .count = count };
	bool good = true;
	for (int i = 0; i < count && good; ++i)
	{
		good = CreateBody(stage, actors, i, lender, report) &&
		       (method->kind != bench_byFreeBody || CreateOracle(stage, actors, i, lender, report));
		if (good && !CreateHierarchy(stage, actors, i))
		{
			benchReport_Fail(report, "%s: out of memory", method->name);
			good = false;
		}
	}
	stage->hash = method->kind == bench_byHash ? spatialHash_Create() : NULL;
	stage->threads = method->threads > 0 ? benchThreads_Create(method->threads) : NULL;
	if ((method->kind == bench_byHash && stage->hash == NULL) || (method->threads > 0 && stage->threads == NULL))
	{
		benchReport_Fail(report, "%s: no memory or no threads", method->name);
		good = false;
	}
	if (!good)
	{
		benchStage_Destroy(stage);
	}
	return good;
}

void benchStage_Destroy(benchStage* stage)
{
	// Backwards, since the first of its kind lends its model to the others.
	for (int i = stage->count - 1; i >= 0; --i)
	{
		sphereBody_Destroy(stage->spheres[i]);
		sphereTree_Destroy(stage->sphereTrees[i]);
		limitedBody_Destroy(stage->limited[i]);
		limitedTree_Destroy(stage->limitedTrees[i]);
		bdBody_Destroy(stage->bd[i]);
		bdTree_Destroy(stage->bdTrees[i]);
		layeredSpheres_Destroy(stage->layers[i]);
		free(stage->ordered[i]);
		benchBody_Destroy(&stage->bodies[i]);
		oracleBody_Destroy(&stage->oracles[i]);
	}
	spatialHash_Destroy(stage->hash);
	benchThreads_Destroy(stage->threads);
	if (stage->peer != NULL)
	{
		stage->method->peer->destroy(stage->peer);
	}
	memset(stage, 0, sizeof(*stage));
}

snugStatus benchStage_Pose(const benchStage* stage, const benchActor* actors, int frame, const snugFrame* places)
{
	snugStatus status = snug_success;
	for (int i = 0; i < stage->count && status == snug_success; ++i)
	{
		snugBody* body = stage->bodies[i].body;
		status = actors[i].pose(actors + i, body, frame);
		status = status == snug_success ? snugBody_SetFrame(body, places + i) : status;
	}
	return status;
}
