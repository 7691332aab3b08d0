// lab/scenes/relax.h: a mesh of tubes made even: vertices move to the middle of their neighbours, along the surface,
// and edges turn where the other diagonal is better (Delaunay's rule).
#ifndef SCENES_RELAX_H
#define SCENES_RELAX_H

#include "lab/scenes/tubes.h"

/// The vertices beside each vertex.
typedef struct sceneNeighbours
{
	uint32_t* starts; ///< (vertexCount + 1)
	uint32_t* others; ///< (starts[vertexCount]); each once for a closed mesh
} sceneNeighbours;

/// @return false if there is no memory; nothing to free then
bool sceneNeighbours_Make(sceneNeighbours* neighbours, const sceneMesh* mesh);
void sceneNeighbours_Free(sceneNeighbours* neighbours);

/// Split vertices where two parts of a closed surface touch, which surface nets leave where a cell is cut twice.
/// @return 1 if the mesh is like a sphere then, 0 if it has holes that a string could go through, -1 if there is no
/// memory or it is not closed
int sceneClose(sceneMesh* mesh);

/// @param mesh closed by sceneClose
/// @return false if there is no memory
bool sceneRelax(const sceneTubes* tubes, sceneMesh* mesh, int rounds);

#endif
