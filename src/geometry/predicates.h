// src/geometry/predicates.h: exact signs of determinants of float32 points.
//
// Every function is right for all finite inputs, whatever the exponents. A filter in double decides nearly all
// calls inline; the rest are computed exactly with floating-point expansions in predicates.c.
//
// Range. Coordinates are below 2^128 and multiples of 2^-149. A difference of two is below 2^129 and a multiple
// of 2^-149, and so is its rounded value, for rounding to nearest cannot leave the multiples of a power of two
// that it started on: either the unit in the last place is at least that power, or the value is exact. Hence
// a triple product of differences is below 2^390 and a multiple of 2^-447. Normal doubles reach from 2^-1022 to
// 2^1024, so nothing here overflows or underflows, and a computed product is zero only if a factor is.
//
// Needs round to nearest even, subnormal inputs not flushed, no contraction of a * b + c (-ffp-contract=off),
// and double arithmetic that rounds to double.

#pragma once

#include <float.h>
#include <math.h>

#if FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2
#error "snug needs double arithmetic that rounds to double; on 32-bit x86 compile with -msse2 -mfpmath=sse"
#endif

/// What a filter returns when rounding could hide the sign.
enum
{
	sg_unsure = 2
};

/// A plane through three float points, prepared for testing many points against it.
/// The normal is (b - d) x (c - d), rounded; `magnitude` is the same sum with absolute products.
typedef struct sgPlane
{
	const float* b;
	const float* c;
	const float* d;
	double normal[3];
	double magnitude[3];
} sgPlane;

/// Signs by exact arithmetic alone. The functions below call them when their filter is unsure.
int sgOrient3D_Exact(const float a[3], const float b[3], const float c[3], const float d[3]);
int sgOrient2D_Exact(const float* a, const float* b, const float* c, int u, int v);

/// The determinants themselves, computed exactly and rounded: off by less than 2^-51 of themselves. Zero exactly if
/// they are, and of the right sign.
double sgOrient3D_ExactValue(const float a[3], const float b[3], const float c[3], const float d[3]);
double sgOrient2D_ExactValue(const float* a, const float* b, const float* c, int u, int v);

/// The points are borrowed: they must live as long as the plane.
static inline sgPlane sgPlane_Make(const float b[3], const float c[3], const float d[3])
{
	const double bx = (double)b[0] - d[0], by = (double)b[1] - d[1], bz = (double)b[2] - d[2];
	const double cx = (double)c[0] - d[0], cy = (double)c[1] - d[1], cz = (double)c[2] - d[2];
	const double yz = by * cz, zy = bz * cy;
	const double zx = bz * cx, xz = bx * cz;
	const double xy = bx * cy, yx = by * cx;
	return (sgPlane){
		.b = b,
		.c = c,
		.d = d,
		.normal = { yz - zy, zx - xz, xy - yx },
		.magnitude = { fabs(yz) + fabs(zy), fabs(zx) + fabs(xz), fabs(xy) + fabs(yx) },
	};
}

/// det[a - d; b - d; c - d] = normal . (a - d) in plain double, and a bound on its error.
///
/// Let u = 2^-53. The determinant is a sum of six triple products. In the evaluation below each one picks up at
/// most eight factors (1 + e), |e| <= u: three differences, the product in the normal, the subtraction in the
/// normal, the product with a - d, and two additions. With P the sum of the six absolute exact products, the
/// error is thus at most ((1 + u)^8 - 1) P. The sum of absolute values is computed with the same eight roundings
/// and no cancellation, so it is at least (1 - u)^8 P, and its product with 9u at least 9u (1 - u)^9 P, which
/// exceeds the error: 9u (1 - 9u) > 8u + 28u^2 + ... for this u.
/// If the bound is zero, all six computed products are, so (see the range proof) all six exact ones: the sign
/// is exactly zero. That decides the corner that a shared vertex or an axis-aligned face gives, for free.
static inline double sgPlane_Estimate(const sgPlane* plane, const float a[3], double* bound)
{
	const double x = (double)a[0] - plane->d[0], y = (double)a[1] - plane->d[1], z = (double)a[2] - plane->d[2];
	const double det = x * plane->normal[0] + y * plane->normal[1] + z * plane->normal[2];
	const double sum = fabs(x) * plane->magnitude[0] + fabs(y) * plane->magnitude[1] + fabs(z) * plane->magnitude[2];
	*bound = sum * (9 * 0x1p-53);
	return det;
}

/// The sign of that, or sg_unsure.
static inline int sgPlane_Filter(const sgPlane* plane, const float a[3])
{
	double bound;
	const double det = sgPlane_Estimate(plane, a, &bound);
	if (fabs(det) > bound || bound == 0)
	{
		return (det > 0) - (det < 0);
	}
	return sg_unsure;
}

/// Exact sign of det[a - d; b - d; c - d]: the side of the plane that `a` lies on, 0 if on it.
/// Always 0 if the plane's three points are collinear.
static inline int sgPlane_Side(const sgPlane* plane, const float a[3])
{
	const int side = sgPlane_Filter(plane, a);
	return side != sg_unsure ? side : sgOrient3D_Exact(a, plane->b, plane->c, plane->d);
}

