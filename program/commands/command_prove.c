// `snug prove`: what bodies do between frames, with a proof that tools/check-proof checks. See docs/proofs.md.
#include "program/check/frames.h"
#include "program/commands/commands.h"
#include "program/commands/terminal.h"
#include "program/files/json.h"
#include "program/files/sha256.h"
#include "program/prove/steps.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cliUsage usage = {
	.command = "prove",
	.synopsis = "[options] FILE FILE2 [FILE3 ...] -o FOLDER",
	.summary =
	    "Prove that bodies of different files do not meet at any instant of a clip, or print when they are free, meet, "
	    "or it cannot tell: moments as contact begins and ends. Anyone can check the proof: check-proof FOLDER "
	    "computes "
	    "exactly and trusts nothing of snug. It is in tools/ of the source, /usr/share/snug, or beside this "
	    "program.\n\n"
	    "Vertices go straight from pose to pose; --stray takes more poses where the clip does not. docs/proofs.md says "
	    "what is proved, assumed, and in --json. A stopped run goes on if begun again.",
	.examples = "  snug prove kicker.glb victim.glb --clip kick --clip idle --place 0,0,0 --place 0,0,0.8 -o kick\n"
	            "  snug prove dancer.glb --self --new-only --stray 0.001 --clip spin --fail-on-contact -o own",
	.minArguments = 1,
	.maxArguments = INT_MAX,
	.argumentName = "FILE",
};

// Frames of a run at most: a day at 100 frames per second.
#define MAX_FRAMES 8640000.0

typedef struct prove
{
	cliSceneOptions options;
	cliScene scene;
	double fps, from, to, stray, resolve;
	bool within, self, newOnly, json, failOnContact;
	int threads;
	const char* folder;
	provePath path;
	provePair* pairs;
	size_t pairCount;
	proveOutcome* outcomes; ///< (pairCount)
	proveText statement;    ///< and later the whole proof
	char digest[65];        ///< of the statement
} prove;

// ---- The statement ---------------------------------------------------------------------------------------------

static bool FindPairs(prove* p)
{
	const cliScene* scene = &p->scene;
	const size_t parts = (size_t)scene->partCount;
	p->pairs = calloc(parts * parts + 1, sizeof(provePair));
	for (int a = 0; p->pairs != NULL && a < scene->partCount; ++a)
	{
		for (int b = a; b < scene->partCount; ++b)
		{
			const bool isOne = a == b, isOfOne = scene->parts[a].file == scene->parts[b].file;
			if (isOne ? p->self : p->within || !isOfOne)
			{
				p->pairs[p->pairCount++] = (provePair){ .a = a, .b = b, .atRest = isOne && !p->newOnly };
			}
		}
	}
	if (p->pairCount == 0)
	{
		cliError(p->pairs == NULL ? "%s: out of memory"
		                          : "%s: no two bodies of different files: add a file, --within or --self",
		    scene->files[0].path);
	}
	return p->pairCount > 0 && proveSteps_LeaveOut(&p->path, p->pairs, p->pairCount, p->newOnly);
}

// Names may hold anything; lines may not.
static void AddName(proveText* text, const char* name)
{
	for (; *name != '\0'; ++name)
	{
		const unsigned char c = (unsigned char)*name;
		proveText_AddBytes(text, c < ' ' || c > '~' ? "?" : name, 1);
	}
	proveText_AddBytes(text, "\n", 1);
}

static void NameBody(const prove* p, int body, proveText* text)
{
	char name[512];
	cliScene_Describe(&p->scene, body, name, sizeof(name));
	AddName(text, ioFindName(name));
}

static bool AddFiles(prove* p, proveText* text)
{
	for (int i = 0; i < p->scene.fileCount; ++i)
	{
		char digest[65];
		if (p->scene.files[i].original == i)
		{
			if (!cliSha256File(p->scene.files[i].path, digest))
			{
				return false;
			}
			proveText_Add(text, "file %s ", digest);
			AddName(text, ioFindName(p->scene.files[i].path));
		}
	}
	return true;
}

