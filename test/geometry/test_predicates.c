// test/geometry/test_predicates.c: the predicates against rational arithmetic, where rounding would show.

#include "geometry/predicates.h"
#include "rational.h"
#include "support.h"

#include <string.h>

// --- Points ---------------------------------------------------------------------------------------------------------

static void Uniform(sceneRandom* random, float p[4][3])
{
	for (int i = 0; i < 12; ++i)
	{
		p[i / 3][i % 3] = RandomFloat(random, -1, 1);
	}
}

// Few values, so that many determinants are exactly zero.
static void Grid(sceneRandom* random, float p[4][3])
{
	for (int i = 0; i < 12; ++i)
	{
		p[i / 3][i % 3] = (float)sceneRandom_Int(random, -2, 2) * 0.1f;
	}
}

// The fourth point in the plane of the others, but for rounding and a few floats' breadth. This is where a filter
// that promises too much gives itself away.
static void NearPlane(sceneRandom* random, float p[4][3])
{
	Uniform(random, p);
	const float offset = sceneRandom_Int(random, 0, 1) ? 0 : RandomFloat(random, -1000, 1000);
	const float f = RandomFloat(random, -2, 2), g = RandomFloat(random, -2, 2);
	for (int k = 0; k < 3; ++k)
	{
		p[0][k] += offset;
		p[3][k] = p[0][k] + f * (p[1][k] - p[0][k]) + g * (p[2][k] - p[0][k]);
		p[3][k] = RandomNudge(random, p[3][k], 2);
	}
}

// Three points on a line but for rounding: in their plane everything is nearly zero.
static void NearLine(sceneRandom* random, float p[4][3])
{
	Uniform(random, p);
	const float f = RandomFloat(random, -2, 2);
	for (int k = 0; k < 3; ++k)
	{
		p[2][k] = RandomNudge(random, p[0][k] + f * (p[1][k] - p[0][k]), 1);
	}
}

// Every finite bit pattern: exponent gaps that no double difference can hold, subnormals, both zeros.
static void AnyBits(sceneRandom* random, float p[4][3])
{
	for (int i = 0; i < 12; ++i)
	{
		uint32_t bits = (uint32_t)sceneRandom_Next(random);
		bits &= (bits & 0x7f800000) == 0x7f800000 ? 0xbfffffff : 0xffffffff;
		memcpy(&p[i / 3][i % 3], &bits, sizeof(float));
	}
}

static void Subnormal(sceneRandom* random, float p[4][3])
{
	for (int i = 0; i < 12; ++i)
	{
		p[i / 3][i % 3] = (float)sceneRandom_Int(random, -4, 4) * 0x1p-149f;
	}
}

// A grid of coordinates from the ends of the range.
static void Extremes(sceneRandom* random, float p[4][3])
{
	static const float values[] = { 0, 1, -1, FLT_MAX, -FLT_MAX, 0x1p-149f, -0x1p-149f, FLT_MIN, 1e38f, -1e38f,
		1e-38f };
	for (int i = 0; i < 12; ++i)
	{
		p[i / 3][i % 3] = values[sceneRandom_Int(random, 0, (int)(sizeof(values) / sizeof(values[0])) - 1)];
	}
}

// Two huge points that agree but for one step, and small ones: the smallest term decides.
static void Gap(sceneRandom* random, float p[4][3])
{
	NearPlane(random, p);
	const float scale = ldexpf(1, sceneRandom_Int(random, -100, 100));
	for (int k = 0; k < 3; ++k)
	{
		p[1][k] *= scale;
		p[2][k] = sceneRandom_Int(random, 0, 2) ? p[1][k] : RandomNudge(random, p[1][k], 1);
	}
}

// Multiples of one vector, and a point so near the origin that differences from it need more bits than a double has.
// In the plane nothing else makes the filter err: differences of like floats have 25 bits, their products are exact.
static void NearOrigin(sceneRandom* random, float p[4][3])
{
	const int near = sceneRandom_Int(random, 0, 3);
	float factor[4];
	for (int i = 0; i < 4; ++i)
	{
		factor[i] = (float)sceneRandom_Int(random, 1, 4095) * 0x1p-11f;
	}
	for (int k = 0; k < 3; ++k)
	{
		const float direction = (float)sceneRandom_Int(random, -2048, 2048) * 0x1p-11f;
		for (int i = 0; i < 4; ++i)
		{
			const float noise = RandomFloat(random, -1, 1) * ldexpf(1, sceneRandom_Int(random, -60, -48));
			p[i][k] = i == near ? noise : factor[i] * direction; // exact: 12 bits by 12
		}
	}
}

typedef struct Family
{
	const char* name;
	void (*make)(sceneRandom* random, float p[4][3]);
	int count;
} Family;

