// program/commands/terminal.h: what the program says to people.
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>

/// Print "snug: …" and a newline on stderr.
void cliError(const char* format, ...);

/// Receives messages that are not printed, without "snug: ".
typedef void cliHearFcn(void* user, const char* text);

/// Send what cliError is told elsewhere; null: to stderr again.
void cliDivertErrors(cliHearFcn* hear, void* user);

/// @return true if stderr is a terminal, so that progress is of use
bool cliShowsProgress(void);

/// Say what is being done from now on; empty for nothing, before anything is printed to the terminal. Shown only on a
/// terminal, and only once a second has passed since the first call, so that short work is silent.
void cliProgress(const char* format, ...);

/// Make a directory if there is none.
bool cliMakeDirectory(const char* path);

#endif
