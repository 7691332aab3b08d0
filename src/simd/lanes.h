// src/simd/lanes.h: eight lanes of float and of double, one implementation per instruction set.
//
// A kernel file includes this once, with exactly one of SNUG_ISA_SCALAR, _SSE2, _AVX2, _AVX512 defined as 1. Stored
// data always has 8 lanes, whatever the registers hold. Every operation rounds each lane exactly as the scalar version
// does (no fused multiply-add, no reassociation), so what is evaluated through this file is bit-identical everywhere.
//
//   f8  eight floats        d8  eight doubles        m8  eight truth values        f4  half of an f8, f16 two of them
//
// f8_MulAddLoose may round once or twice: for bounds, which allow for both, never for positions.
// Min and Max: where a lane is NaN or the lanes are zeros of either sign, which operand comes back differs between
// instruction sets; callers pass finite numbers or infinities, and no result depends on the sign of a zero.
#ifndef SG_SIMD_H
#define SG_SIMD_H

#include "base/base.h"

#if SNUG_ISA_SSE2 || SNUG_ISA_AVX2 || SNUG_ISA_AVX512
#include <immintrin.h>

typedef __m128 f4;

static inline f4 f4_Set(float a)
{
	return _mm_set1_ps(a);
}

static inline f4 f4_Add(f4 a, f4 b)
{
	return _mm_add_ps(a, b);
}

static inline void f4_Store(float* p, f4 a)
{
	_mm_storeu_ps(p, a);
}

static inline f4 f4_Load(const float* p)
{
	return _mm_loadu_ps(p);
}

/// Rows become columns.
static inline void f4_Transpose(f4 m[4])
{
	_MM_TRANSPOSE4_PS(m[0], m[1], m[2], m[3]);
}

#else

typedef struct f4
{
	float lane[4];
} f4;

static inline f4 f4_Set(float a)
{
	return (f4){ { a, a, a, a } };
}

static inline f4 f4_Add(f4 a, f4 b)
{
	return (f4){ { a.lane[0] + b.lane[0], a.lane[1] + b.lane[1], a.lane[2] + b.lane[2], a.lane[3] + b.lane[3] } };
}

static inline void f4_Store(float* p, f4 a)
{
	for (int i = 0; i < 4; ++i)
	{
		p[i] = a.lane[i];
	}
}

static inline f4 f4_Load(const float* p)
{
	return (f4){ { p[0], p[1], p[2], p[3] } };
}

static inline void f4_Transpose(f4 m[4])
{
	for (int i = 0; i < 4; ++i)
	{
		for (int k = 0; k < i; ++k)
		{
			float swapped = m[i].lane[k];
			m[i].lane[k] = m[k].lane[i];
			m[k].lane[i] = swapped;
		}
	}
}

#endif

/// The name of a table of kernels for the instruction set being compiled.
#if SNUG_ISA_AVX512
#define SG_FOR_ISA(name) name##_avx512
#elif SNUG_ISA_AVX2
#define SG_FOR_ISA(name) name##_avx2
#elif SNUG_ISA_SSE2
#define SG_FOR_ISA(name) name##_sse2
#else
#define SG_FOR_ISA(name) name##_scalar
#endif

#if SNUG_ISA_AVX2 || SNUG_ISA_AVX512

typedef __m256 f8;

static inline f8 f8_Load(const float* p)
{
	return _mm256_load_ps(p);
}

static inline void f8_Store(float* p, f8 a)
{
	_mm256_store_ps(p, a);
}

static inline f8 f8_Set(float a)
{
	return _mm256_set1_ps(a);
}

static inline f8 f8_Add(f8 a, f8 b)
{
	return _mm256_add_ps(a, b);
}

static inline f8 f8_Sub(f8 a, f8 b)
{
	return _mm256_sub_ps(a, b);
}

static inline f8 f8_Mul(f8 a, f8 b)
{
	return _mm256_mul_ps(a, b);
}

static inline f8 f8_Min(f8 a, f8 b)
{
	return _mm256_min_ps(a, b);
}

static inline f8 f8_Max(f8 a, f8 b)
{
	return _mm256_max_ps(a, b);
}

static inline f8 f8_Div(f8 a, f8 b)
{
	return _mm256_div_ps(a, b);
}

