#include "program/commands/commands.h"
#include "program/commands/terminal.h"
#include "program/files/output.h"
#include "program/files/pose_write.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const cliUsage usage = {
	.command = "pose",
	.synopsis = "FILE [FILE2 ...] -o OUT.obj|OUT.ply|OUT.glb|- [options]",
	.summary =
	    "Write the bodies of files as they are at a time of their clips, or at rest: as OBJ with a group per body, as "
	    "binary PLY or glTF, or to standard output (-o -). Numbers read back bit for bit: they are the positions that "
	    "`snug check` decides upon with the same options. Triangles keep their order, so those of the second body "
	    "follow those of the first.",
	.examples = "  snug pose fox.glb --clip Walk --time 0.5 -o fox.obj\n"
	            "  snug pose fox.glb --rotate 0,90,0 --place 1,0,0 -o turned.ply\n"
	            "  snug pose kicker.glb victim.glb --clip kick --clip idle --time 0.4 -o - | wc",
	.minArguments = 1,
	.maxArguments = INT_MAX,
	.argumentName = "FILE",
};

typedef struct poseRun
{
	cliSceneOptions scene;
	const char* path;
	double time; ///< not a number if not given
	int format;  ///< a cliMeshFormat, or -1 if not given
} poseRun;

static bool IsStandardOutput(const char* path)
{
	return strcmp(path, "-") == 0;
}

static bool WritePosed(cliStage* stage, const poseRun* run)
{
	ioOutput output = { NULL, NULL, NULL };
	if (IsStandardOutput(run->path))
	{
		if (!cliWritePose(stage, (cliMeshFormat)run->format, stdout))
		{
			cliError("%s", stage->error.text);
			return false;
		}
		return true; // main says whether it could be written
	}
	if (!cliOutput_Open(&output, run->path))
	{
		return false;
	}
	cliProgress("writing %s ...", run->path);
	bool posed = cliWritePose(stage, (cliMeshFormat)run->format, output.stream);
	cliProgress("");
	if (!posed)
	{
		cliError("%s", stage->error.text);
		ioOutput_Abandon(&output);
		return false;
	}
	return cliOutput_Commit(&output);
}

static bool RunPose(const poseRun* run, int fileCount, char** paths)
{
	cliScene scene;
	cliStage stage = { .scene = NULL };
	double time = isnan(run->time) ? 0.0 : run->time;
	bool loaded = cliScene_Load(&scene, &run->scene, fileCount, paths);
	if (loaded && cliSceneOptions_IsAnimated(&run->scene))
	{
		cliScene_WarnOfTime(&scene, "--time", time);
	}
	bool posed = loaded && cliStage_Create(&stage, &scene) && cliStage_SetTime(&stage, time);
	cliProgress("");
	if (loaded && !posed)
	{
		cliError("%s", stage.error.text);
	}
	bool written = posed && WritePosed(&stage, run);
	cliStage_Free(&stage);
	cliScene_Free(&scene);
	return written;
}

static bool EndsIn(const char* path, const char* ending)
{
	size_t length = strlen(path), endingLength = strlen(ending);
	return length > endingLength && strcmp(path + length - endingLength, ending) == 0;
}

// The format is what the name says, unless it was given.
static bool CheckUsage(poseRun* run, int fileCount, char** paths)
{
	const char* endings = run->format < 0 ? ".obj .ply .glb" : NULL;
	if (run->path == NULL)
	{
		cliError("pose needs -o OUT.obj, OUT.ply, OUT.glb or -; see snug pose --help");
		return false;
	}
	if (!isnan(run->time) && !cliSceneOptions_IsAnimated(&run->scene))
	{
		cliError("--time needs --clip or --amplitudes; see snug pose --help");
		return false;
	}
	if (run->format < 0)
	{
		run->format = EndsIn(run->path, ".ply") ? cli_ply : EndsIn(run->path, ".glb") ? cli_glb : cli_obj;
	}
	for (int i = 0; i < fileCount && !IsStandardOutput(run->path); ++i)
	{
		if (!cliOutput_Check(run->path, endings, paths[i]))
		{
			return false;
		}
	}
	return cliSceneOptions_Check(&run->scene, "pose", fileCount);
}

int cliPose(int argumentCount, char** arguments)
{
	poseRun run = { .scene = { .fps = 30.0 }, .time = NAN, .format = -1 };
	const cliOption options[] = {
		{ "-o", cli_text, &run.path, "OUT", "where the mesh goes, or - for standard output; required" },
		{ "--format", cli_choice, &run.format, CLI_MESH_FORMATS,
		    "how, whatever the name is; default as the name ends, obj for -" },
		CLI_CLIP_OPTION(&run.scene.clips, "the animation; once for all files, or once per file; without it: rest"),
		CLI_AMPLITUDES_OPTION(&run.scene.amplitudes),
		{ "--time", cli_number, &run.time, "S", "seconds, of --amplitudes 1/30 per frame; default 0" },
		CLI_PLACE_OPTIONS(&run.scene),
		CLI_BLENDING_OPTION(&run.scene.blending),
		{ .name = NULL },
	};
	cliParsed parsed = cliOptions_Parse(&usage, options, &argumentCount, arguments);
	int code = parsed == cli_help ? CLI_DONE : CLI_BAD_USAGE;
	if (parsed == cli_go && CheckUsage(&run, argumentCount, arguments))
	{
		bool hasPlace = IsStandardOutput(run.path) || cliOutput_HasPlace(run.path);
		code = hasPlace && RunPose(&run, argumentCount, arguments) ? CLI_DONE : CLI_BAD_INPUT;
	}
	cliOptions_Free(options);
	return code;
}
