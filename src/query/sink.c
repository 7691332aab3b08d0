// src/query/sink.c: see sink.h.
#include "query/sink.h"

static uint64_t Key(snugPair pair)
{
	return (uint64_t)pair.a << 32 | pair.b;
}

static void Swap(snugPair* a, snugPair* b)
{
	snugPair pair = *a;
	*a = *b;
	*b = pair;
}

// Restore the heap (largest on top) after the pair at `hole` became smaller.
static void SiftDown(snugPair* pairs, uint64_t count, uint64_t hole)
{
	snugPair pair = pairs[hole];
	for (;;)
	{
		uint64_t child = 2 * hole + 1;
		if (child >= count)
		{
			break;
		}
		if (child + 1 < count && Key(pairs[child]) < Key(pairs[child + 1]))
		{
			++child;
		}
		if (Key(pairs[child]) <= Key(pair))
		{
			break;
		}
		pairs[hole] = pairs[child];
		hole = child;
	}
	pairs[hole] = pair;
}

static void MakeHeap(snugPair* pairs, uint64_t count)
{
	for (uint64_t i = count / 2; i-- > 0;)
	{
		SiftDown(pairs, count, i);
	}
}

static void HeapSort(snugPair* pairs, uint64_t count)
{
	MakeHeap(pairs, count);
	while (count > 1)
	{
		--count;
		Swap(pairs, pairs + count);
		SiftDown(pairs, count, 0);
	}
}

static void InsertionSort(snugPair* pairs, uint64_t count)
{
	for (uint64_t i = 1; i < count; ++i)
	{
		snugPair pair = pairs[i];
		uint64_t j = i;
		for (; j > 0 && Key(pairs[j - 1]) > Key(pair); --j)
		{
			pairs[j] = pairs[j - 1];
		}
		pairs[j] = pair;
	}
}

static uint64_t MedianKey(const snugPair* pairs, uint64_t count)
{
	uint64_t a = Key(pairs[0]), b = Key(pairs[count / 2]), c = Key(pairs[count - 1]);
	uint64_t low = a < b ? a : b, high = a < b ? b : a;
	return c < low ? low : (c > high ? high : c);
}

// Quicksort that recurses into the smaller part, and gives a part that splits badly too often to heap sort.
static void Sort(snugPair* pairs, uint64_t count, int depth)
{
	while (count > 24)
	{
		if (depth-- == 0)
		{
			HeapSort(pairs, count);
			return;
		}
		uint64_t pivot = MedianKey(pairs, count);
		uint64_t i = 0, j = count - 1;
		for (;;)
		{
			while (Key(pairs[i]) < pivot)
			{
				++i;
			}
			while (Key(pairs[j]) > pivot)
			{
				--j;
			}
			if (i >= j)
			{
				break;
			}
			Swap(pairs + i++, pairs + j--);
		}
		uint64_t left = i;
		if (left < count - left)
		{
			Sort(pairs, left, depth);
			pairs += left;
			count -= left;
		}
		else
		{
			Sort(pairs + left, count - left, depth);
			count = left;
		}
	}
	InsertionSort(pairs, count);
}

static bool Call(const sgSink* sink, snugPair pair)
{
	sgFpEnv_Leave(sink->callersEnvironment);
	bool goOn = sink->callback(sink->user, pair);
	sgFpEnv_Enter();
	return goOn;
}

bool sgSink_Add(sgSink* sink, snugPair pair)
{
	uint64_t capacity = sink->pairs != NULL ? sink->capacity : 0;
	if (sink->count < capacity)
	{
		sink->pairs[sink->count] = pair;
	}
	else if (capacity > 0 && !sink->isUnsorted)
	{
		if (sink->count == capacity)
		{
			MakeHeap(sink->pairs, capacity);
		}
		if (Key(pair) < Key(sink->pairs[0]))
		{
			sink->pairs[0] = pair;
			SiftDown(sink->pairs, capacity, 0);
		}
	}
	++sink->count;
	return sink->callback == NULL || Call(sink, pair);
}

void sgSink_Finish(sgSink* sink)
{
	uint64_t capacity = sink->pairs != NULL && !sink->isUnsorted ? sink->capacity : 0;
	Sort(sink->pairs, sink->count < capacity ? sink->count : capacity, 64);
}
