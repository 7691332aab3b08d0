// test/test_io_assimp.c: COLLADA and FBX through Assimp, where snug was built with it.
#include "test_io.h"

#include <math.h>

#if SNUG_IO_ASSIMP

static void WriteText(const char* path, const char* text)
{
	FILE* file = fopen(path, "wb");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static ioAsset LoadText(const char* path, const char* text)
{
	ioAsset asset;
	ioError error;
	WriteText(path, text);
	if (!ioLoad(path, NULL, &asset, &error))
	{
		fail_msg("%s", error.text);
	}
	remove(path);
	assert_string_equal(asset.format, "Assimp");
	return asset;
}

static void AssertPosed(
    const ioAsset* asset, uint32_t clip, double time, uint32_t instance, int count, const double* expected)
{
	ioPose* pose = ioPose_Create(asset);
	float found[64];
	assert_int_equal(asset->meshes[asset->instances[instance].mesh].mesh.vertexCount, count);
	ioPose_Evaluate(pose, clip, time);
	assert_true(ioPose_EvaluateVertices(pose, instance, found));
	for (int i = 0; i < 3 * count; ++i)
	{
		if (!(fabs((double)found[i] - expected[i]) < 1e-5))
		{
			fail_msg(
			    "time %g, vertex %d, coordinate %d: %.9g, not %.9g", time, i / 3, i % 3, (double)found[i], expected[i]);
		}
	}
	ioPose_Destroy(pose);
}

#define COLLADA                                                                                                        \
	"<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\"><asset>" \
	"<unit meter=\"1\"/><up_axis>Y_UP</up_axis></asset>"
#define SQUARE                                                                                                         \
	"<library_geometries><geometry id=\"g\" name=\"square\"><mesh><source id=\"p\"><float_array id=\"pa\" "            \
	"count=\"12\">"                                                                                                    \
	"0 0 0 1 0 0 1 1 0 0 1 0</float_array><technique_common><accessor source=\"#pa\" count=\"4\" stride=\"3\"><param " \
	"name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor>"       \
	"</technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices><polylist " \
	"count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><vcount>4</vcount><p>0 1 2 3</p></polylist>"   \
	"</mesh></geometry></library_geometries>"
#define SOURCE(id, type, count, values, params)                                                  \
	"<source id=\"" id "\"><" type "_array id=\"" id "a\" count=\"" count "\">" values "</" type \
	"_array><technique_common><accessor source=\"#" id "a\" " params "</accessor></technique_common></source>"

// A square that a node moves, in motion along x.
static void reads_nodes_and_clips(void** state)
{
	(void)state;
	ioAsset asset = LoadText("test_io_assimp_a.dae",
	    COLLADA SQUARE "<library_animations><animation id=\"an\">" SOURCE("ti", "float", "2", "0 2",
	        "count=\"2\" stride=\"1\"><param name=\"TIME\" type=\"float\"/>") SOURCE("ou", "float", "6", "0 0 5 4 0 5",
	        "count=\"2\" stride=\"3\"><param name=\"X\" type=\"float\"/><param "
	        "name=\"Y\" type=\"float\"/><param "
	        "name=\"Z\" type=\"float\"/>") SOURCE("in", "Name", "2", "LINEAR LINEAR",
	        "count=\"2\" stride=\"1\"><param name=\"INTERPOLATION\" "
	        "type=\"name\"/>") "<sampler id=\"sa\"><input semantic=\"INPUT\" "
	                           "source=\"#ti\"/><input semantic=\"OUTPUT\" "
	                           "source=\"#ou\"/><input "
	                           "semantic=\"INTERPOLATION\" "
	                           "source=\"#in\"/></sampler><channel source=\"#sa\" "
	                           "target=\"n/move\"/></animation>"
	                           "</library_animations>"
	                           "<library_visual_scenes><visual_scene "
	                           "id=\"s\"><node id=\"n\" name=\"thing\"><translate "
	                           "sid=\"move\">0 0 "
	                           "5</translate><scale>2 1 "
	                           "1</scale><instance_geometry "
	                           "url=\"#g\"/></node></visual_scene></"
	                           "library_visual_scenes>"
	                           "<scene><instance_visual_scene "
	                           "url=\"#s\"/></scene></COLLADA>");
	static const double rest[12] = { 0, 0, 5, 2, 0, 5, 2, 1, 5, 0, 1, 5 };
	static const double moved[12] = { 2, 0, 5, 4, 0, 5, 4, 1, 5, 2, 1, 5 };
	static const uint32_t triangles[6] = { 0, 1, 2, 0, 2, 3 };
	assert_int_equal(asset.instanceCount, 1);
	assert_string_equal(asset.instances[0].name, "n"); // Assimp takes the id
	assert_memory_equal(asset.meshes[0].mesh.triangles, triangles, sizeof(triangles));
	AssertPosed(&asset, IO_NONE, 0, 0, 4, rest);
	assert_int_equal(asset.clipCount, 1);
	assert_true(fabs(asset.clips[0].duration - 2.0) < 1e-6);
	AssertPosed(&asset, 0, 1, 0, 4, moved);
	assert_true(CompareWithReference(&asset) < 1e-6);
	ioAsset_Free(&asset);
}

// Two joints, the second bound at (1, 0, 0) and turned by a half about z there.
static void reads_skins(void** state)
{
	(void)state;
	ioAsset asset = LoadText("test_io_assimp_b.dae", COLLADA SQUARE
	    "<library_controllers><controller id=\"c\"><skin "
	    "source=\"#g\"><bind_shape_matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"
	    "</bind_shape_matrix>" SOURCE(
	        "jo", "Name", "2", "one two", "count=\"2\" stride=\"1\"><param name=\"JOINT\" type=\"name\"/>")
	        SOURCE("bi", "float", "32", "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 1 0 0 -1 0 1 0 0 0 0 1 0 0 0 0 1",
	            "count=\"2\" stride=\"16\"><param name=\"TRANSFORM\" "
	            "type=\"float4x4\"/>") SOURCE("we", "float", "3", "1 0.25 0.75",
	            "count=\"3\" stride=\"1\"><param name=\"WEIGHT\" "
	            "type=\"float\"/>") "<joints><input semantic=\"JOINT\" "
	                                "source=\"#jo\"/><input "
	                                "semantic=\"INV_BIND_MATRIX\" "
	                                "source=\"#bi\"/></joints>"
	                                "<vertex_weights count=\"4\"><input "
	                                "semantic=\"JOINT\" source=\"#jo\" "
	                                "offset=\"0\"/><input semantic=\"WEIGHT\" "
	                                "source=\"#we\" offset=\"1\"/><vcount>1 1 2 "
	                                "1</vcount><v>0 0 1 0 0 1 1 2 1 "
	                                "0</v></vertex_weights></skin>"
	                                "</controller></library_controllers>"
	                                "<library_visual_scenes><visual_scene "
	                                "id=\"s\"><node id=\"j1\" sid=\"one\" "
	                                "name=\"one\" type=\"JOINT\"><scale>2 2 "
	                                "2</scale><node id=\"j2\" sid=\"two\" "
	                                "name=\"two\" type=\"JOINT\"><translate>1 0 "
	                                "0</translate><rotate>0 0 1 "
	                                "180</rotate></node></node><node id=\"n\" "
	                                "name=\"body\"><instance_controller "
	                                "url=\"#c\"><skeleton>#j1</skeleton>"
	                                "</instance_controller></node></"
	                                "visual_scene></library_visual_scenes>"
	                                "<scene><instance_visual_scene "
	                                "url=\"#s\"/></scene></COLLADA>");
	// First joint: p -> 2p. Second: p -> (4 - 2x, -2y, 2z).
	static const double expected[12] = { 0, 0, 0, 2, 0, 0, 2, 0.25 * 2 - 0.75 * 2, 0, 4, -2, 0 };
	assert_int_equal(asset.skinCount, 1);
	AssertPosed(&asset, IO_NONE, 0, 0, 4, expected);
	assert_true(CompareWithReference(&asset) < 1e-6);
	ioAsset_Free(&asset);
}

// Assimp reads glTF as well: its fox must move as ours does.
static void agrees_with_the_gltf_reader(void** state)
{
	(void)state;
	const char* directory = getenv("SNUG_MODELS");
	char path[1024];
	snprintf(path, sizeof(path), "%s/fox.glb", directory != NULL ? directory : SNUG_TEST_DIR "/../../shared/models");
	FILE* file = fopen(path, "rb");
	if (file == NULL)
	{
		SKIP_WITHOUT("models", "no fox.glb (set SNUG_MODELS)");
		return;
	}
	fclose(file);
	ioLoadOptions options = { .format = io_assimp };
	ioAsset ours, theirs;
	ioError error;
	assert_true(ioLoad(path, NULL, &ours, &error));
	assert_true(ioLoad(path, &options, &theirs, &error));
	ioPose *pose = ioPose_Create(&ours), *theirPose = ioPose_Create(&theirs);
	static float found[3 * 1728], expected[3 * 1728];
	assert_int_equal(theirs.meshes[0].mesh.vertexCount, 1728);
	for (uint32_t clip = 0; clip < 3; ++clip)
	{
		double time = 0.37 * ours.clips[clip].duration;
		ioPose_Evaluate(pose, clip, time);
		ioPose_Evaluate(theirPose, ioAsset_FindClip(&theirs, ours.clips[clip].name), time);
		assert_true(ioPose_EvaluateVertices(pose, 0, expected) && ioPose_EvaluateVertices(theirPose, 0, found));
		for (int i = 0; i < 3 * 1728; ++i)
		{
			assert_true(fabsf(found[i] - expected[i]) < 1e-3f); // of 150
		}
	}
	ioPose_Destroy(pose);
	ioPose_Destroy(theirPose);
	ioAsset_Free(&ours);
	ioAsset_Free(&theirs);
}

static void refuses_what_assimp_refuses(void** state)
{
	(void)state;
	ioAsset asset;
	ioError error;
	WriteText("test_io_assimp.fbx", "Kaydara FBX Binary  rubbish");
	assert_false(ioLoad("test_io_assimp.fbx", NULL, &asset, &error));
	assert_memory_equal(error.text, "test_io_assimp.fbx: Assimp: ", 28);
	remove("test_io_assimp.fbx");
	assert_false(ioLoad("no_such_file.fbx", NULL, &asset, &error));
	assert_string_equal(error.text, "no_such_file.fbx: cannot open: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_nodes_and_clips),
		cmocka_unit_test(reads_skins),
		cmocka_unit_test(agrees_with_the_gltf_reader),
		cmocka_unit_test(refuses_what_assimp_refuses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return SkipOrFail("assimp", "built without Assimp");
}

#endif
