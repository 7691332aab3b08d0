// program/commands/request.h: which file a request over HTTP asks for, if it may. For `snug view`, which trusts nobody.
//
// A request names one of the files of a list, by the very text that the list has: nothing is decoded, joined or looked
// up in a directory, so no request can leave the list. Whoever resolved another name to 127.0.0.1 (as a page on the web
// can: DNS rebinding) is sent away by the name in Host.
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H

#include <stddef.h>

/// Longest head of a request, in bytes.
#define CLI_MAX_REQUEST 8192

/// A file that is served.
typedef struct cliServedFile
{
	char* url;  ///< beginning with a slash
	char* path; ///< null: `text` is sent
	char* text;
	size_t size; ///< of the text
} cliServedFile;

typedef struct cliServedFiles
{
	cliServedFile* items;
	int count;
} cliServedFiles;

/// @return the length of the head with the empty line that ends it, or zero if that has not come yet
size_t cliRequest_FindEnd(const char* text, size_t length);

/// Judge the head of a request.
/// @param length as cliRequest_FindEnd says
/// @param port that the server listens at
/// @param file receives the number of the file if the answer is 200
/// @return the status code of HTTP to answer with: 200, 400 malformed, 403 another host, 404, 405 other than GET
int cliRequest_Judge(const char* text, size_t length, int port, const cliServedFiles* files, int* file);

#endif
