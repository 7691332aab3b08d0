// test/io/test_io_gltf_motion.c: skins, morph targets and clips of glTF files, against values worked out by hand and,
// for random characters, against the naive reference.
#include "test_io_gltf.h"

#include "io/gltf_write.h"

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
	// Written, the heaviest come first.
	static const uint16_t writtenJoints[7] = { 300, 7, 0, 1, 3, 4, 9 };
	ioAsset written;
	ioError error;
	assert_true(ioWriteGlb("test_io_gltf_motion.glb", &asset, NULL, &error));
	assert_true(ioLoad("test_io_gltf_motion.glb", NULL, &written, &error));
	remove("test_io_gltf_motion.glb");
	assert_memory_equal(written.meshes->joints, writtenJoints, sizeof(writtenJoints));
	ioAsset_Free(&written);
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
	// The worst sum is the one that is farthest from 1, above or below.
	static const float sums[16] = { 1.25f, 0, 0, 0, 0.25f, 0, 0, 0, 1.5f, 0, 0, 0, 1, 0, 0, 0 };
	AddSkinned(&g, joints, sums, NULL);
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	asset = LoadWarned(&g, &warnings);
	assert_string_equal(warnings.last, "test.glb: meshes[0]: weights scaled to a sum of 1 at 3 vertices, the first "
	                                   "vertex 0 (the worst sum was 0.25)");
	ioAsset_Free(&asset);
	// A little below 0 is 0.
	static const float below[16] = { 1, 0, 0, 0, -0.0025f, 1.0025f, 0, 0, 1, -0.0099f, -0.001f, 0, 1, 0, 0, 0 };
	AddSkinned(&g, joints, below, NULL);
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	asset = LoadWarned(&g, &warnings);
	assert_int_equal(warnings.count, 2);
	assert_string_equal(warnings.first,
	    "test.glb: meshes[0]: 3 weights below 0 counted as 0, the first of vertex 1 (the "
	    "lowest was -0.0099)");
	assert_int_equal(asset.meshes[0].influenceStart[4], 4);
	for (int i = 0; i < 4; ++i)
	{
		assert_int_equal(asset.meshes[0].joints[i], i == 2 ? 0 : 1);
		assert_true(asset.meshes[0].weights[i] == 1.0f);
	}
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

// --- Channels that differ -----------------------------------------------------------------------------------------

// A clip that moves a quad along x from `times[0]` on, by a target.
static ioAsset LoadMoved(
    const float times[2], const char* node, const char* sampler, const char* targets, Warnings* warnings)
{
	static const float moves[6] = { 0, 0, 0, 4, 0, 0 };
	Gltf g = { .counts = { 0 } };
	Gltf_AddMesh(&g, 4, quad, 6, quadIndices, NULL, NULL, NULL);
	int a = Gltf_AddArray(&g, "SCALAR", type_float, false, 2, times);
	int b = Gltf_AddArray(&g, "VEC3", type_float, false, 2, moves);
	Gltf_Add(&g, "nodes", "{'mesh':0%s}", node);
	Gltf_Add(&g, "animations", "{'samplers':[{'input':%d,'output':%d%s}],'channels':[%s]}", a, b, sampler, targets);
	return LoadWarned(&g, warnings);
}

// Of nodes, of copies and of keys.
static void quaternions_of_zeros_are_no_rotation(void** state)
{
	(void)state;
	static const float zeros[8] = { 0 }, times[2] = { 0, 1 };
	static const double nowhere[3] = { 0 };
	Gltf g = { .counts = { 0 } };
	Warnings warnings;
	Gltf_AddMesh(&g, 4, quad, 6, quadIndices, NULL, NULL, NULL);
	int keys = Gltf_AddArray(&g, "SCALAR", type_float, false, 2, times);
	int turns = Gltf_AddArray(&g, "VEC4", type_float, false, 2, zeros);
	Gltf_Add(&g, "nodes", "{'mesh':0,'rotation':[0,0,0,0]}");
	Gltf_Add(&g, "nodes", "{'mesh':0,'extensions':{'EXT_mesh_gpu_instancing':{'attributes':{'ROTATION':%d}}}}", turns);
	Gltf_Add(&g, "nodes", "{'mesh':0,'rotation':[0,0,1,0]}");
	Gltf_Add(&g, "animations",
	    "{'samplers':[{'input':%d,'output':%d}],'channels':[{'sampler':0,'target':{'node':2,'path':'rotation'}}]}",
	    keys, turns);
	ioAsset asset = LoadWarned(&g, &warnings);
	assert_int_equal(warnings.count, 1);
	assert_string_equal(warnings.last, "test.glb: nodes[0].rotation: a quaternion of zeros: no rotation");
	assert_int_equal(asset.instanceCount, 4);
	for (uint32_t i = 0; i < 4; ++i)
	{
		AssertQuadAt(&asset, 0, 0.5, i, nowhere, 1);
	}
	ioAsset_Free(&asset);
}

