// test/io/test_io_gltf.h: what the tests of the glTF reader share: a quad, loading what was built, and where it is
// then.
#ifndef TEST_IO_GLTF_H
#define TEST_IO_GLTF_H

#include "test_io.h"

#include <math.h>

static const float quad[12] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 };
static const uint16_t quadIndices[6] = { 0, 1, 2, 0, 2, 3 };
// Four vertices that tell the axes apart, for the same triangles.
static const float corner[12] = { 1, 2, 3, 1, 0, 0, 0, 1, 0, 0, 0, 1 };

// Load what was built, as GLB, and free the builder.
static inline ioAsset LoadWarned(Gltf* gltf, Warnings* warnings)
{
	Bytes bytes = Gltf_Make(gltf, NULL);
	ioLoadOptions options = { .warning = KeepWarning, .user = warnings };
	ioAsset asset;
	ioError error;
	*warnings = (Warnings){ .count = 0 };
	if (!ioLoadMemory(bytes.data, bytes.count, "test.glb", &options, &asset, &error))
	{
		fail_msg("%s", error.text);
	}
	Bytes_Free(&bytes);
	Gltf_Free(gltf);
	return asset;
}

static inline ioAsset Load(Gltf* gltf)
{
	Warnings warnings;
	ioAsset asset = LoadWarned(gltf, &warnings);
	if (warnings.count > 0)
	{
		fail_msg("a warning: %s", warnings.last);
	}
	return asset;
}

// Fails unless an instance is at the expected positions at a time.
static inline void AssertPosed(
    const ioAsset* asset, uint32_t clip, double time, uint32_t instance, int count, const double* expected)
{
	ioPose* pose = ioPose_Create(asset);
	float found[64];
	assert_non_null(pose);
	assert_int_equal(asset->meshes[asset->instances[instance].mesh].mesh.vertexCount, count);
	ioPose_Evaluate(pose, clip, time);
	assert_true(ioPose_EvaluateVertices(pose, instance, found));
	for (int i = 0; i < 3 * count; ++i)
	{
		if (!(fabs((double)found[i] - expected[i]) < 1e-6 * (1.0 + fabs(expected[i]))))
		{
			fail_msg(
			    "time %g, vertex %d, coordinate %d: %.9g, not %.9g", time, i / 3, i % 3, (double)found[i], expected[i]);
		}
	}
	ioPose_Destroy(pose);
}

// A quad, moved and scaled.
static inline void AssertQuadAt(
    const ioAsset* asset, uint32_t clip, double time, uint32_t instance, const double at[3], double scale)
{
	double expected[12];
	for (int i = 0; i < 12; ++i)
	{
		expected[i] = scale * (double)quad[i] + at[i % 3];
	}
	AssertPosed(asset, clip, time, instance, 4, expected);
}

#endif
