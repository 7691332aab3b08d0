#include "program/files/json.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Length of the UTF-8 sequence at p, or 0 if there is none. Overlong forms, surrogates and more than U+10FFFF are not.
static int GetSequence(const unsigned char* p)
{
	if (p[0] < 0x80)
	{
		return 1;
	}
	int length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4)
	{
		return 0;
	}
	uint32_t code = p[0] & (0x7fu >> length);
	for (int i = 1; i < length; ++i)
	{
		if ((p[i] & 0xc0) != 0x80)
		{
			return 0;
		}
		code = code << 6 | (p[i] & 0x3fu);
	}
	static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	return code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : length;
}

void cliPrintJsonString(FILE* stream, const char* text)
{
	const unsigned char* p = (const unsigned char*)text;
	fputc('"', stream);
	while (*p != '\0')
	{
		int length = GetSequence(p);
		if (length == 0)
		{
			fputs("\\ufffd", stream);
			++p;
		}
		else if (*p < 0x20 || *p == 0x7f)
		{
			fprintf(stream, "\\u%04x", *p++);
		}
		else
		{
			if (*p == '"' || *p == '\\')
			{
				fputc('\\', stream);
			}
			fwrite(p, 1, (size_t)length, stream);
			p += length;
		}
	}
	fputc('"', stream);
}

void cliPrintJsonNumber(FILE* stream, double number)
{
	char text[40];
	int digits = 1;
	bool moderate = fabs(number) < 1e15 && fabs(number) >= 1e-4;
	do
	{
		snprintf(text, sizeof(text), "%.*g", digits, number);
	} while ((strtod(text, NULL) != number || (moderate && strchr(text, 'e') != NULL)) && ++digits <= 17);
	// 1e+20 is a number too, but 30 is written 30.0, not 3e+01, so that every time looks like one.
	fputs(text, stream);
	if (strpbrk(text, ".e") == NULL)
	{
		fputs(".0", stream);
	}
}
