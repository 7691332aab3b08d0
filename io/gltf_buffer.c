// The container of GLB files, and buffers: the binary chunk, base64 in the JSON, or files beside the glTF file.
//
// Files beside are taken from the directory of the glTF file and below only: a name that is absolute, has a scheme or
// goes up is refused, so that a file from a stranger cannot name others.
#include "io/gltf.h"

#include <stdlib.h>
#include <string.h>

// ---- Container -------------------------------------------------------------------------------------------------

static uint32_t Load32(const uint8_t* p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

#define CHUNK_JSON 0x4e4f534au
#define CHUNK_BIN 0x004e4942u

static bool ReadChunk(gltfReader* g, size_t* offset, size_t end, uint32_t* type, const uint8_t** bytes, size_t* count)
{
	const uint8_t* p = g->loader->bytes + *offset;
	if (end - *offset < 8)
	{
		return ioFail(g->loader, 0, "byte %zu: truncated: a chunk's header expected", *offset);
	}
	*count = Load32(p);
	*type = Load32(p + 4);
	*bytes = p + 8;
	if (*count > end - *offset - 8)
	{
		return ioFail(g->loader, 0, "byte %zu: truncated: a chunk of %zu bytes, %zu are left", *offset, *count,
		    end - *offset - 8);
	}
	*offset += 8 + *count;
	return true;
}

static bool SplitGlb(gltfReader* g, const char** text, size_t* count)
{
	const ioLoader* loader = g->loader;
	if (loader->count < 20)
	{
		return ioFail(loader, 0, "truncated: %zu bytes, and a GLB file has 20 at least", loader->count);
	}
	uint32_t version = Load32(loader->bytes + 4), type;
	uint64_t length = Load32(loader->bytes + 8);
	const uint8_t* bytes;
	size_t offset = 12;
	if (version != 2)
	{
		return ioFail(loader, 0, "GLB version %u; only 2 is supported", version);
	}
	if (length != loader->count)
	{
		return ioFail(loader, 0, "%s: the header says %llu bytes, the file has %zu",
		    length > loader->count ? "truncated" : "not a GLB file", (unsigned long long)length, loader->count);
	}
	if (!ReadChunk(g, &offset, loader->count, &type, &bytes, count))
	{
		return false;
	}
	if (type != CHUNK_JSON)
	{
		return ioFail(loader, 0, "byte 12: the first chunk is not JSON");
	}
	*text = (const char*)bytes;
	size_t binaryCount;
	if (offset < loader->count)
	{
		if (!ReadChunk(g, &offset, loader->count, &type, &bytes, &binaryCount))
		{
			return false;
		}
		g->binary = type == CHUNK_BIN ? bytes : NULL;
		g->binaryCount = type == CHUNK_BIN ? binaryCount : 0;
	}
	// Further chunks are for extensions, and ignored.
	return true;
}

bool gltfSplit(gltfReader* g, const char** text, size_t* count)
{
	*text = (const char*)g->loader->bytes;
	*count = g->loader->count;
	g->isGlb = *count >= 4 && memcmp(*text, "glTF", 4) == 0;
	return !g->isGlb || SplitGlb(g, text, count);
}

// ---- URIs ------------------------------------------------------------------------------------------------------

static int Base64Digit(char c)
{
	return c >= 'A' && c <= 'Z'   ? c - 'A'
	       : c >= 'a' && c <= 'z' ? c - 'a' + 26
	       : c >= '0' && c <= '9' ? c - '0' + 52
	       : c == '+'             ? 62
	       : c == '/'             ? 63
	                              : -1;
}

static bool DecodeBase64(gltfReader* g, const gltfValue* place, const char* text, size_t length, gltfBuffer* buffer)
{
	size_t used = 0;
	while (length > 0 && text[length - 1] == '=')
	{
		--length;
	}
	buffer->owned = malloc(length / 4 * 3 + 4);
	if (buffer->owned == NULL)
	{
		return ioFailMemory(g->loader);
	}
	uint32_t bits = 0;
	for (size_t i = 0; i < length; ++i)
	{
		int digit = Base64Digit(text[i]);
		if (digit < 0)
		{
			return gltfFail(g, place, "not base64 at its character %zu", i);
		}
		bits = bits << 6 | (uint32_t)digit;
		if (i % 4 != 0)
		{
			buffer->owned[used++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
		}
	}
	if (used < buffer->count)
	{
		return gltfFail(g, place, "truncated: %zu bytes of %llu", used, (unsigned long long)buffer->count);
	}
	buffer->bytes = buffer->owned;
	return true;
}

static int HexDigit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	                              : -1;
}

// Undo %20 and the like. Null, with the error set, if it cannot be the name of a file in or below the directory.
static char* DecodeUri(gltfReader* g, const gltfValue* place, const char* uri)
{
	char* decoded = malloc(strlen(uri) + 1);
	size_t used = 0;
	if (decoded == NULL)
	{
		ioFailMemory(g->loader);
		return NULL;
	}
	bool valid = true;
	for (const char* p = uri; *p != '\0' && valid; ++p)
	{
		int high = *p == '%' ? HexDigit(p[1]) : 0, low = *p == '%' && high >= 0 ? HexDigit(p[2]) : 0;
		valid = high >= 0 && low >= 0;
		char c = *p == '%' ? (char)(high * 16 + low) : *p;
		p += *p == '%' && valid ? 2 : 0;
		valid = valid && (unsigned char)c >= ' ' && c != 0x7f && c != '\\' && c != ':';
		decoded[used++] = c;
		if (c == '/' && used == 2 && decoded[0] == '.')
		{
			used = 0; // "./" at the front
		}
	}
	decoded[used] = '\0';
	bool up = false;
	for (const char* p = decoded; p != NULL; p = strchr(p, '/'))
	{
		p += *p == '/';
		up = up || (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == '\0'));
	}
	if (!valid || up || decoded[0] == '/' || decoded[0] == '\0')
	{
		gltfFail(g, place, "not the name of a file in the directory of this one or below");
		free(decoded);
		return NULL;
	}
	return decoded;
}

