#define _POSIX_C_SOURCE 200809L // fileno, isatty, mkdir, nanosleep

#include "program/commands/terminal.h"

#include "program/files/clock.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if defined(_WIN32)
#define mkdir(path, mode) mkdir(path)
#endif

#define SILENT_MS 1000.0

// What is being done. A thread of its own shows it, since those who work cannot tell how long they will take.
static struct
{
	pthread_mutex_t mutex; // for the rest, and for stderr
	bool running;
	bool shown;
	double start;
	char text[160];
} progress = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static void ClearProgress(void)
{
	if (progress.shown)
	{
		fputs("\r\033[K", stderr);
		progress.shown = false;
	}
}

// With the mutex held.
static void ShowProgress(void)
{
	double elapsed = clockNow() - progress.start;
	if (progress.text[0] != '\0' && elapsed >= SILENT_MS)
	{
		ClearProgress();
		fprintf(stderr, "%s (%.0f s)", progress.text, 1e-3 * elapsed);
		fflush(stderr);
		progress.shown = true;
	}
}

static void* Tick(void* user)
{
	const struct timespec pause = { .tv_nsec = 250000000 };
	for (;;)
	{
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&progress.mutex);
		ShowProgress();
		pthread_mutex_unlock(&progress.mutex);
	}
	return user;
}

// Who hears of errors instead of people; with the mutex held.
static cliHearFcn* hearError;
static void* hearUser;

void cliDivertErrors(cliHearFcn* hear, void* user)
{
	pthread_mutex_lock(&progress.mutex);
	hearError = hear;
	hearUser = user;
	pthread_mutex_unlock(&progress.mutex);
}

void cliError(const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	pthread_mutex_lock(&progress.mutex);
	if (hearError != NULL)
	{
		char text[4096];
		vsnprintf(text, sizeof(text), format, arguments);
		hearError(hearUser, text);
	}
	else
	{
		ClearProgress();
		fputs("snug: ", stderr);
		vfprintf(stderr, format, arguments);
		fputc('\n', stderr);
	}
	pthread_mutex_unlock(&progress.mutex);
	va_end(arguments);
}

bool cliShowsProgress(void)
{
	return isatty(fileno(stderr)) == 1;
}

static void StartTicking(void)
{
	pthread_t thread;
	progress.start = clockNow();
	progress.running = true;
	if (pthread_create(&thread, NULL, Tick, NULL) == 0)
	{
		pthread_detach(thread);
	}
}

void cliProgress(const char* format, ...)
{
	if (!cliShowsProgress())
	{
		return;
	}
	va_list arguments;
	va_start(arguments, format);
	pthread_mutex_lock(&progress.mutex);
	if (!progress.running)
	{
		StartTicking();
	}
	vsnprintf(progress.text, sizeof(progress.text), format, arguments);
	if (progress.text[0] == '\0')
	{
		ClearProgress();
	}
	pthread_mutex_unlock(&progress.mutex);
	va_end(arguments);
}

bool cliMakeDirectory(const char* path)
{
	struct stat status;
	if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode)))
	{
		return true;
	}
	cliError("%s: cannot make the directory: %s", path, strerror(errno));
	return false;
}
