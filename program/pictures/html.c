#include "program/pictures/html.h"

static const char style[] =
    "body{font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',sans-serif;color:#1d2433;"
    "background:#f6f7f9;margin:0}\n"
    "main{max-width:1120px;margin:0 auto;padding:40px 28px 64px}\n"
    "h1{font-size:30px;line-height:1.2;margin:0 0 6px;letter-spacing:-.01em}\n"
    "h2{font-size:20px;margin:40px 0 12px}h3{font-size:16px;margin:24px 0 8px}\n"
    "p{max-width:760px;margin:8px 0}.sub{color:#5b6577;font-size:17px;margin-bottom:24px}\n"
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:14px;margin:22px 0}\n"
    ".card{background:#fff;border:1px solid #e2e6ec;border-radius:10px;padding:14px 16px}\n"
    ".card b{display:block;font-size:25px;line-height:1.25;font-weight:650;font-variant-numeric:tabular-nums}\n"
    ".card span{color:#5b6577;font-size:14px}\n"
    ".shots{display:grid;grid-template-columns:repeat(3,1fr);gap:14px}\n"
    "figure{margin:0;background:#fff;border:1px solid #e2e6ec;border-radius:10px;overflow:hidden}\n"
    "figure img,figure svg{display:block;width:100%;height:auto}\n"
    "figcaption{padding:8px 14px 10px;font-size:14px;color:#5b6577}figcaption b{color:#1d2433}\n"
    "figure+figure,.scroll+figure{margin-top:14px}.shots figure,.plots figure{margin-top:0}"
    ".shots+.shots{margin-top:14px}\n"
    ".plots{display:grid;grid-template-columns:1fr 1fr;gap:14px}\n"
    ".scroll{overflow-x:auto;background:#fff;border:1px solid #e2e6ec;border-radius:10px}\n"
    "table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:6px 12px;text-align:right;white-space:nowrap}\n"
    "th{font-weight:600;color:#5b6577;border-bottom:1px solid #e2e6ec;vertical-align:bottom;white-space:normal}\n"
    "td.t,th.t{text-align:left}tbody tr:nth-child(even){background:#f9fafb}\n"
    ".ok{color:#1a7f4b;font-weight:600}.no{color:#c0341d;font-weight:600}.na{color:#8a93a3}\n"
    "code{font:14px ui-monospace,'DejaVu Sans Mono',Menlo,monospace}\n"
    ".key i{display:inline-block;width:11px;height:11px;border-radius:3px;margin:0 6px 0 16px}\n"
    "footer{margin-top:44px;color:#8a93a3;font-size:13px}\n"
    "@media(max-width:820px){.shots,.plots{grid-template-columns:1fr}main{padding:28px 16px 48px}th,td{padding:6px 8px}"
    "td.t{white-space:normal;min-width:96px}}\n";

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
	fprintf(stream, "</title>\n<style>\n%s</style></head>\n<body><main>\n<h1>", style);
	htmlText(stream, title);
	fputs("</h1>\n<p class=\"sub\">", stream);
	htmlText(stream, subtitle);
	fputs("</p>\n", stream);
}

void htmlEnd(FILE* stream)
{
	fputs("</main></body></html>\n", stream);
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
