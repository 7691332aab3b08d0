// program/files/json.h: strings and numbers in JSON.
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdio.h>

/// Print a string with its quotes. Bytes that are not UTF-8, as file names may have, become U+FFFD.
void cliPrintJsonString(FILE* stream, const char* text);

/// Print a finite number with as few digits as read back the same double, and always a point.
void cliPrintJsonNumber(FILE* stream, double number);

#endif
