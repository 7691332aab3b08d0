#include "program/commands/commands.h"
#include "program/commands/terminal.h"
#include "program/files/json.h"
#include "program/files/stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cliUsage usage = {
	.command = "info",
	.synopsis = "[options] FILE",
	.summary =
	    "Print what is in a file: bodies with their vertices, triangles, joints, morph targets and influences per "
	    "vertex, clips and joints by name, the extent at rest, and the bounding trees with their memory.",
	.examples = "  snug info fox.glb\n  snug info --json model.obj",
	.minArguments = 1,
	.maxArguments = 1,
	.argumentName = "FILE",
};

/// What a body is, beside what its model says.
typedef struct bodyInfo
{
	const cliPart* part;
	const char* deformer;
	const char* blending; ///< null: it is no skin
	uint32_t joints, targets, influences;
	snugModelInfo model;
	size_t bodyBytes;
} bodyInfo;

/// Sums over all bodies.
typedef struct fileInfo
{
	uint64_t vertices, triangles;
	uint64_t modelBytes, bodyBytes;
	snugBounds bounds;
} fileInfo;

static uint32_t CountInfluences(const ioAssetMesh* mesh)
{
	uint32_t most = 0;
	for (uint32_t i = 0; mesh->influenceStart != NULL && i < mesh->mesh.vertexCount; ++i)
	{
		uint32_t count = mesh->influenceStart[i + 1] - mesh->influenceStart[i];
		most = count > most ? count : most;
	}
	return most;
}

static bodyInfo GetBody(const cliStage* stage, int i)
{
	static const char* const names[] = { "rigid", "free", "skin", "fields" };
	static const char* const blendings[] = { "linear", "spherical", "dual-quaternion" };
	const cliPart* part = stage->scene->parts + i;
	const ioAsset* asset = cliScene_GetAsset(stage->scene, part->file);
	bodyInfo info = {
		.part = part, .model = snugModel_GetInfo(part->model), .bodyBytes = snugBody_GetMemory(stage->bodies[i])
	};
	info.deformer = names[info.model.deformer];
	info.blending = info.model.deformer == snug_skin ? blendings[info.model.blending] : NULL;
	if (part->instance != IO_NONE)
	{
		const ioInstance* instance = asset->instances + part->instance;
		const ioAssetMesh* mesh = asset->meshes + instance->mesh;
		info.joints = instance->skin != IO_NONE ? asset->skins[instance->skin].jointCount : 0;
		info.influences = instance->skin != IO_NONE ? CountInfluences(mesh) : 0;
		info.targets = mesh->targetCount;
	}
	else
	{
		info.joints = info.model.jointCount;
		info.influences = info.model.maxInfluences;
		info.targets = info.model.fieldCount;
	}
	return info;
}

// The least box of the triangles' corners: bounds of posed bodies are larger.
static bool AddExtent(cliStage* stage, int i, snugBounds* extent)
{
	const cliPart* part = stage->scene->parts + i;
	float* positions = malloc(((size_t)part->vertexCount + 1) * 3 * sizeof(float));
	bool posed = cliStage_Check(stage, i, positions != NULL ? snug_success : snug_outOfMemory) &&
	             cliStage_GetVertices(stage, i, positions);
	for (size_t c = 0; posed && c < 3 * (size_t)part->triangleCount; ++c)
	{
		const float* p = positions + 3 * (size_t)part->triangles[c];
		for (int k = 0; k < 3; ++k)
		{
			extent->lower[k] = fminf(extent->lower[k], p[k]);
			extent->upper[k] = fmaxf(extent->upper[k], p[k]);
		}
	}
	free(positions);
	return posed;
}

static bool Sum(cliStage* stage, fileInfo* sum)
{
	*sum = (fileInfo){ .bounds = {
		                   .lower = { INFINITY, INFINITY, INFINITY }, .upper = { -INFINITY, -INFINITY, -INFINITY } } };
	sum->modelBytes = cliMade_GetBytes(&stage->scene->files[0].made);
	bool good = true;
	for (int i = 0; good && i < stage->scene->partCount; ++i)
	{
		sum->vertices += stage->scene->parts[i].vertexCount;
		sum->triangles += stage->scene->parts[i].triangleCount;
		sum->bodyBytes += snugBody_GetMemory(stage->bodies[i]);
		good = AddExtent(stage, i, &sum->bounds);
	}
	return good;
}

static const char* GetFormat(const ioAsset* asset)
{
	return asset->format != NULL ? asset->format : "snug model";
}

// ---- Text ------------------------------------------------------------------------------------------------------

static void PrintTextClips(const ioAsset* asset)
{
	printf("clips      %u\n", asset->clipCount);
	for (uint32_t i = 0; i < asset->clipCount; ++i)
	{
		printf("%10u %8.3f s  %s\n", i, asset->clips[i].duration, asset->clips[i].name);
	}
}

