#define _POSIX_C_SOURCE 200809L // sigaction

#include "program/check/check.h"
#include "program/check/frames.h"
#include "program/commands/commands.h"
#include "program/commands/quote.h"
#include "program/commands/terminal.h"
#include "program/files/output.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cliUsage usage = {
	.command = "check",
	.synopsis = "[options] FILE [FILE2 ...]",
	.summary =
	    "Find all pairs of intersecting triangles between bodies of different files; with --within also between bodies "
	    "of one file. Touching counts. A file that is alone is checked against itself, as with --within and --self.\n\n"
	    "Without --clip files are at rest. With one --clip every frame of it is checked, in each file that has it; the "
	    "others stay at rest. With several, the first is for the first file and so on, and `-` means rest. A file "
	    "whose clip has ended keeps its last pose. With --amplitudes every frame that `snug reduce` wrote is checked, "
	    "in .snug files with as many fields.\n\n"
	    "Clips are given by name, by number, or by a part of the name that no other clip has; case does not matter. "
	    "`snug info` lists clips and joints. --by-joint says where bodies touch: each triangle counts for the joint "
	    "with the most weight at its corners.\n\n"
	    "Bodies are the mesh instances of the files, numbered from 0, file by file. Triangles of a body are numbered "
	    "from 0 in the order of the file; polygons are split, convex ones as fans.\n\n"
	    "--self also finds where a body meets itself, such as an arm that goes through a chest. Neighbours in the mesh "
	    "do not count, nor does what already meets at rest, unless --keep-rest asks for it. --margin finds pairs that "
	    "come near each other, with --self also those of one body that are farther apart at rest, --distance how far "
	    "apart bodies are and where, --contacts the curves along which they meet, --inside the vertices of a body that "
	    "are inside another one, such as those of a garment in its wearer, with --self also those inside their own.\n\n"
	    "--between also looks at the way from each frame to the next, on which every vertex goes straight: bodies that "
	    "are apart in both frames and meet on the way, with the time before which they do not. Nothing slips through, "
	    "however fast it is. Where joints turn much between frames, vertices stray from straight ways: --stray halves "
	    "the way until poses half-way are no farther than that from straight, eight times at most, and says if that is "
	    "not enough. Not with --self: a body and itself are not looked at between frames.\n\n"
	    "--json prints one object per frame and line, which docs/check-json.md describes. It is the same for every "
	    "number of threads, instruction set and method; times and work done, which are not, are in the field `cost`, "
	    "which --costs adds. --csv prints one line per frame.\n\n"
	    "--html writes a page to look at and to send: the bodies in motion, to be turned, with contacts in red, a "
	    "timeline, a table by joints, and the command, all in one file. --png writes a picture of the worst frame, "
	    "without text.\n\n"
	    "For quality control: --deeper-than and --longer-than say which contacts count, that is, frames in contact "
	    "that follow each other; --fail-on-contact exits with 3 if one does. Contact is any pair, and any vertex that "
	    "--inside finds in another body; not those in their own, where they may be at rest. What is open has no depth "
	    "and always counts. --ignore leaves out pairs of triangles by the joints that they belong to, --new-only those "
	    "that meet in the first frame already, as shoes and legs may; depths then count from how deep the same joints "
	    "met in that frame, and the worst frame is the deepest. Where depths are known, tables by joint begin with "
	    "what is deepest.\n\n"
	    "Ctrl-C ends a run after the current frame; everything complete is printed, and the page is written.",
	.examples =
	    "  snug check kicker.glb victim.glb --clip kick --clip idle --place 0,0,0 --place 0,0,0.8 --html page.html\n"
	    "  snug check boxer.glb bag.glb --clip punch --fps 60 --by-joint --summary\n"
	    "  snug check a.obj b.obj --place 0,0,0 --place 1.5,0,0 --rotate 0,0,0 --rotate 0,90,0\n"
	    "  snug check --json runner.glb wall.obj --clip run --from 0.5 --to 1 >contacts.json\n"
	    "  snug check dancer.glb --clip spin --by-joint --summary\n"
	    "  snug check a.glb b.glb --clip 0 --contacts curves.obj\n"
	    "  snug check hand.glb cup.obj --clip reach --distance --margin 0.01\n"
	    "  snug check coat.obj body.obj --inside\n"
	    "  snug check bullet.glb wall.obj --clip shot --between --fail-on-contact\n"
	    "  snug check dancer.glb floor.obj --clip spin --between --stray 0.001\n"
	    "  snug check a.glb b.glb --clip 0 --summary --fail-on-contact --deeper-than 0.01 --longer-than 0.1\n"
	    "  snug check --within --fail-on-contact --first character.glb || echo 'parts touch'\n"
	    "  snug check curtain.snug --amplitudes curtain.csv ball.obj\n"
	    "  snug check --method brute --csv a.glb b.glb --clip 0",
	.minArguments = 1,
	.maxArguments = INT_MAX,
	.argumentName = "FILE",
};