static const Family families[] = {
	{ "uniform", Uniform, 30000 },
	{ "grid", Grid, 30000 },
	{ "near plane", NearPlane, 60000 },
	{ "near line", NearLine, 30000 },
	{ "any bits", AnyBits, 60000 },
	{ "subnormal", Subnormal, 30000 },
	{ "near origin", NearOrigin, 60000 },
	{ "extremes", Extremes, 60000 },
	{ "gap", Gap, 60000 },
};

enum
{
	familyCount = sizeof(families) / sizeof(families[0])
};

static void Fail(const char* what, const Family* family, int number, const float p[4][3], int expected, int found)
{
	print_message("SNUG_SEED=%llu, %s, case %d of '%s': expected %d, found %d\n", (unsigned long long)TestSeed(), what,
	    number, family->name, expected, found);
	for (int i = 0; i < 4; ++i)
	{
		print_message("  %a %a %a\n", (double)p[i][0], (double)p[i][1], (double)p[i][2]);
	}
	fail();
}

static void CheckEqual(const char* what, const Family* family, int number, const float p[4][3], int expected, int found)
{
	if (expected != found)
	{
		Fail(what, family, number, p, expected, found);
	}
}

static void ForEachCase(void (*check)(const Family* family, int number, const float p[4][3]), int divisor)
{
	for (int f = 0; f < familyCount; ++f)
	{
		const int count = TestCount(families[f].count / divisor);
		for (int i = 0; i < count; ++i)
		{
			sceneRandom random = { TestSeed() * 1000003u + (uint64_t)f * 0x100000000u + (uint64_t)i };
			float p[4][3];
			families[f].make(&random, p);
			check(&families[f], i, p);
		}
	}
}

// --- Tests ----------------------------------------------------------------------------------------------------------

static void CheckOrient3D(const Family* family, int number, const float p[4][3])
{
	const int expected = RationalOrient3D(p[0], p[1], p[2], p[3]);
	CheckEqual("orient3d", family, number, p, expected, sgOrient3D(p[0], p[1], p[2], p[3]));
	// The exact half must be right where the filter would decide, too: another order of the points may ask for it.
	CheckEqual("orient3d, exact", family, number, p, expected, sgOrient3D_Exact(p[0], p[1], p[2], p[3]));
}

static void orient3d_matches_rationals(void** state)
{
	(void)state;
	ForEachCase(CheckOrient3D, 1);
}

static void CheckOrient2D(const Family* family, int number, const float p[4][3])
{
	for (int axis = 0; axis < 3; ++axis)
	{
		const int u = (axis + 1) % 3, v = (axis + 2) % 3;
		const float a[2] = { p[0][u], p[0][v] }, b[2] = { p[1][u], p[1][v] }, c[2] = { p[2][u], p[2][v] };
		const int expected = RationalOrient2D(a, b, c);
		CheckEqual("orient2d", family, number, p, expected, sgOrient2D_Axes(a, b, c, 0, 1));
		CheckEqual("orient2d, exact", family, number, p, expected, sgOrient2D_Exact(a, b, c, 0, 1));
		CheckEqual("orient2d, axes", family, number, p, expected, sgOrient2D_Axes(p[0], p[1], p[2], u, v));
	}
}

static void orient2d_matches_rationals(void** state)
{
	(void)state;
	ForEachCase(CheckOrient2D, 2);
}

// Each of the 24 orders rounds differently in the filter, so a bound that is too small breaks the alternation.
static void CheckAlternation(const Family* family, int number, const float p[4][3])
{
	const int expected = sgOrient3D(p[0], p[1], p[2], p[3]);
	for (int order = 0; order < 256; ++order)
	{
		const int i = order & 3, j = order >> 2 & 3, k = order >> 4 & 3, l = order >> 6;
		const bool repeated = i == j || i == k || i == l || j == k || j == l || k == l;
		const int inversions = (i > j) + (i > k) + (i > l) + (j > k) + (j > l) + (k > l);
		const int sign = repeated ? 0 : inversions % 2 ? -expected : expected;
		CheckEqual("alternation", family, number, p, sign, sgOrient3D(p[i], p[j], p[k], p[l]));
	}
}

static void orient3d_alternates(void** state)
{
	(void)state;
	ForEachCase(CheckAlternation, 10);
}

