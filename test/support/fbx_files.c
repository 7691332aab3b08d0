// test/support/fbx_files.c: see fbx_files.h.
#include "fbx_files.h"

#include <stdio.h>
#include <string.h>

static size_t Width(const Fbx* f)
{
	return f->version >= 7500 ? 8 : 4;
}

static void AddBits(Fbx* f, uint64_t bits, size_t size)
{
	uint8_t bytes[8];
	for (size_t i = 0; i < size; ++i)
	{
		bytes[i] = (uint8_t)(bits >> (8 * i));
	}
	Bytes_Add(&f->bytes, bytes, size);
}

static void PatchBits(Fbx* f, size_t at, uint64_t bits)
{
	for (size_t i = 0; i < Width(f); ++i)
	{
		f->bytes.data[at + i] = (uint8_t)(bits >> (8 * i));
	}
}

Fbx Fbx_Start(bool binary, uint32_t version)
{
	return Fbx_StartClock(binary, version, 1003, -1);
}

Fbx Fbx_StartClock(bool binary, uint32_t version, int headerVersion, int definition)
{
	Fbx f = { .binary = binary, .version = version };
	if (binary)
	{
		Bytes_Add(&f.bytes, "Kaydara FBX Binary  \0\x1a\0", 23);
		AddBits(&f, version, 4);
	}
	else
	{
		Bytes_Print(&f.bytes, "; FBX %u.%u.0 project file\n", version / 1000, version / 100 % 10);
	}
	Fbx_Begin(&f, "FBXHeaderExtension");
	Fbx_AddInteger(&f, "FBXHeaderVersion", headerVersion);
	Fbx_AddInteger(&f, "FBXVersion", version);
	if (definition >= 0)
	{
		Fbx_Begin(&f, "OtherFlags");
		Fbx_AddInteger(&f, "TCDefinition", definition);
		Fbx_End(&f);
	}
	Fbx_End(&f);
	return f;
}

// The first child: values are over.
static void Open(Fbx* f)
{
	if (f->depth == 0 || f->opened[f->depth])
	{
		return;
	}
	f->opened[f->depth] = true;
	if (f->binary)
	{
		size_t start = f->starts[f->depth], width = Width(f);
		size_t name = f->bytes.data[start + 3 * width];
		PatchBits(f, start + width, (uint64_t)f->values);
		PatchBits(f, start + 2 * width, f->bytes.count - (start + 3 * width + 1 + name));
	}
	else
	{
		Bytes_Print(&f->bytes, " {\n");
	}
}

void Fbx_Begin(Fbx* f, const char* name)
{
	Open(f);
	f->depth++;
	f->opened[f->depth] = false;
	f->starts[f->depth] = f->bytes.count;
	f->values = 0;
	if (!f->binary)
	{
		Bytes_Print(&f->bytes, "%s:", name);
		return;
	}
	AddBits(f, 0, Width(f));
	AddBits(f, 0, Width(f));
	AddBits(f, 0, Width(f));
	AddBits(f, strlen(name), 1);
	Bytes_Add(&f->bytes, name, strlen(name));
}

void Fbx_End(Fbx* f)
{
	bool children = f->opened[f->depth];
	if (f->binary)
	{
		Open(f); // writes counts and sizes
		static const uint8_t zeros[25] = { 0 };
		Bytes_Add(&f->bytes, zeros, children ? 3 * Width(f) + 1 : 0);
		PatchBits(f, f->starts[f->depth], f->bytes.count);
	}
	else
	{
		Bytes_Print(&f->bytes, children ? "}\n" : "\n");
	}
	f->depth--;
}

static void Separate(Fbx* f)
{
	if (!f->binary)
	{
		Bytes_Print(&f->bytes, f->values > 0 ? ", " : " ");
	}
	f->values++;
}

void Fbx_Integer(Fbx* f, int64_t value)
{
	Separate(f);
	if (f->binary)
	{
		Bytes_Add(&f->bytes, "L", 1);
		AddBits(f, (uint64_t)value, 8);
		return;
	}
	Bytes_Print(&f->bytes, "%lld", (long long)value);
}

void Fbx_Number(Fbx* f, double value)
{
	Separate(f);
	if (f->binary)
	{
		uint64_t bits;
		memcpy(&bits, &value, sizeof(bits));
		Bytes_Add(&f->bytes, "D", 1);
		AddBits(f, bits, 8);
		return;
	}
	Bytes_Print(&f->bytes, "%.17g", value);
}

