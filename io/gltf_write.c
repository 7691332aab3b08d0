#include "io/gltf_write.h"

#include "io/decimal.h"
#include "io/grow.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Bytes that grow. Once there is no memory nothing more is added.
typedef struct bytes
{
	uint8_t* data;
	size_t count, capacity;
	bool isFull;
} bytes;

typedef struct writer
{
	const ioAsset* asset;
	const ioLook* looks;
	bytes json;      // all but what is below
	bytes accessors; // their elements
	bytes views;
	bytes binary;
	uint32_t accessorCount, viewCount;
	uint32_t* firstChild; // per node, then of what has no parent; IO_NONE ends lists
	uint32_t* nextChild;  // of the same parent
} writer;

/// Numbers of the format.
enum
{
	type_uint8 = 5121,
	type_uint16 = 5123,
	type_uint32 = 5125,
	type_float = 5126,
	target_none = 0,
	target_vertices = 34962,
	target_indices = 34963,
};

// ---- Bytes and text --------------------------------------------------------------------------------------------

static void Add(bytes* b, const void* data, size_t count)
{
	b->isFull = b->isFull || !ioGrow(&b->data, &b->capacity, b->count + count, 1);
	if (!b->isFull && count > 0)
	{
		memcpy(b->data + b->count, data, count);
		b->count += count;
	}
}

// Quotation marks of JSON are written as ', since C wants \".
static void Print(bytes* b, const char* format, ...)
{
	char text[256];
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	for (int i = 0; i < length; ++i)
	{
		text[i] = text[i] == '\'' ? '"' : text[i];
	}
	Add(b, text, (size_t)length);
}

static void PrintName(bytes* b, const char* name)
{
	Add(b, "\"", 1);
	for (const char* c = name; *c != '\0'; ++c)
	{
		char text[8];
		bool isSpecial = *c == '"' || *c == '\\' || (unsigned char)*c < 32;
		int length = isSpecial ? snprintf(text, sizeof(text), "\\u%04x", (unsigned)(unsigned char)*c) : 1;
		Add(b, isSpecial ? text : c, (size_t)length);
	}
	Add(b, "\"", 1);
}

// With as many digits as it needs to be read back, whatever the locale.
static void PrintFloat(bytes* b, float number)
{
	char text[IO_FLOAT_TEXT];
	Add(b, text, ioPrintFloat(number, text));
}

static void PrintFloats(bytes* b, const char* key, const float* numbers, size_t count)
{
	Print(b, ",'%s':[", key);
	for (size_t i = 0; i < count; ++i)
	{
		Print(b, i > 0 ? "," : "");
		PrintFloat(b, numbers[i]);
	}
	Print(b, "]");
}

static void PrintDoubles(bytes* b, const char* key, const double* numbers, size_t count)
{
	float rounded[16];
	for (size_t i = 0; i < count; ++i)
	{
		rounded[i] = (float)numbers[i];
	}
	PrintFloats(b, key, rounded, count);
}

// ---- Arrays ----------------------------------------------------------------------------------------------------

static uint32_t AddView(writer* w, const void* data, size_t count, int target)
{
	Add(&w->binary, "\0\0\0", (4 - w->binary.count % 4) % 4);
	Print(&w->views, "%s{'buffer':0,'byteOffset':%zu,'byteLength':%zu", w->viewCount > 0 ? "," : "", w->binary.count,
	    count);
	if (target != target_none)
	{
		Print(&w->views, ",'target':%d", target);
	}
	Print(&w->views, "}");
	Add(&w->binary, data, count);
	return w->viewCount++;
}

static uint32_t GetWidth(const char* type)
{
	return strcmp(type, "SCALAR") == 0 ? 1 : strcmp(type, "MAT4") == 0 ? 16 : (uint32_t)(type[3] - '0');
}

static void BeginAccessor(writer* w, const char* type, int component, size_t count)
{
	Print(&w->accessors, "%s{'componentType':%d,'count':%zu,'type':'%s'", w->accessorCount > 0 ? "," : "", component,
	    count, type);
}

static uint32_t AddArray(writer* w, const char* type, int component, size_t count, const void* data, int target)
{
	size_t size = component == type_uint8 ? 1 : component == type_uint16 ? 2 : 4;
	uint32_t view = AddView(w, data, count * GetWidth(type) * size, target);
	BeginAccessor(w, type, component, count);
	Print(&w->accessors, ",'bufferView':%u}", view);
	return w->accessorCount++;
}

