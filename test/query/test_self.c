// test/query/test_self.c: a body against itself. Oracle: all pairs, by the exact test that knows shared corners, which
// test_triangle.c has compared with rational arithmetic.
#include "posed.h"
#include "workers.h"

#include "geometry/triangle.h"
#include "snug/snug_queries.h"
#include "tree/leaf_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Corners
{
	uint32_t vertex[3];
	float pose[3][3], rest[3][3];
} Corners;

static Corners CornersOf(const Posed* posed, const uint32_t* twins, uint32_t triangle)
{
	Corners corners;
	Posed_Triangle(posed, triangle, corners.pose);
	for (size_t c = 0; c < 3; ++c)
	{
		uint32_t vertex = posed->thing.mesh.triangles[3 * (size_t)triangle + c];
		corners.vertex[c] = twins[vertex];
		memcpy(corners.rest[c], posed->thing.mesh.positions + 3 * (size_t)vertex, sizeof(corners.rest[c]));
	}
	return corners;
}

static PairList BruteSelf(const Posed* posed, const uint32_t* twins, bool keepRest)
{
	uint32_t count = posed->thing.mesh.triangleCount;
	PairList list = { malloc(((size_t)count * count + 1) * sizeof(snugPair)), 0 };
	for (uint32_t i = 0; i < count; ++i)
	{
		Corners a = CornersOf(posed, twins, i);
		for (uint32_t j = i + 1; j < count; ++j)
		{
			Corners b = CornersOf(posed, twins, j);
			uint32_t shared = 0;
			for (uint32_t k = 0; k < 9; ++k)
			{
				shared |= (uint32_t)(a.vertex[k / 3] == b.vertex[k % 3]) << k;
			}
			bool meet = sgTriangles_IntersectBeyond((const float(*)[3])a.pose, (const float(*)[3])b.pose, shared);
			bool atRest = sgTriangles_IntersectBeyond((const float(*)[3])a.rest, (const float(*)[3])b.rest, shared);
			if (meet && (keepRest || !atRest))
			{
				list.pairs[list.count++] = (snugPair){ i, j };
			}
		}
	}
	return list;
}

static PairList FoundSelf(const Posed* posed, bool keepRest, snugWorkers workers)
{
	size_t count = posed->thing.mesh.triangleCount;
	PairList list = { malloc((count * count + 1) * sizeof(snugPair)), 0 };
	const snugQuery query = {
		.pairs = list.pairs, .capacity = count * count, .keepRest = keepRest, .workers = workers
	};
	snugResult result = snugCollideSelf(posed->thing.body, &query);
	assert_int_equal(result.status, snug_success);
	assert_true(result.complete);
	list.count = result.count;
	return list;
}

// Whether there is one, and always the same.
static void CheckTouching(const Posed* posed, bool keepRest, const PairList* expected)
{
	snugPair first[2] = { { SNUG_NONE, SNUG_NONE }, { SNUG_NONE, SNUG_NONE } };
	for (int i = 0; i < 2; ++i)
	{
		const snugQuery query = { .pairs = first + i, .capacity = 1, .keepRest = keepRest };
		snugResult result = snugTouchesSelf(posed->thing.body, &query);
		assert_int_equal(result.status, snug_success);
		assert_true(result.complete && result.count == (expected->count > 0));
	}
	assert_memory_equal(first, first + 1, sizeof(snugPair));
	bool isThere = expected->count == 0;
	for (uint64_t i = 0; i < expected->count && !isThere; ++i)
	{
		isThere = memcmp(expected->pairs + i, first, sizeof(snugPair)) == 0;
	}
	assert_true(isThere);
}

static uint64_t CheckSelf(uint64_t seed, Posed* posed)
{
	// Where the body is does not matter.
	snugFrame moved = { { 1e5, -3.0, 7.0 }, { 0.6, 0.0, 0.8, 0.0 } }, identity = { { 0 }, { 0 } };
	uint32_t* twins = malloc((posed->thing.mesh.vertexCount + 1) * sizeof(uint32_t));
	assert_int_equal(snugModel_GetTwins(posed->thing.model, twins), snug_success);
	snugBody_SetFrame(posed->thing.body, &identity);
	memset(posed->origin, 0, sizeof(posed->origin));
	Posed_Read(posed);
	uint64_t found = 0;
	for (int keepRest = 0; keepRest < 2; ++keepRest)
	{
		PairList expected = BruteSelf(posed, twins, keepRest != 0);
		for (uint32_t threads = 0; threads < 2; ++threads)
		{
			const snugWorkers workers = { threads > 0 ? RunOnThreads : NULL, NULL };
			PairList pairs = FoundSelf(posed, keepRest != 0, workers);
			AssertSamePairs("self", seed, &expected, &pairs);
			PairList_Free(&pairs);
		}
		CheckTouching(posed, keepRest != 0, &expected);
		found += expected.count;
		PairList_Free(&expected);
		snugBody_SetFrame(posed->thing.body, &moved);
	}
	free(twins);
	return found;
}

