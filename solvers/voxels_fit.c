#include "solvers/voxels.h"

#include <math.h>

// Cells between parts that are joined.
#define MAX_GAP 2

// Longest side of the box of all triangles' corners.
static double FindLength(const simMesh* mesh)
{
	double longest = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		float lower = INFINITY, upper = -INFINITY;
		for (size_t i = 0; i < 3 * (size_t)mesh->triangleCount; ++i)
		{
			float x = mesh->positions[3 * (size_t)mesh->triangles[i] + (size_t)k];
			lower = fminf(lower, x);
			upper = fmaxf(upper, x);
		}
		longest = fmax(longest, (double)upper - (double)lower);
	}
	return longest;
}

// Find an edge that gives about as many cells as are wanted. Their number grows with a power of 1 / edge between 1, for
// a rod, and 3; what the last two tries tell about it is used for the next.
bool simVoxels_Fit(simVoxels* voxels, const simMesh* mesh, const simParts* parts, uint32_t cellCount, double thickness,
    simError* error)
{
	double length = FindLength(mesh), wanted = (double)cellCount;
	if (!(length > 0.0))
	{
		return simError_Set(error, "the mesh has no extent: all its corners are in one place");
	}
	double edge = length / cbrt(wanted), power = 2.5, lastEdge = 0.0, lastCount = 0.0;
	for (int attempt = 0;; ++attempt)
	{
		edge = length * nearbyint(edge / length * 0x1p24) * 0x1p-24; // whatever the last bits of libm
		simVoxelDef voxelDef = { mesh, parts, edge, thickness > 0.0 ? thickness : edge };
		if (!simVoxels_Create(voxels, &voxelDef, error))
		{
			return false;
		}
		double count = (double)voxels->cellCount;
		if ((count > 0.8 * wanted && count < 1.2 * wanted) || attempt == 8)
		{
			break;
		}
		if (lastCount > 0.0 && lastCount != count && lastEdge != edge)
		{
			power = fmin(fmax(log(count / lastCount) / log(lastEdge / edge), 1.0), 3.0);
		}
		lastEdge = edge;
		lastCount = count;
		edge *= fmin(fmax(pow(count / wanted, 1.0 / power), 0.1), 10.0);
		simVoxels_Free(voxels);
	}
	if (!simVoxels_Join(voxels, mesh, MAX_GAP, error))
	{
		simVoxels_Free(voxels);
		return false;
	}
	return true;
}
