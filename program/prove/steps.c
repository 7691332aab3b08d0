#include "program/prove/steps.h"

#include "io/load.h"
#include "program/commands/terminal.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Steps that a thread does one after the other, so that the end of one is the start of the next.
#define RUN 4

// ---- Files -----------------------------------------------------------------------------------------------------

static bool NameStep(const proveSteps* steps, size_t step, char* path, size_t size)
{
	return snprintf(path, size, "%s/step-%06zu.txt", steps->folder, step) < (int)size;
}

static proveBlock BlockOf(const proveSteps* steps, size_t step, size_t pair)
{
	const provePath* path = steps->path;
	const int a = steps->pairs[pair].a, b = steps->pairs[pair].b;
	return (proveBlock){ .step = step,
		.pair = pair,
		.a = path->meshes[path->meshOf[a]].triangleCount,
		.b = path->meshes[path->meshOf[b]].triangleCount,
		.isSelf = a == b,
		.start = path->times[step],
		.end = path->times[step + 1] };
}

bool proveSteps_Read(const proveSteps* steps, size_t step, proveText* text, proveOutcome* outcomes)
{
	char path[4096];
	ioError error = { .text = "" };
	size_t length = 0;
	const bool isNamed = NameStep(steps, step, path, sizeof(path));
	char* file = isNamed ? (char*)ioReadFile(path, path, SIZE_MAX, &length, &error) : NULL;
	size_t at = file != NULL ? proveOutcome_FindClaims(file, length, step, steps->digest) : 0;
	bool good = at > 0;
	proveText_AddBytes(text, good ? file + at : NULL, good ? length - at : 0);
	text->failed = text->failed || error.kind == io_noMemory;
	for (size_t i = 0; good && i < steps->pairCount; ++i)
	{
		const proveBlock block = BlockOf(steps, step, i);
		const size_t own = proveOutcome_Read(outcomes != NULL ? outcomes + i : NULL, file + at, length - at, &block);
		good = own > 0;
		at += own;
	}
	good = good && at == length && !text->failed;
	free(file);
	return good;
}

static bool WriteStep(const proveSteps* steps, size_t step, const proveText* claims)
{
	char path[4096], head[256];
	proveText file = { .failed = claims->failed };
	const size_t length = proveOutcome_PrintHead(step, steps->digest, claims->bytes, claims->length, head);
	proveText_AddBytes(&file, head, length);
	proveText_AddBytes(&file, claims->bytes, claims->length);
	if (!NameStep(steps, step, path, sizeof(path)))
	{
		cliError("%s: the path is too long", steps->folder);
		file.failed = true;
	}
	const bool written = proveText_Write(&file, path);
	proveText_Free(&file);
	return written;
}

void proveSteps_Remove(const proveSteps* steps)
{
	char path[4096];
	for (size_t i = 0; i + 1 < steps->path->timeCount; ++i)
	{
		if (NameStep(steps, i, path, sizeof(path)))
		{
			remove(path);
		}
	}
}

// ---- Threads ---------------------------------------------------------------------------------------------------

typedef struct crew
{
	const proveSteps* steps;
	pthread_mutex_t mutex; ///< for all that follows
	pthread_cond_t done;   ///< a step was finished
	size_t next;           ///< step that no thread has taken yet
	int working;           ///< threads
	proveText* texts;      ///< per step
	bool* finished;        ///< likewise
	bool failed;           ///< and it was said why
} crew;

static bool CreateSides(const provePath* path, proveSide** sides)
{
	const int count = path->scene->partCount;
	*sides = calloc((size_t)count + 1, sizeof(proveSide));
	bool made = *sides != NULL;
	for (int i = 0; made && i < count; ++i)
	{
		made = proveSide_Create(*sides + i, path->meshes + path->meshOf[i]);
	}
	return made;
}

static void FreeSides(const provePath* path, proveSide* sides)
{
	for (int i = 0; sides != NULL && i < path->scene->partCount; ++i)
	{
		proveSide_Free(sides + i);
	}
	free(sides);
}

