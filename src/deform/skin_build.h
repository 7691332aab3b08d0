// src/deform/skin_build.h: joint sets and pairs of joints while a skin is built. Offline.
#ifndef SG_SKIN_BUILD_H
#define SG_SKIN_BUILD_H

#include "deform/blend_build.h"
#include "deform/skin.h"

/// The arrays of a skin, owned; and the weights of pairs, w_i^2 and 2 w_i w_j, which bounds are made from.
typedef struct sgSkinDraft
{
	const snugModel* model;
	const sgWeights* weights;
	uint32_t transformCount;
	sgSkinHeader header;

	float* jointPositions;
	uint32_t* setOf;
	sgSkinSet* sets;
	uint16_t* members;
	sgSkinPair* pairs;
	uint16_t* setPairs;
	sgSkinPair* edges;
	size_t memberCapacity, pairCapacity, setPairCapacity, edgeCapacity;
	uint32_t setCapacity;
	sgWeights pairWeights;
	size_t pairWeightCount;
} sgSkinDraft;

/// Find joint sets and pairs. Release the draft whatever comes back.
/// @param jointPositions nullable, x y z each; else weighted means of what joints move
/// @param wantsPairs whether bounds are made from them, if there are not too many
snugStatus sgSkinDraft_Make(sgSkinDraft* draft, const snugModel* model, const sgWeights* weights,
    uint32_t transformCount, uint32_t maxInfluences, const float* jointPositions, bool wantsPairs);
void sgSkinDraft_Release(sgSkinDraft* draft);

/// Copy header and arrays to where they belong, behind the data of blend.h, which are there already.
/// @param nodeSets nullable if no node has joint sets
void sgSkinDraft_Write(const sgSkinDraft* draft, const uint32_t* nodeSets, char* data);

/// Check joint sets and pairs that come from a file. Rows have been checked.
/// @param scratch of SG_ROWS_SCRATCH bytes
/// @return null if all is well, or what is wrong
const char* sgSkin_CheckSets(const snugModel* model, const sgSkin* skin, void* scratch);

/// Roundings of evaluating a vertex, and of the matrices of pairs, as multiples of 2^-24 of the pose's reach.
double sgSkin_Roundings(uint32_t maxInfluences);

#endif
