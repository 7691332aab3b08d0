// program/pictures/pixels.h: pictures of bytes: compose them, and make PNG files of them.
#ifndef CLI_PIXELS_H
#define CLI_PIXELS_H

#include <stddef.h>
#include <stdint.h>

/// Red, green, blue, alpha of each pixel, rows from the top. Alpha is not multiplied into the others.
typedef struct pixels
{
	uint8_t* data; ///< null if there was no memory
	int width, height;
} pixels;

pixels pixelsMake(int width, int height);
void pixelsFree(pixels* p);

/// Fill a rectangle, as far as it lies within.
void pixelsFill(pixels* p, int x, int y, int width, int height, const uint8_t color[4]);

/// Put a picture over an opaque one.
void pixelsBlend(pixels* p, int x, int y, const pixels* picture);

/// Digits, points, spaces and the letter s, each 4 * size wide and 5 * size high.
/// @return where the text ends
int pixelsWrite(pixels* p, int x, int y, int size, const char* text, const uint8_t color[4]);

/// @return a PNG file's bytes, to be freed; null if there is no memory
uint8_t* pixelsEncode(const pixels* p, size_t* bytes);

#endif
