// program/files/sha256.h: the hash by which files are named that others are to check (FIPS 180-4).
#ifndef CLI_SHA256_H
#define CLI_SHA256_H

#include <stdbool.h>
#include <stddef.h>

/// @param digest receives 64 hexadecimal digits and a zero
void cliSha256(const void* bytes, size_t count, char digest[65]);

/// Of a file. Prints what is wrong.
bool cliSha256File(const char* path, char digest[65]);

#endif
