// src/tree/probe_kernels.c: see probe_kernels.h. Compiled once per instruction set.
#include "tree/probe_kernels.h"

#include "geometry/box_lanes.h"
#include "geometry/margins.h"

#include <float.h>
#include <math.h>

// Between two parallel faces the segment has an interval of t, and what is common to the three axes and to [0, limit]
// is what the box has of it. Differences are covered by the slack; reciprocal and product are off by 2^-24 of
// themselves each, which the last lines make up for. A face at infinity may give NaN, and that changes nothing: see
// f8_Min.
static uint32_t ClipBoxes(const sgBoxLanes* boxes, const sgProbe* probe, float limit, float keys[SG_LANES])
{
	f8 entry = f8_Set(0.0f), exit = f8_Set(limit), slack = f8_Set(probe->slack);
	uint32_t outside = 0;
	for (int k = 0; k < 3; ++k)
	{
		f8 lower = f8_Load(boxes->lower[k]), upper = f8_Load(boxes->upper[k]);
		if (probe->isParallel[k])
		{
			outside |= m8_Bits(m8_Or(f8_Less(f8_Set(probe->upper[k]), f8_Sub(lower, slack)),
			    f8_Less(f8_Add(upper, slack), f8_Set(probe->lower[k]))));
			continue;
		}
		f8 from = f8_Set(probe->from[k]), inverse = f8_Set(probe->inverse[k]);
		f8 atLower = f8_Mul(f8_Sub(f8_Sub(lower, from), slack), inverse);
		f8 atUpper = f8_Mul(f8_Add(f8_Sub(upper, from), slack), inverse);
		bool isForward = probe->inverse[k] > 0.0f;
		entry = f8_Max(isForward ? atLower : atUpper, entry);
		exit = f8_Min(isForward ? atUpper : atLower, exit);
	}
	entry = f8_Mul(entry, f8_Set(1.0f - SG_MARGIN_CLIPPED));
	exit = f8_Mul(exit, f8_Set(1.0f + SG_MARGIN_CLIPPED));
	f8_Store(keys, entry);
	return m8_Bits(f8_LessEqual(entry, exit)) & ~outside;
}

// Differences, squares and sums each round once, by 2^-24 of themselves; SG_MARGIN_GAP makes up for them, and the last
// term for squares below the normal range. Squares that overflow are cut to the largest number there is, and NaN, of
// boxes without end, is no distance at all.
static inline f8 Gap(const f8 beyond[3])
{
	f8 sum = f8_Set(0.0f);
	for (int k = 0; k < 3; ++k)
	{
		f8 gap = f8_Max(beyond[k], f8_Set(0.0f));
		sum = f8_Add(sum, f8_Mul(gap, gap));
	}
	sum = f8_Sub(f8_Mul(sum, f8_Set(1.0f - SG_MARGIN_GAP)), f8_Set(0x1p-146f));
	return f8_Min(sum, f8_Set(FLT_MAX));
}

static uint64_t NearBoxes(
    const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, float limit, float gaps[SG_LANES * SG_LANES])
{
	f8 lower[3], upper[3], beyond[3];
	uint64_t pairs = 0;
	sgLanes_LoadBoxes(b, lower, upper);
	for (uint32_t rest = maskA; rest != 0; rest &= rest - 1)
	{
		uint32_t i = sgLowestBit(rest);
		for (int k = 0; k < 3; ++k)
		{
			beyond[k] = f8_Max(f8_Sub(lower[k], f8_Set(a->upper[k][i])), f8_Sub(f8_Set(a->lower[k][i]), upper[k]));
		}
		const f8 gap = Gap(beyond);
		f8_Store(gaps + SG_LANES * i, gap);
		pairs |= (uint64_t)m8_Bits(f8_LessEqual(gap, f8_Set(limit))) << (SG_LANES * i);
	}
	return pairs;
}

static void GapBoxes(const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, float gaps[SG_LANES * SG_LANES])
{
	NearBoxes(a, maskA, b, 0.0f, gaps);
}

// As Gap, with the margin for rounding at the end.
static uint64_t OverlapOrGap(const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, uint32_t maskB, float* least)
{
	const f8 zero = f8_Set(0.0f), infinite = f8_Set(INFINITY);
	f8 lower[3], upper[3], smallest = infinite;
	uint64_t pairs = 0;
	sgLanes_LoadBoxes(b, lower, upper);
	for (uint32_t rest = maskA; rest != 0; rest &= rest - 1)
	{
		const uint32_t i = sgLowestBit(rest);
		f8 sum = zero;
		m8 areApart = f8_Less(zero, zero);
		for (int k = 0; k < 3; ++k)
		{
			f8 beyond = f8_Max(f8_Sub(lower[k], f8_Set(a->upper[k][i])), f8_Sub(f8_Set(a->lower[k][i]), upper[k]));
			f8 gap = f8_Max(beyond, zero);
			areApart = m8_Or(areApart, f8_Less(zero, beyond));
			sum = f8_Add(sum, f8_Mul(gap, gap));
		}
		smallest = f8_Min(smallest, f8_Select(areApart, f8_Min(sum, f8_Set(FLT_MAX)), infinite));
		pairs |= (uint64_t)(~m8_Bits(areApart) & maskB) << (SG_LANES * i);
	}
	float SG_ALIGN(32) lanes[SG_LANES];
	f8_Store(lanes, smallest);
	float result = INFINITY;
	for (uint32_t rest = maskB; rest != 0; rest &= rest - 1)
	{
		const float lane = lanes[sgLowestBit(rest)];
		result = lane < result ? lane : result;
	}
	result = result * (1.0f - SG_MARGIN_GAP) - 0x1p-146f;
	*least = result > 0.0f ? result : 0.0f;
	return pairs;
}

