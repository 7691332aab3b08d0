// test/query/test_near.c: distances of bodies and points, and pairs within a margin, against all triangles at the
// positions that snugBody_GetVertices reports, by the distances that test_distance.c has compared with rational
// arithmetic. Equal bit for bit: bounds decide only what is skipped.
#include "posed.h"

#include "geometry/distance.h"
#include "geometry/segment.h"
#include "geometry/triangle.h"
#include "query/near.h"
#include "snug/snug_queries.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Scene
{
	Posed a, b;
} Scene;

static Scene MakeScene(sceneRandom* random, int n, snugPool* pool)
{
	Scene scene;
	scene.a = Posed_Make(
	    random, RandomMesh(random, (MeshKind)(n % MESH_KINDS)), (Mover)(n / MESH_KINDS % POSED_DEFORMERS), pool);
	sceneMesh other = n % 4 == 0 ? sceneMesh_Copy(&scene.a.thing.mesh)
	                             : RandomMesh(random, (MeshKind)sceneRandom_Index(random, MESH_KINDS));
	scene.b = Posed_Make(random, other, (Mover)(n / 3 % POSED_DEFORMERS), pool);
	if (n % 3 != 0)
	{
		Posed_Change(random, &scene.a);
		Posed_Change(random, &scene.b);
	}
	Posed_PlaceApart(random, &scene.b);
	memcpy(scene.b.origin, scene.a.origin, sizeof(scene.b.origin));
	Posed_Read(&scene.b);
	return scene;
}

static void FreeScene(Scene* scene)
{
	Posed_Free(&scene->a);
	Posed_Free(&scene->b);
}

static void CheckDistance(uint64_t seed, const Scene* scene, const snugDistanceResult* expected, double maxDistance)
{
	const double* o = scene->a.origin;
	const snugDistanceQuery query = { .origin = { o[0], o[1], o[2] }, .maxDistance = maxDistance };
	snugDistanceResult found = snugFindDistance(scene->a.thing.body, scene->b.thing.body, &query);
	assert_int_equal(found.status, snug_success);
	bool isWithin = expected->isWithin && (maxDistance == 0.0 || expected->distance <= maxDistance);
	bool isGood = found.isWithin == isWithin && found.distance == (isWithin ? expected->distance : INFINITY);
	if (isGood && isWithin && found.distance > 0.0)
	{
		isGood = found.a == expected->a && found.b == expected->b &&
		         memcmp(found.pointA, expected->pointA, sizeof(found.pointA)) == 0 &&
		         memcmp(found.pointB, expected->pointB, sizeof(found.pointB)) == 0;
	}
	if (isGood && found.isWithin && found.distance == 0.0)
	{
		snugPair pair = { SNUG_NONE, SNUG_NONE };
		const snugQuery touches = { .origin = { o[0], o[1], o[2] }, .pairs = &pair, .capacity = 1 };
		snugTouches(scene->a.thing.body, scene->b.thing.body, &touches);
		isGood =
		    pair.a == found.a && pair.b == found.b && memcmp(found.pointA, found.pointB, sizeof(found.pointA)) == 0;
		// The point is on both, but for its rounding.
		const float* p = found.pointA;
		const double allowed = 1e-3 + 0x1p-22 * fmax(fabs((double)p[0]), fmax(fabs((double)p[1]), fabs((double)p[2])));
		for (int s = 0; s < 2; ++s)
		{
			float triangle[3][3];
			sgNearest nearest;
			Posed_Triangle(s == 0 ? &scene->a : &scene->b, s == 0 ? found.a : found.b, triangle);
			sgPoint_ToTriangle(found.pointA, (const float(*)[3])triangle, &nearest);
			isGood = isGood && nearest.distance2 <= allowed * allowed;
		}
	}
	if (!isGood)
	{
		fail_msg("seed %llu: %.17g of %u and %u instead of %.17g of %u and %u", (unsigned long long)seed,
		    found.distance, found.a, found.b, expected->distance, expected->a, expected->b);
	}
}