// The filter must decide generic points, or the library is correct and slow.
static void filters_decide_generic_points(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	const int count = TestCount(1000000);
	int unsure3D = 0, unsure2D = 0;
	for (int i = 0; i < count; ++i)
	{
		float p[4][3];
		Uniform(&random, p);
		const sgPlane plane = sgPlane_Make(p[1], p[2], p[3]);
		unsure3D += sgPlane_Filter(&plane, p[0]) == sg_unsure;
		unsure2D += sgOrient2D_Filter(p[0], p[1], p[2], 0, 1) == sg_unsure;
	}
	assert_in_range(unsure3D, 0, count / 100000);
	assert_in_range(unsure2D, 0, count / 100000);
}

// A float beside the plane is 2^-24 away from it, far above the bound of 2^-50 or so: a sloppy bound would leave those.
static void filter_decides_one_float_beside_plane(void** state)
{
	(void)state;
	const int count = TestCount(300000);
	int unsure = 0;
	for (int i = 0; i < count; ++i)
	{
		sceneRandom random = { TestSeed() * 1000003u + (uint64_t)i };
		float p[4][3];
		NearPlane(&random, p);
		const sgPlane plane = sgPlane_Make(p[1], p[2], p[3]);
		unsure += sgPlane_Filter(&plane, p[0]) == sg_unsure && sgOrient3D_Exact(p[0], p[1], p[2], p[3]) != 0;
	}
	assert_in_range(unsure, 0, count / 10000);
}

// Without the exact half: what neighbours in a mesh and axis-aligned faces ask for all the time.
static void filters_decide_plain_zeros(void** state)
{
	(void)state;
	const float d[3] = { 0.1f, 0.2f, 0.3f }, b[3] = { 0.7f, 0.2f, 0.9f }, c[3] = { 0.4f, 0.2f, 0.5f };
	const float a[3] = { 12.3f, 0.2f, 1e-7f };
	const sgPlane plane = sgPlane_Make(b, c, d);
	assert_int_equal(sgPlane_Filter(&plane, a), 0); // all have y = 0.2f
	assert_int_equal(sgPlane_Filter(&plane, d), 0);
	assert_int_equal(sgOrient2D_Filter(a, b, d, 0, 1), 0);
	assert_int_equal(sgOrient2D_Filter(d, b, d, 0, 2), 0);
}

// Where the filter answers it must be right, also in cases that no other test reaches through it.
static void CheckFilter(const Family* family, int number, const float p[4][3])
{
	const sgPlane plane = sgPlane_Make(p[1], p[2], p[3]);
	const int filtered = sgPlane_Filter(&plane, p[0]);
	if (filtered != sg_unsure)
	{
		CheckEqual("filter", family, number, p, sgOrient3D_Exact(p[0], p[1], p[2], p[3]), filtered);
	}
}

static void filter_is_never_wrong(void** state)
{
	(void)state;
	ForEachCase(CheckFilter, 1);
}

static void known_signs(void** state)
{
	(void)state;
	const float o[3] = { 0, 0, 0 }, x[3] = { 1, 0, 0 }, y[3] = { 0, 1, 0 }, z[3] = { 0, 0, 1 };
	assert_int_equal(sgOrient3D(x, y, z, o), 1);
	assert_int_equal(sgOrient3D(y, x, z, o), -1);
	assert_int_equal(sgOrient2D_Axes(x, y, o, 0, 1), 1);
	assert_int_equal(sgOrient2D_Axes(y, x, o, 0, 1), -1);

	// 1e38 + 1e-45 is not a double: the last coordinate of the last point alone decides.
	const float far1[3] = { 1e38f, 0, 0 }, far2[3] = { 0, 1e38f, 0 };
	const float up[3] = { 1, 1, 0x1p-149f }, level[3] = { 1, 1, 0 }, down[3] = { 1, 1, -0x1p-149f };
	assert_int_equal(sgOrient3D(far1, far2, up, o), 1);
	assert_int_equal(sgOrient3D(far1, far2, level, o), 0);
	assert_int_equal(sgOrient3D(far1, far2, down, o), -1);

	// (1 + 2^-23)^2 = 1 + 2^-22 + 2^-46: on the curve of the product, but for the smallest bit.
	const float p[2] = { 1 + 0x1p-23f, 1 + 0x1p-22f }, q[2] = { 1, 1 + 0x1p-23f }, origin[2] = { 0, 0 };
	assert_int_equal(sgOrient2D_Axes(p, q, origin, 0, 1), 1);
	assert_int_equal(sgOrient2D_Axes(q, p, origin, 0, 1), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_signs),
		cmocka_unit_test(orient3d_matches_rationals),
		cmocka_unit_test(orient2d_matches_rationals),
		cmocka_unit_test(orient3d_alternates),
		cmocka_unit_test(filter_is_never_wrong),
		cmocka_unit_test(filters_decide_generic_points),
		cmocka_unit_test(filter_decides_one_float_beside_plane),
		cmocka_unit_test(filters_decide_plain_zeros),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