// Frames of a run at most: a day at 100 frames per second.
#define MAX_FRAMES 8640000.0
// Pairs that JSON lists unless more are asked for: some 20 MB.
#define DEFAULT_LIMIT 1000000

bool checkIsAnimated(const check* c)
{
	return cliSceneOptions_IsAnimated(&c->sceneOptions);
}

bool checkIsSelective(const check* c)
{
	return !isnan(c->deeperThan) || !isnan(c->longerThan);
}

bool checkNamesFiles(const check* c)
{
	const bool isWithin = c->contactOptions.self || c->contactOptions.within;
	return c->scene.fileCount > 2 || (c->scene.fileCount == 2 && isWithin);
}

bool checkIsCut(const check* c)
{
	return c->tally.frameCount < c->frameCount;
}

// ---- Interruption ----------------------------------------------------------------------------------------------

static volatile sig_atomic_t interrupted;

static void Interrupt(int number)
{
	interrupted = number;
}

// The first Ctrl-C asks for an end, the second one ends. What is ignored stays so: jobs in the background.
static void HearInterrupts(void)
{
#if defined(_WIN32)
	signal(SIGINT, Interrupt); // which forgets it when it comes, too
#else
	struct sigaction old, action = { .sa_handler = Interrupt, .sa_flags = (int)SA_RESETHAND };
	if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
	{
		sigemptyset(&action.sa_mask);
		sigaction(SIGINT, &action, NULL);
	}
#endif
}

// ---- Running ---------------------------------------------------------------------------------------------------

static void ShowFrame(void* user, uint64_t frame, double time, cliContacts* contacts)
{
	check* c = user;
	const bool isFiltered = cliIgnored_Filter(&c->ignored, &c->regions, contacts);
	if (c->contactOptions.curves)
	{
		cliContacts_KeepCurves(contacts);
	}
	c->outOfMemory = !isFiltered || !cliTally_Add(&c->tally, time, contacts) ||
	                 (c->kept.frames != NULL && !cliKept_Add(&c->kept, frame, time, contacts)) ||
	                 (c->curvePath != NULL && !cliCurves_Add(&c->curves, frame, time, &contacts->near)) ||
	                 c->outOfMemory;
	if (c->json && !c->summary)
	{
		checkPrintJson(c, frame, time, contacts);
	}
	else if (c->csv)
	{
		checkPrintCsv(c, frame, time, contacts);
	}
	else if (!c->json)
	{
		checkPrintFrame(c, frame, time, contacts);
	}
}

