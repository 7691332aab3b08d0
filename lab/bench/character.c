#include "lab/bench/character.h"

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
	uint64_t vertices = 0, triangles = 0, influences = 0, targets = 0, displacements = 0;
	for (uint32_t i = 0; i < c->asset.instanceCount; ++i)
	{
		const ioAssetMesh* mesh = c->asset.meshes + c->asset.instances[i].mesh;
		if (IsSkinned(&c->asset, i))
		{
			vertices += mesh->mesh.vertexCount;
			triangles += mesh->mesh.triangleCount;
			influences += mesh->influenceStart[mesh->mesh.vertexCount];
			targets += mesh->targetCount;
			for (uint32_t t = 0; t < mesh->targetCount; ++t)
			{
				displacements += mesh->targets[t].count;
			}
		}
	}
	c->mesh = sceneMesh_Allocate(vertices, triangles);
	c->weights.transformCount = c->asset.jointCount;
	c->weights.starts = malloc(((size_t)vertices + 1) * sizeof(uint32_t));
	c->weights.transforms = malloc(((size_t)influences + 1) * sizeof(uint16_t));
	c->weights.weights = malloc(((size_t)influences + 1) * sizeof(float));
	c->jointPositions = calloc(3 * (size_t)c->asset.jointCount + 1, sizeof(float));
	c->targets.count = (uint32_t)targets;
	c->targets.starts = calloc((size_t)vertices + 1, sizeof(uint32_t));
	c->targets.fields = malloc(((size_t)displacements + 1) * sizeof(uint16_t));
	c->targets.displacements = malloc(((size_t)displacements + 1) * 3 * sizeof(float));
	c->pose = ioPose_Create(&c->asset);
	return triangles > 0 && c->asset.jointCount <= UINT16_MAX && targets <= UINT16_MAX && sceneMesh_IsValid(&c->mesh) &&
	       c->weights.starts != NULL && c->weights.transforms != NULL && c->weights.weights != NULL &&
	       c->jointPositions != NULL && c->targets.starts != NULL && c->targets.fields != NULL &&
	       c->targets.displacements != NULL && c->pose != NULL;
}

/// How far the arrays are filled.
typedef struct filled
{
	uint32_t vertices, triangles, influences, targets, displacements;
} filled;

// Joints' positions and morph targets of an instance, scaled.
static bool AppendRig(benchCharacter* c, filled* at, const ioAssetMesh* from, const ioSkin* skin)
{
	ioRig rig;
	if (!ioRig_Make(&rig, from, skin, true))
	{
		return false;
	}
	for (size_t i = 0; i < 3 * (size_t)skin->jointCount; ++i)
	{
		c->jointPositions[3 * (size_t)skin->firstJoint + i] = (float)(c->scale * (double)rig.jointPositions[i]);
	}
	for (uint32_t v = 0; v < from->mesh.vertexCount; ++v)
	{
		c->targets.starts[at->vertices + v] = at->displacements;
		for (uint32_t k = rig.targetCount > 0 ? rig.starts[v] : 0; rig.targetCount > 0 && k < rig.starts[v + 1]; ++k)
		{
			c->targets.fields[at->displacements] = (uint16_t)(at->targets + rig.targets[k]);
			for (size_t axis = 0; axis < 3; ++axis)
			{
				c->targets.displacements[3 * (size_t)at->displacements + axis] =
				    (float)(c->scale * (double)rig.deltas[3 * (size_t)k + axis]);
			}
			++at->displacements;
		}
	}
	at->targets += rig.targetCount;
	c->targets.starts[at->vertices + from->mesh.vertexCount] = at->displacements;
	ioRig_Free(&rig);
	return true;
}

static bool AppendInstance(benchCharacter* c, filled* at, uint32_t instance)
{
	const ioInstance* body = c->asset.instances + instance;
	const ioAssetMesh* from = c->asset.meshes + body->mesh;
	uint32_t firstJoint = c->asset.skins[body->skin].firstJoint, vertexCount = from->mesh.vertexCount;
	uint32_t influenceCount = from->influenceStart[vertexCount];
	for (size_t i = 0; i < 3 * (size_t)vertexCount; ++i)
	{
		c->mesh.positions[3 * (size_t)at->vertices + i] = (float)(c->scale * (double)from->mesh.positions[i]);
	}
	bool good = AppendRig(c, at, from, c->asset.skins + body->skin);
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
	return good;
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
	filled at = { 0, 0, 0, 0, 0 };
	if (!Allocate(c))
	{
		return false;
	}
	c->scale = BENCH_HEIGHT / MeasureHeight(c);
	bool good = true;
	for (uint32_t i = 0; i < c->asset.instanceCount && good; ++i)
	{
		if (IsSkinned(&c->asset, i))
		{
			good = AppendInstance(c, &at, i);
		}
	}
	return good && isfinite(c->scale) && c->scale > 0.0 && c->asset.clipCount > 0;
}

bool benchCharacter_Load(benchCharacter* character, const char* directory, const char* name, benchReport* report)
{
	char path[1024];
	ioError error;
	const char* slash = strrchr(name, '/');
	*character = (benchCharacter){ .name = slash != NULL ? slash + 1 : name };
	if (directory != NULL)
	{
		snprintf(path, sizeof(path), "%s/%s.glb", directory, name);
		FILE* file = fopen(path, "rb");
		if (file == NULL)
		{
			return true;
		}
		fclose(file);
	}
	else
	{
		snprintf(path, sizeof(path), "%s", name);
	}
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
	sceneTargets_Free(&character->targets);
	free(character->jointPositions);
	*character = (benchCharacter){ .name = NULL };
}

// Joints of the present pose, moved as far as the scale says. Those of skins without instances stay as they are.
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
				out[k] = (float)((k % 4 == 3 ? c->scale : 1.0) * joints[k]);
			}
		}
	}
}

// Go to the middle of one of equal parts of a clip.
static void PlayFrame(const benchCharacter* c, uint32_t clip, int frame, int frameCount, double shift)
{
	const ioClip* played = c->asset.clips + clip;
	double part = fmod(((double)frame + 0.5) / (double)frameCount + shift, 1.0);
	ioPose_Evaluate(c->pose, clip, played->start + part * (played->duration - played->start));
}

void benchCharacter_PoseClip(
    const benchCharacter* character, uint32_t clip, int frameCount, double shift, float* matrices)
{
	for (int f = 0; f < frameCount; ++f)
	{
		PlayFrame(character, clip, f, frameCount, shift);
		CopyJoints(character, matrices + 12 * (size_t)f * character->weights.transformCount);
	}
}

void benchCharacter_MorphClip(
    const benchCharacter* character, uint32_t clip, int frameCount, double shift, float* amplitudes)
{
	const ioAsset* asset = &character->asset;
	for (int f = 0; f < frameCount; ++f)
	{
		PlayFrame(character, clip, f, frameCount, shift);
		for (uint32_t i = 0; i < asset->instanceCount; ++i)
		{
			const double* weights = ioPose_GetMorphWeights(character->pose, i);
			for (uint32_t t = 0; IsSkinned(asset, i) && t < asset->meshes[asset->instances[i].mesh].targetCount; ++t)
			{
				*amplitudes++ = (float)weights[t];
			}
		}
	}
}

float* benchCharacter_AllocateMatrices(const benchCharacter* character, int frameCount)
{
	return calloc(12 * (size_t)frameCount * character->weights.transformCount, sizeof(float));
}
