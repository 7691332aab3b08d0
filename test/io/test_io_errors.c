// test/io/test_io_errors.c: glTF files that are wrong, damaged or hostile: each is refused in one line that names file
// and place, and costs neither much time nor much memory.
#include "test_io.h"

#include <math.h>
#include <time.h>

static const float quad[12] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 };
static const uint16_t quadIndices[6] = { 0, 1, 2, 0, 2, 3 };

// Fails unless loading fails with this message.
static void AssertRefused(const void* data, size_t count, const char* expected)
{
	ioAsset asset;
	ioError error;
	if (ioLoadMemory(data, count, "f", NULL, &asset, &error))
	{
		fail_msg("loaded, instead of '%s'", expected);
	}
	assert_null(asset.blocks);
	assert_string_equal(error.text, expected);
}

static void AssertTextRefused(const char* text, const char* expected)
{
	char* copy = malloc(strlen(text) + 1);
	for (size_t i = 0; i <= strlen(text); ++i)
	{
		copy[i] = text[i] == '\'' ? '"' : text[i];
	}
	AssertRefused(copy, strlen(copy), expected);
	free(copy);
}

static void AssertGltfRefused(Gltf* gltf, const char* expected)
{
	Bytes file = Gltf_Make(gltf, NULL);
	AssertRefused(file.data, file.count, expected);
	Bytes_Free(&file);
	Gltf_Free(gltf);
}

// --- Messages -----------------------------------------------------------------------------------------------------

// A buffer of 96 zero bytes with a view; accessors 0: three positions, 1: one scalar float, 2: six bytes.
#define ASSET "{'asset':{'version':'2.0'},"
#define ZEROS                                                                                                          \
	"'buffers':[{'byteLength':96,'uri':'data:;base64,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" \
	"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'}],"
#define VIEW "'bufferViews':[{'buffer':0,'byteLength':96}],"
#define ARRAYS                                                                                                         \
	"'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},{'bufferView':0,'componentType':5126," \
	"'count':1,'type':'SCALAR'},{'bufferView':0,'componentType':5121,'count':6,'type':'SCALAR'},"                      \
	"{'bufferView':0,'componentType':5121,'count':3,'type':'VEC4'},"                                                   \
	"{'bufferView':0,'componentType':5126,'count':3,'type':'VEC4'},"                                                   \
	"{'bufferView':0,'componentType':5126,'count':1,'type':'VEC3'}],"
#define BASE ASSET ZEROS VIEW ARRAYS
#define MESH "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],"
#define SKINNABLE \
	"'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':3,'WEIGHTS_0':4},'targets':[{},{}]}]}],"
#define ACCESSOR(text) ASSET ZEROS VIEW "'accessors':[" text "]," MESH "'nodes':[{'mesh':0}]}"
#define PRIMITIVE(text) BASE "'meshes':[{'primitives':[" text "]}],'nodes':[{'mesh':0}]}"
#define NODES(text) BASE MESH "'nodes':[" text "]}"
#define ANIMATION(text) \
	BASE SKINNABLE "'nodes':[{'mesh':0},{'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}],'animations':[" text "]}"
#define SAMPLER(text) \
	ANIMATION("{'samplers':[{" text "}],'channels':[{'sampler':0,'target':{'node':0,'path':'scale'}}]}")
#define SHEARED(shear, scale)                                                                                 \
	BASE MESH "'nodes':[{'mesh':0,'matrix':[1,0,0,0," shear "," scale ",0,0,0,0,1,0,0,0,0,1]}],'animations':" \
	          "[{'samplers':[{'input':1,'output':5}],'channels':[{'sampler':0,'target':{'node':0,'path':'scale'}}]}]}"

