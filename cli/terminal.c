#define _POSIX_C_SOURCE 200809L // fileno, isatty, mkdir

#include "cli/terminal.h"

#include "bench/timer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool progressShown;

static void ClearProgress(void)
{
	if (progressShown)
	{
		fputs("\r\033[K", stderr);
		progressShown = false;
	}
}

void cliError(const char* format, ...)
{
	va_list arguments;
	ClearProgress();
	fputs("snug: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

bool cliShowsProgress(void)
{
	return isatty(fileno(stderr)) == 1;
}

void cliProgress(const char* format, ...)
{
	static double firstCall = -1.0;
	double now = benchNow();
	firstCall = firstCall < 0.0 ? now : firstCall;
	if (!cliShowsProgress() || now - firstCall < 1000.0)
	{
		return;
	}
	ClearProgress();
	if (format[0] != '\0')
	{
		va_list arguments;
		va_start(arguments, format);
		vfprintf(stderr, format, arguments);
		va_end(arguments);
		fflush(stderr);
		progressShown = true;
	}
}

bool cliMakeDirectory(const char* path)
{
	struct stat status;
	if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode)))
	{
		return true;
	}
	cliError("%s: cannot make the directory: %s", path, strerror(errno));
	return false;
}
