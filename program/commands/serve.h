// program/commands/serve.h: a list of files over HTTP, to this machine only. See request.h for what is answered.
#ifndef CLI_SERVE_H
#define CLI_SERVE_H

#include "program/commands/request.h"

#include <stdbool.h>

typedef struct cliServer
{
	const cliServedFiles* files;
	int socket;
	int port;
} cliServer;

/// Listen at 127.0.0.1. Prints what is wrong.
/// @param port 0: any that is free
bool cliServer_Open(cliServer* server, const cliServedFiles* files, int port);

/// Answer until SIGINT or SIGTERM comes.
void cliServer_Run(cliServer* server);

#endif
