// solvers/sim.h: what the solvers share: how they fail, and how they tell what they are doing.
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// One readable line without a newline. Empty if nothing went wrong.
typedef struct simError
{
	char text[512];
} simError;

/// @return false, so that callers can say `return simError_Set(…)`
bool simError_Set(simError* error, const char* format, ...);

/// Say that there is not enough memory.
/// @return false
bool simError_SetMemory(simError* error);

/// Told now and then what is being done.
/// @param done of `total`; a total of 0 means that it is not known
typedef void simProgressFcn(void* user, const char* what, uint64_t done, uint64_t total);

/// A surface, borrowed.
typedef struct simMesh
{
	const float* positions; ///< x, y, z of each vertex
	uint32_t vertexCount;
	const uint32_t* triangles; ///< three vertex numbers each
	uint32_t triangleCount;
} simMesh;

/// Whether there are triangles, their vertices exist, and all positions are finite and small enough to be squared.
bool simMesh_Check(const simMesh* mesh, simError* error);

#endif
