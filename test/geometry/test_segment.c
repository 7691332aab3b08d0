// test/geometry/test_segment.c: where a segment first meets a triangle, against rational arithmetic: at random, and
// where everything is on edges, at corners, in one plane, on one line, or at one point.
#include "rational_segment.h"
#include "support.h"

#include "geometry/predicates.h"
#include "geometry/segment.h"

#include <math.h>
#include <string.h>

typedef struct Case
{
	float p[3], q[3], triangle[3][3];
} Case;

// The five points of a case.
static float* PointOf(Case* c, int i)
{
	return i == 0 ? c->p : i == 1 ? c->q : c->triangle[i - 2];
}

static float RandomCoordinate(sceneRandom* random, int kind)
{
	switch (kind)
	{
		case 0: // a coarse grid: coplanar, collinear and equal points abound
			return (float)sceneRandom_Index(random, 4);
		case 1: // a grid far from zero, to the last bit
			return 1024.0f + 0x1p-13f * (float)sceneRandom_Index(random, 5);
		case 2:
			return (float)sceneRandom_Range(random, -1.0, 1.0);
		case 3: // of every size
			return (float)ldexp(sceneRandom_Range(random, -1.0, 1.0), (int)sceneRandom_Index(random, 240) - 130);
		default: // subnormal
			return 0x1p-149f * (float)sceneRandom_Index(random, 4);
	}
}

// Put a point between others: on an edge, in the triangle, at a corner; exactly, or as nearly as float32 has it.
static void Attach(sceneRandom* random, Case* c, int moved)
{
	const float* a = PointOf(c, 2 + (int)sceneRandom_Index(random, 3));
	const float* b = PointOf(c, 2 + (int)sceneRandom_Index(random, 3));
	const float* d = PointOf(c, (int)sceneRandom_Index(random, 5));
	float s = 0.25f * (float)sceneRandom_Index(random, 5), t = 0.25f * (float)sceneRandom_Index(random, 7);
	float made[3];
	for (int k = 0; k < 3; ++k)
	{
		float onEdge = a[k] + s * (b[k] - a[k]);
		made[k] = onEdge + t * (d[k] - onEdge);
		made[k] = isfinite(made[k]) && fabsf(made[k]) <= SNUG_MAX_COORDINATE ? made[k] : a[k];
	}
	memcpy(PointOf(c, moved), made, sizeof(made));
}

static Case RandomCase(sceneRandom* random)
{
	Case c;
	int kind = (int)sceneRandom_Index(random, 5);
	for (int i = 0; i < 5; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			PointOf(&c, i)[k] = RandomCoordinate(random, kind);
		}
	}
	for (uint32_t n = sceneRandom_Index(random, 4); n > 0; --n)
	{
		Attach(random, &c, (int)sceneRandom_Index(random, 5));
	}
	return c;
}

// The point on the triangle and the point on the segment are one but for rounding.
static bool AreOne(const Case* c, const sgSegmentHit* hit)
{
	bool areOne = true;
	for (int k = 0; k < 3; ++k)
	{
		double onSegment = c->p[k] + hit->t * ((double)c->q[k] - c->p[k]), onTriangle = 0.0;
		double size = fmax(fabs((double)c->p[k]), fabs((double)c->q[k]));
		for (int i = 0; i < 3; ++i)
		{
			onTriangle += hit->weights[i] * c->triangle[i][k];
			size = fmax(size, fabs((double)c->triangle[i][k]));
		}
		areOne = areOne && fabs(onSegment - onTriangle) <= 0x1p-30 * size;
	}
	return areOne;
}

static void Check(uint64_t seed, const Case* c, int* hits)
{
	double expected = -1.0;
	bool isHit = RationalSegmentHit(c->p, c->q, c->triangle, &expected);
	sgSegmentHit hit = { .t = -1.0 };
	bool found = sgSegment_Hit(c->p, c->q, c->triangle, &hit);
	if (found != isHit)
	{
		fail_msg("seed %llu: %s", (unsigned long long)seed, isHit ? "missed" : "hit what is not there");
	}
	if (!isHit)
	{
		return;
	}
	++*hits;
	double sum = hit.weights[0] + hit.weights[1] + hit.weights[2];
	bool isGood = fabs(hit.t - expected) <= 0x1p-38 * expected && hit.t <= 1.0 && fabs(sum - 1.0) <= 0x1p-50;
	for (int i = 0; i < 3; ++i)
	{
		isGood = isGood && hit.weights[i] >= 0.0 && hit.weights[i] <= 1.0;
	}
	if (!isGood || !AreOne(c, &hit) || signbit(hit.t))
	{
		fail_msg("seed %llu: t %.17g instead of %.17g, weights %g %g %g", (unsigned long long)seed, hit.t, expected,
		    hit.weights[0], hit.weights[1], hit.weights[2]);
	}
}

static void first_points_are_those_of_rational_arithmetic(void** state)
{
	(void)state;
	int hits = 0, count = TestCount(100000);
	for (int n = 0; n < count; ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		Case c = RandomCase(&random);
		Check(seed, &c, &hits);
	}
	assert_true(hits > count / 10);
}

// Values of determinants against rational signs are test_predicates.c's; here how near they are, where all but a few
// bits cancel: (1 + x) y - y - x y, say, in coordinates of 12 bits.
static void values_of_cancelling_determinants_are_right(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(20000); ++n)
	{
		sceneRandom random = { TestSeed() + (uint64_t)n };
		float p[4][3];
		int64_t i[4][3];
		for (int k = 0; k < 12; ++k)
		{
			i[k / 3][k % 3] = (int64_t)4000000 + (int64_t)sceneRandom_Index(&random, 40);
			p[k / 3][k % 3] = (float)i[k / 3][k % 3];
		}
		int64_t d[3][3];
		for (int k = 0; k < 9; ++k)
		{
			d[k / 3][k % 3] = i[k / 3][k % 3] - i[3][k % 3];
		}
		int64_t det = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
		              d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
		              d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
		assert_true(sgOrient3D_ExactValue(p[0], p[1], p[2], p[3]) == (double)det);
		const sgPlane plane = sgPlane_Make(p[1], p[2], p[3]);
		assert_true(sgPlane_Value(&plane, p[0]) == (double)det);
		int64_t flat = d[0][0] * d[1][1] - d[0][1] * d[1][0];
		assert_true(sgOrient2D_ExactValue(p[0], p[1], p[3], 0, 1) == (double)flat);
		assert_true(sgOrient2D_Value(p[0], p[1], p[3], 0, 1) == (double)flat);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_points_are_those_of_rational_arithmetic),
		cmocka_unit_test(values_of_cancelling_determinants_are_right),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