// Least and most of each component, as some accessors must have them; zero counts too if it has.
static void PrintRange(writer* w, uint32_t width, size_t count, const float* data, bool hasZero)
{
	float least[4], most[4];
	for (uint32_t k = 0; k < width; ++k)
	{
		least[k] = hasZero ? 0.0f : data[k];
		most[k] = least[k];
		for (size_t i = 0; i < count; ++i)
		{
			float value = data[width * i + k];
			least[k] = value < least[k] ? value : least[k];
			most[k] = value > most[k] ? value : most[k];
		}
	}
	PrintFloats(&w->accessors, "min", least, width);
	PrintFloats(&w->accessors, "max", most, width);
}

static uint32_t AddRangedArray(writer* w, const char* type, size_t count, const float* data, int target)
{
	uint32_t view = AddView(w, data, count * GetWidth(type) * sizeof(float), target);
	BeginAccessor(w, type, type_float, count);
	PrintRange(w, GetWidth(type), count, data, false);
	Print(&w->accessors, ",'bufferView':%u}", view);
	return w->accessorCount++;
}

// Displacements of some vertices: zeros but for those.
static uint32_t AddTarget(writer* w, const ioMorphTarget* target, size_t vertexCount)
{
	uint32_t views[2] = { 0, 0 };
	if (target->count > 0)
	{
		views[0] = AddView(w, target->vertices, target->count * sizeof(uint32_t), target_none);
		views[1] = AddView(w, target->deltas, 3 * (size_t)target->count * sizeof(float), target_none);
	}
	BeginAccessor(w, "VEC3", type_float, vertexCount);
	PrintRange(w, 3, target->count, target->deltas, true);
	if (target->count > 0)
	{
		Print(&w->accessors, ",'sparse':{'count':%u,'indices':{'bufferView':%u,'componentType':%d},", target->count,
		    views[0], type_uint32);
		Print(&w->accessors, "'values':{'bufferView':%u}}", views[1]);
	}
	Print(&w->accessors, "}");
	return w->accessorCount++;
}

// ---- Meshes ----------------------------------------------------------------------------------------------------

static uint32_t AddIndices(writer* w, const ioMesh* mesh)
{
	size_t count = 3 * (size_t)mesh->triangleCount;
	if (mesh->vertexCount > 65535)
	{
		return AddArray(w, "SCALAR", type_uint32, count, mesh->triangles, target_indices);
	}
	uint16_t* small = malloc((count + 1) * sizeof(uint16_t));
	w->binary.isFull = w->binary.isFull || small == NULL;
	for (size_t i = 0; i < count && small != NULL; ++i)
	{
		small[i] = (uint16_t)mesh->triangles[i];
	}
	uint32_t number = AddArray(w, "SCALAR", type_uint16, small != NULL ? count : 0, small, target_indices);
	free(small);
	return number;
}

typedef struct influence
{
	float weight;
	uint32_t place; // among those of the file
} influence;

static int CompareInfluences(const void* first, const void* second)
{
	const influence *x = first, *y = second;
	return x->weight != y->weight ? (x->weight < y->weight) - (x->weight > y->weight)
	                              : (x->place > y->place) - (x->place < y->place);
}

// Of each vertex, the heaviest first: there are readers that take four. Null if there is no memory.
static influence* SortInfluences(const ioAssetMesh* mesh)
{
	const uint32_t* starts = mesh->influenceStart;
	influence* sorted = malloc(((size_t)starts[mesh->mesh.vertexCount] + 1) * sizeof(influence));
	for (uint32_t v = 0; sorted != NULL && v < mesh->mesh.vertexCount; ++v)
	{
		for (uint32_t i = starts[v]; i < starts[v + 1]; ++i)
		{
			sorted[i] = (influence){ mesh->weights[i], i };
		}
		qsort(sorted + starts[v], starts[v + 1] - starts[v], sizeof(influence), CompareInfluences);
	}
	return sorted;
}

