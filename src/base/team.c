// src/base/team.c: see team.h.
#include "base/team.h"

#include <stdatomic.h>

typedef struct Work
{
	sgChunkFcn* chunk;
	void* context;
	uint32_t count;
	_Atomic(uint32_t) next;
} Work;

// Chunks are taken one by one, so that whoever is free takes the next. Each worker may draw one number past the end;
// counts are far below 2^32, so none wraps.
static SG_NOINLINE void DoChunks(Work* work, uint32_t worker)
{
	for (;;)
	{
		uint32_t number = atomic_fetch_add_explicit(&work->next, 1, memory_order_relaxed);
		if (number >= work->count)
		{
			return;
		}
		work->chunk(work->context, worker, number);
	}
}

static void RunWorker(void* context, uint32_t worker)
{
	sgFpEnv environment = sgFpEnv_Enter();
	DoChunks(context, worker);
	sgFpEnv_Leave(environment);
}

void sgTeam_Run(const sgTeam* team, uint32_t count, sgChunkFcn* chunk, void* context)
{
	Work work = { .chunk = chunk, .context = context, .count = count };
	if (count < 2 || sgTeam_Workers(team) == 1)
	{
		RunWorker(&work, 0);
		return;
	}
	sgFpEnv_Leave(team->callers);
	team->workers.run(team->workers.user, SG_TEAM_WORKERS, RunWorker, &work);
	sgFpEnv_Enter();
}
