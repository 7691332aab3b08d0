// test/support/rational_sweep.c: see rational_sweep.h.
//
// A closed condition made of signs of polynomials can begin to hold only at 0 or at a root of one of them. So it is
// enough to look at the roots of the cubic, or, where four corners stay in one plane, at those of all polynomials that
// the condition has; at each of them all signs are found exactly.
#include "rational_sweep.h"

#include "rational.h"
#include "rational_vector.h"

#include <stdlib.h>

#define COEFFICIENTS 5 // degrees up to 4: products of two cross products
#define CHAIN (COEFFICIENTS + 1)
#define MOST_INSIDE 4
#define MOST_SEGMENTS 4
#define HALVES 2048 // two roots may be as near as 2 to the minus that

typedef struct Poly
{
	mpq_t c[COEFFICIENTS];
} Poly;

typedef struct PolyVector
{
	Poly c[3];
} PolyVector;

// The only root in (lower, upper] of a polynomial without multiple roots, which is not zero at upper; or lower = upper.
typedef struct Root
{
	Poly poly;
	mpq_t lower, upper;
} Root;

// Features meet where `square` is not zero, `plane` is, and no `inside` is negative: points inside a triangle, edges
// that cross. Or where a vertex is on an edge: a vector `flat` is zero and `between` not positive.
typedef struct Condition
{
	Poly square, plane, inside[MOST_INSIDE], between[MOST_SEGMENTS];
	PolyVector flat[MOST_SEGMENTS];
} Condition;

// All temporaries, each used by one function only.
static struct
{
	mpq_t product;                  // Multiply
	mpq_t value;                    // SignAt
	mpq_t ratio, scale;             // Divide
	Poly dividend, divisor;         // Gcd
	Poly derivative, common, rest;  // MakeSimple
	Poly simple, counted[CHAIN];    // CountRoots
	mpq_t middle;                   // Refine
	Poly shared;                    // SignAtRoot
	Poly isolated[CHAIN];           // VisitRoots
	mpq_t from[HALVES], to[HALVES]; //
	Root root;                      //
	Poly term;                      // DotPoly and CrossPoly
	PolyVector toP, toQ;            // SetSegment
	PolyVector corners[4];          // SetVertexTriangle and SetEdges
	PolyVector first, second, way;  //
	PolyVector normal, turn;        //
	Condition condition;
	mpq_t lower, upper, given; // of the first time
} work;

static int insideCount, segmentCount;
static bool meets;

// ---- Polynomials ---------------------------------------------------------------------------------------------------

static int Degree(const Poly* p)
{
	int degree = COEFFICIENTS - 1;
	while (degree >= 0 && mpq_sgn(p->c[degree]) == 0)
	{
		--degree;
	}
	return degree; // -1: zero
}

static void SetZero(Poly* p)
{
	for (int i = 0; i < COEFFICIENTS; ++i)
	{
		mpq_set_ui(p->c[i], 0, 1);
	}
}

static void Copy(Poly* out, const Poly* p)
{
	for (int i = 0; i < COEFFICIENTS; ++i)
	{
		mpq_set(out->c[i], p->c[i]);
	}
}

static void SubtractPoly(Poly* out, const Poly* p, const Poly* q)
{
	for (int i = 0; i < COEFFICIENTS; ++i)
	{
		mpq_sub(out->c[i], p->c[i], q->c[i]);
	}
}

// `out` is neither of them.
static void Multiply(Poly* out, const Poly* p, const Poly* q)
{
	const int degreeP = Degree(p), degreeQ = Degree(q);
	SetZero(out);
	for (int i = 0; i <= degreeP; ++i)
	{
		for (int j = 0; j <= degreeQ; ++j)
		{
			mpq_mul(work.product, p->c[i], q->c[j]);
			mpq_add(out->c[i + j], out->c[i + j], work.product);
		}
	}
}

static int SignAt(const Poly* p, const mpq_t t)
{
	const int degree = Degree(p);
	mpq_set_ui(work.value, 0, 1);
	for (int i = degree; i >= 0; --i)
	{
		mpq_mul(work.value, work.value, t);
		mpq_add(work.value, work.value, p->c[i]);
	}
	return mpq_sgn(work.value);
}

