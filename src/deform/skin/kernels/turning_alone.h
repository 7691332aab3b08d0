// src/deform/skin/kernels/turning_alone.h: the root, a node alone: its pairs of joints side by side in the lanes
// instead of nodes. What is computed is that of turning_program.h. Part of turning_kernels.c, which alone includes it.
#ifndef SG_SKIN_ALONE_H
#define SG_SKIN_ALONE_H

#include "deform/skin/kernels/turning_program.h"

/// Blocks of eight pairs for which images are kept; those that come after are made twice.
#define KEPT_BLOCKS 96

/// Eight pairs side by side: what sgTurningPairPose has, in its order.
typedef struct PairLanes
{
	f8 columns[3][3];
	f8 lower[3];
	f8 upper[3];
	f8 cosine;
} PairLanes;

SG_INLINE void LoadPairs(const sgTurningView* view, const uint16_t numbers[SG_LANES], PairLanes* out)
{
	f8 values[16];
	for (int part = 0; part < 4; ++part)
	{
		f4 low[4], high[4];
		for (uint32_t i = 0; i < 4; ++i)
		{
			low[i] = f4_Load((const float*)(view->pairs + numbers[i]) + 4 * part);
			high[i] = f4_Load((const float*)(view->pairs + numbers[4 + i]) + 4 * part);
		}
		f4_Transpose(low);
		f4_Transpose(high);
		for (int i = 0; i < 4; ++i)
		{
			values[4 * part + i] = f8_FromHalves(low[i], high[i]);
		}
	}
	for (int k = 0; k < 9; ++k)
	{
		out->columns[k / 3][k % 3] = values[k];
	}
	for (int k = 0; k < 3; ++k)
	{
		out->lower[k] = values[9 + k];
		out->upper[k] = values[12 + k];
	}
	out->cosine = values[15];
}

/// The node's share of what turning_program.h calls Denominator, and where it is when the skin begins.
typedef struct Alone
{
	const sgTurningView* view;
	const Entries* entries;
	float middle[3]; ///< of how far it is displaced
	float half[3];
	float least;
	float inverse;
	float share;
	float error;
	float reach;
	float slack;
	float farthest[2][3]; ///< the most that any joint makes of what it moves, up and, negated, down
	float lambda[2][3];
} Alone;

SG_INLINE const uint16_t* Alone_Pairs(const Alone* alone, uint32_t j)
{
	return alone->entries->transforms + SG_LANES * (size_t)j;
}

/// Images of the parts of the node that eight pairs move, along the axes: above and, negated, below.
typedef struct Images8
{
	f8 up[3];
	f8 down[3];
	f8 cosine;
} Images8;

SG_INLINE Images8 ImagesAcross(const Alone* alone, uint32_t j)
{
	const sgLocalEntry* entry = Entries_Get(alone->entries, j);
	const float *middle = alone->middle, *half = alone->half;
	PairLanes lanes;
	Images8 out;
	LoadPairs(alone->view, Alone_Pairs(alone, j), &lanes);
	for (int axis = 0; axis < 3; ++axis)
	{
		f8 at = f8_Set(0.0f), extent = at;
		for (int k = 0; k < 3; ++k)
		{
			f8 center = f8_Add(LoadLanes(entry->center + k), f8_Set(middle[k]));
			at = f8_MulAddLoose(lanes.columns[k][axis], center, at);
			f8 size = f8_Add(LoadLanes(entry->half + k), f8_Set(half[k]));
			extent = f8_MulAddLoose(f8_Abs(lanes.columns[k][axis]), size, extent);
		}
		out.up[axis] = f8_Add(f8_Add(at, extent), lanes.upper[axis]);
		out.down[axis] = f8_Sub(f8_Sub(extent, at), lanes.lower[axis]);
	}
	out.cosine = lanes.cosine;
	return out;
}

// Sums over all pairs, of images and of cosines.
typedef struct AloneSums
{
	f8 most[2][3];
	f8 weighted[2][3];
	f8 total;
	f8 cosines;
	CosineSums away;
} AloneSums;

