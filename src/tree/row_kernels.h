// src/tree/row_kernels.h: the inner loops of checking rows, compiled once per instruction set.
#ifndef SG_ROW_KERNELS_H
#define SG_ROW_KERNELS_H

#include "simd/kernels.h"
#include "tree/rows.h"

/// Counts and sums of a block, lane by lane.
typedef struct sgRowTotals
{
	float counts[SG_LANES] SG_ALIGN(32); ///< numbers that each vertex has
	double sums[SG_LANES] SG_ALIGN(64);  ///< of weights
} sgRowTotals;

typedef struct sgRowKernels
{
	/// Count and add up `count` weights of eight vertices.
	/// @return whether none is negative or NaN
	bool (*addWeights)(const sgLaneFloats* values, uint32_t count, sgRowTotals* totals);

	/// Count `count` displacements of eight vertices, x, y, z each.
	/// @param limits by number, per axis
	/// @return whether none is of greater magnitude than the limit of its number, or NaN
	bool (*addDisplacements)(
	    const sgLaneFloats* values, const uint16_t* numbers, uint32_t count, const float* limits, sgRowTotals* totals);

	/// Which vertices have each of `count` weights: bit i of owners[j] says whether vertex i has number j.
	void (*findOwners)(const sgLaneFloats* values, uint32_t count, uint8_t* owners);
} sgRowKernels;

#endif
