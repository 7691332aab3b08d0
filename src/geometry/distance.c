// src/geometry/distance.c: see distance.h.
//
// The distance of two triangles that do not intersect is that of two edges, or of a corner from the inside of the other
// triangle. Every candidate is the distance of two points that are there, so none is too small by more than rounding;
// that the right one is not too large either rests on how it is found: let u = 2^-53 and E be the extent.
//
// Edges. Along the line where their distance is stationary, with n the cross product of their directions, the first
// parameter is (w x v) . n / n^2. With cross products off by a few u E^2, it is off by a few u / sin, where sin is that
// of the angle between the edges; the second parameter is the best for the first. Off the best by that much, along
// edges that are nearly parallel, the distance grows by sin E times that: a few u E, whatever the angle. (The usual
// formula, by dot products, squares the angle and loses half of the digits.)
//
// Inside. The height over the plane is a determinant over the length of the normal, both right to 2^-40 of themselves
// (predicates.h). Whether the foot is inside follows from the normal, so it may be taken for inside where it is outside
// by 2^-40 E, and the distance is off by no more than that.
#include "geometry/distance.h"

#include "base/vec.h"
#include "geometry/predicates.h"
#include "geometry/segment.h"

// A part of a whole, from 0 to 1; 0 if there is no whole.
static double Part(double part, double whole)
{
	return !(part > 0.0) || !(whole > 0.0) ? 0.0 : part < whole ? part / whole : 1.0;
}

static bool Improve(sgNearest* nearest, const double a[3], const double b[3], double distance2)
{
	if (!(distance2 < nearest->distance2))
	{
		return false;
	}
	nearest->distance2 = distance2;
	for (int k = 0; k < 3; ++k)
	{
		nearest->a[k] = a[k];
		nearest->b[k] = b[k];
	}
	return true;
}

// Edges from p along u and from r along v. Everything is relative to p.
static void NearestOfEdges(const float p[3], const double u[3], const float r[3], const double v[3], sgNearest* nearest)
{
	double w[3], n[3], wv[3];
	sgSubtractPoints(r, p, w);
	sgCross(u, v, n);
	sgCross(w, v, wv);
	const double uu = sgDot(u, u), vv = sgDot(v, v), uv = sgDot(u, v), uw = sgDot(u, w), vw = sgDot(v, w);
	double s = Part(sgDot(wv, n), sgDot(n, n));
	const double t = Part(s * uv - vw, vv);
	s = Part(uw + t * uv, uu);
	double difference[3], a[3], b[3];
	for (int k = 0; k < 3; ++k)
	{
		difference[k] = w[k] + t * v[k] - s * u[k];
		a[k] = p[k] + s * u[k];
		b[k] = r[k] + t * v[k];
	}
	Improve(nearest, a, b, sgDot(difference, difference));
}

/// A triangle, prepared for many points.
typedef struct Face
{
	const float (*corners)[3];
	double edges[3][3]; ///< from each corner to the next
	double normal[3];
	double length2; ///< of the normal; zero: it has no inside
} Face;

static Face MakeFace(const float triangle[3][3])
{
	Face face = { .corners = triangle };
	for (int i = 0; i < 3; ++i)
	{
		sgSubtractPoints(triangle[(i + 1) % 3], triangle[i], face.edges[i]);
	}
	sgTriangle_Normal(triangle, face.normal);
	face.length2 = sgDot(face.normal, face.normal);
	return face;
}

// If its foot is inside of the triangle. `isA`: the point is of the first thing.
static void NearestOfInside(const float point[3], const Face* face, bool isA, sgNearest* nearest)
{
	bool isInside = face->length2 > 0.0;
	for (int i = 0; i < 3 && isInside; ++i)
	{
		double toPoint[3], turn[3];
		sgSubtractPoints(point, face->corners[i], toPoint);
		sgCross(face->edges[i], toPoint, turn);
		isInside = sgDot(turn, face->normal) >= 0.0;
	}
	if (!isInside)
	{
		return;
	}
	const sgPlane plane = sgPlane_Make(face->corners[1], face->corners[2], face->corners[0]);
	const double height = sgPlane_Value(&plane, point);
	double top[3], foot[3];
	for (int k = 0; k < 3; ++k)
	{
		top[k] = point[k];
		foot[k] = point[k] - height / face->length2 * face->normal[k];
	}
	Improve(nearest, isA ? top : foot, isA ? foot : top, height / face->length2 * height);
}

void sgPoint_ToTriangle(const float point[3], const float triangle[3][3], sgNearest* nearest)
{
	const double nothing[3] = { 0.0, 0.0, 0.0 };
	const Face face = MakeFace(triangle);
	nearest->distance2 = INFINITY;
	for (int i = 0; i < 3; ++i)
	{
		NearestOfEdges(point, nothing, triangle[i], face.edges[i], nearest);
	}
	NearestOfInside(point, &face, true, nearest);
}

void sgTriangles_Nearest(const float a[3][3], const float b[3][3], sgNearest* nearest)
{
	const Face faceA = MakeFace(a), faceB = MakeFace(b);
	nearest->distance2 = INFINITY;
	for (int i = 0; i < 9; ++i)
	{
		NearestOfEdges(a[i / 3], faceA.edges[i / 3], b[i % 3], faceB.edges[i % 3], nearest);
	}
	for (int i = 0; i < 3; ++i)
	{
		NearestOfInside(a[i], &faceB, true, nearest);
		NearestOfInside(b[i], &faceA, false, nearest);
	}
}

// Sums in double are off by far less than a part in 2^20 of the gap, unless it is nothing to the extent: then it is no
// more than the limit's own slack.
bool sgTriangles_AreFar(const float a[3][3], const float b[3][3], float limit2)
{
	double direction[3], most = -INFINITY, least = INFINITY;
	for (int k = 0; k < 3; ++k)
	{
		direction[k] = ((double)b[0][k] + b[1][k] + b[2][k]) - ((double)a[0][k] + a[1][k] + a[2][k]);
	}
	for (int i = 0; i < 3; ++i)
	{
		double alongA = 0.0, alongB = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			alongA += direction[k] * ((double)a[i][k] - a[0][k]);
			alongB += direction[k] * ((double)b[i][k] - a[0][k]);
		}
		most = alongA > most ? alongA : most;
		least = alongB < least ? alongB : least;
	}
	double gap = least - most;
	return gap > 0.0 && gap * gap > (double)limit2 * sgDot(direction, direction) * (1.0 + 0x1p-20);
}
