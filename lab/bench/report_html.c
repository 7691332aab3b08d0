#include "lab/bench/plot.h"
#include "lab/bench/report.h"
#include "program/pictures/html.h"

#include <math.h>
#include <string.h>

#define MAX_BARS 32

static void PrintHead(const benchReport* report, int first, const benchColumns* columns, FILE* stream)
{
	char text[48];
	fputs("<table><thead><tr>", stream);
	for (int c = 0; c < columns->count; ++c)
	{
		const benchCell* cell = benchRow_Find(report->rows + first, columns->keys[c]);
		fputs(cell == NULL || cell->kind == bench_text ? "<th class=\"t\">" : "<th>", stream);
		benchFormatKey(columns->keys[c], text);
		htmlText(stream, text);
		fputs("</th>", stream);
	}
	fputs("</tr></thead><tbody>\n", stream);
}

static void PrintTable(const benchReport* report, int first, int end, FILE* stream)
{
	benchColumns columns = benchReport_GetColumns(report, first, end);
	char text[48];
	fputs("<h3>", stream);
	htmlText(stream, report->rows[first].table);
	fputs("</h3>\n<div class=\"scroll\">", stream);
	PrintHead(report, first, &columns, stream);
	for (int i = first; i < end; ++i)
	{
		fputs("<tr>", stream);
		for (int c = 0; c < columns.count; ++c)
		{
			const benchCell* cell = benchRow_Find(report->rows + i, columns.keys[c]);
			benchFormatCell(cell, text);
			fputs(cell != NULL && cell->kind == bench_text ? "<td class=\"t\">" : "<td>", stream);
			htmlText(stream, text);
			fputs("</td>", stream);
		}
		fputs("</tr>\n", stream);
	}
	fputs("</tbody></table></div>\n", stream);
}

// Zero if the row does not have it.
static unsigned long long GetCount(const benchRow* row, const char* key)
{
	const benchCell* cell = benchRow_Find(row, key);
	return cell != NULL && cell->kind == bench_count ? cell->count : 0;
}

static void MakeTitle(const benchRow* row, char* title, size_t size)
{
	const char *contact = benchRow_GetText(row, "contact"), *bodies = benchRow_GetText(row, "bodies");
	unsigned long long vertices = GetCount(row, "vertices"), nodes = GetCount(row, "nodes");
	int used = snprintf(title, size, "Time per frame, %s contact", contact);
	used += bodies[0] != '\0' ? snprintf(title + used, size - (size_t)used, ": %s", bodies) : 0;
	used += vertices > 0 ? snprintf(title + used, size - (size_t)used, ", %llu vertices each", vertices) : 0;
	if (nodes > 0)
	{
		snprintf(title + used, size - (size_t)used, ", %llu nodes", nodes);
	}
}

// Times of rows that can be compared, methods of ours and others in different colours.
static void PrintTimeBars(const benchReport* report, int first, int end, FILE* stream)
{
	plotBar bars[MAX_BARS];
	char title[128];
	int count = 0;
	for (int i = first; i < end && count < MAX_BARS; ++i)
	{
		const benchRow* row = report->rows + i;
		const benchCell *query = benchRow_Find(row, "queryMs"), *total = benchRow_Find(row, "totalMs");
		const char* method = benchRow_GetText(row, "method");
		if (query == NULL || isnan(query->number))
		{
			continue;
		}
		plotBar* bar = bars + count++;
		bar->value = total != NULL ? total->number : query->number;
		bar->color = strncmp(method, "ours", 4) != 0 ? "#b9a37e" : method[4] == '\0' ? "#2f6fb5" : "#9dbfe0";
		snprintf(bar->label, sizeof(bar->label), "%s", method);
	}
	if (count > 0)
	{
		MakeTitle(report->rows + first, title, sizeof(title));
		plotBars_Print(title, "ms, median over frames", bars, count, stream);
	}
}

static void PrintAllBars(const benchReport* report, int first, int end, FILE* stream)
{
	for (int next; first < end; first = next)
	{
		for (next = first + 1; next < end && benchRow_IsSameScene(report->rows + first, report->rows + next);)
		{
			++next;
		}
		PrintTimeBars(report, first, next, stream);
	}
}

#define MAX_POINTS 64

static const char* const colors[PLOT_MAX_SERIES] = { "#b5532f", "#c79a2a", "#3f8f5b", "#9aa3b0", "#7a5bb5", "#2f6fb5",
	"#d48fb0", "#444c5a" };

/// Numbers of a plot, as the plotters want them.
typedef struct plotData
{
	double values[PLOT_MAX_SERIES][MAX_POINTS];
	double abscissa[MAX_POINTS];
	char names[PLOT_MAX_SERIES][48];
	plotSeries series[PLOT_MAX_SERIES];
	int count, seriesCount;
} plotData;

static int AddSeries(plotData* data, const char* name)
{
	int s = data->seriesCount++;
	snprintf(data->names[s], sizeof(data->names[s]), "%s", name);
	data->series[s] = (plotSeries){ data->names[s], colors[s], data->values[s] };
	for (int i = 0; i < MAX_POINTS; ++i)
	{
		data->values[s][i] = NAN;
	}
	return s;
}

