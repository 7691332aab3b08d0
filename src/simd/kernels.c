// src/simd/kernels.c: the table of one instruction set. Compiled once for each.
#include "simd/kernels.h"

#include "simd/lanes.h"

extern const struct sgBoxKernels SG_FOR_ISA(sgBoxKernels);
extern const struct sgMovingKernels SG_FOR_ISA(sgMovingKernels);
extern const struct sgLeafKernels SG_FOR_ISA(sgLeafKernels);
extern const struct sgProbeKernels SG_FOR_ISA(sgProbeKernels);
extern const struct sgRowKernels SG_FOR_ISA(sgRowKernels);
extern const struct sgLinearKernels SG_FOR_ISA(sgLinearKernels);
extern const struct sgTurningKernels SG_FOR_ISA(sgTurningKernels);
extern const struct sgFieldsKernels SG_FOR_ISA(sgFieldsKernels);
extern const struct sgCertificatesKernels SG_FOR_ISA(sgCertificatesKernels);

const sgKernels SG_FOR_ISA(sgKernels) = {
	.name = SG_QUOTE(SNUG_KERNELS),
	.boxes = &SG_FOR_ISA(sgBoxKernels),
	.moving = &SG_FOR_ISA(sgMovingKernels),
	.leaves = &SG_FOR_ISA(sgLeafKernels),
	.probes = &SG_FOR_ISA(sgProbeKernels),
	.rows = &SG_FOR_ISA(sgRowKernels),
	.blend = &SG_FOR_ISA(sgLinearKernels),
	.skin = &SG_FOR_ISA(sgTurningKernels),
	.linear = &SG_FOR_ISA(sgFieldsKernels),
	.certificates = &SG_FOR_ISA(sgCertificatesKernels),
};
