// test/query/test_shapes.c: bodies against spheres, capsules, planes and half spaces. Oracle: all triangles, planes by
// signs in rational arithmetic, the others by rational distances: nothing within the radius is missing, nothing beyond
// what is documented is there.
#include "posed.h"
#include "rational_distance.h"
#include "rational_segment.h"

#include "geometry/predicates.h"
#include "geometry/segment.h"
#include "geometry/shape.h"
#include "query/probe.h"
#include "snug/snug_queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
			int side = RationalPlaneSide(shape->plane.normal, shape->plane.offset, c[i]);
			isBehind = isBehind || side <= 0;
			isAhead = isAhead || side >= 0;
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
	float normal[3];
	SomePoint(random, posed, normal);
	for (int k = 0; k < 3; ++k)
	{
		shape.plane.normal[k] = (double)normal[k] * (sceneRandom_Index(random, 2) == 0 ? 1.0 : 1.0 / 3.0);
	}
	if (sceneRandom_Index(random, 3) == 0)
	{
		memset(shape.plane.normal, 0, sizeof(shape.plane.normal));
		shape.plane.normal[sceneRandom_Index(random, 3)] = 0.75;
	}
	shape.plane.normal[0] +=
	    shape.plane.normal[0] == 0.0 && shape.plane.normal[1] == 0.0 && shape.plane.normal[2] == 0.0 ? 1.0 : 0.0;
	const float* v = posed->positions + 3 * (size_t)sceneRandom_Index(random, posed->thing.mesh.vertexCount);
	double sum = 0.0, length2 = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		sum += shape.plane.normal[k] * (double)v[k];
		length2 += ((double)v[k] - (double)shape.from[k]) * ((double)v[k] - (double)shape.from[k]);
	}
	shape.plane.offset = -sum;
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
	snugResult all = snugCollideShape(posed->thing.body, shape, &query);
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
		Posed posed = Posed_Make(&random, mesh, (Mover)(n / MESH_KINDS % POSED_DEFORMERS), pool);
		for (int i = 0; i < 4 && mesh.triangleCount > 0; ++i)
		{
			snugShape shape = RandomShape(&random, &posed);
			bool isFar = false; // poses may reach beyond what shapes may
			for (int k = 0; k < 3; ++k)
			{
				isFar = isFar || fabs(shape.plane.normal[k]) > 1e15 || !(fabs(shape.plane.offset) < 1e30);
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

static void AssertSameContact(uint64_t seed, const snugShapeContact* found, const snugShapeContact* expected)
{
	if (memcmp(found, expected, sizeof(*found)) != 0)
	{
		fail_msg("SNUG_SEED=%llu: triangle %u at %.17g, instead of %u at %.17g", (unsigned long long)seed,
		    found->triangle, found->distance, expected->triangle, expected->distance);
	}
}

// Large bodies, by the decision that the test above has compared with rationals: no box loses a triangle, and all comes
// back as that decision has it, bit for bit, in order; the first ones if there is not room for all.
static void walks_lose_nothing(void** state)
{
	(void)state;
	uint64_t most = 0;
	for (int n = 0; n < TestCount(150); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n, next = 0;
		sceneRandom random = { seed };
		Posed posed = Posed_Make(&random, sceneMakeBlob(9, seed), (Mover)(n % POSED_DEFORMERS), NULL);
		Posed_Change(&random, &posed);
		snugShape shape = RandomShape(&random, &posed);
		shape.kind = n % 2 == 0 ? snug_shapeSphere : shape.kind;
		shape.radius *= n % 3 == 0 ? 0.1f : 1.0f;
		uint32_t count = posed.thing.mesh.triangleCount;
		snugShapeContact* contacts = malloc(count * sizeof(snugShapeContact));
		const uint64_t room = n % 5 == 0 ? sceneRandom_Index(&random, count) : count;
		snugShapeQuery query = {
			.origin = { posed.origin[0], posed.origin[1], posed.origin[2] }, .contacts = contacts, .capacity = room
		};
		snugResult result = snugCollideShape(posed.thing.body, &shape, &query);
		shape = sgShape_Round(&shape); // a zero has no sign then
		for (uint32_t i = 0; i < count && result.status == snug_success; ++i)
		{
			float c[3][3];
			snugShapeContact expected = { .triangle = i };
			Posed_Triangle(&posed, i, c);
			if (sgShape_Meets(&shape, (const float(*)[3])c, &expected) && next++ < room)
			{
				AssertSameContact(seed, contacts + next - 1, &expected);
			}
		}
		if (result.count != next)
		{
			fail_msg("SNUG_SEED=%llu: %lld triangles are missing", (unsigned long long)seed,
			    (long long)(next - result.count));
		}
		most = next > most ? next : most;
		free(contacts);
		Posed_Free(&posed);
	}
	assert_true(TestScale() < 1.0 || most > 500);
}

// ---- Eight triangles and a ball -----------------------------------------------------------------------------------

// A triangle of any shape and size, some with hardly any area or none, and a point that is anywhere, right above it, or
// on it but for rounding.
static void RandomNeighbours(sceneRandom* random, int kind, float c[3][3], float p[3])
{
	const double size = ldexp(1.0, (int)sceneRandom_Index(random, 20) - 14);
	const double thin = ldexp(1.0, -(int)sceneRandom_Index(random, 20));
	double weights[3], sum = 0.0, normal[3], length = 0.0;
	for (int i = 0; i < 9; ++i)
	{
		c[i / 3][i % 3] = p[i % 3] + (float)(size * sceneRandom_Range(random, -1.0, 1.0));
	}
	for (int k = 0; k < 3; ++k)
	{
		c[1][k] = kind == 3 ? (float)(0x1p-22 * sceneRandom_Range(random, -1.0, 1.0)) : c[1][k]; // many digits apart
		const float middle = 0.5f * (c[0][k] + c[1][k]);
		c[2][k] = kind == 1 ? c[1][k] : kind == 2 ? middle : c[2][k];
		c[2][k] = kind == 3 ? middle + (float)thin * (c[2][k] - middle) : c[2][k];
		c[1][k] = kind == 4 ? c[0][k] : c[1][k];
		weights[k] = sceneRandom_Unit(random);
		sum += weights[k];
	}
	if (kind == 8) // the point is on an edge, by digits that double does not have at once
	{
		const float far = (float)(1 + sceneRandom_Index(random, 1 << 20));
		const float near = ldexpf((float)(1 + sceneRandom_Index(random, 1 << 20)), -54);
		const float edge[3][3] = { { -3.0f * far, -far, 0.0f }, { 6.0f * far, 2.0f * far, 0.0f }, { far, far, far } };
		memcpy(c, edge, sizeof(edge));
		p[0] = 3.0f * near;
		p[1] = near;
		p[2] = 0.0f;
	}
	sgTriangle_Normal((const float(*)[3])c, normal);
	for (int k = 0; k < 3; ++k)
	{
		length += fabs(normal[k]);
	}
	for (int k = 0; k < 3; ++k)
	{
		double on = (weights[0] * (double)c[0][k] + weights[1] * (double)c[1][k] + weights[2] * (double)c[2][k]) / sum;
		double height = kind == 3 ? 128.0 : size * thin, above = on + height * normal[k] / (length + 0x1p-1000);
		p[k] = kind == 3 || kind == 6 ? (float)above : kind == 5 ? (float)on : kind == 7 ? c[0][k] : p[k];
	}
}

// Lanes say what sgShape_Meets says, with its bits, on every instruction set, or nothing; and they nearly always say it
// where triangles are as most are.
static void lanes_meet_balls_as_one_does(void** state)
{
	(void)state;
	uint64_t unsure = 0, plain = 0, met = 0, missed = 0;
	for (int n = 0; n < TestCount(4000); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugShape shape = { .kind = snug_shapeSphere };
		const int kind = n % 16; // from 9 on nothing special
		float c[SG_LANES][3][3];
		sgTriangleLanes lanes = { .mask = n % 3 == 0 ? sceneRandom_Index(&random, 256) : 0xff };
		snugShapeContact expected[SG_LANES];
		for (int k = 0; k < 3; ++k)
		{
			shape.from[k] = (float)sceneRandom_Range(&random, -2.0, 2.0);
		}
		RandomNeighbours(&random, kind, c[0], shape.from);
		for (int i = 1; i < SG_LANES; ++i)
		{
			float ignored[3] = { shape.from[0], shape.from[1], shape.from[2] };
			RandomNeighbours(&random, kind < 5 ? kind : 0, c[i], ignored);
		}
		for (int i = 0; i < SG_LANES; ++i)
		{
			for (int k = 0; k < 3; ++k)
			{
				lanes.boxes.lower[k][i] = fminf(c[i][0][k], fminf(c[i][1][k], c[i][2][k]));
				lanes.boxes.upper[k][i] = fmaxf(c[i][0][k], fmaxf(c[i][1][k], c[i][2][k]));
				lanes.corner[0][k][i] = c[i][0][k];
				lanes.corner[1][k][i] = c[i][1][k];
				lanes.corner[2][k][i] = c[i][2][k];
			}
			sgShape_Meets(&shape, (const float(*)[3])c[i], expected + i);
		}
		// As far as one of them, or next to that.
		shape.radius = (float)expected[sceneRandom_Index(&random, SG_LANES)].distance;
		shape.radius = n % 3 == 1 ? nextafterf(shape.radius, 0.0f) : shape.radius;
		uint32_t first = 0;
		for (int number = 0; sgFindKernels(number) != NULL; ++number)
		{
			sgPointLanes nearest;
			uint32_t left;
			const sgProbeKernels* probes = sgFindKernels(number)->probes;
			uint32_t found = probes->meetBall(&lanes, shape.from, (double)shape.radius, &nearest, &left);
			assert_int_equal((found | left) & ~lanes.mask, 0);
			assert_int_equal(found & left, 0);
			assert_true(number == 0 || (found | left << SG_LANES) == first);
			first = found | left << SG_LANES;
			for (uint32_t i = 0; i < SG_LANES; ++i)
			{
				const bool isSaid = (lanes.mask & ~left) >> i & 1, isFound = (found >> i & 1) != 0;
				snugShapeContact one = { .triangle = i }, said = { .triangle = i };
				const bool isMet = sgShape_Meets(&shape, (const float(*)[3])c[i], &one);
				said.distance = nearest.distance[i];
				for (int k = 0; k < 3; ++k)
				{
					said.position[k] = nearest.position[k][i];
				}
				if (isSaid && isFound != isMet)
				{
					fail_msg("SNUG_SEED=%llu: lane %u %s", (unsigned long long)seed, i, isMet ? "misses" : "meets");
				}
				if (isSaid && isMet)
				{
					AssertSameContact(seed, &said, &one);
				}
				met += isSaid && isMet;
				missed += isSaid && !isMet;
			}
			plain += kind >= 9 ? (uint64_t)__builtin_popcount(lanes.mask) : 0;
			unsure += kind >= 9 ? (uint64_t)__builtin_popcount(left) : 0;
		}
	}
	assert_true(TestScale() < 1.0 || (met > 10000 && missed > 10000));
	assert_true(200 * unsure < plain);
}

// A sphere is a capsule without length: the same bits by the shorter way.
static void spheres_are_short_capsules(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(20000); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugShape sphere = { .kind = snug_shapeSphere, .radius = 1.0f }, capsule = sphere;
		float c[3][3];
		snugShapeContact one = { .triangle = 1 }, other = one;
		RandomNeighbours(&random, n % 10, c, sphere.from);
		capsule.kind = snug_shapeCapsule;
		memcpy(capsule.from, sphere.from, sizeof(capsule.from));
		memcpy(capsule.to, sphere.from, sizeof(capsule.to));
		assert_int_equal(
		    sgShape_Meets(&sphere, (const float(*)[3])c, &one), sgShape_Meets(&capsule, (const float(*)[3])c, &other));
		AssertSameContact(seed, &one, &other);
	}
}

// A segment that begins s and part of a unit in its last place away from a face, along one axis, and leaves along
// another soon after it has come within s of the face. Units are of s; a float32 difference from the face rounds up to
// a whole one, at which the segment has left.
static void widened_probes_lose_no_box(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(5000); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		const int x = n % 3, y = (n / 3 + 1 + x) % 3 == x ? (x + 1) % 3 : (n / 3 + 1 + x) % 3;
		const float s = ldexpf(1.0f + (float)sceneRandom_Unit(&random), n % 20 - 10);
		const double unit = (double)nextafterf(s, INFINITY) - (double)s, part = sceneRandom_Range(&random, 0.55, 0.8);
		const double later = part + sceneRandom_Range(&random, 0.02, 0.15); // in units, along x
		float from[3] = { 0 }, to[3] = { 0 };
		sgBoxLanes boxes;
		for (uint32_t i = 0; i < 3 * SG_LANES; ++i)
		{
			boxes.lower[i / SG_LANES][i % SG_LANES] = -4.0f * s;
			boxes.upper[i / SG_LANES][i % SG_LANES] = 4.0f * s;
		}
		from[x] = (float)(-part * unit);
		to[x] = 2.0f * s;
		from[y] = (float)((double)s - unit);
		to[y] = (float)((double)from[y] + 2.0 * (double)s / later);
		for (uint32_t lane = 0; lane < SG_LANES; ++lane)
		{
			boxes.lower[x][lane] = s;
			boxes.upper[y][lane] = 0.0f;
		}
		// Where it enters and leaves, in rationals but for 2^-50 of it.
		const double entry = ((double)s - (double)from[x] - (double)s) / ((double)to[x] - (double)from[x]);
		const double exit = ((double)s - (double)from[y]) / ((double)to[y] - (double)from[y]);
		assert_true(entry < exit * (1.0 - 0x1p-20));
		sgProbe probe = sgProbe_Make(&(sgPlacement){ .isIdentity = true }, from, to);
		float SG_ALIGN(32) entries[SG_LANES];
		sgProbe_Widen(&probe, (double)s);
		if (sgGetKernels()->probes->clipBoxes(&boxes, &probe, 1.0f, entries) != 0xff)
		{
			fail_msg("SNUG_SEED=%llu: a box that is met is lost", (unsigned long long)seed);
		}
	}
}

