// src/geometry/crossing.h: how a half-line crosses a triangle, for counting crossings.
//
// The half-line goes from p along the first axis. It is moved by an infinitesimal amount along the second axis and by
// one that is infinitesimal even to that along the third; so it passes through no edge and no corner, and of triangles
// that share an edge it crosses as many as a line next to it. Signs are exact (predicates.h). If p is not on the
// surface, the moved p is where p is; if the surface is closed, crossings say whether that is inside.
//
// Or it goes from just in front of a triangle with area, next to its first corner p: moved by an infinitesimal amount
// along the first edge, by one that is infinitesimal even to that towards the third corner, and by a third one along
// the normal. That point is on no triangle's plane and on no line through two vertices, along any axis: a sign that
// vanishes at p is that at the second corner, then that at the third, since determinants are linear in the point; and
// if all three vanish, that of the normal's.
#pragma once

#include "geometry/predicates.h"

#include <stdbool.h>
#include <stddef.h>

/// Sign of the turn of v, w and the moved p, seen along the first axis; zero only if v and w are one point there.
/// @param front nullable: the triangle, whose first corner is p
static inline int sgMovedTurn(const float* v, const float* w, const float* p, const float (*front)[3])
{
	int turn = sgTurn(v, w, p, 0);
	for (int i = 1; front != NULL && turn == 0 && i < 3; ++i)
	{
		turn = sgTurn(v, w, front[i], 0);
	}
	if (turn != 0)
	{
		return turn;
	}
	// det[v - p; w - p] in the coordinates 1 and 2 changes by v2 - w2 along 1, and by w1 - v1 along 2.
	const int along1 = (v[2] > w[2]) - (v[2] < w[2]), along2 = (w[1] > v[1]) - (w[1] < v[1]);
	if (front == NULL)
	{
		return along1 != 0 ? along1 : along2;
	}
	// The triangle is seen from its side, and v and w are on its line, to which the normal is perpendicular there: so
	// both products have one sign.
	const int normal1 = sgTurn(front[0], front[1], front[2], 1), normal2 = sgTurn(front[0], front[1], front[2], 2);
	return normal1 * along1 != 0 ? normal1 * along1 : normal2 * along2;
}

/// The side of a triangle's plane on which a point is. Of corners it is known, which is worth asking first: rounding
/// hides it.
static inline int sgSideOf(const float triangle[3][3], const sgPlane* plane, const float* p)
{
	bool isCorner = false;
	for (int c = 0; c < 3; ++c)
	{
		isCorner = isCorner || (triangle[c][0] == p[0] && triangle[c][1] == p[1] && triangle[c][2] == p[2]);
	}
	return isCorner ? 0 : sgPlane_Side(plane, p);
}

/// The side of a triangle's plane on which the moved p is, the front being 1.
static inline int sgMovedSide(const float triangle[3][3], const float* p, const float (*front)[3])
{
	const sgPlane plane = sgPlane_Make(triangle[1], triangle[2], triangle[0]);
	int side = sgSideOf(triangle, &plane, p);
	for (int i = 1; front != NULL && side == 0 && i < 3; ++i)
	{
		side = sgSideOf(triangle, &plane, front[i]);
	}
	if (front == NULL || side != 0)
	{
		return side;
	}
	const int axis = sgProjectionAxis(front[0], front[1], front[2]);
	return sgTurn(front[0], front[1], front[2], axis) * sgTurn(triangle[0], triangle[1], triangle[2], axis);
}

/// 1: it leaves through the triangle's front, from which corners turn counterclockwise; -1: through its back; 0: it
/// does not cross it. Without `front`, not for a p that is in the triangle.
static inline int sgHalfLine_Cross(const float p[3], const float (*front)[3], const float triangle[3][3])
{
	const int turn = sgMovedTurn(triangle[0], triangle[1], p, front);
	if (turn == 0 || sgMovedTurn(triangle[1], triangle[2], p, front) != turn ||
	    sgMovedTurn(triangle[2], triangle[0], p, front) != turn)
	{
		return 0;
	}
	// The normal's first coordinate has the sign of the turn: the plane is ahead of p if p is on the other side.
	return sgMovedSide(triangle, p, front) == -turn ? turn : 0;
}
