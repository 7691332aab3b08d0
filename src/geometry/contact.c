// src/geometry/contact.c: see contact.h.
#include "geometry/contact.h"

#include "geometry/predicates.h"
#include "geometry/segment.h"

#include <stddef.h>

// Add a point unless it is there. What is left has different names, hence different places, since a triangle with area
// is the disjoint union of its parts.
static void AddPoint(sgContact* contact, int partOfA, int partOfB)
{
	for (int i = 0; i < contact->count; ++i)
	{
		if (contact->points[i].a == partOfA && contact->points[i].b == partOfB)
		{
			return;
		}
	}
	contact->points[contact->count++] = (sgSharedPoint){ (uint8_t)partOfA, (uint8_t)partOfB };
}

// The part of a triangle that a point of its plane is in, by its turns with the edges; -1 if it is outside. Two turns
// that vanish name the corner between the edges.
static int PartOf(const int turns[3])
{
	int part = sg_inside, zeros = 0;
	for (int i = 0; i < 3; ++i)
	{
		if (turns[i] * turns[(i + 1) % 3] < 0)
		{
			return -1;
		}
		if (turns[i] == 0)
		{
			part = zeros == 0 ? sg_firstEdge + i : (i == 2 && turns[0] == 0 ? 0 : i);
			++zeros;
		}
	}
	return part;
}

// ---- Planes that cross ---------------------------------------------------------------------------------------------

/// One triangle's edges against the other triangle.
typedef struct ContactSide
{
	const float (*corners)[3];
	const float (*others)[3];
	int sides[3]; ///< of the corners, of the other triangle's plane
	bool isFirst; ///< the triangle is a
} ContactSide;

static ContactSide MakeSide(const float corners[3][3], const float others[3][3], bool isFirst)
{
	ContactSide side = { corners, others, { 0 }, isFirst };
	const sgPlane plane = sgPlane_Make(others[1], others[2], others[0]);
	for (int i = 0; i < 3; ++i)
	{
		side.sides[i] = sgPlane_Side(&plane, corners[i]);
	}
	return side;
}

static bool IsInPlane(const ContactSide* side)
{
	return (side->sides[0] | side->sides[1] | side->sides[2]) == 0;
}

// Where the edge from corner i to the next, which is not in the other's plane, meets the other triangle; -1: nowhere.
static int PartThatEdgeMeets(const ContactSide* side, int i)
{
	const float *p = side->corners[i], *q = side->corners[(i + 1) % 3];
	int turns[3];
	for (int k = 0; k < 3; ++k)
	{
		turns[k] = sgOrient3D(p, q, side->others[k], side->others[(k + 1) % 3]);
	}
	return PartOf(turns);
}

// The points where a triangle's edges meet the other triangle: `starts` those where the part of it that is in the
// other's plane begins, along normal a x normal b, `ends` those where it ends.
//
// A triangle is to the left of its edges, seen against its normal n. With m the other's normal, an edge e that goes
// from the other's lower to its upper side has (n x m) . (n x e) = n^2 (m . e) > 0: along n x m the triangle begins
// there. The same holds if one end of the edge is on the plane. For b, n x m is the opposite direction.
static void FindPoints(const ContactSide* side, sgContact* starts, sgContact* ends)
{
	for (int i = 0; i < 3; ++i)
	{
		const int next = (i + 1) % 3, from = side->sides[i], to = side->sides[next];
		if (from == to)
		{
			continue; // in the plane, or on one side of it
		}
		const int part = PartThatEdgeMeets(side, i);
		if (part >= 0)
		{
			const int own = from == 0 ? i : to == 0 ? next : sg_firstEdge + i;
			const bool begins = (to > from) == side->isFirst;
			AddPoint(begins ? starts : ends, side->isFirst ? own : part, side->isFirst ? part : own);
		}
	}
}