// Influences 4 * set to 4 * set + 3 of each vertex.
static void AddInfluences(writer* w, const ioAssetMesh* mesh, const influence* sorted, uint32_t set)
{
	size_t count = mesh->mesh.vertexCount;
	uint16_t* joints = calloc(4 * count + 1, sizeof(uint16_t));
	float* weights = calloc(4 * count + 1, sizeof(float));
	if (joints == NULL || weights == NULL)
	{
		w->binary.isFull = true;
		count = 0;
	}
	for (size_t v = 0; v < count; ++v)
	{
		for (uint32_t i = mesh->influenceStart[v] + 4 * set, k = 0; i < mesh->influenceStart[v + 1] && k < 4; ++i, ++k)
		{
			joints[4 * v + k] = mesh->joints[sorted[i].place];
			weights[4 * v + k] = sorted[i].weight;
		}
	}
	uint32_t j = AddArray(w, "VEC4", type_uint16, count, joints, target_vertices);
	uint32_t x = AddArray(w, "VEC4", type_float, count, weights, target_vertices);
	Print(&w->json, ",'JOINTS_%u':%u,'WEIGHTS_%u':%u", set, j, set, x);
	free(joints);
	free(weights);
}

static void AddTargets(writer* w, const ioAssetMesh* mesh)
{
	Print(&w->json, ",'targets':[");
	for (uint32_t t = 0; t < mesh->targetCount; ++t)
	{
		uint32_t number = AddTarget(w, mesh->targets + t, mesh->mesh.vertexCount);
		Print(&w->json, "%s{'POSITION':%u}", t > 0 ? "," : "", number);
	}
	Print(&w->json, "]");
}

static void AddMesh(writer* w, uint32_t number)
{
	const ioAssetMesh* mesh = w->asset->meshes + number;
	const float* normals = w->looks != NULL ? w->looks[number].normals : NULL;
	uint32_t most = 0;
	for (uint32_t v = 0; mesh->influenceStart != NULL && v < mesh->mesh.vertexCount; ++v)
	{
		uint32_t count = mesh->influenceStart[v + 1] - mesh->influenceStart[v];
		most = count > most ? count : most;
	}
	Print(&w->json, "%s{'primitives':[{'attributes':{'POSITION':%u", number > 0 ? "," : "",
	    AddRangedArray(w, "VEC3", mesh->mesh.vertexCount, mesh->mesh.positions, target_vertices));
	if (normals != NULL)
	{
		Print(&w->json, ",'NORMAL':%u",
		    AddArray(w, "VEC3", type_float, mesh->mesh.vertexCount, normals, target_vertices));
	}
	influence* sorted = most > 0 ? SortInfluences(mesh) : NULL;
	w->binary.isFull = w->binary.isFull || (most > 0 && sorted == NULL);
	for (uint32_t set = 0; 4 * set < most && !w->binary.isFull; ++set)
	{
		AddInfluences(w, mesh, sorted, set);
	}
	free(sorted);
	Print(&w->json, "},'indices':%u", AddIndices(w, &mesh->mesh));
	if (w->looks != NULL)
	{
		Print(&w->json, ",'material':%u", number);
	}
	if (mesh->targetCount > 0)
	{
		AddTargets(w, mesh);
	}
	Print(&w->json, "}],'name':");
	PrintName(&w->json, mesh->name);
	if (mesh->targetCount > 0)
	{
		PrintFloats(&w->json, "weights", mesh->targetWeights, mesh->targetCount);
		Print(&w->json, ",'extras':{'targetNames':[");
		for (uint32_t t = 0; t < mesh->targetCount; ++t)
		{
			Print(&w->json, t > 0 ? "," : "");
			PrintName(&w->json, mesh->targets[t].name);
		}
		Print(&w->json, "]}");
	}
	Print(&w->json, "}");
}

static void AddMaterial(writer* w, uint32_t number)
{
	const float* color = w->looks[number].color;
	Print(&w->json, "%s{'name':", number > 0 ? "," : "");
	PrintName(&w->json, w->asset->meshes[number].name);
	Print(&w->json, ",'pbrMetallicRoughness':{'metallicFactor':0,'roughnessFactor':0.7");
	PrintFloats(&w->json, "baseColorFactor", (const float[4]){ color[0], color[1], color[2], 1.0f }, 4);
	Print(&w->json, "}}");
}

// ---- Nodes, skins and clips ------------------------------------------------------------------------------------

