// src/deform/skin/turning_kernels.h: the inner loops of skins that turn, compiled once per instruction set.
#ifndef SG_SKIN_KERNELS_H
#define SG_SKIN_KERNELS_H

#include "deform/skin/turning.h"
#include "simd/kernels.h"

/// What became of eight matrices, a bit for each.
typedef struct sgJointsTaken
{
	uint32_t isFinite;  ///< and no entry is above SNUG_MAX_COORDINATE
	uint32_t isTurn;    ///< neither mirrors nor flattens
	uint32_t isGeneral; ///< scales or shears
} sgJointsTaken;

typedef struct sgTurningKernels
{
	/// Positions of vertices, x y z each; `out` has room for one float more. The same bits as evaluateBlocks.
	void (*evaluate)(const sgTurningView* view, const uint32_t* vertices, uint32_t count, float* out);

	/// Positions of `count` vertices in consecutive blocks. The pose's signs are aligned.
	/// @param moved by the morph targets, if the view has any
	void (*evaluateBlocks)(
	    const sgTurningView* view, uint32_t firstBlock, const sgDisplacing* moved, uint32_t count, float* out);

	/// Bounds of the nodes of a family, to the lanes of `out` in `mask`.
	/// @param morph nullable: how far vertices are from their rest positions
	/// @return lanes for which there is none, since a sum of quaternions might vanish
	uint32_t (*bound)(const sgTurningView* view, const sgLinearFamily* family, const sgMorphLanes* morph, uint32_t mask,
	    sgBoxLanes* out);

	/// The bound of a node alone, whose pairs are side by side, to one lane of `out`.
	/// @return false if there is none
	bool (*boundAlone)(const sgTurningView* view, const sgLinearFamily* family, const sgMorphLanes* morph,
	    uint32_t lane, sgBoxLanes* out);

	/// Take `count` joints of eight into a pose, from joint `first` on: matrices are 12 floats by rows each, the
	/// identity where there is no joint.
	sgJointsTaken (*takeJoints)(
	    const sgTurningView* view, const float* const matrices[SG_LANES], uint32_t first, uint32_t count);

	/// Rotation centres of all joint sets, of spherical blending; where pairs will be lies scratch.
	void (*findCenters)(const sgTurningView* view);

	/// All pairs, and the duals of dual quaternions, from signs and rotation centres.
	void (*makePairs)(const sgTurningView* view);

	/// How far any vertex moved since another pose, in any direction, rounding included. Both have aligned signs and no
	/// affine stage. After findCenters and before makePairs: where pairs will be lies scratch.
	/// @param centers rotation centres of that pose, of spherical blending
	/// @param reach of that pose with them
	/// @param limit beyond this the number is of no use, and may be the largest distance that two positions can have
	double (*findMotion)(
	    const sgTurningView* view, const sgTurningPose* before, const float* centers, float reach, float limit);
} sgTurningKernels;

static inline const sgTurningKernels* sgTurning_GetKernels(void)
{
	return sgGetKernels()->skin;
}

#endif
