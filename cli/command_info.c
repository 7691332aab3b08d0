#include "cli/commands.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/options.h"

static const cliUsage usage = {
	.command = "info",
	.synopsis = "[options] FILE",
	.summary = "Print what is in a file (OBJ): vertices, triangles, extent, the bounding tree and its memory.",
	.examples = "  snug info model.obj\n  snug info --json model.obj",
	.minArguments = 1,
	.maxArguments = 1,
	.argumentName = "FILE",
};

static const char* GetSplitName(snugSplit split)
{
	return split == snug_splitMedian ? "median" : "surface area";
}

static void PrintText(const cliBody* body, const snugModelInfo* info, const snugBounds* bounds)
{
	double triangles = info->triangleCount > 0 ? (double)info->triangleCount : 1.0;
	const float *low = bounds->lower, *high = bounds->upper;
	printf("file       %s\n", body->path);
	printf("vertices   %u\n", info->vertexCount);
	printf("triangles  %u\n", info->triangleCount);
	printf("extent     %.9g %.9g %.9g to %.9g %.9g %.9g\n", (double)low[0], (double)low[1], (double)low[2],
	    (double)high[0], (double)high[1], (double)high[2]);
	printf("tree       %u nodes, %u of them leaves, levels 0 to %u\n", info->nodeCount, info->leafCount, info->depth);
	printf("           split by %s, up to %d children, up to %d triangles per leaf\n", GetSplitName(info->tree.split),
	    info->tree.branching, info->tree.leafTriangles);
	printf("model      %zu bytes, %.1f per triangle, of which the mesh at rest %.1f\n", info->bytes,
	    (double)info->bytes / triangles, (double)info->restMeshBytes / triangles);
	printf("body       %zu bytes\n", snugBody_GetMemory(body->body));
}

static void PrintJson(const cliBody* body, const snugModelInfo* info, const snugBounds* bounds)
{
	const float *low = bounds->lower, *high = bounds->upper;
	printf("{\"file\":");
	cliPrintJsonString(stdout, body->path);
	printf(",\"vertices\":%u,\"triangles\":%u", info->vertexCount, info->triangleCount);
	printf(",\"lower\":[%.9g,%.9g,%.9g],\"upper\":[%.9g,%.9g,%.9g]", (double)low[0], (double)low[1], (double)low[2],
	    (double)high[0], (double)high[1], (double)high[2]);
	printf(",\"nodes\":%u,\"leaves\":%u,\"depth\":%u,\"split\":\"%s\",\"branching\":%d,\"leafTriangles\":%d",
	    info->nodeCount, info->leafCount, info->depth, GetSplitName(info->tree.split), info->tree.branching,
	    info->tree.leafTriangles);
	printf(",\"modelBytes\":%zu,\"restMeshBytes\":%zu,\"bodyBytes\":%zu}\n", info->bytes, info->restMeshBytes,
	    snugBody_GetMemory(body->body));
}

int cliInfo(int argumentCount, char** arguments)
{
	bool json = false;
	const cliOption options[] = {
		{ "--json", cli_flag, &json, NULL, "print one JSON object" },
		{ .name = NULL },
	};
	cliParsed parsed = cliOptions_Parse(&usage, options, &argumentCount, arguments);
	if (parsed != cli_go)
	{
		return parsed == cli_help ? CLI_DONE : CLI_BAD_USAGE;
	}
	cliBody body = { .path = NULL };
	snugBounds bounds;
	bool loaded =
	    cliBody_Load(&body, arguments[0]) && cliBody_Check(&body, snugBody_GetBounds(body.body, NULL, &bounds));
	if (loaded)
	{
		snugModelInfo info = snugModel_GetInfo(body.model);
		(json ? PrintJson : PrintText)(&body, &info, &bounds);
	}
	cliBody_Free(&body);
	return loaded ? CLI_DONE : CLI_BAD_INPUT;
}
