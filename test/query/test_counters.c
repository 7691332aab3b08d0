// test/query/test_counters.c: what queries say that they cost, against counts by other means (counted.h). Equal to the
// last one, for every kind of query, deformer, strategy and pool, alone and on threads.
#include "counted.h"
#include "posed.h"
#include "workers.h"

#include "base/base.h"
#include "snug/snug_scene.h"

#include <stdio.h>
#include <string.h>

// ---- Two bodies ----------------------------------------------------------------------------------------------------

static void CheckCollide(uint64_t seed, snugBody* a, snugBody* b, snugQuery query)
{
	static int threads[] = { 1, 4 };
	query.workers.run = seed % 3 == 0 ? RunOnThreads : NULL;
	query.workers.user = threads + seed % 2;
	TakeTally();
	const snugResult result = snugCollide(a, b, &query);
	const Tally counted = TakeTally();
	const Expected expected = ForPairs(&counted);
	assert_int_equal(result.status, snug_success);
	CheckCounters(
	    query.findDistanceBound ? "collide with a bound" : "collide", seed, &result.counters, &counted, &expected);
}

static void CheckTouches(uint64_t seed, snugBody* a, snugBody* b, snugQuery query, snugWitness* witness)
{
	query.witness = witness;
	const bool isKnown = witness != NULL && witness->memory[0] != 0;
	TakeTally();
	const snugResult result = snugTouches(a, b, &query);
	const Tally counted = TakeTally();
	Expected expected = ForPairs(&counted);
	expected.triangleTests += isKnown; // the pair that answered last
	CheckCounters(isKnown ? "touches with a witness" : "touches", seed, &result.counters, &counted, &expected);
}

static void CheckInTime(uint64_t seed, snugBody* a, snugBody* b, const double origin[3])
{
	snugNodePair room[40];
	snugFrontier frontier = { .pairs = room, .capacity = LENGTH_OF(room) };
	memcpy(frontier.origin, origin, sizeof(frontier.origin));
	const snugTimedQuery query = { .maxSteps = 1 + seed % 5, .widestFirst = seed % 2 == 0 };
	snugResult result;
	do
	{
		TakeTally();
		result = snugCollideInTime(a, b, &frontier, &query);
		const Tally counted = TakeTally();
		const Expected expected = ForPairs(&counted);
		assert_int_equal(result.status, snug_success);
		CheckCounters("collide in time", seed, &result.counters, &counted, &expected);
	} while (!result.complete);
}

static void CheckWithin(uint64_t seed, snugBody* a, snugBody* b, const double origin[3], double margin)
{
	snugQuery query = { .pairs = NULL };
	memcpy(query.origin, origin, sizeof(query.origin));
	TakeTally();
	const snugResult result = snugCollideWithin(a, b, margin, &query);
	const Tally counted = TakeTally();
	const Expected expected = { counted.compared, counted.nearPairs, counted.exact };
	CheckCounters("within a margin", seed, &result.counters, &counted, &expected);
}

static void CheckDistance(uint64_t seed, snugBody* a, snugBody* b, const double origin[3])
{
	snugDistanceQuery query = { .maxDistance = 0.0 };
	memcpy(query.origin, origin, sizeof(query.origin));
	TakeTally();
	const snugDistanceResult result = snugFindDistance(a, b, &query);
	const Tally counted = TakeTally();
	const Expected expected = { counted.compared, counted.nearest, counted.exact };
	CheckCounters("distance", seed, &result.counters, &counted, &expected);
}

static void CheckContacts(uint64_t seed, snugBody* a, snugBody* b, const double origin[3])
{
	snugContactBuffer* buffer;
	const snugContactBufferDef def = { .capacity = 2000 };
	assert_int_equal(snugContactBuffer_Create(&def, &buffer), snug_success);
	snugContactQuery query = { .depths = true };
	memcpy(query.origin, origin, sizeof(query.origin));
	TakeTally();
	const snugContactResult result = snugFindContacts(a, b, buffer, &query);
	const Tally counted = TakeTally();
	const Expected expected = ForPairs(&counted);
	CheckCounters("contacts", seed, &result.counters, &counted, &expected);
	snugContactBuffer_Destroy(buffer);
}

static void CheckBodyInside(uint64_t seed, snugBody* a, snugBody* b, const double origin[3])
{
	TakeTally();
	const snugResult result = snugFindBodyInside(a, b, origin, NULL);
	const Tally counted = TakeTally();
	const Expected expected = { counted.compared + counted.clipped, counted.boxPairs + counted.passed,
		counted.exact + counted.passing };
	CheckCounters("a body inside", seed, &result.counters, &counted, &expected);
}

