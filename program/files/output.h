// program/files/output.h: files that a command writes. Interrupted or failed, it leaves none half-written.
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "io/file.h"
#include "snug/snug.h"

/// Whether a command may write to `path`: it has the ending of what is written, unless it is no file, and is not the
/// input. Prints what is wrong.
/// @param endings one or several, as ".obj .ply"; null: any
bool cliOutput_Check(const char* path, const char* endings, const char* input);

/// Whether there is a directory to write `path` in: to be asked before work that takes long. Prints what is wrong.
/// @param path nullable: nothing is written
bool cliOutput_HasPlace(const char* path);

/// Open a temporary file beside the one that is wanted. SIGINT, SIGTERM and SIGHUP remove it before they end the
/// program. Prints what is wrong. One output at a time.
bool cliOutput_Open(ioOutput* output, const char* path);

/// Give the file its name. Prints what is wrong.
bool cliOutput_Commit(ioOutput* output);

/// Leave nothing behind.
void cliOutput_Abandon(ioOutput* output);

/// Write a model: what snugModel_SaveFile does, but removed if interrupted, and with the system's word on what went
/// wrong. Prints it.
bool cliOutput_WriteModel(const char* path, const snugModel* model);

/// Write what is buffered for standard output, at the end of a program. Output that cannot be written, to a full disk
/// or a closed pipe, must not look like success.
/// @return the exit code: `code`, or CLI_BAD_INPUT with a message
int cliFlush(int code);

#endif
