// src/simd/lanes.h: eight lanes of float and of double, for kernels, which are compiled once per instruction set.
//
//   f8  eight floats      d8  eight doubles      m8  eight truth values      f4  half of an f8      f16  two of them
//
// Stored data always has eight lanes, whatever the registers hold: an f8 is as many registers side by side as it takes.
// What is the same for all instruction sets is here, written with the operators that compilers have for vectors. What
// is not is in lanes_NAME.h, of the set that SNUG_KERNELS names (isa_list.h has all of them), for one register:
//
//   SG_FLOATS, SG_DOUBLES   floats and doubles in a register: fv and dv; truth values of floats are an mv
//   fv_Set, dv_Set          the same number in all lanes
//   fv_Min, fv_Max          a < b ? a : b and a > b ? a : b: where a lane is NaN, or both are zeros of whatever sign,
//                           the second operand comes back. Kernels rely on it where a NaN must give way.
//   fv_Abs                  the sign bit cleared, of zeros and NaN too
//   fv_MulAddLoose          a * b + c, rounded once or twice
//   fv_Less, fv_LessEqual   false where a lane is NaN
//   mv_And, mv_Or, mv_Bits  the last: bit i is lane i
//   fv_Select               the second operand where the first is true, else the third; dv_SelectGreater: where a > b
//   dv_GreaterBits          bit i: whether a > b in lane i
//   dv_Sqrt                 the square root, to the nearest double
//   fv_ToDoubles, fv_FromDoubles   an fv as so many dv, and back, to the nearest float
//   f4_Min, f4_Max, fv_Low, fv_High, fv_FromHalves   if SG_FLOATS is 8; the first two and f4 also if it is 1
//   fv_Pick                 lanes of eight by their numbers, if SG_FLOATS is 8
//
// Every operation but MulAddLoose and Sum rounds each lane exactly as plain C does (no fused multiply-add, no other
// order), so what is evaluated through this file is the same bits everywhere; test/simd/lanes_check.c tests that of
// every set. Those two are for bounds, which allow for both roundings, never for positions.
//
// Why not vectors of eight with operators in kernels too: gcc keeps vectors that are wider than a register in memory,
// which takes twice as many instructions where registers hold four floats.
#ifndef SG_LANES_H
#define SG_LANES_H

#include "base/base.h"

#include <string.h>

#define SG_QUOTE_(text) #text
#define SG_QUOTE(text) SG_QUOTE_(text)
#define SG_JOIN_(a, b) a##_##b
#define SG_JOIN(a, b) SG_JOIN_(a, b)

/// The name of a table of kernels for the instruction set being compiled.
#define SG_FOR_ISA(name) SG_JOIN(name, SNUG_KERNELS)

// clang-format off
#define SG_LANES_FILE(set) SG_QUOTE(simd/SG_JOIN(lanes, set).h)
#include SG_LANES_FILE(SNUG_KERNELS)
// clang-format on

#if !defined(SG_HAS_F16)
#define SG_HAS_F16 0
#endif

/// Registers that eight lanes take, for so many lanes to each.
#define SG_PARTS_OF_8 1
#define SG_PARTS_OF_4 2
#define SG_PARTS_OF_2 4
#define SG_PARTS_OF_1 8
#define SG_FLOAT_PARTS SG_JOIN(SG_PARTS_OF, SG_FLOATS)
#define SG_DOUBLE_PARTS SG_JOIN(SG_PARTS_OF, SG_DOUBLES)

typedef struct f8
{
	fv part[SG_FLOAT_PARTS];
} f8;

typedef struct m8
{
	mv part[SG_FLOAT_PARTS];
} m8;

typedef struct d8
{
	dv part[SG_DOUBLE_PARTS];
} d8;

// Vectors as they lie in memory.
typedef fv fvStored __attribute__((may_alias));
typedef dv dvStored __attribute__((may_alias));

// Applies `expression` to each register i. Spelt out: gcc keeps registers better than with a loop.
// clang-format off
#define SG_PART(number, expression) { enum { i = number }; result.part[i] = (expression); }
#define SG_EACH_1(e) SG_PART(0, e)
#define SG_EACH_2(e) SG_EACH_1(e) SG_PART(1, e)
#define SG_EACH_4(e) SG_EACH_2(e) SG_PART(2, e) SG_PART(3, e)
#define SG_EACH_8(e) SG_EACH_4(e) SG_PART(4, e) SG_PART(5, e) SG_PART(6, e) SG_PART(7, e)
// clang-format on
#define SG_EACH_PART(type, count, expression) \
	type result;                              \
	SG_JOIN(SG_EACH, count)(expression) return result
