// src/query/sink.h: where found pairs go: a callback, and the caller's buffer, which keeps the smallest.
//
// While the buffer has room, pairs are appended; once it is full it becomes a heap with the largest pair on top, which
// a smaller one replaces. So the caller gets the same pairs whatever the order in which they are found, without memory.
// A caller who does not care gets the first ones.
#ifndef SG_SINK_H
#define SG_SINK_H

#include "base/fpenv.h"
#include "snug/snug.h"

typedef struct sgSink
{
	snugPair* pairs;
	uint64_t capacity;
	bool isUnsorted;
	snugPairFcn* callback;
	void* user;
	sgFpEnv callersEnvironment; ///< for what the caller gave us to call
	uint64_t count;
} sgSink;

/// Where a query wants its pairs.
sgSink sgSink_Make(const snugQuery* query, sgFpEnv callersEnvironment);

/// @return false if the callback wants no more
bool sgSink_Add(sgSink* sink, snugPair pair);

/// Sort what the buffer holds, unless it may be unsorted.
void sgSink_Finish(sgSink* sink);

#endif
