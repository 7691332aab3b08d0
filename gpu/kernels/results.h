// gpu/kernels/results.h: what touches, in the order of a scene: pairs of bodies by (a, b), triangles of each by theirs.
#ifndef SG_GPU_RESULTS_H
#define SG_GPU_RESULTS_H

#include "queue.h"
#include "sort.h"

// Candidates that touch, by bodies; or all that were asked about, as they came.
static inline void FindTouched(const sgWorld* w, const sgStep* step, Outbox* out)
{
	const uint32_t count = Queue_Count(&w->candidates);
	Outbox_Begin(w, out);
	EACH_OF_STEP(n, (count + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			const uint32_t i = (uint32_t)n * SG_GPU_LANES + l;
			if (i % SG_GPU_CHUNK == 0 && i < w->touched.capacity)
			{
				w->chunks[i / SG_GPU_CHUNK] = 0;
			}
			if (i < count && step->isListed != 0)
			{
				Outbox_Add(w, out, &w->touched, (sgItem){ i, 0, i });
			}
			else if (i < count && w->pairCounts[i] != 0)
			{
				Outbox_Add(w, out, &w->touched, (sgItem){ i, w->candidates.items[i].a, w->candidates.items[i].b });
			}
		}
		Outbox_Flush(w, out, &w->touched, OUTBOX_ITEMS - SG_GPU_LANES);
	}
	Outbox_Flush(w, out, &w->touched, 0);
}

// Something is where it belongs so far. Of each chunk of pairs of bodies the triangle pairs are summed in the end.
static inline void PutSorted(const sgWorld* w, sgItem* to, uint32_t place, sgItem item, bool isSummed)
{
	to[place] = item;
	if (isSummed)
	{
		ADD(w->chunks + place / SG_GPU_CHUNK, w->pairCounts[item.pair]);
	}
}

static inline void SortRuns(
    const sgWorld* w, const sgItem* from, sgItem* to, uint32_t count, bool isSegmented, bool isSummed, SortScratch* s)
{
	EACH_OF_STEP(n, (count + SORT_RUN - 1) / SORT_RUN)
	{
		const uint32_t first = (uint32_t)n * SORT_RUN, some = count - first < SORT_RUN ? count - first : SORT_RUN;
		Sort_Run(w, from + first, some, isSegmented, s);
		LANES(l)
		{
			for (uint32_t i = l; i < some; i += SG_GPU_LANES)
			{
				PutSorted(w, to, first + i, s->items[i], isSummed);
			}
		}
	}
}

static inline void MergeTouched(const sgWorld* w, uint32_t count, uint32_t merge, bool isLast)
{
	const sgItem* from = merge % 2 == 0 ? w->touchedToo : w->touched.items;
	sgItem* to = merge % 2 == 0 ? w->touched.items : w->touchedToo;
	EACH_OF_STEP(n, (count + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			const uint32_t i = (uint32_t)n * SG_GPU_LANES + l;
			if (i < count)
			{
				PutSorted(w, to, Sort_Merge(from, i, 0, count, merge), from[i], isLast);
			}
		}
	}
}

// ---- Where the triangle pairs of each begin -------------------------------------------------------------------------

typedef struct SumScratch
{
	uint32_t sums[SG_GPU_LANES];
} SumScratch;

/// What lanes before have.
static inline uint32_t SumBefore(const SumScratch* s, uint32_t l)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i < l; ++i)
	{
		sum += s->sums[i];
	}
	return sum;
}

static inline void PlaceEnd(const sgWorld* w, const sgStep* step, uint32_t count, uint32_t end)
{
	w->firsts[count] = end;
	w->offsetColumn[count] = step->storesPairs != 0 ? end : 0;
}

static inline void PlacePair(const sgWorld* w, const sgStep* step, const sgItem* sorted, uint32_t i, uint32_t first)
{
	const sgItem pair = sorted[i];
	const uint32_t own = w->pairCounts[pair.pair];
	const sgItem bodies = w->candidates.items[pair.pair];
	const uint64_t kept = step->storesPairs != 0 ? 1 : 0, touches = step->isListed != 0 && own != 0 ? 1 : 0;
	const uint64_t told = kept != 0 ? own : touches;
	w->ranks[pair.pair] = i;
	w->firsts[i] = first;
	w->cursors[i] = 0;
	w->pairs[i] = (snugScenePair){ bodies.a, bodies.b, kept * first, told };
	w->bodyColumn[i] = (snugPair){ bodies.a, bodies.b };
	w->offsetColumn[i] = kept * first;
	w->countColumn[i] = told;
	sgRaise(&w->counts->longest, Sort_Span(first, first + own));
}

