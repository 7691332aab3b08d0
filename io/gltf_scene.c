// Nodes, which nodes are in the scene, and the instances that these make.
#include "io/gltf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// ---- Nodes -----------------------------------------------------------------------------------------------------

static bool ReadRotation(gltfReader* g, const gltfValue* place, ioNode* node)
{
	gltfValue member = gltfMember(place, "rotation");
	double* q = node->rotation;
	bool present;
	if (!gltfReadNumbers(g, place, "rotation", 4, q, &present))
	{
		return false;
	}
	double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
	if (length == 0.0)
	{
		gltfWarn(g, &member, "a quaternion of zeros: no rotation");
		q[3] = length = 1.0;
	}
	if (!(length > 1e-6))
	{
		return gltfFail(g, &member, "a quaternion of length %g", length);
	}
	if (fabs(length - 1.0) > 1e-3)
	{
		gltfWarn(g, &member, "a quaternion of length %g, scaled to 1", length);
	}
	for (int i = 0; i < 4; ++i)
	{
		q[i] /= length;
	}
	return true;
}

static bool ReadMatrix(gltfReader* g, const gltfValue* place, ioNode* node)
{
	gltfValue member = gltfMember(place, "matrix");
	double columns[16];
	if (!gltfReadNumbers(g, place, "matrix", 16, columns, &node->hasMatrix) || !node->hasMatrix)
	{
		return !node->hasMatrix;
	}
	for (int i = 0; i < 16; ++i)
	{
		if (i % 4 < 3)
		{
			node->matrix[4 * (i % 4) + i / 4] = columns[i];
		}
		else if (fabs(columns[i] - (i == 15 ? 1.0 : 0.0)) > 1e-4)
		{
			return gltfFail(g, &member, "its last row is not 0 0 0 1");
		}
	}
	return true;
}

static bool ReadTransform(gltfReader* g, const gltfValue* place, ioNode* node)
{
	bool translated, scaled;
	node->rotation[3] = node->scale[0] = node->scale[1] = node->scale[2] = 1.0;
	if (!ReadMatrix(g, place, node) || !gltfReadNumbers(g, place, "translation", 3, node->translation, &translated) ||
	    !gltfReadNumbers(g, place, "scale", 3, node->scale, &scaled) || !ReadRotation(g, place, node))
	{
		return false;
	}
	bool parts = translated || scaled || gltfMember(place, "rotation").json != NULL;
	return !(node->hasMatrix && parts) || gltfFail(g, place, "both a matrix and a translation, rotation or scale");
}

// A skin needs influences, and its joints must be all that these name.
static bool CheckSkin(gltfReader* g, const gltfValue* place, const ioNode* node)
{
	gltfValue member = gltfMember(place, "skin");
	if (node->skin == IO_NONE)
	{
		return true;
	}
	if (node->mesh == IO_NONE)
	{
		return gltfFail(g, &member, "a skin without a mesh");
	}
	const ioAssetMesh* mesh = g->loader->asset->meshes + node->mesh;
	const ioSkin* skin = g->loader->asset->skins + node->skin;
	if (mesh->influenceStart == NULL && mesh->mesh.triangleCount > 0)
	{
		return gltfFail(g, &member, "meshes[%u] has primitives without JOINTS_0 and WEIGHTS_0", node->mesh);
	}
	if (mesh->maxJoint < skin->jointCount || mesh->influenceStart == NULL)
	{
		return true;
	}
	uint32_t influence = 0, vertex = 0;
	while (mesh->joints[influence] < skin->jointCount)
	{
		++influence;
	}
	while (mesh->influenceStart[vertex + 1] <= influence)
	{
		++vertex;
	}
	return gltfFail(g, &member, "vertex %u of meshes[%u] is bound to joint %u, and skins[%u] has %u joints", vertex,
	    node->mesh, (unsigned)mesh->joints[influence], node->skin, skin->jointCount);
}

static bool ReadNodeWeights(gltfReader* g, const gltfValue* place, ioNode* node)
{
	ioAsset* asset = g->loader->asset;
	gltfValue member = gltfMember(place, "weights");
	uint32_t count = node->mesh != IO_NONE ? asset->meshes[node->mesh].targetCount : 0;
	node->firstWeight = asset->weightCount;
	// A pose has a double per weight; meshes used often multiply them.
	if (!gltfSpend(g, place, count, 16))
	{
		return false;
	}
	asset->weightCount += count;
	if (member.json == NULL)
	{
		return true;
	}
	if (count == 0)
	{
		return gltfFail(g, &member, "weights without morph targets");
	}
	node->weights = gltfReadWeights(g, place, count);
	return node->weights != NULL;
}

