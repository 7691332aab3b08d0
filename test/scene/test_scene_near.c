// test/scene/test_scene_near.c: bodies of a scene within a margin, against the distances of all triangles of every two
// of them.
#include "posed.h"
#include "workers.h"

#include "snug/snug_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COMPANY 7
#define COMPANY_PAIRS (COMPANY * COMPANY)

// Bodies of a scene, and how far apart every two of them are.
typedef struct Company
{
	snugScene* scene;
	Posed bodies[COMPANY];
	double origin[3];
	int threads;
	snugSceneNear truth[COMPANY_PAIRS]; // of all that masks and the filter agree to
	uint64_t count;
} Company;

static uint32_t GroupsOf(uint32_t id)
{
	return 1u << id % 2;
}

static uint32_t MaskOf(uint32_t id)
{
	return id % 3 == 0 ? 1 : 3;
}

static bool IsStatic(uint32_t id)
{
	return id % 4 == 1;
}

static bool Agrees(void* user, uint32_t a, uint32_t b)
{
	(void)user;
	assert_true(a < b);
	return (a + b) % 5 != 0;
}

static bool MayMeet(uint32_t a, uint32_t b)
{
	return (GroupsOf(a) & MaskOf(b)) != 0 && (GroupsOf(b) & MaskOf(a)) != 0 && !(IsStatic(a) && IsStatic(b)) &&
	       Agrees(NULL, a, b);
}

static void MakeCompany(sceneRandom* random, Company* company, int n, snugPool* pool)
{
	*company = (Company){ .origin = { sceneRandom_Range(random, -2.0, 2.0), 0.0, 0.5 }, .threads = 1 + n % 4 };
	const snugSceneDef def = { .room = { .bodies = COMPANY, .candidates = 1 },
		.origin = { company->origin[0], company->origin[1], company->origin[2] },
		.workers.run = n % 4 != 0 ? RunOnThreads : NULL,
		.workers.user = &company->threads,
		.filter = Agrees };
	assert_int_equal(snugScene_Create(&def, &company->scene), snug_success);
	for (uint32_t i = 0; i < COMPANY; ++i)
	{
		uint32_t id, kind = i == 0 ? (uint32_t)n : sceneRandom_Index(random, MESH_KINDS);
		company->bodies[i] = Posed_Make(random, RandomMesh(random, (MeshKind)(kind % MESH_KINDS)),
		    (Mover)((i + (uint32_t)n) % POSED_DEFORMERS), i % 2 == 0 ? pool : NULL);
		const snugSceneBodyDef body = {
			.body = company->bodies[i].thing.body, .isStatic = IsStatic(i), .groups = GroupsOf(i), .mask = MaskOf(i)
		};
		assert_int_equal(snugScene_Add(company->scene, &body, &id), snug_success);
		assert_int_equal(id, i);
	}
}

static void FreeCompany(Company* company)
{
	snugScene_Destroy(company->scene);
	for (uint32_t i = 0; i < COMPANY; ++i)
	{
		Posed_Free(company->bodies + i);
	}
}

static snugSceneNear BruteNear(const Company* company, uint32_t a, uint32_t b)
{
	const Posed *one = company->bodies + a, *other = company->bodies + b;
	snugDistanceResult best = Posed_FindDistance(one, other);
	if (best.distance == 0.0) // what they share is named by the query for it, which test_near.c looks at
	{
		const snugDistanceQuery query = { .origin = { company->origin[0], company->origin[1], company->origin[2] } };
		best = snugFindDistance(one->thing.body, other->thing.body, &query);
		assert_true(best.isWithin && best.distance == 0.0);
	}
	return (snugSceneNear){ a, b, best.distance, best.a, best.b, { best.pointA[0], best.pointA[1], best.pointA[2] },
		{ best.pointB[0], best.pointB[1], best.pointB[2] } };
}

static void FindTruth(Company* company)
{
	company->count = 0;
	for (uint32_t i = 0; i < COMPANY; ++i)
	{
		memcpy(company->bodies[i].origin, company->origin, sizeof(company->origin));
		Posed_Read(company->bodies + i);
	}
	for (uint32_t a = 0; a < COMPANY; ++a)
	{
		for (uint32_t b = a + 1; b < COMPANY; ++b)
		{
			if (MayMeet(a, b))
			{
				company->truth[company->count++] = BruteNear(company, a, b);
			}
		}
	}
}

static snugSceneResult AskWithRoom(Company* company, const snugSceneNearQuery* query)
{
	snugSceneResult result = snugScene_FindNear(company->scene, query);
	if (result.status == snug_outOfRange)
	{
		assert_int_equal(result.body, SNUG_NONE);
		assert_true(result.needed.candidates > snugScene_GetRoom(company->scene).candidates);
		assert_int_equal(snugScene_Reserve(company->scene, &result.needed), snug_success);
		result = snugScene_FindNear(company->scene, query);
	}
	assert_int_equal(result.status, snug_success);
	return result;
}

static void CheckCompany(uint64_t seed, Company* company, double margin, uint64_t capacity)
{
	snugSceneNear expected[COMPANY_PAIRS], found[COMPANY_PAIRS];
	uint64_t count = 0;
	for (uint64_t i = 0; i < company->count; ++i)
	{
		if (company->truth[i].distance <= margin && company->truth[i].distance < INFINITY)
		{
			expected[count++] = company->truth[i];
		}
	}
	const snugSceneNearQuery query = { .margin = margin, .pairs = capacity > 0 ? found : NULL, .capacity = capacity };
	const snugSceneResult result = AskWithRoom(company, &query);
	const uint64_t kept = count < capacity ? count : capacity;
	if (result.count != count || memcmp(found, expected, (size_t)kept * sizeof(snugSceneNear)) != 0)
	{
		fail_msg("SNUG_SEED=%llu: %llu pairs within %.17g instead of %llu, or others", (unsigned long long)seed,
		    (unsigned long long)result.count, margin, (unsigned long long)count);
	}
	assert_true(result.candidates >= count);
}

