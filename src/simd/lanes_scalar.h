// src/simd/lanes_scalar.h: one lane at a time, in plain C: what every other instruction set must equal.
#ifndef SG_LANES_SCALAR_H
#define SG_LANES_SCALAR_H

#define SG_FLOATS 1
#define SG_DOUBLES 1

typedef float fv;
typedef double dv;
typedef uint32_t mv; // 0 or 1
typedef float f4 __attribute__((vector_size(16)));

static inline fv fv_Set(float a)
{
	return a;
}

static inline dv dv_Set(double a)
{
	return a;
}

static inline fv fv_Min(fv a, fv b)
{
	return a < b ? a : b;
}

static inline fv fv_Max(fv a, fv b)
{
	return a > b ? a : b;
}

static inline fv fv_Abs(fv a)
{
	return __builtin_fabsf(a);
}

static inline fv fv_MulAddLoose(fv a, fv b, fv c)
{
	return a * b + c;
}

static inline mv fv_Less(fv a, fv b)
{
	return a < b;
}

static inline mv fv_LessEqual(fv a, fv b)
{
	return a <= b;
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
	return which != 0 ? yes : no;
}

static inline uint32_t mv_Bits(mv a)
{
	return a;
}

static inline dv dv_SelectGreater(dv a, dv b, dv yes, dv no)
{
	return a > b ? yes : no;
}

static inline uint32_t dv_GreaterBits(dv a, dv b)
{
	return a > b;
}

static inline dv dv_Sqrt(dv a)
{
	return __builtin_sqrt(a);
}

static inline void fv_ToDoubles(fv a, dv* out)
{
	*out = (double)a;
}

static inline fv fv_FromDoubles(const dv* in)
{
	return (float)*in;
}

static inline f4 f4_Min(f4 a, f4 b)
{
	return (f4){ fv_Min(a[0], b[0]), fv_Min(a[1], b[1]), fv_Min(a[2], b[2]), fv_Min(a[3], b[3]) };
}

static inline f4 f4_Max(f4 a, f4 b)
{
	return (f4){ fv_Max(a[0], b[0]), fv_Max(a[1], b[1]), fv_Max(a[2], b[2]), fv_Max(a[3], b[3]) };
}

#endif
