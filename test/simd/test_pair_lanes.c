// test/simd/test_pair_lanes.c: eight pairs of triangles at a time in float32, against the exact test: what is certain
// is right, on every instruction set, and little is left unsure.
#include "support.h"

#include "geometry/triangle.h"
#include "tree/leaf_kernels.h"

#include <math.h>
#include <string.h>

typedef enum PairKind
{
	pair_random,  // in a cube
	pair_grid,    // small integers: touching, coplanar, without area
	pair_near,    // the second is nearly in the plane of the first, or ends nearly on its edges
	pair_slivers, // long and thin
	pair_far,     // far from zero
	pair_flat,    // in a flat box, so that the error is small
	PAIR_KINDS
} PairKind;

static float Draw(sceneRandom* random, PairKind kind, int axis)
{
	double value = sceneRandom_Range(random, -1.0, 1.0);
	switch (kind)
	{
		case pair_grid:
			return (float)((int)(sceneRandom_Next(random) % 5) - 2);
		case pair_slivers:
			return (float)(axis == 0 ? 100.0 * value : 0.01 * value);
		case pair_far:
			return (float)(1000.0 + value);
		case pair_flat:
			return (float)(axis == 2 ? 1e-3 * value : value);
		default:
			return (float)value;
	}
}

// A corner of the second on a point of the first's plane, edge or corner, up to a rounding or a few.
static void MoveNear(sceneRandom* random, float a[3][3], float b[3][3])
{
	double u = sceneRandom_Range(random, -0.5, 1.5), v = sceneRandom_Range(random, -0.5, 1.5 - u);
	u = sceneRandom_Next(random) % 3 == 0 ? 0.0 : u;
	v = sceneRandom_Next(random) % 3 == 0 ? 1.0 - u : v;
	int corner = (int)(sceneRandom_Next(random) % 3);
	for (int k = 0; k < 3; ++k)
	{
		double x = (double)a[0][k], p = x + u * ((double)a[1][k] - x) + v * ((double)a[2][k] - x);
		b[corner][k] =
		    (float)(p + 1e-7 * (double)(sceneRandom_Next(random) % 5) * sceneRandom_Range(random, -1.0, 1.0));
	}
}

static void DrawPair(sceneRandom* random, PairKind kind, float a[3][3], float b[3][3])
{
	float scale = ldexpf(1.0f, (int)(sceneRandom_Next(random) % 5) * 10 - 20);
	for (int i = 0; i < 9; ++i)
	{
		a[i / 3][i % 3] = Draw(random, kind, i % 3);
		b[i / 3][i % 3] = Draw(random, kind, i % 3);
	}
	if (kind == pair_near)
	{
		MoveNear(random, a, b);
	}
	for (int i = 0; i < 9; ++i)
	{
		a[i / 3][i % 3] *= scale;
		b[i / 3][i % 3] *= scale;
	}
}

static void FillLanes(
    sceneRandom* random, PairKind kind, uint32_t atCorner, sgPairLanes* lanes, float pairs[SG_LANES][2][3][3])
{
	for (int lane = 0; lane < SG_LANES; ++lane)
	{
		DrawPair(random, kind, pairs[lane][0], pairs[lane][1]);
		if ((atCorner >> lane & 1) != 0)
		{
			memcpy(pairs[lane][1][0], pairs[lane][0][0], sizeof(pairs[lane][0][0]));
		}
		for (int i = 0; i < 9; ++i)
		{
			lanes->a[i / 3][i % 3][lane] = pairs[lane][0][i / 3][i % 3];
			lanes->b[i / 3][i % 3][lane] = pairs[lane][1][i / 3][i % 3];
		}
	}
}

static void what_is_certain_is_right(void** state)
{
	(void)state;
	uint64_t unsure[PAIR_KINDS] = { 0 }, meet[PAIR_KINDS] = { 0 }, count = (uint64_t)TestCount(8000);
	sceneRandom random = { TestSeed() };
	for (uint64_t n = 0; n < count * PAIR_KINDS; ++n)
	{
		PairKind kind = (PairKind)(n % PAIR_KINDS);
		sgPairLanes lanes;
		float pairs[SG_LANES][2][3][3];
		// None share a corner, or all do, or some.
		const uint32_t some = n % 7 < 3 ? 0 : n % 7 < 5 ? 0xff : (uint32_t)sceneRandom_Next(&random) & 0xff;
		FillLanes(&random, kind, some, &lanes, pairs);
		uint32_t expected = 0;
		for (int lane = 0; lane < SG_LANES; ++lane)
		{
			bool meets = sgTriangles_IntersectBeyond(
			    (const float(*)[3])pairs[lane][0], (const float(*)[3])pairs[lane][1], some >> lane & 1);
			expected |= (uint32_t)meets << lane;
		}
		meet[kind] += (uint32_t)__builtin_popcount(expected);
		uint32_t unsureOfFirst = 0, foundByFirst = 0;
		for (int k = 0; sgFindKernels(k) != NULL; ++k)
		{
			uint32_t left, found = sgFindKernels(k)->leaves->decidePairs(&lanes, some, &left);
			assert_int_equal(found & left, 0);
			if (((found ^ expected) & ~left) != 0)
			{
				fail_msg("%s: kind %d, number %llu: found %x, expected %x, unsure %x", sgFindKernels(k)->name,
				    (int)kind, (unsigned long long)n, found, expected, left);
			}
			unsureOfFirst = k == 0 ? left : unsureOfFirst;
			foundByFirst = k == 0 ? found : foundByFirst;
			assert_true(left == unsureOfFirst && found == foundByFirst);
		}
		unsure[kind] += (uint32_t)__builtin_popcount(unsureOfFirst);
	}
	for (int kind = 0; kind < PAIR_KINDS; ++kind)
	{
		assert_true(meet[kind] > 0);
	}
	assert_true((double)unsure[pair_random] < 1e-3 * SG_LANES * (double)count);
	assert_true((double)unsure[pair_far] < 1e-2 * SG_LANES * (double)count);
	assert_true(unsure[pair_near] > 0 && unsure[pair_grid] > 0);
}

// Extents that overflow on the way, and coordinates that are not numbers, decide nothing.
static void without_bounds_nothing_is_certain(void** state)
{
	(void)state;
	static const float corners[3][3] = { { 0.0f, 0.0f, 0.0f }, { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f } };
	static const float scales[] = { 0x1p-45f, 0x1p100f, INFINITY, NAN };
	for (size_t i = 0; i < LENGTH_OF(scales); ++i)
	{
		sgPairLanes lanes;
		for (int j = 0; j < 9 * SG_LANES; ++j)
		{
			lanes.a[j / 24][j / 8 % 3][j % 8] = corners[j / 24][j / 8 % 3] * scales[i];
			lanes.b[j / 24][j / 8 % 3][j % 8] = corners[j / 24][(j / 8 + 1) % 3] * scales[i];
		}
		for (int k = 0; sgFindKernels(k) != NULL; ++k)
		{
			uint32_t left;
			assert_int_equal(sgFindKernels(k)->leaves->decidePairs(&lanes, 0x55, &left), 0);
			assert_int_equal(left, 0xff);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_certain_is_right),
		cmocka_unit_test(without_bounds_nothing_is_certain),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