static inline f8 f8_Abs(f8 a)
{
	return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}

static inline f8 f8_MulAddLoose(f8 a, f8 b, f8 c)
{
	return _mm256_fmadd_ps(a, b, c);
}

static inline f4 f8_Low(f8 a)
{
	return _mm256_castps256_ps128(a);
}

static inline f4 f8_High(f8 a)
{
	return _mm256_extractf128_ps(a, 1);
}

static inline f8 f8_FromHalves(f4 low, f4 high)
{
	return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

static inline float f8_ReduceMin(f8 a)
{
	__m128 m = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
	m = _mm_min_ps(m, _mm_movehl_ps(m, m));
	return _mm_cvtss_f32(_mm_min_ss(m, _mm_movehdup_ps(m)));
}

static inline float f8_ReduceMax(f8 a)
{
	__m128 m = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
	m = _mm_max_ps(m, _mm_movehl_ps(m, m));
	return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
}

#if SNUG_ISA_AVX512

typedef __mmask8 m8;

static inline m8 f8_LessEqual(f8 a, f8 b)
{
	return _mm256_cmp_ps_mask(a, b, _CMP_LE_OQ);
}

static inline m8 f8_Less(f8 a, f8 b)
{
	return _mm256_cmp_ps_mask(a, b, _CMP_LT_OQ);
}

static inline f8 f8_Select(m8 which, f8 yes, f8 no)
{
	return _mm256_mask_blend_ps(which, no, yes);
}

static inline m8 m8_And(m8 a, m8 b)
{
	return (m8)(a & b);
}

static inline m8 m8_Or(m8 a, m8 b)
{
	return (m8)(a | b);
}

static inline uint32_t m8_Bits(m8 a)
{
	return a;
}

typedef __m512d d8;

static inline d8 d8_Set(double a)
{
	return _mm512_set1_pd(a);
}

static inline d8 d8_FromFloat(f8 a)
{
	return _mm512_cvtps_pd(a);
}

static inline f8 d8_ToFloat(d8 a)
{
	return _mm512_cvtpd_ps(a);
}

static inline d8 d8_Add(d8 a, d8 b)
{
	return _mm512_add_pd(a, b);
}

static inline d8 d8_Mul(d8 a, d8 b)
{
	return _mm512_mul_pd(a, b);
}

#else

typedef __m256 m8;

static inline m8 f8_LessEqual(f8 a, f8 b)
{
	return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
}

static inline m8 f8_Less(f8 a, f8 b)
{
	return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}

static inline f8 f8_Select(m8 which, f8 yes, f8 no)
{
	return _mm256_blendv_ps(no, yes, which);
}

static inline m8 m8_And(m8 a, m8 b)
{
	return _mm256_and_ps(a, b);
}

static inline m8 m8_Or(m8 a, m8 b)
{
	return _mm256_or_ps(a, b);
}

static inline uint32_t m8_Bits(m8 a)
{
	return (uint32_t)_mm256_movemask_ps(a);
}

typedef struct d8
{
	__m256d half[2];
} d8;

static inline d8 d8_Set(double a)
{
	return (d8){ { _mm256_set1_pd(a), _mm256_set1_pd(a) } };
}

static inline d8 d8_FromFloat(f8 a)
{
	return (d8){ { _mm256_cvtps_pd(_mm256_castps256_ps128(a)), _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1)) } };
}

static inline f8 d8_ToFloat(d8 a)
{
	return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(a.half[0])), _mm256_cvtpd_ps(a.half[1]), 1);
}

static inline d8 d8_Add(d8 a, d8 b)
{
	return (d8){ { _mm256_add_pd(a.half[0], b.half[0]), _mm256_add_pd(a.half[1], b.half[1]) } };
}

static inline d8 d8_Mul(d8 a, d8 b)
{
	return (d8){ { _mm256_mul_pd(a.half[0], b.half[0]), _mm256_mul_pd(a.half[1], b.half[1]) } };
}

#endif

#elif SNUG_ISA_SSE2

typedef struct f8
{
	__m128 half[2];
} f8;

typedef f8 m8;

static inline f8 f8_Load(const float* p)
{
	return (f8){ { _mm_load_ps(p), _mm_load_ps(p + 4) } };
}

