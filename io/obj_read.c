#include "io/decimal.h"
#include "io/obj.h"
#include "io/polygon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COUNT 500000000u // of vertices or triangles: what snug takes, and 6 GB of each

typedef struct reader
{
	FILE* file;
	const char* path;
	ioError* error;
	unsigned long line;
	unsigned char buffer[1 << 16];
	size_t next, end; // the part of the buffer that is still to be read
	ioMesh mesh;
	size_t vertexCapacity, triangleCapacity;
	ioPolygons polygons;
	uint64_t highestIndex; // of all faces, from 1; vertices may follow the faces that use them
	unsigned long highestLine;
} reader;

// ---- Characters and tokens -------------------------------------------------------------------------------------

// The next character without taking it, or EOF.
static int Peek(reader* r)
{
	if (r->next == r->end)
	{
		r->next = 0;
		r->end = fread(r->buffer, 1, sizeof(r->buffer), r->file);
		if (r->end == 0)
		{
			return EOF;
		}
	}
	return r->buffer[r->next];
}

static bool IsLineEnd(int c)
{
	return c == '\n' || c == EOF;
}

static bool IsBlank(int c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

// Skip blanks, and backslashes that continue the line.
static int SkipBlanks(reader* r)
{
	for (;;)
	{
		int c = Peek(r);
		if (c == '\\')
		{
			r->next++;
			c = Peek(r);
			if (c == '\r')
			{
				r->next++;
				c = Peek(r);
			}
			if (c != '\n')
			{
				return '\\';
			}
			r->line++;
		}
		else if (!IsBlank(c))
		{
			return c;
		}
		r->next++;
	}
}

// A backslash at the end of a line that is skipped continues nothing: it may be the end of a path in a comment, and
// taking the next line with it would lose a vertex.
static void SkipLine(reader* r)
{
	int c = Peek(r);
	while (!IsLineEnd(c))
	{
		const unsigned char* rest = r->buffer + r->next;
		const unsigned char* end = memchr(rest, '\n', r->end - r->next);
		r->next = end != NULL ? (size_t)(end - r->buffer) : r->end;
		c = Peek(r);
	}
	if (c == '\n')
	{
		r->next++;
		r->line++;
	}
}

/// A word up to the next blank. Longer ones than any number may be are cut, and `length` says so.
typedef struct token
{
	char text[IO_MAX_NUMBER + 1];
	size_t length;
} token;

static bool ReadToken(reader* r, token* t)
{
	t->length = 0;
	int c = SkipBlanks(r);
	if (c == '\\') // one that continues no line, taken already
	{
		t->text[t->length++] = '\\';
		c = Peek(r);
	}
	while (!IsBlank(c) && !IsLineEnd(c) && c != '\\')
	{
		if (t->length <= IO_MAX_NUMBER)
		{
			t->text[t->length++] = (char)c;
		}
		r->next++;
		c = Peek(r);
	}
	return t->length > 0;
}

// A word of the file inside a message: short, and nothing that a terminal would act upon.
static const char* Quote(const token* t, char quoted[40])
{
	size_t length = t->length < 32 ? t->length : 32, used = 0;
	quoted[used++] = '\'';
	for (size_t i = 0; i < length; ++i)
	{
		quoted[used++] = t->text[i] >= ' ' && t->text[i] <= '~' ? t->text[i] : '?';
	}
	const char* ending = t->length > 32 ? "…'" : "'";
	memcpy(quoted + used, ending, strlen(ending) + 1);
	return quoted;
}

// ---- Statements ------------------------------------------------------------------------------------------------

// Room for one more element of 12 bytes.
static bool Reserve(reader* r, void** array, size_t* capacity, size_t count)
{
	if (count < *capacity)
	{
		return true;
	}
	if (count >= MAX_COUNT)
	{
		return ioError_Set(r->error, r->path, r->line, "more than %u vertices or triangles", MAX_COUNT);
	}
	size_t wanted = *capacity < 512 ? 1024 : *capacity + *capacity / 2;
	void* grown = realloc(*array, wanted * 12);
	if (grown == NULL)
	{
		return ioError_SetMemory(r->error, r->path);
	}
	*array = grown;
	*capacity = wanted;
	return true;
}

static bool ReadVertex(reader* r)
{
	token t;
	char quoted[40];
	void* array = r->mesh.positions;
	if (!Reserve(r, &array, &r->vertexCapacity, r->mesh.vertexCount))
	{
		return false;
	}
	r->mesh.positions = array;
	float* p = r->mesh.positions + 3 * (size_t)r->mesh.vertexCount;
	for (int k = 0; k < 3; ++k)
	{
		if (!ReadToken(r, &t))
		{
			return ioError_Set(r->error, r->path, r->line, "a vertex needs three numbers, this one has %d", k);
		}
		if (!ioParseFloat(t.text, t.length, p + k))
		{
			return ioError_Set(r->error, r->path, r->line, "%s is not a finite number", Quote(&t, quoted));
		}
	}
	r->mesh.vertexCount++;
	return true;
}

// The vertex part of a corner such as -4/2/7. What follows the first slash must look like numbers, no more.
static bool ParseIndex(const token* t, int64_t* index)
{
	bool negative = t->text[0] == '-';
	size_t i = negative || t->text[0] == '+' ? 1 : 0, first = i;
	int64_t value = 0;
	for (; i < t->length && t->text[i] >= '0' && t->text[i] <= '9'; ++i)
	{
		value = value < 10000000000 ? 10 * value + (t->text[i] - '0') : value;
	}
	*index = negative ? -value : value;
	if (i == first || t->length > IO_MAX_NUMBER || (i < t->length && t->text[i] != '/'))
	{
		return false;
	}
	int slashes = 0;
	for (; i < t->length; ++i)
	{
		slashes += t->text[i] == '/';
		if (t->text[i] != '/' && t->text[i] != '-' && (t->text[i] < '0' || t->text[i] > '9'))
		{
			return false;
		}
	}
	return slashes <= 2;
}

// Read one corner of a face into a vertex number from 0.
static bool ReadCorner(reader* r, const token* t, uint32_t* vertex)
{
	char quoted[40];
	int64_t index;
	if (!ParseIndex(t, &index))
	{
		return ioError_Set(r->error, r->path, r->line, "%s is not a vertex number", Quote(t, quoted));
	}
	if (index == 0 || index < -(int64_t)r->mesh.vertexCount || index > (int64_t)MAX_COUNT)
	{
		return ioError_Set(r->error, r->path, r->line, "vertex number %s is out of range: %u vertices so far",
		    Quote(t, quoted), r->mesh.vertexCount);
	}
	uint64_t absolute = index > 0 ? (uint64_t)index : (uint64_t)(r->mesh.vertexCount + index + 1);
	if (absolute > r->highestIndex)
	{
		r->highestIndex = absolute;
		r->highestLine = r->line;
	}
	*vertex = (uint32_t)(absolute - 1);
	return true;
}

static bool AddTriangle(reader* r, uint32_t a, uint32_t b, uint32_t c)
{
	void* array = r->mesh.triangles;
	if (!Reserve(r, &array, &r->triangleCapacity, r->mesh.triangleCount))
	{
		return false;
	}
	r->mesh.triangles = array;
	uint32_t* corners = r->mesh.triangles + 3 * (size_t)r->mesh.triangleCount++;
	corners[0] = a;
	corners[1] = b;
	corners[2] = c;
	return true;
}

// A fan is made as the corners come, so a polygon may have any number of them. See io/polygon.h.
static bool ReadFace(reader* r)
{
	token t;
	uint32_t first = 0, previous = 0, corner = 0;
	uint32_t firstTriangle = r->mesh.triangleCount;
	unsigned long count = 0;
	while (ReadToken(r, &t) && t.text[0] != '#')
	{
		if (!ReadCorner(r, &t, &corner) || (count >= 2 && !AddTriangle(r, first, previous, corner)))
		{
			return false;
		}
		first = count == 0 ? corner : first;
		previous = corner;
		count++;
	}
	if (count < 3)
	{
		return ioError_Set(r->error, r->path, r->line, "a face needs three corners, this one has %lu", count);
	}
	return ioPolygons_Add(&r->polygons, firstTriangle, r->mesh.triangleCount - firstTriangle) ||
	       ioError_SetMemory(r->error, r->path);
}

// One statement. Only words of one letter matter, so the keyword need not be held.
static bool ReadStatement(reader* r)
{
	int c = SkipBlanks(r);
	bool read = true;
	if (c == 'v' || c == 'f')
	{
		r->next++;
		if (IsBlank(Peek(r)) || IsLineEnd(Peek(r)))
		{
			read = c == 'v' ? ReadVertex(r) : ReadFace(r);
		}
	}
	return read && (SkipLine(r), true);
}

static void SkipByteOrderMark(reader* r)
{
	if (Peek(r) != EOF && r->end >= 3 && memcmp(r->buffer, "\xef\xbb\xbf", 3) == 0)
	{
		r->next = 3;
	}
}

static bool ReadAll(reader* r)
{
	SkipByteOrderMark(r);
	while (Peek(r) != EOF)
	{
		if (!ReadStatement(r))
		{
			return false;
		}
	}
	if (ferror(r->file))
	{
		return ioError_SetAccess(r->error, r->path, "cannot read", errno);
	}
	if (r->highestIndex > r->mesh.vertexCount)
	{
		return ioError_Set(r->error, r->path, r->highestLine,
		    "vertex number %llu is out of range: the file has %u vertices", (unsigned long long)r->highestIndex,
		    r->mesh.vertexCount);
	}
	return r->mesh.triangleCount > 0 ||
	       ioError_Set(r->error, r->path, 0,
	           r->mesh.vertexCount > 0 ? "no faces" : "no vertices and no faces: not an OBJ file?");
}

static bool SplitPolygons(reader* r)
{
	uint32_t corners = 0;
	ioSplitResult result = ioPolygons_Split(&r->polygons, &r->mesh, &corners);
	return result == io_splitTooLong ? ioError_Set(r->error, r->path, 0, IO_TOO_LONG_POLYGON, corners)
	                                 : result == io_splitDone || ioError_SetMemory(r->error, r->path);
}

bool ioReadObj(const char* path, ioMesh* mesh, ioError* error)
{
	*mesh = (ioMesh){ NULL, 0, NULL, 0 };
	reader* r = calloc(1, sizeof(reader));
	if (r == NULL)
	{
		return ioError_SetMemory(error, path);
	}
	*r = (reader){ .path = path, .error = error, .line = 1, .file = fopen(path, "rb") };
	bool read = r->file != NULL ? ReadAll(r) && SplitPolygons(r) : ioError_SetAccess(error, path, "cannot open", errno);
	if (r->file != NULL)
	{
		fclose(r->file);
	}
	if (read)
	{
		*mesh = r->mesh;
	}
	else
	{
		ioMesh_Free(&r->mesh);
	}
	ioPolygons_Free(&r->polygons);
	free(r);
	return read;
}

void ioMesh_Free(ioMesh* mesh)
{
	free(mesh->positions);
	free(mesh->triangles);
	*mesh = (ioMesh){ NULL, 0, NULL, 0 };
}
