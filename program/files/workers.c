#include "program/files/workers.h"

#include "program/check/frames.h"

#include <pthread.h>

/// The library shares its work among no more.
#define MOST_THREADS 8

/// Tasks that threads take one by one.
typedef struct crew
{
	snugTaskFcn* task;
	void* context;
	pthread_mutex_t mutex; ///< for `next`
	uint32_t next, count;
} crew;

static void* Work(void* user)
{
	crew* c = user;
	for (;;)
	{
		pthread_mutex_lock(&c->mutex);
		const uint32_t task = c->next < c->count ? c->next++ : c->count;
		pthread_mutex_unlock(&c->mutex);
		if (task == c->count)
		{
			return NULL;
		}
		c->task(c->context, task);
	}
}

// The calling thread is one of them: where others cannot be started, it does everything.
static void RunTasks(void* user, uint32_t count, snugTaskFcn* task, void* context)
{
	const int* wanted = user;
	const int threads = *wanted > 0 ? *wanted : cliGetProcessorCount();
	pthread_t others[MOST_THREADS];
	crew c = { .task = task, .context = context, .count = count };
	int started = 0;
	pthread_mutex_init(&c.mutex, NULL);
	while (started + 1 < threads && started + 1 < MOST_THREADS && (uint32_t)started + 1 < count &&
	       pthread_create(&others[started], NULL, Work, &c) == 0)
	{
		++started;
	}
	Work(&c);
	for (int i = 0; i < started; ++i)
	{
		pthread_join(others[i], NULL);
	}
	pthread_mutex_destroy(&c.mutex);
}

snugWorkers cliWorkers_Get(const int* threads)
{
	return (snugWorkers){ RunTasks, (void*)(uintptr_t)threads };
}
