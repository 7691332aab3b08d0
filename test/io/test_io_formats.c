// test/io/test_io_formats.c: PLY, STL, OFF and OBJ into assets, and how a file's format is told.
#include "test_io.h"

#include <math.h>

static void AssertMesh(
    const ioAsset* asset, int vertexCount, const float* positions, int triangleCount, const uint32_t* triangles)
{
	const ioMesh* mesh = &asset->meshes[0].mesh;
	assert_int_equal(asset->meshCount, 1);
	assert_int_equal(asset->nodeCount, 1);
	assert_int_equal(asset->instanceCount, 1);
	assert_int_equal(asset->instances[0].skin, IO_NONE);
	assert_int_equal(mesh->vertexCount, vertexCount);
	assert_int_equal(mesh->triangleCount, triangleCount);
	for (int i = 0; i < 3 * vertexCount; ++i)
	{
		assert_true(mesh->positions[i] == positions[i]);
	}
	assert_memory_equal(mesh->triangles, triangles, (size_t)triangleCount * 12);
	// A pose of it is itself.
	float posed[64];
	ioPose* pose = ioPose_Create(asset);
	assert_true(ioPose_EvaluateVertices(pose, 0, posed));
	assert_memory_equal(posed, mesh->positions, (size_t)vertexCount * 12);
	ioPose_Destroy(pose);
}

// Load a sample from memory and, the same, from a file.
static ioAsset LoadSample(const char* name)
{
	Sample samples[32];
	int count = MakeSamples(samples);
	ioAsset asset = { .format = NULL };
	ioError error;
	for (int i = 0; i < count; ++i)
	{
		if (strcmp(samples[i].name, name) == 0)
		{
			WriteFile(name, samples[i].bytes.data, samples[i].bytes.count);
			if (!ioLoad(name, NULL, &asset, &error))
			{
				fail_msg("%s", error.text);
			}
			remove(name);
		}
		Bytes_Free(&samples[i].bytes);
	}
	assert_non_null(asset.format);
	return asset;
}

static void reads_ply(void** state)
{
	(void)state;
	static const char* const names[] = { "little.ply", "big.ply", "double.ply", "big_double.ply" };
	static const float tenth[12] = { 0, 0, 0, 0.1f, 0, 0, 0.1f, 0.1f, 0, 0, 0.1f, 0 };
	static const uint32_t triangles[9] = { 0, 1, 2, 0, 2, 3, 3, 2, 1 };
	for (int i = 0; i < 4; ++i)
	{
		ioAsset asset = LoadSample(names[i]);
		AssertMesh(&asset, 4, tenth, 3, triangles);
		assert_string_equal(asset.format, "PLY");
		ioAsset_Free(&asset);
	}
	static const float ascii[12] = { 0, 0, 0.1f, 1, 0, -0.0025f, 1, 1, 0, 0, 1, 0 };
	static const uint32_t asciiTriangles[9] = { 0, 1, 2, 0, 2, 3, 0, 2, 3 };
	ioAsset asset = LoadSample("ascii.ply");
	AssertMesh(&asset, 4, ascii, 3, asciiTriangles);
	assert_string_equal(asset.instances[0].name, "ascii");
	ioAsset_Free(&asset);
}

static void reads_stl(void** state)
{
	(void)state;
	static const float ascii[18] = { 0, 0, 0, 1, 0, 0, 1, 1, 0.5f, 0, 0, 0, 1, 1, 0.5f, 0, 1, 0 };
	static const float binary[18] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0 };
	static const uint32_t triangles[6] = { 0, 1, 2, 3, 4, 5 };
	ioAsset asset = LoadSample("ascii.stl");
	AssertMesh(&asset, 6, ascii, 2, triangles);
	ioAsset_Free(&asset);
	asset = LoadSample("binary.stl"); // one that begins with "solid"
	AssertMesh(&asset, 6, binary, 2, triangles);
	ioAsset_Free(&asset);
}