static bool AddMeshes(prove* p, proveText* text)
{
	bool good = true;
	for (uint32_t i = 0; good && i < p->path.meshCount; ++i)
	{
		char path[4096];
		proveText mesh = { .bytes = NULL };
		proveMesh_Print(p->path.meshes + i, &mesh);
		good = proveMesh_Name(p->path.meshes + i, p->folder, path, sizeof(path)) && proveText_Write(&mesh, path);
		proveText_Add(text, "mesh %s\n", p->path.meshes[i].digest);
		proveText_Free(&mesh);
	}
	return good;
}

static bool AddPoses(prove* p, proveText* text)
{
	char path[4096], digest[65];
	proveText poses = { .bytes = NULL };
	provePath_Print(&p->path, &poses);
	cliSha256(poses.bytes, poses.length, digest);
	bool good =
	    snprintf(path, sizeof(path), "%s/poses.txt", p->folder) < (int)sizeof(path) && proveText_Write(&poses, path);
	proveText_Add(text, "poses %s\ntimes", digest);
	for (size_t i = 0; i < p->path.timeCount; ++i)
	{
		proveText_Add(text, " %.17g", p->path.times[i]);
	}
	proveText_Add(text, "\nstray %.3g\n", p->path.stray);
	proveText_Free(&poses);
	return good;
}

static bool MakeStatement(prove* p)
{
	proveText* text = &p->statement;
	proveText_Add(text, "snug proof 1\n");
	bool good = AddFiles(p, text) && AddMeshes(p, text);
	for (int i = 0; good && i < p->scene.partCount; ++i)
	{
		proveText_Add(text, "body %u ", p->path.meshOf[i]);
		NameBody(p, i, text);
	}
	good = good && AddPoses(p, text);
	for (size_t i = 0; i < p->pairCount; ++i)
	{
		const provePair* pair = p->pairs + i;
		proveText_Add(text, "pair %d %d\n", pair->a, pair->b);
		for (size_t k = 0; k < pair->leftCount; ++k)
		{
			proveText_Add(text, "%s %u %u\n", pair->atRest ? "rest" : "first", pair->left[k].a, pair->left[k].b);
		}
	}
	proveText_Add(text, "claims\n");
	cliSha256(text->bytes, text->length, p->digest);
	if (good && text->failed)
	{
		cliError("%s: out of memory", p->folder);
	}
	return good && !text->failed;
}

// ---- Running ---------------------------------------------------------------------------------------------------

// All steps into one file, and what they come to.
static bool Assemble(prove* p, const proveSteps* steps)
{
	char path[4096];
	const double *times = p->path.times, end = times[p->path.timeCount - 1];
	p->outcomes = calloc(p->pairCount + 1, sizeof(proveOutcome));
	bool good = p->outcomes != NULL && snprintf(path, sizeof(path), "%s/proof.txt", p->folder) < (int)sizeof(path);
	for (size_t i = 0; good && i + 1 < p->path.timeCount; ++i)
	{
		good = proveSteps_Read(steps, i, &p->statement, p->outcomes);
	}
	for (size_t i = 0; good && i < p->pairCount; ++i)
	{
		good = proveOutcome_Finish(p->outcomes + i, times[0], end);
	}
	if (!good)
	{
		bool isShort = p->outcomes == NULL || p->statement.failed;
		for (size_t i = 0; !isShort && i < p->pairCount; ++i)
		{
			isShort = p->outcomes[i].failed;
		}
		cliError(isShort ? "%s: out of memory" : "%s: a step is not there any more", p->folder);
		return false;
	}
	proveText_Add(&p->statement, "end\n");
	good = proveText_Write(&p->statement, path);
	if (good)
	{
		proveSteps_Remove(steps);
	}
	return good;
}

// ---- What it comes to ------------------------------------------------------------------------------------------

static void PrintBodies(const prove* p)
{
	for (int i = 0; i < p->scene.partCount; ++i)
	{
		proveText name = { .bytes = NULL };
		NameBody(p, i, &name);
		printf("body %d: %.*s, %u triangles\n", i, (int)name.length - 1, name.bytes,
		    p->path.meshes[p->path.meshOf[i]].triangleCount);
		proveText_Free(&name);
	}
	printf("half-way the clip strays from straight ways by up to %.3g: sampled, not proved\n", p->path.stray);
}

