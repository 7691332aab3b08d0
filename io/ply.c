// PLY: a header that declares elements and their properties, then the elements as text or in either byte order.
//
// Wanted are x, y and z of `vertex` and the list `vertex_indices` (or `vertex_index`) of `face`; all else is stepped
// over. Coordinates may be of any type and are rounded to float once.
#include "io/decimal.h"
#include "io/text.h"

#include <math.h>
#include <string.h>

typedef enum scalar
{
	scalar_none,
	scalar_int8,
	scalar_uint8,
	scalar_int16,
	scalar_uint16,
	scalar_int32,
	scalar_uint32,
	scalar_float32,
	scalar_float64,
} scalar;

static const size_t scalarSizes[] = { 0, 1, 1, 2, 2, 4, 4, 4, 8 };

typedef enum role
{
	role_ignored,
	role_x,
	role_y,
	role_z,
	role_corners,
} role;

typedef struct property
{
	scalar type;
	scalar countType; // none: not a list
	role role;
} property;

#define MAX_PROPERTIES 256 // of one element
#define MAX_ELEMENTS 64

typedef struct element
{
	uint64_t count;
	int first, propertyCount; // into the properties of the file
	bool isVertex, isFace;
} element;

typedef enum encoding
{
	encoding_none,
	encoding_ascii,
	encoding_little,
	encoding_big,
} encoding;

typedef struct reader
{
	ioLoader* loader;
	ioText text; // in a binary file only its position is used
	encoding encoding;
	element elements[MAX_ELEMENTS];
	int elementCount;
	property properties[MAX_PROPERTIES];
	int propertyCount;
	ioMeshBuilder builder;
	uint64_t vertexCount;
	bool hasVertices, hasFaces;
} reader;

// ---- Header ----------------------------------------------------------------------------------------------------

static scalar ParseType(ioWord word)
{
	static const char* const names[][2] = { { "", "" }, { "char", "int8" }, { "uchar", "uint8" }, { "short", "int16" },
		{ "ushort", "uint16" }, { "int", "int32" }, { "uint", "uint32" }, { "float", "float32" },
		{ "double", "float64" } };
	for (int i = 1; i <= (int)scalar_float64; ++i)
	{
		if (ioWord_Is(word, names[i][0], false) || ioWord_Is(word, names[i][1], false))
		{
			return (scalar)i;
		}
	}
	return scalar_none;
}

static bool ReadWord(reader* r, const char* what, ioWord* word)
{
	return ioText_NextInLine(&r->text, word) || ioFail(r->loader, r->text.line, "%s expected", what);
}

static bool ReadType(reader* r, scalar* type)
{
	ioWord word;
	char quoted[40];
	if (!ReadWord(r, "a type", &word))
	{
		return false;
	}
	*type = ParseType(word);
	return *type != scalar_none || ioFail(r->loader, r->text.line, "%s is not a type", ioWord_Quote(word, quoted));
}

static bool ReadFormat(reader* r)
{
	ioWord word, version;
	char quoted[40];
	if (!ReadWord(r, "a format", &word) || !ReadWord(r, "a version", &version))
	{
		return false;
	}
	r->encoding = ioWord_Is(word, "ascii", false)                  ? encoding_ascii
	              : ioWord_Is(word, "binary_little_endian", false) ? encoding_little
	              : ioWord_Is(word, "binary_big_endian", false)    ? encoding_big
	                                                               : encoding_none;
	if (r->encoding == encoding_none || !ioWord_Is(version, "1.0", false))
	{
		return ioFail(r->loader, r->text.line, "%s %s", ioWord_Quote(word, quoted), "is not a format of PLY 1.0");
	}
	return true;
}

static bool ReadElement(reader* r)
{
	ioWord name, count;
	char quoted[40];
	if (!ReadWord(r, "a name", &name) || !ReadWord(r, "a number", &count))
	{
		return false;
	}
	if (r->elementCount == MAX_ELEMENTS)
	{
		return ioFail(r->loader, r->text.line, "more than %d elements", MAX_ELEMENTS);
	}
	element* e = r->elements + r->elementCount++;
	*e = (element){ .first = r->propertyCount,
		.isVertex = ioWord_Is(name, "vertex", false),
		.isFace = ioWord_Is(name, "face", false) };
	if ((e->isVertex && r->hasVertices) || (e->isFace && r->hasFaces))
	{
		return ioFail(r->loader, r->text.line, "a second element %s", ioWord_Quote(name, quoted));
	}
	r->hasVertices = r->hasVertices || e->isVertex;
	r->hasFaces = r->hasFaces || e->isFace;
	uint64_t most = e->isVertex || e->isFace ? IO_MAX_COUNT : UINT64_MAX;
	if (!ioWord_ParseCount(count, most, &e->count))
	{
		return ioFail(r->loader, r->text.line, "%s is not a number of elements", ioWord_Quote(count, quoted));
	}
	r->vertexCount = e->isVertex ? e->count : r->vertexCount;
	return true;
}