// Whether two triangles are no farther apart than this.
static bool AreWithin(const float a[3][3], const float b[3][3], double distance)
{
	sgNearest nearest;
	sgTriangles_Nearest(a, b, &nearest);
	return sgTriangles_Intersect(a, b) || (distance > 0.0 && sqrt(nearest.distance2) <= distance);
}

static uint64_t CheckWithin(uint64_t seed, sceneRandom* random, Posed* posed)
{
	const uint32_t count = posed->thing.mesh.triangleCount;
	const double margin = sceneRandom_Range(random, 0.0, 0.2);
	const double restDistance = sceneRandom_Index(random, 2) == 0 ? 0.0 : sceneRandom_Range(random, 0.0, 0.2);
	uint32_t* twins = malloc((posed->thing.mesh.vertexCount + 1) * sizeof(uint32_t));
	snugModel_GetTwins(posed->thing.model, twins);
	PairList expected = { malloc(((size_t)count * count + 1) * sizeof(snugPair)), 0 };
	for (uint32_t i = 0; i < count; ++i)
	{
		const Corners a = CornersOf(posed, twins, i);
		for (uint32_t j = i + 1; j < count; ++j)
		{
			const Corners b = CornersOf(posed, twins, j);
			bool isNear = AreWithin((const float(*)[3])a.rest, (const float(*)[3])b.rest, restDistance);
			for (uint32_t k = 0; k < 9; ++k)
			{
				isNear = isNear || a.vertex[k / 3] == b.vertex[k % 3];
			}
			if (!isNear && AreWithin((const float(*)[3])a.pose, (const float(*)[3])b.pose, margin))
			{
				expected.pairs[expected.count++] = (snugPair){ i, j };
			}
		}
	}
	PairList found = { malloc((expected.count + 1) * sizeof(snugPair)), 0 };
	snugQuery query = { .pairs = found.pairs, .capacity = expected.count };
	memcpy(query.origin, posed->origin, sizeof(query.origin));
	snugResult result = snugCollideSelfWithin(posed->thing.body, margin, restDistance, &query);
	assert_true(result.status == snug_success && result.complete);
	found.count = result.count;
	AssertSamePairs("within", seed, &expected, &found);
	const uint64_t pairs = expected.count;
	PairList_Free(&expected);
	PairList_Free(&found);
	free(twins);
	return pairs;
}

// Free bodies keep twins together only if they are told to: meshes without twins for them.
static bool HasTwins(const Posed* posed)
{
	uint32_t* twins = malloc((posed->thing.mesh.vertexCount + 1) * sizeof(uint32_t));
	bool hasTwins = false;
	snugModel_GetTwins(posed->thing.model, twins);
	for (uint32_t v = 0; v < posed->thing.mesh.vertexCount; ++v)
	{
		hasTwins = hasTwins || twins[v] != v;
	}
	free(twins);
	return hasTwins;
}

static void pairs_are_those_of_all_triangles(void** state)
{
	(void)state;
	uint64_t found = 0;
	const int count = TestCount(100);
	for (int n = 0; n < count; ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugPool* pool = n % 4 == 0 ? MakePool(4096 * 3) : NULL;
		sceneMesh mesh = RandomMesh(&random, (MeshKind)(n % MESH_KINDS));
		Posed posed = Posed_Make(&random, mesh, (Mover)(n / MESH_KINDS % POSED_DEFORMERS), pool);
		found += CheckSelf(seed, &posed);
		if (posed.deformer != snug_free || !HasTwins(&posed))
		{
			Posed_Change(&random, &posed);
			found += CheckSelf(seed, &posed);
		}
		Posed_Free(&posed);
		snugPool_Destroy(pool);
	}
	assert_true(found > 10 * (uint64_t)count || count < MESH_KINDS); // kinds come in turn
}

static void near_pairs_are_those_of_all_triangles(void** state)
{
	(void)state;
	uint64_t found = 0;
	const int count = TestCount(60);
	for (int n = 0; n < count; ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		Posed posed = Posed_Make(
		    &random, RandomMesh(&random, (MeshKind)(n % MESH_KINDS)), (Mover)(n / MESH_KINDS % POSED_DEFORMERS), NULL);
		Posed_Change(&random, &posed);
		found += CheckWithin(seed, &random, &posed);
		Posed_Free(&posed);
	}
	assert_true(found > (uint64_t)count || count < MESH_KINDS);
}

