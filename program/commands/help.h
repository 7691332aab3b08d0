// program/commands/help.h: help, man page, docs/program.md and docs/lab.md, all from the option tables.
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "program/commands/options.h"

/// The help of one command.
void cliPrintHelp(const cliUsage* usage, const cliOption* options, cliHelpStyle style);

/// A command, for lists of them.
typedef struct cliTopic
{
	const char* name;
	const char* help; ///< one line
	bool isOfLab;     ///< its page is docs/lab.md
} cliTopic;

/// What comes before and after the help of all commands.
void cliPrintManualHead(const cliTopic* topics, int count, cliHelpStyle style);
void cliPrintLabHead(void);
void cliPrintManualTail(cliHelpStyle style);

#endif
