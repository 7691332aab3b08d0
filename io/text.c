#include "io/text.h"

#include "io/decimal.h"

#include <string.h>

ioText ioText_Make(const void* bytes, size_t count, char comment)
{
	const char* start = bytes;
	return (ioText){ .next = start, .end = start + count, .line = 1, .comment = comment };
}

static bool IsBlank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

bool ioText_NextInLine(ioText* text, ioWord* word)
{
	const char *p = text->next, *end = text->end;
	while (p < end && IsBlank(*p))
	{
		++p;
	}
	text->next = p;
	if (p == end || *p == '\n' || (text->comment != '\0' && *p == text->comment))
	{
		return false;
	}
	word->text = p;
	while (p < end && !IsBlank(*p) && *p != '\n')
	{
		++p;
	}
	word->length = (size_t)(p - word->text);
	text->next = p;
	return true;
}

bool ioText_Next(ioText* text, ioWord* word)
{
	while (!ioText_NextInLine(text, word))
	{
		if (text->next == text->end)
		{
			return false;
		}
		ioText_SkipLine(text);
	}
	return true;
}

void ioText_SkipLine(ioText* text)
{
	const char* end = memchr(text->next, '\n', (size_t)(text->end - text->next));
	text->next = end != NULL ? end + 1 : text->end;
	text->line += end != NULL;
}

bool ioWord_Is(ioWord word, const char* lower, bool ignoreCase)
{
	if (word.length != strlen(lower))
	{
		return false;
	}
	for (size_t i = 0; i < word.length; ++i)
	{
		char c = word.text[i];
		c = ignoreCase && c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
		if (c != lower[i])
		{
			return false;
		}
	}
	return true;
}

bool ioWord_ParseCount(ioWord word, uint64_t most, uint64_t* value)
{
	*value = 0;
	for (size_t i = 0; i < word.length; ++i)
	{
		char c = word.text[i];
		if (c < '0' || c > '9' || *value > (UINT64_MAX - 9) / 10)
		{
			return false;
		}
		*value = 10 * *value + (uint64_t)(c - '0');
	}
	return word.length > 0 && *value <= most;
}

const char* ioWord_Quote(ioWord word, char quoted[40])
{
	size_t length = word.length < 32 ? word.length : 32, used = 0;
	quoted[used++] = '\'';
	for (size_t i = 0; i < length; ++i)
	{
		quoted[used++] = word.text[i] >= ' ' && word.text[i] <= '~' ? word.text[i] : '?';
	}
	const char* ending = word.length > 32 ? "…'" : "'";
	memcpy(quoted + used, ending, strlen(ending) + 1);
	return quoted;
}

bool ioText_ReadPosition(ioText* text, const ioLoader* loader, bool inLine, float position[3])
{
	for (int k = 0; k < 3; ++k)
	{
		ioWord word;
		char quoted[40];
		if (!(inLine ? ioText_NextInLine(text, &word) : ioText_Next(text, &word)))
		{
			return ioFail(loader, text->line, "a vertex needs three numbers, this one has %d", k);
		}
		if (!ioParseFloat(word.text, word.length, position + k))
		{
			return ioFail(loader, text->line, "%s is not a finite number", ioWord_Quote(word, quoted));
		}
	}
	return true;
}
