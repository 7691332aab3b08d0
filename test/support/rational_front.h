// test/support/rational_front.h: an exact oracle for what is just in front of a triangle: a point that is closer
// than anything else can be, in rationals. It shares no code and no method with src/geometry.
#pragma once

#include <stdint.h>

// The winding number of some triangles around a point in front of `front`, next to its first corner, by the segment
// from there to `end`, or far along the first axis if that is null; INT32_MAX if that meets an edge.
int32_t RationalWindingInFront(
    const float (*triangles)[3][3], uint32_t count, const float front[3][3], const float end[3]);
