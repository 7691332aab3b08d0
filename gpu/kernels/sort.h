// gpu/kernels/sort.h: sorting by (a, b), each item finding its place by itself.
//
// First in runs: an item's place is how many of its run are less. Then two runs become one, again and again: its place
// is where it is in its own run, and how many of the other are less. No two items of a segment are equal, so places are
// taken once. An item outside looks nowhere, so segments may have any length.
#ifndef SG_GPU_SORT_H
#define SG_GPU_SORT_H

#include "layout.h"

/// Lanes read a run together, so a long one costs less than the launches that shorter ones take.
#define SORT_RUN 256

static inline uint64_t KeyOf(const sgItem* item)
{
	return (uint64_t)item->a << 32 | item->b;
}

/// Which pass merges runs of this width: the first is 0.
static inline uint32_t Sort_Pass(uint32_t width)
{
	uint32_t pass = 0;
	for (; width > SORT_RUN; width /= 2)
	{
		++pass;
	}
	return pass;
}

/// How many passes segments of up to so many items take.
static inline uint32_t Sort_PassCount(uint32_t longest)
{
	uint32_t passes = 0;
	for (uint64_t width = SORT_RUN; width < longest; width *= 2)
	{
		++passes;
	}
	return passes;
}

/// Move an item of the segment [first, end) to where it belongs in its run.
static inline void Sort_Run(const sgItem* from, sgItem* to, uint32_t i, uint32_t first, uint32_t end)
{
	if (i >= end)
	{
		return;
	}
	const sgItem item = from[i];
	const uint64_t key = KeyOf(&item);
	const uint32_t run = first + (i - first) / SORT_RUN * SORT_RUN;
	uint32_t place = run;
	for (uint32_t k = run; k < run + SORT_RUN && k < end; ++k)
	{
		place += KeyOf(from + k) < key;
	}
	to[place] = item;
}

/// Move an item of sorted runs to where it belongs in the two that become one.
static inline void Sort_Merge(const sgItem* from, sgItem* to, uint32_t i, uint32_t first, uint32_t end, uint32_t width)
{
	if (i >= end)
	{
		return;
	}
	const sgItem item = from[i];
	const uint64_t key = KeyOf(&item), length = end - first, own = (i - first) / width, other = own ^ 1;
	uint64_t low = other * width < length ? other * width : length;
	uint64_t high = (other + 1) * width < length ? (other + 1) * width : length;
	const uint64_t start = low;
	while (low < high)
	{
		const uint64_t middle = (low + high) / 2;
		const bool isLess = KeyOf(from + first + middle) < key;
		low = isLess ? middle + 1 : low;
		high = isLess ? high : middle;
	}
	to[first + own / 2 * 2 * width + (i - first - own * width) + (low - start)] = item;
}

#endif
