#include "program/commands/commands.h"
#include "program/commands/options.h"
#include "program/commands/terminal.h"
#include "program/files/clips.h"
#include "program/files/json.h"
#include "program/files/linear_model.h"
#include "program/files/output.h"
#include "program/files/shape.h"
#include "program/files/workers.h"
#include "solvers/reduce.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cliUsage usage = {
	.command = "reduce",
	.synopsis = "FILE [FILE2 ...] [-o MODEL.snug] [options]",
	.summary =
	    "Compress an animation whose vertices move to the mean shape and a few displacement fields, its principal "
	    "components: a linear model. Frames are the files, which must have the same triangles, in the order given; or, "
	    "with --clip, those of a clip of one file, all its bodies as one. Programs pose the model: snugModel_LoadFile, "
	    "then snugBody_SetAmplitudes with the numbers of a frame.\n\n"
	    "--remove-motion takes from each frame the rotation and translation that bring it nearest to the mean, since a "
	    "body that turns or travels has poor components. The motion is written beside the amplitudes, for "
	    "snugBody_SetFrame.\n\n"
	    "Errors are distances between vertices of the animation and of the model: the root of the mean square and the "
	    "largest, over all frames, with none of the fields, the first, and so on.",
	.examples = "  snug reduce cloth/*.obj --count 12 -o cloth.snug --amplitudes cloth.csv\n"
	            "  snug reduce fox.glb --clip Run --fps 60 --remove-motion --count 20 --json",
	.minArguments = 1,
	.maxArguments = INT_MAX,
	.argumentName = "FILE",
};

typedef struct reduceRun
{
	const char *path, *amplitudePath; ///< what is written; nullable
	const char *clip, *only;          ///< nullable
	double fps;
	int count;
	bool removeMotion, json;
	cliShape shape; ///< the first file
	float* frames;
	uint32_t frameCount;
	simReduced reduced;
	bool certificates; ///< snugModelDef
	int threads;       ///< that make the model
} reduceRun;

// ---- Frames ----------------------------------------------------------------------------------------------------

static bool AllocateFrames(reduceRun* r, double count)
{
	if (!(count >= 1.0 && count <= (double)SIM_MAX_FRAMES))
	{
		cliError("%s: %g frames are too many: at most %d", r->shape.path, count, SIM_MAX_FRAMES);
		return false;
	}
	r->frameCount = (uint32_t)count;
	r->frames = malloc(((size_t)r->shape.vertexCount * r->frameCount + 1) * 3 * sizeof(float));
	if (r->frames == NULL)
	{
		cliError("%s: out of memory", r->shape.path);
	}
	return r->frames != NULL;
}

// Frames from 0 to the end of the clip, both included, but for rounding.
static bool ReadClip(reduceRun* r)
{
	uint32_t clip = cliAskForClip(&r->shape.asset, r->shape.path, r->clip);
	if (clip == IO_NONE || !AllocateFrames(r, floor(r->shape.asset.clips[clip].duration * r->fps + 1e-6) + 1.0))
	{
		return false;
	}
	for (uint32_t f = 0; f < r->frameCount; ++f)
	{
		float* positions = r->frames + 3 * (size_t)f * r->shape.vertexCount;
		cliShowWork((void*)(uintptr_t)r->shape.path, "posing", f, r->frameCount);
		if (!cliShape_Evaluate(&r->shape, clip, (double)f / r->fps, positions))
		{
			return false;
		}
	}
	return true;
}

static bool ReadFrame(const reduceRun* r, char* path, float* positions)
{
	cliShape shape;
	bool good = cliShape_Load(&shape, path, r->only);
	if (good &&
	    (shape.vertexCount != r->shape.vertexCount || shape.triangleCount != r->shape.triangleCount ||
	        memcmp(shape.triangles, r->shape.triangles, 3 * (size_t)shape.triangleCount * sizeof(uint32_t)) != 0))
	{
		cliError("%s: has other vertices or triangles than %s (%u and %u instead of %u and %u)", path, r->shape.path,
		    shape.vertexCount, shape.triangleCount, r->shape.vertexCount, r->shape.triangleCount);
		good = false;
	}
	good = good && cliShape_Evaluate(&shape, IO_NONE, 0.0, positions);
	cliShape_Free(&shape);
	return good;
}

