// src/geometry/moving.h: two features that move on straight lines at an even pace: when do they first meet?
//
// A feature pair is a vertex and a triangle, or two edges. From a point of one to a point of the other it is
//
//     F(t, u, v) = base(t) + u along(t) + v across(t),      each of them (1 - t) [0] + t [1],      0 <= t, u, v <= 1,
//
// and u + v <= 1 on a triangle. They meet where F is zero. F is affine in each of t, u, v alone, so along any direction
// its values on a cell, a box of (t, u, v), lie between those at the cell's corners, and what is left of a cell after
// cutting off where they are not zero still has all that it had. docs/bounds/sweeps.md has the proofs.
#ifndef SG_MOVING_H
#define SG_MOVING_H

#include "base/base.h"

/// Two features, relative to each other: [start, end][axis]. Differences of coordinates that are below 2^128, and zero
/// or above 2^-149: of a vertex x and a triangle p, q, r these are x - p, p - q and p - r, of edges from p to q and
/// from r to s p - r, q - p and r - s.
typedef struct sgMovingPair
{
	double base[2][3], along[2][3], across[2][3];
	bool isTriangle; ///< a vertex and a triangle; otherwise two edges
} sgMovingPair;

/// What to look for.
typedef struct sgMovingQuery
{
	double from, to;   ///< times, 0 <= from <= to <= 1: they do not meet outside
	double margin;     ///< features that are so near count as meeting; no less than `stray`
	double stray;      ///< the true ways may be so far from these, both together: what meets does so for all of them
	double bow;        ///< at t ways stray less, and so the margin is less, by bow (1 - 4 t (1 - t)); at most `stray`
	double tolerance;  ///< where they come so near, the search may give up. Also at 2^-10 of how far they move, and at
	                   ///< an eighth of how far they may stray
	uint32_t maxCells; ///< and after so many cells; zero: at once
} sgMovingQuery;

typedef enum sgMovingAnswer
{
	sg_movingFree = 0, ///< they do not meet
	sg_movingMeets,    ///< they do, at a time from `time` to `latest`
	sg_movingUnsure    ///< neither is proved
} sgMovingAnswer;

typedef struct sgMovingResult
{
	sgMovingAnswer answer;
	double time;    ///< they do not meet before
	double latest;  ///< unsure: from `time` to this they come within the tolerance of the margin; cut: the query's `to`
	double u, v;    ///< about where
	uint32_t cells; ///< looked at
	bool isCut;     ///< maxCells, or room for cells, were too few
} sgMovingResult;

/// How far the two move relative to each other, along an axis at most. Zero only if they do not.
double sgMovingPair_Motion(const sgMovingPair* pair);

/// What any value of F is off by at most, along an axis, if it is computed in double.
double sgMovingPair_Error(const sgMovingPair* pair);

/// When they first meet.
sgMovingResult sgMovingPair_Search(const sgMovingPair* pair, const sgMovingQuery* query);

#endif
