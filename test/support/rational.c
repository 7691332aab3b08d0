// test/support/rational.c: exact oracles. Plain rather than fast, and unlike the code under test in method.

#include "rational.h"

#include "rational_vector.h"

// A triangle with its normal, which is zero if the corners are collinear.
typedef struct Hull
{
	Vector corners[3];
	Vector normal;
} Hull;

// All temporaries, each used by one function only.
static struct Workspace
{
	Vector a, b, c, d, normal;        // RationalOrient3D
	mpq_t det;                        //
	Vector toP, toQ, parallel;        // InSegment
	mpq_t between;                    //
	Vector edge1, edge2;              // SetHull
	Vector edge, toX, turn;           // InHull
	mpq_t inside;                     //
	mpq_t ratio;                      // PointOnLine
	Vector fromPlane, direction;      // LineThroughPlane
	mpq_t height, slope;              //
	Vector pq, rs, pr, common, along; // LineThroughLine
	mpq_t numerator, denominator;     //
	Vector candidate;                 // CommonPoint
	Hull hullA, hullB, hole;          // RationalIntersectBeyond
} work;

int RationalOrient3D(const float a[3], const float b[3], const float c[3], const float d[3])
{
	InitOnce(&work, sizeof(work));
	SetVector(&work.a, a);
	SetVector(&work.b, b);
	SetVector(&work.c, c);
	SetVector(&work.d, d);
	Subtract(&work.a, &work.a, &work.d);
	Subtract(&work.b, &work.b, &work.d);
	Subtract(&work.c, &work.c, &work.d);
	Cross(&work.normal, &work.b, &work.c);
	Dot(work.det, &work.a, &work.normal);
	return mpq_sgn(work.det);
}

int RationalOrient2D(const float a[2], const float b[2], const float c[2])
{
	// The turn is the sign of the volume between the triangle in z = 0 and a point below it.
	const float a3[3] = { a[0], a[1], 0 }, b3[3] = { b[0], b[1], 0 }, c3[3] = { c[0], c[1], 0 };
	const float below[3] = { c[0], c[1], -1 };
	return RationalOrient3D(a3, b3, c3, below);
}

// x is on the segment pq if x - p and x - q are parallel and do not point the same way. Right for p = q too.
static bool InSegment(const Vector* x, const Vector* p, const Vector* q)
{
	Subtract(&work.toP, x, p);
	Subtract(&work.toQ, x, q);
	Cross(&work.parallel, &work.toP, &work.toQ);
	Dot(work.between, &work.toP, &work.toQ);
	return IsZero(&work.parallel) && mpq_sgn(work.between) <= 0;
}

static void SetHull(Hull* hull, const float* p, const float* q, const float* r)
{
	SetVector(&hull->corners[0], p);
	SetVector(&hull->corners[1], q);
	SetVector(&hull->corners[2], r);
	Subtract(&work.edge1, &hull->corners[1], &hull->corners[0]);
	Subtract(&work.edge2, &hull->corners[2], &hull->corners[0]);
	Cross(&hull->normal, &work.edge1, &work.edge2);
}

static bool InHull(const Vector* x, const Hull* hull)
{
	const Vector* c = hull->corners;
	if (IsZero(&hull->normal))
	{
		return InSegment(x, &c[0], &c[1]) || InSegment(x, &c[1], &c[2]) || InSegment(x, &c[2], &c[0]);
	}
	Subtract(&work.toX, x, &c[0]);
	Dot(work.inside, &work.toX, &hull->normal);
	bool inside = mpq_sgn(work.inside) == 0;
	for (int i = 0; i < 3 && inside; ++i)
	{
		Subtract(&work.edge, &c[(i + 1) % 3], &c[i]);
		Subtract(&work.toX, x, &c[i]);
		Cross(&work.turn, &work.edge, &work.toX);
		Dot(work.inside, &work.turn, &hull->normal);
		inside = mpq_sgn(work.inside) >= 0;
	}
	return inside;
}