/// Exact sign of det[a - d; b - d; c - d]: positive if a, b, c turn counterclockwise as seen from the side of their
/// plane opposite to d.
static inline int sgOrient3D(const float a[3], const float b[3], const float c[3], const float d[3])
{
	const sgPlane plane = sgPlane_Make(b, c, d);
	return sgPlane_Side(&plane, a);
}

/// The determinant itself, off by less than 2^-40 of itself; zero exactly if it is, and of the right sign. Its error is
/// below the filter's bound, so in plain double it will do where it exceeds that by a factor of 2^40.
static inline double sgPlane_Value(const sgPlane* plane, const float a[3])
{
	double bound;
	const double det = sgPlane_Estimate(plane, a, &bound);
	return fabs(det) > bound * 0x1p40 || bound == 0 ? det : sgOrient3D_ExactValue(a, plane->b, plane->c, plane->d);
}

/// Sign of det[a - c; b - c] in the coordinates u and v, or sg_unsure.
/// As above with four factors per product: two differences, the product, the subtraction. 5u (1 - u)^5 exceeds
/// (1 + u)^4 - 1.
static inline int sgOrient2D_Filter(const float* a, const float* b, const float* c, int u, int v)
{
	const double left = ((double)a[u] - c[u]) * ((double)b[v] - c[v]);
	const double right = ((double)a[v] - c[v]) * ((double)b[u] - c[u]);
	const double det = left - right;
	const double bound = (fabs(left) + fabs(right)) * (5 * 0x1p-53);
	if (fabs(det) > bound || bound == 0)
	{
		return (det > 0) - (det < 0);
	}
	return sg_unsure;
}

/// Exact sign of det[a - c; b - c] for the points' coordinates u and v: positive if a, b, c turn counterclockwise in
/// the (u, v) plane.
static inline int sgOrient2D_Axes(const float* a, const float* b, const float* c, int u, int v)
{
	const int sign = sgOrient2D_Filter(a, b, c, u, v);
	return sign != sg_unsure ? sign : sgOrient2D_Exact(a, b, c, u, v);
}

/// The determinant itself, off by less than 2^-40 of itself; zero exactly if it is, and of the right sign.
static inline double sgOrient2D_Value(const float* a, const float* b, const float* c, int u, int v)
{
	const double left = ((double)a[u] - c[u]) * ((double)b[v] - c[v]);
	const double right = ((double)a[v] - c[v]) * ((double)b[u] - c[u]);
	const double det = left - right, sum = fabs(left) + fabs(right);
	return fabs(det) > sum * (5 * 0x1p-13) || sum == 0 ? det : sgOrient2D_ExactValue(a, b, c, u, v);
}

/// Turn of p, q, r as seen along an axis.
static inline int sgTurn(const float* p, const float* q, const float* r, int axis)
{
	return sgOrient2D_Axes(p, q, r, (axis + 1) % 3, (axis + 2) % 3);
}

static inline double sgTurn_Value(const float* p, const float* q, const float* r, int axis)
{
	return sgOrient2D_Value(p, q, r, (axis + 1) % 3, (axis + 2) % 3);
}

/// An axis along which the normal of p, q, r is not zero; -1 if the points are collinear. Along that axis the points'
/// plane projects one-to-one, so anything within that plane may be decided in the projection.
static inline int sgProjectionAxis(const float* p, const float* q, const float* r)
{
	for (int axis = 0; axis < 3; ++axis)
	{
		if (sgTurn(p, q, r, axis) != 0)
		{
			return axis;
		}
	}
	return -1;
}

/// The sign of normal . x + offset by exact arithmetic alone. Numbers of the plane are zero or of a magnitude between
/// 1e-200 and 1e100: nothing overflows, and no part of a product is subnormal.
int sgHalfSpace_ExactSide(const double normal[3], double offset, const float x[3]);

/// Exact sign of normal . x + offset, for the same numbers. A product and three sums round, each by 2^-53 of what is
/// below the sum of absolute values, and that sum rounds too: 4u and a little more, which 8u exceeds. If that sum is
/// zero everything is.
static inline int sgHalfSpace_Side(const double normal[3], double offset, const float x[3])
{
	const double a = normal[0] * x[0], b = normal[1] * x[1], c = normal[2] * x[2];
	const double value = a + b + c + offset, bound = (fabs(a) + fabs(b) + fabs(c) + fabs(offset)) * 0x1p-50;
	return fabs(value) > bound || bound == 0 ? (value > 0) - (value < 0) : sgHalfSpace_ExactSide(normal, offset, x);
}

/// The lexicographic order of two points: -1, 0 or 1. Along a line the first coordinate that changes at all does so
/// monotonically, so it is the order on the line.
static inline int sgComparePoints(const float* p, const float* q)
{
	for (int k = 0; k < 3; ++k)
	{
		if (p[k] != q[k])
		{
			return p[k] < q[k] ? -1 : 1;
		}
	}
	return 0;
}
