// test/program/make_glb.c: writes a generated GLB file: make_glb worm|skins|mirror|parts|morphs|shot|rig OUT.glb. For
// the tests of the program and the examples.
//
// worm: a ring with a skin of three joints. skins: the same with two morph targets, three times, by two skins; the
// joints of one are bound elsewhere and scale. mirror: one of its joints mirrors. parts: bodies moved in every way that
// a node can move them, and a morphing one. morphs: bodies with three morph targets, moved in every way. shot: one
// that flies from x = -50 to 50 and back. All but the next have a clip `bend` of one second; parts has another, `hold`,
// that moves nothing. rig: a ring bound to 40 joints, whose names have a prefix.
#include "lab/scenes/mesh.h"
#include "test/support/io_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_VERTICES 4096

static const float times[3] = { 0.0f, 0.5f, 1.0f };
static const float turns[12] = { 0, 0, 0, 1, 0, 0, 0.6f, 0.8f, 0, 0, 0, 1 };
static const float moves[9] = { 0, 0, 0, 0.5f, 0.25f, -0.5f, 0, 0, 0 };
static const float scales[9] = { 1, 1, 1, 1.5f, 0.5f, 1, 1, 1, 1 };

static int AddMesh(Gltf* g, const sceneMesh* mesh, const char* attributes, const char* primitive, const char* more)
{
	static uint16_t indices[12 * MAX_VERTICES];
	for (uint32_t i = 0; i < 3 * mesh->triangleCount; ++i)
	{
		indices[i] = (uint16_t)mesh->triangles[i];
	}
	return Gltf_AddMesh(g, (int)mesh->vertexCount, mesh->positions, (int)(3 * mesh->triangleCount), indices, attributes,
	    primitive, more);
}

// Weights pass from joint to joint along x; `attributes` receives what the mesh says of them.
static void AddInfluences(Gltf* g, const sceneMesh* mesh, char attributes[80])
{
	static uint8_t joints[4 * MAX_VERTICES];
	static float weights[4 * MAX_VERTICES];
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		float x = mesh->positions[3 * v], t = fminf(fmaxf(x + 1.0f, 0.0f), 2.0f);
		uint8_t first = t < 1.0f ? 0 : 1;
		joints[4 * v] = first;
		joints[4 * v + 1] = (uint8_t)(first + 1);
		weights[4 * v + 1] = t - (float)first;
		weights[4 * v] = 1.0f - weights[4 * v + 1];
	}
	int j = Gltf_AddArray(g, "VEC4", type_uint8, false, (int)mesh->vertexCount, joints);
	int w = Gltf_AddArray(g, "VEC4", type_float, false, (int)mesh->vertexCount, weights);
	snprintf(attributes, 80, ",'JOINTS_0':%d,'WEIGHTS_0':%d", j, w);
}

// A chain of three joints along x, a unit apart, from node `first` on.
static void AddChain(Gltf* g, int first, const char* middle)
{
	Gltf_Add(g, "nodes", "{'children':[%d],'translation':[-1,0,0]}", first + 1);
	Gltf_Add(g, "nodes", "{'children':[%d],'translation':[1,0,0]%s}", first + 2, middle);
	Gltf_Add(g, "nodes", "{'translation':[1,0,0]}");
}

// @param off how far from where they are joints are bound, across the chain
static void AddSkin(Gltf* g, int first, float off)
{
	float bind[48] = { 0 };
	for (int i = 0; i < 3; ++i)
	{
		bind[16 * i] = bind[16 * i + 5] = bind[16 * i + 10] = bind[16 * i + 15] = 1.0f;
		bind[16 * i + 12] = 1.0f - (float)i;
		bind[16 * i + 13] = off;
	}
	Gltf_Add(g, "skins", "{'joints':[%d,%d,%d],'inverseBindMatrices':%d}", first, first + 1, first + 2,
	    Gltf_AddArray(g, "MAT4", type_float, false, 3, bind));
}

static void AddJointed(Gltf* g, const sceneMesh* mesh, const char* middle)
{
	char attributes[80];
	AddInfluences(g, mesh, attributes);
	AddMesh(g, mesh, attributes, NULL, NULL);
	AddSkin(g, 0, 0.0f);
	AddChain(g, 0, middle);
	Gltf_Add(g, "nodes", "{'name':'worm','mesh':0,'skin':0}");
	int input = Gltf_AddArray(g, "SCALAR", type_float, false, 3, times);
	int turn = Gltf_AddArray(g, "VEC4", type_float, false, 3, turns);
	Gltf_Add(g, "animations",
	    "{'name':'bend','samplers':[{'input':%d,'output':%d}],'channels':["
	    "{'sampler':0,'target':{'node':1,'path':'rotation'}},{'sampler':0,'target':{'node':2,'path':'rotation'}}]}",
	    input, turn);
}

