// A scene's table and page.
#include "papers/common/scene_parts.h"

#include "lab/bench/machine.h"
#include "lab/bench/plot.h"
#include "program/pictures/html.h"

#include <math.h>
#include <stdlib.h>

// ---- Table -----------------------------------------------------------------------------------------------------

void show_PrintHead(const show* s, FILE* stream)
{
	const char *measure = s->kind->measure.name, *unit = s->kind->measure.unit;
	fprintf(stream, "%s\n\n", s->contents);
	if (s->bodyCount > 1)
	{
		fprintf(stream, "%5s %7s %10s %7s %9s %8s %10s %9s\n", "frame", "time", measure, "pairs", "volume", "nodes",
		    "vertices", "triangle");
		fprintf(
		    stream, "%5s %7s %10s %7s %9s %8s %10s %9s\n", "", "s", unit, "", "tests", "visited", "evaluated", "tests");
	}
	else // it touches nothing
	{
		fprintf(stream, "%5s %7s %10s %12s %12s\n%5s %7s %10s %12s %12s\n", "frame", "time", measure, "root box by",
		    "root box,", "", "s", unit, "Eq. (12)", "ours");
	}
}

static int GetDecimals(const showFrame* f)
{
	return f->measure < 100.0 ? 2 : 0;
}

void show_PrintRow(const show* s, FILE* stream)
{
	const showFrame* f = s->frames + s->frameCount - 1;
	fprintf(stream, "%5d %7.3f %10.*f", s->frameCount - 1, f->time, GetDecimals(f), f->measure);
	if (s->bodyCount > 1)
	{
		fprintf(stream, " %7llu %9llu %8llu %10llu %9llu\n", (unsigned long long)f->pairs,
		    (unsigned long long)f->volumeTests, (unsigned long long)f->nodesVisited,
		    (unsigned long long)f->verticesEvaluated, (unsigned long long)f->triangleTests);
	}
	else
	{
		fprintf(stream, " %12.3f %12.3f\n", f->looseness[0], f->looseness[1]);
	}
	fflush(stream);
}

static int CountVerified(const show* s)
{
	int count = 0;
	for (int i = 0; i < s->frameCount; ++i)
	{
		count += s->frames[i].isVerified;
	}
	return count;
}

void show_PrintSummary(const show* s, FILE* stream)
{
	if (s->bodyCount > 1)
	{
		int different = show_CountDifferent(s), verified = CountVerified(s);
		fprintf(stream, "\n%d frame%s compared with brute force, %d difference%s\n", verified, verified == 1 ? "" : "s",
		    different, different == 1 ? "" : "s");
	}
	else
	{
		fputs("\nBoxes are over the optimal one, by their diagonals.\n", stream);
	}
	fputc('\n', stream);
}

// ---- Page ------------------------------------------------------------------------------------------------------

static void PrintPlots(const show* s, FILE* stream)
{
	size_t count = (size_t)s->frameCount;
	double* values = malloc(count * 3 * sizeof(double));
	if (values == NULL)
	{
		return;
	}
	bool touches = s->bodyCount > 1;
	for (size_t i = 0; i < count; ++i)
	{
		const showFrame* f = s->frames + i;
		values[i] = f->measure;
		values[count + i] = touches ? (double)f->pairs : f->looseness[0];
		values[2 * count + i] = touches ? (double)f->nodesVisited : f->looseness[1];
	}
	plotLines found = { .title = touches ? "What is found" : "The box of the whole, over the optimal one",
		.unit = touches ? "" : "ratio",
		.count = s->frameCount,
		.seriesCount = 2 };
	plotLines measure = {
		.title = s->kind->measure.title, .unit = s->kind->measure.unit, .count = s->frameCount, .seriesCount = 1
	};
	found.series[0] = touches ? (plotSeries){ "intersecting pairs of triangles", "#d42a1f", values + count }
	                          : (plotSeries){ "Eq. (12)", "#e5730d", values + count };
	found.series[1] = touches ? (plotSeries){ "nodes visited", "#5b6577", values + 2 * count }
	                          : (plotSeries){ "ours", "#1a5cb8", values + 2 * count };
	measure.series[0] = (plotSeries){ s->kind->measure.what, "#2f6fb5", values };
	fputs("<h2>Frame by frame</h2>\n<div class=\"plots\">\n", stream);
	plotLines_Print(&found, stream);
	plotLines_Print(&measure, stream);
	fputs("</div>\n", stream);
	free(values);
}