// A corner that is on the right side by less than what double loses of the sum of its terms: of offset and the first
// term the small one is lost, the second term cancels the offset, and what is left has the other sign.
static void planes_lose_no_corner_to_rounding(void** state)
{
	(void)state;
	uint64_t lost = 0;
	for (int n = 0; n < TestCount(2000); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		const float side = n % 2 == 0 ? 1.0f : -1.0f; // of a plane: from below and from above
		const float few = (float)(1 + sceneRandom_Index(&random, 4095)),
		            other = (float)(1 + sceneRandom_Index(&random, 4095));
		const float small = ldexpf(1.0f + (float)sceneRandom_Unit(&random), -33);
		snugShape shape = { .kind = n % 4 < 2 ? snug_shapeHalfSpace : snug_shapePlane };
		shape.kind = side > 0.0f ? shape.kind : snug_shapePlane;
		float corner[3] = { small, other, small };
		shape.plane.normal[0] = (double)(-side * few * small);
		shape.plane.normal[1] = (double)(-side * few);
		shape.plane.normal[2] = (double)(side * few * small * (float)sceneRandom_Range(&random, 0.4, 0.99));
		shape.plane.offset = (double)(side * few * other);
		// The others are well on the other side.
		float positions[9];
		for (int v = 0; v < 3; ++v)
		{
			positions[3 * v] = v == 1 ? 0.5f * corner[0] : corner[0];
			positions[3 * v + 1] = v == 0 ? corner[1] : 0.5f * corner[1];
			positions[3 * v + 2] = v == 2 ? 2.0f * corner[2] : corner[2];
		}
		const uint32_t triangle[3] = { 0, 1, 2 };
		const snugModelDef def = {
			.positions = positions, .vertexCount = 3, .triangles = triangle, .triangleCount = 1
		};
		snugModel* model = NULL;
		assert_int_equal(snugModel_Create(&def, &model), snug_success);
		snugBody* body = MakeBody(model, NULL);
		double sum = shape.plane.offset, distance;
		for (int k = 0; k < 3; ++k)
		{
			sum += shape.plane.normal[k] * (double)corner[k];
		}
		lost += (double)side * sum > 0.0;
		const float c[3][3] = { { positions[0], positions[1], positions[2] },
			{ positions[3], positions[4], positions[5] }, { positions[6], positions[7], positions[8] } };
		assert_int_equal(Expect(&shape, c, &distance), 1);
		if (snugCollideShape(body, &shape, NULL).count != 1)
		{
			fail_msg("SNUG_SEED=%llu: a corner is lost", (unsigned long long)seed);
		}
		snugBody_Destroy(body);
		snugModel_Destroy(model);
	}
	assert_true(lost > (uint64_t)TestCount(2000) / 2); // by plain sums
}