// The lines that check-proof prints.
static void PrintPair(const provePair* pair, const proveOutcome* outcome)
{
	static const char* const words[3] = { "free", "meet", "cannot tell" };
	printf(pair->a == pair->b ? "body %d and itself" : "bodies %d and %d", pair->a, pair->b);
	printf(pair->leftCount > 0 ? ", %zu pairs of triangles left out:\n" : ":\n", pair->leftCount);
	for (size_t i = 0; i < outcome->count; ++i)
	{
		const provePart* part = outcome->parts + i;
		printf("  %s from %.6f to %.6f s\n", words[part->verdict], part->start, part->end);
	}
}

static void PrintJson(const prove* p, const provePair* pair, const proveOutcome* outcome)
{
	static const char* const words[3] = { "free", "meet", "unknown" };
	printf("{\"version\": 1, \"bodies\": [%d, %d], \"names\": [", pair->a, pair->b);
	for (int i = 0; i < 2; ++i)
	{
		char name[512];
		cliScene_Describe(&p->scene, i == 0 ? pair->a : pair->b, name, sizeof(name));
		cliPrintJsonString(stdout, name);
		printf(i == 0 ? ", " : "], \"leftOut\": %zu, \"stray\": ", pair->leftCount);
	}
	cliPrintJsonNumber(stdout, p->path.stray);
	for (int verdict = 0; verdict < 3; ++verdict)
	{
		bool isFirst = true;
		printf(", \"%s\": [", words[verdict]);
		for (size_t i = 0; i < outcome->count; ++i)
		{
			const provePart* part = outcome->parts + i;
			if ((int)part->verdict == verdict)
			{
				printf(isFirst ? "[" : ", [");
				cliPrintJsonNumber(stdout, part->start);
				printf(", ");
				cliPrintJsonNumber(stdout, part->end);
				printf("]");
				isFirst = false;
			}
		}
		printf("]");
	}
	printf("}\n");
}

/// @return whether all is free all the time
static bool PrintOutcome(const prove* p)
{
	bool isFree = true;
	if (!p->json)
	{
		PrintBodies(p);
	}
	for (size_t i = 0; i < p->pairCount; ++i)
	{
		const proveOutcome* outcome = p->outcomes + i;
		isFree = isFree && outcome->count == 1 && outcome->parts[0].verdict == prove_free;
		if (p->json)
		{
			PrintJson(p, p->pairs + i, outcome);
		}
		else
		{
			PrintPair(p->pairs + i, outcome);
		}
	}
	if (!p->json)
	{
		const size_t steps = p->path.timeCount - 1;
		printf(
		    "proof: %s, %zu step%s; to check it: check-proof %s\n", p->folder, steps, steps == 1 ? "" : "s", p->folder);
	}
	return isFree;
}

// ---- The run ---------------------------------------------------------------------------------------------------

// Poses from --from to --to; what does not move has one step.
static bool CountFrames(prove* p, uint64_t* frames)
{
	const double end = fmax(cliScene_GetDuration(&p->scene), p->from);
	p->to = !isnan(p->to) ? p->to : cliSceneOptions_IsAnimated(&p->options) ? end : p->from + 1.0 / p->fps;
	const double count = ceil((p->to - p->from) * p->fps - 1e-6) + 1.0;
	*frames = count >= 2.0 && count <= MAX_FRAMES ? (uint64_t)count : 0;
	if (*frames == 0)
	{
		cliError("%s: from %g to %g s at %g frames per second are %g poses: a proof has two or more",
		    p->scene.files[0].path, p->from, p->to, p->fps, count);
	}
	return *frames > 0;
}

static bool MakePath(prove* p, uint64_t frames)
{
	const double times[2] = { p->from, p->to };
	const bool made = provePath_Create(&p->path, &p->scene, times, p->fps, frames, p->stray);
	if (made && p->stray > 0.0 && p->path.stray > p->stray)
	{
		cliError("warning: poses half-way still stray by %.2g from straight ways, not by %g: a higher --fps takes more",
		    p->path.stray, p->stray);
	}
	return made;
}

