// src/geometry/moving_kernels.c: see moving_kernels.h. Compiled once per instruction set.
#include "geometry/moving_kernels.h"

#include "geometry/box_lanes.h"
#include "geometry/margins.h"

// ---- Boxes ---------------------------------------------------------------------------------------------------------

// As CutTimes below, in float32. A face at infinity may give NaN, and that changes nothing: see f8_Min.
static inline void CutGap(f8* from, f8* to, f8 start, f8 end)
{
	const f8 zero = f8_Set(0.0f), crossing = f8_Div(start, f8_Sub(start, end));
	const m8 startsApart = f8_Less(zero, start), endsApart = f8_Less(zero, end);
	const f8 entry = f8_Select(endsApart, f8_Set(2.0f), f8_Mul(crossing, f8_Set(1.0f - SG_MARGIN_ENTERED)));
	const f8 exit = f8_Select(startsApart, f8_Set(-1.0f), f8_Mul(crossing, f8_Set(1.0f + SG_MARGIN_ENTERED)));
	*from = f8_Select(startsApart, f8_Max(entry, *from), *from);
	*to = f8_Select(endsApart, f8_Min(exit, *to), *to);
}

static uint64_t EnterBoxes(
    sgMovingBoxes a, uint32_t maskA, sgMovingBoxes b, float margin, float limit, float times[SG_LANES * SG_LANES])
{
	f8 lower[2][3], upper[2][3];
	const f8 within = f8_Set(margin);
	uint64_t pairs = 0;
	sgLanes_LoadBoxes(b.start, lower[0], upper[0]);
	sgLanes_LoadBoxes(b.end, lower[1], upper[1]);
	for (uint32_t rest = maskA; rest != 0; rest &= rest - 1)
	{
		const uint32_t i = sgLowestBit(rest);
		f8 from = f8_Set(0.0f), to = f8_Set(1.0f);
		for (int k = 0; k < 3; ++k)
		{
			const f8 top[2] = { f8_Set(a.start->upper[k][i]), f8_Set(a.end->upper[k][i]) };
			const f8 bottom[2] = { f8_Set(a.start->lower[k][i]), f8_Set(a.end->lower[k][i]) };
			CutGap(
			    &from, &to, f8_Sub(f8_Sub(lower[0][k], top[0]), within), f8_Sub(f8_Sub(lower[1][k], top[1]), within));
			CutGap(&from, &to, f8_Sub(f8_Sub(bottom[0], upper[0][k]), within),
			    f8_Sub(f8_Sub(bottom[1], upper[1][k]), within));
		}
		f8_Store(times + SG_LANES * i, from);
		const m8 isIn = m8_And(f8_LessEqual(from, to), f8_LessEqual(from, f8_Set(limit)));
		pairs |= (uint64_t)m8_Bits(isIn) << (SG_LANES * i);
	}
	return pairs;
}

// ---- Features ------------------------------------------------------------------------------------------------------

static inline d8 Smaller(d8 a, d8 b)
{
	return d8_SelectGreater(a, b, b, a);
}

/// Times that are left.
typedef struct Times
{
	d8 from, to;
} Times;

// Along a direction the two are apart as long as a line, from `start` at time 0 to `end` at time 1, is positive.
static inline void CutTimes(Times* times, d8 start, d8 end)
{
	const d8 zero = d8_Set(0.0), crossing = d8_Div(start, d8_Sub(start, end));
	const d8 entry = d8_SelectGreater(end, zero, d8_Set(2.0), d8_Mul(crossing, d8_Set(1.0 - SG_MARGIN_CUT)));
	const d8 exit = d8_SelectGreater(start, zero, d8_Set(-1.0), d8_Mul(crossing, d8_Set(1.0 + SG_MARGIN_CUT)));
	times->from = d8_SelectGreater(start, zero, d8_Max(times->from, entry), times->from);
	times->to = d8_SelectGreater(end, zero, Smaller(times->to, exit), times->to);
}

// The least and the greatest value of F along a direction, at both ends, less what they may be off by.
static inline void CutRange(Times* times, const d8 least[2], const d8 most[2], d8 slack)
{
	CutTimes(times, d8_Sub(least[0], slack), d8_Sub(least[1], slack));
	const d8 back = d8_Sub(d8_Set(0.0), slack);
	CutTimes(times, d8_Sub(back, most[0]), d8_Sub(back, most[1]));
}

