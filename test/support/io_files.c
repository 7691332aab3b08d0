// test/support/io_files.c: see io_files.h.
#include "io_files.h"

#include "fbx_files.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void WriteFile(const char* path, const void* data, size_t count)
{
	FILE* file = fopen(path, "wb");
	if (file == NULL || fwrite(data, 1, count, file) != count || fclose(file) != 0)
	{
		perror(path);
		exit(1);
	}
}

void Bytes_Add(Bytes* bytes, const void* data, size_t count)
{
	if (bytes->count + count + 1 > bytes->capacity)
	{
		bytes->capacity = 2 * (bytes->count + count + 1);
		bytes->data = realloc(bytes->data, bytes->capacity);
		if (bytes->data == NULL)
		{
			abort();
		}
	}
	if (count > 0)
	{
		memcpy(bytes->data + bytes->count, data, count);
	}
	bytes->count += count;
	bytes->data[bytes->count] = 0;
}

static void PrintList(Bytes* bytes, const char* format, va_list arguments)
{
	va_list again;
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	char* text = malloc((size_t)length + 1);
	if (text == NULL)
	{
		abort();
	}
	vsnprintf(text, (size_t)length + 1, format, arguments);
	Bytes_Add(bytes, text, (size_t)length);
	free(text);
}

void Bytes_Print(Bytes* bytes, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	PrintList(bytes, format, arguments);
	va_end(arguments);
}

void Bytes_Free(Bytes* bytes)
{
	free(bytes->data);
	*bytes = (Bytes){ NULL, 0, 0 };
}

// --- glTF ---------------------------------------------------------------------------------------------------------

static const char* const sectionNames[gltf_sections] = { "accessors", "bufferViews", "meshes", "nodes", "skins",
	"animations", "scenes", "extensionsUsed", "extensionsRequired" };

static int FindSection(const char* name)
{
	for (int i = 0; i < gltf_sections; ++i)
	{
		if (strcmp(name, sectionNames[i]) == 0)
		{
			return i;
		}
	}
	abort();
}

int Gltf_Add(Gltf* gltf, const char* section, const char* format, ...)
{
	int i = FindSection(section);
	va_list arguments;
	va_start(arguments, format);
	Bytes_Add(&gltf->sections[i], ",", gltf->counts[i] > 0 ? 1 : 0);
	PrintList(&gltf->sections[i], format, arguments);
	va_end(arguments);
	return gltf->counts[i]++;
}

int Gltf_AddView(Gltf* gltf, const void* data, size_t count, int stride)
{
	Bytes_Add(&gltf->binary, "\0\0\0", (4 - gltf->binary.count % 4) % 4);
	size_t offset = gltf->binary.count;
	Bytes_Add(&gltf->binary, data, count);
	if (stride > 0)
	{
		return Gltf_Add(gltf, "bufferViews", "{'buffer':0,'byteOffset':%zu,'byteLength':%zu,'byteStride':%d}", offset,
		    count, stride);
	}
	return Gltf_Add(gltf, "bufferViews", "{'buffer':0,'byteOffset':%zu,'byteLength':%zu}", offset, count);
}

static int ComponentsOf(const char* type)
{
	return strcmp(type, "SCALAR") == 0 ? 1 : strcmp(type, "MAT4") == 0 ? 16 : type[3] - '0';
}

static int SizeOf(int componentType)
{
	return componentType <= type_uint8 ? 1 : componentType <= type_uint16 ? 2 : 4;
}

int Gltf_AddArray(Gltf* gltf, const char* type, int componentType, bool normalized, int count, const void* data)
{
	int view = Gltf_AddView(gltf, data, (size_t)(count * ComponentsOf(type) * SizeOf(componentType)), 0);
	return Gltf_Add(gltf, "accessors", "{'bufferView':%d,'componentType':%d,%s'count':%d,'type':'%s'}", view,
	    componentType, normalized ? "'normalized':true," : "", count, type);
}