static bool ReadNode(gltfReader* g, const gltfValue* place, ioNode* node)
{
	if (!gltfExpectObject(g, place) || !gltfReadName(g, place, &node->name) ||
	    !gltfReadIndex(g, place, "mesh", &g->meshes, false, &node->mesh) ||
	    !gltfReadIndex(g, place, "skin", &g->skins, false, &node->skin) || !ReadTransform(g, place, node) ||
	    !CheckSkin(g, place, node) || !ReadNodeWeights(g, place, node))
	{
		return false;
	}
	gltfValue extensions = gltfMember(place, "extensions");
	bool copied = gltfMember(&extensions, "EXT_mesh_gpu_instancing").json != NULL;
	return !copied || node->skin == IO_NONE || gltfFail(g, place, "a skin with EXT_mesh_gpu_instancing");
}

static bool ReadChildren(gltfReader* g, ioNode* nodes, uint32_t number)
{
	gltfValue place = gltfElement(&g->nodes, number), array;
	if (!gltfReadArray(g, &place, "children", &array))
	{
		return false;
	}
	for (size_t i = 0; i < gltfLength(&array); ++i)
	{
		gltfValue element = gltfElement(&array, i);
		uint32_t child;
		if (!gltfToIndex(g, &element, &g->nodes, &child))
		{
			return false;
		}
		if (nodes[child].parent != IO_NONE)
		{
			return gltfFail(g, &element, "nodes[%u] is a child of nodes[%u] already", child, nodes[child].parent);
		}
		nodes[child].parent = number;
	}
	return true;
}

static bool CountCopies(gltfReader* g, uint64_t* total)
{
	*total = 0;
	for (size_t i = 0; i < gltfLength(&g->nodes); ++i)
	{
		gltfValue place = gltfElement(&g->nodes, i);
		uint32_t count = 0;
		if (json_is_object(place.json) && !gltfCountCopies(g, &place, &count))
		{
			return false;
		}
		*total += count;
	}
	return true;
}

// The copies come behind the nodes of the file, in the order of the nodes that have them.
static bool AddCopies(gltfReader* g, ioNode* nodes)
{
	ioAsset* asset = g->loader->asset;
	for (uint32_t i = 0; i < gltfLength(&g->nodes); ++i)
	{
		gltfValue place = gltfElement(&g->nodes, i);
		uint32_t count;
		if (!gltfCountCopies(g, &place, &count) ||
		    (count > 0 && !gltfMakeCopies(g, i, nodes, nodes + asset->nodeCount, count)))
		{
			return false;
		}
		asset->nodeCount += count;
	}
	return true;
}

static bool ReadNodes(gltfReader* g)
{
	ioAsset* asset = g->loader->asset;
	size_t count = gltfLength(&g->nodes);
	uint64_t copies;
	if (!CountCopies(g, &copies) ||
	    !gltfSpend(g, &g->nodes, count + copies, sizeof(ioNode) + 384)) // its matrices in a pose and name included
	{
		return false;
	}
	ioNode* nodes = ioAsset_Allocate(asset, count + (size_t)copies, sizeof(ioNode));
	if (nodes == NULL)
	{
		return ioFailMemory(g->loader);
	}
	asset->nodes = nodes;
	asset->nodeCount = (uint32_t)count;
	for (size_t i = 0; i < count; ++i)
	{
		nodes[i].parent = IO_NONE;
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		gltfValue place = gltfElement(&g->nodes, i);
		if (!ReadNode(g, &place, nodes + i) || !ReadChildren(g, nodes, i))
		{
			return false;
		}
	}
	uint32_t cyclic;
	if (!AddCopies(g, nodes) || !ioOrderNodes(g->loader, &cyclic))
	{
		return false;
	}
	gltfValue place = gltfElement(&g->nodes, cyclic);
	return cyclic == IO_NONE || gltfFail(g, &place, "is its own ancestor");
}

// ---- Scenes ----------------------------------------------------------------------------------------------------

