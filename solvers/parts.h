// solvers/parts.h: which triangles hang together, and which of these parts enclose a volume.
//
// Vertices at equal positions count as one, so that seams of texture coordinates do not matter. Triangles that share an
// edge are of one part. A part is solid if every edge has an even number of triangles: then whether a point is
// inside is well defined, as the parity of the crossings on any way to infinity. Else it is a sheet, and so is what is
// closed but encloses nothing: two faces back to back. A solid part is oriented if its edges are passed as often one
// way as the other: then how often it winds around a point is well defined, too.
#ifndef SIM_PARTS_H
#define SIM_PARTS_H

#include "solvers/sim.h"

typedef struct simParts
{
	uint32_t count;
	uint32_t* ofTriangle; ///< (triangleCount) part of each triangle; parts are numbered by their first triangle
	bool* solid;          ///< (count)
	bool* oriented;       ///< (count) of solid ones
	uint32_t solidCount;
} simParts;

bool simParts_Find(simParts* parts, const simMesh* mesh, simError* error);
void simParts_Free(simParts* parts);

#endif
