#include "lab/bench/skins.h"

#include <stdlib.h>

const snugBlending benchSkins[BENCH_SKINS] = { snug_blendLinear, snug_blendSpherical, snug_blendDualQuaternion };
const char* const benchCharacterNames[BENCH_CHARACTERS] = { "mannequiny", "makehuman", "fox", "alien" };

const char* benchGetSkinName(snugBlending blending)
{
	return blending == snug_blendSpherical        ? "spherical"
	       : blending == snug_blendDualQuaternion ? "dual quaternion"
	                                              : "linear";
}

const char* benchGetModelDirectory(const benchOptions* options)
{
	const char* named = getenv("SNUG_MODELS");
	return options->models != NULL ? options->models : named != NULL ? named : "build/models";
}

bool benchFindCharacter(const benchOptions* options, int number, const char** directory, const char** name)
{
	if (options->model != NULL)
	{
		*directory = NULL;
		*name = options->model;
		return number == 0;
	}
	*directory = benchGetModelDirectory(options);
	*name = number < BENCH_CHARACTERS ? benchCharacterNames[number] : NULL;
	return number < BENCH_CHARACTERS;
}

void benchAddCharacterRow(benchReport* report, const char* name, const benchActor* actor, const char* source)
{
	benchRow* row = benchReport_AddRow(report, "The characters");
	benchRow_Text(row, "character", name);
	benchRow_Text(row, "from", source);
	if (actor != NULL)
	{
		uint32_t vertexCount = actor->mesh->vertexCount;
		benchRow_Count(row, "vertices", vertexCount);
		benchRow_Count(row, "triangles", actor->mesh->triangleCount);
		benchRow_Count(row, "joints", actor->weights->transformCount);
		benchRow_Number(
		    row, "influencesPerVertex", (double)actor->weights->starts[vertexCount] / (double)vertexCount, 2);
		benchRow_Count(row, "morphTargets", actor->skin->targets->count);
	}
}

// The vertex that reaches farthest to the front.
static const float* FindFront(const float* positions, uint32_t count)
{
	const float* found = positions;
	for (uint32_t i = 1; i < count; ++i)
	{
		const float* p = positions + 3 * (size_t)i;
		found = p[2] > found[2] ? p : found;
	}
	return found;
}

static void FindCenter(const float* positions, uint32_t count, double center[3])
{
	for (int k = 0; k < 3; ++k)
	{
		float low = positions[k], high = positions[k];
		for (uint32_t i = 1; i < count; ++i)
		{
			float x = positions[3 * (size_t)i + (size_t)k];
			low = x < low ? x : low;
			high = x > high ? x : high;
		}
		center[k] = 0.5 * ((double)low + (double)high);
	}
}

// Turned half about the vertical axis, a point (x, y, z) comes to (-x, y, -z).
void skinPlaceFrame(const benchMeeting* meeting, const void* user, int frame, snugFrame* places)
{
	double u = 2.0 * (double)frame / (double)(meeting->answers.frameCount - 1) - 1.0, nearness = 1.0 - u * u;
	(void)user;
	double anchors[2][3];
	for (int i = 0; i < 2; ++i)
	{
		uint32_t count = meeting->actors[i].mesh->vertexCount;
		const float* front = FindFront(meeting->world[i], count);
		FindCenter(meeting->world[i], count, anchors[i]);
		for (int k = 0; k < 3 && meeting->contact == scene_light; ++k)
		{
			anchors[i][k] = (double)front[k];
		}
	}
	snugFrame place = { .rotation = { 0.0, 1.0, 0.0, 0.0 } };
	place.position[0] = anchors[0][0] + anchors[1][0];
	place.position[1] = anchors[0][1] - anchors[1][1];
	place.position[2] = anchors[0][2] + anchors[1][2];
	if (meeting->contact == scene_light)
	{
		place.position[2] -= BENCH_HEIGHT * (0.005 + 0.015 * nearness);
	}
	else
	{
		place.position[0] += 0.02 * BENCH_HEIGHT;
		place.position[1] += 0.01 * BENCH_HEIGHT;
		place.position[2] += BENCH_HEIGHT * (0.11 - 0.08 * nearness);
	}
	places[1] = place;
}