static void reads_off(void** state)
{
	(void)state;
	static const float quad[12] = { 0, 0, 0, 1, 0, 0, 1, 1, 0.5f, 0, 1, 0 };
	static const float triangle[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
	static const uint32_t triangles[9] = { 0, 1, 2, 0, 2, 3, 0, 2, 3 };
	ioAsset asset = LoadSample("quad.off");
	AssertMesh(&asset, 4, quad, 3, triangles);
	ioAsset_Free(&asset);
	asset = LoadSample("colours.off");
	AssertMesh(&asset, 3, triangle, 1, triangles);
	ioAsset_Free(&asset);
	asset = LoadSample("bare.off");
	AssertMesh(&asset, 3, triangle, 1, triangles);
	ioAsset_Free(&asset);
}

static void reads_obj(void** state)
{
	(void)state;
	static const float quad[12] = { 0, 0, 0, 1.5f, 0, 0, 1, 1, 0, 0, 1, 0 };
	static const uint32_t triangles[9] = { 0, 1, 2, 0, 2, 3, 3, 2, 1 };
	ioAsset asset = LoadSample("quad.obj");
	AssertMesh(&asset, 4, quad, 3, triangles);
	assert_string_equal(asset.format, "OBJ");
	assert_string_equal(asset.meshes[0].name, "quad");
	ioAsset_Free(&asset);
}

// Content decides where it is unmistakable.
static void content_wins_over_the_name(void** state)
{
	(void)state;
	Sample samples[32];
	int count = MakeSamples(samples);
	for (int i = 0; i < count; ++i)
	{
		ioAsset asset;
		ioError error;
		bool obvious = strcmp(samples[i].format, "obj") != 0 && strcmp(samples[i].format, "stl") != 0 &&
		               strcmp(samples[i].name, "bare.off") != 0;
		if (obvious && !ioLoadMemory(samples[i].bytes.data, samples[i].bytes.count, "x.stl", NULL, &asset, &error))
		{
			fail_msg("%s: %s", samples[i].name, error.text);
		}
		if (obvious)
		{
			ioAsset_Free(&asset);
		}
		Bytes_Free(&samples[i].bytes);
	}
}

#define PLY "ply\nformat ascii 1.0\n"
#define VERTICES "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define FACES "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
#define POINTS "0 0 0\n1 0 0\n0 1 0\n"

static const char* const messages[][3] = {
	{ "a.ply", "ply\n", "a.ply:2: truncated: 'end_header' expected" },
	{ "a.ply", "plx\n", "a.ply:1: not a PLY file" },
	{ "a.ply", "ply\nformat ascii 2.0\n", "a.ply:2: 'ascii' is not a format of PLY 1.0" },
	{ "a.ply", "ply\nformat middle_endian 1.0\n", "a.ply:2: 'middle_endian' is not a format of PLY 1.0" },
	{ "a.ply", "ply\nformat ascii\n", "a.ply:2: a version expected" },
	{ "a.ply", PLY "sphere 3\n", "a.ply:3: 'sphere' is unknown" },
	{ "a.ply", PLY "property float x\n", "a.ply:3: a property before the first element" },
	{ "a.ply", PLY "element vertex -3\n", "a.ply:3: '-3' is not a number of elements" },
	{ "a.ply", PLY "element vertex 4294967296\n", "a.ply:3: '4294967296' is not a number of elements" },
	{ "a.ply", PLY "element vertex 99999999999999999999\n",
	    "a.ply:3: '99999999999999999999' is not a number of elements" },
	{ "a.ply", PLY "element vertex 3\nproperty real x\n", "a.ply:4: 'real' is not a type" },
	{ "a.ply", PLY VERTICES "element vertex 3\n", "a.ply:7: a second element 'vertex'" },
	{ "a.ply", PLY VERTICES "property float x\n", "a.ply:7: a second property 'x'" },
	{ "a.ply", PLY VERTICES "element face 1\nproperty list float int vertex_indices\n",
	    "a.ply:8: 'vertex_indices': list lengths and vertex numbers must be whole numbers" },
	{ "a.ply", PLY VERTICES "element face 1\nproperty list uchar float vertex_index\n",
	    "a.ply:8: 'vertex_index': list lengths and vertex numbers must be whole numbers" },
	{ "a.ply", "ply\nend_header\n", "a.ply: the header has no format" },
	{ "a.ply", PLY "end_header\n", "a.ply: no vertices" },
	{ "a.ply", PLY VERTICES "end_header\n" POINTS, "a.ply: no faces: a cloud of points?" },
	{ "a.ply", PLY "element vertex 3\nproperty float x\n" FACES, "a.ply: vertices have no x, y and z" },
	{ "a.ply", PLY VERTICES "element face 1\nproperty int a\nend_header\n", "a.ply: faces have no vertex_indices" },
	{ "a.ply", PLY VERTICES FACES POINTS "3 0 1 3\n", "a.ply:13: face 0: vertex number 3 is out of range: 3 vertices" },
	{ "a.ply", PLY VERTICES FACES POINTS "3 0 1 -1\n",
	    "a.ply:13: face 0: vertex number -1 is out of range: 3 vertices" },
	{ "a.ply", PLY VERTICES FACES POINTS "2 0 1 1\n", "a.ply:13: a face needs three corners, face 0 has 2" },
	{ "a.ply", PLY VERTICES FACES POINTS "4 0 1 2\n", "a.ply:14: truncated: a number expected" },
	{ "a.ply", PLY VERTICES FACES POINTS "-3 0 1 2\n", "a.ply:13: a list of -3 values" },
	{ "a.ply", PLY VERTICES FACES POINTS "3 0 1 x\n", "a.ply:13: 'x' is not a whole number" },
	{ "a.ply", PLY VERTICES FACES "0 0 nan\n" POINTS, "a.ply:10: 'nan' is not a finite number" },
	{ "a.ply", PLY VERTICES FACES "0 0 1e99\n" POINTS, "a.ply:10: '1e99' is not a finite number" },
	{ "a.ply", PLY VERTICES FACES "0 0\n", "a.ply: truncated: 3 elements do not fit into the 4 bytes that are left" },
	{ "a.ply", PLY "element vertex 400000000\nproperty float x\nproperty float y\nproperty float z\n" FACES POINTS,
	    "a.ply: truncated: 400000000 elements do not fit into the 18 bytes that are left" },
	{ "a.ply", PLY VERTICES "element face 0\nproperty list uchar int vertex_indices\nend_header\n" POINTS,
	    "a.ply: no faces" },
	{ "a.ply", "ply\nformat binary_little_endian 1.0\n" VERTICES FACES POINTS POINTS,
	    "a.ply: truncated: 1 elements do not fit into the 0 bytes that are left" },
	{ "a.stl", "short", "a.stl: truncated: 5 bytes, and a binary STL file has 84 at least" },
	{ "a.stl", "solid x\nfacet\nouter loop\nvertex 0 0\n", "a.stl:5: a vertex needs three numbers, this one has 2" },
	{ "a.stl", "solid x\nfacet\nouter loop\nvertex 0 0 inf\n", "a.stl:4: 'inf' is not a finite number" },
	{ "a.stl", "solid x\nfacet\nvertex 0 0 0\n", "a.stl:3: 'outer' expected, not 'vertex'" },
	{ "a.stl", "solid x\nfacet\nouter loop\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\n",
	    "a.stl:7: 'endloop' expected, not 'vertex'" },
	{ "a.stl", "solid x\nfacet\nouter", "a.stl:3: truncated: 'loop' expected" },
	{ "a.stl", "solid x\n", "a.stl:2: truncated: 'endsolid' expected" },
	{ "a.stl", "solid x\nendsolid x\n", "a.stl: no triangles" },
	{ "a.stl", "solid x\nloop\n", "a.stl:2: 'facet' or 'endsolid' expected, not 'loop'" },
	{ "a.stl", "solid x\nendsolid\nfacet\n", "a.stl:3: 'solid' expected, not 'facet'" },
	{ "a.off", "OFF\n", "a.off:2: the numbers of vertices and faces are missing" },
	{ "a.off", "OFF\n3\n", "a.off:2: the numbers of vertices and faces are missing" },
	{ "a.off", "OFF\n3 x 0\n", "a.off:2: 'x' is not a number of vertices or faces" },
	{ "a.off", "OFF BINARY\n", "a.off:1: binary OFF files are not supported" },
	{ "a.off", "4OFF\n3 1 0\n", "a.off:1: '4OFF': not a kind of OFF file that is known" },
	{ "a.off", "nOFF\n3 1 0\n", "a.off:1: 'nOFF': not a kind of OFF file that is known" },
	{ "a.off", "OFF 400000000 1 0\n", "a.off: truncated: 400000000 vertices and 1 faces do not fit into 0 bytes" },
	{ "a.off", "OFF 3 1 0\n0 0 0\n1 0 0\n0 1\n3 0 1 2\n", "a.off:4: a vertex needs three numbers, this one has 2" },
	{ "a.off", "OFF 3 1 0\n0 0 0\n1 0 0\n         ", "a.off:4: truncated: 2 of 3 vertices" },
	{ "a.off", "OFF 3 1 0\n" POINTS "       ", "a.off:5: truncated: 0 of 1 faces" },
	{ "a.off", "OFF 3 1 0\n" POINTS "2 0 1\n", "a.off:5: a face needs three corners, this one has '2'" },
	{ "a.off", "OFF 3 1 0\n" POINTS "3 0 1 3\n", "a.off:5: vertex number 3 is out of range: 3 vertices" },
	{ "a.off", "OFF 3 1 0\n" POINTS "3 0 1 -2\n", "a.off:5: '-2' is not a vertex number" },
	{ "a.off", "OFF 3 1 0\n" POINTS "4 0 1 2\n", "a.off:5: the face has fewer corners than it says" },
	{ "a.off", "OFF 3 0 0\n" POINTS, "a.off: no faces" },
	{ "a.off", "OFF 3 1 0\n0 0 0\n1 0 \x1b[31m\n0 1 0\n3 0 1 2\n", "a.off:3: '?[31m' is not a finite number" },
	{ "a.obj", "v 0 0 0\n", "a.obj: OBJ is read from files, not from memory" },
	{ "a.dae", "<COLLADA>", "a.dae: COLLADA files are not read: nothing checks their poses; export glTF or FBX" },
	{ "a.USDz", "PK", "a.USDz: USD is checked by python3 -m snugmesh.usd 'a.USDz', after pip install 'snugmesh[usd]'" },
	{ "a.usda", "#usda",
	    "a.usda: USD is checked by python3 -m snugmesh.usd 'a.usda', after pip install 'snugmesh[usd]'" },
	{ "a.abc", "Ogawa", "a.abc: Alembic files are not read: let Blender make USD of it, and see docs/usd.md" },
	{ "a.xyz", "v 0 0 0\n", "a.xyz: unknown kind of file; known are .gltf, .glb, .fbx, .obj, .ply, .stl and .off" },
};

static void every_error_names_its_place(void** state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); ++i)
	{
		ioAsset asset;
		ioError error;
		const char* text = messages[i][1];
		if (ioLoadMemory(text, strlen(text), messages[i][0], NULL, &asset, &error))
		{
			fail_msg("loaded, instead of '%s'", messages[i][2]);
		}
		assert_string_equal(error.text, messages[i][2]);
		assert_null(asset.blocks);
	}
}

