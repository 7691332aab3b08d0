#include "solvers/sim.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

// Squares of lengths, and their products with those of others, stay finite in double.
#define LARGEST_COORDINATE 1e30f

bool simError_Set(simError* error, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return false;
}

bool simError_SetMemory(simError* error)
{
	return simError_Set(error, "not enough memory");
}

bool simMesh_Check(const simMesh* mesh, simError* error)
{
	if (mesh->vertexCount == 0 || mesh->triangleCount == 0)
	{
		return simError_Set(error, "the mesh has no triangles");
	}
	for (size_t i = 0; i < 3 * (size_t)mesh->triangleCount; ++i)
	{
		if (mesh->triangles[i] >= mesh->vertexCount)
		{
			return simError_Set(error, "triangle %zu has vertex %u, but there are only %u", i / 3, mesh->triangles[i],
			    mesh->vertexCount);
		}
	}
	for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; ++i)
	{
		if (!(fabsf(mesh->positions[i]) <= LARGEST_COORDINATE)) // false for NaN
		{
			return simError_Set(error, "vertex %zu has a coordinate that is not finite, or above 1e30", i / 3);
		}
	}
	return true;
}