static void ShowEnd(check* c)
{
	cliTally_Finish(&c->tally);
	cliKept_Finish(&c->kept);
	if (c->json && c->summary)
	{
		checkPrintJsonSummary(c);
	}
	else if (!c->json && !c->csv)
	{
		checkPrintSummary(c);
	}
	if (c->json && !c->summary && c->limit > 0 && c->listed < c->listable)
	{
		cliError("warning: %llu of %llu pairs%s are listed; --limit N lists more, --summary none",
		    (unsigned long long)c->listed, (unsigned long long)c->listable,
		    c->contactOptions.inside ? " and vertices" : "");
	}
	if (c->tally.stray > 0.0)
	{
		cliError("warning: halved %d times, ways between frames still stray by %.2g from straight ones, not by %g: a "
		         "higher --fps makes them shorter",
		    CLI_MAX_HALVINGS, c->tally.stray, c->contactOptions.stray);
	}
	if (checkIsCut(c))
	{
		cliError("interrupted: %llu of %llu frames are complete", (unsigned long long)c->tally.frameCount,
		    (unsigned long long)c->frameCount);
	}
}

// Frames at from, from + 1/fps, ... up to and including `to`, but for rounding.
static bool CountFrames(check* c)
{
	double to = isnan(c->to) ? fmax(cliScene_GetDuration(&c->scene), c->from) : c->to;
	double count = checkIsAnimated(c) ? floor((to - c->from) * c->fps + 1e-6) + 1.0 : 1.0;
	if (!(count >= 1.0 && count <= MAX_FRAMES))
	{
		cliError("%s: from %g to %g s at %g frames per second are %g frames: too many", c->scene.files[0].path, c->from,
		    to, c->fps, count);
		return false;
	}
	c->frameCount = (uint64_t)count;
	if (checkIsAnimated(c))
	{
		cliScene_WarnOfTime(&c->scene, "--from", c->from);
	}
	if (!isnan(c->to) && c->to > c->from)
	{
		cliScene_WarnOfTime(&c->scene, "--to", c->to);
	}
	return true;
}

// One file twice, in one place and pose: every triangle meets its own copy, which nobody wants to know.
static void WarnOfTwins(const cliScene* scene)
{
	for (int i = 1; i < scene->fileCount; ++i)
	{
		const cliFile* file = scene->files + i;
		for (int k = 0; k < i; ++k)
		{
			const cliFile* other = scene->files + k;
			if (file->twin == other->twin && file->clip == other->clip && file->offset == other->offset &&
			    memcmp(&file->frame, &other->frame, sizeof(file->frame)) == 0)
			{
				cliError("warning: %s is there twice in one place and pose: --place moves one of them, --self checks a "
				         "body against itself",
				    file->path);
				return;
			}
		}
	}
}

// What is asked about two bodies has no answer where there is one; "nothing found" would sound like one.
static bool HasEnough(const check* c)
{
	const cliContactOptions* asked = &c->contactOptions;
	const char* path = c->scene.files[0].path;
	const char* ofTwo = asked->brute       ? "--method brute"
	                    : asked->between   ? "--between"
	                    : asked->distances ? "--distance"
	                                       : NULL;
	if (c->scene.partCount == 0)
	{
		cliError("%s: holds no body: there is nothing to compare", path);
	}
	else if (c->scene.partCount == 1 && ofTwo != NULL)
	{
		cliError("%s: holds one body only: %s is about two; without, a file that is alone is checked against itself",
		    path, ofTwo);
	}
	else if (c->scene.partCount == 1 && !asked->self)
	{
		cliError("%s: holds one body only: there is nothing to compare; --self checks it against itself", path);
	}
	else
	{
		return true;
	}
	return false;
}

