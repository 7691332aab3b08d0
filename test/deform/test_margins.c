// test/deform/test_margins.c: what culling adds for rounding. tools/mutate-bounds lowers the margins one by one and
// looks whether these tests fail.
#include "geometry/frame.h"
#include "support.h"

#include <math.h>

// ---- Rounding --------------------------------------------------------------------------------------------------

static void AssertRounded(double value)
{
	float below = sgRoundDown(value), above = sgRoundUp(value);
	bool isBelow = (double)below <= value && (double)nextafterf(below, INFINITY) > value;
	bool isAbove = (double)above >= value && (double)nextafterf(above, -INFINITY) < value;
	if (!isBelow || !isAbove)
	{
		fail_msg("%a lies between %a and %a", value, (double)below, (double)above);
	}
}

// To the nearest float on either side: of any size, of halves, and of what no float can hold.
static void rounding_goes_outwards(void** state)
{
	(void)state;
	static const double few[] = { 0.0, 1.0, 0x1.000001p0, 0x1.fffffefp-127, 0x1p-149, 0x1p-150, 0x1.8p-149, 0x1p-1000,
		0x1.fffffep127, 0x1.ffffffp127, 0x1p128, 1e300 };
	for (size_t i = 0; i < sizeof(few) / sizeof(few[0]); ++i)
	{
		AssertRounded(few[i]);
		AssertRounded(-few[i]);
	}
	assert_true(isinf(sgRoundUp((double)INFINITY)) && isinf(sgRoundDown((double)-INFINITY)));
	sceneRandom random = { TestSeed() };
	for (int i = 0; i < 100000; ++i)
	{
		double value = ldexp(sceneRandom_Range(&random, -1.0, 1.0), (int)sceneRandom_Range(&random, -160.0, 127.0));
		AssertRounded(value);
		AssertRounded((double)(float)value);
	}
}

// ---- Culling ---------------------------------------------------------------------------------------------------

// A multiple of 2^-bits in -2 to 2.
static double Dyadic(sceneRandom* random, int bits)
{
	double range = ldexp(1.0, bits);
	return floor(sceneRandom_Range(random, -2.0 * range, 2.0 * range)) / range;
}

// A body that is one point, and a plane that goes through that point, or less than a rounding beyond. Coordinates and
// normals are short enough for long double to say exactly on which side the point is: at most 64 bits.
static void points_on_planes_are_not_culled(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), culled = 0;
	int total = TestCount(20000);
	for (int i = 0; i < total; ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		sceneMesh mesh = sceneMakeTriangle();
		for (int k = 0; k < 9; ++k)
		{
			mesh.positions[k] = k < 3 ? (float)Dyadic(&random, 21) : mesh.positions[k % 3];
		}
		Thing thing = Thing_Make(mesh, snug_rigid, (snugTreeDef){ 0 }, NULL);
		if (i % 2 == 0)
		{
			snugFrame frame = { .position = { Dyadic(&random, 40), Dyadic(&random, 40), Dyadic(&random, 40) } };
			RandomRotation(&random, frame.rotation);
			assert_int_equal(snugBody_SetFrame(thing.body, &frame), snug_success);
		}
		float placed[9];
		assert_int_equal(snugBody_GetVertices(thing.body, NULL, placed, 0), snug_success);
		snugPlane plane;
		long double value = 0.0L;
		for (int k = 0; k < 3; ++k)
		{
			plane.normal[k] = Dyadic(&random, 38);
			value += (long double)plane.normal[k] * (long double)placed[k];
		}
		plane.normal[0] += plane.normal[0] == 0.0;
		plane.offset = -(double)value;
		for (; value + (long double)plane.offset < 0.0L; plane.offset = nextafter(plane.offset, INFINITY))
		{
		}
		bool isOutside;
		assert_int_equal(snugBody_IsOutside(thing.body, NULL, &plane, 1, &isOutside), snug_success);
		if (isOutside)
		{
			fail_msg("SNUG_SEED=%llu: a point on the plane is culled", (unsigned long long)(seed + (uint64_t)i));
		}
		plane.offset -= 1e-4;
		assert_int_equal(snugBody_IsOutside(thing.body, NULL, &plane, 1, &isOutside), snug_success);
		culled += isOutside;
		Thing_Free(&thing);
	}
	assert_int_equal(culled, total);
}

int main(void)
{
	print_message("instruction set %s\n", snugGetInstructionSet());
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounding_goes_outwards),
		cmocka_unit_test(points_on_planes_are_not_culled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
