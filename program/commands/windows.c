// What the program for Windows leaves out: commands that start another program, serve pages, or write to memory as to a
// file. What `snug view` shows is snug.html, a page that opens from a disk.
#include "program/commands/commands.h"
#include "program/commands/terminal.h"

#define LEAVE_OUT(function, name)                               \
	int function(int argumentCount, char** arguments)           \
	{                                                           \
		(void)argumentCount, (void)arguments;                   \
		cliError("%s is not in the program for Windows", name); \
		return CLI_BAD_INPUT;                                   \
	}

LEAVE_OUT(cliBatch, "batch")
LEAVE_OUT(cliBench, "bench")
LEAVE_OUT(cliDemo, "demo")
LEAVE_OUT(cliPlay, "scene")
LEAVE_OUT(cliTruth, "truth")
LEAVE_OUT(cliView, "view")
