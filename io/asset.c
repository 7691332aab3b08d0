#include "io/asset.h"

#include "io/grow.h"
#include "io/load.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WARNINGS 20

// ---- Messages --------------------------------------------------------------------------------------------------

bool ioFail(const ioLoader* loader, unsigned long line, const char* format, ...)
{
	char text[400];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return ioError_Set(loader->error, loader->path, line, "%s", text);
}

bool ioFailMemory(const ioLoader* loader)
{
	return ioError_SetMemory(loader->error, loader->path);
}

void ioWarn(ioLoader* loader, const char* format, ...)
{
	if (loader->options->warning == NULL || loader->warnings > MAX_WARNINGS)
	{
		return;
	}
	char text[400];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	ioError line;
	bool last = loader->warnings++ == MAX_WARNINGS;
	ioError_Set(&line, loader->path, 0, "%s", last ? "further warnings are left out" : text);
	loader->options->warning(loader->options->user, line.text);
}

bool ioSpend(ioLoader* loader, uint64_t bytes)
{
	if (bytes > loader->budget)
	{
		return false;
	}
	loader->budget -= bytes;
	return true;
}

// ---- Memory ----------------------------------------------------------------------------------------------------

bool ioAsset_Adopt(ioAsset* asset, void* block)
{
	if (!ioGrow(&asset->blocks, &asset->blockCapacity, asset->blockCount + 1, sizeof(void*)))
	{
		free(block);
		return false;
	}
	if (block != NULL)
	{
		asset->blocks[asset->blockCount++] = block;
	}
	return block != NULL;
}

void* ioAsset_Allocate(ioAsset* asset, size_t count, size_t size)
{
	void* block = calloc(count > 0 ? count : 1, size);
	return ioAsset_Adopt(asset, block) ? block : NULL;
}

const char* ioAsset_CopyName(ioAsset* asset, const char* name)
{
	size_t length = strlen(name);
	char* copy = length > 0 ? ioAsset_Allocate(asset, length + 1, 1) : NULL;
	if (copy == NULL)
	{
		return length > 0 ? NULL : "";
	}
	for (size_t i = 0; i < length; ++i)
	{
		copy[i] = name[i];
		if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
		{
			copy[i] = '?';
		}
	}
	return copy;
}

void ioAsset_Free(ioAsset* asset)
{
	for (size_t i = 0; i < asset->blockCount; ++i)
	{
		free(asset->blocks[i]);
	}
	free(asset->blocks);
	memset(asset, 0, sizeof(*asset));
}

// ---- Meshes that grow ------------------------------------------------------------------------------------------

static bool Grow(void** array, size_t* capacity, size_t wanted)
{
	// Elements of both arrays have 12 bytes.
	void* grown = wanted <= IO_MAX_COUNT ? realloc(*array, (wanted > 0 ? wanted : 1) * 12) : NULL;
	if (grown == NULL)
	{
		return false;
	}
	*array = grown;
	*capacity = wanted;
	return true;
}

static bool GrowVertices(ioMeshBuilder* builder, size_t wanted)
{
	void* array = builder->mesh.positions;
	bool grown = Grow(&array, &builder->vertexCapacity, wanted);
	builder->mesh.positions = array;
	return grown;
}

static bool GrowTriangles(ioMeshBuilder* builder, size_t wanted)
{
	void* array = builder->mesh.triangles;
	bool grown = Grow(&array, &builder->triangleCapacity, wanted);
	builder->mesh.triangles = array;
	return grown;
}

bool ioMeshBuilder_Reserve(ioMeshBuilder* builder, size_t vertices, size_t triangles)
{
	return GrowVertices(builder, vertices) && GrowTriangles(builder, triangles);
}

static size_t NextCapacity(size_t capacity)
{
	size_t next = capacity + capacity / 2 + 1024;
	return next > IO_MAX_COUNT && capacity < IO_MAX_COUNT ? IO_MAX_COUNT : next;
}