// What computed distances of two bodies may be off by: 2^-40 of their extent.
static double Slack(const Scene* scene)
{
	double extent = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double least = INFINITY, most = -INFINITY;
		for (int s = 0; s < 2; ++s)
		{
			const Posed* posed = s == 0 ? &scene->a : &scene->b;
			for (uint32_t v = 0; v < posed->thing.mesh.vertexCount; ++v)
			{
				least = fmin(least, (double)posed->positions[3 * (size_t)v + (size_t)k]);
				most = fmax(most, (double)posed->positions[3 * (size_t)v + (size_t)k]);
			}
		}
		extent = fmax(extent, most - least);
	}
	return 0x1p-40 * extent;
}

// What a query for pairs says of the distance is no more than that, and zero if there are pairs.
static void CheckBound(uint64_t seed, const Scene* scene, double distance, uint64_t* apart, uint64_t* told)
{
	const double* o = scene->a.origin;
	snugQuery query = { .origin = { o[0], o[1], o[2] } };
	snugBody *a = scene->a.thing.body, *b = scene->b.thing.body;
	assert_true(snugCollide(a, b, &query).distanceBound == 0.0);
	query.findDistanceBound = true;
	const double bounds[2] = { snugCollide(a, b, &query).distanceBound, snugTouches(a, b, &query).distanceBound };
	const double allowed = distance > 0.0 ? distance + Slack(scene) : 0.0;
	for (int i = 0; i < 2; ++i)
	{
		if (!(bounds[i] >= 0.0 && bounds[i] <= allowed))
		{
			fail_msg("seed %llu: bound %.17g of distance %.17g", (unsigned long long)seed, bounds[i], distance);
		}
	}
	if (distance > 0.0)
	{
		++*apart;
		*told += bounds[0] >= 0.25 * distance;
	}
}

static void CheckWithin(uint64_t seed, const Scene* scene, double margin)
{
	const double* o = scene->a.origin;
	size_t most = (size_t)scene->a.thing.mesh.triangleCount * scene->b.thing.mesh.triangleCount;
	PairList expected = { malloc((most + 1) * sizeof(snugPair)), 0 };
	PairList found = { malloc((most + 1) * sizeof(snugPair)), 0 };
	for (uint32_t i = 0; i < scene->a.thing.mesh.triangleCount; ++i)
	{
		for (uint32_t j = 0; j < scene->b.thing.mesh.triangleCount; ++j)
		{
			sgNearest nearest;
			if (sqrt(Posed_PairDistance2(&scene->a, i, &scene->b, j, &nearest)) <= margin)
			{
				expected.pairs[expected.count++] = (snugPair){ i, j };
			}
		}
	}
	const snugQuery query = { .origin = { o[0], o[1], o[2] }, .pairs = found.pairs, .capacity = most };
	snugResult result = snugCollideWithin(scene->a.thing.body, scene->b.thing.body, margin, &query);
	assert_int_equal(result.status, snug_success);
	assert_true(result.complete);
	found.count = result.count;
	AssertSamePairs("within a margin", seed, &expected, &found);
	PairList_Free(&expected);
	PairList_Free(&found);
}

static void distances_are_those_of_all_pairs(void** state)
{
	(void)state;
	int apart = 0, touching = 0;
	uint64_t bounded = 0, told = 0;
	for (int n = 0; n < TestCount(120); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugPool* pool = n % 5 == 0 ? MakePool(4096 * 3) : NULL;
		Scene scene = MakeScene(&random, n, pool);
		snugDistanceResult expected = Posed_FindDistance(&scene.a, &scene.b);
		CheckDistance(seed, &scene, &expected, 0.0);
		CheckBound(seed, &scene, expected.distance, &bounded, &told);
		if (expected.isWithin)
		{
			apart += expected.distance > 0.0;
			touching += expected.distance == 0.0;
			CheckDistance(seed, &scene, &expected, expected.distance * 1.5);
			CheckDistance(seed, &scene, &expected, expected.distance * 0.75);
			CheckWithin(seed, &scene, 0.0);
			CheckWithin(seed, &scene, expected.distance);
			CheckWithin(seed, &scene, expected.distance * 1.1 + 0.01);
		}
		FreeScene(&scene);
		snugPool_Destroy(pool);
	}
	printf("a bound of at least a quarter of the distance: %llu of %llu\n", (unsigned long long)told,
	    (unsigned long long)bounded);
	assert_true(2 * told > bounded || TestScale() < 1.0);
	assert_true((apart > TestCount(120) / 4 && touching > TestCount(120) / 10) || TestScale() < 0.2);
}

