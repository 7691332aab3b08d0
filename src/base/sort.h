// src/base/sort.h: sorting in place, and heaps, in one way for all kinds of items. Included by whoever sorts, with
//
//   SORT_ITEM              what is sorted
//   SORT_IS_BEFORE(a, b)   whether one item comes before another
//
// defined before. Quicksort that recurses into the smaller part, and gives a part that splits badly too often to heap
// sort. sgSortByBits is for keys with few bits, and has its own memory.
#ifndef SG_SORT_H
#define SG_SORT_H

#include <stdint.h>
#include <string.h>

/// Sort by some bits of each key, at most eleven; equal ones keep their order.
static inline void sgSortByBits(const uint64_t* keys, uint64_t count, uint32_t shift, uint32_t bits, uint64_t* out)
{
	uint64_t starts[1 << 11];
	const uint64_t mask = (1u << bits) - 1;
	memset(starts, 0, (size_t)(mask + 1) * sizeof(starts[0]));
	for (uint64_t i = 0; i < count; ++i)
	{
		++starts[keys[i] >> shift & mask];
	}
	for (uint64_t i = 0, sum = 0; i <= mask; ++i)
	{
		const uint64_t these = starts[i];
		starts[i] = sum;
		sum += these;
	}
	for (uint64_t i = 0; i < count; ++i)
	{
		out[starts[keys[i] >> shift & mask]++] = keys[i];
	}
}

#endif

#ifdef SORT_ITEM

static inline void Swap(SORT_ITEM* a, SORT_ITEM* b)
{
	const SORT_ITEM item = *a;
	*a = *b;
	*b = item;
}

// Restore the heap, with the last item on top, after the one at `hole` has become another that is not after it.
static inline void SiftDown(SORT_ITEM* items, uint64_t count, uint64_t hole)
{
	const SORT_ITEM item = items[hole];
	for (uint64_t child; (child = 2 * hole + 1) < count; hole = child)
	{
		child += child + 1 < count && SORT_IS_BEFORE(items[child], items[child + 1]);
		if (!SORT_IS_BEFORE(item, items[child]))
		{
			break;
		}
		items[hole] = items[child];
	}
	items[hole] = item;
}

static inline void MakeHeap(SORT_ITEM* items, uint64_t count)
{
	for (uint64_t i = count / 2; i-- > 0;)
	{
		SiftDown(items, count, i);
	}
}

/// Add one more to a heap of `count`.
static inline void AddToHeap(SORT_ITEM* items, uint64_t count, SORT_ITEM item)
{
	uint64_t hole = count;
	for (; hole > 0 && SORT_IS_BEFORE(items[(hole - 1) / 2], item); hole = (hole - 1) / 2)
	{
		items[hole] = items[(hole - 1) / 2];
	}
	items[hole] = item;
}

/// Keep the first `capacity` of all items, of which this is number `number`: the buffer is a heap once it is full.
static inline void KeepFirst(SORT_ITEM* items, uint64_t capacity, uint64_t number, SORT_ITEM item)
{
	if (number < capacity)
	{
		items[number] = item;
		return;
	}
	if (number == capacity)
	{
		MakeHeap(items, capacity);
	}
	if (capacity > 0 && SORT_IS_BEFORE(item, items[0]))
	{
		items[0] = item;
		SiftDown(items, capacity, 0);
	}
}

static inline void HeapSort(SORT_ITEM* items, uint64_t count)
{
	MakeHeap(items, count);
	while (count > 1)
	{
		--count;
		Swap(items, items + count);
		SiftDown(items, count, 0);
	}
}

static inline void InsertionSort(SORT_ITEM* items, uint64_t count)
{
	for (uint64_t i = 1; i < count; ++i)
	{
		const SORT_ITEM item = items[i];
		uint64_t j = i;
		for (; j > 0 && SORT_IS_BEFORE(item, items[j - 1]); --j)
		{
			items[j] = items[j - 1];
		}
		items[j] = item;
	}
}

static inline SORT_ITEM Median(const SORT_ITEM* items, uint64_t count)
{
	const SORT_ITEM a = items[0], b = items[count / 2], c = items[count - 1];
	const SORT_ITEM low = SORT_IS_BEFORE(a, b) ? a : b, high = SORT_IS_BEFORE(a, b) ? b : a;
	return SORT_IS_BEFORE(c, low) ? low : (SORT_IS_BEFORE(high, c) ? high : c);
}

/// Parts that may split badly before heap sort takes over.
#define SORT_DEPTH 64

static inline void SortParts(SORT_ITEM* items, uint64_t count, int depth)
{
	while (count > 24)
	{
		if (depth-- == 0)
		{
			HeapSort(items, count);
			return;
		}
		const SORT_ITEM pivot = Median(items, count);
		uint64_t i = 0, j = count - 1;
		for (;;)
		{
			while (SORT_IS_BEFORE(items[i], pivot))
			{
				++i;
			}
			while (SORT_IS_BEFORE(pivot, items[j]))
			{
				--j;
			}
			if (i >= j)
			{
				break;
			}
			Swap(items + i++, items + j--);
		}
		const uint64_t left = i;
		if (left < count - left)
		{
			SortParts(items, left, depth);
			items += left;
			count -= left;
		}
		else
		{
			SortParts(items + left, count - left, depth);
			count = left;
		}
	}
	InsertionSort(items, count);
}

static inline void Sort(SORT_ITEM* items, uint64_t count)
{
	SortParts(items, count, SORT_DEPTH);
}

#endif
