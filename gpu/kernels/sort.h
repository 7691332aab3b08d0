// gpu/kernels/sort.h: sorting by (a, b): all items, or each segment of them.
//
// First in runs, wherever segments begin: a group sorts a run in memory of its own. Then four runs of a segment become
// one, again and again: an item's place is where it is in its own, and how many of the others are less. No two items of
// a segment are equal, so places are taken once. An item outside looks nowhere, so segments may have any length.
#ifndef SG_GPU_SORT_H
#define SG_GPU_SORT_H

#include "layout.h"

// Powers of two, since it takes a GPU long to divide.
#define SORT_RUN_BITS 8
#define SORT_RUN (1u << SORT_RUN_BITS)

/// Runs that become one.
#define SORT_WAYS_BITS 2
#define SORT_WAYS (1u << SORT_WAYS_BITS)

typedef struct SortScratch
{
	sgItem items[SORT_RUN];
} SortScratch;

static inline uint64_t KeyOf(const sgItem* item)
{
	return (uint64_t)item->a << 32 | item->b;
}

/// @param isSegmented items of a segment have a number in `pair`, in ascending order
static inline bool IsLess(const sgItem* one, const sgItem* other, bool isSegmented)
{
	return isSegmented && one->pair != other->pair ? one->pair < other->pair : KeyOf(one) < KeyOf(other);
}

/// Exchanges of a lane at a time: none waits for another.
#define SORT_EXCHANGES (SORT_RUN / 2 / SG_GPU_LANES)

// What a lane does of a step of the network. The first step of a width goes from both ends to the middle.
static inline void Sort_Exchange(
    SortScratch* s, uint32_t count, uint32_t step, bool isFirst, bool isSegmented, uint32_t l)
{
	sgItem ones[SORT_EXCHANGES], others[SORT_EXCHANGES];
	uint32_t places[SORT_EXCHANGES][2];
	for (uint32_t k = 0; k < SORT_EXCHANGES; ++k)
	{
		const uint32_t t = k * SG_GPU_LANES + l, i = t + (t & ~(step - 1));
		places[k][0] = i;
		places[k][1] = isFirst ? i ^ (2 * step - 1) : i + step;
		ones[k] = s->items[i];
		others[k] = s->items[places[k][1]];
	}
	for (uint32_t k = 0; k < SORT_EXCHANGES; ++k)
	{
		if (places[k][1] < count && IsLess(others + k, ones + k, isSegmented))
		{
			s->items[places[k][0]] = others[k];
			s->items[places[k][1]] = ones[k];
		}
	}
}

/// Sort up to SORT_RUN items: Batcher's bitonic network, turned so that all exchanges go the same way. Then what is
/// beyond the end never moves, and needs no place.
static inline void Sort_Run(const sgWorld* w, const sgItem* from, uint32_t count, bool isSegmented, SortScratch* s)
{
	LANES(l)
	{
		for (uint32_t i = l; i < SORT_RUN; i += SG_GPU_LANES)
		{
			s->items[i] = i < count ? from[i] : (sgItem){ 0, 0, 0 }; // which is never looked at
		}
	}
	for (uint32_t width = 2; width / 2 < count; width *= 2)
	{
		for (uint32_t step = width / 2; step > 0; step /= 2)
		{
			LANES(l)
			{
				Sort_Exchange(s, count, step, step == width / 2, isSegmented, l);
			}
		}
	}
}

/// How far a segment reaches, from where the run begins in which its first item is.
static inline uint32_t Sort_Span(uint32_t first, uint32_t end)
{
	return end - first / SORT_RUN * SORT_RUN;
}

/// How often runs become one until such a segment is.
static inline uint32_t Sort_Merges(uint32_t span)
{
	uint32_t merges = 0;
	for (uint64_t width = SORT_RUN; width < span; width *= SORT_WAYS)
	{
		++merges;
	}
	return merges;
}

/// Where an item belongs when some runs of the segment [first, end) become one. All runs are looked through at once,
/// since what is waited for is memory.
static inline uint32_t Sort_Merge(const sgItem* from, uint32_t i, uint32_t first, uint32_t end, uint32_t merge)
{
	const uint64_t key = KeyOf(from + i), base = first / SORT_RUN * SORT_RUN;
	const uint32_t bits = SORT_RUN_BITS + merge * SORT_WAYS_BITS;
	const uint64_t own = (i - base) >> bits, run = own & ~(uint64_t)(SORT_WAYS - 1);
	uint32_t starts[SORT_WAYS + 1], less[SORT_WAYS], place = 0;
	for (uint32_t k = 0; k <= SORT_WAYS; ++k)
	{
		const uint64_t start = base + ((run + k) << bits);
		starts[k] = start < first ? first : start < end ? (uint32_t)start : end;
	}
	uint32_t most = 0;
	for (uint32_t k = 0; k < SORT_WAYS; ++k)
	{
		const bool isOwn = run + k == own;
		less[k] = isOwn ? i - starts[k] : 0;
		most = !isOwn && starts[k + 1] - starts[k] > most ? starts[k + 1] - starts[k] : most;
	}
	uint64_t step = (uint64_t)1 << bits;
	for (; step > most; step /= 2)
	{
	}
	for (; step > 0; step /= 2)
	{
		for (uint32_t k = 0; k < SORT_WAYS; ++k)
		{
			const uint64_t next = starts[k] + less[k] + step;
			if (run + k != own && next <= starts[k + 1] && KeyOf(from + next - 1) < key)
			{
				less[k] += (uint32_t)step;
			}
		}
	}
	for (uint32_t k = 0; k < SORT_WAYS; ++k)
	{
		place += less[k];
	}
	return starts[0] + place;
}

#endif
