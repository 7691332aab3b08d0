#include "program/commands/jobs.h"

#include "io/grow.h"
#include "io/load.h"
#include "program/commands/terminal.h"
#include "program/files/output.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Of jobs, or of the results of a shard.
#define MAX_BYTES ((size_t)1 << 40)

// ---- Jobs ------------------------------------------------------------------------------------------------------

// FNV-1a, 64 bits.
static uint64_t Hash(const char* bytes, size_t size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < size; ++i)
	{
		hash = (hash ^ (uint8_t)bytes[i]) * UINT64_C(0x100000001b3);
	}
	return hash;
}

static bool IsBlank(const char* text, size_t length)
{
	size_t i = 0;
	while (i < length && strchr(" \t\r", text[i]) != NULL && text[i] != '\0')
	{
		++i;
	}
	return i == length;
}

static bool SplitLines(jobList* jobs, size_t size)
{
	uint64_t number = 0;
	size_t capacity = 0;
	for (size_t begin = 0; begin < size;)
	{
		const char* newline = memchr(jobs->bytes + begin, '\n', size - begin);
		size_t end = newline != NULL ? (size_t)(newline - jobs->bytes) : size;
		++number;
		if (!IsBlank(jobs->bytes + begin, end - begin))
		{
			if (!ioGrow(&jobs->lines, &capacity, (size_t)jobs->count + 1, sizeof(jobLine)))
			{
				return false;
			}
			jobs->lines[jobs->count++] = (jobLine){ jobs->bytes + begin, end - begin, number };
		}
		begin = end + 1;
	}
	return true;
}

bool jobList_Read(jobList* jobs, const char* path)
{
	ioError error;
	size_t size = 0;
	*jobs = (jobList){ .count = 0 };
	jobs->bytes = (char*)ioReadFile(path, path, MAX_BYTES, &size, &error);
	if (jobs->bytes == NULL)
	{
		cliError("%s", error.text);
		return false;
	}
	jobs->hash = Hash(jobs->bytes, size);
	if (!SplitLines(jobs, size))
	{
		cliError("%s: out of memory", path);
		return false;
	}
	return true;
}

void jobList_Free(jobList* jobs)
{
	free(jobs->bytes);
	free(jobs->lines);
	*jobs = (jobList){ .count = 0 };
}

// ---- Shards ----------------------------------------------------------------------------------------------------

enum
{
	HEAD_SIZE = 160
};

static void MakeHead(const jobList* jobs, int shard, int shards, char text[HEAD_SIZE])
{
	int length = snprintf(text, HEAD_SIZE, "{\"version\":%d,\"jobs\":\"%016" PRIx64 "\",\"count\":%" PRIu64,
	    JOBS_VERSION, jobs->hash, jobs->count);
	if (shards > 0)
	{
		length += snprintf(text + length, (size_t)(HEAD_SIZE - length), ",\"shard\":%d,\"of\":%d", shard, shards);
	}
	snprintf(text + length, (size_t)(HEAD_SIZE - length), "}\n");
}

void jobList_PrintHead(const jobList* jobs, int shard, int shards, FILE* stream)
{
	char text[HEAD_SIZE];
	MakeHead(jobs, shard, shards, text);
	fputs(text, stream);
}

bool jobList_NameShard(const char* directory, int shard, int shards, char* path, size_t size)
{
	int length = snprintf(path, size, "%s/shard-%d-of-%d.jsonl", directory, shard, shards);
	if (length < 0 || (size_t)length >= size)
	{
		cliError("%s: the path is too long", directory);
		return false;
	}
	return true;
}

bool jobList_OwnsShard(const jobList* jobs, const char* path, int shard, int shards)
{
	char expected[HEAD_SIZE], found[HEAD_SIZE];
	FILE* file = fopen(path, "rb");
	MakeHead(jobs, shard, shards, expected);
	bool owns = file != NULL && fgets(found, sizeof(found), file) != NULL && strcmp(found, expected) == 0;
	if (file != NULL)
	{
		fclose(file);
	}
	if (!owns)
	{
		cliError("%s: is not a shard of these jobs; remove it, or write elsewhere", path);
	}
	return owns;
}

// ---- Merging ---------------------------------------------------------------------------------------------------

/// A shard while it is merged.
typedef struct shardText
{
	char path[4096];
	char* bytes;
	size_t size, next;
} shardText;

