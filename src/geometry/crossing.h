// src/geometry/crossing.h: how a half-line crosses a triangle, for counting crossings.
//
// The half-line goes from p along the first axis. It is moved by an infinitesimal amount along the second axis and by
// one that is infinitesimal even to that along the third; so it passes through no edge and no corner, and of triangles
// that share an edge it crosses as many as a line next to it. Signs are exact (predicates.h). If p is not on the
// surface, the moved p is where p is; if the surface is closed, crossings say whether that is inside.
#pragma once

#include "geometry/predicates.h"

/// Sign of the turn of v, w and the moved p, seen along the first axis; zero only if v and w are one point there.
static inline int sgMovedTurn(const float* v, const float* w, const float* p)
{
	const int turn = sgTurn(v, w, p, 0);
	if (turn != 0)
	{
		return turn;
	}
	// det[v - p; w - p] in the coordinates 1 and 2 changes by v2 - w2 along 1, and by w1 - v1 along 2.
	return v[2] != w[2] ? (v[2] > w[2] ? 1 : -1) : (w[1] > v[1]) - (w[1] < v[1]);
}

/// 1: it leaves through the triangle's front, from which corners turn counterclockwise; -1: through its back; 0: it
/// does not cross it. Not for a p that is in the triangle.
static inline int sgHalfLine_Cross(const float p[3], const float triangle[3][3])
{
	const int turn = sgMovedTurn(triangle[0], triangle[1], p);
	if (turn == 0 || sgMovedTurn(triangle[1], triangle[2], p) != turn ||
	    sgMovedTurn(triangle[2], triangle[0], p) != turn)
	{
		return 0;
	}
	// The normal's first coordinate has the sign of the turn: the plane is ahead of p if p is on the other side.
	const sgPlane plane = sgPlane_Make(triangle[1], triangle[2], triangle[0]);
	return sgPlane_Side(&plane, p) == -turn ? turn : 0;
}
