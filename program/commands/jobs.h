// program/commands/jobs.h: the jobs of `snug batch`, the files that shards of them are written to, and what they come
// to.
//
// A shard begins with a line that names the jobs it is of, by a hash of their file, so that results of other jobs are
// never taken for theirs. After it comes a line for each job of the shard, in order.
#ifndef CLI_JOBS_H
#define CLI_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JOBS_VERSION 1
#define JOBS_MAX_SHARDS 100000

/// A line that is not blank.
typedef struct jobLine
{
	const char* text;
	size_t length;
	uint64_t number; ///< of the line, from 1
} jobLine;

typedef struct jobList
{
	char* bytes;
	jobLine* lines;
	uint64_t count;
	uint64_t hash; ///< of all bytes
} jobList;

/// Prints what is wrong. Free with jobList_Free in any case.
bool jobList_Read(jobList* jobs, const char* path);
void jobList_Free(jobList* jobs);

/// The first line of a shard, or with `shards` 0 of all of them.
void jobList_PrintHead(const jobList* jobs, int shard, int shards, FILE* stream);

/// "directory/shard-3-of-16.jsonl". Prints what is wrong.
bool jobList_NameShard(const char* directory, int shard, int shards, char* path, size_t size);

/// Whether a shard that is there is one of these jobs. Prints what is wrong.
bool jobList_OwnsShard(const jobList* jobs, const char* path, int shard, int shards);

/// Write all shards of a directory into one file, in the order of the jobs. Prints what is wrong: a shard that is
/// missing or of other jobs, a job that is missing or there twice.
bool jobList_Merge(const jobList* jobs, const char* directory, const char* path);

#endif
