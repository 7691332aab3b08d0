#include "program/commands.h"
#include "program/frames.h"
#include "program/json.h"
#include "program/terminal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cliUsage usage = {
	.command = "check",
	.synopsis = "[options] FILE [FILE2 ...]",
	.summary =
	    "Find all pairs of intersecting triangles between bodies of different files, and with --within also between\n"
	    "bodies of one file. Touching counts. Without --clip: at rest. With it: in every frame of the clip, in each "
	    "file\n"
	    "that has it; the others stay at rest, and one that has ended keeps its last pose. With --amplitudes: in "
	    "every\n"
	    "frame that `snug reduce` wrote, for .snug files with as many fields.\n"
	    "\n"
	    "Bodies are the mesh instances of the files, numbered from 0 file by file. Triangles of a body are numbered "
	    "from 0\n"
	    "in the order of the file; polygons are split, convex ones as fans.\n"
	    "\n"
	    "--json prints one object per frame and line: frame, time in seconds, bodies (file, name, triangles), pairs\n"
	    "(bodyA, triangleA, bodyB, triangleB; sorted by bodyA, bodyB, triangleA, triangleB), their count, what they "
	    "cost,\n"
	    "and the microseconds from the pose's numbers to the pairs. --csv prints the same per frame, without bodies "
	    "and\n"
	    "pairs. Nothing but the time depends on the number of threads.",
	.examples = "  snug check a.obj b.obj --place 0,0,0 --place 1.5,0,0 --rotate 0,0,0 --rotate 0,90,0\n"
	            "  snug check boxer.glb bag.glb --clip punch --fps 60\n"
	            "  snug check --json runner.glb wall.obj --clip run --from 0.5 --to 1 >contacts.json\n"
	            "  snug check --within --fail-on-contact --first character.glb || echo 'parts touch'\n"
	            "  snug check curtain.snug --amplitudes curtain.csv ball.obj\n"
	            "  snug check --method brute --csv a.glb b.glb --clip 0",
	.minArguments = 1,
	.maxArguments = INT_MAX,
	.argumentName = "FILE",
};

// Frames of a run at most: a day at 100 frames per second.
#define MAX_FRAMES 8640000.0

typedef struct check
{
	cliSceneOptions sceneOptions;
	cliContactOptions contactOptions;
	bool json, csv, failOnContact;
	int method; ///< 0 ours, 1 brute
	int threads;
	double fps, from, to; ///< not a number if not given
	cliScene scene;
	uint64_t frameCount;
	// What was shown.
	uint64_t pairCount, contactFrames, mostPairs, mostFrame;
	double microseconds, firstContact, lastContact;
} check;

static bool IsAnimated(const check* c)
{
	return c->sceneOptions.clip != NULL || c->sceneOptions.amplitudes != NULL;
}

// ---- JSON and CSV ----------------------------------------------------------------------------------------------

static void PrintJson(const check* c, uint64_t frame, double time, const cliContacts* contacts)
{
	printf("{\"frame\":%llu,\"time\":", (unsigned long long)frame);
	cliPrintJsonNumber(stdout, time);
	printf(",\"bodies\":[");
	for (int i = 0; i < c->scene.partCount; ++i)
	{
		const cliPart* part = c->scene.parts + i;
		printf(i > 0 ? ",[" : "[");
		cliPrintJsonString(stdout, c->scene.files[part->file].path);
		printf(",");
		cliPrintJsonString(stdout, part->name);
		printf(",%u]", part->triangleCount);
	}
	printf("],\"pairs\":[");
	for (uint64_t i = 0; i < contacts->count; ++i)
	{
		const cliPair* p = contacts->pairs + i;
		printf("%s[%d,%u,%d,%u]", i > 0 ? "," : "", p->bodies[0], p->pair.a, p->bodies[1], p->pair.b);
	}
	const snugCounters* counters = &contacts->counters;
	printf("],\"count\":%llu,\"nodesRefitted\":%llu,\"volumeTests\":%llu,\"verticesEvaluated\":%llu,"
	       "\"triangleTests\":%llu,\"microseconds\":%.3f}\n",
	    (unsigned long long)contacts->count, (unsigned long long)counters->nodesRefitted,
	    (unsigned long long)counters->volumeTests, (unsigned long long)counters->verticesEvaluated,
	    (unsigned long long)counters->triangleTests, contacts->microseconds);
}

static void PrintCsv(uint64_t frame, double time, const cliContacts* contacts)
{
	const snugCounters* counters = &contacts->counters;
	if (frame == 0)
	{
		printf("frame,time,count,nodesRefitted,volumeTests,verticesEvaluated,triangleTests,microseconds\n");
	}
	printf("%llu,", (unsigned long long)frame);
	cliPrintJsonNumber(stdout, time);
	printf(",%llu,%llu,%llu,%llu,%llu,%.3f\n", (unsigned long long)contacts->count,
	    (unsigned long long)counters->nodesRefitted, (unsigned long long)counters->volumeTests,
	    (unsigned long long)counters->verticesEvaluated, (unsigned long long)counters->triangleTests,
	    contacts->microseconds);
}

