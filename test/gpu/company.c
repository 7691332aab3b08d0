// test/gpu/company.c: see company.h.
#define _POSIX_C_SOURCE 200809L
#include "company.h"

#include <stdlib.h>
#include <string.h>

bool IsOnGpu(void)
{
	const char* backend = getenv("SNUG_GPU");
	return backend != NULL && strcmp(backend, "cuda") == 0;
}

void MakeDevice(snugDevice** device)
{
	const snugDeviceDef def = { .backend = IsOnGpu() ? snug_cuda : snug_reference };
	assert_int_equal(snugDevice_Create(&def, device), snug_success);
}

void SetOrder(snugDevice* device, sgLaneOrder order, uint32_t groups)
{
	if (!IsOnGpu())
	{
		sgReference_SetOrder(device, order, groups);
	}
}

// ---- Making --------------------------------------------------------------------------------------------------------

static void MakeKind(Company* company, Kind* kind)
{
	sceneRandom* random = &company->random;
	const uint32_t what =
	    sceneRandom_Index(random, company->isHard ? 6 : 5); // rigid, fields, and skins, two of them with morph targets
	const bool isHard = what == 5;
	kind->skinned = isHard
	                    ? HardSkin(random)
	                    : (SkinnedMesh){ RandomMesh(random, (MeshKind)sceneRandom_Index(random, MESH_KINDS)), { 0 } };
	const sceneMesh* mesh = &kind->skinned.mesh;
	const bool isSkin = what >= 2, hasFields = what == 1 || what == 2 || what == 3;
	snugModelDef def = MeshDef(mesh, isSkin ? snug_skin : what == 1 ? snug_fields : snug_rigid, RandomTreeDef(random));
	if (isSkin)
	{
		kind->skinned.skin = isHard ? kind->skinned.skin : RandomSkin(random, mesh);
		def.skin = Skin_Def(&kind->skinned.skin);
	}
	if (hasFields)
	{
		kind->fields = RandomFields(random, mesh, MeshSize(mesh));
		def.fields = FieldSet_Def(&kind->fields);
	}
	assert_int_equal(snugModel_Create(&def, &kind->model), snug_success);
	kind->bodyCount = 1 + sceneRandom_Index(random, MAX_BODIES);
	kind->groups = sceneRandom_Index(random, 3) == 0 ? 1 + sceneRandom_Index(random, 3) : 0;
	kind->mask = sceneRandom_Index(random, 3) == 0 ? 1 + sceneRandom_Index(random, 3) : 0;
	kind->joints = calloc((size_t)12 * kind->skinned.skin.transformCount * MAX_BODIES + 1, sizeof(float));
	kind->amplitudes = calloc((size_t)kind->fields.fieldCount * MAX_BODIES + 1, sizeof(float));
	for (uint32_t i = 0; i < kind->bodyCount; ++i)
	{
		kind->bodies[i] = MakeBody(kind->model, NULL);
		const snugSceneBodyDef body = { .body = kind->bodies[i], .groups = kind->groups, .mask = kind->mask };
		uint32_t id;
		assert_int_equal(snugScene_Add(company->scene, &body, &id), snug_success);
	}
}

snugStatus MakeCrowd(Company* company, const snugSceneRoom* room, uint64_t bytes, snugCrowd** crowd)
{
	snugCrowdModel models[MAX_KINDS] = { 0 };
	for (uint32_t i = 0; i < company->kindCount; ++i)
	{
		const Kind* kind = company->kinds + i;
		models[i] = (snugCrowdModel){ kind->model, kind->bodyCount, kind->groups, kind->mask, { 0 } };
	}
	snugCrowdDef def = {
		.device = company->device, .models = models, .modelCount = company->kindCount, .room = *room, .bytes = bytes
	};
	memcpy(def.origin, company->origin, sizeof(def.origin));
	return snugCrowd_Create(&def, crowd);
}

void MakeCompany(Company* company, uint64_t seed, bool isHard)
{
	*company = (Company){ .seed = seed, .random = { seed }, .isHard = isHard };
	company->kindCount = 1 + sceneRandom_Index(&company->random, MAX_KINDS);
	const bool isFar = sceneRandom_Index(&company->random, 4) == 0;
	for (int k = 0; k < 3; ++k)
	{
		company->origin[k] = isFar ? sceneRandom_Range(&company->random, -1e6, 1e6) : 0.0;
	}
	snugSceneDef def = { .room = plenty };
	memcpy(def.origin, company->origin, sizeof(def.origin));
	assert_int_equal(snugScene_Create(&def, &company->scene), snug_success);
	for (uint32_t i = 0; i < company->kindCount; ++i)
	{
		MakeKind(company, company->kinds + i);
	}
	MakeDevice(&company->device);
}

