// src/deform/skin_program.h: one coordinate of a family's nodes from ranges of the weights of pairs. Part of
// skin_kernels.c, which alone includes it; docs/bounds.md for why.
#ifndef SG_SKIN_PROGRAM_H
#define SG_SKIN_PROGRAM_H

#include "deform/blend_program.h"
#include "deform/skin.h"

/// One direction's rows of all pairs: that of pair p is rows[rowStride p], what it may be off by offs[offStride p].
typedef struct PairRows
{
	const float* rows;
	size_t rowStride;
	const float* offs;
	size_t offStride;
	const sgSkinPairPose* pairs;
} PairRows;

/// What the nodes of a family have in common with all directions: bounds of sum w_i w_j (q_i . q_j), and of rounding.
typedef struct Denominator
{
	f8 least;
	f8 inverse; ///< 1 / least, rounded up
	f8 error;
	f8 reach;
} Denominator;

/// How far vertices may be from their rest positions when the skin begins: the middle and half of a box per node.
typedef struct Displacement
{
	bool isThere;
	f8 middle[3];
	f8 half[3];
	const sgMorphLanes* morph; ///< nullable: an affine fit that holds as well
} Displacement;

// The same by the fit: a rest position lc + delta, delta within the entry's box, goes to
// lc + mean + G (lc - c) + (1 + G) delta +- residual.
static SG_NOINLINE Interval ImageByFit(
    const float* row, float off, const sgLocalEntry* entry, const sgMorphLanes* morph)
{
	f8 zero = f8_Set(0.0f), middle = f8_Set(row[3]), extent = f8_Set(off), turned[3] = { zero, zero, zero };
	for (int k = 0; k < 3; ++k)
	{
		f8 at = f8_Set(row[k]);
		f8 center = f8_Add(LoadLanes(entry->center + k), f8_Load(morph->mean[k]));
		middle = f8_MulAddLoose(at, center, middle);
		extent = f8_MulAddLoose(f8_Abs(at), f8_Load(morph->residual[k]), extent);
		for (int l = 0; l < 3; ++l)
		{
			turned[l] = f8_MulAddLoose(at, f8_Load(morph->gradient[k][l]), turned[l]);
		}
	}
	for (int l = 0; l < 3; ++l)
	{
		f8 from = f8_Sub(LoadLanes(entry->center + l), f8_Load(morph->center[l]));
		middle = f8_MulAddLoose(turned[l], from, middle);
		f8 whole = f8_Abs(f8_Add(turned[l], f8_Set(row[l])));
		extent = f8_MulAddLoose(whole, LoadLanes(entry->half + l), extent);
	}
	return (Interval){ f8_Sub(middle, extent), f8_Add(middle, extent) };
}

/// The box of an entry, displaced.
typedef struct EntryBox
{
	f8 center[3];
	f8 half[3];
} EntryBox;

SG_INLINE EntryBox BoxOfEntry(const sgLocalEntry* entry, const Displacement* displacement)
{
	EntryBox box;
	for (int k = 0; k < 3; ++k)
	{
		box.center[k] = LoadLanes(entry->center + k);
		box.half[k] = LoadLanes(entry->half + k);
		if (displacement->isThere)
		{
			box.center[k] = f8_Add(box.center[k], displacement->middle[k]);
			box.half[k] = f8_Add(box.half[k], displacement->half[k]);
		}
	}
	return box;
}

SG_INLINE Interval ImageOfPair(const PairRows* rows, uint32_t pair, const EntryBox* box, const sgLocalEntry* entry,
    const Displacement* displacement)
{
	const float* row = rows->rows + rows->rowStride * pair;
	f8 middle = f8_Set(row[3]), extent = f8_Set(rows->offs[rows->offStride * pair]);
	for (int k = 0; k < 3; ++k)
	{
		f8 at = f8_Set(row[k]);
		middle = f8_MulAddLoose(at, box->center[k], middle);
		extent = f8_MulAddLoose(f8_Abs(at), box->half[k], extent);
	}
	Interval image = { f8_Sub(middle, extent), f8_Add(middle, extent) };
	if (displacement->morph != NULL)
	{
		// A NaN of the fit, which only overflow can make, gives way: it is the first operand.
		Interval other = ImageByFit(row, rows->offs[rows->offStride * pair], entry, displacement->morph);
		image = (Interval){ f8_Max(other.lower, image.lower), f8_Min(other.upper, image.upper) };
	}
	return image;
}

