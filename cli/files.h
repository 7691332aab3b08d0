// cli/files.h: bodies from files.
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include "io/obj.h"
#include "snug/snug.h"

/// A body and what it is made from. Zero-initialise.
typedef struct cliBody
{
	const char* path; ///< borrowed
	char name[64];    ///< of the mesh
	ioMesh mesh;
	snugModel* model;
	snugBody* body;
	bool told; ///< an error was printed already
} cliBody;

/// Read a file and make a body of it. Prints what is wrong. The body is freed by cliBody_Free in any case.
bool cliBody_Load(cliBody* body, const char* path);
void cliBody_Free(cliBody* body);

/// Print what a status means, unless the library has told in a sentence of its own.
/// @return true if it means success
bool cliBody_Check(cliBody* body, snugStatus status);

#endif
