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

// Read until the end, at most `capacity` bytes. Returns how many.
static size_t ReceiveAll(int socket, uint8_t* bytes, size_t capacity)
{
	size_t count = 0;
	while (count < capacity)
	{
		ssize_t received = recv(socket, bytes + count, capacity - count, 0);
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

bool ioImport(const void* request, size_t requestCount, uint8_t* answer, size_t answerCount, char reason[160])
{
	int ends[2], status = 0;
	pid_t pid;
	uint8_t* whole = malloc(answerCount + 4 + 256); // the magic number, and more, to see that there is no more
	if (whole == NULL || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
	{
		free(whole);
		snprintf(reason, 160, "out of memory");
		return false;
	}
	bool started = Spawn(ends[1], &pid);
	close(ends[1]);
	size_t count = 0;
	if (started)
	{
		SendAll(ends[0], request, requestCount); // a helper that does not read all of it has an error to tell
		count = ReceiveAll(ends[0], whole, answerCount + 4 + 256);
	}
	close(ends[0]);
	while (started && waitpid(pid, &status, 0) < 0 && errno == EINTR)
	{
	}
	uint32_t magic = 0;
	memcpy(&magic, whole, count >= 4 ? 4 : 0);
	bool good = started && status == 0 && count == answerCount + 4 && magic == IMPORT_MAGIC;
	if (good)
	{
		memcpy(answer, whole + 4, answerCount);
	}
	else if (!started)
	{
		snprintf(reason, 160, "the program %s, which decodes it, is not there", IMPORT_PROGRAM);
	}
	else
	{
		Explain(status, whole, count, reason);
	}
	free(whole);
	return good;
}