// `p` becomes the remainder, and `quotient`, nullable, the quotient, both times one positive number: without fractions
// but those of powers of two, so that nothing is ever cancelled, which took most of the time.
static void Divide(Poly* p, const Poly* by, Poly* quotient)
{
	const int degree = Degree(by);
	mpq_abs(work.scale, by->c[degree]);
	for (int d = Degree(p); d >= degree; d = Degree(p))
	{
		mpq_set(work.ratio, p->c[d]);
		if (mpq_sgn(by->c[degree]) < 0)
		{
			mpq_neg(work.ratio, work.ratio);
		}
		for (int i = 0; i < COEFFICIENTS; ++i)
		{
			mpq_mul(p->c[i], p->c[i], work.scale);
			if (quotient != NULL)
			{
				mpq_mul(quotient->c[i], quotient->c[i], work.scale);
			}
		}
		for (int i = 0; i <= degree; ++i)
		{
			mpq_mul(work.product, work.ratio, by->c[i]);
			mpq_sub(p->c[d - degree + i], p->c[d - degree + i], work.product);
		}
		if (quotient != NULL)
		{
			mpq_set(quotient->c[d - degree], work.ratio);
		}
	}
}

static void Gcd(Poly* out, const Poly* p, const Poly* q)
{
	Poly *a = &work.dividend, *b = &work.divisor;
	Copy(a, p);
	Copy(b, q);
	while (Degree(b) > 0)
	{
		Divide(a, b, NULL);
		Poly* rest = a;
		a = b;
		b = rest;
	}
	Copy(out, Degree(b) == 0 ? b : a);
}

static void Derive(Poly* out, const Poly* p)
{
	SetZero(out);
	for (int i = 1; i < COEFFICIENTS; ++i)
	{
		mpq_set_ui(work.product, (unsigned long)i, 1);
		mpq_mul(out->c[i - 1], p->c[i], work.product);
	}
}

// The same roots, each once.
static void MakeSimple(Poly* out, const Poly* p)
{
	Derive(&work.derivative, p);
	Gcd(&work.common, p, &work.derivative);
	if (Degree(&work.common) < 1)
	{
		Copy(out, p);
		return;
	}
	Copy(&work.rest, p);
	SetZero(out);
	Divide(&work.rest, &work.common, out);
}

// Sturm's chain of a polynomial without multiple roots. Returns its length.
static int MakeChain(Poly chain[CHAIN], const Poly* p)
{
	int length = 2;
	Copy(chain + 0, p);
	Derive(chain + 1, p);
	for (; Degree(chain + length - 1) > 0; ++length)
	{
		Poly* next = chain + length;
		Copy(next, chain + length - 2);
		Divide(next, chain + length - 1, NULL);
		for (int i = 0; i < COEFFICIENTS; ++i)
		{
			mpq_neg(next->c[i], next->c[i]);
		}
	}
	return length;
}

static int CountChanges(const Poly* chain, int length, const mpq_t t)
{
	int last = 0, changes = 0;
	for (int i = 0; i < length; ++i)
	{
		const int sign = SignAt(chain + i, t);
		changes += sign * last < 0;
		last = sign != 0 ? sign : last;
	}
	return changes;
}

// Of any polynomial but zero, in (lower, upper].
static int CountRoots(const Poly* p, const mpq_t lower, const mpq_t upper)
{
	if (Degree(p) < 1)
	{
		return 0;
	}
	MakeSimple(&work.simple, p);
	const int length = MakeChain(work.counted, &work.simple);
	return CountChanges(work.counted, length, lower) - CountChanges(work.counted, length, upper);
}

// ---- Roots ---------------------------------------------------------------------------------------------------------

