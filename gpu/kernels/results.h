// gpu/kernels/results.h: what touches, in the order of a scene: pairs of bodies by (a, b), triangles of each by theirs.
#ifndef SG_GPU_RESULTS_H
#define SG_GPU_RESULTS_H

#include "queue.h"
#include "sort.h"

// Candidates that touch, by bodies; or all that were asked about, as they came.
KERNEL(Touched)
{
	const sgWorld* w = &world;
	SHARED(Outbox, out);
	const uint32_t count = Queue_Count(&w->candidates);
	if (IsStopped(w))
	{
		return;
	}
	Outbox_Begin(w, out);
	EACH(n, (count + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			const uint32_t i = (uint32_t)n * SG_GPU_LANES + l;
			if (i < count && step.isListed != 0)
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

KERNEL(SortTouchedRuns)
{
	const sgWorld* w = &world;
	const uint32_t count = Queue_Count(&w->touched);
	(void)step;
	EACH(n, (count + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			Sort_Run(w->touched.items, w->touchedToo, (uint32_t)n * SG_GPU_LANES + l, 0, count);
		}
	}
}

KERNEL(SortTouched)
{
	const sgWorld* w = &world;
	const uint32_t count = Queue_Count(&w->touched);
	const bool isOdd = Sort_Pass(step.width) % 2 != 0;
	EACH(n, step.width < count ? (count + SG_GPU_LANES - 1) / SG_GPU_LANES : 0)
	{
		LANES(l)
		{
			Sort_Merge(isOdd ? w->touched.items : w->touchedToo, isOdd ? w->touchedToo : w->touched.items,
			    (uint32_t)n * SG_GPU_LANES + l, 0, count, step.width);
		}
	}
}

/// Candidates that touch, sorted.
static inline const sgItem* SortedTouched(const sgWorld* w, uint32_t count)
{
	return Sort_PassCount(count) % 2 == 0 ? w->touchedToo : w->touched.items;
}

// ---- Where the triangle pairs of each begin -------------------------------------------------------------------------

typedef struct SumScratch
{
	uint32_t sums[SG_GPU_LANES];
} SumScratch;

#define SUMMED (SG_GPU_CHUNK / SG_GPU_LANES)

// What a lane sums up of a chunk: SUMMED counts.
static inline uint32_t SumOf(const sgWorld* w, const sgItem* sorted, uint32_t first, uint32_t count, uint32_t* most)
{
	uint32_t sum = 0;
	for (uint32_t i = first; i < first + SUMMED && i < count; ++i)
	{
		const uint32_t one = w->pairCounts[sorted[i].pair];
		sum += one;
		*most = one > *most ? one : *most;
	}
	return sum;
}

KERNEL(SumCounts)
{
	const sgWorld* w = &world;
	SHARED(SumScratch, s);
	const uint32_t count = Queue_Count(&w->touched);
	const sgItem* sorted = SortedTouched(w, count);
	(void)step;
	EACH(n, (count + SG_GPU_CHUNK - 1) / SG_GPU_CHUNK)
	{
		LANES(l)
		{
			uint32_t most = 0;
			s->sums[l] = SumOf(w, sorted, (uint32_t)n * SG_GPU_CHUNK + l * SUMMED, count, &most);
			sgRaise(&w->counts->longest, most);
		}
		LANES(l)
		{
			if (l == 0)
			{
				uint32_t sum = 0;
				for (uint32_t i = 0; i < SG_GPU_LANES; ++i)
				{
					sum += s->sums[i];
				}
				w->chunks[n] = sum;
			}
		}
	}
}

// By one group.
KERNEL(SumChunks)
{
	const sgWorld* w = &world;
	const uint32_t count = Queue_Count(&w->touched), chunks = (count + SG_GPU_CHUNK - 1) / SG_GPU_CHUNK;
	if (GROUP(w) != 0)
	{
		return;
	}
	LANES(l)
	{
		uint32_t sum = 0;
		for (uint32_t i = 0; i < chunks && l == 0; ++i)
		{
			const uint32_t one = w->chunks[i];
			w->chunks[i] = sum;
			sum += one;
		}
		if (l == 0)
		{
			w->firsts[count] = sum;
			w->offsetColumn[count] = step.storesPairs != 0 ? sum : 0;
		}
	}
}

KERNEL(PlacePairs)
{
	const sgWorld* w = &world;
	SHARED(SumScratch, s);
	const uint32_t count = Queue_Count(&w->touched);
	const sgItem* sorted = SortedTouched(w, count);
	EACH(n, (count + SG_GPU_CHUNK - 1) / SG_GPU_CHUNK)
	{
		LANES(l)
		{
			uint32_t most = 0;
			s->sums[l] = SumOf(w, sorted, (uint32_t)n * SG_GPU_CHUNK + l * SUMMED, count, &most);
		}
		LANES(l)
		{
			uint32_t first = w->chunks[n];
			for (uint32_t i = 0; i < l; ++i)
			{
				first += s->sums[i];
			}
			const uint32_t start = (uint32_t)n * SG_GPU_CHUNK + l * SUMMED;
			for (uint32_t i = start; i < start + SUMMED && i < count; ++i)
			{
				const sgItem pair = sorted[i];
				const uint32_t own = w->pairCounts[pair.pair];
				const sgItem bodies = w->candidates.items[pair.pair];
				const uint64_t kept = step.storesPairs != 0 ? 1 : 0, touches = step.isListed != 0 && own != 0 ? 1 : 0;
				w->ranks[pair.pair] = i;
				w->firsts[i] = first;
				w->cursors[i] = 0;
				const uint64_t told = kept != 0 ? own : touches;
				w->pairs[i] = (snugScenePair){ bodies.a, bodies.b, kept * first, told };
				w->bodyColumn[i] = (snugPair){ bodies.a, bodies.b };
				w->offsetColumn[i] = kept * first;
				w->countColumn[i] = told;
				first += own;
			}
		}
	}
}

// ---- Triangle pairs -------------------------------------------------------------------------------------------------

/// Whether there was room for everything that was found; otherwise only how much counts.
static inline bool IsComplete(const sgWorld* w)
{
	return *w->found.count <= w->found.capacity && *w->touched.count <= w->touched.capacity && !IsStopped(w);
}

KERNEL(Scatter)
{
	const sgWorld* w = &world;
	const uint32_t count = IsComplete(w) ? *w->found.count : 0;
	(void)step;
	EACH(n, (count + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			const uint32_t i = (uint32_t)n * SG_GPU_LANES + l;
			if (i < count)
			{
				const sgItem found = w->found.items[i];
				const uint32_t rank = w->ranks[found.pair];
				const uint32_t place = w->firsts[rank] + ADD(w->cursors + rank, 1u);
				w->foundToo[place] = (sgItem){ rank, found.a, found.b };
			}
		}
	}
}

KERNEL(SortFoundRuns)
{
	const sgWorld* w = &world;
	const uint32_t count = IsComplete(w) ? *w->found.count : 0;
	(void)step;
	EACH(n, (count + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			const uint32_t i = (uint32_t)n * SG_GPU_LANES + l;
			if (i < count)
			{
				const uint32_t rank = w->foundToo[i].pair;
				Sort_Run(w->foundToo, w->found.items, i, w->firsts[rank], w->firsts[rank + 1]);
			}
		}
	}
}

KERNEL(SortFound)
{
	const sgWorld* w = &world;
	const uint32_t count = IsComplete(w) && step.width < w->counts->longest ? *w->found.count : 0;
	const bool isOdd = Sort_Pass(step.width) % 2 != 0;
	const sgItem* from = isOdd ? w->foundToo : w->found.items;
	sgItem* to = isOdd ? w->found.items : w->foundToo;
	EACH(n, (count + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			const uint32_t i = (uint32_t)n * SG_GPU_LANES + l;
			if (i < count)
			{
				const uint32_t rank = from[i].pair;
				Sort_Merge(from, to, i, w->firsts[rank], w->firsts[rank + 1], step.width);
			}
		}
	}
}

// step.width: zero, or segments of up to so many are sorted.
KERNEL(Export)
{
	const sgWorld* w = &world;
	const uint32_t count = IsComplete(w) ? *w->found.count : 0;
	const uint32_t longest = w->counts->longest < step.width ? w->counts->longest : step.width;
	const bool isToo = step.width == 0 || Sort_PassCount(longest) % 2 != 0;
	const sgItem* from = isToo ? w->foundToo : w->found.items;
	EACH(n, (count + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			const uint32_t i = (uint32_t)n * SG_GPU_LANES + l;
			if (i < count)
			{
				w->trianglePairs[i] = (snugPair){ from[i].a, from[i].b };
			}
		}
	}
}

#endif
