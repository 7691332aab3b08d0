// Threads for snugQuery.workers.run and snugSceneDef.workers.run. Yours will do as well: all that is asked is that
// every task is called once, and that all are done when the function returns.
#pragma once
#include <pthread.h>
#include <snug/snug.h>
#ifdef __cplusplus
#include <atomic>
using std::atomic_uint;
#else
#include <stdatomic.h>
#endif

typedef struct ThreadPool
{
	pthread_t threads[64];
	int count;                 // of threads besides the caller's
	pthread_barrier_t barrier; // all meet here before and after work
	snugTaskFcn* task;         // null: it is over
	void* context;
	uint32_t taskCount;
	atomic_uint next; // task to be taken
} ThreadPool;

// Returns whether there will be more.
static bool ThreadPool_Work(ThreadPool* pool)
{
	pthread_barrier_wait(&pool->barrier);
	bool goesOn = pool->task != NULL;
	for (uint32_t i = atomic_fetch_add(&pool->next, 1); i < pool->taskCount; i = atomic_fetch_add(&pool->next, 1))
	{
		pool->task(pool->context, i);
	}
	pthread_barrier_wait(&pool->barrier);
	return goesOn;
}

static void* ThreadPool_Main(void* pool)
{
	while (ThreadPool_Work((ThreadPool*)pool))
	{
	}
	return NULL;
}

// A snugParallelFcn; `user` is the pool. Without a task and tasks it ends the threads.
static void ThreadPool_Run(void* user, uint32_t count, snugTaskFcn* task, void* context)
{
	ThreadPool* pool = (ThreadPool*)user;
	pool->task = task;
	pool->context = context;
	pool->taskCount = count;
	atomic_store(&pool->next, 0);
	ThreadPool_Work(pool);
}

// Returns how many threads of `count`, at most 64, could not be started: zero if all is well.
static int ThreadPool_Start(ThreadPool* pool, int count)
{
	pthread_barrier_init(&pool->barrier, NULL, (unsigned)count + 1);
	for (pool->count = 0; pool->count < count; ++pool->count)
	{
		if (pthread_create(&pool->threads[pool->count], NULL, ThreadPool_Main, pool) != 0)
		{
			break;
		}
	}
	return count - pool->count;
}

static void ThreadPool_Stop(ThreadPool* pool)
{
	ThreadPool_Run(pool, 0, NULL, NULL);
	while (pool->count > 0)
	{
		pthread_join(pool->threads[--pool->count], NULL);
	}
}
