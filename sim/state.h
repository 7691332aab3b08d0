// sim/state.h: meshless bodies in a file, to go on from: time, displacements and velocities, as text that says every
// bit.
#ifndef SIM_STATE_H
#define SIM_STATE_H

#include "sim/meshless.h"

#include <stdio.h>

/// @return false if it cannot be written
bool simState_Write(FILE* stream, const simMeshless* body);

/// Read what was written of a body with as many nodes, and compute its forces.
/// @return false, saying where, if the text is not that, or the body could not go on from there; the body is at rest
/// then
bool simState_Read(FILE* stream, simMeshless* body, simError* error);

#endif
