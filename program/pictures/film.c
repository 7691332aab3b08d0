#include "program/pictures/film.h"

#include "program/commands/terminal.h"
#include "program/pictures/director.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SHOT_WIDTH 720
#define MAX_SHOTS 48
#define STRIP_SHOTS 6
#define STRIP_COLUMNS 3
#define STRIP_WIDTH 480
#define STRIP_HEIGHT 320

// ---- Choosing --------------------------------------------------------------------------------------------------

// Frame of a shot: spread evenly over first to last, but the one that is nearest to the frame with the most pairs is
// that frame.
static uint64_t ChooseFrame(const cliTally* tally, uint64_t first, uint64_t last, int shot, int count)
{
	double step = count > 1 ? (double)(last - first) / (double)(count - 1) : 1.0;
	uint64_t frame = first + (uint64_t)(step * (double)shot + 0.5);
	double worst = step > 0.0 ? ((double)tally->mostFrame - (double)first) / step : 0.0;
	return tally->mostPairs > 0 && (int)floor(worst + 0.5) == shot ? tally->mostFrame : frame;
}

static int CountShots(uint64_t frames, int most)
{
	return frames < (uint64_t)most ? (int)frames : most;
}

static bool CreateDirector(director* d, const filmDef* def, const uint64_t* frames, int count, int width, int height)
{
	double times[MAX_SHOTS];
	for (int i = 0; i < count; ++i)
	{
		times[i] = def->tally->frames[frames[i]].time;
	}
	return director_Create(d, def->scene, def->options, def->up, width, height, times, count,
	    def->tally->frames[def->tally->mostFrame].time);
}

// ---- Films -----------------------------------------------------------------------------------------------------

static bool Shoot(director* d, const filmDef* def, filmShot* shot, bool near)
{
	pixels drawn = director_Draw(d, def->tally->frames[shot->frame].time, near);
	shot->png = drawn.data != NULL ? pixelsEncode(&drawn, &shot->bytes) : NULL;
	pixelsFree(&drawn);
	return shot->png != NULL;
}

static bool ShootAll(film* f, director* d, const filmDef* def)
{
	bool shot = true;
	for (int i = 0; shot && i < f->count; ++i)
	{
		cliProgress("drawing frame %d of %d", i, f->count);
		shot = Shoot(d, def, f->shots + i, false);
	}
	f->close.frame = def->tally->mostFrame;
	if (shot && def->tally->mostPairs > 0)
	{
		shot = Shoot(d, def, &f->close, true);
	}
	cliProgress("");
	return shot;
}

static size_t GetBytes(const film* f)
{
	size_t bytes = f->close.bytes;
	for (int i = 0; i < f->count; ++i)
	{
		bytes += f->shots[i].bytes;
	}
	return bytes;
}

// A film of a size and with so many shots.
static bool MakeOnce(film* f, const filmDef* def, int most, int width)
{
	const cliTally* tally = def->tally;
	uint64_t frames[MAX_SHOTS];
	*f = (film){ .count = CountShots(tally->frameCount, most), .width = width };
	f->shots = calloc((size_t)f->count + 1, sizeof(filmShot));
	for (int i = 0; f->shots != NULL && i < f->count; ++i)
	{
		frames[i] = ChooseFrame(tally, 0, tally->frameCount - 1, i, f->count);
		f->shots[i].frame = frames[i];
		f->worst = tally->frames[frames[i]].pairs > tally->frames[f->shots[f->worst].frame].pairs ? i : f->worst;
	}
	director d = { .scene = NULL };
	bool made = f->shots != NULL && CreateDirector(&d, def, frames, f->count, f->width, 0) && ShootAll(f, &d, def);
	f->height = d.height;
	if (!made)
	{
		cliError("%s", d.error.text[0] != '\0' ? d.error.text : "out of memory for pictures");
	}
	director_Free(&d);
	return made;
}

// What is too large is made again: with fewer shots, but not less than half, then with smaller ones.
bool film_Make(film* f, const filmDef* def)
{
	int most = CountShots(def->tally->frameCount, MAX_SHOTS), least = most < MAX_SHOTS / 2 ? most : MAX_SHOTS / 2;
	int width = SHOT_WIDTH;
	bool made = MakeOnce(f, def, most, width);
	while (made && GetBytes(f) > def->maxBytes && width > 160)
	{
		double excess = (double)GetBytes(f) / (double)def->maxBytes;
		width = most == least ? (int)(0.97 * (double)width / sqrt(excess)) : width;
		most = (int)fmax((double)least, 0.97 * (double)most / excess);
		film_Free(f);
		made = MakeOnce(f, def, most, width);
	}
	return made;
}

void film_Free(film* f)
{
	for (int i = 0; f->shots != NULL && i < f->count; ++i)
	{
		free(f->shots[i].png);
	}
	free(f->shots);
	free(f->close.png);
	*f = (film){ .shots = NULL };
}

