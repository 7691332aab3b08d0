// The glTF reader's way through a file: container, JSON, version, extensions, then the parts in the order in which
// they build upon one another.
#include "io/gltf.h"

#include <stdlib.h>
#include <string.h>

static bool CheckVersion(gltfReader* g)
{
	gltfValue asset = gltfMember(&g->root, "asset"), version = gltfMember(&asset, "version");
	gltfValue minVersion = gltfMember(&asset, "minVersion");
	const char *text, *least;
	if (!gltfExpectObject(g, &asset) || !gltfReadString(g, &asset, "version", &text) ||
	    !gltfReadString(g, &asset, "minVersion", &least))
	{
		return false;
	}
	if (text == NULL || strncmp(text, "2.", 2) != 0)
	{
		return gltfFail(g, &version, text == NULL ? "missing" : "only glTF 2 is supported");
	}
	return least == NULL || strcmp(least, "2.0") == 0 || gltfFail(g, &minVersion, "only glTF 2.0 is supported");
}

// Extensions that say nothing about where triangles are, and those that are followed.
static bool IsKnown(const char* name)
{
	static const char* const prefixes[] = {
		"KHR_materials_",
		"KHR_texture_",
		"EXT_texture_",
		"MSFT_texture_",
		"KHR_lights_",
		"EXT_lights_",
		"KHR_xmp",
		"KHR_mesh_quantization",
		"EXT_mesh_gpu_instancing",
		"KHR_animation_pointer",
		"KHR_node_visibility",
		"KHR_meshopt_compression",
		"EXT_meshopt_compression",
#if SNUG_IO_DRACO
		"KHR_draco_mesh_compression"
#endif
	};
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); ++i)
	{
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
		{
			return true;
		}
	}
	return false;
}

// A name from the file inside a message: whatever is not plain is not shown.
static const char* PlainName(const char* name)
{
	for (const char* p = name; *p != '\0'; ++p)
	{
		if (*p <= ' ' || *p > '~' || p - name > 80)
		{
			return "(a name that cannot be shown)";
		}
	}
	return name;
}

static bool CheckExtensions(gltfReader* g)
{
	gltfValue required, used;
	if (!gltfReadArray(g, &g->root, "extensionsRequired", &required) ||
	    !gltfReadArray(g, &g->root, "extensionsUsed", &used))
	{
		return false;
	}
	for (size_t i = 0; i < gltfLength(&required) + gltfLength(&used); ++i)
	{
		bool isRequired = i < gltfLength(&required);
		gltfValue element = isRequired ? gltfElement(&required, i) : gltfElement(&used, i - gltfLength(&required));
		const char* name = json_string_value(element.json);
		if (name == NULL)
		{
			return gltfFail(g, &element, "a string expected");
		}
		g->quantized = g->quantized || strcmp(name, "KHR_mesh_quantization") == 0;
		g->packedOnly = g->packedOnly || (isRequired && strstr(name, "_meshopt_compression") != NULL);
		if (isRequired && !IsKnown(name))
		{
			bool compressed = strcmp(name, "KHR_draco_mesh_compression") == 0;
			return gltfFail(g, &element, "the file needs the extension %s, which %s", PlainName(name),
			    compressed
			        ? "this program was built without (Debian: apt-get install libdraco-dev, then build it again); or "
			          "export the file without compression"
			        : "is not supported");
		}
	}
	return true;
}

static bool ReadLists(gltfReader* g)
{
	const gltfValue* root = &g->root;
	return gltfReadArray(g, root, "accessors", &g->accessors) &&
	       gltfReadArray(g, root, "bufferViews", &g->bufferViews) &&
	       gltfReadArray(g, root, "buffers", &g->bufferList) && gltfReadArray(g, root, "meshes", &g->meshes) &&
	       gltfReadArray(g, root, "nodes", &g->nodes) && gltfReadArray(g, root, "skins", &g->skins) &&
	       gltfReadArray(g, root, "animations", &g->animations) && gltfReadArray(g, root, "scenes", &g->scenes);
}

static bool ReadMeshes(gltfReader* g)
{
	ioAsset* asset = g->loader->asset;
	size_t count = gltfLength(&g->meshes);
	ioAssetMesh* meshes = ioAsset_Allocate(asset, count, sizeof(ioAssetMesh));
	if (meshes == NULL)
	{
		return ioFailMemory(g->loader);
	}
	asset->meshes = meshes;
	asset->meshCount = (uint32_t)count;
	for (size_t i = 0; i < count; ++i)
	{
		gltfValue place = gltfElement(&g->meshes, i);
		if (!gltfReadMesh(g, &place, meshes + i))
		{
			return false;
		}
	}
	return true;
}

bool ioReadGltf(ioLoader* loader)
{
	gltfReader g = { .loader = loader };
	const char* text;
	size_t count;
	bool read = gltfSplit(&g, &text, &count) && gltfParse(&g, text, count) && CheckVersion(&g) && CheckExtensions(&g) &&
	            ReadLists(&g) && gltfDecodeDraco(&g) && ReadMeshes(&g) && gltfReadSkins(&g) && gltfReadScene(&g) &&
	            gltfReadAnimations(&g);
	gltfFreeBuffers(&g);
	json_decref(g.json);
	return read;
}