int Gltf_AddMesh(Gltf* gltf, int vertexCount, const float* positions, int indexCount, const uint16_t* indices,
    const char* attributes, const char* primitive, const char* mesh)
{
	int p = Gltf_AddArray(gltf, "VEC3", type_float, false, vertexCount, positions);
	char indexed[40] = "";
	if (indices != NULL)
	{
		snprintf(indexed, sizeof(indexed), ",'indices':%d",
		    Gltf_AddArray(gltf, "SCALAR", type_uint16, false, indexCount, indices));
	}
	return Gltf_Add(gltf, "meshes", "{'primitives':[{'attributes':{'POSITION':%d%s}%s%s}]%s}", p,
	    attributes != NULL ? attributes : "", indexed, primitive != NULL ? primitive : "", mesh != NULL ? mesh : "");
}

void Gltf_AddRoot(Gltf* gltf, const char* text)
{
	Bytes_Print(&gltf->root, "%s", text);
}

// --- meshoptimizer's streams ---------------------------------------------------------------------------------------

// Differences to the element before, byte by byte: one group of 16, all of whose bytes are written out.
Bytes PackAttributes(int count, int stride, const void* elements)
{
	static const uint8_t zeros[32] = { 0 };
	const uint8_t* bytes = elements;
	Bytes packed = { NULL, 0, 0 };
	Bytes_Add(&packed, "\xa0", 1);
	for (int k = 0; k < stride; ++k)
	{
		uint8_t group[17] = { 3 };
		for (int i = 1; i < count; ++i)
		{
			uint8_t delta = (uint8_t)(bytes[i * stride + k] - bytes[(i - 1) * stride + k]);
			group[1 + i] = (uint8_t)(delta >= 0x80 ? ~(delta << 1) : delta << 1);
		}
		Bytes_Add(&packed, group, sizeof(group));
	}
	Bytes_Add(&packed, zeros, stride < 32 ? (size_t)(32 - stride) : 0);
	Bytes_Add(&packed, bytes, (size_t)stride); // what the first one differs from: itself
	return packed;
}

// Seven bits at a time, the lowest first.
static void AddVariable(Bytes* bytes, uint32_t value)
{
	for (; value >= 0x80; value >>= 7)
	{
		Bytes_Add(bytes, &(uint8_t){ (uint8_t)(value | 0x80) }, 1);
	}
	Bytes_Add(bytes, &(uint8_t){ (uint8_t)value }, 1);
}

// Each index by its difference to the one before; of each triangle first a code that says so.
Bytes PackIndices(bool triangles, int count, const uint16_t* indices)
{
	static const uint8_t zeros[16] = { 0 };
	Bytes packed = { NULL, 0, 0 };
	Bytes_Add(&packed, triangles ? "\xe1" : "\xd1", 1);
	for (int i = 0; triangles && i < count; i += 3)
	{
		Bytes_Add(&packed, "\xff", 1);
	}
	for (int i = 0; i < count; ++i)
	{
		int delta = indices[i] - (i > 0 ? indices[i - 1] : 0);
		uint32_t folded = delta < 0 ? (uint32_t)(-1 - delta) * 2 + 1 : (uint32_t)delta * 2;
		Bytes_Add(&packed, "\xff", triangles && i % 3 == 0 ? 1 : 0);
		AddVariable(&packed, triangles ? folded : folded * 2); // there are two to differ from: the first
	}
	Bytes_Add(&packed, zeros, triangles ? 16 : 4);
	return packed;
}

int Gltf_AddPacked(Gltf* gltf, const char* extension, Bytes packed, int count, int stride, const char* mode,
    const char* filter, const void* plain)
{
	size_t length = packed.count, offset = (gltf->binary.count + 3) / 4 * 4;
	char strideText[32] = "";
	if (strcmp(mode, "ATTRIBUTES") == 0)
	{
		snprintf(strideText, sizeof(strideText), ",'byteStride':%d", stride);
	}
	Gltf_AddView(gltf, packed.data, length, 0);
	Bytes_Free(&packed);
	size_t plainOffset = (gltf->binary.count + 3) / 4 * 4;
	Gltf_AddView(gltf, plain, (size_t)(count * stride), 0);
	return Gltf_Add(gltf, "bufferViews",
	    "{'buffer':0,'byteOffset':%zu,'byteLength':%d%s,'extensions':{'%s_meshopt_compression':{'buffer':0,"
	    "'byteOffset':%zu,'byteLength':%zu,'byteStride':%d,'count':%d,'mode':'%s'%s%s%s}}}",
	    plainOffset, count * stride, strideText, extension, offset, length, stride, count, mode,
	    filter != NULL ? ",'filter':'" : "", filter != NULL ? filter : "", filter != NULL ? "'" : "");
}

