// test/test_shapes.c: bodies against spheres, capsules, planes and half spaces. Oracle: all triangles, planes by signs
// in rational arithmetic, the others by rational distances: nothing within the radius is missing, nothing beyond what
// is documented is there.
#include "posed.h"
#include "rational_distance.h"
#include "rational_segment.h"

#include "geometry/predicates.h"
#include "geometry/shape.h"
#include "snug/snug_queries.h"

#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int RationalPlaneSide(const float normal[3], float offset, const float x[3])
{
	mpq_t sum, a, b;
	mpq_inits(sum, a, b, NULL);
	mpq_set_d(sum, (double)offset);
	for (int k = 0; k < 3; ++k)
	{
		mpq_set_d(a, (double)normal[k]);
		mpq_set_d(b, (double)x[k]);
		mpq_mul(a, a, b);
		mpq_add(sum, sum, a);
	}
	int sign = mpq_sgn(sum);
	mpq_clears(sum, a, b, NULL);
	return sign;
}

static double Extent(const float p[3], const float q[3], const float c[3][3])
{
	double extent = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double low =
		    fmin(fmin((double)p[k], (double)q[k]), fmin((double)c[0][k], fmin((double)c[1][k], (double)c[2][k])));
		double high =
		    fmax(fmax((double)p[k], (double)q[k]), fmax((double)c[0][k], fmax((double)c[1][k], (double)c[2][k])));
		extent = fmax(extent, high - low);
	}
	return extent;
}

// 1: it meets the shape; 0: it does not; -1: either will do. Distances only where boxes say that it may be.
static int Expect(const snugShape* shape, const float c[3][3], double* distance)
{
	if (shape->kind == snug_shapePlane || shape->kind == snug_shapeHalfSpace)
	{
		bool isBehind = false, isAhead = false;
		for (int i = 0; i < 3; ++i)
		{
			int side = RationalPlaneSide(shape->normal, shape->offset, c[i]);
			isBehind = isBehind || side >= 0;
			isAhead = isAhead || side <= 0;
		}
		*distance = NAN;
		return isBehind && (isAhead || shape->kind == snug_shapeHalfSpace);
	}
	const float *p = shape->from, *q = shape->kind == snug_shapeSphere ? p : shape->to;
	double t, extent = Extent(p, q, c), radius = (double)shape->radius;
	*distance = 0.0;
	if (RationalSegmentHit(p, q, c, &t))
	{
		return 1;
	}
	const float axis[3][3] = { { p[0], p[1], p[2] }, { q[0], q[1], q[2] }, { q[0], q[1], q[2] } };
	*distance = sqrt(RationalDistance2(axis, c));
	return *distance <= radius ? 1 : *distance <= radius + 1.01 * 0x1p-37 * extent ? -1 : 0;
}

static void SomePoint(sceneRandom* random, const Posed* posed, float p[3])
{
	const float* v = posed->positions + 3 * (size_t)sceneRandom_Index(random, posed->thing.mesh.vertexCount);
	float spread = sceneRandom_Index(random, 3) == 0 ? 0.0f : 0.6f;
	for (int k = 0; k < 3; ++k)
	{
		p[k] = v[k] + spread * (float)sceneRandom_Range(random, -1.0, 1.0);
	}
}

// Through vertices, and as large as reaches one exactly.
static snugShape RandomShape(sceneRandom* random, const Posed* posed)
{
	snugShape shape = { .kind = (snugShapeKind)sceneRandom_Index(random, 4) };
	SomePoint(random, posed, shape.from);
	SomePoint(random, posed, shape.to);
	SomePoint(random, posed, shape.normal);
	if (sceneRandom_Index(random, 3) == 0)
	{
		memset(shape.normal, 0, sizeof(shape.normal));
		shape.normal[sceneRandom_Index(random, 3)] = -0.75f;
	}
	shape.normal[0] += shape.normal[0] == 0.0f && shape.normal[1] == 0.0f && shape.normal[2] == 0.0f ? 1.0f : 0.0f;
	const float* v = posed->positions + 3 * (size_t)sceneRandom_Index(random, posed->thing.mesh.vertexCount);
	double sum = 0.0, length2 = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		sum += (double)shape.normal[k] * (double)v[k];
		length2 += ((double)v[k] - (double)shape.from[k]) * ((double)v[k] - (double)shape.from[k]);
	}
	shape.offset = (float)-sum;
	shape.radius =
	    sceneRandom_Index(random, 3) == 0 ? (float)sceneRandom_Range(random, 0.0, 0.5) : (float)sqrt(length2);
	shape.radius = sceneRandom_Index(random, 8) == 0 ? 0.0f : shape.radius;
	if (sceneRandom_Index(random, 4) == 0) // touches a vertex, exactly if that has few bits
	{
		memcpy(shape.from, v, sizeof(shape.from));
		memcpy(shape.to, v, sizeof(shape.to));
		shape.radius = 0.25f;
		uint32_t axis = sceneRandom_Index(random, 3);
		shape.from[axis] += 0.25f;
		shape.to[axis] += 0.25f;
		shape.to[(axis + 1) % 3] += 0.5f;
	}
	return shape;
}

