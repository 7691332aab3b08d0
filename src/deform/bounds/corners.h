// src/deform/bounds/corners.h: balls by joint sets and corners, the bound of the skinning papers (Kavan, Zara 2005 and
// 2006), for linear blending and extended to scale and shear. For comparison: plain code in double.
//
// The vertices of a node are grouped by joint set, the transforms that move them. A joint set has a ball around the
// rest positions of its vertices, and the corners of the set of weights { low <= w <= high, sum w = 1 } that its
// vertices' weights span. In a pose, each corner carries the rest ball to a ball; whatever convex volume encloses those
// of all corners of all joint sets encloses the vertices. docs/bounds/joint-sets.md has the proof.
//
// Weights are integers here, multiples of 2^-30 that sum to 1 exactly. So corners are exact, a set of one vertex has
// one corner, and nothing about them needs a tolerance.
#ifndef SG_CORNERS_H
#define SG_CORNERS_H

#include "deform/bounds/blend.h"

/// The weight 1.
#define SG_CORNER_ONE (1u << 30)

/// Joint sets with more transforms have too many corners (n choose n/2, times n/2) and are bounded without them.
#define SG_CORNER_TRANSFORMS 6
/// Most corners of a joint set: one weight of n makes the sum 1, the others are least or greatest.
#define SG_MAX_CORNERS (SG_CORNER_TRANSFORMS << (SG_CORNER_TRANSFORMS - 1))

/// Most joint sets of a node. Where it has more, neighbours are merged: see sgCorners_Build.
#define SG_MAX_JOINT_SETS 64

/// The joint sets of all nodes while they are made: the arrays of sgBlend, writable and owned.
typedef struct sgCornerArrays
{
	uint32_t* starts;
	sgJointSet* sets;
	uint16_t* transforms;
	uint32_t* weights;
	uint32_t* numbers; ///< with sgCornerRules.setOf: joint set of the model that each is part of
	size_t startCount, setCapacity, transformCapacity, weightCapacity, numberCapacity;
	uint32_t setCount, transformCount, weightCount;
} sgCornerArrays;

/// How vertices are grouped, and what of each group is kept.
typedef struct sgCornerRules
{
	const uint32_t* setOf; ///< (vertexCount) nullable: joint sets as somebody else found them, all of whose transforms
	                       ///< are kept, and none of which are merged
	bool isCornerFree;     ///< keep limits of weights instead of corners, whatever the number of transforms
} sgCornerRules;

/// Corners of { low <= w <= high, sum w = SG_CORNER_ONE }, each once.
/// @param count of transforms, 1 to SG_CORNER_TRANSFORMS
/// @param corners receives `count` weights for each
/// @return number of corners; zero if there is no such w
uint32_t sgCorners_Enumerate(
    const uint32_t* low, const uint32_t* high, uint32_t count, uint32_t corners[SG_MAX_CORNERS][SG_CORNER_TRANSFORMS]);

/// Make the joint sets of all nodes that are bounded. They follow from tree, positions and weights alone. Release them
/// whatever comes back.
/// A node with more than SG_MAX_JOINT_SETS of them, near the root, has them merged: in the order in which they first
/// occur among its vertices, which is an order in space, as many consecutive runs as may stay, of equally many sets,
/// become one set each. Its transforms are their union, with a least weight of zero where a vertex does not have one.
/// @param rules nullable: those above
snugStatus sgCorners_Build(const snugModel* model, const sgBlendHeader* header, const sgWeights* weights,
    const sgCornerRules* rules, sgCornerArrays* arrays);
void sgCorners_Release(sgCornerArrays* arrays, const snugAllocator* allocator);

/// Check joint sets that come from a file: that they are where they belong and have no more than they may.
/// @param rules as they were made with
/// @return null if all is well, or what is wrong
const char* sgCorners_Check(const snugModel* model, const sgBlend* blend, const sgCornerRules* rules);

#endif
