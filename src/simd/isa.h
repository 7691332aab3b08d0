// src/simd/isa.h: which instruction set the kernels use, chosen once at run time.
#ifndef SG_ISA_H
#define SG_ISA_H

struct sgKernels;

/// From the plainest to the richest: a machine that has one has those before it.
typedef enum sgIsa
{
	sgIsa_scalar,
	sgIsa_sse2,
	sgIsa_avx2,
	sgIsa_avx512,
	SG_ISA_COUNT
} sgIsa;

/// The best instruction set that this machine has and SNUG_ISA (scalar, sse2, avx2, avx512) allows.
sgIsa sgGetIsa(void);

/// The kernels for it. A deformer with kernels of its own has a table of its own, by sgIsa.
const struct sgKernels* sgGetKernels(void);

/// Use others from now on, such as those of sgGetKernels with a clock around them: for measurements only. The library
/// itself never calls it.
/// @param kernels borrowed; null: those for the instruction set again
void sgSetKernels(const struct sgKernels* kernels);

#endif
