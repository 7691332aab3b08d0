// io/png.h: write a picture as PNG, in memory.
#ifndef IO_PNG_H
#define IO_PNG_H

#include <stddef.h>
#include <stdint.h>

/// @param pixels red, green, blue, one byte each, rows from the top
/// @param bytes receives the size
/// @return the file's contents, to be freed with free; null if there is no memory
uint8_t* ioEncodePng(const uint8_t* pixels, uint32_t width, uint32_t height, size_t* bytes);

#endif
