// src/deform/skin/blend.h: surfaces carried by affine transforms with convex weights: v' = sum_j w_j T_j [v; 1].
//
// Linear blend skins (T_j: joints) and meshless bodies (T_j: simulation nodes; Steinemann, Otaduy, Gross 2008) are the
// same here. What is stored is that of bounds/blend.h, then that of morph targets; blend.c poses and evaluates,
// blend_kernels.c bounds families of nodes; papers/corners.c has a bound that works node by node instead.
#ifndef SG_BLEND_H
#define SG_BLEND_H

#include "deform/bounds/blend.h"
#include "deform/fields/morph.h"

/// Poses in which something might reach farther than this are refused.
#define SG_BLEND_LIMIT (0.99f * SNUG_MAX_COORDINATE)

/// What model->arrays is.
typedef struct sgBlendArrays
{
	sgBlend blend;
	sgMorph morph;
} sgBlendArrays;

/// Whether every position can be reached at rest, and in the poses next to it. Models that cannot are refused.
static inline bool sgBlend_IsWithinReach(const sgBlendHeader* header)
{
	const float limit = SG_BLEND_LIMIT;
	return header->reach[0] <= limit && header->reach[1] <= limit && header->reach[2] <= limit;
}

/// A pose: what is computed once per transform. Arrays follow, each aligned:
///   columns[transformCount][16]     the matrix by columns, each padded to four with a zero
///   across[blocks][12][SG_LANES]    the matrices of eight transforms side by side, by rows, in the order of
///                                   sgBlend.across; zeros after the last
///   slabs[transformCount][dopBlocks][16]   for k-DOPs: four directions' rows of the matrix, side by side like columns
///   stretches[transformCount]       for snug_boundCorners, which has no slabs: sgCorners_Stretch of each, doubles
///   amplitudes                      of morph targets, if there are any: an sgFieldsPose
typedef struct sgBlendPose
{
	float reach[3 + SG_DOP_DIRECTIONS]; ///< per axis and direction of the k-DOP, bounds every intermediate of
	                                    ///< evaluating any vertex; feeds sgBlendCommon.error
	float padding[3];
} sgBlendPose;

static inline uint32_t sgBlend_DopBlocks(snugVolume volume)
{
	return sgVolume_IsDop(volume) ? (sgVolume_ExtraSlabs(volume) + 3) / 4 : 0;
}

static inline float* sgBlendPose_Columns(const sgBlendPose* pose)
{
	return (float*)(uintptr_t)(pose + 1);
}

static inline float* sgBlendPose_Across(const sgBlendPose* pose, uint32_t transformCount)
{
	return sgBlendPose_Columns(pose) + 16 * (size_t)transformCount;
}

static inline float* sgBlendPose_Slabs(const sgBlendPose* pose, uint32_t transformCount)
{
	return sgBlendPose_Across(pose, transformCount) + 12 * SG_LANES * (size_t)sgBlend_BlockCount(transformCount);
}

static inline double* sgBlendPose_Stretches(const sgBlendPose* pose, uint32_t transformCount)
{
	return (double*)(void*)sgBlendPose_Slabs(pose, transformCount);
}

/// sgDeform.build, fits and check.
snugStatus sgBlend_Build(const snugModel* model, const snugModelDef* def, void** data, size_t* bytes);
bool sgBlend_Fits(const snugModel* model);
const char* sgBlend_Check(const snugModel* model, void* scratch);

/// Roundings of evaluating a vertex, as a multiple of 2^-24 of the pose's reach.
double sgBlend_Roundings(uint32_t maxInfluences);

/// How much a matrix (three rows of four) stretches at most: an upper bound of the largest singular value of its first
/// three columns, above it by about 2^-40 of it.
double sgCorners_Stretch(const float matrix[12]);

/// Boxes and balls of the nodes in set.mask.
/// @param morph nullable: how far vertices are from their rest positions
void sgCorners_Bound(
    const sgBlend* blend, const sgBlendPose* pose, const sgMorphLanes* morph, sgLaneSet set, sgBoundsOut out);

#endif