// ---- Tables ----------------------------------------------------------------------------------------------------

static void PrintBodies(const check* c)
{
	printf("%5s  %10s  %10s  %s\n", "body", "vertices", "triangles", "file and name");
	for (int i = 0; i < c->scene.partCount; ++i)
	{
		const cliPart* part = c->scene.parts + i;
		printf("%5d  %10u  %10u  %s  %s\n", i, part->vertexCount, part->triangleCount, c->scene.files[part->file].path,
		    part->name);
	}
}

// Which bodies touch: pairs are sorted by bodies.
static void PrintBodyPairs(const cliContacts* contacts)
{
	printf("\n%5s  %5s  %10s\n", "body", "body", "pairs");
	for (uint64_t i = 0, next; i < contacts->count; i = next)
	{
		const int* bodies = contacts->pairs[i].bodies;
		for (next = i + 1; next < contacts->count && memcmp(contacts->pairs[next].bodies, bodies, sizeof(int[2])) == 0;
		     ++next)
		{
		}
		printf("%5d  %5d  %10llu\n", bodies[0], bodies[1], (unsigned long long)(next - i));
	}
}

static void PrintOneFrame(const check* c, const cliContacts* contacts)
{
	PrintBodies(c);
	if (contacts->count > 0)
	{
		PrintBodyPairs(contacts);
	}
	if (c->contactOptions.first && contacts->count > 0)
	{
		const cliPair* p = contacts->pairs;
		printf("\ncontact: triangle %u of body %d and triangle %u of body %d (the search stopped there)\n", p->pair.a,
		    p->bodies[0], p->pair.b, p->bodies[1]);
		return;
	}
	printf("\n%llu intersecting pairs in %.1f microseconds: %llu volume tests, %llu triangle tests, %llu vertices "
	       "evaluated\n",
	    (unsigned long long)contacts->count, contacts->microseconds, (unsigned long long)contacts->counters.volumeTests,
	    (unsigned long long)contacts->counters.triangleTests, (unsigned long long)contacts->counters.verticesEvaluated);
}

static int CountBodyPairs(const cliContacts* contacts)
{
	int count = 0;
	for (uint64_t i = 0; i < contacts->count; ++i)
	{
		count += i == 0 || memcmp(contacts->pairs[i].bodies, contacts->pairs[i - 1].bodies, sizeof(int[2])) != 0;
	}
	return count;
}

static void PrintRow(const check* c, uint64_t frame, double time, const cliContacts* contacts)
{
	if (frame == 0)
	{
		PrintBodies(c);
		printf("\n%7s %9s %8s %9s %9s %9s %9s %9s\n", "", "time", "touching", "", "volume", "vertices", "triangle",
		    "micro-");
		printf("%7s %9s %8s %9s %9s %9s %9s %9s\n", "frame", "s", "bodies", "pairs", "tests", "evaluated", "tests",
		    "seconds");
	}
	printf("%7llu %9.4f %8d %9llu %9llu %9llu %9llu %9.1f\n", (unsigned long long)frame, time, CountBodyPairs(contacts),
	    (unsigned long long)contacts->count, (unsigned long long)contacts->counters.volumeTests,
	    (unsigned long long)contacts->counters.verticesEvaluated, (unsigned long long)contacts->counters.triangleTests,
	    contacts->microseconds);
}

static void PrintSummary(const check* c)
{
	printf("\n%llu frames, %llu of them with contact", (unsigned long long)c->frameCount,
	    (unsigned long long)c->contactFrames);
	if (c->contactFrames > 0)
	{
		printf(" (from %.4f to %.4f s)", c->firstContact, c->lastContact);
	}
	printf("; %llu intersecting pairs", (unsigned long long)c->pairCount);
	if (c->contactFrames > 0)
	{
		printf(", most in frame %llu: %llu", (unsigned long long)c->mostFrame, (unsigned long long)c->mostPairs);
	}
	printf("; %.1f microseconds per frame\n", c->microseconds / (double)c->frameCount);
}

// ---- Running ---------------------------------------------------------------------------------------------------

static void ShowFrame(void* user, uint64_t frame, double time, const cliContacts* contacts)
{
	check* c = user;
	if (contacts->count > 0)
	{
		c->firstContact = c->contactFrames == 0 ? time : c->firstContact;
		c->lastContact = time;
		c->contactFrames++;
	}
	if (contacts->count > c->mostPairs)
	{
		c->mostPairs = contacts->count;
		c->mostFrame = frame;
	}
	c->pairCount += contacts->count;
	c->microseconds += contacts->microseconds;
	if (c->json)
	{
		PrintJson(c, frame, time, contacts);
	}
	else if (c->csv)
	{
		PrintCsv(frame, time, contacts);
	}
	else if (!IsAnimated(c))
	{
		PrintOneFrame(c, contacts);
	}
	else
	{
		PrintRow(c, frame, time, contacts);
	}
}