static void AddString(Fbx* f, const char* text, size_t length)
{
	Separate(f);
	if (f->binary)
	{
		Bytes_Add(&f->bytes, "S", 1);
		AddBits(f, length, 4);
		Bytes_Add(&f->bytes, text, length);
		return;
	}
	Bytes_Print(&f->bytes, "\"%s\"", text);
}

void Fbx_String(Fbx* f, const char* text)
{
	AddString(f, text, strlen(text));
}

void Fbx_Name(Fbx* f, const char* name, const char* class)
{
	char text[128];
	int length = f->binary ? snprintf(text, sizeof(text), "%s%c%c%s", name, 0, 1, class)
	                       : snprintf(text, sizeof(text), "%s::%s", class, name);
	AddString(f, text, (size_t)length);
}

void Fbx_AddInteger(Fbx* f, const char* name, int64_t value)
{
	Fbx_Begin(f, name);
	Fbx_Integer(f, value);
	Fbx_End(f);
}

// Eight bytes each. Tests run on little-endian machines.
static void AddArray(Fbx* f, const char* type, int count, const void* values)
{
	size_t size = 8 * (size_t)count;
	const uint8_t* bytes = values;
	Bytes_Add(&f->bytes, type, 1);
	AddBits(f, (uint64_t)count, 4);
	AddBits(f, f->deflated, 4);
	AddBits(f, size + (f->deflated ? 11 : 0), 4);
	if (!f->deflated)
	{
		Bytes_Add(&f->bytes, values, size);
		return;
	}
	uint32_t a = 1, b = 0; // Adler's checksum
	for (size_t i = 0; i < size; ++i)
	{
		a = (a + bytes[i]) % 65521;
		b = (b + a) % 65521;
	}
	const uint8_t sum[4] = { (uint8_t)(b >> 8), (uint8_t)b, (uint8_t)(a >> 8), (uint8_t)a };
	Bytes_Add(&f->bytes, "\x78\x01\x01", 3); // one block, the last, stored
	AddBits(f, size, 2);
	AddBits(f, ~(uint64_t)size, 2);
	Bytes_Add(&f->bytes, values, size);
	Bytes_Add(&f->bytes, sum, 4);
}

void Fbx_AddNumbers(Fbx* f, const char* name, int count, const double* values)
{
	Fbx_Begin(f, name);
	Separate(f);
	if (f->binary)
	{
		AddArray(f, "d", count, values);
	}
	else
	{
		Bytes_Print(&f->bytes, "*%d {\na: ", count);
		for (int i = 0; i < count; ++i)
		{
			Bytes_Print(&f->bytes, "%s%.17g", i > 0 ? "," : "", values[i]);
		}
		Bytes_Print(&f->bytes, "\n}");
	}
	Fbx_End(f);
}

void Fbx_AddIntegers(Fbx* f, const char* name, int count, const int64_t* values)
{
	Fbx_Begin(f, name);
	Separate(f);
	if (f->binary)
	{
		AddArray(f, "l", count, values);
	}
	else
	{
		Bytes_Print(&f->bytes, "*%d {\na: ", count);
		for (int i = 0; i < count; ++i)
		{
			Bytes_Print(&f->bytes, "%s%lld", i > 0 ? "," : "", (long long)values[i]);
		}
		Bytes_Print(&f->bytes, "\n}");
	}
	Fbx_End(f);
}

void Fbx_AddProperty(Fbx* f, const char* name, int count, const double* values)
{
	Fbx_Begin(f, "P");
	Fbx_String(f, name);
	Fbx_String(f, "");
	Fbx_String(f, "");
	Fbx_String(f, "");
	for (int i = 0; i < count; ++i)
	{
		Fbx_Number(f, values[i]);
	}
	Fbx_End(f);
}

void Fbx_AddConnection(Fbx* f, int64_t child, int64_t owner, const char* property)
{
	Fbx_Begin(f, "C");
	Fbx_String(f, property != NULL ? "OP" : "OO");
	Fbx_Integer(f, child);
	Fbx_Integer(f, owner);
	if (property != NULL)
	{
		Fbx_String(f, property);
	}
	Fbx_End(f);
}

