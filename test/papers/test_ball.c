// test/papers/test_ball.c: smallest enclosing balls contain their points and are smallest, in degenerate positions
// too.
#include "support.h"

#include "papers/common/ball.h"

#include <math.h>
#include <string.h>

#define MOST 40

typedef struct Points
{
	uint32_t count;
	double at[MOST][3];
} Points;

static void Get(const void* points, uint32_t i, double point[3])
{
	memcpy(point, ((const Points*)points)->at[i], 3 * sizeof(double));
}

static double FarthestFrom(const Points* points, const double center[3])
{
	double most = 0.0;
	for (uint32_t i = 0; i < points->count; ++i)
	{
		double x = points->at[i][0] - center[0], y = points->at[i][1] - center[1], z = points->at[i][2] - center[2];
		most = fmax(most, sqrt(x * x + y * y + z * z));
	}
	return most;
}

// On a grid, so that many lie on one sphere, in one plane, on one line or in one place; at chance; on a circle.
static Points RandomPoints(sceneRandom* random, double size, double offset)
{
	Points points = { .count = 1 + sceneRandom_Index(random, MOST) };
	uint32_t dimensions = 1 + sceneRandom_Index(random, 3), kind = sceneRandom_Index(random, 3);
	for (uint32_t i = 0; i < points.count; ++i)
	{
		double angle = sceneRandom_Range(random, 0.0, 6.28);
		for (uint32_t k = 0; k < 3; ++k)
		{
			double grid = (double)sceneRandom_Index(random, 4) - 1.5, chance = sceneRandom_Range(random, -1.0, 1.0);
			double circle = k == 0 ? cos(angle) : (k == 1 ? sin(angle) : 0.0);
			double value = kind == 0 ? grid : (kind == 1 ? chance : circle);
			points.at[i][k] = offset + (k < dimensions || kind == 2 ? size * value : 0.0);
		}
	}
	return points;
}

// A ball is smallest if its centre is in the convex hull of the points on its surface: then every other centre is
// farther from one of them. That is so if no direction has all of them strictly on its far side; directions are tried
// by a few thousand steps of descent from the centre, which a centre that is not the best could not withstand.
static double BestByDescent(const Points* points, const double start[3])
{
	double center[3] = { start[0], start[1], start[2] }, best = FarthestFrom(points, center);
	for (int step = 1; step <= 3000; ++step)
	{
		uint32_t farthest = 0;
		double most = -1.0;
		for (uint32_t i = 0; i < points->count; ++i)
		{
			double sum = 0.0;
			for (int k = 0; k < 3; ++k)
			{
				sum += (points->at[i][k] - center[k]) * (points->at[i][k] - center[k]);
			}
			farthest = sum > most ? i : farthest;
			most = fmax(most, sum);
		}
		for (int k = 0; k < 3; ++k)
		{
			center[k] += (points->at[farthest][k] - center[k]) / (step + 1);
		}
		best = fmin(best, FarthestFrom(points, center));
	}
	return best;
}

static void balls_contain_and_are_smallest(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(1500); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		double size = ldexp(1.0, (int)sceneRandom_Index(&random, 160) - 80);
		double offset = sceneRandom_Index(&random, 3) == 0 ? 1000.0 * size : 0.0;
		Points points = RandomPoints(&random, size, offset);
		double center[3], radius = sgSmallestBall(Get, &points, points.count, center);
		double farthest = FarthestFrom(&points, center), slack = 1e-8 * radius + 1e-12 * fabs(offset);
		if (!(fabs(farthest - radius) <= slack))
		{
			fail_msg("SNUG_SEED=%llu: a point at %g of radius %g", (unsigned long long)(seed + (uint64_t)i), farthest,
			    radius);
		}
		double mean[3] = { 0.0, 0.0, 0.0 };
		for (uint32_t p = 0; p < points.count; ++p)
		{
			for (int k = 0; k < 3; ++k)
			{
				mean[k] += points.at[p][k] / points.count;
			}
		}
		double other = fmin(BestByDescent(&points, mean), BestByDescent(&points, center));
		if (!(radius <= other + slack))
		{
			fail_msg("SNUG_SEED=%llu: radius %g, but %g is possible", (unsigned long long)(seed + (uint64_t)i), radius,
			    other);
		}
	}
}

static void known_balls(void** state)
{
	(void)state;
	Points points = { .count = 0 };
	double center[3] = { 1.0, 1.0, 1.0 };
	assert_true(sgSmallestBall(Get, &points, 0, center) == 0.0);
	assert_true(center[0] == 0.0 && center[1] == 0.0 && center[2] == 0.0);
	points.count = 2;
	points.at[1][2] = 4.0;
	assert_true(sgSmallestBall(Get, &points, 2, center) == 2.0);
	assert_true(center[2] == 2.0);
	points.count = 8;
	for (uint32_t i = 0; i < 8; ++i)
	{
		for (uint32_t k = 0; k < 3; ++k)
		{
			points.at[i][k] = (i >> k & 1) != 0 ? 1.0 : -1.0;
		}
	}
	assert_true(fabs(sgSmallestBall(Get, &points, 8, center) - sqrt(3.0)) < 1e-12);
}

// What cannot be bounded stays so, whatever comes after it.
static void nan_stays_the_most(void** state)
{
	(void)state;
	assert_true(isnan(sgMost(sgMost(1.0, (double)NAN), 2.0)));
	assert_true(isnan(sgMost((double)NAN, INFINITY)));
	assert_true(sgMost(sgMost(0.0, 3.0), 2.0) == 3.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(balls_contain_and_are_smallest),
		cmocka_unit_test(known_balls),
		cmocka_unit_test(nan_stays_the_most),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