/// The most that a pair's weight can be, by the kind of its entry.
SG_INLINE f8 MostWeight(const sgBlendCommon* common, const void* entry, sgBlendKind kind)
{
	if (kind == sgBlend_local)
	{
		const sgRangeEntry* range = entry;
		return f8_Add(LoadLanes(&range->low), LoadLanes(&range->spread));
	}
	const sgFirstEntry* fit = entry; // of which a zero-order entry is the beginning
	f8 most = f8_Add(f8_Abs(LoadLanes(&fit->mean)), LoadLanes(&fit->residual));
	for (int k = 0; kind == sgBlend_firstOrder && k < 3; ++k)
	{
		most = f8_MulAddLoose(f8_Abs(LoadLanes(fit->gradient + k)), LoadLanes(common->half + k), most);
	}
	return f8_Min(f8_Mul(most, f8_Set(1.0f + 0x1p-20f)), f8_Set(1.0f));
}

// sum w_i w_j (q_i . q_j) = 1 - sum over pairs of different joints of 2 w_i w_j (1 - cosine). Their weights sum to at
// most 1 - 1/n where a vertex has n influences at most, and are at most what their entries say. Rounding takes as many
// 2^-24 of the sum as there are entries, and a few more for weights and cosines: less than the margins, for up to
// KEPT_IMAGES entries and for as many as there can be.
SG_INLINE Denominator MakeDenominator(const Entries* entries, const sgSkinPairPose* pairs, const sgBlendCommon* common,
    const sgSkinPose* pose, uint32_t influences, sgBlendKind kind)
{
	f8 zero = f8_Set(0.0f), one = f8_Set(1.0f), sum = zero, most = zero;
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		f8 weight = MostWeight(common, Entries_Get(entries, j), kind);
		f8 away = f8_Set(1.0f - pairs[entries->transforms[j]].cosine);
		sum = f8_MulAddLoose(weight, away, sum);
		most = f8_Select(f8_LessEqual(weight, zero), most, f8_Max(most, away));
	}
	f8 limit = f8_Set((float)(1.0 - 1.0 / (double)influences) + 0x1p-22f);
	f8 away = f8_Min(sum, f8_Mul(most, limit));
	f8 margin = f8_Set(entries->count <= KEPT_IMAGES ? 0x1p-15f : 0x1p-7f);
	f8 least = f8_Sub(f8_Sub(one, away), f8_Mul(margin, f8_Max(away, f8_Set(0x1p-6f))));
	least = f8_Max(least, f8_Set(pose->leastLength2));
	// A sign that is not agreed upon, whatever it weighs: see skin_pose.c.
	least = f8_Select(f8_Less(f8_Set(SG_DISPUTED), most), f8_Set(-1.0f), least);
	f8 reach = f8_Set(pose->reach);
	return (Denominator){
		.least = least,
		.inverse = f8_Div(f8_Set(1.0f + 0x1p-22f), f8_Max(least, f8_Set(0x1p-12f))),
		.error = f8_Mul(LoadLanes(&common->error), reach),
		.reach = reach,
	};
}

// value / denominator for a bound from above: the least denominator if it is positive, the greatest, 1, if not.
SG_INLINE f8 DivideUp(f8 value, const Denominator* denominator)
{
	return f8_Max(f8_Mul(value, denominator->inverse), value);
}

/// One side of the program, once the shift is known: sums for f(lambda) at the weighted mean of all b, at zero, where
/// the farthest joint is, and at the largest b, where nothing is above: large nodes have many pairs, of which a vertex
/// has few.
typedef struct Side
{
	f8 base;  ///< sum of low * b
	f8 above; ///< sum of spread * max(0, b - lambda)
	f8 bulge; ///< sum of spread * max(0, b)
	f8 most;  ///< the largest b, or zero
	f8 lambda;
} Side;

SG_INLINE Side Side_Start(f8 lambda)
{
	f8 zero = f8_Set(0.0f);
	return (Side){ zero, zero, zero, zero, lambda };
}

SG_INLINE void Side_Add(Side* side, f8 b, f8 low, f8 spread)
{
	f8 zero = f8_Set(0.0f);
	side->base = f8_MulAddLoose(low, b, side->base);
	side->above = f8_MulAddLoose(spread, f8_Max(f8_Sub(b, side->lambda), zero), side->above);
	side->bulge = f8_MulAddLoose(spread, f8_Max(b, zero), side->bulge);
	side->most = f8_Max(side->most, f8_Select(f8_LessEqual(f8_Add(low, spread), zero), zero, b));
}

SG_INLINE f8 Side_Bound(const Side* side, f8 slack)
{
	f8 least = f8_Min(f8_MulAddLoose(slack, side->lambda, side->above), side->bulge);
	return f8_Add(side->base, f8_Min(least, f8_Mul(slack, side->most)));
}