static void Check(uint64_t seed, const Posed* posed, const snugShape* shape, uint64_t* met)
{
	uint32_t count = posed->thing.mesh.triangleCount;
	snugShapeContact* contacts = malloc((count + 1) * sizeof(snugShapeContact));
	snugShapeQuery query = { .contacts = contacts, .capacity = count };
	memcpy(query.origin, posed->origin, sizeof(query.origin));
	snugShapeResult all = snugCollideShape(posed->thing.body, shape, &query);
	assert_int_equal(all.status, snug_success);
	uint64_t next = 0;
	for (uint32_t i = 0; i < count; ++i)
	{
		float c[3][3];
		double distance;
		Posed_Triangle(posed, i, c);
		int expected = Expect(shape, (const float(*)[3])c, &distance);
		bool isFound = next < all.count && contacts[next].triangle == i;
		if (expected >= 0 && isFound != (expected == 1))
		{
			fail_msg("seed %llu: triangle %u %s", (unsigned long long)seed, i, isFound ? "is too far" : "is missing");
		}
		if (isFound)
		{
			double slack = 0x1p-36 * Extent(shape->from, shape->to, (const float(*)[3])c);
			assert_true(isnan(distance) || fabs(contacts[next].distance - distance) <= slack);
			++next;
		}
	}
	assert_int_equal(next, all.count);
	*met += all.count;
	snugShapeContact some[2] = { 0 };
	query = (snugShapeQuery){ .contacts = some, .capacity = 2 };
	memcpy(query.origin, posed->origin, sizeof(query.origin));
	assert_int_equal(snugCollideShape(posed->thing.body, shape, &query).count, all.count);
	assert_memory_equal(some, contacts, (all.count < 2 ? all.count : 2) * sizeof(snugShapeContact));
	query.any = true;
	assert_int_equal(snugCollideShape(posed->thing.body, shape, &query).count, all.count > 0 ? 1 : 0);
	free(contacts);
}

static void shapes_meet_what_rationals_say(void** state)
{
	(void)state;
	uint64_t met = 0;
	for (int n = 0; n < TestCount(120); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugPool* pool = n % 5 == 0 ? MakePool(4096 * 3) : NULL;
		sceneMesh mesh = RandomMesh(&random, (MeshKind)(n % MESH_KINDS));
		if (mesh.triangleCount > 60)
		{
			mesh.triangleCount = 60; // rational distances take their time
		}
		Posed posed = Posed_Make(&random, mesh, (snugDeformer)(n / MESH_KINDS % POSED_DEFORMERS), pool);
		for (int i = 0; i < 4 && mesh.triangleCount > 0; ++i)
		{
			snugShape shape = RandomShape(&random, &posed);
			bool isFar = false; // poses may reach beyond what shapes may
			for (int k = 0; k < 3; ++k)
			{
				isFar = isFar || fabsf(shape.normal[k]) > 1e15f || !(fabsf(shape.offset) < 1e30f);
			}
			if (!isFar)
			{
				Check(seed, &posed, &shape, &met);
			}
			Posed_Change(&random, &posed);
		}
		Posed_Free(&posed);
		snugPool_Destroy(pool);
	}
	assert_true(TestScale() < 1.0 || met > 1000);
}

