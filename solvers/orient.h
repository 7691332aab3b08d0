// solvers/orient.h: axes along which a mesh is small.
//
// A thin plate or rod that lies across the grid is a staircase of partly filled bricks, far too stiff if it is thinner
// than a brick. Along its own axes it is one layer of bricks of just its thickness, and exact. So bodies are turned
// first, where that makes their box much smaller.
#ifndef SIM_ORIENT_H
#define SIM_ORIENT_H

#include "solvers/sim.h"

/// Find axes whose box around all triangles is small: principal axes of the surface, turned a little further where that
/// helps. The mesh' own axes are kept unless others make the box smaller by a fifth.
/// @param axes receives three orthonormal rows, right-handed
/// @return whether they are other than x, y and z
bool simOrient(const simMesh* mesh, double axes[3][3]);

#endif