static const char* const messages[][2] = {
	// JSON and version
	{ "{", "f:1: JSON: string or '}' expected near end of file" },
	{ "{'asset':{},'asset':{}}", "f:1: JSON: duplicate object key near '\"asset\"'" },
	{ "{}", "f: asset: missing" },
	{ "{'asset':3}", "f: asset: an object expected" },
	{ "{'asset':{}}", "f: asset.version: missing" },
	{ "{'asset':{'version':'1.0'}}", "f: asset.version: only glTF 2 is supported" },
	{ "{'asset':{'version':'2.1','minVersion':'2.1'}}", "f: asset.minVersion: only glTF 2.0 is supported" },
	{ "{'asset':{'version':2}}", "f: asset.version: a string expected" },
	{ ASSET "'nodes':{}}", "f: nodes: an array expected" },
	{ ASSET "'nodes':[]}", "f: no triangles in the scene" },
	{ ASSET "'scenes':[{}]}", "f: no triangles in the scene" },
	// Extensions
	{ ASSET "'extensionsRequired':['MY_thing']}",
	    "f: extensionsRequired[0]: the file needs the extension MY_thing, which is not supported" },
	{ ASSET "'extensionsRequired':['\\u001b[31m']}",
	    "f: extensionsRequired[0]: the file needs the extension (a name that "
	    "cannot be shown), which is not supported" },
	{ ASSET "'extensionsUsed':[1]}", "f: extensionsUsed[0]: a string expected" },
	// Buffers
	{ ASSET VIEW ARRAYS MESH "'buffers':[{'byteLength':96}]}", "f: buffers[0]: no uri, and no binary chunk either" },
	{ ASSET VIEW ARRAYS MESH "'buffers':[{'byteLength':96,'uri':'data:;base64,AA!A'}]}",
	    "f: buffers[0].uri: not base64 at its character 2" },
	{ ASSET VIEW ARRAYS MESH "'buffers':[{'byteLength':96,'uri':'data:;base64,AAAA'}]}",
	    "f: buffers[0].uri: truncated: 3 bytes of 96" },
	{ ASSET VIEW ARRAYS MESH "'buffers':[{'byteLength':96,'uri':'data:text/plain,AAAA'}]}",
	    "f: buffers[0].uri: a data URI that is not base64" },
	{ ASSET VIEW ARRAYS MESH "'buffers':[{'byteLength':96,'uri':'data:#7'}]}",
	    "f: buffers[0].uri: a data URI that is not base64" },
	{ ASSET VIEW ARRAYS MESH "'buffers':[{'byteLength':0,'uri':'data:;base64,AAAA'}]}",
	    "f: buffers[0].byteLength: 0 is out of range" },
	{ ASSET VIEW ARRAYS MESH "'buffers':[{'byteLength':96,'uri':'a.bin'}]}",
	    "f: buffers[0].uri: a file beside this one is needed, and there is none in memory" },
	{ ASSET ARRAYS MESH ZEROS "'bufferViews':[{'buffer':1,'byteLength':9}]}",
	    "f: bufferViews[0].buffer: 1 is out of range: the file has 1 buffers" },
	{ ASSET ARRAYS MESH ZEROS "'bufferViews':[{'buffer':0,'byteLength':97}]}",
	    "f: bufferViews[0]: bytes 0 to 97 of a buffer of 96" },
	{ ASSET ARRAYS MESH ZEROS "'bufferViews':[{'buffer':0,'byteLength':2,'byteOffset':95}]}",
	    "f: bufferViews[0]: bytes 95 to 97 of a buffer of 96" },
	{ ASSET ARRAYS MESH ZEROS "'bufferViews':[{'buffer':0,'byteLength':96,'byteStride':3}]}",
	    "f: bufferViews[0].byteStride: 3 is out of range" },
	{ ASSET ARRAYS MESH ZEROS "'bufferViews':[{'buffer':0,'byteLength':96,'byteStride':8}]}",
	    "f: accessors[0]: elements of 12 bytes, but a stride of 8 in bufferViews[0]" },
	// Accessors
	{ ACCESSOR("{'bufferView':0,'componentType':5126,'count':9,'type':'VEC3'}"),
	    "f: accessors[0]: needs 108 bytes from 0 on, but bufferViews[0] has 96" },
	{ ACCESSOR("{'bufferView':0,'componentType':5126,'byteOffset':96,'count':1,'type':'VEC3'}"),
	    "f: accessors[0]: needs 12 bytes from 96 on, but bufferViews[0] has 96" },
	{ ACCESSOR("{'bufferView':0,'componentType':5126,'byteOffset':18446744073709551615,'count':1,'type':'VEC3'}"),
	    "f:1: JSON: too big integer near '18446744073709551615'" },
	{ ACCESSOR("{'bufferView':0,'componentType':5126,'byteOffset':9223372036854775807,'count':1,'type':'VEC3'}"),
	    "f: accessors[0]: needs 12 bytes from 9223372036854775807 on, but bufferViews[0] has 96" },
	{ ACCESSOR("{'bufferView':0,'componentType':5126,'count':0,'type':'VEC3'}"),
	    "f: accessors[0].count: 0 is out of range" },
	{ ACCESSOR("{'bufferView':0,'componentType':5126,'count':-1,'type':'VEC3'}"),
	    "f: accessors[0].count: a whole number from 0 expected" },
	{ ACCESSOR("{'bufferView':0,'componentType':5126,'count':2.5,'type':'VEC3'}"),
	    "f: accessors[0].count: a whole number from 0 expected" },
	{ ACCESSOR("{'bufferView':0,'componentType':5126,'count':4294967295,'type':'VEC3'}"),
	    "f: accessors[0].count: 4294967295 is out of range" },
	{ ACCESSOR("{'bufferView':0,'componentType':5124,'count':1,'type':'VEC3'}"),
	    "f: accessors[0].componentType: 5124 is not a type that fits" },
	{ ACCESSOR("{'bufferView':0,'componentType':5126,'count':1,'type':'VEC5'}"), "f: accessors[0].type: unknown" },
	{ ACCESSOR("{'bufferView':0,'componentType':5126,'count':1}"), "f: accessors[0].type: missing" },
	{ ACCESSOR("{'bufferView':0,'componentType':5126,'count':1,'type':'VEC3','normalized':true}"),
	    "f: accessors[0].normalized: floats and 32-bit integers are never normalized" },
	{ ACCESSOR("{'bufferView':7,'componentType':5126,'count':1,'type':'VEC3'}"),
	    "f: accessors[0].bufferView: 7 is out of range: the file has 1 bufferViews" },
	{ ACCESSOR("{'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':4}}"),
	    "f: accessors[0].sparse.count: 4 is out of range" },
	{ ACCESSOR("{'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':2,'indices':{'bufferView':0,"
	           "'componentType':5121},'values':{'bufferView':0}}}"),
	    "f: accessors[0].sparse.indices: index 0 at place 1 is not above the one before" },
	{ ACCESSOR("{'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':2,'indices':{'componentType':5121},"
	           "'values':{'bufferView':0}}}"),
	    "f: accessors[0].sparse.indices: needs a bufferView without stride" },
	{ ACCESSOR("{'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':2,'indices':{'bufferView':0,"
	           "'componentType':5121},'values':{'bufferView':0,'byteOffset':80}}}"),
	    "f: accessors[0].sparse.values: needs 24 bytes from 80 on, but bufferViews[0] has 96" },
	// 12 GiB of zeros
	{ ACCESSOR("{'componentType':5126,'count':399999999,'type':'VEC3'}"), NULL },
	{ ACCESSOR("{'componentType':5126,'count':4294967294,'type':'VEC3'}"),
	    "f: meshes[0].primitives[0]: 4294967294 corners "
	    "do not make triangles" },
	{ ACCESSOR("{'componentType':5126,'count':4294967292,'type':'VEC3'}"),
	    "f: meshes[0]: more than 500000000 vertices or triangles" },
	// Meshes
	{ BASE "'meshes':[{}]}", "f: meshes[0].primitives: missing" },
	{ PRIMITIVE("{}"), "f: meshes[0].primitives[0].attributes: missing" },
	{ PRIMITIVE("{'attributes':{'POSITION':9}}"),
	    "f: meshes[0].primitives[0].attributes.POSITION: 9 is out of range: the file has 6 accessors" },
	{ PRIMITIVE("{'attributes':{'POSITION':1}}"),
	    "f: meshes[0].primitives[0].attributes.POSITION: accessors[1] is not a VEC3 of floats" },
	{ PRIMITIVE("{'attributes':{'POSITION':0},'mode':7}"), "f: meshes[0].primitives[0].mode: 7 is out of range" },
	{ PRIMITIVE("{'attributes':{'POSITION':5}}"), "f: meshes[0].primitives[0]: 1 corners do not make triangles" },
	{ PRIMITIVE("{'attributes':{'POSITION':0},'indices':1}"),
	    "f: meshes[0].primitives[0].indices: accessors[1] is not a SCALAR of unsigned integers" },
	{ PRIMITIVE("{'attributes':{'POSITION':0},'targets':[{'POSITION':5}]}"),
	    "f: meshes[0].primitives[0].targets[0].POSITION: accessors[5] has 1 elements for 3 vertices" },
	{ PRIMITIVE("{'attributes':{'POSITION':0},'targets':[{}]},{'attributes':{'POSITION':0}}"),
	    "f: meshes[0].primitives[1]: 0 morph targets, but the primitives before it have 1" },
	{ BASE "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'targets':[{}]}],'weights':[1,2]}]}",
	    "f: meshes[0].weights: 1 numbers expected" },
	{ PRIMITIVE("{'attributes':{'POSITION':0,'JOINTS_0':3}}"),
	    "f: meshes[0].primitives[0].attributes: JOINTS_n and WEIGHTS_n do not pair up: number 0 is missing" },
	{ PRIMITIVE("{'attributes':{'POSITION':0,'JOINTS_1':3,'WEIGHTS_1':4}}"),
	    "f: meshes[0].primitives[0].attributes: JOINTS_n and WEIGHTS_n do not pair up: number 0 is missing" },
	{ PRIMITIVE("{'attributes':{'POSITION':0,'WEIGHTS_0':4}}"),
	    "f: meshes[0].primitives[0].attributes: 0 JOINTS_n, but 1 WEIGHTS_n" },
	{ PRIMITIVE("{'attributes':{'POSITION':0,'JOINTS_0':4,'WEIGHTS_0':4}}"),
	    "f: meshes[0].primitives[0].attributes.JOINTS_0: accessors[4] is not a VEC4 of 8-bit or 16-bit unsigned "
	    "integers" },
	{ PRIMITIVE("{'attributes':{'POSITION':0,'JOINTS_0':3,'WEIGHTS_0':3}}"),
	    "f: meshes[0].primitives[0].attributes.WEIGHTS_0: accessors[3] is not a VEC4 of floats or normalized unsigned "
	    "integers" },
	// Nodes
	{ NODES("{'mesh':1}"), "f: nodes[0].mesh: 1 is out of range: the file has 1 meshes" },
	{ NODES("{'children':[1]},{'children':[0]}"), "f: nodes[0]: is its own ancestor" },
	{ NODES("{'children':[0]}"), "f: nodes[0]: is its own ancestor" },
	{ NODES("{'mesh':0},{'children':[2]},{'children':[3]},{'children':[2]}"),
	    "f: nodes[3].children[0]: nodes[2] is a child of nodes[1] already" },
	{ NODES("{'children':[1,1]},{}"), "f: nodes[0].children[1]: nodes[1] is a child of nodes[0] already" },
	{ NODES("{'children':[5]}"), "f: nodes[0].children[0]: 5 is out of range: the file has 1 nodes" },
	{ NODES("{'rotation':[0,0,1e-7,0]}"), "f: nodes[0].rotation: a quaternion of length 1e-07" },
	{ NODES("{'rotation':[0,0,0]}"), "f: nodes[0].rotation: 4 numbers expected" },
	{ NODES("{'translation':[0,0,'x']}"), "f: nodes[0].translation[2]: a number expected" },
	{ NODES("{'scale':[0,0,1e39]}"), "f: nodes[0].scale[2]: too large" },
	{ NODES("{'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],'scale':[1,1,1]}"),
	    "f: nodes[0]: both a matrix and a translation, rotation or scale" },
	{ NODES("{'matrix':[1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1]}"), "f: nodes[0].matrix: its last row is not 0 0 0 1" },
	{ NODES("{'mesh':0,'weights':[1]}"), "f: nodes[0].weights: weights without morph targets" },
	{ NODES("{'mesh':0}],'skins':[{'joints':[0]}],'scenes':[{'nodes':[2]}"),
	    "f: scenes[0].nodes[0]: 2 is out of range: the file has 1 nodes" },
	{ NODES("{'mesh':0,'children':[1]},{}],'scenes':[{'nodes':[1]}"), "f: scenes[0].nodes[0]: nodes[1] is not a root" },
	{ NODES("{'mesh':0}],'scene':1,'scenes':[{}"), "f: scene: 1 is out of range: the file has 1 scenes" },
	{ NODES("{}"), "f: no triangles in the scene" },
	// Skins
	{ NODES("{'mesh':0}],'skins':[{}"), "f: skins[0].joints: missing" },
	{ NODES("{'mesh':0}],'skins':[{'joints':[1]}"), "f: skins[0].joints[0]: 1 is out of range: the file has 1 nodes" },
	{ NODES("{'skin':0}],'skins':[{'joints':[0]}"), "f: nodes[0].skin: a skin without a mesh" },
	{ NODES("{'mesh':0,'skin':0}],'skins':[{'joints':[0]}"),
	    "f: nodes[0].skin: meshes[0] has primitives without JOINTS_0 and WEIGHTS_0" },
	{ NODES("{'mesh':0}],'skins':[{'joints':[0],'inverseBindMatrices':0}"),
	    "f: skins[0].inverseBindMatrices: accessors[0] is not a MAT4 of floats with an element for each of 1 joints" },
	// Animations
	{ ANIMATION("{}"), "f: animations[0].channels: missing" },
	{ ANIMATION("{'channels':[{}]}"), "f: animations[0].samplers: missing" },
	{ ANIMATION("{'samplers':[{'input':1,'output':5}],'channels':[{'sampler':1,'target':{}}]}"),
	    "f: animations[0].channels[0].sampler: 1 is out of range: the file has 1 samplers" },
	{ ANIMATION("{'samplers':[{'input':1,'output':5}],'channels':[{'sampler':0,'target':{}}]}"),
	    "f: animations[0].channels[0].target.path: missing" },
	{ ANIMATION("{'samplers':[{'input':1,'output':5}],'channels':[{'sampler':0,'target':{'node':0,'path':'colour'}}]}"),
	    "f: animations[0].channels[0].target.path: unknown" },
	{ SAMPLER("'input':1,'output':5,'interpolation':'MAGIC'"), "f: animations[0].samplers[0].interpolation: unknown" },
	{ SAMPLER("'input':1,'output':5,'interpolation':1"),
	    "f: animations[0].samplers[0].interpolation: a string expected" },
	{ SAMPLER("'input':1,'output':5,'interpolation':null"),
	    "f: animations[0].samplers[0].interpolation: a string expected" },
	{ SAMPLER("'input':0,'output':5"), "f: animations[0].samplers[0].input: accessors[0] is not a SCALAR of floats" },
	{ SAMPLER("'input':1,'output':2"),
	    "f: animations[0].samplers[0].output: accessors[2] has neither floats nor normalized integers" },
	{ ANIMATION(
	      "{'samplers':[{'input':1,'output':5}],'channels':[{'sampler':0,'target':{'node':0,'path':'rotation'}}]}"),
	    "f: animations[0].channels[0]: 1 times and 1 values per time do not make accessors[5]" },
	{ ANIMATION(
	      "{'samplers':[{'input':1,'output':1}],'channels':[{'sampler':0,'target':{'node':0,'path':'weights'}}]}"),
	    "f: animations[0].channels[0]: 1 times and 2 values per time do not make accessors[1]" },
	{ ANIMATION(
	      "{'samplers':[{'input':1,'output':1}],'channels':[{'sampler':0,'target':{'node':1,'path':'weights'}}]}"),
	    "f: animations[0].channels[0]: weights of nodes[1], which has no morph targets" },
	{ SHEARED("0.001", "1"),
	    "f: animations[0].channels[0]: moves nodes[0], whose matrix is no product of translation, rotation and scale" },
	{ SHEARED("-0.5", "1"),
	    "f: animations[0].channels[0]: moves nodes[0], whose matrix is no product of translation, rotation and scale" },
	{ SHEARED("0", "0"),
	    "f: animations[0].channels[0]: moves nodes[0], whose matrix is no product of translation, rotation and scale" },
	{ ANIMATION("{'samplers':[{'input':1,'output':5}],'channels':[{'sampler':0,'target':{'path':'pointer','extensions':"
	            "{'KHR_animation_pointer':{'pointer':'/nodes/2/scale'}}}}]}"),
	    "f: animations[0].channels[0].target.extensions.KHR_animation_pointer.pointer: there is no such node" },
};

