// OFF, as Geomview defines it: a keyword, three counts, vertices, faces. Colours, normals and texture coordinates after
// a vertex or a face are skipped with the rest of the line.
#include "io/decimal.h"
#include "io/text.h"

#include <string.h>

// The keyword may be left out; it may carry prefixes for what else vertices have, and be followed by the counts.
static bool ReadHeader(ioLoader* loader, ioText* text, uint64_t counts[2])
{
	static const char* const kinds[] = { "OFF", "COFF", "NOFF", "CNOFF", "STOFF", "STCOFF", "STNOFF", "STCNOFF" };
	ioWord word;
	char quoted[40];
	bool any = ioText_Next(text, &word), known = false;
	for (size_t i = 0; any && i < sizeof(kinds) / sizeof(kinds[0]); ++i)
	{
		known = known || ioWord_Is(word, kinds[i], false);
	}
	if (any && !known && (word.text[0] < '0' || word.text[0] > '9' || word.text[word.length - 1] == 'F'))
	{
		return ioFail(loader, text->line, "%s: not a kind of OFF file that is known", ioWord_Quote(word, quoted));
	}
	any = any && (!known || ioText_Next(text, &word));
	if (any && ioWord_Is(word, "BINARY", false))
	{
		return ioFail(loader, text->line, "binary OFF files are not supported");
	}
	for (int i = 0; i < 2; ++i)
	{
		if (!any)
		{
			return ioFail(loader, text->line, "the numbers of vertices and faces are missing");
		}
		if (!ioWord_ParseCount(word, IO_MAX_COUNT, &counts[i]))
		{
			return ioFail(loader, text->line, "%s is not a number of vertices or faces", ioWord_Quote(word, quoted));
		}
		any = i > 0 || ioText_NextInLine(text, &word);
	}
	ioText_SkipLine(text); // the number of edges, which nobody needs
	return true;
}

// To the line with the next word, so that reading in this line finds it.
static bool FindLine(ioText* text)
{
	ioWord word;
	if (!ioText_Next(text, &word))
	{
		return false;
	}
	text->next = word.text;
	return true;
}

static bool ReadCorner(ioLoader* loader, ioText* text, uint32_t vertexCount, uint64_t* vertex)
{
	ioWord word;
	char quoted[40];
	if (!ioText_NextInLine(text, &word))
	{
		return ioFail(loader, text->line, "the face has fewer corners than it says");
	}
	if (!ioWord_ParseCount(word, UINT64_MAX, vertex))
	{
		return ioFail(loader, text->line, "%s is not a vertex number", ioWord_Quote(word, quoted));
	}
	return *vertex < vertexCount || ioFail(loader, text->line, "vertex number %llu is out of range: %u vertices",
	                                    (unsigned long long)*vertex, vertexCount);
}

static bool ReadFace(ioLoader* loader, ioText* text, ioMeshBuilder* builder)
{
	ioWord word;
	char quoted[40];
	uint64_t count, first = 0, previous = 0, corner;
	uint32_t firstTriangle = builder->mesh.triangleCount;
	ioText_NextInLine(text, &word); // there is one: the line was found by it
	if (!ioWord_ParseCount(word, UINT64_MAX, &count) || count < 3)
	{
		return ioFail(loader, text->line, "a face needs three corners, this one has %s", ioWord_Quote(word, quoted));
	}
	for (uint64_t i = 0; i < count; ++i)
	{
		if (!ReadCorner(loader, text, builder->mesh.vertexCount, &corner))
		{
			return false;
		}
		if (i >= 2 && !ioMeshBuilder_AddTriangle(builder, (uint32_t)first, (uint32_t)previous, (uint32_t)corner))
		{
			return ioFailMemory(loader);
		}
		first = i == 0 ? corner : first;
		previous = corner;
	}
	ioText_SkipLine(text);
	return ioMeshBuilder_EndPolygon(builder, firstTriangle) || ioFailMemory(loader);
}

static bool ReadMesh(ioLoader* loader, ioText* text, ioMeshBuilder* builder)
{
	uint64_t counts[2];
	if (!ReadHeader(loader, text, counts))
	{
		return false;
	}
	// A vertex takes 6 bytes at least and a face 8: no more room than the file can fill.
	uint64_t left = (uint64_t)(text->end - text->next);
	if (counts[0] > left / 6 + 1 || counts[1] > left / 8 + 1)
	{
		return ioFail(loader, 0, "truncated: %llu vertices and %llu faces do not fit into %llu bytes",
		    (unsigned long long)counts[0], (unsigned long long)counts[1], (unsigned long long)left);
	}
	if (!ioMeshBuilder_Reserve(builder, (size_t)counts[0], (size_t)counts[1]))
	{
		return ioFailMemory(loader);
	}
	for (uint64_t i = 0; i < counts[0]; ++i)
	{
		float position[3];
		if (!FindLine(text))
		{
			return ioFail(loader, text->line, "truncated: %llu of %llu vertices", (unsigned long long)i,
			    (unsigned long long)counts[0]);
		}
		if (!ioText_ReadPosition(text, loader, true, position))
		{
			return false;
		}
		if (!ioMeshBuilder_AddVertex(builder, position))
		{
			return ioFailMemory(loader);
		}
		ioText_SkipLine(text);
	}
	for (uint64_t i = 0; i < counts[1]; ++i)
	{
		if (!FindLine(text))
		{
			return ioFail(loader, text->line, "truncated: %llu of %llu faces", (unsigned long long)i,
			    (unsigned long long)counts[1]);
		}
		if (!ReadFace(loader, text, builder))
		{
			return false;
		}
	}
	return builder->mesh.triangleCount > 0 || ioFail(loader, 0, "no faces");
}

bool ioReadOff(ioLoader* loader)
{
	ioText text = ioText_Make(loader->bytes, loader->count, '#');
	ioMeshBuilder builder = { .vertexCapacity = 0 };
	if (!ReadMesh(loader, &text, &builder) || !ioMeshBuilder_Finish(&builder, loader))
	{
		ioMeshBuilder_Free(&builder);
		return false;
	}
	return ioSetMesh(loader, &builder.mesh);
}
