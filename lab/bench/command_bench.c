#include "lab/bench/bench.h"
#include "lab/bench/machine.h"
#include "program/commands/commands.h"
#include "program/commands/options.h"
#include "program/commands/terminal.h"
#include "program/files/output.h"
#include "program/pictures/html.h"

#include <limits.h>
#include <string.h>

#define MAX_BENCHES 64

static const char about[] =
    "Run benchmarks, all of them but the parts of papers if none is named. They print times, counters and memory. Each "
    "ends within a minute on a quiet machine; --full runs all variants and frames. A hash of the pairs stands beside "
    "every time; if methods disagree about the pairs, the run fails with exit code 1.\n\n"
    "The names:\n";

static const cliUsage usage = {
	.command = "bench",
	.synopsis = "[options] [NAME ...]",
	.examples = "  snug bench peers --html peers.html\n  snug bench load --json > load.json\n"
	            "  snug bench crowd near --strict\n"
	            "  snug bench meshless-tightness --model brain.ply --html bench.html\n"
	            "  snug bench skin-walk --model character.glb",
	.minArguments = 0,
	.maxArguments = INT_MAX,
	.argumentName = "NAME",
};

// What `about` says, and then a list of all benchmarks with what they measure.
static void Summarise(char* text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "%s", about);
	for (const benchDef* def = benchGetAll(); def->name != NULL && used < size; ++def)
	{
		used += (size_t)snprintf(text + used, size - used, "\n- %s (%s)", def->name, def->title);
	}
}

/// Those that are to be run, of the plan.
typedef struct benchList
{
	const benchDef* defs[MAX_BENCHES];
	int count;
} benchList;

static bool ChooseBenches(benchList* list, int count, char** names)
{
	for (const benchDef* def = benchGetAll(); count == 0 && def->name != NULL; ++def)
	{
		list->defs[list->count] = def;
		list->count += !def->isPart;
	}
	for (int i = 0; i < count && list->count < MAX_BENCHES; ++i)
	{
		const benchDef* def = benchFind(names[i]);
		if (def == NULL)
		{
			cliError("there is no benchmark '%s'; see snug bench --help", names[i]);
			return false;
		}
		list->defs[list->count++] = def;
	}
	return true;
}

static void BeginPage(FILE* page)
{
	benchMachine machine = benchGetMachine();
	char subtitle[256];
	snprintf(subtitle, sizeof(subtitle),
	    "snug %s, %s kernels, %s, on %s. Time that one thread worked, unless said; medians over frames.",
	    machine.version, machine.instructionSet, machine.compiler, machine.processor);
	htmlBegin(page, "snug: benchmarks", subtitle);
}

// Print a report in every form that is wanted, with its aims if they are.
static void ShowReport(const benchReport* report, bool json, bool strict, FILE* page)
{
	benchReport_PrintText(report, strict, json ? stderr : stdout);
	if (json)
	{
		benchReport_PrintJson(report, stdout);
		fflush(stdout);
	}
	if (page != NULL)
	{
		benchReport_PrintHtml(report, strict, page);
	}
	if (report->failure[0] != '\0')
	{
		cliError("bench %s: %s", report->name, report->failure);
	}
}

static int RunBenches(const benchList* list, const benchOptions* options, bool json, bool strict, const char* html)
{
	ioOutput output = { NULL, NULL, NULL };
	bool failed = false;
	if (html != NULL && !cliOutput_Open(&output, html))
	{
		return CLI_BAD_INPUT;
	}
	if (html != NULL)
	{
		BeginPage(output.stream);
	}
	for (int i = 0; i < list->count; ++i)
	{
		benchReport report = benchRun(list->defs[i], options);
		ShowReport(&report, json, strict, output.stream);
		failed = failed || report.failure[0] != '\0' || (strict && benchReport_CountMissed(&report) > 0);
		benchReport_Free(&report);
	}
	if (html != NULL)
	{
		htmlEnd(output.stream);
		if (!cliOutput_Commit(&output))
		{
			return CLI_BAD_INPUT;
		}
	}
	return failed ? CLI_BAD_INPUT : CLI_DONE;
}

int cliBench(int argumentCount, char** arguments)
{
	bool json = false, strict = false;
	const char* html = NULL;
	benchOptions run = { .progress = cliShowsProgress() };
	const cliOption options[] = {
		{ "--full", cli_flag, &run.full, NULL, "all variants, sizes and frames: minutes" },
		{ "--quick", cli_flag, &run.quick, NULL, "a few seconds each: what is large is left out" },
		{ "--strict", cli_flag, &strict, NULL, "also show what must be reached, and exit with 1 if it is not" },
		{ "--json", cli_flag, &json, NULL, "print one JSON object per benchmark; tables go to stderr" },
		{ "--model", cli_text, &run.model, "FILE",
		    "meshless-tightness: a mesh instead of a generated one; skin-tightness, skin-walk: a character instead of "
		    "those in DIR" },
		{ "--models", cli_text, &run.models, "DIR",
		    "where real characters are; default $SNUG_MODELS, then build/models" },
		{ "--html", cli_text, &html, "OUT", "write a page with tables and plots" },
		{ .name = NULL },
	};
	char summary[8192];
	cliUsage named = usage;
	Summarise(summary, sizeof(summary));
	named.summary = summary;
	cliParsed parsed = cliOptions_Parse(&named, options, &argumentCount, arguments);
	benchList list = { .count = 0 };
	if (parsed == cli_help)
	{
		return CLI_DONE;
	}
	if (parsed == cli_wrong || !ChooseBenches(&list, argumentCount, arguments))
	{
		return CLI_BAD_USAGE;
	}
	return RunBenches(&list, &run, json, strict, html);
}