static bool FindChildren(writer* w)
{
	const uint32_t count = w->asset->nodeCount;
	w->firstChild = malloc(((size_t)count + 1) * sizeof(uint32_t));
	w->nextChild = malloc(((size_t)count + 1) * sizeof(uint32_t));
	if (w->firstChild == NULL || w->nextChild == NULL)
	{
		return false;
	}
	memset(w->firstChild, 0xff, ((size_t)count + 1) * sizeof(uint32_t));
	for (uint32_t i = count; i-- > 0;)
	{
		const uint32_t parent = w->asset->nodes[i].parent;
		uint32_t* first = w->firstChild + (parent != IO_NONE ? parent : count);
		w->nextChild[i] = *first;
		*first = i;
	}
	return true;
}

// A list of nodes; nothing at all if there are none.
static void AddChildren(writer* w, const char* before, uint32_t first, const char* after)
{
	for (uint32_t i = first; i != IO_NONE; i = w->nextChild[i])
	{
		Print(&w->json, "%s%u", i == first ? before : ",", i);
	}
	Print(&w->json, first != IO_NONE ? after : "");
}

static void AddNode(writer* w, uint32_t number)
{
	const ioNode* node = w->asset->nodes + number;
	Print(&w->json, "%s{'name':", number > 0 ? "," : "");
	PrintName(&w->json, node->name);
	AddChildren(w, ",'children':[", w->firstChild[number], "]");
	if (node->hasMatrix)
	{
		double matrix[16] = { [15] = 1.0 };
		for (int i = 0; i < 12; ++i)
		{
			matrix[4 * (i % 4) + i / 4] = node->matrix[i];
		}
		PrintDoubles(&w->json, "matrix", matrix, 16);
	}
	else
	{
		PrintDoubles(&w->json, "translation", node->translation, 3);
		PrintDoubles(&w->json, "rotation", node->rotation, 4);
		PrintDoubles(&w->json, "scale", node->scale, 3);
	}
	if (node->mesh != IO_NONE)
	{
		Print(&w->json, ",'mesh':%u", node->mesh);
	}
	if (node->skin != IO_NONE)
	{
		Print(&w->json, ",'skin':%u", node->skin);
	}
	if (node->weights != NULL && w->asset->meshes[node->mesh].targetCount > 0)
	{
		PrintFloats(&w->json, "weights", node->weights, w->asset->meshes[node->mesh].targetCount);
	}
	Print(&w->json, "}");
}

static void AddSkin(writer* w, uint32_t number)
{
	const ioSkin* skin = w->asset->skins + number;
	float* matrices = calloc(16 * (size_t)skin->jointCount + 1, sizeof(float));
	w->binary.isFull = w->binary.isFull || matrices == NULL;
	for (size_t i = 0; i < 16 * (size_t)skin->jointCount && matrices != NULL; ++i)
	{
		size_t row = i % 4, column = i / 4 % 4;
		double value = row == 3 ? (column == 3 ? 1.0 : 0.0) : skin->inverseBind[12 * (i / 16) + 4 * row + column];
		matrices[i] = (float)value;
	}
	Print(&w->json, "%s{'name':", number > 0 ? "," : "");
	PrintName(&w->json, skin->name);
	uint32_t array = AddArray(w, "MAT4", type_float, matrices != NULL ? skin->jointCount : 0, matrices, target_none);
	Print(&w->json, ",'inverseBindMatrices':%u,'joints':[", array);
	for (uint32_t i = 0; i < skin->jointCount; ++i)
	{
		Print(&w->json, "%s%u", i > 0 ? "," : "", skin->joints[i]);
	}
	Print(&w->json, "]}");
	free(matrices);
}

static void AddClip(writer* w, uint32_t number)
{
	static const char* const paths[4] = { "translation", "rotation", "scale", "weights" };
	static const char* const ways[3] = { "LINEAR", "STEP", "CUBICSPLINE" };
	static const char* const types[4] = { "VEC3", "VEC4", "VEC3", "SCALAR" };
	const ioClip* clip = w->asset->clips + number;
	uint32_t times = 0;
	Print(&w->json, "%s{'name':", number > 0 ? "," : "");
	PrintName(&w->json, clip->name);
	Print(&w->json, ",'samplers':[");
	for (uint32_t i = 0; i < clip->channelCount; ++i)
	{
		const ioChannel* c = clip->channels + i;
		size_t count = (size_t)c->keyCount * (c->interpolation == io_cubicSpline ? 3 : 1);
		if (i == 0 || c->times != c[-1].times || c->keyCount != c[-1].keyCount)
		{
			times = AddRangedArray(w, "SCALAR", c->keyCount, c->times, target_none);
		}
		count *= c->path == io_weights ? c->width : 1;
		uint32_t values = AddArray(w, types[c->path], type_float, count, c->values, target_none);
		Print(&w->json, "%s{'input':%u,'output':%u,'interpolation':'%s'}", i > 0 ? "," : "", times, values,
		    ways[c->interpolation]);
	}
	Print(&w->json, "],'channels':[");
	for (uint32_t i = 0; i < clip->channelCount; ++i)
	{
		const ioChannel* c = clip->channels + i;
		Print(&w->json, "%s{'sampler':%u,'target':{'node':%u,'path':'%s'}}", i > 0 ? "," : "", i, c->node,
		    paths[c->path]);
	}
	Print(&w->json, "]}");
}

