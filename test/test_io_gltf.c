// test/test_io_gltf.c: what the glTF reader makes of each feature, against values worked out by hand.
#include "test_io.h"

#include <math.h>

static const float quad[12] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 };
static const uint16_t quadIndices[6] = { 0, 1, 2, 0, 2, 3 };

// Load what was built, as GLB, and free the builder.
static ioAsset LoadWarned(Gltf* gltf, Warnings* warnings)
{
	Bytes bytes = Gltf_Make(gltf, NULL);
	ioLoadOptions options = { .warning = KeepWarning, .user = warnings };
	ioAsset asset;
	ioError error;
	*warnings = (Warnings){ .count = 0 };
	if (!ioLoadMemory(bytes.data, bytes.count, "test.glb", &options, &asset, &error))
	{
		fail_msg("%s", error.text);
	}
	Bytes_Free(&bytes);
	Gltf_Free(gltf);
	return asset;
}

static ioAsset Load(Gltf* gltf)
{
	Warnings warnings;
	ioAsset asset = LoadWarned(gltf, &warnings);
	if (warnings.count > 0)
	{
		fail_msg("a warning: %s", warnings.last);
	}
	return asset;
}

// Fails unless an instance is at the expected positions at a time.
static void AssertPosed(
    const ioAsset* asset, uint32_t clip, double time, uint32_t instance, int count, const double* expected)
{
	ioPose* pose = ioPose_Create(asset);
	float found[64];
	assert_non_null(pose);
	assert_int_equal(asset->meshes[asset->instances[instance].mesh].mesh.vertexCount, count);
	ioPose_Evaluate(pose, clip, time);
	assert_true(ioPose_EvaluateVertices(pose, instance, found));
	for (int i = 0; i < 3 * count; ++i)
	{
		if (!(fabs((double)found[i] - expected[i]) < 1e-6 * (1.0 + fabs(expected[i]))))
		{
			fail_msg(
			    "time %g, vertex %d, coordinate %d: %.9g, not %.9g", time, i / 3, i % 3, (double)found[i], expected[i]);
		}
	}
	ioPose_Destroy(pose);
}

static void AssertTriangles(const ioAsset* asset, uint32_t mesh, int count, const uint32_t* expected)
{
	assert_int_equal(asset->meshes[mesh].mesh.triangleCount, count);
	assert_memory_equal(asset->meshes[mesh].mesh.triangles, expected, (size_t)count * 3 * sizeof(uint32_t));
}

// --- Geometry -----------------------------------------------------------------------------------------------------

static void reads_triangles_of_every_mode(void** state)
{
	(void)state;
	static const float five[15] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0 };
	static const uint16_t reversed[5] = { 4, 3, 2, 1, 0 };
	// As the specification's section on topology numbers them.
	static const uint32_t list[6] = { 0, 1, 2, 0, 2, 3 };
	static const uint32_t strip[9] = { 0, 1, 2, 1, 3, 2, 2, 3, 4 };
	static const uint32_t fan[9] = { 1, 2, 0, 2, 3, 0, 3, 4, 0 };
	static const uint32_t reversedStrip[9] = { 4, 3, 2, 3, 1, 2, 2, 1, 0 };
	static const uint32_t unindexed[3] = { 0, 1, 2 };
	Gltf g = { .counts = { 0 } };
	Gltf_AddMesh(&g, 4, quad, 6, quadIndices, NULL, NULL, NULL);
	Gltf_AddMesh(&g, 5, five, 0, NULL, NULL, ",'mode':5", NULL);
	Gltf_AddMesh(&g, 5, five, 0, NULL, NULL, ",'mode':6", NULL);
	Gltf_AddMesh(&g, 5, five, 5, reversed, NULL, ",'mode':5", NULL);
	Gltf_AddMesh(&g, 3, five, 0, NULL, NULL, NULL, NULL);
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	ioAsset asset = Load(&g);
	AssertTriangles(&asset, 0, 2, list);
	AssertTriangles(&asset, 1, 3, strip);
	AssertTriangles(&asset, 2, 3, fan);
	AssertTriangles(&asset, 3, 3, reversedStrip);
	AssertTriangles(&asset, 4, 1, unindexed);
	assert_string_equal(asset.format, "glTF");
	ioAsset_Free(&asset);
}

static void reads_indices_of_every_width(void** state)
{
	(void)state;
	static const uint8_t bytes[6] = { 0, 1, 2, 0, 2, 3 };
	static const uint32_t words[6] = { 0, 1, 2, 0, 2, 3 };
	Gltf g = { .counts = { 0 } };
	int p = Gltf_AddArray(&g, "VEC3", type_float, false, 4, quad);
	int i8 = Gltf_AddArray(&g, "SCALAR", type_uint8, false, 6, bytes);
	int i32 = Gltf_AddArray(&g, "SCALAR", type_uint32, false, 6, words);
	Gltf_Add(&g, "meshes", "{'primitives':[{'attributes':{'POSITION':%d},'indices':%d}]}", p, i8);
	Gltf_Add(&g, "meshes", "{'primitives':[{'attributes':{'POSITION':%d},'indices':%d}]}", p, i32);
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	ioAsset asset = Load(&g);
	AssertTriangles(&asset, 0, 2, words);
	AssertTriangles(&asset, 1, 2, words);
	ioAsset_Free(&asset);
}

static void joins_primitives_in_order_and_leaves_out_lines(void** state)
{
	(void)state;
	static const uint32_t expected[9] = { 0, 1, 2, 0, 2, 3, 4, 5, 6 };
	Gltf g = { .counts = { 0 } };
	Warnings warnings;
	int p = Gltf_AddArray(&g, "VEC3", type_float, false, 4, quad);
	int three = Gltf_AddArray(&g, "VEC3", type_float, false, 3, quad + 3);
	int i = Gltf_AddArray(&g, "SCALAR", type_uint16, false, 6, quadIndices);
	Gltf_Add(&g, "meshes",
	    "{'primitives':[{'attributes':{'POSITION':%d},'indices':%d},{'attributes':{'POSITION':%d},'mode':1},"
	    "{'attributes':{'POSITION':%d}}]}",
	    p, i, p, three);
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	ioAsset asset = LoadWarned(&g, &warnings);
	assert_int_equal(warnings.count, 1);
	assert_string_equal(warnings.last, "test.glb: meshes[0].primitives[1]: points or lines, left out");
	AssertTriangles(&asset, 0, 3, expected);
	assert_int_equal(asset.meshes[0].mesh.vertexCount, 7);
	assert_memory_equal(asset.meshes[0].mesh.positions + 12, quad + 3, 36);
	ioAsset_Free(&asset);
}

