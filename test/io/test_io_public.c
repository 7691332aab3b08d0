// test/io/test_io_public.c: snug_io.h as a program sees it: statuses and messages of files that cannot be had, structs
// that can grow, and actors whose bodies are where plain evaluation of the file says, whatever moves them.
#include "test_io.h"

#include <math.h>
#include <snug/snug_io.h>

// Sizes of what crosses the border of the shared library, on 64-bit machines, as in test_contents.c.
_Static_assert(sizeof(void*) != 8 || sizeof(snugAssetDef) == 88, "snugAssetDef");
_Static_assert(sizeof(void*) != 8 || sizeof(snugInstance) == 56, "snugInstance");
_Static_assert(sizeof(void*) != 8 || sizeof(snugClip) == 56, "snugClip");
_Static_assert(sizeof(void*) != 8 || sizeof(snugActorDef) == 144, "snugActorDef");

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
	AssertRefused(".", snug_ioError, ".: " FOLDER_REFUSED);
	WriteFile("public_needy.gltf", needy, sizeof(needy) - 1);
	AssertRefused("public_needy.gltf", snug_ioError, "public_absent.bin: cannot open: ");
	WriteFile("public_bad.obj", "v 0 0\n", 6);
	AssertRefused("public_bad.obj", snug_badFile, "public_bad.obj:1: ");
	WriteFile("public_bad.glb", "glTF", 4);
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

// ---- Where bodies are ------------------------------------------------------------------------------------------

// Turned, and off unit length by what snugBody_SetFrame forgives.
static const snugFrame aside = { { 3.0, -2.0, 1.0 }, { 0.48 * 1.004, 0.6 * 1.004, 0.0, 0.64 * 1.004 } };

static void Place(const snugFrame* frame, const float p[3], double out[3])
{
	double x = frame->rotation[0], y = frame->rotation[1], z = frame->rotation[2], w = frame->rotation[3];
	double n = x * x + y * y + z * z + w * w;
	const double m[3][3] = {
		{ 1 - 2 * (y * y + z * z) / n, 2 * (x * y - w * z) / n, 2 * (x * z + w * y) / n },
		{ 2 * (x * y + w * z) / n, 1 - 2 * (x * x + z * z) / n, 2 * (y * z - w * x) / n },
		{ 2 * (x * z - w * y) / n, 2 * (y * z + w * x) / n, 1 - 2 * (x * x + y * y) / n },
	};
	for (int i = 0; i < 3; ++i)
	{
		out[i] = m[i][0] * (double)p[0] + m[i][1] * (double)p[1] + m[i][2] * (double)p[2] + frame->position[i];
	}
}

static float* GetVertices(const snugBody* body, uint32_t* count)
{
	*count = snugModel_GetInfo(snugBody_GetModel(body)).vertexCount;
	float* positions = malloc(((size_t)*count + 1) * 3 * sizeof(float));
	assert_int_equal(snugBody_GetVertices((snugBody*)(uintptr_t)body, NULL, positions, 0), snug_success);
	return positions;
}

// An actor's bodies are those of some instances, where the file is at a time.
static void AssertPosed(
    const snugAsset* asset, const snugActor* actor, const uint32_t* instances, uint32_t clip, double time, bool isAside)
{
	ioPose* pose = ioPose_Create(asset);
	uint32_t count, vertices;
	snugBody* const* bodies = snugActor_GetBodies(actor, &count);
	ioPose_Evaluate(pose, clip, time);
	for (uint32_t b = 0; b < count; ++b)
	{
		float* found = GetVertices(bodies[b], &vertices);
		float* plain = malloc(((size_t)vertices + 1) * 3 * sizeof(float));
		assert_true(ioPose_EvaluateVertices(pose, instances != NULL ? instances[b] : b, plain));
		for (uint32_t i = 0; i < 3 * vertices; ++i)
		{
			double expected[3] = { (double)plain[i / 3 * 3], (double)plain[i / 3 * 3 + 1],
				(double)plain[i / 3 * 3 + 2] };
			double size = 1.0 + fabs(expected[0]) + fabs(expected[1]) + fabs(expected[2]);
			if (isAside)
			{
				Place(&aside, plain + i / 3 * 3, expected);
			}
			if (!(fabs((double)found[i] - expected[i % 3]) <= 1e-5 * size))
			{
				fail_msg("clip %d at %g, body %u, vertex %u: %g instead of %g", (int)clip, time, b, i / 3,
				    (double)found[i], expected[i % 3]);
			}
		}
		free(found);
		free(plain);
	}
	ioPose_Destroy(pose);
}

