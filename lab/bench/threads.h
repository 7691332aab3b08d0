// lab/bench/threads.h: a few threads that wait for work, to answer a query with (snugQuery.workers.run).
//
// Between two calls they look out for more for a moment before they sleep: the pieces of one query follow each other
// closely, and waking a thread takes longer than many queries.
#ifndef BENCH_THREADS_H
#define BENCH_THREADS_H

#include "snug/snug.h"

typedef struct benchThreads benchThreads;

/// @param count threads besides the one that calls
/// @return null if they cannot be started
benchThreads* benchThreads_Create(int count);

/// @param threads nullable
void benchThreads_Destroy(benchThreads* threads);

/// For snugQuery.workers.run, with the threads as its user. The caller works too.
snugParallelFcn benchThreads_Run;

#endif
