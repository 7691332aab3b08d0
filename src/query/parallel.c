// src/query/parallel.c: one query answered by several threads, which the caller's parallel function provides.
//
// First subtrees of both bodies are refitted, each by one thread. Then the traversal is stepped through breadth first
// until there are enough pairs of nodes, and every pair is descended into by one thread, with a search of its own. They
// share what the bodies remember (body.h) and the sink, which keeps the smallest pairs in whatever order they come.
#include "base/fpenv.h"
#include "query/neighbours.h"
#include "query/pairs.h"

#include <string.h>

static void Team_Lock(sgSearchParty* team)
{
	while (atomic_flag_test_and_set_explicit(&team->lock, memory_order_acquire))
	{
	}
}

static void Team_Unlock(sgSearchParty* team)
{
	atomic_flag_clear_explicit(&team->lock, memory_order_release);
}

// Hand over what was collected; stops all if the callback wants no more.
void sgPairSearch_HandOver(sgPairSearch* search)
{
	sgSearchParty* team = search->team;
	Team_Lock(team);
	bool goOn = !atomic_load_explicit(&team->isStopped, memory_order_relaxed);
	for (uint32_t i = 0; goOn && i < search->foundCount; ++i)
	{
		goOn = sgSink_Add(team->sink, search->found[i]);
	}
	atomic_store_explicit(&team->isStopped, !goOn, memory_order_relaxed);
	Team_Unlock(team);
	search->foundCount = 0;
	search->walk.isStopped = !goOn;
}

/// Pairs of nodes that are enough to keep threads busy, and room for what the last step adds to them.
enum
{
	WANTED_TASKS = 96,
	MAX_TASKS = WANTED_TASKS + SG_LANES * SG_LANES
};

typedef struct NodePair
{
	uint32_t a, b;
} NodePair;

typedef struct Tasks
{
	sgSearchParty team;
	const sgPairSearch* search; ///< ready to descend
	NodePair pairs[MAX_TASKS];
	uint32_t count;
} Tasks;

// Step through pairs of nodes breadth first, until there are enough of them.
static void ListTasks(sgPairSearch* search, Tasks* tasks)
{
	uint32_t next = 0;
	tasks->pairs[0] = (NodePair){ 0, 0 };
	tasks->count = 1;
	while (next < tasks->count && tasks->count - next < WANTED_TASKS && !search->walk.isStopped)
	{
		// What has been stepped through makes room at the front.
		if (tasks->count + SG_LANES * SG_LANES > MAX_TASKS)
		{
			tasks->count -= next;
			memmove(tasks->pairs, tasks->pairs + next, tasks->count * sizeof(NodePair));
			next = 0;
		}
		NodePair pair = tasks->pairs[next++];
		sgPairLevel level = sgPairSearch_Step(search, pair.a, pair.b);
		for (; level.pairs != 0; level.pairs &= level.pairs - 1)
		{
			uint32_t bit = sgLowestBit(level.pairs);
			tasks->pairs[tasks->count++] =
			    (NodePair){ level.groupA * SG_LANES + bit / SG_LANES, level.groupB * SG_LANES + bit % SG_LANES };
		}
	}
	tasks->count -= next;
	memmove(tasks->pairs, tasks->pairs + next, tasks->count * sizeof(NodePair));
}

static SG_NOINLINE void RunSearch(Tasks* tasks, NodePair pair)
{
	sgPairSearch search; // not zeroed: most of it is scratch
	sgNeighbours neighbours;
	const sgPairSearch* like = tasks->search;
	search.kernels = like->kernels;
	search.options = like->options;
	search.team = &tasks->team;
	search.neighbours = like->neighbours != NULL ? sgNeighbours_Begin(&neighbours) : NULL;
	sgPairSearch_Reset(&search);
	search.walk.isStopped = atomic_load_explicit(&tasks->team.isStopped, memory_order_relaxed);
	search.motionBA = like->motionBA;
	search.motionAB = like->motionAB;
	sgView_Share(&search.a, &like->a);
	sgView_Share(&search.b, &like->b);
	if (!search.walk.isStopped)
	{
		sgPairSearch_Descend(&search, pair.a, pair.b);
		sgPairSearch_HandOver(&search);
	}
	sgView_Finish(&search.a);
	sgView_Finish(&search.b);
	Team_Lock(&tasks->team);
	sgCounters_Add(&tasks->team.counters, &search.counters);
	Team_Unlock(&tasks->team);
}

static void RunTask(void* context, uint32_t index)
{
	Tasks* tasks = context;
	sgFpEnv environment = sgFpEnv_Enter();
	RunSearch(tasks, tasks->pairs[index]);
	sgFpEnv_Leave(environment);
}

// The caller's function runs in the caller's floating-point environment, as does whatever else its threads do.
static void CallParallel(const sgPairSearch* search, uint32_t count, snugTaskFcn* task, void* context)
{
	sgFpEnv_Leave(search->sink->callersEnvironment);
	search->options->workers.run(search->options->workers.user, count, task, context);
	sgFpEnv_Enter();
}

void sgPairSearch_DescendTogether(sgPairSearch* search)
{
	Tasks tasks = { .team = { .lock = ATOMIC_FLAG_INIT, .sink = search->sink }, .search = search };
	ListTasks(search, &tasks);
	if (search->walk.isStopped || tasks.count == 0)
	{
		return;
	}
	CallParallel(search, tasks.count, RunTask, &tasks);
	sgCounters_Add(&search->counters, &tasks.team.counters);
	search->isCut = atomic_load_explicit(&tasks.team.isStopped, memory_order_relaxed);
}

/// Subtrees of both bodies to be refitted before the query.
typedef struct Refits
{
	snugBody* bodies[2 * SG_MAX_SUBTREES];
	uint32_t slots[2 * SG_MAX_SUBTREES];
	sgSearchParty team;
} Refits;

static SG_NOINLINE void RunRefit(Refits* refits, uint32_t index)
{
	snugCounters counters = { 0 };
	sgBody_PrepareSubtree(refits->bodies[index], refits->slots[index], &counters);
	Team_Lock(&refits->team);
	sgCounters_Add(&refits->team.counters, &counters);
	Team_Unlock(&refits->team);
}

static void RefitTask(void* context, uint32_t index)
{
	sgFpEnv environment = sgFpEnv_Enter();
	RunRefit(context, index);
	sgFpEnv_Leave(environment);
}

void sgPairSearch_PrepareTogether(sgPairSearch* search, snugBody* a, snugBody* b)
{
	Refits refits = { .team = { .lock = ATOMIC_FLAG_INIT } };
	snugBody* bodies[2] = { a, b };
	uint32_t count = 0;
	for (int i = 0; i < (a == b ? 1 : 2); ++i)
	{
		uint32_t more = sgBody_BeginPrepare(bodies[i], refits.slots + count);
		for (uint32_t k = 0; k < more; ++k)
		{
			refits.bodies[count++] = bodies[i];
		}
	}
	if (count > 0)
	{
		CallParallel(search, count, RefitTask, &refits);
		sgCounters_Add(&search->counters, &refits.team.counters);
	}
}
