// Each connection has a thread of its own, one request, and five seconds to send it: browsers open connections ahead
// of need, and one that says nothing must not keep others waiting.
#define _POSIX_C_SOURCE 200809L

#include "program/commands/serve.h"

#include "program/commands/terminal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define MAX_CONNECTIONS 64
#define REQUEST_SECONDS 5

typedef struct connection
{
	const cliServer* server;
	int socket;
} connection;

static atomic_int connectionCount;
static volatile sig_atomic_t isOver;

static void End(int signal)
{
	(void)signal;
	isOver = 1;
}

// What a page may load and run: what is served here, and what it makes itself. So dropped files cannot leave it.
static const char policy[] = "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; "
                             "style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; "
                             "connect-src 'self' blob: data:; form-action 'none'; frame-ancestors 'none'";

static const char* GetType(const char* url)
{
	static const char* const types[][2] = {
		{ ".html", "text/html; charset=utf-8" },
		{ ".css", "text/css; charset=utf-8" },
		{ ".mjs", "text/javascript; charset=utf-8" },
		{ ".js", "text/javascript; charset=utf-8" },
		{ ".json", "application/json" },
		{ ".wasm", "application/wasm" },
		{ ".svg", "image/svg+xml" },
		{ ".glb", "model/gltf-binary" },
	};
	const char* ending = strrchr(url, '.');
	for (size_t i = 0; ending != NULL && i < sizeof(types) / sizeof(types[0]); ++i)
	{
		if (strcmp(ending, types[i][0]) == 0)
		{
			return types[i][1];
		}
	}
	return "application/octet-stream";
}

static const char* GetReason(int status)
{
	return status == 200   ? "OK"
	       : status == 400 ? "Bad Request"
	       : status == 403 ? "Forbidden"
	       : status == 404 ? "Not Found"
	       : status == 405 ? "Method Not Allowed"
	       : status == 408 ? "Request Timeout"
	       : status == 431 ? "Request Header Fields Too Large"
	                       : "Internal Server Error";
}

static bool Send(int socket, const char* data, size_t size)
{
	while (size > 0)
	{
		ssize_t sent = send(socket, data, size, MSG_NOSIGNAL);
		if (sent <= 0)
		{
			return false;
		}
		data += sent;
		size -= (size_t)sent;
	}
	return true;
}

static bool SendHead(int socket, int status, const char* type, long long bytes)
{
	char head[1024];
	int length = snprintf(head, sizeof(head),
	    "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %lld\r\nConnection: close\r\nCache-Control: no-store\r\n"
	    "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n"
	    // Alone with its own kind a page is let see microseconds.
	    "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp\r\n"
	    "Content-Security-Policy: %s\r\n%s\r\n",
	    status, GetReason(status), type, bytes, policy, status == 405 ? "Allow: GET\r\n" : "");
	return Send(socket, head, (size_t)length);
}

static void SendRefusal(int socket, int status)
{
	const char* reason = GetReason(status);
	char text[64];
	int length = snprintf(text, sizeof(text), "%d %s\n", status, reason);
	if (SendHead(socket, status, "text/plain; charset=utf-8", length))
	{
		(void)Send(socket, text, (size_t)length);
	}
}

// As many bytes as were promised, or the connection breaks off: a file may shrink while it is read.
static void SendContent(int socket, int descriptor, long long bytes)
{
	char buffer[65536];
	while (bytes > 0)
	{
		size_t wanted = bytes < (long long)sizeof(buffer) ? (size_t)bytes : sizeof(buffer);
		ssize_t got = read(descriptor, buffer, wanted);
		if (got <= 0 || !Send(socket, buffer, (size_t)got))
		{
			return;
		}
		bytes -= got;
	}
}