typedef struct Features
{
	d8 base[2][3], along[2][3], across[2][3];
	d8 kind; ///< positive: a vertex and a triangle
	d8 error, margin;
} Features;

static inline void CutValues(
    const Features* features, Times* times, const d8 base[2], const d8 along[2], const d8 across[2], d8 slack)
{
	const d8 zero = d8_Set(0.0);
	d8 least[2], most[2];
	for (int s = 0; s < 2; ++s)
	{
		const d8 leastU = Smaller(along[s], zero), mostU = d8_Max(along[s], zero);
		const d8 leastOfEdges = d8_Add(leastU, Smaller(across[s], zero)),
		         mostOfEdges = d8_Add(mostU, d8_Max(across[s], zero));
		least[s] = d8_Add(base[s], d8_SelectGreater(features->kind, zero, Smaller(leastU, across[s]), leastOfEdges));
		most[s] = d8_Add(base[s], d8_SelectGreater(features->kind, zero, d8_Max(mostU, across[s]), mostOfEdges));
	}
	CutRange(times, least, most, slack);
}

static inline void CutAlong(const Features* features, Times* times, const d8 direction[3])
{
	d8 base[2], along[2], across[2];
	for (int s = 0; s < 2; ++s)
	{
		base[s] = d8_Dot(direction, features->base[s]);
		along[s] = d8_Dot(direction, features->along[s]);
		across[s] = d8_Dot(direction, features->across[s]);
	}
	const d8 sum = d8_Add(d8_Add(d8_Abs(direction[0]), d8_Abs(direction[1])), d8_Abs(direction[2]));
	const d8 length = d8_Mul(d8_Sqrt(d8_Dot(direction, direction)), d8_Set(1.0 + SG_MARGIN_CUT));
	CutValues(
	    features, times, base, along, across, d8_Add(d8_Mul(sum, features->error), d8_Mul(length, features->margin)));
}

static inline void Load(const sgMovingLanes* pairs, Features* features)
{
	d8 most = d8_Set(0.0);
	for (int i = 0; i < 6; ++i)
	{
		const int s = i / 3, k = i % 3;
		features->base[s][k] = d8_Load(pairs->base[s][k]);
		features->along[s][k] = d8_Load(pairs->along[s][k]);
		features->across[s][k] = d8_Load(pairs->across[s][k]);
		most = d8_Max(d8_Abs(features->base[s][k]), most);
		most = d8_Max(d8_Abs(features->along[s][k]), most);
		most = d8_Max(d8_Abs(features->across[s][k]), most);
	}
	features->error = d8_Mul(most, d8_Set(SG_MARGIN_CELL * 0x1p-53));
}

static uint32_t EnterFeatures(const sgMovingLanes* pairs, int triangles, double margin, sgMovingTimes* times)
{
	static const double SG_ALIGN(64) lanes[SG_LANES] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	Features features = { .kind = d8_Sub(d8_Set((double)triangles), d8_Load(lanes)), .margin = d8_Set(margin) };
	Load(pairs, &features);
	Times left = { d8_Load(times->from), d8_Load(times->to) };
	for (int k = 0; k < 3; ++k)
	{
		const d8 base[2] = { features.base[0][k], features.base[1][k] };
		const d8 along[2] = { features.along[0][k], features.along[1][k] };
		const d8 across[2] = { features.across[0][k], features.across[1][k] };
		CutValues(&features, &left, base, along, across, d8_Add(features.error, features.margin));
	}
	uint32_t apart = d8_GreaterBits(left.from, left.to);
	if (apart != 0xff)
	{
		d8 normals[3][3];
		d8_Cross(features.along[0], features.across[0], normals[0]);
		d8_Cross(features.along[1], features.across[1], normals[1]);
		for (int k = 0; k < 3; ++k)
		{
			normals[2][k] = d8_Add(normals[0][k], normals[1][k]);
		}
		for (int i = 0; i < 3; ++i)
		{
			CutAlong(&features, &left, normals[i]);
		}
		apart = d8_GreaterBits(left.from, left.to);
	}
	d8_Store(times->from, left.from);
	d8_Store(times->to, left.to);
	return ~apart & 0xff;
}

const sgMovingKernels SG_FOR_ISA(sgMovingKernels) = {
	.enterBoxes = EnterBoxes,
	.enterFeatures = EnterFeatures,
};
