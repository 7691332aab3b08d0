#include "io/gltf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Places and messages ---------------------------------------------------------------------------------------

const char* gltfPlace(const gltfValue* value, char text[160])
{
	// From the root down: the way up is short, since values are only made where the format has them.
	const gltfValue* way[16];
	int depth = 0;
	for (; value != NULL && value->parent != NULL && depth < 16; value = value->parent)
	{
		way[depth++] = value;
	}
	size_t used = 0;
	text[0] = '\0';
	while (depth-- > 0 && used < 150)
	{
		const gltfValue* v = way[depth];
		int written = v->key == NULL ? snprintf(text + used, 160 - used, "[%zu]", v->index)
		                             : snprintf(text + used, 160 - used, "%s%s", used > 0 ? "." : "", v->key);
		used += written > 0 ? (size_t)written : 0;
	}
	return text;
}

bool gltfFail(const gltfReader* g, const gltfValue* place, const char* format, ...)
{
	char text[240], where[160];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	gltfPlace(place, where);
	return ioFail(g->loader, 0, "%s%s%s", where, where[0] != '\0' ? ": " : "", text);
}

void gltfWarn(const gltfReader* g, const gltfValue* place, const char* format, ...)
{
	char text[240], where[160];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	ioWarn(g->loader, "%s: %s", gltfPlace(place, where), text);
}

bool gltfSpend(const gltfReader* g, const gltfValue* place, uint64_t count, uint64_t size)
{
	// Counts are below 2^44 and sizes below 2^16.
	bool isDefault = g->loader->options->maxBytes == 0;
	return ioSpend(g->loader, count * size) ||
	       gltfFail(g, place, "too much data for a file of %zu bytes%s", g->loader->count,
	           isDefault ? " (it may decode to 64 MiB and 64 times its size)" : "");
}

// What Jansson will need for a text at most: objects are the dearest, about 300 bytes for the two characters "{}".
static uint64_t EstimateMemory(const char* text, size_t count)
{
	uint64_t bytes = count;
	bool string = false;
	for (size_t i = 0; i < count; ++i)
	{
		char c = text[i];
		if (string)
		{
			i += c == '\\';
			string = c != '"';
			continue;
		}
		string = c == '"';
		bytes += c == '{' ? 320 : c == '[' ? 160 : c == ',' || c == ':' ? 64 : 0;
	}
	return bytes;
}

// ---- Data URIs -------------------------------------------------------------------------------------------------
//
// A buffer inside the JSON, as base64, may be all of a file. Jansson would take ten times as long for it as it takes to
// decode, and twice its memory. So such strings are taken out of the text before it is parsed, and "data:#3" stands for
// the one with number 3. A file that has such a string by itself gets another of its own buffers, or an error.

#define MIN_DATA_URI 256

// The plain string that starts at `text`, up to its closing quotation mark, if it is a long data URI.
static bool FindDataUri(const char* text, const char* end, gltfText* uri)
{
	if (end - text < MIN_DATA_URI || memcmp(text, "data:", 5) != 0)
	{
		return false;
	}
	const char* quote = memchr(text, '"', (size_t)(end - text));
	*uri = (gltfText){ text, quote != NULL ? (size_t)(quote - text) : 0 };
	return uri->length >= MIN_DATA_URI && memchr(text, '\\', uri->length) == NULL;
}

static bool AddDataUri(gltfReader* g, gltfText uri)
{
	if ((g->dataUriCount & (g->dataUriCount - 1)) == 0) // room for the next power of two
	{
		gltfText* grown = realloc(g->dataUris, (g->dataUriCount > 0 ? 2 * g->dataUriCount : 1) * sizeof(gltfText));
		if (grown == NULL)
		{
			return false;
		}
		g->dataUris = grown;
	}
	g->dataUris[g->dataUriCount++] = uri;
	return true;
}

// Copy the text without long data URIs. Each is replaced by something shorter, so the copy is not longer.
// Returns null if there is no memory; the copy has `count` characters.
static char* CutDataUris(gltfReader* g, const char* text, size_t* count)
{
	const char* end = text + *count;
	char* copy = malloc(*count + 1);
	size_t used = 0;
	bool string = false;
	for (const char* p = text; copy != NULL && p < end; ++p)
	{
		gltfText uri;
		copy[used++] = *p;
		if (string && *p == '\\' && p + 1 < end)
		{
			copy[used++] = *++p;
			continue;
		}
		string = (*p == '"') != string;
		if (string && *p == '"' && FindDataUri(p + 1, end, &uri))
		{
			used += (size_t)snprintf(copy + used, MIN_DATA_URI, "data:#%zu", g->dataUriCount);
			p += uri.length;
			if (!AddDataUri(g, uri))
			{
				free(copy);
				copy = NULL;
			}
		}
	}
	*count = used;
	return copy;
}

gltfText gltfGetDataUri(const gltfReader* g, const char* string)
{
	if (strncmp(string, "data:#", 6) == 0)
	{
		size_t number = 0;
		for (const char* p = string + 6; *p >= '0' && *p <= '9' && number < g->dataUriCount; ++p)
		{
			number = 10 * number + (size_t)(*p - '0');
		}
		return number < g->dataUriCount ? g->dataUris[number] : (gltfText){ string, strlen(string) };
	}
	return (gltfText){ string, strlen(string) };
}

// ---- Parsing ---------------------------------------------------------------------------------------------------