// Edges that an even number of triangles has, but more of them one way than the other.
static bool CountTurnedEdges(const cliPart* part, uint64_t* edges)
{
	const size_t count = 3 * (size_t)part->triangleCount;
	uint32_t* twins = malloc((size_t)part->vertexCount * sizeof(uint32_t) + 1);
	uint64_t* keys = malloc(count * sizeof(uint64_t) + 1);
	bool good = twins != NULL && keys != NULL && snugModel_GetTwins(part->model, twins) == snug_success;
	for (size_t i = 0; good && i < count; ++i)
	{
		const uint64_t v = twins[part->triangles[i]], w = twins[part->triangles[i % 3 < 2 ? i + 1 : i - 2]];
		keys[i] = (v < w ? v << 32 | w << 1 : w << 32 | v << 1) | (v < w);
	}
	if (good && count > 0)
	{
		qsort(keys, count, sizeof(uint64_t), cliCompareKeys);
	}
	*edges = 0;
	for (size_t i = 0, next; good && i < count; i = next)
	{
		uint64_t ups = 0;
		for (next = i; next < count && keys[next] >> 1 == keys[i] >> 1; ++next)
		{
			ups += keys[next] & 1;
		}
		const bool isEdge = keys[i] >> 32 != (keys[i] & UINT32_MAX) >> 1;
		*edges += isEdge && (next - i) % 2 == 0 && 2 * ups != next - i;
	}
	free(twins);
	free(keys);
	return good;
}

// What is open has no inside for others; its own is a matter of where a half-line goes.
static bool FindOpenBodies(check* c)
{
	const cliScene* scene = &c->scene;
	c->contactOptions.isOpen = c->isOpen = calloc((size_t)scene->partCount + 1, sizeof(bool));
	for (int i = 0; c->isOpen != NULL && i < scene->partCount; ++i)
	{
		uint64_t edges, turned = 0;
		if (snugModel_CountOpenEdges(scene->parts[i].model, &edges) != snug_success ||
		    (c->contactOptions.self && !CountTurnedEdges(scene->parts + i, &turned)))
		{
			return false;
		}
		if (turned > 0)
		{
			cliError("warning: %s: body %d turns over at %llu edges: triangles that face inwards count as inside it",
			    scene->files[scene->parts[i].file].path, i, (unsigned long long)turned);
		}
		c->isOpen[i] = edges > 0;
		if (edges > 0)
		{
			cliError("warning: %s: body %d has %llu open edges: no vertices of others are looked for in it%s",
			    scene->files[scene->parts[i].file].path, i, (unsigned long long)edges,
			    c->contactOptions.self ? ", and its own are inside if a half-line along x says so" : "");
		}
	}
	return c->isOpen != NULL;
}

static bool Prepare(check* c, int fileCount, char** paths)
{
	if (!cliScene_Load(&c->scene, &c->sceneOptions, fileCount, paths) || !CountFrames(c))
	{
		return false;
	}
	if (!HasEnough(c))
	{
		return false;
	}
	WarnOfTwins(&c->scene);
	cliStage_WarnOfSizes(&c->scene, c->from);
	bool wanted = c->byJoint || c->html != NULL || c->ignorePath != NULL || c->ignored.newOnly;
	bool isShown = c->html != NULL || c->png != NULL;
	if ((wanted && !cliRegions_Create(&c->regions, &c->scene)) ||
	    (isShown && !cliKept_Begin(&c->kept, c->frameCount, checkCountShown(c))) ||
	    (c->contactOptions.inside && !FindOpenBodies(c)))
	{
		return cliScene_Fail(&c->scene, c->scene.files[0].path, "out of memory");
	}
	cliTally_Begin(&c->tally, wanted ? &c->regions : NULL);
	c->tally.byDepth = c->kept.byDepth = c->ignored.newOnly && c->contactOptions.curves;
	c->tally.deeperThan = isnan(c->deeperThan) ? -1.0 : c->deeperThan;
	c->tally.longerThan = isnan(c->longerThan) ? -1.0 : c->longerThan;
	return c->ignorePath == NULL || cliIgnored_Load(&c->ignored, &c->regions, c->ignorePath);
}

