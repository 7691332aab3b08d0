#include "lab/truth/exact.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// ---- Integers --------------------------------------------------------------------------------------------------

/// Sizes: a coordinate has at most 24 bits and is shifted by at most 253, differences have 278 bits; an axis that is
/// the product of three of them has 836, and a point along it 1116: 14 + 5 limbs before they are trimmed.
#define LIMBS 20

__extension__ typedef unsigned __int128 Wide;

/// A sign and a size, the least significant limb first.
typedef struct Big
{
	int sign;   ///< -1, 0 or 1
	int length; ///< limbs in use; the last of them is not zero
	uint64_t limbs[LIMBS];
} Big;

static void Shift(Big* out, int64_t value, int bits)
{
	uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	int limb = bits / 64, rest = bits % 64;
	out->sign = (value > 0) - (value < 0);
	out->length = value != 0 ? limb + 1 : 0;
	memset(out->limbs, 0, (size_t)out->length * sizeof(uint64_t));
	if (value != 0)
	{
		out->limbs[limb] = size << rest;
		uint64_t carried = rest > 0 ? size >> (64 - rest) : 0;
		if (carried != 0)
		{
			out->limbs[out->length++] = carried;
		}
	}
}

static int CompareSizes(const Big* a, const Big* b)
{
	if (a->length != b->length)
	{
		return a->length < b->length ? -1 : 1;
	}
	for (int i = a->length - 1; i >= 0; --i)
	{
		if (a->limbs[i] != b->limbs[i])
		{
			return a->limbs[i] < b->limbs[i] ? -1 : 1;
		}
	}
	return 0;
}

static int Compare(const Big* a, const Big* b)
{
	if (a->sign != b->sign)
	{
		return a->sign < b->sign ? -1 : 1;
	}
	return a->sign * CompareSizes(a, b);
}

static void AddSizes(Big* out, const Big* a, const Big* b)
{
	const Big *longer = a->length >= b->length ? a : b, *shorter = longer == a ? b : a;
	uint64_t carry = 0;
	int length = longer->length;
	for (int i = 0; i < length; ++i)
	{
		Wide sum = (Wide)longer->limbs[i] + (i < shorter->length ? shorter->limbs[i] : 0) + carry;
		out->limbs[i] = (uint64_t)sum;
		carry = (uint64_t)(sum >> 64);
	}
	if (carry != 0)
	{
		out->limbs[length++] = carry;
	}
	out->length = length;
}

// The larger first.
static void SubtractSizes(Big* out, const Big* a, const Big* b)
{
	uint64_t borrow = 0;
	int length = a->length;
	for (int i = 0; i < length; ++i)
	{
		Wide taken = (Wide)(i < b->length ? b->limbs[i] : 0) + borrow;
		borrow = taken > a->limbs[i];
		out->limbs[i] = (uint64_t)(a->limbs[i] - taken);
	}
	while (length > 0 && out->limbs[length - 1] == 0)
	{
		--length;
	}
	out->length = length;
}

// a + sign * b; `out` may be one of them.
static void AddSigned(Big* out, const Big* a, const Big* b, int sign)
{
	int signB = sign * b->sign;
	if (a->sign == 0 || signB == 0 || a->sign == signB)
	{
		int result = a->sign != 0 ? a->sign : signB;
		AddSizes(out, a, b);
		out->sign = result;
		return;
	}
	int order = CompareSizes(a, b), result = order >= 0 ? a->sign : signB;
	SubtractSizes(out, order >= 0 ? a : b, order >= 0 ? b : a);
	out->sign = order == 0 ? 0 : result;
}

// `out` is neither of them.
static void Multiply(Big* out, const Big* a, const Big* b)
{
	out->sign = a->sign * b->sign;
	out->length = out->sign != 0 ? a->length + b->length : 0;
	memset(out->limbs, 0, (size_t)out->length * sizeof(uint64_t));
	for (int i = 0; i < a->length && out->sign != 0; ++i)
	{
		uint64_t carry = 0;
		for (int j = 0; j < b->length; ++j)
		{
			Wide sum = (Wide)a->limbs[i] * b->limbs[j] + out->limbs[i + j] + carry;
			out->limbs[i + j] = (uint64_t)sum;
			carry = (uint64_t)(sum >> 64);
		}
		out->limbs[i + b->length] = carry;
	}
	while (out->length > 0 && out->limbs[out->length - 1] == 0)
	{
		--out->length;
	}
}

// ---- Vectors ---------------------------------------------------------------------------------------------------

typedef struct Vector
{
	Big c[3];
} Vector;

static void Subtract(Vector* out, const Vector* u, const Vector* v)
{
	for (int k = 0; k < 3; ++k)
	{
		AddSigned(&out->c[k], &u->c[k], &v->c[k], -1);
	}
}

// `out` is neither of them.
static void Cross(Vector* out, const Vector* u, const Vector* v)
{
	for (int k = 0; k < 3; ++k)
	{
		int i = (k + 1) % 3, j = (k + 2) % 3;
		Big product;
		Multiply(&out->c[k], &u->c[i], &v->c[j]);
		Multiply(&product, &u->c[j], &v->c[i]);
		AddSigned(&out->c[k], &out->c[k], &product, -1);
	}
}

