// src/deform/fields/sums.h: sums over displacement fields, eight vertices or eight nodes at a time. For kernels, which
// are compiled per instruction set. See fields.h.
#ifndef SG_FIELDS_SUMS_H
#define SG_FIELDS_SUMS_H

#include "deform/fields/fields.h"
#include "simd/lanes.h"

/// Blocks of more fields than this are longer than what processors fetch ahead by themselves, which ends at each page
/// of 4 KiB. So they ask for this many fields ahead: a quarter less time for 217 fields of 6,890 vertices.
#define SG_FIELDS_AHEAD 40

/// The start of the displacements that will be read soon.
SG_INLINE void sgFields_Prefetch(const sgLaneFloats* ahead)
{
	__builtin_prefetch(ahead);
	__builtin_prefetch(ahead + 2);
}

/// Displaced positions of a block of eight vertices, by coordinate: the bits of sgFields_Evaluate.
SG_INLINE void sgFields_DisplaceBlock(const sgFields* fields, const sgBlock* block, const float* amplitudes, f8 out[3])
{
	const sgLaneFloats* values = fields->rows.values + block->values;
	const uint16_t* numbers = fields->rows.numbers + block->numbers;
	f8 x = f8_Load(values[0].lane), y = f8_Load(values[1].lane), z = f8_Load(values[2].lane);
	values += 3;
	const uint32_t ahead = block->count > SG_FIELDS_AHEAD ? 3 * SG_FIELDS_AHEAD : 0;
	for (uint32_t j = 0; j < block->count; ++j, values += 3)
	{
		float amplitude = amplitudes[numbers[j]];
		if (amplitude == 0.0f)
		{
			continue;
		}
		sgFields_Prefetch(values + ahead);
		f8 scale = f8_Set(amplitude);
		x = f8_Add(x, f8_Mul(scale, f8_Load(values[0].lane)));
		y = f8_Add(y, f8_Mul(scale, f8_Load(values[1].lane)));
		z = f8_Add(z, f8_Mul(scale, f8_Load(values[2].lane)));
	}
	out[0] = x;
	out[1] = y;
	out[2] = z;
}

/// Displaced positions of block `index` of a cluster, made now or ahead.
SG_INLINE void sgFields_TakeBlock(const sgDisplacing* from, uint32_t index, f8 out[3])
{
	if (from->made == NULL)
	{
		sgFields_DisplaceBlock(from->fields, from->blocks + index, from->amplitudes, out);
		return;
	}
	const sgLaneFloats* made = from->made + 3 * (size_t)index;
	out[0] = f8_Load(made[0].lane);
	out[1] = f8_Load(made[1].lane);
	out[2] = f8_Load(made[2].lane);
}

/// Add the intervals of a group's displacements to those in lower and upper.
SG_INLINE void sgFields_AddIntervals(const sgFieldInterval* intervals, const uint16_t* numbers, uint32_t count,
    const float* amplitudes, f8 lower[3], f8 upper[3])
{
	f8 lowX = lower[0], lowY = lower[1], lowZ = lower[2], highX = upper[0], highY = upper[1], highZ = upper[2];
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
		lowX = f8_MulAddLoose(scale, f8_Load(least[0].lane), lowX);
		lowY = f8_MulAddLoose(scale, f8_Load(least[1].lane), lowY);
		lowZ = f8_MulAddLoose(scale, f8_Load(least[2].lane), lowZ);
		highX = f8_MulAddLoose(scale, f8_Load(most[0].lane), highX);
		highY = f8_MulAddLoose(scale, f8_Load(most[1].lane), highY);
		highZ = f8_MulAddLoose(scale, f8_Load(most[2].lane), highZ);
	}
	lower[0] = lowX;
	lower[1] = lowY;
	lower[2] = lowZ;
	upper[0] = highX;
	upper[1] = highY;
	upper[2] = highZ;
}

/// Sums of a group's fits: d = mean + gradient (p - center) +- residual.
typedef struct sgFitSum
{
	f8 mean[3];
	f8 gradient[3][3];
	f8 residual[3];
} sgFitSum;

// Summed in registers, and written one by one: gcc copies structs by wider moves than those that filled them, and waits
// for each.
SG_INLINE void sgFields_SumFits(
    const sgFieldFit* fits, const uint16_t* numbers, uint32_t count, const float* amplitudes, sgFitSum* sum)
{
	const f8 zero = f8_Set(0.0f);
	f8 mean[3] = { zero, zero, zero }, residual[3] = { zero, zero, zero };
	f8 gradient[3][3] = { { zero, zero, zero }, { zero, zero, zero }, { zero, zero, zero } };
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
			mean[row] = f8_MulAddLoose(scale, f8_Load(fit->mean[row].lane), mean[row]);
			for (int k = 0; k < 3; ++k)
			{
				gradient[row][k] = f8_MulAddLoose(scale, f8_Load(fit->gradient[row][k].lane), gradient[row][k]);
			}
			residual[row] = f8_MulAddLoose(size, f8_Load(fit->residual[row].lane), residual[row]);
		}
	}
	for (int row = 0; row < 3; ++row)
	{
		sum->mean[row] = mean[row];
		sum->residual[row] = residual[row];
		sum->gradient[row][0] = gradient[row][0];
		sum->gradient[row][1] = gradient[row][1];
		sum->gradient[row][2] = gradient[row][2];
	}
}

#endif
