// FBX files as text: `Name: value, value {`, children, `}`; arrays are `Name: *3 {`, `a: 1,2,3`, `}`; `;` starts a
// comment.
#include "io/fbx.h"

#include <string.h>

typedef struct scanner
{
	fbxTree* tree;
	const char *next, *end;
	unsigned long line;
} scanner;

static bool Fail(const scanner* s, const char* what)
{
	return ioFail(s->tree->loader, s->line, "%s", what);
}

// Go to the next character that is not blank, in this line or, if wanted, beyond it. Returns 0 at the end.
static char Skip(scanner* s, bool lines)
{
	for (; s->next < s->end; ++s->next)
	{
		char c = *s->next;
		if (c == ';')
		{
			const char* newline = memchr(s->next, '\n', (size_t)(s->end - s->next));
			s->next = (newline != NULL ? newline : s->end) - 1;
		}
		else if (c == '\n' && lines)
		{
			s->line++;
		}
		else if (c == '\n' || (c != ' ' && c != '\t' && c != '\r'))
		{
			return c;
		}
	}
	return '\0';
}

static fbxText TakeWord(scanner* s)
{
	const char* start = s->next;
	while (s->next < s->end && strchr(" \t\r\n,{}:;\"", *s->next) == NULL)
	{
		s->next++;
	}
	return (fbxText){ start, (size_t)(s->next - start) };
}

static bool ReadString(scanner* s, fbxValue* value)
{
	const char* start = ++s->next;
	const char* quote = memchr(start, '"', (size_t)(s->end - start));
	if (quote == NULL)
	{
		return Fail(s, "a string without an end");
	}
	for (const char* p = start; p < quote; ++p)
	{
		s->line += *p == '\n';
	}
	s->next = quote + 1;
	*value = (fbxValue){ .type = fbx_string, .text = { start, (size_t)(quote - start) } };
	return true;
}

// After `*3`: `{ a: 1,2,3 }`.
static bool ReadArrayValue(scanner* s, fbxValue* value)
{
	fbxValue count;
	s->next++;
	if (!fbxParseNumber(TakeWord(s), &count) || count.type != fbx_integer || count.integer < 0 || Skip(s, true) != '{')
	{
		return Fail(s, "an array expected");
	}
	s->next++;
	Skip(s, true);
	fbxText name = TakeWord(s);
	bool named = fbxText_Is(name, "a") && Skip(s, true) == ':';
	s->next += named;
	const char* start = s->next;
	const char* close = memchr(start, '}', (size_t)(s->end - start));
	// An element and its comma have two characters.
	if (close == NULL || (!named && count.integer > 0) || count.integer > (close - start) / 2 + 1)
	{
		return Fail(s, "an array that does not have what it says");
	}
	for (const char* p = start; p < close; ++p)
	{
		s->line += *p == '\n';
	}
	s->next = close + 1;
	*value = (fbxValue){
		.type = fbx_array, .elements = 't', .count = (uint32_t)count.integer, .text = { start, (size_t)(close - start) }
	};
	return true;
}

// A word that is not a number, such as Y or T, is a string.
static bool ReadValue(scanner* s, char c, fbxValue* value)
{
	if (c == '"')
	{
		return ReadString(s, value);
	}
	if (c == '*')
	{
		return ReadArrayValue(s, value);
	}
	fbxText word = TakeWord(s);
	if (word.length == 0)
	{
		return Fail(s, "a value expected");
	}
	if (!fbxParseNumber(word, value))
	{
		*value = (fbxValue){ .type = fbx_string, .text = word };
	}
	return true;
}

// Values up to the end of the line or the brace that opens the children. A line may end behind a comma.
static bool ReadValues(scanner* s)
{
	char c = Skip(s, false);
	if (c == ',') // some write one before the first value
	{
		s->next++;
		c = Skip(s, true);
	}
	while (c != '\0' && c != '\n' && c != '{' && c != '}')
	{
		fbxValue value;
		if (!ReadValue(s, c, &value) || !fbxAddValue(s->tree, value))
		{
			return false;
		}
		c = Skip(s, false);
		if (c == ',')
		{
			s->next++;
			c = Skip(s, true);
		}
		else if (c != '\0' && c != '\n' && c != '{' && c != '}')
		{
			return Fail(s, "a comma expected");
		}
	}
	return true;
}

static bool ReadRecord(scanner* s, uint32_t parent, uint32_t* last)
{
	fbxText name = TakeWord(s);
	if (name.length == 0 || Skip(s, false) != ':')
	{
		return Fail(s, "a name and a colon expected: not an FBX file, or a damaged one");
	}
	s->next++;
	return fbxAddRecord(s->tree, parent, last, name) && ReadValues(s);
}

static bool IsTooOld(fbxTree* tree, uint32_t record)
{
	int64_t number = fbxGetValue(tree, record, 0).integer;
	tree->version = number > 0 && number < 100000 ? (uint32_t)number : 0;
	return tree->version < 7000;
}

static bool ReadRecords(scanner* s)
{
	uint32_t parents[FBX_MAX_DEPTH] = { 0 }, lasts[FBX_MAX_DEPTH] = { 0 };
	int depth = 0;
	for (char c = Skip(s, true); c != '\0'; c = Skip(s, true))
	{
		if (c == '}')
		{
			s->next++;
			if (--depth < 0)
			{
				return Fail(s, "a brace too many");
			}
			continue;
		}
		if (!ReadRecord(s, parents[depth], lasts + depth))
		{
			return false;
		}
		if (fbxText_Is(s->tree->records[lasts[depth]].name, "FBXVersion") && IsTooOld(s->tree, lasts[depth]))
		{
			return true; // the caller refuses it; such files are written in another way
		}
		if (Skip(s, false) == '{')
		{
			s->next++;
			if (++depth == FBX_MAX_DEPTH)
			{
				return Fail(s, "nested too deep");
			}
			parents[depth] = lasts[depth - 1];
			lasts[depth] = 0;
		}
	}
	return depth == 0 || Fail(s, "truncated: a brace is missing");
}

bool fbxParseText(fbxTree* tree)
{
	const char* text = (const char*)tree->loader->bytes;
	scanner s = { .tree = tree, .next = text, .end = text + tree->loader->count, .line = 1 };
	return ReadRecords(&s);
}
