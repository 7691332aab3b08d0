// src/simd/kernels.h: the kernels, inner loops that are compiled once per instruction set, and which of them are used.
//
// One table per instruction set, made of one per module, which the module's own header declares. Vertices and masks
// that leave a kernel are the same on every instruction set. Boxes need only contain.
#ifndef SG_KERNELS_H
#define SG_KERNELS_H

/// The kernels of one instruction set. A module that has kernels has a line here and one in kernels.c.
typedef struct sgKernels
{
	const char* name;                                 ///< of the instruction set, as in isa_list.h
	const struct sgBoxKernels* boxes;                 ///< geometry/box_kernels.h
	const struct sgMovingKernels* moving;             ///< geometry/moving_kernels.h
	const struct sgLeafKernels* leaves;               ///< tree/leaf_kernels.h
	const struct sgProbeKernels* probes;              ///< tree/probe_kernels.h
	const struct sgRowKernels* rows;                  ///< tree/row_kernels.h
	const struct sgLinearKernels* blend;              ///< deform/skin/linear_kernels.h
	const struct sgTurningKernels* skin;              ///< deform/skin/turning_kernels.h
	const struct sgFieldsKernels* linear;             ///< deform/fields/fields_kernels.h
	const struct sgCertificatesKernels* certificates; ///< deform/fields/certificates_kernels.h
} sgKernels;

/// Those in use: of the last instruction set of isa_list.h that this machine has, or of the one that the environment
/// variable SNUG_ISA names if the machine has it.
const sgKernels* sgGetKernels(void);

/// Use others from now on, such as those of sgGetKernels with a clock around them: for tests and measurements only. The
/// library itself never calls it.
/// @param kernels borrowed; null: those for the instruction set again
void sgSetKernels(const sgKernels* kernels);

/// All that this machine can run, in the order of isa_list.h: those of plain C come first. For tests.
/// @param number from 0 on
/// @return null if there are not so many
const sgKernels* sgFindKernels(int number);

#endif
