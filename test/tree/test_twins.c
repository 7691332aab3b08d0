// test/tree/test_twins.c: twins, vertices that are the same point in every pose: against all pairs of vertices, and in
// poses of every deformer.
#include "fields_support.h"
#include "linear_support.h"
#include "skin_support.h"
#include "support.h"

#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define JOINTS 6
#define INFLUENCES 4
#define FIELDS 3

/// A mesh of which no two triangles share a vertex number, though most share points.
typedef struct Patchwork
{
	sceneMesh mesh;
	uint16_t* joints; // (vertices * INFLUENCES)
	float* weights;
	float* displacements; // (FIELDS * vertices * 3)
} Patchwork;

static void Patchwork_Free(Patchwork* p)
{
	sceneMesh_Free(&p->mesh);
	free(p->joints);
	free(p->weights);
	free(p->displacements);
}

// The influences of a vertex, by chance written in another way that means the same, or as something else.
static void WriteInfluences(sceneRandom* random, uint32_t source, uint16_t* joints, float* weights)
{
	sceneRandom own = { source + 1 };
	uint16_t first = (uint16_t)sceneRandom_Index(&own, JOINTS);
	uint16_t second = (uint16_t)((first + 1 + sceneRandom_Index(&own, JOINTS - 1)) % JOINTS);
	float w = 0.125f * (float)(1 + sceneRandom_Index(&own, 6));
	const uint16_t plainJoints[INFLUENCES] = { first, second, 0, 0 };
	const float plainWeights[INFLUENCES] = { w, 1.0f - w, 0.0f, -0.0f };
	memcpy(joints, plainJoints, sizeof(plainJoints));
	memcpy(weights, plainWeights, sizeof(plainWeights));
	switch (sceneRandom_Index(random, 8))
	{
		case 0: // the other way around
			joints[0] = second, joints[1] = first;
			weights[0] = 1.0f - w, weights[1] = w;
			break;
		case 1: // a joint twice
			joints[2] = first;
			weights[0] = weights[2] = 0.5f * w;
			break;
		case 2: // not normalised
			weights[0] *= 4.0f, weights[1] *= 4.0f;
			break;
		case 3: // nearly the same is not the same
			weights[0] = nextafterf(w, 1.0f);
			break;
		case 4: // another joint
			joints[1] = (uint16_t)((second + 1) % JOINTS);
			break;
		default:
			break;
	}
}

static Patchwork MakePatchwork(sceneRandom* random)
{
	sceneMesh base = sceneMakeBlob(3, sceneRandom_Next(random));
	uint32_t count = 3 * base.triangleCount;
	Patchwork p = { .mesh = { .positions = malloc(3 * count * sizeof(float)),
		                .vertexCount = count,
		                .triangles = malloc(count * sizeof(uint32_t)),
		                .triangleCount = base.triangleCount },
		.joints = malloc(INFLUENCES * count * sizeof(uint16_t)),
		.weights = malloc(INFLUENCES * count * sizeof(float)),
		.displacements = malloc(3 * FIELDS * count * sizeof(float)) };
	for (uint32_t v = 0; v < count; ++v)
	{
		uint32_t source = base.triangles[v];
		p.mesh.triangles[v] = (v * 7 + 1) % count; // scattered over the numbers; count is no multiple of 7
		float* q = p.mesh.positions + 3 * (size_t)p.mesh.triangles[v];
		memcpy(q, base.positions + 3 * (size_t)source, 3 * sizeof(float));
		// Some points lie in planes of coordinates, on either side of zero; and some are off by very little.
		q[0] = source % 3 == 0 ? (sceneRandom_Index(random, 2) != 0 ? 0.0f : -0.0f) : q[0];
		q[1] = sceneRandom_Index(random, 16) == 0 ? nextafterf(q[1], 9.0f) : q[1];
		WriteInfluences(random, source, p.joints + INFLUENCES * (size_t)p.mesh.triangles[v],
		    p.weights + INFLUENCES * (size_t)p.mesh.triangles[v]);
		for (uint32_t f = 0; f < FIELDS; ++f)
		{
			float* d = p.displacements + 3 * ((size_t)f * count + p.mesh.triangles[v]);
			d[0] = source % 4 < f ? 0.25f * (float)source : (sceneRandom_Index(random, 2) != 0 ? 0.0f : -0.0f);
			d[1] = sceneRandom_Index(random, 2) != 0 ? 0.0f : -0.0f;
			d[2] = sceneRandom_Index(random, 20) == 0 ? 1e-40f : 0.0f;
		}
	}
	sceneMesh_Free(&base);
	assert_int_not_equal(count % 7, 0);
	return p;
}

