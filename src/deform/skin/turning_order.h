// src/deform/skin/turning_order.h: one coordinate of a family's nodes from a mean over pairs of joints: zeroth and
// first order. Part of turning_kernels.c, which alone includes it; docs/bounds/turning-skins.md for why.
#ifndef SG_SKIN_ORDER_H
#define SG_SKIN_ORDER_H

#include "deform/skin/turning_program.h"
#include "geometry/prism_support.h"

/// A row of the mean of M, with its cosine as a fifth entry, and how that changes with each coordinate.
typedef struct PairReference
{
	f8 map[5];
	f8 change[3][5];
} PairReference;

SG_INLINE f8 ApplyTo(const f8 row[4], const f8 point[3])
{
	f8 sum = f8_MulAddLoose(row[0], point[0], row[3]);
	return f8_MulAddLoose(row[2], point[2], f8_MulAddLoose(row[1], point[1], sum));
}

// Entries 0 to 2 of a pair's row, the middle of its translations, its cosine.
SG_INLINE float PairRows_Get(const PairRows* rows, uint32_t pair, int k)
{
	size_t place = rows->stride * pair;
	return k < 3    ? rows->row[place + rows->step * (size_t)k]
	       : k == 3 ? 0.5f * (rows->lower[place] + rows->upper[place])
	                : rows->pairs[pair].cosine;
}

SG_INLINE PairReference MakePairReference(
    const sgBlendVolume* volume, const Entries* entries, const PairRows* rows, bool hasGradient)
{
	PairReference reference;
	f8 zero = f8_Set(0.0f), inverse = LoadLanes(&volume->inverseSum);
	for (int k = 0; k < 5; ++k)
	{
		reference.map[k] = reference.change[0][k] = reference.change[1][k] = reference.change[2][k] = zero;
	}
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgFirstEntry* entry = Entries_Get(entries, j);
		uint32_t pair = entries->transforms[j];
		f8 mean = LoadLanes(&entry->mean);
		for (int k = 0; k < 5; ++k)
		{
			f8 value = f8_Set(PairRows_Get(rows, pair, k));
			reference.map[k] = f8_MulAddLoose(mean, value, reference.map[k]);
			for (int a = 0; hasGradient && a < 3; ++a)
			{
				reference.change[a][k] = f8_MulAddLoose(LoadLanes(entry->gradient + a), value, reference.change[a][k]);
			}
		}
	}
	for (int k = 0; k < 5; ++k)
	{
		reference.map[k] = f8_Mul(reference.map[k], inverse);
		for (int a = 0; hasGradient && a < 3; ++a)
		{
			f8 part = f8_Mul(LoadLanes(volume->gradientSum + a), reference.map[k]);
			reference.change[a][k] = f8_Sub(reference.change[a][k], part);
		}
	}
	return reference;
}

// What fits leave over, times what each pair makes of the rest box relative to the mean; and what rotation centres
// leave open.
SG_INLINE f8 PairResidualRow(const PairReference* reference, const sgBlendCommon* common, const Entries* entries,
    const PairRows* rows, f8 shift, const f8 center[3], const f8 half[3], bool hasGradient)
{
	f8 sum = f8_Set(0.0f);
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgFirstEntry* entry = Entries_Get(entries, j);
		uint32_t pair = entries->transforms[j];
		f8 difference[4];
		for (int k = 0; k < 3; ++k)
		{
			difference[k] = f8_Sub(f8_Set(PairRows_Get(rows, pair, k)), reference->map[k]);
		}
		f8 origin = f8_Mul(shift, f8_Set(rows->pairs[pair].cosine));
		difference[3] = f8_Sub(f8_Sub(f8_Set(PairRows_Get(rows, pair, 3)), origin), reference->map[3]);
		f8 reach = f8_Abs(ApplyTo(difference, center));
		for (int k = 0; k < 3; ++k)
		{
			reach = f8_MulAddLoose(f8_Abs(difference[k]), half[k], reach);
		}
		sum = f8_MulAddLoose(LoadLanes(&entry->residual), reach, sum);
		float off = 0.5f * (rows->upper[rows->stride * pair] - rows->lower[rows->stride * pair]);
		if (off > 0.0f)
		{
			sum = f8_MulAddLoose(
			    MostWeight(common, entry, hasGradient ? sgBlend_firstOrder : sgBlend_zeroOrder), f8_Set(off), sum);
		}
	}
	return sum;
}

// v' - x = sum of weights of pairs * (M v - x cosine) / denominator, with x where the node's centre goes for its mean
// weights.
SG_INLINE Interval PairOrderRow(const sgBlendCommon* common, const sgBlendVolume* volume, const Entries* entries,
    const PairRows* rows, const Denominator* denominator, const Displacement* displacement, bool hasGradient)
{
	f8 zero = f8_Set(0.0f), center[3], half[3], whole[3], linear[3], farther = zero, support[2];
	for (int k = 0; k < 3; ++k)
	{
		center[k] = LoadLanes(common->center + k);
		half[k] = whole[k] = LoadLanes(common->half + k);
		if (displacement->isThere)
		{
			center[k] = f8_Add(center[k], displacement->middle[k]);
			whole[k] = f8_Add(half[k], displacement->half[k]);
		}
	}
	PairReference reference = MakePairReference(volume, entries, rows, hasGradient);
	f8 shift = f8_Div(ApplyTo(reference.map, center), f8_Max(reference.map[4], f8_Set(0x1p-12f)));
	shift = f8_Max(f8_Min(shift, denominator->reach), f8_Sub(zero, denominator->reach));
	reference.map[3] = f8_Sub(reference.map[3], f8_Mul(shift, reference.map[4]));
	for (int a = 0; a < 3; ++a)
	{
		reference.change[a][3] = f8_Sub(reference.change[a][3], f8_Mul(shift, reference.change[a][4]));
		linear[a] = hasGradient ? f8_Add(reference.map[a], ApplyTo(reference.change[a], center)) : reference.map[a];
	}
	sgPrismSupport(linear, &volume->prism, half, support);
	for (int a = 0; a < 3; ++a)
	{
		if (displacement->isThere)
		{
			farther = f8_MulAddLoose(f8_Abs(reference.map[a]), displacement->half[a], farther);
		}
		for (int b = 0; hasGradient && b < 3; ++b)
		{
			f8 product = f8_Mul(f8_Mul(reference.change[a][b], half[a]), whole[b]);
			if (a == b && !displacement->isThere)
			{
				support[0] = f8_Add(support[0], f8_Min(product, zero)); // a square has a sign
				support[1] = f8_Add(support[1], f8_Max(product, zero));
			}
			else
			{
				farther = f8_Add(farther, f8_Abs(product));
			}
		}
	}
	f8 residual = PairResidualRow(&reference, common, entries, rows, shift, center, whole, hasGradient);
	f8 middle = ApplyTo(reference.map, center), apart = f8_Add(f8_Add(farther, residual), denominator->error);
	f8 most = DivideUp(f8_Add(f8_Add(middle, support[1]), apart), denominator);
	f8 least = DivideUp(f8_Sub(apart, f8_Add(middle, support[0])), denominator);
	return (Interval){ f8_Sub(shift, least), f8_Add(shift, most) };
}

#endif
