// test/io/test_io_packed.c: compressed glTF files, where snug was built with what decodes them, and what it says where
// it was not. What meshoptimizer decodes is written by hand, by the text of its specification; Draco itself compresses
// what is then read. The oracle is the file before.
#include "test_io.h"

#include <math.h>

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
#define SKIP_WITHOUT_MESHOPT()
#else
#define SKIP_WITHOUT_MESHOPT() SKIP_WITHOUT("meshopt", "not found (tools/install-dependencies files)")
#endif

static void Damage(Bytes* bytes, uint32_t* seed, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		bytes->data[NextRandom(seed) % bytes->count] = (uint8_t)NextRandom(seed);
	}
}

// The quad, with nothing but zeros where it is uncompressed.
static Bytes MakeMeshopt(const char* extension, bool triangles, uint32_t seed, uint32_t damages)
{
	static const uint8_t zeros[48] = { 0 };
	Bytes vertexBytes = PackAttributes(4, 12, positions), indexBytes = PackIndices(triangles, 6, indices);
	Damage(NextRandom(&seed) % 2 == 0 ? &vertexBytes : &indexBytes, &seed, damages);
	Gltf g = { .counts = { 0 } };
	int view = Gltf_AddPacked(&g, extension, vertexBytes, 4, 12, "ATTRIBUTES", NULL, zeros);
	int p = Gltf_Add(&g, "accessors", "{'bufferView':%d,'componentType':5126,'count':4,'type':'VEC3'}", view);
	view = Gltf_AddPacked(&g, extension, indexBytes, 6, 2, triangles ? "TRIANGLES" : "INDICES", "NONE", zeros);
	int i = Gltf_Add(&g, "accessors", "{'bufferView':%d,'componentType':5123,'count':6,'type':'SCALAR'}", view);
	Gltf_Add(&g, "meshes", "{'primitives':[{'attributes':{'POSITION':%d},'indices':%d}]}", p, i);
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	Gltf_Add(&g, "extensionsRequired", "'%s_meshopt_compression'", extension);
	Bytes bytes = Gltf_Make(&g, NULL);
	Gltf_Free(&g);
	return bytes;
}

// A view that is packed by these words, with positions unpacked beside it.
static Bytes MakeWords(const char* mode, const char* filter, int stride, int count, int version, bool isRequired)
{
	float plain[256] = { 0 };
	memcpy(plain, positions, sizeof(positions));
	Bytes packed = strcmp(mode, "ATTRIBUTES") == 0 ? PackAttributes(4, stride, plain) : PackIndices(true, 6, indices);
	packed.data[0] = (uint8_t)(packed.data[0] + version);
	Gltf g = { .counts = { 0 } };
	int view = Gltf_AddPacked(&g, "KHR", packed, count, stride, mode, filter, plain);
	int p = Gltf_Add(&g, "accessors", "{'bufferView':%d,'componentType':5126,'count':3,'type':'VEC3'}", view);
	Gltf_Add(&g, "meshes", "{'primitives':[{'attributes':{'POSITION':%d}}]}", p);
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	Gltf_Add(&g, isRequired ? "extensionsRequired" : "extensionsUsed", "'KHR_meshopt_compression'");
	Bytes file = Gltf_Make(&g, NULL);
	Gltf_Free(&g);
	return file;
}

static void AssertRefused(Bytes file, const char* expected)
{
	ioAsset asset;
	ioError error;
	assert_false(LoadBytes(file, &asset, &error));
	assert_string_equal(error.text, expected);
}

#define PACKED_VIEW "packed.glb: bufferViews[2].extensions.KHR_meshopt_compression: "

static void reads_meshopt(void** state)
{
	(void)state;
	SKIP_WITHOUT_MESHOPT();
	for (int i = 0; i < 4; ++i)
	{
		ioAsset asset;
		ioError error;
		if (!LoadBytes(MakeMeshopt(i % 2 == 0 ? "KHR" : "EXT", i < 2, 1, 0), &asset, &error))
		{
			fail_msg("%s", error.text);
		}
		AssertSame(&asset);
		ioAsset_Free(&asset);
	}
}

