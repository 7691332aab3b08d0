// src/model/file.c: models in files. Left out, with all of the core's use of stdio, where SNUG_FILES is 0.
#define _POSIX_C_SOURCE 200809L // lstat

#include "model/model.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

// Windows' rename does not replace a file that is there.
static bool Replace(const char* from, const char* to)
{
	return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) != 0;
}

static bool IsSpecial(const char* path)
{
	(void)path;
	return false;
}

#else
#include <sys/stat.h>

static bool Replace(const char* from, const char* to)
{
	return rename(from, to) == 0;
}

// A link, a device or a pipe: to be written to, not replaced.
static bool IsSpecial(const char* path)
{
	struct stat status;
	return lstat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

#endif

static bool WriteBlock(const snugModel* model, const char* path)
{
	FILE* file = fopen(path, "wb");
	if (file == NULL)
	{
		return false;
	}
	bool written = fwrite(model->block, 1, model->bytes, file) == model->bytes;
	return fclose(file) == 0 && written;
}

// The temporary file lies beside the target, so that renaming replaces the target in one step.
snugStatus snugModel_SaveFile(const snugModel* model, const char* path)
{
	SG_REQUIRE(model != NULL && path != NULL, snug_badArgument);
	static const char suffix[] = ".part";
	if (IsSpecial(path))
	{
		return WriteBlock(model, path) ? snug_success : snug_ioError;
	}
	size_t length = strlen(path);
	char* temporary = sgAllocate(&model->allocator, length + sizeof(suffix));
	if (temporary == NULL)
	{
		return snug_outOfMemory;
	}
	memcpy(temporary, path, length);
	memcpy(temporary + length, suffix, sizeof(suffix));
	bool good = WriteBlock(model, temporary) && Replace(temporary, path);
	if (!good)
	{
		remove(temporary);
	}
	sgRelease(&model->allocator, temporary, length + sizeof(suffix));
	return good ? snug_success : snug_ioError;
}

// Size of a seekable file, or -1.
static long FileSize(FILE* file)
{
	if (fseek(file, 0, SEEK_END) != 0)
	{
		return -1;
	}
	long size = ftell(file);
	return fseek(file, 0, SEEK_SET) == 0 ? size : -1;
}

static snugStatus LoadOpenFile(FILE* file, const char* path, const snugLoadDef* def, snugModel** model)
{
	long size = FileSize(file);
	if (size < 0 || size == LONG_MAX)
	{
		return sgFail(&def->messenger, snug_ioError, "%s: not a file that can be read", path);
	}
	snugAllocator allocator = sgAllocator_OrDefault(def->allocator);
	size_t bytes = (size_t)size;
	void* block = sgAllocate(&allocator, bytes);
	if (block == NULL)
	{
		return sgFail(&def->messenger, snug_outOfMemory, "%s: no memory for %zu bytes", path, bytes);
	}
	snugStatus status = fread(block, 1, bytes, file) == bytes
	                        ? snugModel_Load(block, bytes, def, model)
	                        : sgFail(&def->messenger, snug_ioError, "%s: could not be read", path);
	sgRelease(&allocator, block, bytes);
	return status;
}

snugStatus snugModel_LoadFile(const char* path, const snugLoadDef* def, snugModel** model)
{
	SG_REQUIRE(model != NULL, snug_badArgument);
	*model = NULL;
	const snugLoadDef defaults = { 0 };
	def = def != NULL ? def : &defaults;
	SG_REQUIRE(path != NULL && sgAllocator_IsValid(&def->allocator), snug_badArgument);
	SG_REQUIRE_RESERVED(def, snug_badArgument);
	FILE* file = fopen(path, "rb");
	if (file == NULL)
	{
		return sgFail(&def->messenger, snug_ioError, "%s: could not be opened", path);
	}
	snugStatus status = LoadOpenFile(file, path, def, model);
	fclose(file);
	return status;
}