SG_INLINE void AddAcross(AloneSums* sums, const Images8* images, const sgLocalEntry* entry)
{
	f8 zero = f8_Set(0.0f), one = f8_Set(1.0f), low = LoadLanes(&entry->range.low);
	f8 high = f8_Add(low, LoadLanes(&entry->range.spread)), weight = f8_Add(low, high);
	m8 isOther = f8_Less(images->cosine, one), isNone = m8_Or(isOther, f8_LessEqual(high, zero));
	sums->total = f8_Add(sums->total, weight);
	sums->cosines = f8_MulAddLoose(weight, images->cosine, sums->cosines);
	for (int axis = 0; axis < 3; ++axis)
	{
		for (int side = 0; side < 2; ++side)
		{
			f8 image = side == 0 ? images->up[axis] : images->down[axis], *most = &sums->most[side][axis];
			*most = f8_Select(isNone, *most, f8_Max(*most, image));
			sums->weighted[side][axis] = f8_MulAddLoose(weight, image, sums->weighted[side][axis]);
		}
	}
	sums->away.own = f8_Add(sums->away.own, f8_Select(isOther, zero, low));
	CosineSums_Add(&sums->away, f8_Select(isOther, high, zero), f8_Sub(one, images->cosine));
}

// Those sums, added up over all lanes.
static void FinishAlone(const AloneSums* sums, Alone* alone)
{
	const CosineSums* away = &sums->away;
	const CosineSums all = {
		.weight = f8_Set(f8_Sum(away->weight)),
		.away = f8_Set(f8_Sum(away->away)),
		.beyond = { f8_Set(f8_Sum(away->beyond[0])), f8_Set(f8_Sum(away->beyond[1])) },
		.most = f8_Set(f8_ReduceMax(away->most)),
		.own = f8_Set(f8_Sum(away->own)),
	};
	f8 share, least;
	uint32_t influences = alone->view->skin->blend.header->rows.most, count = SG_LANES * alone->entries->count;
	FinishDenominator(&all, alone->view->pose, influences, count, &share, &least);
	alone->share = f8_ReduceMax(share);
	alone->least = f8_ReduceMax(least);
	alone->inverse = (1.0f + 0x1p-22f) / (alone->least > 0x1p-12f ? alone->least : 0x1p-12f);
	float total = f8_Sum(sums->total), cosines = f8_Sum(sums->cosines);
	for (int i = 0; i < 6; ++i)
	{
		int side = i / 3, axis = i % 3;
		float most = f8_ReduceMax(sums->most[side][axis]);
		most = most < alone->reach ? most : alone->reach;
		alone->farthest[side][axis] = most;
		alone->lambda[side][axis] =
		    (f8_Sum(sums->weighted[side][axis]) - most * cosines) / (total > 0x1p-20f ? total : 0x1p-20f);
	}
}

// How far beyond the farthest joint.
static float SideAcross(const Side* side, const Alone* alone)
{
	float dual = alone->slack * f8_ReduceMax(side->lambda) + f8_Sum(side->above), bulge = f8_Sum(side->bulge);
	float most = alone->slack * f8_ReduceMax(side->most), least = dual < bulge ? dual : bulge;
	float value = f8_Sum(side->base) + (least < most ? least : most) + alone->error, divided = value * alone->inverse;
	return !(alone->least > 2.0f * SG_LEAST_LENGTH2) ? INFINITY : divided > value ? divided : value;
}

// As MakeBulge, for eight pairs.
static Bulge BulgeAcross(const Alone* alone, uint32_t j, f8 cosine)
{
	const sgTurningView* view = alone->view;
	const sgLocalEntry* entry = Entries_Get(alone->entries, j);
	f8 zero = f8_Set(0.0f), one = f8_Set(1.0f), share = f8_Set(alone->share);
	f8 weight = f8_Add(LoadLanes(&entry->range.low), LoadLanes(&entry->range.spread));
	m8 isNone = m8_Or(f8_LessEqual(weight, zero), f8_LessEqual(one, cosine));
	f8 left = f8_Sub(f8_Set(1.0f - SG_MARGIN_SHARE), f8_Mul(share, f8_Sub(one, cosine)));
	f8 inverse = f8_Div(f8_Set(1.0f + 0x1p-22f), f8_Max(left, f8_Set(0x1p-12f)));
	float scales[SG_LANES] SG_ALIGN(32), leasts[SG_LANES] SG_ALIGN(32);
	f8_Store(scales, f8_Select(isNone, zero, f8_Mul(inverse, share)));
	f8_Store(leasts, f8_Select(isNone, zero, f8_Mul(inverse, f8_Set(alone->error))));
	uint32_t isSmall = m8_Bits(f8_Less(left, f8_Set(view->isSpherical ? RARE_LEAST : 2.0f * SG_LEAST_LENGTH2)));
	for (uint32_t rest = isSmall & ~m8_Bits(isNone); rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		float center[3], half[3];
		for (int k = 0; k < 3; ++k)
		{
			center[k] = entry->center[k].lane[lane] + alone->middle[k];
			half[k] = entry->half[k].lane[lane] + alone->half[k];
		}
		scales[lane] = 0.0f;
		leasts[lane] =
		    view->isSpherical ? TwiceArm(view, Alone_Pairs(alone, j)[lane], center, half) + alone->error : INFINITY;
	}
	return (Bulge){ f8_Load(scales), f8_Load(leasts) };
}

