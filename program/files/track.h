// program/files/track.h: how a linear model moves, frame by frame: what `snug reduce --amplitudes` writes.
//
// A text file with a line per frame and numbers between commas. The first line names the columns: frame, x, y, z, qx,
// qy, qz, qw, a0, a1 and so on: the frame's number, position and quaternion of the body, then its amplitudes.
#ifndef CLI_TRACK_H
#define CLI_TRACK_H

#include "snug/snug.h"

#include <stdbool.h>

typedef struct cliTrack
{
	uint32_t frameCount; ///< at least 1, if there is a track at all
	uint32_t fieldCount;
	snugFrame* motions; ///< (frameCount)
	float* amplitudes;  ///< (frameCount * fieldCount)
} cliTrack;

/// Prints what is wrong. Free with cliTrack_Free in any case.
bool cliTrack_Load(cliTrack* track, const char* path);
void cliTrack_Free(cliTrack* track);

/// The frame at a time: the nearest one, or the first or last.
uint32_t cliTrack_Find(const cliTrack* track, double time, double fps);

#endif
