#include "lab/bench/blend_scene.h"

#include <stdlib.h>
#include <string.h>

// ---- Poses -----------------------------------------------------------------------------------------------------

// From -1 at the start of the second to 1 at its end.
static double GetTime(const blendScene* scene, int frame)
{
	return 2.0 * (double)(scene->clip.first + frame) / (double)(BLEND_FRAMES_PER_SECOND - 1) - 1.0;
}

// Strong all the time, strongest in the middle.
static sceneBending GetBending(const blendScene* scene, int actor, int frame)
{
	double u = GetTime(scene, frame), t = 1.0 - 0.5 * u * u;
	return actor == 0 ? (sceneBending){ t, 0.8 * t, 0.6 * t } : (sceneBending){ 0.6 * t, t, 0.9 * t };
}

static bool MakeActor(blendScene* scene, int i)
{
	const sceneMeshless* meshless = scene->meshless + (scene->shapeCount == 2 ? i : 0);
	uint32_t nodeCount = meshless->weights.transformCount;
	snugMeshlessNode* nodes = malloc(nodeCount * sizeof(snugMeshlessNode));
	float* matrices = malloc((size_t)scene->clip.count * 12 * nodeCount * sizeof(float));
	for (int f = 0; f < scene->clip.count && nodes != NULL && matrices != NULL; ++f)
	{
		sceneBending bending = GetBending(scene, i, f);
		sceneMeshless_PoseNodes(meshless, &bending, nodes);
		sceneMakeMatrices(nodes, nodeCount, matrices + 12 * (size_t)f * nodeCount);
	}
	bool made = nodes != NULL && matrices != NULL;
	free(nodes);
	scene->matrices[i] = matrices;
	scene->actors[i] = benchActor_Skinned(&meshless->mesh, &meshless->weights, matrices, scene->clip.count, NULL);
	return made;
}

bool blendScene_Create(
    blendScene* scene, uint32_t frequency, uint32_t nodeCount, int shapeCount, blendClip clip, benchReport* report)
{
	*scene = (blendScene){ .clip = clip, .shapeCount = shapeCount };
	bool good = true;
	for (int i = 0; i < shapeCount && good; ++i)
	{
		sceneMesh brain = sceneMakeBrain(frequency, (uint64_t)i + 1);
		good = sceneMeshless_Create(&scene->meshless[i], brain, nodeCount, BENCH_INFLUENCES);
	}
	for (int i = 0; i < 2 && good; ++i)
	{
		good = MakeActor(scene, i);
	}
	if (!good)
	{
		blendScene_Free(scene);
		benchReport_Fail(report, "out of memory");
	}
	return good;
}

void blendScene_Free(blendScene* scene)
{
	for (int i = 0; i < 2; ++i)
	{
		sceneMeshless_Free(&scene->meshless[i]);
		free(scene->matrices[i]);
	}
	memset(scene, 0, sizeof(*scene));
}

// ---- Places ----------------------------------------------------------------------------------------------------

// The vertex that reaches farthest to one side in x, or from the other with a sign of -1.
static const float* FindExtreme(const float* positions, uint32_t count, float sign)
{
	const float* found = positions;
	for (uint32_t i = 1; i < count; ++i)
	{
		const float* p = positions + 3 * (size_t)i;
		found = sign * p[0] > sign * found[0] ? p : found;
	}
	return found;
}

void blendPlaceTips(const benchMeeting* meeting, const void* user, int frame, snugFrame* places)
{
	const float* right = FindExtreme(meeting->world[0], meeting->actors[0].mesh->vertexCount, 1.0f);
	const float* left = FindExtreme(meeting->world[1], meeting->actors[1].mesh->vertexCount, -1.0f);
	(void)user;
	(void)frame;
	for (int k = 0; k < 3; ++k)
	{
		places[1].position[k] = (double)right[k] - (double)left[k];
	}
}

void blendPlace(const benchMeeting* meeting, const void* user, int frame, snugFrame* places)
{
	const blendScene* scene = user;
	double u = GetTime(scene, frame), nearness = 1.0 - u * u;
	if (meeting->contact == scene_light)
	{
		blendPlaceTips(meeting, user, frame, places);
		places[1].position[0] -= 0.04 + 0.11 * nearness;
	}
	else
	{
		places[1] = (snugFrame){ .position = { 0.22 - 0.08 * nearness, 0.05, -0.04 } };
	}
}