// Closed surfaces that do not meet themselves: nothing at rest, at any fineness, welded or not; and what is folded
// flat is found.
static void simple_surfaces_have_no_pairs(void** state)
{
	(void)state;
	sceneRandom random = { 1 };
	for (uint32_t n = 2; n < 30; n += 3)
	{
		Posed posed = Posed_Make(
		    &random, n % 2 == 0 ? sceneMakeSphere(n) : sceneMakeTorus(1.0, 0.4, 10 * n, 7 * n), snug_rigid, NULL);
		const snugQuery query = { .keepRest = true };
		snugResult result = snugCollideSelf(posed.thing.body, &query);
		assert_int_equal(result.status, snug_success);
		assert_int_equal(result.count, 0);
		Posed_Free(&posed);
	}
}

// What the filter leaves out does not meet, for triangles that share corners by chance, on grids and off them.
static void filtered_neighbours_do_not_meet(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(4000); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		float points[12][3];
		bool isGrid = n % 2 == 0;
		for (int i = 0; i < 36; ++i)
		{
			points[i / 3][i % 3] =
			    isGrid ? (float)sceneRandom_Index(&random, 4) : (float)sceneRandom_Range(&random, -1.0, 1.0);
		}
		sgTriangleLanes lanes[2];
		sgCornerLanes corners[2];
		float SG_ALIGN(32) positions[40];
		memcpy(positions, points, sizeof(points));
		sgLeaf leaves[2];
		uint32_t vertices[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
		const sgPlacement placement = { .isIdentity = true };
		for (int s = 0; s < 2; ++s)
		{
			leaves[s] = (sgLeaf){ .triangleCount = 8, .vertexCount = 12 };
			corners[s] = (sgCornerLanes){ .signature = { 0 } };
			for (int i = 0; i < 24; ++i)
			{
				leaves[s].corners[i / 8][i % 8] = (uint8_t)sceneRandom_Index(&random, 12);
				corners[s].vertex[i / 8][i % 8] = leaves[s].corners[i / 8][i % 8];
				sgCornerLanes_Sign(corners + s, corners[s].vertex[i / 8][i % 8]);
			}
			sgGetKernels()->leaves->placeTriangles(positions, vertices, leaves + s, &placement, lanes + s);
		}
		uint64_t tests = 0;
		uint64_t left = sgGetKernels()->leaves->filterNeighbours(lanes, corners, lanes + 1, corners + 1, &tests);
		for (uint32_t pair = 0; pair < 64; ++pair)
		{
			float a[3][3], b[3][3];
			uint32_t shared = 0, i = pair / 8, j = pair % 8;
			for (uint32_t k = 0; k < 9; ++k)
			{
				a[k / 3][k % 3] = lanes[0].corner[k / 3][k % 3][i];
				b[k / 3][k % 3] = lanes[1].corner[k / 3][k % 3][j];
				shared |= (uint32_t)(corners[0].vertex[k / 3][i] == corners[1].vertex[k % 3][j]) << k;
			}
			bool meet = sgTriangles_IntersectBeyond((const float(*)[3])a, (const float(*)[3])b, shared);
			if (meet && (left >> pair & 1) == 0)
			{
				fail_msg("seed %llu: neighbours that meet are left out", (unsigned long long)seed);
			}
		}
	}
}

static void misuse_is_refused(void** state)
{
	(void)state;
	sceneRandom random = { 7 };
	Posed posed = Posed_Make(&random, sceneMakeSoup(100, 0.5, 3), snug_rigid, NULL);
	int calls = 0;
	snugQuery query = { .callback = StopAtOnce, .user = &calls, .keepRest = true };
	snugResult result = snugCollideSelf(posed.thing.body, &query);
	assert_true(result.status == snug_success && !result.complete && calls == 1 && result.count == 1);
	assert_int_equal(snugCollideSelf(posed.thing.body, NULL).count, 0); // all of them meet at rest
	query = (snugQuery){ .capacity = 1 };
	assert_int_equal(snugCollideSelf(posed.thing.body, &query).status, snug_badArgument);
	query = (snugQuery){ .reserved = { 1 } };
	assert_int_equal(snugCollideSelf(posed.thing.body, &query).status, snug_badArgument);
	assert_int_equal(snugCollideSelf(NULL, NULL).status, snug_badArgument);
	assert_int_equal(snugCollideSelfWithin(NULL, 0.0, 0.0, NULL).status, snug_badArgument);
	assert_int_equal(snugCollideSelfWithin(posed.thing.body, 0.0, -1.0, NULL).status, snug_badArgument);
	assert_int_equal(snugCollideSelfWithin(posed.thing.body, -1.0, 0.0, NULL).status, snug_badArgument);
	Posed_Free(&posed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_those_of_all_triangles),
		cmocka_unit_test(near_pairs_are_those_of_all_triangles),
		cmocka_unit_test(simple_surfaces_have_no_pairs),
		cmocka_unit_test(filtered_neighbours_do_not_meet),
		cmocka_unit_test(misuse_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
