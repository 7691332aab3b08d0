// test/io/test_io_models.c: real models, made by others: counts as their makers' tools report them, every clip against
// the naive reference, and how long loading takes. They are in SNUG_MODELS or build/models; without them the
// test is skipped.
#include "test_io.h"

#include <math.h>
#include <time.h>

typedef struct Expected
{
	const char* file;
	uint32_t vertices, triangles, joints, maxInfluences, targets;
	int clipCount;
	double durations[10];
} Expected;

static const Expected models[] = {
	{ "fox.glb", 1728, 576, 24, 4, 0, 3, { 3.42, 0.71, 1.16 } },
	{ "mannequiny.glb", 12597, 13832, 45, 4, 0, 10, { 1.37, 1.2, 1.49, 0.24, 0.49, 0.62, 1.2, 0.66, 0.24, 0.49 } },
	{ "makehuman.glb", 13380, 26756, 163, 9, 14, 1, { 2 } },
	{ "alien.glb", 13429, 25222, 6 + 4 + 1 + 1, 4, 2, 1, { 6.67 } },
	{ "morph_stress_test.glb", 1528, 2412, 0, 0, 8, 3, { 9.37, 1.97, 6.37 } },
	{ "sheen_chair.glb", 22459, 39936, 0, 0, 0, 0, { 0 } },
	{ "fish.obj", 10786, 21568, 0, 0, 0, 0, { 0 } },
	{ "koala.obj", 49999, 99994, 0, 0, 0, 0, { 0 } },
	{ "brain_mni152.ply", 28929, 58038, 0, 0, 0, 0, { 0 } },
	{ "bridge.obj", 16085, 32014, 0, 0, 0, 0, { 0 } },
	{ "spacesuit_emu.ply", 147616, 290226, 0, 0, 0, 0, { 0 } },
	{ "cloth_funnel_t0.ply", 9450, 18484, 0, 0, 0, 0, { 0 } },
	{ "cloth_funnel_t1.ply", 9450, 18484, 0, 0, 0, 0, { 0 } },
};

static void PathOf(const char* file, char path[1024])
{
	snprintf(path, 1024, "%s/%s", MODELS_FOLDER, file);
}

static bool Exists(const char* path)
{
	FILE* file = fopen(path, "rb");
	if (file != NULL)
	{
		fclose(file);
	}
	return file != NULL;
}

static ioAsset LoadModel(const char* file)
{
	char path[1024];
	Warnings warnings = { .count = 0 };
	ioLoadOptions options = { .warning = KeepWarning, .user = &warnings };
	ioAsset asset;
	ioError error;
	PathOf(file, path);
	if (!ioLoad(path, &options, &asset, &error))
	{
		fail_msg("%s", error.text);
	}
	if (warnings.count > 0)
	{
		print_message("%s\n", warnings.last);
	}
	return asset;
}

static void AssertCounts(const ioAsset* asset, const Expected* expected)
{
	uint32_t vertices = 0, triangles = 0, influences = 0, targets = 0;
	for (uint32_t i = 0; i < asset->meshCount; ++i)
	{
		const ioAssetMesh* mesh = asset->meshes + i;
		vertices += mesh->mesh.vertexCount;
		triangles += mesh->mesh.triangleCount;
		targets += mesh->targetCount;
		for (uint32_t v = 0; mesh->influenceStart != NULL && v < mesh->mesh.vertexCount; ++v)
		{
			uint32_t count = mesh->influenceStart[v + 1] - mesh->influenceStart[v];
			influences = count > influences ? count : influences;
		}
	}
	assert_int_equal(vertices, expected->vertices);
	assert_int_equal(triangles, expected->triangles);
	assert_int_equal(asset->jointCount, expected->joints);
	assert_int_equal(influences, expected->maxInfluences);
	assert_int_equal(targets, expected->targets);
	assert_int_equal(asset->clipCount, expected->clipCount);
	for (int i = 0; i < expected->clipCount; ++i)
	{
		assert_true(fabs(asset->clips[i].duration - expected->durations[i]) < 0.0051);
	}
}

static void counts_are_those_of_the_files(void** state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); ++i)
	{
		ioAsset asset = LoadModel(models[i].file);
		AssertCounts(&asset, &models[i]);
		ioAsset_Free(&asset);
	}
}

static void clips_match_the_reference(void** state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); ++i)
	{
		ioAsset asset = LoadModel(models[i].file);
		double worst = CompareWithReference(&asset);
		print_message("%s: %g of the size\n", models[i].file, worst);
		assert_true(worst < 1e-6);
		ioAsset_Free(&asset);
	}
}

static void names_come_along(void** state)
{
	(void)state;
	ioAsset asset = LoadModel("fox.glb");
	assert_int_equal(ioAsset_FindClip(&asset, "Walk"), 1);
	assert_string_equal(asset.instances[0].name, "fox");
	ioAsset_Free(&asset);
	asset = LoadModel("makehuman.glb");
	assert_true(asset.meshes[0].targets[13].name[0] != '\0');
	ioAsset_Free(&asset);
}

// The best of some runs, so that a busy machine does not decide. Sanitizers may take ten times as long.
static double BestTime(const char* path)
{
	double best = INFINITY;
	for (int i = 0; i < 5; ++i)
	{
		ioAsset asset;
		ioError error;
		clock_t start = clock();
		assert_true(ioLoad(path, NULL, &asset, &error));
		best = fmin(best, (double)(clock() - start) / CLOCKS_PER_SEC);
		ioAsset_Free(&asset);
	}
	return best;
}

static void loading_is_quick(void** state)
{
	(void)state;
	char path[1024];
	PathOf("makehuman.glb", path);
	double seconds = BestTime(path);
	print_message("makehuman.glb: %.1f ms\n", 1e3 * seconds);
	assert_true(seconds < 0.5); // 50 ms is the aim; the slack is for sanitizers and slow machines
	// A square of 708 by 708 vertices as OBJ: a million triangles.
	FILE* file = fopen("test_io_models.obj", "wb");
	assert_non_null(file);
	for (int i = 0; i < 708 * 708; ++i)
	{
		fprintf(file, "v %.6f %.6f %.6f\n", 0.37 * (i % 708), 0.41 * (i / 708), sin(i));
	}
	for (int i = 0; i < 707 * 707; ++i)
	{
		int v = i / 707 * 708 + i % 707 + 1;
		fprintf(file, "f %d %d %d\nf %d %d %d\n", v, v + 1, v + 708, v + 1, v + 709, v + 708);
	}
	fclose(file);
	seconds = BestTime("test_io_models.obj");
	remove("test_io_models.obj");
	print_message("a million triangles as OBJ: %.0f ms\n", 1e3 * seconds);
	assert_true(seconds < 10.0); // 1 s is the aim
}

int main(void)
{
	char path[1024];
	PathOf("fox.glb", path);
	if (!Exists(path))
	{
		return SkipOrFail("models", "no fox.glb (set SNUG_MODELS)");
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_those_of_the_files),
		cmocka_unit_test(clips_match_the_reference),
		cmocka_unit_test(names_come_along),
		cmocka_unit_test(loading_is_quick),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
