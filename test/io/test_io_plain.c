// test/io/test_io_plain.c: assets as glTF can say them, written as GLB and read back: every instance is where it was,
// at rest and in all clips.
#include "fbx_files.h"
#include "test_io.h"

#include "io/gltf_write.h"
#include "io/plain.h"

#include <math.h>

#define FILE_NAME "test_io_plain.glb"

static ioAsset LoadBytes(Bytes bytes, const char* name)
{
	ioAsset asset;
	ioError error;
	if (!ioLoadMemory(bytes.data, bytes.count, name, NULL, &asset, &error))
	{
		fail_msg("%s", error.text);
	}
	return asset;
}

static ioAsset WriteAndRead(const ioAsset* asset)
{
	ioAsset plain, back;
	ioError error;
	assert_true(ioMakePlain(asset, FILE_NAME, &plain, &error));
	assert_true(ioWriteGlb(FILE_NAME, &plain, NULL, &error));
	ioAsset_Free(&plain);
	if (!ioLoad(FILE_NAME, NULL, &back, &error))
	{
		fail_msg("%s", error.text);
	}
	remove(FILE_NAME);
	return back;
}

// The largest distance between vertices of two poses, in relation to the size of the instance.
static double Compare(const ioPose* a, const ioPose* b, uint32_t instance, uint32_t count)
{
	float* positions = malloc(6 * ((size_t)count + 1) * sizeof(float));
	float* others = positions + 3 * (size_t)count;
	assert_true(ioPose_EvaluateVertices(a, instance, positions) && ioPose_EvaluateVertices(b, instance, others));
	double worst = 0.0, size = 0.0;
	for (size_t i = 0; i < 3 * (size_t)count; ++i)
	{
		worst = fmax(worst, fabs((double)positions[i] - (double)others[i]));
		size = fmax(size, fabs((double)positions[i]));
	}
	free(positions);
	return size > 0.0 ? worst / size : worst;
}

// At rest, and at the ends of clips and between them.
static double CompareAll(const ioAsset* asset, const ioAsset* back, int steps)
{
	ioPose *a = ioPose_Create(asset), *b = ioPose_Create(back);
	double worst = 0.0;
	assert_int_equal(asset->instanceCount, back->instanceCount);
	assert_int_equal(asset->clipCount, back->clipCount);
	for (uint32_t clip = 0; clip <= asset->clipCount; ++clip)
	{
		const ioClip* c = clip < asset->clipCount ? asset->clips + clip : NULL;
		for (int i = 0; i <= (c != NULL ? steps : 0); ++i)
		{
			double time = c != NULL ? c->start + (c->duration - c->start) * i / steps : 0.0;
			ioPose_Evaluate(a, c != NULL ? clip : IO_NONE, time);
			ioPose_Evaluate(b, c != NULL ? clip : IO_NONE, time);
			for (uint32_t k = 0; k < asset->instanceCount; ++k)
			{
				const ioMesh* mesh = &asset->meshes[asset->instances[k].mesh].mesh;
				const ioMesh* other = &back->meshes[back->instances[k].mesh].mesh;
				assert_string_equal(asset->instances[k].name, back->instances[k].name);
				assert_int_equal(mesh->vertexCount, other->vertexCount);
				assert_int_equal(mesh->triangleCount, other->triangleCount);
				assert_memory_equal(mesh->triangles, other->triangles, 12 * (size_t)mesh->triangleCount);
				worst = fmax(worst, Compare(a, b, k, mesh->vertexCount));
			}
		}
		assert_true(c == NULL || strcmp(c->name, back->clips[clip].name) == 0);
	}
	ioPose_Destroy(a);
	ioPose_Destroy(b);
	return worst;
}

static void assets_stay_what_they_are(void** state)
{
	(void)state;
	Sample samples[32];
	int count = MakeSamples(samples);
	for (int i = 0; i < count; ++i)
	{
		if (strcmp(samples[i].format, "obj") != 0) // read from files alone; test_view has one
		{
			ioAsset asset = LoadBytes(samples[i].bytes, samples[i].name), back = WriteAndRead(&asset);
			double worst = CompareAll(&asset, &back, 100);
			if (!(worst < 1e-4))
			{
				fail_msg("%s: off by %g of its size", samples[i].name, worst);
			}
			ioAsset_Free(&asset);
			ioAsset_Free(&back);
		}
		Bytes_Free(&samples[i].bytes);
	}
}

// ---- FBX -------------------------------------------------------------------------------------------------------

enum
{
	models = 4,
	firstCurve = 100
};