// The whole file of a name, read or found among those that were: naming one often, or in parts, costs nothing.
static const gltfBuffer* ReadOnce(gltfReader* g, const gltfValue* place, gltfBuffer* buffer)
{
	for (const gltfBuffer* other = g->beside; other != NULL; other = other->next)
	{
		if (strcmp(other->uri, buffer->uri) == 0)
		{
			return other;
		}
	}
	size_t length = strlen(g->loader->directory);
	bool slash = length == 0 || g->loader->directory[length - 1] == '/';
	char* path = malloc(length + strlen(buffer->uri) + 2);
	if (path == NULL)
	{
		ioFailMemory(g->loader);
		return NULL;
	}
	memcpy(path, g->loader->directory, length);
	memcpy(path + length, slash ? "" : "/", slash ? 1 : 2);
	strcat(path, buffer->uri);
	ioError error;
	buffer->owned = ioReadFile(path, buffer->uri, SIZE_MAX, &buffer->ownedCount, &error);
	free(path);
	if (buffer->owned == NULL)
	{
		gltfFail(g, place, "%.200s", error.text);
		g->loader->error->kind = error.kind;
		return NULL;
	}
	g->loader->budget += g->loader->options->maxBytes > 0 ? 0 : 64 * (uint64_t)buffer->ownedCount;
	buffer->next = g->beside;
	g->beside = buffer;
	return buffer;
}

static bool ReadBeside(gltfReader* g, const gltfValue* place, const char* uri, gltfBuffer* buffer)
{
	if (g->loader->directory == NULL)
	{
		return gltfFail(g, place, "a file beside this one is needed, and there is none in memory");
	}
	buffer->uri = DecodeUri(g, place, uri);
	const gltfBuffer* file = buffer->uri != NULL ? ReadOnce(g, place, buffer) : NULL;
	if (file == NULL)
	{
		return false;
	}
	if (file->ownedCount < buffer->count)
	{
		return gltfFail(g, place, "truncated: %zu bytes of %llu", file->ownedCount, (unsigned long long)buffer->count);
	}
	buffer->bytes = file->owned;
	return true;
}

// ---- Buffers and views -----------------------------------------------------------------------------------------