static void PrintBase64(Bytes* out, const Bytes* in)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < in->count; i += 3)
	{
		uint32_t bits = (uint32_t)in->data[i] << 16;
		bits |= i + 1 < in->count ? (uint32_t)in->data[i + 1] << 8 : 0;
		bits |= i + 2 < in->count ? in->data[i + 2] : 0;
		char four[4] = { digits[bits >> 18], digits[bits >> 12 & 63], digits[bits >> 6 & 63], digits[bits & 63] };
		four[2] = i + 1 < in->count ? four[2] : '=';
		four[3] = i + 2 < in->count ? four[3] : '=';
		Bytes_Add(out, four, 4);
	}
}

static void Add32(Bytes* bytes, size_t value)
{
	uint8_t four[4] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24) };
	Bytes_Add(bytes, four, 4);
}

Bytes MakeGlb(const char* json, size_t jsonCount, const Bytes* binary)
{
	Bytes glb = { NULL, 0, 0 };
	size_t jsonPadded = (jsonCount + 3) / 4 * 4, binaryPadded = (binary->count + 3) / 4 * 4;
	Bytes_Add(&glb, "glTF\2\0\0\0", 8);
	Add32(&glb, 12 + 8 + jsonPadded + (binaryPadded > 0 ? 8 + binaryPadded : 0));
	Add32(&glb, jsonPadded);
	Bytes_Add(&glb, "JSON", 4);
	Bytes_Add(&glb, json, jsonCount);
	Bytes_Add(&glb, "   ", jsonPadded - jsonCount);
	if (binaryPadded > 0)
	{
		Add32(&glb, binaryPadded);
		Bytes_Add(&glb, "BIN\0", 4);
		Bytes_Add(&glb, binary->data, binary->count);
		Bytes_Add(&glb, "\0\0\0", binaryPadded - binary->count);
	}
	return glb;
}

Bytes Gltf_Make(const Gltf* gltf, const char* uri)
{
	Bytes json = { NULL, 0, 0 };
	Bytes_Print(&json, "{'asset':{'version':'2.0'}");
	for (int i = 0; i < gltf_sections; ++i)
	{
		if (gltf->counts[i] > 0)
		{
			Bytes_Print(&json, ",'%s':[%s]", sectionNames[i], (const char*)gltf->sections[i].data);
		}
	}
	if (gltf->binary.count > 0)
	{
		Bytes_Print(&json, ",'buffers':[{'byteLength':%zu", gltf->binary.count);
		bool data = uri != NULL && strcmp(uri, "data:") == 0;
		if (uri != NULL)
		{
			Bytes_Print(&json, ",'uri':'%s%s", uri, data ? "application/octet-stream;base64," : "'");
		}
		if (data)
		{
			PrintBase64(&json, &gltf->binary);
			Bytes_Print(&json, "'");
		}
		Bytes_Print(&json, "}]");
	}
	Bytes_Print(&json, "%s}", gltf->root.count > 0 ? (const char*)gltf->root.data : "");
	for (size_t i = 0; i < json.count; ++i)
	{
		json.data[i] = json.data[i] == '\'' ? '"' : json.data[i];
	}
	if (uri != NULL)
	{
		return json;
	}
	Bytes glb = MakeGlb((const char*)json.data, json.count, &gltf->binary);
	Bytes_Free(&json);
	return glb;
}

void Gltf_Free(Gltf* gltf)
{
	for (int i = 0; i < gltf_sections; ++i)
	{
		Bytes_Free(&gltf->sections[i]);
	}
	Bytes_Free(&gltf->root);
	Bytes_Free(&gltf->binary);
	*gltf = (Gltf){ .counts = { 0 } };
}

// --- Samples ------------------------------------------------------------------------------------------------------

static const float quad[12] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 };
static const uint16_t quadIndices[6] = { 0, 1, 2, 0, 2, 3 };