static void reads_interleaved_and_offset_accessors(void** state)
{
	(void)state;
	float interleaved[20];
	for (int i = 0; i < 20; ++i)
	{
		interleaved[i] = i % 5 < 2 ? 99.0f : quad[i / 5 * 3 + i % 5 - 2];
	}
	Gltf g = { .counts = { 0 } };
	int view = Gltf_AddView(&g, interleaved, sizeof(interleaved), 20);
	int p = Gltf_Add(
	    &g, "accessors", "{'bufferView':%d,'byteOffset':8,'componentType':5126,'count':4.0,'type':'VEC3'}", view);
	Gltf_Add(&g, "meshes", "{'primitives':[{'attributes':{'POSITION':%d},'mode':6}]}", p);
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	ioAsset asset = Load(&g);
	assert_memory_equal(asset.meshes[0].mesh.positions, quad, sizeof(quad));
	ioAsset_Free(&asset);
}

static void reads_sparse_accessors(void** state)
{
	(void)state;
	static const uint16_t indices[2] = { 1, 3 };
	static const float values[6] = { 7, 8, 9, -7, -8, -9 };
	Gltf g = { .counts = { 0 } };
	int base = Gltf_AddView(&g, quad, sizeof(quad), 0), i = Gltf_AddView(&g, indices, sizeof(indices), 0);
	int v = Gltf_AddView(&g, values, sizeof(values), 0);
	const char* sparse = "'sparse':{'count':2,'indices':{'bufferView':%d,'componentType':5123},'values':{"
	                     "'bufferView':%d}},'componentType':5126,'count':4,'type':'VEC3'";
	char text[256];
	snprintf(text, sizeof(text), sparse, i, v);
	int full = Gltf_Add(&g, "accessors", "{'bufferView':%d,%s}", base, text);
	int zeros = Gltf_Add(&g, "accessors", "{%s}", text);
	Gltf_Add(&g, "meshes",
	    "{'primitives':[{'attributes':{'POSITION':%d},'mode':6,'targets':[{'POSITION':%d},{},{'POSITION':%d}]}]}", full,
	    zeros, full);
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	ioAsset asset = Load(&g);
	static const float expected[12] = { 0, 0, 0, 7, 8, 9, 1, 1, 0, -7, -8, -9 };
	assert_memory_equal(asset.meshes[0].mesh.positions, expected, sizeof(expected));
	const ioMorphTarget* targets = asset.meshes[0].targets;
	assert_int_equal(asset.meshes[0].targetCount, 3);
	// Displacements that are zero are not stored.
	assert_int_equal(targets[0].count, 2);
	assert_int_equal(targets[0].vertices[0], 1);
	assert_int_equal(targets[0].vertices[1], 3);
	assert_memory_equal(targets[0].deltas, values, sizeof(values));
	assert_int_equal(targets[1].count, 0);
	assert_int_equal(targets[2].count, 3);
	ioAsset_Free(&asset);
}

static void reads_quantized_positions_with_the_extension_only(void** state)
{
	(void)state;
	static const int16_t shorts[16] = { -32768, 0, 0, 99, 32767, 0, 0, 99, 0, 16384, 0, 99 }; // padded to 8 bytes
	static const int8_t bytes[12] = { -128, 5, 0, 99, 127, 0, 0, 99, 0, 3, 0, 99 };
	for (int used = 0; used < 2; ++used)
	{
		Gltf g = { .counts = { 0 } };
		int s = Gltf_AddView(&g, shorts, 24, 8), b = Gltf_AddView(&g, bytes, 12, 4);
		Gltf_Add(
		    &g, "accessors", "{'bufferView':%d,'componentType':5122,'normalized':true,'count':3,'type':'VEC3'}", s);
		Gltf_Add(&g, "accessors", "{'bufferView':%d,'componentType':5120,'count':3,'type':'VEC3'}", b);
		Gltf_Add(&g, "meshes", "{'primitives':[{'attributes':{'POSITION':0}},{'attributes':{'POSITION':1}}]}");
		Gltf_Add(&g, "nodes", "{'mesh':0}");
		if (used)
		{
			Gltf_Add(&g, "extensionsUsed", "'KHR_mesh_quantization'");
			Gltf_Add(&g, "extensionsRequired", "'KHR_mesh_quantization'");
			ioAsset asset = Load(&g);
			static const double expected[18] = { -1, 0, 0, 1, 0, 0, 0, 16384.0 / 32767.0, 0, -128, 5, 0, 127, 0, 0, 0,
				3, 0 };
			AssertPosed(&asset, IO_NONE, 0, 0, 6, expected);
			ioAsset_Free(&asset);
			continue;
		}
		Bytes file = Gltf_Make(&g, NULL);
		ioAsset asset;
		ioError error;
		assert_false(ioLoadMemory(file.data, file.count, "q.glb", NULL, &asset, &error));
		assert_string_equal(error.text,
		    "q.glb: meshes[0].primitives[0].attributes.POSITION: accessors[0] is not a VEC3 "
		    "of floats (and KHR_mesh_quantization is not used)");
		Bytes_Free(&file);
		Gltf_Free(&g);
	}
}

// --- Nodes and instances ------------------------------------------------------------------------------------------

