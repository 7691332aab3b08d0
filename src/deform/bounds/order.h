// src/deform/bounds/order.h: one coordinate of a family's nodes to first order, from a reference map. Part of
// skin/linear_kernels.c, which alone includes it; docs/bounds/skins.md for why.
#ifndef SG_BLEND_ORDER_H
#define SG_BLEND_ORDER_H

#include "deform/bounds/local.h"
#include "geometry/prism_support.h"

/// A row of the reference map and of its change with each coordinate.
typedef struct Reference
{
	f8 map[4];
	f8 change[3][4];
} Reference;

static inline f8 ApplyRow(const f8 row[4], const f8 point[3])
{
	f8 sum = f8_MulAddLoose(row[0], point[0], row[3]);
	return f8_MulAddLoose(row[2], point[2], f8_MulAddLoose(row[1], point[1], sum));
}

SG_INLINE Reference ReferenceRow(const sgLinearVolume* volume, const Entries* entries, const float* rows)
{
	Reference reference;
	f8 zero = f8_Set(0.0f);
	for (int k = 0; k < 4; ++k)
	{
		reference.map[k] = reference.change[0][k] = reference.change[1][k] = reference.change[2][k] = zero;
	}
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgFirstEntry* entry = Entries_Get(entries, j);
		const float* row = GetRow(rows, entries->transforms[j]);
		f8 mean = LoadLanes(&entry->mean);
		for (int k = 0; k < 4; ++k)
		{
			f8 value = f8_Set(row[4 * k]);
			reference.map[k] = f8_MulAddLoose(mean, value, reference.map[k]);
			for (int a = 0; a < 3; ++a)
			{
				reference.change[a][k] = f8_MulAddLoose(LoadLanes(entry->gradient + a), value, reference.change[a][k]);
			}
		}
	}
	f8 inverse = LoadLanes(&volume->inverseSum);
	for (int k = 0; k < 4; ++k)
	{
		reference.map[k] = f8_Mul(reference.map[k], inverse);
		for (int a = 0; a < 3; ++a)
		{
			f8 part = f8_Mul(LoadLanes(volume->gradientSum + a), reference.map[k]);
			reference.change[a][k] = f8_Sub(reference.change[a][k], part);
		}
	}
	return reference;
}

// Sum over transforms of residual * max |(T - reference) v| over the rest box.
SG_INLINE f8 ResidualRow(
    const Reference* reference, const Entries* entries, const float* rows, const f8 center[3], const f8 half[3])
{
	f8 sum = f8_Set(0.0f);
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgFirstEntry* entry = Entries_Get(entries, j);
		const float* row = GetRow(rows, entries->transforms[j]);
		f8 difference[4];
		for (int k = 0; k < 4; ++k)
		{
			difference[k] = f8_Sub(f8_Set(row[4 * k]), reference->map[k]);
		}
		f8 reach = f8_Abs(ApplyRow(difference, center));
		for (int k = 0; k < 3; ++k)
		{
			reach = f8_MulAddLoose(f8_Abs(difference[k]), half[k], reach);
		}
		sum = f8_MulAddLoose(LoadLanes(&entry->residual), reach, sum);
	}
	return sum;
}

// What is quadratic in v - center: squares have a sign, products do not.
static inline Interval QuadraticRow(const Reference* reference, const f8 half[3])
{
	f8 zero = f8_Set(0.0f);
	Interval sum = { zero, zero };
	for (int a = 0; a < 3; ++a)
	{
		f8 square = f8_Mul(f8_Mul(reference->change[a][a], half[a]), half[a]);
		int b = (a + 1) % 3;
		f8 mixed = f8_Abs(f8_Add(reference->change[a][b], reference->change[b][a]));
		mixed = f8_Mul(f8_Mul(mixed, half[a]), half[b]);
		sum.upper = f8_Add(sum.upper, f8_Add(f8_Max(square, zero), mixed));
		sum.lower = f8_Add(sum.lower, f8_Sub(f8_Min(square, zero), mixed));
	}
	return sum;
}

SG_INLINE Interval OrderRow(
    const sgLinearCommon* common, const sgLinearVolume* volume, const Entries* entries, const float* rows)
{
	f8 center[3], half[3], linear[3];
	for (int k = 0; k < 3; ++k)
	{
		center[k] = LoadLanes(common->center + k);
		half[k] = LoadLanes(common->half + k);
	}
	Reference reference = ReferenceRow(volume, entries, rows);
	for (int k = 0; k < 3; ++k)
	{
		linear[k] = f8_Add(reference.map[k], ApplyRow(reference.change[k], center));
	}
	f8 support[2];
	sgPrismSupport(linear, &volume->prism, half, support);
	Interval quadratic = QuadraticRow(&reference, half);
	Interval sum = { f8_Add(support[0], quadratic.lower), f8_Add(support[1], quadratic.upper) };
	f8 middle = ApplyRow(reference.map, center);
	f8 residual = ResidualRow(&reference, entries, rows, center, half);
	return (Interval){ f8_Sub(f8_Add(middle, sum.lower), residual), f8_Add(f8_Add(middle, sum.upper), residual) };
}

#endif