int checkRun(check* c, int fileCount, char** paths)
{
	if (!cliOutput_HasPlace(c->html) || !cliOutput_HasPlace(c->png) || !cliOutput_HasPlace(c->curvePath) ||
	    !Prepare(c, fileCount, paths))
	{
		return CLI_BAD_INPUT;
	}
	cliFrames frames = { .scene = &c->scene,
		.options = &c->contactOptions,
		.from = c->from,
		.fps = c->fps,
		.count = c->frameCount,
		.threads = c->threads,
		.show = ShowFrame,
		.user = c,
		.stop = &interrupted };
	HearInterrupts();
	if (!cliFrames_Run(&frames))
	{
		return CLI_BAD_INPUT;
	}
	if (c->outOfMemory)
	{
		cliError("%s: out of memory", c->scene.files[0].path);
		return CLI_BAD_INPUT;
	}
	ShowEnd(c);
	if (!checkWritePages(c) || (c->curvePath != NULL && !cliCurves_Write(&c->curves, c->curvePath)))
	{
		return CLI_BAD_INPUT;
	}
	uint64_t first, last;
	const bool isContact = cliTally_FindContact(&c->tally, 0, &first, &last) || c->tally.betweenCount > 0;
	return checkIsCut(c) ? CLI_INTERRUPTED : c->failOnContact && isContact ? CLI_CONTACT : CLI_DONE;
}

void checkFree(check* c)
{
	cliTally_Free(&c->tally);
	cliCurves_Free(&c->curves);
	cliKept_Free(&c->kept);
	cliIgnored_Free(&c->ignored);
	cliRegions_Free(&c->regions);
	cliScene_Free(&c->scene);
	free(c->isOpen);
	free(c->command);
}

// ---- Usage -----------------------------------------------------------------------------------------------------

static bool Refuse(const char* what)
{
	cliError("%s; see snug check --help", what);
	return false;
}

// What is asked, and what goes together.
static bool CheckQuestions(check* c, int fileCount)
{
	cliContactOptions* asked = &c->contactOptions;
	asked->brute = c->method == 1;
	const bool canMeet = !asked->brute && !asked->first && !(asked->margin > 0.0);
	asked->curves =
	    c->curvePath != NULL || !isnan(c->deeperThan) ||
	    (canMeet && (c->html != NULL || (c->ignored.newOnly && (c->byJoint || c->png != NULL)))); // says how deep
	if (!isnan(c->deeperThan) && (!canMeet || !(c->deeperThan >= 0.0)))
	{
		return Refuse(canMeet ? "--deeper-than is a depth: a number that is not negative"
		                      : "--deeper-than is not for --first, --margin and --method brute");
	}
	if (!isnan(c->longerThan) && (!checkIsAnimated(c) || !(c->longerThan >= 0.0)))
	{
		return Refuse(checkIsAnimated(c) ? "--longer-than is a time: a number that is not negative"
		                                 : "--longer-than needs --clip or --amplitudes");
	}
	if ((c->ignorePath != NULL || c->ignored.newOnly) && asked->first)
	{
		return Refuse(c->ignorePath != NULL ? "--ignore or --first, not both" : "--new-only or --first, not both");
	}
	if (c->ignored.newOnly && !checkIsAnimated(c))
	{
		return Refuse("--new-only needs --clip or --amplitudes");
	}
	if (fileCount == 1 && !asked->within && !asked->self)
	{
		asked->within = true;
		asked->self = !asked->brute;
	}
	if (!(asked->margin >= 0.0 && asked->margin <= DBL_MAX))
	{
		return Refuse("--margin is a distance: a number that is not negative");
	}
	if (asked->margin > 0.0 && (asked->first || asked->keepRest || c->curvePath != NULL))
	{
		return Refuse(asked->first      ? "--margin or --first, not both"
		              : asked->keepRest ? "--margin or --keep-rest, not both"
		                                : "--margin or --contacts, not both");
	}
	if (!isnan(asked->restDistance) &&
	    !(asked->self && asked->margin > 0.0 && asked->restDistance >= 0.0 && asked->restDistance <= DBL_MAX))
	{
		return Refuse(asked->self && asked->margin > 0.0
		                  ? "--rest-distance is a distance: a number that is not negative"
		                  : "--rest-distance needs --self and --margin");
	}
	asked->restDistance = isnan(asked->restDistance) ? asked->margin : asked->restDistance;
	const bool isMore = asked->margin > 0.0 || asked->distances || asked->inside || c->curvePath != NULL;
	if (asked->brute && (asked->self || isMore))
	{
		return Refuse("--method brute finds pairs that meet, of two bodies: not for --self, --margin, --distance, "
		              "--inside and --contacts");
	}
	if (asked->between && (asked->first || asked->brute || !checkIsAnimated(c)))
	{
		return Refuse(asked->first   ? "--first or --between, not both"
		              : asked->brute ? "--method brute finds pairs of frames: not for --between"
		                             : "--between needs --clip or --amplitudes");
	}
	if (!(asked->stray >= 0.0 && asked->stray <= DBL_MAX))
	{
		return Refuse("--stray is a distance: a number that is not negative");
	}
	if (asked->stray > 0.0 && (!asked->between || c->sceneOptions.amplitudes != NULL))
	{
		return Refuse(
		    asked->between ? "--stray needs --clip: amplitudes are given for frames alone" : "--stray needs --between");
	}
	if (c->curvePath != NULL && asked->first)
	{
		return Refuse("--first or --contacts, not both");
	}
	return !asked->keepRest || asked->self || Refuse("--keep-rest needs --self");
}

