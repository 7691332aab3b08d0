// test/query/test_inside.c: points and bodies in closed bodies. Oracle: crossings of a segment in a random direction
// with all triangles, by signs in rational arithmetic; directions in which any of them is zero are not used.
#include "posed.h"
#include "rational_distance.h"
#include "rational_front.h"
#include "rational_segment.h"

#include "geometry/crossing.h"
#include "snug/snug_queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The winding number, or INT32_MAX if the segment from p to q meets an edge or ends in a plane.
static int32_t RationalWinding(const Posed* posed, const float p[3], const float q[3], bool* isOdd)
{
	int32_t winding = 0;
	*isOdd = false;
	for (uint32_t i = 0; i < posed->thing.mesh.triangleCount; ++i)
	{
		float c[3][3];
		Posed_Triangle(posed, i, c);
		int sideP = RationalSide(p, c[0], c[1], c[2]), sideQ = RationalSide(q, c[0], c[1], c[2]);
		if (sideP == 0 && sideQ == 0) // without area: a line in a random direction does not meet it
		{
			continue;
		}
		int turns[3];
		for (int k = 0; k < 3; ++k)
		{
			turns[k] = RationalSide(p, q, c[k], c[(k + 1) % 3]);
		}
		bool isZero = turns[0] == 0 || turns[1] == 0 || turns[2] == 0;
		bool mayMeet =
		    sideP * sideQ <= 0 && turns[0] * turns[1] >= 0 && turns[1] * turns[2] >= 0 && turns[2] * turns[0] >= 0;
		if (mayMeet && (isZero || sideP == 0 || sideQ == 0))
		{
			return INT32_MAX;
		}
		*isOdd = *isOdd != mayMeet;
		winding += mayMeet ? sideQ : 0;
	}
	return winding;
}

static bool IsOnSurface(const Posed* posed, const float p[3], uint32_t* triangle)
{
	for (uint32_t i = 0; i < posed->thing.mesh.triangleCount; ++i)
	{
		float c[3][3];
		double t;
		Posed_Triangle(posed, i, c);
		if (RationalSegmentHit(p, p, (const float(*)[3])c, &t))
		{
			*triangle = i;
			return true;
		}
	}
	return false;
}

static snugPointSide Expect(sceneRandom* random, const Posed* posed, const float p[3])
{
	snugPointSide place = { .triangle = SNUG_NONE };
	if (IsOnSurface(posed, p, &place.triangle))
	{
		place.side = snug_onSurface;
		return place;
	}
	bool isOdd = false;
	do
	{
		float q[3];
		for (int k = 0; k < 3; ++k)
		{
			q[k] = p[k] + (float)(RandomSign(random) * sceneRandom_Range(random, 1e37, 2e37));
		}
		place.winding = RationalWinding(posed, p, q, &isOdd);
	} while (place.winding == INT32_MAX);
	place.side = isOdd ? snug_inside : snug_outside;
	return place;
}

static sceneMesh RandomClosedMesh(sceneRandom* random, int n)
{
	sceneMesh mesh = n % 5 == 0   ? sceneMakeTetrahedron()
	                 : n % 5 == 1 ? sceneMakeVoxelBox(2, 1 + (uint32_t)n % 3, 2, 0.5)
	                 : n % 5 == 2 ? sceneMakeTorus(0.7, 0.3, 6, 5)
	                              : sceneMakeBlob(3, (uint64_t)n);
	if (n % 5 == 4) // two parts
	{
		sceneMesh other = sceneMakeBlob(2, (uint64_t)n + 1);
		sceneMesh_Translate(&other, sceneRandom_Range(random, -2.0, 2.0) + (n % 2 == 0 ? 6.0 : 0.0), 0.25, 0.0);
		assert_true(sceneMesh_Append(&mesh, &other));
		sceneMesh_Free(&other);
	}
	return mesh;
}

// Coordinates of vertices, mixed, and points next to them: half-lines through corners and edges.
static void HardPoint(sceneRandom* random, const Posed* posed, float p[3])
{
	for (int k = 0; k < 3; ++k)
	{
		uint32_t v = sceneRandom_Index(random, posed->thing.mesh.vertexCount);
		p[k] = posed->positions[3 * v + (uint32_t)k];
	}
	uint32_t v = sceneRandom_Index(random, posed->thing.mesh.vertexCount);
	uint32_t kind = sceneRandom_Index(random, 5);
	if (kind >= 1) // on the half-line through a vertex
	{
		memcpy(p + 1, posed->positions + 3 * v + 1, 2 * sizeof(float));
	}
	if (kind == 2) // as close to the surface as float32 comes
	{
		memcpy(p, posed->positions + 3 * v, 3 * sizeof(float));
		uint32_t axis = sceneRandom_Index(random, 3);
		p[axis] = nextafterf(p[axis], sceneRandom_Index(random, 2) == 0 ? -10.0f : 10.0f);
	}
	if (kind >= 3)
	{
		p[0] = (float)sceneRandom_Range(random, -1.5, 1.5);
	}
	if (kind == 4)
	{
		p[1] = 0.5f * (p[1] + posed->positions[3 * sceneRandom_Index(random, posed->thing.mesh.vertexCount) + 1]);
	}
}

