// Which reader a file is for, and getting its bytes.
//
// Content decides where it is unmistakable; the ending of the name decides the rest, since OBJ has no signature and
// that of a binary STL file is any 80 bytes.
#include "io/load.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- Bytes -----------------------------------------------------------------------------------------------------

#define MAX_STREAM ((size_t)256 << 20) // bytes of pipes and devices, which have no size

// Size of a file, or 0 if it has none to tell.
static size_t Measure(FILE* file)
{
	long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
	clearerr(file);
	bool rewound = size <= 0 || fseek(file, 0, SEEK_SET) == 0;
	return size > 0 && size < LONG_MAX && rewound ? (size_t)size : 0;
}

// Read until there is no more. The buffer grows, since a size that was told need not be true.
static uint8_t* ReadStream(FILE* file, size_t expected, size_t limit, size_t* count)
{
	size_t capacity = (expected > 0 ? (expected < limit ? expected : limit) : 65536) + 1, used = 0;
	uint8_t* bytes = malloc(capacity);
	while (bytes != NULL)
	{
		used += fread(bytes + used, 1, capacity - used, file);
		if (used < capacity || used > limit)
		{
			break;
		}
		capacity += capacity / 2;
		uint8_t* grown = realloc(bytes, capacity);
		if (grown == NULL)
		{
			free(bytes);
		}
		bytes = grown;
	}
	*count = used;
	return bytes;
}

uint8_t* ioReadFile(const char* path, const char* shownPath, size_t limit, size_t* count, ioError* error)
{
	*count = 0;
	FILE* file = fopen(path, "rb");
	if (file == NULL)
	{
		ioError_SetAccess(error, shownPath, "cannot open", errno);
		return NULL;
	}
	size_t size = Measure(file);
	bool stream = size == 0 || size > (size_t)1 << 62; // a directory may tell the largest size there is
	size_t most = stream && limit > MAX_STREAM ? MAX_STREAM : limit;
	errno = 0;
	uint8_t* bytes = ReadStream(file, stream ? 0 : size, most, count);
	int reason = errno;
	bool failed = ferror(file) != 0;
	fclose(file);
	if (bytes == NULL)
	{
		ioError_SetMemory(error, shownPath);
	}
	else if (failed)
	{
		ioError_SetAccess(error, shownPath, "cannot read", reason);
	}
	else if (*count == 0)
	{
		ioError_Set(error, shownPath, 0, "the file is empty");
	}
	else if (*count > most && limit == SIZE_MAX)
	{
		ioError_Set(error, shownPath, 0, "more than %zu bytes from what is not a regular file", most);
	}
	else
	{
		*count = *count < most ? *count : most;
		bytes[*count] = 0; // there is more room than was read
		return bytes;
	}
	free(bytes);
	return NULL;
}

// ---- Formats ---------------------------------------------------------------------------------------------------

static bool StartsWith(const ioLoader* loader, const char* text)
{
	size_t length = strlen(text);
	return loader->count >= length && memcmp(loader->bytes, text, length) == 0;
}

static bool EndsWith(const char* path, const char* ending)
{
	size_t length = strlen(path), endingLength = strlen(ending);
	if (length < endingLength)
	{
		return false;
	}
	for (size_t i = 0; i < endingLength; ++i)
	{
		char c = path[length - endingLength + i];
		c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
		if (c != ending[i])
		{
			return false;
		}
	}
	return true;
}

static ioFormat FormatOfContent(const ioLoader* loader)
{
	static const struct
	{
		const char* start;
		ioFormat format;
	} starts[] = { { "glTF", io_gltf }, { "ply\n", io_ply }, { "ply\r", io_ply }, { "OFF", io_off }, { "COFF", io_off },
		{ "NOFF", io_off }, { "CNOFF", io_off }, { "STOFF", io_off }, { "Kaydara FBX Binary", io_fbx },
		{ "; FBX", io_fbx } };
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); ++i)
	{
		if (StartsWith(loader, starts[i].start))
		{
			return starts[i].format;
		}
	}
	size_t i = 0;
	while (i < loader->count && (loader->bytes[i] == ' ' || loader->bytes[i] == '\t' || loader->bytes[i] == '\n' ||
	                                loader->bytes[i] == '\r'))
	{
		++i;
	}
	return i < loader->count && loader->bytes[i] == '{' ? io_gltf : io_anyFormat;
}

static ioFormat FormatOfName(const char* path)
{
	static const struct
	{
		const char* ending;
		ioFormat format;
	} endings[] = { { ".gltf", io_gltf }, { ".glb", io_gltf }, { ".vrm", io_gltf }, { ".obj", io_obj },
		{ ".ply", io_ply }, { ".stl", io_stl }, { ".off", io_off }, { ".fbx", io_fbx } };
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); ++i)
	{
		if (EndsWith(path, endings[i].ending))
		{
			return endings[i].format;
		}
	}
	return io_anyFormat;
}