static void AddWorm(Gltf* g, const sceneMesh* mesh)
{
	AddJointed(g, mesh, "");
}

static void AddMirror(Gltf* g, const sceneMesh* mesh)
{
	AddJointed(g, mesh, ",'scale':[1,-1,1]");
}

// Three of a mesh with two morph targets, the second of which moves few vertices: still, and by either skin.
static void AddSkins(Gltf* g, const sceneMesh* mesh)
{
	static float deltas[2][3 * MAX_VERTICES];
	static const float weights[6] = { 0.0f, 0.0f, 1.0f, -0.5f, 0.25f, 1.5f };
	char attributes[80], primitive[80];
	int targets[2];
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		const float* p = mesh->positions + 3 * v;
		deltas[0][3 * v + 2] = 0.4f * p[0] * p[0];
		deltas[1][3 * v + 1] = p[0] > 0.8f ? p[0] - 0.8f : 0.0f;
	}
	for (int t = 0; t < 2; ++t)
	{
		targets[t] = Gltf_AddArray(g, "VEC3", type_float, false, (int)mesh->vertexCount, deltas[t]);
	}
	snprintf(primitive, sizeof(primitive), ",'targets':[{'POSITION':%d},{'POSITION':%d}]", targets[0], targets[1]);
	AddInfluences(g, mesh, attributes);
	AddMesh(g, mesh, attributes, primitive, ",'weights':[0.5,0]");
	AddSkin(g, 0, 0.0f);
	AddSkin(g, 3, 0.3f);
	AddChain(g, 0, "");
	AddChain(g, 3, ",'scale':[1.25,1.5,0.75]");
	Gltf_Add(g, "nodes", "{'name':'plain','mesh':0,'skin':0,'weights':[0,0]}");
	Gltf_Add(g, "nodes", "{'name':'morphing','mesh':0,'skin':0}");
	Gltf_Add(g, "nodes", "{'name':'scaling','mesh':0,'skin':1}");
	int input = Gltf_AddArray(g, "SCALAR", type_float, false, 3, times);
	int turn = Gltf_AddArray(g, "VEC4", type_float, false, 3, turns);
	int weight = Gltf_AddArray(g, "SCALAR", type_float, false, 6, weights);
	Gltf_Add(g, "animations",
	    "{'name':'bend','samplers':[{'input':%d,'output':%d},{'input':%d,'output':%d}],'channels':["
	    "{'sampler':0,'target':{'node':1,'path':'rotation'}},{'sampler':0,'target':{'node':2,'path':'rotation'}},"
	    "{'sampler':0,'target':{'node':5,'path':'rotation'}},{'sampler':1,'target':{'node':7,'path':'weights'}},"
	    "{'sampler':1,'target':{'node':8,'path':'weights'}}]}",
	    input, turn, input, weight);
}

