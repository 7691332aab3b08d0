// src/geometry/segment.h: where a segment first meets a triangle.
//
// Whether it does is decided exactly, by signs of determinants of float32 points (predicates.h), so nothing slips
// between triangles that share an edge. Where it does is rounded, in the same way on every machine.
#pragma once

#include <stdbool.h>

typedef struct sgSegmentHit
{
	double t;          ///< the point is p + t (q - p), 0 <= t <= 1; right to 2^-38 of itself
	double weights[3]; ///< of the triangle's corners, none negative, right to 2^-32; they add up to 1
} sgSegmentHit;

/// Where the closed segment from p to q first meets a closed triangle. Either may be degenerate: points and segments
/// are what they are. In a plane with the triangle, the segment meets it where it enters.
/// @param hit written only if it does
bool sgSegment_Hit(const float p[3], const float q[3], const float triangle[3][3], sgSegmentHit* hit);

/// (corner1 - corner0) x (corner2 - corner0), right to 2^-40 of its longest coordinate; zero exactly if it is.
void sgTriangle_Normal(const float triangle[3][3], double normal[3]);
