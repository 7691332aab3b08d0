// src/simd/lanes_avx2.h: eight lanes to a register, with fused multiply-add.
#ifndef SG_LANES_AVX2_H
#define SG_LANES_AVX2_H

#include "simd/lanes_x86_256.h"

#define SG_DOUBLES 4

typedef __m256d dv;
typedef __m256 mv; // all ones or zero

static inline dv dv_Set(double a)
{
	return _mm256_set1_pd(a);
}

static inline mv fv_Less(fv a, fv b)
{
	return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}

static inline mv fv_LessEqual(fv a, fv b)
{
	return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
}

static inline mv mv_And(mv a, mv b)
{
	return _mm256_and_ps(a, b);
}

static inline mv mv_Or(mv a, mv b)
{
	return _mm256_or_ps(a, b);
}

static inline fv fv_Select(mv which, fv yes, fv no)
{
	return _mm256_blendv_ps(no, yes, which);
}

static inline uint32_t mv_Bits(mv a)
{
	return (uint32_t)_mm256_movemask_ps(a);
}

static inline dv dv_SelectGreater(dv a, dv b, dv yes, dv no)
{
	return _mm256_blendv_pd(no, yes, _mm256_cmp_pd(a, b, _CMP_GT_OQ));
}

static inline uint32_t dv_GreaterBits(dv a, dv b)
{
	return (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GT_OQ));
}

static inline dv dv_Sqrt(dv a)
{
	return _mm256_sqrt_pd(a);
}

static inline void fv_ToDoubles(fv a, dv out[2])
{
	out[0] = _mm256_cvtps_pd(_mm256_castps256_ps128(a));
	out[1] = _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1));
}

static inline fv fv_FromDoubles(const dv in[2])
{
	return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(in[0])), _mm256_cvtpd_ps(in[1]), 1);
}

#endif
