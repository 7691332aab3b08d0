// EXT_mesh_gpu_instancing: a node whose mesh is there many times. Each time becomes a node of its own below it, behind
// all nodes of the file, with the mesh; the node itself is no instance then. KHR_node_visibility: nodes that are
// hidden, with all below them.
#include "io/gltf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static gltfValue Attributes(const gltfValue* node, gltfValue way[2])
{
	way[0] = gltfMember(node, "extensions");
	way[1] = gltfMember(&way[0], "EXT_mesh_gpu_instancing");
	return gltfMember(&way[1], "attributes");
}

// The three accessors, each of which may be missing; all have one count.
static bool OpenCopies(gltfReader* g, const gltfValue* attributes, gltfAccessor accessors[3], uint32_t* count)
{
	static const char* const names[3] = { "TRANSLATION", "ROTATION", "SCALE" };
	*count = 0;
	for (int i = 0; i < 3; ++i)
	{
		uint32_t number;
		gltfValue place = gltfMember(attributes, names[i]);
		accessors[i].count = 0;
		if (!gltfReadIndex(g, attributes, names[i], &g->accessors, false, &number))
		{
			return false;
		}
		if (number == IO_NONE)
		{
			continue;
		}
		if (!gltfOpenAccessor(g, number, accessors + i))
		{
			return false;
		}
		const gltfAccessor* a = accessors + i;
		bool typed =
		    a->type == gltf_float32 || (i == 1 && a->normalized && (a->type == gltf_int8 || a->type == gltf_int16));
		if (a->components != (i == 1 ? 4 : 3) || !typed || (*count > 0 && a->count != *count))
		{
			return gltfFail(g, &place, "accessors[%u] does not have one of these for each instance", number);
		}
		*count = a->count;
	}
	return *count > 0 || gltfFail(g, attributes, "no TRANSLATION, ROTATION or SCALE");
}

bool gltfCountCopies(gltfReader* g, const gltfValue* node, uint32_t* count)
{
	gltfValue way[2], attributes = Attributes(node, way);
	gltfAccessor accessors[3];
	*count = 0;
	return way[1].json == NULL || gltfMember(node, "mesh").json == NULL ||
	       (gltfExpectObject(g, &attributes) && OpenCopies(g, &attributes, accessors, count));
}

static double GetLength(const float q[4])
{
	double sum = 0.0;
	for (int k = 0; k < 4; ++k)
	{
		sum += (double)q[k] * (double)q[k];
	}
	return sqrt(sum);
}

static bool CheckCopies(gltfReader* g, const gltfValue* place, const float* values, size_t count, int part)
{
	for (size_t i = 0; i < count; ++i)
	{
		const float* q = values + i;
		bool finite = isfinite(*q);
		double length = part == 1 && i % 4 == 0 ? GetLength(q) : 1.0;
		if (!finite || (length != 0.0 && !(length > 1e-6)))
		{
			return gltfFail(g, place, "number %zu is not finite, or of a quaternion of length %g", i, length);
		}
	}
	return true;
}

// Fill one part of the transforms of all copies.
static bool ReadPart(gltfReader* g, const gltfValue* place, const gltfAccessor* a, int part, ioNode* copies)
{
	size_t width = part == 1 ? 4 : 3;
	if (a->count == 0)
	{
		return true;
	}
	float* values = ioAsset_Allocate(g->loader->asset, a->count, width * sizeof(float));
	if (values == NULL)
	{
		return ioFailMemory(g->loader);
	}
	if (!gltfReadFloats(g, a, values) || !CheckCopies(g, place, values, a->count * width, part))
	{
		return false;
	}
	for (uint32_t i = 0; i < a->count; ++i)
	{
		double* const parts[3] = { copies[i].translation, copies[i].rotation, copies[i].scale };
		double length = part == 1 ? GetLength(values + width * i) : 1.0;
		for (size_t k = 0; k < width; ++k)
		{
			parts[part][k] = length == 0.0 ? (double)(k == 3) : (double)values[width * i + k] / length;
		}
	}
	return true;
}

bool gltfMakeCopies(gltfReader* g, uint32_t number, ioNode* nodes, ioNode* copies, uint32_t count)
{
	gltfValue place = gltfElement(&g->nodes, number), way[2], attributes = Attributes(&place, way);
	gltfAccessor accessors[3];
	char text[300];
	if (!OpenCopies(g, &attributes, accessors, &count))
	{
		return false;
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		// Morph weights are the node's, so that what moves these moves all copies.
		copies[i] = nodes[number];
		copies[i].parent = number;
		copies[i].hasMatrix = false;
		memset(copies[i].translation, 0, sizeof(copies[i].translation));
		memset(copies[i].rotation, 0, sizeof(copies[i].rotation));
		copies[i].rotation[3] = copies[i].scale[0] = copies[i].scale[1] = copies[i].scale[2] = 1.0;
		snprintf(text, sizeof(text), "%.200s #%u", nodes[number].name, i);
		copies[i].name = ioAsset_CopyName(g->loader->asset, text);
		if (copies[i].name == NULL)
		{
			return ioFailMemory(g->loader);
		}
	}
	for (int part = 0; part < 3; ++part)
	{
		if (!ReadPart(g, &attributes, accessors + part, part, copies))
		{
			return false;
		}
	}
	return true;
}

bool gltfReadVisibility(const gltfReader* g, const gltfValue* node, bool* hidden)
{
	gltfValue extensions = gltfMember(node, "extensions"), extension = gltfMember(&extensions, "KHR_node_visibility");
	gltfValue visible = gltfMember(&extension, "visible");
	*hidden = json_is_false(visible.json);
	return visible.json == NULL || json_is_boolean(visible.json) || gltfFail(g, &visible, "true or false expected");
}