static void AddModel(Fbx* f, int number, uint32_t* random, int inherit)
{
	static const char* const names[] = { "Lcl Translation", "Lcl Rotation", "Lcl Scaling", "RotationOffset",
		"RotationPivot", "PreRotation", "PostRotation", "ScalingOffset", "ScalingPivot" };
	double order = NextRandom(random) % 6, inherits = inherit;
	char name[16];
	snprintf(name, sizeof(name), "m%d", number);
	Fbx_BeginObject(f, "Model", 1 + number, name, "Model", "Mesh");
	Fbx_Begin(f, "Properties70");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
	{
		double v[3];
		for (int k = 0; k < 3; ++k)
		{
			bool turns = i == 1 || i == 5 || i == 6;
			// Scales that differ by axis shear what turns below them: then a node's own is the last one that does.
			bool isOne = i == 2 && inherit == 1 && number < models - 1;
			v[k] = isOne ? 1.5 : i == 2 ? RandomIn(random, 0.5, 2) : RandomIn(random, -3, 3) * (turns ? 50 : 1);
		}
		Fbx_AddProperty(f, names[i], 3, v);
	}
	Fbx_AddProperty(f, "RotationOrder", 1, &order);
	Fbx_AddProperty(f, "InheritType", 1, &inherits);
	Fbx_End(f);
	Fbx_End(f);
}

// A chain of models with pivots, all of which turn, move and change their sizes by curves of their own, but for the
// last one if it is carried. That has a mesh. One more number of each is constant: it has a key at zero, long before.
static Bytes MakeChain(uint32_t* random, int inherit, bool isCarried)
{
	static const double points[12] = { 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3 };
	static const int64_t corners[12] = { 0, 2, -2, 0, 1, -4, 0, 3, -3, 1, 2, -4 };
	static const double times[3] = { 8.1, 8.6, 9.3 };
	static const char* const paths[3] = { "Lcl Translation", "Lcl Rotation", "Lcl Scaling" };
	Fbx f = Fbx_Start(true, 7400);
	Fbx_Begin(&f, "Objects");
	Fbx_BeginObject(&f, "Geometry", 90, "tetra", "Geometry", "Mesh");
	Fbx_AddNumbers(&f, "Vertices", 12, points);
	Fbx_AddIntegers(&f, "PolygonVertexIndex", 12, corners);
	Fbx_End(&f);
	Fbx_BeginObject(&f, "AnimationStack", 91, "spin", "AnimStack", "");
	Fbx_End(&f);
	Fbx_BeginObject(&f, "AnimationLayer", 92, "base", "AnimLayer", "");
	Fbx_End(&f);
	for (int i = 0; i < models; ++i)
	{
		AddModel(&f, i, random, inherit);
		for (int path = 0; path < 3; ++path)
		{
			int64_t id = firstCurve + 2 * (3 * i + path);
			double values[3];
			for (int k = 0; k < 3; ++k)
			{
				values[k] = path == 0   ? RandomIn(random, -3, 3)
				            : path == 1 ? RandomIn(random, -150, 150)
				                        : RandomIn(random, 0.5, 2);
			}
			Fbx_BeginObject(&f, "AnimationCurveNode", id, "", "AnimCurveNode", "");
			Fbx_Begin(&f, "Properties70");
			Fbx_AddProperty(&f, path == 2 ? "d|X" : "d|Z", 1, values + 1);
			Fbx_End(&f);
			Fbx_End(&f);
			Fbx_AddCurve(&f, id + 1, 3, times, values, NULL);
		}
	}
	Fbx_End(&f);
	Fbx_Begin(&f, "Connections");
	Fbx_AddConnection(&f, 90, models, NULL);
	Fbx_AddConnection(&f, 92, 91, NULL);
	for (int i = 0; i < models; ++i)
	{
		Fbx_AddConnection(&f, 1 + i, i, NULL); // the first to 0, the root
		if (isCarried && i == models - 1)
		{
			break;
		}
		// Sizes of those above the last one stay, if all is inherited: else they shear.
		for (int path = 0; path < (inherit == 1 && i < models - 1 ? 2 : 3); ++path)
		{
			int64_t id = firstCurve + 2 * (3 * i + path);
			Fbx_AddConnection(&f, id, 92, NULL);
			Fbx_AddConnection(&f, id, 1 + i, paths[path]);
			Fbx_AddConnection(&f, id + 1, id, path == 0 ? "d|X" : path == 1 ? "d|Y" : "d|Z");
		}
	}
	Fbx_End(&f);
	return Fbx_Finish(&f);
}

static void pivots_become_translations(void** state)
{
	(void)state;
	uint32_t random = 1;
	for (int i = 0; i < 60; ++i)
	{
		const bool isCarried = i % 2 == 0;
		Bytes bytes = MakeChain(&random, i % 3, isCarried);
		ioAsset asset = LoadBytes(bytes, "chain.fbx"), back = WriteAndRead(&asset);
		assert_int_equal(asset.clipCount, 1);
		assert_int_equal(asset.clips[0].channelCount, 2 * ((i % 3 == 1 ? 9 : 12) - (isCarried ? 3 : 0)));
		assert_true(back.clips[0].start == asset.clips[0].start && back.clips[0].duration == asset.clips[0].duration);
		double ends = CompareAll(&asset, &back, 1), worst = CompareAll(&asset, &back, 100);
		if (!(ends < 1e-5 && worst < 4e-3)) // between keys, of what turns twice a second
		{
			fail_msg("chain %d: off by %g of its size, by %g at keys", i, worst, ends);
		}
		ioAsset_Free(&asset);
		ioAsset_Free(&back);
		Bytes_Free(&bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(assets_stay_what_they_are),
		cmocka_unit_test(pivots_become_translations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
