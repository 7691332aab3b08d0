#include "bench/character.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A mesh without triangles may have a skin and no influences.
static bool IsSkinned(const ioAsset* asset, uint32_t instance)
{
	const ioInstance* body = asset->instances + instance;
	return body->skin != IO_NONE && asset->meshes[body->mesh].influenceStart != NULL;
}

// Room for all skinned instances together.
static bool Allocate(benchCharacter* c)
{
	uint64_t vertices = 0, triangles = 0, influences = 0;
	for (uint32_t i = 0; i < c->asset.instanceCount; ++i)
	{
		const ioAssetMesh* mesh = c->asset.meshes + c->asset.instances[i].mesh;
		if (IsSkinned(&c->asset, i))
		{
			vertices += mesh->mesh.vertexCount;
			triangles += mesh->mesh.triangleCount;
			influences += mesh->influenceStart[mesh->mesh.vertexCount];
			c->targetCount += mesh->targetCount;
		}
	}
	c->mesh = sceneMesh_Allocate(vertices, triangles);
	c->weights.transformCount = c->asset.jointCount;
	c->weights.starts = malloc(((size_t)vertices + 1) * sizeof(uint32_t));
	c->weights.transforms = malloc(((size_t)influences + 1) * sizeof(uint16_t));
	c->weights.weights = malloc(((size_t)influences + 1) * sizeof(float));
	c->pose = ioPose_Create(&c->asset);
	return triangles > 0 && c->asset.jointCount <= UINT16_MAX && sceneMesh_IsValid(&c->mesh) &&
	       c->weights.starts != NULL && c->weights.transforms != NULL && c->weights.weights != NULL && c->pose != NULL;
}

/// How far the arrays are filled.
typedef struct filled
{
	uint32_t vertices, triangles, influences;
} filled;

static void AppendInstance(benchCharacter* c, filled* at, uint32_t instance)
{
	const ioInstance* body = c->asset.instances + instance;
	const ioAssetMesh* from = c->asset.meshes + body->mesh;
	uint32_t firstJoint = c->asset.skins[body->skin].firstJoint, vertexCount = from->mesh.vertexCount;
	uint32_t influenceCount = from->influenceStart[vertexCount];
	memcpy(c->mesh.positions + 3 * (size_t)at->vertices, from->mesh.positions, 3 * (size_t)vertexCount * sizeof(float));
	for (size_t i = 0; i < 3 * (size_t)from->mesh.triangleCount; ++i)
	{
		c->mesh.triangles[3 * (size_t)at->triangles + i] = at->vertices + from->mesh.triangles[i];
	}
	for (uint32_t v = 0; v < vertexCount; ++v)
	{
		c->weights.starts[at->vertices + v] = at->influences + from->influenceStart[v];
	}
	for (uint32_t i = 0; i < influenceCount; ++i)
	{
		c->weights.transforms[at->influences + i] = (uint16_t)(firstJoint + from->joints[i]);
		c->weights.weights[at->influences + i] = from->weights[i];
	}
	at->vertices += vertexCount;
	at->triangles += from->mesh.triangleCount;
	at->influences += influenceCount;
	c->weights.starts[at->vertices] = at->influences;
}

// The height at rest, of positions by the plain way. The mesh' own arrays serve as scratch: they are filled later.
static double MeasureHeight(benchCharacter* c)
{
	double low = INFINITY, high = -INFINITY;
	for (uint32_t i = 0; i < c->asset.instanceCount; ++i)
	{
		if (!IsSkinned(&c->asset, i) || !ioPose_EvaluateVertices(c->pose, i, c->mesh.positions))
		{
			continue;
		}
		for (uint32_t v = 0; v < c->asset.meshes[c->asset.instances[i].mesh].mesh.vertexCount; ++v)
		{
			low = fmin(low, (double)c->mesh.positions[3 * (size_t)v + 1]);
			high = fmax(high, (double)c->mesh.positions[3 * (size_t)v + 1]);
		}
	}
	return high - low;
}

static bool Build(benchCharacter* c)
{
	filled at = { 0, 0, 0 };
	if (!Allocate(c))
	{
		return false;
	}
	c->scale = BENCH_HEIGHT / MeasureHeight(c);
	for (uint32_t i = 0; i < c->asset.instanceCount; ++i)
	{
		if (IsSkinned(&c->asset, i))
		{
			AppendInstance(c, &at, i);
		}
	}
	return isfinite(c->scale) && c->scale > 0.0 && c->asset.clipCount > 0;
}

bool benchCharacter_Load(benchCharacter* character, const char* directory, const char* name, benchReport* report)
{
	char path[1024];
	ioError error;
	*character = (benchCharacter){ .name = name };
	snprintf(path, sizeof(path), "%s/%s.glb", directory, name);
	FILE* file = fopen(path, "rb");
	if (file == NULL)
	{
		return true;
	}
	fclose(file);
	if (!ioLoad(path, NULL, &character->asset, &error))
	{
		benchReport_Fail(report, "%s", error.text);
		return false;
	}
	character->isPresent = Build(character);
	if (!character->isPresent)
	{
		benchReport_Fail(report, "%s: no skinned mesh, no clip or no memory", path);
		benchCharacter_Free(character);
		return false;
	}
	return true;
}

void benchCharacter_Free(benchCharacter* character)
{
	ioPose_Destroy(character->pose);
	ioAsset_Free(&character->asset);
	sceneMesh_Free(&character->mesh);
	sceneWeights_Free(&character->weights);
	*character = (benchCharacter){ .name = NULL };
}

double benchCharacter_GetInfluences(const benchCharacter* character)
{
	uint32_t vertexCount = character->mesh.vertexCount;
	return (double)character->weights.starts[vertexCount] / (double)vertexCount;
}

// Joints of the present pose, scaled. Those of skins without instances stay as they are.
static void CopyJoints(const benchCharacter* c, float* matrices)
{
	for (uint32_t i = 0; i < c->asset.instanceCount; ++i)
	{
		if (IsSkinned(&c->asset, i))
		{
			const ioSkin* skin = c->asset.skins + c->asset.instances[i].skin;
			const double* joints = ioPose_GetJointMatrices(c->pose, i);
			float* out = matrices + 12 * (size_t)skin->firstJoint;
			for (size_t k = 0; k < 12 * (size_t)skin->jointCount; ++k)
			{
				out[k] = (float)(c->scale * joints[k]);
			}
		}
	}
}

void benchCharacter_PoseClip(
    const benchCharacter* character, uint32_t clip, int frameCount, double shift, float* matrices)
{
	const ioClip* played = character->asset.clips + clip;
	for (int f = 0; f < frameCount; ++f)
	{
		double part = fmod(((double)f + 0.5) / (double)frameCount + shift, 1.0);
		ioPose_Evaluate(character->pose, clip, played->start + part * (played->duration - played->start));
		CopyJoints(character, matrices + 12 * (size_t)f * character->weights.transformCount);
	}
}

float* benchCharacter_AllocateMatrices(const benchCharacter* character, int frameCount)
{
	return calloc(12 * (size_t)frameCount * character->weights.transformCount, sizeof(float));
}
