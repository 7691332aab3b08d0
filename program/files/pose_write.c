#include "program/files/pose_write.h"

#include "io/decimal.h"
#include "io/gltf_write.h"

#include <stdlib.h>
#include <string.h>

// ---- OBJ -------------------------------------------------------------------------------------------------------

static void PrintObjVertices(FILE* stream, const float* positions, uint32_t count)
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

// Vertices are numbered from 1 through the whole file.
static void PrintObjTriangles(FILE* stream, const cliPart* part, uint64_t firstVertex)
{
	for (size_t t = 0; t < part->triangleCount; ++t)
	{
		const uint32_t* corners = part->triangles + 3 * t;
		fprintf(stream, "f %llu %llu %llu\n", (unsigned long long)(firstVertex + 1 + corners[0]),
		    (unsigned long long)(firstVertex + 1 + corners[1]), (unsigned long long)(firstVertex + 1 + corners[2]));
	}
}

// ---- PLY -------------------------------------------------------------------------------------------------------

static void PrintPlyHead(const cliScene* scene, FILE* stream)
{
	uint64_t vertices = 0, triangles = 0;
	fprintf(stream, "ply\nformat binary_little_endian 1.0\n");
	for (int i = 0; i < scene->partCount; ++i)
	{
		const cliPart* part = scene->parts + i;
		fprintf(stream, "comment body %d: %s: %u vertices, %u triangles\n", i, part->name, part->vertexCount,
		    part->triangleCount);
		vertices += part->vertexCount;
		triangles += part->triangleCount;
	}
	fprintf(stream,
	    "element vertex %llu\nproperty float x\nproperty float y\nproperty float z\nelement face %llu\n"
	    "property list uchar uint vertex_indices\nend_header\n",
	    (unsigned long long)vertices, (unsigned long long)triangles);
}

static void PutWord(FILE* stream, uint32_t word)
{
	const uint8_t bytes[4] = { (uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24) };
	fwrite(bytes, 1, 4, stream);
}

static void PutPlyVertices(FILE* stream, const float* positions, uint32_t count)
{
	for (size_t i = 0; i < 3 * (size_t)count; ++i)
	{
		uint32_t bits;
		memcpy(&bits, positions + i, sizeof(bits));
		PutWord(stream, bits);
	}
}

static void PutPlyTriangles(FILE* stream, const cliPart* part, uint64_t firstVertex)
{
	for (size_t t = 0; t < part->triangleCount; ++t)
	{
		fputc(3, stream);
		for (size_t k = 0; k < 3; ++k)
		{
			PutWord(stream, (uint32_t)firstVertex + part->triangles[3 * t + k]);
		}
	}
}

// ---- Bodies ----------------------------------------------------------------------------------------------------

// What one pass over the bodies prints. OBJ has each body's vertices and triangles together, PLY all vertices first.
typedef struct pass
{
	bool names, vertices, triangles;
} pass;

static bool PrintBody(cliStage* stage, int i, cliMeshFormat format, pass p, uint64_t firstVertex, FILE* stream)
{
	const cliPart* part = stage->scene->parts + i;
	float* positions = malloc(((size_t)part->vertexCount + 1) * 3 * sizeof(float));
	bool posed = cliStage_Check(stage, i, positions != NULL ? snug_success : snug_outOfMemory) &&
	             (!p.vertices || cliStage_GetVertices(stage, i, positions));
	if (posed && p.names)
	{
		fprintf(stream, "o %s\n", part->name);
	}
	if (posed && p.vertices)
	{
		(format == cli_obj ? PrintObjVertices : PutPlyVertices)(stream, positions, part->vertexCount);
	}
	if (posed && p.triangles)
	{
		(format == cli_obj ? PrintObjTriangles : PutPlyTriangles)(stream, part, firstVertex);
	}
	free(positions);
	return posed;
}

static bool PrintBodies(cliStage* stage, cliMeshFormat format, pass p, FILE* stream)
{
	uint64_t firstVertex = 0;
	bool posed = true;
	for (int i = 0; posed && i < stage->scene->partCount; ++i)
	{
		posed = PrintBody(stage, i, format, p, firstVertex, stream);
		firstVertex += stage->scene->parts[i].vertexCount;
	}
	return posed;
}

// ---- GLB -------------------------------------------------------------------------------------------------------

// An asset of meshes that stay where they are: bodies are in the world already.
static bool MakeAsset(cliStage* stage, ioAssetMesh* meshes, ioNode* nodes)
{
	bool posed = true;
	for (int i = 0; posed && i < stage->scene->partCount; ++i)
	{
		const cliPart* part = stage->scene->parts + i;
		float* positions = malloc(((size_t)part->vertexCount + 1) * 3 * sizeof(float));
		meshes[i] = (ioAssetMesh){ .name = part->name,
			.mesh = { positions, part->vertexCount, (uint32_t*)(uintptr_t)part->triangles, part->triangleCount } };
		nodes[i] = (ioNode){ .name = part->name,
			.parent = IO_NONE,
			.mesh = (uint32_t)i,
			.skin = IO_NONE,
			.rotation = { 0.0, 0.0, 0.0, 1.0 },
			.scale = { 1.0, 1.0, 1.0 } };
		posed = cliStage_Check(stage, i, positions != NULL ? snug_success : snug_outOfMemory) &&
		        cliStage_GetVertices(stage, i, positions);
	}
	return posed;
}

static bool PrintGlb(cliStage* stage, FILE* stream)
{
	uint32_t count = (uint32_t)stage->scene->partCount;
	ioAssetMesh* meshes = calloc((size_t)count + 1, sizeof(ioAssetMesh));
	ioNode* nodes = calloc((size_t)count + 1, sizeof(ioNode));
	ioError error = { .text = "" };
	bool written = false;
	if (meshes == NULL || nodes == NULL)
	{
		ioError_Set(&stage->error, stage->scene->files[0].path, 0, "out of memory");
	}
	else if (MakeAsset(stage, meshes, nodes))
	{
		ioAsset asset = { .meshes = meshes, .nodes = nodes, .meshCount = count, .nodeCount = count };
		written = ioPrintGlb(stream, stage->scene->files[0].path, &asset, NULL, &error);
		stage->error = written ? stage->error : error;
	}
	for (uint32_t i = 0; meshes != NULL && i < count; ++i)
	{
		free(meshes[i].mesh.positions);
	}
	free(meshes);
	free(nodes);
	return written;
}

bool cliWritePose(cliStage* stage, cliMeshFormat format, FILE* stream)
{
	if (format == cli_obj)
	{
		return PrintBodies(stage, format, (pass){ true, true, true }, stream);
	}
	if (format == cli_glb)
	{
		return PrintGlb(stage, stream);
	}
	PrintPlyHead(stage->scene, stream);
	return PrintBodies(stage, format, (pass){ .vertices = true }, stream) &&
	       PrintBodies(stage, format, (pass){ .triangles = true }, stream);
}