#define SG_EACH_FLOAT(expression) SG_EACH_PART(f8, SG_FLOAT_PARTS, expression)
#define SG_EACH_TRUTH(expression) SG_EACH_PART(m8, SG_FLOAT_PARTS, expression)
#define SG_EACH_DOUBLE(expression) SG_EACH_PART(d8, SG_DOUBLE_PARTS, expression)

// ---- Eight floats ----------------------------------------------------------------------------------------------

/// From 32-byte aligned memory.
SG_INLINE f8 f8_Load(const float* p)
{
	SG_EACH_FLOAT(((const fvStored*)(const void*)p)[i]);
}

SG_INLINE void f8_Store(float* p, f8 a)
{
	for (int i = 0; i < SG_FLOAT_PARTS; ++i)
	{
		((fvStored*)(void*)p)[i] = a.part[i];
	}
}

#if SG_FLOATS != 8
SG_INLINE float sgPickOne(const void* eight, const uint32_t* lanes, int i)
{
	float one;
	memcpy(&one, (const char*)eight + lanes[i] * sizeof(one), sizeof(one));
	return one;
}
#if SG_FLOATS == 4
#define fv_Pick(eight, lanes)                                                                  \
	((fv){ sgPickOne(eight, lanes, 0), sgPickOne(eight, lanes, 1), sgPickOne(eight, lanes, 2), \
	    sgPickOne(eight, lanes, 3) })
#else
#define fv_Pick(eight, lanes) sgPickOne(eight, lanes, 0)
#endif
#endif

/// Lane i is number `lanes[i]` of eight floats, or of integers that are no NaN as floats: bit by bit. Both from 32-byte
/// aligned memory.
SG_INLINE f8 f8_Pick(const void* eight, const uint32_t lanes[8])
{
	SG_EACH_FLOAT(fv_Pick(eight, lanes + SG_FLOATS * i));
}

SG_INLINE f8 f8_Set(float a)
{
	SG_EACH_FLOAT(fv_Set(a));
}

SG_INLINE f8 f8_Add(f8 a, f8 b)
{
	SG_EACH_FLOAT(a.part[i] + b.part[i]);
}

SG_INLINE f8 f8_Sub(f8 a, f8 b)
{
	SG_EACH_FLOAT(a.part[i] - b.part[i]);
}

SG_INLINE f8 f8_Mul(f8 a, f8 b)
{
	SG_EACH_FLOAT(a.part[i] * b.part[i]);
}

SG_INLINE f8 f8_Div(f8 a, f8 b)
{
	SG_EACH_FLOAT(a.part[i] / b.part[i]);
}

SG_INLINE f8 f8_Min(f8 a, f8 b)
{
	SG_EACH_FLOAT(fv_Min(a.part[i], b.part[i]));
}

SG_INLINE f8 f8_Max(f8 a, f8 b)
{
	SG_EACH_FLOAT(fv_Max(a.part[i], b.part[i]));
}

SG_INLINE f8 f8_Abs(f8 a)
{
	SG_EACH_FLOAT(fv_Abs(a.part[i]));
}

SG_INLINE f8 f8_MulAddLoose(f8 a, f8 b, f8 c)
{
	SG_EACH_FLOAT(fv_MulAddLoose(a.part[i], b.part[i], c.part[i]));
}

SG_INLINE m8 f8_Less(f8 a, f8 b)
{
	SG_EACH_TRUTH(fv_Less(a.part[i], b.part[i]));
}

SG_INLINE m8 f8_LessEqual(f8 a, f8 b)
{
	SG_EACH_TRUTH(fv_LessEqual(a.part[i], b.part[i]));
}

SG_INLINE f8 f8_Select(m8 which, f8 yes, f8 no)
{
	SG_EACH_FLOAT(fv_Select(which.part[i], yes.part[i], no.part[i]));
}

SG_INLINE m8 m8_And(m8 a, m8 b)
{
	SG_EACH_TRUTH(mv_And(a.part[i], b.part[i]));
}

SG_INLINE m8 m8_Or(m8 a, m8 b)
{
	SG_EACH_TRUTH(mv_Or(a.part[i], b.part[i]));
}

SG_INLINE uint32_t m8_Bits(m8 a)
{
	uint32_t bits = 0;
	for (int i = 0; i < SG_FLOAT_PARTS; ++i)
	{
		bits |= mv_Bits(a.part[i]) << (SG_FLOATS * i);
	}
	return bits;
}

