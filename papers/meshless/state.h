// papers/meshless/state.h: simulations in a file, to go on from: time, positions or displacements, and velocities, as
// text that says every bit.
#ifndef SIM_STATE_H
#define SIM_STATE_H

#include "papers/meshless/meshless.h"

#include <stdio.h>

/// @param places (count) positions or displacements; @param velocities (count)
/// @return false if they cannot be written
bool simState_WriteVectors(FILE* stream, const double (*places)[3], const double (*velocities)[3], uint32_t count);

/// Read what was written of as many.
/// @return false, saying where, if the text is not that
bool simState_ReadVectors(FILE* stream, double (*places)[3], double (*velocities)[3], uint32_t count, simError* error);

/// @return false if it cannot be written
bool simState_Write(FILE* stream, const simMeshless* body);

/// Read what was written of a body with as many nodes, and compute its forces.
/// @return false, saying where, if the text is not that, or the body could not go on from there; the body is at rest
/// then
bool simState_Read(FILE* stream, simMeshless* body, simError* error);

#endif