// ---- One body ------------------------------------------------------------------------------------------------------

static void CheckSelf(uint64_t seed, snugBody* body)
{
	const snugQuery query = { .keepRest = true };
	TakeTally();
	const snugResult result = snugCollideSelf(body, &query);
	const Tally counted = TakeTally();
	const Expected expected = { counted.compared, counted.boxPairs, counted.beyond + counted.exact };
	CheckCounters("self", seed, &result.counters, &counted, &expected);
}

static void CheckRays(uint64_t seed, snugBody* body, const double origin[3], sceneRandom* random)
{
	snugRay rays[3];
	snugRayHit hits[3];
	snugRayQuery query = { .any = seed % 2 == 0, .origin = { origin[0], origin[1], origin[2] } };
	for (size_t i = 0; i < 6 * LENGTH_OF(rays); ++i)
	{
		*((i % 6 < 3 ? rays[i / 6].from : rays[i / 6].to) + i % 3) = (float)sceneRandom_Range(random, -1.5, 1.5);
	}
	TakeTally();
	const snugResult cast = snugCastRays(body, rays, LENGTH_OF(rays), hits, &query);
	Tally counted = TakeTally();
	Expected expected = { counted.clipped, counted.passed, counted.passing };
	CheckCounters("rays", seed, &cast.counters, &counted, &expected);
	const snugResult found = snugFindHits(body, rays, hits, LENGTH_OF(hits), &query);
	counted = TakeTally();
	expected = (Expected){ counted.clipped, counted.passed, counted.passing };
	CheckCounters("hits", seed, &found.counters, &counted, &expected);
}

static void CheckPoints(uint64_t seed, snugBody* body, const double origin[3], sceneRandom* random)
{
	float points[4][3];
	snugClosest closest[LENGTH_OF(points)];
	snugPointSide places[LENGTH_OF(points)];
	for (size_t i = 0; i < 3 * LENGTH_OF(points); ++i)
	{
		points[i / 3][i % 3] = (float)sceneRandom_Range(random, -1.0, 1.0);
	}
	const snugDistanceQuery near = { .origin = { origin[0], origin[1], origin[2] } };
	TakeTally();
	const snugResult found = snugFindClosest(body, points[0], 0, LENGTH_OF(points), closest, &near);
	Tally counted = TakeTally();
	Expected expected = { counted.opened, counted.toPoint, counted.hits };
	CheckCounters("closest points", seed, &found.counters, &counted, &expected);
	const snugResult placed = snugFindInside(body, points[0], 0, LENGTH_OF(points), places, origin);
	counted = TakeTally();
	expected = (Expected){ counted.clipped, counted.passed, counted.passing };
	CheckCounters("points inside", seed, &placed.counters, &counted, &expected);
}

static void CheckShapes(uint64_t seed, snugBody* body, const double origin[3])
{
	const snugShape shapes[] = {
		{ .kind = snug_shapeSphere, .radius = 0.4f },
		{ .kind = snug_shapeCapsule, .from = { -0.5f }, .to = { 0.5f, 0.2f }, .radius = 0.2f },
		{ .kind = snug_shapePlane, .plane = { .normal = { 0.3, 1.0 } } },
		{ .kind = snug_shapeHalfSpace, .plane = { .normal = { -1.0, 0.4, -0.1 } } },
	};
	const snugShapeQuery query = { .origin = { origin[0], origin[1], origin[2] } };
	for (size_t i = 0; i < LENGTH_OF(shapes); ++i)
	{
		TakeTally();
		const snugResult result = snugCollideShape(body, shapes + i, &query);
		const Tally counted = TakeTally();
		const Expected expected = { counted.opened, counted.shapes + counted.balls, 0 };
		assert_int_equal(result.status, snug_success);
		CheckCounters("shapes", seed, &result.counters, &counted, &expected);
	}
}

// ---- All queries ---------------------------------------------------------------------------------------------------

