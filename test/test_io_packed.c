// test/test_io_packed.c: compressed glTF files, where snug was built with what decodes them: one library or both. They
// compress what is then read; the oracle is the file before.
#include "test_io.h"

#if SNUG_TEST_MESHOPT
#include <meshoptimizer.h>
#endif
#if SNUG_TEST_DRACO
#include "packed_files.h"
#endif

static const float positions[12] = { 0, 0, 0, 1.25f, 0, 0, 1, 1.5f, -2, 0, 1, 0.1f };
static const uint16_t indices[6] = { 0, 1, 2, 0, 2, 3 };

static void AssertSame(const ioAsset* asset)
{
	const ioMesh* mesh = &asset->meshes[0].mesh;
	assert_int_equal(mesh->vertexCount, 4);
	assert_int_equal(mesh->triangleCount, 2);
	assert_memory_equal(mesh->positions, positions, sizeof(positions));
	for (int i = 0; i < 6; ++i)
	{
		assert_int_equal(mesh->triangles[i], indices[i]);
	}
}

static bool LoadBytes(Bytes bytes, ioAsset* asset, ioError* error)
{
	bool loaded = ioLoadMemory(bytes.data, bytes.count, "packed.glb", NULL, asset, error);
	Bytes_Free(&bytes);
	return loaded;
}

// ---- meshoptimizer ---------------------------------------------------------------------------------------------

#if SNUG_TEST_MESHOPT

static int AddPackedView(Gltf* g, const uint8_t* bytes, size_t count, int stride, int elements, const char* mode)
{
	int plain = Gltf_AddView(g, bytes, count, 0);
	// The view that is used names the bytes of the other one, which are the first or follow it, aligned to four.
	static size_t offset;
	offset = plain == 0 ? 0 : offset;
	int view = Gltf_Add(g, "bufferViews",
	    "{'buffer':0,'byteLength':%d,'extensions':{'EXT_meshopt_compression':{'buffer':0,'byteOffset':%zu,'byteLength':"
	    "%zu,"
	    "'byteStride':%d,'count':%d,'mode':'%s'}}}",
	    stride * elements, offset, count, stride, elements, mode);
	offset += (count + 3) & ~(size_t)3;
	return view;
}

static Bytes MakeMeshopt(uint32_t seed, uint32_t damages)
{
	uint8_t vertexBytes[512], indexBytes[512];
	size_t vertexCount = meshopt_encodeVertexBuffer(vertexBytes, sizeof(vertexBytes), positions, 4, 12);
	unsigned wide[6];
	for (int i = 0; i < 6; ++i)
	{
		wide[i] = indices[i];
	}
	size_t indexCount = meshopt_encodeIndexSequence(indexBytes, sizeof(indexBytes), wide, 6);
	for (uint32_t i = 0; i < damages; ++i)
	{
		uint8_t* bytes = NextRandom(&seed) % 2 == 0 ? vertexBytes : indexBytes;
		bytes[NextRandom(&seed) % (bytes == vertexBytes ? vertexCount : indexCount)] = (uint8_t)NextRandom(&seed);
	}
	Gltf g = { .counts = { 0 } };
	int vertexView = AddPackedView(&g, vertexBytes, vertexCount, 12, 4, "ATTRIBUTES");
	int indexView = AddPackedView(&g, indexBytes, indexCount, 2, 6, "INDICES");
	int p = Gltf_Add(&g, "accessors", "{'bufferView':%d,'componentType':5126,'count':4,'type':'VEC3'}", vertexView);
	int i = Gltf_Add(&g, "accessors", "{'bufferView':%d,'componentType':5123,'count':6,'type':'SCALAR'}", indexView);
	Gltf_Add(&g, "meshes", "{'primitives':[{'attributes':{'POSITION':%d},'indices':%d}]}", p, i);
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	Gltf_Add(&g, "extensionsRequired", "'EXT_meshopt_compression'");
	Bytes bytes = Gltf_Make(&g, NULL);
	Gltf_Free(&g);
	return bytes;
}

