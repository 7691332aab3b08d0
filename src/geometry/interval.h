// src/geometry/interval.h: one coordinate of eight nodes. For kernels, which are compiled per instruction set.
#ifndef SG_INTERVAL_H
#define SG_INTERVAL_H

#include "base/base.h"
#include "simd/lanes.h"

/// One coordinate per node.
typedef struct Interval
{
	f8 lower;
	f8 upper;
} Interval;

static inline Interval Widen(Interval interval, f8 error)
{
	return (Interval){ f8_Sub(interval.lower, error), f8_Add(interval.upper, error) };
}

static inline void StoreSome(f8 values, uint32_t mask, float* out)
{
	if (mask == 0xff)
	{
		f8_Store(out, values);
		return;
	}
	float lanes[SG_LANES] SG_ALIGN(32);
	f8_Store(lanes, values);
	for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		out[lane] = lanes[lane];
	}
}

// A NaN, which only overflow can make, becomes the limit: Min and Max return their second operand then. The limit is
// beyond every coordinate, turned or not.
static inline void StoreInterval(Interval interval, uint32_t mask, float* lower, float* upper)
{
	f8 limit = f8_Set(6.0f * SNUG_MAX_COORDINATE);
	StoreSome(f8_Max(interval.lower, f8_Sub(f8_Set(0.0f), limit)), mask, lower);
	StoreSome(f8_Min(interval.upper, limit), mask, upper);
}

#endif