static void AssertPlays(const snugAsset* asset, snugActor* actor, const uint32_t* instances, uint32_t clip, double end)
{
	for (int i = 0; i < 6; ++i)
	{
		double time = (0.3 * i - 0.2) * end;
		assert_int_equal(snugActor_SetTime(actor, clip, time, i % 2 == 1 ? &aside : NULL), snug_success);
		AssertPosed(asset, actor, instances, clip, time, i % 2 == 1);
	}
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
			assert_int_equal(snugAsset_GetInfo(asset).instanceCount, inside.instanceCount);
			assert_int_equal(snugAsset_GetInfo(asset).clipCount, inside.clipCount);
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
				snugActor* actor;
				assert_int_equal(snugActor_Create(asset, NULL, &actor), snug_success);
				AssertPosed(asset, actor, NULL, SNUG_NONE, 0.0, false);
				AssertPlays(asset, actor, NULL, c, clip.end);
				snugActor_Destroy(actor);
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

// ---- Actors ----------------------------------------------------------------------------------------------------

static snugAsset* MakeTroupe(void)
{
	Gltf troupe = MakeGltfTroupe();
	Bytes bytes = Gltf_Make(&troupe, NULL);
	snugAsset* asset = NULL;
	Heard heard = { 0 };
	snugAssetDef def = { .messenger = { Hear, &heard } };
	if (snugAsset_LoadMemory(bytes.data, bytes.count, "troupe.glb", &def, &asset) != snug_success)
	{
		fail_msg("%s", heard.error);
	}
	assert_int_equal(snugAsset_GetInfo(asset).instanceCount, actCount);
	Bytes_Free(&bytes);
	Gltf_Free(&troupe);
	return asset;
}

static snugModelInfo InfoOf(const snugActor* actor, uint32_t body)
{
	return snugModel_GetInfo(snugBody_GetModel(snugActor_GetBodies(actor, NULL)[body]));
}

// Whatever moves a body, in every clip: by one actor for all of them, and by one for each alone.
static void actors_are_where_their_file_is(void** state)
{
	(void)state;
	// For all clips, and for the second alone, which moves but one node.
	static const snugDeformer all[actCount] = { snug_rigid, snug_rigid, snug_skin, snug_skin, snug_rigid, snug_skin,
		snug_skin, snug_fields, snug_fields, snug_free, snug_rigid };
	static const snugDeformer walking[actCount] = { snug_rigid, snug_rigid, snug_skin, snug_rigid, snug_rigid,
		snug_skin, snug_skin, snug_fields, snug_fields, snug_fields, snug_rigid };
	snugAsset* asset = MakeTroupe();
	snugActor* actor;
	assert_int_equal(snugActor_Create(asset, NULL, &actor), snug_success);
	AssertPosed(asset, actor, NULL, SNUG_NONE, 0.0, false);
	for (uint32_t i = 0; i < actCount; ++i)
	{
		assert_int_equal(InfoOf(actor, i).deformer, all[i]);
	}
	assert_int_equal(InfoOf(actor, actMorphedSkin).fieldCount, 1);
	assert_int_equal(InfoOf(actor, actSkinned).fieldCount, 0);
	for (uint32_t clip = 0; clip < 2; ++clip)
	{
		AssertPlays(asset, actor, NULL, clip, 1.0);
	}
	AssertPlays(asset, actor, NULL, SNUG_NONE, 1.0);
	snugActor_Destroy(actor);
	for (uint32_t clip = 0; clip < 2; ++clip)
	{
		snugActorDef def = { .clips = &clip, .clipCount = 1 };
		assert_int_equal(snugActor_Create(asset, &def, &actor), snug_success);
		for (uint32_t i = 0; i < actCount; ++i)
		{
			assert_int_equal(InfoOf(actor, i).deformer, clip == 0 ? all[i] : walking[i]);
		}
		AssertPlays(asset, actor, NULL, clip, 1.0);
		assert_int_equal(snugActor_SetTime(actor, 1 - clip, 0.0, NULL), snug_badArgument);
		snugActor_Destroy(actor);
	}
	snugAsset_Destroy(asset);
}

// Some instances, one of them twice, in an order of their own; models of a twin; all targets; another skin.
static void definitions_count(void** state)
{
	(void)state;
	static const uint32_t some[] = { actIdle, actSkinned, actScaled, actSkinned };
	snugAsset* asset = MakeTroupe();
	snugActorDef def = { .instances = some, .instanceCount = 4 };
	snugActor *first, *second;
	uint32_t count;
	assert_int_equal(snugActor_Create(asset, &def, &first), snug_success);
	def.twin = first;
	assert_int_equal(snugActor_Create(asset, &def, &second), snug_success);
	snugActor_GetBodies(second, &count);
	assert_int_equal(count, 4);
	AssertPlays(asset, second, some, 0, 1.0);
	AssertPosed(asset, first, some, SNUG_NONE, 0.0, false);
	for (uint32_t i = 0; i < 4; ++i)
	{
		snugBody *a = snugActor_GetBodies(first, NULL)[i], *b = snugActor_GetBodies(second, NULL)[i];
		assert_ptr_not_equal(a, b);
		assert_ptr_equal(snugBody_GetModel(a), snugBody_GetModel(b));
	}
	snugActor_Destroy(second);
	snugActor_Destroy(first);
	def = (snugActorDef){ .allTargets = true, .blending = snug_blendDualQuaternion };
	assert_int_equal(snugActor_Create(asset, &def, &first), snug_success);
	assert_int_equal(InfoOf(first, actIdle).fieldCount, 1);
	assert_int_equal(InfoOf(first, actSkinned).blending, snug_blendDualQuaternion);
	snugActor_Destroy(first);
	snugAsset_Destroy(asset);
}

// Models that stand alone: skins as the mesh is, others where the file has them at rest.
static void models_stand_alone(void** state)
{
	(void)state;
	snugAsset* asset = MakeTroupe();
	ioPose* pose = ioPose_Create(asset);
	for (uint32_t i = 0; i < actCount; ++i)
	{
		float found[15], plain[15];
		snugModel* model;
		assert_int_equal(snugAsset_CreateModel(asset, i, NULL, &model), snug_success);
		snugModelInfo info = snugModel_GetInfo(model);
		bool isSkin = i == actSkinned || i == actMorphedSkin;
		assert_int_equal(info.fieldCount, i >= actMorphedSkin ? 1 : 0);
		assert_int_equal(info.jointCount, isSkin ? 2 : 0);
		snugModel_GetPositions(model, found, 0);
		assert_true(ioPose_EvaluateVertices(pose, i, plain));
		assert_memory_equal(found, isSkin ? troupeMesh : plain, sizeof(found));
		snugModel_Destroy(model);
	}
	ioPose_Destroy(pose);
	snugAsset_Destroy(asset);
}

static void wrong_arguments_are_refused(void** state)
{
	(void)state;
	snugAsset *asset = MakeTroupe(), *other = MakeTroupe();
	snugActor *actor, *good;
	snugModel* model;
	uint32_t absent = actCount, noClip = 2, count = 7;
	assert_int_equal(snugActor_Create(asset, NULL, &good), snug_success);
	snugActorDef uninitialised;
	memset(&uninitialised, 0xaa, sizeof(uninitialised));
	const snugActorDef wrong[] = {
		{ .instances = &absent, .instanceCount = 1 },
		{ .instanceCount = 1 },
		{ .clips = &noClip, .clipCount = 1 },
		{ .clipCount = 1 },
		{ .blending = (snugBlending)99 },
		uninitialised,
	};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i)
	{
		actor = (snugActor*)(uintptr_t)1;
		assert_int_equal(snugActor_Create(asset, wrong + i, &actor), snug_badArgument);
		assert_null(actor);
	}
	assert_int_equal(snugActor_Create(other, &(snugActorDef){ .twin = good }, &actor), snug_badArgument);
	assert_int_equal(snugActor_Create(NULL, NULL, &actor), snug_badArgument);
	assert_int_equal(snugActor_Create(asset, NULL, NULL), snug_badArgument);
	assert_int_equal(snugActor_SetTime(NULL, 0, 0.0, NULL), snug_badArgument);
	assert_int_equal(snugActor_SetTime(good, 2, 0.0, NULL), snug_badArgument);
	assert_int_equal(snugActor_SetTime(good, 0, NAN, NULL), snug_badArgument);
	assert_int_equal(snugActor_SetTime(good, 0, 0.0, &(snugFrame){ .rotation = { 2.0 } }), snug_badInput);
	assert_int_equal(snugActor_SetTime(good, 0, 0.0, &(snugFrame){ .position = { INFINITY } }), snug_badInput);
	AssertPlays(asset, good, NULL, 0, 1.0);
	assert_int_equal(snugActor_SetTime(good, 0, 1.0, &(snugFrame){ .rotation = { 0.0 } }), snug_success);
	AssertPlays(asset, good, NULL, 0, 1.0);
	assert_null(snugActor_GetBodies(NULL, &count));
	assert_int_equal(count, 0);
	model = (snugModel*)(uintptr_t)1;
	assert_int_equal(snugAsset_CreateModel(asset, actCount, NULL, &model), snug_badArgument);
	assert_null(model);
	assert_int_equal(snugAsset_CreateModel(asset, 0, &uninitialised, &model), snug_badArgument);
	assert_int_equal(snugAsset_CreateModel(asset, 0, NULL, NULL), snug_badArgument);
	assert_int_equal(snugAsset_CreateModel(NULL, 0, NULL, &model), snug_badArgument);
	snugActor_Destroy(NULL);
	snugActor_Destroy(good);
	snugAsset_Destroy(asset);
	snugAsset_Destroy(other);
}

