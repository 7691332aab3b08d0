#include "papers/meshless/figure.h"

// A smooth hill of height 1 about a middle.
static double Hill(double x, double middle, double half)
{
	double t = (x - middle) / half;
	return t * t < 1.0 ? (1.0 - t * t) * (1.0 - t * t) : 0.0;
}

// From the unit sphere: heights stay, distances from the axis follow a profile.
static void Shape(float* p)
{
	double z = (double)p[2];
	double profile = 0.55 + 0.25 * Hill(z, -0.4, 0.5) - 0.3 * Hill(z, 0.35, 0.25) + 0.05 * Hill(z, 0.6, 0.2);
	profile *= z > 0.7 ? 1.0 - 1.5 * (z - 0.7) : 1.0;
	p[0] = (float)(profile * (double)p[0]);
	p[1] = (float)(profile * (double)p[1]);
	p[2] = (float)(SIM_FIGURE_HALF_HEIGHT * z);
}

sceneMesh simMakeFigure(uint32_t vertexCount)
{
	sceneMesh mesh = sceneMakeRound(vertexCount);
	for (size_t i = 0; i < mesh.vertexCount; ++i)
	{
		Shape(mesh.positions + 3 * i);
	}
	return mesh;
}