static inline void f8_Store(float* p, f8 a)
{
	_mm_store_ps(p, a.half[0]);
	_mm_store_ps(p + 4, a.half[1]);
}

static inline f8 f8_Set(float a)
{
	return (f8){ { _mm_set1_ps(a), _mm_set1_ps(a) } };
}

static inline f8 f8_Add(f8 a, f8 b)
{
	return (f8){ { _mm_add_ps(a.half[0], b.half[0]), _mm_add_ps(a.half[1], b.half[1]) } };
}

static inline f8 f8_Sub(f8 a, f8 b)
{
	return (f8){ { _mm_sub_ps(a.half[0], b.half[0]), _mm_sub_ps(a.half[1], b.half[1]) } };
}

static inline f8 f8_Mul(f8 a, f8 b)
{
	return (f8){ { _mm_mul_ps(a.half[0], b.half[0]), _mm_mul_ps(a.half[1], b.half[1]) } };
}

static inline f8 f8_Min(f8 a, f8 b)
{
	return (f8){ { _mm_min_ps(a.half[0], b.half[0]), _mm_min_ps(a.half[1], b.half[1]) } };
}

static inline f8 f8_Max(f8 a, f8 b)
{
	return (f8){ { _mm_max_ps(a.half[0], b.half[0]), _mm_max_ps(a.half[1], b.half[1]) } };
}

static inline f8 f8_Div(f8 a, f8 b)
{
	return (f8){ { _mm_div_ps(a.half[0], b.half[0]), _mm_div_ps(a.half[1], b.half[1]) } };
}

static inline f8 f8_Abs(f8 a)
{
	__m128 sign = _mm_set1_ps(-0.0f);
	return (f8){ { _mm_andnot_ps(sign, a.half[0]), _mm_andnot_ps(sign, a.half[1]) } };
}

static inline f8 f8_MulAddLoose(f8 a, f8 b, f8 c)
{
	return f8_Add(f8_Mul(a, b), c);
}

static inline f4 f8_Low(f8 a)
{
	return a.half[0];
}

static inline f4 f8_High(f8 a)
{
	return a.half[1];
}

static inline f8 f8_FromHalves(f4 low, f4 high)
{
	return (f8){ { low, high } };
}

static inline float f8_ReduceMin(f8 a)
{
	__m128 m = _mm_min_ps(a.half[0], a.half[1]);
	m = _mm_min_ps(m, _mm_movehl_ps(m, m));
	return _mm_cvtss_f32(_mm_min_ss(m, _mm_shuffle_ps(m, m, 1)));
}

static inline float f8_ReduceMax(f8 a)
{
	__m128 m = _mm_max_ps(a.half[0], a.half[1]);
	m = _mm_max_ps(m, _mm_movehl_ps(m, m));
	return _mm_cvtss_f32(_mm_max_ss(m, _mm_shuffle_ps(m, m, 1)));
}

static inline m8 f8_LessEqual(f8 a, f8 b)
{
	return (m8){ { _mm_cmple_ps(a.half[0], b.half[0]), _mm_cmple_ps(a.half[1], b.half[1]) } };
}

static inline m8 f8_Less(f8 a, f8 b)
{
	return (m8){ { _mm_cmplt_ps(a.half[0], b.half[0]), _mm_cmplt_ps(a.half[1], b.half[1]) } };
}

static inline f8 f8_Select(m8 which, f8 yes, f8 no)
{
	f8 result;
	for (int i = 0; i < 2; ++i)
	{
		result.half[i] = _mm_or_ps(_mm_and_ps(which.half[i], yes.half[i]), _mm_andnot_ps(which.half[i], no.half[i]));
	}
	return result;
}

static inline m8 m8_And(m8 a, m8 b)
{
	return (m8){ { _mm_and_ps(a.half[0], b.half[0]), _mm_and_ps(a.half[1], b.half[1]) } };
}

static inline m8 m8_Or(m8 a, m8 b)
{
	return (m8){ { _mm_or_ps(a.half[0], b.half[0]), _mm_or_ps(a.half[1], b.half[1]) } };
}