static int Run(prove* p, int fileCount, char** paths)
{
	uint64_t frames;
	if (!cliScene_Load(&p->scene, &p->options, fileCount, paths) || !CountFrames(p, &frames))
	{
		return CLI_BAD_INPUT;
	}
	if (!cliMakeDirectory(p->folder) || !MakePath(p, frames) || !FindPairs(p) || !MakeStatement(p))
	{
		return CLI_BAD_INPUT;
	}
	const proveSteps steps = { .path = &p->path,
		.pairs = p->pairs,
		.pairCount = p->pairCount,
		.resolve = p->resolve,
		.threads = p->threads,
		.folder = p->folder,
		.digest = p->digest };
	if (!proveSteps_Run(&steps) || !Assemble(p, &steps))
	{
		return CLI_BAD_INPUT;
	}
	const bool isFree = PrintOutcome(p);
	return p->failOnContact && !isFree ? CLI_CONTACT : CLI_DONE;
}

static bool Refuse(const char* what)
{
	cliError("%s; see snug prove --help", what);
	return false;
}

static bool CheckUsage(prove* p, int fileCount)
{
	p->options.fps = p->fps;
	p->threads = p->threads > 0 ? p->threads : cliGetProcessorCount();
	p->threads = p->threads < 1024 ? p->threads : 1024;
	if (p->folder == NULL)
	{
		return Refuse("prove needs -o FOLDER");
	}
	if (!(p->fps > 0.0) || p->to < p->from)
	{
		return Refuse(p->fps > 0.0 ? "--to lies before --from" : "--fps must be positive");
	}
	if (!(p->stray >= 0.0) || !(p->resolve > 0.0))
	{
		return Refuse(p->stray >= 0.0 ? "--resolve must be positive" : "--stray must not be negative");
	}
	return cliSceneOptions_Check(&p->options, "prove", fileCount);
}

static void Free(prove* p)
{
	for (size_t i = 0; i < p->pairCount; ++i)
	{
		free(p->pairs[i].left);
		free(p->outcomes != NULL ? p->outcomes[i].parts : NULL);
	}
	free(p->outcomes);
	free(p->pairs);
	proveText_Free(&p->statement);
	provePath_Free(&p->path);
	cliScene_Free(&p->scene);
}

int cliProve(int argumentCount, char** arguments)
{
	prove p = { .fps = 30.0, .to = NAN, .resolve = 0.0005 };
	const cliOption options[] = {
		{ "-o", cli_text, &p.folder, "FOLDER", "where the proof goes; required" },
		CLI_CLIP_OPTION(&p.options.clips, "the animation; once for all files, or per file"),
		CLI_AMPLITUDES_OPTION(&p.options.amplitudes),
		{ "--fps", cli_number, &p.fps, "N", "poses per second, at least; default 30" },
		{ "--from", cli_number, &p.from, "S", "time of the first pose in seconds; default 0" },
		{ "--to", cli_number, &p.to, "S", "time of the last one; default the clips' end" },
		{ "--stray", cli_number, &p.stray, "D", "more poses, until those half-way are within D of straight ways" },
		{ "--resolve", cli_number, &p.resolve, "S",
		    "how long a beginning or end of contact may be untold; default 0.0005" },
		{ "--new-only", cli_flag, &p.newOnly, NULL, "leave out pairs of triangles that meet in the first pose" },
		{ "--within", cli_flag, &p.within, NULL, "also between bodies of one file" },
		{ "--self", cli_flag, &p.self, NULL, "also bodies with themselves, but for what meets at rest" },
		CLI_PLACE_OPTIONS(&p.options),
		{ "--fail-on-contact", cli_flag, &p.failOnContact, NULL, "exit with 3 unless all is proved free" },
		{ "--json", cli_flag, &p.json, NULL, "print a JSON object per two bodies and line" },
		CLI_BLENDING_OPTION(&p.options.blending),
		{ "--threads", cli_count, &p.threads, "N", "steps at once; default as many as processors" },
		{ .name = NULL },
	};
	cliParsed parsed = cliOptions_Parse(&usage, options, &argumentCount, arguments);
	int code = parsed == cli_help ? CLI_DONE : CLI_BAD_USAGE;
	if (parsed == cli_go && CheckUsage(&p, argumentCount))
	{
		code = Run(&p, argumentCount, arguments);
	}
	cliOptions_Free(options);
	Free(&p);
	return code;
}
