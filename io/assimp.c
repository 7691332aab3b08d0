// FBX and COLLADA through Assimp's C interface. Compiled only where Assimp is found.
//
// Assimp's meshes have one material each, so what its file calls one mesh may become several instances.
//
// Assimp checks its files less strictly than the other readers do: what it hands over is checked here, but a hostile
// file may harm Assimp itself.
#include "io/assimp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <assimp/cimport.h>

const char* assimpCopyName(const assimpReader* r, const struct aiString* string)
{
	return ioAsset_CopyName(r->loader->asset, string->data);
}

// ---- Nodes and skins -------------------------------------------------------------------------------------------

static bool CopyMatrix(const struct aiMatrix4x4* m, double rows[12])
{
	const ai_real values[12] = { m->a1, m->a2, m->a3, m->a4, m->b1, m->b2, m->b3, m->b4, m->c1, m->c2, m->c3, m->c4 };
	bool finite = true;
	for (int i = 0; i < 12; ++i)
	{
		rows[i] = (double)values[i];
		finite = finite && isfinite(values[i]);
	}
	return finite;
}

// List Assimp's nodes, parents first, and count those to be made: each has one mesh at most, so further meshes of a
// node hang from it in nodes of their own.
static bool ListNodes(assimpReader* r, size_t* count)
{
	size_t capacity = 64;
	r->sources = malloc(capacity * sizeof(*r->sources));
	*count = 0;
	if (r->sources == NULL)
	{
		return ioFailMemory(r->loader);
	}
	r->sources[r->sourceCount++] = r->scene->mRootNode;
	for (uint32_t i = 0; i < r->sourceCount; ++i)
	{
		const struct aiNode* node = r->sources[i];
		*count += 1 + (node->mNumMeshes > 1 ? node->mNumMeshes - 1 : 0);
		if (r->sourceCount + (size_t)node->mNumChildren > capacity)
		{
			capacity = 2 * capacity + node->mNumChildren;
			const struct aiNode** grown = realloc((void*)r->sources, capacity * sizeof(*r->sources));
			if (grown == NULL)
			{
				return ioFailMemory(r->loader);
			}
			r->sources = grown;
		}
		for (unsigned k = 0; k < node->mNumChildren; ++k)
		{
			r->sources[r->sourceCount++] = node->mChildren[k];
		}
	}
	return *count < IO_NONE;
}

static int CompareNames(const void* a, const void* b)
{
	return strcmp(((const assimpName*)a)->name, ((const assimpName*)b)->name);
}

uint32_t assimpFindNode(const assimpReader* r, const char* name)
{
	assimpName key = { name, 0 };
	const assimpName* found = bsearch(&key, r->names, r->sourceCount, sizeof(assimpName), CompareNames);
	return found != NULL ? found->node : IO_NONE;
}

static void SetMesh(assimpReader* r, ioNode* node, uint32_t mesh)
{
	node->mesh = mesh;
	node->skin = r->skinOfMesh[mesh];
	node->firstWeight = r->loader->asset->weightCount;
	r->loader->asset->weightCount += r->loader->asset->meshes[mesh].targetCount;
}

static bool ReadNodes(assimpReader* r)
{
	ioAsset* asset = r->loader->asset;
	size_t count;
	if (!ListNodes(r, &count))
	{
		return false;
	}
	r->nodes = ioAsset_Allocate(asset, count, sizeof(ioNode));
	uint32_t* order = ioAsset_Allocate(asset, count, sizeof(uint32_t));
	r->names = malloc(r->sourceCount * sizeof(assimpName));
	if (r->nodes == NULL || order == NULL || r->names == NULL)
	{
		return ioFailMemory(r->loader);
	}
	asset->nodes = r->nodes;
	asset->nodeOrder = order;
	asset->nodeCount = (uint32_t)count;
	for (uint32_t i = 0; i < count; ++i)
	{
		r->nodes[i] = (ioNode){ .name = "",
			.parent = IO_NONE,
			.mesh = IO_NONE,
			.skin = IO_NONE,
			.hasMatrix = i < r->sourceCount,
			.rotation = { 0.0, 0.0, 0.0, 1.0 },
			.scale = { 1.0, 1.0, 1.0 } };
		order[i] = i;
	}
	uint32_t child = 1, extra = r->sourceCount;
	for (uint32_t i = 0; i < r->sourceCount; ++i)
	{
		const struct aiNode* source = r->sources[i];
		ioNode* node = r->nodes + i;
		node->name = assimpCopyName(r, &source->mName);
		r->names[i] = (assimpName){ source->mName.data, i };
		if (node->name == NULL)
		{
			return ioFailMemory(r->loader);
		}
		if (!CopyMatrix(&source->mTransformation, node->matrix))
		{
			return ioFail(r->loader, 0, "node %u: its matrix is not finite", i);
		}
		for (unsigned k = 0; k < source->mNumChildren; ++k)
		{
			r->nodes[child++].parent = i;
		}
		for (unsigned k = 0; k < source->mNumMeshes; ++k)
		{
			ioNode* target = k == 0 ? node : r->nodes + extra++;
			if (source->mMeshes[k] >= asset->meshCount)
			{
				return ioFail(r->loader, 0, "node %u: mesh %u is out of range", i, source->mMeshes[k]);
			}
			target->parent = k == 0 ? target->parent : i;
			target->name = node->name;
			SetMesh(r, target, source->mMeshes[k]);
		}
	}
	qsort(r->names, r->sourceCount, sizeof(assimpName), CompareNames);
	return true;
}

