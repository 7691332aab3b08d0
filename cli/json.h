// cli/json.h: strings in JSON.
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdio.h>

/// Print a string with its quotes. Bytes that are not UTF-8, as file names may have, become U+FFFD.
void cliPrintJsonString(FILE* stream, const char* text);

#endif