static void PrintTextBodies(const cliStage* stage)
{
	printf("bodies     %d\n\n", stage->scene->partCount);
	printf("%5s %9s %9s %6s %7s %10s %8s %15s %8s %6s %10s  %s\n", "body", "vertices", "triangles", "joints", "morphs",
	    "influences", "deformer", "blending", "nodes", "levels", "bytes", "name");
	for (int i = 0; i < stage->scene->partCount; ++i)
	{
		bodyInfo b = GetBody(stage, i);
		printf("%5d %9u %9u %6u %7u %10u %8s %15s %8u %6u %10zu  %s\n", i, b.part->vertexCount, b.part->triangleCount,
		    b.joints, b.targets, b.influences, b.deformer, b.blending != NULL ? b.blending : "-", b.model.nodeCount,
		    b.model.depth + 1, b.model.bytes, b.part->name);
	}
}

static float* GetFrequencies(const snugModel* model, uint32_t* count)
{
	snugModel_GetFrequencies(model, NULL, 0, count);
	float* frequencies = malloc((*count + 1) * sizeof(float));
	snugModel_GetFrequencies(model, frequencies, frequencies != NULL ? *count : 0, count);
	*count = frequencies != NULL ? *count : 0;
	return frequencies;
}

// Vibration modes, of bodies whose model knows their frequencies.
static void PrintTextModes(const cliStage* stage)
{
	for (int i = 0; i < stage->scene->partCount; ++i)
	{
		const snugModel* model = stage->scene->parts[i].model;
		uint32_t count;
		float* frequencies = GetFrequencies(model, &count);
		if (count > 0)
		{
			printf("\nmodes of body %d: %u, from %.6g Hz to %.6g Hz\n", i, count, (double)frequencies[0],
			    (double)frequencies[count - 1]);
		}
		free(frequencies);
	}
}

// Names between commas, in lines of moderate length.
static void PrintTextJoints(const ioAsset* asset)
{
	for (uint32_t i = 0; i < asset->skinCount; ++i)
	{
		const ioSkin* skin = asset->skins + i;
		int column =
		    skin->name[0] != '\0' ? printf("\njoints of skin '%s': ", skin->name) : printf("\njoints of skin %u: ", i);
		for (uint32_t k = 0; k < skin->jointCount; ++k)
		{
			const char* name = asset->nodes[skin->joints[k]].name;
			bool wraps = column + (int)strlen(name) > 98;
			printf(wraps ? "\n  " : k > 0 ? " " : "");
			column = wraps ? 2 : column + 1;
			column += name[0] != '\0' ? printf("%s", name) : printf("node %u", skin->joints[k]);
			column += printf(k + 1 < skin->jointCount ? "," : "\n");
		}
	}
}

static void PrintText(const cliStage* stage, const fileInfo* sum)
{
	const cliScene* scene = stage->scene;
	const float *low = sum->bounds.lower, *high = sum->bounds.upper;
	double triangles = sum->triangles > 0 ? (double)sum->triangles : 1.0;
	printf("file       %s (%s)\n", scene->files[0].path, GetFormat(scene->files[0].asset));
	PrintTextClips(scene->files[0].asset);
	PrintTextBodies(stage);
	printf("\nvertices   %llu\n", (unsigned long long)sum->vertices);
	printf("triangles  %llu\n", (unsigned long long)sum->triangles);
	if (low[0] <= high[0])
	{
		printf("extent     %.9g %.9g %.9g to %.9g %.9g %.9g\n", (double)low[0], (double)low[1], (double)low[2],
		    (double)high[0], (double)high[1], (double)high[2]);
	}
	printf("memory     models %llu bytes, %.1f per triangle; bodies %llu bytes\n", (unsigned long long)sum->modelBytes,
	    (double)sum->modelBytes / triangles, (unsigned long long)sum->bodyBytes);
	PrintTextModes(stage);
	PrintTextJoints(scene->files[0].asset);
}

// ---- JSON ------------------------------------------------------------------------------------------------------

// Those of a skinned body, in the order in which they are numbered.
static void PrintJsonJoints(const ioAsset* asset, uint32_t instance)
{
	const ioSkin* skin = instance != IO_NONE && asset->instances[instance].skin != IO_NONE
	                         ? asset->skins + asset->instances[instance].skin
	                         : NULL;
	printf(",\"jointNames\":[");
	for (uint32_t k = 0; skin != NULL && k < skin->jointCount; ++k)
	{
		printf(k > 0 ? "," : "");
		cliPrintJsonString(stdout, asset->nodes[skin->joints[k]].name);
	}
	printf("]");
}

static void PrintJsonModes(const snugModel* model)
{
	uint32_t count;
	float* frequencies = GetFrequencies(model, &count);
	printf(",\"modes\":[");
	for (uint32_t i = 0; i < count; ++i)
	{
		printf(i > 0 ? "," : "");
		cliPrintJsonNumber(stdout, (double)frequencies[i]);
	}
	printf("]");
	free(frequencies);
}

