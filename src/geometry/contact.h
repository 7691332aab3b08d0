// src/geometry/contact.h: what two intersecting triangles have in common, point by point, each named exactly by where
// it is: at a corner, on an edge or inside, of the one and of the other.
//
// Names follow from signs of determinants (predicates.h), without tolerance. Two triangles of a mesh that share an edge
// name a point on it alike, so that pieces of contacts can be joined by name.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// A part of a triangle: corner 0 to 2, the edge from corner i to the next as 3 + i, or the inside.
enum
{
	sg_firstEdge = 3,
	sg_inside = 6
};

/// A point that two triangles share: the smallest part of each that contains it.
typedef struct sgSharedPoint
{
	uint8_t a, b;
} sgSharedPoint;

typedef enum sgContactKind
{
	sgContact_none = 0,
	sgContact_point,   ///< they touch in one point
	sgContact_segment, ///< their planes cross: from points[0] to points[1] along normal a x normal b
	sgContact_polygon, ///< they lie in one plane: 2 to 6 points, in order around
	sgContact_flat,    ///< one has no area: from ends[0] to ends[1], which may be one point; they have no names
} sgContactKind;

#define SG_MAX_SHARED 6

typedef struct sgContact
{
	sgContactKind kind;
	int count; ///< of points
	sgSharedPoint points[SG_MAX_SHARED];
	double ends[2][3]; ///< of sgContact_flat
} sgContact;

void sgTriangles_Contact(const float a[3][3], const float b[3][3], sgContact* contact);

/// One of the points that two intersecting triangles share.
void sgTriangles_CommonPoint(const float a[3][3], const float b[3][3], double point[3]);

/// Where the edge from p to q meets the plane of a triangle: their ends are not on the same side. Off by a few 2^-40 of
/// the edge's length; the same for the same arguments on every machine.
void sgMeetPlane(const float p[3], const float q[3], const float triangle[3][3], double point[3]);

/// Where two edges that lie in one plane, and not on one line, cross. As above.
void sgMeetEdge(const float p[3], const float q[3], const float r[3], const float s[3], double point[3]);
