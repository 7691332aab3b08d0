// papers/common/plain_skin.h: linear blend skinning as a good programmer writes it: each vertex once, in order, four
// floats at a time.
//
// For methods that need every vertex in every frame: they are charged the lesser of this and our own evaluation
// (world.h), which goes cluster by cluster and evaluates vertices on borders more than once. It sums in another order,
// so its last bits are its own. It stays as it is, so that times can be compared over versions.
#ifndef PAPERS_PLAIN_SKIN_H
#define PAPERS_PLAIN_SKIN_H

#include "lab/scenes/meshless.h"

/// @param matrices 12 floats per joint, three rows of four
/// @param place nullable: where the body is
/// @param positions receives x, y, z of every vertex; one float after the last is written too
void plainSkin_Evaluate(const sceneMesh* mesh, const sceneWeights* weights, const float* matrices,
    const snugFrame* place, float* positions);

#endif
