// src/deform/rows/joint_sets.h: joint sets, the joints that move a vertex together, and rows over pairs of joints.
#ifndef SG_JOINT_SETS_H
#define SG_JOINT_SETS_H

#include "deform/rows/weights.h"

/// Vertices with more influences have too many pairs: nodes of such models are bounded by their vertices.
#define SG_PAIR_INFLUENCES 12

/// The joints that move a vertex: those of members[firstMember] on, ascending.
typedef struct sgTurningSet
{
	uint32_t firstMember;
	uint32_t memberCount;
	uint32_t pivot;     ///< which of the members: the one with the most weight over all vertices of the set
	uint32_t firstPair; ///< in setPairs: memberCount (memberCount - 1) / 2 of them, if the model has pairs
	float origin[3];    ///< mean rest position of the members
	uint32_t reserved;  ///< zero
} sgTurningSet;
SG_STORED(sgTurningSet, 32);

/// Two joints that move a vertex together, or one with itself: first <= second.
typedef struct sgTurningPair
{
	uint16_t first;
	uint16_t second;
} sgTurningPair;
SG_STORED(sgTurningPair, 4);

/// Behind the data of linear_bounds.h; the arrays of sgTurning follow.
typedef struct sgTurningHeader
{
	uint32_t setCount;
	uint32_t memberCount; ///< of all sets together
	uint32_t pairCount;   ///< zero if there are too many
	uint32_t setPairCount;
	uint32_t edgeCount;
	uint32_t linkCount; ///< edges that join joints to one that came before: the first ones
} sgTurningHeader;
SG_STORED(sgTurningHeader, 24);

/// Rotation centres are drawn towards the mean of the joints' rest positions, so that they exist where rotations are
/// equal or share an axis, and stay near where they nearly do.
#define SG_CENTER_DAMPING 1e-2

/// The arrays of a skin, owned; and the weights of pairs, w_i^2 and 2 w_i w_j, which bounds are made from.
typedef struct sgTurningDraft
{
	const snugModel* model;
	const sgWeights* weights;
	uint32_t transformCount;
	sgTurningHeader header;

	float* jointPositions;
	uint32_t* setOf;
	sgTurningSet* sets;
	uint16_t* members;
	sgTurningPair* pairs;
	uint16_t* setPairs;
	sgTurningPair* edges;
	size_t memberCapacity, pairCapacity, setPairCapacity, edgeCapacity;
	uint32_t setCapacity;
	sgWeights pairWeights;
	size_t pairWeightCount;
} sgTurningDraft;

/// Find joint sets and pairs. Release the draft whatever comes back.
/// @param jointPositions nullable, x y z each; else weighted means of what joints move
snugStatus sgTurningDraft_Make(sgTurningDraft* draft, const snugModel* model, const sgWeights* weights,
    uint32_t transformCount, uint32_t maxInfluences, const float* jointPositions);
void sgTurningDraft_Release(sgTurningDraft* draft);

#endif
