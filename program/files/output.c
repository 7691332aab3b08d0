#define _POSIX_C_SOURCE 200809L // sigaction, unlink

#include "program/files/output.h"

#include "program/commands/commands.h"
#include "program/commands/terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Written before `guarded` is set, and not while it is: what the handler reads is whole.
static char guardedPath[4096];
static volatile sig_atomic_t guarded;

// Only what may be called in a handler.
static void RemoveAndEnd(int number)
{
	if (guarded)
	{
		unlink(guardedPath);
	}
	signal(number, SIG_DFL);
	raise(number);
}

#if defined(_WIN32)
static void InstallHandlers(void)
{
	signal(SIGINT, RemoveAndEnd);
	signal(SIGTERM, RemoveAndEnd);
}

// Windows gives files no numbers here.
static bool IsSame(const char* path, const char* input)
{
	char* a = _fullpath(NULL, path, 0);
	char* b = _fullpath(NULL, input, 0);
	bool same = a != NULL && b != NULL && _stricmp(a, b) == 0;
	free(a);
	free(b);
	return same;
}
#else
static void InstallHandlers(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i)
	{
		struct sigaction old, action = { .sa_handler = RemoveAndEnd };
		// What is ignored stays so: nohup, and jobs in the background.
		if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		{
			sigemptyset(&action.sa_mask);
			sigaction(numbers[i], &action, NULL);
		}
	}
}

static bool IsSame(const char* path, const char* input)
{
	struct stat out, in;
	return stat(path, &out) == 0 && stat(input, &in) == 0 && out.st_dev == in.st_dev && out.st_ino == in.st_ino;
}
#endif

// Remove this file if the program is interrupted. Null: no more.
static bool Guard(const char* temporary)
{
	guarded = 0;
	if (temporary == NULL)
	{
		return true;
	}
	if (strlen(temporary) >= sizeof(guardedPath))
	{
		cliError("%s: cannot write: the path is too long", temporary);
		return false;
	}
	strcpy(guardedPath, temporary);
	InstallHandlers();
	guarded = 1;
	return true;
}

// Whether a name ends in one of several words.
static bool EndsInOneOf(const char* path, const char* endings)
{
	size_t length = strlen(path);
	for (const char* word = endings; *word != '\0'; word += strspn(word, " "))
	{
		size_t wordLength = strcspn(word, " ");
		if (length > wordLength && strncmp(path + length - wordLength, word, wordLength) == 0)
		{
			return true;
		}
		word += wordLength;
	}
	return false;
}

bool cliOutput_Check(const char* path, const char* endings, const char* input)
{
	struct stat out;
	bool exists = stat(path, &out) == 0;
	if (endings != NULL && !EndsInOneOf(path, endings) && (!exists || S_ISREG(out.st_mode)))
	{
		cliError("%s: the name of what is written must end in %s%s", path,
		    strchr(endings, ' ') != NULL ? "one of " : "", endings);
		return false;
	}
	if (exists && IsSame(path, input))
	{
		cliError("%s: is the input", path);
		return false;
	}
	return true;
}

bool cliOutput_HasPlace(const char* path)
{
	struct stat status;
	const char* name = path != NULL ? ioFindName(path) : NULL;
	const char* slash = name != path ? name - 1 : NULL;
	size_t length = slash == NULL ? 1 : slash == path ? 1 : (size_t)(slash - path);
	char directory[4096];
	if (path == NULL || length >= sizeof(directory) ||
	    (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
	{
		return true; // opening it will tell
	}
	memcpy(directory, slash != NULL ? path : ".", length);
	directory[length] = '\0';
	if (stat(directory, &status) != 0 || access(directory, W_OK | X_OK) != 0)
	{
		cliError("%s: cannot write: %s", path, strerror(errno));
		return false;
	}
	if (!S_ISDIR(status.st_mode))
	{
		cliError("%s: cannot write: %s", path, strerror(ENOTDIR));
		return false;
	}
	return true;
}

bool cliOutput_Open(ioOutput* output, const char* path)
{
	ioError error;
	if (!ioOutput_Open(output, path, &error))
	{
		cliError("%s", error.text);
		return false;
	}
	if (!Guard(output->temporary))
	{
		ioOutput_Abandon(output);
		return false;
	}
	return true;
}

void cliOutput_Abandon(ioOutput* output)
{
	ioOutput_Abandon(output);
	Guard(NULL);
}

bool cliOutput_Commit(ioOutput* output)
{
	ioError error;
	bool done = ioOutput_Commit(output, &error);
	Guard(NULL);
	if (!done)
	{
		cliError("%s", error.text);
	}
	return done;
}

bool cliOutput_WriteModel(const char* path, const snugModel* model)
{
	ioOutput output;
	size_t bytes;
	const void* block = snugModel_GetBlock(model, &bytes);
	if (!cliOutput_Open(&output, path))
	{
		return false;
	}
	fwrite(block, 1, bytes, output.stream);
	return cliOutput_Commit(&output);
}

int cliFlush(int code)
{
	ioError error;
	if (!ioFlush(stdout, "standard output", &error))
	{
		cliError("%s", error.text);
		return CLI_BAD_INPUT;
	}
	return code;
}
