// src/geometry/distance.h: distances between points, segments and triangles, in double, with the points that attain
// them.
//
// Each is off by less than 2^-38 of the extent of the two, the largest difference of their coordinates; the same bits
// on every machine. Whether a distance is zero is not decided here: that is a matter of exact predicates.
#pragma once

#include <stdbool.h>

/// The distance of two things, and a point of each that attains it.
typedef struct sgNearest
{
	double distance2; ///< squared
	double a[3], b[3];
} sgNearest;

/// A point and a closed triangle, with area or without.
void sgPoint_ToTriangle(const float point[3], const float triangle[3][3], sgNearest* nearest);

/// Two closed triangles that do not intersect.
void sgTriangles_Nearest(const float a[3][3], const float b[3][3], sgNearest* nearest);

/// Whether two triangles are certainly farther apart than the root of a number, along the line between their centres:
/// cheap, and nearly always so. Never true by rounding alone.
bool sgTriangles_AreFar(const float a[3][3], const float b[3][3], float limit2);
