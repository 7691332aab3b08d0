// program/pictures/normals.h: smooth normals for pictures.
#ifndef CLI_NORMALS_H
#define CLI_NORMALS_H

#include <stdint.h>

/// A normal per vertex, not of unit length: the sum of those of its triangles, longer for larger ones. Files split
/// vertices along seams, so those at the same place count together, unless an edge between them is sharp.
/// @return to be freed; null if there is no memory
float* MakeNormals(const float* positions, uint32_t vertexCount, const uint32_t* triangles, uint32_t triangleCount);

#endif