static void Refine(Root* root, int times)
{
	for (int i = 0; i < times && mpq_cmp(root->lower, root->upper) != 0; ++i)
	{
		mpq_add(work.middle, root->lower, root->upper);
		mpq_div_2exp(work.middle, work.middle, 1);
		const int sign = SignAt(&root->poly, work.middle);
		if (sign == 0)
		{
			mpq_set(root->lower, work.middle);
			mpq_set(root->upper, work.middle);
		}
		else
		{
			mpq_set(sign == SignAt(&root->poly, root->upper) ? root->upper : root->lower, work.middle);
		}
	}
}

// The sign of a polynomial at a root of another: where it has no root near that, that of the neighbourhood; and zero if
// both have that root in common.
static int SignAtRoot(Root* root, const Poly* p)
{
	const bool isZero = Degree(p) < 0;
	bool isLookedFor = false;
	while (!isZero && mpq_cmp(root->lower, root->upper) != 0 && CountRoots(p, root->lower, root->upper) > 0)
	{
		if (isLookedFor)
		{
			Gcd(&work.shared, &root->poly, p);
			if (CountRoots(&work.shared, root->lower, root->upper) > 0)
			{
				return 0;
			}
		}
		Refine(root, 24);
		isLookedFor = true;
	}
	return isZero ? 0 : SignAt(p, root->upper);
}

static bool IsVertexOnEdge(Root* root, int i)
{
	bool isFlat = true;
	for (int k = 0; k < 3 && isFlat; ++k)
	{
		isFlat = SignAtRoot(root, &work.condition.flat[i].c[k]) == 0;
	}
	return isFlat && SignAtRoot(root, &work.condition.between[i]) <= 0;
}

static bool Holds(Root* root)
{
	const Condition* condition = &work.condition;
	bool isInside = SignAtRoot(root, &condition->square) != 0 && SignAtRoot(root, &condition->plane) == 0;
	for (int i = 0; i < insideCount && isInside; ++i)
	{
		isInside = SignAtRoot(root, condition->inside + i) >= 0;
	}
	for (int i = 0; i < segmentCount && !isInside; ++i)
	{
		isInside = IsVertexOnEdge(root, i);
	}
	return isInside;
}

// The features meet at the root: is that the first time?
static void Keep(Root* root)
{
	Refine(root, 100);
	if (!meets || mpq_cmp(root->upper, work.upper) < 0)
	{
		mpq_set(work.lower, root->lower);
		mpq_set(work.upper, root->upper);
	}
	meets = true;
}

static bool VisitTime(Root* root, const mpq_t time)
{
	mpq_set(root->lower, time);
	mpq_set(root->upper, time);
	const bool holds = Holds(root);
	if (holds)
	{
		Keep(root);
	}
	return holds;
}

// Whether the condition holds at a root of a polynomial from 0 to 1, the first one first, up to the first of all so
// far.
static void VisitRoots(const Poly* p)
{
	if (Degree(p) < 1)
	{
		return;
	}
	Root* root = &work.root;
	MakeSimple(&root->poly, p);
	const int length = MakeChain(work.isolated, &root->poly);
	mpq_set_ui(work.from[0], 0, 1);
	mpq_set_ui(work.to[0], 1, 1);
	if (SignAt(p, work.from[0]) == 0 && VisitTime(root, work.from[0]))
	{
		return;
	}
	for (int top = 1; top > 0;)
	{
		--top;
		const int roots =
		    CountChanges(work.isolated, length, work.from[top]) - CountChanges(work.isolated, length, work.to[top]);
		if (roots == 0 || (meets && mpq_cmp(work.upper, work.from[top]) <= 0))
		{
			continue;
		}
		if (roots == 1)
		{
			mpq_set(root->lower, work.from[top]);
			mpq_set(root->upper, work.to[top]);
			if (SignAt(&root->poly, root->upper) == 0)
			{
				mpq_set(root->lower, root->upper);
			}
			if (Holds(root))
			{
				Keep(root);
				return;
			}
			continue;
		}
		if (top + 2 > HALVES)
		{
			abort();
		}
		// The later half stays where it is, the earlier one comes on top.
		mpq_add(work.to[top + 1], work.from[top], work.to[top]);
		mpq_div_2exp(work.to[top + 1], work.to[top + 1], 1);
		mpq_set(work.from[top + 1], work.from[top]);
		mpq_set(work.from[top], work.to[top + 1]);
		top += 2;
	}
}