bool ioMeshBuilder_AddVertex(ioMeshBuilder* builder, const float position[3])
{
	size_t count = builder->mesh.vertexCount;
	if (count == builder->vertexCapacity && !GrowVertices(builder, NextCapacity(count)))
	{
		return false;
	}
	memcpy(builder->mesh.positions + 3 * count, position, 3 * sizeof(float));
	builder->mesh.vertexCount++;
	return true;
}

bool ioMeshBuilder_AddTriangle(ioMeshBuilder* builder, uint32_t a, uint32_t b, uint32_t c)
{
	size_t count = builder->mesh.triangleCount;
	if (count == builder->triangleCapacity && !GrowTriangles(builder, NextCapacity(count)))
	{
		return false;
	}
	uint32_t* corners = builder->mesh.triangles + 3 * count;
	corners[0] = a;
	corners[1] = b;
	corners[2] = c;
	builder->mesh.triangleCount++;
	return true;
}

bool ioMeshBuilder_EndPolygon(ioMeshBuilder* builder, uint32_t firstTriangle)
{
	return ioPolygons_Add(&builder->polygons, firstTriangle, builder->mesh.triangleCount - firstTriangle);
}

bool ioMeshBuilder_Finish(ioMeshBuilder* builder, const ioLoader* loader)
{
	uint32_t corners = 0;
	ioSplitResult result = ioPolygons_Split(&builder->polygons, &builder->mesh, &corners);
	ioPolygons_Free(&builder->polygons);
	return result == io_splitTooLong ? ioFail(loader, 0, IO_TOO_LONG_POLYGON, corners)
	                                 : result == io_splitDone || ioFailMemory(loader);
}

void ioMeshBuilder_Free(ioMeshBuilder* builder)
{
	ioMesh_Free(&builder->mesh);
	ioPolygons_Free(&builder->polygons);
}

// ---- Assets ----------------------------------------------------------------------------------------------------

// The file's name without directory and ending.
static const char* CopyStem(ioAsset* asset, const char* path)
{
	char stem[256];
	const char* start = ioFindName(path);
	const char* dot = strrchr(start, '.');
	size_t length = dot != NULL && dot > start ? (size_t)(dot - start) : strlen(start);
	length = length < sizeof(stem) - 1 ? length : sizeof(stem) - 1;
	memcpy(stem, start, length);
	stem[length] = '\0';
	return ioAsset_CopyName(asset, stem);
}

bool ioSetMesh(ioLoader* loader, ioMesh* mesh)
{
	ioAsset* asset = loader->asset;
	bool owned = ioAsset_Adopt(asset, mesh->positions);
	owned = ioAsset_Adopt(asset, mesh->triangles) && owned;
	const char* name = owned ? CopyStem(asset, loader->path) : NULL;
	ioAssetMesh* assetMesh = ioAsset_Allocate(asset, 1, sizeof(*assetMesh));
	ioNode* node = ioAsset_Allocate(asset, 1, sizeof(*node));
	ioInstance* instance = ioAsset_Allocate(asset, 1, sizeof(*instance));
	uint32_t* order = ioAsset_Allocate(asset, 1, sizeof(*order));
	if (name == NULL || assetMesh == NULL || node == NULL || instance == NULL || order == NULL)
	{
		return ioFailMemory(loader);
	}
	*assetMesh = (ioAssetMesh){ .name = name, .mesh = *mesh };
	*node = (ioNode){
		.name = name, .parent = IO_NONE, .skin = IO_NONE, .rotation = { 0.0, 0.0, 0.0, 1.0 }, .scale = { 1.0, 1.0, 1.0 }
	};
	*instance = (ioInstance){ .name = name, .skin = IO_NONE };
	asset->meshes = assetMesh;
	asset->nodes = node;
	asset->nodeOrder = order;
	asset->instances = instance;
	asset->meshCount = asset->nodeCount = asset->instanceCount = 1;
	return true;
}

