#include "lab/bench/plot.h"

#include "program/pictures/html.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define WIDTH 540
#define HEIGHT 300
#define LEFT 58
#define RIGHT 18
#define TOP 52
#define BOTTOM 40
#define LINE 17

// A round step, 1, 2 or 5 times a power of ten, that divides a range into at most `parts`.
static double RoundStep(double range, int parts)
{
	double step = 1e-6;
	static const double factors[3] = { 2.0, 2.5, 2.0 };
	for (int i = 0; step * parts < range && i < 60; ++i)
	{
		step *= factors[i % 3];
	}
	return step;
}

static double GetValue(const plotLines* plot, int s, int i)
{
	double value = plot->series[s].values[i];
	return plot->limit > 0.0 ? fmin(value, plot->limit) : value;
}

static bool IsShown(const plotLines* plot, double value)
{
	return plot->abscissa != NULL ? value > 0.0 : !isnan(value);
}

/// Where values lie along an axis: from `low` at 0 to `high` at 1, or the logarithms of them.
typedef struct plotAxis
{
	double low, high;
	bool isLog;
} plotAxis;

static double plotAxis_Find(const plotAxis* axis, double value)
{
	double low = axis->isLog ? log10(axis->low) : axis->low, high = axis->isLog ? log10(axis->high) : axis->high;
	return high > low ? ((axis->isLog ? log10(value) : value) - low) / (high - low) : 0.0;
}

static plotAxis MakeVertical(const plotLines* plot)
{
	double least = INFINITY, most = 0.0;
	for (int s = 0; s < plot->seriesCount; ++s)
	{
		for (int i = 0; i < plot->count; ++i)
		{
			double value = GetValue(plot, s, i);
			least = IsShown(plot, value) ? fmin(least, value) : least;
			most = IsShown(plot, value) ? fmax(most, value) : most;
		}
	}
	most = most > 0.0 ? most : 1.0;
	if (plot->abscissa != NULL)
	{
		least = least < most ? least : 0.5 * most;
		return (plotAxis){ pow(10.0, floor(log10(least))), pow(10.0, ceil(log10(most))), true };
	}
	double step = RoundStep(most, 5);
	return (plotAxis){ 0.0, step * ceil(most / step), false };
}

static plotAxis MakeHorizontal(const plotLines* plot)
{
	int last = plot->count - 1;
	return plot->abscissa != NULL ? (plotAxis){ plot->abscissa[0], plot->abscissa[last], true }
	                              : (plotAxis){ 0.0, (double)last, false };
}

static void PrintText(FILE* stream, double x, double y, const char* anchor, const char* look, const char* text)
{
	fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" %s>", x, y, anchor, look);
	htmlText(stream, text);
	fputs("</text>\n", stream);
}

// Goes on in a new line where one is full. Returns the number of lines; prints nothing if there is no stream.
static int PrintLegend(const plotSeries* all, int count, double left, double right, FILE* stream)
{
	double x = left;
	int line = 0;
	for (int s = 0; s < count; ++s)
	{
		const plotSeries* series = all + s;
		double width = 34 + 6.6 * (double)strlen(series->name);
		if (x + width > right && x > left)
		{
			x = left;
			++line;
		}
		if (stream != NULL)
		{
			fprintf(stream, "<rect x=\"%.1f\" y=\"%d\" width=\"11\" height=\"11\" rx=\"3\" fill=\"%s\"/>\n", x,
			    33 + LINE * line, series->color);
			PrintText(stream, x + 16, 43 + LINE * line, "start", "fill=\"#5b6577\"", series->name);
		}
		x += width;
	}
	return line + 1;
}

// Where the plot itself begins, below title and legend.
static int GetTop(const plotLines* plot)
{
	return TOP + LINE * (PrintLegend(plot->series, plot->seriesCount, LEFT, WIDTH, NULL) - 1);
}

static double GetX(const plotLines* plot, int i)
{
	plotAxis axis = MakeHorizontal(plot);
	double value = plot->abscissa != NULL ? plot->abscissa[i] : (double)i;
	return LEFT + (WIDTH - LEFT - RIGHT) * plotAxis_Find(&axis, value);
}

static double GetY(const plotLines* plot, const plotAxis* vertical, double value)
{
	return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - GetTop(plot)) * plotAxis_Find(vertical, value);
}

static void PrintSeries(const plotLines* plot, int s, const plotAxis* vertical, FILE* stream)
{
	fprintf(stream, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-linejoin=\"round\" points=\"",
	    plot->series[s].color);
	for (int i = 0; i < plot->count; ++i)
	{
		double value = GetValue(plot, s, i);
		if (IsShown(plot, value))
		{
			fprintf(stream, "%.1f,%.1f ", GetX(plot, i), GetY(plot, vertical, value));
		}
	}
	fputs("\"/>\n", stream);
}