void Fbx_BeginObject(Fbx* f, const char* record, int64_t id, const char* name, const char* class, const char* kind)
{
	Fbx_Begin(f, record);
	Fbx_Integer(f, id);
	Fbx_Name(f, name, class);
	Fbx_String(f, kind);
}

void Fbx_AddCurve(Fbx* f, int64_t id, int count, const double* times, const double* values, const double* slopes)
{
	int64_t flags[64];
	for (int i = 0; i < count && i < 64; ++i)
	{
		flags[i] = slopes != NULL ? fbx_cubicKey : fbx_linearKey;
	}
	Fbx_AddKeys(f, id, count, times, values, slopes, flags);
}

void Fbx_AddKeys(Fbx* f, int64_t id, int count, const double* times, const double* values, const double* slopes,
    const int64_t* flags)
{
	double data[256];
	for (int i = 0; i < count && i < 64; ++i)
	{
		data[4 * i] = slopes != NULL ? slopes[i] : 0.0;
		data[4 * i + 1] = slopes != NULL && i + 1 < count ? slopes[i + 1] : 0.0;
		data[4 * i + 2] = data[4 * i + 3] = 0.0;
		for (int k = 0; f->bits && k < 2; ++k)
		{
			float single = (float)data[4 * i + k];
			uint32_t bits;
			memcpy(&bits, &single, sizeof(bits));
			data[4 * i + k] = bits;
			data[4 * i + 2] = 218434821; // two tangents of a third of the span
		}
	}
	Fbx_AddRawKeys(f, id, count, times, values, data, flags, 0);
}

void Fbx_AddRawKeys(Fbx* f, int64_t id, int count, const double* times, const double* values, const double* data,
    const int64_t* flags, int after)
{
	int64_t ticks[64], runs[64];
	for (int i = 0; i < count && i < 64; ++i)
	{
		ticks[i] = (int64_t)(times[i] * 46186158000.0);
		runs[i] = 1;
	}
	Fbx_BeginObject(f, "AnimationCurve", id, "", "AnimCurve", "");
	Fbx_AddIntegers(f, "KeyTime", count, ticks);
	Fbx_AddNumbers(f, "KeyValueFloat", count, values);
	Fbx_AddIntegers(f, "KeyAttrFlags", count, flags);
	Fbx_AddNumbers(f, "KeyAttrDataFloat", 4 * count, data);
	Fbx_AddIntegers(f, "KeyAttrRefCount", count, runs);
	if (after != 0)
	{
		Fbx_Begin(f, "Post-Extrapolation");
		Fbx_AddInteger(f, "Type", after);
		Fbx_End(f);
	}
	Fbx_End(f);
}

Bytes Fbx_Finish(Fbx* f)
{
	static const uint8_t zeros[25] = { 0 };
	Bytes_Add(&f->bytes, zeros, f->binary ? 3 * Width(f) + 1 : 0);
	return f->bytes;
}

static void AddModel(Fbx* f, int64_t id, const char* name, const char* kind, const double move[3])
{
	static const double pivot[3] = { 1, 2, 3 }, pre[3] = { 10, 20, 30 };
	Fbx_BeginObject(f, "Model", id, name, "Model", kind);
	Fbx_Begin(f, "Properties70");
	Fbx_AddProperty(f, "Lcl Translation", 3, move);
	Fbx_AddProperty(f, "RotationPivot", 3, pivot);
	Fbx_AddProperty(f, "PreRotation", 3, pre);
	Fbx_End(f);
	Fbx_End(f);
}

