// src/query/sink.h: where found pairs go: a callback, and the caller's buffer, which keeps the smallest.
//
// While the buffer has room, pairs are appended; once it is full it becomes a heap with the largest pair on top, which
// a smaller one replaces. So the caller gets the same pairs whatever the order in which they are found, without memory.
#ifndef SG_SINK_H
#define SG_SINK_H

#include "base/fpenv.h"
#include "snug/snug.h"

typedef struct sgSink
{
	snugPair* pairs;
	uint64_t capacity;
	snugPairFcn* callback;
	void* user;
	sgFpEnv callersEnvironment; ///< for what the caller gave us to call
	uint64_t count;
} sgSink;

/// @return false if the callback wants no more
bool sgSink_Add(sgSink* sink, snugPair pair);

/// Sort what the buffer holds.
void sgSink_Finish(sgSink* sink);

#endif