#define MOVE "{'sampler':0,'target':{'node':0,'path':'translation'}}"

static void follows_pointers_to_nodes(void** state)
{
	(void)state;
	static const float times[2] = { 0, 2 };
	static const double half[3] = { 2, 0, 0 };
	Warnings warnings;
	ioAsset asset = LoadMoved(times, "", "",
	    "{'sampler':0,'target':{'path':'pointer','extensions':{'KHR_animation_pointer':{'pointer':"
	    "'/nodes/0/translation'}}}},{'sampler':0,'target':{'path':'pointer','extensions':{'KHR_animation_pointer':"
	    "{'pointer':'/materials/0/emissiveFactor'}}}}",
	    &warnings);
	assert_int_equal(warnings.count, 0);
	assert_int_equal(asset.clips[0].channelCount, 1);
	AssertQuadAt(&asset, 0, 1, 0, half, 1);
	ioAsset_Free(&asset);
}

// Channels that are not followed may have values of any type, and samplers that nothing follows are not looked at: what
// shows and hides a node has bytes. The node stays as it is at rest, and a warning says so.
static void leaves_out_what_shows_and_hides(void** state)
{
	(void)state;
	static const float times[2] = { 0, 2 };
	static const uint8_t shown[2] = { 1, 0 };
	static const double nowhere[3] = { 0, 0, 0 };
	for (int hidden = 0; hidden < 2; ++hidden)
	{
		Gltf g = { .counts = { 0 } };
		Warnings warnings;
		Gltf_AddMesh(&g, 4, quad, 6, quadIndices, NULL, NULL, NULL);
		int a = Gltf_AddArray(&g, "SCALAR", type_float, false, 2, times);
		int b = Gltf_AddArray(&g, "SCALAR", type_uint8, false, 2, shown);
		Gltf_Add(&g, "nodes", "{'mesh':0}");
		Gltf_Add(
		    &g, "nodes", "{'mesh':0,'extensions':{'KHR_node_visibility':{'visible':%s}}}", hidden ? "false" : "true");
		Gltf_Add(&g, "animations",
		    "{'samplers':[{'input':%d,'output':%d,'interpolation':'STEP'},{}],'channels':[{'sampler':0,'target':{'path'"
		    ":"
		    "'pointer','extensions':{'KHR_animation_pointer':{'pointer':"
		    "'/nodes/1/extensions/KHR_node_visibility/visible'}}}}]}",
		    a, b);
		ioAsset asset = LoadWarned(&g, &warnings);
		assert_int_equal(warnings.count, 1);
		assert_string_equal(warnings.last,
		    "test.glb: animations[0].channels[0].target.extensions.KHR_animation_pointer.pointer: what is shown and "
		    "hidden in motion is not followed: it stays as it is at rest");
		assert_int_equal(asset.clips[0].channelCount, 0);
		assert_int_equal(asset.instanceCount, hidden ? 1 : 2);
		AssertQuadAt(&asset, 0, 2, hidden ? 0 : 1, nowhere, 1);
		ioAsset_Free(&asset);
	}
}

// Against the specification, but clear.
static void reads_what_is_clear(void** state)
{
	(void)state;
	static const float times[2] = { 0, 2 }, early[2] = { -2, 2 };
	static const double half[3] = { 2, 0, 0 };
	Warnings warnings;
	ioAsset asset = LoadMoved(early, "", "", MOVE, &warnings);
	assert_int_equal(warnings.count, 1);
	assert_non_null(strstr(warnings.last, "the first time is negative: -2"));
	AssertQuadAt(&asset, 0, 0, 0, half, 1);
	assert_true(asset.clips[0].start == -2.0);
	ioAsset_Free(&asset);

	asset = LoadMoved(times, ",'matrix':[0,3,0,0,-3,0,0,0,0,0,3,0,7,8,9,1]", "", MOVE, &warnings);
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

	// A number, 0, where the name of the interpolation belongs.
	asset = LoadMoved(times, "", ",'interpolation':0", MOVE, &warnings);
	assert_int_equal(warnings.count, 1);
	assert_string_equal(
	    warnings.last, "test.glb: animations[0].samplers[0].interpolation: 0 instead of a name, taken for LINEAR");
	AssertQuadAt(&asset, 0, 1, 0, half, 1);
	ioAsset_Free(&asset);

	asset = LoadMoved(times, "", "", MOVE "," MOVE, &warnings);
	assert_int_equal(warnings.count, 1);
	AssertQuadAt(&asset, 0, 1, 0, half, 1);
	ioAsset_Free(&asset);

	asset = LoadMoved(times, ",'children':[]", "", MOVE, &warnings);
	assert_int_equal(warnings.count, 1);
	assert_non_null(strstr(warnings.last, "nodes[0].children: an empty array"));
	ioAsset_Free(&asset);
}

