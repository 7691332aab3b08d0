// src/geometry/triangle.c: exact triangle-triangle intersection.
//
// Every decision is a sign of a determinant of corners, and predicates.h gives those exactly; there are no tolerances
// and no constructed points. The generic case follows the idea of Guigue and Devillers (Fast and Robust
// Triangle-Triangle Overlap Test Using Orientation Predicates, 2003): two triangles that cross each other's planes
// cut intervals out of the line common to the planes, and the order of the intervals' ends is again the sign
// of a determinant of corners. Coplanar and degenerate triangles, the rest, reduce to a plane or a line.
//
// Throughout, n_a and n_b are the normals (a1 - a0) x (a2 - a0) and (b1 - b0) x (b2 - b0), the sides s of a's corners
// are taken in the plane of b, the sides t of b's corners in the plane of a.

#include "geometry/triangle.h"

#include "geometry/predicates.h"

// The corner that a plane cuts off, and the side it counts as being on: +1 or -1.
typedef struct LoneCorner
{
	int index;
	int side;
} LoneCorner;

// Its ends in lexicographic order, possibly equal.
typedef struct Segment
{
	const float* p;
	const float* q;
} Segment;

static inline void Sides(const float points[3][3], const float triangle[3][3], int sides[3])
{
	const sgPlane plane = sgPlane_Make(triangle[1], triangle[2], triangle[0]);
	for (int i = 0; i < 3; ++i)
	{
		sides[i] = sgPlane_Side(&plane, points[i]);
	}
}

static inline bool AllStrictlyOnOneSide(const int sides[3])
{
	return sides[0] == sides[1] && sides[1] == sides[2] && sides[0] != 0;
}

static inline bool AllZero(const int sides[3])
{
	return (sides[0] | sides[1] | sides[2]) == 0;
}

// For sides that are neither all zero nor strictly equal. Either two corners are strictly on one side and the third is
// not: it is the lone one, on the other side or on the plane, which then counts as the other side. Or there
// is at most one corner strictly on each side: any of those will do. Either way both edges at the lone corner meet the
// plane in exactly one point each, and the plane cuts the triangle in the segment between the two.
static inline LoneCorner FindLoneCorner(const int sides[3])
{
	for (int i = 0; i < 3; ++i)
	{
		const int next = sides[(i + 1) % 3];
		if (next != 0 && next == sides[(i + 2) % 3])
		{
			return (LoneCorner){ i, -next };
		}
	}
	const int i = sides[0] != 0 ? 0 : sides[1] != 0 ? 1 : 2;
	return (LoneCorner){ i, sides[i] };
}

// For triangles that both have area, lie in different, not parallel planes, and reach both closed sides of each
// other's plane.
//
// Let p, q, r be a's corners from the lone one on, P, Q, R those of b. L is the common line of the planes; a cuts
// the interval with the ends i (on pq) and j (on pr) out of it, b the one with k (on PQ) and l (on PR). Let u be a
// vector in a's plane to p's side of b's plane, w one in b's plane to P's side of a's plane, and D the direction of
// L with det(u, D, w) > 0. This sign is the same for all vectors u and w to those sides.
//
// Order of two ends. Take x in {q, r}, y in {Q, R}; px meets L at e, Py at f, f - e = h D. With p = e + m u,
// x = e - m' u, P = f + n w, y = f - n' w (m, m', n, n' >= 0, m + m' > 0, n + n' > 0),
//   det[x - p; P - p; y - p] = (m + m') (n + n') h det(u, D, w),
// so sgOrient3D(x, P, y, p) is the sign of h.
//
// Order within an interval. i - p = -m u is a multiple in [0, 1] of q - p, and j - p one of r - p, so
// (i - p) x (j - i) = -m u x (j - i) is a non-negative multiple of n_a. With j - i = g D, the product with w gives -g
// the sign of n_a . w, which is P's side, or g = 0. Likewise with l - k = g' D, g' has the sign of p's side, or is 0:
// the roles of u and w are swapped, and det(w, D, u) = -det(u, D, w).
//
// So with q and r swapped if P's side is positive, and Q and R swapped if p's side is negative, i <= j and k <= l
// along D. The closed intervals meet if and only if i <= l and k <= j.
static inline bool IntervalsMeet(const float a[3][3], const int s[3], const float b[3][3], const int t[3])
{
	const LoneCorner loneA = FindLoneCorner(s), loneB = FindLoneCorner(t);
	const int turnA = loneB.side > 0 ? 2 : 1, turnB = loneA.side < 0 ? 2 : 1;
	const float* p = a[loneA.index];
	const float* q = a[(loneA.index + turnA) % 3];
	const float* r = a[(loneA.index + 3 - turnA) % 3];
	const float* P = b[loneB.index];
	const float* Q = b[(loneB.index + turnB) % 3];
	const float* R = b[(loneB.index + 3 - turnB) % 3];
	return sgOrient3D(q, P, R, p) >= 0 && sgOrient3D(r, P, Q, p) <= 0;
}

