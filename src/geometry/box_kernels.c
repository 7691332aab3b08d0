// src/geometry/box_kernels.c: see box_kernels.h. Compiled once per instruction set.
#include "geometry/box_kernels.h"

#include "geometry/box_lanes.h"
#include "geometry/margins.h"

#include <math.h>

static bool AllWithin(const float* values, size_t count, float limit)
{
	// NaN fails every comparison, so counting successes catches it. Blocks keep the loop free of branches.
	size_t i = 0;
	while (i < count)
	{
		size_t end = count - i > 1024 ? i + 1024 : count;
		int outside = 0;
		for (; i < end; ++i)
		{
			outside |= !(fabsf(values[i]) <= limit);
		}
		if (outside)
		{
			return false;
		}
	}
	return true;
}

static void TranslateBoxes(const sgBoxLanes* boxes, const sgBoxMotion* motion, sgBoxLanes* moved)
{
	for (int i = 0; i < 3; ++i)
	{
		f8 t = f8_Set(motion->translation[i]), slack = f8_Set(motion->slack);
		f8_Store(moved->lower[i], f8_Sub(f8_Add(f8_Load(boxes->lower[i]), t), slack));
		f8_Store(moved->upper[i], f8_Add(f8_Add(f8_Load(boxes->upper[i]), t), slack));
	}
}

// An empty lane (lower +inf, upper -inf) becomes NaN, which overlaps nothing either.
static void MoveBoxes(const sgBoxLanes* boxes, const sgBoxMotion* motion, sgBoxLanes* moved)
{
	if (motion->kind != sgMotion_general)
	{
		TranslateBoxes(boxes, motion, moved);
		return;
	}
	f8 center[3], half[3];
	f8 one_half = f8_Set(0.5f);
	for (int k = 0; k < 3; ++k)
	{
		f8 lower = f8_Mul(f8_Load(boxes->lower[k]), one_half);
		f8 upper = f8_Mul(f8_Load(boxes->upper[k]), one_half);
		center[k] = f8_Add(upper, lower);
		half[k] = f8_Sub(upper, lower);
	}
	for (int i = 0; i < 3; ++i)
	{
		f8 c = f8_Set(motion->translation[i]);
		f8 h = f8_Set(motion->slack);
		for (int k = 0; k < 3; ++k)
		{
			c = f8_Add(c, f8_Mul(f8_Set(motion->rotation[i][k]), center[k]));
			h = f8_Add(h, f8_Mul(f8_Set(fabsf(motion->rotation[i][k])), half[k]));
		}
		h = f8_Add(h, f8_Mul(h, f8_Set((float)SG_MARGIN_LOOSE)));
		f8_Store(moved->lower[i], f8_Sub(c, h));
		f8_Store(moved->upper[i], f8_Add(c, h));
	}
}

static uint64_t OverlapBoxes(const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, uint32_t maskB)
{
	f8 lower[3], upper[3];
	sgLanes_LoadBoxes(b, lower, upper);
	uint64_t pairs = 0;
	for (uint32_t rest = maskA; rest != 0; rest &= rest - 1)
	{
		uint32_t i = sgLowestBit(rest);
		sgBox one = sgBoxLanes_Get(a, i);
		pairs |= (uint64_t)(sgLanes_OverlapOne(lower, upper, one.lower, one.upper) & maskB) << (8 * i);
	}
	return pairs;
}

static sgBox MergeBoxes(const sgBoxLanes* boxes, uint32_t mask)
{
	sgBox merged = sgBox_Empty();
	if (mask == 0xff)
	{
		for (int axis = 0; axis < 3; ++axis)
		{
			merged.lower[axis] = f8_ReduceMin(f8_Load(boxes->lower[axis]));
			merged.upper[axis] = f8_ReduceMax(f8_Load(boxes->upper[axis]));
		}
		return merged;
	}
	for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
	{
		sgBox one = sgBoxLanes_Get(boxes, sgLowestBit(rest));
		sgBox_AddBox(&merged, &one);
	}
	return merged;
}

static float LeastExtent(const sgBoxLanes* boxes, uint32_t mask)
{
	f8 most = f8_Set(0.0f);
	for (int axis = 0; axis < 3; ++axis)
	{
		most = f8_Max(most, f8_Sub(f8_Load(boxes->upper[axis]), f8_Load(boxes->lower[axis])));
	}
	return f8_ReduceMin(f8_Select(sgLanes_OfMask(mask), most, f8_Set(INFINITY)));
}

// One axis of boxes, moved outwards. The sum is off by half a unit in its last place at most, and 2^-23 of it is one or
// more; the last term is for zero.
static inline void Grow(f8* lower, f8* upper, f8 distance)
{
	f8 rounding = f8_Set((float)SG_MARGIN_GROWN), least = f8_Set(0x1p-149f);
	f8 low = f8_Sub(*lower, distance), high = f8_Add(*upper, distance);
	*lower = f8_Sub(low, f8_Add(f8_Mul(f8_Abs(low), rounding), least));
	*upper = f8_Add(high, f8_Add(f8_Mul(f8_Abs(high), rounding), least));
}

static void GrowBoxes(sgBoxLanes* boxes, uint32_t mask, const float distances[SG_LANES])
{
	m8 isIn = sgLanes_OfMask(mask);
	for (int axis = 0; axis < 3; ++axis)
	{
		f8 before[2] = { f8_Load(boxes->lower[axis]), f8_Load(boxes->upper[axis]) };
		f8 lower = before[0], upper = before[1];
		Grow(&lower, &upper, f8_Load(distances));
		f8_Store(boxes->lower[axis], f8_Select(isIn, lower, before[0]));
		f8_Store(boxes->upper[axis], f8_Select(isIn, upper, before[1]));
	}
}

static void CutBoxes(sgBoxLanes* boxes, uint32_t mask, const sgBoxLanes* others, const float distances[SG_LANES])
{
	m8 isIn = sgLanes_OfMask(mask);
	for (int axis = 0; axis < 3; ++axis)
	{
		f8 before[2] = { f8_Load(boxes->lower[axis]), f8_Load(boxes->upper[axis]) };
		f8 lower = f8_Load(others->lower[axis]), upper = f8_Load(others->upper[axis]);
		Grow(&lower, &upper, f8_Load(distances));
		f8_Store(boxes->lower[axis], f8_Select(isIn, f8_Max(lower, before[0]), before[0]));
		f8_Store(boxes->upper[axis], f8_Select(isIn, f8_Min(upper, before[1]), before[1]));
	}
}

const sgBoxKernels SG_FOR_ISA(sgBoxKernels) = {
	.allWithin = AllWithin,
	.moveBoxes = MoveBoxes,
	.overlapBoxes = OverlapBoxes,
	.mergeBoxes = MergeBoxes,
	.leastExtent = LeastExtent,
	.growBoxes = GrowBoxes,
	.cutBoxes = CutBoxes,
};