// out = p + (q - p) * numerator / denominator
static void PointOnLine(Vector* out, const Vector* p, const Vector* q, const mpq_t numerator, const mpq_t denominator)
{
	mpq_div(work.ratio, numerator, denominator);
	Subtract(out, q, p);
	for (int k = 0; k < 3; ++k)
	{
		mpq_mul(out->c[k], out->c[k], work.ratio);
		mpq_add(out->c[k], out->c[k], p->c[k]);
	}
}

// Where the line pq crosses the hull's plane. False if it does not, or lies in it, or there is no plane.
static bool LineThroughPlane(Vector* out, const Vector* p, const Vector* q, const Hull* hull)
{
	Subtract(&work.direction, p, q);
	Dot(work.slope, &work.direction, &hull->normal);
	if (mpq_sgn(work.slope) == 0)
	{
		return false;
	}
	Subtract(&work.fromPlane, p, &hull->corners[0]);
	Dot(work.height, &work.fromPlane, &hull->normal);
	PointOnLine(out, p, q, work.height, work.slope);
	return true;
}

// Where the lines pq and rs cross. False if they do not, or are parallel.
static bool LineThroughLine(Vector* out, const Vector* p, const Vector* q, const Vector* r, const Vector* s)
{
	Subtract(&work.pq, q, p);
	Subtract(&work.rs, s, r);
	Subtract(&work.pr, r, p);
	Cross(&work.common, &work.pq, &work.rs);
	Dot(work.numerator, &work.pr, &work.common);
	if (IsZero(&work.common) || mpq_sgn(work.numerator) != 0)
	{
		return false;
	}
	Cross(&work.along, &work.pr, &work.rs);
	Dot(work.numerator, &work.along, &work.common);
	Dot(work.denominator, &work.common, &work.common);
	PointOnLine(out, p, q, work.numerator, work.denominator);
	return true;
}

static bool IsCommon(const Vector* x, const Hull* a, const Hull* b, const Hull* hole)
{
	return InHull(x, a) && InHull(x, b) && (hole == NULL || !InHull(x, hole));
}

// Is there a point in both hulls, but not in the hole (nullable)?
//
// The intersection of two convex polytopes is the hull of its extreme points. An extreme point is the only common point
// of a face of one and a face of the other: of a corner and anything, of two edges that cross, or of an edge and a
// triangle that it crosses. So it is enough to look at the corners and at those crossings, and since the hole
// is convex, it contains the intersection if it contains the extreme points.
static bool CommonPoint(const Hull* a, const Hull* b, const Hull* hole)
{
	Vector* x = &work.candidate;
	for (int i = 0; i < 3; ++i)
	{
		const Vector *p = &a->corners[i], *q = &a->corners[(i + 1) % 3];
		const Vector *r = &b->corners[i], *s = &b->corners[(i + 1) % 3];
		if (IsCommon(p, a, b, hole) || IsCommon(r, a, b, hole) ||
		    (LineThroughPlane(x, p, q, b) && IsCommon(x, a, b, hole)) ||
		    (LineThroughPlane(x, r, s, a) && IsCommon(x, a, b, hole)))
		{
			return true;
		}
		for (int j = 0; j < 3; ++j)
		{
			if (LineThroughLine(x, p, q, &b->corners[j], &b->corners[(j + 1) % 3]) && IsCommon(x, a, b, hole))
			{
				return true;
			}
		}
	}
	return false;
}

bool RationalIntersectBeyond(const float a[3][3], const float b[3][3], uint32_t shared)
{
	InitOnce(&work, sizeof(work));
	SetHull(&work.hullA, a[0], a[1], a[2]);
	SetHull(&work.hullB, b[0], b[1], b[2]);
	const float* corners[3];
	int count = 0;
	for (int i = 0; i < 3; ++i)
	{
		if ((shared >> (3 * i) & 7) != 0)
		{
			corners[count++] = a[i];
		}
	}
	if (count == 0)
	{
		return CommonPoint(&work.hullA, &work.hullB, NULL);
	}
	SetHull(&work.hole, corners[0], corners[count / 2], corners[count - 1]);
	return CommonPoint(&work.hullA, &work.hullB, &work.hole);
}

bool RationalIntersect(const float a[3][3], const float b[3][3])
{
	return RationalIntersectBeyond(a, b, 0);
}