static void damaged_meshopt_does_no_harm(void** state)
{
	(void)state;
	SKIP_WITHOUT_MESHOPT();
	int loaded = 0, cases = (int)(20000 * TestScale());
	for (int i = 0; i < cases; ++i)
	{
		ioAsset asset;
		ioError error;
		if (LoadBytes(MakeMeshopt("EXT", i % 2 == 0, (uint32_t)i + 1, 1 + (uint32_t)i % 4), &asset, &error))
		{
			++loaded;
			ioAsset_Free(&asset);
		}
	}
	assert_true(loaded < cases);                                                              // some are refused
	AssertRefused(MakeWords("ATTRIBUTES", NULL, 12, 4, 2, true), PACKED_VIEW "damaged data"); // no such version
}

// One view, of 15 elements of what the file says are positions or rotations, filtered.
enum
{
	filtered_count = 15
};

static Bytes MakeFiltered(const char* filter, int stride, int type, const void* packed)
{
	static const uint8_t zeros[filtered_count * 12] = { 0 };
	float times[filtered_count];
	bool turns = strcmp(filter, "QUATERNION") == 0;
	for (int i = 0; i < filtered_count; ++i)
	{
		times[i] = (float)i;
	}
	Gltf g = { .counts = { 0 } };
	Bytes bytes = PackAttributes(filtered_count, stride, packed);
	int view = Gltf_AddPacked(&g, "KHR", bytes, filtered_count, stride, "ATTRIBUTES", filter, zeros);
	int a = Gltf_Add(&g, "accessors", "{'bufferView':%d,'componentType':%d%s,'count':%d,'type':'%s'}", view, type,
	    type == type_float ? "" : ",'normalized':true", filtered_count, turns ? "VEC4" : "VEC3");
	int p = turns ? Gltf_AddArray(&g, "VEC3", type_float, false, 3, positions) : a;
	int t = Gltf_AddArray(&g, "SCALAR", type_float, false, filtered_count, times);
	Gltf_Add(&g, "meshes", "{'primitives':[{'attributes':{'POSITION':%d}}]}", p);
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	if (turns)
	{
		Gltf_Add(&g, "animations",
		    "{'samplers':[{'input':%d,'output':%d}],'channels':[{'sampler':0,'target':{'node':0,'path':'rotation'}}]}",
		    t, a);
	}
	Gltf_Add(&g, "extensionsUsed", "'KHR_mesh_quantization'");
	Gltf_Add(&g, "extensionsRequired", "'KHR_meshopt_compression'");
	Bytes file = Gltf_Make(&g, NULL);
	Gltf_Free(&g);
	return file;
}

// What the reader makes of it, against what was filtered.
static void AssertFiltered(
    const char* filter, int stride, int type, const void* packed, const double* expected, double tolerance)
{
	ioAsset asset;
	ioError error;
	if (!LoadBytes(MakeFiltered(filter, stride, type, packed), &asset, &error))
	{
		fail_msg("%s", error.text);
	}
	bool turns = asset.clipCount > 0;
	const float* found = turns ? asset.clips[0].channels[0].values : asset.meshes[0].mesh.positions;
	for (int i = 0; i < filtered_count * (turns ? 4 : 3); ++i)
	{
		if (!(fabs((double)found[i] - expected[i]) <= tolerance))
		{
			fail_msg("%s, stride %d: number %d is %.9g, not %.9g", filter, stride, i, (double)found[i], expected[i]);
		}
	}
	ioAsset_Free(&asset);
}

// Fill with numbers, every `width` of which are a vector of length 1.
static void FillUnits(uint32_t* seed, int width, double* units)
{
	for (int i = 0; i < filtered_count; ++i)
	{
		double* unit = units + i * width;
		double length = 0;
		for (int k = 0; k < width; ++k)
		{
			unit[k] = RandomIn(seed, -1, 1);
			length += unit[k] * unit[k];
		}
		for (int k = 0; k < width; ++k)
		{
			unit[k] /= sqrt(length);
		}
	}
}

