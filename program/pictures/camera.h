// program/pictures/camera.h: where a picture is seen from.
#ifndef CLI_CAMERA_H
#define CLI_CAMERA_H

/// A pinhole camera. Pixels count from the top left.
typedef struct camera
{
	float eye[3];
	float right[3], up[3], forward[3];
	float vertical[3]; ///< of the world
	float focal;       ///< pixels per unit of slope
	float center[2];
} camera;

static inline float cameraDot(const float a[3], const float b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// @param vertical what points up in the world; not along the view
/// @param degrees height of the field of view
camera cameraMake(
    const float eye[3], const float target[3], const float vertical[3], float degrees, int width, int height);

/// Pixel coordinates, and the inverse of the distance along the view, which is linear on the screen.
void cameraProject(const camera* c, const float point[3], float projected[3]);

#endif