// For triangles with area whose planes cross. Each cuts a closed interval out of the common line; what the intervals
// have in common begins and ends at points where an edge of one meets the other: an edge that lies in the other's plane
// ends at corners, whose other edges are seen, or at edges of the other triangle, which are seen as well, unless they
// lie on the common line too.
static void MeetAcross(const ContactSide* a, const ContactSide* b, sgContact* contact)
{
	sgContact starts = { .count = 0 }, ends = { .count = 0 };
	FindPoints(a, &starts, &ends);
	FindPoints(b, &starts, &ends);
	for (int i = 0; i < starts.count; ++i)
	{
		AddPoint(contact, starts.points[i].a, starts.points[i].b);
	}
	for (int i = 0; i < ends.count; ++i)
	{
		AddPoint(contact, ends.points[i].a, ends.points[i].b);
	}
	contact->kind = contact->count == 0 ? sgContact_none : contact->count == 1 ? sgContact_point : sgContact_segment;
}

// ---- One plane -----------------------------------------------------------------------------------------------------

static int PartInPlane(const float* point, const float triangle[3][3], int axis)
{
	int turns[3];
	for (int k = 0; k < 3; ++k)
	{
		turns[k] = sgTurn(triangle[k], triangle[(k + 1) % 3], point, axis);
	}
	return PartOf(turns);
}

// Whether edges cross at a point that is inside of both.
static bool Cross(const float a[3][3], int i, const float b[3][3], int j, int axis)
{
	const float *p = a[i], *q = a[(i + 1) % 3], *r = b[j], *s = b[(j + 1) % 3];
	return sgTurn(p, q, r, axis) * sgTurn(p, q, s, axis) < 0 && sgTurn(r, s, p, axis) * sgTurn(r, s, q, axis) < 0;
}

static void PlacePoint(const float a[3][3], const float b[3][3], sgSharedPoint point, double out[3])
{
	const float* corner = point.a < sg_firstEdge ? a[point.a] : point.b < sg_firstEdge ? b[point.b] : NULL;
	const int i = (point.a - sg_firstEdge) % 3, j = (point.b - sg_firstEdge) % 3;
	if (corner != NULL)
	{
		for (int k = 0; k < 3; ++k)
		{
			out[k] = corner[k];
		}
	}
	else if (point.a == sg_inside)
	{
		sgMeetPlane(b[j], b[(j + 1) % 3], a, out);
	}
	else if (point.b == sg_inside)
	{
		sgMeetPlane(a[i], a[(i + 1) % 3], b, out);
	}
	else
	{
		sgMeetEdge(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3], out);
	}
}

// Sort the corners of a convex polygon around it. They are different points, as exact as double can be.
static void SortAround(const float a[3][3], const float b[3][3], int axis, sgContact* contact)
{
	const int u = (axis + 1) % 3, v = (axis + 2) % 3;
	double x[SG_MAX_SHARED], y[SG_MAX_SHARED], middleX = 0.0, middleY = 0.0;
	for (int i = 0; i < contact->count; ++i)
	{
		double place[3];
		PlacePoint(a, b, contact->points[i], place);
		x[i] = place[u];
		y[i] = place[v];
		middleX += x[i] / contact->count;
		middleY += y[i] / contact->count;
	}
	for (int i = 1; i < contact->count; ++i)
	{
		for (int k = i; k > 1; --k)
		{
			// Points 1, 2, ... by their angle from point 0, seen from the middle: halves first.
			double x0 = x[0] - middleX, y0 = y[0] - middleY, xk = x[k] - middleX, yk = y[k] - middleY;
			double xl = x[k - 1] - middleX, yl = y[k - 1] - middleY;
			bool isUpperK = x0 * yk - y0 * xk >= 0.0, isUpperL = x0 * yl - y0 * xl >= 0.0;
			bool isBefore = isUpperK != isUpperL ? isUpperK : xk * yl - yk * xl > 0.0;
			if (!isBefore)
			{
				break;
			}
			const sgSharedPoint point = contact->points[k];
			contact->points[k] = contact->points[k - 1];
			contact->points[k - 1] = point;
			const double tx = x[k], ty = y[k];
			x[k] = x[k - 1], y[k] = y[k - 1];
			x[k - 1] = tx, y[k - 1] = ty;
		}
	}
}

