// papers/common/world.h: all placed vertices of a blend body, by the fastest evaluation that we have.
//
// For methods that need every vertex in every frame, such as spatial hashing and other libraries: they are to be
// compared with ours at their best, so they get the evaluation that ours uses, cluster by cluster and eight vertices at
// a time.
#ifndef PAPERS_WORLD_H
#define PAPERS_WORLD_H

#include "snug/snug.h"

/// The same bits as snugBody_GetVertices with no origin, sooner.
/// @param positions receives x, y, z of every vertex, in the caller's numbering; vertices of no triangle are left alone
/// @return snug_outOfRange if the body is too far from zero for float32
snugStatus worldEvaluate(snugBody* body, float* positions);

#endif
