// src/geometry/shape.c: see shape.h.
#include "geometry/shape.h"

#include "geometry/distance.h"
#include "geometry/predicates.h"
#include "geometry/segment.h"

#include <math.h>
#include <string.h>

bool sgPlane_IsGood(const snugPlane* plane)
{
	const double x = fabs(plane->normal[0]), y = fabs(plane->normal[1]), z = fabs(plane->normal[2]);
	const bool isFinite = x <= 1e100 && y <= 1e100 && z <= 1e100 && fabs(plane->offset) <= 1e100; // NaN is not
	return isFinite && (x >= 1e-100 || y >= 1e-100 || z >= 1e-100);
}

snugShape sgShape_Round(const snugShape* shape)
{
	snugShape rounded = *shape;
	double* normal = rounded.plane.normal;
	for (int k = 0; k < 3; ++k)
	{
		normal[k] = fabs(normal[k]) < 1e-200 ? 0.0 : normal[k];
	}
	rounded.plane.offset = fabs(rounded.plane.offset) < 1e-200 ? 0.0 : rounded.plane.offset;
	return rounded;
}

// normal . x + offset over the length of the normal, in double.
static double HeightOf(const snugPlane* plane, const float* x)
{
	double sum = plane->offset, length2 = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		sum += plane->normal[k] * x[k];
		length2 += plane->normal[k] * plane->normal[k];
	}
	return sum / sqrt(length2);
}

// A triangle has a point in a half space if a corner is in it, and one on a plane if not all corners are on one side.
static bool MeetsPlane(const snugShape* shape, const float triangle[3][3], snugShapeContact* contact)
{
	int least = 1, most = -1, deepest = 0;
	double heights[3];
	for (int i = 0; i < 3; ++i)
	{
		const int side = sgHalfSpace_Side(shape->plane.normal, shape->plane.offset, triangle[i]);
		least = side < least ? side : least;
		most = side > most ? side : most;
		heights[i] = HeightOf(&shape->plane, triangle[i]);
		deepest = heights[i] < heights[deepest] ? i : deepest;
	}
	contact->distance = heights[deepest];
	memcpy(contact->position, triangle[deepest], sizeof(contact->position));
	return least <= 0 && (shape->kind == snug_shapeHalfSpace || most >= 0);
}

static double ExtentOf(const float p[3], const float q[3], const float triangle[3][3])
{
	double extent = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double low = p[k] < q[k] ? p[k] : q[k], high = p[k] < q[k] ? q[k] : p[k];
		for (int i = 0; i < 3; ++i)
		{
			low = triangle[i][k] < low ? triangle[i][k] : low;
			high = triangle[i][k] > high ? triangle[i][k] : high;
		}
		extent = high - low > extent ? high - low : extent;
	}
	return extent;
}

// The axis of a capsule is a triangle without area.
static bool MeetsCapsule(const snugShape* shape, const float triangle[3][3], snugShapeContact* contact)
{
	const float *p = shape->from, *q = sgShape_End(shape);
	sgNearest nearest;
	sgSegmentHit hit;
	if (sgSegment_Hit(p, q, triangle, &hit))
	{
		contact->distance = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			contact->position[k] = (float)(p[k] + hit.t * ((double)q[k] - p[k]));
		}
		return true;
	}
	if (shape->kind == snug_shapeSphere)
	{
		sgPoint_ToTriangle(p, triangle, &nearest);
	}
	else
	{
		const float axis[3][3] = { { p[0], p[1], p[2] }, { q[0], q[1], q[2] }, { q[0], q[1], q[2] } };
		sgTriangles_Nearest(axis, triangle, &nearest);
	}
	contact->distance = sqrt(nearest.distance2);
	for (int k = 0; k < 3; ++k)
	{
		contact->position[k] = (float)nearest.b[k];
	}
	return contact->distance <= shape->radius + SG_SHAPE_SLACK * ExtentOf(p, q, triangle);
}

bool sgShape_Meets(const snugShape* shape, const float triangle[3][3], snugShapeContact* contact)
{
	const bool isRound = shape->kind == snug_shapeSphere || shape->kind == snug_shapeCapsule;
	return isRound ? MeetsCapsule(shape, triangle, contact) : MeetsPlane(shape, triangle, contact);
}
