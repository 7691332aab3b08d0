// test/test_io_public.c: snug_io.h as a program sees it: statuses and messages of files that cannot be had, structs
// that can grow, and the same poses as inside.
#include "test_io.h"

#include <snug/snug_io.h>

// Sizes of what crosses the border of the shared library, on 64-bit machines, as in test_contents.c.
_Static_assert(sizeof(void*) != 8 || sizeof(snugAssetDef) == 88, "snugAssetDef");
_Static_assert(sizeof(void*) != 8 || sizeof(snugInstance) == 56, "snugInstance");
_Static_assert(sizeof(void*) != 8 || sizeof(snugClip) == 56, "snugClip");

typedef struct Heard
{
	int errors, warnings;
	char error[512], warning[512];
} Heard;

static void Hear(void* user, snugSeverity severity, const char* text)
{
	Heard* heard = user;
	bool isError = severity == snug_error;
	heard->errors += isError;
	heard->warnings += !isError;
	snprintf(isError ? heard->error : heard->warning, 512, "%s", text);
}

static snugStatus LoadFile(const char* path, Heard* heard, snugAsset** asset)
{
	snugAssetDef def = { .messenger = { Hear, heard } };
	memset(heard, 0, sizeof(*heard));
	*asset = (snugAsset*)(uintptr_t)1;
	return snugAsset_LoadFile(path, &def, asset);
}

static void WriteText(const char* path, const void* text, size_t count)
{
	FILE* file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
}

static void AssertRefused(const char* path, snugStatus expected, const char* message)
{
	Heard heard;
	snugAsset* asset;
	assert_int_equal(LoadFile(path, &heard, &asset), expected);
	assert_null(asset);
	assert_int_equal(heard.errors, 1);
	if (strstr(heard.error, message) == NULL)
	{
		fail_msg("'%s' is not in '%s'", message, heard.error);
	}
}

static void failures_have_a_status_and_a_sentence(void** state)
{
	(void)state;
	static const char needy[] =
	    "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"uri\":\"public_absent.bin\",\"byteLength\":36}],"
	    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
	    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
	    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0}]}";
	AssertRefused("public_absent.glb", snug_ioError, "public_absent.glb: cannot open: ");
	AssertRefused("public_absent.obj", snug_ioError, "public_absent.obj: cannot open: ");
	AssertRefused(".", snug_ioError, ".: cannot read: ");
	WriteText("public_needy.gltf", needy, sizeof(needy) - 1);
	AssertRefused("public_needy.gltf", snug_ioError, "public_absent.bin: cannot open: ");
	WriteText("public_bad.obj", "v 0 0\n", 6);
	AssertRefused("public_bad.obj", snug_badFile, "public_bad.obj:1: ");
	WriteText("public_bad.glb", "glTF", 4);
	AssertRefused("public_bad.glb", snug_badFile, "public_bad.glb: ");
	remove("public_needy.gltf");
	remove("public_bad.obj");
	remove("public_bad.glb");
}

static void what_was_not_initialised_is_refused(void** state)
{
	(void)state;
	snugAsset* asset = (snugAsset*)(uintptr_t)1;
	snugAssetDef def;
	memset(&def, 0xaa, sizeof(def)); // a messenger that must not be called
	assert_int_equal(snugAsset_LoadFile("public_absent.glb", &def, &asset), snug_badArgument);
	assert_null(asset);
	assert_int_equal(snugAsset_LoadMemory("x", 1, "x.off", &def, &asset), snug_badArgument);
	assert_int_equal(snugAsset_LoadFile(NULL, NULL, &asset), snug_badArgument);
	assert_int_equal(snugAsset_LoadFile("public_absent.glb", NULL, &asset), snug_ioError);
}

static void AssertZero(const uint64_t* words, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(*words); ++i)
	{
		assert_int_equal(words[i], 0);
	}
}

