// src/model/system.c: see system.h.
#define _POSIX_C_SOURCE 200809L // open, lstat, mmap
#define _FILE_OFFSET_BITS 64

#include "model/system.h"

#include <string.h>

/// Most bytes that are read or written by one call: systems have limits near 2^31.
#define MOST ((size_t)1 << 30)

static size_t LengthTo(const char* path, const char* separators)
{
	size_t length = 0;
	for (size_t i = 0; path[i] != '\0'; ++i)
	{
		length = strchr(separators, path[i]) != NULL ? i + 1 : length;
	}
	return length;
}

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

size_t sgSystem_FolderLength(const char* path)
{
	return LengthTo(path, "/\\:");
}

// Nobody writes to a file that is open here, so one that is mapped cannot change.
bool sgSystem_OpenToRead(const char* path, sgSystemFile* file, uint64_t* bytes)
{
	HANDLE handle = CreateFileA(
	    path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
	LARGE_INTEGER size;
	if (handle == INVALID_HANDLE_VALUE)
	{
		return false;
	}
	if (GetFileType(handle) != FILE_TYPE_DISK || !GetFileSizeEx(handle, &size))
	{
		CloseHandle(handle);
		return false;
	}
	*file = (sgSystemFile)handle;
	*bytes = (uint64_t)size.QuadPart;
	return true;
}

bool sgSystem_OpenToWrite(const char* path, bool isNew, sgSystemFile* file, bool* exists)
{
	DWORD how = isNew ? CREATE_NEW : CREATE_ALWAYS;
	HANDLE handle = CreateFileA(path, GENERIC_WRITE, 0, NULL, how, FILE_ATTRIBUTE_NORMAL, NULL);
	if (exists != NULL)
	{
		*exists = handle == INVALID_HANDLE_VALUE && GetLastError() == ERROR_FILE_EXISTS;
	}
	*file = (sgSystemFile)handle;
	return handle != INVALID_HANDLE_VALUE;
}

bool sgSystem_Read(sgSystemFile file, void* to, size_t bytes)
{
	char* next = to;
	while (bytes > 0)
	{
		DWORD done = 0;
		if (!ReadFile((HANDLE)file, next, (DWORD)(bytes < MOST ? bytes : MOST), &done, NULL) || done == 0)
		{
			return false;
		}
		next += done;
		bytes -= done;
	}
	return true;
}

bool sgSystem_Write(sgSystemFile file, const void* from, size_t bytes)
{
	const char* next = from;
	while (bytes > 0)
	{
		DWORD done = 0;
		if (!WriteFile((HANDLE)file, next, (DWORD)(bytes < MOST ? bytes : MOST), &done, NULL) || done == 0)
		{
			return false;
		}
		next += done;
		bytes -= done;
	}
	return true;
}

bool sgSystem_Close(sgSystemFile file)
{
	return CloseHandle((HANDLE)file) != 0;
}

const void* sgSystem_Map(sgSystemFile file, size_t bytes)
{
	HANDLE mapping = CreateFileMappingA((HANDLE)file, NULL, PAGE_READONLY, 0, 0, NULL);
	if (mapping == NULL)
	{
		return NULL;
	}
	const void* memory = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, bytes);
	CloseHandle(mapping); // the view keeps it
	return memory;
}

void sgSystem_Unmap(const void* memory, size_t bytes)
{
	(void)bytes;
	UnmapViewOfFile(memory);
}

// Windows' rename does not replace a file that is there.
bool sgSystem_Rename(const char* from, const char* to)
{
	return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) != 0;
}

void sgSystem_Remove(const char* path)
{
	DeleteFileA(path);
}

bool sgSystem_IsSpecial(const char* path)
{
	DWORD attributes = GetFileAttributesA(path);
	return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

#else
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

size_t sgSystem_FolderLength(const char* path)
{
	return LengthTo(path, "/");
}

// Without blocking: or we would wait for a pipe that nobody writes to, only to refuse it.
bool sgSystem_OpenToRead(const char* path, sgSystemFile* file, uint64_t* bytes)
{
	struct stat status;
	int opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (opened < 0)
	{
		return false;
	}
	if (fstat(opened, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < 0)
	{
		close(opened);
		return false;
	}
	*file = opened;
	*bytes = (uint64_t)status.st_size;
	return true;
}

bool sgSystem_OpenToWrite(const char* path, bool isNew, sgSystemFile* file, bool* exists)
{
	int opened = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (isNew ? O_EXCL : O_TRUNC), 0666);
	if (exists != NULL)
	{
		*exists = opened < 0 && errno == EEXIST;
	}
	*file = opened;
	return opened >= 0;
}

bool sgSystem_Read(sgSystemFile file, void* to, size_t bytes)
{
	char* next = to;
	while (bytes > 0)
	{
		ssize_t done = read((int)file, next, bytes < MOST ? bytes : MOST);
		if (done == 0 || (done < 0 && errno != EINTR))
		{
			return false;
		}
		next += done > 0 ? done : 0;
		bytes -= done > 0 ? (size_t)done : 0;
	}
	return true;
}

bool sgSystem_Write(sgSystemFile file, const void* from, size_t bytes)
{
	const char* next = from;
	while (bytes > 0)
	{
		ssize_t done = write((int)file, next, bytes < MOST ? bytes : MOST);
		if (done == 0 || (done < 0 && errno != EINTR))
		{
			return false;
		}
		next += done > 0 ? done : 0;
		bytes -= done > 0 ? (size_t)done : 0;
	}
	return true;
}

bool sgSystem_Close(sgSystemFile file)
{
	return close((int)file) == 0;
}

const void* sgSystem_Map(sgSystemFile file, size_t bytes)
{
	void* memory = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, (int)file, 0);
	return memory != MAP_FAILED ? memory : NULL;
}

void sgSystem_Unmap(const void* memory, size_t bytes)
{
	munmap((void*)(uintptr_t)memory, bytes);
}

bool sgSystem_Rename(const char* from, const char* to)
{
	return rename(from, to) == 0;
}

void sgSystem_Remove(const char* path)
{
	unlink(path);
}

bool sgSystem_IsSpecial(const char* path)
{
	struct stat status;
	return lstat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

#endif