static void AskAll(uint64_t seed, sceneRandom* random, const Posed* one, const Posed* other, snugWitness* witness)
{
	snugBody *a = one->thing.body, *b = other->thing.body;
	const double* o = one->origin;
	snugQuery query = { .origin = { o[0], o[1], o[2] } };
	// Whatever comes first after a new pose pays for most.
	switch (sceneRandom_Index(random, 5))
	{
		case 0:
			CheckDistance(seed, a, b, o);
			break;
		case 1:
			CheckContacts(seed, a, b, o);
			break;
		case 2:
			CheckSelf(seed, a);
			CheckPoints(seed, b, o, random);
			break;
		default:
			CheckCollide(seed, a, b, query);
			break;
	}
	CheckTouches(seed, a, b, query, witness);
	CheckCollide(seed, a, b, query);
	query.findDistanceBound = true;
	CheckCollide(seed, a, b, query);
	CheckTouches(seed, a, b, query, NULL);
	CheckInTime(seed, a, b, o);
	CheckWithin(seed, a, b, o, seed % 2 == 0 ? 0.0 : 0.1);
	CheckDistance(seed, a, b, o);
	CheckContacts(seed, a, b, o);
	CheckBodyInside(seed, a, b, o);
	CheckSelf(seed, b);
	CheckRays(seed, a, o, random);
	CheckPoints(seed, a, o, random);
	CheckShapes(seed, b, o);
}

// Two bodies that move: together, or apart.
static void queries_count_what_they_do(void** state)
{
	(void)state;
	countedTotal = (snugCounters){ 0 };
	for (int n = 0; n < TestCount(120); ++n)
	{
		const uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugPool* pool =
		    sceneRandom_Index(&random, 3) == 0 ? MakePool(4096 * (1 + sceneRandom_Index(&random, 3))) : NULL;
		Posed posed[2];
		snugWitness witness = { { 0 } };
		ForgetBodies();
		const bool isDeep = sceneRandom_Index(&random, 4) == 0; // enough for threads to refit together
		for (int i = 0; i < 2; ++i)
		{
			const MeshKind kind = (MeshKind)sceneRandom_Index(&random, MESH_KINDS);
			const Mover deformer = (Mover)sceneRandom_Index(&random, POSED_DEFORMERS);
			const sceneMesh mesh = isDeep ? sceneMakeSoup(400, 0.15, seed) : RandomMesh(&random, kind);
			const snugTreeDef tree = isDeep ? (snugTreeDef){ .leafTriangles = 1 } : RandomTreeDef(&random);
			posed[i] = Posed_MakeWith(&random, mesh, deformer, tree, pool);
			Watch(posed[i].thing.body);
		}
		for (int frame = 0; frame < 3; ++frame)
		{
			if (frame > 0)
			{
				Posed_Change(&random, posed);
				Posed_Change(&random, posed + 1);
			}
			if (sceneRandom_Index(&random, 4) == 0)
			{
				Posed_PlaceApart(&random, posed + 1);
			}
			AskAll(seed, &random, posed, posed + 1, &witness);
		}
		Posed_Free(posed);
		Posed_Free(posed + 1);
		snugPool_Destroy(pool);
	}
	assert_true(countedTotal.nodesAtFront > 0 && countedTotal.nodesAboveFront > 0 && countedTotal.nodesBelowFront > 0);
	assert_true(countedTotal.verticesEvaluated > 0 && countedTotal.volumeTests > 0 && countedTotal.triangleTests > 0 &&
	            countedTotal.exactTests > 0);
}

// ---- Scenes --------------------------------------------------------------------------------------------------------

#define SCENE_BODIES 12

typedef struct Company
{
	Posed posed[SCENE_BODIES];
	snugScene* scene;
	int threads;
	uint64_t attempts, grown;
} Company;

// An update, with more room as long as it lacks some: costs are those of all attempts.
static void CheckUpdate(uint64_t seed, Company* company, bool trianglePairs)
{
	const snugSceneQuery query = { .trianglePairs = trianglePairs };
	snugCounters sum = { 0 };
	snugSceneResult result = snugScene_Update(company->scene, &query);
	sgCounters_Add(&sum, &result.counters);
	for (++company->attempts; result.status == snug_outOfRange && result.body == UINT32_MAX; ++company->grown)
	{
		assert_int_equal(snugScene_Reserve(company->scene, &result.needed), snug_success);
		result = snugScene_Update(company->scene, &query);
		sgCounters_Add(&sum, &result.counters);
	}
	assert_int_equal(result.status, snug_success);
	const Tally counted = TakeTally();
	Expected expected = ForPairs(&counted);
	expected.triangleTests = trianglePairs ? expected.triangleTests : sum.triangleTests; // witnesses are not told
	CheckCounters("update", seed, &sum, &counted, &expected);
}

