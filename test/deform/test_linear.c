// test/deform/test_linear.c: surfaces carried by transforms, against brute force and against plain double arithmetic.
#include "linear_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Thing MakeSkinned(sceneMesh mesh, const Skin* skin, snugTreeDef tree, snugPool* pool)
{
	snugModelDef def = MeshDef(&mesh, snug_skin, tree);
	def.skin = Skin_Def(skin);
	return Thing_Build(mesh, &def, snug_strategyAuto, pool);
}

// Oracle: all pairs by brute force at the evaluated vertices. A bound may only skip work, so a difference means that
// one failed to contain its vertices; the validator says which, and is asked first.
static void pairs_match_brute_force(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), checks = 0, pairs = 0;
	int total = TestCount(1200);
	for (int i = 0; i < total; ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		double size = sceneRandom_Index(&random, 4) == 0 ? ldexp(1.0, (int)sceneRandom_Index(&random, 120) - 60) : 1.0;
		double offset = sceneRandom_Index(&random, 5) == 0 ? 1e6 : 0.0;
		sceneMesh meshA = RandomMesh(&random, (MeshKind)sceneRandom_Index(&random, MESH_KINDS));
		sceneMesh meshB = RandomMesh(&random, (MeshKind)sceneRandom_Index(&random, MESH_KINDS));
		ScaleMesh(&meshA, (float)size);
		ScaleMesh(&meshB, (float)size);
		Skin skinA = RandomSkin(&random, &meshA), skinB = RandomSkin(&random, &meshB);
		Thing a = MakeLinear(meshA, &skinA, RandomTreeDef(&random), (snugStrategy)sceneRandom_Index(&random, 4));
		Thing b = MakeLinear(meshB, &skinB, RandomTreeDef(&random), (snugStrategy)sceneRandom_Index(&random, 4));
		for (int pose = 0; pose < 3; ++pose)
		{
			RandomMatrices(&random, &skinA, size, offset);
			RandomMatrices(&random, &skinB, size, offset);
			Pose(&a, &skinA);
			Pose(&b, &skinB);
			snugFrame frame = { 0 };
			if (pose > 0)
			{
				if (sceneRandom_Index(&random, 2) != 0)
				{
					RandomRotation(&random, frame.rotation);
				}
				frame.position[pose % 3] = size * sceneRandom_Range(&random, -0.5, 0.5);
			}
			assert_int_equal(snugBody_SetFrame(b.body, &frame), snug_success);
			pairs += CheckPairs("linear", seed + (uint64_t)i, &a, &b, NULL);
			checks += Thing_Validate("linear", seed + (uint64_t)i, &a);
		}
		Thing_Free(&a);
		Thing_Free(&b);
		Skin_Free(&skinA);
		Skin_Free(&skinB);
	}
	print_message("%llu component checks, %llu pairs\n", (unsigned long long)checks, (unsigned long long)pairs);
	assert_true(pairs > 0);
}

// Evaluated vertices against the definition in double: within the rounding that docs/bounds/rounding.md allows for.
static void vertices_follow_the_definition(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(200); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		sceneMesh mesh = RandomMesh(&random, mesh_blob);
		Skin skin = RandomSkin(&random, &mesh);
		RandomMatrices(&random, &skin, 1.0, 0.0);
		Thing thing = MakeSkinned(mesh, &skin, (snugTreeDef){ 0 }, NULL);
		Pose(&thing, &skin);
		float* found = malloc(3 * sizeof(float) * (size_t)mesh.vertexCount);
		assert_int_equal(snugBody_GetVertices(thing.body, NULL, found, 0), snug_success);
		for (uint32_t v = 0; v < mesh.vertexCount; ++v)
		{
			double sum = 0.0;
			for (uint32_t k = skin.starts[v]; k < skin.starts[v + 1]; ++k)
			{
				sum += (double)skin.weights[k];
			}
			for (int axis = 0; axis < 3; ++axis)
			{
				double expected = 0.0, reach = 0.0;
				for (uint32_t k = skin.starts[v]; k < skin.starts[v + 1]; ++k)
				{
					const float* row = skin.matrices + 12 * (size_t)skin.transforms[k] + 4 * axis;
					double image = row[3], bound = fabs((double)row[3]);
					for (int c = 0; c < 3; ++c)
					{
						image += (double)row[c] * (double)mesh.positions[3 * v + (uint32_t)c];
						bound += fabs((double)row[c] * (double)mesh.positions[3 * v + (uint32_t)c]);
					}
					expected += (double)skin.weights[k] / sum * image;
					reach = fmax(reach, bound);
				}
				double error = fabs((double)found[3 * v + (uint32_t)axis] - expected);
				double allowed = (2.0 * (skin.starts[v + 1] - skin.starts[v]) + 8.0) * 0x1p-24 * reach;
				if (!(error <= allowed))
				{
					fail_msg("seed %llu: vertex %u is off by %g", (unsigned long long)(seed + (uint64_t)i), v, error);
				}
			}
		}
		free(found);
		Thing_Free(&thing);
		Skin_Free(&skin);
	}
}

