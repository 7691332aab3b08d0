// src/deform/skin/linear_kernels.h: the inner loops of linear skins, compiled once per instruction set.
#ifndef SG_BLEND_KERNELS_H
#define SG_BLEND_KERNELS_H

#include "deform/skin/linear.h"
#include "simd/kernels.h"

typedef struct sgLinearKernels
{
	/// Positions of vertices, x y z each; `out` has room for one float more. For each one, over its influences in order
	/// and per component, in float32: M = (w_0 T_0 + w_1 T_1) + …, then ((M_0 x + M_1 y) + M_2 z) + M_3. Never fused.
	void (*evaluate)(const sgLinear* blend, const float* columns, const float* positions, const uint32_t* vertices,
	    uint32_t count, float* out);

	/// The same for `count` vertices in consecutive blocks.
	void (*evaluateBlocks)(
	    const sgLinear* blend, uint32_t firstBlock, uint32_t count, const float* columns, float* out);

	/// Both of the above for positions that are not at rest: own[3 i] for vertices[i], or displaced by fields.
	void (*evaluateMoved)(const sgLinear* blend, const float* columns, const float* own, const uint32_t* vertices,
	    uint32_t count, float* out);
	void (*evaluateMovedBlocks)(const sgLinear* blend, uint32_t firstBlock, uint32_t count, const float* columns,
	    const sgDisplacing* moved, float* out);

	/// Bounds of the nodes of a family that is bounded together, to the lanes of `out` in `mask`.
	/// @param morph nullable: how far vertices are from their rest positions
	void (*bound)(const sgLinear* blend, const sgLinearFamily* family, const sgLinearView* pose,
	    const sgMorphLanes* morph, uint32_t mask, sgBoxLanes* out);

	/// The bound of a node alone, to a lane of `out`.
	void (*boundAlone)(const sgLinear* blend, const sgLinearFamily* alone, const sgLinearView* pose,
	    const sgMorphLanes* morph, uint32_t lane, sgBoxLanes* out);

	/// The same for nodes with local entries, in a third of the time and nearly as tight for large nodes: no vertex is
	/// outside what its transforms make of the boxes of what they move, whatever its weights. Boxes only.
	/// @param places of transforms in the order of sgLinear.across, by number
	void (*hullFamily)(const sgLinear* blend, const sgLinearFamily* family, const sgLinearView* pose,
	    const uint16_t* places, uint32_t mask, sgBoxLanes* boxes);
	void (*hullAlone)(
	    const sgLinear* blend, const sgLinearFamily* alone, const sgLinearView* pose, uint32_t lane, sgBoxLanes* boxes);

	/// Put eight matrices, 12 floats by rows each, side by side.
	void (*putAcross)(const float* const matrices[SG_LANES], float* across);

	/// Raises reach[axis] to the most of |A| restReach + |t| of eight matrices side by side.
	/// @return the lanes of those that reach beyond the limit or are not finite
	uint32_t (*checkAcross)(const float* across, const float restReach[3], float limit, float reach[3]);

	/// Matrices that are side by side to columns (sgLinearView) of the transforms that they belong to, up to eight.
	void (*storeColumns)(const float* across, const uint16_t* transforms, uint32_t count, float* columns);

	/// Turn transforms that are side by side: rows become rotation * rows.
	void (*turnAcross)(const float* across, uint32_t blocks, const float rotation[3][3], float* turned);

	/// The most that eight transforms carry anything they move along any axis, from one pose to another.
	float (*findMotion)(const float* before, const float* after, const sgLinearMoved* moved);
} sgLinearKernels;

static inline const sgLinearKernels* sgLinear_GetKernels(void)
{
	return sgGetKernels()->blend;
}

#endif