// A channel replaces one of the three parts of a node's matrix; of a mirrored one the scale along x is negative.
static void moves_one_part_of_a_matrix(void** state)
{
	(void)state;
	static const float times[2] = { 0, 2 }, halfTurns[8] = { 1, 0, 0, 0, 1 };
	static const char* const paths[3] = { "translation", "rotation", "scale" };
	for (int n = 0; n < 12; ++n)
	{
		// Scaled by (2 or -2, 6, 7), and, if turned, x to y, y to z, z to x; moved by (7, 8, 9).
		int part = n / 4, sign = n % 2 == 0 ? 1 : -1, turned = n / 2 % 2, matrix[9] = { 0 };
		const int scales[3] = { 2 * sign, 6, 7 };
		for (int k = 0; k < 3; ++k)
		{
			matrix[3 * k + (k + turned) % 3] = scales[k]; // by columns
		}
		float packed[8];
		for (int i = 0; i < 8; ++i)
		{
			packed[i] = part == 1 ? halfTurns[i] : (float)(3 + i % 3);
		}
		Gltf g = { .counts = { 0 } };
		Warnings warnings;
		Gltf_AddMesh(&g, 4, corner, 6, quadIndices, NULL, NULL, NULL);
		int a = Gltf_AddArray(&g, "SCALAR", type_float, false, 2, times);
		int b = Gltf_AddArray(&g, part == 1 ? "VEC4" : "VEC3", type_float, false, 2, packed);
		Gltf_Add(&g, "nodes", "{'mesh':0,'matrix':[%d,%d,%d,0,%d,%d,%d,0,%d,%d,%d,0,7,8,9,1]}", matrix[0], matrix[1],
		    matrix[2], matrix[3], matrix[4], matrix[5], matrix[6], matrix[7], matrix[8]);
		Gltf_Add(&g, "animations",
		    "{'samplers':[{'input':%d,'output':%d}],'channels':[{'sampler':0,'target':{'node':0,'path':'%s'}}]}", a, b,
		    paths[part]);
		ioAsset asset = LoadWarned(&g, &warnings);
		for (int clip = -1; clip < 1; ++clip)
		{
			bool moved[3] = { clip == 0 && part == 0, clip == 0 && part == 1, clip == 0 && part == 2 };
			const double scale[3] = { moved[2] ? 3 : scales[0], moved[2] ? 4 : 6, moved[2] ? 5 : 7 };
			const double move[3] = { moved[0] ? 3 : 7, moved[0] ? 4 : 8, moved[0] ? 5 : 9 };
			double expected[12];
			for (int i = 0; i < 12; ++i)
			{
				int from = moved[1] ? i % 3 : (i + 3 - turned) % 3; // the coordinate that is now here
				double turn = moved[1] && from > 0 ? -1 : 1;        // half a turn about x
				expected[i] = turn * scale[from] * (double)corner[i / 3 * 3 + from] + move[i % 3];
			}
			AssertPosed(&asset, clip == 0 ? 0 : IO_NONE, 1, 0, 4, expected);
		}
		ioAsset_Free(&asset);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(skins_by_joints_and_ignores_the_mesh_node),
		cmocka_unit_test(reads_any_number_of_sets_and_normalized_weights),
		cmocka_unit_test(repairs_weights),
		cmocka_unit_test(morphs_before_skinning),
		cmocka_unit_test(interpolates_translations),
		cmocka_unit_test(interpolates_rotations_the_shorter_way),
		cmocka_unit_test(interpolates_scales_and_weights),
		cmocka_unit_test(two_keys_at_one_time_make_a_jump),
		cmocka_unit_test(finds_clips_by_name_and_number),
		cmocka_unit_test(random_characters_match_the_reference),
		cmocka_unit_test(the_sample_matches_the_reference),
		cmocka_unit_test(quaternions_of_zeros_are_no_rotation),
		cmocka_unit_test(follows_pointers_to_nodes),
		cmocka_unit_test(leaves_out_what_shows_and_hides),
		cmocka_unit_test(reads_what_is_clear),
		cmocka_unit_test(moves_one_part_of_a_matrix),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