static void Dot(Big* out, const Vector* u, const Vector* v)
{
	Multiply(out, &u->c[0], &v->c[0]);
	for (int k = 1; k < 3; ++k)
	{
		Big product;
		Multiply(&product, &u->c[k], &v->c[k]);
		AddSigned(out, out, &product, 1);
	}
}

static bool IsZero(const Vector* v)
{
	return v->c[0].sign == 0 && v->c[1].sign == 0 && v->c[2].sign == 0;
}

// ---- Triangles -------------------------------------------------------------------------------------------------

// A float as an integer and a power of two.
static int64_t Split(float value, int* exponent)
{
	int64_t mantissa = (int64_t)ldexp(frexp((double)value, exponent), 24);
	for (*exponent -= 24; mantissa != 0 && mantissa % 2 == 0; mantissa /= 2)
	{
		++*exponent;
	}
	return mantissa;
}

// Six points on a grid that holds all of them, relative to the first one.
static void MakeGrid(const float a[3][3], const float b[3][3], Vector points[6])
{
	int64_t mantissas[18];
	int exponents[18], lowest = 1000;
	for (int i = 0; i < 18; ++i)
	{
		mantissas[i] = Split(i < 9 ? a[i / 3][i % 3] : b[i / 3 - 3][i % 3], &exponents[i]);
		lowest = mantissas[i] != 0 && exponents[i] < lowest ? exponents[i] : lowest;
	}
	for (int i = 0; i < 18; ++i)
	{
		Shift(&points[i / 3].c[i % 3], mantissas[i], mantissas[i] != 0 ? exponents[i] - lowest : 0);
	}
	const Vector first = points[0];
	for (int i = 0; i < 6; ++i)
	{
		Subtract(&points[i], &points[i], &first);
	}
}

// Is one triangle strictly beyond the other along an axis?
static bool Separates(const Vector* axis, const Vector points[6])
{
	Big at[6];
	int low[2] = { 0, 3 }, high[2] = { 0, 3 };
	for (int i = 0; i < 6; ++i)
	{
		Dot(&at[i], axis, &points[i]);
		low[i / 3] = Compare(&at[i], &at[low[i / 3]]) < 0 ? i : low[i / 3];
		high[i / 3] = Compare(&at[i], &at[high[i / 3]]) > 0 ? i : high[i / 3];
	}
	return Compare(&at[high[0]], &at[low[1]]) < 0 || Compare(&at[high[1]], &at[low[0]]) < 0;
}

static bool SeparatesBy(const Vector* u, const Vector* v, const Vector points[6])
{
	Vector axis;
	Cross(&axis, u, v);
	return Separates(&axis, points);
}

// The difference {x - y} of the triangles is a polytope that the six edges span. If it misses zero, zero is strictly
// outside one of its facets, or not in its affine hull; both give an axis that separates strictly. Facets of a solid
// have the normals of the triangles, or of an edge of each.
static bool SeparatesInSpace(const Vector edges[6], const Vector points[6])
{
	bool separates = SeparatesBy(&edges[0], &edges[1], points) || SeparatesBy(&edges[3], &edges[4], points);
	for (int i = 0; i < 9 && !separates; ++i)
	{
		separates = SeparatesBy(&edges[i / 3], &edges[3 + i % 3], points);
	}
	return separates;
}

// Of a polygon: its plane, and in it the normals of edges.
static bool SeparatesInPlane(const Vector* normal, const Vector edges[6], const Vector points[6])
{
	bool separates = Separates(normal, points);
	for (int i = 0; i < 6 && !separates; ++i)
	{
		separates = SeparatesBy(normal, &edges[i], points);
	}
	return separates;
}

// Of a segment: its ends, and for its line what of a difference w is perpendicular to it, e x (w x e). Of a point: the
// difference itself.
static bool SeparatesOnLine(const Vector* edge, const Vector points[6])
{
	Vector axis;
	if (IsZero(edge))
	{
		return Separates(&points[3], points);
	}
	Cross(&axis, &points[3], edge);
	return Separates(edge, points) || SeparatesBy(edge, &axis, points);
}

bool exactIntersect(const float a[3][3], const float b[3][3])
{
	static const int ends[6][2] = { { 1, 0 }, { 2, 0 }, { 2, 1 }, { 4, 3 }, { 5, 3 }, { 5, 4 } };
	Vector points[6], edges[6];
	MakeGrid(a, b, points);
	int edge = -1, turn = -1;
	Vector normal;
	bool isSolid = false;
	for (int i = 0; i < 6; ++i)
	{
		Subtract(&edges[i], &points[ends[i][0]], &points[ends[i][1]]);
		if (edge >= 0 && turn < 0)
		{
			Cross(&normal, &edges[edge], &edges[i]);
			turn = IsZero(&normal) ? -1 : i;
		}
		else if (turn >= 0)
		{
			Big height;
			Dot(&height, &normal, &edges[i]);
			isSolid = isSolid || height.sign != 0;
		}
		edge = edge < 0 && !IsZero(&edges[i]) ? i : edge;
	}
	return !(isSolid     ? SeparatesInSpace(edges, points)
	         : turn >= 0 ? SeparatesInPlane(&normal, edges, points)
	                     : SeparatesOnLine(edge >= 0 ? &edges[edge] : &edges[0], points));
}
