// io/polygon.h: polygons made triangles, the same way in every reader.
//
// Readers split polygons as fans while they read, since corners come one by one and vertices may follow their faces.
// Once all is read, ioPolygons_Split does the ones again that are not convex, in place: a polygon of n corners has n -
// 2 triangles either way.
//
// Convex polygons stay fans from their first corner. Others lose one ear after the other: a corner that turns the
// polygon's way, with no other corner in its triangle. Why the result is right: the triangles' boundaries add up to the
// polygon's, so the number of triangles over a point, each counted with its sign, is the polygon's winding number
// there. If all triangles have the polygon's orientation and its boundary does not cross itself, that number is 1
// inside and 0 outside: they cover it exactly once.
//
// Corners are judged in the plane that drops the largest coordinate of the polygon's normal (Newell's, which is the
// area's for flat polygons and a mean for others).
#ifndef IO_POLYGON_H
#define IO_POLYGON_H

#include "io/obj.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Polygons of more than three corners, as fans among the triangles of a mesh. Zero-initialise.
typedef struct ioPolygons
{
	uint32_t* fans; ///< first triangle and number of triangles of each
	size_t count, capacity;
} ioPolygons;

/// Take note of a fan. One of a single triangle is nothing to remember.
/// @return false if there is no memory
bool ioPolygons_Add(ioPolygons* polygons, uint32_t firstTriangle, uint32_t triangleCount);

void ioPolygons_Free(ioPolygons* polygons);

typedef enum ioSplitResult
{
	io_splitDone = 0,
	io_splitNoMemory,
	io_splitTooLong, ///< polygons that are not convex have so many corners that splitting them would take minutes
} ioSplitResult;

/// What to say then; takes the number of corners.
#define IO_TOO_LONG_POLYGON "a polygon of %u corners that is not convex: too many to split"

/// Split all polygons of a mesh whose indices are in range.
/// @param largest receives the number of corners of the polygon at which it gave up; nullable
ioSplitResult ioPolygons_Split(const ioPolygons* polygons, ioMesh* mesh, uint32_t* largest);

/// Split one polygon.
/// @param positions x, y, z of each corner
/// @param triangles receives corner numbers, three for each of count - 2 triangles
/// @param work what may still be spent, counted in looks at a corner; null: without limit
ioSplitResult ioSplitPolygon(const double* positions, uint32_t count, uint32_t* triangles, uint64_t* work);

#endif
