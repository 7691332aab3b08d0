// test/driver/experimental.h: all that the driver knows of snug_bounds.h, so that it can go with it.
#ifndef DRIVER_EXPERIMENTAL_H
#define DRIVER_EXPERIMENTAL_H

#include "driver/world.h"

/// Bounds for the model under test, and for the one that truth is read from what of them decides where vertices are.
void DrawBounds(World* world, const Kind* kind, snugModelDef* tested, snugModelDef* plain);

/// Mark the triangles below a node of a model's tree.
/// @param marks (triangleCount)
void MarkBelow(World* world, const Kind* kind, uint32_t node, bool* marks);

#endif