static void refuses_what_is_not_finite_in_binary(void** state)
{
	(void)state;
	Sample samples[32];
	int count = MakeSamples(samples);
	for (int i = 0; i < count; ++i)
	{
		static const uint8_t nan[4] = { 0, 0, 0xc0, 0x7f };
		Bytes* b = &samples[i].bytes;
		ioAsset asset;
		ioError error;
		if (strcmp(samples[i].name, "binary.stl") == 0)
		{
			memcpy(b->data + 84 + 50 + 12 + 16, nan, 4);
			assert_false(ioLoadMemory(b->data, b->count, "a.stl", NULL, &asset, &error));
			assert_string_equal(error.text, "a.stl: triangle 1: corner 1 is not finite");
			assert_false(ioLoadMemory(b->data, b->count - 1, "a.stl", NULL, &asset, &error));
			assert_string_equal(error.text, "a.stl:1: truncated: 'endsolid' expected"); // it says solid
			b->data[0] = 'S' + 1;
			assert_false(ioLoadMemory(b->data, b->count - 1, "a.stl", NULL, &asset, &error));
			assert_string_equal(error.text, "a.stl: truncated: 1 of 2 triangles, or not an STL file");
		}
		if (strcmp(samples[i].name, "little.ply") == 0)
		{
			uint8_t* header = (uint8_t*)strstr((char*)b->data, "end_header\n") + 11;
			memcpy(header + 13 + 1 + 4, nan, 4);
			assert_false(ioLoadMemory(b->data, b->count, "a.ply", NULL, &asset, &error));
			assert_string_equal(error.text, "a.ply: vertex 1 is not finite");
		}
		Bytes_Free(b);
	}
}

