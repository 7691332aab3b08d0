// src/model/system.h: what models need of the operating system's files. Left out where SNUG_FILES is 0.
//
// Sizes are 64-bit, and so are files, also where long is not. Names are in the encoding of the C library's fopen.
#ifndef SG_SYSTEM_H
#define SG_SYSTEM_H

#include "base/base.h"

/// An open file: a descriptor, or on Windows a handle.
typedef intptr_t sgSystemFile;

/// Open a regular file to read it.
/// @param bytes receives its size
/// @return false if it is not there, is of another kind, or may not be read
bool sgSystem_OpenToRead(const char* path, sgSystemFile* file, uint64_t* bytes);

/// Open a file to write it from its start: what is there already, or, if `isNew`, only one that is not there yet, not
/// even as a link.
/// @param exists nullable; receives whether it failed because there is one
bool sgSystem_OpenToWrite(const char* path, bool isNew, sgSystemFile* file, bool* exists);

/// All of the bytes, or false.
bool sgSystem_Read(sgSystemFile file, void* to, size_t bytes);
bool sgSystem_Write(sgSystemFile file, const void* from, size_t bytes);

/// @return false if what was written may be lost
bool sgSystem_Close(sgSystemFile file);

/// The first bytes of a file as memory that can be read; stays when the file is closed.
/// @return null if the system cannot
const void* sgSystem_Map(sgSystemFile file, size_t bytes);
void sgSystem_Unmap(const void* memory, size_t bytes);

/// Give a file the name of another, which it replaces in one step; remove a file.
bool sgSystem_Rename(const char* from, const char* to);
void sgSystem_Remove(const char* path);

/// A link, a device or a pipe: to be written to, not replaced.
bool sgSystem_IsSpecial(const char* path);

/// Where the name within its folder begins.
size_t sgSystem_FolderLength(const char* path);

#endif
