// program/picture.h: bodies drawn by a small rasteriser: depth buffer, smooth shading, four samples per pixel.
//
// Marked triangles are drawn in a colour of their own; where something hides them they shine through faintly, so that
// the whole curve of contact can be seen.
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "program/camera.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct picture picture;

/// What is drawn at once. All triangles must be in front of the camera.
typedef struct pictureMesh
{
	const float* positions;
	uint32_t vertexCount;
	const uint32_t* triangles;
	uint32_t triangleCount;
	const uint8_t* marks; ///< one byte per triangle, not 0 if it is marked; nullable
	float color[3];       ///< red, green, blue in 0 to 1
} pictureMesh;

/// @return null if there is no memory
picture* picture_Create(int width, int height);
void picture_Destroy(picture* p);

/// Size in samples, two per pixel and direction: what the camera is to be made for.
int picture_GetSampleWidth(const picture* p);
int picture_GetSampleHeight(const picture* p);

/// Clear to the background and draw.
/// @return false if there is no memory
bool picture_Draw(picture* p, const camera* c, const pictureMesh* meshes, int count);

/// @return a PNG file's bytes, to be freed; null if there is no memory
uint8_t* picture_Encode(const picture* p, size_t* bytes);

#endif
