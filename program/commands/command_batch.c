// `snug batch`: many checks in one process, one shard of them at a time; and what shards come to.
#define _POSIX_C_SOURCE 200809L // open_memstream, getline

#include "program/check/check.h"
#include "program/commands/commands.h"
#include "program/commands/jobs.h"
#include "program/commands/terminal.h"
#include "program/files/json.h"
#include "program/files/output.h"
#include "program/files/shelf.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const cliUsage usage = {
	.command = "batch",
	.synopsis = "[options] JOBS.jsonl -o RESULTS",
	.summary =
	    "Run many checks in one process: files are read, and models made, once for all jobs that use them. A job is a "
	    "line of JSON, {\"id\": \"any text\", \"check\": [\"a.glb\", \"b.glb\", \"--clip\", \"walk\"]}: what follows "
	    "`snug check` on a command line. A job's result is a line with its id, exit code, messages and frames, or the "
	    "summary if --summary is among its options: docs/batch.md. Bad jobs are recorded with what is wrong, and do "
	    "not stop the rest.\n\n"
	    "--shard I/N runs every Nth job from the Ith on and writes RESULTS/shard-I-of-N.jsonl: whole, or not at all. A "
	    "shard that is there is not run again. So shards can run anywhere, in any order, be killed and be run again. "
	    "--merge reads all shards, makes sure that every job is there exactly once, and writes one file. Results are "
	    "the same bytes for any number of shards, threads and machines, unless a job has --costs.",
	.examples = "  snug batch jobs.jsonl -o results\n"
	            "  seq 16 | parallel snug batch jobs.jsonl --shard {}/16 -o results\n"
	            "  snug batch jobs.jsonl --merge results -o all.jsonl",
	.minArguments = 1,
	.maxArguments = 1,
	.argumentName = "JOBS.jsonl",
};

// Files and models that are kept between jobs, in bytes.
#define SHELF_BYTES ((size_t)1 << 30)

typedef struct batch
{
	const char* shardText; ///< "I/N"
	const char* mergeFrom; ///< a directory
	const char* output;    ///< a directory, or the merged file
	int threads;
	jobList jobs;
	int shard, shards; ///< from 1
} batch;

// ---- One job ---------------------------------------------------------------------------------------------------

// What a job said on its way.
typedef struct messageList
{
	char** texts;
	int count;
} messageList;

// Without memory for a message the job goes on without.
static void Hear(void* user, const char* text)
{
	messageList* list = user;
	char* copy = strdup(text);
	char** grown = copy != NULL ? realloc(list->texts, ((size_t)list->count + 1) * sizeof(char*)) : NULL;
	if (grown == NULL)
	{
		free(copy);
		return;
	}
	list->texts = grown;
	list->texts[list->count++] = copy;
}

static void FreeMessages(messageList* list)
{
	for (int i = 0; i < list->count; ++i)
	{
		free(list->texts[i]);
	}
	free(list->texts);
}

typedef struct jobArguments
{
	char** items;
	int count;
} jobArguments;

static void FreeArguments(jobArguments* arguments)
{
	for (int i = 0; i < arguments->count; ++i)
	{
		free(arguments->items[i]);
	}
	free(arguments->items);
}

// The strings of a job, in memory that parsing may change. Says what is wrong.
static bool ReadArguments(const json_t* job, jobArguments* arguments)
{
	const json_t* list = json_object_get(job, "check");
	if (!json_is_array(list))
	{
		cliError("the job has no array \"check\" with the arguments of snug check");
		return false;
	}
	arguments->items = calloc(json_array_size(list) + 1, sizeof(char*));
	for (size_t i = 0; arguments->items != NULL && i < json_array_size(list); ++i)
	{
		const char* text = json_string_value(json_array_get(list, i));
		if (text == NULL || strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0)
		{
			cliError("check[%zu]: %s", i, text == NULL ? "must be a string" : "a job cannot ask for help");
			return false;
		}
		arguments->items[arguments->count] = strdup(text);
		if (arguments->items[arguments->count++] == NULL)
		{
			break;
		}
	}
	bool complete = arguments->items != NULL && (size_t)arguments->count == json_array_size(list);
	if (!complete)
	{
		cliError("out of memory");
	}
	return complete;
}