// Small bodies, turned and near: which pair of boxes is ruled out in which space decides.
static void bounds_hold_for_turned_bodies(void** state)
{
	(void)state;
	uint64_t apart = 0, told = 0;
	for (int n = 0; n < TestCount(4000); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		Scene scene = { 0 };
		for (int i = 0; i < 2; ++i)
		{
			Posed* posed = i == 0 ? &scene.a : &scene.b;
			snugTreeDef tree = { .leafTriangles = 1 };
			posed->thing = Thing_Make(sceneMakeSoup(6, 0.8, seed + (uint64_t)i), snug_rigid, tree, NULL);
			snugFrame frame = { .position = { 1.2 * i, 0.5 * i, 0.3 * i } };
			RandomRotation(&random, frame.rotation);
			assert_int_equal(snugBody_SetFrame(posed->thing.body, &frame), snug_success);
			posed->positions = malloc(3 * (size_t)posed->thing.mesh.vertexCount * sizeof(float));
			Posed_Read(posed);
		}
		CheckBound(seed, &scene, Posed_FindDistance(&scene.a, &scene.b).distance, &apart, &told);
		FreeScene(&scene);
	}
	assert_true(apart > (uint64_t)TestCount(4000) / 4);
}

// Large triangles, whose boxes overlap those of many small ones that they do not meet: many distances wait while pairs
// are found. Pairs are those of brute force with and without a bound, and so is the first one.
static void a_bound_changes_no_pairs(void** state)
{
	(void)state;
	uint64_t apart = 0, told = 0;
	for (int n = 0; n < TestCount(2500); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugPool* pool = sceneRandom_Index(&random, 5) == 0 ? MakePool(4096 * 3) : NULL;
		const snugTreeDef tree = { .leafTriangles = 1 + (int)sceneRandom_Index(&random, 2) };
		Scene scene;
		for (int i = 0; i < 2; ++i)
		{
			const Mover deformer = (Mover)sceneRandom_Index(&random, POSED_DEFORMERS);
			const uint32_t triangles =
			    i == 0 ? 8 + sceneRandom_Index(&random, 40) : 40 + sceneRandom_Index(&random, 160);
			const sceneMesh mesh = sceneMakeSoup(triangles, i == 0 ? 2.5 : 0.05, seed + (uint64_t)i);
			*(i == 0 ? &scene.a : &scene.b) = Posed_MakeWith(&random, mesh, deformer, tree, pool);
		}
		Posed_Change(&random, &scene.a);
		Posed_Change(&random, &scene.b);
		memcpy(scene.b.origin, scene.a.origin, sizeof(scene.b.origin));
		Posed_Read(&scene.b);
		PairList expected = BruteAll(&scene.a.thing, &scene.b.thing, scene.a.origin);
		PairList found = { malloc((expected.count + 1) * sizeof(snugPair)), 0 };
		snugPair first[2] = { { 0, 0 }, { 0, 0 } };
		for (int i = 0; i < 2; ++i)
		{
			snugQuery query = { .pairs = found.pairs, .capacity = expected.count + 1, .findDistanceBound = i == 1 };
			memcpy(query.origin, scene.a.origin, sizeof(query.origin));
			found.count = snugCollide(scene.a.thing.body, scene.b.thing.body, &query).count;
			AssertSamePairs(i == 0 ? "without a bound" : "with a bound of the distance", seed, &expected, &found);
			query.pairs = first + i;
			query.capacity = 1;
			assert_int_equal(snugTouches(scene.a.thing.body, scene.b.thing.body, &query).count, expected.count > 0);
		}
		assert_memory_equal(first, first + 1, sizeof(first[0]));
		const double distance = expected.count > 0 ? 0.0 : Posed_FindDistance(&scene.a, &scene.b).distance;
		CheckBound(seed, &scene, distance, &apart, &told);
		PairList_Free(&expected);
		PairList_Free(&found);
		FreeScene(&scene);
		snugPool_Destroy(pool);
	}
	assert_true((apart > 0 && apart < (uint64_t)TestCount(2500) / 2) || TestScale() < 0.2);
}

