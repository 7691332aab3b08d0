#include "lab/bench/blend_bodies.h"

#include "io/asset.h"

#include <string.h>

// The first mesh of a file, as its nodes leave it at rest.
static sceneMesh LoadMesh(const char* path, benchReport* report)
{
	ioAsset asset;
	ioError error;
	sceneMesh mesh = { NULL, 0, NULL, 0 };
	if (!ioLoad(path, NULL, &asset, &error))
	{
		benchReport_Fail(report, "%s", error.text);
		return mesh;
	}
	if (asset.meshCount > 0)
	{
		const ioMesh* from = &asset.meshes[0].mesh;
		mesh = sceneMesh_Allocate(from->vertexCount, from->triangleCount);
		if (sceneMesh_IsValid(&mesh))
		{
			memcpy(mesh.positions, from->positions, 3 * (size_t)from->vertexCount * sizeof(float));
			memcpy(mesh.triangles, from->triangles, 3 * (size_t)from->triangleCount * sizeof(uint32_t));
		}
	}
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
