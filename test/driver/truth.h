// test/driver/truth.h: what is true of triangles at given float32 positions, by brute force.
//
// Signs are decided in double where that is certain, otherwise in integers or rationals (lab/truth/exact.h,
// rational.h); nothing here shares code or method with src/. Now and then an answer is compared with the rational one.
#ifndef DRIVER_TRUTH_H
#define DRIVER_TRUTH_H

#include "support.h"

#include "snug/snug_queries.h"

#include <string.h>

/// memcpy, also from nowhere where there is nothing to copy.
static inline void Copy(void* to, const void* from, size_t bytes)
{
	if (bytes > 0)
	{
		memcpy(to, from, bytes);
	}
}

/// A triangle mesh where it is.
typedef struct Surface
{
	uint32_t vertexCount, triangleCount;
	const uint32_t* triangles; // borrowed
	float* positions;
	float (*boxes)[2][3]; // of triangles: lower, upper
	float box[2][3];      // of all of them
	double extent;        // the largest side of that; zero without triangles
	double far;           // the largest coordinate
} Surface;

/// Takes the positions.
void Surface_Set(Surface* surface, const sceneMesh* mesh, float* positions);
void Surface_Free(Surface* surface);
void Surface_Corners(const Surface* surface, uint32_t triangle, float corners[3][3]);
/// How far a point of it may be off when it is rounded to float32.
double Rounding(const Surface* surface);
/// The largest difference of coordinates of both.
double Surfaces_Extent(const Surface* a, const Surface* b);

/// Sign of (b - a) x (c - a) . (p - a).
int Side(const float p[3], const float a[3], const float b[3], const float c[3]);
bool TrianglesMeet(const float a[3][3], const float b[3][3]);
/// The same beyond the corners that they share: bit 3 * i + j: corners i and j are one.
bool TrianglesMeetBeyond(const float a[3][3], const float b[3][3], uint32_t shared);
bool SegmentMeets(const float p[3], const float q[3], const float triangle[3][3]);
bool HasArea(const float triangle[3][3]);

/// All pairs that share a point, sorted.
PairList TruePairs(const Surface* a, const Surface* b);
/// All pairs of one surface, a < b, that share a point beyond the corners they share, and do not at rest; sorted.
/// @param rest nullable: those that do so at rest as well
/// @param twins (vertexCount) corners are shared by these numbers
PairList TrueOwnPairs(const Surface* surface, const Surface* rest, const uint32_t* twins);
/// Whether a pair is among them.
bool HasPair(const PairList* list, snugPair pair);

/// No less than the distance of two triangles that do not meet, and hardly more. A point or a segment repeats corners.
double DistanceAbout(const float a[3][3], const float b[3][3]);
/// The distance of two triangles, in rationals but for one rounding; zero if and only if they meet.
double TrueDistance(const float a[3][3], const float b[3][3]);
/// No less than the distance of two surfaces, and hardly more; zero if and only if they meet, infinite for nothing.
double SurfaceDistance(const Surface* a, const Surface* b);
/// Of a point from a triangle, about.
double PointDistance(const float p[3], const float triangle[3][3]);

/// The smallest triangle that a point is on, or SNUG_NONE.
uint32_t TriangleAt(const Surface* surface, const float p[3]);

/// How often the segment from p to q crosses a surface.
/// @param winding receives crossings through fronts less those through backs
/// @return -1 if it meets an edge, or ends in a plane
int CountCrossings(const Surface* surface, const float p[3], const float q[3], int* winding);

#endif
