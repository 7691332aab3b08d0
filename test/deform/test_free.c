// test/deform/test_free.c: bodies whose vertices the caller sets: after every change, what queries see is the new pose.
//
// A stale bound misses contacts without a trace, so every test here asks after every change and compares with brute
// force on vertices that it knows itself, not only on those that the body reports.
#include "support.h"

#include "body/body.h"
#include "lab/scenes/motion.h"
#include "snug/snug_queries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A free body and a copy of what its vertices should be.
typedef struct Clay
{
	Thing thing;
	float* expected; // in the caller's numbering, body space
} Clay;

static Clay Clay_Make(sceneMesh mesh, snugTreeDef tree, snugPool* pool)
{
	Clay clay = { Thing_Make(mesh, snug_free, tree, pool), malloc((3 * (size_t)mesh.vertexCount + 1) * sizeof(float)) };
	assert_non_null(clay.expected);
	memcpy(clay.expected, mesh.positions, 3 * (size_t)mesh.vertexCount * sizeof(float));
	return clay;
}

static void Clay_Free(Clay* clay)
{
	Thing_Free(&clay->thing);
	free(clay->expected);
}

// Set a range, through a stride of some floats more than needed.
static void Clay_Set(Clay* clay, const float* positions, uint32_t first, uint32_t count, uint32_t padding)
{
	size_t floats = 3 + (size_t)padding;
	float* strided = malloc((floats * count + 1) * sizeof(float));
	assert_non_null(strided);
	for (size_t i = 0; i < count; ++i)
	{
		memcpy(strided + floats * i, positions + 3 * i, 3 * sizeof(float));
		for (size_t k = 3; k < floats; ++k)
		{
			strided[floats * i + k] = NAN; // must not be looked at
		}
	}
	size_t stride = padding == 0 && count % 2 != 0 ? 0 : floats * sizeof(float);
	assert_int_equal(snugBody_SetVertices(clay->thing.body, strided, stride, first, count), snug_success);
	memcpy(clay->expected + 3 * (size_t)first, positions, 3 * (size_t)count * sizeof(float));
	free(strided);
}

// Move a range of vertices, a little or a lot.
static void Clay_Move(Clay* clay, sceneRandom* random, uint32_t first, uint32_t count, double amount)
{
	float* positions = malloc((3 * (size_t)count + 1) * sizeof(float));
	assert_non_null(positions);
	double shift[3];
	for (int k = 0; k < 3; ++k)
	{
		shift[k] = sceneRandom_Range(random, -amount, amount);
	}
	for (size_t i = 0; i < 3 * (size_t)count; ++i)
	{
		double noise = sceneRandom_Range(random, -0.1 * amount, 0.1 * amount);
		positions[i] = (float)((double)clay->expected[3 * (size_t)first + i] + shift[i % 3] + noise);
	}
	Clay_Set(clay, positions, first, count, sceneRandom_Index(random, 4) == 0 ? 1 + sceneRandom_Index(random, 3) : 0);
	free(positions);
}

// The body holds what was set, nothing more or less; its frame must be the identity.
static void Clay_CheckVertices(const Clay* clay, uint64_t seed)
{
	uint32_t count = clay->thing.mesh.vertexCount;
	float* positions = malloc((3 * (size_t)count + 1) * sizeof(float));
	assert_non_null(positions);
	assert_int_equal(snugBody_GetVertices(clay->thing.body, NULL, positions, 0), snug_success);
	if (memcmp(positions, clay->expected, 3 * (size_t)count * sizeof(float)) != 0)
	{
		print_error("SNUG_SEED=%llu: the vertices are not those that were set\n", (unsigned long long)seed);
		fail();
	}
	free(positions);
}

static void RandomRange(sceneRandom* random, uint32_t vertexCount, uint32_t* first, uint32_t* count)
{
	uint32_t kind = sceneRandom_Index(random, 6);
	uint32_t most = kind == 0 ? vertexCount : kind == 1 ? 1 : vertexCount / 8 + 1;
	*first = sceneRandom_Index(random, vertexCount);
	*count = 1 + sceneRandom_Index(random, most);
	if (kind == 0 && sceneRandom_Index(random, 2) != 0)
	{
		*first = 0;
		*count = vertexCount;
	}
	*count = *count > vertexCount - *first ? vertexCount - *first : *count;
}