// The filters of the specification's appendix B, the other way round: what they undo is made here, by no library.
static void undoes_filters(void** state)
{
	(void)state;
	SKIP_WITHOUT_MESHOPT();
	uint32_t seed = 7;
	double expected[4 * filtered_count];
	for (int n = 0; n < (int)(50 * TestScale()) + 1; ++n)
	{
		// A whole number of 24 bits times a power of two: exact.
		uint32_t exponential[3 * filtered_count];
		for (int i = 0; i < 3 * filtered_count; ++i)
		{
			int mantissa = (int)(NextRandom(&seed) % (1 << 24)) - (1 << 23),
			    exponent = (int)(NextRandom(&seed) % 81) - 40;
			exponential[i] = (uint32_t)exponent << 24 | ((uint32_t)mantissa & 0xffffff);
			expected[i] = ldexp(mantissa, exponent);
		}
		AssertFiltered("EXPONENTIAL", 12, type_float, exponential, expected, 0);

		// Onto the octahedron, whose lower half is folded outwards; then a number of bits that the third number says.
		for (int stride = 4; stride <= 8; stride += 4)
		{
			int bits = 4 + (int)(NextRandom(&seed) % (stride == 4 ? 5 : 13)), one = (1 << (bits - 1)) - 1;
			int8_t narrow[4 * filtered_count];
			int16_t wide[4 * filtered_count];
			FillUnits(&seed, 3, expected);
			for (int i = 0; i < filtered_count; ++i)
			{
				const double* v = expected + 3 * i;
				double sum = fabs(v[0]) + fabs(v[1]) + fabs(v[2]), x = v[0] / sum, y = v[1] / sum;
				double u = v[2] < 0 ? copysign(1 - fabs(y), x) : x, w = v[2] < 0 ? copysign(1 - fabs(x), y) : y;
				const long four[4] = { lround(u * one), lround(w * one), one, 77 };
				for (int k = 0; k < 4; ++k)
				{
					narrow[4 * i + k] = (int8_t)four[k];
					wide[4 * i + k] = (int16_t)four[k];
				}
			}
			AssertFiltered("OCTAHEDRAL", stride, stride == 4 ? type_int8 : type_int16,
			    stride == 4 ? (const void*)narrow : wide, expected,
			    2.0 / one + (stride == 4 ? 1.0 / 127 : 1.0 / 32767));
		}

		// Without the largest number of the four, which is positive, and starting behind it; the last says which.
		int16_t quaternions[4 * filtered_count];
		int bits = 6 + (int)(NextRandom(&seed) % 11), one = (1 << (bits - 1)) - 1;
		FillUnits(&seed, 4, expected);
		for (int i = 0; i < filtered_count; ++i)
		{
			double* q = expected + 4 * i;
			int largest = 0;
			for (int k = 1; k < 4; ++k)
			{
				largest = fabs(q[k]) > fabs(q[largest]) ? k : largest;
			}
			double sign = q[largest] < 0 ? -1 : 1;
			for (int k = 0; k < 4; ++k)
			{
				q[k] *= sign;
			}
			for (int k = 0; k < 3; ++k)
			{
				quaternions[4 * i + k] = (int16_t)lround(q[(largest + 1 + k) % 4] * sqrt(2) * one);
			}
			quaternions[4 * i + 3] = (int16_t)((one & ~3) | largest);
		}
		AssertFiltered("QUATERNION", 8, type_int16, quaternions, expected, 2.0 / one + 1.0 / 32767);
	}
}

static void refuses_words_that_do_not_fit(void** state)
{
	(void)state;
	static const struct
	{
		const char *mode, *filter;
		int stride, count;
	} words[] = { { "ATTRIBUTES", NULL, 10, 4 }, { "ATTRIBUTES", "OCTAHEDRAL", 12, 4 },
		{ "ATTRIBUTES", "QUATERNION", 4, 12 }, { "ATTRIBUTES", "QUATERNION", 12, 4 }, { "ATTRIBUTES", "COLOR", 12, 4 },
		{ "ATTRIBUTES", "NOTHING", 12, 4 }, { "TRIANGLES", NULL, 4, 8 }, { "TRIANGLES", NULL, 12, 6 },
		{ "TRIANGLES", "EXPONENTIAL", 4, 6 }, { "INDICES", NULL, 8, 6 }, { "INDICES", "OCTAHEDRAL", 4, 6 },
		{ "VERTICES", NULL, 4, 6 }, { "", NULL, 4, 6 } };
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); ++i)
	{
		AssertRefused(MakeWords(words[i].mode, words[i].filter, words[i].stride, words[i].count, 0, i % 2 == 0),
		    PACKED_VIEW "mode, filter, byteStride and count do not fit together");
	}
}

