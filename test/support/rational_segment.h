// test/support/rational_segment.h: an exact oracle for segments and triangles, by constraints that are linear along the
// segment. It shares no code and no method with src/geometry.
#pragma once

#include <stdbool.h>

// Whether the closed segment pq meets the closed triangle, and the first point that does: p + t (q - p), t rounded to
// double.
bool RationalSegmentHit(const float p[3], const float q[3], const float triangle[3][3], double* t);

// Sign of (b - a) x (c - a) . (p - a).
int RationalSide(const float p[3], const float a[3], const float b[3], const float c[3]);

// Sign of normal . x + offset.
int RationalPlaneSide(const double normal[3], double offset, const float x[3]);