static sceneMesh ClayMesh(sceneRandom* random)
{
	static const MeshKind kinds[] = { mesh_soup, mesh_blob, mesh_torus, mesh_cloth, mesh_voxels, mesh_repeated,
		mesh_zeroArea, mesh_single, mesh_tetrahedron, mesh_unused, mesh_clusters };
	if (sceneRandom_Index(random, 8) == 0)
	{
		return sceneMakeBlob(12, sceneRandom_Next(random)); // several pages
	}
	return RandomMesh(random, kinds[sceneRandom_Index(random, LENGTH_OF(kinds))]);
}

// A search that goes no farther than so many steps.
static void StopSoon(snugBody* a, snugBody* b, uint64_t steps)
{
	snugNodePair room[16];
	snugFrontier frontier = { .pairs = room, .capacity = LENGTH_OF(room) };
	assert_int_equal(snugCollideInTime(a, b, &frontier, &(snugTimedQuery){ .maxSteps = steps }).status, snug_success);
}

// One history: changes of all kinds in random order, with queries in between, or several changes before a query.
static void CheckHistory(uint64_t seed, snugPool* pool)
{
	sceneRandom random = { seed };
	Clay a = Clay_Make(ClayMesh(&random), RandomTreeDef(&random), pool);
	Clay b = Clay_Make(ClayMesh(&random), RandomTreeDef(&random), pool);
	for (int step = 0; step < 12; ++step)
	{
		for (uint32_t changes = sceneRandom_Index(&random, 4); changes > 0; --changes)
		{
			Clay* clay = sceneRandom_Index(&random, 2) != 0 ? &a : &b;
			uint32_t first, count;
			RandomRange(&random, clay->thing.mesh.vertexCount, &first, &count);
			Clay_Move(clay, &random, first, count, sceneRandom_Index(&random, 3) == 0 ? 1.0 : 0.05);
		}
		switch (sceneRandom_Index(&random, 6))
		{
			case 0:
				assert_int_equal(snugBody_Refit(a.thing.body), snug_success);
				break;
			case 1:
				snugTouches(a.thing.body, b.thing.body, NULL);
				break;
			case 2: // a query that stops early leaves some bounds up to date and others not
				StopSoon(a.thing.body, b.thing.body, 1 + (uint64_t)step);
				break;
			case 3:
				Clay_CheckVertices(&a, seed);
				break;
			default:
				break;
		}
		char what[64];
		snprintf(what, sizeof(what), "free, step %d", step);
		CheckPairs(what, seed, &a.thing, &b.thing, NULL);
		Clay_CheckVertices(&a, seed);
		Clay_CheckVertices(&b, seed);
		if (snugBody_Validate(a.thing.body, NULL) != snug_success ||
		    snugBody_Validate(b.thing.body, NULL) != snug_success)
		{
			print_error(
			    "SNUG_SEED=%llu, step %d: a bound does not contain its vertices\n", (unsigned long long)seed, step);
			fail();
		}
	}
	Clay_Free(&a);
	Clay_Free(&b);
}

static void every_change_is_seen(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(50); ++i)
	{
		CheckHistory(seed + (uint64_t)i, NULL);
	}
}

// The same with pools of all sizes, from none to plenty. Would catch a refit that trusts a page it did not fill, or a
// page that comes back with what another body left in it.
static void every_change_is_seen_with_small_pools(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(50); ++i)
	{
		size_t pages = (size_t)i % 12;
		snugPool* pool = MakePool(pages * sizeof(sgPage) + 1);
		CheckHistory(seed + (uint64_t)i, pool);
		snugPool_Destroy(pool);
	}
}

// Several bodies take turns in one pool that is too small for all: pages move between them all the time.
static void crowd_in_a_small_pool(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(10); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		snugPool* pool = MakePool((1 + sceneRandom_Index(&random, 8)) * sizeof(sgPage));
		Clay crowd[5];
		for (size_t k = 0; k < LENGTH_OF(crowd); ++k)
		{
			crowd[k] = Clay_Make(sceneMakeBlob(10, sceneRandom_Next(&random)), RandomTreeDef(&random), pool);
		}
		for (int step = 0; step < 20; ++step)
		{
			size_t j = sceneRandom_Index(&random, LENGTH_OF(crowd)), k = (j + 1 + sceneRandom_Index(&random, 4)) % 5;
			uint32_t first, count;
			RandomRange(&random, crowd[j].thing.mesh.vertexCount, &first, &count);
			Clay_Move(&crowd[j], &random, first, count, 0.1);
			CheckPairs("crowd", seed + (uint64_t)i, &crowd[j].thing, &crowd[k].thing, NULL);
			assert_int_equal(snugBody_Validate(crowd[j].thing.body, NULL), snug_success);
		}
		for (size_t k = 0; k < LENGTH_OF(crowd); ++k)
		{
			Clay_Free(&crowd[k]);
		}
		snugPool_Destroy(pool);
	}
}