static void PrintGridLine(const plotLines* plot, const plotAxis* vertical, double value, FILE* stream)
{
	char text[32];
	double y = GetY(plot, vertical, value);
	fprintf(stream, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", LEFT, WIDTH - RIGHT, y, y,
	    value == vertical->low ? "#aab2bf" : "#e8ebf0");
	snprintf(text, sizeof(text), "%g", value);
	PrintText(stream, LEFT - 8, y + 4, "end", "fill=\"#8a93a3\"", text);
}

// Large numbers in thousands and millions.
static void PrintTick(const plotLines* plot, int i, FILE* stream)
{
	char text[32];
	double value = plot->abscissa != NULL ? plot->abscissa[i] : (double)i;
	bool isMillions = value >= 1e6, isThousands = value >= 1e3;
	double unit = isMillions ? 1e6 : isThousands ? 1e3 : 1.0;
	snprintf(text, sizeof(text), "%.3g%s", value / unit, isMillions ? "M" : isThousands ? "K" : "");
	PrintText(stream, GetX(plot, i), HEIGHT - BOTTOM + 18, "middle", "fill=\"#8a93a3\"", text);
}

static void PrintAxes(const plotLines* plot, const plotAxis* vertical, FILE* stream)
{
	double step = vertical->isLog ? 10.0 : RoundStep(vertical->high, 5);
	for (double value = vertical->low; value <= vertical->high * 1.0001;)
	{
		PrintGridLine(plot, vertical, value, stream);
		value = vertical->isLog ? value * step : value + step;
	}
	int stride = plot->count > 12 ? (plot->count + 5) / 6 : 1;
	stride = stride > 5 ? (stride + 4) / 5 * 5 : stride;
	for (int i = 0; i < plot->count; i += stride)
	{
		PrintTick(plot, i, stream);
	}
	PrintText(
	    stream, WIDTH - RIGHT, HEIGHT - 6, "end", "fill=\"#8a93a3\"", plot->across != NULL ? plot->across : "frame");
	PrintText(stream, WIDTH - RIGHT, 22, "end", "fill=\"#8a93a3\"", plot->unit);
}

static void PrintOpening(int width, double height, const char* title, FILE* stream)
{
	fprintf(stream,
	    "<svg aria-label=\"plot\" viewBox=\"0 0 %d %.0f\" font-family=\"system-ui,-apple-system,'Segoe "
	    "UI',Roboto,sans-serif\" "
	    "font-size=\"12\" role=\"img\">\n",
	    width, height);
	PrintText(stream, 16, 22, "start", "font-weight=\"600\" font-size=\"14\" fill=\"#1d2433\"", title);
}

void plotLines_Print(const plotLines* plot, FILE* stream)
{
	plotAxis vertical = MakeVertical(plot);
	fputs("<figure>", stream);
	PrintOpening(WIDTH, HEIGHT, plot->title, stream);
	PrintLegend(plot->series, plot->seriesCount, LEFT, WIDTH, stream);
	PrintAxes(plot, &vertical, stream);
	for (int s = 0; s < plot->seriesCount; ++s)
	{
		PrintSeries(plot, s, &vertical, stream);
	}
	fputs("</svg></figure>\n", stream);
}

// ---- Bars ------------------------------------------------------------------------------------------------------

#define BARS_WIDTH 1000.0
#define BARS_LABELS 330.0
#define BARS_ROW 24.0

static void PrintBar(double x, double y, double length, const char* color, FILE* stream)
{
	fprintf(stream, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"16\" rx=\"3\" fill=\"%s\"/>\n", x, y, length,
	    color);
}

static void PrintBarTexts(double y, const char* label, double length, double value, FILE* stream)
{
	char text[32];
	PrintText(stream, BARS_LABELS - 10, y + 13, "end", "fill=\"#5b6577\"", label);
	snprintf(text, sizeof(text), "%.3g", value);
	PrintText(stream, BARS_LABELS + length + 8, y + 13, "start", "fill=\"#1d2433\"", text);
}

void plotBars_Print(const char* title, const char* unit, const plotBar* bars, int count, FILE* stream)
{
	double most = 0.0;
	for (int i = 0; i < count; ++i)
	{
		most = fmax(most, bars[i].value);
	}
	fputs("<figure>", stream);
	PrintOpening((int)BARS_WIDTH, 44 + BARS_ROW * count, title, stream);
	PrintText(stream, BARS_WIDTH - 16, 22, "end", "fill=\"#8a93a3\"", unit);
	for (int i = 0; i < count; ++i)
	{
		double length = most > 0.0 ? (BARS_WIDTH - BARS_LABELS - 90) * bars[i].value / most : 0.0;
		PrintBar(BARS_LABELS, 36 + BARS_ROW * i, fmax(length, 1.0), bars[i].color, stream);
		PrintBarTexts(36 + BARS_ROW * i, bars[i].label, fmax(length, 1.0), bars[i].value, stream);
	}
	fputs("</svg></figure>\n", stream);
}
