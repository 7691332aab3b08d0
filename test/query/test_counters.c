// test/query/test_counters.c: what queries say that they cost, against counts by other means (counted.h). Equal to the
// last one, for every kind of query, deformer, strategy and pool, alone and on threads.
#include "counted.h"
#include "posed.h"
#include "workers.h"

#include "base/base.h"
#include "body/body.h"
#include "snug/snug_scene.h"

#include <stdio.h>
#include <stdlib.h>
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
	snugTimedQuery query = { .maxSteps = 1 + seed % 5, .widestFirst = seed % 2 == 0 };
	snugResult result;
	do
	{
		TakeTally();
		result = snugCollideInTime(a, b, &frontier, &query);
		query.maxSteps *= 2; // few at first, and soon done
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

// What a query computed of bodies. What it compared is as it says.
// @param placed vertices that it placed by no kernel that counts
static void CheckWork(const char* what, uint64_t seed, const snugCounters* found, uint64_t placed)
{
	Tally counted = TakeTally();
	counted.vertices += placed;
	const Expected expected = { found->volumeTests, found->triangleTests, found->exactTests };
	CheckCounters(what, seed, found, &counted, &expected);
}

static void CheckMoreOfSelf(uint64_t seed, snugBody* body)
{
	static int threads[] = { 1, 4 };
	snugQuery query = { .keepRest = seed % 2 == 0, .workers = { .run = RunOnThreads, .user = threads + seed / 2 % 2 } };
	TakeTally();
	snugResult result = snugTouchesSelf(body, &query);
	CheckWork("touches itself", seed, &result.counters, 0);
	result = snugCollideSelf(body, &query);
	CheckWork("self on threads", seed, &result.counters, 0);
	query.workers.run = NULL;
	result = snugCollideSelfWithin(body, 0.05, 0.2, &query);
	assert_int_equal(result.status, snug_success);
	CheckWork("self within a margin", seed, &result.counters, 0);
}

static void CheckSelfContacts(uint64_t seed, const Posed* posed)
{
	snugContactBuffer* buffer;
	assert_int_equal(snugContactBuffer_Create(&(snugContactBufferDef){ .capacity = 2000 }, &buffer), snug_success);
	const snugContactQuery query = { .depths = true };
	snugPointSide* vertices = calloc(posed->thing.mesh.vertexCount + 1, sizeof(*vertices));
	snugPointSide* triangles = calloc(posed->thing.mesh.triangleCount + 1, sizeof(*triangles));
	TakeTally();
	const snugContactResult found = snugFindSelfContacts(posed->thing.body, buffer, &query);
	CheckWork("contacts with itself", seed, &found.counters, 0);
	const snugResult inside = snugFindSelfInside(posed->thing.body, vertices, triangles);
	CheckWork("inside itself", seed, &inside.counters, 0);
	snugContactBuffer_Destroy(buffer);
	free(vertices);
	free(triangles);
}

static void CheckDepths(uint64_t seed, snugBody* body, snugBody* outer, const double origin[3])
{
	const snugDistanceQuery query = { .origin = { origin[0], origin[1], origin[2] } };
	TakeTally();
	const snugResult result = snugFindVertexDepths(body, outer, NULL, 0, &query);
	// All vertices are placed, which the kernels are not asked to do leaf by leaf.
	CheckWork("depths of vertices", seed, &result.counters,
	    body->deform->positions != NULL ? snugModel_GetInfo(body->model).vertexCount : 0);
}

// From the pose to rest, and on.
static void CheckSweeps(uint64_t seed, sceneRandom* random, const Posed* one, const Posed* other)
{
	const Posed* posed[2] = { one, other };
	snugBody* ends[2];
	for (int i = 0; i < 2; ++i)
	{
		const snugFrame frame = { .position = { sceneRandom_Range(random, -1.0, 1.0) } };
		assert_int_equal(snugBody_Create(&(snugBodyDef){ .model = posed[i]->thing.model }, ends + i), snug_success);
		Watch(ends[i]);
		assert_int_equal(snugBody_SetFrame(ends[i], &frame), snug_success);
	}
	snugSweepContact contacts[8];
	const snugSweepQuery query = { .newOnly = seed % 2 == 0, .margin = seed % 3 == 0 ? 0.05 : 0.0 };
	TakeTally();
	snugSweepResult result = snugSweep(posed[0]->thing.body, ends[0], posed[1]->thing.body, ends[1], &query);
	assert_int_equal(result.status, snug_success);
	CheckWork("sweep", seed, &result.counters, 0);
	result = snugSweepAll(posed[0]->thing.body, ends[0], posed[1]->thing.body, NULL, &query, contacts, 8);
	assert_int_equal(result.status, snug_success);
	CheckWork("sweep for all", seed, &result.counters, 0);
	snugBody_Destroy(ends[0]);
	snugBody_Destroy(ends[1]);
}

// ---- All queries ---------------------------------------------------------------------------------------------------

static void AskAll(uint64_t seed, sceneRandom* random, const Posed* one, const Posed* other, snugWitness* witness)
{
	snugBody *a = one->thing.body, *b = other->thing.body;
	const double* o = one->origin;
	snugQuery query = { .origin = { o[0], o[1], o[2] } };
	// Whatever comes first after a new pose pays for most.
	switch (sceneRandom_Index(random, 9))
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
		case 3:
			CheckMoreOfSelf(seed, a);
			CheckSelfContacts(seed, other);
			break;
		case 4:
			CheckDepths(seed, b, a, o);
			break;
		case 5:
			CheckSweeps(seed, random, other, one);
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
	if (seed % 4 == 0)
	{
		CheckDepths(seed, a, b, o);
		CheckMoreOfSelf(seed, a);
		CheckSelfContacts(seed, other);
	}
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
	bool meetsItself; // some body
	snugContactBuffer* buffer;
	uint64_t attempts, grown, contacts;
} Company;

static void CountContacts(void* user, uint32_t a, uint32_t b, const snugContactResult* contacts)
{
	*(uint64_t*)user += a <= b && contacts->count > 0;
}

// An update, with more room as long as it lacks some: costs are those of all attempts.
static void CheckUpdate(uint64_t seed, Company* company, bool trianglePairs, bool contacts)
{
	const snugSceneQuery query = { .trianglePairs = trianglePairs,
		.depths = contacts,
		.contacts = contacts ? CountContacts : NULL,
		.contactsUser = &company->contacts,
		.contactBuffer = company->buffer };
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
	if (contacts || company->meetsItself)
	{
		CheckWork("update with contacts", seed, &sum, 0);
		return;
	}
	const Tally counted = TakeTally();
	Expected expected = ForPairs(&counted);
	expected.triangleTests = trianglePairs ? expected.triangleTests : sum.triangleTests; // witnesses are not told
	CheckCounters("update", seed, &sum, &counted, &expected);
}

// All bodies move by some way; then they are where they were.
static void SweepScene(uint64_t seed, sceneRandom* random, Company* company)
{
	snugBody* ends[SCENE_BODIES];
	for (int i = 0; i < SCENE_BODIES; ++i)
	{
		const snugFrame frame = { .position = { sceneRandom_Range(random, -1.0, 1.0) } };
		const snugBodyDef def = { .model = company->posed[i].thing.model };
		assert_int_equal(snugBody_Create(&def, ends + i), snug_success);
		Watch(ends[i]);
		assert_int_equal(snugBody_SetFrame(ends[i], &frame), snug_success);
	}
	snugSceneSweep first;
	const snugSweepQuery query = { .maxSteps = 1000 }; // costs are those of what was done
	TakeTally();
	snugSceneResult swept = snugScene_Sweep(company->scene, ends, SCENE_BODIES, &query, &first);
	snugCounters sum = swept.counters;
	for (; swept.status == snug_outOfRange && swept.body == UINT32_MAX; ++company->grown)
	{
		assert_int_equal(snugScene_Reserve(company->scene, &swept.needed), snug_success);
		swept = snugScene_Sweep(company->scene, ends, SCENE_BODIES, &query, &first);
		sgCounters_Add(&sum, &swept.counters);
	}
	assert_int_equal(swept.status, snug_success);
	CheckWork("sweep of a scene", seed, &sum, 0);
	for (int i = 0; i < SCENE_BODIES; ++i)
	{
		snugBody_Destroy(ends[i]);
	}
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
	SweepScene(seed, random, company);
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
	uint64_t attempts = 0, grown = 0, contacts = 0;
	countedTotal = (snugCounters){ 0 };
	for (int n = 0; n < TestCount(50); ++n)
	{
		const uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugPool* pool = sceneRandom_Index(&random, 2) == 0 ? MakePool(4096 * 40) : NULL;
		Company company = { .threads = 1 + (int)sceneRandom_Index(&random, 4), .meetsItself = n % 4 == 0 };
		assert_int_equal(
		    snugContactBuffer_Create(&(snugContactBufferDef){ .capacity = 500 }, &company.buffer), snug_success);
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
			const snugSceneBodyDef added = { .body = company.posed[i].thing.body, .meetsItself = company.meetsItself };
			assert_int_equal(snugScene_Add(company.scene, &added, &id), snug_success);
		}
		for (int frame = 0; frame < 4; ++frame)
		{
			PoseAll(&random, &company);
			if (sceneRandom_Index(&random, 3) == 0)
			{
				AskScene(seed, &random, &company);
			}
			CheckUpdate(seed, &company, sceneRandom_Index(&random, 3) != 0, frame % 4 == 3);
		}
		attempts += company.attempts;
		grown += company.grown;
		contacts += company.contacts;
		snugScene_Destroy(company.scene);
		snugContactBuffer_Destroy(company.buffer);
		for (int i = 0; i < SCENE_BODIES; ++i)
		{
			Posed_Free(company.posed + i);
		}
		snugPool_Destroy(pool);
	}
	printf("%llu updates, room grew %llu times\n", (unsigned long long)attempts, (unsigned long long)grown);
	assert_true((grown > 0 && contacts > 0) || TestScale() < 0.2);
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
