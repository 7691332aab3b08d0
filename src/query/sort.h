// src/query/sort.h: sorting in place, in one way for all kinds of results. Included by who sorts, with
//
//   SORT_ITEM        what is sorted
//   SORT_KEY(item)   by this number, from the least to the greatest
//
// defined before. Quicksort that recurses into the smaller part, and gives a part that splits badly too often to heap
// sort.

static void Swap(SORT_ITEM* a, SORT_ITEM* b)
{
	const SORT_ITEM item = *a;
	*a = *b;
	*b = item;
}

// Restore the heap (largest on top) after the item at `hole` became smaller.
static void SiftDown(SORT_ITEM* items, uint64_t count, uint64_t hole)
{
	const SORT_ITEM item = items[hole];
	for (uint64_t child; (child = 2 * hole + 1) < count; hole = child)
	{
		child += child + 1 < count && SORT_KEY(items[child]) < SORT_KEY(items[child + 1]);
		if (SORT_KEY(items[child]) <= SORT_KEY(item))
		{
			break;
		}
		items[hole] = items[child];
	}
	items[hole] = item;
}

static void MakeHeap(SORT_ITEM* items, uint64_t count)
{
	for (uint64_t i = count / 2; i-- > 0;)
	{
		SiftDown(items, count, i);
	}
}

static void HeapSort(SORT_ITEM* items, uint64_t count)
{
	MakeHeap(items, count);
	while (count > 1)
	{
		--count;
		Swap(items, items + count);
		SiftDown(items, count, 0);
	}
}

static void InsertionSort(SORT_ITEM* items, uint64_t count)
{
	for (uint64_t i = 1; i < count; ++i)
	{
		const SORT_ITEM item = items[i];
		uint64_t j = i;
		for (; j > 0 && SORT_KEY(items[j - 1]) > SORT_KEY(item); --j)
		{
			items[j] = items[j - 1];
		}
		items[j] = item;
	}
}

static uint64_t MedianKey(const SORT_ITEM* items, uint64_t count)
{
	uint64_t a = SORT_KEY(items[0]), b = SORT_KEY(items[count / 2]), c = SORT_KEY(items[count - 1]);
	uint64_t low = a < b ? a : b, high = a < b ? b : a;
	return c < low ? low : (c > high ? high : c);
}

/// Parts that may split badly before heap sort takes over.
#define SORT_DEPTH 64

static void Sort(SORT_ITEM* items, uint64_t count, int depth)
{
	while (count > 24)
	{
		if (depth-- == 0)
		{
			HeapSort(items, count);
			return;
		}
		uint64_t pivot = MedianKey(items, count);
		uint64_t i = 0, j = count - 1;
		for (;;)
		{
			while (SORT_KEY(items[i]) < pivot)
			{
				++i;
			}
			while (SORT_KEY(items[j]) > pivot)
			{
				--j;
			}
			if (i >= j)
			{
				break;
			}
			Swap(items + i++, items + j--);
		}
		uint64_t left = i;
		if (left < count - left)
		{
			Sort(items, left, depth);
			items += left;
			count -= left;
		}
		else
		{
			Sort(items + left, count - left, depth);
			count = left;
		}
	}
	InsertionSort(items, count);
}