static void nodes_are_joints(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	sceneMesh mesh = sceneMakeBlob(6, 1);
	Skin skin = RandomSkin(&random, &mesh);
	uint32_t n = skin.transformCount;
	snugMeshlessNode* nodes = calloc(n, sizeof(snugMeshlessNode));
	for (uint32_t j = 0; j < n; ++j)
	{
		for (int i = 0; i < 3; ++i)
		{
			nodes[j].position[i] = (float)sceneRandom_Range(&random, -1.0, 1.0);
			nodes[j].displacement[i] = (float)sceneRandom_Range(&random, -0.2, 0.2);
			for (int k = 0; k < 3; ++k)
			{
				nodes[j].gradient[i][k] = (float)sceneRandom_Range(&random, -0.3, 0.3);
			}
		}
		// v + u + G^T (v - x): row i of the matrix has d u_i / d x_k in column k.
		for (int i = 0; i < 3; ++i)
		{
			double t = nodes[j].displacement[i];
			for (int k = 0; k < 3; ++k)
			{
				double g = nodes[j].gradient[k][i];
				skin.matrices[12 * j + 4 * (uint32_t)i + (uint32_t)k] = (float)((i == k ? 1.0 : 0.0) + g);
				t -= g * (double)nodes[j].position[k];
			}
			skin.matrices[12 * j + 4 * (uint32_t)i + 3] = (float)t;
		}
	}
	Thing a = MakeSkinned(mesh, &skin, (snugTreeDef){ 0 }, NULL);
	float* first = malloc(12 * (size_t)mesh.vertexCount);
	float* second = malloc(12 * (size_t)mesh.vertexCount);
	Pose(&a, &skin);
	assert_int_equal(snugBody_GetVertices(a.body, NULL, first, 0), snug_success);
	assert_int_equal(snugBody_SetMeshlessNodes(a.body, nodes, n), snug_success);
	assert_int_equal(snugBody_GetVertices(a.body, NULL, second, 0), snug_success);
	assert_memory_equal(first, second, 12 * (size_t)mesh.vertexCount);
	// Finite, but it leads too far.
	nodes[0].gradient[0][0] = nodes[0].position[0] = 1e30f;
	assert_int_equal(snugBody_SetMeshlessNodes(a.body, nodes, n), snug_outOfRange);
	nodes[0].gradient[0][0] = NAN;
	assert_int_equal(snugBody_SetMeshlessNodes(a.body, nodes, n), snug_badInput);
	free(first);
	free(second);
	free(nodes);
	Thing_Free(&a);
	Skin_Free(&skin);
}

// Coordinates near the limit, where the volumes around a mesh may reach beyond it. Would catch a rest pose that is made
// by halves: what is accepted must work.
static void immense_models_work_or_are_refused(void** state)
{
	(void)state;
	static const uint16_t transforms[3] = { 0, 0, 0 };
	static const float weights[3] = { 1.0f, 1.0f, 1.0f };
	static const uint32_t corners[3] = { 0, 1, 2 };
	static const float sizes[] = { 0.5e36f, 0.9e36f, 0.98e36f, 0.995e36f };
	for (int i = 0; i < 4; ++i)
	{
		float size = sizes[i];
		const float positions[9] = { size, 0, 0, 0.3e36f, 0.2e36f, 0, 0.3e36f, -0.2e36f, 0 };
		const float crossing[9] = { 0.4e36f, 0, 0.1e36f, 0.4e36f, 0, -0.1e36f, 0.45e36f, 0.3e36f, 0 };
		snugModelDef def = {
			.positions = positions,
			.vertexCount = 3,
			.triangles = corners,
			.triangleCount = 1,
			.deformer = snug_skin,
			.skin = { .jointCount = 1, .influencesPerVertex = 1, .joints = transforms, .weights = weights },
		};
		Thing thing = { .model = NULL }, other = { .model = NULL };
		snugStatus status = snugModel_Create(&def, &thing.model);
		assert_true(status == snug_success || (status == snug_outOfRange && size > 0.6e36f));
		if (status == snug_success)
		{
			def.deformer = snug_free;
			def.positions = crossing;
			assert_int_equal(snugModel_Create(&def, &other.model), snug_success);
			thing.body = MakeBody(thing.model, NULL);
			other.body = MakeBody(other.model, NULL);
			assert_int_equal(snugCollide(thing.body, other.body, NULL).count, 1);
			assert_int_equal(snugBody_Validate(thing.body, NULL), snug_success);
			snugBody_Destroy(thing.body);
			snugBody_Destroy(other.body);
		}
		snugModel_Destroy(thing.model);
		snugModel_Destroy(other.model);
	}
}

