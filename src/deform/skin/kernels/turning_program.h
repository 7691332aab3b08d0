// src/deform/skin/kernels/turning_program.h: boxes of a family's nodes from ranges of the weights of pairs. Part of
// turning_kernels.c, which alone includes it; docs/bounds/turning-skins.md for why.
#ifndef SG_SKIN_PROGRAM_H
#define SG_SKIN_PROGRAM_H

#include "deform/bounds/local.h"
#include "deform/skin/turning.h"
#include "geometry/margins.h"

#include <math.h>

/// One coordinate's rows of all pairs: entry k of pair p is pairs[p].columns[k][axis].
typedef struct PairRows
{
	const sgTurningPairPose* pairs;
	int axis;
} PairRows;

/// What the nodes of a family have in common with all directions: bounds of sum w_i w_j (q_i . q_j), of the weight of
/// all pairs of different joints together, and of rounding.
typedef struct Denominator
{
	m8 isKnown; ///< whether the least is enough to divide by
	f8 least;
	f8 inverse; ///< 1 / least, rounded up
	f8 share;
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

// A row of a pair made of the box of an entry by the fit: a rest position lc + delta, delta within the box, goes to
// lc + mean + G (lc - c) + (1 + G) delta +- residual.
static SG_NOINLINE Interval ImageByFit(
    const PairRows* rows, uint32_t pair, const sgLocalEntry* entry, const sgMorphLanes* morph)
{
	f8 zero = f8_Set(0.0f), middle = zero, extent = zero, turned[3] = { zero, zero, zero };
	for (int k = 0; k < 3; ++k)
	{
		f8 at = f8_Set(rows->pairs[pair].columns[k][rows->axis]);
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
		f8 whole = f8_Abs(f8_Add(turned[l], f8_Set(rows->pairs[pair].columns[l][rows->axis])));
		extent = f8_MulAddLoose(whole, LoadLanes(entry->half + l), extent);
	}
	f8 lower = f8_Sub(middle, extent), upper = f8_Add(middle, extent);
	return (Interval){ f8_Add(lower, f8_Set(rows->pairs[pair].lower[rows->axis])),
		f8_Add(upper, f8_Set(rows->pairs[pair].upper[rows->axis])) };
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
	f8 middle = f8_Set(0.0f), extent = middle;
	for (int k = 0; k < 3; ++k)
	{
		f8 at = f8_Set(rows->pairs[pair].columns[k][rows->axis]);
		middle = f8_MulAddLoose(at, box->center[k], middle);
		extent = f8_MulAddLoose(f8_Abs(at), box->half[k], extent);
	}
	f8 lower = f8_Set(rows->pairs[pair].lower[rows->axis]), upper = f8_Set(rows->pairs[pair].upper[rows->axis]);
	Interval image = { f8_Add(f8_Sub(middle, extent), lower), f8_Add(f8_Add(middle, extent), upper) };
	if (displacement->morph != NULL)
	{
		// A NaN of the fit, which only overflow can make, gives way: it is the first operand.
		Interval other = ImageByFit(rows, pair, entry, displacement->morph);
		image = (Interval){ f8_Max(other.lower, image.lower), f8_Min(other.upper, image.upper) };
	}
	return image;
}

/// The most that a pair's weight can be.
SG_INLINE f8 MostWeight(const sgLocalEntry* entry)
{
	return f8_Add(LoadLanes(&entry->range.low), LoadLanes(&entry->range.spread));
}

/// Thresholds of 1 - cosine above which pairs count one by one, besides none and all.
static const float awayLimits[2] = { 0.25f, 0.5f };

/// Sums over the pairs of different joints, by the most that each can weigh.
typedef struct CosineSums
{
	f8 weight;
	f8 away;      ///< of weight (1 - cosine)
	f8 beyond[2]; ///< of weight (1 - cosine - limit), where that is positive
	f8 most;      ///< the greatest 1 - cosine
	f8 own;       ///< of the least weights of joints with themselves
} CosineSums;

SG_INLINE CosineSums CosineSums_Start(void)
{
	f8 zero = f8_Set(0.0f);
	return (CosineSums){ zero, zero, { zero, zero }, zero, zero };
}

SG_INLINE void CosineSums_Add(CosineSums* sums, f8 weight, f8 away)
{
	f8 zero = f8_Set(0.0f);
	sums->weight = f8_Add(sums->weight, weight);
	sums->away = f8_MulAddLoose(weight, away, sums->away);
	for (int i = 0; i < 2; ++i)
	{
		f8 beyond = f8_Max(f8_Sub(away, f8_Set(awayLimits[i])), zero);
		sums->beyond[i] = f8_MulAddLoose(weight, beyond, sums->beyond[i]);
	}
	sums->most = f8_Select(f8_LessEqual(weight, zero), sums->most, f8_Max(sums->most, away));
}

// The share of pairs of different joints is at most 1 - 1/n where a vertex has n influences at most, at most 1 less the
// least weights of joints with themselves, and at most what their entries say. And
//     D = sum w_i w_j (q_i . q_j) = 1 - sum over those pairs of weight (1 - cosine)
// where for any limit, as in the linear program, the sum is at most share limit + sum weight max(0, 1 - cosine -
// limit). Rounding takes as many 2^-24 of the sums as there are entries, and a few more for weights and cosines.
SG_INLINE void FinishDenominator(
    const CosineSums* sums, const sgTurningPose* pose, uint32_t influences, uint32_t count, f8* share, f8* least)
{
	f8 one = f8_Set(1.0f), margin = f8_Set(SG_MARGIN_COSINES(count)), small = f8_Set(0x1p-6f);
	f8 limit = f8_Set((float)(1.0 - 1.0 / (double)influences) + 0x1p-22f);
	f8 part = f8_Min(f8_Sub(one, sums->own), sums->weight);
	*share = f8_Min(f8_Add(part, f8_Mul(margin, f8_Max(part, small))), limit);
	f8 away = f8_Min(sums->away, f8_Mul(sums->most, *share));
	for (int i = 0; i < 2; ++i)
	{
		away = f8_Min(away, f8_MulAddLoose(*share, f8_Set(awayLimits[i]), sums->beyond[i]));
	}
	*least = f8_Sub(f8_Sub(one, away), f8_Mul(margin, f8_Max(away, small)));
	*least = f8_Max(*least, f8_Set(pose->leastLength2));
	// A sign that is not agreed upon, whatever it weighs: see turning_pose.c.
	*least = f8_Select(f8_Less(f8_Set(SG_DISPUTED), sums->most), f8_Set(-1.0f), *least);
}

static Denominator MakeDenominator(const sgTurningView* view, const Entries* entries, const sgLinearCommon* common)
{
	CosineSums sums = CosineSums_Start();
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgLocalEntry* entry = Entries_Get(entries, j);
		float cosine = view->pairs[entries->transforms[j]].cosine;
		if (cosine == 1.0f)
		{
			sums.own = f8_Add(sums.own, LoadLanes(&entry->range.low));
			continue;
		}
		CosineSums_Add(&sums, MostWeight(entry), f8_Set(1.0f - cosine));
	}
	Denominator out;
	uint32_t influences = view->skin->blend.header->rows.most;
	FinishDenominator(&sums, view->pose, influences, entries->count, &out.share, &out.least);
	out.isKnown = f8_Less(f8_Set(2.0f * SG_LEAST_LENGTH2), out.least);
	out.inverse = f8_Div(f8_Set(1.0f + 0x1p-22f), f8_Max(out.least, f8_Set(0x1p-12f)));
	out.reach = f8_Set(view->reach);
	out.error = f8_Mul(LoadLanes(&common->error), out.reach);
	return out;
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

/// The image of what a pair moves: above and, negated, below.
typedef struct Sides
{
	f8 up;
	f8 down;
} Sides;

/// Images of some rows of all entries of a family: made once and kept, or, where they are too many, made again.
typedef struct PairImages
{
	const Entries* entries;
	const PairRows* rows; ///< (3)
	const Displacement* displacement;
	Sides (*kept)[KEPT_IMAGES]; ///< by row; null if there are more entries
} PairImages;

SG_INLINE Sides MakeImage(const PairImages* images, int r, uint32_t j, const EntryBox* box)
{
	const sgLocalEntry* entry = Entries_Get(images->entries, j);
	uint32_t pair = images->entries->transforms[j];
	Interval image = ImageOfPair(images->rows + r, pair, box, entry, images->displacement);
	return (Sides){ image.upper, f8_Sub(f8_Set(0.0f), image.lower) };
}

SG_INLINE Sides GetImage(const PairImages* images, int r, uint32_t j)
{
	if (images->kept != NULL)
	{
		return images->kept[r][j];
	}
	EntryBox box = BoxOfEntry(Entries_Get(images->entries, j), images->displacement);
	return MakeImage(images, r, j, &box);
}

/// What the first pass over the entries leaves: by row the farthest image of any joint, up and (negated) down, and sums
/// over images by twice the mean of each weight's range; the same sums of cosines and of weights.
typedef struct PairSums
{
	struct
	{
		f8 most, least, up, down;
	} rows[3];
	f8 cosine;
	f8 total;
} PairSums;

SG_INLINE void SumImages(const PairImages* images, f8 reach, PairSums* sums)
{
	f8 zero = f8_Set(0.0f), none = f8_Sub(zero, reach);
	for (int r = 0; r < 3; ++r)
	{
		sums->rows[r].most = sums->rows[r].least = none;
		sums->rows[r].up = sums->rows[r].down = zero;
	}
	sums->cosine = sums->total = zero;
	for (uint32_t j = 0; j < images->entries->count; ++j)
	{
		const sgLocalEntry* entry = Entries_Get(images->entries, j);
		float cosine = images->rows->pairs[images->entries->transforms[j]].cosine;
		EntryBox box = BoxOfEntry(entry, images->displacement);
		f8 low = LoadLanes(&entry->range.low), weight = f8_Add(f8_Add(low, low), LoadLanes(&entry->range.spread));
		m8 isAbsent = f8_LessEqual(weight, zero);
		sums->total = f8_Add(sums->total, weight);
		sums->cosine = f8_MulAddLoose(weight, f8_Set(cosine), sums->cosine);
		for (int r = 0; r < 3; ++r)
		{
			Sides image = MakeImage(images, r, j, &box);
			sums->rows[r].up = f8_MulAddLoose(weight, image.up, sums->rows[r].up);
			sums->rows[r].down = f8_MulAddLoose(weight, image.down, sums->rows[r].down);
			if (cosine == 1.0f)
			{
				f8 most = f8_Max(sums->rows[r].most, image.up), least = f8_Max(sums->rows[r].least, image.down);
				sums->rows[r].most = f8_Select(isAbsent, sums->rows[r].most, most);
				sums->rows[r].least = f8_Select(isAbsent, sums->rows[r].least, least);
			}
			if (images->kept != NULL)
			{
				images->kept[r][j] = image;
			}
		}
	}
}

// v' - x = sum of weights of pairs * (M v - x cosine) / denominator, for any x. From above: x is the most that any
// joint of the node makes of what it moves. Only what bulges beyond that is divided by the least denominator.
SG_INLINE Interval BoundSides(
    const PairImages* images, int r, const PairSums* sums, f8 slack, const Denominator* denominator)
{
	const sgTurningPairPose* pairs = images->rows->pairs;
	f8 inverse = f8_Div(f8_Set(1.0f), f8_Max(sums->total, f8_Set(0x1p-20f)));
	f8 most = f8_Min(sums->rows[r].most, denominator->reach), least = f8_Min(sums->rows[r].least, denominator->reach);
	Side upper = Side_Start(f8_Mul(f8_Sub(sums->rows[r].up, f8_Mul(most, sums->cosine)), inverse));
	Side lower = Side_Start(f8_Mul(f8_Sub(sums->rows[r].down, f8_Mul(least, sums->cosine)), inverse));
	for (uint32_t j = 0; j < images->entries->count; ++j)
	{
		const sgLocalEntry* entry = Entries_Get(images->entries, j);
		Sides image = GetImage(images, r, j);
		f8 low = LoadLanes(&entry->range.low), spread = LoadLanes(&entry->range.spread);
		f8 back = f8_Set(-pairs[images->entries->transforms[j]].cosine);
		Side_Add(&upper, f8_MulAddLoose(most, back, image.up), low, spread);
		Side_Add(&lower, f8_MulAddLoose(least, back, image.down), low, spread);
	}
	f8 beyond = DivideUp(f8_Add(Side_Bound(&upper, slack), denominator->error), denominator);
	f8 before = DivideUp(f8_Add(Side_Bound(&lower, slack), denominator->error), denominator);
	f8 far = f8_Set(INFINITY);
	beyond = f8_Select(denominator->isKnown, beyond, far);
	before = f8_Select(denominator->isKnown, before, far);
	return (Interval){ f8_Sub(f8_Set(0.0f), f8_Add(least, before)), f8_Add(most, beyond) };
}

// The boxes of all nodes, by coordinate.
static SG_NOINLINE void PairProgram(const sgLinearCommon* common, const Entries* entries, const PairRows rows[3],
    const Denominator* denominator, const Displacement* displacement, Interval out[3])
{
	Sides kept[3][KEPT_IMAGES];
	const PairImages images = { entries, rows, displacement, entries->count <= KEPT_IMAGES ? kept : NULL };
	PairSums sums;
	SumImages(&images, denominator->reach, &sums);
	for (int r = 0; r < 3; ++r)
	{
		out[r] = BoundSides(&images, r, &sums, LoadLanes(&common->slack), denominator);
	}
}

// ---- Where quaternions may cancel --------------------------------------------------------------------------------

/// Nodes in which the least denominator is below this are also bounded without.
#define RARE_LEAST 0.25f

/// How far the images of a pair may lead beyond the farthest of any joint: scale * max(0, b) + least.
typedef struct Bulge
{
	f8 scale;
	f8 least;
} Bulge;

// Twice the greatest distance from the rotation centre of a joint set of what one of its pairs moves: spherical
// blending changes no distance from the centre but by how far joints carry it, so no vertex is farther beyond what its
// joints would do alone. In double, which squares of small numbers need.
static SG_NOINLINE float TwiceArm(const sgTurningView* view, uint32_t pair, const float center[3], const float half[3])
{
	const sgTurning* skin = view->skin;
	double most = 0.0;
	for (uint32_t s = 0; s < skin->header->setCount; ++s)
	{
		const sgTurningSet* set = skin->sets + s;
		uint32_t count = set->memberCount * (set->memberCount - 1) / 2, found = 0;
		while (found < count && skin->setPairs[set->firstPair + found] != pair)
		{
			++found;
		}
		if (found == count)
		{
			continue;
		}
		double sum = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			double from = (double)view->centers[3 * (size_t)s + (size_t)k];
			double along = fabs((double)center[k] - from) + (double)half[k];
			sum += along * along;
		}
		most = sum > most ? sum : most;
	}
	return (float)(2.0 * (1.0 + SG_MARGIN_ARM) * sqrt(most));
}

