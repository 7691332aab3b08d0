// test/fuzz/fuzz_reader.h: what the fuzz targets of the readers share: load bytes as one format and, if that works,
// look at everything that came out, as a program would.
#ifndef FUZZ_READER_H
#define FUZZ_READER_H

#include "io/asset.h"
#include "io/gltf_write.h"
#include "io/plain.h"

#include <snug/snug_io.h>
#include <stdlib.h>

static inline void FuzzCheck(bool condition)
{
	if (!condition)
	{
		abort();
	}
}

// What io/asset.h promises of meshes. Each number is looked at, so that sanitizers see reads out of bounds.
static inline void FuzzCheckMesh(const ioAssetMesh* mesh)
{
	for (size_t i = 0; i < 3 * (size_t)mesh->mesh.triangleCount; ++i)
	{
		FuzzCheck(mesh->mesh.triangles[i] < mesh->mesh.vertexCount);
	}
	for (size_t i = 0; i < 3 * (size_t)mesh->mesh.vertexCount; ++i)
	{
		FuzzCheck(mesh->mesh.positions[i] - mesh->mesh.positions[i] == 0.0f);
	}
	for (uint32_t v = 0; mesh->influenceStart != NULL && v < mesh->mesh.vertexCount; ++v)
	{
		double sum = 0.0;
		for (uint32_t i = mesh->influenceStart[v]; i < mesh->influenceStart[v + 1]; ++i)
		{
			FuzzCheck(mesh->joints[i] <= mesh->maxJoint && mesh->weights[i] >= 0.0f);
			sum += (double)mesh->weights[i];
		}
		FuzzCheck(sum > 0.999 && sum < 1.001);
	}
	for (uint32_t t = 0; t < mesh->targetCount; ++t)
	{
		const ioMorphTarget* target = mesh->targets + t;
		for (uint32_t i = 0; i < target->count; ++i)
		{
			FuzzCheck(target->vertices[i] < mesh->mesh.vertexCount);
			FuzzCheck(i == 0 || target->vertices[i] > target->vertices[i - 1]);
		}
	}
}

static inline void FuzzPose(const ioAsset* asset)
{
	ioPose* pose = ioPose_Create(asset);
	FuzzCheck(pose != NULL);
	// Few are enough: the same code runs for all, and files of many instances would only be slow.
	for (uint32_t clip = 0; clip <= asset->clipCount && clip < 3; ++clip)
	{
		double duration = clip < asset->clipCount ? asset->clips[clip].duration : 0.0;
		ioPose_Evaluate(pose, clip < asset->clipCount ? clip : IO_NONE, 0.4 * duration);
		for (uint32_t i = 0; i < asset->instanceCount && i < 4; ++i)
		{
			size_t count = asset->meshes[asset->instances[i].mesh].mesh.vertexCount;
			float* positions = malloc(count * 3 * sizeof(float));
			FuzzCheck(positions != NULL);
			ioPose_EvaluateVertices(pose, i, positions);
			free(positions);
		}
	}
	ioPose_Destroy(pose);
}

// Of whatever came out, an actor: it is refused with a status, or posed by every clip and asked.
static inline void FuzzAct(const ioAsset* asset)
{
	static const uint32_t few[4] = { 0, 1, 2, 3 };
	snugActorDef def = { .instances = few, .instanceCount = asset->instanceCount < 4 ? asset->instanceCount : 4 };
	snugActor* actor;
	snugStatus status = snugActor_Create(asset, &def, &actor);
	FuzzCheck((status == snug_success) == (actor != NULL) && status != snug_badArgument);
	for (uint32_t clip = 0; actor != NULL && clip < asset->clipCount && clip < 3; ++clip)
	{
		uint32_t count;
		snugBody* const* bodies = snugActor_GetBodies(actor, &count);
		if (snugActor_SetTime(actor, clip, 0.4 * asset->clips[clip].duration, NULL) == snug_success && count > 1)
		{
			snugTouches(bodies[0], bodies[count - 1], NULL);
		}
	}
	snugActor_Destroy(actor);
}

// As GLB. Long motions of many nodes would only be slow.
static inline void FuzzWrite(const ioAsset* asset)
{
	double seconds = 0.0;
	for (uint32_t i = 0; i < asset->clipCount; ++i)
	{
		seconds += asset->clips[i].duration - asset->clips[i].start;
	}
	FILE* stream = seconds * asset->nodeCount < 100.0 ? fopen("/dev/null", "wb") : NULL;
	if (stream != NULL)
	{
		ioAsset plain;
		ioError error;
		FuzzCheck(ioMakePlain(asset, "file", &plain, &error));
		FuzzCheck(ioPrintGlb(stream, "file", &plain, NULL, &error));
		ioAsset_Free(&plain);
		fclose(stream);
	}
}

static inline void FuzzIgnoreWarning(void* user, const char* text)
{
	(void)user;
	FuzzCheck(text[0] != '\0');
}

static inline void FuzzUseAsset(bool loaded, ioAsset* asset, const ioError* error)
{
	if (!loaded)
	{
		FuzzCheck(error->text[0] != '\0' && asset->blocks == NULL);
		for (const char* p = error->text; *p != '\0'; ++p)
		{
			FuzzCheck((unsigned char)*p >= ' '); // one line, and nothing that a terminal would act upon
		}
		return;
	}
	FuzzCheck(asset->instanceCount > 0);
	for (uint32_t i = 0; i < asset->meshCount; ++i)
	{
		FuzzCheckMesh(asset->meshes + i);
	}
	FuzzPose(asset);
	FuzzAct(asset);
	FuzzWrite(asset);
	ioAsset_Free(asset);
}

static inline int FuzzReader(const uint8_t* data, size_t size, ioFormat format)
{
	// 16 MiB, so that what takes much memory is found before the machine's own limits.
	ioLoadOptions options = { .format = format, .warning = FuzzIgnoreWarning, .maxBytes = (uint64_t)16 << 20 };
	ioAsset asset;
	ioError error;
	bool loaded = ioLoadMemory(data, size, "file", &options, &asset, &error);
	FuzzUseAsset(loaded, &asset, &error);
	return 0;
}

#endif