/// What the first pass over the entries leaves of one row: the farthest image of any joint, up and (negated) down, and
/// sums over images by twice the mean of each weight's range.
typedef struct RowSums
{
	f8 most, least, up, down;
} RowSums;

/// Rows that are bounded together: the axes, or one direction of a k-DOP.
#define MOST_ROWS 3

// v' - x = sum of weights of pairs * (M v - x cosine) / denominator, for any x. From above: x is the most that any
// joint of the node makes of what it moves. Only what bulges beyond that is divided by the least denominator.
SG_INLINE void PairProgramRows(const sgBlendCommon* common, const Entries* entries, const PairRows* rows, int rowCount,
    const Denominator* denominator, const Displacement* displacement, Interval* out)
{
	f8 up[MOST_ROWS][KEPT_IMAGES], down[MOST_ROWS][KEPT_IMAGES];
	f8 zero = f8_Set(0.0f), total = zero, weightedCosine = zero, none = f8_Sub(zero, denominator->reach);
	RowSums sums[MOST_ROWS];
	const sgSkinPairPose* pairs = rows->pairs;
	bool isKept = entries->count <= KEPT_IMAGES;
	for (int r = 0; r < rowCount; ++r)
	{
		sums[r] = (RowSums){ none, none, zero, zero };
	}
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgLocalEntry* entry = Entries_Get(entries, j);
		uint32_t pair = entries->transforms[j];
		float cosine = pairs[pair].cosine;
		EntryBox box = BoxOfEntry(entry, displacement);
		f8 low = LoadLanes(&entry->range.low), weight = f8_Add(f8_Add(low, low), LoadLanes(&entry->range.spread));
		m8 isAbsent = f8_LessEqual(weight, zero);
		total = f8_Add(total, weight);
		weightedCosine = f8_MulAddLoose(weight, f8_Set(cosine), weightedCosine);
		for (int r = 0; r < rowCount; ++r)
		{
			Interval image = ImageOfPair(rows + r, pair, &box, entry, displacement);
			f8 below = f8_Sub(zero, image.lower);
			sums[r].up = f8_MulAddLoose(weight, image.upper, sums[r].up);
			sums[r].down = f8_MulAddLoose(weight, below, sums[r].down);
			if (cosine == 1.0f)
			{
				sums[r].most = f8_Select(isAbsent, sums[r].most, f8_Max(sums[r].most, image.upper));
				sums[r].least = f8_Select(isAbsent, sums[r].least, f8_Max(sums[r].least, below));
			}
			if (isKept)
			{
				up[r][j] = image.upper;
				down[r][j] = below;
			}
		}
	}
	f8 inverse = f8_Div(f8_Set(1.0f), f8_Max(total, f8_Set(0x1p-20f))), slack = LoadLanes(&common->slack);
	for (int r = 0; r < rowCount; ++r)
	{
		f8 most = f8_Min(sums[r].most, denominator->reach), least = f8_Min(sums[r].least, denominator->reach);
		Side upper = Side_Start(f8_Mul(f8_Sub(sums[r].up, f8_Mul(most, weightedCosine)), inverse));
		Side lower = Side_Start(f8_Mul(f8_Sub(sums[r].down, f8_Mul(least, weightedCosine)), inverse));
		for (uint32_t j = 0; j < entries->count; ++j)
		{
			const sgLocalEntry* entry = Entries_Get(entries, j);
			uint32_t pair = entries->transforms[j];
			f8 above, below;
			if (isKept)
			{
				above = up[r][j];
				below = down[r][j];
			}
			else
			{
				EntryBox box = BoxOfEntry(entry, displacement);
				Interval image = ImageOfPair(rows + r, pair, &box, entry, displacement);
				above = image.upper;
				below = f8_Sub(zero, image.lower);
			}
			f8 low = LoadLanes(&entry->range.low), spread = LoadLanes(&entry->range.spread);
			f8 back = f8_Set(-pairs[pair].cosine);
			Side_Add(&upper, f8_MulAddLoose(most, back, above), low, spread);
			Side_Add(&lower, f8_MulAddLoose(least, back, below), low, spread);
		}
		f8 beyond = DivideUp(f8_Add(Side_Bound(&upper, slack), denominator->error), denominator);
		f8 before = DivideUp(f8_Add(Side_Bound(&lower, slack), denominator->error), denominator);
		out[r] = (Interval){ f8_Sub(zero, f8_Add(least, before)), f8_Add(most, beyond) };
	}
}

#endif