// v' <= x + h where sum of weights (M v - (x + h) cosine) <= 0. With x the most of any joint, t the share of pairs of
// different joints and b = M v - x cosine of those this holds if t (b - h cosine) <= (1 - t) h for each of them, so for
// h = t b / (1 - t (1 - cosine)); and the more, the larger t. Where that is too much, or a sum of quaternions may be
// too short, there is the arm.
static Bulge MakeBulge(const sgTurningView* view, uint32_t pair, const sgLocalEntry* entry, const EntryBox* box,
    const Denominator* denominator)
{
	f8 zero = f8_Set(0.0f);
	float cosine = view->pairs[pair].cosine;
	f8 left = f8_Sub(f8_Set(1.0f - SG_MARGIN_SHARE), f8_Mul(denominator->share, f8_Set(1.0f - cosine)));
	f8 inverse = f8_Div(f8_Set(1.0f + 0x1p-22f), f8_Max(left, f8_Set(0x1p-12f)));
	Bulge bulge = { f8_Mul(inverse, denominator->share), f8_Mul(inverse, denominator->error) };
	m8 isAbsent = f8_LessEqual(MostWeight(entry), zero);
	m8 isSmall = f8_Less(left, f8_Set(view->isSpherical ? RARE_LEAST : 2.0f * SG_LEAST_LENGTH2));
	if (m8_Bits(isSmall) != 0)
	{
		float centers[3][SG_LANES] SG_ALIGN(32), halves[3][SG_LANES] SG_ALIGN(32), arms[SG_LANES] SG_ALIGN(32);
		for (int k = 0; k < 3; ++k)
		{
			f8_Store(centers[k], box->center[k]);
			f8_Store(halves[k], box->half[k]);
		}
		for (int i = 0; i < SG_LANES; ++i)
		{
			const float center[3] = { centers[0][i], centers[1][i], centers[2][i] };
			const float half[3] = { halves[0][i], halves[1][i], halves[2][i] };
			arms[i] = view->isSpherical ? TwiceArm(view, pair, center, half) : INFINITY;
		}
		bulge.scale = f8_Select(isSmall, zero, bulge.scale);
		bulge.least = f8_Select(isSmall, f8_Add(f8_Load(arms), denominator->error), bulge.least);
	}
	return (Bulge){ f8_Select(isAbsent, zero, bulge.scale), f8_Select(isAbsent, zero, bulge.least) };
}