static bool ParseText(gltfReader* g, const char* text, size_t count)
{
	json_error_t error;
	// The budget stays as it is: this memory is given back before long.
	if (EstimateMemory(text, count) > g->loader->budget)
	{
		return ioFail(g->loader, 0, "too much JSON for a file of %zu bytes", g->loader->count);
	}
	g->json = json_loadb(text, count, JSON_REJECT_DUPLICATES, &error);
	if (g->json == NULL)
	{
		// Jansson's own text may quote the file: keep what a terminal would act upon out of it.
		for (char* p = error.text; *p != '\0'; ++p)
		{
			*p = (unsigned char)*p < ' ' || *p == 0x7f ? '?' : *p;
		}
		return ioFail(g->loader, error.line > 0 ? (unsigned long)error.line : 1, "JSON: %.120s", error.text);
	}
	g->root = (gltfValue){ .json = g->json, .parent = NULL, .key = NULL, .index = 0 };
	return json_is_object(g->json) || ioFail(g->loader, 0, "not a glTF file: the JSON is not an object");
}

bool gltfParse(gltfReader* g, const char* text, size_t count)
{
	char* cut = CutDataUris(g, text, &count);
	bool parsed = cut != NULL ? ParseText(g, cut, count) : ioFailMemory(g->loader);
	free(cut);
	return parsed;
}

// ---- Access ----------------------------------------------------------------------------------------------------

gltfValue gltfMember(const gltfValue* parent, const char* key)
{
	return (gltfValue){ .json = json_object_get(parent->json, key), .parent = parent, .key = key, .index = 0 };
}

gltfValue gltfElement(const gltfValue* parent, size_t index)
{
	return (gltfValue){ .json = json_array_get(parent->json, index), .parent = parent, .key = NULL, .index = index };
}

size_t gltfLength(const gltfValue* array)
{
	return json_array_size(array->json);
}

bool gltfExpectObject(const gltfReader* g, const gltfValue* value)
{
	return json_is_object(value->json) || gltfFail(g, value, value->json == NULL ? "missing" : "an object expected");
}

bool gltfReadArray(const gltfReader* g, const gltfValue* parent, const char* key, gltfValue* array)
{
	*array = gltfMember(parent, key);
	if (json_is_array(array->json) && json_array_size(array->json) == 0)
	{
		gltfWarn(g, array, "an empty array");
	}
	return array->json == NULL || json_is_array(array->json) || gltfFail(g, array, "an array expected");
}

// Whole numbers may be written with a point or an exponent, as JSON makes no difference.
bool gltfToCount(const gltfReader* g, const gltfValue* value, uint64_t least, uint64_t most, uint64_t* number)
{
	double real = json_is_real(value->json) ? json_real_value(value->json) : -1.0;
	*number = 0;
	if (json_is_integer(value->json) && json_integer_value(value->json) >= 0)
	{
		*number = (uint64_t)json_integer_value(value->json);
	}
	else if (real >= 0.0 && real < 0x1p53 && floor(real) == real)
	{
		*number = (uint64_t)real;
	}
	else
	{
		return gltfFail(g, value, value->json == NULL ? "missing" : "a whole number from 0 expected");
	}
	return (*number >= least && *number <= most) ||
	       gltfFail(g, value, "%llu is out of range", (unsigned long long)*number);
}

bool gltfReadCount(const gltfReader* g, const gltfValue* parent, const char* key, uint64_t least, uint64_t most,
    uint64_t absent, uint64_t* number)
{
	gltfValue value = gltfMember(parent, key);
	*number = absent;
	return (value.json == NULL && absent != UINT64_MAX) || gltfToCount(g, &value, least, most, number);
}

bool gltfToIndex(const gltfReader* g, const gltfValue* value, const gltfValue* list, uint32_t* index)
{
	uint64_t number = 0;
	*index = IO_NONE;
	if (!gltfToCount(g, value, 0, UINT64_MAX, &number))
	{
		return false;
	}
	size_t count = gltfLength(list);
	if (number >= count || number >= IO_NONE)
	{
		return gltfFail(
		    g, value, "%llu is out of range: the file has %zu %s", (unsigned long long)number, count, list->key);
	}
	*index = (uint32_t)number;
	return true;
}

bool gltfReadIndex(const gltfReader* g, const gltfValue* parent, const char* key, const gltfValue* list, bool required,
    uint32_t* index)
{
	gltfValue value = gltfMember(parent, key);
	*index = IO_NONE;
	return (value.json == NULL && !required) || gltfToIndex(g, &value, list, index);
}

bool gltfToNumber(const gltfReader* g, const gltfValue* value, double* number)
{
	*number = json_number_value(value->json);
	// Beyond this, a float would be infinite.
	return (json_is_number(value->json) && fabs(*number) <= 3.4e38) ||
	       gltfFail(g, value, json_is_number(value->json) ? "too large" : "a number expected");
}

bool gltfReadNumbers(
    const gltfReader* g, const gltfValue* parent, const char* key, size_t count, double* numbers, bool* present)
{
	gltfValue array = gltfMember(parent, key);
	*present = array.json != NULL;
	if (!*present)
	{
		return true;
	}
	if (json_array_size(array.json) != count)
	{
		return gltfFail(g, &array, "%zu numbers expected", count);
	}
	for (size_t i = 0; i < count; ++i)
	{
		gltfValue element = gltfElement(&array, i);
		if (!gltfToNumber(g, &element, numbers + i))
		{
			return false;
		}
	}
	return true;
}

bool gltfReadString(const gltfReader* g, const gltfValue* parent, const char* key, const char** string)
{
	gltfValue value = gltfMember(parent, key);
	*string = json_string_value(value.json);
	return value.json == NULL || *string != NULL || gltfFail(g, &value, "a string expected");
}

bool gltfReadName(const gltfReader* g, const gltfValue* parent, const char** name)
{
	const char* string;
	if (!gltfReadString(g, parent, "name", &string))
	{
		return false;
	}
	*name = string != NULL ? ioAsset_CopyName(g->loader->asset, string) : "";
	return *name != NULL || ioFailMemory(g->loader);
}
