// src/base/team.h: work that the caller's threads share while a model is built.
//
// Work is cut into chunks, the same ones however many threads there are, and what a chunk makes does not depend on who
// does it, so neither does the model. Chunks do not allocate: the caller's allocator need not be safe for threads.
#ifndef SG_TEAM_H
#define SG_TEAM_H

#include "base/base.h"
#include "base/fpenv.h"

/// Most threads that work at a time: each has scratch memory of its own.
#define SG_TEAM_WORKERS 8

typedef struct sgTeam
{
	snugWorkers workers;
	sgFpEnv callers;           ///< the floating-point environment in which the caller's function is called
	snugProgressFcn* progress; ///< nullable; told by what takes long, in the floating-point environment of snug
	void* progressUser;        ///<
} sgTeam;

/// Do one chunk. Chunks of one worker are not done at the same time.
typedef void sgChunkFcn(void* context, uint32_t worker, uint32_t chunk);

/// How many workers there may be, of which each needs scratch memory.
/// @param team nullable: the thread that calls
static inline uint32_t sgTeam_Workers(const sgTeam* team)
{
	return team != NULL && team->workers.run != NULL ? SG_TEAM_WORKERS : 1;
}

/// Do chunks 0 to count - 1, those with low numbers first, in the floating-point environment of snug.
/// @param team nullable
void sgTeam_Run(const sgTeam* team, uint32_t count, sgChunkFcn* chunk, void* context);

#endif
