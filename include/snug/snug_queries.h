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

#ifdef __cplusplus
}
#endif

#endif