static snugModel* MakePatchworkModel(sceneRandom* random, const Patchwork* p, Mover deformer, bool hasFields)
{
	snugModelDef def = MeshDef(&p->mesh, deformer, RandomTreeDef(random));
	if (deformer != snug_rigid && deformer != snug_free && deformer != snug_fields)
	{
		def.skin = (snugSkinDef){
			.jointCount = JOINTS, .influencesPerVertex = INFLUENCES, .joints = p->joints, .weights = p->weights
		};
		def.skin.blending = Mover_Blending(deformer);
	}
	if (hasFields)
	{
		def.fields = (snugFieldsDef){ .fieldCount = FIELDS, .displacements = p->displacements };
	}
	snugModel* model;
	assert_int_equal(snugModel_Create(&def, &model), snug_success);
	return model;
}

/// What twins have in common, read through the public getters of a model, whose own test is test_contents.c.
typedef struct Contents
{
	float* positions;
	uint32_t* starts[2];
	uint16_t* numbers[2];
	float* values[2];
} Contents;

static Contents ReadContents(const snugModel* model)
{
	snugModelInfo info = snugModel_GetInfo(model);
	const size_t sizes[2] = { info.influenceCount, info.displacementCount };
	Contents c = { .positions = malloc(3 * (size_t)info.vertexCount * sizeof(float)) };
	for (int i = 0; i < 2; ++i)
	{
		c.starts[i] = malloc(((size_t)info.vertexCount + 1) * sizeof(uint32_t));
		c.numbers[i] = malloc((sizes[i] + 1) * sizeof(uint16_t));
		c.values[i] = malloc((sizes[i] + 1) * 3 * sizeof(float));
	}
	assert_int_equal(snugModel_GetPositions(model, c.positions, 0), snug_success);
	assert_int_equal(snugModel_GetWeights(model, c.starts[0], c.numbers[0], c.values[0]), snug_success);
	assert_int_equal(snugModel_GetFields(model, c.starts[1], c.numbers[1], c.values[1]), snug_success);
	return c;
}

static void Contents_Free(Contents* c)
{
	free(c->positions);
	for (int i = 0; i < 2; ++i)
	{
		free(c->starts[i]);
		free(c->numbers[i]);
		free(c->values[i]);
	}
}

static bool AreEqual(const float* a, const float* b, size_t count)
{
	for (size_t i = 0; i < count; ++i)
	{
		if (!(a[i] == b[i]))
		{
			return false;
		}
	}
	return true;
}

static bool AreTwins(const Contents* c, uint32_t a, uint32_t b)
{
	bool isSame = AreEqual(c->positions + 3 * (size_t)a, c->positions + 3 * (size_t)b, 3);
	for (int i = 0; i < 2 && isSame; ++i)
	{
		size_t width = i == 0 ? 1 : 3, first = c->starts[i][a], other = c->starts[i][b];
		size_t count = c->starts[i][a + 1] - first;
		isSame = count == c->starts[i][b + 1] - other &&
		         memcmp(c->numbers[i] + first, c->numbers[i] + other, count * sizeof(uint16_t)) == 0 &&
		         AreEqual(c->values[i] + width * first, c->values[i] + width * other, width * count);
	}
	return isSame;
}

static const Mover deformers[] = { snug_rigid, snug_free, snug_skin, snug_fields, mover_spherical,
	mover_dualQuaternion };