// What a frame found, of scenes in which something can touch.
static void PrintFound(const showFrame* f, FILE* stream)
{
	fprintf(stream, "<td>%llu</td><td>%llu</td><td>%llu</td><td>%llu</td><td>%llu</td><td class=\"%s\">%s</td>",
	    (unsigned long long)f->pairs, (unsigned long long)f->volumeTests, (unsigned long long)f->nodesVisited,
	    (unsigned long long)f->verticesEvaluated, (unsigned long long)f->triangleTests,
	    !f->isVerified ? "na"
	    : f->differs   ? "no"
	                   : "ok",
	    !f->isVerified ? "-"
	    : f->differs   ? "differs"
	                   : "same");
}

static void PrintTable(const show* s, FILE* stream)
{
	fprintf(stream,
	    "<h2>Numbers</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
	    "aria-label=\"Numbers\"><table><thead><tr><th>frame</th><th>time, s</th><th>%s, %s</th>%s</tr>"
	    "</thead><tbody>\n",
	    s->kind->measure.name, s->kind->measure.unit,
	    s->bodyCount > 1 ? "<th>pairs</th><th>volume tests</th><th>nodes visited</th><th>vertices "
	                       "evaluated</th><th>triangle tests</th><th>brute force</th>"
	                     : "<th>Eq. (12) / optimal</th><th>ours / optimal</th>");
	for (int i = 0; i < s->frameCount; i += 5)
	{
		const showFrame* f = s->frames + i;
		fprintf(stream,
		    "<tr data-frame=\"%d\"><td><button type=\"button\" "
		    "data-frame=\"%d\">%d</button></td><td>%.3f</td><td>%.*f</td>",
		    i, i, i, f->time, GetDecimals(f), f->measure);
		if (s->bodyCount > 1)
		{
			PrintFound(f, stream);
		}
		else
		{
			fprintf(stream, "<td>%.3f</td><td>%.3f</td>", f->looseness[0], f->looseness[1]);
		}
		fputs("</tr>\n", stream);
	}
	fputs("</tbody></table></div>\n", stream);
}

static void PrintRecording(const show* s, FILE* stream)
{
	const showKind* kind = s->kind;
	recordedView view = { .degrees = 42.0f, .aspect = 16.0f / 10.0f, .ground = kind->ground };
	for (int k = 0; k < 3; ++k)
	{
		view.eye[k] = kind->eye[k];
		view.target[k] = kind->target[k];
		view.vertical[k] = kind->vertical[k];
		view.size = fmaxf(view.size, fabsf(kind->eye[k] - kind->target[k]));
	}
	const recordingDef def = {
		.id = kind->name, .what = kind->title, .view = &view, .unit = s->bodyCount > 1 ? "pair" : ""
	};
	if (!recording_Print(s->recording, &def, stream))
	{
		fputs("<p>There was no memory for what was recorded.</p>\n", stream);
	}
}

void show_PrintPage(const show* s, FILE* stream)
{
	benchMachine machine = benchGetMachine();
	char title[64];
	snprintf(title, sizeof(title), "snug: %s", s->kind->title);
	htmlBegin(stream, title, s->kind->how);
	fprintf(stream, "<p>%s</p>\n<p>Here: %s. %s</p>\n", s->kind->what, s->contents, s->kind->boxed);
	if (s->frameCount > 0)
	{
		PrintRecording(s, stream);
		PrintPlots(s, stream);
		PrintTable(s, stream);
	}
	fprintf(
	    stream, "<footer>snug %s, %s kernels. %s</footer>\n", machine.version, machine.instructionSet, s->kind->after);
	htmlPrintViewer(stream);
	htmlEnd(stream);
}