// A series per key, a point per row.
static void TakeColumns(const benchReport* report, const benchPlot* plot, plotData* data)
{
	int count = plot->endRow - plot->firstRow;
	data->count = count < MAX_POINTS ? count : MAX_POINTS;
	for (int s = 0; s < PLOT_MAX_SERIES && plot->keys[s] != NULL; ++s)
	{
		AddSeries(data, plot->keys[s]);
		for (int i = 0; i < data->count; ++i)
		{
			const benchRow* row = report->rows + plot->firstRow + i;
			data->values[s][i] = benchRow_GetNumber(row, plot->keys[s]);
		}
	}
}

// A series per method, a point per number along the axis; rows come in the order of those.
static void TakeMethods(const benchReport* report, const benchPlot* plot, plotData* data)
{
	for (int i = plot->firstRow; i < plot->endRow; ++i)
	{
		const benchRow* row = report->rows + i;
		double x = benchRow_GetNumber(row, plot->across);
		int s = 0;
		while (s < data->seriesCount && strcmp(data->names[s], benchRow_GetText(row, "method")) != 0)
		{
			++s;
		}
		if (data->count == 0 || data->abscissa[data->count - 1] < x)
		{
			data->abscissa[data->count < MAX_POINTS - 1 ? data->count++ : data->count] = x;
		}
		if (s < data->seriesCount || (s < PLOT_MAX_SERIES && AddSeries(data, benchRow_GetText(row, "method")) == s))
		{
			data->values[s][data->count - 1] = benchRow_GetNumber(row, plot->keys[0]);
		}
	}
}

static void PrintLines(const benchPlot* plot, const plotData* data, FILE* stream)
{
	plotLines lines = { .title = plot->title,
		.unit = plot->unit,
		.across = plot->across,
		.abscissa = plot->kind == bench_logLines ? data->abscissa : NULL,
		.limit = plot->limit,
		.count = data->count,
		.seriesCount = data->seriesCount };
	memcpy(lines.series, data->series, sizeof(lines.series));
	plotLines_Print(&lines, stream);
}

static void PrintPlot(const benchReport* report, const benchPlot* plot, FILE* stream)
{
	static plotData data;
	data.count = data.seriesCount = 0;
	(plot->kind == bench_logLines ? TakeMethods : TakeColumns)(report, plot, &data);
	PrintLines(plot, &data, stream);
}

static void PrintAims(const benchReport* report, FILE* stream)
{
	fputs("<h3>Aims</h3>\n<div class=\"scroll\"><table><thead><tr><th class=\"t\">what</th><th>value</th>"
	      "<th colspan=\"2\">must reach</th><th colspan=\"2\">then</th></tr></thead><tbody>\n",
	    stream);
	for (int i = 0; i < report->aimCount; ++i)
	{
		const benchAim* aim = report->aims + i;
		const char* sign = aim->isAtLeast ? "≥" : "≤";
		fputs("<tr><td class=\"t\">", stream);
		htmlText(stream, aim->name);
		char value[24] = "-", stretch[24] = "";
		if (!isnan(aim->value))
		{
			snprintf(value, sizeof(value), "%.*g", aim->value < 1e4 ? 4 : 8, aim->value);
		}
		if (!isnan(aim->stretch))
		{
			snprintf(stretch, sizeof(stretch), "%s %.4g", sign, aim->stretch);
		}
		fprintf(stream, "</td><td>%s</td><td>%s %.4g</td><td class=\"%s\">%s</td>", value, sign, aim->aim,
		    isnan(aim->value)        ? "na"
		    : benchAim_IsMissed(aim) ? "no"
		                             : "ok",
		    benchAim_GetWord(aim));
		fprintf(stream, "<td>%s</td><td>%s</td></tr>\n", stretch, benchAim_GetStretchWord(aim));
	}
	fputs("</tbody></table></div>\n", stream);
}

// What is measured and who wins in a sentence each, then what can be seen at a glance, then numbers.
void benchReport_PrintHtml(const benchReport* report, bool hasAims, FILE* stream)
{
	char verdict[320];
	benchReport_MakeVerdict(report, verdict, sizeof(verdict));
	fputs("<h2>", stream);
	htmlText(stream, report->name);
	fputs("</h2>\n<p>Measured: ", stream);
	htmlText(stream, report->title);
	fputs(". ", stream);
	htmlText(stream, verdict);
	fputs("</p>\n", stream);
	if (report->failure[0] != '\0')
	{
		fputs("<p class=\"no\">Failed: ", stream);
		htmlText(stream, report->failure);
		fputs("</p>\n", stream);
	}
	for (int i = 0; i < report->plotCount; ++i)
	{
		PrintPlot(report, report->plots + i, stream);
	}
	for (int first = 0, end; first < report->rowCount; first = end)
	{
		end = benchReport_GetTableEnd(report, first);
		PrintAllBars(report, first, end, stream);
	}
	if (hasAims)
	{
		PrintAims(report, stream);
	}
	for (int first = 0, end; first < report->rowCount; first = end)
	{
		end = benchReport_GetTableEnd(report, first);
		PrintTable(report, first, end, stream);
	}
}