// What cannot be decoded is refused by name if the file requires it, and otherwise read where it is uncompressed.
static void names_what_it_cannot_unpack(void** state)
{
	(void)state;
	static const struct
	{
		const char* filter;
		int stride;
		int version;
		const char* reason;
	} cases[] = {
#if !SNUG_TEST_MESHOPT
		{ NULL, 12, 0,
		    "compressed by meshoptimizer, and this program was built without it (Debian: apt-get install "
		    "libmeshoptimizer-dev, then build it again)" },
#else
		{ "COLOR", 8, 0, "the filter COLOR is not supported" },
#if MESHOPTIMIZER_VERSION < 230
		{ NULL, 12, 1,
		    "version 1 of ATTRIBUTES, which meshoptimizer decodes since 0.23; this program has an earlier one" },
		{ "EXPONENTIAL", 12, 1,
		    "version 1 of ATTRIBUTES, which meshoptimizer decodes since 0.23; this program has an earlier one" },
#endif
#endif
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		char expected[256];
		int stride = cases[i].stride, count = 48 / stride;
		snprintf(expected, sizeof(expected), PACKED_VIEW "%s", cases[i].reason);
		AssertRefused(MakeWords("ATTRIBUTES", cases[i].filter, stride, count, cases[i].version, true), expected);
		if (stride == 12)
		{
			ioAsset asset;
			ioError error;
			assert_true(LoadBytes(
			    MakeWords("ATTRIBUTES", cases[i].filter, stride, count, cases[i].version, false), &asset, &error));
			assert_memory_equal(asset.meshes[0].mesh.positions, positions, 36);
			ioAsset_Free(&asset);
		}
	}
}

// Colours are not read, so their filter is in nobody's way; one view has one of the two extensions.
static void looks_at_no_colours_and_at_one_extension(void** state)
{
	(void)state;
	ioAsset asset;
	ioError error;
	Gltf g = { .counts = { 0 } };
	int view = Gltf_AddPacked(&g, "KHR", PackAttributes(3, 4, positions), 3, 4, "ATTRIBUTES", "COLOR", positions);
	int c = Gltf_Add(
	    &g, "accessors", "{'bufferView':%d,'componentType':5121,'normalized':true,'count':3,'type':'VEC4'}", view);
	char attributes[32];
	snprintf(attributes, sizeof(attributes), ",'COLOR_0':%d", c);
	Gltf_AddMesh(&g, 3, positions, 0, NULL, attributes, NULL, NULL);
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	Gltf_Add(&g, "extensionsRequired", "'KHR_meshopt_compression'");
	if (!LoadBytes(Gltf_Make(&g, NULL), &asset, &error))
	{
		fail_msg("%s", error.text);
	}
	ioAsset_Free(&asset);
	Gltf_Add(&g, "bufferViews",
	    "{'buffer':0,'byteLength':36,'extensions':{'KHR_meshopt_compression':{},'EXT_meshopt_compression':{}}}");
	Gltf_Add(&g, "accessors", "{'bufferView':4,'componentType':5126,'count':3,'type':'VEC3'}");
	Gltf_Add(&g, "meshes", "{'primitives':[{'attributes':{'POSITION':2}}]}");
	AssertRefused(Gltf_Make(&g, NULL),
	    "packed.glb: bufferViews[4].extensions: both KHR_meshopt_compression and EXT_meshopt_compression");
	Gltf_Free(&g);
}

// ---- Draco -----------------------------------------------------------------------------------------------------

#if SNUG_TEST_DRACO

