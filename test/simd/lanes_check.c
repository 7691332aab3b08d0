// test/simd/lanes_check.c: every operation of simd/lanes.h against plain C, lane by lane and bit by bit. Compiled once
// per instruction set, like the kernels; test_simd.c runs those that the machine has.
//
// Would catch a minimum that returns the NaN, or the other zero; a comparison that holds for NaN; an absolute value
// that keeps the sign of a zero; a fused multiply-add where none may be; lanes that change places.
#include "simd/lanes.h"

#include <math.h>
#include <string.h>

/// What plain C makes of three floats; one for each check.
typedef float Expected(float a, float b, float c);

static float Add(float a, float b, float c)
{
	(void)c;
	return a + b;
}

static float Sub(float a, float b, float c)
{
	(void)c;
	return a - b;
}

static float Mul(float a, float b, float c)
{
	(void)c;
	return a * b;
}

static float Div(float a, float b, float c)
{
	(void)c;
	return a / b;
}

static float Min(float a, float b, float c)
{
	(void)c;
	return a < b ? a : b;
}

static float Max(float a, float b, float c)
{
	(void)c;
	return a > b ? a : b;
}

static float Abs(float a, float b, float c)
{
	(void)b;
	(void)c;
	return copysignf(a, 1.0f);
}

static float SelectLess(float a, float b, float c)
{
	return a < b ? b : c;
}

static float SelectLessEqual(float a, float b, float c)
{
	return a <= b ? c : a;
}

static float SelectBoth(float a, float b, float c)
{
	return a < b && b < c ? a : b;
}

static float SelectEither(float a, float b, float c)
{
	return a < b || b < c ? a : b;
}

static float AddProduct(float a, float b, float c)
{
	volatile float product = b * c; // rounds
	return a + product;
}

static float ThroughDouble(float a, float b, float c)
{
	volatile double product = (double)a * (double)b;
	volatile double sum = product + (double)c;
	return (float)sum;
}

static float SelectGreater(float a, float b, float c)
{
	return (double)a > (double)b ? c : a;
}

static float SqrtThroughDouble(float a, float b, float c)
{
	(void)b;
	(void)c;
	volatile double root = sqrt((double)a);
	return (float)root;
}

static float Halves(float a, float b, float c)
{
	(void)b;
	(void)c;
	return a;
}

/// A NaN is a NaN, whatever its bits: arithmetic may change them. Of all else every bit counts.
static bool IsSame(float a, float b, bool isExact)
{
	return memcmp(&a, &b, sizeof(a)) == 0 || (!isExact && isnan(a) && isnan(b));
}

static f8 Evaluate(int which, f8 a, f8 b, f8 c, const char** name, Expected** expected, bool* isExact)
{
#define CASE(number, function, exact, value) \
	case number:                             \
		*name = #function;                   \
		*expected = function;                \
		*isExact = exact;                    \
		return value
	switch (which)
	{
		CASE(0, Add, false, f8_Add(a, b));
		CASE(1, Sub, false, f8_Sub(a, b));
		CASE(2, Mul, false, f8_Mul(a, b));
		CASE(3, Div, false, f8_Div(a, b));
		CASE(4, Min, true, f8_Min(a, b));
		CASE(5, Max, true, f8_Max(a, b));
		CASE(6, Abs, true, f8_Abs(a));
		CASE(7, SelectLess, true, f8_Select(f8_Less(a, b), b, c));
		CASE(8, SelectLessEqual, true, f8_Select(f8_LessEqual(a, b), c, a));
		CASE(9, SelectBoth, true, f8_Select(m8_And(f8_Less(a, b), f8_Less(b, c)), a, b));
		CASE(10, SelectEither, true, f8_Select(m8_Or(f8_Less(a, b), f8_Less(b, c)), a, b));
		CASE(11, AddProduct, false, f8_Add(a, f8_Mul(b, c)));
		CASE(12, ThroughDouble, false, d8_ToFloat(d8_Add(d8_Mul(d8_FromFloat(a), d8_FromFloat(b)), d8_FromFloat(c))));
		CASE(13, SelectGreater, false,
		    d8_ToFloat(d8_SelectGreater(d8_FromFloat(a), d8_FromFloat(b), d8_FromFloat(c), d8_FromFloat(a))));
		CASE(14, Halves, true, f8_FromHalves(f8_Low(a), f8_High(a)));
		CASE(15, SqrtThroughDouble, false, d8_ToFloat(d8_Sqrt(d8_FromFloat(a))));
		default:
			*name = NULL;
			return a;
	}
#undef CASE
}

