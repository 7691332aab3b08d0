// program/pictures/html.h: pages that stand alone: one file, nothing fetched, for wide and narrow windows, light and
// dark. They look as web/page/page.css says; web/page/viewer.js shows what they have recorded (recording.h).
#ifndef SHARE_HTML_H
#define SHARE_HTML_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// @param subtitle nullable
void htmlBegin(FILE* stream, const char* title, const char* subtitle);
void htmlEnd(FILE* stream);

/// Print the viewer's program: once, after all recordings.
void htmlPrintViewer(FILE* stream);

/// Print a text with what HTML reserves escaped.
void htmlText(FILE* stream, const char* text);

/// Print bytes in base64, as data URLs want them.
void htmlBase64(FILE* stream, const uint8_t* data, size_t count);

/// "12,345,678"
void htmlNumber(FILE* stream, uint64_t number);

/// A number with what it means. `id` is nullable; `look` is "", "good" or "bad".
void htmlCard(FILE* stream, const char* id, const char* look, const char* value, const char* meaning);

#endif