static void points_are_where_rationals_say(void** state)
{
	(void)state;
	uint64_t places[3] = { 0 };
	for (int n = 0; n < TestCount(50); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugPool* pool = n % 5 == 0 ? MakePool(4096 * 3) : NULL;
		Posed posed = Posed_Make(&random, RandomClosedMesh(&random, n),
		    n % 5 == 1 ? snug_rigid : (Mover)(n % POSED_DEFORMERS), pool); // twins stay together
		uint64_t open = 1;
		assert_int_equal(snugModel_CountOpenEdges(posed.thing.model, &open), snug_success);
		assert_int_equal(open, 0);
		for (int i = 0; i < 3; ++i)
		{
			float points[4][3];
			snugPointSide found[4];
			for (int k = 0; k < 4; ++k)
			{
				HardPoint(&random, &posed, points[k]);
			}
			snugResult result = snugFindInside(posed.thing.body, points[0], 0, 4, found, posed.origin);
			assert_int_equal(result.status, snug_success);
			for (int k = 0; k < 4; ++k)
			{
				snugPointSide expected = Expect(&random, &posed, points[k]);
				// Triangles of boxes of voxels turn either way.
				expected.winding = n % 5 == 1 ? found[k].winding : expected.winding;
				if (memcmp(&expected, found + k, sizeof(expected)) != 0)
				{
					fail_msg("seed %llu: (%a %a %a) is at %d %d %u, not %d %d %u", (unsigned long long)seed,
					    (double)points[k][0], (double)points[k][1], (double)points[k][2], found[k].side,
					    found[k].winding, found[k].triangle, expected.side, expected.winding, expected.triangle);
				}
				result.count -= expected.side != snug_outside;
				++places[expected.side];
			}
			assert_int_equal(result.count, 0);
			Posed_Change(&random, &posed);
		}
		Posed_Free(&posed);
		snugPool_Destroy(pool);
	}
	assert_true(TestScale() < 1.0 || (places[0] > 10 && places[1] > 10 && places[2] > 10));
}

// Of a surface that is not closed: what all triangles say about the half-line.
static void open_bodies_have_an_answer(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(200); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		Posed posed =
		    Posed_Make(&random, RandomMesh(&random, (MeshKind)(n % MESH_KINDS)), (Mover)(n % POSED_DEFORMERS), NULL);
		for (int i = 0; i < 8 && posed.thing.mesh.triangleCount > 0; ++i)
		{
			float p[3];
			HardPoint(&random, &posed, p);
			snugPointSide found;
			snugFindInside(posed.thing.body, p, 0, 1, &found, posed.origin);
			int32_t winding = 0;
			for (uint32_t t = 0; t < posed.thing.mesh.triangleCount; ++t)
			{
				float c[3][3];
				Posed_Triangle(&posed, t, c);
				winding += sgHalfLine_Cross(p, NULL, (const float(*)[3])c);
			}
			if (found.side != snug_onSurface && found.winding != winding)
			{
				fail_msg("seed %llu: winding %d, not %d", (unsigned long long)seed, found.winding, winding);
			}
		}
		Posed_Free(&posed);
	}
}

// Small tetrahedra all over the place: leaves hold some that are inside and some that are not.
static sceneMesh MakeDust(sceneRandom* random)
{
	sceneMesh dust = sceneMakeTetrahedron();
	ScaleMesh(&dust, 0.03f);
	sceneMesh grain = sceneMesh_Copy(&dust);
	const double reach = sceneRandom_Range(random, 0.3, 2.0);
	for (uint32_t count = sceneRandom_Index(random, 12); count > 0; --count)
	{
		sceneMesh_Translate(&grain, sceneRandom_Range(random, -reach, reach), sceneRandom_Range(random, -reach, reach),
		    sceneRandom_Range(random, -reach, reach));
		assert_true(sceneMesh_Append(&dust, &grain));
	}
	sceneMesh_Free(&grain);
	return dust;
}

