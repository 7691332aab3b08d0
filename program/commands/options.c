#include "program/commands/options.h"

#include "program/commands/guess.h"
#include "program/commands/help.h"
#include "program/commands/terminal.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Values ----------------------------------------------------------------------------------------------------

static bool ParseChoice(const cliOption* option, const char* value)
{
	size_t length = strlen(value);
	const char* word = option->choices;
	for (int i = 0; *word != '\0'; ++i)
	{
		size_t wordLength = strcspn(word, "|");
		if (wordLength == length && memcmp(word, value, length) == 0)
		{
			*(int*)option->target = i;
			return true;
		}
		word += wordLength + (word[wordLength] == '|');
	}
	return false;
}

static bool ParseWhole(const cliOption* option, const char* value, long least)
{
	char* end;
	long number = strtol(value, &end, 10);
	if (end == value || *end != '\0' || number < least || number > INT_MAX)
	{
		return false;
	}
	*(int*)option->target = (int)number;
	return true;
}

// The program never calls setlocale, so strtod reads a point as a point.
static bool ParseNumber(const cliOption* option, const char* value)
{
	char* end;
	double number = strtod(value, &end);
	*(double*)option->target = number;
	return end != value && *end == '\0' && isfinite(number);
}

// One more item of a list; all lists are an array and a count. Zeroed.
static void* Append(void** items, int* count, size_t size)
{
	char* grown = realloc(*items, (size_t)(*count + 1) * size);
	if (grown == NULL)
	{
		return NULL;
	}
	*items = grown;
	return memset(grown + (size_t)(*count)++ * size, 0, size);
}

static bool ParseVector(const cliOption* option, const char* value)
{
	double vector[3];
	for (int k = 0; k < 3; ++k)
	{
		char* end;
		vector[k] = strtod(value, &end);
		if (end == value || !isfinite(vector[k]) || *end != (k < 2 ? ',' : '\0'))
		{
			return false;
		}
		value = end + 1;
	}
	cliVectors* vectors = option->target;
	void* items = vectors->items;
	double* item = Append(&items, &vectors->count, sizeof(vector));
	vectors->items = items;
	return item != NULL && memcpy(item, vector, sizeof(vector)) != NULL;
}

static bool ParseNumbers(const cliOption* option, const char* value)
{
	cliNumbers* numbers = option->target;
	void* items = numbers->items;
	double number, *item;
	if (!ParseNumber(&(cliOption){ .target = &number }, value))
	{
		return false;
	}
	item = Append(&items, &numbers->count, sizeof(double));
	numbers->items = items;
	if (item != NULL)
	{
		*item = number;
	}
	return item != NULL;
}

static bool ParseTexts(const cliOption* option, const char* value)
{
	cliTexts* texts = option->target;
	void* items = texts->items;
	const char** item = Append(&items, &texts->count, sizeof(char*));
	texts->items = items;
	if (item != NULL)
	{
		*item = value;
	}
	return item != NULL && value[0] != '\0';
}

static bool ParseValue(const cliOption* option, const char* value)
{
	switch (option->kind)
	{
		case cli_text:
			*(const char**)option->target = value;
			return value[0] != '\0';
		case cli_count:
			return ParseWhole(option, value, 1);
		case cli_countOrNone:
			return ParseWhole(option, value, 0);
		case cli_number:
			return ParseNumber(option, value);
		case cli_choice:
			return ParseChoice(option, value);
		case cli_vectors:
			return ParseVector(option, value);
		case cli_numbers:
			return ParseNumbers(option, value);
		case cli_texts:
			return ParseTexts(option, value);
		case cli_flag:
			break;
	}
	return false;
}

// ---- Parsing ---------------------------------------------------------------------------------------------------

static const cliOption* FindOption(const cliOption* options, const char* argument)
{
	size_t length = strcspn(argument, "=");
	for (const cliOption* o = options; o->name != NULL; ++o)
	{
		if (strlen(o->name) == length && memcmp(o->name, argument, length) == 0)
		{
			return o;
		}
	}
	return NULL;
}

static bool FailUnknown(const cliUsage* usage, const cliOption* options, const char* argument)
{
	char name[64];
	cliGuess guess = cliGuess_Begin(name);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(argument, "="), argument);
	for (const cliOption* o = options; o->name != NULL; ++o)
	{
		cliGuess_Try(&guess, o->name);
	}
	cliGuess_Try(&guess, "--help");
	char hint[96];
	cliError("unknown option '%s'%s; see snug %s --help", argument, cliGuess_Print(&guess, hint, sizeof(hint)),
	    usage->command);
	return false;
}

