#include "io/decimal.h"
#include "program/commands.h"
#include "program/output.h"
#include "program/stage.h"
#include "program/terminal.h"

#include <math.h>
#include <stdlib.h>

static const cliUsage usage = {
	.command = "pose",
	.synopsis = "FILE -o OUT.obj [options]",
	.summary = "Write a file's bodies as they are at a time of a clip, or at rest, as an OBJ file with a group per "
	           "body. Numbers\n"
	           "read back bit for bit: they are the positions that `snug check` decides upon with the same options. "
	           "Triangles\n"
	           "keep their order, so those of the second body follow those of the first.",
	.examples = "  snug pose fox.glb --clip Walk --time 0.5 -o fox.obj\n"
	            "  snug pose fox.glb --rotate 0,90,0 --place 1,0,0 -o turned.obj",
	.minArguments = 1,
	.maxArguments = 1,
	.argumentName = "FILE",
};

static void PrintVertices(FILE* stream, const float* positions, uint32_t count)
{
	for (size_t i = 0; i < count; ++i)
	{
		char text[3][IO_FLOAT_TEXT];
		for (size_t k = 0; k < 3; ++k)
		{
			ioPrintFloat(positions[3 * i + k], text[k]);
		}
		fprintf(stream, "v %s %s %s\n", text[0], text[1], text[2]);
	}
}

static void PrintTriangles(FILE* stream, const cliPart* part, unsigned long long firstVertex)
{
	for (size_t t = 0; t < part->triangleCount; ++t)
	{
		const uint32_t* corners = part->triangles + 3 * t;
		fprintf(
		    stream, "f %llu %llu %llu\n", firstVertex + corners[0], firstVertex + corners[1], firstVertex + corners[2]);
	}
}

// Vertices are numbered from 1 through the whole file.
static bool PrintBodies(cliStage* stage, FILE* stream)
{
	unsigned long long firstVertex = 1;
	for (int i = 0; i < stage->scene->partCount; ++i)
	{
		const cliPart* part = stage->scene->parts + i;
		float* positions = malloc(((size_t)part->vertexCount + 1) * 3 * sizeof(float));
		bool posed = cliStage_Check(stage, i, positions != NULL ? snug_success : snug_outOfMemory) &&
		             cliStage_GetVertices(stage, i, positions);
		if (posed)
		{
			fprintf(stream, "o %s\n", part->name);
			PrintVertices(stream, positions, part->vertexCount);
			PrintTriangles(stream, part, firstVertex);
			firstVertex += part->vertexCount;
		}
		free(positions);
		if (!posed)
		{
			return false;
		}
	}
	return true;
}

static bool WritePose(const cliScene* scene, double time, const char* path)
{
	cliStage stage;
	ioOutput output = { NULL, NULL, NULL };
	bool posed = cliStage_Create(&stage, scene) && cliStage_SetTime(&stage, time);
	bool opened = posed && cliOutput_Open(&output, path);
	bool written = false;
	if (opened)
	{
		cliProgress("writing %s ...", path);
		posed = PrintBodies(&stage, output.stream);
		written = posed && cliOutput_Commit(&output);
		cliProgress("");
	}
	if (!posed)
	{
		cliError("%s", stage.error.text);
		ioOutput_Abandon(&output);
	}
	cliStage_Free(&stage);
	return written;
}

int cliPose(int argumentCount, char** arguments)
{
	cliSceneOptions scene = { .fps = 30.0 };
	const char* path = NULL;
	double time = NAN;
	const cliOption options[] = {
		{ "-o", cli_text, &path, "OUT.obj", "where the mesh goes; required" },
		{ "--clip", cli_text, &scene.clip, "NAME|NUMBER", "the animation; without it: rest" },
		CLI_AMPLITUDES_OPTION(&scene.amplitudes),
		{ "--time", cli_number, &time, "S", "seconds, of --amplitudes 1/30 per frame; default 0" },
		CLI_PLACE_OPTION(&scene.places),
		CLI_ROTATE_OPTION(&scene.rotations),
		CLI_DEFORMER_OPTION(&scene.deformer),
		CLI_BOUND_OPTIONS(&scene),
		CLI_STRATEGY_OPTION(&scene.strategy),
		{ .name = NULL },
	};
	cliParsed parsed = cliOptions_Parse(&usage, options, &argumentCount, arguments);
	int code = parsed == cli_help ? CLI_DONE : CLI_BAD_USAGE;
	if (parsed == cli_go && path == NULL)
	{
		cliError("pose needs -o OUT.obj; see snug pose --help");
	}
	else if (parsed == cli_go && !isnan(time) && scene.clip == NULL && scene.amplitudes == NULL)
	{
		cliError("--time needs --clip or --amplitudes; see snug pose --help");
	}
	else if (parsed == cli_go && cliOutput_Check(path, ".obj", arguments[0]) &&
	         cliSceneOptions_Check(&scene, "pose", argumentCount))
	{
		cliScene loaded;
		bool done = cliScene_Load(&loaded, &scene, argumentCount, arguments) &&
		            WritePose(&loaded, isnan(time) ? 0.0 : time, path);
		cliScene_Free(&loaded);
		code = done ? CLI_DONE : CLI_BAD_INPUT;
	}
	cliOptions_Free(options);
	return code;
}
