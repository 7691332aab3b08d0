// src/geometry/shape.h: triangles against spheres, capsules and planes.
//
// Planes and half spaces are decided exactly. Spheres and capsules are decided by the distance of a triangle from their
// centre or axis, which is computed in double: never too far, so that no contact is missed, and too near by less than
// SG_SHAPE_SLACK of the extent, the largest difference of coordinates of triangle and axis.
#pragma once

#include "snug/snug_queries.h"

/// Distances of triangles are off by less than 2^-38 of the extent (distance.h).
#define SG_SHAPE_SLACK 0x1p-37

/// Whether a closed triangle and a shape share a point.
/// @param contact receives distance and position, if they do
bool sgShape_Meets(const snugShape* shape, const float triangle[3][3], snugShapeContact* contact);

/// Whether the numbers of a plane are within the limits that snugPlane names.
bool sgPlane_IsGood(const snugPlane* plane);

/// A shape whose plane has numbers that sgHalfSpace_Side takes: those below 1e-200 are zero.
snugShape sgShape_Round(const snugShape* shape);

/// Both ends of the axis of a sphere or capsule.
static inline const float* sgShape_End(const snugShape* shape)
{
	return shape->kind == snug_shapeSphere ? shape->from : shape->to;
}