static void AskScene(uint64_t seed, sceneRandom* random, Company* company)
{
	snugRay rays[4];
	snugRayHit hits[4];
	snugSceneNear near[4];
	for (size_t i = 0; i < 6 * LENGTH_OF(rays); ++i)
	{
		*((i % 6 < 3 ? rays[i / 6].from : rays[i / 6].to) + i % 3) = (float)sceneRandom_Range(random, -4.0, 4.0);
	}
	const snugSceneResult cast = snugScene_CastRays(company->scene, rays, LENGTH_OF(rays), hits, NULL);
	Tally counted = TakeTally();
	Expected expected = { counted.clipped, counted.passed, counted.passing };
	CheckCounters("rays through a scene", seed, &cast.counters, &counted, &expected);
	const snugSceneResult found = snugScene_FindHits(company->scene, rays, hits, LENGTH_OF(hits), NULL);
	counted = TakeTally();
	expected = (Expected){ counted.clipped, counted.passed, counted.passing };
	CheckCounters("hits through a scene", seed, &found.counters, &counted, &expected);
	const snugSceneNearQuery query = { .margin = 0.2, .pairs = near, .capacity = LENGTH_OF(near) };
	snugSceneResult within = snugScene_FindNear(company->scene, &query);
	snugCounters sum = within.counters;
	for (; within.status == snug_outOfRange; ++company->grown)
	{
		assert_int_equal(snugScene_Reserve(company->scene, &within.needed), snug_success);
		within = snugScene_FindNear(company->scene, &query);
		sgCounters_Add(&sum, &within.counters);
	}
	counted = TakeTally();
	expected = (Expected){ counted.compared, counted.nearest, counted.exact };
	CheckCounters("within a margin in a scene", seed, &sum, &counted, &expected);
}

// Pose all bodies one by one; then turn some skins by the scene, which bounds them ahead of what asks next.
static void PoseAll(sceneRandom* random, Company* company)
{
	for (uint32_t i = 0; i < SCENE_BODIES; ++i)
	{
		Posed_Change(random, company->posed + i);
		Posed_PlaceApart(random, company->posed + i);
	}
	TakeTally();
	for (uint32_t i = 0; i < SCENE_BODIES; ++i)
	{
		snugFrame frame = { .position = { sceneRandom_Range(random, -1.0, 1.0) } };
		const snugScenePoses poses = { .ids = &i, .count = 1, .frames = &frame };
		RandomRotation(random, frame.rotation);
		if (sceneRandom_Index(random, 2) == 0)
		{
			assert_int_equal(snugScene_SetPoses(company->scene, &poses), snug_success);
		}
	}
}

static void scenes_count_what_they_do(void** state)
{
	(void)state;
	uint64_t attempts = 0, grown = 0;
	countedTotal = (snugCounters){ 0 };
	for (int n = 0; n < TestCount(50); ++n)
	{
		const uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugPool* pool = sceneRandom_Index(&random, 2) == 0 ? MakePool(4096 * 40) : NULL;
		Company company = { .threads = 1 + (int)sceneRandom_Index(&random, 4) };
		const snugSceneDef def = {
			.room = { .bodies = SCENE_BODIES },
			.workers.run = sceneRandom_Index(&random, 2) == 0 ? RunOnThreads : NULL,
			.workers.user = &company.threads,
		};
		ForgetBodies();
		assert_int_equal(snugScene_Create(&def, &company.scene), snug_success);
		for (int i = 0; i < SCENE_BODIES; ++i)
		{
			const MeshKind kind = (MeshKind)sceneRandom_Index(&random, MESH_KINDS);
			const Mover deformer = (Mover)sceneRandom_Index(&random, POSED_DEFORMERS);
			company.posed[i] = Posed_Make(&random, RandomMesh(&random, kind), deformer, pool);
			Watch(company.posed[i].thing.body);
			uint32_t id;
			const snugSceneBodyDef added = { .body = company.posed[i].thing.body };
			assert_int_equal(snugScene_Add(company.scene, &added, &id), snug_success);
		}
		for (int frame = 0; frame < 4; ++frame)
		{
			PoseAll(&random, &company);
			if (sceneRandom_Index(&random, 3) == 0)
			{
				AskScene(seed, &random, &company);
			}
			CheckUpdate(seed, &company, sceneRandom_Index(&random, 3) != 0);
		}
		attempts += company.attempts;
		grown += company.grown;
		snugScene_Destroy(company.scene);
		for (int i = 0; i < SCENE_BODIES; ++i)
		{
			Posed_Free(company.posed + i);
		}
		snugPool_Destroy(pool);
	}
	printf("%llu updates, room grew %llu times\n", (unsigned long long)attempts, (unsigned long long)grown);
	assert_true(grown > 0 || TestScale() < 0.2);
	assert_true(countedTotal.nodesAtFront > 0 && countedTotal.nodesAboveFront > 0 && countedTotal.nodesBelowFront > 0);
}

int main(void)
{
	WatchKernels();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queries_count_what_they_do),
		cmocka_unit_test(scenes_count_what_they_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
