#define _POSIX_C_SOURCE 200809L // sigaction, unlink

#include "program/output.h"

#include "program/commands.h"
#include "program/terminal.h"

#include <signal.h>
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

bool cliOutput_Check(const char* path, const char* ending, const char* input)
{
	struct stat out, in;
	bool exists = stat(path, &out) == 0;
	size_t length = strlen(path), endingLength = strlen(ending);
	bool isNamedSo = length > endingLength && strcmp(path + length - endingLength, ending) == 0;
	if (!isNamedSo && (!exists || S_ISREG(out.st_mode)))
	{
		cliError("%s: the name of what is written must end in %s", path, ending);
		return false;
	}
	if (exists && stat(input, &in) == 0 && out.st_dev == in.st_dev && out.st_ino == in.st_ino)
	{
		cliError("%s: is the input", path);
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