static void reads_meshopt(void** state)
{
	(void)state;
	ioAsset asset;
	ioError error;
	if (!LoadBytes(MakeMeshopt(1, 0), &asset, &error))
	{
		fail_msg("%s", error.text);
	}
	AssertSame(&asset);
	ioAsset_Free(&asset);
}

static void damaged_meshopt_does_no_harm(void** state)
{
	(void)state;
	int loaded = 0, cases = (int)(20000 * TestScale());
	for (int i = 0; i < cases; ++i)
	{
		ioAsset asset;
		ioError error;
		if (LoadBytes(MakeMeshopt((uint32_t)i + 1, 1 + (uint32_t)i % 4), &asset, &error))
		{
			++loaded;
			ioAsset_Free(&asset);
		}
	}
	assert_true(loaded < cases); // some are refused
}

#endif

// ---- Draco -----------------------------------------------------------------------------------------------------

#if SNUG_TEST_DRACO

// A sheet of 6 x 6 vertices, which Draco compresses in its other way, as files of the web are.
enum
{
	sheet_side = 6,
	sheet_vertices = sheet_side * sheet_side,
	sheet_indices = 6 * (sheet_side - 1) * (sheet_side - 1)
};

static void MakeSheet(float* places, uint16_t* corners)
{
	for (int i = 0; i < sheet_vertices; ++i)
	{
		const float place[3] = { (float)(i % sheet_side), (float)(i / sheet_side), (float)(i * i % 7) };
		memcpy(places + 3 * i, place, sizeof(place));
	}
	for (int i = 0; i < sheet_indices / 6; ++i)
	{
		int first = i / (sheet_side - 1) * sheet_side + i % (sheet_side - 1);
		const int cell[6] = { first, first + 1, first + sheet_side, first + sheet_side, first + 1,
			first + sheet_side + 1 };
		for (int k = 0; k < 6; ++k)
		{
			corners[6 * i + k] = (uint16_t)cell[k];
		}
	}
}

static size_t Pack(bool sheet, uint8_t* packed, size_t capacity)
{
	static const uint8_t joints[4 * sheet_vertices] = { 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0 };
	float places[3 * sheet_vertices];
	uint16_t corners[sheet_indices];
	MakeSheet(places, corners);
	size_t count = sheet ? PackDraco(true, sheet_vertices, places, joints, sheet_indices, corners, packed, capacity)
	                     : PackDraco(false, 4, positions, joints, 6, indices, packed, capacity);
	assert_true(count > 0);
	return count;
}

// Four vertices in order, or the sheet; some bytes changed, and every fourth damaged one cut short.
// @param more vertices that the file promises and does not have
static Bytes MakeDraco(bool sheet, uint32_t seed, uint32_t damages, int more)
{
	float ones[4 * sheet_vertices] = { 0 };
	uint8_t packed[4096];
	size_t count = Pack(sheet, packed, sizeof(packed));
	int vertexCount = (sheet ? sheet_vertices : 4) + more;
	for (uint32_t i = 0; i < damages; ++i)
	{
		packed[NextRandom(&seed) % count] = (uint8_t)NextRandom(&seed);
	}
	count -= damages > 0 && NextRandom(&seed) % 4 == 0 ? NextRandom(&seed) % count : 0;
	for (int i = 0; i < sheet_vertices; ++i)
	{
		ones[4 * i] = 1.0f;
	}
	Gltf g = { .counts = { 0 } };
	int view = Gltf_AddView(&g, packed, count, 0);
	int w = Gltf_AddArray(&g, "VEC4", type_float, false, sheet ? sheet_vertices : 4, ones);
	int p = Gltf_Add(&g, "accessors", "{'componentType':5126,'count':%d,'type':'VEC3'}", vertexCount);
	int j = Gltf_Add(&g, "accessors", "{'componentType':5121,'count':%d,'type':'VEC4'}", vertexCount);
	int i = Gltf_Add(&g, "accessors", "{'componentType':5123,'count':%d,'type':'SCALAR'}", sheet ? sheet_indices : 6);
	Gltf_Add(&g, "meshes",
	    "{'primitives':[{'attributes':{'POSITION':%d,'JOINTS_0':%d,'WEIGHTS_0':%d},'indices':%d,'extensions':"
	    "{'KHR_draco_mesh_compression':{'bufferView':%d,'attributes':{'POSITION':0,'JOINTS_0':1}}}}]}",
	    p, j, w, i, view);
	Gltf_Add(&g, "nodes", "{'mesh':0,'skin':0}");
	Gltf_Add(&g, "nodes", "{}");
	Gltf_Add(&g, "skins", "{'joints':[0,1]}");
	Gltf_Add(&g, "extensionsRequired", "'KHR_draco_mesh_compression'");
	Bytes bytes = Gltf_Make(&g, NULL);
	Gltf_Free(&g);
	return bytes;
}

