// lab/bench/plot.h: plots as inline SVG.
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include <stdio.h>

#define PLOT_MAX_SERIES 8

typedef struct plotSeries
{
	const char* name;
	const char* color; ///< as in CSS
	const double* values;
} plotSeries;

/// Lines over 0 to count - 1, with the vertical axis from zero; or over other numbers, with both axes logarithmic.
typedef struct plotLines
{
	const char* title;
	const char* unit;
	const char* across;     ///< name of the horizontal axis; null: "frame"
	const double* abscissa; ///< (count): null, or positive and ascending, for logarithmic axes
	double limit;           ///< values above are cut off; zero: none
	int count;
	plotSeries series[PLOT_MAX_SERIES];
	int seriesCount;
} plotLines;

/// Values that are NaN, or not positive on a logarithmic axis, are left out.
void plotLines_Print(const plotLines* plot, FILE* stream);

/// A horizontal bar with its label and its value.
typedef struct plotBar
{
	char label[96];
	double value;
	const char* color;
} plotBar;

void plotBars_Print(const char* title, const char* unit, const plotBar* bars, int count, FILE* stream);

#endif
