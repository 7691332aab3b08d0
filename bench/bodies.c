#include "bench/bodies.h"

#include <stdlib.h>
#include <string.h>

// ---- Scenes and bodies -----------------------------------------------------------------------------------------

bool benchScene_Create(
    benchScene* scene, snugDeformer deformer, uint32_t frequency, sceneContact contact, int frames, benchReport* report)
{
	memset(scene, 0, sizeof(*scene));
	scene->deformer = deformer;
	if (!benchAnswers_Create(&scene->answers, sceneContact_GetName(contact), frames, report))
	{
		return false;
	}
	if (!sceneEncounter_Create(&scene->encounter, frequency, contact, frames))
	{
		benchReport_Fail(report, "out of memory");
		benchScene_Free(scene);
		return false;
	}
	size_t bytes = (size_t)scene->encounter.blobs[0].sphere.vertexCount * 3 * sizeof(float);
	scene->world[0] = malloc(bytes);
	scene->world[1] = malloc(bytes);
	if (scene->world[0] == NULL || scene->world[1] == NULL)
	{
		benchReport_Fail(report, "out of memory");
		benchScene_Free(scene);
		return false;
	}
	sceneEncounter_Rest(&scene->encounter);
	return true;
}

void benchScene_Free(benchScene* scene)
{
	sceneEncounter_Free(&scene->encounter);
	benchAnswers_Free(&scene->answers);
	free(scene->world[0]);
	free(scene->world[1]);
	memset(scene, 0, sizeof(*scene));
}

static snugStatus CreateBody(benchBodies* bodies, int i, benchScene* scene, const snugTreeDef* tree)
{
	const sceneMesh* mesh = &scene->encounter.blobs[i].sphere;
	snugModelDef def = { .positions = scene->encounter.positions[i],
		.vertexCount = mesh->vertexCount,
		.triangles = mesh->triangles,
		.triangleCount = mesh->triangleCount,
		.deformer = scene->deformer,
		.tree = *tree };
	double start = benchNow();
	snugStatus status = snugModel_Create(&def, &bodies->models[i]);
	double elapsed = benchNow() - start;
	bodies->buildMs = i == 0 || elapsed < bodies->buildMs ? elapsed : bodies->buildMs;
	if (status == snug_success)
	{
		snugBodyDef bodyDef = { .model = bodies->models[i] };
		status = snugBody_Create(&bodyDef, &bodies->bodies[i]);
	}
	return status;
}

bool benchBodies_Create(benchBodies* bodies, benchScene* scene, const snugTreeDef* tree, benchReport* report)
{
	memset(bodies, 0, sizeof(*bodies));
	for (int i = 0; i < 2; ++i)
	{
		snugStatus status = CreateBody(bodies, i, scene, tree);
		if (status != snug_success)
		{
			benchReport_Fail(report, "cannot make a body: %s", snugGetStatusText(status));
			benchBodies_Destroy(bodies);
			return false;
		}
	}
	return true;
}

void benchBodies_Destroy(benchBodies* bodies)
{
	for (int i = 0; i < 2; ++i)
	{
		snugBody_Destroy(bodies->bodies[i]);
		snugModel_Destroy(bodies->models[i]);
	}
	memset(bodies, 0, sizeof(*bodies));
}

// ---- snug ------------------------------------------------------------------------------------------------------

// Give both bodies their pose; free ones are refitted too, apart, so that the query finds fresh bounds.
static snugStatus PoseBodies(benchScene* scene, benchBodies* bodies, int frame, benchTimes* times)
{
	sceneEncounter* encounter = &scene->encounter;
	snugFrame frames[2];
	if (scene->deformer == snug_rigid)
	{
		sceneEncounter_Place(encounter, frame, frames);
		snugStatus first = snugBody_SetFrame(bodies->bodies[0], &frames[0]);
		snugStatus second = snugBody_SetFrame(bodies->bodies[1], &frames[1]);
		return first != snug_success ? first : second;
	}
	sceneEncounter_Deform(encounter, frame);
	snugStatus status = snug_success;
	double start = benchNow();
	for (int i = 0; i < 2 && status == snug_success; ++i)
	{
		status = snugBody_SetVertices(
		    bodies->bodies[i], encounter->positions[i], 0, 0, encounter->blobs[i].sphere.vertexCount);
	}
	double set = benchNow();
	for (int i = 0; i < 2 && status == snug_success; ++i)
	{
		status = snugBody_Refit(bodies->bodies[i]);
	}
	double refitted = benchNow();
	benchSamples_Add(&times->set, 0.5 * (set - start));
	benchSamples_Add(&times->refit, 0.5 * (refitted - set));
	return status;
}

static void RunFrame(benchScene* scene, benchBodies* bodies, int frame, benchTimes* times, benchReport* report)
{
	snugStatus status = PoseBodies(scene, bodies, frame, times);
	snugQuery query = { .pairs = scene->answers.pairs, .capacity = scene->answers.capacity };
	double start = benchNow();
	snugResult result = snugCollide(bodies->bodies[0], bodies->bodies[1], &query);
	double elapsed = benchNow() - start;
	status = status != snug_success ? status : result.status;
	if (status != snug_success)
	{
		benchReport_Fail(report, "%s, frame %d: %s", scene->answers.name, frame, snugGetStatusText(status));
		return;
	}
	double share = 1.0 / (double)scene->encounter.frameCount;
	benchSamples_Add(&times->query, elapsed);
	if (result.count > 0)
	{
		benchSamples_Add(&times->perPair, 1e3 * elapsed / (double)result.count);
	}
	times->volumeTests += share * (double)result.counters.volumeTests;
	times->triangleTests += share * (double)result.counters.triangleTests;
	times->exactTests += share * (double)result.counters.exactTests;
	times->verticesEvaluated += share * (double)result.counters.verticesEvaluated;
	benchAnswers_Check(&scene->answers, frame, result.count, "ours", report);
}

