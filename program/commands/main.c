// The program `snug`: finds the command and runs it. See program/commands/commands.h.
#include "program/commands/commands.h"
#include "program/commands/guess.h"
#include "program/commands/help.h"
#include "program/commands/terminal.h"
#include "program/files/output.h"
#include "snug/snug.h"

#include <stdio.h>
#include <string.h>

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#endif

// In the order in which they are shown.
static cliCommandFcn* const commands[] = { cliDemo, cliCheck, cliProve, cliBatch, cliInfo, cliPose, cliPack, cliModes,
	cliReduce, cliPlay, cliTruth, cliView, cliBench };
static const cliTopic topics[] = {
	{ "demo", "two bodies that collide: a table, and a page with pictures", false },
	{ "check", "which triangles of these files intersect, at rest or in every frame?", false },
	{ "prove", "a proof that bodies do not meet at any instant, or when they do", false },
	{ "batch", "many checks in one process, in shards that can run anywhere", false },
	{ "info", "what is in a file: triangles, joints, morph targets, clips; tree and memory", false },
	{ "pose", "write posed meshes as OBJ, PLY or glTF", false },
	{ "pack", "precompute a model, to be loaded at once", false },
	{ "modes", "compute vibration modes of a mesh, as a model", false },
	{ "reduce", "compress a vertex animation to principal components, as a model", false },
	{ "scene", "simulate a scene of the papers: a table, and a page with pictures", true },
	{ "truth", "write hard questions with exact answers, and score a library's answers", true },
	{ "view", "characters and their contacts, live in a browser", false },
	{ "bench", "measure, beside other libraries", true },
};

#define COMMANDS (int)(sizeof(topics) / sizeof(topics[0]))

static void PrintHelp(FILE* stream)
{
	fprintf(stream, "snug %s: exact collision detection between deforming triangle meshes\n\n", snugGetVersion());
	fprintf(stream, "usage: snug COMMAND [options]\n\ncommands:\n");
	for (int i = 0; i < COMMANDS; ++i)
	{
		fprintf(stream, "  %-8s %s\n", topics[i].name, topics[i].help);
	}
	fprintf(stream, "\nexamples:\n"
	                "  snug demo\n"
	                "  snug info fox.glb\n"
	                "  snug check boxer.glb bag.glb --clip punch\n"
	                "\n`snug COMMAND --help` says more. `snug --version` prints the version.\n"
	                "Exit codes: 0 done, 1 bad input, 2 bad usage, 3 contact found and --fail-on-contact given,\n"
	                "130 interrupted.\n");
}

// The help of all commands as a man page; or of some for docs/program.md, of the others for docs/lab.md.
static int PrintManual(cliHelpStyle style, bool ofLab)
{
	cliOptions_SetHelpStyle(style);
	if (ofLab)
	{
		cliPrintLabHead();
	}
	else
	{
		cliPrintManualHead(topics, COMMANDS, style);
	}
	for (int i = 0; i < COMMANDS; ++i)
	{
		static char option[] = "--help";
		char* ask[] = { option };
		if (style == cli_manHelp || topics[i].isOfLab == ofLab)
		{
			commands[i](1, ask);
		}
	}
	cliPrintManualTail(style);
	return CLI_DONE;
}

static int RunCommand(const char* name, int count, char** arguments)
{
	for (int i = 0; i < COMMANDS; ++i)
	{
		if (strcmp(topics[i].name, name) == 0)
		{
			return commands[i](count, arguments);
		}
	}
	cliGuess guess = cliGuess_Begin(name);
	for (int i = 0; i < COMMANDS; ++i)
	{
		cliGuess_Try(&guess, topics[i].name);
	}
	char hint[96];
	cliError("unknown command '%s'%s; see snug --help", name, cliGuess_Print(&guess, hint, sizeof(hint)));
	return CLI_BAD_USAGE;
}

// `snug help check` is `snug check --help`.
static int ShowHelp(int count, char** arguments)
{
	static char option[] = "--help";
	char* ask[] = { option };
	if (count > 0)
	{
		return RunCommand(arguments[0], 1, ask);
	}
	PrintHelp(stdout);
	return CLI_DONE;
}

int main(int argumentCount, char** arguments)
{
	if (argumentCount < 2)
	{
		PrintHelp(stderr);
		return CLI_BAD_USAGE;
	}
#if defined(_WIN32)
	_setmode(_fileno(stdout), _O_BINARY); // lines end as everywhere
#endif
	const char* first = arguments[1];
	int code = CLI_DONE;
	if (strcmp(first, "--version") == 0)
	{
		printf("snug %s\n", snugGetVersion());
	}
	else if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "help") == 0)
	{
		code = ShowHelp(argumentCount - 2, arguments + 2);
	}
	else if (strcmp(first, "--man") == 0)
	{
		code = PrintManual(cli_manHelp, false);
	}
	else if (strcmp(first, "--markdown") == 0)
	{
		code = PrintManual(cli_markdownHelp, argumentCount > 2 && strcmp(arguments[2], "lab") == 0);
	}
	else
	{
		code = RunCommand(first, argumentCount - 2, arguments + 2);
	}
	return cliFlush(code);
}