// Two skins, two sets of influences, sparse and dense morph targets, all interpolations and paths.
static Gltf MakeCharacter(void)
{
	static const uint8_t joints[16] = { 0, 1, 0, 0, 1, 0, 0, 0, 0, 2, 1, 0, 2, 0, 0, 0 };
	static const uint8_t weights[16] = { 128, 127, 0, 0, 255, 0, 0, 0, 85, 85, 85, 0, 255, 0, 0, 0 };
	static const uint16_t moreJoints[16] = { 2, 0, 0, 0, 0 };
	static const float moreWeights[16] = { 0.5f };
	static const float delta[12] = { 0, 0, 1, 0, 0, 0, 0, 0, 2 };
	static const uint8_t sparseIndices[2] = { 1, 3 };
	static const float sparseValues[6] = { 0, 1, 0, 0, 0, -1 };
	static const float times[3] = { 0, 1, 2.5f };
	static const float moves[9] = { 0, 0, 0, 1, 2, 3, -1, 0, 0 };
	static const int16_t turns[12] = { 0, 0, 0, 32767, 0, 0, 23170, 23170, 0, 32767, 0, 0 };
	static const float scales[27] = { 0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, -1, 2, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1 };
	static const float morphs[6] = { 0, 1, 0.5f, 0.5f, 1, -1 };
	float bind[48];
	Gltf g = { .counts = { 0 } };
	memset(bind, 0, sizeof(bind));
	for (int i = 0; i < 3; ++i)
	{
		bind[16 * i] = bind[16 * i + 5] = bind[16 * i + 10] = bind[16 * i + 15] = 1;
		bind[16 * i + 13] = -0.25f * (float)i;
	}
	char attributes[128], primitive[96];
	int j0 = Gltf_AddArray(&g, "VEC4", type_uint8, false, 4, joints);
	int w0 = Gltf_AddArray(&g, "VEC4", type_uint8, true, 4, weights);
	int j1 = Gltf_AddArray(&g, "VEC4", type_uint16, false, 4, moreJoints);
	int w1 = Gltf_AddArray(&g, "VEC4", type_float, false, 4, moreWeights);
	snprintf(
	    attributes, sizeof(attributes), ",'JOINTS_0':%d,'WEIGHTS_0':%d,'JOINTS_1':%d,'WEIGHTS_1':%d", j0, w0, j1, w1);
	int dense = Gltf_AddArray(&g, "VEC3", type_float, false, 4, delta);
	int iView = Gltf_AddView(&g, sparseIndices, 2, 0), vView = Gltf_AddView(&g, sparseValues, 24, 0);
	int sparse = Gltf_Add(&g, "accessors",
	    "{'componentType':5126,'count':4,'type':'VEC3','sparse':{'count':2,'indices':{'bufferView':%d,"
	    "'componentType':5121},'values':{'bufferView':%d}}}",
	    iView, vView);
	snprintf(primitive, sizeof(primitive), ",'targets':[{'POSITION':%d},{'POSITION':%d}]", dense, sparse);
	Gltf_AddMesh(&g, 4, quad, 6, quadIndices, attributes, primitive,
	    ",'name':'Body','weights':[0.5,0],'extras':{'targetNames':['up','out']}");
	Gltf_AddMesh(&g, 4, quad, 0, NULL, NULL, ",'mode':5", NULL);
	int ibm = Gltf_AddArray(&g, "MAT4", type_float, false, 3, bind);
	Gltf_Add(&g, "skins", "{'joints':[1,2,3],'inverseBindMatrices':%d}", ibm);
	Gltf_Add(&g, "skins", "{'joints':[3,2,1],'skeleton':1}");
	Gltf_Add(&g, "nodes", "{'name':'root','children':[1,4,5],'scale':[-1,2,1]}");
	Gltf_Add(&g, "nodes", "{'children':[2],'translation':[0,1,0]}");
	Gltf_Add(&g, "nodes", "{'children':[3],'rotation':[0,0,0.70710678,0.70710678]}");
	Gltf_Add(&g, "nodes", "{'matrix':[1,0,0,0,0,0,1,0,0,-1,0,0,3,4,5,1]}");
	Gltf_Add(&g, "nodes", "{'name':'one','mesh':0,'skin':0,'weights':[1,0.25]}");
	Gltf_Add(&g, "nodes", "{'name':'two','mesh':0,'skin':1,'translation':[9,9,9]}");
	Gltf_Add(&g, "nodes", "{'mesh':1,'translation':[0,0,-1]}");
	Gltf_Add(&g, "scenes", "{'nodes':[0,6]}");
	Gltf_AddRoot(&g, ",'scene':0");
	int input = Gltf_AddArray(&g, "SCALAR", type_float, false, 3, times);
	int o[4] = { Gltf_AddArray(&g, "VEC3", type_float, false, 3, moves),
		Gltf_AddArray(&g, "VEC4", type_int16, true, 3, turns), Gltf_AddArray(&g, "VEC3", type_float, false, 9, scales),
		Gltf_AddArray(&g, "SCALAR", type_float, false, 6, morphs) };
	Gltf_Add(&g, "animations",
	    "{'name':'all','samplers':[{'input':%d,'output':%d,'interpolation':'STEP'},{'input':%d,'output':%d},"
	    "{'input':%d,'output':%d,'interpolation':'CUBICSPLINE'},{'input':%d,'output':%d,'interpolation':'LINEAR'}],"
	    "'channels':[{'sampler':0,'target':{'node':1,'path':'translation'}},"
	    "{'sampler':1,'target':{'node':2,'path':'rotation'}},{'sampler':2,'target':{'node':1,'path':'scale'}},"
	    "{'sampler':3,'target':{'node':4,'path':'weights'}}]}",
	    input, o[0], input, o[1], input, o[2], input, o[3]);
	return g;
}

