// program/files/workers.h: threads that make models.
#ifndef CLI_WORKERS_H
#define CLI_WORKERS_H

#include "snug/snug.h"

/// A row of an option table. Zero: not given.
#define CLI_WORKERS_OPTION(target)                                                    \
	{                                                                                 \
		"--threads", cli_count, target, "N", "threads; default as many as processors" \
	}

/// For snugModelDef and snugActorDef: threads start when the library has work, and end with it.
/// @param threads borrowed; zero: as many as processors
snugWorkers cliWorkers_Get(const int* threads);

#endif