static snugSide ExpectBody(const Posed* inner, const Posed* outer, const double origin[3])
{
	PairList pairs = BruteAll(&inner->thing, &outer->thing, origin);
	bool touch = pairs.count > 0, isAny[3] = { false };
	PairList_Free(&pairs);
	for (uint32_t i = 0; i < inner->thing.mesh.triangleCount && !touch; ++i)
	{
		float c[3][3];
		snugPointSide place;
		Posed_Triangle(inner, i, c);
		assert_int_equal(snugFindInside(outer->thing.body, c[0], 0, 1, &place, origin).status, snug_success);
		isAny[place.side] = true;
	}
	return touch ? snug_onSurface : isAny[0] && isAny[1] ? snug_partlyInside : isAny[1] ? snug_inside : snug_outside;
}

static void PlaceBody(sceneRandom* random, Posed* posed, double reach, const double origin[3])
{
	snugFrame frame = { { sceneRandom_Range(random, -reach, reach), sceneRandom_Range(random, -0.5, 0.5), 0.0 },
		{ 0.0 } };
	RandomRotation(random, frame.rotation);
	assert_int_equal(snugBody_SetFrame(posed->thing.body, &frame), snug_success);
	memcpy(posed->origin, origin, sizeof(posed->origin));
	Posed_Read(posed);
}

static void bodies_are_where_their_corners_are(void** state)
{
	(void)state;
	uint64_t places[4] = { 0 };
	for (int n = 0; n < TestCount(200); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		const bool isDust = n % 4 == 3;
		sceneMesh meshes[2] = { isDust ? MakeDust(&random) : RandomClosedMesh(&random, n), sceneMakeBlob(6, seed) };
		ScaleMesh(meshes, isDust ? 1.0f : n % 3 == 0 ? 0.1f : 0.3f);
		Posed inner = Posed_Make(&random, meshes[0], snug_rigid, NULL);
		Posed outer = Posed_Make(&random, meshes[1], (Mover)(n % 2), NULL);
		const double origin[3] = { n % 5 == 0 ? 100.0 : 0.0, 0.0, n % 7 == 0 ? -3.0 : 0.0 };
		PlaceBody(&random, &inner, 1.5, origin);
		if (n % 3 != 0)
		{
			PlaceBody(&random, &outer, 1.0, origin);
		}
		snugSide side;
		snugResult result = snugFindBodyInside(inner.thing.body, outer.thing.body, origin, &side);
		assert_true(result.status == snug_success && result.complete);
		snugSide expected = ExpectBody(&inner, &outer, origin);
		if (side != expected || result.count != (expected == snug_inside))
		{
			fail_msg("seed %llu: %d, not %d", (unsigned long long)seed, side, expected);
		}
		++places[expected];
		Posed_Free(&inner);
		Posed_Free(&outer);
	}
	assert_true(TestScale() < 1.0 || (places[0] > 10 && places[1] > 10 && places[2] > 10 && places[3] > 10));
}

static double RationalDepth(const Posed* outer, const float p[3])
{
	const float point[3][3] = { { p[0], p[1], p[2] }, { p[0], p[1], p[2] }, { p[0], p[1], p[2] } };
	double least = INFINITY;
	for (uint32_t i = 0; i < outer->thing.mesh.triangleCount; ++i)
	{
		float c[3][3];
		Posed_Triangle(outer, i, c);
		least = fmin(least, RationalDistance2(point, (const float(*)[3])c));
	}
	return sqrt(least);
}

// How far out vertices are: what distances may be off by is a part of that. Some fields reach very far.
static double GetSize(const Posed* posed)
{
	double size = 1.0;
	for (uint32_t i = 0; i < 3 * posed->thing.mesh.vertexCount; ++i)
	{
		size = fmax(size, 4.0 * fabs((double)posed->positions[i]));
	}
	return size;
}