static ioAsset LoadDraco(bool sheet)
{
	ioAsset asset;
	ioError error;
	if (!LoadBytes(MakeDraco(sheet, 1, 0, 0), &asset, &error))
	{
		fail_msg("%s", error.text);
	}
	return asset;
}

static void reads_draco(void** state)
{
	(void)state;
	ioAsset asset = LoadDraco(false);
	AssertSame(&asset);
	assert_int_equal(asset.meshes[0].joints[1], 1);
	assert_int_equal(asset.meshes[0].joints[2], 0);
	ioAsset_Free(&asset);

	// Of the sheet neither vertices nor triangles keep their order: each triangle must be one of those before, turned
	// or not, and none may be twice.
	float places[3 * sheet_vertices];
	uint16_t corners[sheet_indices];
	bool found[sheet_indices / 3] = { false };
	MakeSheet(places, corners);
	asset = LoadDraco(true);
	const ioMesh* mesh = &asset.meshes[0].mesh;
	assert_int_equal(mesh->vertexCount, sheet_vertices);
	assert_int_equal(mesh->triangleCount, sheet_indices / 3);
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		bool matched = false;
		for (int i = 0; i < sheet_indices && !matched; ++i)
		{
			const int first = i / 3 * 3;
			matched = !found[i / 3];
			for (int k = 0; k < 3; ++k)
			{
				const float* expected = places + 3 * corners[first + (i + k) % 3];
				const float* position = mesh->positions + 3 * mesh->triangles[3 * t + (uint32_t)k];
				matched = matched && memcmp(position, expected, 12) == 0;
			}
			found[i / 3] = found[i / 3] || matched;
		}
		assert_true(matched);
	}
	ioAsset_Free(&asset);
}

// Whatever the decoder makes of it, we have the file or a line that names it.
static void refuses_damaged_draco(void** state)
{
	(void)state;
	ioAsset asset;
	ioError error;
	assert_false(LoadBytes(MakeDraco(false, 1, 0, 1), &asset, &error));
	assert_string_equal(error.text, "packed.glb: meshes: KHR_draco_mesh_compression: other numbers of vertices or "
	                                "triangles than the file says");
	int refused = 0, ended = 0, cases = (int)(300 * TestScale()) + 10;
	for (int i = 0; i < cases; ++i)
	{
		if (LoadBytes(MakeDraco(i % 2 == 0, (uint32_t)i + 1, 1 + (uint32_t)i % 8, 0), &asset, &error))
		{
			ioAsset_Free(&asset);
		}
		else
		{
			++refused;
			ended += strstr(error.text, "ended by signal") != NULL;
			assert_non_null(strstr(error.text, "packed.glb: "));
		}
	}
	print_message("%d files, %d refused, of %d the decoder was ended by a signal\n", cases, refused, ended);
	assert_true(refused > 0);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#if SNUG_TEST_MESHOPT
		cmocka_unit_test(reads_meshopt),
		cmocka_unit_test(damaged_meshopt_does_no_harm),
#endif
#if SNUG_TEST_DRACO
		cmocka_unit_test(reads_draco),
		cmocka_unit_test(refuses_damaged_draco),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
