// program/pictures/picture.h: bodies drawn by a small rasteriser: depth buffer, smooth shading, a shadow on the ground,
// nine samples per pixel.
//
// Marked triangles are drawn in a colour of their own; where something hides them they shine through faintly, so that
// the whole curve of contact can be seen. What nothing covers is transparent.
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "program/pictures/camera.h"
#include "program/pictures/pixels.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct picture picture;

/// What is drawn at once. Triangles that are not all in front of the camera are left out.
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

/// Size in samples: what the camera is to be made for.
int picture_GetSampleWidth(const picture* p);
int picture_GetSampleHeight(const picture* p);

/// Draw over nothing.
/// @param ground height, along the camera's vertical, of the plane that shadows fall upon
/// @return false if there is no memory
bool picture_Draw(picture* p, const camera* c, float ground, const pictureMesh* meshes, int count);

/// @return how many samples of what was drawn show marked triangles that nothing hides
int picture_CountMarks(const picture* p);

/// @return what was drawn, to be freed; without data if there is no memory
pixels picture_Resolve(const picture* p);

#endif