static inline uint32_t m8_Bits(m8 a)
{
	return (uint32_t)(_mm_movemask_ps(a.half[0]) | (_mm_movemask_ps(a.half[1]) << 4));
}

typedef struct d8
{
	__m128d quarter[4];
} d8;

static inline d8 d8_Set(double a)
{
	__m128d q = _mm_set1_pd(a);
	return (d8){ { q, q, q, q } };
}

static inline d8 d8_FromFloat(f8 a)
{
	return (d8){ {
		_mm_cvtps_pd(a.half[0]),
		_mm_cvtps_pd(_mm_movehl_ps(a.half[0], a.half[0])),
		_mm_cvtps_pd(a.half[1]),
		_mm_cvtps_pd(_mm_movehl_ps(a.half[1], a.half[1])),
	} };
}

static inline f8 d8_ToFloat(d8 a)
{
	return (f8){ {
		_mm_movelh_ps(_mm_cvtpd_ps(a.quarter[0]), _mm_cvtpd_ps(a.quarter[1])),
		_mm_movelh_ps(_mm_cvtpd_ps(a.quarter[2]), _mm_cvtpd_ps(a.quarter[3])),
	} };
}

static inline d8 d8_Add(d8 a, d8 b)
{
	d8 sum;
	for (int i = 0; i < 4; ++i)
	{
		sum.quarter[i] = _mm_add_pd(a.quarter[i], b.quarter[i]);
	}
	return sum;
}

static inline d8 d8_Mul(d8 a, d8 b)
{
	d8 product;
	for (int i = 0; i < 4; ++i)
	{
		product.quarter[i] = _mm_mul_pd(a.quarter[i], b.quarter[i]);
	}
	return product;
}

#else

typedef struct f8
{
	float lane[SG_LANES];
} f8;

typedef uint32_t m8;

typedef struct d8
{
	double lane[SG_LANES];
} d8;

// Applies `expression` to each lane i; the one place where scalar code spells out the loop.
#define SG_EACH_LANE(type, expression) \
	type result;                       \
	for (int i = 0; i < SG_LANES; ++i) \
	{                                  \
		result.lane[i] = (expression); \
	}                                  \
	return result

static inline f8 f8_Load(const float* p)
{
	SG_EACH_LANE(f8, p[i]);
}

static inline void f8_Store(float* p, f8 a)
{
	for (int i = 0; i < SG_LANES; ++i)
	{
		p[i] = a.lane[i];
	}
}

static inline f8 f8_Set(float a)
{
	SG_EACH_LANE(f8, a);
}

static inline f8 f8_Add(f8 a, f8 b)
{
	SG_EACH_LANE(f8, a.lane[i] + b.lane[i]);
}

static inline f8 f8_Sub(f8 a, f8 b)
{
	SG_EACH_LANE(f8, a.lane[i] - b.lane[i]);
}

static inline f8 f8_Mul(f8 a, f8 b)
{
	SG_EACH_LANE(f8, a.lane[i] * b.lane[i]);
}

static inline f8 f8_Min(f8 a, f8 b)
{
	SG_EACH_LANE(f8, a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]);
}

static inline f8 f8_Max(f8 a, f8 b)
{
	SG_EACH_LANE(f8, a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]);
}

static inline f8 f8_Div(f8 a, f8 b)
{
	SG_EACH_LANE(f8, a.lane[i] / b.lane[i]);
}

static inline f8 f8_Abs(f8 a)
{
	SG_EACH_LANE(f8, a.lane[i] < 0.0f ? -a.lane[i] : a.lane[i]);
}

static inline f8 f8_MulAddLoose(f8 a, f8 b, f8 c)
{
	return f8_Add(f8_Mul(a, b), c);
}

static inline f4 f8_Low(f8 a)
{
	return (f4){ { a.lane[0], a.lane[1], a.lane[2], a.lane[3] } };
}

static inline f4 f8_High(f8 a)
{
	return (f4){ { a.lane[4], a.lane[5], a.lane[6], a.lane[7] } };
}

static inline f8 f8_FromHalves(f4 low, f4 high)
{
	SG_EACH_LANE(f8, i < 4 ? low.lane[i & 3] : high.lane[i & 3]);
}