static bool MarkScene(gltfReader* g, size_t scene, bool* marks)
{
	gltfValue place = gltfElement(&g->scenes, scene), array;
	if (!gltfExpectObject(g, &place) || !gltfReadArray(g, &place, "nodes", &array))
	{
		return false;
	}
	for (size_t i = 0; i < gltfLength(&array); ++i)
	{
		gltfValue element = gltfElement(&array, i);
		uint32_t node;
		if (!gltfToIndex(g, &element, &g->nodes, &node))
		{
			return false;
		}
		if (g->loader->asset->nodes[node].parent != IO_NONE)
		{
			return gltfFail(g, &element, "nodes[%u] is not a root", node);
		}
		marks[node] = true;
	}
	return true;
}

// Take out the nodes that are hidden, and of those with copies the nodes themselves.
static bool UnmarkNodes(gltfReader* g, bool* marks)
{
	const ioAsset* asset = g->loader->asset;
	size_t fileCount = gltfLength(&g->nodes);
	for (uint32_t i = 0; i < asset->nodeCount; ++i)
	{
		uint32_t node = asset->nodeOrder[i], parent = asset->nodes[node].parent;
		gltfValue place = gltfElement(&g->nodes, node);
		bool hidden = false;
		if (node < fileCount && !gltfReadVisibility(g, &place, &hidden))
		{
			return false;
		}
		marks[node] = marks[node] && !hidden && (parent == IO_NONE || marks[parent]);
	}
	for (size_t i = fileCount; i < asset->nodeCount; ++i)
	{
		marks[asset->nodes[i].parent] = false; // its children have had their turn
	}
	return true;
}

// Mark the nodes that are in the scene: its roots, and those whose parent is in it.
static bool MarkNodes(gltfReader* g, bool* marks)
{
	const ioAsset* asset = g->loader->asset;
	size_t sceneCount = gltfLength(&g->scenes);
	uint32_t chosen;
	if (!gltfReadIndex(g, &g->root, "scene", &g->scenes, false, &chosen))
	{
		return false;
	}
	for (size_t i = 0; i < sceneCount; ++i)
	{
		if ((chosen == IO_NONE || chosen == i) && !MarkScene(g, i, marks))
		{
			return false;
		}
	}
	for (uint32_t i = 0; i < asset->nodeCount; ++i)
	{
		uint32_t node = asset->nodeOrder[i], parent = asset->nodes[node].parent;
		marks[node] = marks[node] || sceneCount == 0 || (parent != IO_NONE && marks[parent]);
	}
	return UnmarkNodes(g, marks);
}

static const char* NameInstance(ioAsset* asset, uint32_t node)
{
	const char *name = asset->nodes[node].name, *meshName = asset->meshes[asset->nodes[node].mesh].name;
	if (name[0] != '\0' || meshName[0] != '\0')
	{
		return name[0] != '\0' ? name : meshName;
	}
	char text[32];
	snprintf(text, sizeof(text), "node %u", node);
	return ioAsset_CopyName(asset, text);
}

static bool MakeInstances(gltfReader* g, const bool* marks)
{
	ioAsset* asset = g->loader->asset;
	ioInstance* instances = ioAsset_Allocate(asset, asset->nodeCount, sizeof(ioInstance));
	asset->instances = instances;
	for (uint32_t i = 0; instances != NULL && i < asset->nodeCount; ++i)
	{
		const ioNode* node = asset->nodes + i;
		if (marks[i] && node->mesh != IO_NONE && asset->meshes[node->mesh].mesh.triangleCount > 0)
		{
			const char* name = NameInstance(asset, i);
			if (name == NULL)
			{
				return ioFailMemory(g->loader);
			}
			instances[asset->instanceCount++] =
			    (ioInstance){ .name = name, .node = i, .mesh = node->mesh, .skin = node->skin };
		}
	}
	if (instances == NULL)
	{
		return ioFailMemory(g->loader);
	}
	return asset->instanceCount > 0 || ioFail(g->loader, 0, "no triangles in the scene");
}

bool gltfReadScene(gltfReader* g)
{
	if (!ReadNodes(g))
	{
		return false;
	}
	bool* marks = calloc((size_t)g->loader->asset->nodeCount + 1, sizeof(bool));
	if (marks == NULL)
	{
		return ioFailMemory(g->loader);
	}
	bool read = MarkNodes(g, marks) && MakeInstances(g, marks);
	free(marks);
	return read;
}
