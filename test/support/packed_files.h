// test/support/packed_files.h: meshes compressed by the libraries that decode them, for tests.
#ifndef TEST_PACKED_FILES_H
#define TEST_PACKED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

// Compress positions (attribute 0, as floats) and joints (attribute 1, four bytes each) of triangles with Draco.
// @param edgebreaker its tighter way, which changes the order of vertices and triangles
// @return number of bytes written; 0 if they do not fit
size_t PackDraco(bool edgebreaker, uint32_t vertexCount, const float* positions, const uint8_t* joints,
    uint32_t indexCount, const uint16_t* indices, uint8_t* bytes, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
