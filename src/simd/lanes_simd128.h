// src/simd/lanes_simd128.h: WebAssembly's vectors, four lanes each.
#ifndef SG_LANES_SIMD128_H
#define SG_LANES_SIMD128_H

#include <wasm_simd128.h>

#define SG_FLOATS 4
#define SG_DOUBLES 2

typedef float fv __attribute__((vector_size(16)));
typedef double dv __attribute__((vector_size(16)));
typedef v128_t mv; // all ones or zero

static inline fv fv_Set(float a)
{
	return (fv)wasm_f32x4_splat(a);
}

static inline dv dv_Set(double a)
{
	return (dv)wasm_f64x2_splat(a);
}

// pmin(x, y) is y < x ? y : x, and pmax(x, y) is x < y ? y : x: what lanes.h asks for, with operands exchanged.
static inline fv fv_Min(fv a, fv b)
{
	return (fv)wasm_f32x4_pmin((v128_t)b, (v128_t)a);
}

static inline fv fv_Max(fv a, fv b)
{
	return (fv)wasm_f32x4_pmax((v128_t)b, (v128_t)a);
}

static inline fv fv_Abs(fv a)
{
	return (fv)wasm_f32x4_abs((v128_t)a);
}

static inline fv fv_MulAddLoose(fv a, fv b, fv c)
{
	return a * b + c;
}

static inline mv fv_Less(fv a, fv b)
{
	return wasm_f32x4_lt((v128_t)a, (v128_t)b);
}

static inline mv fv_LessEqual(fv a, fv b)
{
	return wasm_f32x4_le((v128_t)a, (v128_t)b);
}

static inline mv mv_And(mv a, mv b)
{
	return a & b;
}

static inline mv mv_Or(mv a, mv b)
{
	return a | b;
}

static inline fv fv_Select(mv which, fv yes, fv no)
{
	return (fv)wasm_v128_bitselect((v128_t)yes, (v128_t)no, which);
}

static inline uint32_t mv_Bits(mv a)
{
	return (uint32_t)wasm_i32x4_bitmask(a);
}

static inline dv dv_SelectGreater(dv a, dv b, dv yes, dv no)
{
	return (dv)wasm_v128_bitselect((v128_t)yes, (v128_t)no, wasm_f64x2_gt((v128_t)a, (v128_t)b));
}

static inline uint32_t dv_GreaterBits(dv a, dv b)
{
	return (uint32_t)wasm_i64x2_bitmask(wasm_f64x2_gt((v128_t)a, (v128_t)b));
}

static inline dv dv_Sqrt(dv a)
{
	return (dv)wasm_f64x2_sqrt((v128_t)a);
}

static inline void fv_ToDoubles(fv a, dv out[2])
{
	out[0] = (dv)wasm_f64x2_promote_low_f32x4((v128_t)a);
	out[1] = (dv)wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle((v128_t)a, (v128_t)a, 2, 3, 2, 3));
}

static inline fv fv_FromDoubles(const dv in[2])
{
	v128_t low = wasm_f32x4_demote_f64x2_zero((v128_t)in[0]), high = wasm_f32x4_demote_f64x2_zero((v128_t)in[1]);
	return (fv)wasm_i32x4_shuffle(low, high, 0, 1, 4, 5);
}

#endif