// One row, for nodes in which the denominator is not known or small. Infinite where nothing can be said.
static SG_NOINLINE Interval PairShareRow(const sgTurningView* view, const Entries* entries, const PairRows* rows,
    const Denominator* denominator, const Displacement* displacement)
{
	f8 zero = f8_Set(0.0f), none = f8_Sub(zero, denominator->reach), most = none, least = none;
	f8 up = denominator->error, down = up;
	for (uint32_t pass = 0; pass < 2; ++pass)
	{
		for (uint32_t j = 0; j < entries->count; ++j)
		{
			const sgLocalEntry* entry = Entries_Get(entries, j);
			uint32_t pair = entries->transforms[j];
			float cosine = rows->pairs[pair].cosine;
			if ((cosine == 1.0f) == (pass != 0))
			{
				continue;
			}
			EntryBox box = BoxOfEntry(entry, displacement);
			Interval image = ImageOfPair(rows, pair, &box, entry, displacement);
			f8 below = f8_Sub(zero, image.lower);
			if (pass == 0)
			{
				m8 isAbsent = f8_LessEqual(MostWeight(entry), zero);
				most = f8_Select(isAbsent, most, f8_Max(most, image.upper));
				least = f8_Select(isAbsent, least, f8_Max(least, below));
				continue;
			}
			Bulge bulge = MakeBulge(view, pair, entry, &box, denominator);
			f8 above = f8_Max(f8_MulAddLoose(most, f8_Set(-cosine), image.upper), zero);
			up = f8_Max(up, f8_MulAddLoose(bulge.scale, above, bulge.least));
			below = f8_Max(f8_MulAddLoose(least, f8_Set(-cosine), below), zero);
			down = f8_Max(down, f8_MulAddLoose(bulge.scale, below, bulge.least));
		}
	}
	return (Interval){ f8_Sub(zero, f8_Add(least, down)), f8_Add(most, up) };
}

#endif
