#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "program/files/clock.h"

#include <time.h>

static double Read(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

double clockNow(void)
{
	return Read(CLOCK_MONOTONIC);
}

double clockThread(void)
{
	return Read(CLOCK_THREAD_CPUTIME_ID);
}
