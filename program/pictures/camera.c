#include "program/pictures/camera.h"

#include <math.h>

static void Normalise(float v[3])
{
	float scale = 1.0f / sqrtf(cameraDot(v, v));
	v[0] *= scale;
	v[1] *= scale;
	v[2] *= scale;
}

static void Cross(const float a[3], const float b[3], float c[3])
{
	c[0] = a[1] * b[2] - a[2] * b[1];
	c[1] = a[2] * b[0] - a[0] * b[2];
	c[2] = a[0] * b[1] - a[1] * b[0];
}

camera cameraMake(
    const float eye[3], const float target[3], const float vertical[3], float degrees, int width, int height)
{
	camera c;
	for (int k = 0; k < 3; ++k)
	{
		c.eye[k] = eye[k];
		c.vertical[k] = vertical[k];
		c.forward[k] = target[k] - eye[k];
	}
	Normalise(c.forward);
	Cross(c.forward, vertical, c.right);
	Normalise(c.right);
	Cross(c.right, c.forward, c.up);
	c.focal = 0.5f * (float)height / tanf(degrees * 3.14159265f / 360.0f);
	c.center[0] = 0.5f * (float)width;
	c.center[1] = 0.5f * (float)height;
	return c;
}

void cameraProject(const camera* c, const float point[3], float projected[3])
{
	float offset[3] = { point[0] - c->eye[0], point[1] - c->eye[1], point[2] - c->eye[2] };
	float inverse = 1.0f / cameraDot(offset, c->forward);
	projected[0] = c->center[0] + c->focal * cameraDot(offset, c->right) * inverse;
	projected[1] = c->center[1] - c->focal * cameraDot(offset, c->up) * inverse;
	projected[2] = inverse;
}