// A free body that is never posed is the rigid body of the same mesh.
static void at_rest_like_rigid(void** state)
{
	(void)state;
	Thing free_ = Thing_Make(sceneMakeBlob(8, 3), snug_free, (snugTreeDef){ 0 }, NULL);
	Thing rigid = Thing_Make(sceneMakeBlob(8, 3), snug_rigid, (snugTreeDef){ 0 }, NULL);
	Thing other = Thing_Make(sceneMakeBlob(8, 4), snug_rigid, (snugTreeDef){ 0 }, NULL);
	Place(other.body, 0.5, 0.25, 0.125);
	PairList expected = CollideAll(rigid.body, other.body, NULL);
	PairList found = CollideAll(free_.body, other.body, NULL);
	assert_true(expected.count > 0);
	AssertSamePairs("rest", 0, &expected, &found);
	// At rest nothing is refitted.
	assert_int_equal(snugCollide(free_.body, other.body, NULL).counters.nodesRefitted, 0);
	// Set to what they are already, vertices still give the same.
	PairList_Free(&found);
	assert_int_equal(
	    snugBody_SetVertices(free_.body, free_.mesh.positions, 0, 0, free_.mesh.vertexCount), snug_success);
	found = CollideAll(free_.body, other.body, NULL);
	AssertSamePairs("set to rest", 0, &expected, &found);
	PairList_Free(&expected);
	PairList_Free(&found);
	Thing_Free(&free_);
	Thing_Free(&rigid);
	Thing_Free(&other);
}

// A coordinate that is not a number, or too large, anywhere in the range: an error, and not even the good vertices
// before it are set.
static void bad_vertices_leave_the_pose_alone(void** state)
{
	(void)state;
	static const float bad[] = { NAN, INFINITY, -INFINITY, 1.01e36f, -3e38f };
	Clay clay = Clay_Make(sceneMakeBlob(8, 5), (snugTreeDef){ 0 }, NULL);
	Thing other = Thing_Make(sceneMakeBlob(8, 6), snug_rigid, (snugTreeDef){ 0 }, NULL);
	Place(other.body, 0.5, 0.5, 0.0);
	uint32_t count = clay.thing.mesh.vertexCount;
	sceneRandom random = { TestSeed() };
	for (int i = 0; i < 60; ++i)
	{
		if (i == 20)
		{
			Clay_Move(&clay, &random, 0, count, 0.1); // from here on, not at rest
		}
		float* positions = malloc(4 * (size_t)count * sizeof(float));
		assert_non_null(positions);
		for (size_t k = 0; k < 4 * (size_t)count; ++k)
		{
			positions[k] = 9.0f;
		}
		size_t floats = i % 2 != 0 ? 3 : 4;
		uint32_t first = i % 3 != 0 ? 0 : sceneRandom_Index(&random, count);
		uint32_t length = count - first;
		size_t where = i % 5 == 0 ? length - 1 : sceneRandom_Index(&random, length);
		positions[floats * where + sceneRandom_Index(&random, 3)] = bad[(size_t)i % LENGTH_OF(bad)];
		PairList before = CollideAll(clay.thing.body, other.body, NULL);
		snugStatus status = snugBody_SetVertices(clay.thing.body, positions, floats * sizeof(float), first, length);
		assert_int_equal(status, snug_badInput);
		Clay_CheckVertices(&clay, TestSeed());
		PairList after = CollideAll(clay.thing.body, other.body, NULL);
		AssertSamePairs("after bad vertices", TestSeed(), &before, &after);
		PairList_Free(&before);
		PairList_Free(&after);
		free(positions);
	}
	// The limit itself is allowed.
	float corner[3] = { SNUG_MAX_COORDINATE, -SNUG_MAX_COORDINATE, 0.0f };
	Clay_Set(&clay, corner, 7, 1, 0);
	Clay_CheckVertices(&clay, 0);
	CheckPairs("at the limit", 0, &clay.thing, &other, NULL);
	Clay_Free(&clay);
	Thing_Free(&other);
}