// All modes and filters of meshoptimizer, and the same uncompressed, for readers without it.
static Gltf MakePacked(void)
{
	// Whole numbers times powers of two, whose exponents are the highest bytes.
	static const uint32_t exponential[12] = { 0, 0, 0, 1, 0, 0, 1, 0xff000002, 0, 0, 0xff000002, 0 };
	static const int8_t octahedral[16] = { 0, 0, 127, 0, 127, 0, 127, 0, 0, 127, 127, 0, -127, 0, 127, 0 };
	static const int8_t tips[16] = { 0, 0, 127, 0, 127, 0, 0, 0, 0, 127, 0, 0, -127, 0, 0, 0 };
	static const int16_t quaternions[8] = { 0, 0, 0, 32767, 0, 0, 0, 32766 }; // the largest is w, then z
	static const int16_t turns[8] = { 0, 0, 0, 32767, 0, 0, 32767, 0 };
	static const float times[2] = { 0, 1 };
	Gltf g = { .counts = { 0 } };
	Gltf_AddPacked(&g, "KHR", PackAttributes(4, 12, exponential), 4, 12, "ATTRIBUTES", "EXPONENTIAL", quad);
	int p = Gltf_Add(&g, "accessors", "{'bufferView':2,'componentType':5126,'count':4,'type':'VEC3'}");
	Gltf_AddPacked(&g, "KHR", PackIndices(true, 6, quadIndices), 6, 2, "TRIANGLES", NULL, quadIndices);
	int i = Gltf_Add(&g, "accessors", "{'bufferView':5,'componentType':5123,'count':6,'type':'SCALAR'}");
	Gltf_Add(&g, "meshes", "{'primitives':[{'attributes':{'POSITION':%d},'indices':%d}]}", p, i);
	Gltf_AddPacked(&g, "EXT", PackAttributes(4, 4, octahedral), 4, 4, "ATTRIBUTES", "OCTAHEDRAL", tips);
	p = Gltf_Add(&g, "accessors", "{'bufferView':8,'componentType':5120,'normalized':true,'count':4,'type':'VEC3'}");
	Gltf_AddPacked(&g, "EXT", PackIndices(false, 6, quadIndices), 6, 2, "INDICES", "NONE", quadIndices);
	i = Gltf_Add(&g, "accessors", "{'bufferView':11,'componentType':5123,'count':6,'type':'SCALAR'}");
	Gltf_Add(&g, "meshes", "{'primitives':[{'attributes':{'POSITION':%d},'indices':%d}]}", p, i);
	Gltf_AddPacked(&g, "KHR", PackAttributes(2, 8, quaternions), 2, 8, "ATTRIBUTES", "QUATERNION", turns);
	int o =
	    Gltf_Add(&g, "accessors", "{'bufferView':14,'componentType':5122,'normalized':true,'count':2,'type':'VEC4'}");
	int t = Gltf_AddArray(&g, "SCALAR", type_float, false, 2, times);
	Gltf_Add(&g, "nodes", "{'mesh':0}");
	Gltf_Add(&g, "nodes", "{'mesh':1}");
	Gltf_Add(&g, "animations",
	    "{'samplers':[{'input':%d,'output':%d}],'channels':[{'sampler':0,'target':{'node':0,'path':'rotation'}}]}", t,
	    o);
	Gltf_Add(&g, "extensionsUsed", "'KHR_mesh_quantization','KHR_meshopt_compression','EXT_meshopt_compression'");
	return g;
}