static void AddParts(Gltf* g, const sceneMesh* mesh)
{
	static float delta[3 * MAX_VERTICES];
	static const float weights[3] = { 0.0f, 1.0f, 0.25f };
	char primitive[60];
	for (uint32_t i = 0; i < 3 * mesh->vertexCount; ++i)
	{
		delta[i] = i % 3 == 2 ? 0.5f * mesh->positions[i - 2] * mesh->positions[i - 2] : 0.0f;
	}
	AddMesh(g, mesh, NULL, NULL, NULL);
	AddMesh(g, mesh, NULL, NULL, NULL);
	int target = Gltf_AddArray(g, "VEC3", type_float, false, (int)mesh->vertexCount, delta);
	snprintf(primitive, sizeof(primitive), ",'targets':[{'POSITION':%d}]", target);
	AddMesh(g, mesh, NULL, primitive, NULL);
	Gltf_Add(g, "nodes", "{'name':'scaled once','mesh':1,'scale':[0.5,0.75,1.25]}");
	Gltf_Add(g, "nodes", "{'name':'turned','mesh':0,'rotation':[0.48,0.6,0,0.64],'translation':[0.2,0.1,0]}");
	Gltf_Add(g, "nodes", "{'name':'mirrored','mesh':0,'scale':[-1,1,1],'translation':[0,0.7,0]}");
	Gltf_Add(g, "nodes", "{'name':'pulsing','mesh':0,'children':[4],'translation':[0.9,0,0]}");
	Gltf_Add(g, "nodes", "{'name':'carried','mesh':0,'rotation':[0,0.6,0,0.8],'translation':[0,0,0.4]}");
	Gltf_Add(g, "nodes", "{'name':'moving','mesh':0,'matrix':[0,1,0,0,-1,0,0,0,0,0,1,0,0,0,0,1]}");
	Gltf_Add(g, "nodes", "{'name':'carrier','children':[5],'translation':[0,-0.6,0]}");
	Gltf_Add(g, "nodes", "{'name':'morphing','mesh':2,'translation':[-0.4,0.3,0.1]}");
	Gltf_Add(g, "scenes", "{'nodes':[0,1,2,3,6,7]}");
	Gltf_AddRoot(g, ",'scene':0");
	int input = Gltf_AddArray(g, "SCALAR", type_float, false, 3, times);
	int outputs[4] = { Gltf_AddArray(g, "VEC3", type_float, false, 3, scales),
		Gltf_AddArray(g, "VEC4", type_float, false, 3, turns), Gltf_AddArray(g, "VEC3", type_float, false, 3, moves),
		Gltf_AddArray(g, "SCALAR", type_float, false, 3, weights) };
	Gltf_Add(g, "animations",
	    "{'name':'bend','samplers':[{'input':%d,'output':%d},{'input':%d,'output':%d},{'input':%d,'output':%d},"
	    "{'input':%d,'output':%d}],'channels':[{'sampler':0,'target':{'node':3,'path':'scale'}},"
	    "{'sampler':1,'target':{'node':6,'path':'rotation'}},{'sampler':2,'target':{'node':6,'path':'translation'}},"
	    "{'sampler':3,'target':{'node':7,'path':'weights'}}]}",
	    input, outputs[0], input, outputs[1], input, outputs[2], input, outputs[3]);
	Gltf_Add(g, "animations",
	    "{'name':'hold','samplers':[{'input':%d,'output':%d}],'channels':[{'sampler':0,'target':{'node':7,'path':"
	    "'translation'}}]}",
	    input, outputs[2]);
}

// Targets of all vertices, of half of them, and of one. Not at rest at first: the mesh has weights of its own.
static void AddMorphs(Gltf* g, const sceneMesh* mesh)
{
	static float deltas[3][3 * MAX_VERTICES];
	static const float weights[9] = { 0.0f, 0.5f, 0.0f, 1.0f, -0.75f, 0.5f, 0.25f, 1.5f, 1.0f };
	char primitive[100];
	int targets[3];
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		const float* p = mesh->positions + 3 * v;
		deltas[0][3 * v + 2] = 0.5f * p[0] * p[0];
		deltas[1][3 * v] = p[1] > 0.0f ? 0.3f * p[1] : 0.0f;
		deltas[2][3 * v + 1] = v == 7 ? 0.8f : 0.0f;
	}
	for (int t = 0; t < 3; ++t)
	{
		targets[t] = Gltf_AddArray(g, "VEC3", type_float, false, (int)mesh->vertexCount, deltas[t]);
	}
	snprintf(primitive, sizeof(primitive), ",'targets':[{'POSITION':%d},{'POSITION':%d},{'POSITION':%d}]", targets[0],
	    targets[1], targets[2]);
	AddMesh(g, mesh, NULL, primitive, ",'weights':[0.25,0,-0.5]");
	Gltf_Add(g, "nodes", "{'name':'resting','mesh':0,'translation':[0.1,0.3,0]}");
	Gltf_Add(g, "nodes", "{'name':'turned','mesh':0,'rotation':[0.48,0.6,0,0.64],'weights':[0.5,0.5,0]}");
	Gltf_Add(g, "nodes", "{'name':'scaled','mesh':0,'scale':[0.5,-1.5,1.25],'translation':[0,0.2,0]}");
	Gltf_Add(g, "nodes", "{'name':'moving','mesh':0,'rotation':[0,0.6,0,0.8]}");
	Gltf_Add(g, "nodes", "{'name':'pulsing','mesh':0,'translation':[0.4,0,0]}");
	int input = Gltf_AddArray(g, "SCALAR", type_float, false, 3, times);
	int scale = Gltf_AddArray(g, "VEC3", type_float, false, 3, scales);
	int move = Gltf_AddArray(g, "VEC3", type_float, false, 3, moves);
	int weight = Gltf_AddArray(g, "SCALAR", type_float, false, 9, weights);
	Gltf_Add(g, "animations",
	    "{'name':'bend','samplers':[{'input':%d,'output':%d},{'input':%d,'output':%d},{'input':%d,'output':%d}],"
	    "'channels':[{'sampler':0,'target':{'node':4,'path':'scale'}},{'sampler':1,'target':{'node':3,'path':"
	    "'translation'}},{'sampler':2,'target':{'node':1,'path':'weights'}},{'sampler':2,'target':{'node':2,'path':"
	    "'weights'}},{'sampler':2,'target':{'node':3,'path':'weights'}},{'sampler':2,'target':{'node':4,'path':"
	    "'weights'}}]}",
	    input, scale, input, move, input, weight);
}