static uint64_t Refitted(snugBody* body, snugBody* other)
{
	snugResult result = snugCollide(body, other, NULL);
	assert_int_equal(result.status, snug_success);
	return result.counters.nodesRefitted;
}

// Work is done where vertices changed and only there.
static void partial_changes_cost_less(void** state)
{
	(void)state;
	for (int leafTriangles = 1; leafTriangles <= 8; leafTriangles += 7)
	{
		// Cloth: neighbours in space are neighbours in number, so a range of vertices is a patch.
		Clay clay = Clay_Make(sceneMakeCloth(2.0, 2.0, 60, 60), (snugTreeDef){ .leafTriangles = leafTriangles }, NULL);
		Thing other = Thing_Make(sceneMakeTetrahedron(), snug_rigid, (snugTreeDef){ 0 }, NULL);
		sceneRandom random = { TestSeed() };
		uint32_t count = clay.thing.mesh.vertexCount;
		snugModelInfo info = snugModel_GetInfo(clay.thing.model);
		Clay_Move(&clay, &random, 0, count, 0.01);
		assert_int_equal(Refitted(clay.thing.body, other.body), info.nodeCount);
		assert_int_equal(Refitted(clay.thing.body, other.body), 0);
		Clay_Move(&clay, &random, 0, count, 0.01);
		assert_int_equal(snugBody_Refit(clay.thing.body), snug_success);
		assert_int_equal(Refitted(clay.thing.body, other.body), 0);
		Clay_Move(&clay, &random, count / 2, 1, 0.01);
		uint64_t one = Refitted(clay.thing.body, other.body);
		assert_true(one >= info.depth);
		assert_true(one < info.nodeCount / 2);
		Clay_Move(&clay, &random, count / 2, 1, 0.01);
		Clay_Move(&clay, &random, 0, 1, 0.01);
		uint64_t two = Refitted(clay.thing.body, other.body);
		assert_true(two >= one && two < info.nodeCount);
		// Placing refits nothing.
		Place(clay.thing.body, 0.1, 0.2, 0.3);
		assert_int_equal(Refitted(clay.thing.body, other.body), 0);
		Clay_Free(&clay);
		Thing_Free(&other);
	}
}

// After 2^32 poses the version starts again. Would catch bounds of a pose long gone that carry the new version: they
// are made here by going through the same versions twice.
static void versions_start_again(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int shared = 0; shared < 2; ++shared)
	{
		snugPool* pool = shared != 0 ? MakePool(40 * sizeof(sgPage)) : NULL;
		sceneRandom random = { seed };
		Clay clay = Clay_Make(sceneMakeBlob(10, seed), (snugTreeDef){ .leafTriangles = 4 }, pool);
		Thing other = Thing_Make(sceneMakeBlob(6, seed + 1), snug_rigid, (snugTreeDef){ 0 }, NULL);
		uint32_t count = clay.thing.mesh.vertexCount;
		for (int round = 0; round < 3; ++round)
		{
			for (int i = 0; i < 8; ++i)
			{
				double x = 3.0 * sceneRandom_Unit(&random);
				Place(other.body, x, 0, 0);
				// Far moves, so that an old bound is a wrong one.
				float* positions = malloc(3 * (size_t)count * sizeof(float));
				assert_non_null(positions);
				for (size_t k = 0; k < 3 * (size_t)count; ++k)
				{
					positions[k] =
					    clay.thing.mesh.positions[k] + (float)(k % 3 == 0 ? 3.0 * sceneRandom_Unit(&random) : 0.0);
				}
				bool isPartial = i % 2 != 0;
				Clay_Set(&clay, positions, 0, isPartial ? count / 5 : count, 0);
				free(positions);
				CheckPairs("version", seed, &clay.thing, &other, NULL);
				assert_int_equal(snugBody_Validate(clay.thing.body, NULL), snug_success);
				assert_true(clay.thing.body->version != 0);
			}
			clay.thing.body->version = UINT32_MAX - 2; // as after many poses; the pages keep small versions
		}
		Clay_Free(&clay);
		Thing_Free(&other);
		snugPool_Destroy(pool);
	}
}

