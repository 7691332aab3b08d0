// src/deform/fields/sums.h: sums over displacement fields, eight vertices or eight nodes at a time. For kernels, which
// are compiled per instruction set. See fields.h.
#ifndef SG_FIELDS_SUMS_H
#define SG_FIELDS_SUMS_H

#include "deform/fields/fields.h"
#include "simd/lanes.h"

/// Displaced positions of a block of eight vertices, by coordinate: the bits of sgFields_Evaluate.
SG_INLINE void sgFields_DisplaceBlock(const sgFields* fields, const sgBlock* block, const float* amplitudes, f8 out[3])
{
	const sgLaneFloats* values = fields->rows.values + block->values;
	const uint16_t* numbers = fields->rows.numbers + block->numbers;
	f8 x = f8_Load(values[0].lane), y = f8_Load(values[1].lane), z = f8_Load(values[2].lane);
	values += 3;
	for (uint32_t j = 0; j < block->count; ++j, values += 3)
	{
		float amplitude = amplitudes[numbers[j]];
		if (amplitude == 0.0f)
		{
			continue;
		}
		f8 scale = f8_Set(amplitude);
		x = f8_Add(x, f8_Mul(scale, f8_Load(values[0].lane)));
		y = f8_Add(y, f8_Mul(scale, f8_Load(values[1].lane)));
		z = f8_Add(z, f8_Mul(scale, f8_Load(values[2].lane)));
	}
	out[0] = x;
	out[1] = y;
	out[2] = z;
}

/// Add the intervals of a group's displacements to those in lower and upper.
SG_INLINE void sgFields_AddIntervals(const sgFieldInterval* intervals, const uint16_t* numbers, uint32_t count,
    const float* amplitudes, f8 lower[3], f8 upper[3])
{
	f8 low[3] = { lower[0], lower[1], lower[2] }, high[3] = { upper[0], upper[1], upper[2] };
	for (uint32_t j = 0; j < count; ++j)
	{
		float amplitude = amplitudes[numbers[j]];
		if (amplitude == 0.0f)
		{
			continue;
		}
		const sgLaneFloats* least = amplitude > 0.0f ? intervals[j].lower : intervals[j].upper;
		const sgLaneFloats* most = amplitude > 0.0f ? intervals[j].upper : intervals[j].lower;
		f8 scale = f8_Set(amplitude);
		for (int axis = 0; axis < 3; ++axis)
		{
			low[axis] = f8_MulAddLoose(scale, f8_Load(least[axis].lane), low[axis]);
			high[axis] = f8_MulAddLoose(scale, f8_Load(most[axis].lane), high[axis]);
		}
	}
	for (int axis = 0; axis < 3; ++axis)
	{
		lower[axis] = low[axis];
		upper[axis] = high[axis];
	}
}

/// Sums of a group's fits: d = mean + gradient (p - center) +- residual.
typedef struct sgFitSum
{
	f8 mean[3];
	f8 gradient[3][3];
	f8 residual[3];
} sgFitSum;

SG_INLINE sgFitSum sgFields_SumFits(
    const sgFieldFit* fits, const uint16_t* numbers, uint32_t count, const float* amplitudes)
{
	f8 zero = f8_Set(0.0f);
	sgFitSum sum = {
		.mean = { zero, zero, zero },
		.gradient = { { zero, zero, zero }, { zero, zero, zero }, { zero, zero, zero } },
		.residual = { zero, zero, zero },
	};
	for (uint32_t j = 0; j < count; ++j)
	{
		float amplitude = amplitudes[numbers[j]];
		if (amplitude == 0.0f)
		{
			continue;
		}
		const sgFieldFit* fit = fits + j;
		f8 scale = f8_Set(amplitude), size = f8_Abs(scale);
		for (int row = 0; row < 3; ++row)
		{
			sum.mean[row] = f8_MulAddLoose(scale, f8_Load(fit->mean[row].lane), sum.mean[row]);
			for (int k = 0; k < 3; ++k)
			{
				sum.gradient[row][k] = f8_MulAddLoose(scale, f8_Load(fit->gradient[row][k].lane), sum.gradient[row][k]);
			}
			sum.residual[row] = f8_MulAddLoose(size, f8_Load(fit->residual[row].lane), sum.residual[row]);
		}
	}
	return sum;
}

#endif
