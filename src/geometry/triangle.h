// src/geometry/triangle.h: do two triangles share a point?
//
// A triangle is the closed convex hull of its three corners: touching counts, and a triangle without area is
// the segment or the point that it is. The answers are exact for all finite float32 corners, and do not depend on the
// order of the corners or of the triangles.

#pragma once

#include <stdbool.h>
#include <stdint.h>

/// True if and only if the two closed triangles share a point.
bool sgTriangles_Intersect(const float a[3][3], const float b[3][3]);

/// True if and only if the two closed triangles share a point outside the convex hull of their shared corners:
/// what is left of a contact between neighbours in one mesh once the contact that is always there is taken away.
///
/// - No shared corner: the same as sgTriangles_Intersect.
/// - One: the triangles meet elsewhere than at that corner.
/// - Two: the triangles are folded flat onto each other across the shared edge (or, without area, overlap beyond it).
/// - Three: always false, by the same rule: both triangles are the hull of the shared corners. Faces with the same
///   three vertices overlap in every pose; they are found by comparing indices, not by geometry.
///
/// A triangle that names a mesh vertex twice has the bits of both corners set; the rule above still holds.
/// @param shared bit 3 * i + j is set if corner i of `a` and corner j of `b` are the same mesh vertex. Their
/// coordinates must then be equal.
bool sgTriangles_IntersectBeyond(const float a[3][3], const float b[3][3], uint32_t shared);