static void every_error_names_its_place(void** state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); ++i)
	{
		char large[200];
		snprintf(large, sizeof(large),
		    "f: meshes[0]: too much data for a file of %zu bytes (it may decode to 64 MiB and "
		    "64 times its size)",
		    strlen(messages[i][0]));
		AssertTextRefused(messages[i][0], messages[i][1] != NULL ? messages[i][1] : large);
	}
}

static void names_the_vertex(void** state)
{
	(void)state;
	static const uint8_t joints[16] = { 0, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0 };
	static const struct
	{
		float position, weight, delta;
		uint16_t index;
		const char* expected;
	} cases[] = {
		{ NAN, 1, 0, 0, "f: meshes[0].primitives[0].attributes.POSITION: vertex 2 is not finite" },
		{ INFINITY, 1, 0, 0, "f: meshes[0].primitives[0].attributes.POSITION: vertex 2 is not finite" },
		{ 0, -0.5f, 0, 0, "f: meshes[0].primitives[0].attributes: vertex 2: weight -0.5 of WEIGHTS_0 is negative" },
		{ 0, -0.0101f, 0, 0,
		    "f: meshes[0].primitives[0].attributes: vertex 2: weight -0.0101 of WEIGHTS_0 is negative" },
		{ 0, INFINITY, 0, 0,
		    "f: meshes[0].primitives[0].attributes: vertex 2: weight inf of WEIGHTS_0 is out of range" },
		{ 0, 1, NAN, 0, "f: meshes[0].primitives[0].targets[0].POSITION: vertex 2 is not finite" },
		{ 0, 1, 0, 4, "f: meshes[0].primitives[0].indices: index 4 at place 3 is out of range: 4 vertices" },
		{ 0, 1, 0, 0, "f: nodes[0].skin: vertex 2 of meshes[0] is bound to joint 7, and skins[0] has 2 joints" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		Gltf g = { .counts = { 0 } };
		float positions[12], deltas[12] = { 0 }, weights[16] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
		uint16_t indices[6];
		memcpy(positions, quad, sizeof(quad));
		memcpy(indices, quadIndices, sizeof(indices));
		positions[7] = cases[i].position;
		deltas[7] = cases[i].delta;
		weights[8] = cases[i].weight;
		indices[3] = cases[i].index;
		char attributes[64], primitive[64];
		int d = Gltf_AddArray(&g, "VEC3", type_float, false, 4, deltas);
		int j = Gltf_AddArray(&g, "VEC4", type_uint8, false, 4, joints);
		int w = Gltf_AddArray(&g, "VEC4", type_float, false, 4, weights);
		snprintf(attributes, sizeof(attributes), ",'JOINTS_0':%d,'WEIGHTS_0':%d", j, w);
		snprintf(primitive, sizeof(primitive), ",'targets':[{'POSITION':%d}]", d);
		Gltf_AddMesh(&g, 4, positions, 6, indices, attributes, primitive, NULL);
		Gltf_Add(&g, "nodes", "{'mesh':0,'skin':0}");
		Gltf_Add(&g, "skins", "{'joints':[0,0]}");
		AssertGltfRefused(&g, cases[i].expected);
	}
}

static void refuses_times_that_go_back(void** state)
{
	(void)state;
	static const float times[2] = { 1, 0.5f };
	static const float values[6] = { 0 };
	Gltf g = { .counts = { 0 } };
	Gltf_AddMesh(&g, 4, quad, 6, quadIndices, NULL, NULL, NULL);
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	int a = Gltf_AddArray(&g, "SCALAR", type_float, false, 2, times);
	int b = Gltf_AddArray(&g, "VEC3", type_float, false, 2, values);
	Gltf_Add(&g, "animations",
	    "{'samplers':[{'input':%d,'output':%d}],'channels':[{'sampler':0,'target':{'node':0,'path':'scale'}}]}", a, b);
	AssertGltfRefused(&g, "f: animations[0].samplers[0].input: accessors[2]: time 1 is before the one before it");
}

static void refuses_matrices_that_are_not_affine(void** state)
{
	(void)state;
	float matrix[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2 };
	for (int i = 0; i < 2; ++i)
	{
		Gltf g = { .counts = { 0 } };
		Gltf_AddMesh(&g, 4, quad, 6, quadIndices, NULL, NULL, NULL);
		Gltf_Add(&g, "nodes", "{'mesh':0}");
		int m = Gltf_AddArray(&g, "MAT4", type_float, false, 1, matrix);
		Gltf_Add(&g, "skins", "{'joints':[0],'inverseBindMatrices':%d}", m);
		AssertGltfRefused(
		    &g, "f: skins[0].inverseBindMatrices: matrix 0 is not finite, or its last row is not 0 0 0 1");
		matrix[15] = 1;
		matrix[4] = NAN;
	}
}

static void refuses_damaged_containers(void** state)
{
	(void)state;
	Bytes none = { NULL, 0, 0 };
	AssertRefused("", 0, "f: the file is empty");
	AssertRefused("glTF\2\0\0\0", 8, "f: truncated: 8 bytes, and a GLB file has 20 at least");
	AssertRefused("glTF\1\0\0\0\24\0\0\0\0\0\0\0\0\0\0\0", 20, "f: GLB version 1; only 2 is supported");
	AssertRefused(
	    "glTF\2\0\0\0\25\0\0\0\0\0\0\0\0\0\0\0", 20, "f: truncated: the header says 21 bytes, the file has 20");
	AssertRefused(
	    "glTF\2\0\0\0\23\0\0\0\0\0\0\0\0\0\0\0", 20, "f: not a GLB file: the header says 19 bytes, the file has 20");
	AssertRefused("glTF\2\0\0\0\24\0\0\0\0\0\0\0BIN\0", 20, "f: byte 12: the first chunk is not JSON");
	AssertRefused("glTF\2\0\0\0\24\0\0\0\1\0\0\0JSON", 20, "f: byte 12: truncated: a chunk of 1 bytes, 0 are left");
	Bytes glb = MakeGlb("[]  ", 4, &none);
	AssertRefused(glb.data, glb.count, "f: not a glTF file: the JSON is not an object");
	Bytes_Free(&glb);
	glb = MakeGlb("{}  ", 4, &none);
	Bytes_Add(&glb, "\1\0\0\0", 4);
	glb.data[8] = (uint8_t)glb.count;
	AssertRefused(glb.data, glb.count, "f: byte 24: truncated: a chunk's header expected");
	Bytes_Free(&glb);
	AssertRefused(
	    "no such thing", 13, "f: unknown kind of file; known are .gltf, .glb, .fbx, .obj, .ply, .stl and .off");
}

static void refuses_names_of_other_files(void** state)
{
	(void)state;
	static const char* const uris[] = { "/etc/passwd", "../secret.bin", "a/../../secret.bin", "%2e%2e/secret.bin",
		"http://example.org/a.bin", "file:///etc/passwd", "a\\\\b.bin", "%2Fetc%2Fpasswd", "a%00b", "a%zz", "", ".." };
	for (size_t i = 0; i < sizeof(uris) / sizeof(uris[0]); ++i)
	{
		Gltf g = { .counts = { 0 } };
		Gltf_AddMesh(&g, 4, quad, 6, quadIndices, NULL, NULL, NULL);
		Gltf_Add(&g, "nodes", "{'mesh':0}");
		Bytes file = Gltf_Make(&g, uris[i]);
		ioLoadOptions options = { .directory = "." };
		ioAsset asset;
		ioError error;
		assert_false(ioLoadMemory(file.data, file.count, "f", &options, &asset, &error));
		assert_string_equal(
		    error.text, "f: buffers[0].uri: not the name of a file in the directory of this one or below");
		Bytes_Free(&file);
		file = Gltf_Make(&g, "no_such_file.bin");
		assert_false(ioLoadMemory(file.data, file.count, "f", &options, &asset, &error));
		assert_string_equal(error.text, "f: buffers[0].uri: no_such_file.bin: cannot open: No such file or directory");
		Bytes_Free(&file);
		Gltf_Free(&g);
	}
}

static void refuses_what_is_not_a_file(void** state)
{
	(void)state;
	ioAsset asset;
	ioError error;
	assert_false(ioLoad(".", NULL, &asset, &error));
	assert_string_equal(error.text, ".: " FOLDER_REFUSED);
	assert_false(ioLoad("no_such_file.glb", NULL, &asset, &error));
	assert_string_equal(error.text, "no_such_file.glb: cannot open: No such file or directory");
	assert_false(ioLoad("no_such_file.obj", NULL, &asset, &error));
	assert_string_equal(error.text, "no_such_file.obj: cannot open: No such file or directory");
	assert_false(ioLoad("/dev/null", NULL, &asset, &error));
	assert_string_equal(error.text, "/dev/null: the file is empty");
}

// --- Hostile files ------------------------------------------------------------------------------------------------

// Seconds that a load takes, and that it fails.
static void AssertRefusedQuickly(const Bytes* file, const char* part)
{
	ioAsset asset;
	ioError error;
	clock_t start = clock();
	bool loaded = ioLoadMemory(file->data, file->count, "f", NULL, &asset, &error);
	double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	assert_false(loaded);
	if (strstr(error.text, part) == NULL)
	{
		fail_msg("'%s' does not say '%s'", error.text, part);
	}
	if (seconds > 20.0)
	{
		fail_msg("%s took %g s", part, seconds);
	}
}

// Small files whose parts refer to one another so that each doubles the work: all within the budget of memory and time.
static void small_files_cannot_claim_much(void** state)
{
	(void)state;
	// 20,000 primitives of one array of a million zeros.
	Gltf g = { .counts = { 0 } };
	Gltf_AddView(&g, quad, sizeof(quad), 0);
	Gltf_Add(&g, "accessors", "{'componentType':5126,'count':999999,'type':'VEC3'}");
	Bytes list = { NULL, 0, 0 };
	for (int i = 0; i < 20000; ++i)
	{
		Bytes_Print(&list, "%s{'attributes':{'POSITION':0}}", i > 0 ? "," : "");
	}
	Gltf_Add(&g, "meshes", "{'primitives':[%s]}", (const char*)list.data);
	Bytes file = Gltf_Make(&g, NULL);
	AssertRefusedQuickly(&file, "more than 500000000 vertices");
	Bytes_Free(&file);
	Gltf_Free(&g);
	Bytes_Free(&list);

	// 100,000 morph targets, sparse and all zero, of as many vertices.
	g = (Gltf){ .counts = { 0 } };
	Gltf_AddView(&g, quad, sizeof(quad), 0);
	Gltf_Add(&g, "accessors", "{'componentType':5126,'count':99999,'type':'VEC3'}");
	for (int i = 0; i < 100000; ++i)
	{
		Bytes_Print(&list, "%s{'POSITION':0}", i > 0 ? "," : "");
	}
	Gltf_Add(&g, "meshes", "{'primitives':[{'attributes':{'POSITION':0},'targets':[%s]}]}", (const char*)list.data);
	file = Gltf_Make(&g, NULL);
	AssertRefusedQuickly(&file, "too much data");
	Bytes_Free(&file);
	Gltf_Free(&g);
	Bytes_Free(&list);

	// 20,000 sets of influences, all the same.
	g = (Gltf){ .counts = { 0 } };
	Gltf_AddView(&g, quad, sizeof(quad), 0);
	Gltf_Add(&g, "accessors", "{'componentType':5126,'count':99999,'type':'VEC3'}");
	Gltf_Add(&g, "accessors", "{'componentType':5121,'count':99999,'type':'VEC4'}");
	Gltf_Add(&g, "accessors", "{'componentType':5126,'count':99999,'type':'VEC4'}");
	for (int i = 0; i < 20000; ++i)
	{
		Bytes_Print(&list, ",'JOINTS_%d':1,'WEIGHTS_%d':2", i, i);
	}
	Gltf_Add(&g, "meshes", "{'primitives':[{'attributes':{'POSITION':0%s}}]}", (const char*)list.data);
	file = Gltf_Make(&g, NULL);
	AssertRefusedQuickly(&file, "too m");
	Bytes_Free(&file);
	Gltf_Free(&g);
	Bytes_Free(&list);

	// 100,000 nodes that show a mesh of 10,000 morph targets: a pose would have 10^9 weights.
	g = (Gltf){ .counts = { 0 } };
	int p = Gltf_AddArray(&g, "VEC3", type_float, false, 3, quad);
	for (int i = 0; i < 10000; ++i)
	{
		Bytes_Print(&list, "%s{}", i > 0 ? "," : "");
	}
	Gltf_Add(&g, "meshes", "{'primitives':[{'attributes':{'POSITION':%d},'targets':[%s]}]}", p, (const char*)list.data);
	for (int i = 0; i < 100000; ++i)
	{
		Gltf_Add(&g, "nodes", "{'mesh':0}");
	}
	file = Gltf_Make(&g, NULL);
	AssertRefusedQuickly(&file, "too much data");
	Bytes_Free(&file);
	Gltf_Free(&g);
	Bytes_Free(&list);

	// JSON that takes a hundred times its size.
	Bytes_Print(&list, "{\"asset\":[{}");
	for (int i = 0; i < 3000000; ++i)
	{
		Bytes_Add(&list, ",{}", 3);
	}
	Bytes_Print(&list, "]}");
	AssertRefusedQuickly(&list, "too much JSON");
	Bytes_Free(&list);
	for (int i = 0; i < 100000; ++i)
	{
		Bytes_Print(&list, "{\"a\":");
	}
	AssertRefusedQuickly(&list, "maximum parsing depth reached");
	Bytes_Free(&list);
}

// A chain of 60,000 nodes is legal: nothing may recurse.
static void deep_hierarchies_are_fine(void** state)
{
	(void)state;
	Gltf g = { .counts = { 0 } };
	Gltf_AddMesh(&g, 4, quad, 6, quadIndices, NULL, NULL, NULL);
	for (int i = 0; i < 60000; ++i)
	{
		Gltf_Add(&g, "nodes", "{'children':[%d],'translation':[1,0,0]}", i + 1);
	}
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	Bytes file = Gltf_Make(&g, NULL);
	ioAsset asset;
	ioError error;
	assert_true(ioLoadMemory(file.data, file.count, "f", NULL, &asset, &error));
	ioPose* pose = ioPose_Create(&asset);
	assert_true(ioPose_GetNodeMatrix(pose, 60000)[3] == 60000.0);
	ioPose_Destroy(pose);
	ioAsset_Free(&asset);
	Bytes_Free(&file);
	Gltf_Free(&g);
}

// --- Damage -------------------------------------------------------------------------------------------------------

// Load something that may be damaged. It must either fail with a message or give what can be posed; says which.
static bool LoadDamaged(const uint8_t* data, size_t count, const char* name)
{
	// A copy of just this size, so that sanitizers see a read beyond its end.
	uint8_t* copy = malloc(count > 0 ? count : 1);
	memcpy(copy, data, count);
	ioLoadOptions options = { .maxBytes = 16 << 20 };
	ioAsset asset;
	ioError error;
	if (ioLoadMemory(copy, count, name, &options, &asset, &error))
	{
		free(copy); // nothing is kept of it
		ioPose* pose = ioPose_Create(&asset);
		assert_non_null(pose);
		for (uint32_t i = 0; i < asset.instanceCount && i < 4; ++i)
		{
			float* positions = malloc(12 * (size_t)asset.meshes[asset.instances[i].mesh].mesh.vertexCount);
			ioPose_Evaluate(pose, asset.clipCount > 0 ? 0 : IO_NONE, 1.25);
			ioPose_EvaluateVertices(pose, i, positions);
			free(positions);
		}
		ioPose_Destroy(pose);
		ioAsset_Free(&asset);
		return true;
	}
	free(copy);
	assert_true(error.text[0] != '\0' && strncmp(error.text, name, strlen(name)) == 0);
	assert_null(asset.blocks);
	assert_null(strchr(error.text, '\n'));
	return false;
}

// Text says all that it has to say before its last newline; and two samples before that: colours of faces are optional,
// and one solid of a file of two is a file.
static bool IsWhole(const Sample* sample, size_t length)
{
	const char* text = (const char*)sample->bytes.data;
	bool isColours = strcmp(sample->name, "colours.off") == 0, isSolids = strcmp(sample->name, "ascii.stl") == 0;
	bool isText = isSolids || strcmp(sample->name, "ascii.ply") == 0 || strcmp(sample->format, "off") == 0 ||
	              strcmp(sample->name, "text.fbx") == 0;
	size_t end = sample->bytes.count;
	for (; isText && !isColours && strchr("\r\n", text[end - 1]) != NULL; --end)
	{
	}
	if (isColours)
	{
		end = (size_t)(strstr(text, "3 0 1 2") + strlen("3 0 1 2") - text);
	}
	if (isSolids)
	{
		size_t first = (size_t)(strstr(text, "endsolid") + strlen("endsolid") - text);
		return length >= end || (length >= first && length <= first + strlen(" a name\n"));
	}
	return isText && length >= end;
}

// Every length but the right one. An OBJ file says nowhere how much there is to come.
static void truncated_files_are_refused(void** state)
{
	(void)state;
	Sample samples[32];
	int count = MakeSamples(samples);
	for (int s = 0; s < count; ++s)
	{
		for (size_t length = 0; strcmp(samples[s].format, "obj") != 0 && length < samples[s].bytes.count; ++length)
		{
			if (LoadDamaged(samples[s].bytes.data, length, samples[s].name) != IsWhole(samples + s, length))
			{
				fail_msg("%s, the first %zu bytes of %zu", samples[s].name, length, samples[s].bytes.count);
			}
			// With the length in the header made right, so that more than the container is tried.
			if (strstr(samples[s].name, ".glb") != NULL && length >= 12)
			{
				uint8_t* copy = malloc(length);
				memcpy(copy, samples[s].bytes.data, length);
				copy[8] = (uint8_t)length;
				copy[9] = (uint8_t)(length >> 8);
				assert_false(LoadDamaged(copy, length, samples[s].name));
				free(copy);
			}
		}
		Bytes_Free(&samples[s].bytes);
	}
}

static void mutated_files_do_no_harm(void** state)
{
	(void)state;
	Sample samples[32];
	int count = MakeSamples(samples), cases = (int)(4000 * TestScale()) + 1;
	uint32_t seed = 12345;
	for (int s = 0; s < count; ++s)
	{
		const Bytes* original = &samples[s].bytes;
		for (int i = 0; strcmp(samples[s].format, "obj") != 0 && i < cases; ++i)
		{
			uint8_t* copy = malloc(original->count);
			memcpy(copy, original->data, original->count);
			for (uint32_t k = NextRandom(&seed) % 8; k < 8; ++k)
			{
				copy[NextRandom(&seed) % original->count] = (uint8_t)(NextRandom(&seed) >> 8);
			}
			LoadDamaged(copy, original->count, samples[s].name);
			free(copy);
		}
		Bytes_Free(&samples[s].bytes);
	}
}

// Every number of the sample's JSON replaced by numbers that are known for trouble, one at a time.
static void odd_numbers_do_no_harm(void** state)
{
	(void)state;
	static const char* const odd[] = { "0", "1", "-1", "2", "3", "7", "0.5", "255", "65536", "5120", "5121", "5123",
		"5125", "5126", "4294967295", "4294967296", "9223372036854775807", "1e30", "1e308", "null", "[]", "{}", "'x'" };
	Sample samples[32];
	int count = MakeSamples(samples);
	for (int s = 0; s < count; ++s)
	{
		const char* text = (const char*)samples[s].bytes.data;
		for (size_t i = 1; strcmp(samples[s].name, "character.gltf") == 0 && i < samples[s].bytes.count; ++i)
		{
			bool starts = strchr(":,[", text[i - 1]) != NULL && strchr("-0123456789", text[i]) != NULL;
			for (size_t k = 0; starts && k < sizeof(odd) / sizeof(odd[0]); ++k)
			{
				Bytes changed = { NULL, 0, 0 };
				size_t length = strspn(text + i, "-+.e0123456789");
				Bytes_Add(&changed, text, i);
				Bytes_Print(&changed, "%s%s", odd[k], text + i + length);
				LoadDamaged(changed.data, changed.count, samples[s].name);
				Bytes_Free(&changed);
			}
		}
		Bytes_Free(&samples[s].bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_error_names_its_place),
		cmocka_unit_test(names_the_vertex),
		cmocka_unit_test(refuses_times_that_go_back),
		cmocka_unit_test(refuses_matrices_that_are_not_affine),
		cmocka_unit_test(refuses_damaged_containers),
		cmocka_unit_test(refuses_names_of_other_files),
		cmocka_unit_test(refuses_what_is_not_a_file),
		cmocka_unit_test(small_files_cannot_claim_much),
		cmocka_unit_test(deep_hierarchies_are_fine),
		cmocka_unit_test(truncated_files_are_refused),
		cmocka_unit_test(mutated_files_do_no_harm),
		cmocka_unit_test(odd_numbers_do_no_harm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
