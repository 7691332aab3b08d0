// src/geometry/box_lanes.h: boxes in lanes, for kernels, which are compiled per instruction set.
#ifndef SG_BOX_LANES_H
#define SG_BOX_LANES_H

#include "geometry/box.h"
#include "simd/lanes.h"

/// Lanes of boxes, already in registers, that overlap one box.
SG_INLINE uint32_t sgLanes_OverlapOne(
    const f8 lower[3], const f8 upper[3], const float oneLower[3], const float oneUpper[3])
{
	m8 x = m8_And(f8_LessEqual(lower[0], f8_Set(oneUpper[0])), f8_LessEqual(f8_Set(oneLower[0]), upper[0]));
	m8 y = m8_And(f8_LessEqual(lower[1], f8_Set(oneUpper[1])), f8_LessEqual(f8_Set(oneLower[1]), upper[1]));
	m8 z = m8_And(f8_LessEqual(lower[2], f8_Set(oneUpper[2])), f8_LessEqual(f8_Set(oneLower[2]), upper[2]));
	return m8_Bits(m8_And(x, m8_And(y, z)));
}

/// The lanes whose bits are set.
SG_INLINE m8 sgLanes_OfMask(uint32_t mask)
{
	float SG_ALIGN(32) isIn[SG_LANES];
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		isIn[lane] = (float)(mask >> lane & 1);
	}
	return f8_Less(f8_Set(0.0f), f8_Load(isIn));
}

SG_INLINE void sgLanes_LoadBoxes(const sgBoxLanes* boxes, f8 lower[3], f8 upper[3])
{
	for (int axis = 0; axis < 3; ++axis)
	{
		lower[axis] = f8_Load(boxes->lower[axis]);
		upper[axis] = f8_Load(boxes->upper[axis]);
	}
}

#endif
