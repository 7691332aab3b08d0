// bench/timer.h: wall time, and what to say of many measurements of one thing.
#ifndef BENCH_TIMER_H
#define BENCH_TIMER_H

#include <stdbool.h>

/// @return milliseconds of a clock that never goes back; only differences mean anything
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

#endif
