#include "program/commands/commands.h"
#include "program/commands/terminal.h"
#include "program/files/linear_model.h"
#include "program/files/output.h"
#include "program/files/scene.h"
#include "program/files/workers.h"

#include <stdio.h>

static const cliUsage usage = {
	.command = "pack",
	.synopsis = "FILE -o MODEL.snug [options]",
	.summary =
	    "Precompute the model of a body - mesh, weights and bounding tree - so that programs, and the other commands, "
	    "load it at once. A .snug file holds one model: of a file with several bodies, --instance says which.\n\n"
	    "A .snug file holds no joints, clips or nodes. Commands show it at rest: a skinned model as its mesh is in the "
	    "file, before any joint or morph target moves it; any other where its node puts it. Programs pose it: "
	    "snugModel_LoadFile, then snugBody_SetJoints. Morph targets are displacement fields: snugBody_SetAmplitudes "
	    "sets the weights of a skinned body, and adds to those that the file has at rest for any other.",
	.examples = "  snug pack fox.glb -o fox.snug\n"
	            "  snug pack --instance Head character.glb -o head.snug\n"
	            "  snug info fox.snug",
	.minArguments = 1,
	.maxArguments = 1,
	.argumentName = "FILE",
};

static void ListBodies(const ioAsset* asset, char* text, size_t size)
{
	size_t used = 0;
	text[0] = '\0';
	for (uint32_t i = 0; i < asset->instanceCount && used < size - 160; ++i)
	{
		used +=
		    (size_t)snprintf(text + used, size - used, "%s%u '%.100s'", i > 0 ? ", " : "", i, asset->instances[i].name);
	}
}

// The scene has made no model: which body is meant is not clear.
static int FailToChoose(const cliScene* scene, const char* name)
{
	const char* path = scene->files[0].path;
	const ioAsset* asset = scene->files[0].asset;
	char list[1500];
	ListBodies(asset, list, sizeof(list));
	if (name == NULL && asset->instanceCount > 0)
	{
		cliError("%s: holds %u bodies; choose one with --instance: %s", path, asset->instanceCount, list);
		return CLI_BAD_USAGE;
	}
	cliError("%s: no body '%s'; there are: %s", path, name != NULL ? name : "", list);
	return CLI_BAD_INPUT;
}

static int RunPack(const cliSceneOptions* options, char** paths, const char* path)
{
	cliScene scene;
	int code = CLI_BAD_INPUT;
	bool loaded = cliScene_Load(&scene, options, 1, paths);
	if (loaded && scene.partCount == 0)
	{
		code = FailToChoose(&scene, options->only);
	}
	else if (loaded)
	{
		const snugModelInfo info = snugModel_GetInfo(scene.parts[0].model);
		if (options->certificates && info.certificateBytes == 0)
		{
			cliError(
			    "warning: %s: only bodies that morph targets or modes alone move can be known not to meet themselves",
			    paths[0]);
		}
		cliProgress("writing %s ...", path);
		code = cliOutput_WriteModel(path, scene.parts[0].model) ? CLI_DONE : CLI_BAD_INPUT;
		cliProgress("");
	}
	cliScene_Free(&scene);
	return code;
}

int cliPack(int argumentCount, char** arguments)
{
	cliSceneOptions scene = { .isAlone = true };
	const char* path = NULL;
	const cliOption options[] = {
		{ "-o", cli_text, &path, "MODEL.snug", "where the model goes; required" },
		{ "--instance", cli_text, &scene.only, "NAME|NUMBER", "which body, as `snug info` lists them" },
		CLI_BLENDING_OPTION(&scene.blending),
		CLI_SELF_OPTION(&scene.certificates),
		CLI_WORKERS_OPTION(&scene.threads),
		{ .name = NULL },
	};
	cliParsed parsed = cliOptions_Parse(&usage, options, &argumentCount, arguments);
	if (parsed != cli_go)
	{
		return parsed == cli_help ? CLI_DONE : CLI_BAD_USAGE;
	}
	if (path == NULL)
	{
		cliError("pack needs -o MODEL.snug; see snug pack --help");
		return CLI_BAD_USAGE;
	}
	if (!cliOutput_Check(path, ".snug", arguments[0]))
	{
		return CLI_BAD_USAGE;
	}
	return cliOutput_HasPlace(path) ? RunPack(&scene, arguments, path) : CLI_BAD_INPUT;
}