// A sheet in a closed body: every vertex, by rational arithmetic.
static uint64_t CheckDepths(sceneRandom* random, const Posed* outer, snugBody* sheet, uint32_t count)
{
	float positions[1024][3];
	snugVertexDepth depths[1024];
	snugDistanceQuery query = { .maxDistance = 0.0 };
	memcpy(query.origin, outer->origin, sizeof(query.origin));
	assert_int_equal(snugBody_GetVertices(sheet, outer->origin, positions[0], 0), snug_success);
	snugResult result = snugFindVertexDepths(sheet, outer->thing.body, depths, 1024, &query);
	assert_true(result.status == snug_success && result.complete);
	const double size = GetSize(outer);
	uint64_t next = 0;
	for (uint32_t v = 0; v < count; ++v)
	{
		const bool isFound = next < result.count && depths[next].vertex == v;
		const snugPointSide expected = Expect(random, outer, positions[v]);
		assert_int_equal(isFound, expected.side != snug_outside);
		if (isFound)
		{
			const double depth = expected.side == snug_onSurface ? 0.0 : RationalDepth(outer, positions[v]);
			double reached = 0.0;
			for (int k = 0; k < 3; ++k)
			{
				const double step = (double)depths[next].position[k] - (double)positions[v][k];
				reached += step * step;
			}
			assert_true(fabs(depths[next].depth - depth) <= 0x1p-38 * size);
			assert_true(fabs(sqrt(reached) - depth) <= 1e-6 * size && depths[next].triangle != SNUG_NONE);
			++next;
		}
	}
	assert_int_equal(next, result.count);
	snugVertexDepth few[2];
	assert_int_equal(snugFindVertexDepths(sheet, outer->thing.body, few, 2, &query).count, result.count);
	assert_memory_equal(few, depths, (result.count < 2 ? result.count : 2) * sizeof(few[0]));
	return result.count;
}

static void vertices_are_as_deep_as_rationals_say(void** state)
{
	(void)state;
	uint64_t found = 0;
	for (int n = 0; n < TestCount(12); ++n)
	{
		sceneRandom random = { TestSeed() + (uint64_t)n };
		Posed outer = Posed_Make(
		    &random, RandomClosedMesh(&random, n), n % 5 == 1 ? snug_rigid : (Mover)(n % POSED_DEFORMERS), NULL);
		Thing sheet = Thing_Make(sceneMakeCloth(1.5, 1.5, 6, n % 3 == 0 ? 6 : 3), snug_rigid, (snugTreeDef){ 0 }, NULL);
		for (int i = 0; i < 2; ++i)
		{
			snugFrame frame = { .rotation = { 0.0, 0.0, 0.0, 1.0 } };
			for (int k = 0; k < 3; ++k)
			{
				frame.position[k] = outer.origin[k] + sceneRandom_Range(&random, -0.3, 0.3);
			}
			snugBody_SetFrame(sheet.body, &frame);
			found += CheckDepths(&random, &outer, sheet.body, sheet.mesh.vertexCount);
			Posed_Change(&random, &outer);
		}
		Thing_Free(&sheet);
		Posed_Free(&outer);
	}
	assert_true(TestScale() < 1.0 || found > 0);
}

// A small body in a large one, far from its surface: nearly nothing of either is evaluated.
static void little_is_evaluated(void** state)
{
	(void)state;
	Thing outer = Thing_Make(sceneMakeBlob(40, 1), snug_free, (snugTreeDef){ 0 }, NULL);
	sceneMesh small = sceneMakeBlob(40, 2);
	ScaleMesh(&small, 0.2f);
	Thing inner = Thing_Make(small, snug_free, (snugTreeDef){ 0 }, NULL);
	snugSide side;
	snugResult result = snugFindBodyInside(inner.body, outer.body, NULL, &side);
	assert_int_equal(side, snug_inside);
	assert_true(result.counters.triangleTests < 200);
	assert_int_equal(snugFindBodyInside(outer.body, inner.body, NULL, NULL).count, 0);
	Thing_Free(&inner);
	Thing_Free(&outer);
}

static void OpenEdges(sceneMesh mesh, uint64_t expected)
{
	snugModel* model = MakeModel(&mesh, snug_rigid, (snugTreeDef){ 0 });
	uint64_t count = 99;
	assert_int_equal(snugModel_CountOpenEdges(model, &count), snug_success);
	assert_int_equal(count, expected);
	snugModel_Destroy(model);
	sceneMesh_Free(&mesh);
}

