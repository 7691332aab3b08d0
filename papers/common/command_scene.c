#include "papers/bdtree/scene_heap.h"
#include "papers/common/scene_show.h"
#include "papers/spherical/scene_twist.h"
#include "program/commands/commands.h"
#include "program/commands/options.h"
#include "program/commands/terminal.h"
#include "program/files/output.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SAVE_SECONDS 60 // from one state of a heap to the next

static const cliUsage usage = {
	.command = "scene",
	.synopsis = "[options] NAME",
	.summary =
	    "Simulate a scene of the papers that snug rests on, find all intersecting triangles in every frame, and write "
	    "a page that shows them in motion, with a table. Some frames are compared with brute force.\n\n"
	    "The names:\n\n"
	    "- brain (an elastic brain that is held and pulled)\n"
	    "- ring (six figures that hang from a ring which is turned to and fro, and bump into each other)\n"
	    "- fish (two dozen that swim, bump into each other and glance off)\n"
	    "- curtain (a ball is thrown at it; 6184 vertices, compressed to 12 displacement fields)\n"
	    "- characters (no simulation: two men and two creatures that meet, with the balls of their trees that a query "
	    "refits)\n"
	    "- twist (no simulation: a limb that is twisted, by three ways of skinning, with the balls of its tree; the "
	    "other options do not matter)\n"
	    "- chairs (plastic ones that fall on a heap and vibrate; contacts are those of spheres, and the page shows "
	    "them, how much they have grown, and which were updated)\n"
	    "- bridge (one that sways in the wind, showered with fish; the same)\n\n"
	    "Ctrl-C ends a simulation early: the page shows what there is, and NAME.state beside it is where --resume goes "
	    "on from. Of the curtain all is simulated first, and then shown. Heaps leave a state in any case, and every "
	    "minute, should the machine fail.",
	.examples = "  snug scene ring\n  snug scene ring --many --vertices 45682 --nodes 550\n"
	            "  snug scene curtain\n  snug scene twist\n  snug scene brain --nodes 509 --frames 120\n"
	            "  snug scene chairs --bodies 200\n  snug scene ring --resume report/ring.state",
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

/// A scene that runs frame by frame: one of elastic bodies, or of a heap.
typedef struct Player
{
	const char* name;
	show* show; ///< one of these two is null
	heap* heap;
} Player;

static bool Player_Create(Player* p, const showDef* def, const heapDef* heapOf, simError* error)
{
	*p = (Player){ .name = def->name };
	if (heap_Has(def->name))
	{
		p->heap = heap_Create(heapOf, error);
	}
	else
	{
		p->show = show_Create(def, error);
	}
	return p->heap != NULL || p->show != NULL;
}

static void Player_Destroy(Player* p)
{
	if (p->heap != NULL)
	{
		heap_Destroy(p->heap);
	}
	else
	{
		show_Destroy(p->show);
	}
}

static bool Player_RunFrame(const Player* p, simError* error)
{
	return p->heap != NULL ? heap_RunFrame(p->heap, error) : show_RunFrame(p->show, error);
}

/// What a scene prints: for each sort of scene.
typedef struct Printer
{
	void (*show)(const show*, FILE*);
	void (*heap)(const heap*, FILE*);
} Printer;

static const Printer head = { show_PrintHead, heap_PrintHead }, row = { show_PrintRow, heap_PrintRow };
static const Printer summary = { show_PrintSummary, heap_PrintSummary }, page = { show_PrintPage, heap_PrintPage };
static const Printer state = { show_WriteState, heap_WriteState };

static void Print(const Player* p, const Printer* printer, FILE* stream)
{
	if (p->heap != NULL)
	{
		printer->heap(p->heap, stream);
	}
	else
	{
		printer->show(p->show, stream);
	}
}

static bool WriteQuietly(const Player* p, const char* directory, const char* ending, const Printer* printer)
{
	char* path = JoinPath(directory, p->name, ending);
	ioOutput output;
	bool written = false;
	if (path != NULL && cliOutput_Open(&output, path))
	{
		Print(p, printer, output.stream);
		written = cliOutput_Commit(&output);
	}
	free(path);
	return written;
}

static bool Write(const Player* p, const char* directory, const char* ending, const Printer* printer)
{
	bool written = WriteQuietly(p, directory, ending, printer);
	if (written)
	{
		printf("%s: %s/%s%s\n", strcmp(ending, ".html") == 0 ? "report" : "state", directory, p->name, ending);
	}
	return written;
}

// Heaps run for hours: what a crash may cost is a minute.
static bool SaveNowAndThen(const Player* p, const char* directory, time_t* saved)
{
	time_t now = time(NULL);
	if (p->heap == NULL || now - *saved < SAVE_SECONDS)
	{
		return true;
	}
	*saved = now;
	return WriteQuietly(p, directory, ".state", &state);
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

static bool Resume(const Player* p, const char* path)
{
	FILE* stream = fopen(path, "r");
	simError error = { "" };
	if (stream == NULL)
	{
		cliError("%s: cannot open", path);
		return false;
	}
	bool good = p->heap != NULL ? heap_ReadState(p->heap, stream, &error) : show_ReadState(p->show, stream, &error);
	fclose(stream);
	if (!good)
	{
		cliError("%s: %s", path, error.text);
	}
	return good;
}

// What a scene simulates before any of it can be shown.
static bool Record(const Player* p, bool* recorded, simError* error)
{
	*recorded = false;
	return p->show == NULL || show_Record(p->show, GoOn, recorded, error);
}

static bool RunFrames(const Player* p, const char* directory)
{
	time_t saved = time(NULL);
	simError error = { "" };
	bool recorded = false;
	Print(p, &head, stdout);
	fflush(stdout); // frames may take long
	if (!Record(p, &recorded, &error))
	{
		cliProgress("");
		cliError("%s: %s", p->name, error.text);
		return false;
	}
	int frames = p->heap != NULL ? heap_GetGoal(p->heap) : show_GetGoal(p->show);
	for (int i = 0; i < frames && (recorded || !isInterrupted); ++i)
	{
		cliProgress("frame %d of %d", i, frames);
		if (!Player_RunFrame(p, &error))
		{
			cliProgress("");
			cliError("%s, frame %d: %s", p->name, i, error.text);
			return false;
		}
		if (i % 5 == 0)
		{
			cliProgress("");
			Print(p, &row, stdout);
		}
		if (!SaveNowAndThen(p, directory, &saved))
		{
			return false;
		}
	}
	cliProgress("");
	Print(p, &summary, stdout);
	return true;
}

int cliPlay(int argumentCount, char** arguments)
{
	const char *directory = "report", *resumed = NULL;
	showDef def = { .name = NULL };
	heapDef heaped = { .name = NULL };
	bool isRigid = false;
	const cliOption options[] = {
		{ "--frames", cli_count, &def.frames, "N",
		    "how many, 30 per second; default 60, characters 72, brain, chairs and bridge 90, curtain 110" },
		{ "--vertices", cli_count, &def.vertexCount, "N",
		    "of a body; default 29966 (brain), 2857 (ring), 8000 (fish)" },
		{ "--nodes", cli_count, &def.nodeCount, "N", "of a body; default 65 (brain), 115 (ring), 96 (fish)" },
		{ "--many", cli_flag, &def.hasMany, NULL, "ring: turn it by 120 degrees instead of 40" },
		{ "--pull", cli_count, &def.pull, "N", "brain: 1, 2 or 3, how hard it is pulled; default 2" },
		{ "--bodies", cli_count, &heaped.bodyCount, "N",
		    "chairs, bridge: how many; default 64 and 200, in the paper 3601 and 12000" },
		{ "--rigid", cli_flag, &isRigid, NULL, "chairs: they do not vibrate" },
		{ "--seed", cli_count, &heaped.seed, "N", "chairs, bridge: other turns" },
		{ "--threads", cli_count, &heaped.threads, "N", "chairs, bridge: that share the work of a step; default 1" },
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
	heaped.kind = isRigid ? 1 : 0;
	if (!cliMakeDirectory(directory))
	{
		return CLI_BAD_INPUT;
	}
	if (strcmp(def.name, "twist") == 0)
	{
		return ShowTwist(directory);
	}
	Player player;
	heaped.name = def.name;
	heaped.frames = def.frames;
	if (!Player_Create(&player, &def, &heaped, &error))
	{
		cliError("%s", error.text);
		return CLI_BAD_INPUT;
	}
	void (*kept)(int) = signal(SIGINT, Interrupt), (*keptToo)(int) = signal(SIGTERM, Interrupt);
	bool done = (resumed == NULL || Resume(&player, resumed)) && RunFrames(&player, directory);
	signal(SIGINT, kept);
	signal(SIGTERM, keptToo);
	// Heaps run long, and so leave a state in any case.
	bool leavesState = isInterrupted || player.heap != NULL;
	done = done && Write(&player, directory, ".html", &page) &&
	       (!leavesState || Write(&player, directory, ".state", &state)) &&
	       (player.show == NULL || show_CountDifferent(player.show) == 0);
	Player_Destroy(&player);
	return done ? CLI_DONE : CLI_BAD_INPUT;
}