// The extreme points of what is common: corners of one in the other, and where edges cross.
static void MeetInPlane(const float a[3][3], const float b[3][3], int axis, sgContact* contact)
{
	for (int i = 0; i < 3; ++i)
	{
		const int partOfB = PartInPlane(a[i], b, axis), partOfA = PartInPlane(b[i], a, axis);
		if (partOfB >= 0)
		{
			AddPoint(contact, i, partOfB);
		}
		if (partOfA >= 0)
		{
			AddPoint(contact, partOfA, i);
		}
	}
	for (int i = 0; i < 9; ++i)
	{
		if (Cross(a, i / 3, b, i % 3, axis))
		{
			AddPoint(contact, sg_firstEdge + i / 3, sg_firstEdge + i % 3);
		}
	}
	contact->kind = contact->count == 0 ? sgContact_none : contact->count == 1 ? sgContact_point : sgContact_polygon;
	SortAround(a, b, axis, contact);
}

// ---- Without area --------------------------------------------------------------------------------------------------

// The segment that a triangle without area is, from one end and from the other.
static void MeetSegment(const float flat[3][3], const float other[3][3], sgContact* contact)
{
	const float *low = flat[0], *high = flat[0];
	for (int i = 1; i < 3; ++i)
	{
		low = sgComparePoints(flat[i], low) < 0 ? flat[i] : low;
		high = sgComparePoints(flat[i], high) > 0 ? flat[i] : high;
	}
	sgSegmentHit first, last;
	if (!sgSegment_Hit(low, high, other, &first) || !sgSegment_Hit(high, low, other, &last))
	{
		return;
	}
	contact->kind = sgContact_flat;
	contact->count = 2;
	for (int k = 0; k < 3; ++k)
	{
		contact->ends[0][k] = low[k] + first.t * ((double)high[k] - low[k]);
		contact->ends[1][k] = high[k] + last.t * ((double)low[k] - high[k]);
	}
}

void sgTriangles_Contact(const float a[3][3], const float b[3][3], sgContact* contact)
{
	contact->kind = sgContact_none;
	contact->count = 0;
	const ContactSide sideA = MakeSide(a, b, true), sideB = MakeSide(b, a, false);
	if (!IsInPlane(&sideA) && !IsInPlane(&sideB))
	{
		MeetAcross(&sideA, &sideB, contact);
		return;
	}
	const int axisA = sgProjectionAxis(a[0], a[1], a[2]), axisB = sgProjectionAxis(b[0], b[1], b[2]);
	if (axisA >= 0 && axisB >= 0)
	{
		MeetInPlane(a, b, axisA, contact);
	}
	else
	{
		MeetSegment(axisA < 0 ? a : b, axisA < 0 ? b : a, contact);
	}
}

void sgTriangles_CommonPoint(const float a[3][3], const float b[3][3], double point[3])
{
	sgContact contact;
	sgTriangles_Contact(a, b, &contact);
	for (int k = 0; contact.kind == sgContact_flat && k < 3; ++k)
	{
		point[k] = contact.ends[0][k];
	}
	if (contact.kind != sgContact_flat && contact.kind != sgContact_none)
	{
		PlacePoint(a, b, contact.points[0], point);
	}
}

// ---- Places --------------------------------------------------------------------------------------------------------

// From the end that is nearer, which keeps what is small small.
static void Between(const float p[3], const float q[3], double atP, double atQ, double point[3])
{
	const bool isNearP = fabs(atP) <= fabs(atQ);
	const float *from = isNearP ? p : q, *to = isNearP ? q : p;
	const double t = (isNearP ? atP : -atQ) / (atP - atQ);
	for (int k = 0; k < 3; ++k)
	{
		point[k] = from[k] + t * ((double)to[k] - from[k]);
	}
}

void sgMeetPlane(const float p[3], const float q[3], const float triangle[3][3], double point[3])
{
	const sgPlane plane = sgPlane_Make(triangle[1], triangle[2], triangle[0]);
	Between(p, q, sgPlane_Value(&plane, p), sgPlane_Value(&plane, q), point);
}

void sgMeetEdge(const float p[3], const float q[3], const float r[3], const float s[3], double point[3])
{
	const int axis = sgProjectionAxis(p, q, r) >= 0 ? sgProjectionAxis(p, q, r) : sgProjectionAxis(p, q, s);
	Between(p, q, sgTurn_Value(r, s, p, axis), sgTurn_Value(r, s, q, axis), point);
}