static void open_edges_are_counted(void** state)
{
	(void)state;
	OpenEdges(sceneMakeTriangle(), 3);
	OpenEdges(sceneMakeTetrahedron(), 0);
	OpenEdges(sceneMakeCloth(1.0, 1.0, 4, 3), 14);
	OpenEdges(sceneMakeTorus(1.0, 0.2, 9, 7), 0);
	// A triangle with a corner twice has one edge twice, and none from a corner to itself: as if it were not there.
	sceneMesh torus = sceneMakeTorus(1.0, 0.2, 9, 7);
	torus.triangles[1] = torus.triangles[0];
	OpenEdges(sceneMesh_Copy(&torus), 3);
	torus.triangles[2] = torus.triangles[0];
	OpenEdges(torus, 3);
	uint64_t count;
	assert_int_equal(snugModel_CountOpenEdges(NULL, &count), snug_badArgument);
	TestAllocator allocator = { 0 };
	sceneMesh mesh = sceneMakeTetrahedron();
	snugModelDef def = MeshDef(&mesh, snug_rigid, (snugTreeDef){ 0 });
	def.allocator = TestAllocator_Get(&allocator);
	snugModel* model;
	assert_int_equal(snugModel_Create(&def, &model), snug_success);
	allocator.failAt = allocator.calls + 1;
	assert_int_equal(snugModel_CountOpenEdges(model, &count), snug_outOfMemory);
	assert_int_equal(snugModel_CountOpenEdges(model, &count), snug_success);
	snugModel_Destroy(model);
	assert_int_equal(allocator.live, 0);
	assert_int_equal(allocator.faults, 0);
	sceneMesh_Free(&mesh);
}

static void bad_questions_are_refused(void** state)
{
	(void)state;
	Thing a = Thing_Make(sceneMakeTetrahedron(), snug_rigid, (snugTreeDef){ 0 }, NULL);
	Thing b = Thing_Make(RandomMesh(&(sceneRandom){ 1 }, mesh_empty), snug_rigid, (snugTreeDef){ 0 }, NULL);
	float points[2][3] = { { 0.1f, 0.1f, 0.1f }, { 0.0f, NAN, 0.0f } };
	snugPointSide places[2];
	const double nowhere[3] = { NAN }, far[3] = { 1e300 };
	snugSide side = snug_inside;
	assert_int_equal(snugFindInside(a.body, points[0], 0, 1, places, NULL).status, snug_success);
	assert_int_equal(snugFindInside(a.body, points[0], 0, 2, places, NULL).status, snug_badInput);
	assert_int_equal(snugFindInside(a.body, points[0], 4, 1, places, NULL).status, snug_badArgument);
	assert_int_equal(snugFindInside(NULL, points[0], 0, 1, places, NULL).status, snug_badArgument);
	assert_int_equal(snugFindInside(a.body, NULL, 0, 1, places, NULL).status, snug_badArgument);
	assert_int_equal(snugFindInside(a.body, NULL, 0, 0, NULL, NULL).status, snug_success);
	assert_int_equal(snugFindInside(a.body, points[0], 0, 1, places, nowhere).status, snug_badArgument);
	assert_int_equal(snugFindInside(a.body, points[0], 0, 1, places, far).status, snug_outOfRange);
	assert_int_equal(snugFindInside(b.body, points[0], 0, 1, places, NULL).count, 0);
	assert_int_equal(snugFindBodyInside(a.body, a.body, NULL, &side).status, snug_badArgument);
	assert_int_equal(side, snug_outside);
	assert_int_equal(snugFindBodyInside(a.body, NULL, NULL, NULL).status, snug_badArgument);
	assert_int_equal(snugFindBodyInside(a.body, b.body, nowhere, NULL).status, snug_badArgument);
	assert_int_equal(snugFindBodyInside(a.body, b.body, far, NULL).status, snug_outOfRange);
	assert_int_equal(snugFindBodyInside(a.body, b.body, NULL, &side).count, 0);
	assert_int_equal(side, snug_outside);
	assert_int_equal(snugFindBodyInside(b.body, a.body, NULL, &side).count, 0);
	assert_int_equal(side, snug_outside);
	const snugDistanceQuery far2 = { .origin = { 1e300 } }, less = { .maxDistance = -1.0 };
	snugVertexDepth depth;
	assert_int_equal(snugFindSelfInside(a.body, NULL, NULL).status, snug_badArgument);
	assert_int_equal(snugFindSelfInside(NULL, places, NULL).status, snug_badArgument);
	assert_int_equal(snugFindVertexDepths(a.body, a.body, &depth, 1, NULL).status, snug_badArgument);
	assert_int_equal(snugFindVertexDepths(NULL, a.body, &depth, 1, NULL).status, snug_badArgument);
	assert_int_equal(snugFindVertexDepths(a.body, b.body, NULL, 1, NULL).status, snug_badArgument);
	assert_int_equal(snugFindVertexDepths(a.body, b.body, &depth, 1, &less).status, snug_badArgument);
	assert_int_equal(snugFindVertexDepths(a.body, b.body, &depth, 1, &far2).status, snug_outOfRange);
	assert_int_equal(snugFindVertexDepths(a.body, b.body, &depth, 1, NULL).count, 0);
	Thing_Free(&a);
	Thing_Free(&b);
}

