// src/model/rest.h: the boxes of a model's tree at rest.
#ifndef SG_REST_H
#define SG_REST_H

#include "model/model.h"

/// Fill in the tightest boxes of all nodes from tree and positions; empty slots get empty boxes. Leaves are shared by
/// the model's team.
void sgRest_Bound(const snugModel* model, sgBoxLanes* bounds);

/// Check the rest boxes of a model from a file: each contains what is below it, and is finite. The tree has been
/// checked.
/// @return null if all is well, or what is wrong
const char* sgRest_Check(const snugModel* model);

#endif
