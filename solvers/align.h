// solvers/align.h: the rigid motion that brings one shape nearest to another.
#ifndef SIM_ALIGN_H
#define SIM_ALIGN_H

#include "snug/snug.h"
#include "solvers/sim.h"

/// Find the frame that a shape is in, seen from a target shape: the rotation and translation of the target onto the
/// shape that leave the least sum of squared distances between vertices of the same number.
/// @param shape, target (3 * vertexCount)
/// @param frame receives the motion, from the target's space to the shape's
/// @param moved (3 * vertexCount) receives the shape in the target's space
bool simAlign(
    const float* shape, const double* target, uint32_t vertexCount, snugFrame* frame, double* moved, simError* error);

#endif