// Oracle: every vertex against every one before it.
static void twins_are_found_by_all_pairs(void** state)
{
	(void)state;
	uint64_t total = 0, others = 0;
	for (int i = 0; i < TestCount(36); ++i)
	{
		uint64_t seed = TestSeed() + (uint64_t)i;
		sceneRandom random = { seed };
		Patchwork p = MakePatchwork(&random);
		Mover deformer = deformers[i % 6];
		bool hasFields = deformer == snug_fields || (i / 6 % 2 != 0 && deformer != snug_rigid && deformer != snug_free);
		snugModel* model = MakePatchworkModel(&random, &p, deformer, hasFields);
		Contents contents = ReadContents(model);
		uint32_t* twins = malloc(p.mesh.vertexCount * sizeof(uint32_t));
		assert_int_equal(snugModel_GetTwins(model, twins), snug_success);
		for (uint32_t v = 0; v < p.mesh.vertexCount; ++v)
		{
			uint32_t expected = 0;
			while (!AreTwins(&contents, expected, v))
			{
				++expected;
			}
			if (twins[v] != expected)
			{
				fail_msg("SNUG_SEED=%llu: the twin of vertex %u is %u, not %u", (unsigned long long)seed, v, expected,
				    twins[v]);
			}
			++total;
			others += expected != v;
		}
		free(twins);
		Contents_Free(&contents);
		snugModel_Destroy(model);
		Patchwork_Free(&p);
	}
	// Both kinds are frequent, or nothing was tested.
	assert_true(others > total / 4 && others < total - total / 8);
}

static void PoseAny(sceneRandom* random, snugBody* body, bool hasFields)
{
	Mover deformer = MoverOf(snugBody_GetModel(body));
	if (hasFields)
	{
		float amplitudes[FIELDS];
		for (int f = 0; f < FIELDS; ++f)
		{
			amplitudes[f] = sceneRandom_Index(random, 4) == 0 ? 0.0f : (float)sceneRandom_Range(random, -0.1, 0.1);
		}
		assert_int_equal(snugBody_SetAmplitudes(body, amplitudes, FIELDS), snug_success);
	}
	if (Mover_IsSkin(deformer))
	{
		float matrices[12 * JOINTS];
		bool isScaled = sceneRandom_Index(random, 2) != 0;
		for (int j = 0; j < JOINTS; ++j)
		{
			double q[4], t[3];
			RandomRotation(random, q);
			for (int k = 0; k < 3; ++k)
			{
				t[k] = sceneRandom_Index(random, 3) == 0 ? -0.0 : sceneRandom_Range(random, -1.0, 1.0);
			}
			RigidMatrix(q, t, matrices + 12 * (size_t)j);
			for (int k = 0; isScaled && k < 12; ++k)
			{
				matrices[12 * j + k] *= k % 4 == 3 ? 1.0f : (float)sceneRandom_Range(random, 0.9, 1.1);
			}
		}
		assert_int_equal(snugBody_SetJoints(body, matrices, 0, JOINTS), snug_success);
	}
	if (sceneRandom_Index(random, 3) != 0)
	{
		snugFrame frame = { .position = { sceneRandom_Range(random, -1.0, 1.0), 0.0, -0.0 } };
		RandomRotation(random, frame.rotation);
		assert_int_equal(snugBody_SetFrame(body, &frame), snug_success);
	}
}

// What the header promises: equal as numbers. Would catch an evaluation whose bits depend on a vertex's neighbours.
static void twins_stay_together_in_every_pose(void** state)
{
	(void)state;
	for (int i = 0; i < TestCount(60); ++i)
	{
		uint64_t seed = TestSeed() + (uint64_t)i;
		sceneRandom random = { seed };
		Patchwork p = MakePatchwork(&random);
		Mover deformer = deformers[i % 6];
		bool hasFields = deformer == snug_fields || (i / 6 % 2 != 0 && deformer != snug_rigid && deformer != snug_free);
		snugModel* model = MakePatchworkModel(&random, &p, deformer, hasFields);
		snugBody* body = MakeBody(model, NULL);
		uint32_t* twins = malloc(p.mesh.vertexCount * sizeof(uint32_t));
		float* posed = malloc(3 * (size_t)p.mesh.vertexCount * sizeof(float));
		assert_int_equal(snugModel_GetTwins(model, twins), snug_success);
		for (int pose = 0; pose < 8; ++pose)
		{
			PoseAny(&random, body, hasFields);
			double origin[3] = { pose % 2 != 0 ? 0.0 : sceneRandom_Range(&random, -2.0, 2.0), 0.0, -0.0 };
			assert_int_equal(snugBody_GetVertices(body, origin, posed, 0), snug_success);
			for (uint32_t v = 0; v < p.mesh.vertexCount; ++v)
			{
				if (!AreEqual(posed + 3 * (size_t)v, posed + 3 * (size_t)twins[v], 3))
				{
					fail_msg("SNUG_SEED=%llu: vertices %u and %u part in pose %d of deformer %d",
					    (unsigned long long)seed, v, twins[v], pose, (int)deformer);
				}
			}
		}
		free(twins);
		free(posed);
		snugBody_Destroy(body);
		snugModel_Destroy(model);
		Patchwork_Free(&p);
	}
}

