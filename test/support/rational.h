// test/support/rational.h: exact oracles for the geometry tests, in rationals, for any finite floats.
//
// They share no code and no algorithm with src/geometry, nor with lab/truth/exact.h, which looks for a separating axis
// in integers.

#pragma once

#include <stdbool.h>
#include <stdint.h>

// Signs of det[a - d; b - d; c - d] and det[a - c; b - c].
int RationalOrient3D(const float a[3], const float b[3], const float c[3], const float d[3]);
int RationalOrient2D(const float a[2], const float b[2], const float c[2]);

// Computes the extreme points of the intersection as rational points.
bool RationalIntersect(const float a[3][3], const float b[3][3]);

// Is one of those points outside the hull of the corners of `a` that the mask names (bit 3 * i + j: corner i)?
bool RationalIntersectBeyond(const float a[3][3], const float b[3][3], uint32_t shared);