static Sample MakeText(const char* format, const char* name, const char* text)
{
	Sample sample = { format, name, { NULL, 0, 0 } };
	Bytes_Print(&sample.bytes, "%s", text);
	return sample;
}

// A float or double in either byte order.
static void AddReal(Bytes* bytes, double value, bool isDouble, bool big)
{
	uint8_t raw[8];
	float single = (float)value;
	size_t size = isDouble ? 8 : 4;
	uint64_t bits = 0;
	uint32_t bits32;
	memcpy(&bits32, &single, 4);
	memcpy(&bits, &value, 8);
	bits = isDouble ? bits : bits32;
	for (size_t i = 0; i < size; ++i)
	{
		raw[big ? size - 1 - i : i] = (uint8_t)(bits >> 8 * i);
	}
	Bytes_Add(bytes, raw, size);
}

static Sample MakePly(const char* name, bool isDouble, bool big)
{
	Sample sample = { "ply", name, { NULL, 0, 0 } };
	Bytes* b = &sample.bytes;
	Bytes_Print(b,
	    "ply\nformat binary_%s_endian 1.0\ncomment sample\nelement vertex 4\nproperty uchar red\nproperty %s x\n"
	    "property %s y\nproperty %s z\nelement edge 1\nproperty int vertex1\nproperty list uchar short tags\n"
	    "element face 2\nproperty list uchar int vertex_indices\nproperty float quality\nend_header\n",
	    big ? "big" : "little", isDouble ? "double" : "float", isDouble ? "double" : "float",
	    isDouble ? "double" : "float");
	for (int i = 0; i < 4; ++i)
	{
		Bytes_Add(b, "\x80", 1);
		for (int k = 0; k < 3; ++k)
		{
			AddReal(b, (double)quad[3 * i + k] * 0.1, isDouble, big);
		}
	}
	Bytes_Add(b, "\0\0\0\1\2\0\1\0\2", 9);
	static const uint8_t faces[2][5] = { { 4, 0, 1, 2, 3 }, { 3, 3, 2, 1, 0 } };
	for (int f = 0; f < 2; ++f)
	{
		Bytes_Add(b, &faces[f][0], 1);
		for (int k = 1; k <= faces[f][0]; ++k)
		{
			uint8_t raw[4] = { 0, 0, 0, 0 };
			raw[big ? 3 : 0] = faces[f][k];
			Bytes_Add(b, raw, 4);
		}
		AddReal(b, 1.0, false, big);
	}
	return sample;
}

static Sample MakeBinaryStl(void)
{
	Sample sample = { "stl", "binary.stl", { NULL, 0, 0 } };
	char header[80] = "solid that is binary";
	Bytes_Add(&sample.bytes, header, 80);
	Add32(&sample.bytes, 2);
	for (int t = 0; t < 2; ++t)
	{
		Bytes_Add(&sample.bytes, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
		for (int k = 0; k < 9; ++k)
		{
			AddReal(&sample.bytes, (double)quad[3 * quadIndices[3 * t + k / 3] + k % 3], false, false);
		}
		Bytes_Add(&sample.bytes, "\0\0", 2);
	}
	return sample;
}

const float troupeMesh[15] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1 };
static const uint16_t troupeFaces[12] = { 0, 2, 1, 0, 1, 3, 1, 2, 4, 3, 1, 4 };
static const float lift[15] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.5f, 0, 1, 0, -0.25f, 0 };

