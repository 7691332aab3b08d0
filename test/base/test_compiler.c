// test/base/test_compiler.c: the compiler rounds where the source says so. Compiled with the library's own options.
//
// Would catch fused multiply-adds, excess precision, and gcc 12, which leaves out the rounding of (double)(float)x
// where it vectorises two of them at once: see packaging/cmake/CompileOptions.cmake.
#include "support.h"

#include "base/base.h"

// A third is not a float; neither compiler nor linker knows what is in here.
static volatile double third = 1.0 / 3.0;

static SG_NOINLINE void RoundPair(const double in[2], float rounded[2], double out[2])
{
	rounded[0] = (float)in[0];
	rounded[1] = (float)in[1];
	out[0] = (double)rounded[0];
	out[1] = (double)rounded[1];
}

static SG_NOINLINE void RoundMany(const double* in, double* out, int count)
{
	for (int i = 0; i < count; ++i)
	{
		out[i] = (double)(float)in[i];
	}
}

static SG_NOINLINE void SubtractRounded(const float* a, const float* b, const float* rounded, float* out, int count)
{
	for (int i = 0; i < count; ++i)
	{
		out[i] = a[i] * b[i] - rounded[i];
	}
}

static void conversions_round(void** state)
{
	(void)state;
	double in[9], out[9];
	float rounded[2];
	for (int i = 0; i < 9; ++i)
	{
		in[i] = third * (i + 1);
	}
	RoundPair(in, rounded, out);
	for (int i = 0; i < 2; ++i)
	{
		volatile float expected = (float)in[i];
		assert_true(rounded[i] == expected && out[i] == (double)expected);
	}
	RoundMany(in, out, 9);
	for (int i = 0; i < 9; ++i)
	{
		volatile float expected = (float)in[i];
		assert_true(out[i] == (double)expected);
	}
}

// A fused multiply-add would leave what rounding took from the product.
static void products_round(void** state)
{
	(void)state;
	float a[9], b[9], rounded[9], out[9];
	for (int i = 0; i < 9; ++i)
	{
		a[i] = (float)(third * (i + 1));
		b[i] = (float)(third * (i + 2));
		volatile float product = a[i] * b[i];
		rounded[i] = product;
	}
	SubtractRounded(a, b, rounded, out, 9);
	for (int i = 0; i < 9; ++i)
	{
		assert_true(out[i] == 0.0f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conversions_round),
		cmocka_unit_test(products_round),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
