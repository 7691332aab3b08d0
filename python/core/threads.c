// python/core/threads.c: threads that share the work of one call.
//
// They run C and nothing of Python, while their caller has released the interpreter's lock, and end with the call. So
// there is nothing that a fork could leave half alive, and nothing to stop when the interpreter ends.
#define _POSIX_C_SOURCE 200809L
#include "core.h"

#include <pthread.h>
#include <signal.h>

typedef struct Work
{
	snugTaskFcn* task;
	void* context;
	uint32_t count;
	atomic_uint next; // to be taken
} Work;

static void* DoTasks(void* argument)
{
	Work* work = argument;
	for (uint32_t i; (i = atomic_fetch_add(&work->next, 1)) < work->count;)
	{
		work->task(work->context, i);
	}
	return NULL;
}

// Threads that cannot be started are missed by nobody: those that are there do all tasks. Signals are for the threads
// of Python.
void smRunOnThreads(void* user, uint32_t count, snugTaskFcn* task, void* context)
{
	const uint32_t wanted = *(const uint32_t*)user, most = count < wanted ? count : wanted;
	Work work = { .task = task, .context = context, .count = count };
	pthread_t others[SM_MAX_THREADS];
	sigset_t all, before;
	uint32_t started = 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (started + 1 < most && pthread_create(others + started, NULL, DoTasks, &work) == 0)
	{
		++started;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	DoTasks(&work);
	while (started > 0)
	{
		pthread_join(others[--started], NULL);
	}
}

bool smReadThreads(PyObject* object, uint32_t* threads)
{
	*threads = 1;
	return object == NULL || smReadCount(object, "threads", 1, SM_MAX_THREADS, threads);
}

snugWorkers smWorkersOf(uint32_t* threads)
{
	return *threads > 1 ? (snugWorkers){ smRunOnThreads, threads } : (snugWorkers){ NULL, NULL };
}
