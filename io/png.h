// io/png.h: write a picture as PNG, in memory.
#ifndef IO_PNG_H
#define IO_PNG_H

#include <stddef.h>
#include <stdint.h>

/// Colours that a picture has at most.
#define IO_PNG_COLORS 256

/// @param indices colour of each pixel, rows from the top
/// @param palette red, green, blue, alpha of each colour; alpha is not multiplied into the others
/// @param colorCount 1 to IO_PNG_COLORS
/// @param bytes receives the size
/// @return the file's contents, to be freed with free; null if there is no memory
uint8_t* ioEncodePng(const uint8_t* indices, uint32_t width, uint32_t height, const uint8_t (*palette)[4],
    int colorCount, size_t* bytes);

#endif