// The same version number is reached twice with different poses, in a body that keeps its pages.
static void a_version_used_twice_is_not_stale(void** state)
{
	(void)state;
	Clay clay = Clay_Make(sceneMakeBlob(10, 1), (snugTreeDef){ 0 }, NULL);
	Thing other = Thing_Make(sceneMakeBlob(6, 2), snug_rigid, (snugTreeDef){ 0 }, NULL);
	sceneRandom random = { TestSeed() };
	uint32_t count = clay.thing.mesh.vertexCount;
	Clay_Move(&clay, &random, 0, count, 5.0);
	assert_int_equal(snugBody_Refit(clay.thing.body), snug_success);
	uint32_t first = clay.thing.body->version;
	clay.thing.body->version = SG_BUSY - 1;
	for (int i = 0; i < 10 && clay.thing.body->version != first; ++i)
	{
		Clay_Move(&clay, &random, 0, count, 5.0); // no query in between: nothing overwrites the old bounds
	}
	assert_int_equal(clay.thing.body->version, first);
	assert_int_equal(snugBody_Validate(clay.thing.body, NULL), snug_success);
	CheckPairs("wrapped", TestSeed(), &clay.thing, &other, NULL);
	Clay_Free(&clay);
	Thing_Free(&other);
}

// The scene that benchmarks run: two rippling blobs.
static bool IsUntouched(const snugPool* pool)
{
	const unsigned char* byte = (const unsigned char*)pool->pages;
	for (size_t i = 0; i < pool->pageCount * sizeof(sgPage); ++i)
	{
		if (byte[i] != 0xcd) // as the allocator has filled it
		{
			return false;
		}
	}
	return true;
}

// Room for bounds is not touched before the first query: a body that is only posed needs what its pose needs.
static void unqueried_bodies_hold_their_pose(void** state)
{
	(void)state;
	TestAllocator allocator = { 0 };
	sceneMesh mesh = sceneMakeBlob(12, 3);
	snugModel* model = MakeModel(&mesh, snug_free, (snugTreeDef){ 0 });
	snugBody* body;
	const snugBodyDef def = { .model = model, .allocator = TestAllocator_Get(&allocator) };
	assert_int_equal(snugBody_Create(&def, &body), snug_success);
	for (uint32_t first = 0; first < mesh.vertexCount; first += mesh.vertexCount / 3)
	{
		assert_int_equal(snugBody_SetVertices(body, mesh.positions, 0, 0, mesh.vertexCount), snug_success);
		assert_int_equal(snugBody_SetVertices(body, mesh.positions, 0, first, 2), snug_success);
	}
	assert_true(IsUntouched(body->pool));
	assert_int_equal(snugBody_Refit(body), snug_success);
	assert_false(IsUntouched(body->pool));
	snugBody_Destroy(body);
	snugModel_Destroy(model);
	sceneMesh_Free(&mesh);
}

static void encounters_match_brute_force(void** state)
{
	(void)state;
	for (int contact = scene_light; contact <= scene_heavy; ++contact)
	{
		sceneEncounter encounter;
		assert_true(sceneEncounter_Create(&encounter, 10, (sceneContact)contact, 8));
		Clay clays[2];
		for (int k = 0; k < 2; ++k)
		{
			clays[k] = Clay_Make(sceneMesh_Copy(&encounter.blobs[k].sphere), (snugTreeDef){ 0 }, NULL);
		}
		uint64_t pairs = 0;
		for (int frame = 0; frame < 8; ++frame)
		{
			sceneEncounter_Deform(&encounter, frame);
			for (int k = 0; k < 2; ++k)
			{
				Clay_Set(&clays[k], encounter.positions[k], 0, clays[k].thing.mesh.vertexCount, 0);
			}
			pairs += CheckPairs("encounter", (uint64_t)frame, &clays[0].thing, &clays[1].thing, NULL);
		}
		assert_true(pairs > 0);
		Clay_Free(&clays[0]);
		Clay_Free(&clays[1]);
		sceneEncounter_Free(&encounter);
	}
}

int main(void)
{
	print_message("instruction set %s\n", snugGetInstructionSet());
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_rest_like_rigid),
		cmocka_unit_test(every_change_is_seen),
		cmocka_unit_test(every_change_is_seen_with_small_pools),
		cmocka_unit_test(crowd_in_a_small_pool),
		cmocka_unit_test(bad_vertices_leave_the_pose_alone),
		cmocka_unit_test(partial_changes_cost_less),
		cmocka_unit_test(versions_start_again),
		cmocka_unit_test(a_version_used_twice_is_not_stale),
		cmocka_unit_test(unqueried_bodies_hold_their_pose),
		cmocka_unit_test(encounters_match_brute_force),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
