// test/gpu/test_crowd.c: crowds on the reference device give what a scene gives, bit for bit: pairs, triangle pairs and
// positions, of every deformer that they know, several models, masks and origins, in whatever order lanes work, with
// however little memory. Boxes that were made contain what they must, and hard pairs are decided exactly.
#include "company.h"

#include "lab/scenes/character.h"
#include "lab/truth/exact.h"
#include "lab/truth/hard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
	MOST_HARD = 64,
};

// ---- Boxes ---------------------------------------------------------------------------------------------------------

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

// ---- Tests ---------------------------------------------------------------------------------------------------------

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
			const bool isRefused = result.status == snug_outOfRange && IsNearLimit(&company, result.body);
			assert_true(result.status == snug_success || isRefused);
			if (!isPossible || isRefused)
			{
				++refused; // near the limit bounds decide, and a scene has others
				continue;
			}
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
			qsort(sorted + pairs[k].first, (size_t)pairs[k].count, sizeof(snugPair), ComparePairs);
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

// A triangle of each family of hard pairs, all of them in one body, and the others in another.
static snugModel* MakeHardModel(const hardPair* pairs, uint32_t count, bool isFirst)
{
	float positions[9 * MOST_HARD];
	uint32_t triangles[3 * MOST_HARD];
	for (uint32_t i = 0; i < count; ++i)
	{
		memcpy(positions + (size_t)9 * i, isFirst ? pairs[i].a : pairs[i].b, 9 * sizeof(float));
	}
	for (uint32_t i = 0; i < 3 * count; ++i)
	{
		triangles[i] = i;
	}
	const snugModelDef def = { .positions = positions,
		.vertexCount = 3 * count,
		.triangles = triangles,
		.triangleCount = count,
		.deformer = snug_rigid };
	snugModel* model;
	assert_int_equal(snugModel_Create(&def, &model), snug_success);
	return model;
}

static uint32_t MakeHardPairs(int family, uint64_t seed, hardPair pairs[MOST_HARD])
{
	uint32_t count = 0;
	for (uint64_t number = 0; number < MOST_HARD; ++number)
	{
		pairs[count] = hardMakePair(family, seed, number);
		const float* values = &pairs[count].a[0][0];
		bool isPossible = true;
		for (int k = 0; k < 18; ++k)
		{
			isPossible = isPossible && fabsf(values[k]) < 0.5f * SNUG_MAX_COORDINATE;
		}
		count += isPossible;
	}
	return count;
}

// Each with each other: what snugCollide says of all, and integers of those that were made for each other.
static void hard_pairs_are_decided_exactly(void** state)
{
	(void)state;
	static snugPair expected[MOST_HARD * MOST_HARD];
	static hardPair pairs[MOST_HARD];
	uint64_t asked = 0, found = 0;
	snugDevice* device;
	MakeDevice(&device);
	for (int i = 0; i < TestCount(3 * HARD_FAMILIES); ++i)
	{
		const uint32_t count = MakeHardPairs(i % HARD_FAMILIES, TestSeed() + 50000 + (uint64_t)i, pairs);
		if (count == 0)
		{
			continue;
		}
		snugModel *first = MakeHardModel(pairs, count, true), *second = MakeHardModel(pairs, count, false);
		snugBody *a = MakeBody(first, NULL), *b = MakeBody(second, NULL);
		const snugCrowdModel models[] = { { .model = first, .bodyCount = 1 }, { .model = second, .bodyCount = 1 } };
		SetOrder(device, (sgLaneOrder)(i % 3), 3);
		const snugCrowdDef def = { .device = device,
			.models = models,
			.modelCount = 2,
			.room = { .candidates = 4, .pairs = 4, .trianglePairs = MOST_HARD * MOST_HARD },
			.bytes = 1u << 24 };
		snugCrowd* crowd;
		assert_int_equal(snugCrowd_Create(&def, &crowd), snug_success);
		const snugPair both = { 0, 1 };
		const snugCrowdQuery query = { .trianglePairs = true, .bodyPairs = &both, .bodyPairCount = 1 };
		assert_int_equal(snugCrowd_Update(crowd, &query), snug_success);
		assert_int_equal(snugCrowd_Wait(crowd).status, snug_success);
		uint64_t all;
		const snugPair* answers = snugCrowd_GetTrianglePairs(crowd, false, &all);
		const snugQuery same = { .pairs = expected, .capacity = MOST_HARD * MOST_HARD };
		assert_int_equal(snugCollide(a, b, &same).count, all);
		assert_memory_equal(answers, expected, (size_t)all * sizeof(snugPair));
		uint64_t at = 0;
		for (uint32_t k = 0; k < count; ++k)
		{
			for (; at < all && (answers[at].a < k || (answers[at].a == k && answers[at].b < k)); ++at)
			{
			}
			const bool isThere = at < all && answers[at].a == k && answers[at].b == k;
			if (isThere != exactIntersect(pairs[k].a, pairs[k].b))
			{
				fail_msg("family %s, seed %llu: pair %u", hardGetFamilyName(i % HARD_FAMILIES),
				    (unsigned long long)(TestSeed() + 50000 + (uint64_t)i), k);
			}
		}
		asked += (uint64_t)count * count;
		found += all;
		snugCrowd_Destroy(crowd);
		snugBody_Destroy(a);
		snugBody_Destroy(b);
		snugModel_Destroy(first);
		snugModel_Destroy(second);
	}
	snugDevice_Destroy(device);
	print_message("%llu pairs, %llu of them meet\n", (unsigned long long)asked, (unsigned long long)found);
	assert_true(found > 100);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_crowd_is_a_scene),
		cmocka_unit_test(orders_and_questions_agree),
		cmocka_unit_test(unsorted_pairs_are_the_same),
		cmocka_unit_test(starved_crowds_say_what_they_need),
		cmocka_unit_test(hard_pairs_are_decided_exactly),
		cmocka_unit_test(characters_meet),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