// How many shards there are, by the names of the files. All must agree.
static bool CountShards(const char* directory, int* shards)
{
	DIR* folder = opendir(directory);
	int found = 0;
	bool agree = folder != NULL;
	for (struct dirent* entry; agree && (entry = readdir(folder)) != NULL;)
	{
		int shard, of, end = 0;
		if (sscanf(entry->d_name, "shard-%d-of-%d.jsonl%n", &shard, &of, &end) == 2 && end > 0 &&
		    entry->d_name[end] == '\0')
		{
			agree = of >= 1 && of <= JOBS_MAX_SHARDS && (found == 0 || found == of);
			found = of;
		}
	}
	if (folder == NULL || !agree || found == 0)
	{
		cliError("%s: %s", directory,
		    folder == NULL ? "cannot be read"
		    : !agree       ? "has shards of several numbers of shards; which ones count?"
		                   : "has no shards");
	}
	if (folder != NULL)
	{
		closedir(folder);
	}
	*shards = found;
	return folder != NULL && agree && found > 0;
}

static bool ReadShard(shardText* text, const jobList* jobs, const char* directory, int shard, int shards)
{
	ioError error;
	if (!jobList_NameShard(directory, shard, shards, text->path, sizeof(text->path)))
	{
		return false;
	}
	text->bytes = (char*)ioReadFile(text->path, text->path, MAX_BYTES, &text->size, &error);
	if (text->bytes == NULL)
	{
		cliError("%s", error.text);
		return false;
	}
	if (!jobList_OwnsShard(jobs, text->path, shard, shards))
	{
		return false;
	}
	const char* newline = memchr(text->bytes, '\n', text->size);
	text->next = newline != NULL ? (size_t)(newline - text->bytes) + 1 : text->size;
	return true;
}

// The next line of a shard, which must be a job's.
static bool CopyLine(shardText* text, const jobLine* job, FILE* out)
{
	char begin[48];
	const char* line = text->bytes + text->next;
	const char* newline = memchr(line, '\n', text->size - text->next);
	size_t length = newline != NULL ? (size_t)(newline - line) + 1 : 0;
	int expected = snprintf(begin, sizeof(begin), "{\"job\":%" PRIu64 ",", job->number);
	if (length <= (size_t)expected || memcmp(line, begin, (size_t)expected) != 0)
	{
		cliError("%s: the job of line %" PRIu64 " is not where it must be", text->path, job->number);
		return false;
	}
	fwrite(line, 1, length, out);
	text->next += length;
	return true;
}

static bool CopyLines(const jobList* jobs, shardText* texts, int shards, FILE* out)
{
	for (uint64_t i = 0; i < jobs->count; ++i)
	{
		if (!CopyLine(texts + i % (uint64_t)shards, jobs->lines + i, out))
		{
			return false;
		}
	}
	for (int i = 0; i < shards; ++i)
	{
		if (texts[i].next != texts[i].size)
		{
			cliError("%s: has more than its jobs", texts[i].path);
			return false;
		}
	}
	return true;
}

static bool WriteMerged(const jobList* jobs, shardText* texts, int shards, const char* path)
{
	ioOutput output;
	if (!cliOutput_Open(&output, path))
	{
		return false;
	}
	jobList_PrintHead(jobs, 0, 0, output.stream);
	if (!CopyLines(jobs, texts, shards, output.stream))
	{
		ioOutput_Abandon(&output);
		return false;
	}
	if (!cliOutput_Commit(&output))
	{
		return false;
	}
	printf("%s: %" PRIu64 " jobs of %d shards, each exactly once\n", path, jobs->count, shards);
	return true;
}

bool jobList_Merge(const jobList* jobs, const char* directory, const char* path)
{
	int shards = 0;
	if (!CountShards(directory, &shards))
	{
		return false;
	}
	shardText* texts = calloc((size_t)shards, sizeof(shardText));
	bool read = texts != NULL;
	if (!read)
	{
		cliError("%s: out of memory", directory);
	}
	for (int i = 0; read && i < shards; ++i)
	{
		read = ReadShard(texts + i, jobs, directory, i + 1, shards);
	}
	bool merged = read && WriteMerged(jobs, texts, shards, path);
	for (int i = 0; texts != NULL && i < shards; ++i)
	{
		free(texts[i].bytes);
	}
	free(texts);
	return merged;
}
