#include "program/commands.h"
#include "program/demo.h"
#include "program/options.h"
#include "program/output.h"
#include "program/terminal.h"

#include <stdlib.h>
#include <string.h>

static const cliUsage usage = {
	.command = "demo",
	.synopsis = "[options]",
	.summary =
	    "Collide two generated bodies of 45,000 vertices each over 60 frames: one deforms everywhere, the other\n"
	    "moves rigidly. Prints a table, compares some frames with brute force, and writes a page with pictures.",
	.examples = "  snug demo\n  snug demo --out pages",
	.minArguments = 0,
	.maxArguments = 0,
	.argumentName = "arguments",
};

static void PrintRow(const demo* d, int frame)
{
	const demoFrame* f = d->frames + frame;
	printf("%5d %7llu %8.3f %8.3f %8.3f %8llu %10llu %9llu\n", frame, (unsigned long long)f->pairs, f->setMs,
	    f->refitMs, f->queryMs, (unsigned long long)f->counters.volumeTests,
	    (unsigned long long)f->counters.verticesEvaluated, (unsigned long long)f->counters.triangleTests);
	fflush(stdout);
}

static void PrintSummary(const demo* d)
{
	int peak = demo_GetPeak(d), verified = demo_CountVerified(d), different = demo_CountDifferent(d);
	const demoFrame* f = d->frames + peak;
	printf("\nmedians over %d frames: set %.3f ms, refit %.3f ms, query %.3f ms\n", d->frameCount,
	    demo_GetMedian(d, offsetof(demoFrame, setMs)), demo_GetMedian(d, offsetof(demoFrame, refitMs)),
	    demo_GetMedian(d, offsetof(demoFrame, queryMs)));
	printf("most contact in frame %d: %llu pairs in %.3f ms", peak, (unsigned long long)f->pairs, f->queryMs);
	if (f->pairs > 0)
	{
		printf(", %.2f microseconds per pair", 1e3 * f->queryMs / (double)f->pairs);
	}
	if (verified == 0)
	{
		printf("\nno frame was compared with brute force\n");
		return;
	}
	printf(
	    "\n%d frames verified against brute force, %d difference%s\n", verified, different, different == 1 ? "" : "s");
}

static bool RunFrames(demo* d)
{
	printf(
	    "a free blob of %u vertices, %u triangles, all of them moving; a rigid ring of %u vertices, %u triangles\n\n",
	    d->blob.sphere.vertexCount, d->blob.sphere.triangleCount, d->ring.vertexCount, d->ring.triangleCount);
	printf("%5s %7s %8s %8s %8s %8s %10s %9s\n", "", "", "set", "refit", "query", "volume", "vertices", "triangle");
	printf("%5s %7s %8s %8s %8s %8s %10s %9s\n", "frame", "pairs", "ms", "ms", "ms", "tests", "evaluated", "tests");
	for (int i = 0; i < d->frameCount; ++i)
	{
		cliProgress("frame %d of %d", i, d->frameCount);
		if (!demo_RunFrame(d, i))
		{
			return false;
		}
		if (i % 5 == 0)
		{
			cliProgress("");
			PrintRow(d, i);
		}
	}
	cliProgress("");
	PrintSummary(d);
	return true;
}

static bool WritePage(const demo* d, const char* directory)
{
	size_t size = strlen(directory) + 16;
	char* path = malloc(size);
	ioOutput output;
	bool written = false;
	if (path == NULL)
	{
		cliError("%s: out of memory", directory);
		return false;
	}
	snprintf(path, size, "%s/demo.html", directory);
	if (cliOutput_Open(&output, path))
	{
		demo_PrintPage(d, output.stream);
		written = cliOutput_Commit(&output);
	}
	if (written)
	{
		printf("\nreport: %s\n", path);
	}
	free(path);
	return written;
}

int cliDemo(int argumentCount, char** arguments)
{
	const char* directory = "report";
	int frames = 60;
	const cliOption options[] = {
		{ "--out", cli_text, &directory, "DIR", "where demo.html goes; default report" },
		{ "--frames", cli_count, &frames, "N", "how many frames; default 60" },
		{ .name = NULL },
	};
	cliParsed parsed = cliOptions_Parse(&usage, options, &argumentCount, arguments);
	demo d;
	if (parsed != cli_go)
	{
		return parsed == cli_help ? CLI_DONE : CLI_BAD_USAGE;
	}
	if (!cliMakeDirectory(directory) || !demo_Create(&d, frames))
	{
		return CLI_BAD_INPUT;
	}
	bool done = RunFrames(&d) && WritePage(&d, directory) && demo_CountDifferent(&d) == 0;
	demo_Destroy(&d);
	return done ? CLI_DONE : CLI_BAD_INPUT;
}