void FreeCompany(Company* company)
{
	snugCrowd_Destroy(company->crowd);
	snugDevice_Destroy(company->device);
	snugScene_Destroy(company->scene);
	for (uint32_t i = 0; i < company->kindCount; ++i)
	{
		Kind* kind = company->kinds + i;
		for (uint32_t b = 0; b < kind->bodyCount; ++b)
		{
			snugBody_Destroy(kind->bodies[b]);
		}
		snugModel_Destroy(kind->model);
		SkinnedMesh_Free(&kind->skinned);
		FieldSet_Free(&kind->fields);
		free(kind->joints);
		free(kind->amplitudes);
	}
}

// ---- Posing --------------------------------------------------------------------------------------------------------

static void PlaceBody(Company* company, Kind* kind, uint32_t number)
{
	sceneRandom* random = &company->random;
	snugFrame* frame = kind->frames + number;
	const double size = MeshSize(&kind->skinned.mesh), spread = size < 1e6 ? size : 1e6;
	*frame = (snugFrame){ { 0 }, { 0 } };
	if (sceneRandom_Index(random, 5) != 0)
	{
		RandomRotation(random, frame->rotation);
	}
	for (int k = 0; k < 3; ++k)
	{
		frame->position[k] = company->origin[k] + spread * sceneRandom_Range(random, -1.0, 1.0);
	}
	if (sceneRandom_Index(random, 5) == 0)
	{
		memcpy(frame->position, company->origin, sizeof(frame->position));
	}
	assert_int_equal(snugBody_SetFrame(kind->bodies[number], frame), snug_success);
}

static float FindMost(const float* numbers, size_t count)
{
	float most = 0.0f;
	for (size_t i = 0; i < count; ++i)
	{
		most = fmaxf(most, fabsf(numbers[i]));
	}
	return most;
}

// Each displacement may be the largest, and each joint the one that carries farthest: bounds need not be tighter.
static bool IsKindNearLimit(const Kind* kind, uint32_t number)
{
	const FieldSet* fields = &kind->fields;
	const uint32_t vertices = kind->skinned.mesh.vertexCount, joints = kind->skinned.skin.transformCount;
	double reach = (double)FindMost(kind->skinned.mesh.positions, 3 * (size_t)vertices);
	if (fields->fieldCount > 0)
	{
		const size_t count = fields->starts != NULL ? fields->starts[vertices] : (size_t)vertices * fields->fieldCount;
		const float most = FindMost(fields->displacements, 3 * count);
		for (uint32_t f = 0; f < fields->fieldCount; ++f)
		{
			reach += (double)most * fabs((double)kind->amplitudes[(size_t)number * fields->fieldCount + f]);
		}
	}
	if (joints > 0)
	{
		reach =
		    (3.0 * reach + 1.0) * (double)FindMost(kind->joints + (size_t)12 * number * joints, (size_t)12 * joints);
	}
	return reach > 0.1 * (double)SNUG_MAX_COORDINATE;
}

bool IsNearLimit(const Company* company, uint32_t number)
{
	const Kind* kind = company->kinds;
	for (; number >= kind->bodyCount; ++kind)
	{
		number -= kind->bodyCount;
	}
	return IsKindNearLimit(kind, number);
}

// Set amplitudes, by this factor and others until they are possible.
static void ShrinkAmplitudes(Kind* kind, uint32_t number, float factor)
{
	const uint32_t fields = kind->fields.fieldCount;
	do
	{
		for (uint32_t f = 0; f < fields; ++f)
		{
			kind->fields.amplitudes[f] *= factor;
		}
		factor = 0x1p-20f;
	} while (snugBody_SetAmplitudes(kind->bodies[number], kind->fields.amplitudes, fields) != snug_success);
	memcpy(kind->amplitudes + (size_t)number * fields, kind->fields.amplitudes, fields * sizeof(float));
}

