// src/geometry/prism_support.h: support functions of prisms, for kernels, which are compiled per instruction set.
#ifndef SG_PRISM_SUPPORT_H
#define SG_PRISM_SUPPORT_H

#include "geometry/prism.h"
#include "simd/lanes.h"

// Support of the rest volume in the direction of a row `linear`: the box and the prism, whichever is tighter.
// The least and the greatest value of linear . (p - center).
static inline void sgPrismSupport(const f8 linear[3], const sgPrismLanes* prism, const f8 half[3], f8 out[2])
{
	f8 zero = f8_Set(0.0f), box = zero, middle = zero, along[3] = { zero, zero, zero };
	for (int k = 0; k < 3; ++k)
	{
		box = f8_MulAddLoose(f8_Abs(linear[k]), half[k], box);
		middle = f8_MulAddLoose(linear[k], f8_Load(prism->offset[k].lane), middle);
		for (int axis = 0; axis < 3; ++axis)
		{
			along[axis] = f8_MulAddLoose(linear[k], f8_Load(prism->axes[axis][k].lane), along[axis]);
		}
	}
	f8 a = f8_Abs(along[0]), b = f8_Abs(along[1]);
	f8 less = f8_Min(a, b), rest = f8_Add(f8_Abs(f8_Sub(a, b)), f8_Abs(along[2]));
	m8 aIsNegative = f8_Less(along[0], zero), bIsNegative = f8_Less(along[1], zero);
	f8 pp = f8_Load(prism->corner[0].lane), pm = f8_Load(prism->corner[1].lane);
	f8 mp = f8_Load(prism->corner[2].lane), mm = f8_Load(prism->corner[3].lane);
	f8 ahead = f8_Select(aIsNegative, f8_Select(bIsNegative, mm, mp), f8_Select(bIsNegative, pm, pp));
	f8 behind = f8_Select(aIsNegative, f8_Select(bIsNegative, pp, pm), f8_Select(bIsNegative, mp, mm));
	f8 upper = f8_Add(middle, f8_MulAddLoose(less, ahead, rest));
	f8 lower = f8_Sub(middle, f8_MulAddLoose(less, behind, rest));
	out[0] = f8_Max(lower, f8_Sub(zero, box));
	out[1] = f8_Min(upper, box);
}

#endif
