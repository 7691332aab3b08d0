// test/geometry/test_distance.c: distances of triangles and points, against rational arithmetic: at random, of slivers,
// nearly parallel edges, nearly touching, on grids.
#include "rational.h"
#include "rational_distance.h"
#include "support.h"

#include "geometry/distance.h"
#include "lab/truth/exact.h"

#include <math.h>
#include <string.h>

static double Extent(const float points[6][3])
{
	double extent = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double low = points[0][k], high = points[0][k];
		for (int i = 1; i < 6; ++i)
		{
			low = fmin(low, (double)points[i][k]);
			high = fmax(high, (double)points[i][k]);
		}
		extent = fmax(extent, high - low);
	}
	return extent;
}

// One point for the first triangle if `isPoint`.
static void Draw(sceneRandom* random, float points[6][3])
{
	int kind = sceneRandom_Int(random, 0, 5);
	float scale = ldexpf(1.0f, sceneRandom_Int(random, -20, 20)),
	      far = sceneRandom_Int(random, 0, 1) == 0 ? 0.0f : 8.0f * scale;
	for (int i = 0; i < 18; ++i)
	{
		float x = kind == 0 ? (float)sceneRandom_Int(random, 0, 3) : RandomFloat(random, -1.0f, 1.0f);
		// Slivers, flat pairs, and edges that are nearly parallel.
		x = kind == 2 && i % 3 == 1 ? x * 0x1p-20f : x;
		x = kind == 3 && i % 3 != 0 ? x * 0x1p-16f : x;
		x = kind == 4 && i % 3 == 2 ? (i < 9 ? x * 0x1p-22f : 1.0f + x * 0x1p-22f) : x;
		points[i / 3][i % 3] = far + x * scale;
	}
	if (kind == 5) // the second near the first
	{
		for (int k = 0; k < 3; ++k)
		{
			points[3][k] = RandomNudge(random, 0.5f * (points[0][k] + points[1][k]), 3);
			points[4][k] = sceneRandom_Int(random, 0, 1) == 0 ? points[4][k] : RandomNudge(random, points[3][k], 5);
		}
	}
}

// The points attain the distance, and the distance is right.
static bool IsGood(const sgNearest* nearest, double exact2, double tolerance)
{
	double between = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		between += (nearest->a[k] - nearest->b[k]) * (nearest->a[k] - nearest->b[k]);
	}
	double found = sqrt(nearest->distance2), exact = sqrt(exact2);
	return fabs(found - exact) <= tolerance && fabs(sqrt(between) - exact) <= tolerance;
}

static void distances_are_those_of_rational_arithmetic(void** state)
{
	(void)state;
	int apart = 0, count = TestCount(4000);
	double worst = 0.0;
	for (int n = 0; n < count; ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed * 7919 };
		float points[6][3];
		Draw(&random, points);
		const float(*a)[3] = (const float(*)[3])points, (*b)[3] = (const float(*)[3])(points + 3);
		if (exactIntersect(a, b))
		{
			continue;
		}
		++apart;
		double exact2 = RationalDistance2(a, b), extent = Extent((const float(*)[3])points);
		sgNearest nearest;
		sgTriangles_Nearest(a, b, &nearest);
		worst = fmax(worst, fabs(sqrt(nearest.distance2) - sqrt(exact2)) / extent);
		// Points may be far from zero, where they are rounded more than their distance is.
		double size = 0.0;
		for (int i = 0; i < 18; ++i)
		{
			size = fmax(size, fabs((double)points[i / 3][i % 3]));
		}
		if (!IsGood(&nearest, exact2, 0x1p-38 * extent + 0x1p-50 * size))
		{
			fail_msg("seed %llu: distance %.17g instead of %.17g, extent %g", (unsigned long long)seed,
			    sqrt(nearest.distance2), sqrt(exact2), extent);
		}
		const float point[3][3] = { { a[0][0], a[0][1], a[0][2] }, { a[0][0], a[0][1], a[0][2] },
			{ a[0][0], a[0][1], a[0][2] } };
		exact2 = RationalDistance2(point, b);
		sgPoint_ToTriangle(a[0], b, &nearest);
		if (!IsGood(&nearest, exact2, 0x1p-38 * extent + 0x1p-50 * size))
		{
			fail_msg("seed %llu: of a point, %.17g instead of %.17g, extent %g", (unsigned long long)seed,
			    sqrt(nearest.distance2), sqrt(exact2), extent);
		}
	}
	assert_true(apart > count / 4);
	print_message("worst error 2^%.1f of the extent\n", log2(worst));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances_are_those_of_rational_arithmetic),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
