#include "program/check/check.h"
#include "program/commands/terminal.h"
#include "program/files/output.h"
#include "program/pictures/html.h"

#include <stdlib.h>
#include <string.h>

// Rows of the table by joint.
#define MAX_ROWS 40
#define PICTURE_WIDTH 1280
#define PICTURE_HEIGHT 800

static const char* GetName(const char* path)
{
	const char* name = ioFindName(path);
	return name[0] != '\0' ? name : path;
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
		fputs("<b>The bodies intersect.</b> Triangles in contact are red and outlined; where something hides them they "
		      "shine through.",
		    stream);
	}
	else
	{
		fprintf(stream,
		    "<b>Contact in %llu of %llu frames</b>, from %.3f to %.3f s, worst at %.3f s. Triangles in contact "
		    "are red and outlined; where something hides them they shine through.",
		    (unsigned long long)t->contactFrames, (unsigned long long)t->frameCount, t->frames[t->firstContact].time,
		    t->frames[t->lastContact].time, t->frames[cliTally_GetWorst(t)].time);
	}
	if (t->betweenCount > 0)
	{
		fprintf(stream, " <b class=\"bad\">%zu more between frames</b>: no frame shows them.", t->betweenCount);
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
	fprintf(stream, "<div class=\"card\"><b class=\"%s\" id=\"contacts\" data-count=\"%llu\">", look,
	    (unsigned long long)t->pairs);
	htmlNumber(stream, t->pairs);
	fprintf(
	    stream, "</b><span>intersecting pairs of triangles%s</span></div>\n", checkIsAnimated(c) ? ", all frames" : "");
	if (checkIsAnimated(c))
	{
		snprintf(value, sizeof(value), "%llu of %llu", (unsigned long long)t->contactFrames,
		    (unsigned long long)t->frameCount);
		htmlCard(stream, "frames", look, value, "frames with contact");
	}
	if (checkIsAnimated(c) && t->contactFrames > 0)
	{
		snprintf(value, sizeof(value), "%.3f s", t->frames[t->firstContact].time);
		htmlCard(stream, NULL, "", value, "first contact");
		snprintf(value, sizeof(value), "%.3f s", t->frames[t->mostFrame].time);
		htmlCard(stream, NULL, "", value, "most contact");
	}
	if (c->contactOptions.between)
	{
		snprintf(value, sizeof(value), "%zu", t->betweenCount);
		htmlCard(stream, "between-frames", t->betweenCount > 0 ? "bad" : "good", value, "contacts between frames only");
	}
	if (t->frameCount > 0 && t->frames[t->deepest].depth > 0.0)
	{
		char what[64] = "how deep, at most";
		if (checkIsAnimated(c))
		{
			snprintf(what, sizeof(what), "how deep, at most, at %.3f s", t->frames[t->deepest].time);
		}
		snprintf(value, sizeof(value), "%.4g", t->frames[t->deepest].depth);
		htmlCard(stream, "depth", "", value, what);
	}
	if (c->contactOptions.inside)
	{
		snprintf(value, sizeof(value), "%llu", (unsigned long long)t->mostInside);
		htmlCard(stream, "inside", t->mostInside > 0 ? "bad" : "good", value,
		    checkIsAnimated(c) ? "vertices inside, most in a frame" : "vertices inside");
	}
	if (c->costs)
	{
		snprintf(value, sizeof(value), "%.2f ms", 1e-3 * t->microseconds / (double)t->frameCount);
		htmlCard(stream, NULL, "", value, "to find all pairs of a frame");
	}
	fputs("</div>\n", stream);
}

// ---- Tables ----------------------------------------------------------------------------------------------------

static void PrintRegion(const check* c, uint32_t region, FILE* stream)
{
	char name[256];
	cliRegions_GetShortName(&c->regions, region, name, sizeof(name));
	fputs("<td class=\"t\">", stream);
	if (checkNamesFiles(c))
	{
		htmlText(stream, GetName(c->scene.files[cliRegions_GetFile(&c->regions, region)].path));
		fputs(" ", stream);
	}
	htmlText(stream, name);
	fputs("</td>", stream);
}

// The first row is the deepest, which need not have the most.
static uint64_t MostPairs(const cliTally* t)
{
	uint64_t most = 1;
	for (size_t i = 0; i < t->touchCount; ++i)
	{
		most = t->touches[i].pairs > most ? t->touches[i].pairs : most;
	}
	return most;
}

