// test/io/test_io_gltf.c: what the glTF reader makes of meshes, nodes, scenes and files, against values worked out by
// hand. What moves is in test_io_gltf_motion.c.
#include "test_io_gltf.h"

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

// --- Containers ---------------------------------------------------------------------------------------------------

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

// --- Extensions ---------------------------------------------------------------------------------------------------

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

// Copies are turned, moved and scaled below their node, whatever that has itself: a matrix, or a translation, a
// rotation and a scale; what the extension does not say is nothing. Rotations may be integers, or not of length 1.
static void copies_start_from_nothing_of_their_node(void** state)
{
	(void)state;
	static const int16_t turns[8] = { 0, 0, 32767, 32767, 0, 0, 0, -32767 };
	static const float moves[6] = { 0, 0, 5, 0, 0, 6 }, scales[6] = { 2, 3, 4, 5, 6, 7 };
	static const char* const nodes[2] = { "'matrix':[0,2,0,0,-2,0,0,0,0,0,2,0,7,8,9,1]",
		"'translation':[7,8,9],'rotation':[0,0,0.7071067811865476,0.7071067811865476],'scale':[2,2,2]" };
	static const char* const attributes[3] = { "'TRANSLATION':%d", "'ROTATION':%d", "'SCALE':%d" };
	for (int n = 0; n < 6; ++n)
	{
		Gltf g = { .counts = { 0 } };
		Gltf_AddMesh(&g, 4, corner, 6, quadIndices, NULL, NULL, NULL);
		int part = n / 2, a = part == 1 ? Gltf_AddArray(&g, "VEC4", type_int16, true, 2, turns)
		                                : Gltf_AddArray(&g, "VEC3", type_float, false, 2, part == 0 ? moves : scales);
		char attribute[32];
		snprintf(attribute, sizeof(attribute), attributes[part], a);
		Gltf_Add(&g, "nodes", "{'mesh':0,%s,'extensions':{'EXT_mesh_gpu_instancing':{'attributes':{%s}}}}",
		    nodes[n % 2], attribute);
		ioAsset asset = Load(&g);
		assert_int_equal(asset.instanceCount, 2);
		for (int i = 0; i < 2; ++i)
		{
			double expected[12];
			for (int v = 0; v < 4; ++v)
			{
				double x = (double)corner[3 * v], y = (double)corner[3 * v + 1], z = (double)corner[3 * v + 2];
				double copy[3] = { x, y, z };
				for (int k = 0; k < 3; ++k)
				{
					copy[k] += part == 0 ? (double)moves[3 * i + k] : 0.0;
					copy[k] *= part == 2 ? (double)scales[3 * i + k] : 1.0;
				}
				if (part == 1 && i == 0) // a quarter turn about z; the other is none
				{
					copy[0] = -y;
					copy[1] = x;
				}
				const double placed[3] = { 7 - 2 * copy[1], 8 + 2 * copy[0], 9 + 2 * copy[2] };
				memcpy(expected + 3 * v, placed, sizeof(placed));
			}
			AssertPosed(&asset, IO_NONE, 0, (uint32_t)i, 4, expected);
		}
		ioAsset_Free(&asset);
	}
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
		cmocka_unit_test(buffers_may_be_inside_the_json_or_beside_it),
		cmocka_unit_test(buffers_may_share_a_file),
		cmocka_unit_test(reads_sparse_indices),
		cmocka_unit_test(makes_the_copies_of_gpu_instancing),
		cmocka_unit_test(copies_start_from_nothing_of_their_node),
		cmocka_unit_test(leaves_out_hidden_nodes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
