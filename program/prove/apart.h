// program/prove/apart.h: directions along which points are apart, as small whole numbers.
//
// Two sets of points that go straight are apart along a direction throughout an interval if they are at both of its
// ends. So a direction is wanted that has all differences b - a of both ends before it: the nearest point to the origin
// of their hull (Gilbert, Johnson, Keerthi 1988), or any on the way to it that will do.
#ifndef CLI_PROVE_APART_H
#define CLI_PROVE_APART_H

#include <stdbool.h>
#include <stdint.h>

/// Corners of triangles of a cloud at most.
#define PROVE_CLOUD (3 * 64)

/// Points at both ends of an interval.
typedef struct proveCloud
{
	int count;
	double ends[2][PROVE_CLOUD][3];
} proveCloud;

/// Find d with d . a < d . b for all points a of one cloud and b of the other, at each end, beyond what errors can do.
/// @param error how far a coordinate of a difference b - a is from the real one at most
bool proveApart(const proveCloud* a, const proveCloud* b, double error, int32_t d[3]);

/// Find d with d . p > 0 for all points of a cloud, likewise.
bool proveAhead(const proveCloud* points, double error, int32_t d[3]);

/// 1 or -1 if that is the sign of all numbers, beyond an error; otherwise 0.
int proveSign(const double* numbers, int count, double error);

/// Whether an edge goes through a triangle throughout an interval: the five volumes keep their signs.
/// @param edge, triangle points at both ends
/// @param error of the coordinates of each
bool proveCrosses(double edge[2][2][3], double triangle[3][2][3], double error);

#endif
