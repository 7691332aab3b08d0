// src/query/extra.c: see extra.h.
#include "query/extra.h"

#include "geometry/margins.h"

#include <math.h>

bool sgExtraTest_Make(sgExtraTest* test, snugVolume a, snugVolume b, const sgBoxMotion* motionBA)
{
	if (a != b || a == snug_volumeBox || (sgVolume_IsDop(a) && motionBA->kind == sgMotion_general))
	{
		return false;
	}
	*test = (sgExtraTest){ .volume = a, .slabCount = sgVolume_ExtraSlabs(a), .motion = *motionBA };
	for (uint32_t i = 0; sgVolume_IsDop(a) && motionBA->kind != sgMotion_none && i < test->slabCount; ++i)
	{
		const float* direction = sgVolume_Directions(a)[i];
		double shift = 0.0, reach = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			shift += (double)direction[k] * (double)motionBA->translation[k];
			reach += fabs((double)direction[k]);
		}
		test->shift[i] = (float)shift;
		// Each axis moves by its slack at most, and the shift is rounded once more.
		test->slack[i] =
		    sgRoundUp(SG_MARGIN_MOVED_SLAB * reach * (double)motionBA->slack + SG_MARGIN_SHIFT * fabs(shift));
	}
	return true;
}

// In double, where sums of two floats hardly round; what they do is covered by a part of the larger.
static bool OverlapSlab(const sgSlabLanes* a, uint32_t i, const sgSlabLanes* b, uint32_t j, double shift, double slack)
{
	double lower = (double)b->lower[j] + shift - slack, upper = (double)b->upper[j] + shift + slack;
	return (double)a->lower[i] <= upper + SG_MARGIN_SLAB_SUMS * fabs(upper) &&
	       (double)a->upper[i] >= lower - SG_MARGIN_SLAB_SUMS * fabs(lower);
}

static bool OverlapBall(const sgBallLanes* a, uint32_t i, const sgBallLanes* b, uint32_t j, const sgBoxMotion* motion)
{
	double sum = 0.0, slack = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double moved = (double)b->center[k][j];
		if (motion->kind != sgMotion_none)
		{
			moved = (double)motion->translation[k] + (motion->kind == sgMotion_translate ? moved : 0.0);
			for (int m = 0; motion->kind == sgMotion_general && m < 3; ++m)
			{
				double product = (double)motion->rotation[k][m] * (double)b->center[m][j];
				moved += product;
				slack += SG_MARGIN_ENTRIES * fabs(product); // the rotation's entries are rounded to float32
			}
		}
		double difference = moved - (double)a->center[k][i];
		sum += difference * difference;
	}
	// The slack is per axis, so sqrt(3) of it for a distance.
	double reach = (double)a->radius[i] + (double)b->radius[j] + slack + SG_MARGIN_MOVED_BALL * (double)motion->slack;
	return sqrt(sum) <= reach * (1.0 + SG_MARGIN_BALL_SUMS);
}

uint64_t sgOverlapExtra(const sgSlabLanes* a, const sgSlabLanes* b, const sgExtraTest* test, uint64_t pairs)
{
	uint64_t kept = pairs;
	for (uint64_t rest = pairs; rest != 0; rest &= rest - 1)
	{
		uint32_t bit = sgLowestBit(rest), i = bit / SG_LANES, j = bit % SG_LANES;
		bool overlaps = true;
		if (sgVolume_IsBall(test->volume))
		{
			overlaps = OverlapBall(
			    (const sgBallLanes*)(const void*)a, i, (const sgBallLanes*)(const void*)b, j, &test->motion);
		}
		for (uint32_t s = 0; !sgVolume_IsBall(test->volume) && overlaps && s < test->slabCount; ++s)
		{
			overlaps = OverlapSlab(a + s, i, b + s, j, (double)test->shift[s], (double)test->slack[s]);
		}
		kept &= overlaps ? kept : ~((uint64_t)1 << bit);
	}
	return kept;
}
