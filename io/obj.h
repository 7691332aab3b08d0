// io/obj.h: Wavefront OBJ files, as far as triangles go.
//
// Read: `v` (further numbers on the line, a weight or a colour, are ignored) and `f` with the index forms a, a/b, a//c
// and a/b/c, negative ones counting back from the vertex read last; polygons are split, convex ones as fans from
// their first corner, in the order of the file (see io/polygon.h). Lines may be of any length, and these two may
// continue after a backslash; every other line is skipped. Memory is bounded by a small multiple of the file's size; no
// line is ever held.
#ifndef IO_OBJ_H
#define IO_OBJ_H

#include "io/file.h"

#include <stdint.h>

/// Triangles over shared vertices. Free with ioMesh_Free.
typedef struct ioMesh
{
	float* positions; ///< x, y, z of each vertex, finite
	uint32_t vertexCount;
	uint32_t* triangles; ///< three vertex numbers each, from 0, all below vertexCount
	uint32_t triangleCount;
} ioMesh;

void ioMesh_Free(ioMesh* mesh);

/// Read a file. A file without any face is an error: it is empty, or not an OBJ file.
/// @param mesh receives the mesh, or nulls
/// @param error receives "file:line: what is wrong"
bool ioReadObj(const char* path, ioMesh* mesh, ioError* error);

#endif