// ---- Of a body, within itself ------------------------------------------------------------------------------------

// What is in front of a corner of a triangle: what all triangles say about the half-line; and, now and then, rational
// arithmetic, in random directions that meet no edge, or along the first axis, where that makes a difference.
static int32_t ExpectInFront(
    sceneRandom* random, bool isClosed, const float (*triangles)[3][3], uint32_t count, uint32_t triangle, int corner)
{
	float front[3][3], end[3];
	int32_t winding = 0, rational = INT32_MAX;
	for (int c = 0; c < 3; ++c)
	{
		memcpy(front[c], triangles[triangle][(corner + c) % 3], sizeof(front[c]));
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		winding += sgHalfLine_Cross(front[0], (const float(*)[3])front, triangles[i]);
	}
	if (sceneRandom_Index(random, count) >= 2)
	{
		return winding;
	}
	while (rational == INT32_MAX)
	{
		for (int k = 0; k < 3; ++k)
		{
			end[k] = (float)(RandomSign(random) * sceneRandom_Range(random, 1e37, 2e37));
		}
		rational = RationalWindingInFront(triangles, count, (const float(*)[3])front, isClosed ? end : NULL);
	}
	if (winding != rational)
	{
		fail_msg("in front of triangle %u, corner %d, the winding number is %d, not %d", triangle, corner, rational,
		    winding);
	}
	return winding;
}

static bool IsInside(int32_t winding)
{
	return winding != 0 && winding != -1;
}

// By rational arithmetic in front of one triangle of each vertex, and in front of each triangle; those that meet others
// are partly inside.
static uint64_t CheckOwn(uint64_t seed, sceneRandom* random, bool isClosed, Posed* posed)
{
	const snugFrame identity = { { 0 }, { 0 } }, moved = { { 1e5, -3.0, 7.0 }, { 0.6, 0.0, 0.8, 0.0 } };
	const sceneMesh* mesh = &posed->thing.mesh;
	snugBody_SetFrame(posed->thing.body, &identity);
	memset(posed->origin, 0, sizeof(posed->origin));
	Posed_Read(posed);
	snugBody_SetFrame(posed->thing.body, &moved);
	float(*triangles)[3][3] = malloc((mesh->triangleCount + 1) * sizeof(*triangles));
	snugPointSide* vertices = malloc((mesh->vertexCount + 1) * sizeof(snugPointSide));
	snugPointSide* faces = malloc((mesh->triangleCount + 1) * sizeof(snugPointSide));
	bool* isCut = calloc(mesh->triangleCount + 1, sizeof(bool));
	uint32_t* twins = malloc((mesh->vertexCount + 1) * sizeof(uint32_t));
	snugModel_GetTwins(posed->thing.model, twins);
	for (uint32_t i = 0; i < mesh->triangleCount; ++i)
	{
		Posed_Triangle(posed, i, triangles[i]);
	}
	const uint64_t most = (uint64_t)mesh->triangleCount * mesh->triangleCount + 1;
	snugPair* pairs = malloc(most * sizeof(snugPair));
	const snugQuery query = { .pairs = pairs, .capacity = most, .keepRest = true };
	const uint64_t pairCount = snugCollideSelf(posed->thing.body, &query).count;
	for (uint64_t i = 0; i < pairCount; ++i)
	{
		isCut[pairs[i].a] = isCut[pairs[i].b] = true;
	}
	const snugResult both = snugFindSelfInside(posed->thing.body, vertices, faces);
	const snugResult ofFaces = snugFindSelfInside(posed->thing.body, NULL, faces);
	uint64_t inside = 0, insideFaces = 0;
	assert_true(both.status == snug_success && both.complete);
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		const snugPointSide* side = vertices + v;
		bool isGood = side->triangle != SNUG_NONE || (side->side == snug_outside && side->winding == 0);
		int corner = -1;
		for (int c = 0; c < 3 && side->triangle != SNUG_NONE; ++c)
		{
			corner = twins[mesh->triangles[3 * side->triangle + (uint32_t)c]] == twins[v] ? c : corner;
		}
		if (side->triangle != SNUG_NONE && corner >= 0)
		{
			const int32_t winding = ExpectInFront(
			    random, isClosed, (const float(*)[3][3])triangles, mesh->triangleCount, side->triangle, corner);
			isGood = winding == side->winding && side->side == (IsInside(winding) ? snug_inside : snug_outside);
		}
		const float *p = posed->positions + 3 * v, *q = posed->positions + 3 * twins[v];
		if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2])
		{
			isGood = isGood && memcmp(side, vertices + twins[v], sizeof(*side)) == 0;
		}
		if (!isGood || (side->triangle != SNUG_NONE && corner < 0))
		{
			fail_msg("seed %llu: vertex %u is at %d %d", (unsigned long long)seed, v, side->side, side->winding);
		}
		inside += side->side == snug_inside;
	}
	for (uint32_t i = 0; i < mesh->triangleCount; ++i)
	{
		const int32_t winding =
		    faces[i].triangle == SNUG_NONE
		        ? 0
		        : ExpectInFront(random, isClosed, (const float(*)[3][3])triangles, mesh->triangleCount, i, 0);
		const snugSide expected = isCut[i] ? snug_partlyInside : IsInside(winding) ? snug_inside : snug_outside;
		if (faces[i].side != expected || faces[i].winding != winding)
		{
			fail_msg(
			    "seed %llu: triangle %u is at %d %d", (unsigned long long)seed, i, faces[i].side, faces[i].winding);
		}
		insideFaces += expected != snug_outside;
	}
	assert_true(both.count == inside && ofFaces.count == insideFaces);
	free(triangles);
	free(vertices);
	free(faces);
	free(isCut);
	free(twins);
	free(pairs);
	return inside;
}