static bool IsList(const cliOption* option)
{
	return option->kind == cli_vectors || option->kind == cli_numbers || option->kind == cli_texts;
}

// Handle the option at arguments[*i], moving on if its value is the next argument. Bit k of `given` is set once option
// k was given.
static bool ParseOption(
    const cliUsage* usage, const cliOption* options, int count, char** arguments, int* i, uint64_t* given)
{
	const char* argument = arguments[*i];
	const cliOption* option = FindOption(options, argument);
	const char* value = strchr(argument, '=');
	if (option == NULL)
	{
		return FailUnknown(usage, options, argument);
	}
	uint64_t bit = (uint64_t)1 << (option - options);
	bool repeated = (*given & bit) != 0 && !IsList(option);
	*given |= bit;
	if (repeated)
	{
		cliError("%s is given twice; see snug %s --help", option->name, usage->command);
		return false;
	}
	if (option->kind == cli_flag)
	{
		*(bool*)option->target = true;
		if (value != NULL)
		{
			cliError("%s takes no value; see snug %s --help", option->name, usage->command);
		}
		return value == NULL;
	}
	if (value == NULL && *i + 1 >= count)
	{
		cliError("%s needs a value: %s; see snug %s --help", option->name, option->choices, usage->command);
		return false;
	}
	value = value != NULL ? value + 1 : arguments[++*i];
	if (!ParseValue(option, value))
	{
		cliError(
		    "'%s' is not a value for %s: %s; see snug %s --help", value, option->name, option->choices, usage->command);
		return false;
	}
	return true;
}

static cliParsed CheckCount(const cliUsage* usage, int count)
{
	if (count >= usage->minArguments && count <= usage->maxArguments)
	{
		return cli_go;
	}
	if (count < usage->minArguments)
	{
		cliError("%s needs %s%d %s%s; see snug %s --help", usage->command,
		    usage->maxArguments > usage->minArguments ? "at least " : "", usage->minArguments, usage->argumentName,
		    usage->minArguments > 1 ? "s" : "", usage->command);
	}
	else if (usage->maxArguments == 0)
	{
		cliError("%s takes no %s; see snug %s --help", usage->command, usage->argumentName, usage->command);
	}
	else
	{
		cliError("%s takes at most %d %s%s; see snug %s --help", usage->command, usage->maxArguments,
		    usage->argumentName, usage->maxArguments > 1 ? "s" : "", usage->command);
	}
	return cli_wrong;
}

static cliHelpStyle helpStyle = cli_plainHelp;

void cliOptions_SetHelpStyle(cliHelpStyle style)
{
	helpStyle = style;
}

cliHelpStyle cliOptions_GetHelpStyle(void)
{
	return helpStyle;
}

cliParsed cliOptions_Parse(const cliUsage* usage, const cliOption* options, int* count, char** arguments)
{
	int kept = 0;
	uint64_t given = 0;
	bool onlyNames = false;
	for (int i = 0; i < *count; ++i)
	{
		char* argument = arguments[i];
		if (onlyNames || argument[0] != '-' || argument[1] == '\0')
		{
			arguments[kept++] = argument;
		}
		else if (strcmp(argument, "--") == 0)
		{
			onlyNames = true;
		}
		else if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0)
		{
			cliPrintHelp(usage, options, helpStyle);
			return cli_help;
		}
		else if (!ParseOption(usage, options, *count, arguments, &i, &given))
		{
			return cli_wrong;
		}
	}
	*count = kept;
	return CheckCount(usage, kept);
}

void cliOptions_Free(const cliOption* options)
{
	for (const cliOption* o = options; o->name != NULL; ++o)
	{
		if (o->kind == cli_vectors)
		{
			cliVectors* vectors = o->target;
			free(vectors->items);
			*vectors = (cliVectors){ NULL, 0 };
		}
		else if (o->kind == cli_numbers)
		{
			cliNumbers* numbers = o->target;
			free(numbers->items);
			*numbers = (cliNumbers){ NULL, 0 };
		}
		else if (o->kind == cli_texts)
		{
			cliTexts* texts = o->target;
			free((void*)texts->items);
			*texts = (cliTexts){ NULL, 0 };
		}
	}
}
