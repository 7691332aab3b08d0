// src/tree/row_kernels.c: see row_kernels.h.
#include "tree/row_kernels.h"

#include "simd/lanes.h"

static bool AddWeights(const sgLaneFloats* values, uint32_t count, sgRowTotals* totals)
{
	f8 zero = f8_Set(0.0f), one = f8_Set(1.0f), counts = zero;
	d8 sums = d8_Set(0.0);
	m8 good = f8_LessEqual(zero, zero);
	for (uint32_t j = 0; j < count; ++j)
	{
		f8 weights = f8_Load(values[j].lane);
		good = m8_And(good, f8_LessEqual(zero, weights));
		counts = f8_Add(counts, f8_Select(f8_Less(zero, weights), one, zero));
		sums = d8_Add(sums, d8_FromFloat(weights));
	}
	f8_Store(totals->counts, counts);
	d8_Store(totals->sums, sums);
	return m8_Bits(good) == 0xff;
}

static bool AddDisplacements(
    const sgLaneFloats* values, const uint16_t* numbers, uint32_t count, const float* limits, sgRowTotals* totals)
{
	f8 zero = f8_Set(0.0f), one = f8_Set(1.0f), counts = zero;
	m8 good = f8_LessEqual(zero, zero);
	for (uint32_t j = 0; j < count; ++j, values += 3)
	{
		const float* limit = limits + 3 * (size_t)numbers[j];
		f8 most = zero;
		for (int axis = 0; axis < 3; ++axis)
		{
			f8 magnitudes = f8_Abs(f8_Load(values[axis].lane));
			good = m8_And(good, f8_LessEqual(magnitudes, f8_Set(limit[axis])));
			most = f8_Max(most, magnitudes);
		}
		counts = f8_Add(counts, f8_Select(f8_Less(zero, most), one, zero));
	}
	f8_Store(totals->counts, counts);
	return m8_Bits(good) == 0xff;
}

static void FindOwners(const sgLaneFloats* values, uint32_t count, uint8_t* owners)
{
	f8 zero = f8_Set(0.0f);
	for (uint32_t j = 0; j < count; ++j)
	{
		owners[j] = (uint8_t)m8_Bits(f8_Less(zero, f8_Load(values[j].lane)));
	}
}

const sgRowKernels SG_FOR_ISA(sgRowKernels) = {
	.addWeights = AddWeights,
	.addDisplacements = AddDisplacements,
	.findOwners = FindOwners,
};