// Signs of normal . x + offset where it cancels.
static void planes_are_exact(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(20000); ++n)
	{
		sceneRandom random = { TestSeed() + (uint64_t)n };
		double normal[3], offset, sum = 0.0;
		float x[3];
		for (int k = 0; k < 3; ++k)
		{
			int scale = (int)sceneRandom_Index(&random, 3) * 20 - 20;
			normal[k] = ldexp(sceneRandom_Range(&random, -1.0, 1.0), scale);
			x[k] = ldexpf((float)sceneRandom_Range(&random, -1.0, 1.0), -scale);
			sum += normal[k] * (double)x[k];
		}
		if (n % 2 == 0) // cancels exactly
		{
			normal[2] = -normal[1];
			x[2] = x[1];
			sum = normal[0] * (double)x[0];
		}
		offset = n % 4 == 1 ? nextafter(-sum, 1.0) : -sum;
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
		{ .kind = snug_shapePlane, .plane = { { 1.0 }, NAN } },
		{ .kind = snug_shapeHalfSpace, .plane = { .normal = { NAN } } },
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
		cmocka_unit_test(lanes_meet_balls_as_one_does),
		cmocka_unit_test(spheres_are_short_capsules),
		cmocka_unit_test(widened_probes_lose_no_box),
		cmocka_unit_test(planes_lose_no_corner_to_rounding),
		cmocka_unit_test(planes_are_exact),
		cmocka_unit_test(bad_shapes_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