static inline float f8_ReduceMin(f8 a)
{
	float m = a.lane[0];
	for (int i = 1; i < SG_LANES; ++i)
	{
		m = a.lane[i] < m ? a.lane[i] : m;
	}
	return m;
}

static inline float f8_ReduceMax(f8 a)
{
	float m = a.lane[0];
	for (int i = 1; i < SG_LANES; ++i)
	{
		m = a.lane[i] > m ? a.lane[i] : m;
	}
	return m;
}

static inline m8 f8_LessEqual(f8 a, f8 b)
{
	m8 bits = 0;
	for (int i = 0; i < SG_LANES; ++i)
	{
		bits |= (m8)(a.lane[i] <= b.lane[i]) << i;
	}
	return bits;
}

static inline m8 f8_Less(f8 a, f8 b)
{
	m8 bits = 0;
	for (int i = 0; i < SG_LANES; ++i)
	{
		bits |= (m8)(a.lane[i] < b.lane[i]) << i;
	}
	return bits;
}

static inline f8 f8_Select(m8 which, f8 yes, f8 no)
{
	SG_EACH_LANE(f8, (which >> i & 1) != 0 ? yes.lane[i] : no.lane[i]);
}

static inline m8 m8_And(m8 a, m8 b)
{
	return a & b;
}

static inline m8 m8_Or(m8 a, m8 b)
{
	return a | b;
}

static inline uint32_t m8_Bits(m8 a)
{
	return a;
}

static inline d8 d8_Set(double a)
{
	SG_EACH_LANE(d8, a);
}

static inline d8 d8_FromFloat(f8 a)
{
	SG_EACH_LANE(d8, (double)a.lane[i]);
}

static inline f8 d8_ToFloat(d8 a)
{
	SG_EACH_LANE(f8, (float)a.lane[i]);
}

static inline d8 d8_Add(d8 a, d8 b)
{
	SG_EACH_LANE(d8, a.lane[i] + b.lane[i]);
}

static inline d8 d8_Mul(d8 a, d8 b)
{
	SG_EACH_LANE(d8, a.lane[i] * b.lane[i]);
}

#endif

/// The sum of eight floats, in an order of its own: for bounds, like f8_MulAddLoose.
static inline float f8_Sum(f8 a)
{
	float part[4];
	f4_Store(part, f4_Add(f8_Low(a), f8_High(a)));
	return (part[0] + part[1]) + (part[2] + part[3]);
}

/// x y z of eight points, one after the other: 24 floats, and a 25th is overwritten.
static inline void f8_StorePoints(float* out, f8 x, f8 y, f8 z)
{
	f4 low[4] = { f8_Low(x), f8_Low(y), f8_Low(z), f4_Set(0.0f) };
	f4 high[4] = { f8_High(x), f8_High(y), f8_High(z), f4_Set(0.0f) };
	f4_Transpose(low);
	f4_Transpose(high);
	for (int i = 0; i < 4; ++i)
	{
		f4_Store(out + 3 * i, low[i]);
	}
	for (int i = 0; i < 4; ++i)
	{
		f4_Store(out + 12 + 3 * i, high[i]);
	}
}

// Sixteen floats: a matrix by columns of four.
#if SNUG_ISA_AVX512

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
	return _mm512_add_ps(sum, _mm512_mul_ps(_mm512_set1_ps(scale), a));
}

static inline f8 f16_Low(f16 a)
{
	return _mm512_castps512_ps256(a);
}

static inline f8 f16_High(f16 a)
{
	return _mm512_extractf32x8_ps(a, 1);
}

#else

typedef struct f16
{
	f8 low, high;
} f16;

static inline f16 f16_Load(const float* p)
{
	return (f16){ f8_Load(p), f8_Load(p + 8) };
}

static inline f16 f16_Zero(void)
{
	return (f16){ f8_Set(0.0f), f8_Set(0.0f) };
}

static inline f16 f16_AddScaled(f16 sum, float scale, f16 a)
{
	f8 s = f8_Set(scale);
	return (f16){ f8_Add(sum.low, f8_Mul(s, a.low)), f8_Add(sum.high, f8_Mul(s, a.high)) };
}

static inline f8 f16_Low(f16 a)
{
	return a.low;
}

static inline f8 f16_High(f16 a)
{
	return a.high;
}

#endif

#endif