static void AddRig(Gltf* g, const sceneMesh* mesh)
{
	enum
	{
		jointCount = 40
	};
	static uint8_t joints[4 * MAX_VERTICES];
	static float weights[4 * MAX_VERTICES];
	char attributes[80], list[200] = "0";
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		joints[4 * v] = (uint8_t)(v * jointCount / mesh->vertexCount);
		weights[4 * v] = 1.0f;
	}
	const int count = (int)mesh->vertexCount, j = Gltf_AddArray(g, "VEC4", type_uint8, false, count, joints);
	snprintf(attributes, sizeof(attributes), ",'JOINTS_0':%d,'WEIGHTS_0':%d", j,
	    Gltf_AddArray(g, "VEC4", type_float, false, count, weights));
	AddMesh(g, mesh, attributes, NULL, NULL);
	for (int i = 0; i < jointCount; ++i)
	{
		Gltf_Add(g, "nodes", "{'name':'mixamorig:Joint %d'}", i);
		if (i > 0)
		{
			snprintf(list + strlen(list), sizeof(list) - strlen(list), ",%d", i);
		}
	}
	Gltf_Add(g, "nodes", "{'name':'body','mesh':0,'skin':0}");
	Gltf_Add(g, "skins", "{'joints':[%s]}", list);
}

static void AddShot(Gltf* g, const sceneMesh* mesh)
{
	static const float flight[9] = { -50, 0, 0, 50, 0, 0, -50, 0, 0 };
	AddMesh(g, mesh, NULL, NULL, NULL);
	Gltf_Add(g, "nodes", "{'name':'bullet','mesh':0}");
	int input = Gltf_AddArray(g, "SCALAR", type_float, false, 3, times);
	int output = Gltf_AddArray(g, "VEC3", type_float, false, 3, flight);
	Gltf_Add(g, "animations",
	    "{'name':'bend','samplers':[{'input':%d,'output':%d}],'channels':[{'sampler':0,'target':{'node':0,'path':"
	    "'translation'}}]}",
	    input, output);
}

/// What can be made.
typedef struct GlbKind
{
	const char* name;
	void (*add)(Gltf* g, const sceneMesh* mesh);
	bool isLarge;
} GlbKind;

static const GlbKind kinds[] = { { "worm", AddWorm, true }, { "skins", AddSkins, true }, { "mirror", AddMirror, true },
	{ "parts", AddParts, false }, { "morphs", AddMorphs, false }, { "shot", AddShot, false },
	{ "rig", AddRig, false } };

int main(int argumentCount, char** arguments)
{
	const GlbKind* kind = NULL;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && argumentCount == 3; ++i)
	{
		kind = strcmp(arguments[1], kinds[i].name) == 0 ? kinds + i : kind;
	}
	if (kind == NULL)
	{
		fprintf(stderr, "usage: make_glb worm|skins|mirror|parts|morphs|shot|rig OUT.glb\n");
		return 2;
	}
	sceneMesh mesh = kind->isLarge ? sceneMakeTorus(1.0, 0.3, 48, 16) : sceneMakeTorus(0.6, 0.2, 24, 12);
	Gltf gltf = { .counts = { 0 } };
	if (!sceneMesh_IsValid(&mesh))
	{
		return 1;
	}
	kind->add(&gltf, &mesh);
	Bytes glb = Gltf_Make(&gltf, NULL);
	WriteFile(arguments[2], glb.data, glb.count);
	Bytes_Free(&glb);
	Gltf_Free(&gltf);
	sceneMesh_Free(&mesh);
	return 0;
}
