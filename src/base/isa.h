// src/base/isa.h: which instruction set the kernels use, chosen once at run time.
#ifndef SG_ISA_H
#define SG_ISA_H

struct sgKernels;

/// The kernels for the best instruction set that this machine has and SNUG_ISA (scalar, sse2, avx2, avx512) allows.
const struct sgKernels* sgGetKernels(void);

#endif