static role RoleOf(const element* e, ioWord name, bool isList)
{
	if (e->isFace && isList)
	{
		bool corners = ioWord_Is(name, "vertex_indices", false) || ioWord_Is(name, "vertex_index", false);
		return corners ? role_corners : role_ignored;
	}
	bool axis = e->isVertex && !isList && name.length == 1 && name.text[0] >= 'x' && name.text[0] <= 'z';
	return axis ? (role)(role_x + (name.text[0] - 'x')) : role_ignored;
}

static bool ReadProperty(reader* r)
{
	ioWord word;
	char quoted[40];
	ioText start = r->text;
	if (r->elementCount == 0)
	{
		return ioFail(r->loader, r->text.line, "a property before the first element");
	}
	if (r->propertyCount == MAX_PROPERTIES)
	{
		return ioFail(r->loader, r->text.line, "more than %d properties", MAX_PROPERTIES);
	}
	element* e = r->elements + r->elementCount - 1;
	property* p = r->properties + r->propertyCount++;
	*p = (property){ .countType = scalar_none };
	e->propertyCount++;
	if (!ReadWord(r, "a type", &word))
	{
		return false;
	}
	if (ioWord_Is(word, "list", false))
	{
		if (!ReadType(r, &p->countType))
		{
			return false;
		}
	}
	else
	{
		r->text = start;
	}
	if (!ReadType(r, &p->type) || !ReadWord(r, "a name", &word))
	{
		return false;
	}
	p->role = RoleOf(e, word, p->countType != scalar_none);
	if (p->countType >= scalar_float32 || (p->role == role_corners && p->type >= scalar_float32))
	{
		return ioFail(r->loader, r->text.line, "%s: list lengths and vertex numbers must be whole numbers",
		    ioWord_Quote(word, quoted));
	}
	for (int i = e->first; i + 1 < r->propertyCount; ++i)
	{
		if (p->role != role_ignored && r->properties[i].role == p->role)
		{
			return ioFail(r->loader, r->text.line, "a second property %s", ioWord_Quote(word, quoted));
		}
	}
	return true;
}

static bool HasRole(const reader* r, const element* e, role wanted)
{
	for (int i = 0; i < e->propertyCount; ++i)
	{
		if (r->properties[e->first + i].role == wanted)
		{
			return true;
		}
	}
	return false;
}

static bool CheckHeader(const reader* r)
{
	if (r->encoding == encoding_none)
	{
		return ioFail(r->loader, 0, "the header has no format");
	}
	for (int i = 0; i < r->elementCount; ++i)
	{
		const element* e = r->elements + i;
		if (e->isVertex && !(HasRole(r, e, role_x) && HasRole(r, e, role_y) && HasRole(r, e, role_z)))
		{
			return ioFail(r->loader, 0, "vertices have no x, y and z");
		}
		if (e->isFace && !HasRole(r, e, role_corners))
		{
			return ioFail(r->loader, 0, "faces have no vertex_indices");
		}
	}
	return (r->hasVertices && r->hasFaces) ||
	       ioFail(r->loader, 0, r->hasVertices ? "no faces: a cloud of points?" : "no vertices");
}

static bool ReadHeader(reader* r)
{
	ioWord word;
	char quoted[40];
	if (!ioText_NextInLine(&r->text, &word) || !ioWord_Is(word, "ply", false))
	{
		return ioFail(r->loader, 1, "not a PLY file");
	}
	for (;;)
	{
		ioText_SkipLine(&r->text);
		if (!ioText_NextInLine(&r->text, &word))
		{
			if (r->text.next == r->text.end)
			{
				return ioFail(r->loader, r->text.line, "truncated: 'end_header' expected");
			}
			continue;
		}
		if (ioWord_Is(word, "end_header", false))
		{
			ioText_SkipLine(&r->text); // binary data begin after the first line feed
			return CheckHeader(r);
		}
		bool read = ioWord_Is(word, "format", false)     ? ReadFormat(r)
		            : ioWord_Is(word, "element", false)  ? ReadElement(r)
		            : ioWord_Is(word, "property", false) ? ReadProperty(r)
		            : ioWord_Is(word, "comment", false) || ioWord_Is(word, "obj_info", false)
		                ? true
		                : ioFail(r->loader, r->text.line, "%s is unknown", ioWord_Quote(word, quoted));
		if (!read)
		{
			return false;
		}
	}
}

