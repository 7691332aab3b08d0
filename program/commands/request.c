#include "program/commands/request.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/// Some bytes of the request.
typedef struct span
{
	const char* text;
	size_t length;
} span;

size_t cliRequest_FindEnd(const char* text, size_t length)
{
	for (size_t i = 0; i + 4 <= length; ++i)
	{
		if (memcmp(text + i, "\r\n\r\n", 4) == 0)
		{
			return i + 4;
		}
	}
	return 0;
}

static bool Is(span s, const char* text)
{
	return s.length == strlen(text) && memcmp(s.text, text, s.length) == 0;
}

static bool IsIgnoringCase(span s, const char* text)
{
	return s.length == strlen(text) && strncasecmp(s.text, text, s.length) == 0;
}

// Take what comes before the first `end`, which is skipped. False if there is none.
static bool TakeUntil(span* rest, const char* end, span* taken)
{
	size_t width = strlen(end);
	for (size_t i = 0; i + width <= rest->length; ++i)
	{
		if (memcmp(rest->text + i, end, width) == 0)
		{
			*taken = (span){ rest->text, i };
			*rest = (span){ rest->text + i + width, rest->length - i - width };
			return true;
		}
	}
	return false;
}

// What a head consists of; a lone line break, a zero or another control character has no place in it.
static bool IsPlain(span s)
{
	for (size_t i = 0; i < s.length; ++i)
	{
		unsigned char c = (unsigned char)s.text[i];
		if ((c < 0x20 && c != '\t') || c >= 0x7f)
		{
			return false;
		}
	}
	return true;
}

static span Trim(span s)
{
	while (s.length > 0 && (s.text[0] == ' ' || s.text[0] == '\t'))
	{
		s = (span){ s.text + 1, s.length - 1 };
	}
	while (s.length > 0 && (s.text[s.length - 1] == ' ' || s.text[s.length - 1] == '\t'))
	{
		--s.length;
	}
	return s;
}

static bool IsOurHost(span host, int port)
{
	char names[2][32];
	snprintf(names[0], sizeof(names[0]), "127.0.0.1:%d", port);
	snprintf(names[1], sizeof(names[1]), "localhost:%d", port);
	return IsIgnoringCase(host, names[0]) || IsIgnoringCase(host, names[1]);
}

// The fields after the first line. False if one is malformed, or Host is not there exactly once.
static bool FindHost(span fields, span* host)
{
	int found = 0;
	span line, name;
	while (TakeUntil(&fields, "\r\n", &line) && line.length > 0)
	{
		if (!IsPlain(line) || !TakeUntil(&line, ":", &name) || name.length == 0 || Trim(name).length != name.length)
		{
			return false;
		}
		if (IsIgnoringCase(name, "host"))
		{
			++found;
			*host = Trim(line);
		}
	}
	return found == 1;
}

static int FindFile(const cliServedFiles* files, span url)
{
	for (int i = 0; i < files->count; ++i)
	{
		if (Is(url, files->items[i].url))
		{
			return i;
		}
	}
	return -1;
}

int cliRequest_Judge(const char* text, size_t length, int port, const cliServedFiles* files, int* file)
{
	span rest = { text, length }, line, method, target, host, url;
	if (!TakeUntil(&rest, "\r\n", &line) || !IsPlain(line) || !TakeUntil(&line, " ", &method) ||
	    !TakeUntil(&line, " ", &target) || !(Is(line, "HTTP/1.1") || Is(line, "HTTP/1.0")) || !FindHost(rest, &host))
	{
		return 400;
	}
	if (!IsOurHost(host, port))
	{
		return 403;
	}
	if (!Is(method, "GET"))
	{
		return 405;
	}
	url = target;
	(void)TakeUntil(&target, "?", &url);
	*file = FindFile(files, Is(url, "/") ? (span){ "/index.html", 11 } : url);
	return *file >= 0 ? 200 : 404;
}