// The hull of three collinear points.
static Segment SegmentOf(const float* p, const float* q, const float* r)
{
	const float* rest[2] = { q, r };
	Segment segment = { p, p };
	for (int i = 0; i < 2; ++i)
	{
		segment.p = sgComparePoints(rest[i], segment.p) < 0 ? rest[i] : segment.p;
		segment.q = sgComparePoints(rest[i], segment.q) > 0 ? rest[i] : segment.q;
	}
	return segment;
}

// Does the line of one of a's edges have b strictly on its outer side?
static bool EdgeSeparates(const float a[3][3], const float b[3][3], int axis)
{
	const int turn = sgTurn(a[0], a[1], a[2], axis);
	for (int i = 0; i < 3; ++i)
	{
		const float* from = a[i];
		const float* to = a[(i + 1) % 3];
		const int side = sgTurn(from, to, b[0], axis);
		// Both sides are outer if a has no area. An edge without length has no sides: all are zero.
		if (side != 0 && side != turn && side == sgTurn(from, to, b[1], axis) && side == sgTurn(from, to, b[2], axis))
		{
			return true;
		}
	}
	return false;
}

// For triangles in one plane, at least one of them with area, that projects one-to-one along the axis.
// The difference {x - y: x in a, y in b} is then a polygon with area, and contains zero if and only if the triangles
// meet. If it does not, zero lies strictly outside one of the polygon's edges; its edges are parallel to edges of a
// or b, and with n the normal of that edge, max n . a < min n . b. Whichever triangle has the edge, its line
// supports that triangle and has the other strictly on the outer side. Conversely such a line separates them.
static bool MeetInPlane(const float a[3][3], const float b[3][3], int axis)
{
	return !EdgeSeparates(a, b, axis) && !EdgeSeparates(b, a, axis);
}

// For a triangle with area and a segment that reaches both closed sides of its plane, but does not lie in it.
// The segment then meets the plane in one point x. Seen along the segment the triangle has area, and
// orient(p, q, a_i, a_i+1) is the turn of x, a_i, a_i+1: x is in the triangle if and only if the three do not
// contradict each other. They sum to the area seen, so not all are zero.
static bool SegmentMeetsTriangle(const Segment* segment, const float a[3][3])
{
	int least = 1, greatest = -1;
	for (int i = 0; i < 3; ++i)
	{
		const int turn = sgOrient3D(segment->p, segment->q, a[i], a[(i + 1) % 3]);
		least = turn < least ? turn : least;
		greatest = turn > greatest ? turn : greatest;
	}
	return least >= 0 || greatest <= 0;
}

// For segments in one plane, but not on one line, where the plane projects one-to-one along the axis.
// On crossing lines: each line parts the other segment's ends weakly if and only if the lines' one common point is on
// both segments. On parallel lines: a line has the other segment's ends strictly on one side. A point is off the other
// segment's line, strictly on one side of it.
static bool SegmentsMeetInPlane(const Segment* a, const Segment* b, int axis)
{
	return sgTurn(a->p, a->q, b->p, axis) * sgTurn(a->p, a->q, b->q, axis) <= 0 &&
	       sgTurn(b->p, b->q, a->p, axis) * sgTurn(b->p, b->q, a->q, axis) <= 0;
}

static bool SegmentsMeet(const Segment* a, const Segment* b)
{
	if (sgOrient3D(a->p, a->q, b->p, b->q) != 0)
	{
		return false; // No common plane.
	}
	// Three of the four points that are not collinear span the common plane. If the first two triples are collinear,
	// all points are on a's line, or a is a point, and the third triple is all there is.
	const float* triples[3][3] = { { a->p, a->q, b->p }, { a->p, a->q, b->q }, { a->p, b->p, b->q } };
	for (int i = 0; i < 3; ++i)
	{
		const int axis = sgProjectionAxis(triples[i][0], triples[i][1], triples[i][2]);
		if (axis >= 0)
		{
			return SegmentsMeetInPlane(a, b, axis);
		}
	}
	// All on one line: two intervals.
	return sgComparePoints(a->p, b->q) <= 0 && sgComparePoints(b->p, a->q) <= 0;
}

