#include "bench/scene_show.h"
#include "bench/scene_twist.h"
#include "program/commands.h"
#include "program/options.h"
#include "program/output.h"
#include "program/terminal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const cliUsage usage = {
	.command = "scene",
	.synopsis = "[options] NAME",
	.summary =
	    "Simulate a scene of the papers that snug rests on, find all intersecting triangles in every frame, and write\n"
	    "a page with pictures and a table. Some frames are compared with brute force.\n"
	    "\n"
	    "names: brain (an elastic brain that is held and pulled), ring (six figures that hang from a ring which is\n"
	    "turned to and fro, and bump into each other), fish (two dozen that swim and bump into each other), curtain "
	    "(a\n"
	    "ball is thrown at it; 6184 vertices, compressed to 12 displacement fields), twist (a limb that is twisted, "
	    "by\n"
	    "three ways of skinning, with the balls of its tree; no simulation: the other options do not matter)\n"
	    "\n"
	    "Ctrl-C ends a simulation early: the page shows what there is, and NAME.state beside it is where --resume\n"
	    "goes on from. Of the curtain all is simulated first, and then shown.",
	.examples = "  snug scene ring\n  snug scene ring --many --vertices 45682 --nodes 550\n"
	            "  snug scene curtain\n  snug scene twist\n  snug scene brain --nodes 509 --frames 120\n  snug scene "
	            "ring --resume report/ring.state",
	.minArguments = 1,
	.maxArguments = 1,
	.argumentName = "NAME",
};

static volatile sig_atomic_t isInterrupted;

static void Interrupt(int number)
{
	isInterrupted = 1;
	signal(number, SIG_DFL); // the next one ends the program
}

static bool GoOn(int frame, int frames)
{
	cliProgress("simulating frame %d of %d", frame, frames);
	return !isInterrupted;
}

static char* JoinPath(const char* directory, const char* name, const char* ending)
{
	size_t size = strlen(directory) + strlen(name) + strlen(ending) + 2;
	char* path = malloc(size);
	if (path != NULL)
	{
		snprintf(path, size, "%s/%s%s", directory, name, ending);
	}
	else
	{
		cliError("%s: out of memory", directory);
	}
	return path;
}

static bool Write(const show* s, const char* directory, const char* ending, void (*print)(const show*, FILE*))
{
	char* path = JoinPath(directory, show_GetName(s), ending);
	ioOutput output;
	bool written = false;
	if (path != NULL && cliOutput_Open(&output, path))
	{
		print(s, output.stream);
		written = cliOutput_Commit(&output);
	}
	if (written)
	{
		printf("%s: %s\n", strcmp(ending, ".html") == 0 ? "report" : "state", path);
	}
	free(path);
	return written;
}

// No frames: three skins side by side.
static int ShowTwist(const char* directory)
{
	simError error = { "" };
	twist* t = twist_Create(&error);
	char* path = JoinPath(directory, "twist", ".html");
	ioOutput output;
	bool written = false;
	if (t == NULL)
	{
		cliError("twist: %s", error.text);
	}
	else if (path != NULL && cliOutput_Open(&output, path))
	{
		twist_PrintTable(t, stdout);
		twist_PrintPage(t, output.stream);
		written = cliOutput_Commit(&output);
		if (written)
		{
			printf("report: %s\n", path);
		}
	}
	if (t != NULL)
	{
		written = written && twist_CountDifferent(t) == 0;
		twist_Destroy(t);
	}
	free(path);
	return written ? CLI_DONE : CLI_BAD_INPUT;
}

static bool Resume(show* s, const char* path)
{
	FILE* stream = fopen(path, "r");
	simError error = { "" };
	if (stream == NULL)
	{
		cliError("%s: cannot open", path);
		return false;
	}
	bool good = show_ReadState(s, stream, &error);
	fclose(stream);
	if (!good)
	{
		cliError("%s: %s", path, error.text);
	}
	return good;
}

static bool RunFrames(show* s)
{
	simError error = { "" };
	bool recorded = false;
	if (!show_Record(s, GoOn, &recorded, &error))
	{
		cliProgress("");
		cliError("%s: %s", show_GetName(s), error.text);
		return false;
	}
	show_PrintHead(s, stdout);
	int frames = show_GetGoal(s);
	for (int i = 0; i < frames && (recorded || !isInterrupted); ++i)
	{
		cliProgress("frame %d of %d", i, frames);
		if (!show_RunFrame(s, &error))
		{
			cliProgress("");
			cliError("%s, frame %d: %s", show_GetName(s), i, error.text);
			return false;
		}
		if (i % 5 == 0)
		{
			cliProgress("");
			show_PrintRow(s, stdout);
		}
	}
	cliProgress("");
	show_PrintSummary(s, stdout);
	return true;
}

int cliPlay(int argumentCount, char** arguments)
{
	const char *directory = "report", *resumed = NULL;
	showDef def = { .name = NULL };
	const cliOption options[] = {
		{ "--frames", cli_count, &def.frames, "N", "how many, 30 per second; default 60, brain 90, curtain 110" },
		{ "--vertices", cli_count, &def.vertexCount, "N",
		    "of a body; default 29966 (brain), 2857 (ring), 8000 (fish)" },
		{ "--nodes", cli_count, &def.nodeCount, "N", "of a body; default 65 (brain), 115 (ring), 96 (fish)" },
		{ "--many", cli_flag, &def.hasMany, NULL, "ring: turn it by 120 degrees instead of 40" },
		{ "--pull", cli_count, &def.pull, "N", "brain: 1, 2 or 3, how hard it is pulled; default 2" },
		{ "--out", cli_text, &directory, "DIR", "where NAME.html goes; default report" },
		{ "--resume", cli_text, &resumed, "FILE", "go on from a state, with the same options" },
		{ .name = NULL },
	};
	cliParsed parsed = cliOptions_Parse(&usage, options, &argumentCount, arguments);
	if (parsed != cli_go)
	{
		return parsed == cli_help ? CLI_DONE : CLI_BAD_USAGE;
	}
	simError error = { "" };
	def.name = arguments[0];
	if (!cliMakeDirectory(directory))
	{
		return CLI_BAD_INPUT;
	}
	if (strcmp(def.name, "twist") == 0)
	{
		return ShowTwist(directory);
	}
	show* s = show_Create(&def, &error);
	if (s == NULL)
	{
		cliError("%s", error.text);
		return CLI_BAD_INPUT;
	}
	void (*kept)(int) = signal(SIGINT, Interrupt);
	bool done = (resumed == NULL || Resume(s, resumed)) && RunFrames(s);
	signal(SIGINT, kept);
	done = done && Write(s, directory, ".html", show_PrintPage) &&
	       (!isInterrupted || Write(s, directory, ".state", show_WriteState)) && show_CountDifferent(s) == 0;
	show_Destroy(s);
	return done ? CLI_DONE : CLI_BAD_INPUT;
}