// As PairShareRow: how far beyond the farthest joint, where the denominator is not known or small.
static SG_NOINLINE void ShareAcross(const Alone* alone, float beyond[2][3])
{
	for (uint32_t j = 0; j < alone->entries->count; ++j)
	{
		Images8 images = ImagesAcross(alone, j);
		Bulge bulge = BulgeAcross(alone, j, images.cosine);
		for (int i = 0; i < 6; ++i)
		{
			int side = i / 3, axis = i % 3;
			f8 image = side == 0 ? images.up[axis] : images.down[axis], x = f8_Set(alone->farthest[side][axis]);
			f8 b = f8_Max(f8_Sub(image, f8_Mul(x, images.cosine)), f8_Set(0.0f));
			float most = f8_ReduceMax(f8_MulAddLoose(bulge.scale, b, bulge.least));
			beyond[side][axis] = j == 0 || most > beyond[side][axis] ? most : beyond[side][axis];
		}
	}
}

static SG_NOINLINE void AloneBox(Alone* alone, float lower[3], float upper[3])
{
	Images8 kept[KEPT_BLOCKS];
	const Entries* entries = alone->entries;
	f8 zero = f8_Set(0.0f), none = f8_Set(-alone->reach);
	AloneSums sums = { .total = zero, .cosines = zero, .away = CosineSums_Start() };
	for (int i = 0; i < 6; ++i)
	{
		sums.most[i / 3][i % 3] = none;
		sums.weighted[i / 3][i % 3] = zero;
	}
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgLocalEntry* entry = Entries_Get(entries, j);
		Images8 images = ImagesAcross(alone, j);
		AddAcross(&sums, &images, entry);
		if (j < KEPT_BLOCKS)
		{
			kept[j] = images;
		}
	}
	FinishAlone(&sums, alone);
	float beyond[2][3], shares[2][3];
	Side sides[2][3];
	for (int i = 0; i < 6; ++i)
	{
		sides[i / 3][i % 3] = Side_Start(f8_Set(alone->lambda[i / 3][i % 3]));
	}
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgLocalEntry* entry = Entries_Get(entries, j);
		Images8 images = j < KEPT_BLOCKS ? kept[j] : ImagesAcross(alone, j);
		f8 low = LoadLanes(&entry->range.low), spread = LoadLanes(&entry->range.spread);
		for (int i = 0; i < 6; ++i)
		{
			int side = i / 3, axis = i % 3;
			f8 image = side == 0 ? images.up[axis] : images.down[axis], x = f8_Set(alone->farthest[side][axis]);
			Side_Add(&sides[side][axis], f8_Sub(image, f8_Mul(x, images.cosine)), low, spread);
		}
	}
	bool isRare = !(alone->least > RARE_LEAST);
	if (isRare)
	{
		ShareAcross(alone, shares);
	}
	for (int i = 0; i < 6; ++i)
	{
		float *out = &beyond[i / 3][i % 3], other = isRare ? shares[i / 3][i % 3] : INFINITY;
		*out = SideAcross(&sides[i / 3][i % 3], alone);
		*out = (*out < other ? *out : other) + alone->farthest[i / 3][i % 3];
	}
	for (int axis = 0; axis < 3; ++axis)
	{
		lower[axis] = -beyond[1][axis];
		upper[axis] = beyond[0][axis];
	}
}

#endif
