#include "bench/encounter.h"

#include <stdlib.h>
#include <string.h>

static bool MakeSide(benchEncounter* e, int i, snugDeformer deformer, int frameCount)
{
	const sceneMesh* sphere = &e->encounter.blobs[i].sphere;
	size_t floats = 3 * (size_t)sphere->vertexCount;
	e->meshes[i] = *sphere;
	e->meshes[i].positions = malloc(floats * sizeof(float));
	e->places[i] = calloc((size_t)frameCount, sizeof(snugFrame));
	e->vertices[i] = deformer == snug_free ? calloc((size_t)frameCount, floats * sizeof(float)) : NULL;
	if (e->meshes[i].positions == NULL || e->places[i] == NULL || (deformer == snug_free && e->vertices[i] == NULL))
	{
		return false;
	}
	memcpy(e->meshes[i].positions, e->encounter.positions[i], floats * sizeof(float));
	e->actors[i] = deformer == snug_free ? benchActor_Free(&e->meshes[i], e->vertices[i], frameCount)
	                                     : benchActor_Rigid(&e->meshes[i], frameCount);
	e->actors[i].places = deformer == snug_free ? NULL : e->places[i];
	return true;
}

static void FillFrame(benchEncounter* e, int frame)
{
	snugFrame places[2];
	sceneEncounter_Place(&e->encounter, frame, places);
	for (int i = 0; i < 2; ++i)
	{
		e->places[i][frame] = places[i];
	}
	if (e->vertices[0] != NULL)
	{
		sceneEncounter_Deform(&e->encounter, frame);
		for (int i = 0; i < 2; ++i)
		{
			size_t floats = 3 * (size_t)e->meshes[i].vertexCount;
			memcpy(e->vertices[i] + (size_t)frame * floats, e->encounter.positions[i], floats * sizeof(float));
		}
	}
}

bool benchEncounter_Create(benchEncounter* e, snugDeformer deformer, uint32_t frequency, sceneContact contact,
    int frameCount, benchReport* report)
{
	memset(e, 0, sizeof(*e));
	bool good = sceneEncounter_Create(&e->encounter, frequency, contact, frameCount);
	if (good)
	{
		sceneEncounter_Rest(&e->encounter);
		good = MakeSide(e, 0, deformer, frameCount) && MakeSide(e, 1, deformer, frameCount);
	}
	for (int f = 0; f < frameCount && good; ++f)
	{
		FillFrame(e, f);
	}
	if (!good)
	{
		benchReport_Fail(report, "out of memory");
		benchEncounter_Free(e);
	}
	return good;
}

void benchEncounter_Free(benchEncounter* e)
{
	for (int i = 0; i < 2; ++i)
	{
		free(e->meshes[i].positions);
		free(e->places[i]);
		free(e->vertices[i]);
	}
	sceneEncounter_Free(&e->encounter);
	memset(e, 0, sizeof(*e));
}