// ---- Values ----------------------------------------------------------------------------------------------------

// What a value is wanted as. Text is parsed straight to float, so that it is rounded once.
typedef struct value
{
	double number;
	float rounded;
} value;

static double Decode(const uint8_t bytes[8], scalar type)
{
	uint64_t bits = 0;
	for (size_t i = scalarSizes[type]; i-- > 0;)
	{
		bits = bits << 8 | bytes[i];
	}
	uint32_t low = (uint32_t)bits;
	float single;
	double number;
	switch (type)
	{
		case scalar_int8:
			return (double)(int8_t)low;
		case scalar_int16:
			return (double)(int16_t)low;
		case scalar_int32:
			return (double)(int32_t)low;
		case scalar_float32:
			memcpy(&single, &low, sizeof(single));
			return (double)single;
		case scalar_float64:
			memcpy(&number, &bits, sizeof(number));
			return number;
		default:
			return (double)low;
	}
}

static bool ReadBinaryValue(reader* r, scalar type, value* v)
{
	size_t size = scalarSizes[type];
	uint8_t bytes[8];
	if ((size_t)(r->text.end - r->text.next) < size)
	{
		return ioFail(r->loader, 0, "truncated: the data end after %zu bytes", r->loader->count);
	}
	for (size_t i = 0; i < size; ++i)
	{
		bytes[i] = (uint8_t)r->text.next[r->encoding == encoding_little ? i : size - 1 - i];
	}
	r->text.next += size;
	v->number = Decode(bytes, type);
	v->rounded = (float)v->number;
	return true;
}

static bool ReadAsciiValue(reader* r, scalar type, value* v)
{
	ioWord word;
	char quoted[40];
	if (!ioText_Next(&r->text, &word))
	{
		return ioFail(r->loader, r->text.line, "truncated: a number expected");
	}
	if (type < scalar_float32)
	{
		bool negative = word.text[0] == '-';
		ioWord digits = { word.text + negative, word.length - negative };
		uint64_t magnitude;
		if (!ioWord_ParseCount(digits, UINT32_MAX, &magnitude))
		{
			return ioFail(r->loader, r->text.line, "%s is not a whole number", ioWord_Quote(word, quoted));
		}
		v->number = negative ? -(double)magnitude : (double)magnitude;
		v->rounded = (float)v->number;
		return true;
	}
	if (!ioParseFloat(word.text, word.length, &v->rounded))
	{
		return ioFail(r->loader, r->text.line, "%s is not a finite number", ioWord_Quote(word, quoted));
	}
	v->number = (double)v->rounded;
	return true;
}

static bool ReadValue(reader* r, scalar type, value* v)
{
	return r->encoding == encoding_ascii ? ReadAsciiValue(r, type, v) : ReadBinaryValue(r, type, v);
}

static bool SkipValues(reader* r, scalar type, uint64_t count)
{
	if (r->encoding != encoding_ascii)
	{
		if ((uint64_t)(r->text.end - r->text.next) / scalarSizes[type] < count)
		{
			return ioFail(r->loader, 0, "truncated: the data end after %zu bytes", r->loader->count);
		}
		r->text.next += count * scalarSizes[type];
		return true;
	}
	ioWord word;
	for (; count > 0; --count)
	{
		if (!ioText_Next(&r->text, &word))
		{
			return ioFail(r->loader, r->text.line, "truncated: a number expected");
		}
	}
	return true;
}

// ---- Elements --------------------------------------------------------------------------------------------------

static unsigned long Line(const reader* r)
{
	return r->encoding == encoding_ascii ? r->text.line : 0;
}

