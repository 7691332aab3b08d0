#include "bench/html.h"
#include "bench/plot.h"
#include "bench/report.h"

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

static const char* GetText(const benchRow* row, const char* key)
{
	const benchCell* cell = benchRow_Find(row, key);
	return cell != NULL && cell->kind == bench_text ? cell->text : "";
}

// Zero if the row does not have it.
static unsigned long long GetCount(const benchRow* row, const char* key)
{
	const benchCell* cell = benchRow_Find(row, key);
	return cell != NULL && cell->kind == bench_count ? cell->count : 0;
}

// What sets a row apart from its neighbours: the method and, if it has one, the tree.
static void MakeLabel(const benchRow* row, char* label, size_t size)
{
	const benchCell *children = benchRow_Find(row, "branching"), *leaf = benchRow_Find(row, "leafTriangles");
	const char* split = GetText(row, "split");
	if (children == NULL || leaf == NULL || strcmp(split, "default") == 0)
	{
		snprintf(label, size, "%s", GetText(row, "method"));
		return;
	}
	snprintf(label, size, "ours, %s, %llu children, leaves of %llu", split, (unsigned long long)children->count,
	    (unsigned long long)leaf->count);
}

// Rows that can be compared: of the same bodies, by name or by size, and one contact.
static bool IsSameScene(const benchRow* a, const benchRow* b)
{
	return GetCount(a, "vertices") == GetCount(b, "vertices") &&
	       strcmp(GetText(a, "bodies"), GetText(b, "bodies")) == 0 &&
	       strcmp(GetText(a, "contact"), GetText(b, "contact")) == 0;
}

static void MakeTitle(const benchRow* row, char* title, size_t size)
{
	const char *contact = GetText(row, "contact"), *bodies = GetText(row, "bodies");
	if (bodies[0] != '\0')
	{
		snprintf(title, size, "Query, %s contact: %s", contact, bodies);
	}
	else
	{
		snprintf(title, size, "Query, %s contact, %llu vertices each", contact, GetCount(row, "vertices"));
	}
}

// Query times of rows that can be compared, methods of ours and others in different colours.
static void PrintQueryBars(const benchReport* report, int first, int end, FILE* stream)
{
	plotBar bars[MAX_BARS];
	char title[128];
	int count = 0;
	for (int i = first; i < end && count < MAX_BARS; ++i)
	{
		const benchRow* row = report->rows + i;
		const benchCell* query = benchRow_Find(row, "queryMs");
		const char* method = GetText(row, "method");
		if (query == NULL || isnan(query->number))
		{
			continue;
		}
		plotBar* bar = bars + count++;
		bar->value = query->number;
		bar->color = strncmp(method, "ours", 4) != 0 ? "#b9a37e" : method[4] == '\0' ? "#2f6fb5" : "#9dbfe0";
		MakeLabel(row, bar->label, sizeof(bar->label));
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
		for (next = first + 1; next < end && IsSameScene(report->rows + first, report->rows + next);)
		{
			++next;
		}
		PrintQueryBars(report, first, next, stream);
	}
}

#define MAX_POINTS 64

// The keys of a plot as lines over its rows.
static void PrintPlot(const benchReport* report, const benchPlot* plot, FILE* stream)
{
	static const char* colors[PLOT_MAX_SERIES] = { "#b5532f", "#c79a2a", "#3f8f5b", "#9aa3b0", "#7a5bb5", "#2f6fb5",
		"#d48fb0", "#444c5a" };
	static double values[PLOT_MAX_SERIES][MAX_POINTS];
	int count = plot->endRow - plot->firstRow;
	plotLines lines = { .title = plot->title,
		.unit = plot->unit,
		.across = plot->across,
		.limit = plot->limit,
		.count = count < MAX_POINTS ? count : MAX_POINTS };
	for (int s = 0; s < PLOT_MAX_SERIES && plot->keys[s] != NULL; ++s)
	{
		for (int i = 0; i < lines.count; ++i)
		{
			const benchCell* cell = benchRow_Find(report->rows + plot->firstRow + i, plot->keys[s]);
			values[s][i] = cell != NULL && cell->kind == bench_number ? cell->number : 0.0;
		}
		lines.series[lines.seriesCount++] = (plotSeries){ plot->keys[s], colors[s], values[s] };
	}
	plotLines_Print(&lines, stream);
}

static void PrintPlots(const benchReport* report, int first, int end, FILE* stream)
{
	for (int i = 0; i < report->plotCount; ++i)
	{
		if (report->plots[i].firstRow >= first && report->plots[i].firstRow < end)
		{
			PrintPlot(report, report->plots + i, stream);
		}
	}
}

static void PrintAims(const benchReport* report, FILE* stream)
{
	fputs("<h3>Aims</h3>\n<div class=\"scroll\"><table><thead><tr><th class=\"t\">what</th><th>value</th>"
	      "<th>at most</th><th></th></tr></thead><tbody>\n",
	    stream);
	for (int i = 0; i < report->aimCount; ++i)
	{
		const benchAim* aim = report->aims + i;
		fputs("<tr><td class=\"t\">", stream);
		htmlText(stream, aim->name);
		if (isnan(aim->value))
		{
			fprintf(stream, "</td><td>-</td><td>%.6g</td><td class=\"na\">skipped</td></tr>\n", aim->aim);
		}
		else
		{
			bool met = aim->value <= aim->aim;
			fprintf(stream, "</td><td>%.*g</td><td>%.6g</td><td class=\"%s\">%s</td></tr>\n", aim->value < 1e4 ? 4 : 8,
			    aim->value, aim->aim, met ? "ok" : "no", met ? "met" : "missed");
		}
	}
	fputs("</tbody></table></div>\n", stream);
}

void benchReport_PrintHtml(const benchReport* report, FILE* stream)
{
	fputs("<h2>", stream);
	htmlText(stream, report->name);
	fputs(": ", stream);
	htmlText(stream, report->title);
	fputs("</h2>\n", stream);
	if (report->failure[0] != '\0')
	{
		fputs("<p class=\"no\">Failed: ", stream);
		htmlText(stream, report->failure);
		fputs("</p>\n", stream);
	}
	PrintAims(report, stream);
	for (int first = 0, end; first < report->rowCount; first = end)
	{
		end = benchReport_GetTableEnd(report, first);
		PrintTable(report, first, end, stream);
		PrintAllBars(report, first, end, stream);
		PrintPlots(report, first, end, stream);
	}
}
