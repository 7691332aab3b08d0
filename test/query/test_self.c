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
			for (int i = 0; i < 24; ++i)
			{
				leaves[s].corners[i / 8][i % 8] = (uint8_t)sceneRandom_Index(&random, 12);
				corners[s].vertex[i / 8][i % 8] = leaves[s].corners[i / 8][i % 8];
			}
			sgGetKernels()->leaves->placeTriangles(positions, vertices, leaves + s, &placement, lanes + s);
		}
		uint64_t tests = 0, left = 0;
		uint16_t candidates[SG_MAX_CANDIDATES];
		const uint32_t count =
		    sgGetKernels()->leaves->filterNeighbours(lanes, corners, lanes + 1, corners + 1, 1, &tests, candidates);
		for (uint32_t k = 0; k < count; ++k)
		{
			assert_true(k == 0 || candidates[k - 1] < candidates[k]);
			left |= (uint64_t)1 << candidates[k];
		}
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

// ---- Closed forms ------------------------------------------------------------------------------------------------

// Whether a hinge meets itself: two plates that share an edge, of 2 n triangles each, with a ridge of some height at a
// distance on the first. The second is at an angle to the first one's plane.
static bool HingeMeets(snugBody* body, uint32_t n, double ridge, double height, double angle)
{
	float positions[5 * 20][3];
	for (uint32_t i = 0; i <= n; ++i)
	{
		const float z = (float)i / (float)n;
		const float profile[5][2] = { { 0.0f, 0.0f }, { (float)ridge, (float)height }, { 1.0f, 0.0f },
			{ (float)(0.75 * cos(angle)), (float)(0.75 * sin(angle)) }, { (float)cos(angle), (float)sin(angle) } };
		for (uint32_t k = 0; k < 5; ++k)
		{
			memcpy(positions[5 * i + k], (float[3]){ profile[k][0], profile[k][1], z }, sizeof(positions[0]));
		}
	}
	assert_int_equal(snugBody_SetVertices(body, positions[0], 0, 0, 5 * (n + 1)), snug_success);
	const snugQuery query = { .keepRest = true };
	const snugResult touches = snugTouchesSelf(body, &query);
	assert_int_equal(touches.count, snugCollideSelf(body, &query).count > 0);
	return touches.count > 0;
}

// A hinge folds until it meets its ridge, at the angle under which that is seen from the edge.
static void hinges_fold_to_a_known_angle(void** state)
{
	(void)state;
	for (int c = 0; c < TestCount(12); ++c)
	{
		sceneRandom random = { TestSeed() + (uint64_t)c };
		const uint32_t n = 1 + sceneRandom_Index(&random, 12);
		const double ridge = sceneRandom_Range(&random, 0.2, 0.7), height = sceneRandom_Range(&random, 0.01, 0.3);
		sceneMesh mesh = sceneMesh_Allocate(5 * (n + 1), 8 * n);
		static const uint32_t strips[4][2] = { { 0, 1 }, { 1, 2 }, { 3, 0 }, { 4, 3 } };
		for (uint32_t i = 0; i < 4 * n; ++i)
		{
			const uint32_t from = 5 * (i / 4) + strips[i % 4][0], to = 5 * (i / 4) + strips[i % 4][1];
			const uint32_t quad[6] = { from, to, to + 5, from, to + 5, from + 5 };
			memcpy(mesh.triangles + 6 * (size_t)i, quad, sizeof(quad));
		}
		for (uint32_t i = 0; i < 5 * (n + 1); ++i) // no twins
		{
			memcpy(mesh.positions + 3 * (size_t)i, (float[3]){ (float)i, (float)(i * i), 0.5f }, 3 * sizeof(float));
		}
		Thing hinge = Thing_Make(mesh, snug_free, (snugTreeDef){ 0 }, NULL);
		double open = 1.5, shut = 0.0, known = atan2(height, ridge);
		assert_true(!HingeMeets(hinge.body, n, ridge, height, open));
		for (int i = 0; i < 40; ++i)
		{
			const double middle = 0.5 * (open + shut);
			const bool meets = i > 0 && HingeMeets(hinge.body, n, ridge, height, middle);
			shut = meets ? middle : i > 0 ? shut : 0.9 * known;
			open = meets || i == 0 ? open : middle;
		}
		if (!(fabs(open - known) < 2e-7))
		{
			fail_msg(
			    "seed %llu: it meets at %g, not at %g", (unsigned long long)(TestSeed() + (uint64_t)c), open, known);
		}
		Thing_Free(&hinge);
	}
}

// A ring whose sides come towards each other: a field moves what is at an angle by its cosine cubed. The inner sides,
// 0.5 from the axis, meet when they moved by that, and go past each other by twice the rest.
static void rings_meet_in_the_middle(void** state)
{
	(void)state;
	const snugContactBufferDef def = { .capacity = 10000 };
	snugContactBuffer* buffer;
	assert_int_equal(snugContactBuffer_Create(&def, &buffer), snug_success);
	for (uint32_t n = 16; n <= 64; n += 16)
	{
		sceneMesh mesh = sceneMakeTorus(1.0, 0.5, n, n / 2);
		float *displacements = calloc(3 * (size_t)mesh.vertexCount, sizeof(float)), amplitude = 0.0f;
		for (uint32_t v = 0; v < mesh.vertexCount; ++v)
		{
			const float* p = mesh.positions + 3 * (size_t)v;
			const float cosine = p[0] / sqrtf(p[0] * p[0] + p[1] * p[1]);
			displacements[3 * (size_t)v] = -cosine * cosine * cosine;
		}
		const FieldSet set = { .fieldCount = 1, .displacements = displacements, .amplitudes = &amplitude };
		Thing ring = MakeFields(mesh, &set, (snugTreeDef){ 0 }, snug_strategyAuto);
		double apart = 0.0, meet = 1.0;
		for (int i = 0; i < 40; ++i)
		{
			amplitude = (float)(0.5 * (apart + meet));
			assert_int_equal(snugBody_SetAmplitudes(ring.body, &amplitude, 1), snug_success);
			const bool meets = snugCollideSelf(ring.body, NULL).count > 0;
			apart = meets ? apart : amplitude;
			meet = meets ? amplitude : meet;
		}
		assert_true(fabs(meet - 0.5) < 3e-7);
		amplitude = 0.5625f;
		snugBody_SetAmplitudes(ring.body, &amplitude, 1);
		const snugContactQuery query = { .depths = true };
		const snugContactResult result = snugFindSelfContacts(ring.body, buffer, &query);
		assert_true(result.complete && result.curveCount == 1 && result.curves[0].isClosed);
		assert_true(fabs(result.depths[0] - 0.125) < 1e-6);
		const double* area = result.curves[0].area;
		assert_true(fabs(area[0]) > 1e-3 && fabs(area[1]) < 1e-6 && fabs(area[2]) < 1e-6);
		Thing_Free(&ring);
		free(displacements);
	}
	snugContactBuffer_Destroy(buffer);
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
		cmocka_unit_test(hinges_fold_to_a_known_angle),
		cmocka_unit_test(rings_meet_in_the_middle),
		cmocka_unit_test(misuse_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