// A sheet of 6 x 6 vertices, which Draco compresses in its other way, as files of the web are.
enum
{
	sheet_side = 6,
	sheet_vertices = sheet_side * sheet_side,
	sheet_indices = 6 * (sheet_side - 1) * (sheet_side - 1)
};

static void MakeSheet(int side, float* places, uint16_t* corners)
{
	for (int i = 0; i < side * side; ++i)
	{
		const float place[3] = { (float)(i % side), (float)(i / side), (float)(i * i % 7) };
		memcpy(places + 3 * i, place, sizeof(place));
	}
	for (int i = 0; i < (side - 1) * (side - 1); ++i)
	{
		int first = i / (side - 1) * side + i % (side - 1);
		const int cell[6] = { first, first + 1, first + side, first + side, first + 1, first + side + 1 };
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
	MakeSheet(sheet_side, places, corners);
	size_t count = sheet ? PackDraco(true, sheet_vertices, places, joints, sheet_indices, corners, packed, capacity)
	                     : PackDraco(false, 4, positions, joints, 6, indices, packed, capacity);
	assert_true(count > 0);
	return count;
}

// Four vertices in order, or the sheet; some bytes changed, and every fourth damaged one cut short.
static Bytes MakeDraco(bool sheet, uint32_t seed, uint32_t damages)
{
	float ones[4 * sheet_vertices] = { 0 };
	uint8_t packed[4096];
	size_t count = Pack(sheet, packed, sizeof(packed));
	int vertexCount = sheet ? sheet_vertices : 4;
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
	int w = Gltf_AddArray(&g, "VEC4", type_float, false, vertexCount, ones);
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
	if (!LoadBytes(MakeDraco(sheet, 1, 0), &asset, &error))
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
	MakeSheet(sheet_side, places, corners);
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

// The quad in one block, as a primitive whose accessors say what they like. `indices` and `mode` are members of it. Of
// what nobody asks for, the block has nothing.
static Bytes MakeClaims(int vertexCount, int weightCount, int indexCount, const char* members)
{
	static const float ones[20] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
	uint8_t packed[4096];
	Gltf g = { .counts = { 0 } };
	int view = Gltf_AddView(&g, packed, Pack(false, packed, sizeof(packed)), 0);
	Gltf_Add(&g, "accessors", "{'componentType':5126,'count':%d,'type':'VEC3'}", vertexCount);
	Gltf_Add(&g, "accessors", "{'componentType':5121,'count':%d,'type':'VEC4'}", vertexCount);
	Gltf_Add(&g, "accessors", "{'componentType':5123,'count':%d,'type':'SCALAR'}", indexCount);
	int w = Gltf_AddArray(&g, "VEC4", type_float, false, weightCount, ones);
	Gltf_Add(&g, "meshes",
	    "{'primitives':[{'attributes':{'POSITION':0,'NORMAL':0,'JOINTS_0':1,'WEIGHTS_0':%d}%s,'extensions':"
	    "{'KHR_draco_mesh_compression':{'bufferView':%d,'attributes':{'NORMAL':7,'JOINTS_9':7,'JOINTS_0':1,"
	    "'POSITION':0}}}}]}",
	    w, members, view);
	Gltf_Add(&g, "nodes", "{'mesh':0,'skin':0}");
	Gltf_Add(&g, "nodes", "{}");
	Gltf_Add(&g, "skins", "{'joints':[0,1]}");
	Gltf_Add(&g, "extensionsRequired", "'KHR_draco_mesh_compression'");
	Bytes bytes = Gltf_Make(&g, NULL);
	Gltf_Free(&g);
	return bytes;
}

// How many vertices and indices there are, the block decides. Strips are lists in it. Whatever is not in it must fit
// it.
static void believes_draco_and_not_the_accessors(void** state)
{
	(void)state;
	static const struct
	{
		int vertexCount, indexCount, warnings;
		const char *members, *last;
	} cases[] = {
		{ 4, 6, 0, ",'indices':2", "" },
		{ 3, 6, 2, ",'indices':2",
		    "packed.glb: meshes[0].primitives[0].attributes.JOINTS_0: accessors[1] has 3 elements; the compressed data "
		    "have 4, which count" },
		{ 5, 6, 2, ",'indices':2",
		    "packed.glb: meshes[0].primitives[0].attributes.JOINTS_0: accessors[1] has 5 elements; the compressed data "
		    "have 4, which count" },
		{ 4, 9, 1, ",'indices':2",
		    "packed.glb: meshes[0].primitives[0].indices: accessors[2] has 9 elements; the compressed data have 6, "
		    "which count" },
		{ 4, 4, 0, ",'indices':2,'mode':5", "" },
		{ 4, 6, 0, "", "" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		Bytes file = MakeClaims(cases[i].vertexCount, 4, cases[i].indexCount, cases[i].members);
		Warnings warnings = { 0 };
		ioLoadOptions options = { .warning = KeepWarning, .user = &warnings };
		ioAsset asset;
		ioError error;
		if (!ioLoadMemory(file.data, file.count, "packed.glb", &options, &asset, &error))
		{
			fail_msg("%s", error.text);
		}
		AssertSame(&asset);
		assert_int_equal(asset.meshes[0].joints[1], 1);
		assert_int_equal(asset.meshes[0].joints[2], 0);
		assert_int_equal(warnings.count, cases[i].warnings);
		assert_string_equal(warnings.last, cases[i].last);
		ioAsset_Free(&asset);
		Bytes_Free(&file);
	}
	AssertRefused(MakeClaims(5, 5, 6, ",'indices':2"),
	    "packed.glb: meshes[0].primitives[0].attributes.WEIGHTS_0: accessors[3] has 5 elements for 4 vertices");
	AssertRefused(MakeClaims(4, 4, 6, ",'indices':2,'mode':6"),
	    "packed.glb: meshes[0].primitives[0]: a fan of triangles cannot be compressed");
}

// Primitives may share accessors and yet have blocks of their own, or none.
static void blocks_belong_to_primitives(void** state)
{
	(void)state;
	static const uint8_t joints[16] = { 0 };
	static const uint16_t turned[6] = { 3, 2, 1, 3, 1, 0 };
	float others[12], plain[12];
	uint8_t packed[4096];
	for (int i = 0; i < 12; ++i)
	{
		others[i] = 2 * positions[i] + 1;
		plain[i] = positions[i] - 5;
	}
	Gltf g = { .counts = { 0 } };
	size_t count = Pack(false, packed, sizeof(packed));
	int first = Gltf_AddView(&g, packed, count, 0);
	count = PackDraco(false, 4, others, joints, 6, turned, packed, sizeof(packed));
	int second = Gltf_AddView(&g, packed, count, 0);
	int p = Gltf_AddArray(&g, "VEC3", type_float, false, 4, plain);
	int i = Gltf_AddArray(&g, "SCALAR", type_uint16, false, 6, indices);
	const int views[4] = { first, second, -1, first };
	for (int n = 0; n < 4; ++n)
	{
		char extensions[128] = "";
		if (views[n] >= 0)
		{
			snprintf(extensions, sizeof(extensions),
			    ",'extensions':{'KHR_draco_mesh_compression':{'bufferView':%d,'attributes':{'POSITION':0}}}", views[n]);
		}
		Gltf_Add(&g, "meshes", "{'primitives':[{'attributes':{'POSITION':%d},'indices':%d%s}]}", p, i, extensions);
	}
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	ioAsset asset;
	ioError error;
	if (!LoadBytes(Gltf_Make(&g, NULL), &asset, &error))
	{
		fail_msg("%s", error.text);
	}
	for (int n = 0; n < 4; ++n)
	{
		const ioMesh* mesh = &asset.meshes[n].mesh;
		const float* expected = n == 1 ? others : n == 2 ? plain : positions;
		assert_int_equal(mesh->vertexCount, 4);
		assert_memory_equal(mesh->positions, expected, sizeof(others));
		for (int k = 0; k < 6; ++k)
		{
			assert_int_equal(mesh->triangles[k], n == 1 ? turned[k] : indices[k]);
		}
	}
	ioAsset_Free(&asset);
	Gltf_Free(&g);
}

// Blocks become large; how large, a limit says. One with many attributes, all the same, is no block.
static void limits_what_draco_decodes(void** state)
{
	(void)state;
	enum
	{
		side = 120
	};
	static float places[3 * side * side];
	static uint8_t joints[4 * side * side], packed[1 << 20];
	static uint16_t corners[6 * (side - 1) * (side - 1)];
	MakeSheet(side, places, corners);
	int indexCount = 6 * (side - 1) * (side - 1);
	size_t count = PackDraco(false, side * side, places, joints, (uint32_t)indexCount, corners, packed, sizeof(packed));
	assert_true(count > 0);
	for (int n = 0; n < 3; ++n)
	{
		Bytes more = { NULL, 0, 0 }, ids = { NULL, 0, 0 };
		Bytes_Print(&more, "'POSITION':0");
		Bytes_Print(&ids, "'POSITION':0");
		for (int i = 0; n == 2 && i < 64; ++i)
		{
			Bytes_Print(&more, ",'JOINTS_%d':2", i);
			Bytes_Print(&ids, ",'JOINTS_%d':1", i);
		}
		Gltf g = { .counts = { 0 } };
		int view = Gltf_AddView(&g, packed, count, 0);
		Gltf_Add(&g, "accessors", "{'componentType':5126,'count':%d,'type':'VEC3'}", side * side);
		Gltf_Add(&g, "accessors", "{'componentType':5123,'count':%d,'type':'SCALAR'}", indexCount);
		Gltf_Add(&g, "accessors", "{'componentType':5121,'count':%d,'type':'VEC4'}", side * side);
		Gltf_Add(&g, "meshes",
		    "{'primitives':[{'attributes':{%s},'indices':1,'extensions':{'KHR_draco_mesh_compression':{'bufferView':%d,"
		    "'attributes':{%s}}}}]}",
		    (const char*)more.data, view, (const char*)ids.data);
		Gltf_Add(&g, "nodes", "{'mesh':0}");
		Bytes file = Gltf_Make(&g, NULL);
		ioLoadOptions options = { .maxBytes = n == 1 ? 300000 : 0 };
		ioAsset asset;
		ioError error;
		bool loaded = ioLoadMemory(file.data, file.count, "packed.glb", &options, &asset, &error);
		assert_int_equal(loaded, n == 0);
		if (loaded)
		{
			assert_memory_equal(asset.meshes[0].mesh.positions, places, sizeof(places));
			ioAsset_Free(&asset);
		}
		else
		{
			assert_string_equal(error.text,
			    n == 1 ? "packed.glb: meshes: KHR_draco_mesh_compression: too much data for a file of this size"
			           : "packed.glb: meshes[0].primitives[0].extensions.KHR_draco_mesh_compression.attributes: more "
			             "than 64 attributes");
		}
		Bytes_Free(&file);
		Bytes_Free(&more);
		Bytes_Free(&ids);
		Gltf_Free(&g);
	}
}

// Whatever the decoder makes of it, we have the file or a line that names it.
static void refuses_damaged_draco(void** state)
{
	(void)state;
	ioAsset asset;
	ioError error;
	int refused = 0, ended = 0, cases = (int)(300 * TestScale()) + 10;
	for (int i = 0; i < cases; ++i)
	{
		if (LoadBytes(MakeDraco(i % 2 == 0, (uint32_t)i + 1, 1 + (uint32_t)i % 8), &asset, &error))
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
		cmocka_unit_test(reads_meshopt),
		cmocka_unit_test(damaged_meshopt_does_no_harm),
		cmocka_unit_test(undoes_filters),
		cmocka_unit_test(refuses_words_that_do_not_fit),
		cmocka_unit_test(names_what_it_cannot_unpack),
		cmocka_unit_test(looks_at_no_colours_and_at_one_extension),
#if SNUG_TEST_DRACO
		cmocka_unit_test(reads_draco),
		cmocka_unit_test(believes_draco_and_not_the_accessors),
		cmocka_unit_test(blocks_belong_to_primitives),
		cmocka_unit_test(limits_what_draco_decodes),
		cmocka_unit_test(refuses_damaged_draco),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
