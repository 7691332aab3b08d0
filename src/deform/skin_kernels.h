// src/deform/skin_kernels.h: the inner loops of skins, compiled once per instruction set.
#ifndef SG_SKIN_KERNELS_H
#define SG_SKIN_KERNELS_H

#include "deform/skin.h"
#include "kernels/kernels.h"

typedef struct sgSkinKernels
{
	/// Positions of vertices, x y z each; `out` has room for one float more. The same bits as evaluateBlocks.
	void (*evaluate)(const sgSkinView* view, const uint32_t* vertices, uint32_t count, float* out);

	/// Positions of `count` vertices in consecutive blocks. The pose's signs are aligned.
	void (*evaluateBlocks)(const sgSkinView* view, uint32_t firstBlock, uint32_t count, float* out);

	/// Bounds of the nodes of a family, to the lanes of `out` in `mask`.
	/// @return lanes for which there is none, since a sum of quaternions might vanish
	uint32_t (*bound)(const sgSkinView* view, const sgBlendFamily* family, uint32_t mask, sgBoundsOut out);

	/// Unit quaternions of eight matrices, x y z w, for those that are rotations within 2^-13.
	/// @return the lanes of those
	uint32_t (*decompose)(const float* const matrices[SG_LANES], double q[4][SG_LANES]);

	/// Unit quaternions of eight rotations.
	void (*makeQuaternions)(const double rotations[3][3][SG_LANES], double q[4][SG_LANES]);

	/// Matrices and cosines of all pairs, for signs as they are; `off` becomes zero.
	void (*makePairs)(const sgSkinView* view);
} sgSkinKernels;

/// The kernels in use, and others to use instead: see isa.h.
const sgSkinKernels* sgSkin_GetKernels(void);
void sgSkin_SetKernels(const sgSkinKernels* kernels);

extern const sgSkinKernels sgSkinKernels_scalar;
extern const sgSkinKernels sgSkinKernels_sse2;
extern const sgSkinKernels sgSkinKernels_avx2;
extern const sgSkinKernels sgSkinKernels_avx512;

#endif
