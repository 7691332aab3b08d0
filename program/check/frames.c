#define _POSIX_C_SOURCE 200809L // sysconf

#include "program/check/frames.h"

#include "program/commands/terminal.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

// Frame i is kept in slot i % slotCount until it has been shown.
typedef struct slot
{
	bool found;
	cliContacts contacts;
} slot;

typedef struct crew
{
	const cliFrames* frames;
	pthread_mutex_t mutex; ///< for all that follows but the contacts of slots that are being found
	pthread_cond_t found;  ///< a frame was found
	pthread_cond_t shown;  ///< a frame was shown, or all is to stop
	uint64_t next;         ///< frame that no thread has taken yet
	uint64_t shownCount;   ///< frames shown
	bool stop;
	slot* slots;
	uint64_t slotCount;
} crew;

int cliGetProcessorCount(void)
{
#if defined(_WIN32)
	long count = pthread_num_processors_np();
#else
	long count = sysconf(_SC_NPROCESSORS_ONLN);
#endif
	return count > 0 && count <= 1024 ? (int)count : 1;
}

static double TimeOf(const cliFrames* frames, uint64_t frame)
{
	return frames->from + (double)frame / frames->fps;
}

static bool IsStopped(const cliFrames* frames)
{
	return frames->stop != NULL && *frames->stop != 0;
}

static void PrintError(const cliFrames* frames, uint64_t frame, const ioError* error)
{
	if (cliSceneOptions_IsAnimated(frames->scene->options))
	{
		cliError("%s (frame %llu, at %g s)", error->text, (unsigned long long)frame, TimeOf(frames, frame));
	}
	else
	{
		cliError("%s", error->text);
	}
}

// The next frame for a thread, when there is a slot for it.
static bool TakeFrame(crew* c, uint64_t* frame)
{
	pthread_mutex_lock(&c->mutex);
	while (!c->stop && c->next < c->frames->count && c->next >= c->shownCount + c->slotCount)
	{
		pthread_cond_wait(&c->shown, &c->mutex);
	}
	bool taken = !c->stop && c->next < c->frames->count;
	*frame = c->next;
	c->next += taken;
	pthread_mutex_unlock(&c->mutex);
	return taken;
}

static void GiveFrame(crew* c, uint64_t frame)
{
	pthread_mutex_lock(&c->mutex);
	c->slots[frame % c->slotCount].found = true;
	pthread_cond_signal(&c->found);
	pthread_mutex_unlock(&c->mutex);
}

// What a thread needs: the bodies of a frame, and those of the frame before if it is asked what was between them.
typedef struct stages
{
	cliStage now, before;
	bool hasBefore;
	cliStage middle[CLI_MAX_HALVINGS + 1]; ///< of the whole way, of a half of it, ...
	int middleCount;
} stages;

static bool CreateStages(stages* s, const cliFrames* frames)
{
	*s = (stages){ .hasBefore = frames->options->between };
	bool made = cliStage_Create(&s->now, frames->scene);
	if (made && s->hasBefore)
	{
		made = cliStage_Create(&s->before, frames->scene);
		s->before.time = s->now.time = NAN; // no pose was set yet
		s->now.error = made ? s->now.error : s->before.error;
	}
	return made;
}

static void FreeStages(stages* s)
{
	cliStage_Free(&s->now);
	if (s->hasBefore)
	{
		cliStage_Free(&s->before);
	}
	for (int i = 0; i < s->middleCount; ++i)
	{
		cliStage_Free(s->middle + i);
	}
}

// How far any part is from the straight way, half-way.
static bool FindSagitta(cliStage* from, cliStage* middle, cliStage* to, double* most)
{
	bool good = true;
	*most = 0.0;
	for (int i = 0; good && i < to->scene->partCount; ++i)
	{
		double sagitta = 0.0;
		from->telling = middle->telling = to->telling = i;
		good = cliStage_Check(
		    middle, i, snugFindSagitta(from->bodies[i], middle->bodies[i], to->bodies[i], NULL, &sagitta));
		*most = sagitta > *most ? sagitta : *most;
	}
	return good;
}

// Look at the way from one stage to another, in two halves where it strays too far from straight ones; where it was
// halved too often already, remember how far it strays.
static bool FindBetween(
    stages* s, cliStage* from, cliStage* to, int halvings, const cliContactOptions* options, cliContacts* contacts)
{
	cliStage* middle = s->middle + halvings;
	double sagitta = 0.0;
	if (options->stray > 0.0)
	{
		bool good = halvings < s->middleCount || cliStage_Create(middle, to->scene);
		s->middleCount = halvings < s->middleCount ? s->middleCount : halvings + 1;
		good =
		    good && cliStage_SetTime(middle, 0.5 * (from->time + to->time)) && FindSagitta(from, middle, to, &sagitta);
		if (!good)
		{
			contacts->failed = true;
			contacts->error = middle->error;
			return false;
		}
	}
	if (sagitta > options->stray && halvings < CLI_MAX_HALVINGS)
	{
		return FindBetween(s, from, middle, halvings + 1, options, contacts) &&
		       FindBetween(s, middle, to, halvings + 1, options, contacts);
	}
	cliNear* near = &contacts->near;
	near->stray = sagitta > options->stray && sagitta > near->stray ? sagitta : near->stray;
	return cliContacts_FindBetween(contacts, from, to, options);
}

