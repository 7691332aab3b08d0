#include "program/pictures/html.h"

// web/page/page.css and viewer.js, made into strings by packaging/cmake/Embed.cmake.
extern const unsigned char htmlStyle[], htmlScript[];

void htmlText(FILE* stream, const char* text)
{
	for (; *text != '\0'; ++text)
	{
		switch (*text)
		{
			case '<':
				fputs("&lt;", stream);
				break;
			case '>':
				fputs("&gt;", stream);
				break;
			case '&':
				fputs("&amp;", stream);
				break;
			case '"':
				fputs("&quot;", stream);
				break;
			default:
				fputc(*text, stream);
		}
	}
}

void htmlBegin(FILE* stream, const char* title, const char* subtitle)
{
	fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
	    stream);
	htmlText(stream, title);
	fprintf(stream, "</title>\n<style>\n%s</style></head>\n<body><main>\n<h1>", (const char*)htmlStyle);
	htmlText(stream, title);
	fputs("</h1>\n", stream);
	if (subtitle != NULL)
	{
		fputs("<p class=\"sub\">", stream);
		htmlText(stream, subtitle);
		fputs("</p>\n", stream);
	}
}

void htmlEnd(FILE* stream)
{
	fputs("</main></body></html>\n", stream);
}

void htmlPrintViewer(FILE* stream)
{
	fprintf(stream, "<script>\n%s</script>\n", (const char*)htmlScript);
}

void htmlNumber(FILE* stream, uint64_t number)
{
	char digits[32];
	int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);
	for (int i = 0; i < length; ++i)
	{
		fprintf(stream, "%s%c", i > 0 && (length - i) % 3 == 0 ? "," : "", digits[i]);
	}
}

void htmlCard(FILE* stream, const char* id, const char* look, const char* value, const char* meaning)
{
	fprintf(stream, "<div class=\"card\"><b class=\"%s\"", look);
	if (id != NULL)
	{
		fprintf(stream, " id=\"%s\"", id);
	}
	fprintf(stream, ">%s</b><span>%s</span></div>\n", value, meaning);
}

void htmlBase64(FILE* stream, const uint8_t* data, size_t count)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < count; i += 3)
	{
		size_t left = count - i;
		uint32_t word = (uint32_t)data[i] << 16;
		word |= left > 1 ? (uint32_t)data[i + 1] << 8 : 0;
		word |= left > 2 ? (uint32_t)data[i + 2] : 0;
		fputc(alphabet[word >> 18], stream);
		fputc(alphabet[(word >> 12) & 63], stream);
		fputc(left > 1 ? alphabet[(word >> 6) & 63] : '=', stream);
		fputc(left > 2 ? alphabet[word & 63] : '=', stream);
	}
}
