// What snug_io.h says about assets: what is inside, with numbers checked and nothing of the inside shown.
#include "io/cast.h"

#include <stdlib.h>

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

void ioTell(const snugMessenger* messenger, const char* text)
{
	if (messenger->message != NULL)
	{
		messenger->message(messenger->user, snug_error, text);
	}
}

bool ioTakeActorDef(const snugActorDef* given, snugActorDef* def)
{
	*def = given != NULL ? *given : (snugActorDef){ .instances = NULL };
	return IsZero(def->reserved, sizeof(def->reserved) / sizeof(def->reserved[0]));
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
	bool loaded = made != NULL && ioLoad(path, &options, made, &error);
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
	bool loaded = made != NULL && ioLoadMemory(bytes, count, name, &options, made, &error);
	return Finish(loaded, def, &error, made, asset);
}

void snugAsset_Destroy(snugAsset* asset)
{
	if (asset != NULL)
	{
		ioAsset_Free(asset);
		free(asset);
	}
}

// The instance with a number, or null.
static const ioInstance* FindInstance(const snugAsset* asset, uint32_t instance)
{
	return asset != NULL && instance < asset->instanceCount ? asset->instances + instance : NULL;
}

// A mesh without triangles may have a skin and no influences: it moves as a whole.
static const ioSkin* SkinOf(const snugAsset* asset, const ioInstance* instance)
{
	bool isSkinned =
	    instance != NULL && instance->skin != IO_NONE && asset->meshes[instance->mesh].influenceStart != NULL;
	return isSkinned ? asset->skins + instance->skin : NULL;
}

snugAssetInfo snugAsset_GetInfo(const snugAsset* asset)
{
	return asset == NULL ? (snugAssetInfo){ 0 }
	                     : (snugAssetInfo){ .instanceCount = asset->instanceCount, .clipCount = asset->clipCount };
}

snugStatus snugAsset_GetInstance(const snugAsset* asset, uint32_t number, snugInstance* info)
{
	const ioInstance* instance = FindInstance(asset, number);
	const ioSkin* skin = SkinOf(asset, instance);
	if (instance == NULL || info == NULL)
	{
		return snug_badArgument;
	}
	const ioAssetMesh* mesh = asset->meshes + instance->mesh;
	*info = (snugInstance){ .name = instance->name,
		.vertexCount = mesh->mesh.vertexCount,
		.triangleCount = mesh->mesh.triangleCount,
		.jointCount = skin != NULL ? skin->jointCount : 0,
		.targetCount = mesh->targetCount };
	return snug_success;
}

snugStatus snugAsset_GetClip(const snugAsset* asset, uint32_t number, snugClip* info)
{
	if (number >= snugAsset_GetInfo(asset).clipCount || info == NULL)
	{
		return snug_badArgument;
	}
	const ioClip* clip = asset->clips + number;
	*info = (snugClip){ .name = clip->name, .start = clip->start, .end = clip->duration };
	return snug_success;
}

uint32_t snugAsset_FindClip(const snugAsset* asset, const char* name)
{
	return asset != NULL && name != NULL ? ioAsset_FindClip(asset, name) : SNUG_NONE;
}

const char* snugAsset_GetJointName(const snugAsset* asset, uint32_t number, uint32_t joint)
{
	const ioSkin* skin = SkinOf(asset, FindInstance(asset, number));
	return skin != NULL && joint < skin->jointCount ? asset->nodes[skin->joints[joint]].name : NULL;
}

const char* snugAsset_GetTargetName(const snugAsset* asset, uint32_t number, uint32_t target)
{
	const ioInstance* instance = FindInstance(asset, number);
	const ioAssetMesh* mesh = instance != NULL ? asset->meshes + instance->mesh : NULL;
	return mesh != NULL && target < mesh->targetCount ? mesh->targets[target].name : NULL;
}
