// test/support/rational.c: exact oracles. Plain rather than fast, and unlike the code under test in method.

#include "rational.h"

#include <gmp.h>
#include <math.h>

typedef struct Vector
{
	mpq_t c[3];
} Vector;

// A triangle with its normal, which is zero if the corners are collinear.
typedef struct Hull
{
	Vector corners[3];
	Vector normal;
} Hull;

// All temporaries, each used by one function only. They live as long as the program: initialising a rational
// costs more than using it. Holds nothing but rationals.
static struct Workspace
{
	mpq_t product;                    // Cross, Dot
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

static void InitOnce(void)
{
	static bool done = false;
	mpq_t* all = (mpq_t*)&work;
	for (size_t i = 0; !done && i < sizeof(work) / sizeof(mpq_t); ++i)
	{
		mpq_init(all[i]);
	}
	done = true;
}

static void SetVector(Vector* v, const float* from)
{
	for (int k = 0; k < 3; ++k)
	{
		mpq_set_d(v->c[k], (double)from[k]);
	}
}

static void Subtract(Vector* out, const Vector* u, const Vector* v)
{
	for (int k = 0; k < 3; ++k)
	{
		mpq_sub(out->c[k], u->c[k], v->c[k]);
	}
}

static void Cross(Vector* out, const Vector* u, const Vector* v)
{
	for (int k = 0; k < 3; ++k)
	{
		const int i = (k + 1) % 3, j = (k + 2) % 3;
		mpq_mul(out->c[k], u->c[i], v->c[j]);
		mpq_mul(work.product, u->c[j], v->c[i]);
		mpq_sub(out->c[k], out->c[k], work.product);
	}
}

static void Dot(mpq_t out, const Vector* u, const Vector* v)
{
	mpq_mul(out, u->c[0], v->c[0]);
	for (int k = 1; k < 3; ++k)
	{
		mpq_mul(work.product, u->c[k], v->c[k]);
		mpq_add(out, out, work.product);
	}
}

static bool IsZero(const Vector* v)
{
	return mpq_sgn(v->c[0]) == 0 && mpq_sgn(v->c[1]) == 0 && mpq_sgn(v->c[2]) == 0;
}

int RationalOrient3D(const float a[3], const float b[3], const float c[3], const float d[3])
{
	InitOnce();
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
	InitOnce();
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

// --- Integers -------------------------------------------------------------------------------------------------------

__extension__ typedef __int128 Wide;

typedef struct WideVector
{
	Wide c[3];
} WideVector;

static WideVector WideSubtract(WideVector u, WideVector v)
{
	return (WideVector){ { u.c[0] - v.c[0], u.c[1] - v.c[1], u.c[2] - v.c[2] } };
}

static WideVector WideCross(WideVector u, WideVector v)
{
	return (WideVector){ {
		u.c[1] * v.c[2] - u.c[2] * v.c[1],
		u.c[2] * v.c[0] - u.c[0] * v.c[2],
		u.c[0] * v.c[1] - u.c[1] * v.c[0],
	} };
}

static Wide WideDot(WideVector u, WideVector v)
{
	return u.c[0] * v.c[0] + u.c[1] * v.c[1] + u.c[2] * v.c[2];
}

static bool WideIsZero(WideVector v)
{
	return v.c[0] == 0 && v.c[1] == 0 && v.c[2] == 0;
}

// Brings six points onto a grid of the smallest power of two, relative to the first one.
static bool ToGrid(const float a[3][3], const float b[3][3], WideVector grid[6])
{
	int lowest = 1000;
	for (int i = 0; i < 18; ++i)
	{
		const float value = i < 9 ? a[i / 3][i % 3] : b[i / 3 - 3][i % 3];
		int exponent;
		int32_t mantissa = (int32_t)ldexp(frexp((double)value, &exponent), 24);
		for (exponent -= 24; mantissa != 0 && mantissa % 2 == 0; mantissa /= 2)
		{
			++exponent;
		}
		lowest = mantissa != 0 && exponent < lowest ? exponent : lowest;
	}
	for (int i = 0; i < 18; ++i)
	{
		const float value = i < 9 ? a[i / 3][i % 3] : b[i / 3 - 3][i % 3];
		const double scaled = value != 0 ? ldexp((double)value, -lowest) : 0;
		if (fabs(scaled) > 0x1p27)
		{
			return false;
		}
		grid[i / 3].c[i % 3] = (Wide)scaled;
	}
	const WideVector origin = grid[0];
	for (int i = 0; i < 6; ++i)
	{
		grid[i] = WideSubtract(grid[i], origin);
	}
	return true;
}

// Are the first three points strictly beyond the last three along the axis, or the other way round?
static bool Separates(WideVector axis, const WideVector points[6])
{
	Wide low[2] = { 0, 0 }, high[2] = { 0, 0 };
	for (int i = 0; i < 6; ++i)
	{
		const Wide at = WideDot(axis, points[i]);
		low[i / 3] = i % 3 == 0 || at < low[i / 3] ? at : low[i / 3];
		high[i / 3] = i % 3 == 0 || at > high[i / 3] ? at : high[i / 3];
	}
	return high[0] < low[1] || high[1] < low[0];
}

static bool SeparatesInSpace(const WideVector edges[6], const WideVector points[6])
{
	if (Separates(WideCross(edges[0], edges[1]), points) || Separates(WideCross(edges[3], edges[4]), points))
	{
		return true;
	}
	for (int i = 0; i < 9; ++i)
	{
		if (Separates(WideCross(edges[i / 3], edges[3 + i % 3]), points))
		{
			return true;
		}
	}
	return false;
}

static bool SeparatesInPlane(WideVector normal, const WideVector edges[6], const WideVector points[6])
{
	if (Separates(normal, points))
	{
		return true;
	}
	for (int i = 0; i < 6; ++i)
	{
		if (Separates(WideCross(normal, edges[i]), points))
		{
			return true;
		}
	}
	return false;
}

// The difference {x - y} of the hulls is a polytope that the six edges span. If it misses zero, one of its facets has
// zero strictly outside, or zero is not in its affine hull; either gives an axis that separates the hulls strictly.
// Facets of a solid have the normals of the triangles, or of an edge of each. Of a polygon, they are its plane and the
// normals of edges in that plane. Of a segment, the ends, and for its line the part of any difference w that
// is perpendicular to it: e x (w x e). Of a point, the difference itself.
// Sizes: differences are at most 2^28, the axes' coordinates at most 2^86, the products' sums below 2^116.
bool IntegerIntersect(const float a[3][3], const float b[3][3], bool* intersect)
{
	WideVector p[6];
	if (!ToGrid(a, b, p))
	{
		return false;
	}
	const WideVector edges[6] = {
		WideSubtract(p[1], p[0]),
		WideSubtract(p[2], p[0]),
		WideSubtract(p[2], p[1]),
		WideSubtract(p[4], p[3]),
		WideSubtract(p[5], p[3]),
		WideSubtract(p[5], p[4]),
	};
	WideVector edge = { { 0 } }, normal = { { 0 } };
	bool solid = false;
	for (int i = 0; i < 6; ++i)
	{
		edge = WideIsZero(edge) ? edges[i] : edge;
		normal = WideIsZero(normal) ? WideCross(edge, edges[i]) : normal;
		solid = solid || WideDot(normal, edges[i]) != 0;
	}
	bool separate;
	if (solid)
	{
		separate = SeparatesInSpace(edges, p);
	}
	else if (!WideIsZero(normal))
	{
		separate = SeparatesInPlane(normal, edges, p);
	}
	else
	{
		const WideVector w = WideSubtract(p[3], p[0]);
		const WideVector axis = WideIsZero(edge) ? w : WideCross(edge, WideCross(w, edge));
		separate = Separates(edge, p) || Separates(axis, p);
	}
	*intersect = !separate;
	return true;
}

bool ExactIntersect(const float a[3][3], const float b[3][3])
{
	bool intersect;
	return IntegerIntersect(a, b, &intersect) ? intersect : RationalIntersect(a, b);
}

// --- Random numbers -------------------------------------------------------------------------------------------------

// splitmix64
uint64_t RandomBits(Random* random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

int RandomInt(Random* random, int low, int high)
{
	return low + (int)(RandomBits(random) % (uint64_t)(high - low + 1));
}

float RandomFloat(Random* random, float low, float high)
{
	return low + (high - low) * (float)(RandomBits(random) >> 40) * 0x1p-24f;
}

float RandomNudge(Random* random, float value, int steps)
{
	for (int i = RandomInt(random, -steps, steps); i != 0; i += i < 0 ? 1 : -1)
	{
		value = nextafterf(value, i < 0 ? -INFINITY : INFINITY);
	}
	return value;
}
