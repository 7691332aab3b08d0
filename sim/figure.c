#include "sim/figure.h"

#include <math.h>
#include <string.h>

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

// Put a vertex into a triangle, pushed out to the unit sphere, which makes three of it.
static void Split(sceneMesh* mesh, uint32_t triangle)
{
	uint32_t *corners = mesh->triangles + 3 * (size_t)triangle, vertex = mesh->vertexCount++;
	double middle[3], length = 0.0;
	for (size_t k = 0; k < 3; ++k)
	{
		middle[k] = 0.0;
		for (size_t i = 0; i < 3; ++i)
		{
			middle[k] += (double)mesh->positions[3 * (size_t)corners[i] + k];
		}
		length += middle[k] * middle[k];
	}
	for (size_t k = 0; k < 3; ++k)
	{
		mesh->positions[3 * (size_t)vertex + k] = (float)(middle[k] / sqrt(length));
	}
	const uint32_t added[6] = { corners[1], corners[2], vertex, corners[2], corners[0], vertex };
	memcpy(mesh->triangles + 3 * (size_t)mesh->triangleCount, added, sizeof(added));
	mesh->triangleCount += 2;
	corners[2] = vertex;
}

sceneMesh simMakeFigure(uint32_t vertexCount)
{
	uint32_t frequency = 1;
	while (10 * (uint64_t)(frequency + 1) * (frequency + 1) + 2 <= vertexCount)
	{
		++frequency;
	}
	sceneMesh sphere = sceneMakeSphere(frequency);
	sceneMesh mesh = sceneMesh_Allocate(vertexCount, 2 * (uint64_t)vertexCount - 4); // Euler's, of what is closed
	if (!sceneMesh_IsValid(&sphere) || !sceneMesh_IsValid(&mesh))
	{
		sceneMesh_Free(&sphere);
		sceneMesh_Free(&mesh);
		return mesh;
	}
	memcpy(mesh.positions, sphere.positions, 3 * (size_t)sphere.vertexCount * sizeof(float));
	memcpy(mesh.triangles, sphere.triangles, 3 * (size_t)sphere.triangleCount * sizeof(uint32_t));
	mesh.vertexCount = sphere.vertexCount;
	mesh.triangleCount = sphere.triangleCount;
	uint32_t missing = vertexCount - sphere.vertexCount;
	for (uint32_t i = 0; i < missing; ++i)
	{
		Split(&mesh, (uint32_t)((uint64_t)i * sphere.triangleCount / missing));
	}
	for (size_t i = 0; i < mesh.vertexCount; ++i)
	{
		Shape(mesh.positions + 3 * i);
	}
	sceneMesh_Free(&sphere);
	return mesh;
}