static void PrintTouch(const check* c, const cliTouch* touch, uint64_t most, FILE* stream)
{
	const cliTally* t = &c->tally;
	fprintf(stream, checkIsAnimated(c) ? "<tr data-frame=\"%llu\">" : "<tr>", (unsigned long long)touch->mostFrame);
	PrintRegion(c, touch->regions[0], stream);
	PrintRegion(c, touch->regions[1], stream);
	if (t->touches->depth > 0.0)
	{
		fprintf(stream, "<td>%.4g</td>", touch->depth);
	}
	fputs("<td>", stream);
	htmlNumber(stream, touch->pairs);
	fprintf(stream, "</td><td class=\"bar\"><i style=\"width:%.1f%%\"></i></td>",
	    100.0 * (double)touch->pairs / (double)most);
	if (checkIsAnimated(c))
	{
		fprintf(stream,
		    "<td>%llu</td><td>%.3f</td><td>%.3f</td><td><button type=\"button\" data-frame=\"%llu\">%.3f</button></td>",
		    (unsigned long long)touch->frames, t->frames[touch->firstFrame].time, t->frames[touch->lastFrame].time,
		    (unsigned long long)touch->mostFrame, t->frames[touch->mostFrame].time);
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
	fputs("<h2>By joint</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"By joint\"><table "
	      "id=\"joints\"><thead><tr><th class=\"t\">",
	    stream);
	htmlText(stream, two ? GetName(c->scene.files[0].path) : "joint");
	fputs("</th><th class=\"t\">", stream);
	htmlText(stream, two ? GetName(c->scene.files[1].path) : "joint");
	fprintf(stream, "</th>%s<th>pairs</th><th class=\"bar\">share</th>%s</tr></thead><tbody>\n",
	    t->touches->depth > 0.0 ? "<th>depth</th>" : "",
	    checkIsAnimated(c) ? "<th>frames</th><th>first, s</th><th>last, s</th><th>most, s</th>" : "");
	for (size_t i = 0; i < t->touchCount && i < MAX_ROWS; ++i)
	{
		PrintTouch(c, t->touches + i, MostPairs(t), stream);
	}
	fputs("</tbody></table></div>\n", stream);
	if (t->touchCount > MAX_ROWS)
	{
		fprintf(stream, "<p class=\"sub\">And %llu pairs of joints with less.</p>\n",
		    (unsigned long long)(t->touchCount - MAX_ROWS));
	}
}

static void PrintBetween(const check* c, FILE* stream)
{
	const cliTally* t = &c->tally;
	if (t->betweenCount == 0)
	{
		return;
	}
	fputs("<h2>Between frames</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Between "
	      "frames\"><table id=\"between\"><thead><tr><th class=\"t\">body</th><th class=\"t\">body</th><th>from, "
	      "s</th><th>frame before</th><th>frame after</th><th class=\"t\"></th></tr></thead><tbody>\n",
	    stream);
	for (size_t i = 0; i < t->betweenCount && i < MAX_ROWS; ++i)
	{
		const cliTallyBetween* row = t->between + i;
		fprintf(stream, "<tr data-frame=\"%llu\">", (unsigned long long)row->frame);
		for (int side = 0; side < 2; ++side)
		{
			const cliPart* part = c->scene.parts + row->between.bodies[side];
			fputs("<td class=\"t\">", stream);
			htmlText(stream, GetName(c->scene.files[part->file].path));
			fputs(" ", stream);
			htmlText(stream, part->name);
			fputs("</td>", stream);
		}
		fprintf(stream, "<td>%.4f</td>", row->between.time);
		for (uint64_t frame = row->frame - 1; frame <= row->frame; ++frame)
		{
			fprintf(stream, "<td><button type=\"button\" data-frame=\"%llu\">%.3f</button></td>",
			    (unsigned long long)frame, t->frames[frame].time);
		}
		fprintf(stream, "<td class=\"t\">%s</td></tr>\n",
		    row->between.isSure ? "meet" : "come so near that it is not sure");
	}
	fputs("</tbody></table></div>\n", stream);
	if (t->betweenCount > MAX_ROWS)
	{
		fprintf(stream, "<p class=\"sub\">And %zu more.</p>\n", t->betweenCount - MAX_ROWS);
	}
}

static void PrintFiles(const check* c, FILE* stream)
{
	fputs("<h2>Files</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
	      "aria-label=\"Files\"><table><thead><tr><th class=\"t\">file</th><th "
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
		htmlNumber(stream, vertices);
		fputs("</td><td>", stream);
		htmlNumber(stream, triangles);
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

static bool PrintPage(const check* c, FILE* stream)
{
	char title[400];
	MakeTitle(c, title, sizeof(title));
	htmlBegin(stream, title, NULL);
	PrintVerdict(c, stream);
	bool printed = checkPrintRecording(c, stream);
	PrintCards(c, stream);
	PrintBetween(c, stream);
	PrintTouches(c, stream);
	PrintFiles(c, stream);
	PrintCommand(c->command != NULL ? c->command : "snug check", stream);
	fprintf(stream, "<footer>Found by snug %s: every pair of triangles that share a point, decided exactly.</footer>\n",
	    snugGetVersion());
	htmlPrintViewer(stream);
	htmlEnd(stream);
	return printed;
}

static bool WriteHtml(const check* c)
{
	ioOutput output;
	if (!cliOutput_Open(&output, c->html))
	{
		return false;
	}
	bool printed = PrintPage(c, output.stream);
	if (!printed)
	{
		cliOutput_Abandon(&output);
	}
	return printed && cliOutput_Commit(&output);
}

static bool WritePng(const check* c)
{
	size_t bytes;
	ioOutput output;
	uint8_t* png = checkDrawStill(c, PICTURE_WIDTH, PICTURE_HEIGHT, &bytes);
	bool written = png != NULL && cliOutput_Open(&output, c->png);
	if (written)
	{
		fwrite(png, 1, bytes, output.stream);
		written = cliOutput_Commit(&output);
	}
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
	if (c->tally.frameCount == 0)
	{
		return true;
	}
	bool written = (c->html == NULL || WriteHtml(c)) && (c->png == NULL || WritePng(c));
	if (written && !c->json && !c->csv)
	{
		SayWritten(c->html);
		SayWritten(c->png);
	}
	return written;
}
