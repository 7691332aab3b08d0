// program/pictures/html.h: pages that stand alone: no scripts, no fonts, nothing fetched.
#ifndef SHARE_HTML_H
#define SHARE_HTML_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void htmlBegin(FILE* stream, const char* title, const char* subtitle);
void htmlEnd(FILE* stream);

/// Print a text with what HTML reserves escaped.
void htmlText(FILE* stream, const char* text);

/// Print bytes in base64, as data URLs want them.
void htmlBase64(FILE* stream, const uint8_t* data, size_t count);

#endif
