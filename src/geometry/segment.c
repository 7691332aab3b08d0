// src/geometry/segment.c: see segment.h.
#include "geometry/segment.h"

#include "geometry/predicates.h"

// How far from p to q a point of that line is. Along the axis that changes most; 0 if p is q.
static double PartOf(const float* p, const float* q, const float* x)
{
	int most = 0;
	for (int k = 1; k < 3; ++k)
	{
		most = fabs((double)q[k] - p[k]) > fabs((double)q[most] - p[most]) ? k : most;
	}
	double whole = (double)q[most] - p[most];
	return whole == 0.0 ? 0.0 : ((double)x[most] - p[most]) / whole;
}

/// A point on a segment pq and on an edge rs: p + t (q - p) = r + s (s - r).
typedef struct Crossing
{
	double t;
	double s;
} Crossing;

// All four points on one line.
static bool MeetOnLine(const float* p, const float* q, const float* r, const float* s, Crossing* first)
{
	const float* low = sgComparePoints(r, s) <= 0 ? r : s;
	const float* high = low == r ? s : r;
	if (sgComparePoints(low, p) <= 0 && sgComparePoints(p, high) <= 0)
	{
		*first = (Crossing){ 0.0, PartOf(r, s, p) };
		return true;
	}
	// The end of rs that comes first, seen from p.
	const float* end = sgComparePoints(p, low) < 0 ? low : high;
	bool isBefore = sgComparePoints(p, low) < 0 ? sgComparePoints(low, q) <= 0 : sgComparePoints(q, high) <= 0;
	*first = (Crossing){ PartOf(p, q, end), end == r ? 0.0 : 1.0 };
	return isBefore;
}

// Two closed segments, where the first one meets the second first.
//
// Three of the four points that are not collinear span their common plane. On crossing lines, each line parts the other
// segment's ends weakly if and only if the lines' common point is on both segments. Neither line has both ends of the
// other segment on it, nor is a segment a point whose turns all vanish: then all four points were on one line. So the
// divisors below, differences of turns that do not have the same sign, are not zero.
static bool MeetFirst(const float* p, const float* q, const float* r, const float* s, Crossing* first)
{
	if (sgOrient3D(p, q, r, s) != 0)
	{
		return false;
	}
	const float* triples[3][3] = { { p, q, r }, { p, q, s }, { p, r, s } };
	int axis = -1;
	for (int i = 0; i < 3 && axis < 0; ++i)
	{
		axis = sgProjectionAxis(triples[i][0], triples[i][1], triples[i][2]);
	}
	if (axis < 0)
	{
		return MeetOnLine(p, q, r, s, first);
	}
	if (sgTurn(p, q, r, axis) * sgTurn(p, q, s, axis) > 0 || sgTurn(r, s, p, axis) * sgTurn(r, s, q, axis) > 0)
	{
		return false;
	}
	double atR = sgTurn_Value(p, q, r, axis), atS = sgTurn_Value(p, q, s, axis);
	double atP = sgTurn_Value(r, s, p, axis), atQ = sgTurn_Value(r, s, q, axis);
	*first = (Crossing){ fabs(atP / (atP - atQ)), fabs(atR / (atR - atS)) };
	return true;
}

// Whether p, in the triangle's plane, is in the triangle, which has area along the axis.
static bool StartsInside(const float* p, const float triangle[3][3], int axis, sgSegmentHit* hit)
{
	double turns[3], sum = 0.0;
	int least = 1, greatest = -1;
	for (int i = 0; i < 3; ++i)
	{
		turns[i] = sgTurn_Value(triangle[(i + 1) % 3], triangle[(i + 2) % 3], p, axis);
		int turn = (turns[i] > 0.0) - (turns[i] < 0.0);
		least = turn < least ? turn : least;
		greatest = turn > greatest ? turn : greatest;
		sum += turns[i];
	}
	if (least < 0 && greatest > 0)
	{
		return false;
	}
	*hit = (sgSegmentHit){ 0.0, { fabs(turns[0] / sum), fabs(turns[1] / sum), fabs(turns[2] / sum) } };
	return true;
}