// Amplitudes, then joints; what leads too far is shrunk, and what comes near where bounds would, unless it is hard.
static void PoseOne(Company* company, Kind* kind, uint32_t number)
{
	snugBody* body = kind->bodies[number];
	Skin* skin = &kind->skinned.skin;
	const uint32_t fields = kind->fields.fieldCount, joints = skin->transformCount;
	if (fields > 0)
	{
		RandomAmplitudes(&company->random, &kind->fields);
		ShrinkAmplitudes(kind, number, 1.0f);
	}
	if (joints > 0)
	{
		if (company->isHard && sceneRandom_Index(&company->random, 3) == 0)
		{
			HardPose(&company->random, &kind->skinned);
		}
		else
		{
			RandomMatrices(&company->random, skin, MeshSize(&kind->skinned.mesh), 0.0);
		}
		PoseBody(body, &kind->skinned);
		memcpy(kind->joints + (size_t)12 * number * joints, skin->matrices, (size_t)12 * joints * sizeof(float));
	}
	while (!company->isHard && fields > 0 && IsKindNearLimit(kind, number))
	{
		ShrinkAmplitudes(kind, number, 0x1p-20f);
	}
	PlaceBody(company, kind, number);
}

void PoseAll(Company* company)
{
	for (uint32_t i = 0; i < company->kindCount; ++i)
	{
		for (uint32_t b = 0; b < company->kinds[i].bodyCount; ++b)
		{
			PoseOne(company, company->kinds + i, b);
		}
	}
}

void TellCrowd(const Company* company, snugCrowd* crowd, bool isOnDevice)
{
	for (uint32_t i = 0; i < company->kindCount; ++i)
	{
		const Kind* kind = company->kinds + i;
		const snugCrowdPoses poses = {
			.joints = kind->skinned.skin.transformCount > 0 ? kind->joints : NULL,
			.amplitudes = kind->fields.fieldCount > 0 ? kind->amplitudes : NULL,
			.frames = kind->frames,
			.isOnDevice = isOnDevice,
		};
		assert_int_equal(snugCrowd_SetPoses(crowd, i, &poses), snug_success);
	}
}

// ---- Comparing -----------------------------------------------------------------------------------------------------

void ComparePositions(const Company* company, snugCrowd* crowd)
{
	uint32_t number = 0;
	for (uint32_t i = 0; i < company->kindCount; ++i)
	{
		const Kind* kind = company->kinds + i;
		const size_t floats = 3 * (size_t)kind->skinned.mesh.vertexCount;
		float *expected = calloc(floats + 1, sizeof(float)), *found = calloc(floats + 1, sizeof(float));
		for (uint32_t b = 0; b < kind->bodyCount; ++b, ++number)
		{
			assert_int_equal(snugBody_GetVertices(kind->bodies[b], company->origin, expected, 0), snug_success);
			assert_int_equal(snugCrowd_GetVertices(crowd, number, found), snug_success);
			if (memcmp(expected, found, floats * sizeof(float)) != 0)
			{
				fail_msg("seed %llu: positions of body %u differ", (unsigned long long)company->seed, number);
			}
		}
		free(expected);
		free(found);
	}
}

void CompareResults(Company* company, snugCrowd* crowd, const snugCrowdResult* result)
{
	uint64_t pairCount, expectedCount, triangleCount, expectedTriangles;
	const snugScenePair* pairs = snugCrowd_GetPairs(crowd, false, &pairCount);
	const snugScenePair* expected = snugScene_GetPairs(company->scene, &expectedCount);
	const snugPair* triangles = snugCrowd_GetTrianglePairs(crowd, false, &triangleCount);
	const snugPair* expectedPairs = snugScene_GetTrianglePairs(company->scene, &expectedTriangles);
	if (pairCount != expectedCount || triangleCount != expectedTriangles)
	{
		fail_msg("seed %llu: %llu pairs and %llu of triangles instead of %llu and %llu",
		    (unsigned long long)company->seed, (unsigned long long)pairCount, (unsigned long long)triangleCount,
		    (unsigned long long)expectedCount, (unsigned long long)expectedTriangles);
	}
	assert_non_null(pairs);
	assert_non_null(triangles);
	assert_memory_equal(pairs, expected, pairCount * sizeof(snugScenePair));
	assert_memory_equal(triangles, expectedPairs, triangleCount * sizeof(snugPair));
	assert_int_equal(result->count, pairCount);
	assert_int_equal(result->trianglePairs, triangleCount);
	company->trianglePairs += triangleCount;
	company->portions += result->portions;
}

snugCrowdResult Ask(snugCrowd* crowd, bool trianglePairs, bool unsorted)
{
	const snugCrowdQuery query = { .trianglePairs = trianglePairs, .unsorted = unsorted };
	assert_int_equal(snugCrowd_Update(crowd, &query), snug_success);
	return snugCrowd_Wait(crowd);
}

bool UpdateScene(Company* company)
{
	const snugSceneQuery query = { .trianglePairs = true };
	const snugSceneResult result = snugScene_Update(company->scene, &query);
	assert_true(result.status == snug_success || (company->isHard && result.body != SNUG_NONE));
	return result.status == snug_success;
}