static bool ReadSkin(assimpReader* r, const struct aiMesh* source, ioSkin* skin)
{
	ioAsset* asset = r->loader->asset;
	uint32_t* joints = ioAsset_Allocate(asset, source->mNumBones, sizeof(uint32_t));
	double* matrices = ioAsset_Allocate(asset, source->mNumBones, 12 * sizeof(double));
	if (joints == NULL || matrices == NULL)
	{
		return ioFailMemory(r->loader);
	}
	*skin = (ioSkin){ .name = "",
		.joints = joints,
		.inverseBind = matrices,
		.jointCount = source->mNumBones,
		.firstJoint = asset->jointCount };
	asset->jointCount += source->mNumBones;
	for (unsigned i = 0; i < source->mNumBones; ++i)
	{
		joints[i] = assimpFindNode(r, source->mBones[i]->mName.data);
		if (joints[i] == IO_NONE || !CopyMatrix(&source->mBones[i]->mOffsetMatrix, matrices + 12 * (size_t)i))
		{
			return ioFail(r->loader, 0, "joint %u has %s", i,
			    joints[i] == IO_NONE ? "no node" : "an inverse bind matrix that is not finite");
		}
	}
	return true;
}

// ---- Scenes ----------------------------------------------------------------------------------------------------

// Meshes, and which of them have a skin.
static bool ReadMeshes(assimpReader* r)
{
	ioAsset* asset = r->loader->asset;
	uint32_t count = r->scene->mNumMeshes;
	ioAssetMesh* meshes = ioAsset_Allocate(asset, count, sizeof(ioAssetMesh));
	r->skinOfMesh = malloc(((size_t)count + 1) * sizeof(uint32_t));
	if (meshes == NULL || r->skinOfMesh == NULL)
	{
		return ioFailMemory(r->loader);
	}
	asset->meshes = meshes;
	asset->meshCount = count;
	for (uint32_t i = 0; i < count; ++i)
	{
		if (!assimpReadMesh(r, i, meshes + i))
		{
			return false;
		}
		r->skinOfMesh[i] = meshes[i].influenceStart != NULL ? asset->skinCount++ : IO_NONE;
	}
	return true;
}

static bool ReadSkins(assimpReader* r)
{
	ioAsset* asset = r->loader->asset;
	ioSkin* skins = ioAsset_Allocate(asset, asset->skinCount, sizeof(ioSkin));
	asset->skins = skins;
	for (uint32_t i = 0; skins != NULL && i < asset->meshCount; ++i)
	{
		if (r->skinOfMesh[i] != IO_NONE && !ReadSkin(r, r->scene->mMeshes[i], skins + r->skinOfMesh[i]))
		{
			return false;
		}
	}
	return skins != NULL || ioFailMemory(r->loader);
}

static bool MakeInstances(assimpReader* r)
{
	ioAsset* asset = r->loader->asset;
	ioInstance* instances = ioAsset_Allocate(asset, asset->nodeCount, sizeof(ioInstance));
	asset->instances = instances;
	for (uint32_t i = 0; instances != NULL && i < asset->nodeCount; ++i)
	{
		const ioNode* node = asset->nodes + i;
		if (node->mesh != IO_NONE && asset->meshes[node->mesh].mesh.triangleCount > 0)
		{
			const char* meshName = asset->meshes[node->mesh].name;
			instances[asset->instanceCount++] = (ioInstance){
				.name = node->name[0] != '\0' ? node->name : meshName, .node = i, .mesh = node->mesh, .skin = node->skin
			};
		}
	}
	if (instances == NULL)
	{
		return ioFailMemory(r->loader);
	}
	return asset->instanceCount > 0 || ioFail(r->loader, 0, "no triangles in the scene");
}

bool ioReadAssimp(ioLoader* loader)
{
	assimpReader r = { .loader = loader };
	size_t count;
	// Assimp's own words for a file that is not there or is a directory are not clear.
	uint8_t* start = ioReadFile(loader->path, loader->path, 16, &count, loader->error);
	free(start);
	if (start == NULL)
	{
		return false;
	}
	r.scene = aiImportFile(loader->path, 0);
	if (r.scene == NULL || r.scene->mRootNode == NULL)
	{
		char text[200];
		snprintf(text, sizeof(text), "%s", r.scene == NULL ? aiGetErrorString() : "there is nothing in it");
		for (char* p = text; *p != '\0'; ++p)
		{
			*p = (unsigned char)*p < ' ' || *p == 0x7f ? '?' : *p;
		}
		aiReleaseImport(r.scene);
		return ioFail(loader, 0, "Assimp: %s", text);
	}
	bool read = ReadMeshes(&r) && ReadNodes(&r) && ReadSkins(&r) && assimpReadClips(&r) && MakeInstances(&r);
	aiReleaseImport(r.scene);
	free((void*)r.sources);
	free(r.names);
	free(r.skinOfMesh);
	return read;
}