static void Place(const provePath* path, proveSide* sides, int body, size_t time, int end)
{
	proveSide* side = sides + body;
	side->errors[end] = provePath_Place(path, time, body, side->ends[end]);
	if (side->mesh->triangleCount > 0)
	{
		proveSide_Prepare(side, end);
	}
}

static void ProveStep(const proveSteps* steps, proveSide* sides, size_t step, bool isNext, proveText* text)
{
	const provePath* path = steps->path;
	const double parts = (path->times[step + 1] - path->times[step]) / steps->resolve;
	for (int i = 0; i < path->scene->partCount; ++i)
	{
		if (isNext)
		{
			proveSide_Advance(sides + i);
		}
		else
		{
			Place(path, sides, i, step, 0);
		}
		Place(path, sides, i, step + 1, 1);
	}
	for (size_t i = 0; i < steps->pairCount; ++i)
	{
		const provePair* pair = steps->pairs + i;
		const proveQuestion question = { .a = sides + pair->a,
			.b = pair->a != pair->b ? sides + pair->b : NULL,
			.left = pair->left,
			.leftCount = pair->leftCount,
			.maxHalvings = parts > 1.0 ? (int)fmin(ceil(log2(parts)), 30.0) : 0 };
		proveText_Add(text, "step %zu %zu\n", step, i);
		const size_t start = text->length;
		proveStep(&question, text);
		text->length -= text->length > start; // the last space
		proveText_AddBytes(text, "\n", 1);
	}
}

// The next one that is not there yet, of the thread's own run or of a new one.
static bool TakeStep(crew* c, size_t* step, size_t* left)
{
	const size_t count = c->steps->path->timeCount - 1;
	pthread_mutex_lock(&c->mutex);
	do
	{
		if (*left == 0)
		{
			*step = c->next;
			c->next += RUN;
			*left = RUN;
		}
		else
		{
			++*step;
		}
		--*left;
	} while (*step < count && c->finished[*step]);
	const bool taken = !c->failed && *step < count;
	pthread_mutex_unlock(&c->mutex);
	return taken;
}

static void* Work(void* user)
{
	crew* c = user;
	proveSide* sides = NULL;
	bool made = CreateSides(c->steps->path, &sides);
	size_t left = 0, step = 0, last = SIZE_MAX - 1;
	while (made && TakeStep(c, &step, &left))
	{
		proveText text = { .bytes = NULL };
		ProveStep(c->steps, sides, step, step == last + 1, &text);
		last = step;
		pthread_mutex_lock(&c->mutex);
		c->texts[step] = text;
		c->finished[step] = true;
		pthread_cond_signal(&c->done);
		pthread_mutex_unlock(&c->mutex);
	}
	FreeSides(c->steps->path, sides);
	pthread_mutex_lock(&c->mutex);
	if (!made && !c->failed)
	{
		cliError("%s: out of memory", c->steps->path->scene->files[0].path);
	}
	c->failed = c->failed || !made;
	c->working--;
	pthread_cond_signal(&c->done);
	pthread_mutex_unlock(&c->mutex);
	return NULL;
}

// Write what is finished, until all is, or the threads have ended.
static bool WriteSteps(crew* c)
{
	const size_t count = c->steps->path->timeCount - 1;
	bool good = true;
	for (size_t i = 0; i < count; ++i)
	{
		pthread_mutex_lock(&c->mutex);
		cliProgress("step %zu of %zu", i, count);
		while (!c->finished[i] && c->working > 0)
		{
			pthread_cond_wait(&c->done, &c->mutex);
		}
		const bool isThere = c->finished[i];
		c->failed = c->failed || !good;
		pthread_mutex_unlock(&c->mutex);
		cliProgress("");
		good = good && isThere;
		if (isThere && (c->texts[i].length > 0 || c->texts[i].failed))
		{
			good = WriteStep(c->steps, i, c->texts + i) && good;
			proveText_Free(c->texts + i);
		}
	}
	return good;
}