// Of boxes of voxels, whose triangles turn either way, and of open surfaces: what all triangles say about the
// half-line.
static void own_vertices_are_where_rationals_say(void** state)
{
	(void)state;
	uint64_t inside = 0;
	for (int n = 0; n < TestCount(60); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		const bool isClosed = n % 2 == 0 && n / 2 % 5 != 1;
		snugPool* pool = n % 5 == 0 ? MakePool(4096 * 3) : NULL;
		sceneMesh mesh =
		    n % 2 == 0 ? RandomClosedMesh(&random, n / 2) : RandomMesh(&random, (MeshKind)(n / 2 % MESH_KINDS));
		Posed posed = Posed_Make(&random, mesh, n % 10 == 2 ? snug_rigid : (Mover)(n / 3 % POSED_DEFORMERS), pool);
		inside += CheckOwn(seed, &random, isClosed, &posed);
		Posed_Change(&random, &posed);
		inside += CheckOwn(seed, &random, isClosed, &posed);
		Posed_Free(&posed);
		snugPool_Destroy(pool);
	}
	assert_true(inside > 10 || TestScale() < 1.0);
}

// Everything at once, on a grid, so that much of it touches, lies in one plane or in one another's shadow: closed parts
// and open ones, corners that become twins, holes, triangles turned over, repeated, and without area.
static sceneMesh MakeMuddle(sceneRandom* random, uint64_t seed)
{
	sceneMesh muddle = sceneMakeTetrahedron();
	for (uint32_t part = 1 + sceneRandom_Index(random, 4); part > 0; --part)
	{
		const uint32_t kind = sceneRandom_Index(random, 4);
		sceneMesh mesh = kind == 0   ? sceneMakeBlob(2, seed + part)
		                 : kind == 1 ? sceneMakeTorus(0.7, 0.3, 5, 4)
		                 : kind == 2 ? sceneMakeCloth(1.5, 1.5, 3, 2)
		                             : sceneMakeTetrahedron();
		sceneMesh_Translate(&mesh, sceneRandom_Range(random, -0.8, 0.8), sceneRandom_Range(random, -0.8, 0.8), 0.25);
		assert_true(sceneMesh_Append(&muddle, &mesh));
		sceneMesh_Free(&mesh);
	}
	const float grid = sceneRandom_Index(random, 3) == 0 ? 64.0f : 3.0f;
	for (uint32_t i = 0; i < 3 * muddle.vertexCount; ++i)
	{
		muddle.positions[i] = roundf(muddle.positions[i] * grid) / grid;
	}
	for (uint32_t changes = sceneRandom_Index(random, 8); changes > 0; --changes)
	{
		uint32_t* triangle = muddle.triangles + 3 * (size_t)sceneRandom_Index(random, muddle.triangleCount);
		const uint32_t* other = muddle.triangles + 3 * (size_t)sceneRandom_Index(random, muddle.triangleCount);
		const uint32_t kind = sceneRandom_Index(random, 3), first = triangle[0];
		if (kind == 0) // a hole, and a segment in it
		{
			triangle[0] = triangle[1];
		}
		else if (kind == 1)
		{
			memmove(triangle, other, 3 * sizeof(uint32_t));
		}
		else
		{
			triangle[0] = triangle[1];
			triangle[1] = first;
		}
	}
	return muddle;
}

