// program/commands/options.h: options of all commands, parsed in one place.
//
// A command lists its options in a table of 64 at most; parsing stores values where the table points, and help is
// printed from the same table, so the two cannot differ. Options may come anywhere, as `--name value` or
// `--name=value`; after `--` everything is a file or a name. An option that is given twice is an error, unless its kind
// is a list: then it counts once per file, in order.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>

/// What an option that may be repeated was given. Zero-initialise; freed by cliOptions_Free.
typedef struct cliVectors
{
	double (*items)[3];
	int count;
} cliVectors;

typedef struct cliNumbers
{
	double* items;
	int count;
} cliNumbers;

typedef struct cliTexts
{
	const char** items;
	int count;
} cliTexts;

typedef enum cliKind
{
	cli_flag,        ///< bool: given or not
	cli_text,        ///< const char*
	cli_count,       ///< int, at least 1
	cli_countOrNone, ///< int, at least 0
	cli_number,      ///< double, finite
	cli_choice,      ///< int: which of the words in `choices`, separated by |
	cli_vectors,     ///< cliVectors: x,y,z, once or more
	cli_numbers,     ///< cliNumbers: finite, once or more
	cli_texts,       ///< cliTexts: once or more
} cliKind;

typedef struct cliOption
{
	const char* name; ///< with its dashes; null ends the table
	cliKind kind;
	void* target;        ///< what the kind says
	const char* choices; ///< of a choice; else what to call the value in help, null for a flag
	const char* help;
} cliOption;

/// What a command is. Help consists of all of it.
typedef struct cliUsage
{
	const char* command;
	const char* synopsis; ///< what follows the command's name
	const char* summary;  ///< a line for each paragraph and each item of a list, to be wrapped; empty ones between
	const char* examples; ///< lines, each beginning with two spaces
	int minArguments, maxArguments;
	const char* argumentName; ///< "FILE", for messages
} cliUsage;

typedef enum cliParsed
{
	cli_go,    ///< run the command
	cli_help,  ///< help was asked for and printed
	cli_wrong, ///< a message was printed; exit with CLI_BAD_USAGE
} cliParsed;

/// How cliOptions_Parse prints help when it is asked for. The manual consists of the help of all commands.
typedef enum cliHelpStyle
{
	cli_plainHelp,
	cli_manHelp,      ///< troff, with the macros of man pages
	cli_markdownHelp, ///<
} cliHelpStyle;
void cliOptions_SetHelpStyle(cliHelpStyle style);
cliHelpStyle cliOptions_GetHelpStyle(void);

/// Parse in place: afterwards arguments[0] to arguments[*count - 1] are what are not options.
cliParsed cliOptions_Parse(const cliUsage* usage, const cliOption* options, int* count, char** arguments);

/// Free what parsing allocated.
void cliOptions_Free(const cliOption* options);

#endif