// ---- Features ------------------------------------------------------------------------------------------------------

static void SubtractVector(PolyVector* out, const PolyVector* u, const PolyVector* v)
{
	for (int k = 0; k < 3; ++k)
	{
		SubtractPoly(out->c + k, u->c + k, v->c + k);
	}
}

static void CrossPoly(PolyVector* out, const PolyVector* u, const PolyVector* v)
{
	for (int k = 0; k < 3; ++k)
	{
		const int i = (k + 1) % 3, j = (k + 2) % 3;
		Multiply(out->c + k, u->c + i, v->c + j);
		Multiply(&work.term, u->c + j, v->c + i);
		SubtractPoly(out->c + k, out->c + k, &work.term);
	}
}

static void DotPoly(Poly* out, const PolyVector* u, const PolyVector* v)
{
	SetZero(out);
	for (int k = 0; k < 3; ++k)
	{
		Multiply(&work.term, u->c + k, v->c + k);
		for (int i = 0; i < COEFFICIENTS; ++i)
		{
			mpq_add(out->c[i], out->c[i], work.term.c[i]);
		}
	}
}

static void SetCorner(PolyVector* corner, const double path[2][3])
{
	for (int k = 0; k < 3; ++k)
	{
		SetZero(corner->c + k);
		mpq_set_d(corner->c[k].c[0], path[0][k]);
		mpq_set_d(corner->c[k].c[1], path[1][k]);
		mpq_sub(corner->c[k].c[1], corner->c[k].c[1], corner->c[k].c[0]);
	}
}

static void SetSegment(int i, const PolyVector* x, const PolyVector* p, const PolyVector* q)
{
	SubtractVector(&work.toP, x, p);
	SubtractVector(&work.toQ, x, q);
	CrossPoly(&work.condition.flat[i], &work.toP, &work.toQ);
	DotPoly(&work.condition.between[i], &work.toP, &work.toQ);
}

// x is in the triangle pqr if it is on the inner side of all edges.
static void SetVertexTriangle(void)
{
	const PolyVector *x = work.corners, *p = work.corners + 1;
	SubtractVector(&work.first, p + 1, p);
	SubtractVector(&work.second, p + 2, p);
	CrossPoly(&work.normal, &work.first, &work.second);
	DotPoly(&work.condition.square, &work.normal, &work.normal);
	SubtractVector(&work.way, x, p);
	DotPoly(&work.condition.plane, &work.way, &work.normal);
	for (int i = 0; i < 3; ++i)
	{
		SubtractVector(&work.first, p + (i + 1) % 3, p + i);
		SubtractVector(&work.way, x, p + i);
		CrossPoly(&work.turn, &work.first, &work.way);
		DotPoly(work.condition.inside + i, &work.turn, &work.normal);
		SetSegment(i, x, p + i, p + (i + 1) % 3);
	}
	insideCount = 3;
	segmentCount = 3;
}

// p + u (q - p) = r + v (s - r): with c = (q - p) x (s - r), u c.c = ((r - p) x (s - r)).c and v c.c = ((r - p) x (q -
// p)).c.
static void SetEdges(void)
{
	Condition* condition = &work.condition;
	const PolyVector *p = work.corners, *q = p + 1, *r = p + 2, *s = p + 3;
	SubtractVector(&work.first, q, p);
	SubtractVector(&work.second, s, r);
	SubtractVector(&work.way, r, p);
	CrossPoly(&work.normal, &work.first, &work.second);
	DotPoly(&condition->square, &work.normal, &work.normal);
	DotPoly(&condition->plane, &work.way, &work.normal);
	for (int i = 0; i < 2; ++i)
	{
		CrossPoly(&work.turn, &work.way, i == 0 ? &work.second : &work.first);
		DotPoly(condition->inside + 2 * i, &work.turn, &work.normal);
		SubtractPoly(condition->inside + 2 * i + 1, &condition->square, condition->inside + 2 * i);
		SetSegment(i, i == 0 ? p : q, r, s);
		SetSegment(2 + i, i == 0 ? r : s, p, q);
	}
	insideCount = 4;
	segmentCount = 4;
}