// Behind the last pair is the end.
static inline void PlacePairs(const sgWorld* w, const sgStep* step, const sgItem* sorted, uint32_t count, SumScratch* s)
{
	EACH_OF_STEP(n, count / SG_GPU_CHUNK + 1)
	{
		LANES(l)
		{
			uint32_t sum = 0;
			for (uint32_t i = l; i < n; i += SG_GPU_LANES)
			{
				sum += w->chunks[i];
			}
			s->sums[l] = sum;
		}
		uint32_t before = SumBefore(s, SG_GPU_LANES);
		for (uint32_t i = 0; i < SG_GPU_CHUNK; i += SG_GPU_LANES)
		{
			const uint32_t start = (uint32_t)n * SG_GPU_CHUNK + i;
			LANES(l)
			{
				s->sums[l] = start + l < count ? w->pairCounts[sorted[start + l].pair] : 0;
			}
			LANES(l)
			{
				const uint32_t first = before + SumBefore(s, l);
				if (start + l < count)
				{
					PlacePair(w, step, sorted, start + l, first);
				}
				else if (start + l == count)
				{
					PlaceEnd(w, step, count, first);
				}
			}
			before += SumBefore(s, SG_GPU_LANES);
		}
	}
}

// ---- Triangle pairs -------------------------------------------------------------------------------------------------

/// Whether there was room for everything that was found; otherwise only how much counts.
static inline bool IsComplete(const sgWorld* w)
{
	return *w->found.count <= w->found.capacity && *w->touched.count <= w->touched.capacity;
}

static inline void Scatter(const sgWorld* w, const sgStep* step)
{
	const uint32_t count = *w->found.count;
	EACH_OF_STEP(n, (count + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			const uint32_t i = (uint32_t)n * SG_GPU_LANES + l;
			if (i < count)
			{
				const sgItem found = w->found.items[i];
				const uint32_t rank = w->ranks[found.pair];
				const uint32_t place = w->firsts[rank] + ADD(w->cursors + rank, 1u);
				if (step->isUnsorted != 0)
				{
					w->trianglePairs[place] = (snugPair){ found.a, found.b };
				}
				else
				{
					w->foundToo[place] = (sgItem){ rank, found.a, found.b };
				}
			}
		}
	}
}

// What is sorted at last is the result.
static inline void MergeFound(const sgWorld* w, uint32_t merge, bool isLast)
{
	const uint32_t count = *w->found.count;
	const sgItem* from = merge % 2 == 0 ? w->found.items : w->foundToo;
	sgItem* to = merge % 2 == 0 ? w->foundToo : w->found.items;
	EACH_OF_STEP(n, (count + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			const uint32_t i = (uint32_t)n * SG_GPU_LANES + l;
			if (i < count)
			{
				const sgItem item = from[i];
				const uint32_t place = Sort_Merge(from, i, w->firsts[item.pair], w->firsts[item.pair + 1], merge);
				if (isLast)
				{
					w->trianglePairs[place] = (snugPair){ item.a, item.b };
				}
				else
				{
					to[place] = item;
				}
			}
		}
	}
}

typedef union CollectScratch
{
	Outbox out;
	SortScratch sort;
	SumScratch sums;
} CollectScratch;

/// For how many groups there is something to do.
static inline uint64_t CollectTasks(const sgWorld* w)
{
	const uint32_t candidates = Queue_Count(&w->candidates), found = Queue_Count(&w->found);
	return (candidates > found ? candidates : found) / (2 * SG_GPU_LANES) + 1;
}

KERNEL_IN_STEPS(Collect, CollectTasks(w))
{
	SHARED(CollectScratch, s);
	if (IsStopped(w))
	{
		return false;
	}
	if (number == 0)
	{
		FindTouched(w, step, &s->out);
		return true;
	}
	const uint32_t count = Queue_Count(&w->touched), merges = Sort_Merges(count);
	const uint32_t place = merges + 2, sort = place + 2; // the steps that place pairs and sort what was found
	if (number == 1 || number == sort)
	{
		const bool isFound = number == sort;
		SortRuns(w, isFound ? w->foundToo : w->touched.items, isFound ? w->found.items : w->touchedToo,
		    isFound ? *w->found.count : count, isFound, !isFound && merges == 0, &s->sort);
		return true;
	}
	if (number < place)
	{
		MergeTouched(w, count, number - 2, number == place - 1);
		return true;
	}
	if (number == place)
	{
		PlacePairs(w, step, merges % 2 == 0 ? w->touchedToo : w->touched.items, count, &s->sums);
		return step->storesPairs != 0 && IsComplete(w);
	}
	if (number < sort)
	{
		Scatter(w, step);
		return step->isUnsorted == 0;
	}
	// At least one merge, which writes results.
	const uint32_t needed = Sort_Merges(w->counts->longest), last = needed > 1 ? needed : 1;
	MergeFound(w, number - sort - 1, number - sort == last);
	return number - sort < last;
}

#endif
