// src/deform/blend_kernels.h: the inner loops of blend, compiled once per instruction set.
#ifndef SG_BLEND_KERNELS_H
#define SG_BLEND_KERNELS_H

#include "deform/blend.h"
#include "kernels/kernels.h"

typedef struct sgBlendKernels
{
	/// Positions of vertices, x y z each; `out` has room for one float more. For each one, over its influences in order
	/// and per component, in float32: M = (w_0 T_0 + w_1 T_1) + …, then ((M_0 x + M_1 y) + M_2 z) + M_3. Never fused.
	void (*evaluate)(const sgBlend* blend, const float* columns, const float* positions, const uint32_t* vertices,
	    uint32_t count, float* out);

	/// The same for `count` vertices in consecutive blocks.
	void (*evaluateBlocks)(const sgBlend* blend, uint32_t firstBlock, uint32_t count, const float* columns, float* out);

	/// Bounds of the nodes of a family, to the lanes of `out` in `mask`.
	void (*bound)(
	    const sgBlend* blend, const sgBlendFamily* family, const sgBlendPose* pose, uint32_t mask, sgBoundsOut out);

	/// Eight matrices by rows (12 floats each) side by side: out[12][SG_LANES].
	void (*transpose)(const float* const matrices[SG_LANES], float* out);

	/// Raise reach[axis] to the most of |A| restReach + |t| over eight matrices side by side.
	/// @return the lanes of those for which it is above the limit or not finite
	uint32_t (*addReach)(const float* across, const float restReach[3], float limit, float reach[3]);
} sgBlendKernels;

extern const sgBlendKernels sgBlendKernels_scalar;
extern const sgBlendKernels sgBlendKernels_sse2;
extern const sgBlendKernels sgBlendKernels_avx2;
extern const sgBlendKernels sgBlendKernels_avx512;

#endif
