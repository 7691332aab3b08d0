// A scene's table and page.
#include "papers/common/scene_parts.h"

#include "lab/bench/machine.h"
#include "lab/bench/plot.h"
#include "program/pictures/html.h"

#include <stdlib.h>

#define SHOTS 3 // large pictures, evenly in time

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

// ---- Pictures --------------------------------------------------------------------------------------------------

static void PrintImage(FILE* stream, const showPicture* p, const char* attributes)
{
	fprintf(stream, "<img %s src=\"data:image/png;base64,", attributes);
	htmlBase64(stream, p->png, p->bytes);
	fputs("\">", stream);
}

// All frames on top of each other, each visible for its share of the time: no script is needed.
static void PrintAnimation(const show* s, FILE* stream)
{
	double seconds = (double)s->frameCount / SHOW_FPS * 2.0, share = 100.0 / (double)s->frameCount;
	fprintf(stream,
	    "<h2>In motion</h2>\n<style>.film{position:relative;max-width:480px;aspect-ratio:4/3}.film img{position:"
	    "absolute;top:0;left:0;width:100%%;opacity:0;animation:film %.6fs step-end infinite}@keyframes "
	    "film{0%%{opacity:"
	    "1}%.4f%%{opacity:0}}@media(prefers-reduced-motion:reduce){.film img{animation:none}.film "
	    "img:last-child{opacity:"
	    "1}}</style>\n<p>Half as fast as simulated, with the boxes.</p>\n<figure class=\"film\">\n",
	    seconds, share);
	for (int i = 0; i < s->frameCount; ++i)
	{
		char attributes[64];
		snprintf(attributes, sizeof(attributes), "alt=\"\" style=\"animation-delay:%.6fs\"",
		    seconds * (double)i / (double)s->frameCount);
		PrintImage(stream, &s->frames[i].boxed, attributes);
		fputc('\n', stream);
	}
	fputs("</figure>\n", stream);
}

static void PrintCaption(const show* s, const showFrame* f, bool isBoxed, FILE* stream)
{
	fprintf(stream, "<figcaption><b>%.2f s</b>", f->time);
	if (s->bodyCount == 1 && isBoxed)
	{
		fprintf(stream, " · over the optimal box: ours %.2f, Eq. (12) %.2f", f->looseness[1], f->looseness[0]);
	}
	else if (s->bodyCount > 1)
	{
		fprintf(stream, " · %llu %s", (unsigned long long)(isBoxed ? f->nodesVisited : f->pairs),
		    isBoxed ? "nodes visited" : "pairs");
	}
	fputs("</figcaption>", stream);
}

// Evenly in time; but where most was found takes the place of what is nearest to it.
static void ChooseShots(const show* s, int shots[SHOTS])
{
	int peak = 0, nearest = 0;
	for (int i = 1; i < s->frameCount; ++i)
	{
		peak = s->frames[i].pairs > s->frames[peak].pairs ? i : peak;
	}
	for (int i = 0; i < SHOTS; ++i)
	{
		shots[i] = (s->frameCount - 1) * (i + 1) / SHOTS;
		nearest = abs(shots[i] - peak) < abs(shots[nearest] - peak) ? i : nearest;
	}
	shots[nearest] = s->frames[peak].pairs > 0 ? peak : shots[nearest];
}

static void PrintShots(const show* s, bool isBoxed, FILE* stream)
{
	int shots[SHOTS];
	ChooseShots(s, shots);
	fputs("<div class=\"shots\">\n", stream);
	for (int i = 0; i < SHOTS; ++i)
	{
		int frame = shots[i];
		const showFrame* f = s->frames + frame;
		char attributes[64];
		snprintf(attributes, sizeof(attributes), "alt=\"frame %d%s\"", frame, isBoxed ? ", with boxes" : "");
		fputs("<figure>", stream);
		PrintImage(stream, isBoxed ? &f->boxed : &f->plain, attributes);
		PrintCaption(s, f, isBoxed, stream);
		fputs("</figure>\n", stream);
	}
	fputs("</div>\n", stream);
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
	    "<h2>Numbers</h2>\n<div class=\"scroll\"><table><thead><tr><th>frame</th><th>time, s</th><th>%s, %s</th>%s</tr>"
	    "</thead><tbody>\n",
	    s->kind->measure.name, s->kind->measure.unit,
	    s->bodyCount > 1 ? "<th>pairs</th><th>volume tests</th><th>nodes visited</th><th>vertices "
	                       "evaluated</th><th>triangle tests</th><th>brute force</th>"
	                     : "<th>Eq. (12) / optimal</th><th>ours / optimal</th>");
	for (int i = 0; i < s->frameCount; i += 5)
	{
		const showFrame* f = s->frames + i;
		fprintf(stream, "<tr><td>%d</td><td>%.3f</td><td>%.*f</td>", i, f->time, GetDecimals(f), f->measure);
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

void show_PrintPage(const show* s, FILE* stream)
{
	benchMachine machine = benchGetMachine();
	char title[64];
	snprintf(title, sizeof(title), "snug: %s", s->kind->title);
	htmlBegin(stream, title, s->kind->how);
	fprintf(stream, "<p>Here: %s.</p>\n<h2>What happens</h2>\n<p>%s</p>\n", s->contents, s->kind->what);
	if (s->frameCount > 0)
	{
		PrintShots(s, false, stream);
		fprintf(stream, "<p style=\"margin-top:20px\">%s</p>\n", s->kind->boxed);
		PrintShots(s, true, stream);
		PrintAnimation(s, stream);
		PrintPlots(s, stream);
		PrintTable(s, stream);
	}
	fprintf(
	    stream, "<footer>snug %s, %s kernels. %s</footer>\n", machine.version, machine.instructionSet, s->kind->after);
	htmlEnd(stream);
}