// For a segment in the triangle's plane, or a triangle without area: it starts inside, or enters through an edge.
static bool HitFlat(const float* p, const float* q, const float triangle[3][3], sgSegmentHit* hit)
{
	int axis = sgProjectionAxis(triangle[0], triangle[1], triangle[2]);
	if (axis >= 0 && StartsInside(p, triangle, axis, hit))
	{
		return true;
	}
	bool isHit = false;
	for (int i = 0; i < 3; ++i)
	{
		Crossing first;
		int next = (i + 1) % 3;
		if (MeetFirst(p, q, triangle[i], triangle[next], &first) && (!isHit || first.t < hit->t))
		{
			isHit = true;
			*hit = (sgSegmentHit){ .t = first.t };
			hit->weights[i] = 1.0 - first.s;
			hit->weights[next] = first.s;
		}
	}
	return isHit;
}

// Weights of corners from the turns that the segment makes with the edges opposite to them, none of which contradict
// each other. Turns in plain double will do if what they are off by is nothing to their sum; they cancel where the
// segment is long and the triangle is small.
static void FindWeights(const float* p, const sgPlane planes[3], double weights[3])
{
	double sum = 0.0, most = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		double bound;
		weights[i] = sgPlane_Estimate(planes + i, p, &bound);
		most = bound > most ? bound : most;
		sum += weights[i];
	}
	if (!(fabs(sum) > most * 0x1p34))
	{
		sum = 0.0;
		for (int i = 0; i < 3; ++i)
		{
			weights[i] = sgOrient3D_ExactValue(p, planes[i].b, planes[i].c, planes[i].d);
			sum += weights[i];
		}
	}
	double whole = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		// One of the wrong sign is zero but for rounding.
		weights[i] = weights[i] / sum > 0.0 ? weights[i] / sum : 0.0;
		whole += weights[i];
	}
	for (int i = 0; i < 3; ++i)
	{
		weights[i] /= whole;
	}
}

// In the generic case the triangle has area and the segment meets its plane in one point x. Seen along the segment the
// triangle has area too, and det(p, q, a_i, a_i+1) is the turn of x, a_i, a_i+1: x is in the triangle if and only if
// the three do not contradict each other, and they are its weights.
bool sgSegment_Hit(const float p[3], const float q[3], const float triangle[3][3], sgSegmentHit* hit)
{
	const sgPlane plane = sgPlane_Make(triangle[1], triangle[2], triangle[0]);
	const int sideP = sgPlane_Side(&plane, p), sideQ = sgPlane_Side(&plane, q);
	if (sideP == 0 && sideQ == 0)
	{
		return HitFlat(p, q, triangle, hit);
	}
	if (sideP == sideQ)
	{
		return false;
	}
	sgPlane edges[3]; // through q and the edge opposite each corner
	int least = 1, greatest = -1;
	for (int i = 0; i < 3; ++i)
	{
		edges[i] = sgPlane_Make(q, triangle[(i + 1) % 3], triangle[(i + 2) % 3]);
		const int turn = sgPlane_Side(edges + i, p);
		least = turn < least ? turn : least;
		greatest = turn > greatest ? turn : greatest;
		if (least < 0 && greatest > 0)
		{
			return false;
		}
	}
	double atP = sgPlane_Value(&plane, p), atQ = sgPlane_Value(&plane, q);
	hit->t = fabs(atP / (atP - atQ));
	FindWeights(p, edges, hit->weights);
	return true;
}

// In plain double, unless that loses more than a part in 2^40 of the longest coordinate.
void sgTriangle_Normal(const float triangle[3][3], double normal[3])
{
	const sgPlane plane = sgPlane_Make(triangle[1], triangle[2], triangle[0]);
	double longest = 0.0, most = 0.0;
	for (int axis = 0; axis < 3; ++axis)
	{
		normal[axis] = plane.normal[axis];
		longest = fabs(normal[axis]) > longest ? fabs(normal[axis]) : longest;
		most = plane.magnitude[axis] > most ? plane.magnitude[axis] : most;
	}
	for (int axis = 0; axis < 3 && !(longest > most * (5 * 0x1p-13)); ++axis)
	{
		normal[axis] = sgTurn_Value(triangle[0], triangle[1], triangle[2], axis);
	}
}
