// test/support/rational_distance.h: an exact oracle for distances of triangles, corners, edges and insides against each
// other. It shares no code and no method with src/geometry.
#pragma once

// The squared distance of two closed triangles that do not intersect, rounded to double. A point is a triangle with
// three equal corners.
double RationalDistance2(const float a[3][3], const float b[3][3]);
