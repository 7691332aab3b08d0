#include "bench/html.h"
#include "bench/machine.h"
#include "bench/plot.h"
#include "program/demo.h"

#include <stdlib.h>

static void PrintCard(FILE* stream, const char* look, const char* what, const char* format, double value)
{
	fprintf(stream, "<div class=\"card\"><b class=\"%s\">", look);
	fprintf(stream, format, value);
	fprintf(stream, "</b><span>%s</span></div>\n", what);
}

static void PrintCards(const demo* d, FILE* stream)
{
	int peak = demo_GetPeak(d), different = demo_CountDifferent(d);
	double refit = demo_GetMedian(d, offsetof(demoFrame, setMs)) + demo_GetMedian(d, offsetof(demoFrame, refitMs));
	fputs("<div class=\"cards\">\n", stream);
	PrintCard(stream, "", "vertices in both bodies", "%.0f", (double)d->blob.sphere.vertexCount + d->ring.vertexCount);
	PrintCard(stream, "", "intersecting pairs in the fullest frame", "%.0f", (double)d->frames[peak].pairs);
	PrintCard(stream, "", "to read all new vertices and refit", "%.2f ms", refit);
	PrintCard(stream, "", "to find all pairs, in a typical frame", "%.2f ms",
	    demo_GetMedian(d, offsetof(demoFrame, queryMs)));
	PrintCard(stream, "", "to find them in the fullest frame", "%.2f ms", d->frames[peak].queryMs);
	if (demo_CountVerified(d) > 0)
	{
		PrintCard(
		    stream, different == 0 ? "ok" : "no", "frames that differ from brute force", "%.0f", (double)different);
	}
	fputs("</div>\n", stream);
}

static void PrintShots(const demo* d, FILE* stream)
{
	fputs("<h2>What happens</h2>\n<p>A rigid ring slips over a blob whose vertices all move in every frame. Triangles "
	      "that intersect one of the other body are <span style=\"color:#d42a1f;font-weight:600\">red</span>; where "
	      "something hides them they shine through.</p>\n<div class=\"shots\">\n",
	    stream);
	for (int i = 0; i < DEMO_SHOTS; ++i)
	{
		const demoShot* shot = d->shots + i;
		if (shot->png == NULL)
		{
			continue;
		}
		fprintf(stream, "<figure><img alt=\"the two bodies in frame %d\" src=\"data:image/png;base64,", shot->frame);
		htmlBase64(stream, shot->png, shot->bytes);
		fprintf(stream, "\"><figcaption><b>frame %d</b> · %llu pairs · query %.2f ms</figcaption></figure>\n",
		    shot->frame, (unsigned long long)d->frames[shot->frame].pairs, d->frames[shot->frame].queryMs);
	}
	fputs("</div>\n", stream);
}

static void PrintPlots(const demo* d, FILE* stream)
{
	double* values = malloc((size_t)d->frameCount * 3 * sizeof(double));
	if (values == NULL)
	{
		return;
	}
	double *pairs = values, *refit = values + d->frameCount, *query = values + 2 * d->frameCount;
	for (int i = 0; i < d->frameCount; ++i)
	{
		pairs[i] = (double)d->frames[i].pairs;
		refit[i] = d->frames[i].setMs + d->frames[i].refitMs;
		query[i] = d->frames[i].queryMs;
	}
	plotLines found = { .title = "What is found", .unit = "pairs", .count = d->frameCount, .seriesCount = 1 };
	found.series[0] = (plotSeries){ "intersecting pairs of triangles", "#d42a1f", pairs };
	plotLines times = { .title = "What it costs", .unit = "ms", .count = d->frameCount, .seriesCount = 2 };
	times.series[0] = (plotSeries){ "read vertices and refit", "#b8862b", refit };
	times.series[1] = (plotSeries){ "find all pairs", "#2f6fb5", query };
	fputs("<h2>Frame by frame</h2>\n<div class=\"plots\">\n", stream);
	plotLines_Print(&found, stream);
	plotLines_Print(&times, stream);
	fputs("</div>\n", stream);
	free(values);
}

static void PrintTable(const demo* d, FILE* stream)
{
	fputs("<h2>Numbers</h2>\n<div class=\"scroll\"><table><thead><tr><th>frame</th><th>pairs</th><th>read vertices, "
	      "ms</th>"
	      "<th>refit, ms</th><th>query, ms</th><th>volume tests</th><th>vertices evaluated</th><th>triangle tests</th>"
	      "<th>brute force</th></tr></thead><tbody>\n",
	    stream);
	for (int i = 0; i < d->frameCount; ++i)
	{
		const demoFrame* f = d->frames + i;
		if (i % 5 != 0)
		{
			continue;
		}
		fprintf(stream,
		    "<tr><td>%d</td><td>%llu</td><td>%.3f</td><td>%.3f</td><td>%.3f</td><td>%llu</td><td>%llu</td><td>%llu</"
		    "td>",
		    i, (unsigned long long)f->pairs, f->setMs, f->refitMs, f->queryMs,
		    (unsigned long long)f->counters.volumeTests, (unsigned long long)f->counters.verticesEvaluated,
		    (unsigned long long)f->counters.triangleTests);
		if (f->verified)
		{
			fprintf(stream, "<td class=\"%s\">%s, %.0f ms</td></tr>\n", f->differs ? "no" : "ok",
			    f->differs ? "differs" : "same", f->bruteMs);
		}
		else
		{
			fputs("<td class=\"na\">-</td></tr>\n", stream);
		}
	}
	fputs("</tbody></table></div>\n", stream);
}

void demo_PrintPage(const demo* d, FILE* stream)
{
	benchMachine machine = benchGetMachine();
	htmlBegin(stream, "snug: two bodies that collide",
	    "Every pair of intersecting triangles, in every frame, found exactly.");
	PrintCards(d, stream);
	PrintShots(d, stream);
	PrintPlots(d, stream);
	PrintTable(d, stream);
	fprintf(stream, "<footer>snug %s, %s kernels, one thread, on ", machine.version, machine.instructionSet);
	htmlText(stream, machine.processor);
	fprintf(stream, ". Times of refit and query are medians over %d frames.</footer>\n", d->frameCount);
	htmlEnd(stream);
}
