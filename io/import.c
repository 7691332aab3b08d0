// Starting the helper and talking to it through a socket, which, unlike a pipe, can be written to without a signal if
// nobody reads any more.
#define _GNU_SOURCE // SOCK_CLOEXEC, environ

#include "io/import.h"
#include "io/file.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// The helper beside the running program, or where it is installed.
static bool FindHelper(char path[4096])
{
	if (ioFindBeside(IMPORT_PROGRAM, path) && access(path, X_OK) == 0)
	{
		return true;
	}
	snprintf(path, 4096, "%s", SNUG_LIBEXEC_DIR "/" IMPORT_PROGRAM);
	return access(path, X_OK) == 0;
}

static bool Spawn(int end, pid_t* pid)
{
	char path[4096];
	posix_spawn_file_actions_t actions;
	if (!FindHelper(path) || posix_spawn_file_actions_init(&actions) != 0)
	{
		return false;
	}
	char* const arguments[] = { path, NULL };
	bool started = posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO) == 0 &&
	               posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO) == 0 &&
	               posix_spawn(pid, path, &actions, NULL, arguments, environ) == 0;
	posix_spawn_file_actions_destroy(&actions);
	return started;
}

static bool SendAll(int socket, const uint8_t* bytes, size_t count)
{
	while (count > 0)
	{
		ssize_t sent = send(socket, bytes, count < (1u << 20) ? count : 1u << 20, MSG_NOSIGNAL);
		if (sent < 0 && errno != EINTR)
		{
			return false;
		}
		bytes += sent > 0 ? sent : 0;
		count -= sent > 0 ? (size_t)sent : 0;
	}
	return shutdown(socket, SHUT_WR) == 0;
}

// Read until the end, or until there are `most` bytes. Returns how many there are at `bytes`, which is to be freed.
static size_t ReceiveAll(int socket, uint8_t** bytes, size_t most)
{
	size_t count = 0, capacity = 0;
	*bytes = NULL;
	while (count < most)
	{
		if (count == capacity)
		{
			capacity = most - capacity > capacity + 65536 ? 2 * capacity + 65536 : most;
			uint8_t* grown = realloc(*bytes, capacity);
			if (grown == NULL)
			{
				break;
			}
			*bytes = grown;
		}
		ssize_t received = recv(socket, *bytes + count, capacity - count, 0);
		if (received == 0 || (received < 0 && errno != EINTR))
		{
			break;
		}
		count += received > 0 ? (size_t)received : 0;
	}
	return count;
}

static void Explain(int status, const uint8_t* answer, size_t count, char reason[160])
{
	if (WIFSIGNALED(status))
	{
		int signal = WTERMSIG(status);
		snprintf(reason, 160, "the decoder was ended by signal %d%s", signal,
		    signal == SIGXCPU || signal == SIGALRM ? ": it took too long" : "");
		return;
	}
	size_t length = count < 120 ? count : 120;
	bool plain = length > 0;
	for (size_t i = 0; i < length; ++i)
	{
		plain = plain && answer[i] >= ' ' && answer[i] <= '~';
	}
	snprintf(reason, 160, "%.*s", plain ? (int)length : 25, plain ? (const char*)answer : "the decoder has no answer");
}

uint8_t* ioImport(const void* request, size_t requestCount, size_t most, size_t* count, char reason[160])
{
	int ends[2], status = 0;
	pid_t pid;
	uint32_t magic = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
	{
		snprintf(reason, 160, "out of memory");
		return NULL;
	}
	bool started = Spawn(ends[1], &pid);
	close(ends[1]);
	uint8_t* answer = NULL;
	size_t received = 0, limit = most + sizeof(magic) + 256; // an error has room, too
	if (started)
	{
		SendAll(ends[0], request, requestCount); // a helper that does not read all of it has an error to tell
		received = ReceiveAll(ends[0], &answer, limit);
	}
	close(ends[0]);
	while (started && waitpid(pid, &status, 0) < 0 && errno == EINTR)
	{
	}
	if (received >= sizeof(magic))
	{
		memcpy(&magic, answer, sizeof(magic));
	}
	bool told = magic == IMPORT_MAGIC;
	*count = received - (told ? sizeof(magic) : 0);
	if (started && status == 0 && told && *count <= most)
	{
		memmove(answer, answer + sizeof(magic), *count);
		return answer;
	}
	if (!started)
	{
		snprintf(reason, 160, "the program %s, which decodes it, is not there", IMPORT_PROGRAM);
	}
	else if (told && *count > most)
	{
		snprintf(reason, 160, "too much data for a file of this size");
	}
	else
	{
		Explain(status, answer, received, reason);
	}
	free(answer);
	return NULL;
}