// ---- The file --------------------------------------------------------------------------------------------------

static void AddList(writer* w, const char* name, uint32_t count, void (*add)(writer* w, uint32_t number))
{
	if (count > 0)
	{
		Print(&w->json, ",'%s':[", name);
		for (uint32_t i = 0; i < count; ++i)
		{
			add(w, i);
		}
		Print(&w->json, "]");
	}
}

static void Assemble(writer* w)
{
	const ioAsset* a = w->asset;
	Print(&w->json, "{'asset':{'version':'2.0','generator':'snug'}");
	AddList(w, "meshes", a->meshCount, AddMesh);
	AddList(w, "materials", w->looks != NULL ? a->meshCount : 0, AddMaterial);
	AddList(w, "nodes", a->nodeCount, AddNode);
	AddList(w, "skins", a->skinCount, AddSkin);
	AddList(w, "animations", a->clipCount, AddClip);
	Print(&w->json, ",'scene':0,'scenes':[{");
	AddChildren(w, "'nodes':[", w->firstChild[a->nodeCount], "]");
	Print(&w->json, "}],'accessors':[");
	Add(&w->json, w->accessors.data, w->accessors.count);
	Print(&w->json, "],'bufferViews':[");
	Add(&w->json, w->views.data, w->views.count);
	Add(&w->binary, "\0\0\0", (4 - w->binary.count % 4) % 4);
	Print(&w->json, "],'buffers':[{'byteLength':%zu}]}", w->binary.count);
	Add(&w->json, "   ", (4 - w->json.count % 4) % 4);
}

static void WriteChunk(FILE* stream, const char* kind, const bytes* data)
{
	uint32_t count = (uint32_t)data->count;
	fwrite(&count, 4, 1, stream);
	fwrite(kind, 4, 1, stream);
	fwrite(data->data, 1, data->count, stream);
}

static bool Write(const writer* w, FILE* stream, const char* name, ioError* error)
{
	uint64_t total = 12 + 8 + (uint64_t)w->json.count + 8 + (uint64_t)w->binary.count;
	if (w->json.isFull || w->accessors.isFull || w->views.isFull || w->binary.isFull)
	{
		return ioError_SetMemory(error, name);
	}
	if (total > UINT32_MAX)
	{
		return ioError_Set(error, name, 0, "a GLB file has at most 4 GiB");
	}
	uint32_t header[3] = { 0x46546c67u, 2, (uint32_t)total };
	fwrite(header, sizeof(header), 1, stream);
	WriteChunk(stream, "JSON", &w->json);
	WriteChunk(stream, "BIN\0", &w->binary);
	return true;
}

bool ioPrintGlb(FILE* stream, const char* name, const ioAsset* asset, const ioLook* looks, ioError* error)
{
	writer w = { .asset = asset, .looks = looks };
	bool good = FindChildren(&w);
	if (good)
	{
		Assemble(&w);
		good = Write(&w, stream, name, error);
	}
	else
	{
		ioError_SetMemory(error, name);
	}
	free(w.firstChild);
	free(w.nextChild);
	free(w.json.data);
	free(w.accessors.data);
	free(w.views.data);
	free(w.binary.data);
	return good;
}

bool ioWriteGlb(const char* path, const ioAsset* asset, const ioLook* looks, ioError* error)
{
	ioOutput output;
	if (!ioOutput_Open(&output, path, error))
	{
		return false;
	}
	if (!ioPrintGlb(output.stream, path, asset, looks, error))
	{
		ioOutput_Abandon(&output);
		return false;
	}
	return ioOutput_Commit(&output, error);
}
