// STL: unconnected triangles, as text or as 50 bytes each. Corners are not joined: three vertices per triangle.
//
// Some binary files begin with "solid" as text does, so the size decides: it is 84 bytes and 50 per triangle exactly.
#include "io/text.h"

#include <math.h>
#include <string.h>

static uint32_t Load32(const uint8_t* p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool AddFacet(ioLoader* loader, ioMeshBuilder* builder, const float corners[9])
{
	uint32_t first = builder->mesh.vertexCount;
	for (int k = 0; k < 3; ++k)
	{
		if (!ioMeshBuilder_AddVertex(builder, corners + 3 * k))
		{
			return ioFailMemory(loader);
		}
	}
	return ioMeshBuilder_AddTriangle(builder, first, first + 1, first + 2) || ioFailMemory(loader);
}

static bool ReadBinary(ioLoader* loader, ioMeshBuilder* builder)
{
	if (loader->count < 84)
	{
		return ioFail(loader, 0, "truncated: %zu bytes, and a binary STL file has 84 at least", loader->count);
	}
	uint64_t count = Load32(loader->bytes + 80), there = (loader->count - 84) / 50;
	if (count > there)
	{
		return ioFail(loader, 0, "truncated: %llu of %llu triangles, or not an STL file", (unsigned long long)there,
		    (unsigned long long)count);
	}
	if (loader->count - 84 > 50 * count)
	{
		ioWarn(loader, "%zu bytes after the last triangle are ignored", loader->count - 84 - (size_t)(50 * count));
	}
	if (3 * count > IO_MAX_COUNT || !ioMeshBuilder_Reserve(builder, (size_t)(3 * count), (size_t)count))
	{
		return ioFailMemory(loader);
	}
	for (uint64_t i = 0; i < count; ++i)
	{
		const uint8_t* p = loader->bytes + 84 + 50 * i + 12; // after the normal
		float corners[9];
		for (int k = 0; k < 9; ++k, p += 4)
		{
			uint32_t bits = Load32(p);
			memcpy(corners + k, &bits, 4);
			if (!isfinite(corners[k]))
			{
				return ioFail(loader, 0, "triangle %llu: corner %d is not finite", (unsigned long long)i, k / 3);
			}
		}
		if (!AddFacet(loader, builder, corners))
		{
			return false;
		}
	}
	return true;
}

static bool Expect(ioLoader* loader, ioText* text, const char* keyword)
{
	ioWord word;
	char quoted[40];
	if (!ioText_Next(text, &word))
	{
		return ioFail(loader, text->line, "truncated: '%s' expected", keyword);
	}
	return ioWord_Is(word, keyword, true) ||
	       ioFail(loader, text->line, "'%s' expected, not %s", keyword, ioWord_Quote(word, quoted));
}

// After the word facet. Normals are not read, only skipped: files are full of odd ones.
static bool ReadFacet(ioLoader* loader, ioText* text, ioMeshBuilder* builder)
{
	float corners[9];
	ioText_SkipLine(text);
	if (!Expect(loader, text, "outer") || !Expect(loader, text, "loop"))
	{
		return false;
	}
	for (int k = 0; k < 3; ++k)
	{
		if (!Expect(loader, text, "vertex") || !ioText_ReadPosition(text, loader, false, corners + 3 * k))
		{
			return false;
		}
	}
	return Expect(loader, text, "endloop") && Expect(loader, text, "endfacet") && AddFacet(loader, builder, corners);
}

// One solid or several, one after the other; names are the rest of their line.
static bool ReadAscii(ioLoader* loader, ioText* text, ioMeshBuilder* builder)
{
	ioWord word;
	char quoted[40];
	bool open = false;
	while (ioText_Next(text, &word))
	{
		if (!open && ioWord_Is(word, "solid", true))
		{
			ioText_SkipLine(text);
			open = true;
		}
		else if (open && ioWord_Is(word, "endsolid", true))
		{
			ioText_SkipLine(text);
			open = false;
		}
		else if (open && ioWord_Is(word, "facet", true))
		{
			if (!ReadFacet(loader, text, builder))
			{
				return false;
			}
		}
		else
		{
			return ioFail(loader, text->line, "'%s' expected, not %s", open ? "facet' or 'endsolid" : "solid",
			    ioWord_Quote(word, quoted));
		}
	}
	return !open || ioFail(loader, text->line, "truncated: 'endsolid' expected");
}

bool ioReadStl(ioLoader* loader)
{
	ioText text = ioText_Make(loader->bytes, loader->count, '\0');
	ioMeshBuilder builder = { .vertexCapacity = 0 };
	ioText start = text;
	ioWord word;
	bool exact = loader->count >= 84 && loader->count - 84 == 50 * (uint64_t)Load32(loader->bytes + 80);
	bool ascii = !exact && ioText_Next(&start, &word) && ioWord_Is(word, "solid", true);
	bool read = ascii ? ReadAscii(loader, &text, &builder) : ReadBinary(loader, &builder);
	read = read && (builder.mesh.triangleCount > 0 || ioFail(loader, 0, "no triangles"));
	if (!read)
	{
		ioMesh_Free(&builder.mesh);
		return false;
	}
	return ioSetMesh(loader, &builder.mesh);
}
