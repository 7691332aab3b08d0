// io/file.h: files that are written whole or not at all, and what to say when something goes wrong.
#ifndef IO_FILE_H
#define IO_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/// What an error is about.
typedef enum ioErrorKind
{
	io_badContent = 0, ///< what a file holds
	io_noMemory,
	io_noAccess,      ///< it cannot be opened, read or written
	io_unknownFormat, ///< no reader is for it
} ioErrorKind;

/// One readable line that names the file, without a newline. Empty if nothing went wrong.
typedef struct ioError
{
	char text[512];
	ioErrorKind kind;
} ioError;

/// Write "path: what", or "path:line: what" if line is not 0.
/// @return false, so that callers can say `return ioError_Set(…)`
bool ioError_Set(ioError* error, const char* path, unsigned long line, const char* format, ...);
/// "path: out of memory"
bool ioError_SetMemory(ioError* error, const char* path);
/// "path: cannot open: No such file or directory"
/// @param what "cannot open", say
/// @param reason an errno; 0 if the system has not said why
bool ioError_SetAccess(ioError* error, const char* path, const char* what, int reason);

/// The name at the end of a path, which may be empty. Windows has three separators.
const char* ioFindName(const char* path);

/// The path of something, as "snug-import" or "../share/snug", seen from the directory of the running program. Whether
/// it is there is another question.
/// @return false if it is not known where the program is, or the path is too long
bool ioFindBeside(const char* name, char path[4096]);

/// Write what a stream has buffered. Reports errors of all writes before, with the system's word on why.
bool ioFlush(FILE* stream, const char* path, ioError* error);

/// A file under construction. The stream is a temporary file beside the one that is wanted; Commit renames it, so
/// that a reader, a full disk or a crash never meets half a file. A link is followed, and what is not a file (a device,
/// a pipe) is written as it is.
typedef struct ioOutput
{
	FILE* stream; ///< write here; null if not open
	char* path;
	char* temporary; ///< null for what is not a file
} ioOutput;

bool ioOutput_Open(ioOutput* output, const char* path, ioError* error);

/// Finish the file. Reports errors of all writes before.
bool ioOutput_Commit(ioOutput* output, ioError* error);

/// Give up and remove the temporary file. Does nothing after Commit.
void ioOutput_Abandon(ioOutput* output);

#endif
