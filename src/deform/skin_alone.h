// src/deform/skin_alone.h: the root, a node alone: its pairs of joints side by side in the lanes instead of nodes. What
// is computed is that of skin_program.h. Part of skin_kernels.c, which alone includes it.
#ifndef SG_SKIN_ALONE_H
#define SG_SKIN_ALONE_H

#include "deform/skin_program.h"

/// Blocks of eight pairs for which images are kept; families with more have them computed twice.
#define KEPT_BLOCKS 64

/// Images of the node's box, or of the parts of it that pairs move: above and, negated, below.
typedef struct Above
{
	f8 up;
	f8 down;
} Above;

SG_INLINE Above ImageAcross(
    const sgSkinPairLanes* lanes, const sgLocalEntry* entry, int axis, const float middle[3], const float half[3])
{
	f8 at = f8_Load(lanes->matrix[4 * axis + 3]), extent = f8_Load(lanes->off);
	for (int k = 0; k < 3; ++k)
	{
		f8 row = f8_Load(lanes->matrix[4 * axis + k]);
		f8 center = f8_Add(LoadLanes(entry->center + k), f8_Set(middle[k]));
		at = f8_MulAddLoose(row, center, at);
		extent = f8_MulAddLoose(f8_Abs(row), f8_Add(LoadLanes(entry->half + k), f8_Set(half[k])), extent);
	}
	return (Above){ f8_Add(at, extent), f8_Sub(extent, at) };
}

static inline float SideAcross(const Side* side, float slack)
{
	float dual = slack * f8_ReduceMax(side->lambda) + f8_Sum(side->above), bulge = f8_Sum(side->bulge);
	float most = slack * f8_ReduceMax(side->most), least = dual < bulge ? dual : bulge;
	return f8_Sum(side->base) + (least < most ? least : most);
}

/// The node's share of what skin_program.h calls Denominator.
typedef struct Alone
{
	float inverse;
	float error;
	float reach;
	float slack;
} Alone;

static inline float DivideAlone(float value, const Alone* alone)
{
	float divided = value * alone->inverse;
	return divided > value ? divided : value;
}

static void AloneRow(const sgSkinPairLanes* across, const Entries* entries, int axis, const Alone* alone,
    const float middle[3], const float half[3], float* lower, float* upper)
{
	Above kept[KEPT_BLOCKS];
	f8 zero = f8_Set(0.0f), none = f8_Set(-alone->reach), most = none, least = none;
	f8 total = zero, weightedUp = zero, weightedDown = zero, weightedCosine = zero;
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgLocalEntry* entry = Entries_Get(entries, j);
		const sgSkinPairLanes* lanes = across + entries->transforms[j];
		Above image = ImageAcross(lanes, entry, axis, middle, half);
		f8 low = LoadLanes(&entry->range.low), weight = f8_Add(f8_Add(low, low), LoadLanes(&entry->range.spread));
		f8 cosine = f8_Load(lanes->cosine);
		m8 isOther = m8_Or(f8_LessEqual(weight, zero), f8_Less(cosine, f8_Set(1.0f)));
		total = f8_Add(total, weight);
		weightedUp = f8_MulAddLoose(weight, image.up, weightedUp);
		weightedDown = f8_MulAddLoose(weight, image.down, weightedDown);
		weightedCosine = f8_MulAddLoose(weight, cosine, weightedCosine);
		most = f8_Select(isOther, most, f8_Max(most, image.up));
		least = f8_Select(isOther, least, f8_Max(least, image.down));
		if (j < KEPT_BLOCKS)
		{
			kept[j] = image;
		}
	}
	float farthest = f8_ReduceMax(most), nearest = f8_ReduceMax(least), sum = f8_Sum(total);
	farthest = farthest < alone->reach ? farthest : alone->reach;
	nearest = nearest < alone->reach ? nearest : alone->reach;
	float inverse = 1.0f / (sum > 0x1p-20f ? sum : 0x1p-20f), cosines = f8_Sum(weightedCosine);
	f8 lambdaUp = f8_Set((f8_Sum(weightedUp) - farthest * cosines) * inverse);
	f8 lambdaDown = f8_Set((f8_Sum(weightedDown) - nearest * cosines) * inverse);
	Side up = Side_Start(lambdaUp), down = Side_Start(lambdaDown);
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgLocalEntry* entry = Entries_Get(entries, j);
		const sgSkinPairLanes* lanes = across + entries->transforms[j];
		Above image = j < KEPT_BLOCKS ? kept[j] : ImageAcross(lanes, entry, axis, middle, half);
		f8 low = LoadLanes(&entry->range.low), spread = LoadLanes(&entry->range.spread);
		f8 cosine = f8_Load(lanes->cosine);
		Side_Add(&up, f8_Sub(image.up, f8_Mul(f8_Set(farthest), cosine)), low, spread);
		Side_Add(&down, f8_Sub(image.down, f8_Mul(f8_Set(nearest), cosine)), low, spread);
	}
	*upper = farthest + DivideAlone(SideAcross(&up, alone->slack) + alone->error, alone);
	*lower = -(nearest + DivideAlone(SideAcross(&down, alone->slack) + alone->error, alone));
}

// The least sum of w_i w_j (q_i . q_j), as MakeDenominator has it.
static float LeastAlone(
    const sgSkinPairLanes* across, const Entries* entries, const sgSkinPose* pose, uint32_t influences)
{
	f8 zero = f8_Set(0.0f), sum = zero, most = zero;
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgRangeEntry* range = Entries_Get(entries, j);
		f8 weight = f8_Add(LoadLanes(&range->low), LoadLanes(&range->spread));
		f8 away = f8_Sub(f8_Set(1.0f), f8_Load(across[entries->transforms[j]].cosine));
		sum = f8_MulAddLoose(weight, away, sum);
		most = f8_Select(f8_LessEqual(weight, zero), most, f8_Max(most, away));
	}
	if (f8_ReduceMax(most) > SG_DISPUTED)
	{
		return -1.0f;
	}
	float limit = (float)(1.0 - 1.0 / (double)influences) + 0x1p-22f, all = f8_Sum(sum);
	float farthest = f8_ReduceMax(most) * limit, away = all < farthest ? all : farthest;
	float margin = SG_LANES * entries->count <= KEPT_IMAGES ? 0x1p-15f : 0x1p-7f;
	float least = 1.0f - away - margin * (away > 0x1p-6f ? away : 0x1p-6f);
	return least > pose->leastLength2 ? least : pose->leastLength2;
}

#endif