static void welded_meshes_store_no_twins(void** state)
{
	(void)state;
	sceneMesh mesh = sceneMakeBlob(4, 1);
	snugModel* model = MakeModel(&mesh, snug_rigid, (snugTreeDef){ 0 });
	uint32_t* twins = malloc(mesh.vertexCount * sizeof(uint32_t));
	assert_int_equal(snugModel_GetTwins(model, twins), snug_success);
	for (uint32_t v = 0; v < mesh.vertexCount; ++v)
	{
		assert_int_equal(twins[v], v);
	}
	assert_null(model->twins);
	free(twins);
	snugModel_Destroy(model);
	sceneMesh_Free(&mesh);
	snugModelDef nothing = { .vertexCount = 0 };
	assert_int_equal(snugModel_Create(&nothing, &model), snug_success);
	assert_int_equal(snugModel_GetTwins(model, NULL), snug_success);
	snugModel_Destroy(model);
}

// All vertices at one point: every comparison looks at all there is.
static void many_at_one_point(void** state)
{
	(void)state;
	const uint32_t count = 200000;
	float* positions = calloc(3 * (size_t)count, sizeof(float));
	const snugModelDef def = { .positions = positions, .vertexCount = count };
	snugModel* model;
	assert_int_equal(snugModel_Create(&def, &model), snug_success);
	uint32_t* twins = malloc(count * sizeof(uint32_t));
	assert_int_equal(snugModel_GetTwins(model, twins), snug_success);
	for (uint32_t v = 0; v < count; ++v)
	{
		assert_int_equal(twins[v], 0);
	}
	free(twins);
	free(positions);
	snugModel_Destroy(model);
}

// Twins in a file are the first of their kind, and the same as those that name them. A vertex may lose its twin.
static void changed_twins_are_refused(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	Patchwork p = MakePatchwork(&random);
	for (int i = 0; i < 6; ++i)
	{
		snugModel* model = MakePatchworkModel(&random, &p, deformers[i], deformers[i] == snug_fields);
		assert_non_null(model->twins);
		size_t bytes, place = (size_t)((const char*)model->twins - (const char*)model->block);
		unsigned char* copy = malloc(model->bytes);
		memcpy(copy, snugModel_GetBlock(model, &bytes), model->bytes);
		for (int change = 0; change < 40; ++change)
		{
			TestMessages messages = { 0 };
			const snugLoadDef def = { .messenger = TestMessages_Get(&messages) };
			snugModel* loaded;
			uint32_t vertex = sceneRandom_Index(&random, p.mesh.vertexCount);
			uint32_t* twin = (uint32_t*)(void*)(copy + place) + vertex;
			uint32_t old = *twin, anything = (uint32_t)sceneRandom_Next(&random);
			*twin = change % 2 != 0 ? anything : (old + 1) % p.mesh.vertexCount;
			*twin = change % 5 == 0 && old != vertex ? vertex : *twin;
			RepairChecksum(copy, bytes);
			bool mayBe = *twin == vertex;
			assert_int_equal(snugModel_LoadMemory(copy, bytes, &def, &loaded), mayBe ? snug_success : snug_badFile);
			assert_true(mayBe || strstr(messages.last, "twins") != NULL);
			snugModel_Destroy(loaded);
			*twin = old;
		}
		// Whether there are any is a 0 or a 1: word 9 of the first section, whose offset is in the table.
		uint64_t info;
		memcpy(&info, copy + 72, sizeof(info));
		uint32_t* hasTwins = (uint32_t*)(void*)(copy + info) + 9;
		assert_int_equal(*hasTwins, 1);
		for (uint32_t other = 0; other < 4; other += 2)
		{
			snugModel* loaded;
			*hasTwins = other;
			RepairChecksum(copy, bytes);
			assert_int_equal(snugModel_LoadMemory(copy, bytes, NULL, &loaded), snug_badFile);
		}
		free(copy);
		snugModel_Destroy(model);
	}
	Patchwork_Free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twins_are_found_by_all_pairs),
		cmocka_unit_test(twins_stay_together_in_every_pose),
		cmocka_unit_test(welded_meshes_store_no_twins),
		cmocka_unit_test(many_at_one_point),
		cmocka_unit_test(changed_twins_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