// The last frame's bodies are those of the frame before, if it was that one.
static bool FindFrame(const cliFrames* frames, stages* s, uint64_t frame, cliContacts* contacts)
{
	const bool isAfter = s->hasBefore && frame > 0;
	const double time = TimeOf(frames, frame), last = isAfter ? TimeOf(frames, frame - 1) : time;
	if (isAfter && s->now.time == last)
	{
		const cliStage swapped = s->now;
		s->now = s->before;
		s->before = swapped;
	}
	bool found = cliContacts_Find(contacts, &s->now, time, frames->options);
	if (found && isAfter && s->before.time != last)
	{
		found = cliStage_SetTime(&s->before, last);
		contacts->failed = !found;
		contacts->error = s->before.error;
	}
	found = found && (!isAfter || FindBetween(s, &s->before, &s->now, 0, frames->options, contacts));
	cliNear_EndBetween(&contacts->near);
	return found;
}

static void* Work(void* user)
{
	crew* c = user;
	stages s;
	bool made = CreateStages(&s, c->frames);
	for (uint64_t frame; TakeFrame(c, &frame);)
	{
		cliContacts* contacts = &c->slots[frame % c->slotCount].contacts;
		if (made)
		{
			FindFrame(c->frames, &s, frame, contacts);
		}
		else
		{
			contacts->failed = true;
			contacts->error = s.now.error;
		}
		GiveFrame(c, frame);
	}
	FreeStages(&s);
	return NULL;
}

// Wait for a frame, show it and free its slot.
static bool ShowFrame(crew* c, uint64_t frame)
{
	slot* s = c->slots + frame % c->slotCount;
	cliProgress("frame %llu of %llu", (unsigned long long)frame, (unsigned long long)c->frames->count);
	pthread_mutex_lock(&c->mutex);
	while (!s->found)
	{
		pthread_cond_wait(&c->found, &c->mutex);
	}
	s->found = false;
	pthread_mutex_unlock(&c->mutex);
	cliProgress("");
	bool good = !s->contacts.failed;
	if (good)
	{
		c->frames->show(c->frames->user, frame, TimeOf(c->frames, frame), &s->contacts);
	}
	else
	{
		PrintError(c->frames, frame, &s->contacts.error);
	}
	pthread_mutex_lock(&c->mutex);
	c->shownCount++;
	c->stop = !good || IsStopped(c->frames);
	pthread_cond_broadcast(&c->shown);
	pthread_mutex_unlock(&c->mutex);
	return good;
}

static bool RunCrew(crew* c, pthread_t* threads, int count)
{
	int started = 0;
	while (started < count && pthread_create(&threads[started], NULL, Work, c) == 0)
	{
		++started;
	}
	bool good = started > 0;
	if (!good)
	{
		cliError("cannot start a thread");
	}
	for (uint64_t i = 0; good && !c->stop && i < c->frames->count; ++i)
	{
		good = ShowFrame(c, i);
	}
	for (int i = 0; i < started; ++i)
	{
		pthread_join(threads[i], NULL);
	}
	return good;
}

// In this thread: no more is needed for a frame or a thread, and errors are easier to follow.
static bool RunAlone(const cliFrames* frames)
{
	stages s;
	cliContacts contacts = { .count = 0 };
	bool good = CreateStages(&s, frames);
	uint64_t i = 0;
	contacts.error = s.now.error;
	for (; good && !IsStopped(frames) && i < frames->count; ++i)
	{
		cliProgress("frame %llu of %llu", (unsigned long long)i, (unsigned long long)frames->count);
		good = FindFrame(frames, &s, i, &contacts);
		cliProgress("");
		if (good)
		{
			frames->show(frames->user, i, TimeOf(frames, i), &contacts);
		}
	}
	if (!good)
	{
		PrintError(frames, i > 0 ? i - 1 : 0, &contacts.error);
	}
	FreeStages(&s);
	cliContacts_Free(&contacts);
	return good;
}

bool cliFrames_Run(const cliFrames* frames)
{
	int count = (uint64_t)frames->threads < frames->count ? frames->threads : (int)frames->count;
	if (count == 1)
	{
		return RunAlone(frames);
	}
	crew c = { .frames = frames, .slotCount = 4 * (uint64_t)count };
	pthread_t* threads = calloc((size_t)count, sizeof(pthread_t));
	c.slots = calloc((size_t)c.slotCount, sizeof(slot));
	bool good = threads != NULL && c.slots != NULL;
	if (good)
	{
		pthread_mutex_init(&c.mutex, NULL);
		pthread_cond_init(&c.found, NULL);
		pthread_cond_init(&c.shown, NULL);
		good = RunCrew(&c, threads, count);
		pthread_mutex_destroy(&c.mutex);
		pthread_cond_destroy(&c.found);
		pthread_cond_destroy(&c.shown);
	}
	else
	{
		cliError("%s: out of memory", frames->scene->files[0].path);
	}
	for (uint64_t i = 0; c.slots != NULL && i < c.slotCount; ++i)
	{
		cliContacts_Free(&c.slots[i].contacts);
	}
	free(c.slots);
	free(threads);
	return good;
}
