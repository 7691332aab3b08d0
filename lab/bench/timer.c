#include "lab/bench/timer.h"

#include "program/files/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Reading the thread's clock is a call into the kernel, longer than some of what is timed. Its least cost is taken off
// once per reading: two readings with nothing between them give zero, or what disturbed them.
static double MeasureCost(void)
{
	double cost = INFINITY, last = clockThread();
	for (int i = 0; i < 2000; ++i)
	{
		double next = clockThread();
		cost = fmin(cost, next - last);
		last = next;
	}
	return cost;
}

double benchNow(void)
{
	static double cost = -1.0, taken;
	cost = cost < 0.0 ? MeasureCost() : cost;
	taken += cost;
	return clockThread() - taken;
}

void benchSamples_Add(benchSamples* samples, double value)
{
	if (samples->count < BENCH_MAX_SAMPLES)
	{
		samples->values[samples->count++] = value;
	}
}

int benchCompareDoubles(const void* first, const void* second)
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
	qsort(sorted, (size_t)n, sizeof(double), benchCompareDoubles);
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