benchTimes benchRunSnug(benchScene* scene, const snugTreeDef* tree, int passes, benchReport* report)
{
	benchTimes times = { .measured = false };
	benchBodies bodies;
	sceneEncounter_Rest(&scene->encounter);
	if (!benchBodies_Create(&bodies, scene, tree, report))
	{
		return times;
	}
	for (int pass = 0; pass <= passes; ++pass)
	{
		if (pass == 1)
		{
			memset(&times, 0, sizeof(times)); // forget the warm-up
		}
		for (int f = 0; f < scene->encounter.frameCount && report->failure[0] == '\0'; ++f)
		{
			RunFrame(scene, &bodies, f, &times, report);
		}
		scene->answers.isSet = true;
	}
	times.volumeTests /= passes;
	times.triangleTests /= passes;
	times.exactTests /= passes;
	times.verticesEvaluated /= passes;
	times.buildMs = bodies.buildMs;
	times.measured = true;
	benchBodies_Destroy(&bodies);
	return times;
}

// ---- The others ------------------------------------------------------------------------------------------------

// Posed vertices as snug sees them, so that all methods decide upon the same floats.
static bool EvaluateFrame(benchScene* scene, benchBodies* bodies, int frame, benchReport* report)
{
	benchTimes ignored = { .measured = false };
	snugStatus status = PoseBodies(scene, bodies, frame, &ignored);
	for (int i = 0; i < 2 && status == snug_success; ++i)
	{
		status = snugBody_GetVertices(bodies->bodies[i], NULL, scene->world[i], 0);
	}
	if (status != snug_success)
	{
		benchReport_Fail(report, "%s, frame %d: %s", scene->answers.name, frame, snugGetStatusText(status));
	}
	return status == snug_success;
}

static bruteMesh GetWorldMesh(const benchScene* scene, int i)
{
	const sceneMesh* mesh = &scene->encounter.blobs[i].sphere;
	bruteMesh world = { scene->world[i], mesh->triangles, mesh->triangleCount };
	return world;
}

// Sorting is left out of Embree's time: it is not part of what rtcCollide is for. Ours is in.
static void RunEmbreeFrame(benchScene* scene, embreePeer* peer, int frame, benchTimes* times, benchReport* report)
{
	double start = benchNow();
	embreePeer_Update(peer);
	double updated = benchNow();
	uint64_t candidates = embreePeer_CountCandidates(peer, 0, 1);
	double counted = benchNow();
	uint64_t count = embreePeer_Collide(peer, 0, 1, scene->answers.pairs, scene->answers.capacity);
	double collided = benchNow();
	benchSamples_Add(&times->refit, 0.5 * (updated - start));
	benchSamples_Add(&times->boxes, counted - updated);
	benchSamples_Add(&times->query, collided - counted);
	times->triangleTests += (double)candidates / (double)scene->encounter.frameCount;
	if (count > 0)
	{
		benchSamples_Add(&times->perPair, 1e3 * (collided - counted) / (double)count);
		benchAnswers_Sort(&scene->answers, 0, count);
	}
	benchAnswers_Check(&scene->answers, frame, count, "Embree", report);
}

benchTimes benchRunEmbree(benchScene* scene, embreeUpdate update, int passes, benchReport* report)
{
	benchTimes times = { .measured = false };
	benchBodies bodies;
	snugTreeDef tree = { .leafTriangles = 0 };
	sceneEncounter_Rest(&scene->encounter);
	if (!embreePeer_IsAvailable() || !benchBodies_Create(&bodies, scene, &tree, report))
	{
		return times;
	}
	bruteMesh meshes[2] = { GetWorldMesh(scene, 0), GetWorldMesh(scene, 1) };
	embreePeer* peer = NULL;
	for (int pass = 0; pass <= passes; ++pass)
	{
		for (int f = 0; f < scene->encounter.frameCount && EvaluateFrame(scene, &bodies, f, report); ++f)
		{
			// The tree is built once the vertices are there: a refitted one stems from the first frame.
			peer = peer != NULL ? peer : embreePeer_Create(meshes, 2, update);
			if (peer == NULL)
			{
				benchReport_Fail(report, "Embree cannot build its scenes");
				break;
			}
			RunEmbreeFrame(scene, peer, f, &times, report);
		}
		if (pass == 0)
		{
			memset(&times, 0, sizeof(times)); // forget the warm-up
		}
	}
	times.triangleTests /= passes;
	times.measured = peer != NULL;
	embreePeer_Destroy(peer);
	benchBodies_Destroy(&bodies);
	return times;
}

int benchVerify(benchScene* scene, int step, benchReport* report)
{
	int verified = 0;
	benchBodies bodies;
	snugTreeDef tree = { .leafTriangles = 0 };
	sceneEncounter_Rest(&scene->encounter);
	if (!benchBodies_Create(&bodies, scene, &tree, report))
	{
		return 0;
	}
	for (int f = step / 2; f < scene->encounter.frameCount && EvaluateFrame(scene, &bodies, f, report); f += step)
	{
		bruteMesh meshes[2] = { GetWorldMesh(scene, 0), GetWorldMesh(scene, 1) };
		bruteResult result = bruteCollide(&meshes[0], &meshes[1]);
		benchAnswers_Verify(&scene->answers, f, &result, report);
		bruteResult_Free(&result);
		++verified;
	}
	benchBodies_Destroy(&bodies);
	return verified;
}
