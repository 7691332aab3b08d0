#include "program/files/shape.h"

#include "program/commands/terminal.h"

#include <stdlib.h>

static void PrintWarning(void* user, const char* text)
{
	(void)user;
	cliError("warning: %s", text);
}

static bool ChooseInstance(cliShape* shape, const char* only)
{
	shape->firstInstance = ioAsset_FindInstance(&shape->asset, only);
	shape->instanceCount = 1;
	if (shape->firstInstance == IO_NONE)
	{
		cliError(
		    "%s: no body '%s'; there are %u, which `snug info` lists", shape->path, only, shape->asset.instanceCount);
	}
	return shape->firstInstance != IO_NONE;
}

static const ioMesh* GetMesh(const cliShape* shape, uint32_t i)
{
	return &shape->asset.meshes[shape->asset.instances[shape->firstInstance + i].mesh].mesh;
}

static bool CountAll(cliShape* shape)
{
	uint64_t vertices = 0, triangles = 0;
	for (uint32_t i = 0; i < shape->instanceCount; ++i)
	{
		vertices += GetMesh(shape, i)->vertexCount;
		triangles += GetMesh(shape, i)->triangleCount;
	}
	if (vertices > UINT32_MAX / 4 || triangles > UINT32_MAX / 4)
	{
		cliError("%s: too many triangles of all bodies together", shape->path);
		return false;
	}
	shape->vertexCount = (uint32_t)vertices;
	shape->triangleCount = (uint32_t)triangles;
	return true;
}

static void CopyTriangles(const cliShape* shape)
{
	uint32_t first = 0;
	uint32_t* out = shape->triangles;
	for (uint32_t i = 0; i < shape->instanceCount; ++i)
	{
		const ioMesh* mesh = GetMesh(shape, i);
		for (size_t k = 0; k < 3 * (size_t)mesh->triangleCount; ++k)
		{
			*out++ = first + mesh->triangles[k];
		}
		first += mesh->vertexCount;
	}
}

bool cliShape_Load(cliShape* shape, const char* path, const char* only)
{
	ioError error;
	ioLoadOptions options = { .warning = PrintWarning };
	*shape = (cliShape){ .path = path };
	cliProgress("reading %s ...", path);
	if (!ioLoad(path, &options, &shape->asset, &error))
	{
		cliError("%s", error.text);
		return false;
	}
	shape->instanceCount = shape->asset.instanceCount;
	if ((only != NULL && !ChooseInstance(shape, only)) || !CountAll(shape))
	{
		return false;
	}
	shape->pose = ioPose_Create(&shape->asset);
	shape->triangles = malloc(((size_t)shape->triangleCount + 1) * 3 * sizeof(uint32_t));
	if (shape->pose == NULL || shape->triangles == NULL)
	{
		cliError("%s: out of memory", path);
		return false;
	}
	CopyTriangles(shape);
	return true;
}

void cliShape_Free(cliShape* shape)
{
	ioPose_Destroy(shape->pose);
	ioAsset_Free(&shape->asset);
	free(shape->triangles);
	*shape = (cliShape){ .path = NULL };
}

bool cliShape_Evaluate(cliShape* shape, uint32_t clip, double time, float* positions)
{
	ioPose_Evaluate(shape->pose, clip, time);
	for (uint32_t i = 0; i < shape->instanceCount; ++i)
	{
		if (!ioPose_EvaluateVertices(shape->pose, shape->firstInstance + i, positions))
		{
			cliError("%s: posed positions are too large for float32", shape->path);
			return false;
		}
		positions += 3 * (size_t)GetMesh(shape, i)->vertexCount;
	}
	return true;
}