// ---- Strips ----------------------------------------------------------------------------------------------------

static const uint8_t paper[4] = { 250, 250, 252, 255 }, ink[4] = { 92, 100, 116, 255 },
                     line[4] = { 222, 226, 232, 255 };
static const uint8_t red[4] = { 220, 32, 30, 255 }, dark[4] = { 40, 48, 64, 255 };

// A bar per column, as high as the frame with the most pairs there; below, where the shots are.
static void DrawTimeline(pixels* p, const cliTally* tally, const uint64_t* frames, int count, int top, int height)
{
	int left = 16, width = p->width - 2 * left;
	pixelsFill(p, left, top + height, width, 2, line);
	for (int x = 0; x < width; ++x)
	{
		uint64_t most = 0, begin = tally->frameCount * (uint64_t)x / (uint64_t)width;
		uint64_t end = tally->frameCount * ((uint64_t)x + 1) / (uint64_t)width;
		for (uint64_t i = begin; i < end || i == begin; ++i)
		{
			most = tally->frames[i].pairs > most ? tally->frames[i].pairs : most;
		}
		int bar = most > 0 ? 3 + (int)((double)(height - 3) * (double)most / (double)tally->mostPairs) : 0;
		pixelsFill(p, left + x, top + height - bar, 1, bar, red);
	}
	for (int i = 0; i < count; ++i)
	{
		double at = ((double)frames[i] + 0.5) / (double)tally->frameCount;
		pixelsFill(p, left + (int)(at * width) - 1, top + height + 4, 3, 8, dark);
	}
}

// A picture with its time and, in red, its number of pairs.
static bool DrawCell(pixels* p, director* d, const cliTallyFrame* frame, int x, int y)
{
	char text[48];
	pixels drawn = director_Draw(d, frame->time, false);
	if (drawn.data == NULL)
	{
		return false;
	}
	pixelsBlend(p, x, y, &drawn);
	pixelsFree(&drawn);
	snprintf(text, sizeof(text), "%.3f s", frame->time);
	int end = pixelsWrite(p, x + 16, y + 14, 3, text, ink);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)frame->pairs);
	pixelsWrite(p, end + 24, y + 14, 3, text, frame->pairs > 0 ? red : ink);
	return true;
}

// Over the time of contact, with a little before and after, or over all if there is none.
static int ChooseStrip(const cliTally* tally, uint64_t* frames)
{
	uint64_t first = 0, last = tally->frameCount - 1;
	if (tally->contactFrames > 0)
	{
		uint64_t margin = (tally->lastContact - tally->firstContact) / 5 + 1;
		first = tally->firstContact > margin ? tally->firstContact - margin : 0;
		last = tally->lastContact + margin < last ? tally->lastContact + margin : last;
	}
	int count = CountShots(last - first + 1, STRIP_SHOTS);
	for (int i = 0; i < count; ++i)
	{
		frames[i] = ChooseFrame(tally, first, last, i, count);
	}
	return count;
}

uint8_t* filmMakeStrip(const filmDef* def, size_t* bytes)
{
	uint64_t frames[STRIP_SHOTS];
	int count = ChooseStrip(def->tally, frames), rows = (count + STRIP_COLUMNS - 1) / STRIP_COLUMNS;
	int columns = count < STRIP_COLUMNS ? count : STRIP_COLUMNS, timeline = def->tally->frameCount > 1 ? 72 : 0;
	director d = { .scene = NULL };
	pixels sheet = pixelsMake(columns * STRIP_WIDTH, rows * STRIP_HEIGHT + (timeline > 0 ? timeline + 28 : 0));
	uint8_t* png = NULL;
	bool made = sheet.data != NULL && CreateDirector(&d, def, frames, count, STRIP_WIDTH, STRIP_HEIGHT);
	if (made)
	{
		pixelsFill(&sheet, 0, 0, sheet.width, sheet.height, paper);
	}
	for (int i = 0; made && i < count; ++i)
	{
		cliProgress("drawing the strip: picture %d of %d", i, count);
		made = DrawCell(&sheet, &d, def->tally->frames + frames[i], i % STRIP_COLUMNS * STRIP_WIDTH,
		    i / STRIP_COLUMNS * STRIP_HEIGHT);
	}
	if (made && timeline > 0)
	{
		DrawTimeline(&sheet, def->tally, frames, count, rows * STRIP_HEIGHT + 8, timeline);
	}
	png = made ? pixelsEncode(&sheet, bytes) : NULL;
	cliProgress("");
	if (png == NULL)
	{
		cliError("%s", d.error.text[0] != '\0' ? d.error.text : "out of memory for pictures");
	}
	pixelsFree(&sheet);
	director_Free(&d);
	return png;
}