static void CheckPoint(uint64_t seed, const Posed* posed, const float point[3], double maxDistance)
{
	double best = INFINITY;
	snugClosest expected = { .distance = INFINITY, .triangle = SNUG_NONE };
	for (uint32_t i = 0; i < posed->thing.mesh.triangleCount; ++i)
	{
		float triangle[3][3];
		sgNearest nearest;
		sgSegmentHit hit;
		Posed_Triangle(posed, i, triangle);
		sgPoint_ToTriangle(point, (const float(*)[3])triangle, &nearest);
		bool isOn = sgSegment_Hit(point, point, (const float(*)[3])triangle, &hit);
		double distance = isOn ? 0.0 : sqrt(fmax(nearest.distance2, 0x1p-1000));
		if (distance < best)
		{
			best = distance;
			expected.triangle = i;
			for (int k = 0; k < 3; ++k)
			{
				expected.position[k] = isOn ? point[k] : (float)nearest.b[k];
			}
		}
	}
	expected.distance = best;
	if (maxDistance > 0.0 && best > maxDistance)
	{
		expected = (snugClosest){ .distance = INFINITY, .triangle = SNUG_NONE };
	}
	const double* o = posed->origin;
	const snugDistanceQuery query = { .origin = { o[0], o[1], o[2] }, .maxDistance = maxDistance };
	snugClosest found;
	snugResult result = snugFindClosest(posed->thing.body, point, 0, 1, &found, &query);
	assert_int_equal(result.status, snug_success);
	double normal[3] = { 0.0 };
	bool isGood = true, hasNormal = expected.triangle == SNUG_NONE || Posed_Normal(posed, expected.triangle, normal);
	for (int k = 0; k < 3 && hasNormal; ++k)
	{
		isGood = isGood && fabs(normal[k] - found.normal[k]) <= 1e-6;
	}
	if (!isGood || found.distance != expected.distance || found.triangle != expected.triangle ||
	    memcmp(found.position, expected.position, sizeof(found.position)) != 0 ||
	    result.count != (expected.triangle != SNUG_NONE))
	{
		fail_msg("seed %llu: %.17g of %u instead of %.17g of %u", (unsigned long long)seed, found.distance,
		    found.triangle, expected.distance, expected.triangle);
	}
}

// Several points at once, each as if it were alone.
static void CheckTogether(const Posed* posed, float points[6][5])
{
	const snugDistanceQuery query = { .origin = { posed->origin[0], posed->origin[1], posed->origin[2] },
		.maxDistance = 1.0 };
	snugClosest together[7], alone, behind;
	memset(&behind, 0xa5, sizeof(behind));
	together[6] = behind;
	uint64_t count = 0;
	snugResult result = snugFindClosest(posed->thing.body, points[0], sizeof(points[0]), 6, together, &query);
	assert_int_equal(result.status, snug_success);
	for (int i = 0; i < 6; ++i)
	{
		count += snugFindClosest(posed->thing.body, points[i], 0, 1, &alone, &query).count;
		assert_memory_equal(together + i, &alone, sizeof(alone));
	}
	assert_int_equal(result.count, count);
	assert_memory_equal(together + 6, &behind, sizeof(behind));
}

static void closest_points_are_those_of_all_triangles(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(250); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugPool* pool = n % 5 == 0 ? MakePool(4096 * 3) : NULL;
		sceneMesh mesh = RandomMesh(&random, (MeshKind)(n % MESH_KINDS));
		Posed posed = Posed_Make(&random, mesh, (Mover)(n / MESH_KINDS % POSED_DEFORMERS), pool);
		if (n % 3 != 0)
		{
			Posed_Change(&random, &posed);
		}
		float points[6][5]; // with room between them
		for (int i = 0; i < 6; ++i)
		{
			float* point = points[i];
			for (int k = 0; k < 3; ++k)
			{
				point[k] = (float)sceneRandom_Range(&random, -3.0, 3.0);
			}
			if (i < 3 && mesh.triangleCount > 0) // at a vertex, or half-way to another
			{
				float triangle[3][3];
				Posed_Triangle(&posed, sceneRandom_Index(&random, mesh.triangleCount), triangle);
				for (int k = 0; k < 3; ++k)
				{
					point[k] = i == 0 ? triangle[0][k] : 0.5f * (triangle[0][k] + triangle[i][k]);
				}
			}
			CheckPoint(seed, &posed, point, i % 2 == 0 ? 0.0 : 1.5);
		}
		CheckTogether(&posed, points);
		Posed_Free(&posed);
		snugPool_Destroy(pool);
	}
}

