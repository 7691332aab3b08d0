// test/support/moving_pair.h: features that move, from their corners.
#pragma once

#include "geometry/moving_kernels.h"

// [corner][start, end][axis]: a vertex, then a triangle; or both ends of an edge, then of another.
static inline sgMovingPair MovingPair_Make(const double corners[4][2][3], bool isTriangle)
{
	sgMovingPair pair = { .isTriangle = isTriangle };
	for (int s = 0; s < 2; ++s)
	{
		for (int k = 0; k < 3; ++k)
		{
			const double x = corners[0][s][k], y = corners[1][s][k], z = corners[2][s][k], w = corners[3][s][k];
			pair.base[s][k] = isTriangle ? x - y : x - z;
			pair.along[s][k] = isTriangle ? y - z : y - x;
			pair.across[s][k] = isTriangle ? y - w : z - w;
		}
	}
	return pair;
}

static inline void MovingLanes_Set(sgMovingLanes* lanes, int lane, const sgMovingPair* pair)
{
	for (int i = 0; i < 6; ++i)
	{
		lanes->base[i / 3][i % 3][lane] = pair->base[i / 3][i % 3];
		lanes->along[i / 3][i % 3][lane] = pair->along[i / 3][i % 3];
		lanes->across[i / 3][i % 3][lane] = pair->across[i / 3][i % 3];
	}
}
