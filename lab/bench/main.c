// The program `snug-lab`, which `snug bench`, `scene`, `truth` and `demo` start: what is compared with other methods
// and libraries, and what shows the papers' methods. Without a command it runs benchmarks.
#include "program/commands/commands.h"
#include "program/commands/options.h"
#include "program/files/output.h"

#include <string.h>

/// The words that say how help is printed, in the order of cliHelpStyle: `snug` makes its manual of all helps.
static const char* const styles[] = { "--plain", "--man", "--markdown" };

static const struct
{
	const char* name;
	int (*run)(int argumentCount, char** arguments);
} commands[] = { { "bench", cliBench }, { "scene", cliPlay }, { "truth", cliTruth }, { "demo", cliDemo } };

int main(int argumentCount, char** arguments)
{
	int used = 1;
	for (int style = 0; style < 3 && argumentCount > 1 && used == 1; ++style)
	{
		if (strcmp(arguments[1], styles[style]) == 0)
		{
			cliOptions_SetHelpStyle((cliHelpStyle)style);
			++used;
		}
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]) && used < argumentCount; ++i)
	{
		if (strcmp(arguments[used], commands[i].name) == 0)
		{
			return cliFlush(commands[i].run(argumentCount - used - 1, arguments + used + 1));
		}
	}
	return cliFlush(cliBench(argumentCount - used, arguments + used));
}
