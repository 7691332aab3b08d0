// test/gpu/test_crowd_lists.c: crowds that are asked about listed pairs, and what crowds refuse: pairs and poses that
// are impossible, models that they do not know, too little memory, no GPU. How they sort.
#include "company.h"

#include "gpu/kernels/queue.h"
#include "gpu/kernels/sort.h"
#include "lab/scenes/character.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

// Models of a triangle, of none and of some, and models without bodies between them.
static void small_models_have_numbers_too(void** state)
{
	(void)state;
	enum
	{
		MODELS = 6,
		MOST = 3,
	};
	static const float positions[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
	static const uint32_t triangles[] = { 0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2 };
	static const uint32_t triangleCounts[MODELS] = { 4, 1, 4, 0, 1, 4 }, bodyCounts[MODELS] = { 0, 2, 3, 2, 2, 0 };
	snugModel* models[MODELS];
	snugCrowdModel members[MODELS] = { 0 };
	snugBody* bodies[MODELS * MOST];
	snugFrame frames[MODELS * MOST];
	uint32_t count = 0;
	snugScene* scene;
	snugDevice* device;
	snugCrowd* crowd;
	assert_int_equal(snugScene_Create(&(snugSceneDef){ .room = plenty }, &scene), snug_success);
	for (uint32_t i = 0; i < MODELS; ++i)
	{
		const snugModelDef def = { .positions = positions,
			.vertexCount = 4,
			.triangles = triangles,
			.triangleCount = triangleCounts[i],
			.deformer = snug_rigid };
		assert_int_equal(snugModel_Create(&def, models + i), snug_success);
		members[i] = (snugCrowdModel){ .model = models[i], .bodyCount = bodyCounts[i] };
		for (uint32_t k = 0; k < bodyCounts[i]; ++k, ++count)
		{
			uint32_t id;
			frames[count] = (snugFrame){ .position = { 0.125 * count, 0.0625 * (count % 3), 0.25 * (count % 2) } };
			bodies[count] = MakeBody(models[i], NULL);
			assert_int_equal(snugBody_SetFrame(bodies[count], frames + count), snug_success);
			assert_int_equal(snugScene_Add(scene, &(snugSceneBodyDef){ .body = bodies[count] }, &id), snug_success);
		}
	}
	MakeDevice(&device);
	const snugCrowdDef def = { .device = device, .models = members, .modelCount = MODELS };
	assert_int_equal(snugCrowd_Create(&def, &crowd), snug_success);
	for (uint32_t i = 0, first = 0; i < MODELS; first += bodyCounts[i++])
	{
		assert_int_equal(snugCrowd_SetPoses(crowd, i, &(snugCrowdPoses){ .frames = frames + first }), snug_success);
	}
	assert_int_equal(snugScene_Update(scene, &(snugSceneQuery){ .trianglePairs = true }).status, snug_success);
	Company both = { .scene = scene };
	for (int order = 0; order < 3; ++order)
	{
		SetOrder(device, (sgLaneOrder)order, 2);
		const snugCrowdResult result = Ask(crowd, true, false);
		assert_int_equal(result.status, snug_success);
		CompareResults(&both, crowd, &result);
	}
	assert_true(both.trianglePairs > 30);
	float expected[12], found[12];
	const double origin[3] = { 0.0, 0.0, 0.0 };
	for (uint32_t i = 0; i < count; ++i)
	{
		assert_int_equal(snugBody_GetVertices(bodies[i], origin, expected, 0), snug_success);
		assert_int_equal(snugCrowd_GetVertices(crowd, i, found), snug_success);
		assert_memory_equal(expected, found, sizeof(found));
	}
	snugCrowd_Destroy(crowd);
	snugDevice_Destroy(device);
	snugScene_Destroy(scene);
	for (uint32_t i = 0; i < count; ++i)
	{
		snugBody_Destroy(bodies[i]);
	}
	for (uint32_t i = 0; i < MODELS; ++i)
	{
		snugModel_Destroy(models[i]);
	}
}

// Tetrahedra in a box: enough for four levels above them, and so close that each meets more than a group's outbox
// holds.
static void many_bodies_meet(void** state)
{
	(void)state;
	enum
	{
		BODIES = 700
	};
	static const float positions[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
	static const uint32_t triangles[] = { 0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2 };
	const snugModelDef def = {
		.positions = positions, .vertexCount = 4, .triangles = triangles, .triangleCount = 4, .deformer = snug_rigid
	};
	const snugSceneRoom room = {
		.bodies = BODIES, .candidates = 1u << 18, .pairs = 1u << 18, .trianglePairs = 1u << 22
	};
	snugModel* model;
	assert_int_equal(snugModel_Create(&def, &model), snug_success);
	for (int round = 0; round < 4; ++round)
	{
		const uint32_t count = round == 0 ? BODIES : round == 1 ? 200 : round == 2 ? 65 : 9;
		const double size = round == 0 ? 8.0 : round == 1 ? 1.0 : 3.0;
		snugScene* scene;
		snugDevice* device;
		snugCrowd* crowd;
		snugBody* bodies[BODIES];
		static snugFrame frames[BODIES];
		sceneRandom random = { TestSeed() + (uint64_t)round };
		assert_int_equal(snugScene_Create(&(snugSceneDef){ .room = room }, &scene), snug_success);
		for (uint32_t i = 0; i < count; ++i)
		{
			uint32_t id;
			frames[i] = (snugFrame){ { 0 }, { 0 } };
			for (int k = 0; k < 3; ++k)
			{
				frames[i].position[k] = sceneRandom_Range(&random, 0.0, size);
			}
			bodies[i] = MakeBody(model, NULL);
			assert_int_equal(snugBody_SetFrame(bodies[i], frames + i), snug_success);
			assert_int_equal(snugScene_Add(scene, &(snugSceneBodyDef){ .body = bodies[i] }, &id), snug_success);
		}
		MakeDevice(&device);
		const snugCrowdModel members = { .model = model, .bodyCount = count };
		const snugCrowdDef crowdDef = { .device = device, .models = &members, .modelCount = 1, .room = room };
		assert_int_equal(snugCrowd_Create(&crowdDef, &crowd), snug_success);
		assert_int_equal(snugCrowd_SetPoses(crowd, 0, &(snugCrowdPoses){ .frames = frames }), snug_success);
		assert_int_equal(snugScene_Update(scene, &(snugSceneQuery){ .trianglePairs = true }).status, snug_success);
		Company both = { .scene = scene };
		for (int order = 0; order < 3; ++order)
		{
			SetOrder(device, (sgLaneOrder)order, 5);
			const snugCrowdResult result = Ask(crowd, true, false);
			assert_int_equal(result.status, snug_success);
			CompareResults(&both, crowd, &result);
		}
		assert_true(both.trianglePairs > count);
		snugCrowd_Destroy(crowd);
		snugDevice_Destroy(device);
		snugScene_Destroy(scene);
		for (uint32_t i = 0; i < count; ++i)
		{
			snugBody_Destroy(bodies[i]);
		}
	}
	snugModel_Destroy(model);
}

// A list that counted on from zero would look as if it had room: a hundred thousand bodies in one place are more pairs
// than 32 bits count. And nobody gets room for so many.
static void what_cannot_be_counted_is_refused(void** state)
{
	(void)state;
	static Outbox box;
	static sgItem items[4];
	static sgCounts counts;
	sgTurns turns = { .groupCount = 1 };
	for (uint32_t l = 0; l < SG_GPU_LANES; ++l)
	{
		turns.lanes[l] = l;
	}
	const sgWorld world = { .turns = &turns, .counts = &counts };
	const sgQueue queue = { .items = items, .count = &counts.candidates, .capacity = 4, .bit = sgFull_candidates };
	counts.candidates = SG_GPU_COUNTLESS - 700;
	Outbox_Begin(&world, &box);
	for (uint32_t i = 0; i < 2000; ++i)
	{
		Outbox_Add(&world, &box, &queue, (sgItem){ i, i, i });
		if (i % 300 == 0)
		{
			Outbox_Flush(&world, &box, &queue, 0);
		}
		assert_true(counts.candidates >= SG_GPU_COUNTLESS - 700 && counts.candidates < SG_GPU_COUNTLESS + 300);
	}
	assert_true(counts.candidates >= SG_GPU_COUNTLESS - OUTBOX_ITEMS && counts.isFull == sgFull_candidates);

	Company company;
	MakeCompany(&company, TestSeed() + 47000, false);
	snugSceneRoom room = plenty;
	const uint32_t bodies = company.kinds[0].bodyCount;
	room.trianglePairs = SG_GPU_COUNTLESS;
	assert_int_equal(MakeCrowd(&company, &room, 0, &company.crowd), snug_outOfRange);
	company.kinds[0].bodyCount = 1u << 31;
	assert_int_equal(MakeCrowd(&company, &plenty, 0, &company.crowd), snug_outOfRange);
	company.kinds[0].bodyCount = (1u << 30) + 1;
	assert_int_equal(MakeCrowd(&company, &plenty, 0, &company.crowd), snug_outOfRange);
	company.kinds[0].bodyCount = bodies;
	assert_int_equal(MakeCrowd(&company, &plenty, 0, &company.crowd), snug_success);
	assert_int_equal(snugCrowd_Reserve(company.crowd, &room, 0), snug_outOfRange);
	FreeCompany(&company);
}

enum
{
	MOST_SORTED = 20000
};

static int CompareItems(const void* a, const void* b)
{
	const sgItem *one = a, *other = b;
	return IsLess(one, other, true) ? -1 : IsLess(other, one, true) ? 1 : 0;
}

// Segments of any length, in any order; of two items of a segment either a or b differs.
static uint32_t MakeSegments(sceneRandom* random, bool isLong, sgItem* items, uint32_t* firsts)
{
	const uint32_t most = 1u << (isLong ? 13 : sceneRandom_Index(random, 14));
	uint32_t segments = 0, count = 0;
	while (count < MOST_SORTED / 2 && segments < 2000)
	{
		const uint32_t own = isLong && count == 0 ? most : sceneRandom_Index(random, most + 1),
		               sames = 1 + sceneRandom_Index(random, 3);
		firsts[segments] = count;
		for (uint32_t i = 0; i < own; ++i)
		{
			items[count++] = (sgItem){ segments, i / sames, i % sames };
			const uint32_t other = firsts[segments] + sceneRandom_Index(random, i + 1);
			const sgItem item = items[other];
			items[other] = items[count - 1];
			items[count - 1] = item;
		}
		++segments;
	}
	firsts[segments] = count;
	return count;
}

// As a crowd sorts what it found: runs, of which some become one, until each segment is.
static void segments_are_sorted(void** state)
{
	(void)state;
	static sgItem given[MOST_SORTED], sorted[MOST_SORTED], expected[MOST_SORTED];
	static uint32_t firsts[2001];
	uint32_t mostMerges = 0;
	sceneRandom random = { TestSeed() + 90000 };
	for (int i = 0; i < TestCount(60); ++i)
	{
		const uint32_t count = MakeSegments(&random, i == 0, given, firsts);
		sgTurns turns = { .groupCount = 1 };
		for (uint32_t l = 0; l < SG_GPU_LANES; ++l)
		{
			turns.lanes[l] = i % 2 == 0 ? l : SG_GPU_LANES - 1 - l;
		}
		const sgWorld world = { .turns = &turns };
		memcpy(expected, given, count * sizeof(sgItem));
		qsort(expected, count, sizeof(sgItem), CompareItems);
		for (uint32_t first = 0; first < count; first += SORT_RUN)
		{
			SortScratch scratch;
			const uint32_t some = count - first < SORT_RUN ? count - first : SORT_RUN;
			Sort_Run(&world, given + first, some, true, &scratch);
			memcpy(sorted + first, scratch.items, some * sizeof(sgItem));
		}
		uint32_t merges = 0;
		for (uint32_t k = 0; k < count; ++k)
		{
			const uint32_t segment = sorted[k].pair;
			const uint32_t own = Sort_Merges(Sort_Span(firsts[segment], firsts[segment + 1]));
			merges = own > merges ? own : merges;
		}
		for (uint32_t merge = 0; merge < merges; ++merge)
		{
			for (uint32_t k = 0; k < count; ++k)
			{
				const uint32_t segment = sorted[k].pair;
				given[Sort_Merge(sorted, k, firsts[segment], firsts[segment + 1], merge)] = sorted[k];
			}
			memcpy(sorted, given, count * sizeof(sgItem));
		}
		assert_memory_equal(sorted, expected, count * sizeof(sgItem));
		mostMerges = merges > mostMerges ? merges : mostMerges;
	}
	assert_true(mostMerges >= 3);
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
		cmocka_unit_test(listed_pairs_are_answered_in_order),
		cmocka_unit_test(impossible_lists_are_refused),
		cmocka_unit_test(impossible_poses_are_refused),
		cmocka_unit_test(lack_of_memory_is_told),
		cmocka_unit_test(turning_skins_are_refused),
		cmocka_unit_test(small_models_have_numbers_too),
		cmocka_unit_test(many_bodies_meet),
		cmocka_unit_test(what_cannot_be_counted_is_refused),
		cmocka_unit_test(segments_are_sorted),
		cmocka_unit_test(no_gpu_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