// A copy for the check, which forgets what it parsed: pointers move, and the strings stay ours.
static int RunCheck(const batch* b, const jobArguments* arguments, cliShelf* shelf, FILE* out)
{
	char** copy = malloc(((size_t)arguments->count + 1) * sizeof(char*));
	if (copy == NULL)
	{
		cliError("out of memory");
		return CLI_BAD_INPUT;
	}
	memcpy(copy, arguments->items, ((size_t)arguments->count + 1) * sizeof(char*));
	check c = checkMake(out);
	c.json = true;
	c.threads = b->threads;
	c.sceneOptions.shelf = shelf;
	int code = checkCommand(&c, arguments->count, copy);
	free(copy);
	return code;
}

// The lines of a check become the elements of an array.
static void PrintFrames(const char* lines, size_t size, FILE* stream)
{
	fprintf(stream, ",\"results\":[");
	for (size_t i = 0; i < size; ++i)
	{
		bool isLast = i + 1 == size;
		if (lines[i] != '\n' || !isLast)
		{
			fputc(lines[i] == '\n' ? ',' : lines[i], stream);
		}
	}
	fprintf(stream, "]}\n");
}

// A job that fails has no results: half of them would look whole.
static void PrintJob(const jobLine* line, const json_t* id, int code, const messageList* messages, const char* lines,
    size_t size, FILE* out)
{
	fprintf(out, "{\"job\":%llu,\"id\":", (unsigned long long)line->number);
	if (json_is_string(id))
	{
		cliPrintJsonString(out, json_string_value(id));
	}
	else
	{
		fprintf(out, "null");
	}
	fprintf(out, ",\"code\":%d,\"messages\":[", code);
	for (int i = 0; i < messages->count; ++i)
	{
		fprintf(out, i > 0 ? "," : "");
		cliPrintJsonString(out, messages->texts[i]);
	}
	fprintf(out, "]");
	bool isGood = code == CLI_DONE || code == CLI_CONTACT;
	PrintFrames(lines, isGood ? size : 0, out);
}

/// @return the job's code, or CLI_INTERRUPTED
static int RunJob(const batch* b, const jobLine* line, cliShelf* shelf, FILE* out)
{
	messageList messages = { NULL, 0 };
	jobArguments arguments = { NULL, 0 };
	char* lines = NULL;
	size_t size = 0;
	json_error_t error;
	FILE* stream = open_memstream(&lines, &size);
	cliDivertErrors(Hear, &messages);
	json_t* job = json_loadb(line->text, line->length, JSON_REJECT_DUPLICATES, &error);
	int code = CLI_BAD_INPUT;
	if (stream == NULL)
	{
		cliError("out of memory");
	}
	else if (job == NULL || !json_is_object(job))
	{
		cliError("not a JSON object: %s", job == NULL ? error.text : "something else");
	}
	else if (ReadArguments(job, &arguments))
	{
		code = RunCheck(b, &arguments, shelf, stream);
	}
	cliDivertErrors(NULL, NULL);
	if (stream != NULL)
	{
		fclose(stream);
	}
	PrintJob(line, json_object_get(job, "id"), code, &messages, lines, lines != NULL ? size : 0, out);
	FreeArguments(&arguments);
	free(lines);
	json_decref(job);
	FreeMessages(&messages);
	return code;
}

// ---- One shard -------------------------------------------------------------------------------------------------

static bool RunJobs(const batch* b, FILE* out, uint64_t* failed)
{
	cliShelf* shelf = cliShelf_Create(SHELF_BYTES);
	bool isWhole = shelf != NULL;
	for (uint64_t i = (uint64_t)b->shard - 1; isWhole && i < b->jobs.count; i += (uint64_t)b->shards)
	{
		cliProgress("job %llu of %llu", (unsigned long long)(i + 1), (unsigned long long)b->jobs.count);
		int code = RunJob(b, b->jobs.lines + i, shelf, out);
		*failed += code == CLI_BAD_INPUT || code == CLI_BAD_USAGE;
		isWhole = code != CLI_INTERRUPTED;
		cliShelf_Trim(shelf);
	}
	cliProgress("");
	cliShelf_Destroy(shelf);
	return isWhole;
}