static void places_instances_by_their_nodes(void** state)
{
	(void)state;
	Gltf g = { .counts = { 0 } };
	Gltf_AddMesh(&g, 4, quad, 6, quadIndices, NULL, NULL, ",'name':'square'");
	// Node 2 hangs from 0: a quarter turn about z, mirrored in x, moved by (10, 0, 0).
	Gltf_Add(&g, "nodes",
	    "{'name':'parent','mesh':0,'children':[2],'translation':[10,0,0],'rotation':[0,0,0.7071067811865476,"
	    "0.7071067811865476],'scale':[-1,2,3]}");
	// By columns: x to y, y to z, z to x, moved by (1, 2, 3).
	Gltf_Add(&g, "nodes", "{'mesh':0,'matrix':[0,1,0,0,0,0,1,0,1,0,0,0,1,2,3,1]}");
	Gltf_Add(&g, "nodes", "{'name':'child','mesh':0,'translation':[0,0,1]}");
	Gltf_AddMesh(&g, 3, quad, 0, NULL, NULL, NULL, NULL);
	Gltf_Add(&g, "nodes", "{'mesh':1}");
	ioAsset asset = Load(&g);
	assert_int_equal(asset.instanceCount, 4);
	assert_string_equal(asset.instances[0].name, "parent");
	assert_string_equal(asset.instances[1].name, "square");
	assert_string_equal(asset.instances[2].name, "child");
	assert_string_equal(asset.instances[3].name, "node 3");
	// (x, y, z) scaled to (-x, 2y, 3z), turned to (-2y, -x, 3z), moved.
	static const double parent[12] = { 10, 0, 0, 10, -1, 0, 8, -1, 0, 8, 0, 0 };
	static const double matrix[12] = { 1, 2, 3, 1, 3, 3, 1, 3, 4, 1, 2, 4 };
	static const double child[12] = { 10, 0, 3, 10, -1, 3, 8, -1, 3, 8, 0, 3 };
	AssertPosed(&asset, IO_NONE, 0, 0, 4, parent);
	AssertPosed(&asset, IO_NONE, 0, 1, 4, matrix);
	AssertPosed(&asset, IO_NONE, 0, 2, 4, child);
	ioAsset_Free(&asset);
}

static ioAsset LoadScenes(const char* root, bool scenes)
{
	Gltf g = { .counts = { 0 } };
	Gltf_AddMesh(&g, 4, quad, 6, quadIndices, NULL, NULL, NULL);
	Gltf_Add(&g, "nodes", "{'mesh':0,'name':'a'}");
	Gltf_Add(&g, "nodes", "{'children':[2]}");
	Gltf_Add(&g, "nodes", "{'mesh':0,'name':'b'}");
	Gltf_Add(&g, "nodes", "{'mesh':0,'name':'c'}");
	if (scenes)
	{
		Gltf_Add(&g, "scenes", "{'nodes':[0]}");
		Gltf_Add(&g, "scenes", "{'nodes':[1]}");
	}
	Gltf_AddRoot(&g, root);
	return Load(&g);
}

static void takes_the_default_scene_or_all(void** state)
{
	(void)state;
	ioAsset asset = LoadScenes(",'scene':1", true);
	assert_int_equal(asset.instanceCount, 1);
	assert_string_equal(asset.instances[0].name, "b");
	ioAsset_Free(&asset);
	asset = LoadScenes("", true);
	assert_int_equal(asset.instanceCount, 2);
	assert_string_equal(asset.instances[1].name, "b");
	ioAsset_Free(&asset);
	asset = LoadScenes("", false);
	assert_int_equal(asset.instanceCount, 3);
	ioAsset_Free(&asset);
}

// --- Skins --------------------------------------------------------------------------------------------------------

// A quad of which vertex v is bound to joints with these weights.
static void AddSkinned(Gltf* g, const uint8_t joints[16], const float weights[16], const char* primitive)
{
	char attributes[64];
	int j = Gltf_AddArray(g, "VEC4", type_uint8, false, 4, joints);
	int w = Gltf_AddArray(g, "VEC4", type_float, false, 4, weights);
	snprintf(attributes, sizeof(attributes), ",'JOINTS_0':%d,'WEIGHTS_0':%d", j, w);
	Gltf_AddMesh(g, 4, quad, 6, quadIndices, attributes, primitive, NULL);
}

static const uint8_t plainJoints[16] = { 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0 };
static const float plainWeights[16] = { 1, 0, 0, 0, 1, 0, 0, 0, 0.25f, 0.75f, 0, 0, 1, 0, 0, 0 };

static void skins_by_joints_and_ignores_the_mesh_node(void** state)
{
	(void)state;
	// Matrices by columns: the second joint was bound at (1, 0, 0).
	static const float bind[32] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0,
		-1, 0, 0, 1 };
	Gltf g = { .counts = { 0 } };
	AddSkinned(&g, plainJoints, plainWeights, NULL);
	int ibm = Gltf_AddArray(&g, "MAT4", type_float, false, 2, bind);
	Gltf_Add(&g, "skins", "{'joints':[1,2],'inverseBindMatrices':%d}", ibm);
	Gltf_Add(&g, "skins", "{'joints':[2,1]}");
	Gltf_Add(&g, "nodes", "{'translation':[0,0,5],'children':[1,3]}");
	Gltf_Add(&g, "nodes", "{'children':[2],'scale':[2,2,2]}");
	Gltf_Add(&g, "nodes", "{'translation':[1,0,0],'rotation':[0,0,1,0]}"); // half a turn about z
	Gltf_Add(&g, "nodes", "{'mesh':0,'skin':0,'translation':[100,100,100]}");
	Gltf_Add(&g, "nodes", "{'mesh':0,'skin':1}");
	ioAsset asset = Load(&g);
	// First joint: p -> 2p + (0,0,5). Second: p -> 2 (turn(p - (1,0,0)) + (1,0,0)) + (0,0,5) = (4 - 2x, -2y, 2z + 5).
	static const double first[12] = { 0, 0, 5, 2, 0, 5, 2, 0.25 * 2 - 0.75 * 2, 5, 4, -2, 5 };
	AssertPosed(&asset, IO_NONE, 0, 0, 4, first);
	// Without inverse bind matrices, joints swapped: first p -> 2 (turn(p) + (1,0,0)) + (0,0,5), second p -> 2p +
	// (0,0,5).
	static const double second[12] = { 2, 0, 5, 2, 0, 5, 0.25 * 0 + 0.75 * 2, 0.25 * -2 + 0.75 * 2, 5, 0, 2, 5 };
	AssertPosed(&asset, IO_NONE, 0, 1, 4, second);
	ioAsset_Free(&asset);
}