static void GapPoint(const sgBoxLanes* boxes, const float point[3], float slack, float gaps[SG_LANES])
{
	f8 lower[3], upper[3], beyond[3];
	sgLanes_LoadBoxes(boxes, lower, upper);
	for (int k = 0; k < 3; ++k)
	{
		f8 at = f8_Set(point[k]);
		beyond[k] = f8_Sub(f8_Max(f8_Sub(lower[k], at), f8_Sub(at, upper[k])), f8_Set(slack));
	}
	f8_Store(gaps, Gap(beyond));
}

static inline f8 Dot(const f8 a[3], const f8 b[3])
{
	return f8_Add(f8_Add(f8_Mul(a[0], b[0]), f8_Mul(a[1], b[1])), f8_Mul(a[2], b[2]));
}

// Two triangles are as far apart as along any direction, here that between their centres, whose own rounding is of no
// account. Along it corners, relative to the first of a, are off by four roundings of 2^-24 of the sum of all terms'
// magnitudes, `most`, and so is their difference by ten, that of the subtraction included. The numbers added are for
// what is below the normal range, and for the roundings of squares; above 2^60 something might overflow, and nothing
// is told.
static uint32_t NearTriangles(const sgTriangleLanes* a, uint32_t i, const sgTriangleLanes* b, float limit)
{
	f8 direction[3], own[2][3], other[3][3], far[3], size[3];
	for (int k = 0; k < 3; ++k)
	{
		const float first = a->corner[0][k][i], second = a->corner[1][k][i], third = a->corner[2][k][i];
		const f8 x = f8_Load(b->corner[0][k]), y = f8_Load(b->corner[1][k]), z = f8_Load(b->corner[2][k]);
		const f8 origin = f8_Set(first);
		direction[k] = f8_Sub(f8_Add(f8_Add(x, y), z), f8_Set(first + second + third));
		own[0][k] = f8_Sub(f8_Set(second), origin);
		own[1][k] = f8_Sub(f8_Set(third), origin);
		other[0][k] = f8_Sub(x, origin);
		other[1][k] = f8_Sub(y, origin);
		other[2][k] = f8_Sub(z, origin);
		size[k] = f8_Max(f8_Abs(own[0][k]), f8_Abs(own[1][k]));
		for (int c = 0; c < 3; ++c)
		{
			size[k] = f8_Max(size[k], f8_Abs(other[c][k]));
		}
		far[k] = f8_Abs(direction[k]);
	}
	const f8 least = f8_Min(Dot(direction, other[0]), f8_Min(Dot(direction, other[1]), Dot(direction, other[2])));
	const f8 last = f8_Max(f8_Set(0.0f), f8_Max(Dot(direction, own[0]), Dot(direction, own[1])));
	const f8 most = Dot(far, size);
	const f8 error = f8_Add(f8_Mul(most, f8_Set((float)(SG_MARGIN_FAR * 0x1p-24))), f8_Set(0x1p-140f));
	const f8 gap = f8_Sub(f8_Sub(least, last), error);
	const f8 enough = f8_Mul(f8_Mul(Dot(direction, direction), f8_Set(limit)), f8_Set(1.0f + 0x1p-20f));
	m8 isFar = f8_Less(f8_Add(enough, f8_Set(0x1p-120f)), f8_Mul(gap, gap));
	isFar = m8_And(isFar, m8_And(f8_Less(f8_Set(0.0f), gap), f8_Less(most, f8_Set(0x1p60f))));
	return ~m8_Bits(isFar) & 0xff;
}

// direction . ((p - point) x (q - point)): on which side of the edge pq the line passes.
static inline f8 Turn(const f8 d[3], const f8 p[3], const f8 q[3])
{
	f8 x = f8_Sub(f8_Mul(p[1], q[2]), f8_Mul(p[2], q[1]));
	f8 y = f8_Sub(f8_Mul(p[2], q[0]), f8_Mul(p[0], q[2]));
	f8 z = f8_Sub(f8_Mul(p[0], q[1]), f8_Mul(p[1], q[0]));
	return f8_Add(f8_Add(f8_Mul(d[0], x), f8_Mul(d[1], y)), f8_Mul(d[2], z));
}

// A line that passes through a triangle passes all edges on the same side.
static uint32_t PassTriangles(const sgTriangleLanes* triangles, const sgProbeLine* line)
{
	f8 corners[3][3], direction[3];
	for (int axis = 0; axis < 3; ++axis)
	{
		f8 point = f8_Set(line->point[axis]);
		direction[axis] = f8_Set(line->direction[axis]);
		for (int c = 0; c < 3; ++c)
		{
			corners[c][axis] = f8_Sub(f8_Load(triangles->corner[c][axis]), point);
		}
	}
	f8 first = Turn(direction, corners[0], corners[1]), second = Turn(direction, corners[1], corners[2]);
	f8 third = Turn(direction, corners[2], corners[0]);
	f8 least = f8_Min(first, f8_Min(second, third)), most = f8_Max(first, f8_Max(second, third));
	m8 misses = m8_And(f8_Less(f8_Set(line->error), most), f8_Less(least, f8_Set(-line->error)));
	return triangles->mask & ~m8_Bits(misses);
}

const sgProbeKernels SG_FOR_ISA(sgProbeKernels) = {
	.clipBoxes = ClipBoxes,
	.gapBoxes = GapBoxes,
	.nearBoxes = NearBoxes,
	.overlapOrGap = OverlapOrGap,
	.gapPoint = GapPoint,
	.nearTriangles = NearTriangles,
	.passTriangles = PassTriangles,
};