static void PoseCompany(sceneRandom* random, Company* company)
{
	for (uint32_t i = 0; i < COMPANY; ++i)
	{
		if (sceneRandom_Index(random, 4) != 0)
		{
			Posed_Change(random, company->bodies + i);
			Posed_PlaceApart(random, company->bodies + i);
		}
	}
}

// The first question after posing is for several threads, most often; what updates tell stays as it is.
static void distances_through_scenes_are_those_of_all_pairs(void** state)
{
	(void)state;
	uint64_t apart = 0;
	for (int n = 0; n < TestCount(30); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugPool* pool = n % 3 == 0 ? MakePool(4096 * 3) : NULL;
		Company company;
		MakeCompany(&random, &company, n, pool);
		for (int step = 0; step < 3; ++step)
		{
			PoseCompany(&random, &company);
			snugSceneNear cold[COMPANY_PAIRS];
			const snugSceneNearQuery all = { .margin = INFINITY, .pairs = cold, .capacity = COMPANY_PAIRS };
			const uint64_t count = AskWithRoom(&company, &all).count;
			FindTruth(&company);
			for (uint64_t i = 0, k = 0; i < company.count; ++i)
			{
				const bool isThere = company.truth[i].distance < INFINITY;
				assert_true(!isThere || (k < count && memcmp(cold + k, company.truth + i, sizeof(cold[0])) == 0));
				k += isThere;
			}
			for (uint64_t i = 0; i < company.count && company.truth[i].distance < INFINITY; i += 3)
			{
				const double distance = company.truth[i].distance;
				apart += distance > 0.0;
				CheckCompany(seed, &company, distance, COMPANY_PAIRS);
				CheckCompany(seed, &company, nextafter(distance, -1.0) > 0.0 ? nextafter(distance, 0.0) : 0.0, 2);
			}
			CheckCompany(seed, &company, 0.0, 0);
			assert_int_equal(snugScene_Update(company.scene, NULL).status, snug_success);
			CheckCompany(seed, &company, 1.0, COMPANY_PAIRS);
		}
		FreeCompany(&company);
		snugPool_Destroy(pool);
	}
	assert_true(apart > 0);
}

// Boxes of two flat bodies are as far apart as the bodies, so that every rounding of the broad phase counts.
static void margins_of_boxes_lose_nothing(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(3000); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugScene* scene = NULL;
		assert_int_equal(snugScene_Create(&(snugSceneDef){ .room = { .bodies = 2 } }, &scene), snug_success);
		Thing things[2];
		const int axis = n % 3;
		for (int i = 0; i < 2; ++i)
		{
			sceneMesh mesh = sceneMakeTetrahedron();
			const double at = ldexp(sceneRandom_Range(&random, -1.0, 1.0), (int)sceneRandom_Index(&random, 60) - 30);
			for (uint32_t v = 0; v < mesh.vertexCount; ++v)
			{
				mesh.positions[3 * v + (uint32_t)axis] = (float)at;
			}
			uint32_t id;
			things[i] = Thing_Make(mesh, snug_rigid, (snugTreeDef){ 0 }, NULL);
			assert_int_equal(snugScene_Add(scene, &(snugSceneBodyDef){ .body = things[i].body }, &id), snug_success);
		}
		const double distance = snugFindDistance(things[0].body, things[1].body, NULL).distance;
		snugSceneResult result = snugScene_FindNear(scene, &(snugSceneNearQuery){ .margin = distance });
		if (result.status != snug_success || result.count != 1)
		{
			fail_msg("SNUG_SEED=%llu: %.17g apart, but not within that", (unsigned long long)seed, distance);
		}
		snugScene_Destroy(scene);
		Thing_Free(things);
		Thing_Free(things + 1);
	}
}

static void misuse_is_refused(void** state)
{
	(void)state;
	sceneRandom random = { 3 };
	Company company;
	MakeCompany(&random, &company, 3, NULL);
	assert_int_equal(snugScene_FindNear(NULL, &(snugSceneNearQuery){ .margin = 1.0 }).status, snug_badArgument);
	assert_int_equal(snugScene_FindNear(company.scene, NULL).status, snug_badArgument);
	const snugSceneNearQuery bad[] = { { .margin = -1.0 }, { .margin = NAN }, { .capacity = 1 },
		{ .reserved = { 0, 1 } } };
	for (size_t i = 0; i < LENGTH_OF(bad); ++i)
	{
		assert_int_equal(snugScene_FindNear(company.scene, bad + i).status, snug_badArgument);
	}
	Place(company.bodies[0].thing.body, 1e300, 0.0, 0.0); // which is not empty, whatever the random numbers
	const snugSceneResult result = snugScene_FindNear(company.scene, &(snugSceneNearQuery){ .margin = 1.0 });
	assert_int_equal(result.status, snug_outOfRange);
	assert_int_equal(result.body, 0);
	FreeCompany(&company);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances_through_scenes_are_those_of_all_pairs),
		cmocka_unit_test(margins_of_boxes_lose_nothing),
		cmocka_unit_test(misuse_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
