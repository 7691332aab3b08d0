// test/gpu/test_crowd.c: crowds on the reference device give what a scene gives, bit for bit: pairs, triangle pairs and
// positions, of every deformer that they know, several models, masks and origins, in whatever order lanes work, with
// however little memory. And boxes that were made contain what they must.
#define _POSIX_C_SOURCE 200809L
#include "skin_support.h"
#include "support.h"

#include "gpu/crowd.h"
#include "lab/scenes/character.h"
#include "snug/snug_gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
	MAX_KINDS = 4,
	MAX_BODIES = 9,
};

// Bodies of one model, in a scene and in a crowd.
typedef struct Kind
{
	SkinnedMesh skinned; // of skins; otherwise only its mesh
	FieldSet fields;
	snugModel* model;
	uint32_t bodyCount;
	uint32_t groups, mask;
	snugBody* bodies[MAX_BODIES];
	float* joints;
	float* amplitudes;
	snugFrame frames[MAX_BODIES];
} Kind;

typedef struct Company
{
	uint64_t seed;
	sceneRandom random;
	bool isHard; // skins and poses of any size
	uint32_t kindCount;
	Kind kinds[MAX_KINDS];
	double origin[3];
	snugScene* scene;
	snugDevice* device;
	snugCrowd* crowd;
	uint64_t trianglePairs; // seen, over all updates
	uint64_t portions;
} Company;

// The reference device, or a GPU if the environment variable SNUG_GPU is `cuda`: what is known of the inside of the
// former is not looked at then.
static bool IsOnGpu(void)
{
	const char* backend = getenv("SNUG_GPU");
	return backend != NULL && strcmp(backend, "cuda") == 0;
}

static void MakeDevice(snugDevice** device)
{
	const snugDeviceDef def = { .backend = IsOnGpu() ? snug_cuda : snug_reference };
	assert_int_equal(snugDevice_Create(&def, device), snug_success);
}

static void SetOrder(snugDevice* device, sgLaneOrder order, uint32_t groups)
{
	if (!IsOnGpu())
	{
		sgReference_SetOrder(device, order, groups);
	}
}

static const snugSceneRoom plenty = { .bodies = 64, .candidates = 4096, .pairs = 4096, .trianglePairs = 1u << 20 };

// ---- Making
// ----------------------------------------------------------------------------------------------------------

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

static snugStatus MakeCrowd(Company* company, const snugSceneRoom* room, uint64_t bytes, snugCrowd** crowd)
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

static void MakeCompany(Company* company, uint64_t seed, bool isHard)
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

static void FreeCompany(Company* company)
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

// ---- Posing
// ----------------------------------------------------------------------------------------------------------

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