static bool ReadFiles(reduceRun* r, int fileCount, char** paths)
{
	if (!AllocateFrames(r, (double)fileCount) || !cliShape_Evaluate(&r->shape, IO_NONE, 0.0, r->frames))
	{
		return false;
	}
	for (int i = 1; i < fileCount; ++i)
	{
		if (!ReadFrame(r, paths[i], r->frames + 3 * (size_t)i * r->shape.vertexCount))
		{
			return false;
		}
	}
	return true;
}

// ---- Output ----------------------------------------------------------------------------------------------------

static void PrintJson(const reduceRun* r)
{
	const simReduced* m = &r->reduced;
	printf("{\"file\":");
	cliPrintJsonString(stdout, r->shape.path);
	printf(",\"vertices\":%u,\"triangles\":%u,\"frames\":%u,\"fields\":%u,\"errors\":[", m->vertexCount,
	    r->shape.triangleCount, m->frameCount, m->fieldCount);
	for (uint32_t i = 0; i <= m->fieldCount; ++i)
	{
		printf("%s{\"fields\":%u,\"rms\":", i > 0 ? "," : "", i);
		cliPrintJsonNumber(stdout, m->rmsErrors[i]);
		printf(",\"max\":");
		cliPrintJsonNumber(stdout, m->maxErrors[i]);
		printf("}");
	}
	printf("]}\n");
}

static void PrintTable(const reduceRun* r)
{
	const simReduced* m = &r->reduced;
	printf("file       %s\n", r->shape.path);
	printf("mesh       %u vertices, %u triangles\n", m->vertexCount, r->shape.triangleCount);
	printf("frames     %u\n\n%7s %14s %14s\n", m->frameCount, "fields", "RMS error", "largest");
	for (uint32_t i = 0; i <= m->fieldCount; ++i)
	{
		printf("%7u %14.6g %14.6g\n", i, m->rmsErrors[i], m->maxErrors[i]);
	}
}

// Numbers that read back bit for bit: nine digits for float32, seventeen for double.
static bool WriteAmplitudes(const reduceRun* r)
{
	const simReduced* m = &r->reduced;
	ioOutput output;
	if (!cliOutput_Open(&output, r->amplitudePath))
	{
		return false;
	}
	fprintf(output.stream, "frame,x,y,z,qx,qy,qz,qw");
	for (uint32_t i = 0; i < m->fieldCount; ++i)
	{
		fprintf(output.stream, ",a%u", i);
	}
	fprintf(output.stream, "\n");
	for (size_t f = 0; f < m->frameCount; ++f)
	{
		const snugFrame* frame = m->motions + f;
		fprintf(output.stream, "%zu", f);
		for (int k = 0; k < 7; ++k)
		{
			fprintf(output.stream, ",%.17g", k < 3 ? frame->position[k] : frame->rotation[k - 3]);
		}
		for (size_t i = 0; i < m->fieldCount; ++i)
		{
			fprintf(output.stream, ",%.9g", (double)m->amplitudes[f * m->fieldCount + i]);
		}
		fprintf(output.stream, "\n");
	}
	return cliOutput_Commit(&output);
}

static bool WriteModel(const reduceRun* r)
{
	snugModelDef def = { .positions = r->reduced.rest,
		.vertexCount = r->shape.vertexCount,
		.triangles = r->shape.triangles,
		.triangleCount = r->shape.triangleCount,
		.certificates = r->certificates,
		.workers = cliWorkers_Get(&r->threads),
		.fields = { .fieldCount = r->reduced.fieldCount, .displacements = r->reduced.fields } };
	return cliWriteLinearModel(&def, r->shape.path, r->path);
}