static bool RunCrew(crew* c, pthread_t* threads)
{
	int started = 0;
	pthread_mutex_lock(&c->mutex);
	while (started < c->steps->threads && pthread_create(&threads[started], NULL, Work, c) == 0)
	{
		++started;
		c->working++;
	}
	pthread_mutex_unlock(&c->mutex);
	if (started == 0)
	{
		cliError("cannot start a thread");
		return false;
	}
	bool good = WriteSteps(c);
	for (int i = 0; i < started; ++i)
	{
		pthread_join(threads[i], NULL);
	}
	return good;
}

bool proveSteps_Run(const proveSteps* steps)
{
	const size_t count = steps->path->timeCount - 1;
	crew c = { .steps = steps };
	pthread_t* threads = calloc((size_t)steps->threads, sizeof(pthread_t));
	c.texts = calloc(count + 1, sizeof(proveText));
	c.finished = calloc(count + 1, sizeof(bool));
	bool good = threads != NULL && c.texts != NULL && c.finished != NULL;
	if (good)
	{
		for (size_t i = 0; i < count; ++i)
		{
			proveText text = { .bytes = NULL };
			c.finished[i] = proveSteps_Read(steps, i, &text, NULL);
			proveText_Free(&text);
		}
		pthread_mutex_init(&c.mutex, NULL);
		pthread_cond_init(&c.done, NULL);
		good = RunCrew(&c, threads);
		pthread_cond_destroy(&c.done);
		pthread_mutex_destroy(&c.mutex);
	}
	else
	{
		cliError("%s: out of memory", steps->path->scene->files[0].path);
	}
	for (size_t i = 0; c.texts != NULL && i < count; ++i)
	{
		proveText_Free(c.texts + i);
	}
	free(c.texts);
	free(c.finished);
	free(threads);
	return good;
}

// ---- What is left out ------------------------------------------------------------------------------------------

static void PlaceAtRest(proveSide* side, int end)
{
	for (size_t i = 0; i < 3 * (size_t)side->mesh->vertexCount; ++i)
	{
		side->ends[end][i] = (double)side->mesh->positions[i];
		side->errors[end] = fmax(side->errors[end], 256.0 * 0x1p-53 * fabs(side->ends[end][i]));
	}
	if (side->mesh->triangleCount > 0)
	{
		proveSide_Prepare(side, end);
	}
}

typedef struct meeting
{
	const provePath* path;
	const provePair* pair;
} meeting;

static bool Meet(void* user, uint32_t a, uint32_t b)
{
	const meeting* m = user;
	return provePath_Meet(
	    m->path, (const int[2]){ m->pair->a, m->pair->b }, (const uint32_t[2]){ a, b }, m->pair->atRest);
}

static bool LeaveOut(const provePath* path, proveSide* sides, provePair* pair)
{
	const int bodies[2] = { pair->a, pair->b };
	for (int i = 0; i < 4; ++i)
	{
		Place(path, sides, bodies[i / 2], 0, i % 2);
		if (pair->atRest)
		{
			PlaceAtRest(sides + bodies[i / 2], i % 2);
		}
	}
	proveSide* b = pair->a != pair->b ? sides + pair->b : NULL;
	return proveFindMeeting(sides + pair->a, b, Meet, &(meeting){ path, pair }, &pair->left, &pair->leftCount);
}

bool proveSteps_LeaveOut(const provePath* path, provePair* pairs, size_t pairCount, bool newOnly)
{
	proveSide* sides = NULL;
	bool good = CreateSides(path, &sides);
	for (size_t i = 0; good && i < pairCount; ++i)
	{
		good = (!newOnly && !pairs[i].atRest) || LeaveOut(path, sides, pairs + i);
	}
	if (!good)
	{
		cliError("%s: out of memory", path->scene->files[0].path);
	}
	FreeSides(path, sides);
	return good;
}
