#include "bench/plot.h"

#include "bench/html.h"

#include <math.h>
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

static double Largest(const plotLines* plot)
{
	double most = 0.0;
	for (int s = 0; s < plot->seriesCount; ++s)
	{
		for (int i = 0; i < plot->count; ++i)
		{
			most = fmax(most, GetValue(plot, s, i));
		}
	}
	return most > 0.0 ? most : 1.0;
}

static void PrintText(FILE* stream, double x, double y, const char* anchor, const char* look, const char* text)
{
	fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" %s>", x, y, anchor, look);
	htmlText(stream, text);
	fputs("</text>\n", stream);
}

// Goes on in a new line where one is full. Returns the number of lines; prints nothing if there is no stream.
static int PrintLegend(const plotLines* plot, FILE* stream)
{
	double x = LEFT;
	int line = 0;
	for (int s = 0; s < plot->seriesCount; ++s)
	{
		const plotSeries* series = plot->series + s;
		double width = 34 + 6.6 * (double)strlen(series->name);
		if (x + width > WIDTH && x > LEFT)
		{
			x = LEFT;
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
	return TOP + LINE * (PrintLegend(plot, NULL) - 1);
}

static void PrintSeries(const plotLines* plot, int s, double top, FILE* stream)
{
	int area = HEIGHT - BOTTOM - GetTop(plot);
	fprintf(stream, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-linejoin=\"round\" points=\"",
	    plot->series[s].color);
	for (int i = 0; i < plot->count; ++i)
	{
		double x = LEFT + (WIDTH - LEFT - RIGHT) * (double)i / (double)(plot->count > 1 ? plot->count - 1 : 1);
		double y = HEIGHT - BOTTOM - area * GetValue(plot, s, i) / top;
		fprintf(stream, "%.1f,%.1f ", x, y);
	}
	fputs("\"/>\n", stream);
}

static void PrintAxes(const plotLines* plot, double step, double top, FILE* stream)
{
	char text[32];
	int area = HEIGHT - BOTTOM - GetTop(plot);
	for (int k = 0; k * step <= top * 1.0001; ++k)
	{
		double y = HEIGHT - BOTTOM - area * k * step / top;
		fprintf(stream, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", LEFT, WIDTH - RIGHT, y,
		    y, k == 0 ? "#aab2bf" : "#e8ebf0");
		snprintf(text, sizeof(text), "%g", k * step);
		PrintText(stream, LEFT - 8, y + 4, "end", "fill=\"#8a93a3\"", text);
	}
	int stride = plot->count > 12 ? (plot->count + 5) / 6 : 1;
	stride = stride > 5 ? (stride + 4) / 5 * 5 : stride;
	for (int i = 0; i < plot->count; i += stride)
	{
		double x = LEFT + (WIDTH - LEFT - RIGHT) * (double)i / (double)(plot->count > 1 ? plot->count - 1 : 1);
		snprintf(text, sizeof(text), "%d", i);
		PrintText(stream, x, HEIGHT - BOTTOM + 18, "middle", "fill=\"#8a93a3\"", text);
	}
	PrintText(
	    stream, WIDTH - RIGHT, HEIGHT - 6, "end", "fill=\"#8a93a3\"", plot->across != NULL ? plot->across : "frame");
	PrintText(stream, WIDTH - RIGHT, 22, "end", "fill=\"#8a93a3\"", plot->unit);
}

static void PrintOpening(int width, double height, const char* title, FILE* stream)
{
	fprintf(stream,
	    "<svg viewBox=\"0 0 %d %.0f\" font-family=\"system-ui,-apple-system,'Segoe UI',Roboto,sans-serif\" "
	    "font-size=\"12\" role=\"img\">\n",
	    width, height);
	PrintText(stream, 16, 22, "start", "font-weight=\"600\" font-size=\"14\" fill=\"#1d2433\"", title);
}

void plotLines_Print(const plotLines* plot, FILE* stream)
{
	double step = RoundStep(Largest(plot), 5), top = step * ceil(Largest(plot) / step);
	fputs("<figure>", stream);
	PrintOpening(WIDTH, HEIGHT, plot->title, stream);
	PrintLegend(plot, stream);
	PrintAxes(plot, step, top, stream);
	for (int s = 0; s < plot->seriesCount; ++s)
	{
		PrintSeries(plot, s, top, stream);
	}
	fputs("</svg></figure>\n", stream);
}

void plotBars_Print(const char* title, const char* unit, const plotBar* bars, int count, FILE* stream)
{
	const double labels = 330, width = 1000, row = 24;
	double most = 0.0;
	char text[32];
	for (int i = 0; i < count; ++i)
	{
		most = fmax(most, bars[i].value);
	}
	fputs("<figure>", stream);
	PrintOpening((int)width, 44 + row * count, title, stream);
	PrintText(stream, width - 16, 22, "end", "fill=\"#8a93a3\"", unit);
	for (int i = 0; i < count; ++i)
	{
		double y = 36 + row * i, length = most > 0.0 ? (width - labels - 90) * bars[i].value / most : 0.0;
		PrintText(stream, labels - 10, y + 13, "end", "fill=\"#5b6577\"", bars[i].label);
		fprintf(stream, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"16\" rx=\"3\" fill=\"%s\"/>\n", labels, y,
		    fmax(length, 1.0), bars[i].color);
		snprintf(text, sizeof(text), "%.3g", bars[i].value);
		PrintText(stream, labels + fmax(length, 1.0) + 8, y + 13, "start", "fill=\"#1d2433\"", text);
	}
	fputs("</svg></figure>\n", stream);
}
