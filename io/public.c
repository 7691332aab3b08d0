// The functions of snug_io.h: what is inside, with numbers checked and nothing of the inside shown.
#include "io/asset.h"

#include <math.h>
#include <snug/snug_io.h>
#include <stdlib.h>
#include <string.h>

struct snugAsset
{
	ioAsset asset;
};

struct snugPose
{
	const snugAsset* owner;
	ioPose* pose;
};

// ---- Assets ----------------------------------------------------------------------------------------------------

static bool IsZero(const uint64_t* words, size_t count)
{
	uint64_t any = 0;
	for (size_t i = 0; i < count; ++i)
	{
		any |= words[i];
	}
	return any == 0;
}

// What was never initialised is not to be trusted, not even its messenger.
static bool IsGood(const snugAssetDef* def)
{
	return def == NULL || IsZero(def->reserved, sizeof(def->reserved) / sizeof(def->reserved[0]));
}

static void Tell(const snugAssetDef* def, snugSeverity severity, const char* text)
{
	if (def != NULL && def->messenger.message != NULL)
	{
		def->messenger.message(def->messenger.user, severity, text);
	}
}

static void PassWarning(void* user, const char* text)
{
	Tell(user, snug_warning, text);
}

static ioLoadOptions OptionsOf(const snugAssetDef* def)
{
	return (ioLoadOptions){
		.warning = PassWarning, .user = (void*)(uintptr_t)def, .maxBytes = def != NULL ? def->maxBytes : 0
	};
}

static snugStatus StatusOf(const ioError* error)
{
	return error->kind == io_noMemory ? snug_outOfMemory : error->kind == io_noAccess ? snug_ioError : snug_badFile;
}

static snugStatus Finish(bool loaded, const snugAssetDef* def, const ioError* error, snugAsset* made, snugAsset** asset)
{
	if (!loaded)
	{
		free(made);
		Tell(def, snug_error, error->text);
		return StatusOf(error);
	}
	*asset = made;
	return snug_success;
}

// An asset to be filled.
static snugAsset* Begin(const char* name, ioError* error)
{
	snugAsset* made = calloc(1, sizeof(snugAsset));
	if (made == NULL)
	{
		ioError_SetMemory(error, name);
	}
	return made;
}

snugStatus snugAsset_LoadFile(const char* path, const snugAssetDef* def, snugAsset** asset)
{
	if (asset != NULL)
	{
		*asset = NULL;
	}
	if (asset == NULL || path == NULL || !IsGood(def))
	{
		return snug_badArgument;
	}
	ioLoadOptions options = OptionsOf(def);
	ioError error;
	snugAsset* made = Begin(path, &error);
	bool loaded = made != NULL && ioLoad(path, &options, &made->asset, &error);
	return Finish(loaded, def, &error, made, asset);
}

snugStatus snugAsset_LoadMemory(
    const void* bytes, size_t count, const char* name, const snugAssetDef* def, snugAsset** asset)
{
	if (asset != NULL)
	{
		*asset = NULL;
	}
	if (asset == NULL || name == NULL || (bytes == NULL && count > 0) || !IsGood(def))
	{
		return snug_badArgument;
	}
	ioLoadOptions options = OptionsOf(def);
	ioError error;
	snugAsset* made = Begin(name, &error);
	bool loaded = made != NULL && ioLoadMemory(bytes, count, name, &options, &made->asset, &error);
	return Finish(loaded, def, &error, made, asset);
}

void snugAsset_Destroy(snugAsset* asset)
{
	if (asset != NULL)
	{
		ioAsset_Free(&asset->asset);
		free(asset);
	}
}

// The instance with a number, or null.
static const ioInstance* FindInstance(const snugAsset* asset, uint32_t instance)
{
	return asset != NULL && instance < asset->asset.instanceCount ? asset->asset.instances + instance : NULL;
}

static const ioSkin* SkinOf(const snugAsset* asset, const ioInstance* instance)
{
	return instance != NULL && instance->skin != IO_NONE ? asset->asset.skins + instance->skin : NULL;
}

uint32_t snugAsset_GetInstanceCount(const snugAsset* asset)
{
	return asset != NULL ? asset->asset.instanceCount : 0;
}

snugStatus snugAsset_GetInstance(const snugAsset* asset, uint32_t number, snugInstance* info)
{
	const ioInstance* instance = FindInstance(asset, number);
	const ioSkin* skin = SkinOf(asset, instance);
	if (instance == NULL || info == NULL)
	{
		return snug_badArgument;
	}
	const ioAssetMesh* mesh = asset->asset.meshes + instance->mesh;
	*info = (snugInstance){ .name = instance->name,
		.vertexCount = mesh->mesh.vertexCount,
		.triangleCount = mesh->mesh.triangleCount,
		.jointCount = skin != NULL ? skin->jointCount : 0,
		.targetCount = mesh->targetCount };
	return snug_success;
}

uint32_t snugAsset_GetClipCount(const snugAsset* asset)
{
	return asset != NULL ? asset->asset.clipCount : 0;
}