// Beyond float32, at rest and in motion: a sentence, and no body.
static void what_is_too_large_is_told(void** state)
{
	(void)state;
	for (int moves = 0; moves < 2; ++moves)
	{
		static const float times[2] = { 0, 1 }, grow[6] = { 1, 1, 1, 3e38f, 3e38f, 3e38f },
		                   big[9] = { 0, 0, 0, 9, 0, 0, 0, 9 };
		Gltf g = { .counts = { 0 } };
		char target[60];
		snprintf(target, sizeof(target), ",'targets':[{'POSITION':%d}]",
		    Gltf_AddArray(&g, "VEC3", type_float, false, 3, big));
		Gltf_AddMesh(&g, 3, big, 3, (const uint16_t[]){ 0, 1, 2 }, NULL, target, ",'weights':[1]");
		Gltf_Add(&g, "nodes", moves ? "{'mesh':0}" : "{'mesh':0,'scale':[3e38,3e38,3e38]}");
		int t = Gltf_AddArray(&g, "SCALAR", type_float, false, 2, times);
		Gltf_Add(&g, "animations",
		    "{'samplers':[{'input':%d,'output':%d}],'channels':[{'sampler':0,'target':{'node':0,'path':'scale'}}]}", t,
		    Gltf_AddArray(&g, "VEC3", type_float, false, 2, grow));
		Bytes bytes = Gltf_Make(&g, NULL);
		Heard heard = { 0 };
		snugAsset* asset;
		snugActor* actor;
		snugActorDef def = { .messenger = { Hear, &heard } };
		assert_int_equal(snugAsset_LoadMemory(bytes.data, bytes.count, "big.glb", NULL, &asset), snug_success);
		assert_int_equal(snugActor_Create(asset, &def, &actor), moves ? snug_success : snug_outOfRange);
		assert_int_equal(snugActor_SetTime(actor, 0, 1.0, NULL), moves ? snug_outOfRange : snug_badArgument);
		assert_string_equal(heard.error,
		    moves ? "posed positions are too large for float32" : "positions at rest are too large for float32");
		assert_int_equal(heard.errors, 1);
		snugActor_Destroy(actor);
		snugAsset_Destroy(asset);
		Bytes_Free(&bytes);
		Gltf_Free(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(failures_have_a_status_and_a_sentence),
		cmocka_unit_test(what_was_not_initialised_is_refused),
		cmocka_unit_test(samples_are_as_inside),
		cmocka_unit_test(repairs_are_warnings),
		cmocka_unit_test(actors_are_where_their_file_is),
		cmocka_unit_test(definitions_count),
		cmocka_unit_test(models_stand_alone),
		cmocka_unit_test(wrong_arguments_are_refused),
		cmocka_unit_test(what_is_too_large_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