static void own_vertices_of_a_muddle_are_where_rationals_say(void** state)
{
	(void)state;
	uint64_t inside = 0;
	for (int n = 0; n < TestCount(300); ++n)
	{
		const uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		Posed posed = Posed_Make(&random, MakeMuddle(&random, seed), n % 2 == 0 ? snug_rigid : snug_free, NULL);
		inside += CheckOwn(seed, &random, false, &posed);
		Posed_Free(&posed);
	}
	assert_true(inside > (uint64_t)TestCount(300));
}

// Two closed surfaces as one body: vertices of each are inside where they are inside the other one.
static void own_vertices_are_inside_other_parts(void** state)
{
	(void)state;
	uint64_t inside = 0;
	for (int n = 0; n < TestCount(40); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		sceneMesh meshes[2] = { sceneMakeBlob(2 + (uint32_t)n % 5, seed), sceneMakeTorus(0.7, 0.3, 15, 10) };
		sceneMesh_Translate(meshes + 1, sceneRandom_Range(&random, -1.0, 1.0), 0.3141, -0.2718);
		sceneMesh both = sceneMesh_Copy(meshes);
		assert_true(sceneMesh_Append(&both, meshes + 1));
		Posed a = Posed_Make(&random, meshes[0], snug_rigid, NULL),
		      b = Posed_Make(&random, meshes[1], snug_rigid, NULL);
		Posed own = Posed_Make(&random, both, snug_rigid, NULL);
		const uint32_t count = own.thing.mesh.vertexCount, ofA = a.thing.mesh.vertexCount;
		snugPointSide *found = malloc(count * sizeof(snugPointSide)), *expected = malloc(count * sizeof(snugPointSide));
		assert_int_equal(snugFindSelfInside(own.thing.body, found, NULL).status, snug_success);
		snugFindInside(b.thing.body, a.positions, 0, ofA, expected, NULL);
		snugFindInside(a.thing.body, b.positions, 0, count - ofA, expected + ofA, NULL);
		for (uint32_t v = 0; v < count; ++v)
		{
			if (found[v].side != expected[v].side || found[v].winding != expected[v].winding)
			{
				fail_msg(
				    "seed %llu: vertex %u is at %d %d", (unsigned long long)seed, v, found[v].side, found[v].winding);
			}
			inside += found[v].side == snug_inside;
		}
		free(found);
		free(expected);
		Posed_Free(&a);
		Posed_Free(&b);
		Posed_Free(&own);
	}
	assert_true(inside > (uint64_t)TestCount(40));
}

// Of a closed surface, and of an open one.
static void own_questions_take_memory_for_a_moment(void** state)
{
	(void)state;
	for (uint64_t failAt = 0; failAt <= 2; ++failAt)
	{
		TestAllocator allocator = { 0 };
		Thing thing = Thing_Make(
		    failAt == 1 ? sceneMakeCloth(1.0, 1.0, 3, 3) : sceneMakeBlob(3, 1), snug_rigid, (snugTreeDef){ 0 }, NULL);
		snugBody* body;
		const snugBodyDef def = { .model = thing.model, .allocator = TestAllocator_Get(&allocator) };
		assert_int_equal(snugBody_Create(&def, &body), snug_success);
		snugPointSide sides[1000];
		assert_in_range(thing.mesh.vertexCount, 1, 1000);
		const uint64_t before = allocator.live;
		allocator.failAt = failAt > 0 ? allocator.calls + failAt : 0;
		const snugResult result = snugFindSelfInside(body, sides, NULL);
		assert_int_equal(result.status, failAt > 0 ? snug_outOfMemory : snug_success);
		assert_true(result.complete == (failAt == 0) && result.count == 0 && allocator.live == before);
		snugBody_Destroy(body);
		assert_true(allocator.live == 0 && allocator.faults == 0);
		Thing_Free(&thing);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_are_where_rationals_say),
		cmocka_unit_test(open_bodies_have_an_answer),
		cmocka_unit_test(bodies_are_where_their_corners_are),
		cmocka_unit_test(vertices_are_as_deep_as_rationals_say),
		cmocka_unit_test(little_is_evaluated),
		cmocka_unit_test(open_edges_are_counted),
		cmocka_unit_test(own_vertices_are_where_rationals_say),
		cmocka_unit_test(own_vertices_of_a_muddle_are_where_rationals_say),
		cmocka_unit_test(own_vertices_are_inside_other_parts),
		cmocka_unit_test(own_questions_take_memory_for_a_moment),
		cmocka_unit_test(bad_questions_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
