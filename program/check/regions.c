#include "program/check/regions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The joint with the greatest sum of weights over three corners; of equal ones the lowest. Influences are few, so that
// sums are made by looking through them.
static uint32_t FindJoint(const ioAssetMesh* mesh, const uint32_t corners[3])
{
	uint32_t best = 0;
	float most = -1.0f;
	for (int c = 0; c < 3; ++c)
	{
		for (uint32_t i = mesh->influenceStart[corners[c]]; i < mesh->influenceStart[corners[c] + 1]; ++i)
		{
			float sum = 0.0f;
			for (int d = 0; d < 3; ++d)
			{
				for (uint32_t k = mesh->influenceStart[corners[d]]; k < mesh->influenceStart[corners[d] + 1]; ++k)
				{
					sum += mesh->joints[k] == mesh->joints[i] ? mesh->weights[k] : 0.0f;
				}
			}
			if (sum > most || (sum == most && mesh->joints[i] < best))
			{
				most = sum;
				best = mesh->joints[i];
			}
		}
	}
	return best;
}

// The node of each triangle of a skinned body. Null, and true, for one that is not.
static bool FindNodes(const cliScene* scene, const cliPart* part, uint32_t** nodes)
{
	const ioAsset* asset = cliScene_GetAsset(scene, part->file);
	const ioInstance* instance = part->instance != IO_NONE ? asset->instances + part->instance : NULL;
	const ioAssetMesh* mesh = instance != NULL ? asset->meshes + instance->mesh : NULL;
	if (mesh == NULL || instance->skin == IO_NONE || mesh->influenceStart == NULL)
	{
		return true;
	}
	*nodes = malloc(((size_t)part->triangleCount + 1) * sizeof(uint32_t));
	for (size_t t = 0; *nodes != NULL && t < part->triangleCount; ++t)
	{
		(*nodes)[t] = asset->skins[instance->skin].joints[FindJoint(mesh, part->triangles + 3 * t)];
	}
	return *nodes != NULL;
}

bool cliRegions_Create(cliRegions* regions, const cliScene* scene)
{
	*regions = (cliRegions){ .scene = scene };
	regions->first = calloc((size_t)scene->fileCount, sizeof(uint32_t));
	regions->nodes = calloc((size_t)scene->partCount + 1, sizeof(uint32_t*));
	bool made = regions->first != NULL && regions->nodes != NULL;
	uint32_t next = 0;
	for (int i = 0; made && i < scene->fileCount; ++i)
	{
		regions->first[i] = next;
		next += cliScene_GetAsset(scene, i)->nodeCount + 1;
	}
	for (int i = 0; made && i < scene->partCount; ++i)
	{
		made = FindNodes(scene, scene->parts + i, &regions->nodes[i]);
	}
	return made;
}

void cliRegions_Free(cliRegions* regions)
{
	for (int i = 0; regions->nodes != NULL && i < regions->scene->partCount; ++i)
	{
		free(regions->nodes[i]);
	}
	free(regions->nodes);
	free(regions->first);
	*regions = (cliRegions){ .scene = NULL };
}

uint32_t cliRegions_Count(const cliRegions* regions)
{
	const int last = regions->scene->fileCount - 1;
	return regions->first[last] + cliScene_GetAsset(regions->scene, last)->nodeCount + 1;
}

uint32_t cliRegions_Get(const cliRegions* regions, int part, uint32_t triangle)
{
	const cliPart* p = regions->scene->parts + part;
	const ioAsset* asset = cliScene_GetAsset(regions->scene, p->file);
	uint32_t node = regions->nodes[part] != NULL ? regions->nodes[part][triangle]
	                : p->instance != IO_NONE     ? asset->instances[p->instance].node
	                                             : 0;
	return regions->first[p->file] + node;
}

uint64_t cliRegions_GetKey(const cliRegions* regions, const cliPair* pair)
{
	const uint64_t a = cliRegions_Get(regions, pair->bodies[0], pair->pair.a);
	const uint64_t b = cliRegions_Get(regions, pair->bodies[1], pair->pair.b);
	return a < b ? a << 32 | b : b << 32 | a;
}

int cliRegions_GetFile(const cliRegions* regions, uint32_t region)
{
	int file = regions->scene->fileCount - 1;
	while (regions->first[file] > region)
	{
		--file;
	}
	return file;
}

// Of a node without a name: that of the body which it places, if it does.
static const char* FindBodyName(const ioAsset* asset, uint32_t node)
{
	for (uint32_t i = 0; i < asset->instanceCount; ++i)
	{
		if (asset->instances[i].node == node)
		{
			return asset->instances[i].name;
		}
	}
	return "";
}

void cliRegions_GetName(const cliRegions* regions, uint32_t region, char* name, size_t size)
{
	const cliScene* scene = regions->scene;
	int file = cliRegions_GetFile(regions, region);
	const ioAsset* asset = cliScene_GetAsset(scene, file);
	uint32_t node = region - regions->first[file];
	const char* known = node >= asset->nodeCount             ? scene->parts[scene->files[file].firstPart].name
	                    : asset->nodes[node].name[0] != '\0' ? asset->nodes[node].name
	                                                         : FindBodyName(asset, node);
	if (known[0] != '\0')
	{
		snprintf(name, size, "%s", known);
	}
	else
	{
		snprintf(name, size, "node %u", node);
	}
}

// Exporters put the rig's name in front of each joint's, as in `mixamorig:Hips`: where all joints have it, it says
// nothing.
static size_t GetPrefix(const ioAsset* asset, const char* name)
{
	const char* colon = strchr(name, ':');
	size_t length = colon != NULL && colon[1] != '\0' ? (size_t)(colon - name) + 1 : 0;
	for (uint32_t i = 0; i < asset->skinCount; ++i)
	{
		for (uint32_t k = 0; k < asset->skins[i].jointCount; ++k)
		{
			length = strncmp(asset->nodes[asset->skins[i].joints[k]].name, name, length) == 0 ? length : 0;
		}
	}
	return asset->skinCount > 0 ? length : 0;
}

void cliRegions_GetShortName(const cliRegions* regions, uint32_t region, char* name, size_t size)
{
	cliRegions_GetName(regions, region, name, size);
	const ioAsset* asset = cliScene_GetAsset(regions->scene, cliRegions_GetFile(regions, region));
	size_t prefix = GetPrefix(asset, name);
	memmove(name, name + prefix, strlen(name + prefix) + 1);
}