// For sides that are all zero for at least one triangle: it lies in the other's plane, or the other has no area and
// hence no plane. Neither triangle's are strictly equal.
static bool MeetFlat(const float a[3][3], const int s[3], const float b[3][3], const int t[3])
{
	const int axisA = sgProjectionAxis(a[0], a[1], a[2]), axisB = sgProjectionAxis(b[0], b[1], b[2]);
	if (axisA >= 0 && AllZero(t))
	{
		return MeetInPlane(a, b, axisA);
	}
	if (axisB >= 0 && AllZero(s))
	{
		return MeetInPlane(a, b, axisB);
	}
	// From here on, if a has area then t is not all zero, so s is, so b has no area; and the same the other way round.
	// The sides were not strictly equal either, so the segment reaches both closed sides of the plane.
	const Segment segmentA = SegmentOf(a[0], a[1], a[2]), segmentB = SegmentOf(b[0], b[1], b[2]);
	if (axisA >= 0)
	{
		return SegmentMeetsTriangle(&segmentB, a);
	}
	if (axisB >= 0)
	{
		return SegmentMeetsTriangle(&segmentA, b);
	}
	return SegmentsMeet(&segmentA, &segmentB);
}

bool sgTriangles_Intersect(const float a[3][3], const float b[3][3])
{
	int s[3], t[3];
	Sides(a, b, s);
	if (AllStrictlyOnOneSide(s))
	{
		return false;
	}
	Sides(b, a, t);
	if (AllStrictlyOnOneSide(t))
	{
		return false;
	}
	// A side that is not zero proves that the plane it is taken in is one, so both triangles have area; and sides that
	// are neither all zero nor strictly equal differ, so the planes are not parallel.
	return AllZero(s) || AllZero(t) ? MeetFlat(a, s, b, t) : IntervalsMeet(a, s, b, t);
}

// Is the ray from v through d, d != v, in the closed angle between the rays through x and y?
// With d - v = f (x - v) + g (y - v), the turns of (v, x, d) and (v, d, y) are g and f times that of (v, x, y), not
// zero.
static bool RayInAngle(const float* v, const float* d, const float* x, const float* y, int axis)
{
	const int turn = sgTurn(v, x, y, axis);
	return turn * sgTurn(v, x, d, axis) >= 0 && turn * sgTurn(v, d, y, axis) >= 0;
}

// For triangles v x y and v r s with area, in one plane that projects one-to-one along the axis.
// Near v a triangle is the angle between its edges, so the triangles meet beyond v if and only if the two angles have
// a ray in common. Turning from it either way until the first of the two angles ends gives two bounding rays that are
// in both angles. If neither of them bounds the angle of x and y, they are those of r and s.
static bool AnglesMeet(const float* v, const float* x, const float* y, const float* r, const float* s, int axis)
{
	return RayInAngle(v, x, r, s, axis) || RayInAngle(v, y, r, s, axis) || RayInAngle(v, r, x, y, axis);
}

static bool OnSegment(const float* point, const float* p, const float* q)
{
	const Segment dot = { point, point }, segment = SegmentOf(p, q, q);
	return SegmentsMeet(&dot, &segment);
}

static bool SegmentMeetsHull(const float* p, const float* q, const float* v, const float* x, const float* y)
{
	const float segment[3][3] = { { p[0], p[1], p[2] }, { q[0], q[1], q[2] }, { q[0], q[1], q[2] } };
	const float hull[3][3] = { { v[0], v[1], v[2] }, { x[0], x[1], x[2] }, { y[0], y[1], y[2] } };
	return sgTriangles_Intersect(segment, hull);
}

// Do v x y and v r s meet beyond v? Right for all triangles, needed where one has no area.
//
// A triangle v x y consists of the segments from v to the points of xy. If the triangles share a point other than v,
// the ray to it from v leaves one of them no later than the other, at a point of the edge opposite v, and that
// point is in both. So they meet beyond v if and only if one's opposite edge meets the other in a point other than v.
// "Other than v" may be left out unless v is on that edge. If it is, the triangle is the union of the
// segments vx and vy: two triangles v x x and v y y, whose opposite edge is a point other than v, or v alone.
static bool MeetBeyondCorner(const float* v, const float* x, const float* y, const float* r, const float* s)
{
	if (OnSegment(v, x, y))
	{
		return (sgComparePoints(v, x) != 0 && MeetBeyondCorner(v, x, x, r, s)) ||
		       (sgComparePoints(v, y) != 0 && MeetBeyondCorner(v, y, y, r, s));
	}
	if (OnSegment(v, r, s))
	{
		return (sgComparePoints(v, r) != 0 && MeetBeyondCorner(v, x, y, r, r)) ||
		       (sgComparePoints(v, s) != 0 && MeetBeyondCorner(v, x, y, s, s));
	}
	return SegmentMeetsHull(x, y, v, r, s) || SegmentMeetsHull(r, s, v, x, y);
}