static const char* const troupeNodes[actCount] = {
	"{'name':'scaled','mesh':0,'scale':[0.5,0.75,1.25]}",
	"{'name':'turned','mesh':1,'rotation':[0.48,0.6,0,0.64],'translation':[0.2,0.1,0]}",
	"{'name':'mirrored','mesh':1,'scale':[-1,1,1],'translation':[0,0.7,0]}",
	"{'name':'pulsing','mesh':1,'translation':[0.9,0,0]}",
	"{'name':'carried','mesh':1,'rotation':[0,0.6,0,0.8],'translation':[0,0,0.4]}",
	"{'name':'skinned','mesh':2,'skin':0}",
	"{'name':'morphed skin','mesh':3,'skin':0}",
	"{'name':'morphed','mesh':4,'rotation':[0,0.6,0,0.8]}",
	"{'name':'morphed scaled','mesh':4,'scale':[0.5,-1.5,1.25],'weights':[0.75]}",
	"{'name':'morphed pulsing','mesh':4,'translation':[0.4,0,0]}",
	"{'name':'idle','mesh':5}",
};

Gltf MakeGltfTroupe(void)
{
	Gltf made = { .counts = { 0 } }, *g = &made;
	static const uint8_t joints[20] = { 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0 };
	static const float weights[20] = { 0.5f, 0.5f, 0, 0, 1, 0, 0, 0, 0.25f, 0.75f, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
	static const float times[2] = { 0, 1 }, grow[6] = { 1, 1, 1, 2, 0.5f, 1 }, move[6] = { 0, 0, 0, 1, 2, 3 };
	static const float turn[8] = { 0, 0, 0, 1, 0, 0.6f, 0, 0.8f }, swell[2] = { 0, 1.5f };
	char skin[80], target[60];
	int j = Gltf_AddArray(g, "VEC4", type_uint8, false, 5, joints);
	int w = Gltf_AddArray(g, "VEC4", type_float, false, 5, weights);
	snprintf(skin, sizeof(skin), ",'JOINTS_0':%d,'WEIGHTS_0':%d", j, w);
	snprintf(
	    target, sizeof(target), ",'targets':[{'POSITION':%d}]", Gltf_AddArray(g, "VEC3", type_float, false, 5, lift));
	for (int m = 0; m < 6; ++m)
	{
		Gltf_AddMesh(g, 5, troupeMesh, 12, troupeFaces, m == 2 || m == 3 ? skin : NULL, m > 2 ? target : NULL,
		    m == 4 ? ",'weights':[0.25]" : NULL);
	}
	for (int i = 0; i < actCount; ++i)
	{
		Gltf_Add(g, "nodes", troupeNodes[i]);
	}
	Gltf_Add(g, "nodes", "{'name':'hip','children':[%d],'translation':[0.5,0,0]}", actCount + 1);
	Gltf_Add(g, "nodes", "{'name':'knee','rotation':[0,0,0.6,0.8]}");
	Gltf_Add(g, "skins", "{'joints':[%d,%d]}", actCount, actCount + 1);
	int t = Gltf_AddArray(g, "SCALAR", type_float, false, 2, times);
	int scale = Gltf_AddArray(g, "VEC3", type_float, false, 2, grow);
	int translation = Gltf_AddArray(g, "VEC3", type_float, false, 2, move);
	int rotation = Gltf_AddArray(g, "VEC4", type_float, false, 2, turn);
	int weight = Gltf_AddArray(g, "SCALAR", type_float, false, 2, swell);
	Gltf_Add(g, "animations",
	    "{'name':'act','samplers':[{'input':%d,'output':%d},{'input':%d,'output':%d},{'input':%d,'output':%d},"
	    "{'input':%d,'output':%d}],'channels':[{'sampler':0,'target':{'node':3,'path':'scale'}},"
	    "{'sampler':1,'target':{'node':4,'path':'translation'}},{'sampler':2,'target':{'node':12,'path':'rotation'}},"
	    "{'sampler':3,'target':{'node':6,'path':'weights'}},{'sampler':3,'target':{'node':7,'path':'weights'}},"
	    "{'sampler':1,'target':{'node':7,'path':'translation'}},{'sampler':0,'target':{'node':9,'path':'scale'}},"
	    "{'sampler':3,'target':{'node':9,'path':'weights'}}]}",
	    t, scale, t, translation, t, rotation, t, weight);
	Gltf_Add(g, "animations",
	    "{'name':'walk','samplers':[{'input':%d,'output':%d}],'channels':[{'sampler':0,'target':{'node':1,"
	    "'path':'translation'}}]}",
	    t, translation);
	return made;
}

int MakeSamples(Sample samples[32])
{
	int n = 0;
	Gltf character = MakeCharacter();
	samples[n++] = (Sample){ "gltf", "character.glb", Gltf_Make(&character, NULL) };
	samples[n++] = (Sample){ "gltf", "character.gltf", Gltf_Make(&character, "data:") };
	Gltf_Free(&character);
	Gltf plain = { .counts = { 0 } };
	Gltf_AddMesh(&plain, 4, quad, 4, quadIndices, NULL, ",'mode':6", NULL);
	Gltf_Add(&plain, "nodes", "{'mesh':0}");
	samples[n++] = (Sample){ "gltf", "plain.glb", Gltf_Make(&plain, NULL) };
	Gltf_Free(&plain);
	Gltf packed = MakePacked();
	samples[n++] = (Sample){ "gltf", "packed.glb", Gltf_Make(&packed, NULL) };
	Gltf_Free(&packed);
	Gltf troupe = MakeGltfTroupe();
	samples[n++] = (Sample){ "gltf", "troupe.glb", Gltf_Make(&troupe, NULL) };
	Gltf_Free(&troupe);
	samples[n++] = (Sample){ "fbx", "text.fbx", Fbx_MakeSample(false, 7400) };
	samples[n++] = (Sample){ "fbx", "binary.fbx", Fbx_MakeSample(true, 7400) };
	samples[n++] = (Sample){ "fbx", "wide.fbx", Fbx_MakeSample(true, 7500) };
	samples[n++] = (Sample){ "fbx", "deflated.fbx", Fbx_MakeDeflated(7400) };
	samples[n++] = MakeText("obj", "quad.obj",
	    "# quad\nmtllib none.mtl\nv 0 0 0\nv 1.5e0 0 0 1\nv 1 1 0\\\n\nv 0 1 0\nvt 0 0\nvn 0 0 1\ng a\n"
	    "f 1/1/1 2/1/1 3//1 4\nf -1 -2 -3\n");
	samples[n++] = MakeText("ply", "ascii.ply",
	    "ply\r\nformat ascii 1.0\r\nobj_info sample\r\nelement vertex 4\r\nproperty float32 x\r\nproperty float32 y\r\n"
	    "property float64 z\r\nelement face 2\r\nproperty list uint8 int32 vertex_index\r\nproperty uchar flags\r\n"
	    "end_header\r\n0 0 0.1\r\n1 0 -2.5e-3\r\n1 1 0\r\n0 1 0\r\n4 0 1 2 3 7\r\n3 0 2 3 7\r\n");
	samples[n++] = MakePly("little.ply", false, false);
	samples[n++] = MakePly("big.ply", false, true);
	samples[n++] = MakePly("double.ply", true, false);
	samples[n++] = MakePly("big_double.ply", true, true);
	samples[n++] = MakeText("stl", "ascii.stl",
	    "solid a name\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 1 1 0.5\n"
	    "  endloop\n endfacet\nendsolid a name\nsolid\nFACET NORMAL nan nan nan\nOUTER LOOP\nVERTEX 0 0 0\n"
	    "VERTEX 1 1 0.5 VERTEX 0 1e0 0\nENDLOOP\nENDFACET\nendsolid\n");
	samples[n++] = MakeBinaryStl();
	samples[n++] = MakeText(
	    "off", "quad.off", "OFF # quad\n4 2 0\n0 0 0\n1 0 0\n\n1 1 0.5 # corner\n0 1 0\n4 0 1 2 3 255 0 0\n3 0 2 3\n");
	samples[n++] = MakeText("off", "colours.off",
	    "COFF 3 1 0\n0 0 0 255 0 0 255\n1 0 0 0 255 0 255\n0 1 0 0 0 255 255\n3 0 1 2 0.5 0.5 0.5\n");
	samples[n++] = MakeText("off", "bare.off", "3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
	return n;
}
