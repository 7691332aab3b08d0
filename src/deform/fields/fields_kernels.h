// src/deform/fields/fields_kernels.h: the inner loops of displacement fields, compiled once per instruction set.
#ifndef SG_LINEAR_KERNELS_H
#define SG_LINEAR_KERNELS_H

#include "deform/fields/morph.h"
#include "simd/kernels.h"

typedef struct sgFieldsKernels
{
	/// Positions of the first `count` vertices of blocks, x y z each; `out` has room for one float more.
	void (*evaluateBlocks)(const sgDisplacing* blocks, uint32_t count, float* out);

	/// Displaced positions of blocks `first` to `end` - 1, x y z of each, for several sets of amplitudes: what the
	/// fields do is read once.
	void (*displaceBlocks)(const sgFields* fields, uint32_t first, uint32_t end,
	    const sgFieldsPose* const poses[SG_TOGETHER], sgLaneFloats* const out[SG_TOGETHER]);

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
