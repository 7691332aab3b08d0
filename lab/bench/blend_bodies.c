#include "lab/bench/blend_bodies.h"

#include "io/asset.h"

#include <string.h>

// All meshes of a file as one, each where the file places it.
static sceneMesh LoadMesh(const char* path, benchReport* report)
{
	ioAsset asset;
	ioError error;
	sceneMesh mesh = { .positions = NULL };
	if (!ioLoad(path, NULL, &asset, &error))
	{
		benchReport_Fail(report, "%s", error.text);
		return mesh;
	}
	ioPose* pose = ioPose_Create(&asset);
	for (uint32_t i = 0; pose != NULL && i < asset.instanceCount; ++i)
	{
		const ioMesh* from = &asset.meshes[asset.instances[i].mesh].mesh;
		sceneMesh part = sceneMesh_Allocate(from->vertexCount, from->triangleCount);
		if (sceneMesh_IsValid(&part) && ioPose_EvaluateVertices(pose, i, part.positions))
		{
			memcpy(part.triangles, from->triangles, 3 * (size_t)from->triangleCount * sizeof(uint32_t));
			sceneMesh_Append(&mesh, &part);
		}
		sceneMesh_Free(&part);
	}
	ioPose_Destroy(pose);
	ioAsset_Free(&asset);
	return mesh;
}

bool benchMakeMeshless(
    sceneMeshless* meshless, const benchOptions* options, uint32_t frequency, uint32_t nodeCount, benchReport* report)
{
	sceneMesh mesh = options->model != NULL ? LoadMesh(options->model, report) : sceneMakeBrain(frequency, 1);
	bool made = sceneMeshless_Create(meshless, mesh, nodeCount, BENCH_INFLUENCES);
	if (!made)
	{
		benchReport_Fail(report, "cannot make a meshless body: no memory or no mesh");
	}
	return made;
}
