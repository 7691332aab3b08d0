// src/simd/lanes_x86_256.h: what the instruction sets of x86 with eight floats to a register have in common.
#ifndef SG_LANES_X86_256_H
#define SG_LANES_X86_256_H

#include <immintrin.h>

#define SG_FLOATS 8

typedef __m256 fv;
typedef __m128 f4;

static inline fv fv_Set(float a)
{
	return _mm256_set1_ps(a);
}

static inline fv fv_Min(fv a, fv b)
{
	return _mm256_min_ps(a, b);
}

static inline fv fv_Max(fv a, fv b)
{
	return _mm256_max_ps(a, b);
}

static inline fv fv_Abs(fv a)
{
	return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}

static inline fv fv_MulAddLoose(fv a, fv b, fv c)
{
	return _mm256_fmadd_ps(a, b, c);
}

static inline f4 f4_Min(f4 a, f4 b)
{
	return _mm_min_ps(a, b);
}

static inline f4 f4_Max(f4 a, f4 b)
{
	return _mm_max_ps(a, b);
}

static inline f4 fv_Low(fv a)
{
	return _mm256_castps256_ps128(a);
}

static inline f4 fv_High(fv a)
{
	return _mm256_extractf128_ps(a, 1);
}

static inline fv fv_FromHalves(f4 low, f4 high)
{
	return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

static inline fv fv_Pick(const void* eight, const void* lanes)
{
	return _mm256_permutevar8x32_ps(*(const __m256*)eight, *(const __m256i*)lanes);
}

#endif
