// test/support/rational_sweep.h: when two features that move on straight lines first meet, exactly.
//
// A vertex and a triangle, or two edges, whose corners go from one place to another at an even pace. Where they meet
// their four corners lie in one plane, which is a cubic in time; its roots are isolated by Sturm's theorem over the
// rationals, and at each of them signs of polynomials say whether the features share a point. It shares no method with
// src/geometry/moving.c, which never looks at a cubic.
#pragma once

#include <stdbool.h>

// [corner][start, end][axis]; a vertex, then the corners of a triangle; or both ends of an edge, then of another.
typedef double RationalPath[4][2][3];

// Forget all that was added.
void RationalSweep_Begin(void);

// Let these be among those that may meet first.
void RationalSweep_Add(const RationalPath path, bool isEdges);

// All features of two triangles, [start, end][corner][axis].
void RationalSweep_AddTriangles(const float a[2][3][3], const float b[2][3][3]);

// Whether any of them meet from 0 to 1; and if so, whether the first time t* is no earlier than `time`, and no later.
bool RationalSweep_Meets(void);
bool RationalSweep_NotBefore(double time); // time <= t*, but for 2^-100
bool RationalSweep_NotAfter(double time);  // t* <= time
double RationalSweep_Time(void);           // rounded
