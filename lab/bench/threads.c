#define _POSIX_C_SOURCE 200809L // pthread

#include "lab/bench/threads.h"

#include "program/files/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define MAX_THREADS 16
#define LOOKOUT_MS 0.2 // before a thread sleeps
#define OPEN 0x80000000u

struct benchThreads
{
	pthread_t threads[MAX_THREADS];
	int count;
	pthread_mutex_t mutex; ///< guards `call` against sleeping just when it changes
	pthread_cond_t called;
	atomic_uint call; ///< counts calls
	atomic_bool isOver;
	// The call's work; set while no thread is at it, so that one which wakes too late sees none of it.
	snugTaskFcn* task;
	void* context;
	uint32_t taskCount;
	atomic_uint next;  ///< task that no thread has taken yet
	atomic_uint state; ///< threads at work, and OPEN while others may join them
};

static void TakeTasks(benchThreads* t)
{
	for (;;)
	{
		uint32_t index = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
		if (index >= t->taskCount)
		{
			return;
		}
		t->task(t->context, index);
	}
}

// Take part, unless the work is done already.
static void Join(benchThreads* t)
{
	unsigned state = atomic_load_explicit(&t->state, memory_order_relaxed);
	while ((state & OPEN) != 0)
	{
		if (atomic_compare_exchange_weak_explicit(
		        &t->state, &state, state + 1, memory_order_acquire, memory_order_relaxed))
		{
			TakeTasks(t);
			atomic_fetch_sub_explicit(&t->state, 1, memory_order_release);
			return;
		}
	}
}

// Wait for a call after `last`.
static unsigned AwaitCall(benchThreads* t, unsigned last)
{
	double start = clockNow();
	unsigned call = last;
	while (call == last && clockNow() - start < LOOKOUT_MS)
	{
		call = atomic_load_explicit(&t->call, memory_order_acquire);
	}
	if (call == last)
	{
		pthread_mutex_lock(&t->mutex);
		while ((call = atomic_load_explicit(&t->call, memory_order_acquire)) == last)
		{
			pthread_cond_wait(&t->called, &t->mutex);
		}
		pthread_mutex_unlock(&t->mutex);
	}
	return call;
}

static void* Work(void* user)
{
	benchThreads* t = user;
	unsigned call = AwaitCall(t, 0);
	while (!atomic_load_explicit(&t->isOver, memory_order_acquire))
	{
		Join(t);
		call = AwaitCall(t, call);
	}
	return NULL;
}

static void Call(benchThreads* t)
{
	pthread_mutex_lock(&t->mutex);
	atomic_fetch_add_explicit(&t->call, 1, memory_order_release);
	pthread_cond_broadcast(&t->called);
	pthread_mutex_unlock(&t->mutex);
}

benchThreads* benchThreads_Create(int count)
{
	benchThreads* t = count <= MAX_THREADS ? calloc(1, sizeof(benchThreads)) : NULL;
	if (t == NULL)
	{
		return NULL;
	}
	pthread_mutex_init(&t->mutex, NULL);
	pthread_cond_init(&t->called, NULL);
	while (t->count < count && pthread_create(&t->threads[t->count], NULL, Work, t) == 0)
	{
		++t->count;
	}
	if (t->count < count)
	{
		benchThreads_Destroy(t);
		return NULL;
	}
	return t;
}

void benchThreads_Destroy(benchThreads* t)
{
	if (t == NULL)
	{
		return;
	}
	atomic_store_explicit(&t->isOver, true, memory_order_release);
	Call(t);
	for (int i = 0; i < t->count; ++i)
	{
		pthread_join(t->threads[i], NULL);
	}
	pthread_cond_destroy(&t->called);
	pthread_mutex_destroy(&t->mutex);
	free(t);
}

void benchThreads_Run(void* user, uint32_t count, snugTaskFcn* task, void* context)
{
	benchThreads* t = user;
	t->task = task;
	t->context = context;
	t->taskCount = count;
	atomic_store_explicit(&t->next, 0, memory_order_relaxed);
	atomic_store_explicit(&t->state, OPEN, memory_order_release);
	Call(t);
	TakeTasks(t);
	atomic_fetch_and_explicit(&t->state, ~OPEN, memory_order_relaxed);
	while (atomic_load_explicit(&t->state, memory_order_acquire) > 0)
	{
	}
}