static void SendFile(int socket, const cliServedFile* file)
{
	if (file->path == NULL)
	{
		(void)(SendHead(socket, 200, GetType(file->url), (long long)file->size) &&
		       Send(socket, file->text, file->size));
		return;
	}
	int descriptor = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	if (descriptor < 0 || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
	{
		SendRefusal(socket, 404);
	}
	else if (SendHead(socket, 200, GetType(file->url), (long long)status.st_size))
	{
		SendContent(socket, descriptor, (long long)status.st_size);
	}
	if (descriptor >= 0)
	{
		close(descriptor);
	}
}

// Read the head of a request. Returns 0, or the status to answer with; -1 if nobody is there any more.
static int Receive(int socket, char text[CLI_MAX_REQUEST], size_t* length)
{
	size_t got = 0;
	struct timespec begin, now;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	while (got < CLI_MAX_REQUEST)
	{
		ssize_t more = recv(socket, text + got, CLI_MAX_REQUEST - got, 0);
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (more <= 0 || now.tv_sec - begin.tv_sec > REQUEST_SECONDS)
		{
			return more == 0 || got == 0 ? -1 : 408;
		}
		got += (size_t)more;
		*length = cliRequest_FindEnd(text, got);
		if (*length > 0)
		{
			return 0;
		}
	}
	return 431;
}

static void* Answer(void* context)
{
	connection c = *(connection*)context;
	free(context);
	char text[CLI_MAX_REQUEST];
	size_t length = 0;
	int file = -1;
	int status = Receive(c.socket, text, &length);
	status = status == 0 ? cliRequest_Judge(text, length, c.server->port, c.server->files, &file) : status;
	if (status == 200)
	{
		SendFile(c.socket, c.server->files->items + file);
	}
	else if (status > 0)
	{
		SendRefusal(c.socket, status);
	}
	// Closing while unread bytes wait would reset the connection, and the answer with it.
	shutdown(c.socket, SHUT_WR);
	for (int i = 0; i < 64 && recv(c.socket, text, sizeof(text), 0) > 0; ++i)
	{
	}
	close(c.socket);
	atomic_fetch_sub(&connectionCount, 1);
	return NULL;
}

static bool Begin(const cliServer* server, int socket)
{
	struct timeval patience = { .tv_sec = REQUEST_SECONDS };
	setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	connection* c = malloc(sizeof(*c));
	pthread_t thread;
	if (c == NULL || atomic_fetch_add(&connectionCount, 1) >= MAX_CONNECTIONS)
	{
		atomic_fetch_sub(&connectionCount, c != NULL);
		free(c);
		return false;
	}
	*c = (connection){ .server = server, .socket = socket };
	if (pthread_create(&thread, NULL, Answer, c) != 0)
	{
		atomic_fetch_sub(&connectionCount, 1);
		free(c);
		return false;
	}
	pthread_detach(thread);
	return true;
}

bool cliServer_Open(cliServer* server, const cliServedFiles* files, int port)
{
	*server = (cliServer){ .files = files, .socket = socket(AF_INET, SOCK_STREAM, 0) };
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	socklen_t length = sizeof(address);
	int yes = 1;
	if (server->socket < 0 || setsockopt(server->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
	    bind(server->socket, (struct sockaddr*)&address, length) != 0 || listen(server->socket, 32) != 0 ||
	    getsockname(server->socket, (struct sockaddr*)&address, &length) != 0)
	{
		cliError("cannot listen at 127.0.0.1:%d: %s", port, strerror(errno));
		if (server->socket >= 0)
		{
			close(server->socket);
		}
		return false;
	}
	server->port = ntohs(address.sin_port);
	return true;
}

void cliServer_Run(cliServer* server)
{
	struct sigaction end = { .sa_handler = End };
	sigaction(SIGINT, &end, NULL);
	sigaction(SIGTERM, &end, NULL);
	while (!isOver)
	{
		struct pollfd wait = { .fd = server->socket, .events = POLLIN };
		if (poll(&wait, 1, 500) <= 0)
		{
			continue;
		}
		int socket = accept(server->socket, NULL, NULL);
		if (socket >= 0 && !Begin(server, socket))
		{
			close(socket);
		}
	}
	close(server->socket);
}
