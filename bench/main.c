// The program `snug-bench`, which `snug bench` and `snug scene` start: what is compared with other methods and
// libraries, and what shows the papers' methods. Without a command it runs benchmarks.
#include "program/commands.h"
#include "program/options.h"
#include "program/output.h"

#include <string.h>

/// The words that say how help is printed, in the order of cliHelpStyle: `snug` makes its manual of all helps.
static const char* const styles[] = { "--plain", "--man", "--markdown" };

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
	bool isScene = used < argumentCount && strcmp(arguments[used], "scene") == 0;
	used += isScene || (used < argumentCount && strcmp(arguments[used], "bench") == 0);
	return cliFlush((isScene ? cliPlay : cliBench)(argumentCount - used, arguments + used));
}