// Large bodies, by the decision that the test above has compared with rationals: no box loses a triangle.
static void walks_lose_nothing(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(150); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		Posed posed = Posed_Make(&random, sceneMakeBlob(9, seed), (snugDeformer)(n % POSED_DEFORMERS), NULL);
		Posed_Change(&random, &posed);
		snugShape shape = RandomShape(&random, &posed);
		shape.radius *= n % 3 == 0 ? 0.1f : 1.0f;
		snugShapeQuery query = { .origin = { posed.origin[0], posed.origin[1], posed.origin[2] } };
		snugShapeResult result = snugCollideShape(posed.thing.body, &shape, &query);
		for (uint32_t i = 0; i < posed.thing.mesh.triangleCount && result.status == snug_success; ++i)
		{
			float c[3][3];
			snugShapeContact contact;
			Posed_Triangle(&posed, i, c);
			result.count -= sgShape_Meets(&shape, (const float(*)[3])c, &contact);
		}
		if (result.count != 0)
		{
			fail_msg("seed %llu: %lld triangles are missing", (unsigned long long)seed, -(long long)result.count);
		}
		Posed_Free(&posed);
	}
}

// Signs of normal . x + offset where it cancels.
static void planes_are_exact(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(20000); ++n)
	{
		sceneRandom random = { TestSeed() + (uint64_t)n };
		float normal[3], x[3], offset;
		double sum = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			int scale = (int)sceneRandom_Index(&random, 3) * 20 - 20;
			normal[k] = ldexpf((float)sceneRandom_Range(&random, -1.0, 1.0), scale);
			x[k] = ldexpf((float)sceneRandom_Range(&random, -1.0, 1.0), -scale);
			sum += (double)normal[k] * (double)x[k];
		}
		if (n % 2 == 0) // cancels exactly
		{
			normal[2] = -normal[1];
			x[2] = x[1];
			sum = (double)normal[0] * (double)x[0];
		}
		offset = n % 4 == 1 ? nextafterf((float)-sum, 1.0f) : (float)-sum;
		int expected = RationalPlaneSide(normal, offset, x);
		assert_int_equal(sgHalfSpace_Side(normal, offset, x), expected);
		assert_int_equal(sgHalfSpace_ExactSide(normal, offset, x), expected);
	}
}

static void bad_shapes_are_refused(void** state)
{
	(void)state;
	Thing thing = Thing_Make(sceneMakeTetrahedron(), snug_rigid, (snugTreeDef){ 0 }, NULL);
	TestMessages messages = { 0 };
	snugBodyDef def = { .model = thing.model, .messenger = TestMessages_Get(&messages) };
	snugBody* body;
	assert_int_equal(snugBody_Create(&def, &body), snug_success);
	const snugShape bad[] = {
		{ .kind = snug_shapeSphere, .radius = -1.0f },
		{ .kind = snug_shapeSphere, .radius = NAN },
		{ .kind = snug_shapeSphere, .from = { NAN } },
		{ .kind = snug_shapeCapsule, .to = { INFINITY } },
		{ .kind = snug_shapeCapsule, .to = { 2e36f } },
		{ .kind = snug_shapePlane },
		{ .kind = snug_shapePlane, .normal = { 1.0f }, .offset = NAN },
		{ .kind = snug_shapeHalfSpace, .normal = { NAN } },
		{ .kind = (snugShapeKind)7 },
	};
	for (size_t i = 0; i < LENGTH_OF(bad); ++i)
	{
		assert_int_equal(snugCollideShape(body, bad + i, NULL).status, snug_badInput);
		assert_int_equal(messages.count, (int)i + 1);
	}
	const snugShape good = { .radius = 1.0f }, dirty = { .reserved = { 1 } };
	const snugShapeQuery blind = { .capacity = 1 }, nowhere = { .origin = { NAN } }, dirtyQuery = { .reserved = { 1 } },
	                     far = { .origin = { 1e300 } };
	assert_int_equal(snugCollideShape(body, &good, NULL).count, 4);
	assert_int_equal(snugCollideShape(body, &dirty, NULL).status, snug_badArgument);
	assert_int_equal(snugCollideShape(body, &good, &blind).status, snug_badArgument);
	assert_int_equal(snugCollideShape(body, &good, &nowhere).status, snug_badArgument);
	assert_int_equal(snugCollideShape(body, &good, &dirtyQuery).status, snug_badArgument);
	assert_int_equal(snugCollideShape(body, &good, &far).status, snug_outOfRange);
	assert_int_equal(snugCollideShape(NULL, &good, NULL).status, snug_badArgument);
	assert_int_equal(snugCollideShape(body, NULL, NULL).status, snug_badArgument);
	snugBody_Destroy(body);
	Thing_Free(&thing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes_meet_what_rationals_say),
		cmocka_unit_test(walks_lose_nothing),
		cmocka_unit_test(planes_are_exact),
		cmocka_unit_test(bad_shapes_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