// Frames at from, from + 1/fps, ... up to and including `to`, but for rounding.
static bool CountFrames(check* c)
{
	double to = isnan(c->to) ? fmax(cliScene_GetDuration(&c->scene), c->from) : c->to;
	double count = IsAnimated(c) ? floor((to - c->from) * c->fps + 1e-6) + 1.0 : 1.0;
	if (!(count >= 1.0 && count <= MAX_FRAMES))
	{
		cliError("%s: from %g to %g s at %g frames per second are %g frames: too many", c->scene.files[0].path, c->from,
		    to, c->fps, count);
		return false;
	}
	c->frameCount = (uint64_t)count;
	return true;
}

static int RunCheck(check* c, int fileCount, char** paths)
{
	if (!cliScene_Load(&c->scene, &c->sceneOptions, fileCount, paths) || !CountFrames(c))
	{
		return CLI_BAD_INPUT;
	}
	if (c->scene.fileCount == 1 && c->scene.partCount < 2)
	{
		cliError("%s: holds %s: there is nothing to compare", c->scene.files[0].path,
		    c->scene.partCount == 1 ? "one body only" : "no body");
		return CLI_BAD_INPUT;
	}
	cliFrames frames = { .scene = &c->scene,
		.options = &c->contactOptions,
		.from = c->from,
		.fps = c->fps,
		.count = c->frameCount,
		.threads = c->threads,
		.show = ShowFrame,
		.user = c };
	if (!cliFrames_Run(&frames))
	{
		return CLI_BAD_INPUT;
	}
	if (!c->json && !c->csv && IsAnimated(c))
	{
		PrintSummary(c);
	}
	return c->failOnContact && c->pairCount > 0 ? CLI_CONTACT : CLI_DONE;
}

// What the table of options cannot say.
static bool CheckUsage(check* c, int fileCount)
{
	bool timed = !isnan(c->fps) || !isnan(c->from) || !isnan(c->to);
	if (fileCount == 1 && !c->contactOptions.within)
	{
		cliError("check needs two files, or one and --within; see snug check --help");
		return false;
	}
	if (c->json && c->csv)
	{
		cliError("--json or --csv, not both; see snug check --help");
		return false;
	}
	if (timed && !IsAnimated(c))
	{
		cliError("--fps, --from and --to need --clip or --amplitudes; see snug check --help");
		return false;
	}
	c->fps = isnan(c->fps) ? 30.0 : c->fps;
	c->sceneOptions.fps = c->fps;
	c->from = isnan(c->from) ? 0.0 : c->from;
	if (!(c->fps > 0.0) || c->to < c->from)
	{
		cliError("%s; see snug check --help", c->fps > 0.0 ? "--to lies before --from" : "--fps must be positive");
		return false;
	}
	c->threads = c->threads > 0 ? c->threads : cliGetProcessorCount();
	c->threads = c->threads < 1024 ? c->threads : 1024;
	c->contactOptions.brute = c->method == 1;
	return cliSceneOptions_Check(&c->sceneOptions, "check", fileCount);
}

int cliCheck(int argumentCount, char** arguments)
{
	check c = { .fps = NAN, .from = NAN, .to = NAN };
	const cliOption options[] = {
		{ "--clip", cli_text, &c.sceneOptions.clip, "NAME|NUMBER", "check every frame of this animation" },
		CLI_AMPLITUDES_OPTION(&c.sceneOptions.amplitudes),
		{ "--fps", cli_number, &c.fps, "N", "frames per second; default 30" },
		{ "--from", cli_number, &c.from, "S", "time of the first frame in seconds; default 0" },
		{ "--to", cli_number, &c.to, "S", "time of the last frame; default the clip's end, the latest of all files" },
		CLI_PLACE_OPTION(&c.sceneOptions.places),
		CLI_ROTATE_OPTION(&c.sceneOptions.rotations),
		{ "--within", cli_flag, &c.contactOptions.within, NULL, "also between bodies of one file" },
		{ "--first", cli_flag, &c.contactOptions.first, NULL,
		    "look for one pair per frame, and no more: is there contact?" },
		{ "--fail-on-contact", cli_flag, &c.failOnContact, NULL, "exit with 3 if there is any pair" },
		{ "--json", cli_flag, &c.json, NULL, "print one JSON object per frame and line" },
		{ "--csv", cli_flag, &c.csv, NULL, "print one line per frame: counts and costs" },
		{ "--method", cli_choice, &c.method, "ours|brute", "brute: without trees, for comparison" },
		CLI_DEFORMER_OPTION(&c.sceneOptions.deformer),
		CLI_BOUND_OPTIONS(&c.sceneOptions),
		CLI_STRATEGY_OPTION(&c.sceneOptions.strategy),
		{ "--threads", cli_count, &c.threads, "N", "frames to check at once; default as many as processors" },
		{ .name = NULL },
	};
	cliParsed parsed = cliOptions_Parse(&usage, options, &argumentCount, arguments);
	int code = parsed == cli_help ? CLI_DONE : CLI_BAD_USAGE;
	if (parsed == cli_go && CheckUsage(&c, argumentCount))
	{
		code = RunCheck(&c, argumentCount, arguments);
	}
	cliScene_Free(&c.scene);
	cliOptions_Free(options);
	return code;
}
