#include "program/commands/commands.h"
#include "program/commands/options.h"
#include "program/commands/terminal.h"
#include "program/files/json.h"
#include "program/files/linear_model.h"
#include "program/files/output.h"
#include "program/files/shape.h"
#include "program/files/workers.h"
#include "solvers/modes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const cliUsage usage = {
	.command = "modes",
	.synopsis = "FILE [-o MODEL.snug] [options]",
	.summary =
	    "Compute how a body vibrates, held somewhere or not, by finite elements: its lowest frequencies, and the "
	    "shapes as displacement fields of a linear model, each with a longest displacement of 1, and with its "
	    "frequency. Programs pose it: snugModel_LoadFile, then snugBody_SetAmplitudes; snugModel_GetFrequencies.\n\n"
	    "The bodies of the file, at rest, are embedded in bricks of elastic material. Closed parts are solid; others "
	    "are sheets of a thickness. Parts that are no more than two cells apart are joined. The six rigid motions, at "
	    "zero, are recognised and left out. Lengths are taken for metres: with --scale 0.01 the file's unit is a "
	    "centimetre, which changes the frequencies and nothing else.",
	.examples = "  snug modes chair.obj --count 10 -o chair.snug\n"
	            "  snug modes bridge.obj --fix 'x<-27.5,x>27.5' -o bridge.snug\n"
	            "  snug modes --json --cells 20000 --young 1e10 --density 700 bridge.obj",
	.minArguments = 1,
	.maxArguments = 1,
	.argumentName = "FILE",
};

#define MAX_FIXES 8

typedef struct modesRun
{
	const char* path;  ///< of the model; null: only a table
	const char* only;  ///< instance
	int count, cells;  ///<
	double scale;      ///< metres per unit of the file
	bool json;         ///<
	bool certificates; ///< snugModelDef
	int threads;       ///< that make the model
	const char* held;  ///< where; null: nowhere
	simFix fixes[MAX_FIXES];
	simModesDef def;  ///<
	cliShape shape;   ///<
	float* positions; ///<
	simModes modes;   ///<
} modesRun;

// ---- Output ----------------------------------------------------------------------------------------------------

static void PrintNumbers(const char* key, const double* numbers, uint32_t count, double by)
{
	printf(",\"%s\":[", key);
	for (uint32_t i = 0; i < count; ++i)
	{
		printf(i > 0 ? "," : "");
		cliPrintJsonNumber(stdout, numbers[i] / by);
	}
	printf("]");
}

static void PrintJson(const modesRun* r)
{
	const simModes* m = &r->modes;
	printf("{\"file\":");
	cliPrintJsonString(stdout, r->shape.path);
	printf(",\"vertices\":%u,\"triangles\":%u,\"parts\":%u,\"solidParts\":%u,\"cells\":%u,\"joiningCells\":%u,"
	       "\"nodes\":%u",
	    r->shape.vertexCount, r->shape.triangleCount, m->partCount, m->solidCount, m->cellCount, m->bridgeCount,
	    m->nodeCount);
	PrintNumbers("cell", m->cell, 3, 1.0);
	PrintNumbers("rigid", m->rigid, 6, r->scale);
	printf(",\"heldNodes\":%u", m->heldCount);
	PrintNumbers("frequencies", m->frequencies, m->modeCount, r->scale);
	printf("}\n");
}

static void PrintTable(const modesRun* r)
{
	const simModes* m = &r->modes;
	double rigid = 0.0;
	for (int i = 0; i < 6; ++i)
	{
		rigid = m->rigid[i] > rigid ? m->rigid[i] : rigid;
	}
	printf("file       %s\n", r->shape.path);
	printf("mesh       %u vertices, %u triangles; parts: %u, closed: %u\n", r->shape.vertexCount,
	    r->shape.triangleCount, m->partCount, m->solidCount);
	printf("elements   %u cells of %.3g by %.3g by %.3g, %u nodes", m->cellCount, m->cell[0], m->cell[1], m->cell[2],
	    m->nodeCount);
	printf(m->bridgeCount > 0 ? "; %u cells join parts\n" : "\n", m->bridgeCount);
	if (m->heldCount > 0)
	{
		printf("held       %u nodes\n\n%5s %14s\n", m->heldCount, "mode", "Hz");
	}
	else
	{
		printf("rigid      6 motions, below %.2g Hz\n\n%5s %14s\n", rigid / r->scale, "mode", "Hz");
	}
	for (uint32_t i = 0; i < m->modeCount; ++i)
	{
		printf("%5u %14.6g\n", i, m->frequencies[i] / r->scale);
	}
}

// ---- Where it is held --------------------------------------------------------------------------------------------

// An axis, < or >, and a number; several with commas between them.
static bool ReadFixes(modesRun* r)
{
	const char* at = r->held;
	while (at != NULL && *at != '\0')
	{
		char* end = NULL;
		bool isRight = r->def.fixCount < MAX_FIXES && at[0] >= 'x' && at[0] <= 'z' && (at[1] == '<' || at[1] == '>');
		double value = isRight ? strtod(at + 2, &end) : 0.0;
		isRight = isRight && end != at + 2 && isfinite(value) && (*end == '\0' || (*end == ',' && end[1] != '\0'));
		if (!isRight)
		{
			cliError("--fix must be like x<0.5, or up to %d of these with commas between them, not '%s'", MAX_FIXES,
			    r->held);
			return false;
		}
		r->fixes[r->def.fixCount++] = (simFix){ at[0] - 'x', at[1] == '>', value };
		at = *end == ',' ? end + 1 : end;
	}
	r->def.fixes = r->fixes;
	return true;
}

