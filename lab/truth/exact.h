// lab/truth/exact.h: whether two triangles share a point, in integers of any size that floats can ask for.
//
// An oracle: it shares no code and no method with src/geometry. All coordinates are brought onto the grid of the
// smallest power of two that any of them needs; then an axis is looked for that separates the triangles, and the
// arithmetic of that is exact. It needs no library, unlike the oracles of the tests, which it is compared with.
#ifndef TRUTH_EXACT_H
#define TRUTH_EXACT_H

#include <stdbool.h>

/// True if and only if the two closed triangles share a point: touching counts, and a triangle without area is the
/// segment or the point that it is. All coordinates must be finite.
bool exactIntersect(const float a[3][3], const float b[3][3]);

#endif
