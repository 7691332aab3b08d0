// src/deform/skin/blend_kernels.h: the inner loops of blend, compiled once per instruction set.
#ifndef SG_BLEND_KERNELS_H
#define SG_BLEND_KERNELS_H

#include "deform/skin/blend.h"
#include "simd/kernels.h"

typedef struct sgBlendKernels
{
	/// Positions of vertices, x y z each; `out` has room for one float more. For each one, over its influences in order
	/// and per component, in float32: M = (w_0 T_0 + w_1 T_1) + …, then ((M_0 x + M_1 y) + M_2 z) + M_3. Never fused.
	void (*evaluate)(const sgBlend* blend, const float* columns, const float* positions, const uint32_t* vertices,
	    uint32_t count, float* out);

	/// The same for `count` vertices in consecutive blocks.
	void (*evaluateBlocks)(const sgBlend* blend, uint32_t firstBlock, uint32_t count, const float* columns, float* out);

	/// Both of the above for positions that are not at rest: own[3 i] for vertices[i], or displaced by fields.
	void (*evaluateMoved)(const sgBlend* blend, const float* columns, const float* own, const uint32_t* vertices,
	    uint32_t count, float* out);
	void (*evaluateMovedBlocks)(const sgBlend* blend, uint32_t firstBlock, uint32_t count, const float* columns,
	    const sgFields* fields, const sgBlock* moved, const float* amplitudes, float* out);

	/// Bounds of the nodes of a family that is bounded together, to the lanes of `out` in `mask`.
	/// @param morph nullable: how far vertices are from their rest positions
	void (*bound)(const sgBlend* blend, const sgBlendFamily* family, const sgBlendPose* pose, const sgMorphLanes* morph,
	    uint32_t mask, sgBoundsOut out);

	/// The bound of a node alone, to a lane of `out`.
	void (*boundAlone)(const sgBlend* blend, const sgBlendFamily* alone, const sgBlendPose* pose,
	    const sgMorphLanes* morph, uint32_t lane, sgBoundsOut out);

	/// Matrices, 12 floats by rows each, to columns of a pose (sgBlendPose).
	void (*storeColumns)(const float* const matrices[SG_LANES], uint32_t count, float* columns);

	/// Put eight transforms of a pose (sgBlendPose) side by side, from their columns. Raises reach[axis] to the most of
	/// |A| restReach + |t| per axis.
	/// @return the lanes of those that reach beyond the limit or are not finite
	uint32_t (*putAcross)(
	    const float* const columns[SG_LANES], const float restReach[3], float limit, float* across, float reach[3]);

	/// Turn transforms that are side by side: rows become rotation * rows.
	void (*turnAcross)(const float* across, uint32_t blocks, const float rotation[3][3], float* turned);

	/// The same for the columns of some transforms, by number.
	void (*turnColumns)(
	    const float* columns, const uint16_t* transforms, uint32_t count, const float rotation[3][3], float* turned);

	/// The most that eight transforms carry anything they move along any axis, from one pose to another.
	float (*findMotion)(const float* before, const float* after, const sgBlendMoved* moved);
} sgBlendKernels;

static inline const sgBlendKernels* sgBlend_GetKernels(void)
{
	return sgGetKernels()->blend;
}

#endif
