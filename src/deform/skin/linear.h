// src/deform/skin/linear.h: surfaces carried by affine transforms with convex weights: v' = sum_j w_j T_j [v; 1].
//
// Linear blend skins (T_j: joints) and meshless bodies (T_j: simulation nodes; Steinemann, Otaduy, Gross 2008) are the
// same here. What is stored is that of bounds/linear_bounds.h, then that of morph targets; linear.c poses and
// evaluates, linear_kernels.c bounds families of nodes.
#ifndef SG_BLEND_H
#define SG_BLEND_H

#include "deform/bounds/linear_bounds.h"
#include "deform/fields/morph.h"

/// Poses in which something might reach farther than this are refused.
#define SG_BLEND_LIMIT (0.99f * SNUG_MAX_COORDINATE)

/// What model->arrays is.
typedef struct sgLinearArrays
{
	sgLinear blend;
	sgMorph morph;
} sgLinearArrays;

/// Whether every position can be reached at rest, and in the poses next to it. Models that cannot are refused.
static inline bool sgLinear_IsWithinReach(const sgLinearHeader* header)
{
	const float limit = SG_BLEND_LIMIT;
	return header->reach[0] <= limit && header->reach[1] <= limit && header->reach[2] <= limit;
}

/// Floats of eight matrices side by side, by rows: [12][SG_LANES].
#define SG_ACROSS_FLOATS (12 * SG_LANES)

/// A pose. The matrices of eight transforms side by side follow, block after block, in the order of sgLinear.across,
/// with zeros after the last: SG_ACROSS_FLOATS for each block. Then, if there are morph targets, their amplitudes: an
/// sgFieldsPose.
typedef struct sgLinearPose
{
	float reach[3]; ///< per axis, bounds every intermediate of evaluating any vertex; feeds sgLinearCommon.error
	float padding[13];
} sgLinearPose;
_Static_assert(sizeof(sgLinearPose) % 64 == 0, "what follows is aligned");

static inline float* sgLinearPose_Across(const sgLinearPose* pose)
{
	return (float*)(uintptr_t)(pose + 1);
}

/// A pose and what is derived from it: the same matrices as evaluation and bounds of families read them.
typedef struct sgLinearView
{
	const float* reach;   ///< of the pose
	const float* across;  ///< of the pose
	const float* columns; ///< (transformCount * 16): the matrix by columns, each padded to four with a zero
} sgLinearView;

/// The columns are all that is derived from a pose.
static inline const float* sgLinear_Columns(const void* derived)
{
	return derived;
}

/// sgDeform.build, fits and check.
snugStatus sgLinear_Build(const snugModel* model, const snugModelDef* def, void** data, size_t* bytes);
bool sgLinear_Fits(const snugModel* model);
const char* sgLinear_Check(const snugModel* model, void* scratch);

/// Roundings of evaluating a vertex, as a multiple of 2^-24 of the pose's reach.
double sgLinear_Roundings(uint32_t maxInfluences);

#endif
