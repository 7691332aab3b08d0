// src/simd/lanes_sse2.h: x86-64 as every machine has it, four lanes to a register.
#ifndef SG_LANES_SSE2_H
#define SG_LANES_SSE2_H

#include <emmintrin.h>

#define SG_FLOATS 4
#define SG_DOUBLES 2

typedef __m128 fv;
typedef __m128d dv;
typedef __m128 mv; // all ones or zero

static inline fv fv_Set(float a)
{
	return _mm_set1_ps(a);
}

static inline dv dv_Set(double a)
{
	return _mm_set1_pd(a);
}

static inline fv fv_Min(fv a, fv b)
{
	return _mm_min_ps(a, b);
}

static inline fv fv_Max(fv a, fv b)
{
	return _mm_max_ps(a, b);
}

static inline fv fv_Abs(fv a)
{
	return _mm_andnot_ps(_mm_set1_ps(-0.0f), a);
}

static inline fv fv_MulAddLoose(fv a, fv b, fv c)
{
	return a * b + c;
}

static inline mv fv_Less(fv a, fv b)
{
	return _mm_cmplt_ps(a, b);
}

static inline mv fv_LessEqual(fv a, fv b)
{
	return _mm_cmple_ps(a, b);
}

static inline mv mv_And(mv a, mv b)
{
	return _mm_and_ps(a, b);
}

static inline mv mv_Or(mv a, mv b)
{
	return _mm_or_ps(a, b);
}

static inline fv fv_Select(mv which, fv yes, fv no)
{
	return _mm_or_ps(_mm_and_ps(which, yes), _mm_andnot_ps(which, no));
}

static inline uint32_t mv_Bits(mv a)
{
	return (uint32_t)_mm_movemask_ps(a);
}

static inline dv dv_SelectGreater(dv a, dv b, dv yes, dv no)
{
	dv which = _mm_cmpgt_pd(a, b);
	return _mm_or_pd(_mm_and_pd(which, yes), _mm_andnot_pd(which, no));
}

static inline uint32_t dv_GreaterBits(dv a, dv b)
{
	return (uint32_t)_mm_movemask_pd(_mm_cmpgt_pd(a, b));
}

static inline dv dv_Sqrt(dv a)
{
	return _mm_sqrt_pd(a);
}

static inline void fv_ToDoubles(fv a, dv out[2])
{
	out[0] = _mm_cvtps_pd(a);
	out[1] = _mm_cvtps_pd(_mm_movehl_ps(a, a));
}

static inline fv fv_FromDoubles(const dv in[2])
{
	return _mm_movelh_ps(_mm_cvtpd_ps(in[0]), _mm_cvtpd_ps(in[1]));
}

#endif
