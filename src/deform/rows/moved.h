// src/deform/rows/moved.h: what transforms move, and an order in which neighbours in space are close to each other.
#ifndef SG_MOVED_H
#define SG_MOVED_H

#include "deform/rows/weights.h"

/// Rest boxes of what eight transforms move, side by side in the order of `across`; zero for those that move nothing.
typedef struct sgLinearMoved
{
	sgLaneFloats center[3];
	sgLaneFloats half[3];
} sgLinearMoved;
SG_STORED(sgLinearMoved, 192);

/// What a transform does: the vertex that it moves most, and the box of all that it moves.
typedef struct sgEffect
{
	float weight;
	uint32_t vertex;
	sgBox box;
} sgEffect;

/// Transforms in an order in which those that move neighbouring vertices are close: by the vertex that each moves most,
/// in tree order. So the transforms of a node are in few blocks of eight.
typedef struct sgTransformOrder
{
	uint32_t count;
	uint16_t* across;  ///< (count): transform at each place
	uint16_t* rank;    ///< (count): place of each transform
	sgEffect* effects; ///< (count for each worker of the model's team): the first of them are those of all vertices
} sgTransformOrder;

/// Fill in the arrays of an order whose count is set.
void sgLinear_OrderTransforms(const snugModel* model, const sgWeights* weights, const sgTransformOrder* order);

/// Boxes of what transforms move, to blocks that are zero.
void sgLinear_FillMoved(const sgTransformOrder* order, sgLinearMoved* moved);

#endif
