// src/simd/lanes_neon.h: 64-bit ARM, four lanes to a register. Every machine has it.
#ifndef SG_LANES_NEON_H
#define SG_LANES_NEON_H

#include <arm_neon.h>

#define SG_FLOATS 4
#define SG_DOUBLES 2

typedef float32x4_t fv;
typedef float64x2_t dv;
typedef uint32x4_t mv; // all ones or zero

static inline fv fv_Set(float a)
{
	return vdupq_n_f32(a);
}

static inline dv dv_Set(double a)
{
	return vdupq_n_f64(a);
}

// Not vminq and vmaxq: those return NaN where there is one, and the smaller or larger zero.
static inline fv fv_Min(fv a, fv b)
{
	return vbslq_f32(vcltq_f32(a, b), a, b);
}

static inline fv fv_Max(fv a, fv b)
{
	return vbslq_f32(vcgtq_f32(a, b), a, b);
}

static inline fv fv_Abs(fv a)
{
	return vabsq_f32(a);
}

static inline fv fv_MulAddLoose(fv a, fv b, fv c)
{
	return vfmaq_f32(c, a, b);
}

static inline mv fv_Less(fv a, fv b)
{
	return vcltq_f32(a, b);
}

static inline mv fv_LessEqual(fv a, fv b)
{
	return vcleq_f32(a, b);
}

static inline mv mv_And(mv a, mv b)
{
	return vandq_u32(a, b);
}

static inline mv mv_Or(mv a, mv b)
{
	return vorrq_u32(a, b);
}

static inline fv fv_Select(mv which, fv yes, fv no)
{
	return vbslq_f32(which, yes, no);
}

static inline uint32_t mv_Bits(mv a)
{
	static const uint32_t bits[4] = { 1, 2, 4, 8 };
	return vaddvq_u32(vandq_u32(a, vld1q_u32(bits)));
}

static inline dv dv_SelectGreater(dv a, dv b, dv yes, dv no)
{
	return vbslq_f64(vcgtq_f64(a, b), yes, no);
}

static inline uint32_t dv_GreaterBits(dv a, dv b)
{
	uint64x2_t greater = vcgtq_f64(a, b);
	return (uint32_t)(vgetq_lane_u64(greater, 0) & 1) | (uint32_t)(vgetq_lane_u64(greater, 1) & 2);
}

static inline dv dv_Sqrt(dv a)
{
	return vsqrtq_f64(a);
}

static inline void fv_ToDoubles(fv a, dv out[2])
{
	out[0] = vcvt_f64_f32(vget_low_f32(a));
	out[1] = vcvt_high_f64_f32(a);
}

static inline fv fv_FromDoubles(const dv in[2])
{
	return vcvt_high_f32_f64(vcvt_f32_f64(in[0]), in[1]);
}

#endif
