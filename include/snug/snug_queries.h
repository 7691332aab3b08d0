// snug_queries.h: what one asks after "which triangles meet?": where they are, and what a ray hits.
//
// The rules of snug.h hold here too: zero means default, reserved members are zero, bad data return a status, nothing
// allocates but Create functions, a body belongs to one thread at a time. Everything is about the same float32
// positions that snugBody_GetVertices reports for the query's origin, and evaluates only what it visits. Results are
// the same bits for every instruction set, compiler and build.
#ifndef SNUG_SNUG_QUERIES_H
#define SNUG_SNUG_QUERIES_H

#include <snug/snug.h>

#ifdef __cplusplus
extern "C"
{
#endif

/// @defgroup positions Positions of some triangles
/// @{

/// Posed positions of some vertices, frame included: the same bits as snugBody_GetVertices, but only these are
/// evaluated.
/// @param origin nullable; positions are relative to it; default zero
/// @param vertices their numbers, in any order, repeated or not; nullable if count is zero
/// @param positions receives x, y, z of each; nullable if count is zero
/// @param stride bytes from one vertex to the next; 0 means 12
/// @return snug_badInput, with nothing written, if there is no vertex with such a number; snug_outOfRange as
/// snugBody_GetVertices
SNUG_API snugStatus snugBody_GetSomeVertices(
    snugBody* body, const double origin[3], const uint32_t* vertices, uint32_t count, float* positions, size_t stride);

/// Posed positions of the corners of some triangles, those of reported pairs, say.
/// @param triangles their numbers, in any order, repeated or not; nullable if count is zero
/// @param corners receives x, y, z of the three corners of each, in the order of the model's definition; nullable if
/// count is zero
/// @param stride bytes from one triangle to the next; 0 means 36
/// @return as snugBody_GetSomeVertices
SNUG_API snugStatus snugBody_GetTriangles(
    snugBody* body, const double origin[3], const uint32_t* triangles, uint32_t count, float* corners, size_t stride);

/// A box around all vertices of triangles below a node of the tree, as queries see it, for drawing. It is relative to
/// the body's frame: turn and move its corners as snugBody_SetFrame says.
typedef struct snugNodeBox
{
	float lower[3];
	float upper[3];
	uint32_t node;  ///< a number of its own
	uint32_t level; ///< the root's is 0
} snugNodeBox;

/// The boxes of one level of the tree, and of leaves above it: so that all triangles are in one of them.
/// @param boxes nullable; receives the first `capacity` boxes
/// @param count receives how many there are
SNUG_API snugStatus snugBody_GetBoxes(
    snugBody* body, uint32_t level, snugNodeBox* boxes, uint64_t capacity, uint64_t* count);

/// The boxes that queries have looked at since the body was posed. None for bodies that use the model's own
/// boxes: rigid ones, and bodies of fields whose amplitudes are zero.
/// @param boxes nullable; receives the first `capacity` boxes
/// @param count receives how many there are
SNUG_API snugStatus snugBody_GetVisitedBoxes(snugBody* body, snugNodeBox* boxes, uint64_t capacity, uint64_t* count);

/// @}

/// @defgroup rays Rays
/// What a straight line from one point to another hits. Whether it hits a triangle is decided exactly, for float32
/// points and float32 corners: the closed segment and the closed triangle share a point. So nothing slips between
/// triangles that share an edge or a corner, and a ray through one hits all of them. A triangle without area is the
/// segment or the point that it is; a ray of length zero is a point.
/// @{

/// A ray begins and ends. For one that goes far, choose an end beyond everything.
typedef struct snugRay
{
	float from[3]; ///< relative to the query's origin, magnitude at most SNUG_MAX_COORDINATE, as `to`
	float to[3];
} snugRay;

/// No triangle was hit.
#define SNUG_NO_TRIANGLE 0xffffffffu

/// Where a ray meets a triangle first: it may lie in its plane.
typedef struct snugRayHit
{
	double t;          ///< the place is from + t (to - from), 0 <= t <= 1; right to 2^-38 of itself. 2 for a miss
	double weights[3]; ///< of the triangle's corners, none negative, right to 2^-32: the place is their weighted sum
	float position[3]; ///< the place, relative to the query's origin
	float normal[3];   ///< of unit length, to the side from which corners turn counterclockwise; zero without area
	uint32_t triangle; ///< or SNUG_NO_TRIANGLE
	uint32_t reserved;
} snugRayHit;

/// How to ask. All zero: the nearest hits, relative to zero.
typedef struct snugRayQuery
{
	double origin[3];
	bool any; ///< for snugCastRays: any hit will do, which is faster. Always the same one for the same model and pose
	uint64_t reserved[7];
} snugRayQuery;

/// What rays cost and found.
typedef struct snugRayResult
{
	snugStatus status;
	uint64_t count;        ///< snugCastRays: rays that hit something; snugFindHits: triangles that are hit
	snugCounters counters; ///< triangleTests: triangles in leaves; exactTests: of those, how many float32 left
	uint64_t reserved[4];
} snugRayResult;

/// Find what each of some rays hits first: the least t, and of equal ones the smallest triangle number.
/// @param rays nullable if count is zero
/// @param hits receives one for each ray; nullable if count is zero
/// @param query nullable
/// @return snug_badInput, with a message that names it, if a ray is not finite or too far out
SNUG_API snugRayResult snugCastRays(
    snugBody* body, const snugRay* rays, uint64_t count, snugRayHit* hits, const snugRayQuery* query);

/// Find everything that one ray hits.
/// @param hits nullable if capacity is zero; receives the `capacity` first ones, sorted by t, then by triangle
/// @param query nullable
SNUG_API snugRayResult snugFindHits(
    snugBody* body, const snugRay* ray, snugRayHit* hits, uint64_t capacity, const snugRayQuery* query);

/// @}

#ifdef __cplusplus
}
#endif

#endif