// What the table of options cannot say.
static bool CheckUsage(check* c, int fileCount, char** paths)
{
	bool timed = !isnan(c->fps) || !isnan(c->from) || !isnan(c->to) || c->sceneOptions.offsets.count > 0;
	if (!CheckQuestions(c, fileCount))
	{
		return false;
	}
	if (c->csv && (c->json || c->summary || c->byJoint))
	{
		return Refuse(c->json      ? "--json or --csv, not both"
		              : c->summary ? "--summary or --csv, not both"
		                           : "--by-joint is not for --csv");
	}
	if (timed && !checkIsAnimated(c))
	{
		return Refuse("--fps, --from, --to and --offset need --clip or --amplitudes");
	}
	c->fps = isnan(c->fps) ? 30.0 : c->fps;
	c->sceneOptions.fps = c->fps;
	c->from = isnan(c->from) ? 0.0 : c->from;
	if (!(c->fps > 0.0) || c->to < c->from)
	{
		return Refuse(c->fps > 0.0 ? "--to lies before --from" : "--fps must be positive");
	}
	for (int i = 0; i < fileCount; ++i)
	{
		if ((c->html != NULL && !cliOutput_Check(c->html, ".html", paths[i])) ||
		    (c->png != NULL && !cliOutput_Check(c->png, ".png", paths[i])) ||
		    (c->curvePath != NULL && !cliOutput_Check(c->curvePath, CLI_CURVE_ENDINGS, paths[i])))
		{
			return false;
		}
	}
	c->threads = c->threads > 0 ? c->threads : cliGetProcessorCount();
	c->threads = c->threads < 1024 ? c->threads : 1024;
	return cliSceneOptions_Check(&c->sceneOptions, "check", fileCount);
}

check checkMake(FILE* out)
{
	return (check){
		.out = out,
		.fps = NAN,
		.from = NAN,
		.to = NAN,
		.deeperThan = NAN,
		.longerThan = NAN,
		.limit = DEFAULT_LIMIT,
		.contactOptions = { .restDistance = NAN },
	};
}