static int WriteShard(const batch* b, const char* path)
{
	ioOutput output;
	ioError error;
	uint64_t failed = 0, count = (b->jobs.count + (uint64_t)(b->shards - b->shard)) / (uint64_t)b->shards;
	if (!ioOutput_Open(&output, path, &error))
	{
		cliError("%s", error.text);
		return CLI_BAD_INPUT;
	}
	jobList_PrintHead(&b->jobs, b->shard, b->shards, output.stream);
	if (!RunJobs(b, output.stream, &failed))
	{
		ioOutput_Abandon(&output);
		cliError("interrupted: %s is not written; run it again", path);
		return CLI_INTERRUPTED;
	}
	if (!ioOutput_Commit(&output, &error))
	{
		cliError("%s", error.text);
		return CLI_BAD_INPUT;
	}
	printf("%s: %llu jobs, %llu of them failed\n", path, (unsigned long long)count, (unsigned long long)failed);
	return CLI_DONE;
}

static int RunShard(const batch* b)
{
	char path[4096];
	struct stat status;
	if (!cliMakeDirectory(b->output) || !jobList_NameShard(b->output, b->shard, b->shards, path, sizeof(path)))
	{
		return CLI_BAD_INPUT;
	}
	if (stat(path, &status) == 0)
	{
		if (!jobList_OwnsShard(&b->jobs, path, b->shard, b->shards))
		{
			return CLI_BAD_INPUT;
		}
		printf("%s: is there already\n", path);
		return CLI_DONE;
	}
	return WriteShard(b, path);
}

// ---- Usage -----------------------------------------------------------------------------------------------------

static bool ReadShard(batch* b)
{
	char rest;
	b->shard = b->shards = 1;
	bool good = b->shardText == NULL || (sscanf(b->shardText, "%d/%d%c", &b->shard, &b->shards, &rest) == 2 &&
	                                        b->shard >= 1 && b->shard <= b->shards && b->shards <= JOBS_MAX_SHARDS);
	if (!good)
	{
		cliError("--shard %s: must be I/N with 1 <= I <= N <= %d", b->shardText, JOBS_MAX_SHARDS);
	}
	return good;
}

static int Run(batch* b, const char* path)
{
	if (b->output == NULL || (b->mergeFrom != NULL && b->shardText != NULL))
	{
		cliError("%s; see snug batch --help", b->output == NULL ? "batch needs -o" : "--merge or --shard, not both");
		return CLI_BAD_USAGE;
	}
	if (!ReadShard(b))
	{
		return CLI_BAD_USAGE;
	}
	b->threads = b->threads > 0 ? b->threads : 1;
	int code = CLI_BAD_INPUT;
	if (jobList_Read(&b->jobs, path))
	{
		code = b->mergeFrom == NULL                               ? RunShard(b)
		       : jobList_Merge(&b->jobs, b->mergeFrom, b->output) ? CLI_DONE
		                                                          : CLI_BAD_INPUT;
	}
	jobList_Free(&b->jobs);
	return code;
}

int cliBatch(int argumentCount, char** arguments)
{
	batch b = { .shardText = NULL };
	const cliOption options[] = {
		{ "--shard", cli_text, &b.shardText, "I/N", "every Nth job, from the Ith on; default 1/1: all" },
		{ "--merge", cli_text, &b.mergeFrom, "RESULTS", "write the shards there into one file, -o" },
		{ "-o", cli_text, &b.output, "RESULTS", "a directory for shards; with --merge the file to write" },
		{ "--threads", cli_count, &b.threads, "N", "frames of a job to check at once; default 1" },
		{ .name = NULL },
	};
	cliParsed parsed = cliOptions_Parse(&usage, options, &argumentCount, arguments);
	int code = parsed == cli_help ? CLI_DONE : CLI_BAD_USAGE;
	if (parsed == cli_go)
	{
		code = Run(&b, arguments[0]);
	}
	cliOptions_Free(options);
	return code;
}
