// lab/bench/timer.h: clocks for methods, and what to say of many measurements of one thing.
//
// A method that uses one thread is timed by what its thread works, so that others on the machine hardly disturb it; one
// that uses several, by the wall (program/files/clock.h).
#ifndef BENCH_TIMER_H
#define BENCH_TIMER_H

#include <stdbool.h>

/// For one thread of the process, the one that runs the benchmarks.
/// @return milliseconds that it has worked, without what reading this clock costs; only differences mean anything
double benchNow(void);

/// Measurements of one thing. Those beyond BENCH_MAX_SAMPLES are not kept.
#define BENCH_MAX_SAMPLES 512
typedef struct benchSamples
{
	double values[BENCH_MAX_SAMPLES];
	int count;
} benchSamples;

void benchSamples_Add(benchSamples* samples, double value);

/// @return the median, or NaN of nothing
double benchSamples_Median(const benchSamples* samples);
double benchSamples_Min(const benchSamples* samples);

/// For qsort.
int benchCompareDoubles(const void* first, const void* second);

#endif