static void AddCluster(Fbx* f, int64_t id, int count, const int64_t* vertices, const double* weights)
{
	static const double unit[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
	Fbx_BeginObject(f, "Deformer", id, "", "SubDeformer", "Cluster");
	Fbx_AddIntegers(f, "Indexes", count, vertices);
	Fbx_AddNumbers(f, "Weights", count, weights);
	Fbx_AddNumbers(f, "Transform", 16, unit);
	Fbx_End(f);
}

static void AddShape(Fbx* f)
{
	static const int64_t moved[1] = { 2 };
	static const double delta[3] = { 0, 0, 1 }, full[2] = { 60, 100 }, percent[1] = { 25 };
	for (int64_t i = 0; i < 2; ++i) // one between the mesh and the other
	{
		Fbx_BeginObject(f, "Geometry", 30 + 3 * i, "shape", "Geometry", "Shape");
		Fbx_AddIntegers(f, "Indexes", 1, moved);
		Fbx_AddNumbers(f, "Vertices", 3, delta);
		Fbx_End(f);
	}
	Fbx_BeginObject(f, "Deformer", 31, "blend", "Deformer", "BlendShape");
	Fbx_End(f);
	Fbx_BeginObject(f, "Deformer", 32, "up", "SubDeformer", "BlendShapeChannel");
	Fbx_Begin(f, "Properties70");
	Fbx_AddProperty(f, "DeformPercent", 1, percent);
	Fbx_End(f);
	Fbx_AddNumbers(f, "FullWeights", 2, full);
	Fbx_End(f);
}

static Bytes MakeSample(Fbx f)
{
	static const double points[12] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 }, half[4] = { 0.5, 0.5, 1, 1 };
	static const int64_t quad[4] = { 0, 1, 2, -4 }, all[4] = { 0, 1, 2, 3 };
	static const double moves[2][3] = { { 0, 1, 0 }, { 2, 0, 0 } }, times[3] = { 0, 0.5, 1 }, turns[3] = { 0, 45, 90 };
	static const double slopes[3] = { 0, 90, 0 };
	static const int64_t links[][2] = { { 1, 0 }, { 2, 1 }, { 3, 0 }, { 10, 3 }, { 20, 10 }, { 21, 20 }, { 22, 20 },
		{ 1, 21 }, { 2, 22 }, { 31, 10 }, { 32, 31 }, { 30, 32 }, { 33, 32 }, { 41, 40 }, { 42, 41 }, { 44, 41 } };
	Fbx_Begin(&f, "Objects");
	AddModel(&f, 1, "one", "LimbNode", moves[0]);
	AddModel(&f, 2, "two", "LimbNode", moves[1]);
	AddModel(&f, 3, "body", "Mesh", moves[1]);
	Fbx_BeginObject(&f, "Geometry", 10, "square", "Geometry", "Mesh");
	Fbx_AddNumbers(&f, "Vertices", 12, points);
	Fbx_AddIntegers(&f, "PolygonVertexIndex", 4, quad);
	Fbx_End(&f);
	Fbx_BeginObject(&f, "Deformer", 20, "", "Deformer", "Skin");
	Fbx_End(&f);
	AddCluster(&f, 21, 4, all, half);
	AddCluster(&f, 22, 2, all, half);
	AddShape(&f);
	Fbx_BeginObject(&f, "AnimationStack", 40, "wave", "AnimStack", "");
	Fbx_End(&f);
	Fbx_BeginObject(&f, "AnimationLayer", 41, "base", "AnimLayer", "");
	Fbx_End(&f);
	Fbx_BeginObject(&f, "AnimationCurveNode", 42, "R", "AnimCurveNode", "");
	Fbx_End(&f);
	Fbx_AddCurve(&f, 43, 3, times, turns, slopes);
	Fbx_BeginObject(&f, "AnimationCurveNode", 44, "DeformPercent", "AnimCurveNode", "");
	Fbx_End(&f);
	Fbx_AddCurve(&f, 45, 3, times, turns, slopes);
	Fbx_End(&f);
	Fbx_Begin(&f, "Connections");
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); ++i)
	{
		Fbx_AddConnection(&f, links[i][0], links[i][1], NULL);
	}
	Fbx_AddConnection(&f, 42, 2, "Lcl Rotation");
	Fbx_AddConnection(&f, 43, 42, "d|Z");
	Fbx_AddConnection(&f, 44, 32, "DeformPercent");
	Fbx_AddConnection(&f, 45, 44, "d|DeformPercent");
	Fbx_End(&f);
	return Fbx_Finish(&f);
}

Bytes Fbx_MakeSample(bool binary, uint32_t version)
{
	return MakeSample(Fbx_Start(binary, version));
}

Bytes Fbx_MakeDeflated(uint32_t version)
{
	Fbx f = Fbx_Start(true, version);
	f.deflated = true;
	return MakeSample(f);
}

Bytes Fbx_MakeBits(void)
{
	Fbx f = Fbx_Start(false, 7700);
	f.bits = true;
	return MakeSample(f);
}