// ---- Eight doubles ---------------------------------------------------------------------------------------------

/// From 64-byte aligned memory.
SG_INLINE d8 d8_Load(const double* p)
{
	SG_EACH_DOUBLE(((const dvStored*)(const void*)p)[i]);
}

SG_INLINE void d8_Store(double* p, d8 a)
{
	for (int i = 0; i < SG_DOUBLE_PARTS; ++i)
	{
		((dvStored*)(void*)p)[i] = a.part[i];
	}
}

SG_INLINE d8 d8_Set(double a)
{
	SG_EACH_DOUBLE(dv_Set(a));
}

SG_INLINE d8 d8_Add(d8 a, d8 b)
{
	SG_EACH_DOUBLE(a.part[i] + b.part[i]);
}

SG_INLINE d8 d8_Sub(d8 a, d8 b)
{
	SG_EACH_DOUBLE(a.part[i] - b.part[i]);
}

SG_INLINE d8 d8_Mul(d8 a, d8 b)
{
	SG_EACH_DOUBLE(a.part[i] * b.part[i]);
}

SG_INLINE d8 d8_Div(d8 a, d8 b)
{
	SG_EACH_DOUBLE(a.part[i] / b.part[i]);
}

/// a > b ? yes : no
SG_INLINE d8 d8_SelectGreater(d8 a, d8 b, d8 yes, d8 no)
{
	SG_EACH_DOUBLE(dv_SelectGreater(a.part[i], b.part[i], yes.part[i], no.part[i]));
}

/// b where one is NaN.
SG_INLINE d8 d8_Max(d8 a, d8 b)
{
	return d8_SelectGreater(a, b, a, b);
}

SG_INLINE d8 d8_Abs(d8 a)
{
	return d8_Max(a, d8_Sub(d8_Set(0.0), a));
}

SG_INLINE d8 d8_Dot(const d8 a[3], const d8 b[3])
{
	return d8_Add(d8_Add(d8_Mul(a[0], b[0]), d8_Mul(a[1], b[1])), d8_Mul(a[2], b[2]));
}

SG_INLINE void d8_Cross(const d8 a[3], const d8 b[3], d8 out[3])
{
	for (int k = 0; k < 3; ++k)
	{
		out[k] = d8_Sub(d8_Mul(a[(k + 1) % 3], b[(k + 2) % 3]), d8_Mul(a[(k + 2) % 3], b[(k + 1) % 3]));
	}
}

/// Bit i: whether a > b in lane i; false where one is NaN.
SG_INLINE uint32_t d8_GreaterBits(d8 a, d8 b)
{
	uint32_t bits = 0;
	for (int i = 0; i < SG_DOUBLE_PARTS; ++i)
	{
		bits |= dv_GreaterBits(a.part[i], b.part[i]) << (SG_DOUBLES * i);
	}
	return bits;
}

SG_INLINE d8 d8_Sqrt(d8 a)
{
	SG_EACH_DOUBLE(dv_Sqrt(a.part[i]));
}

SG_INLINE d8 d8_FromFloat(f8 a)
{
	d8 result;
	for (int i = 0; i < SG_FLOAT_PARTS; ++i)
	{
		fv_ToDoubles(a.part[i], result.part + i * (SG_FLOATS / SG_DOUBLES));
	}
	return result;
}

SG_INLINE f8 d8_ToFloat(d8 a)
{
	SG_EACH_FLOAT(fv_FromDoubles(a.part + i * (SG_FLOATS / SG_DOUBLES)));
}

// ---- Four floats: operators work on them -------------------------------------------------------------------------

#if SG_FLOATS == 4

typedef fv f4;

SG_INLINE f4 f4_Min(f4 a, f4 b)
{
	return fv_Min(a, b);
}

SG_INLINE f4 f4_Max(f4 a, f4 b)
{
	return fv_Max(a, b);
}

SG_INLINE f4 f8_Low(f8 a)
{
	return a.part[0];
}

SG_INLINE f4 f8_High(f8 a)
{
	return a.part[1];
}

SG_INLINE f8 f8_FromHalves(f4 low, f4 high)
{
	return (f8){ { low, high } };
}

#elif SG_FLOATS == 8

SG_INLINE f4 f8_Low(f8 a)
{
	return fv_Low(a.part[0]);
}

SG_INLINE f4 f8_High(f8 a)
{
	return fv_High(a.part[0]);
}

SG_INLINE f8 f8_FromHalves(f4 low, f4 high)
{
	return (f8){ { fv_FromHalves(low, high) } };
}