// Comparisons as bits, points one after the other, transposes, and the reductions of numbers that are none but NaN.
static const char* CheckAcross(const float values[3][SG_LANES])
{
	f8 a = f8_Load(values[0]), b = f8_Load(values[1]), c = f8_Load(values[2]);
	uint32_t less = m8_Bits(f8_Less(a, b)), lessEqual = m8_Bits(f8_LessEqual(a, b));
	uint32_t greater = d8_GreaterBits(d8_FromFloat(a), d8_FromFloat(b));
	const uint32_t SG_ALIGN(32) lanes[SG_LANES] = { 7, 0, 3, 3, 6, 1, 4, 2 };
	float SG_ALIGN(32) picked[SG_LANES];
	float points[3 * SG_LANES + 1], least = INFINITY, most = -INFINITY;
	bool hasNan = false;
	f8_StorePoints(points, a, b, c);
	f8_Store(picked, f8_Pick(values[0], lanes));
	for (int i = 0; i < SG_LANES; ++i)
	{
		if ((less >> i & 1) != (uint32_t)(values[0][i] < values[1][i]) ||
		    (lessEqual >> i & 1) != (uint32_t)(values[0][i] <= values[1][i]) ||
		    (greater >> i & 1) != (uint32_t)(values[0][i] > values[1][i]))
		{
			return "Bits";
		}
		if (!IsSame(picked[i], values[0][lanes[i]], true))
		{
			return "Pick";
		}
		for (int k = 0; k < 3; ++k)
		{
			if (!IsSame(points[3 * i + k], values[k][i], true))
			{
				return "StorePoints";
			}
		}
		hasNan = hasNan || isnan(values[0][i]);
		least = values[0][i] < least ? values[0][i] : least;
		most = values[0][i] > most ? values[0][i] : most;
	}
	if ((less | lessEqual | greater) >> SG_LANES != 0)
	{
		return "Bits";
	}
	// Whichever zero: == does not tell.
	if (!hasNan && (f8_ReduceMin(a) != least || f8_ReduceMax(a) != most))
	{
		return "Reduce";
	}
	return NULL;
}

const char* SG_FOR_ISA(lanesCheck)(const float values[3][SG_LANES], int* lane);

/// What is wrong, and for which lane; null if nothing is.
const char* SG_FOR_ISA(lanesCheck)(const float values[3][SG_LANES], int* lane)
{
	f8 a = f8_Load(values[0]), b = f8_Load(values[1]), c = f8_Load(values[2]);
	const char* name;
	Expected* expected = NULL;
	bool isExact = false;
	for (int which = 0;; ++which)
	{
		float found[SG_LANES] SG_ALIGN(32);
		f8_Store(found, Evaluate(which, a, b, c, &name, &expected, &isExact));
		for (int i = 0; name != NULL && i < SG_LANES; ++i)
		{
			if (!IsSame(found[i], expected(values[0][i], values[1][i], values[2][i]), isExact))
			{
				*lane = i;
				return name;
			}
		}
		if (name == NULL)
		{
			break;
		}
	}
	float loose[SG_LANES] SG_ALIGN(32);
	f8_Store(loose, f8_MulAddLoose(a, b, c));
	for (int i = 0; i < SG_LANES; ++i)
	{
		volatile float product = values[0][i] * values[1][i];
		float once = fmaf(values[0][i], values[1][i], values[2][i]), twice = product + values[2][i];
		if (!IsSame(loose[i], once, false) && !IsSame(loose[i], twice, false))
		{
			*lane = i;
			return "MulAddLoose";
		}
	}
	*lane = 0;
	return CheckAcross(values);
}
