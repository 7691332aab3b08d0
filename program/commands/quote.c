#include "program/commands/quote.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool IsPlain(const char* text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./,:@%";
	return text[0] != '\0' && text[strspn(text, plain)] == '\0';
}

// In single quotes all but these stand for themselves; one of those is put between two quoted parts, escaped.
static char* Quote(char* out, const char* text)
{
	*out++ = '\'';
	for (; *text != '\0'; ++text)
	{
		if (*text == '\'')
		{
			memcpy(out, "'\\''", 4);
			out += 4;
		}
		else
		{
			*out++ = *text;
		}
	}
	*out++ = '\'';
	return out;
}

char* cliQuoteCommand(const char* start, int count, char** arguments)
{
	size_t size = strlen(start) + 1;
	for (int i = 0; i < count; ++i)
	{
		size += 4 * strlen(arguments[i]) + 3;
	}
	char* command = malloc(size);
	if (command == NULL)
	{
		return NULL;
	}
	char* out = command + strlen(start);
	memcpy(command, start, strlen(start));
	for (int i = 0; i < count; ++i)
	{
		*out++ = ' ';
		if (IsPlain(arguments[i]))
		{
			memcpy(out, arguments[i], strlen(arguments[i]));
			out += strlen(arguments[i]);
		}
		else
		{
			out = Quote(out, arguments[i]);
		}
	}
	*out = '\0';
	return command;
}