int checkCommand(check* c, int argumentCount, char** arguments)
{
	const cliOption options[] = {
		CLI_CLIP_OPTION(
		    &c->sceneOptions.clips, "check every frame of this animation; once for all files, or once per file"),
		CLI_AMPLITUDES_OPTION(&c->sceneOptions.amplitudes),
		{ "--fps", cli_number, &c->fps, "N", "frames per second; default 30" },
		{ "--from", cli_number, &c->from, "S", "time of the first frame in seconds; default 0" },
		{ "--to", cli_number, &c->to, "S", "time of the last frame; default the clip's end, the latest of all files" },
		CLI_PLACE_OPTIONS(&c->sceneOptions),
		{ "--within", cli_flag, &c->contactOptions.within, NULL, "also between bodies of one file" },
		{ "--self", cli_flag, &c->contactOptions.self, NULL, "also bodies with themselves; one file alone: default" },
		{ "--keep-rest", cli_flag, &c->contactOptions.keepRest, NULL, "with --self: also what meets at rest" },
		{ "--margin", cli_number, &c->contactOptions.margin, "D",
		    "pairs that are no farther apart than D, instead of those that meet" },
		{ "--rest-distance", cli_number, &c->contactOptions.restDistance, "D",
		    "with --self and --margin: of one body, pairs farther apart than D at rest; default the margin" },
		{ "--distance", cli_flag, &c->contactOptions.distances, NULL, "also say how far apart bodies are, and where" },
		{ "--inside", cli_flag, &c->contactOptions.inside, NULL,
		    "also find vertices that are inside closed bodies, and how deep; with --self, inside their own" },
		{ "--between", cli_flag, &c->contactOptions.between, NULL, "also find bodies that meet between frames only" },
		{ "--stray", cli_number, &c->contactOptions.stray, "D",
		    "with --between: halve ways until poses half-way are within D of straight ones" },
		{ "--contacts", cli_text, &c->curvePath, "FILE",
		    "write the curves along which bodies meet, as .obj, .ply or .json" },
		{ "--first", cli_flag, &c->contactOptions.first, NULL,
		    "look for one pair per frame, and no more: is there contact?" },
		{ "--by-joint", cli_flag, &c->byJoint, NULL, "say which joints' triangles touch which" },
		{ "--summary", cli_flag, &c->summary, NULL, "print what all frames come to, not each of them" },
		{ "--fail-on-contact", cli_flag, &c->failOnContact, NULL, "exit with 3 if there is any contact that counts" },
		{ "--deeper-than", cli_number, &c->deeperThan, "D",
		    "count only contacts deeper than D, where surfaces are closed" },
		{ "--longer-than", cli_number, &c->longerThan, "S", "count only contacts that last longer than S seconds" },
		{ "--ignore", cli_text, &c->ignorePath, "FILE",
		    "leave out pairs of joints: lines as 'left hand, left thigh'; * is any" },
		{ "--new-only", cli_flag, &c->ignored.newOnly, NULL,
		    "leave out pairs of triangles that meet in the first frame" },
		{ "--html", cli_text, &c->html, "PAGE.html", "write a page that shows the run in a browser" },
		{ "--png", cli_text, &c->png, "PICTURE.png", "write a picture of the worst frame" },
		{ "--up", cli_choice, &c->up, "y|z", "the axis that points up in pictures; default y" },
		{ "--json", cli_flag, &c->json, NULL, "print one JSON object per frame and line" },
		{ "--limit", cli_countOrNone, &c->limit, "N",
		    "pairs and vertices that --json lists in all, then only counts; 0: none; default 1000000" },
		{ "--csv", cli_flag, &c->csv, NULL, "print one line per frame: number, time, count of pairs" },
		{ "--costs", cli_flag, &c->costs, NULL,
		    "add times and work done to --json, --csv and --html: they vary between runs" },
		{ "--method", cli_choice, &c->method, "ours|brute", "brute: without trees, for comparison" },
		CLI_BLENDING_OPTION(&c->sceneOptions.blending),
		{ "--threads", cli_count, &c->threads, "N", "frames to check at once; default as many as processors" },
		{ .name = NULL },
	};
	c->command = cliQuoteCommand("snug check", argumentCount, arguments);
	cliParsed parsed = cliOptions_Parse(&usage, options, &argumentCount, arguments);
	int code = parsed == cli_help ? CLI_DONE : CLI_BAD_USAGE;
	if (parsed == cli_go && CheckUsage(c, argumentCount, arguments))
	{
		code = checkRun(c, argumentCount, arguments);
	}
	cliOptions_Free(options);
	checkFree(c);
	return code;
}

int cliCheck(int argumentCount, char** arguments)
{
	check c = checkMake(stdout);
	return checkCommand(&c, argumentCount, arguments);
}
