#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "bench/timer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double benchNow(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

void benchSamples_Add(benchSamples* samples, double value)
{
	if (samples->count < BENCH_MAX_SAMPLES)
	{
		samples->values[samples->count++] = value;
	}
}

static int CompareDoubles(const void* first, const void* second)
{
	double a = *(const double*)first, b = *(const double*)second;
	return (a > b) - (a < b);
}

double benchSamples_Median(const benchSamples* samples)
{
	double sorted[BENCH_MAX_SAMPLES];
	int n = samples->count;
	if (n == 0)
	{
		return NAN;
	}
	memcpy(sorted, samples->values, (size_t)n * sizeof(double));
	qsort(sorted, (size_t)n, sizeof(double), CompareDoubles);
	return 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
}

double benchSamples_Min(const benchSamples* samples)
{
	double least = samples->count > 0 ? samples->values[0] : NAN;
	for (int i = 1; i < samples->count; ++i)
	{
		least = samples->values[i] < least ? samples->values[i] : least;
	}
	return least;
}
