#include "program/check/check.h"
#include "program/commands/terminal.h"
#include "program/files/output.h"
#include "program/pictures/html.h"
#include "program/pictures/page.h"

#include <stdlib.h>
#include <string.h>

// Base64 makes four bytes of three; the rest of a page takes some 30 KB.
#define MAX_PICTURES 2150000
// Rows of the table by joint.
#define MAX_ROWS 40

static const char* GetName(const char* path)
{
	const char* slash = strrchr(path, '/');
	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static void MakeTitle(const check* c, char* title, size_t size)
{
	size_t used = 0;
	title[0] = '\0';
	for (int i = 0; i < c->scene.fileCount && i < 4 && used < size; ++i)
	{
		int wrote = snprintf(title + used, size - used, "%s%s", i > 0 ? " × " : "", GetName(c->scene.files[i].path));
		used += wrote > 0 ? (size_t)wrote : 0;
	}
	if (c->scene.fileCount > 4 && used < size)
	{
		snprintf(title + used, size - used, " and %d more", c->scene.fileCount - 4);
	}
}

// ---- What was found --------------------------------------------------------------------------------------------

static void PrintVerdict(const check* c, FILE* stream)
{
	const cliTally* t = &c->tally;
	fputs("<p class=\"sub\">", stream);
	if (t->contactFrames == 0)
	{
		fprintf(stream, "<b class=\"good\">No contact</b>%s.", checkIsAnimated(c) ? " in any frame" : "");
	}
	else if (!checkIsAnimated(c))
	{
		fputs(
		    "<b>The bodies intersect.</b> Triangles in contact are red; where something hides them they shine through.",
		    stream);
	}
	else
	{
		fprintf(stream,
		    "<b>Contact in %llu of %llu frames</b>, from %.3f to %.3f s, worst at %.3f s. Triangles in contact "
		    "are red; where something hides them they shine through.",
		    (unsigned long long)t->contactFrames, (unsigned long long)t->frameCount, t->frames[t->firstContact].time,
		    t->frames[t->lastContact].time, t->frames[t->mostFrame].time);
	}
	if (c->contactOptions.first)
	{
		fputs(" Made with --first: one pair of each frame was looked for, so there may be many more.", stream);
	}
	if (checkIsCut(c))
	{
		fprintf(stream, " The run was interrupted: %llu frames were asked for.", (unsigned long long)c->frameCount);
	}
	fputs("</p>\n", stream);
}

static void PrintCards(const check* c, FILE* stream)
{
	const cliTally* t = &c->tally;
	const char* look = t->pairs > 0 ? "bad" : "good";
	char value[64];
	fputs("<div class=\"cards\">\n", stream);
	fprintf(stream, "<div class=\"box card\"><b class=\"%s\" id=\"contacts\" data-count=\"%llu\">", look,
	    (unsigned long long)t->pairs);
	pageNumber(stream, t->pairs);
	fprintf(
	    stream, "</b><span>intersecting pairs of triangles%s</span></div>\n", checkIsAnimated(c) ? ", all frames" : "");
	if (checkIsAnimated(c))
	{
		snprintf(value, sizeof(value), "%llu of %llu", (unsigned long long)t->contactFrames,
		    (unsigned long long)t->frameCount);
		pageCard(stream, "frames", look, value, "frames with contact");
	}
	if (checkIsAnimated(c) && t->contactFrames > 0)
	{
		snprintf(value, sizeof(value), "%.3f s", t->frames[t->firstContact].time);
		pageCard(stream, NULL, "", value, "first contact");
		snprintf(value, sizeof(value), "%.3f s", t->frames[t->mostFrame].time);
		pageCard(stream, NULL, "", value, "most contact");
	}
	if (t->frameCount > 0 && t->frames[t->deepest].depth > 0.0)
	{
		char what[64] = "how deep, at most";
		if (checkIsAnimated(c))
		{
			snprintf(what, sizeof(what), "how deep, at most, at %.3f s", t->frames[t->deepest].time);
		}
		snprintf(value, sizeof(value), "%.4g", t->frames[t->deepest].depth);
		pageCard(stream, "depth", "", value, what);
	}
	if (c->costs)
	{
		snprintf(value, sizeof(value), "%.2f ms", 1e-3 * t->microseconds / (double)t->frameCount);
		pageCard(stream, NULL, "", value, "to find all pairs of a frame");
	}
	fputs("</div>\n", stream);
}

static void PrintClose(const check* c, const film* f, FILE* stream)
{
	const cliTally* t = &c->tally;
	if (f->close.png == NULL)
	{
		return;
	}
	fprintf(
	    stream, "<h2>%s</h2>\n<figure class=\"box close\">", checkIsAnimated(c) ? "Where it is worst" : "From nearby");
	pagePicture(stream, &f->close, "the contact from nearby");
	fputs("<figcaption>", stream);
	if (checkIsAnimated(c))
	{
		fprintf(stream, "Frame %llu at %.3f s: ", (unsigned long long)t->mostFrame, t->frames[t->mostFrame].time);
	}
	pageNumber(stream, t->mostPairs);
	fputs(" pairs of triangles intersect</figcaption></figure>\n", stream);
}

// ---- Tables ----------------------------------------------------------------------------------------------------

static void PrintRegion(const check* c, uint32_t region, FILE* stream)
{
	char name[256];
	cliRegions_GetName(&c->regions, region, name, sizeof(name));
	fputs("<td class=\"t\">", stream);
	if (checkNamesFiles(c))
	{
		htmlText(stream, GetName(c->scene.files[cliRegions_GetFile(&c->regions, region)].path));
		fputs(" ", stream);
	}
	htmlText(stream, name);
	fputs("</td>", stream);
}

static void PrintTouch(const check* c, const cliTouch* touch, FILE* stream)
{
	const cliTally* t = &c->tally;
	fputs("<tr>", stream);
	PrintRegion(c, touch->regions[0], stream);
	PrintRegion(c, touch->regions[1], stream);
	fputs("<td>", stream);
	pageNumber(stream, touch->pairs);
	fprintf(stream, "</td><td class=\"bar\"><i style=\"width:%.1f%%\"></i></td>",
	    100.0 * (double)touch->pairs / (double)t->touches[0].pairs);
	if (checkIsAnimated(c))
	{
		fprintf(stream, "<td>%llu</td><td>%.3f</td><td>%.3f</td>", (unsigned long long)touch->frames,
		    t->frames[touch->firstFrame].time, t->frames[touch->lastFrame].time);
	}
	fputs("</tr>\n", stream);
}

static void PrintTouches(const check* c, FILE* stream)
{
	const cliTally* t = &c->tally;
	if (t->touchCount == 0)
	{
		return;
	}
	const bool two = c->scene.fileCount == 2 && !checkNamesFiles(c);
	fputs("<h2>By joint</h2>\n<div class=\"box scroll\"><table id=\"joints\"><thead><tr><th class=\"t\">", stream);
	htmlText(stream, two ? GetName(c->scene.files[0].path) : "joint");
	fputs("</th><th class=\"t\">", stream);
	htmlText(stream, two ? GetName(c->scene.files[1].path) : "joint");
	fprintf(stream, "</th><th>pairs</th><th class=\"bar\"></th>%s</tr></thead><tbody>\n",
	    checkIsAnimated(c) ? "<th>frames</th><th>first, s</th><th>last, s</th>" : "");
	for (size_t i = 0; i < t->touchCount && i < MAX_ROWS; ++i)
	{
		PrintTouch(c, t->touches + i, stream);
	}
	fputs("</tbody></table></div>\n", stream);
	if (t->touchCount > MAX_ROWS)
	{
		fprintf(stream, "<p class=\"sub\">And %llu pairs of joints with fewer.</p>\n",
		    (unsigned long long)(t->touchCount - MAX_ROWS));
	}
}

static void PrintFiles(const check* c, FILE* stream)
{
	fputs("<h2>Files</h2>\n<div class=\"box scroll\"><table><thead><tr><th class=\"t\">file</th><th "
	      "class=\"t\">clip</th><th>bodies</th><th>vertices</th><th>triangles</th></tr></thead><tbody>\n",
	    stream);
	for (int i = 0; i < c->scene.fileCount; ++i)
	{
		const cliFile* file = c->scene.files + i;
		uint64_t vertices = 0, triangles = 0;
		for (int k = file->firstPart; k < file->firstPart + file->partCount; ++k)
		{
			vertices += c->scene.parts[k].vertexCount;
			triangles += c->scene.parts[k].triangleCount;
		}
		fputs("<tr><td class=\"t\">", stream);
		htmlText(stream, GetName(file->path));
		fputs("</td><td class=\"t\">", stream);
		htmlText(stream, file->clip != IO_NONE ? cliScene_GetAsset(&c->scene, i)->clips[file->clip].name : "at rest");
		fprintf(stream, "</td><td>%d</td><td>", file->partCount);
		pageNumber(stream, vertices);
		fputs("</td><td>", stream);
		pageNumber(stream, triangles);
		fputs("</td></tr>\n", stream);
	}
	fputs("</tbody></table></div>\n", stream);
}

// ---- Pages -----------------------------------------------------------------------------------------------------

// Lines are broken before options only, not at the hyphens in them.
static void PrintCommand(const char* command, FILE* stream)
{
	fputs("<h2>Again</h2>\n<div class=\"box\"><pre id=\"command\"><span>", stream);
	for (const char* p = command; *p != '\0';)
	{
		char word[2] = { *p++, '\0' };
		htmlText(stream, word);
		if (word[0] == ' ' && *p == '-')
		{
			fputs("</span><span>", stream);
		}
	}
	fputs("</span></pre></div>\n", stream);
}

static void PrintPage(const check* c, const film* f, FILE* stream)
{
	char title[400];
	MakeTitle(c, title, sizeof(title));
	pageBegin(stream, title);
	PrintVerdict(c, stream);
	pagePlayer(stream, f, &c->tally);
	PrintCards(c, stream);
	pageStrip(stream, f, &c->tally);
	PrintClose(c, f, stream);
	PrintTouches(c, stream);
	PrintFiles(c, stream);
	PrintCommand(c->command != NULL ? c->command : "snug check", stream);
	fprintf(stream, "<footer>Found by snug %s: every pair of triangles that share a point, decided exactly.</footer>\n",
	    snugGetVersion());
	pageEnd(stream);
}

static bool WriteBytes(const char* path, const uint8_t* bytes, size_t count)
{
	ioOutput output;
	if (!cliOutput_Open(&output, path))
	{
		return false;
	}
	fwrite(bytes, 1, count, output.stream);
	return cliOutput_Commit(&output);
}

static bool WriteHtml(const check* c, const filmDef* def)
{
	film f;
	ioOutput output;
	bool written = film_Make(&f, def) && cliOutput_Open(&output, c->html);
	if (written)
	{
		PrintPage(c, &f, output.stream);
		written = cliOutput_Commit(&output);
	}
	film_Free(&f);
	return written;
}

static bool WritePng(const check* c, const filmDef* def)
{
	size_t bytes;
	uint8_t* png = filmMakeStrip(def, &bytes);
	bool written = png != NULL && WriteBytes(c->png, png, bytes);
	free(png);
	return written;
}

static void SayWritten(const char* path)
{
	if (path != NULL)
	{
		printf("wrote %s\n", path);
	}
}

bool checkWritePages(const check* c)
{
	filmDef def = { .scene = &c->scene,
		.options = &c->contactOptions,
		.tally = &c->tally,
		.up = c->up == 0 ? 1 : 2,
		.maxBytes = MAX_PICTURES };
	if (c->tally.frameCount == 0)
	{
		return true;
	}
	bool written = (c->html == NULL || WriteHtml(c, &def)) && (c->png == NULL || WritePng(c, &def));
	if (written && !c->json && !c->csv)
	{
		SayWritten(c->html);
		SayWritten(c->png);
	}
	return written;
}