static void reads_any_number_of_sets_and_normalized_weights(void** state)
{
	(void)state;
	static const uint8_t joints[12] = { 0, 1, 2, 3, 4, 4, 0, 0, 9, 0, 0, 0 }; // three vertices
	static const uint8_t weights[12] = { 51, 51, 0, 51, 102, 153, 0, 0, 255, 0, 0, 0 };
	static const uint16_t more[12] = { 300, 7, 0, 0, 4, 0, 0, 0, 1, 1, 1, 1 };
	static const uint16_t moreWeights[12] = { 13107, 13107, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
	Gltf g = { .counts = { 0 } };
	int j0 = Gltf_AddArray(&g, "VEC4", type_uint8, false, 3, joints);
	int w0 = Gltf_AddArray(&g, "VEC4", type_uint8, true, 3, weights);
	int j1 = Gltf_AddArray(&g, "VEC4", type_uint16, false, 3, more);
	int w1 = Gltf_AddArray(&g, "VEC4", type_uint16, true, 3, moreWeights);
	char attributes[128];
	snprintf(attributes, sizeof(attributes),
	    ",'JOINTS_0':%d,'WEIGHTS_0':%d,'JOINTS_1':%d,'WEIGHTS_1':%d,'JOINTS_2':%d,'WEIGHTS_2':%d", j0, w0, j1, w1, j1,
	    w1);
	Gltf_AddMesh(&g, 3, quad, 0, NULL, attributes, NULL, NULL);
	Gltf_Add(&g, "nodes", "{'mesh':0}"); // without a skin, so joints may be anything
	Warnings warnings;
	ioAsset asset = LoadWarned(&g, &warnings);
	const ioAssetMesh* mesh = asset.meshes;
	// Vertex 0: 0.2 each for 0, 1, 3, and 0.2 twice for 300 and 7; the sum 1.4 is scaled to 1.
	static const uint16_t expectedJoints[7] = { 0, 1, 3, 300, 7, 4, 9 };
	static const double expectedWeights[7] = { 1 / 7.0, 1 / 7.0, 1 / 7.0, 2 / 7.0, 2 / 7.0, 1, 1 };
	assert_int_equal(mesh->influenceStart[0], 0);
	assert_int_equal(mesh->influenceStart[1], 5);
	assert_int_equal(mesh->influenceStart[2], 6); // one joint twice is one influence
	assert_int_equal(mesh->influenceStart[3], 7);
	assert_int_equal(mesh->maxJoint, 300);
	for (int i = 0; i < 7; ++i)
	{
		assert_int_equal(mesh->joints[i], expectedJoints[i]);
		assert_true(fabs((double)mesh->weights[i] - expectedWeights[i]) < 1e-6);
	}
	assert_int_equal(warnings.count, 1);
	assert_string_equal(warnings.last, "test.glb: meshes[0]: weights scaled to a sum of 1 at 1 vertices, the first "
	                                   "vertex 0 (the worst sum was 1.4)");
	ioAsset_Free(&asset);
}

static void repairs_weights(void** state)
{
	(void)state;
	static const uint8_t joints[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0 };
	static const float weights[16] = { 0, 0, 0, 0, 0.5f, 0.5009f, 0, 0, 0.5f, 0.5011f, 0, 0, 1, 0, 0, 0 };
	Gltf g = { .counts = { 0 } };
	Warnings warnings;
	AddSkinned(&g, joints, weights, NULL);
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	ioAsset asset = LoadWarned(&g, &warnings);
	// All zero: bound to the first joint. Off by less than 1e-3: scaled without a word; by more: with one.
	assert_int_equal(warnings.count, 2);
	assert_string_equal(warnings.last,
	    "test.glb: meshes[0]: weights all zero at 1 vertices, the first vertex 0: bound to their first joint");
	assert_int_equal(asset.meshes[0].joints[0], 1);
	assert_true(asset.meshes[0].weights[0] == 1.0f);
	assert_true(fabs((double)asset.meshes[0].weights[1] - 0.5 / 1.0009) < 1e-7);
	ioAsset_Free(&asset);
}

static void morphs_before_skinning(void** state)
{
	(void)state;
	static const float delta[12] = { 0, 0, 4 };
	static const uint8_t joints[16] = { 0 };
	static const float weights[16] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
	Gltf g = { .counts = { 0 } };
	int d = Gltf_AddArray(&g, "VEC3", type_float, false, 4, delta);
	char primitive[64];
	snprintf(primitive, sizeof(primitive), ",'targets':[{'POSITION':%d}]", d);
	AddSkinned(&g, joints, weights, primitive);
	Gltf_Add(&g, "skins", "{'joints':[0]}");
	Gltf_Add(&g, "nodes", "{'rotation':[1,0,0,0]}"); // y and z change sign
	Gltf_Add(&g, "nodes", "{'mesh':0,'skin':0,'weights':[0.5]}");
	ioAsset asset = Load(&g);
	static const double expected[12] = { 0, 0, -2, 1, 0, 0, 1, -1, 0, 0, -1, 0 };
	AssertPosed(&asset, IO_NONE, 0, 0, 4, expected);
	ioAsset_Free(&asset);
}

// --- Animations ---------------------------------------------------------------------------------------------------

// One triangle whose node is moved by one channel.
static ioAsset LoadChannel(const char* path, const char* interpolation, const char* type, int componentType, int keys,
    const float* times, int values, const void* data)
{
	Gltf g = { .counts = { 0 } };
	static const float delta[9] = { 0, 0, 1 }, delta2[9] = { 0, 1, 0 };
	int d = Gltf_AddArray(&g, "VEC3", type_float, false, 3, delta);
	int d2 = Gltf_AddArray(&g, "VEC3", type_float, false, 3, delta2);
	char primitive[64];
	snprintf(primitive, sizeof(primitive), ",'targets':[{'POSITION':%d},{'POSITION':%d}]", d, d2);
	Gltf_AddMesh(&g, 3, quad, 0, NULL, NULL, primitive, ",'weights':[0,0]");
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	int input = Gltf_AddArray(&g, "SCALAR", type_float, false, keys, times);
	int output = Gltf_AddArray(&g, type, componentType, componentType != type_float, values, data);
	Gltf_Add(&g, "animations",
	    "{'samplers':[{'input':%d,'output':%d,'interpolation':'%s'}],'channels':[{'sampler':0,'target':{'path':'%s',"
	    "'node':0}},{'sampler':0,'target':{'path':'%s'}}]}",
	    input, output, interpolation, path, path);
	ioAsset asset = Load(&g);
	assert_int_equal(asset.clips[0].channelCount, 1); // one without a node is for extensions
	assert_string_equal(asset.clips[0].name, "0");
	assert_true(asset.clips[0].start == (double)times[0]);
	assert_true(asset.clips[0].duration == (double)times[keys - 1]);
	return asset;
}

static const float keyTimes[3] = { 1, 2, 4 };

// The quad's first triangle moved by x along the x axis.
static void AssertMovedBy(const ioAsset* asset, double time, double x)
{
	double expected[9];
	for (int i = 0; i < 9; ++i)
	{
		expected[i] = (double)quad[i] + (i % 3 == 0 ? x : 0.0);
	}
	AssertPosed(asset, 0, time, 0, 3, expected);
}

static void interpolates_translations(void** state)
{
	(void)state;
	static const float moves[9] = { 10, 0, 0, 20, 0, 0, 0, 0, 0 };
	ioAsset step = LoadChannel("translation", "STEP", "VEC3", type_float, 3, keyTimes, 3, moves);
	AssertMovedBy(&step, 0, 10); // clamped
	AssertMovedBy(&step, 1, 10);
	AssertMovedBy(&step, 1.999, 10);
	AssertMovedBy(&step, 2, 20);
	AssertMovedBy(&step, 4, 0);
	AssertMovedBy(&step, 9, 0);
	ioAsset_Free(&step);
	ioAsset linear = LoadChannel("translation", "LINEAR", "VEC3", type_float, 3, keyTimes, 3, moves);
	AssertMovedBy(&linear, -1, 10);
	AssertMovedBy(&linear, 1.25, 12.5);
	AssertMovedBy(&linear, 2, 20);
	AssertMovedBy(&linear, 3.5, 5);
	AssertMovedBy(&linear, 5, 0);
	ioAsset_Free(&linear);
	// In-tangent, value, out-tangent per key. Between 2 and 4: p0 = 20, m0 = 2 * 3, p1 = 0, m1 = 2 * -1.
	static const float spline[27] = { 9, 9, 9, 10, 0, 0, 1, 0, 0, 2, 0, 0, 20, 0, 0, 3, 0, 0, -1, 0, 0, 0, 0, 0, 9 };
	ioAsset cubic = LoadChannel("translation", "CUBICSPLINE", "VEC3", type_float, 3, keyTimes, 9, spline);
	AssertMovedBy(&cubic, 0, 10);
	AssertMovedBy(&cubic, 1, 10);
	AssertMovedBy(&cubic, 1.5, 0.5 * 10 + 0.125 * 1 + 0.5 * 20 - 0.125 * 2);
	double t = 0.25;
	AssertMovedBy(
	    &cubic, 2.5, (2 * t * t * t - 3 * t * t + 1) * 20 + (t * t * t - 2 * t * t + t) * 6 + (t * t * t - t * t) * -2);
	AssertMovedBy(&cubic, 4, 0);
	ioAsset_Free(&cubic);
}

// The quad's first triangle turned about z.
static void AssertTurnedBy(const ioAsset* asset, double time, double angle)
{
	double c = cos(angle), s = sin(angle);
	double expected[9] = { 0, 0, 0, c, s, 0, c - s, s + c, 0 };
	AssertPosed(asset, 0, time, 0, 3, expected);
}

static void interpolates_rotations_the_shorter_way(void** state)
{
	(void)state;
	const double pi = 3.14159265358979323846;
	float h = (float)sqrt(0.5);
	// 0, 90 degrees, and 180 degrees written as its opposite.
	float turns[12] = { 0, 0, 0, 1, 0, 0, h, h, 0, 0, -1, 0 };
	ioAsset linear = LoadChannel("rotation", "LINEAR", "VEC4", type_float, 3, keyTimes, 3, turns);
	AssertTurnedBy(&linear, 1.3, 0.3 * pi / 2);
	AssertTurnedBy(&linear, 3, 0.75 * pi);
	AssertTurnedBy(&linear, 4, pi);
	ioAsset_Free(&linear);
	static const int16_t shorts[12] = { 0, 0, 0, 32767, 0, 0, 23170, 23170, 0, 0, -32767, 0 };
	ioAsset normalized = LoadChannel("rotation", "LINEAR", "VEC4", type_int16, 3, keyTimes, 3, shorts);
	AssertTurnedBy(&normalized, 1.3, 0.3 * pi / 2);
	AssertTurnedBy(&normalized, 3, 0.75 * pi);
	ioAsset_Free(&normalized);
	// Splines are normalised: halfway between 0 and 90 degrees with flat tangents is 45.
	float spline[36] = { 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, h, h, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, h,
		h };
	ioAsset cubic = LoadChannel("rotation", "CUBICSPLINE", "VEC4", type_float, 3, keyTimes, 9, spline);
	AssertTurnedBy(&cubic, 1.5, pi / 4);
	AssertTurnedBy(&cubic, 3, pi / 2);
	ioAsset_Free(&cubic);
}

static void interpolates_scales_and_weights(void** state)
{
	(void)state;
	static const float scales[9] = { 1, 1, 1, -3, 2, 1, 5, 5, 5 };
	ioAsset scale = LoadChannel("scale", "LINEAR", "VEC3", type_float, 3, keyTimes, 3, scales);
	static const double scaled[9] = { 0, 0, 0, -1, 0, 0, -1, 1.5, 0 };
	AssertPosed(&scale, 0, 1.5, 0, 3, scaled);
	ioAsset_Free(&scale);
	static const uint8_t weights[6] = { 0, 255, 255, 0, 0, 0 };
	ioAsset weight = LoadChannel("weights", "LINEAR", "SCALAR", type_uint8, 3, keyTimes, 6, weights);
	static const double morphed[9] = { 0, 0.75, 0.25, 1, 0, 0, 1, 1, 0 };
	AssertPosed(&weight, 0, 1.25, 0, 3, morphed);
	ioAsset_Free(&weight);
	static const float tangents[18] = { 0, 0, 0, 1, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
	ioAsset cubic = LoadChannel("weights", "CUBICSPLINE", "SCALAR", type_float, 3, keyTimes, 18, tangents);
	static const double splined[9] = { 0, 0.5, 0.5 + 8 * 0.125, 1, 0, 0, 1, 1, 0 };
	AssertPosed(&cubic, 0, 1.5, 0, 3, splined);
	ioAsset_Free(&cubic);
}

static void two_keys_at_one_time_make_a_jump(void** state)
{
	(void)state;
	static const float times[4] = { 0, 1, 1, 2 };
	static const float moves[12] = { 0, 0, 0, 1, 0, 0, 5, 0, 0, 6, 0, 0 };
	ioAsset asset = LoadChannel("translation", "LINEAR", "VEC3", type_float, 4, times, 4, moves);
	AssertMovedBy(&asset, 0.5, 0.5);
	AssertMovedBy(&asset, 1, 5);
	AssertMovedBy(&asset, 1.5, 5.5);
	ioAsset_Free(&asset);
}

static void finds_clips_by_name_and_number(void** state)
{
	(void)state;
	Gltf g = { .counts = { 0 } };
	static const float zeros[3] = { 0, 0, 0 };
	Gltf_AddMesh(&g, 3, quad, 0, NULL, NULL, NULL, NULL);
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	int a = Gltf_AddArray(&g, "SCALAR", type_float, false, 1, zeros);
	int b = Gltf_AddArray(&g, "VEC3", type_float, false, 1, zeros);
	const char* names[] = { "'name':'Walk',", "'name':'2',", "" };
	for (int i = 0; i < 3; ++i)
	{
		Gltf_Add(&g, "animations",
		    "{%s'samplers':[{'input':%d,'output':%d}],'channels':[{'sampler':0,'target':{"
		    "'node':0,'path':'scale'}}]}",
		    names[i], a, b);
	}
	ioAsset asset = Load(&g);
	assert_int_equal(ioAsset_FindClip(&asset, "Walk"), 0);
	assert_int_equal(ioAsset_FindClip(&asset, "0"), 0);
	assert_int_equal(ioAsset_FindClip(&asset, "2"), 1); // names first
	assert_int_equal(ioAsset_FindClip(&asset, "1"), 1);
	assert_int_equal(ioAsset_FindClip(&asset, "3"), IO_NONE);
	assert_int_equal(ioAsset_FindClip(&asset, "walk"), IO_NONE);
	assert_int_equal(ioAsset_FindClip(&asset, ""), IO_NONE);
	assert_int_equal(ioAsset_FindClip(&asset, "99999999999999999999"), IO_NONE);
	ioAsset_Free(&asset);
}

// --- Containers ---------------------------------------------------------------------------------------------------

static void WriteFile(const char* path, const void* data, size_t count)
{
	FILE* file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
}

static void buffers_may_be_inside_the_json_or_beside_it(void** state)
{
	(void)state;
	static const char* const uris[] = { "data:", "test_io%20gltf.bin", "./test_io gltf.bin", NULL };
	for (int i = 0; i < 4; ++i)
	{
		Gltf g = { .counts = { 0 } };
		Gltf_AddMesh(&g, 4, quad, 6, quadIndices, NULL, NULL, NULL);
		Gltf_Add(&g, "nodes", "{'mesh':0}");
		Gltf_AddView(&g, quad, (size_t)(i + 1), 0); // any number of bytes, for base64
		Bytes file = Gltf_Make(&g, uris[i]);
		WriteFile("test_io gltf.bin", g.binary.data, g.binary.count);
		WriteFile("test_io_gltf.tmp", file.data, file.count);
		ioAsset asset;
		ioError error;
		if (!ioLoad("./test_io_gltf.tmp", NULL, &asset, &error)) // known by its content
		{
			fail_msg("%s", error.text);
		}
		assert_memory_equal(asset.meshes[0].mesh.positions, quad, sizeof(quad));
		ioAsset_Free(&asset);
		ioLoadOptions options = { .directory = "." };
		assert_true(ioLoadMemory(file.data, file.count, "x", &options, &asset, &error));
		ioAsset_Free(&asset);
		remove("test_io gltf.bin");
		remove("test_io_gltf.tmp");
		Bytes_Free(&file);
		Gltf_Free(&g);
	}
}

// Several buffers may be one file, which is read once; what it lacks is told.
static void buffers_may_share_a_file(void** state)
{
	(void)state;
	static const char text[] =
	    "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":48,\"uri\":\"test_io_shared.bin\"},"
	    "{\"byteLength\":36,\"uri\":\"./test_io_shared.bin\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},"
	    "{\"buffer\":1,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,"
	    "\"type\":\"VEC3\"},{\"bufferView\":1,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
	    "\"meshes\":[{\"name\":\"a\\u001bb\",\"primitives\":[{\"mode\":5,\"attributes\":{\"POSITION\":0}},"
	    "{\"attributes\":{\"POSITION\":1}}]}],\"nodes\":[{\"mesh\":0}]}";
	ioLoadOptions options = { .directory = "" };
	ioAsset asset;
	ioError error;
	WriteFile("test_io_shared.bin", quad, sizeof(quad));
	if (!ioLoadMemory(text, strlen(text), "f", &options, &asset, &error))
	{
		fail_msg("%s", error.text);
	}
	assert_memory_equal(asset.meshes[0].mesh.positions, quad, sizeof(quad));
	assert_memory_equal(asset.meshes[0].mesh.positions + 12, quad, 36);
	assert_string_equal(asset.instances[0].name, "a?b"); // nothing that a terminal would act upon
	ioAsset_Free(&asset);
	WriteFile("test_io_shared.bin", quad, sizeof(quad) - 1);
	assert_false(ioLoadMemory(text, strlen(text), "f", &options, &asset, &error));
	assert_string_equal(error.text, "f: buffers[0].uri: truncated: 47 bytes of 48");
	remove("test_io_shared.bin");
}

// Indices may be sparse as well.
static void reads_sparse_indices(void** state)
{
	(void)state;
	static const uint8_t base[6] = { 0, 0, 0, 0, 2, 3 }, places[2] = { 1, 2 }, values[2] = { 1, 2 };
	static const uint32_t expected[6] = { 0, 1, 2, 0, 2, 3 };
	Gltf g = { .counts = { 0 } };
	int p = Gltf_AddArray(&g, "VEC3", type_float, false, 4, quad);
	int b = Gltf_AddView(&g, base, 6, 0), i = Gltf_AddView(&g, places, 2, 0), v = Gltf_AddView(&g, values, 2, 0);
	int indices = Gltf_Add(&g, "accessors",
	    "{'bufferView':%d,'componentType':5121,'count':6,'type':'SCALAR','sparse':{'count':2,'indices':{'bufferView':%"
	    "d,"
	    "'componentType':5121},'values':{'bufferView':%d}}}",
	    b, i, v);
	Gltf_Add(&g, "meshes", "{'primitives':[{'attributes':{'POSITION':%d},'indices':%d}]}", p, indices);
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	ioAsset asset = Load(&g);
	AssertTriangles(&asset, 0, 2, expected);
	ioAsset_Free(&asset);
}

// --- The reference ------------------------------------------------------------------------------------------------

// An animation of one channel.
static void AddRandomAnimation(Gltf* g, uint32_t* seed, int node)
{
	static const char* const paths[] = { "translation", "rotation", "scale" };
	static const char* const interpolations[] = { "LINEAR", "STEP", "CUBICSPLINE" };
	int kind = (int)(NextRandom(seed) % 3), keys = 1 + (int)(NextRandom(seed) % 5), path = (int)(NextRandom(seed) % 3);
	float times[5], values[60];
	for (int i = 0; i < keys; ++i)
	{
		times[i] = (float)(i > 0 ? (double)times[i - 1] + RandomIn(seed, 0.01, 1) : RandomIn(seed, 0, 1));
	}
	for (int i = 0; i < 60; ++i)
	{
		values[i] = (float)RandomIn(seed, -1, 1);
	}
	int input = Gltf_AddArray(g, "SCALAR", type_float, false, keys, times);
	int count = keys * (kind == 2 ? 3 : 1);
	int output = Gltf_AddArray(g, path == 1 ? "VEC4" : "VEC3", type_float, false, count, values);
	Gltf_Add(g, "animations",
	    "{'samplers':[{'input':%d,'output':%d,'interpolation':'%s'}],'channels':[{'sampler':0,'target':{'node':%d,"
	    "'path':'%s'}}]}",
	    input, output, interpolations[kind], node, paths[path]);
}

// A chain and a bush of nodes with joints among them, moved in all ways.
static Gltf MakeRandomCharacter(uint32_t seed)
{
	Gltf g = { .counts = { 0 } };
	int nodeCount = 3 + (int)(NextRandom(&seed) % 6);
	uint8_t joints[16];
	float weights[16];
	for (int i = 0; i < 16; ++i)
	{
		joints[i] = (uint8_t)(NextRandom(&seed) % (uint32_t)nodeCount);
		weights[i] = (float)RandomIn(&seed, 0.1, 1);
	}
	for (int v = 0; v < 4; ++v)
	{
		float sum = weights[4 * v] + weights[4 * v + 1] + weights[4 * v + 2] + weights[4 * v + 3];
		for (int k = 0; k < 4; ++k)
		{
			weights[4 * v + k] /= sum;
		}
	}
	AddSkinned(&g, joints, weights, NULL);
	Bytes list = { NULL, 0, 0 };
	for (int i = 0; i < nodeCount; ++i)
	{
		double q[4] = { RandomIn(&seed, -1, 1), RandomIn(&seed, -1, 1), RandomIn(&seed, -1, 1), 0.5 };
		double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
		char children[32] = "";
		if (i + 1 < nodeCount && i % 3 != 2)
		{
			snprintf(children, sizeof(children), ",'children':[%d]", i + 1);
		}
		Gltf_Add(&g, "nodes",
		    "{'mesh':0%s,'translation':[%.9g,%.9g,%.9g],'rotation':[%.17g,%.17g,%.17g,%.17g],'scale':["
		    "%.9g,%.9g,%.9g]%s}",
		    i % 2 == 0 ? ",'skin':0" : "", RandomIn(&seed, -2, 2), RandomIn(&seed, -2, 2), RandomIn(&seed, -2, 2),
		    q[0] / length, q[1] / length, q[2] / length, q[3] / length, RandomIn(&seed, -2, 2), RandomIn(&seed, 0.5, 2),
		    RandomIn(&seed, 0.5, 2), children);
		Bytes_Print(&list, "%s%d", i > 0 ? "," : "", i);
	}
	Gltf_Add(&g, "skins", "{'joints':[%s]}", (const char*)list.data);
	Bytes_Free(&list);
	for (int i = 0; i < nodeCount; ++i)
	{
		AddRandomAnimation(&g, &seed, i);
	}
	return g;
}

static void random_characters_match_the_reference(void** state)
{
	(void)state;
	int cases = (int)(200 * TestScale()) + 1;
	for (uint32_t seed = 1; seed <= (uint32_t)cases; ++seed)
	{
		Gltf g = MakeRandomCharacter(seed * 2654435761u);
		ioAsset asset = Load(&g);
		double worst = CompareWithReference(&asset);
		if (!(worst < 1e-6))
		{
			fail_msg("seed %u: off by %g of the size", seed, worst);
		}
		ioAsset_Free(&asset);
	}
}

static void the_sample_matches_the_reference(void** state)
{
	(void)state;
	Sample samples[32];
	int count = MakeSamples(samples);
	for (int i = 0; i < count; ++i)
	{
		ioAsset asset;
		ioError error;
		if (strcmp(samples[i].format, "gltf") == 0)
		{
			assert_true(
			    ioLoadMemory(samples[i].bytes.data, samples[i].bytes.count, samples[i].name, NULL, &asset, &error));
			assert_true(CompareWithReference(&asset) < 1e-6);
			ioAsset_Free(&asset);
		}
		Bytes_Free(&samples[i].bytes);
	}
}

// A quad, moved and scaled.
static void AssertQuadAt(
    const ioAsset* asset, uint32_t clip, double time, uint32_t instance, const double at[3], double scale)
{
	double expected[12];
	for (int i = 0; i < 12; ++i)
	{
		expected[i] = scale * (double)quad[i] + at[i % 3];
	}
	AssertPosed(asset, clip, time, instance, 4, expected);
}

static void makes_the_copies_of_gpu_instancing(void** state)
{
	(void)state;
	static const float moves[9] = { 1, 0, 0, 0, 2, 0, 0, 0, 3 }, scales[9] = { 1, 1, 1, 2, 2, 2, 3, 3, 3 };
	Gltf g = { .counts = { 0 } };
	Gltf_AddMesh(&g, 4, quad, 6, quadIndices, NULL, NULL, NULL);
	int t = Gltf_AddArray(&g, "VEC3", type_float, false, 3, moves);
	int s = Gltf_AddArray(&g, "VEC3", type_float, false, 3, scales);
	Gltf_Add(&g, "nodes",
	    "{'mesh':0,'name':'tree','translation':[10,0,0],'extensions':{'EXT_mesh_gpu_instancing':{'attributes':"
	    "{'TRANSLATION':%d,'SCALE':%d}}}}",
	    t, s);
	Gltf_Add(&g, "nodes", "{'mesh':0,'name':'alone'}");
	Gltf_Add(&g, "extensionsUsed", "'EXT_mesh_gpu_instancing'");
	Gltf_Add(&g, "extensionsRequired", "'EXT_mesh_gpu_instancing'");
	ioAsset asset = Load(&g);
	assert_int_equal(asset.instanceCount, 4);
	assert_string_equal(asset.instances[0].name, "alone");
	assert_string_equal(asset.instances[1].name, "tree #0");
	for (uint32_t i = 0; i < 3; ++i)
	{
		double at[3] = { 10 + (double)moves[3 * i], (double)moves[3 * i + 1], (double)moves[3 * i + 2] };
		AssertQuadAt(&asset, IO_NONE, 0, i + 1, at, (double)scales[3 * i]);
	}
	ioAsset_Free(&asset);
}

static void leaves_out_hidden_nodes(void** state)
{
	(void)state;
	Gltf g = { .counts = { 0 } };
	Gltf_AddMesh(&g, 4, quad, 6, quadIndices, NULL, NULL, NULL);
	Gltf_Add(&g, "nodes", "{'mesh':0,'children':[1],'extensions':{'KHR_node_visibility':{'visible':false}}}");
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	Gltf_Add(&g, "nodes", "{'mesh':0,'name':'shown','extensions':{'KHR_node_visibility':{'visible':true}}}");
	ioAsset asset = Load(&g);
	assert_int_equal(asset.instanceCount, 1);
	assert_string_equal(asset.instances[0].name, "shown");
	ioAsset_Free(&asset);
}

// A clip that moves a quad along x from `times[0]` on, by a target.
static ioAsset LoadMoved(const float times[2], const char* node, const char* targets, Warnings* warnings)
{
	static const float moves[6] = { 0, 0, 0, 4, 0, 0 };
	Gltf g = { .counts = { 0 } };
	Gltf_AddMesh(&g, 4, quad, 6, quadIndices, NULL, NULL, NULL);
	int a = Gltf_AddArray(&g, "SCALAR", type_float, false, 2, times);
	int b = Gltf_AddArray(&g, "VEC3", type_float, false, 2, moves);
	Gltf_Add(&g, "nodes", "{'mesh':0%s}", node);
	Gltf_Add(&g, "animations", "{'samplers':[{'input':%d,'output':%d}],'channels':[%s]}", a, b, targets);
	return LoadWarned(&g, warnings);
}

#define MOVE "{'sampler':0,'target':{'node':0,'path':'translation'}}"

static void follows_pointers_to_nodes(void** state)
{
	(void)state;
	static const float times[2] = { 0, 2 };
	static const double half[3] = { 2, 0, 0 };
	Warnings warnings;
	ioAsset asset = LoadMoved(times, "",
	    "{'sampler':0,'target':{'path':'pointer','extensions':{'KHR_animation_pointer':{'pointer':"
	    "'/nodes/0/translation'}}}},{'sampler':0,'target':{'path':'pointer','extensions':{'KHR_animation_pointer':"
	    "{'pointer':'/materials/0/emissiveFactor'}}}}",
	    &warnings);
	assert_int_equal(warnings.count, 0);
	assert_int_equal(asset.clips[0].channelCount, 1);
	AssertQuadAt(&asset, 0, 1, 0, half, 1);
	ioAsset_Free(&asset);
}

// Against the specification, but clear.
static void reads_what_is_clear(void** state)
{
	(void)state;
	static const float times[2] = { 0, 2 }, early[2] = { -2, 2 };
	static const double half[3] = { 2, 0, 0 };
	Warnings warnings;
	ioAsset asset = LoadMoved(early, "", MOVE, &warnings);
	assert_int_equal(warnings.count, 1);
	assert_non_null(strstr(warnings.last, "the first time is negative: -2"));
	AssertQuadAt(&asset, 0, 0, 0, half, 1);
	assert_true(asset.clips[0].start == -2.0);
	ioAsset_Free(&asset);

	asset = LoadMoved(times, ",'matrix':[0,3,0,0,-3,0,0,0,0,0,3,0,7,8,9,1]", MOVE, &warnings);
	assert_int_equal(warnings.count, 1);
	assert_non_null(strstr(warnings.last, "taken apart"));
	double expected[12];
	for (int i = 0; i < 4; ++i)
	{
		expected[3 * i] = -3 * (double)quad[3 * i + 1] + 2;
		expected[3 * i + 1] = 3 * (double)quad[3 * i];
		expected[3 * i + 2] = 3 * (double)quad[3 * i + 2];
	}
	AssertPosed(&asset, 0, 1, 0, 4, expected);
	ioAsset_Free(&asset);

	asset = LoadMoved(times, "", MOVE "," MOVE, &warnings);
	assert_int_equal(warnings.count, 1);
	AssertQuadAt(&asset, 0, 1, 0, half, 1);
	ioAsset_Free(&asset);

	asset = LoadMoved(times, ",'children':[]", MOVE, &warnings);
	assert_int_equal(warnings.count, 1);
	assert_non_null(strstr(warnings.last, "nodes[0].children: an empty array"));
	ioAsset_Free(&asset);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_triangles_of_every_mode),
		cmocka_unit_test(reads_indices_of_every_width),
		cmocka_unit_test(joins_primitives_in_order_and_leaves_out_lines),
		cmocka_unit_test(reads_interleaved_and_offset_accessors),
		cmocka_unit_test(reads_sparse_accessors),
		cmocka_unit_test(reads_quantized_positions_with_the_extension_only),
		cmocka_unit_test(places_instances_by_their_nodes),
		cmocka_unit_test(takes_the_default_scene_or_all),
		cmocka_unit_test(skins_by_joints_and_ignores_the_mesh_node),
		cmocka_unit_test(reads_any_number_of_sets_and_normalized_weights),
		cmocka_unit_test(repairs_weights),
		cmocka_unit_test(morphs_before_skinning),
		cmocka_unit_test(interpolates_translations),
		cmocka_unit_test(interpolates_rotations_the_shorter_way),
		cmocka_unit_test(interpolates_scales_and_weights),
		cmocka_unit_test(two_keys_at_one_time_make_a_jump),
		cmocka_unit_test(finds_clips_by_name_and_number),
		cmocka_unit_test(buffers_may_be_inside_the_json_or_beside_it),
		cmocka_unit_test(buffers_may_share_a_file),
		cmocka_unit_test(reads_sparse_indices),
		cmocka_unit_test(random_characters_match_the_reference),
		cmocka_unit_test(the_sample_matches_the_reference),
		cmocka_unit_test(makes_the_copies_of_gpu_instancing),
		cmocka_unit_test(leaves_out_hidden_nodes),
		cmocka_unit_test(follows_pointers_to_nodes),
		cmocka_unit_test(reads_what_is_clear),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
