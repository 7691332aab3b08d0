// src/query/sink.c: see sink.h.
#include "query/sink.h"

static uint64_t Key(snugPair pair)
{
	return (uint64_t)pair.a << 32 | pair.b;
}

#define SORT_ITEM snugPair
#define SORT_IS_BEFORE(x, y) (Key(x) < Key(y))
#include "base/sort.h"

/// Fewer pairs than this are not worth counting.
#define FEW_PAIRS 64

/// Most buckets: counts are on the stack.
#define MAX_BUCKETS 1024

/// Which bucket a pair belongs to: buckets are consecutive ranges of triangles of A.
typedef struct Buckets
{
	uint32_t least; ///< triangle of A
	int shift;
	uint32_t count;
} Buckets;

static uint32_t BucketOf(const Buckets* buckets, snugPair pair)
{
	return (pair.a - buckets->least) >> buckets->shift;
}

// Buckets that are as many as a quarter of the pairs at most.
static Buckets MakeBuckets(const snugPair* pairs, uint64_t count)
{
	uint32_t least = UINT32_MAX, greatest = 0;
	for (uint64_t i = 0; i < count; ++i)
	{
		least = pairs[i].a < least ? pairs[i].a : least;
		greatest = pairs[i].a > greatest ? pairs[i].a : greatest;
	}
	const uint64_t most = count / 4 < MAX_BUCKETS ? count / 4 : MAX_BUCKETS;
	Buckets buckets = { .least = least };
	while ((greatest - least) >> buckets.shift >= most)
	{
		++buckets.shift;
	}
	buckets.count = ((greatest - least) >> buckets.shift) + 1;
	return buckets;
}

// Put every pair into its bucket, in place: each is carried to where it belongs, and what was there is carried on.
static void FillBuckets(snugPair* pairs, uint64_t count, const Buckets* buckets, uint64_t ends[MAX_BUCKETS])
{
	uint64_t nexts[MAX_BUCKETS] = { 0 }, end = 0;
	for (uint64_t i = 0; i < count; ++i)
	{
		++nexts[BucketOf(buckets, pairs[i])];
	}
	for (uint32_t k = 0; k < buckets->count; ++k)
	{
		const uint64_t size = nexts[k];
		nexts[k] = end;
		ends[k] = end += size;
	}
	for (uint32_t k = 0; k < buckets->count; ++k)
	{
		while (nexts[k] < ends[k])
		{
			snugPair pair = pairs[nexts[k]];
			for (uint32_t to = BucketOf(buckets, pair); to != k; to = BucketOf(buckets, pair))
			{
				Swap(&pair, pairs + nexts[to]++);
			}
			pairs[nexts[k]++] = pair;
		}
	}
}

// Pairs come in the order of the trees, and few triangles of A have many of them: after one pass over all, buckets are
// small, and Sort does the rest.
static void SortPairs(snugPair* pairs, uint64_t count)
{
	uint64_t ends[MAX_BUCKETS], first = 0;
	if (count < FEW_PAIRS)
	{
		Sort(pairs, count);
		return;
	}
	const Buckets buckets = MakeBuckets(pairs, count);
	FillBuckets(pairs, count, &buckets, ends);
	for (uint32_t k = 0; k < buckets.count; first = ends[k++])
	{
		Sort(pairs + first, ends[k] - first);
	}
}

static bool Call(const sgSink* sink, snugPair pair)
{
	sgFpEnv_Leave(sink->callersEnvironment);
	bool goOn = sink->callback(sink->user, pair);
	sgFpEnv_Enter();
	return goOn;
}

sgSink sgSink_Make(const snugQuery* query, sgFpEnv callersEnvironment)
{
	return (sgSink){
		.pairs = query->pairs,
		.capacity = query->capacity,
		.isUnsorted = query->unsorted,
		.callback = query->callback,
		.user = query->user,
		.callersEnvironment = callersEnvironment,
	};
}

bool sgSink_Add(sgSink* sink, snugPair pair)
{
	uint64_t capacity = sink->pairs != NULL ? sink->capacity : 0;
	if (sink->count < capacity || !sink->isUnsorted)
	{
		KeepFirst(sink->pairs, capacity, sink->count, pair);
	}
	++sink->count;
	return sink->callback == NULL || Call(sink, pair);
}

void sgSink_Finish(sgSink* sink)
{
	uint64_t capacity = sink->pairs != NULL && !sink->isUnsorted ? sink->capacity : 0;
	SortPairs(sink->pairs, sink->count < capacity ? sink->count : capacity);
}