static void models_without_triangles_have_no_bounds(void** state)
{
	(void)state;
	static const uint16_t transforms[3] = { 0, 0, 0 };
	static const float weights[3] = { 1.0f, 1.0f, 1.0f }, positions[9] = { 5, 5, 5, 6, 5, 5, 5, 6, 5 };
	static const uint32_t corners[3] = { 0, 1, 2 };
	{
		snugModelDef def = {
			.positions = positions,
			.vertexCount = 3,
			.triangles = corners,
			.deformer = snug_skin,
			.skin = { .jointCount = 1, .influencesPerVertex = 1, .joints = transforms, .weights = weights },
		};
		Thing thing = { .model = NULL };
		assert_int_equal(snugModel_Create(&def, &thing.model), snug_success);
		thing.body = MakeBody(thing.model, NULL);
		snugBounds bounds;
		assert_int_equal(snugBody_GetBounds(thing.body, NULL, &bounds), snug_success);
		assert_true(bounds.radius < 0.0f && bounds.lower[0] > bounds.upper[0]);
		snugBody_Destroy(thing.body);
		snugModel_Destroy(thing.model);
	}
}

// The rules for weights, one by one: what is repaired, with a warning, and what is refused, naming the vertex.
static void weights_are_repaired_or_refused(void** state)
{
	(void)state;
	const struct
	{
		float weights[4]; // of vertex 2
		uint16_t transforms[4];
		snugStatus status;
		int messages;
		const char* text;
	} cases[] = {
		{ { 0.25f, 0.25f, 0.25f, 0.25f }, { 0, 1, 2, 3 }, snug_success, 0, "" },
		{ { 0.5f, 0.5f, 0.0f, 0.0f }, { 1, 1, 0, 0 }, snug_success, 0, "" },
		{ { 2.0f, 1.0f, 0.0f, 0.0f }, { 0, 1, 0, 0 }, snug_success, 1, "did not sum to 1" },
		{ { 0.0f, 0.0f, 0.0f, 0.0f }, { 3, 1, 0, 0 }, snug_success, 1, "follow their first" },
		{ { 1.5f, -0.5f, 0.0f, 0.0f }, { 0, 1, 0, 0 }, snug_badInput, 1, "vertex 2" },
		{ { NAN, 1.0f, 0.0f, 0.0f }, { 0, 1, 0, 0 }, snug_badInput, 1, "vertex 2" },
		{ { INFINITY, 1.0f, 0.0f, 0.0f }, { 0, 1, 0, 0 }, snug_badInput, 1, "vertex 2" },
		{ { 1.0f, 0.0f, 0.0f, 0.0f }, { 4, 1, 0, 0 }, snug_badInput, 1, "vertex 2" },
	};
	sceneMesh mesh = sceneMakeTetrahedron();
	for (size_t i = 0; i < LENGTH_OF(cases); ++i)
	{
		float weights[16] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
		uint16_t transforms[16] = { 0 };
		memcpy(weights + 8, cases[i].weights, sizeof(cases[i].weights));
		memcpy(transforms + 8, cases[i].transforms, sizeof(cases[i].transforms));
		TestMessages messages = { 0 };
		snugModelDef def = MeshDef(&mesh, snug_skin, (snugTreeDef){ 0 });
		def.messenger = TestMessages_Get(&messages);
		def.skin = (snugSkinDef){
			.jointCount = 4,
			.influencesPerVertex = 4,
			.joints = transforms,
			.weights = weights,
		};
		snugModel* model;
		assert_int_equal(snugModel_Create(&def, &model), cases[i].status);
		assert_int_equal(messages.count, cases[i].messages);
		assert_non_null(strstr(messages.last, cases[i].text));
		snugModel_Destroy(model);
	}
	sceneMesh_Free(&mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_match_brute_force),
		cmocka_unit_test(vertices_follow_the_definition),
		cmocka_unit_test(nodes_are_joints),
		cmocka_unit_test(immense_models_work_or_are_refused),
		cmocka_unit_test(models_without_triangles_have_no_bounds),
		cmocka_unit_test(weights_are_repaired_or_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
