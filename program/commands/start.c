// The commands that snug-lab runs: they need the papers' methods and other libraries, which are no part of `snug`.
#define _GNU_SOURCE // environ

#include "io/file.h"
#include "program/commands/commands.h"
#include "program/commands/options.h"
#include "program/commands/terminal.h"

#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHER "snug-lab"

// The other program beside this one. Its name alone, to be looked for in PATH, if this one's place is unknown or it is
// not there.
static const char* FindOther(char path[4096])
{
	return ioFindBeside(OTHER, path) && access(path, X_OK) == 0 ? path : OTHER;
}

// Instead of this program: it has the terminal, the signals and the exit code.
static void Become(const char* other, char** arguments)
{
	fflush(stdout);
	execvp(other, arguments);
}

// A part of the manual: this program goes on afterwards.
static bool Include(const char* other, char** arguments)
{
	pid_t pid;
	int status = 0;
	fflush(stdout);
	return posix_spawnp(&pid, other, NULL, NULL, arguments, environ) == 0 && waitpid(pid, &status, 0) == pid &&
	       WIFEXITED(status) && WEXITSTATUS(status) == CLI_DONE;
}

static int Start(const char* command, int count, char** arguments)
{
	static const char* const styles[] = {
		[cli_plainHelp] = "--plain", [cli_manHelp] = "--man", [cli_markdownHelp] = "--markdown"
	};
	char path[4096];
	const char* other = FindOther(path);
	char** all = malloc(((size_t)count + 4) * sizeof(char*));
	bool done = false;
	if (all != NULL)
	{
		cliHelpStyle style = cliOptions_GetHelpStyle();
		int used = 0;
		all[used++] = OTHER;
		all[used++] = (char*)(uintptr_t)styles[style];
		all[used++] = (char*)(uintptr_t)command;
		memcpy(all + used, arguments, (size_t)count * sizeof(char*));
		all[used + count] = NULL;
		if (style == cli_plainHelp)
		{
			Become(other, all);
		}
		else
		{
			done = Include(other, all);
		}
	}
	free(all);
	if (!done)
	{
		cliError("%s: needs the program %s, which is neither beside this one nor in PATH; `make` builds both", command,
		    OTHER);
	}
	return done ? CLI_DONE : CLI_BAD_INPUT;
}

int cliDemo(int argumentCount, char** arguments)
{
	return Start("demo", argumentCount, arguments);
}

int cliTruth(int argumentCount, char** arguments)
{
	return Start("truth", argumentCount, arguments);
}

int cliBench(int argumentCount, char** arguments)
{
	return Start("bench", argumentCount, arguments);
}

int cliPlay(int argumentCount, char** arguments)
{
	return Start("scene", argumentCount, arguments);
}
