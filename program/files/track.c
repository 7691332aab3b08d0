#include "program/files/track.h"

#include "io/load.h"
#include "program/commands/terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "frame,x,y,z,qx,qy,qz,qw";

// The columns' names; moves on to the next line.
static bool ReadHead(cliTrack* track, char** text)
{
	if (strncmp(*text, head, sizeof(head) - 1) != 0)
	{
		return false;
	}
	*text += sizeof(head) - 1;
	for (; **text == ','; ++track->fieldCount)
	{
		char name[16];
		int length = snprintf(name, sizeof(name), ",a%u", track->fieldCount);
		if (strncmp(*text, name, (size_t)length) != 0)
		{
			return false;
		}
		*text += length;
	}
	*text += **text == '\r';
	bool ends = **text == '\n' && track->fieldCount > 0 && track->fieldCount <= UINT16_MAX;
	*text += ends;
	return ends;
}

// A finite number and the comma or line end after it.
static bool ReadNumber(char** text, bool isLast, double* value)
{
	char* end;
	*value = strtod(*text, &end);
	if (end == *text || !isfinite(*value) || memchr(*text, '\n', (size_t)(end - *text)) != NULL)
	{
		return false;
	}
	end += isLast && *end == '\r';
	bool right = isLast ? *end == '\n' || *end == '\0' : *end == ',';
	*text = end + (*end != '\0');
	return right;
}

static bool ReadFrame(cliTrack* track, char** text)
{
	double number, numbers[7];
	uint32_t f = track->frameCount;
	bool good = ReadNumber(text, false, &number);
	for (int i = 0; good && i < 7; ++i)
	{
		good = ReadNumber(text, false, numbers + i);
	}
	for (uint32_t i = 0; good && i < track->fieldCount; ++i)
	{
		good = ReadNumber(text, i + 1 == track->fieldCount, &number) && isfinite((float)number);
		track->amplitudes[(size_t)f * track->fieldCount + i] = (float)number;
	}
	memcpy(track->motions[f].position, numbers, 3 * sizeof(double));
	memcpy(track->motions[f].rotation, numbers + 3, 4 * sizeof(double));
	track->frameCount += good;
	return good;
}

static uint32_t CountLines(const char* text)
{
	uint32_t count = 1;
	for (; *text != '\0'; ++text)
	{
		count += *text == '\n';
	}
	return count;
}

bool cliTrack_Load(cliTrack* track, const char* path)
{
	*track = (cliTrack){ 0 };
	ioError error;
	size_t size;
	char *text = (char*)ioReadFile(path, path, SIZE_MAX, &size, &error), *next = text;
	if (text == NULL)
	{
		cliError("%s", error.text);
		return false;
	}
	bool good = ReadHead(track, &next);
	if (!good)
	{
		cliError("%s:1: the columns are not %s,a0,a1 and so on", path, head);
	}
	else
	{
		uint32_t lines = CountLines(next);
		track->motions = calloc(lines, sizeof(snugFrame));
		track->amplitudes = calloc((size_t)lines * track->fieldCount, sizeof(float));
		good = track->motions != NULL && track->amplitudes != NULL;
		if (!good)
		{
			cliError("%s: out of memory", path);
		}
	}
	while (good && *next != '\0')
	{
		good = ReadFrame(track, &next);
		if (!good)
		{
			cliError("%s:%u: not %u numbers between commas, within what float32 holds", path, track->frameCount + 2,
			    track->fieldCount + 8);
		}
	}
	if (good && track->frameCount == 0)
	{
		cliError("%s: holds no frames", path);
		good = false;
	}
	free(text);
	return good;
}

void cliTrack_Free(cliTrack* track)
{
	free(track->motions);
	free(track->amplitudes);
	*track = (cliTrack){ 0 };
}

uint32_t cliTrack_Find(const cliTrack* track, double time, double fps)
{
	double frame = floor(time * fps + 0.5), last = (double)(track->frameCount - 1);
	return (uint32_t)(frame < 0.0 ? 0.0 : frame > last ? last : frame);
}