static bool ReadObj(ioLoader* loader)
{
	ioMesh mesh;
	return ioReadObj(loader->path, &mesh, loader->error) && ioSetMesh(loader, &mesh);
}

// What is not read, with a way where there is one.
static bool FailUnknown(ioLoader* loader)
{
	if (EndsWith(loader->path, ".dae"))
	{
		ioFail(loader, 0, "COLLADA files are not read: nothing checks their poses; export glTF or FBX");
	}
	else if (EndsWith(loader->path, ".usd") || EndsWith(loader->path, ".usda") || EndsWith(loader->path, ".usdc") ||
	         EndsWith(loader->path, ".usdz"))
	{
		ioFail(loader, 0, "USD is checked by python3 -m snugmesh.usd '%s', after pip install 'snugmesh[usd]'",
		    loader->path);
	}
	else if (EndsWith(loader->path, ".abc"))
	{
		ioFail(loader, 0, "Alembic files are not read: let Blender make USD of it, and see docs/usd.md");
	}
	else
	{
		ioFail(loader, 0, "unknown kind of file; known are .gltf, .glb, .fbx, .obj, .ply, .stl and .off");
		loader->error->kind = io_unknownFormat;
	}
	return false;
}

static bool ReadFormat(ioLoader* loader, ioFormat format)
{
	static const char* const names[] = { "", "glTF", "OBJ", "PLY", "STL", "OFF", "FBX" };
	loader->asset->format = names[format];
	switch (format)
	{
		case io_gltf:
			return ioReadGltf(loader);
		case io_obj:
			return ReadObj(loader);
		case io_ply:
			return ioReadPly(loader);
		case io_stl:
			return ioReadStl(loader);
		case io_off:
			return ioReadOff(loader);
		case io_fbx:
			return ioReadFbx(loader);
		default:
			return FailUnknown(loader);
	}
}

static bool Finish(ioLoader* loader, ioFormat format)
{
	bool read = ReadFormat(loader, format);
	if (!read)
	{
		ioAsset_Free(loader->asset);
	}
	return read;
}

static ioLoader MakeLoader(const char* path, const ioLoadOptions* options, ioAsset* asset, ioError* error)
{
	static const ioLoadOptions defaults = { .format = io_anyFormat };
	memset(asset, 0, sizeof(*asset));
	*error = (ioError){ .text = "" };
	return (ioLoader){ .path = path, .options = options != NULL ? options : &defaults, .asset = asset, .error = error };
}

static void SetBytes(ioLoader* loader, const uint8_t* bytes, size_t count)
{
	loader->bytes = bytes;
	loader->count = count;
	uint64_t most = loader->options->maxBytes;
	loader->budget = most > 0 ? most : ((uint64_t)64 << 20) + 64 * (uint64_t)count;
}

// Who reads the file itself says what is wrong with it.
static bool ReadsFile(ioFormat format)
{
	return format == io_obj;
}

bool ioLoad(const char* path, const ioLoadOptions* options, ioAsset* asset, ioError* error)
{
	ioLoader loader = MakeLoader(path, options, asset, error);
	ioFormat byName = FormatOfName(path), format = loader.options->format;
	if (format == io_anyFormat && ReadsFile(byName))
	{
		format = byName;
	}
	if (ReadsFile(format))
	{
		return Finish(&loader, format);
	}
	size_t count;
	uint8_t* bytes = ioReadFile(path, path, SIZE_MAX, &count, error);
	if (bytes == NULL)
	{
		return false;
	}
	SetBytes(&loader, bytes, count);
	format = format != io_anyFormat ? format : FormatOfContent(&loader);
	format = format != io_anyFormat ? format : byName;
	size_t length = (size_t)(ioFindName(path) - path);
	char* directory = malloc(length + 1);
	bool read = false;
	if (directory != NULL)
	{
		memcpy(directory, path, length);
		directory[length] = '\0';
		loader.directory = directory;
		read = Finish(&loader, format);
	}
	else
	{
		ioFailMemory(&loader);
	}
	free(directory);
	free(bytes);
	return read;
}

bool ioLoadMemory(
    const void* bytes, size_t count, const char* name, const ioLoadOptions* options, ioAsset* asset, ioError* error)
{
	ioLoader loader = MakeLoader(name, options, asset, error);
	SetBytes(&loader, bytes, count);
	loader.directory = loader.options->directory;
	if (count == 0)
	{
		return ioFail(&loader, 0, "the file is empty");
	}
	ioFormat format = loader.options->format;
	format = format != io_anyFormat ? format : FormatOfContent(&loader);
	format = format != io_anyFormat ? format : FormatOfName(name);
	if (ReadsFile(format))
	{
		return ioFail(&loader, 0, "OBJ is read from files, not from memory");
	}
	return Finish(&loader, format);
}