snugStatus snugAsset_GetClip(const snugAsset* asset, uint32_t number, snugClip* info)
{
	if (number >= snugAsset_GetClipCount(asset) || info == NULL)
	{
		return snug_badArgument;
	}
	const ioClip* clip = asset->asset.clips + number;
	*info = (snugClip){ .name = clip->name, .start = clip->start, .end = clip->duration };
	return snug_success;
}

uint32_t snugAsset_FindClip(const snugAsset* asset, const char* name)
{
	return asset != NULL && name != NULL ? ioAsset_FindClip(&asset->asset, name) : SNUG_NO_CLIP;
}

const char* snugAsset_GetJointName(const snugAsset* asset, uint32_t number, uint32_t joint)
{
	const ioSkin* skin = SkinOf(asset, FindInstance(asset, number));
	return skin != NULL && joint < skin->jointCount ? asset->asset.nodes[skin->joints[joint]].name : NULL;
}

const char* snugAsset_GetTargetName(const snugAsset* asset, uint32_t number, uint32_t target)
{
	const ioInstance* instance = FindInstance(asset, number);
	const ioAssetMesh* mesh = instance != NULL ? asset->asset.meshes + instance->mesh : NULL;
	return mesh != NULL && target < mesh->targetCount ? mesh->targets[target].name : NULL;
}

snugStatus snugAsset_GetModelDef(const snugAsset* asset, uint32_t number, snugModelDef* def)
{
	const ioInstance* instance = FindInstance(asset, number);
	const ioSkin* skin = SkinOf(asset, instance);
	if (instance == NULL || def == NULL)
	{
		return snug_badArgument;
	}
	const ioAssetMesh* mesh = asset->asset.meshes + instance->mesh;
	memset(def, 0, sizeof(*def));
	def->positions = mesh->mesh.positions;
	def->vertexCount = mesh->mesh.vertexCount;
	def->triangles = mesh->mesh.triangles;
	def->triangleCount = mesh->mesh.triangleCount;
	if (skin != NULL)
	{
		def->deformer = snug_skin;
		def->skin.jointCount = skin->jointCount;
		def->skin.starts = mesh->influenceStart;
		def->skin.joints = mesh->joints;
		def->skin.weights = mesh->weights;
	}
	return snug_success;
}

// ---- Poses -----------------------------------------------------------------------------------------------------

snugStatus snugPose_Create(const snugAsset* asset, snugPose** pose)
{
	if (pose == NULL || asset == NULL)
	{
		return snug_badArgument;
	}
	snugPose* made = calloc(1, sizeof(snugPose));
	*pose = NULL;
	if (made != NULL)
	{
		*made = (snugPose){ .owner = asset, .pose = ioPose_Create(&asset->asset) };
	}
	if (made == NULL || made->pose == NULL)
	{
		free(made);
		return snug_outOfMemory;
	}
	*pose = made;
	return snug_success;
}

void snugPose_Destroy(snugPose* pose)
{
	if (pose != NULL)
	{
		ioPose_Destroy(pose->pose);
		free(pose);
	}
}

snugStatus snugPose_Evaluate(snugPose* pose, uint32_t clip, double time)
{
	if (pose == NULL || (clip != SNUG_NO_CLIP && clip >= pose->owner->asset.clipCount) || !isfinite(time))
	{
		return snug_badArgument;
	}
	ioPose_Evaluate(pose->pose, clip, time);
	return snug_success;
}

snugStatus snugPose_GetJoints(const snugPose* pose, uint32_t number, float* matrices)
{
	const ioSkin* skin = pose != NULL ? SkinOf(pose->owner, FindInstance(pose->owner, number)) : NULL;
	if (skin == NULL || matrices == NULL)
	{
		return snug_badArgument;
	}
	const double* joints = ioPose_GetJointMatrices(pose->pose, number);
	bool finite = true;
	for (size_t i = 0; i < 12 * (size_t)skin->jointCount; ++i)
	{
		matrices[i] = (float)joints[i];
		finite = finite && isfinite(matrices[i]);
	}
	return finite ? snug_success : snug_outOfRange;
}

snugStatus snugPose_GetMatrix(const snugPose* pose, uint32_t number, double* matrix)
{
	const ioInstance* instance = pose != NULL ? FindInstance(pose->owner, number) : NULL;
	if (instance == NULL || matrix == NULL)
	{
		return snug_badArgument;
	}
	memcpy(matrix, ioPose_GetNodeMatrix(pose->pose, instance->node), 12 * sizeof(double));
	return snug_success;
}

snugStatus snugPose_GetTargetWeights(const snugPose* pose, uint32_t number, double* weights)
{
	const ioInstance* instance = pose != NULL ? FindInstance(pose->owner, number) : NULL;
	if (instance == NULL || weights == NULL)
	{
		return snug_badArgument;
	}
	uint32_t count = pose->owner->asset.meshes[instance->mesh].targetCount;
	memcpy(weights, ioPose_GetMorphWeights(pose->pose, number), count * sizeof(double));
	return snug_success;
}

snugStatus snugPose_GetVertices(const snugPose* pose, uint32_t number, float* positions)
{
	if (pose == NULL || FindInstance(pose->owner, number) == NULL || positions == NULL)
	{
		return snug_badArgument;
	}
	return ioPose_EvaluateVertices(pose->pose, number, positions) ? snug_success : snug_outOfRange;
}