static void PrintJsonBody(const ioAsset* asset, const bodyInfo* b)
{
	const snugModelInfo* m = &b->model;
	printf("{\"name\":");
	cliPrintJsonString(stdout, b->part->name);
	printf(",\"vertices\":%u,\"triangles\":%u,\"joints\":%u,\"morphTargets\":%u,\"influences\":%u,\"deformer\":\"%s\"",
	    b->part->vertexCount, b->part->triangleCount, b->joints, b->targets, b->influences, b->deformer);
	if (b->blending != NULL)
	{
		printf(",\"blending\":\"%s\"", b->blending);
	}
	printf(",\"nodes\":%u,\"leaves\":%u,\"depth\":%u", m->nodeCount, m->leafCount, m->depth);
	printf(",\"modelBytes\":%zu,\"restMeshBytes\":%zu,\"bodyBytes\":%zu", m->bytes, m->restMeshBytes, b->bodyBytes);
	if (m->certificateBytes > 0)
	{
		printf(",\"certificateBytes\":%zu", m->certificateBytes);
	}
	PrintJsonJoints(asset, b->part->instance);
	PrintJsonModes(b->part->model);
	printf("}");
}

static void PrintJsonClips(const ioAsset* asset)
{
	printf(",\"clips\":[");
	for (uint32_t i = 0; i < asset->clipCount; ++i)
	{
		printf("%s{\"name\":", i > 0 ? "," : "");
		cliPrintJsonString(stdout, asset->clips[i].name);
		printf(",\"duration\":");
		cliPrintJsonNumber(stdout, asset->clips[i].duration);
		printf("}");
	}
	printf("]");
}

// What has no triangles has no extent: null.
static void PrintJsonExtent(const snugBounds* bounds)
{
	const float *low = bounds->lower, *high = bounds->upper;
	if (low[0] <= high[0])
	{
		printf(",\"lower\":[%.9g,%.9g,%.9g],\"upper\":[%.9g,%.9g,%.9g]", (double)low[0], (double)low[1], (double)low[2],
		    (double)high[0], (double)high[1], (double)high[2]);
	}
	else
	{
		printf(",\"lower\":null,\"upper\":null");
	}
}

static void PrintJson(const cliStage* stage, const fileInfo* sum)
{
	const cliScene* scene = stage->scene;
	printf("{\"file\":");
	cliPrintJsonString(stdout, scene->files[0].path);
	printf(",\"format\":\"%s\",\"vertices\":%llu,\"triangles\":%llu", GetFormat(scene->files[0].asset),
	    (unsigned long long)sum->vertices, (unsigned long long)sum->triangles);
	PrintJsonExtent(&sum->bounds);
	printf(",\"modelBytes\":%llu,\"bodyBytes\":%llu,\"bodies\":[", (unsigned long long)sum->modelBytes,
	    (unsigned long long)sum->bodyBytes);
	for (int i = 0; i < scene->partCount; ++i)
	{
		bodyInfo body = GetBody(stage, i);
		printf(i > 0 ? "," : "");
		PrintJsonBody(cliScene_GetAsset(scene, 0), &body);
	}
	printf("]");
	PrintJsonClips(scene->files[0].asset);
	printf(",\"warnings\":[");
	for (int i = 0; i < scene->warningCount; ++i)
	{
		printf(i > 0 ? "," : "");
		cliPrintJsonString(stdout, scene->warnings[i]);
	}
	printf("]}\n");
}

int cliInfo(int argumentCount, char** arguments)
{
	bool json = false;
	cliSceneOptions sceneOptions = { .anyWeights = true };
	const cliOption options[] = {
		{ "--json", cli_flag, &json, NULL, "print one JSON object" },
		CLI_BLENDING_OPTION(&sceneOptions.blending),
		{ .name = NULL },
	};
	cliParsed parsed = cliOptions_Parse(&usage, options, &argumentCount, arguments);
	if (parsed != cli_go)
	{
		return parsed == cli_help ? CLI_DONE : CLI_BAD_USAGE;
	}
	cliScene scene;
	cliStage stage = { .scene = NULL };
	bool loaded = cliScene_Load(&scene, &sceneOptions, 1, arguments);
	fileInfo sum;
	bool posed = loaded && cliStage_Create(&stage, &scene) && cliStage_SetTime(&stage, 0.0) && Sum(&stage, &sum);
	cliProgress("");
	if (posed)
	{
		(json ? PrintJson : PrintText)(&stage, &sum);
	}
	else if (loaded)
	{
		cliError("%s", stage.error.text);
	}
	cliStage_Free(&stage);
	cliScene_Free(&scene);
	return posed ? CLI_DONE : CLI_BAD_INPUT;
}