static bool ReadCorners(reader* r, const property* p, uint64_t face, uint64_t count)
{
	value v;
	uint32_t first = 0, previous = 0;
	if (count < 3)
	{
		return ioFail(r->loader, Line(r), "a face needs three corners, face %llu has %llu", (unsigned long long)face,
		    (unsigned long long)count);
	}
	uint32_t firstTriangle = r->builder.mesh.triangleCount;
	for (uint64_t i = 0; i < count; ++i)
	{
		if (!ReadValue(r, p->type, &v))
		{
			return false;
		}
		if (!(v.number >= 0.0 && v.number < (double)r->vertexCount))
		{
			return ioFail(r->loader, Line(r), "face %llu: vertex number %.0f is out of range: %llu vertices",
			    (unsigned long long)face, v.number, (unsigned long long)r->vertexCount);
		}
		uint32_t corner = (uint32_t)v.number;
		if (i >= 2 && !ioMeshBuilder_AddTriangle(&r->builder, first, previous, corner))
		{
			return ioFailMemory(r->loader);
		}
		first = i == 0 ? corner : first;
		previous = corner;
	}
	return ioMeshBuilder_EndPolygon(&r->builder, firstTriangle) || ioFailMemory(r->loader);
}

static bool ReadRow(reader* r, const element* e, uint64_t row)
{
	float position[3] = { 0.0f, 0.0f, 0.0f };
	for (int i = 0; i < e->propertyCount; ++i)
	{
		const property* p = r->properties + e->first + i;
		value v = { 1.0, 1.0f };
		if (p->countType != scalar_none && !ReadValue(r, p->countType, &v))
		{
			return false;
		}
		if (!(v.number >= 0.0))
		{
			return ioFail(r->loader, Line(r), "a list of %.0f values", v.number);
		}
		uint64_t count = (uint64_t)v.number;
		bool read = p->role == role_ignored   ? SkipValues(r, p->type, count)
		            : p->role == role_corners ? ReadCorners(r, p, row, count)
		                                      : ReadValue(r, p->type, &v);
		if (!read)
		{
			return false;
		}
		if (p->role >= role_x && p->role <= role_z)
		{
			position[p->role - role_x] = v.rounded;
			if (!isfinite(v.rounded))
			{
				return ioFail(r->loader, Line(r), "vertex %llu is not finite", (unsigned long long)row);
			}
		}
	}
	return !e->isVertex || ioMeshBuilder_AddVertex(&r->builder, position) || ioFailMemory(r->loader);
}

// Bytes of a row at least; digits and blanks count as one each.
static uint64_t LeastRowSize(const reader* r, const element* e)
{
	uint64_t size = 0;
	for (int i = 0; i < e->propertyCount; ++i)
	{
		const property* p = r->properties + e->first + i;
		scalar type = p->countType != scalar_none ? p->countType : p->type;
		size += r->encoding == encoding_ascii ? 2 : scalarSizes[type];
		size += p->role == role_corners ? 3 * (r->encoding == encoding_ascii ? 2 : scalarSizes[p->type]) : 0;
	}
	return size;
}

static bool ReadElements(reader* r)
{
	for (int i = 0; i < r->elementCount; ++i)
	{
		const element* e = r->elements + i;
		uint64_t least = LeastRowSize(r, e), left = (uint64_t)(r->text.end - r->text.next) + 1;
		if (least > 0 && e->count > left / least)
		{
			return ioFail(r->loader, 0, "truncated: %llu elements do not fit into the %llu bytes that are left",
			    (unsigned long long)e->count, (unsigned long long)(left - 1));
		}
		bool room = e->isVertex ? ioMeshBuilder_Reserve(&r->builder, (size_t)e->count, r->builder.triangleCapacity)
		            : e->isFace ? ioMeshBuilder_Reserve(&r->builder, r->builder.vertexCapacity, (size_t)e->count)
		                        : true;
		if (!room)
		{
			return ioFailMemory(r->loader);
		}
		// Rows of nothing take no time, however many.
		for (uint64_t row = 0; least > 0 && row < e->count; ++row)
		{
			if (!ReadRow(r, e, row))
			{
				return false;
			}
		}
	}
	return r->builder.mesh.triangleCount > 0 || ioFail(r->loader, 0, "no faces");
}

bool ioReadPly(ioLoader* loader)
{
	reader r = { .loader = loader, .text = ioText_Make(loader->bytes, loader->count, '\0') };
	if (!ReadHeader(&r) || !ReadElements(&r) || !ioMeshBuilder_Finish(&r.builder, loader))
	{
		ioMeshBuilder_Free(&r.builder);
		return false;
	}
	return ioSetMesh(loader, &r.builder.mesh);
}