// Amplitudes, then joints; what leads too far is shrunk.
static void PoseOne(Company* company, Kind* kind, uint32_t number)
{
	snugBody* body = kind->bodies[number];
	Skin* skin = &kind->skinned.skin;
	const uint32_t fields = kind->fields.fieldCount, joints = skin->transformCount;
	if (fields > 0)
	{
		RandomAmplitudes(&company->random, &kind->fields);
		while (snugBody_SetAmplitudes(body, kind->fields.amplitudes, fields) != snug_success)
		{
			for (uint32_t f = 0; f < fields; ++f)
			{
				kind->fields.amplitudes[f] *= 0x1p-20f;
			}
		}
		memcpy(kind->amplitudes + (size_t)number * fields, kind->fields.amplitudes, fields * sizeof(float));
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
	PlaceBody(company, kind, number);
}

static void PoseAll(Company* company)
{
	for (uint32_t i = 0; i < company->kindCount; ++i)
	{
		for (uint32_t b = 0; b < company->kinds[i].bodyCount; ++b)
		{
			PoseOne(company, company->kinds + i, b);
		}
	}
}

static void TellCrowd(const Company* company, snugCrowd* crowd, bool isOnDevice)
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

// ---- Comparing
// -------------------------------------------------------------------------------------------------------

static void ComparePositions(const Company* company, snugCrowd* crowd)
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

static void CompareResults(Company* company, snugCrowd* crowd, const snugCrowdResult* result)
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

static snugCrowdResult Ask(snugCrowd* crowd, bool trianglePairs, bool unsorted)
{
	const snugCrowdQuery query = { .trianglePairs = trianglePairs, .unsorted = unsorted };
	assert_int_equal(snugCrowd_Update(crowd, &query), snug_success);
	return snugCrowd_Wait(crowd);
}

// @return false if a body is too far away for a scene, which only a hard one is
static bool UpdateScene(Company* company)
{
	const snugSceneQuery query = { .trianglePairs = true };
	const snugSceneResult result = snugScene_Update(company->scene, &query);
	assert_true(result.status == snug_success || (company->isHard && result.body != SNUG_NONE));
	return result.status == snug_success;
}

// ---- Boxes
// -----------------------------------------------------------------------------------------------------------

static void CheckNode(const Company* company, const snugModel* model, const float* positions, uint32_t slot,
    const float lower[3], const float upper[3], uint64_t* checks)
{
	const sgTree* tree = &model->tree;
	const sgLeafRange range = sgTree_LeavesBelow(tree, slot);
	const sgLeaf* last = tree->leaves + range.last;
	for (uint32_t i = tree->leaves[range.first].firstVertex; i < last->firstVertex + last->vertexCount; ++i)
	{
		const float* p = positions + 3 * (size_t)tree->vertexMap[tree->leafVertices[i]];
		for (int axis = 0; axis < 3; ++axis)
		{
			*checks += 1;
			if (!(lower[axis] <= p[axis] && p[axis] <= upper[axis]))
			{
				fail_msg("seed %llu: node %u: %a is not within [%a, %a]", (unsigned long long)company->seed, slot,
				    (double)p[axis], (double)lower[axis], (double)upper[axis]);
			}
		}
	}
}

// All boxes of the groups that the last update made, and of whole bodies.
static uint64_t CheckBoxes(const Company* company, snugCrowd* crowd)
{
	const sgWorld* world = &crowd->world;
	uint64_t checks = 0;
	uint32_t number = 0;
	for (uint32_t i = 0; i < company->kindCount; ++i)
	{
		const Kind* kind = company->kinds + i;
		float* positions = calloc(3 * (size_t)kind->skinned.mesh.vertexCount + 1, sizeof(float));
		for (uint32_t b = 0; b < kind->bodyCount; ++b, ++number)
		{
			const sgBodyState* state = world->bodies + number;
			assert_int_equal(snugBody_GetVertices(kind->bodies[b], company->origin, positions, 0), snug_success);
			CheckNode(company, kind->model, positions, 0, state->lower, state->upper, &checks);
			for (uint32_t g = 0; g < world->counts->groups; ++g)
			{
				const sgItem owner = world->owners[g];
				const uint32_t mask = owner.a == number ? world->images[i].groupImages[owner.b].mask : 0;
				for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
				{
					const sgBox box = sgBoxLanes_Get(world->boxes + g, sgLowestBit(rest));
					CheckNode(company, kind->model, positions, owner.b * SG_LANES + sgLowestBit(rest), box.lower,
					    box.upper, &checks);
				}
			}
		}
		free(positions);
	}
	return checks;
}

// Whether a body is large enough to be refused by bounds that are not tight.
static bool IsNearLimit(const Company* company, uint32_t number)
{
	uint32_t kind = 0;
	for (; number >= company->kinds[kind].bodyCount; ++kind)
	{
		number -= company->kinds[kind].bodyCount;
	}
	snugBounds bounds;
	assert_int_equal(snugBody_GetBounds(company->kinds[kind].bodies[number], company->origin, &bounds), snug_success);
	float most = 0.0f;
	for (int k = 0; k < 3; ++k)
	{
		most = fmaxf(most, fmaxf(fabsf(bounds.lower[k]), fabsf(bounds.upper[k])));
	}
	return most > 0.1f * SNUG_MAX_COORDINATE;
}

// ---- Tests
// -----------------------------------------------------------------------------------------------------------

static void a_crowd_is_a_scene(void** state)
{
	(void)state;
	uint64_t pairs = 0, checks = 0, refused = 0, updates = 0;
	for (int i = 0; i < TestCount(80); ++i)
	{
		Company company;
		MakeCompany(&company, TestSeed() + (uint64_t)i, i % 2 == 0);
		assert_int_equal(MakeCrowd(&company, &plenty, 0, &company.crowd), snug_success);
		for (int round = 0; round < 3; ++round)
		{
			SetOrder(company.device, (sgLaneOrder)round, 1 + (uint32_t)i % 5);
			++updates;
			PoseAll(&company);
			const bool isPossible = UpdateScene(&company);
			TellCrowd(&company, company.crowd, round == 1 && !IsOnGpu());
			const snugCrowdResult result = Ask(company.crowd, true, false);
			if (result.status == snug_outOfRange && (!isPossible || IsNearLimit(&company, result.body)))
			{
				++refused; // bounds decide, and a scene has others
				continue;
			}
			assert_true(isPossible);
			assert_int_equal(result.status, snug_success);
			CompareResults(&company, company.crowd, &result);
			ComparePositions(&company, company.crowd);
			checks += IsOnGpu() ? 0 : CheckBoxes(&company, company.crowd);
		}
		pairs += company.trianglePairs;
		FreeCompany(&company);
	}
	assert_true(pairs > 1000);
	assert_true(checks > 100000 || IsOnGpu());
	assert_true(20 * refused < updates);
}

// The same in any order of lanes and groups, asked less, and again.
static void orders_and_questions_agree(void** state)
{
	(void)state;
	for (int i = 0; i < TestCount(40); ++i)
	{
		Company company;
		MakeCompany(&company, TestSeed() + 7000 + (uint64_t)i, false);
		assert_int_equal(MakeCrowd(&company, &plenty, 0, &company.crowd), snug_success);
		PoseAll(&company);
		UpdateScene(&company);
		TellCrowd(&company, company.crowd, false);
		for (int order = 0; order < 9; ++order)
		{
			SetOrder(company.device, (sgLaneOrder)(order % 3), 1 + (uint32_t)order / 3 * 6);
			snugCrowdResult result = Ask(company.crowd, true, false);
			assert_int_equal(result.status, snug_success);
			CompareResults(&company, company.crowd, &result);
			uint64_t count, expectedCount;
			result = Ask(company.crowd, false, false);
			const snugScenePair* pairs = snugCrowd_GetPairs(company.crowd, !IsOnGpu(), &count);
			const snugScenePair* expected = snugScene_GetPairs(company.scene, &expectedCount);
			assert_int_equal(count, expectedCount);
			for (uint64_t k = 0; k < count; ++k)
			{
				assert_true(pairs[k].a == expected[k].a && pairs[k].b == expected[k].b && pairs[k].count == 0);
			}
			(void)snugCrowd_GetTrianglePairs(company.crowd, false, &count);
			assert_int_equal(count, 0);
		}
		FreeCompany(&company);
	}
}

static int CompareKeys(const void* a, const void* b)
{
	const snugPair *p = a, *q = b;
	const uint64_t x = (uint64_t)p->a << 32 | p->b, y = (uint64_t)q->a << 32 | q->b;
	return (x > y) - (x < y);
}

static void unsorted_pairs_are_the_same(void** state)
{
	(void)state;
	for (int i = 0; i < TestCount(40); ++i)
	{
		Company company;
		MakeCompany(&company, TestSeed() + 9000 + (uint64_t)i, false);
		assert_int_equal(MakeCrowd(&company, &plenty, 0, &company.crowd), snug_success);
		PoseAll(&company);
		UpdateScene(&company);
		TellCrowd(&company, company.crowd, false);
		assert_int_equal(Ask(company.crowd, true, true).status, snug_success);
		uint64_t pairCount, count, expectedCount;
		const snugScenePair* pairs = snugCrowd_GetPairs(company.crowd, false, &pairCount);
		const snugPair* found = snugCrowd_GetTrianglePairs(company.crowd, false, &count);
		const snugPair* expected = snugScene_GetTrianglePairs(company.scene, &expectedCount);
		assert_int_equal(count, expectedCount);
		snugPair* sorted = malloc((size_t)(count + 1) * sizeof(snugPair));
		memcpy(sorted, found, (size_t)count * sizeof(snugPair));
		for (uint64_t k = 0; k < pairCount; ++k)
		{
			qsort(sorted + pairs[k].first, (size_t)pairs[k].count, sizeof(snugPair), CompareKeys);
		}
		assert_memory_equal(sorted, expected, (size_t)count * sizeof(snugPair));
		free(sorted);
		FreeCompany(&company);
	}
}

// From nearly no memory to enough: the same results, in portions, or what would be enough.
static void starved_crowds_say_what_they_need(void** state)
{
	(void)state;
	uint64_t portions = 0, refusals = 0, lacks = 0;
	for (int i = 0; i < TestCount(60); ++i)
	{
		Company company;
		MakeCompany(&company, TestSeed() + 20000 + (uint64_t)i, false);
		PoseAll(&company);
		UpdateScene(&company);
		uint64_t bytes = 1 + sceneRandom_Index(&company.random, 20000);
		snugSceneRoom room = { .candidates = 1, .pairs = 1, .trianglePairs = 1 };
		snugCrowd* crowd;
		assert_int_equal(MakeCrowd(&company, &room, bytes, &crowd), snug_success);
		TellCrowd(&company, crowd, false);
		for (int tries = 0;; ++tries)
		{
			assert_true(tries < 60);
			const snugCrowdResult result = Ask(crowd, true, false);
			if (result.status == snug_success)
			{
				CompareResults(&company, crowd, &result);
				portions += result.portions > 1;
				break;
			}
			assert_int_equal(result.status, snug_outOfRange);
			assert_int_equal(result.body, SNUG_NONE);
			refusals += result.neededBytes > 0;
			lacks += result.neededBytes == 0;
			assert_true(result.neededBytes == 0 || result.neededBytes > bytes);
			bytes = result.neededBytes != 0 ? result.neededBytes : bytes;
			assert_int_equal(snugCrowd_Reserve(crowd, &result.needed, result.neededBytes), snug_success);
		}
		snugCrowd_Destroy(crowd);
		FreeCompany(&company);
	}
	assert_true(portions > 0 && refusals > 0 && lacks > 0);
}

static snugBody* BodyOf(const Company* company, uint32_t number)
{
	uint32_t kind = 0;
	for (; number >= company->kinds[kind].bodyCount; ++kind)
	{
		number -= company->kinds[kind].bodyCount;
	}
	return company->kinds[kind].bodies[number];
}

// The same in columns, which only the processor's memory can be looked into.
static void CompareColumns(snugCrowd* crowd, const snugScenePair* pairs, uint64_t count, uint64_t trianglePairs)
{
	const snugCrowdColumns columns = snugCrowd_GetColumns(crowd);
	assert_int_equal(columns.count, count);
	for (uint64_t i = 0; i < count && !IsOnGpu(); ++i)
	{
		assert_int_equal(columns.bodies[i].a, pairs[i].a);
		assert_int_equal(columns.bodies[i].b, pairs[i].b);
		assert_int_equal(columns.offsets[i], pairs[i].first);
		assert_int_equal(columns.counts[i], pairs[i].count);
	}
	assert_true(IsOnGpu() || columns.offsets[count] == trianglePairs);
}

// A row for each pair of the list, in its order, with what snugCollide says.
static void CompareListed(
    const Company* company, snugCrowd* crowd, const snugPair* list, uint32_t count, bool trianglePairs)
{
	static snugPair expected[1 << 16];
	uint64_t rows, triangles, first = 0;
	const snugScenePair* pairs = snugCrowd_GetPairs(crowd, false, &rows);
	const snugPair* found = snugCrowd_GetTrianglePairs(crowd, false, &triangles);
	assert_int_equal(rows, count);
	for (uint32_t i = 0; i < count; ++i)
	{
		snugQuery query = { .pairs = expected, .capacity = sizeof(expected) / sizeof(expected[0]) };
		memcpy(query.origin, company->origin, sizeof(query.origin));
		const snugResult result = snugCollide(BodyOf(company, list[i].a), BodyOf(company, list[i].b), &query);
		assert_int_equal(result.status, snug_success);
		assert_true(result.count <= query.capacity);
		assert_int_equal(pairs[i].a, list[i].a);
		assert_int_equal(pairs[i].b, list[i].b);
		assert_int_equal(pairs[i].first, trianglePairs ? first : 0);
		assert_int_equal(pairs[i].count, trianglePairs ? result.count : result.count > 0);
		if (trianglePairs)
		{
			assert_memory_equal(found + first, expected, result.count * sizeof(snugPair));
			first += result.count;
		}
	}
	CompareColumns(crowd, pairs, count, first);
	assert_int_equal(triangles, first);
}

// Pairs of bodies that are asked about: far apart, twice, the other way round, of groups that do not meet.
static void listed_pairs_are_answered_in_order(void** state)
{
	(void)state;
	uint64_t found = 0, portions = 0;
	for (int i = 0; i < TestCount(100); ++i)
	{
		Company company;
		MakeCompany(&company, TestSeed() + 40000 + (uint64_t)i, false);
		uint32_t bodies = 0;
		for (uint32_t k = 0; k < company.kindCount; ++k)
		{
			bodies += company.kinds[k].bodyCount;
		}
		enum
		{
			MOST = 150
		};
		snugPair list[MOST];
		const uint32_t count = bodies > 1 ? sceneRandom_Index(&company.random, MOST) : 0;
		for (uint32_t k = 0; k < count; ++k)
		{
			list[k].a = sceneRandom_Index(&company.random, bodies);
			list[k].b = (list[k].a + 1 + sceneRandom_Index(&company.random, bodies - 1)) % bodies;
		}
		assert_int_equal(MakeCrowd(&company, &plenty, i % 2 == 0 ? 0 : 1u << 18, &company.crowd), snug_success);
		PoseAll(&company);
		TellCrowd(&company, company.crowd, false);
		for (int round = 0; round < 3; ++round)
		{
			SetOrder(company.device, (sgLaneOrder)round, 1 + (uint32_t)i % 5);
			const snugCrowdQuery query = { .trianglePairs = round != 1,
				.bodyPairs = list,
				.bodyPairCount = count,
				.isOnDevice = round == 2 && !IsOnGpu() };
			assert_int_equal(snugCrowd_Update(company.crowd, &query), snug_success);
			const snugCrowdResult result = snugCrowd_Wait(company.crowd);
			if (result.status == snug_outOfRange && i % 2 != 0) // two of them are too much
			{
				assert_true(result.neededBytes > 1u << 18);
				continue;
			}
			assert_int_equal(result.neededBytes > 0, result.portions > 1);
			assert_int_equal(result.status, snug_success);
			CompareListed(&company, company.crowd, list, count, query.trianglePairs);
			found += result.trianglePairs;
			portions += result.portions > 1;
		}
		FreeCompany(&company);
	}
	assert_true(found > 100 && (portions > 0 || TestCount(100) < 20));
}

// Who is asked about must be there, and must find room; the next update is well again.
static void impossible_lists_are_refused(void** state)
{
	(void)state;
	Company company;
	MakeCompany(&company, TestSeed() + 45000, false);
	const snugSceneRoom room = { .bodies = 64, .candidates = 16, .pairs = 8, .trianglePairs = 1u << 16 };
	assert_int_equal(MakeCrowd(&company, &room, 0, &company.crowd), snug_success);
	uint32_t bodies = 0;
	for (uint32_t k = 0; k < company.kindCount; ++k)
	{
		bodies += company.kinds[k].bodyCount;
	}
	assert_true(bodies > 1);
	const snugPair good = { 0, 1 }, wrong[] = { { 0, 0 }, { bodies, 0 }, { 0, UINT32_MAX } };
	for (uint32_t i = 0; i < 5; ++i)
	{
		snugPair list[9] = { good, good, good, good, good, good, good, good, good };
		snugCrowdQuery query = { .bodyPairs = list, .bodyPairCount = i == 4 ? 9 : 8 };
		list[5] = i < 3 ? wrong[i] : good;
		assert_int_equal(snugCrowd_Update(company.crowd, &query), snug_success);
		const snugCrowdResult result = snugCrowd_Wait(company.crowd);
		assert_int_equal(result.status, i < 3 ? snug_badInput : i == 3 ? snug_success : snug_outOfRange);
		assert_int_equal(result.needed.pairs, i == 4 ? 9 : 0);
		assert_int_equal(result.body, SNUG_NONE);
	}
	FreeCompany(&company);
}

// A body that a scene refuses is refused, by number, and the next update is well again.
static void impossible_poses_are_refused(void** state)
{
	(void)state;
	int refused = 0;
	for (int i = 0; i < TestCount(60); ++i)
	{
		Company company;
		MakeCompany(&company, TestSeed() + 30000 + (uint64_t)i, false);
		assert_int_equal(MakeCrowd(&company, &plenty, 0, &company.crowd), snug_success);
		PoseAll(&company);
		UpdateScene(&company);
		Kind* kind = company.kinds + company.kindCount - 1;
		const uint32_t which = sceneRandom_Index(&company.random, kind->bodyCount), what = (uint32_t)i % 5;
		const uint32_t joints = kind->skinned.skin.transformCount, fields = kind->fields.fieldCount;
		float* joint = kind->joints + (size_t)12 * joints * which + 7;
		float* amplitude = kind->amplitudes + (size_t)fields * which;
		const snugFrame frame = kind->frames[which];
		const float oldJoint = *joint, oldAmplitude = *amplitude;
		snugFrame* bad = kind->frames + which;
		snugStatus expected = snug_badInput;
		if (what == 0 && joints > 0)
		{
			*joint = NAN;
		}
		else if (what == 1 && joints > 0)
		{
			*joint = 1e37f;
			expected = snug_outOfRange;
		}
		else if (what == 2 && fields > 0)
		{
			*amplitude = -INFINITY;
		}
		else if (what == 3)
		{
			bad->position[1] = 1e300;
			expected = snug_outOfRange;
		}
		else
		{
			bad->rotation[2] = 2.0;
		}
		uint32_t number = which;
		for (uint32_t k = 0; k + 1 < company.kindCount; ++k)
		{
			number += company.kinds[k].bodyCount;
		}
		TellCrowd(&company, company.crowd, false);
		snugCrowdResult result = Ask(company.crowd, true, false);
		assert_int_equal(result.status, expected);
		assert_int_equal(result.body, number);
		uint64_t count;
		assert_null(snugCrowd_GetPairs(company.crowd, false, &count));
		assert_int_equal(count, 0);
		*joint = oldJoint;
		*amplitude = oldAmplitude;
		*bad = frame;
		TellCrowd(&company, company.crowd, false);
		result = Ask(company.crowd, true, false);
		assert_int_equal(result.status, snug_success);
		CompareResults(&company, company.crowd, &result);
		++refused;
		FreeCompany(&company);
	}
	assert_true(refused > 0);
}

// Seventy men, close together, with morph targets; enough bodies for two levels above them.
static void characters_meet(void** state)
{
	(void)state;
	enum
	{
		MEN = 70
	};
	sceneCharacter man;
	assert_true(sceneCharacter_Create(&man, scene_man));
	snugModelDef def = sceneCharacter_MakeDef(&man, snug_blendLinear);
	def.fields = sceneTargets_Get(&man.targets);
	snugModel* model;
	assert_int_equal(snugModel_Create(&def, &model), snug_success);
	const snugSceneDef sceneDef = { .room = { .bodies = MEN, .trianglePairs = 1u << 20 } };
	snugScene* scene;
	assert_int_equal(snugScene_Create(&sceneDef, &scene), snug_success);
	const uint32_t joints = man.weights.transformCount, fields = man.targets.count;
	float* matrices = calloc((size_t)12 * joints * MEN, sizeof(float));
	float* amplitudes = calloc((size_t)fields * MEN, sizeof(float));
	snugFrame frames[MEN];
	snugBody* bodies[MEN];
	sceneRandom random = { TestSeed() };
	for (uint32_t i = 0; i < MEN; ++i)
	{
		float *own = matrices + (size_t)12 * joints * i, *targets = amplitudes + (size_t)fields * i;
		sceneCharacter_Walk(&man, sceneRandom_Unit(&random), own);
		sceneCharacter_Breathe(&man, sceneRandom_Unit(&random), targets);
		frames[i] = (snugFrame){ .position = { 0.45 * (i % 9), 0.0, 0.45 * (i / 9) } };
		const double angle = sceneRandom_Range(&random, -3.0, 3.0);
		frames[i].rotation[1] = sin(angle / 2.0);
		frames[i].rotation[3] = cos(angle / 2.0);
		bodies[i] = MakeBody(model, NULL);
		assert_int_equal(snugBody_SetAmplitudes(bodies[i], targets, fields), snug_success);
		assert_int_equal(snugBody_SetJoints(bodies[i], own, 0, joints), snug_success);
		assert_int_equal(snugBody_SetFrame(bodies[i], frames + i), snug_success);
		uint32_t id;
		assert_int_equal(snugScene_Add(scene, &(snugSceneBodyDef){ .body = bodies[i] }, &id), snug_success);
	}
	const snugSceneQuery query = { .trianglePairs = true };
	assert_int_equal(snugScene_Update(scene, &query).status, snug_success);
	snugDevice* device;
	MakeDevice(&device);
	const snugCrowdModel models = { .model = model, .bodyCount = MEN };
	const snugCrowdDef crowdDef = {
		.device = device, .models = &models, .modelCount = 1, .room = { .trianglePairs = 1u << 20 }, .bytes = 8u << 20
	};
	snugCrowd* crowd;
	assert_int_equal(snugCrowd_Create(&crowdDef, &crowd), snug_success);
	const snugCrowdPoses poses = { .joints = matrices, .amplitudes = amplitudes, .frames = frames };
	assert_int_equal(snugCrowd_SetPoses(crowd, 0, &poses), snug_success);
	for (int order = 0; order < 3; ++order)
	{
		SetOrder(device, (sgLaneOrder)order, 5);
		const snugCrowdResult result = Ask(crowd, true, false);
		assert_int_equal(result.status, snug_success);
		uint64_t count, expectedCount;
		const snugPair* found = snugCrowd_GetTrianglePairs(crowd, false, &count);
		const snugPair* expected = snugScene_GetTrianglePairs(scene, &expectedCount);
		assert_int_equal(count, expectedCount);
		assert_true(count > 1000);
		assert_memory_equal(found, expected, (size_t)count * sizeof(snugPair));
		print_message("%llu pairs of triangles, in %u portions\n", (unsigned long long)count, result.portions);
	}
	snugCrowd_Destroy(crowd);
	snugDevice_Destroy(device);
	snugScene_Destroy(scene);
	for (uint32_t i = 0; i < MEN; ++i)
	{
		snugBody_Destroy(bodies[i]);
	}
	snugModel_Destroy(model);
	free(matrices);
	free(amplitudes);
	sceneCharacter_Free(&man);
}

// Every allocation fails once: a device or a crowd less, nothing lost.
static void lack_of_memory_is_told(void** state)
{
	(void)state;
	TestAllocator memory = { 0 };
	Company company;
	MakeCompany(&company, TestSeed() + 50000, false);
	PoseAll(&company);
	UpdateScene(&company);
	snugDevice_Destroy(company.device);
	company.device = NULL;
	for (uint64_t failAt = 1;; ++failAt)
	{
		memory.calls = 0;
		memory.failAt = failAt;
		const snugDeviceDef def = { .backend = snug_reference, .allocator = TestAllocator_Get(&memory) };
		snugCrowd* crowd = NULL;
		bool isGood = snugDevice_Create(&def, &company.device) == snug_success;
		isGood = isGood && MakeCrowd(&company, &plenty, 1u << 20, &crowd) == snug_success;
		for (uint32_t i = 0; i < company.kindCount && isGood; ++i)
		{
			const snugCrowdPoses poses = { .frames = company.kinds[i].frames };
			const snugStatus status = snugCrowd_SetPoses(crowd, i, &poses);
			assert_true(status == snug_success || status == snug_outOfMemory);
			isGood = status == snug_success;
		}
		uint64_t count;
		isGood = isGood && Ask(crowd, true, false).status == snug_success;
		isGood = isGood && snugCrowd_GetPairs(crowd, false, &count) != NULL;
		// More room or not, what there was still works.
		isGood = isGood && snugCrowd_Reserve(crowd, &plenty, 1u << 19) == snug_success;
		assert_true(!isGood || snugCrowd_GetColumns(crowd).bodies == NULL); // those were where there was less
		isGood = crowd != NULL && Ask(crowd, true, false).status == snug_success && isGood;
		snugCrowd_Destroy(crowd);
		snugDevice_Destroy(company.device);
		company.device = NULL;
		assert_int_equal(memory.live, 0);
		assert_int_equal(memory.faults, 0);
		if (isGood)
		{
			assert_true(failAt > 20);
			break;
		}
	}
	FreeCompany(&company);
}

static void turning_skins_are_refused(void** state)
{
	(void)state;
	sceneCharacter man;
	assert_true(sceneCharacter_Create(&man, scene_man));
	snugDevice* device;
	assert_int_equal(snugDevice_Create(&(snugDeviceDef){ .backend = snug_reference }, &device), snug_success);
	for (int blending = snug_blendSpherical; blending <= snug_blendDualQuaternion; ++blending)
	{
		const snugModelDef def = sceneCharacter_MakeDef(&man, (snugBlending)blending);
		snugModel* model;
		assert_int_equal(snugModel_Create(&def, &model), snug_success);
		const snugCrowdModel bodies = { .model = model, .bodyCount = 2 };
		const snugCrowdDef crowdDef = { .device = device, .models = &bodies, .modelCount = 1 };
		snugCrowd* crowd;
		assert_int_equal(snugCrowd_Create(&crowdDef, &crowd), snug_badInput);
		assert_null(crowd);
		snugModel_Destroy(model);
	}
	snugDevice_Destroy(device);
	sceneCharacter_Free(&man);
}

// Without a GPU, or without kernels for one, there is a sentence.
static void no_gpu_is_told(void** state)
{
	(void)state;
	TestMessages messages = { 0 };
	const snugDeviceDef def = { .messenger = TestMessages_Get(&messages), .ordinal = 1000 };
	snugDevice* device;
	assert_int_equal(snugDevice_Create(&def, &device), snug_unavailable);
	assert_null(device);
	assert_int_equal(messages.count, 1);
	print_message("%s\n", messages.last);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_crowd_is_a_scene),
		cmocka_unit_test(orders_and_questions_agree),
		cmocka_unit_test(unsorted_pairs_are_the_same),
		cmocka_unit_test(starved_crowds_say_what_they_need),
		cmocka_unit_test(listed_pairs_are_answered_in_order),
		cmocka_unit_test(impossible_lists_are_refused),
		cmocka_unit_test(impossible_poses_are_refused),
		cmocka_unit_test(characters_meet),
		cmocka_unit_test(lack_of_memory_is_told),
		cmocka_unit_test(turning_skins_are_refused),
		cmocka_unit_test(no_gpu_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