// Triangles v x y and v r s that share the corner v.
//
// In the generic case both have area, their planes cross in a line through v, and xy meets it in one point, as does rs;
// each triangle cuts out the segment from v to that point. They meet beyond v if and only if the two points are on the
// same side of v. With v as the origin, n_a = x x y, n_b = r x s:  for sx >= 0 >= sy xy meets the line at a positive
// multiple of (n_b . x) y - (n_b . y) x = n_b x (y x x) = n_a x n_b, and for sx <= 0 <= sy of its negative. In the same
// way rs meets it on the side of n_b x n_a for tr >= 0 >= ts. So they are on the same side if and only if
// sx - sy and tr - ts, neither of which is zero, differ in sign.
static bool MeetAtCorner(const float* v, const float* x, const float* y, const float* r, const float* s)
{
	const sgPlane planeB = sgPlane_Make(r, s, v);
	const int sx = sgPlane_Side(&planeB, x), sy = sgPlane_Side(&planeB, y);
	if (sx * sy > 0)
	{
		return false;
	}
	const sgPlane planeA = sgPlane_Make(x, y, v);
	const int tr = sgPlane_Side(&planeA, r), ts = sgPlane_Side(&planeA, s);
	if (tr * ts > 0)
	{
		return false;
	}
	if ((sx | sy) != 0 && (tr | ts) != 0)
	{
		return (sx > sy) != (tr > ts);
	}
	const int axis = sgProjectionAxis(v, x, y);
	if (axis >= 0 && sgProjectionAxis(v, r, s) >= 0)
	{
		return AnglesMeet(v, x, y, r, s, axis);
	}
	return MeetBeyondCorner(v, x, y, r, s);
}

// Triangles v w x and v w y that share the edge vw, v != w.
// If the four points have no common plane, or only one triangle has area, the triangles' common points are on the line
// vw, where a triangle with area has nothing but the edge. With area and in one plane, they overlap along the edge
// if x and y are on the same side of it, and are on different sides of it otherwise. Without area, all four points are
// on one line, and the segments overlap past v or w if and only if x and y are both past the same one.
static bool MeetAtEdge(const float* v, const float* w, const float* x, const float* y)
{
	if (sgOrient3D(v, w, x, y) != 0)
	{
		return false;
	}
	const int axis = sgProjectionAxis(v, w, x);
	if (axis >= 0)
	{
		return sgTurn(v, w, x, axis) == sgTurn(v, w, y, axis);
	}
	if (sgProjectionAxis(v, w, y) >= 0)
	{
		return false;
	}
	const int forward = sgComparePoints(w, v);
	return (sgComparePoints(x, w) == forward && sgComparePoints(y, w) == forward) ||
	       (sgComparePoints(x, v) == -forward && sgComparePoints(y, v) == -forward);
}

bool sgTriangles_IntersectBeyond(const float a[3][3], const float b[3][3], uint32_t shared)
{
	if (shared == 0)
	{
		return sgTriangles_Intersect(a, b);
	}
	// Corners of each that are shared, as masks.
	const uint32_t ofA = (uint32_t)((shared & 0007) != 0) | (uint32_t)((shared & 0070) != 0) << 1 |
	                     (uint32_t)((shared & 0700) != 0) << 2;
	const uint32_t ofB = (shared | shared >> 3 | shared >> 6) & 7;
	if (ofA == 7 || ofB == 7)
	{
		return false; // One triangle is the hull of the shared corners.
	}
	// By mask: the first shared corner, and the other one, or the first again.
	static const int first[7] = { 0, 0, 1, 0, 2, 0, 1 }, other[7] = { 0, 0, 1, 1, 2, 2, 2 };
	const float* v = a[first[ofA]];
	const float* w = a[other[ofA]];
	if (sgComparePoints(v, w) != 0)
	{
		// Two points are shared, so b shares two corners with them: the rest is 3 minus their numbers.
		return MeetAtEdge(v, w, a[3 - first[ofA] - other[ofA]], b[3 - first[ofB] - other[ofB]]);
	}
	const int i = first[ofA], j = first[ofB];
	return MeetAtCorner(v, a[(i + 1) % 3], a[(i + 2) % 3], b[(j + 1) % 3], b[(j + 2) % 3]);
}
