// src/simd/lanes_avx512.h: registers of 256 bits for floats, since everything comes in eights, with masks of their own;
// of 512 bits for doubles and for matrices.
#ifndef SG_LANES_AVX512_H
#define SG_LANES_AVX512_H

#include "simd/lanes_x86_256.h"

#define SG_DOUBLES 8

typedef __m512d dv;
typedef __mmask8 mv;

static inline dv dv_Set(double a)
{
	return _mm512_set1_pd(a);
}

static inline mv fv_Less(fv a, fv b)
{
	return _mm256_cmp_ps_mask(a, b, _CMP_LT_OQ);
}

static inline mv fv_LessEqual(fv a, fv b)
{
	return _mm256_cmp_ps_mask(a, b, _CMP_LE_OQ);
}

static inline mv mv_And(mv a, mv b)
{
	return (mv)(a & b);
}

static inline mv mv_Or(mv a, mv b)
{
	return (mv)(a | b);
}

static inline fv fv_Select(mv which, fv yes, fv no)
{
	return _mm256_mask_blend_ps(which, no, yes);
}

static inline uint32_t mv_Bits(mv a)
{
	return a;
}

static inline dv dv_SelectGreater(dv a, dv b, dv yes, dv no)
{
	return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(a, b, _CMP_GT_OQ), no, yes);
}

static inline uint32_t dv_GreaterBits(dv a, dv b)
{
	return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ);
}

static inline dv dv_Sqrt(dv a)
{
	return _mm512_sqrt_pd(a);
}

static inline void fv_ToDoubles(fv a, dv out[1])
{
	out[0] = _mm512_cvtps_pd(a);
}

static inline fv fv_FromDoubles(const dv in[1])
{
	return _mm512_cvtpd_ps(in[0]);
}

/// A whole matrix to a register: see lanes.h.
#define SG_HAS_F16 1

typedef __m512 f16;

static inline f16 f16_Load(const float* p)
{
	return _mm512_load_ps(p);
}

static inline f16 f16_Zero(void)
{
	return _mm512_setzero_ps();
}

static inline f16 f16_AddScaled(f16 sum, float scale, f16 a)
{
	return sum + _mm512_set1_ps(scale) * a;
}

static inline fv f16_LowPart(f16 a)
{
	return _mm512_castps512_ps256(a);
}

static inline fv f16_HighPart(f16 a)
{
	return _mm512_extractf32x8_ps(a, 1);
}

#endif
