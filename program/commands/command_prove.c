// `snug prove`: what bodies do between frames, with a proof that tools/check-proof checks. See docs/proofs.md.
#include "program/check/frames.h"
#include "program/commands/commands.h"
#include "program/commands/terminal.h"
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
	    "Prove that bodies of different files do not meet at any instant of a clip, or when they do: a proof that "
	    "anyone "
	    "can check with check-proof, which is 550 lines of Python, computes exactly and trusts nothing of it. Each "
	    "instant is free, in contact, or unknown, which are moments as contact begins and ends.\n\n"
	    "What moves is defined by the proof: joints' matrices, amplitudes and frames at some times, as exact numbers; "
	    "each vertex goes straight from one to the next. Where joints turn much, clips stray from that: --stray takes "
	    "more times, until poses half-way are no farther than that from straight. That is sampled, and the proof says "
	    "so. docs/proofs.md says what is proved, what is assumed, and what is in the files.\n\n"
	    "A run that was stopped goes on where it was, if it is begun again with the same words.",
	.examples = "  snug prove kicker.glb victim.glb --clip kick --clip idle --place 0,0,0 --place 0,0,0.8 -o kick\n"
	            "  snug prove dancer.glb floor.obj --clip spin --stray 0.001 --new-only -o spin",
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
	bool within, self, newOnly;
	int threads;
	const char* folder;
	provePath path;
	provePair* pairs;
	size_t pairCount;
	proveText statement; ///< and later the whole proof
	char digest[65];     ///< of the statement
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
		                          : "%s: no two bodies: there is nothing to prove; --self proves something of one",
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
		char name[512];
		cliScene_Describe(&p->scene, i, name, sizeof(name));
		proveText_Add(text, "body %u ", p->path.meshOf[i]);
		AddName(text, ioFindName(name));
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
	return good && !text->failed;
}

// ---- Running ---------------------------------------------------------------------------------------------------

// All steps into one file.
static bool Assemble(prove* p, const proveSteps* steps)
{
	char path[4096];
	bool good = snprintf(path, sizeof(path), "%s/proof.txt", p->folder) < (int)sizeof(path);
	for (size_t i = 0; good && i + 1 < p->path.timeCount; ++i)
	{
		good = proveSteps_Read(steps, i, &p->statement);
	}
	if (!good)
	{
		cliError("%s: a step is not there any more", p->folder);
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
	if (!cliMakeDirectory(p->folder))
	{
		cliError("%s: cannot be made", p->folder);
		return CLI_BAD_INPUT;
	}
	if (!MakePath(p, frames) || !FindPairs(p) || !MakeStatement(p))
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
	return proveSteps_Run(&steps) && Assemble(p, &steps) ? CLI_DONE : CLI_BAD_INPUT;
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
	}
	free(p->pairs);
	proveText_Free(&p->statement);
	provePath_Free(&p->path);
	cliScene_Free(&p->scene);
}

int cliProve(int argumentCount, char** arguments)
{
	prove p = { .fps = 30.0, .to = NAN, .resolve = 0.0005 };
	const cliOption options[] = {
		{ "-o", cli_text, &p.folder, "FOLDER", "where the proof goes: made if it is not there; required" },
		CLI_CLIP_OPTION(&p.options.clips, "the animation; once for all files, or once per file; without it: rest"),
		CLI_AMPLITUDES_OPTION(&p.options.amplitudes),
		{ "--fps", cli_number, &p.fps, "N", "poses per second, at least; default 30" },
		{ "--from", cli_number, &p.from, "S", "time of the first pose in seconds; default 0" },
		{ "--to", cli_number, &p.to, "S", "time of the last one; default the clip's end, the latest of all files" },
		{ "--stray", cli_number, &p.stray, "D",
		    "take more poses, until those half-way are within D of straight ways; default as they are" },
		{ "--resolve", cli_number, &p.resolve, "S",
		    "seconds that what is unknown may last at a beginning or end of contact; default 0.0005" },
		{ "--new-only", cli_flag, &p.newOnly, NULL, "leave out pairs of triangles that cross in the first pose" },
		{ "--within", cli_flag, &p.within, NULL, "also between bodies of one file" },
		{ "--self", cli_flag, &p.self, NULL, "also bodies with themselves, but for what crosses at rest" },
		CLI_PLACE_OPTIONS(&p.options),
		CLI_BLENDING_OPTION(&p.options.blending),
		{ "--threads", cli_count, &p.threads, "N", "steps to prove at once; default as many as processors" },
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
