#define _XOPEN_SOURCE 700 // readlink, realpath, stat

#include "io/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#define SEPARATORS "/\\:"

// Where a path leads, whether there is something or not.
static char* FindReal(const char* path)
{
	return _fullpath(NULL, path, 0);
}

static bool FindProgram(char path[4096])
{
	const DWORD length = GetModuleFileNameA(NULL, path, 4096);
	return length > 0 && length < 4096;
}

// Windows' rename does not replace a file that is there.
static bool Replace(const char* from, const char* to)
{
	return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) != 0;
}
#else
#define SEPARATORS "/"

static char* FindReal(const char* path)
{
	return realpath(path, NULL);
}

static bool FindProgram(char path[4096])
{
	const ssize_t length = readlink("/proc/self/exe", path, 4095);
	path[length > 0 ? length : 0] = '\0';
	return length > 0;
}

static bool Replace(const char* from, const char* to)
{
	return rename(from, to) == 0;
}
#endif

bool ioError_Set(ioError* error, const char* path, unsigned long line, const char* format, ...)
{
	size_t size = sizeof(error->text);
	error->kind = io_badContent;
	// Long paths are cut at the front: their end says more.
	size_t length = strlen(path);
	const char* shown = length > 300 ? path + length - 300 : path;
	int used =
	    line > 0 ? snprintf(error->text, size, "%s:%lu: ", shown, line) : snprintf(error->text, size, "%s: ", shown);
	va_list arguments;
	va_start(arguments, format);
	if (used > 0 && (size_t)used < size)
	{
		vsnprintf(error->text + used, size - (size_t)used, format, arguments);
	}
	va_end(arguments);
	return false;
}

bool ioError_SetMemory(ioError* error, const char* path)
{
	ioError_Set(error, path, 0, "out of memory");
	error->kind = io_noMemory;
	return false;
}

bool ioError_SetAccess(ioError* error, const char* path, const char* what, int reason)
{
	ioError_Set(error, path, 0, "%s: %s", what, reason != 0 ? strerror(reason) : "the system does not say why");
	error->kind = io_noAccess;
	return false;
}

const char* ioFindName(const char* path)
{
	const char* name = path;
	for (const char* p = path; *p != '\0'; ++p)
	{
		name = strchr(SEPARATORS, *p) != NULL ? p + 1 : name;
	}
	return name;
}

static char* Join(const char* first, const char* second)
{
	size_t a = strlen(first), b = strlen(second);
	char* joined = malloc(a + b + 1);
	if (joined != NULL)
	{
		memcpy(joined, first, a);
		memcpy(joined + a, second, b + 1);
	}
	return joined;
}

// Where a path leads, if there is something yet.
static char* Resolve(const char* path)
{
	char* resolved = FindReal(path);
	return resolved != NULL ? resolved : Join(path, "");
}

bool ioOutput_Open(ioOutput* output, const char* path, ioError* error)
{
	struct stat status;
	bool isSpecial = stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
	*output = (ioOutput){ .path = isSpecial ? Join(path, "") : Resolve(path) };
	output->temporary = isSpecial || output->path == NULL ? NULL : Join(output->path, ".part");
	if (output->path == NULL || (output->temporary == NULL && !isSpecial))
	{
		ioOutput_Abandon(output);
		return ioError_SetMemory(error, path);
	}
	output->stream = fopen(isSpecial ? output->path : output->temporary, "wb");
	if (output->stream == NULL)
	{
		int reason = errno;
		ioOutput_Abandon(output);
		return ioError_SetAccess(error, path, "cannot write", reason);
	}
	return true;
}

// A stream remembers that a write failed, not why. Asked to write once more it fails for the same reason.
bool ioFindBeside(const char* name, char path[4096])
{
	char* end = FindProgram(path) ? path + (ioFindName(path) - path) : path;
	if (end == path || strlen(name) >= (size_t)(path + 4096 - end))
	{
		return false;
	}
	strcpy(end, name);
	return true;
}

bool ioFlush(FILE* stream, const char* path, ioError* error)
{
	bool failedBefore = ferror(stream) != 0;
	errno = 0;
	if (fflush(stream) == 0 && !failedBefore)
	{
		return true;
	}
	if (errno == 0)
	{
		clearerr(stream);
		fputc('\n', stream);
		fflush(stream);
	}
	return ioError_SetAccess(error, path, "cannot write", errno);
}

bool ioOutput_Commit(ioOutput* output, ioError* error)
{
	bool written = ioFlush(output->stream, output->path, error);
	if (fclose(output->stream) != 0 && written)
	{
		written = ioError_SetAccess(error, output->path, "cannot write", errno);
	}
	output->stream = NULL;
	if (written && output->temporary != NULL && !Replace(output->temporary, output->path))
	{
		written = ioError_SetAccess(error, output->path, "cannot write", errno);
	}
	if (written)
	{
		ioOutput_Abandon(output);
		return true;
	}
	if (output->temporary != NULL)
	{
		remove(output->temporary);
	}
	ioOutput_Abandon(output);
	return false;
}

void ioOutput_Abandon(ioOutput* output)
{
	if (output->stream != NULL)
	{
		fclose(output->stream);
	}
	if (output->stream != NULL && output->temporary != NULL)
	{
		remove(output->temporary);
	}
	free(output->path);
	free(output->temporary);
	*output = (ioOutput){ NULL, NULL, NULL };
}