// The largest of the four is found by its square, the others by their products with it.
void ioQuaternionOf(const double turn[9], double q[4])
{
	double squares[4] = { 1.0 + turn[0] - turn[4] - turn[8], 1.0 - turn[0] + turn[4] - turn[8],
		1.0 - turn[0] - turn[4] + turn[8], 1.0 + turn[0] + turn[4] + turn[8] };
	int largest = 0;
	for (int i = 1; i < 4; ++i)
	{
		largest = squares[i] > squares[largest] ? i : largest;
	}
	// Four times the products of two parts: x y, z w and so on.
	double xy = turn[3] + turn[1], xz = turn[2] + turn[6], yz = turn[7] + turn[5];
	double xw = turn[7] - turn[5], yw = turn[2] - turn[6], zw = turn[3] - turn[1];
	const double products[4][4] = { { squares[0], xy, xz, xw }, { xy, squares[1], yz, yw }, { xz, yz, squares[2], zw },
		{ xw, yw, zw, squares[3] } };
	double length = 0.0;
	for (int i = 0; i < 4; ++i)
	{
		length += products[largest][i] * products[largest][i];
	}
	for (int i = 0; i < 4; ++i)
	{
		q[i] = products[largest][i] / sqrt(length);
	}
}

#define PLACED (IO_NONE - 1)

// Each node after its parent: children are chained in lists, and a list of those placed grows at its end while it is
// walked. A node that no root reaches hangs from a cycle: enough steps up lead into it.
bool ioOrderNodes(ioLoader* loader, uint32_t* cyclic)
{
	ioAsset* asset = loader->asset;
	size_t count = asset->nodeCount;
	uint32_t* order = ioAsset_Allocate(asset, count, sizeof(uint32_t));
	uint32_t* child = malloc((count + 1) * sizeof(uint32_t));   // first child of each; the roots are those of the last
	uint32_t* sibling = malloc((count + 1) * sizeof(uint32_t)); // next child of the same parent
	bool ready = order != NULL && child != NULL && sibling != NULL;
	uint32_t placed = 0;
	*cyclic = IO_NONE;
	for (size_t i = 0; ready && i <= count; ++i)
	{
		child[i] = IO_NONE;
	}
	for (size_t i = count; ready && i-- > 0;)
	{
		size_t parent = asset->nodes[i].parent != IO_NONE ? asset->nodes[i].parent : count;
		sibling[i] = child[parent];
		child[parent] = (uint32_t)i;
	}
	for (uint32_t i = ready ? child[count] : IO_NONE; i != IO_NONE; i = sibling[i])
	{
		order[placed++] = i;
	}
	for (uint32_t next = 0; next < placed; ++next)
	{
		for (uint32_t i = child[order[next]]; i != IO_NONE; i = sibling[i])
		{
			order[placed++] = i;
		}
		child[order[next]] = PLACED;
	}
	for (uint32_t i = 0; ready && placed < count && *cyclic == IO_NONE; ++i)
	{
		*cyclic = child[i] != PLACED ? i : IO_NONE;
	}
	for (size_t i = 0; *cyclic != IO_NONE && i < count; ++i)
	{
		*cyclic = asset->nodes[*cyclic].parent;
	}
	free(child);
	free(sibling);
	asset->nodeOrder = order;
	return ready || ioFailMemory(loader);
}

// What a decimal number means where there are `count` of something.
static uint32_t FindNumber(const char* name, uint32_t count)
{
	char* end;
	unsigned long number = name[0] >= '0' && name[0] <= '9' ? strtoul(name, &end, 10) : count;
	return number < count && *end == '\0' ? (uint32_t)number : IO_NONE;
}

uint32_t ioAsset_FindClip(const ioAsset* asset, const char* name)
{
	for (uint32_t i = 0; i < asset->clipCount; ++i)
	{
		if (strcmp(asset->clips[i].name, name) == 0)
		{
			return i;
		}
	}
	return FindNumber(name, asset->clipCount);
}

uint32_t ioAsset_FindInstance(const ioAsset* asset, const char* name)
{
	for (uint32_t i = 0; i < asset->instanceCount; ++i)
	{
		if (strcmp(asset->instances[i].name, name) == 0)
		{
			return i;
		}
	}
	return FindNumber(name, asset->instanceCount);
}