#else

SG_INLINE f4 f8_Low(f8 a)
{
	return (f4){ a.part[0], a.part[1], a.part[2], a.part[3] };
}

SG_INLINE f4 f8_High(f8 a)
{
	return (f4){ a.part[4], a.part[5], a.part[6], a.part[7] };
}

SG_INLINE f8 f8_FromHalves(f4 low, f4 high)
{
	return (f8){ { low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3] } };
}

#endif

/// Four floats at any address.
typedef f4 f4Stored __attribute__((may_alias, aligned(4)));

SG_INLINE f4 f4_Load(const float* p)
{
	return *(const f4Stored*)(const void*)p;
}

SG_INLINE void f4_Store(float* p, f4 a)
{
	*(f4Stored*)(void*)p = a;
}

SG_INLINE f4 f4_Set(float a)
{
	return (f4){ a, a, a, a };
}

/// Four lanes of eight: 0 to 3 are those of a, 4 to 7 those of b.
#if defined(__clang__) || __GNUC__ >= 12
#define SG_SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
typedef int32_t sgLaneNumbers __attribute__((vector_size(16)));
#define SG_SHUFFLE(a, b, i, j, k, l) __builtin_shuffle(a, b, (sgLaneNumbers){ i, j, k, l })
#endif

/// Rows become columns.
SG_INLINE void f4_Transpose(f4 m[4])
{
	f4 a = SG_SHUFFLE(m[0], m[1], 0, 4, 1, 5), b = SG_SHUFFLE(m[2], m[3], 0, 4, 1, 5);
	f4 c = SG_SHUFFLE(m[0], m[1], 2, 6, 3, 7), d = SG_SHUFFLE(m[2], m[3], 2, 6, 3, 7);
	m[0] = SG_SHUFFLE(a, b, 0, 1, 4, 5);
	m[1] = SG_SHUFFLE(a, b, 2, 3, 6, 7);
	m[2] = SG_SHUFFLE(c, d, 0, 1, 4, 5);
	m[3] = SG_SHUFFLE(c, d, 2, 3, 6, 7);
}

// ---- Across lanes ------------------------------------------------------------------------------------------------

/// The least and the greatest of eight floats, none of them NaN.
SG_INLINE float f8_ReduceMin(f8 a)
{
	f4 least = f4_Min(f8_Low(a), f8_High(a));
	least = f4_Min(least, SG_SHUFFLE(least, least, 2, 3, 2, 3));
	return f4_Min(least, SG_SHUFFLE(least, least, 1, 1, 1, 1))[0];
}

SG_INLINE float f8_ReduceMax(f8 a)
{
	f4 most = f4_Max(f8_Low(a), f8_High(a));
	most = f4_Max(most, SG_SHUFFLE(most, most, 2, 3, 2, 3));
	return f4_Max(most, SG_SHUFFLE(most, most, 1, 1, 1, 1))[0];
}

/// The sum of eight floats, in an order of its own: for bounds, like f8_MulAddLoose.
SG_INLINE float f8_Sum(f8 a)
{
	f4 part = f8_Low(a) + f8_High(a);
	return (part[0] + part[1]) + (part[2] + part[3]);
}

/// x y z of eight points, one after the other: 24 floats, and a 25th is overwritten.
SG_INLINE void f8_StorePoints(float* out, f8 x, f8 y, f8 z)
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

// ---- Sixteen floats: a matrix by columns of four -----------------------------------------------------------------

#if SG_HAS_F16

SG_INLINE f8 f16_Low(f16 a)
{
	return (f8){ { f16_LowPart(a) } };
}

SG_INLINE f8 f16_High(f16 a)
{
	return (f8){ { f16_HighPart(a) } };
}

#else

typedef struct f16
{
	f8 low, high;
} f16;

SG_INLINE f16 f16_Load(const float* p)
{
	return (f16){ f8_Load(p), f8_Load(p + 8) };
}

SG_INLINE f16 f16_Zero(void)
{
	return (f16){ f8_Set(0.0f), f8_Set(0.0f) };
}

SG_INLINE f16 f16_AddScaled(f16 sum, float scale, f16 a)
{
	f8 s = f8_Set(scale);
	return (f16){ f8_Add(sum.low, f8_Mul(s, a.low)), f8_Add(sum.high, f8_Mul(s, a.high)) };
}

SG_INLINE f8 f16_Low(f16 a)
{
	return a.low;
}

SG_INLINE f8 f16_High(f16 a)
{
	return a.high;
}

#endif

#endif