static void AssertSameBits(const snugAsset* asset, const ioAsset* inside, uint32_t clip, double time)
{
	snugPose* pose = NULL;
	ioPose* expected = ioPose_Create(inside);
	assert_int_equal(snugPose_Create(asset, &pose), snug_success);
	assert_int_equal(snugPose_Evaluate(pose, clip, time), snug_success);
	ioPose_Evaluate(expected, clip, time);
	for (uint32_t i = 0; i < inside->instanceCount; ++i)
	{
		size_t bytes = 12 * (size_t)inside->meshes[inside->instances[i].mesh].mesh.vertexCount;
		float *a = malloc(bytes), *b = malloc(bytes);
		assert_int_equal(snugPose_GetVertices(pose, i, a), snug_success);
		assert_true(ioPose_EvaluateVertices(expected, i, b));
		assert_memory_equal(a, b, bytes);
		free(a);
		free(b);
	}
	snugPose_Destroy(pose);
	ioPose_Destroy(expected);
}

// Every sample comes out as inside: counts, names, poses; and what is in reserve is zero.
static void samples_are_as_inside(void** state)
{
	(void)state;
	Sample samples[32];
	int count = MakeSamples(samples), clips = 0;
	for (int s = 0; s < count; ++s)
	{
		snugAsset* asset = NULL;
		ioAsset inside;
		ioError error;
		Bytes* bytes = &samples[s].bytes;
		bool inMemory = strcmp(samples[s].format, "obj") != 0;
		if (inMemory && ioLoadMemory(bytes->data, bytes->count, samples[s].name, NULL, &inside, &error))
		{
			assert_int_equal(
			    snugAsset_LoadMemory(bytes->data, bytes->count, samples[s].name, NULL, &asset), snug_success);
			assert_int_equal(snugAsset_GetInstanceCount(asset), inside.instanceCount);
			assert_int_equal(snugAsset_GetClipCount(asset), inside.clipCount);
			snugInstance info;
			snugClip clip;
			memset(&info, 0xff, sizeof(info));
			memset(&clip, 0xff, sizeof(clip));
			assert_int_equal(snugAsset_GetInstance(asset, 0, &info), snug_success);
			assert_string_equal(info.name, inside.instances[0].name);
			AssertZero(info.reserved, sizeof(info.reserved));
			assert_int_equal(snugAsset_GetInstance(asset, inside.instanceCount, &info), snug_badArgument);
			for (uint32_t c = 0; c < inside.clipCount; ++c, ++clips)
			{
				assert_int_equal(snugAsset_GetClip(asset, c, &clip), snug_success);
				AssertZero(clip.reserved, sizeof(clip.reserved));
				AssertSameBits(asset, &inside, c, 0.4 * clip.end);
			}
			snugAsset_Destroy(asset);
			ioAsset_Free(&inside);
		}
		Bytes_Free(bytes);
	}
	assert_true(clips > 0);
}

// Weights that add up to two are scaled, with a word.
static void repairs_are_warnings(void** state)
{
	(void)state;
	static const float positions[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, weights[12] = { 2, 0, 0, 0, 1, 0, 0, 0, 1 };
	static const uint8_t joints[12] = { 0 };
	static const uint16_t indices[3] = { 0, 1, 2 };
	char attributes[64];
	Gltf g = { .counts = { 0 } };
	int j = Gltf_AddArray(&g, "VEC4", type_uint8, false, 3, joints);
	int w = Gltf_AddArray(&g, "VEC4", type_float, false, 3, weights);
	snprintf(attributes, sizeof(attributes), ",'JOINTS_0':%d,'WEIGHTS_0':%d", j, w);
	Gltf_AddMesh(&g, 3, positions, 3, indices, attributes, NULL, NULL);
	Gltf_Add(&g, "nodes", "{'mesh':0,'skin':0}");
	Gltf_Add(&g, "skins", "{'joints':[0]}");
	Bytes bytes = Gltf_Make(&g, NULL);
	Heard heard = { 0 };
	snugAssetDef def = { .messenger = { Hear, &heard } };
	snugAsset* asset;
	assert_int_equal(snugAsset_LoadMemory(bytes.data, bytes.count, "repaired.glb", &def, &asset), snug_success);
	assert_int_equal(heard.errors, 0);
	assert_true(heard.warnings > 0);
	assert_non_null(strstr(heard.warning, "repaired.glb: "));
	snugAsset_Destroy(asset);
	Bytes_Free(&bytes);
	Gltf_Free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(failures_have_a_status_and_a_sentence),
		cmocka_unit_test(what_was_not_initialised_is_refused),
		cmocka_unit_test(samples_are_as_inside),
		cmocka_unit_test(repairs_are_warnings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