// Elements of no size may be as many as they like.
static void counts_of_nothing_take_no_time(void** state)
{
	(void)state;
	const char* text = PLY "element nothing 1000000000000000000\n" VERTICES FACES POINTS "3 0 1 2\n";
	ioAsset asset;
	ioError error;
	assert_true(ioLoadMemory(text, strlen(text), "a.ply", NULL, &asset, &error));
	ioAsset_Free(&asset);
}

static void unknown_files_say_what_is_known(void** state)
{
	(void)state;
	ioAsset asset;
	ioError error;
	assert_false(ioLoadMemory("<COLLADA>", 9, "a.dae", NULL, &asset, &error));
	assert_non_null(strstr(error.text, "a.dae: COLLADA files are not read"));
	assert_false(ioLoadMemory("hello", 5, "a.txt", NULL, &asset, &error));
	assert_string_equal(
	    error.text, "a.txt: unknown kind of file; known are .gltf, .glb, .fbx, .obj, .ply, .stl and .off");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_ply),
		cmocka_unit_test(reads_stl),
		cmocka_unit_test(reads_off),
		cmocka_unit_test(reads_obj),
		cmocka_unit_test(content_wins_over_the_name),
		cmocka_unit_test(every_error_names_its_place),
		cmocka_unit_test(refuses_what_is_not_finite_in_binary),
		cmocka_unit_test(counts_of_nothing_take_no_time),
		cmocka_unit_test(unknown_files_say_what_is_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
