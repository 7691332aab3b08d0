// test/support/workers.c: see workers.h.
#include "workers.h"

#include <pthread.h>
#include <stdatomic.h>

/// Work that threads take piece by piece.
typedef struct Work
{
	snugTaskFcn* task;
	void* context;
	uint32_t count;
	atomic_uint next;
} Work;

static void* DoWork(void* argument)
{
	Work* work = argument;
	for (uint32_t i; (i = atomic_fetch_add(&work->next, 1)) < work->count;)
	{
		work->task(work->context, i);
	}
	return NULL;
}

void RunOnThreads(void* user, uint32_t count, snugTaskFcn* task, void* context)
{
	int threadCount = user != NULL ? *(const int*)user : 3;
	Work work = { .task = task, .context = context, .count = count };
	pthread_t others[MAX_WORKERS];
	assert_in_range(threadCount, 1, MAX_WORKERS);
	for (int i = 0; i < threadCount - 1; ++i)
	{
		assert_int_equal(pthread_create(&others[i], NULL, DoWork, &work), 0);
	}
	DoWork(&work);
	for (int i = 0; i < threadCount - 1; ++i)
	{
		assert_int_equal(pthread_join(others[i], NULL), 0);
	}
}