// Boxes that are points, of every size and as far from zero: squares in float32 are not above those in double.
static void gaps_are_no_greater_than_distances(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(20000); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		sgBoxLanes a, b;
		float SG_ALIGN(32) gaps[SG_LANES * SG_LANES];
		double scale = ldexp(1.0, (int)sceneRandom_Index(&random, 140) - 70);
		for (uint32_t i = 0; i < 3 * SG_LANES; ++i)
		{
			a.lower[i / 8][i % 8] = a.upper[i / 8][i % 8] = (float)(scale * sceneRandom_Range(&random, -1.0, 1.0));
			b.lower[i / 8][i % 8] = b.upper[i / 8][i % 8] = (float)(scale * sceneRandom_Range(&random, -1.0, 1.0));
		}
		sgGetKernels()->probes->gapBoxes(&a, 0xff, &b, gaps);
		const float point[3] = { a.lower[0][3], a.lower[1][3], a.lower[2][3] };
		float SG_ALIGN(32) toPoint[SG_LANES];
		const float limit = (float)(scale * scale * sceneRandom_Range(&random, 0.0, 4.0));
		const uint32_t within = sgGetKernels()->probes->gapPoint(&b, point, 0.0f, limit, toPoint);
		for (uint32_t i = 0; i < SG_LANES * SG_LANES; ++i)
		{
			double distance2 = 0.0;
			for (int k = 0; k < 3; ++k)
			{
				double difference = (double)a.lower[k][i / 8] - b.lower[k][i % 8];
				distance2 += difference * difference;
			}
			bool isGood = (double)gaps[i] <= distance2 && (double)gaps[i] >= 0.99 * fmin(distance2, FLT_MAX) - 0x1p-120;
			const bool isWithin = (within >> i % 8 & 1) != 0;
			if (!isGood || (i / 8 == 3 && (toPoint[i % 8] != gaps[i] || isWithin != (gaps[i] <= limit))))
			{
				fail_msg("seed %llu: %g instead of %g", (unsigned long long)seed, (double)gaps[i], distance2);
			}
		}
	}
}

// Two triangles whose nearest edges are as far apart as the limit, along the direction t between their centres: none
// may be lost. In whole numbers, so that positions are exact: the edges go along v, at right angles to t and far
// longer, and what float32 finds of t . v is off by more than the difference that counts.
static void triangles_at_the_limit_are_kept(void** state)
{
	(void)state;
	uint64_t lost = 0;
	for (int n = 0; n < TestCount(10000); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		double t[3], v[3], distance2 = 0.0;
		const double scale = ldexp(1.0, n % 60 - 40);
		for (int k = 0; k < 3; ++k)
		{
			t[k] = 512.0 + sceneRandom_Index(&random, 512);
			distance2 += t[k] * t[k] * scale * scale;
		}
		const int x = n % 3, y = (x + 1) % 3, z = (x + 2) % 3;
		v[x] = t[x] * t[z];
		v[y] = t[y] * t[z];
		v[z] = -(t[x] * t[x] + t[y] * t[y]);
		sgTriangleLanes a = { .mask = 0xff }, b = { .mask = 0xff };
		for (int k = 0; k < 3; ++k)
		{
			for (int lane = 0; lane < SG_LANES; ++lane)
			{
				a.corner[0][k][lane] = (float)(-t[k] * scale);
				a.corner[1][k][lane] = (float)(v[k] * scale);
				a.corner[2][k][lane] = (float)(-v[k] * scale);
				b.corner[0][k][lane] = (float)(2.0 * t[k] * scale);
				b.corner[1][k][lane] = (float)((v[k] + t[k]) * scale);
				b.corner[2][k][lane] = (float)((-v[k] + t[k]) * scale);
			}
		}
		const sgProbeKernels* kernels = sgGetKernels()->probes;
		if (kernels->nearTriangles(&a, (uint32_t)n % SG_LANES, &b, (float)distance2) != 0xff)
		{
			fail_msg("SNUG_SEED=%llu: triangles that are near are lost", (unsigned long long)seed);
		}
		lost += kernels->nearTriangles(&a, 0, &b, (float)(0.9 * distance2)) == 0;
	}
	assert_true(lost > (uint64_t)TestCount(10000) / 2); // of those that are a little farther, most are told
}