// ---- Running ---------------------------------------------------------------------------------------------------

static bool Reduce(reduceRun* r)
{
	simError error;
	simReduceDef def = { .frames = r->frames,
		.frameCount = r->frameCount,
		.vertexCount = r->shape.vertexCount,
		.fieldCount = (uint32_t)r->count,
		.removeMotion = r->removeMotion,
		.progress = cliShowWork,
		.user = (void*)(uintptr_t)r->shape.path };
	if (!simReduced_Compute(&r->reduced, &def, &error))
	{
		cliError("%s: %s", r->shape.path, error.text);
		return false;
	}
	if (r->path != NULL && r->reduced.fieldCount == 0)
	{
		cliError("%s: the frames do not differ: there are no fields to write", r->shape.path);
		return false;
	}
	return true;
}

static bool CheckOutputs(const reduceRun* r, int fileCount, char** paths)
{
	for (int i = 0; i < fileCount; ++i)
	{
		if ((r->path != NULL && !cliOutput_Check(r->path, ".snug", paths[i])) ||
		    (r->amplitudePath != NULL && !cliOutput_Check(r->amplitudePath, ".csv", paths[i])))
		{
			return false;
		}
	}
	if (r->clip != NULL && fileCount > 1)
	{
		cliError("--clip is for one file, whose frames it gives; see snug reduce --help");
		return false;
	}
	if (!(r->fps > 0.0))
	{
		cliError("--fps must be positive; see snug reduce --help");
		return false;
	}
	return true;
}

int cliReduce(int argumentCount, char** arguments)
{
	reduceRun r = { .fps = 30.0, .count = 12 };
	const cliOption options[] = {
		{ "-o", cli_text, &r.path, "MODEL.snug", "where the model goes; without it only errors are printed" },
		{ "--amplitudes", cli_text, &r.amplitudePath, "OUT.csv",
		    "a line per frame: position and quaternion of the body, then the amplitudes" },
		{ "--count", cli_count, &r.count, "M", "how many fields at most; default 12" },
		CLI_SELF_OPTION(&r.certificates),
		CLI_WORKERS_OPTION(&r.threads),
		{ "--clip", cli_text, &r.clip, "NAME", "the animation of a file, instead of several files" },
		{ "--fps", cli_number, &r.fps, "N", "frames per second of the clip; default 30" },
		{ "--instance", cli_text, &r.only, "NAME|NUMBER",
		    "which body, as `snug info` lists them; default: all as one" },
		{ "--remove-motion", cli_flag, &r.removeMotion, NULL, "keep rigid motion apart" },
		{ "--json", cli_flag, &r.json, NULL, "print one JSON object" },
		{ .name = NULL },
	};
	cliParsed parsed = cliOptions_Parse(&usage, options, &argumentCount, arguments);
	if (parsed != cli_go)
	{
		return parsed == cli_help ? CLI_DONE : CLI_BAD_USAGE;
	}
	if (!CheckOutputs(&r, argumentCount, arguments))
	{
		return CLI_BAD_USAGE;
	}
	bool done = cliOutput_HasPlace(r.path) && cliOutput_HasPlace(r.amplitudePath) &&
	            cliShape_Load(&r.shape, arguments[0], r.only) &&
	            (r.clip != NULL ? ReadClip(&r) : ReadFiles(&r, argumentCount, arguments)) && Reduce(&r) &&
	            (r.path == NULL || WriteModel(&r)) && (r.amplitudePath == NULL || WriteAmplitudes(&r));
	cliProgress("");
	if (done)
	{
		(r.json ? PrintJson : PrintTable)(&r);
	}
	simReduced_Free(&r.reduced);
	cliShape_Free(&r.shape);
	free(r.frames);
	return done ? CLI_DONE : CLI_BAD_INPUT;
}
