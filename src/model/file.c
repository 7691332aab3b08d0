// src/model/file.c: models in files. Left out, with all of the core's use of files, where SNUG_FILES is 0.
#include "model/block.h"
#include "model/system.h"

#include <string.h>

// ---- Saving ---------------------------------------------------------------------------------------------------------

static bool WriteBlock(const snugModel* model, sgSystemFile file)
{
	bool isWritten = sgSystem_Write(file, model->block, model->bytes);
	return sgSystem_Close(file) && isWritten;
}

/// Temporary names that are tried, and how much of a file's name is kept in them: most systems have names of up to 255
/// bytes.
#define MAX_TRIES 100
#define MAX_NAME 200

// The name of a temporary file beside the target: ".part" is appended, from the second one on with a number before it.
static void NameTemporary(const char* path, size_t length, uint32_t number, char* name)
{
	memcpy(name, path, length);
	if (number > 0)
	{
		name[length++] = '.';
		name[length++] = (char)('0' + number / 10);
		name[length++] = (char)('0' + number % 10);
	}
	memcpy(name + length, ".part", sizeof(".part"));
}

// Open a file of a new name: existing files may belong to others, or be links that lead elsewhere.
static bool OpenTemporary(const char* path, size_t length, char* name, sgSystemFile* file)
{
	bool exists = true;
	for (uint32_t number = 0; number < MAX_TRIES && exists; ++number)
	{
		NameTemporary(path, length, number, name);
		if (sgSystem_OpenToWrite(name, true, file, &exists))
		{
			return true;
		}
	}
	return false;
}

// The temporary file lies beside the target, so that renaming replaces the target in one step.
static bool SaveBeside(const snugModel* model, const char* path, size_t length, char* name)
{
	sgSystemFile file;
	if (!OpenTemporary(path, length, name, &file))
	{
		return false;
	}
	bool isGood = WriteBlock(model, file) && sgSystem_Rename(name, path);
	if (!isGood)
	{
		sgSystem_Remove(name);
	}
	return isGood;
}

snugStatus snugModel_SaveFile(const snugModel* model, const char* path)
{
	SG_REQUIRE(model != NULL && path != NULL, snug_badArgument);
	if (sgSystem_IsSpecial(path))
	{
		sgSystemFile file;
		bool isGood = sgSystem_OpenToWrite(path, false, &file, NULL) && WriteBlock(model, file);
		return isGood ? snug_success : snug_ioError;
	}
	size_t folder = sgSystem_FolderLength(path), length = strlen(path);
	if (length == folder) // no name
	{
		return snug_ioError;
	}
	length = length - folder < MAX_NAME ? length : folder + MAX_NAME;
	size_t bytes = length + sizeof(".00.part");
	char* name = sgAllocate(&model->allocator, bytes);
	if (name == NULL)
	{
		return snug_outOfMemory;
	}
	bool isGood = SaveBeside(model, path, length, name);
	sgRelease(&model->allocator, name, bytes);
	return isGood ? snug_success : snug_ioError;
}

// ---- Loading --------------------------------------------------------------------------------------------------------

// Mapped, if that is asked for and the system can; else read into memory of the model's own.
static snugStatus LoadOpenFile(
    sgSystemFile file, uint64_t size, const char* path, const snugLoadDef* def, snugModel** model)
{
	if (size >= SG_MAX_SIZE)
	{
		return sgFail(&def->messenger, snug_outOfMemory, "%s: too large for this machine", path);
	}
	sgBlockSource source = { .bytes = (size_t)size };
	source.block = def->inPlace && size > 0 ? sgSystem_Map(file, source.bytes) : NULL;
	source.unmap = source.block != NULL ? sgSystem_Unmap : NULL;
	if (source.block != NULL)
	{
		return sgModel_Read(&source, def, model);
	}
	snugAllocator allocator = sgAllocator_OrDefault(def->allocator);
	void* block = sgAllocate(&allocator, source.bytes);
	if (block == NULL)
	{
		return sgFail(&def->messenger, snug_outOfMemory, "%s: no memory for %zu bytes", path, source.bytes);
	}
	if (!sgSystem_Read(file, block, source.bytes))
	{
		sgRelease(&allocator, block, source.bytes);
		return sgFail(&def->messenger, snug_ioError, "%s: could not be read", path);
	}
	source.block = block;
	source.isGiven = true;
	return sgModel_Read(&source, def, model);
}

snugStatus snugModel_LoadFile(const char* path, const snugLoadDef* def, snugModel** model)
{
	SG_REQUIRE(model != NULL, snug_badArgument);
	*model = NULL;
	const snugLoadDef defaults = { 0 };
	def = def != NULL ? def : &defaults;
	SG_REQUIRE(path != NULL && sgAllocator_IsValid(&def->allocator), snug_badArgument);
	SG_REQUIRE_RESERVED(def, snug_badArgument);
	sgSystemFile file;
	uint64_t size;
	if (!sgSystem_OpenToRead(path, &file, &size))
	{
		return sgFail(&def->messenger, snug_ioError, "%s: not a file that can be read", path);
	}
	snugStatus status = LoadOpenFile(file, size, path, def, model);
	sgSystem_Close(file);
	return status;
}