static bool LoadBuffer(gltfReader* g, uint32_t number, gltfBuffer* buffer)
{
	gltfValue place = gltfElement(&g->bufferList, number), uriPlace = gltfMember(&place, "uri");
	const char* uri;
	if (!gltfExpectObject(g, &place) || !gltfReadString(g, &place, "uri", &uri) ||
	    !gltfReadCount(g, &place, "byteLength", 1, SIZE_MAX / 2, UINT64_MAX, &buffer->count))
	{
		return false;
	}
	if (uri == NULL)
	{
		if (!g->isGlb || number != 0 || g->binary == NULL)
		{
			return gltfFail(g, &place, "no uri, and no binary chunk either");
		}
		if (g->binaryCount < buffer->count)
		{
			return gltfFail(g, &place, "truncated: %llu bytes, the binary chunk has %zu",
			    (unsigned long long)buffer->count, g->binaryCount);
		}
		buffer->bytes = g->binary;
		return true;
	}
	if (strncmp(uri, "data:", 5) != 0)
	{
		return ReadBeside(g, &uriPlace, uri, buffer);
	}
	gltfText data = gltfGetDataUri(g, uri);
	const char* comma = memchr(data.text, ',', data.length);
	if (comma == NULL || comma - data.text < 7 || strncmp(comma - 7, ";base64", 7) != 0)
	{
		return gltfFail(g, &uriPlace, "a data URI that is not base64");
	}
	return DecodeBase64(g, &uriPlace, comma + 1, (size_t)(data.text + data.length - comma - 1), buffer);
}

bool gltfGetBytes(
    gltfReader* g, const gltfValue* place, const uint8_t** bytes, uint64_t* count, uint64_t* stride, uint64_t maxStride)
{
	uint32_t number;
	uint64_t offset;
	uint64_t leastStride = maxStride > 252 ? 1 : 4;
	if (!gltfExpectObject(g, place) || !gltfReadIndex(g, place, "buffer", &g->bufferList, true, &number) ||
	    !gltfReadCount(g, place, "byteOffset", 0, UINT64_MAX, 0, &offset) ||
	    !gltfReadCount(g, place, "byteLength", 1, UINT64_MAX, UINT64_MAX, count) ||
	    !gltfReadCount(g, place, "byteStride", leastStride, maxStride, 0, stride))
	{
		return false;
	}
	if (g->buffers == NULL)
	{
		g->bufferCount = gltfLength(&g->bufferList);
		g->buffers = calloc(g->bufferCount, sizeof(gltfBuffer));
		if (g->buffers == NULL)
		{
			return ioFailMemory(g->loader);
		}
	}
	gltfBuffer* buffer = g->buffers + number;
	if (buffer->bytes == NULL && !LoadBuffer(g, number, buffer))
	{
		return false;
	}
	if (*count > buffer->count || offset > buffer->count - *count)
	{
		return gltfFail(g, place, "bytes %llu to %llu of a buffer of %llu", (unsigned long long)offset,
		    (unsigned long long)(offset + *count), (unsigned long long)buffer->count);
	}
	*bytes = buffer->bytes + offset;
	return true;
}

bool gltfGetView(gltfReader* g, uint32_t number, const uint8_t** bytes, uint64_t* count, uint64_t* stride)
{
	gltfValue place = gltfElement(&g->bufferViews, number), extensions = gltfMember(&place, "extensions");
	gltfValue packed = gltfMember(&extensions, "KHR_meshopt_compression");
	gltfValue older = gltfMember(&extensions, "EXT_meshopt_compression");
	if (packed.json != NULL && older.json != NULL)
	{
		return gltfFail(g, &extensions, "both %s and %s", packed.key, older.key);
	}
	packed = packed.json != NULL ? packed : older;
	if (packed.json == NULL)
	{
		return gltfGetBytes(g, &place, bytes, count, stride, 252);
	}
	if (g->views == NULL)
	{
		g->views = calloc(gltfLength(&g->bufferViews), sizeof(gltfView));
	}
	if (g->views == NULL)
	{
		return ioFailMemory(g->loader);
	}
	gltfView* view = g->views + number;
	if (view->bytes == NULL && !gltfUnpackView(g, &packed, view))
	{
		return false;
	}
	if (view->bytes == NULL)
	{
		return gltfGetBytes(g, &place, bytes, count, stride, 252);
	}
	*bytes = view->bytes;
	*count = view->count;
	return gltfReadCount(g, &place, "byteStride", 4, 252, 0, stride);
}

void gltfFreeBuffers(gltfReader* g)
{
	for (size_t i = 0; g->buffers != NULL && i < g->bufferCount; ++i)
	{
		free(g->buffers[i].owned);
		free(g->buffers[i].uri);
	}
	free(g->buffers);
	free(g->views);
	free(g->unpacked);
	free(g->dataUris);
}
