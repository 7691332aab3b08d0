// program/pictures/pixels.h: pictures of bytes, and PNG files made of them.
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

/// @return a PNG file's bytes, to be freed; null if there is no memory
uint8_t* pixelsEncode(const pixels* p, size_t* bytes);

#endif
