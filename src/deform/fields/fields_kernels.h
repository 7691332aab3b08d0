// src/deform/fields/fields_kernels.h: the inner loops of displacement fields, compiled once per instruction set.
#ifndef SG_LINEAR_KERNELS_H
#define SG_LINEAR_KERNELS_H

#include "deform/fields/morph.h"
#include "simd/kernels.h"

typedef struct sgFieldsKernels
{
	/// Positions of the first `count` vertices of consecutive blocks, x y z each; `out` has room for one float more.
	void (*evaluateBlocks)(
	    const sgFields* fields, uint32_t firstBlock, uint32_t count, const float* amplitudes, float* out);

	/// Bounds of the nodes of a group, to the lanes of `out` in `mask`.
	void (*bound)(
	    const sgFields* fields, const sgFieldsGroup* group, const sgFieldsPose* pose, uint32_t mask, sgBoxLanes* out);

	/// The same along turned axes.
	void (*boundTurned)(const sgFields* fields, const sgFieldsGroup* group, const sgFieldsPose* pose,
	    const float rotation[3][3], uint32_t mask, sgBoxLanes* boxes);

	/// Displacements of the nodes of a group, in front of a skin: sgMorph_Bound. Rounding included.
	void (*displace)(const sgFields* fields, const sgFieldsGroup* group, const sgFieldsPose* pose, sgMorphLanes* out);
} sgFieldsKernels;

static inline const sgFieldsKernels* sgFields_GetKernels(void)
{
	return sgGetKernels()->linear;
}

#endif
