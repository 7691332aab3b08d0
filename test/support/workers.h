// test/support/workers.h: threads for queries that take several (snugParallelFcn).
#ifndef TEST_WORKERS_H
#define TEST_WORKERS_H

#include "support.h"

#define MAX_WORKERS 8

/// Threads take tasks one by one, the calling thread among them.
/// @param user const int*, how many threads, 1 to MAX_WORKERS; null: 3
void RunOnThreads(void* user, uint32_t count, snugTaskFcn* task, void* context);

#endif