static void misuse_is_refused(void** state)
{
	(void)state;
	sceneRandom random = { 7 };
	Posed a = Posed_Make(&random, sceneMakeTetrahedron(), snug_rigid, NULL);
	Posed b = Posed_Make(&random, sceneMakeTetrahedron(), snug_rigid, NULL);
	snugBody *x = a.thing.body, *y = b.thing.body;
	const float points[6] = { 0.0f, 0.0f, 0.0f, 1.0f, NAN, 0.0f }, huge[3] = { 2e36f, 0.0f, 0.0f };
	snugClosest closest[2];
	const snugDistanceQuery nowhere = { .origin = { NAN, 0.0, 0.0 } }, negative = { .maxDistance = -1.0 };
	const snugDistanceQuery none = { .maxDistance = NAN }, dirty = { .reserved = { 1 } };
	const snugDistanceQuery far = { .origin = { 1e300, 0.0, 0.0 } };
	assert_int_equal(snugFindClosest(NULL, points, 0, 1, closest, NULL).status, snug_badArgument);
	assert_int_equal(snugFindClosest(x, NULL, 0, 1, closest, NULL).status, snug_badArgument);
	assert_int_equal(snugFindClosest(x, points, 0, 1, NULL, NULL).status, snug_badArgument);
	assert_int_equal(snugFindClosest(x, points, 8, 1, closest, NULL).status, snug_badArgument);
	assert_int_equal(snugFindClosest(x, points, 0, 1, closest, &nowhere).status, snug_badArgument);
	assert_int_equal(snugFindClosest(x, points, 0, 1, closest, &negative).status, snug_badArgument);
	assert_int_equal(snugFindClosest(x, points, 0, 1, closest, &dirty).status, snug_badArgument);
	assert_int_equal(snugFindClosest(x, points, 0, 1, closest, &far).status, snug_outOfRange);
	assert_int_equal(snugFindClosest(x, points, 0, 2, closest, NULL).status, snug_badInput);
	assert_int_equal(snugFindClosest(x, huge, 0, 1, closest, NULL).status, snug_badInput);
	assert_int_equal(snugFindClosest(x, NULL, 0, 0, NULL, NULL).status, snug_success);
	assert_int_equal(snugFindDistance(x, x, NULL).status, snug_badArgument);
	assert_int_equal(snugFindDistance(x, NULL, NULL).status, snug_badArgument);
	assert_int_equal(snugFindDistance(x, y, &nowhere).status, snug_badArgument);
	assert_int_equal(snugFindDistance(x, y, &none).status, snug_badArgument);
	assert_int_equal(snugFindDistance(x, y, &dirty).status, snug_badArgument);
	assert_int_equal(snugFindDistance(x, y, &far).status, snug_outOfRange);
	int calls = 0;
	snugQuery query = { .callback = StopAtOnce, .user = &calls };
	snugResult result = snugCollideWithin(x, y, 1.0, &query);
	assert_true(result.status == snug_success && !result.complete && calls == 1);
	assert_int_equal(snugCollideWithin(x, y, -1.0, &query).status, snug_badArgument);
	assert_int_equal(snugCollideWithin(x, y, NAN, &query).status, snug_badArgument);
	query = (snugQuery){ .capacity = 1 };
	assert_int_equal(snugCollideWithin(x, y, 1.0, &query).status, snug_badArgument);
	query = (snugQuery){ .reserved = { 1 } };
	assert_int_equal(snugCollideWithin(x, y, 1.0, &query).status, snug_badArgument);
	query = (snugQuery){ .origin = { 1e300, 0.0, 0.0 } };
	result = snugCollideWithin(x, y, 1.0, &query);
	assert_true(result.status == snug_outOfRange && result.count == 0 && !result.complete);
	assert_int_equal(snugCollideWithin(x, y, 0.0, NULL).status, snug_success);
	assert_int_equal(snugCollideWithin(x, x, 0.0, NULL).status, snug_badArgument);
	Posed_Free(&a);
	Posed_Free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances_are_those_of_all_pairs),
		cmocka_unit_test(bounds_hold_for_turned_bodies),
		cmocka_unit_test(a_bound_changes_no_pairs),
		cmocka_unit_test(closest_points_are_those_of_all_triangles),
		cmocka_unit_test(gaps_are_no_greater_than_distances),
		cmocka_unit_test(triangles_at_the_limit_are_kept),
		cmocka_unit_test(misuse_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
