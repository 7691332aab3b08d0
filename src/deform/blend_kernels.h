// src/deform/blend_kernels.h: the inner loops of blend, compiled once per instruction set.
#ifndef SG_BLEND_KERNELS_H
#define SG_BLEND_KERNELS_H

#include "deform/blend.h"
#include "kernels/kernels.h"

typedef struct sgBlendKernels
{
	/// Positions of vertices. For each one, over its influences in order and per component, in float32:
	/// M = (w_0 T_0 + w_1 T_1) + …, then ((M_0 x + M_1 y) + M_2 z) + M_3. Never fused.
	void (*evaluate)(const sgBlend* blend, const float* columns, const float* positions, const uint32_t* vertices,
	    uint32_t count, sgVertexBlock* out);

	/// Boxes of the nodes of a family, to the lanes of `out` in `mask`, from `lane` on.
	void (*bound)(const sgBlend* blend, const sgBlendFamily* family, const float* rows, const float reach[3],
	    uint32_t mask, sgBoxLanes* out);
} sgBlendKernels;

extern const sgBlendKernels sgBlendKernels_scalar;
extern const sgBlendKernels sgBlendKernels_sse2;
extern const sgBlendKernels sgBlendKernels_avx2;
extern const sgBlendKernels sgBlendKernels_avx512;

#endif