// ---- Running ---------------------------------------------------------------------------------------------------

static bool Compute(modesRun* r, char* file)
{
	simError error;
	if (!cliShape_Load(&r->shape, file, r->only))
	{
		return false;
	}
	r->positions = malloc(((size_t)r->shape.vertexCount + 1) * 3 * sizeof(float));
	if (r->positions == NULL)
	{
		cliError("%s: out of memory", file);
		return false;
	}
	if (!cliShape_Evaluate(&r->shape, IO_NONE, 0.0, r->positions))
	{
		return false;
	}
	r->def.mesh = (simMesh){ r->positions, r->shape.vertexCount, r->shape.triangles, r->shape.triangleCount };
	r->def.modeCount = (uint32_t)r->count;
	r->def.cellCount = (uint32_t)r->cells;
	r->def.progress = cliShowWork;
	r->def.user = file;
	if (!simModes_Compute(&r->modes, &r->def, &error))
	{
		cliError("%s: %s", file, error.text);
		return false;
	}
	return true;
}

static bool WriteModel(const modesRun* r)
{
	const simMesh* mesh = &r->def.mesh;
	float* frequencies = malloc(r->modes.modeCount * sizeof(float));
	for (uint32_t i = 0; i < r->modes.modeCount && frequencies != NULL; ++i)
	{
		frequencies[i] = (float)(r->modes.frequencies[i] / r->scale);
	}
	snugModelDef def = { .positions = mesh->positions,
		.vertexCount = mesh->vertexCount,
		.triangles = mesh->triangles,
		.triangleCount = mesh->triangleCount,
		.certificates = r->certificates,
		.workers = cliWorkers_Get(&r->threads),
		.fields = { .fieldCount = r->modes.modeCount, .displacements = r->modes.fields, .frequencies = frequencies } };
	bool written = frequencies != NULL && cliWriteLinearModel(&def, r->shape.path, r->path);
	free(frequencies);
	return written;
}

int cliModes(int argumentCount, char** arguments)
{
	modesRun r = { .count = 10, .cells = 5000, .scale = 1.0 };
	r.def = (simModesDef){ .young = 2.1e11, .density = 7850.0, .poisson = 0.3 };
	const cliOption options[] = {
		{ "-o", cli_text, &r.path, "MODEL.snug", "where the model goes; without it only a table is printed" },
		{ "--count", cli_count, &r.count, "M", "how many modes, from the lowest; default 10" },
		{ "--cells", cli_count, &r.cells, "N", "about how many bricks; default 5000. More are slower and more exact" },
		{ "--thickness", cli_number, &r.def.thickness, "T", "of sheets; default: the edge of a brick" },
		{ "--young", cli_number, &r.def.young, "E", "Young's modulus in pascals; default 2.1e11, steel" },
		{ "--density", cli_number, &r.def.density, "D", "kilograms per cubic metre; default 7850" },
		{ "--poisson", cli_number, &r.def.poisson, "NU", "Poisson's ratio, between 0 and 0.5; default 0.3" },
		{ "--fix", cli_text, &r.held, "WHERE",
		    "hold what is there: an axis of the file, < or >, and a number, as in x<-27,x>27; default: nothing" },
		{ "--scale", cli_number, &r.scale, "S", "metres per unit of the file; default 1" },
		{ "--instance", cli_text, &r.only, "NAME|NUMBER",
		    "which body, as `snug info` lists them; default: all as one" },
		CLI_SELF_OPTION(&r.certificates),
		CLI_WORKERS_OPTION(&r.threads),
		{ "--json", cli_flag, &r.json, NULL, "print one JSON object" },
		{ .name = NULL },
	};
	cliParsed parsed = cliOptions_Parse(&usage, options, &argumentCount, arguments);
	if (parsed != cli_go)
	{
		return parsed == cli_help ? CLI_DONE : CLI_BAD_USAGE;
	}
	if (!(r.scale > 0.0))
	{
		cliError("--scale must be positive; see snug modes --help");
		return CLI_BAD_USAGE;
	}
	if (!ReadFixes(&r))
	{
		return CLI_BAD_USAGE;
	}
	if (r.path != NULL && !cliOutput_Check(r.path, ".snug", arguments[0]))
	{
		return CLI_BAD_USAGE;
	}
	bool done = cliOutput_HasPlace(r.path) && Compute(&r, arguments[0]) && (r.path == NULL || WriteModel(&r));
	cliProgress("");
	if (done)
	{
		(r.json ? PrintJson : PrintTable)(&r);
	}
	simModes_Free(&r.modes);
	cliShape_Free(&r.shape);
	free(r.positions);
	return done ? CLI_DONE : CLI_BAD_INPUT;
}