// Boxes around whole paths.
static bool AreFarApart(const RationalPath path, bool isEdges)
{
	const int own = isEdges ? 2 : 1;
	bool areFar = false;
	for (int k = 0; k < 3; ++k)
	{
		double low[2] = { path[0][0][k], path[own][0][k] }, high[2] = { low[0], low[1] };
		for (int i = 0; i < 8; ++i)
		{
			const double x = path[i / 2][i % 2][k];
			const int side = i / 2 >= own;
			low[side] = x < low[side] ? x : low[side];
			high[side] = x > high[side] ? x : high[side];
		}
		areFar = areFar || low[0] > high[1] || low[1] > high[0];
	}
	return areFar;
}

void RationalSweep_Begin(void)
{
	InitOnce(&work, sizeof(work));
	meets = false;
}

void RationalSweep_Add(const RationalPath path, bool isEdges)
{
	if (AreFarApart(path, isEdges))
	{
		return;
	}
	for (int i = 0; i < 4; ++i)
	{
		SetCorner(work.corners + i, path[i]);
	}
	(isEdges ? SetEdges : SetVertexTriangle)();
	const Condition* condition = &work.condition;
	if (Degree(&condition->plane) >= 0)
	{
		VisitRoots(&condition->plane);
		return;
	}
	mpq_set_ui(work.given, 0, 1);
	VisitTime(&work.root, work.given);
	VisitRoots(&condition->square);
	for (int i = 0; i < insideCount; ++i)
	{
		VisitRoots(condition->inside + i);
	}
	for (int i = 0; i < segmentCount; ++i)
	{
		VisitRoots(condition->between + i);
		for (int k = 0; k < 3; ++k)
		{
			VisitRoots(condition->flat[i].c + k);
		}
	}
}

static void SetPath(double path[2][3], const float start[3], const float end[3])
{
	for (int k = 0; k < 3; ++k)
	{
		path[0][k] = (double)start[k];
		path[1][k] = (double)end[k];
	}
}

void RationalSweep_AddTriangles(const float a[2][3][3], const float b[2][3][3])
{
	RationalPath path;
	if (RationalIntersect(a[0], b[0]))
	{
		mpq_set_ui(work.lower, 0, 1);
		mpq_set_ui(work.upper, 0, 1);
		meets = true;
	}
	for (int i = 0; i < 6; ++i)
	{
		const float(*vertex)[3][3] = i < 3 ? a : b, (*triangle)[3][3] = i < 3 ? b : a;
		SetPath(path[0], vertex[0][i % 3], vertex[1][i % 3]);
		for (int j = 0; j < 3; ++j)
		{
			SetPath(path[1 + j], triangle[0][j], triangle[1][j]);
		}
		RationalSweep_Add((const double(*)[2][3])path, false);
	}
	for (int i = 0; i < 9; ++i)
	{
		for (int end = 0; end < 2; ++end)
		{
			SetPath(path[end], a[0][(i / 3 + end) % 3], a[1][(i / 3 + end) % 3]);
			SetPath(path[2 + end], b[0][(i % 3 + end) % 3], b[1][(i % 3 + end) % 3]);
		}
		RationalSweep_Add((const double(*)[2][3])path, true);
	}
}

bool RationalSweep_Meets(void)
{
	return meets;
}

bool RationalSweep_NotBefore(double time)
{
	mpq_set_d(work.given, time);
	return meets && mpq_cmp(work.given, work.upper) <= 0;
}

bool RationalSweep_NotAfter(double time)
{
	mpq_set_d(work.given, time);
	return meets && mpq_cmp(work.lower, work.given) <= 0;
}

double RationalSweep_Time(void)
{
	return meets ? mpq_get_d(work.upper) : -1.0;
}
