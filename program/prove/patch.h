// program/prove/patch.h: why parts of a body do not meet each other though they have corners in common.
#ifndef CLI_PROVE_PATCH_H
#define CLI_PROVE_PATCH_H

#include "program/prove/claims.h"

/// Triangles of a patch at most.
#define PROVE_PATCH 64

/// Find a direction along which triangles are seen from one side, and their border as one loop that does not cross
/// itself: they lie over a plane without a fold, so no two of them meet but where they join. docs/proofs.md has the
/// proof.
/// @param u times of the interval within the step
bool proveFindPatch(
    const proveSide* side, const uint32_t* triangles, int count, const double u[2], int32_t direction[3]);

/// Find a direction along which all of `countA` triangles are on one side of the only corner that they share with the
/// others, which are on the other side.
bool provePartAtCorner(
    const proveSide* side, const uint32_t* triangles, int countA, int count, const double u[2], int32_t direction[3]);

/// Find a direction around which two triangles that share an edge open.
bool provePartAtEdge(const proveSide* side, uint32_t a, uint32_t b, const double u[2], int32_t direction[3]);

#endif
